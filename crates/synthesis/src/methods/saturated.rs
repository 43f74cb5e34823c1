//! `saturated`: the (σ, α) mechanism (Jackson, Mitra, Francis & Dove 2022, section 2).
//!
//! Each cell gets its own count, sᵢ ~ Count(mean = scale · yᵢ, σ), and a random zero sᵢ ~ Count(mean = scale · α, σ), all
//! independent. Zeros that become non-zero are Binomial(K₀, 1 − P(0)) many, placed on distinct empty cells that can occur, each
//! with a zero-truncated draw: the same distribution at a cost that grows with the non-zero cells only.

use hashbrown::HashSet;
use num_bigint::BigUint;
use rand_distr::{Binomial, Distribution, Poisson};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use serde::Deserialize;
use statistics::counts::{CellDraws, CountDistribution, CountError, CountFamily, InversionTable, Mean};
use table::{Attributes, ContingencyTable, Domain};

use super::uniform_cell::UniformCell;
use super::{expanded_cells, stored_cells};
use crate::card::{MechanismCard, MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::randomness::{BLOCK, Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "saturated",
    summary: "gives every cell of the full cross-table a random count around its own",
    use_when: "the risk is to be known before generating: `lookalike plan` gives it exactly for this method",
    needs: Needs::Counts,
    options: &[
        OptionCard {
            name: "family",
            meaning: "poisson, nbi, pig or delaporte",
            default: Usual::Value("nbi"),
        },
        OptionCard {
            name: "sigma",
            meaning: "dispersion: a count with mean mu has variance mu + sigma mu^2; not for poisson",
            default: Usual::Value("0.5"),
        },
        OptionCard {
            name: "nu",
            meaning: "delaporte only: moves skewness at the same mean and variance, from 0 to below 1",
            default: Usual::Words("must be given"),
        },
        OptionCard {
            name: "alpha",
            meaning: "mean count of a cell that is empty but could occur",
            default: Usual::Value("0"),
        },
        OptionCard {
            name: "scale",
            meaning: "factor on all means: scale x N records are expected",
            default: Usual::Value("1"),
        },
    ],
    reproducible: true,
    privacy: None,
    mechanism: Some(MechanismCard {
        example: "saturated,family=nbi,sigma=0.5,alpha=0",
        options: &["family", "sigma", "nu", "alpha", "scale"],
        draws: |options| settings(options)?.cell_draws(),
    }),
    trials: &[
        Trial {
            place: 9,
            name: "saturated-0.1",
            label: "saturated, NBI, sigma 0.1",
            options: &["sigma=0.1"],
            m: 1,
            variables: 1,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 11,
            name: "saturated-0.5",
            label: "saturated, NBI, sigma 0.5",
            options: &["sigma=0.5"],
            m: 1,
            variables: 1,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 13,
            name: "saturated-2",
            label: "saturated, NBI, sigma 2",
            options: &["sigma=2.0"],
            m: 1,
            variables: 1,
            suits: Suits::AnyTable,
        },
    ],
    memory: "the occupied cells of the original and of the synthetic table, whatever K is",
    citation: "Jackson, Mitra, Francis and Dove (2022), Using saturated count models for user-friendly synthesis",
};

/// Most cells that a run may be expected to fill from zeros.
const MOST_NEW_CELLS: f64 = 2e7;

/// The dispersion of a family that has one, where none is given.
const DEFAULT_SIGMA: f64 = 0.5;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
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
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(Synthesizer::Counts(Box::new(settings(options)?)))
}

fn settings(options: &toml::Table) -> Result<Saturated, SynthesisError> {
    let saturated: Saturated = registry::options(options, &CARD)?;
    saturated.count_family()?;
    if !(saturated.alpha.is_finite() && saturated.alpha >= 0.0) {
        return Err(SynthesisError::option("alpha", "it must be 0 or a positive number"));
    }
    if !(saturated.scale.is_finite() && saturated.scale > 0.0) {
        return Err(SynthesisError::option("scale", "it must be a positive number"));
    }
    Ok(saturated)
}

impl Saturated {
    fn count_family(&self) -> Result<CountFamily, SynthesisError> {
        let sigma = self.sigma.or((self.family != "poisson").then_some(DEFAULT_SIGMA));
        CountFamily::from_options(&self.family, sigma, self.nu)
            .map_err(|error| SynthesisError::option(blamed(&error), error.to_string()))
    }

    fn cell_draws(&self) -> Result<CellDraws, SynthesisError> {
        CellDraws::independent(self.count_family()?, self.alpha, self.scale)
            .map_err(|error| SynthesisError::option(CARD.name, error.to_string()))
    }

    /// The distribution of the synthetic count of a cell with this original count, or this alpha.
    fn count_of(&self, count: f64) -> Result<CountDistribution, SynthesisError> {
        let mean = Mean::new(count * self.scale).map_err(|_| {
            SynthesisError::option(
                "scale",
                "a cell would get a mean beyond 1e15 records; choose a smaller scale",
            )
        })?;
        Ok(self.count_family()?.distribution(mean))
    }
}

/// The option that an error of the count family is about.
fn blamed(error: &CountError) -> &'static str {
    let text = error.to_string();
    ["sigma", "nu"].into_iter().find(|option| text.starts_with(option)).unwrap_or("family")
}

