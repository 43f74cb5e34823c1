//! Coverage of nominal 95 % intervals from private releases: `cargo run --release -p inference --example private_coverage [REPLICATIONS]`.
//!
//! 600 people are drawn from a known population, released with ε and analysed: by the bootstrap or the posterior, and by T_p, which does not know of the noise.

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

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.smoke]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
    [variables.edu]\nkind = \"categorical\"\nlevels = [\"low\", \"mid\", \"high\"]\n";

const PEOPLE: usize = 600;
/// The share of smokers among women.
const TRUTH: f64 = 0.3;

fn main() {
    let replications: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(400);
    println!("{replications} replications, share of smokers among women");
    println!("{:<12} {:>8} {:>3} {:>12} {:>10}", "method", "epsilon", "m", "valid rule", "T_p");
    for (method, epsilon, m) in [
        ("catall", 0.5, 3),
        ("catall", 2.0, 3),
        ("ipf", 0.5, 3),
        ("ipf", 2.0, 3),
        ("dirichlet", 50.0, 2),
        ("dirichlet", 500.0, 2),
    ] {
        let covers = |rule: Option<Rule>| {
            let count = (0..replications)
                .into_par_iter()
                .filter(|number| covers(method, epsilon, m, rule, *number))
                .count();
            100.0 * count as f64 / replications as f64
        };
        println!(
            "{method:<12} {epsilon:>8} {m:>3} {:>10.1} % {:>8.1} %",
            covers(None),
            covers(Some(Rule::Tp))
        );
    }
}

fn covers(method: &str, epsilon: f64, m: u32, rule: Option<Rule>, number: u64) -> bool {
    let text =
        format!("method = \"{method}\"\nm = {m}\n[privacy]\nepsilon = {epsilon:?}\nrecords = {PEOPLE}\n");
    let recipe = Recipe::parse(&text).unwrap();
    let fit = private::fit(&people(number), &recipe, NoiseSource::insecure_test_seed(number)).unwrap();
    let files: Vec<Table> = (0..m).map(|number| fit.fitted.table(number).unwrap()).collect();
    let provenance = Provenance { recipe, original_rows: PEOPLE as u64, ledger: Some(fit.ledger) };
    let released =
        Released { files: &files, original_rows: Some(PEOPLE as u64), provenance: Some(&provenance) };
    let manner =
        Manner { rule, resampling: Resampling { replicates: 199, seed: number }, ..Manner::default() };
    let found = answer(&released, &Estimand::parse("share(smoke = yes) by sex").unwrap(), &manner).unwrap();
    found.quantities[0].interval.is_some_and(|interval| interval.covers(TRUTH))
}

fn people(number: u64) -> Table {
    let mut rng = Seed::new(77).stream(number);
    let mut text = String::from("sex,smoke,edu\n");
    for _ in 0..PEOPLE {
        let woman = rng.random_bool(0.5);
        let smokes = rng.random_bool(if woman { TRUTH } else { 0.5 });
        let edu = ["low", "mid", "high"][rng.random_range(0..3)];
        text += &format!("{},{},{edu}\n", if woman { "F" } else { "M" }, if smokes { "yes" } else { "no" });
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}
