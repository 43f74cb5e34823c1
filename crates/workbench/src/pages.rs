//! The pages: projects, a table, its schema, the frontier, the release, a job and the log.

mod forms;
mod frame;

use std::path::{Path, PathBuf};

use lookalike::{Data, DescribeRequest, PROJECT, Project, Watch, read_frontier};
use report::markup::{Markup, Tag, tag};

use crate::http::{Request, Response};
use crate::jobs::{Job, typed};
use crate::server::State;
use forms::{hidden, text_field};
use frame::{framed, now};

pub(crate) use forms::change;

/// Every page there is.
pub(crate) const ROUTES: [&str; 17] = [
    "/",
    "/open",
    "/project",
    "/schema",
    "/frontier",
    "/release",
    "/job",
    "/job.json",
    "/log",
    "/log.sh",
    "/report",
    "/style.css",
    "/script.js",
    "/enter",
    "/begin",
    "/start",
    "/cancel",
];

/// The largest schema that is shown.
const MOST_BYTES: u64 = 1 << 20;

/// Answers what changes nothing.
pub(crate) fn show(request: &Request, state: &State) -> Response {
    let page = match request.path.as_str() {
        "/" => Some(projects(state)),
        "/open" => open(state, request.asked("file"), None),
        "/project" => with_project(state, request, overview),
        "/schema" => with_project(state, request, |state, of| schema(state, of, None)),
        "/frontier" => with_project(state, request, frontier),
        "/release" => {
            let choose = request.asked("choose").to_owned();
            with_project(state, request, move |state, of| release(state, of, &choose))
        }
        "/job" => job_of(request, state).map(|job| job_page(state, &job)),
        "/job.json" => {
            return job_of(request, state).map_or_else(|| Response::status(404), |job| job_json(&job));
        }
        "/log" => with_project(state, request, log),
        "/log.sh" => return log_file(request, state),
        "/report" => return report(request, state),
        "/style.css" => {
            let styles = [report::STYLES[0], report::STYLES[1], include_str!("workbench.css")].join("\n");
            return Response::text("text/css; charset=utf-8", styles);
        }
        "/script.js" => {
            return Response::text("text/javascript; charset=utf-8", include_str!("workbench.js").to_owned());
        }
        _ => None,
    };
    page.map_or_else(|| Response::status(404), Response::page)
}

/// A project that exists below the root.
pub(crate) struct Opened {
    /// Its folder, as it is written below the root.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) project: Project,
}

impl Opened {
    /// The project of this name; none where there is none, or its file cannot be read.
    pub(crate) fn of(state: &State, name: &str) -> Option<Self> {
        let folder = state.root.existing(name)?;
        let project = Project::in_folder(&folder).ok()??;
        let name = state.root.relative(&folder);
        Some(Self { name, folder, project })
    }

    /// A file that the project names, if it is below the root.
    fn file(&self, state: &State, path: Option<&PathBuf>) -> Option<PathBuf> {
        let full = std::fs::canonicalize(self.folder.join(path?)).ok()?;
        full.starts_with(state.root.folder()).then_some(full)
    }

