//! Propensity: `utility.gen` by logistic regression and by rpart.

use measures::utility::propensity::{
    NullDraws, Pooled, ScoreSummary, TreeNull, logistic_propensity, tree_propensity,
};
use shared_data::GoldenPair;

use crate::golden::comparison;
use crate::ledger::Ledger;

/// A regression of a block: its name, its variables (none for all), its order, and how many columns synthpop has beside ours: products of a
/// number with its own indicator of missing, which are zero throughout and are never estimated.
type Block<'a> = (&'a str, &'a [&'a str], usize, usize);

const FIRST: [&str; 4] = ["sex", "age", "placesize", "edu"];
const SIX: [&str; 6] = ["sex", "age", "marital", "smoke", "height", "weight"];

/// Compares all numbers of propensity.
pub fn compare(ledger: &mut Ledger<'_>, golden: &GoldenPair, name: &str) {
    let blocks: &[Block<'_>] = if name == "s7_catall" {
        &[
            ("logit_maxorder0", &[], 0, 0),
            ("logit_maxorder1", &[], 1, 0),
            ("logit_maxorder1_first3", &FIRST[..3], 1, 0),
            ("logit_maxorder2_first3", &FIRST, 2, 0),
        ]
    } else {
        &[("logit_maxorder0_all", &[], 0, 0), ("logit_maxorder1_6vars", &SIX, 1, 2)]
    };
    for block in blocks {
        compare_logistic(ledger, golden, block);
    }
    let pooled = Pooled::new(&comparison(golden), &[]).unwrap();
    let found =
        tree_propensity(&pooled, NullDraws { permutations: 50, resamples: 0, seed: 1, until_known: false })
            .unwrap()
            .unwrap();
    for path in [&["utility.gen", "cart_rpart_noresample"][..], &["utility.gen_cart_perm_NOT_deterministic"]]
    {
        if ledger.at(path).is_object() {
            compare_scores(ledger, path, &found.summary);
            ledger.compare(&[path, &["n_leaves"]].concat(), found.leaves as f64);
        }
    }
    let null = TreeNull::of_permutations(&found.permuted, found.share).unwrap();
    println!("{name}: S_pMSE of the tree with 50 permutations {:.3}", found.summary.pmse / null.mean);
}

fn compare_logistic(
    ledger: &mut Ledger<'_>,
    golden: &GoldenPair,
    (block, variables, order, zero): &Block<'_>,
) {
    let path = ["utility.gen", block];
    let found = logistic_propensity(&comparison(golden), variables, *order).unwrap().unwrap();
    compare_scores(ledger, &path, &found.summary);
    let number = |name| [&path[..], &[name]].concat();
    ledger.compare_to(&number("S_pMSE"), found.s_pmse.unwrap(), 1e-6);
    ledger.compare(&number("df"), found.df as f64);
    ledger.compare(&number("n_coef_estimated"), found.df as f64 + 1.0);
    ledger.compare(&number("n_coef_total"), (found.coefficients + zero) as f64);
    assert_eq!(found.converged, ledger.at(&path)["converged"].as_bool().unwrap(), "{block}");
}

fn compare_scores(ledger: &mut Ledger<'_>, path: &[&str], found: &ScoreSummary) {
    for (name, value) in
        [("pMSE", found.pmse), ("SPECKS", found.specks), ("PO50", found.po50), ("U", found.u)]
    {
        ledger.compare_to(&[path, &[name]].concat(), value, 1e-6);
    }
}
