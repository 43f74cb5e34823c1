//! Published totals: a fitted model scaled to margins from elsewhere, keeping what they do not speak of.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::attributes::{cells, cells_exactly};
use crate::error::Error;
use crate::ipf::options::{Options, Order};
use crate::ipf::raking::{Potential, Raking, Sweep};
use crate::ipf::target::{Problem, TargetMargin};
use crate::ipf::{Progress, attributes_of, converge};
use crate::junction_tree::JunctionTree;
use crate::model::tree::TreeModel;
use crate::model::{FittedModel, Form};

impl FittedModel {
    /// Rakes the model to published totals: the table with the target margins that is closest to this model.
    ///
    /// Raked to margins a, b, …, the expected counts become
    ///
    /// raked(x) = model(x) · u(xₐ) · v(x_b) ⋯
    ///
    /// with factors u, v, … that depend on the targets' own variables alone (Deming & Stephan 1940). So every
    /// odds ratio in which the factors cancel is kept, and among all tables with these margins the raked one
    /// has the least Kullback–Leibler divergence Σ raked · ln(raked ÷ model) from the model, once both are
    /// scaled to the same total (Csiszár 1975).
    ///
    /// The total becomes that of the targets. Empty cells stay empty, and zeros in a target empty more; a
    /// target that is positive where the model is empty is refused with [`Error::EmptyInModel`].
    ///
    /// ```
    /// use margins::{Options, TargetMargin, fit};
    ///
    /// // A survey of 100: sex by employment, with an odds ratio of 40 · 30 ÷ (10 · 20) = 6.
    /// let survey = TargetMargin::new([0, 1], [40.0, 10.0, 20.0, 30.0]);
    /// let model = fit(&[2, 2], &[survey], &[], &Options::default())?;
    ///
    /// // The census counts 1,000 people, and knows each variable alone.
    /// let sex = TargetMargin::new([0], [600.0, 400.0]);
    /// let employment = TargetMargin::new([1], [500.0, 500.0]);
    /// let raked = model.rake(&[sex, employment], &Options::default())?;
    /// assert!(raked.convergence().converged());
    /// for (raked, by_hand) in raked.margin(&[0, 1])?.iter().zip([400.0, 200.0, 100.0, 300.0]) {
    ///     assert!((raked - by_hand).abs() < 1e-8); // 400 · 300 ÷ (200 · 100) = 6
    /// }
    /// # Ok::<(), margins::Error>(())
    /// ```
    ///
    /// The options mean what they mean in [`fit`](crate::fit()). The form is kept where it can be: a full table
    /// stays one. A junction tree stays as it is if each target lies within a clique; if not, the model moves
    /// to a tree that holds them all, or to the full table if only that is within the limits, and else is
    /// refused with [`Error::TargetAcrossCliques`]. [`Form::Dense`] and [`Order::AsGiven`] expand a tree to
    /// the full table. The limits bound what is newly built; a form that the model already has is never too
    /// large.
    pub fn rake(&self, targets: &[TargetMargin], options: &Options) -> Result<FittedModel, Error> {
        self.rake_watched(targets, options, |_| ControlFlow::Continue(()))
    }

    /// [`rake`](Self::rake), with `watch` called after every sweep; [`ControlFlow::Break`] ends it with
    /// [`Error::Interrupted`].
    pub fn rake_watched(
        &self,
        targets: &[TargetMargin],
        options: &Options,
        watch: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<FittedModel, Error> {
        let problem = Problem::new(self.sizes(), targets, &[], options)?;
        let (form, tree) = match self {
            Self::Dense(_) => full_table(&problem, options)?,
            Self::Tree(model) => tree_for(model, &problem, options)?,
        };
        let all: Vec<usize> = (0..self.sizes().len()).collect();
        let start = match self {
            Self::Dense(model) => {
                vec![Potential::Weights { attributes: &all, weights: Cow::Borrowed(model.table()) }]
            }
            Self::Tree(model) => model
                .factors()
                .map(|(attributes, weights)| Potential::Weights { attributes, weights: Cow::Owned(weights) })
                .collect(),
        };
        let nobody = || Error::EmptyInModel { attributes: problem.targets[0].attributes.clone() };
        let mut raking = Raking::new(&problem, &tree, &start, options.order).ok_or_else(nobody)?;
        drop(start);
        let empty = |starved| Error::EmptyInModel { attributes: attributes_of(&problem, starved) };
        raking.sweep(Sweep::Measure).map_err(empty)?;
        let convergence = converge(&problem, &tree, &mut raking, options, watch)?;
        Ok(Self::new(self.sizes(), form, raking.into_cliques(), convergence))
    }
}

/// A full table stays one: it does not say which cliques would do.
fn full_table(problem: &Problem<'_>, options: &Options) -> Result<(Form, JunctionTree), Error> {
    if options.form == Form::Tree {
        let must = "be automatic or dense to rake a model that is held as the full table";
        return Err(Error::Option { name: "form", must });
    }
    Ok((Form::Dense, JunctionTree::full_table(problem.sizes)))
}

/// The model's own tree if its cliques hold every target; else a tree with cliques that do, over which the
/// model factorises as well (Lauritzen 1996, ch. 3); else the full table.
fn tree_for(
    model: &TreeModel,
    problem: &Problem<'_>,
    options: &Options,
) -> Result<(Form, JunctionTree), Error> {
    let sizes = problem.sizes;
    let all: Vec<usize> = (0..sizes.len()).collect();
    let full_fits = cells(sizes, &all) <= options.dense_limit as u128;
    let dense = || Ok((Form::Dense, JunctionTree::full_table(sizes)));
    match (options.form, options.order) {
        (Form::Dense, _) if !full_fits => {
            return Err(Error::DenseTooLarge {
                cells: cells_exactly(sizes, &all),
                limit: options.dense_limit,
            });
        }
        (Form::Tree, Order::AsGiven) => return Err(Error::OrderNeedsDense),
        (Form::Automatic, Order::AsGiven) if !full_fits => return Err(Error::OrderNeedsDense),
        (Form::Dense, _) | (_, Order::AsGiven) => return dense(),
        (Form::Automatic | Form::Tree, Order::Free) => {}
    }
    let own = model.junction_tree();
    let across: Vec<&[usize]> = problem
        .targets
        .iter()
        .map(|target| target.attributes.as_slice())
        .filter(|attributes| own.host(attributes).is_none())
        .collect();
    if across.is_empty() {
        return Ok((Form::Tree, own));
    }
    let held = own.cliques().iter().map(Vec::as_slice);
    let wider = JunctionTree::new(sizes, held.chain(across.iter().copied()));
    if wider.cells() <= options.tree_limit as u128 {
        Ok((Form::Tree, wider))
    } else if options.form == Form::Automatic && full_fits {
        dense()
    } else {
        let targets = across.into_iter().map(<[usize]>::to_vec).collect();
        Err(Error::TargetAcrossCliques { targets, cells: wider.cells(), limit: options.tree_limit })
    }
}
