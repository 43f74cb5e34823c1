//! Processes that are killed and disks that are full: never half a result, never a lost debit, the same bytes when the work is taken up again.
//!
//! `LOOKALIKE_KILLS` and `LOOKALIKE_FILLS` say how often (8 and 6 by default, 200 and 50 by `make kill-and-fill`).

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Files, json, lookalike};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\n\
                      levels = [\"F\", \"M\"]\n[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n";

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Numbers below one, the same in every run.
fn shares() -> impl Iterator<Item = f64> {
    let mut state = number("PROPTEST_RNG_SEED", 1) | 1;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

fn people(files: &Files, rows: usize) -> (String, String) {
    let rows: String =
        (0..rows).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at * 7 / 3 % 3])).collect();
    (files.write("people.csv", &format!("sex,town\n{rows}")), files.write("s.toml", SCHEMA))
}

/// Runs a command, and kills it after this time if it still runs; whether it ended by itself, and well.
fn run_for(arguments: &[String], time: Option<Duration>) -> bool {
    let mut process = Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(arguments)
        .stdout(Stdio::null())
        // What is let run to its end says why where it fails.
        .stderr(if time.is_some() { Stdio::null() } else { Stdio::inherit() })
        .spawn()
        .unwrap();
    if let Some(time) = time {
        std::thread::sleep(time);
        let _ = process.kill();
    }
    process.wait().unwrap().success()
}

/// Temporary files and folders that a killed process has left, made old enough to be swept.
fn leftovers(folder: &Path, age: bool) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let left = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".lookalike-"));
    left.inspect(|entry| {
        if age {
            let old = std::time::SystemTime::now() - Duration::from_secs(3_600);
            let _ = std::fs::File::open(entry.path()).and_then(|file| file.set_modified(old));
        }
    })
    .count()
}

fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

/// What must hold of a release folder after a kill: it is not there, or it is whole.
fn assert_whole_or_absent(out: &str) {
    if Path::new(out).exists() {
        assert_eq!(json(&["verify", out])["passed"], true, "{out}");
    }
}

