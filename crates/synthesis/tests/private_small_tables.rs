//! Which private method a small table gets, against the others: the five grouped variables of SD2011 (5,000 records, 3,000 cells).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeSet;

use synthesis::private::PrivacySettings;
use synthesis::{Recipe, Run, fit, registry};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Attributes, CodedTable, CountSource, Domain, Table};

/// The first five variables, under a declared schema.
fn five(text: &str) -> Table {
    let row = |line: &str| -> Vec<String> {
        line.trim_matches('"').split("\",\"").take(5).map(str::to_owned).collect()
    };
    let rows: Vec<Vec<String>> = text.lines().map(row).collect();
    let quoted = |values: &mut dyn Iterator<Item = &String>| {
        values.map(|value| format!("\"{value}\"")).collect::<Vec<_>>().join(",")
    };
    let csv: String = rows.iter().map(|row| quoted(&mut row.iter()) + "\n").collect();
    let mut schema = "[table]\ndeclared = true\nreason = \"printed on the form\"\n".to_owned();
    for (at, name) in rows[0].iter().enumerate() {
        let levels: BTreeSet<&String> = rows[1..].iter().map(|row| &row[at]).collect();
        let levels = quoted(&mut levels.into_iter());
        schema += &format!("[variables.{name}]\nkind = \"categorical\"\nlevels = [{levels}]\n");
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&csv, &options).unwrap()
}

fn pairs(table: &Table, domain: &Domain) -> Vec<Vec<f64>> {
    let coded = CodedTable::in_domain(table, domain).unwrap();
    let margins = coded.margins(&Attributes::combinations(domain, 2)).unwrap();
    let records = table.rows() as f64;
    margins
        .iter()
        .map(|margin| margin.counts().iter().map(|count| *count as f64 / records).collect())
        .collect()
}

/// Mean total variation of pairs over three runs: at ε = 1 and 10, purely and with a δ, nobody's choice is more than 3 % nearer than the usual one. (Measured over six runs: 0.022 and 0.0027, drawn 0.033 and 0.026, `pairwise` 0.032 and 0.0048.)
#[test]
fn the_usual_method_of_a_small_table_is_the_nearest() {
    let Some(path) = shared_data::find("data/sd2011_s7.csv") else { return };
    let original = five(&std::fs::read_to_string(path).unwrap());
    let schema = original.schema().clone().reviewed().unwrap();
    let domain = Domain::declared(&schema, 5).unwrap();
    let truth = pairs(&original, &domain);
    let error = |recipe: &Recipe| {
        let of = |seed: u64| {
            let made = fit(&original, recipe, &Run::replayed(seed)).unwrap().table(0).unwrap();
            let distance = |(one, other): (&Vec<f64>, &Vec<f64>)| {
                0.5 * one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f64>()
            };
            truth.iter().zip(&pairs(&made, &domain)).map(distance).sum::<f64>() / truth.len() as f64
        };
        (0..3).map(of).sum::<f64>() / 3.0
    };
    for (epsilon, delta) in [(1.0, None), (10.0, Some(1e-9))] {
        let privacy =
            PrivacySettings { epsilon: Some(epsilon), delta, records: Some(5_000), ..Default::default() };
        let by = |method: &str| Recipe { privacy: Some(privacy.clone()), ..Recipe::new(method) };
        let usual = registry::usual_private_recipe(Some(&schema), &by("pairwise"));
        let (usual, drawn, pairwise) = (error(&usual), error(&by("ipf")), error(&by("pairwise")));
        assert!(usual < 1.03 * drawn.min(pairwise), "{epsilon}: {usual}, {drawn} and {pairwise}");
    }
}
