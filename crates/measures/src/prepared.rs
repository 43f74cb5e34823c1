//! Work that measures, and evaluations against one original, share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use table::{Grouping, Table};

use crate::utility::propensity::LogisticPropensity;
use crate::{MeasureError, SharedTables, SyntheticSets};

/// Null distributions of the original, drawn once and found again, and regressions that two families of measures ask for.
///
/// Every [`Settings`](crate::Settings) has one, and its clones share it: a study of many synthetic tables of one original draws what
/// depends on the original alone once. What is kept is found by a hash of everything that it depends on, the records included, so
/// that a value is never taken for that of other tables. Findings do not depend on whether anything was kept.
#[derive(Clone, Default)]
pub struct Prepared {
    draws: Arc<Mutex<FxHashMap<u128, Arc<[f64]>>>>,
    regressions: Arc<Mutex<FxHashMap<u128, LogisticPropensity>>>,
    shared: Arc<SharedOnce>,
}

/// Tables that were classified once for all families of one evaluation. They are found by where they lie in memory, so that only tables count that
/// outlive the evaluation.
#[derive(Default)]
struct SharedOnce {
    tables: Vec<usize>,
    kept: Mutex<Vec<(Question, Arc<SharedTables>)>>,
}

/// Where the tables lie, the original first, and how they are grouped.
type Question = (Vec<usize>, Grouping);

/// Classified tables are kept up to so many codes together.
const MOST_CODES: usize = 1 << 26;

impl Prepared {
    /// The same for the evaluation of these tables, which classify them once.
    pub(crate) fn within(&self, sets: &SyntheticSets<'_>) -> Self {
        let tables = std::iter::once(sets.original).chain(sets.synthetic.iter().copied()).chain(sets.holdout);
        let shared = SharedOnce { tables: tables.map(place).collect(), kept: Mutex::default() };
        Self { shared: Arc::new(shared), ..self.clone() }
    }

    /// These tables in their classes, classified now if no family has asked for it.
    pub(crate) fn shared(
        &self,
        original: &Table,
        synthetic: &[&Table],
        grouping: &Grouping,
    ) -> Result<Arc<SharedTables>, MeasureError> {
        let places: Vec<usize> =
            std::iter::once(original).chain(synthetic.iter().copied()).map(place).collect();
        let classified = || SharedTables::of_sets(original, synthetic, grouping).map(Arc::new);
        if !places.iter().all(|place| self.shared.tables.contains(place)) {
            return classified();
        }
        let question = (places, grouping.clone());
        if let Some((_, known)) = locked(&self.shared.kept).iter().find(|(asked, _)| *asked == question) {
            return Ok(Arc::clone(known));
        }
        let made = classified()?;
        let mut kept = locked(&self.shared.kept);
        let codes: usize = kept.iter().map(|(_, tables)| tables.codes()).sum();
        if codes + made.codes() <= MOST_CODES {
            kept.push((question, Arc::clone(&made)));
        }
        Ok(made)
    }

    /// The draws of this key, made now if nobody has made them. Nobody waits while they are made, because a thread that waits could be the one
    /// that its own work needs; two who come at the same time both make them, and they are the same.
    pub(crate) fn draws<E>(
        &self,
        key: u128,
        make: impl FnOnce() -> Result<Vec<f64>, E>,
    ) -> Result<Arc<[f64]>, E> {
        if let Some(known) = locked(&self.draws).get(&key) {
            return Ok(Arc::clone(known));
        }
        let made: Arc<[f64]> = make()?.into();
        locked(&self.draws).insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// The regression of this key, fitted now if nobody has fitted it; one that does not exist is not kept.
    pub(crate) fn regression<E>(
        &self,
        key: u128,
        fit: impl FnOnce() -> Result<Option<LogisticPropensity>, E>,
    ) -> Result<Option<LogisticPropensity>, E> {
        if let Some(known) = locked(&self.regressions).get(&key) {
            return Ok(Some(known.clone()));
        }
        let fitted = fit()?;
        if let Some(fitted) = &fitted {
            locked(&self.regressions).insert(key, fitted.clone());
        }
        Ok(fitted)
    }
}

/// Where a table lies in memory.
fn place(table: &Table) -> usize {
    std::ptr::from_ref(table).addr()
}

fn locked<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is kept does not change what is found.
impl PartialEq for Prepared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Shows nothing of the draws, which come from the original.
impl fmt::Debug for Prepared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Prepared")
    }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn tables_of_an_evaluation_are_classified_once_and_others_are_not_kept() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let (original, synthetic, other) = (read("x\n1\n2\n3\n"), read("x\n1\n1\n2\n"), read("x\n3\n3\n3\n"));
        let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
        let prepared = Prepared::default().within(&sets);
        let (one, two) = (Grouping::quantiles(2), Grouping::synthpop(1));
        let ask = |synthetic, grouping| prepared.shared(&original, &[synthetic], grouping).unwrap();
        assert!(Arc::ptr_eq(&ask(&synthetic, &one), &ask(&synthetic, &one)));
        assert!(!Arc::ptr_eq(&ask(&synthetic, &one), &ask(&synthetic, &two)));
        assert!(
            !Arc::ptr_eq(&ask(&other, &one), &ask(&other, &one)),
            "it may be gone when another lies there"
        );
        let elsewhere = Prepared::default();
        let alone = || elsewhere.shared(&original, &[&synthetic], &one).unwrap();
        assert!(!Arc::ptr_eq(&alone(), &alone()));
    }

    #[test]
    fn draws_are_made_once_and_failures_are_not_kept() {
        let prepared = Prepared::default();
        let draws = |of: &Prepared, key, made: Result<Vec<f64>, &'static str>| {
            of.draws(key, || made).map(|draws| draws.to_vec())
        };
        assert_eq!(draws(&prepared, 1, Err("no")), Err("no"));
        assert_eq!(draws(&prepared, 1, Ok(vec![2.0])), Ok(vec![2.0]));
        assert_eq!(draws(&prepared.clone(), 1, Err("must not be asked again")), Ok(vec![2.0]));
        assert_eq!(draws(&prepared, 2, Ok(vec![3.0])), Ok(vec![3.0]));
    }
}
