//! Utility and CPU seconds of sequential synthesis, as JSON lines.
//!
//! measure_sequential sd2011-18 [RUNS]     the 18 variables of the golden pair, default order: mean two- and three-way S_pMSE, seconds
//! measure_sequential sd2011 [RUNS]        all 35 variables
//! measure_sequential adult [RUNS]         the Adult file
//!                                         NAME=VALUE after RUNS sets options of the method
//! measure_sequential worst sd2011|adult   the two-way tables that fit worst, over three runs
//! measure_sequential scale ROWS           ROWS records drawn from a model of SD2011-18: seconds and peak memory
//! measure_sequential recipe FILE DATA SCHEMA      one run of a recipe file
//!
//! The files are those of ../shared beside the checkout.

use std::path::{Path, PathBuf};

use measures::Comparison;
use measures::utility::tables::{TableOptions, all_tables};
use synthesis::{Recipe, fit};
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

/// Numbers for which -8 means "not applicable".
const WITH_CODE: [&str; 5] = ["income", "nofriend", "nociga", "wkabdur", "unempdur"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runs = |at: usize| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(10);
    let set = arguments.get(2..).unwrap_or_default();
    match arguments[..] {
        ["sd2011-18", ..] => {
            utility("sd2011-18", &sd2011(&shared("golden/sd18_cart/original.csv"))?, runs(1), set)
        }
        ["sd2011", ..] => utility("sd2011", &sd2011(&shared("data/sd2011.csv"))?, runs(1), set),
        ["adult", ..] => utility(
            "adult",
            &read_table(&shared("data/adult.csv.gz"), &ReadOptions::default())?,
            runs(1),
            set,
        ),
        ["worst", "adult"] => worst(&read_table(&shared("data/adult.csv.gz"), &ReadOptions::default())?),
        ["worst", _] => worst(&sd2011(&shared("data/sd2011.csv"))?),
        ["scale", rows] => scale(rows.parse()?),
        ["recipe", recipe, data, schema] => run(recipe, data, schema),
        _ => Err("see the head of this file".into()),
    }
}

fn shared(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(file)
}

/// SD2011 with its special code declared, and nothing else said.
fn sd2011(path: &Path) -> Result<Table, Box<dyn std::error::Error>> {
    let learned = read_table(path, &ReadOptions::default())?;
    let mut schema = learned.schema().to_toml();
    for name in WITH_CODE {
        let section = format!("[variables.{name}]\n");
        schema = schema.replace(&section, &format!("{section}codes = {{ -8 = \"not applicable\" }}\n"));
    }
    let schema = SchemaFile::parse(&schema)?;
    Ok(read_table(path, &ReadOptions { schema: Some(schema), ..ReadOptions::default() })?)
}

fn utility(what: &str, original: &Table, runs: u64, set: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let mut recipe = Recipe::new("sequential");
    set.iter().try_for_each(|assignment| recipe.set(assignment))?;
    let mut sums = [0.0; 3];
    for seed in 0..runs {
        let before = process_cpu_seconds();
        let fitted = fit(original, &Recipe { seed: Some(seed), ..recipe.clone() })?;
        let synthetic = fitted.table(0)?;
        sums[0] += process_cpu_seconds() - before;
        let comparison = Comparison { original, synthetic: &synthetic, holdout: None };
        sums[1] += mean_s_pmse(&comparison, 2)?;
        sums[2] += mean_s_pmse(&comparison, 3)?;
    }
    let [seconds, two_way, three_way] = sums.map(|sum| sum / runs as f64);
    let (rows, columns) = (original.rows(), original.columns().len());
    println!(
        "{{\"case\": \"{what} {}\", \"rows\": {rows}, \"columns\": {columns}, \"runs\": {runs}, \"cpu_s\": {seconds:.4}, \
         \"two_way\": {two_way:.4}, \"three_way\": {three_way:.4}}}",
        set.join(" ")
    );
    Ok(())
}

fn mean_s_pmse(comparison: &Comparison<'_>, ways: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let tables = all_tables(comparison, ways, &TableOptions::default())?;
    let values: Vec<f64> = tables.iter().filter_map(|table| table.s_pmse().ok()).collect();
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

/// The two-way tables of the largest mean S_pMSE.
fn worst(original: &Table) -> Result<(), Box<dyn std::error::Error>> {
    let mut sums: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
    for seed in 0..3 {
        let synthetic = fit(original, &Recipe { seed: Some(seed), ..Recipe::new("sequential") })?.table(0)?;
        let comparison = Comparison { original, synthetic: &synthetic, holdout: None };
        for table in all_tables(&comparison, 2, &TableOptions::default())? {
            *sums.entry(table.on.join(" x ")).or_default() += table.s_pmse().unwrap_or(0.0) / 3.0;
        }
    }
    let mut worst: Vec<(String, f64)> = sums.into_iter().collect();
    worst.sort_by(|left, right| right.1.total_cmp(&left.1));
    worst.iter().take(30).for_each(|(on, value)| println!("{{\"on\": \"{on}\", \"s_pmse\": {value:.3}}}"));
    Ok(())
}

/// As many records as wanted, drawn from a model of SD2011-18 with smooth numbers: nearly all of them differ.
fn scale(rows: u64) -> Result<(), Box<dyn std::error::Error>> {
    let original = sd2011(&shared("golden/sd18_cart/original.csv"))?;
    let mut recipe = Recipe { seed: Some(7), rows: Some(rows), ..Recipe::new("sequential") };
    recipe.set("smoothing=spline")?;
    let table = fit(&original, &recipe)?.table(0)?;
    drop(original);
    let before = process_cpu_seconds();
    let fitted = fit(&table, &Recipe { seed: Some(1), ..Recipe::new("sequential") })?;
    let fitting = process_cpu_seconds() - before;
    let synthetic = fitted.table(0)?;
    let all = process_cpu_seconds() - before;
    println!(
        "{{\"case\": \"scale\", \"rows\": {rows}, \"fit_cpu_s\": {fitting:.3}, \"cpu_s\": {all:.3}, \"microseconds_a_row\": {:.3}, \
         \"peak_gb\": {:.3}, \"synthetic\": {}}}",
        1e6 * all / rows as f64,
        peak_bytes() / 1e9,
        synthetic.rows()
    );
    Ok(())
}

fn run(recipe: &str, data: &str, schema: &str) -> Result<(), Box<dyn std::error::Error>> {
    let schema = SchemaFile::read(Path::new(schema))?;
    let table = read_table(Path::new(data), &ReadOptions { schema: Some(schema), ..ReadOptions::default() })?;
    let recipe_name = recipe;
    let recipe = Recipe { seed: Some(1), ..Recipe::read(Path::new(recipe))? };
    let before = process_cpu_seconds();
    let fitted = fit(&table, &recipe)?;
    let fitting = process_cpu_seconds() - before;
    let synthetic = fitted.table(0)?;
    println!(
        "{{\"case\": \"{recipe_name}\", \"rows\": {}, \"fit_cpu_s\": {fitting:.2}, \"cpu_s\": {:.2}}}",
        synthetic.rows(),
        process_cpu_seconds() - before
    );
    Ok(())
}

/// From /proc/self/stat, in hundredths of a second.
fn process_cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    // The name is field 2 and the state field 3, which is no number; user and system time are fields 14 and 15.
    (fields.get(10).unwrap_or(&0.0) + fields.get(11).unwrap_or(&0.0)) / 100.0
}

/// The most memory that this process has held.
fn peak_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}
