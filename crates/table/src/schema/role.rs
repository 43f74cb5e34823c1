//! What a variable is to the design of a survey.

use serde::{Deserialize, Serialize};

use super::{Kind, Schema, Variable};
use crate::TableError;

/// The part that a variable plays in the design of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// How many units of the population a record stands for: a positive number.
    Weight,
    /// The part of the population from which it was drawn by itself.
    Stratum,
    /// The unit that was drawn, with all or some of its members.
    Cluster,
}

impl Role {
    /// The word for it in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weight => "weight",
            Self::Stratum => "stratum",
            Self::Cluster => "cluster",
        }
    }
}

impl Variable {
    /// A weight is a number above zero that is never missing; a stratum has levels or whole numbers; a cluster is anything that names units.
    /// Asked of what a person or a file says; tables that are only compared may hold such variables in another form.
    pub(crate) fn check_role(&self) -> Result<(), TableError> {
        let refuse = |message: String| Err(TableError::variable(&self.name, message));
        let Some(role) = self.role else { return Ok(()) };
        match role {
            Role::Weight => {
                let is_number = matches!(self.kind, Kind::Integer { .. } | Kind::Real { .. });
                if !is_number {
                    return refuse(format!("a weight is a number, and the kind is {}", self.kind.name()));
                }
                if self.missing || !self.codes.is_empty() {
                    return refuse("a weight is never missing and has no special codes; a record without one has no part in the sample".into());
                }
                let lowest = match self.kind {
                    Kind::Integer { range: Some((low, _)) } => low as f64,
                    Kind::Real { range: Some((low, _)) } => low,
                    _ => f64::MIN_POSITIVE,
                };
                if lowest < 0.0 {
                    return refuse("a weight is not below zero; correct its range".into());
                }
                Ok(())
            }
            Role::Stratum | Role::Cluster => match self.kind {
                Kind::Real { .. } | Kind::Datetime { .. } => refuse(format!(
                    "a {} has levels, whole numbers or identifiers, and the kind is {}",
                    role.name(),
                    self.kind.name()
                )),
                _ if self.formula.is_some() => refuse(format!("a {} is not computed", role.name())),
                _ => Ok(()),
            },
        }
    }
}

impl Schema {
    /// The variable with this role.
    pub fn with_role(&self, role: Role) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.role == Some(role))
    }

    /// One weight and one stratum variable at most.
    pub(super) fn check_roles(&self) -> Result<(), TableError> {
        for role in [Role::Weight, Role::Stratum, Role::Cluster] {
            let mut of = self.variables.iter().filter(|variable| variable.role == Some(role));
            if let (Some(first), Some(second)) = (of.next(), of.next()) {
                let message = format!(
                    "it is a {}, and so is `{}`; a schema has one: join them to one column",
                    role.name(),
                    first.name
                );
                return Err(TableError::variable(&second.name, message));
            }
        }
        Ok(())
    }
}
