use super::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rstest::rstest;

/// Means and dispersions that the mechanism meets: a pseudocount of a millionth to a cell of a thousand million.
const MEANS: [f64; 7] = [1e-6, 1e-3, 0.3, 4.0, 1e3, 1e6, 1e9];
const SIGMAS: [f64; 6] = [1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3];

fn at(family: CountFamily, mean: f64) -> CountDistribution {
    family.distribution(Mean::new(mean).unwrap())
}

/// Every family with this dispersion; Delaporte with a low, a middle and a high Poisson share.
fn families(sigma: f64) -> Vec<CountFamily> {
    let mut families = vec![CountFamily::nbi(sigma).unwrap(), CountFamily::pig(sigma).unwrap()];
    families.extend([0.05, 0.5, 0.9].map(|nu| CountFamily::delaporte(sigma, nu).unwrap()));
    families
}

/// The whole grid, the Poisson first.
fn grid() -> impl Iterator<Item = CountDistribution> {
    MEANS.into_iter().flat_map(|mean| {
        std::iter::once(CountFamily::Poisson)
            .chain(SIGMAS.into_iter().flat_map(families))
            .map(move |family| at(family, mean))
    })
}

/// P(0), P(1), … until the rest is below 1e-17 of the largest, at most `limit` of them.
fn probabilities(distribution: &CountDistribution, limit: u64) -> Vec<f64> {
    let mut all = Vec::new();
    for k in 0..limit {
        let probability = distribution.probability(k);
        all.push(probability);
        if k as f64 > distribution.mean() && probability < 1e-25 {
            break;
        }
    }
    all
}

#[test]
fn probabilities_agree_with_golden_values() {
    let mut compared = 0;
    for line in include_str!("../../../testdata/count_families.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        let nu = (!fields[3].is_empty()).then(|| number(3));
        let family = CountFamily::from_options(fields[0], Some(number(2)), nu).unwrap();
        let distribution = at(family, number(1));
        let k = fields[4].parse().unwrap();
        let (ours, golden) = (distribution.ln_probability(k), number(5));
        assert!((ours - golden).abs() <= 1e-13 * golden.abs().max(1.0), "{line}: {ours}");
        if !fields[6].is_empty() {
            let ours = distribution.probability_at_most(k);
            assert!((ours - number(6)).abs() <= 2e-12, "{line}: {ours}");
        }
        compared += 1;
    }
    assert!(compared > 1400);
}

#[test]
fn probabilities_sum_to_one_and_have_the_stated_moments() {
    for mean in [1e-6, 0.01, 1.0, 30.0, 400.0] {
        for family in std::iter::once(CountFamily::Poisson)
            .chain([1e-6, 1e-3, 0.1, 1.0, 10.0].into_iter().flat_map(families))
        {
            if matches!(family, CountFamily::Delaporte { .. }) && family.sigma().value() * mean > 50.0 {
                // A hundred thousand convolutions; the next test sums these in blocks.
                continue;
            }
            let distribution = at(family, mean);
            let probabilities = probabilities(&distribution, 1_000_000);
            let moment = |f: &dyn Fn(f64) -> f64| {
                probabilities.iter().enumerate().rev().map(|(k, p)| p * f(k as f64)).sum::<f64>()
            };
            let close = |found: f64, stated: f64, tolerance: f64, what: &str| {
                let error = (found - stated).abs() / stated;
                assert!(error < tolerance, "{family:?} at mean {mean}: {what} {found}, stated {stated}");
            };
            close(moment(&|_| 1.0), 1.0, 1e-12, "total");
            close(moment(&|k| k), mean, 1e-11, "mean");
            close(moment(&|k| (k - mean).powi(2)), distribution.variance(), 1e-11, "variance");
            let third = distribution.third_central_moment();
            close(moment(&|k| (k - mean).powi(3)), third, 1e-10, "third central moment");
            close(moment(&|k| (k - mean).powi(4)), distribution.fourth_central_moment(), 1e-10, "fourth");
            assert!((distribution.skewness() - third / distribution.variance().powf(1.5)).abs() < 1e-12);
            close(distribution.probability_of_positive(), moment(&|k| f64::from(k > 0.0)), 1e-11, "P(X > 0)");
            // √μ − E √X, by its definition; the difference itself has lost digits here.
            let shortfall = mean.sqrt() - moment(&f64::sqrt);
            let error = (distribution.root_shortfall() - shortfall).abs();
            assert!(
                error < 1e-12 * mean.sqrt().max(1e-3),
                "{family:?} at mean {mean}: root shortfall off by {error}"
            );
        }
    }
}

