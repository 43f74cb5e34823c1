//! `saturated`: the (σ, α) mechanism (Jackson, Mitra, Francis & Dove 2022, section 2).
//!
//! Each cell gets its own count, sᵢ ~ Count(mean = scale · yᵢ, σ), and a random zero sᵢ ~ Count(mean = scale · α, σ), all
//! independent. Zeros that become non-zero are Binomial(K₀, 1 − P(0)) many, placed on distinct empty cells that can occur, each
//! with a zero-truncated draw: the same distribution at a cost that grows with the non-zero cells only.

use hashbrown::HashSet;
use num_bigint::BigUint;
use rand::seq::SliceRandom;
use rand_distr::{Binomial, Distribution, Poisson};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use statistics::counts::{CountDistribution, CountFamily, Mean};
use table::{Attributes, ContingencyTable, Domain};

use super::uniform_cell::UniformCell;
use crate::card::{MethodCard, Needs, OptionCard};
use crate::randomness::{BLOCK, Rng, Seed};
use crate::synthesizer::Data;
use crate::{Cells, Model, StructuralZeros, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "saturated",
    summary: "gives every cell of the full cross-table a random count around its own",
    use_when: "the risk is to be known before generating: `lookalike plan` gives it exactly for this method",
    needs: Needs::Counts,
    options: &[
        OptionCard { name: "family", meaning: "poisson, nbi, pig or delaporte", default: "nbi" },
        OptionCard {
            name: "sigma",
            meaning: "dispersion: a count with mean mu has variance mu + sigma mu^2; not for poisson",
            default: "0.5",
        },
        OptionCard {
            name: "nu",
            meaning: "delaporte only: moves skewness at the same mean and variance, from 0 to below 1",
            default: "must be given",
        },
        OptionCard {
            name: "alpha",
            meaning: "mean count of a cell that is empty but could occur",
            default: "0",
        },
        OptionCard {
            name: "scale",
            meaning: "factor on all means: scale x N records are expected",
            default: "1",
        },
    ],
    memory: "the occupied cells of the original and of the synthetic table, whatever K is",
    citation: "Jackson, Mitra, Francis and Dove (2022), Using saturated count models for user-friendly synthesis",
};

/// Most cells that a run may be expected to fill from zeros.
const MOST_NEW_CELLS: f64 = 2e8;

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
struct Saturated {
    family: String,
    sigma: Option<f64>,
    nu: Option<f64>,
    alpha: f64,
    scale: f64,
}

impl Default for Saturated {
    fn default() -> Self {
        Self { family: "nbi".into(), sigma: None, nu: None, alpha: 0.0, scale: 1.0 }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn Synthesizer>, SynthesisError> {
    let saturated: Saturated = registry::options(options, &CARD)?;
    saturated.count_family()?;
    if !(saturated.alpha.is_finite() && saturated.alpha >= 0.0) {
        return Err(SynthesisError::option("alpha", "it must be 0 or a positive number"));
    }
    if !(saturated.scale.is_finite() && saturated.scale > 0.0) {
        return Err(SynthesisError::option("scale", "it must be a positive number"));
    }
    Ok(Box::new(saturated))
}

impl Saturated {
    fn count_family(&self) -> Result<CountFamily, SynthesisError> {
        let sigma = self.sigma.or((self.family != "poisson").then_some(0.5));
        CountFamily::from_options(&self.family, sigma, self.nu)
            .map_err(|error| SynthesisError::option("family", error.to_string()))
    }

    /// The distribution of the synthetic count of a cell with this original count, or this alpha.
    fn count_of(&self, count: f64) -> Result<CountDistribution, SynthesisError> {
        let mean = Mean::new(count * self.scale)
            .map_err(|error| SynthesisError::option("scale", error.to_string()))?;
        Ok(self.count_family()?.distribution(mean))
    }
}

impl Synthesizer for Saturated {
    fn card(&self) -> &'static MethodCard {
        &CARD
    }

    fn rows_can_be_chosen(&self) -> bool {
        false
    }

    fn fit(&self, data: Data<'_>, _: Seed) -> Result<Box<dyn Model>, SynthesisError> {
        let domain = data.counts.domain();
        let table = data.counts.contingency_table(&Attributes::all(domain))?;
        let state =
            State { domain: domain.clone(), settings: self.clone(), zeros: data.zeros.clone(), table };
        Ok(Box::new(SaturatedModel::new(state)?))
    }
}

/// What the model file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    domain: Domain,
    settings: Saturated,
    zeros: StructuralZeros,
    table: ContingencyTable,
}

struct SaturatedModel {
    state: State,
    /// How to fill empty cells, if any are to be filled.
    filling: Option<Filling>,
}

/// Random zeros that may become non-zero.
struct Filling {
    cells: UniformCell,
    random_zeros: BigUint,
    count: CountDistribution,
}

/// A model from its stored state.
pub fn load(state: serde_json::Value) -> Result<Box<dyn Model>, SynthesisError> {
    let state =
        serde_json::from_value(state).map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
    Ok(Box::new(SaturatedModel::new(state)?))
}

