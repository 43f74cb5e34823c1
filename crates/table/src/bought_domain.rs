//! Records under domains that a private run has bought.
//!
//! Each record is changed by itself, whatever the others are, so that neighbouring tables stay neighbours.

use std::sync::Arc;

use crate::column::Entry;
use crate::{Codes, Column, DeclaredSchema, Kind, Levels, Numbers, Table, TableError, Variable};

/// The level of records whose own level was not bought.
pub const OTHER: &str = "(other)";

impl Table {
    /// The same records under these domains: a level that is not among them becomes [`OTHER`], and a number beyond the range its nearest end.
    /// The variables must be the same ones, of the same kinds.
    pub fn in_bought_domains(&self, schema: &DeclaredSchema) -> Result<Self, TableError> {
        let pairs = self.schema().variables().iter().zip(schema.schema().variables());
        let columns = pairs.zip(self.columns()).map(|((from, to), column)| recoded(from, to, column));
        Self::new(Arc::new(schema.schema().clone()), columns.collect())
    }
}

fn recoded(from: &Variable, to: &Variable, column: &Column) -> Column {
    match (column, from.kind.levels(), to.kind.levels()) {
        (Column::Categorical(codes), Some(from), Some(to)) if from != to => {
            Column::Categorical(Arc::new(in_levels(codes, from, to)))
        }
        (Column::Categorical(_) | Column::Text(_), ..) => column.clone(),
        _ => match to.declared_range().filter(|_| from.bought.range) {
            Some((low, high)) => clamped(column, &to.kind, low, high),
            None => column.clone(),
        },
    }
}

fn in_levels(codes: &Codes, from: &Levels, to: &Levels) -> Codes {
    let other = to.position(OTHER).unwrap_or_default();
    let mut new: Vec<u32> = from.iter().map(|level| to.position(level).unwrap_or(other)).collect();
    new.push(to.len() as u32);
    Codes::collect(to.len() + 1, codes.iter().map(|code| new[(code as usize).min(new.len() - 1)]))
}

fn clamped(column: &Column, kind: &Kind, low: f64, high: f64) -> Column {
    let mut numbers = Numbers::with_capacity(column.len());
    for row in 0..column.len() {
        numbers.push(match column.number(row) {
            Some(Entry::Value(value)) => Entry::Value(value.clamp(low, high)),
            Some(other) => other,
            None => Entry::Missing,
        });
    }
    Column::of_numbers(kind, numbers)
}

#[cfg(test)]
mod tests {
    use crate::Column;
    use crate::bought_domain::OTHER;
    use crate::column::Entry;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::{Kind, Levels, SchemaFile};

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.town]\nkind = \"categorical\"\nlevels = \"private\"\nmissing = true\n\
        [variables.income]\nkind = \"real\"\nrange = \"private\"\nmissing = true\n";

    #[test]
    fn levels_outside_become_other_and_numbers_beyond_the_ends() {
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
        let table = read_csv_text("town,income\nx,5\ny,-7\n,\nz,90\nx,1\n", &options).unwrap();
        assert!(table.violations().unwrap().is_empty());
        let declared = table.schema().clone().reviewed().unwrap();
        let bought = declared
            .with_domains(|variable| {
                let mut variable = variable.clone();
                variable.kind = match variable.kind {
                    Kind::Real { .. } => Kind::Real { range: Some((0.0, 50.0)) },
                    _ => Kind::Categorical { levels: Levels::new(["x", OTHER]).unwrap() },
                };
                variable.bought = Default::default();
                variable
            })
            .unwrap();
        let recoded = table.in_bought_domains(&bought).unwrap();
        assert!(recoded.violations().unwrap().is_empty());
        let Column::Categorical(codes) = &recoded.columns()[0] else { panic!("levels") };
        assert_eq!(codes.iter().collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
        let Column::Real(numbers) = &recoded.columns()[1] else { panic!("numbers") };
        let values: Vec<Entry<f64>> = numbers.iter().collect();
        assert_eq!(values[1], Entry::Value(0.0));
        assert_eq!((values[2], values[3]), (Entry::Missing, Entry::Value(50.0)));
    }
}
