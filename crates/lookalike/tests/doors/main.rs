//! The doors of recipes, models, releases, ledgers and frontiers, tried with altered files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

#[path = "../../../table/tests/doors/alteration.rs"]
mod alteration;
#[path = "../../../table/tests/doors/harness.rs"]
mod harness;

use std::path::Path;

use harness::{Target, file, text, try_all};
use lookalike::frontier::{Frontier, grid};
use lookalike::privacy::LedgerRecord;
use lookalike::privacy::ledger::shared::SharedLedger;
use lookalike::release::{Expected, verify};
use lookalike::synthesis::Recipe;
use lookalike::synthesis::model_file::SavedModel;

// Cargo runs tests in the folder of their package.
const CORPUS: &str = "tests/doors/corpus";

const TOML_WORDS: &[&str] = &[
    "[",
    "]",
    "[[",
    "=",
    "\"",
    "'''",
    "{",
    "}",
    "\n",
    "declared = true\n",
    "levels = [",
    "range = [",
    "[variables.x]\n",
    "a.",
];
const JSON_WORDS: &[&str] = &["{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "-"];

const TARGETS: &[Target] = &[
    Target { name: "recipe", corpus: CORPUS, words: TOML_WORDS, read: |bytes, _| text(bytes, recipe) },
    Target {
        name: "grid",
        corpus: CORPUS,
        words: TOML_WORDS,
        read: |bytes, _| text(bytes, |text| grid::parse(text).is_ok()),
    },
    Target {
        name: "model",
        corpus: CORPUS,
        words: &[],
        read: |bytes, folder| file(bytes, folder, "x.model", model),
    },
    Target { name: "release", corpus: CORPUS, words: JSON_WORDS, read: release },
    Target { name: "ledger", corpus: CORPUS, words: JSON_WORDS, read: |bytes, _| ledger(bytes) },
    Target { name: "shared-ledger", corpus: CORPUS, words: JSON_WORDS, read: shared_ledger },
    Target {
        name: "frontier",
        corpus: CORPUS,
        words: JSON_WORDS,
        read: |bytes, _| serde_json::from_slice::<Frontier>(bytes).is_ok(),
    },
];

fn model(path: &Path) -> bool {
    SavedModel::read(path).and_then(|saved| saved.model()).is_ok()
}

fn ledger(bytes: &[u8]) -> bool {
    serde_json::from_slice::<LedgerRecord>(bytes).is_ok_and(|record| record.verify().is_ok())
}

/// A recipe that is read and checked is also written and read again.
fn recipe(text: &str) -> bool {
    let Ok(recipe) = Recipe::parse(text) else { return false };
    if recipe.check().is_err() {
        return false;
    }
    assert!(Recipe::parse(&recipe.to_toml()).is_ok(), "a recipe that was written is read again");
    true
}

/// A manifest whose files are not there is read, and the release is refused: what counts is that it is refused in words.
fn release(bytes: &[u8], folder: &Path) -> bool {
    std::fs::write(folder.join("manifest.json"), bytes).unwrap();
    let found = verify(folder, &Expected::default());
    assert!(!found.passed, "a manifest alone is no release");
    found.checks.iter().any(|check| check.what == "form of the manifest" && check.passed)
}

fn shared_ledger(bytes: &[u8], folder: &Path) -> bool {
    let path = folder.join("ledger.jsonl");
    std::fs::write(&path, bytes).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    SharedLedger::at(path).read().is_ok_and(|books| !books.lines().is_empty())
}

#[test]
fn no_door_can_be_broken() {
    try_all(TARGETS);
}
