//! Schema: one row a variable with what the records show, each to be edited by itself, or the whole as a text.

use std::path::Path;

use lookalike::table::output_file;
use lookalike::table::profile::{Profile, VariableProfile};
use lookalike::table::schema::SchemaFile;
use lookalike::{DescribeRequest, Watch};
use report::markup::{Markup, Tag, tag};

use super::Opened;
use super::fields::{area, button, form, hidden, text_field};
use super::frame::{framed, now, problem};
use crate::http::{Request, Response};
use crate::record;
use crate::server::State;

/// The largest schema that is shown.
const MOST_BYTES: u64 = 1 << 20;

/// An edit that was not saved: the variable, or none for the whole; its text; and why.
pub(super) struct Refused {
    variable: Option<String>,
    text: String,
    because: String,
}

pub(super) fn page(state: &State, of: &Opened, refused: Option<&Refused>) -> String {
    let mut content = Markup::default();
    content.push(now("Check that every variable is what it says: its kind, levels in order, range, cuts of numbers. What was learned from the records must be compared with the code book before it is declared public."));
    let Some(text) = of.file(state, of.project.schema.as_ref()).and_then(|path| read(&path)) else {
        content.push(problem("The project names no schema below this folder."));
        return framed("Schema", Some(of), content);
    };
    content.push(refused.map(|refused| problem(&format!("Not saved: {}", refused.because))));
    let blocks = blocks(&text);
    let profile =
        state.one_at_a_time(|| of.data(state).map(|data| DescribeRequest::new(data).run(&Watch::default())));
    let profile = match profile {
        Some(Ok(described)) => Some(described.profile),
        Some(Err(error)) => {
            content.push(problem(&format!(
                "The table cannot be read under this schema: {}",
                without_root(state, &error.to_string())
            )));
            None
        }
        None => {
            content.push(tag("p").text(
                "The table is not below the folder of the workbench, so that only the schema is shown.",
            ));
            None
        }
    };
    if let Some(profile) = &profile {
        content.push(violations(profile));
    }
    content.push(declaration(state, of, &text));
    content.push(tag("h2").text("Variables"));
    let edited = |name: &str| refused.filter(|refused| refused.variable.as_deref() == Some(name));
    let drafted = state.one_at_a_time(|| drafted(state, of));
    let cards = blocks.iter().map(|block| {
        let found = profile
            .as_ref()
            .and_then(|profile| profile.variables.iter().find(|variable| variable.name == block.name));
        let by_records = drafted.iter().find(|drafted| drafted.name == block.name);
        card(state, of, block, found, edited(&block.name))
            .add(by_records.and_then(|by| difference(block, by)))
    });
    content.push(tag("div").with("class", "gallery").all(cards));
    content.push(tag("h2").text("The whole as text"));
    let whole =
        refused.filter(|refused| refused.variable.is_none()).map_or(text.as_str(), |refused| &refused.text);
    let form = form(state, "/schema")
        .with("id", "whole")
        .add(hidden("project", &of.name))
        .add(area("schema", "The schema as TOML", whole, 20))
        .add(button("Check and save"));
    content.push(tag("details").add(tag("summary").text("Edit the file")).add(form));
    framed("Schema", Some(of), content)
}

fn read(path: &Path) -> Option<String> {
    let small = std::fs::metadata(path).is_ok_and(|file| file.len() <= MOST_BYTES);
    if small { std::fs::read_to_string(path).ok() } else { None }
}

fn without_root(state: &State, text: &str) -> String {
    text.replace(&format!("{}/", state.root.folder().display()), "")
}

fn violations(profile: &Profile) -> Option<Tag> {
    (!profile.violations.is_empty()).then(|| {
        let lines = profile
            .violations
            .iter()
            .map(|one| tag("li").text(format!("{}: {} records", one.violation, one.records)));
        tag("div")
            .with("class", "error")
            .add(tag("p").text("The table does not keep this schema. Mend the one or the other:"))
            .add(tag("ul").all(lines))
    })
}

/// Whether the domain is public, and how to say so.
fn declaration(state: &State, of: &Opened, text: &str) -> Markup {
    let file = SchemaFile::parse(text).ok();
    let declared = file
        .as_ref()
        .filter(|file| file.table.declared)
        .map(|file| file.table.reason.clone().unwrap_or_default());
    let mut content = Markup::default();
    content.push(tag("h2").text("May it be published?"));
    content.push(match &declared {
        Some(reason) => tag("p").text(format!("Levels and ranges are declared public, because: {reason}")),
        None => tag("p").text("Not declared public yet: levels and ranges were read off the records, and a release is refused, or leaves out what only few records have, until somebody says why they may be known."),
    });
    content.push(
        form(state, "/schema")
            .add(hidden("project", &of.name))
            .add(hidden("edit", "public"))
            .add(text_field(
                "reason",
                "They may be known, because",
                declared.as_deref().unwrap_or_default(),
                "such as: they are in the code book of 2024",
            ))
            .add(button("Declare public")),
    );
    content
}

