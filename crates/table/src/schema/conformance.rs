//! Does a table keep its schema? Every violation is counted by kind and located by row number, never by value.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Kind, Schema, Variable, exact_number, is_long_number};
use crate::column::{Column, EXACT, Entry, Number, Numbers, TextColumn};
use crate::date::DateFormat;
use crate::expression::{Record, Value};
use crate::{Codes, FileProblem, Table, TableError};

/// How many rows of each violation are named.
const ROWS_NAMED: usize = 5;

/// How far a value may be from its formula, relative to the larger of 1 and the value.
pub(crate) const FORMULA_TOLERANCE: f64 = 1e-6;

/// What a number of too many digits is not, and the way out.
const LONG_NUMBER: &str =
    "a number up to 2^53, beyond which digits would be lost; make its kind `text-id` or categorical";

/// All violations of a schema, by kind and variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<Located>);

/// One kind of violation, how often it occurs, and where first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What is violated.
    pub violation: Violation,
    /// How many records violate it.
    pub records: u64,
    /// The first few rows, counted from 1 without the header; none where the records are in a database.
    pub rows: Vec<usize>,
}

/// What a record can violate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A level that is not in the list.
    #[error("`{0}` holds levels that the schema does not list")]
    UnknownLevel(String),
    /// A number or a date outside the range.
    #[error("`{0}` lies outside its range")]
    OutOfRange(String),
    /// A missing value where none may be.
    #[error("`{0}` is missing, and the schema does not say that it may be")]
    UnexpectedMissing(String),
    /// A value of another kind.
    #[error("`{0}` is not {1}")]
    OtherKind(String, &'static str),
    /// A level that occurs under two parents, or under another than the declared one.
    #[error(
        "`{0}` has a level under more than one level of `{1}`, within which it is nested, or under another than declared"
    )]
    NotNested(String, String),
    /// A derived value that is not what its formula gives.
    #[error("`{0}` differs from its formula")]
    FormulaDiffers(String),
    /// A rule whose condition holds and whose consequence does not.
    #[error("the rule `when {0} then {1}` is broken")]
    RuleBroken(String, String),
    /// A combination that cannot occur.
    #[error("the impossible `{0}` occurs")]
    Impossible(String),
}

impl Violations {
    /// The violations, in the order of the schema.
    pub fn all(&self) -> &[Located] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The violations of these records and of others that come `first` records further on.
    pub(crate) fn merge(&mut self, others: Self, first: usize) {
        for mut other in others.0 {
            other.rows.iter_mut().for_each(|row| *row += first);
            match self.0.iter_mut().find(|known| known.violation == other.violation) {
                Some(known) => {
                    known.records += other.records;
                    known.rows.extend(other.rows);
                    known.rows.truncate(ROWS_NAMED);
                }
                None => self.0.push(other),
            }
        }
    }

    /// A violation by records that are somewhere else.
    pub(crate) fn note_counted(&mut self, violation: Violation, records: u64) {
        if records > 0 {
            self.0.push(Located { violation, records, rows: Vec::new() });
        }
    }

    fn note(&mut self, violation: Violation, rows: impl Iterator<Item = usize>) {
        let mut located = Located { violation, records: 0, rows: Vec::new() };
        for row in rows {
            located.records += 1;
            if located.rows.len() < ROWS_NAMED {
                located.rows.push(row + 1);
            }
        }
        if located.records > 0 {
            self.0.push(located);
        }
    }
}

impl std::fmt::Display for Violations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, located) in self.0.iter().enumerate() {
            write!(f, "{}{located}", if position == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Located {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows: Vec<String> = self.rows.iter().map(usize::to_string).collect();
        let more = if self.records as usize > self.rows.len() { ", …" } else { "" };
        let (records, row) = match self.records {
            1 => ("1 record".to_owned(), "row"),
            several => (format!("{several} records"), "rows"),
        };
        if rows.is_empty() {
            return write!(f, "{} ({records})", self.violation);
        }
        write!(f, "{} ({records}: {row} {}{more})", self.violation, rows.join(", "))
    }
}

impl Table {
    /// The table under another schema, with levels recoded, special codes set apart and every value, rule and impossible
    /// cell checked.
    pub fn conform(self, schema: Arc<Schema>) -> Result<Self, TableError> {
        let (table, violations) = self.recoded(schema)?;
        if !violations.is_empty() {
            return Err(TableError::Violations(violations));
        }
        let violations = table.broken_rules()?;
        if violations.is_empty() { Ok(table) } else { Err(TableError::Violations(violations)) }
    }

