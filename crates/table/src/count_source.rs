//! The narrow waist: the one trait through which count-based methods see data.

use std::collections::BTreeMap;

use crate::counts_within::CountsWithin;
use crate::{Attributes, ContingencyTable, Domain, Margin, TableError};

/// Something that can be counted: a table in memory, a folder of Parquet files, a database.
///
/// All wanted margins come in one call, so that a source can scan its records once. Counts are exact and do not depend on the
/// number of threads.
pub trait CountSource: Sync {
    /// The variables and their classes.
    fn domain(&self) -> &Domain;

    /// The number of records.
    fn records(&self) -> u64;

    /// Dense counts over each of these sets of variables.
    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError>;

    /// Sparse counts over these variables, however many cells they span.
    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError>;

    /// Dense counts over every set of `ways` variables.
    fn all_margins(&self, ways: usize) -> Result<Vec<Margin>, TableError> {
        self.margins(&Attributes::combinations(self.domain(), ways))
    }

    /// How many cells over these variables hold each number of records, empty cells left out. A database answers this without
    /// handing over a single cell.
    fn cell_sizes(&self, of: &Attributes) -> Result<BTreeMap<u64, u64>, TableError> {
        Ok(self.contingency_table(of)?.size_histogram())
    }

    /// Counts these margins now, in as few passes over the records as can be, so that they are at hand when they are asked for one by one. Where counting
    /// takes no pass, nothing is done.
    fn prefetch(&self, _of: &[Attributes]) -> Result<(), TableError> {
        Ok(())
    }

    /// The records of one cell of `by`, as a source over the other variables.
    fn within(&self, by: &Attributes, cell: &[u32]) -> Result<Box<dyn CountSource + '_>, TableError> {
        Ok(Box::new(CountsWithin::new(self, by, cell)?))
    }
}

impl<S: CountSource + ?Sized> CountSource for Box<S> {
    fn domain(&self) -> &Domain {
        self.as_ref().domain()
    }

    fn records(&self) -> u64 {
        self.as_ref().records()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        self.as_ref().margins(of)
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        self.as_ref().contingency_table(of)
    }

    fn cell_sizes(&self, of: &Attributes) -> Result<BTreeMap<u64, u64>, TableError> {
        self.as_ref().cell_sizes(of)
    }

    fn prefetch(&self, of: &[Attributes]) -> Result<(), TableError> {
        self.as_ref().prefetch(of)
    }

    fn within(&self, by: &Attributes, cell: &[u32]) -> Result<Box<dyn CountSource + '_>, TableError> {
        self.as_ref().within(by, cell)
    }
}
