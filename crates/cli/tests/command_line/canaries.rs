//! What names a person in the original is in no public file of `synth`, by any method, when no option is named.

use std::collections::HashSet;
use std::path::Path;

use crate::harness::lookalike;

const LEVEL: &str = "zqxcanary";
const OUTLIER: &str = "987654.31";
const DAY: &str = "1850-06-17";
const RECORDS: usize = 600;

/// Identifiers of each kind, free text, numbers that are fingerprints, a level of one record, an outlier and a day of another century.
struct Planted {
    csv: String,
    accounts: Vec<String>,
    cases: Vec<String>,
    answers: Vec<String>,
    fingerprints: Vec<String>,
}

impl Planted {
    /// Whatever names one record.
    fn names(&self) -> HashSet<&str> {
        let all = self.accounts.iter().chain(&self.cases).chain(&self.answers).chain(&self.fingerprints);
        all.map(String::as_str).collect()
    }
}

/// A name of a record in a text, if there is one.
fn name_in<'a>(text: &'a str, names: &HashSet<&str>) -> Option<&'a str> {
    text.split([',', '\n', '"', ' ', '[', ']']).find(|field| names.contains(field))
}

fn planted() -> Planted {
    let mut state = 42_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(state) * u128::from(limit)) >> 64) as u64
    };
    let (mut accounts, mut cases, mut answers, mut fingerprints) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let known: Vec<String> =
        (0..250).map(|_| format!("{}:{}:{}", 2 + below(78), 100 + below(300), 1 + below(3))).collect();
    let mut csv = String::from("id,control_of,account,case,words,region,diagnosis,fee,seen,ratio,age\n");
    for record in 0..RECORDS {
        let account = 100_000_000_000_000_000 + below(100_000_000_000_000_000);
        let case = known[below(250) as usize].clone();
        let answer = format!("rent {} noise {record}", ["bus", "park", "tax"][below(3) as usize]);
        let control = if below(5) == 0 { String::new() } else { (1 + below(RECORDS as u64)).to_string() };
        let diagnosis = if record == 17 { LEVEL } else { ["none", "flu", "asthma"][below(3) as usize] };
        let fee =
            if record == 18 { OUTLIER.to_owned() } else { format!("{}.{:02}", 20 + below(40), below(100)) };
        let seen = if record == 19 {
            DAY.to_owned()
        } else {
            format!("2016-{:02}-{:02}", 1 + below(12), 1 + below(28))
        };
        let ratio = ((1 + below(1_000_000)) as f64 / (7 + below(900)) as f64).to_string();
        csv.push_str(&format!(
            "{},{control},{account},{case},{answer},R{},{diagnosis},{fee},{seen},{ratio},{}\n",
            record + 1,
            below(4),
            18 + below(70)
        ));
        accounts.push(account.to_string());
        cases.push(case);
        answers.push(answer);
        fingerprints.push(ratio);
    }
    Planted { csv, accounts, cases, answers, fingerprints }
}

fn public_files(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_eq!(path.file_name().unwrap(), "internal");
            continue;
        }
        files.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
    }
    files
}

#[test]
fn no_canary_leaves_by_any_method() {
    let planted = planted();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    std::fs::write(&data, &planted.csv).unwrap();
    for method in synthesis::registry::METHODS.iter().filter(|method| method.build.is_some()) {
        let name = method.card.name;
        let out = folder.path().join(name);
        let run = lookalike()
            .args([
                "synth",
                &data.display().to_string(),
                "--method",
                name,
                "--seed",
                "1",
                "--out",
                &out.display().to_string(),
            ])
            .assert()
            .success();
        let told = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert!(told.contains("made new") && told.contains("`control_of`"), "{name}: {told}");
        let real = planted.names();
        let mut files = public_files(&out);
        files.push(("what is printed".into(), told));
        for (file, text) in &files {
            for canary in [LEVEL, OUTLIER, DAY, "noise"] {
                assert!(!text.contains(canary), "{name}: {canary} in {file}");
            }
            assert_eq!(name_in(text, &real), None, "{name}: a name of a record in {file}");
        }
        let text = std::fs::read_to_string(out.join("synthetic-1.csv")).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let ids: HashSet<&str> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(ids.len(), rows.len(), "{name}: every record has a number of its own");
        assert!(rows.iter().all(|row| row[0].parse::<i64>().is_ok()), "{name}: numbers stay numbers");
        assert!(
            rows.iter().all(|row| row[1].is_empty() || ids.contains(row[1])),
            "{name}: pointers lead somewhere"
        );
        let missing = rows.iter().filter(|row| row[1].is_empty()).count() as f64 / rows.len() as f64;
        assert!((missing - 0.2).abs() < 0.05, "{name}: {missing}");
        // Numbers in random order agree with their record's age only by chance: 1 in 70, so 9 of 600; 25 have probability below 1e-5.
        let ages: Vec<&str> =
            planted.csv.lines().skip(1).map(|line| line.rsplit(',').next().unwrap()).collect();
        let agree =
            rows.iter().filter(|row| ages.get(row[0].parse::<usize>().unwrap() - 1) == row.last()).count();
        assert!(agree <= 25, "{name}: {agree} numbers still lead to the age");
        assert!(out.join("internal/schema-learned.toml").exists(), "{name}");
    }
}

