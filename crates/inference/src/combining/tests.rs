use super::*;
use crate::interval::{Interval, Level};

/// Three files with q = 2, 4, 9 and v = 1, 2, 3, of 50 records each, made from 100.
/// By hand: q̄ = 5, b = (9 + 1 + 16)/2 = 13, v̄ = 2, b/m = 13/3, n_syn/N = 1/2.
fn files() -> Vec<FileEstimate> {
    [(2.0, 1.0), (4.0, 2.0), (9.0, 3.0)]
        .map(|(estimate, variance)| FileEstimate { estimate, variance, records: 50 })
        .into()
}

fn combined(rule: Rule, target: Target) -> Combined {
    combine(rule, &files(), Some(100), target, Weights::Equal).unwrap()
}

fn freedom(combined: &Combined) -> Option<f64> {
    match combined.reference {
        Reference::Normal => None,
        Reference::StudentT { degrees_of_freedom } => Some(degrees_of_freedom),
    }
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
        "{found} where {expected} is expected"
    );
}

#[test]
fn the_quantities_are_those_of_the_books() {
    near(mean_estimate(&files()), 5.0);
    near(between_variance(&files()).unwrap(), 13.0);
    near(within_variance(&files()), 2.0);
    assert_eq!(between_variance(&files()[..1]), None);
}

#[test]
fn t_p_by_hand() {
    // T_p = 13/3 + 2/2 = 16/3; ν = 2 (1 + 1/(13/3))² = 2 (16/13)² = 512/169.
    let population = combined(Rule::Tp, Target::Population);
    near(population.estimate, 5.0);
    near(population.variance, 16.0 / 3.0);
    near(freedom(&population).unwrap(), 512.0 / 169.0);
    let original = combined(Rule::Tp, Target::Original);
    near(original.variance, 13.0 / 3.0);
    near(freedom(&original).unwrap(), 2.0);
    // With n_syn = N it is Reiter's own: 13/3 + 2, ν = 2 (1 + 6/13)².
    let reiter = combine(Rule::Tp, &files(), Some(50), Target::Population, Weights::Equal).unwrap();
    near(reiter.variance, 19.0 / 3.0);
    near(freedom(&reiter).unwrap(), 2.0 * (19.0_f64 / 13.0).powi(2));
}

#[test]
fn partial_takes_v_as_it_is_where_n_is_unknown() {
    let partial = combine(Rule::Partial, &files(), None, Target::Population, Weights::Equal).unwrap();
    near(partial.variance, 13.0 / 3.0 + 2.0);
    near(freedom(&partial).unwrap(), 2.0 * (1.0 + 3.0 * 2.0 / 13.0_f64).powi(2));
}

/// N = 2,000, five files of 10,000 records whose kept part was drawn again: v is that of 10,000 records, and the original's is five times as much.
#[test]
fn partial_scales_v_to_the_original() {
    let file = |estimate: f64| FileEstimate { estimate, variance: 1.0, records: 10_000 };
    let files: Vec<FileEstimate> = [-1.0, -1.0, 0.0, 1.0, 1.0].map(file).into();
    let found = combine(Rule::Partial, &files, Some(2_000), Target::Population, Weights::Equal).unwrap();
    near(found.variance, 5.2);
    let same = combine(Rule::Tp, &files, Some(2_000), Target::Population, Weights::Equal).unwrap();
    near(found.variance, same.variance);
}

#[test]
fn a_formula_without_its_distribution() {
    let variance = |rule: Rule| rule.card().variance_for(Target::Population);
    assert_eq!(variance(Rule::Ts), "T_s = v (n_syn/N + 1/m)");
    assert_eq!(variance(Rule::Tp), "T_p = b/m + v n_syn/N");
}

#[test]
fn t_s_by_hand() {
    // v (n_syn/N + 1/m) = 2 (1/2 + 1/3); for the original 2/3. An inverted ratio would give 2 (2 + 1/3).
    near(combined(Rule::Ts, Target::Population).variance, 5.0 / 3.0);
    near(combined(Rule::Ts, Target::Original).variance, 2.0 / 3.0);
    assert_eq!(freedom(&combined(Rule::Ts, Target::Population)), None);
    let one = combine(Rule::Ts, &files()[1..2], Some(100), Target::Population, Weights::Equal).unwrap();
    near(one.variance, 2.0 * 1.5);
}

#[test]
fn proper_synthesis_by_hand() {
    // v (n_syn/N + (1 + n_syn/N)/m) = 2 (1/2 + 1/2) = 2.
    near(combined(Rule::Proper, Target::Population).variance, 2.0);
    near(combined(Rule::Proper, Target::Original).variance, 1.0);
}

