//! The server: who may ask what, and which page answers.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::WorkbenchError;
use crate::door::{Address, Door, Hosts};
use crate::http::{Request, Response};
use crate::jobs::Jobs;
use crate::pages;
use crate::root::Root;
use crate::session::{COOKIE, Session};

/// Connections at one time, at most.
const MOST_CONNECTIONS: usize = 64;
/// How long a connection may take to ask or to listen.
const PATIENCE: Duration = Duration::from_secs(10);
/// Without a request for so long, the workbench ends.
const IDLE: Duration = Duration::from_secs(8 * 60 * 60);

/// Where and with what it works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the projects.
    pub root: PathBuf,
    /// The port; 0 is one that is free.
    pub port: u16,
    /// A socket file instead of a port: who else works on this machine cannot even knock.
    pub socket: Option<PathBuf>,
    /// The program that does the jobs.
    pub program: PathBuf,
}

/// A workbench that runs.
pub struct Served {
    link: String,
    address: Address,
    state: Arc<State>,
    thread: Option<std::thread::JoinHandle<()>>,
    /// Held as long as the workbench runs: a second one in the same folder is refused.
    _lock: Option<std::fs::File>,
}

/// What all requests share.
pub(crate) struct State {
    pub(crate) root: Root,
    pub(crate) jobs: Jobs,
    pub(crate) session: Session,
    hosts: Hosts,
    /// Held by whoever reads a table within this process.
    reading: Mutex<()>,
    connections: AtomicUsize,
    asked: AtomicU64,
    ends: AtomicBool,
}

impl State {
    /// Does what reads a table, one request after the other: a browser that asks ten times does not fill the memory ten times.
    pub(crate) fn one_at_a_time<T>(&self, work: impl FnOnce() -> T) -> T {
        let _held = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }
}

impl Served {
    /// The link that lets a browser in, once.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Waits until it ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::SeqCst);
        self.state.jobs.end();
        // The thread that waits for connections wakes up and sees that it is over.
        self.address.knock();
    }
}

/// Starts the workbench on the loopback address.
pub fn serve(settings: &Settings) -> Result<Served, WorkbenchError> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |source| WorkbenchError::Io { what, source }
    };
    let root = Root::new(&settings.root).map_err(failed("the folder of the projects"))?;
    let lock = root.lock().map_err(failed("the folder of the projects"))?;
    let door = match &settings.socket {
        Some(path) => Door::socket(path).map_err(failed("--socket"))?,
        None => Door::port(settings.port).map_err(failed("the port"))?,
    };
    let address = door.address().map_err(failed("the port"))?;
    let session = Session::new().map_err(failed("random numbers"))?;
    let token = session.entry().unwrap_or_default();
    let state = Arc::new(State {
        root,
        jobs: Jobs::new(settings.program.clone()),
        session,
        hosts: address.hosts(),
        reading: Mutex::new(()),
        connections: AtomicUsize::new(0),
        asked: AtomicU64::new(seconds()),
        ends: AtomicBool::new(false),
    });
    let shared = state.clone();
    let thread = std::thread::spawn(move || accept(&door, &shared));
    let (watched, of_watched) = (state.clone(), address.clone());
    std::thread::spawn(move || end_when_idle(&watched, &of_watched));
    let link = format!("http://127.0.0.1:{}/enter?token={token}", address.shown_port());
    Ok(Served { link, address, state, thread: Some(thread), _lock: lock })
}

fn seconds() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())
}

fn end_when_idle(state: &State, address: &Address) {
    while !state.ends.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_secs(1));
        if seconds().saturating_sub(state.asked.load(Ordering::SeqCst)) > IDLE.as_secs() {
            state.ends.store(true, Ordering::SeqCst);
            state.jobs.end();
            address.knock();
        }
    }
}

fn accept(door: &Door, state: &Arc<State>) {
    while !state.ends.load(Ordering::SeqCst) {
        door.next(PATIENCE, &mut Admitting(state));
    }
}

/// Lets connections in, up to a number of them at one time.
struct Admitting<'a>(&'a Arc<State>);

impl crate::door::Visitor for Admitting<'_> {
    fn visit<S>(&mut self, stream: S)
    where
        S: Send + 'static,
        for<'s> &'s S: Read + Write,
    {
        let state = self.0;
        if state.ends.load(Ordering::SeqCst) {
            return;
        }
        if state.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            state.connections.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let shared = state.clone();
        std::thread::spawn(move || {
            answer(&stream, &shared);
            shared.connections.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

fn answer<S>(stream: &S, state: &State)
where
    for<'s> &'s S: Read + Write,
{
    let begun = Instant::now();
    let (method, path, response) = match Request::read(stream) {
        Ok(request) => {
            let response = respond(&request, state);
            (request.method, request.path, response)
        }
        Err(status) => (String::from("?"), String::from("?"), Response::status(status)),
    };
    // Neither a query nor a body nor a value.
    let known = pages::ROUTES.contains(&path.as_str());
    let path = if known { path.as_str() } else { "(other)" };
    eprintln!(
        "{} {path} {} {} ms",
        method.chars().take(8).collect::<String>(),
        response.status,
        begun.elapsed().as_millis()
    );
    // A browser that went away is no error.
    drop(response.write(stream));
}

/// What a request gets. The checks stand here and nowhere else.
fn respond(request: &Request, state: &State) -> Response {
    let Some(host) = request.header("host").filter(|host| state.hosts.are(host)) else {
        return Response::status(421);
    };
    let foreign =
        |origin: &str| !origin.strip_prefix("http://").is_some_and(|from| state.hosts.same(host, from));
    if request.header("origin").is_some_and(foreign) {
        return Response::status(403);
    }
    if request.header("sec-fetch-site").is_some_and(|site| site == "cross-site") && request.path != "/enter" {
        return Response::status(403);
    }
    if !matches!(request.method.as_str(), "GET" | "POST") {
        return Response::status(405);
    }
    state.asked.store(seconds(), Ordering::SeqCst);
    if request.path == "/enter" && request.method == "GET" {
        return match state.session.enter(request.asked("token")) {
            Some(cookie) => {
                let cookie = format!("{COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/");
                Response::to("/").with("Set-Cookie", cookie)
            }
            None => Response::status(401),
        };
    }
    if !state.session.knows(request.cookie(COOKIE)) {
        return Response::status(401);
    }
    if request.method == "POST" {
        let by_script = request.header("x-lookalike") == Some("1");
        let by_form = state.session.is_own(request.field("form"));
        if !by_script && !by_form {
            return Response::status(403);
        }
        return pages::change(request, state);
    }
    pages::show(request, state)
}
