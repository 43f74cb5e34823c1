//! A project begins: by the same request as `lookalike init`, and a line that says so.

use lookalike::{Beginning, InitRequest, PROJECT, Watch};

use super::fields::list;
use super::{encoded, open};
use crate::http::{Request, Response};
use crate::record;
use crate::server::State;

pub(super) fn begin(request: &Request, state: &State) -> Response {
    let asked = open::Asked::of_form(request);
    let Some(data) = asked.data(state) else { return Response::status(404) };
    let again = |because: &str| {
        open::page(state, &asked, Some(because)).map_or_else(|| Response::status(404), Response::page)
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
    let beginning = Beginning {
        identifiers: list(request.field("identifiers"), ','),
        keys: list(request.field("keys"), ','),
        targets: list(request.field("targets"), ','),
        cuts: Vec::new(),
        limits: list(request.field("limits"), ';'),
        public_because: (!reason.is_empty()).then(|| reason.to_owned()),
    };
    let path = data.path().map(|path| state.root.relative(path)).unwrap_or_default();
    let name = state.root.relative(&folder);
    let line = typed(&path, &name, &asked, &beginning);
    let init = InitRequest { data, folder: folder.clone(), beginning, replace: false };
    match init.run(&Watch::default()) {
        Ok(_) => {
            record::record(&folder, &format!("{line}\n"));
            Response::to(&format!("/project?project={}", encoded(&name)))
        }
        Err(error) => again(&error.to_string()),
    }
}

/// The command that does the same. Every list is stated, also an empty one: the command would suggest names otherwise.
fn typed(data: &str, folder: &str, asked: &open::Asked, beginning: &Beginning) -> String {
    let mut arguments =
        vec!["init".to_owned(), data.to_owned(), "--yes".to_owned(), format!("--out={folder}")];
    for (name, value) in
        [("separator", &asked.separator), ("decimal", &asked.decimal), ("missing", &asked.missing)]
    {
        if !value.is_empty() {
            arguments.push(format!("--{name}={value}"));
        }
    }
    for (name, list) in
        [("identifiers", &beginning.identifiers), ("keys", &beginning.keys), ("targets", &beginning.targets)]
    {
        arguments.push(format!("--{name}={}", list.join(",")));
    }
    arguments.extend(beginning.limits.iter().map(|limit| format!("--limit={limit}")));
    arguments.extend(beginning.public_because.iter().map(|reason| format!("--public-because={reason}")));
    record::command(&arguments)
}
