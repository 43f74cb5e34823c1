//! Finished runs, kept as small files, so that a frontier that was interrupted goes on where it stopped.
//!
//! A run is found again by a key: a hash of all that it depends on (version of the software, records as they were read, schema, recipe, battery,
//! seed, number). A run that failed is not kept: what stood in its way may be gone. Whether it was read or
//! computed, what goes into the frontier is what its file says, so that both give the same bytes.

use std::path::{Path, PathBuf};

use measures::Finding;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use table::{TableError, atomic_file};

use super::map::FORMAT;
use super::{Frontier, FrontierError};

/// What one run gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// A hash of all that the run depends on.
    pub key: String,
    /// Why it has no result.
    pub failed: Option<String>,
    /// What the fit had to say.
    pub remarks: Vec<String>,
    /// Seconds of making the data sets, and of measuring them.
    pub seconds: [f64; 2],
    /// What was found.
    pub findings: Vec<Finding>,
}

/// Where finished runs are kept, if anywhere.
#[derive(Clone, Debug, Default)]
pub struct RunStore {
    folder: Option<PathBuf>,
}

/// The folder of the runs in that of the frontier.
pub const RUNS: &str = "runs";

/// What was found, in the folder of a frontier.
pub const FRONTIER: &str = "frontier.json";

/// What was found so far, in the folder of a frontier that runs: of the same form, replaced as runs end, and removed at the end.
pub const SO_FAR: &str = "so-far.json";

/// Marks a folder as one of ours, from before the first run on.
pub(crate) const MARKER: &str = "lookalike-frontier.txt";

const MARKED: &str =
    "Lookalike keeps a frontier in this folder. It is as confidential as the data that it was computed on.\n";

impl RunStore {
    /// Keeps nothing.
    pub fn nowhere() -> Self {
        Self::default()
    }

    /// Keeps runs in `runs/` of this folder, which is made. A folder that holds something other than a frontier is refused.
    pub fn within(folder: &Path) -> Result<Self, FrontierError> {
        let (runs, marker) = (folder.join(RUNS), folder.join(MARKER));
        let failed = |source| TableError::io(folder, source);
        if !marker.exists() && !holds_a_frontier(folder) && !atomic_file::is_empty(folder) {
            return Err(FrontierError::NotAFrontier { folder: folder.display().to_string() });
        }
        std::fs::create_dir_all(folder).map_err(failed)?;
        atomic_file::write_private(&marker, MARKED.as_bytes())?;
        std::fs::create_dir_all(&runs).map_err(failed)?;
        Ok(Self { folder: Some(runs) })
    }

    /// The run of this name and number, if it is kept and has this key.
    pub fn find(&self, name: &str, number: u32, key: &str) -> Option<RunRecord> {
        let text = std::fs::read_to_string(self.path(name, number)?).ok()?;
        let is_it = |record: &RunRecord| record.key == key && record.failed.is_none();
        serde_json::from_str(&text).ok().filter(is_it)
    }

    /// Keeps a run that did not fail, readable by its owner only, and returns it as its file says it.
    pub fn keep(&self, name: &str, number: u32, record: &RunRecord) -> Result<RunRecord, FrontierError> {
        let unreadable = |error: serde_json::Error| FrontierError::option("runs", error.to_string());
        let text = serde_json::to_string(record).map_err(unreadable)?;
        if let Some(path) = self.path(name, number).filter(|_| record.failed.is_none()) {
            atomic_file::write_private(&path, text.as_bytes())?;
        }
        serde_json::from_str(&text).map_err(unreadable)
    }

    /// Writes down what was found so far, readable by its owner only.
    pub fn write_so_far(&self, found: &Frontier) -> Result<(), FrontierError> {
        let Some(path) = self.so_far() else { return Ok(()) };
        let text =
            serde_json::to_string(found).map_err(|error| FrontierError::option("runs", error.to_string()))?;
        Ok(atomic_file::write_private(&path, text.as_bytes())?)
    }

    /// Removes what was found so far: all is found now.
    pub fn remove_so_far(&self) {
        // What is not there need not be removed.
        drop(self.so_far().map(std::fs::remove_file));
    }

    /// Whether anything is kept.
    pub fn keeps(&self) -> bool {
        self.folder.is_some()
    }

    fn so_far(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.parent()?.join(SO_FAR))
    }

    fn path(&self, name: &str, number: u32) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{name}-{}.json", number + 1)))
    }
}

/// Whether a finished frontier lies in this folder: a file of its name that says what it is.
fn holds_a_frontier(folder: &Path) -> bool {
    let text = std::fs::read_to_string(folder.join(FRONTIER)).unwrap_or_default();
    let found: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    found.get("format").and_then(serde_json::Value::as_str) == Some(FORMAT)
}

/// The hash of these parts, in their order.
pub fn key_of(parts: &[&str]) -> String {
    hash_of(parts).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A seed that depends on these parts and on nothing else.
pub fn seed_of(parts: &[&str]) -> u64 {
    let bytes: [u8; 8] = std::array::from_fn(|at| hash_of(parts)[at]);
    // TOML has signed integers.
    u64::from_le_bytes(bytes) >> 1
}

fn hash_of(parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use measures::Better;

    use super::*;

    fn record(key: &str) -> RunRecord {
        let findings = vec![Finding::value("tables.s_pmse", ["a"], 1.0 / 3.0, None, Better::Lower)];
        RunRecord { key: key.into(), failed: None, remarks: vec![], seconds: [0.1, 0.2], findings }
    }

    #[test]
    fn a_run_is_found_by_its_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = RunStore::within(&folder.path().join("new")).unwrap();
        assert_eq!(store.find("cart", 0, "k"), None);
        let kept = store.keep("cart", 0, &record("k")).unwrap();
        assert_eq!(store.find("cart", 0, "k"), Some(kept.clone()));
        assert_eq!((store.find("cart", 0, "other"), store.find("cart", 1, "k")), (None, None));
        assert_eq!(RunStore::nowhere().keep("cart", 0, &record("k")).unwrap(), kept);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode =
                std::fs::metadata(folder.path().join("new/runs/cart-1.json")).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0);
        }
        let failed = RunRecord { failed: Some("no memory".into()), ..record("k") };
        assert_eq!(store.keep("ipf", 0, &failed).unwrap(), failed);
        assert_eq!(store.find("ipf", 0, "k"), None);
        assert_ne!(key_of(&["a", "bc"]), key_of(&["ab", "c"]));
        assert_ne!(seed_of(&["1"]), seed_of(&["2"]));
    }

    #[test]
    fn a_folder_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let is_refused = || match RunStore::within(folder.path()) {
            Ok(_) => false,
            Err(error) => error.to_string().contains("holds no frontier"),
        };
        let killed = folder.path().join(".lookalike-killed");
        std::fs::write(&killed, "Lookalike").unwrap();
        assert!(!is_refused(), "a run was killed before it had marked the folder");
        std::fs::remove_file(folder.path().join(MARKER)).unwrap();
        assert!(is_refused(), "anyone may have a folder of runs");
        std::fs::write(folder.path().join(FRONTIER), "{\"format\": \"a map of the border\"}").unwrap();
        assert!(is_refused(), "anyone may have a frontier");
        std::fs::write(folder.path().join(FRONTIER), format!("{{\"format\": \"{FORMAT}\"}}")).unwrap();
        assert!(!is_refused());
        std::fs::remove_file(folder.path().join(FRONTIER)).unwrap();
        assert!(!is_refused(), "it is marked now");
    }
}
