//! `rounding`: unbiased random rounding of counts (Fellegi 1975; Hundepool et al. 2012, section 5.4).
//!
//! A count qb + r becomes qb with probability 1 − r/b and (q + 1)b else, so that its expectation is itself.

use rand::RngExt;
use serde::Deserialize;

use super::perturbed_cells::{self, Perturbation};
use crate::card::{MethodCard, Needs, OptionCard, Usual};
use crate::randomness::Rng;
use crate::stored::{StateContext, StateReader};
use crate::{Cells, Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "rounding",
    summary: "rounds the counts of the cross-table of all variables at random to a multiple of a base (classical; not synthetic)",
    use_when: "a frontier is to show what rounded tables would have kept; few variables, or every cell has one record",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "base",
        meaning: "counts are rounded to multiples of it",
        default: Usual::Value("3"),
    }],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "the occupied cells, whatever K is",
    citation: "Fellegi (1975), Controlled random rounding; Hundepool et al. (2012), Statistical Disclosure Control, 5.4",
};

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Rounding {
    base: u64,
}

impl Default for Rounding {
    fn default() -> Self {
        Self { base: 3 }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(perturbed_cells::synthesizer(settings(options)?))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    perturbed_cells::load(from, context, settings(context.options)?)
}

fn settings(options: &toml::Table) -> Result<Rounding, SynthesisError> {
    let rounding: Rounding = registry::options(options, &CARD)?;
    if !(2..=1_000).contains(&rounding.base) {
        return Err(SynthesisError::option("base", "it must lie between 2 and 1000"));
    }
    Ok(rounding)
}

impl Perturbation for Rounding {
    fn perturbed(&self, count: u64, key: &mut Rng) -> u64 {
        let (down, rest) = (count - count % self.base, count % self.base);
        if key.random_range(0..self.base) < rest { down + self.base } else { down }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::Seed;

    #[test]
    fn counts_become_multiples_and_keep_their_mean() {
        let (rounding, mut key) = (Rounding { base: 3 }, Seed::new(1).stream(0));
        for count in [0, 1, 2, 3, 7] {
            let drawn: Vec<u64> = (0..20_000).map(|_| rounding.perturbed(count, &mut key)).collect();
            assert!(drawn.iter().all(|drawn| drawn % 3 == 0 && drawn.abs_diff(count) < 3));
            let mean = drawn.iter().sum::<u64>() as f64 / 20_000.0;
            // Five standard errors of at most sqrt(2/20000): an error rate of 6e-7 a count.
            assert!((mean - count as f64).abs() < 0.05, "{count}: {mean}");
        }
    }
}
