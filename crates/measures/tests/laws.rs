//! Laws that every measure of utility keeps: a file against itself is perfect, the order of rows and columns does not matter, and odd files
//! have an answer or a reason.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use measures::utility::propensity::NullDraws;
use measures::{Better, Comparison, Finding, MEASURES, Measure, Settings, SyntheticSets, evaluate};
use models::{Formula, ModelFamily};
use proptest::prelude::*;
use table::Table;
use table::read::{ReadOptions, read_csv_text};

/// The families of utility.
fn utility() -> Vec<&'static dyn Measure> {
    let names =
        ["tables", "counts", "distance", "interval", "mca", "propensity", "model", "conformance", "taub"];
    let found: Vec<&dyn Measure> =
        MEASURES.iter().copied().filter(|measure| names.contains(&measure.name())).collect();
    assert_eq!(found.len(), names.len());
    found
}

fn settings() -> Settings {
    let formula = Formula::parse("hours ~ sex + town").unwrap();
    let model = measures::utility::model::ModelRequest { formula, family: ModelFamily::Gaussian };
    let mut settings = Settings { models: vec![model], ..Settings::default() };
    settings.propensity.draws = NullDraws { permutations: 3, resamples: 3, seed: 1, until_known: false };
    settings
}

/// Null distributions are drawn by place of the records and are the same only on average.
fn without_draws() -> Settings {
    let mut settings = settings();
    settings.propensity.draws = NullDraws { permutations: 0, resamples: 0, seed: 1, until_known: false };
    settings
}

fn all_of(original: &Table, synthetic: &[&Table], settings: &Settings) -> Vec<Finding> {
    let sets = SyntheticSets { original, synthetic, holdout: None };
    evaluate(&sets, &utility(), settings).unwrap()
}

type Row = (u32, u32, Option<i32>, u32);

fn text(rows: &[Row], reversed: bool) -> String {
    let header = ["sex", "town", "hours", "grade"];
    let line = |fields: [String; 4]| {
        let mut fields = fields.to_vec();
        if reversed {
            fields.reverse();
        }
        fields.join(",") + "\n"
    };
    let mut text = line(header.map(str::to_owned));
    for (sex, town, hours, grade) in rows {
        text += &line([
            ["F", "M"][*sex as usize].to_owned(),
            format!("t{town}"),
            hours.map_or_else(String::new, |hours| hours.to_string()),
            format!("g{grade}"),
        ]);
    }
    text
}

fn read(rows: &[Row], reversed: bool) -> Table {
    read_csv_text(&text(rows, reversed), &ReadOptions::default()).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_u32..2, 0_u32..4, prop::option::weighted(0.9, -20_i32..60), 0_u32..3);
    // A number and both sexes in every file, so that kinds are the same in all of them.
    prop::collection::vec(row, 8..60).prop_map(|mut rows| {
        rows.extend([(0, 0, Some(1), 0), (1, 1, Some(4), 1), (0, 2, Some(9), 2), (1, 0, Some(16), 0)]);
        rows
    })
}

/// What a perfect file scores, for measures that have such a score.
fn perfect(finding: &Finding) -> Option<f64> {
    let name = finding.measure.as_str();
    match name {
        // For the population a synthetic file is less sure than the original, and its intervals are wider.
        "model.population_overlap" => None,
        "tables.u" | "tables.df" | "tables.df_g" | "tables.empty" | "tables.s_jsd" => None,
        // A tree finds something by chance even in two equal files, and a score that nobody has is guessed original.
        _ if name.starts_with("propensity.") && !name.ends_with("logit.pmse") => None,
        "tables.sample_share" => Some(100.0),
        "distance.k_marginal" => Some(1_000.0),
        _ => match finding.better {
            Better::Higher => Some(1.0),
            Better::Lower => Some(0.0),
            Better::Neither => None,
        },
    }
}

fn close(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-6 * one.abs().max(other.abs()).max(1e-3),
        (one, other) => one == other,
    }
}

