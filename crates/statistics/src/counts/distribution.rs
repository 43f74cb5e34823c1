//! A count distribution: a family at a mean.

use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use rand::Rng;

use super::clusters::positive_poisson;
use super::delaporte::Delaporte;
use super::family::{CountFamily, Mean};
use super::law::{CountLaw, Law};
use super::negative_binomial::NegativeBinomial;
use super::poisson_inverse_gaussian::PoissonInverseGaussian;
use super::root_shortfall::root_shortfall;

/// The distribution of a count with a given family and mean; at mean zero the count is always zero.
///
/// ```
/// use statistics::counts::{CountFamily, Mean};
///
/// // Ten synthetic copies of a unique record: how often is their mean count within ½ of 1?
/// let copies = CountFamily::nbi(0.1)?.distribution(Mean::of_count(1)).sum_of(10.try_into().unwrap());
/// assert!((copies.probability_in(5..=15) - 0.9077).abs() < 5e-5);
/// # Ok::<(), statistics::counts::CountError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountDistribution {
    family: CountFamily,
    mean: Mean,
    /// `None` at mean zero.
    law: Option<Law>,
}

impl CountDistribution {
    pub(super) fn new(family: CountFamily, mean: Mean) -> Self {
        let (mu, sigma) = (mean.value(), family.sigma().value());
        // Below the smallest normal number σμ says nothing any more.
        let law = if mu == 0.0 {
            None
        } else if sigma * mu < f64::MIN_POSITIVE {
            Some(Law::NegativeBinomial(NegativeBinomial::new(mu, 0.0)))
        } else {
            Some(match family {
                CountFamily::Poisson | CountFamily::Nbi { .. } => {
                    Law::NegativeBinomial(NegativeBinomial::new(mu, sigma))
                }
                CountFamily::Pig { .. } => {
                    Law::PoissonInverseGaussian(PoissonInverseGaussian::new(mu, sigma))
                }
                CountFamily::Delaporte { nu, .. } if nu.value() * mu < f64::MIN_POSITIVE => {
                    Law::NegativeBinomial(NegativeBinomial::new(mu, sigma))
                }
                CountFamily::Delaporte { nu, .. } => Law::Delaporte(Delaporte::new(mu, sigma, nu.value())),
            })
        };
        Self { family, mean, law }
    }

    /// The family.
    pub fn family(&self) -> CountFamily {
        self.family
    }

    /// The mean μ.
    pub fn mean(&self) -> f64 {
        self.mean.value()
    }

