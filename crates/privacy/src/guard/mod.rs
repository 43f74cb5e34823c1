//! The only way a private method reads the records: looking and paying are one call, which refuses before it looks.
//!
//! A [`GuardedTable`] is made from a *declared* schema, so its classes say nothing of the records. It shows the domain, which is
//! public, and answers questions under noise; every question names its price, which the ledger books first. There is no other
//! door: the counts are private fields. The records may be elsewhere: any source of counts in the declared classes will do, and only
//! sums of numbers need the records themselves.
//!
//! ```compile_fail,E0616
//! # fn peek(guard: &privacy::GuardedTable<'_>) {
//! let counts = &guard.held; // an unpaid look does not compile
//! # }
//! ```

mod columns;
mod dependence;
mod descent;
mod grouped;
mod moments;
mod noisy_cells;
mod predictive;
mod thresholded;

use num_bigint::BigUint;
use table::{
    Attributes, CodedTable, Codes, CountSource, DeclaredSchema, Domain, Margin, Schema, Source, Table,
    TableError,
};

pub use self::columns::{Bound, Candidates, GuardedColumns};
pub use self::dependence::Dependence;
pub use self::descent::{DescentPlan, Learner};
pub use self::grouped::{Expected, ExpectedGroups, GroupedMargin, ScoredGroups};
pub use self::moments::{GRID, ScaledVariable};
pub use self::noisy_cells::{DENSE_CELLS, LazyCells, NoisyCells};
pub use self::predictive::PriorWeight;
pub use self::thresholded::threshold;
use crate::ledger::{Charge, Event, Notion, PrivacyLedger};
use crate::noise::{DiscreteGaussian, DiscreteLaplace, exponential_mechanism, permute_and_flip};
use crate::{Cost, Neighbours, NoiseSource, NoiseStream, PrivacyError, conversion};

/// A confidential table behind its ledger.
pub struct GuardedTable<'a> {
    held: Held<'a>,
    schema: &'a Schema,
    ledger: &'a mut PrivacyLedger,
    noise: &'a mut NoiseSource,
}

/// What is looked at.
enum Held<'a> {
    /// Records in memory, in classes and as they are.
    Records {
        coded: CodedTable,
        records: &'a Table,
        /// The rows of the table that are here; all of them if none are named.
        rows: Option<Vec<u32>>,
    },
    /// Counts of records that are elsewhere.
    Counts(Box<dyn CountSource + 'a>),
}

impl Held<'_> {
    fn counts(&self) -> &dyn CountSource {
        match self {
            Self::Records { coded, .. } => coded,
            Self::Counts(counts) => counts.as_ref(),
        }
    }

    /// The rows of every part by some variables, in one pass; `None` where there are no rows.
    fn rows_by(&self, by: &Attributes, sizes: &[usize], parts: usize) -> Option<Vec<Vec<u32>>> {
        let Self::Records { coded, .. } = self else { return None };
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); parts];
        for row in 0..coded.records() as usize {
            let part =
                by.positions().iter().zip(sizes).fold(0, |part, (position, size)| {
                    part * size + coded.columns()[*position].get(row) as usize
                });
            rows_of[part].push(row as u32);
        }
        Some(rows_of)
    }

    /// One part: these rows, or this cell.
    fn part(&self, by: &Attributes, cell: &[u32], part: Option<Vec<u32>>) -> Result<Held<'_>, TableError> {
        match (self, part) {
            (Self::Records { coded, records, rows }, Some(part)) => {
                let (rest, domain) = coded.domain().without(by)?;
                let columns = rest.positions().iter().zip(domain.variables()).map(|(position, classes)| {
                    let codes = &coded.columns()[*position];
                    Codes::collect(classes.size(), part.iter().map(|row| codes.get(*row as usize)))
                });
                let coded = CodedTable::from_codes(domain.clone(), columns.collect());
                let row_here = |row: &u32| rows.as_ref().map_or(*row, |rows| rows[*row as usize]);
                let rows = Some(part.iter().map(row_here).collect());
                Ok(Held::Records { coded, records, rows })
            }
            _ => Ok(Held::Counts(self.counts().within(by, cell)?)),
        }
    }
}

