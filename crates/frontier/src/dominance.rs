//! Which contestants others beat, and how surely.
//!
//! One point dominates another if it is at least as good on both axes and better on one. By the means of the runs that is a yes or a no. But what
//! is released is one run, and runs differ by chance (Taub & Elliot 2019, section 5.1, ask for just this). So beside it stands the
//! **probability that a contestant is dominated**: one run of each contestant is drawn at random from its runs, all independently; it is the
//! probability that the run drawn for some other contestant dominates the run drawn for this one:
//!
//! P(A is dominated) = (1/R) Σ over the runs a of A of [1 − Π over the others B of (1 − share of B's runs that dominate a)].
//!
//! This is the exact value over all combinations of runs, not a simulation. With a single run each it is 0 or 1.

use measures::Better;

/// A run's place: its value on the risk axis and on the utility axis.
pub type Point = [f64; 2];

/// Whether `one` is at least as good as `other` on both axes and better on one.
pub(crate) fn dominates(one: Point, other: Point, better: [Better; 2]) -> bool {
    let signed = |point: Point, axis: usize| match better[axis] {
        Better::Higher => point[axis],
        Better::Lower | Better::Neither => -point[axis],
    };
    let at_least = (0..2).all(|axis| signed(one, axis) >= signed(other, axis));
    at_least && (0..2).any(|axis| signed(one, axis) > signed(other, axis))
}

/// The probability that each contestant is dominated, given the points of its runs; 0 for one without runs.
pub(crate) fn dominated_probabilities(runs: &[Vec<Point>], better: [Better; 2]) -> Vec<f64> {
    let of_run = |own: usize, run: Point| {
        let others = runs.iter().enumerate().filter(|(other, points)| *other != own && !points.is_empty());
        let escapes: f64 = others
            .map(|(_, points)| {
                let beating = points.iter().filter(|point| dominates(**point, run, better)).count();
                1.0 - beating as f64 / points.len() as f64
            })
            .product();
        1.0 - escapes
    };
    let of_contestant = |(own, points): (usize, &Vec<Point>)| match points.len() {
        0 => 0.0,
        some => points.iter().map(|run| of_run(own, *run)).sum::<f64>() / some as f64,
    };
    runs.iter().enumerate().map(of_contestant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RISK_AND_LOSS: [Better; 2] = [Better::Lower, Better::Lower];

    #[test]
    fn a_point_dominates_by_being_no_worse_and_somewhere_better() {
        assert!(dominates([1.0, 1.0], [1.0, 2.0], RISK_AND_LOSS));
        assert!(!dominates([1.0, 1.0], [1.0, 1.0], RISK_AND_LOSS));
        assert!(!dominates([0.0, 3.0], [1.0, 2.0], RISK_AND_LOSS));
        assert!(dominates([1.0, 3.0], [1.0, 2.0], [Better::Lower, Better::Higher]));
    }

    /// All 2 · 3 · 2 combinations of one run each, one by one.
    #[test]
    fn the_probability_is_the_share_of_all_combinations_of_runs() {
        let runs = vec![
            vec![[1.0, 4.0], [3.0, 2.0]],
            vec![[2.0, 3.0], [2.0, 1.0], [4.0, 4.0]],
            vec![[0.5, 5.0], [2.5, 1.5]],
        ];
        let mut dominated = [0.0; 3];
        let mut all = 0.0;
        for a in &runs[0] {
            for b in &runs[1] {
                for c in &runs[2] {
                    let drawn = [*a, *b, *c];
                    all += 1.0;
                    for own in 0..3 {
                        let beaten = (0..3)
                            .any(|other| other != own && dominates(drawn[other], drawn[own], RISK_AND_LOSS));
                        dominated[own] += f64::from(u8::from(beaten));
                    }
                }
            }
        }
        let found = dominated_probabilities(&runs, RISK_AND_LOSS);
        for own in 0..3 {
            assert!((found[own] - dominated[own] / all).abs() < 1e-12, "{own}: {} {dominated:?}", found[own]);
        }
        assert!(found.iter().any(|share| *share > 0.0 && *share < 1.0), "{found:?}");
    }

    #[test]
    fn a_contestant_without_runs_neither_beats_nor_is_beaten() {
        let runs = vec![vec![[1.0, 1.0]], vec![], vec![[2.0, 2.0]]];
        assert_eq!(dominated_probabilities(&runs, RISK_AND_LOSS), [0.0, 0.0, 1.0]);
    }
}
