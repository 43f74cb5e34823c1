//! `report.html`: one file that needs no network and no script, in a confidential edition and one that may be released.
//!
//! The external edition is built from a `View` that has dropped everything that is not public before a section sees it: of the
//! findings those that the decision allows to be published, of the evidence what was computed from the synthetic files alone, and
//! no frontier.

mod asked;
mod associations;
mod categories;
mod citing;
mod decision;
mod every_number;
mod frame;
mod frontier;
mod glossary;
mod kit;
mod ledger;
mod models;
mod parts;
mod propensity;
mod reading;
mod recipe;
mod risk;
mod rules;
mod subgroups;
mod summary;
mod tables;
mod variables;

pub use kit::{codebook_csv, readme_text};
pub use parts::{
    SCRIPT, STYLES, compared_versions, frontier_map, frontier_section, plan_section, shape_picture,
    version_lights, version_section,
};

use ::frontier::Frontier;
use ::release::Manifest;
use ::release::decision::Decision;
use ::release::evidence::{Distribution, Evidence, InternalEvidence};
use measures::Finding;
use privacy::LedgerRecord;
use synthesis::Recipe;
use synthesis::records_card::Making;
use table::Schema;

use crate::lights::{Light, Lights, Subject};
use crate::markup::Markup;
use crate::svg::Picture;

/// All that a report may hold. What is absent has no section.
#[derive(Clone, Debug, Default)]
pub struct ReportInput<'a> {
    /// What the release is called. It is shown in both editions.
    pub name: &'a str,
    /// The software that writes the report, with its version.
    pub software: &'a str,
    /// What was asked, as pairs of a word and a text; for the internal edition.
    pub asked: Vec<(String, String)>,
    /// What was measured of the release against the original.
    pub findings: &'a [Finding],
    /// Distributions, tables, maps and curves.
    pub evidence: Option<&'a Evidence>,
    /// What else was tried; for the internal edition.
    pub frontier: Option<&'a Frontier>,
    /// What the release is; public.
    pub manifest: Option<&'a Manifest>,
    /// The ledger of a private release; public.
    pub ledger: Option<&'a LedgerRecord>,
    /// The recipe as in the release, without a seed; public.
    pub recipe: Option<&'a str>,
    /// Who accepted the release, and what may be published of it.
    pub decision: Option<&'a Decision>,
    /// The schema as in the release; public.
    pub schema: Option<&'a Schema>,
}

/// For whom a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// Confidential: holds exact figures of the original.
    Internal,
    /// May be released: holds nothing beyond the released files, the ledger and what the decision allows.
    External,
}

/// The report as one HTML file.
pub fn report_html(input: &ReportInput<'_>, edition: Edition) -> String {
    frame::page(&View::new(input, edition))
}

/// The pictures of the same report as SVG files: name and text.
pub fn pictures(input: &ReportInput<'_>, edition: Edition) -> Vec<(String, String)> {
    let view = View::new(input, edition);
    let pictures = SECTIONS.iter().flat_map(|section| (section.pictures)(&view));
    pictures.map(|picture| (format!("{}.svg", picture.name), picture.file())).collect()
}

/// What an edition may show.
struct View<'a> {
    edition: Edition,
    name: &'a str,
    software: &'a str,
    asked: &'a [(String, String)],
    findings: Vec<&'a Finding>,
    /// Findings that exist and are not shown.
    withheld: usize,
    released: &'a [Distribution],
    internal: Option<&'a InternalEvidence>,
    frontier: Option<&'a Frontier>,
    manifest: Option<&'a Manifest>,
    ledger: Option<&'a LedgerRecord>,
    recipe: Option<&'a str>,
    decision: Option<&'a Decision>,
    schema: Option<&'a Schema>,
    /// Of a version that was not released yet: the budget that a release of it would spend, if any.
    planned: Option<Option<f64>>,
}

impl<'a> View<'a> {
    fn new(input: &'a ReportInput<'a>, edition: Edition) -> Self {
        let is_internal = edition == Edition::Internal;
        let allowed = |finding: &&Finding| {
            is_internal || input.decision.is_some_and(|decision| decision.publish.allows(&finding.measure))
        };
        let findings: Vec<&Finding> = input.findings.iter().filter(allowed).collect();
        Self {
            edition,
            name: input.name,
            software: input.software,
            asked: if is_internal { &input.asked } else { &[] },
            withheld: input.findings.len() - findings.len(),
            findings,
            released: input.evidence.map_or(&[], |evidence| &evidence.released),
            internal: input.evidence.and_then(|evidence| evidence.internal.as_ref()).filter(|_| is_internal),
            frontier: input.frontier.filter(|_| is_internal),
            manifest: input.manifest,
            ledger: input.ledger,
            recipe: input.recipe,
            decision: input.decision,
            schema: input.schema,
            planned: None,
        }
    }

