//! A table with every variable in classes: the first source of counts.

use std::sync::Arc;

use rayon::prelude::*;

use crate::Variable;
use crate::classify::classify;
use crate::contingency_table::Packing;
use crate::grouping::GroupingStyle;
use crate::margin::DENSE_LIMIT;
use crate::{
    Attributes, Classes, Codes, ContingencyTable, CountSource, Domain, Grouping, Kind, Margin, Table,
    TableError, with_codes,
};

/// Each variable of a table as classes of a domain. Identifiers have no classes and are left out.
#[derive(Clone, Debug)]
pub struct CodedTable {
    domain: Domain,
    columns: Vec<Arc<Codes>>,
    rows: usize,
}

impl CodedTable {
    /// The table with its numbers grouped.
    pub fn new(table: &Table, grouping: &Grouping) -> Result<Self, TableError> {
        Self::over(table, grouping, |_| true)
    }

    /// The same over the variables that `keep` keeps.
    pub fn over(
        table: &Table,
        grouping: &Grouping,
        keep: impl Fn(&Variable) -> bool,
    ) -> Result<Self, TableError> {
        let variables: Vec<_> = table
            .schema()
            .variables()
            .iter()
            .zip(table.columns())
            .filter(|(variable, _)| keep(variable))
            .filter(|(variable, _)| variable.kind != Kind::TextId || grouping.style == GroupingStyle::Exact)
            .collect();
        let (classes, columns): (Vec<Classes>, Vec<Arc<Codes>>) = variables
            .into_par_iter()
            .map(|(variable, column)| {
                let classes = grouping.classes(variable, column)?;
                let codes = classify(&classes, column)?;
                Ok((classes, codes))
            })
            .collect::<Vec<Result<_, TableError>>>()
            .into_iter()
            .collect::<Result<Vec<_>, TableError>>()?
            .into_iter()
            .unzip();
        Ok(Self { domain: Domain::new(classes)?, columns, rows: table.rows() })
    }

    /// The table in the classes of a domain that was made without it.
    pub fn in_domain(table: &Table, domain: &Domain) -> Result<Self, TableError> {
        let column = |classes: &Classes| classify(classes, table.column(classes.name())?);
        let columns: Vec<Result<_, TableError>> = domain.variables().par_iter().map(column).collect();
        let columns = columns.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { domain: domain.clone(), columns, rows: table.rows() })
    }

    /// A table of codes that are already classes of the domain.
    ///
    /// # Panics
    /// If the columns are not as many as the variables or not of one length.
    pub fn from_codes(domain: Domain, columns: Vec<Codes>) -> Self {
        assert_eq!(domain.variables().len(), columns.len(), "one column for each variable");
        let rows = columns.first().map_or(0, Codes::len);
        assert!(columns.iter().all(|codes| codes.len() == rows), "columns of one length");
        Self { domain, columns: columns.into_iter().map(Arc::new).collect(), rows }
    }

    /// The classes of each variable, one a record.
    pub fn columns(&self) -> &[Arc<Codes>] {
        &self.columns
    }

    /// Whether cells over these variables are so few that each is counted, empty or not.
    fn is_dense(&self, of: &Attributes) -> bool {
        let few_cells = (4 * self.rows).clamp(1 << 16, DENSE_LIMIT);
        Margin::checked_cells(&self.domain, of).is_ok_and(|cells| cells <= few_cells)
    }

    /// The cross-table of all variables, for which the coded records are given up.
    pub(crate) fn into_cross_table(self) -> Result<(Domain, ContingencyTable), TableError> {
        let all = Attributes::all(&self.domain);
        if self.is_dense(&all) {
            let cross = self.contingency_table(&all)?;
            return Ok((self.domain, cross));
        }
        let (packing, keys) = self.keys(&all);
        let Self { domain, columns, .. } = self;
        drop(columns);
        Ok((domain, ContingencyTable::from_keys(all, packing, keys)))
    }

    /// The packed cell of every record over these variables, `packing.words()` words each.
    pub fn keys(&self, of: &Attributes) -> (Packing, Vec<u64>) {
        let packing = Packing::new(&self.domain.sizes(of));
        let width = packing.words();
        let mut keys = vec![0; self.rows * width];
        const BLOCK: usize = 1 << 14;
        keys.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, keys)| {
            let rows = block * BLOCK..self.rows.min((block + 1) * BLOCK);
            for (place, position) in of.positions().iter().enumerate() {
                let (word, shift) = packing.word_and_shift(place);
                with_codes!(self.columns[*position].as_ref(), codes => {
                    for (key, code) in keys[word..].iter_mut().step_by(width).zip(&codes[rows.clone()]) {
                        *key |= u64::from(*code) << shift;
                    }
                });
            }
        });
        (packing, keys)
    }
}

