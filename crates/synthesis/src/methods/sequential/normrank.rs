//! `normrank`: a normal linear model of the response's normal scores, so that the margin stays as it is.
//!
//! z = Φ⁻¹(rank / (n + 1)), ties at their mean rank; a drawn z takes the response of rank Φ(z) (n + 1) (synthpop's `normrank`).

use rand_distr::{Distribution, StandardNormal};
use statistics::regression::linear;
use statrs::distribution::{ContinuousCDF, Normal};

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::normal::not_numbers;
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method.
pub(super) const NAME: &str = "normrank";

#[derive(Clone, Debug)]
struct NormRank {
    /// The responses, ascending.
    sorted: Vec<f64>,
    plan: DesignPlan,
    posterior: Posterior,
    remark: Option<String>,
}

/// Fits the scores.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Numbers(numbers) = task.response else { return Err(not_numbers()) };
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let standard = Normal::standard();
    let score = |number: &f64| {
        let below = sorted.partition_point(|other| other < number) as f64;
        let upto = sorted.partition_point(|other| other <= number) as f64;
        standard.inverse_cdf((below + upto + 1.0) / 2.0 / (sorted.len() as f64 + 1.0))
    };
    let scores: Vec<f64> = numbers.iter().map(score).collect();
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let fit = linear(&design, &scores, None).map_err(|error| failed(&error))?;
    let remark = plan.remark(task, &fit.coefficients, None);
    Ok(Box::new(NormRank { posterior: Posterior::of(&fit, true), sorted, plan, remark }))
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    of.numbers()?;
    let sorted: Vec<f64> = from.array("responses")?;
    let are_fine = !sorted.is_empty() && sorted.iter().all(|number| number.is_finite());
    ensure(are_fine && sorted.is_sorted(), "its responses are not in order")?;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let posterior = Posterior::load(from, plan.columns())?;
    Ok(Box::new(NormRank { sorted, plan, posterior, remark }))
}

impl Conditional for NormRank {
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
        let standard = Normal::standard();
        let draw = |mean: f64| {
            let noise: f64 = StandardNormal.sample(rng);
            let rank = standard.cdf(mean + self.posterior.sigma * noise) * (self.sorted.len() as f64 + 1.0);
            self.sorted[(rank.round() as usize).clamp(1, self.sorted.len()) - 1]
        };
        Ok(Draws::Numbers(means.into_iter().map(draw).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        Box::new(Self { posterior: self.posterior.drawn(seed), ..self.clone() })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("responses", &self.sorted)?;
        self.plan.store(self.remark.as_deref(), into)?;
        self.posterior.store(into)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
