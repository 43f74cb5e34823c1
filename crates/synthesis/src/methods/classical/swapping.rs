//! `swapping`: targeted record swapping within strata (Dalenius & Reiss 1982; Shlomo, Tudor & Groom 2010).
//!
//! Pairs of records exchange their values of a few variables, such as where they live. Records in the smallest cells of the keys and the exchanged variables
//! come first, then others at random, until the wanted share of records has been exchanged. The partner is drawn from the records that agree on `match` and
//! differ in what is exchanged; where there is none, from those that agree on all of `match` but the last, and so on. Tables of the exchanged variables alone,
//! of the others alone, and of `match` by either are kept exactly where every partner agreed.

use rand::seq::SliceRandom;
use serde::Deserialize;
use std::collections::HashMap;
use table::schema::Schema;

use super::records::{
    self, Names, Protection, Records, SMOOTHING, Smoothing, cells_of, check_share, has_levels, named, one_of,
};
use crate::card::{MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader};
use crate::{Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "swapping",
    summary: "exchanges a few variables, such as the place, between pairs of records, those at risk first (classical; not synthetic)",
    use_when: "a frontier is to show what census offices have long released",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "variables",
            meaning: "what is exchanged, together, such as \"district,ward\"",
            default: Usual::Words("the variable with the most levels, and what is nested with it"),
        },
        OptionCard {
            name: "match",
            meaning: "variables on which partners agree, the most important first",
            default: Usual::Words("none"),
        },
        OptionCard {
            name: "keys",
            meaning: "what an intruder knows: records in small cells of these and of what is exchanged come first",
            default: Usual::Words("all other variables with levels"),
        },
        OptionCard {
            name: "rate",
            meaning: "the share of records that are exchanged",
            default: Usual::Value("0.1"),
        },
        SMOOTHING,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[Trial {
        place: 30,
        name: "swapping-0.1",
        label: "record swapping, a tenth of the records",
        options: &["rate=0.1"],
        m: 1,
        variables: 0,
        suits: Suits::Levels,
    }],
    memory: "the data four times",
    citation: "Dalenius & Reiss (1982), Data-swapping: a technique for disclosure control; Shlomo, Tudor & Groom (2010), Data swapping for protecting census tables",
};

/// How many partners are tried before fewer variables must agree.
const TRIES: usize = 50;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Swapping {
    variables: Option<Names>,
    #[serde(rename = "match")]
    agree: Option<Names>,
    keys: Option<Names>,
    rate: f64,
    smoothing: Smoothing,
}

impl Default for Swapping {
    fn default() -> Self {
        Self { variables: None, agree: None, keys: None, rate: 0.1, smoothing: Smoothing::Auto }
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

fn settings(options: &toml::Table) -> Result<Swapping, SynthesisError> {
    let swapping: Swapping = registry::options(options, &CARD)?;
    check_share("rate", swapping.rate)?;
    Ok(swapping)
}

impl Swapping {
    /// What is exchanged.
    fn exchanged(&self, schema: &Schema) -> Result<Vec<String>, SynthesisError> {
        if self.variables.is_some() {
            return named(schema, "variables", self.variables.as_ref(), |_| false, (|_| true, ""));
        }
        let with_levels =
            schema.variables().iter().filter(|variable| variable.is_modelled() && has_levels(variable));
        let levels = |variable: &&table::Variable| variable.kind.levels().map_or(0, |levels| levels.len());
        // The first of those with the most levels.
        let Some(largest) = with_levels.rev().max_by_key(levels) else {
            let message = "no variable has levels; say what is exchanged";
            return Err(SynthesisError::option("variables", message));
        };
        let mut family = vec![largest.name.clone()];
        loop {
            let is_kin = |variable: &&table::Variable| {
                let above = variable.within.as_ref().is_some_and(|parent| family.contains(parent));
                let below = schema.variables().iter().any(|child| {
                    family.contains(&child.name) && child.within.as_deref() == Some(variable.name.as_str())
                });
                !family.contains(&variable.name) && (above || below)
            };
            let kin: Vec<String> =
                schema.variables().iter().filter(is_kin).map(|variable| variable.name.clone()).collect();
            if kin.is_empty() {
                return Ok(family);
            }
            family.extend(kin);
        }
    }
}

impl Protection for Swapping {
    fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    fn leaves_out(&self) -> &'static str {
        "the association of exchanged variables with the others is weakened; it"
    }

    fn check(&self, schema: &Schema) -> Result<(), SynthesisError> {
        let exchanged = self.exchanged(schema)?;
        for (option, names) in [("match", &self.agree), ("keys", &self.keys)] {
            let names = named(schema, option, names.as_ref(), |_| false, (|_| true, ""))?;
            if let Some(name) = names.iter().find(|name| exchanged.contains(name)) {
                return Err(SynthesisError::option(
                    option,
                    format!("`{name}` is itself exchanged; leave it out"),
                ));
            }
        }
        Ok(())
    }

    fn protect(&self, records: &mut Records, seed: Seed) -> Result<(), SynthesisError> {
        let schema = records.schema();
        let exchanged = self.exchanged(&schema)?;
        let is_other =
            |variable: &table::Variable| has_levels(variable) && !exchanged.contains(&variable.name);
        let keys = named(&schema, "keys", self.keys.as_ref(), is_other, (|_| true, ""))?;
        let agree = named(&schema, "match", self.agree.as_ref(), |_| false, (|_| true, ""))?;
        let (exchanged, agree) = (records.columns_of(&exchanged), records.columns_of(&agree));
        let at_risk: Vec<usize> =
            records.columns_of(&keys).into_iter().chain(exchanged.iter().copied()).collect();
        let mut rng = seed.stream(0);
        let mut order: Vec<u32> = (0..records.rows as u32).collect();
        order.shuffle(&mut rng);
        let mut size = vec![0; records.rows];
        for cell in cells_of(records, &at_risk, 0..records.rows) {
            cell.iter().for_each(|row| size[*row as usize] = cell.len());
        }
        order.sort_by_key(|row| size[*row as usize]);
        let strata: Vec<HashMap<Vec<u64>, Vec<u32>>> = (0..=agree.len())
            .rev()
            .map(|fields| {
                let cells = cells_of(records, &agree[..fields], 0..records.rows);
                cells
                    .into_iter()
                    .map(|rows| (records.cell(&agree[..fields], rows[0] as usize), rows))
                    .collect()
            })
            .collect();
        let wanted = (self.rate * records.rows as f64 / 2.0).round() as usize;
        let mut is_done = vec![false; records.rows];
        let mut pairs = 0;
        for row in order.into_iter().map(|row| row as usize) {
            if pairs == wanted {
                break;
            }
            if is_done[row] {
                continue;
            }
            let own = records.cell(&exchanged, row);
            let partner = strata.iter().zip((0..=agree.len()).rev()).find_map(|(stratum, fields)| {
                let rows = stratum.get(&records.cell(&agree[..fields], row))?;
                (0..TRIES)
                    .filter_map(|_| one_of(rows, &mut rng))
                    .map(|other| other as usize)
                    .find(|other| !is_done[*other] && records.cell(&exchanged, *other) != own)
            });
            let Some(partner) = partner else { continue };
            (is_done[row], is_done[partner]) = (true, true);
            pairs += 1;
            for column in &exchanged {
                records.columns[*column].exchange(row, partner);
            }
        }
        Ok(())
    }
}
