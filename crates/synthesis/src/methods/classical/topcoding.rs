//! `topcoding`: top and bottom coding of numbers (Hundepool et al. 2012, section 3.4).
//!
//! The largest numbers of a variable, at least three of them, are all replaced by their mean, so that the total is kept, or by the limit above which
//! they lie; so are the smallest. Everything else stays as it is.

use serde::Deserialize;
use table::schema::Schema;

use super::records::{self, Names, Protection, Records, SMOOTHING, Smoothing, check_share, is_number, named};
use crate::card::{MethodCard, Needs, OptionCard, Usual};
use crate::near;
use crate::randomness::Seed;
use crate::rare::FEWEST;
use crate::stored::{StateContext, StateReader};
use crate::{Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "topcoding",
    summary: "replaces the largest and smallest numbers of each variable by their mean (classical; not synthetic)",
    use_when: "a frontier is to show what hiding extremes alone does; it protects nothing else",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "variables",
            meaning: "the numbers that are coded",
            default: Usual::Words("all numbers"),
        },
        OptionCard {
            name: "top",
            meaning: "the share of numbers that are coded at the top",
            default: Usual::Value("0.01"),
        },
        OptionCard {
            name: "bottom",
            meaning: "the share of numbers that are coded at the bottom",
            default: Usual::Value("0.01"),
        },
        OptionCard {
            name: "fill",
            meaning: "what replaces them: their `mean`, or the `limit` beyond which they lie",
            default: Usual::Value("mean"),
        },
        SMOOTHING,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "the data four times",
    citation: "Hundepool et al. (2012), Statistical Disclosure Control, 3.4",
};

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Topcoding {
    variables: Option<Names>,
    top: f64,
    bottom: f64,
    fill: Fill,
    smoothing: Smoothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fill {
    Mean,
    Limit,
}

impl Default for Topcoding {
    fn default() -> Self {
        Self { variables: None, top: 0.01, bottom: 0.01, fill: Fill::Mean, smoothing: Smoothing::Auto }
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

fn settings(options: &toml::Table) -> Result<Topcoding, SynthesisError> {
    let topcoding: Topcoding = registry::options(options, &CARD)?;
    check_share("top", topcoding.top)?;
    check_share("bottom", topcoding.bottom)?;
    if topcoding.top + topcoding.bottom > 1.0 {
        return Err(SynthesisError::option("bottom", "with `top` it is more than all numbers"));
    }
    Ok(topcoding)
}

/// How the numbers beyond a limit are replaced.
#[derive(Clone, Copy)]
struct Coded {
    /// The first number that stays.
    limit: f64,
    /// The mean of those beyond it; the limit itself where they are fewer than three.
    mean: f64,
}

impl Coded {
    /// The coding of a share of these numbers, at least three, from the first one on; `None` where the first ones are all alike.
    fn of(ordered: &[f64], share: f64) -> Option<Self> {
        let wanted = (share * ordered.len() as f64).floor() as usize;
        let limit = *ordered.get(wanted.max(FEWEST)).filter(|_| wanted > 0)?;
        let beyond: Vec<f64> = ordered.iter().copied().take_while(|number| *number != limit).collect();
        match beyond.len() {
            0 => None,
            few if few < FEWEST => Some(Self { limit, mean: limit }),
            many => {
                let mean = beyond.iter().sum::<f64>() / many as f64;
                Some(Self { limit, mean: near::rounded_like(ordered.iter().copied(), mean) })
            }
        }
    }
}

impl Protection for Topcoding {
    fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    fn leaves_out(&self) -> &'static str {
        "the spread of the largest and smallest numbers"
    }

    fn check(&self, schema: &Schema) -> Result<(), SynthesisError> {
        named(schema, "variables", self.variables.as_ref(), is_number, (is_number, "a number"))?;
        Ok(())
    }

    fn protect(&self, records: &mut Records, _: Seed) -> Result<(), SynthesisError> {
        let schema = records.schema();
        let names = named(&schema, "variables", self.variables.as_ref(), is_number, (is_number, "a number"))?;
        for column in records.columns_of(&names) {
            let rows = records.rows;
            let column = &mut records.columns[column];
            let mut numbers: Vec<f64> = (0..rows).filter_map(|row| column.number(row)).collect();
            numbers.sort_unstable_by(f64::total_cmp);
            let bottom = Coded::of(&numbers, self.bottom);
            numbers.reverse();
            let top = Coded::of(&numbers, self.top);
            let fill = |coded: Coded| if self.fill == Fill::Mean { coded.mean } else { coded.limit };
            for row in 0..rows {
                let Some(number) = column.number(row) else { continue };
                if let Some(top) = top.filter(|top| number > top.limit) {
                    column.set_number(row, fill(top));
                } else if let Some(bottom) = bottom.filter(|bottom| number < bottom.limit) {
                    column.set_number(row, fill(bottom));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_give_way_to_their_mean_and_ties_stay() {
        let numbers: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let coded = Coded::of(&numbers, 0.05).unwrap();
        assert_eq!((coded.limit, coded.mean), (95.0, 98.0));
        let three = Coded::of(&numbers, 0.01).unwrap();
        assert_eq!((three.limit, three.mean), (97.0, 99.0), "never fewer than three");
        assert!(Coded::of(&numbers, 0.0).is_none());
        let zeros = vec![0.0; 50];
        assert!(Coded::of(&zeros, 0.1).is_none());
        let with_two_below: Vec<f64> = [-5.0, -1.0].into_iter().chain(zeros).collect();
        let coded = Coded::of(&with_two_below, 0.1).unwrap();
        assert_eq!((coded.limit, coded.mean), (0.0, 0.0));
    }
}
