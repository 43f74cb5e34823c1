//! Writing a release, whole or not at all.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use privacy::LedgerRecord;
use synthesis::copies::UniqueRecords;
use synthesis::{Fitted, Recipe, SynthesisError};
use table::output_file::resolved;
use table::schema::Shown;
use table::watch::{Step, Watch};
use table::write::TableWriter;
use table::{TableError, atomic_file};

use privacy::ledger::BoundFile;

use super::hashed_file::{Hashed, sha256_of};
use super::provenance::{PROVENANCE, provenance};
use super::{
    FORMAT, FileEntry, INTERNAL, INTERNAL_FOLDER, INTERNAL_HASH, Input, Internal, LEARNED_SCHEMA, LEDGER,
    Layout, MANIFEST, MANIFEST_HASH, MANIFEST_SIGNATURE, Manifest, Signer, data_name, guarantee, label,
    schema_from,
};
use crate::decision::Decision;

/// What goes into a release.
pub struct Release<'a> {
    /// The fitted recipe.
    pub fitted: &'a Fitted,
    /// The recipe as it was given.
    pub recipe: &'a Recipe,
    /// What is published of the input.
    pub input: Input,
    /// SHA-256 of the input; none of counts.
    pub input_sha256: Option<String>,
    /// The ledger of a private release.
    pub ledger: Option<PublishedLedger<'a>>,
    /// The original's unique records, of which copies are counted; none for a private release, and where the original is not at hand.
    pub original: Option<&'a UniqueRecords>,
    /// The decision by which it is released; none of data sets that are made for one's own work.
    pub decision: Option<&'a Decision>,
    /// What the guarantee of a private release does not cover, because the version was chosen or accepted by looking at the original.
    pub not_covered: Option<String>,
    /// In how many files each data set is written.
    pub layout: Layout,
    /// What else belongs to it: reports, evaluation, the decision.
    pub attachments: Vec<Attachment>,
    /// The key that signs the manifest.
    pub signer: Option<&'a Signer>,
    /// Receives what has been drawn, and is asked whether to go on.
    pub watch: Watch,
}

/// The ledger of a private release, for machines and for people.
pub struct PublishedLedger<'a> {
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
    /// Whether it is confidential.
    pub internal: bool,
}