impl CountSource for CodedTable {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.rows as u64
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        of.iter().try_for_each(|attributes| Margin::checked_cells(&self.domain, attributes).map(|_| ()))?;
        Ok(counting::count_margins(self, of))
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        if self.is_dense(of) {
            let margins = self.margins(std::slice::from_ref(of))?;
            return Ok(ContingencyTable::from_margin(&margins[0]));
        }
        let (packing, keys) = self.keys(of);
        Ok(ContingencyTable::from_keys(of.clone(), packing, keys))
    }

    fn within(&self, by: &Attributes, cell: &[u32]) -> Result<Box<dyn CountSource + '_>, TableError> {
        let (rest, domain) = self.domain.without(by)?;
        let wanted: Vec<(&Codes, u32)> =
            by.positions().iter().zip(cell).map(|(at, class)| (self.columns[*at].as_ref(), *class)).collect();
        let here = |row: &usize| wanted.iter().all(|(codes, class)| codes.get(*row) == *class);
        let rows: Vec<usize> = (0..self.rows).filter(here).collect();
        let column = |(at, classes): (&usize, &Classes)| {
            let codes = &self.columns[*at];
            Arc::new(Codes::collect(classes.size(), rows.iter().map(|row| codes.get(*row))))
        };
        let columns = rest.positions().iter().zip(domain.variables()).map(column).collect();
        Ok(Box::new(Self { domain, columns, rows: rows.len() }))
    }
}

pub(crate) mod counting {
    //! Many dense margins in few passes over the records.
    //!
    //! Margins that share variables are counted together, in a table over all of them that stays in the cache, and summed
    //! apart at the end. Records are taken in blocks: first the index of each record's cell, in a loop the compiler turns into
    //! vector instructions, then one increment a record. Neighbouring records often share a cell, and an increment that waits
    //! for the one before is slow, so small tables are counted in several interleaved copies that are added up at the end.

    use super::*;
    use crate::covering::{Cover, cover};

    /// Records whose cells are located before they are counted; the indices stay in the nearest cache.
    const BLOCK: usize = 1 << 11;

    /// Cells of a table over several margins: 128 KiB, well inside the cache of a core.
    const CACHED_CELLS: usize = 1 << 15;

    /// Records below which a thread is not worth its own table.
    const PART: usize = 1 << 18;

    pub(super) fn count_margins(table: &CodedTable, of: &[Attributes]) -> Vec<Margin> {
        // Summing a large table apart must stay cheap beside counting the records into it.
        let covers = cover(&table.domain, of, CACHED_CELLS.min(table.rows / 32));
        let parts_of = |Cover { attributes, parts }: &Cover| {
            let all = count_margin(table, attributes, covers.len());
            let part = |part: &usize| {
                let same = of[*part] == *attributes;
                (*part, if same { Some(all.clone()) } else { all.margin(&of[*part]) })
            };
            parts.iter().map(part).collect::<Vec<_>>()
        };
        let mut margins: Vec<(usize, Option<Margin>)> = covers.par_iter().flat_map_iter(parts_of).collect();
        margins.sort_unstable_by_key(|(place, _)| *place);
        margins.into_iter().filter_map(|(_, margin)| margin).collect()
    }

    /// Counts one table, one of `tables`, over parts of the records where the tables alone would not keep all threads busy.
    fn count_margin(table: &CodedTable, of: &Attributes, tables: usize) -> Margin {
        let sizes = table.domain.sizes(of);
        let cells: usize = sizes.iter().product();
        let wanted_parts = (4 * rayon::current_num_threads()).div_ceil(tables);
        let parts = wanted_parts.min(table.rows / PART.max(4 * cells)).max(1);
        let rows = table.rows.div_ceil(parts);
        let count = |part: usize| {
            let mut tally = Tally::new(cells);
            tally.count_rows(table, of, (part * rows).min(table.rows)..((part + 1) * rows).min(table.rows));
            tally.total()
        };
        let sum = |mut left: Vec<u64>, right: Vec<u64>| {
            left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
            left
        };
        let counts = (0..parts).into_par_iter().map(count).reduce_with(sum);
        Margin::new(of.clone(), sizes, counts.unwrap_or_else(|| vec![0; cells]))
    }

    /// Margins of records that come block by block: counted together where they share variables, summed apart at the end.
    pub(crate) struct Tallies {
        covers: Vec<Cover>,
        sums: Vec<(Tally, Option<Vec<u64>>)>,
        /// Records since the tallies of 32 bits were last added up.
        since: u64,
    }

