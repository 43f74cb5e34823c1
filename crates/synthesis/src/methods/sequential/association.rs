//! How much one variable says of another: which predictors are the best where only so many are asked for.
//!
//! With every number in ten classes and missing a class of its own, a predictor X says I(X; Y) of a target Y, the mutual information of their classes in a part of the
//! records, less (r − 1)(c − 1)/2n, what n records of two independent variables that take r and c of their classes show on average (Miller 1955). A variable
//! that says much only together with others is overlooked: of what is alike in this, the tree would find out the rest.

use table::{Attributes, Classes, CodedTable, Codes, CountSource, Domain, Grouping, Kind, Table};

use crate::SynthesisError;

/// Classes of a number.
const GROUPS: usize = 10;

/// Levels of a category that are told apart; the others, which have fewer records, are one.
const LEVELS: usize = 64;

/// Records that are looked at, evenly over the file.
const RECORDS: usize = 1 << 14;

/// The classes of some records.
pub(super) struct Association {
    coded: CodedTable,
    /// Where each variable of the schema is among those with classes.
    places: Vec<Option<usize>>,
}

impl Association {
    /// What is needed of these records to tell their predictors apart.
    pub(super) fn of(records: &Table) -> Result<Self, SynthesisError> {
        let step = records.rows().div_ceil(RECORDS).max(1);
        let rows: Vec<u32> = (0..records.rows() as u32).step_by(step).collect();
        let is_modelled = |variable: &table::Variable| variable.kind != Kind::TextId;
        let coded = CodedTable::over(&records.take(&rows)?, &Grouping::quantiles(GROUPS), is_modelled)?;
        let (mut classes, mut columns) = (Vec::new(), Vec::new());
        for (of, codes) in coded.domain().variables().iter().zip(coded.columns()) {
            let (codes, size) = with_few_classes(codes, of.size());
            classes.push(Classes::of_size(of.name(), size));
            columns.push(codes);
        }
        let places = records
            .schema()
            .variables()
            .iter()
            .map(|variable| classes.iter().position(|classes: &Classes| classes.name() == variable.name));
        let places = places.collect();
        Ok(Self { coded: CodedTable::from_codes(Domain::new(classes)?, columns), places })
    }

    /// The candidates that say most of the target, `most` of them, in the order in which they were given. What has no classes stays.
    pub(super) fn best(
        &self,
        target: usize,
        candidates: &[usize],
        most: usize,
    ) -> Result<Vec<usize>, SynthesisError> {
        let place = |at: usize| self.places.get(at).copied().flatten();
        let Some(of) = place(target) else { return Ok(candidates.to_vec()) };
        let compared: Vec<(usize, usize)> =
            candidates.iter().filter_map(|at| Some((*at, place(*at)?))).collect();
        let pairs: Vec<Attributes> =
            compared.iter().map(|(_, place)| Attributes::new([of, *place])).collect();
        let margins = self.coded.margins(&pairs)?;
        let mut told: Vec<(f64, usize)> = compared
            .iter()
            .zip(&margins)
            .map(|((at, _), margin)| (information(margin.sizes(), margin.counts()), *at))
            .collect();
        // Of equals the first; the sort is stable.
        told.sort_by(|left, right| right.0.total_cmp(&left.0));
        let dropped: Vec<usize> = told.iter().skip(most).map(|(_, at)| *at).collect();
        Ok(candidates.iter().copied().filter(|at| !dropped.contains(at)).collect())
    }
}

/// The codes with all but the most frequent ones as one.
fn with_few_classes(codes: &Codes, size: usize) -> (Codes, usize) {
    if size <= LEVELS {
        return (codes.clone(), size);
    }
    let frequencies = codes.frequencies(size);
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by_key(|class| std::cmp::Reverse(frequencies[*class]));
    let mut new_code = vec![LEVELS as u32 - 1; size];
    order.iter().take(LEVELS - 1).enumerate().for_each(|(code, class)| new_code[*class] = code as u32);
    (codes.recode(&new_code, LEVELS), LEVELS)
}

/// The mutual information of a table of two variables in nats, less what independent ones would show.
fn information(sizes: &[usize], counts: &[u64]) -> f64 {
    let &[_, columns] = sizes else { return 0.0 };
    let mut by_row = vec![0_u64; counts.len() / columns.max(1)];
    let mut by_column = vec![0_u64; columns];
    for (row, cells) in counts.chunks_exact(columns.max(1)).enumerate() {
        by_row[row] = cells.iter().sum();
        by_column.iter_mut().zip(cells).for_each(|(sum, count)| *sum += count);
    }
    let total = by_row.iter().sum::<u64>() as f64;
    let mut information = 0.0;
    for (row, cells) in counts.chunks_exact(columns.max(1)).enumerate() {
        for (column, count) in cells.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (count, expected) = (*count as f64, by_row[row] as f64 * by_column[column] as f64 / total);
            information += count / total * (count / expected).ln();
        }
    }
    let taken = |sums: &[u64]| sums.iter().filter(|sum| **sum > 0).count().saturating_sub(1) as f64;
    information - taken(&by_row) * taken(&by_column) / (2.0 * total)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn information_of_tables_by_hand() {
        // One tells the other: ln 2, less 1/(2 · 40).
        assert!((information(&[2, 2], &[20, 0, 0, 20]) - (2.0_f64.ln() - 1.0 / 80.0)).abs() < 1e-12);
        // Independent, and a level that does not occur.
        assert!((information(&[2, 3], &[10, 0, 10, 10, 0, 10]) + 1.0 / 80.0).abs() < 1e-12);
        assert_eq!(information(&[1, 2], &[3, 4]), 0.0);
    }

    /// y is x half of the time and z a quarter; the noise w has far more levels than any.
    #[test]
    fn the_best_predictors_are_those_that_say_most() {
        let row = |row: usize| {
            let hash = |part: usize| (row * 7919 + part * 104_729).wrapping_mul(0x9e37_79b9) >> 7;
            let (x, z) = (hash(1) % 5, hash(2) % 5);
            let y = match hash(3) % 4 {
                0 | 1 => x,
                2 => z,
                _ => hash(4) % 5,
            };
            format!("{x},w{},{},{z},{y}", hash(5) % 300, hash(6) % 40)
        };
        let rows: Vec<String> = (0..4_000).map(row).collect();
        let table =
            read_csv_text(&format!("x,w,v,z,y\n{}\n", rows.join("\n")), &ReadOptions::default()).unwrap();
        let association = Association::of(&table).unwrap();
        assert_eq!(association.best(4, &[0, 1, 2, 3], 1).unwrap(), [0]);
        assert_eq!(association.best(4, &[1, 2, 3, 0], 2).unwrap(), [3, 0]);
        // What is made for the fit alone is beyond the schema and stays.
        assert_eq!(association.best(4, &[1, 2, 3, 9], 1).unwrap(), [3, 9]);
    }
}
