//! The two traits behind every method.

use table::{CountSource, Table};

use crate::card::MethodCard;
use crate::randomness::Seed;
use crate::{Cells, StructuralZeros, SynthesisError};

/// What a synthesizer may look at.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    /// The counts, from whatever source.
    pub counts: &'a dyn CountSource,
    /// The records, where they are at hand; methods that need only counts do not look at them.
    pub records: Option<&'a Table>,
    /// Cells that cannot occur.
    pub zeros: &'a StructuralZeros,
}

/// A method with its settings.
pub trait Synthesizer: Send + Sync {
    /// What it is.
    fn card(&self) -> &'static MethodCard;

    /// Whether the number of synthetic records can be chosen, or follows from the method.
    fn rows_can_be_chosen(&self) -> bool {
        true
    }

    /// Why these settings make no sense within strata, if they do not.
    fn refuses_strata(&self) -> Option<&'static str> {
        None
    }

    /// Fits the method's model.
    fn fit(&self, data: Data<'_>, seed: Seed) -> Result<Box<dyn Model>, SynthesisError>;
}

/// What a model draws.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// Classes, which the decoder turns into records.
    Cells(Cells),
    /// Records with values of their own, of every variable that is modelled.
    Records(Table),
}

impl Drawn {
    /// The number of records.
    pub fn rows(&self) -> usize {
        match self {
            Self::Cells(cells) => cells.rows(),
            Self::Records(records) => records.rows(),
        }
    }

    /// The cells, of a method that draws cells.
    ///
    /// # Panics
    /// If they are records.
    pub fn into_cells(self) -> Cells {
        match self {
            Self::Cells(cells) => cells,
            Self::Records(_) => panic!("the method draws records, not cells"),
        }
    }
}

impl From<Cells> for Drawn {
    fn from(cells: Cells) -> Self {
        Self::Cells(cells)
    }
}

/// A fitted model; it keeps no reference to the records.
pub trait Model: Send + Sync {
    /// Draws a data set of `rows` records, or of as many as the method itself makes.
    fn sample(&self, rows: usize, seed: Seed) -> Result<Drawn, SynthesisError>;

    /// Data set `number`, where all were drawn, and paid for, when the method was fitted.
    fn paid(&self, _number: u32) -> Option<&Drawn> {
        None
    }

    /// Why the model cannot be saved, if it cannot.
    fn refuses_saving(&self) -> Option<&'static str> {
        None
    }

    /// What the fit has to say of itself, for people: convergence, size.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The state that a model file holds.
    fn state(&self) -> serde_json::Value;

    /// What the state gives away of the records, if anything.
    fn confidential(&self) -> Option<&'static str>;
}
