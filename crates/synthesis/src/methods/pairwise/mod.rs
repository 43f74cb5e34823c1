//! `pairwise`: single variables and the pairs of variables that matter most, for tables of any width.
//!
//! Every variable and some or all pairs are counted, under noise in a private run and exactly otherwise; noise is taken off by an empirical Bayes estimate, and records are drawn and *settled* until
//! their counts come close to all of these tables at once. No joint model is held, so that neither the number of variables nor the way in which pairs hang together has a limit.
//!
//! | file | one idea |
//! |---|---|
//! | `plan` | what a budget can measure |
//! | `known` | what is known of variables and pairs before anything is counted |
//! | `grouping` | levels merged until a table has no more cells than noise leaves room for |
//! | `posterior`, `one_ways`, `smooth`, `associations` | counts behind noise |
//! | `estimate` | questions, choices and answers |
//! | `rows` | records that come close to all tables |
//! | `places` | which levels of a group they have |
//! | `private`, `exact` | the method with a budget, and without |
//! | `state` | the model and its file |

mod associations;
mod estimate;
mod exact;
mod grouping;
mod known;
mod one_ways;
mod places;
mod plan;
mod posterior;
pub mod private;
pub(super) mod rows;
mod smooth;
mod state;
#[cfg(test)]
mod tests;

use privacy::Neighbours;
use serde::Deserialize;
use table::Domain;

pub(super) use self::known::possible_record;
pub use self::state::load;
use crate::card::{
    AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, PrivateTrial, Suits, Usual,
};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "pairwise",
    summary: "keeps single variables and pairs of variables of a table of any width; a private run measures the pairs that matter most under noise and takes the noise off by an empirical Bayes estimate",
    use_when: "a table has more variables than a model of all its margins can hold, with a budget or without",
    needs: Needs::Counts,
    options: &[
        OptionCard {
            name: "rows",
            meaning: "settled (records are moved until their counts come close to all tables at once; standard errors from one file are then not valid) or drawn (each record by itself, down a tree of measured pairs: further from the tables, but a plain sample)",
            default: Usual::Value("settled"),
        },
        OptionCard {
            name: "workload",
            meaning: "variables and pairs that matter more, such as \"age:income=3,sex=2\"; everything else counts 1",
            default: Usual::Words("everything alike"),
        },
    ],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[
            AuditCase {
                name: "the only record of its kind, among many kinds",
                canary: Canary::Kind { levels: 12, others: 480, neighbours: Neighbours::AddRemove },
                rows: Some(5_000),
                options: &[],
            },
            AuditCase {
                name: "the only record of its kind in two variables",
                canary: Canary::Pair { others: 480 },
                rows: Some(5_000),
                options: &[],
            },
            AuditCase {
                name: "the only unit of its kind, with three records",
                canary: Canary::Unit { levels: 12, others: 480, records: 3 },
                rows: Some(5_000),
                options: &[],
            },
        ],
        trial: Some(PrivateTrial { place: 3, label: "pairs chosen privately", suits: Suits::AnyTable }),
    }),
    mechanism: None,
    trials: &[],
    memory: "2 bytes a field of the records that are drawn, 20 bytes a cell of all tables together (at most 2^25 cells)",
    citation: "the choice and measurement of pairs after McKenna, Miklau and Sheldon (2021); estimates after Robbins (1956), Goodman (1979), Gavish and Donoho (2017); settling after Voas and Williamson (2000)",
};

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Pairwise {
    rows: Rows,
    workload: Option<String>,
}

/// A model of a private run whose records settle towards all tables of pairs of another model: single variables with their number of records, and pairs, level by level.
pub(super) fn settled(
    domain: &Domain,
    zeros: &StructuralZeros,
    one_ways: (f64, Vec<Vec<f64>>),
    pairs: Vec<([usize; 2], Vec<f64>)>,
    remarks: Vec<String>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    Ok(Box::new(state::PairwiseModel::of_tables(domain, zeros, one_ways, pairs, remarks)?))
}

/// How records are made of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rows {
    #[default]
    Settled,
    Drawn,
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let pairwise: Pairwise = registry::options(options, &CARD)?;
    Ok(Synthesizer::Counts(Box::new(pairwise)))
}

impl Pairwise {
    fn records_card(&self, private: bool) -> RecordsCard {
        let making = match (self.rows, private) {
            (Rows::Settled, private) => Making::Settled { private },
            (Rows::Drawn, true) => Making::NoisyModel { on_every_cell: false },
            (Rows::Drawn, false) => Making::PlainDraws,
        };
        RecordsCard {
            making,
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some(
                "the model knows single variables and the pairs that were measured; what these do not hold, such as interactions of more variables,"
                    .to_owned(),
            ),
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }
}
