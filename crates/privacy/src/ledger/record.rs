//! `ledger.json`: the books of a release, for whoever receives it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::charge::{Budget, Charge, DeltaCost, Notion};
use super::composition::Place;
use super::event::{Event, Mechanism, Sampling, Sensitivity};
use super::totals::{Totals, total};
use super::{Entry, PrivacyLedger};
use crate::{Cost, Guarantee, Neighbours, NoiseSource, PrivacyError};

/// What a record says first if its noise can be replayed.
pub(crate) const GUARANTEE_VOID: &str = "GUARANTEE VOID: drawn with an insecure test seed";

/// The books of a private release, as written to `ledger.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LedgerRecord {
    /// `GUARANTEE_VOID` if the noise can be replayed; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// The guarantee that was asked for.
    pub asked: Guarantee,
    /// What may be spent, in the notion in which it is spent, rounded down.
    pub limit: ChargeRecord,
    /// Which data sets are made indistinguishable.
    pub neighbours: Neighbours,
    /// What one record stands for.
    pub unit: String,
    /// The column that names the unit of a record, where one was declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_id: Option<String>,
    /// The most records that one unit has: noise is scaled to what so many of them change.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub records_per_unit: u64,
    /// Every look at the records, in order.
    pub events: Vec<EventRecord>,
    /// What was spent, in the notion of the limit.
    pub spent: ChargeRecord,
    /// What is guaranteed, in every notion in which it can be stated: that of the limit, whatever way the run took.
    pub totals: Totals,
    /// What the guarantee is about, and what it is not.
    pub scope: String,
    /// Where the domain of each variable came from.
    pub domains: Vec<DomainRecord>,
    /// How the number of released records was found.
    pub release_size: ReleaseSize,
    /// Where the noise came from.
    pub randomness: RandomnessRecord,
    /// What made the release.
    pub software: SoftwareRecord,
    /// The files that the ledger is of, each with its hash: data, schema and recipe of a release, or the parts of a model file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binds: Vec<BoundFile>,
}

/// A file, or a part of one, that a ledger is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundFile {
    /// Its name in the release, or that of the part.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// What every guarantee here is about, and what it is not.
pub(crate) const SCOPE: &str = "This release alone: every other private run on the same data adds to it, also one that failed after a look. Neighbours are tables \
                         that keep the declared schema; that a run was refused because a record breaks it, or because there are more records than memory holds, is not protected.";

/// One look at the records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventRecord {
    /// What was looked at.
    pub purpose: String,
    /// How noise was added.
    pub mechanism: Mechanism,
    /// By how much neighbours may differ in it.
    pub sensitivity: Sensitivity,
    /// The scale of the noise (σ for the Gaussian), where there is one.
    pub scale: Option<f64>,
    /// How records were sampled, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// What it cost.
    pub cost: ChargeRecord,
    /// The part of the records that was looked at, if not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartRecord>,
}

/// A part of the records; of all parts of a group, the one that cost most counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// The number of the group, from 0.
    pub group: usize,
    /// By what the records are divided.
    pub by: String,
    /// Which part.
    pub name: String,
}

/// A number in whole units of 2⁻⁴⁰, and as a decimal that is not below it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostRecord {
    /// Whole units of 2⁻⁴⁰.
    pub units: u64,
    /// The decimal, rounded up.
    pub value: f64,
}

/// A loss in its notion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "notion", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ChargeRecord {
    /// ε-DP.
    Pure {
        /// The ε.
        epsilon: CostRecord,
    },
    /// ρ-zCDP.
    ZeroConcentrated {
        /// The ρ.
        rho: CostRecord,
    },
    /// (ε, δ)-DP.
    Approximate {
        /// The ε.
        epsilon: CostRecord,
        /// The δ in whole units of 2⁻⁶⁴.
        delta_units: u64,
        /// The δ, rounded up.
        delta: f64,
    },
}

/// Where the domain of a variable came from; a private run knows declared domains only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DomainRecord {
    /// The variable.
    pub variable: String,
    /// Why its domain may be published, as whoever declared it said.
    pub declared_because: String,
    /// Who found it.
    #[serde(default, skip_serializing_if = "DomainOrigin::is_declared")]
    pub origin: DomainOrigin,
}

/// Who found the domain of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DomainOrigin {
    /// A person, who declared it.
    #[default]
    Declared,
    /// The software, from the records; then a person declared it.
    Drafted,
    /// This run, in part or whole, from its budget.
    Bought,
}

impl DomainOrigin {
    fn is_declared(&self) -> bool {
        *self == Self::Declared
    }
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_one(number: &u64) -> bool {
    *number == 1
}

/// How the number of released records was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "policy", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReleaseSize {
    /// Named by the user, who thereby makes it public.
    Declared {
        /// The number.
        records: u64,
        /// Why it may be published.
        because: String,
    },
    /// A noisy count, paid from the budget by the named event.
    NoisyCount {
        /// The number.
        records: u64,
        /// The purpose of the event.
        event: String,
    },
}

/// Where the noise came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomnessRecord {
    /// The generator and its key.
    pub generator: String,
    /// Whether the key is secret.
    pub secure: bool,
}

