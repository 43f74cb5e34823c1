//! Tables on which a model means the same: with one list of levels for each factor.

use std::sync::Arc;

use table::column::Column;
use table::schema::Levels;
use table::{Codes, Kind, Schema, Table, Variable};

use crate::MeasureError;

/// The tables with only these variables, every factor with the levels of all tables: those that occur in every table first, in the order
/// of the original, so that the baseline is a level that all of them have. The response and ordered factors keep their order.
pub(super) fn with_common_levels(
    tables: &[&Table],
    variables: &[&str],
    response: &str,
) -> Result<Vec<Table>, MeasureError> {
    let mut selected: Vec<(Vec<Variable>, Vec<Column>)> = Vec::with_capacity(tables.len());
    for table in tables {
        let (schema, columns) = table.select(variables)?.into_parts();
        selected.push((schema.variables().to_vec(), columns));
    }
    for place in 0..variables.len() {
        let keep_order = variables[place] == response;
        if let Some(levels) = common_levels(&selected, place, keep_order) {
            for (schema, columns) in &mut selected {
                recode(&mut schema[place], &mut columns[place], &levels)?;
            }
        }
    }
    let table = |(mut variables, columns): (Vec<Variable>, Vec<Column>)| {
        for variable in &mut variables {
            (variable.within, variable.formula) = (None, None);
            variable.parents.clear();
        }
        Ok(Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), columns)?)
    };
    selected.into_iter().map(table).collect()
}

/// The levels of all tables; `None` unless all have levels.
fn common_levels(
    tables: &[(Vec<Variable>, Vec<Column>)],
    place: usize,
    keep_order: bool,
) -> Option<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    let mut in_tables: Vec<usize> = Vec::new();
    let ordered = matches!(tables[0].0[place].kind, Kind::Ordinal { .. });
    for (variables, columns) in tables {
        let levels = variables[place].kind.levels()?;
        let Column::Categorical(codes) = &columns[place] else { return None };
        let occurring = codes.frequencies(levels.len() + 1);
        for (level, count) in levels.iter().zip(occurring) {
            let at = all.iter().position(|known| known == level).unwrap_or_else(|| {
                all.push(level.to_owned());
                in_tables.push(0);
                all.len() - 1
            });
            in_tables[at] += usize::from(count > 0);
        }
    }
    if keep_order || ordered {
        return Some(all);
    }
    let (everywhere, elsewhere): (Vec<usize>, Vec<usize>) =
        (0..all.len()).partition(|at| in_tables[*at] == tables.len());
    Some(everywhere.into_iter().chain(elsewhere).map(|at| all[at].clone()).collect())
}

fn recode(variable: &mut Variable, column: &mut Column, levels: &[String]) -> Result<(), MeasureError> {
    let Some(own) = variable.kind.levels() else { return Ok(()) };
    let position = |level: &str| levels.iter().position(|known| known == level);
    let mut new_code: Vec<u32> =
        own.iter().map(|level| position(level).unwrap_or(levels.len()) as u32).collect();
    new_code.push(levels.len() as u32);
    let codes: Codes = match column {
        Column::Categorical(codes) => codes.recode(&new_code, levels.len() + 1),
        _ => return Ok(()),
    };
    let levels = Levels::new(levels.iter().cloned())
        .map_err(|_| MeasureError::variable(&variable.name, "a level is given twice"))?;
    variable.kind = match &variable.kind {
        Kind::Ordinal { .. } => Kind::Ordinal { levels },
        _ => Kind::Categorical { levels },
    };
    variable.missing = true;
    *column = Column::Categorical(Arc::new(codes));
    Ok(())
}
