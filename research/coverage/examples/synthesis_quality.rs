//! How good and how safe syntheses of a table are under several settings, seed by seed: the means of S_pMSE over all tables of two and of three
//! variables, the AUC of a tree, DiSCO (mean over all other variables as targets) and replicated uniques by the keys that KEYS names, copies of unique records in per cent.
//!
//! ```text
//! cargo run --release -p lookalike-papers --example synthesis_quality -- FILE ROWS SEEDS [SETTINGS …]
//! ```
//!
//! ROWS records are taken at even distances from the file (0: all); where it has twice as many, records between them are measured as `fresh`: what a sample of the same population scores.
//! SETTINGS are options of `sequential` with commas between them, `default` for none, `method:NAME` first for another method. Numbers for which −8 means "not applicable" are declared if they are those of SD2011.

use measures::risk::attribute::{Attribute, names::DISCO};
use measures::risk::uniques::{Uniques, unique_records};
use measures::utility::propensity::{Propensity, names::CART_AUC};
use measures::utility::tables::{TableOptions, all_tables};
use measures::{Comparison, Finding, Settings, SyntheticSets, evaluate};
use rayon::prelude::*;
use synthesis::{Recipe, Run, fit};
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Numbers of SD2011 for which −8 means "not applicable".
const NOT_APPLICABLE: &[&str] = &["income", "nofriend", "nociga", "wkabdur", "unempdur"];

fn original(path: &str) -> Result<Table, Failure> {
    let path = std::path::Path::new(path);
    let plain = read_table(path, &ReadOptions::default())?;
    if plain.schema().position_of("wkabdur").is_err() {
        return Ok(plain);
    }
    let mut schema = plain.schema().to_toml();
    for name in NOT_APPLICABLE {
        let section = format!("[variables.{name}]\n");
        schema = schema.replace(&section, &format!("{section}codes = {{ -8 = \"not applicable\" }}\n"));
    }
    let schema = Some(SchemaFile::parse(&schema)?);
    Ok(read_table(path, &ReadOptions { schema, ..ReadOptions::default() })?)
}

fn mean_s_pmse(comparison: &Comparison<'_>, ways: usize) -> Result<f64, Failure> {
    let tables = all_tables(comparison, ways, &TableOptions::default())?;
    let values: Vec<f64> = tables.iter().filter_map(|table| table.s_pmse().ok()).collect();
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

fn mean_of(findings: &[Finding], name: &str) -> f64 {
    let values: Vec<f64> = findings
        .iter()
        .filter(|finding| finding.measure == name)
        .filter_map(|finding| finding.value)
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Two-way, three-way, AUC, DiSCO, replicated uniques, copies.
fn measure(original: &Table, synthetic: &Table, prepared: &Settings) -> Result<Vec<f64>, Failure> {
    let comparison = Comparison { original, synthetic, holdout: None };
    let sets = SyntheticSets { original, synthetic: &[synthetic], holdout: None };
    let findings = evaluate(&sets, &[&Propensity, &Attribute, &Uniques], prepared)?;
    let keys = prepared.keys.first().cloned().unwrap_or_default();
    let uniques = unique_records(&comparison, &keys)?;
    Ok(vec![
        mean_s_pmse(&comparison, 2)?,
        mean_s_pmse(&comparison, 3)?,
        mean_of(&findings, CART_AUC),
        mean_of(&findings, DISCO),
        uniques.ru().unwrap_or(f64::NAN),
        mean_of(&findings, "uniques.copies"),
    ])
}

fn recipe(text: &str, seed: u64) -> Result<Recipe, Failure> {
    let mut options: Vec<&str> = text.split(',').filter(|option| *option != "default").collect();
    let method = options.first().and_then(|first| first.strip_prefix("method:")).unwrap_or("sequential");
    if text.starts_with("method:") {
        options.remove(0);
    }
    let mut recipe = Recipe { seed: Some(seed), ..Recipe::new(method) };
    for option in options {
        recipe.set(option)?;
    }
    Ok(recipe)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, rows, seeds, settings @ ..] = &arguments[..] else {
        return Err("FILE ROWS SEEDS [SETTINGS …]".into());
    };
    let all = original(path)?;
    let rows: usize = rows.parse()?;
    let take = |first: usize, step: usize, rows: usize| -> Result<Table, Failure> {
        let places: Vec<u32> = (0..rows).map(|row| (first + row * step) as u32).collect();
        Ok(all.take(&places)?)
    };
    let rows = if rows == 0 { all.rows() } else { rows.min(all.rows()) };
    let step = all.rows() / rows;
    let original = take(0, step, rows)?;
    let keys = std::env::var("KEYS").ok();
    let keys = keys.map(|names| names.split(',').map(str::to_owned).collect::<Vec<String>>());
    let prepared = Settings { keys: keys.into_iter().collect(), ..Settings::default() };
    println!("settings\tseed\tS2\tS3\tAUC\tDiSCO\trepU\tcopies");
    let show = |label: &str, seed: u64, values: &[f64]| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.4}")).collect();
        println!("{label}\t{seed}\t{}", values.join("\t"));
    };
    if step >= 2 {
        for other in 1..step.min(4) {
            show("fresh", other as u64, &measure(&original, &take(other, step, rows)?, &prepared)?);
        }
    }
    let seeds: u64 = seeds.parse()?;
    let runs: Vec<(&String, u64)> =
        settings.iter().flat_map(|text| (1..=seeds).map(move |seed| (text, seed))).collect();
    let found = runs.par_iter().map(|(text, seed)| -> Result<Vec<f64>, Failure> {
        let synthetic = fit(&original, &recipe(text, *seed)?, &Run::default())?.table(0)?;
        let values = measure(&original, &synthetic, &prepared)?;
        show(text, *seed, &values);
        Ok(values)
    });
    let found = found.collect::<Result<Vec<_>, _>>()?;
    println!();
    for (text, of_text) in settings.iter().zip(found.chunks(seeds.max(1) as usize)) {
        let n = of_text.len() as f64;
        let mean = |at: usize| of_text.iter().map(|values| values[at]).sum::<f64>() / n;
        let line: Vec<String> = (0..of_text[0].len())
            .map(|at| {
                let squares: f64 = of_text.iter().map(|values| (values[at] - mean(at)).powi(2)).sum();
                let error = (squares / f64::max(n - 1.0, 1.0) / n).sqrt();
                format!("{:.3} ({error:.3})", mean(at))
            })
            .collect();
        println!("{text}\tmean\t{}", line.join("\t"));
    }
    Ok(())
}
