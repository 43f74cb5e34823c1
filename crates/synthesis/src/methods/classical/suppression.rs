//! `suppression`: local suppression to k-anonymity (Sweeney 2002; Hundepool et al. 2012, section 3.4).
//!
//! A record that shares its keys with fewer than k − 1 others gives some of them up, the fewest that let k records agree on what is left of them; the last key goes first.
//! Where not even the last k records agree on anything, they give up all, and records of large cells join them. A missing value counts as a value of
//! its own, so that every combination of keys in the file, gaps included, belongs to k records or to none. What is nested within a key goes with it.

use serde::Deserialize;
use std::collections::BTreeMap;
use table::Variable;
use table::schema::Schema;

use super::records::{self, Names, Protection, Records, SMOOTHING, Smoothing, cells_of, has_levels, named};
use crate::card::{MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader};
use crate::{Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "suppression",
    summary: "takes values of keys out until every combination belongs to k records (k-anonymity; classical, not synthetic)",
    use_when: "a frontier is to show what k-anonymity keeps and what it does not hide",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "keys",
            meaning: "what an intruder knows, the most important first; at most 12 variables",
            default: Usual::Words("the first eight variables with levels"),
        },
        OptionCard {
            name: "k",
            meaning: "the records that share each combination of keys at least",
            default: Usual::Value("3"),
        },
        SMOOTHING,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[Trial {
        place: 33,
        name: "suppression-3",
        label: "local suppression to 3-anonymity",
        options: &["k=3"],
        m: 1,
        variables: 0,
        suits: Suits::Levels,
    }],
    memory: "the data four times, and 60 bytes a record",
    citation: "Sweeney (2002), k-anonymity: a model for protecting privacy; Hundepool et al. (2012), Statistical Disclosure Control, 3.4",
};

/// Of so many keys all subsets are tried.
const MOST_KEYS: usize = 12;

/// As many keys are taken where none are named.
const USUAL_KEYS: usize = 8;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Suppression {
    keys: Option<Names>,
    k: usize,
    smoothing: Smoothing,
}

impl Default for Suppression {
    fn default() -> Self {
        Self { keys: None, k: 3, smoothing: Smoothing::Auto }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(records::synthesizer(settings(options)?))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<table::Table>>, SynthesisError> {
    records::load(from, context, settings(context.options)?)
}

fn settings(options: &toml::Table) -> Result<Suppression, SynthesisError> {
    let settings: Suppression = registry::options(options, &CARD)?;
    if settings.k < 2 {
        return Err(SynthesisError::option("k", "at least two records must be alike"));
    }
    Ok(settings)
}

impl Suppression {
    fn names(&self, schema: &Schema) -> Result<Vec<String>, SynthesisError> {
        let mut names = named(schema, "keys", self.keys.as_ref(), has_levels, (|_| true, ""))?;
        if self.keys.is_none() {
            names.truncate(USUAL_KEYS);
        }
        match names.len() {
            0 => Err(SynthesisError::option("keys", "no variable has levels; name the keys")),
            many if many > MOST_KEYS => {
                Err(SynthesisError::option("keys", format!("name at most {MOST_KEYS} variables")))
            }
            _ => Ok(names),
        }
    }
}

/// These variables and all that are nested within them.
fn with_children(schema: &Schema, mut names: Vec<String>) -> Vec<String> {
    loop {
        let is_child = |variable: &&Variable| {
            variable.is_modelled()
                && !names.contains(&variable.name)
                && variable.within.as_ref().is_some_and(|parent| names.contains(parent))
        };
        let children: Vec<String> =
            schema.variables().iter().filter(is_child).map(|variable| variable.name.clone()).collect();
        if children.is_empty() {
            return names;
        }
        names.extend(children);
    }
}

impl Protection for Suppression {
    fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    fn leaves_out(&self) -> &'static str {
        "rare combinations of keys are missing; what is estimated from the others"
    }

    fn check(&self, schema: &Schema) -> Result<(), SynthesisError> {
        self.names(schema).map(|_| ())
    }

    fn suppressed(&self, schema: &Schema) -> Vec<String> {
        self.names(schema).map_or_else(|_| Vec::new(), |names| with_children(schema, names))
    }

    fn can_be_undone(&self) -> bool {
        false
    }

    fn protect(&self, records: &mut Records, _: Seed) -> Result<(), SynthesisError> {
        if records.rows < self.k {
            let message = format!("there are fewer than {} records", self.k);
            return Err(SynthesisError::option("k", message));
        }
        let schema = records.schema();
        let names = self.names(&schema)?;
        let variables: Vec<Variable> = records.variables().cloned().collect();
        for (row, given_up) in given_up(records, &records.columns_of(&names), self.k) {
            let lost = names.iter().enumerate().filter(|(place, _)| given_up >> place & 1 == 1);
            let lost = with_children(&schema, lost.map(|(_, name)| name.clone()).collect());
            for column in records.columns_of(&lost) {
                records.columns[column].set_missing(row as usize, &variables[column]);
            }
        }
        Ok(())
    }
}

/// Which keys each record gives up, as bits, for those that give up any.
fn given_up(records: &Records, keys: &[usize], k: usize) -> BTreeMap<u32, u32> {
    let cells = cells_of(records, keys, 0..records.rows);
    let (large, small): (Vec<_>, Vec<_>) = cells.into_iter().partition(|rows| rows.len() >= k);
    let mut open: Vec<u32> = small.concat();
    let mut given_up = BTreeMap::new();
    let mut subsets: Vec<u32> = (1..1_u32 << keys.len()).collect();
    // Few before many, and late keys before early ones.
    subsets.sort_by_key(|subset| (subset.count_ones(), std::cmp::Reverse(*subset)));
    for subset in subsets {
        let kept: Vec<usize> = keys
            .iter()
            .enumerate()
            .filter(|(place, _)| subset >> place & 1 == 0)
            .map(|(_, key)| *key)
            .collect();
        let alike = cells_of(records, &kept, open.iter().map(|row| *row as usize));
        for rows in alike.into_iter().filter(|rows| rows.len() >= k) {
            given_up.extend(rows.into_iter().map(|row| (row, subset)));
        }
        open.retain(|row| !given_up.contains_key(row));
    }
    if open.is_empty() {
        return given_up;
    }
    let everything = (1_u32 << keys.len()) - 1;
    let lacking = k - open.len();
    let spare: Vec<u32> = large.iter().flat_map(|rows| rows[k..].iter().copied()).take(lacking).collect();
    let joining = match large.first() {
        _ if spare.len() == lacking => spare,
        Some(cell) => cell.clone(),
        None => (0..records.rows as u32).collect(),
    };
    given_up.extend(open.into_iter().chain(joining).map(|row| (row, everything)));
    given_up
}
