//! A tournament of generators on any table: the utility score and the risk of the Synthetic Data Challenge, and its four ways to weigh them.
//!
//! Utility is the [overall score](measures::utility::taub) with all one-way and two-way tables, all numbers and the models that are given; risk is the
//! mean TCAP over sets of keys and targets (Taub et al. 2020).

use measures::risk::attribute::{AttributeStatistic, attribute_disclosures};
use measures::risk::risk_utility::RiskUtility;
use measures::utility::taub::{TaubScore, taub_score};
use measures::{Comparison, Settings};
use serde::Serialize;
use synthesis::{Recipe, generate};
use table::Table;

use crate::papers::ReproduceError;

/// A generator in the tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// What it is called.
    pub name: String,
    /// How it is made.
    pub recipe: Recipe,
}

/// What an entrant reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The entrant.
    pub name: String,
    /// Its runs; none if it could not be run.
    pub runs: Vec<Score>,
    /// Why it could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// The scores of one synthetic table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The parts of the utility score, in the order of [`TaubScore::PARTS`]; nothing for a part that the table does not have.
    pub parts: [Option<f64>; 6],
    /// Their mean.
    pub utility: f64,
    /// The mean TCAP.
    pub risk: f64,
    /// Utility less risk.
    pub difference: f64,
    /// The smaller of utility and 1 − risk.
    pub minimum: f64,
    /// Utility times 1 − risk.
    pub product: f64,
    /// The root of the product.
    pub geometric_mean: f64,
}

impl Score {
    /// The scores of a table with this utility and risk.
    pub fn of(parts: &TaubScore, risk: f64) -> Option<Self> {
        let place = RiskUtility { utility: parts.overall()?, risk };
        Some(Self {
            parts: parts.parts(),
            utility: place.utility,
            risk,
            difference: place.difference(),
            minimum: place.minimum(),
            product: place.product(),
            geometric_mean: place.geometric_mean(),
        })
    }
}

impl Standing {
    /// The mean of a score over the runs; `None` without runs.
    pub fn mean(&self, of: impl Fn(&Score) -> f64) -> Option<f64> {
        let sum: f64 = self.runs.iter().map(of).sum();
        (!self.runs.is_empty()).then(|| sum / self.runs.len() as f64)
    }
}

/// Recipes that make sense on any table.
pub fn generic_entrants() -> Vec<Entrant> {
    let recipes: [(&str, &str, &[&str]); 6] = [
        ("cart", "sequential", &[]),
        ("sample", "sequential", &["method=sample"]),
        ("graph", "graph", &[]),
        ("ipf", "ipf", &[]),
        ("catall", "catall", &[]),
        ("saturated", "saturated", &["sigma=0.5"]),
    ];
    let entrant = |(name, method, settings): (&str, &str, &[&str])| {
        let mut recipe = Recipe::new(method);
        settings.iter().for_each(|setting| recipe.set(setting).expect("it is written as name=value"));
        Entrant { name: name.to_owned(), recipe }
    };
    recipes.map(entrant).to_vec()
}

/// Runs every entrant `runs` times. One that refuses the table stands without runs, with its reason. `settings` has the keys, the targets and the models.
pub fn tournament(
    original: &Table,
    entrants: &[Entrant],
    settings: &Settings,
    runs: u32,
    seed: u64,
    progress: &dyn Fn(&str),
) -> Result<Vec<Standing>, ReproduceError> {
    let mut standings = Vec::with_capacity(entrants.len());
    for Entrant { name, recipe } in entrants {
        let mut standing = Standing { name: name.clone(), runs: Vec::new(), because: None };
        for run in 0..runs {
            progress(&format!("{name}, run {} of {runs}", run + 1));
            let recipe = Recipe { seed: Some(seed + u64::from(run)), ..recipe.clone() };
            let made = match generate(original, &recipe) {
                Ok(made) => made,
                Err(because) => {
                    standing.because = Some(because.to_string());
                    break;
                }
            };
            let comparison = Comparison { original, synthetic: &made.tables[0], holdout: None };
            standing
                .runs
                .extend(Score::of(&taub_score(&comparison, settings)?, risk(&comparison, settings)?));
        }
        standings.push(standing);
    }
    let order = |one: &Standing| one.mean(|score| score.geometric_mean).unwrap_or(-1.0);
    standings.sort_by(|one, other| order(other).total_cmp(&order(one)));
    Ok(standings)
}

/// The mean TCAP over keys and targets, zero where no synthetic record leaves no doubt.
fn risk(comparison: &Comparison<'_>, settings: &Settings) -> Result<f64, ReproduceError> {
    let found = attribute_disclosures(comparison, &settings.keys, &settings.targets, &settings.disclosure)?;
    let sum: f64 = found.iter().map(|one| one.value(AttributeStatistic::TcapTaub).unwrap_or(0.0)).sum();
    Ok(if found.is_empty() { 0.0 } else { sum / found.len() as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entrant_is_a_method_that_exists() {
        let table =
            table::read::read_csv_text("a,b\nx,1\ny,2\nx,1\ny,1\nx,2\ny,2\nx,1\n", &Default::default())
                .unwrap();
        for Entrant { name, recipe } in generic_entrants() {
            assert!(generate(&table, &Recipe { seed: Some(1), ..recipe }).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_entrant_that_refuses_stands_last_with_its_reason() {
        let table =
            table::read::read_csv_text("a,b\nx,1\ny,2\nx,1\ny,1\nx,2\ny,2\nx,1\n", &Default::default())
                .unwrap();
        let mut entrants = vec![Entrant { name: "nobody".into(), recipe: Recipe::new("nobody") }];
        entrants.extend(generic_entrants().into_iter().take(1));
        let settings = Settings { keys: vec![vec!["a".into()]], ..Settings::default() };
        let found = tournament(&table, &entrants, &settings, 2, 1, &|_| ()).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].runs.len()), ("cart", 2));
        assert!(found[1].runs.is_empty() && found[1].because.as_ref().unwrap().contains("nobody"));
    }
}