    /// Everything in which the table breaks another schema with the same columns, whatever that is: values, then rules. For the
    /// rules, a value that the schema does not know counts as missing.
    pub fn violations_of(self, schema: Arc<Schema>) -> Result<Violations, TableError> {
        let (table, mut violations) = self.recoded(schema)?;
        violations.0.extend(table.broken_rules()?.0);
        Ok(violations)
    }

    /// The table with its values as those of the schema, and what does not fit.
    fn recoded(self, schema: Arc<Schema>) -> Result<(Self, Violations), TableError> {
        let (own, columns) = self.into_parts();
        let mut columns: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
        let mut conformed = Vec::with_capacity(columns.len());
        let mut violations = Violations::default();
        let differ = column_differences(&own, &schema);
        if !differ.is_empty() {
            return Err(TableError::schema("schema", FileProblem::OtherColumns(differ).to_string()));
        }
        for variable in schema.variables() {
            let position = own.position_of(&variable.name)?;
            let column =
                columns[position].take().ok_or_else(|| TableError::variable(&variable.name, "used twice"))?;
            let column = conform_column(variable, &own.variables()[position], column, &mut violations);
            conformed.push(column);
        }
        Ok((Self::new(schema, conformed)?, violations))
    }

    /// Everything in which records break the schema: ranges, missing values, nesting, formulas, rules, impossible cells.
    pub fn violations(&self) -> Result<Violations, TableError> {
        let mut violations = Violations::default();
        for (position, (variable, column)) in self.schema().variables().iter().zip(self.columns()).enumerate()
        {
            if !variable.missing && self.missing(position) > 0 {
                let is_missing = |row: &usize| self.record(*row).value(position) == Value::Missing;
                violations.note(
                    Violation::UnexpectedMissing(variable.name.clone()),
                    (0..self.rows()).filter(is_missing),
                );
            }
            match (column, &variable.kind) {
                (Column::Integer(numbers), Kind::Integer { range: Some((low, high)) }) => {
                    note_outside(variable, numbers, |value| (*low..=*high).contains(&value), &mut violations);
                }
                (Column::Real(numbers), Kind::Real { range: Some((low, high)) }) => {
                    note_outside(variable, numbers, |value| (*low..=*high).contains(&value), &mut violations);
                }
                (Column::Date(days), Kind::Date { range: Some((first, last)), .. }) => {
                    note_outside(variable, days, |day| (*first..=*last).contains(&day), &mut violations);
                }
                (Column::Datetime(times), Kind::Datetime { range: Some((first, last)), .. }) => {
                    note_outside(variable, times, |time| (*first..=*last).contains(&time), &mut violations);
                }
                _ => {}
            }
        }
        violations.0.extend(self.broken_rules()?.0);
        Ok(violations)
    }

