//! Raab (2022), *Utility and disclosure risk for differentially private synthetic categorical data*: catall and ipf, plain and private.
//!
//! S3, S5 and S7 are the first three, five and seven variables of [SD2011](super::social_diagnosis); Tables 1 to 3 and Figure 1 are repeated
//! for them, Table 3 by three estimates: the paper's own, least squares, and the planned margins that are the default here. The sets P and Ps of the American
//! Community Survey are repeated on a sample of the paper's extract, where the number of cells and the order and shape of columns can agree.

mod acs;
pub mod printed;

use std::path::Path;

use measures::risk::uniques::unique_records;
use measures::utility::tables::{TableOptions, all_tables};
use measures::{Comparison, MeasureError};
use rayon::prelude::*;
use synthesis::private::PrivacySettings;
use synthesis::{Recipe, fit, generate};
use table::{Attributes, CodedTable, CountSource, Grouping, Table};

use super::social_diagnosis::{self, SEVEN_VARIABLES, declared, seven_categories};
use super::{
    Cell, DataSource, Figure, Ours, Paper, ReproduceError, ReproducedTable, Reproduction, Request, Rule,
};
use printed::{EPSILONS, PrintedRow, TABLE_1, TABLE_2, TABLE_3};

/// The paper.
pub(crate) const PAPER: Paper = Paper {
    name: "raab2022",
    citation: "Raab (2022), Utility and disclosure risk for differentially private synthetic categorical data, Privacy in Statistical Databases",
    repeats: "Tables 1 to 3 and Figure 1; private margins by the paper's estimate, by least squares and planned",
    data: &[
        social_diagnosis::SEVEN,
        DataSource {
            name: "acs_il_oh_170k",
            columns: &["PUMA", "YEAR", "GQ", "SEX", "AGE", "MARST", "RACE", "HISPAN"],
            origin: "a sample of IL_OH_10Y_PUMS, the development file of NIST's 2020 Differential Privacy Temporal Map Challenge, sprint 2 \
                     (American Community Survey by way of IPUMS; 181 areas of Illinois and Ohio, 2012 to 2018), with AGE in bins of five years",
            needed_for: "the sets P3, P5, P7 and Ps3, Ps5, Ps7: size, order and shape of the columns",
            required: false,
        },
    ],
    runs: 10,
    run: reproduce,
};

fn reproduce(request: &Request<'_>) -> Result<Reproduction, ReproduceError> {
    let mut files = PAPER.files(request)?;
    let (survey, seven) = (files.pop().flatten(), files.pop().flatten());
    let mut found = PAPER.begin();
    if let Some(path) = &seven {
        social_diagnosis_sets(path, request, &mut found)?;
    }
    if let Some(path) = &survey {
        acs::survey_sets(path, request, &mut found)?;
    }
    found.misprints = MISPRINTS.map(str::to_owned).to_vec();
    found.remarks.extend(REMARKS.map(str::to_owned));
    for (source, given) in PAPER.data.iter().zip([&seven, &survey]) {
        if given.is_none() {
            found
                .remarks
                .push(format!("Not repeated, because {} was not given: {}.", source.name, source.needed_for));
        }
    }
    Ok(found)
}

/// The three sets of SD2011: how many variables, and the column of the printed tables.
const SETS: [(usize, &str); 3] = [(3, "S3"), (5, "S5"), (7, "S7")];

