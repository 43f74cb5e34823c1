//! The numeric variables of two tables, as numbers.

use table::column::Entry;
use table::{Table, Variable};

use crate::Comparison;

/// A numeric variable in both tables, one entry a record: `None` where a value is missing or is a special code.
pub(crate) struct NumberPair<'a> {
    pub name: &'a str,
    pub original: Vec<Option<f64>>,
    pub synthetic: Vec<Option<f64>>,
}

impl NumberPair<'_> {
    /// Both sides' numbers in ascending order.
    pub fn sorted(&self) -> (Vec<f64>, Vec<f64>) {
        let sorted = |column: &[Option<f64>]| {
            let mut values: Vec<f64> = column.iter().flatten().copied().collect();
            values.sort_unstable_by(f64::total_cmp);
            values
        };
        (sorted(&self.original), sorted(&self.synthetic))
    }
}

/// The variables that are numbers or dates in both tables, in the order of the original. A special code of either table is
/// a special code in both.
pub(crate) fn number_pairs<'a>(comparison: &Comparison<'a>) -> Vec<NumberPair<'a>> {
    let of_variable = |variable: &'a Variable| {
        let other = comparison.synthetic.schema().variable(&variable.name).ok()?;
        if !(variable.kind.is_numeric() && other.kind.is_numeric()) {
            return None;
        }
        let codes: Vec<f64> = variable.codes.iter().chain(&other.codes).map(|code| code.value).collect();
        Some(NumberPair {
            name: &variable.name,
            original: numbers(comparison.original, &variable.name, &codes),
            synthetic: numbers(comparison.synthetic, &variable.name, &codes),
        })
    };
    comparison.original.schema().variables().iter().filter_map(of_variable).collect()
}

fn numbers(table: &Table, name: &str, codes: &[f64]) -> Vec<Option<f64>> {
    let Ok(column) = table.column(name) else { return Vec::new() };
    let number = |row: usize| match column.number(row) {
        // Minus zero is zero.
        Some(Entry::Value(value)) if !codes.contains(&value) => Some(value + 0.0),
        _ => None,
    };
    (0..column.len()).map(number).collect()
}
