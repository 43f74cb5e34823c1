//! What a private run does where a schema leaves open what it cannot say: units, bounds, levels and classes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use privacy::Mechanism;
use synthesis::private::{self, PrivacySettings};
use synthesis::{Recipe, Run, fit};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

/// Incomes of which a third are 0 and the rest log-normal, by town; two visits of every second person; a town of one person.
fn visits() -> String {
    let mut text = String::from("person,town,sex,rooms,income\n");
    for row in 0..4_000_u32 {
        let town = if row == 17 { "secret" } else { ["north", "south", "west"][row as usize % 3] };
        let share = (f64::from(row.wrapping_mul(2_654_435_761) >> 8) + 0.5) / f64::from(1 << 24);
        let normal = 4.91 * (share.powf(0.14) - (1.0 - share).powf(0.14));
        let shift = if town == "north" { 8.0 } else { 7.0 };
        let income = if row % 3 == 1 { 0.0 } else { (normal + shift).exp().min(60_000.0) };
        let person = if row % 4 == 0 { row + 2 } else { row };
        text +=
            &format!("p{person},{town},{},{},{income:.1}\n", ["F", "M"][row as usize / 5 % 2], 1 + row % 6);
    }
    text
}

fn read(table: &str, town: &str, income: &str) -> Table {
    let schema = format!(
        "[table]\ndeclared = true\nreason = \"invented\"\n{table}[variables.person]\nkind = \"text-id\"\n\
         [variables.town]\nkind = \"categorical\"\nlevels = {town}\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
         [variables.rooms]\nkind = \"integer\"\nrange = [1, 6]\n[variables.income]\nkind = \"real\"\n{income}\n"
    );
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&visits(), &options).unwrap()
}

const TOWNS: &str = "[\"north\", \"south\", \"west\", \"secret\", \"east\"]";

fn recipe(epsilon: f64, delta: Option<f64>) -> Recipe {
    Recipe {
        privacy: Some(PrivacySettings { epsilon: Some(epsilon), delta, ..Default::default() }),
        ..Recipe::new("ipf")
    }
}

fn incomes(table: &Table) -> Vec<f64> {
    let column = table.column("income").unwrap();
    (0..table.rows())
        .map(|row| if let Some(Entry::Value(value)) = column.number(row) { value } else { -1.0 })
        .collect()
}

/// Without cuts in the schema they are bought, planned beforehand and published; a value that a third of the records have is a class of its own, and whole numbers
/// with few values are classes each. Shares of a quarter of the numbers are within four points of their own at a fixed seed.
#[test]
fn a_number_without_cuts_is_cut_at_private_quantiles() {
    let table = read("", TOWNS, "range = [0, 60000]");
    let recipe = recipe(1.0, None);
    let fitted = fit(&table, &recipe, &Run::replayed(3)).unwrap();
    let income = fitted.schema().variable("income").unwrap();
    let cuts = income.cuts.as_ref().unwrap();
    assert_eq!(cuts[..2], [0.0, 0.0], "{cuts:?}");
    assert!(cuts.len() >= 6 && *cuts.last().unwrap() == 60_000.0 && !income.knots.is_empty(), "{cuts:?}");
    let rooms = fitted.schema().variable("rooms").unwrap().cuts.as_ref().unwrap();
    assert_eq!(rooms, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0]);
    let made = fitted.table(0).unwrap();
    let share = |values: &[f64], low: f64, high: f64| {
        values.iter().filter(|value| (low..=high).contains(*value)).count() as f64 / values.len() as f64
    };
    let (original, synthetic) = (incomes(&table), incomes(&made));
    for (low, high) in [(0.0, 0.0), (0.1, 800.0), (800.0, 2_500.0), (2_500.0, 60_000.0)] {
        let difference = share(&original, low, high) - share(&synthetic, low, high);
        assert!(difference.abs() < 0.04, "[{low}, {high}]: {difference}");
    }
    let ledger = fitted.ledger().unwrap();
    assert!(ledger.events.iter().any(|event| event.mechanism == Mechanism::ExponentialMechanism));
    assert!(fitted.remarks().iter().any(|remark| remark.contains("`income`") && remark.contains("paid")));
    let declared = private::declared(table.schema()).unwrap();
    let plan = private::plan(&declared, &recipe).unwrap();
    let planned: Vec<&str> =
        plan.questions.iter().map(|question| question.purpose.as_str()).take(5).collect();
    let spent: Vec<&str> = ledger.events.iter().map(|event| event.purpose.as_str()).take(5).collect();
    assert_eq!(planned, spent);
    assert!(plan.remarks.iter().any(|remark| remark.contains("`income`")));
}

