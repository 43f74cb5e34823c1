//! The classes and moments in which records are compared with the data.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use table::column::Entry;
use table::domain::Partition;
use table::grouping::Grouping;
use table::{Column, Schema, Table, Variable};

use super::pool::{Coded, Pool};
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, ensure};

/// A level of fewer records than this has no class of its own.
const FEW: u64 = 10;

/// Levels with a class of their own at most; the others are put together.
const MOST_LEVELS: usize = 30;

/// A number with at most this many values has a class for each that [`FEW`] records have, as its tables are judged; neighbours of fewer records share one.
const VALUES: usize = 20;

/// … unless fewer classes than this are wanted.
const FEWEST_OF_VALUES: usize = 5;

/// A number with more different values than this has moments.
const DISTINCT: usize = 12;

/// Numbers further from the mean than this many standard deviations count as being there.
const FURTHEST: f64 = 3.0;

/// Special codes beyond this many share a class.
const MOST_CODES: usize = 150;

/// A number is cut at most so often: into as many classes as may be asked for, and around frequent values.
const MOST_CUTS: usize = 2 * MOST_LEVELS + 2;

/// How values of each modelled variable become classes, learned on the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coding {
    names: Vec<String>,
    variables: Vec<VariableClasses>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum VariableClasses {
    /// The class of each level, and of what is missing.
    Levels { of_code: Vec<u8>, classes: usize },
    /// Numbers up to the first cut, up to the second, …; then missing; then each special code.
    Numbers { cuts: Vec<f64>, codes: usize, moments: Option<Moments> },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Moments {
    mean: f64,
    deviation: f64,
}

/// The name under which the coding is stored.
const CODING: &str = "classes of variables";

impl Coding {
    /// Classes of the variables of these records; numbers are cut at their quantiles into this many.
    pub(super) fn learn(records: &Table, classes: usize) -> Self {
        let variables: Vec<(&Variable, &Column)> =
            records.schema().variables().iter().zip(records.columns()).collect();
        Self {
            names: variables.iter().map(|(variable, _)| variable.name.clone()).collect(),
            variables: variables
                .par_iter()
                .map(|(variable, column)| learn(variable, column, classes))
                .collect(),
        }
    }

    /// How many classes each variable has, and whether it has moments.
    pub(super) fn sizes(&self) -> Vec<(usize, bool)> {
        self.variables.iter().map(|of| (of.classes(), of.has_moments())).collect()
    }

    /// Records of these variables in their classes.
    pub(super) fn encode(&self, records: &Table) -> Pool {
        let columns = self.variables.par_iter().zip(records.columns()).map(|(of, column)| of.encode(column));
        Pool::new(records.rows(), self.sizes(), columns.collect())
    }

    /// Writes the coding.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(CODING, &(&self.names, &self.variables))
    }

    /// The coding of variables of this schema.
    pub(super) fn load(from: &mut StateReader<'_>, schema: &Arc<Schema>) -> Result<Self, SynthesisError> {
        let (names, variables): (Vec<String>, Vec<VariableClasses>) = from.settings(CODING)?;
        let modelled: Vec<&Variable> =
            schema.variables().iter().filter(|variable| variable.is_modelled()).collect();
        let are_names = names.len() == variables.len()
            && names.iter().map(String::as_str).eq(modelled.iter().map(|variable| variable.name.as_str()));
        ensure(are_names, "its classes are not of the schema's variables")?;
        let are_fine = variables.iter().zip(modelled).all(|(of, variable)| of.is_of(variable));
        ensure(are_fine, "the classes of a variable are not those of its schema")?;
        Ok(Self { names, variables })
    }
}

