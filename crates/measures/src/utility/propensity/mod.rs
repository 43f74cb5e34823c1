//! Propensity: can a model tell a synthetic record from an original one?
//!
//! Both files are put one under the other, and a model predicts for each record how likely it is to be synthetic (Woo, Reiter,
//! Oganian & Karr 2009). A missing value of a factor is a level; of a number it is an indicator beside it, and so is a special
//! code. A model that finds nothing scores every record c = n/(N + n).
//!
//! Trees are grown many times, and of files with more than [`MOST_RECORDS`] records together they see a random sample: `detail.sampled_original` and
//! `detail.sampled_synthetic` say so. S_pMSE grows with the number of records, so that it is that of files of this size.
//!
//! Identifiers are not predictors. A factor with more than [`MOST_LEVELS`] levels is left out of the regression, which would spend
//! a parameter on each; `detail.left_out` names it.

mod cards;
mod logistic;
mod pooled;
mod scores;
mod tree;

pub(crate) use logistic::logistic_propensity_prepared;
pub use logistic::{LogisticPropensity, logistic_propensity};
pub use pooled::Pooled;
pub(crate) use pooled::append_numbers;
pub(crate) use scores::PropensityScores;
pub use scores::ScoreSummary;
pub(crate) use tree::tree_propensity_prepared;
pub use tree::{NullDraws, TreeNull, TreePropensity, tree_importance, tree_pmse, tree_propensity};

use cards::{CARDS, Cart, Logit};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evaluation::mean_of_sets;
use crate::{
    Aspect, Comparison, FamilyCard, Finding, Measure, MeasureError, Prepared, Setting, Settings,
    SyntheticSets, UsualAxis,
};

/// Factors with more levels are left out of the logistic regression.
pub const MOST_LEVELS: u32 = 100;

/// How propensity is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PropensityOptions {
    /// Orders of the logistic regression: 0 for main effects, 1 with products of two variables, 2 of three.
    pub orders: Vec<usize>,
    /// How the null distributions of the tree are drawn.
    pub draws: NullDraws,
}

impl Default for PropensityOptions {
    fn default() -> Self {
        Self {
            orders: vec![0],
            draws: NullDraws { permutations: 10, resamples: 20, seed: 1, until_known: true },
        }
    }
}

/// The family of propensity scores.
#[derive(Clone, Copy, Debug)]
pub struct Propensity;

const EMPTY: &str = "one of the files has no records";
const UNEQUAL: &str = "the files are not of one size, for which the scaling of this null distribution does not hold; see \
                       propensity.cart.s_pmse_resampled";

/// Measures of this family that other crates refer to.
pub mod names {
    /// `propensity.cart.s_pmse`.
    pub const CART_S_PMSE: &str = "propensity.cart.s_pmse";
    /// `propensity.cart.s_pmse_resampled`.
    pub const CART_S_PMSE_RESAMPLED: &str = "propensity.cart.s_pmse_resampled";
    /// `propensity.cart.z_resampled`.
    pub const CART_Z_RESAMPLED: &str = "propensity.cart.z_resampled";
    /// `propensity.cart.auc`.
    pub const CART_AUC: &str = "propensity.cart.auc";
    /// `propensity.logit.s_pmse`.
    pub const LOGIT_S_PMSE: &str = "propensity.logit.s_pmse";
    /// `propensity.logit.z`.
    pub const LOGIT_Z: &str = "propensity.logit.z";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "propensity",
    aspect: Aspect::Utility,
    honours: &[Setting::Orders, Setting::Permutations, Setting::Resamples, Setting::Seed],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::LOGIT_S_PMSE,
        label: names::LOGIT_S_PMSE,
        by_ways: false,
        rank: 3,
        usable: None,
    }),
    identified_by: &["order", "left_out"],
    measures: CARDS,
};

