//! Nothing that a run reads is replaced, and nothing else without being told.

use std::path::{Path, PathBuf};

use crate::harness::lookalike;

/// A table that is large enough to be synthesised.
fn table() -> String {
    format!("sex,age\n{}", "F,31\nM,47\nF,31\nM,12\nF,40\nM,12\n".repeat(6))
}

/// A folder with a table, in which commands run.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        std::fs::write(desk.path("mine.csv"), table()).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, command: &str) -> assert_cmd::assert::Assert {
        lookalike().current_dir(self.0.path()).args(command.split_whitespace()).assert()
    }

    /// Runs a command that is wrong usage, and gives what it says.
    fn refused(&self, command: &str) -> String {
        let output = self.run(command).code(2);
        String::from_utf8_lossy(&output.get_output().stderr).into_owned()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_input_is_never_replaced() {
    let desk = Desk::new();
    std::fs::write(
        desk.path("s.toml"),
        "[variables.sex]\nkind = \"categorical\"\n[variables.age]\nkind = \"integer\"\n",
    )
    .unwrap();
    std::fs::hard_link(desk.path("mine.csv"), desk.path("hard.csv")).unwrap();
    let mut names = vec!["mine.csv", "./mine.csv", "hard.csv"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("mine.csv", desk.path("soft.csv")).unwrap();
        names.push("soft.csv");
    }
    for name in names {
        for command in [
            format!("describe mine.csv --json {name}"),
            format!("describe mine.csv --force --json {name}"),
            format!("describe mine.csv --force --write-schema {name}"),
            format!("synth mine.csv --method catall --out out --force --json {name}"),
            format!("measure mine.csv mine.csv --json {name} --force"),
            format!("fit age~sex mine.csv --json {name} --force"),
            format!("plan mine.csv --json {name} --force"),
        ] {
            let message = desk.refused(&command);
            assert!(message.contains("is an input of this run"), "{command}: {message}");
            assert_eq!(desk.text("mine.csv"), table(), "{command}");
        }
    }
    let message = desk.refused("describe mine.csv --schema s.toml --write-schema s.toml --force");
    assert!(message.contains("--write-schema") && message.contains("is an input"), "{message}");
    std::fs::copy(desk.path("mine.csv"), desk.path("page.html")).unwrap();
    let message = desk.refused("measure mine.csv page.html --report page.html --force");
    assert!(message.contains("--report") && message.contains("is an input"), "{message}");
    assert!(!desk.path("out").exists());
}

#[test]
fn a_file_that_exists_needs_force_and_a_stream_does_not() {
    let desk = Desk::new();
    desk.run("describe mine.csv --json a.json").success();
    let first = desk.text("a.json");
    let message = desk.refused("describe mine.csv --keys sex --json a.json");
    assert!(message.contains("--json") && message.contains("--force"), "{message}");
    assert_eq!(desk.text("a.json"), first);
    desk.run("describe mine.csv --keys sex --json a.json --force").success();
    assert_ne!(desk.text("a.json"), first);
    desk.run("measure mine.csv mine.csv --only tables --report page.html").success();
    assert!(desk.refused("measure mine.csv mine.csv --only tables --report page.html").contains("--force"));
    #[cfg(unix)]
    {
        desk.run("describe mine.csv --json /dev/null").success();
        let output = desk.run("describe mine.csv --quiet --json /dev/stdout").success();
        let profile: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
        assert_eq!(profile["rows"], 36);
        assert!(std::process::Command::new("mkfifo").arg(desk.path("pipe")).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = desk.path("pipe");
            move || std::fs::read_to_string(pipe).unwrap()
        });
        desk.run("describe mine.csv --quiet --json pipe").success();
        assert!(reader.join().unwrap().contains("\"rows\": 36"));
        desk.run("describe mine.csv --write-schema draft.toml").success();
        assert_eq!((mode(&desk.path("draft.toml")), mode(&desk.path("a.json"))), (0o600, 0o600));
    }
}

