//! Which files a table lies in: one, those of a folder, or those whose names fit a pattern.
//!
//! A folder may be cut by the levels of variables, in subfolders `name=level` as Hive and Spark write them; these variables are columns like the others. Names,
//! sizes and times of change are fixed when the files are listed, and looked at again after every pass: what has changed in between is not one table.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{FileProblem, TableError};

/// The level of a variable in the name of a subfolder that stands for missing.
const HIVE_MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// How deep subfolders may lie.
const DEEPEST: usize = 16;

/// The files of one table, in the order of their names.
#[derive(Clone, Debug)]
pub struct DataFiles {
    place: PathBuf,
    files: Vec<DataFile>,
    /// Variables whose levels are in the names of subfolders.
    cut_by: Vec<String>,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    pub(crate) format: FileFormat,
    stamp: Stamp,
    /// The level of each variable in the names of the subfolders that it lies in.
    pub(crate) levels: Vec<Option<String>>,
}

/// What can be read block by block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Parquet,
    ArrowFile,
    ArrowStream,
    /// Comma-separated text, packed or not.
    Text,
}

impl FileFormat {
    fn of(start: &[u8]) -> Self {
        match start {
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::ArrowFile,
            [0xff, 0xff, 0xff, 0xff, ..] => Self::ArrowStream,
            _ => Self::Text,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::ArrowFile | Self::ArrowStream => "Arrow",
            Self::Text => "CSV",
        }
    }
}

/// What shows that a file was changed or replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
    node: u64,
}

impl Stamp {
    fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        #[cfg(unix)]
        let node = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let node = 0;
        Ok(Self { bytes: metadata.len(), changed: metadata.modified().ok(), node })
    }
}

/// Endings of files that hold tables.
const ENDINGS: [&str; 9] =
    [".parquet", ".parq", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".arrow", ".feather", ".arrows"];

impl DataFiles {
    /// The files that this path names: itself, those of the folder, or those in its folder that fit the last part of the path, where `*` stands for any
    /// characters and `?` for one.
    pub fn of(path: &Path) -> Result<Self, TableError> {
        let refuse = |message: String| TableError::file(path, FileProblem::Format(message));
        let mut found = Vec::new();
        let mut cut_by: Option<Vec<String>> = None;
        let pattern =
            path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains(['*', '?']));
        if path.is_dir() {
            if path.join("manifest.json").is_file() {
                let message =
                    "this is a release, with data sets that are tables of their own; name one of its files";
                return Err(refuse(message.into()));
            }
            list(path, &mut Vec::new(), &mut cut_by, &mut found)?;
            if found.is_empty() {
                return Err(refuse("the folder holds no file of a table: no Parquet, CSV or Arrow".into()));
            }
        } else if let Some(pattern) = pattern.filter(|_| !path.exists()) {
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            for entry in entries(folder)? {
                let fits =
                    entry.file_name().and_then(|name| name.to_str()).is_some_and(|name| fits(pattern, name));
                if fits && entry.is_file() {
                    found.push((entry, Vec::new()));
                }
            }
            if found.is_empty() {
                return Err(refuse("no file has a name that fits this pattern".into()));
            }
        } else {
            found.push((path.to_owned(), Vec::new()));
        }
        found.sort();
        let mut files = Vec::with_capacity(found.len());
        for (path, levels) in found {
            let failed = |source| TableError::io(&path, source);
            let mut start = [0; 8];
            let mut file = File::open(&path).map_err(failed)?;
            let length = crate::read::read_start(&mut file, &mut start).map_err(failed)?;
            let (format, stamp) = (FileFormat::of(&start[..length]), Stamp::of(&path).map_err(failed)?);
            files.push(DataFile { path, format, stamp, levels });
        }
        let other = files.iter().find(|file| file.format.name() != files[0].format.name());
        if let Some(other) = other {
            return Err(refuse(format!(
                "{} is {} and {} is {}; name those of one format with a pattern such as '*.parquet'",
                shown(&files[0].path),
                files[0].format.name(),
                shown(&other.path),
                other.format.name()
            )));
        }
        Ok(Self { place: path.to_owned(), files, cut_by: cut_by.unwrap_or_default() })
    }

    /// Whether the path names a folder or a pattern and not one file.
    pub fn are_several(path: &Path) -> bool {
        let is_pattern =
            || path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.contains(['*', '?']));
        path.is_dir() || (!path.exists() && is_pattern())
    }

    /// What was named.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The files, in the order in which their records count.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.stamp.bytes).sum()
    }

    /// Bytes that a table of all records would take in memory while it is read, roughly: twelve a value.
    pub fn estimated_bytes(&self) -> Result<u64, TableError> {
        let mut bytes = 0.0;
        for file in &self.files {
            let size = file.stamp.bytes as f64;
            bytes += match file.format {
                FileFormat::Parquet => crate::read::in_blocks::parquet_bytes(&file.path)?,
                FileFormat::ArrowFile | FileFormat::ArrowStream => 2.0 * size,
                FileFormat::Text if shown(&file.path).ends_with(".gz") => 40.0 * size,
                FileFormat::Text => 4.0 * size,
            };
        }
        Ok(bytes as u64)
    }

    pub(crate) fn all(&self) -> &[DataFile] {
        &self.files
    }

    pub(crate) fn cut_by(&self) -> &[String] {
        &self.cut_by
    }

    /// Refuses files that have been changed since they were listed, and a folder that has more or fewer of them.
    pub(crate) fn refuse_changes(&self) -> Result<(), TableError> {
        for file in &self.files {
            if Stamp::of(&file.path).ok().as_ref() != Some(&file.stamp) {
                return Err(changed(&file.path));
            }
        }
        if self.files.len() > 1 || self.place.is_dir() {
            let now = Self::of(&self.place)?;
            if !now.paths().eq(self.paths()) {
                return Err(changed(&self.place));
            }
        }
        Ok(())
    }
}

