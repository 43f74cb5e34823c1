//! The negative binomial law with mean μ and dispersion σ, the Poisson law as σ = 0.
//!
//! P(k) = Γ(k + 1/σ) / (Γ(k + 1) Γ(1/σ)) · (σμ/(1 + σμ))ᵏ · (1 + σμ)^(−1/σ) (Jackson et al. 2022, eq. of section 2).
//! Every formula below is written so that nothing is divided by σ before it is small: the limit σ → 0 is reached without
//! a special case.

use std::f64::consts::TAU;

use rand::Rng;

use super::clusters::logarithmic;
use super::deviance::{deviance, ln_1p_over, ln_1p_shortfall, stirling_error};
use super::law::{CountLaw, Transform};
use super::mixing::{poisson, unit_gamma};
use super::unimodal_sum::{LONG_RUN, NEGLIGIBLE, SHORT_RUN, unimodal_sum};

/// NB(μ, σ), μ > 0, σ ≥ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NegativeBinomial {
    mean: f64,
    sigma: f64,
}

impl NegativeBinomial {
    pub(super) fn new(mean: f64, sigma: f64) -> Self {
        Self { mean, sigma }
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// The most probable count: ⌊μ(1 − σ)⌋, or zero from σ = 1 on.
    pub(super) fn mode(&self) -> f64 {
        (self.mean * (1.0 - self.sigma)).floor().max(0.0)
    }

    /// σμ: the scale of the mixing gamma variable, and the odds of one more in a cluster.
    pub(super) fn odds(&self) -> f64 {
        self.sigma * self.mean
    }

    /// Fills `run` with P(first), P(first + 1), …: from the most probable count outwards by the ratio of neighbours, so
    /// that a run which starts far out in the tail does not start from an underflowed zero.
    pub(super) fn fill_run(&self, first: f64, run: &mut [f64]) {
        let Some(end) = run.len().checked_sub(1) else { return };
        let start = (self.mode() - first).clamp(0.0, end as f64) as usize;
        let top = self.ln_probability(first + start as f64).exp();
        run[start] = top;
        let mut k = first + start as f64;
        let mut probability = top;
        for slot in &mut run[start + 1..] {
            probability *= self.ratio(k);
            *slot = probability;
            k += 1.0;
        }
        let mut k = first + start as f64;
        let mut probability = top;
        for slot in run[..start].iter_mut().rev() {
            k -= 1.0;
            probability *= self.inverse_ratio(k);
            *slot = probability;
        }
    }

    /// P(k + 1)/P(k) = μ(1 + σk) / ((1 + σμ)(k + 1)).
    fn ratio(&self, k: f64) -> f64 {
        self.mean * (1.0 + self.sigma * k) / ((1.0 + self.odds()) * (k + 1.0))
    }

    /// P(k)/P(k + 1), so that walking down multiplies as walking up does.
    fn inverse_ratio(&self, k: f64) -> f64 {
        (1.0 + self.odds()) * (k + 1.0) / (self.mean * (1.0 + self.sigma * k))
    }

    /// A run of counts, term by term from the most probable one outwards, as far as terms matter.
    fn run_sum(&self, first: f64, last: f64) -> f64 {
        if first < SHORT_RUN && self.ln_probability_of_zero() > -600.0 {
            return self.run_sum_from_zero(first, last);
        }
        let start = self.mode().clamp(first, last);
        let top = self.ln_probability(start).exp();
        let mut sum = top;
        let (mut k, mut probability) = (start, top);
        while k < last && probability * (last - k) > NEGLIGIBLE * sum {
            probability *= self.ratio(k);
            sum += probability;
            k += 1.0;
        }
        let (mut k, mut probability) = (start, top);
        while k > first && probability * (k - first) > NEGLIGIBLE * sum {
            k -= 1.0;
            probability *= self.inverse_ratio(k);
            sum += probability;
        }
        sum
    }

    /// The same from P(0) upwards, which needs no factorials; for runs that start near zero, with P(0) not underflowed.
    fn run_sum_from_zero(&self, first: f64, last: f64) -> f64 {
        let mode = self.mode();
        let mut probability = self.ln_probability_of_zero().exp();
        let mut k = 0.0;
        while k < first {
            probability *= self.ratio(k);
            k += 1.0;
        }
        let mut sum = probability;
        while k < last && (k < mode || probability * (last - k) > NEGLIGIBLE * sum) {
            probability *= self.ratio(k);
            sum += probability;
            k += 1.0;
        }
        sum
    }
}

impl CountLaw for NegativeBinomial {
    /// With n = k + 1/σ and c = 1 + σμ, in Loader's (2000) form:
    /// ln P = δ(n) − δ(1/σ) − δ(k) − D(k, μ(1 + σk)/c) − D(1/σ, (1 + σk)/(σc)) − ½ ln(2πk(1 + σk)).
    fn ln_probability(&self, k: f64) -> f64 {
        if k == 0.0 {
            return self.ln_probability_of_zero();
        }
        let (mean, sigma) = (self.mean, self.sigma);
        let spread = 1.0 + self.odds();
        let grown = 1.0 + sigma * k;
        let beyond = (k - mean) / spread;
        let mut ln_probability = -stirling_error(k) - deviance(k, mean * grown / spread, beyond);
        let size = 1.0 / sigma;
        if size.is_finite() {
            ln_probability += stirling_error(k + size) - stirling_error(size);
            ln_probability -= deviance(size, size * grown / spread, -beyond);
        }
        ln_probability - 0.5 * (TAU * k * grown).ln()
    }

