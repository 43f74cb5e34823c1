//! What each number of a table means.

use super::names;
use crate::{Better, Kept, MeasureCard, Null, Range};

const RAAB: &str = "Raab, Nowok & Dibben (2021), arXiv:2109.12717";

const fn card(
    name: &'static str,
    question: &'static str,
    range: Range,
    null: Null,
    citation: &'static str,
) -> MeasureCard {
    MeasureCard { name, question, better: Better::Lower, unit: "", range, null, citation, kept: Kept::None }
}

const fn description(name: &'static str, question: &'static str, unit: &'static str) -> MeasureCard {
    let (range, null) = (Range::NOT_NEGATIVE, Null::None);
    MeasureCard {
        name,
        question,
        better: Better::Neither,
        unit,
        range,
        null,
        citation: RAAB,
        kept: Kept::None,
    }
}

/// One card for each [`super::TableStatistic`] in its order, then those of the summaries.
pub(super) const CARDS: &[MeasureCard] = &[
    card(
        "tables.vw",
        "How far are the counts from the original's, squared and weighed by cell size?",
        Range::NOT_NEGATIVE,
        Null::Formula("df"),
        "Voas & Williamson (2001), Geographical and Environmental Modelling 5",
    ),
    card(
        "tables.ft",
        "How far are the square roots of the counts apart?",
        Range::NOT_NEGATIVE,
        Null::Formula("df"),
        "Freeman & Tukey (1950), Annals of Mathematical Statistics 21",
    ),
    card(
        "tables.jsd",
        "How many bits of information on its file does the cell of a record hold?",
        Range::UNIT,
        Null::Formula("df / (8 n ln 2)"),
        "Lin (1991), IEEE Transactions on Information Theory 37",
    ),
    card(
        "tables.specks",
        "What share of records would have to move to make the two tables equal?",
        Range::UNIT,
        Null::None,
        "Bowen, Liu & Su (2021), Statistics and Public Policy 8",
    ),
    card(
        "tables.wmabsdd",
        "How many standard errors do the cells differ, added up over cells?",
        Range::NOT_NEGATIVE,
        Null::Formula("about df"),
        RAAB,
    ),
    card(
        "tables.u",
        "In how many pairs of a synthetic and an original record does the synthetic one look more synthetic?",
        Range::NOT_NEGATIVE,
        Null::None,
        "Mann & Whitney (1947), Annals of Mathematical Statistics 18",
    ),
    card(
        "tables.g",
        "How unlikely are the synthetic counts under the original's shares, in cells that both fill?",
        Range::NOT_NEGATIVE,
        Null::Formula("about df_g"),
        "Read & Cressie (1988), Goodness-of-Fit Statistics for Discrete Multivariate Data",
    ),
    card(
        "tables.pmse",
        "How well can the cell of a record tell which file it is from?",
        Range { from: 0.0, to: Some(0.25) },
        Null::Formula("df c (1 − c)² / (N + n)"),
        "Woo, Reiter, Oganian & Karr (2009), Journal of Privacy and Confidentiality 1",
    ),
    MeasureCard {
        name: "tables.po50",
        question: "How many per cent over half of the records have their file guessed right from their cell?",
        better: Better::Lower,
        unit: "%",
        range: Range { from: -50.0, to: Some(50.0) },
        null: Null::None,
        citation: RAAB, kept: Kept::None
    },
    card(
        "tables.mabsdd",
        "By how much do the shares of cells differ, added up?",
        Range { from: 0.0, to: Some(2.0) },
        Null::None,
        RAAB,
    ),
    card(
        "tables.dbhatt",
        "How little do the two distributions overlap?",
        Range::UNIT,
        Null::Formula("about √(df / (8 n))"),
        "Bhattacharyya (1943), Bulletin of the Calcutta Mathematical Society 35",
    ),
    card(
        "tables.s_vw",
        "How many times farther are the counts than chance alone would put them (VW)?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        "Voas & Williamson (2001), Geographical and Environmental Modelling 5",
    ),
    card(
        "tables.s_ft",
        "How many times farther are the counts than chance alone would put them (Freeman–Tukey)?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        "Freeman & Tukey (1950), Annals of Mathematical Statistics 21",
    ),
    card(
        "tables.s_jsd",
        "How many times farther are the shares than chance alone would put them (Jensen–Shannon)?",
        Range::NOT_NEGATIVE,
        Null::Formula("(N + n) / (4 n ln² 2): 1.04 for equal sizes, as synthpop scales it"),
        RAAB,
    ),
    card(
        "tables.s_wmabsdd",
        "How many times farther are the cells than chance alone would put them (WMabsDD)?",
        Range::NOT_NEGATIVE,
        Null::Formula("about 1, and more in tables of few cells"),
        RAAB,
    ),
    card(
        "tables.s_g",
        "How many times farther are the counts than chance alone would put them (likelihood ratio)?",
        Range::NOT_NEGATIVE,
        Null::Formula("about 1"),
        "Read & Cressie (1988), Goodness-of-Fit Statistics for Discrete Multivariate Data",
    ),
    card(
        names::S_PMSE,
        "How many times farther are the counts than chance alone would put them?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        "Snoke, Raab, Nowok, Dibben & Slavkovic (2018), JRSS A 181; Raab, Nowok & Dibben (2021), arXiv:2109.12717",
    )
    .keeping(Kept::UpTo(2)),
    description("tables.df", "How many counts of the table are free to differ?", "cells"),
    description(
        "tables.df_g",
        "How many counts are free to differ among cells that both files fill?",
        "cells",
    ),
    description("tables.empty", "How many cells does neither file fill?", "cells"),
    card(
        names::MEAN_S_PMSE,
        "How far are tables of this many variables from the original's, on average?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        RAAB,
    )
    .keeping(Kept::All),
    card(
        names::WORST_S_PMSE,
        "How far is the worst table of this many variables?",
        Range::NOT_NEGATIVE,
        Null::None,
        RAAB,
    )
    .keeping(Kept::Extremes),
    card(
        names::VARIABLE_S_PMSE,
        "How far are the tables that hold this variable, on average?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        RAAB,
    )
    .keeping(Kept::All),
    card(
        names::FARTHER_MEAN_S_PMSE,
        "How far are tables of this many variables: in 5 classes a number, in 20, or of pairs those of one number in 20, whichever is farthest?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        "Lookalike, after Raab, Nowok & Dibben (2021): what a class hides is seen in finer ones",
    )
    .keeping(Kept::All),
    MeasureCard {
        name: names::SAMPLE_SHARE,
        question: "A random sample of how many per cent of the original's records has tables as close to the original's?",
        better: Better::Higher,
        unit: "%",
        range: Range::PERCENT,
        null: Null::Value(50.0),
        citation: "Lookalike, from Raab, Nowok & Dibben (2021): x = 1 / (1 + S N/n) of the farther mean S_pMSE",
        kept: Kept::All,
    },
    card(
        names::FINE_MEAN_S_PMSE,
        "How far are tables with numbers in 20 classes, or value by value, whatever classes the schema declares, on average?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        RAAB,
    )
    .keeping(Kept::All),
    card(
        names::FINE_WORST_S_PMSE,
        "How far is the worst table with numbers in 20 classes, or value by value, whatever classes the schema declares?",
        Range::NOT_NEGATIVE,
        Null::None,
        RAAB,
    )
    .keeping(Kept::Extremes),
    card(
        names::FINE_S_PMSE,
        "How far is the distribution of this number in 20 classes, or value by value, whatever classes the schema declares?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        RAAB,
    )
    .keeping(Kept::All),
];
