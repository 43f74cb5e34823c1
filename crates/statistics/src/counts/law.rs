//! What every count law can answer about itself; [`CountDistribution`](super::CountDistribution) asks.

use rand::Rng;

use super::delaporte::Delaporte;
use super::negative_binomial::NegativeBinomial;
use super::poisson_inverse_gaussian::PoissonInverseGaussian;

/// A Laplace transform, and how far it is above that of a Poisson count with the same mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transform {
    /// ln E e⁻ᵗˣ.
    pub ln_laplace: f64,
    /// ln E e⁻ᵗˣ + z E X ≥ 0: what the mixing adds.
    pub mixing_excess: f64,
}

/// A count law with a positive mean.
pub(super) trait CountLaw {
    /// ln P(X = k).
    fn ln_probability(&self, k: f64) -> f64;

    /// ln P(X = 0).
    fn ln_probability_of_zero(&self) -> f64;

    /// P(first ≤ X ≤ last), integers held as `f64`.
    fn probability_between(&self, first: f64, last: f64) -> f64;

    /// A distance such that beyond the mean, P(X > x + c · reach) < e⁻ᶜ/² P(X > x), roughly: the standard deviation plus the
    /// scale of the exponential tail. Used to replace an endless sum by a long one.
    fn reach(&self) -> f64;

    /// The j-th factorial cumulant, j ≥ 1: the j-th cumulant of the mixing variable Λ.
    fn factorial_cumulant(&self, j: i32) -> f64;

    /// The Laplace transform E e⁻ᵗˣ, given z = 1 − e⁻ᵗ in [0, 1].
    fn transform(&self, z: f64) -> Transform;

    /// One draw.
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64;

    /// The size of one cluster of the compound Poisson form.
    fn sample_cluster<R: Rng + ?Sized>(&self, rng: &mut R) -> f64;
}

/// One of the laws. The Poisson is the negative binomial with σ = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    NegativeBinomial(NegativeBinomial),
    PoissonInverseGaussian(PoissonInverseGaussian),
    Delaporte(Delaporte),
}

/// Hands a question on to the law at hand.
macro_rules! ask {
    ($law:expr, $inner:ident => $question:expr) => {
        match $law {
            Law::NegativeBinomial($inner) => $question,
            Law::PoissonInverseGaussian($inner) => $question,
            Law::Delaporte($inner) => $question,
        }
    };
}

impl CountLaw for Law {
    fn ln_probability(&self, k: f64) -> f64 {
        ask!(self, law => law.ln_probability(k))
    }

    fn ln_probability_of_zero(&self) -> f64 {
        ask!(self, law => law.ln_probability_of_zero())
    }

    fn probability_between(&self, first: f64, last: f64) -> f64 {
        ask!(self, law => law.probability_between(first, last))
    }

    fn reach(&self) -> f64 {
        ask!(self, law => law.reach())
    }

    fn factorial_cumulant(&self, j: i32) -> f64 {
        ask!(self, law => law.factorial_cumulant(j))
    }

    fn transform(&self, z: f64) -> Transform {
        ask!(self, law => law.transform(z))
    }

    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        ask!(self, law => law.sample(rng))
    }

    fn sample_cluster<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        ask!(self, law => law.sample_cluster(rng))
    }
}