    impl Tallies {
        /// Nothing counted yet of these margins.
        pub(crate) fn new(domain: &Domain, of: &[Attributes]) -> Self {
            let covers = cover(domain, of, CACHED_CELLS);
            let tally = |cover: &Cover| (Tally::new(domain.sizes(&cover.attributes).iter().product()), None);
            let sums = covers.iter().map(tally).collect();
            Self { covers, sums, since: 0 }
        }

        /// Counts some records.
        pub(crate) fn add(&mut self, block: &CodedTable) {
            if self.since + block.rows as u64 > u64::from(u32::MAX) {
                self.flush();
            }
            self.since += block.rows as u64;
            for (cover, (tally, _)) in self.covers.iter().zip(&mut self.sums) {
                tally.count_rows(block, &cover.attributes, 0..block.rows);
            }
        }

        /// Adds what the tallies of 32 bits hold to sums of 64 bits.
        fn flush(&mut self) {
            for (tally, sums) in &mut self.sums {
                let cells = tally.counts.len() / tally.copies;
                let counted = std::mem::replace(tally, Tally::new(cells)).total();
                match sums {
                    Some(sums) => sums.iter_mut().zip(counted).for_each(|(sum, more)| *sum += more),
                    None => *sums = Some(counted),
                }
            }
            self.since = 0;
        }

        /// Adds what another one has counted of the same margins.
        pub(crate) fn merge(&mut self, mut other: Self) {
            self.flush();
            other.flush();
            for ((_, sums), (_, more)) in self.sums.iter_mut().zip(other.sums) {
                let (Some(sums), Some(more)) = (sums, more) else { continue };
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }

        /// The margins, in the order in which they were asked for.
        pub(crate) fn margins(mut self, domain: &Domain, of: &[Attributes]) -> Vec<Margin> {
            self.flush();
            let mut margins: Vec<(usize, Option<Margin>)> = Vec::with_capacity(of.len());
            for (Cover { attributes, parts }, (_, sums)) in self.covers.into_iter().zip(self.sums) {
                let all =
                    Margin::new(attributes.clone(), domain.sizes(&attributes), sums.unwrap_or_default());
                for part in parts {
                    let same = of[part] == attributes;
                    margins.push((part, if same { Some(all.clone()) } else { all.margin(&of[part]) }));
                }
            }
            margins.sort_unstable_by_key(|(place, _)| *place);
            margins.into_iter().filter_map(|(_, margin)| margin).collect()
        }
    }

    /// The index over one more variable with `size` classes.
    fn extend<C: Copy + Into<u32>>(index: &mut [u32], size: u32, codes: &[C]) {
        for (index, code) in index.iter_mut().zip(codes) {
            *index = *index * size + (*code).into();
        }
    }

    /// Counts of one margin in interleaved copies.
    struct Tally {
        copies: usize,
        counts: Vec<u32>,
        index: Vec<u32>,
    }

    impl Tally {
        fn new(cells: usize) -> Self {
            let copies = if cells <= 1 << 12 { 4 } else { 1 };
            Self { copies, counts: vec![0; cells * copies], index: vec![0; BLOCK] }
        }

        fn count_rows(&mut self, table: &CodedTable, of: &Attributes, rows: std::ops::Range<usize>) {
            for start in rows.clone().step_by(BLOCK) {
                let block = start..(start + BLOCK).min(rows.end);
                self.locate(table, of, block.clone());
                self.count(block.len());
            }
        }

        /// The index of each record's cell.
        fn locate(&mut self, table: &CodedTable, of: &Attributes, rows: std::ops::Range<usize>) {
            let index = &mut self.index[..rows.len()];
            index.fill(0);
            for position in of.positions() {
                let size = table.domain.variables()[*position].size() as u32;
                with_codes!(table.columns[*position].as_ref(), codes => extend(index, size, &codes[rows.clone()]));
            }
        }

        fn count(&mut self, rows: usize) {
            let index = &self.index[..rows];
            if self.copies == 4 {
                let (quads, rest) = index.as_chunks::<4>();
                for quad in quads {
                    for (copy, cell) in quad.iter().enumerate() {
                        self.counts[4 * *cell as usize + copy] += 1;
                    }
                }
                rest.iter().for_each(|cell| self.counts[4 * *cell as usize] += 1);
            } else {
                index.iter().for_each(|cell| self.counts[*cell as usize] += 1);
            }
        }

