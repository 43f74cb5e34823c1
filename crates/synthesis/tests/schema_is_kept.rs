//! Every record keeps its schema, in the corners too. Each test is a case that once went wrong, or could.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use synthesis::{Recipe, generate};
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::write::csv_text;
use table::{Column, Table};

fn read(schema: &str, text: &str) -> Table {
    read_csv_text(
        text,
        &ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() },
    )
    .unwrap()
}

fn synth(table: &Table, method: &str, settings: &[&str], rows: Option<u64>) -> Table {
    let mut recipe = Recipe { seed: Some(6), rows, ..Recipe::new(method) };
    settings.iter().for_each(|setting| recipe.set(setting).unwrap());
    let made = generate(table, &recipe).unwrap().tables.remove(0);
    // What a reader of the release would find, under the release's own schema.
    assert_eq!(read(&made.schema().to_toml(), &csv_text(&made)), made);
    made
}

fn integers(table: &Table, name: &str) -> Vec<i64> {
    let Column::Integer(numbers) = table.column(name).unwrap() else { panic!("integers") };
    numbers.values().collect()
}

#[test]
fn cuts_wider_than_the_range_do_not_widen_it() {
    let table = read(
        "[variables.a]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 50, 120, 150]\n",
        "a\n5\n70\n99\n",
    );
    let made = synth(&table, "catall", &["nprior=3"], Some(2_000));
    assert!(integers(&made, "a").iter().all(|value| (0..=99).contains(value)));
}

#[test]
fn quantiles_between_two_whole_numbers_leave_no_empty_class() {
    let text = "a\n1\n2\n3\n3\n4\n5\n6\n7\n";
    let table = read_csv_text(text, &ReadOptions::default()).unwrap();
    for (method, setting) in [("catall", "nprior=8"), ("ipf", "nprior=8"), ("saturated", "alpha=1")] {
        let made = synth(&table, method, &[setting], None);
        assert!(integers(&made, "a").iter().all(|value| (1..=7).contains(value)), "{method}");
    }
}

#[test]
fn a_stratum_may_come_out_empty() {
    let mut text = String::from("region,sex\n");
    (0..40).for_each(|row| text.push_str(&format!("big,{}\n", ["m", "f"][row % 2])));
    (0..12).for_each(|row| text.push_str(&format!("village{row},m\n")));
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let recipe = Recipe { seed: Some(1), strata: vec!["region".into()], ..Recipe::new("saturated") };
    assert!(generate(&table, &recipe).unwrap().tables[0].rows() > 0);
}

#[test]
fn a_rule_that_names_one_number_can_be_kept() {
    let schema = "[variables.age]\nkind = \"integer\"\nrange = [0, 80]\ncuts = [0, 16, 80]\n[variables.pay]\nkind = \"integer\"\nrange = [0, 5000]\n\
                  cuts = [0, 800, 5000]\n[variables.rate]\nkind = \"real\"\nrange = [0, 1]\ncuts = [0, 0.5, 1]\n\
                  [[rules]]\nwhen = \"age < 16\"\nthen = \"pay = 0 and rate = 0\"\n";
    let table = read(schema, "age,pay,rate\n5,0,0\n40,900,0.7\n10,0,0\n50,700,0.2\n");
    let made = synth(&table, "catall", &[], Some(3_000));
    assert!(
        integers(&made, "age").iter().zip(integers(&made, "pay")).all(|(age, pay)| *age >= 16 || pay == 0)
    );
}

#[test]
fn a_rule_that_leaves_a_sliver_of_a_class_can_be_kept() {
    let schema = "[variables.age]\nkind = \"integer\"\nrange = [0, 80]\ncuts = [0, 16, 80]\n[variables.pay]\nkind = \"integer\"\nrange = [0, 50000]\n\
                  cuts = [0, 40000, 50000]\n[[rules]]\nwhen = \"age < 16\"\nthen = \"pay < 2.5\"\n";
    let made = synth(&read(schema, "age,pay\n5,0\n40,900\n10,2\n50,700\n"), "catall", &[], Some(3_000));
    let of_children: Vec<i64> = integers(&made, "age")
        .iter()
        .zip(integers(&made, "pay"))
        .filter(|(age, _)| **age < 16)
        .map(|(_, pay)| pay)
        .collect();
    assert!(of_children.len() > 1_000 && of_children.iter().all(|pay| (0..=2).contains(pay)));
}

#[test]
fn a_number_drawn_within_a_class_is_never_a_special_code() {
    let schema = "[variables.age]\nkind = \"integer\"\ncuts = [0, 80, 110]\ncodes = { 99 = \"unknown\" }\nmissing = [\"98\"]\n";
    let table = read(schema, "age\n85\n105\n90\n40\n");
    let made = synth(&table, "catall", &[], Some(5_000));
    assert!(integers(&made, "age").iter().all(|age| ![98, 99].contains(age)));
    assert_eq!(integers(&made, "age").len(), 5_000);
}

