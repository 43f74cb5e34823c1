//! `lookalike describe` as its users call it.

use crate::harness::{json, lookalike};
use serde_json::Value;

fn people() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, "sex,age,income\nF,31,1200\nM,47,-8\nF,31,\nM,12,NA\n").unwrap();
    let path = path.display().to_string();
    (folder, path)
}

fn variable<'a>(profile: &'a Value, name: &str) -> &'a Value {
    profile["variables"].as_array().unwrap().iter().find(|variable| variable["name"] == name).unwrap()
}

#[test]
fn the_json_has_the_documented_keys() {
    let (_folder, path) = people();
    let profile = json(&["describe", &path, "--missing", "NA", "--keys", "sex,age"]);
    assert_eq!((&profile["rows"], &profile["columns"]), (&4.into(), &3.into()));
    assert_eq!(profile["cells"], "18");
    let income = variable(&profile, "income");
    assert_eq!(
        (&income["kind"], &income["missing"], &income["levels"]),
        (&"integer".into(), &2.into(), &2.into())
    );
    assert_eq!((&income["min"], &income["max"]), (&(-8).into(), &1200.into()));
    assert_eq!(profile["keys"]["uniques"], 2);
    let known: Vec<&str> = income.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        known,
        [
            "name",
            "kind",
            "levels",
            "missing",
            "codes",
            "min",
            "max",
            "classes",
            "classes_by",
            "shape",
            "notes"
        ]
    );
}

#[test]
fn a_drafted_schema_is_reviewed_used_and_never_overwritten() {
    let (folder, path) = people();
    let draft = folder.path().join("people.schema.toml").display().to_string();
    lookalike()
        .args(["describe", &path, "--missing", "NA", "--write-schema", &draft, "--quiet"])
        .assert()
        .success();
    let text = std::fs::read_to_string(&draft).unwrap();
    assert!(text.contains("domain = \"learned\"") && text.contains("declared = false"), "{text}");
    lookalike().args(["describe", &path, "--schema", &draft]).assert().success();
    let refused = lookalike().args(["describe", &path, "--write-schema", &draft]).assert().code(2);
    let message = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(
        message.contains("--write-schema") && message.contains("exists") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&draft).unwrap(), text);
    lookalike().args(["describe", &path, "--write-schema", &draft, "--force"]).assert().success();
}

#[test]
fn a_table_that_breaks_its_schema_is_described_and_told_off() {
    let (folder, path) = people();
    let schema = folder.path().join("s.toml");
    std::fs::write(
        &schema,
        "[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\"]\n[variables.age]\nkind = \"integer\"\n\
         [variables.income]\nkind = \"integer\"\nmissing = [\"NA\"]\n",
    )
    .unwrap();
    let output =
        lookalike().args(["describe", &path, "--schema", &schema.display().to_string()]).assert().code(1);
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(
        text.contains("`sex` holds levels that the schema does not list: 2 records (rows 2, 4)"),
        "{text}"
    );
}

#[test]
fn wrong_usage_and_wrong_files_have_their_exit_codes() {
    let (folder, path) = people();
    lookalike().args(["describe"]).assert().code(2);
    lookalike().args(["describe", &path, "--separator", "ab"]).assert().code(2);
    lookalike().args(["describe", &path, "--threads", "0"]).assert().code(2);
    lookalike().args(["describe", "nowhere.csv"]).assert().code(1);
    let bad = folder.path().join("bad.csv");
    std::fs::write(&bad, "name,pay\nconfidential,1,2\n").unwrap();
    let output = lookalike().args(["describe", &bad.display().to_string()]).assert().code(1);
    let message = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(message.contains("bad.csv: line 2") && !message.contains("confidential"), "{message}");
}

#[test]
fn json_goes_to_a_file_whole_and_quiet_prints_nothing() {
    let (folder, path) = people();
    let file = folder.path().join("profile.json");
    let output = lookalike()
        .args(["describe", &path, "--quiet", "--json", &file.display().to_string()])
        .assert()
        .success();
    assert!(output.get_output().stdout.is_empty());
    let profile: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(profile["rows"], 4);
}

