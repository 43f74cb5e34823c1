//! `lookalike reproduce` and `lookalike tournament`.

use crate::harness::lookalike;

#[test]
fn mcclure_is_reproduced_without_data() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mcclure");
    let done = lookalike().args(["reproduce", "mcclure2012", "--out"]).arg(&out).assert().success();
    let text = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    assert!(text.contains("REPRODUCED: all 49 cells that must agree do."), "{text}");
    let page = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(page.contains("| p0 = 0.001 | 0.1252 · 0.1250 ✓ |"), "{page}");
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("reproduction.json")).unwrap()).unwrap();
    assert_eq!(json["tables"][0]["cells"][0]["verdict"], "agrees");
    for figure in 1..=4 {
        let numbers = std::fs::read_to_string(out.join(format!("figure-{figure}.csv"))).unwrap();
        assert!(numbers.starts_with("series,") && numbers.lines().count() > 60, "figure {figure}");
    }
    // One seed, one output.
    let again = folder.path().join("again");
    lookalike().args(["reproduce", "mcclure2012", "--quiet", "--out"]).arg(&again).assert().success();
    assert_eq!(page, std::fs::read_to_string(again.join("report.md")).unwrap());
}

#[test]
fn what_cannot_be_done_is_said_with_the_way_out() {
    let error = |arguments: &[&str], code: i32| {
        let done = lookalike().args(arguments).assert().code(code);
        let output = done.get_output();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    assert!(error(&["reproduce", "taub2002"], 2).contains("did you mean `taub2020`?"));
    let needs = error(&["reproduce", "taub2020"], 2);
    assert!(
        needs.contains("JRSS_Supplementary_Material") && needs.contains("give each file with --data"),
        "{needs}"
    );
    assert!(error(&["reproduce", "mcclure2012", "--data", "x.csv"], 2).contains("needs no data"));
    assert!(error(&["reproduce", "mcclure2012", "--repeat", "1"], 2).contains("at least 2 runs"));
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.csv");
    std::fs::write(&other, "sex,age,marital\nF,3,S\n").unwrap();
    let text = error(&["reproduce", "drechsler2023", "--data", &other.display().to_string()], 1);
    assert!(text.contains("for sd2011 it lacks the columns agegr, eduspec, income"), "{text}");
}

/// SD2011 without its last hundred people: N, p0 and p1 are no longer the paper's.
#[test]
fn a_file_that_is_not_the_papers_does_not_pass() {
    let Some(path) = shared_data::find("data/sd2011_s7.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut command = lookalike();
        command
            .args(["reproduce", "raab2022", "--quiet", "--repeat", "2", "--json", "-", "--data"])
            .arg(&file);
        let output = command.output().unwrap();
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let sizes = found["tables"][0]["cells"].as_array().unwrap().clone();
        let failed = sizes.iter().filter(|cell| cell["verdict"] == "fails").count();
        (output.status.code(), failed)
    };
    assert_eq!(run("sd2011.csv", &text).1, 0);
    let shorter: Vec<&str> = text.lines().take(4_900).collect();
    let (code, failed) = run("shorter.csv", &format!("{}\n", shorter.join("\n")));
    assert!(code == Some(1) && failed > 0, "{code:?} {failed}");
}

#[test]
fn a_tournament_on_the_town_ranks_its_entrants() {
    let folder = tempfile::tempdir().unwrap();
    let town = town::Town::new(600, 3);
    let (data, schema) = (folder.path().join("town.csv"), folder.path().join("town.schema.toml"));
    std::fs::write(&data, town.csv()).unwrap();
    std::fs::write(&schema, town.schema()).unwrap();
    let mut command = lookalike();
    command.args([
        "tournament",
        "--repeat",
        "2",
        "--only",
        "cart,sample,graph",
        "--keys",
        "sex,age,district",
    ]);
    command.args(["--targets", "marital", "--json", "-", "--schema"]).arg(&schema).arg(&data);
    let done = command.assert().success();
    let found: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let found = found.as_array().unwrap();
    let scores: Vec<f64> =
        found.iter().map(|entry| entry["runs"][0]["geometric_mean"].as_f64().unwrap()).collect();
    assert_eq!((scores.len(), found[0]["runs"].as_array().unwrap().len()), (3, 2));
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    let mut wrong = lookalike();
    wrong.args(["tournament", "--only", "crat", "--keys", "sex"]).arg(&data);
    let text = String::from_utf8_lossy(&wrong.assert().code(2).get_output().stderr).into_owned();
    assert!(text.contains("did you mean `cart`?"), "{text}");
}

#[test]
fn a_tournament_refuses_what_it_cannot_score_and_where_it_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    std::fs::write(&data, "a,b\nx,1\ny,2\nx,1\ny,1\nx,2\ny,2\nx,1\n").unwrap();
    let private = folder.path().join("mine.recipe.toml");
    std::fs::write(&private, "method = \"ipf\"\n[privacy]\nepsilon = 1.0\n").unwrap();
    let error = |arguments: &[&str], code: i32| {
        let done = lookalike().arg("tournament").arg(&data).args(arguments).assert().code(code);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    let nothing = error(&["--keys", "a,b"], 2);
    assert!(nothing.contains("option `keys`: there is no target beside the keys"), "{nothing}");
    let model = error(&["--keys", "a", "--model", "a ~ b"], 2);
    assert!(model.contains("option `model`: `a ~ b`: the response `a` is not a number"), "{model}");
    let recipe = error(&["--keys", "a", "--recipe", &private.display().to_string()], 2);
    assert!(recipe.contains("option `recipe`: `mine` is private"), "{recipe}");
    let json = folder.path().join("no/folder.json").display().to_string();
    assert!(error(&["--keys", "a", "--json", &json], 1).contains("folder.json"));
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for arguments in [["--out", "file/deeper"], ["--json", "no/folder.json"]] {
        let place = folder.path().join(arguments[1]);
        let done = lookalike().args(["reproduce", "jackson2022", arguments[0]]).arg(&place).assert().code(1);
        let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(text.contains(arguments[1]) && !text.contains("building"), "{text}");
    }
}

/// A survey without the area of Ps.
#[test]
fn a_file_with_other_records_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.csv");
    let area = "PUMA,YEAR,GQ,SEX,AGE,MARST,RACE,HISPAN\n1-1,2012,1,1,21-25,1,1,0\n1-2,2013,1,2,26-30,2,1,0\n";
    std::fs::write(&other, area).unwrap();
    let done = lookalike().args(["reproduce", "raab2022", "--data"]).arg(&other).assert().code(1);
    let text = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(text.contains("no record is of the area 17-202") && text.contains("IL_OH_10Y_PUMS"), "{text}");
}