fn card(
    state: &State,
    of: &Opened,
    block: &Block,
    found: Option<&VariableProfile>,
    refused: Option<&Refused>,
) -> Tag {
    let origin = match block
        .text
        .lines()
        .any(|line| line.trim_start().starts_with("domain") && line.contains("learned"))
    {
        true => "learned from the records",
        false => "declared",
    };
    let mut card = tag("section")
        .with("class", "card")
        .with("id", format!("variable-{}", block.name))
        .add(tag("h3").text(&block.name));
    if let Some(found) = found {
        card = card.add(report::shape_picture(&found.shape));
        let mut facts = vec![found.kind.to_owned(), format!("{} different values", found.levels)];
        facts.extend(found.min.as_ref().zip(found.max.as_ref()).map(|(min, max)| format!("{min} to {max}")));
        facts.extend((found.missing > 0).then(|| format!("{} missing", found.missing)));
        facts.extend(found.codes.iter().map(|(code, records)| format!("code {code}: {records}")));
        facts.extend(
            found.classes.zip(found.classes_by).map(|(classes, by)| format!("{classes} classes by {by}")),
        );
        facts.push(origin.to_owned());
        card = card.add(tag("p").text(facts.join(" · ")));
        card = card.all(found.notes.iter().map(|note| tag("p").with("class", "quiet").prose(note)));
    } else {
        card = card.add(tag("p").text(origin));
    }
    let text = refused.map_or(block.text.as_str(), |refused| &refused.text);
    let form = form(state, "/schema")
        .add(hidden("project", &of.name))
        .add(hidden("edit", "variable"))
        .add(hidden("variable", &block.name))
        .add(area(
            "schema",
            &format!("The schema of {}", block.name),
            text,
            text.lines().count().clamp(3, 14),
        ))
        .add(button("Check and save"));
    let details = tag("details").add(tag("summary").text("Edit")).add(form);
    card.add(if refused.is_some() { details.with("open", "open") } else { details })
}

/// What the records by themselves would say of each variable; nothing where they cannot be read.
fn drafted(state: &State, of: &Opened) -> Vec<Block> {
    let described = of.records(state).map(|data| DescribeRequest::new(data).run(&Watch::default()));
    described.and_then(Result::ok).map(|described| blocks(&described.draft())).unwrap_or_default()
}

/// The lines in which the file and a draft from the records differ: `-` are those of the file alone, `+` those of the draft.
fn differing(file: &Block, draft: &Block) -> Vec<String> {
    let lines = |block: &Block| -> Vec<String> {
        let said = block.text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        said.filter(|line| !line.is_empty() && !line.starts_with(['#', '['])).collect()
    };
    let (file, draft) = (lines(file), lines(draft));
    let alone = |these: &[String], others: &[String], sign: &str| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).map(|line| format!("{sign} {line}")).collect()
    };
    [alone(&file, &draft, "-"), alone(&draft, &file, "+")].concat()
}

fn difference(file: &Block, draft: &Block) -> Option<Tag> {
    let lines = differing(file, draft);
    (!lines.is_empty()).then(|| {
        tag("details")
            .add(tag("summary").text("Where the file differs from what the records show"))
            .add(tag("p").with("class", "quiet").text(
                "A line with - stands in the file, one with + is what a draft from the records would say.",
            ))
            .add(
                tag("pre")
                    .with("tabindex", 0)
                    .with("aria-label", format!("Differences of {}", file.name))
                    .text(lines.join("\n")),
            )
    })
}

/// The lines of one variable in the text of a schema.
struct Block {
    name: String,
    text: String,
    /// The first line, and the one after the last.
    lines: (usize, usize),
}

/// The name in a head such as `[variables.age]` or `[variables."my age".labels]`.
fn name_of(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("[variables.")?;
    let name = match rest.strip_prefix('"') {
        Some(quoted) => {
            let mut end = None;
            let mut escaped = false;
            for (at, letter) in quoted.char_indices() {
                match letter {
                    '"' if !escaped => {
                        end = Some(at);
                        break;
                    }
                    '\\' => escaped = !escaped,
                    _ => escaped = false,
                }
            }
            let text = &quoted[..end?];
            serde_json::from_str(&format!("\"{text}\"")).ok()?
        }
        None => rest.split(['.', ']']).next()?.to_owned(),
    };
    Some(name)
}

/// The variables of a schema, each with the comments above it.
fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let is_head = |line: &str| line.starts_with('[');
    let above = |head: usize| {
        let mut first = head;
        while first > 0 && lines[first - 1].trim_start().starts_with('#') {
            first -= 1;
        }
        first
    };
    let mut blocks: Vec<Block> = Vec::new();
    let heads: Vec<usize> = (0..lines.len()).filter(|at| is_head(lines[*at])).collect();
    for (at, head) in heads.iter().enumerate() {
        let Some(name) = name_of(lines[*head]) else { continue };
        let end = heads.get(at + 1).map_or(lines.len(), |next| above(*next));
        match blocks.last_mut().filter(|last| last.name == name) {
            Some(last) => last.lines.1 = end,
            None => blocks.push(Block { name, text: String::new(), lines: (above(*head), end) }),
        }
    }
    for block in &mut blocks {
        block.text = lines[block.lines.0..block.lines.1].join("\n").trim_end().to_owned();
    }
    blocks
}

