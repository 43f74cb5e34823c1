//! Synthetic records that equal an original record which nobody else shares.
//!
//! A record is compared on all variables but identifiers, which are new in every synthetic table, and computed ones, which follow from the
//! others. An original record is *unique* if no record of another unit has the same values (no other record, where no identifier names units of several
//! records, see [`Units`]); a synthetic record that equals it is a *copy*.

use std::ops::Range;

use rayon::prelude::*;
use table::column::{Entry, Number, Numbers};
use table::schema::Kind;
use table::{Column, Schema, Table, Units, Variable, with_codes};

use crate::SynthesisError;
use crate::key::{FIRST_LEVEL, MISSING, number};

/// What tells records apart: 128 bits of their values.
pub(crate) type Print = (u64, u64);

/// The unique records of an original table, as prints of their values.
///
/// ```
/// use synthesis::copies::UniqueRecords;
/// use table::read::{ReadOptions, read_csv_text};
///
/// let read = |text: &str| read_csv_text(text, &ReadOptions::default());
/// let original = UniqueRecords::of(&read("sex,age\nF,31\nM,47\nF,31\n")?)?;
/// // The first is a copy of the only man; the second equals two women and copies neither.
/// assert_eq!(original.copies_in(&read("sex,age\nM,47\nF,31\n")?)?, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct UniqueRecords {
    /// The variables that are compared.
    names: Vec<String>,
    prints: Prints,
}

/// Prints in ascending order. They are spread evenly, so that their first bits say where one must be.
#[derive(Clone, Debug)]
struct Prints {
    all: Vec<Print>,
    /// Where those with the same first bits begin.
    starts: Vec<u32>,
    /// How many bits are not among the first.
    shift: u32,
}

impl Prints {
    /// Prints with the same first bits, on average.
    const TOGETHER: usize = 4;

    fn new(all: Vec<Print>) -> Self {
        let bits = (all.len() / Self::TOGETHER).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (place, print) in all.iter().enumerate() {
            starts.resize(starts.len().max((print.0 >> shift) as usize + 1), place as u32);
        }
        starts.resize((1 << bits) + 1, all.len() as u32);
        Self { all, starts, shift }
    }

    /// How many of these prints are among them. Where each must be is looked up for all first: one look does not wait for the one before.
    fn among(&self, prints: &[Print]) -> u64 {
        let place = |print: &Print| {
            let first = (print.0 >> self.shift) as usize;
            (self.starts[first] as usize, self.starts[first + 1] as usize)
        };
        let places: Vec<(usize, usize)> = prints.iter().map(place).collect();
        let known =
            prints.iter().zip(places).filter(|(print, (from, to))| self.all[*from..*to].contains(print));
        known.count() as u64
    }
}

impl UniqueRecords {
    /// The unique records of a table.
    pub fn of(original: &Table) -> Result<Self, SynthesisError> {
        let names = compared(original.schema());
        let prints = Prints::new(unique(&prints(original, &names)?, &Units::of(original)));
        Ok(Self { names, prints })
    }

    /// How many records of a synthetic table equal one of them; nothing where the table lacks a variable that is compared.
    pub fn copies_in(&self, synthetic: &Table) -> Result<Option<u64>, SynthesisError> {
        if self.names.iter().any(|name| synthetic.schema().position_of(name).is_err()) {
            return Ok(None);
        }
        let prints = prints(synthetic, &self.names)?;
        Ok(Some(prints.par_chunks(PART).map(|prints| self.prints.among(prints)).sum()))
    }
}

/// What tells the unique records of a table apart on the compared variables of a schema; ascending.
pub(crate) fn unique_of(original: &Table, schema: &Schema) -> Result<Vec<Print>, SynthesisError> {
    Ok(unique(&prints(original, &compared(schema))?, &Units::of(original)))
}

/// Which records of a table equal one of these unique records of a table of the same variables.
pub(crate) fn are_among(table: &Table, uniques: &[Print]) -> Result<Vec<bool>, SynthesisError> {
    let prints = prints(table, &compared(table.schema()))?;
    Ok(prints.iter().map(|print| uniques.binary_search(print).is_ok()).collect())
}