#[test]
fn the_published_json_schemas_are_up_to_date() {
    let published = [
        ("describe", "describe.schema.json"),
        ("evaluation", "evaluation.schema.json"),
        ("frontier", "frontier.schema.json"),
        ("schema", "schema-file.schema.json"),
        ("ledger", "ledger.schema.json"),
        ("fit", "fit.schema.json"),
    ];
    for (document, file) in published {
        let output = lookalike().args(["json-schema", document]).assert().success();
        let path = shared_data::checkout().join("docs/json-schema").join(file);
        let published = std::fs::read(&path).unwrap_or_default();
        let hint = format!("run `cargo run -- json-schema {document} > docs/json-schema/{file}`");
        assert!(output.get_output().stdout == published, "{hint}");
    }
}

#[test]
fn two_hundred_binary_columns_are_counted_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.csv");
    let line =
        |row: usize| (0..200).map(|bit| (row >> (bit % 6) & 1).to_string()).collect::<Vec<_>>().join(",");
    let header: Vec<String> = (0..200).map(|bit| format!("b{bit}")).collect();
    let rows: Vec<String> = (0..64).map(line).collect();
    std::fs::write(&path, format!("{}\n{}\n", header.join(","), rows.join("\n"))).unwrap();
    let profile = json(&["describe", &path.display().to_string()]);
    assert_eq!(profile["cells"], "1606938044258990275541962092341162602522202993782792835301376");
    assert_eq!(profile["unique_share"], 1.0);
}

#[test]
fn the_seven_variables_of_raab_have_the_sparsity_of_table_1() {
    let Some(path) = shared_data::find("data/sd2011_s7.csv") else { return };
    let profile = json(&["describe", &path.display().to_string()]);
    assert_eq!(profile["cells"], "147000");
    assert!((profile["empty_cells_share"].as_f64().unwrap() - 0.981972789116).abs() < 1e-11);
    assert_eq!(profile["unique_share"], 0.3584);
}

/// Every row of the table of columns in a `.md` file of ../shared/data: name, type, distinct, missing, range.
fn agrees_with_its_notes(name: &str, extra: &[&str]) {
    let (Some(data), Some(notes)) =
        (shared_data::find(&format!("data/{name}.csv.gz")), shared_data::find(&format!("data/{name}.md")))
    else {
        return;
    };
    let profile = json(&[&["describe", &data.display().to_string()], extra].concat());
    let notes = std::fs::read_to_string(notes).unwrap();
    let start = notes.find("| column | type | distinct |").unwrap();
    let mut compared = 0;
    for line in notes[start..].lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_start_matches("| ").split(" | ").collect();
        let found = variable(&profile, cells[0]);
        let count = |cell: &str| cell.replace(',', "").parse::<u64>().unwrap();
        assert_eq!(found["levels"], count(cells[2]), "{name}: levels of {}", cells[0]);
        assert_eq!(found["missing"], count(cells[3]), "{name}: missing of {}", cells[0]);
        let kind = found["kind"].as_str().unwrap();
        match cells[1] {
            "text" => {
                assert!(["categorical", "text-id", "date"].contains(&kind), "{name}: {} is {kind}", cells[0])
            }
            _ if kind == "text-id" => {
                let known = [("edinburgh1901", "household"), ("teacher_survey", "SRCID")];
                assert!(known.contains(&(name, cells[0])), "{name}: {} names units", cells[0]);
            }
            number => {
                assert_eq!(kind, number, "{name}: kind of {}", cells[0]);
                let (low, high) = cells[4].trim_end_matches(" |").split_once(" to ").unwrap();
                for (end, bound) in [("min", low), ("max", high)] {
                    let (found, noted) = (found[end].as_f64().unwrap(), bound.parse::<f64>().unwrap());
                    assert!((found - noted).abs() <= 1e-5 * noted.abs(), "{name}: {end} of {}", cells[0]);
                }
            }
        }
        compared += 1;
    }
    assert_eq!(profile["columns"], compared, "{name}: every column is compared");
}

#[test]
fn edinburgh_agrees_with_its_notes() {
    agrees_with_its_notes("edinburgh1901", &["--missing", "NA"]);
}

#[test]
fn the_labour_force_survey_agrees_with_its_notes() {
    agrees_with_its_notes("eurostat_lfs_fr_sample", &[]);
}