fn social_diagnosis_sets(
    path: &Path,
    request: &Request<'_>,
    found: &mut Reproduction,
) -> Result<(), ReproduceError> {
    let all = seven_categories(path)?;
    let mut sets = Vec::new();
    for (variables, name) in SETS {
        sets.push((name, all.select(&SEVEN_VARIABLES[..variables])?));
    }
    (request.progress)("Table 1: the sets");
    found.tables.push(table_1(&sets)?);
    let mut plain = Vec::new();
    for method in ["catall", "ipf"] {
        for (name, set) in &sets {
            (request.progress)(&format!("Table 2: {method} on {name}"));
            plain.push((method, *name, plain_runs(set, method, request)?));
        }
    }
    // As in the paper, the three-way table that ipf without privacy loses most is the one that is followed.
    let worst: Vec<(&str, usize)> = plain
        .iter()
        .filter(|(method, _, _)| *method == "ipf")
        .map(|(_, name, runs)| (*name, worst_table(runs)))
        .collect();
    let worst_of = |set: &str| worst.iter().find(|(name, _)| *name == set).map_or(0, |(_, table)| *table);
    for (_, name, runs) in &mut plain {
        runs.iter_mut().for_each(|run| run.look_at(worst_of(name)));
    }
    found.tables.extend(table_2(&plain, request.runs));
    let mut private = Vec::new();
    for (name, set) in &sets {
        let set = declared(set)?;
        for estimate in ESTIMATES {
            for epsilon in EPSILONS {
                (request.progress)(&format!("Table 3: {name}, {estimate}, epsilon {epsilon}"));
                let mut runs = private_runs(&set, estimate, epsilon, request)?;
                runs.iter_mut().for_each(|run| run.look_at(worst_of(name)));
                private.push(PrivateRuns { set: name, estimate, epsilon, runs });
            }
        }
    }
    found.tables.extend(table_3(&private));
    found.tables.push(orders(&private));
    found.figures.push(figure_1(&plain, &private));
    Ok(())
}

/// How the private margins are put together.
pub(crate) const ESTIMATES: [&str; 3] = ["paper", "least-squares", "planned"];

/// What one synthetic table scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Replicated uniques as a percentage of the records.
    pub ru: f64,
    /// Replicated uniques as a percentage of the unique records; none where no record is unique.
    pub ru_of_p1: Option<f64>,
    /// The mean S_pMSE of two-way tables.
    pub two_way: f64,
    /// The mean S_pMSE of three-way tables.
    pub three_way: f64,
    /// The S_pMSE of one three-way table: the worst of this run, until another is chosen.
    pub worst_three_way: f64,
    /// The S_pMSE of every three-way table, in the order of the variables.
    pub three_ways: Vec<f64>,
}

impl Run {
    /// Scores a synthetic table.
    pub fn of(original: &Table, synthetic: &Table) -> Result<Self, MeasureError> {
        let comparison = Comparison { original, synthetic, holdout: None };
        let options = TableOptions { grouping: Grouping::synthpop(5), ..TableOptions::default() };
        let scores = |ways: usize| -> Result<Vec<f64>, MeasureError> {
            let tables = all_tables(&comparison, ways, &options)?;
            // A table with all records in one cell has no degree of freedom and nothing to lose.
            Ok(tables.iter().map(|table| table.s_pmse().unwrap_or(0.0)).collect())
        };
        let (two, three) = (scores(2)?, scores(3)?);
        let uniques = unique_records::<&str>(&comparison, &[])?;
        Ok(Self {
            ru: uniques.ru().unwrap_or(0.0),
            ru_of_p1: uniques.ru_of_p1(),
            two_way: mean(&two),
            three_way: mean(&three),
            worst_three_way: three.iter().copied().fold(0.0, f64::max),
            three_ways: three,
        })
    }

    /// Takes this three-way table for the worst one.
    fn look_at(&mut self, table: usize) {
        if let Some(score) = self.three_ways.get(table) {
            self.worst_three_way = *score;
        }
    }
}

/// The three-way table with the largest mean score.
fn worst_table(runs: &[Run]) -> usize {
    let tables = runs.iter().map(|run| run.three_ways.len()).min().unwrap_or(0);
    let total = |table: usize| runs.iter().map(|run| run.three_ways[table]).sum::<f64>();
    (0..tables).max_by(|one, other| total(*one).total_cmp(&total(*other))).unwrap_or(0)
}

