//! A cell drawn uniformly from all that can occur, however many there are.

use num_bigint::BigUint;
use rand::RngExt;
use table::{Attributes, Domain};

use crate::randomness::Rng;
use crate::{StructuralZeros, SynthesisError};

/// Rejection is refused if more cells than this are drawn for one that can occur.
const MOST_DRAWS: u32 = 1_000;

/// Draws cells by rejection: each variable uniform, again until the cell can occur. Exact, and cheap unless nearly all
/// cells are structural zeros.
#[derive(Clone, Debug)]
pub(super) struct UniformCell {
    sizes: Vec<u32>,
    zeros: StructuralZeros,
}

impl UniformCell {
    /// Cells of this domain. Refused if so few can occur that rejection would not end.
    pub(super) fn new(
        method: &'static str,
        domain: &Domain,
        zeros: &StructuralZeros,
    ) -> Result<Self, SynthesisError> {
        let refuse = |message: &str| Err(SynthesisError::Fit { method, message: message.into() });
        let possible = zeros.possible_cells(domain)?;
        if possible == BigUint::ZERO {
            return refuse("the schema leaves no possible cell at all");
        }
        if domain.cells(&Attributes::all(domain)) / possible > BigUint::from(MOST_DRAWS) {
            return refuse(
                "fewer than one cell in a thousand can occur, so that drawing evenly among them would take too long; \
                 leave out a nested parent, or do not ask for nprior or alpha",
            );
        }
        Ok(Self {
            sizes: domain.variables().iter().map(|classes| classes.size() as u32).collect(),
            zeros: zeros.clone(),
        })
    }

    /// One cell.
    pub(super) fn draw(&self, rng: &mut Rng) -> Vec<u32> {
        loop {
            let cell: Vec<u32> = self.sizes.iter().map(|size| rng.random_range(0..*size)).collect();
            if !self.zeros.contains(&cell) {
                return cell;
            }
        }
    }
}