impl CountSynthesizer for Saturated {
    /// Poisson counts around the original ones are a plain sample; others scatter more.
    fn records_card(&self) -> RecordsCard {
        let making = match self.count_family().map_or(0.0, |family| family.sigma().value()) {
            0.0 => Making::PlainDraws,
            sigma => Making::RandomCounts { sigma },
        };
        RecordsCard {
            making,
            cells: self.cell_draws().ok(),
            uniform_records: 0.0,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn rows_can_be_chosen(&self) -> bool {
        false
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain();
        let table = data.counts.contingency_table(&Attributes::all(domain))?;
        let state =
            State { domain: domain.clone(), settings: self.clone(), zeros: data.zeros.clone(), table };
        Ok(Box::new(SaturatedModel::new(state)?))
    }
}

/// What was fitted.
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
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let (zeros, table) = stored_cells::load(from, &domain)?;
    stored_cells::check_total(&table, false, context)?;
    let settings = settings(context.options)?;
    Ok(Box::new(SaturatedModel::new(State { domain, settings, zeros, table })?))
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

/// The synthetic count of each cell, for whoever has the counts and needs no records. Empty cells stay empty.
pub fn synthetic_counts(counts: &[u64], family: CountFamily, seed: Seed) -> Result<Vec<u64>, SynthesisError> {
    let distribution = |count: u64| {
        let mean =
            Mean::new(count as f64).map_err(|error| SynthesisError::option("counts", error.to_string()))?;
        Ok(family.distribution(mean))
    };
    draw_counts(counts, &distribution, seed)
}

/// One synthetic count for each count, block by block on all cores.
fn draw_counts(
    counts: &[u64],
    distribution: &(dyn Fn(u64) -> Result<CountDistribution, SynthesisError> + Sync),
    seed: Seed,
) -> Result<Vec<u64>, SynthesisError> {
    let tables = tables_of_common_counts(counts, distribution)?;
    let blocks = counts.par_chunks(BLOCK).enumerate().map(|(block, counts)| {
        let mut rng = seed.stream(block as u64);
        let draw = |count: &u64| match tables.get(*count as usize) {
            Some(Some(table)) => Ok(table.sample(&mut rng)),
            _ => Ok(distribution(*count)?.sample(&mut rng)),
        };
        counts.iter().map(draw).collect::<Result<Vec<u64>, SynthesisError>>()
    });
    Ok(blocks.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Counts below this may be tabulated.
const SMALL: usize = 256;

/// Most cells are small and share few means; a mean that many cells share is worth a table.
fn tables_of_common_counts(
    counts: &[u64],
    distribution: &dyn Fn(u64) -> Result<CountDistribution, SynthesisError>,
) -> Result<Vec<Option<InversionTable>>, SynthesisError> {
    let mut cells = [0_usize; SMALL];
    counts.iter().filter(|count| **count < SMALL as u64).for_each(|count| cells[*count as usize] += 1);
    let table = |(count, cells): (usize, &usize)| {
        // A table takes about as long to make as this many draws.
        let is_worth_it = *cells > 100 + 20 * count;
        Ok(if is_worth_it { InversionTable::new(distribution(count as u64)?) } else { None })
    };
    cells.iter().enumerate().map(table).collect()
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

    /// Binomial(K₀, p). Below p = 10⁻⁹, where 1 − p loses digits, the Poisson limit is within p of it in total variation
    /// (Barbour & Hall 1984).
    fn number_filled(&self, rng: &mut Rng) -> Result<u64, SynthesisError> {
        let fault = |error: &dyn std::fmt::Display| SynthesisError::Fit {
            method: CARD.name,
            message: error.to_string(),
        };
        let share = self.count.probability_of_positive();
        let mean = as_f64(&self.random_zeros) * share;
        if mean == 0.0 {
            return Ok(0);
        }
        if let (Ok(cells), true) = (u64::try_from(&self.random_zeros), share >= 1e-9) {
            return Ok(Binomial::new(cells, share).map_err(|error| fault(&error))?.sample(rng));
        }
        Ok(Poisson::new(mean).map_err(|error| fault(&error))?.sample(rng) as u64)
    }
}

fn as_f64(number: &BigUint) -> f64 {
    number.to_string().parse().unwrap_or(f64::INFINITY)
}

impl Model<Cells> for SaturatedModel {
    /// The number of records is random and not asked for.
    fn sample(&self, _rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        let (domain, table) = (&self.state.domain, &self.state.table);
        let counts = self.counts(seed.child(0))?;
        let new = match &self.filling {
            Some(filling) => filling.draw(table, &mut seed.child(1).stream(0))?,
            None => Vec::new(),
        };
        let all: Vec<u64> = counts.into_iter().chain(new.iter().map(|(_, count)| *count)).collect();
        let class = |cell: usize, place: usize| match cell.checked_sub(table.occupied()) {
            None => table.class(cell, place),
            Some(new_cell) => new[new_cell].0[place],
        };
        expanded_cells::records(domain, &all, class, seed).ok_or_else(|| {
            // How many would tell how many there are: their number is scale times that.
            let message = format!(
                "more records would be made than one file takes, {}; choose a smaller scale",
                u32::MAX
            );
            SynthesisError::option("scale", message)
        })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        stored_cells::store(&self.state.zeros, &self.state.table, into)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("every occupied cell with its exact count: the records themselves, in classes")
    }
}
