//! Declared domains that are just what the records show: a warning for the owner of the data, which stays inside.
//!
//! A range whose two ends are the extremes of the records, or a list of levels that all occur, may have been read off them, even where nothing in the schema says so any more.
//! It may as well be the code book's, which is why this is no refusal. The comparison reads the records without paying, so that what it finds may not be published.

use table::column::Entry;
use table::{Column, Schema, Table, Variable};

/// Lists of up to so many levels nearly always all occur, and show nothing.
const FEW_LEVELS: usize = 2;

/// What to say to the owner of the data, if anything.
pub(super) fn warning(table: &Table) -> Option<String> {
    let names = coinciding(table.schema(), table.columns());
    if names.is_empty() {
        return None;
    }
    let (count, names) = (names.len(), names.join(", "));
    Some(format!(
        "{count} domains coincide with the extremes or the exact level set of the records: {names}. If they were read off the records, what they show is not protected: take them \
         from the code book, widen them, or have them bought (`range = \"private\"`, `levels = \"private\"`). This comparison is not paid for; do not publish it"
    ))
}

fn coinciding(schema: &Schema, columns: &[Column]) -> Vec<String> {
    let pairs = schema.variables().iter().zip(columns).filter(|(variable, _)| variable.is_modelled());
    pairs
        .filter(|(variable, column)| coincides(variable, column))
        .map(|(variable, _)| format!("`{}`", variable.name))
        .collect()
}

fn coincides(variable: &Variable, column: &Column) -> bool {
    if let (Some(levels), Column::Categorical(codes)) = (variable.kind.levels(), column) {
        let counts = codes.frequencies(levels.len() + 1);
        return !variable.bought.levels
            && levels.len() > FEW_LEVELS
            && counts[..levels.len()].iter().all(|count| *count > 0);
    }
    let Some((low, high)) = variable.declared_range().filter(|(low, high)| low < high) else { return false };
    let values = || {
        (0..column.len()).filter_map(|row| match column.number(row) {
            Some(Entry::Value(value)) => Some(value),
            _ => None,
        })
    };
    values().reduce(f64::min) == Some(low) && values().reduce(f64::max) == Some(high)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    #[test]
    fn only_domains_that_are_just_those_of_the_records_are_named() {
        let warned = |range: &str, levels: &str| {
            let schema = format!(
                "[variables.age]\nkind = \"integer\"\nrange = {range}\n[variables.town]\nkind = \"categorical\"\nlevels = {levels}\n"
            );
            let options =
                ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
            warning(&read_csv_text("age,town\n17,x\n93,y\n50,z\n", &options).unwrap())
        };
        assert_eq!(warned("[0, 120]", "[\"x\", \"y\", \"z\", \"w\"]"), None);
        assert_eq!(warned("[17, 120]", "[\"x\", \"y\", \"z\", \"w\"]"), None);
        let both = warned("[17, 93]", "[\"x\", \"y\", \"z\"]").unwrap();
        assert!(both.starts_with("2 domains") && both.contains("`age`, `town`"), "{both}");
    }
}
