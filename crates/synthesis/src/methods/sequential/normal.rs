//! `norm`, `lognorm`, `sqrtnorm`, `cubertnorm`: a normal linear model of the response, or of a transformation of it.

use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use statistics::regression::linear;

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::posterior::Posterior;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter};

/// A transformation of the response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Transformation {
    Identity,
    /// ln(y + shift), where the shift is half the smallest positive response if some are 0.
    Log {
        shift: f64,
    },
    SquareRoot,
    CubeRoot,
}

impl Transformation {
    fn of(self, y: f64) -> f64 {
        match self {
            Self::Identity => y,
            Self::Log { shift } => (y + shift).ln(),
            Self::SquareRoot => y.sqrt(),
            Self::CubeRoot => y.cbrt(),
        }
    }

    fn back(self, z: f64) -> f64 {
        match self {
            Self::Identity => z,
            Self::Log { shift } => (z.exp() - shift).max(0.0),
            Self::SquareRoot => z.max(0.0).powi(2),
            Self::CubeRoot => z.powi(3),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Identity => NORM,
            Self::Log { .. } => LOGNORM,
            Self::SquareRoot => SQRTNORM,
            Self::CubeRoot => CUBERTNORM,
        }
    }
}

/// The names of the methods.
pub(super) const NORM: &str = "norm";
pub(super) const LOGNORM: &str = "lognorm";
pub(super) const SQRTNORM: &str = "sqrtnorm";
pub(super) const CUBERTNORM: &str = "cubertnorm";

/// The name under which the transformation is stored.
const TRANSFORMATION: &str = "transformation";

#[derive(Clone, Debug)]
struct Normal {
    transformation: Transformation,
    plan: DesignPlan,
    posterior: Posterior,
    remark: Option<String>,
}

/// Fits the response itself.
pub(super) fn fit_norm(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    fit(task, |_| Ok(Transformation::Identity))
}

/// Fits the logarithm.
pub(super) fn fit_lognorm(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    fit(task, |numbers| {
        refuse_negative(LOGNORM, numbers)?;
        let positive = numbers.iter().copied().filter(|number| *number > 0.0).fold(f64::INFINITY, f64::min);
        let has_zero = numbers.contains(&0.0);
        Ok(Transformation::Log { shift: if has_zero { positive / 2.0 } else { 0.0 } })
    })
}

/// Fits the square root.
pub(super) fn fit_sqrtnorm(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    fit(task, |numbers| refuse_negative(SQRTNORM, numbers).map(|()| Transformation::SquareRoot))
}

/// Fits the cube root.
pub(super) fn fit_cubertnorm(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    fit(task, |_| Ok(Transformation::CubeRoot))
}

fn refuse_negative(method: &'static str, numbers: &[f64]) -> Result<(), SynthesisError> {
    if numbers.iter().any(|number| *number < 0.0) {
        let message = "some numbers are negative; take norm, cubertnorm or normrank".into();
        return Err(SynthesisError::Fit { method, message });
    }
    Ok(())
}

fn fit(
    task: &Task<'_>,
    transformation: impl Fn(&[f64]) -> Result<Transformation, SynthesisError>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Numbers(numbers) = task.response else { return Err(not_numbers()) };
    let transformation = transformation(numbers)?;
    let transformed: Vec<f64> = numbers.iter().map(|number| transformation.of(*number)).collect();
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let fit = linear(&design, &transformed, None).map_err(|error| failed(&error))?;
    let remark = plan.remark(task, &fit.coefficients, None);
    Ok(Box::new(Normal { transformation, plan, posterior: Posterior::of(&fit, true), remark }))
}

/// A method of numbers that is asked for categories.
pub(super) fn not_numbers() -> SynthesisError {
    SynthesisError::Fit {
        method: "sequential",
        message: "a method of numbers is asked for categories".into(),
    }
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    of.numbers()?;
    let transformation = from.settings(TRANSFORMATION)?;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let posterior = Posterior::load(from, plan.columns())?;
    Ok(Box::new(Normal { transformation, plan, posterior, remark }))
}

impl Conditional for Normal {
    fn method(&self) -> &'static str {
        self.transformation.name()
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
        let draw = |mean: f64| {
            let noise: f64 = StandardNormal.sample(rng);
            self.transformation.back(mean + self.posterior.sigma * noise)
        };
        Ok(Draws::Numbers(means.into_iter().map(draw).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        Box::new(Self { posterior: self.posterior.drawn(seed), ..self.clone() })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(TRANSFORMATION, &self.transformation)?;
        self.plan.store(self.remark.as_deref(), into)?;
        self.posterior.store(into)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformations_come_back() {
        for transformation in [
            Transformation::Identity,
            Transformation::Log { shift: 0.5 },
            Transformation::SquareRoot,
            Transformation::CubeRoot,
        ] {
            for y in [0.0, 0.3, 7.0, 1e5] {
                let back = transformation.back(transformation.of(y));
                assert!((back - y).abs() <= 1e-9 * y.max(1.0), "{transformation:?} {y} {back}");
            }
        }
        assert_eq!(Transformation::CubeRoot.back(Transformation::CubeRoot.of(-8.0)), -8.0);
    }
}
