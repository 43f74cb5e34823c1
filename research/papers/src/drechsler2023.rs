//! Drechsler, Latner & Neunhoeffer (2023), *It's complicated: insights into models and privacy guarantees of synthetic data*, a poster.
//!
//! Its table of SD2011's quirks, and the utility of its generators: sequential synthesis for synthpop, CTGAN, DataSynthesizer; beside them what a reader
//! would ask for next. The poster shows its quality measures as pictures without numbers, so that ours stand alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use measures::utility::propensity::{Pooled, logistic_propensity, tree_pmse};
use measures::{Comparison, MeasureError, SharedTables};
use synthesis::private::PrivacySettings;
use synthesis::{Recipe, Run, fit, generate};
use table::column::Entry;
use table::schema::SchemaFile;
use table::{Column, Grouping, Table};

use super::social_diagnosis::{ORIGIN, all_variables, declared};
use super::{
    Cell, DataSource, Ours, Paper, ReproduceError, ReproducedTable, Reproduction, Request, Rule, TableMarks,
};

/// The paper.
pub(crate) const PAPER: Paper = Paper {
    name: "drechsler2023",
    citation: "Drechsler, Latner & Neunhoeffer (2023), It's complicated: insights into models and privacy guarantees of synthetic data (poster)",
    repeats: "the table of SD2011's quirks; pMSE, ratio of counts, interval overlap and run time of seven generators",
    data: &[DataSource {
        name: "sd2011",
        columns: &[
            "sex", "age", "agegr", "eduspec", "income", "marital", "mmarr", "ymarr", "msepdiv", "ysepdiv",
            "nofriend", "smoke", "nociga", "workab", "wkabdur", "height", "weight", "bmi",
        ],
        origin: ORIGIN,
        needed_for: "everything",
        required: true,
    }],
    runs: 5,
    run: reproduce,
};

/// The poster's rows: variable, unique values with missing as one of them, missing, negative.
const QUIRKS: [(&str, [f64; 3]); 18] = [
    ("sex", [2.0, 0.0, 0.0]),
    ("age", [79.0, 0.0, 0.0]),
    ("agegr", [7.0, 4.0, 0.0]),
    ("eduspec", [28.0, 20.0, 0.0]),
    ("income", [407.0, 683.0, 663.0]),
    ("marital", [7.0, 9.0, 0.0]),
    ("mmarr", [13.0, 1300.0, 0.0]),
    ("ymarr", [75.0, 1320.0, 0.0]),
    ("msepdiv", [13.0, 4200.0, 0.0]),
    ("ysepdiv", [31.0, 4275.0, 0.0]),
    ("nofriend", [44.0, 0.0, 42.0]),
    ("smoke", [3.0, 10.0, 0.0]),
    ("nociga", [30.0, 0.0, 3737.0]),
    ("workab", [3.0, 438.0, 0.0]),
    ("wkabdur", [33.0, 0.0, 4875.0]),
    ("height", [65.0, 35.0, 0.0]),
    ("weight", [91.0, 53.0, 0.0]),
    ("bmi", [1396.0, 59.0, 0.0]),
];

/// Cells of the text at hand that the file itself does not bear out: variable, column, and what the file has. The text has names of
/// variables misread in the same table, and most of these differ in one digit.
const MISREAD: [(&str, &str, f64); 5] = [
    ("income", "negative values", 603.0),
    ("mmarr", "missings", 1350.0),
    ("msepdiv", "missings", 4300.0),
    ("ysepdiv", "unique values", 51.0),
    ("nofriend", "negative values", 41.0),
];

const COLUMNS: [&str; 3] = ["unique values", "missings", "negative values"];

fn reproduce(request: &Request<'_>) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin();
    let Some(path) = PAPER.files(request)?.remove(0) else { return Ok(found) };
    let table = all_variables(&path)?;
    found.tables.push(quirks(&path)?);
    let (quality, failed) = quality(&table, request)?;
    found.tables.push(quality);
    found.remarks = vec![
        misread_remark(),
        "The poster shows its quality measures as pictures, without numbers to compare with.".into(),
        "DataSynthesizer is this software's own (`datasynthesizer`), whose ledger adds up to the ε that is claimed; the published program spends twice as much.".into(),
        "Run time depends on the machine; it is the one number here that a second run does not repeat.".into(),
        "The poster rounds the number of records that rho-zCDP allows up, which spends more than rho; `normal-release` rounds down.".into(),
    ];
    found.remarks.extend(failed);
    Ok(found)
}