/// How many runs a set of this many variables has. The three small tables of three variables leave the mean of ten runs a standard deviation
/// of 0.07, so that they have ten times as many.
fn runs_of(variables: usize, wanted: u32) -> u32 {
    if variables == 3 { 10 * wanted } else { wanted }
}

/// How many runs the means of Table 2 are of, in words.
fn runs_text(wanted: u32, small_sets: &str) -> String {
    format!("means over {wanted} runs, of {small_sets} over {}", runs_of(3, wanted))
}

/// Runs of a method that is not private.
pub fn plain_runs(original: &Table, method: &str, request: &Request<'_>) -> Result<Vec<Run>, ReproduceError> {
    let runs = runs_of(original.columns().len(), request.runs);
    let one = |run: u32| -> Result<Run, ReproduceError> {
        let recipe = Recipe { seed: Some(request.seed + u64::from(run)), ..Recipe::new(method) };
        Ok(Run::of(original, &generate(original, &recipe)?.tables[0])?)
    };
    (0..runs).into_par_iter().map(one).collect()
}

/// Runs of private margins with this ε, ledger and all. The seed of the noise is fixed, so that the guarantee is void: these are
/// for study, not for release.
pub fn private_runs(
    original: &Table,
    estimate: &str,
    epsilon: f64,
    request: &Request<'_>,
) -> Result<Vec<Run>, ReproduceError> {
    let privacy = PrivacySettings { epsilon: Some(epsilon), ..Default::default() };
    let rows = Some(original.rows() as u64);
    let mut recipe = Recipe { rows, privacy: Some(privacy), ..Recipe::new("ipf") };
    recipe.set(&format!("estimate={estimate}"))?;
    let one = |run: u32| -> Result<Run, ReproduceError> {
        let replayed = synthesis::Run::replayed(request.seed + u64::from(run));
        Ok(Run::of(original, &fit(original, &recipe, &replayed)?.table(0)?)?)
    };
    (0..request.runs).into_par_iter().map(one).collect()
}

/// Runs at one setting.
struct PrivateRuns<'a> {
    set: &'a str,
    estimate: &'a str,
    epsilon: f64,
    runs: Vec<Run>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn means(runs: &[Run], of: fn(&Run) -> f64) -> Ours {
    Ours::mean(&runs.iter().map(of).collect::<Vec<f64>>(), 10)
}

/// N, k, p0, p1 of a table: records, cells, per cent of empty cells, per cent of unique records. Missing is a level.
fn features(table: &Table) -> Result<[f64; 4], ReproduceError> {
    let coded = CodedTable::new(table, &Grouping::default())?;
    let cross = coded.contingency_table(&Attributes::all(coded.domain()))?;
    // A class for missing values that no record has is no level.
    let used: Vec<f64> = (0..coded.domain().variables().len())
        .map(|at| {
            let codes = &coded.columns()[at];
            codes
                .frequencies(coded.domain().variables()[at].size())
                .iter()
                .filter(|count| **count > 0)
                .count() as f64
        })
        .collect();
    let cells: f64 = used.iter().product();
    let records = table.rows() as f64;
    let empty = 100.0 * (1.0 - cross.occupied() as f64 / cells);
    Ok([records, cells, empty, 100.0 * cross.unique_records() as f64 / records])
}

