//! Tables in PostgreSQL: counted there, the same answers as from a file, and nothing half-done when something breaks.
//!
//! `make test-postgres` starts a server of its own and names it in `LOOKALIKE_TEST_POSTGRES`, the folder of its socket; without one these tests say that they are skipped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SCHEMA: &str = r#"[table]
declared = true
reason = "invented"
unit = "person"
[variables.id]
kind = "text-id"
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.town]
kind = "categorical"
levels = ["a", "b's", "c, \"d\""]
missing = true
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 18, 40, 65, 99]
[variables.pay]
kind = "real"
range = [0.0, 500.0]
cuts = [0.0, 0.0, 20.5, 100.0, 500.0]
codes = { -8 = "none" }
missing = true
[variables.born]
kind = "date"
range = ["1920-01-01", "2020-12-31"]
cuts = ["1920-01-01", "1960-01-01", "1990-06-15", "2020-12-31"]
[variables.double]
kind = "integer"
formula = "age * 2"
[[rules]]
when = "age < 18"
then = "pay is missing or pay = -8 or pay = 0"
[[impossible]]
where = "age < 18 and town = 'b''s'"
"#;

/// A server of its own for each test: a database, and a folder with the same 1,200 people in a file.
struct House {
    folder: tempfile::TempDir,
    server: PathBuf,
    port: String,
    database: String,
}

impl House {
    /// `None`, and a word about it, where there is no server.
    fn new(database: &str) -> Option<Self> {
        let Ok(server) = std::env::var("LOOKALIKE_TEST_POSTGRES") else {
            println!("skipped: no server; `make test-postgres` starts one");
            return None;
        };
        let port = std::env::var("LOOKALIKE_TEST_POSTGRES_PORT").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let house = Self { folder, server: server.into(), port, database: database.to_owned() };
        house.sql_in("postgres", &format!("CREATE DATABASE {database}"));
        std::fs::write(house.path("people.schema.toml"), SCHEMA).unwrap();
        let row = |row: usize| {
            let age = row * 37 % 100;
            let town = if age < 18 {
                ["a", "\"c, \"\"d\"\"\""][row % 2]
            } else {
                ["a", "b's", "\"c, \"\"d\"\"\"", ""][row / 3 % 4]
            };
            let pay = match (age < 18, row % 7) {
                (_, 0) => "-8".to_owned(),
                (_, 1) => String::new(),
                (true, _) | (_, 2) => "0".to_owned(),
                (_, 3) => ["20.5", "100", "500"][row % 3].to_owned(),
                _ => format!("{}", (row * row % 3_997) as f64 / 8.0),
            };
            let (year, day) = (1920 + row * 13 % 101, 1 + row % 28);
            format!("p{row},{},{town},{age},{pay},{year}-06-{day:02},{}\n", ["F", "M"][row / 7 % 2], age * 2)
        };
        let rows: String = (0..1_200).map(row).collect();
        std::fs::write(house.path("people.csv"), format!("id,sex,town,age,pay,born,double\n{rows}")).unwrap();
        house.sql("CREATE TABLE people (id text, sex text, town varchar(20), age int, pay numeric, born date, double bigint, extra jsonb)");
        let copy = format!(
            "\\copy people (id, sex, town, age, pay, born, double) FROM '{}' CSV HEADER",
            house.path("people.csv")
        );
        house.sql(&copy);
        // Every scan of it takes about a second.
        house.sql("CREATE FUNCTION slow(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN IF $1 % 12 = 0 THEN PERFORM pg_sleep(0.01); END IF; RETURN $1; END'");
        house.sql("CREATE VIEW slow_people AS SELECT id, sex, town, slow(age) AS age, pay, born, double FROM people OFFSET 0");
        Some(house)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn address(&self, table: &str) -> String {
        format!(
            "postgresql://postgres@/{}/{table}?host={}&port={}",
            self.database,
            self.server.display(),
            self.port
        )
    }

    fn psql(&self, database: &str, command: &str) -> Output {
        let psql = std::env::var("LOOKALIKE_TEST_PSQL").unwrap_or_else(|_| "psql".into());
        Command::new(psql)
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-U",
                "postgres",
                "-p",
                &self.port,
                "-d",
                database,
                "-c",
                command,
            ])
            .arg("-h")
            .arg(&self.server)
            .output()
            .unwrap()
    }

    fn sql_in(&self, database: &str, command: &str) -> String {
        let output = self.psql(database, command);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn sql(&self, command: &str) -> String {
        self.sql_in(&self.database, command)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env_remove("PGPASSWORD")
            .env("PGPASSFILE", self.path("pass"));
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        told(self.command(arguments).output().unwrap())
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let (code, out, error) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {error}");
        out
    }

    fn refused(&self, arguments: &[&str], code: i32, words: &[&str]) -> String {
        let (found, _, error) = self.run(arguments);
        assert_eq!(found, code, "{arguments:?}: {error}");
        assert!(words.iter().all(|word| error.contains(word)), "{arguments:?}: {error}");
        let sentences = error.trim().lines().filter(|line| !line.starts_with("WARNING")).count();
        assert_eq!(sentences, 1, "one sentence: {error}");
        error
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn exists(&self, name: &str) -> bool {
        Path::new(&self.path(name)).exists()
    }

    fn assert_same_release(&self, one: &str, other: &str) {
        for file in ["synthetic-1.csv", "ledger.json", "schema.toml"] {
            assert!(self.text(&format!("{one}/{file}")) == self.text(&format!("{other}/{file}")), "{file}");
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.psql("postgres", &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database));
    }
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

const PRIVATE: [&str; 11] = [
    "--schema",
    "people.schema.toml",
    "--epsilon",
    "1",
    "--records",
    "1200",
    "--rows",
    "900",
    "--insecure-test-seed",
    "5",
    "--quiet",
];

fn private<'a>(data: &'a str, method: &'a str, out: &'a str) -> Vec<&'a str> {
    [&["synth", data, "--method", method, "--out", out], &PRIVATE[..]].concat()
}

