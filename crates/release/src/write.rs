//! Writing a release, whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use privacy::LedgerRecord;
use synthesis::{Fitted, Recipe, SynthesisError};
use table::TableError;
use table::date::DateFormat;
use table::schema::Shown;
use table::write::TableWriter;

use super::hashed_file::{Hashed, sha256_of};
use super::{
    FORMAT, FileEntry, INTERNAL, INTERNAL_FOLDER, INTERNAL_HASH, Input, Internal, LEARNED_SCHEMA, LEDGER,
    MANIFEST, MANIFEST_HASH, Manifest, data_name, guarantee, label, schema_from,
};

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
    /// What the guarantee of a private release does not cover, because the version was chosen or accepted by looking at the original.
    pub not_covered: Option<String>,
    /// What else belongs to it: reports, evaluation, the decision.
    pub attachments: Vec<Attachment>,
}

/// The ledger of a private release, for machines and for people.
pub struct Books<'a> {
    /// The ledger.
    pub record: &'a LedgerRecord,
    /// The same as a page.
    pub page: String,
}

/// A file that is written beside the data.
pub struct Attachment {
    /// Its name, which may begin with a folder: `pictures/map.svg`.
    pub name: String,
    /// Its contents.
    pub contents: Vec<u8>,
    /// Whether it must not leave the house.
    pub internal: bool,
}

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
        let manifest = self.write_public(folder.path())?;
        self.write_internal(&folder.path().join(INTERNAL_FOLDER))?;
        check_target(out, replace)?;
        put_in_place(folder.path(), out, &parent).map_err(failed)?;
        Ok(manifest)
    }

    /// What the manifest will say, but for its files: what a report within the release can tell of it.
    pub fn manifest_without_files(&self) -> Manifest {
        self.manifest(Vec::new())
    }

    fn write_public(&self, folder: &Path) -> Result<Manifest, SynthesisError> {
        let mut files = Vec::new();
        let mut shown = Shown::nothing(self.fitted.schema());
        for number in 0..self.fitted.m() {
            files.push(self.write_data(folder, number, &mut shown)?);
        }
        let schema = shown.published(self.fitted.schema())?;
        let recipe = Recipe { seed: None, ..self.recipe.clone() };
        let mut texts = vec![("schema.toml", schema.to_toml()), ("recipe.toml", recipe.to_toml())];
        if let Some(books) = &self.books {
            books.record.verify()?;
            texts.extend([(LEDGER, pretty(books.record)), ("ledger.md", books.page.clone())]);
        }
        for (name, text) in &texts {
            files.push(write_hashed(folder, name, text.as_bytes(), false)?);
        }
        for file in self.attachments.iter().filter(|file| !file.internal) {
            files.push(write_hashed(folder, &file.name, &file.contents, false)?);
        }
        let manifest = self.manifest(files);
        seal(folder, (MANIFEST, MANIFEST_HASH), &pretty(&manifest), false)?;
        Ok(manifest)
    }

    /// A private release holds nothing that depends on the records unpaid, such as their hash, unless the evidence itself does.
    fn write_internal(&self, folder: &Path) -> Result<(), SynthesisError> {
        let mut attached = self.attachments.iter().filter(|file| file.internal).peekable();
        let is_private = self.books.is_some();
        if is_private && attached.peek().is_none() {
            return Ok(());
        }
        let mut files = attached
            .map(|file| write_hashed(folder, &file.name, &file.contents, true))
            .collect::<Result<Vec<_>, SynthesisError>>()?;
        let schema = self.fitted.schema();
        if schema.declaration().is_none() && schema.learned_variables().next().is_some() {
            files.push(write_hashed(folder, LEARNED_SCHEMA, schema.to_toml().as_bytes(), true)?);
        }
        let internal = Internal {
            confidential: "must not leave the house: with this, draws can be traced to original records"
                .into(),
            seed: (!is_private).then_some(self.fitted.seed),
            input_sha256: (!is_private).then(|| self.input_sha256.clone()),
            remarks: self.fitted.remarks(),
            files,
        };
        seal(folder, (INTERNAL, INTERNAL_HASH), &pretty(&internal), true)
    }

    fn write_data(&self, folder: &Path, number: u32, shown: &mut Shown) -> Result<FileEntry, SynthesisError> {
        let name = data_name(number, self.recipe.format.extension());
        let path = folder.join(&name);
        let failed = |source| SynthesisError::from(TableError::io(&path, source));
        let file = Hashed::create(&path).map_err(failed)?;
        let mut writer = TableWriter::new(file, self.fitted.schema(), self.recipe.format).map_err(failed)?;
        let mut rows = 0;
        self.fitted.draw(number, |part| {
            rows += part.rows() as u64;
            shown.observe(&part);
            writer.write(&part).map_err(failed)
        })?;
        let file = writer.finish().map_err(failed)?;
        file.finish(&name, Some(rows)).map_err(failed)
    }

    fn manifest(&self, files: Vec<FileEntry>) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            version: 1,
            software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
            created: now(),
            label: label(self.recipe).into(),
            method: self.recipe.method.clone(),
            m: self.fitted.m(),
            guarantee: guarantee(self.books.as_ref().map(|books| books.record)),
            not_covered: self.not_covered.clone().filter(|_| self.books.is_some()),
            seed_from: match (&self.books, self.recipe.seed) {
                (Some(books), _) => books.record.randomness.generator.clone(),
                (None, Some(_)) => "the user".into(),
                (None, None) => "the operating system".into(),
            },
            input: self.input.clone(),
            schema_from: schema_from(self.fitted.schema()),
            remarks: self.fitted.remarks(),
            files,
        }
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Writes a file of a release that is in the making; only the owner can read an internal one.
fn write_hashed(
    folder: &Path,
    name: &str,
    contents: &[u8],
    internal: bool,
) -> Result<FileEntry, SynthesisError> {
    let path = folder.join(name);
    let failed = |source| SynthesisError::from(TableError::io(&path, source));
    path.parent().map_or(Ok(()), |parent| make_folder(parent, internal)).map_err(failed)?;
    if internal {
        table::atomic_file::write_private(&path, contents)?;
    } else {
        let mut file = Hashed::create(&path).map_err(failed)?;
        file.write_all(contents).map_err(failed)?;
        return file.finish(name, None).map_err(failed);
    }
    Ok(FileEntry { name: name.into(), bytes: contents.len() as u64, sha256: sha256_of(contents), rows: None })
}

