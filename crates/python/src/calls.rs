//! Long work on threads of its own, while the thread that asked for it keeps Python alive: it passes progress on, runs what the work asks of
//! Python, and looks for Ctrl-C ten times a second. The interpreter is free for other threads meanwhile.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lookalike::{Error, Step, Watch};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Value, json};

use crate::failure::{failed, raised};

/// How often the caller looks for signals and passes progress on.
const LOOK: Duration = Duration::from_millis(100);

/// How long cancelled work is waited for before it is left to end by itself.
const PATIENCE: Duration = Duration::from_millis(800);

/// Threads have as much room as the main one usually has.
const STACK: usize = 8 << 20;

/// The threads of this process, once work was asked for or their number was set.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// The process that started them; 0 before.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

/// What work tells the caller.
pub(crate) enum Event {
    /// How far it is.
    Step(Value),
    /// Something to be done on the thread of the caller, with the interpreter.
    Call(Box<dyn FnOnce(Python<'_>) + Send>),
}

/// Where what stands behind a request finds the caller of the job that it is in.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<Mutex<Vec<Sender<Event>>>>);

impl Line {
    /// Has this done by the caller, and waits for it; `None` if the caller is gone.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(Python<'_>) -> T + Send + 'static,
    ) -> Option<T> {
        let (reply, answer) = channel();
        let call = Event::Call(Box::new(move |py| {
            // Who asked may be gone.
            let _ = reply.send(work(py));
        }));
        let caller = self.0.lock().unwrap_or_else(PoisonError::into_inner).last()?.clone();
        caller.send(call).ok()?;
        drop(caller);
        answer.recv().ok()
    }
}

/// Refuses in a process that was forked from one whose threads had started: they are not there, and everything would wait for them for ever.
fn refuse_after_fork(py: Python<'_>) -> PyResult<()> {
    let (started, now) = (STARTED_BY.load(Ordering::SeqCst), std::process::id());
    if started == 0 || started == now {
        return Ok(());
    }
    Err(failed(
        py,
        "lookalike was at work in the process that this one was forked from, and its threads are not here; start worker processes with \
         multiprocessing.get_context(\"spawn\") or \"forkserver\", or fork before the first call",
    ))
}

fn pool(py: Python<'_>, threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    refuse_after_fork(py)?;
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    match (&*pool, threads) {
        (Some(pool), None) => Ok(Arc::clone(pool)),
        (_, threads) => {
            let built = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).stack_size(STACK).build();
            let built = Arc::new(built.map_err(|error| failed(py, &error.to_string()))?);
            STARTED_BY.store(std::process::id(), Ordering::SeqCst);
            *pool = Some(Arc::clone(&built));
            Ok(built)
        }
    }
}

/// Sets how many threads are used; no result depends on it.
#[pyfunction]
pub(crate) fn set_threads(py: Python<'_>, threads: usize) -> PyResult<()> {
    pool(py, Some(threads)).map(|_| ())
}

/// How many threads are used.
#[pyfunction]
pub(crate) fn threads(py: Python<'_>) -> PyResult<usize> {
    Ok(pool(py, None)?.current_num_threads())
}

/// Does the work of a job. `progress` is called with a dictionary for each step, on the thread of the caller.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    lines: &[Line],
    work: impl FnOnce(&Watch) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(py, None)?;
    let (tell, told) = channel::<Event>();
    let watch = match &progress {
        None => Watch::default(),
        Some(_) => {
            let tell = Mutex::new(tell.clone());
            Watch::new(move |step| {
                let tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = tell.send(Event::Step(as_json(step)));
            })
        }
    };
    let cancel = watch.cancel();
    let (finish, finished) = channel();
    for line in lines {
        line.0.lock().unwrap_or_else(PoisonError::into_inner).push(tell.clone());
    }
    let job = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&watch))));
        // The caller may have lost patience.
        let _ = finish.send(outcome);
        drop(tell);
    };
    let started = std::thread::Builder::new().stack_size(STACK).spawn(job);
    started.map_err(|error| failed(py, &format!("no thread could be started: {error}")))?;
    let caller = Caller { told: Mutex::new(told), progress, shown: Instant::now(), latest: None };
    let result = caller.attend(py, finished, || cancel.now());
    for line in lines {
        line.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
    }
    result
}