fn learn(variable: &Variable, column: &Column, classes: usize) -> VariableClasses {
    match (column, variable.kind.levels()) {
        (Column::Categorical(codes), Some(levels)) => {
            let counts = codes.frequencies(levels.len() + 1);
            let mut by_size: Vec<usize> = (0..counts.len()).collect();
            by_size.sort_by_key(|code| (std::cmp::Reverse(counts[*code]), *code));
            let own = by_size.iter().take(MOST_LEVELS).take_while(|code| counts[**code] >= FEW).count();
            let mut of_code = vec![own as u8; counts.len()];
            by_size[..own].iter().zip(0..).for_each(|(code, class)| of_code[*code] = class);
            let classes = own + usize::from(own < counts.len());
            VariableClasses::Levels { of_code, classes }
        }
        _ => {
            let number = |row: usize| match column.number(row) {
                Some(Entry::Value(number)) => Some(number),
                _ => None,
            };
            let mut sorted: Vec<f64> = (0..column.len()).filter_map(number).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let distinct = sorted.chunk_by(|left, right| left == right).count();
            let values = if classes < FEWEST_OF_VALUES { classes } else { classes.max(VALUES) };
            let cuts = if distinct <= values {
                cuts_between_values(&sorted)
            } else {
                cuts_at_quantiles(&sorted, classes)
            };
            let moments = (distinct > DISTINCT).then(|| {
                let n = sorted.len() as f64;
                let mean = sorted.iter().sum::<f64>() / n;
                let squares: f64 = sorted.iter().map(|number| (number - mean).powi(2)).sum();
                Moments { mean, deviation: (squares / n).sqrt() }
            });
            let moments = moments.filter(|of| of.mean.is_finite() && of.deviation.is_normal());
            VariableClasses::Numbers { cuts, codes: variable.codes.len().min(MOST_CODES), moments }
        }
    }
}

/// Where sorted numbers of few values are cut: behind each value, but values of fewer than [`FEW`] records go with the next, at the end with those before.
fn cuts_between_values(sorted: &[f64]) -> Vec<f64> {
    let (mut cuts, mut of_class, mut left) = (Vec::new(), 0, sorted.len());
    for equal in sorted.chunk_by(|left, right| left == right) {
        of_class += equal.len();
        left -= equal.len();
        if of_class.min(left) >= FEW as usize {
            cuts.push(equal[0]);
            of_class = 0;
        }
    }
    cuts
}

/// Where sorted numbers are cut into about this many classes of as many records, frequent values apart, as in tables that are [grouped](Grouping).
fn cuts_at_quantiles(sorted: &[f64], classes: usize) -> Vec<f64> {
    let Partition::Intervals { limits, .. } = Grouping::quantiles(classes).partition(sorted.to_vec()) else {
        return cuts_between_values(sorted);
    };
    let mut cuts = Vec::with_capacity(2 * limits.len());
    for pair in limits.windows(2) {
        // A class begins with its limit; one whose limit comes twice holds nothing else.
        let below = sorted.partition_point(|number| *number < pair[0]);
        cuts.extend(below.checked_sub(1).map(|last| sorted[last]));
        cuts.extend((pair[0] == pair[1]).then_some(pair[0]));
    }
    cuts.sort_unstable_by(f64::total_cmp);
    cuts.dedup();
    cuts.retain(|cut| Some(cut) != sorted.last());
    cuts
}

impl VariableClasses {
    fn classes(&self) -> usize {
        match self {
            Self::Levels { classes, .. } => *classes,
            Self::Numbers { cuts, codes, .. } => cuts.len() + 2 + codes,
        }
    }

    fn has_moments(&self) -> bool {
        matches!(self, Self::Numbers { moments: Some(_), .. })
    }

    /// Whether records of this variable can be coded by it.
    fn is_of(&self, variable: &Variable) -> bool {
        match (self, variable.kind.levels()) {
            (Self::Levels { of_code, classes }, Some(levels)) => {
                of_code.len() == levels.len() + 1
                    && *classes <= MOST_LEVELS + 1
                    && of_code.iter().all(|class| usize::from(*class) < *classes)
            }
            (Self::Numbers { cuts, codes, moments }, None) => {
                cuts.len() <= MOST_CUTS
                    && cuts.is_sorted_by(|left, right| left < right)
                    && *codes == variable.codes.len().min(MOST_CODES)
                    && moments.is_none_or(|of| of.mean.is_finite() && of.deviation.is_normal())
            }
            _ => false,
        }
    }