impl Release<'_> {
    /// Writes the release to the new folder `out`; an existing one is replaced only if `replace` says so, and only at the end.
    pub fn write(&self, out: &Path, replace: bool) -> Result<Manifest, SynthesisError> {
        let failed = |source| TableError::io(out, source);
        if let Some(decision) = self.decision {
            decision.check().map_err(|refusal| SynthesisError::option("limit", refusal.to_string()))?;
        }
        check_target(out, replace)?;
        // Of a link, the folder to which it leads is replaced.
        let target = resolved(out);
        let parent = target.parent().unwrap_or(Path::new("/")).to_owned();
        std::fs::create_dir_all(&parent).map_err(failed)?;
        atomic_file::sweep(&parent);
        // Until it is finished, nobody else can look into it.
        let folder =
            tempfile::Builder::new().prefix(atomic_file::PREFIX).tempdir_in(&parent).map_err(failed)?;
        let _unfinished = atomic_file::Unfinished::new(folder.path());
        let _lock = atomic_file::lock(folder.path());
        let finished = folder.path().join("release");
        make_folder(&finished, false).map_err(failed)?;
        let manifest = self.write_public(&finished)?;
        self.write_internal(&finished.join(INTERNAL_FOLDER))?;
        check_target(out, replace)?;
        put_in_place(&finished, &target, &parent).map_err(failed)?;
        Ok(manifest)
    }

    /// What the manifest will say, but for its files: what a report within the release can say of it.
    pub fn manifest_without_files(&self, records: u64, copies: Option<u64>) -> Manifest {
        self.manifest(Vec::new(), records, copies)
    }

    fn write_public(&self, folder: &Path) -> Result<Manifest, SynthesisError> {
        let mut files = Vec::new();
        let m = self.fitted.m();
        let mut shown = Shown::nothing(self.fitted.schema());
        let mut copies = self.original.filter(|_| self.ledger.is_none()).map(|_| 0);
        for number in 0..m {
            let more = match self.write_parts(folder, number)? {
                Some((parts, more, seen)) => {
                    files.extend(parts);
                    shown.merge(seen);
                    more
                }
                None => {
                    let (file, more) = self.write_data(folder, number, &mut shown)?;
                    files.push(file);
                    more
                }
            };
            copies = copies.zip(more).map(|(copies, more)| copies + more);
            self.watch.report(Step::Drawing { done: number as usize + 1, of: m as usize });
        }
        let schema = shown.published(self.fitted.schema())?;
        let recipe = Recipe { seed: None, ..self.recipe.clone() };
        for (name, text) in [("schema.toml", schema.to_toml()), ("recipe.toml", recipe.to_toml())] {
            files.push(write_hashed(folder, name, text.as_bytes(), false)?);
        }
        if let Some(ledger) = &self.ledger {
            // The ledger is of these files and of no others.
            let binds =
                files.iter().map(|file| BoundFile { name: file.name.clone(), sha256: file.sha256.clone() });
            let record = LedgerRecord { binds: binds.collect(), ..ledger.record.clone() };
            record.verify()?;
            for (name, text) in [(LEDGER, pretty(&record)), ("ledger.md", ledger.page.clone())] {
                files.push(write_hashed(folder, name, text.as_bytes(), false)?);
            }
        }
        for file in self.attachments.iter().filter(|file| !file.internal) {
            files.push(write_hashed(folder, &file.name, &file.contents, false)?);
        }
        let records = files.iter().filter_map(|file| file.rows).sum();
        let mut manifest = self.manifest(files, records, copies);
        let statement = provenance(&manifest, &recipe, &manifest.files);
        manifest.files.push(write_hashed(folder, PROVENANCE, pretty(&statement).as_bytes(), false)?);
        let list = pretty(&manifest);
        seal(folder, (MANIFEST, MANIFEST_HASH), &list, false)?;
        if let Some(signer) = self.signer {
            let signature = signer
                .sign(MANIFEST, list.as_bytes())
                .map_err(|error| SynthesisError::option("sign", error.to_string()))?;
            write_hashed(folder, MANIFEST_SIGNATURE, signature.as_bytes(), false)?;
        }
        Ok(manifest)
    }

    /// A private release holds nothing that depends on the records unpaid, such as their hash, unless the evidence itself does.
    fn write_internal(&self, folder: &Path) -> Result<(), SynthesisError> {
        let mut attached = self.attachments.iter().filter(|file| file.internal).peekable();
        let is_private = self.ledger.is_some();
        let inside = self.fitted.inside_remarks();
        if is_private && attached.peek().is_none() && inside.is_empty() {
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
            confidential: "confidential: do not release. With this, draws can be traced to original records"
                .into(),
            seed: (!is_private).then_some(self.fitted.seed()),
            input_sha256: self.input_sha256.clone().filter(|_| !is_private),
            remarks: self.fitted.remarks().into_iter().chain(inside.iter().cloned()).collect(),
            files,
        };
        seal(folder, (INTERNAL, INTERNAL_HASH), &pretty(&internal), true)
    }

    fn write_data(
        &self,
        folder: &Path,
        number: u32,
        shown: &mut Shown,
    ) -> Result<(FileEntry, Option<u64>), SynthesisError> {
        let name = data_name(number, self.recipe.format.extension());
        let path = folder.join(&name);
        let failed = |source| SynthesisError::from(TableError::io(&path, source));
        let file = Hashed::create(&path).map_err(failed)?;
        let mut writer = TableWriter::new(file, self.fitted.schema(), self.recipe.format)
            .map_err(failed)?
            .keep_formulas(self.recipe.keep_formulas);
        let (mut rows, mut copies) = (0, Some(0));
        self.fitted.draw(number, |part| {
            self.watch.check()?;
            rows += part.rows() as u64;
            let more = self.original.map_or(Ok(None), |original| original.copies_in(&part))?;
            copies = copies.zip(more).map(|(copies, more)| copies + more);
            shown.observe(&part);
            writer.write(&part).map_err(failed)
        })?;
        let file = writer.finish().map_err(failed)?;
        Ok((file.finish(&name, Some(rows)).map_err(failed)?, copies))
    }

    fn manifest(&self, files: Vec<FileEntry>, records: u64, copies: Option<u64>) -> Manifest {
        Manifest {
            format: FORMAT.into(),
            version: 1,
            software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
            created: table::clock::now(),
            label: label(self.recipe, records, copies),
            copies,
            method: self.recipe.method.clone(),
            m: self.fitted.m(),
            guarantee: guarantee(self.ledger.as_ref().map(|ledger| ledger.record)),
            not_covered: self.not_covered.clone().filter(|_| self.ledger.is_some()),
            seed_from: match (&self.ledger, self.recipe.seed) {
                (Some(ledger), _) => ledger.record.randomness.generator.clone(),
                (None, Some(_)) => {
                    "the user: whoever knows or guesses the seed can make these data sets again".into()
                }
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
        atomic_file::write_private(&path, contents)?;
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
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!("{}old-{name}-", atomic_file::PREFIX);
    let aside = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?;
    let _lock = atomic_file::lock(aside.path());
    let old = aside.path().join("release");
    std::fs::rename(out, &old)?;
    std::fs::rename(finished, out).inspect_err(|_| {
        if std::fs::rename(&old, out).is_err() {
            // The earlier release stays where it was set aside, rather than being lost with the temporary folder.
            let _ = aside.keep();
        }
    })
}

/// An existing folder is replaced only if that is asked for, and only if it is a release and nothing else lies in it.
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
    let Some(manifest) = manifest.filter(|manifest| manifest.format == FORMAT) else {
        let message = format!("{} is no release of Lookalike and will not be replaced", out.display());
        return Err(SynthesisError::option("out", message));
    };
    let foreign = foreign_files(out, &manifest).map_err(|source| TableError::io(out, source))?;
    if foreign.is_empty() {
        return Ok(());
    }
    let named =
        foreign.iter().take(NAMED).map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
    let more =
        if foreign.len() > NAMED { format!(" and {} more", foreign.len() - NAMED) } else { String::new() };
    let message = format!(
        "{} holds what its manifest does not list and --force must not remove: {named}{more}; move that away, or choose another folder",
        out.display()
    );
    Err(SynthesisError::option("out", message))
}

/// How many foreign files are named.
const NAMED: usize = 5;

/// What lies in the folder of a release and belongs to it neither by its manifest nor by its list of internal files.
fn foreign_files(out: &Path, manifest: &Manifest) -> std::io::Result<Vec<PathBuf>> {
    let inside = Path::new(INTERNAL_FOLDER);
    let internal = std::fs::read(out.join(inside).join(INTERNAL)).ok();
    let internal = internal.and_then(|bytes| serde_json::from_slice::<Internal>(&bytes).ok());
    let internal = internal.iter().flat_map(|internal| &internal.files).map(|file| inside.join(&file.name));
    let sealed = [
        MANIFEST.into(),
        MANIFEST_HASH.into(),
        MANIFEST_SIGNATURE.into(),
        inside.join(INTERNAL),
        inside.join(INTERNAL_HASH),
    ];
    let own: BTreeSet<PathBuf> =
        manifest.files.iter().map(|file| PathBuf::from(&file.name)).chain(internal).chain(sealed).collect();
    let mut foreign = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let mut is_empty = true;
        for entry in std::fs::read_dir(out.join(&folder))? {
            let entry = entry?;
            is_empty = false;
            let path = folder.join(entry.file_name());
            match entry.file_type()? {
                kind if kind.is_dir() => open.push(path),
                kind if kind.is_file() && own.contains(&path) => {}
                _ => foreign.push(path),
            }
        }
        if is_empty && !folder.as_os_str().is_empty() {
            foreign.push(folder);
        }
    }
    foreign.sort();
    Ok(foreign)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text, read_table};
    use table::schema::SchemaFile;
    use table::write::Format;

    use super::*;
    use crate::sha256_of_file;

    fn release_into(out: &Path, recipe: &Recipe, replace: bool) -> Result<Manifest, SynthesisError> {
        laid_out(out, recipe, replace, Layout::OneFile)
    }

    fn laid_out(
        out: &Path,
        recipe: &Recipe,
        replace: bool,
        layout: Layout,
    ) -> Result<Manifest, SynthesisError> {
        let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\nM,50\n", &ReadOptions::default()).unwrap();
        let fitted = synthesis::fit(&people, recipe, &synthesis::Run::default())?;
        let input = Input { rows: 4, columns: 2 };
        let attachments =
            vec![Attachment { name: "decision.json".into(), contents: b"{}".to_vec(), internal: false }];
        Release {
            fitted: &fitted,
            recipe,
            input,
            input_sha256: Some("of the input".into()),
            ledger: None,
            original: None,
            decision: None,
            not_covered: None,
            layout,
            attachments,
            signer: None,
            watch: Watch::default(),
        }
        .write(out, replace)
    }

    #[test]
    fn a_release_holds_what_its_manifest_says_and_keeps_its_seed_inside() {
        let folder = tempfile::tempdir().unwrap();
        for format in Format::ALL {
            let out = folder.path().join(format.extension());
            let recipe = Recipe { m: 2, rows: Some(40_000), seed: Some(1), format, ..Recipe::new("catall") };
            let manifest = release_into(&out, &recipe, false).unwrap();
            assert_eq!(manifest.files.len(), 6);
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
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            Format::ALL.len(),
            "nothing else is left"
        );
    }

    /// The files of a data set one after the other are the data set, whatever the number of files and threads, also where records are drawn at once.
    #[test]
    fn parts_hold_the_records_of_the_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let lines = |path: &Path| -> Vec<String> {
            let text = std::fs::read_to_string(path).unwrap();
            text.lines().skip(1).map(str::to_owned).collect()
        };
        for (number, method) in ["catall", "ipf", "sequential", "saturated"].iter().enumerate() {
            let rows = (*method != "saturated").then_some(300_000).filter(|_| *method != "sequential");
            let recipe = Recipe { rows, seed: Some(7), ..Recipe::new(*method) };
            let place = |layout: &str| folder.path().join(format!("{number}-{layout}"));
            release_into(&place("one"), &recipe, false).unwrap();
            let whole = lines(&place("one").join("synthetic-1.csv"));
            for (name, layout) in [
                ("three", Layout::Parts(3)),
                ("each", Layout::RowsPerFile(if rows.is_some() { 70_001 } else { 3 })),
            ] {
                let hashes = |threads: usize, name: &str| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let manifest = pool.install(|| laid_out(&place(name), &recipe, false, layout)).unwrap();
                    let files: Vec<FileEntry> =
                        manifest.files.iter().filter(|file| file.rows.is_some()).cloned().collect();
                    assert_eq!(manifest.data_sets(), ["synthetic-1"]);
                    files
                };
                let files = hashes(1, name);
                assert!(files.len() > 1, "{method}");
                let other = hashes(3, &format!("{name}-3"));
                assert!(files.iter().zip(&other).all(|(one, other)| one.sha256 == other.sha256), "{method}");
                let together: Vec<String> =
                    files.iter().flat_map(|file| lines(&place(name).join(&file.name))).collect();
                assert_eq!(together.len() as u64, files.iter().filter_map(|file| file.rows).sum::<u64>());
                assert!(together == whole, "{method} {name}");
                assert!(crate::verify(&place(name), &Default::default()).passed, "{method}");
            }
        }
        let refused = laid_out(&folder.path().join("none"), &Recipe::new("catall"), false, Layout::Parts(0))
            .unwrap_err();
        assert!(refused.to_string().contains("`parts`") && !folder.path().join("none").exists());
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

    #[test]
    fn only_what_the_old_manifest_lists_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
        release_into(&out, &recipe, false).unwrap();
        for name in ["thesis.tex", "internal/notes.txt", "pictures/mine.png"] {
            let path = out.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "mine").unwrap();
            let refused = release_into(&out, &recipe, true).unwrap_err().to_string();
            assert!(refused.contains(name), "{refused}");
            std::fs::remove_file(&path).unwrap();
        }
        assert!(release_into(&out, &recipe, true).unwrap_err().to_string().contains("pictures"));
        std::fs::remove_dir(out.join("pictures")).unwrap();
        release_into(&out, &recipe, true).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_release_stays_a_link_and_folders_are_as_the_umask_says() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (out, link) = (folder.path().join("out"), folder.path().join("link"));
        let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
        release_into(&out, &recipe, false).unwrap();
        std::os::unix::fs::symlink(&out, &link).unwrap();
        release_into(&link, &recipe, true).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let usual = folder.path().join("usual");
        std::fs::create_dir(&usual).unwrap();
        assert_eq!((mode(&out), mode(&out.join(INTERNAL_FOLDER))), (mode(&usual), 0o700));
    }
}
