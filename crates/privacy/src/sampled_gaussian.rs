//! What T steps of Gaussian noise on sampled records cost: the accountant of stochastic gradient descent.
//!
//! In each step every record takes part with probability q, by itself (Poisson sampling); a sum of vectors of norm 1 at most over those that do is released under noise of
//! deviation σ. For whole orders α ≥ 2 the Rényi divergence of one step, between tables that differ by one record added or removed, is at most
//! ln A(α) / (α − 1) with
//!
//! ```text
//! A(α) = Σ_k C(α, k) (1 − q)^(α − k) q^k exp(k (k − 1) / (2σ²))        (Mironov, Talwar & Zhang 2019, section 3.3)
//! ```
//!
//! divergences of steps add up, and T of them are (ε, δ)-DP with
//!
//! ```text
//! ε = min_α  T ln A(α) / (α − 1) + ln(1 − 1/α) − (ln δ + ln α) / (α − 1)        (Canonne, Kamath & Steinke 2020, Prop. 12)
//! ```
//!
//! **Whole-number noise costs the same.** Let P be the discrete Gaussian on ℤᵈ with parameter σ, s a vector of whole numbers, and Q = P shifted by s. Then
//! P(x)^(1 − k) Q(x)^k = exp(k (k − 1) |s|² / (2σ²)) P(x − k s), and as k s is whole, the sum over x is exp(k (k − 1) |s|² / (2σ²)) exactly: the binomial expansion
//! of E_P[((1 − q) + q Q/P)^α] is A(α) with σ / |s| for σ, as for continuous noise, which A bounds for every |s| up to the sensitivity. The
//! other direction, E_Q' of the inverse ratio with Q' = (1 − q) P + q Q, is not larger: the proof of Mironov et al. (Thm. 5) pairs x with its reflection s − x, which exchanges P and Q
//! on ℤᵈ as on ℝᵈ. So sums that are rounded to whole numbers before they are clipped, and noise from [`noise::DiscreteGaussian`](crate::noise::DiscreteGaussian), have this cost.
//!
//! Every term carries a bound of its rounding error and the result rounds up. Whole orders only are looked at, so that ε is never below the best and a few per cent above it.

use crate::{Cost, Delta, PrivacyError};

/// T steps with sampling probability q and noise σ, in multiples of the sensitivity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledGaussian {
    probability: f64,
    sigma: f64,
    steps: u64,
}

/// The largest order that is looked at.
const LARGEST: u32 = 256;

/// The share of the absolute sum of a few hundred terms that their rounding cannot exceed.
const ROUNDING: f64 = 4_096.0 * f64::EPSILON;

impl SampledGaussian {
    /// Refuses a probability outside (0, 1], a σ that is not above zero, and no steps.
    pub fn new(probability: f64, sigma: f64, steps: u64) -> Result<Self, PrivacyError> {
        let is_fine =
            probability > 0.0 && probability <= 1.0 && sigma.is_finite() && sigma > 0.0 && steps > 0;
        if is_fine { Ok(Self { probability, sigma, steps }) } else { Err(PrivacyError::SampledGaussian) }
    }

    /// The Rényi divergence of one step at a whole order from 2 on, rounded up.
    ///
    /// ```
    /// use privacy::SampledGaussian;
    /// let step = SampledGaussian::new(0.1, 1.0, 1)?;
    /// assert!((step.renyi_divergence(8) - 1.3783614113).abs() < 1e-9);
    /// # Ok::<(), privacy::PrivacyError>(())
    /// ```
    pub fn renyi_divergence(&self, order: u32) -> f64 {
        let order = order.max(2);
        self.log_moment(order) / f64::from(order - 1) * (1.0 + ROUNDING)
    }

