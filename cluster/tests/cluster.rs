//! Parquet files that DataFusion counts here and Ballista counts on a cluster: the same bytes as from memory, also when an executor is killed in the midst of a query.
//!
//! `make test-cluster` runs these; a scheduler and two executors are started on the loopback address, and everything is stopped at the end.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;

const BINARY: &str = env!("CARGO_BIN_EXE_lookalike-cluster");

const SCHEMA: &str = r#"[table]
declared = true
reason = "invented"
unit = "person"
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

/// People of which everything follows from their number.
fn people(from: usize, to: usize) -> RecordBatch {
    let rows = from..to;
    let age = |row: usize| (row * 37 % 100) as i64;
    let town = |row: usize| match age(row) < 18 {
        true => Some(["a", "c, \"d\""][row % 2]),
        false => [Some("a"), Some("b's"), Some("c, \"d\""), None][row / 3 % 4],
    };
    let pay = |row: usize| match (age(row) < 18, row % 7) {
        (_, 0) => Some(-8.0),
        (_, 1) => None,
        (true, _) | (_, 2) => Some(0.0),
        (_, 3) => Some([20.5, 100.0, 500.0][row % 3]),
        _ => Some((row * row % 3_997) as f64 / 8.0),
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("sex", Arc::new(StringArray::from_iter_values(rows.clone().map(|row| ["F", "M"][row / 7 % 2])))),
        ("town", Arc::new(rows.clone().map(town).collect::<StringArray>())),
        ("age", Arc::new(Int64Array::from_iter_values(rows.clone().map(age)))),
        ("pay", Arc::new(rows.clone().map(pay).collect::<Float64Array>())),
        (
            "born",
            Arc::new(Date32Array::from_iter_values(
                rows.clone().map(|row| (row * 131 % 36_000) as i32 - 18_000),
            )),
        ),
        ("double", Arc::new(Int64Array::from_iter_values(rows.map(|row| 2 * age(row))))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

fn write(path: &Path, batch: &RecordBatch) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer =
        ArrowWriter::try_new(std::fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// A folder with people in some files, and their schema.
struct House(tempfile::TempDir);

impl House {
    fn new(files: usize, rows: usize) -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        for file in 0..files {
            write(
                &house.path(&format!("people/part-{file}.parquet")),
                &people(file * rows, (file + 1) * rows),
            );
        }
        std::fs::write(house.path("people.schema.toml"), SCHEMA).unwrap();
        house
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.current_dir(self.0.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let (code, out, error) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}\n{error}");
        out
    }

    fn refused(&self, arguments: &[&str], code: i32, words: &[&str]) -> String {
        let (found, _, error) = self.run(arguments);
        assert_eq!(found, code, "{arguments:?}\n{error}");
        for word in words {
            assert!(error.contains(word), "{word}: {error}");
        }
        let lines = error.lines().filter(|line| !line.to_lowercase().starts_with("warning") && !line.starts_with("note"));
        assert_eq!(lines.count(), 1, "one sentence: {error}");
        error
    }

    fn assert_same_release(&self, one: &str, other: &str) {
        for file in ["synthetic-1.csv", "ledger.json", "schema.toml"] {
            let read = |folder: &str| std::fs::read(self.path(folder).join(file)).unwrap();
            assert!(read(one) == read(other), "{one} {other} {file}");
        }
    }
}

const PRIVATE: [&str; 12] = [
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
    "--out",
];

fn private<'a>(data: &'a str, method: &'a str, out: &'a str) -> Vec<&'a str> {
    [&["synth", data, "--method", method], &PRIVATE[..], &[out]].concat()
}

/// A process that ends with its owner.
struct Started(Child);

impl Started {
    fn new(arguments: &[String]) -> Self {
        Self(
            Command::new(BINARY).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(),
        )
    }

    /// At once, as when a machine loses its power.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Processor time so far, in ticks of a hundredth of a second.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap_or_default();
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).to_owned();
        after_name.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A scheduler and executors.
struct Cluster {
    scheduler: Started,
    executors: Vec<Started>,
    port: u16,
}

/// A port with the next one, both free a moment ago.
fn free_ports() -> u16 {
    loop {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
}

impl Cluster {
    fn new(executors: usize) -> Self {
        let port = free_ports();
        let scheduler = Started::new(&["scheduler".into(), "--port".into(), port.to_string()]);
        wait_for(port);
        let executor = |_| {
            let own = free_ports();
            let scheduler = format!("127.0.0.1:{port}");
            let started = Started::new(
                &[
                    "executor",
                    "--scheduler",
                    &scheduler,
                    "--port",
                    &own.to_string(),
                    "--cores",
                    "1",
                    "--memory",
                    "500MB",
                ]
                .map(str::to_owned),
            );
            wait_for(own);
            started
        };
        let executors = (0..executors).map(executor).collect();
        Self { scheduler, executors, port }
    }

    fn address(&self, house: &House, files: &str) -> String {
        format!("ballista://127.0.0.1:{}{}?partitions=4", self.port, house.path(files).display())
    }
}

/// Until someone listens.
fn wait_for(port: u16) {
    let until = Instant::now() + Duration::from_secs(60);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "nobody listens on {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Everything that needs only counts.
fn same_answers(house: &House, there: &str) {
    for method in ["ipf", "pairwise", "catall"] {
        let (memory, engine) = (format!("{method}-memory"), format!("{method}-engine"));
        if !house.path(&memory).exists() {
            house.succeeds(&private("people", method, &memory));
        }
        house.succeeds(&[private(there, method, &engine), vec!["--force"]].concat());
        house.assert_same_release(&memory, &engine);
    }
    let json = |arguments: &[&str]| {
        house.succeeds(&[arguments, &["--schema", "people.schema.toml", "--json", "-"]].concat())
    };
    assert_eq!(json(&["plan", there]), json(&["plan", "people"]));
    let pairs = |data: &str| {
        let found =
            json(&["measure", data, "ipf-memory/synthetic-1.csv", "--only", "tables", "--ways", "1,2"]);
        let found: Vec<serde_json::Value> = serde_json::from_str(&found).unwrap();
        let is_meant = |finding: &serde_json::Value| {
            finding["measure"] == "tables.s_pmse" && !finding["on"].to_string().contains("double")
        };
        found.into_iter().filter(is_meant).collect::<Vec<_>>()
    };
    assert_eq!(pairs(there).len(), 15);
    assert_eq!(pairs(there), pairs("people"));
    // Counts hold how they were made nowhere but in the hashes of files; what they give is the same.
    let counts = |data: &str, out: &str| {
        house.succeeds(&[
            "counts",
            data,
            "--schema",
            "people.schema.toml",
            "--out",
            out,
            "--force",
            "--quiet",
        ]);
        let release = format!("of-{out}");
        let how = [
            "--method",
            "ipf",
            "--epsilon",
            "1",
            "--records",
            "1200",
            "--insecure-test-seed",
            "5",
            "--force",
            "--quiet",
            "--out",
        ];
        house.succeeds(&[&["synth", "--counts", out], &how[..], &[&release]].concat());
        std::fs::read(house.path(&release).join("synthetic-1.csv")).unwrap()
    };
    assert!(counts(there, "engine.counts") == counts("people", "memory.counts"));
    house.succeeds(&[
        "synth",
        there,
        "--schema",
        "people.schema.toml",
        "--method",
        "catall",
        "--seed",
        "3",
        "--out",
        "plain",
        "--force",
    ]);
    house.succeeds(&["describe", there, "--write-schema", "there.toml", "--keys", "sex,age", "--force"]);
    house.succeeds(&["describe", "people", "--write-schema", "here.toml", "--keys", "sex,age", "--force"]);
    let plain = |name: &str| {
        let text = std::fs::read_to_string(house.path(name)).unwrap();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines.map(|line| line.split(" # ").next().unwrap_or(line).trim_end().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(plain("there.toml"), plain("here.toml"));
    house.refused(
        &["synth", there, "--schema", "people.schema.toml", "--out", "x"],
        2,
        &["needs the records"],
    );
    house.refused(&["synth", there, "--method", "ipf", "--out", "x"], 3, &["declared schema", "describe"]);
    assert!(!house.path("x").exists());
}

#[test]
fn counts_in_process_are_those_of_memory() {
    let house = House::new(3, 400);
    let there = format!("datafusion:{}", house.path("people").display());
    same_answers(&house, &there);
    same_answers(&house, "datafusion:people?partitions=3");
    house.refused(&["describe", "datafusion:nowhere"], 1, &["nowhere"]);
    std::fs::create_dir(house.path("empty")).unwrap();
    house.refused(&["describe", "datafusion:empty"], 1, &["no Parquet files"]);
}

#[test]
fn subfolders_are_columns() {
    let house = House::new(0, 0);
    for region in ["north", "south"] {
        write(&house.path(&format!("people/region={region}/a.parquet")), &people(0, 120));
    }
    let schema =
        format!("{SCHEMA}[variables.region]\nkind = \"categorical\"\nlevels = [\"north\", \"south\"]\n");
    std::fs::write(house.path("people.schema.toml"), schema).unwrap();
    house.succeeds(&private("people", "ipf", "memory"));
    house.succeeds(&private("datafusion:people", "ipf", "engine"));
    house.assert_same_release("memory", "engine");
}

#[test]
fn what_breaks_the_schema_is_refused_without_a_value() {
    let house = House::new(1, 400);
    let batch = people(400, 500);
    let with = |at: usize, column: ArrayRef| {
        let mut columns = batch.columns().to_vec();
        columns[at] = column;
        write(&house.path("people/part-9.parquet"), &RecordBatch::try_new(batch.schema(), columns).unwrap());
    };
    let there = private("datafusion:people", "ipf", "out");
    with(
        0,
        Arc::new(StringArray::from_iter_values((0..100).map(|row| if row == 99 { "secret" } else { "F" }))),
    );
    let error = house.refused(&there, 1, &["`sex`", "1 records"]);
    assert!(!error.contains("secret"), "{error}");
    with(3, Arc::new(Float64Array::from_iter_values((0..100).map(|_| 7_777.0))));
    let error = house.refused(&there, 1, &["`pay`"]);
    assert!(!error.contains("7777"), "{error}");
    with(5, Arc::new(Int64Array::from_iter_values((0..100).map(|_| 5_555))));
    let error = house.refused(&there, 1, &["`double`"]);
    assert!(!error.contains("5555"), "{error}");
    assert!(!house.path("out").exists() && !house.path("out.spending.json").exists());
}

#[test]
fn counts_on_a_cluster_are_those_of_memory() {
    let house = House::new(3, 400);
    let cluster = Cluster::new(2);
    same_answers(&house, &cluster.address(&house, "people"));
}

/// The bytes are those of memory, and the run took a moment longer.
#[test]
fn an_executor_that_is_killed_costs_a_delay() {
    let house = House::new(4, 150_000);
    house.succeeds(&private("people", "ipf", "memory"));
    let mut cluster = Cluster::new(2);
    let address = cluster.address(&house, "people");
    let before = cluster.executors[1].ticks();
    let mut run = house.command(&private(&address, "ipf", "engine")).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(240);
    // It has begun to count for us.
    while cluster.executors[1].ticks() < before + 60 {
        assert!(run.try_wait().unwrap().is_none(), "the run was over before its executor was killed");
        assert!(Instant::now() < until, "the executor was given nothing to do");
        std::thread::sleep(Duration::from_millis(10));
    }
    cluster.executors[1].kill();
    assert!(run.try_wait().unwrap().is_none(), "the run was over when its executor was killed");
    let killed = Instant::now();
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    println!("done {:.1} s after the executor was killed", killed.elapsed().as_secs_f64());
    house.assert_same_release("memory", "engine");
}

#[test]
fn a_dead_scheduler_is_one_sentence() {
    let house = House::new(4, 150_000);
    let absent = format!("ballista://127.0.0.1:{}{}", free_ports(), house.path("people").display());
    let words = ["the scheduler at 127.0.0.1:", "cannot be reached", "lookalike-cluster scheduler"];
    house.refused(&private(&absent, "ipf", "out"), 1, &words);
    let mut cluster = Cluster::new(1);
    let address = cluster.address(&house, "people");
    let before = cluster.executors[0].ticks();
    let mut run = house.command(&private(&address, "ipf", "out")).spawn().unwrap();
    while cluster.executors[0].ticks() < before + 60 {
        assert!(run.try_wait().unwrap().is_none(), "the run was over before its scheduler was killed");
        std::thread::sleep(Duration::from_millis(10));
    }
    cluster.scheduler.kill();
    let output = run.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
    assert!(!house.path("out").exists() && !house.path("out.spending.json").exists(), "nothing was begun");
}

#[test]
fn a_cluster_without_executors_says_so() {
    let house = House::new(1, 400);
    let cluster = Cluster::new(0);
    let address = cluster.address(&house, "people");
    house.refused(&private(&address, "ipf", "out"), 1, &["no executor", "lookalike-cluster executor"]);
}

/// Files that others write to while a cluster counts are refused.
#[test]
fn files_that_change_meanwhile_are_refused() {
    let house = House::new(4, 150_000);
    let cluster = Cluster::new(1);
    let address = cluster.address(&house, "people");
    let before = cluster.executors[0].ticks();
    let mut run = house.command(&private(&address, "ipf", "out")).spawn().unwrap();
    while cluster.executors[0].ticks() < before + 30 {
        assert!(run.try_wait().unwrap().is_none(), "the run was over before a file was added");
        std::thread::sleep(Duration::from_millis(10));
    }
    write(&house.path("people/part-9.parquet"), &people(0, 10));
    let output = run.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("part-9.parquet") && error.contains("changed while they were counted"), "{error}");
    assert!(!house.path("out").exists());
}
