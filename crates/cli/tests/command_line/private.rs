//! Private runs as their users call them: budget, refusals, ledger, dry run, audit.

use crate::harness::{json, lookalike};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"code book of 2011\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 30, 50, 99]\n\
    [variables.edu]\nkind = \"categorical\"\nlevels = [\"low\", \"high\"]\n";

struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        let people = "sex,age,edu\n".to_owned() + &"F,31,low\nM,47,high\nF,52,low\nM,19,low\n".repeat(50);
        std::fs::write(house.path("people.csv"), people).unwrap();
        std::fs::write(house.path("people.schema.toml"), SCHEMA).unwrap();
        house
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn synth(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let schema = self.path("people.schema.toml");
        lookalike().args(["synth", &self.path("people.csv"), "--schema", &schema]).args(arguments).assert()
    }
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn a_private_release_has_its_ledger_and_nothing_exact() {
    let house = House::new();
    let out = house.path("out");
    house.synth(&["--method", "ipf", "--epsilon", "1", "--m", "2", "--out", &out]).success();
    let ledger: serde_json::Value = serde_json::from_str(&house.read("out/ledger.json")).unwrap();
    assert_eq!(ledger["neighbours"], "add-remove");
    assert_eq!(ledger["unit"], "person");
    assert_eq!(ledger["asked"]["epsilon"], 1.0);
    assert!(ledger["totals"]["pure"]["value"].as_f64().unwrap() <= 1.0);
    assert_eq!(ledger["domains"][0]["declared_because"], "code book of 2011");
    assert_eq!(ledger["randomness"]["secure"], true);
    assert_eq!(ledger["release_size"]["policy"], "noisy-count");
    let page = house.read("out/ledger.md");
    assert!(page.contains("number of records") && page.contains("discrete Laplace noise"), "{page}");
    let manifest: serde_json::Value = serde_json::from_str(&house.read("out/manifest.json")).unwrap();
    assert!(manifest["guarantee"].as_str().unwrap().contains("ε = 1"), "{manifest}");
    // The exact number of records is 200; only the noisy one may be told.
    assert_eq!(manifest["input"]["rows"], ledger["release_size"]["records"]);
    let listed: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert!(listed.contains(&"ledger.json") && listed.contains(&"ledger.md"), "{listed:?}");
    assert!(!std::path::Path::new(&house.path("out/internal")).exists(), "no hash of the records");
    let recipe = house.read("out/recipe.toml");
    assert!(recipe.contains("[privacy]") && recipe.contains("epsilon = 1.0"), "{recipe}");
}

#[test]
fn a_learned_schema_is_refused_with_exit_code_3_and_the_commands_that_help() {
    let house = House::new();
    let data = house.path("people.csv");
    let out = house.path("out");
    let arguments = ["synth", &data, "--method", "ipf", "--epsilon", "1", "--out", &out];
    let refused = lookalike().args(arguments).assert().code(3);
    let text = stderr(&refused);
    assert!(text.contains("sex, age, edu"), "{text}");
    assert!(text.contains(&format!("lookalike describe {data} --write-schema people.schema.toml")), "{text}");
    assert!(!std::path::Path::new(&out).exists());
    // The same for a schema that nobody has declared.
    std::fs::write(house.path("people.schema.toml"), SCHEMA.replace("declared = true", "declared = false"))
        .unwrap();
    house.synth(&["--method", "ipf", "--epsilon", "1", "--out", &out]).code(3);
    house.synth(&["--method", "ipf", "--epsilon", "1", "--dry-run"]).code(3);
}

#[test]
fn levels_left_open_in_a_declared_schema_are_not_read_off_the_records() {
    let house = House::new();
    let open = SCHEMA.replace("levels = [\"low\", \"high\"]\n", "");
    std::fs::write(house.path("people.schema.toml"), open).unwrap();
    let out = house.path("out");
    let refused = house.synth(&["--method", "ipf", "--epsilon", "1", "--out", &out]).code(3);
    assert!(
        stderr(&refused).contains("`edu`") && stderr(&refused).contains("levels"),
        "{}",
        stderr(&refused)
    );
    assert!(!std::path::Path::new(&out).exists());
}

