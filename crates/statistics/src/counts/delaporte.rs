//! The Delaporte law: a Poisson count plus an independent negative binomial count.
//!
//! With share ν of the mean in the Poisson part, the negative binomial part has mean (1 − ν)μ and dispersion σ/(1 − ν)²,
//! so that the sum has mean μ and variance μ + σμ² whatever ν is (Delaporte 1960; Rigby et al. 2019, sec. 22.4.2, with
//! another σ, see the [module](super)).

use rand::{Rng, RngExt};

use super::law::{CountLaw, Transform};
use super::negative_binomial::NegativeBinomial;
use super::unimodal_sum::{SHORT_RUN, unimodal_sum};

/// Poisson(νμ) + NB((1 − ν)μ, σ/(1 − ν)²), 0 < ν < 1, μ > 0, σ > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Delaporte {
    plain: NegativeBinomial,
    dispersed: NegativeBinomial,
}

/// Intervals of at most this many counts are added probability by probability.
const FEW: f64 = 4.0;

/// Terms of a convolution that are held at once.
const CHUNK: usize = 1 << 14;

impl Delaporte {
    pub(super) fn new(mean: f64, sigma: f64, nu: f64) -> Self {
        let rest = 1.0 - nu;
        Self {
            plain: NegativeBinomial::new(nu * mean, 0.0),
            dispersed: NegativeBinomial::new(rest * mean, sigma / (rest * rest)),
        }
    }

    /// ln of the j-th term of the convolution at n: the Poisson part is j, the other n − j.
    fn ln_term(&self, n: f64, j: f64) -> f64 {
        self.plain.ln_probability(j) + self.dispersed.ln_probability(n - j)
    }

    /// Where the terms of the convolution at n turn: (top, valley). They rise to `top`, fall to `valley` and rise again to
    /// j = n; without a valley below n it is n.
    ///
    /// term(j + 1) ≥ term(j) means λc(n − j) ≥ (j + 1) b (1 + s(n − j − 1)), with λ and b the means of the two parts, s the
    /// dispersion of the second and c = 1 + sb: a quadratic inequality in j, positive outside its two roots.
    fn turning_points(&self, n: f64) -> (f64, f64) {
        let (lambda, b, odds) = (self.plain.mean(), self.dispersed.mean(), self.dispersed.odds());
        let pull = lambda * (1.0 + odds);
        let square = odds;
        let linear = b + odds * (n - 2.0) + pull;
        let constant = pull * n - b - odds * (n - 1.0);
        let discriminant = linear * linear - 4.0 * square * constant;
        if discriminant < 0.0 {
            return (n, n);
        }
        let sum = linear + discriminant.sqrt();
        let top = (2.0 * constant / sum).ceil().clamp(0.0, n);
        let valley = (sum / (2.0 * square)).ceil().clamp(top, n);
        (top, valley)
    }

    /// P(X ≤ last) as Σⱼ P(Poisson = j) P(NB ≤ last − j), to an absolute error of about 1e-15.
    ///
    /// Poisson counts further than 10√λ + 60 from their mean λ are left out: they have less than 1e-20 together. That
    /// leaves O(√λ) terms.
    fn cumulative(&self, last: f64) -> f64 {
        let lambda = self.plain.mean();
        let width = 10.0 * lambda.sqrt() + 60.0;
        let lowest = (lambda - width).floor().max(0.0);
        let highest = (lambda + width).ceil().min(last);
        if lowest > highest {
            return 0.0;
        }
        // From the highest Poisson count down, so that the negative binomial part runs upwards.
        let mut below =
            if last > highest { self.dispersed.probability_between(0.0, last - highest - 1.0) } else { 0.0 };
        let mut sum = 0.0;
        let capacity = ((highest - lowest + 1.0) as usize).min(CHUNK);
        let (mut plain, mut dispersed) = (vec![0.0; capacity], vec![0.0; capacity]);
        let mut j = highest;
        while j >= lowest {
            let length = ((j - lowest + 1.0) as usize).min(CHUNK);
            self.plain.fill_run(j - length as f64 + 1.0, &mut plain[..length]);
            self.dispersed.fill_run(last - j, &mut dispersed[..length]);
            for (plain, dispersed) in plain[..length].iter().rev().zip(&dispersed[..length]) {
                below += dispersed;
                sum += plain * below;
            }
            j -= length as f64;
        }
        sum.min(1.0)
    }
}

impl CountLaw for Delaporte {
    fn ln_probability(&self, n: f64) -> f64 {
        if n == 0.0 {
            return self.ln_probability_of_zero();
        }
        let (top, valley) = self.turning_points(n);
        let reference = self.ln_term(n, top).max(self.ln_term(n, n));
        let term = |j: f64| (self.ln_term(n, j) - reference).exp();
        // The upper half is summed over n − j, so that both ends of the convolution are a zero to keep away from.
        let half = (0.5 * n).floor();
        let mut sum = 0.0;
        for (first, last, top) in [(0.0, valley, top), (valley + 1.0, n, n)] {
            sum += unimodal_sum(term, first, last.min(half), top);
            sum += unimodal_sum(|k| term(n - k), n - last, n - first.max(half + 1.0), n - top);
        }
        reference + sum.ln()
    }

