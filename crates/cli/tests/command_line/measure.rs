//! `lookalike measure` and `lookalike measures` as their users call them.

use crate::harness::{Files, json, lookalike};
use serde_json::Value;

/// People with a sex, a town and an income; `shift` moves towns and incomes.
fn people(records: usize, shift: usize) -> String {
    let mut text = "sex,town,income\n".to_owned();
    for i in 0..records {
        let town = ["a", "b", "c"][(i * i + shift) % 3];
        text += &format!("{},{town},{}\n", ["F", "M"][i % 2], 1000 + (i * 37 + shift * 11) % 500);
    }
    text
}

fn find<'a>(findings: &'a Value, measure: &str, on: &[&str]) -> &'a Value {
    let all = findings.as_array().unwrap().iter();
    let mut of =
        all.filter(|finding| finding["measure"] == measure && finding["on"] == serde_json::json!(on));
    of.next().unwrap_or_else(|| panic!("no {measure} on {on:?}"))
}

fn refused(arguments: &[&str], code: i32) -> String {
    let output = lookalike().arg("measure").args(arguments).assert().code(code);
    String::from_utf8_lossy(&output.get_output().stderr).into_owned()
}

#[test]
fn the_json_is_a_flat_list_of_findings() {
    let files = Files::new();
    let (original, synthetic) =
        (files.write("original.csv", &people(60, 0)), files.write("synthetic.csv", &people(60, 1)));
    let findings = json(&["measure", &original, &synthetic, "--only", "tables,uniques", "--ways", "1"]);
    for finding in findings.as_array().unwrap() {
        let keys: Vec<&str> = finding.as_object().unwrap().keys().map(String::as_str).collect();
        assert!(keys.starts_with(&["measure", "on", "value", "null", "better"]), "{keys:?}");
        assert_eq!(finding["value"].is_null(), finding.get("because").is_some());
    }
    assert_eq!(find(&findings, "tables.s_pmse", &["sex"])["value"], 0.0);
    assert_eq!(find(&findings, "tables.s_pmse", &["sex"])["null"], 1.0);
    assert_eq!(find(&findings, "tables.s_pmse", &["sex"])["better"], "lower");
}