/// The variables on which records of this schema are compared.
pub(crate) fn compared(schema: &Schema) -> Vec<String> {
    let is_compared =
        |variable: &&Variable| !matches!(variable.kind, Kind::TextId) && variable.formula.is_none();
    schema.variables().iter().filter(is_compared).map(|variable| variable.name.clone()).collect()
}

/// Records whose prints are made at a time, a variable after the other.
const PART: usize = 1 << 10;

/// The prints of records on these variables.
pub(crate) fn prints(table: &Table, names: &[String]) -> Result<Vec<Print>, SynthesisError> {
    let positions =
        names.iter().map(|name| table.schema().position_of(name)).collect::<Result<Vec<usize>, _>>()?;
    let mut prints: Vec<Print> = vec![(0x9e37_79b9_7f4a_7c15, 0x2545_f491_4f6c_dd1d); table.rows()];
    prints.par_chunks_mut(PART).enumerate().for_each(|(part, prints)| {
        let rows = part * PART..part * PART + prints.len();
        for position in &positions {
            let (variable, column) = (&table.schema().variables()[*position], &table.columns()[*position]);
            add(variable, column, rows.clone(), prints);
        }
    });
    Ok(prints)
}

/// Adds the values of a variable to the prints of these rows: what a [`Key`](crate::key::Key) makes of them.
fn add(variable: &Variable, column: &Column, rows: Range<usize>, prints: &mut [Print]) {
    fn with(print: &mut Print, value: u64) {
        *print = (mix(print.0 ^ value), mix(print.1.rotate_left(17) ^ value));
    }
    fn with_numbers<T: Number>(
        variable: &Variable,
        numbers: &Numbers<T>,
        rows: Range<usize>,
        prints: &mut [Print],
        real: impl Fn(T) -> f64,
    ) {
        let mut prints = prints.iter_mut();
        numbers.for_each(rows, |entry| {
            let Some(print) = prints.next() else { return };
            with(
                print,
                match entry {
                    Entry::Value(value) => number(real(value)),
                    Entry::Code(position) => number(variable.codes[position].value),
                    Entry::Missing => MISSING,
                },
            );
        });
    }
    match column {
        Column::Categorical(codes) => {
            let levels = variable.kind.levels().map_or(0, |levels| levels.len()) as u64;
            with_codes!(codes.as_ref(), codes => {
                for (print, code) in prints.iter_mut().zip(&codes[rows]) {
                    let level = u64::from(*code);
                    with(print, if level < levels { FIRST_LEVEL - level } else { MISSING });
                }
            });
        }
        Column::Text(_) => prints.iter_mut().for_each(|print| with(print, MISSING)),
        Column::Integer(numbers) | Column::Datetime(numbers) => {
            with_numbers(variable, numbers, rows, prints, |value| value as f64);
        }
        Column::Real(numbers) => with_numbers(variable, numbers, rows, prints, |value| value),
        Column::Date(days) => with_numbers(variable, days, rows, prints, f64::from),
    }
}

