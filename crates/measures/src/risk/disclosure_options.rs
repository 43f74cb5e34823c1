//! What counts as disclosure, and what is so obvious that it does not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MeasureError;

/// How keys and targets are matched, and which disclosures count. The names in brackets are those of R's synthpop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisclosureOptions {
    /// Target levels whose disclosure harms nobody, by target: disclosing "does not smoke" may be no disclosure
    /// (`not.targetlev`). A number is named as it is written, missing as `missing`.
    pub not_counted: BTreeMap<String, Vec<String>>,
    /// Records of one key class with one target value do not count when they are more than this many: a large group is
    /// not news to anyone (`exclude_ov_denom_lim`, `denom_lim`).
    pub largest_group: Option<u64>,
    /// Whether a missing key counts as a value that an intruder knows (`usekeysNA`).
    pub count_missing_keys: bool,
    /// Whether learning that the target is missing counts (`usetargetNA`).
    pub count_missing_targets: bool,
    /// Into how many groups numeric keys are cut; exact values when there are none (`ngroups_keys`).
    pub key_groups: Option<usize>,
    /// Into how many groups numeric targets are cut; exact values when there are none (`ngroups_target`).
    pub target_groups: Option<usize>,
    /// When a target level is flagged: it makes up more than this much of all correct disclosures (`thresh_1way`).
    pub one_way_flag: FlagThreshold,
    /// When a pair of a key value and a target value is flagged: among groups of more than this many records, the key value
    /// alone goes with the target value in more than this per cent of the original (`thresh_2way`).
    pub two_way_flag: FlagThreshold,
}

/// Both must be exceeded for a flag.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlagThreshold {
    /// A number of records.
    pub records: u64,
    /// A percentage.
    pub percent: f64,
}

impl Default for DisclosureOptions {
    fn default() -> Self {
        Self {
            not_counted: BTreeMap::new(),
            largest_group: None,
            count_missing_keys: true,
            count_missing_targets: true,
            key_groups: None,
            target_groups: None,
            one_way_flag: FlagThreshold { records: 50, percent: 90.0 },
            two_way_flag: FlagThreshold { records: 4, percent: 80.0 },
        }
    }
}

impl DisclosureOptions {
    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), MeasureError> {
        let refuse = |option, message: &str| Err(MeasureError::Option { option, message: message.into() });
        if self.largest_group == Some(0) {
            return refuse(
                "the largest group that counts",
                "must be 1 or more; leave it out to count all groups",
            );
        }
        for (option, groups) in [
            ("the number of key groups", self.key_groups),
            ("the number of target groups", self.target_groups),
        ] {
            if groups.is_some_and(|groups| groups < 2) {
                return refuse(option, "must be 2 or more; leave it out to match values exactly");
            }
        }
        for flag in [self.one_way_flag, self.two_way_flag] {
            if !(0.0..=100.0).contains(&flag.percent) {
                return refuse("the percentage of a flag", "must lie from 0 to 100");
            }
        }
        Ok(())
    }
}
