//! What each attribute measure means.

use super::names;
use crate::{Better, Kept, MeasureCard, Null, Range};

const RAAB: &str =
    "Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826";
const ELLIOT: &str = "Elliot (2014), Final report on the disclosure risk of the SYLLS synthetic data";
const TAUB: &str = "Taub & Elliot (2019), The synthetic data challenge, eq. 8-9";

/// What only describes an attack is left to the full evaluation.
const fn kept(better: Better) -> Kept {
    match better {
        Better::Lower | Better::Higher => Kept::All,
        Better::Neither => Kept::None,
    }
}

const fn percent(
    name: &'static str,
    question: &'static str,
    better: Better,
    citation: &'static str,
) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better,
        unit: "%",
        range: Range::PERCENT,
        null: Null::None,
        citation,
        kept: kept(better),
    }
}

const fn records(name: &'static str, question: &'static str) -> MeasureCard {
    let (range, null, better) = (Range::NOT_NEGATIVE, Null::None, Better::Neither);
    MeasureCard { name, question, better, unit: "records", range, null, citation: RAAB, kept: kept(better) }
}

const fn share(name: &'static str, question: &'static str, better: Better) -> MeasureCard {
    let (range, null) = (Range::UNIT, Null::None);
    MeasureCard { name, question, better, unit: "", range, null, citation: TAUB, kept: kept(better) }
}

/// One card for each [`super::AttributeStatistic`] in its order.
pub(super) const CARDS: &[MeasureCard] = &[
    percent(
        names::DORIG,
        "How many original records would the original itself disclose?",
        Better::Neither,
        RAAB,
    ),
    percent(
        "attribute.dsyn",
        "How many synthetic records have keys that go with one target value in the synthetic table?",
        Better::Neither,
        RAAB,
    ),
    percent(
        "attribute.is",
        "How many original records have keys that occur in the synthetic table?",
        Better::Neither,
        RAAB,
    ),
    percent(
        "attribute.dis",
        "For how many original records does the synthetic table suggest one target value?",
        Better::Lower,
        RAAB,
    ),
    percent(
        names::DISCO,
        "For how many original records does the synthetic table suggest one target value, the true one?",
        Better::Lower,
        RAAB,
    ),
    percent(
        "attribute.disdio",
        "How many original records does the synthetic table disclose as the original would?",
        Better::Lower,
        RAAB,
    ),
    records("attribute.max_denom", "How large is the largest group that is disclosed at once?"),
    records("attribute.mean_denom", "How large are the groups that are disclosed, on average?"),
    percent(
        "attribute.base_cap_d",
        "How often is the target guessed right without keys, by its frequencies alone?",
        Better::Neither,
        ELLIOT,
    ),
    percent(
        "attribute.cap_d",
        "How often would the original itself give the target of a record?",
        Better::Neither,
        ELLIOT,
    ),
    percent(
        "attribute.cap_s",
        "How often does the synthetic table give the target of its own records?",
        Better::Neither,
        ELLIOT,
    ),
    percent(
        "attribute.dcap",
        "How often does the synthetic table give the target of an original record?",
        Better::Lower,
        ELLIOT,
    ),
    percent(
        "attribute.tcap",
        "Of the original records whose keys occur in the synthetic table, how many are disclosed correctly?",
        Better::Lower,
        RAAB,
    ),
    share(
        names::TCAP_TAUB,
        "How often is an intruder right who trusts the synthetic records that leave no doubt?",
        Better::Lower,
    ),
    share(
        "attribute.weap1_share",
        "What share of synthetic records leaves no doubt about the target?",
        Better::Neither,
    ),
    share(
        names::UNDEFINED_SHARE,
        "Of the synthetic records that leave no doubt, what share has keys that the original lacks?",
        Better::Neither,
    ),
    // What DiSCO is held against is kept with it: without it nobody can judge it.
    MeasureCard {
        kept: Kept::All,
        ..percent(
            names::DISCO_MARGINS,
            "How many original records would be disclosed if the target had nothing to do with the keys?",
            Better::Neither,
            "Lookalike: what the margins alone disclose",
        )
    },
    MeasureCard {
        range: Range { from: -100.0, to: Some(100.0) },
        ..percent(
            names::DISCO_EXCESS,
            "How many more original records are disclosed than by the margins alone?",
            Better::Lower,
            "Lookalike: DiSCO of Raab, Nowok & Dibben (2024) less what the margins alone disclose",
        )
    },
    MeasureCard {
        kept: Kept::All,
        ..percent(
            names::DISCO_OTHERS,
            "How many original records would be disclosed by the other original records?",
            Better::Neither,
            "Lookalike: what is true of whole groups",
        )
    },
];
