//! `pmm`: predictive mean matching (Little 1988). A synthetic record takes the response of one of the few original records whose
//! predicted mean is nearest to its own.

use rand::RngExt;
use statistics::regression::linear;

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::normal::not_numbers;
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method.
pub(super) const NAME: &str = "pmm";

/// The name under which the number of donors is stored.
const DONORS: &str = "donors";

#[derive(Clone, Debug)]
struct PredictiveMeanMatching {
    /// Predicted means and responses of the original records, ascending by mean.
    means: Vec<f64>,
    responses: Vec<f64>,
    donors: usize,
    plan: DesignPlan,
    posterior: Posterior,
    remark: Option<String>,
}

/// Fits the means.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Numbers(numbers) = task.response else { return Err(not_numbers()) };
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let fit = linear(&design, numbers, None).map_err(|error| failed(&error))?;
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|left, right| fit.fitted[*left].total_cmp(&fit.fitted[*right]));
    Ok(Box::new(PredictiveMeanMatching {
        means: order.iter().map(|at| fit.fitted[*at]).collect(),
        responses: order.iter().map(|at| numbers[*at]).collect(),
        donors: (task.settings.donors as usize).min(numbers.len()),
        remark: plan.remark(task, &fit.coefficients, None),
        plan,
        posterior: Posterior::of(&fit, true),
    }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    of.numbers()?;
    let donors = from.settings(DONORS)?;
    let (means, responses): (Vec<f64>, Vec<f64>) = (from.array("means")?, from.array("responses")?);
    let are_fine = means.len() == responses.len()
        && (1..=means.len()).contains(&donors)
        && means.iter().chain(&responses).all(|number| number.is_finite())
        && means.is_sorted();
    ensure(are_fine, "its donors do not go with their means")?;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let posterior = Posterior::load(from, plan.columns())?;
    Ok(Box::new(PredictiveMeanMatching { means, responses, donors, plan, posterior, remark }))
}

impl PredictiveMeanMatching {
    /// Where the donors of a predicted mean begin: the window of nearest means.
    fn first_donor(&self, mean: f64) -> usize {
        let (mut first, mut end) = {
            let at = self.means.partition_point(|other| *other < mean);
            (at, at)
        };
        while end - first < self.donors {
            let below = first.checked_sub(1).map(|at| mean - self.means[at]);
            let above = self.means.get(end).map(|other| other - mean);
            match (below, above) {
                (Some(below), Some(above)) if below <= above => first -= 1,
                (Some(_), None) => first -= 1,
                _ => end += 1,
            }
        }
        first
    }
}

impl Conditional for PredictiveMeanMatching {
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
        let means = design.linear_predictor(&self.posterior.coefficients);
        let draw = |mean: f64| self.responses[self.first_donor(mean) + rng.random_range(0..self.donors)];
        Ok(Draws::Numbers(means.into_iter().map(draw).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        Box::new(Self { posterior: self.posterior.drawn(seed), ..self.clone() })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(DONORS, &self.donors)?;
        into.array("means", &self.means)?;
        into.array("responses", &self.responses)?;
        self.plan.store(self.remark.as_deref(), into)?;
        self.posterior.store(into)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
