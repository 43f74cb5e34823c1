//! Penalised fits: a log-linear model drawn towards margins that are known with error.
//!
//! Raking meets its targets exactly, which is wrong for targets that are partly noise and contradict each other.
//! A penalised fit has a parameter θ_a(x_a) for every cell of every term `a`, and minimises
//!
//! n log Σₓ exp(Σ_a θ_a(x_a)) − Σ θ·t + ½ Σ r θ²
//!
//! with targets t and penalties r > 0. At the minimum every cell of a term has n·p − t + r·θ = 0: with r near 0
//! the target is met, with r large the term has no effect. It is the most plausible model under a normal prior
//! of variance 1 ÷ r on every parameter; equally it is the distribution p that minimises
//! n Σ p log p + Σ (n·p_a − t)² ÷ (2r), the most even one that is close to the targets in squared error, with
//! r in proportion to their variances (the dual; Dudík, Phillips & Schapire 2007, "Maximum entropy density
//! estimation with generalized regularization").
//! The function is strictly convex, so there is one minimum, whatever the targets: they may be negative and
//! may contradict each other.

mod gauge;
mod inference;
mod lbfgs;

use crate::attributes::{cells, cells_exactly, check_shape};
use crate::error::Error;
use crate::junction_tree::JunctionTree;
use crate::model::convergence::{Convergence, Stopped};
use crate::model::{FittedModel, Form};
use gauge::Gauge;
use inference::Inference;
use lbfgs::minimise;

/// In the scaling of the parameters, a target counts as at least this many records.
const LEAST_COUNT: f64 = 0.3;

/// A term of the model with its target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    /// The attributes, ascending.
    pub(crate) attributes: Vec<usize>,
    /// The wanted counts t of the margin's cells, row-major: any finite numbers.
    pub(crate) target: Vec<f64>,
    /// The penalties r of the parameters, above 0: the larger, the less the target is trusted.
    pub(crate) penalty: Vec<f64>,
    /// The parameters θ to start from: zeros, or those of an earlier fit.
    pub(crate) start: Vec<f64>,
}

impl Term {
    /// A term whose parameters start at zero.
    pub(crate) fn new(attributes: impl Into<Vec<usize>>, target: Vec<f64>, penalty: Vec<f64>) -> Self {
        let start = vec![0.0; target.len()];
        Self { attributes: attributes.into(), target, penalty, start }
    }
}

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PenalisedOptions {
    /// Converged means: no |n·p − t + r·θ| is above `tolerance` × n.
    pub(crate) tolerance: f64,
    /// Give up, unconverged, after this many steps.
    pub(crate) max_iterations: usize,
    /// Whether to hold the full table or a junction tree.
    pub(crate) form: Form,
    /// The full table is never built above this many cells, 8 bytes each.
    pub(crate) dense_limit: usize,
    /// A junction tree is never built whose cliques have more cells than this together.
    pub(crate) tree_limit: usize,
}

impl Default for PenalisedOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            max_iterations: 3_000,
            form: Form::Automatic,
            dense_limit: 1 << 24,
            tree_limit: 1 << 24,
        }
    }
}

/// A penalised fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PenalisedFit {
    /// The model. Its [`Convergence`] counts steps as sweeps, and its deviation is the largest
    /// |n·p − t + r·θ|.
    pub(crate) model: FittedModel,
    /// The parameters of each term, as starts of a later fit.
    pub(crate) parameters: Vec<Vec<f64>>,
}

