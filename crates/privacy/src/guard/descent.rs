//! Learning step by step from noisy sums over sampled records (Abadi et al. 2016, DP-SGD), in whole numbers.
//!
//! In every step each record takes part with probability q, by itself and in secret. What a record contributes is a vector that depends on it, on what was learned so far and on a chance of its own, and on no other record; it is
//! brought to the integer lattice and, *there*, held within a norm of Δ. The sum over the records that take part is released under discrete Gaussian noise of parameter s in every cell. All
//! steps are booked before the first record is looked at.
//!
//! **Privacy.** [`SampledGaussian`] with σ = s/Δ, for one record more or less. Its argument needs whole vectors of norm Δ at most, coins of exactly q and exact noise: the norm is checked in integers after rounding, so
//! that no floating-point error can lift it; q is a whole multiple of 2⁻³² and a coin is 32 random bits; noise is [`DiscreteGaussian`]. A record that
//! has no finite contribution contributes nothing. Replace-one neighbours and units of several records are refused: the argument is not for them.

use std::sync::Arc;

use rand::Rng as _;
use rayon::prelude::*;
use table::{Codes, CountSource as _};

use super::{GuardedTable, Held};
use crate::ledger::{Charge, DeltaCost, Event, Sampling};
use crate::noise::DiscreteGaussian;
use crate::{Cost, Delta, KeyedNoise, Neighbours, NoiseStream, PrivacyError, SampledGaussian};

/// What learns from sums over records that it never sees together.
pub trait Learner: Sync {
    /// How many cells a contribution has.
    fn cells(&self) -> usize;

    /// What a record contributes, given its classes and a chance of its own; `into` holds zeros. Vectors longer than 1 are shortened to 1. It must be the same whatever other records there
    /// are, to the last bit: nothing may be kept from one call to the next.
    fn contribution(&self, record: &[u32], chance: &mut NoiseStream, into: &mut [f32]);

    /// Learns from the sum of all contributions of a step, under noise, with 1 for the longest that one record can have.
    fn learn(&mut self, sum: &[f64]);
}

/// How a learner goes through the records: fixed before anything is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentPlan {
    sampling: Sampling,
    /// q in units of 2⁻³².
    coin: u64,
    /// Δ, a power of two.
    norm: u64,
    /// s.
    scale: u64,
    /// What all steps cost.
    charge: Charge,
}

/// A coin that always falls true, in units of 2⁻³².
const CERTAIN: u64 = 1 << 32;

/// Cells whose noise comes from one stream.
const BLOCK: usize = 1_024;

/// Records whose contributions are added up together.
const TOGETHER: usize = 16;

impl DescentPlan {
    /// So many steps with as little noise as an ε and a δ pay for; the probability is rounded down to a multiple of 2⁻³².
    pub fn new(
        cells: usize,
        probability: f64,
        steps: u64,
        epsilon: Cost,
        delta: DeltaCost,
    ) -> Result<Self, PrivacyError> {
        if !(probability > 0.0 && probability <= 1.0) || cells == 0 {
            return Err(PrivacyError::SampledGaussian);
        }
        let coin = ((probability * CERTAIN as f64).floor() as u64).max(1);
        let sampling = Sampling { probability: coin as f64 / CERTAIN as f64, steps };
        let at = Delta::new(delta.lower()).map_err(|_| PrivacyError::NeedsDelta)?;
        let sigma = SampledGaussian::smallest_sigma(sampling.probability, steps, epsilon, at)?;
        // Rounding moves a vector by √cells / 2 at most, which is a small part of its longest.
        let norm = ((64.0 * (cells as f64).sqrt()).ceil() as u64).next_power_of_two();
        // Two more than the product, so that rounding of the quotient costs nothing.
        let scale = (sigma * norm as f64).ceil() as u64 + 2;
        let charge = Event::sampled_gaussian("", sampling, scale, norm, delta)?.charge;
        if charge.cost() > epsilon {
            return Err(PrivacyError::BudgetTooSmall { value: epsilon.upper() });
        }
        Ok(Self { sampling, coin, norm, scale, charge })
    }

    /// What all steps cost.
    pub fn charge(&self) -> Charge {
        self.charge
    }

    /// σ: the noise in every cell, in multiples of the longest contribution.
    pub fn sigma(&self) -> f64 {
        self.scale as f64 / self.norm as f64
    }