#[test]
fn closed_moments_are_those_of_the_table() {
    for mean in MEANS {
        for sigma in SIGMAS {
            for family in families(sigma) {
                let third = match family {
                    CountFamily::Poisson => 0.0,
                    CountFamily::Nbi { .. } => 2.0,
                    CountFamily::Pig { .. } => 3.0,
                    CountFamily::Delaporte { nu, .. } => 2.0 / (1.0 - nu.value()),
                };
                let stated = mean + 3.0 * sigma * mean * mean + third * sigma * sigma * mean.powi(3);
                let distribution = at(family, mean);
                assert!(
                    (distribution.third_central_moment() / stated - 1.0).abs() < 1e-12,
                    "{family:?} {mean}"
                );
                assert!((distribution.cumulant(1) / mean - 1.0).abs() < 1e-12);
                assert!((distribution.cumulant(2) / distribution.variance() - 1.0).abs() < 1e-12);
            }
        }
    }
    // ν = 1/3 has the skewness of PIG.
    let (pig, delaporte) = (CountFamily::pig(0.7).unwrap(), CountFamily::delaporte(0.7, 1.0 / 3.0).unwrap());
    assert!((at(pig, 9.0).skewness() - at(delaporte, 9.0).skewness()).abs() < 1e-12);
}

#[test]
fn the_two_sides_of_any_count_sum_to_one_over_the_whole_grid() {
    for distribution in grid() {
        let (mean, sd) = (distribution.mean(), distribution.variance().sqrt());
        for k in [0.0, 1.0, 70.0, 0.1 * mean, mean - sd, mean, mean + sd, mean + 4.0 * sd] {
            if k < 0.0 {
                continue;
            }
            let k = k as u64;
            let (below, above) =
                (distribution.probability_in(0..=k), distribution.probability_in(k + 1..=u64::MAX));
            assert!((below + above - 1.0).abs() < 3e-12, "{distribution:?} at {k}: {below} + {above}");
            assert!((distribution.probability_at_most(k) - below).abs() < 3e-12, "{distribution:?} at {k}");
            assert!((distribution.probability_above(k) - above).abs() < 3e-12, "{distribution:?} at {k}");
        }
    }
}

#[test]
fn intervals_are_sums_of_their_probabilities() {
    for family in
        std::iter::once(CountFamily::Poisson).chain([1e-3, 0.5, 20.0].into_iter().flat_map(families))
    {
        for mean in [0.02, 8.0, 700.0] {
            let distribution = at(family, mean);
            for (first, last) in [
                (0, 0),
                (0, 3),
                (3, 2),
                (5, 15),
                (1, 60),
                (40, 180),
                (63, 64),
                (64, 65),
                (0, 900),
                (650, 2000),
            ] {
                let sum: f64 = (first..=last).map(|k| distribution.probability(k)).sum();
                let interval = distribution.probability_in(first..=last);
                let absolute = if matches!(family, CountFamily::Delaporte { .. }) { 1e-14 } else { 1e-300 };
                assert!(
                    (interval - sum).abs() <= 1e-12 * sum + absolute,
                    "{distribution:?} {first}..={last}: {interval} {sum}"
                );
            }
        }
    }
}

