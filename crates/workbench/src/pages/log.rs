//! Log: every action as the command that does the same.

use report::markup::{Markup, tag};

use super::Opened;
use super::frame::{framed, now};
use crate::http::Response;
use crate::record;

pub(super) fn page(of: &Opened) -> String {
    let lines = record::recorded(&of.folder);
    let mut content = Markup::default();
    content.push(now("What was done in this project, as commands that do the same, typed in the folder in which the workbench was started. What failed or was cancelled stands behind a #."));
    content.push(match lines.is_empty() {
        true => tag("p").text("Nothing was done here yet."),
        false => tag("pre").with("id", "log").with("tabindex", 0).with("aria-label", "Commands").text(&lines),
    });
    let copy = tag("button")
        .with("class", "plain")
        .with("type", "button")
        .with("data-copy", "log")
        .with("hidden", "hidden");
    content.push(
        tag("p")
            .add(tag("a").with("href", of.link("/log.sh")).text("As a file to run"))
            .text(" ")
            .add(copy.text("Copy")),
    );
    framed("Log", Some(of), content)
}

pub(super) fn file(of: &Opened) -> Response {
    let text = format!("#!/bin/sh\nset -e\n{}", record::recorded(&of.folder));
    Response::text("text/x-shellscript; charset=utf-8", text)
        .with("Content-Disposition", "attachment; filename=\"lookalike.sh\"".into())
}
