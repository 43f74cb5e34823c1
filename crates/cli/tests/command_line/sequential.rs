//! Sequential synthesis as its users call it: with no options, with recipes, with recipes that are wrong.

use std::path::Path;

use crate::harness::{json, lookalike};

struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        let mut people = String::from("sex,age,married,since,pay\n");
        for row in 0..300 {
            let (married, since) =
                if row % 3 == 0 { ("yes", (1980 + row % 40).to_string()) } else { ("no", String::new()) };
            people.push_str(&format!(
                "{},{},{married},{since},{}\n",
                ["F", "M"][row % 2],
                20 + row % 50,
                900 + 7 * (row % 90)
            ));
        }
        house.write("people.csv", &people);
        house.write(
            "people.schema.toml",
            "[variables.sex]\nkind = \"categorical\"\n\n[variables.age]\nkind = \"integer\"\n\n[variables.married]\nkind = \"categorical\"\n\n\
             [variables.since]\nkind = \"integer\"\nmissing = true\n\n[variables.pay]\nkind = \"integer\"\n\n\
             [[rules]]\nwhen = \"married = 'no'\"\nthen = \"since is missing\"\n",
        );
        house
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn synth(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        lookalike().args(["synth", &self.path("people.csv")]).args(arguments).assert()
    }

    fn data(&self, out: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(out).join("synthetic-1.csv")).unwrap()
    }
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn with_no_options_it_is_sequential_by_cart() {
    let house = House::new();
    house.synth(&["--schema", &house.path("people.schema.toml"), "--out", &house.path("out")]).success();
    let manifest = std::fs::read_to_string(house.path("out/manifest.json")).unwrap();
    assert!(manifest.contains("\"method\": \"sequential\""), "{manifest}");
    let profile =
        json(&["describe", &house.path("out/synthetic-1.csv"), "--schema", &house.path("out/schema.toml")]);
    assert_eq!(profile["rows"], 300);
    assert!(house.data("out").lines().skip(1).all(|line| !line.contains(",no,1") && !line.contains(",no,2")));
}

#[test]
fn a_recipe_that_is_wrong_is_refused_with_its_line() {
    let house = House::new();
    for (recipe, line, expected) in [
        (
            "method = \"sequential\"\n\n[variables.age]\npredictors = [\"pay\"]\n",
            4,
            "`pay` is not yet visited",
        ),
        (
            "method = \"sequential\"\n[variables.age]\nmethod = \"passive\"\nformula = \"pay\"\n[variables.pay]\nmethod = \"passive\"\nformula = \"age\"\n",
            4,
            "break the circle",
        ),
        ("method = \"sequential\"\n\n[options]\nmin_bucket = 0\n", 4, "at least one record"),
        ("method = \"sequential\"\n[variables.agee]\nmethod = \"cart\"\n", 2, "did you mean `age`?"),
        (
            "method = \"sequential\"\n[variables.pay]\nwithin = [\"sex\"]\nmethod = \"carrt\"\n",
            4,
            "did you mean `cart`?",
        ),
        ("method = \"sequential\"\nstrata = [\"sexx\"]\n", 2, "did you mean `sex`?"),
        ("method = \"sequential\"\n[after.top]\npayy = 3\n", 3, "did you mean `pay`?"),
    ] {
        let path = house.write("wrong.recipe.toml", recipe);
        let refused = house.synth(&["--recipe", &path, "--out", &house.path("out")]).code(2);
        let text = stderr(&refused);
        assert!(
            text.contains(&format!("wrong.recipe.toml, line {line}: ")) && text.contains(expected),
            "{text}"
        );
        assert!(!Path::new(&house.path("out")).exists());
    }
}

