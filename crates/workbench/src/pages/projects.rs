//! Projects: those below the root, and the tables of new ones.

use std::path::{Path, PathBuf};

use lookalike::PROJECT;
use report::markup::{Markup, Tag, tag};

use super::frame::{framed, now, table};
use super::{encoded, is_table};
use crate::record::RECORD;
use crate::server::State;

pub(super) fn page(state: &State) -> String {
    let is_project = |path: &Path| path.file_name().is_some_and(|name| name == PROJECT);
    // The one that was worked on last comes first.
    let mut projects = below(state, &is_project);
    let worked_on = |path: &PathBuf| {
        let touched = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
        path.parent().and_then(|folder| touched(&folder.join(RECORD))).max(touched(path))
    };
    projects.sort_by_key(|path| std::cmp::Reverse(worked_on(path)));
    let links = projects.into_iter().filter_map(|path| {
        let name = state.root.relative(path.parent()?);
        let shown = if name.is_empty() { "this folder".to_owned() } else { name.clone() };
        let link = tag("a").with("href", format!("/project?project={}", encoded(&name))).text(shown);
        Some(tag("li").add(link))
    });
    let links: Vec<Tag> = links.collect();
    let none = links.is_empty().then(|| tag("li").text("There is none yet."));
    // What a release or a frontier holds is no table to begin with.
    let is_ours = |path: &PathBuf| {
        let beside = |name: &str| path.parent().is_some_and(|folder| folder.join(name).exists());
        path.iter().any(|part| part == "internal") || beside("manifest.json")
    };
    let tables = below(state, &is_table).into_iter().filter(|path| !is_ours(path)).map(|path| {
        let name = state.root.relative(&path);
        let size = std::fs::metadata(&path).map_or(0, |file| file.len().div_ceil(1024));
        let link = tag("a").with("href", format!("/open?file={}", encoded(&name))).text(&name);
        tag("tr")
            .add(tag("th").with("scope", "row").add(link))
            .add(tag("td").text(kind(&path)))
            .add(tag("td").text(format!("{size} KiB")))
    });
    let tables: Vec<Tag> = tables.collect();
    let mut content: Markup = [
        now("Open a project, or choose the table of a new one. Files are read where they lie; nothing is uploaded."),
        tag("h2").text("Projects"),
        tag("ul").add(none).all(links),
        tag("h2").text("Begin a project with a table"),
    ]
    .into_iter()
    .collect();
    content.push(match tables.is_empty() {
        true => tag("p").text("There is no table in this folder or two folders below it. Copy one here, or start the workbench with --root in the folder of your tables."),
        false => table("Tables", &["file", "kind", "size"], tables),
    });
    framed("Projects", None, content)
}

/// What a file is by its name.
fn kind(path: &Path) -> &'static str {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let kinds = [
        (".parquet", "Parquet"),
        (".arrow", "Arrow"),
        (".feather", "Arrow"),
        (".jsonl", "JSON lines"),
        (".ndjson", "JSON lines"),
        (".xlsx", "Excel"),
        (".zsav", "SPSS"),
        (".sav", "SPSS"),
        (".dta", "Stata"),
        (".sas7bdat", "SAS"),
        (".tsv", "text with tabulators"),
        (".gz", "CSV, compressed"),
        (".zst", "CSV, compressed"),
    ];
    kinds.iter().find(|(end, _)| name.ends_with(end)).map_or("CSV", |(_, kind)| kind)
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