#[test]
fn classes_of_equal_width_are_kept_where_they_are_asked_for() {
    let table = read("", TOWNS, "range = [0, 60000]\ncuts = \"equal\"");
    let fitted = fit(&table, &recipe(1.0, None), &Run::replayed(3)).unwrap();
    assert_eq!(fitted.schema().variable("income").unwrap().cuts, None);
    let events = &fitted.ledger().unwrap().events;
    assert!(events.iter().all(|event| event.mechanism != Mechanism::ExponentialMechanism));
}

/// Bounds and levels that are bought: the level of one record is not among them, and nothing outside the bounds is made.
#[test]
fn ranges_and_levels_are_bought_and_what_few_records_have_is_not_shown() {
    let table = read("", "\"private\"", "range = \"private\"");
    let fitted = fit(&table, &recipe(2.0, Some(1e-5)), &Run::replayed(5)).unwrap();
    let schema = fitted.schema();
    let levels: Vec<&str> = schema.variable("town").unwrap().kind.levels().unwrap().iter().collect();
    assert_eq!(levels, ["north", "south", "west", "(other)"]);
    let (low, high) = schema.variable("income").unwrap().declared_range().unwrap();
    assert!(low <= 500.0 && (2_000.0..=1e6).contains(&high), "{low} {high}");
    assert!(!schema.to_toml().contains("secret") && !schema.to_toml().contains("private"));
    assert!(incomes(&fitted.table(0).unwrap()).iter().all(|income| (low..=high).contains(income)));
    let ledger = fitted.ledger().unwrap();
    ledger.verify().unwrap();
    let spent = |text: &str| ledger.events.iter().any(|event| event.purpose.contains(text));
    assert!(spent("levels of town") && spent("lower bound of income") && spent("upper bound of income"));
}

#[test]
fn what_cannot_be_bought_is_refused_with_the_way_out() {
    let levels = read("", "\"private\"", "range = [0, 60000]");
    let error = fit(&levels, &recipe(1.0, None), &Run::replayed(1)).err().unwrap().to_string();
    assert!(error.contains("delta") && error.contains("list the levels"), "{error}");
    let open = Recipe { seed: Some(1), ..Recipe::new("catall") };
    let error = fit(&levels, &open, &Run::default()).err().unwrap().to_string();
    assert!(error.contains("`town`") && error.contains("budget"), "{error}");
    let neither = read("", TOWNS, "");
    let error = fit(&neither, &recipe(1.0, None), &Run::replayed(1)).err().unwrap().to_string();
    assert!(error.contains("`income`") && error.contains("range"), "{error}");
}

