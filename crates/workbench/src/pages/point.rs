//! Point: one version of the frontier by itself, or beside another one.

use lookalike::frontier::{Contestant, Frontier, Origin};
use lookalike::read_frontier;
use report::markup::{Markup, Tag, tag};

use super::fields::{button, form, hidden};
use super::frame::{framed, now};
use super::{Opened, encoded};
use crate::http::Request;
use crate::record;
use crate::server::State;

/// The folder of what was drawn to be looked at, in that of the project.
pub(super) const LOOKS: &str = "looks";

pub(super) fn page(state: &State, of: &Opened, request: &Request) -> Option<String> {
    let frontier = of.frontier(state).and_then(|folder| read_frontier(&folder).ok())?;
    let find = |name: &str| frontier.contestants.iter().find(|one| one.name == name);
    let one = find(request.asked("name"))?;
    if let Some(other) = find(request.asked("beside")).filter(|other| other.name != one.name) {
        return Some(beside(of, &frontier, [one, other]));
    }
    let mut content = Markup::default();
    content.push(now(
        "See what this version gives and costs, by the mean of its runs. Choose it, or go back to the map.",
    ));
    content.push(actions(state, of, one));
    content.push(closely(of, one));
    content.push(report::version_section(&frontier, one));
    Some(framed(&format!("Version {}", one.name), Some(of), content))
}

fn release_link(of: &Opened, one: &Contestant) -> Option<Tag> {
    let is_ours = matches!(one.origin, Origin::Recipe { .. }) && one.failed.is_none();
    is_ours.then(|| {
        let link = format!("{}&choose={}", of.link("/release"), encoded(&one.name));
        tag("a").with("class", "do").with("href", link).text(format!("Release {}", one.name))
    })
}

/// The commands that draw a version and measure it, so that it can be looked at.
pub(super) fn look_commands(of: &Opened, one: &Contestant) -> Option<[Vec<String>; 2]> {
    // A private version spends its budget whenever it is drawn.
    let is_free =
        matches!(one.origin, Origin::Recipe { .. }) && one.failed.is_none() && one.epsilon.is_none();
    let recipe =
        of.frontier_name().join("recipes").join(format!("{}.recipe.toml", one.name)).display().to_string();
    let folder = format!("{LOOKS}/{}", one.name);
    let word = str::to_owned;
    let synth = vec![
        word("synth"),
        format!("--recipe={recipe}"),
        word("--m=1"),
        format!("--out={folder}"),
        word("--force"),
    ];
    let measure = vec![
        word("measure"),
        format!("{folder}/synthetic-1.csv"),
        format!("--report={folder}.html"),
        word("--force"),
    ];
    is_free.then_some([synth, measure])
}

fn actions(state: &State, of: &Opened, one: &Contestant) -> Markup {
    let mut content = Markup::default();
    let map = tag("a").with("href", of.link("/frontier")).text("Back to the map");
    content.push(tag("p").add(release_link(of, one)).text(" ").add(map));
    match look_commands(of, one) {
        Some(_) => content.push(
            form(state, "/start")
                .add(hidden("project", &of.name))
                .add(hidden("what", "look"))
                .add(hidden("name", &one.name))
                .add(tag("p").text("Distributions, tables and maps need records. Draw one data set of this version and measure it; it stays in the project."))
                .add(button("Look at it closely")),
        ),
        None if one.epsilon.is_some() => content.push(tag("p").text(
            "It is private: every drawing of it spends its budget, so that it is not drawn just to be looked at. Its numbers are those of runs with noise that can be replayed, which never leave.",
        )),
        None => {}
    }
    if let Origin::Recipe { recipe, .. } = &one.origin {
        content.push(
            tag("details")
                .add(tag("summary").text("Its recipe"))
                .add(tag("pre").with("tabindex", 0).with("aria-label", "Recipe").text(recipe)),
        );
        let arguments = [
            "release".to_owned(),
            format!("--choose={}", one.name),
            "--accepted-by=WHO".to_owned(),
            "--out=release".to_owned(),
        ];
        content.push(tag("p").text("On a command line it is released by:"));
        content.push(
            tag("pre")
                .with("tabindex", 0)
                .with("aria-label", "Command")
                .text(record::typed(&of.name, &arguments)),
        );
    }
    content
}

/// The report of what was drawn to be looked at.
fn closely(of: &Opened, one: &Contestant) -> Option<Markup> {
    let file = format!("{LOOKS}/{}.html", one.name);
    of.folder
        .join(&file)
        .is_file()
        .then(|| super::release::report_frame(of, &file, "Looked at closely (confidential)"))
}

/// Two versions side by side.
fn beside(of: &Opened, frontier: &Frontier, both: [&Contestant; 2]) -> String {
    let mut content = Markup::default();
    content.push(now("Two versions by the means of their runs. The better number of each line is marked."));
    let columns = both.map(|one| {
        let link = format!("{}&name={}", of.link("/point"), encoded(&one.name));
        tag("div")
            .add(tag("h2").add(tag("a").with("href", link).text(&one.name)))
            .add(report::version_lights(one))
            .add(tag("p").add(release_link(of, one)))
    });
    content.push(tag("div").with("class", "columns").all(columns));
    content.push(tag("h2").text("Number by number"));
    content.push(report::compared_versions(frontier, both));
    framed("Compare", Some(of), content)
}
