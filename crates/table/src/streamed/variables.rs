//! Some variables of all records, held in memory: for what needs records and not counts, such as matches of keys.

use std::sync::{Arc, Mutex, PoisonError};

use super::{StreamedTable, coding};
use crate::read::in_blocks::{Block, Place};
use crate::schema::Violations;
use crate::{Column, Table, TableError};

impl StreamedTable {
    /// These variables of all records, in the order of the schema and of the files. Rules, parents and formulas that name another variable are left behind; all records are compared
    /// with the whole schema before, if they have not been. More than the memory that is allowed is refused.
    pub fn variables(&self, names: &[&str]) -> Result<Table, TableError> {
        self.check()?;
        let mut positions =
            names.iter().map(|name| self.schema.position_of(name)).collect::<Result<Vec<_>, _>>()?;
        positions.sort_unstable();
        positions.dedup();
        let schema = Arc::new(self.schema.select(&positions)?);
        let names = schema.variables().iter().map(|variable| variable.name.as_str());
        let held: Mutex<(Vec<(u64, Table)>, u64)> = Mutex::default();
        self.checked_pass(names, false, &|place: &Place, block: Block, wanted: &[usize], _| {
            let mut columns: Vec<Option<Column>> = schema.variables().iter().map(|_| None).collect();
            let mut violations = Violations::default();
            for (at, column) in wanted.iter().zip(block.columns) {
                let position = schema.position_of(&self.files.names[*at])?;
                let variable = &schema.variables()[position];
                let (column, broken) = coding::conformed_column(&self.files, variable, place, *at, column)?;
                violations.merge(broken, 0);
                columns[position] = Some(column);
            }
            let lacks = || TableError::schema("schema", "a column of the schema is not in the files");
            let columns =
                columns.into_iter().map(|column| column.ok_or_else(lacks)).collect::<Result<_, _>>()?;
            if violations.is_empty() {
                let part = Table::new(Arc::clone(&schema), columns)?;
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                held.1 += part.bytes() as u64;
                held.0.push((place.first, part));
                // The parts are put together into one table before they are dropped.
                let bytes = 2 * held.1;
                drop(held);
                self.refuse_memory(bytes, || {
                    format!("the records of {} variables", schema.variables().len())
                })?;
            }
            Ok(violations)
        })?;
        let (mut parts, _) = held.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_by_key(|(first, _)| *first);
        Table::concatenate(schema, parts.into_iter().map(|(_, part)| part).collect())
    }
}
