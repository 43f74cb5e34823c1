//! The Poisson-inverse Gaussian law with mean μ and dispersion σ.
//!
//! P(k) = √(2α/π) μᵏ e^(1/σ) K_{k−½}(α) / ((ασ)ᵏ k!), α = √(1 + 2σμ)/σ (Rigby et al. 2019, sec. 22.3.3; Willmot 1987).
//! The Bessel function of half-integer order is not evaluated as such. Its Debye expansion, sorted around the saddle point
//! x* of the mixing integral, is a Poisson probability times three factors, none of which is large:
//!
//! P(k) = Poisson(k; x*) · √(μ/(ρx*)) · exp(−(x* − μ)²/(2σμx*)) · Σⱼ (−1)ʲ Uⱼ(t)/(k − ½)ʲ,
//!
//! with ρ = √(1 + 2σμ + σ²(k − ½)²), x* = μ (ρ + σ(k − ½))/(1 + 2σμ) and t = σ(k − ½)/ρ (DLMF 10.41.4). The series runs in
//! powers of σ/ρ; where that is not small, k is, and Willmot's recursion is exact.

use rand::Rng;

use super::clusters::tempered_sibuya;
use super::law::{CountLaw, Transform};
use super::mixing::{poisson, unit_inverse_gaussian};
use super::negative_binomial::NegativeBinomial;
use super::unimodal_sum::{LONG_RUN, SHORT_RUN, unimodal_sum};

/// PIG(μ, σ), μ > 0, σ > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PoissonInverseGaussian {
    mean: f64,
    sigma: f64,
}

/// Orders of Debye's expansion that are kept.
const ORDERS: usize = 13;

/// Below this ρ/σ the recursion takes over; at it, the first term left out is below 1e-14.
const LARGE_ORDER: f64 = 30.0;

/// Vⱼ with Uⱼ(t) = tʲ Vⱼ(t²): coefficients of Debye's polynomials, from
/// Uⱼ₊₁ = ½t²(1 − t²)Uⱼ′ + ⅛ ∫₀ᵗ (1 − 5s²) Uⱼ ds (DLMF 10.41.9).
const DEBYE: [[f64; ORDERS]; ORDERS] = {
    let mut table = [[0.0; ORDERS]; ORDERS];
    table[0][0] = 1.0;
    let mut j = 0;
    while j + 1 < ORDERS {
        let mut i = 0;
        while i <= j {
            let power = (j + 2 * i) as f64;
            let coefficient = table[j][i];
            table[j + 1][i] += coefficient * (power / 2.0 + 0.125 / (power + 1.0));
            table[j + 1][i + 1] -= coefficient * (power / 2.0 + 0.625 / (power + 3.0));
            i += 1;
        }
        j += 1;
    }
    table
};

impl PoissonInverseGaussian {
    pub(super) fn new(mean: f64, sigma: f64) -> Self {
        Self { mean, sigma }
    }

    /// 1 + 2σμ.
    fn spread(&self) -> f64 {
        1.0 + 2.0 * self.sigma * self.mean
    }

    /// P(k), P(k + 1), … by Willmot's (1987) recursion
    /// P(k) = 2σμ/(1 + 2σμ) · (1 − 3/(2k)) P(k − 1) + μ²/((1 + 2σμ) k(k − 1)) P(k − 2),
    /// handed to `visit` with k running over `first..=last`. Both coefficients are positive, so errors do not grow.
    fn recur(&self, first: f64, last: f64, mut visit: impl FnMut(f64)) {
        let mut before = self.ln_probability(first).exp();
        visit(before);
        if first == last {
            return;
        }
        let mut probability = if first == 0.0 {
            before * self.mean / self.spread().sqrt()
        } else {
            self.ln_probability(first + 1.0).exp()
        };
        visit(probability);
        let step = 2.0 * self.sigma * self.mean / self.spread();
        let skip = self.mean * self.mean / self.spread();
        let mut k = first + 2.0;
        while k <= last {
            let next = step * (1.0 - 1.5 / k) * probability + skip / (k * (k - 1.0)) * before;
            (before, probability) = (probability, next);
            visit(next);
            k += 1.0;
        }
    }