/// Integers under noise, and the noise.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyCounts {
    /// Count plus noise of every cell, the last variable fastest; may be negative.
    pub counts: Vec<i64>,
    /// The law of the noise.
    pub law: NoiseLaw,
}

/// The law of the noise on every count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseLaw {
    /// Discrete Laplace.
    Laplace(DiscreteLaplace),
    /// Discrete Gaussian.
    Gaussian(DiscreteGaussian),
}

/// A margin that may be measured next, and what is expected of it without looking.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedMargin<'a> {
    /// Its variables.
    pub of: &'a Attributes,
    /// The expected counts, the last variable fastest.
    pub expected: &'a [i64],
    /// What is taken off its score.
    pub penalty: i64,
}

impl NoiseLaw {
    /// Noise that costs exactly this charge on counts of which neighbours differ by so much, in sum and in sum of squares.
    fn for_charge(charge: Charge, l1: u64, l2_squared: u64) -> Result<Self, PrivacyError> {
        match charge {
            Charge::Pure(epsilon) | Charge::Approximate(epsilon, _) => {
                DiscreteLaplace::for_cost(epsilon, l1).map(Self::Laplace)
            }
            Charge::ZeroConcentrated(rho) => DiscreteGaussian::for_cost(rho, l2_squared).map(Self::Gaussian),
        }
    }

    /// A number under noise.
    pub fn add_to(&self, count: i64, rng: &mut NoiseStream) -> i64 {
        match self {
            Self::Laplace(law) => law.add_to(count, rng),
            Self::Gaussian(law) => law.add_to(count, rng),
        }
    }

    /// The standard deviation of the noise.
    pub fn standard_deviation(&self) -> f64 {
        match self {
            Self::Laplace(law) => law.variance().sqrt(),
            Self::Gaussian(law) => law.variance().sqrt(),
        }
    }
}

impl<'a> GuardedTable<'a> {
    /// Puts a table, or counts, behind a ledger. Records must have been read, and counts made, under this very schema; classes of numbers are
    /// its cuts, or else `groups` classes of equal width over the declared range.
    pub fn new(
        source: impl Into<Source<'a>>,
        schema: &DeclaredSchema,
        groups: usize,
        ledger: &'a mut PrivacyLedger,
        noise: &'a mut NoiseSource,
    ) -> Result<Self, PrivacyError> {
        let source = source.into();
        if source.schema() != schema.schema() {
            return Err(PrivacyError::Table(
                "the table was read under another schema than the declared one".into(),
            ));
        }
        let held = match source.table() {
            Some(records) => {
                let coded = CodedTable::in_domain(records, &Domain::declared(schema, groups)?)?;
                Held::Records { coded, records, rows: None }
            }
            None => Held::Counts(source.declared_counts(schema, groups)?),
        };
        Ok(Self { held, schema: source.schema(), ledger, noise })
    }

    /// The variables and their classes, which are declared.
    pub fn domain(&self) -> &Domain {
        self.held.counts().domain()
    }

    /// The relation of neighbours that the ledger is kept for.
    pub fn neighbours(&self) -> Neighbours {
        self.ledger.neighbours()
    }

    /// The largest charge that the next question here can have.
    pub fn left(&self) -> Charge {
        self.ledger.left()
    }

    /// A charge of this much in the notion of the ledger.
    pub fn charge(&self, cost: Cost) -> Charge {
        match self.ledger.budget().limit() {
            Charge::Pure(_) => Charge::Pure(cost),
            Charge::ZeroConcentrated(_) => Charge::ZeroConcentrated(cost),
            Charge::Approximate(_, delta) => Charge::Approximate(cost, delta),
        }
    }

    /// The number of records where it is public by definition: where neighbours are tables with one record replaced. A replaced unit of several records may have
    /// fewer or more of them.
    pub fn public_size(&self) -> Option<u64> {
        let is_fixed = self.neighbours() == Neighbours::ReplaceOne && self.ledger.records_per_unit() == 1;
        is_fixed.then(|| self.held.counts().records())
    }