    /// Nesting, formulas, rules and impossible cells that records break.
    pub fn broken_rules(&self) -> Result<Violations, TableError> {
        let mut violations = Violations::default();
        let variables = self.schema().variables();
        for (position, variable) in variables.iter().enumerate() {
            if let Some(parent) = &variable.within {
                let rows = self.rows_not_nested(position, self.schema().position_of(parent)?);
                violations
                    .note(Violation::NotNested(variable.name.clone(), parent.clone()), rows.into_iter());
            }
            if let Some(formula) = &variable.formula {
                let formula = formula.formula(variables)?;
                let differs = |row: &usize| match (
                    self.columns()[position].number(*row),
                    formula.number(&self.record(*row)),
                ) {
                    (Some(Entry::Value(value)), Some(computed)) => {
                        (value - computed).abs() > FORMULA_TOLERANCE * value.abs().max(1.0)
                    }
                    _ => false,
                };
                violations
                    .note(Violation::FormulaDiffers(variable.name.clone()), (0..self.rows()).filter(differs));
            }
        }
        for rule in self.schema().rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            let broken = |row: &usize| {
                let record = self.record(*row);
                when.holds(&record) == Some(true) && then.holds(&record) == Some(false)
            };
            let violation = Violation::RuleBroken(rule.when.text().into(), rule.then.text().into());
            violations.note(violation, (0..self.rows()).filter(broken));
        }
        for impossible in self.schema().impossible() {
            let condition = impossible.condition(variables)?;
            let occurs = |row: &usize| condition.holds(&self.record(*row)) == Some(true);
            violations.note(Violation::Impossible(impossible.text().into()), (0..self.rows()).filter(occurs));
        }
        Ok(violations)
    }

    /// Records whose level occurs under another parent than where it first occurred.
    fn rows_not_nested(&self, child: usize, parent: usize) -> Vec<usize> {
        let (Column::Categorical(children), Column::Categorical(parents)) =
            (&self.columns()[child], &self.columns()[parent])
        else {
            return Vec::new();
        };
        let parent_of: Vec<Option<u32>> = match self.schema().declared_parents(child) {
            Some(declared) => declared.into_iter().map(Some).collect(),
            None => self.parents_in_records(child, parent),
        };
        let pairs = children.iter().zip(parents.iter()).enumerate();
        let is_foreign = |(_, (child, parent)): &(usize, (u32, u32))| {
            parent_of.get(*child as usize).copied().flatten().is_some_and(|known| known != *parent)
        };
        pairs.filter(is_foreign).map(|(row, _)| row).collect()
    }
}

/// The column as values of `wanted`, and what does not fit.
pub(crate) fn conformed(wanted: &Variable, from: &Variable, column: Column) -> (Column, Violations) {
    let mut violations = Violations::default();
    let column = conform_column(wanted, from, column, &mut violations);
    (column, violations)
}

/// Which columns the table and the schema do not share, as a sentence; empty if they agree.
fn column_differences(table: &Schema, schema: &Schema) -> String {
    let lacking = |these: &Schema, those: &Schema| -> Vec<String> {
        let lacks = |variable: &&Variable| those.variable(&variable.name).is_err();
        these.variables().iter().filter(lacks).map(|variable| format!("`{}`", variable.name)).collect()
    };
    let (extra, absent) = (lacking(table, schema), lacking(schema, table));
    let mut parts = Vec::new();
    if !absent.is_empty() {
        parts.push(format!("the data lack {}", absent.join(", ")));
    }
    if !extra.is_empty() {
        parts.push(format!("the schema lacks {}", extra.join(", ")));
    }
    parts.join("; ")
}

