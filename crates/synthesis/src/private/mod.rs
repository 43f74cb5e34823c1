//! Private runs: a declared schema, a budget, a guard, and a ledger of every look.
//!
//! A [`PrivateSynthesizer`] never sees the records or a count, only a [`GuardedTable`], which is made from a declared schema
//! and books every question before it looks. What it may know without asking is [`Public`].

mod candidates;
mod coincidence;
mod domains;
mod run;
mod settings;
mod spending;
mod units;

use privacy::{Charge, Cost, GuardedTable, Neighbours};
use table::{Attributes, DeclaredSchema, Domain};

pub(crate) use self::run::fit;
pub use self::run::{declared, plan};
pub use self::settings::PrivacySettings;
pub use self::spending::{Spending, SpendingPlan};
use crate::{AnyModel, RecordsCard, StructuralZeros, SynthesisError};

/// What is known without looking at the records.
pub struct Public<'a> {
    /// The schema, which a person declared.
    pub schema: &'a DeclaredSchema,
    /// The variables with their classes.
    pub domain: &'a Domain,
    /// Cells that cannot occur.
    pub zeros: &'a StructuralZeros,
    /// The number of records: declared, public by definition, or a noisy count that was paid for.
    pub size: u64,
    /// Records in each data set, where that was asked for; else as many as there are.
    pub rows: Option<u64>,
    /// How many data sets will be drawn.
    pub m: u32,
    /// What the method may spend.
    pub charge: Charge,
    /// The number of records where it is public by definition and nobody stated another.
    pub exact_size: Option<u64>,
    /// By how much one unit changes a histogram: in sum, and in sum of squares.
    pub sensitivities: (u64, u64),
}

impl Public<'_> {
    /// So many units of the budget as the price of one question: in ρ where the budget is, else in ε.
    pub(crate) fn price(&self, units: u64) -> Charge {
        match self.charge {
            Charge::Pure(_) | Charge::Approximate(..) => Charge::Pure(Cost::from_units(units)),
            Charge::ZeroConcentrated(_) => Charge::ZeroConcentrated(Cost::from_units(units)),
        }
    }
}

/// How a method spends an ε with a δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accounting {
    /// The ε and the δ of its questions are added up.
    Basic,
    /// The δ is turned into a budget of ρ, by which Gaussian noise is paid.
    ZeroConcentrated,
}

/// The classes of numbers for which the schema names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberClasses {
    /// None: it looks at numbers as they are.
    None,
    /// Few, at private quantiles that a run buys.
    Bought,
    /// Many public ones over the declared range, which the method merges by itself.
    Fine,
}

/// A method that sees the records through their guard only.
pub trait PrivateSynthesizer: Send + Sync {
    /// How the records that it makes with these settings come about.
    fn records_card(&self) -> RecordsCard;

    /// How it spends an ε with a δ.
    fn accounting(&self) -> Accounting {
        Accounting::Basic
    }

    /// Whether an ε with a δ, which would buy this ρ, is better spent as a pure ε: few questions under Laplace noise are less noisy than under Gaussian noise. From what is public alone.
    fn prefers_pure(
        &self,
        _schema: &DeclaredSchema,
        _recipe: &crate::Recipe,
        _epsilon: f64,
        _rho: f64,
    ) -> bool {
        false
    }

    /// The relation of neighbours that its argument needs, if it needs one.
    fn needs_neighbours(&self) -> Option<Neighbours> {
        None
    }

    /// In which classes it looks at numbers for which the schema names none.
    fn number_classes(&self) -> NumberClasses {
        NumberClasses::Bought
    }

    /// Why these settings make no sense within strata, if they do not.
    fn refuses_strata(&self) -> Option<&'static str> {
        None
    }

    /// The margins that it may ask for, from what is public alone: all of them are counted in one pass before the first question is paid. What it asks
    /// besides takes a pass of its own.
    fn margins_asked(&self, public: &Public<'_>) -> Vec<Attributes> {
        Attributes::combinations(public.domain, public.domain.variables().len().min(2))
    }

    /// Every question that it will ask, with its price, from what is public alone.
    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError>;

    /// Asks, and makes a model of the answers. Data sets of the model cost nothing more, or were all paid for by now.
    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError>;

    /// The schema of its records, where it is not that of the table.
    fn released_schema(&self, schema: &DeclaredSchema) -> Result<Option<table::Schema>, SynthesisError> {
        let _ = schema;
        Ok(None)
    }
}
