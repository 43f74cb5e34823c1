//! Which run a worker takes next, so that every model is fitted once and dropped after its last run.
//!
//! A model that is fitted without chance of its own is the same in every run: it is fitted by the first worker that needs it, and run r draws its
//! data sets r·m to r·m + m − 1. While it is being fitted, other workers take runs of other contestants.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What a worker needs for its run.
pub(super) enum Model<M> {
    /// Nothing that others have: the run fits for itself.
    Own,
    /// A model that it fits for all, and hands in with [`Schedule::fitted`].
    ToFit,
    /// A model that is there.
    There(Arc<M>),
}

/// Runs in the order in which they are taken.
pub(super) struct Schedule<M> {
    state: Mutex<State<M>>,
    changed: Condvar,
}

struct State<M> {
    /// The contestant of each run, none once it was taken.
    waiting: Vec<Option<usize>>,
    contestants: Vec<Shared<M>>,
}

struct Shared<M> {
    is_shared: bool,
    is_being_fitted: bool,
    model: Option<Arc<M>>,
    runs_left: usize,
}

impl<M> Schedule<M> {
    /// The runs of these contestants; `is_shared` says of each contestant whether its runs share one model.
    pub(super) fn new(runs: Vec<usize>, is_shared: Vec<bool>) -> Self {
        let shared = |(at, is_shared): (usize, bool)| Shared {
            is_shared,
            is_being_fitted: false,
            model: None,
            runs_left: runs.iter().filter(|contestant| **contestant == at).count(),
        };
        let contestants = is_shared.into_iter().enumerate().map(shared).collect();
        let state = State { waiting: runs.into_iter().map(Some).collect(), contestants };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The next run that need not wait for a model; none when all are taken. Waits where every run left needs a model that is being fitted.
    pub(super) fn next(&self) -> Option<(usize, Model<M>)> {
        let mut state = self.locked();
        loop {
            if state.waiting.iter().all(Option::is_none) {
                return None;
            }
            let State { waiting, contestants } = &mut *state;
            let can_go = |run: &Option<usize>| run.is_some_and(|of| !contestants[of].is_being_fitted);
            if let Some(run) = waiting.iter().position(can_go) {
                let shared = &mut contestants[waiting[run].take()?];
                let model = match (&shared.model, shared.is_shared) {
                    (_, false) => Model::Own,
                    (Some(model), true) => Model::There(Arc::clone(model)),
                    (None, true) => {
                        shared.is_being_fitted = true;
                        Model::ToFit
                    }
                };
                return Some((run, model));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands in the model of a contestant.
    pub(super) fn fitted(&self, contestant: usize, model: Arc<M>) {
        let mut state = self.locked();
        state.contestants[contestant].model = Some(model);
        state.contestants[contestant].is_being_fitted = false;
        self.changed.notify_all();
    }

    /// Says that a run is over. After the last one the model goes.
    pub(super) fn over(&self, contestant: usize) {
        let shared = &mut self.locked().contestants[contestant];
        shared.runs_left = shared.runs_left.saturating_sub(1);
        if shared.runs_left == 0 {
            shared.model = None;
        }
    }

    /// Takes all runs off, because the contest is broken off.
    pub(super) fn stop(&self) {
        self.locked().waiting.iter_mut().for_each(|run| *run = None);
        self.changed.notify_all();
    }

    fn locked(&self) -> MutexGuard<'_, State<M>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops the schedule when a worker panics, so that the others do not wait for it.
pub(super) struct StopOnPanic<'a, M>(pub &'a Schedule<M>);

impl<M> Drop for StopOnPanic<'_, M> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_fitted_once_while_others_go_on() {
        let schedule: Schedule<&str> = Schedule::new(vec![0, 0, 1, 0], vec![true, false]);
        assert!(matches!(schedule.next(), Some((0, Model::ToFit))));
        // Runs 1 and 3 wait for the model, run 2 needs none.
        assert!(matches!(schedule.next(), Some((2, Model::Own))));
        schedule.fitted(0, Arc::new("model"));
        assert!(matches!(schedule.next(), Some((1, Model::There(_)))));
        schedule.over(0);
        schedule.over(0);
        let Some((3, Model::There(last))) = schedule.next() else { panic!("the model is still there") };
        schedule.over(0);
        assert_eq!(Arc::strong_count(&last), 1, "the schedule keeps no model after the last run");
        assert!(schedule.next().is_none());
    }

    #[test]
    fn who_must_wait_is_woken() {
        let schedule: Schedule<&str> = Schedule::new(vec![0, 0], vec![true]);
        assert!(matches!(schedule.next(), Some((0, Model::ToFit))));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| matches!(schedule.next(), Some((1, Model::There(_)))));
            schedule.fitted(0, Arc::new("model"));
            assert!(waiting.join().unwrap());
        });
        let stopped: Schedule<&str> = Schedule::new(vec![0, 0], vec![true]);
        assert!(stopped.next().is_some());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| stopped.next().is_none());
            stopped.stop();
            assert!(waiting.join().unwrap());
        });
    }
}
