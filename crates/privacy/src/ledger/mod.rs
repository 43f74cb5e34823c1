//! The books of a private release: a budget, fixed beforehand, and every look that was paid from it.

mod charge;
mod claim;
mod composition;
mod event;
mod record;
pub mod shared;
mod totals;

use std::fmt;

pub use charge::{Budget, Charge, DeltaCost, Notion};
pub use event::{Event, Mechanism, Sampling, Sensitivity};
pub use record::{
    BoundFile, ChargeRecord, CostRecord, DomainOrigin, DomainRecord, EventRecord, LedgerRecord, PartRecord,
    Particulars, RandomnessRecord, ReleaseSize, SoftwareRecord,
};
pub use totals::{ApproximateTotal, Totals};

use self::charge::Amount;
use self::composition::{Place, RunningTotal};
use crate::{Neighbours, PrivacyError};

/// A budget and what was spent of it.
///
/// [`spend`](Self::spend) refuses *before* anything is looked at; a refused event leaves the books as they were.
///
/// **Composition.** Events on all records add up: the ε of pure events, the ρ of zero-concentrated ones (a pure event counts ε²/2), the ε and the δ of
/// approximate ones. Events on disjoint parts of the records, such as strata, form a group ([`parallel`](Self::parallel)), of which the
/// largest part counts: a record lies in one part, so adding or removing it changes the input of that part's events only
/// (McSherry 2009).
///
/// **Adaptive choice.** An event may depend on the answers of earlier ones, in its kind, cost and place. Sums still hold, since each cost is
/// fixed before its look and the total can never pass a budget fixed before the first: the ledger is a privacy filter, and for these three
/// ways of adding up a filter costs no more than a fixed plan (Rogers, Roth, Ullman & Vadhan 2016 for pure and approximate; Feldman
/// & Zrnic 2021 for ρ). The same argument covers parts that are spent in turn: given a record, only the events of its part and those
/// on all records tell the neighbours apart, and their sum is within the total at every moment.
///
/// ```
/// use privacy::{Budget, Cost, Epsilon, Event, Neighbours, PrivacyLedger};
///
/// let mut ledger = PrivacyLedger::open(Budget::pure(Epsilon::new(1.0)?)?, Neighbours::AddRemove, "person");
/// let shares = ledger.budget().cost().split(&[1.0, 3.0])?;
/// ledger.spend(Event::discrete_laplace("number of records", shares[0], 1)?)?;
///
/// let regions = ledger.parallel("regions")?;
/// for region in ["north", "south"] {
///     ledger.enter(regions, region)?;
///     ledger.spend(Event::discrete_laplace("sex × age", shares[1], 1)?)?;
///     ledger.leave();
/// }
/// assert_eq!(ledger.spent().to_string(), "ε = 1");
/// assert!(ledger.spend(Event::discrete_laplace("one more", shares[0], 1)?).is_err());
/// # Ok::<(), privacy::PrivacyError>(())
/// ```
#[derive(Debug)]
pub struct PrivacyLedger {
    budget: Budget,
    neighbours: Neighbours,
    unit: String,
    unit_id: Option<String>,
    records_per_unit: u64,
    groups: Vec<String>,
    here: Option<Place>,
    entries: Vec<Entry>,
    running: RunningTotal,
    spent: Amount,
}

/// A group of disjoint parts of the records, in one ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parallel(usize);

/// An event where it took place.
#[derive(Clone, Debug)]
struct Entry {
    event: Event,
    place: Option<Place>,
}

impl PrivacyLedger {
    /// Empty books for a budget; `unit` is what one record stands for.
    pub fn open(budget: Budget, neighbours: Neighbours, unit: impl Into<String>) -> Self {
        Self {
            budget,
            neighbours,
            unit: unit.into(),
            unit_id: None,
            records_per_unit: 1,
            groups: Vec::new(),
            here: None,
            entries: Vec::new(),
            running: RunningTotal::default(),
            spent: Amount::default(),
        }
    }

    /// The same books, kept for units that this identifier names and that have up to `most` records each.
    ///
    /// **Group privacy through sensitivity.** Whatever one record changes by Δ, a unit of k records changes by kΔ; all noise is scaled to that. Of disjoint parts,
    /// kᵢ records of the unit lie in part i, whose events lose ε·kᵢ/k (ρ·(kᵢ/k)², and their share of δ); with Σkᵢ = k the sum over parts is at most
    /// what one part costs, so that the dearest part still counts.
    pub fn for_units(self, identifier: impl Into<String>, most: u64) -> Self {
        Self { unit_id: Some(identifier.into()), records_per_unit: most.max(1), ..self }
    }

    /// The most records that one unit has.
    pub fn records_per_unit(&self) -> u64 {
        self.records_per_unit
    }

    /// By how much one unit changes a histogram, in sum over its cells.
    pub fn unit_l1_sensitivity(&self) -> u64 {
        self.records_per_unit * self.neighbours.histogram_l1_sensitivity()
    }

