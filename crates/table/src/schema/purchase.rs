//! What of a domain a private run finds out for itself, paid from its budget, because nobody can declare it.

use serde::{Deserialize, Serialize};

/// Which parts of a variable's domain are bought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purchase {
    /// `range = "private"`.
    pub range: bool,
    /// `levels = "private"`.
    pub levels: bool,
    /// What is done where no cuts are listed.
    pub cuts: CutRule,
}

/// How a number falls into classes where no cuts are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CutRule {
    /// As the run usually does: private quantiles in a private run, quantiles in others.
    #[default]
    #[serde(skip)]
    Usual,
    /// At quantiles, which a private run pays from its budget.
    Private,
    /// Into classes of equal width over the range, which cost nothing.
    Equal,
}

impl CutRule {
    /// The word for it in a schema file, where it has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Usual => None,
            Self::Private => Some("private"),
            Self::Equal => Some("equal"),
        }
    }
}