impl Measure for Propensity {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.shared(comparison, &Pooled::grouping())?;
        let pooled = Pooled::of(&shared, comparison, &[])?;
        let options = &settings.propensity;
        let mut findings = of_tree(&pooled, options, &settings.prepared);
        let large = pooled.large_factors(MOST_LEVELS);
        let variables: Vec<&str> =
            pooled.names.iter().map(String::as_str).filter(|name| !large.contains(name)).collect();
        for order in &options.orders {
            let found = of_logistic(comparison, &pooled, &variables, *order, &settings.prepared);
            let found = found.into_iter().map(|finding| {
                let finding = finding.with("order", *order);
                if large.is_empty() { finding } else { finding.with("left_out", large.as_slice()) }
            });
            findings.extend(found);
        }
        Ok(findings)
    }

    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let found = sets.comparisons().map(|comparison| self.evaluate(&comparison, settings));
        let found = found.collect::<Result<Vec<Vec<Finding>>, _>>()?;
        // The first finding of a set is the pMSE of the tree.
        let of_sets =
            found.iter().map(|findings| findings.first().and_then(|finding| finding.value)).collect();
        let mut findings = mean_of_sets(found);
        if sets.synthetic.len() > 1 {
            findings.extend(of_pairs(sets, of_sets, settings)?);
        }
        Ok(findings)
    }
}

fn of_logistic(
    comparison: &Comparison<'_>,
    pooled: &Pooled,
    variables: &[&str],
    order: usize,
    prepared: &Prepared,
) -> Vec<Finding> {
    if variables.is_empty() {
        let because = "every variable has too many levels for a regression";
        return Logit::ALL.map(|which| which.undefined(because)).to_vec();
    }
    let found = match logistic_propensity_prepared(comparison, pooled, variables, order, prepared) {
        Ok(Some(found)) => found,
        Ok(None) => return Logit::ALL.map(|which| which.undefined(EMPTY)).to_vec(),
        Err(error) => return Logit::ALL.map(|which| which.undefined(&error)).to_vec(),
    };
    let none = "no variable varies, which leaves no degree of freedom";
    let optional = |which: Logit, value: Option<f64>| {
        value.map_or_else(|| which.undefined(none), |value| which.finding(value, None))
    };
    let summary = found.summary;
    let s_pmse = match found.s_pmse {
        Some(value) => Logit::SPmse.finding(value, Some(1.0)),
        None => Logit::SPmse.undefined(none),
    };
    let s_pmse = match found.warning {
        Some(warning) => s_pmse.with("warning", warning),
        None => s_pmse,
    };
    vec![
        Logit::Pmse.finding(summary.pmse, Some(found.null)),
        s_pmse,
        optional(Logit::Z, found.z),
        Logit::Df.finding(found.df as f64, None).with("coefficients", found.coefficients),
        Logit::Specks.finding(summary.specks, None),
        Logit::Po50.finding(summary.po50, None),
        Logit::U.finding(summary.u, None),
        Logit::Auc.finding(summary.auc, None),
    ]
}

/// The tree and its null distributions look at so many records of both files; of more, at a random sample, as many of each file as its share.
pub const MOST_RECORDS: usize = 100_000;

fn of_tree(pooled: &Pooled, options: &PropensityOptions, prepared: &Prepared) -> Vec<Finding> {
    let sample = pooled.at_most(MOST_RECORDS, options.draws.seed);
    let findings = of_whole_tree(sample.as_ref().unwrap_or(pooled), options, prepared);
    match &sample {
        None => findings,
        Some(sample) => {
            let (original, synthetic) = sample.records();
            findings
                .into_iter()
                .map(|finding| {
                    finding.with("sampled_original", original).with("sampled_synthetic", synthetic)
                })
                .collect()
        }
    }
}

