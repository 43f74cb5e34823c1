//! Records of an original, a synthetic and perhaps a holdout table on one scale, on which numbers and levels can be compared.
//!
//! Gower's (1971) distance of two records is the mean over variables of how far apart they are: for a number the difference of its mid-ranks,
//! (records below + half of the records equal) over all, which lies in [0, 1]; for a level 0 or 1. Missing and each special code are values of their
//! own, at distance 1 of everything else. Ranks are those of the original, or of original and holdout together, so that exchanging these
//! two changes no distance. They are rounded to 1/16,384, so that sums of them are exact in single precision in any order.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use table::{Grouping, Table};

use crate::utility::propensity::append_numbers;
use crate::{Comparison, MeasureError, SharedTables};

/// Why there is no comparison with records that the generator never saw.
pub(crate) const NO_HOLDOUT: &str =
    "there is no holdout, records of the same population that the generator never saw; name one (--holdout)";

/// Ranks are multiples of one part in so many.
const STEPS: f64 = 16_384.0;

/// The variables that all tables have but identifiers, and the records of each table.
pub(crate) struct MixedRecords {
    pub variables: Vec<MixedVariable>,
    pub original: MixedFile,
    pub synthetic: MixedFile,
    pub holdout: Option<MixedFile>,
}

/// A variable of all tables.
pub(crate) struct MixedVariable {
    pub name: String,
    pub is_number: bool,
    /// Levels with missing, where it occurs; 0 for a number.
    pub levels: u32,
    /// The code of a missing level.
    pub missing: Option<u32>,
}

/// The records of one table, variable by variable.
#[derive(Clone, Debug)]
pub(crate) struct MixedFile {
    pub records: usize,
    /// Two values of a variable are min(1, |difference of places|) apart.
    pub places: Vec<Vec<f32>>,
    /// Numbers, NaN where there is none; the codes of levels.
    pub values: Vec<Vec<f64>>,
    /// 0 for a number, 1 for missing, more for special codes; empty for levels.
    pub marks: Vec<Vec<u8>>,
}

impl MixedRecords {
    pub fn new(comparison: &Comparison<'_>) -> Result<Self, MeasureError> {
        let others: Vec<&Table> = std::iter::once(comparison.synthetic).chain(comparison.holdout).collect();
        // Levels come from the shared domain; numbers are not grouped, so the coarsest grouping will do.
        let shared = SharedTables::of_sets(comparison.original, &others, &Grouping::synthpop(1))?;
        let tables: Vec<&Table> = std::iter::once(comparison.original).chain(others).collect();
        let variables: Vec<MixedVariable> = (0..)
            .zip(shared.domain().variables())
            .map(|(position, classes)| {
                let is_number = shared.is_numeric(position);
                MixedVariable {
                    name: classes.name().to_owned(),
                    is_number,
                    levels: if is_number { 0 } else { classes.size() as u32 },
                    missing: classes.missing_class().filter(|_| !is_number),
                }
            })
            .collect();
        let column = |(position, variable): (usize, &MixedVariable)| -> Result<Vec<Column>, MeasureError> {
            if !variable.is_number {
                let coded = std::iter::once(shared.original()).chain(shared.synthetic());
                return Ok(coded.map(|table| of_levels(table.columns()[position].iter())).collect());
            }
            let codes = shared.special_codes(position);
            let numbers = |table: &&Table| {
                let (mut values, mut marks) = (Vec::new(), Vec::new());
                append_numbers(table, &variable.name, codes, &mut values, &mut marks)?;
                Ok((values, marks))
            };
            let numbers = tables.iter().map(numbers).collect::<Result<Vec<_>, MeasureError>>()?;
            let ranked = numbers.iter().enumerate().filter(|(table, _)| *table != 1);
            let known = |(values, marks): &(Vec<f64>, Vec<u8>)| {
                values.iter().zip(marks).filter(|(_, mark)| **mark == 0).map(|(value, _)| *value).collect()
            };
            let ranked: Vec<Vec<f64>> = ranked.map(|(_, numbers)| known(numbers)).collect();
            let ranks = MidRanks::of(ranked.concat());
            Ok(numbers.into_iter().map(|(values, marks)| of_numbers(&ranks, values, marks)).collect())
        };
        let columns =
            variables.par_iter().enumerate().map(column).collect::<Result<Vec<_>, MeasureError>>()?;
        let mut files: Vec<MixedFile> = tables.iter().map(|table| MixedFile::empty(table.rows())).collect();
        for of_tables in columns {
            for (file, (places, values, marks)) in files.iter_mut().zip(of_tables) {
                file.places.push(places);
                file.values.push(values);
                file.marks.push(marks);
            }
        }
        let mut files = files.into_iter();
        let mut next = || files.next().unwrap_or_else(|| MixedFile::empty(0));
        let (original, synthetic) = (next(), next());
        Ok(Self { variables, original, synthetic, holdout: comparison.holdout.map(|_| next()) })
    }

    /// The positions of variables.
    pub fn positions(&self) -> Vec<usize> {
        (0..self.variables.len()).collect()
    }

    /// The positions of the variables of these names; those that not all tables have, and identifiers, are left out.
    pub fn positions_of(&self, names: &[String]) -> Vec<usize> {
        let position = |name: &String| self.variables.iter().position(|variable| variable.name == *name);
        names.iter().filter_map(position).collect()
    }

