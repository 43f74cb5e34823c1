//! What forms change: a project begins, a schema is saved, a job starts or stops. Arguments of jobs are built from single fields, never from a line.

use lookalike::{Beginning, Data, InitRequest, PROJECT, Watch};
use report::markup::{Tag, tag};
use table::output_file;
use table::schema::SchemaFile;

use super::{Opened, open, schema};
use crate::http::{Request, Response};
use crate::server::State;

/// A field that is not shown.
pub(super) fn hidden(name: &'static str, value: &str) -> Tag {
    tag("input").with("type", "hidden").with("name", name).with("value", value)
}

/// A field of text with its question.
pub(super) fn text_field(name: &'static str, question: &str, value: &str, hint: &str) -> Tag {
    let field =
        tag("input").with("type", "text").with("name", name).with("value", value).with("autocomplete", "off");
    tag("label").text(question).add(tag("small").text(hint)).add(field)
}

/// Answers what changes something.
pub(crate) fn change(request: &Request, state: &State) -> Response {
    match request.path.as_str() {
        "/begin" => begin(request, state),
        "/schema" => save_schema(request, state),
        "/start" => start(request, state),
        "/cancel" => cancel(request, state),
        _ => Response::status(404),
    }
}

fn list(text: &str, by: char) -> Vec<String> {
    text.split(by).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn begin(request: &Request, state: &State) -> Response {
    let file = request.field("file");
    let Some(path) = state.root.existing(file).filter(|path| path.is_file()) else {
        return Response::status(404);
    };
    let again = |because: &str| {
        open(state, file, Some(because)).map_or_else(|| Response::status(404), Response::page)
    };
    let Some(folder) =
        state.root.new_file(request.field("folder")).filter(|folder| folder != state.root.folder())
    else {
        return again("The folder of the project must be a new name within this folder.");
    };
    if folder.join(PROJECT).exists() {
        return again("There is a project in that folder already; name another one.");
    }
    let reason = request.field("public_because").trim();
    let init = InitRequest {
        data: Data::file(path),
        folder: folder.clone(),
        beginning: Beginning {
            identifiers: list(request.field("identifiers"), ','),
            keys: list(request.field("keys"), ','),
            targets: list(request.field("targets"), ','),
            cuts: Vec::new(),
            limits: list(request.field("limits"), ';'),
            public_because: (!reason.is_empty()).then(|| reason.to_owned()),
        },
        replace: false,
    };
    match init.run(&Watch::default()) {
        Ok(_) => Response::to(&format!("/project?project={}", super::encoded(&state.root.relative(&folder)))),
        Err(error) => again(&error.to_string()),
    }
}

fn save_schema(request: &Request, state: &State) -> Response {
    let Some(of) = Opened::of(state, request.field("project")) else { return Response::status(404) };
    let text = request.field("schema").replace("\r\n", "\n");
    let Some(path) = of.file(state, of.project.schema.as_ref()) else { return Response::status(404) };
    let checked = SchemaFile::parse(&text).and_then(|file| file.finish().map(drop));
    let saved = checked.and_then(|()| output_file::write_private(&path, text.as_bytes(), true));
    match saved {
        Ok(()) => Response::to(&of.link("/project")),
        Err(error) => Response::page(schema(state, &of, Some((&text, &error.to_string())))),
    }
}

/// The arguments of a job from its fields; nothing where a field is not what it must be.
fn arguments(request: &Request) -> Option<(&'static str, Vec<String>)> {
    let mut arguments: Vec<String> = Vec::new();
    let mut option = |name: &str, field: &str| {
        let value = request.field(field).trim();
        if !value.is_empty() {
            arguments.push(format!("--{name}={value}"));
        }
    };
    match request.field("what") {
        "frontier" => {
            let repeat: u32 =
                request.field("repeat").trim().parse().ok().filter(|repeat| (1..=1000).contains(repeat))?;
            Some(("frontier", vec!["frontier".into(), format!("--repeat={repeat}")]))
        }
        "release" => {
            let who = request.field("accepted_by").trim();
            if who.is_empty() {
                return None;
            }
            for name in ["accepted-by", "note", "licence", "choose", "exception", "learned-schema"] {
                option(name, &name.replace('-', "_"));
            }
            let fixed = ["release".to_owned(), "--out=release".to_owned()];
            Some(("release", fixed.into_iter().chain(arguments).collect()))
        }
        "verify" => Some(("verify", vec!["verify".into(), "release".into()])),
        _ => None,
    }
}

fn start(request: &Request, state: &State) -> Response {
    let Some(of) = Opened::of(state, request.field("project")) else { return Response::status(404) };
    let Some((what, arguments)) = arguments(request) else { return Response::status(422) };
    match state.jobs.start(what, &of.name, of.folder.clone(), arguments) {
        Some(id) => Response::to(&format!("/job?id={id}")),
        None => Response::status(429),
    }
}

fn cancel(request: &Request, state: &State) -> Response {
    let id = request.field("id").parse().ok().filter(|id| state.jobs.cancel(*id));
    id.map_or_else(|| Response::status(404), |id: u64| Response::to(&format!("/job?id={id}")))
}