fn table_1(sets: &[(&str, Table)]) -> Result<ReproducedTable, ReproduceError> {
    let mut table = ReproducedTable::new(
        "Table 1",
        "Features of the data sets; k without the level `Missing`, p0 and p1 with it.",
    );
    for (place, (name, set)) in sets.iter().enumerate() {
        let [records, _, p0, p1] = features(set)?;
        let printed = TABLE_1[place];
        let levels = set.schema().variables().iter().map(|variable| {
            let levels = variable
                .kind
                .levels()
                .map_or(0, |levels| levels.iter().filter(|level| *level != "Missing").count());
            levels as f64
        });
        let k: f64 = levels.product();
        let rows = [("N", records, 0.5), ("k", k, 0.5), ("p0", p0, 0.0051), ("p1", p1, 0.0051)];
        for ((row, ours, within), printed) in rows.into_iter().zip(printed) {
            // p0 of S5 is misprinted: 6.23 for 68.23.
            let rule = match (*name, row) {
                ("S5", "p0") => Rule::Corrected { number: 68.23, within },
                _ => Rule::must_be_within(within, printed),
            };
            table.cells.push(Cell::new(row, *name, Some(printed), Ours::exact(ours), rule));
        }
    }
    Ok(table)
}

/// Tolerances of Table 2 and Table 3: those that the privacy methods were accepted with.
fn rule_of_plain(method: &str, set: &str, row: &str, printed: Option<f64>, runs: u32) -> Rule {
    let rule = match (method, set, row) {
        ("catall", _, "Mean two-way utility" | "Mean three-way utility") => {
            Rule::Must { low: 0.9, high: 1.15 }
        }
        ("catall", "S5" | "S7", "ru as % of p1") => Rule::Must { low: 35.0, high: 38.0 },
        ("ipf", _, "Mean two-way utility") => Rule::Must { low: 0.9, high: 1.1 },
        ("ipf", "S5", "Mean three-way utility") => Rule::must_be_within(0.15, 1.76),
        ("ipf", "S7", "Mean three-way utility") => Rule::must_be_within(0.15, 1.77),
        ("ipf", "S5", "ru %") => Rule::must_be_within(0.15, 1.6),
        ("ipf", "S7", "ru %") => Rule::must_be_within(0.3, 6.4),
        _ if printed.is_some() => Rule::StandardErrors { most: 3.0, rounding: 0.005 },
        _ => Rule::Shown,
    };
    widened(rule, runs)
}

/// The rule for fewer than ten runs, whose mean scatters more by √(10/runs). A range that is open to one side stays.
fn widened(rule: Rule, runs: u32) -> Rule {
    let factor = (10.0 / f64::from(runs)).sqrt().max(1.0);
    match rule {
        Rule::Must { low, high } if low.is_finite() && high.is_finite() => {
            let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
            Rule::Must { low: middle - factor * half, high: middle + factor * half }
        }
        other => other,
    }
}

type Plain<'a> = (&'a str, &'a str, Vec<Run>);