/// Fits the log-linear model of `total` records with these terms; see the [module](self).
pub(crate) fn fit(
    sizes: &[usize],
    total: f64,
    terms: &[Term],
    options: &PenalisedOptions,
) -> Result<PenalisedFit, Error> {
    check(sizes, total, terms, options)?;
    let sets: Vec<&[usize]> = terms.iter().map(|term| term.attributes.as_slice()).collect();
    let (form, tree) = choose(sizes, &sets, options)?;
    let singles: Vec<usize> = (0..sizes.len()).collect();
    let with_singles: Vec<&[usize]> = sets.iter().copied().chain(singles.chunks(1)).collect();
    let mut inference = Inference::new(sizes, &tree, &with_singles);
    let gauge = Gauge::new(sizes, terms);
    let joined =
        |part: fn(&Term) -> &Vec<f64>| -> Vec<f64> { terms.iter().flat_map(part).copied().collect() };
    let target = joined(|term| &term.target);
    let penalty = joined(|term| &term.penalty);
    let own = target.len();
    let mut scale = vec![1.0; gauge.coordinates()];
    for (scale, (&t, &r)) in scale.iter_mut().zip(target.iter().zip(&penalty)) {
        *scale = (r + t.max(LEAST_COUNT)).sqrt().recip();
    }
    gauge.fill_scales(&penalty, &mut scale);
    let mut start = vec![0.0; gauge.coordinates()];
    for ((start, from), scale) in start.iter_mut().zip(joined(|term| &term.start)).zip(&scale) {
        *start = from / scale;
    }

    let mut coordinates = vec![0.0; gauge.coordinates()];
    let mut parameters = vec![0.0; own];
    let mut centred = vec![0.0; gauge.for_inference()];
    let mut margins = vec![0.0; gauge.for_inference()];
    let mut evaluate = |scaled: &[f64], gradient: &mut [f64]| {
        for ((coordinate, &scaled), &scale) in coordinates.iter_mut().zip(scaled).zip(&scale) {
            *coordinate = scaled * scale;
        }
        gauge.parameters(&coordinates, &mut parameters);
        gauge.centre(&parameters, &mut centred);
        let Some(log_total) = inference.infer(&centred, &mut margins) else { return f64::INFINITY };
        let mut value = total * log_total;
        for cell in 0..own {
            let parameter = parameters[cell];
            value += parameter * (0.5 * penalty[cell] * parameter - target[cell]);
            gradient[cell] = total * margins[cell] - target[cell] + penalty[cell] * parameter;
        }
        gauge.fill_slopes(gradient);
        gradient.iter_mut().zip(&scale).for_each(|(slope, scale)| *slope *= scale);
        value
    };
    let wanted = options.tolerance * total;
    let deviation = |gradient: &[f64]| {
        gradient[..own].iter().zip(&scale).map(|(slope, scale)| (slope / scale).abs()).fold(0.0, f64::max)
    };
    let minimum =
        minimise(start, options.max_iterations, &mut evaluate, |gradient| deviation(gradient) <= wanted);
    let mut gradient = vec![0.0; gauge.coordinates()];
    evaluate(&minimum.at, &mut gradient);
    let deviation = deviation(&gradient);
    let stopped = match minimum.stuck {
        _ if deviation <= wanted => Stopped::Converged,
        true => Stopped::Settled,
        false => Stopped::SweepLimit,
    };
    let convergence = Convergence { sweeps: minimum.iterations, deviation, wanted, stopped };
    let mut rest = parameters.as_slice();
    let parameters = terms
        .iter()
        .map(|term| {
            let (own, later) = rest.split_at(term.target.len());
            rest = later;
            own.to_vec()
        })
        .collect();
    let model = FittedModel::new(sizes, form, inference.into_cliques(total), convergence);
    Ok(PenalisedFit { model, parameters })
}

fn check(sizes: &[usize], total: f64, terms: &[Term], options: &PenalisedOptions) -> Result<(), Error> {
    if let Some(variable) = sizes.iter().position(|&classes| classes == 0) {
        return Err(Error::NoClasses { variable });
    }
    if !(total.is_finite() && total > 0.0) {
        return Err(Error::Option { name: "total", must: "be a finite number above 0" });
    }
    if !(options.tolerance.is_finite() && options.tolerance > 0.0) {
        return Err(Error::Option { name: "tolerance", must: "be a finite number above 0" });
    }
    for term in terms {
        let attributes = &term.attributes;
        let shape = |found: usize| check_shape(sizes, "a term", attributes, found);
        shape(term.target.len())?;
        shape(term.penalty.len())?;
        shape(term.start.len())?;
        let finite = term.target.iter().chain(&term.start).all(|number| number.is_finite());
        if !finite || !term.penalty.iter().all(|penalty| penalty.is_finite() && *penalty > 0.0) {
            return Err(Error::Term { attributes: attributes.clone() });
        }
    }
    Ok(())
}

/// The cheaper of the full table and the junction tree of the terms, among those that are allowed.
pub(crate) fn choose(
    sizes: &[usize],
    sets: &[&[usize]],
    options: &PenalisedOptions,
) -> Result<(Form, JunctionTree), Error> {
    let all: Vec<usize> = (0..sizes.len()).collect();
    let full = cells(sizes, &all);
    let full_fits = full <= options.dense_limit as u128 && options.form != Form::Tree;
    let tree = JunctionTree::new(sizes, sets.iter().copied());
    let tree_fits = tree.cells() <= options.tree_limit as u128 && options.form != Form::Dense;
    if full_fits && (!tree_fits || full <= tree.cells()) {
        Ok((Form::Dense, JunctionTree::full_table(sizes)))
    } else if tree_fits {
        Ok((Form::Tree, tree))
    } else if options.form == Form::Dense {
        Err(Error::DenseTooLarge { cells: cells_exactly(sizes, &all), limit: options.dense_limit })
    } else {
        Err(Error::TreeTooLarge { cells: tree.cells(), limit: options.tree_limit })
    }
}

#[cfg(test)]
mod tests;
