//! `lookalike synth`, `methods` and `plan` as their users call them.

use crate::harness::{json, lookalike};

struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(
            house.path("people.csv"),
            "sex,age,edu\n".to_owned() + &"F,31,low\nM,47,high\nF,52,low\nM,19,low\n".repeat(20),
        )
        .unwrap();
        house
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn synth(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        lookalike().args(["synth", &self.path("people.csv")]).args(arguments).assert()
    }
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn one_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let house = House::new();
    for (out, threads) in [("one", "1"), ("two", "4")] {
        house
            .synth(&[
                "--method",
                "catall",
                "--seed",
                "7",
                "--m",
                "2",
                "--threads",
                threads,
                "--out",
                &house.path(out),
            ])
            .success();
    }
    for file in ["synthetic-1.csv", "synthetic-2.csv", "schema.toml", "recipe.toml"] {
        let read = |out: &str| std::fs::read(house.folder.path().join(out).join(file)).unwrap();
        assert_eq!(read("one"), read("two"), "{file}");
    }
}

#[test]
fn the_recipe_and_the_internal_seed_of_a_release_make_it_again() {
    let house = House::new();
    house.synth(&["--method", "saturated", "--set", "sigma=0.2", "--out", &house.path("first")]).success();
    let recipe = house.path("first/recipe.toml");
    let internal = std::fs::read(house.path("first/internal/internal.json")).unwrap();
    let internal: serde_json::Value = serde_json::from_slice(&internal).unwrap();
    let seed = internal["seed"].to_string();
    house.synth(&["--recipe", &recipe, "--seed", &seed, "--out", &house.path("again")]).success();
    let read = |out: &str| std::fs::read(house.folder.path().join(out).join("synthetic-1.csv")).unwrap();
    assert_eq!(read("first"), read("again"));
}

#[test]
fn what_is_written_validates_and_can_be_parquet() {
    let house = House::new();
    house
        .synth(&[
            "--method",
            "ipf",
            "--format",
            "parquet",
            "--rows",
            "200",
            "--strata",
            "sex",
            "--out",
            &house.path("out"),
        ])
        .success();
    let (data, schema) = (house.path("out/synthetic-1.parquet"), house.path("out/schema.toml"));
    let profile = json(&["describe", &data, "--schema", &schema]);
    assert_eq!(profile["rows"], 200);
}

#[test]
fn refusals_name_the_option_and_write_nothing() {
    let house = House::new();
    let out = house.path("out");
    for (arguments, expected) in [
        (vec!["--method", "catal"], "did you mean `catall`?"),
        (vec!["--method", "catall", "--m", "0"], "--m: "),
        (vec!["--method", "catall", "--rows", "0"], "--rows: "),
        (vec!["--method", "saturated", "--rows", "5"], "--rows: "),
        (vec!["--method", "ipf", "--set", "margins=sex:ag"], "did you mean `age`?"),
        (vec!["--method", "ipf", "--set", "nprior=-1"], "option `nprior`"),
        (vec!["--method", "ipf", "--set", "nonsense"], "name=value"),
        (vec!["--method", "catall", "--strata", "sexx"], "--strata: "),
    ] {
        let refused = house.synth(&[arguments, vec!["--out", &out]].concat()).code(2);
        assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
        assert!(!std::path::Path::new(&out).exists());
    }
    house.synth(&["--method", "catall", "--out", &out]).success();
    let refused = house.synth(&["--method", "catall", "--out", &out]).code(2);
    assert!(stderr(&refused).contains("--force"));
    house.synth(&["--method", "catall", "--out", &out, "--force"]).success();
    assert_eq!(std::fs::read_dir(house.folder.path()).unwrap().count(), 2, "no temporary folder is left");
}

#[test]
fn methods_lists_every_card() {
    let cards = json(&["methods"]);
    let names: Vec<&str> =
        cards.as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    let registered: Vec<&str> = synthesis::registry::METHODS.iter().map(|method| method.card.name).collect();
    assert_eq!(names, registered);
    assert!(cards[2]["options"].as_array().unwrap().iter().any(|option| option["name"] == "sigma"));
}

#[test]
fn a_plan_tells_risk_before_generating_and_solves_for_sigma() {
    let house = House::new();
    let people = house.path("people.csv");
    let answer = json(&[
        "plan",
        &people,
        "--sigma",
        "0.5,2",
        "--m",
        "1,10",
        "--near",
        "20:5",
        "--solve",
        "tau3(20,5) <= 0.5",
    ]);
    assert_eq!(answer["plan"]["points"].as_array().unwrap().len(), 4);
    assert_eq!(answer["records"], 80);
    let solution = &answer["solution"];
    assert!(
        solution["reached"].as_f64().unwrap() <= 0.5 && solution["sigma"].as_f64().unwrap() > 0.0,
        "{solution}"
    );
    lookalike().args(["plan", &people, "--near", "1"]).assert().code(2);
    lookalike().args(["plan", &people, "--solve", "tau9(1) <= 0.1"]).assert().code(2);
    lookalike().args(["plan", &people, "--family", "poisson", "--sigma", "1"]).assert().code(2);
}

