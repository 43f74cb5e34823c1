//! What the measures of risk cost on a made-up pair of tables of 1,000,000 rows by 10 columns, or on a pair of files.
//!
//! cargo run --release -p measures --example time_risk [-- ORIGINAL.csv SYNTHETIC.csv [key,key,… target]]
//!
//! The time is of the whole call, coding of the tables included, as wall clock on all threads and as CPU time of the process.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use measures::Comparison;
use measures::risk::DisclosureOptions;
use measures::risk::attribute::{AttributeStatistic, attribute_disclosure};
use measures::risk::intruder::{IntruderRisk, Mechanism, Prior};
use measures::risk::release_cells::ReleaseCells;
use measures::risk::uniques::{record_flags, unique_records};
use statistics::counts::CountFamily;
use table::read::{ReadOptions, read_table};
use table::{Codes, Column, Grouping, Kind, Levels, Schema, Table, Variable};

const ROWS: usize = 1_000_000;
const SIZES: [usize; 10] = [2, 5, 6, 5, 10, 7, 7, 30, 3, 100];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => made_up(&table(1)?, &table(2)?),
        [original, synthetic] => {
            let read = |file: &str| read_table(Path::new(file), &ReadOptions::default());
            whole_tables(&read(original)?, &read(synthetic)?)
        }
        [original, synthetic, keys, target] => {
            let read = |file: &str| read_table(Path::new(file), &ReadOptions::default());
            let (original, synthetic) = (read(original)?, read(synthetic)?);
            let keys: Vec<&str> = keys.split(',').collect();
            disclosure(&original, &synthetic, &keys, target)
        }
        _ => Err("give nothing, or two files, and keys and a target".into()),
    }
}

fn disclosure(
    original: &Table,
    synthetic: &Table,
    keys: &[&str],
    target: &str,
) -> Result<(), Box<dyn Error>> {
    let comparison = Comparison { original, synthetic, holdout: None };
    let options = DisclosureOptions::default();
    const RUNS: u32 = 20;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..RUNS {
        std::hint::black_box(attribute_disclosure(&comparison, keys, target, &options)?);
    }
    let runs = f64::from(RUNS);
    let (wall, cpu) = (start.elapsed().as_secs_f64() / runs, (cpu_seconds() - cpu) / runs);
    println!("disclosure with {} keys: {:.2} ms, {:.2} CPU ms", keys.len(), 1e3 * wall, 1e3 * cpu);
    Ok(())
}

/// Prints what a computation took and found.
fn time(what: &str, run: impl FnOnce() -> Result<f64, Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let found = run()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!("{what}: {wall:.3} s, {cpu:.3} CPU s ({found:.4})");
    Ok(())
}

fn whole_tables(original: &Table, synthetic: &Table) -> Result<(), Box<dyn Error>> {
    let comparison = Comparison { original, synthetic, holdout: None };
    let none: [&str; 0] = [];
    time("replicated uniques, all keys", || {
        Ok(unique_records(&comparison, &none)?.replicated_uniques as f64)
    })?;
    time("replicated uniques, record by record", || {
        let flags = record_flags(&comparison, &none)?;
        Ok(flags.original_replicated.iter().filter(|flag| **flag).count() as f64)
    })?;
    let mechanism = Mechanism::saturated(CountFamily::nbi(0.5)?, 0.01, 1.0)?;
    time("intruder, every record of a saturated release", || {
        let cells = ReleaseCells::new(original, &[synthetic], &none, &Grouping::default())?;
        let risk = IntruderRisk::new(&cells, mechanism, &Prior::usual()).map_err(str::to_owned)?;
        Ok(risk.per_record(0).iter().map(|risk| risk.r).sum::<f64>() + risk.summaries()[0].r_max)
    })
}

fn made_up(original: &Table, synthetic: &Table) -> Result<(), Box<dyn Error>> {
    whole_tables(original, synthetic)?;
    let comparison = Comparison { original, synthetic, holdout: None };
    let options = DisclosureOptions::default();
    for keys in
        [&["v0", "v1", "v2", "v3", "v4", "v5"][..], &["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"]]
    {
        time(&format!("TCAP and all attribute measures, {} keys", keys.len()), || {
            let found = attribute_disclosure(&comparison, keys, "v9", &options)?;
            Ok(found.value(AttributeStatistic::TcapTaub)?)
        })?;
    }
    Ok(())
}

/// Correlated categories: each variable copies the one before it in half of the records.
fn table(seed: u64) -> Result<Table, Box<dyn Error>> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for size in SIZES {
        let draw = |row: usize| {
            let fresh = (next() % size as u32).min(next() % size as u32);
            match columns.last() {
                Some(before) if next() % 2 == 0 => before[row] % size as u32,
                _ => fresh,
            }
        };
        let column = (0..ROWS).map(draw).collect();
        columns.push(column);
    }
    let variable = |(i, size): (usize, &usize)| {
        let levels = Levels::new((0..*size).map(|level| level.to_string()))?;
        Ok::<Variable, String>(Variable::new(format!("v{i}"), Kind::Categorical { levels }))
    };
    let variables = SIZES.iter().enumerate().map(variable).collect::<Result<Vec<_>, _>>()?;
    let schema = Schema::new(variables, vec![], vec![])?;
    let columns = columns.into_iter().zip(SIZES);
    let columns = columns.map(|(codes, size)| Column::Categorical(Arc::new(Codes::collect(size, codes))));
    Ok(Table::new(Arc::new(schema), columns.collect())?)
}

/// CPU time of this process so far; nothing where the system does not say.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