#[test]
fn a_release_from_the_database_has_the_bytes_of_one_from_the_file() {
    let Some(house) = House::new("same") else { return };
    let there = house.address("people");
    for method in ["ipf", "pairwise", "catall"] {
        let (file, table) = (format!("{method}-file"), format!("{method}-table"));
        house.succeeds(&private("people.csv", method, &file));
        house.succeeds(&private(&there, method, &table));
        house.assert_same_release(&file, &table);
    }
    let plan = |data: &str| house.succeeds(&["plan", data, "--schema", "people.schema.toml", "--json", "-"]);
    assert_eq!(plan(&there), plan("people.csv"));
    let measured = |data: &str, more: &[&str]| {
        let synthetic = "ipf-file/synthetic-1.csv";
        let usual = ["measure", data, synthetic, "--schema", "people.schema.toml", "--only", "tables"];
        house.succeeds(&[&usual[..], &["--ways", "1,2", "--json", "-"], more].concat())
    };
    // From counts only modelled variables are measured; of these the findings are those of the file.
    let pairs = |data: &str| -> Vec<serde_json::Value> {
        let found: Vec<serde_json::Value> = serde_json::from_str(&measured(data, &[])).unwrap();
        let is_meant = |finding: &serde_json::Value| {
            finding["measure"] == "tables.s_pmse" && !finding["on"].to_string().contains("double")
        };
        found.into_iter().filter(is_meant).collect()
    };
    assert_eq!(pairs(&there).len(), 15);
    assert_eq!(pairs(&there), pairs("people.csv"));
    for method in ["ipf", "catall"] {
        house.succeeds(&[
            "synth",
            &there,
            "--schema",
            "people.schema.toml",
            "--method",
            method,
            "--seed",
            "3",
            "--out",
            method,
        ]);
        assert_eq!(house.text(&format!("{method}/synthetic-1.csv")).lines().count(), 1_201);
    }
    let provenance = house.text("ipf/manifest.json") + &house.text("ipf/provenance.json");
    assert!(!provenance.contains("postgres") && !provenance.contains(&house.port), "{provenance}");
    house.refused(
        &["synth", &there, "--schema", "people.schema.toml", "--out", "x"],
        2,
        &["stay in their database"],
    );
    house.refused(&["frontier", &there, "--schema", "people.schema.toml"], 2, &["stay in their database"]);
    house.refused(&["synth", &there, "--method", "ipf", "--out", "x"], 3, &["declared schema", "describe"]);
    house.refused(&["describe", &there, "--separator", ";"], 2, &["--separator"]);
    house.refused(&["describe", &house.address("nowhere")], 1, &["there is no table", "42P01"]);
    assert!(!house.exists("x"));
}

