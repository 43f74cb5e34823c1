//! Both files one under the other, as predictors of which file a record is from.

use std::hash::{Hash, Hasher};

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};
use statistics::trees::{Predictor, TreeError};
use table::CountSource;
use table::column::Entry;
use table::{Grouping, Table};

use crate::{Comparison, MeasureError, SharedTables};

/// The original's records, then the synthetic ones, variable by variable.
#[derive(Clone, Debug)]
pub struct Pooled {
    /// Names of the variables, in the order of the original.
    pub names: Vec<String>,
    columns: Vec<PooledColumn>,
    original: usize,
    synthetic: usize,
}

#[derive(Clone, Debug)]
enum PooledColumn {
    /// Codes below the number of levels; missing is a level where it occurs.
    Levels { codes: Vec<u32>, levels: u32 },
    /// Numbers, zero where marked; mark 1 is missing, and special codes follow.
    Numbers { values: Vec<f64>, marks: Vec<u8> },
}

impl Pooled {
    /// The variables of these names, or all that both tables have but identifiers. Levels are joined by name.
    pub fn new(comparison: &Comparison<'_>, variables: &[String]) -> Result<Self, MeasureError> {
        Self::of(&SharedTables::new(comparison, &Self::grouping())?, comparison, variables)
    }

    /// Categories come from the shared domain; numbers are not grouped, so the coarsest grouping will do.
    pub(crate) fn grouping() -> Grouping {
        Grouping::synthpop(1)
    }

    /// The same where the tables are classified already, by [`Self::grouping`].
    pub(crate) fn of(
        shared: &SharedTables,
        comparison: &Comparison<'_>,
        variables: &[String],
    ) -> Result<Self, MeasureError> {
        let mut names = Vec::new();
        let mut columns = Vec::new();
        let wanted = if variables.is_empty() {
            (0..shared.domain().variables().len()).collect()
        } else {
            shared.attributes(variables)?.positions().to_vec()
        };
        for position in wanted {
            let classes = &shared.domain().variables()[position];
            names.push(classes.name().to_owned());
            let column = if shared.is_numeric(position) {
                let codes = shared.special_codes(position);
                let (mut values, mut marks) = (Vec::new(), Vec::new());
                for table in [comparison.original, comparison.synthetic] {
                    append_numbers(table, classes.name(), codes, &mut values, &mut marks)?;
                }
                PooledColumn::Numbers { values, marks }
            } else {
                let sides = [shared.original(), &shared.synthetic()[0]];
                let codes = sides.iter().flat_map(|side| side.columns()[position].iter()).collect();
                PooledColumn::Levels { codes, levels: classes.size() as u32 }
            };
            columns.push(column);
        }
        let (original, synthetic) = (shared.original().records(), shared.synthetic()[0].records());
        Ok(Self { names, columns, original: original as usize, synthetic: synthetic as usize })
    }

    /// The number of original and of synthetic records.
    pub fn records(&self) -> (usize, usize) {
        (self.original, self.synthetic)
    }

    /// The share of synthetic records; zero without records.
    pub fn share(&self) -> f64 {
        self.synthetic as f64 / (self.original + self.synthetic).max(1) as f64
    }

    /// Whether each record is synthetic.
    pub fn is_synthetic(&self) -> Vec<bool> {
        (0..self.original + self.synthetic).map(|row| row >= self.original).collect()
    }

    /// The names of factors with more than `most` levels.
    pub(crate) fn large_factors(&self, most: u32) -> Vec<&str> {
        let large =
            |column: &PooledColumn| matches!(column, PooledColumn::Levels { levels, .. } if *levels > most);
        let columns = self.names.iter().zip(&self.columns).filter(|(_, column)| large(column));
        columns.map(|(name, _)| name.as_str()).collect()
    }

    /// The original's records alone, with nothing under them.
    pub(crate) fn original_alone(&self) -> Self {
        let first = |column: &PooledColumn| match column {
            PooledColumn::Levels { codes, levels } => {
                PooledColumn::Levels { codes: codes[..self.original].to_vec(), levels: *levels }
            }
            PooledColumn::Numbers { values, marks } => PooledColumn::Numbers {
                values: values[..self.original].to_vec(),
                marks: marks[..self.original].to_vec(),
            },
        };
        let columns = self.columns.iter().map(first).collect();
        Self { names: self.names.clone(), columns, original: self.original, synthetic: 0 }
    }

    /// A random sample of both files with so many records, where there are more; each file keeps its share. The original's sample depends on its
    /// size, on that of the other and on the seed alone.
    pub fn at_most(&self, most: usize, seed: u64) -> Option<Self> {
        let all = self.original + self.synthetic;
        if all <= most {
            return None;
        }
        let of = |records: usize| ((records as f64 * most as f64 / all as f64).round() as usize).min(records);
        let sampled = |records: usize, first: usize, stream: u64| {
            let mut rng = ChaCha12Rng::seed_from_u64(seed);
            rng.set_stream(stream);
            let mut rows = rand::seq::index::sample(&mut rng, records, of(records)).into_vec();
            rows.sort_unstable();
            rows.into_iter().map(move |row| first + row)
        };
        let (original, synthetic) = (of(self.original), of(self.synthetic));
        let rows: Vec<usize> = sampled(self.original, 0, u64::MAX)
            .chain(sampled(self.synthetic, self.original, u64::MAX - 1))
            .collect();
        let column = |column: &PooledColumn| match column {
            PooledColumn::Levels { codes, levels } => {
                PooledColumn::Levels { codes: rows.iter().map(|row| codes[*row]).collect(), levels: *levels }
            }
            PooledColumn::Numbers { values, marks } => PooledColumn::Numbers {
                values: rows.iter().map(|row| values[*row]).collect(),
                marks: rows.iter().map(|row| marks[*row]).collect(),
            },
        };
        let columns = self.columns.iter().map(column).collect();
        Some(Self { names: self.names.clone(), columns, original, synthetic })
    }

