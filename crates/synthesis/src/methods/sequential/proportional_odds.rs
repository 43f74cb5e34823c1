//! `polr`: one of several ordered categories by proportional odds regression.

use statistics::regression::{Iterations, proportional_odds};

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::multinomial::pick;
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter};

/// The name of the method.
pub(super) const NAME: &str = "polr";

/// How often parameters are drawn until the thresholds ascend.
const DRAWS: u64 = 100;

#[derive(Clone, Debug)]
struct ProportionalOdds {
    plan: DesignPlan,
    /// One coefficient a column, then the thresholds.
    posterior: Posterior,
    columns: usize,
    remark: Option<String>,
}

/// Fits the log odds of lying at or below each category.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, .. } = task.response else {
        return Err(SynthesisError::Fit { method: NAME, message: "it draws categories".into() });
    };
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let columns = design.columns();
    let fit =
        proportional_odds(&design, codes, None, Iterations::default()).map_err(|error| failed(&error))?;
    let mut estimated: Vec<usize> =
        (0..columns).filter(|column| fit.coefficients[*column].is_some()).collect();
    estimated.extend((0..fit.thresholds.len()).map(|at| columns + at));
    let mut parameters: Vec<f64> = fit.coefficients.iter().map(|one| one.unwrap_or(0.0)).collect();
    parameters.extend(&fit.thresholds);
    let posterior = Posterior::normal(parameters, estimated, &fit.covariance);
    Ok(Box::new(ProportionalOdds {
        remark: plan.remark(task, &fit.coefficients, fit.convergence.warning()),
        plan,
        posterior,
        columns,
    }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let size = of.categories()? as usize;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let columns = plan.columns();
    let posterior = Posterior::load(from, columns + size.saturating_sub(1))?;
    Ok(Box::new(ProportionalOdds { plan, posterior, columns, remark }))
}

impl Conditional for ProportionalOdds {
    fn method(&self) -> &'static str {
        NAME
    }

    fn draw(
        &self,
        given: &Given<'_>,
        _: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        let (coefficients, thresholds) = self.posterior.coefficients.split_at(self.columns);
        let means = self.plan.design(given, rows)?.linear_predictor(coefficients);
        let draw = |mean: f64| {
            let below =
                thresholds.iter().map(|threshold| 1.0 / (1.0 + (mean - threshold).exp())).chain([1.0]);
            let mut before = 0.0;
            let shares: Vec<f64> = below
                .map(|upto| {
                    let share = upto - before;
                    before = upto;
                    share
                })
                .collect();
            pick(&shares, rng)
        };
        Ok(Draws::Codes(means.into_iter().map(draw).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        let ascend =
            |drawn: &Posterior| drawn.coefficients[self.columns..].windows(2).all(|pair| pair[0] < pair[1]);
        let drawn = (0..DRAWS).map(|draw| self.posterior.drawn(seed.child(draw))).find(ascend);
        Box::new(Self { posterior: drawn.unwrap_or_else(|| self.posterior.clone()), ..self.clone() })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.plan.store(self.remark.as_deref(), into)?;
        self.posterior.store(into)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
