//! What a fit, a plan or a measure starts from: records, or counts of records that stay where they are.

use std::borrow::Cow;
use std::sync::Arc;

use crate::sql::SqlTable;
use crate::streamed::chosen_rows;
use crate::{
    Attributes, CodedTable, ContingencyTable, CountSource, DeclaredSchema, Domain, Grouping, Margin, Schema,
    StreamedTable, Table, TableError, Variable,
};

/// Records in memory, or counts in the classes of a declared schema.
///
/// ```
/// use table::schema::SchemaFile;
/// use table::{Attributes, ContingencyTable, CountSource, Domain, Source, SparseSource};
///
/// let schema = "[table]\ndeclared = true\nreason = \"invented\"\n\
///     [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
///     [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 65, 99]\n";
/// let schema = SchemaFile::parse(schema)?.finish()?.reviewed().unwrap();
/// let domain = Domain::declared(&schema, 5)?;
/// let cells: [(&[u32], u64); 2] = [(&[0, 1], 40), (&[1, 2], 2)];
/// let cross = ContingencyTable::from_cells(Attributes::all(&domain), &[2, 3], cells);
/// let counts = SparseSource::new(domain, cross);
/// let source = Source::Counts { schema: &schema, counts: &counts };
/// assert_eq!((source.records(), source.table().is_none()), (42, true));
/// assert_eq!(source.counts(5)?.margins(&[Attributes::new([1])])?[0].counts(), [0, 40, 2]);
/// # Ok::<(), table::TableError>(())
/// ```
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Records, under the schema that they were read by.
    Records(&'a Table),
    /// Records in files that are read block by block and never held.
    Streamed(&'a StreamedTable),
    /// Records in an engine, which counts them where they are.
    Sql(&'a SqlTable),
    /// Counts, from wherever the records are, and the declared schema that says what their classes are.
    Counts {
        /// The schema.
        schema: &'a DeclaredSchema,
        /// The counts of its modelled variables.
        counts: &'a dyn CountSource,
    },
}

impl<'a> From<&'a Table> for Source<'a> {
    fn from(table: &'a Table) -> Self {
        Self::Records(table)
    }
}

impl<'a> From<&'a Arc<Table>> for Source<'a> {
    fn from(table: &'a Arc<Table>) -> Self {
        Self::Records(table)
    }
}

impl<'a> From<&'a StreamedTable> for Source<'a> {
    fn from(files: &'a StreamedTable) -> Self {
        Self::Streamed(files)
    }
}

impl<'a> From<&'a SqlTable> for Source<'a> {
    fn from(table: &'a SqlTable) -> Self {
        Self::Sql(table)
    }
}

impl<'a> Source<'a> {
    /// What the variables may hold.
    pub fn schema(&self) -> &'a Schema {
        match *self {
            Self::Records(table) => table.schema(),
            Self::Streamed(files) => files.schema(),
            Self::Sql(table) => table.schema(),
            Self::Counts { schema, .. } => schema.schema(),
        }
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        match *self {
            Self::Records(table) => table.rows() as u64,
            Self::Streamed(files) => files.records(),
            Self::Sql(table) => table.records(),
            Self::Counts { counts, .. } => counts.records(),
        }
    }

    /// The records, where they are here.
    pub fn table(&self) -> Option<&'a Table> {
        match *self {
            Self::Records(table) => Some(table),
            Self::Streamed(_) | Self::Sql(_) | Self::Counts { .. } => None,
        }
    }

    /// So many records, drawn at random, or all where there are fewer; the same ones for the same seed. `None` where the records cannot be read.
    pub fn sample(&self, rows: u64, seed: u64) -> Result<Option<Cow<'a, Table>>, TableError> {
        match *self {
            Self::Records(table) if table.rows() as u64 <= rows => Ok(Some(Cow::Borrowed(table))),
            Self::Records(table) => {
                let chosen = chosen_rows(table.rows() as u64, rows, seed);
                let chosen: Vec<u32> = chosen.into_iter().map(|row| row as u32).collect();
                Ok(Some(Cow::Owned(table.take(&chosen)?)))
            }
            Self::Streamed(files) => Ok(Some(Cow::Owned(files.sample(rows, seed)?))),
            Self::Sql(_) | Self::Counts { .. } => Ok(None),
        }
    }

    /// Counts in the classes of the declared schema, made without a look at the records: what may be published, and what a private run counts in.
    pub fn declared_counts(
        &self,
        schema: &DeclaredSchema,
        groups: usize,
    ) -> Result<Box<dyn CountSource + 'a>, TableError> {
        let domain = Domain::declared(schema, groups)?;
        match *self {
            Self::Records(table) => Ok(Box::new(CodedTable::in_domain(table, &domain)?)),
            Self::Streamed(files) => Ok(Box::new(files.counts_in(domain))),
            Self::Sql(table) => Ok(Box::new(table.counts_in(domain))),
            Self::Counts { counts, .. } => Ok(Box::new(CheckedCounts::new(counts, &domain)?)),
        }
    }

    /// Counts of the modelled variables. Numbers of records without declared cuts are grouped by quantiles, as
    /// [`Grouping`] does; counts must be in the classes of [`Domain::declared`] with this number of groups, and every answer of
    /// theirs is checked.
    pub fn counts(&self, groups: usize) -> Result<Box<dyn CountSource + 'a>, TableError> {
        match *self {
            Self::Records(table) => {
                let grouping = Grouping::quantiles(groups);
                Ok(Box::new(CodedTable::over(table, &grouping, Variable::is_modelled)?))
            }
            Self::Streamed(files) => Ok(Box::new(files.counts_in(files.domain(groups)?))),
            Self::Sql(table) => Ok(Box::new(table.counts_in(table.domain(groups)?))),
            Self::Counts { schema, counts } => {
                Ok(Box::new(CheckedCounts::new(counts, &Domain::declared(schema, groups)?)?))
            }
        }
    }
}

