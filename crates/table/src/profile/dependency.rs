//! Variables that are functions of another one: a nested parent, an age group of an age.

use rayon::prelude::*;

use crate::{CodedTable, Codes, CountSource, Table};

/// How many records would have to disagree by chance alone before we believe that they never do.
const EVIDENCE: f64 = 30.0;

/// How many sources of one variable are named.
const SOURCES_NAMED: usize = 2;

/// Notes on variables that another one determines, by position.
pub(super) fn notes(table: &Table, exact: &CodedTable, distinct: &[u64]) -> Vec<(usize, String)> {
    let variables = table.schema().variables();
    let columns: Vec<Exact<'_>> =
        (0..distinct.len()).map(|position| Exact::new(exact, distinct, position)).collect();
    // determines[b] lists every a that is a function of b.
    let determines: Vec<Vec<usize>> = columns
        .par_iter()
        .map(|source| {
            let targets = (0..columns.len()).filter(|position| columns[*position].is_function_of(source));
            targets.collect()
        })
        .collect();
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
    notes
}

/// A variable with every distinct value a class.
struct Exact<'a> {
    codes: &'a Codes,
    classes: usize,
    missing: Option<u32>,
    distinct: u64,
}

impl<'a> Exact<'a> {
    fn new(exact: &'a CodedTable, distinct: &[u64], position: usize) -> Self {
        let classes = &exact.domain().variables()[position];
        let codes = exact.columns()[position].as_ref();
        Self {
            codes,
            classes: classes.size(),
            missing: classes.missing_class(),
            distinct: distinct[position],
        }
    }

    /// Whether records that agree on `source` always agree on this variable, missing values aside, and chance is no
    /// explanation: were the two independent, (records − distinct values of the source) × P(two records differ)
    /// disagreements had to be expected.
    fn is_function_of(&self, source: &Self) -> bool {
        if std::ptr::eq(self, source)
            || self.distinct < 2
            || source.distinct < 2
            || self.distinct > source.distinct
        {
            return false;
        }
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
                return false;
            }
        }
        let records: u64 = frequencies.iter().sum();
        let same: f64 = frequencies.iter().map(|count| (*count as f64 / records as f64).powi(2)).sum();
        agreements as f64 * (1.0 - same) >= EVIDENCE
    }
}