        fn total(self) -> Vec<u64> {
            self.counts
                .chunks_exact(self.copies)
                .map(|copies| copies.iter().map(|count| u64::from(*count)).sum())
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coded(sizes: &[usize], rows: &[Vec<u32>]) -> CodedTable {
        let classes = sizes.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
        let columns = (0..sizes.len()).map(|i| Codes::collect(sizes[i], rows.iter().map(|row| row[i])));
        CodedTable::from_codes(Domain::new(classes.collect()).unwrap(), columns.collect())
    }

    fn rows_of(sizes: Vec<usize>, most: usize) -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>)> {
        let row: Vec<_> = sizes.iter().map(|size| 0..*size as u32).collect();
        prop::collection::vec(row, 0..most).prop_map(move |rows| (sizes.clone(), rows))
    }

    fn any_rows() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>)> {
        prop::collection::vec(prop_oneof![1_usize..9, 250_usize..300], 1..7)
            .prop_flat_map(|sizes| rows_of(sizes, 200))
    }

    proptest! {
        #[test]
        fn dense_sparse_and_naive_counts_agree((sizes, rows) in any_rows(), mask: u8) {
            let table = coded(&sizes, &rows);
            let of = Attributes::new((0..sizes.len()).filter(|place| mask >> place & 1 == 1).take(3));
            let sparse = table.contingency_table(&of).unwrap();
            let mut naive = std::collections::BTreeMap::new();
            for row in &rows {
                let cell: Vec<u32> = of.positions().iter().map(|position| row[*position]).collect();
                *naive.entry(cell).or_insert(0_u64) += 1;
            }
            prop_assert_eq!(sparse.iter().collect::<Vec<_>>(), naive.into_iter().collect::<Vec<_>>());
            let margin = table.margins(std::slice::from_ref(&of)).unwrap().remove(0);
            prop_assert_eq!(ContingencyTable::from_margin(&margin), sparse.clone());
            let (packing, keys) = table.keys(&of);
            prop_assert_eq!(ContingencyTable::from_keys(of, packing, keys), sparse);
        }

        #[test]
        fn row_order_does_not_matter((sizes, rows) in any_rows(), turn in 0_usize..50) {
            let all = Attributes::new(0..sizes.len());
            let before = coded(&sizes, &rows).contingency_table(&all).unwrap();
            let mut turned = rows.clone();
            turned.rotate_left(turn % rows.len().max(1));
            turned.reverse();
            prop_assert_eq!(coded(&sizes, &turned).contingency_table(&all).unwrap(), before);
        }

        #[test]
        fn column_order_does_not_matter((sizes, rows) in any_rows()) {
            let reversed: Vec<Vec<u32>> = rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
            let reversed_sizes: Vec<usize> = sizes.iter().rev().copied().collect();
            let all = Attributes::new(0..sizes.len());
            let one = coded(&sizes, &rows).contingency_table(&all).unwrap();
            let other = coded(&reversed_sizes, &reversed).contingency_table(&all).unwrap();
            prop_assert_eq!(one.cells(), other.cells());
            prop_assert_eq!(one.size_histogram(), other.size_histogram());
            for (cell, count) in one.iter() {
                prop_assert_eq!(other.count_of(&cell.into_iter().rev().collect::<Vec<_>>()), count);
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_counts() {
        let rows: Vec<Vec<u32>> =
            (0..600_000_u32).map(|i| vec![i % 7, (i % 97) * (i % 89) % 11, (i >> 3) % 300]).collect();
        let table = coded(&[7, 11, 300], &rows);
        let count = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                (table.all_margins(2).unwrap(), table.contingency_table(&Attributes::new(0..3)).unwrap())
            })
        };
        let one = count(1);
        assert_eq!(one.0.iter().map(Margin::total).collect::<Vec<_>>(), [600_000; 3]);
        assert!(count(2) == one && count(5) == one);
    }

    #[test]
    fn two_hundred_binary_variables_are_counted_sparsely() {
        let rows: Vec<Vec<u32>> =
            (0..1000_u32).map(|i| (0..200).map(|bit| (i % 500) >> (bit % 9) & 1).collect()).collect();
        let table = coded(&[2; 200], &rows);
        let all = table.contingency_table(&Attributes::all(table.domain())).unwrap();
        assert_eq!((all.occupied(), all.unique_records(), all.total()), (500, 0, 1000));
        assert_eq!(all.cells(), num_bigint::BigUint::from(2_u8).pow(200));
        assert_eq!(all.count_of(&rows[17]), 2);
    }

    #[test]
    fn a_dense_margin_above_the_limit_is_refused_by_name() {
        let table = coded(&[60_000, 60_000], &[vec![0, 0]]);
        let error = table.margins(&[Attributes::new([0, 1])]).unwrap_err().to_string();
        assert!(error.contains("v0 × v1") && error.contains("3600000000"), "{error}");
    }
}
