//! `provenance.json`: how a release came about, as an in-toto statement with the SLSA provenance predicate, so that archives and supply-chain tools can
//! index releases without knowing Lookalike.
//!
//! It is one of the files of the manifest, so that a signature covers it, and it names the hash of every other public file that was written before it.
//! Nothing in it depends on the records but through those files: no hash of the input, no seed.

use serde_json::{Value, json};
use synthesis::Recipe;

use super::{FileEntry, Manifest};

/// Its name in the folder.
pub(crate) const PROVENANCE: &str = "provenance.json";

/// What in-toto calls a statement (in-toto attestation framework, version 1).
const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// The predicate (SLSA, version 1).
const PREDICATE: &str = "https://slsa.dev/provenance/v1";

/// What kind of build this was, and by what.
const BUILD: &str = "urn:lookalike:release:v1";
const BUILDER: &str = "urn:lookalike:command";

/// The statement about these files.
pub(crate) fn provenance(manifest: &Manifest, recipe: &Recipe, files: &[FileEntry]) -> Value {
    let subject: Vec<Value> =
        files.iter().map(|file| json!({ "name": file.name, "digest": { "sha256": file.sha256 } })).collect();
    let (name, version) = manifest.software.split_once(' ').unwrap_or((&manifest.software, ""));
    json!({
        "_type": STATEMENT,
        "subject": subject,
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {
                    "recipe": recipe.to_toml(),
                    "method": manifest.method,
                    "m": manifest.m,
                },
                "internalParameters": {
                    "guarantee": manifest.guarantee,
                    "notCovered": manifest.not_covered,
                    "label": manifest.label,
                    "schemaFrom": manifest.schema_from,
                },
                "resolvedDependencies": [],
            },
            "runDetails": {
                "builder": { "id": BUILDER, "version": { name: version } },
                "metadata": { "finishedOn": manifest.created },
            },
        },
    })
}

/// Whether a statement names exactly these hashes; what is wrong if it does not.
pub(crate) fn agrees(statement: &Value, manifest: &Manifest) -> Result<usize, String> {
    let form = (statement["_type"].as_str(), statement["predicateType"].as_str());
    if form != (Some(STATEMENT), Some(PREDICATE)) {
        return Err("it is no provenance statement of in-toto".into());
    }
    let subjects = statement["subject"].as_array().map_or(&[][..], Vec::as_slice);
    let named = |file: &&FileEntry| {
        subjects.iter().any(|subject| {
            subject["name"] == file.name.as_str() && subject["digest"]["sha256"] == file.sha256.as_str()
        })
    };
    let others = || manifest.files.iter().filter(|file| file.name != PROVENANCE);
    match others().find(|file| !named(file)) {
        Some(file) => Err(format!("it does not name {} with its hash", file.name)),
        None if subjects.len() != others().count() => {
            Err("it names files that are not of the release".into())
        }
        None if statement["predicate"]["buildDefinition"]["internalParameters"]["guarantee"]
            != manifest.guarantee.as_str() =>
        {
            Err("its guarantee is not that of the manifest".into())
        }
        None => Ok(subjects.len()),
    }
}
