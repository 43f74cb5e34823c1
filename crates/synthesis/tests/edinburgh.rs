//! The eight entries of the Synthetic Data Challenge (Taub et al. 2020) as recipes, on every tenth household of its file.
//!
//! Needs ../shared/data/edinburgh1901.csv.gz, and says so where it is absent. `lookalike reproduce taub2020` runs them on the whole file.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use synthesis::{Recipe, generate};
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::{Column, Table};

fn recipes() -> PathBuf {
    shared_data::checkout().join("research/papers/recipes")
}

fn households() -> Option<Table> {
    let path = shared_data::find("data/edinburgh1901.csv.gz")?;
    let schema = SchemaFile::read(&recipes().join("edinburgh1901.schema.toml")).unwrap();
    let table = read_table(&path, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (82_851, 24));
    let tenth: Vec<u32> = (0..82_851).step_by(10).collect();
    Some(table.take(&tenth).unwrap())
}

fn pairs(table: &Table, child: &str, parent: &str) -> BTreeSet<(u32, u32)> {
    let codes = |name: &str| match table.column(name).unwrap() {
        Column::Categorical(codes) => codes.iter().collect::<Vec<u32>>(),
        _ => panic!("categorical"),
    };
    codes(parent).into_iter().zip(codes(child)).collect()
}

#[test]
fn every_entry_runs_and_keeps_what_is_computed_and_nested() {
    let Some(original) = households() else { return };
    for name in ["charest", "raab", "snoke", "pistner", "chen1", "chen2", "chen3", "chen4"] {
        let recipe = Recipe::read(&recipes().join(format!("{name}.recipe.toml"))).unwrap();
        let made = generate(&original, &Recipe { seed: Some(1), ..recipe }).unwrap().tables.remove(0);
        assert_eq!(made.rows(), original.rows(), "{name}");
        assert!(
            made.violations().unwrap().is_empty(),
            "{name}: formulas, ranges and nesting hold on every row"
        );
        for (child, parent) in [("enum_dist", "parish"), ("occlab3", "occlab2")] {
            let (found, known) = (pairs(&made, child, parent), pairs(&original, child, parent));
            assert!(
                found.is_subset(&known),
                "{name}: every {child} lies in a {parent} where it does in the data"
            );
        }
        if ["charest", "raab", "snoke", "pistner"].contains(&name) {
            assert!(
                pairs(&made, "occlab2", "occlab1").is_subset(&pairs(&original, "occlab2", "occlab1")),
                "{name}"
            );
        }
    }
}
