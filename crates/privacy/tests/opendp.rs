//! Our noise, its privacy map and the conversion of ρ against OpenDP 0.16, an independent implementation.
//!
//! OpenDP draws from the operating system, so these tests are not replayable: bounds are at six standard errors (a false alarm in 10⁹).

use opendp::combinators::make_zCDP_to_approxDP;
use opendp::core::Measurement;
use opendp::domains::AtomDomain;
use opendp::measurements::{make_gaussian, make_laplace};
use opendp::measures::{MaxDivergence, ZeroConcentratedDivergence};
use opendp::metrics::AbsoluteDistance;
use privacy::conversion::epsilon_of_rho;
use privacy::noise::{DiscreteGaussian, DiscreteLaplace};
use privacy::{Cost, Delta, NoiseSource};

type OnIntegers<M> = Measurement<AtomDomain<i64>, AbsoluteDistance<f64>, M, i64>;

const DRAWS: usize = 100_000;

fn laplace(scale: f64) -> OnIntegers<MaxDivergence> {
    make_laplace(AtomDomain::default(), AbsoluteDistance::default(), scale, None).expect("a scale above zero")
}

fn gaussian(scale: f64) -> OnIntegers<ZeroConcentratedDivergence> {
    make_gaussian(AtomDomain::default(), AbsoluteDistance::default(), scale, None)
        .expect("a scale above zero")
}

/// Mean and variance.
fn moments(draws: impl Iterator<Item = i64>) -> (f64, f64) {
    let draws: Vec<f64> = draws.map(|draw| draw as f64).collect();
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    (mean, draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64)
}

/// Means within six standard errors, variances too; `kurtosis` is E(Z − μ)⁴/σ⁴.
fn assert_same_moments(ours: (f64, f64), theirs: (f64, f64), variance: f64, kurtosis: f64) {
    let draws = DRAWS as f64;
    let mean_error = 6.0 * (2.0 * variance / draws).sqrt();
    let variance_error = 6.0 * (2.0 * (kurtosis - 1.0) / draws).sqrt() * variance;
    assert!((ours.0 - theirs.0).abs() < mean_error, "means {} and {}", ours.0, theirs.0);
    assert!((ours.1 - theirs.1).abs() < variance_error, "variances {} and {}", ours.1, theirs.1);
}

#[test]
fn laplace_noise_has_the_same_moments_and_map() {
    let mut noise = NoiseSource::insecure_test_seed(1);
    for (units, sensitivity) in [(1_u64 << 41, 1), (1 << 39, 1), (1 << 36, 2)] {
        let cost = Cost::from_units(units);
        let law = DiscreteLaplace::for_cost(cost, sensitivity).unwrap();
        let oracle = laplace(law.scale());
        assert_eq!(oracle.map(&(sensitivity as f64)).unwrap(), cost.upper());
        let theirs = moments((0..DRAWS).map(|_| oracle.invoke(&0).unwrap()));
        let ours = moments((0..DRAWS).map(|_| law.sample(noise.rng())));
        // Kurtosis 6 + 1/σ², as of the two-sided geometric.
        assert_same_moments(ours, theirs, law.variance(), 6.0 + 1.0 / law.variance());
    }
}

#[test]
fn gaussian_noise_has_the_same_moments_and_map() {
    let mut noise = NoiseSource::insecure_test_seed(2);
    // ρ = 1/(2σ²) for σ = 1, 4, 32: exact in both libraries.
    for (units, sigma) in [(1_u64 << 39, 1.0), (1 << 35, 4.0), (1 << 29, 32.0)] {
        let cost = Cost::from_units(units);
        let law = DiscreteGaussian::for_cost(cost, 1).unwrap();
        assert_eq!(law.sigma(), sigma);
        let oracle = gaussian(sigma);
        assert_eq!(oracle.map(&1.0).unwrap(), cost.upper());
        let theirs = moments((0..DRAWS).map(|_| oracle.invoke(&0).unwrap()));
        let ours = moments((0..DRAWS).map(|_| law.sample(noise.rng())));
        assert_same_moments(ours, theirs, law.variance(), 3.0);
    }
}

#[test]
fn the_conversion_of_rho_is_no_smaller_and_hardly_larger() {
    for rho in [1e-5, 0.001, 0.02, 0.5, 3.0] {
        let cost = Cost::rounded_up(rho).unwrap();
        let profile =
            make_zCDP_to_approxDP(gaussian((0.5 / cost.upper()).sqrt())).unwrap().map(&1.0).unwrap();
        for delta in [1e-5, 1e-6, 1e-9, 1e-12] {
            let theirs = profile.epsilon(delta).unwrap();
            let ours = epsilon_of_rho(cost, Delta::new(delta).unwrap()).unwrap().upper();
            assert!(
                ours >= theirs && ours < theirs * (1.0 + 1e-6) + 1e-11,
                "ρ {rho}, δ {delta}: {ours}, {theirs}"
            );
        }
    }
}
