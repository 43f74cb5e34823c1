//! `logreg`: one of two categories by logistic regression.

use rand::RngExt;
use statistics::regression::{Family, Iterations, logistic};

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method.
pub(super) const NAME: &str = "logreg";

#[derive(Clone, Debug)]
struct Logistic {
    plan: DesignPlan,
    posterior: Posterior,
    remark: Option<String>,
}

/// Fits the log odds of the second category.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, size: 2 } = task.response else {
        let message = "it draws one of two categories; take polyreg".into();
        return Err(SynthesisError::Fit { method: NAME, message });
    };
    let response: Vec<f64> = codes.iter().map(|code| f64::from(*code)).collect();
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let fit = logistic(&design, &response, None, Iterations::default()).map_err(|error| failed(&error))?;
    let remark = plan.remark(task, &fit.coefficients, fit.convergence.warning());
    Ok(Box::new(Logistic { plan, posterior: Posterior::of(&fit, false), remark }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    ensure(of.categories()? == 2, "a logistic regression draws one of two categories")?;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let posterior = Posterior::load(from, plan.columns())?;
    Ok(Box::new(Logistic { plan, posterior, remark }))
}

impl Conditional for Logistic {
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
        let design = self.plan.design(given, rows)?;
        let log_odds = design.linear_predictor(&self.posterior.coefficients);
        let draw = |log_odds: f64| u32::from(rng.random::<f64>() < Family::Logistic.mean(log_odds));
        Ok(Draws::Codes(log_odds.into_iter().map(draw).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        Box::new(Self { posterior: self.posterior.drawn(seed), ..self.clone() })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.plan.store(self.remark.as_deref(), into)?;
        self.posterior.store(into)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
