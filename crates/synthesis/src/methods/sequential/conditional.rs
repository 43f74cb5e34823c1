//! The distribution of one variable given others: what a method of a variable fits and draws from.

use super::feature::Feature;
use super::frame::Frame;
use super::options::Settings;
use super::surroundings::Conditioning;
use super::variable_methods;
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter};

/// Records of which earlier variables are known, as columns and as trees see them.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    pub frame: &'a Frame<'a>,
    /// For each variable that a tree splits by, its coded column.
    pub features: &'a [Option<Feature>],
}

impl<'a> Given<'a> {
    /// The coded columns of these variables.
    pub(super) fn features(&self, of: &[usize]) -> Vec<&'a Feature> {
        let coded = |variable: &usize| {
            self.features[*variable]
                .as_ref()
                .expect("variables that trees split by are coded when they are visited")
        };
        of.iter().map(coded).collect()
    }
}

/// What is to be fitted: a response given predictors, on some records.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub given: Given<'a>,
    pub predictors: &'a [usize],
    /// The records to learn from, as positions in `given`.
    pub rows: &'a [u32],
    /// The response of each of these records.
    pub response: Response<'a>,
    pub settings: &'a Settings,
    pub seed: Seed,
}

impl Task<'_> {
    /// Whether all records are learned from, in their order.
    pub(super) fn has_all_rows(&self) -> bool {
        self.rows.len() == self.given.frame.rows()
    }
}

/// Categories or numbers, one for each record that is learned from.
#[derive(Clone, Copy)]
pub(super) enum Response<'a> {
    /// Codes below `size`, each of which occurs.
    Categories { codes: &'a [u32], size: u32 },
    /// Finite numbers.
    Numbers(&'a [f64]),
}

/// What is drawn: categories or numbers, one for each record that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Draws {
    Codes(Vec<u32>),
    Numbers(Vec<f64>),
}

impl Draws {
    /// The categories, of a conditional that was fitted to categories.
    pub(super) fn codes(self) -> Vec<u32> {
        match self {
            Self::Codes(codes) => codes,
            Self::Numbers(_) => Vec::new(),
        }
    }

    /// The numbers, of a conditional that was fitted to numbers.
    pub(super) fn numbers(self) -> Vec<f64> {
        match self {
            Self::Numbers(numbers) => numbers,
            Self::Codes(_) => Vec::new(),
        }
    }
}

/// A fitted conditional distribution.
pub(super) trait Conditional: Send + Sync {
    /// The name of the method, under which its state is stored.
    fn method(&self) -> &'static str;

    /// A response for each of these records, given its predictors.
    fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError>;

    /// The same conditional with its parameters drawn from their posterior: one step of proper synthesis.
    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional>;

    /// Writes what is stored of it.
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()>;

    /// What the fit has to say of itself.
    fn remark(&self) -> Option<String> {
        None
    }
}

impl std::fmt::Debug for dyn Conditional {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method())
    }
}

/// The name under which the method of a conditional is stored.
const METHOD: &str = "method";

/// Writes a conditional, its method first.
pub(super) fn store(conditional: &dyn Conditional, into: &mut StateWriter<'_>) -> std::io::Result<()> {
    into.settings(METHOD, &conditional.method())?;
    conditional.store(into)
}

/// A stored conditional, of whatever method.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let method: String = from.settings(METHOD)?;
    variable_methods::load(&method, from, of)
}
