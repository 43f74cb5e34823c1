//! What a method is, as data that the command line, the docs and the contract test read.

use serde::Serialize;

/// The card of a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MethodCard {
    /// Its name in recipes.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// When to take it.
    pub use_when: &'static str,
    /// What it needs to see of the data.
    pub needs: Needs,
    /// Its options.
    pub options: &'static [OptionCard],
    /// Memory in terms of N records, p variables, K cells.
    pub memory: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
}

/// What a method needs to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// Only counts, from whatever source.
    Counts,
    /// The records themselves.
    Records,
}

/// An option of a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptionCard {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What it is if not given.
    pub default: &'static str,
}