#[test]
fn tiny_tails_keep_their_digits() {
    // Beyond reach of 1 − P(X ≤ k): compared with the leading terms of the tail itself.
    for family in [CountFamily::Poisson, CountFamily::nbi(0.5).unwrap(), CountFamily::pig(0.5).unwrap()] {
        let distribution = at(family, 2.0);
        for k in [60, 150] {
            let tail: f64 = (k + 1..k + 400).map(|j| distribution.probability(j)).sum();
            assert!((distribution.probability_above(k) / tail - 1.0).abs() < 1e-11, "{family:?} {k}");
        }
        let rare = at(family, 1e-6);
        assert!((rare.probability_above(0) / -rare.ln_probability(0).exp_m1() - 1.0).abs() < 1e-15);
        let twice: f64 = (2..40).map(|j| rare.probability(j)).sum();
        assert!((rare.probability_above(1) / twice - 1.0).abs() < 1e-12, "{family:?}");
    }
}

#[test]
fn a_vanishing_dispersion_gives_the_poisson() {
    for mean in [1e-6, 0.5, 20.0, 3000.0] {
        let poisson = at(CountFamily::Poisson, mean);
        for family in families(1e-15).into_iter().chain(families(0.0)) {
            let near = at(family, mean);
            for k in [0, 1, 5, 20, 3000, 3100] {
                let (ours, limit) = (near.ln_probability(k), poisson.ln_probability(k));
                assert!(
                    (ours - limit).abs() < 1e-10 * limit.abs().max(1.0),
                    "{family:?} at {mean}, k {k}: {ours} {limit}"
                );
            }
        }
    }
}

/// The law of a sum of three counts, by convolving the probabilities twice, is `sum_of(3)`.
#[rstest]
#[case(CountFamily::Poisson)]
#[case(CountFamily::nbi(0.4).unwrap())]
#[case(CountFamily::nbi(6.0).unwrap())]
#[case(CountFamily::pig(0.4).unwrap())]
#[case(CountFamily::pig(6.0).unwrap())]
#[case(CountFamily::delaporte(0.4, 0.3).unwrap())]
#[case(CountFamily::delaporte(6.0, 0.7).unwrap())]
fn sums_stay_in_the_family(#[case] family: CountFamily) {
    let one = at(family, 1.7);
    let sum = one.sum_of(3.try_into().unwrap());
    assert!((sum.mean() - 5.1).abs() < 1e-14 && (sum.variance() - 3.0 * one.variance()).abs() < 1e-12);
    let single: Vec<f64> = (0..120).map(|k| one.probability(k)).collect();
    let convolve =
        |a: &[f64]| -> Vec<f64> { (0..120).map(|k| (0..=k).map(|j| a[j] * single[k - j]).sum()).collect() };
    for (k, expected) in convolve(&convolve(&single)).into_iter().enumerate() {
        let error = (sum.probability(k as u64) - expected).abs();
        assert!(error < 1e-13 * expected + 1e-18, "{family:?} at {k}: {error}");
    }
}

#[test]
fn the_root_shortfall_keeps_its_digits_when_counts_hardly_vary() {
    // √μ − E √X = κ₂/(8μ^1.5) − κ₃/(16μ^2.5) + 5(κ₄ + 3κ₂²)/(128μ^3.5) − …, a short series when X/μ is nearly 1.
    for family in [CountFamily::Poisson].into_iter().chain(families(1e-6)) {
        for mean in [1e5, 1e7, 1e9_f64] {
            let d = at(family, mean);
            let series = d.variance() / (8.0 * mean.powf(1.5))
                - d.third_central_moment() / (16.0 * mean.powf(2.5))
                + 5.0 * d.fourth_central_moment() / (128.0 * mean.powf(3.5));
            let relative = d.root_shortfall() / series - 1.0;
            assert!(relative.abs() < 1e-9, "{family:?} at {mean}: {relative}");
        }
    }
}

