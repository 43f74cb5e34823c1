//! A histogram that touches no empty cell: (ε, δ)-differential privacy by a threshold.
//!
//! Every *occupied* cell gets discrete Laplace noise of rate ε, and is released if the noisy count reaches the threshold τ (Korolova et al.
//! 2009; Balcer & Vadhan 2018).
//!
//! **Privacy, add-remove.** Neighbours differ in one cell, by one. If it is occupied in both, its noisy count is ε-indistinguishable and what
//! is released of it is a function of that. If it is occupied in one only, its count there is 1, and it is released with
//! probability P(1 + Z ≥ τ) = e^(−ε(τ−1)) / (1 + e^(−ε)) ≤ δ. So the whole is (ε, δ)-differentially private.
//!
//! **Replace-one.** Two cells may change: the rate is halved, and both may appear: δ is halved for each.
//!
//! **Units of k records.** Neighbours differ in up to k cells, by k in all: the rate is divided by k. Up to k cells may be occupied in one only, with a count of
//! at most k each: δ is divided by k, and the threshold is that for a count of k instead of 1, τ + k − 1.

use table::Attributes;

use super::GuardedTable;
use crate::ledger::{Charge, DeltaCost, Event, Mechanism, PrivacyLedger, Sensitivity};
use crate::noise::DiscreteLaplace;
use crate::{Cost, PrivacyError};

/// The smallest τ with e^(−r(τ−1)) / (1 + e^(−r)) ≤ δ, checked with room for rounding.
///
/// ```
/// use privacy::noise::DiscreteLaplace;
/// // At ε = ln 2: 2^(1−τ) / 1.5 ≤ 0.01 from τ = 8 on, since 2⁻⁷ / 1.5 = 0.0052 and 2⁻⁶ / 1.5 = 0.0104.
/// let law = DiscreteLaplace::with_scale(1_442_695_041, 1_000_000_000).unwrap();
/// assert_eq!(privacy::threshold(&law, 0.01), 8);
/// ```
pub fn threshold(law: &DiscreteLaplace, delta: f64) -> i64 {
    let rate = 1.0 / law.scale();
    let passes = |tau: f64| (-rate * (tau - 1.0)).exp() / (1.0 + (-rate).exp()) * (1.0 + 1e-9) <= delta;
    let mut tau = (1.0 + (-(delta * (1.0 + (-rate).exp())).ln() / rate)).floor().max(1.0);
    while !passes(tau) {
        tau += 1.0;
    }
    tau as i64
}

/// Noise, threshold and the event that pays for both.
pub(super) struct Thresholded {
    pub(super) law: DiscreteLaplace,
    pub(super) threshold: i64,
    pub(super) event: Event,
}

/// The noise and the threshold for units of as many records as the ledger says; `purpose` is given the threshold.
pub(super) fn thresholded_for_units(
    ledger: &PrivacyLedger,
    epsilon: Cost,
    delta: DeltaCost,
    purpose: impl Fn(i64) -> String,
) -> Result<Thresholded, PrivacyError> {
    if delta == DeltaCost::ZERO {
        return Err(PrivacyError::FreeLook);
    }
    let l1 = ledger.unit_l1_sensitivity();
    let law = DiscreteLaplace::for_cost(epsilon, l1)?;
    let threshold = threshold(&law, delta.lower() / l1 as f64) + ledger.records_per_unit() as i64 - 1;
    let event = Event {
        purpose: purpose(threshold),
        mechanism: Mechanism::ThresholdedHistogram,
        sensitivity: Sensitivity::L1(l1 as f64),
        scale: Some(law.scale()),
        sampling: None,
        charge: Charge::Approximate(epsilon, delta),
    };
    Ok(Thresholded { law, threshold, event })
}

impl GuardedTable<'_> {
    /// The cells whose noisy count reaches the threshold, with that count, in the order of cells.
    pub fn thresholded_cells(
        &mut self,
        epsilon: Cost,
        delta: DeltaCost,
    ) -> Result<Vec<(Vec<u32>, u64)>, PrivacyError> {
        let Thresholded { law, threshold, event } =
            thresholded_for_units(self.ledger, epsilon, delta, |least| {
                format!("occupied cells whose noisy count is at least {least}")
            })?;
        self.ledger.spend(event)?;
        let table = self.held.counts().contingency_table(&Attributes::all(self.domain()))?;
        let rng = self.noise.rng();
        let mut released = Vec::new();
        for (cell, count) in table.iter() {
            let noisy = law.add_to(count as i64, rng);
            if noisy >= threshold {
                released.push((cell, noisy as u64));
            }
        }
        Ok(released)
    }
}
