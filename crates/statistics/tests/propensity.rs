//! The propensity score by a tree, beside that of synthpop 1.9-3 on rpart. The golden pairs lie beside the repository, not in it;
//! without them these tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::path::Path;

use statistics::trees::{Predictor, Response, Risk, Tree, TreeOptions};

/// Variables of `sd18_cart` for which -8 means "not applicable".
const WITH_CODE: [&str; 4] = ["income", "nofriend", "nociga", "wkabdur"];

struct Fields {
    names: Vec<String>,
    columns: Vec<Vec<String>>,
}

/// The original file with the synthetic one below it.
fn stacked(folder: &Path) -> (Fields, usize) {
    let mut fields = Fields { names: Vec::new(), columns: Vec::new() };
    let mut original = 0;
    for file in ["original.csv", "synthetic.csv"] {
        let mut reader = csv::Reader::from_path(folder.join(file)).unwrap();
        fields.names = reader.headers().unwrap().iter().map(str::to_owned).collect();
        fields.columns.resize(fields.names.len(), Vec::new());
        original = fields.columns[0].len();
        for record in reader.records() {
            let record = record.unwrap();
            fields
                .columns
                .iter_mut()
                .zip(record.iter())
                .for_each(|(column, field)| column.push(field.to_owned()));
        }
    }
    (fields, original)
}

/// Columns coded as synthpop does: a missing value or special code of a number is zero, and a column of its own says so.
fn predictors(fields: &Fields) -> Vec<Predictor> {
    let mut predictors = Vec::new();
    for (name, column) in fields.names.iter().zip(&fields.columns) {
        if column.iter().all(|field| field.is_empty() || field.parse::<f64>().is_ok()) {
            let mark = |field: &String| match field.as_str() {
                "" => 1u8,
                "-8" if WITH_CODE.contains(&name.as_str()) => 2,
                _ => 0,
            };
            let marks: Vec<u8> = column.iter().map(mark).collect();
            let value = |(field, mark): (&String, &u8)| if *mark == 0 { field.parse().unwrap() } else { 0.0 };
            let values: Vec<f64> = column.iter().zip(&marks).map(value).collect();
            predictors.push(Predictor::numeric(&values, None).unwrap());
            for mark in 1..=2 {
                let column: Vec<u32> = marks.iter().map(|own| u32::from(*own == mark)).collect();
                predictors.push(Predictor::categorical(&column, 2).unwrap());
            }
        } else {
            let mut levels = column.clone();
            levels.sort();
            levels.dedup();
            let codes: Vec<u32> =
                column.iter().map(|field| levels.binary_search(field).unwrap() as u32).collect();
            predictors.push(Predictor::categorical(&codes, levels.len() as u32).unwrap());
        }
    }
    predictors
}

/// pMSE and leaves of the tree that tells synthetic records from original ones.
fn propensity(name: &str) -> Option<(f64, usize)> {
    let (fields, original) = stacked(&shared_data::find(&format!("golden/{name}"))?);
    let predictors = predictors(&fields);
    let predictors: Vec<&Predictor> = predictors.iter().collect();
    let records = fields.columns[0].len();
    let synthetic: Vec<u32> = (0..records).map(|row| u32::from(row >= original)).collect();
    let options = TreeOptions { complexity: 1e-3, risk: Risk::Misclassification, ..TreeOptions::default() };
    let tree =
        Tree::fit(&predictors, &Response::Classes { codes: &synthetic, levels: 2 }, None, &options).unwrap();
    let share = (records - original) as f64 / records as f64;
    let leaves = tree.route(&predictors, 0..records).unwrap();
    let squares = leaves.iter().map(|leaf| (tree.share(*leaf, 1).unwrap() - share).powi(2));
    Some((squares.sum::<f64>() / records as f64, tree.leaves()))
}

#[test]
fn propensity_is_that_of_rpart() {
    for (name, pmse, leaves) in [("sd18_cart", 0.0178965888571, 98), ("s7_catall", 0.00215746814834, 33)] {
        let Some((found, grown)) = propensity(name) else { continue };
        assert!((found / pmse - 1.0).abs() < 1e-11, "{name}: {found}");
        assert_eq!(grown, leaves, "{name}");
    }
}