    /// μ + σμ².
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        mean * (1.0 + self.family.sigma().value() * mean)
    }

    /// E (X − μ)³: μ + 3σμ² + cσ²μ³ with c = 2 for NBI, 3 for PIG and 2/(1 − ν) for Delaporte.
    pub(crate) fn third_central_moment(&self) -> f64 {
        self.cumulant(3)
    }

    /// E (X − μ)⁴.
    #[cfg(test)]
    pub(crate) fn fourth_central_moment(&self) -> f64 {
        self.cumulant(4) + 3.0 * self.variance() * self.variance()
    }

    /// E (X − μ)³ / Var(X)^(3/2); not a number at mean zero.
    pub fn skewness(&self) -> f64 {
        self.third_central_moment() / self.variance().powf(1.5)
    }

    /// The cumulant of this order, from 1 (the mean) to 6.
    ///
    /// A mixed Poisson count has κₙ = Σⱼ S(n, j) λⱼ, with λⱼ the cumulants of the mixing variable and S the Stirling
    /// numbers of the second kind (Johnson, Kemp & Kotz 2005, sec. 1.2.8): λⱼ is (j − 1)! σʲ⁻¹μʲ for NBI,
    /// (2j − 3)!! σʲ⁻¹μʲ for PIG, (j − 1)! σʲ⁻¹μʲ/(1 − ν)ʲ⁻² for Delaporte from j = 2 on.
    ///
    /// # Panics
    /// For an order outside 1 to 6.
    pub(crate) fn cumulant(&self, order: usize) -> f64 {
        const STIRLING: [&[f64]; 6] = [
            &[1.0],
            &[1.0, 1.0],
            &[1.0, 3.0, 1.0],
            &[1.0, 7.0, 6.0, 1.0],
            &[1.0, 15.0, 25.0, 10.0, 1.0],
            &[1.0, 31.0, 90.0, 65.0, 15.0, 1.0],
        ];
        assert!((1..=6).contains(&order), "cumulants are given for orders 1 to 6");
        self.law.map_or(0.0, |law| {
            STIRLING[order - 1]
                .iter()
                .zip(1..)
                .map(|(stirling, j)| stirling * law.factorial_cumulant(j))
                .sum()
        })
    }

    /// P(X = k).
    pub fn probability(&self, k: u64) -> f64 {
        self.ln_probability(k).exp()
    }

    /// ln P(X = k); minus infinity where the count cannot be k.
    pub fn ln_probability(&self, k: u64) -> f64 {
        match self.law {
            Some(law) => law.ln_probability(k as f64),
            None if k == 0 => 0.0,
            None => f64::NEG_INFINITY,
        }
    }

    /// P(X > 0), accurate also where it is tiny.
    pub fn probability_of_positive(&self) -> f64 {
        self.law.map_or(0.0, |law| -law.ln_probability_of_zero().exp_m1())
    }

    /// P(a ≤ X ≤ b) for the range `a..=b`; zero for an empty range.
    ///
    /// A sum of probabilities, never a difference of two cumulative ones: relative accuracy about 1e-12, in the tails too.
    /// Delaporte intervals of more than four counts are the exception, with an absolute accuracy of about 1e-14.
    /// The cost grows with the logarithm of the interval, for Delaporte with the root of the mean.
    pub fn probability_in(&self, counts: RangeInclusive<u64>) -> f64 {
        let (first, last) = counts.into_inner();
        if first > last {
            return 0.0;
        }
        match self.law {
            Some(law) => {
                let last = (last as f64).min(self.practical_end(first as f64));
                law.probability_between(first as f64, last).min(1.0)
            }
            None if first == 0 => 1.0,
            None => 0.0,
        }
    }

    /// P(X ≤ k).
    #[cfg(test)]
    pub(crate) fn probability_at_most(&self, k: u64) -> f64 {
        if k as f64 + 1.0 > self.mean() {
            1.0 - self.probability_above(k)
        } else {
            self.probability_in(0..=k)
        }
    }

    /// P(X > k), accurate also where it is tiny.
    pub fn probability_above(&self, k: u64) -> f64 {
        if k == 0 {
            self.probability_of_positive()
        } else if k as f64 + 1.0 > self.mean() {
            self.probability_in(k + 1..=u64::MAX)
        } else {
            1.0 - self.probability_in(0..=k)
        }
    }

    /// √μ − E √X ≥ 0: how far the mean root falls short of the root of the mean. Keeps its relative accuracy when the count
    /// hardly varies and the shortfall is tiny.
    pub fn root_shortfall(&self) -> f64 {
        self.law.map_or(0.0, |law| root_shortfall(&law, self.mean(), law.reach()))
    }

    /// The sum of `m` independent counts with this distribution: mean mμ and dispersion σ/m in the same family.
    pub fn sum_of(&self, m: NonZeroU32) -> Self {
        Self::new(self.family.sum_of(m), self.mean.of_sum(m))
    }

    /// One draw, as the mixture itself: a Poisson count whose mean is multiplied by a gamma or inverse Gaussian draw.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> u64 {
        self.law.map_or(0, |law| law.sample(rng) as u64)
    }

    /// One draw given that it is not zero; `None` at mean zero, where it always is.
    ///
    /// Exact, and at a cost that does not depend on P(X = 0): where zero is rare it is drawn again, where it is common a
    /// positive number of clusters is drawn instead.
    pub fn sample_positive<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<u64> {
        let law = self.law?;
        let rate = -law.ln_probability_of_zero();
        if rate > std::f64::consts::LN_2 {
            loop {
                let count = law.sample(rng);
                if count > 0.0 {
                    return Some(count as u64);
                }
            }
        }
        let clusters = positive_poisson(rate, rng) as u64;
        Some((0..clusters).map(|_| law.sample_cluster(rng)).sum::<f64>() as u64)
    }

    /// A count beyond which less than e⁻³⁰ of the probability above `from` is left.
    fn practical_end(&self, from: f64) -> f64 {
        self.law.map_or(0.0, |law| (from.max(self.mean()) + 64.0 * (1.0 + law.reach())).ceil())
    }
}

#[cfg(test)]
mod tests;