/// The cells in which the text at hand and the public file differ.
fn misread_remark() -> String {
    let cells = MISREAD.map(|(variable, column, ours)| format!("{variable} ({ours} {column})"));
    format!(
        "The table of quirks is marked ✓* where the stored text of the poster has another number than the public file: {}. That text may be \
         misread there, as names of variables in the same table are; it is not known that the poster itself is wrong.",
        cells.join(", ")
    )
}

/// Unique values, missing and negative ones, as they stand in the file: −8 is a number like others here.
fn quirks(path: &Path) -> Result<ReproducedTable, ReproduceError> {
    let raw = table::read::read_table(path, &table::read::ReadOptions::default())?;
    let mut found =
        ReproducedTable::new("Quirks of SD2011", "Missing counts as one value, as the poster has it.");
    for (name, printed) in QUIRKS {
        let ours = counts(&raw, name)?;
        for ((column, printed), ours) in COLUMNS.into_iter().zip(printed).zip(ours) {
            let misread = MISREAD.iter().find(|(variable, which, _)| (*variable, *which) == (name, column));
            let rule = match misread {
                Some((_, _, number)) => Rule::Corrected { number: *number, within: 0.0 },
                None => Rule::must_be_within(0.0, printed),
            };
            found.cells.push(Cell::new(name, column, Some(printed), Ours::exact(ours), rule));
        }
    }
    Ok(found)
}

fn counts(table: &Table, name: &str) -> Result<[f64; 3], ReproduceError> {
    let missing = table.missing(table.schema().position_of(name)?);
    let column = table.column(name)?;
    let (distinct, negative) = if let Column::Categorical(codes) = column {
        let levels = table.schema().variable(name)?.kind.levels().map_or(0, |levels| levels.len());
        (codes.frequencies(levels + 1)[..levels].iter().filter(|count| **count > 0).count(), 0)
    } else {
        let mut values: Vec<f64> = (0..column.len())
            .filter_map(|row| match column.number(row) {
                Some(Entry::Value(value)) => Some(value),
                _ => None,
            })
            .collect();
        let negative = values.iter().filter(|value| **value < 0.0).count();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        (values.len(), negative)
    };
    Ok([distinct as f64 + f64::from(u8::from(missing > 0)), missing as f64, negative as f64])
}

/// A generator of the comparison.
struct Generator {
    /// The column of the table.
    name: &'static str,
    method: &'static str,
    options: &'static [&'static str],
    /// The ε of a private run.
    epsilon: Option<f64>,
    /// Whether it takes minutes, so that one run has to do.
    is_slow: bool,
}

/// Those of the poster, then what its reader would ask for next. Trees as synthpop has them from rpart; CTGAN and TVAE as published;
/// DataSynthesizer's networks without its faults.
const GENERATORS: [Generator; 7] = [
    Generator {
        name: "sequential (synthpop)",
        method: "sequential",
        options: &["main_effects=false", "risk=misclassification", "min_bucket=5", "tilt=false"],
        epsilon: None,
        is_slow: false,
    },
    Generator {
        name: "ctgan, published",
        method: "ctgan",
        options: &["epochs=300", "atoms=false", "tilt=false"],
        epsilon: None,
        is_slow: true,
    },
    Generator {
        name: "tvae, published",
        method: "tvae",
        options: &["epochs=300", "atoms=false", "tilt=false", "draw=largest"],
        epsilon: None,
        is_slow: true,
    },
    Generator {
        name: "datasynthesizer, ε = 1",
        method: "datasynthesizer",
        options: &[],
        epsilon: Some(1.0),
        is_slow: true,
    },
    Generator {
        name: "private margins, ε = 1",
        method: "pairwise",
        options: &[],
        epsilon: Some(1.0),
        is_slow: true,
    },
    Generator { name: "arf", method: "arf", options: &[], epsilon: None, is_slow: false },
    Generator {
        name: "sequential, defaults",
        method: "sequential",
        options: &[],
        epsilon: None,
        is_slow: false,
    },
];

/// Variables with more levels than a regression should spend parameters on.
const LARGE: [&str; 2] = ["eduspec", "emcc"];

/// The rows of the table.
const MEASURES: [&str; 6] = [
    "pMSE, logistic regression",
    "pMSE over its expectation",
    "pMSE, tree",
    "ratio of counts, one-way tables",
    "interval overlap, one-way tables",
    "seconds a run",
];

