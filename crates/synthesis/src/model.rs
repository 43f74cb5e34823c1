//! A fitted model: what it draws, what it has to say, and what a file holds of it.

use std::ops::Range;

use table::Table;

use crate::randomness::Seed;
use crate::stored::StateWriter;
use crate::{Cells, SynthesisError};

/// A fitted model, which draws [`Cells`] or records (a [`Table`]); it keeps no reference to the data.
pub trait Model<Drawn>: Send + Sync {
    /// Draws a data set of `rows` records, or of as many as the method itself makes.
    fn sample(&self, rows: usize, seed: Seed) -> Result<Drawn, SynthesisError>;

    /// Whether the records of a data set of so many are drawn [part by part](Self::sample_part).
    fn has_parts(&self, _rows: usize) -> bool {
        false
    }

    /// The records of a data set of `rows` from the first to the last of `part`, which begins at a multiple of [`CHUNK`](crate::randomness::CHUNK) and has no more
    /// records than that: the same ones as in [`sample`](Self::sample). `None` where the model draws all records at once.
    fn sample_part(
        &self,
        _rows: usize,
        _part: Range<usize>,
        _seed: Seed,
    ) -> Option<Result<Drawn, SynthesisError>> {
        None
    }

    /// `each` candidates for each of `rows` records, the k-th of record r at k · `rows` + r. Where values of original records are kept
    /// (see [`keeps_values`](Self::keeps_values)), all candidates of a record have the same.
    fn candidates(&self, rows: usize, each: usize, seed: Seed) -> Result<Drawn, SynthesisError> {
        self.sample(rows * each, seed)
    }

    /// Whether records keep values of original ones, so that candidates are those of a record.
    fn keeps_values(&self) -> bool {
        false
    }

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

    /// Writes the state that a model file holds, piece by piece.
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()>;

    /// What the state gives away of the records, if anything.
    fn confidential(&self) -> Option<&'static str>;
}

/// A fitted model, by what it draws: what a private fit and a model file yield.
pub enum AnyModel {
    /// Classes, which a decoder turns into records.
    Cells(Box<dyn Model<Cells>>),
    /// Records with values of their own, of every variable that is modelled.
    Records(Box<dyn Model<Table>>),
}

/// Data sets that were drawn and paid for when the method was fitted.
pub(crate) struct PaidDataSets<Drawn> {
    data_sets: Vec<Drawn>,
    remarks: Vec<String>,
}

impl<Drawn> PaidDataSets<Drawn> {
    pub(crate) fn new(data_sets: Vec<Drawn>, remarks: Vec<String>) -> Self {
        Self { data_sets, remarks }
    }
}

impl<Drawn: Send + Sync> Model<Drawn> for PaidDataSets<Drawn> {
    fn sample(&self, _: usize, _: Seed) -> Result<Drawn, SynthesisError> {
        Err(SynthesisError::ModelFile("each data set of this method has to be paid for; fit again".into()))
    }

    fn paid(&self, number: u32) -> Option<&Drawn> {
        self.data_sets.get(number as usize)
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, _: &mut StateWriter<'_>) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }

    fn refuses_saving(&self) -> Option<&'static str> {
        Some("each further data set of this method would have to be paid for; ask for all of them with --m")
    }
}
