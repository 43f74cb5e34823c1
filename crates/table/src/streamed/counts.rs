//! Counts of records that are read block by block: each block is coded, counted and dropped.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::StreamedTable;
use super::coding;
use crate::coded_table::counting::Tallies;
use crate::contingency_table::Packing;
use crate::read::in_blocks::{Block, Place};
use crate::{Attributes, CodedTable, ContingencyTable, CountSource, Domain, Margin, TableError};

/// Cells of all margins that are counted in one pass, by each thread.
const CELLS_A_PASS: usize = 1 << 23;

/// A margin of more cells is counted sparsely.
const DENSE_CELLS: usize = 1 << 22;

/// Records whose keys are sorted together where cells are counted sparsely: 32 MB of one word each.
const KEYS_A_RUN: usize = 1 << 22;

/// So many cells may lie in runs beside the largest one, and so many runs, before they are added up.
const CELLS_UNMERGED: usize = 1 << 24;
const MOST_RUNS: usize = 32;

/// The counts of the records of some files, in the classes of a domain.
pub struct StreamedCounts<'a> {
    table: &'a StreamedTable,
    domain: Domain,
}

impl<'a> StreamedCounts<'a> {
    pub(super) fn new(table: &'a StreamedTable, domain: Domain) -> Self {
        Self { table, domain }
    }

    /// Passes over the records, each block as classes; of the variables that are not in `of`, the classes mean nothing. The first pass compares all records with
    /// their schema.
    fn pass(
        &self,
        of: &Attributes,
        each: &(dyn Fn(&CodedTable) -> Result<(), TableError> + Sync),
    ) -> Result<(), TableError> {
        let names = of.positions().iter().map(|position| self.domain.variables()[*position].name());
        self.table.checked_pass(names, true, &|place: &Place, block: Block, wanted: &[usize], whole: bool| {
            let table = self.table;
            let (coded, violations) =
                coding::coded(&table.files, &table.schema, &self.domain, place, block, wanted, whole)?;
            if violations.is_empty() {
                each(&coded)?;
            }
            Ok(violations)
        })
    }

    /// Dense margins in one pass.
    fn count(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let all = of.iter().fold(Attributes::new([]), |all, of| all.union(of));
        let idle: Mutex<Vec<Tallies>> = Mutex::default();
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        self.pass(&all, &|block| {
            let taken = lock().pop();
            let mut tallies = taken.unwrap_or_else(|| Tallies::new(&self.domain, of));
            tallies.add(block);
            lock().push(tallies);
            Ok(())
        })?;
        let counted = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
        let sum = counted.into_iter().reduce(|mut sum, more| {
            sum.merge(more);
            sum
        });
        Ok(sum.unwrap_or_else(|| Tallies::new(&self.domain, of)).margins(&self.domain, of))
    }

    /// A sparse table in one pass: keys of some millions of records are sorted and counted together, and these runs are added up when they have grown to the size of what there is.
    fn count_sparsely(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let packing = Packing::new(&self.domain.sizes(of));
        let enough = KEYS_A_RUN * packing.words();
        let (unsorted, runs): (Mutex<Vec<Vec<u64>>>, Mutex<Vec<ContingencyTable>>) = Default::default();
        // Beside what is held, as much is needed to add it up.
        let refuse = |bytes: usize| {
            self.table
                .refuse_memory(2 * bytes as u64, || format!("the cells of {}", self.domain.describe(of)))
        };
        let run_of = |keys| ContingencyTable::from_keys(of.clone(), packing.clone(), keys);
        self.pass(of, &|block| {
            let mut keys = locked(&unsorted).pop().unwrap_or_default();
            keys.extend_from_slice(&block.keys(of).1);
            if keys.len() < enough {
                let bytes = 8 * keys.len();
                locked(&unsorted).push(keys);
                return refuse(bytes);
            }
            let run = run_of(keys);
            let mut held = locked(&runs);
            held.push(run);
            let cells = held.iter().map(ContingencyTable::occupied);
            let (all, largest) = (cells.clone().sum::<usize>(), cells.max().unwrap_or(0));
            let bytes: usize = held.iter().map(ContingencyTable::bytes).sum();
            if all - largest > largest.max(CELLS_UNMERGED) || held.len() >= MOST_RUNS {
                let some = std::mem::take(&mut *held);
                drop(held);
                let sum = ContingencyTable::merged_all(some);
                locked(&runs).extend(sum);
            }
            refuse(bytes)
        })?;
        let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let unsorted = unsorted.into_inner().unwrap_or_else(PoisonError::into_inner);
        runs.extend(unsorted.into_iter().map(run_of));
        let none = || ContingencyTable::from_cells(of.clone(), &self.domain.sizes(of), []);
        Ok(ContingencyTable::merged_all(runs).unwrap_or_else(none))
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CountSource for StreamedCounts<'_> {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.table.records()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let cells =
            of.iter().map(|of| Margin::checked_cells(&self.domain, of)).collect::<Result<Vec<_>, _>>()?;
        let mut margins: Vec<Option<Margin>> = of.iter().map(|_| None).collect();
        let mut left: Vec<usize> = (0..of.len()).filter(|at| cells[*at] <= DENSE_CELLS).collect();
        while !left.is_empty() {
            let mut held = 0;
            let fits = left.iter().take_while(|at| {
                held += cells[**at];
                held <= CELLS_A_PASS
            });
            let some: Vec<usize> = left.drain(..fits.count().max(1)).collect();
            let wanted: Vec<Attributes> = some.iter().map(|at| of[*at].clone()).collect();
            for (at, margin) in some.into_iter().zip(self.count(&wanted)?) {
                margins[at] = Some(margin);
            }
        }
        let margin = |(margin, of): (Option<Margin>, &Attributes)| match margin {
            Some(margin) => Ok(margin),
            None => self
                .count_sparsely(of)?
                .to_margin()
                .ok_or_else(|| TableError::schema("counts", "a margin above the dense limit")),
        };
        margins.into_iter().zip(of).map(margin).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let is_small = Margin::checked_cells(&self.domain, of).is_ok_and(|cells| cells <= 1 << 16);
        if is_small {
            return Ok(ContingencyTable::from_margin(&self.margins(std::slice::from_ref(of))?[0]));
        }
        self.count_sparsely(of)
    }
}
