//! `lookalike shell-files`: completions for shells and man pages, written by the program from its own options.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use lookalike::Error;
use table::{TableError, output_file};

use super::{CommandLine, Everywhere, Run};

/// Write completions for bash, zsh, fish and PowerShell, and man pages, to a folder.
#[derive(Debug, Args)]
pub(super) struct ShellFiles {
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// The shells, with the names of files under which each looks for completions.
const SHELLS: [(Shell, &str); 4] = [
    (Shell::Bash, "lookalike.bash"),
    (Shell::Zsh, "_lookalike"),
    (Shell::Fish, "lookalike.fish"),
    (Shell::PowerShell, "_lookalike.ps1"),
];

impl Run for ShellFiles {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        output_file::check_folder("out", &self.out)?;
        std::fs::create_dir_all(&self.out).map_err(|source| TableError::io(&self.out, source))?;
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for (shell, name) in SHELLS {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut CommandLine::command(), "lookalike", &mut text);
            files.push((name.to_owned(), text));
        }
        files.extend(man_pages()?);
        for (name, text) in &files {
            let path = self.out.join(name);
            output_file::check("out", &path, &[], everywhere.force)?;
            output_file::write(&path, text, everywhere.force)?;
        }
        everywhere.say(&format!("{} files in {}\n", files.len(), self.out.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A page for the program and one for each of its commands, without a date, so that they are the same from every build.
fn man_pages() -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut whole = CommandLine::command().disable_help_subcommand(true);
    whole.build();
    let mut pages = Vec::new();
    let mut page = |name: String, command: clap::Command| -> Result<(), Error> {
        let mut text = Vec::new();
        let manual = clap_mangen::Man::new(command)
            .title(name.to_uppercase())
            .date("")
            .source(lookalike::SOFTWARE)
            .manual("Lookalike");
        manual.render(&mut text).map_err(|source| TableError::io(format!("{name}.1"), source))?;
        pages.push((format!("{name}.1"), text));
        Ok(())
    };
    for command in whole.get_subcommands() {
        page(command.get_display_name().unwrap_or(command.get_name()).to_owned(), command.clone())?;
    }
    page("lookalike".to_owned(), whole.clone())?;
    Ok(pages)
}