fn changed(path: &Path) -> TableError {
    let message = "it was changed while it was read, so that its counts are those of no table; run again when it stays as it is";
    TableError::file(path, FileProblem::Format(message.into()))
}

/// The last part of a path, for messages.
pub(crate) fn shown(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, TableError> {
    let failed = |source| TableError::io(folder, source);
    std::fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry.map_err(failed)?.path())).collect()
}

/// A file and the levels in the names of its subfolders.
type Found = (PathBuf, Vec<Option<String>>);

fn list(
    folder: &Path,
    levels: &mut Vec<(String, Option<String>)>,
    cut_by: &mut Option<Vec<String>>,
    found: &mut Vec<Found>,
) -> Result<(), TableError> {
    let refuse = |path: &Path, message: String| Err(TableError::file(path, FileProblem::Format(message)));
    for path in entries(folder)? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return refuse(&path, "its name is not valid UTF-8; rename it".into());
        };
        // What other tools leave beside their parts: _SUCCESS, _metadata, checksums.
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            let Some((variable, level)) = name.split_once('=').filter(|(variable, _)| !variable.is_empty())
            else {
                let message = "a subfolder of a table is named after a variable and its level, as in region=north; name \
                               the folder with the files, or a pattern";
                return refuse(&path, message.into());
            };
            if levels.len() >= DEEPEST {
                return refuse(&path, "subfolders lie too deep".into());
            }
            let (variable, level) = (unescaped(variable), unescaped(level));
            levels.push((variable, Some(level).filter(|level| level != HIVE_MISSING && !level.is_empty())));
            list(&path, levels, cut_by, found)?;
            levels.pop();
            continue;
        }
        if !ENDINGS.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending)) {
            let message = "it lies among the files of the table and is none of them; move it away, or name the files with a \
                           pattern such as '*.parquet'";
            return refuse(&path, message.into());
        }
        let names: Vec<String> = levels.iter().map(|(variable, _)| variable.clone()).collect();
        match cut_by {
            Some(known) if *known != names => {
                let message = "it lies in subfolders of other variables than the files before it";
                return refuse(&path, message.into());
            }
            _ => *cut_by = Some(names),
        }
        found.push((path, levels.iter().map(|(_, level)| level.clone()).collect()));
    }
    Ok(())
}

/// The text of a name of a subfolder, in which %3D stands for an equals sign.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

/// Whether a name fits a pattern of characters, `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Which beginnings of the name fit what has been read of the pattern.
    let mut fit = vec![false; name.len() + 1];
    fit[0] = true;
    for sign in pattern {
        match sign {
            '*' => {
                for at in 0..name.len() {
                    fit[at + 1] |= fit[at];
                }
            }
            sign => {
                for at in (0..name.len()).rev() {
                    fit[at + 1] = fit[at] && (sign == '?' || sign == name[at]);
                }
                fit[0] = false;
            }
        }
    }
    fit[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", "a.csv.gz", false),
            ("part-?.csv", "part-1.csv", true),
            ("part-?.csv", "part-12.csv", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("é?", "éa", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_patterns_and_levels_of_subfolders() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "a\n1\n").unwrap();
        };
        ["t/b.csv", "t/a.csv", "t/_SUCCESS", "t/.a.crc"].into_iter().for_each(write);
        let names = |files: &DataFiles| files.paths().map(shown).collect::<Vec<_>>();
        let files = DataFiles::of(&folder.path().join("t")).unwrap();
        assert_eq!(names(&files), ["a.csv", "b.csv"]);
        assert_eq!(names(&DataFiles::of(&folder.path().join("t/?.csv")).unwrap()), ["a.csv", "b.csv"]);
        assert!(files.refuse_changes().is_ok());
        write("t/c.csv");
        assert!(files.refuse_changes().unwrap_err().to_string().contains("changed"));
        write("t/notes.md");
        assert!(DataFiles::of(&folder.path().join("t")).unwrap_err().to_string().contains("notes.md"));
        ["h/x=1/y=a%3Db/p.csv", "h/x=2/y=__HIVE_DEFAULT_PARTITION__/p.csv"].into_iter().for_each(write);
        let files = DataFiles::of(&folder.path().join("h")).unwrap();
        assert_eq!(files.cut_by(), ["x", "y"]);
        let levels: Vec<_> = files.all().iter().map(|file| file.levels.clone()).collect();
        assert_eq!(levels, [[Some("1".to_owned()), Some("a=b".to_owned())], [Some("2".to_owned()), None]]);
        write("h/z=1/p.csv");
        assert!(DataFiles::of(&folder.path().join("h")).is_err());
        assert!(
            DataFiles::of(&folder.path().join("t/*.parquet")).unwrap_err().to_string().contains("pattern")
        );
    }
}