    /// The probability with which a record takes part in a step.
    pub fn probability(&self) -> f64 {
        self.sampling.probability
    }

    /// The steps.
    pub fn steps(&self) -> u64 {
        self.sampling.steps
    }

    /// A contribution on the lattice, added to sums. A vector that is not finite is none.
    fn add(&self, contribution: &[f32], sums: &mut [i64]) {
        let square: f64 = contribution.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
        if !square.is_finite() {
            return;
        }
        let longest = self.norm as f64 - 0.5 * (contribution.len() as f64).sqrt();
        let scale = longest / square.sqrt().max(1.0);
        let whole = |value: &f32| (f64::from(*value) * scale).round() as i64;
        let squares = contribution.iter().map(|value| i128::from(whole(value)).pow(2)).sum::<i128>();
        // The argument rests on this comparison and on no floating-point number.
        if squares <= i128::from(self.norm).pow(2) {
            contribution.iter().zip(sums).for_each(|(value, sum)| *sum += whole(value));
        }
    }
}

impl GuardedTable<'_> {
    /// Lets a learner take all steps of a plan, which are paid first.
    pub fn descend(
        &mut self,
        purpose: &str,
        plan: &DescentPlan,
        learner: &mut impl Learner,
    ) -> Result<(), PrivacyError> {
        if self.neighbours() != Neighbours::AddRemove || self.ledger.records_per_unit() != 1 {
            return Err(PrivacyError::NeedsAddRemove { what: purpose.to_owned() });
        }
        let Held::Records { coded, .. } = &self.held else {
            return Err(PrivacyError::Table("steps on sampled records need the records themselves".into()));
        };
        let law = DiscreteGaussian::with_variance_parameter(u128::from(plan.scale).pow(2), 1)?;
        let delta = plan.charge.delta();
        self.ledger.spend(Event::sampled_gaussian(purpose, plan.sampling, plan.scale, plan.norm, delta)?)?;
        let (rows, columns) = (coded.records() as usize, coded.columns());
        for _ in 0..plan.sampling.steps {
            let (coins, own) = (self.noise.keyed(), self.noise.keyed());
            let chosen = sampled(rows, plan.coin, &mut coins.at(0));
            let mut sums = contributions(learner, plan, columns, &chosen, &own);
            let noise = self.noise.keyed();
            sums.par_chunks_mut(BLOCK).enumerate().for_each(|(block, sums)| {
                let mut stream = noise.at(block as u128);
                sums.iter_mut().for_each(|sum| *sum = law.add_to(*sum, &mut stream));
            });
            let unit = plan.norm as f64;
            let sums: Vec<f64> = sums.into_iter().map(|sum| sum as f64 / unit).collect();
            learner.learn(&sums);
        }
        Ok(())
    }
}

/// The rows whose coin falls true: 32 bits below `coin`.
fn sampled(rows: usize, coin: u64, stream: &mut NoiseStream) -> Vec<u32> {
    (0..rows as u32).filter(|_| u64::from(stream.next_u32()) < coin).collect()
}