/// The schema with one variable's lines replaced.
fn patched(text: &str, variable: &str, by: &str) -> Option<String> {
    let block = blocks(text).into_iter().find(|block| block.name == variable)?;
    let lines: Vec<&str> = text.lines().collect();
    let (first, end) = block.lines;
    Some([&lines[..first], &[by.trim_end(), ""], &lines[end..]].concat().join("\n") + "\n")
}

/// The schema, declared public for a reason.
fn declared(text: &str, reason: &str) -> String {
    let kept = |line: &&str| !line.starts_with("declared") && !line.starts_with("reason");
    let mut lines: Vec<String> = text.lines().filter(kept).map(str::to_owned).collect();
    let reason = serde_json::Value::from(reason).to_string();
    let declared = ["declared = true".to_owned(), format!("reason = {reason}")];
    match lines.iter().position(|line| line.trim() == "[table]") {
        Some(at) => lines.splice(at + 1..at + 1, declared).for_each(drop),
        None => lines.splice(0..0, std::iter::once("[table]".to_owned()).chain(declared)).for_each(drop),
    }
    lines.join("\n") + "\n"
}

pub(super) fn save(request: &Request, state: &State, of: &Opened) -> Response {
    let Some((path, text)) =
        of.file(state, of.project.schema.as_ref()).and_then(|path| Some((path.clone(), read(&path)?)))
    else {
        return Response::status(404);
    };
    let given = request.field("schema").replace("\r\n", "\n");
    let (changed, variable) = match request.field("edit") {
        "variable" => {
            (patched(&text, request.field("variable"), &given), Some(request.field("variable").to_owned()))
        }
        "public" => (
            Some(request.field("reason").trim())
                .filter(|reason| !reason.is_empty())
                .map(|reason| declared(&text, reason)),
            None,
        ),
        _ => (Some(given.clone()), None),
    };
    let refuse = |because: String| {
        let text = if request.field("edit") == "public" { text.clone() } else { given.clone() };
        Response::page(page(state, of, Some(&Refused { variable: variable.clone(), text, because })))
    };
    let Some(changed) = changed else { return refuse("say which variable, or for which reason".to_owned()) };
    let checked = SchemaFile::parse(&changed).and_then(|file| file.finish().map(drop));
    match checked.and_then(|()| output_file::write_private(&path, changed.as_bytes(), true)) {
        Ok(()) => {
            let file = state.root.relative(&path);
            record::record(&of.folder, &record::written_file("", &file, &changed));
            Response::to(&of.link("/schema"))
        }
        Err(error) => refuse(without_root(state, &error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Drafted.\n\n[table]\nunit = \"person\"\n\n# note of a\n[variables.a]\nkind = \"integer\"\n\n[variables.\"b c\"]\nkind = \"categorical\"\nlevels = [\"x\"]\n[variables.\"b c\".labels]\nx = \"ex\"\n\n[[rules]]\nwhen = \"true\"\n";

    #[test]
    fn each_variable_has_its_lines_with_the_notes_above_them() {
        let found: Vec<(String, String)> =
            blocks(TEXT).into_iter().map(|block| (block.name, block.text)).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], ("a".into(), "# note of a\n[variables.a]\nkind = \"integer\"".into()));
        assert_eq!((found[1].0.as_str(), found[1].1.lines().count()), ("b c", 5));
    }

    #[test]
    fn the_file_is_compared_with_a_draft_by_what_they_say() {
        let of = |text: &str| blocks(text).remove(0);
        let file = of("# looked at\n[variables.a]\nkind = \"ordinal\"\nlevels  =  [\"x\"]\n");
        let draft =
            of("# drafted\n[variables.a]\nkind = \"categorical\"\nlevels = [\"x\"]\nmissing = true\n");
        assert_eq!(
            differing(&file, &draft),
            ["- kind = \"ordinal\"", "+ kind = \"categorical\"", "+ missing = true"]
        );
        assert!(difference(&file, &file).is_none());
    }

    #[test]
    fn a_patch_changes_the_lines_of_its_variable_alone() {
        let changed = patched(TEXT, "a", "[variables.a]\nkind = \"real\"\n").unwrap();
        assert!(
            changed.contains("kind = \"real\"")
                && !changed.contains("integer")
                && changed.contains("[[rules]]")
        );
        assert!(changed.contains("[variables.\"b c\".labels]\nx = \"ex\""));
        assert_eq!(patched(TEXT, "nobody", ""), None);
        let public = declared(TEXT, "the \"code\" book");
        assert!(public.contains("[table]\ndeclared = true\nreason = \"the \\\"code\\\" book\"\nunit"));
        assert_eq!(declared(&public, "x").matches("declared").count(), 1);
    }
}
