//! What every page has around its content.

use report::markup::{Markup, Tag, tag};

use super::Opened;

/// What to do now, in a sentence.
pub(super) fn now(text: &str) -> Tag {
    tag("p").with("class", "now").text(text)
}

/// What went wrong, for whoever just asked for it.
pub(super) fn problem(text: &str) -> Tag {
    tag("p").with("class", "error").with("role", "alert").text(text)
}

/// A table that scrolls by itself where it is too wide.
pub(super) fn table(name: &str, head: &[&str], rows: impl IntoIterator<Item = Tag>) -> Tag {
    let head = head.iter().map(|name| tag("th").with("scope", "col").text(name));
    let table = tag("table").add(tag("thead").add(tag("tr").all(head))).add(tag("tbody").all(rows));
    tag("div")
        .with("class", "frame")
        .with("tabindex", 0)
        .with("role", "group")
        .with("aria-label", name)
        .add(table)
}

/// The pages of a project, in the order in which they are used.
pub(super) const PAGES: [(&str, &str); 6] = [
    ("/project", "Project"),
    ("/schema", "Schema"),
    ("/plan", "Plan"),
    ("/frontier", "Frontier"),
    ("/release", "Release"),
    ("/log", "Log"),
];

/// A page with its head and the way to the other pages.
pub(super) fn framed(title: &str, of: Option<&Opened>, content: Markup) -> String {
    let head = tag("head")
        .add(tag("meta").with("charset", "utf-8"))
        .add(tag("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"))
        .add(tag("title").text(format!("{title} – Lookalike")))
        .add(tag("link").with("rel", "icon").with("href", "data:,"))
        .add(tag("link").with("rel", "stylesheet").with("href", "/style.css"));
    let mut bar =
        tag("nav").with("class", "bar").with("aria-label", "Pages").add(tag("strong").text("Lookalike"));
    bar = bar.add(tag("a").with("href", "/").text("Projects"));
    if let Some(of) = of {
        let link = |(page, name): (&str, &str)| {
            let link = tag("a").with("href", of.link(page)).text(name);
            if name == title { link.with("aria-current", "page") } else { link }
        };
        let shown = if of.name.is_empty() { "this folder" } else { &of.name };
        bar = bar.all(PAGES.map(link)).add(tag("span").with("class", "quiet").text(shown));
    }
    let body = tag("body")
        .add(tag("a").with("class", "skip").with("href", "#content").text("Skip to the content"))
        .add(tag("header").add(bar))
        .add(tag("main").with("id", "content").add(tag("h1").text(title)).add(content))
        .add(tag("script").with("src", "/script.js").with("defer", "defer"));
    let page = tag("html").with("lang", "en").add(head).add(body);
    format!("<!DOCTYPE html>\n{}\n", Markup::from(page).into_string())
}
