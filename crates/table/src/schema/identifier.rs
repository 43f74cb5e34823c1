//! What a schema says of an identifier beside its kind: how it is written, where its values come from, how often one repeats.

use std::collections::BTreeMap;

use super::{Kind, Schema, Variable};
use crate::TableError;
use crate::identifiers::WIDEST;

/// The keys of a `text-id` variable. An identifier is never modelled: every method makes its values new.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Identifier {
    /// Whether its values are whole numbers, and are written as such.
    pub whole: bool,
    /// The identifier whose values it takes: a pointer to other records.
    pub refers_to: Option<String>,
    /// How its texts look: `9` stands for a digit, `A` and `a` for a letter, everything else for itself.
    pub pattern: Option<String>,
    /// How many values name one, two, three … records, in proportion; empty where that is not declared.
    pub records_per_value: BTreeMap<u32, f64>,
}

impl Variable {
    pub(super) fn check_identifier(&self) -> Result<(), TableError> {
        let refuse = |message: String| Err(TableError::variable(&self.name, message));
        let own = &self.identifier;
        if self.kind != Kind::TextId {
            if *own != Identifier::default() {
                return refuse(format!(
                    "`type`, `refers_to`, `pattern` and `records_per_value` are for the kind text-id, and the kind is {}",
                    self.kind.name()
                ));
            }
            return Ok(());
        }
        let shares = &own.records_per_value;
        let is_share = |share: &f64| share.is_finite() && *share >= 0.0;
        if !shares.is_empty() && (!shares.values().all(is_share) || shares.values().sum::<f64>() <= 0.0) {
            return refuse("the shares of `records_per_value` must not be negative, nor all zero".into());
        }
        if shares.contains_key(&0) {
            return refuse(
                "`records_per_value` counts from 1: a value that names no record does not occur".into(),
            );
        }
        if let Some(pattern) = &own.pattern {
            let is_free = |character: char| matches!(character, '9' | 'A' | 'a');
            if !pattern.contains(is_free) {
                return refuse(
                    "`pattern` has nothing to fill in; write 9 for a digit, A or a for a letter".into(),
                );
            }
            if own.whole && !pattern.chars().all(|character| character == '9') {
                return refuse("the `pattern` of whole numbers is of 9s alone".into());
            }
            if own.whole && pattern.len() > WIDEST {
                return refuse(format!("the `pattern` of whole numbers has at most {WIDEST} digits"));
            }
            if own.refers_to.is_some() {
                return refuse("it takes the values of another variable; leave `pattern` to that one".into());
            }
        }
        Ok(())
    }
}

impl Schema {
    pub(super) fn check_reference(&self, variable: &Variable) -> Result<(), TableError> {
        let Some(target) = &variable.identifier.refers_to else { return Ok(()) };
        let refuse = |message: String| Err(TableError::variable(&variable.name, message));
        match self.position(target).map(|position| &self.variables[position]) {
            None => {
                let hint =
                    crate::similar_name::hint(target, self.variables.iter().map(|other| other.name.as_str()));
                refuse(format!("it refers to `{target}`, which is not a variable{hint}"))
            }
            Some(other) if other.kind != Kind::TextId => refuse(format!(
                "it refers to `{target}`, whose kind is {}; make that text-id",
                other.kind.name()
            )),
            Some(other) if other.identifier.whole != variable.identifier.whole => {
                refuse(format!("it refers to `{target}`, which has another `type`"))
            }
            Some(_) => Ok(()),
        }
    }
}
