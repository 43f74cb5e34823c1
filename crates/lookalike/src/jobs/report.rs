//! The verdict of a release that was made.

use std::path::PathBuf;

use measures::Finding;
use privacy::LedgerRecord;
use release::decision::Decision;
use release::{INTERNAL_FOLDER, LEDGER, MANIFEST, Manifest};
use table::TableError;
use table::watch::Watch;

use crate::{Error, Request};

/// Asks what was found of a release, as its own folder says.
#[derive(Clone, Debug)]
pub struct ReportRequest {
    /// The folder of the release, or one of its reports.
    pub release: PathBuf,
    /// Whether only what may be released is asked for.
    pub external: bool,
}

/// What a release says of itself.
#[derive(Clone, Debug)]
pub struct ReportOutcome {
    /// What it is.
    pub manifest: Manifest,
    /// What was measured; nothing in what may be released, beyond what the decision allows.
    pub findings: Vec<Finding>,
    /// The ledger of a private release.
    pub ledger: Option<LedgerRecord>,
    /// The decision, where it was made for one.
    pub decision: Option<Decision>,
}

impl ReportRequest {
    /// The page with the report.
    pub fn page(&self) -> Result<PathBuf, Error> {
        if self.release.extension().is_some_and(|extension| extension == "html") {
            return Ok(self.release.clone());
        }
        let page = match self.external {
            true => self.release.join("report.html"),
            false => self.release.join(INTERNAL_FOLDER).join("report-internal.html"),
        };
        match page.is_file() {
            true => Ok(page),
            false => Err(Error::Usage(format!(
                "{} has no report; `lookalike release` makes one, and `lookalike measure --report FILE.html`",
                self.release.display()
            ))),
        }
    }

    /// Reads what the folder holds.
    pub fn run(&self) -> Result<ReportOutcome, Error> {
        if !self.release.is_dir() {
            return Err(Error::Usage(format!(
                "{} is no release folder; name one, or print a page with the option `pdf`",
                self.release.display()
            )));
        }
        let inside = self.release.join(INTERNAL_FOLDER);
        let internal = |name: &str| if self.external { None } else { Some(inside.join(name)) };
        let manifest = read(self.release.join(MANIFEST))?.ok_or_else(|| {
            Error::Usage(format!("{} is no release folder: it has no {MANIFEST}", self.release.display()))
        })?;
        let findings = internal("evaluation.json").map(read).transpose()?.flatten().unwrap_or_default();
        let decision = match internal("decision.json").map(read).transpose()?.flatten() {
            Some(decision) => Some(decision),
            None => read(self.release.join("decision.json"))?,
        };
        Ok(ReportOutcome { manifest, findings, ledger: read(self.release.join(LEDGER))?, decision })
    }
}

/// A file of JSON, if it is there.
fn read<T: serde::de::DeserializeOwned>(path: PathBuf) -> Result<Option<T>, Error> {
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(TableError::io(path, error).into()),
    };
    let parsed = serde_json::from_str(&text);
    parsed.map(Some).map_err(|error| Error::Usage(format!("{}: {error}", path.display())))
}

impl Request for ReportRequest {
    type Outcome = ReportOutcome;

    fn perform(&self, _: &Watch) -> Result<ReportOutcome, Error> {
        self.run()
    }

    fn text(&self, found: &ReportOutcome) -> String {
        let decision = found.decision.clone().unwrap_or_default();
        let lights = report::verdict_text(&found.findings, &found.manifest, found.ledger.as_ref(), &decision);
        let accepted = match decision.accepted_by.as_str() {
            "" => "made without a decision".to_owned(),
            who => {
                format!("accepted by {who}, {}", decision.accepted_at.split('T').next().unwrap_or_default())
            }
        };
        let page = self.page().map_or_else(|_| String::new(), |page| format!("  {}\n", page.display()));
        format!("{}: {}, {accepted}\n{lights}{page}", self.release.display(), found.manifest.method)
    }

    fn text_in_full(&self, found: &ReportOutcome) -> String {
        let name = self.release.display().to_string();
        let full = report::measure_text("the original", found.manifest.m as usize, &found.findings, true);
        format!("{}\n{name}: {full}", self.text(found))
    }

    fn json(&self, found: &ReportOutcome) -> serde_json::Value {
        serde_json::json!({ "manifest": found.manifest, "decision": found.decision, "findings": found.findings })
    }
}