/// Makes a folder with those above it; only the owner can look into an internal one.
fn make_folder(folder: &Path, internal: bool) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if internal {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Writes the list of a folder's files, and its hash.
fn seal(folder: &Path, names: (&str, &str), list: &str, internal: bool) -> Result<(), SynthesisError> {
    write_hashed(folder, names.0, list.as_bytes(), internal)?;
    let hash = format!("{}  {}\n", sha256_of(list.as_bytes()), names.0);
    write_hashed(folder, names.1, hash.as_bytes(), internal).map(|_| ())
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
        if std::fs::rename(&old, out).is_err() {
            // The earlier release stays where it was set aside, rather than being lost with the temporary folder.
            let _ = aside.keep();
        }
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
    let manifest = std::fs::read(out.join(MANIFEST)).ok();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
    if manifest.is_none_or(|manifest| manifest.format != FORMAT) {
        let message = format!("{} is no release of Lookalike and will not be replaced", out.display());
        return Err(SynthesisError::option("out", message));
    }
    Ok(())
}

/// The time now in UTC, as 2026-11-15T13:05:11Z.
pub fn now() -> String {
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
    use crate::sha256_of_file;

    fn release_into(out: &Path, recipe: &Recipe, replace: bool) -> Result<Manifest, SynthesisError> {
        let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\nM,50\n", &ReadOptions::default()).unwrap();
        let fitted = synthesis::fit(&people, recipe)?;
        let input = Input { rows: 4, columns: 2 };
        let attachments =
            vec![Attachment { name: "decision.json".into(), contents: b"{}".to_vec(), internal: false }];
        Release {
            fitted: &fitted,
            recipe,
            input,
            input_sha256: "of the input".into(),
            books: None,
            not_covered: None,
            attachments,
        }
        .write(out, replace)
    }

    #[test]
    fn a_release_holds_what_its_manifest_says_and_keeps_its_seed_inside() {
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::Parquet] {
            let out = folder.path().join(format.extension());
            let recipe = Recipe { m: 2, rows: Some(40_000), seed: Some(1), format, ..Recipe::new("catall") };
            let manifest = release_into(&out, &recipe, false).unwrap();
            assert_eq!(manifest.files.len(), 5);
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
                serde_json::from_slice(&std::fs::read(out.join(INTERNAL_FOLDER).join(INTERNAL)).unwrap())
                    .unwrap();
            assert_eq!((internal.seed, internal.input_sha256.as_deref()), (Some(1), Some("of the input")));
            let public = std::fs::read_to_string(out.join(MANIFEST)).unwrap();
            assert!(!public.contains("of the input") && public.contains("the user"), "{public}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn what_was_learned_stays_inside_and_the_public_schema_shows_the_synthetic_file() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        // Two records of four: at least one of sex and age is not drawn.
        let recipe = Recipe { rows: Some(1), seed: Some(1), ..Recipe::new("catall") };
        let manifest = release_into(&out, &recipe, false).unwrap();
        let public = SchemaFile::read(&out.join("schema.toml")).unwrap().finish().unwrap();
        assert_eq!(public.variables()[0].kind.levels().unwrap().len(), 1);
        assert!(std::fs::read_to_string(out.join("schema.toml")).unwrap().contains("domain = \"synthetic\""));
        assert!(manifest.schema_from.starts_with("the synthetic files"), "{}", manifest.schema_from);
        let inside = SchemaFile::read(&out.join(INTERNAL_FOLDER).join(LEARNED_SCHEMA)).unwrap();
        assert_eq!(inside.finish().unwrap().variables()[0].kind.levels().unwrap().len(), 2);
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
        std::fs::write(own.join(MANIFEST), "{ \"name\": \"of a web page\" }").unwrap();
        assert!(release_into(&own, &recipe, true).unwrap_err().to_string().contains("no release"));
    }
}
