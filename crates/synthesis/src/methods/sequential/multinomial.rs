//! `polyreg`: one of several categories by multinomial logistic regression.

use rand::RngExt;
use statistics::regression::{Iterations, multinomial};

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter};

/// The name of the method.
pub(super) const NAME: &str = "polyreg";

/// More coefficients than this are refused: their information matrix would take minutes.
const MOST_COEFFICIENTS: usize = 2_000;

#[derive(Clone, Debug)]
struct Multinomial {
    plan: DesignPlan,
    /// The coefficients of every category but the first, one after the other.
    posterior: Posterior,
    /// Columns of the design.
    columns: usize,
    remark: Option<String>,
}

/// Fits the log odds of every category against the first.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, size } = task.response else {
        return Err(SynthesisError::Fit { method: NAME, message: "it draws categories".into() });
    };
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let columns = design.columns();
    let coefficients = (size as usize - 1) * columns;
    if coefficients > MOST_COEFFICIENTS {
        let message = format!(
            "it would have {coefficients} coefficients for {size} categories; take cart, or name fewer `predictors`"
        );
        return Err(SynthesisError::Fit { method: NAME, message });
    }
    let fit = multinomial(&design, codes, None, Iterations::default()).map_err(|error| failed(&error))?;
    let flat = fit.coefficients.iter().flatten();
    let estimated = flat.clone().enumerate().filter(|(_, one)| one.is_some()).map(|(at, _)| at).collect();
    let coefficients = flat.map(|one| one.unwrap_or(0.0)).collect();
    let posterior = Posterior::normal(coefficients, estimated, &fit.covariance);
    Ok(Box::new(Multinomial {
        remark: plan.remark(task, &fit.coefficients[0], fit.convergence.warning()),
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
    let posterior = Posterior::load(from, columns * size.saturating_sub(1))?;
    Ok(Box::new(Multinomial { plan, posterior, columns, remark }))
}

impl Conditional for Multinomial {
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
        let predictors: Vec<Vec<f64>> = self
            .posterior
            .coefficients
            .chunks(self.columns)
            .map(|of_one| design.linear_predictor(of_one))
            .collect();
        let mut odds = vec![0.0; predictors.len() + 1];
        let draw = |row: usize| {
            let largest = predictors.iter().fold(0.0_f64, |most, predictor| most.max(predictor[row]));
            odds[0] = (-largest).exp();
            odds[1..]
                .iter_mut()
                .zip(&predictors)
                .for_each(|(odds, predictor)| *odds = (predictor[row] - largest).exp());
            pick(&odds, rng)
        };
        Ok(Draws::Codes((0..rows.len()).map(draw).collect()))
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

/// One of several with chances in proportion to these weights.
pub(super) fn pick(weights: &[f64], rng: &mut Rng) -> u32 {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (at, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return at as u32;
        }
    }
    weights.len() as u32 - 1
}