/// What made a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoftwareRecord {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What a record holds beyond the books.
#[derive(Clone, Debug)]
pub struct Particulars {
    /// Where the domain of each variable came from.
    pub domains: Vec<DomainRecord>,
    /// How the number of released records was found.
    pub release_size: ReleaseSize,
    /// Where the noise came from; see [`RandomnessRecord::of`].
    pub randomness: RandomnessRecord,
    /// What made the release.
    pub software: SoftwareRecord,
}

impl RandomnessRecord {
    /// What a source says of itself.
    pub fn of(source: &NoiseSource) -> Self {
        Self { generator: source.description().to_owned(), secure: source.is_secure() }
    }
}

impl LedgerRecord {
    /// Checks that all figures follow from the events: that decimals are not below their units, that noise has the scale that was paid, that spent and totals are what the events
    /// add up to, that they are within the limit, the limit within what was asked, and that insecure noise is owned up to.
    pub fn verify(&self) -> Result<(), PrivacyError> {
        let wrong = |what: &str| Err(PrivacyError::DoesNotAddUp { what: what.to_owned() });
        let charges = self.events.iter().map(|event| event.cost).chain([self.limit, self.spent]);
        if charges.into_iter().any(|charge| !charge.agrees(&ChargeRecord::of(charge.charge()))) {
            return wrong("a decimal figure is not that of its units");
        }
        if self.records_per_unit == 0 || (self.records_per_unit > 1 && self.unit_id.is_none()) {
            return wrong("units of several records need the column that names them");
        }
        if self.events.iter().any(|event| !event.noise_is_paid(self.neighbours, self.records_per_unit)) {
            return wrong("the scale of some noise does not follow from its sensitivity and cost");
        }
        let limit = self.limit.charge();
        let budget = Budget::from_parts(self.asked, limit)?;
        let places: Vec<Option<Place>> = self.events.iter().map(EventRecord::place).collect();
        if self.neighbours == Neighbours::ReplaceOne && places.iter().any(Option::is_some) {
            return wrong("parts do not compose in parallel under replace-one neighbours");
        }
        let entries =
            || self.events.iter().map(|event| event.cost.charge()).zip(places.iter().map(Option::as_ref));
        let Some(spent) = total(entries(), budget.notion()) else {
            return wrong("an event cannot be stated in the notion of the limit");
        };
        if spent.in_words(budget.notion()) != self.spent.charge() {
            return wrong("what was spent is not the sum of the events");
        }
        if !spent.is_within(budget.amount()) {
            return wrong("more was spent than the limit");
        }
        if !Totals::of(std::iter::once((limit, None)), self.asked).agrees(&self.totals) {
            return wrong("the totals are not those of the limit");
        }
        if self.randomness.secure == (self.warning.as_deref() == Some(GUARANTEE_VOID)) {
            return wrong("the warning does not agree with the source of the noise");
        }
        Ok(())
    }

    pub(super) fn of(ledger: &PrivacyLedger, particulars: Particulars) -> Self {
        let Particulars { domains, release_size, randomness, software } = particulars;
        Self {
            warning: (!randomness.secure).then(|| GUARANTEE_VOID.to_owned()),
            asked: ledger.budget.asked(),
            limit: ChargeRecord::of(ledger.budget.limit()),
            neighbours: ledger.neighbours,
            unit: ledger.unit.clone(),
            unit_id: ledger.unit_id.clone(),
            records_per_unit: ledger.records_per_unit,
            events: ledger.entries.iter().map(|entry| EventRecord::of(entry, &ledger.groups)).collect(),
            spent: ChargeRecord::of(ledger.spent()),
            totals: ledger.totals(),
            scope: SCOPE.to_owned(),
            domains,
            release_size,
            randomness,
            software,
            binds: Vec::new(),
        }
    }
}

impl EventRecord {
    fn of(entry: &Entry, groups: &[String]) -> Self {
        let event = &entry.event;
        let part = entry.place.as_ref().map(|place| PartRecord {
            group: place.group,
            by: groups[place.group].clone(),
            name: place.part.clone(),
        });
        Self {
            purpose: event.purpose.clone(),
            mechanism: event.mechanism,
            sensitivity: event.sensitivity,
            scale: event.scale,
            sampling: event.sampling,
            cost: ChargeRecord::of(event.charge),
            part,
        }
    }

