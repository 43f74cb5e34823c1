//! What synthetic tables are worth and what they disclose.

use std::path::PathBuf;

use measures::risk::intruder::{Regions, ReleaseMechanism};
use measures::utility::tables::SyntheticSize;
use measures::{
    Finding, Measure, Setting, Settings, SyntheticSets, align, evaluate_source, evaluate_watched,
    with_holdout,
};
use release::evidence::Evidence;
use report::{Edition, ReportInput, report_html};
use table::Table;
use table::output_file;
use table::watch::Watch;

use crate::data::Opened;
use crate::{Books, Connections, Data, Error, Questions, Request, SOFTWARE};

/// Asks what synthetic tables are worth and what they disclose.
///
/// ```
/// use lookalike::{Data, MeasureRequest, Questions, Watch};
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let read = |text: &str| read_csv_text(text, &ReadOptions::default());
/// let original = Data::records("original", read("sex\nF\nM\nF\nM\n")?);
/// let synthetic = Data::records("synthetic", read("sex\nF\nF\nF\nM\n")?);
/// let questions = Questions { only: vec!["tables".into()], ways: Some(vec![1]), ..Questions::default() };
/// let request = MeasureRequest { questions, ..MeasureRequest::new(original, vec![synthetic]) };
/// let found = request.run(&Watch::default())?;
/// assert!(found.findings.iter().any(|finding| finding.measure == "tables.s_pmse"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeasureRequest {
    /// The confidential table.
    pub original: Data,
    /// The synthetic tables; several are data sets of one release.
    pub synthetic: Vec<Data>,
    /// Records of the same population that the generator never saw.
    pub holdout: Option<Data>,
    /// What is asked.
    pub questions: Questions,
    /// Whether the number of records was left to the generator.
    pub random_size: bool,
    /// The seed of permutations, resamples, attacks and samples of records.
    pub seed: Option<u64>,
    /// How the files were made, for the intruder who knows all records but one.
    pub mechanism: Option<ReleaseMechanism>,
    /// Which risks of that intruder are acceptable.
    pub regions: Option<Regions>,
    /// The file for a page with pictures, which ends in .html. It holds exact figures of the original; only its owner can read it.
    pub report: Option<PathBuf>,
    /// Whether a file of that name may be replaced.
    pub replace: bool,
    /// Files that regions were read from, which results may not replace.
    pub read_from: Vec<PathBuf>,
    /// The ledger over all runs on the original; without one that of the environment, where it names one.
    pub books: Option<Books>,
}

/// What was found.
pub struct MeasureOutcome {
    /// Every finding, family by family.
    pub findings: Vec<Finding>,
    request: MeasureRequest,
    settings: Settings,
    original: Opened,
    synthetic: Vec<Table>,
    holdout: Option<Table>,
}

impl MeasureRequest {
    /// Asks what is usual.
    pub fn new(original: Data, synthetic: Vec<Data>) -> Self {
        Self {
            original,
            synthetic,
            holdout: None,
            questions: Questions::default(),
            random_size: false,
            seed: None,
            mechanism: None,
            regions: None,
            report: None,
            replace: false,
            read_from: Vec::new(),
            books: None,
        }
    }

    /// Reads the tables and measures them.
    pub fn run(&self, watch: &Watch) -> Result<MeasureOutcome, Error> {
        self.check_report()?;
        let families = self.questions.families()?;
        let settings = self.settings(&families)?;
        Books::look(self.books.as_ref(), "measure", "synthetic files are measured against the original")?;
        let original = self.original.open(watch)?;
        let source = original.source();
        self.questions.check_variables(source.schema())?;
        // Synthetic versions of counts must be in their classes, which only a schema says of files and frames.
        let in_classes = |data: &Data| self.original.is_counts() && data.has_schema();
        let read = |data: &Data| -> Result<Table, Error> {
            let table = if in_classes(data) {
                data.read(watch)?.as_ref().clone()
            } else {
                data.read_as_it_is(watch)?
            };
            Ok(align(source.schema(), table)?)
        };
        let synthetic = self.synthetic.iter().map(read).collect::<Result<Vec<Table>, Error>>()?;
        let holdout = self.holdout.as_ref().map(read).transpose()?;
        let tables: Vec<&Table> = synthetic.iter().collect();
        let of_tables = tables.iter().copied().chain(holdout.as_ref()).chain(source.table());
        let bytes: u64 = of_tables.map(|table| table.bytes() as u64).sum();
        // Measures work on the tables in classes and sorted, beside the tables themselves.
        table::memory::require(3 * bytes, "measuring")?;
        let evaluate = |synthetic: &[&Table], holdout: Option<&Table>| match source.table() {
            Some(original) => {
                let sets = SyntheticSets { original, synthetic, holdout };
                evaluate_watched(&sets, &families, &settings, watch)
            }
            None => evaluate_source(source, synthetic, &families, &settings),
        };
        let mut findings = evaluate(&tables, holdout.as_ref())?;
        if let Some(holdout) = &holdout {
            findings = with_holdout(findings, evaluate(&[holdout], None)?);
        }
        let outcome =
            MeasureOutcome { findings, request: self.clone(), settings, original, synthetic, holdout };
        if let Some(path) = &self.report {
            output_file::write_private(path, outcome.internal_page()?.as_bytes(), self.replace)?;
        }
        Ok(outcome)
    }

