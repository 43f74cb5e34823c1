//! `lookalike frontier` as its users call it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Files, json, lookalike};

const GRID: &str = "[[recipe]]\nname = \"cart\"\nmethod = \"sequential\"\noptions.min_bucket = [5, 50]\n\
                    [[recipe]]\nmethod = \"saturated\"\noptions.sigma = [0.5, 2]\n";

/// People with a sex, a town, a job and an age.
fn people(records: usize) -> String {
    let mut text = "sex,town,job,age\n".to_owned();
    for i in 0..records {
        let town = ["a", "b", "c"][(i * i + i / 7) % 3];
        let job = ["none", "baker", "smith", "clerk"][(i * 5 + i / 11) % 4];
        text += &format!("{},{town},{job},{}\n", ["F", "M"][i % 2], 20 + (i * 37) % 50);
    }
    text
}

fn refused(arguments: &[&str], code: i32) -> String {
    let output = lookalike().arg("frontier").args(arguments).assert().code(code);
    String::from_utf8_lossy(&output.get_output().stderr).into_owned()
}

#[test]
fn a_frontier_names_what_to_release_and_writes_its_recipes() {
    let files = Files::new();
    let (data, grid, out) =
        (files.write("people.csv", &people(120)), files.write("g.toml", GRID), files.path("out"));
    let arguments = [
        "frontier",
        &data,
        "--grid",
        &grid,
        "--repeat",
        "2",
        "--out",
        &out,
        "--limit",
        "tables.mean_s_pmse:2 <= 1000",
    ];
    let output = lookalike().args(arguments).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    for part in ["cart-5", "saturated-2", "dominated", "kept", "has the best utility", "do not release them"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let frontier: Value =
        serde_json::from_slice(&std::fs::read(Path::new(&out).join("frontier.json")).unwrap()).unwrap();
    assert_eq!((&frontier["format"], &frontier["repeat"]), (&"lookalike-frontier".into(), &2.into()));
    assert!(frontier["confidential"].as_str().unwrap().contains("do not release"));
    let best = frontier["recommendation"]["name"].as_str().unwrap();
    // What is recommended can be made.
    let recipe = Path::new(&out).join(format!("recipes/{best}.recipe.toml")).display().to_string();
    let release = files.path("release");
    lookalike()
        .args(["synth", &data, "--recipe", &recipe, "--seed", "1", "--out", &release])
        .assert()
        .success();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(Path::new(&out).join("frontier.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    // Printed alone it is the same.
    let printed = json(&arguments[..6].iter().chain(&arguments[8..]).copied().collect::<Vec<_>>());
    assert_eq!(printed, frontier);
}

#[test]
fn what_is_not_its_own_is_left_alone() {
    let files = Files::new();
    let (data, out) = (files.write("people.csv", &people(60)), files.path("out"));
    let grid = files.write("g.toml", "[[recipe]]\nmethod = \"catall\"\n");
    let arguments = [
        "frontier",
        &data,
        "--grid",
        &grid,
        "--repeat",
        "1",
        "--only",
        "tables,uniques",
        "--quiet",
        "--out",
        &out,
    ];
    let (runs, recipes) = (Path::new(&out).join("runs"), Path::new(&out).join("recipes"));
    std::fs::create_dir_all(&runs).unwrap();
    std::fs::create_dir_all(&recipes).unwrap();
    std::fs::write(recipes.join("soup.txt"), "leek").unwrap();
    assert!(refused(&arguments[1..], 1).contains("holds no frontier"));
    std::fs::remove_dir_all(&out).unwrap();
    lookalike().args(arguments).assert().success();
    // Recipes of an earlier grid go, a note stays.
    std::fs::write(recipes.join("soup.txt"), "leek").unwrap();
    std::fs::write(recipes.join("earlier.recipe.toml"), "method = \"catall\"").unwrap();
    lookalike().args(arguments).assert().success();
    assert!(recipes.join("soup.txt").exists() && recipes.join("catall.recipe.toml").exists());
    assert!(!recipes.join("earlier.recipe.toml").exists());
}

#[test]
fn a_frontier_that_is_killed_goes_on_to_the_same_bytes() {
    let files = Files::new();
    let (data, grid) = (files.write("people.csv", &people(1500)), files.write("g.toml", GRID));
    let (whole, killed) = (files.path("whole"), files.path("killed"));
    let arguments = |out: &str| {
        let all =
            ["frontier", &data, "--grid", &grid, "--repeat", "6", "--threads", "1", "--quiet", "--out", out];
        all.map(str::to_owned)
    };
    lookalike().args(arguments(&whole)).assert().success();
    let mut child =
        std::process::Command::new(env!("CARGO_BIN_EXE_lookalike")).args(arguments(&killed)).spawn().unwrap();
    let finished = || std::fs::read_dir(Path::new(&killed).join("runs")).map_or(0, Iterator::count);
    let start = Instant::now();
    while finished() < 3 && start.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let result = Path::new(&killed).join("frontier.json");
    assert!(finished() >= 3 && !result.exists(), "it was killed half way, after {} runs", finished());
    lookalike().args(arguments(&killed)).assert().success();
    assert_eq!(
        std::fs::read(result).unwrap(),
        std::fs::read(Path::new(&whole).join("frontier.json")).unwrap()
    );
}

#[test]
fn other_tools_take_part_unless_their_columns_differ() {
    let files = Files::new();
    let data = files.write("people.csv", &people(90));
    let grid = files.write("g.toml", "[[recipe]]\nmethod = \"catall\"\n");
    let other = files.write("other.csv", &people(80));
    let fewer = files.write("fewer.csv", "sex,town,job,height\nF,a,baker,170\nM,b,smith,180\n");
    let usual = ["--grid", grid.as_str(), "--repeat", "1", "--only", "tables,uniques"];
    let contestant = format!("mine={other},{other}");
    let mut arguments = vec!["frontier", &data, "--contestant", &contestant];
    arguments.extend(usual);
    let frontier = json(&arguments);
    assert_eq!(
        frontier["contestants"][1]["origin"]["imported"]["files"],
        serde_json::json!(["other.csv", "other.csv"])
    );
    let wrong = format!("theirs={fewer}");
    let mut arguments = vec![data.as_str(), "--contestant", &wrong];
    arguments.extend(usual);
    let error = refused(&arguments, 1);
    assert!(error.contains("contestant `theirs`") && error.contains("without age; with height"), "{error}");
    assert!(refused(&[&data, "--contestant", &other], 2).contains("NAME=FILE"));
    let taken = format!("catall={other}");
    let mut arguments = vec![data.as_str(), "--contestant", &taken];
    arguments.extend(usual);
    assert!(refused(&arguments, 2).contains("`catall` is taken"));
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_way_out() {
    let files = Files::new();
    let data = files.write("people.csv", &people(30));
    let refused_with = |more: &[&str]| refused(&[&[data.as_str()], more].concat(), 2);
    assert!(refused_with(&["--limit", "attribute.tcap < 0.4"]).contains("MEASURE <= NUMBER"));
    assert!(refused_with(&["--limit", "attribute.tcapp <= 0.4"]).contains("did you mean `attribute.tcap`?"));
    assert!(refused_with(&["--risk", "attribute.discoo"]).contains("did you mean `attribute.disco`?"));
    assert!(refused_with(&["--utility", "uniques.p1"]).contains("does not judge"));
    assert!(refused_with(&["--only", "tables", "--risk", "uniques.ru"]).contains("add `uniques` to --only"));
    assert!(refused_with(&["--only", "tables"]).contains("--risk"));
    assert!(
        refused_with(&["--only", "uniques,tables", "--model", "age ~ sex"])
            .contains("--model: it has no effect")
    );
    let grid = files.write("g.toml", "[[recipe]]\nmethod = \"catall\"\nnprior = 1\n");
    let error = refused_with(&["--grid", &grid]);
    assert!(error.contains("g.toml") && error.contains("line 3"), "{error}");
    let occupied = files.folder.path().display().to_string();
    assert!(refused(&[&data, "--out", &occupied], 1).contains("holds no frontier"));
}

#[test]
fn a_holdout_is_set_apart_and_classical_methods_are_never_recommended() {
    let files = Files::new();
    let (data, out) = (files.write("people.csv", &people(200)), files.path("out"));
    let grid = files.write(
        "g.toml",
        "[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nmethod = \"swapping\"\n[[recipe]]\nmethod = \"suppression\"\n",
    );
    let only = "tables,uniques,attribute,membership";
    let arguments = [
        "frontier",
        &data,
        "--grid",
        &grid,
        "--repeat",
        "1",
        "--holdout-share",
        "0.25",
        "--only",
        only,
        "--out",
        &out,
    ];
    let output = lookalike().args(arguments).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.contains("50 of 200 records were set apart"), "{text}");
    assert!(text.contains("swapping, suppression: records of real units"), "{text}");
    let frontier: Value =
        serde_json::from_slice(&std::fs::read(Path::new(&out).join("frontier.json")).unwrap()).unwrap();
    assert_eq!((&frontier["rows"], &frontier["holdout"]), (&200.into(), &50.into()));
    assert_eq!(frontier["recommendation"]["name"], "catall");
    let findings = frontier["contestants"][0]["findings"].as_array().unwrap();
    let membership = findings.iter().find(|finding| finding["measure"] == "membership.distance_auc").unwrap();
    assert!(membership["value"].is_number(), "{membership}");
    assert!(findings.iter().any(|finding| finding["detail"].get("holdout").is_some()));
    assert!(refused(&[&data, "--holdout-share", "1.5"], 2).contains("--holdout-share"));
}
