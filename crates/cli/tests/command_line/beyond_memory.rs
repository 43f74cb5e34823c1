//! Tables in many files, that do not fit, or of which only counts are here: the same answers as from one file in memory.

use crate::harness::{Files, lookalike};

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\nmissing = true\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 40, 65, 99]\n\
    [[impossible]]\nwhere = \"age < 18 and town = 'c'\"\n";

/// 600 people in one file, and in three files of a folder.
fn house() -> Files {
    let house = Files::new();
    house.write("people.schema.toml", SCHEMA);
    let row = |row: usize| {
        let age = row * 37 % 100;
        let town = if age < 18 { ["a", "b"][row % 2] } else { ["a", "b", "c", ""][row / 3 % 4] };
        format!("{},{town},{age}\n", ["F", "M"][row / 7 % 2])
    };
    let rows: Vec<String> = (0..600).map(row).collect();
    house.write("people.csv", &format!("sex,town,age\n{}", rows.concat()));
    std::fs::create_dir(house.path("people")).unwrap();
    for (part, rows) in [&rows[..100], &rows[100..101], &rows[101..]].into_iter().enumerate() {
        house.write(&format!("people/part-{part}.csv"), &format!("sex,town,age\n{}", rows.concat()));
    }
    house
}

fn run(house: &Files, command: &str) -> (i32, String, String) {
    let output =
        lookalike().current_dir(house.folder.path()).args(command.split_whitespace()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn succeeds(house: &Files, command: &str) -> String {
    let (code, out, error) = run(house, command);
    assert_eq!(code, 0, "{command}: {error}");
    out
}

fn refused(house: &Files, command: &str, code: i32, words: &[&str]) {
    let (found, _, error) = run(house, command);
    assert_eq!(found, code, "{command}: {error}");
    assert!(words.iter().all(|word| error.contains(word)), "{command}: {error}");
    assert_eq!(error.trim().lines().count(), 1, "one sentence: {error}");
}

fn text(house: &Files, name: &str) -> String {
    std::fs::read_to_string(house.path(name)).unwrap()
}

/// One file, a folder, blocks, and counts of the parts added up give the same private data set and the same ledger.
#[test]
fn a_private_release_is_the_same_from_any_source() {
    let house = house();
    let how = "--epsilon 1 --records 600 --insecure-test-seed 5 --rows 900";
    for method in ["ipf", "pairwise", "catall"] {
        let how = format!("--method {method} {how}");
        let schema = "--schema people.schema.toml";
        succeeds(&house, &format!("synth people.csv {schema} {how} --out {method}-one"));
        succeeds(&house, &format!("synth people {schema} {how} --out {method}-folder"));
        succeeds(&house, &format!("synth people {schema} {how} --stream --out {method}-blocks"));
        for part in 0..3 {
            let out = format!("--out {method}-{part}.counts --cross");
            succeeds(&house, &format!("counts people/part-{part}.csv {schema} {out}"));
        }
        let files: Vec<String> = (0..3).map(|part| format!("{method}-{part}.counts")).collect();
        succeeds(&house, &format!("synth --counts {} {how} --out {method}-counts", files.join(" ")));
        for file in ["synthetic-1.csv", "ledger.json", "schema.toml"] {
            let one = text(&house, &format!("{method}-one/{file}"));
            for other in ["folder", "blocks", "counts"] {
                assert!(one == text(&house, &format!("{method}-{other}/{file}")), "{method} {other} {file}");
            }
        }
    }
}

/// Classes that follow from the schema are the same from any source; better ones are bought from records, and a run that cannot says so.
#[test]
fn numbers_without_cuts_have_the_classes_that_the_schema_gives() {
    let house = house();
    let how = "--schema people.schema.toml --epsilon 1 --records 600 --insecure-test-seed 5";
    let both = |method: &str| {
        for (data, out) in [("people.csv", "one"), ("people --stream", "blocks")] {
            succeeds(&house, &format!("synth {data} {how} --method {method} --force --out {out}"));
        }
        let said =
            succeeds(&house, &format!("synth people --stream {how} --method {method} --force --out blocks"));
        let same =
            |file: &str| text(&house, &format!("one/{file}")) == text(&house, &format!("blocks/{file}"));
        (["synthetic-1.csv", "ledger.json", "schema.toml"].into_iter().all(same), said)
    };
    let with = |cuts: &str| SCHEMA.replace("cuts = [0, 18, 40, 65, 99]", cuts);
    house.write("people.schema.toml", &with(""));
    for method in ["pairwise", "mst"] {
        let (is_same, said) = both(method);
        assert!(is_same && !said.contains("equal width"), "{method}: {said}");
    }
    let (is_same, said) = both("ipf");
    assert!(!is_same && said.contains("`age` counted in 5 classes of equal width"), "{said}");
    house.write("people.schema.toml", &with("cuts = \"equal\""));
    let (is_same, said) = both("ipf");
    assert!(is_same && !said.contains("equal width"), "{said}");
}

#[test]
fn plain_methods_plans_and_measures_take_blocks() {
    let house = house();
    let blocks = "people --schema people.schema.toml --stream";
    let whole = "people.csv --schema people.schema.toml";
    for method in ["ipf", "catall"] {
        succeeds(&house, &format!("synth {blocks} --method {method} --seed 3 --out {method}"));
        assert_eq!(text(&house, &format!("{method}/synthetic-1.csv")).lines().count(), 601);
    }
    let plan = |data: &str| succeeds(&house, &format!("plan {data} --json -"));
    assert_eq!(plan(blocks), plan(whole));
    succeeds(&house, &format!("synth {whole} --method catall --seed 3 --out one"));
    // Only records can be looked at within a declared class.
    let looks_within = |finding: &serde_json::Value| {
        let measure = finding["measure"].as_str().unwrap();
        ["tables.fine_", "tables.farther_", "tables.sample_share"]
            .iter()
            .any(|name| measure.starts_with(name))
    };
    let measured = |data: &str| -> Vec<serde_json::Value> {
        let json = succeeds(
            &house,
            &format!("measure {data} one/synthetic-1.csv --only tables --ways 1,2 --json -"),
        );
        let found: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        found.into_iter().filter(|finding| !looks_within(finding)).collect()
    };
    assert!(measured(blocks).len() > 20);
    assert_eq!(measured(blocks), measured(whole));
    // Matches of records are exact, so that what was found is the same to the last digit.
    for more in ["", "--keys sex,town --targets age"] {
        let risks = |data: &str| {
            succeeds(
                &house,
                &format!("measure {data} one/synthetic-1.csv --only uniques,attribute,tau {more} --json -"),
            )
        };
        assert_eq!(risks(blocks), risks(whole), "{more}");
    }
    refused(
        &house,
        &format!("measure {blocks} one/synthetic-1.csv --only propensity"),
        1,
        &["propensity", "records"],
    );
    let described = succeeds(&house, "describe people --stream --write-schema draft.schema.toml");
    assert!(described.contains("600") && text(&house, "draft.schema.toml").contains("[variables.town]"));
    assert_eq!(
        succeeds(&house, "describe people --json -"),
        succeeds(&house, "describe people.csv --json -")
    );
}

#[test]
fn records_are_sampled_where_they_do_not_fit() {
    let house = house();
    let blocks = "people --schema people.schema.toml --stream";
    refused(&house, &format!("synth {blocks} --out out"), 2, &["--fit-rows", "needs the records"]);
    let said = succeeds(
        &house,
        "synth people --schema people.schema.toml --fit-rows 200 --rows 1000 --seed 2 --out sampled",
    );
    assert!(said.contains("a random sample of 200 of 600 records"), "{said}");
    let manifest = text(&house, "sampled/manifest.json");
    assert!(manifest.contains("\"rows\": 200") && manifest.contains("200 of 600"), "{manifest}");
    succeeds(
        &house,
        &format!(
            "synth {} --fit-rows 200 --rows 1000 --seed 2 --out again",
            "people.csv --schema people.schema.toml"
        ),
    );
    assert_eq!(text(&house, "sampled/synthetic-1.csv"), text(&house, "again/synthetic-1.csv"));
    refused(&house, "synth people --stream --method ipf --out out", 3, &["declared schema", "--fit-rows"]);
    refused(
        &house,
        &format!("synth {blocks} --method ipf --epsilon 1 --fit-rows 200 --out out"),
        2,
        &["--fit-rows"],
    );
}

/// A frontier of files that do not fit is one of a random sample of their records.
#[test]
fn a_frontier_tries_recipes_on_a_sample() {
    let house = house();
    house.write("grid.toml", "[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nmethod = \"ipf\"\n");
    let blocks = "people --schema people.schema.toml --stream";
    let how = "--grid grid.toml --repeat 1 --only tables,uniques";
    refused(&house, &format!("frontier {blocks} {how}"), 2, &["--fit-rows"]);
    let sampled = |data: &str| succeeds(&house, &format!("frontier {data} {how} --fit-rows 300"));
    let said = sampled(blocks);
    assert!(said.contains("tried on a random sample of 300 of 600 records"), "{said}");
    let of_memory = sampled("people.csv --schema people.schema.toml");
    assert_eq!(said, of_memory.replace("people.csv", "people"));
    refused(&house, &format!("frontier {blocks} {how} --fit-rows 0"), 2, &["--fit-rows"]);
}

#[test]
fn data_sets_in_parts_are_verified_and_read_as_one() {
    let house = house();
    let how = "people.csv --schema people.schema.toml --method ipf --seed 8 --rows 50000";
    succeeds(&house, &format!("synth {how} --out one"));
    let said = succeeds(&house, &format!("synth {how} --parts 3 --out parts"));
    assert!(said.contains("synthetic-1/  50,000 records in 3 files"), "{said}");
    let parts: Vec<String> =
        (0..3).map(|part| text(&house, &format!("parts/synthetic-1/part-0000{part}.csv"))).collect();
    let rows: String = parts.iter().flat_map(|part| part.split_once('\n')).map(|(_, rows)| rows).collect();
    assert!(format!("sex,town,age\n{rows}") == text(&house, "one/synthetic-1.csv"));
    succeeds(&house, "verify parts");
    let estimate = |folder: &str| {
        let found = succeeds(&house, &format!("fit {folder} --estimate share(sex) --json -"));
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        found["answers"].clone()
    };
    assert_eq!(estimate("parts"), estimate("one"));
    std::fs::write(house.path("parts/synthetic-1/part-00001.csv"), &parts[0]).unwrap();
    let (code, ..) = run(&house, "verify parts");
    assert_ne!(code, 0);
    std::fs::remove_file(house.path("parts/synthetic-1/part-00002.csv")).unwrap();
    assert_ne!(run(&house, "verify parts").0, 0);
    let (code, _, error) = run(&house, &format!("synth {how} --parts 2 --rows-per-file 3 --out none"));
    assert!(code == 2 && error.contains("--rows-per-file"), "{error}");
}

/// Nothing is written, nothing is spent, and no value is shown where a table is not what it should be.
#[test]
fn what_is_wrong_in_the_last_file_stops_the_run_before_anything_is_paid() {
    let house = house();
    house.write("people/part-9.csv", "sex,town,age\nF,a,30\nF,secret,31\n");
    for method in ["ipf", "pairwise", "catall", "dirichlet"] {
        let command = format!(
            "synth people --schema people.schema.toml --stream --method {method} --epsilon 1 --records 602 --out out"
        );
        let (code, _, error) = run(&house, &command);
        assert_eq!(code, 1, "{error}");
        assert!(
            error.contains("part-9.csv") && error.contains("`town`") && !error.contains("secret"),
            "{error}"
        );
        assert!(!std::path::Path::new(&house.path("out")).exists());
        assert!(!std::path::Path::new(&house.path("out.spending.json")).exists(), "nothing was begun");
    }
    house.write("people/part-9.csv", "sex,town,age\nF,c,3\n");
    let (code, _, error) =
        run(&house, "synth people --schema people.schema.toml --stream --method ipf --epsilon 1 --out out");
    assert!(code == 1 && error.contains("impossible") && error.contains("part-9.csv"), "{error}");
    house.write("people/part-9.csv", "sex,town\nF,a\n");
    refused(&house, "describe people", 1, &["part-9.csv", "lacks the column `age`"]);
    house.write("people/part-9.csv", "sex,town,age\n");
    succeeds(&house, "describe people");
    house.write("people/notes.txt", "mine");
    refused(&house, "describe people", 1, &["notes.txt"]);
}

#[test]
fn counts_of_other_classes_or_of_the_same_records_are_refused() {
    let house = house();
    let schema = "--schema people.schema.toml";
    succeeds(&house, &format!("counts people/part-0.csv {schema} --out a.counts"));
    succeeds(&house, &format!("counts people/part-2.csv {schema} --out b.counts"));
    refused(&house, "synth --counts a.counts a.counts --method ipf --out out", 1, &["count twice"]);
    house.write("other.schema.toml", &SCHEMA.replace("cuts = [0, 18, 40, 65, 99]", "cuts = [0, 18, 65, 99]"));
    succeeds(&house, "counts people/part-2.csv --schema other.schema.toml --out c.counts");
    refused(&house, "synth --counts a.counts c.counts --method ipf --out out", 1, &["another schema"]);
    refused(&house, "synth --counts a.counts b.counts --method catall --out out", 1, &["--cross"]);
    refused(&house, "synth --counts a.counts b.counts --out out", 2, &["needs the records themselves"]);
    refused(&house, "counts people.csv --out d.counts", 3, &["declared schema"]);
    refused(&house, &format!("counts people.csv {schema} --out a.counts"), 2, &["a.counts"]);
    let queries = succeeds(&house, &format!("counts --sql duckdb --table people {schema}"));
    assert_eq!(queries.matches("GROUP BY").count(), 3);
    // What an engine would answer, saved as it is.
    std::fs::create_dir(house.path("results")).unwrap();
    let table = text(&house, "people.csv");
    let class = |age: usize| [18, 40, 65].iter().filter(|cut| age >= **cut).count().to_string();
    let rows: Vec<[String; 3]> = table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            [fields[0].to_owned(), fields[1].to_owned(), class(fields[2].parse().unwrap())]
        })
        .collect();
    for (number, (one, other)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let mut counts: std::collections::BTreeMap<(String, String), u32> = Default::default();
        rows.iter().for_each(|row| *counts.entry((row[one].clone(), row[other].clone())).or_default() += 1);
        let lines: String = counts.iter().map(|((one, other), n)| format!("{one},{other},{n}\n")).collect();
        house.write(&format!("results/q000{}.csv", number + 1), &format!("c1,c2,n\n{lines}"));
    }
    succeeds(&house, &format!("counts --results results {schema} --out d.counts"));
    let how = "--method ipf --epsilon 1 --records 600 --insecure-test-seed 5";
    succeeds(&house, &format!("synth --counts d.counts {how} --out of-queries"));
    succeeds(&house, &format!("synth people.csv {schema} {how} --out of-records"));
    assert_eq!(text(&house, "of-queries/synthetic-1.csv"), text(&house, "of-records/synthetic-1.csv"));
}

/// The usual build has no client of a database, and says which one has; a password never gets that far.
#[cfg(not(feature = "postgres"))]
#[test]
fn an_address_of_a_database_is_refused_with_the_build_that_takes_it() {
    let house = house();
    let address = "postgresql://ann@db.example.org/census/people";
    for command in [
        format!("describe {address}"),
        format!("plan {address} --schema people.schema.toml"),
        format!("synth {address} --schema people.schema.toml --method ipf --epsilon 1 --out out"),
        format!("synth people.csv --schema people.schema.toml --method catall --out out --into {address}"),
    ] {
        refused(&house, &command, 2, &["feature `postgres`", "counts --sql postgres"]);
    }
    let (code, _, error) = run(&house, "describe postgresql://ann:hunter2@db.example.org/census/people");
    assert!(code == 2 && error.contains(".pgpass") && !error.contains("hunter2"), "{error}");
    assert!(!std::path::Path::new(&house.path("out")).exists());
}
