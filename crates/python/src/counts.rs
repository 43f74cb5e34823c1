//! Counts that a Python function answers, such as the GROUP BY of an engine: the records stay where they are.

use std::sync::Arc;

use lookalike::Error;
use lookalike::table::schema::SchemaFile;
use lookalike::table::{
    Attributes, ContingencyTable, CountSource, DeclaredSchema, Domain, Margin, TableError,
};
use pyo3::prelude::*;

use crate::calls::Line;

/// Counts over sets of variables: the function gets lists of positions of variables, and answers each with its cells, `([class, …], count)`.
pub(crate) struct AskedCounts {
    domain: Domain,
    records: u64,
    answer: Arc<Py<PyAny>>,
    line: Line,
}

impl AskedCounts {
    pub(crate) fn new(
        schema: &str,
        groups: usize,
        records: u64,
        answer: Py<PyAny>,
        line: Line,
    ) -> Result<(DeclaredSchema, Self), Error> {
        let schema = SchemaFile::parse(schema)?.finish()?;
        let declared = lookalike::synthesis::private::declared(&schema)?;
        let domain = Domain::declared(&declared, groups)?;
        Ok((declared, Self { domain, records, answer: Arc::new(answer), line }))
    }

    fn ask(&self, of: &[Attributes]) -> Result<Vec<ContingencyTable>, TableError> {
        type Cells = Vec<(Vec<u32>, u64)>;
        let sets: Vec<Vec<usize>> = of.iter().map(|of| of.positions().to_vec()).collect();
        let answer = Arc::clone(&self.answer);
        let answered: PyResult<Vec<Cells>> = self
            .line
            .call(move |py| answer.call1(py, (sets,))?.extract::<Vec<Cells>>(py))
            .ok_or(TableError::Cancelled)?;
        let answered = answered.map_err(|error| {
            // The engine's own words may quote a value; its type may not.
            let kind = Python::attach(|py| {
                error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string())
            });
            let own = Python::attach(|py| {
                error.value(py).getattr("for_people").and_then(|text| text.extract::<String>()).ok()
            });
            TableError::schema(
                "counts",
                own.unwrap_or_else(|| format!("the function that counts failed with {kind}")),
            )
        })?;
        if answered.len() != of.len() {
            return Err(TableError::schema("counts", "the function that counts left a question unanswered"));
        }
        let table = |(of, cells): (&Attributes, &Cells)| {
            let sizes = self.domain.sizes(of);
            let fits = |cell: &Vec<u32>| {
                cell.len() == sizes.len()
                    && cell.iter().zip(&sizes).all(|(class, size)| (*class as usize) < *size)
            };
            if !cells.iter().all(|(cell, _)| fits(cell)) {
                return Err(TableError::schema(
                    "counts",
                    "a cell lies outside the classes that the schema declares",
                ));
            }
            let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
            Ok(ContingencyTable::from_cells(of.clone(), &sizes, cells))
        };
        of.iter().zip(&answered).map(table).collect()
    }
}

impl CountSource for AskedCounts {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        of.iter().try_for_each(|of| Margin::checked_cells(&self.domain, of).map(|_| ()))?;
        let tables = self.ask(of)?;
        let too_many = || TableError::schema("counts", "too many cells");
        tables.iter().map(|table| table.to_margin().ok_or_else(too_many)).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let mut tables = self.ask(std::slice::from_ref(of))?;
        tables.pop().ok_or_else(|| TableError::schema("counts", "the question was left unanswered"))
    }
}