#[test]
fn a_killed_command_leaves_nothing_half_done() {
    let files = Files::new();
    let (data, schema) = people(&files, 3_000);
    let (ledger, out, folder) = (files.path("ledger.jsonl"), files.path("out"), files.path("frontier"));
    let grid =
        files.write("grid.toml", "[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nmethod = \"sequential\"\n");
    let recipe = files.write("r.toml", "method = \"catall\"\nrows = 2000\n");
    let limit =
        ["ledger", "limit", "--ledger", &ledger, "--data-set", "town", "--unit", "person", "--epsilon"];
    lookalike().args(limit).arg("1000").assert().success();
    let base = |words: &[&str]| texts(&[words, &["--schema", &schema, "--quiet"]].concat());
    let with = |mut words: Vec<String>, more: &[&str]| {
        words.extend(texts(more));
        words
    };
    let synth = with(
        base(&["synth", &data, "--method", "ipf", "--epsilon", "1", "--rows", "5000"]),
        &["--out", &out, "--force", "--ledger", &ledger, "--data-set", "town"],
    );
    let release = with(
        base(&["release", &data, "--recipe", &recipe, "--only", "uniques,tables", "--keys", "sex,town"]),
        &["--no-limits", "a test", "--accepted-by", "nobody", "--out", &out, "--force"],
    );
    let frontier = with(
        base(&[
            "frontier",
            &data,
            "--grid",
            &grid,
            "--repeat",
            "2",
            "--only",
            "uniques,tables",
            "--keys",
            "sex",
        ]),
        &["--out", &folder],
    );
    let report = files.path("page.html");
    let measure =
        with(base(&["measure", &data, &data, "--only", "tables"]), &["--report", &report, "--force"]);
    let commands = [synth.clone(), release, frontier.clone(), measure, with(texts(&limit), &["2000"])];
    // How long each takes undisturbed, and what a frontier that was never interrupted says.
    let times: Vec<Duration> = commands
        .iter()
        .map(|command| {
            let start = Instant::now();
            assert!(run_for(command, None), "{command:?}");
            start.elapsed()
        })
        .collect();
    let undisturbed = std::fs::read(format!("{folder}/frontier.json")).unwrap();
    let debits = || json(&["ledger", "show", "--ledger", &ledger])["accounts"][0]["debits"].as_u64().unwrap();
    let mut ended = debits();
    let kills = number("LOOKALIKE_KILLS", 8);
    for (round, share) in (0..kills).zip(shares()) {
        let which = round as usize % commands.len();
        if which == 2 {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        let before = debits();
        let success = run_for(&commands[which], Some(times[which].mul_f64(1.1 * share)));
        let after = debits();
        ended += u64::from(which == 0 && success);
        assert!(
            after >= before && after <= before + u64::from(which == 0),
            "round {round}: {before} then {after}"
        );
        assert!(after >= ended, "a run that ended has its debit");
        assert_whole_or_absent(&out);
        if which == 0 && !success && !Path::new(&format!("{out}.spending.json")).exists() && after > before {
            // Killed between the end of its work and its own end, or between debit and note: the debit stands either way.
            assert!(after == before + 1);
        }
        if which == 2 {
            assert!(run_for(&frontier, None), "round {round}: the frontier goes on");
            assert!(
                std::fs::read(format!("{folder}/frontier.json")).unwrap() == undisturbed,
                "round {round}"
            );
        }
        if which == 3 && Path::new(&report).exists() {
            assert!(
                std::fs::read_to_string(&report).unwrap().trim_end().ends_with("</html>"),
                "round {round}"
            );
        }
    }
    leftovers(files.folder.path(), true);
    assert!(run_for(&synth, None));
    assert_eq!(leftovers(files.folder.path(), false), 0, "nothing is left after the next run");
    assert_whole_or_absent(&out);
    println!("{kills} kills: no half release, no lost debit, the same frontier");
}

/// A disk of this many bytes, where this process may mount one.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn new(folder: &Path, bytes: u64) -> Option<Self> {
        std::fs::create_dir_all(folder).ok()?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_half_done() {
    let files = Files::new();
    let (data, schema) = people(&files, 3_000);
    let place = files.folder.path().join("disk");
    let fills = number("LOOKALIKE_FILLS", 6);
    let mut refused = 0;
    for (round, share) in (0..fills).zip(shares()) {
        // A release of 20,000 records and a ledger take about 130 KiB: from nothing to a little more.
        let Some(disk) = SmallDisk::new(&place, 4_096 * (2 + (45.0 * share) as u64)) else {
            println!("skipped: no disk can be mounted here");
            return;
        };
        let path = |name: &str| disk.0.join(name).display().to_string();
        let (ledger, out, model) = (path("ledger.jsonl"), path("out"), path("people.model"));
        let limit = [
            "ledger",
            "limit",
            "--ledger",
            &ledger,
            "--data-set",
            "town",
            "--unit",
            "person",
            "--epsilon",
            "9",
        ];
        let has_ledger = run_for(&texts(&limit), None);
        let synth = [
            "synth",
            &data,
            "--schema",
            &schema,
            "--method",
            "ipf",
            "--epsilon",
            "1",
            "--rows",
            "20000",
            "--quiet",
        ];
        let more = ["--out", &out, "--save-model", &model, "--ledger", &ledger, "--data-set", "town"];
        let done = run_for(&texts(&[&synth[..], &more].concat()), None);
        refused += u64::from(!done);
        assert_eq!(done && has_ledger, done, "round {round}: a run without its debit");
        assert!(Path::new(&out).exists() || !done, "round {round}");
        assert_whole_or_absent(&out);
        assert_eq!(leftovers(&disk.0, false), 0, "round {round}: something is left");
        if has_ledger {
            let books = json(&["ledger", "show", "--ledger", &ledger]);
            let debits = books["accounts"][0]["debits"].as_u64().unwrap();
            assert!(debits <= 1 && (debits == 1 || !done), "round {round}: {books}");
        }
    }
    println!("{fills} small disks: {refused} runs refused, nothing half done");
    assert!(refused > 0 || fills < 3, "some disk was too small");
}

/// The disk is full in the midst of the parts: one sentence, nothing half-written, and what was spent is in the books.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_while_parts_are_written_leaves_nothing() {
    let files = Files::new();
    let (data, schema) = people(&files, 3_000);
    let ledger = files.path("ledger.jsonl");
    let limit =
        ["ledger", "limit", "--ledger", &ledger, "--data-set", "town", "--unit", "person", "--epsilon", "9"];
    assert!(run_for(&texts(&limit), None));
    // Ten parts of 20,000 records with 4 bytes each, and room for six and a half of them.
    let place = files.folder.path().join("disk");
    let Some(disk) = SmallDisk::new(&place, 4_096 * 127) else {
        println!("skipped: no disk can be mounted here");
        return;
    };
    let out = disk.0.join("out").display().to_string();
    let synth = [
        "synth",
        &data,
        "--schema",
        &schema,
        "--method",
        "ipf",
        "--epsilon",
        "1",
        "--rows",
        "200000",
        "--parts",
        "10",
    ];
    let more = ["--stream", "--out", &out, "--ledger", &ledger, "--data-set", "town", "--threads", "1"];
    let output = lookalike().args(synth).args(more).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("No space left") && error.trim().lines().count() == 1, "{error}");
    assert!(!Path::new(&out).exists() && leftovers(&disk.0, false) == 0, "{error}");
    let books = json(&["ledger", "show", "--ledger", &ledger]);
    assert_eq!(books["accounts"][0]["debits"], 1, "{books}");
}

/// Ctrl-C while files are read block by block: nothing is written, and nothing is spent that is not in the books.
#[cfg(unix)]
#[test]
fn a_stopped_private_run_over_files_spends_nothing_that_is_not_booked() {
    let files = Files::new();
    let (data, schema) = people(&files, 300_000);
    let ledger = files.path("ledger.jsonl");
    let limit =
        ["ledger", "limit", "--ledger", &ledger, "--data-set", "town", "--unit", "person", "--epsilon", "99"];
    assert!(run_for(&texts(&limit), None));
    let (out, begun) = (files.path("out"), files.path("out.spending.json"));
    let debits = || json(&["ledger", "show", "--ledger", &ledger])["accounts"][0]["debits"].as_u64().unwrap();
    for wait in [5_u64, 40, 150] {
        let before = debits();
        let mut run = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(["synth", &data, "--schema", &schema, "--stream", "--method", "ipf", "--epsilon", "1"])
            .args([
                "--rows",
                "3000000",
                "--parts",
                "4",
                "--out",
                &out,
                "--ledger",
                &ledger,
                "--data-set",
                "town",
                "--quiet",
            ])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
        let code = run.wait().unwrap().code();
        // A signal before the handler is there ends the process at once.
        assert!(matches!(code, Some(130 | 0) | None), "{code:?}");
        let spent = debits() - before;
        assert!(spent <= 1, "{spent}");
        assert!(spent == 1 || !Path::new(&begun).exists(), "something began that is not booked");
        assert_eq!(Path::new(&out).exists(), code == Some(0));
        assert_eq!(leftovers(files.folder.path(), false), 0);
        let _ = std::fs::remove_file(&begun);
        let _ = std::fs::remove_dir_all(&out);
    }
}
