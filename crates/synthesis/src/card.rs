//! What a method is, as data that the command line, the docs, the frontier, the audit and the contract tests read.
//!
//! Other crates know a method by its [`MethodCard`], which holds whatever the settings, and by the
//! [`RecordsCard`](crate::RecordsCard) of its settings, never by its name.

use std::fmt;

use privacy::Neighbours;
use serde::{Serialize, Serializer};
use statistics::counts::CellDraws;

use crate::SynthesisError;

/// The card of a method.
#[derive(Clone, Debug, Serialize)]
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
    /// Whether one seed gives one output, byte for byte, on any number of threads, when it is not private.
    pub reproducible: bool,
    /// How it is private; `None` if it cannot be.
    pub privacy: Option<PrivacyCard>,
    /// How the counts of cells that it draws are distributed, where that is known in closed form.
    pub mechanism: Option<MechanismCard>,
    /// Recipes that are worth trying on a table of which nothing else is known.
    pub trials: &'static [Trial],
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
    pub default: Usual,
}

/// What an option is if it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// This value, as it is written in a recipe: giving it changes nothing.
    Value(&'static str),
    /// What no value says.
    Words(&'static str),
}

impl fmt::Display for Usual {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Value(text) | Self::Words(text)) = self;
        out.write_str(text)
    }
}

impl Serialize for Usual {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How a method is private.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrivacyCard {
    /// Whether every further data set costs privacy; else all are drawn from one model of noisy answers.
    pub pays_for_each_data_set: bool,
    /// Worst cases by which an audit tries to disprove its ε; at least one.
    pub audit: &'static [AuditCase],
    /// How it is tried on a table of which nothing else is known.
    pub trial: Option<PrivateTrial>,
}

/// A pair of neighbouring tables, and how one of them is released.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AuditCase {
    /// What the canary is.
    pub name: &'static str,
    /// The tables, and by which statistic of the released records the canary is betrayed.
    pub canary: Canary,
    /// Records that are released; as many as the method makes if `None`.
    pub rows: Option<u64>,
    /// Options that the method needs for these tables, as `name=value`.
    pub options: &'static [&'static str],
}

/// The record that one of two neighbouring tables has and the other has not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Canary {
    /// The only record in the last level of one variable, betrayed by the number of records like it; `others` are in the first level. The
    /// number of records is stated as public.
    Kind {
        /// Levels of the variable.
        levels: usize,
        /// The other records.
        others: usize,
        /// Whether the canary is added to the others, or takes the place of one more of them.
        neighbours: Neighbours,
    },
    /// The same where the others are spread over all other levels, for methods that merge rare levels: only that of the canary is rare.
    RareKind {
        /// Levels of the variable.
        levels: usize,
        /// The other records.
        others: usize,
    },
    /// The only record of its kind in two variables at once.
    Pair {
        /// The other records, all alike.
        others: usize,
    },
    /// A record of one kind replaced by one of another, beside a record of the first kind and many of a third, by which what is released is scaled; betrayed by the likelihood ratio of the
    /// counts of both kinds under equal Laplace noise.
    Replaced {
        /// The records of the third kind.
        others: usize,
    },
    /// One record more, betrayed by the number of released records, which is not public.
    Size {
        /// The other records.
        others: usize,
    },
    /// A unit with several records, all of them the only ones in the last level of one variable; the schema declares who the units are and how many
    /// records of each are kept, and the unit has twice as many.
    Unit {
        /// Levels of the variable.
        levels: usize,
        /// The other records, of a unit each.
        others: usize,
        /// The records that are kept of a unit.
        records: usize,
    },
    /// A number of 1 among numbers in [0, 1] that are all alike.
    Number {
        /// What the others are, as written in a file.
        other: &'static str,
        /// The number of records, the canary included.
        records: u64,
        /// Whether the canary is added to the others, or takes the place of one of them.
        neighbours: Neighbours,
        /// The statistic that betrays it.
        by: Moment,
    },
}

/// A statistic of released numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// Their sum.
    Sum,
    /// The likelihood ratio of their sum and their sum of squares, from the middle of the range, under equal noise.
    MeanAndSquare,
}

/// How the counts of cells are distributed, given the original ones, for a mechanism that a person states.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MechanismCard {
    /// An example of how it is stated.
    pub example: &'static str,
    /// The options that it takes.
    pub options: &'static [&'static str],
    /// The distribution, for these options.
    #[serde(skip)]
    pub draws: fn(&toml::Table) -> Result<CellDraws, SynthesisError>,
}

/// A recipe that is worth trying.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// Its place among the trials of all methods.
    pub place: u8,
    /// Its name.
    pub name: &'static str,
    /// What it is, for the axis of a picture.
    pub label: &'static str,
    /// Its options, as `name=value`.
    pub options: &'static [&'static str],
    /// How many data sets a release has.
    pub m: u32,
    /// The least number of variables with classes.
    pub variables: usize,
    /// On which cross-tables it is tried.
    pub suits: Suits,
}

/// A private run that is worth trying, over several ε.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PrivateTrial {
    /// Its place among those of all methods.
    pub place: u8,
    /// What it is, in a word or two.
    pub label: &'static str,
    /// On which cross-tables it is tried.
    pub suits: Suits,
}

/// On which cross-tables a recipe is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suits {
    /// On all.
    AnyTable,
    /// On those with a variable that has levels.
    Levels,
    /// On those with a number.
    Numbers,
    /// On those with so few cells that a model of all of them is fitted in seconds.
    FewCells {
        /// What is left out elsewhere, with its verb.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },
}
