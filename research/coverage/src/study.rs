//! Replications of a design, and what they add up to.

use inference::{Estimand, Manner, Provenance, Released, Resampling, answers, estimates};
use serde::{Deserialize, Serialize};
use synthesis::{Recipe, Run, fit};
use table::watch::Watch;

use crate::{CoverageError, Design, Question};

/// 95 % of a normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// What was found in some replications.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The program that ran them.
    pub software: String,
    /// The design.
    pub design: Design,
    /// The recipe, as TOML.
    pub recipe: String,
    /// How many replications.
    pub replications: u64,
    /// The coefficients of both regressions.
    pub coefficients: Vec<Coefficient>,
}

/// Sums over replications for one coefficient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The response and the name.
    pub name: String,
    /// The true value.
    pub truth: f64,
    /// Replications that had an interval.
    pub answered: u64,
    /// Replications that had an estimate, and were told why it has no interval.
    #[serde(default)]
    pub withheld: u64,
    /// Those whose interval covered the truth.
    pub covered: u64,
    /// The same of the original tables.
    pub original_covered: u64,
    /// Sum of the estimates.
    pub sum: f64,
    /// Sum of their squares.
    pub squares: f64,
    /// Sum of the stated variances.
    pub stated: f64,
    /// Sum of the estimates from the original tables.
    pub original_sum: f64,
}

impl Coefficient {
    /// How often its intervals covered.
    pub fn coverage(&self) -> f64 {
        self.covered as f64 / self.answered.max(1) as f64
    }

    /// The mean estimate.
    pub fn mean(&self) -> f64 {
        self.sum / self.answered.max(1) as f64
    }

    /// The root of the mean stated variance over the standard deviation of the estimates.
    pub fn stated_over_true(&self) -> f64 {
        let n = self.answered.max(2) as f64;
        let variance = (self.squares - self.sum * self.sum / n) / (n - 1.0);
        (self.stated / n / variance).sqrt()
    }
}

impl Study {
    /// The share of intervals that were not given.
    pub fn withheld(&self) -> f64 {
        let of = |count: fn(&Coefficient) -> u64| self.coefficients.iter().map(count).sum::<u64>() as f64;
        of(|of| of.withheld) / (of(|of| of.withheld) + of(|of| of.answered)).max(1.0)
    }

    /// The mean over coefficients, and the worst of them.
    pub fn coverage(&self) -> (f64, f64) {
        summary(self.coefficients.iter().map(Coefficient::coverage))
    }

    /// The same of the original tables.
    pub fn original_coverage(&self) -> (f64, f64) {
        summary(self.coefficients.iter().map(|of| of.original_covered as f64 / of.answered.max(1) as f64))
    }

    /// The slope of the mean estimates on the true coefficients: 1 where nothing shrinks.
    pub fn slope(&self) -> f64 {
        self.slope_of(|of| of.sum)
    }

    /// The same of the original tables: what chance alone leaves.
    pub fn original_slope(&self) -> f64 {
        self.slope_of(|of| of.original_sum)
    }

    fn slope_of(&self, sum: fn(&Coefficient) -> f64) -> f64 {
        let of = |value: &dyn Fn(&Coefficient) -> f64| self.coefficients.iter().map(value).sum::<f64>();
        let products = of(&|of| of.truth * sum(of) / of.answered.max(1) as f64);
        products / of(&|of| of.truth * of.truth)
    }

    /// The mean of stated over true standard errors.
    pub fn stated_over_true(&self) -> f64 {
        let all = self.coefficients.iter().map(Coefficient::stated_over_true);
        all.sum::<f64>() / self.coefficients.len().max(1) as f64
    }

    /// Adds the replications of another part.
    pub fn add(&mut self, other: &Self) -> Result<(), CoverageError> {
        if (self.design, &self.recipe, &self.software) != (other.design, &other.recipe, &other.software) {
            return Err(CoverageError::Parts("design, recipe or version differ".into()));
        }
        self.replications += other.replications;
        for (of, more) in self.coefficients.iter_mut().zip(&other.coefficients) {
            of.answered += more.answered;
            of.withheld += more.withheld;
            of.covered += more.covered;
            of.original_covered += more.original_covered;
            of.sum += more.sum;
            of.squares += more.squares;
            of.stated += more.stated;
            of.original_sum += more.original_sum;
        }
        Ok(())
    }
}

