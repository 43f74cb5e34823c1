//! Results to people on standard output, to machines as JSON.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lookalike::{Error, Request};
use table::{TableError, output_file};

use super::Everywhere;

impl Everywhere {
    /// Does the job and shows what came of it.
    pub(super) fn carry_out(&self, request: &impl Request) -> Result<ExitCode, Error> {
        self.prepare(request)?;
        self.show(request, &request.perform(&self.watch())?)
    }

    /// Shows what came of a job.
    pub(super) fn show<R: Request>(&self, request: &R, outcome: &R::Outcome) -> Result<ExitCode, Error> {
        request.notes(outcome).iter().for_each(|note| eprintln!("{}", harmless(note)));
        let text = if self.verbose { request.text_in_full(outcome) } else { request.text(outcome) };
        self.deliver(&text, || request.json(outcome))?;
        Ok(if request.passed(outcome) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Prints `text` for people and writes `json` where it was asked for.
    pub(super) fn deliver(&self, text: &str, json: impl FnOnce() -> serde_json::Value) -> Result<(), Error> {
        let to_stdout = self.json.as_deref() == Some("-");
        if let Some(file) = &self.json {
            let mut document =
                serde_json::to_string_pretty(&json()).map_err(|error| Error::Usage(error.to_string()))?;
            document.push('\n');
            if to_stdout {
                print(&document)?;
            } else {
                // It may hold figures of confidential data.
                output_file::write_private(Path::new(file), document.as_bytes(), self.force)?;
            }
        }
        if self.quiet || to_stdout { Ok(()) } else { print(&on_this_terminal(&harmless(text))) }
    }

    /// Finds out whether the file of `--json` can be written, before long work.
    pub(super) fn check_json(&self, inputs: &[PathBuf]) -> Result<(), Error> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(file) => Ok(output_file::check("json", Path::new(file), inputs, self.force)?),
        }
    }

    /// Prints something that is not the result itself.
    pub(super) fn say(&self, text: &str) -> Result<(), Error> {
        if self.quiet || self.json.as_deref() == Some("-") { Ok(()) } else { print(&harmless(text)) }
    }
}

/// The text with its control characters spelled out, but for line ends and tabs: names of files, variables and levels may come from a stranger's file, and a terminal obeys what they hold.
/// Marks that turn the direction of writing are spelled out too, since they can make a name look like another one.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let is_harmful = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t'))
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_harmful) {
        return text.into();
    }
    let spelled = |mut shown: String, character: char| {
        if is_harmful(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        shown
    };
    text.chars().fold(String::with_capacity(text.len()), spelled).into()
}

/// The text with its lights in colour, where standard output is a terminal and nobody asked for none (<https://no-color.org>).
fn on_this_terminal(text: &str) -> Cow<'_, str> {
    let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if wants_none || !std::io::stdout().is_terminal() { text.into() } else { coloured(text).into() }
}

/// Signs of lights at the beginning of a line, and the two words after them, in their colour. Signs differ in shape too, so that nothing is lost
/// without it.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let codes = [("  ● ", "32"), ("  ▲ ", "33"), ("  ■ ", "31")];
        let Some((sign, code)) = codes.into_iter().find(|(sign, _)| line.starts_with(sign)) else {
            return line.to_owned();
        };
        let rest = &line[sign.len()..];
        // The topic and the state stand in columns of 10 and 12 characters.
        let end = rest.char_indices().nth(23).map_or(rest.len(), |(at, _)| at);
        format!("\u{1b}[{code}m{sign}{}\u{1b}[0m{}", &rest[..end], &rest[end..])
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Writes to standard output; a reader that went away, such as `head`, is no error.
fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(TableError::io("standard output", error).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(harmless("a\u{1b}[2Jb\r\n\tc\u{202e}d"), "a\\u{1b}[2Jb\\u{d}\n\tc\\u{202e}d");
        let plain = "Łódź ● 5 %\n\t×";
        assert!(matches!(harmless(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn lights_are_coloured_and_nothing_else() {
        let text = "town.csv\n  ● truth      good         Good; weakest: x.\n  ■ risk       high         50 %\n  ○ guarantee  none         None\n";
        let shown = coloured(text);
        assert!(shown.contains("\u{1b}[32m  ● truth      good        \u{1b}[0m Good"), "{shown}");
        assert!(shown.contains("\u{1b}[31m  ■ risk") && shown.contains("\n  ○ guarantee"), "{shown}");
        assert!(shown.starts_with("town.csv\n"));
    }
}
