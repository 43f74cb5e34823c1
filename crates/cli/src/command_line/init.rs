//! `lookalike init`: a project to begin with, by a few questions.

use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{Beginning, DescribeOutcome, Error, InitRequest, usual_limits};

use super::reading::Reading;
use super::{Everywhere, Run};

/// Begin a project: asks what the table is and what a release must keep, and writes a schema, a recipe, and the project file that every command
/// in that folder then reads.
#[derive(Debug, Args)]
pub(super) struct Init {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Ask nothing: take what the options say, and the usual for the rest
    #[arg(long)]
    yes: bool,
    /// Columns that name people or records [default: those that look like it]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    identifiers: Option<Vec<String>>,
    /// What a neighbour knows of a person [default: columns called sex, age, region and the like]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    keys: Option<Vec<String>>,
    /// What must not be learned of a person [default: all that is no key]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    targets: Option<Vec<String>>,
    /// Class limits of a number, such as age=0,18,65,100; may be given several times [default: quantiles]
    #[arg(long, value_name = "NAME=LIMITS")]
    cuts: Vec<String>,
    /// A limit that a release must keep, such as "attribute.disco <= 5"; may be given several times
    #[arg(long, value_name = "LIMIT")]
    limit: Vec<String>,
    /// Why the levels and ranges that the table shows may be published, such as "they are in the code book" [default: they may not]
    #[arg(long, value_name = "REASON")]
    public_because: Option<String>,
    /// The folder of the project [default: the current one]
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
}

impl Run for Init {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let cuts = self.cuts.iter().map(|text| cuts_of(text)).collect::<Result<Vec<_>, Error>>()?;
        let mut request = InitRequest {
            data: self.reading.data(&self.data),
            folder: self.out.clone(),
            beginning: Beginning::default(),
            replace: everywhere.force,
        };
        let described = request.describe(&everywhere.watch())?;
        let suggested = Beginning::suggested(&described);
        let mut beginning = Beginning {
            identifiers: named(&self.identifiers).unwrap_or(suggested.identifiers),
            keys: named(&self.keys).unwrap_or(suggested.keys),
            targets: named(&self.targets).unwrap_or(suggested.targets),
            cuts,
            limits: if self.limit.is_empty() { usual_limits() } else { self.limit.clone() },
            public_because: self.public_because.clone(),
        };
        if !self.yes {
            everywhere.say(&report::profile_text(&self.data.display().to_string(), &described.profile))?;
            let mut input = std::io::stdin().lock();
            self.ask(&described, &mut beginning, &mut input)?;
        }
        request.beginning = beginning;
        everywhere.carry_out(&request)
    }
}

impl Init {
    /// Every question that no option has answered; an empty line, or the end of the answers, takes what is suggested.
    fn ask(
        &self,
        described: &DescribeOutcome,
        beginning: &mut Beginning,
        input: &mut impl BufRead,
    ) -> Result<(), Error> {
        let list = |text: String| -> Vec<String> {
            text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
        };
        if self.identifiers.is_none() {
            let answer =
                answer(input, "Which columns name people or records?", &beginning.identifiers.join(","))?;
            beginning.identifiers = list(answer);
        }
        if self.keys.is_none() {
            let answer = answer(input, "What does a neighbour know of a person?", &beginning.keys.join(","))?;
            beginning.keys = list(answer);
        }
        if self.targets.is_none() {
            let question =
                "What must not be learned of a person? (empty: all that a neighbour does not know)";
            beginning.targets = list(answer(input, question, &beginning.targets.join(","))?);
        }
        if self.cuts.is_empty() {
            let numbers = described.profile.variables.iter().filter(|variable| {
                ["integer", "real"].contains(&variable.kind) && beginning.keys.contains(&variable.name)
            });
            for variable in numbers {
                let question =
                    format!("Class limits of {}, such as 0,18,65,100? (empty: quantiles)", variable.name);
                let limits = answer(input, &question, "")?;
                if !limits.is_empty() {
                    beginning.cuts.push(cuts_of(&format!("{}={limits}", variable.name))?);
                }
            }
        }
        if self.limit.is_empty() {
            let answer = answer(
                input,
                "What must a release keep? (limits, apart by ;)",
                &beginning.limits.join("; "),
            )?;
            beginning.limits = answer
                .split(';')
                .map(|limit| limit.trim().to_owned())
                .filter(|limit| !limit.is_empty())
                .collect();
        }
        if self.public_because.is_none() {
            let question = "May levels and ranges of the table be published, and why? (empty: no)";
            beginning.public_because = Some(answer(input, question, "")?).filter(|reason| !reason.is_empty());
        }
        Ok(())
    }
}

/// Asks on standard error and reads a line; what is suggested where it is empty. "-" is nothing.
fn answer(input: &mut impl BufRead, question: &str, suggested: &str) -> Result<String, Error> {
    let shown = if suggested.is_empty() { String::new() } else { format!(" [{suggested}]") };
    if std::io::stderr().is_terminal() {
        eprint!("{question}{shown} ");
        // A prompt that cannot be shown does not stop the work.
        let _ = std::io::stderr().flush();
    }
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| table::TableError::io("standard input", error))?;
    Ok(match line.trim() {
        "" => suggested.to_owned(),
        "-" => String::new(),
        text => text.to_owned(),
    })
}

/// The names of an option that was given; an empty text is no name, so that `--keys=` says that there are none.
fn named(names: &Option<Vec<String>>) -> Option<Vec<String>> {
    names.as_ref().map(|names| names.iter().filter(|name| !name.is_empty()).cloned().collect())
}

/// A variable and its class limits.
fn cuts_of(text: &str) -> Result<(String, Vec<f64>), Error> {
    let refuse =
        || Error::Usage(format!("--cuts: write `{text}` as NAME=LIMIT,LIMIT,…, such as age=0,18,65,100"));
    let (name, limits) = text.split_once('=').ok_or_else(refuse)?;
    let limits: Option<Vec<f64>> = limits.split(',').map(|limit| limit.trim().parse().ok()).collect();
    let limits =
        limits.filter(|limits| limits.len() > 1 && limits.iter().all(|limit: &f64| limit.is_finite()));
    Ok((name.trim().to_owned(), limits.ok_or_else(refuse)?))
}
