//! Whether a release is what its manifest says.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use privacy::LedgerRecord;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use synthesis::Recipe;
use synthesis::private::Accounting;
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::write::Format;

use super::hashed_file::{sha256_of, sha256_of_file};
use super::parts::part_name;
use super::provenance::{self, PROVENANCE};
use super::signature::claimed_key;
use super::{
    FORMAT, FileEntry, INTERNAL, INTERNAL_FOLDER, INTERNAL_HASH, Internal, LEDGER, MANIFEST, MANIFEST_HASH,
    MANIFEST_SIGNATURE, Manifest, TrustedKey, data_name, guarantee, label,
};

/// What was checked of a release, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Whether everything is as it should be.
    pub passed: bool,
    /// What says that this is the release that its owner sealed.
    pub seal: Seal,
    /// SHA-256 of the manifest, which stands for the whole public part.
    pub manifest_sha256: Option<String>,
    /// Each check.
    pub checks: Vec<Check>,
}

/// What says that a release is the one that its owner sealed, and not another that was sealed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Seal {
    /// The signature of a key that the recipient named.
    Signature {
        /// The sixteen digits of the key.
        key: String,
    },
    /// The hash of the manifest that the recipient was given.
    Hash,
    /// Nothing that was checked: the parts agree with each other, and whoever changes one can change all.
    Nothing {
        /// The key by which it claims to be signed.
        claimed_key: Option<String>,
    },
}

/// What the recipient knows of a release from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The public key of its owner.
    pub signer: Option<TrustedKey>,
    /// SHA-256 of its manifest.
    pub sha256: Option<String>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was checked.
    pub what: String,
    /// Whether it is so.
    pub passed: bool,
    /// What was found.
    pub found: String,
}

/// Checks hashes, that nothing is there that does not belong, that every data file keeps the schema, that the ledger adds up and
/// is that of the guarantee and of these files, that the records are labelled, and what the recipient knows from elsewhere.
pub fn verify(folder: &Path, expected: &Expected) -> Verification {
    let mut checks = Checks::default();
    let (seal, manifest_sha256) = checks.seal(folder, expected);
    if let Some(manifest) = checks.sealed::<Manifest>(folder, MANIFEST, MANIFEST_HASH) {
        checks.files(folder, &manifest.files, "public files");
        checks.strangers(
            folder,
            &manifest.files,
            &[MANIFEST, MANIFEST_HASH, MANIFEST_SIGNATURE],
            Some(INTERNAL_FOLDER),
            "the folder",
        );
        checks.manifest(&manifest);
        if let Some(schema) = checks.schema(folder) {
            checks.data(folder, &manifest, &schema);
        }
        checks.ledger(folder, &manifest);
        checks.label(folder, &manifest);
        checks.provenance(folder, &manifest);
    }
    let internal = folder.join(INTERNAL_FOLDER);
    // A link is not followed: what it leads to is not in this folder.
    let kind = std::fs::symlink_metadata(&internal).ok().map(|found| found.file_type());
    if kind.is_none() {
        checks.note("internal files", true, "not in this copy");
    } else if !kind.is_some_and(|kind| kind.is_dir()) {
        checks.note("internal files", false, format!("{INTERNAL_FOLDER} is a link or a file, not a folder"));
    } else if let Some(list) = checks.sealed::<Internal>(&internal, INTERNAL, INTERNAL_HASH) {
        checks.files(&internal, &list.files, "internal files");
        checks.strangers(&internal, &list.files, &[INTERNAL, INTERNAL_HASH], None, "the internal folder");
    }
    let passed = checks.0.iter().all(|check| check.passed);
    Verification { passed, seal, manifest_sha256, checks: checks.0 }
}

