//! What every page has around its content.

use report::markup::{Markup, Tag, tag};

use super::Opened;

/// What to do now, in a sentence.
pub(super) fn now(text: &str) -> Tag {
    tag("p").with("class", "now").text(text)
}

/// A page with its head and the way to the other pages.
pub(super) fn framed(title: &str, of: Option<&Opened>, content: Markup) -> String {
    let head = tag("head")
        .add(tag("meta").with("charset", "utf-8"))
        .add(tag("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"))
        .add(tag("title").text(format!("{title} – Lookalike")))
        .add(tag("link").with("rel", "stylesheet").with("href", "/style.css"));
    let mut bar =
        tag("nav").with("class", "bar").with("aria-label", "Pages").add(tag("strong").text("Lookalike"));
    bar = bar.add(tag("a").with("href", "/").text("Projects"));
    if let Some(of) = of {
        let pages = [
            ("/project", "Project"),
            ("/schema", "Schema"),
            ("/frontier", "Frontier"),
            ("/release", "Release"),
            ("/log", "Log"),
        ];
        bar = bar.all(pages.map(|(page, name)| tag("a").with("href", of.link(page)).text(name)));
        bar = bar.add(tag("span").with("class", "quiet").text(&of.name));
    }
    let body = tag("body")
        .add(tag("a").with("class", "skip").with("href", "#content").text("Skip to the content"))
        .add(tag("header").add(bar))
        .add(tag("main").with("id", "content").add(tag("h1").text(title)).add(content))
        .add(tag("script").with("src", "/script.js").with("defer", "defer"));
    let page = tag("html").with("lang", "en").add(head).add(body);
    format!("<!DOCTYPE html>\n{}\n", Markup::from(page).into_string())
}