#[test]
fn a_table_is_described_as_its_file_is() {
    let Some(house) = House::new("described") else { return };
    let there = house.address("people");
    house.succeeds(&["describe", "people.csv", "--write-schema", "file.toml"]);
    let (code, out, error) =
        house.run(&["describe", &there, "--write-schema", "table.toml", "--keys", "sex,age"]);
    assert!(
        code == 0 && out.contains("1,200") && error.contains("`extra`") && error.contains("jsonb"),
        "{out}{error}"
    );
    let plain = |name: &str| {
        let text = house.text(name);
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines.map(|line| line.split(" # ").next().unwrap_or(line).trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(plain("table.toml"), plain("file.toml"));
    let json = |data: &str| -> serde_json::Value {
        serde_json::from_str(
            &house.succeeds(&["describe", data, "--keys", "sex,age", "--json", "-", "--quiet"]),
        )
        .unwrap()
    };
    let (table, file) = (json(&there), json("people.csv"));
    for figure in ["rows", "cells", "empty_cells_share", "unique_share", "keys"] {
        assert_eq!(table[figure], file[figure], "{figure}");
    }
    for (table, file) in
        table["variables"].as_array().unwrap().iter().zip(file["variables"].as_array().unwrap())
    {
        for figure in ["name", "kind", "levels", "missing", "min", "max", "classes"] {
            assert_eq!(table[figure], file[figure], "{}: {figure}", table["name"]);
        }
    }
}

#[test]
fn rows_that_others_insert_meanwhile_change_nothing() {
    let Some(house) = House::new("snapshot") else { return };
    house.succeeds(&private("people.csv", "ipf", "file"));
    let there = house.address("slow_people");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut inserted = 0;
            while !is_done.load(Ordering::Relaxed) {
                let counting = house.sql_in("postgres", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lookalike' AND datname = 'snapshot' AND state = 'active'");
                if counting != "0" && inserted < 20 {
                    house.sql("INSERT INTO people SELECT id, 'F', 'a', 30, 5, '1990-01-01', 60 FROM people LIMIT 50");
                    inserted += 1;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            assert!(inserted > 2, "nothing was inserted while the table was counted");
        });
        let run = house.run(&private(&there, "ipf", "table"));
        is_done.store(true, Ordering::Relaxed);
        assert_eq!(run.0, 0, "{}", run.2);
    });
    house.assert_same_release("file", "table");
}

#[test]
fn a_lost_connection_is_tried_again_once_and_then_told() {
    let Some(house) = House::new("lost") else { return };
    house.succeeds(&private("people.csv", "ipf", "file"));
    let there = house.address("slow_people");
    let end = |database: &str, most: usize, is_done: &AtomicBool| {
        let mut ended = 0;
        while !is_done.load(Ordering::Relaxed) {
            if ended < most {
                let query = format!(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'lookalike' AND datname = '{database}' AND query LIKE 'SELECT c1%' AND state = 'active'"
                );
                ended += house.sql_in("postgres", &query).parse::<usize>().unwrap();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        ended
    };
    for (most, out) in [(1, "again"), (usize::MAX, "never")] {
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let ender = scope.spawn(|| end("lost", most, &is_done));
            let (code, _, error) = house.run(&private(&there, "ipf", out));
            is_done.store(true, Ordering::Relaxed);
            assert!(ender.join().unwrap() >= 1, "nothing was ended");
            if most == 1 {
                assert_eq!(code, 0, "{error}");
                house.assert_same_release("file", out);
            } else {
                let lines: Vec<&str> =
                    error.trim().lines().filter(|line| !line.starts_with("WARNING")).collect();
                // The server says why, unless the line is down before its last words are read.
                let says_why = error.contains("57P01") || error.contains("the connection was lost");
                assert!(code == 1 && lines.len() == 1 && says_why, "{code}: {error}");
                assert!(!house.exists(out) && !house.exists("never.spending.json"));
            }
        });
    }
}

#[test]
fn what_breaks_the_schema_is_counted_there_and_refused_without_a_value() {
    let Some(house) = House::new("broken") else { return };
    let there = house.address("people");
    let ledger = house.path("ledger.jsonl");
    house.succeeds(&[
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
    ]);
    let synth = [
        "synth",
        &there,
        "--schema",
        "people.schema.toml",
        "--method",
        "ipf",
        "--epsilon",
        "1",
        "--records",
        "1200",
        "--out",
        "x",
        "--ledger",
        &ledger,
        "--data-set",
        "town",
    ];
    let changes = [
        ("UPDATE people SET sex = 'secret' WHERE id IN ('p1', 'p2', 'p3')", "`sex`: 3 records"),
        ("UPDATE people SET pay = 777 WHERE id = 'p4' AND age >= 18", "`pay`: 1 records"),
        ("UPDATE people SET age = NULL WHERE id = 'p5'", "`age`: it is missing in 1 records"),
        (
            "UPDATE people SET pay = 13.5 WHERE age = 11",
            "the rule `when age < 18 then pay is missing or pay = -8 or pay = 0` is broken (12 records)",
        ),
        (
            "UPDATE people SET town = 'b''s' WHERE age = 0",
            "the impossible `age < 18 and town = 'b''s'` occurs (12 records)",
        ),
        ("UPDATE people SET double = 1 WHERE age = 99", "`double` differs from its formula (12 records)"),
        ("UPDATE people SET id = NULL WHERE id = 'p9'", "`id` is missing"),
        ("DELETE FROM people", "no records"),
    ];
    for (change, told) in changes {
        house.sql("CREATE TABLE kept AS SELECT * FROM people");
        house.sql(change);
        let error = house.refused(&synth, 1, &[told]);
        assert!(!error.contains("secret") && !error.contains("13.5"), "{error}");
        assert!(!house.exists("x") && !house.exists("x.spending.json"));
        house.sql("TRUNCATE people");
        house.sql("INSERT INTO people SELECT * FROM kept");
        house.sql("DROP TABLE kept");
    }
    let books = house.succeeds(&["ledger", "show", "--ledger", &ledger, "--json", "-"]);
    let books: serde_json::Value = serde_json::from_str(&books).unwrap();
    assert_eq!(books["accounts"][0]["debits"], 0, "nothing was spent: {books}");
    house.sql("DROP VIEW slow_people");
    house.sql("ALTER TABLE people ALTER COLUMN age TYPE text");
    house.sql("UPDATE people SET age = 'hunter2' WHERE id = 'p7'");
    let error = house.refused(&synth, 1, &["22P02"]);
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn hostile_names_are_only_names() {
    let Some(house) = House::new("hostile") else { return };
    let table = "\"; drop table people; --";
    let long = "ä".repeat(31);
    let columns = ["a\"b", "c'd\\", "new\nline", "select", &long];
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let list: Vec<String> = columns.iter().map(|name| format!("{} text", quoted(name))).collect();
    house.sql(&format!("CREATE SCHEMA {}", quoted("s.t")));
    let place = format!("{}.{}", quoted("s.t"), quoted(table));
    house.sql(&format!("CREATE TABLE {place} ({})", list.join(", ")));
    let levels = ["x'; drop table people; --", "y\\"];
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    for row in 0..60 {
        let values: Vec<String> =
            (0..columns.len()).map(|at| literal(levels[(row >> (at % 3)) % 2])).collect();
        house.sql(&format!("INSERT INTO {place} VALUES ({})", values.join(", ")));
    }
    let toml = |text: &str| serde_json::to_string(text).unwrap();
    let mut schema = String::from("[table]\ndeclared = true\nreason = \"invented\"\n");
    for column in columns {
        let levels: Vec<String> = levels.iter().map(|level| toml(level)).collect();
        schema += &format!(
            "[variables.{}]\nkind = \"categorical\"\nlevels = [{}]\n",
            toml(column),
            levels.join(", ")
        );
    }
    schema += "[[rules]]\nwhen = \"\\\"select\\\" = 'x''; drop table people; --'\"\nthen = \"\\\"a\\\"\\\"b\\\" is not missing\"\n";
    std::fs::write(house.path("hostile.toml"), &schema).unwrap();
    let encoded: String = table.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let there = house.address(&format!("s%2Et.{encoded}"));
    house.succeeds(&[
        "synth",
        &there,
        "--schema",
        "hostile.toml",
        "--method",
        "catall",
        "--seed",
        "1",
        "--out",
        "out",
    ]);
    assert_eq!(house.text("out/manifest.json").matches("\"rows\": 60").count() >= 1, true);
    house.succeeds(&["plan", &there, "--schema", "hostile.toml", "--quiet"]);
    house.succeeds(&["describe", &there, "--quiet"]);
    let into = house.address("s%2Et.%22into%22");
    house.succeeds(&[
        "synth",
        &there,
        "--schema",
        "hostile.toml",
        "--method",
        "catall",
        "--seed",
        "1",
        "--out",
        "two",
        "--into",
        &into,
    ]);
    assert_eq!(house.sql(&format!("SELECT count(*) FROM {}.{}", quoted("s.t"), quoted("\"into\""))), "60");
    assert_eq!(house.sql("SELECT count(*) FROM people"), "1200");
    let too_long = "b".repeat(64);
    house.refused(&["describe", &house.address(&too_long)], 1, &["63 bytes"]);
}

#[test]
fn passwords_and_certificates_are_checked() {
    let Some(house) = House::new("tls") else { return };
    house.sql("CREATE ROLE reader LOGIN PASSWORD 'hunter2'; GRANT SELECT ON people TO reader");
    let (ca, other) = (house.server.join("ca.pem"), house.server.join("other.pem"));
    let there =
        |settings: &str| format!("postgresql://reader@localhost:{}/tls/people?{settings}", house.port);
    let plan = |address: &str, password: Option<&str>| {
        let mut command = house.command(&["plan", address, "--schema", "people.schema.toml", "--quiet"]);
        if let Some(password) = password {
            command.env("PGPASSWORD", password);
        }
        told(command.output().unwrap())
    };
    let checked = there(&format!("sslmode=verify-full&sslrootcert={}", ca.display()));
    let (code, _, error) = plan(&checked, Some("hunter2"));
    assert_eq!(code, 0, "{error}");
    let (code, _, error) = plan(&checked, Some("wrong"));
    assert!(code == 1 && error.contains("28P01") && !error.contains("wrong"), "{error}");
    let (code, _, error) =
        plan(&there(&format!("sslmode=verify-full&sslrootcert={}", other.display())), Some("hunter2"));
    assert!(code == 1 && error.contains("certificate"), "{error}");
    let by_number = checked.replace("localhost", "127.0.0.1");
    let (code, _, error) = plan(&by_number, Some("hunter2"));
    assert!(code == 1 && error.contains("certificate"), "the certificate is of another name: {error}");
    let (code, _, error) = plan(&there("sslmode=disable"), Some("hunter2"));
    assert!(code == 1 && error.contains("28000"), "the server wants TLS: {error}");
    let (code, _, error) = plan(&there("").replace("reader@", "reader:hunter2@"), None);
    assert!(code == 2 && error.contains(".pgpass") && !error.contains("hunter2"), "{error}");
    std::fs::write(house.path("pass"), format!("localhost:{}:tls:reader:hunter2\n", house.port)).unwrap();
    set_mode(&house.path("pass"), 0o644);
    assert!(plan(&checked, None).2.contains("chmod 600"));
    set_mode(&house.path("pass"), 0o600);
    assert_eq!(plan(&checked, None).0, 0);
    // A role that may only read is told nothing; one that may write is.
    let synth = |address: &str, out: &str| {
        house.run(&["synth", address, "--schema", "people.schema.toml", "--method", "catall", "--out", out])
    };
    assert!(!synth(&checked, "read").2.contains("SELECT"));
    assert!(synth(&house.address("people"), "write").2.contains("may write to the table"));
}

fn set_mode(path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_release_is_written_there_whole_or_not_at_all() {
    let Some(house) = House::new("written") else { return };
    let into = house.address("synthetic");
    let synth = |out: &str, more: &[&str]| {
        let usual = [
            "synth",
            "people.csv",
            "--schema",
            "people.schema.toml",
            "--method",
            "catall",
            "--seed",
            "3",
            "--rows",
            "700",
            "--out",
            out,
            "--into",
            &into,
        ];
        house.run(&[&usual, more].concat())
    };
    let (code, said, error) = synth("one", &[]);
    assert!(code == 0 && said.contains("700 records were written to the database"), "{said}{error}");
    let listed = "SELECT id, sex, town, age, pay, born, double FROM synthetic";
    let out = house.path("there.csv");
    house.sql(&format!("\\copy ({listed}) TO '{out}' CSV HEADER"));
    let (file, there) = (house.text("one/synthetic-1.csv"), house.text("there.csv"));
    assert_eq!(there.lines().count(), 701);
    for (file, there) in file.lines().skip(1).zip(there.lines().skip(1)) {
        let numbers = |line: &str| {
            line.rsplit(',')
                .take(4)
                .map(|field| field.parse::<f64>().map_or(field.to_owned(), |number| number.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(file), numbers(there));
    }
    let (code, _, error) = synth("two", &[]);
    assert!(code == 2 && error.contains("exists") && !house.exists("two"), "{error}");
    assert_eq!(synth("three", &["--force"]).0, 0);
    assert_eq!(house.sql("SELECT count(*) FROM synthetic"), "700");
    let theirs = house.address("people");
    let over = [
        "synth",
        "people.csv",
        "--schema",
        "people.schema.toml",
        "--method",
        "catall",
        "--out",
        "four",
        "--into",
        &theirs,
        "--force",
    ];
    house.refused(&over, 2, &["was not made by lookalike"]);
    assert!(!house.exists("four") && house.sql("SELECT count(*) FROM people") == "1200");
    assert_eq!(synth("five", &["--m", "2", "--force"]).0, 0);
    assert_eq!(
        house.sql("SELECT (SELECT count(*) FROM synthetic_1) + (SELECT count(*) FROM synthetic_2)"),
        "1400"
    );
    // The second of three tables cannot be written: none is there afterwards, and the release says where it is.
    house.sql("CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE ''%broken_2'') THEN RAISE EXCEPTION ''hunter2''; END IF; END'");
    house.sql("CREATE EVENT TRIGGER refusing ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()");
    let broken = house.address("broken");
    let three = [
        "synth",
        "people.csv",
        "--schema",
        "people.schema.toml",
        "--method",
        "catall",
        "--m",
        "3",
        "--out",
        "six",
        "--into",
        &broken,
    ];
    let error = house.refused(&three, 1, &["six", "P0001"]);
    assert!(!error.contains("hunter2") && house.exists("six/manifest.json"), "{error}");
    assert_eq!(house.sql("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'broken%'"), "0");
}

#[test]
fn ctrl_c_ends_the_query_there_too() {
    let Some(house) = House::new("stopped") else { return };
    let there = house.address("slow_people");
    let mut run = house.command(&private(&there, "ipf", "x")).stderr(Stdio::null()).spawn().unwrap();
    let active = || {
        house.sql_in("postgres", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lookalike' AND datname = 'stopped' AND state = 'active'")
    };
    while active() == "0" && run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(!house.exists("x") && !house.exists("x.spending.json"));
    let mut waited = 0;
    while active() != "0" && waited < 100 {
        std::thread::sleep(Duration::from_millis(100));
        waited += 1;
    }
    assert!(waited < 100, "the query still runs");
}