#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn note(&mut self, what: &str, passed: bool, found: impl Into<String>) {
        self.0.push(Check { what: what.to_owned(), passed, found: found.into() });
    }

    /// What the recipient knows from elsewhere, held against the manifest.
    fn seal(&mut self, folder: &Path, expected: &Expected) -> (Seal, Option<String>) {
        let bytes = plain_bytes(folder, MANIFEST).ok();
        let found = bytes.as_deref().map(sha256_of);
        let mut seal = Seal::Nothing { claimed_key: None };
        if let Some(wanted) = &expected.sha256 {
            let same = found.as_deref().is_some_and(|found| found.eq_ignore_ascii_case(wanted.trim()));
            let text = if same { "the one that you named" } else { "NOT the one that you named" };
            self.note("hash of the manifest", same, text);
            if same {
                seal = Seal::Hash;
            }
        }
        let signature = plain_bytes(folder, MANIFEST_SIGNATURE).ok();
        let signature = signature.and_then(|bytes| String::from_utf8(bytes).ok());
        let claimed = signature.as_deref().and_then(claimed_key);
        match (&expected.signer, &signature, &bytes) {
            (Some(key), Some(signature), Some(bytes)) => match key.check(signature, bytes) {
                Ok(()) => {
                    self.note("signature", true, format!("by the key {}", key.key_id()));
                    seal = Seal::Signature { key: key.key_id() };
                }
                Err(wrong) => self.note("signature", false, wrong),
            },
            (Some(_), ..) => self.note("signature", false, "there is none"),
            (None, Some(_), _) if claimed.is_none() => {
                self.note("signature", false, "not the form it should have");
            }
            (None, Some(_), _) => {
                self.note(
                    "signature",
                    true,
                    "there is one; whose it is was not checked: name the key with --signer",
                );
            }
            (None, None, _) => {}
        }
        if let Seal::Nothing { claimed_key } = &mut seal {
            *claimed_key = claimed;
        }
        (seal, found)
    }

    /// A list of files that is what its own hash says.
    fn sealed<T: DeserializeOwned>(&mut self, folder: &Path, list: &str, hash: &str) -> Option<T> {
        let bytes = match plain_bytes(folder, list) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.note(list, false, format!("cannot be read: {error}"));
                return None;
            }
        };
        let expected = format!("{}  {list}\n", sha256_of(&bytes));
        let sealed = plain_bytes(folder, hash).is_ok_and(|found| found == expected.as_bytes());
        self.note(
            list,
            sealed,
            if sealed { format!("as {hash} says") } else { format!("not as {hash} says") },
        );
        match serde_json::from_slice(&bytes) {
            Ok(parsed) => Some(parsed),
            Err(error) => {
                self.note(list, false, format!("not the form it should have: {error}"));
                None
            }
        }
    }

    /// Every file that is listed is a plain file within the folder, listed once, with the size and the hash that it should have.
    fn files(&mut self, folder: &Path, files: &[FileEntry], what: &str) {
        let mut wrong = Vec::new();
        let mut names = BTreeSet::new();
        for file in files {
            let path = folder.join(&file.name);
            if !names.insert(&file.name) {
                wrong.push(format!("{} is listed twice", file.name));
            } else if !is_within(&file.name) {
                wrong.push(format!("{} leads out of the folder", file.name));
            } else if plain(folder, &file.name).is_err() {
                wrong.push(format!("{} is missing, or not a plain file", file.name));
            } else if !sha256_of_file(&path).is_ok_and(|hash| hash == file.sha256)
                || !std::fs::metadata(&path).is_ok_and(|found| found.len() == file.bytes)
            {
                wrong.push(format!("{} was changed", file.name));
            }
        }
        let found = if wrong.is_empty() { format!("{} as listed", files.len()) } else { wrong.join("; ") };
        self.note(what, wrong.is_empty(), found);
    }

    /// Nothing lies in the folder that is not listed; links are not followed.
    fn strangers(
        &mut self,
        folder: &Path,
        files: &[FileEntry],
        own: &[&str],
        apart: Option<&str>,
        what: &str,
    ) {
        let listed: BTreeSet<PathBuf> = files
            .iter()
            .map(|file| file.name.as_str())
            .chain(own.iter().copied())
            .map(PathBuf::from)
            .collect();
        let mut found = Vec::new();
        walk(folder, Path::new(""), apart, &mut found);
        let strangers: Vec<String> = found
            .iter()
            .filter(|path| !listed.contains(*path))
            .map(|path| path.display().to_string())
            .collect();
        let text = if strangers.is_empty() {
            "holds nothing else".to_owned()
        } else {
            format!("also holds {}", strangers.join(", "))
        };
        self.note(what, strangers.is_empty(), text);
    }

    fn manifest(&mut self, manifest: &Manifest) {
        let known = manifest.format == FORMAT && manifest.version == 1;
        self.note("form of the manifest", known, format!("{} version {}", manifest.format, manifest.version));
        let unknown: Vec<&str> = manifest
            .files
            .iter()
            .filter(|file| file.rows.is_none() && !belongs(&file.name))
            .map(|file| file.name.as_str())
            .collect();
        let found = if unknown.is_empty() {
            "all known".to_owned()
        } else {
            format!("unknown: {}", unknown.join(", "))
        };
        self.note("kinds of files", unknown.is_empty(), found);
    }

    fn schema(&mut self, folder: &Path) -> Option<SchemaFile> {
        let path = match plain(folder, "schema.toml") {
            Ok(path) => path,
            Err(error) => {
                self.note("schema.toml", false, error.to_string());
                return None;
            }
        };
        let read = SchemaFile::read(&path)
            .and_then(|schema| schema.clone().finish().map(|finished| (schema, finished)));
        match read {
            Ok((schema, finished)) => {
                let variables = finished.variables().len();
                self.note("schema.toml", true, format!("valid, {variables} variables"));
                Some(schema)
            }
            Err(error) => {
                self.note("schema.toml", false, error.to_string());
                None
            }
        }
    }

    fn data(&mut self, folder: &Path, manifest: &Manifest, schema: &SchemaFile) {
        let names: Vec<&str> =
            manifest.files.iter().filter(|file| file.rows.is_some()).map(|file| file.name.as_str()).collect();
        let is_whole = |extension: &str| {
            let of_data_set = |number: u32| {
                let one = data_name(number, extension);
                if names.contains(&one.as_str()) {
                    return vec![one];
                }
                let inside = format!("{}/", one.trim_end_matches(&format!(".{extension}")));
                let parts = names.iter().filter(|name| name.starts_with(&inside)).count().max(1);
                (0..parts).map(|part| part_name(number, part, extension)).collect()
            };
            let wanted = (0..manifest.m).flat_map(of_data_set);
            manifest.m > 0 && wanted.eq(names.iter().map(|name| (*name).to_owned()))
        };
        let whole = Format::ALL.into_iter().any(|format| is_whole(format.extension()));
        let (found, files) = (manifest.data_sets().len(), names.len());
        let found = if found == files {
            format!("{found} of {}", manifest.m)
        } else {
            format!("{found} of {}, in {files} files", manifest.m)
        };
        self.note("data sets", whole, found);
        for file in manifest.files.iter().filter(|file| file.rows.is_some() && is_within(&file.name)) {
            let options = ReadOptions { schema: Some(schema.clone()), ..ReadOptions::default() };
            // That it is no plain file was said above.
            let Ok(path) = plain(folder, &file.name) else { continue };
            match read_table(&path, &options) {
                Ok(table) if Some(table.rows() as u64) == file.rows => {
                    self.note(&file.name, true, format!("{} records keep the schema", table.rows()));
                }
                Ok(table) => {
                    self.note(&file.name, false, format!("{} records, not as listed", table.rows()));
                }
                Err(error) => self.note(&file.name, false, error.to_string()),
            }
        }
    }

    fn ledger(&mut self, folder: &Path, manifest: &Manifest) {
        let asked = match recipe(folder) {
            Ok(recipe) => recipe.privacy,
            Err(error) => return self.note("recipe.toml", false, error),
        };
        if std::fs::symlink_metadata(folder.join(LEDGER)).is_err() {
            let passed = asked.is_none() && manifest.guarantee == guarantee(None);
            let found =
                if passed { "none: nothing private was asked for" } else { "missing from a private release" };
            return self.note("ledger", passed, found);
        }
        let bytes = plain_bytes(folder, LEDGER).unwrap_or_default();
        match serde_json::from_slice::<LedgerRecord>(&bytes) {
            Err(error) => self.note("ledger", false, format!("not the form it should have: {error}")),
            Ok(record) => {
                let adds_up = record.verify();
                let found = adds_up.as_ref().map_or_else(ToString::to_string, |()| {
                    format!("{} looks add up within {}", record.events.len(), record.asked)
                });
                self.note("ledger", adds_up.is_ok(), found);
                let promised = guarantee(Some(&record));
                let same = manifest.guarantee == promised;
                self.note("guarantee", same, if same { promised } else { "not that of the ledger".into() });
                let budget = asked.and_then(|settings| settings.budget(Accounting::Basic).ok());
                let same = budget.map(|budget| budget.asked()) == Some(record.asked);
                let found = if same { "that of the ledger" } else { "not that of the ledger" };
                self.note("budget of the recipe", same, found);
                self.binding(&record, manifest);
            }
        }
    }

    /// The ledger names the data, the schema and the recipe that it is about, each with its hash.
    fn binding(&mut self, record: &LedgerRecord, manifest: &Manifest) {
        let needed = |file: &&FileEntry| {
            file.rows.is_some() || ["schema.toml", "recipe.toml"].contains(&file.name.as_str())
        };
        let bound = |file: &FileEntry| {
            record.binds.iter().any(|bound| bound.name == file.name && bound.sha256 == file.sha256)
        };
        let wrong = manifest.files.iter().filter(needed).find(|file| !bound(file));
        let count = manifest.files.iter().filter(needed).count();
        match wrong {
            Some(file) => {
                self.note("what the ledger is of", false, format!("not {}: it is of other files", file.name))
            }
            None if record.binds.len() != count => {
                self.note("what the ledger is of", false, "files that are not of this release");
            }
            None => self.note("what the ledger is of", true, "these data, this schema, this recipe"),
        }
    }

    /// The statement of provenance, where there is one, names these files.
    fn provenance(&mut self, folder: &Path, manifest: &Manifest) {
        let read = plain_bytes(folder, PROVENANCE).map_err(|error| error.to_string());
        let parsed = read.and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        match parsed.and_then(|statement| provenance::agrees(&statement, manifest)) {
            Ok(files) => self.note(PROVENANCE, true, format!("names {files} files with their hashes")),
            Err(wrong) => self.note(PROVENANCE, false, wrong),
        }
    }

    fn label(&mut self, folder: &Path, manifest: &Manifest) {
        let recipe = recipe(folder).ok();
        let records = manifest.files.iter().filter_map(|file| file.rows).sum();
        let wanted =
            recipe.as_ref().map_or_else(String::new, |recipe| label(recipe, records, manifest.copies));
        let said = manifest.label == wanted;
        self.note(
            "label",
            said,
            if said { &wanted } else { "the manifest does not say what the records are" },
        );
        let Some(label) = recipe.and_then(|recipe| recipe.after.label) else { return };
        for file in manifest.files.iter().filter(|file| file.rows.is_some()) {
            let labelled = plain(folder, &file.name).is_ok_and(|path| {
                read_table(&path, &ReadOptions::default()).is_ok_and(|table| is_labelled(&table, &label))
            });
            let found = if labelled { "in every record" } else { "not in every record" };
            self.note(&format!("label of {}", file.name), labelled, found);
        }
    }
}

