//! The frame of the page: head, contents, sections, foot.

use sha2::{Digest, Sha256};

use super::{Edition, SECTIONS, View};
use crate::markup::{Markup, Tag, tag};
use crate::svg::PICTURE_STYLE;

pub(super) const PAGE_STYLE: &str = include_str!("page.css");
pub(super) const SCRIPT: &str = include_str!("report.js");

/// The whole page.
pub(super) fn page(view: &View<'_>) -> String {
    let written = SECTIONS.iter().map(|section| (section, (section.content)(view)));
    let sections: Vec<_> = written.filter(|(_, content)| !content.is_empty()).collect();
    let contents = sections.iter().map(|(section, _)| {
        tag("li").add(tag("a").with("href", format!("#{}", section.id)).text(section.heading))
    });
    let contents = tag("nav").with("aria-label", "Contents").add(tag("ul").all(contents));
    let main = tag("main").with("id", "content").all(sections.into_iter().map(|(section, content)| {
        tag("section")
            .with("id", section.id)
            .with("aria-labelledby", format!("{}-heading", section.id))
            .add(tag("h2").with("id", format!("{}-heading", section.id)).text(section.heading))
            .add(content)
    }));
    let title = format!("{}: synthetic data report", view.name);
    let has_script = view.is_internal() && (view.frontier.is_some() || view.internal.is_some());
    let head = tag("head")
        .add(tag("meta").with("charset", "utf-8"))
        .add(tag("meta").with("http-equiv", "Content-Security-Policy").with("content", policy(has_script)))
        .add(tag("meta").with("name", "viewport").with("content", "width=device-width, initial-scale=1"))
        .add(tag("meta").with("name", "generator").with("content", view.software))
        .add(tag("title").text(&title))
        .add(tag("style").source(PICTURE_STYLE).source(PAGE_STYLE));
    let body = tag("body")
        .add(tag("a").with("class", "skip").with("href", "#content").text("Skip to the content"))
        .add(tag("header").add(edition(view)).add(tag("h1").text(title)).add(contents))
        .add(main)
        .add(tag("footer").text(format!(
            "Written by {}. This page loads nothing from anywhere and can be read without scripts.",
            view.software
        )))
        .add(has_script.then(|| tag("script").source(SCRIPT)));
    let page = tag("html").with("lang", "en").add(head).add(body);
    format!("<!DOCTYPE html>\n{}\n", Markup::from(page).into_string())
}

fn edition(view: &View<'_>) -> Tag {
    match view.edition {
        Edition::Internal => tag("p")
            .add(tag("strong").with("class", "edition internal").text("Internal edition"))
            .text(" It holds exact figures of the original: confidential, do not release it."),
        Edition::External => tag("p")
            .add(tag("strong").with("class", "edition external").text("External edition"))
            .text(" It holds nothing beyond the released files and what their owner has allowed."),
    }
}

/// Nothing is loaded; the only script that runs is ours, by its hash.
fn policy(has_script: bool) -> String {
    let script = if has_script {
        format!("'sha256-{}'", base64(&Sha256::digest(SCRIPT.as_bytes())))
    } else {
        "'none'".to_owned()
    };
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {script}; base-uri 'none'; form-action 'none'"
    )
}

/// Base 64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let place = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[place as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn our_script_and_styles_cannot_end_their_elements() {
        for source in [SCRIPT, PAGE_STYLE, PICTURE_STYLE] {
            assert!(!source.contains("</") && !source.contains("]]>"));
        }
        assert!(!PICTURE_STYLE.contains(['<', '&']), "a picture's file is XML");
    }
}
