//! Project: where it stands, and what to do next.

use lookalike::PROJECT;
use report::markup::{Markup, Tag, tag};

use super::Opened;
use super::frame::{framed, now};
use crate::server::State;

pub(super) fn page(state: &State, of: &Opened) -> String {
    let done = |path: &str| of.folder.join(path).exists();
    let has_frontier = of.frontier(state).is_some_and(|folder| folder.join("frontier.json").is_file());
    let is_released = done("release/manifest.json");
    let step = match (has_frontier, is_released) {
        (false, _) => "Review the schema, then run the frontier: many versions on one map.",
        (true, false) => "Look at the frontier, and release the version that suits you.",
        (true, true) => {
            "It is released. Look at the reports, and give away what lies in the folder release, but never its folder internal."
        }
    };
    let has_schema = of.file(state, of.project.schema.as_ref()).is_some();
    let steps = [
        ("/schema", "Schema", "what the table may hold", has_schema),
        ("/plan", "Plan", "what noise would cost and give, before anything is made", false),
        ("/frontier", "Frontier", "many versions on one map", has_frontier),
        ("/release", "Release", "the chosen version with its evidence", is_released),
        ("/log", "Log", "what was done, as commands to type", false),
    ];
    let steps = steps.map(|(page, name, what, is_done)| {
        let sign = if is_done { " (done)" } else { "" };
        tag("li").add(tag("a").with("href", of.link(page)).text(name)).text(format!(": {what}{sign}"))
    });
    let jobs = state.jobs.of_project(&of.name);
    let jobs: Vec<Tag> = jobs
        .iter()
        .take(10)
        .map(|job| {
            let link = tag("a").with("href", format!("/job?id={}", job.id)).text(job.what);
            tag("li").add(link).text(format!(": {}", job.state.word()))
        })
        .collect();
    let mut content: Markup = [now(step), tag("ol").all(steps)].into_iter().collect();
    if !jobs.is_empty() {
        content.push(tag("h2").text("Jobs"));
        content.push(tag("ul").all(jobs));
    }
    content.push(tag("h2").text(format!("What the commands read: {PROJECT}")));
    content.push(tag("pre").with("tabindex", 0).with("aria-label", PROJECT).text(of.project.to_toml()));
    framed("Project", Some(of), content)
}
