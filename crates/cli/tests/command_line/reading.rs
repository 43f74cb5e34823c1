//! What people have: long numbers, times, decimal commas, pipes, and files that are no tables.

use std::path::PathBuf;

use crate::harness::lookalike;

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, command: &str) -> assert_cmd::Command {
        let mut lookalike = lookalike();
        lookalike.current_dir(self.0.path()).args(command.split_whitespace());
        lookalike
    }

    fn run(&self, command: &str) -> String {
        let output = self.command(command).assert().success();
        String::from_utf8_lossy(&output.get_output().stdout).into_owned()
    }

    fn error(&self, command: &str) -> String {
        let output = self.command(command).assert().failure();
        String::from_utf8_lossy(&output.get_output().stderr).into_owned()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn long_numbers_are_text_and_no_digit_is_lost_or_leaves() {
    let desk = Desk::new();
    let account = |row: u64| 123_456_789_012_345_001 + 17 * row;
    let rows: String = (0..60).map(|row| format!("{},{}\n", account(row), row % 3)).collect();
    desk.write("accounts.csv", format!("account,n\n{rows}"));
    let described = desk.run("describe accounts.csv --json -");
    assert!(
        described.contains("\"text-id\"") && described.contains("whole numbers kept as text"),
        "{described}"
    );
    for format in ["csv", "parquet"] {
        desk.run(&format!("synth accounts.csv --format {format} --seed 1 --out {format}"));
        let options = table::read::ReadOptions::default();
        let file = desk.path(&format!("{format}/synthetic-1.{format}"));
        let synthetic = table::read::read_table(&file, &options).unwrap();
        assert_eq!(synthetic.rows(), 60);
        let text = table::write::csv_text(&synthetic);
        assert!((0..60).all(|row| !text.contains(&account(row).to_string())), "{text}");
        assert!((0..60).all(|row| !text.contains(&(account(row) as f64 as u64).to_string())), "{text}");
    }
}

#[test]
fn times_are_synthesised_as_times() {
    let desk = Desk::new();
    let rows: String = (0..400)
        .map(|row| {
            let minute = (row * 7919) % 1440;
            let seen =
                format!("2016-{:02}-{:02}T{:02}:{:02}:00", 1 + row % 12, 1 + row % 28, row % 24, row % 60);
            format!("{seen},{:02}:{:02},{}\n", minute / 60, minute % 60, ["a", "b"][row % 2])
        })
        .collect();
    desk.write("visits.csv", format!("seen,opens,kind\n{rows}"));
    desk.run("describe visits.csv --write-schema s.toml");
    let schema = desk.text("s.toml");
    assert!(schema.contains("kind = \"datetime\"") && schema.contains("format = \"HH:MM\""), "{schema}");
    for method in ["sequential", "catall", "ipf", "saturated", "graph"] {
        desk.run(&format!("synth visits.csv --schema s.toml --method {method} --seed 1 --out {method}"));
        let schema = table::schema::SchemaFile::read(&desk.path("s.toml")).unwrap();
        let options = table::read::ReadOptions { schema: Some(schema), ..Default::default() };
        let synthetic =
            table::read::read_table(&desk.path(&format!("{method}/synthetic-1.csv")), &options).unwrap();
        assert!(synthetic.rows() > 300, "{method}");
        desk.run(&format!("verify {method}"));
        desk.run(&format!("measure visits.csv {method}/synthetic-1.csv --only tables"));
    }
    desk.run("synth visits.csv --method catall --format parquet --seed 1 --out typed");
    desk.run("verify typed");
}

#[test]
fn decimal_commas_come_and_go() {
    let desk = Desk::new();
    let rows: String = (0..80).map(|row| format!("{},{};{}\n", row % 9, 5 * (row % 2), row % 2)).collect();
    desk.write("pay.csv", format!("pay;sex\n{rows}"));
    let described = desk.run("describe pay.csv --json -");
    assert!(described.contains("\"real\"") && described.contains("8.5"), "{described}");
    assert_eq!(desk.run("describe pay.csv --decimal , --json -"), described, "they are found");
    assert!(
        desk.run("describe pay.csv --decimal . --json -").contains("categorical"),
        "unless it is said otherwise"
    );
    desk.run("synth pay.csv --decimal , --method catall --seed 1 --out out");
    let synthetic = desk.text("out/synthetic-1.csv");
    assert!(
        synthetic.starts_with("pay;sex\n") && synthetic.contains(",") && !synthetic.contains('.'),
        "{synthetic}"
    );
    desk.run("verify out");
    desk.run("measure pay.csv out/synthetic-1.csv --decimal , --only tables");
    desk.run("fit pay~sex out");
    assert!(desk.error("describe pay.csv --decimal x").contains("a point or a comma"));
}

#[test]
fn a_table_may_come_through_a_pipe() {
    let desk = Desk::new();
    // A column that turns out to be text late is read twice.
    let rows: String = (0..200_000)
        .map(|row| format!("{},{}\n", row % 5, if row < 199_990 { "1.5" } else { "x" }))
        .collect();
    let text = format!("n,late\n{rows}");
    let output = desk.command("describe - --json -").write_stdin(text.clone()).assert().success();
    let profile: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(
        (&profile["rows"], &profile["variables"][1]["kind"]),
        (&200_000.into(), &"categorical".into())
    );
    desk.command("synth - --method catall --seed 1 --out piped").write_stdin(text.clone()).assert().success();
    desk.write("file.csv", text);
    desk.run("synth file.csv --method catall --seed 1 --out filed");
    assert_eq!(desk.text("piped/synthetic-1.csv"), desk.text("filed/synthetic-1.csv"));
    assert_eq!(
        desk.text("piped/internal/internal.json"),
        desk.text("filed/internal/internal.json"),
        "the hash of the input too"
    );
    let refused = desk.command("describe -").write_stdin("PAR1....").assert().failure();
    assert!(String::from_utf8_lossy(&refused.get_output().stderr).contains("standard input"));
}

#[test]
fn files_that_are_no_tables_are_named_with_the_way_out() {
    let desk = Desk::new();
    desk.write("book.xlsx", b"PK\x03\x04\x14\0\x06\0[Content_Types].xml");
    desk.write("study.sav", b"$FL2@(#) SPSS DATA FILE");
    desk.write("object.rds", b"X\n\0\0\0\x03");
    for (command, words) in [
        ("describe book.xlsx", ["book.xlsx", "not a readable Excel file"]),
        ("synth study.sav --out out", ["study.sav", "cut off"]),
        ("describe object.rds", ["an R object", "write.csv"]),
        ("describe .", ["none of them", "pattern"]),
        ("describe *.xyz", ["no file has a name", "fits this pattern"]),
    ] {
        let message = desk.error(command);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(message.lines().count() == 1, "one sentence: {message}");
    }
}