    /// [`public_size`](Self::public_size), refused where there is none.
    fn fixed_size(&self, what: &str) -> Result<u64, PrivacyError> {
        self.public_size().ok_or_else(|| PrivacyError::NeedsReplaceOne { what: what.into() })
    }

    /// The number of records under noise. One record more or less changes it by one, a unit of k records by k.
    pub fn noisy_size(&mut self, purpose: &str, charge: Charge) -> Result<i64, PrivacyError> {
        let records = self.ledger.records_per_unit();
        let law = self.pay(purpose, charge, records, records * records)?;
        Ok(law.add_to(self.held.counts().records() as i64, self.noise.rng()))
    }

    /// The counts of a margin under noise. One record changes one cell by one, or two cells if it is replaced.
    pub fn noisy_margin(&mut self, of: &Attributes, charge: Charge) -> Result<NoisyCounts, PrivacyError> {
        Margin::checked_cells(self.domain(), of)?;
        let purpose = format!("counts of {}", self.domain().describe(of));
        let (l1, l2_squared) = self.histogram_sensitivities();
        let law = self.pay(&purpose, charge, l1, l2_squared)?;
        let margin = self.held.counts().margins(std::slice::from_ref(of))?.remove(0);
        let rng = self.noise.rng();
        let counts = margin.counts().iter().map(|count| law.add_to(*count as i64, rng)).collect();
        Ok(NoisyCounts { counts, law })
    }