/// Whether some column holds this text in every record.
fn is_labelled(table: &Table, label: &str) -> bool {
    let variables = table.schema().variables().iter().enumerate();
    let mut constant = variables.filter(|(_, variable)| {
        variable
            .kind
            .levels()
            .is_some_and(|levels| levels.len() == 1 && levels.iter().any(|level| level == label))
    });
    constant.any(|(position, _)| table.missing(position) == 0)
}

/// The path of a plain file in the folder. A link leads elsewhere, and to read a pipe or a device may never end.
fn plain(folder: &Path, name: &str) -> std::io::Result<PathBuf> {
    let not_plain = || std::io::Error::other("a link, or not a plain file");
    let mut path = folder.to_path_buf();
    let mut parts = Path::new(name).components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let found = std::fs::symlink_metadata(&path)?;
        let is_right = if parts.peek().is_some() { found.is_dir() } else { found.is_file() };
        if !is_right {
            return Err(not_plain());
        }
    }
    Ok(path)
}

fn plain_bytes(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    std::fs::read(plain(folder, name)?)
}

/// The recipe of the release.
fn recipe(folder: &Path) -> Result<Recipe, String> {
    let path = plain(folder, "recipe.toml").map_err(|error| error.to_string())?;
    Recipe::read(&path).map_err(|error| error.to_string())
}

