//! A tournament of generators on any table: the utility score and the risk of the Synthetic Data Challenge, and its four ways to weigh them.
//!
//! Utility is the [overall score](measures::utility::taub) with all one-way and two-way tables, all numbers and the models that are given; risk is the
//! mean TCAP over sets of keys and targets (Taub et al. 2020). What cannot be scored on the table at hand is refused before anything runs.

pub mod private;
mod questions;
pub mod text;

use measures::risk::attribute::{AttributeStatistic, attribute_disclosures};
use measures::risk::risk_utility::RiskUtility;
use measures::utility::taub::{TaubScore, taub_score};
use measures::{Comparison, Settings};
use serde::Serialize;
use synthesis::{Recipe, generate};
use table::Table;

/// Why a tournament cannot be held.
#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    /// An option that makes no sense on this table.
    #[error("option `{option}`: {message}")]
    Option {
        /// The option.
        option: &'static str,
        /// What stands in the way, and the way out.
        message: String,
    },
    /// Something about the data.
    #[error(transparent)]
    Table(#[from] table::TableError),
    /// A generator.
    #[error(transparent)]
    Synthesis(#[from] synthesis::SynthesisError),
    /// A measure.
    #[error(transparent)]
    Measure(#[from] measures::MeasureError),
}

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
    /// Its runs; none if it could not be run or scored.
    pub runs: Vec<Score>,
    /// Why it could not be run or scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What is to be said of its recipe and its scores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// The scores of one synthetic table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The parts of the utility score, in the order of [`TaubScore::PARTS`]; nothing for a part that the table does not have.
    pub parts: [Option<f64>; 6],
    /// Their mean.
    pub utility: f64,
    /// The mean TCAP over the keys and targets for which it is defined.
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

/// What the holdout is called among the entrants.
const FRESH_SAMPLE: &str = "fresh sample";

/// Runs every entrant `runs` times, to be held against a holdout, if there is one: records of the same population that no entrant saw, as a release of a right
/// generator would be. One that refuses the table stands without runs, with its reason. `settings` has the keys, the targets and the models.
/// Questions that the table cannot answer and recipes that a tournament does not take are refused before anything runs.
pub fn tournament(
    (original, holdout): (&Table, Option<&Table>),
    entrants: &[Entrant],
    settings: &Settings,
    runs: u32,
    seed: u64,
    progress: &dyn Fn(&str),
) -> Result<Vec<Standing>, TournamentError> {
    questions::check(original, settings)?;
    check_entrants(entrants)?;
    let mut standings = Vec::with_capacity(entrants.len());
    for entrant in entrants {
        standings.push(standing(original, entrant, settings, runs, seed, progress)?);
    }
    if let Some(holdout) = holdout {
        let mut fresh =
            Standing { name: FRESH_SAMPLE.to_owned(), runs: Vec::new(), because: None, remarks: Vec::new() };
        let comparison = Comparison { original, synthetic: holdout, holdout: None };
        let mut undefined = Undefined::default();
        if let Some(risk) = risk(&comparison, settings, &mut undefined)? {
            fresh.runs.extend(Score::of(&taub_score(&comparison, settings)?, risk));
        }
        fresh.because = undefined.text().filter(|_| fresh.runs.is_empty());
        standings.push(fresh);
    }
    let order = |one: &Standing| one.mean(|score| score.geometric_mean).unwrap_or(-1.0);
    standings.sort_by(|one, other| order(other).total_cmp(&order(one)));
    Ok(standings)
}

/// Refuses private recipes, and entrants that the result could not tell apart.
fn check_entrants(entrants: &[Entrant]) -> Result<(), TournamentError> {
    let refuse = |message: String| Err(TournamentError::Option { option: "recipe", message });
    for (place, Entrant { name, recipe }) in entrants.iter().enumerate() {
        if recipe.privacy.is_some() {
            return refuse(format!(
                "`{name}` is private; a tournament takes recipes that are not private: leave out its privacy settings"
            ));
        }
        if entrants[..place].iter().any(|other| other.name == *name) {
            return refuse(format!(
                "two entrants are called `{name}`; rename the recipe's file, or leave out a generic entrant of that name with --only"
            ));
        }
    }
    Ok(())
}

/// Runs one entrant.
fn standing(
    original: &Table,
    Entrant { name, recipe }: &Entrant,
    settings: &Settings,
    runs: u32,
    seed: u64,
    progress: &dyn Fn(&str),
) -> Result<Standing, TournamentError> {
    let mut standing = Standing { name: name.clone(), runs: Vec::new(), because: None, remarks: Vec::new() };
    standing.remarks.extend(unused_settings(recipe));
    let mut undefined = Undefined::default();
    for run in 0..runs {
        progress(&format!("{name}, run {} of {runs}", run + 1));
        let recipe = Recipe { seed: Some(seed + u64::from(run)), m: 1, ..recipe.clone() };
        let made = match generate(original, &recipe) {
            Ok(made) => made,
            Err(because) => {
                standing.because = Some(because.to_string());
                break;
            }
        };
        let comparison = Comparison { original, synthetic: &made.tables[0], holdout: None };
        if let Some(risk) = risk(&comparison, settings, &mut undefined)? {
            standing.runs.extend(Score::of(&taub_score(&comparison, settings)?, risk));
        }
    }
    match undefined.text() {
        Some(text) if standing.runs.is_empty() && standing.because.is_none() => standing.because = Some(text),
        text => standing.remarks.extend(text),
    }
    Ok(standing)
}

/// What a tournament sets itself, if the recipe has it too.
fn unused_settings(recipe: &Recipe) -> Option<String> {
    let set = [("m", recipe.m != 1), ("seed", recipe.seed.is_some())];
    let set: Vec<String> =
        set.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("`{name}`")).collect();
    (!set.is_empty()).then(|| {
        format!(
            "not used of the recipe: {}; every run makes one data set, with a seed that follows from --seed",
            set.join(" and ")
        )
    })
}

/// Attacks of an entrant's runs whose TCAP is not defined.
#[derive(Default)]
struct Undefined {
    attacks: usize,
    undefined: usize,
    reason: &'static str,
}

impl Undefined {
    fn text(&self) -> Option<String> {
        let Self { attacks, undefined, reason } = self;
        (*undefined > 0).then(|| {
            format!("TCAP is not available for {undefined} of {attacks} attacks (keys, target, run), since {reason}; risk leaves them out")
        })
    }
}

/// The mean TCAP over keys and targets for which it is defined; nothing if it is for none.
fn risk(
    comparison: &Comparison<'_>,
    settings: &Settings,
    undefined: &mut Undefined,
) -> Result<Option<f64>, TournamentError> {
    let found = attribute_disclosures(comparison, &settings.keys, &settings.targets, &settings.disclosure)?;
    let mut defined = Vec::with_capacity(found.len());
    for one in &found {
        undefined.attacks += 1;
        match one.value(AttributeStatistic::TcapTaub) {
            Ok(value) => defined.push(value),
            Err(reason) => {
                undefined.undefined += 1;
                undefined.reason = reason;
            }
        }
    }
    Ok((!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64))
}

#[cfg(test)]
mod tests {
    use measures::utility::model::ModelRequest;

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
        let found = tournament((&table, None), &entrants, &settings, 2, 1, &|_| ()).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].runs.len()), ("cart", 2));
        assert!(found[1].runs.is_empty() && found[1].because.as_ref().unwrap().contains("nobody"));
    }

    fn refusal(text: &str, entrants: &[Entrant], settings: &Settings) -> String {
        let table = table::read::read_csv_text(text, &Default::default()).unwrap();
        let progress = |what: &str| panic!("nothing should run: {what}");
        tournament((&table, None), entrants, settings, 2, 1, &progress).unwrap_err().to_string()
    }

    fn keys(names: &[&str]) -> Settings {
        Settings { keys: vec![names.iter().map(|name| (*name).to_owned()).collect()], ..Settings::default() }
    }

    const SMALL: &str = "a,b\nx,1\ny,2\nx,1\ny,1\nx,2\ny,2\nx,1\n";

    #[test]
    fn questions_without_an_answer_are_refused_before_anything_runs() {
        let refused = |text, settings: &Settings| refusal(text, &generic_entrants(), settings);
        let nothing = refused(SMALL, &keys(&["a", "b"]));
        assert!(nothing.starts_with("option `keys`: ") && nothing.contains("no target"), "{nothing}");
        assert!(refused("a\nx\ny\n", &keys(&["a"])).contains("no target"));
        assert!(refused(SMALL, &keys(&["a", "a"])).starts_with("option `keys`: `a` is named twice"));
        let both = Settings { targets: vec!["a".into()], ..keys(&["a"]) };
        assert!(refused(SMALL, &both).starts_with("option `targets`: `a` is one of the keys"));
        let formula = models::Formula::parse("a ~ b").unwrap();
        let models = vec![ModelRequest { formula, family: models::ModelFamily::Gaussian }];
        let model = refused(SMALL, &Settings { models, ..keys(&["a"]) });
        assert!(model.starts_with("option `model`: `a ~ b`: the response `a` is not a number"), "{model}");
    }

    #[test]
    fn private_recipes_and_equal_names_are_refused() {
        let entrant = |recipe: Recipe| Entrant { name: "mine".into(), recipe };
        let private = Recipe { privacy: Some(Default::default()), ..Recipe::new("ipf") };
        let text = refusal(SMALL, &[entrant(private)], &keys(&["a"]));
        assert!(text.contains("takes recipes that are not private") && !text.contains("::"), "{text}");
        let twice = [entrant(Recipe::new("ipf")), entrant(Recipe::new("catall"))];
        assert!(refusal(SMALL, &twice, &keys(&["a"])).contains("two entrants are called `mine`"));
    }

    #[test]
    fn a_risk_that_is_not_defined_is_no_risk_of_zero() {
        // Every key goes with both values of b as often, so that no synthetic record leaves no doubt.
        let text = format!("a,b\n{}", "x,1\nx,2\ny,1\ny,2\n".repeat(50));
        let table = table::read::read_csv_text(&text, &Default::default()).unwrap();
        let mut recipe = Recipe::new("catall");
        (recipe.m, recipe.seed) = (5, Some(3));
        let entrants = [Entrant { name: "mine".into(), recipe }];
        let found = tournament((&table, None), &entrants, &keys(&["a"]), 2, 1, &|_| ()).unwrap();
        assert!(found[0].runs.is_empty());
        assert!(found[0].because.as_ref().unwrap().starts_with("TCAP is not available for 2 of 2 attacks"));
        assert!(
            found[0].remarks[0].starts_with("not used of the recipe: `m` and `seed`;"),
            "{:?}",
            found[0].remarks
        );
    }
}
