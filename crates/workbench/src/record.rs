//! What was done in a project, as lines of a shell that do the same: a file in its folder that outlives the workbench.

use std::io::Write;
use std::path::Path;

/// The file in the folder of a project. It is as confidential as the project: it may hold names of columns and levels.
pub(crate) const RECORD: &str = "workbench-log.sh";

/// Appends to the record. What cannot be written is no reason to stop the work, but it is told.
pub(crate) fn record(folder: &Path, lines: &str) {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(folder.join(RECORD)).and_then(|mut file| file.write_all(lines.as_bytes()));
    if let Err(error) = written {
        eprintln!("warning: the log of the project could not be written: {}", error.kind());
    }
}

/// The record so far.
pub(crate) fn recorded(folder: &Path) -> String {
    std::fs::read_to_string(folder.join(RECORD)).unwrap_or_default()
}

/// A command as it is typed in the folder of a project, from the folder of the workbench.
pub(crate) fn typed(project: &str, arguments: &[String]) -> String {
    let folder = if project.is_empty() { ".".to_owned() } else { quoted(project) };
    format!("(cd {folder} && {})", command(arguments))
}

/// A command as it is typed.
pub(crate) fn command(arguments: &[String]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    format!("lookalike {}", words.join(" "))
}

/// Lines that write a file as it is.
pub(crate) fn written_file(project: &str, file: &str, text: &str) -> String {
    let path = if project.is_empty() { file.to_owned() } else { format!("{project}/{file}") };
    let mut end = "END".to_owned();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    let last = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("cat > {} <<'{end}'\n{text}{last}{end}\n", quoted(&path))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./,:=".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_written_so_that_a_shell_takes_them_as_they_are() {
        let arguments = ["release", "--accepted-by", "O'Hara; rm -rf /", "--limit", "attribute.disco <= 5"]
            .map(str::to_owned);
        assert_eq!(
            typed("my project", &arguments),
            "(cd 'my project' && lookalike release --accepted-by 'O'\\''Hara; rm -rf /' --limit 'attribute.disco <= 5')"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_writes_the_files_of_the_record_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a b")).unwrap();
        for text in ["x = 1\n", "a $HOME `ls` \\ 'q'\nEND\nEND_\n", ""] {
            let script = written_file("a b", "schema.toml", text);
            let status =
                std::process::Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status();
            assert!(status.unwrap().success());
            assert_eq!(std::fs::read_to_string(folder.path().join("a b/schema.toml")).unwrap(), text);
        }
    }
}
