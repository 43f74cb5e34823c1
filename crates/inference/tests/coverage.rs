//! Coverage of nominal 95 % intervals, in small: `examples/coverage` is the same with more replications and settings.
//!
//! With 1,000 replications a true coverage of 95 % is found between 92.5 % and 97.5 % but for one seed in 3,000; seeds are fixed.

#[path = "../examples/coverage/simulation.rs"]
mod simulation;

use inference::{Level, Rule, Target, Weights, dispersion};
use rstest::rstest;
use simulation::{Quantity, Setting, Synthesis, multinomial, shares};
use synthesis::randomness::Seed;

const REPLICATIONS: u64 = 1_000;

fn small() -> Setting {
    Setting { cells: 200, rows: 2_000, ..Setting::default() }
}

fn counts(sigma: f64) -> Synthesis {
    Synthesis::Counts { sigma, scale: 1.0 }
}

#[rstest]
fn t_p_covers(
    #[values(0.1, 0.5, 2.0)] sigma: f64,
    #[values(5, 10)] m: usize,
    #[values(Target::Population, Target::Original)] target: Target,
) {
    let setting = Setting { synthesis: counts(sigma), rule: Rule::Tp, m, target, ..small() };
    let found = setting.simulate(REPLICATIONS, 1);
    assert!((0.925..0.975).contains(&found.coverage), "{found:?}");
}

/// Files half and four times as large as the original: an inverted n_syn/N covers 81 % and 100 %.
#[rstest]
fn ratios_of_sizes_are_the_right_way_round(
    #[values(1_000, 2_000, 8_000)] records: u64,
    #[values(Rule::Ts, Rule::Tp, Rule::Pooled)] rule: Rule,
    #[values(Target::Population, Target::Original)] target: Target,
) {
    let m = if rule == Rule::Ts { 1 } else { 5 };
    let setting = Setting { synthesis: Synthesis::Multinomial { records }, rule, m, target, ..small() };
    let found = setting.simulate(REPLICATIONS, 2);
    assert!((0.925..0.975).contains(&found.coverage), "{found:?}");
    assert!((0.85..1.15).contains(&found.variance_ratio), "{found:?}");
}

#[rstest]
fn t_s_covers_where_sigma_is_0(#[values(Quantity::Share, Quantity::LogOddsRatio)] quantity: Quantity) {
    let setting = Setting { synthesis: counts(0.0), quantity, ..small() };
    let found = setting.simulate(REPLICATIONS, 3);
    assert!((0.925..0.975).contains(&found.coverage), "{found:?}");
}

/// The known failure, and the warning's number for it: from the sizes of the cells of one released file.
#[rstest]
#[case(0.5, 1)]
#[case(10.0, 1)]
#[case(10.0, 5)]
fn t_s_fails_under_dispersion_as_much_as_the_warning_says(#[case] sigma: f64, #[case] m: usize) {
    let setting = Setting { synthesis: counts(sigma), m, ..small() };
    let found = setting.simulate(REPLICATIONS, 4);
    assert!(found.coverage < 0.85, "{found:?}");
    let mut rng = Seed::new(5).stream(0);
    let original = multinomial(setting.rows, &shares(setting.cells, setting.steepness), &mut rng);
    let released = setting.synthesis.draw(&original, &mut rng);
    let sizes = released.into_iter().map(|count| (count, 1));
    let inflation = dispersion::variance_inflation(sigma, sizes);
    let warned = dispersion::coverage_of_t_s(inflation, 1.0, m, Target::Population, Level::USUAL);
    assert!((warned - found.coverage).abs() < 0.08, "{warned} {found:?}");
}

#[test]
fn proper_synthesis_needs_its_own_rule() {
    let synthesis = Synthesis::Posterior { records: 2_000 };
    let covers = |rule, m| Setting { synthesis, rule, m, ..small() }.simulate(REPLICATIONS, 6);
    assert!((0.925..0.975).contains(&covers(Rule::Proper, 1).coverage));
    assert!((0.925..0.975).contains(&covers(Rule::Tp, 5).coverage));
    assert!(covers(Rule::Ts, 1).coverage < 0.92);
    // T_f is for such files too; its mean is right, its few degrees of freedom make it wide.
    let found = covers(Rule::Tf, 20);
    assert!((0.9..1.25).contains(&found.variance_ratio) && found.coverage > 0.925, "{found:?}");
}

/// T_f on plain draws: (1 + 1/m) b − v is about v/m, far below the variance v (1 + 1/m) of the estimate.
#[test]
fn t_f_is_not_for_plain_draws() {
    let synthesis = Synthesis::Multinomial { records: 2_000 };
    let found = Setting { synthesis, rule: Rule::Tf, m: 20, ..small() }.simulate(REPLICATIONS, 7);
    assert!(found.variance_ratio < 0.8, "{found:?}");
}

#[test]
fn partial_synthesis_is_covered_by_its_rule() {
    let setting = Setting { synthesis: Synthesis::Partial, rule: Rule::Partial, m: 5, ..small() };
    let found = setting.simulate(REPLICATIONS, 8);
    assert!((0.925..0.975).contains(&found.coverage), "{found:?}");
}

/// Eight cells, of which the first holds most records, and σ = 1/2: sizes vary by half. The plain mean of ratios is biased whatever m is; weights by n_syn take most of that away.
#[test]
fn weights_by_size_lower_the_bias_of_random_sizes() {
    let with = |weights| {
        let setting = Setting {
            synthesis: counts(0.5),
            rule: Rule::Tp,
            m: 50,
            cells: 8,
            steepness: 8.0,
            weights,
            ..small()
        };
        setting.simulate(REPLICATIONS, 9)
    };
    let (equal, weighted) = (with(Weights::Equal), with(Weights::NSyn));
    assert!(equal.standardised_bias.abs() > 2.0 * weighted.standardised_bias.abs(), "{equal:?} {weighted:?}");
    assert!((0.925..0.975).contains(&weighted.coverage), "{weighted:?}");
}
