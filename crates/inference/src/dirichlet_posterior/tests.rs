use rstest::rstest;

use super::*;
use crate::interval::Level;
use crate::shares::{ShareOf, Shares};
use crate::{Target, mcclure_utility};

fn cells_alone(cells: usize) -> Shares {
    let share = |cell: usize| ShareOf { name: cell.to_string(), cell, group: 0 };
    Shares { shares: (0..cells).map(share).collect(), groups: vec![(0..cells).collect()] }
}

fn sampled(release: &PredictiveRelease, step: CountStep, sweeps: usize) -> Vec<ShareSummary> {
    let settings = SamplerSettings { step, burn_in: 2_000, sweeps, seed: 3 };
    sample(release, &cells_alone(release.cells()), Target::Population, Level::USUAL, settings).shares
}

/// Without noise, a → 0, two cells and s = n large, the posterior tends to the Beta of the counts; with N = 1 the sums are short enough for a
/// hand: p(y = 1 | s) ∝ (1 + a)^{s₁} a^{s₀}.
#[test]
fn enumeration_by_hand() {
    let release = PredictiveRelease::new(vec![1, 2], vec![0.5, 0.5], 1).unwrap();
    // Weights: y₁ = 1: 1.5·0.5² = 0.375; y₁ = 0: 0.5·1.5² = 1.125. p | y is Beta(1 + y₁, 2 − y₁), mean 2/3 or 1/3.
    let moments = exact_moments(&release);
    let mean = (0.25 * 2.0 + 0.75) / 3.0;
    assert!((moments[0].mean - mean).abs() < 1e-14);
    // E p² = (1+y)(2+y)/(3·4): 6/12 or 2/12.
    assert!((moments[0].variance - (0.25 * 0.5 + 0.75 / 6.0 - mean * mean)).abs() < 1e-14);
    assert!((moments[1].mean - (1.0 - mean)).abs() < 1e-14);
}

/// Error rate: with 400,000 sweeps the sampler's own error is well below the 1 % asked for; the seed is fixed.
#[rstest]
#[case(vec![40, 20], 60, 20.0)]
#[case(vec![40, 20], 60, 0.6)]
#[case(vec![3, 57], 60, 2.0)]
#[case(vec![9, 1], 10, 5.0)]
#[case(vec![30, 12, 3], 45, 3.0)]
#[case(vec![5, 5, 1, 1], 12, 1.5)]
fn the_sampler_agrees_with_enumeration(#[case] released: Vec<u64>, #[case] rows: u64, #[case] weight: f64) {
    let weights = vec![weight; released.len()];
    let release = PredictiveRelease::new(released, weights, rows).unwrap();
    let exact = exact_moments(&release);
    let found = sampled(&release, CountStep::SharesIntegratedOut, 400_000);
    for (found, exact) in found.iter().zip(&exact) {
        assert!((found.moments.mean / exact.mean - 1.0).abs() < 0.01, "{found:?} {exact:?}");
        assert!((found.moments.variance / exact.variance - 1.0).abs() < 0.01, "{found:?} {exact:?}");
        assert!(found.interval.low < exact.mean && exact.mean < found.interval.high);
    }
}

#[test]
fn mcclures_own_step_has_the_same_posterior() {
    let release = PredictiveRelease::new(vec![22, 8], vec![1.0, 1.0], 30).unwrap();
    let exact = exact_moments(&release);
    let found = sampled(&release, CountStep::GivenShares, 1_500_000);
    assert!((found[0].moments.mean / exact[0].mean - 1.0).abs() < 0.01, "{found:?} {exact:?}");
    assert!((found[0].moments.variance / exact[0].variance - 1.0).abs() < 0.01, "{found:?} {exact:?}");
    let other =
        PredictiveRelease::with_prior(vec![6, 3, 2], vec![1.0, 2.0, 1.0], 12, vec![0.5, 0.3, 0.2]).unwrap();
    for step in [CountStep::GivenShares, CountStep::SharesIntegratedOut] {
        for (found, exact) in sampled(&other, step, 400_000).iter().zip(exact_moments(&other)) {
            assert!((found.moments.mean / exact.mean - 1.0).abs() < 0.02, "{step:?} {found:?} {exact:?}");
            assert!(
                (found.moments.variance / exact.variance - 1.0).abs() < 0.03,
                "{step:?} {found:?} {exact:?}"
            );
        }
    }
}

#[test]
fn a_strong_prior_takes_the_answer_back_to_the_analysts_own() {
    // Under an almost useless release the posterior is the flat prior: mean 1/2, variance 1/12.
    let release = PredictiveRelease::new(vec![700, 300], vec![1e9, 1e9], 1000).unwrap();
    let moments = exact_moments(&release)[0];
    assert!((moments.mean - 0.5).abs() < 1e-3 && (moments.variance * 12.0 - 1.0).abs() < 0.02, "{moments:?}");
    // Under an almost harmless one it is what the released counts say, twice as uncertain as they are alone.
    let release = PredictiveRelease::new(vec![700, 300], vec![1e-6, 1e-6], 1000).unwrap();
    let moments = exact_moments(&release)[0];
    assert!((moments.mean - 0.7).abs() < 2e-3);
    assert!((moments.variance / (2.0 * 0.21 / 1000.0) - 1.0).abs() < 0.02, "{moments:?}");
}

