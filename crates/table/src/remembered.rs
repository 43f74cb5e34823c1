//! Margins that were counted once and are kept: a source that takes a pass over its records is not asked twice.
//!
//! A private run asks one margin after the other, and each would be a pass over files or a query to a database. What a run will ask for is known
//! from the schema and the recipe alone, so that it is [prefetched](CountSource::prefetch) in one pass, and this source answers from what it keeps, or by
//! summing what it keeps over more variables. What is kept is as confidential as the records; a guard pays for every look at it as before.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Attributes, ContingencyTable, CountSource, Domain, Margin, TableError};

/// Cells that are kept, in all margins together: 128 MiB.
const MOST_CELLS: usize = 1 << 24;

/// A sparse table with no more cells than this is counted densely, so that it can be kept.
const FEW_CELLS: usize = 1 << 16;

/// A source whose margins are counted once.
pub struct Remembered<S> {
    source: S,
    kept: Mutex<Kept>,
    most_cells: usize,
    passes: AtomicU64,
}

#[derive(Default)]
struct Kept {
    margins: BTreeMap<Attributes, Margin>,
    cells: usize,
}

impl Kept {
    /// The margin of these variables, from itself or from the smallest one that holds them.
    fn margin(&self, of: &Attributes) -> Option<Margin> {
        if let Some(same) = self.margins.get(of) {
            return Some(same.clone());
        }
        let holds = |kept: &&Margin| kept.attributes().places_of(of).is_some();
        let smallest = self.margins.values().filter(holds).min_by_key(|kept| kept.counts().len())?;
        smallest.margin(of)
    }

    fn keep(&mut self, margin: &Margin, most_cells: usize) {
        let cells = margin.counts().len();
        if self.cells + cells <= most_cells && !self.margins.contains_key(margin.attributes()) {
            self.cells += cells;
            self.margins.insert(margin.attributes().clone(), margin.clone());
        }
    }
}

impl<S: CountSource> Remembered<S> {
    /// Remembers what this source counts.
    pub fn new(source: S) -> Self {
        Self { source, kept: Mutex::default(), most_cells: MOST_CELLS, passes: AtomicU64::new(0) }
    }

    /// How often the source itself was asked.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let counted = self.source.margins(of)?;
        let mut kept = self.kept();
        counted.iter().for_each(|margin| kept.keep(margin, self.most_cells));
        Ok(counted)
    }
}

impl<S: CountSource> CountSource for Remembered<S> {
    fn domain(&self) -> &Domain {
        self.source.domain()
    }

    fn records(&self) -> u64 {
        self.source.records()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        of.iter().try_for_each(|of| Margin::checked_cells(self.domain(), of).map(|_| ()))?;
        let mut found: Vec<Option<Margin>> = {
            let kept = self.kept();
            of.iter().map(|of| kept.margin(of)).collect()
        };
        let mut lacking: Vec<Attributes> =
            of.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(of, _)| of.clone()).collect();
        lacking.sort_unstable();
        lacking.dedup();
        if !lacking.is_empty() {
            let counted = self.count(&lacking)?;
            for (of, found) in of.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
                *found = counted.iter().find(|margin| margin.attributes() == of).cloned();
            }
        }
        let other = || TableError::schema("counts", "the source answered with counts of other variables");
        found.into_iter().map(|margin| margin.ok_or_else(other)).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let few = Margin::checked_cells(self.domain(), of).is_ok_and(|cells| cells <= FEW_CELLS);
        if few {
            return Ok(ContingencyTable::from_margin(&self.margins(std::slice::from_ref(of))?[0]));
        }
        let kept = self.kept().margin(of);
        match kept {
            Some(margin) => Ok(ContingencyTable::from_margin(&margin)),
            None => {
                self.passes.fetch_add(1, Ordering::Relaxed);
                self.source.contingency_table(of)
            }
        }
    }

    fn cell_sizes(&self, of: &Attributes) -> Result<BTreeMap<u64, u64>, TableError> {
        let kept = self.kept().margin(of);
        match kept {
            Some(margin) => Ok(ContingencyTable::from_margin(&margin).size_histogram()),
            None => {
                self.passes.fetch_add(1, Ordering::Relaxed);
                self.source.cell_sizes(of)
            }
        }
    }

    /// Counts what is not kept, as far as there is room, in one pass. A set that cannot be dense is left to be counted sparsely.
    fn prefetch(&self, of: &[Attributes]) -> Result<(), TableError> {
        let mut lacking: Vec<Attributes> = Vec::new();
        {
            let kept = self.kept();
            let mut room = self.most_cells.saturating_sub(kept.cells);
            for of in
                of.iter().filter(|of| kept.margin(of).is_none() && !lacking.contains(of)).collect::<Vec<_>>()
            {
                match Margin::checked_cells(self.domain(), of) {
                    Ok(cells) if cells <= room => {
                        room -= cells;
                        lacking.push(of.clone());
                    }
                    _ => {}
                }
            }
        }
        if !lacking.is_empty() {
            self.count(&lacking)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, CodedTable, Codes};

    fn people() -> CodedTable {
        let classes =
            [("a", 2), ("b", 3), ("c", 4), ("d", 300)].map(|(name, size)| Classes::of_size(name, size));
        let column =
            |size: u32, step: u32| Codes::collect(size as usize, (0..500).map(|row| row * step / 7 % size));
        let columns = vec![column(2, 3), column(3, 5), column(4, 9), column(300, 11)];
        CodedTable::from_codes(Domain::new(classes.to_vec()).unwrap(), columns)
    }

    #[test]
    fn what_was_counted_over_more_variables_is_not_counted_again() {
        let people = people();
        let remembered = Remembered::new(people.clone());
        remembered.prefetch(&Attributes::combinations(people.domain(), 2)).unwrap();
        assert_eq!(remembered.passes(), 1);
        for ways in 0..=2 {
            assert_eq!(remembered.all_margins(ways).unwrap(), people.all_margins(ways).unwrap());
        }
        for pair in Attributes::combinations(people.domain(), 2) {
            assert_eq!(
                remembered.contingency_table(&pair).unwrap(),
                people.contingency_table(&pair).unwrap()
            );
            assert_eq!(remembered.cell_sizes(&pair).unwrap(), people.cell_sizes(&pair).unwrap());
        }
        assert_eq!(remembered.passes(), 1);
        let triple = Attributes::new([0, 1, 2]);
        assert_eq!(
            remembered.contingency_table(&triple).unwrap(),
            people.contingency_table(&triple).unwrap()
        );
        assert_eq!(remembered.passes(), 2);
        let (by, rest) = (Attributes::new([0]), Attributes::new([0]));
        let (kept, counted) = (remembered.within(&by, &[1]).unwrap(), people.within(&by, &[1]).unwrap());
        assert_eq!(kept.margins(std::slice::from_ref(&rest)).unwrap(), counted.margins(&[rest]).unwrap());
        assert_eq!(remembered.passes(), 2, "a stratum is a slice of what is kept");
    }

    #[test]
    fn without_room_every_question_is_a_pass_and_the_answers_are_the_same() {
        let people = people();
        let remembered = Remembered { most_cells: 10, ..Remembered::new(people.clone()) };
        remembered.prefetch(&Attributes::combinations(people.domain(), 2)).unwrap();
        assert_eq!(remembered.all_margins(2).unwrap(), people.all_margins(2).unwrap());
        let pair = Attributes::new([2, 3]);
        assert_eq!(remembered.contingency_table(&pair).unwrap(), people.contingency_table(&pair).unwrap());
        assert!(remembered.passes() >= 3);
    }
}
