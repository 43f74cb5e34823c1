//! Every command and every code block of the README and of the book, run as written.
//!
//! A page is run from top to bottom in a folder of its own:
//!
//! - `console`: a line that begins with `$ ` is a command for the shell; what follows it up to the next one is what it prints, where
//!   a line `…` stands for any lines, and `…` within a line for any text. A comment `# exit code 3` says that the command fails so.
//! - `sh`: every line is a command.
//! - `toml,file=NAME`, `csv,file=NAME`: the block is written to that file, which a later command uses.
//! - `text`, `json`, `diff`: shown, not run. `python`, `r`: run by the tests of these packages. Any other language is refused, so that nothing escapes by a slip.
//!
//! In tables, every inline `lookalike …` is a command too. `cargo run --release --` is the command under test, and `make test` is what runs this.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod page;
mod printed;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use page::Page;

fn root() -> PathBuf {
    shared_data::checkout()
}

/// The pages of the book, from its table of contents.
fn book() -> Vec<PathBuf> {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| Path::new("docs").join(link)).collect()
}

#[test]
fn every_page_of_the_book_is_in_its_table_of_contents_and_every_link_leads_somewhere() {
    let listed: BTreeSet<PathBuf> = book().into_iter().collect();
    let written: BTreeSet<PathBuf> = std::fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| Path::new("docs").join(entry.unwrap().file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .filter(|path| !path.ends_with("SUMMARY.md"))
        .collect();
    assert_eq!(listed, written);
    let mut dead = Vec::new();
    for page in listed
        .iter()
        .map(PathBuf::as_path)
        .chain(["README.md", "ARCHITECTURE.md", "docs/SUMMARY.md"].map(Path::new))
    {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let file = link.split('#').next().unwrap_or_default();
            let folder = root().join(page).parent().map(Path::to_owned).unwrap_or_default();
            if !link.contains("://") && !file.is_empty() && !folder.join(file).exists() {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere: {dead:#?}");
}

#[test]
fn every_command_of_readme_and_book_runs() {
    let pages: Vec<PathBuf> = [PathBuf::from("README.md")].into_iter().chain(book()).collect();
    let run = |path: &PathBuf| {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        Page::parse(&text).and_then(|page| page.run()).map_err(|fault| format!("{}: {fault}", path.display()))
    };
    let (ran, faults): (Vec<_>, Vec<_>) = std::thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|path| scope.spawn(|| run(path))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).partition(Result::is_ok)
    });
    let faults: Vec<String> = faults.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let commands: usize = ran.into_iter().flatten().sum();
    assert!(commands >= 30, "only {commands} commands were found: has the form of the pages changed?");
}