    /// The names at these positions.
    pub fn names_of(&self, positions: &[usize]) -> Vec<&str> {
        positions.iter().map(|position| self.variables[*position].name.as_str()).collect()
    }
}

impl MixedFile {
    fn empty(records: usize) -> Self {
        Self { records, places: Vec::new(), values: Vec::new(), marks: Vec::new() }
    }

    /// The records at these positions.
    pub fn take(&self, rows: &[u32]) -> Self {
        fn taken<T: Copy>(columns: &[Vec<T>], rows: &[u32]) -> Vec<Vec<T>> {
            let column = |column: &Vec<T>| match column.is_empty() {
                true => Vec::new(),
                false => rows.iter().map(|row| column[*row as usize]).collect(),
            };
            columns.iter().map(column).collect()
        }
        Self {
            records: rows.len(),
            places: taken(&self.places, rows),
            values: taken(&self.values, rows),
            marks: taken(&self.marks, rows),
        }
    }

    /// At most so many records, drawn without replacement.
    pub fn sample(&self, most: usize, seed: u64, stream: u64) -> Self {
        self.take(&sampled(self.records, most, seed, stream))
    }
}

/// At most `most` of so many records, drawn without replacement, in ascending order.
pub(crate) fn sampled(records: usize, most: usize, seed: u64, stream: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..records as u32).collect();
    if records > most {
        let (drawn, _) = rows.partial_shuffle(&mut random(seed, stream), most);
        drawn.sort_unstable();
        return drawn.to_vec();
    }
    rows
}

/// The random numbers of one purpose.
pub(crate) fn random(seed: u64, stream: u64) -> ChaCha12Rng {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Places, values and marks of one table.
type Column = (Vec<f32>, Vec<f64>, Vec<u8>);

fn of_levels(codes: impl Iterator<Item = u32>) -> Column {
    let codes: Vec<u32> = codes.collect();
    let places = codes.iter().map(|code| (2 * code) as f32).collect();
    (places, codes.iter().map(|code| f64::from(*code)).collect(), Vec::new())
}

fn of_numbers(ranks: &MidRanks, mut values: Vec<f64>, marks: Vec<u8>) -> Column {
    let place = |(value, mark): (&f64, &u8)| match mark {
        0 => ranks.of_value(*value),
        mark => 2.0 * f32::from(*mark),
    };
    let places = values.iter().zip(&marks).map(place).collect();
    values.iter_mut().zip(&marks).filter(|(_, mark)| **mark > 0).for_each(|(value, _)| *value = f64::NAN);
    (places, values, marks)
}

/// Values in ascending order.
struct MidRanks(Vec<f64>);

impl MidRanks {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        Self(values)
    }

    fn of_value(&self, value: f64) -> f32 {
        let below = self.0.partition_point(|own| *own < value);
        let up_to = below + self.0[below..].partition_point(|own| *own <= value);
        let rank = (below + up_to) as f64 / (2 * self.0.len()).max(1) as f64;
        ((rank * STEPS).round() / STEPS) as f32
    }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn numbers_are_mid_ranks_of_original_and_holdout_and_levels_are_joined_by_name() {
        let options = ReadOptions { missing: vec![String::new()], ..ReadOptions::default() };
        let read = |text: &str| read_csv_text(text, &options).unwrap();
        let original = read("x,c\n1.5,a\n2.5,b\n2.5,a\n9.5,b\n");
        let synthetic = read("x,c\n,b\n2.5,d\n0.5,a\n5.5,a\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let records = MixedRecords::new(&comparison).unwrap();
        assert_eq!(records.original.places[0], [0.125, 0.5, 0.5, 0.875]);
        assert_eq!(records.synthetic.places[0], [2.0, 0.5, 0.0, 0.75]);
        let [a, b] = [records.original.places[1][0], records.original.places[1][1]];
        assert_eq!((a - b).abs(), 2.0);
        assert_eq!(&records.synthetic.places[1][2..], [a, a]);
        assert!(records.synthetic.values[0][0].is_nan());
        let holdout = read("x,c\n2.5,a\n20.5,b\n2.5,a\n30.5,b\n");
        let with = MixedRecords::new(&Comparison { holdout: Some(&holdout), ..comparison }).unwrap();
        assert_eq!(with.original.places[0], [0.0625, 0.375, 0.375, 0.6875]);
        assert_eq!(with.holdout.unwrap().places[0], [0.375, 0.8125, 0.375, 0.9375]);
    }

    #[test]
    fn samples_are_of_one_size_and_evenly_drawn() {
        let mut drawn = [0_u32; 10];
        for stream in 0..2000 {
            let rows = sampled(10, 4, 3, stream);
            assert!(rows.len() == 4 && rows.is_sorted_by(|one, other| one < other));
            rows.iter().for_each(|row| drawn[*row as usize] += 1);
        }
        // 800 expected, standard deviation 22; five of them.
        assert!(drawn.iter().all(|count| count.abs_diff(800) < 110), "{drawn:?}");
        assert_eq!(sampled(3, 5, 1, 1), [0, 1, 2]);
    }
}
