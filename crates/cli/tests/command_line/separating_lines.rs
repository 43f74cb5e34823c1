//! An audit of the whole command: what is published of two very different tables under one schema, at a budget of next to nothing, must not tell them apart.
//!
//! A line of a public file that is the same in every release of the one table, the same in every release of the other, and different between them gives away something that
//! no noise covers: an exact number of records, a level that occurs, a range, a hash.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::{Files, lookalike};

const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\nunit_id = \"id\"\nmax_rows_per_unit = 2\n\
                      [variables.id]\nkind = \"text-id\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\nmissing = true\n\
                      [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\", \"d\"]\n\
                      [variables.x]\nkind = \"real\"\nrange = [0.0, 1.0]\n";

/// Releases of each table.
const RUNS: usize = 6;

/// The lines of all public files but the data themselves, of which the number of records is told.
fn public_lines(folder: &Path) -> BTreeMap<(String, usize), String> {
    let mut lines = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        if name.starts_with("synthetic") {
            lines.insert((name, 0), text.lines().count().to_string());
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            lines.insert((name.clone(), number), line.to_owned());
        }
    }
    lines
}

/// Lines that are constant within the releases of each table and differ between them.
fn separating(
    one: &[BTreeMap<(String, usize), String>],
    other: &[BTreeMap<(String, usize), String>],
) -> Vec<String> {
    let constant = |runs: &[BTreeMap<(String, usize), String>], key: &(String, usize)| {
        let first = runs[0].get(key);
        runs.iter().all(|run| run.get(key) == first).then(|| first.cloned())
    };
    let keys: std::collections::BTreeSet<_> = one.iter().chain(other).flat_map(BTreeMap::keys).collect();
    let differ = |key: &&(String, usize)| match (constant(one, key), constant(other, key)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    keys.into_iter().filter(differ).map(|(file, line)| format!("{file}, line {}", line + 1)).collect()
}

/// Few records that are all alike, and more that hold every level and missing values.
fn tables(files: &Files) -> [String; 2] {
    let alike: String = (0..90).map(|row| format!("p{row},F,a,0.25\n")).collect();
    let mixed: String = (0..140)
        .map(|row| {
            let (sex, town) = (["F", "M", ""][row % 3], ["a", "b", "c", "d"][row * 7 / 3 % 4]);
            format!("q{},{sex},{town},{}\n", row / 2, (row % 100) as f64 / 100.0)
        })
        .collect();
    [("alike.csv", alike), ("mixed.csv", mixed)]
        .map(|(name, rows)| files.write(name, &format!("id,sex,town,x\n{rows}")))
}

#[test]
fn no_line_of_a_private_release_separates_very_different_tables() {
    let files = Files::new();
    let schema = files.write("schema.toml", SCHEMA);
    // Where the argument is for replaced records, a unit is a record, and both tables have as many.
    let single = SCHEMA.replace("max_rows_per_unit = 2\n", "").replace("unit_id = \"id\"\n", "");
    let single = files.write("single.toml", &single);
    let [alike, mixed] = tables(&files);
    let shorter = std::fs::read_to_string(&mixed).unwrap().lines().take(91).collect::<Vec<_>>().join("\n");
    let shorter = files.write("shorter.csv", &(shorter + "\n"));
    let add_remove: [&[&str]; 8] = [
        &["--method", "pairwise", "--epsilon", "0.02"],
        &["--method", "pairwise", "--epsilon", "0.02", "--delta", "1e-6", "--records", "100"],
        &["--method", "ipf", "--epsilon", "0.02"],
        &["--method", "ipf", "--epsilon", "0.02", "--strata", "town"],
        &["--method", "catall", "--epsilon", "0.02", "--rows", "100"],
        &["--method", "mst", "--epsilon", "0.02"],
        &["--method", "aim", "--epsilon", "0.02"],
        &["--method", "mvnorm", "--epsilon", "0.02", "--set", "variables=x"],
    ];
    let replace_one: [&[&str]; 4] = [
        &["--method", "privbayes", "--epsilon", "0.02"],
        &["--method", "datasynthesizer", "--epsilon", "0.02"],
        &["--method", "dirichlet", "--epsilon", "0.02"],
        &[
            "--method",
            "normal-release",
            "--epsilon",
            "0.02",
            "--delta",
            "1e-6",
            "--set",
            "variable=x",
            "--set",
            "sigma=30",
        ],
    ];
    let added = add_remove.iter().map(|options| (options, &schema, [&alike, &mixed]));
    let replaced = replace_one.iter().map(|options| (options, &single, [&alike, &shorter]));
    for (options, schema, tables) in added.chain(replaced) {
        let mut released = [Vec::new(), Vec::new()];
        // In turn, so that the time of day does not separate them.
        for run in 0..RUNS {
            for (table, released) in tables.iter().zip(&mut released) {
                let out = files.path(&format!("out-{run}"));
                let command =
                    ["synth", table.as_str(), "--schema", schema, "--out", &out, "--force", "--quiet"];
                lookalike().args(command).args(*options).assert().success();
                released.push(public_lines(Path::new(&out)));
            }
        }
        let found = separating(&released[0], &released[1]);
        assert!(found.is_empty(), "{options:?}: {found:?}");
    }
}

/// The audit sees what is not protected: without a budget the same releases are told apart.
#[test]
fn lines_of_a_release_that_is_not_private_do_separate() {
    let files = Files::new();
    let schema = files.write("schema.toml", SCHEMA);
    let released = tables(&files).map(|table| {
        let release = |run: usize| {
            let out = files.path(&format!("{run}"));
            lookalike()
                .args(["synth", &table, "--schema", &schema, "--method", "catall", "--out", &out])
                .args(["--force", "--quiet"])
                .assert()
                .success();
            public_lines(Path::new(&out))
        };
        (0..3).map(release).collect::<Vec<_>>()
    });
    let found = separating(&released[0], &released[1]);
    assert!(found.iter().any(|line| line.starts_with("manifest.json")), "{found:?}");
}
