//! The project file of the folder: what it says is added to the command line where nothing else was said, and told.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, Command};
use lookalike::{Error, PROJECT, Project};

/// Commands that read a project, with how many of their first words name the table.
const READERS: [(&str, usize); 7] = [
    ("describe", 1),
    ("synth", 1),
    ("plan", 1),
    ("frontier", 1),
    ("attack", 1),
    ("measure", 2),
    ("release", 1),
];

/// The arguments of this process with what the project in the current folder adds, and a line that tells it.
pub(super) fn with_project(
    all: &Command,
    arguments: Vec<OsString>,
) -> Result<(Vec<OsString>, Option<String>), Error> {
    if arguments.iter().any(|argument| argument == "--no-project") {
        return Ok((arguments, None));
    }
    let Some(project) = Project::in_folder(Path::new("."))? else { return Ok((arguments, None)) };
    Ok(merged(all, arguments, &project))
}

fn merged(all: &Command, arguments: Vec<OsString>, project: &Project) -> (Vec<OsString>, Option<String>) {
    let texts: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let Some(place) = texts.iter().skip(1).position(|text| !text.starts_with('-')).map(|at| at + 1) else {
        return (arguments, None);
    };
    let reader = READERS.iter().find(|(name, _)| texts[place] == *name);
    let Some((command, (_, needed))) = all.find_subcommand(&texts[place]).zip(reader) else {
        return (arguments, None);
    };
    if texts.iter().any(|text| matches!(text.as_str(), "--help" | "-h")) {
        return (arguments, None);
    }
    let option = |name: &str| {
        let known = command.get_arguments().chain(all.get_arguments());
        known.into_iter().find(|argument| argument.get_long() == Some(name))
    };
    // Which options were given, and how many words stand by themselves.
    let (mut given, mut words, mut skip) = (Vec::new(), 0, false);
    for text in &texts[place + 1..] {
        if std::mem::take(&mut skip) {
            continue;
        }
        match text.strip_prefix("--") {
            Some(name) if !name.is_empty() => {
                let (name, has_value) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
                given.push(name.to_owned());
                let takes = option(name).is_some_and(|argument| {
                    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
                });
                skip = takes && !has_value;
            }
            _ => words += 1,
        }
    }
    let is_given = |name: &str| given.iter().any(|known| known == name);
    let mut added: Vec<(String, String)> = Vec::new();
    let chooses_itself = is_given("recipe") || is_given("method");
    for (name, value) in project.options(Path::new("")) {
        let wanted = match (command.get_name(), name) {
            // A version of a frontier is judged by what the frontier measured.
            ("release", "recipe") => false,
            ("release", "frontier") => !is_given("recipe"),
            ("release", "keys" | "targets" | "model" | "limit" | "only") => is_given("recipe"),
            ("synth", "recipe") => !chooses_itself,
            ("measure" | "describe" | "plan" | "attack", "recipe" | "only") => false,
            // One list of keys, of which a person would name the first.
            ("describe", "keys") => !added.iter().any(|(known, _)| known == "keys"),
            _ => true,
        };
        if wanted && !is_given(name) && option(name).is_some() {
            added.push((name.to_owned(), value));
        }
    }
    if command.get_name() == "frontier"
        && !is_given("out")
        && let Some(folder) = &project.frontier
    {
        added.push(("out".to_owned(), folder.display().to_string()));
    }
    let mut merged = arguments;
    let mut told: Vec<String> = Vec::new();
    let mut after = place + 1;
    if let Some(data) = project.data.as_ref().filter(|_| words < *needed) {
        merged.insert(after, data.clone().into_os_string());
        after += 1;
        told.push(data.display().to_string());
    }
    for (name, value) in added.iter().rev() {
        merged.insert(after, OsString::from(format!("--{name}={value}")));
    }
    told.extend(added.iter().map(|(name, value)| {
        let quoted = value.contains(|letter: char| !letter.is_alphanumeric() && !"_-.,:/".contains(letter));
        if quoted { format!("--{name} \"{value}\"") } else { format!("--{name} {value}") }
    }));
    let told = (!told.is_empty()).then(|| format!("from {PROJECT}: {}", told.join(" ")));
    (merged, told)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::command_line::CommandLine;

    fn project() -> Project {
        Project {
            data: Some("people.csv".into()),
            schema: Some("schema.toml".into()),
            keys: vec![vec!["sex".into(), "age".into()], vec!["town".into()]],
            limits: vec!["attribute.disco <= 5".into()],
            recipe: Some("recipe.toml".into()),
            frontier: Some("frontier".into()),
            ..Project::default()
        }
    }

    fn line(words: &[&str]) -> Vec<String> {
        let arguments = words.iter().map(OsString::from).collect();
        let (merged, _) = merged(&CommandLine::command(), arguments, &project());
        merged.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_was_not_said_is_taken_from_the_project() {
        assert_eq!(
            line(&["lookalike", "frontier"]),
            [
                "lookalike",
                "frontier",
                "people.csv",
                "--schema=schema.toml",
                "--keys=sex,age",
                "--keys=town",
                "--limit=attribute.disco <= 5",
                "--out=frontier"
            ]
        );
        assert_eq!(
            line(&["lookalike", "measure", "first/synthetic-1.csv", "--keys", "sex"])[2..],
            ["people.csv", "--schema=schema.toml", "first/synthetic-1.csv", "--keys", "sex"]
        );
        assert_eq!(
            line(&["lookalike", "describe"])[2..],
            ["people.csv", "--schema=schema.toml", "--keys=sex,age"]
        );
    }

    #[test]
    fn what_was_said_comes_first() {
        let synth = line(&[
            "lookalike",
            "synth",
            "other.csv",
            "--method",
            "catall",
            "--schema=own.toml",
            "--out",
            "x",
        ]);
        assert_eq!(synth[2..], ["other.csv", "--method", "catall", "--schema=own.toml", "--out", "x"]);
        let release = line(&["lookalike", "release", "--accepted-by", "me", "--out", "x"]);
        assert_eq!(release[2..5], ["people.csv", "--schema=schema.toml", "--frontier=frontier"]);
        assert!(!release.iter().any(|word| word.starts_with("--limit")));
        let by_recipe =
            line(&["lookalike", "release", "--recipe", "r.toml", "--accepted-by", "me", "--out", "x"]);
        assert!(by_recipe.iter().any(|word| word == "--limit=attribute.disco <= 5"));
        assert!(!by_recipe.iter().any(|word| word.starts_with("--frontier")));
        for other in [
            vec!["lookalike", "methods"],
            vec!["lookalike", "verify", "release"],
            vec!["lookalike", "--help"],
        ] {
            assert_eq!(line(&other), other);
        }
    }
}