#[test]
fn the_plan_of_sd2011_agrees_with_a_run() {
    let Some(data) = shared_data::find("data/sd2011_s7.csv") else { return };
    let answer = json(&["plan", &data.display().to_string(), "--sigma", "0.5", "--m", "1", "--near", "1:0"]);
    let point = &answer["plan"]["points"][0];
    // NBI with mean 1 and sigma 0.5: P(1) = 2 (1/3) (2/3)^2 = 8/27.
    assert!((point["tau"][0]["tau3"].as_f64().unwrap() - 8.0 / 27.0).abs() < 1e-12, "{point}");
    assert_eq!(
        point["replicated_uniques"]["expected"].as_f64().unwrap().round(),
        (1792.0_f64 * 8.0 / 27.0).round()
    );
    let catall = answer["catall_replicated_uniques"]["share_of_uniques"].as_f64().unwrap();
    assert!((catall - (-1.0_f64).exp()).abs() < 1e-4, "the 1/e law: {catall}");
}

#[test]
fn a_release_that_keeps_a_variable_says_so() {
    let house = House::new();
    let recipe = "method = \"sequential\"\n[variables.age]\nmethod = \"keep\"\n";
    std::fs::write(house.path("keep.toml"), recipe).unwrap();
    let out = house.path("kept");
    let made = house.synth(&["--recipe", &house.path("keep.toml"), "--seed", "1", "--out", &out]).success();
    let told = String::from_utf8_lossy(&made.get_output().stdout).into_owned();
    assert!(told.contains("kept as in the data: age"), "{told}");
    let manifest = std::fs::read_to_string(house.folder.path().join("kept/manifest.json")).unwrap();
    assert!(manifest.contains("partly synthetic data") && !manifest.contains("no record is"), "{manifest}");
    lookalike().args(["verify", &out]).assert().success();
}

#[test]
fn a_saved_model_draws_the_same_release_without_the_data() {
    let house = House::new();
    let model = house.path("people.model");
    house
        .synth(&["--method", "catall", "--seed", "3", "--out", &house.path("first"), "--save-model", &model])
        .success();
    let bytes = std::fs::read(&model).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("\"confidential\":true"));
    let refused = |path: &str| {
        let refused =
            house.synth(&["--method", "catall", "--out", &house.path("x"), "--save-model", path]).code(2);
        assert!(stderr(&refused).contains("--save-model: "), "{}", stderr(&refused));
    };
    refused(&model);
    refused(&house.path("x/people.model"));
    refused(&house.path("nowhere/people.model"));
    assert!(!house.folder.path().join("x").exists());
    std::fs::remove_file(house.path("people.csv")).unwrap();
    lookalike().args(["sample", &model, "--seed", "3", "--out", &house.path("again")]).assert().success();
    let read = |out: &str| std::fs::read(house.folder.path().join(out).join("synthetic-1.csv")).unwrap();
    assert_eq!(read("first"), read("again"));
    lookalike()
        .args(["sample", &model, "--rows", "5", "--m", "3", "--out", &house.path("more")])
        .assert()
        .success();
    assert!(house.folder.path().join("more/synthetic-3.csv").exists());
    let mut changed = bytes;
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    std::fs::write(house.path("changed"), changed).unwrap();
    for (file, says) in
        [("first/recipe.toml", "is no model file"), ("changed", "was changed after it was written")]
    {
        let refused =
            lookalike().args(["sample", &house.path(file), "--out", &house.path("no")]).assert().code(1);
        assert!(stderr(&refused).contains(says), "{}", stderr(&refused));
    }
}

#[test]
fn the_page_of_methods_is_up_to_date() {
    let output = lookalike().args(["methods", "--markdown"]).assert().success();
    let page = shared_data::checkout().join("docs/methods.md");
    let written = std::fs::read(page).unwrap_or_default();
    assert!(output.get_output().stdout == written, "run `cargo run -- methods --markdown > docs/methods.md`");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_leaves_nothing_behind() {
    let house = House::new();
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args([
            "synth",
            &house.path("people.csv"),
            "--method",
            "catall",
            "--rows",
            "100000000",
            "--out",
            &house.path("out"),
            "--quiet",
        ])
        .spawn()
        .unwrap();
    let begun = || std::fs::read_dir(house.folder.path()).unwrap().count() > 1;
    while !begun() && run.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(!begun(), "only the data are left");
}