/// Whether a listed name stays within the folder.
fn is_within(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a release may hold a file of this name beside its data.
fn belongs(name: &str) -> bool {
    let is_picture =
        name.strip_prefix("pictures/").is_some_and(|file| file.ends_with(".svg") && !file.contains('/'));
    is_picture
        || [
            "schema.toml",
            "recipe.toml",
            LEDGER,
            "ledger.md",
            "report.html",
            "decision.json",
            "README.txt",
            "codebook.csv",
            PROVENANCE,
        ]
        .contains(&name)
}

/// Everything below a folder that is not a folder with something in it, by its path from there; links are listed and not followed.
fn walk(folder: &Path, below: &Path, apart: Option<&str>, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder.join(below)) else {
        found.push(below.join("(cannot be read)"));
        return;
    };
    for entry in entries.flatten() {
        let path = below.join(entry.file_name());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && apart.is_some_and(|apart| path == Path::new(apart)) {
            continue;
        }
        if is_folder {
            let before = found.len();
            walk(folder, &path, None, found);
            if found.len() == before {
                found.push(path);
            }
        } else {
            found.push(path);
        }
    }
    found.sort();
}

#[cfg(test)]
mod tests {
    use synthesis::private;
    use table::read::read_csv_text;

    use super::*;
    use crate::signature::new_key;
    use crate::{Attachment, Input, PublishedLedger, Release, Signer};