    fn check_report(&self) -> Result<(), Error> {
        let Some(report) = &self.report else { return Ok(()) };
        if report.extension().is_none_or(|extension| extension != "html") {
            return Err(Error::option("report", "name a file that ends in .html"));
        }
        Ok(output_file::check("report", report, &self.inputs(), self.replace)?)
    }

    fn settings(&self, families: &[&dyn Measure]) -> Result<Settings, Error> {
        let own = [
            (Setting::SyntheticSize, self.random_size),
            (Setting::Seed, self.seed.is_some()),
            (Setting::Mechanism, self.mechanism.is_some()),
            (Setting::Regions, self.regions.is_some()),
        ];
        self.questions.check_honoured(families, &own)?;
        let mut settings = self.questions.settings(Settings::default())?;
        settings.propensity.draws.seed = self.seed.unwrap_or(settings.propensity.draws.seed);
        if self.random_size {
            settings.tables.synthetic_size = SyntheticSize::Random;
        }
        settings.intruder.mechanism.clone_from(&self.mechanism);
        settings.intruder.regions.clone_from(&self.regions);
        Ok(settings)
    }
}

impl Request for MeasureRequest {
    type Outcome = MeasureOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        let tables = std::iter::once(&self.original).chain(&self.synthetic).chain(&self.holdout);
        tables.flat_map(Data::inputs).chain(self.read_from.clone()).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().chain(self.original.opens().0).collect()
    }

    fn connects(&self) -> Connections {
        self.original.opens().1
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.report.iter().cloned().chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn perform(&self, watch: &Watch) -> Result<MeasureOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, found: &MeasureOutcome) -> String {
        report::measure_text(&self.original.place(), self.synthetic.len(), &found.findings, false)
    }

    fn text_in_full(&self, found: &MeasureOutcome) -> String {
        report::measure_text(&self.original.place(), self.synthetic.len(), &found.findings, true)
    }

    fn json(&self, found: &MeasureOutcome) -> serde_json::Value {
        serde_json::json!(found.findings)
    }
}

impl MeasureOutcome {
    /// A page with pictures. It holds exact figures of the original: confidential, not to be released.
    pub fn internal_page(&self) -> Result<String, Error> {
        let models = self.settings.models.iter().map(|model| model.formula.text().to_owned()).collect();
        let asked: [(&str, Vec<String>); 5] = [
            ("original", vec![self.request.original.name()]),
            ("synthetic files", self.request.synthetic.iter().map(Data::name).collect()),
            ("intruders' keys", self.settings.keys.iter().map(|keys| keys.join(", ")).collect()),
            ("targets", self.settings.targets.clone()),
            ("models", models),
        ];
        let tables: Vec<&Table> = self.synthetic.iter().collect();
        let evidence = match self.original.source().table() {
            Some(original) => {
                let sets = SyntheticSets { original, synthetic: &tables, holdout: self.holdout.as_ref() };
                Evidence::against_original(&sets, &self.settings, &self.findings)?
            }
            None => Evidence::of_release(&tables),
        };
        let input = ReportInput {
            name: &self.request.original.name(),
            software: SOFTWARE,
            asked: asked.map(|(word, texts)| (word.to_owned(), texts.join("; "))).into(),
            findings: &self.findings,
            evidence: Some(&evidence),
            ..Default::default()
        };
        Ok(report_html(&input, Edition::Internal))
    }
}
