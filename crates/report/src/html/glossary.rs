//! The words of the report, explained where they stand and once again together.

use super::View;
use crate::markup::{Markup, Tag, tag};

/// Words and what they mean, for people without statistics.
const TERMS: &[(&str, &str)] = &[
    (
        "S_pMSE",
        "How far a synthetic table is from the original one, in units of what chance makes: 1 is what a right generator scores, up to 10 is good, up to 30 usable, above that poor.",
    ),
    (
        "DiSCO",
        "For how many of 100 people the release suggests exactly one value of a variable, and the true one, to somebody who knows their keys.",
    ),
    (
        "base rate",
        "For how many people the same would be learned without their record: because it is true of everybody like them, or by chance.",
    ),
    ("keys", "What an intruder is supposed to know of a person, such as sex, age and district."),
    ("target", "What an intruder wants to learn."),
    (
        "holdout",
        "Records of the same people that the generator never saw. What is learned of them is known of everybody, not of people in the file.",
    ),
    ("unique", "A record that no other record of the file agrees with on the keys."),
    (
        "replicated unique",
        "A unique original record whose keys appear again, and again once, in the release.",
    ),
    ("TCAP", "How often an intruder is right who trusts the synthetic records that leave no doubt."),
    (
        "propensity",
        "A model tries to tell synthetic records from original ones. What it cannot tell apart says the same.",
    ),
    (
        "interval overlap",
        "How much of the 95 % intervals of a model's coefficients from both files is common: 1 is all.",
    ),
    (
        "Cramér's V",
        "How strongly two categorical variables go together: 0 not at all, 1 one follows from the other.",
    ),
    ("τ₄", "When the release shows a cell with one record, how often the original has exactly one there."),
    (
        "map of categories",
        "Categories that occur in the same records lie close together (multiple correspondence analysis).",
    ),
    ("front", "The versions to which no other is better in both risk and utility."),
    ("dominated", "There is a version that is at least as good in both risk and utility."),
    (
        "ε (epsilon)",
        "The budget of differential privacy: whatever is concluded from the release would be concluded without any one person almost as likely, up to the factor exp(ε). 1 is strong, above 10 weak.",
    ),
    (
        "data set",
        "One synthetic table; a release may have several, drawn in the same way, so that analysts see how much they scatter.",
    ),
];

/// A word with its meaning at hand.
pub(super) fn term(word: &'static str) -> Tag {
    let meaning = TERMS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    debug_assert!(meaning.is_some(), "{word} is not in the glossary");
    tag("abbr").with("title", meaning.unwrap_or_default()).text(word)
}

pub(super) fn content(view: &View<'_>) -> Markup {
    if view.findings.is_empty() && view.frontier.is_none() {
        return Markup::default();
    }
    let entries = TERMS.iter().flat_map(|(word, meaning)| [tag("dt").text(word), tag("dd").text(meaning)]);
    tag("dl").with("class", "glossary").all(entries).into()
}