#[test]
fn seeds_are_refused_and_test_seeds_are_shouted() {
    let house = House::new();
    let out = house.path("out");
    let private = ["--method", "catall", "--epsilon", "1", "--out", &out];
    let refused = house.synth(&[&private[..], &["--seed", "1"]].concat()).code(3);
    assert!(stderr(&refused).contains("--insecure-test-seed"));
    let shouted = house.synth(&[&private[..], &["--insecure-test-seed", "1"]].concat()).success();
    assert!(stderr(&shouted).contains("NOTHING IS GUARANTEED"));
    let text = String::from_utf8_lossy(&shouted.get_output().stdout).into_owned();
    for written in [
        &text,
        &house.read("out/ledger.json"),
        &house.read("out/ledger.md"),
        &house.read("out/manifest.json"),
    ] {
        assert!(written.contains("VOID"), "{written}");
    }
    let first = house.read("out/synthetic-1.csv");
    let again = house.path("again");
    let private = ["--method", "catall", "--epsilon", "1", "--out", &again, "--insecure-test-seed", "1"];
    house.synth(&private).success();
    assert_eq!(house.read("again/synthetic-1.csv"), first, "a test seed repeats");
    let fresh = |name: &str| {
        let out = house.path(name);
        house.synth(&["--method", "catall", "--epsilon", "1", "--out", &out]).success();
        house.read(&format!("{name}/synthetic-1.csv"))
    };
    assert_ne!(fresh("fresh-1"), fresh("fresh-2"), "no default seed can be replayed");
    let refused =
        house.synth(&["--method", "catall", "--insecure-test-seed", "1", "--out", &house.path("no")]).code(2);
    assert!(stderr(&refused).contains("not private"));
}

#[test]
fn a_dry_run_shows_the_spending_and_opens_no_data() {
    let house = House::new();
    std::fs::remove_file(house.path("people.csv")).unwrap();
    let shown = house.synth(&["--method", "ipf", "--epsilon", "1", "--rows", "200", "--dry-run"]).success();
    let text = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(text.contains("nothing was read") && text.contains("counts of sex × age"), "{text}");
    let schema = house.path("people.schema.toml");
    let data = house.path("people.csv");
    let plan = json(&[
        "synth",
        &data,
        "--schema",
        &schema,
        "--method",
        "ipf",
        "--epsilon",
        "1",
        "--rows",
        "200",
        "--dry-run",
    ]);
    let sum: f64 =
        plan["questions"].as_array().unwrap().iter().map(|line| line["cost"].as_f64().unwrap()).sum();
    assert!(sum <= 1.0 && sum > 0.999_999, "{sum}");
    let refused = house.synth(&["--method", "ipf", "--dry-run"]).code(2);
    assert!(stderr(&refused).contains("--epsilon"));
}

#[test]
fn wrong_budgets_say_what_is_wrong() {
    let house = House::new();
    let out = house.path("out");
    for (arguments, says) in [
        (&["--method", "ipf", "--epsilon", "0"][..], "above 0"),
        (&["--method", "ipf", "--epsilon", "-1"], "above 0"),
        (&["--method", "ipf", "--epsilon", "1", "--delta", "2"], "between 0 and 1"),
        (&["--method", "ipf", "--epsilon", "1", "--rho", "1"], "not as both"),
        (&["--method", "ipf", "--delta", "1e-6"], "needs an epsilon"),
        (&["--method", "saturated", "--epsilon", "1"], "cannot be private"),
        (&["--method", "dirichlet"], "private only"),
        (&["--method", "dirichlet", "--epsilon", "1", "--neighbours", "add-remove"], "replace-one"),
        (&["--method", "ipf", "--epsilon", "1", "--set", "tolerance=1"], "no meaning in a private run"),
        (&["--method", "ipf", "--set", "estimate=paper"], "private run only"),
    ] {
        let refused = house.synth(&[arguments, &["--out", &out]].concat()).code(2);
        assert!(stderr(&refused).contains(says), "{arguments:?}: {}", stderr(&refused));
        assert!(!std::path::Path::new(&out).exists());
    }
}

#[test]
fn a_private_model_is_drawn_from_again_under_the_same_ledger() {
    let house = House::new();
    let model = house.path("people.model");
    house
        .synth(&["--method", "ipf", "--epsilon", "1", "--out", &house.path("out"), "--save-model", &model])
        .success();
    let more = house.path("more");
    lookalike().args(["sample", &model, "--m", "3", "--rows", "50", "--out", &more]).assert().success();
    // The same ledger, of other files.
    let looks = |ledger: String| ledger.split("\"binds\"").next().unwrap_or_default().to_owned();
    assert_eq!(looks(house.read("out/ledger.json")), looks(house.read("more/ledger.json")));
    assert_eq!(house.read("more/synthetic-3.csv").lines().count(), 51);
    let paid = [
        "--method",
        "dirichlet",
        "--epsilon",
        "1",
        "--out",
        &house.path("d"),
        "--save-model",
        &house.path("d.model"),
    ];
    assert!(stderr(&house.synth(&paid).code(2)).contains("paid"));
}

#[test]
fn an_audit_reports_bound_confidence_and_verdict() {
    let passed = lookalike().args(["audit", "catall", "--epsilon", "1", "--runs", "400"]).assert().success();
    let text = String::from_utf8_lossy(&passed.get_output().stdout).into_owned();
    assert!(text.contains("PASSED") && text.contains("with 99 % confidence"), "{text}");
    let found = json(&["audit", "dirichlet", "--epsilon", "2", "--runs", "400"]);
    assert!(found["passed"] == true && found["lower_bound"].as_f64().unwrap() > 0.5, "{found}");
    lookalike().args(["audit", "saturated", "--epsilon", "1"]).assert().code(2);
}