/// McClure & Reiter, section 3.2 and Figure 1: p₀ = .5, n = n_s = 1000, ten pairs each; U from 2 to 2.7 at ε = .01 and from .25 to 1.1 at ε = 2.
/// The figure's ten pairs scatter; a pair of ours may lie a little outside, but 40 of them must have their middle 80 % inside.
#[rstest]
#[case(0.01, 2.0, 2.7)]
#[case(2.0, 0.25, 1.1)]
fn utility_lies_where_figure_1_says(#[case] epsilon: f64, #[case] low: f64, #[case] high: f64) {
    let mut utilities = simulated_utilities(epsilon, 0.5, 1000, 40);
    utilities.sort_unstable_by(f64::total_cmp);
    assert!(utilities[4] > low && utilities[35] < high, "{utilities:?}");
}

#[test]
fn more_privacy_is_less_utility() {
    let middle = |epsilon: f64| {
        let mut utilities = simulated_utilities(epsilon, 0.5, 1000, 21);
        utilities.sort_unstable_by(f64::total_cmp);
        utilities[10]
    };
    let of: Vec<f64> = [0.01, 0.2, 2.0, 10.0, 1000.0].map(middle).into();
    assert!(of.windows(2).all(|pair| pair[0] > pair[1]), "{of:?}");
}

fn simulated_utilities(epsilon: f64, p0: f64, rows: u64, pairs: u64) -> Vec<f64> {
    use rand_distr::{Binomial, Distribution};
    let weight = prior_weight(epsilon, rows);
    let mut rng = synthesis::randomness::Seed::new(11).stream(0);
    let pair = |_| {
        let count = Binomial::new(rows, p0).unwrap().sample(&mut rng);
        let p = (count as f64 + weight) / (rows as f64 + 2.0 * weight);
        let released = Binomial::new(rows, p).unwrap().sample(&mut rng);
        let release = PredictiveRelease::new(vec![released, rows - released], vec![weight; 2], rows).unwrap();
        mcclure_utility(exact_moments(&release)[0], p0, count, rows)
    };
    (0..pairs).map(pair).collect()
}

/// 100 cells, N = n = 400, and an almost harmless release: 30 % of the records in one cell are 30 % still. A flat prior of weight 1 in each cell, 100 records in
/// all, drew that to about (120 + 2)/(400 + 200).
#[test]
fn many_cells_do_not_swamp_the_data() {
    let mut released = vec![3; 100];
    released[0] = 120;
    let rows = released.iter().sum::<u64>();
    let share = |release: &PredictiveRelease| sampled(release, CountStep::SharesIntegratedOut, 4_000)[0];
    let weights = vec![0.2; 100];
    let total = PredictiveRelease::with_total_prior(released.clone(), weights.clone(), rows).unwrap();
    let found = share(&total);
    // The release's own weights, 20 records in all, are taken back too: (120/417)(417 + 20) − 0.2 = 125.6 of 417.
    let truth = 125.6 / 417.0;
    assert!((found.moments.mean - truth).abs() < 0.04 && found.interval.covers(truth), "{found:?}");
    let flat = share(&PredictiveRelease::new(released, weights, rows).unwrap());
    assert!(flat.moments.mean < 0.25 && !flat.interval.covers(truth), "{flat:?}");
}

/// The prior of a margin is the sum of the priors of its cells, so that before anything is seen a margin is the same thing asked for in either way.
#[test]
fn margins_and_tables_have_one_prior() {
    let table = PredictiveRelease::with_total_prior(vec![5, 6, 7, 8], vec![2.0, 2.0, 2.0, 6.0], 26).unwrap();
    let margin = PredictiveRelease::with_total_prior(vec![11, 15], vec![4.0, 8.0], 26).unwrap();
    let by_hand = (4.0 / 12.0 * 8.0 / 12.0 / 2.0_f64).sqrt();
    assert!((margin.prior_standard_deviation(0, &[0, 1]) - by_hand).abs() < 1e-14);
    assert!((table.analyst_prior[0] + table.analyst_prior[1] - margin.analyst_prior[0]).abs() < 1e-14);
    // Two cells of a group of three: Beta(1/6, 1/6 + 1/2).
    let (a, b) = (1.0_f64 / 6.0, 4.0 / 6.0);
    let group = (a * b / ((a + b).powi(2) * (a + b + 1.0))).sqrt();
    assert!((table.prior_standard_deviation(0, &[0, 1, 3]) - group).abs() < 1e-14);
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(PredictiveRelease::new(vec![1], vec![1.0], 5).is_err());
    assert!(PredictiveRelease::new(vec![1, 2], vec![1.0, 0.0], 5).is_err());
    assert!(PredictiveRelease::new(vec![1, 2], vec![1.0, 1.0], 0).is_err());
    assert!(
        PredictiveRelease::new(vec![1; 2001], vec![1.0; 2001], 5).unwrap_err().to_string().contains("2,000")
    );
}
