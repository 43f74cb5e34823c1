//! Private generators held against each other on one table with a declared schema.
//!
//! Every method runs several times at each ε. TV1, TV2 and TV3 are half the L1 distance of normalised tables of one, two and three variables on the declared domain, the mean over all
//! tables, or over a fixed sample of triples where there are more than `MOST_TRIPLES`; S_pMSE is the mean over two-way tables. CPU seconds and memory are those of fitting and drawing.

use std::collections::BTreeMap;

use measures::Comparison;
use measures::utility::tables::{TableOptions, all_tables};
use serde::Serialize;
use synthesis::private::{PrivacySettings, declared};
use synthesis::{Recipe, Run, fit, registry};
use table::{Attributes, CodedTable, CountSource, Domain, Table};

use crate::TournamentError;

/// Triples that are looked at.
const MOST_TRIPLES: usize = 150;

/// A method at one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrivateStanding {
    /// The method.
    pub method: String,
    /// The ε of its budget.
    pub epsilon: f64,
    /// Its runs.
    pub runs: Vec<PrivateScore>,
    /// Why it could not be run, if it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What one run reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PrivateScore {
    /// Total variation of tables of one variable.
    pub tv1: f64,
    /// Of two.
    pub tv2: f64,
    /// Of three; none with fewer variables.
    pub tv3: Option<f64>,
    /// Mean S_pMSE of two-way tables where it is defined.
    pub s_pmse: Option<f64>,
    /// CPU seconds, where the system tells them.
    pub cpu_s: Option<f64>,
    /// The largest memory of the process during the run in megabytes, where the system tells it.
    pub peak_mb: Option<f64>,
}

/// A synthetic file that another program made.
pub struct Peer {
    /// The program, or what it is to be called.
    pub name: String,
    /// The ε that it was given.
    pub epsilon: f64,
    /// Its records, under the schema of the original.
    pub table: Table,
}

/// Files of other programs as standings beside those of [`private_tournament`]: files of one name and ε are its runs. What they cost is not known.
pub fn peers(original: &Table, peers: &[Peer]) -> Result<Vec<PrivateStanding>, TournamentError> {
    let domain = scale(original)?;
    let truth = Tables::of(original, &domain)?;
    let mut standings: Vec<PrivateStanding> = Vec::new();
    for Peer { name, epsilon, table } in peers {
        let score = scored(original, table, &domain, &truth)?;
        match standings.iter_mut().find(|of| of.method == *name && of.epsilon == *epsilon) {
            Some(standing) => standing.runs.push(score),
            None => {
                let (method, runs) = (name.clone(), vec![score]);
                standings.push(PrivateStanding { method, epsilon: *epsilon, runs, because: None });
            }
        }
    }
    Ok(standings)
}

/// The domain on which tables are compared.
fn scale(original: &Table) -> Result<Domain, TournamentError> {
    Ok(Domain::declared(&declared(original.schema())?, 20)?)
}

/// The private methods that need nothing but a budget, and draw all variables.
pub fn private_methods(schema: &table::DeclaredSchema) -> Vec<&'static str> {
    let able = registry::METHODS.iter().filter(|method| method.private.is_some());
    able.map(|method| method.card.name)
        .filter(|name| {
            let settings = PrivacySettings { epsilon: Some(1.0), ..PrivacySettings::default() };
            let recipe = Recipe { privacy: Some(settings), rows: Some(1_000), ..Recipe::new(*name) };
            synthesis::private::plan(schema, &recipe).is_ok()
        })
        .collect()
}

/// Runs these methods at every ε, with a δ or purely.
pub fn private_tournament(
    original: &Table,
    methods: &[String],
    epsilons: &[f64],
    delta: Option<f64>,
    runs: u32,
    progress: &dyn Fn(&str),
) -> Result<Vec<PrivateStanding>, TournamentError> {
    let domain = scale(original)?;
    let truth = Tables::of(original, &domain)?;
    let mut standings = Vec::new();
    for &epsilon in epsilons {
        for method in methods {
            let settings = PrivacySettings {
                epsilon: Some(epsilon),
                delta,
                records: Some(original.rows() as u64),
                ..PrivacySettings::default()
            };
            let recipe =
                Recipe { privacy: Some(settings), rows: Some(original.rows() as u64), ..Recipe::new(method) };
            let mut standing =
                PrivateStanding { method: method.clone(), epsilon, runs: Vec::new(), because: None };
            for run in 1..=runs {
                progress(&format!("{method} at {epsilon}, run {run} of {runs}"));
                match one_run(original, &recipe, &domain, &truth) {
                    Ok(score) => standing.runs.push(score),
                    Err(because) => {
                        standing.because = Some(because.to_string());
                        break;
                    }
                }
            }
            standings.push(standing);
        }
    }
    Ok(standings)
}

