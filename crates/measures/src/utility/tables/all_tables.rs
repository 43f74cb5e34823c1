//! Many tables at once: every side is counted in few passes, and tables are judged in parallel.
//!
//! What is computed for a table does not depend on which others are asked for, nor on the number of threads.

use rayon::prelude::*;
use table::{Attributes, CountSource, Domain, Margin};

use super::{CellPairs, MissingValues, TableOptions, TableUtility};
use crate::{Comparison, CountedTables, MeasureError, SharedTables};

/// The utility of the table of these variables.
pub fn one_table<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    variables: &[S],
    options: &TableOptions,
) -> Result<TableUtility, MeasureError> {
    SharedTables::new(comparison, &options.grouping)?.table(variables, options)
}

/// The utility of every table of `ways` variables, in lexicographic order of variables.
pub fn all_tables(
    comparison: &Comparison<'_>,
    ways: usize,
    options: &TableOptions,
) -> Result<Vec<TableUtility>, MeasureError> {
    SharedTables::new(comparison, &options.grouping)?.all_tables(ways, options)
}

impl SharedTables {
    /// The utility of the table of these variables; the mean over the synthetic sets.
    ///
    /// Numbers stay in the groups in which these tables were classified; `options.grouping` is not looked at again.
    pub fn table(
        &self,
        variables: &[impl AsRef<str>],
        options: &TableOptions,
    ) -> Result<TableUtility, MeasureError> {
        if variables.is_empty() {
            return Err(MeasureError::Option {
                option: "a table",
                message: "needs at least one variable".into(),
            });
        }
        let of = [self.attributes(variables)?];
        self.tables(&of, options)?.pop().ok_or(MeasureError::NoSynthetic)
    }

    /// The utility of every table of `ways` variables; the mean over the synthetic sets.
    pub fn all_tables(&self, ways: usize, options: &TableOptions) -> Result<Vec<TableUtility>, MeasureError> {
        if ways == 0 {
            let message = "must hold at least one variable each".into();
            return Err(MeasureError::Option { option: "tables", message });
        }
        self.tables(&Attributes::combinations(self.domain(), ways), options)
    }

    /// The utility of these tables; the mean over the synthetic sets.
    pub fn tables(
        &self,
        of: &[Attributes],
        options: &TableOptions,
    ) -> Result<Vec<TableUtility>, MeasureError> {
        let of_sets = self.tables_of_sets(of, options)?;
        of_sets.iter().map(|sets| TableUtility::mean(sets).ok_or(MeasureError::NoSynthetic)).collect()
    }

    /// The utility of these tables in every synthetic set: for each table, one a set.
    pub(crate) fn tables_of_sets(
        &self,
        of: &[Attributes],
        options: &TableOptions,
    ) -> Result<Vec<Vec<TableUtility>>, MeasureError> {
        CountedTables::from(self).tables_of_sets(of, options)
    }
}

impl CountedTables<'_> {
    /// The utility of these tables in every synthetic set: for each table, one a set.
    pub(crate) fn tables_of_sets(
        &self,
        of: &[Attributes],
        options: &TableOptions,
    ) -> Result<Vec<Vec<TableUtility>>, MeasureError> {
        let mut of_tables: Vec<Vec<TableUtility>> = of.iter().map(|_| Vec::new()).collect();
        for set in self.synthetic {
            let tables = tables_between(self.original, set, of, options)?;
            of_tables.iter_mut().zip(tables).for_each(|(sets, table)| sets.push(table));
        }
        Ok(of_tables)
    }
}

/// The utility of tables counted by any two sources with one domain.
pub(crate) fn tables_between(
    original: &dyn CountSource,
    synthetic: &dyn CountSource,
    of: &[Attributes],
    options: &TableOptions,
) -> Result<Vec<TableUtility>, MeasureError> {
    let domain = original.domain();
    each_table(original, synthetic, of, options.missing, |of, counts| {
        let names = of.positions().iter().map(|position| domain.variables()[*position].name().to_owned());
        TableUtility::of(names.collect(), counts, options.synthetic_size)
    })
}

/// What `judge` says of each table's counts; the tables are counted in few passes and judged in parallel.
pub(crate) fn each_table<T: Send>(
    original: &dyn CountSource,
    synthetic: &dyn CountSource,
    of: &[Attributes],
    missing: MissingValues,
    judge: impl Fn(&Attributes, &CellPairs) -> T + Sync,
) -> Result<Vec<T>, MeasureError> {
    let domain = original.domain();
    if domain != synthetic.domain() {
        return Err(MeasureError::DifferentDomains);
    }
    let records = original.records() + synthetic.records();
    let batches = batches(domain, of, records);
    let of_batch = |batch: &Batch| match batch {
        Batch::Sparse(place) => {
            let table = &of[*place];
            let (y, s) = (original.contingency_table(table)?, synthetic.contingency_table(table)?);
            Ok(vec![judge(table, &CellPairs::of_tables(domain, &y, &s, missing))])
        }
        Batch::Dense(places) => {
            let tables = &of[places.clone()];
            let (y, s) = (original.margins(tables)?, synthetic.margins(tables)?);
            let one = |(y, s): (&Margin, &Margin)| {
                judge(y.attributes(), &CellPairs::of_margins(domain, y, s, missing))
            };
            Ok(y.par_iter().zip(&s).map(one).collect())
        }
    };
    let found: Vec<Vec<T>> = batches.par_iter().map(of_batch).collect::<Result<_, MeasureError>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Tables that are counted together: neighbours with few cells densely in one pass, one with many cells by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Batch {
    Dense(std::ops::Range<usize>),
    Sparse(usize),
}

/// Dense counts are kept below this many cells at a time.
const CELLS_AT_ONCE: usize = 1 << 21;

/// Splits tables into batches: as few passes over many records as memory allows, and several batches to share out among
/// threads when the records are few.
pub(super) fn batches(domain: &Domain, of: &[Attributes], records: u64) -> Vec<Batch> {
    let few_records = records < 1 << 18;
    let most_tables =
        if few_records { of.len().div_ceil(4 * rayon::current_num_threads()).max(8) } else { usize::MAX };
    let dense_limit = usize::try_from(4 * records).unwrap_or(usize::MAX).clamp(1 << 16, CELLS_AT_ONCE);
    let mut batches = Vec::new();
    let (mut start, mut cells_in_batch) = (0, 0);
    let close = |batches: &mut Vec<Batch>, start: usize, end: usize| {
        if start < end {
            batches.push(Batch::Dense(start..end));
        }
    };
    for (place, table) in of.iter().enumerate() {
        let cells = Margin::checked_cells(domain, table).unwrap_or(usize::MAX);
        if cells > dense_limit {
            close(&mut batches, start, place);
            batches.push(Batch::Sparse(place));
            (start, cells_in_batch) = (place + 1, 0);
        } else if cells_in_batch + cells > CELLS_AT_ONCE || place - start >= most_tables {
            close(&mut batches, start, place);
            (start, cells_in_batch) = (place, cells);
        } else {
            cells_in_batch += cells;
        }
    }
    close(&mut batches, start, of.len());
    batches
}
