//! CPU seconds of a frontier with the full default battery on SD2011-18, scaled to 100 runs, and what they are made of.
//!
//! cargo run --release -p study --example measure_frontier -- [REPEAT]
//!
//! R's synthpop 1.9-3 takes 3.9 s there for one synthesis by trees, 57 s for `utility.gen` and 21 s for all three-way tables. The file is that of
//! ../shared beside the checkout.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use measures::{MEASURES, SyntheticSets, align, evaluate};
use study::frontier::{Battery, Contest, RunStore, built_in};
use synthesis::fit;
use table::Table;
use table::read::{ReadOptions, read_table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let repeat = std::env::args().nth(1).map_or(Ok(9), |text| text.parse())?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/sd18_cart/original.csv");
    let original = read_table(&path, &ReadOptions::default())?;
    let battery = Battery::new(Battery::usual(original.columns().len()), MEASURES.to_vec());
    let [risk, utility] = battery.usual_axes()?;
    let (entries, remarks) = built_in(&original)?;
    let sets: u32 = entries.iter().map(|entry| entry.recipe.m).sum();
    let contest = Contest {
        original: &original,
        data: "original.csv".into(),
        fingerprint: String::new(),
        entries,
        imported: Vec::new(),
        battery,
        risk,
        utility,
        limits: Vec::new(),
        repeat,
        seed: 1,
        remarks,
    };
    let before = process_cpu_seconds();
    let (frontier, timings) = contest.run(&RunStore::nowhere(), &|_| ())?;
    let cpu = process_cpu_seconds() - before;
    let runs: u32 = frontier.contestants.iter().map(|contestant| contestant.runs).sum();
    println!(
        "{runs} runs of {} contestants, {} data sets: {cpu:.1} CPU s, {:.1} for 100 runs",
        frontier.contestants.len(),
        sets * repeat,
        100.0 * cpu / f64::from(runs)
    );
    for (name, [making, measuring]) in &timings.contestants {
        println!("  {name:18} {making:8.3} s making, {measuring:8.3} s measuring one run, on the clock");
    }
    by_family(&original, &contest)?;
    Ok(())
}

/// What each family takes for one data set of the first recipe, once what all runs share is there.
fn by_family(original: &Table, contest: &Contest<'_>) -> Result<(), Box<dyn std::error::Error>> {
    let table = align(original.schema(), fit(original, &contest.entries[0].recipe)?.table(0)?)?;
    let sets = SyntheticSets { original, synthetic: &[&table], holdout: None };
    let mut seconds: BTreeMap<&str, f64> = BTreeMap::new();
    for measure in MEASURES {
        let start = Instant::now();
        evaluate(&sets, &[*measure], &contest.battery.settings)?;
        seconds.insert(measure.name(), start.elapsed().as_secs_f64());
    }
    for (name, seconds) in seconds {
        println!("  {name:18} {seconds:8.3} s a data set, on the clock");
    }
    Ok(())
}

fn process_cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The name is field 2 and the state field 3, which is no number; user and system time are fields 14 and 15.
    (fields.get(10).unwrap_or(&0.0) + fields.get(11).unwrap_or(&0.0)) / 100.0
}
