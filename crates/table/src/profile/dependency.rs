//! Variables that are functions of another one: a nested parent, an age group of an age.
//!
//! Nearly every pair of variables shows within few records that neither follows from the other, so that all records are only coded for those that have not shown
//! it by then.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::classify::classify;
use crate::column::Column;
use crate::{Classes, Codes, Grouping, Table, TableError, Variable};

/// Records that are looked at first.
const FIRST: usize = 1 << 14;

/// How many records would have to disagree by chance alone before we believe that they never do.
const EVIDENCE: f64 = 30.0;

/// How many sources of one variable are named.
const SOURCES_NAMED: usize = 2;

/// Notes on variables that another one determines, by position.
pub(super) fn notes(table: &Table, distinct: &[u64]) -> Result<Vec<(usize, String)>, TableError> {
    let variables = table.schema().variables();
    let first: Vec<u32> = (0..table.rows().min(FIRST) as u32).collect();
    let columns: Vec<Result<Exact<'_>, TableError>> = (0..distinct.len())
        .into_par_iter()
        .map(|position| Exact::new(table, &first, position, distinct[position]))
        .collect();
    let columns = columns.into_iter().collect::<Result<Vec<Exact<'_>>, TableError>>()?;
    // determines[b] lists every a that is a function of b.
    let determined_by = |source: &Exact<'_>| -> Result<Vec<usize>, TableError> {
        let mut targets = Vec::new();
        for (position, target) in columns.iter().enumerate() {
            if target.is_function_of(source)? {
                targets.push(position);
            }
        }
        Ok(targets)
    };
    let determines: Vec<Result<Vec<usize>, TableError>> = columns.par_iter().map(determined_by).collect();
    let determines = determines.into_iter().collect::<Result<Vec<Vec<usize>>, TableError>>()?;
    let mut notes = Vec::new();
    for child in 0..columns.len() {
        let is_categorical = |position: usize| variables[position].kind.levels().is_some();
        let is_parent = |parent: &&usize| is_categorical(**parent) && distinct[**parent] < distinct[child];
        let parent = determines[child].iter().filter(is_parent).max_by_key(|parent| distinct[**parent]);
        if let (Some(parent), true, None) = (parent, is_categorical(child), &variables[child].within) {
            let parent = &variables[*parent].name;
            notes.push((
                child,
                format!(
                    "nested: each level lies in one level of `{parent}`; consider `within = \"{parent}\"`"
                ),
            ));
        }
        let both_ways = |source: usize| determines[child].contains(&source);
        let mut sources: Vec<usize> = (0..columns.len())
            .filter(|source| determines[*source].contains(&child))
            .filter(|source| !(is_categorical(child) && is_categorical(*source)) || both_ways(*source))
            .collect();
        sources.sort_by_key(|source| distinct[*source]);
        for source in sources.into_iter().take(SOURCES_NAMED) {
            let name = &variables[source].name;
            let how = if both_ways(source) { "one to one with" } else { "a function of" };
            notes.push((child, format!("depends: {how} `{name}`")));
        }
    }
    Ok(notes)
}

/// A variable with every distinct value a class.
struct Exact<'a> {
    variable: &'a Variable,
    column: &'a Column,
    first: Coded,
    all: OnceLock<Coded>,
    distinct: u64,
}

/// The class of each record.
#[derive(Clone)]
struct Coded {
    codes: Arc<Codes>,
    classes: usize,
    missing: Option<u32>,
}

impl Coded {
    fn new(variable: &Variable, column: &Column) -> Result<Self, TableError> {
        let classes: Classes = Grouping::exact().classes(variable, column)?;
        let codes = classify(&classes, column)?;
        Ok(Self { codes, classes: classes.size(), missing: classes.missing_class() })
    }

    /// The records in which both are present that agree with an earlier one on `source` and on this variable, and how many records of those have each class of this
    /// variable; `None` if two of them agree on `source` alone.
    fn agreements(&self, source: &Self) -> Option<(u64, Vec<u64>)> {
        let mut value_of: Vec<u32> = vec![u32::MAX; source.classes];
        let mut agreements = 0_u64;
        let mut frequencies = vec![0_u64; self.classes];
        for row in 0..self.codes.len() {
            let (from, to) = (source.codes.get(row), self.codes.get(row));
            if Some(from) == source.missing || Some(to) == self.missing {
                continue;
            }
            frequencies[to as usize] += 1;
            let known = &mut value_of[from as usize];
            if *known == u32::MAX {
                *known = to;
            } else if *known == to {
                agreements += 1;
            } else {
                return None;
            }
        }
        Some((agreements, frequencies))
    }
}

impl<'a> Exact<'a> {
    fn new(table: &'a Table, first: &[u32], position: usize, distinct: u64) -> Result<Self, TableError> {
        let (variable, column) = (&table.schema().variables()[position], &table.columns()[position]);
        let first = match column {
            Column::Text(text) => Coded::new(variable, &Column::Text(text.part(0..first.len())))?,
            column => Coded::new(variable, &column.take(first))?,
        };
        Ok(Self { variable, column, first, all: OnceLock::new(), distinct })
    }

    fn all(&self) -> Result<&Coded, TableError> {
        if self.all.get().is_none() {
            let all = if self.column.len() == self.first.codes.len() {
                self.first.clone()
            } else {
                Coded::new(self.variable, self.column)?
            };
            // Another thread may have been first, with the same.
            let _ = self.all.set(all);
        }
        self.all.get().ok_or_else(|| TableError::variable(&self.variable.name, "it could not be coded"))
    }

    /// Whether records that agree on `source` always agree on this variable, missing values aside, and chance is no
    /// explanation: were the two independent, (records − distinct values of the source) × P(two records differ)
    /// disagreements had to be expected.
    fn is_function_of(&self, source: &Self) -> Result<bool, TableError> {
        if std::ptr::eq(self, source)
            || self.distinct < 2
            || source.distinct < 2
            || self.distinct > source.distinct
            // Of records that all differ on the source, none agree; at most so many can.
            || ((self.column.len() as u64).saturating_sub(source.distinct) as f64) < EVIDENCE
            || self.first.agreements(&source.first).is_none()
        {
            return Ok(false);
        }
        let Some((agreements, frequencies)) = self.all()?.agreements(source.all()?) else { return Ok(false) };
        let records: u64 = frequencies.iter().sum();
        let same: f64 = frequencies.iter().map(|count| (*count as f64 / records as f64).powi(2)).sum();
        Ok(agreements as f64 * (1.0 - same) >= EVIDENCE)
    }
}
