//! `release` as a custodian calls it: what is refused, what is written, and what of it may be released.

use std::path::{Path, PathBuf};

use crate::harness::lookalike;

/// A confidential value of one record.
const CANARY: &str = "98765";

struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { folder: tempfile::tempdir().unwrap() };
        let mut people = String::from("sex,town,income\n");
        for row in 0..400_usize {
            let sex = ["F", "M"][row % 2];
            people.push_str(&format!("{sex},{},{}\n", ["a", "b", "c"][row * row % 3], 100 + 37 * (row % 83)));
        }
        people.push_str(&format!("F,c,{CANARY}\n"));
        house.write("people.csv", &people);
        house.write(
            "people.schema.toml",
            "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\n\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\n\
             [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n\n\
             [variables.income]\nkind = \"integer\"\nrange = [0, 100000]\ncuts = [0, 1000, 2000, 3000, 100000]\n",
        );
        house.write("plain.recipe.toml", "method = \"catall\"\nm = 2\n\n[after]\nlabel = \"FAKE\"\n");
        house.write("private.recipe.toml", "method = \"ipf\"\n\n[privacy]\nepsilon = 2.0\nrecords = 401\n");
        house
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    fn release(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let usual = ["--schema", &self.path("people.schema.toml"), "--accepted-by", "the board"];
        let only: &[&str] = if arguments.contains(&"--recipe") { &["--only", "tables,uniques"] } else { &[] };
        lookalike()
            .args(["release", &self.path("people.csv")])
            .args(usual)
            .args(only)
            .args(arguments)
            .assert()
    }

    /// Every file of a release that may be released.
    fn public_files(&self, release: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().join(release)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true if path.ends_with("internal") => {}
                    true => folders.push(path),
                    false => files.push(path),
                }
            }
        }
        files
    }
}

fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn what_was_measured_leaves_the_house_only_where_it_is_allowed() {
    let house = House::new();
    let (recipe, out) = (house.path("plain.recipe.toml"), house.path("out"));
    let publish = ["--publish", "tables.mean_s_pmse", "--because", "asked for"];
    let limits = ["--limit", "uniques.ru <= 100", "--limit", "tables.mean_s_pmse:2 <= 1000"];
    house.release(&[&["--recipe", &recipe, "--out", &out][..], &publish, &limits].concat()).success();
    lookalike().args(["verify", &out]).assert().success();
    let public = house.public_files("out");
    assert!(public.iter().any(|file| file.ends_with("report.html")), "{public:?}");
    assert!(public.iter().any(|file| file.ends_with("pictures/released-02-sex.svg")), "{public:?}");
    for file in public {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains(CANARY), "{}", file.display());
        assert!(!text.contains("uniques.p1"), "{}", file.display());
    }
    let report = house.read("out/report.html");
    assert!(report.contains("External edition") && report.contains("tables.mean_s_pmse"));
    assert!(house.read("out/internal/report-internal.html").contains("uniques.p1"));
    let (decision, inside): (serde_json::Value, serde_json::Value) = (
        serde_json::from_str(&house.read("out/decision.json")).unwrap(),
        serde_json::from_str(&house.read("out/internal/decision.json")).unwrap(),
    );
    assert_eq!(decision["accepted_by"], "the board");
    assert_eq!(
        (&decision["limits"][0]["value"], &decision["limits"][0]["kept"]),
        (&serde_json::Value::Null, &true.into())
    );
    assert!(decision["limits"][1]["value"].is_number() && inside["limits"][0]["value"].is_number());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            std::fs::metadata(house.path("out/internal/evaluation.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "only the owner may read it");
    }
}

#[test]
fn a_private_release_tells_nothing_that_no_ledger_covers() {
    let house = House::new();
    let (recipe, out) = (house.path("private.recipe.toml"), house.path("out"));
    let limits = ["--limit", "epsilon <= 2", "--limit", "tables.mean_s_pmse:2 <= 100000"];
    let asked = [&["--recipe", &recipe, "--out", &out][..], &limits].concat();
    let refused = house.release(&asked).code(3);
    assert!(stderr(&refused).contains("say why with --unpaid-look"), "{}", stderr(&refused));
    house.release(&[&asked[..], &["--unpaid-look", "the board insists"]].concat()).success();
    lookalike().args(["verify", &out]).assert().success();
    let decision: serde_json::Value = serde_json::from_str(&house.read("out/decision.json")).unwrap();
    assert_eq!(decision["limits"].as_array().map(Vec::len), Some(1), "{decision}");
    for file in ["out/manifest.json", "out/ledger.md", "out/report.html"] {
        assert!(house.read(file).contains("does not cover the decision"), "{file}");
    }
    assert!(decision["caveats"][0].as_str().unwrap().contains("does not cover the decision"), "{decision}");
    let internal: serde_json::Value =
        serde_json::from_str(&house.read("out/internal/internal.json")).unwrap();
    assert!(internal.get("seed").is_none() && internal.get("input_sha256").is_none(), "{internal}");
    house.release(&["--recipe", &recipe, "--limit", "epsilon <= 2", "--out", &house.path("paid")]).success();
    assert!(!house.read("paid/manifest.json").contains("not_covered"));
    let refused = house.release(&["--recipe", &recipe, "--out", &house.path("b"), "--seed", "1"]).code(3);
    assert!(stderr(&refused).contains("seed"), "{}", stderr(&refused));
}

