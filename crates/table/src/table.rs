//! A table in memory: coded columns under a schema that they keep.

use std::sync::Arc;

use crate::column::{Column, Entry};
use crate::expression::{Record, Value};
use crate::schema::Schema;
use crate::{Codes, TableError, with_codes};

/// Records of the variables of a schema, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// A table of these columns, which must be as many as the schema's variables, of their kinds, and of one length.
    pub fn new(schema: Arc<Schema>, columns: Vec<Column>) -> Result<Self, TableError> {
        let rows = columns.first().map_or(0, Column::len);
        if columns.len() != schema.variables().len() {
            let message = format!("{} columns for {} variables", columns.len(), schema.variables().len());
            return Err(TableError::schema("table", message));
        }
        for (variable, column) in schema.variables().iter().zip(&columns) {
            if column.len() != rows {
                return Err(TableError::variable(
                    &variable.name,
                    "the column has another length than the first one",
                ));
            }
            if !column.is_of(&variable.kind) {
                return Err(TableError::variable(
                    &variable.name,
                    "the column is not of the kind the schema says",
                ));
            }
        }
        let columns = columns.into_iter().map(Column::narrowed).collect();
        Ok(Self { schema, columns, rows })
    }

    /// The records of several tables of one schema, one after the other.
    pub fn concatenate(schema: Arc<Schema>, tables: Vec<Self>) -> Result<Self, TableError> {
        let mut parts: Vec<Vec<Column>> = schema.variables().iter().map(|_| Vec::new()).collect();
        for table in tables {
            parts.iter_mut().zip(table.columns).for_each(|(all, column)| all.push(column));
        }
        let columns = schema
            .variables()
            .iter()
            .zip(parts)
            .map(|(variable, parts)| Column::concatenate(&variable.kind, parts));
        Self::new(Arc::clone(&schema), columns.collect())
    }

    /// The same records with only these variables, in this order. Rules, impossible cells, parents and formulas that name another
    /// variable are left behind.
    pub fn select(&self, names: &[&str]) -> Result<Self, TableError> {
        let positions =
            names.iter().map(|name| self.schema.position_of(name)).collect::<Result<Vec<_>, _>>()?;
        let schema = self.schema.select(&positions)?;
        let columns = positions.iter().map(|position| self.columns[*position].clone());
        Self::new(Arc::new(schema), columns.collect())
    }

    /// What the variables may hold.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema, to be shared with another table.
    pub fn shared_schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// The columns in schema order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of the variable of this name.
    pub fn column(&self, name: &str) -> Result<&Column, TableError> {
        self.schema.position_of(name).map(|position| &self.columns[position])
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// One record, for conditions and formulas.
    pub fn record(&self, row: usize) -> TableRow<'_> {
        TableRow { table: self, row }
    }

    /// The parts, to build another table of them.
    pub fn into_parts(self) -> (Arc<Schema>, Vec<Column>) {
        (self.schema, self.columns)
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }

    /// How often each variable is missing.
    pub fn missing(&self, variable: usize) -> u64 {
        let codes = |codes: &Codes, missing: usize| with_codes!(codes, codes => codes.iter().filter(|code| **code as usize == missing).count() as u64);
        match (&self.columns[variable], &self.schema.variables()[variable].kind) {
            (Column::Categorical(column), kind) => {
                codes(column, kind.levels().map_or(0, |levels| levels.len()))
            }
            (Column::Text(text), _) => codes(&text.codes, text.dictionary.len()),
            (Column::Integer(numbers), _) => numbers.missing(),
            (Column::Real(numbers), _) => numbers.missing(),
            (Column::Date(days), _) => days.missing(),
            (Column::Datetime(times), _) => times.missing(),
        }
    }
}

/// One record of a table.
#[derive(Clone, Copy, Debug)]
pub struct TableRow<'a> {
    table: &'a Table,
    row: usize,
}

impl Record for TableRow<'_> {
    fn value(&self, variable: usize) -> Value {
        let of = &self.table.schema.variables()[variable];
        match &self.table.columns[variable] {
            Column::Categorical(codes) => {
                let code = codes.get(self.row);
                let levels = of.kind.levels().map_or(0, |levels| levels.len());
                if (code as usize) < levels { Value::Level(code) } else { Value::Missing }
            }
            Column::Text(text) => text.get(self.row).map_or(Value::Missing, |_| Value::Text),
            numeric => match numeric.number(self.row) {
                Some(Entry::Value(value)) => Value::Number(value),
                Some(Entry::Code(position)) => Value::Code(of.codes[position].value),
                Some(Entry::Missing) | None => Value::Missing,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::SchemaFile;

    #[test]
    fn selecting_variables_leaves_rules_about_others_behind() {
        let schema = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.a]\nkind = \"integer\"\n[variables.b]\nkind = \"integer\"\n\
                      formula = \"a + 1\"\n[variables.c]\nkind = \"integer\"\n[[rules]]\nwhen = \"a > 0\"\nthen = \"b > 1\"\n";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let table = read_csv_text("a,b,c\n1,2,3\n4,5,6\n", &options).unwrap();
        let part = table.select(&["c", "b"]).unwrap();
        assert_eq!((part.columns()[0].clone(), part.rows()), (table.columns()[2].clone(), 2));
        assert!(part.schema().rules().is_empty() && part.schema().variables()[1].formula.is_none());
        assert_eq!(part.schema().declaration(), Some("invented"));
        assert_eq!(table.select(&["a", "b"]).unwrap().schema().rules().len(), 1);
        assert!(table.select(&["d"]).is_err());
    }
}
