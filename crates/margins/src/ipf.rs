//! Iterative proportional fitting: choosing between the full table and a junction tree, and sweeping until the margins
//! meet their targets.

pub(crate) mod options;
mod published_totals;
pub(crate) mod raking;
pub(crate) mod refusal;
pub(crate) mod target;

use std::ops::ControlFlow;

use crate::attributes::{cells, cells_exactly};
use crate::error::Error;
use crate::ipf::options::{Options, Order};
use crate::ipf::raking::{Potential, Raking, Starved, Sweep};
use crate::ipf::refusal::Refusal;
use crate::ipf::target::{Impossible, Problem, TargetMargin};
use crate::junction_tree::JunctionTree;
use crate::model::convergence::{Convergence, Stopped};
use crate::model::{FittedModel, Form};

/// Below this size the full table is taken even if a junction tree is smaller: nobody notices the difference.
const SMALL_TABLE: u128 = 4096;
/// Above it, the full table is taken if it has at most this many times the cells of the junction tree.
const WORTH_A_TREE: u128 = 4;

/// Fits the log-linear model that has one term for each target margin.
///
/// `sizes` holds the number of classes of each variable. Among all tables with the target margins and without
/// records in `impossible` cells, the fit is the one of maximum entropy; with margins counted from records it
/// is the maximum likelihood estimate (Bishop, Fienberg & Holland 1975, ch. 3).
///
/// ```
/// use margins::{Options, TargetMargin, fit};
///
/// // Independence: two one-way margins of 100 records give their outer product.
/// let sex = TargetMargin::new([0], [40.0, 60.0]);
/// let age = TargetMargin::new([1], [20.0, 30.0, 50.0]);
/// let model = fit(&[2, 3], &[sex, age], &[], &Options::default())?;
/// assert!(model.convergence().converged());
/// assert!((model.expected(&[1, 2])? - 30.0).abs() < 1e-9);
/// # Ok::<(), margins::Error>(())
/// ```
pub fn fit(
    sizes: &[usize],
    targets: &[TargetMargin],
    impossible: &[Impossible],
    options: &Options,
) -> Result<FittedModel, Error> {
    fit_watched(sizes, targets, impossible, options, |_| ControlFlow::Continue(()))
}

/// Where a running fit stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Sweeps done.
    pub sweeps: usize,
    /// Sweeps after which it gives up.
    pub max_sweeps: usize,
    /// The largest |sum − target| that the last sweep met, in counts, each margin just before it was raked.
    pub deviation: f64,
    /// The deviation asked for, in counts.
    pub wanted: f64,
}

/// [`fit`], with `watch` called after every sweep; [`ControlFlow::Break`] ends the fit with
/// [`Error::Interrupted`].
pub fn fit_watched(
    sizes: &[usize],
    targets: &[TargetMargin],
    impossible: &[Impossible],
    options: &Options,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<FittedModel, Error> {
    let problem = Problem::new(sizes, targets, impossible, options)?;
    let (form, tree) = choose(&problem, options)?;
    let start: Vec<Potential<'_>> = impossible.iter().map(Potential::Possible).collect();
    let mut raking = Raking::new(&problem, &tree, &start, options.order).ok_or(Error::NothingPossible)?;
    if !impossible.is_empty() {
        let unreachable = |starved| Error::Unreachable { attributes: attributes_of(&problem, starved) };
        raking.sweep(Sweep::Measure).map_err(unreachable)?;
    }
    let convergence = converge(&problem, &tree, &mut raking, options, watch)?;
    Ok(FittedModel::new(sizes, form, raking.into_cliques(), convergence))
}

/// The attributes of a target that found no cell.
pub(crate) fn attributes_of(problem: &Problem<'_>, starved: Starved) -> Vec<usize> {
    problem.targets[starved.target].attributes.clone()
}

/// The full table as a tree of one clique, or the junction tree of the margins, or a refusal.
fn choose(problem: &Problem<'_>, options: &Options) -> Result<(Form, JunctionTree), Error> {
    let sizes = problem.sizes;
    let all: Vec<usize> = (0..sizes.len()).collect();
    let full = cells(sizes, &all);
    let full_fits = full <= options.dense_limit as u128;
    let dense = || Ok((Form::Dense, JunctionTree::full_table(sizes)));
    if options.form == Form::Dense || (options.form == Form::Automatic && full <= SMALL_TABLE && full_fits) {
        let too_large =
            || Error::DenseTooLarge { cells: cells_exactly(sizes, &all), limit: options.dense_limit };
        return if full_fits { dense() } else { Err(too_large()) };
    }
    let in_order = options.order == Order::AsGiven;
    if in_order {
        return if options.form == Form::Automatic && full_fits {
            dense()
        } else {
            Err(Error::OrderNeedsDense)
        };
    }
    let margins = problem.targets.iter().map(|target| target.attributes.as_slice());
    let rules = problem.impossible.iter().map(|rule| rule.attributes.as_slice());
    let tree = JunctionTree::new(sizes, margins.chain(rules));
    let tree_fits = tree.cells() <= options.tree_limit as u128;
    let dense_is_better = full_fits && (!tree_fits || full <= tree.cells().saturating_mul(WORTH_A_TREE));
    if options.form == Form::Automatic && dense_is_better {
        dense()
    } else if tree_fits {
        Ok((Form::Tree, tree))
    } else {
        Err(Error::TooLarge(Box::new(Refusal::new(problem, &tree, options.dense_limit, options.tree_limit))))
    }
}

/// Sweeps until the margins meet their targets, or the table settles, or the sweeps run out.
///
/// Within a sweep each margin is seen at another table, so what it shows only says when to look properly: a
/// measuring sweep sees all margins at one table, and that alone decides.
pub(crate) fn converge(
    problem: &Problem<'_>,
    tree: &JunctionTree,
    raking: &mut Raking,
    options: &Options,
    mut watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Convergence, Error> {
    let wanted = options.tolerance * problem.total;
    let still = options.settled * problem.total;
    let exact_at_once = closed_form(problem, tree);
    let mut look_at = wanted;
    for sweeps in 1.. {
        let conflict = |starved| Error::ConflictingZeros { attributes: attributes_of(problem, starved) };
        let seen = raking.sweep(Sweep::Rake).map_err(conflict)?;
        let progress = Progress { sweeps, max_sweeps: options.max_sweeps, deviation: seen.deviation, wanted };
        if watch(&progress).is_break() {
            return Err(Error::Interrupted);
        }
        let last = sweeps >= options.max_sweeps;
        let settled = sweeps > 1 && seen.movement <= still;
        if last || settled || seen.deviation <= look_at || (sweeps == 1 && exact_at_once) {
            let deviation = raking.sweep(Sweep::Measure).map_err(conflict)?.deviation;
            let stopped = match () {
                () if deviation <= wanted => Stopped::Converged,
                () if last => Stopped::SweepLimit,
                () if settled => Stopped::Settled,
                () => {
                    look_at = look_at.min(seen.deviation / 2.0);
                    continue;
                }
            };
            return Ok(Convergence { sweeps, deviation, wanted, stopped });
        }
    }
    Err(Error::Interrupted)
}

/// Whether each clique is itself a target: then the model is decomposable and one sweep gives
/// Π target(clique) ÷ Π target(separator).
fn closed_form(problem: &Problem<'_>, tree: &JunctionTree) -> bool {
    tree.cliques().iter().all(|clique| problem.targets.iter().any(|target| target.attributes == *clique))
}
