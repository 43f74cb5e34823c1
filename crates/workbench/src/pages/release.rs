//! Release: who accepts it and why; then the reports, exactly as they leave, and the files with their hashes.

use std::path::PathBuf;

use lookalike::release::Manifest;
use report::markup::{Markup, tag};

use super::fields::{button, form, hidden, needed_field, text_field, tick};
use super::frame::{framed, now, table};
use super::point::LOOKS;
use super::{Opened, encoded};
use crate::http::Response;
use crate::server::State;

/// The folder of the release, in that of the project.
pub(super) const RELEASE: &str = "release";

pub(super) fn page(state: &State, of: &Opened, choose: &str) -> String {
    let mut content = Markup::default();
    let manifest = std::fs::read(of.folder.join(RELEASE).join("manifest.json")).ok();
    let manifest: Option<Manifest> = manifest.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match &manifest {
        Some(manifest) => {
            content.push(now("Released. The first frame shows the report exactly as it leaves; give away the folder release without its folder internal."));
            content.push(
                form(state, "/start").add(hidden("project", &of.name)).add(hidden("what", "verify")).add(button("Verify that it is unchanged")),
            );
            content.push(report_frame(of, "release/report.html", "For the public"));
            content.push(report_frame(of, "release/internal/report-internal.html", "Confidential"));
            content.push(files(manifest));
            content.push(tag("h2").text("Release again"));
        }
        None => content.push(now("Say who accepts the release. The version is drawn again, measured, held against the limits, and refused if it breaks one without a reason.")),
    }
    let mut fields = form(state, "/start")
        .add(hidden("project", &of.name))
        .add(hidden("what", "release"))
        .add(needed_field("accepted_by", "Who accepts it? (published)", "", "a person or a board"))
        .add(text_field("note", "What do they have to say? (published)", "", ""))
        .add(text_field("licence", "Under which terms may it be used? (published)", "", "such as CC BY 4.0"))
        .add(text_field("choose", "Another version than the recommended one", choose, "its name on the frontier; empty: the recommended one"))
        .add(text_field("exception", "Why may it break a limit? (published)", "", "empty: it may not"))
        .add(text_field("learned_schema", "Why may a schema that was learned be published?", "", "empty: it may not; better declare it public on the page Schema"))
        .add(text_field("unpaid_look", "Why may a private version be chosen by what was measured? (published)", "", "for private versions only: no ledger covers that look"))
        .add(text_field("publish", "Which measures may be shown outside?", "", "names or families with commas between, such as tables; empty: none"))
        .add(text_field("because", "Why may they be shown?", "", "needed if some are named"))
        .add(tick("reproducible", "Use the seed of the recipe or of the frontier", "so that the commands of the log make the same release again; whoever knows the seed can do so too"));
    if manifest.is_some() {
        fields = fields.add(tick(
            "replace",
            "Replace the release that is there",
            "without it a second release is refused",
        ));
    }
    content.push(fields.add(button("Release")));
    framed("Release", Some(of), content)
}

/// What lies in the folder, with its hashes.
fn files(manifest: &Manifest) -> Markup {
    let mut content = Markup::default();
    content.push(tag("h2").text("What leaves"));
    let rows = manifest.files.iter().map(|file| {
        tag("tr")
            .add(tag("th").with("scope", "row").text(&file.name))
            .add(tag("td").text(file.bytes))
            .add(tag("td").add(tag("code").text(&file.sha256)))
    });
    content.push(table("Files", &["file", "bytes", "SHA-256"], rows.collect::<Vec<_>>()));
    content
}

/// A report in a frame that runs no script and can go nowhere.
pub(super) fn report_frame(of: &Opened, file: &str, title: &str) -> Markup {
    let source = format!("{}&file={}", of.link("/report"), encoded(file));
    let link = tag("p")
        .add(tag("a").with("href", source.clone()).text(format!("{title}: the report on a page of its own")));
    let frame = tag("iframe").with("sandbox", "").with("title", title.to_owned()).with("src", source);
    [tag("h2").text(title), link, frame].into_iter().collect()
}

/// A report of the project, for a frame.
pub(super) fn report(state: &State, of: &Opened, file: &str) -> Option<Response> {
    const SHOWN: [&str; 2] = ["release/report.html", "release/internal/report-internal.html"];
    let name = file
        .strip_prefix(LOOKS)
        .and_then(|rest| rest.strip_prefix('/'))
        .and_then(|rest| rest.strip_suffix(".html"));
    let is_look = name.is_some_and(|name| lookalike::frontier::grid::file_name(name) == name);
    let path = (is_look || SHOWN.contains(&file)).then(|| of.file(state, Some(&PathBuf::from(file))))??;
    std::fs::read_to_string(path).ok().map(|text| Response::report(without_script(text).into_bytes()))
}

/// The page without its own script, which a frame would refuse to run; what holds data has a type, and stays.
fn without_script(text: String) -> String {
    match text
        .rsplit_once("<script>")
        .and_then(|(before, rest)| Some((before, rest.split_once("</script>")?.1)))
    {
        Some((before, after)) => format!("{before}{after}"),
        None => text,
    }
}