fn one_run(
    original: &Table,
    recipe: &Recipe,
    domain: &Domain,
    truth: &Tables,
) -> Result<PrivateScore, TournamentError> {
    let before = cpu_seconds();
    forget_peak();
    let synthetic = fit(original, recipe, &Run::default())?.table(0)?;
    let cpu_s = cpu_seconds().zip(before).map(|(after, before)| after - before);
    let peak_mb = peak_megabytes();
    Ok(PrivateScore { cpu_s, peak_mb, ..scored(original, &synthetic, domain, truth)? })
}

/// The distances of a synthetic table.
fn scored(
    original: &Table,
    synthetic: &Table,
    domain: &Domain,
    truth: &Tables,
) -> Result<PrivateScore, TournamentError> {
    let made = Tables::of(synthetic, domain)?;
    let comparison = Comparison { original, synthetic, holdout: None };
    let options = TableOptions::default();
    let values: Vec<f64> =
        all_tables(&comparison, 2, &options)?.iter().filter_map(|table| table.s_pmse().ok()).collect();
    let s_pmse = (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let [tv1, tv2, tv3] = truth.distances(&made);
    let (tv1, tv2) = (tv1.unwrap_or(0.0), tv2.unwrap_or(0.0));
    Ok(PrivateScore { tv1, tv2, tv3, s_pmse, cpu_s: None, peak_mb: None })
}

/// Shares of the cells of all tables that are compared.
struct Tables([Vec<BTreeMap<Vec<u32>, f64>>; 3]);

impl Tables {
    fn of(table: &Table, domain: &Domain) -> Result<Self, TournamentError> {
        let coded = CodedTable::in_domain(table, domain)?;
        let records = table.rows().max(1) as f64;
        let shares = |of: &Attributes| -> Result<BTreeMap<Vec<u32>, f64>, TournamentError> {
            let counts = coded.contingency_table(of)?;
            Ok(counts.iter().map(|(cell, count)| (cell, count as f64 / records)).collect())
        };
        let ways = |ways: usize| -> Result<Vec<BTreeMap<Vec<u32>, f64>>, TournamentError> {
            let variables = domain.variables().len();
            if variables < ways {
                return Ok(Vec::new());
            }
            let all = if ways == 3 { triples(variables) } else { Attributes::combinations(domain, ways) };
            all.iter().map(shares).collect()
        };
        Ok(Self([ways(1)?, ways(2)?, ways(3)?]))
    }

    /// The mean total variation of tables of one, two and three variables.
    fn distances(&self, other: &Self) -> [Option<f64>; 3] {
        [0, 1, 2].map(|ways| {
            let pairs = self.0[ways].iter().zip(&other.0[ways]);
            let distances: Vec<f64> = pairs.map(|(one, other)| total_variation(one, other)).collect();
            (!distances.is_empty()).then(|| distances.iter().sum::<f64>() / distances.len() as f64)
        })
    }
}

fn total_variation(one: &BTreeMap<Vec<u32>, f64>, other: &BTreeMap<Vec<u32>, f64>) -> f64 {
    let in_one: f64 =
        one.iter().map(|(cell, share)| (share - other.get(cell).copied().unwrap_or(0.0)).abs()).sum();
    let only_other: f64 =
        other.iter().filter(|(cell, _)| !one.contains_key(*cell)).map(|(_, share)| share).sum();
    0.5 * (in_one + only_other)
}

/// All triples, or evenly spaced ones of them.
fn triples(variables: usize) -> Vec<Attributes> {
    let all = (0..variables).flat_map(|one| {
        (one + 1..variables)
            .flat_map(move |two| (two + 1..variables).map(move |three| Attributes::new([one, two, three])))
    });
    let count = variables * (variables - 1) * (variables - 2) / 6;
    all.step_by(count.div_ceil(MOST_TRIPLES).max(1)).collect()
}

/// CPU time of the process so far.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in brackets may hold spaces; fields 14 and 15 are ticks of 1/100 s.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// Begins the record of the largest memory anew, where the system can.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

impl PrivateStanding {
    /// Mean and standard error over the runs of what is defined.
    fn summary(&self, of: impl Fn(&PrivateScore) -> Option<f64>) -> Option<(f64, Option<f64>)> {
        let values: Vec<f64> = self.runs.iter().filter_map(of).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt());
        (!values.is_empty()).then_some((mean, error))
    }
}