    fn failing(folder: &Path) -> Vec<String> {
        let checks = verify(folder, &Expected::default()).checks;
        checks.into_iter().filter(|check| !check.passed).map(|check| check.what).collect()
    }

    fn attachment(name: &str, internal: bool) -> Attachment {
        Attachment { name: name.into(), contents: b"<p>of a report</p>\n".to_vec(), internal }
    }

    fn passes(folder: &Path) -> bool {
        verify(folder, &Expected::default()).passed
    }

    /// A private release with evidence, or one that is not private.
    fn release(out: &Path, is_private: bool) {
        signed_release(out, is_private, None);
    }

    fn signed_release(out: &Path, is_private: bool, signer: Option<&Signer>) {
        let schema = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"invented\"\n[variables.sex]\nkind = \"categorical\"\n\
                      levels = [\"F\", \"M\"]\n";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let people = read_csv_text("sex\nF\nM\nF\nM\n", &options).unwrap();
        let mut recipe =
            Recipe::parse("method = \"catall\"\nm = 2\nrows = 9\n[after]\nlabel = \"FAKE\"\n").unwrap();
        if is_private {
            recipe.privacy = Some(private::PrivacySettings { epsilon: Some(1.0), ..Default::default() });
        }
        let fitted = synthesis::fit(&people, &recipe, &synthesis::Run::replayed(1)).unwrap();
        let ledger = fitted.ledger().map(|record| PublishedLedger { record, page: "the ledger".into() });
        let attachments = vec![attachment("pictures/map.svg", false), attachment("evaluation.json", true)];
        let input = Input { rows: 4, columns: 1 };
        Release {
            fitted: &fitted,
            recipe: &recipe,
            input,
            input_sha256: Some("x".into()),
            ledger,
            original: None,
            decision: None,
            not_covered: None,
            layout: Default::default(),
            attachments,
            signer,
            watch: Default::default(),
        }
        .write(out, false)
        .unwrap();
    }