#[test]
fn the_golden_pair_is_measured_in_words_and_numbers() {
    let (Some(original), Some(synthetic)) = (
        shared_data::find("golden/s7_catall/original.csv"),
        shared_data::find("golden/s7_catall/synthetic.csv"),
    ) else {
        return;
    };
    let (original, synthetic) = (original.display().to_string(), synthetic.display().to_string());
    let arguments = [
        "measure",
        &original,
        &synthetic,
        "--permutations",
        "10",
        "--model",
        "sex ~ age + edu",
        "--family",
        "logistic",
        "--verbose",
    ];
    let output = lookalike().args(arguments).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for words in [
        "two-way tables: as good as a fresh sample would be",
        "a regression with main effects: it cannot, more than by chance",
        "sex ~ age + edu: coefficients differ no more than by chance",
        "overall score (Taub & Elliot)",
        "35.84 % of the original's records are unique",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let findings = json(&["measure", &original, &synthetic, "--only", "tables", "--tables", "sex:age"]);
    let found = find(&findings, "tables.s_pmse", &["sex", "age"])["value"].as_f64().unwrap();
    assert!((found - 5.39954796137 / 9.0).abs() < 1e-9, "{found}");
    let random =
        json(&["measure", &original, &synthetic, "--only", "tables", "--tables", "sex:age", "--random-size"]);
    let found = find(&random, "tables.s_pmse", &["sex", "age"])["value"].as_f64().unwrap();
    assert!((found - 0.539954796137).abs() < 1e-9, "{found}");
}

#[test]
fn several_files_are_data_sets_of_one_release() {
    let files = Files::new();
    let original = files.write("original.csv", &people(60, 0));
    let one = files.write("one.csv", &people(60, 1));
    let other = files.write("other.csv", &people(60, 2));
    let findings = json(&["measure", &original, &one, &other, "--ways", "1", "--permutations", "3"]);
    let town = find(&findings, "tables.vw", &["town"]);
    let each: Vec<f64> =
        town["detail"]["each"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert_eq!(each.len(), 2);
    assert!((town["value"].as_f64().unwrap() - (each[0] + each[1]) / 2.0).abs() < 1e-12);
    assert_eq!(find(&findings, "propensity.cart.s_pmse_pairs", &[])["detail"]["pairs"], 1);
    assert_eq!(find(&findings, "files.records", &[])["value"], 60.0);
    // Pairs of synthetic files stand for files of one size only.
    let longer = files.write("longer.csv", &people(90, 2));
    let findings =
        json(&["measure", &original, &one, &longer, "--only", "propensity", "--permutations", "3"]);
    let pairs = find(&findings, "propensity.cart.s_pmse_pairs", &[]);
    assert!(pairs["value"].is_null() && pairs["because"].is_string(), "{pairs}");
}

#[test]
fn differences_between_files_come_first() {
    let files = Files::new();
    let original = files.write("original.csv", "sex,town,age\nF,a,31\nM,b,47\nF,b,22\n");
    let synthetic = files.write("synthetic.csv", "sex,town,extra\nF,a,1\nM,c,2\nF,b,3\n");
    let output =
        lookalike().args(["measure", &original, &synthetic, "--only", "files,tables"]).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for words in [
        "left out, because only the original has them: age",
        "left out, because only the synthetic file has them: extra",
        "town (1 new)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(text.find("left out") < text.find("--verbose"), "{text}");
    let text_for_numbers = files.write("text.csv", "sex,town,age\nF,a,old\nM,b,young\n");
    let message = refused(&[&original, &text_for_numbers], 1);
    assert!(message.contains("variable `age`: it is integer in the original and categorical"), "{message}");
    assert!(!message.contains("old"), "{message}");
}

#[test]
fn a_synthetic_file_that_breaks_the_schema_is_measured() {
    let files = Files::new();
    let schema = files.write(
        "people.schema.toml",
        "[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n[variables.income]\nkind = \"real\"\nrange = [0, 5000]\n\
         codes = { -8 = \"none\" }\n[[rules]]\nwhen = \"sex = 'M'\"\nthen = \"income > 100\"\n",
    );
    let original = files.write("original.csv", "sex,income\nF,900\nM,-8\nF,1200\nM,700\n");
    let synthetic = files.write("synthetic.csv", "sex,income\nX,900\nM,50\nF,9000\nM,-8\n");
    let findings =
        json(&["measure", &original, &synthetic, "--schema", &schema, "--only", "conformance,tables"]);
    assert_eq!(find(&findings, "conformance.domain", &["sex"])["value"], 25.0);
    assert_eq!(find(&findings, "conformance.domain", &["income"])["value"], 25.0);
    assert_eq!(find(&findings, "conformance.rule", &[])["value"], 25.0);
    assert!(find(&findings, "tables.vw", &["sex"])["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn options_that_are_not_honoured_are_refused() {
    let files = Files::new();
    let original = files.write("original.csv", &people(30, 0));
    let pair = [original.as_str(), original.as_str()];
    for (arguments, words) in [
        (&["--only", "tabels"][..], "did you mean `tables`"),
        (&["--only", "tables", "--permutations", "9"], "--permutations: it has no effect"),
        (&["--only", "propensity", "--ways", "2"], "--ways: it has no effect"),
        (&["--only", "model"], "--model"),
        (&["--family", "poisson"], "--model"),
        (
            &[
                "--model",
                "income ~ sex",
                "--model",
                "income ~ town",
                "--family",
                "gaussian",
                "--family",
                "poisson",
                "--family",
                "gaussian",
            ],
            "--family: it is given 3 times for 2 models",
        ),
        (&["--model", "income ~ sex +"], "a variable is needed here"),
        (&["--model", "income ~ sex", "--family", "gausian"], "did you mean `gaussian`"),
        (&["--regions", "none.toml"], "--mechanism"),
        (&["--mechanism", "catal"], "did you mean `catall`"),
        (&["--mechanism", "catall,sigma=1"], "catall has no --sigma"),
        (&["--ways", "0"], "at least one variable"),
        (&["--groups", "0"], "must be 1 or more"),
    ] {
        let message = refused(&[&pair[..], arguments].concat(), 2);
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
    let message = refused(&[&pair[..], &["--tables", "sex:twon"]].concat(), 2);
    assert!(message.contains("there is no variable `twon`; did you mean `town`"), "{message}");
}

#[test]
fn keys_are_an_option_of_the_tau_metrics() {
    let files = Files::new();
    let original = files.write("original.csv", &people(30, 0));
    let with = |more: &[&str]| {
        let findings = json(&[&["measure", &original, &original, "--only", "tau"], more].concat());
        find(&findings, "tau.2", &["sex", "town"])["value"].clone()
    };
    assert!(with(&["--keys", "sex,town"]).is_number());
}

#[test]
fn one_card_is_shown_by_its_name() {
    let text = |arguments: &[&str]| {
        let output = lookalike().args(arguments).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    };
    let tau = text(&["measures", "tau"]);
    assert!(
        tau.contains("tau.4: ") && tau.contains("options that it honours: --groups, --classes, --keys"),
        "{tau}"
    );
    let one = text(&["measures", "tau.4"]);
    assert!(one.contains("tau.4: ") && !one.contains("tau.3: "), "{one}");
    let catall = text(&["methods", "catall"]);
    assert!(catall.contains("can be private: yes") && !catall.contains("saturated:"), "{catall}");
    lookalike().args(["measures", "tua"]).assert().code(2);
    lookalike().args(["methods", "catal"]).assert().failure();
}

#[test]
fn a_holdout_and_an_intruder_are_told_beside_the_rest() {
    let files = Files::new();
    let (original, synthetic, holdout) = (
        files.write("original.csv", &people(60, 0)),
        files.write("synthetic.csv", &people(60, 1)),
        files.write("holdout.csv", &people(60, 0)),
    );
    let regions = files.write("regions.toml", "[[accept]]\nr_at_most = 0.5\n");
    let findings = json(&[
        "measure",
        &original,
        &synthetic,
        "--holdout",
        &holdout,
        "--only",
        "tables,intruder",
        "--mechanism",
        "dirichlet,a=0.5",
        "--regions",
        &regions,
    ]);
    assert_eq!(find(&findings, "tables.vw", &["town"])["detail"]["holdout"], 0.0);
    let outside = findings
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["measure"] == "intruder.outside_share")
        .unwrap();
    assert!(outside["value"].is_number(), "{outside}");
}

#[test]
fn a_page_with_pictures_stays_in_the_house_and_says_so() {
    let files = Files::new();
    let (original, synthetic) =
        (files.write("original.csv", &people(60, 0)), files.write("synthetic.csv", &people(60, 1)));
    let page = files.folder.path().join("report.html");
    let arguments =
        ["measure", &original, &synthetic, "--only", "tables,uniques", "--keys", "sex,town", "--report"];
    lookalike().args(arguments).arg(&page).assert().success();
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Internal edition"));
    for part in ["id=\"two-way-tables\"", "id=\"variables\"", "id=\"uniques\"", "sex, town"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn one_seed_gives_one_result_on_any_number_of_threads() {
    let files = Files::new();
    let (original, synthetic) =
        (files.write("original.csv", &people(300, 0)), files.write("synthetic.csv", &people(300, 1)));
    let run = |threads: &str, seed: &str| {
        json(&["measure", &original, &synthetic, "--permutations", "8", "--threads", threads, "--seed", seed])
    };
    assert_eq!(run("1", "7"), run("3", "7"));
    assert_ne!(run("1", "7"), run("1", "8"));
}

#[test]
fn the_page_of_measures_is_up_to_date() {
    let output = lookalike().args(["measures", "--markdown"]).assert().success();
    let page = shared_data::checkout().join("docs/measures.md");
    let written = std::fs::read(page).unwrap_or_default();
    assert!(
        output.get_output().stdout == written,
        "run `cargo run -- measures --markdown > docs/measures.md`"
    );
    let cards = json(&["measures"]);
    assert!(cards.as_array().unwrap().iter().any(|card| card["name"] == "mca.score"));
}