    /// Whether noise has the scale that its sensitivity and cost give, and a sensitivity that these neighbours can have: a replaced
    /// record changes any count twice, and k records k times as much. Mechanisms that do not rest on a sensitivity state their own scale.
    fn noise_is_paid(&self, neighbours: Neighbours, records: u64) -> bool {
        let twice = if neighbours == Neighbours::ReplaceOne { 2.0 } else { 1.0 };
        let k = records as f64;
        let is_multiple = match self.sensitivity {
            Sensitivity::L1(value) | Sensitivity::LargestScore(value) => value % (twice * k) == 0.0,
            Sensitivity::L2(value) if self.mechanism == Mechanism::DiscreteGaussian => {
                (value * value).round() % (twice * k * k) == 0.0
            }
            Sensitivity::L2(_) | Sensitivity::BySampling => true,
        };
        if !is_multiple {
            return false;
        }
        if self.mechanism == Mechanism::SampledGaussian {
            return self.steps_are_paid(neighbours, records);
        }
        if self.sampling.is_some() {
            return false;
        }
        if matches!(self.mechanism, Mechanism::PermuteAndFlip | Mechanism::ExponentialMechanism) {
            let (Sensitivity::LargestScore(value), Some(scale)) = (self.sensitivity, self.scale) else {
                return false;
            };
            // The ε of the choice, by its scale 2Δ/ε.
            let epsilon = 2.0 * value / scale;
            return match self.cost.charge() {
                Charge::Pure(cost) => same(cost.upper(), epsilon),
                Charge::ZeroConcentrated(rho) if self.mechanism == Mechanism::ExponentialMechanism => {
                    rho.upper() >= epsilon * epsilon / 8.0 * (1.0 - 1e-9)
                }
                _ => false,
            };
        }
        let expected = match (self.mechanism, self.sensitivity, self.cost.charge()) {
            (Mechanism::DiscreteLaplace, Sensitivity::L1(value), Charge::Pure(epsilon)) => {
                Event::discrete_laplace("", epsilon, value as u64)
            }
            (Mechanism::DiscreteGaussian, Sensitivity::L2(value), Charge::ZeroConcentrated(rho)) => {
                Event::discrete_gaussian("", rho, (value * value).round() as u64)
            }
            (Mechanism::DiscreteLaplace | Mechanism::DiscreteGaussian, ..) => return false,
            _ => return true,
        };
        let scales =
            |event: &Event| event.scale.zip(self.scale).is_some_and(|(ours, theirs)| same(ours, theirs));
        expected.is_ok_and(|event| scales(&event) && event.sensitivity.agrees(self.sensitivity))
    }

    /// Whether an ε and a δ pay for all steps of noise on sampled records; the argument is for one record more or less.
    fn steps_are_paid(&self, neighbours: Neighbours, records: u64) -> bool {
        let (Some(sampling), Sensitivity::L2(sensitivity), Some(scale), Charge::Approximate(epsilon, delta)) =
            (self.sampling, self.sensitivity, self.scale, self.cost.charge())
        else {
            return false;
        };
        let are_whole =
            [sensitivity, scale].iter().all(|of| of.fract() == 0.0 && (1.0..=2_f64.powi(53)).contains(of));
        if !are_whole || neighbours != Neighbours::AddRemove || records != 1 {
            return false;
        }
        Event::sampled_gaussian("", sampling, scale as u64, sensitivity as u64, delta)
            .is_ok_and(|event| event.charge.cost() <= epsilon)
    }

    fn place(&self) -> Option<Place> {
        self.part.as_ref().map(|part| Place { group: part.group, part: part.name.clone() })
    }
}

impl CostRecord {
    pub(super) fn of(cost: Cost) -> Self {
        Self { units: cost.units(), value: cost.value_up() }
    }

    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.units == other.units && same(self.value, other.value)
    }
}

impl Sensitivity {
    fn agrees(self, other: Self) -> bool {
        match (self, other) {
            (Self::L1(ours), Self::L1(theirs)) | (Self::L2(ours), Self::L2(theirs)) => same(ours, theirs),
            _ => false,
        }
    }
}

impl ChargeRecord {
    /// The charge that the units state.
    pub fn charge(&self) -> Charge {
        match self {
            Self::Pure { epsilon } => Charge::Pure(Cost::from_units(epsilon.units)),
            Self::ZeroConcentrated { rho } => Charge::ZeroConcentrated(Cost::from_units(rho.units)),
            Self::Approximate { epsilon, delta_units, .. } => {
                Charge::Approximate(Cost::from_units(epsilon.units), DeltaCost::from_units(*delta_units))
            }
        }
    }

    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pure { epsilon: ours }, Self::Pure { epsilon: theirs })
            | (Self::ZeroConcentrated { rho: ours }, Self::ZeroConcentrated { rho: theirs }) => {
                ours.agrees(theirs)
            }
            (
                Self::Approximate { epsilon: ours, delta_units: our_units, delta: our_delta },
                Self::Approximate { epsilon: theirs, delta_units: their_units, delta: their_delta },
            ) => ours.agrees(theirs) && our_units == their_units && same(*our_delta, *their_delta),
            _ => false,
        }
    }

    pub(super) fn of(charge: Charge) -> Self {
        let cost = CostRecord::of(charge.cost());
        match charge.notion() {
            Notion::Pure => Self::Pure { epsilon: cost },
            Notion::ZeroConcentrated => Self::ZeroConcentrated { rho: cost },
            Notion::Approximate => Self::Approximate {
                epsilon: cost,
                delta_units: charge.delta().units(),
                delta: charge.delta().upper(),
            },
        }
    }
}

/// Whether two numbers are the same but for the last digits, which readers and writers of files may lose. Units are compared exactly.
pub(super) fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-14 * one.abs().max(other.abs())
}
