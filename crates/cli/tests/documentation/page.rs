//! A page of documentation, and how it is run.

use std::path::Path;
use std::process::Command;

use lookalike::synthesis::Recipe;
use lookalike::table::schema::SchemaFile;

use crate::printed::agrees;

/// What is done, from top to bottom.
pub struct Page {
    steps: Vec<Step>,
}

enum Step {
    /// A file is written.
    File { name: String, text: String },
    /// A command is run; it prints what is shown, if anything is.
    Run { command: String, shown: Vec<String> },
}

impl Page {
    /// The blocks of a page of Markdown.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(language) = line.trim_start().strip_prefix("```") else {
                steps.extend(in_table(line));
                continue;
            };
            let block: Vec<String> =
                lines.by_ref().take_while(|line| line.trim() != "```").map(str::to_owned).collect();
            match language.split_once(",file=") {
                Some((_, name)) => {
                    steps.push(Step::File { name: name.to_owned(), text: block.join("\n") + "\n" });
                }
                None => steps.extend(block_steps(language, block)?),
            }
        }
        Ok(Self { steps })
    }

    /// Runs it in a folder of its own; returns how many commands there were.
    pub fn run(&self) -> Result<usize, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut commands = 0;
        for step in &self.steps {
            match step {
                Step::File { name, text } => {
                    check_form(name, text)?;
                    std::fs::write(folder.path().join(name), text).map_err(|error| error.to_string())?;
                }
                Step::Run { command, shown } => {
                    commands += 1;
                    run(folder.path(), command, shown)?;
                }
            }
        }
        Ok(commands)
    }
}

/// A schema or a recipe that a page shows is one.
fn check_form(name: &str, text: &str) -> Result<(), String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{name}: {error}");
    if name.ends_with(".schema.toml") {
        let schema = SchemaFile::parse(text).map_err(|error| wrong(&error))?;
        schema.finish().map_err(|error| wrong(&error))?;
    } else if name.ends_with(".recipe.toml") {
        Recipe::parse(text).map_err(|error| wrong(&error))?;
    }
    Ok(())
}

fn block_steps(language: &str, block: Vec<String>) -> Result<Vec<Step>, String> {
    match language {
        // Blocks of Python are run by the tests of the Python package, those of R by its own.
        "text" | "json" | "diff" | "python" | "r" => Ok(Vec::new()),
        "sh" => Ok(block
            .into_iter()
            .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
            .map(|command| Step::Run { command, shown: vec!["…".to_owned()] })
            .collect()),
        "console" => {
            let mut steps: Vec<Step> = Vec::new();
            for line in block {
                match (line.strip_prefix("$ "), steps.last_mut()) {
                    (Some(command), _) => {
                        steps.push(Step::Run { command: command.to_owned(), shown: Vec::new() });
                    }
                    (None, Some(Step::Run { shown, .. })) => shown.push(line),
                    (None, _) => return Err(format!("a console block begins with `{line}` and no command")),
                }
            }
            // A command of which nothing is shown may print what it likes.
            for step in &mut steps {
                if let Step::Run { shown, .. } = step
                    && shown.iter().all(|line| line.trim().is_empty())
                {
                    *shown = vec!["…".to_owned()];
                }
            }
            Ok(steps)
        }
        other => Err(format!(
            "a block of language `{other}`; say console, sh, text, json, diff, or toml,file=NAME"
        )),
    }
}

/// Commands in the cells of a table.
fn in_table(line: &str) -> Vec<Step> {
    if !line.starts_with('|') {
        return Vec::new();
    }
    let quoted = line.split('`').skip(1).step_by(2).filter(|text| text.starts_with("lookalike "));
    quoted.map(|command| Step::Run { command: command.to_owned(), shown: vec!["…".to_owned()] }).collect()
}

fn run(folder: &Path, command: &str, shown: &[String]) -> Result<(), String> {
    let wanted =
        command.split_once("# exit code ").and_then(|(_, code)| code.trim().parse().ok()).unwrap_or(0);
    // The demo with fewer people: it is run here by a program that was not built to be fast.
    let command = command
        .replace("cargo run --release --", "lookalike")
        .replace("lookalike demo", "lookalike demo --people 500");
    if command.trim_start().starts_with("make test") {
        return Ok(());
    }
    let program = Path::new(env!("CARGO_BIN_EXE_lookalike"));
    let path = std::env::join_paths(
        program
            .parent()
            .map(Path::to_owned)
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder)
        .env("PATH", path.map_err(|error| error.to_string())?)
        .output()
        .map_err(|error| error.to_string())?;
    let told = || String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(wanted) {
        return Err(format!("`{command}` ends with {} instead of {wanted}\n{}", output.status, told()));
    }
    let mut printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if wanted != 0 {
        printed += &told();
    }
    agrees(shown, &printed).map_err(|difference| format!("`{command}`: {difference}"))
}
