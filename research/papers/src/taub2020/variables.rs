//! The variables of the challenge's battery, made from the census file (Taub et al. 2020, Appendix B).

use std::sync::Arc;

use rayon::prelude::*;
use table::expression::{Condition, Expression};
use table::schema::Levels;
use table::{Codes, Column, Kind, Schema, Table, TableError, Variable};

/// Yes-or-no variables: name, and when it is yes.
const INDICATORS: [(&str, &str); 15] = [
    ("disabled", "disability <> 'None'"),
    ("edinburgh", "parish = 'EDINBURGH'"),
    ("scotland", "ctry_bth = 'SCT'"),
    ("servants", "nservants > 0"),
    ("boarders", "nboarders > 0"),
    ("lodgers", "nlodgers > 0"),
    ("visitors", "nvisitors > 0"),
    ("unknown_relationship", "nkn > 0"),
    ("family_over_15", "nfamgteq15 > 0"),
    ("family_under_15", "nfamlt15 > 0"),
    ("female", "sex = 'F'"),
    ("single", "mar_stat = 'Single'"),
    ("widowed", "mar_stat = 'Widowed'"),
    ("employer", "employ = 'E'"),
    ("worker", "employ = 'W'"),
];

/// Variables that stay as they are.
const KEPT: [&str; 14] = [
    "sex",
    "mar_stat",
    "employ",
    "occlab1",
    "inactive",
    "disability",
    "ctry_bth",
    "parish",
    "age",
    "pperroom",
    "hsize",
    "totrooms",
    "nfamgteq15",
    "nfamlt15",
];

/// The battery's table: variables of the file, those of Appendix B, ages in the classes for utility and for keys, and marital status
/// without the level `Divorced`, which one household has and the paper's tables leave out.
pub(crate) fn battery_table(table: &Table) -> Result<Table, TableError> {
    let (schema, columns) = table.select(&KEPT)?.into_parts();
    let mut variables: Vec<Variable> = schema.variables().to_vec();
    let mut all = columns;
    let mut add = |(variable, column): (Variable, Column)| {
        variables.push(variable);
        all.push(column);
    };
    for (name, yes) in INDICATORS {
        add(by_condition(table, name, &["0", "1"], &[yes])?);
    }
    add(by_condition(table, "spouse_absent", &["0", "1"], &["mar_stat = 'Married spouse absent'"])?);
    let marital = ["Not known", "Married", "Spouse absent", "Single", "Widowed"];
    let conditions = [
        "mar_stat = 'Married'",
        "mar_stat = 'Married spouse absent'",
        "mar_stat = 'Single'",
        "mar_stat = 'Widowed'",
    ];
    add(by_condition(table, "marital", &marital, &conditions)?);
    let utility = ["0-19", "20-39", "40-59", "60-79", "80+"];
    add(by_condition(table, "age_utility", &utility, &["age >= 20", "age >= 40", "age >= 60", "age >= 80"])?);
    let tens: Vec<String> = (1..=8).map(|ten| format!("age >= {}", 10 * ten)).collect();
    let tens: Vec<&str> = tens.iter().map(String::as_str).collect();
    let labels = ["0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80+"];
    add(by_condition(table, "age_key", &labels, &tens)?);
    for variable in &mut variables {
        (variable.within, variable.formula) = (None, None);
    }
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), all)
}

/// A factor whose level is the last condition that holds, the first level where none does. A condition that a missing value leaves open
/// does not hold.
fn by_condition(
    table: &Table,
    name: &str,
    levels: &[&str],
    conditions: &[&str],
) -> Result<(Variable, Column), TableError> {
    let variables = table.schema().variables();
    let bound: Vec<Condition> = conditions
        .iter()
        .map(|text| Expression::parse(text)?.condition(variables))
        .collect::<Result<_, TableError>>()?;
    let level = |row: usize| {
        let record = table.record(row);
        let last = bound.iter().rposition(|condition| condition.holds(&record) == Some(true));
        last.map_or(0, |at| at as u32 + 1)
    };
    let codes: Vec<u32> = (0..table.rows()).into_par_iter().map(level).collect();
    let kind = Kind::Categorical {
        levels: Levels::new(levels.iter().copied()).map_err(|message| TableError::variable(name, message))?,
    };
    let codes = Codes::collect(levels.len() + 1, codes);
    Ok((Variable::new(name, kind), Column::Categorical(Arc::new(codes))))
}