type Outcome<T> = Result<Result<T, Error>, Box<dyn Any + Send>>;

/// The thread that asked for the work.
struct Caller {
    told: Mutex<Receiver<Event>>,
    progress: Option<Py<PyAny>>,
    shown: Instant,
    latest: Option<Value>,
}

impl Caller {
    /// Waits for the outcome, and does what is to be done meanwhile.
    fn attend<T: Send>(
        mut self,
        py: Python<'_>,
        finished: Receiver<Outcome<T>>,
        cancel: impl Fn(),
    ) -> PyResult<T> {
        let finished = Mutex::new(finished);
        loop {
            let event =
                py.detach(|| self.told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
            let ended = matches!(event, Err(RecvTimeoutError::Disconnected));
            let attended = match event {
                Ok(Event::Call(call)) => {
                    call(py);
                    Ok(())
                }
                Ok(Event::Step(step)) => self.show(py, Some(step), false),
                Err(_) => self.show(py, None, ended),
            };
            if let Err(error) = attended.and_then(|()| py.check_signals()) {
                cancel();
                // What still asks for Python finds nobody.
                drop(self);
                py.detach(|| {
                    let finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
                    let _ = finished.recv_timeout(PATIENCE);
                });
                return Err(error);
            }
            let outcome = finished.lock().unwrap_or_else(PoisonError::into_inner).try_recv();
            match outcome {
                Ok(outcome) => {
                    self.show(py, None, true)?;
                    return match outcome {
                        Ok(outcome) => outcome.map_err(|error| raised(py, error)),
                        Err(panic) => Err(failed(
                            py,
                            &format!(
                                "lookalike met a state that it should not be in; please report it: {}",
                                words_of(panic.as_ref())
                            ),
                        )),
                    };
                }
                Err(_) if ended => {
                    return Err(failed(py, "the work ended without an outcome; please report it"));
                }
                Err(_) => {}
            }
        }
    }

    /// Passes the latest step on, not more often than ten times a second.
    fn show(&mut self, py: Python<'_>, step: Option<Value>, now: bool) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        self.latest = match (self.latest.take(), step) {
            // Bytes since the last step that was shown.
            (Some(before), Some(mut step)) if step["step"] == "reading" && before["step"] == "reading" => {
                let bytes = before["bytes"].as_u64().unwrap_or(0) + step["bytes"].as_u64().unwrap_or(0);
                step["bytes"] = json!(bytes);
                Some(step)
            }
            (before, step) => step.or(before),
        };
        let is_last = |step: &Value| step["done"].as_u64().is_some() && step["done"] == step["of"];
        let due = now || self.shown.elapsed() >= LOOK || self.latest.as_ref().is_some_and(is_last);
        if let Some(step) = self.latest.take_if(|_| due) {
            self.shown = Instant::now();
            progress.call1(py, (step.to_string(),))?;
        }
        Ok(())
    }
}

/// The words of a panic. Ours state what was expected; one that quotes an index or a length quotes no value of the data.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no words".into())
}

fn as_json(step: Step<'_>) -> Value {
    match step {
        Step::Reading { bytes, of } => json!({ "step": "reading", "bytes": bytes, "of": of }),
        Step::Estimated { seconds, bytes } => {
            json!({ "step": "estimated", "seconds": seconds, "bytes": bytes })
        }
        Step::Fitting { variable, done, of } => {
            json!({ "step": "fitting", "what": variable, "done": done, "of": of })
        }
        Step::Drawing { done, of } => json!({ "step": "drawing", "done": done, "of": of }),
        Step::Measuring { family, done, of } => {
            json!({ "step": "measuring", "what": family, "done": done, "of": of })
        }
        Step::Answering { done, of } => json!({ "step": "answering", "done": done, "of": of }),
        Step::Running { done, of, kept } => {
            json!({ "step": "running", "done": done, "of": of, "kept": kept })
        }
        other => json!({ "step": format!("{other:?}") }),
    }
}
