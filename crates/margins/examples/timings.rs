//! How long does a fit take? CPU time (all threads) and wall time of several models, and of sampling from
//! them.
//!
//! `cargo run --release -p lookalike-margins --example timings [FILE.csv]`: with a file of categorical columns, all
//! its two-way margins too.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use margins::{Form, Options, Order, TargetMargin, fit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::default();
    if let Some(path) = std::env::args().nth(1) {
        let (sizes, columns) = read(Path::new(&path))?;
        println!("{path}: classes {sizes:?}");
        let targets = pairs(&sizes, &columns);
        time("  all pairs, to 1e-12 N", 50, &sizes, &targets, &options)?;
        let as_mipfp = Options { tolerance: 2e-14, max_sweeps: 35, ..options.clone() };
        time("  all pairs, 35 sweeps", 50, &sizes, &targets, &as_mipfp)?;
        let in_order = Options { order: Order::AsGiven, ..as_mipfp };
        time("  all pairs in the given order, 35 sweeps", 50, &sizes, &targets, &in_order)?;
    }
    for (count, classes, repeats) in [(20, 2, 3), (24, 2, 1), (8, 8, 1)] {
        let sizes = vec![classes; count];
        let few = Options { max_sweeps: 10, ..options.clone() };
        let name = format!("{count} variables of {classes} classes, all pairs, 10 sweeps");
        time(&name, repeats, &sizes, &pairs(&sizes, &simulated(&sizes, 20_000)), &few)?;
        if count == 20 {
            let triples = margins_of(&sizes, &simulated(&sizes, 20_000), &combinations(count, 3));
            time("  all triples of the same, 10 sweeps", repeats, &sizes, &triples, &few)?;
        }
    }
    for (name, sets) in [
        ("40 variables of 10 classes, a chain", (0..39).map(|i| vec![i, i + 1]).collect::<Vec<_>>()),
        ("40 variables of 10 classes, a tree", (1..40).map(|i| vec![(i - 1) / 2, i]).collect()),
        (
            "40 variables of 10 classes, a cycle",
            (0..39).map(|i| vec![i, i + 1]).chain([vec![0, 39]]).collect(),
        ),
    ] {
        let sizes = vec![10; 40];
        let targets = margins_of(&sizes, &simulated(&sizes, 20_000), &sets);
        time(name, 5, &sizes, &targets, &Options { form: Form::Tree, ..options.clone() })?;
    }
    Ok(())
}

fn time(
    name: &str,
    repeats: usize,
    sizes: &[usize],
    targets: &[TargetMargin],
    options: &Options,
) -> Result<(), Box<dyn std::error::Error>> {
    let model = fit(sizes, targets, &[], options)?;
    let per_run = |work: &mut dyn FnMut() -> Result<(), margins::Error>| {
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        (0..repeats).try_for_each(|_| work())?;
        let repeats = repeats as f64;
        Ok::<_, margins::Error>(((cpu_seconds() - cpu) / repeats, wall.elapsed().as_secs_f64() / repeats))
    };
    let (fit_cpu, fit_wall) = per_run(&mut || fit(sizes, targets, &[], options).map(|_| ()))?;
    let rows = 1_000_000;
    let (draw_cpu, draw_wall) = per_run(&mut || {
        std::hint::black_box(model.sample(rows, [1; 32]));
        Ok(())
    })?;
    let convergence = model.convergence();
    println!(
        "{name}: K = {}, held {}, {} sweeps, deviation {:.1e}, {:?}: fit {fit_cpu:.4} CPU s \
         ({fit_wall:.4} s); a million records {draw_cpu:.3} CPU s ({draw_wall:.3} s)",
        model.cells(),
        model.held_cells(),
        convergence.sweeps,
        convergence.deviation,
        convergence.stopped
    );
    Ok(())
}

/// User and system time of this process; 0 where there is no /proc.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// The number of classes and the class numbers of each column.
fn read(path: &Path) -> csv::Result<(Vec<usize>, Vec<Vec<usize>>)> {
    let mut reader = csv::Reader::from_path(path)?;
    let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>()?;
    let width = reader.headers()?.len();
    let column = |at: usize| {
        let mut levels: BTreeMap<&str, usize> = records.iter().map(|record| (&record[at], 0)).collect();
        levels.values_mut().enumerate().for_each(|(number, level)| *level = number);
        (levels.len(), records.iter().map(|record| levels[&record[at]]).collect())
    };
    Ok((0..width).map(column).unzip())
}

/// Columns that depend a little on the column before.
fn simulated(sizes: &[usize], rows: usize) -> Vec<Vec<usize>> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for &classes in sizes {
        let column = match columns.last() {
            Some(before) => {
                before.iter().map(|&b| if next() % 3 == 0 { b % classes } else { next() % classes }).collect()
            }
            None => (0..rows).map(|_| next() % classes).collect(),
        };
        columns.push(column);
    }
    columns
}

fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    (0..1_u32 << count)
        .filter(|set| set.count_ones() as usize == size)
        .map(|set| (0..count).filter(|variable| set >> variable & 1 == 1).collect())
        .collect()
}

fn pairs(sizes: &[usize], columns: &[Vec<usize>]) -> Vec<TargetMargin> {
    margins_of(sizes, columns, &combinations(sizes.len(), 2))
}

fn margins_of(sizes: &[usize], columns: &[Vec<usize>], sets: &[Vec<usize>]) -> Vec<TargetMargin> {
    let margin = |attributes: &Vec<usize>| {
        let size = attributes.iter().map(|&variable| sizes[variable]).product();
        let mut counts = vec![0.0; size];
        for row in 0..columns.first().map_or(0, Vec::len) {
            counts
                [attributes.iter().fold(0, |at, &variable| at * sizes[variable] + columns[variable][row])] +=
                1.0;
        }
        TargetMargin::new(attributes.clone(), counts)
    };
    sets.iter().map(margin).collect()
}