#[test]
fn the_drug_deaths_agree_with_their_notes() {
    agrees_with_its_notes("ct_drug_deaths", &[]);
}

#[test]
fn the_stroke_trial_agrees_with_its_notes() {
    agrees_with_its_notes("stroke_coded", &[]);
}

#[test]
fn the_teacher_survey_agrees_with_its_notes() {
    agrees_with_its_notes("teacher_survey", &[]);
}

#[test]
fn sd2011_agrees_with_its_notes() {
    let Some(path) = shared_data::find("data/sd2011.csv") else { return };
    let profile = json(&["describe", &path.display().to_string()]);
    assert_eq!((&profile["rows"], &profile["columns"]), (&5000.into(), &35.into()));
    let expected = [
        ("age", "integer", 79, 0),
        ("agegr", "categorical", 6, 4),
        ("eduspec", "categorical", 27, 20),
        ("income", "integer", 406, 683),
        ("mmarr", "integer", 12, 1350),
        ("wkabdur", "integer", 33, 0),
        ("emcc", "categorical", 17, 4714),
        ("bmi", "real", 1395, 59),
    ];
    for (name, kind, levels, missing) in expected {
        let found = variable(&profile, name);
        assert_eq!(
            (&found["kind"], &found["levels"], &found["missing"]),
            (&kind.into(), &levels.into(), &missing.into()),
            "{name}"
        );
    }
    let has_note = |name: &str, text: &str| {
        let notes = variable(&profile, name)["notes"].as_array().unwrap();
        assert!(
            notes.iter().any(|note| note.as_str().unwrap().contains(text)),
            "{name}: {text} not in {notes:?}"
        );
    };
    has_note("bmi", "bmi = 10000 * weight / pow(height, 2)");
    has_note("agegr", "a function of `age`");
    has_note("income", "holds -8 603 times");
}

#[test]
fn imported_domains_and_metadata_are_schemas() {
    let (Some(data), Some(domain)) =
        (shared_data::find("data/adult_coded.csv.gz"), shared_data::find("data/adult_coded.domain.json"))
    else {
        return;
    };
    let (data, domain) = (data.display().to_string(), domain.display().to_string());
    let profile = json(&["describe", &data, "--schema", &domain]);
    assert_eq!(variable(&profile, "age")["kind"], "categorical");
    assert_eq!(variable(&profile, "age")["classes"], 85);
}

/// The columns of every shared data set that name units, by the notes beside them: none is missed, and nothing else is taken for one.
#[test]
fn identifiers_of_the_shared_data_are_found_and_nothing_else() {
    let known: [(&str, &[&str]); 19] = [
        ("acs_il_oh_170k.csv.gz", &[]),
        ("adult.csv.gz", &[]),
        ("adult_coded.csv.gz", &[]),
        ("ct_drug_deaths.csv.gz", &["ID"]),
        ("edinburgh1901.csv.gz", &["household"]),
        ("eurostat_lfs_fr_sample.csv.gz", &[]),
        ("eusilc_at.csv.gz", &["db030", "rb030"]),
        ("fire_coded.csv.gz", &[]),
        ("nist_acs_ma2019.csv.gz", &[]),
        ("nist_acs_national2019.csv.gz", &[]),
        ("nist_acs_tx2019.csv.gz", &[]),
        ("nist_taxi_coded.csv.gz", &[]),
        ("salary_coded.csv.gz", &[]),
        ("sd2011.csv", &[]),
        ("sd2011_s7.csv", &[]),
        ("stroke_coded.csv.gz", &[]),
        ("teacher_survey.csv.gz", &["SRCID"]),
        ("titanic_coded.csv.gz", &[]),
        ("uk_census2011_50k.csv.gz", &["Person ID"]),
    ];
    for (file, expected) in known {
        let Some(path) = shared_data::find(&format!("data/{file}")) else { return };
        let table = table::read::read_unchecked(&path, &table::read::ReadOptions::default()).unwrap();
        let variables = table.schema().variables().iter();
        let found = variables.filter(|variable| variable.kind == table::Kind::TextId);
        assert_eq!(found.map(|variable| variable.name.as_str()).collect::<Vec<_>>(), expected, "{file}");
    }
}