#[test]
fn a_mean_of_zero_is_always_zero() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for family in families(0.5) {
        let zero = at(family, 0.0);
        assert_eq!((zero.probability(0), zero.probability(1)), (1.0, 0.0));
        assert_eq!(
            (zero.probability_in(0..=5), zero.probability_in(1..=5), zero.probability_above(0)),
            (1.0, 0.0, 0.0)
        );
        assert_eq!((zero.variance(), zero.third_central_moment(), zero.root_shortfall()), (0.0, 0.0, 0.0));
        assert_eq!((zero.sample(&mut rng), zero.sample_positive(&mut rng)), (0, None));
        assert_eq!(zero.sum_of(5.try_into().unwrap()).probability(0), 1.0);
    }
}

/// Draws per point of the grid.
const DRAWS: u32 = 20_000;

/// Chi-square of draws against interval probabilities, pooling until every interval expects at least ten draws.
///
/// Passes below df + 2√(16 df) + 32, which a chi-square variable exceeds with probability at most e⁻¹⁶ ≈ 1e-7 (Laurent &
/// Massart 2000, Lemma 1).
fn assert_follows(
    draws: &[u64],
    edges: &[u64],
    probability: impl Fn(RangeInclusive<u64>) -> f64,
    what: &str,
) {
    let n = draws.len() as f64;
    let mut edges: Vec<u64> = edges.to_vec();
    edges.sort_unstable();
    edges.dedup();
    edges.push(u64::MAX);
    let (mut chi_square, mut df) = (0.0, -1.0_f64);
    let (mut first, mut observed, mut expected) = (0, 0.0, 0.0);
    let mut pooled = (0.0, 0.0);
    for last in edges {
        observed += draws.iter().filter(|x| (first..=last).contains(*x)).count() as f64;
        expected += n * probability(first..=last);
        first = last.saturating_add(1);
        if expected >= 10.0 {
            chi_square += (observed - expected).powi(2) / expected;
            df += 1.0;
            (observed, expected) = (0.0, 0.0);
        }
        pooled = (observed, expected);
    }
    // What is left over expects less than ten draws: a Poisson count may exceed its mean by so much with probability
    // below 1e-7 (Chernoff).
    let (observed, expected) = pooled;
    assert!(
        observed <= expected + 6.0 * expected.sqrt() + 12.0,
        "{what}: {observed} rare draws, expected {expected}"
    );
    let df = df.max(0.0);
    let limit = df + 8.0 * df.sqrt() + 32.0;
    assert!(chi_square < limit, "{what}: chi-square {chi_square} with {df} degrees of freedom");
}

fn edges_around(distribution: &CountDistribution) -> Vec<u64> {
    let (mean, sd) = (distribution.mean(), distribution.variance().sqrt());
    let mut edges = vec![0, 1, 2, 5];
    edges.extend(
        [
            mean - 2.0 * sd,
            mean - sd,
            mean - 0.3 * sd,
            mean,
            mean + 0.5 * sd,
            mean + 2.0 * sd,
            0.01 * mean,
            0.2 * mean,
        ]
        .iter()
        .filter(|x| **x >= 0.0)
        .map(|x| *x as u64),
    );
    edges
}