/// Counts whose every answer is what was asked for: margins of the right variables, over their classes, that add up to the number of
/// records.
struct CheckedCounts<'a>(&'a dyn CountSource);

impl<'a> CheckedCounts<'a> {
    fn new(counts: &'a dyn CountSource, declared: &Domain) -> Result<Self, TableError> {
        let (given, wanted) = (counts.domain().variables(), declared.variables());
        let differs =
            wanted.iter().zip(given).find(|(wanted, given)| wanted != given).map(|(wanted, _)| wanted);
        if let Some(classes) = differs.or_else(|| wanted.get(given.len())) {
            let message = "the counts are not in the classes that the schema declares; count it in its levels, its cuts, or \
                           else in classes of equal width over its range";
            return Err(TableError::variable(classes.name(), message));
        }
        if let Some(extra) = given.get(wanted.len()) {
            return Err(TableError::variable(
                extra.name(),
                "it is counted, but the schema does not declare it",
            ));
        }
        Ok(Self(counts))
    }

    fn check(
        &self,
        of: &Attributes,
        found: &Attributes,
        sizes: &[usize],
        total: u64,
    ) -> Result<(), TableError> {
        let domain = self.0.domain();
        let message = if of != found || domain.sizes(of) != sizes {
            "the source answered with counts of other variables or classes"
        } else if total != self.0.records() {
            "the counts do not add up to the number of records; the data may have changed while they were counted"
        } else {
            return Ok(());
        };
        Err(TableError::schema(format!("counts of {}", domain.describe(of)), message))
    }
}