/// A release of a learned schema publishes the domain that its owner vouches for, and still no name of a record.
#[test]
fn no_name_of_a_record_leaves_in_a_release() {
    let planted = planted();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("data.csv"), &planted.csv).unwrap();
    for method in ["sequential", "catall"] {
        std::fs::write(path("recipe.toml"), format!("method = \"{method}\"\n")).unwrap();
        lookalike()
            .args([
                "release",
                &path("data.csv"),
                "--recipe",
                &path("recipe.toml"),
                "--accepted-by",
                "the board",
            ])
            .args(["--learned-schema", "an invented table", "--no-limits", "an invented table"])
            .args(["--only", "tables", "--out", &path(method)])
            .assert()
            .success();
        let names = planted.names();
        let files = released_files(&folder.path().join(method));
        for (file, text) in files.into_iter().filter(|(file, _)| !file.ends_with("schema.toml")) {
            assert_eq!(name_in(&text, &names), None, "{method}: a name of a record in {file}");
        }
    }
}

/// The public files of a release, in all its folders.
fn released_files(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true if path.ends_with("internal") => {}
            true => files.extend(released_files(&path)),
            false => {
                let bytes = std::fs::read(&path).unwrap();
                files.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    files
}

#[test]
fn identifiers_stay_numbers_in_parquet_and_come_from_saved_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let planted = planted();
    std::fs::write(path("data.csv"), &planted.csv).unwrap();
    lookalike()
        .args(["synth", &path("data.csv"), "--method", "ipf", "--seed", "1", "--format", "parquet"])
        .args(["--save-model", &path("model.json"), "--out", &path("out")])
        .assert()
        .success();
    let table =
        table::read::read_unchecked(&folder.path().join("out/synthetic-1.parquet"), &Default::default())
            .unwrap();
    let id = table.schema().variable("id").unwrap();
    assert!(id.identifier.whole, "read back as whole numbers: {id:?}");
    lookalike()
        .args(["sample", &path("model.json"), "--seed", "1", "--out", &path("again"), "--format", "csv"])
        .assert()
        .success();
    let text = std::fs::read_to_string(folder.path().join("again/synthetic-1.csv")).unwrap();
    let first = text.lines().nth(1).unwrap();
    assert!(!first.contains(",,,"), "identifiers are made: {first}");
    assert!(!planted.cases.iter().any(|case| text.contains(&format!(",{case},"))));
}

#[test]
fn a_learned_schema_is_published_only_for_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("data.csv"), planted().csv).unwrap();
    let run = |out: &str, more: &[&str]| {
        lookalike()
            .args(["synth", &path("data.csv"), "--method", "catall", "--seed", "1", "--out", &path(out)])
            .args(more)
            .assert()
    };
    run("with", &["--learned-schema", "an invented table"]).success();
    let schema = std::fs::read_to_string(folder.path().join("with/schema.toml")).unwrap();
    assert!(schema.contains(LEVEL) && schema.contains("declared = true"), "{schema}");
    let manifest = std::fs::read_to_string(folder.path().join("with/manifest.json")).unwrap();
    assert!(manifest.contains("an invented table"), "{manifest}");
    run("without", &[]).success();
    let manifest = std::fs::read_to_string(folder.path().join("without/manifest.json")).unwrap();
    assert!(manifest.contains("\"schema_from\": \"the synthetic files"), "{manifest}");
    assert!(
        manifest.contains("fewer than 3 units (told apart by `control_of`, `case`)")
            && manifest.contains("made new"),
        "remarks are carried: {manifest}"
    );
    let refused = run("private", &["--learned-schema", "x", "--epsilon", "1"]).failure();
    assert!(!String::from_utf8_lossy(&refused.get_output().stderr).is_empty());
}
