//! What every family of measures costs on a pair of files, on one thread.
//!
//! cargo run --release -p measures --example time_measures -- ORIGINAL.csv SYNTHETIC.csv

use std::path::Path;
use std::time::Instant;

use measures::{MEASURES, Settings, SyntheticSets, align, evaluate};
use table::read::{ReadOptions, read_table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [original, synthetic] = files.as_slice() else {
        return Err("give an original and a synthetic file".into());
    };
    let read = |file: &str| read_table(Path::new(file), &ReadOptions::default());
    let original = read(original)?;
    let synthetic = align(original.schema(), read(synthetic)?)?;
    let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
    let start = Instant::now();
    for measure in MEASURES {
        let own = Instant::now();
        let findings = evaluate(&sets, &[*measure], &Settings::default())?;
        println!("{:12} {:6} findings {:8.3} s", measure.name(), findings.len(), own.elapsed().as_secs_f64());
    }
    println!("{:12} {:24.3} s", "all", start.elapsed().as_secs_f64());
    Ok(())
}
