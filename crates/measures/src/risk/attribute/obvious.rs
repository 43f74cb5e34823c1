//! Disclosures that are obvious beforehand: what a one-way or two-way table says as well as the whole set of keys.
//!
//! A target level that makes up nearly all correct disclosures, or a key value that nearly always goes with a target value,
//! may be common knowledge: that hardly any widower is under 25 is no secret. Flagged disclosures are for a person to judge;
//! they still count (Raab, Nowok & Dibben 2024; `check_1way` and `check_2way` of R's synthpop).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::attack::Attack;
use super::class_cells::levels;

/// A target level that makes up nearly all correct disclosures.
#[derive(Clone, Debug, PartialEq)]
pub struct ObviousLevel {
    /// The level.
    pub level: String,
    /// Original records with this level that are disclosed correctly.
    pub disclosed_records: u64,
    /// They are this per cent of all that are.
    pub percent_of_disclosed: f64,
    /// Original records with this level, in per cent.
    pub percent_of_original: f64,
}

/// A key value and a target value that nearly always go together.
#[derive(Clone, Debug, PartialEq)]
pub struct ObviousPair {
    /// The key.
    pub key: String,
    /// Its value.
    pub key_value: String,
    /// The target's value.
    pub target_value: String,
    /// Original records with both that are disclosed correctly in larger groups.
    pub disclosed_records: u64,
    /// Original records with the key value.
    pub key_records: u64,
    /// Those of them with the target value.
    pub pair_records: u64,
}

impl ObviousLevel {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "level": self.level,
            "disclosed_records": self.disclosed_records,
            "percent_of_disclosed": self.percent_of_disclosed,
            "percent_of_original": self.percent_of_original,
        })
    }
}

impl ObviousPair {
    /// Original records with the target value among those with the key value, in per cent.
    pub fn percent(&self) -> f64 {
        100.0 * self.pair_records as f64 / self.key_records as f64
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "key": self.key,
            "key_value": self.key_value,
            "target_value": self.target_value,
            "disclosed_records": self.disclosed_records,
            "percent": self.percent(),
        })
    }
}

/// Gathers correct disclosures, class by class.
pub(super) struct ObviousTally<'a> {
    attack: &'a Attack<'a>,
    /// Disclosed records of each target level.
    of_level: Vec<u64>,
    /// Class, target level and records of each larger group.
    larger: Vec<(usize, u32, u64)>,
}

impl<'a> ObviousTally<'a> {
    pub(super) fn new(attack: &'a Attack<'a>) -> Self {
        let of_level = vec![0; attack.target_classes().size()];
        Self { attack, of_level, larger: Vec::new() }
    }

    /// Adds the correctly disclosed records of a cell.
    pub(super) fn add(&mut self, class: usize, level: u32, records: u64) {
        self.of_level[level as usize] += records;
        if records > self.attack.options.two_way_flag.records {
            self.larger.push((class, level, records));
        }
    }

    pub(super) fn finish(self) -> (Option<ObviousLevel>, Vec<ObviousPair>) {
        (self.level(), self.pairs())
    }

    fn level(&self) -> Option<ObviousLevel> {
        let flag = self.attack.options.one_way_flag;
        let all: u64 = self.of_level.iter().sum();
        let (level, most) =
            (0..).zip(&self.of_level).max_by_key(|(level, records)| (**records, Reverse(*level)))?;
        let percent_of_disclosed = 100.0 * *most as f64 / all as f64;
        (*most > flag.records && percent_of_disclosed > flag.percent).then(|| {
            let with_level = self.attack.original.iter().filter(|code| **code == level).count();
            ObviousLevel {
                level: self.attack.target_classes().label(level),
                disclosed_records: *most,
                percent_of_disclosed,
                percent_of_original: 100.0 * with_level as f64 / self.attack.original.len() as f64,
            }
        })
    }

    fn pairs(&self) -> Vec<ObviousPair> {
        if self.larger.is_empty() {
            return Vec::new();
        }
        let keys = self.attack.members.classes.keys().positions().iter();
        let mut pairs: Vec<ObviousPair> = keys.flat_map(|key| self.pairs_of(*key)).collect();
        // A stable sort: pairs of equal size stay in the order of keys and of target and key values.
        pairs.sort_by_key(|pair| Reverse(pair.disclosed_records));
        pairs
    }

    /// The pairs of one key, in order of target and key values.
    fn pairs_of(&self, position: usize) -> Vec<ObviousPair> {
        let attack = self.attack;
        let tables = attack.tables.keys();
        let key_of_record = levels(&tables.original().columns()[position]);
        let mut disclosed: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (class, level, records) in &self.larger {
            let first = attack.members.original.rows(*class)[0];
            *disclosed.entry((*level, key_of_record[first as usize])).or_insert(0) += records;
        }
        let mut together: FxHashMap<(u32, u32), u64> = disclosed.keys().map(|pair| (*pair, 0)).collect();
        for pair in attack.original.iter().copied().zip(key_of_record.iter().copied()) {
            if let Some(count) = together.get_mut(&pair) {
                *count += 1;
            }
        }
        let classes = &tables.domain().variables()[position];
        let with_key = tables.original().columns()[position].frequencies(classes.size());
        let pair = |((level, key), disclosed_records): ((u32, u32), u64)| ObviousPair {
            key: classes.name().to_owned(),
            key_value: classes.label(key),
            target_value: attack.target_classes().label(level),
            disclosed_records,
            key_records: with_key[key as usize],
            pair_records: together[&(level, key)],
        };
        let pairs = disclosed.into_iter().map(pair);
        pairs.filter(|pair| pair.percent() > attack.options.two_way_flag.percent).collect()
    }
}
