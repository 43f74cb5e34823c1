//! Uniques that stay unique: cells with one original record that also hold exactly one synthetic record.

use serde::{Deserialize, Serialize};

use super::{CellSizes, PlanError, SaturatedMechanism};

/// The replicated uniques that one synthetic data set is expected to show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplicatedUniques {
    /// The expected number of cells that are unique in both tables.
    pub expected: f64,
    /// The same as a share of the original uniques: P(s = 1 given y = 1).
    pub share_of_uniques: f64,
    /// The same as a share of the original records (Raab's `ru` over 100).
    pub share_of_records: f64,
}

/// The saturated multinomial of `catall`: n records drawn over cells with probabilities (y + nprior/K)/(N + nprior).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Catall {
    rows: u64,
    prior: f64,
}

impl ReplicatedUniques {
    /// For one data set of the saturated mechanism: the synthetic count itself is 1, whatever scale is.
    pub(crate) fn of_saturated(sizes: &CellSizes, mechanism: &SaturatedMechanism) -> Result<Self, PlanError> {
        Ok(Self::with_probability(sizes, mechanism.count_of(1)?.probability(1)))
    }

    /// For one data set of `catall`. A unique's synthetic count is Binomial(n, p), p = (1 + nprior/K)/(N + nprior), so
    /// P(s = 1) = np(1 − p)ⁿ⁻¹; for n = N without prior this tends to 1/e = 36.8 % (Raab, Table 2).
    pub fn of_catall(sizes: &CellSizes, catall: &Catall) -> Self {
        let (n, records) = (catall.rows as f64, sizes.records() as f64);
        let total = records + catall.prior;
        let p = if total > 0.0 { (1.0 + catall.prior / sizes.cells() as f64) / total } else { 0.0 };
        let once = match catall.rows {
            0 => 0.0,
            1 => p,
            // p = 1 (a single record) leaves a logarithm of zero, and no chance of 1 in several draws.
            _ => n * p * ((n - 1.0) * (-p.min(1.0)).ln_1p()).exp(),
        };
        Self::with_probability(sizes, once)
    }

    fn with_probability(sizes: &CellSizes, probability: f64) -> Self {
        let expected = sizes.cells_of_size(1) as f64 * probability;
        let records = sizes.records() as f64;
        Self {
            expected,
            share_of_uniques: probability,
            share_of_records: if records > 0.0 { expected / records } else { 0.0 },
        }
    }
}

impl Catall {
    /// `rows` synthetic records, no prior.
    pub fn new(rows: u64) -> Self {
        Self { rows, prior: 0.0 }
    }

    /// With a total prior `nprior`, spread evenly over the cells.
    pub fn with_prior(self, nprior: f64) -> Result<Self, PlanError> {
        if nprior.is_finite() && nprior >= 0.0 {
            Ok(Self { prior: nprior, ..self })
        } else {
            Err(PlanError::Prior { value: nprior })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Binomial, Distribution};
    use statistics::counts::CountFamily;

    #[test]
    fn catall_repeats_one_unique_in_e() {
        let sizes = CellSizes::new([(0, 9_000), (1, 3_000), (10, 700)].into()).unwrap();
        let uniques = ReplicatedUniques::of_catall(&sizes, &Catall::new(10_000));
        assert!((uniques.share_of_uniques - 1.0_f64.exp().recip()).abs() < 2e-5);
        assert!((uniques.expected - 3_000.0 * uniques.share_of_uniques).abs() < 1e-9);
        assert!((uniques.share_of_records - 0.3 * uniques.share_of_uniques).abs() < 1e-12);
    }

    #[test]
    fn small_tables_are_binomial_exactly() {
        // Three records, one of them unique; three drawn: 3 · ⅓ · (⅔)² = 4/9.
        let sizes = CellSizes::new([(0, 5), (1, 1), (2, 1)].into()).unwrap();
        let three = ReplicatedUniques::of_catall(&sizes, &Catall::new(3));
        assert!((three.share_of_uniques - 4.0 / 9.0).abs() < 1e-15);
        assert_eq!(ReplicatedUniques::of_catall(&sizes, &Catall::new(0)).expected, 0.0);
        assert!((ReplicatedUniques::of_catall(&sizes, &Catall::new(1)).expected - 1.0 / 3.0).abs() < 1e-15);
        // One record in all: one draw repeats it, two cannot leave it unique.
        let single = CellSizes::new([(1, 1)].into()).unwrap();
        assert_eq!(ReplicatedUniques::of_catall(&single, &Catall::new(1)).expected, 1.0);
        assert_eq!(ReplicatedUniques::of_catall(&single, &Catall::new(2)).expected, 0.0);
        // No record: nothing is unique, and nothing is divided by zero.
        let empty = CellSizes::new([(0, 4)].into()).unwrap();
        assert_eq!(ReplicatedUniques::of_catall(&empty, &Catall::new(5)).share_of_records, 0.0);
    }

    #[test]
    fn the_prior_is_spread_over_all_cells() {
        let sizes = CellSizes::new([(0, 5), (1, 1), (2, 1)].into()).unwrap();
        let with_prior = ReplicatedUniques::of_catall(&sizes, &Catall::new(3).with_prior(7.0).unwrap());
        // p = (1 + 7/7)/(3 + 7) = 0.2.
        assert!((with_prior.share_of_uniques - 3.0 * 0.2 * 0.64).abs() < 1e-15);
        assert!(Catall::new(3).with_prior(-1.0).is_err() && Catall::new(3).with_prior(f64::NAN).is_err());
    }

    /// Simulated multinomial margins of a unique cell; four standard errors, an error rate of 6e-5.
    #[test]
    fn simulation_agrees() {
        let sizes = CellSizes::new([(0, 30), (1, 10), (4, 10)].into()).unwrap();
        let expected = ReplicatedUniques::of_catall(&sizes, &Catall::new(80)).share_of_uniques;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let binomial = Binomial::new(80, 1.0 / 50.0).unwrap();
        let found = (0..100_000).filter(|_| binomial.sample(&mut rng) == 1).count() as f64 / 1e5;
        assert!((found - expected).abs() < 4.0 * (expected * (1.0 - expected) / 1e5).sqrt());
    }

    #[test]
    fn saturated_repeats_by_the_probability_of_one() {
        let sizes = CellSizes::new([(0, 30), (1, 10), (4, 10)].into()).unwrap();
        let poisson =
            ReplicatedUniques::of_saturated(&sizes, &SaturatedMechanism::new(CountFamily::Poisson)).unwrap();
        assert!((poisson.expected - 10.0 * (-1.0_f64).exp()).abs() < 1e-12);
        // NBI, sigma 1, mean 1: P(1) = 1/4.
        let nbi = SaturatedMechanism::new(CountFamily::nbi(1.0).unwrap()).with_m(5).unwrap();
        let uniques = ReplicatedUniques::of_saturated(&sizes, &nbi).unwrap();
        assert!((uniques.share_of_uniques - 0.25).abs() < 1e-14);
    }
}