#[test]
fn units_are_refused_or_bounded_and_the_ledger_says_which() {
    let refused = read("unit_id = \"person\"\n", TOWNS, "range = [0, 60000]");
    let error = fit(&refused, &recipe(1.0, None), &Run::replayed(1)).err().unwrap().to_string();
    assert!(error.contains("`person`") && error.contains("max_rows_per_unit"), "{error}");
    let bounded = read("unit_id = \"person\"\nmax_rows_per_unit = 2\n", TOWNS, "range = [0, 60000]");
    let fitted = fit(&bounded, &recipe(1.0, None), &Run::replayed(1)).unwrap();
    let ledger = fitted.ledger().unwrap();
    assert_eq!((ledger.unit_id.as_deref(), ledger.records_per_unit), (Some("person"), 2));
    assert!(ledger.neighbours_sentence().contains("up to 2 records, by `person`"));
    for event in &ledger.events {
        if let privacy::Sensitivity::L1(value) | privacy::Sensitivity::LargestScore(value) = event.sensitivity
        {
            assert!(value % 2.0 == 0.0 && value >= 2.0, "{}", event.purpose);
        }
    }
    let plain = fit(&read("", TOWNS, "range = [0, 60000]"), &recipe(1.0, None), &Run::replayed(1)).unwrap();
    assert!(plain.ledger().unwrap().neighbours_sentence().contains("any one record"));
}

#[test]
fn a_schema_that_does_not_fit_its_unit_is_refused() {
    let finish = |text: &str| SchemaFile::parse(text).and_then(SchemaFile::finish).unwrap_err().to_string();
    let variables =
        "[variables.id]\nkind = \"text-id\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\"]\n";
    let wrong = [
        ("unit_id = \"idd\"", "`id`"),
        ("unit_id = \"sex\"", "text-id"),
        ("max_rows_per_unit = 2", "unit_id"),
        ("unit_id = \"id\"\nmax_rows_per_unit = 0", "at least 1"),
    ];
    for (table, wanted) in wrong {
        let error = finish(&format!("[table]\n{table}\n{variables}"));
        assert!(error.contains(wanted), "{table}: {error}");
    }
    let error = finish("[variables.x]\nkind = \"real\"\nrange = \"public\"\n");
    assert!(error.contains("range") && error.contains("private"), "{error}");
    let missing = format!(
        "[table]\nunit_id = \"id\"\n{}",
        variables.replace("\"text-id\"", "\"text-id\"\nmissing = true")
    );
    assert!(finish(&missing).contains("missing"));
}

/// A canary of three records under one identifier, with and without it: whatever is released, the number of records like it tells the two tables apart no better than ε
/// allows. 400 runs each; with noise for one record the ratio below would be e³ at ε = 1. The bound is exceeded by chance with a probability below 10⁻⁴.
#[test]
fn a_unit_of_three_records_is_hidden_as_well_as_epsilon_says() {
    let table = |canary: bool| {
        let schema = "[table]\ndeclared = true\nreason = \"invented\"\nunit_id = \"id\"\nmax_rows_per_unit = 3\n[variables.id]\nkind = \"text-id\"\n\
             [variables.v]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n";
        let others: String = (0..6).map(|row| format!("p{row},a\n")).collect();
        let canary = if canary { "q,b\n".repeat(3) } else { String::new() };
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        read_csv_text(&format!("id,v\n{others}{canary}"), &options).unwrap()
    };
    let settings = PrivacySettings { epsilon: Some(1.0), records: Some(6), ..Default::default() };
    let recipe = Recipe { privacy: Some(settings), ..Recipe::new("catall") };
    let hits = |table: &Table| {
        let shows = |seed: u64| {
            let made = fit(table, &recipe, &Run::replayed(seed)).unwrap().table(0).unwrap();
            let Column::Categorical(codes) = &made.columns()[1] else { panic!("levels") };
            codes.iter().filter(|code| *code == 1).count() >= 3
        };
        (0..400).filter(|seed| shows(*seed)).count() as f64
    };
    let (with, without) = (hits(&table(true)), hits(&table(false)));
    // e·p plus four standard errors of the difference.
    let p = without / 400.0;
    let bound = std::f64::consts::E * p + 4.0 * (1.0 / 400.0 * (0.25 + 7.4 * p * (1.0 - p))).sqrt();
    assert!(with / 400.0 <= bound, "{with} {without}");
}
