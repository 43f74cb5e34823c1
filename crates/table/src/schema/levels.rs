//! The list of levels of a categorical variable.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// Levels in their declared order; a level's code is its position. Cheap to clone.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Levels(Arc<IndexSet<String, FxBuildHasher>>);

impl Levels {
    /// The levels in this order; `Err` names the first that comes twice.
    pub fn new(levels: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, String> {
        let mut set = IndexSet::default();
        for level in levels {
            let level = level.into();
            if set.contains(&level) {
                return Err(level);
            }
            set.insert(level);
        }
        Ok(Self(Arc::new(set)))
    }

    /// The number of levels.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The position of a level.
    pub fn position(&self, level: &str) -> Option<u32> {
        self.0.get_index_of(level).map(|position| position as u32)
    }

    /// The level at a position.
    pub fn get(&self, position: u32) -> Option<&str> {
        self.0.get_index(position as usize).map(String::as_str)
    }

    /// All levels in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.0.iter().map(String::as_str)
    }
}

impl PartialEq for Levels {
    /// Order matters: it is the order of an ordinal variable and the baseline of a model.
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.iter().eq(other.iter())
    }
}