impl SaturatedModel {
    fn new(state: State) -> Result<Self, SynthesisError> {
        if state.settings.alpha == 0.0 {
            return Ok(Self { state, filling: None });
        }
        let random_zeros = state.zeros.possible_cells(&state.domain)? - BigUint::from(state.table.occupied());
        let count = state.settings.count_of(state.settings.alpha)?;
        let expected = as_f64(&random_zeros) * count.probability_of_positive();
        if expected > MOST_NEW_CELLS {
            let message = format!("about {expected:.1e} empty cells would be filled; choose a smaller alpha");
            return Err(SynthesisError::option("alpha", message));
        }
        let cells = UniformCell::new(CARD.name, &state.domain, &state.zeros)?;
        Ok(Self { state, filling: Some(Filling { cells, random_zeros, count }) })
    }

    /// The synthetic count of every occupied cell.
    fn counts(&self, seed: Seed) -> Result<Vec<u64>, SynthesisError> {
        draw_counts(self.state.table.counts(), &|count| self.state.settings.count_of(count as f64), seed)
    }
}

/// One synthetic count for each count, block by block on all cores.
fn draw_counts(
    counts: &[u64],
    distribution: &(dyn Fn(u64) -> Result<CountDistribution, SynthesisError> + Sync),
    seed: Seed,
) -> Result<Vec<u64>, SynthesisError> {
    // Most cells are small and share few means, whose distributions are made once.
    let small: Vec<CountDistribution> = (0..256).map(distribution).collect::<Result<_, _>>()?;
    let blocks = counts.par_chunks(BLOCK).enumerate().map(|(block, counts)| {
        let mut rng = seed.stream(block as u64);
        let draw = |count: &u64| match small.get(*count as usize) {
            Some(known) => Ok(known.sample(&mut rng)),
            None => Ok(distribution(*count)?.sample(&mut rng)),
        };
        counts.iter().map(draw).collect::<Result<Vec<u64>, SynthesisError>>()
    });
    Ok(blocks.collect::<Result<Vec<_>, _>>()?.concat())
}

impl Filling {
    /// Cells that were empty and are not any more, with their counts.
    fn draw(
        &self,
        occupied: &ContingencyTable,
        rng: &mut Rng,
    ) -> Result<Vec<(Vec<u32>, u64)>, SynthesisError> {
        let filled = self.number_filled(rng)?;
        let mut taken: HashSet<Vec<u32>, FxBuildHasher> = HashSet::default();
        let mut new = Vec::with_capacity(filled as usize);
        while (new.len() as u64) < filled {
            let cell = self.cells.draw(rng);
            if occupied.count_of(&cell) == 0 && taken.insert(cell.clone()) {
                new.push((cell, self.count.sample_positive(rng).unwrap_or(1)));
            }
        }
        Ok(new)
    }

    /// Binomial(K₀, p). With 2⁶³ cells or more, p is below 10⁻¹⁰ and the Poisson limit is within p of it (Le Cam 1960).
    fn number_filled(&self, rng: &mut Rng) -> Result<u64, SynthesisError> {
        let fault = |error: &dyn std::fmt::Display| SynthesisError::Fit {
            method: CARD.name,
            message: error.to_string(),
        };
        let share = self.count.probability_of_positive();
        if let Ok(cells) = u64::try_from(&self.random_zeros) {
            return Ok(Binomial::new(cells, share).map_err(|error| fault(&error))?.sample(rng));
        }
        let poisson = Poisson::new(as_f64(&self.random_zeros) * share).map_err(|error| fault(&error))?;
        Ok(poisson.sample(rng) as u64)
    }
}

fn as_f64(number: &BigUint) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

impl Model for SaturatedModel {
    /// The number of records is random and not asked for.
    fn sample(&self, _rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        let (domain, table) = (&self.state.domain, &self.state.table);
        let counts = self.counts(seed.child(0))?;
        let new = match &self.filling {
            Some(filling) => filling.draw(table, &mut seed.child(1).stream(0))?,
            None => Vec::new(),
        };
        let all: Vec<u64> = counts.into_iter().chain(new.iter().map(|(_, count)| *count)).collect();
        let rows: u64 = all.iter().sum();
        if rows > u64::from(u32::MAX) || rows == 0 {
            let message = format!("{rows} records would be made; one file takes 1 to {}", u32::MAX);
            return Err(SynthesisError::option("scale", message));
        }
        let repeated = all
            .iter()
            .enumerate()
            .flat_map(|(cell, count)| std::iter::repeat_n(cell as u32, *count as usize));
        let mut order: Vec<u32> = repeated.collect();
        order.shuffle(&mut seed.child(2).stream(0));
        let class = |cell: usize, place: usize| match cell.checked_sub(table.occupied()) {
            None => table.class(cell, place),
            Some(new_cell) => new[new_cell].0[place],
        };
        Ok(Cells::draw(domain, order.len(), seed, |block, rows, _| {
            let records = &order[block as usize * BLOCK..][..rows];
            let column = |place: usize| records.iter().map(|cell| class(*cell as usize, place)).collect();
            (0..domain.variables().len()).map(column).collect()
        }))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::json!(self.state)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("every occupied cell with its exact count: the records themselves, in classes")
    }
}
