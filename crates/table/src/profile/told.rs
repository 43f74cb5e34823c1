//! What one column tells by itself. The different values of a column may be as many as its records; they are looked at once, and only what follows
//! from them is kept.

use super::{Extreme, extreme, notes, shape};
use crate::column::Column;
use crate::identifiers::Tally;
use crate::schema::Kind;
use crate::value_counts::ValueCounts;
use crate::{Classes, Grouping, Table, TableError};

/// What a column tells.
pub(super) struct Told {
    /// The number of different values that occur, without missing and special codes.
    pub(super) distinct: u64,
    /// Its classes; none of an identifier.
    pub(super) classes: Option<Classes>,
    /// The smallest and the largest number.
    pub(super) extremes: Option<(Extreme, Extreme)>,
    /// Shares of its levels, or of intervals of its numbers.
    pub(super) shape: Vec<f64>,
    /// Records with each level, and behind them those with none; of other columns nothing.
    pub(super) frequencies: Vec<u64>,
    /// Numbers that look like special codes.
    pub(super) suspects: Vec<String>,
    /// Its different values, if it may name units.
    pub(super) tally: Option<Tally>,
}

/// What the column at a position tells.
pub(super) fn of(table: &Table, position: usize, grouping: &Grouping) -> Result<Told, TableError> {
    let variable = &table.schema().variables()[position];
    let column = &table.columns()[position];
    let may_name_units = variable.formula.is_none();
    let mut told = Told {
        distinct: 0,
        classes: None,
        extremes: None,
        shape: Vec::new(),
        frequencies: Vec::new(),
        suspects: Vec::new(),
        tally: None,
    };
    match column {
        Column::Categorical(codes) => {
            let levels = variable.kind.levels().map_or(0, |levels| levels.len());
            told.frequencies = codes.frequencies(levels + 1);
            told.distinct = told.frequencies[..levels].iter().filter(|count| **count > 0).count() as u64;
            told.shape = shape::together(&told.frequencies[..levels]);
            told.classes = Some(grouping.classes(variable, column)?);
            told.tally = if may_name_units { Tally::of(variable, column) } else { None };
        }
        Column::Text(text) => {
            told.distinct = text.dictionary.len() as u64;
            told.tally = if may_name_units { Tally::of(variable, column) } else { None };
        }
        Column::Integer(_) | Column::Real(_) | Column::Date(_) | Column::Datetime(_) => {
            let counts = ValueCounts::of(column);
            told.distinct = counts.distinct() as u64;
            told.classes = Some(grouping.classes_counted(variable, &counts)?);
            if counts.records() > 0 {
                let ends = (counts.ranked(0), counts.ranked(counts.records() - 1));
                told.extremes = extreme(&variable.kind, ends.0).zip(extreme(&variable.kind, ends.1));
            }
            told.shape = shape::of_numbers(&counts);
            if matches!(variable.kind, Kind::Integer { .. } | Kind::Real { .. }) {
                told.suspects = notes::code_suspects(&counts, |suspect| suspect.to_string());
            }
            told.tally = match column {
                Column::Integer(numbers) if may_name_units => Tally::of_counted(numbers, &counts),
                _ => None,
            };
        }
    }
    Ok(told)
}
