//! `lookalike demo`: all steps on an invented town, by the commands that users type.

use std::path::PathBuf;
use std::process::ExitCode;

use ::town::Town;
use clap::{Args, Parser};
use table::figures::thousands;
use table::{TableError, atomic_file};

use super::super::protection::Sandbox;
use super::super::{CommandLine, Everywhere, Failure};

/// Show all steps, from description to release and analysis, on an invented town.
#[derive(Debug, Args)]
pub(in super::super) struct Demo {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "lookalike-demo")]
    out: PathBuf,
    /// How many people live in the town
    #[arg(long, value_name = "N", default_value_t = 3_000, value_parser = clap::value_parser!(u32).range(500..))]
    people: u32,
}

/// What is said before each command, and the command; `OUT` is the folder.
const STORY: [(&str, &str); 7] = [
    (
        "What is this table, and who is unique on what a neighbour knows?",
        "describe OUT/town.csv --schema OUT/town.schema.toml --keys sex,age,district,marital",
    ),
    (
        "What would count models of several dispersions give and cost? Theory knows before anything is generated.",
        "plan OUT/town.csv --schema OUT/town.schema.toml --family nbi --sigma 0.1,0.5,2 --m 1,10",
    ),
    (
        "Many methods on one map: which are beaten, which keep the limits, which is best?",
        "frontier OUT/town.csv --schema OUT/town.schema.toml --repeat 2 --keys sex,age,district --targets income \
         --risk uniques.ru_of_p1 --limit uniques.ru_of_p1<=40 --limit tables.mean_s_pmse:2<=10 \
         --out OUT/frontier",
    ),
    (
        "The best of them, drawn again, measured, held against the limits, and released with the evidence.",
        "release OUT/town.csv --schema OUT/town.schema.toml --frontier OUT/frontier --accepted-by the-demo \
         --name Much-Seeming --model income~sex+age+education --publish tables.mean_s_pmse --because a-demonstration \
         --force --out OUT/release",
    ),
    ("Whoever receives it can check it.", "verify OUT/release"),
    (
        "An analyst draws conclusions, with intervals that account for the synthesis.",
        "fit income~sex+age+education OUT/release",
    ),
    (
        "The same town under differential privacy: every look at the records is paid for.",
        "synth OUT/town.csv --schema OUT/town.schema.toml --method ipf --epsilon 1 --records PEOPLE --force --out OUT/private",
    ),
];

impl Demo {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        everywhere.check_json(&[])?;
        let town = Town::new(self.people as usize, Town::default().seed);
        std::fs::create_dir_all(&self.out).map_err(|source| TableError::io(&self.out, source))?;
        atomic_file::write(&self.out.join("town.csv"), town.csv().as_bytes())?;
        atomic_file::write(&self.out.join("town.schema.toml"), town.schema().as_bytes())?;
        everywhere.say(&format!(
            "Much Seeming is a town that does not exist; {} invented people live in it.\n\
             Their records are in {}/town.csv, what each variable may hold is declared in {}/town.schema.toml.\n",
            thousands(u64::from(self.people)),
            self.out.display(),
            self.out.display()
        ))?;
        let mut commands = Vec::new();
        for (words_before, command) in STORY {
            let words = self.words(command);
            everywhere.say(&format!("\n{words_before}\n\n$ lookalike {}\n\n", words.join(" ")))?;
            let code = run(&words, everywhere)?;
            commands.push(words.join(" "));
            if code != ExitCode::SUCCESS {
                return Ok(code);
            }
        }
        let report = self.out.join("release/internal/report-internal.html");
        let external = self.out.join("release/report.html");
        let text = format!(
            "\nThe confidential report, with the map of all methods, is in\n  {}\nand the one that may be released in\n  {}\n",
            report.display(),
            external.display()
        );
        everywhere.deliver(
            &text,
            || serde_json::json!({ "commands": commands, "report": report, "external_report": external }),
        )?;
        Ok(ExitCode::SUCCESS)
    }

    fn words(&self, command: &str) -> Vec<String> {
        let out = self.out.display().to_string();
        let people = self.people.to_string();
        let word = |word: &str| match word {
            "PEOPLE" => people.clone(),
            _ => word.strip_prefix("OUT/").map_or_else(|| word.to_owned(), |file| format!("{out}/{file}")),
        };
        command.split_whitespace().map(word).collect()
    }
}

/// Runs a command as if it had been typed, as quietly as the demo itself.
fn run(words: &[String], everywhere: &Everywhere) -> Result<ExitCode, Failure> {
    let program = std::iter::once("lookalike".to_owned());
    let CommandLine { command, everywhere: own } =
        CommandLine::try_parse_from(program.chain(words.iter().cloned()))
            .map_err(|error| Failure::usage(error.to_string()))?;
    let quiet = everywhere.quiet || everywhere.json.as_deref() == Some("-");
    // A process can confine itself only once, and the story has many commands.
    command.run(&Everywhere { quiet: own.quiet || quiet, sandbox: Sandbox::Off, ..own })
}
