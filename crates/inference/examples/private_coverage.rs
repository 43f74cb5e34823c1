//! Coverage of nominal 95 % intervals from private releases: `cargo run -p inference --example private_coverage [REPLICATIONS]`.
//!
//! 2,000 people are drawn from a known population with cells of unequal size, released with ε and analysed: by the bootstrap or the posterior, and by T_p, which does not know of the noise.
//! What is asked for is the share of smokers, 10 % in the population, in a table of K cells.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on should panic")]

use inference::{Estimand, Manner, Provenance, Released, Resampling, Rule, answer};
use privacy::NoiseSource;
use rand::RngExt;
use rayon::prelude::*;
use synthesis::randomness::Seed;
use synthesis::{Recipe, private};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

const PEOPLE: usize = 2_000;
/// The share of smokers.
const TRUTH: f64 = 0.1;
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
    println!("{replications} replications, share of smokers");
    println!("{:<10} {:>5} {:>8} {:>20} {:>8}", "method", "cells", "epsilon", "valid rule", "T_p");
    for (method, epsilons) in
        [("catall", [0.5, 1.0, 3.0]), ("ipf", [0.5, 1.0, 3.0]), ("dirichlet", [100.0, 1_000.0, 10_000.0])]
    {
        for levels in [6, 50] {
            for epsilon in epsilons {
                let setting = Setting { method, epsilon, levels };
                let (valid, warned) = setting.coverage(None, replications);
                let (t_p, _) = setting.coverage(Some(Rule::Tp), replications);
                let cells = 2 * levels;
                println!(
                    "{method:<10} {cells:>5} {epsilon:>8} {valid:>6.1} % ({warned:>3.0} % warned) {t_p:>6.1} %"
                );
            }
        }
    }
}

impl Setting {
    /// How many in a hundred intervals cover, and how many of them have a warning or a remark.
    fn coverage(self, rule: Option<Rule>, replications: u64) -> (f64, f64) {
        let done: Vec<(bool, bool)> =
            (0..replications).into_par_iter().map(|number| self.once(rule, number)).collect();
        let share = |of: fn(&&(bool, bool)) -> bool| {
            100.0 * done.iter().filter(of).count() as f64 / replications as f64
        };
        (share(|one| one.0), share(|one| one.1))
    }

    fn once(self, rule: Option<Rule>, number: u64) -> (bool, bool) {
        let Self { method, epsilon, levels } = self;
        let text =
            format!("method = \"{method}\"\nm = {M}\n[privacy]\nepsilon = {epsilon:?}\nrecords = {PEOPLE}\n");
        let recipe = Recipe::parse(&text).unwrap();
        let noise = NoiseSource::insecure_test_seed(number);
        let fit = private::fit(&people(levels, number), &recipe, noise).unwrap();
        let files: Vec<Table> = (0..M).map(|number| fit.fitted.table(number).unwrap()).collect();
        let provenance =
            Provenance { recipe, original_rows: PEOPLE as u64, ledger: Some(fit.ledger), own_schema: None };
        let released =
            Released { files: &files, original_rows: Some(PEOPLE as u64), provenance: Some(&provenance) };
        let manner =
            Manner { rule, resampling: Resampling { replicates: 99, seed: number }, ..Manner::default() };
        let found = answer(&released, &Estimand::parse("share(smoke = yes)").unwrap(), &manner).unwrap();
        let smokers = &found.quantities[0];
        let warned = !found.warnings.is_empty() || smokers.remark.is_some();
        (smokers.interval.is_some_and(|interval| interval.covers(TRUTH)), warned)
    }
}

/// Town number t has a share in proportion to 1/(t + 3); smoking does not depend on it.
fn people(levels: usize, number: u64) -> Table {
    let towns: Vec<String> = (0..levels).map(|town| format!("t{town:02}")).collect();
    let quoted: Vec<String> = towns.iter().map(|town| format!("\"{town}\"")).collect();
    let schema = format!(
        "[table]\ndeclared = true\nreason = \"invented\"\n\
         [variables.smoke]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
         [variables.town]\nkind = \"categorical\"\nlevels = [{}]\n",
        quoted.join(", ")
    );
    let weights: Vec<f64> = (0..levels).map(|town| 1.0 / (town as f64 + 3.0)).collect();
    let total: f64 = weights.iter().sum();
    let mut rng = Seed::new(77).stream(number);
    let mut text = String::from("smoke,town\n");
    for _ in 0..PEOPLE {
        let smoke = if rng.random_bool(TRUTH) { "yes" } else { "no" };
        let mut left = rng.random::<f64>() * total;
        let town = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        text += &format!("{smoke},{}\n", towns[town.unwrap_or(levels - 1)]);
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}
