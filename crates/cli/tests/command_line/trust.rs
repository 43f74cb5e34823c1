//! Signatures and the ledger over all runs, as owners and recipients use them.

use crate::harness::{Files, json, lookalike};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\n\
                      levels = [\"F\", \"M\"]\n[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n";

fn people() -> String {
    let rows: String =
        (0..90).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at % 3])).collect();
    format!("sex,town\n{rows}")
}

fn output(arguments: &[&str], code: i32) -> String {
    let done = lookalike().args(arguments).assert().code(code);
    let output = done.get_output();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn only_a_signature_verifies() {
    let files = Files::new();
    let (data, schema) = (files.write("people.csv", &people()), files.write("s.toml", SCHEMA));
    let (board, other) = (files.path("board"), files.path("other"));
    for name in [&board, &other] {
        let made = output(&["key", "new", name], 0);
        assert!(made.contains("without a password"), "{made}");
    }
    output(&["key", "new", &board], 2);
    let (key, public, stranger) = (files.path("board.key"), files.path("board.pub"), files.path("other.pub"));
    let out = files.path("out");
    let synth = ["synth", &data, "--schema", &schema, "--method", "ipf", "--epsilon", "1", "--out", &out];
    assert!(output(&[&synth[..], &["--sign", &public]].concat(), 2).contains("no secret key"));
    output(&[&synth[..], &["--sign", &key]].concat(), 0);
    assert!(output(&["verify", &out, "--signer", &public], 0).contains("VERIFIED: sealed by the holder"));
    assert!(output(&["verify", &out, "--signer", &stranger], 1).contains("FAILED"));
    let plain = output(&["verify", &out], 0);
    assert!(
        plain.contains("unchanged if this hash is the one you were given") && !plain.contains("VERIFIED"),
        "{plain}"
    );
    let hash = json(&["verify", &out])["manifest_sha256"].as_str().unwrap().to_owned();
    assert!(output(&["verify", &out, "--sha256", &hash], 0).contains("UNCHANGED"));
    output(&["verify", &out, "--sha256", "beef"], 2);
    output(&["verify", &out, "--signer", &files.path("no.pub")], 1);
    let statement = std::fs::read_to_string(files.path("out/provenance.json")).unwrap();
    assert!(statement.contains("https://in-toto.io/Statement/v1") && statement.contains("synthetic-1.csv"));
    // The old release is replaced with its signature.
    output(&[&synth[..], &["--sign", &key, "--force"]].concat(), 0);
    assert!(output(&["verify", &out, "--signer", &public], 0).contains("VERIFIED"));
}

#[test]
fn a_model_is_bound_to_its_ledger_and_can_be_signed() {
    let files = Files::new();
    let (data, schema) = (files.write("people.csv", &people()), files.write("s.toml", SCHEMA));
    output(&["key", "new", &files.path("board")], 0);
    let (key, public, model) = (files.path("board.key"), files.path("board.pub"), files.path("people.model"));
    let synth =
        ["synth", &data, "--schema", &schema, "--method", "ipf", "--epsilon", "3", "--save-model", &model];
    output(&[&synth[..], &["--sign", &key, "--out", &files.path("out")]].concat(), 0);
    let sample = |more: &[&str], code| output(&[&["sample", &model][..], more].concat(), code);
    sample(&["--signer", &public, "--out", &files.path("signed")], 0);
    sample(&["--out", &files.path("unsigned")], 0);
    let manifest = |folder: &str| std::fs::read_to_string(files.path(folder)).unwrap();
    assert!(!manifest("signed/manifest.json").contains("what the model file says of itself"));
    assert!(manifest("unsigned/manifest.json").contains("what the model file says of itself"));
    let mut bytes = std::fs::read(&model).unwrap();
    bytes.push(0);
    std::fs::write(&model, bytes).unwrap();
    assert!(
        sample(&["--signer", &public, "--out", &files.path("changed")], 3)
            .contains("not the one that was signed")
    );
}

#[test]
fn a_ledger_adds_up_all_runs_and_refuses_what_is_too_much() {
    let files = Files::new();
    let (data, schema) = (files.write("people.csv", &people()), files.write("s.toml", SCHEMA));
    let (ledger, out) = (files.path("ledger.jsonl"), files.path("out"));
    let synth = |epsilon: &str, more: &[&str], code| {
        let base = ["synth", &data, "--schema", &schema, "--method", "ipf", "--out", &out, "--force"];
        let budget: &[&str] = if epsilon.is_empty() { &[] } else { &["--epsilon", epsilon] };
        output(&[&base[..], budget, more].concat(), code)
    };
    let booked = ["--ledger", &ledger, "--data-set", "town"];
    assert!(synth("1", &["--ledger", &ledger], 2).contains("--data-set"));
    assert!(synth("1", &booked, 3).contains("ledger limit"));
    let limit = ["ledger", "limit", "--ledger", &ledger, "--data-set", "town", "--unit"];
    output(&[&limit[..], &["person"]].concat(), 2);
    output(&[&limit[..], &["person", "--epsilon", "2"]].concat(), 0);
    synth("1.5", &booked, 0);
    let refused = synth("1", &booked, 3);
    assert!(refused.contains("ε = 0.5 is left"), "{refused}");
    // Where a run fails after its debit, the debit stands: an output that cannot be written.
    let blocked = files.write("blocked", "a file, not a folder");
    let failing = ["synth", &data, "--schema", &schema, "--method", "ipf", "--epsilon", "0.25", "--out"];
    let failed = lookalike().args(failing).arg(format!("{blocked}/out")).args(booked).assert().failure();
    drop(failed);
    synth("", &booked, 0);
    let shown = output(&["ledger", "show", "--ledger", &ledger], 0);
    assert!(shown.contains("that no guarantee covers") && shown.contains("synth by ipf"), "{shown}");
    let head = json(&["ledger", "show", "--ledger", &ledger])["head"].as_str().unwrap().to_owned();
    output(&["ledger", "show", "--ledger", &ledger, "--contains", &head], 0);
    output(&["ledger", "show", "--ledger", &ledger, "--contains", "00ff"], 3);
    let table = output(&["ledger", "export", "--ledger", &ledger], 0);
    assert!(table.lines().count() >= 4 && table.contains("look without a guarantee"), "{table}");
    // The environment names the ledger of the house.
    let named = lookalike()
        .args([
            "synth",
            &data,
            "--schema",
            &schema,
            "--method",
            "ipf",
            "--epsilon",
            "1",
            "--out",
            &files.path("house"),
        ])
        .env("LOOKALIKE_LEDGER", &ledger)
        .env("LOOKALIKE_DATA_SET", "town")
        .assert()
        .code(3);
    drop(named);
    let text = std::fs::read_to_string(&ledger).unwrap().replace("\"units\":", "\"units\": ");
    std::fs::write(&ledger, text).unwrap();
    assert!(synth("0.1", &booked, 3).contains("lines were changed"));
}

/// Twenty processes at once on one ledger that can pay four of them.
#[test]
fn twenty_processes_never_overspend() {
    let files = Files::new();
    let (data, schema) = (files.write("people.csv", &people()), files.write("s.toml", SCHEMA));
    let ledger = files.path("ledger.jsonl");
    let limit =
        ["ledger", "limit", "--ledger", &ledger, "--data-set", "town", "--unit", "person", "--epsilon", "1"];
    output(&limit, 0);
    let processes: Vec<std::process::Child> = (0..20)
        .map(|number| {
            std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
                .args([
                    "synth",
                    &data,
                    "--schema",
                    &schema,
                    "--method",
                    "ipf",
                    "--epsilon",
                    "0.25",
                    "--quiet",
                ])
                .args(["--threads", "1", "--ledger", &ledger, "--data-set", "town"])
                .args(["--out", &files.path(&format!("out-{number}"))])
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let codes: Vec<Option<i32>> =
        processes.into_iter().map(|mut process| process.wait().unwrap().code()).collect();
    let count = |code| codes.iter().filter(|found| **found == Some(code)).count();
    assert_eq!((count(0), count(3)), (4, 16), "{codes:?}");
    let books = json(&["ledger", "show", "--ledger", &ledger]);
    assert_eq!(books["accounts"][0]["debits"], 4, "{books}");
    assert_eq!(books["accounts"][0]["limits"][0]["left"], "ε = 0", "{books}");
}

/// docs/dependencies.md names every crate that a manifest names, and no other.
#[test]
fn the_list_of_what_it_rests_on_is_complete() {
    let root = shared_data::checkout();
    let read = |path: &std::path::Path| -> toml::Table {
        toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut manifests = vec![root.join("Cargo.toml"), root.join("cluster/Cargo.toml")];
    for group in ["crates", "research", "tests"] {
        let folders = std::fs::read_dir(root.join(group)).unwrap().flatten();
        manifests.extend(folders.map(|entry| entry.path().join("Cargo.toml")).filter(|path| path.exists()));
    }
    let mut named = std::collections::BTreeSet::new();
    let mut take = |tables: Option<&toml::Value>| {
        for (name, details) in tables.and_then(toml::Value::as_table).into_iter().flatten() {
            let is_ours = details.get("path").is_some() || details.get("workspace").is_some();
            if !is_ours {
                named.insert(name.clone());
            }
        }
    };
    for manifest in &manifests {
        let manifest = read(manifest);
        take(manifest.get("workspace").and_then(|workspace| workspace.get("dependencies")));
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        let targets = targets.into_iter().flatten().filter_map(|(_, target)| target.as_table());
        for table in std::iter::once(&manifest).chain(targets) {
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                take(table.get(kind));
            }
        }
    }
    let page = std::fs::read_to_string(root.join("docs/dependencies.md")).unwrap();
    let rows =
        page.lines().filter_map(|line| line.strip_prefix("| ")).filter_map(|line| line.split(" | ").next());
    let last = page.trim_end().lines().last().unwrap().trim_end_matches('.');
    let listed: std::collections::BTreeSet<String> = rows
        .filter(|cell| *cell != "crate")
        .chain([last])
        .flat_map(|cell| cell.split(", "))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, named);
}