/// The sum of the contributions of these rows. Whole numbers add up to the same in any order.
fn contributions(
    learner: &impl Learner,
    plan: &DescentPlan,
    columns: &[Arc<Codes>],
    chosen: &[u32],
    own: &KeyedNoise,
) -> Vec<i64> {
    let cells = learner.cells();
    let some = |rows: &[u32]| {
        let (mut sums, mut contribution) = (vec![0; cells], vec![0.0; cells]);
        let mut record = vec![0; columns.len()];
        for row in rows {
            record.iter_mut().zip(columns).for_each(|(class, codes)| *class = codes.get(*row as usize));
            contribution.fill(0.0);
            learner.contribution(&record, &mut own.at(u128::from(*row)), &mut contribution);
            plan.add(&contribution, &mut sums);
        }
        sums
    };
    let add = |mut left: Vec<i64>, right: Vec<i64>| {
        left.iter_mut().zip(right).for_each(|(sum, more)| *sum += more);
        left
    };
    chosen.par_chunks(TOGETHER).map(some).reduce(|| vec![0; cells], add)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;
    use table::{DeclaredSchema, Table};

    use super::*;
    use crate::ledger::{Budget, Particulars, RandomnessRecord, ReleaseSize, SoftwareRecord};
    use crate::{Epsilon, LedgerRecord, NoiseSource, PrivacyLedger};

    const SCHEMA: &str = "[table]\nunit = \"person\"\ndeclared = true\nreason = \"code book\"\n\
        [variables.a]\nkind = \"categorical\"\nlevels = [\"0\", \"1\", \"2\"]\n";

    fn people(levels: &[u8]) -> (Table, DeclaredSchema) {
        let schema = SchemaFile::parse(SCHEMA).unwrap();
        let declared = schema.clone().finish().unwrap().reviewed().unwrap();
        let lines: Vec<String> = levels.iter().map(u8::to_string).collect();
        let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
        (read_csv_text(&format!("a\n{}\n", lines.join("\n")), &options).unwrap(), declared)
    }

    fn delta() -> DeltaCost {
        DeltaCost::rounded_down(Delta::new(1e-6).unwrap())
    }

    fn books(epsilon: f64, neighbours: Neighbours) -> PrivacyLedger {
        let (epsilon, delta) = (Epsilon::new(epsilon).unwrap(), Delta::new(1e-6).unwrap());
        PrivacyLedger::open(Budget::approximate(epsilon, delta).unwrap(), neighbours, "person")
    }

    fn plan(probability: f64, steps: u64, epsilon: f64) -> DescentPlan {
        let epsilon = Cost::rounded_down(epsilon).unwrap();
        DescentPlan::new(3, probability, steps, epsilon, delta()).unwrap()
    }

    /// Counts levels; the last level has a vector that is too long, or none that is finite.
    struct Counting {
        last: f32,
        looked: AtomicU64,
        sums: Vec<Vec<f64>>,
    }

    impl Counting {
        fn new(last: f32) -> Self {
            Self { last, looked: AtomicU64::new(0), sums: Vec::new() }
        }
    }

    impl Learner for Counting {
        fn cells(&self) -> usize {
            3
        }

        fn contribution(&self, record: &[u32], _: &mut NoiseStream, into: &mut [f32]) {
            self.looked.fetch_add(1, Ordering::Relaxed);
            into[record[0] as usize] = if record[0] == 2 { self.last } else { 0.5 };
        }

        fn learn(&mut self, sum: &[f64]) {
            self.sums.push(sum.to_vec());
        }
    }

    fn descend(
        levels: &[u8],
        ledger: &mut PrivacyLedger,
        plan: &DescentPlan,
        learner: &mut Counting,
    ) -> Result<(), PrivacyError> {
        let (table, schema) = people(levels);
        let mut noise = NoiseSource::insecure_test_seed(1);
        let mut guard = GuardedTable::new(&table, &schema, 5, ledger, &mut noise).unwrap();
        guard.descend("steps", plan, learner)
    }

    #[test]
    fn sums_are_those_of_vectors_no_longer_than_one_and_every_step_has_noise_of_its_own() {
        let levels: Vec<u8> = [vec![0; 400], vec![1; 200], vec![2; 100]].concat();
        for (last, expected) in
            [(7.0, 100.0), (0.25, 25.0), (f32::NAN, 0.0), (f32::INFINITY, 0.0), (f32::MAX, 100.0)]
        {
            let plan = plan(1.0, 2, 1e3);
            let (mut ledger, mut learner) = (books(1e3, Neighbours::AddRemove), Counting::new(last));
            descend(&levels, &mut ledger, &plan, &mut learner).unwrap();
            assert_eq!((learner.sums.len(), learner.looked.load(Ordering::Relaxed)), (2, 1_400));
            assert_ne!(learner.sums[0], learner.sums[1]);
            for sums in &learner.sums {
                for (sum, exact) in sums.iter().zip([200.0, 100.0, expected]) {
                    // The lattice is Δ = 128 here, and vectors are shortened by √3/2 of it.
                    assert!((sum - exact).abs() < 0.02 * exact + 6.0 * plan.sigma(), "{sum} {exact}");
                }
            }
        }
    }

    #[test]
    fn no_vector_on_the_lattice_is_longer_than_the_norm() {
        let plan = DescentPlan::new(1_000, 0.1, 10, Cost::rounded_down(2.0).unwrap(), delta()).unwrap();
        let mut noise = NoiseSource::insecure_test_seed(3);
        for power in [-9, -3, 0, 1, 8, 30] {
            let mut vector: Vec<f32> = (0..1_000)
                .map(|_| (noise.rng().next_u32() as f32 / 2_f32.powi(31) - 1.0) * 2_f32.powi(power))
                .collect();
            vector[0] = 2_f32.powi(power);
            let mut sums = vec![0; 1_000];
            plan.add(&vector, &mut sums);
            let squares: i128 = sums.iter().map(|sum| i128::from(*sum).pow(2)).sum();
            assert!(squares <= i128::from(plan.norm).pow(2));
            let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt().min(1.0);
            let kept = (squares as f64).sqrt() / plan.norm as f64;
            assert!(kept > 0.97 * length - 0.01, "{kept} of {length}");
        }
    }

    /// 20,000 records and q = 0.3: between 5,700 and 6,300 with an error rate below 10⁻⁵; other records in every step.
    #[test]
    fn records_take_part_by_coins_of_the_stated_probability() {
        let mut noise = NoiseSource::insecure_test_seed(5);
        let coin = plan(0.3, 10, 3.0).coin;
        let (one, other) = (sampled(20_000, coin, noise.rng()), sampled(20_000, coin, noise.rng()));
        assert!((5_700..6_300).contains(&one.len()) && (5_700..6_300).contains(&other.len()));
        let both = one.iter().filter(|row| other.binary_search(row).is_ok()).count();
        assert!((1_500..2_100).contains(&both), "{both}");
        assert_eq!(sampled(50, CERTAIN, noise.rng()).len(), 50);
        assert!(plan(0.3, 10, 3.0).probability() <= 0.3);
    }

    #[test]
    fn what_cannot_be_paid_or_argued_for_is_refused_before_a_look() {
        let levels = [0, 1, 2, 2, 1];
        let plan = plan(0.5, 5, 2.0);
        let refused = |mut ledger: PrivacyLedger| {
            let mut learner = Counting::new(1.0);
            let error = descend(&levels, &mut ledger, &plan, &mut learner).unwrap_err();
            assert_eq!((learner.looked.load(Ordering::Relaxed), ledger.events().len()), (0, 0));
            error
        };
        assert!(matches!(refused(books(1.0, Neighbours::AddRemove)), PrivacyError::BudgetExhausted { .. }));
        assert!(matches!(refused(books(3.0, Neighbours::ReplaceOne)), PrivacyError::NeedsAddRemove { .. }));
        let units = books(3.0, Neighbours::AddRemove).for_units("id", 2);
        assert!(matches!(refused(units), PrivacyError::NeedsAddRemove { .. }));
        let pure = Budget::pure(Epsilon::new(5.0).unwrap()).unwrap();
        let pure = PrivacyLedger::open(pure, Neighbours::AddRemove, "person");
        assert!(matches!(refused(pure), PrivacyError::CannotBeAdded { .. }));
    }

    #[test]
    fn a_record_of_less_noise_more_steps_or_more_sampling_does_not_add_up() {
        let plan = plan(0.5, 5, 2.0);
        let (mut ledger, mut learner) = (books(2.0, Neighbours::AddRemove), Counting::new(1.0));
        descend(&[0, 1, 2, 2, 1], &mut ledger, &plan, &mut learner).unwrap();
        let spent = ledger.spent().cost();
        assert!(spent <= Cost::rounded_down(2.0).unwrap() && spent > Cost::rounded_down(1.9).unwrap());
        let noise = NoiseSource::insecure_test_seed(1);
        let record = ledger.record(Particulars {
            domains: Vec::new(),
            release_size: ReleaseSize::Declared { records: 5, because: "stated".into() },
            randomness: RandomnessRecord::of(&noise),
            software: SoftwareRecord { name: "test".into(), version: "0".into() },
        });
        record.verify().unwrap();
        let altered = |change: fn(&mut LedgerRecord)| {
            let mut record = record.clone();
            change(&mut record);
            assert!(record.verify().is_err());
        };
        altered(|record| record.events[0].scale = record.events[0].scale.map(|scale| (0.99 * scale).round()));
        altered(|record| record.events[0].sampling.as_mut().unwrap().steps = 6);
        altered(|record| record.events[0].sampling.as_mut().unwrap().probability = 0.51);
        altered(|record| record.events[0].sampling = None);
        altered(|record| record.neighbours = Neighbours::ReplaceOne);
    }
}