/// Draws over the whole grid of means and dispersions: intervals by chi-square, and mean, variance, third central moment
/// and the share of zeros against theory.
///
/// Error rates. Where a statistic's skewness over the draws is below 0.1 its normal approximation is good and 6 (third
/// moment: 8) standard errors are allowed, a rate below 1e-7. Where it is not (tiny means and huge dispersions, whose
/// moments rest on a handful of draws) the bound is Chebyshev's at a rate of 1e-5, that is 316 standard errors; there
/// the chi-square test is the sharp one. About 217 points and four statistics keep the whole below 1 %; the seed is fixed.
#[test]
fn draws_follow_the_distribution_over_the_whole_grid() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_240_229);
    let mut regular = [0; 3];
    for distribution in grid() {
        let what = format!("{:?} at mean {}", distribution.family(), distribution.mean());
        let draws: Vec<u64> = (0..DRAWS).map(|_| distribution.sample(&mut rng)).collect();
        assert_follows(
            &draws,
            &edges_around(&distribution),
            |range| distribution.probability_in(range),
            &what,
        );

        let n = f64::from(DRAWS);
        let mean = distribution.mean();
        let power_mean = |power: i32| draws.iter().map(|x| (*x as f64 - mean).powi(power)).sum::<f64>() / n;
        let k: Vec<f64> = (1..=6).map(|order| distribution.cumulant(order)).collect();
        let (second, third) = (k[1], k[2]);
        let fourth = k[3] + 3.0 * second * second;
        let sixth = k[5] + 15.0 * k[3] * second + 10.0 * third * third + 15.0 * second.powi(3);
        // Statistic, its expectation, its variance per draw and its third central moment per draw.
        let tests = [
            ("mean", power_mean(1), 0.0, second, third, 6.0),
            (
                "variance",
                power_mean(2),
                second,
                fourth - second * second,
                sixth - 3.0 * fourth * second + 2.0 * second.powi(3),
                6.0,
            ),
            // The ninth moment is not at hand; the variance's skewness says how far it is from normal.
            ("third", power_mean(3), third, sixth - third * third, 0.0, 8.0),
        ];
        let mut skewness = 0.0_f64;
        for ((statistic, found, expected, variance, third_moment, limit), regular) in
            tests.into_iter().zip(&mut regular)
        {
            skewness = skewness.max(third_moment / variance.powf(1.5) / n.sqrt());
            let z = (found - expected).abs() / (variance / n).sqrt();
            let limit = if skewness < 0.1 { limit } else { 1e5_f64.sqrt() };
            *regular += u32::from(skewness < 0.1);
            assert!(z < limit, "{what}: {statistic} {found}, expected {expected}, {z} standard errors");
        }
    }
    // The sharp limits were used often enough for the test to mean something.
    assert!(regular[0] > 100 && regular[1] > 70 && regular[2] > 70, "{regular:?}");
}

/// Zero-truncated draws over the whole grid, where P(0) runs from 0 to 1 − 1e-9, against the truncated probabilities;
/// error rate as above.
#[test]
fn positive_draws_follow_the_truncated_distribution_over_the_whole_grid() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_240_301);
    let rare = [CountFamily::Poisson].into_iter().chain(families(0.5)).map(|family| at(family, 1e-9));
    for distribution in grid().chain(rare) {
        let what = format!("positive {:?} at mean {}", distribution.family(), distribution.mean());
        let draws: Vec<u64> = (0..DRAWS).map(|_| distribution.sample_positive(&mut rng).unwrap()).collect();
        assert!(draws.iter().all(|x| *x > 0), "{what}");
        let positive = distribution.probability_of_positive();
        let truncated = |range: RangeInclusive<u64>| {
            let (first, last) = range.into_inner();
            distribution.probability_in(first.max(1)..=last) / positive
        };
        let mut edges = edges_around(&distribution);
        // Clusters of a rare count reach as far as its tail does.
        let tail = distribution.mean() * distribution.family().sigma().value();
        edges.extend([0.01 * tail, 0.1 * tail, tail].map(|x| x as u64));
        assert_follows(&draws, &edges, truncated, &what);
    }
}

#[test]
fn moderate_counts_follow_their_probabilities_one_by_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    for family in std::iter::once(CountFamily::Poisson).chain([0.05, 0.7, 5.0].into_iter().flat_map(families))
    {
        for mean in [2.5, 14.0, 40.0] {
            let distribution = at(family, mean);
            let draws: Vec<u64> = (0..60_000).map(|_| distribution.sample(&mut rng)).collect();
            let edges: Vec<u64> = (0..150).collect();
            assert_follows(
                &draws,
                &edges,
                |range| distribution.probability_in(range),
                &format!("{distribution:?}"),
            );
        }
    }
}

#[test]
fn one_seed_gives_one_sequence() {
    let draw = || {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        (0..50)
            .map(|i| CountFamily::pig(0.5).unwrap().sample(Mean::of_count(i), &mut rng))
            .collect::<Vec<_>>()
    };
    assert_eq!(draw(), draw());
}
