//! The sets P and Ps on a sample of the paper's extract of the American Community Survey.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use table::read::{ReadOptions, read_table};
use table::schema::Levels;
use table::{Codes, Column, Kind, Schema, Table, TableError, Variable};

use super::printed::TABLE_2_SURVEY;
use super::{ROWS, Run, features, plain_runs, runs_text, widened};
use crate::{Cell, Ours, ReproduceError, ReproducedTable, Reproduction, Request, Rule};

/// A set: its name, its variables, k, and what the sample's notes give for p0 and p1; then the paper's p0 and p1 on six times as many records.
struct Set {
    name: &'static str,
    variables: &'static [&'static str],
    one_area: bool,
    k: f64,
    sample: [f64; 2],
    paper: [f64; 2],
}

const THREE: &[&str] = &["YEAR", "GQ", "SEX"];
const FIVE: &[&str] = &["YEAR", "GQ", "SEX", "AGE", "MARST"];
const SEVEN: &[&str] = &["YEAR", "GQ", "SEX", "AGE", "MARST", "RACE", "HISPAN"];
const WITH_AREA: &[&str] = &["PUMA", "YEAR", "GQ", "SEX", "AGE", "MARST", "RACE"];

const SETS: [Set; 7] = [
    Set { name: "P3", variables: THREE, one_area: false, k: 70.0, sample: [8.57, 0.001], paper: [5.71, 0.0] },
    Set {
        name: "P5",
        variables: FIVE,
        one_area: false,
        k: 2100.0,
        sample: [52.62, 0.099],
        paper: [37.62, 0.02],
    },
    Set {
        name: "P7",
        variables: SEVEN,
        one_area: false,
        k: 94_500.0,
        sample: [96.65, 0.547],
        paper: [94.49, 0.12],
    },
    Set {
        name: "P7x",
        variables: WITH_AREA,
        one_area: false,
        k: 3_420_900.0,
        sample: [98.49, 14.997],
        paper: [96.62, 4.51],
    },
    Set {
        name: "Ps3",
        variables: THREE,
        one_area: true,
        k: 70.0,
        sample: [42.86, 0.382],
        paper: [34.29, 0.03],
    },
    Set {
        name: "Ps5",
        variables: FIVE,
        one_area: true,
        k: 2100.0,
        sample: [85.33, 5.349],
        paper: [73.19, 0.96],
    },
    Set {
        name: "Ps7",
        variables: SEVEN,
        one_area: true,
        k: 94_500.0,
        sample: [99.63, 7.689],
        paper: [99.10, 2.66],
    },
];

/// The one area of Ps: the largest of the sample, a plausible match for the paper's.
const AREA: &str = "17-202";

const METHODS: [&str; 2] = ["catall", "ipf"];

/// How many runs the survey's sets have: a third of the others', since each takes long.
fn runs_on_survey(wanted: u32) -> u32 {
    wanted.div_ceil(3).max(2)
}

/// Sizes of all sets, and Table 2 for those of three and five variables and for one area.
pub(super) fn survey_sets(
    path: &Path,
    request: &Request<'_>,
    found: &mut Reproduction,
) -> Result<(), ReproduceError> {
    let table = read_table(path, &ReadOptions::default())?;
    let survey = categories(&table)?;
    let area = survey.take(&rows_of_area(&survey, path)?)?;
    let mut sizes = ReproducedTable::new(
        "Table 1, P and Ps",
        "On a sample of the paper's extract: k must agree with the paper, p0 and p1 with the sample's notes; printed beside them are the paper's.",
    );
    let request = Request { runs: runs_on_survey(request.runs), ..*request };
    let caption = format!(
        "On the sample, beside the paper's numbers on all records; order and shape must agree. Ours are {}.",
        runs_text(request.runs, "P3 and Ps3")
    );
    let mut plain: Vec<ReproducedTable> = METHODS
        .map(|method| ReproducedTable::new(format!("Table 2, {method}, P and Ps"), caption.as_str()))
        .to_vec();
    for (place, set) in SETS.iter().enumerate() {
        (request.progress)(&format!("{}: size, catall and ipf", set.name));
        let records = if set.one_area { &area } else { &survey };
        let data = records.select(set.variables)?;
        // One area lacks some levels that belong to the survey: k is that of the survey.
        let levels = data
            .schema()
            .variables()
            .iter()
            .map(|variable| variable.kind.levels().map_or(1, Levels::len) as f64);
        let k: f64 = levels.product();
        let [rows, used, empty, p1] = features(&data)?;
        let occupied = used * (1.0 - empty / 100.0);
        let p0 = 100.0 * (1.0 - occupied / k);
        let cells = [
            ("N", None, rows, Rule::Shown),
            ("k", Some(set.k), k, Rule::must_be_within(0.5, set.k)),
            ("p0", Some(set.paper[0]), p0, Rule::must_be_within(0.0051, set.sample[0])),
            ("p1", Some(set.paper[1]), p1, Rule::must_be_within(0.00051, set.sample[1])),
        ];
        for (row, paper, ours, rule) in cells {
            sizes.cells.push(Cell::new(row, set.name, paper, Ours::exact(ours), rule));
        }
        for ((table, method), printed) in plain.iter_mut().zip(METHODS).zip(&TABLE_2_SURVEY) {
            // The all-pairs model of seven variables with the area has no small junction tree.
            if method == "ipf" && set.name == "P7x" {
                continue;
            }
            let runs = plain_runs(&data, method, &request)?;
            add_rows(table, set, method, &runs, printed.map(|row| row[place]));
        }
    }
    found.tables.push(sizes);
    found.tables.extend(plain);
    found.remarks.push(
        "The sample has 170,254 of the paper's 1,035,201 records, so that p0, p1 and the lack of fit of ipf to three-way tables differ as they \
         must: the lack of fit grows with the number of records. ipf on P7x is not repeated, nor are Table 3 and Figure 1 for the sets P and Ps. \
         The paper's mean two-way utility of ipf on these sets cannot be read with certainty in the text at hand and is left out."
            .into(),
    );
    Ok(())
}

