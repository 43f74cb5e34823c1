//! A known variable as later ones are drawn given it: coded for trees, grouped for tables.

use std::sync::Arc;

use statistics::trees::{Coding, Predictor};
use table::schema::Kind;
use table::{Column, Variable};

use super::groups::Groups;
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, damaged, ensure, numbers_and_marks};

/// Levels of a predictor with fewer records than this are put together.
const RARE: u32 = 20;

/// A column that later variables are drawn given.
pub(in crate::methods) struct Feature {
    /// As trees split by it.
    pub predictor: Predictor,
    /// The group of each record.
    pub groups: Vec<u8>,
    /// Which group each code is in.
    of_codes: Arc<Groups>,
}

/// How values of a variable become codes and groups.
#[derive(Clone, Debug)]
pub(super) struct FeatureCoding {
    codes: Arc<Coding>,
    groups: Arc<Groups>,
}

impl Feature {
    /// A column of the data, from which codes and groups are learned.
    pub(in crate::methods) fn learn(variable: &Variable, column: &Column) -> Result<Self, SynthesisError> {
        let coded = match (column, &variable.kind) {
            (Column::Categorical(codes), Kind::Ordinal { levels }) => {
                Predictor::coded(&Arc::new(Coding::ordered(levels.len() as u32, 1)), codes.iter())
            }
            (Column::Categorical(codes), kind) => {
                let levels = kind.levels().map_or(0, |levels| levels.len()) as u32;
                Predictor::coded(&Arc::new(Coding::categorical(levels + 1)), codes.iter())
            }
            (numeric, _) => {
                let (values, marks) = numbers_and_marks(numeric);
                Predictor::numeric(&values, marks.as_deref())
            }
        };
        let predictor = coded.map_err(|error| variable_error(variable, &error.to_string()))?;
        let mut counts = vec![0; predictor.coding().codes()];
        (0..predictor.len()).for_each(|row| counts[predictor.code(row) as usize] += 1);
        // The levels of an ordered factor are few enough for a group each.
        let ordered = if matches!(column, Column::Categorical(_)) {
            0
        } else {
            predictor.coding().ordered_codes() as usize
        };
        Ok(Self::grouped(predictor, Arc::new(Groups::of_counts(&counts, ordered, RARE))))
    }

    /// Another column of the same variable, coded and grouped in the same way.
    pub(super) fn encode(
        coding: &FeatureCoding,
        variable: &Variable,
        column: &Column,
    ) -> Result<Self, SynthesisError> {
        let coded = match column {
            Column::Categorical(codes) => Predictor::coded(&coding.codes, codes.iter()),
            numeric => {
                let (values, mut marks) = numbers_and_marks(numeric);
                // A mark that no record of the data had stands where its nearest kin would.
                let most = coding.codes.unordered_codes() as u8;
                marks.iter_mut().flatten().for_each(|mark| *mark = (*mark).min(most));
                Predictor::numeric_as(&coding.codes, &values, marks.as_deref())
            }
        };
        let predictor = coded.map_err(|error| variable_error(variable, &error.to_string()))?;
        Ok(Self::grouped(predictor, Arc::clone(&coding.groups)))
    }

    fn grouped(predictor: Predictor, of_codes: Arc<Groups>) -> Self {
        let groups = (0..predictor.len()).map(|row| of_codes.of(predictor.code(row))).collect();
        Self { predictor, groups, of_codes }
    }

    /// How many groups there are.
    pub(super) fn count(&self) -> usize {
        self.of_codes.count()
    }

    /// How its values became codes and groups.
    pub(super) fn coding(&self) -> FeatureCoding {
        FeatureCoding { codes: Arc::clone(self.predictor.coding()), groups: Arc::clone(&self.of_codes) }
    }
}

impl FeatureCoding {
    /// How many codes are ordered, and how many are not.
    pub(super) fn codes(&self) -> (u32, u32) {
        (self.codes.ordered_codes(), self.codes.unordered_codes())
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.groups.count()
    }

    /// Writes the coding.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("unordered codes", &self.codes.unordered_codes())?;
        into.array("values of codes", self.codes.values())?;
        self.groups.store(into)
    }

    /// The coding of a variable.
    pub(super) fn load(from: &mut StateReader<'_>, variable: &Variable) -> Result<Self, SynthesisError> {
        let unordered = from.settings("unordered codes")?;
        let codes = Coding::stored(from.array("values of codes")?, unordered).map_err(damaged)?;
        let is_of_variable = match &variable.kind {
            Kind::Ordinal { levels } => codes == Coding::ordered(levels.len() as u32, 1),
            Kind::Categorical { levels } => codes == Coding::categorical(levels.len() as u32 + 1),
            _ => unordered as usize <= 1 + variable.codes.len() && codes.codes() > 0,
        };
        ensure(is_of_variable, "the codes of a predictor are not those of its variable")?;
        let groups = Groups::load(from, codes.codes())?;
        Ok(Self { codes: Arc::new(codes), groups: Arc::new(groups) })
    }
}

fn variable_error(variable: &Variable, message: &str) -> SynthesisError {
    table::TableError::variable(&variable.name, message).into()
}
