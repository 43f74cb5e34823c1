//! The lines of a ledger over runs.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::charge::Notion;
use super::super::record::ChargeRecord;
use crate::{Guarantee, Neighbours};

/// What a budget is of: a unit of a data set, under a relation of neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// The name that the owner gives to the data.
    pub data_set: String,
    /// What is protected, as the schema calls it.
    pub unit: String,
    /// Which data sets are made indistinguishable.
    pub neighbours: Neighbours,
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "data set `{}`, unit {}, {} neighbours", self.data_set, self.unit, self.neighbours)
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its number, from 0.
    pub number: u64,
    /// When it was written, in UTC.
    pub at: String,
    /// SHA-256 of the line before; zeros in the first.
    pub previous: String,
    /// What was entered.
    pub entry: Entry,
}

/// What can be entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Entry {
    /// The first line.
    Opened {
        /// Always `lookalike-ledger`.
        format: String,
        /// Version of the format.
        version: u32,
    },
    /// The owner sets what may be spent; it takes the place of an earlier limit in the same notion.
    Limit {
        /// Of what.
        account: Account,
        /// As the owner said it.
        asked: Guarantee,
        /// In the notion in which debits are added up, rounded down.
        limit: ChargeRecord,
    },
    /// A run takes its budget.
    Debit {
        /// From what.
        account: Account,
        /// What the run guarantees.
        asked: Guarantee,
        /// What it takes.
        charge: ChargeRecord,
        /// The limit from which it is taken.
        against: Notion,
        /// What the run is.
        purpose: String,
    },
    /// A look at the records that no guarantee covers.
    Look {
        /// The name that the owner gives to the data.
        data_set: String,
        /// What looked.
        purpose: String,
    },
}
