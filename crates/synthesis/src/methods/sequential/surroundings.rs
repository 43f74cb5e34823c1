//! What a stored part of the sequence has to agree with, so that it can be drawn from without leaving an array.

use table::Variable;

use super::auxiliary::Auxiliary;
use super::feature::FeatureCoding;
use super::fitted_variable::Mark;
use crate::SynthesisError;
use crate::stored::{damaged, ensure};

/// Conditionals are stored within conditionals no deeper than this: within cells, in two stages, by a method.
const DEEPEST: u32 = 4;

/// The variables around a step of the sequence.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The variables of the schema, then the auxiliary ones.
    pub variables: &'a [Variable],
    pub auxiliary: &'a [Auxiliary],
    /// For each variable that trees split by, how its values become codes.
    pub codings: &'a [Option<FeatureCoding>],
    /// Which variables are drawn before.
    pub known: &'a [bool],
    /// How many records the data had.
    pub records: usize,
}

/// What a conditional draws, and given what.
#[derive(Clone, Copy)]
pub(super) struct Conditioning<'a> {
    pub around: Surroundings<'a>,
    pub predictors: &'a [usize],
    pub draws: Drawing,
    depth: u32,
}

/// What a conditional draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Codes below this.
    Categories(u32),
    Numbers,
}

impl<'a> Surroundings<'a> {
    /// Whether a variable is drawn before.
    pub(super) fn is_known(&self, variable: usize) -> bool {
        self.known.get(variable) == Some(&true)
    }

    /// How many levels a categorical variable has; none for a number.
    pub(super) fn levels(&self, variable: usize) -> Option<usize> {
        self.variables[variable].kind.levels().map(|levels| levels.len())
    }

    /// Whether records of a variable can hold this.
    pub(super) fn can_hold(&self, variable: usize, mark: Mark) -> bool {
        let of = &self.variables[variable];
        match mark {
            Mark::Missing => true,
            Mark::Number => of.kind.is_numeric(),
            Mark::Value(number) => of.kind.is_numeric() && number.is_finite(),
            Mark::Code(code) => of.code_position(code).is_some(),
            Mark::Level(level) => self.levels(variable).is_some_and(|levels| (level as usize) < levels),
        }
    }

    /// Whether a variable is the auxiliary one at this place, and the variable that it is made from is known.
    pub(super) fn is_auxiliary(&self, variable: usize, at: usize) -> bool {
        let of_schema = self.variables.len() - self.auxiliary.len();
        let of = self.auxiliary.get(at).map(|auxiliary| &auxiliary.of);
        let of = self.variables[..of_schema].iter().position(|variable| Some(&variable.name) == of);
        variable.checked_sub(of_schema) == Some(at) && of.is_some_and(|of| self.is_known(of))
    }

    /// A conditional of these surroundings.
    pub(super) fn conditioning(self, predictors: &'a [usize], draws: Drawing) -> Conditioning<'a> {
        Conditioning { around: self, predictors, draws, depth: 0 }
    }
}

impl Conditioning<'_> {
    /// A conditional that is a part of this one, and draws something else.
    pub(super) fn part(self, draws: Drawing) -> Result<Self, SynthesisError> {
        ensure(self.depth < DEEPEST, "its models are nested too deeply")?;
        Ok(Self { draws, depth: self.depth + 1, ..self })
    }

    /// Refuses anything but a conditional of categories, and says of how many.
    pub(super) fn categories(&self) -> Result<u32, SynthesisError> {
        match self.draws {
            Drawing::Categories(size) => Ok(size),
            Drawing::Numbers => Err(damaged("a model of categories stands where numbers are drawn")),
        }
    }

    /// Refuses anything but a conditional of numbers.
    pub(super) fn numbers(&self) -> Result<(), SynthesisError> {
        ensure(self.draws == Drawing::Numbers, "a model of numbers stands where categories are drawn")
    }
}
