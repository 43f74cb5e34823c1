//! A generator or a family of measures is one file and one line of its registry: no other crate knows it by its name.
//!
//! What other crates must know stands on the cards. These tests read the source of every crate and fail with the place where a name is
//! quoted elsewhere. Tests, examples, docs and the research crates, which reproduce papers, may name methods and measures.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::path::{Path, PathBuf};

use measures::MEASURES;
use synthesis::registry::METHODS;

/// Words that are also names of families, and mean something else in these places.
const OTHER_MEANINGS: &[(&str, &str)] = &[
    ("crates/cli/src/command_line/project.rs", "model"),
    ("crates/cli/src/command_line/questions.rs", "model"),
    ("crates/cli/src/command_line/synth.rs", "counts"),
    ("crates/lookalike/src/jobs/start.rs", "files"),
    ("crates/lookalike/src/project.rs", "model"),
    ("crates/lookalike/src/questions.rs", "attacks"),
    ("crates/lookalike/src/questions.rs", "model"),
    ("crates/lookalike/src/questions.rs", "tables"),
    ("crates/python/src/counts.rs", "counts"),
    ("crates/python/src/failure.rs", "counts"),
    ("crates/report/src/html/", "files"),
    ("crates/report/src/html/", "model"),
    ("crates/report/src/html/", "propensity"),
    ("crates/report/src/html/", "tables"),
    ("crates/report/src/html/", "uniques"),
    ("crates/report/src/lights/truth.rs", "model"),
    ("crates/report/src/lights/truth.rs", "propensity"),
    ("crates/report/src/lights/truth.rs", "tables"),
    ("crates/report/src/pictures/", "distance"),
    ("crates/report/src/pictures/", "tau"),
    ("crates/report/src/verdict.rs", "model"),
    ("crates/synthesis/src/", "counts"),
    ("crates/synthesis/src/", "model"),
    ("crates/table/src/", "counts"),
    ("crates/table/src/", "tables"),
];

fn root() -> PathBuf {
    shared_data::checkout().canonicalize().unwrap()
}

fn sources_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources_in(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The source files of every crate without their tests, by their path from the root.
fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources_in(&source, &mut paths);
        }
    }
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        (name, std::fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(named).collect()
}

/// Every quoted text of a file with its line, outside comments and before the file's tests.
fn literals(source: &str) -> Vec<(usize, String)> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let bytes = code.as_bytes();
    let (mut found, mut line, mut at) = (Vec::new(), 1, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => line += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += code[at..].find('\n').unwrap_or(code.len() - at);
                continue;
            }
            b'\'' if bytes.get(at + 1) == Some(&b'"') => at += 2,
            b'"' => {
                let (start, first_line) = (at + 1, line);
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    line += usize::from(bytes[at] == b'\n');
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                found.push((first_line, code[start..at.min(code.len())].to_owned()));
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[test]
fn no_other_file_knows_a_generator_by_its_name() {
    let names: Vec<&str> = METHODS.iter().map(|method| method.card.name).collect();
    let mut places = Vec::new();
    for (path, source) in sources() {
        if path.starts_with("crates/synthesis/src/methods/") {
            continue;
        }
        for (line, literal) in literals(&source) {
            let is_quoted = |name: &&&str| literal == ***name || literal.contains(&format!("`{name}`"));
            if let Some(name) = names.iter().find(is_quoted) {
                places.push(format!("{path}:{line} knows `{name}`"));
            }
        }
    }
    assert!(places.is_empty(), "put it on the method's card instead:\n{}", places.join("\n"));
}

#[test]
fn no_other_crate_knows_a_measure_by_its_name() {
    let families: Vec<&str> = MEASURES.iter().map(|measure| measure.name()).collect();
    let mut places = Vec::new();
    for (path, source) in sources() {
        if path.starts_with("crates/measures/src/") {
            continue;
        }
        for (line, literal) in literals(&source) {
            let family = literal.split_once('.').map_or(literal.as_str(), |(family, _)| family);
            let means_another =
                |(place, word): &(&str, &str)| path.starts_with(place) && *word == literal.as_str();
            if families.contains(&family) && !OTHER_MEANINGS.iter().any(means_another) {
                places.push(format!("{path}:{line} knows {literal:?}"));
            }
        }
    }
    assert!(
        places.is_empty(),
        "put it on the family's card, or refer to its constant:\n{}",
        places.join("\n")
    );
}

/// Within `measures` the name of a measure stands once, in the files of its family.
#[test]
fn the_name_of_a_measure_stands_once() {
    let in_measures: Vec<(String, Vec<(usize, String)>)> = sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("crates/measures/src/"))
        .map(|(path, source)| (path, literals(&source)))
        .collect();
    for card in MEASURES.iter().flat_map(|family| family.cards()) {
        let places: Vec<&str> = in_measures
            .iter()
            .flat_map(|(path, literals)| literals.iter().map(move |literal| (path, literal)))
            .filter(|(_, (_, literal))| literal == card.name)
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(places.len(), 1, "{}: {places:?}", card.name);
    }
}

#[test]
fn the_reader_of_sources_finds_what_is_quoted() {
    let source = "let a = \"ipf\"; // \"graph\"\nlet q = '\"'; let b = \"x\\\"y\";\n#[cfg(test)]\nmod tests { \"tau\" }";
    assert_eq!(literals(source), [(1, "ipf".to_owned()), (2, "x\\\"y".to_owned())]);
}
