//! Jobs: the commands that a person would type, as child processes of the same program, one after the other. What they were is written down.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::record;

/// Jobs that wait, at most.
const MOST_WAITING: usize = 20;
/// Lines of output that are kept.
const MOST_LINES: usize = 400;
/// A job that was told to stop is ended by force after this time.
const PATIENCE: Duration = Duration::from_millis(700);

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Waiting,
    Running,
    Finished,
    Failed,
    Cancelled,
}

impl State {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

/// What is known of a job.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) what: &'static str,
    /// The project, below the root.
    pub(crate) project: String,
    /// The arguments of each command; a command that fails is the last.
    pub(crate) commands: Vec<Vec<String>>,
    pub(crate) state: State,
    /// What is done, how much, of how much.
    pub(crate) progress: Option<(String, u64, u64)>,
    pub(crate) lines: VecDeque<String>,
}

/// All jobs of a workbench.
pub(crate) struct Jobs {
    program: PathBuf,
    shared: Arc<(Mutex<Shared>, Condvar)>,
}

#[derive(Default)]
struct Shared {
    jobs: Vec<Job>,
    folders: Vec<PathBuf>,
    /// The input of the job that runs: closing it stops the job.
    input: Option<(u64, ChildStdin)>,
    ends: bool,
}

impl Jobs {
    /// Jobs of this program.
    pub(crate) fn new(program: PathBuf) -> Self {
        let jobs = Self { program, shared: Arc::default() };
        let (shared, program) = (jobs.shared.clone(), jobs.program.clone());
        std::thread::spawn(move || work(&shared, &program));
        jobs
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared.0)
    }

    /// Queues a job in a project's folder; none where too many wait.
    pub(crate) fn start(
        &self,
        what: &'static str,
        project: &str,
        folder: &Path,
        commands: Vec<Vec<String>>,
    ) -> Option<u64> {
        let mut shared = self.lock();
        if shared.jobs.iter().filter(|job| job.state == State::Waiting).count() >= MOST_WAITING {
            return None;
        }
        let id = shared.jobs.len() as u64 + 1;
        let (project, state) = (project.to_owned(), State::Waiting);
        shared.jobs.push(Job { id, what, project, commands, state, progress: None, lines: VecDeque::new() });
        shared.folders.push(folder.to_owned());
        self.shared.1.notify_all();
        Some(id)
    }

    /// What is known of a job.
    pub(crate) fn job(&self, id: u64) -> Option<Job> {
        self.lock().jobs.iter().find(|job| job.id == id).cloned()
    }

    /// All jobs of a project, the latest first.
    pub(crate) fn of_project(&self, project: &str) -> Vec<Job> {
        self.lock().jobs.iter().rev().filter(|job| job.project == project).cloned().collect()
    }

    /// Stops a job, whether it waits or runs.
    pub(crate) fn cancel(&self, id: u64) -> bool {
        let mut shared = self.lock();
        let Some(job) = shared.jobs.iter_mut().find(|job| job.id == id && !job.state.is_over()) else {
            return false;
        };
        job.state = State::Cancelled;
        if shared.input.as_ref().is_some_and(|(running, _)| *running == id) {
            shared.input = None;
        }
        true
    }

    /// Ends what runs and starts nothing more.
    pub(crate) fn end(&self) {
        let mut shared = self.lock();
        shared.ends = true;
        shared.input = None;
        self.shared.1.notify_all();
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.end();
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes one job after the other.
fn work(shared: &Arc<(Mutex<Shared>, Condvar)>, program: &Path) {
    loop {
        let mut held = lock(&shared.0);
        let next = loop {
            if held.ends {
                return;
            }
            match held.jobs.iter().position(|job| job.state == State::Waiting) {
                Some(next) => break next,
                None => held = shared.1.wait(held).unwrap_or_else(PoisonError::into_inner),
            }
        };
        held.jobs[next].state = State::Running;
        let (job, folder) = (held.jobs[next].clone(), held.folders[next].clone());
        drop(held);
        for arguments in &job.commands {
            let succeeded = run(shared, next, program, arguments, &folder);
            let mut held = lock(&shared.0);
            held.input = None;
            let stopped = held.ends || held.jobs[next].state == State::Cancelled;
            let word = match (succeeded, stopped) {
                (true, _) => "",
                (false, true) => "# cancelled: ",
                (false, false) => "# failed: ",
            };
            record::record(&folder, &format!("{word}{}\n", record::typed(&job.project, arguments)));
            if !succeeded && !stopped {
                held.jobs[next].state = State::Failed;
            }
            if !succeeded || stopped {
                break;
            }
        }
        let mut held = lock(&shared.0);
        if held.jobs[next].state == State::Running {
            held.jobs[next].state = State::Finished;
        }
    }
}

/// Runs one command to its end; whether it did what was asked.
fn run(
    shared: &Arc<(Mutex<Shared>, Condvar)>,
    at: usize,
    program: &Path,
    arguments: &[String],
    folder: &Path,
) -> bool {
    let child = Command::new(program)
        .args(arguments)
        .args(["--progress", "json", "--cancel-on-stdin-close"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            lock(&shared.0).jobs[at].lines.push_back(format!("it could not be started: {}", error.kind()));
            return false;
        }
    };
    let mut held = lock(&shared.0);
    let id = held.jobs[at].id;
    // Whoever cancelled before the child was there finds no input to close: it is closed here.
    let input = child.stdin.take().map(|input| (id, input));
    held.input = if held.ends || held.jobs[at].state == State::Cancelled { None } else { input };
    drop(held);
    let readers = [
        child.stdout.take().map(|out| listen(shared, at, out)),
        child.stderr.take().map(|out| listen(shared, at, out)),
    ];
    let succeeded = wait(shared, at, &mut child);
    readers.into_iter().flatten().for_each(|reader| drop(reader.join()));
    succeeded
}

/// Waits for the end; a job that was told to stop and does not is ended by force.
fn wait(shared: &Arc<(Mutex<Shared>, Condvar)>, at: usize, child: &mut Child) -> bool {
    let mut told: Option<Instant> = None;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => {}
            Err(_) => return false,
        }
        let held = lock(&shared.0);
        if held.ends || held.jobs[at].state == State::Cancelled {
            let since = *told.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                // It may have ended in between, which is what is wanted.
                drop(child.kill());
            }
        }
        drop(held);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Keeps the lines of a job: progress apart, the rest for people.
