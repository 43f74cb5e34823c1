//! Estimates from releases, as their users ask for them.

use serde_json::Value;

use crate::harness::{json, lookalike};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 30, 50, 99]\n\
    [variables.smoke]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n";

struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        let people = "sex,age,smoke\n".to_owned()
            + &"F,31,no\nM,47,yes\nF,52,no\nM,19,no\nF,25,yes\nM,60,yes\nF,44,no\nM,38,no\n".repeat(50);
        std::fs::write(house.path("people.csv"), people).unwrap();
        std::fs::write(house.path("schema.toml"), SCHEMA).unwrap();
        house
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A release folder.
    fn release(&self, arguments: &[&str]) -> String {
        let out = self.path("out");
        lookalike()
            .args(["synth", &self.path("people.csv"), "--schema", &self.path("schema.toml"), "--out", &out])
            .args(arguments)
            .assert()
            .success();
        out
    }
}

fn refused(arguments: &[&str], code: i32) -> String {
    let assert = lookalike().arg("fit").args(arguments).assert().code(code);
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

fn text(arguments: &[&str]) -> String {
    let assert = lookalike().arg("fit").args(arguments).assert().success();
    String::from_utf8_lossy(&assert.get_output().stdout).into_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn a_release_folder_says_which_rule_is_valid() {
    let house = House::new();
    let out = house.release(&["--method", "catall", "--m", "3", "--rows", "200", "--seed", "1"]);
    let asked = ["fit", "smoke ~ sex + age", &out, "--family", "logistic", "--estimate", "mean(age) by sex"];
    let found = json(&asked);
    assert_eq!((&found["original_rows"], &found["method"]), (&400.into(), &"catall".into()));
    assert_eq!(found["files"].as_array().unwrap().len(), 3);
    let (model, means) = (&found["answers"][0], &found["answers"][1]);
    assert_eq!((&model["family"], &model["rule"]["rule"]), (&"logistic".into(), &"ts".into()));
    assert_eq!(model["rule"]["chosen_by"], "manifest");
    let names: Vec<&str> =
        model["quantities"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["(Intercept)", "sexM", "age"]);
    // T_s = v (n_syn/N + 1/m) = v (200/400 + 1/3), from the numbers that are shown.
    for quantity in means["quantities"].as_array().unwrap() {
        let (error, v) = (number(&quantity["standard_error"]), number(&quantity["within_variance"]));
        assert!((error * error / (v * (0.5 + 1.0 / 3.0)) - 1.0).abs() < 1e-12);
        let by_file: f64 =
            quantity["by_file"].as_array().unwrap().iter().map(|file| number(&file["estimate"])).sum();
        assert!((by_file / 3.0 - number(&quantity["estimate"])).abs() < 1e-12);
        let half = (number(&quantity["interval"]["high"]) - number(&quantity["interval"]["low"])) / 2.0;
        assert!((half / error - 1.959_963_984_540_054).abs() < 1e-9);
    }
    let original = json(&["fit", &out, "--estimate", "mean(age) by sex", "--target", "original"]);
    let quantity = &original["answers"][0]["quantities"][0];
    let (error, v) = (number(&quantity["standard_error"]), number(&quantity["within_variance"]));
    assert!((error * error / (v / 3.0) - 1.0).abs() < 1e-12 && original["target"] == "original");
    let page = text(&[&out, "--estimate", "share(smoke) by age"]);
    assert!(page.contains("chosen by the manifest") && page.contains("smoke=yes | age=[30,50)"), "{page}");
}

#[test]
fn files_beside_their_manifest_are_known_and_others_are_not() {
    let house = House::new();
    let out = house.release(&["--method", "saturated", "--set", "sigma=0.5", "--m", "5", "--seed", "2"]);
    let files: Vec<String> = (1..=5).map(|number| format!("{out}/synthetic-{number}.csv")).collect();
    let mut arguments = vec!["fit"];
    arguments.extend(files.iter().map(String::as_str));
    arguments.extend(["--estimate", "share(smoke = yes)"]);
    let beside = json(&arguments);
    let rule = &beside["answers"][0]["rule"];
    assert_eq!((&rule["rule"], &rule["weights"]), (&"tp".into(), &"n-syn".into()));
    assert!(number(&beside["answers"][0]["quantities"][0]["degrees_of_freedom"]) >= 4.0);
    // The same files elsewhere say nothing of how they were made.
    let copies: Vec<String> = (1..=5).map(|number| house.path(&format!("copy-{number}.csv"))).collect();
    for (from, to) in files.iter().zip(&copies) {
        std::fs::copy(from, to).unwrap();
    }
    let mut arguments: Vec<&str> = copies.iter().map(String::as_str).collect();
    arguments.extend(["--estimate", "share(smoke = yes)"]);
    let without = refused(&arguments, 2);
    assert!(without.contains("--original-rows N"), "{without}");
    arguments.extend(["--original-rows", "400"]);
    let page = text(&arguments);
    assert!(page.contains("for lack of a manifest"), "{page}");
    arguments.extend(["--rule", "partial", "--level", "0.9"]);
    let page = text(&arguments);
    assert!(page.contains("90 % intervals") && page.contains("T_p = b/m + v n_syn/N"), "{page}");
}

#[test]
fn a_condition_asks_only_the_records_that_meet_it() {
    let house = House::new();
    let out = house.release(&["--method", "catall", "--m", "3", "--rows", "200", "--seed", "1"]);
    let of_women = json(&["fit", &out, "--estimate", "mean(age)", "--where", "sex = 'F'"]);
    let by_sex = json(&["fit", &out, "--estimate", "mean(age) by sex"]);
    let (alone, class) = (&of_women["answers"][0]["quantities"][0], &by_sex["answers"][0]["quantities"][0]);
    assert_eq!(class["name"], "sex=F");
    // The same records have the same mean and variance; N is taken in the same proportion, to within a record.
    for key in ["estimate", "within_variance"] {
        assert!((number(&alone[key]) / number(&class[key]) - 1.0).abs() < 1e-12, "{key}");
    }
    let errors = number(&alone["standard_error"]) / number(&class["standard_error"]);
    assert!((errors - 1.0).abs() < 0.005, "{errors}");
    assert!(number(&of_women["original_rows"]) < 400.0);
    let both = ["fit", "smoke ~ sex", &out, "--family", "logistic", "--where", "age >= 30 AND age < 60"];
    assert_eq!(json(&both)["answers"][0]["quantities"].as_array().unwrap().len(), 2);
    let of = |condition: &str| refused(&[&out, "--estimate", "mean(age)", "--where", condition], 2);
    assert!(
        of("height > 3").contains("where") && of("height > 3").contains("height"),
        "{}",
        of("height > 3")
    );
    assert!(of("age > 98 AND age < 0").contains("no record of some file meets it"));
    assert!(of("age >").contains("where"));
    let again = ["--estimate", "mean(age)", "--where", "sex = 'F'", "--rule", "bootstrap"];
    let again = refused(&[&[out.as_str()], &again[..]].concat(), 2);
    assert!(again.contains("needs all records"), "{again}");
}

#[test]
fn an_invalid_rule_is_warned_of_with_its_reason() {
    let house = House::new();
    let out = house.release(&["--method", "saturated", "--set", "sigma=10", "--m", "1", "--seed", "2"]);
    let page = text(&[&out, "--estimate", "share(smoke = yes)"]);
    assert!(page.contains("warning: `ts` supposes sigma = 0") && page.contains("cover about"), "{page}");
    let page = text(&[&out, "--estimate", "share(smoke = yes)", "--rule", "proper"]);
    assert!(page.contains("chosen by you") && page.contains("the rule for these files is `ts`"), "{page}");
    let refused = refused(&[&out, "--estimate", "share(smoke = yes)", "--rule", "tp"], 2);
    assert!(refused.contains("at least two synthetic files"), "{refused}");
}

#[test]
fn a_private_release_is_read_with_its_noise() {
    let house = House::new();
    let private = ["--records", "400", "--insecure-test-seed", "3"];
    let out = house.release(&[&["--method", "dirichlet", "--epsilon", "100"], private.as_slice()].concat());
    let found = json(&["fit", &out, "--estimate", "share(smoke = yes)", "--seed", "5"]);
    assert_eq!(found["answers"][0]["rule"]["rule"], "posterior");
    let share = &found["answers"][0]["quantities"][0];
    assert!(
        number(&share["interval"]["low"]) < 0.375 && 0.375 < number(&share["interval"]["high"]),
        "{share}"
    );
    let house = House::new();
    let out =
        house.release(&[&["--method", "ipf", "--epsilon", "5", "--m", "2"], private.as_slice()].concat());
    let asked = ["fit", &out, "--estimate", "share(smoke = yes)", "--replicates", "60", "--seed", "5"];
    let found = json(&asked);
    assert_eq!(found["answers"][0]["rule"]["rule"], "bootstrap");
    let share = &found["answers"][0]["quantities"][0];
    assert!(share["bias"].is_number() && share["replicates"] == 60, "{share}");
    assert_eq!(
        found,
        json(&[asked.as_slice(), &["--threads", "1"]].concat()),
        "whatever the number of threads"
    );
}

/// 400 people, 4,000 rows and nothing said of the 400: the manifest cannot know them.
#[test]
fn a_number_of_rows_is_not_taken_for_the_number_of_records() {
    let house = House::new();
    let private = ["--method", "catall", "--epsilon", "5", "--m", "2", "--insecure-test-seed", "3"];
    let out = house.release(&[private.as_slice(), &["--rows", "4000"]].concat());
    let asked = [&out, "--estimate", "share(smoke = yes)", "--replicates", "60"];
    let without = refused(&asked, 2);
    assert!(without.contains("`rows` was stated") && without.contains("--original-rows N"), "{without}");
    let page = text(&[asked.as_slice(), &["--original-rows", "400"]].concat());
    assert!(page.contains("for 400 original records"), "{page}");
    let other = refused(&[asked.as_slice(), &["--schema", &house.path("schema.toml")]].concat(), 2);
    assert!(other.contains("--schema: it is not for a private release"), "{other}");
}

#[test]
fn numbers_of_a_method_of_counts_are_warned_of() {
    let house = House::new();
    let out = house.release(&["--method", "catall", "--m", "2", "--seed", "1"]);
    let page = text(&[&out, "--estimate", "mean(age)"]);
    assert!(page.contains("warning: `catall` keeps only the class of a number"), "{page}");
    assert!(!text(&[&out, "--estimate", "share(age)"]).contains("warning"));
    let elsewhere = SCHEMA.replace("cuts = [0, 30, 50, 99]", "cuts = [0, 40, 99]");
    std::fs::write(house.path("other.toml"), elsewhere).unwrap();
    let page = text(&[&out, "--estimate", "share(age)", "--schema", &house.path("other.toml")]);
    assert!(page.contains("is cut here where the model's classes are not"), "{page}");
}

#[test]
fn what_has_no_effect_or_no_meaning_is_refused() {
    let house = House::new();
    let out = house.release(&["--method", "catall", "--m", "2", "--seed", "1"]);
    let out = out.as_str();
    let share = ["--estimate", "share(smoke)"];
    let with = |more: &[&str]| refused(&[&[out], share.as_slice(), more].concat(), 2);
    assert!(refused(&[out], 2).contains("nothing is asked for"));
    assert!(with(&["--family", "logistic"]).contains("give a formula"));
    assert!(with(&["--seed", "1"]).contains("nothing random"));
    assert!(with(&["--replicates", "99"]).contains("--replicates: it has no effect"));
    assert!(with(&["--rule", "t_s"]).contains("did you mean `ts`?"), "{}", with(&["--rule", "t_s"]));
    assert!(with(&["--level", "95"]).contains("0.95"));
    assert!(with(&["--rule", "pooled", "--weights", "n-syn"]).contains("leave --weights out"));
    assert!(refused(&["smoke ~ sex"], 2).contains("no synthetic file"));
    let file = format!("{out}/synthetic-1.csv");
    let twice = refused(&[&file, &file, "--estimate", "share(sex)"], 2);
    assert!(twice.contains("is named twice"), "{twice}");
    assert!(
        refused(&[out, &house.path("people.csv"), "--estimate", "share(sex)"], 2).contains("is a folder")
    );
    assert!(refused(&[out, "--estimate", "mode(age)"], 2).contains("write mean(x)"));
    assert!(refused(&[out, "--estimate", "share(smok)"], 2).contains("smok"));
    assert!(refused(&["smoke ~ sx", out], 2).contains("sx"));
    std::fs::write(house.path("out/manifest.json"), "{").unwrap();
    assert!(refused(&[out, "--estimate", "share(sex)"], 2).contains("manifest.json, line 1"));
}

#[test]
fn estimates_are_drawn_with_their_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut people = String::from("sex,pay\n");
    for row in 0..200_usize {
        people.push_str(&format!("{},{}\n", ["F", "M"][row % 2], 100 + row * row % 97));
    }
    std::fs::write(path("people.csv"), people).unwrap();
    let (data, pictures) = (path("people.csv"), path("pictures"));
    lookalike()
        .args([
            "fit",
            "pay ~ sex",
            &data,
            "--original-rows",
            "200",
            "--level",
            "0.9",
            "--pictures",
            &pictures,
        ])
        .assert()
        .success();
    let files: Vec<_> = std::fs::read_dir(&pictures).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let svg = std::fs::read_to_string(&files[0]).unwrap();
    assert!(
        svg.contains("90 % interval") && svg.contains("sexM") && !svg.contains("original, 95 %"),
        "{svg}"
    );
}
