//! Counts of an original whose records are elsewhere, and synthetic tables in the same declared classes.

use table::domain::Partition;
use table::{Classes, CodedTable, CountSource, Domain, Remembered, Source, Table};

use crate::{MeasureError, SharedTables};

/// An original of which only counts are known, and its synthetic tables, ready to be counted in one domain: that of the declared schema.
pub struct SharedCounts<'a> {
    original: Box<dyn CountSource + 'a>,
    synthetic: Vec<CodedTable>,
    left_out: Vec<String>,
}

impl<'a> SharedCounts<'a> {
    /// The synthetic tables in the classes of the source, numbers without declared cuts in this many. A synthetic table must have every variable that is
    /// counted, with the levels, codes and missing values that the schema declares.
    pub fn new(
        source: impl Into<Source<'a>>,
        synthetic: &[&Table],
        groups: usize,
    ) -> Result<Self, MeasureError> {
        let source = source.into();
        if synthetic.is_empty() {
            return Err(MeasureError::NoSynthetic);
        }
        let original = Box::new(Remembered::new(source.counts(groups)?));
        let domain = original.domain();
        let coded = |table: &&Table| {
            domain.variables().iter().try_for_each(|classes| check_classes(classes, table))?;
            Ok(CodedTable::in_domain(table, domain)?)
        };
        let coded = synthetic.iter().map(coded).collect::<Result<Vec<_>, MeasureError>>()?;
        let mut left_out: Vec<String> = Vec::new();
        let tables = synthetic.iter().map(|table| table.schema());
        for variable in std::iter::once(source.schema()).chain(tables).flat_map(|schema| schema.variables()) {
            if domain.position_of(&variable.name).is_err() && !left_out.contains(&variable.name) {
                left_out.push(variable.name.clone());
            }
        }
        Ok(Self { synthetic: coded, left_out, original })
    }

    /// The variables and their classes.
    pub fn domain(&self) -> &Domain {
        self.original.domain()
    }

    /// The original.
    pub fn original(&self) -> &dyn CountSource {
        self.original.as_ref()
    }

    /// The synthetic tables, at least one.
    pub fn synthetic(&self) -> &[CodedTable] {
        &self.synthetic
    }

    /// Variables that are not compared: identifiers, computed ones, and those that the schema does not declare.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

/// Refuses a column whose codes do not stand for these classes.
fn check_classes(classes: &Classes, table: &Table) -> Result<(), MeasureError> {
    let position = table.schema().position_of(classes.name())?;
    let mut variable = table.schema().variables()[position].clone();
    if table.missing(position) == 0 {
        variable.missing = classes.missing_class().is_some();
    }
    let same_levels = match classes.partition() {
        Partition::Levels(levels) => variable.kind.levels() == Some(levels),
        Partition::Values(_) | Partition::Intervals { .. } => variable.kind.is_numeric(),
    };
    if same_levels && Classes::new(&variable, classes.partition().clone()) == *classes {
        return Ok(());
    }
    let message = "the synthetic table has another kind, other levels or codes, or other rules for missing values than the schema of the \
                   counts; read it with that schema";
    Err(MeasureError::variable(classes.name(), message))
}

/// Tables of any original, to be counted: what families that need only counts compute on.
#[derive(Clone, Copy)]
pub struct CountedTables<'a> {
    /// The original.
    pub original: &'a dyn CountSource,
    /// The synthetic tables, at least one, in the same classes.
    pub synthetic: &'a [CodedTable],
    /// Variables that are not compared.
    pub left_out: &'a [String],
}

impl<'a> From<&'a SharedTables> for CountedTables<'a> {
    fn from(shared: &'a SharedTables) -> Self {
        Self { original: shared.original(), synthetic: shared.synthetic(), left_out: shared.left_out() }
    }
}

impl<'a> From<&'a SharedCounts<'_>> for CountedTables<'a> {
    fn from(shared: &'a SharedCounts<'_>) -> Self {
        Self { original: shared.original(), synthetic: shared.synthetic(), left_out: shared.left_out() }
    }
}