    #[test]
    fn a_flipped_byte_in_any_file_is_found() {
        for is_private in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("out");
            release(&out, is_private);
            assert_eq!(failing(&out), Vec::<String>::new());
            let mut files = Vec::new();
            walk(&out, Path::new(""), None, &mut files);
            assert_eq!(files.len(), 11 + if is_private { 2 } else { 0 }, "{files:?}");
            for file in files {
                let path = out.join(&file);
                let bytes = std::fs::read(&path).unwrap();
                for place in 0..bytes.len() {
                    if place > 40 && place + 40 < bytes.len() && place % 61 > 0 {
                        continue;
                    }
                    let mut flipped = bytes.clone();
                    flipped[place] ^= 1;
                    std::fs::write(&path, &flipped).unwrap();
                    assert!(!passes(&out), "byte {place} of {}", file.display());
                }
                std::fs::remove_file(&path).unwrap();
                assert!(!passes(&out), "{} is gone", file.display());
                std::fs::write(&path, &bytes).unwrap();
            }
            assert!(passes(&out), "mended");
        }
    }

    #[test]
    fn what_does_not_belong_is_found_and_the_public_part_stands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        release(&out, false);
        std::fs::write(out.join("original.csv"), "sex\nF\n").unwrap();
        assert_eq!(failing(&out), ["the folder"]);
        std::fs::rename(out.join("original.csv"), out.join("internal/original.csv")).unwrap();
        assert_eq!(failing(&out), ["the internal folder"]);
        std::fs::remove_file(out.join("internal/original.csv")).unwrap();
        for (below, found) in [("", "the folder"), ("internal", "the internal folder")] {
            let empty = out.join(below).join("empty/deep");
            std::fs::create_dir_all(&empty).unwrap();
            assert_eq!(failing(&out), [found]);
            std::fs::remove_dir_all(out.join(below).join("empty")).unwrap();
        }
        #[cfg(unix)]
        {
            let aside = folder.path().join("aside");
            std::fs::rename(out.join("internal"), &aside).unwrap();
            std::os::unix::fs::symlink(&aside, out.join("internal")).unwrap();
            assert_eq!(failing(&out), ["the folder", "internal files"], "a link to what was inside");
            std::fs::remove_file(out.join("internal")).unwrap();
            std::fs::rename(&aside, out.join("internal")).unwrap();
        }
        std::fs::remove_dir_all(out.join("internal")).unwrap();
        assert_eq!(failing(&out), Vec::<String>::new());
        assert_eq!(failing(folder.path()), [MANIFEST]);
    }

    /// To read a device or a pipe may never end: whatever stands in a file's place is looked at before it is opened.
    #[cfg(unix)]
    #[test]
    fn a_pipe_or_a_device_in_the_place_of_a_file_is_never_read() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        release(&out, true);
        let mut files = Vec::new();
        walk(&out, Path::new(""), None, &mut files);
        for file in files {
            let (path, aside) = (out.join(&file), folder.path().join("aside"));
            std::fs::rename(&path, &aside).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            assert!(!passes(&out), "a link to a device at {}", file.display());
            std::fs::remove_file(&path).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            assert!(!passes(&out), "a pipe at {}", file.display());
            std::fs::remove_file(&path).unwrap();
            std::fs::rename(&aside, &path).unwrap();
        }
        assert!(passes(&out));
    }

    /// Seals a release again, as whoever changed its files can.
    fn seal_again(out: &Path) {
        let sealed = std::fs::read(out.join(MANIFEST)).unwrap();
        let mut manifest: Manifest = serde_json::from_slice(&sealed).unwrap();
        for file in &mut manifest.files {
            file.sha256 = sha256_of_file(&out.join(&file.name)).unwrap();
            file.bytes = std::fs::metadata(out.join(&file.name)).unwrap().len();
        }
        let list = serde_json::to_string(&manifest).unwrap();
        std::fs::write(out.join(MANIFEST), &list).unwrap();
        let hash = format!("{}  {MANIFEST}\n", sha256_of(list.as_bytes()));
        std::fs::write(out.join(MANIFEST_HASH), hash).unwrap();
    }

    #[test]
    fn only_what_the_recipient_knows_from_elsewhere_says_who_sealed_it() {
        let folder = tempfile::tempdir().unwrap();
        let pair = new_key(&folder.path().join("board"), None, false).unwrap();
        let other = new_key(&folder.path().join("other"), None, false).unwrap();
        let signer = Signer::read(&pair.secret, None).unwrap();
        let out = folder.path().join("out");
        signed_release(&out, true, Some(&signer));
        let of = |key: &str| Expected { signer: Some(TrustedKey::read(key).unwrap()), sha256: None };
        let unnamed = verify(&out, &Expected::default());
        assert_eq!(unnamed.seal, Seal::Nothing { claimed_key: Some(pair.key_id.clone()) });
        assert!(unnamed.passed);
        let found = verify(&out, &of(&pair.public_key));
        assert_eq!((found.passed, found.seal), (true, Seal::Signature { key: pair.key_id.clone() }));
        let stranger = verify(&out, &of(&other.public_key));
        assert!(!stranger.passed && stranger.checks[0].found.contains(&pair.key_id), "{stranger:?}");
        let by_hash = |sha256: String| verify(&out, &Expected { signer: None, sha256: Some(sha256) });
        let hash = unnamed.manifest_sha256.unwrap();
        assert_eq!(by_hash(hash.to_uppercase()).seal, Seal::Hash);
        assert!(!by_hash(hash.replace(&hash[..4], "beef")).passed);

        // The original under the manifest of a private release, sealed again, bound again: it agrees with itself, and is found out by the signature.
        std::fs::write(out.join("synthetic-1.csv"), std::fs::read(out.join("synthetic-2.csv")).unwrap())
            .unwrap();
        let ledger = std::fs::read(out.join(LEDGER)).unwrap();
        let mut record: LedgerRecord = serde_json::from_slice(&ledger).unwrap();
        for bound in &mut record.binds {
            bound.sha256 = sha256_of_file(&out.join(&bound.name)).unwrap();
        }
        let bind = |path: &str, text: String| std::fs::write(out.join(path), text).unwrap();
        bind(LEDGER, serde_json::to_string(&record).unwrap());
        seal_again(&out);
        assert_eq!(failing(&out), [PROVENANCE]);
        let manifest: Manifest = serde_json::from_slice(&std::fs::read(out.join(MANIFEST)).unwrap()).unwrap();
        let files: Vec<FileEntry> =
            manifest.files.iter().filter(|file| file.name != PROVENANCE).cloned().collect();
        let recipe = Recipe::read(&out.join("recipe.toml")).unwrap();
        bind(PROVENANCE, provenance::provenance(&manifest, &recipe, &files).to_string());
        seal_again(&out);
        assert_eq!(failing(&out), Vec::<String>::new());
        assert!(!verify(&out, &of(&pair.public_key)).passed);
        assert!(!by_hash(hash).passed);
        std::fs::remove_file(out.join(MANIFEST_SIGNATURE)).unwrap();
        assert!(passes(&out) && !verify(&out, &of(&pair.public_key)).passed);
    }

    #[test]
    fn a_ledger_is_of_its_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        release(&one, true);
        release(&other, true);
        std::fs::copy(other.join("recipe.toml"), one.join("recipe.toml")).unwrap();
        let text = std::fs::read_to_string(one.join("recipe.toml")).unwrap() + "# changed\n";
        std::fs::write(one.join("recipe.toml"), text).unwrap();
        seal_again(&one);
        assert_eq!(failing(&one), ["what the ledger is of", PROVENANCE]);
    }

    /// Someone who changes a file and seals the release again must still keep what the files promise each other.
    #[test]
    fn a_release_that_was_sealed_anew_must_still_keep_its_promises() {
        let folder = tempfile::tempdir().unwrap();
        for (name, from, to, expected) in [
            ("synthetic-1.csv", "FAKE", "TRUE", vec!["synthetic-1.csv", "label of synthetic-1.csv"]),
            ("ledger.json", "\"epsilon\": 1.0", "\"epsilon\": 0.5", vec!["ledger"]),
            ("manifest.json", "synthetic data: ", "real data: ", vec!["label"]),
            ("schema.toml", "\"M\"", "\"X\"", vec!["synthetic-1.csv", "synthetic-2.csv"]),
        ] {
            let out = folder.path().join(name);
            release(&out, true);
            let text = std::fs::read_to_string(out.join(name)).unwrap();
            assert!(text.contains(from), "{name}: {text}");
            std::fs::write(out.join(name), text.replace(from, to)).unwrap();
            seal_again(&out);
            let found = failing(&out);
            assert!(expected.iter().all(|what| found.iter().any(|found| found == what)), "{name}: {found:?}");
        }
    }
}
