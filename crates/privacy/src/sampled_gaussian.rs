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
//! # Whole-number noise costs the same
//!
//! Mironov, Talwar & Zhang (2019) and the calculators built on them are about continuous noise. Here contributions are whole vectors and noise is discrete, and the bound is proved for that.
//!
//! *The claim.* D′ is D with one record z more. A run draws a set S of records by independent coins of probability q and releases c(S) + Z: c(S) is the sum over S of vectors in ℤᵈ, that of z being s with |s| ≤ Δ,
//! and the cells of Z are independent with P(Z = x) ∝ exp(−x²/(2σ²)), x ∈ ℤ. Then for all whole α ≥ 2 the Rényi divergences D_α(M(D′) ‖ M(D)) and
//! D_α(M(D) ‖ M(D′)) are at most ln A(α) / (α − 1), with σ/Δ for σ in A.
//!
//! *To two distributions.* Given which records of D are in S, M(D) is Z moved by a whole vector c, and M(D′) is Z moved by c with probability 1 − q and by c + s with probability q. exp((α − 1) D_α(P ‖ Q)) = Σ P^α Q^(1−α) is
//! jointly convex in (P, Q) for α > 1, so that neither divergence is above its largest value over the given sets; the same holds for the chance that contributions take, whose law is the same for both tables. As c is whole,
//! moving by it maps ℤᵈ onto itself and changes nothing. What is left are P, the law of Z, Q(x) = P(x − s), and R = (1 − q) P + q Q.
//!
//! *One record more, D_α(R ‖ P).* For whole k, P(x)^(1−k) Q(x)^k = P(x − k s) exp(k (k − 1) |s|² / (2σ²)): complete the square in the exponent; the normalising constants are k times that of P against 1 − k
//! times the same. As k s is whole, x ↦ x − k s maps ℤᵈ onto itself, the sum over x of P(x − k s) is 1, and Σ P (Q/P)^k = exp(k (k − 1) |s|² / (2σ²)), not just at most. (For a vector that is not
//! whole the sum would differ: this is where rounding *before* clipping is needed.) So Σ P (1 − q + q Q/P)^α is the binomial sum A(α) with σ/|s| for σ, which grows with |s|.
//!
//! *One record less, D_α(P ‖ R).* Let r(x) = Q(x)/P(x), a = 1 − q + q r, b = (1 − q) r + q. The reflection x ↦ s − x maps ℤᵈ onto itself and exchanges P and Q, since P is even; it turns r into 1/r. With the two terms of x and s − x taken together,
//! 2 Σ R^α P^(1−α) = Σ P f(α) and 2 Σ P^α R^(1−α) = Σ P f(1 − α), where f(t) = a^t + r (b/r)^t. It is enough that f(α) ≥ f(1 − α) for α ≥ 1 at each x.
//! Let λ = ln a, μ = ln(b/r), and t = α − ½: f(½ + t) − f(½ − t) = 2√a sinh(λt) + 2√(rb) sinh(μt). It is zero at t = ½, since f(1) = a + b = 1 + r = f(0). Of λ and μ one is at least 0 and the other at most 0 (r ≥ 1 makes a ≥ 1 and b/r ≤ 1),
//! and λ + μ ≥ 0, for ab − r = q (1 − q) (1 − r)² ≥ 0: the positive one is the larger in size. sinh(λt)/sinh(|μ|t) does not fall with t where λ ≥ |μ| > 0 (or with the parts exchanged), so what is zero at t = ½ is not negative for
//! t ≥ ½; where one of them is zero, so is the other, by f(1) = f(0). This is Theorem 5 of Mironov et al., for ℤᵈ and pointwise. ∎
//!
//! *Steps.* Each step may depend on the answers of earlier ones: Rényi divergences of the same order add up (Mironov 2017, Prop. 1), since the bound holds for every history. Replaced records and units of several records are not covered.
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

    /// In the plane, and for a shift that is not whole: there the moment is not that of the formula, which is why contributions are rounded before they are clipped.
    #[test]
    fn shifts_in_the_plane_have_the_moments_of_their_length_and_broken_ones_do_not() {
        let (probability, sigma): (f64, f64) = (0.2, 0.4);
        let moment = |shift: [f64; 2], order: i32| {
            let weight = |x: f64, y: f64| (-(x * x + y * y) / (2.0 * sigma * sigma)).exp();
            let places = || (-40..=40).flat_map(|x| (-40..=40).map(move |y| (f64::from(x), f64::from(y))));
            let law = |shift: [f64; 2]| {
                let sum: f64 = places().map(|(x, y)| weight(x - shift[0], y - shift[1])).sum();
                move |x: f64, y: f64| weight(x - shift[0], y - shift[1]) / sum
            };
            let (here, there) = (law([0.0, 0.0]), law(shift));
            let term = |(x, y): (f64, f64)| {
                let (p, q) = (here(x, y), there(x, y));
                let ratio = 1.0 - probability + probability * q / p;
                // In logarithms: far out a power of the ratio alone would be too large.
                if p > 0.0 { (p.ln() + f64::from(order) * ratio.ln()).exp() } else { 0.0 }
            };
            places().map(term).sum::<f64>()
        };
        for order in [2, 3, 6] {
            let run = SampledGaussian::new(probability, sigma / 2_f64.sqrt(), 1).unwrap();
            let formula = run.log_moment(order).exp();
            assert!((moment([1.0, -1.0], order as i32) / formula - 1.0).abs() < 1e-9);
            // As long as a whole vector of length 1, and of another moment.
            let broken = moment([0.6, 0.8], order as i32);
            let whole = SampledGaussian::new(probability, sigma, 1).unwrap().log_moment(order).exp();
            assert!((broken / whole - 1.0).abs() > 1e-3, "{broken} {whole}");
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
