//! Synthetic records that equal an original record which nobody else shares.
//!
//! A record is compared on all variables but identifiers, which are new in every synthetic table, and computed ones, which follow from the
//! others. An original record is *unique* if no record of another unit has the same values (no other record, where no identifier names units of several
//! records, see [`Units`]); a synthetic record that equals it is a *copy*.

use std::collections::HashMap;

use rayon::prelude::*;
use table::schema::Kind;
use table::{Schema, Table, Units, Variable};

use crate::SynthesisError;
use crate::key::Key;

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
    /// Ascending.
    prints: Vec<Print>,
}

impl UniqueRecords {
    /// The unique records of a table.
    pub fn of(original: &Table) -> Result<Self, SynthesisError> {
        let names = compared(original.schema());
        let prints = unique(&prints(original, &names)?, &Units::of(original));
        Ok(Self { names, prints })
    }

    /// How many records of a synthetic table equal one of them; nothing where the table lacks a variable that is compared.
    pub fn copies_in(&self, synthetic: &Table) -> Result<Option<u64>, SynthesisError> {
        if self.names.iter().any(|name| synthetic.schema().position_of(name).is_err()) {
            return Ok(None);
        }
        let prints = prints(synthetic, &self.names)?;
        let copies = prints.iter().filter(|print| self.prints.binary_search(print).is_ok());
        Ok(Some(copies.count() as u64))
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

/// The prints of records on these variables.
pub(crate) fn prints(table: &Table, names: &[String]) -> Result<Vec<Print>, SynthesisError> {
    let variables = table.schema().variables();
    let keys = names.iter().map(|name| Key::parse(name, variables)).collect::<Result<Vec<_>, _>>()?;
    let print = |row: usize| {
        let record = table.record(row);
        keys.iter().fold((0x9e37_79b9_7f4a_7c15_u64, 0x2545_f491_4f6c_dd1d_u64), |(left, right), key| {
            let value = key.of(&record);
            (mix(left ^ value), mix(right.rotate_left(17) ^ value))
        })
    };
    Ok((0..table.rows()).into_par_iter().map(print).collect())
}

/// The finisher of SplitMix64 (Steele, Lea & Flood 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The prints that the records of one unit alone have, ascending.
fn unique(prints: &[Print], units: &Units<'_>) -> Vec<Print> {
    let mut count: HashMap<Print, u32> = HashMap::with_capacity(prints.len());
    prints.iter().for_each(|print| *count.entry(*print).or_default() += 1);
    let mut once: Vec<Print> = prints.iter().copied().filter(|print| count[print] == 1).collect();
    if !units.are_records() {
        let mut rows: Vec<u32> =
            (0..prints.len() as u32).filter(|row| count[&prints[*row as usize]] > 1).collect();
        rows.sort_unstable_by_key(|row| prints[*row as usize]);
        let equal = rows.chunk_by(|one, other| prints[*one as usize] == prints[*other as usize]);
        let of_one = equal.filter(|rows| units.of_records(rows.iter().copied(), 2) == 1);
        once.extend(of_one.map(|rows| prints[rows[0] as usize]));
    }
    once.sort_unstable();
    once
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

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
        assert_eq!(uniques.prints.len(), 1 + 480 - 5);
        let found = |row: u32| uniques.copies_in(&visits.take(&[row]).unwrap()).unwrap();
        assert_eq!([found(0), found(3), found(9)], [Some(1), Some(0), Some(1)]);
    }
}
