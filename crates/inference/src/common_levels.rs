//! Files that were read without a schema, brought to one: the levels that any of them has, numbers of one kind.

use std::sync::Arc;

use table::schema::{Kind, Levels, Schema};
use table::{Column, Table, Variable};

use crate::InferenceError;

/// The tables under one schema. Tables that have one already are left alone.
///
/// Levels are joined and sorted, as a reader sorts them; whole and real numbers become real. A variable that only some files have, or that is of different
/// kinds, is refused.
pub fn with_common_levels(tables: Vec<Table>) -> Result<Vec<Table>, InferenceError> {
    let Some(first) = tables.first() else { return Ok(tables) };
    if tables.iter().all(|table| table.schema() == first.schema()) {
        return Ok(tables);
    }
    let names: Vec<String> =
        first.schema().variables().iter().map(|variable| variable.name.clone()).collect();
    for (number, table) in tables.iter().enumerate() {
        for variable in table.schema().variables() {
            if !names.contains(&variable.name) {
                return Err(absent(&variable.name, 1, number + 1));
            }
        }
        for name in &names {
            table.schema().variable(name).map_err(|_| absent(name, number + 1, 1))?;
        }
    }
    let variables = names.iter().map(|name| common(name, &tables)).collect::<Result<Vec<Variable>, _>>()?;
    let schema = Arc::new(Schema::new(variables, Vec::new(), Vec::new())?);
    tables.into_iter().map(|table| recoded(&table, &schema)).collect()
}

fn absent(name: &str, from: usize, but_in: usize) -> InferenceError {
    let message = format!("file {from} does not have it, but file {but_in} has; give files of one release");
    InferenceError::variable(name, message)
}

/// The variable that holds what the variable of this name holds in each table.
fn common(name: &str, tables: &[Table]) -> Result<Variable, InferenceError> {
    let all = tables.iter().map(|table| table.schema().variable(name)).collect::<Result<Vec<_>, _>>()?;
    let missing = all.iter().any(|variable| variable.missing);
    let first = all[0];
    let kind = if all.iter().all(|variable| variable.kind.levels().is_some()) {
        let mut levels: Vec<String> = all
            .iter()
            .flat_map(|variable| variable.kind.levels().into_iter().flat_map(Levels::iter))
            .map(str::to_owned)
            .collect();
        levels.sort_unstable();
        levels.dedup();
        let levels = Levels::new(levels).map_err(|message| InferenceError::variable(name, message))?;
        Kind::Categorical { levels }
    } else if all.iter().all(|variable| matches!(variable.kind, Kind::Integer { .. })) {
        Kind::Integer { range: None }
    } else if all.iter().all(|variable| matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. })) {
        Kind::Real { range: None }
    } else if let Kind::Date { format, .. } = first.kind
        && all
            .iter()
            .all(|variable| matches!(variable.kind, Kind::Date { format: other, .. } if other == format))
    {
        Kind::Date { range: None, format }
    } else if let Kind::Datetime { format, .. } = first.kind
        && all
            .iter()
            .all(|variable| matches!(variable.kind, Kind::Datetime { format: other, .. } if other == format))
    {
        Kind::Datetime { range: None, format }
    } else if all.iter().all(|variable| variable.kind == Kind::TextId) {
        Kind::TextId
    } else {
        let message = "it is of another kind in some of the files; read them with their schema (--schema)";
        return Err(InferenceError::variable(name, message));
    };
    Ok(Variable { missing, kind, ..first.clone() })
}

fn recoded(table: &Table, schema: &Arc<Schema>) -> Result<Table, InferenceError> {
    let column = |variable: &Variable| -> Result<Column, InferenceError> {
        let own = table.schema().variable(&variable.name)?;
        Ok(match (table.column(&variable.name)?, own.kind.levels(), variable.kind.levels()) {
            (Column::Categorical(codes), Some(own), Some(levels)) => {
                let missing = levels.len() as u32;
                let mut new_code: Vec<u32> =
                    own.iter().map(|level| levels.position(level).unwrap_or(missing)).collect();
                new_code.push(missing);
                Column::Categorical(Arc::new(codes.recode(&new_code, levels.len() + 1)))
            }
            (Column::Integer(numbers), _, _) if matches!(variable.kind, Kind::Real { .. }) => {
                Column::Real(numbers.clone().map(|value| value as f64))
            }
            (column, _, _) => column.clone(),
        })
    };
    let columns = schema.variables().iter().map(column).collect::<Result<_, _>>()?;
    Ok(Table::new(Arc::clone(schema), columns)?)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn read(text: &str) -> Table {
        read_csv_text(text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn levels_and_numbers_are_joined() {
        let tables =
            with_common_levels(vec![read("a,x\nc,1\nb,2\n"), read("x,a\n1.5,d\n2,\n3,c\n")]).unwrap();
        assert_eq!(tables[0].schema(), tables[1].schema());
        let levels = tables[0].schema().variables()[0].kind.levels().unwrap();
        assert_eq!(levels.iter().collect::<Vec<_>>(), ["b", "c", "d"]);
        let codes = |table: &Table| match table.column("a").unwrap() {
            Column::Categorical(codes) => codes.iter().collect::<Vec<u32>>(),
            _ => Vec::new(),
        };
        assert_eq!((codes(&tables[0]), codes(&tables[1])), (vec![1, 0], vec![2, 3, 1]));
        assert!(Table::concatenate(tables[0].shared_schema(), tables).unwrap().rows() == 5);
    }

    #[test]
    fn files_of_different_releases_are_refused() {
        let refused = |one: &str, other: &str| {
            with_common_levels(vec![read(one), read(other)]).unwrap_err().to_string()
        };
        assert!(refused("a\nx\n", "b\nx\n").contains("file 1 does not have it"));
        assert!(refused("a,b\nx,1\n", "a\nx\n").contains("file 2 does not have it"));
        assert!(refused("a\nx\n", "a\n1\n").contains("--schema"));
    }
}
