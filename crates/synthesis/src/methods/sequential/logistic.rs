//! `logreg`: one of two categories by logistic regression.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use statistics::regression::{Family, Iterations, logistic};

use super::conditional::{Conditional, Draws, Given, Response, Task, from_state};
use super::design_matrix::{DesignPlan, failed};
use super::posterior::Posterior;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};

/// The name of the method.
pub(super) const NAME: &str = "logreg";

#[derive(Clone, Debug, Serialize, Deserialize)]
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
pub(super) fn load(state: serde_json::Value) -> Result<Box<dyn Conditional>, SynthesisError> {
    from_state::<Logistic>(state)
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

    fn state(&self) -> serde_json::Value {
        serde_json::json!(self)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