    /// A version of a frontier, by the mean of its runs.
    fn of_version(input: &'a ReportInput<'a>, epsilon: Option<f64>) -> Self {
        Self { planned: Some(epsilon), ..Self::new(input, Edition::Internal) }
    }

    /// The verdict on what this edition may show.
    fn lights(&self) -> Lights {
        let lights = Lights::of(&Subject {
            findings: &self.findings,
            withheld: self.withheld > 0,
            manifest: self.manifest,
            ledger: self.ledger,
            decision: self.decision,
        });
        match self.planned {
            Some(epsilon) => Lights { guarantee: Light::planned(epsilon), ..lights },
            None => lights,
        }
    }

    /// Whether a section has anything to show.
    fn has_section(&self, id: &str) -> bool {
        let sections = SECTIONS.iter().filter(|section| section.id == id && section.id != "verdict");
        sections.map(|section| (section.content)(self)).any(|content| !content.is_empty())
    }

    fn is_internal(&self) -> bool {
        self.edition == Edition::Internal
    }

    /// Whether it shows a frontier and no release.
    fn is_of_frontier_alone(&self) -> bool {
        self.frontier.is_some() && self.manifest.is_none() && self.findings.is_empty()
    }

    /// Whether records are those of real units with values changed or kept; not known without a recipe.
    fn holds_real_records(&self) -> Option<bool> {
        let recipe = Recipe::parse(self.recipe?).ok()?;
        let keeps = |making: Making| matches!(making, Making::PartlyKept { .. });
        Some(recipe.perturbs_records() || recipe.records_card().is_ok_and(|card| keeps(card.making)))
    }

    /// What no such file is for.
    fn never_for(&self) -> &'static str {
        match self.holds_real_records() {
            Some(false) => {
                "Not for statements about single people: no record is a person, and rare cells are invented."
            }
            Some(true) => {
                "Not for statements about single people: records are those of real people, with values changed."
            }
            None => "Not for statements about single people.",
        }
    }

    /// The findings of one measure.
    fn all(&self, measure: &str) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(move |finding| finding.measure == measure)
    }

    /// The number of the first finding of one measure.
    fn first(&self, measure: &str) -> Option<f64> {
        self.all(measure).next().and_then(|finding| finding.value)
    }
}

/// A section of the report; one without content is left out.
struct Section {
    id: &'static str,
    heading: &'static str,
    content: fn(&View<'_>) -> Markup,
    pictures: fn(&View<'_>) -> Vec<Picture>,
}

const fn section(
    id: &'static str,
    heading: &'static str,
    content: fn(&View<'_>) -> Markup,
    pictures: fn(&View<'_>) -> Vec<Picture>,
) -> Section {
    Section { id, heading, content, pictures }
}

fn none(_: &View<'_>) -> Vec<Picture> {
    Vec::new()
}

/// Every section, in the order in which a reader meets them.
const SECTIONS: &[Section] = &[
    section("verdict", "The verdict", summary::content, none),
    section("kit", "How to use these data", kit::content, none),
    section("variables", "Variable by variable", variables::content, variables::pictures),
    section("tables", "Two-way tables", tables::content, tables::pictures),
    section("propensity", "Telling the files apart", propensity::content, propensity::pictures),
    section("models", "Models", models::content, models::pictures),
    section("associations", "What goes together", associations::content, associations::pictures),
    section("categories", "Maps of records and categories", categories::content, categories::pictures),
    section("risk", "What it gives away", risk::content, risk::pictures),
    section("subgroups", "The worst groups", subgroups::content, none),
    section("rules", "Domains and rules", rules::content, none),
    section("frontier", "What each version gives and costs", frontier::content, frontier::pictures),
    section("decision", "The decision", decision::content, none),
    section("ledger", "The privacy ledger", ledger::content, none),
    section("asked", "What was asked and done", asked::content, none),
    section("recipe", "The recipe", recipe::content, none),
    section("codebook", "Codebook", kit::codebook, none),
    section("numbers", "Every number of the whole file", every_number::content, none),
    section("glossary", "Words", glossary::content, none),
    section("reading", "How to read each number", reading::content, none),
    section("citing", "How to cite", citing::content, none),
];
