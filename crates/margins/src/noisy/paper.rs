//! `paper`: noisy margins fitted as in Raab (2022), section 2.2.
//!
//! Negative counts are set to nearly nothing, every margin is rescaled to n, and iterative proportional fitting
//! goes round the margins in the order given, at most 5,000 times. Noisy margins contradict each other, so it may
//! settle without meeting them, or not settle at all; the model's [`Convergence`](crate::Convergence) says.
//! An exact zero is avoided because the zeros of several margins can leave no cell for a record that another
//! wants: then the paper's rule has no fit.
//!
//! Privacy: the table is seen through [`ProtectedTable`] alone, the prices add up to the budget, and the rest is
//! post-processing.

use crate::attributes::cells;
use crate::junction_tree::JunctionTree;
use crate::noisy::margin_budget::MarginBudget;
use crate::noisy::measurement::{MeasurementError, ProtectedTable};
use crate::{Disagreement, Error, FittedModel, Options, Order, TargetMargin, fit};

/// What takes the place of counts that are not positive; the next is tried where a fit breaks down on the one
/// before, which needs a cell to fall below what a double can hold.
const NEARLY_NOTHING: [f64; 4] = [1e-6, 1e-3, 0.1, 1.0];
/// Rounds over the margins.
const MOST_SWEEPS: usize = 5_000;

/// Refuses margins whose model would be too large to be fitted: before anything is measured.
pub fn check(budget: &MarginBudget) -> Result<(), Error> {
    let options = Options::default();
    let all: Vec<usize> = (0..budget.sizes().len()).collect();
    if cells(budget.sizes(), &all) <= options.dense_limit as u128 {
        return Ok(());
    }
    let tree = JunctionTree::new(budget.sizes(), budget.attributes());
    if tree.cells() > options.tree_limit as u128 {
        return Err(Error::TreeTooLarge { cells: tree.cells(), limit: options.tree_limit });
    }
    Ok(())
}

/// Measures the margins and fits them.
pub fn run<T: ProtectedTable>(
    budget: &MarginBudget,
    table: &mut T,
) -> Result<FittedModel, MeasurementError<T::Error>> {
    let margins = budget.measure(table)?;
    let total = budget.records() as f64;
    let mut options = Options {
        settled: 1e-10,
        max_sweeps: MOST_SWEEPS,
        disagreement: Disagreement::Rescale { total },
        order: Order::AsGiven,
        ..Options::default()
    };
    let full = budget.sizes().iter().try_fold(1_usize, |cells, &classes| cells.checked_mul(classes));
    if full.is_none_or(|cells| cells > options.dense_limit) {
        options.order = Order::Free;
    }
    let mut outcome = Err(Error::NoTargets);
    for least in NEARLY_NOTHING {
        let targets: Vec<TargetMargin> = margins
            .iter()
            .map(|margin| {
                let counts: Vec<f64> = margin.counts.iter().map(|&count| (count as f64).max(least)).collect();
                TargetMargin::new(margin.attributes.clone(), counts)
            })
            .collect();
        outcome = fit(budget.sizes(), &targets, &[], &options);
        if !matches!(outcome, Err(Error::ConflictingZeros { .. })) {
            break;
        }
    }
    Ok(outcome?)
}
