//! Records drawn at random from files, each as likely as any other: the same ones for the same seed, whatever the number of threads.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{StreamedTable, coding};
use crate::read::in_blocks::{Block, Place};
use crate::schema::Violations;
use crate::{Column, Table, TableError, TextColumn};

/// `wanted` of `rows` row numbers, ascending, each set of them as likely as any other (Floyd, in Bentley 1987).
pub(crate) fn chosen_rows(rows: u64, wanted: u64, seed: u64) -> Vec<u64> {
    if wanted >= rows {
        return (0..rows).collect();
    }
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut chosen: HashSet<u64> = HashSet::with_capacity(wanted as usize);
    for last in rows - wanted..rows {
        let row = rng.random_range(0..=last);
        if !chosen.insert(row) {
            chosen.insert(last);
        }
    }
    let mut chosen: Vec<u64> = chosen.into_iter().collect();
    chosen.sort_unstable();
    chosen
}

impl StreamedTable {
    /// So many records, drawn at random, in the order of the files; all where there are fewer. All records are compared with the schema on the way, if they have not been.
    pub fn sample(&self, rows: u64, seed: u64) -> Result<Table, TableError> {
        let chosen = chosen_rows(self.records(), rows, seed);
        let parts: Mutex<Vec<(u64, Table)>> = Mutex::default();
        let names: Vec<&str> = self.files.names.iter().map(String::as_str).collect();
        self.checked_pass(names.into_iter(), false, &|place: &Place, block: Block, wanted: &[usize], _| {
            let from = chosen.partition_point(|row| *row < place.first);
            let to = chosen.partition_point(|row| *row < place.first + block.rows as u64);
            let here: Vec<u32> = chosen[from..to].iter().map(|row| (row - place.first) as u32).collect();
            if here.is_empty() && self.is_checked.load(Ordering::Relaxed) {
                return Ok(Violations::default());
            }
            let (table, violations) = coding::conformed(&self.files, &self.schema, place, block, wanted)?;
            if violations.is_empty() && !here.is_empty() {
                let part = without_others(table.take(&here)?)?;
                parts.lock().unwrap_or_else(PoisonError::into_inner).push((place.first, part));
            }
            Ok(violations)
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|(first, _)| *first);
        Table::concatenate(Arc::clone(&self.schema), parts.into_iter().map(|(_, part)| part).collect())
    }
}

/// The same records, without the texts of identifiers that none of them has: those of all others would be held too.
fn without_others(table: Table) -> Result<Table, TableError> {
    let (schema, columns) = table.into_parts();
    let compact = |column: Column| match column {
        Column::Text(text) => {
            let mut new_code = vec![u32::MAX; text.dictionary.len() + 1];
            let mut dictionary = Vec::new();
            for code in text.codes.iter().filter(|code| (*code as usize) < text.dictionary.len()) {
                if new_code[code as usize] == u32::MAX {
                    new_code[code as usize] = dictionary.len() as u32;
                    dictionary.push(text.dictionary[code as usize].clone());
                }
            }
            new_code[text.dictionary.len()] = dictionary.len() as u32;
            let codes = text.codes.recode(&new_code, dictionary.len() + 1);
            Column::Text(TextColumn { codes, dictionary })
        }
        other => other,
    };
    Table::new(schema, columns.into_iter().map(compact).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4,000 draws of 3 out of 9: each row is expected 4,000/3 times; χ² with 8 degrees of freedom is above 26.1 with probability 0.001.
    #[test]
    fn every_row_is_as_likely_as_any_other() {
        let mut count = [0_u64; 9];
        for seed in 0..4_000 {
            let chosen = chosen_rows(9, 3, seed);
            assert!(chosen.len() == 3 && chosen.is_sorted_by(|one, other| one < other));
            chosen.into_iter().for_each(|row| count[row as usize] += 1);
        }
        let expected = 4_000.0 / 3.0;
        let distance: f64 = count.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
        assert!(distance < 26.1, "{distance}");
        assert_eq!(chosen_rows(5, 7, 1), [0, 1, 2, 3, 4]);
        assert_eq!(chosen_rows(1 << 40, 4, 1), chosen_rows(1 << 40, 4, 1));
    }
}
