//! Jobs: what a form starts, how far it is, and how it ends. Arguments are built from single fields, never from a line.

use lookalike::read_frontier;
use report::markup::{Markup, Tag, tag};

use super::Opened;
use super::fields::{form, hidden};
use super::frame::{framed, now};
use super::point::look_commands;
use super::release::RELEASE;
use crate::http::{Request, Response};
use crate::jobs::{Job, State as Stage};
use crate::record;
use crate::server::State;

pub(super) fn of(request: &Request, state: &State) -> Option<Job> {
    state.jobs.job(request.asked("id").parse().ok()?)
}

/// The commands of a form; nothing where a field is not what it must be.
fn commands(request: &Request, state: &State, of: &Opened) -> Option<(&'static str, Vec<Vec<String>>)> {
    let given = |field: &str| Some(request.field(field).trim()).filter(|value| !value.is_empty());
    match request.field("what") {
        "frontier" => {
            let repeat: u32 = given("repeat")?.parse().ok().filter(|repeat| (1..=1000).contains(repeat))?;
            Some(("frontier", vec![frontier_command(repeat)]))
        }
        "look" => {
            let frontier = of.frontier(state).and_then(|folder| read_frontier(&folder).ok())?;
            let one = frontier.contestants.iter().find(|one| one.name == request.field("name"))?;
            Some(("look", look_commands(of, one)?.into()))
        }
        "release" => {
            let mut arguments = vec![
                "release".to_owned(),
                format!("--out={RELEASE}"),
                format!("--accepted-by={}", given("accepted_by")?),
            ];
            for name in [
                "note",
                "licence",
                "choose",
                "exception",
                "learned-schema",
                "unpaid-look",
                "publish",
                "because",
            ] {
                arguments.extend(given(&name.replace('-', "_")).map(|value| format!("--{name}={value}")));
            }
            arguments.extend(given("reproducible").map(|_| "--reproducible".to_owned()));
            arguments.extend(given("replace").map(|_| "--force".to_owned()));
            Some(("release", vec![arguments]))
        }
        "verify" => Some(("verify", vec![vec!["verify".into(), RELEASE.into()]])),
        _ => None,
    }
}

fn frontier_command(repeat: u32) -> Vec<String> {
    vec!["frontier".into(), format!("--repeat={repeat}")]
}

/// Runs the frontier: what was run before is kept, so that a change of limits alone takes a moment.
pub(super) fn start_frontier(state: &State, of: &Opened, repeat: u32) -> Response {
    queue(state, of, "frontier", vec![frontier_command(repeat)])
}

pub(super) fn start(request: &Request, state: &State, of: &Opened) -> Response {
    let Some((what, commands)) = commands(request, state, of) else { return Response::status(422) };
    queue(state, of, what, commands)
}

fn queue(state: &State, of: &Opened, what: &'static str, commands: Vec<Vec<String>>) -> Response {
    match state.jobs.start(what, &of.name, &of.folder, commands) {
        Some(_) if what == "frontier" => Response::to(&of.link("/frontier")),
        Some(id) => Response::to(&format!("/job?id={id}")),
        None => Response::status(429),
    }
}

pub(super) fn cancel(request: &Request, state: &State) -> Response {
    let id = request.field("id").parse().ok().filter(|id| state.jobs.cancel(*id));
    id.map_or_else(|| Response::status(404), |id: u64| Response::to(&format!("/job?id={id}")))
}

pub(super) fn cancel_form(state: &State, job: &Job, word: &str) -> Tag {
    form(state, "/cancel")
        .add(hidden("id", &job.id.to_string()))
        .add(tag("button").with("class", "plain").text(word))
}

fn lines_of(job: &Job) -> String {
    job.lines.iter().map(|line| format!("{line}\n")).collect()
}

fn commands_of(job: &Job) -> String {
    job.commands.iter().map(|arguments| format!("{}\n", record::typed(&job.project, arguments))).collect()
}

/// Where to go on when a job has ended.
fn next(of: &Opened, job: &Job) -> Tag {
    let (page, text) = match (job.what, &job.state) {
        (_, Stage::Failed) => {
            (of.link("/project"), "What was printed below says what stood in the way. Back to the project")
        }
        ("frontier", _) => (of.link("/frontier"), "To the map"),
        ("look", _) => (of.link("/frontier"), "Back to the versions"),
        ("release" | "verify", _) => (of.link("/release"), "To the release"),
        _ => (of.link("/project"), "Back to the project"),
    };
    tag("p").add(tag("a").with("class", "do").with("href", page).text(text))
}

pub(super) fn page(state: &State, job: &Job) -> String {
    let of = Opened::of(state, &job.project);
    let is_over = job.state.is_over();
    let (part, done, total) = job.progress.clone().unwrap_or_default();
    let mut content = Markup::default();
    content.push(now(match (&job.state, is_over) {
        (Stage::Finished, _) => "It is done.",
        (Stage::Cancelled, _) => "It was stopped. What a frontier has run so far is kept.",
        (_, true) => "It did not do what was asked.",
        (_, false) => "It runs in a process of its own. You may close this page, and come back.",
    }));
    let mut bar = tag("progress").with("id", "progress").with("aria-label", "How much is done");
    if total > 0 {
        bar = bar.with("max", total).with("value", done);
    }
    let state_of = tag("strong").with("id", "state").with("aria-live", "polite").text(job.state.word());
    let words = if total > 0 && !is_over { format!("{part}: {done} of {total}") } else { String::new() };
    let mut box_of = tag("div")
        .with("id", "job")
        .with("data-id", job.id)
        .with("data-over", if is_over { "yes" } else { "no" });
    box_of = box_of.add(
        tag("p").text("State: ").add(state_of).text(" ").add(tag("span").with("id", "part").text(words)),
    );
    if !is_over {
        box_of = box_of.add(bar).add(cancel_form(state, job, "Cancel"));
    }
    content.push(box_of);
    content.push(of.as_ref().filter(|_| is_over).map(|of| next(of, job)));
    content.push(tag("p").text("The same on a command line:"));
    content.push(tag("pre").with("tabindex", 0).with("aria-label", "Command").text(commands_of(job)));
    content.push(tag("p").text("What it prints:"));
    content.push(
        tag("pre").with("id", "lines").with("tabindex", 0).with("aria-label", "Output").text(lines_of(job)),
    );
    if !is_over {
        content.push(tag("noscript").add(tag("meta").with("http-equiv", "refresh").with("content", "5")));
    }
    framed(&format!("Job: {}", job.what), of.as_ref(), content)
}

pub(super) fn json(job: &Job) -> Response {
    let (part, done, of) = job.progress.clone().unwrap_or_default();
    let part = if of > 0 { format!("{part}: {done} of {of}") } else { part };
    let json = serde_json::json!({
        "state": job.state.word(), "over": job.state.is_over(), "part": part, "done": done, "of": of, "lines": lines_of(job),
    });
    Response::text("application/json", json.to_string())
}