/// pMSE by regression and by tree, ratio of counts and overlap of all one-way tables, and run time, of every generator; and which could not run, with the reason.
fn quality(table: &Table, request: &Request<'_>) -> Result<(ReproducedTable, Vec<String>), ReproduceError> {
    let mut found = ReproducedTable::new(
        "Quality of synthetic SD2011",
        "Means over the runs, of nets and private margins one run; the poster prints no numbers.",
    );
    let public = public(table)?;
    let mut failed = Vec::new();
    for generator in &GENERATORS {
        let mut rows: [Vec<f64>; 6] = Default::default();
        let runs = if generator.is_slow { 1 } else { request.runs };
        for run in 0..runs {
            (request.progress)(&format!("{}, run {} of {runs}", generator.name, run + 1));
            let start = Instant::now();
            let made = match generator.run(table, &public, request.seed + u64::from(run)) {
                Ok(made) => made,
                Err(error) => {
                    failed.push(format!("No numbers of {}: {error}", generator.name));
                    break;
                }
            };
            let seconds = start.elapsed().as_secs_f64();
            rows.iter_mut().zip(marks(table, &made, seconds)?).for_each(|(runs, value)| runs.extend(value));
        }
        for (row, runs) in MEASURES.into_iter().zip(rows) {
            if !runs.is_empty() {
                found.cells.push(Cell::new(row, generator.name, None, Ours::mean(&runs, 1), Rule::Shown));
            }
        }
    }
    Ok((found, failed))
}

/// The table with its categories and ranges declared public, as they are in the code book. The noise of these runs comes from a known seed, so that they are for study, not for release.
fn public(table: &Table) -> Result<Table, ReproduceError> {
    let mut text = table.schema().to_toml();
    for (variable, column) in table.schema().variables().iter().zip(table.columns()) {
        if !variable.kind.is_numeric() || variable.declared_range().is_some() {
            continue;
        }
        let numbers = (0..column.len()).filter_map(|row| match column.number(row) {
            Some(Entry::Value(value)) => Some(value),
            _ => None,
        });
        let (low, high) = numbers
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let head = format!("[variables.{}]\n", variable.name);
        text = text.replacen(&head, &format!("{head}range = [{}, {}]\n", low.floor(), high.ceil()), 1);
    }
    declared(&table.clone().conform(Arc::new(SchemaFile::parse(&text)?.finish()?))?)
}

impl Generator {
    /// A data set; the private ones need a schema that is declared public, as SD2011 is.
    fn run(&self, table: &Table, public: &Table, seed: u64) -> Result<Table, ReproduceError> {
        let mut recipe = Recipe { seed: Some(seed), ..Recipe::new(self.method) };
        self.options.iter().try_for_each(|option| recipe.set(option))?;
        let Some(epsilon) = self.epsilon else { return Ok(generate(table, &recipe)?.tables.remove(0)) };
        let privacy =
            PrivacySettings { epsilon: Some(epsilon), delta: Some(1e-9), ..PrivacySettings::default() };
        let recipe = Recipe { seed: None, privacy: Some(privacy), ..recipe };
        Ok(fit(public, &recipe, &Run::replayed(seed))?.table(0)?)
    }
}

/// The measures of one data set, in the order of [`MEASURES`].
fn marks(original: &Table, made: &Table, seconds: f64) -> Result<[Option<f64>; 6], ReproduceError> {
    let comparison = Comparison { original, synthetic: made, holdout: None };
    let names = original.schema().variables().iter().map(|variable| variable.name.as_str());
    let names: Vec<&str> = names.filter(|name| !LARGE.contains(name)).collect();
    let logistic = logistic_propensity(&comparison, &names, 0).map_err(MeasureError::from)?;
    let logistic = logistic.ok_or(MeasureError::NoSynthetic)?;
    let tree = tree_pmse(&Pooled::new(&comparison, &[])?).map_err(MeasureError::from)?;
    let shared = SharedTables::new(&comparison, &Grouping::default())?;
    let variables = shared.domain().variables().iter();
    let marks: Vec<TableMarks> =
        variables.map(|classes| TableMarks::of(&shared, &[classes.name()])).collect::<Result<_, _>>()?;
    let mean = |of: fn(&TableMarks) -> f64| marks.iter().map(of).sum::<f64>() / marks.len() as f64;
    Ok([
        Some(logistic.summary.pmse),
        logistic.s_pmse,
        tree,
        Some(mean(|one| one.ratio_of_counts)),
        Some(mean(|one| one.overlap)),
        Some(seconds),
    ])
}
