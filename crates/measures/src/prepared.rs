//! Work that measures, and evaluations against one original, share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::utility::propensity::LogisticPropensity;

/// Null distributions of the original, drawn once and found again, and regressions that two families of measures ask for.
///
/// Every [`Settings`](crate::Settings) has one, and its clones share it: a study of many synthetic tables of one original draws what
/// depends on the original alone once. What is kept is found by a hash of everything that it depends on, the records included, so
/// that a value is never taken for that of other tables. Findings do not depend on whether anything was kept.
#[derive(Clone, Default)]
pub struct Prepared {
    draws: Arc<Mutex<FxHashMap<u128, Arc<[f64]>>>>,
    regressions: Arc<Mutex<FxHashMap<u128, LogisticPropensity>>>,
}

impl Prepared {
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
    use super::*;

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
