//! JSON lines: one object a record, every column in each of them, missing as null.

use std::io::Write;

use super::written::Written;
use crate::Table;
use crate::column::Column;
use crate::schema::{Kind, Schema, Stored, Variable};

/// Writes JSON lines.
pub(super) struct JsonLinesWriter<W> {
    sink: W,
    keys: Vec<String>,
}

impl<W: Write> JsonLinesWriter<W> {
    pub(super) fn new(sink: W, schema: &Schema) -> Self {
        let key = |variable: &Variable| format!("{}:", serde_json::Value::from(variable.name.as_str()));
        Self { sink, keys: schema.variables().iter().map(key).collect() }
    }

    pub(super) fn write(&mut self, table: &Table) -> std::io::Result<()> {
        let variables = table.schema().variables();
        let columns: Vec<(Written<'_>, bool)> = variables
            .iter()
            .zip(table.columns())
            .map(|(variable, column)| (Written::plain(variable, column), is_bare(variable, column)))
            .collect();
        let (mut line, mut field) = (String::new(), String::new());
        for row in 0..table.rows() {
            line.clear();
            for (at, ((column, is_bare), key)) in columns.iter().zip(&self.keys).enumerate() {
                line.push(if at == 0 { '{' } else { ',' });
                line.push_str(key);
                field.clear();
                column.write(row, &mut field);
                match (field.is_empty(), is_bare) {
                    (true, _) => line.push_str("null"),
                    (false, true) => line.push_str(&field),
                    (false, false) => line.push_str(&serde_json::Value::from(field.as_str()).to_string()),
                }
            }
            line.push_str("}\n");
            self.sink.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> std::io::Result<W> {
        self.sink.flush()?;
        Ok(self.sink)
    }
}

/// Whether its values stand without quotes: numbers, truth values, and levels that a typed file holds as such.
fn is_bare(variable: &Variable, column: &Column) -> bool {
    match column {
        Column::Integer(_) | Column::Real(_) => true,
        Column::Categorical(_) => {
            matches!(variable.stored, Some(Stored::Boolean | Stored::Integer | Stored::Unsigned))
        }
        Column::Text(_) => variable.kind == Kind::TextId && variable.identifier.whole,
        Column::Date(_) | Column::Datetime(_) => false,
    }
}