#[test]
fn what_is_confidential_stays_out_of_the_release_however_its_path_is_written() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("deep")).unwrap();
    let mut models = vec!["out/m.json", "./out/m.json", "deep/../out/m.json"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(".", desk.path("here")).unwrap();
        models.push("here/out/m.json");
    }
    for model in models {
        let message = desk.refused(&format!("synth mine.csv --method catall --out out --save-model {model}"));
        assert!(message.contains("save-model"), "{message}");
        let message = desk.refused(&format!("synth mine.csv --method catall --out ./out --resume {model}"));
        assert!(message.contains("resume"), "{message}");
    }
    assert!(!desk.path("out").exists());
    desk.run("synth mine.csv --method catall --out output --save-model out.json").success();
}

#[test]
fn force_replaces_a_release_and_nothing_beside_it() {
    let desk = Desk::new();
    desk.run("synth mine.csv --method catall --out out").success();
    std::fs::write(desk.path("out/thesis.tex"), "three years").unwrap();
    let message = desk.refused("synth mine.csv --method catall --out out --force");
    assert!(message.contains("thesis.tex"), "{message}");
    assert_eq!(desk.text("out/thesis.tex"), "three years");
    std::fs::remove_file(desk.path("out/thesis.tex")).unwrap();
    let message = desk.refused("synth out/synthetic-1.csv --method catall --out out --force");
    assert!(message.contains("holds an input"), "{message}");
    let dead = desk.path(".lookalike-dead");
    std::fs::create_dir(&dead).unwrap();
    std::fs::write(dead.join("half.csv"), table()).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::open(&dead).unwrap().set_modified(long_ago).unwrap();
    desk.run("synth mine.csv --method catall --out out --force").success();
    assert!(!dead.exists(), "what a killed run has left is swept");
    desk.run("verify out").success();
}

#[test]
fn spreadsheets_run_no_formula_of_a_release() {
    let desk = Desk::new();
    let rows: String =
        (0..30).map(|row| format!("{},{}\n", ["=1+1", "-5", "@x"][row % 3], row % 2)).collect();
    std::fs::write(desk.path("cells.csv"), format!("say,n\n{rows}")).unwrap();
    std::fs::write(
        desk.path("s.toml"),
        "[variables.say]\nkind = \"categorical\"\nlevels = [\"=1+1\", \"-5\", \"@x\"]\n[variables.n]\nkind = \"integer\"\n",
    )
    .unwrap();
    desk.run("synth cells.csv --schema s.toml --method catall --rows 200 --seed 1 --out out").success();
    let guarded = desk.text("out/synthetic-1.csv");
    assert!(
        guarded.contains("\n'=1+1,") && guarded.contains("\n'@x,") && guarded.contains("\n-5,"),
        "{guarded}"
    );
    assert!(!guarded.contains("\n=") && !guarded.contains("\n@"), "{guarded}");
    desk.run("verify out").success();
    let found = desk.run("measure cells.csv out/synthetic-1.csv --only tables --json -").success();
    let found = String::from_utf8_lossy(&found.get_output().stdout).into_owned();
    desk.run(
        "synth cells.csv --schema s.toml --method catall --rows 200 --seed 1 --keep-formulas --out kept",
    )
    .success();
    let kept = desk.text("kept/synthetic-1.csv");
    assert_eq!(kept, guarded.replace("\n'", "\n"));
    assert!(desk.text("kept/recipe.toml").contains("keep_formulas = true"));
    let same = desk.run("measure cells.csv kept/synthetic-1.csv --only tables --json -").success();
    assert_eq!(String::from_utf8_lossy(&same.get_output().stdout), found, "the apostrophe is not measured");
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let desk = Desk::new();
    desk.run("shell-files --quiet --out shell").success();
    let read = |name: &str| std::fs::read_to_string(desk.path("shell").join(name)).unwrap();
    for shell in ["lookalike.bash", "_lookalike", "lookalike.fish", "_lookalike.ps1"] {
        assert!(
            ["describe", "verify", "insecure-test-seed"].iter().all(|word| read(shell).contains(word)),
            "{shell}"
        );
    }
    assert!(read("lookalike-synth.1").contains("epsilon") && read("lookalike.1").contains("synth"));
    desk.run("shell-files --quiet --out shell").failure();
    desk.run("shell-files --quiet --out shell --force").success();
}
