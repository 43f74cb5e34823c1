//! What each number of the propensity scores means.

use super::names;
use crate::{Better, Finding, Kept, MeasureCard, Null, Range};

const SNOKE: &str = "Snoke, Raab, Nowok, Dibben & Slavkovic (2018), JRSS A 181";
const WOO: &str = "Woo, Reiter, Oganian & Karr (2009), Journal of Privacy and Confidentiality 1";
const BOWEN: &str = "Bowen, Liu & Su (2021), Statistics and Public Policy 8";
const RAAB: &str = "Raab, Nowok & Dibben (2021), arXiv:2109.12717";
const MANN: &str = "Mann & Whitney (1947), Annals of Mathematical Statistics 18";
const HANLEY: &str = "Hanley & McNeil (1982), Radiology 143";

const ANY: Range = Range { from: f64::MIN, to: None };

const fn card(
    name: &'static str,
    question: &'static str,
    range: Range,
    null: Null,
    citation: &'static str,
) -> MeasureCard {
    MeasureCard { name, question, better: Better::Lower, unit: "", range, null, citation, kept: Kept::All }
}

const fn po50(name: &'static str, question: &'static str) -> MeasureCard {
    let range = Range { from: -50.0, to: Some(50.0) };
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "%",
        range,
        null: Null::None,
        citation: RAAB,
        kept: Kept::All,
    }
}

/// First those of [`Cart`], then those of [`Logit`].
pub(super) const CARDS: &[MeasureCard] = &[
    card(
        "propensity.cart.pmse",
        "How well can a tree tell which file a record is from?",
        Range::UNIT,
        Null::Formula("the mean over resamples of the original"),
        WOO,
    ),
    card(
        names::CART_S_PMSE_RESAMPLED,
        "How many times better does a tree tell the files apart than the original from a resample of itself?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        SNOKE,
    ),
    card(
        names::CART_Z_RESAMPLED,
        "By how many standard deviations does a tree tell the files apart better than the original from a resample?",
        ANY,
        Null::Value(0.0),
        SNOKE,
    ),
    card(
        names::CART_S_PMSE,
        "How many times better does a tree tell the files apart than with labels dealt by chance, halved?",
        Range::NOT_NEGATIVE,
        Null::Formula("somewhat below 1"),
        SNOKE,
    ),
    card(
        "propensity.cart.z",
        "By how many standard deviations does a tree tell the files apart better than with labels dealt by chance?",
        ANY,
        Null::Formula("somewhat below 0"),
        SNOKE,
    ),
    card(
        "propensity.cart.specks",
        "How far are the distributions of the tree's scores in both files apart?",
        Range::UNIT,
        Null::None,
        BOWEN,
    ),
    po50(
        "propensity.cart.po50",
        "How many per cent over half of the records does a tree put into the right file?",
    ),
    card(
        "propensity.cart.u",
        "In how many pairs of a synthetic and an original record does the tree score the synthetic one higher?",
        Range::NOT_NEGATIVE,
        Null::None,
        MANN,
    ),
    card(
        names::CART_AUC,
        "How likely does a tree score a synthetic record above an original one?",
        Range::UNIT,
        Null::None,
        HANLEY,
    ),
    card(
        "propensity.cart.s_pmse_pairs",
        "How many times better does a tree tell a synthetic file from the original than from another synthetic one?",
        Range::NOT_NEGATIVE,
        Null::Formula("somewhat below 1"),
        SNOKE,
    ),
    card(
        "propensity.cart.z_pairs",
        "By how many standard deviations is a synthetic file farther from the original than from another?",
        ANY,
        Null::Formula("somewhat below 0"),
        SNOKE,
    ),
    card(
        "propensity.logit.pmse",
        "How well can a logistic regression tell which file a record is from?",
        Range::UNIT,
        Null::Formula("df (1 − c)² c / (N + n)"),
        WOO,
    ),
    card(
        names::LOGIT_S_PMSE,
        "How many times better does a logistic regression tell the files apart than by chance?",
        Range::NOT_NEGATIVE,
        Null::Value(1.0),
        SNOKE,
    ),
    card(
        names::LOGIT_Z,
        "By how many standard deviations does a logistic regression tell the files apart better than by chance?",
        ANY,
        Null::Value(0.0),
        SNOKE,
    ),
    MeasureCard {
        name: "propensity.logit.df",
        question: "How many coefficients could tell the files apart?",
        better: Better::Neither,
        unit: "coefficients",
        range: Range::NOT_NEGATIVE,
        null: Null::None,
        citation: SNOKE,
        kept: Kept::All,
    },
    card(
        "propensity.logit.specks",
        "How far are the distributions of the regression's scores in both files apart?",
        Range::UNIT,
        Null::None,
        BOWEN,
    ),
    po50(
        "propensity.logit.po50",
        "How many per cent over half of the records does a logistic regression put into the right file?",
    ),
    card(
        "propensity.logit.u",
        "In how many pairs of a synthetic and an original record does the regression score the synthetic one higher?",
        Range::NOT_NEGATIVE,
        Null::None,
        MANN,
    ),
    card(
        "propensity.logit.auc",
        "How likely does a logistic regression score a synthetic record above an original one?",
        Range::UNIT,
        Null::None,
        HANLEY,
    ),
];

