//! Singling out: a statement that is true of exactly one record.
//!
//! The intruder reads statements off the synthetic file. *Univariate* ones are about what occurs once there, `town = x` or `age = 97`, and about
//! its extremes, `age ≥ 97`. *Multivariate* ones take a synthetic record and [`CONDITIONS`] of its variables: a level, or a number and all beyond it on
//! its side of the median; they count if they are true of one synthetic record alone. A statement succeeds against a table if it is true of exactly
//! one of its records. That depends on the size of the table, so that original and holdout are taken of one size.
//!
//! The random guess is a statement of the same form with values drawn evenly from the range or the levels of the synthetic file: the attacked
//! records have no part in it.

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use crate::mixed_records::{MixedFile, MixedRecords, random};

/// Variables of a multivariate statement.
pub(super) const CONDITIONS: usize = 3;

/// How many synthetic records are tried for each statement that is wanted.
const TRIES: usize = 20;

/// A statement: all of these conditions.
pub(super) type Statement = Vec<Condition>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Condition {
    variable: usize,
    is: Is,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Is {
    Equal(f64),
    AtMost(f64),
    AtLeast(f64),
}

impl Condition {
    fn holds(&self, file: &MixedFile, record: usize) -> bool {
        let own = file.values[self.variable][record];
        match self.is {
            Is::Equal(value) => own == value,
            Is::AtMost(value) => own <= value,
            Is::AtLeast(value) => own >= value,
        }
    }
}

/// Whether a statement is true of exactly one record.
fn singles_out(statement: &Statement, file: &MixedFile) -> bool {
    let holds = |record: &usize| statement.iter().all(|condition| condition.holds(file, *record));
    (0..file.records).filter(holds).take(2).count() == 1
}

/// How many of these statements are true of exactly one record.
pub(super) fn successes(statements: &[Statement], file: &MixedFile) -> usize {
    statements.par_iter().filter(|statement| singles_out(statement, file)).count()
}

/// At most so many statements about single variables.
pub(super) fn univariate(records: &MixedRecords, most: usize, seed: u64) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for (variable, of) in records.variables.iter().enumerate() {
        let values = known(&records.synthetic, variable);
        let mut state = |is: Is| statements.push(vec![Condition { variable, is }]);
        if let (true, [least, .., most]) = (of.is_number, values.as_slice()) {
            state(Is::AtMost(*least));
            state(Is::AtLeast(*most));
        }
        values
            .chunk_by(|one, other| one == other)
            .filter(|equal| equal.len() == 1)
            .for_each(|value| state(Is::Equal(value[0])));
    }
    statements.shuffle(&mut random(seed, 10));
    statements.truncate(most);
    statements
}

/// At most so many statements about several variables.
pub(super) fn multivariate(records: &MixedRecords, most: usize, seed: u64) -> Vec<Statement> {
    let synthetic = &records.synthetic;
    let medians: Vec<f64> = (0..records.variables.len())
        .map(|variable| {
            let values = known(synthetic, variable);
            if values.is_empty() { 0.0 } else { table::grouping::quantile_at(&values, 0.5) }
        })
        .collect();
    let of_record = |attempt: usize| {
        let mut rng = random(seed, (1 << 32) + attempt as u64);
        let record = rng.random_range(0..synthetic.records);
        let condition = |variable: usize| {
            let value = synthetic.values[variable][record];
            let is = match records.variables[variable].is_number {
                true if value.is_nan() => return None,
                true if value > medians[variable] => Is::AtLeast(value),
                true => Is::AtMost(value),
                false => Is::Equal(value),
            };
            Some(Condition { variable, is })
        };
        let statement: Statement =
            some_variables(records, CONDITIONS, &mut rng).into_iter().filter_map(condition).collect();
        (!statement.is_empty() && singles_out(&statement, synthetic)).then_some(statement)
    };
    let mut statements = Vec::new();
    for round in 0..TRIES {
        if synthetic.records == 0 || statements.len() >= most {
            break;
        }
        let attempts = (round * most..(round + 1) * most).into_par_iter();
        statements.extend(attempts.filter_map(of_record).collect::<Vec<_>>());
    }
    statements.truncate(most);
    statements
}

/// So many statements of so many variables each with values that are drawn evenly.
pub(super) fn guesses(records: &MixedRecords, wanted: usize, conditions: usize, seed: u64) -> Vec<Statement> {
    let values: Vec<Vec<f64>> = (0..records.variables.len())
        .map(|variable| {
            let mut values = known(&records.synthetic, variable);
            values.dedup();
            values
        })
        .collect();
    let guess = |attempt: usize| {
        let mut rng = random(seed, (2 << 32) + attempt as u64);
        let chosen = some_variables(records, conditions, &mut rng);
        let condition = |variable: usize| {
            let (least, most) = (*values[variable].first()?, *values[variable].last()?);
            let is = match records.variables[variable].is_number {
                true => {
                    let value = least + rng.random::<f64>() * (most - least);
                    if rng.random() { Is::AtLeast(value) } else { Is::AtMost(value) }
                }
                false => Is::Equal(values[variable][rng.random_range(0..values[variable].len())]),
            };
            Some(Condition { variable, is })
        };
        chosen.into_iter().filter_map(condition).collect()
    };
    (0..wanted).into_par_iter().map(guess).collect()
}

/// Some variables at random.
fn some_variables(records: &MixedRecords, wanted: usize, rng: &mut impl rand::Rng) -> Vec<usize> {
    let mut positions = records.positions();
    let (chosen, _) = positions.partial_shuffle(rng, wanted);
    chosen.to_vec()
}

/// The values that are known, in ascending order.
fn known(file: &MixedFile, variable: usize) -> Vec<f64> {
    let mut values: Vec<f64> =
        file.values[variable].iter().copied().filter(|value| !value.is_nan()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::Comparison;

    #[test]
    fn statements_are_read_off_the_synthetic_file() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let original = read("x,c\n1,a\n2,a\n3,b\n9,b\n");
        let synthetic = read("x,c\n2,a\n3,a\n3,b\n2,a\n5,a\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let records = MixedRecords::new(&comparison).unwrap();
        // x ≤ 2, x ≥ 5, x = 5, c = b
        let statements = univariate(&records, 100, 1);
        assert_eq!(statements.len(), 4);
        // Of the original: x ≤ 2 holds of two, x ≥ 5 of one, x = 5 of none, c = b of two.
        assert_eq!(successes(&statements, &records.original), 1);
        assert_eq!(univariate(&records, 3, 1).len(), 3);
        let several = multivariate(&records, 50, 1);
        assert!(!several.is_empty());
        assert!(
            several
                .iter()
                .all(|statement| statement.len() == 2 && singles_out(statement, &records.synthetic))
        );
        assert_eq!(guesses(&records, 7, 1, 1).iter().filter(|statement| statement.len() == 1).count(), 7);
    }
}
