//! Dense and sparse counts of a million records.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use table::{Attributes, Classes, CodedTable, Codes, CountSource, Domain};

/// Levels of the columns, as in the case `counting` of `lookalike bench`.
const SIZES: [usize; 10] = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64];
const ROWS: u64 = 1_000_000;

/// Skewed codes by a multiplicative hash of the row.
fn coded_table() -> CodedTable {
    let classes = SIZES.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
    let columns = SIZES.iter().enumerate().map(|(column, size)| {
        let code = |row: u64| {
            let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 + 2 * column as u64);
            let uniform =
                ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / 2_f64.powi(24);
            (uniform * uniform * *size as f64) as u8
        };
        Codes::U8((0..ROWS).map(code).collect())
    });
    let domain = Domain::new(classes.collect()).expect("names are different");
    CodedTable::from_codes(domain, columns.collect())
}

fn counting(criterion: &mut Criterion) {
    let table = coded_table();
    let all = Attributes::all(table.domain());
    let mut group = criterion.benchmark_group("1 million rows x 10 columns");
    group.sample_size(10);
    group.bench_function("all 45 pairs", |bench| bench.iter(|| black_box(table.all_margins(2))));
    group.bench_function("sparse table", |bench| bench.iter(|| black_box(table.contingency_table(&all))));
    group.finish();
}

criterion_group!(benches, counting);
criterion_main!(benches);