/// The finisher of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The prints that the records of one unit alone have, ascending.
fn unique(prints: &[Print], units: &Units<'_>) -> Vec<Print> {
    let mut sorted: Vec<(Print, u32)> =
        prints.par_iter().enumerate().map(|(row, print)| (*print, row as u32)).collect();
    sorted.par_sort_unstable();
    let equal = sorted.chunk_by(|one, other| one.0 == other.0);
    let of_one_unit = equal.filter(|equal| units.of_records(equal.iter().map(|(_, row)| *row), 2) == 1);
    of_one_unit.map(|equal| equal[0].0).collect()
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::key::Key;

    /// Prints made column by column are those of keys, of every kind of column, and their parts are found whatever their number.
    #[test]
    fn prints_are_those_of_keys() {
        let row = |row: usize| {
            let gap = |text: String| if row % 11 == 3 { String::new() } else { text };
            [
                gap(format!("l{}", row % 400)),
                gap((row as i64 * 37 % 331 - 8).to_string()),
                gap(format!("{}.25", row as i64 - 4_000)),
                gap(format!("2011-03-{:02}", 1 + row % 28)),
                gap(format!("2011-03-27T01:02:{:02}", row % 60)),
                row.is_multiple_of(2).to_string(),
            ]
            .join(",")
        };
        let rows: Vec<String> = (0..9_000).map(row).collect();
        let text = format!("a,b,c,d,e,f\n{}\n", rows.join("\n"));
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let names = compared(table.schema());
        let keys: Vec<Key> =
            names.iter().map(|name| Key::parse(name, table.schema().variables()).unwrap()).collect();
        let by_keys = (0..table.rows()).map(|row| {
            keys.iter().fold((0x9e37_79b9_7f4a_7c15_u64, 0x2545_f491_4f6c_dd1d_u64), |(left, right), key| {
                let value = key.of(&table.record(row));
                (mix(left ^ value), mix(right.rotate_left(17) ^ value))
            })
        });
        let made = prints(&table, &names).unwrap();
        assert_eq!(names.len(), 6);
        assert!(made.iter().copied().eq(by_keys));
        let mut sorted = made.clone();
        sorted.sort_unstable();
        for known in [0, 1, 2, 7, 9_000] {
            let prints = Prints::new(sorted[..known].to_vec());
            assert_eq!(prints.among(&made), known as u64);
            assert_eq!(prints.all.len(), known);
        }
    }

    /// Copies by comparing every pair of records.
    fn by_hand(original: &[&str], synthetic: &[&str]) -> u64 {
        let is_unique = |record: &&&str| original.iter().filter(|other| other == record).count() == 1;
        let copies = |record: &&&str| original.iter().filter(is_unique).any(|other| other == *record);
        synthetic.iter().filter(copies).count() as u64
    }

    #[test]
    fn copies_are_counted_as_by_hand_with_missing_values_and_numbers() {
        let original = ["F,31,1.5", "F,31,1.5", "M,,2", "M,47,2", "F,,", "F,8,2.25"];
        let synthetic = ["M,,2", "M,,2", "F,31,1.5", "F,8,2.25", "F,8,2.5", "M,47,", "F,,"];
        // One table, so that both have the same levels.
        let text = |records: &[&str]| format!("sex,age,x\n{}\n", records.join("\n"));
        let all = read_csv_text(&text(&[&original[..], &synthetic[..]].concat()), &ReadOptions::default());
        let all = all.unwrap();
        let (first, second): (Vec<u32>, Vec<u32>) = (0..13).partition(|row| *row < 6);
        let (original_table, synthetic_table) = (all.take(&first).unwrap(), all.take(&second).unwrap());
        let uniques = UniqueRecords::of(&original_table).unwrap();
        let found = uniques.copies_in(&synthetic_table).unwrap();
        assert_eq!(found, Some(by_hand(&original, &synthetic)));
        assert_eq!(found, Some(4));
        assert_eq!(uniques.copies_in(&synthetic_table.select(&["sex"]).unwrap()).unwrap(), None);
        assert_eq!(uniques.copies_in(&original_table).unwrap(), Some(4), "a copy of the original");
    }

    /// Three visits of one patient are alike, and two visits of two others.
    #[test]
    fn what_several_records_of_one_unit_share_is_unique() {
        let row = |visit: usize| match visit {
            0..3 => "P00001-9,1.5".to_owned(),
            3 | 7 => format!("P0{visit}001-3,2.5"),
            _ => format!("P{:05}-1,{}.25", visit / 3, visit),
        };
        let rows: Vec<String> = (0..480).map(row).collect();
        let text = format!("patient,fee\n{}\n", rows.join("\n"));
        let visits = read_csv_text(&text, &ReadOptions::default()).unwrap();
        assert!(matches!(visits.schema().variables()[0].kind, Kind::TextId));
        let uniques = UniqueRecords::of(&visits).unwrap();
        assert_eq!(uniques.prints.all.len(), 1 + 480 - 5);
        let found = |row: u32| uniques.copies_in(&visits.take(&[row]).unwrap()).unwrap();
        assert_eq!([found(0), found(3), found(9)], [Some(1), Some(0), Some(1)]);
    }
}