    fn encode(&self, column: &Column) -> Coded {
        match (self, column) {
            (Self::Levels { of_code, .. }, Column::Categorical(codes)) => {
                let classes = codes.iter().map(|code| of_code[code as usize]).collect();
                Coded { classes, moments: None }
            }
            (Self::Levels { .. }, _) => Coded { classes: vec![0; column.len()], moments: None },
            (Self::Numbers { cuts, codes, moments }, _) => {
                let missing = cuts.len() + 1;
                let rows = column.len();
                let mut coded = Coded {
                    classes: Vec::with_capacity(rows),
                    moments: moments.map(|_| Vec::with_capacity(rows)),
                };
                for row in 0..rows {
                    let (class, z) = match column.number(row) {
                        Some(Entry::Value(number)) => {
                            let z = moments.map_or(0.0, |of| (number - of.mean) / of.deviation);
                            (cuts.iter().filter(|cut| number > **cut).count(), z.clamp(-FURTHEST, FURTHEST))
                        }
                        Some(Entry::Code(code)) => (missing + 1 + code.min(codes - 1), 0.0),
                        _ => (missing, 0.0),
                    };
                    coded.classes.push(class as u8);
                    coded.moments.iter_mut().for_each(|moments| moments.push(z as f32));
                }
                coded
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn numbers_are_cut_at_quantiles_and_rare_levels_put_together() {
        let mut text = "sex,age,rare\n".to_owned();
        for row in 0..400 {
            let age = if row % 40 == 39 { String::new() } else { (20 + row % 50).to_string() };
            let rare = if row < 3 {
                "c"
            } else if row % 2 == 0 {
                "a"
            } else {
                "b"
            };
            text.push_str(&format!("{},{age},{rare}\n", if row % 3 == 0 { "F" } else { "M" }));
        }
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let coding = Coding::learn(&table, 8);
        // Sex and `rare` have a rest, which nobody is in as far as sex goes; ages have eight classes, missing, and moments.
        assert_eq!(coding.sizes(), [(3, false), (9, true), (3, false)]);
        let pool = coding.encode(&table);
        let counts = pool.counts(1);
        assert_eq!(counts[8], 10.0);
        assert!(counts[..8].iter().all(|count| (35.0..=65.0).contains(count)), "{counts:?}");
        // The most frequent level comes first.
        assert_eq!(pool.counts(2), [200.0 - 1.0, 200.0 - 2.0, 3.0]);
    }

    fn numbers(of: &[(f64, usize)]) -> Vec<f64> {
        of.iter().flat_map(|(value, records)| std::iter::repeat_n(*value, *records)).collect()
    }

    #[test]
    fn few_values_have_a_class_each_but_rare_ones_share() {
        let sorted = numbers(&[(0.0, 500), (1.0, 40), (2.0, 4), (3.0, 3), (4.0, 12), (5.0, 6), (9.0, 2)]);
        // 2 and 3 go with 4, and the last with those before.
        assert_eq!(cuts_between_values(&sorted), [0.0, 1.0]);
        assert_eq!(cuts_between_values(&numbers(&[(1.0, 10), (2.0, 10)])), [1.0]);
        assert_eq!(cuts_between_values(&numbers(&[(1.0, 10), (2.0, 9)])), [] as [f64; 0]);
    }

    /// Every class of ten lies in one of the five in which tables are judged, so that a table that is met is met in these too.
    #[test]
    fn classes_are_those_in_which_tables_are_judged() {
        let mut sorted: Vec<f64> = (0..3_000).map(|row| f64::from(row * 37 % 211)).collect();
        // A frequent value, within and at both ends.
        for (frequent, at) in [(0.0, "first"), (100.0, "within"), (210.0, "last"), (-5.0, "none")] {
            let mut sorted_here = sorted.clone();
            sorted_here.extend(std::iter::repeat_n(frequent, if at == "none" { 0 } else { 2_500 }));
            sorted_here.sort_unstable_by(f64::total_cmp);
            let (fine, coarse) = (cuts_at_quantiles(&sorted_here, 10), cuts_at_quantiles(&sorted_here, 5));
            assert!(fine.is_sorted_by(|left, right| left < right), "{at}: {fine:?}");
            assert!(
                (3..=6).contains(&coarse.len()) && (5..=12).contains(&fine.len()),
                "{at}: {coarse:?} {fine:?}"
            );
            let class = |cuts: &[f64], number: f64| cuts.iter().filter(|cut| number > **cut).count();
            let alone = |cuts: &[f64]| {
                let own = class(cuts, frequent);
                sorted_here.iter().all(|number| class(cuts, *number) != own || *number == frequent)
            };
            assert!(at == "none" || (alone(&fine) && alone(&coarse)), "{at}");
            if at == "none" {
                let nested = coarse.iter().all(|cut| fine.contains(cut));
                assert!(nested, "{coarse:?} {fine:?}");
            }
        }
        sorted.clear();
        assert_eq!(cuts_at_quantiles(&sorted, 5), [] as [f64; 0]);
    }
}