    fn ln_probability_of_zero(&self) -> f64 {
        self.plain.ln_probability_of_zero() + self.dispersed.ln_probability_of_zero()
    }

    fn probability_between(&self, first: f64, last: f64) -> f64 {
        if last - first < FEW {
            let mut sum = 0.0;
            let mut k = first;
            while k <= last {
                sum += self.ln_probability(k).exp();
                k += 1.0;
            }
            return sum;
        }
        let below = if first > 0.0 { self.cumulative(first - 1.0) } else { 0.0 };
        (self.cumulative(last) - below).max(0.0)
    }

    fn reach(&self) -> f64 {
        SHORT_RUN + self.plain.reach() + self.dispersed.reach()
    }

    fn factorial_cumulant(&self, j: i32) -> f64 {
        self.plain.factorial_cumulant(j) + self.dispersed.factorial_cumulant(j)
    }

    fn transform(&self, z: f64) -> Transform {
        let (plain, dispersed) = (self.plain.transform(z), self.dispersed.transform(z));
        Transform {
            ln_laplace: plain.ln_laplace + dispersed.ln_laplace,
            mixing_excess: dispersed.mixing_excess,
        }
    }

    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let plain = self.plain.sample(rng);
        plain + self.dispersed.sample(rng)
    }

    fn sample_cluster<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let plain_rate = -self.plain.ln_probability_of_zero();
        let dispersed_rate = -self.dispersed.ln_probability_of_zero();
        if rng.random::<f64>() * (plain_rate + dispersed_rate) < plain_rate {
            1.0
        } else {
            self.dispersed.sample_cluster(rng)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The convolution as it is defined.
    fn by_definition(law: &Delaporte, n: u32) -> f64 {
        (0..=n)
            .map(|j| {
                law.plain.ln_probability(f64::from(j)).exp()
                    * law.dispersed.ln_probability(f64::from(n - j)).exp()
            })
            .sum()
    }

    #[test]
    fn probabilities_are_the_convolution() {
        for (mean, sigma, nu) in [(3.0, 0.5, 0.3), (400.0, 0.01, 0.5), (500.0, 30.0, 0.9), (300.0, 2.0, 0.05)]
        {
            let law = Delaporte::new(mean, sigma, nu);
            let mut cumulative = 0.0;
            for n in 0..1500 {
                let expected = by_definition(&law, n);
                cumulative += expected;
                let n = f64::from(n);
                if expected > 1e-250 {
                    let error = law.ln_probability(n) - expected.ln();
                    assert!(error.abs() < 2e-12, "mean {mean} sigma {sigma} nu {nu} n {n}: {error}");
                }
                if n % 50.0 < 2.0 {
                    assert!(
                        (law.probability_between(0.0, n) - cumulative).abs() < 1e-13,
                        "{mean} {sigma} {nu} {n}"
                    );
                }
            }
        }
    }

    #[test]
    fn large_means_agree_with_adding_every_term_that_matters() {
        for (mean, sigma, nu) in [(1e8, 0.1, 0.5), (1e8, 10.0, 0.9), (1e8, 1e-6, 0.3), (1e9, 1.0, 0.05)] {
            let law = Delaporte::new(mean, sigma, nu);
            let lambda = law.plain.mean();
            let first = (lambda - 10.0 * lambda.sqrt()).floor();
            let length = (20.0 * lambda.sqrt()) as usize;
            let (mut plain, mut dispersed) = (vec![0.0; length], vec![0.0; length]);
            for n in [0.99 * mean, mean, 1.3 * mean].map(f64::floor) {
                let last = first + length as f64 - 1.0;
                law.plain.fill_run(first, &mut plain);
                law.dispersed.fill_run(n - last, &mut dispersed);
                let sum: f64 = plain.iter().zip(dispersed.iter().rev()).map(|(p, d)| p * d).sum();
                // At sigma 1e-6 the last of the three is 250 standard deviations out, and the sum has underflowed.
                if sum > 1e-250 {
                    let error = law.ln_probability(n) - sum.ln();
                    assert!(error.abs() < 1e-10, "mean {mean} sigma {sigma} nu {nu} n {n}: {error}");
                } else {
                    assert!(law.ln_probability(n) < -500.0, "mean {mean} sigma {sigma} nu {nu} n {n}");
                }
            }
        }
    }

    #[test]
    fn turning_points_are_where_the_terms_turn() {
        for (mean, sigma, nu) in [(50.0, 0.2, 0.5), (50.0, 100.0, 0.9), (50.0, 1e4, 0.5)] {
            let law = Delaporte::new(mean, sigma, nu);
            for n in [1.0, 2.0, 10.0, 45.0, 100.0, 200.0] {
                let (top, valley) = law.turning_points(n);
                for j in 0..n as u32 {
                    let j = f64::from(j);
                    let rises = law.ln_term(n, j + 1.0) - law.ln_term(n, j);
                    if rises.abs() > 1e-12 {
                        assert_eq!(
                            rises > 0.0,
                            j < top || j >= valley,
                            "{sigma} n {n} j {j}: top {top}, valley {valley}"
                        );
                    }
                }
            }
        }
    }
}
