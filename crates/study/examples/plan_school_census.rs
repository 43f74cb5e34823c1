//! How long does a plan take? Jackson's grid, five dispersions by fifty data sets, on a table of 3,468,640 cells.
//!
//! cargo run --release -p study --example plan_school_census

use std::time::Instant;

use statistics::counts::CountFamily;
use study::plan::{Bound, CellSizes, Free, Grid, MeanCount, Mechanism, Plan, solve};
use study::school_census::school_census;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let census = school_census();
    println!("table of {} cells: {:.3} s", census.counts.len(), start.elapsed().as_secs_f64());

    let start = Instant::now();
    let sizes = CellSizes::from_counts(census.counts.iter().map(|count| u64::from(*count)))?;
    println!("{} sizes counted: {:.3} s", sizes.occupied().count() + 1, start.elapsed().as_secs_f64());

    let grid = Grid {
        sigmas: vec![0.0, 0.1, 0.5, 2.0, 10.0],
        ms: (1..=50).collect(),
        near: vec![(1, 0.1), (1, 0.2), (1, 0.5), (1, 0.75)],
        mean_count: MeanCount::Exact,
    };
    for family in [CountFamily::nbi(1.0)?, CountFamily::pig(1.0)?, CountFamily::delaporte(1.0, 0.5)?] {
        for mean_count in [MeanCount::Exact, MeanCount::Clt] {
            let grid = Grid { mean_count, ..grid.clone() };
            let start = Instant::now();
            let plan = Plan::over(&sizes, &Mechanism::new(family), &grid)?;
            println!(
                "{} {mean_count:?}: {} points in {:.3} s",
                plan.family,
                plan.points.len(),
                start.elapsed().as_secs_f64()
            );
            if plan.family == "nbi" {
                show(&plan);
            }
        }
    }

    let bound: Bound = "tau4(1, 0.5) <= 0.5".parse()?;
    let mechanism = Mechanism::new(CountFamily::nbi(1.0)?).with_m(10)?;
    let start = Instant::now();
    let solution = solve(&sizes, &mechanism, &bound, Free::sigma())?;
    println!(
        "{bound} with m = 10: sigma = {:.4}, Hellinger {:.1}, in {:.3} s",
        solution.sigma,
        solution.distance.hellinger,
        start.elapsed().as_secs_f64()
    );
    let bound: Bound = "tau4(1, 0.5) <= 0.8".parse()?;
    let start = Instant::now();
    let solution = solve(&sizes, &Mechanism::new(CountFamily::nbi(2.0)?), &bound, Free::m())?;
    println!(
        "{bound} with sigma = 2: m = {}, Hellinger {:.1}, in {:.3} s",
        solution.m,
        solution.distance.hellinger,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn show(plan: &Plan) {
    println!("  sigma   m  tau3(1,0.1)  tau3(1,0.2)  tau4(1,0.5)  tau4(1,0.75)  Hellinger  Euclidean");
    for point in plan.points.iter().filter(|point| [1, 5, 10, 20, 50].contains(&point.m)) {
        let tau4 = |i: usize| point.tau[i].tau4.map_or("-".to_owned(), |tau4| format!("{tau4:.4}"));
        println!(
            "  {:>5} {:>3}  {:>11.4}  {:>11.4}  {:>11}  {:>12}  {:>9.1}  {:>9.0}",
            point.sigma,
            point.m,
            point.tau[0].tau3,
            point.tau[1].tau3,
            tau4(2),
            tau4(3),
            point.distance.hellinger,
            point.distance.euclidean
        );
    }
}
