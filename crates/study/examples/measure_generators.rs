//! CPU seconds of the generators' kernels, as JSON, for `benches/generators.sh` to put beside R's.
//!
//! measure_generators counts FILE     writes the school census table as 32-bit counts, for R to read
//! measure_generators saturated       one negative binomial synthesis of that table, a Poisson-inverse Gaussian one
//! measure_generators plan            5 sigmas by 50 m on it
//! measure_generators ipf S7.csv      all two-way margins of a table of classes, 35 sweeps

use std::time::Instant;

use loglinear::{Options, Target};
use statistics::counts::CountFamily;
use study::plan::{CellSizes, Grid, MeanCount, Mechanism, Plan};
use study::school_census::school_census;
use synthesis::methods::saturated::synthetic_counts;
use synthesis::randomness::Seed;
use table::read::{ReadOptions, read_table};
use table::{Attributes, CodedTable, CountSource, Grouping};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["counts", file] => {
            let bytes: Vec<u8> =
                school_census().counts.iter().flat_map(|count| count.to_le_bytes()).collect();
            std::fs::write(file, bytes)?;
        }
        ["saturated"] => {
            let all = school_census().counts;
            for family in [CountFamily::nbi(0.5)?, CountFamily::pig(0.5)?] {
                let mut seed = 0;
                let seconds = cpu_seconds(20, || {
                    // Finding the occupied cells is part of the work: R is given all of them too.
                    let occupied: Vec<u64> =
                        all.iter().filter(|count| **count > 0).map(|count| u64::from(*count)).collect();
                    seed += 1;
                    synthetic_counts(&occupied, family, Seed::new(seed))
                        .map(|counts| counts.iter().sum::<u64>())
                })?;
                println!("{{\"case\": \"saturated {}\", \"cpu_s\": {seconds:.5}}}", family.name());
            }
        }
        ["plan"] => {
            let sizes = CellSizes::from_counts(school_census().counts.iter().map(|count| u64::from(*count)))?;
            let grid = Grid {
                sigmas: vec![0.0, 0.1, 0.5, 2.0, 10.0],
                ms: (1..=50).collect(),
                near: vec![(1, 0.5)],
                mean_count: MeanCount::Exact,
            };
            let mechanism = Mechanism::new(CountFamily::nbi(1.0)?);
            let start = Instant::now();
            let seconds =
                cpu_seconds(5, || Plan::over(&sizes, &mechanism, &grid).map(|plan| plan.points.len()))?;
            let wall = start.elapsed().as_secs_f64() / 5.0;
            println!(
                "{{\"case\": \"plan of 250 settings\", \"cpu_s\": {seconds:.5}, \"wall_s\": {wall:.5}}}"
            );
        }
        ["ipf", file] => {
            let table = read_table(std::path::Path::new(file), &ReadOptions::default())?;
            let coded = CodedTable::new(&table, &Grouping::default())?;
            let all = Attributes::all(coded.domain());
            let dims = coded.domain().sizes(&all);
            let margins = coded.all_margins(2)?;
            let target = |margin: &table::Margin| {
                let counts: Vec<f64> = margin.counts().iter().map(|count| *count as f64).collect();
                Target::new(margin.attributes().positions().to_vec(), counts)
            };
            let targets: Vec<Target> = margins.iter().map(target).collect();
            let options = Options { max_sweeps: 35, ..Options::default() };
            let seconds = cpu_seconds(20, || {
                loglinear::fit(&dims, &targets, &[], &options).map(|model| model.held_cells())
            })?;
            println!("{{\"case\": \"ipf, 35 sweeps\", \"cpu_s\": {seconds:.5}}}");
        }
        _ => return Err("see the head of this file".into()),
    }
    Ok(())
}

/// User and system time of this process, all threads, a run.
fn cpu_seconds<T, E>(runs: u32, mut run: impl FnMut() -> Result<T, E>) -> Result<f64, E> {
    let before = process_cpu_seconds();
    for _ in 0..runs {
        std::hint::black_box(run()?);
    }
    Ok((process_cpu_seconds() - before) / f64::from(runs))
}

/// From /proc/self/stat, in hundredths of a second; average over several runs.
fn process_cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The name is field 2 and the state field 3, which is no number; user and system time are fields 14 and 15.
    (fields.get(10).unwrap_or(&0.0) + fields.get(11).unwrap_or(&0.0)) / 100.0
}
