//! `catall` under privacy: noise on every cell of the cross-table (Raab 2022, section 2.2), or on the occupied ones with a threshold.
//!
//! **Pure ε.** Adding or removing a record changes one cell by one, so discrete Laplace noise of scale 1/ε on *all* K cells, empty ones
//! included, is ε-differentially private; that negative counts become zero, the prior, and the multinomial draw come after the noise and cost nothing. Up to a few million
//! cells the noisy table is held, beyond the same distribution is drawn lazily ([`privacy::LazyCells`]).
//!
//! **(ε, δ).** Only occupied cells get noise, and those are released whose noisy count reaches a threshold
//! ([`privacy::threshold`]).

use std::ops::Range;

use privacy::ledger::{Charge, Mechanism};
use privacy::{DENSE_CELLS, GuardedTable, LazyCells, NoisyCells};
use table::{Attributes, Domain};

use super::{CARD, Catall};
use crate::methods::weighted_cells::{State, WeightedCells, draw_each};
use crate::private::{PrivateSynthesizer, Public, Spending};
use crate::randomness::Seed;
use crate::stored::StateWriter;
use crate::{AnyModel, Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError};

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    Ok(Box::new(Private(super::settings(options)?)))
}

struct Private(Catall);

impl PrivateSynthesizer for Private {
    /// Noise and prior come before the draws, so that the law of the counts given the original ones is not that of the exact method.
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::NoisyModel { on_every_cell: true },
            cells: None,
            uniform_records: self.0.nprior,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let all = Attributes::all(public.domain);
        let is_lazy = public.domain.cells(&all) > DENSE_CELLS.into();
        if is_lazy && self.0.nprior > 0.0 && matches!(public.charge, Charge::Pure(_)) {
            let message = "a prior over so many cells would only add to the noise; leave it out";
            return Err(SynthesisError::option("nprior", message));
        }
        let (purpose, mechanism) = match public.charge {
            Charge::Pure(_) if is_lazy => ("counts of all cells".to_owned(), Mechanism::DiscreteLaplace),
            Charge::Pure(_) => {
                (format!("counts of {}", public.domain.describe(&all)), Mechanism::DiscreteLaplace)
            }
            Charge::Approximate(..) => (
                "occupied cells whose noisy count reaches a threshold".to_owned(),
                Mechanism::ThresholdedHistogram,
            ),
            Charge::ZeroConcentrated(_) => return Err(no_rho()),
        };
        Ok(vec![Spending { purpose, mechanism, charge: public.charge }])
    }

    fn margins_asked(&self, public: &Public<'_>) -> Vec<Attributes> {
        let all = Attributes::all(public.domain);
        let is_dense = public.domain.cells(&all) <= DENSE_CELLS.into();
        if is_dense && matches!(public.charge, Charge::Pure(_)) { vec![all] } else { Vec::new() }
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let (domain, zeros) = (public.domain, public.zeros);
        let poor = "noise on every cell drowns all but the largest counts; `ipf` serves most analyses better";
        let (table, remark) = match public.charge {
            Charge::Pure(epsilon) => match guard.noisy_cells(epsilon)? {
                NoisyCells::Lazy(cells) => {
                    return Ok(AnyModel::Cells(Box::new(Lazy {
                        domain: domain.clone(),
                        zeros: zeros.clone(),
                        cells,
                    })));
                }
                NoisyCells::Dense { sizes, counts } => {
                    let mut cell = vec![0_u32; sizes.len()];
                    let cells = counts.into_iter().map(|count| {
                        let here = cell.clone();
                        next(&mut cell, &sizes);
                        (here, count)
                    });
                    (WeightedCells::sparse(domain, zeros, cells), poor)
                }
            },
            Charge::Approximate(epsilon, delta) => {
                let cells = guard.thresholded_cells(epsilon, delta)?;
                (
                    WeightedCells::sparse(domain, zeros, cells.into_iter()),
                    "cells with few records are left out: small groups do not appear at all",
                )
            }
            Charge::ZeroConcentrated(_) => return Err(no_rho()),
        };
        let state = State {
            domain: domain.clone(),
            zeros: zeros.clone(),
            table,
            nprior: self.0.nprior,
            remarks: vec![remark.to_owned()],
        };
        Ok(AnyModel::Cells(Box::new(WeightedCells::new(CARD.name, state)?)))
    }
}

fn no_rho() -> SynthesisError {
    SynthesisError::option(
        "rho",
        "`catall` is private in epsilon, or in epsilon and delta; state one of those",
    )
}

/// The next cell, the last variable fastest.
fn next(cell: &mut [u32], sizes: &[usize]) {
    for (class, size) in cell.iter_mut().zip(sizes).rev() {
        *class += 1;
        if (*class as usize) < *size {
            return;
        }
        *class = 0;
    }
}

/// Noisy counts of more cells than can be held.
struct Lazy {
    domain: Domain,
    zeros: StructuralZeros,
    cells: Box<LazyCells>,
}

impl Lazy {
    fn draw(&self, rows: usize, part: Range<usize>, seed: Seed) -> Result<Cells, SynthesisError> {
        let possible = |cell: &[u32]| !self.zeros.contains(cell);
        let stuck = std::sync::atomic::AtomicBool::new(false);
        let cells = draw_each(&self.domain, rows, part, seed, |rng| {
            self.cells.draw(rng, &possible).unwrap_or_else(|| {
                stuck.store(true, std::sync::atomic::Ordering::Relaxed);
                vec![0; self.domain.variables().len()]
            })
        });
        if stuck.into_inner() {
            let message = "cells with records, or with noise, are too rare among so many to be found by search: too few can occur, or epsilon is too large for \
                           noise on empty cells to matter; use `ipf`";
            return Err(SynthesisError::Fit { method: CARD.name, message: message.into() });
        }
        Ok(cells)
    }
}

impl Model<Cells> for Lazy {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        self.draw(rows, 0..rows, seed)
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        Some(self.draw(rows, part, seed))
    }

    fn remarks(&self) -> Vec<String> {
        let all = Attributes::all(&self.domain);
        vec![format!(
            "{} cells got noise, those without records when a draw met them; nearly all of what is drawn may be noise: `ipf` \
             serves most analyses better",
            self.domain.cells(&all)
        )]
    }

    fn store(&self, _: &mut StateWriter<'_>) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("which cells hold records")
    }

    fn refuses_saving(&self) -> Option<&'static str> {
        Some(
            "noise of empty cells is drawn when they are met, so that the model is never whole; ask for all data sets with --m",
        )
    }
}
