//! A release: synthetic data sets with their schema, recipe and manifest, in one folder, written whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use privacy::{LedgerRecord, Neighbours};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use synthesis::{Fitted, Recipe, SynthesisError};
use table::TableError;
use table::date::DateFormat;
use table::write::TableWriter;

/// The name of the manifest in the folder.
pub const MANIFEST: &str = "manifest.json";

/// The name of the file that must not leave the house.
pub const INTERNAL: &str = "internal.json";

/// What only the data owner may know of a release. With the seed, draws can be replayed and traced to original records; with the
/// hash of the data, an intruder who knows all records but one can confirm a guess at the last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Internal {
    /// Says so.
    pub confidential: String,
    /// The seed; with the same input, recipe and version it gives the same bytes.
    pub seed: u64,
    /// SHA-256 of the data, or of the model from which the data sets were drawn.
    pub input_sha256: String,
}

/// What a release is and how it was made; analysts' rules of inference are chosen from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Always `lookalike-release`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The software that made it.
    pub software: String,
    /// When, in UTC.
    pub created: String,
    /// The method.
    pub method: String,
    /// How many data sets there are.
    pub m: u32,
    /// What is guaranteed of privacy.
    pub guarantee: String,
    /// Where the randomness came from; the seed itself is internal.
    pub seed_from: String,
    /// The confidential input, without its content.
    pub input: Input,
    /// What the fit had to say.
    pub remarks: Vec<String>,
    /// Every other file of the folder.
    pub files: Vec<FileEntry>,
}

/// What is told of the input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Number of records: the N of inference.
    pub rows: u64,
    /// Number of variables.
    pub columns: usize,
}

/// A file of the release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name in the folder.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content.
    pub sha256: String,
    /// Number of records of a data file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// What goes into a release.
pub struct Release<'a> {
    /// The fitted recipe.
    pub fitted: &'a Fitted,
    /// The recipe as it was given.
    pub recipe: &'a Recipe,
    /// What is told of the input.
    pub input: Input,
    /// SHA-256 of the input.
    pub input_sha256: String,
    /// The books of a private release.
    pub books: Option<Books<'a>>,
}

/// The ledger of a private release, for machines and for people.
pub struct Books<'a> {
    /// The ledger.
    pub record: &'a LedgerRecord,
    /// The same as a page.
    pub page: String,
}

/// The name of the ledger in the folder.
pub const LEDGER: &str = "ledger.json";

impl Release<'_> {
    /// Writes the release to the new folder `out`; an existing one is replaced only if `replace` says so, and only at the end.
    pub fn write(&self, out: &Path, replace: bool) -> Result<Manifest, SynthesisError> {
        let failed = |source| TableError::io(out, source);
        check_target(out, replace)?;
        let parent = match out.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        std::fs::create_dir_all(&parent).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".lookalike-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o777));
        }
        let folder = builder.tempdir_in(&parent).map_err(failed)?;
        let _unfinished = table::atomic_file::Unfinished::new(folder.path());
        let mut files = Vec::new();
        for number in 0..self.fitted.m() {
            files.push(self.write_data(folder.path(), number)?);
        }
        let recipe = Recipe { seed: None, ..self.recipe.clone() };
        let mut texts =
            vec![("schema.toml", self.fitted.schema().to_toml()), ("recipe.toml", recipe.to_toml())];
        if let Some(books) = &self.books {
            books.record.verify()?;
            let json = serde_json::to_string_pretty(books.record).unwrap_or_default();
            texts.extend([(LEDGER, json + "\n"), ("ledger.md", books.page.clone())]);
        }
        for (name, text) in texts {
            let mut file = Hashed::create(&folder.path().join(name)).map_err(failed)?;
            file.write_all(text.as_bytes()).map_err(failed)?;
            files.push(file.finish(name, None).map_err(failed)?);
        }
        let manifest = self.manifest(files);
        let mut json = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
        json.push(b'\n');
        table::atomic_file::write(&folder.path().join(MANIFEST), &json)?;
        // A private release holds nothing that depends on the records unpaid, such as their hash.
        if self.books.is_none() {
            let internal = serde_json::to_vec_pretty(&self.internal()).unwrap_or_default();
            table::atomic_file::write_private(&folder.path().join(INTERNAL), &internal)?;
        }
        check_target(out, replace)?;
        put_in_place(folder.path(), out, &parent).map_err(failed)?;
        Ok(manifest)
    }

    fn internal(&self) -> Internal {
        Internal {
            confidential: "must not leave the house: with this, draws can be traced to original records"
                .into(),
            seed: self.fitted.seed,
            input_sha256: self.input_sha256.clone(),
        }
    }

    fn guarantee(&self) -> String {
        let Some(Books { record, .. }) = &self.books else {
            return "not private: no differential privacy was asked for".into();
        };
        if let Some(warning) = &record.warning {
            return warning.clone();
        }
        let neighbours = match record.neighbours {
            Neighbours::AddRemove => "with or without any one",
            Neighbours::ReplaceOne => "with any one replaced by another",
        };
        format!(
            "{}: tables {neighbours} {} are indistinguishable to this degree, by this release alone; see {LEDGER}",
            record.asked, record.unit
        )
    }

    fn write_data(&self, folder: &Path, number: u32) -> Result<FileEntry, SynthesisError> {
        let name = format!("synthetic-{}.{}", number + 1, self.recipe.format.extension());
        let path = folder.join(&name);
        let failed = |source| SynthesisError::from(TableError::io(&path, source));
        let file = Hashed::create(&path).map_err(failed)?;
        let mut writer = TableWriter::new(file, self.fitted.schema(), self.recipe.format).map_err(failed)?;
        let mut rows = 0;
        self.fitted.draw(number, |part| {
            rows += part.rows() as u64;
            writer.write(&part).map_err(failed)
        })?;
        let file = writer.finish().map_err(failed)?;
        file.finish(&name, Some(rows)).map_err(failed)
    }

    fn manifest(&self, files: Vec<FileEntry>) -> Manifest {
        Manifest {
            format: "lookalike-release".into(),
            version: 1,
            software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
            created: now(),
            method: self.recipe.method.clone(),
            m: self.fitted.m(),
            guarantee: self.guarantee(),
            seed_from: match (&self.books, self.recipe.seed) {
                (Some(books), _) => books.record.randomness.generator.clone(),
                (None, Some(_)) => "the user".into(),
                (None, None) => "the operating system".into(),
            },
            input: self.input.clone(),
            remarks: self.fitted.model.remarks(),
            files,
        }
    }
}