    fn link(&self, page: &str) -> String {
        format!("{page}?project={}", encoded(&self.name))
    }
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn with_project(
    state: &State,
    request: &Request,
    page: impl Fn(&State, &Opened) -> String,
) -> Option<String> {
    Opened::of(state, request.asked("project")).map(|of| page(state, &of))
}

/// Files below the root that a test accepts, two folders deep, by name.
fn below(state: &State, accepts: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    const MOST: usize = 500;
    let mut found = Vec::new();
    let mut folders = vec![(state.root.folder().to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() && depth < 2 && !is_hidden {
                folders.push((path, depth + 1));
            } else if kind.is_file() && accepts(&path) && found.len() < MOST {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_table(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    [".csv", ".csv.gz", ".parquet", ".arrow"].iter().any(|end| name.ends_with(end)) && name != "codebook.csv"
}

fn projects(state: &State) -> String {
    let is_project = |path: &Path| path.file_name().is_some_and(|name| name == PROJECT);
    let links = below(state, &is_project).into_iter().filter_map(|path| {
        let name = state.root.relative(path.parent()?);
        let shown = if name.is_empty() { "this folder".to_owned() } else { name.clone() };
        let link = tag("a").with("href", format!("/project?project={}", encoded(&name))).text(shown);
        Some(tag("li").add(link))
    });
    let links: Vec<Tag> = links.collect();
    let none = links.is_empty().then(|| tag("li").text("There is none yet."));
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len().div_ceil(1024));
    let tables =
        below(state, &is_table).into_iter().filter(|path| !path.iter().any(|part| part == "internal"));
    let tables = tables.map(|path| {
        let name = state.root.relative(&path);
        let link = tag("a").with("href", format!("/open?file={}", encoded(&name))).text(&name);
        tag("li").add(link).text(format!(" {} KiB", size(&path)))
    });
    let content: Markup = [
        now("Open a project, or choose the table of a new one. Files are read where they lie; nothing is uploaded."),
        tag("h2").text("Projects"),
        tag("ul").add(none).all(links),
        tag("h2").text("Tables below this folder"),
        tag("ul").all(tables),
    ]
    .into_iter()
    .collect();
    framed("Projects", None, content)
}

/// A table: names and kinds of its columns, no values, and the questions of a new project.
pub(crate) fn open(state: &State, file: &str, error: Option<&str>) -> Option<String> {
    let path = state.root.existing(file).filter(|path| path.is_file() && is_table(path))?;
    let name = state.root.relative(&path);
    let described = DescribeRequest::new(Data::file(&path)).run(&Watch::default());
    let mut content = Markup::default();
    content.push(now(
        "Say what the table is. What you leave empty is left to the usual; everything can be changed later.",
    ));
    content.push(error.map(|error| tag("p").with("class", "error").with("role", "alert").text(error)));
    let described = match described {
        Ok(described) => described,
        Err(_) => {
            content.push(
                tag("p")
                    .with("class", "error")
                    .text("This file cannot be read as a table; `lookalike describe` says why."),
            );
            return Some(framed("Open a table", None, content));
        }
    };
    let suggested = lookalike::Beginning::suggested(&described);
    let folder = name.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default().to_owned();
    let form = tag("form")
        .with("class", "fields")
        .with("method", "post")
        .with("action", "/begin")
        .add(hidden("form", state.session.form()))
        .add(hidden("file", &name))
        .add(text_field("folder", "Folder of the project", &format!("{folder}-project"), "a new folder"))
        .add(text_field(
            "identifiers",
            "Which columns name people or records?",
            &suggested.identifiers.join(","),
            "they are made new",
        ))
        .add(text_field(
            "keys",
            "What does a neighbour know of a person?",
            &suggested.keys.join(","),
            "names of columns, with commas between",
        ))
        .add(text_field(
            "targets",
            "What must not be learned of a person?",
            "",
            "empty: all that a neighbour does not know",
        ))
        .add(text_field(
            "limits",
            "What must a release keep?",
            &lookalike::usual_limits().join("; "),
            "limits, with semicolons between",
        ))
        .add(text_field(
            "public_because",
            "May the levels and ranges of the table be published, and why?",
            "",
            "empty: they may not",
        ))
        .add(tag("button").with("class", "do").text("Begin"));
    content.push(form);
    let rows = described.profile.variables.iter().map(|variable| {
        tag("tr")
            .add(tag("th").with("scope", "row").text(&variable.name))
            .add(tag("td").text(variable.kind))
            .add(tag("td").text(variable.levels))
    });
    let head = ["column", "kind", "different values"].map(|name| tag("th").with("scope", "col").text(name));
    content.push(tag("h2").text(format!("Its {} columns", described.profile.columns)));
    let table = tag("table").add(tag("thead").add(tag("tr").all(head))).add(tag("tbody").all(rows));
    content.push(
        tag("div")
            .with("class", "frame")
            .with("tabindex", 0)
            .with("role", "group")
            .with("aria-label", "Columns")
            .add(table),
    );
    Some(framed(&format!("Open {name}"), None, content))
}

fn overview(state: &State, of: &Opened) -> String {
    let done = |path: &str| of.folder.join(path).exists();
    let frontier = of.project.frontier.clone().unwrap_or_else(|| "frontier".into()).join("frontier.json");
    let has_frontier = of.folder.join(frontier).exists();
    let step = match (has_frontier, done("release")) {
        (false, _) => "Review the schema, then run the frontier.",
        (true, false) => "Look at the frontier, and release the version that suits you.",
        (true, true) => {
            "It is released. Look at the reports, and give away what lies in the folder but internal/."
        }
    };
    let steps = [
        ("/schema", "Schema", "what the table may hold", done("schema.toml")),
        ("/frontier", "Frontier", "many versions on one map", has_frontier),
        ("/release", "Release", "the chosen version with its evidence", done("release")),
        ("/log", "Log", "what was done, as commands to type", false),
    ];
    let steps = steps.map(|(page, name, what, is_done)| {
        let sign = if is_done { " ✓" } else { "" };
        tag("li").add(tag("a").with("href", of.link(page)).text(name)).text(format!(": {what}{sign}"))
    });
    let jobs = state.jobs.of_project(&of.name);
    let jobs: Vec<Tag> = jobs
        .iter()
        .take(10)
        .map(|job| {
            let link = tag("a").with("href", format!("/job?id={}", job.id)).text(job.what);
            tag("li").add(link).text(format!(": {}", job.state.word()))
        })
        .collect();
    let mut content: Markup = [now(step), tag("ol").all(steps)].into_iter().collect();
    if !jobs.is_empty() {
        content.push(tag("h2").text("Jobs"));
        content.push(tag("ul").all(jobs));
    }
    content.push(tag("h2").text(PROJECT));
    content.push(tag("pre").with("tabindex", 0).text(of.project.to_toml()));
    framed("Project", Some(of), content)
}

/// The schema as a text to edit.
pub(crate) fn schema(state: &State, of: &Opened, refused: Option<(&str, &str)>) -> String {
    let path = of.file(state, of.project.schema.as_ref());
    let read = |path: &PathBuf| {
        let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES);
        if small { std::fs::read_to_string(path).ok() } else { None }
    };
    let mut content = Markup::default();
    content.push(now("Check that every variable is what it says: kinds, levels in order, ranges, cuts of numbers, rules. A schema that you declare public must not hold what only the records know."));
    let text = match (refused, path.as_ref().and_then(read)) {
        (Some((text, because)), _) => {
            content.push(
                tag("p").with("class", "error").with("role", "alert").text(format!("Not saved: {because}")),
            );
            text.to_owned()
        }
        (None, Some(text)) => text,
        (None, None) => {
            content
                .push(tag("p").with("class", "error").text("The project names no schema below this folder."));
            return framed("Schema", Some(of), content);
        }
    };
    let area = tag("textarea")
        .with("name", "schema")
        .with("spellcheck", "false")
        .with("aria-label", "The schema as TOML")
        .text(format!("\n{text}"));
    content.push(
        tag("form")
            .with("method", "post")
            .with("action", "/schema")
            .add(hidden("form", state.session.form()))
            .add(hidden("project", &of.name))
            .add(area)
            .add(tag("p").add(tag("button").with("class", "do").text("Check and save"))),
    );
    framed("Schema", Some(of), content)
}

/// A button that starts a job.
fn start(state: &State, of: &Opened, what: &'static str, button: &str, fields: Vec<Tag>) -> Tag {
    tag("form")
        .with("class", "fields")
        .with("method", "post")
        .with("action", "/start")
        .add(hidden("form", state.session.form()))
        .add(hidden("project", &of.name))
        .add(hidden("what", what))
        .all(fields)
        .add(tag("button").with("class", "do").text(button))
}

fn frontier(state: &State, of: &Opened) -> String {
    let folder = of.file(state, of.project.frontier.as_ref());
    let found = folder.as_ref().and_then(|folder| read_frontier(folder).ok());
    let mut content = Markup::default();
    let repeat = || {
        vec![text_field(
            "repeat",
            "How often is each recipe run?",
            "3",
            "more runs show how much they scatter",
        )]
    };
    match found {
        None => {
            content.push(now("Run many methods and settings. It may take some minutes; it can be cancelled, and goes on where it stopped."));
            content.push(start(state, of, "frontier", "Run the frontier", repeat()));
        }
        Some(frontier) => {
            content.push(now("Right is riskier, and the axis at the left says which way is better. Choose a version below; the recommended one has a ring."));
            content.push(report::frontier_section(&frontier));
            let names = frontier.contestants.iter().filter(|one| one.failed.is_none()).map(|one| {
                let page = format!("{}&choose={}", of.link("/release"), encoded(&one.name));
                tag("li").add(tag("a").with("href", page).text(format!("Release {}", one.name)))
            });
            content.push(tag("h3").text("Choose"));
            content.push(tag("ul").all(names));
            content.push(tag("h3").text("Run it again"));
            content.push(start(state, of, "frontier", "Go on, or run again with other settings", repeat()));
        }
    }
    framed("Frontier", Some(of), content)
}

fn release(state: &State, of: &Opened, choose: &str) -> String {
    let mut content = Markup::default();
    let done = of.folder.join("release/manifest.json").is_file();
    if done {
        content.push(now(
            "Released. The frame shows the report exactly as it leaves; the internal one stays here.",
        ));
        let frame = |file: &str, title: &str| {
            let source = format!("{}&file={}", of.link("/report"), encoded(file));
            [
                tag("h2").text(title),
                tag("iframe").with("sandbox", "").with("title", title.to_owned()).with("src", source),
            ]
        };
        content.push(frame("release/report.html", "For the public").into_iter().collect::<Markup>());
        content.push(
            frame("release/internal/report-internal.html", "Confidential").into_iter().collect::<Markup>(),
        );
        content.push(start(state, of, "verify", "Verify the release", vec![]));
        return framed("Release", Some(of), content);
    }
    content.push(now("Say who accepts the release. It is drawn again, measured, held against the limits, and refused if it breaks one without a reason."));
    content.push(start(
        state,
        of,
        "release",
        "Release",
        vec![
            text_field("accepted_by", "Who accepts it? (published)", "", "a person or a board"),
            text_field("note", "What do they have to say? (published)", "", ""),
            text_field("licence", "Under which terms may it be used? (published)", "", "such as CC BY 4.0"),
            text_field(
                "choose",
                "Another version than the recommended one",
                choose,
                "its name on the frontier",
            ),
            text_field("exception", "Why may it break a limit? (published)", "", "empty: it may not"),
            text_field(
                "learned_schema",
                "Why may a schema that was learned be published?",
                "",
                "empty: it may not",
            ),
        ],
    ));
    framed("Release", Some(of), content)
}

fn job_of(request: &Request, state: &State) -> Option<Job> {
    state.jobs.job(request.asked("id").parse().ok()?)
}

fn lines_of(job: &Job) -> String {
    job.lines.iter().map(|line| format!("{line}\n")).collect()
}

fn job_page(state: &State, job: &Job) -> String {
    let of = Opened::of(state, &job.project);
    let over = if job.state.is_over() { "yes" } else { "no" };
    let (part, done, total) = job.progress.clone().unwrap_or_default();
    let mut content = Markup::default();
    content.push(now(match job.state.is_over() {
        true => "It is over. Go on in the project.",
        false => "It runs in a process of its own. You may close this page, and come back.",
    }));
    let mut bar = tag("progress").with("id", "progress").with("aria-label", "How much is done");
    if total > 0 {
        bar = bar.with("max", total).with("value", done);
    }
    let mut box_of = tag("div").with("id", "job").with("data-id", job.id).with("data-over", over);
    box_of = box_of.add(
        tag("p")
            .text("State: ")
            .add(tag("strong").with("id", "state").with("aria-live", "polite").text(job.state.word()))
            .text(" ")
            .add(tag("span").with("id", "part").text(part)),
    );
    if !job.state.is_over() {
        let cancel = tag("form")
            .with("method", "post")
            .with("action", "/cancel")
            .add(hidden("form", state.session.form()))
            .add(hidden("id", &job.id.to_string()))
            .add(tag("button").with("class", "plain").text("Cancel"));
        box_of = box_of.add(bar).add(cancel);
    }
    content.push(box_of);
    content.push(tag("p").text("The same on a command line:"));
    content.push(tag("pre").with("tabindex", 0).text(typed(&job.project, &job.arguments)));
    content.push(
        tag("pre").with("id", "lines").with("tabindex", 0).with("aria-label", "Output").text(lines_of(job)),
    );
    if !job.state.is_over() {
        content.push(tag("noscript").add(tag("meta").with("http-equiv", "refresh").with("content", "5")));
    }
    framed(job.what, of.as_ref(), content)
}

fn job_json(job: &Job) -> Response {
    let (part, done, of) = job.progress.clone().unwrap_or_default();
    let json = serde_json::json!({
        "state": job.state.word(), "over": job.state.is_over(), "part": part, "done": done, "of": of, "lines": lines_of(job),
    });
    Response::text("application/json", json.to_string())
}

fn log(state: &State, of: &Opened) -> String {
    let jobs = state.jobs.of_project(&of.name);
    let lines = jobs.iter().rev().map(|job| {
        tag("li")
            .add(tag("code").text(typed(&job.project, &job.arguments)))
            .text(format!(" ({})", job.state.word()))
    });
    let content: Markup = [
        now("What was done in this project, as commands that do the same, from the folder in which the workbench was started."),
        tag("ol").all(lines),
        tag("p").add(tag("a").with("href", of.link("/log.sh")).text("As a file")),
    ]
    .into_iter()
    .collect();
    framed("Log", Some(of), content)
}

fn log_file(request: &Request, state: &State) -> Response {
    let Some(of) = Opened::of(state, request.asked("project")) else { return Response::status(404) };
    let jobs = state.jobs.of_project(&of.name);
    let lines: String = jobs.iter().rev().map(|job| typed(&job.project, &job.arguments) + "\n").collect();
    Response::text("text/x-shellscript; charset=utf-8", format!("#!/bin/sh\nset -e\n{lines}"))
        .with("Content-Disposition", "attachment; filename=\"lookalike.sh\"".into())
}

/// A report of the project, for a frame.
fn report(request: &Request, state: &State) -> Response {
    const SHOWN: [&str; 2] = ["release/report.html", "release/internal/report-internal.html"];
    let file = request.asked("file");
    let page = Opened::of(state, request.asked("project"))
        .filter(|_| SHOWN.contains(&file))
        .and_then(|of| of.file(state, Some(&PathBuf::from(file))))
        .and_then(|path| std::fs::read(path).ok());
    page.map_or_else(|| Response::status(404), Response::report)
}