    /// One of several margins, with a preference for a large Σ|y − expected| − penalty. One record changes that by one, or by two
    /// if it is replaced. Pure ε: permute-and-flip. ρ: the exponential mechanism with ε = √(8ρ).
    pub fn choose(
        &mut self,
        purpose: &str,
        candidates: &[ExpectedMargin<'_>],
        charge: Charge,
    ) -> Result<usize, PrivacyError> {
        for candidate in candidates {
            Margin::checked_cells(self.domain(), candidate.of)?;
        }
        let sensitivity = u128::from(self.histogram_sensitivities().0);
        let epsilon = self.pay_choice(purpose, charge, sensitivity)?;
        let wanted: Vec<Attributes> = candidates.iter().map(|candidate| candidate.of.clone()).collect();
        let margins = self.held.counts().margins(&wanted)?;
        let score = |(margin, candidate): (&Margin, &ExpectedMargin<'_>)| {
            let differences = margin.counts().iter().zip(candidate.expected);
            let distance: i128 =
                differences.map(|(count, expected)| (i128::from(*count) - i128::from(*expected)).abs()).sum();
            distance - i128::from(candidate.penalty)
        };
        let scores: Vec<i128> = margins.iter().zip(candidates).map(score).collect();
        self.draw_choice(charge.notion(), &scores, sensitivity, epsilon)
    }

    /// Books a choice by scores of this sensitivity; the ε by which it is drawn.
    fn pay_choice(&mut self, purpose: &str, charge: Charge, sensitivity: u128) -> Result<Cost, PrivacyError> {
        let (event, epsilon) = match charge {
            Charge::Pure(epsilon) | Charge::Approximate(epsilon, _) => {
                (Event::permute_and_flip(purpose, epsilon, sensitivity as f64)?, epsilon)
            }
            Charge::ZeroConcentrated(rho) => {
                let epsilon = conversion::exponential_mechanism_epsilon(rho)?;
                (Event::exponential_mechanism_in_rho(purpose, epsilon, sensitivity as f64)?, epsilon)
            }
        };
        self.ledger.spend(event)?;
        Ok(epsilon)
    }

    /// Draws a choice that was booked.
    fn draw_choice(
        &mut self,
        notion: Notion,
        scores: &[i128],
        sensitivity: u128,
        epsilon: Cost,
    ) -> Result<usize, PrivacyError> {
        let choose = match notion {
            Notion::ZeroConcentrated => exponential_mechanism,
            Notion::Pure | Notion::Approximate => permute_and_flip,
        };
        choose(self.noise.rng(), scores, sensitivity, epsilon)
    }

    /// All cells of the cross-table under discrete Laplace noise, held up to [`DENSE_CELLS`] cells and drawn lazily beyond.
    pub fn noisy_cells(&mut self, epsilon: Cost) -> Result<NoisyCells, PrivacyError> {
        let cells = self.domain().cells(&Attributes::all(self.domain()));
        self.noisy_cells_as(epsilon, cells > BigUint::from(DENSE_CELLS))
    }

    /// The same, lazily or not; both ways have the same distribution.
    pub(crate) fn noisy_cells_as(&mut self, epsilon: Cost, lazily: bool) -> Result<NoisyCells, PrivacyError> {
        let all = Attributes::all(self.domain());
        if !lazily {
            let noisy = self.noisy_margin(&all, Charge::Pure(epsilon))?;
            let counts = noisy.counts.iter().map(|count| (*count).max(0) as u64).collect();
            return Ok(NoisyCells::Dense { sizes: self.domain().sizes(&all), counts });
        }
        let (l1, _) = self.histogram_sensitivities();
        let law = DiscreteLaplace::for_cost(epsilon, l1)?;
        self.ledger.spend(Event::discrete_laplace("counts of all cells", epsilon, l1)?)?;
        let table = self.held.counts().contingency_table(&all)?;
        let keyed = self.noise.keyed();
        Ok(NoisyCells::Lazy(Box::new(LazyCells::new(table, law, keyed, self.noise.rng()))))
    }

    /// Asks `ask` of every part of the records by the classes of some variables, empty parts included. Parts are disjoint, so that
    /// the dearest of them counts (McSherry 2009). A part shows the other variables only.
    pub fn in_parts<T, E: From<PrivacyError>>(
        &mut self,
        by: &Attributes,
        mut ask: impl FnMut(&[u32], &mut GuardedTable<'_>) -> Result<T, E>,
    ) -> Result<Vec<(Vec<u32>, T)>, E> {
        let refused = |error: table::TableError| E::from(PrivacyError::from(error));
        let domain = self.domain().clone();
        let sizes = domain.sizes(by);
        let parts = Margin::checked_cells(&domain, by).map_err(refused)?;
        let mut rows_of = self.held.rows_by(by, &sizes, parts).map(Vec::into_iter);
        let group = self.ledger.parallel(domain.describe(by))?;
        let mut answers = Vec::with_capacity(parts);
        for part in 0..parts {
            let cell = noisy_cells::cell_at(&BigUint::from(part), &sizes);
            let labels = by.positions().iter().zip(&cell);
            let labels = labels.map(|(position, class)| domain.variables()[*position].label(*class));
            let rows = rows_of.as_mut().and_then(Iterator::next);
            let held = self.held.part(by, &cell, rows).map_err(refused)?;
            self.ledger.enter(group, labels.collect::<Vec<_>>().join(" × "))?;
            let mut guard =
                GuardedTable { held, schema: self.schema, ledger: self.ledger, noise: self.noise };
            let answer = ask(&cell, &mut guard);
            drop(guard);
            self.ledger.leave();
            answers.push((cell, answer?));
        }
        Ok(answers)
    }

    fn histogram_sensitivities(&self) -> (u64, u64) {
        (self.ledger.unit_l1_sensitivity(), self.ledger.unit_l2_sensitivity_squared())
    }

    /// Books a noisy measurement and gives the law of its noise.
    fn pay(
        &mut self,
        purpose: &str,
        charge: Charge,
        l1: u64,
        l2_squared: u64,
    ) -> Result<NoiseLaw, PrivacyError> {
        charge_noise(self.ledger, purpose, charge, l1, l2_squared)
    }
}

/// Books a noisy measurement and gives the law of its noise.
fn charge_noise(
    ledger: &mut PrivacyLedger,
    purpose: &str,
    charge: Charge,
    l1: u64,
    l2_squared: u64,
) -> Result<NoiseLaw, PrivacyError> {
    let law = NoiseLaw::for_charge(charge, l1, l2_squared)?;
    let event = match charge {
        Charge::Pure(epsilon) | Charge::Approximate(epsilon, _) => {
            Event::discrete_laplace(purpose, epsilon, l1)?
        }
        Charge::ZeroConcentrated(rho) => Event::discrete_gaussian(purpose, rho, l2_squared)?,
    };
    ledger.spend(event)?;
    Ok(law)
}

#[cfg(test)]
mod tests;