    fn ln_probability_of_zero(&self) -> f64 {
        -self.mean * ln_1p_over(self.odds())
    }

    fn probability_between(&self, first: f64, last: f64) -> f64 {
        if last - first < LONG_RUN {
            self.run_sum(first, last)
        } else {
            unimodal_sum(|k| self.ln_probability(k).exp(), first, last, self.mode())
        }
    }

    fn reach(&self) -> f64 {
        (self.mean * (1.0 + self.odds())).sqrt() + 1.0 + self.odds()
    }

    /// (j − 1)! σʲ⁻¹ μʲ.
    fn factorial_cumulant(&self, j: i32) -> f64 {
        (1..j).fold(self.mean, |cumulant, i| cumulant * f64::from(i) * self.odds())
    }

    fn transform(&self, z: f64) -> Transform {
        let poisson = self.mean * z;
        let mixing_excess = poisson * ln_1p_shortfall(self.odds() * z);
        Transform { ln_laplace: mixing_excess - poisson, mixing_excess }
    }

    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        if self.sigma > 0.0 {
            let mixed_mean = self.mean * unit_gamma(self.sigma, rng);
            poisson(mixed_mean, rng)
        } else {
            poisson(self.mean, rng)
        }
    }

    fn sample_cluster<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        if self.odds() > 0.0 { logarithmic(self.odds(), rng) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sizes_are_binomial_coefficients() {
        // σ = 1/r with r whole: P(k) = C(k + r − 1, k) pʳ qᵏ, by exact products.
        for (r, mean) in [(1, 0.5), (2, 3.0), (5, 40.0)] {
            let law = NegativeBinomial::new(mean, 1.0 / f64::from(r));
            let p = f64::from(r) / (f64::from(r) + mean);
            let mut expected = p.powi(r);
            for k in 0..50 {
                let probability = law.ln_probability(f64::from(k)).exp();
                assert!((probability / expected - 1.0).abs() < 1e-13, "r {r} k {k}");
                expected *= f64::from(k + r) / f64::from(k + 1) * (1.0 - p);
            }
        }
    }

    #[test]
    fn the_poisson_is_the_limit_of_small_sigma() {
        for mean in [1e-6, 0.3, 7.0, 1e4] {
            let limit = NegativeBinomial::new(mean, 0.0);
            for sigma in [1e-300, 1e-15, 1e-12, 1e-9] {
                let near = NegativeBinomial::new(mean, sigma);
                for k in [0.0, 1.0, 2.0, 10.0, 9_900.0, 10_100.0] {
                    // d ln P/dσ at σ = 0 is ½((k − μ)² − k); the next term is smaller by σ(k + μ).
                    let slope = 0.5 * ((k - mean) * (k - mean) - k);
                    let difference = near.ln_probability(k) - limit.ln_probability(k);
                    let second_order = (sigma * (k + mean)).powi(2) * (k + mean);
                    let rounding = 1e-14 * limit.ln_probability(k).abs().max(1.0);
                    let error = difference - sigma * slope;
                    assert!(error.abs() <= second_order + rounding, "{mean} {sigma} {k}: {error}");
                }
            }
        }
    }

    #[test]
    fn a_filled_run_survives_a_start_deep_in_the_tail() {
        let law = NegativeBinomial::new(1e6, 1e-9);
        let mut run = vec![0.0; 210_001];
        law.fill_run(890_000.0, &mut run);
        assert!(run[0] < 1e-300, "a hundred standard deviations out, nothing is left to start from");
        assert!((run.iter().sum::<f64>() - 1.0).abs() < 1e-10);
        law.fill_run(5.0, &mut []);
    }
}