#[test]
fn t_f_by_hand_and_at_its_floor() {
    // (4/3) 13 − 2 = 46/3; ν = 2 (1 − 2/(52/3))² = 2 (46/52)².
    let found = combined(Rule::Tf, Target::Population);
    near(found.variance, 46.0 / 3.0);
    near(freedom(&found).unwrap(), 2.0 * (46.0_f64 / 52.0).powi(2));
    assert!(!found.floored);
    // b = 0.01 is less than v: the floor is v n_syn/N = 1.
    let close: Vec<FileEstimate> =
        [4.9, 5.0, 5.1].map(|estimate| FileEstimate { estimate, variance: 2.0, records: 50 }).into();
    let floor = combine(Rule::Tf, &close, Some(100), Target::Population, Weights::Equal).unwrap();
    assert!(floor.floored && freedom(&floor).is_none());
    near(floor.variance, 1.0);
}

#[test]
fn pooling_equal_files_is_t_s() {
    // A pooled file of m n records has v/m; v/m (m n/N + 1) = v (n/N + 1/m).
    let pooled = [FileEstimate { estimate: 5.0, variance: 2.0 / 3.0, records: 150 }];
    let found = combine(Rule::Pooled, &pooled, Some(100), Target::Population, Weights::Equal).unwrap();
    near(found.variance, combined(Rule::Ts, Target::Population).variance);
    assert!(combine(Rule::Pooled, &files(), Some(100), Target::Population, Weights::Equal).is_err());
}

#[test]
fn weights_follow_the_sizes() {
    let mut files = files();
    files[2].records = 100;
    // Weights 1/4, 1/4, 1/2: q̄ = (2 + 4 + 18)/4 = 6; D = 3/2 ((4/4)² + (2/4)² + (3/2)²) = 5.25.
    // S = (1·50 + 2·50)/4/100 + 3·100/2/100 = 0.375 + 1.5.
    let found = combine(Rule::Tp, &files, Some(100), Target::Population, Weights::NSyn).unwrap();
    near(found.estimate, 6.0);
    near(found.synthesis_variance, 5.25);
    near(found.sampling_variance, 1.875);
    // T_s: D = 1/16 + 2/16 + 3/4.
    let found = combine(Rule::Ts, &files, Some(100), Target::Original, Weights::NSyn).unwrap();
    near(found.variance, 0.9375);
    // Equal sizes: weights change nothing.
    let (equal, weighted) = (combined(Rule::Tp, Target::Population), |weights| {
        combine(Rule::Tp, &self::files(), Some(100), Target::Population, weights).unwrap()
    });
    near(weighted(Weights::NSyn).variance, equal.variance);
    near(weighted(Weights::NSyn).estimate, equal.estimate);
    assert!(combine(Rule::Tf, &files, Some(100), Target::Population, Weights::NSyn).is_err());
}

#[test]
fn what_a_rule_lacks_is_said_with_the_way_out() {
    let refused = |rule, files: &[FileEstimate], rows| {
        combine(rule, files, rows, Target::Population, Weights::Equal).unwrap_err().to_string()
    };
    let files = files();
    assert!(refused(Rule::Tp, &files[..1], Some(100)).contains("at least two synthetic files"));
    assert!(refused(Rule::Ts, &files, None).contains("--original-rows N"));
    assert!(refused(Rule::Posterior, &files, Some(1)).contains("does not combine"));
    assert!("t_p".parse::<Rule>().unwrap_err().to_string().contains("the rules are tp, ts"));
}

#[test]
fn every_rule_has_one_card_and_is_known_by_its_name() {
    for card in RULES {
        assert_eq!(card.name.parse::<Rule>().unwrap(), card.rule);
        assert_eq!(card.rule.card().name, card.name);
        assert!(!card.citation.is_empty() && !card.valid_when.is_empty() && !card.formula.is_empty());
    }
    let all = [
        Rule::Tp,
        Rule::Ts,
        Rule::Proper,
        Rule::Partial,
        Rule::Tf,
        Rule::Pooled,
        Rule::Posterior,
        Rule::Bootstrap,
    ];
    assert_eq!(all.len(), RULES.len());
    assert!(all.iter().all(|rule| RULES.iter().any(|card| card.rule == *rule)));
}

#[test]
fn files_that_agree_leave_only_the_sampling_variance() {
    let same = [FileEstimate { estimate: 3.0, variance: 0.5, records: 10 }; 4];
    let found = combine(Rule::Tp, &same, Some(10), Target::Population, Weights::Equal).unwrap();
    assert_eq!((found.variance, freedom(&found)), (0.5, None));
    let interval = Interval::around(found.estimate, found.variance, found.reference, Level::USUAL);
    assert!(interval.covers(3.0) && !interval.covers(5.0));
}