/// A finding by its name, its variables in any order, and what tells it from others of that name.
fn key(finding: &Finding) -> String {
    let mut on = finding.on.clone();
    on.sort();
    let details = ["ways", "of", "cell_size", "coefficient", "order"];
    let detail: Vec<String> = details
        .iter()
        .map(|detail| {
            match finding.measure.starts_with("counts.") || finding.measure.starts_with("distance.mean") {
                // There `of` is how many numbers the mean is taken over.
                true if *detail == "of" => String::new(),
                _ => finding.detail.get(*detail).map_or_else(String::new, ToString::to_string),
            }
        })
        .collect();
    format!("{} {on:?} {detail:?}", finding.measure)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_file_against_itself_is_perfect(rows in rows()) {
        let table = read(&rows, false);
        for finding in all_of(&table, &[&table], &settings()) {
            if let (Some(perfect), Some(value)) = (perfect(&finding), finding.value) {
                prop_assert!((value - perfect).abs() < 1e-6, "{finding:?}");
            }
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter(one in rows(), other in rows(), turn in 0_usize..60) {
        let mut turned = other.clone();
        turned.rotate_left(turn % other.len());
        turned.reverse();
        let settings = without_draws();
        let before = all_of(&read(&one, false), &[&read(&other, false)], &settings);
        let after = all_of(&read(&one, false), &[&read(&turned, false)], &settings);
        prop_assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(close(before.value, after.value), "{before:?} {after:?}");
        }
    }

    #[test]
    fn the_order_of_columns_does_not_matter(one in rows(), other in rows()) {
        let settings = without_draws();
        let before = all_of(&read(&one, false), &[&read(&other, false)], &settings);
        let after = all_of(&read(&one, true), &[&read(&other, true)], &settings);
        prop_assert_eq!(before.len(), after.len());
        for before in &before {
            // Among equally good splits of a tree the first predictor wins; a worst table may have equals.
            if before.measure.starts_with("propensity.cart") || before.measure == "tables.worst_s_pmse" {
                continue;
            }
            let found: Vec<&Finding> = after.iter().filter(|after| key(after) == key(before)).collect();
            prop_assert_eq!(found.len(), 1, "{} {:?}", key(before), before);
            prop_assert!(close(before.value, found[0].value), "{before:?} {:?}", found[0]);
        }
    }
}

#[test]
fn odd_files_have_answers_or_reasons() {
    let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
    let original = read("sex,town,hours,same\nF,a,1,z\nM,a,5,z\nF,b,,z\nM,b,9,z\nF,a,2,z\nM,b,7,z\n");
    let header = original.select(&["sex", "town", "hours", "same"]).unwrap();
    let empty = {
        let (schema, _) = header.into_parts();
        Table::concatenate(schema, Vec::new()).unwrap()
    };
    let files = [
        ("empty", empty),
        ("one row", read("sex,town,hours,same\nF,a,3,z\n")),
        ("constant", read("sex,town,hours,same\nF,a,3,z\nF,a,3,z\nF,a,3,z\n")),
        ("a level of its own", read("sex,town,hours,same\nF,c,3,y\nM,a,4,z\nX,b,5,z\n")),
        ("all missing", read("sex,town,hours,same\nF,a,,z\nM,b,,z\nF,b,,z\n")),
        ("larger", read(&("sex,town,hours,same\n".to_owned() + &"F,a,1,z\nM,b,6,z\n".repeat(40)))),
        ("columns apart", read("town,hours,other\na,1,q\nb,6,q\n")),
    ];
    for (name, synthetic) in &files {
        let settings =
            if *name == "columns apart" { Settings { models: vec![], ..settings() } } else { settings() };
        for sets in [vec![synthetic], vec![synthetic, &original]] {
            let findings = all_of(&original, &sets, &settings);
            assert!(!findings.is_empty(), "{name}");
            for finding in findings {
                let card = measures::card_of(&finding.measure).unwrap();
                assert_eq!(finding.value.is_none(), finding.because.is_some(), "{name}: {finding:?}");
                assert!(finding.value.is_none_or(|value| card.range.contains(value)), "{name}: {finding:?}");
                assert!(
                    !finding.because.as_deref().is_some_and(|because| because.contains("finite number")),
                    "{name}: {finding:?}"
                );
            }
        }
        // The same with the files in each other's place.
        if synthetic.rows() > 0 && *name != "columns apart" {
            for measure in utility().into_iter().filter(|measure| measure.name() != "model") {
                let comparison = Comparison { original: synthetic, synthetic: &original, holdout: None };
                measure.evaluate(&comparison, &settings).unwrap();
            }
        }
    }
}
