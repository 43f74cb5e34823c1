//! `arf`: an adversarial random forest whose leaves hold donors (Watson, Blesch, Kapar & Wright 2023).
//!
//! A forest learns to tell the records from synthetic ones, at first from the records with every column shuffled. What its leaves cannot tell apart is, within a
//! leaf, as if variables were independent. So a record is drawn by picking a tree, a leaf by its share of the records, and each variable
//! by itself from one of the records in that leaf:
//!
//! ```text
//! p(x) = 1/T Σ_t Σ_leaf (n_leaf / N) Π_j p(x_j | leaf)
//! ```
//!
//! Records drawn in this way are told from the original by a new forest, and so on, until records that its trees have not seen are told apart no better than by a
//! coin, or worse than before; the forest before is kept. There is no order of variables. Variables that are nested in each other, or of which one follows from the other, come from one donor, and
//! what the leaves leave out of two-way tables is put back by choosing among candidates (`tilt`).

mod forest;
mod model;

use serde::Deserialize;
use table::Table;

use self::forest::Growth;
use super::sequential::{SmoothingKind, identifier_remarks, refuse_names};
use super::whole;
use crate::card::{MethodCard, Needs, OptionCard, Usual};
use crate::randomness::Seed;
use crate::run::{Estimate, Part};
use crate::synthesizer::RecordSynthesizer;
use crate::tilt::{self, TiltSettings};
use crate::{Making, Model, RecordsCard, SynthesisError, Synthesizer, registry};

pub use model::load;

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "arf",
    summary: "draws each variable by itself within the leaves of a forest that cannot tell records from synthetic ones",
    use_when: "a second strong generator is wanted that knows no order of variables, to see which results depend on the first",
    needs: Needs::Records,
    options: &[
        OptionCard { name: "trees", meaning: "trees of the forest", default: Usual::Value("20") },
        OptionCard {
            name: "min_bucket",
            meaning: "records of the data that a leaf must hold; fewer are nearer to the data, and to copies",
            default: Usual::Value("5"),
        },
        OptionCard {
            name: "rounds",
            meaning: "forests that are grown at most, one against the other's records",
            default: Usual::Value("10"),
        },
        OptionCard {
            name: "smoothing",
            meaning: "numbers near those of donors: `auto` (near the numbers that one record alone has, where most are such, at the precision that they show), `density` (a Gaussian kernel), `spline` (of the quantile function) or `none`",
            default: Usual::Value("auto"),
        },
        OptionCard { default: Usual::Value("true"), ..tilt::TILT },
        tilt::CANDIDATES,
        tilt::TILT_CLASSES,
        tilt::NO_COPIES,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "the data three times, and 4 bytes a record and tree: the donors",
    citation: "Watson, Blesch, Kapar & Wright (2023), Adversarial random forests for density estimation and generative modeling, AISTATS",
};

/// The settings that are not about tilting.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Settings {
    trees: usize,
    min_bucket: u32,
    rounds: usize,
    smoothing: SmoothingKind,
}

impl Default for Settings {
    fn default() -> Self {
        Self { trees: 20, min_bucket: 5, rounds: 10, smoothing: SmoothingKind::Auto }
    }
}

struct Arf {
    settings: Settings,
    tilt: Option<TiltSettings>,
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let settings: Settings = registry::options(options, &CARD)?;
    let refuse = |name: &str, message: &str| Err(SynthesisError::option(name, message));
    if !(1..=1_000).contains(&settings.trees) {
        return refuse("trees", "it must be between 1 and 1,000");
    }
    if settings.min_bucket == 0 {
        return refuse("min_bucket", "a leaf needs at least one record");
    }
    if !(1..=100).contains(&settings.rounds) {
        return refuse("rounds", "it must be between 1 and 100");
    }
    let tilt = TiltSettings::parse(options, true, false)?;
    Ok(Synthesizer::Records(Box::new(Arf { settings, tilt })))
}

/// CPU seconds that a forest takes for a tree, a record, a predictor of a split and a level of its depth.
const TREE_SECONDS: f64 = 1e-8;

/// Rounds that are grown as a rule.
const USUAL_ROUNDS: f64 = 3.0;

impl RecordSynthesizer for Arf {
    fn records_card(&self) -> RecordsCard {
        let leaves_out = "within a leaf of its forest variables are drawn apart; what they have to do with each other there";
        RecordsCard { leaves_out: Some(leaves_out.to_owned()), ..RecordsCard::new(Making::PlainDraws) }
    }

    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        let growth = Growth {
            trees: self.settings.trees,
            min_bucket: self.settings.min_bucket,
            rounds: self.settings.rounds,
        };
        let remarks = if part.is_stratum { Vec::new() } else { identifier_remarks(records) };
        Ok(Box::new(model::fit(records, &growth, self.settings.smoothing, part, seed, remarks)?))
    }

    fn fit_is_random(&self, _: &Table) -> bool {
        true
    }

    fn remarks(&self, records: &Table) -> Vec<String> {
        identifier_remarks(records)
    }

    fn tilt(&self) -> Option<TiltSettings> {
        self.tilt.clone()
    }

    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError> {
        whole::refuse_no_records(records)?;
        refuse_names(records)?;
        let places = whole::modelled(records.schema())?;
        let (rows, trees) = (records.rows() as f64, self.settings.trees as f64);
        let predictors = (places.len() as f64).sqrt();
        let rounds = USUAL_ROUNDS.min(self.settings.rounds as f64);
        let seconds = rounds * trees * 2.0 * rows * predictors * (2.0 * rows).max(2.0).log2() * TREE_SECONDS;
        let threads = rayon::current_num_threads() as f64;
        let bytes = 3.0 * records.bytes() as f64 + 8.0 * rows * trees + threads.min(trees) * rows * 120.0;
        Ok(Estimate { seconds, bytes: bytes as u64 })
    }
}
