//! Draws of the variables that a count is mixed from: the Poisson count itself, and the gamma or inverse Gaussian variable
//! that multiplies its mean.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};

/// A Poisson count; zero for a mean of zero.
///
/// rand_distr inverts products of uniforms below a mean of 12 and uses Ahrens & Dieter's (1982) PD above, up to its
/// `MAX_LAMBDA` of 1.8·10¹⁹. It refuses a mean of zero, which a gamma draw of tiny shape rounds to; there the count is zero
/// with probability 1 − 10⁻³⁰⁰.
pub(super) fn poisson<R: Rng + ?Sized>(mean: f64, rng: &mut R) -> f64 {
    Poisson::new(mean.min(Poisson::<f64>::MAX_LAMBDA)).map_or(0.0, |poisson| poisson.sample(rng))
}

/// A gamma variable with mean 1 and variance σ > 0.
///
/// For σ > 1, rand_distr computes U^σ · Gamma(1 + 1/σ), which underflows to zero for large σ. That is the right answer
/// here: a count whose mean is below 10⁻³⁰⁰ is zero.
pub(super) fn unit_gamma<R: Rng + ?Sized>(sigma: f64, rng: &mut R) -> f64 {
    let shape = 1.0 / sigma;
    if !shape.is_finite() {
        return 1.0;
    }
    Gamma::new(shape, sigma).map_or(1.0, |gamma| gamma.sample(rng))
}

/// An inverse Gaussian variable with mean 1 and variance σ > 0, by Michael, Schucany & Haas (1976).
///
/// With y the square of a standard normal draw, the two roots of σxy = (x − 1)² have product 1. The smaller one is written
/// as the inverse of the larger, so that nothing cancels; rand_distr's version subtracts and can return zero or less for
/// large σ.
pub(super) fn unit_inverse_gaussian<R: Rng + ?Sized>(sigma: f64, rng: &mut R) -> f64 {
    let normal: f64 = rng.sample(StandardNormal);
    let phi = sigma * normal * normal;
    let larger = 1.0 + 0.5 * phi + (phi + 0.25 * phi * phi).sqrt();
    let smaller = 1.0 / larger;
    if rng.random::<f64>() * (1.0 + smaller) <= 1.0 { smaller } else { larger }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// Mean and variance of 200,000 draws stay within five standard errors of theory (error rate below 1e-5 for the whole
    /// test, with a fixed seed); `kurtosis` is the fourth central moment over the squared variance.
    fn assert_unit_mean(draw: impl Fn(&mut ChaCha8Rng) -> f64, sigma: f64, kurtosis: f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| draw(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 5.0 * (sigma / f64::from(n)).sqrt(), "mean {mean} at sigma {sigma}");
        let error = sigma * ((kurtosis - 1.0) / f64::from(n)).sqrt();
        assert!((variance - sigma).abs() < 5.0 * error, "variance {variance} at sigma {sigma}");
    }

    #[test]
    fn mixing_variables_have_mean_one_and_variance_sigma() {
        for sigma in [1e-6, 0.01, 0.5, 1.0, 3.0] {
            assert_unit_mean(|rng| unit_gamma(sigma, rng), sigma, 3.0 + 6.0 * sigma);
            assert_unit_mean(|rng| unit_inverse_gaussian(sigma, rng), sigma, 3.0 + 15.0 * sigma);
        }
    }

    #[test]
    fn extreme_dispersions_give_usable_draws() {
        let mut rng = ChaCha8Rng::seed_from_u64(18);
        for sigma in [1e-320, 1e-300, 1e-12, 1e6, 1e30] {
            for _ in 0..1000 {
                let gamma = unit_gamma(sigma, &mut rng);
                assert!(gamma >= 0.0 && gamma.is_finite(), "gamma {gamma} at sigma {sigma}");
                let inverse_gaussian = unit_inverse_gaussian(sigma, &mut rng);
                assert!(
                    inverse_gaussian > 0.0 && inverse_gaussian.is_finite(),
                    "{inverse_gaussian} at {sigma}"
                );
            }
        }
        assert_eq!(poisson(0.0, &mut rng), 0.0);
        assert_eq!(poisson(1e-320, &mut rng), 0.0);
    }
}
