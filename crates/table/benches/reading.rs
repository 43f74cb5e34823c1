//! Reading a CSV file of 20 MB.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use table::date::DateFormat;
use table::read::{ReadOptions, read_table};

/// Persons with a whole number, two texts, a real number that is sometimes missing, and a date.
fn people(bytes: usize) -> String {
    let mut text = String::from("age,status,occupation,rent,moved\n");
    let statuses = ["single", "married", "divorced", "widowed", "separated"];
    let mut row = 0_u64;
    while text.len() < bytes {
        row += 1;
        let random = (row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let rent = if random.is_multiple_of(10) {
            String::new()
        } else {
            format!("{}.{:02}", random % 3000, random % 97)
        };
        let (status, moved) = (statuses[random % 5], DateFormat::Iso.format((random % 20_000) as i32));
        writeln!(text, "{},{status},occupation {:04},{rent},{moved}", random % 100, random % 1009)
            .expect("text takes everything");
    }
    text
}

fn reading(criterion: &mut Criterion) {
    let file = tempfile::NamedTempFile::new().expect("a folder for temporary files");
    let text = people(20_000_000);
    std::fs::write(file.path(), &text).expect("room for 20 MB");
    let mut group = criterion.benchmark_group("CSV file of 20 MB");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read", |bench| {
        bench.iter(|| black_box(read_table(file.path(), &ReadOptions::default())));
    });
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