    /// A hash of all records and of `question`, what is asked of them. Tables differ in few bits, and one that is taken for another gives
    /// wrong numbers, so it is a cryptographic one.
    pub(crate) fn key(&self, question: impl Hash) -> u128 {
        let mut hash = Sha256Hasher::default();
        (question, self.original, self.synthetic, &self.names, self.columns.len()).hash(&mut hash);
        for column in &self.columns {
            match column {
                PooledColumn::Levels { codes, levels } => (0_u8, codes, levels).hash(&mut hash),
                PooledColumn::Numbers { values, marks } => {
                    (1_u8, values.len()).hash(&mut hash);
                    values.iter().for_each(|value| value.to_bits().hash(&mut hash));
                    marks.hash(&mut hash);
                }
            }
        }
        hash.key()
    }

    /// The columns as predictors of a tree. A number is zero where it is missing or a special code, and beside it stands a
    /// 0/1 variable for each of these that occurs.
    pub fn predictors(&self) -> Result<Vec<Predictor>, TreeError> {
        let mut predictors = Vec::new();
        for column in &self.columns {
            match column {
                PooledColumn::Levels { codes, levels } => {
                    predictors.push(Predictor::categorical(codes, *levels)?);
                }
                PooledColumn::Numbers { values, marks } => {
                    predictors.push(Predictor::numeric(values, None)?);
                    for mark in occurring(marks) {
                        let indicator: Vec<u32> = marks.iter().map(|own| u32::from(*own == mark)).collect();
                        predictors.push(Predictor::categorical(&indicator, 2)?);
                    }
                }
            }
        }
        Ok(predictors)
    }
}

/// SHA-256 of what is hashed into it.
#[derive(Default)]
struct Sha256Hasher(Sha256);

impl Sha256Hasher {
    /// The first 128 bits.
    fn key(self) -> u128 {
        let digest: [u8; 32] = self.0.finalize().into();
        u128::from_le_bytes(std::array::from_fn(|at| digest[at]))
    }
}

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        Self(self.0.clone()).key() as u64
    }
}

/// The marks other than that of a number.
fn occurring(marks: &[u8]) -> Vec<u8> {
    let most = marks.iter().copied().max().unwrap_or(0);
    (1..=most).filter(|mark| marks.contains(mark)).collect()
}

/// Appends a number's values, zero where there is none, and marks: 0 for a number, 1 for missing, more for each of the special codes.
pub(crate) fn append_numbers(
    table: &Table,
    name: &str,
    codes: &[f64],
    values: &mut Vec<f64>,
    marks: &mut Vec<u8>,
) -> Result<(), MeasureError> {
    let position = table.schema().position_of(name)?;
    let (variable, column) = (&table.schema().variables()[position], &table.columns()[position]);
    for row in 0..column.len() {
        let value = match column.number(row) {
            Some(Entry::Value(value)) => Some(value),
            Some(Entry::Code(own)) => Some(variable.codes[own].value),
            Some(Entry::Missing) | None => None,
        };
        let mark = match value {
            None => 1,
            Some(value) => codes.iter().position(|code| *code == value).map_or(0, |at| at as u8 + 2),
        };
        values.push(if mark == 0 { value.unwrap_or_default() } else { 0.0 });
        marks.push(mark);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    /// Small whole numbers differ in the topmost bits of a number only, and codes in the lowest: 2,000 tables of each have 2,000 keys.
    #[test]
    fn tables_of_small_whole_numbers_have_keys_of_their_own() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let mut pooled = |is_number: bool| {
            let mut column = || match is_number {
                true => PooledColumn::Numbers {
                    values: (0..60).map(|_| f64::from(rng.random_range(1..=4_u8))).collect(),
                    marks: vec![0; 60],
                },
                false => PooledColumn::Levels {
                    codes: (0..60).map(|_| rng.random_range(0..4)).collect(),
                    levels: 4,
                },
            };
            let columns = (0..3).map(|_| column()).collect();
            Pooled { names: ["a", "b", "c"].map(str::to_owned).into(), columns, original: 30, synthetic: 30 }
        };
        for is_number in [true, false] {
            let keys: HashSet<u128> = (0..2000).map(|_| pooled(is_number).key("logistic")).collect();
            assert_eq!(keys.len(), 2000);
        }
        let one = pooled(true);
        assert_ne!(one.key(0), one.key(1));
        assert_eq!(one.key(0), one.clone().key(0));
    }
}