#[test]
fn a_broken_limit_stops_the_release_unless_there_is_a_reason() {
    let house = House::new();
    let (recipe, out) = (house.path("plain.recipe.toml"), house.path("out"));
    let asked = ["--recipe", &recipe, "--limit", "tables.mean_s_pmse:2 <= 0.001", "--out", &out];
    let refused = house.release(&asked).code(1);
    assert!(stderr(&refused).contains("breaks tables.mean_s_pmse:2 <= 0.001"), "{}", stderr(&refused));
    assert!(!Path::new(&out).exists(), "nothing was written");
    house.release(&[&asked[..], &["--exception", "for teaching"]].concat()).success();
    let decision: serde_json::Value = serde_json::from_str(&house.read("out/decision.json")).unwrap();
    assert_eq!(
        (&decision["exception"], &decision["limits"][0]["kept"]),
        (&"for teaching".into(), &false.into())
    );
}

#[test]
fn a_frontier_is_released_by_its_recommendation_or_by_name() {
    let house = House::new();
    house.write(
        "grid.toml",
        "[[recipe]]\nmethod = \"catall\"\n\n[[recipe]]\nmethod = \"ipf\"\noptions = { margins = \"all1\" }\n",
    );
    let frontier = house.path("frontier");
    lookalike()
        .args(["frontier", &house.path("people.csv"), "--schema", &house.path("people.schema.toml")])
        .args(["--grid", &house.path("grid.toml"), "--repeat", "2", "--only", "tables,uniques"])
        .args(["--risk", "uniques.ru", "--limit", "uniques.ru <= 100", "--out", &frontier, "--quiet"])
        .assert()
        .success();
    assert!(Path::new(&frontier).join("report-internal.html").exists());
    let found: serde_json::Value = serde_json::from_str(&house.read("frontier/frontier.json")).unwrap();
    let best = found["recommendation"]["name"].as_str().unwrap();
    house.release(&["--frontier", &frontier, "--out", &house.path("best")]).success();
    let decision: serde_json::Value = serde_json::from_str(&house.read("best/decision.json")).unwrap();
    assert_eq!((&decision["chosen"], &decision["recommended"]), (&best.into(), &true.into()));
    assert_eq!(decision["limits"][0]["limit"], "uniques.ru <= 100");
    let other = ["catall", "ipf"].into_iter().find(|name| *name != best).unwrap();
    house.release(&["--frontier", &frontier, "--choose", other, "--out", &house.path("other")]).success();
    let decision: serde_json::Value = serde_json::from_str(&house.read("other/decision.json")).unwrap();
    assert_eq!((&decision["chosen"], &decision["recommended"]), (&other.into(), &false.into()));
    for (arguments, expected) in [
        (&["--frontier", &frontier, "--choose", "ipv"][..], "did you mean `ipf`"),
        (&["--frontier", &frontier, "--m", "3"], "--m: the frontier measured"),
        (&["--frontier", &frontier, "--groups", "3"], "--groups: a version of a frontier"),
        (
            &["--recipe", &house.path("plain.recipe.toml"), "--publish", "tabels", "--because", "x"],
            "did you mean `tables`",
        ),
    ] {
        let refused = house.release(&[arguments, &["--out", &house.path("none")]].concat()).code(2);
        assert!(stderr(&refused).contains(expected), "{}", stderr(&refused));
    }
    house.release(&["--frontier", &house.path("nowhere"), "--out", &house.path("none")]).code(1);
    let unmeasured = ["--recipe", &house.path("plain.recipe.toml"), "--limit", "attribute.disco <= 5"];
    house.release(&[&unmeasured[..], &["--out", &house.path("none")]].concat()).code(2);
    let unmeasured =
        ["--recipe", &house.path("plain.recipe.toml"), "--publish", "attribute", "--because", "x"];
    house.release(&[&unmeasured[..], &["--out", &house.path("none")]].concat()).code(2);
}

#[test]
fn a_learned_schema_needs_a_reason() {
    let house = House::new();
    let (data, recipe, out) = (house.path("people.csv"), house.path("plain.recipe.toml"), house.path("out"));
    let asked = [
        "release",
        &data,
        "--recipe",
        &recipe,
        "--only",
        "tables",
        "--accepted-by",
        "the board",
        "--out",
        &out,
    ];
    let refused = lookalike().args(asked).assert().code(3);
    assert!(stderr(&refused).contains("--no-limits"), "{}", stderr(&refused));
    let asked = [&asked[..], &["--no-limits", "a test"]].concat();
    let refused = lookalike().args(&asked).assert().code(3);
    assert!(stderr(&refused).contains("say why with --learned-schema"), "{}", stderr(&refused));
    lookalike().args(&asked).args(["--learned-schema", "the code book is lost"]).assert().success();
    assert!(house.read("out/decision.json").contains("the code book is lost"));
}
