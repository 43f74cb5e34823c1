//! How a method's data sets are tilted: options that every method which can be tilted shares.

use serde::Deserialize;

use crate::SynthesisError;
use crate::card::{OptionCard, Usual};

/// Candidates for each record, and where there are more records than [`MANY`], of which trees know more and weights vary less.
const CANDIDATES_OF_FEW: usize = 5;
const CANDIDATES_OF_MANY: usize = 3;
const MANY: usize = 50_000;

/// Whether a method is tilted.
pub const TILT: OptionCard = OptionCard {
    name: "tilt",
    meaning: "choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up to chance",
    default: Usual::Words(
        "true where every variable is drawn by cart, for which it was measured; else false",
    ),
};

/// How many candidates there are.
pub const CANDIDATES: OptionCard = OptionCard {
    name: "candidates",
    meaning: "candidates that are drawn for each record, of which one is kept",
    default: Usual::Words("5, or 3 where a data set has more than 50,000 records"),
};

/// In how many classes numbers are compared.
pub const TILT_CLASSES: OptionCard = OptionCard {
    name: "tilt_classes",
    meaning: "classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how many; frequent values, and values of numbers with at most 20, have classes of their own",
    default: Usual::Value("auto"),
};

/// Whether copies are left out.
pub const NO_COPIES: OptionCard = OptionCard {
    name: "no_copies",
    meaning: "never keep a candidate that equals a record of the data which is unique there",
    default: Usual::Value("true"),
};

/// Settings of a tilted method.
#[derive(Clone, Debug, PartialEq)]
pub struct TiltSettings {
    /// Candidates for each record, where that is given.
    pub candidates: Option<usize>,
    /// Classes of a number.
    pub classes: Classes,
    /// Whether copies of unique records get no weight.
    pub no_copies: bool,
    /// Whether the tables that are aimed at are drawn anew for each data set.
    pub proper: bool,
}

/// How many classes a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classes {
    /// As many as leave enough candidates with weight.
    Auto,
    /// So many.
    Number(usize),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ClassesText {
    Number(usize),
    Word(String),
}

impl TiltSettings {
    /// The settings among a method's options; `None` if it is not tilted. `usually` says whether it is where nothing is said.
    pub(crate) fn parse(
        given: &toml::Table,
        usually: bool,
        proper: bool,
    ) -> Result<Option<Self>, SynthesisError> {
        let refuse = |name: &str, message: &str| Err(SynthesisError::option(name, message));
        let take = |name: &str| given.get(name).cloned();
        let truth = |name: &str, usual: bool| match take(name) {
            None => Ok(usual),
            Some(toml::Value::Boolean(value)) => Ok(value),
            Some(_) => Err(SynthesisError::option(name, "it is true or false")),
        };
        let tilt = truth("tilt", usually)?;
        let no_copies = truth("no_copies", true)?;
        let candidates = match take("candidates").map(toml::Value::try_into::<usize>) {
            None => None,
            Some(Ok(candidates)) if (2..=100).contains(&candidates) => Some(candidates),
            Some(_) => return refuse("candidates", "it must be between 2 and 100"),
        };
        let classes = match take("tilt_classes").map(toml::Value::try_into::<ClassesText>) {
            None => Classes::Auto,
            Some(Ok(ClassesText::Word(word))) if word == "auto" => Classes::Auto,
            Some(Ok(ClassesText::Number(number))) if (2..=30).contains(&number) => Classes::Number(number),
            Some(_) => return refuse("tilt_classes", "it is `auto`, or a number between 2 and 30"),
        };
        if !tilt {
            let idle = ["candidates", "tilt_classes", "no_copies"];
            if let Some(name) = idle.into_iter().find(|name| given.contains_key(*name)) {
                return refuse(
                    name,
                    "there is one candidate for each record; say `tilt = true` too, or take it out",
                );
            }
            return Ok(None);
        }
        Ok(Some(Self { candidates, classes, no_copies, proper }))
    }

    /// How many candidates there are for each of so many records.
    pub(super) fn candidates(&self, rows: usize) -> usize {
        candidates(self.candidates, rows)
    }
}

/// How many candidates there are for each of so many records, where so many are asked for or none.
pub(super) fn candidates(given: Option<usize>, rows: usize) -> usize {
    given.unwrap_or(if rows > MANY { CANDIDATES_OF_MANY } else { CANDIDATES_OF_FEW })
}