impl CountSource for CheckedCounts<'_> {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn records(&self) -> u64 {
        self.0.records()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let margins = self.0.margins(of)?;
        if margins.len() != of.len() {
            let message = format!(
                "the source answered with {} margins where {} were asked for",
                margins.len(),
                of.len()
            );
            return Err(TableError::schema("counts", message));
        }
        for (of, margin) in of.iter().zip(&margins) {
            self.check(of, margin.attributes(), margin.sizes(), margin.total())?;
        }
        Ok(margins)
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let table = self.0.contingency_table(of)?;
        self.check(of, table.attributes(), table.sizes(), table.total())?;
        Ok(table)
    }

    fn cell_sizes(&self, of: &Attributes) -> Result<std::collections::BTreeMap<u64, u64>, TableError> {
        self.0.cell_sizes(of)
    }

    fn prefetch(&self, of: &[Attributes]) -> Result<(), TableError> {
        self.0.prefetch(of)
    }

    fn within(&self, by: &Attributes, cell: &[u32]) -> Result<Box<dyn CountSource + '_>, TableError> {
        self.0.within(by, cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::SchemaFile;
    use crate::{Classes, SparseSource};

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.id]\nkind = \"text-id\"\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 65, 99]\n\
        [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\nmissing = true\n";

    fn people() -> (Table, DeclaredSchema) {
        let schema = SchemaFile::parse(SCHEMA).unwrap();
        let declared = schema.clone().finish().unwrap().reviewed().unwrap();
        let text = "id,sex,age,town\n1,F,20,a\n2,F,3,b\n3,M,70,\n4,M,70,\n5,F,20,b\n6,M,64,a\n";
        let table =
            read_csv_text(text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
        (table, declared)
    }

    /// Counts that are not a table; some of them lie.
    struct Foreign {
        counts: SparseSource,
        records: u64,
        reversed: bool,
    }

    impl CountSource for Foreign {
        fn domain(&self) -> &Domain {
            self.counts.domain()
        }

        fn records(&self) -> u64 {
            self.records
        }

        fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
            let mut margins = self.counts.margins(of)?;
            if self.reversed {
                margins.reverse();
            }
            Ok(margins)
        }

        fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
            self.counts.contingency_table(of)
        }
    }

    fn foreign(table: &Table) -> Foreign {
        let coded = Source::from(table).counts(5).unwrap();
        let cross = coded.contingency_table(&Attributes::all(coded.domain())).unwrap();
        Foreign {
            records: cross.total(),
            counts: SparseSource::new(coded.domain().clone(), cross),
            reversed: false,
        }
    }

    #[test]
    fn records_and_their_counts_are_counted_alike() {
        let (table, schema) = people();
        let counts = foreign(&table);
        let (of_records, of_counts) =
            (Source::from(&table), Source::Counts { schema: &schema, counts: &counts });
        assert_eq!(of_records.schema(), of_counts.schema());
        assert_eq!((of_records.records(), of_counts.records()), (6, 6));
        let (left, right) = (of_records.counts(5).unwrap(), of_counts.counts(5).unwrap());
        assert_eq!(left.all_margins(2).unwrap(), right.all_margins(2).unwrap());
        let all = Attributes::all(left.domain());
        assert_eq!(left.cell_sizes(&all).unwrap(), right.cell_sizes(&all).unwrap());
        assert_eq!(left.cell_sizes(&all).unwrap(), [(1, 4), (2, 1)].into());
        for by in [Attributes::new([0]), Attributes::new([1]), Attributes::new([0, 2])] {
            let sizes = left.domain().sizes(&by);
            for index in 0..sizes.iter().product::<usize>() {
                let cell: Vec<u32> = match *sizes {
                    [_] => vec![index as u32],
                    _ => vec![(index / sizes[1]) as u32, (index % sizes[1]) as u32],
                };
                let (left, right) = (left.within(&by, &cell).unwrap(), right.within(&by, &cell).unwrap());
                assert_eq!((left.domain(), left.records()), (right.domain(), right.records()));
                for ways in 0..=left.domain().variables().len() {
                    let margins = left.all_margins(ways).unwrap();
                    assert_eq!(margins, right.all_margins(ways).unwrap());
                    for margin in margins {
                        let sparse = right.contingency_table(margin.attributes()).unwrap();
                        assert_eq!(sparse, ContingencyTable::from_margin(&margin));
                        assert_eq!(margin.total(), left.records());
                    }
                }
                let (inner, classes) = (Attributes::new([0]), left.domain().variables()[0].size() as u32);
                for class in 0..classes {
                    let (left, right) =
                        (left.within(&inner, &[class]).unwrap(), right.within(&inner, &[class]).unwrap());
                    assert_eq!((left.domain(), left.records()), (right.domain(), right.records()));
                    assert_eq!(left.all_margins(1).unwrap(), right.all_margins(1).unwrap());
                }
            }
        }
    }

    #[test]
    fn counts_in_other_classes_and_wrong_answers_are_refused() {
        let (table, schema) = people();
        let counts =
            |counts: &dyn CountSource| Source::Counts { schema: &schema, counts }.counts(5).map(|_| ());
        let classes = [("sex", 2), ("age", 4), ("town", 3)].map(|(name, size)| Classes::of_size(name, size));
        let other = Domain::new(classes.to_vec()).unwrap();
        let empty = ContingencyTable::from_cells(Attributes::all(&other), &[2, 4, 3], []);
        let error = counts(&SparseSource::new(other, empty)).unwrap_err().to_string();
        assert!(error.contains("`sex`") && error.contains("cuts"), "{error}");

        let wrong_total = Foreign { records: 7, ..foreign(&table) };
        let source = Source::Counts { schema: &schema, counts: &wrong_total }.counts(5).unwrap();
        let error = source.contingency_table(&Attributes::new([0])).unwrap_err().to_string();
        assert!(error.contains("counts of sex") && error.contains("add up"), "{error}");

        let reversed = Foreign { reversed: true, ..foreign(&table) };
        let source = Source::Counts { schema: &schema, counts: &reversed }.counts(5).unwrap();
        assert!(source.all_margins(1).unwrap_err().to_string().contains("other variables"));
    }
}