/// The standings as a table: means over the runs, with standard errors in brackets.
pub fn private_text(standings: &[PrivateStanding]) -> String {
    type Of = fn(&PrivateScore) -> Option<f64>;
    let columns: [(&str, usize, Of); 6] = [
        ("TV1", 4, |score| Some(score.tv1)),
        ("TV2", 4, |score| Some(score.tv2)),
        ("TV3", 4, |score| score.tv3),
        ("S_pMSE of pairs", 1, |score| score.s_pmse),
        ("CPU s", 2, |score| score.cpu_s),
        ("MB", 0, |score| score.peak_mb),
    ];
    let names: Vec<&str> = columns.iter().map(|(name, ..)| *name).collect();
    let mut text =
        format!("| ε | method | {} |\n|---|---|{}\n", names.join(" | "), "---|".repeat(columns.len()));
    for standing in standings.iter().filter(|standing| !standing.runs.is_empty()) {
        let cell = |(_, digits, of): &(&str, usize, Of)| match standing.summary(of) {
            None => String::new(),
            Some((mean, None)) => format!("{mean:.digits$}"),
            Some((mean, Some(error))) => format!("{mean:.digits$} ({error:.digits$})"),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        text.push_str(&format!("| {} | {} | {} |\n", standing.epsilon, standing.method, cells.join(" | ")));
    }
    for standing in standings {
        if let Some(because) = &standing.because {
            text.push_str(&format!("\n{} at {} did not run: {because}\n", standing.method, standing.epsilon));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n\
        [variables.b]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n\
        [variables.c]\nkind = \"categorical\"\nlevels = [\"x\", \"y\", \"z\"]\n";

    fn read(text: &str) -> Table {
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
        read_csv_text(text, &options).unwrap()
    }

    #[test]
    fn distances_by_hand() {
        let one = read("a,b,c\nx,x,x\nx,x,x\ny,y,x\ny,y,x\n");
        let other = read("a,b,c\nx,x,x\nx,y,x\ny,x,x\ny,y,z\n");
        let schema = declared(one.schema()).unwrap();
        let domain = Domain::declared(&schema, 5).unwrap();
        let [tv1, tv2, tv3] =
            Tables::of(&one, &domain).unwrap().distances(&Tables::of(&other, &domain).unwrap());
        // a and b agree, c is off by a quarter; a × b is off by a half, a × c and b × c by a quarter; the triple by 3/4 less 1/4 that agrees.
        assert!((tv1.unwrap() - 0.25 / 3.0).abs() < 1e-12);
        assert!((tv2.unwrap() - (0.5 + 0.25 + 0.25) / 3.0).abs() < 1e-12);
        assert!((tv3.unwrap() - 0.75).abs() < 1e-12, "{tv3:?}");
    }

    #[test]
    fn files_of_other_programs_stand_beside_ours() {
        let one = read("a,b,c\nx,x,x\nx,x,x\ny,y,x\ny,y,x\n");
        let peer = |epsilon: f64, text: &str| Peer { name: "theirs".into(), epsilon, table: read(text) };
        let same = "a,b,c\nx,x,x\nx,x,x\ny,y,x\ny,y,x\n";
        let other = "a,b,c\nx,x,x\nx,y,x\ny,x,x\ny,y,z\n";
        let found = peers(&one, &[peer(1.0, same), peer(1.0, other), peer(2.0, other)]).unwrap();
        let runs: Vec<usize> = found.iter().map(|standing| standing.runs.len()).collect();
        assert_eq!(runs, [2, 1]);
        assert_eq!((found[0].runs[0].tv2, found[0].runs[0].cpu_s), (0.0, None));
        assert!((found[1].runs[0].tv2 - 1.0 / 3.0).abs() < 1e-12);
        assert!(
            private_text(&found).contains("| 2 | theirs | 0.0833 | 0.3333 | 0.7500 |"),
            "{}",
            private_text(&found)
        );
    }

    #[test]
    fn methods_run_at_every_budget_and_errors_fall() {
        let text = format!("a,b,c\n{}", "x,x,x\nx,x,y\ny,y,x\ny,y,z\nx,y,z\n".repeat(60));
        let table = read(&text);
        let schema = declared(table.schema()).unwrap();
        let methods: Vec<String> = private_methods(&schema).into_iter().map(str::to_owned).collect();
        assert!(methods.len() >= 3, "{methods:?}");
        let some = &methods[..1];
        let found = private_tournament(&table, some, &[0.05, 50.0], Some(1e-6), 2, &|_| ()).unwrap();
        let tv2 = |at: usize| found[at].summary(|score| Some(score.tv2)).unwrap().0;
        assert!(found.iter().all(|standing| standing.runs.len() == 2) && tv2(1) < tv2(0), "{found:?}");
        assert!(private_text(&found).starts_with("| ε | method | TV1 |"));
    }
}
