//! What is refused before work begins, and what the process may not do.

use std::io::Write;

use crate::harness::{Files, lookalike};

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n";

fn people(files: &Files) -> (String, String) {
    (files.write("people.csv", &format!("sex\n{}", "F\nM\n".repeat(40))), files.write("s.toml", SCHEMA))
}

fn refused(arguments: &[&str], code: i32) -> String {
    let done = lookalike().args(arguments).timeout(std::time::Duration::from_secs(120)).assert().code(code);
    String::from_utf8_lossy(&done.get_output().stderr).into_owned()
}

#[test]
fn numbers_that_ask_for_too_much_are_refused_before_work() {
    let files = Files::new();
    let (data, schema) = people(&files);
    let out = files.path("out");
    let synth = ["synth", &data, "--schema", &schema, "--out", &out];
    let with = |more: &[&str], code| refused(&[&synth[..], more].concat(), code);
    assert!(with(&["--m", "4000000000"], 2).contains("data sets"));
    assert!(with(&["--groups", "4000000000", "--method", "catall"], 2).contains("groups"));
    assert!(with(&["--epsilon", "1e-9", "--method", "ipf"], 2).contains("noise and nothing else"));
    let stated = ["--epsilon", "1e-4", "--method", "ipf", "--records", "80", "--rows", "80"];
    lookalike().args(synth).args(stated).assert().success();
    let values: Vec<String> = (1..=200).map(|value| value.to_string()).collect();
    let list = values.join(", ");
    let grid = files.write(
        "grid.toml",
        &format!("[[recipe]]\nmethod = \"saturated\"\nm = [{list}]\noptions = {{ sigma = [{list}] }}\n"),
    );
    assert!(refused(&["frontier", &data, "--grid", &grid], 2).contains("contestants"));
}

#[test]
fn twenty_thousand_terms_of_a_rule_are_refused_with_a_way_out() {
    let files = Files::new();
    let (data, _) = people(&files);
    let terms = vec!["sex = 'F'"; 20_000].join(" and ");
    let schema = files.write("long.toml", &format!("{SCHEMA}[[impossible]]\nwhere = \"{terms}\"\n"));
    let message = refused(&["describe", &data, "--schema", &schema], 1);
    assert!(message.contains("operators") && message.len() < 2_000, "{message}");
    // A long list of levels is no deep tree.
    let list: Vec<String> = (0..20_000).map(|level| format!("'l{level}'")).collect();
    let schema = files.write(
        "list.toml",
        &format!("{SCHEMA}[[impossible]]\nwhere = \"not sex in ('F', 'M', {})\"\n", list.join(", ")),
    );
    let message = refused(&["describe", &data, "--schema", &schema], 1);
    assert!(!message.contains("operators"), "{message}");
}

#[test]
fn a_file_that_unpacks_beyond_reason_is_refused() {
    let files = Files::new();
    let plain = files.path("bomb.csv");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&plain).unwrap());
    writeln!(file, "x").unwrap();
    let block = "0\n".repeat(1 << 19);
    for _ in 0..90 {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.flush().unwrap();
    let Ok(packed) = std::process::Command::new("gzip").arg(&plain).status() else {
        println!("skipped: there is no gzip");
        return;
    };
    assert!(packed.success());
    let message = refused(&["describe", &format!("{plain}.gz")], 1);
    assert!(message.contains("times its size"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_is_refused_before_it_is_read() {
    let files = Files::new();
    let rows: String = (0..200_000).map(|row| format!("{row},{},{}\n", row % 7, row * 3)).collect();
    let data = files.write("wide.csv", &format!("a,b,c\n{rows}"));
    let little = ["--memory", "20MB"];
    for command in [vec!["measure", &data, &data], vec!["frontier", &data]] {
        let message = refused(&[&command[..], &little].concat(), 2);
        assert!(message.contains("--memory"), "{command:?}: {message}");
    }
    // What needs counts alone is done block by block; what would publish them, only under a schema that somebody declared.
    let out = files.path("out");
    let message = refused(&[&["synth", &data, "--method", "catall", "--out", &out][..], &little].concat(), 3);
    assert!(message.contains("declared schema"), "{message}");
    for command in ["describe", "plan"] {
        lookalike().args([command, &data]).args(little).assert().success();
    }
}

/// Where the kernel can confine a process, a link out of the folder of results is not written through, and nothing but the inputs is read.
#[cfg(target_os = "linux")]
#[test]
fn a_confined_process_writes_nowhere_else() {
    let files = Files::new();
    let (data, schema) = people(&files);
    let required = ["--sandbox", "required"];
    let probe = lookalike().args(["describe", &data]).args(required).output().unwrap();
    if probe.status.code() == Some(2) {
        println!("skipped: this kernel has no Landlock");
        return;
    }
    assert!(probe.status.success());
    let inside = files.path("inside");
    std::fs::create_dir(&inside).unwrap();
    let (out, json) = (format!("{inside}/out"), format!("{inside}/result.json"));
    let synth = ["synth", &data, "--schema", &schema, "--method", "catall", "--threads", "2"];
    lookalike().args(synth).args(["--out", &out, "--json", &json]).args(required).assert().success();
    // The test hook asks the confined process to write and to read elsewhere.
    let elsewhere = files.path("elsewhere");
    let tried = lookalike()
        .args(synth)
        .args(["--out", &out, "--force"])
        .args(required)
        .env("LOOKALIKE_TEST_SANDBOX", &elsewhere)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&tried.stderr).into_owned();
    assert!(
        text.contains("write: refused")
            && text.contains("read: refused")
            && text.contains("connect: refused"),
        "{text}"
    );
    assert!(!std::path::Path::new(&elsewhere).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_dies_leaves_no_memory_behind() {
    let files = Files::new();
    let rows: String = (0..300_000).map(|row| format!("{row},{}\n", row % 7)).collect();
    let data = files.write("people.csv", &format!("a,b\n{rows}"));
    let mut process = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(["synth", &data, "--out", &files.path("out"), "--quiet"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.id())).unwrap_or_default();
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let core: Vec<&str> =
        core.into_iter().flat_map(|line| line["Max core file size".len()..].split_whitespace()).collect();
    let _ = process.kill();
    let _ = process.wait();
    assert!(core.is_empty() || core[..2] == ["0", "0"], "{core:?}");
}