#[test]
fn a_derived_whole_number_is_whole() {
    let schema = "[variables.yearly]\nkind = \"integer\"\nrange = [0, 120]\ncuts = [0, 60, 120]\n\
                  [variables.monthly]\nkind = \"integer\"\nrange = [0, 10]\nformula = \"yearly / 12\"\n";
    let made = synth(&read(schema, "yearly,monthly\n12,1\n60,5\n120,10\n"), "catall", &[], Some(500));
    assert!(
        integers(&made, "yearly")
            .iter()
            .zip(integers(&made, "monthly"))
            .all(|(yearly, monthly)| *yearly == 12 * monthly)
    );
}

#[test]
fn a_variable_in_no_margin_keeps_its_own() {
    let mut text = String::from("a,b,rare\n");
    (0..1_000).for_each(|row| {
        text.push_str(&format!("{},{},{}\n", row % 2, row % 3, if row == 7 { "yes" } else { "no" }))
    });
    let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
    let mut recipe = Recipe { seed: Some(1), rows: Some(20_000), ..Recipe::new("ipf") };
    recipe.set("margins=a:b").unwrap();
    let made = generate(&table, &recipe).unwrap();
    let Column::Categorical(rare) = made.tables[0].column("rare").unwrap() else { panic!("categorical") };
    // Poisson with mean 20: 60 is nine standard deviations away; uniform would be 10,000.
    assert!(rare.frequencies(2)[1] < 60);
    assert!(
        made.remarks.iter().any(|remark| remark.contains("kept by themselves: rare")),
        "{:?}",
        made.remarks
    );
}

#[test]
fn margins_of_a_variable_whose_name_begins_with_all() {
    let table = read_csv_text("allergy,all2\nx,p\ny,q\nx,q\n", &ReadOptions::default()).unwrap();
    synth(&table, "ipf", &["margins=allergy:all2"], None);
    synth(&table, "ipf", &["margins=all2"], None);
    let one = read_csv_text("a\nx\ny\n", &ReadOptions::default()).unwrap();
    synth(&one, "ipf", &[], None);
}

#[test]
fn more_records_than_a_file_takes_are_refused() {
    let table = read_csv_text("a\nx\ny\n", &ReadOptions::default()).unwrap();
    let recipe = Recipe { rows: Some(u64::MAX), ..Recipe::new("catall") };
    assert!(generate(&table, &recipe).map(|_| ()).unwrap_err().to_string().starts_with("option `rows`"));
}

#[test]
fn totals_of_the_population_are_not_raked_to_within_strata() {
    let table = read_csv_text("a,b\nx,p\ny,q\n", &ReadOptions::default()).unwrap();
    let mut recipe = Recipe { strata: vec!["a".into()], ..Recipe::new("ipf") };
    recipe.set("totals=totals.csv").unwrap();
    assert!(
        generate(&table, &recipe).map(|_| ()).unwrap_err().to_string().contains("option `strata`: `totals`")
    );
}

/// Forty pairs of variables, each with a rule of its own: more combinations than 128 bits count, group by group they are few.
#[test]
fn many_rules_about_different_variables_are_counted() {
    let names: Vec<String> = (0..80).map(|column| format!("v{column}")).collect();
    let levels = "levels = [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]";
    let mut schema: String =
        names.iter().map(|name| format!("[variables.{name}]\nkind = \"categorical\"\n{levels}\n")).collect();
    (0..40).for_each(|pair| {
        schema.push_str(&format!(
            "[[impossible]]\nwhere = \"v{} = '9' and v{} = '9'\"\n",
            2 * pair,
            2 * pair + 1
        ))
    });
    let row = |digit: usize| vec![(digit % 9).to_string(); 80].join(",");
    let table = read(&schema, &format!("{}\n{}\n{}\n", names.join(","), row(1), row(4)));
    let sizes = synthesis::cell_sizes(&table, 5).unwrap();
    assert_eq!((sizes[&1], sizes[&0]), (2, u64::MAX - 2));
    synth(&table, "catall", &["nprior=2"], Some(500));
}

#[test]
fn numbers_follow_the_declared_shape_and_step() {
    let with = |extra: &str| {
        let schema =
            format!("[variables.a]\nkind = \"integer\"\nrange = [0, 999]\ncuts = [0, 400, 999]\n{extra}");
        synth(&read(&schema, "a\n5\n10\n700\n"), "catall", &["nprior=3"], Some(3_000))
    };
    let mean_of_the_first_class = |table: &Table| {
        let values: Vec<i64> = integers(table, "a").into_iter().filter(|value| *value < 400).collect();
        values.iter().sum::<i64>() as f64 / values.len() as f64
    };
    // Means of a uniform and of a triangular density on [0, 400); four standard errors are below 15.
    assert!((mean_of_the_first_class(&with("")) - 199.5).abs() < 15.0);
    assert!((mean_of_the_first_class(&with("shape = \"decreasing\"\n")) - 132.8).abs() < 15.0);
    assert!((mean_of_the_first_class(&with("shape = \"increasing\"\n")) - 266.2).abs() < 15.0);
    let stepped = with("step = 50\n");
    let values = integers(&stepped, "a");
    assert!(values.iter().all(|value| value % 50 == 0));
    assert!(values.contains(&0) && values.contains(&350) && values.contains(&400) && values.contains(&950));
}