    /// The most probable count, by bisection on the sign of the step from k to k + 1; it is not above the mean.
    fn mode(&self) -> f64 {
        let (mut low, mut high) = (0.0, self.mean.floor());
        while low < high {
            let middle = (0.5 * (low + high)).floor();
            if self.ln_probability(middle + 1.0) >= self.ln_probability(middle) {
                low = middle + 1.0;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Debye's form above; k ≥ 1 may be any real number.
    fn ln_probability_by_saddle(&self, k: f64, rho: f64) -> f64 {
        let (mean, sigma) = (self.mean, self.sigma);
        let order = k - 0.5;
        let spread = self.spread();
        let saddle = mean * (rho + sigma * order) / spread;
        // (x* − μ)/(σμ), with the division by σ carried out.
        let shift = (order - 2.0 * mean + (2.0 * mean + sigma * order * order) / (1.0 + rho)) / spread;
        let squared_distance = 0.5 * sigma * mean * shift * shift / saddle;

        let t = sigma * order / rho;
        let t_square = t * t;
        let inverse_order = -sigma / rho;
        let mut factor = 1.0;
        let mut series = 1.0;
        for (j, coefficients) in DEBYE.iter().enumerate().skip(1) {
            factor *= inverse_order;
            let term = factor * coefficients[..=j].iter().rev().fold(0.0, |sum, c| sum * t_square + c);
            series += term;
            if factor.abs() < 1e-20 {
                break;
            }
        }
        NegativeBinomial::new(saddle, 0.0).ln_probability(k) + 0.5 * (mean / (rho * saddle)).ln()
            - squared_distance
            + series.ln()
    }
}

impl CountLaw for PoissonInverseGaussian {
    fn ln_probability(&self, k: f64) -> f64 {
        if k == 0.0 {
            return self.ln_probability_of_zero();
        }
        let scaled_order = self.sigma * (k - 0.5);
        let rho = (self.spread() + scaled_order * scaled_order).sqrt();
        if rho >= LARGE_ORDER * self.sigma {
            return self.ln_probability_by_saddle(k, rho);
        }
        // Here k < 31 and −ln P(0) < 30: nothing underflows on the way up.
        let mut last = 0.0;
        self.recur(0.0, k, |probability| last = probability);
        last.ln()
    }

    fn ln_probability_of_zero(&self) -> f64 {
        self.transform(1.0).ln_laplace
    }

    fn probability_between(&self, first: f64, last: f64) -> f64 {
        // A long run must not start from a probability that has underflowed.
        let walk = last - first < SHORT_RUN || last - first < LONG_RUN && self.ln_probability(first) > -600.0;
        if walk {
            let mut sum = 0.0;
            self.recur(first, last, |probability| sum += probability);
            sum
        } else {
            unimodal_sum(|k| self.ln_probability(k).exp(), first, last, self.mode())
        }
    }

    fn reach(&self) -> f64 {
        (self.mean * (1.0 + self.sigma * self.mean)).sqrt() + self.spread()
    }

    /// (2j − 3)!! σʲ⁻¹ μʲ.
    fn factorial_cumulant(&self, j: i32) -> f64 {
        (1..j).fold(self.mean, |cumulant, i| cumulant * f64::from(2 * i - 1) * self.sigma * self.mean)
    }

    /// ln E e⁻ᵗˣ = (1 − √(1 + 2σμz))/σ, with the division by σ carried out.
    fn transform(&self, z: f64) -> Transform {
        let poisson = self.mean * z;
        let x = self.sigma * poisson;
        let root = 1.0 + (1.0 + 2.0 * x).sqrt();
        Transform { ln_laplace: -2.0 * poisson / root, mixing_excess: 2.0 * poisson * x / (root * root) }
    }

    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mixed_mean = self.mean * unit_inverse_gaussian(self.sigma, rng);
        poisson(mixed_mean, rng)
    }

    fn sample_cluster<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let odds = 2.0 * self.sigma * self.mean;
        if odds > 0.0 { tempered_sibuya(odds, rng) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debye_polynomials_are_those_of_the_handbook() {
        // Abramowitz & Stegun 9.3.9: u₁ = (3t − 5t³)/24, u₂ = (81t² − 462t⁴ + 385t⁶)/1152.
        assert_eq!(DEBYE[1][..2], [3.0 / 24.0, -5.0 / 24.0]);
        for (ours, theirs) in DEBYE[2].iter().zip([81.0, -462.0, 385.0]) {
            assert!((ours - theirs / 1152.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_saddle_point_form_agrees_with_the_recursion() {
        for (mean, sigma) in [(1.0, 1.0), (30.0, 0.5), (5.0, 0.01), (200.0, 4.0), (0.1, 20.0), (600.0, 1e-3)]
        {
            let law = PoissonInverseGaussian::new(mean, sigma);
            let mut k = 0.0;
            law.recur(0.0, 400.0, |probability| {
                let rho = (law.spread() + (sigma * (k - 0.5)).powi(2)).sqrt();
                if k > 0.0 && rho >= LARGE_ORDER * sigma && probability > 1e-290 {
                    let error = law.ln_probability_by_saddle(k, rho) - probability.ln();
                    assert!(error.abs() < 2e-12, "mean {mean} sigma {sigma} k {k}: {error}");
                }
                k += 1.0;
            });
        }
    }

    #[test]
    fn the_mode_is_the_most_probable_count() {
        for (mean, sigma) in [(0.4, 1.0), (30.0, 0.5), (300.0, 0.01), (300.0, 50.0)] {
            let law = PoissonInverseGaussian::new(mean, sigma);
            let best = (0..2000)
                .max_by(|&i, &j| {
                    law.ln_probability(f64::from(i)).total_cmp(&law.ln_probability(f64::from(j)))
                })
                .unwrap();
            assert_eq!(law.mode(), f64::from(best), "mean {mean} sigma {sigma}");
        }
    }
}