/// The column as values of `wanted`. What does not fit is noted; an unknown level becomes missing, a fraction is cut off.
fn conform_column(wanted: &Variable, from: &Variable, column: Column, violations: &mut Violations) -> Column {
    let name = || wanted.name.clone();
    if !wanted.missing {
        let is_missing = |row: &usize| match &column {
            Column::Categorical(codes) => {
                from.kind.levels().is_some_and(|levels| codes.get(*row) as usize == levels.len())
            }
            Column::Text(text) => text.get(*row).is_none(),
            numeric => numeric.number(*row) == Some(Entry::Missing),
        };
        violations.note(Violation::UnexpectedMissing(name()), (0..column.len()).filter(is_missing));
    }
    match &wanted.kind {
        Kind::Categorical { levels } | Kind::Ordinal { levels } => {
            let missing = levels.len() as u32;
            let unknown = missing + 1;
            let text = column.into_text(from);
            // A level that was guarded from spreadsheets when it was written is the level.
            let guarded =
                |text: &str| crate::spreadsheet::unguarded(text).and_then(|level| levels.position(level));
            let position = |text: &String| levels.position(text).or_else(|| guarded(text)).unwrap_or(unknown);
            let mut new_code: Vec<u32> = text.dictionary.iter().map(position).collect();
            new_code.push(missing);
            let is_unknown = |code: u32| new_code[code as usize] == unknown;
            let rows =
                text.codes.iter().enumerate().filter(|(_, code)| is_unknown(*code)).map(|(row, _)| row);
            violations.note(Violation::UnknownLevel(name()), rows);
            let new_code: Vec<u32> = new_code.into_iter().map(|code| code.min(missing)).collect();
            let beyond = wanted.missing || text.codes.iter().any(|code| new_code[code as usize] == missing);
            let cardinality = levels.len() + usize::from(beyond);
            Column::Categorical(Arc::new(text.codes.recode(&new_code, cardinality.max(1))))
        }
        Kind::TextId => {
            let text = column.into_text(from);
            if wanted.identifier.whole {
                let is_number: Vec<bool> =
                    text.dictionary.iter().map(|text| text.parse::<i64>().is_ok()).collect();
                let is_none = |code: u32| is_number.get(code as usize) == Some(&false);
                let rows = text.codes.iter().enumerate().filter(|(_, code)| is_none(*code));
                violations.note(Violation::OtherKind(name(), "a whole number"), rows.map(|(row, _)| row));
            }
            Column::Text(text)
        }
        Kind::Integer { range } => {
            let numbers = match column {
                Column::Integer(numbers) => numbers,
                Column::Real(numbers) => {
                    let is_broken =
                        |entry: Entry<f64>| matches!(entry, Entry::Value(value) if value.fract() != 0.0);
                    let rows =
                        numbers.iter().enumerate().filter(|(_, entry)| is_broken(*entry)).map(|(row, _)| row);
                    violations.note(Violation::OtherKind(name(), "a whole number"), rows);
                    numbers.map(|value| value as i64)
                }
                other => {
                    let text = other.into_text(from);
                    let is_long = text.dictionary.iter().any(|text| is_long_number(text));
                    let wanted = if is_long { LONG_NUMBER } else { "a whole number" };
                    let parse =
                        |text: &str| text.parse().ok().filter(|value: &i64| value.unsigned_abs() <= EXACT);
                    from_text(text, parse, |rows| violations.note(Violation::OtherKind(name(), wanted), rows))
                }
            };
            let numbers = numbers.set_codes_apart(|value| wanted.code_position(value as f64));
            if let Some((low, high)) = range {
                note_outside(wanted, &numbers, |value| (*low..=*high).contains(&value), violations);
            }
            Column::Integer(numbers)
        }
        Kind::Real { range } => {
            let numbers = match column {
                Column::Real(numbers) => numbers,
                Column::Integer(numbers) => numbers.map(|value| value as f64),
                other => {
                    let text = other.into_text(from);
                    let is_long = text.dictionary.iter().any(|text| is_long_number(text));
                    let wanted = if is_long { LONG_NUMBER } else { "a number" };
                    from_text(text, exact_number, |rows| {
                        violations.note(Violation::OtherKind(name(), wanted), rows)
                    })
                }
            };
            let numbers = numbers.set_codes_apart(|value| wanted.code_position(value));
            if let Some((low, high)) = range {
                note_outside(wanted, &numbers, |value| (*low..=*high).contains(&value), violations);
            }
            Column::Real(numbers)
        }
        Kind::Date { range, format } => {
            let days = match column {
                Column::Date(days) => days,
                other => from_text(
                    other.into_text(from),
                    |text| format.parse(text),
                    |rows| {
                        violations
                            .note(Violation::OtherKind(name(), "a date written as the schema says"), rows)
                    },
                ),
            };
            if let Some((first, last)) = range {
                note_outside(wanted, &days, |day| (*first..=*last).contains(&day), violations);
            }
            Column::Date(days)
        }
        Kind::Datetime { range, format } => {
            let other_kind = "a time written as the schema says";
            let times = match column {
                // A day is the midnight with which it begins, and both are counted from the same day.
                Column::Date(days) if format.date.is_some() => {
                    days.map(|day| i64::from(day) * crate::datetime::DAY)
                }
                Column::Datetime(times)
                    if from.kind.datetime_format().date.is_some() == format.date.is_some() =>
                {
                    let is_finer =
                        |entry: Entry<i64>| matches!(entry, Entry::Value(time) if time % format.tick() != 0);
                    let rows =
                        times.iter().enumerate().filter(|(_, entry)| is_finer(*entry)).map(|(row, _)| row);
                    violations.note(Violation::OtherKind(name(), other_kind), rows);
                    times
                }
                other => from_text(
                    other.into_text(from),
                    |text| format.parse(text),
                    |rows| violations.note(Violation::OtherKind(name(), other_kind), rows),
                ),
            };
            if let Some((first, last)) = range {
                note_outside(wanted, &times, |time| (*first..=*last).contains(&time), violations);
            }
            Column::Datetime(times)
        }
    }
}

