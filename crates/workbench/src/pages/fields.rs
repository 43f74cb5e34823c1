//! The parts of forms.

use report::markup::{Tag, tag};

use crate::server::State;

/// A form that changes something: it carries the session's token.
pub(super) fn form(state: &State, action: &'static str) -> Tag {
    tag("form")
        .with("class", "fields")
        .with("method", "post")
        .with("action", action)
        .add(hidden("form", state.session.form()))
}

/// A form that asks, and changes nothing.
pub(super) fn question(action: &'static str) -> Tag {
    tag("form").with("class", "fields").with("method", "get").with("action", action)
}

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

/// A field that must not be left empty.
pub(super) fn needed_field(name: &'static str, question: &str, value: &str, hint: &str) -> Tag {
    let field = tag("input").with("type", "text").with("name", name).with("value", value);
    tag("label")
        .text(question)
        .add(tag("small").text(hint))
        .add(field.with("required", "required").with("autocomplete", "off"))
}

/// A number between two others, by steps of which size; the arrow keys move it.
pub(super) fn number_field(
    name: &'static str,
    question: &str,
    value: f64,
    hint: &str,
    [least, most, step]: [&str; 3],
) -> Tag {
    let field = tag("input").with("type", "number").with("name", name).with("value", value);
    tag("label")
        .text(question)
        .add(tag("small").text(hint))
        .add(field.with("min", least).with("max", most).with("step", step).with("autocomplete", "off"))
}

/// A box to tick.
pub(super) fn tick(name: &'static str, question: &str, hint: &str) -> Tag {
    let field = tag("input").with("type", "checkbox").with("name", name).with("value", "yes");
    tag("label").with("class", "tick").add(field).text(" ").text(question).add(tag("small").text(hint))
}

/// A choice of one.
pub(super) fn choice<'a>(
    name: &'static str,
    question: &str,
    chosen: &str,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Tag {
    let options = options.into_iter().map(|(value, text)| {
        let option = tag("option").with("value", value).text(text);
        if value == chosen { option.with("selected", "selected") } else { option }
    });
    tag("label").text(question).add(tag("select").with("name", name).all(options))
}

/// A text of several lines.
pub(super) fn area(name: &'static str, what: &str, text: &str, rows: usize) -> Tag {
    // The first line end after the tag is not part of the text.
    tag("textarea")
        .with("name", name)
        .with("spellcheck", "false")
        .with("aria-label", what)
        .with("rows", rows)
        .text(format!("\n{text}"))
}

/// What a form does.
pub(super) fn button(text: &str) -> Tag {
    tag("button").with("class", "do").text(text)
}

/// Names with something between, as people write them in one field.
pub(super) fn list(text: &str, by: char) -> Vec<String> {
    text.split(by).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
