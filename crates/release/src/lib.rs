//! A release: synthetic data sets with their schema, recipe, manifest and evidence, in one folder, written whole or not at all.
//!
//! What lies in the folder itself may be released; what lies in its subfolder [`INTERNAL_FOLDER`] is confidential. Two chains of hashes
//! hold a release together: [`MANIFEST`] has those of all public files and `MANIFEST_HASH` its own; `INTERNAL` has those of all
//! internal files and `INTERNAL_HASH` its own. So [`verify()`] sees any byte that was changed, and the public part can be verified
//! by those who have nothing else. Whoever can change a file can hash it again: only a [`signature`] of the manifest, or its hash from another
//! hand, says that a release is the one that its owner sealed.

pub mod decision;
pub mod evidence;
mod hashed_file;
mod parts;
pub mod policy;
mod provenance;
pub mod signature;
mod verify;
mod write;

pub use hashed_file::{sha256_of_file, sha256_of_text};
pub use parts::Layout;
use privacy::LedgerRecord;
use serde::{Deserialize, Serialize};
pub use signature::{Signer, TrustedKey};
use synthesis::{Making, Recipe};
use table::Schema;
pub use table::clock::now;
pub use verify::{Check, Expected, Seal, Verification, verify};
pub use write::{Attachment, PublishedLedger, Release, check_target};

/// What [`Manifest::format`] says.
pub const FORMAT: &str = "lookalike-release";

/// The name of the manifest in the folder.
pub const MANIFEST: &str = "manifest.json";

/// The hash of the manifest, as `sha256sum -c` reads it.
pub(crate) const MANIFEST_HASH: &str = "manifest.sha256";

/// The signature of the manifest.
pub(crate) const MANIFEST_SIGNATURE: &str = "manifest.json.minisig";

/// The name of the ledger in the folder.
pub const LEDGER: &str = "ledger.json";

/// The subfolder that is confidential.
pub const INTERNAL_FOLDER: &str = "internal";

/// In that subfolder, what only the data owner may know of how the release was made, and the hashes of what else is there.
pub(crate) const INTERNAL: &str = "internal.json";

/// In that subfolder, the schema that was learned from the records, where none was declared.
pub(crate) const LEARNED_SCHEMA: &str = "schema-learned.toml";

/// The hash of [`INTERNAL`].
pub(crate) const INTERNAL_HASH: &str = "internal.sha256";

/// What the manifest of a release by this recipe says of its records, from what was counted: how many of `records` are copies of unique
/// original records. Of a private release nothing is counted, since that would be an unpaid look.
pub fn label(recipe: &Recipe, records: u64, copies: Option<u64>) -> String {
    let kind = match recipe.records_card().map(|card| card.making) {
        Ok(Making::Perturbed) => {
            "not synthetic but perturbed data: the records of real units with some values changed"
        }
        Ok(Making::PartlyKept { .. }) => {
            "partly synthetic data: some variables hold the values of real units"
        }
        Ok(Making::Settled { private: true }) => {
            "synthetic data: records were moved until their counts came close to tables that were counted under noise"
        }
        Ok(Making::Settled { private: false }) => {
            "synthetic data: records were moved until their counts came close to the original's own tables"
        }
        _ => "synthetic data: every record was drawn from a model",
    };
    let counted = match copies {
        None if recipe.privacy.is_some() => {
            "whether one equals an original record was not looked at, to keep the guarantee".into()
        }
        None => "whether one equals an original record was not counted".into(),
        Some(0) => "none equals an original record that is unique in all variables".into(),
        Some(1) => format!(
            "1 of {} equals an original record that is unique in all variables",
            table::figures::thousands(records)
        ),
        Some(copies) => format!(
            "{} of {} equal original records that are unique in all variables",
            table::figures::thousands(copies),
            table::figures::thousands(records)
        ),
    };
    format!("{kind}; {counted}")
}

/// What only the data owner may know of a release. With the seed, draws can be replayed and traced to original records; with the
/// hash of the data, an intruder who knows all records but one can confirm a guess at the last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Internal {
    /// Says so.
    pub confidential: String,
    /// The seed; with the same input, recipe and version it gives the same bytes. A private release has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// SHA-256 of the data, or of the model from which the data sets were drawn. It is not kept of a private release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<String>,
    /// What the fit had to say.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// Every other file of the subfolder.
    #[serde(default)]
    pub files: Vec<FileEntry>,
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
    /// What the records are: the [`label`] of what was counted.
    #[serde(default)]
    pub label: String,
    /// Records of all data sets that equal an original record which is unique in all variables but identifiers and computed ones.
    /// Nothing where it was not counted, as in a private release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// The method.
    pub method: String,
    /// How many data sets there are.
    pub m: u32,
    /// What is guaranteed of privacy.
    pub guarantee: String,
    /// What a guarantee does not cover, because the version was chosen or accepted by looking at the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_covered: Option<String>,
    /// Where the randomness came from; the seed itself is internal.
    pub seed_from: String,
    /// The confidential input, without its content.
    pub input: Input,
    /// Where the domains of `schema.toml` come from: a declaration, or the synthetic files alone.
    #[serde(default)]
    pub schema_from: String,
    /// What the fit had to say.
    pub remarks: Vec<String>,
    /// Every other public file of the folder.
    pub files: Vec<FileEntry>,
}

/// What is published of the input.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// What a manifest says of privacy, given its ledger.
fn guarantee(ledger: Option<&LedgerRecord>) -> String {
    let Some(record) = ledger else {
        return "not private: no differential privacy was asked for".into();
    };
    if record.warning.is_some() {
        record.guarantee_sentence()
    } else {
        format!("{}; see {LEDGER}", record.guarantee_sentence())
    }
}

/// Where the published domains come from.
fn schema_from(schema: &Schema) -> String {
    let learned = schema.learned_variables().next().is_some();
    match (schema.declaration(), learned) {
        (Some(reason), false) => format!("a person, who declared it public: {reason}"),
        (Some(reason), true) => format!("the records, and declared public: {reason}"),
        (None, true) => format!(
            "the synthetic files: it shows only what occurs in them; what was learned from the records is in {INTERNAL_FOLDER}/{LEARNED_SCHEMA}"
        ),
        (None, false) => "a person, who did not declare it public".into(),
    }
}

/// The name of data set `number`, from 0.
fn data_name(number: u32, extension: &str) -> String {
    format!("synthetic-{}.{extension}", number + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_says_how_records_came_about() {
        let of = |recipe: &str| label(&Recipe::parse(recipe).unwrap(), 100, Some(0));
        assert!(
            of("method = \"sequential\"").starts_with("synthetic data: every record was drawn from a model")
        );
        assert!(of("method = \"pairwise\"").contains("close to the original's own tables"));
        assert!(
            of("method = \"pairwise\"\n[privacy]\nepsilon = 1.0")
                .contains("tables that were counted under noise")
        );
        assert!(of("method = \"pairwise\"\n[options]\nrows = \"drawn\"").contains("drawn from a model"));
        assert!(of("method = \"swapping\"").starts_with("not synthetic"));
    }
}