fn table_2(plain: &[Plain<'_>], wanted: u32) -> Vec<ReproducedTable> {
    ["catall", "ipf"]
        .into_iter()
        .map(|method| {
            let caption = format!("Synthesis without privacy; {}.", runs_text(wanted, "S3"));
            let mut table = ReproducedTable::new(format!("Table 2, {method}"), caption);
            for (place, (row, of)) in ROWS.into_iter().enumerate() {
                for (at, (_, set, runs)) in plain.iter().filter(|(of, _, _)| *of == method).enumerate() {
                    let printed = TABLE_2[usize::from(method == "ipf")][place][at];
                    let cell = Cell::new(
                        row,
                        *set,
                        printed,
                        of(runs),
                        rule_of_plain(method, set, row, printed, wanted),
                    );
                    table.cells.push(cell);
                }
            }
            table
        })
        .collect()
}

type Summary = fn(&[Run]) -> Ours;

/// The rows of Tables 2 and 3.
const ROWS: [(&str, Summary); 5] = [
    ("ru %", |runs| means(runs, |run| run.ru)),
    ("ru as % of p1", |runs| {
        Ours::mean_of_defined(&runs.iter().map(|run| run.ru_of_p1).collect::<Vec<_>>(), 10)
    }),
    ("Mean two-way utility", |runs| means(runs, |run| run.two_way)),
    ("Mean three-way utility", |runs| means(runs, |run| run.three_way)),
    ("Worst three-way utility", |runs| means(runs, |run| run.worst_three_way)),
];

/// One table for each ε: the paper's numbers beside its own method; least squares and planned margins beside both.
fn table_3(private: &[PrivateRuns<'_>]) -> Vec<ReproducedTable> {
    EPSILONS.into_iter().enumerate().map(|(level, epsilon)| {
        let caption = "Private ipf; the paper's numbers stand beside its own estimate, the other two estimates are ours.";
        let runs = private.first().map_or(0, |at| at.runs.len());
        let caption = format!("{caption} Means over {runs} runs.");
        let mut table = ReproducedTable::new(format!("Table 3, eps = {epsilon}"), caption);
        for (place, (row, of)) in ROWS.into_iter().enumerate() {
            for at in private.iter().filter(|runs| runs.epsilon == epsilon) {
                let column = SETS.iter().position(|(_, name)| *name == at.set).unwrap_or(0);
                let printed: PrintedRow = TABLE_3[level][place];
                let paper = printed[column].filter(|_| at.estimate == "paper");
                let rule = rule_of_private(at, row, paper);
                table.cells.push(Cell::new(row, format!("{} {}", at.set, at.estimate), paper, of(&at.runs), rule));
            }
        }
        table
    }).collect()
}

fn rule_of_private(at: &PrivateRuns<'_>, row: &str, paper: Option<f64>) -> Rule {
    let two_way = row == "Mean two-way utility";
    let rule = match (at.estimate, at.set, paper) {
        ("paper", "S5", Some(paper)) if two_way && at.epsilon >= 0.1 => {
            Rule::must_be_within(0.25 * paper, paper)
        }
        ("planned", _, _) if two_way => match printed::planned_limit(at.set, at.epsilon) {
            Some(high) => Rule::Must { low: 0.0, high },
            None => Rule::Shown,
        },
        (_, _, Some(_)) => Rule::StandardErrors { most: 3.0, rounding: 0.005 },
        _ => Rule::Shown,
    };
    widened(rule, at.runs.len() as u32)
}

/// What the text says of Table 3, and what the planned margins add.
fn orders(private: &[PrivateRuns<'_>]) -> ReproducedTable {
    let mut table = ReproducedTable::new(
        "Order in Table 3",
        "Mean two-way utility at one eps over that at the next smaller one: below 1 where more budget helps; and planned over the paper's.",
    );
    let score = |set: &str, estimate: &str, epsilon: f64| {
        let at = private.iter().find(|at| at.set == set && at.estimate == estimate && at.epsilon == epsilon);
        at.map_or(f64::NAN, |at| mean(&at.runs.iter().map(|run| run.two_way).collect::<Vec<f64>>()))
    };
    for (_, set) in SETS {
        for pair in EPSILONS.windows(2) {
            let row = format!("eps {} over eps {}", pair[1], pair[0]);
            let ratio = score(set, "paper", pair[1]) / score(set, "paper", pair[0]);
            // Once only the noise of sampling is left there is nothing to gain.
            let rule = if pair[1] <= 1.0 {
                Rule::Must { low: 0.0, high: 1.0 }
            } else {
                Rule::Expect { low: 0.0, high: 1.1 }
            };
            table.cells.push(Cell::new(row, set, None, Ours::exact(ratio), rule));
        }
        for epsilon in EPSILONS {
            let ratio = score(set, "planned", epsilon) / score(set, "paper", epsilon);
            let rule =
                if epsilon <= 2.0 && set != "S3" { Rule::Must { low: 0.0, high: 1.0 } } else { Rule::Shown };
            table.cells.push(Cell::new(
                format!("planned over paper, eps {epsilon}"),
                set,
                None,
                Ours::exact(ratio),
                rule,
            ));
        }
    }
    table
}

/// Figure 1: replicated uniques as a percentage of the uniques, over log₁₀ ε; the plain method at 2, which stands for an ε of 100. (The paper
/// says 3, "equivalent to an ε of 100"; log₁₀ 100 is 2.)
fn figure_1(plain: &[Plain<'_>], private: &[PrivateRuns<'_>]) -> Figure {
    let caption = "Replicated uniques as a percentage of the unique records; the synthesis without privacy stands at 2.";
    let mut figure = Figure::new("Figure 1", caption, "log10 epsilon", "ru as % of p1");
    let share = |runs: &[Run]| (ROWS[1].1)(runs).value;
    for (place, (_, set)) in SETS.into_iter().enumerate().skip(1) {
        for estimate in ESTIMATES {
            let of_set = private.iter().filter(|at| at.set == set && at.estimate == estimate);
            let mut points: Vec<[f64; 2]> =
                of_set.filter_map(|at| Some([at.epsilon.log10(), share(&at.runs)?])).collect();
            let last = plain.iter().find(|(method, name, _)| *method == "ipf" && *name == set);
            points.extend(last.and_then(|(_, _, runs)| Some([2.0, share(runs)?])));
            figure = figure.with(format!("{set}, {estimate}"), points);
        }
        let printed = EPSILONS
            .iter()
            .enumerate()
            .filter_map(|(level, epsilon)| Some([epsilon.log10(), TABLE_3[level][1][place]?]));
        figure = figure.with(format!("{set}, printed"), printed.collect());
    }
    figure
}

const MISPRINTS: [&str; 6] = [
    "Table 1: p0 of S5 is 68.23, not 6.23.",
    "Table 1: k of S5 and S7 leaves out the level for missing values, which p0 and p1 count: with it there are 3,000 and 147,000 cells.",
    "Section 3: the bases are misprinted; p0 is empty cells over k, and ru is over N.",
    "Section 3: the pMSE of a table is (y - s)^2 divided by ((y + s)/2); as typeset it would be a quarter of that.",
    "Table 2: the row \"ru as % of p1\" of ipf does not follow from its own ru row (S5: 1.67/6.74 is 25 %, printed 30; S7: 6.41/35.84 is 18 %, printed 13).",
    "Section 5.2: Figure 1 has the synthesis without privacy at 3, \"equivalent to an eps of 100\"; the logarithm of 100 is 2.",
];

const REMARKS: [&str; 4] = [
    "The ranges of cells that must agree hold for ten runs; with fewer they widen with the root of 10 over the runs.",
    "nprior is the total that is spread over the cells: each gets nprior/k.",
    "The paper's estimate clamps negative noisy counts to a tiny positive number instead of zero: with exact zeros, conflicting patterns empty \
     the whole table of S7 at eps 0.1.",
    "Noise is the exact discrete Laplace distribution on whole counts; the paper adds continuous Laplace noise. Both have dispersion 1/eps.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_widen_with_the_root_of_ten_over_the_runs() {
        let must = |low, high| Rule::Must { low, high };
        assert_eq!(widened(must(0.5, 1.5), 10), must(0.5, 1.5));
        assert_eq!(widened(must(0.5, 1.5), 100), must(0.5, 1.5));
        let Rule::Must { low, high } = widened(must(28.0, 45.0), 4) else { panic!("it must agree") };
        let half = 8.5 * 2.5_f64.sqrt();
        assert!((low - (36.5 - half)).abs() < 1e-12 && (high - (36.5 + half)).abs() < 1e-12);
        assert_eq!(widened(must(1.5, f64::INFINITY), 4), must(1.5, f64::INFINITY));
    }

    #[test]
    fn sets_of_three_variables_have_ten_times_as_many_runs() {
        assert_eq!([3, 5, 7].map(|variables| runs_of(variables, 4)), [40, 4, 4]);
        assert_eq!(runs_text(4, "P3 and Ps3"), "means over 4 runs, of P3 and Ps3 over 40");
    }
}