#[test]
fn a_schema_that_is_wrong_is_refused_with_its_line() {
    let house = House::new();
    let right = std::fs::read_to_string(house.path("people.schema.toml")).unwrap();
    for (wrong, line, expected) in [
        (right.replace("married = 'no'", "married = 'never'"), 18, "no level 'never'"),
        (
            right.replace(
                "kind = \"integer\"\n\n[[rules]]",
                "kind = \"integer\"\nformula = \"pay + 1\"\n\n[[rules]]",
            ),
            14,
            "leads back to itself",
        ),
        (right.replace("married = 'no'", "age >= 0").replace("since is missing", "pay = 1"), 18, "broken"),
    ] {
        let path = house.write("wrong.schema.toml", &wrong);
        let refused = house.synth(&["--schema", &path, "--out", &house.path("out")]).failure();
        let text = stderr(&refused);
        let has_line = text.contains(&format!("wrong.schema.toml, line {line}: "));
        assert!(text.contains(expected) && has_line, "{text}");
    }
    // Nobody is married, so that the rule leaves nothing of `since`.
    let data = "F,20,no,,3\nM,30,no,,4\nF,40,no,,5\n".repeat(10);
    house.write("people.csv", &format!("sex,age,married,since,pay\n{data}"));
    let refused =
        house.synth(&["--schema", &house.path("people.schema.toml"), "--out", &house.path("out")]).failure();
    let text = stderr(&refused);
    assert!(
        text.contains("people.schema.toml, line 18: ") && text.contains("nothing is left to learn"),
        "{text}"
    );
}

#[test]
fn a_run_can_be_resumed_and_leaves_nothing_confidential_behind() {
    let house = House::new();
    let (whole, kept) = (house.path("whole"), house.path("kept"));
    house.synth(&["--seed", "4", "--out", &whole]).success();
    house.synth(&["--seed", "4", "--resume", &kept, "--out", &house.path("again")]).success();
    assert_eq!(house.data("whole"), house.data("again"));
    assert!(!Path::new(&kept).exists(), "removed at the end");
    // A run that dies after its fit: the release exists, which is found out before anything is fitted.
    house.synth(&["--seed", "4", "--resume", &kept, "--out", &whole]).code(2);
    house.write("own", "");
    let refused = house.synth(&["--resume", &house.path("."), "--out", &house.path("more")]).code(2);
    assert!(stderr(&refused).contains("--resume"), "{}", stderr(&refused));
    let refused =
        house.synth(&["--method", "catall", "--resume", &kept, "--out", &house.path("more")]).code(2);
    assert!(stderr(&refused).contains("`catall` does not know it"), "{}", stderr(&refused));
    let refused = house.synth(&["--memory", "1kB", "--out", &house.path("more")]).code(2);
    assert!(stderr(&refused).contains("--memory"), "{}", stderr(&refused));
    house.synth(&["--memory", "much", "--out", &house.path("more")]).code(2);
    house.synth(&["--memory", "2 GB", "--out", &house.path("more")]).success();
}

#[test]
fn a_process_that_is_killed_at_any_variable_resumes_to_the_same_bytes() {
    let house = House::new();
    let invented = town::Town::new(4_000, 3);
    let (town, schema) =
        (house.write("people.csv", &invented.csv()), house.write("town.schema.toml", &invented.schema()));
    let options =
        ["--schema", &schema, "--seed", "4", "--set", "method=bagging", "--set", "trees=10", "--quiet"];
    house.synth(&[&options[..], &["--out", &house.path("whole")]].concat()).success();
    let mut killed = 0;
    for variable in 1..=5 {
        let (kept, out) = (house.path(&format!("kept-{variable}")), format!("out-{variable}"));
        let target = house.path(&out);
        let run = [&options[..], &["--resume", &kept, "--out", &target]].concat();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(["synth", &town])
            .args(&run)
            .spawn()
            .unwrap();
        let part = Path::new(&kept).join(format!("part-{variable:04}.model-part"));
        while !part.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        if !Path::new(&target).exists() {
            house.synth(&run).success();
        }
        assert_eq!(house.data("whole"), house.data(&out), "killed at variable {variable}");
    }
    assert!(killed >= 3, "only {killed} of 5 processes were still running when they were killed");
}