fn of_whole_tree(pooled: &Pooled, options: &PropensityOptions, prepared: &Prepared) -> Vec<Finding> {
    let found = match tree_propensity_prepared(pooled, options.draws, prepared) {
        Ok(Some(found)) => found,
        Ok(None) => return Cart::ALL.map(|which| which.undefined(EMPTY)).to_vec(),
        Err(error) => return Cart::ALL.map(|which| which.undefined(&error)).to_vec(),
    };
    let pmse = found.summary.pmse;
    let resampled = TreeNull::of_resamples(&found.resampled);
    let mut findings =
        vec![Cart::Pmse.finding(pmse, resampled.map(|null| null.mean)).with("leaves", found.leaves)];
    let cards = [Cart::SPmseResampled, Cart::ZResampled];
    findings.extend(standardised(resampled, pmse, cards, "resamples", found.resampled.len()));
    findings.extend(match found.of_one_size() {
        true => {
            let null = TreeNull::of_permutations(&found.permuted, found.share);
            standardised(null, pmse, [Cart::SPmse, Cart::Z], "permutations", found.permuted.len())
        }
        false => [Cart::SPmse, Cart::Z].map(|which| which.undefined(UNEQUAL)),
    });
    let summary = found.summary;
    findings.extend([
        Cart::Specks.finding(summary.specks, None),
        Cart::Po50.finding(summary.po50, None),
        Cart::U.finding(summary.u, None),
        Cart::Auc.finding(summary.auc, None),
    ]);
    findings
}

/// pMSE beside its null distribution, as a ratio and in standard deviations.
fn standardised(null: Option<TreeNull>, pmse: f64, cards: [Cart; 2], by: &str, draws: usize) -> [Finding; 2] {
    let [ratio, z] = cards;
    let none = "the tree finds nothing by chance, so that there is nothing to compare with";
    let ratio = match null.and_then(|null| null.standardised(pmse)) {
        Some(value) => ratio.finding(value, None),
        None => ratio.undefined(if draws == 0 { "no null distribution was asked for" } else { none }),
    };
    let z = match null.and_then(|null| null.z(pmse)) {
        Some(value) => z.finding(value, None),
        None => z.undefined("the null distribution has no spread"),
    };
    // How far the mean of so few draws may be off, as a share of it.
    let error = null.and_then(|null| null.relative_error(draws));
    let ratio = match error {
        Some(error) => ratio.with("null_error", error),
        None => ratio,
    };
    [ratio.with(by, draws), z.with(by, draws)]
}

/// The mean pMSE of the sets beside that between pairs of them; at most as many pairs as there would be permutations, at least one.
fn of_pairs(
    sets: &SyntheticSets<'_>,
    of_sets: Option<Vec<f64>>,
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let pmse = |original, synthetic| -> Result<Option<f64>, MeasureError> {
        let pooled = Pooled::new(&Comparison { original, synthetic, holdout: None }, &[])?;
        let sample = pooled.at_most(MOST_RECORDS, settings.propensity.draws.seed);
        Ok(tree_pmse(sample.as_ref().unwrap_or(&pooled))?)
    };
    let mut pairs = Vec::new();
    for one in 0..sets.synthetic.len() {
        pairs.extend((one + 1..sets.synthetic.len()).map(|other| (one, other)));
    }
    pairs.truncate(settings.propensity.draws.permutations.max(1));
    let of_pairs = pairs.par_iter().map(|(one, other)| pmse(sets.synthetic[*one], sets.synthetic[*other]));
    let of_pairs: Option<Vec<f64>> =
        of_pairs.collect::<Result<Vec<_>, MeasureError>>()?.into_iter().collect();
    let cards = [Cart::SPmsePairs, Cart::ZPairs];
    let (Some(of_sets), Some(of_pairs)) = (of_sets, of_pairs) else {
        return Ok(cards.map(|which| which.undefined(EMPTY)).to_vec());
    };
    let count = of_sets.len() as f64;
    let mean = of_sets.iter().sum::<f64>() / count;
    let original = sets.original.rows() as f64;
    let share = |set: &&table::Table| set.rows() as f64 / (original + set.rows() as f64);
    let share = sets.synthetic.iter().map(share).sum::<f64>() / count;
    if !tree::is_even(share) {
        return Ok(cards.map(|which| which.undefined(UNEQUAL)).to_vec());
    }
    Ok(standardised(TreeNull::of_pairs(&of_pairs, share), mean, cards, "pairs", of_pairs.len()).to_vec())
}