fn summary(shares: impl Iterator<Item = f64>) -> (f64, f64) {
    let shares: Vec<f64> = shares.collect();
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    (mean, shares.iter().copied().fold(1.0, f64::min))
}

/// Runs replications `first`, `first` + 1, … of a design by a recipe; `progress` hears how many are done.
pub fn run(
    design: Design,
    recipe: &Recipe,
    first: u64,
    replications: u64,
    progress: &dyn Fn(u64),
) -> Result<Study, CoverageError> {
    let questions = design.questions()?;
    let coefficients = questions.iter().flat_map(|Question { estimand, truths }| {
        let response = estimand.variables().first().map_or_else(String::new, |name| (*name).to_owned());
        truths.iter().map(move |(name, truth)| Coefficient {
            name: format!("{response}: {name}"),
            truth: *truth,
            answered: 0,
            withheld: 0,
            covered: 0,
            original_covered: 0,
            sum: 0.0,
            squares: 0.0,
            stated: 0.0,
            original_sum: 0.0,
        })
    });
    let mut study = Study {
        software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
        design,
        recipe: Recipe { seed: None, ..recipe.clone() }.to_toml(),
        replications,
        coefficients: coefficients.collect(),
    };
    for replication in first..first + replications {
        let original = design.draw(replication)?;
        let seeded = Recipe { seed: recipe.privacy.is_none().then_some(replication), ..recipe.clone() };
        let run = if recipe.privacy.is_some() { Run::replayed(replication) } else { Run::default() };
        let fitted = fit(&original, &seeded, &run)?;
        let files = (0..fitted.m()).map(|number| fitted.table(number)).collect::<Result<Vec<_>, _>>()?;
        let provenance = Provenance {
            recipe: seeded,
            original_rows: design.records as u64,
            ledger: fitted.ledger().cloned(),
            own_schema: None,
        };
        let released = Released {
            files: &files,
            original_rows: Some(design.records as u64),
            provenance: Some(&provenance),
        };
        let manner =
            Manner { resampling: Resampling { replicates: 99, seed: replication }, ..Manner::default() };
        let mut of = study.coefficients.iter_mut();
        let estimands: Vec<Estimand> = questions.iter().map(|question| question.estimand.clone()).collect();
        let all = answers(&released, &estimands, &manner, &Watch::default())?;
        for (Question { estimand, truths }, found) in questions.iter().zip(all) {
            let own = estimates(&original, estimand)?;
            for (name, truth) in truths {
                let Some(of) = of.next() else { break };
                let quantity = found.quantities.iter().find(|quantity| quantity.name == *name);
                let own = own.iter().find(|estimate| estimate.name == *name);
                let (Some(quantity), Some(Ok(own))) = (quantity, own.map(|own| own.value)) else { continue };
                let (Some(estimate), Some(interval)) = (quantity.estimate, quantity.interval) else {
                    of.withheld += u64::from(quantity.not_computed.is_some());
                    continue;
                };
                of.answered += 1;
                of.covered += u64::from(interval.low <= *truth && *truth <= interval.high);
                let distance = (own.estimate - truth).abs();
                of.original_covered += u64::from(distance <= NORMAL * own.variance.sqrt());
                of.sum += estimate;
                of.squares += estimate * estimate;
                of.stated += quantity.standard_error.map_or(0.0, |error| error * error);
                of.original_sum += own.estimate;
            }
        }
        progress(replication - first + 1);
    }
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effects;

    #[test]
    fn parts_that_were_run_apart_add_up() {
        let design = Design::new(5, Effects::Strong, 200).unwrap();
        let recipe = Recipe { m: 2, ..Recipe::new("sequential") };
        let quiet = |_: u64| {};
        let whole = run(design, &recipe, 4, 3, &quiet).unwrap();
        let mut parts = run(design, &recipe, 4, 1, &quiet).unwrap();
        parts.add(&run(design, &recipe, 5, 2, &quiet).unwrap()).unwrap();
        assert_eq!(whole.coverage(), parts.coverage());
        assert!((whole.slope() - parts.slope()).abs() < 1e-12);
        assert_eq!(whole.coefficients.len(), 6, "three predictors in two models");
        assert!(whole.coefficients.iter().all(|of| of.answered == 3));
        let other = run(design, &Recipe { m: 1, ..recipe }, 4, 1, &quiet).unwrap();
        assert!(parts.add(&other).is_err());
    }
}
