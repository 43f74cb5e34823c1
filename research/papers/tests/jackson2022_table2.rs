//! Jackson et al. (2022), Table 2 and Figure 5, on the stand-in for their table of 3.5 million cells: the log odds ratio of age and language, by T_p from
//! files analysed apart and by T_s from the pooled file, against the interval of the original data.
//!
//! Only cells of two languages matter; they are drawn as the mechanism draws them. Overlaps scatter (the paper's single runs too), so that means over
//! several runs are compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use inference::{FileEstimate, Interval, Level, Reference, Rule, Target, Weights, combine};
use measures::utility::interval::Interval as Overlapping;
use papers::school_census::school_census;
use rayon::prelude::*;
use rstest::rstest;
use statistics::counts::{CountDistribution, CountFamily, Mean};
use synthesis::randomness::Seed;

const RUNS: u64 = 20;
const MOST_FILES: usize = 20;

/// Counts by age (young, old) and language (first, second): the cells behind each of the four.
static QUADRANTS: LazyLock<[Vec<u32>; 4]> = LazyLock::new(|| {
    let census = school_census();
    let [_, _, ages, languages, ethnicities] = census.dims;
    let mut quadrants: [Vec<u32>; 4] = Default::default();
    for (index, count) in census.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (language, age) = (index / ethnicities % languages, index / ethnicities / languages % ages);
        if language < 2 {
            quadrants[2 * usize::from(age >= ages / 2) + language].push(*count);
        }
    }
    quadrants
});

fn log_odds_ratio(counts: [f64; 4]) -> FileEstimate {
    FileEstimate {
        estimate: (counts[0] * counts[3] / (counts[1] * counts[2])).ln(),
        variance: counts.iter().map(|count| 1.0 / count).sum(),
        records: counts.iter().sum::<f64>() as u64,
    }
}

/// What the two ways of analysis give.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    overlap_apart: f64,
    overlap_pooled: f64,
    t_p: f64,
    t_s: f64,
}

struct Study {
    /// Twenty files for each run, for one σ.
    files: Vec<Vec<[f64; 4]>>,
}

impl Study {
    fn new(sigma: f64) -> Self {
        let quadrants = &*QUADRANTS;
        let family = if sigma == 0.0 { CountFamily::Poisson } else { CountFamily::nbi(sigma).unwrap() };
        // The sum of the counts of cells of one size has a law of the same family.
        let laws = quadrants.each_ref().map(|cells| -> Vec<CountDistribution> {
            let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
            cells.iter().for_each(|count| *sizes.entry(*count).or_default() += 1);
            let law = |(count, cells): (&u32, &u32)| {
                family.distribution(Mean::of_count(*count)).sum_of(NonZeroU32::new(*cells).unwrap())
            };
            sizes.iter().map(law).collect()
        });
        let file = |number: u64| {
            let mut rng = Seed::new(2022).stream(number);
            let mut sum =
                |laws: &Vec<CountDistribution>| laws.iter().map(|law| law.sample(&mut rng)).sum::<u64>();
            laws.each_ref().map(|laws| sum(laws) as f64)
        };
        let all: Vec<[f64; 4]> = (0..RUNS * MOST_FILES as u64).into_par_iter().map(file).collect();
        let files = all.chunks(MOST_FILES).map(<[_]>::to_vec).collect();
        Self { files }
    }

    /// The means over the runs.
    fn with(&self, m: usize) -> Found {
        let totals =
            QUADRANTS.each_ref().map(|cells| cells.iter().map(|count| f64::from(*count)).sum::<f64>());
        let original = log_odds_ratio(totals);
        let overlap = |interval: Interval| {
            let reach = Reference::Normal.quantile(Level::USUAL) * original.variance.sqrt();
            let of_original = Overlapping { low: original.estimate - reach, high: original.estimate + reach };
            of_original.overlap(Overlapping { low: interval.low, high: interval.high })
        };
        let mut mean = Found::default();
        for run in &self.files {
            let files: Vec<FileEstimate> = run[..m].iter().copied().map(log_odds_ratio).collect();
            let sums: [f64; 4] = std::array::from_fn(|at| run[..m].iter().map(|file| file[at]).sum());
            let combined = |rule, files: &[FileEstimate]| {
                let found =
                    combine(rule, files, Some(original.records), Target::Population, Weights::Equal).unwrap();
                let interval =
                    Interval::around(found.estimate, found.variance, found.reference, Level::USUAL);
                (overlap(interval), found.variance)
            };
            let (apart, t_p) = combined(Rule::Tp, &files);
            let (pooled, t_s) = combined(Rule::Pooled, &[log_odds_ratio(sums)]);
            let share = 1.0 / RUNS as f64;
            mean.overlap_apart += share * apart;
            mean.overlap_pooled += share * pooled;
            mean.t_p += share * t_p;
            mean.t_s += share * t_s;
        }
        mean
    }
}

#[rstest]
#[case(0.0)]
#[case(0.5)]
#[case(10.0)]
fn overlap_rises_with_m_and_t_p_falls_towards_t_s(#[case] sigma: f64) {
    let study = Study::new(sigma);
    let [few, more, most] = [2, 5, 20].map(|m| study.with(m));
    assert!(few.overlap_apart < most.overlap_apart + 0.01 && more.overlap_apart < most.overlap_apart + 0.01);
    if sigma == 0.0 {
        // Both hold, and give the same: the paper has 0.883 and 0.881 for m = 2, 0.992 and 0.988 for m = 20.
        assert!(few.overlap_apart > 0.75 && most.overlap_apart > 0.95, "{few:?} {most:?}");
        assert!(
            (most.overlap_apart - most.overlap_pooled).abs() < 0.02
                && (most.t_p / most.t_s - 1.0).abs() < 0.05
        );
    } else {
        // Figure 5: T_p well above T_s for small m, and converging; T_s hardly moves with m.
        assert!(few.t_p > 2.0 * few.t_s, "{few:?}");
        assert!(few.t_p / few.t_s > 2.0 * most.t_p / most.t_s, "{few:?} {most:?}");
        assert!((few.t_s / most.t_s - 1.5 / 1.05).abs() < 0.15, "{few:?} {most:?}");
    }
}

#[test]
fn overlap_falls_with_sigma() {
    let overlaps = [0.0, 0.1, 2.0].map(|sigma| Study::new(sigma).with(10).overlap_apart);
    assert!(overlaps.windows(2).all(|pair| pair[0] > pair[1]), "{overlaps:?}");
}