/// A number of the tree; the order of the cards.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cart {
    Pmse,
    SPmseResampled,
    ZResampled,
    SPmse,
    Z,
    Specks,
    Po50,
    U,
    Auc,
    SPmsePairs,
    ZPairs,
}

impl Cart {
    /// Those of one synthetic file.
    pub const ALL: [Self; 9] = [
        Self::Pmse,
        Self::SPmseResampled,
        Self::ZResampled,
        Self::SPmse,
        Self::Z,
        Self::Specks,
        Self::Po50,
        Self::U,
        Self::Auc,
    ];

    pub fn finding(self, value: f64, null: Option<f64>) -> Finding {
        finding(&CARDS[self as usize], value, null)
    }

    pub fn undefined(self, because: impl ToString) -> Finding {
        undefined(&CARDS[self as usize], because)
    }
}

/// A number of the regression; the order of the cards after those of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Logit {
    Pmse,
    SPmse,
    Z,
    Df,
    Specks,
    Po50,
    U,
    Auc,
}

impl Logit {
    pub const ALL: [Self; 8] =
        [Self::Pmse, Self::SPmse, Self::Z, Self::Df, Self::Specks, Self::Po50, Self::U, Self::Auc];

    pub fn finding(self, value: f64, null: Option<f64>) -> Finding {
        finding(&CARDS[Cart::ZPairs as usize + 1 + self as usize], value, null)
    }

    pub fn undefined(self, because: impl ToString) -> Finding {
        undefined(&CARDS[Cart::ZPairs as usize + 1 + self as usize], because)
    }
}

fn finding(card: &MeasureCard, value: f64, null: Option<f64>) -> Finding {
    let mut finding = card.finding(NO_VARIABLES, value);
    finding.null = null.or(finding.null);
    finding
}

fn undefined(card: &MeasureCard, because: impl ToString) -> Finding {
    card.undefined(NO_VARIABLES, because)
}

const NO_VARIABLES: &[&str] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cards_are_in_the_order_of_the_numbers() {
        let name = |finding: Finding| finding.measure;
        assert_eq!(name(Cart::Auc.undefined("")), names::CART_AUC);
        assert_eq!(name(Cart::ZPairs.undefined("")), "propensity.cart.z_pairs");
        let logit = Logit::ALL.map(|which| format!("{which:?}").replace("SPmse", "s_pmse").to_lowercase());
        for (which, short) in Logit::ALL.into_iter().zip(logit) {
            assert_eq!(name(which.undefined("")), format!("propensity.logit.{short}"));
        }
        let cart = Cart::ALL.map(|which| {
            let name = format!("{which:?}").replace("Resampled", "_resampled");
            name.replace("SPmse", "s_pmse").to_lowercase()
        });
        for (which, short) in Cart::ALL.into_iter().zip(cart) {
            assert_eq!(name(which.undefined("")), format!("propensity.cart.{short}"));
        }
    }
}