    /// ln A(α), rounded up.
    fn log_moment(&self, order: u32) -> f64 {
        let (yes, no) = (self.probability.ln(), (-self.probability).ln_1p());
        let precision = 0.5 / self.sigma / self.sigma;
        let alpha = f64::from(order);
        let mut log_choose = 0.0;
        let mut terms = Vec::with_capacity(order as usize + 1);
        for k in 0..=order {
            let count = f64::from(k);
            if k > 0 {
                log_choose += ((alpha - count + 1.0) / count).ln();
            }
            let others = if k == order { 0.0 } else { (alpha - count) * no };
            // Where every record is in every sample, only the last term is there.
            if others == f64::NEG_INFINITY {
                continue;
            }
            let parts = [log_choose, count * yes, others, count * (count - 1.0) * precision];
            let error = ROUNDING * parts.iter().map(|part| part.abs()).sum::<f64>();
            terms.push(parts.iter().sum::<f64>() + error);
        }
        let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|term| (term - most).exp()).sum();
        (most + sum.ln() + ROUNDING * (most.abs() + 1.0)).max(0.0)
    }

    /// The ε of all steps at a δ, rounded up.
    pub fn epsilon(&self, delta: Delta) -> Result<Cost, PrivacyError> {
        let (steps, log_delta) = (self.steps as f64, delta.value().ln());
        let epsilon = |order: u32| {
            let alpha = f64::from(order);
            let parts = [
                steps * self.log_moment(order) / (alpha - 1.0),
                (-1.0 / alpha).ln_1p(),
                -(log_delta + alpha.ln()) / (alpha - 1.0),
            ];
            parts.iter().sum::<f64>() + ROUNDING * parts.iter().map(|part| part.abs()).sum::<f64>()
        };
        let smallest = (2..=LARGEST).map(epsilon).fold(f64::INFINITY, f64::min);
        Cost::rounded_up(smallest.max(0.0))
    }

    /// The smallest σ, to four digits, with which so many steps are (ε, δ)-DP.
    pub fn smallest_sigma(
        probability: f64,
        steps: u64,
        epsilon: Cost,
        delta: Delta,
    ) -> Result<f64, PrivacyError> {
        let fits = |sigma: f64| {
            let spent = Self::new(probability, sigma, steps).and_then(|of| of.epsilon(delta));
            spent.is_ok_and(|spent| spent <= epsilon)
        };
        Self::new(probability, 1.0, steps)?;
        let mut enough = 0.01;
        while !fits(enough) {
            enough *= 2.0;
            if enough > 1e9 {
                return Err(PrivacyError::BudgetTooSmall { value: epsilon.upper() });
            }
        }
        let mut short = enough / 2.0;
        while enough - short > 1e-4 * enough {
            let middle = 0.5 * (short + enough);
            if fits(middle) {
                enough = middle;
            } else {
                short = middle;
            }
        }
        Ok(enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// dp_accounting 0.6.0, add or remove one, δ = 10⁻⁵: its privacy loss distribution, and whole orders by the formula above. Ours is the second to the digits given, and
    /// never below the first.
    #[test]
    fn golden_values_of_another_accountant() {
        for (probability, sigma, steps, best, whole_orders) in [
            (0.1, 1.0, 3_000, 52.329562, 61.237221),
            (0.1, 2.0, 3_000, 16.183727, 17.922667),
            (500.0 / 32_561.0, 1.0, 19_536, 15.500311, 17.159732),
            (256.0 / 60_000.0, 1.1, 3_515, 1.133745, 1.281144),
        ] {
            let run = SampledGaussian::new(probability, sigma, steps).unwrap();
            let epsilon = run.epsilon(Delta::new(1e-5).unwrap()).unwrap().upper();
            assert!((epsilon - whole_orders).abs() < 1e-6, "{epsilon} {whole_orders}");
            assert!(epsilon > best);
        }
        let step = SampledGaussian::new(0.1, 1.0, 1).unwrap();
        for (order, expected) in [(2, 0.0170368632), (8, 1.3783614113), (32, 13.6231379685)] {
            let found = step.renyi_divergence(order);
            assert!(found >= expected - 5e-11 && found - expected < 1e-9, "{found} {expected}");
        }
    }

    /// The moments of the sampled discrete Gaussian by summation over whole numbers, in both directions, for several shifts: the first is A(α) with σ over the shift, the second
    /// is never larger.
    #[test]
    fn whole_number_noise_has_the_moments_of_the_formula() {
        for (probability, sigma, shift) in
            [(0.1, 1.0, 1), (0.3, 0.7, 1), (0.05, 2.0, 3), (0.5, 1.3, 2), (0.01, 0.5, 1)]
        {
            let weight = |x: i64| (-(x as f64).powi(2) / (2.0 * sigma * sigma)).exp();
            let whole: f64 = (-400..=400).map(weight).sum();
            for order in [2_u32, 3, 5, 9] {
                let (mut forwards, mut backwards) = (0.0, 0.0);
                for x in -400_i64..=400 {
                    let (p, q) = (weight(x) / whole, weight(x - shift) / whole);
                    let mixed = (1.0 - probability) * p + probability * q;
                    if p > 0.0 {
                        forwards += p * (mixed / p).powi(order as i32);
                        backwards += mixed * (p / mixed).powi(order as i32);
                    }
                }
                let run = SampledGaussian::new(probability, sigma / shift as f64, 1).unwrap();
                let formula = run.log_moment(order);
                assert!(
                    (forwards.ln() - formula).abs() < 1e-6 * formula.max(1e-3),
                    "{} {formula}",
                    forwards.ln()
                );
                assert!(backwards.ln() <= formula + 1e-12, "order {order}: {} {formula}", backwards.ln());
            }
        }
    }

    #[test]
    fn more_noise_costs_less_and_the_smallest_that_fits_is_found() {
        let delta = Delta::new(1e-6).unwrap();
        let epsilon = |sigma: f64| SampledGaussian::new(0.02, sigma, 1_000).unwrap().epsilon(delta).unwrap();
        assert!(epsilon(1.0) > epsilon(1.5) && epsilon(1.5) > epsilon(3.0));
        let budget = Cost::rounded_down(2.0).unwrap();
        let sigma = SampledGaussian::smallest_sigma(0.02, 1_000, budget, delta).unwrap();
        assert!(epsilon(sigma) <= budget && epsilon(0.999 * sigma) > budget, "{sigma}");
        // Without sampling a step is the Gaussian mechanism: α / (2σ²).
        let whole = SampledGaussian::new(1.0, 2.0, 1).unwrap();
        assert!((whole.renyi_divergence(10) - 10.0 / 8.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_run_is_refused() {
        for (probability, sigma, steps) in [
            (0.0, 1.0, 1),
            (1.1, 1.0, 1),
            (f64::NAN, 1.0, 1),
            (0.5, 0.0, 1),
            (0.5, f64::INFINITY, 1),
            (0.5, 1.0, 0),
        ] {
            assert_eq!(SampledGaussian::new(probability, sigma, steps), Err(PrivacyError::SampledGaussian));
        }
    }
}