/// The rows of Table 2 that do not depend on the number of records must agree.
fn add_rows(
    table: &mut ReproducedTable,
    set: &Set,
    method: &str,
    runs: &[Run],
    printed: [Option<f64>; ROWS.len()],
) {
    for ((row, of), printed) in ROWS.into_iter().zip(printed) {
        let rule = match (method, row) {
            ("catall", "Mean two-way utility" | "Mean three-way utility")
                if !set.one_area && set.name != "P3" =>
            {
                Rule::Must { low: 0.85, high: 1.2 }
            }
            ("catall", "ru as % of p1") if ["P5", "P7", "P7x", "Ps5", "Ps7"].contains(&set.name) => {
                Rule::Must { low: 28.0, high: 45.0 }
            }
            ("ipf", "Mean two-way utility") if !set.one_area && set.name != "P3" => {
                Rule::Must { low: 0.85, high: 1.2 }
            }
            // Where the paper has a strong three-way interaction, so has the sample.
            ("ipf", "Mean three-way utility") if ["P5", "P7"].contains(&set.name) => {
                Rule::Must { low: 1.5, high: f64::INFINITY }
            }
            _ => Rule::Shown,
        };
        let rule = widened(rule, runs.len() as u32);
        table.cells.push(Cell::new(row, set.name, printed, of(runs), rule));
    }
}

/// The records of the one area of Ps; an error if there are none.
fn rows_of_area(survey: &Table, path: &Path) -> Result<Vec<u32>, ReproduceError> {
    let variable = survey.schema().variable("PUMA")?;
    let code = variable.kind.levels().and_then(|levels| levels.position(AREA));
    let rows: Vec<u32> = match survey.column("PUMA")? {
        Column::Categorical(codes) => {
            codes.iter().zip(0..).filter(|(one, _)| Some(*one) == code).map(|(_, row)| row).collect()
        }
        _ => Vec::new(),
    };
    if rows.is_empty() {
        return Err(ReproduceError::OtherRecords {
            path: path.to_owned(),
            reason: format!(
                "no record is of the area {AREA} (column PUMA), which the sets Ps3, Ps5 and Ps7 are made of"
            ),
            meant: super::PAPER.data[1].origin,
        });
    }
    Ok(rows)
}

/// The eight variables as categories, age in five groups of equal width.
fn categories(table: &Table) -> Result<Table, TableError> {
    let (mut variables, mut columns) = (Vec::new(), Vec::new());
    for name in ["PUMA", "YEAR", "GQ", "SEX", "AGE", "MARST", "RACE", "HISPAN"] {
        let mut labels = labels(table, name)?;
        if name == "AGE" {
            labels = age_groups(&labels);
        }
        let mut codes_of: BTreeMap<&str, u32> = labels.iter().map(|label| (label.as_str(), 0)).collect();
        codes_of.values_mut().zip(0..).for_each(|(code, place)| *code = place);
        let codes = Codes::collect(codes_of.len() + 1, labels.iter().map(|label| codes_of[label.as_str()]));
        let levels = Levels::new(codes_of.keys().copied());
        let levels = levels.map_err(|message| TableError::Variable { name: name.into(), message })?;
        variables.push(Variable::new(name, Kind::Categorical { levels }));
        columns.push(Column::Categorical(Arc::new(codes)));
    }
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?), columns)
}

fn labels(table: &Table, name: &str) -> Result<Vec<String>, TableError> {
    let levels = table.schema().variable(name)?.kind.levels();
    Ok(match (table.column(name)?, levels) {
        (Column::Categorical(codes), Some(levels)) => {
            codes.iter().map(|code| levels.get(code).unwrap_or("missing").to_owned()).collect()
        }
        (column, _) => (0..column.len()).map(|row| format!("{:?}", column.number(row))).collect(),
    })
}

/// Bins such as `56-60` or `<=20` or `>85` in five groups of equal width between the lowest and the highest bin.
fn age_groups(labels: &[String]) -> Vec<String> {
    let upper = |label: &str| -> f64 {
        let digits: Vec<f64> =
            label.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
        let open = if label.starts_with('>') { 5.0 } else { 0.0 };
        digits.last().copied().unwrap_or(0.0) + open
    };
    let uppers: BTreeMap<&str, f64> = labels.iter().map(|label| (label.as_str(), upper(label))).collect();
    let (low, high) = uppers.values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), upper| {
        (low.min(upper - 5.0), high.max(*upper))
    });
    let group =
        |label: &String| (((uppers[label.as_str()] - 2.5 - low) / (high - low) * 5.0).floor() as u32).min(4);
    labels.iter().map(|label| format!("group {}", group(label) + 1)).collect()
}
