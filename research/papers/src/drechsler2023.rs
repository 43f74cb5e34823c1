//! Drechsler, Latner & Neunhoeffer (2023), *It's complicated: insights into models and privacy guarantees of synthetic data*, a poster.
//!
//! Its table of SD2011's quirks, and the utility of sequential synthesis, which stands for the column of synthpop. The poster shows its quality
//! measures as pictures without numbers, so that ours stand alone.

use std::path::Path;
use std::time::Instant;

use measures::utility::propensity::{Pooled, logistic_propensity, tree_pmse};
use measures::{Comparison, MeasureError, SharedTables};
use synthesis::{Recipe, generate};
use table::column::Entry;
use table::{Column, Grouping, Table};

use super::social_diagnosis::{ORIGIN, all_variables};
use super::{
    Cell, DataSource, Ours, Paper, ReproduceError, ReproducedTable, Reproduction, Request, Rule, TableMarks,
};

/// The paper.
pub(crate) const PAPER: Paper = Paper {
    name: "drechsler2023",
    citation: "Drechsler, Latner & Neunhoeffer (2023), It's complicated: insights into models and privacy guarantees of synthetic data (poster)",
    repeats: "the table of SD2011's quirks; pMSE, ratio of counts, interval overlap and run time of sequential synthesis",
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
    found.tables.push(quality(&table, request)?);
    found.remarks = vec![
        misread_remark(),
        "The poster shows its quality measures as pictures, without numbers to compare with.".into(),
        "The columns of DataSynthesizer (`bayesnet`) and CTGAN (`ctgan`) join when those generators exist.".into(),
        "Run time depends on the machine; it is the one number here that a second run does not repeat.".into(),
        "The poster rounds the number of records that rho-zCDP allows up, which spends more than rho; `normal-release` rounds down.".into(),
    ];
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

/// Trees as synthpop has them from rpart.
const SYNTHPOP: [&str; 4] = ["main_effects=false", "risk=misclassification", "min_bucket=5", "tilt=false"];

/// Variables with more levels than a regression should spend parameters on.
const LARGE: [&str; 2] = ["eduspec", "emcc"];

/// pMSE by regression and by tree, ratio of counts and overlap of all one-way tables, run time.
fn quality(table: &Table, request: &Request<'_>) -> Result<ReproducedTable, ReproduceError> {
    let mut rows: [(&str, Vec<f64>); 6] = [
        ("pMSE, logistic regression", Vec::new()),
        ("pMSE over its expectation", Vec::new()),
        ("pMSE, tree", Vec::new()),
        ("ratio of counts, one-way tables", Vec::new()),
        ("interval overlap, one-way tables", Vec::new()),
        ("seconds a run", Vec::new()),
    ];
    for run in 0..request.runs {
        (request.progress)(&format!("sequential synthesis, run {} of {}", run + 1, request.runs));
        let mut recipe = Recipe { seed: Some(request.seed + u64::from(run)), ..Recipe::new("sequential") };
        SYNTHPOP.iter().try_for_each(|option| recipe.set(option))?;
        let start = Instant::now();
        let made = generate(table, &recipe)?.tables.remove(0);
        let seconds = start.elapsed().as_secs_f64();
        let comparison = Comparison { original: table, synthetic: &made, holdout: None };
        let names = table.schema().variables().iter().map(|variable| variable.name.as_str());
        let names: Vec<&str> = names.filter(|name| !LARGE.contains(name)).collect();
        let logistic = logistic_propensity(&comparison, &names, 0).map_err(MeasureError::from)?;
        let logistic = logistic.ok_or(MeasureError::NoSynthetic)?;
        let tree = tree_pmse(&Pooled::new(&comparison, &[])?).map_err(MeasureError::from)?;
        let shared = SharedTables::new(&comparison, &Grouping::default())?;
        let variables = shared.domain().variables().iter();
        let marks: Vec<TableMarks> =
            variables.map(|classes| TableMarks::of(&shared, &[classes.name()])).collect::<Result<_, _>>()?;
        let mean = |of: fn(&TableMarks) -> f64| marks.iter().map(of).sum::<f64>() / marks.len() as f64;
        let values = [
            Some(logistic.summary.pmse),
            logistic.s_pmse,
            tree,
            Some(mean(|one| one.ratio_of_counts)),
            Some(mean(|one| one.overlap)),
            Some(seconds),
        ];
        rows.iter_mut().zip(values).for_each(|((_, runs), value)| runs.extend(value));
    }
    let mut found = ReproducedTable::new(
        "Quality of synthetic SD2011",
        "Means over the runs; the poster prints no numbers.",
    );
    for (row, runs) in rows {
        found.cells.push(Cell::new(row, "sequential (synthpop)", None, Ours::mean(&runs, 1), Rule::Shown));
    }
    Ok(found)
}