/// Renames the finished folder to its place. An earlier release is set aside first and comes back if that fails.
fn put_in_place(finished: &Path, out: &Path, parent: &Path) -> std::io::Result<()> {
    if !out.exists() {
        return std::fs::rename(finished, out);
    }
    let aside = tempfile::Builder::new().prefix(".lookalike-old-").tempdir_in(parent)?;
    let old = aside.path().join("release");
    std::fs::rename(out, &old)?;
    std::fs::rename(finished, out).inspect_err(|_| {
        let _ = std::fs::rename(&old, out);
    })
}

/// An existing folder is replaced only if that is asked for, and only if it is a release.
pub fn check_target(out: &Path, replace: bool) -> Result<(), SynthesisError> {
    if !out.exists() {
        return Ok(());
    }
    if !replace {
        return Err(SynthesisError::option(
            "out",
            format!("{} exists; choose another folder, or say --force", out.display()),
        ));
    }
    if !out.join(MANIFEST).exists() {
        let message = format!("{} is no release of Lookalike and will not be replaced", out.display());
        return Err(SynthesisError::option("out", message));
    }
    Ok(())
}

/// SHA-256 of a file, as hexadecimal digits.
pub fn sha256_of_file(path: &Path) -> Result<String, TableError> {
    let failed = |source| TableError::io(path, source);
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    std::io::copy(&mut file, &mut hash).map_err(failed)?;
    Ok(hexadecimal(hash))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that knows its hash.
struct Hashed {
    file: BufWriter<std::fs::File>,
    hash: Sha256,
    bytes: u64,
}

impl Hashed {
    fn create(path: &Path) -> std::io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 20, std::fs::File::create_new(path)?);
        Ok(Self { file, hash: Sha256::new(), bytes: 0 })
    }

    fn finish(mut self, name: &str, rows: Option<u64>) -> std::io::Result<FileEntry> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(FileEntry { name: name.into(), bytes: self.bytes, sha256: hexadecimal(self.hash), rows })
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// The time now in UTC, as 2026-11-15T13:05:11Z.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    format!(
        "{}T{:02}:{:02}:{:02}Z",
        DateFormat::Iso.format(days as i32),
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text, read_table};
    use table::schema::SchemaFile;
    use table::write::Format;

    use super::*;

    fn release_into(out: &Path, recipe: &Recipe, replace: bool) -> Result<Manifest, SynthesisError> {
        let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\nM,50\n", &ReadOptions::default()).unwrap();
        let fitted = synthesis::fit(&people, recipe)?;
        let input = Input { rows: 4, columns: 2 };
        Release { fitted: &fitted, recipe, input, input_sha256: "of the input".into(), books: None }
            .write(out, replace)
    }

    #[test]
    fn a_release_holds_what_its_manifest_says_and_keeps_its_seed_inside() {
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::Parquet] {
            let out = folder.path().join(format.extension());
            let recipe = Recipe { m: 2, rows: Some(40_000), seed: Some(1), format, ..Recipe::new("catall") };
            let manifest = release_into(&out, &recipe, false).unwrap();
            assert_eq!(manifest.files.len(), 4);
            for file in &manifest.files {
                assert_eq!(sha256_of_file(&out.join(&file.name)).unwrap(), file.sha256, "{}", file.name);
            }
            let schema = SchemaFile::read(&out.join("schema.toml")).unwrap();
            let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
            let first = read_table(&out.join(&manifest.files[0].name), &options).unwrap();
            assert_eq!((first.rows() as u64, Some(40_000)), (40_000, manifest.files[0].rows));
            assert_ne!(manifest.files[0].sha256, manifest.files[1].sha256);
            let again = Recipe::read(&out.join("recipe.toml")).unwrap();
            assert_eq!(Recipe { seed: Some(1), ..again }, recipe);
            let internal: Internal =
                serde_json::from_slice(&std::fs::read(out.join(INTERNAL)).unwrap()).unwrap();
            assert_eq!((internal.seed, internal.input_sha256.as_str()), (1, "of the input"));
            let public = std::fs::read_to_string(out.join(MANIFEST)).unwrap();
            assert!(!public.contains("of the input") && public.contains("the user"), "{public}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn an_existing_folder_is_not_overwritten_by_accident() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
        release_into(&out, &recipe, false).unwrap();
        let refused = release_into(&out, &recipe, false).unwrap_err().to_string();
        assert!(refused.contains("--force"), "{refused}");
        release_into(&out, &recipe, true).unwrap();
        let own = folder.path().join("own");
        std::fs::create_dir(&own).unwrap();
        assert!(release_into(&own, &recipe, true).unwrap_err().to_string().contains("no release"));
    }
}
