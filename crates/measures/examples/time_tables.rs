//! What all three-way tables of a pair of files cost on one thread.
//!
//! cargo run --release -p measures --example time_tables -- ORIGINAL.csv SYNTHETIC.csv

use std::path::Path;
use std::time::Instant;

use measures::utility::tables::{ReferenceTables, TableOptions};
use measures::{Comparison, SharedTables};
use table::Attributes;
use table::read::{ReadOptions, read_table};

const RUNS: u32 = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [original, synthetic] = files.as_slice() else {
        return Err("give an original and a synthetic file".into());
    };
    let read = |file: &str| read_table(Path::new(file), &ReadOptions::default());
    let (original, synthetic) = (read(original)?, read(synthetic)?);
    let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
    let options = TableOptions::default();
    let shared = SharedTables::new(&comparison, &options.grouping)?;
    let of = Attributes::combinations(shared.domain(), 3);
    let start = Instant::now();
    for _ in 0..RUNS {
        std::hint::black_box(shared.tables(&of, &options)?);
    }
    println!("{} tables, all numbers: {:.2} ms", of.len(), milliseconds(start));
    let reference = ReferenceTables::new(shared.original(), &of, &options)?;
    let start = Instant::now();
    for _ in 0..RUNS {
        std::hint::black_box(reference.s_pmse(&shared.synthetic()[0])?);
    }
    println!("{} tables, S_pMSE alone: {:.2} ms", of.len(), milliseconds(start));
    Ok(())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0 / f64::from(RUNS)
}
