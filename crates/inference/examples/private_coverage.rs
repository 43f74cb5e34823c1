//! Coverage of nominal 95 % intervals from private releases: `cargo run -p inference --example private_coverage [REPLICATIONS] [METHOD]`.
//!
//! 2,000 people are drawn from a known population with cells of unequal size, released with ε and analysed: by the bootstrap or the posterior, and by T_p, which does not know of the noise.
//! What is asked for is the share of smokers, 10 % in the population, and that of the largest town, in a table of K cells.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on should panic")]

use inference::{Estimand, Manner, Provenance, Released, Resampling, Rule, answer};
use rand::RngExt;
use rayon::prelude::*;
use synthesis::randomness::Seed;
use synthesis::{Recipe, Run, fit};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

const PEOPLE: usize = 2_000;
/// The share of smokers.
const SMOKERS: f64 = 0.1;
const M: u32 = 3;

#[derive(Clone, Copy)]
struct Setting {
    method: &'static str,
    epsilon: f64,
    /// Levels of the variable beside smoking: half the number of cells.
    levels: usize,
}

fn main() {
    let replications: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let only = std::env::args().nth(2);
    println!(
        "{replications} replications; shares of smokers by the valid rule and by T_p, of the largest town by the posterior"
    );
    println!(
        "{:<10} {:>5} {:>8} {:>18} {:>18} {:>18}",
        "method", "cells", "epsilon", "smokers", "T_p", "largest town"
    );
    for (method, epsilons) in
        [("catall", [0.5, 1.0, 3.0]), ("ipf", [0.5, 1.0, 3.0]), ("dirichlet", [100.0, 1_000.0, 10_000.0])]
    {
        if only.as_ref().is_some_and(|only| only != method) {
            continue;
        }
        for levels in [6, 50] {
            for epsilon in epsilons {
                let setting = Setting { method, epsilon, levels };
                let done: Vec<[Option<Seen>; 3]> =
                    (0..replications).into_par_iter().map(|number| setting.once(number)).collect();
                let told = |at: usize| {
                    let seen: Vec<Seen> = done.iter().filter_map(|seen| seen[at]).collect();
                    let share = |of: fn(&&Seen) -> bool| {
                        100.0 * seen.iter().filter(of).count() as f64 / seen.len().max(1) as f64
                    };
                    let (covers, warned) = (share(|seen| seen.covers), share(|seen| seen.warned));
                    if seen.is_empty() {
                        String::new()
                    } else {
                        format!("{covers:.1} % ({warned:.0} % told)")
                    }
                };
                let cells = 2 * levels;
                println!(
                    "{method:<10} {cells:>5} {epsilon:>8} {:>18} {:>18} {:>18}",
                    told(0),
                    told(1),
                    told(2)
                );
            }
        }
    }
}

/// What became of one interval.
#[derive(Clone, Copy)]
struct Seen {
    covers: bool,
    /// Whether a warning or a remark came with it.
    warned: bool,
}

impl Setting {
    fn once(self, number: u64) -> [Option<Seen>; 3] {
        let Self { method, epsilon, levels } = self;
        let text =
            format!("method = \"{method}\"\nm = {M}\n[privacy]\nepsilon = {epsilon:?}\nrecords = {PEOPLE}\n");
        let recipe = Recipe::parse(&text).unwrap();
        let fitted = fit(&people(levels, number), &recipe, &Run::replayed(number)).unwrap();
        let files: Vec<Table> = (0..M).map(|number| fitted.table(number).unwrap()).collect();
        let ledger = fitted.ledger().cloned();
        let provenance = Provenance { recipe, original_rows: PEOPLE as u64, ledger, own_schema: None };
        let released =
            Released { files: &files, original_rows: Some(PEOPLE as u64), provenance: Some(&provenance) };
        let seen = |what: &str, name: &str, truth: f64, rule: Option<Rule>| {
            let resampling = Resampling { replicates: 99, seed: number };
            let found = answer(
                &released,
                &Estimand::parse(what).unwrap(),
                &Manner { rule, resampling, ..Manner::default() },
            );
            let found = found.unwrap();
            let quantity = found.quantities.iter().find(|quantity| quantity.name == name).unwrap();
            Seen {
                covers: quantity.interval.is_some_and(|interval| interval.covers(truth)),
                warned: !found.warnings.is_empty() || quantity.remark.is_some(),
            }
        };
        // One bootstrap is dear; the posterior of many cells is what is to be seen for `dirichlet`.
        let largest_town = |_| seen("share(town)", "town=t00", shares_of_towns(levels)[0], None);
        [
            Some(seen("share(smoke)", "smoke=yes", SMOKERS, None)),
            Some(seen("share(smoke)", "smoke=yes", SMOKERS, Some(Rule::Tp))),
            (method == "dirichlet").then_some(()).map(largest_town),
        ]
    }
}

/// Town number t has a share in proportion to 1/(t + 3).
fn shares_of_towns(levels: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..levels).map(|town| 1.0 / (town as f64 + 3.0)).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Smoking does not depend on the town.
fn people(levels: usize, number: u64) -> Table {
    let towns: Vec<String> = (0..levels).map(|town| format!("t{town:02}")).collect();
    let quoted: Vec<String> = towns.iter().map(|town| format!("\"{town}\"")).collect();
    let schema = format!(
        "[table]\ndeclared = true\nreason = \"invented\"\n\
         [variables.smoke]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
         [variables.town]\nkind = \"categorical\"\nlevels = [{}]\n",
        quoted.join(", ")
    );
    let shares = shares_of_towns(levels);
    let mut rng = Seed::new(77).stream(number);
    let mut text = String::from("smoke,town\n");
    for _ in 0..PEOPLE {
        let smoke = if rng.random_bool(SMOKERS) { "yes" } else { "no" };
        let mut left = rng.random::<f64>();
        let town = shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        text += &format!("{smoke},{}\n", towns[town.unwrap_or(levels - 1)]);
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}
