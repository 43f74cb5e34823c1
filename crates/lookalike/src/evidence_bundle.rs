//! A release with its evidence: drawn, measured, held against the limits, reported in both editions, and written as one.

use std::path::Path;

use frontier::{Frontier, Limit, LimitCheck, epsilon_of, limits, settings_for};
use measures::{Finding, Measure, MeasureError, Settings, SyntheticSets, align, evaluate};
use privacy::LedgerRecord;
use release::decision::Decision;
use release::evidence::Evidence;
use release::{Attachment, Books, Input, Manifest, Release, sha256_of_file};
use report::{Edition, ReportInput, pictures, report_html};
use synthesis::{Fitted, Recipe, SynthesisError};
use table::Table;

/// What is to be released, and what it is judged by.
pub struct Candidate<'a> {
    /// What the release is called; shown in both editions of the report.
    pub name: &'a str,
    /// The confidential table.
    pub original: &'a Table,
    /// Its file.
    pub data: &'a Path,
    /// How the data sets are made.
    pub recipe: &'a Recipe,
    /// The fitted recipe.
    pub fitted: &'a Fitted,
    /// The books of a private release.
    pub ledger: Option<&'a LedgerRecord>,
    /// What is measured.
    pub families: &'a [&'static dyn Measure],
    /// How.
    pub settings: &'a Settings,
    /// The house's limits.
    pub limits: &'a [Limit],
    /// Where it was chosen from.
    pub frontier: Option<&'a Frontier>,
    /// What the guarantee of a private release does not cover.
    pub not_covered: Option<String>,
}

/// What was found of a candidate.
pub struct Examined {
    /// Every finding.
    pub findings: Vec<Finding>,
    /// Every limit, held against the data sets themselves.
    pub checks: Vec<LimitCheck>,
    evidence: Evidence,
}

impl Examined {
    /// The limits that the data sets break.
    pub fn broken(&self) -> Vec<&LimitCheck> {
        self.checks.iter().filter(|check| !check.kept).collect()
    }
}

impl Candidate<'_> {
    /// Draws the data sets that would be released and measures them.
    pub fn examine(&self) -> Result<Examined, ExamineError> {
        let drawn = (0..self.fitted.m()).map(|number| self.fitted.table(number));
        let drawn = drawn.collect::<Result<Vec<Table>, _>>()?;
        let aligned = drawn.into_iter().map(|table| align(self.original.schema(), table));
        let aligned = aligned.collect::<Result<Vec<Table>, _>>()?;
        let synthetic: Vec<&Table> = aligned.iter().collect();
        let sets = SyntheticSets { original: self.original, synthetic: &synthetic, holdout: None };
        let settings = settings_for(self.original, self.recipe, self.settings);
        let findings = evaluate(&sets, self.families, &settings)?;
        let evidence = Evidence::against_original(&sets, &settings, &findings)?;
        let epsilon = self.recipe.privacy.as_ref().and_then(epsilon_of);
        let runs = std::slice::from_ref(&findings);
        let checks = self.limits.iter().map(|limit| limits::check(limit, runs, epsilon)).collect();
        Ok(Examined { findings, checks, evidence })
    }

    /// Writes the release with everything that was found of it.
    pub fn write(
        &self,
        examined: &Examined,
        decision: &Decision,
        out: &Path,
        replace: bool,
    ) -> Result<Manifest, SynthesisError> {
        let public = decision.public(self.limits, self.ledger.is_some());
        let page = |record| {
            let page = report::ledger_markdown(record);
            self.not_covered
                .as_ref()
                .map_or(page.clone(), |text| format!("{page}\n**Not covered.** {text}\n"))
        };
        let books = self.ledger.map(|record| Books { record, page: page(record) });
        let rows = self.fitted.original_rows() as u64;
        let mut release = Release {
            fitted: self.fitted,
            recipe: self.recipe,
            input: Input { rows, columns: self.fitted.schema().variables().len() },
            input_sha256: sha256_of_file(self.data)?,
            books,
            not_covered: self.not_covered.clone(),
            attachments: Vec::new(),
        };
        let manifest = release.manifest_without_files();
        let recipe = Recipe { seed: None, ..self.recipe.clone() }.to_toml();
        let input = |decision| ReportInput {
            name: self.name,
            software: concat!("lookalike ", env!("CARGO_PKG_VERSION")),
            findings: &examined.findings,
            evidence: Some(&examined.evidence),
            frontier: self.frontier,
            manifest: Some(&manifest),
            ledger: self.ledger,
            recipe: Some(&recipe),
            decision: Some(decision),
            asked: Vec::new(),
        };
        let (inside, outside) = (input(decision), input(&public));
        release.attachments = edition(&inside, Edition::Internal, "report-internal.html");
        release.attachments.extend(edition(&outside, Edition::External, "report.html"));
        let mut attach = |name: &str, contents: String, internal| {
            release.attachments.push(Attachment {
                name: name.into(),
                contents: contents.into_bytes(),
                internal,
            });
        };
        attach("decision.json", pretty(&public), false);
        attach("decision.json", pretty(decision), true);
        attach("evaluation.json", pretty(&examined.findings), true);
        if let Some(frontier) = self.frontier {
            attach("frontier.json", pretty(frontier), true);
        }
        release.write(out, replace)
    }
}

/// A report with its pictures.
fn edition(input: &ReportInput<'_>, edition: Edition, name: &str) -> Vec<Attachment> {
    let internal = edition == Edition::Internal;
    let attachment = |name: String, text: String| Attachment { name, contents: text.into_bytes(), internal };
    let pictures = pictures(input, edition).into_iter();
    let pictures = pictures.map(|(name, svg)| attachment(format!("pictures/{name}"), svg));
    std::iter::once(attachment(name.to_owned(), report_html(input, edition))).chain(pictures).collect()
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Why a candidate could not be examined.
#[derive(Debug, thiserror::Error)]
pub enum ExamineError {
    /// Its data sets could not be drawn.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// They could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
}
