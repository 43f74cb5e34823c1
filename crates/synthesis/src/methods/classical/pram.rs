//! `pram`: the post-randomisation method, invariant (Gouweleeuw, Kooiman, Willenborg & de Wolf 1998).
//!
//! Each level is kept with probability 1 − c and else drawn anew from the variable's own distribution π: the transition matrix P = (1 − c) I + c 1πᵀ has
//! πP = π, so that one-way tables are kept on average without a correction. A variable nested within another is drawn from its distribution within the
//! parent's new level, and is drawn anew wherever the parent has changed. Where rules of the schema forbid some changes, the tables of the variables that they
//! name are not kept.

use rand::RngExt;
use serde::Deserialize;
use std::collections::HashMap;
use table::schema::Schema;

use super::records::{
    self, Names, Protection, Records, SMOOTHING, Smoothing, check_share, has_levels, named, one_of,
};
use crate::card::{MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader};
use crate::{Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "pram",
    summary: "draws some levels of each variable anew from its own distribution (post-randomisation; classical, not synthetic)",
    use_when: "a frontier is to show what perturbing single values keeps",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "variables",
            meaning: "the variables whose levels are drawn anew; those nested within them follow",
            default: Usual::Words("all that have levels"),
        },
        OptionCard {
            name: "change",
            meaning: "the probability that a level is drawn anew",
            default: Usual::Value("0.2"),
        },
        SMOOTHING,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[Trial {
        place: 31,
        name: "pram-0.2",
        label: "post-randomisation, a fifth of the levels",
        options: &["change=0.2"],
        m: 1,
        variables: 0,
        suits: Suits::Levels,
    }],
    memory: "the data four times",
    citation: "Gouweleeuw, Kooiman, Willenborg & de Wolf (1998), Post randomisation for statistical disclosure control: theory and implementation",
};

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Pram {
    variables: Option<Names>,
    change: f64,
    smoothing: Smoothing,
}

impl Default for Pram {
    fn default() -> Self {
        Self { variables: None, change: 0.2, smoothing: Smoothing::Auto }
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

fn settings(options: &toml::Table) -> Result<Pram, SynthesisError> {
    let pram: Pram = registry::options(options, &CARD)?;
    check_share("change", pram.change)?;
    Ok(pram)
}

impl Pram {
    fn names(&self, schema: &Schema) -> Result<Vec<String>, SynthesisError> {
        let suits = (has_levels, "a variable with levels");
        named(schema, "variables", self.variables.as_ref(), has_levels, suits)
    }
}

impl Protection for Pram {
    fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    fn leaves_out(&self) -> &'static str {
        "every association with a variable whose levels were drawn anew is weakened; it"
    }

    fn check(&self, schema: &Schema) -> Result<(), SynthesisError> {
        if self.names(schema)?.is_empty() {
            return Err(SynthesisError::option("variables", "no variable has levels; take another method"));
        }
        Ok(())
    }

    fn protect(&self, records: &mut Records, seed: Seed) -> Result<(), SynthesisError> {
        let named = records.columns_of(&self.names(&records.schema())?);
        let original = records.clone();
        for column in records.parents_first() {
            let parent = records.parent(column);
            let mut donors: HashMap<Option<u64>, Vec<u32>> = HashMap::new();
            for row in 0..records.rows {
                let above = parent.map(|parent| original.columns[parent].key(row));
                donors.entry(above).or_default().push(row as u32);
            }
            let mut rng = seed.stream(column as u64);
            for row in 0..records.rows {
                let above = parent.map(|parent| records.columns[parent].key(row));
                let has_moved = above != parent.map(|parent| original.columns[parent].key(row));
                let is_drawn = rng.random::<f64>() < self.change && named.contains(&column);
                if !(is_drawn || has_moved) {
                    continue;
                }
                let Some(donor) = donors.get(&above).and_then(|rows| one_of(rows, &mut rng)) else {
                    continue;
                };
                records.columns[column].set(row, &original.columns[column], donor as usize);
            }
        }
        Ok(())
    }
}
