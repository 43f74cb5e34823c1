//! Classical methods do what their papers say: what they keep, what they change, what they promise.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeMap;

use synthesis::{Making, Recipe, generate};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

fn town(people: usize) -> Table {
    let town = town::Town::new(people, 11);
    let schema = SchemaFile::parse(&town.schema()).unwrap();
    read_csv_text(&town.csv(), &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap()
}

fn made(table: &Table, method: &str, options: &[&str]) -> Table {
    let mut recipe = Recipe { seed: Some(8), ..Recipe::new(method) };
    options.iter().for_each(|option| recipe.set(option).unwrap());
    generate(table, &recipe).unwrap().tables.remove(0)
}

fn codes(table: &Table, name: &str) -> Vec<u32> {
    let Column::Categorical(codes) = table.column(name).unwrap() else { panic!("{name} is categorical") };
    codes.iter().collect()
}

fn counts(table: &Table, names: &[&str]) -> BTreeMap<Vec<u32>, usize> {
    let columns: Vec<Vec<u32>> = names.iter().map(|name| codes(table, name)).collect();
    let mut counts = BTreeMap::new();
    for row in 0..table.rows() {
        *counts.entry(columns.iter().map(|column| column[row]).collect()).or_insert(0) += 1;
    }
    counts
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    let column = table.column(name).unwrap();
    (0..table.rows())
        .filter_map(|row| match column.number(row) {
            Some(table::column::Entry::Value(value)) => Some(value),
            _ => None,
        })
        .collect()
}

#[test]
fn swapping_keeps_tables_of_either_side_and_of_what_partners_agree_on() {
    let people = town(4_000);
    let swapped = made(&people, "swapping", &["variables=district", "match=sex", "rate=0.5"]);
    for kept in [vec!["district"], vec!["sex", "marital"], vec!["district", "sex"]] {
        assert_eq!(counts(&swapped, &kept), counts(&people, &kept), "{kept:?}");
    }
    assert_ne!(counts(&swapped, &["district", "marital"]), counts(&people, &["district", "marital"]));
    let untouched = made(&people, "swapping", &["variables=district", "rate=0"]);
    assert_eq!(counts(&untouched, &["district", "marital"]), counts(&people, &["district", "marital"]));
}

#[test]
fn records_at_risk_are_swapped_first() {
    // Ten places of 100 records each, all alike, but one record of its own kind in each.
    let mut text = String::from("place,kind\n");
    for place in 0..10 {
        for person in 0..100 {
            let kind = if person == 0 { format!("own{place}") } else { "common".into() };
            text.push_str(&format!("p{place},{kind}\n"));
        }
    }
    let listed = |stem: &str| (0..10).map(|at| format!("\"{stem}{at}\"")).collect::<Vec<_>>().join(", ");
    let schema = format!(
        "[table]\ndeclared = true\nreason = \"invented\"\n[variables.place]\nkind = \"categorical\"\nlevels = [{}]\n\
         [variables.kind]\nkind = \"categorical\"\nlevels = [\"common\", {}]\n",
        listed("p"),
        listed("own")
    );
    let schema = SchemaFile::parse(&schema).unwrap();
    let table =
        read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap();
    let swapped = made(&table, "swapping", &["variables=place", "rate=0.02"]);
    let stayed = codes(&swapped, "place")
        .into_iter()
        .zip(codes(&swapped, "kind"))
        .filter(|(place, kind)| *kind > 0 && *kind == place + 1)
        .count();
    assert_eq!(stayed, 0, "ten pairs are exchanged, and the ten records of their own kind are the first");
}

#[test]
fn post_randomisation_keeps_one_way_tables_on_average() {
    let names = ["sex", "marital", "district"];
    let people = town(20_000).select(&names).unwrap();
    let changed = made(&people, "pram", &["change=0.5"]);
    for name in names {
        let (before, after) = (counts(&people, &[name]), counts(&changed, &[name]));
        for (level, count) in &before {
            let share = *count as f64 / 20_000.0;
            // Those that leave and those that come are binomial, each with variance below n p (1 - p)/2: five standard deviations, an error rate of
            // 6e-7 a level.
            let allowed = 5.0 * (20_000.0 * share * (1.0 - share)).sqrt();
            let other = after.get(level).copied().unwrap_or(0) as f64;
            assert!((other - *count as f64).abs() < allowed, "{name} {level:?}: {count} and {other}");
        }
    }
    assert_ne!(counts(&changed, &names), counts(&people, &names));
}

#[test]
fn microaggregation_leaves_no_number_to_fewer_than_k_records_and_keeps_means() {
    let mut text = String::from("x,y\n");
    // Most numbers of y are those of one record, so that they are drawn near before they are averaged.
    (0..1_000).for_each(|row| {
        text.push_str(&format!("{},{}\n", (row * 37) % 409, if row % 9 == 0 { 0 } else { 3 * row }))
    });
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let averaged = made(&table, "microaggregation", &["k=5"]);
    let (x, y) = (numbers(&averaged, "x"), numbers(&averaged, "y"));
    let mut groups: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    x.iter().zip(&y).for_each(|(x, y)| *groups.entry((x.to_bits(), y.to_bits())).or_insert(0) += 1);
    assert!(groups.values().all(|size| *size >= 5));
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    // Means of groups are rounded to whole numbers.
    assert!((mean(&x) - mean(&numbers(&table, "x"))).abs() < 0.5);
    // Numbers near others keep their mean to within a few ranks in a thousand.
    assert!((mean(&y) - mean(&numbers(&table, "y"))).abs() < 5.0);
}

#[test]
fn suppression_makes_every_combination_of_keys_belong_to_k_records() {
    let people = town(3_000);
    let keys = ["sex", "district", "marital", "occ1"];
    for k in [2, 3, 10] {
        let anonymous = made(&people, "suppression", &["keys=sex,district,marital,occ1", &format!("k={k}")]);
        let cells = counts(&anonymous, &keys);
        assert!(cells.values().all(|size| *size >= k), "k = {k}: {:?}", cells.values().min());
        assert_eq!(anonymous.rows(), people.rows());
        assert!(anonymous.violations().unwrap().is_empty());
        let lost: u64 =
            keys.iter().map(|name| anonymous.missing(anonymous.schema().position_of(name).unwrap())).sum();
        assert!(lost > 0 && lost < 3_000, "some values are lost, and most are kept: {lost}");
    }
}

#[test]
fn coded_extremes_keep_the_total() {
    let mut text = String::from("income\n");
    (1..=1_000).for_each(|rank| text.push_str(&format!("{}\n", 1_000_000 / rank)));
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let coded = made(&table, "topcoding", &["top=0.05", "bottom=0", "smoothing=none"]);
    let (before, after) = (numbers(&table, "income"), numbers(&coded, "income"));
    let (total, other) = (before.iter().sum::<f64>(), after.iter().sum::<f64>());
    // Means are rounded to whole numbers.
    assert!((total - other).abs() <= 50.0, "{total} {other}");
    assert!(after.iter().copied().fold(0.0, f64::max) < 0.2 * before.iter().copied().fold(0.0, f64::max));
}

#[test]
fn perturbed_counts_are_the_same_in_every_data_set() {
    let people = town(2_000).select(&["sex", "marital", "district"]).unwrap();
    for method in ["rounding", "cellkey"] {
        let made = generate(&people, &Recipe { seed: Some(1), m: 2, ..Recipe::new(method) }).unwrap();
        let names = ["sex", "marital", "district"];
        let [first, second] = [0, 1].map(|at: usize| counts(&made.tables[at], &names));
        assert_eq!(first, second, "{method}: noise does not average out");
        assert_ne!(first, counts(&people, &names), "{method}");
        assert!(first.values().all(|count| *count > 2), "{method}: small counts do not occur");
    }
}

#[test]
fn they_say_that_they_are_not_synthetic() {
    for method in ["swapping", "pram", "microaggregation", "topcoding", "suppression", "rounding", "cellkey"]
    {
        let recipe = Recipe::new(method);
        assert_eq!(recipe.records_card().unwrap().making, Making::Perturbed, "{method}");
        let remarks = generate(&town(300), &Recipe { seed: Some(1), ..recipe }).unwrap().remarks;
        assert!(remarks.iter().any(|remark| remark.contains("real units")), "{method}: {remarks:?}");
    }
    let people = town(200);
    let rows = Recipe { rows: Some(50), seed: Some(1), ..Recipe::new("pram") };
    let error = generate(&people, &rows).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("option `rows`") && error.contains("leave it out"), "{error}");
    let mut wrong = Recipe { seed: Some(1), ..Recipe::new("swapping") };
    wrong.set("variables=distric").unwrap();
    let error = generate(&people, &wrong).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("did you mean `district`?"), "{error}");
}