fn note_outside<T: Number>(
    variable: &Variable,
    numbers: &Numbers<T>,
    inside: impl Fn(T) -> bool,
    violations: &mut Violations,
) {
    let outside = |entry: Entry<T>| matches!(entry, Entry::Value(value) if !inside(value));
    let rows = numbers.iter().enumerate().filter(|(_, entry)| outside(*entry)).map(|(row, _)| row);
    violations.note(Violation::OutOfRange(variable.name.clone()), rows);
}

impl Column {
    /// The column of this variable as text, numbers in their shortest form.
    pub fn into_text(self, variable: &Variable) -> TextColumn {
        fn written<T: Number>(
            numbers: &Numbers<T>,
            key: impl Fn(T) -> u64,
            write: impl Fn(T) -> String,
        ) -> TextColumn {
            let mut position: HashMap<u64, u32> = HashMap::new();
            let mut dictionary = Vec::new();
            let mut codes = Vec::with_capacity(numbers.len());
            for entry in numbers.iter() {
                codes.push(match entry {
                    Entry::Value(value) => *position.entry(key(value)).or_insert_with(|| {
                        dictionary.push(write(value));
                        dictionary.len() as u32 - 1
                    }),
                    Entry::Missing | Entry::Code(_) => u32::MAX,
                });
            }
            let missing = dictionary.len() as u32;
            let codes = Codes::collect(dictionary.len() + 1, codes.into_iter().map(|code| code.min(missing)));
            TextColumn { codes, dictionary }
        }
        match self {
            Column::Text(text) => text,
            Column::Categorical(codes) => {
                let levels = variable.kind.levels().into_iter().flat_map(|levels| levels.iter());
                TextColumn {
                    codes: Arc::unwrap_or_clone(codes),
                    dictionary: levels.map(str::to_owned).collect(),
                }
            }
            Column::Integer(numbers) => written(&numbers, |value| value as u64, |value| value.to_string()),
            Column::Real(numbers) => written(&numbers, f64::to_bits, |value| value.to_string()),
            Column::Date(days) => {
                let format = match &variable.kind {
                    Kind::Date { format, .. } => *format,
                    _ => DateFormat::Iso,
                };
                written(&days, |day| day as u64, |day| format.format(day))
            }
            Column::Datetime(times) => {
                let format = variable.kind.datetime_format();
                written(&times, |time| time as u64, |time| format.format(time))
            }
        }
    }
}

/// Text as numbers; rows whose text is none go to `refuse`.
fn from_text<T: Number>(
    text: TextColumn,
    parse: impl Fn(&str) -> Option<T>,
    refuse: impl FnOnce(&mut dyn Iterator<Item = usize>),
) -> Numbers<T> {
    let parsed: Vec<Option<T>> = text.dictionary.iter().map(|text| parse(text)).collect();
    let mut numbers = Numbers::with_capacity(text.codes.len());
    let mut refused = Vec::new();
    for (row, code) in text.codes.iter().enumerate() {
        numbers.push(match parsed.get(code as usize) {
            None => Entry::Missing,
            Some(Some(value)) => Entry::Value(*value),
            Some(None) => {
                refused.push(row);
                Entry::Missing
            }
        });
    }
    refuse(&mut refused.into_iter());
    numbers
}
