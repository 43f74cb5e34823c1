//! How well a few variables tell records apart.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Attributes, CountSource, TableError};

/// How many of the smallest group sizes are shown.
const SIZES_SHOWN: usize = 5;

/// Records grouped by equal values of the keys.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyProfile {
    /// The keys.
    pub keys: Vec<String>,
    /// Number of different combinations that occur.
    pub groups: u64,
    /// Records that are alone with their combination.
    pub uniques: u64,
    /// Their share.
    pub unique_share: f64,
    /// The smallest groups, by size.
    pub smallest_groups: Vec<GroupsOfSize>,
}

/// How many groups have a size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupsOfSize {
    /// Records in each of these groups.
    pub size: u64,
    /// How many groups there are.
    pub groups: u64,
}

/// Groups the records by exact values of the keys; missing is a value.
pub(super) fn profile(exact: &dyn CountSource, keys: &[String]) -> Result<KeyProfile, TableError> {
    let attributes = Attributes::named(exact.domain(), keys.iter().map(String::as_str))?;
    let table = exact.contingency_table(&attributes)?;
    let smallest = table.size_histogram().into_iter().take(SIZES_SHOWN);
    Ok(KeyProfile {
        keys: keys.to_vec(),
        groups: table.occupied() as u64,
        uniques: table.unique_records(),
        unique_share: table.unique_records() as f64 / exact.records() as f64,
        smallest_groups: smallest.map(|(size, groups)| GroupsOfSize { size, groups }).collect(),
    })
}
