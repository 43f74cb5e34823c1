//! SD2011, a sample of Social Diagnosis 2011, as Raab (2022) and Drechsler et al. (2023) use it.

use std::path::Path;
use std::sync::Arc;

use table::column::Entry;
use table::domain::Partition;
use table::read::{ReadOptions, read_table};
use table::schema::{Levels, SchemaFile};
use table::{Codes, Column, Grouping, Kind, Schema, Table, TableError, Variable};

use super::{DataSource, ReproduceError};

/// Where the file comes from.
pub(crate) const ORIGIN: &str = "5,000 people of Social Diagnosis 2011 (Council for Social Monitoring, www.diagnoza.com), as shipped in the R package \
                          synthpop: write.csv(SD2011, \"sd2011.csv\", row.names = FALSE, na = \"\")";

/// The whole file, or its seven variables alone.
pub(crate) const SEVEN: DataSource = DataSource {
    name: "sd2011",
    columns: &SEVEN_VARIABLES,
    origin: ORIGIN,
    needed_for: "the sets S3, S5 and S7: Tables 1, 2 and 3 and Figure 1",
    required: true,
};

/// The seven variables of Raab (2022), Table 4, in the paper's order.
pub const SEVEN_VARIABLES: [&str; 7] = ["sex", "age", "placesize", "edu", "socprof", "income", "marital"];

/// Variables in which −8 is no number but says that the question does not apply; the file does not show it.
const WITH_CODE: [&str; 5] = ["unempdur", "income", "nofriend", "nociga", "wkabdur"];

/// The seven variables as categories: age and income in fifths of the values that are there, −8 and missing as classes of their own. Both the
/// whole file and one with classes already made give the same table.
pub fn seven_categories(path: &Path) -> Result<Table, ReproduceError> {
    let table = read_table(path, &ReadOptions::default())?;
    let (mut variables, mut columns) = (Vec::new(), Vec::new());
    for name in SEVEN_VARIABLES {
        let labels = labels(&table, name)?;
        let mut levels: Vec<&str> = labels.iter().map(String::as_str).collect();
        levels.sort_unstable();
        levels.dedup();
        let codes = labels.iter().map(|label| levels.partition_point(|level| *level < label.as_str()) as u32);
        columns.push(Column::Categorical(Arc::new(Codes::collect(levels.len() + 1, codes))));
        let levels = Levels::new(levels).map_err(|message| error(name, message))?;
        variables.push(Variable::new(name, Kind::Categorical { levels }));
    }
    Ok(Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), columns)?)
}

/// The whole file, with −8 as a special code where it is one.
pub(crate) fn all_variables(path: &Path) -> Result<Table, ReproduceError> {
    let learned = read_table(path, &ReadOptions::default())?.schema().to_toml();
    let mut file = SchemaFile::parse(&learned)?;
    for name in WITH_CODE {
        if let Some(variable) = file.variables.get_mut(name) {
            variable.codes.insert("-8".into(), "not applicable".into());
            variable.range = None;
        }
    }
    Ok(read_table(path, &ReadOptions { schema: Some(file), ..ReadOptions::default() })?)
}

/// The same table with its categories declared public, which a private run asks for.
pub fn declared(table: &Table) -> Result<Table, ReproduceError> {
    let text = table.schema().to_toml().replacen("declared = false", "declared = true", 1);
    let text = text.replacen("reason = \"\"", "reason = \"code book of Social Diagnosis 2011\"", 1);
    Ok(table.clone().conform(Arc::new(SchemaFile::parse(&text)?.finish()?))?)
}

const NOT_APPLICABLE: f64 = -8.0;

fn labels(table: &Table, name: &str) -> Result<Vec<String>, TableError> {
    let variable = table.schema().variable(name)?;
    let column = table.column(name)?;
    if let (Some(levels), Column::Categorical(codes)) = (variable.kind.levels(), column) {
        return Ok(codes.iter().map(|code| levels.get(code).unwrap_or("Missing").to_owned()).collect());
    }
    let number = |row: usize| match column.number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    };
    let values: Vec<f64> =
        (0..table.rows()).filter_map(number).filter(|value| *value != NOT_APPLICABLE).collect();
    let fifths = Grouping::synthpop(5).partition(values);
    let Partition::Intervals { limits, .. } = &fifths else {
        return Err(error(name, "has too few different numbers to be cut into fifths"));
    };
    let last = limits.len() - 2;
    let label = |row: usize| match number(row) {
        None => "Missing".to_owned(),
        Some(NOT_APPLICABLE) => "-8".to_owned(),
        Some(value) => {
            let class = fifths.class_of(value).unwrap_or(0) as usize;
            let closed = if class == last { ']' } else { ')' };
            format!("[{},{}{closed}", limits[class], limits[class + 1])
        }
    };
    Ok((0..table.rows()).map(label).collect())
}

fn error(name: &str, message: impl Into<String>) -> TableError {
    TableError::Variable { name: name.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_file_gives_the_classes_of_the_grouped_one() {
        let (Some(whole), Some(grouped)) =
            (shared_data::find("data/sd2011.csv"), shared_data::find("data/sd2011_s7.csv"))
        else {
            return;
        };
        let (whole, grouped) = (seven_categories(&whole).unwrap(), seven_categories(&grouped).unwrap());
        assert_eq!(whole.schema(), grouped.schema());
        assert_eq!(whole.columns(), grouped.columns());
    }
}
