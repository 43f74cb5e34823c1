//! Sequential synthesis: known truths are recovered, what a recipe says is done, what it cannot say is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use synthesis::{Recipe, generate};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

mod recipes;
mod refusals;
mod trees;
mod truths;

fn read(schema: &str, text: &str) -> Table {
    let schema = (!schema.is_empty()).then(|| SchemaFile::parse(schema).unwrap());
    read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
}

fn recipe(text: &str) -> Recipe {
    Recipe { seed: Some(5), ..Recipe::parse(&format!("method = \"sequential\"\n{text}")).unwrap() }
}

fn synth(table: &Table, text: &str) -> Table {
    let made = generate(table, &recipe(text)).unwrap().tables.remove(0);
    assert!(made.violations().unwrap().is_empty());
    made
}

fn refusal(table: &Table, text: &str) -> String {
    generate(table, &recipe(text)).map(|_| ()).unwrap_err().to_string()
}

fn numbers(table: &Table, name: &str) -> Vec<Option<f64>> {
    let column = table.column(name).unwrap();
    let number = |row| match column.number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    };
    (0..table.rows()).map(number).collect()
}

fn values(table: &Table, name: &str) -> Vec<f64> {
    numbers(table, name).into_iter().map(Option::unwrap).collect()
}

fn codes(table: &Table, name: &str) -> Vec<u32> {
    let Column::Categorical(codes) = table.column(name).unwrap() else { panic!("categorical") };
    codes.iter().collect()
}

fn rng(seed: u64) -> ChaCha12Rng {
    ChaCha12Rng::seed_from_u64(seed)
}

/// Whether a share of `of` records is within five standard errors of both samples of a truth: an error rate of 6e-7.
#[track_caller]
fn assert_share(count: usize, of: usize, originals: usize, truth: f64, what: &str) {
    let share = count as f64 / of as f64;
    let error = (truth * (1.0 - truth) * (1.0 / of as f64 + 1.0 / originals as f64)).sqrt();
    assert!((share - truth).abs() < 5.0 * error + 1e-12, "{what}: {share} is not {truth} within {error}");
}

/// Households in areas within regions, with a rule, a special code, a date and a formula.
fn households(rows: usize) -> Table {
    let mut rng = rng(5);
    let mut text = String::from("id,region,area,adults,children,size,income,married,day\n");
    for row in 0..rows {
        let region = rng.random_range(0..3);
        let area = 3 * region + rng.random_range(0..3);
        let adults = rng.random_range(1..=3);
        let children: i32 = rng.random_range(0..=3);
        let income = match rng.random_range(0..10) {
            0 => "-8".to_owned(),
            1 => String::new(),
            _ => format!("{}", 100 * (region + 1) + rng.random_range(0..100)),
        };
        let married = adults > 1 && rng.random_bool(0.7);
        let day = if married {
            format!("19{:02}-05-{:02}", rng.random_range(50..99), rng.random_range(1..29))
        } else {
            String::new()
        };
        let size = adults + children;
        writeln!(
            text,
            "h{row},r{region},a{area},{adults},{children},{size},{income},{},{day}",
            if married { "yes" } else { "no" }
        )
        .unwrap();
    }
    let schema = "[variables.id]\nkind = \"text-id\"\n[variables.region]\nkind = \"categorical\"\n[variables.area]\nkind = \"categorical\"\nwithin = \"region\"\n[variables.adults]\nkind = \"integer\"\n\
        [variables.children]\nkind = \"integer\"\n[variables.size]\nkind = \"integer\"\nformula = \"adults + children\"\n\
        [variables.income]\nkind = \"integer\"\nmissing = true\ncodes = { -8 = \"refused\" }\n[variables.married]\nkind = \"categorical\"\n[variables.day]\nkind = \"date\"\nmissing = true\n\
        [[rules]]\nwhen = \"married = 'no'\"\nthen = \"day is missing\"\n[[rules]]\nwhen = \"married = 'yes'\"\nthen = \"day is not missing\"\n\
        [[impossible]]\nwhere = \"adults = 1 and married = 'yes'\"\n";
    read(schema, &text)
}