fn listen(
    shared: &Arc<(Mutex<Shared>, Condvar)>,
    at: usize,
    out: impl Read + Send + 'static,
) -> std::thread::JoinHandle<()> {
    let shared = shared.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines() {
            let Ok(line) = line else { return };
            let progress = serde_json::from_str::<serde_json::Value>(&line).ok().and_then(|step| {
                Some((
                    step.get("part")?.as_str()?.to_owned(),
                    step.get("done")?.as_u64()?,
                    step.get("of")?.as_u64()?,
                ))
            });
            let mut held = lock(&shared.0);
            let job = &mut held.jobs[at];
            match progress {
                Some(progress) => job.progress = Some(progress),
                None => {
                    job.lines.push_back(line);
                    if job.lines.len() > MOST_LINES {
                        job.lines.pop_front();
                    }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_job_is_cancelled_at_once_and_leaves_no_child() {
        // A stand-in that goes on until its input is closed, as the program does.
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("stand-in");
        std::fs::write(&script, "#!/bin/sh\necho $$ > pid\necho '{\"part\":\"running\",\"done\":1,\"of\":4}' >&2\ncat >/dev/null\nexit 130\n").unwrap();
        std::process::Command::new("chmod").arg("755").arg(&script).status().unwrap();
        let jobs = Jobs::new(script);
        let (first, second) = (
            jobs.start("frontier", "p", folder.path(), vec![vec!["frontier".into()], vec!["never".into()]])
                .unwrap(),
            jobs.start("release", "p", folder.path(), vec![vec!["release".into()]]).unwrap(),
        );
        let until = |done: &dyn Fn() -> bool| {
            let start = Instant::now();
            while !done() && start.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(10));
            }
            assert!(done());
        };
        until(&|| jobs.job(first).unwrap().progress == Some(("running".into(), 1, 4)));
        assert_eq!(jobs.job(second).unwrap().state, State::Waiting);
        assert!(jobs.cancel(second) && jobs.cancel(first) && !jobs.cancel(first) && !jobs.cancel(77));
        let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
        until(&|| !std::path::Path::new(&format!("/proc/{}", pid.trim())).exists());
        assert_eq!(jobs.job(first).unwrap().state, State::Cancelled);
        // What was stopped is no command to type again, and what came after it was never begun.
        until(&|| record::recorded(folder.path()) == "# cancelled: (cd p && lookalike frontier)\n");
    }
}
