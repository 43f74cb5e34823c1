//! A method with its settings, by what it is fitted to: counts, records, or a table behind its guard.

use table::{CountSource, Schema, Source, Table};

use crate::private::PrivateSynthesizer;
use crate::randomness::Seed;
use crate::run::{Estimate, Part};
use crate::tilt::TiltSettings;
use crate::{Cells, Model, Recipe, RecordsCard, StructuralZeros, SynthesisError, registry};

/// A method with its settings. What it is fitted to decides how a run goes and what can be its source.
pub enum Synthesizer {
    /// It looks at counts, from whatever source, and draws cells.
    Counts(Box<dyn CountSynthesizer>),
    /// It needs the records themselves, and draws records.
    Records(Box<dyn RecordSynthesizer>),
    /// It asks questions of a guard and pays for the answers.
    Private(Box<dyn PrivateSynthesizer>),
}

impl Synthesizer {
    /// The recipe's method with its options: private if the recipe states a budget.
    pub fn of(recipe: &Recipe) -> Result<Self, SynthesisError> {
        let options = recipe.method_options();
        match &recipe.privacy {
            Some(_) => (registry::private(&recipe.method)?)(&options).map(Self::Private),
            None => (registry::plain(&recipe.method)?)(&options),
        }
    }

    /// How the records that it makes come about.
    pub fn records_card(&self) -> RecordsCard {
        match self {
            Self::Counts(method) => method.records_card(),
            Self::Records(method) => method.records_card(),
            Self::Private(method) => method.records_card(),
        }
    }

    /// How its data sets are chosen out of more candidates, if they are.
    pub fn tilt(&self) -> Option<TiltSettings> {
        match self {
            Self::Records(method) => method.tilt(),
            Self::Counts(_) | Self::Private(_) => None,
        }
    }

    /// Whether the number of synthetic records can be chosen, or follows from the method.
    pub fn rows_can_be_chosen(&self) -> bool {
        match self {
            Self::Counts(method) => method.rows_can_be_chosen(),
            Self::Records(_) | Self::Private(_) => true,
        }
    }

    /// Whether fitting takes chance, so that fits with different seeds are different models; noise is chance.
    pub fn fit_is_random(&self, source: Source<'_>) -> bool {
        match self {
            Self::Counts(_) => false,
            Self::Records(method) => source.table().is_none_or(|records| method.fit_is_random(records)),
            Self::Private(_) => true,
        }
    }
}

/// What a method of counts may look at.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    /// The counts, from whatever source.
    pub counts: &'a dyn CountSource,
    /// Cells that cannot occur.
    pub zeros: &'a StructuralZeros,
}

/// A method that needs only counts. Fitting takes no chance.
pub trait CountSynthesizer: Send + Sync {
    /// How the records that it makes with these settings come about.
    fn records_card(&self) -> RecordsCard;

    /// Whether the number of synthetic records can be chosen, or follows from the method.
    fn rows_can_be_chosen(&self) -> bool {
        true
    }

    /// Why these settings make no sense within strata, if they do not.
    fn refuses_strata(&self) -> Option<&'static str> {
        None
    }

    /// Fits the method's model.
    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError>;
}

/// A method that works on records, not on counts.
pub trait RecordSynthesizer: Send + Sync {
    /// How the records that it makes with these settings come about.
    fn records_card(&self) -> RecordsCard;

    /// Why the number of synthetic records cannot be chosen, if it cannot.
    fn refuses_rows(&self) -> Option<&'static str> {
        None
    }

    /// The schema of what is drawn, where that is not the records' own.
    fn released_schema(&self, _records: &Table) -> Result<Option<Schema>, SynthesisError> {
        Ok(None)
    }

    /// Fits the method's model to records that keep their schema.
    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError>;

    /// Whether fitting to these records takes chance, so that fits with different seeds are different models.
    fn fit_is_random(&self, records: &Table) -> bool;

    /// What there is to say of a fit to all of these records, in strata or not.
    fn remarks(&self, _records: &Table) -> Vec<String> {
        Vec::new()
    }

    /// How its data sets are chosen out of more candidates, if they are.
    fn tilt(&self) -> Option<TiltSettings> {
        None
    }

    /// What a fit to all of these records would take. Refuses data that the method must not be fitted to.
    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError>;
}