    /// By how much one unit changes a histogram, as a sum of squares over its cells: all its records may lie in one cell.
    pub fn unit_l2_sensitivity_squared(&self) -> u64 {
        self.records_per_unit * self.records_per_unit * self.neighbours.histogram_l2_sensitivity_squared()
    }

    /// What may be spent.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Which data sets are made indistinguishable.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// What one record stands for.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The events so far, in order.
    pub fn events(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.entries.iter().map(|entry| &entry.event)
    }

    /// What was spent, in the notion of the budget.
    pub fn spent(&self) -> Charge {
        self.spent.in_words(self.budget.notion())
    }

    /// The largest charge that the next event can have here, in the notion of the budget. In a part, what a larger part of the group has
    /// already paid for comes on top of what is left of the budget.
    pub fn left(&self) -> Charge {
        self.left_amount().in_words(self.budget.notion())
    }

    /// Enters an event, or refuses it if the budget cannot pay it or cannot state it. To be called before looking.
    pub fn spend(&mut self, event: Event) -> Result<(), PrivacyError> {
        if event.charge.cost().is_zero() && event.charge.delta() == DeltaCost::ZERO {
            return Err(PrivacyError::FreeLook);
        }
        let notion = self.budget.notion();
        let Some(amount) = event.charge.in_notion(notion) else {
            return Err(self.cannot_be_added(&event));
        };
        let mut running = self.running.clone();
        let total = running.add(self.here.as_ref(), amount).then(|| running.total()).flatten();
        match total {
            Some(total) if total.is_within(self.budget.amount()) => {
                (self.running, self.spent) = (running, total);
                self.entries.push(Entry { event, place: self.here.clone() });
                Ok(())
            }
            _ => Err(PrivacyError::BudgetExhausted {
                purpose: event.purpose,
                cost: amount.in_words(notion).to_string(),
                left: Left(self.left()).to_string(),
            }),
        }
    }

    /// Opens a group of disjoint parts of the records; the name may be published. Refused under replace-one neighbours, where a replaced
    /// record may leave one part and enter another.
    pub fn parallel(&mut self, name: impl Into<String>) -> Result<Parallel, PrivacyError> {
        let name = name.into();
        if self.neighbours == Neighbours::ReplaceOne {
            return Err(PrivacyError::ParallelReplaceOne { group: name });
        }
        self.groups.push(name);
        Ok(Parallel(self.groups.len() - 1))
    }

    /// From now on events are on this part of the records only. Every record must lie in one part of the group at most, by a rule
    /// that does not depend on other records.
    pub fn enter(&mut self, group: Parallel, part: impl Into<String>) -> Result<(), PrivacyError> {
        let name = self.groups.get(group.0).cloned();
        match (name, &self.here) {
            (Some(_), None) => {
                self.here = Some(Place { group: group.0, part: part.into() });
                Ok(())
            }
            (name, _) => {
                Err(PrivacyError::Parts { group: name.unwrap_or_else(|| format!("group {}", group.0 + 1)) })
            }
        }
    }

    /// From now on events are on all records again.
    pub fn leave(&mut self) {
        self.here = None;
    }

    /// What is guaranteed, in every notion in which it can be stated: that of the *limit*.
    ///
    /// Events may be chosen by the answers of earlier ones, so the sum that a run happened to reach says nothing of the runs that it might
    /// have been; the limit, fixed beforehand, holds for all of them.
    pub fn totals(&self) -> Totals {
        Totals::of(std::iter::once((self.budget.limit(), None)), self.budget.asked())
    }

    /// The books for publication.
    pub fn record(&self, particulars: Particulars) -> LedgerRecord {
        LedgerRecord::of(self, particulars)
    }

    fn left_amount(&self) -> Amount {
        let unspent = self.budget.amount().saturating_sub(self.spent);
        unspent.checked_add(self.running.slack(self.here.as_ref())).unwrap_or(unspent)
    }

    fn cannot_be_added(&self, event: &Event) -> PrivacyError {
        let way_out = match event.charge.notion() {
            Notion::Pure => "its square is beyond what the books can hold, lower its ε",
            Notion::ZeroConcentrated => "state the budget in ρ, or in ε and δ by way of ρ",
            Notion::Approximate => "state the budget in ε and δ",
        };
        PrivacyError::CannotBeAdded {
            purpose: event.purpose.clone(),
            cost: event.charge.to_string(),
            notion: self.budget.notion().to_string(),
            way_out: way_out.to_owned(),
        }
    }
}

/// What is left, rounded down.
struct Left(Charge);

impl fmt::Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = self.0.cost().decimal_down();
        match self.0 {
            Charge::Pure(_) => write!(formatter, "ε = {left}"),
            Charge::ZeroConcentrated(_) => write!(formatter, "ρ = {left}"),
            Charge::Approximate(_, delta) => {
                write!(formatter, "ε = {left}, δ = {:e}", delta.units() as f64 * 2_f64.powi(-64))
            }
        }
    }
}

#[cfg(test)]
mod tests;
