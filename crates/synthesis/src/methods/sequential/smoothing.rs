//! Numbers that are not those of a donor but near them, so that no original number of a tail is released.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use table::grouping::{quantile, quantile_at};

use crate::SynthesisError;
use crate::near::NearNumbers;
use crate::randomness::Rng;
use crate::stored::{StateReader, StateWriter, ensure};

/// How numbers of donors are smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::methods) enum SmoothingKind {
    /// Where most numbers are those of one record or of a few, such numbers give way to others near them.
    #[default]
    Auto,
    /// They are not.
    None,
    /// A draw from a Gaussian kernel around them.
    Density,
    /// Their rank read off a smooth quantile function.
    Spline,
}

/// A learned smoothing.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) enum Smoothing {
    None,
    /// Numbers of single records, see [`near`](crate::near).
    Near {
        numbers: NearNumbers,
        above: Option<f64>,
    },
    /// h = 0.9 min(s, IQR / 1.34) n^(−1/5) (Silverman 1986, eq. 3.31).
    Density {
        bandwidth: f64,
        above: Option<f64>,
    },
    Spline {
        ranks: QuantileSpline,
        above: Option<f64>,
    },
}

/// Intervals between knots of the quantile function, each with as many records; more would follow single records …
const INTERVALS: usize = 50;

/// … but the first and the last are halved again and again towards the tails while there are this many records beyond.
const FEWEST_BEYOND: f64 = 4.0;

/// What is stored of a smoothing beside its spline.
#[derive(Serialize, Deserialize)]
enum StoredSmoothing {
    None,
    Near { above: Option<f64> },
    Density { bandwidth: f64, above: Option<f64> },
    Spline { above: Option<f64> },
}

/// The name under which it is stored.
const SMOOTHING: &str = "smoothing";

impl Smoothing {
    /// Writes the smoothing.
    pub(in crate::methods) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::None => into.settings(SMOOTHING, &StoredSmoothing::None),
            Self::Near { numbers, above } => {
                into.settings(SMOOTHING, &StoredSmoothing::Near { above: *above })?;
                numbers.store(into)
            }
            Self::Density { bandwidth, above } => {
                into.settings(SMOOTHING, &StoredSmoothing::Density { bandwidth: *bandwidth, above: *above })
            }
            Self::Spline { ranks, above } => {
                into.settings(SMOOTHING, &StoredSmoothing::Spline { above: *above })?;
                ranks.store(into)
            }
        }
    }

    /// A stored smoothing.
    pub(in crate::methods) fn load(from: &mut StateReader<'_>) -> Result<Self, SynthesisError> {
        Ok(match from.settings(SMOOTHING)? {
            StoredSmoothing::None => Self::None,
            StoredSmoothing::Near { above } => Self::Near { numbers: NearNumbers::load(from)?, above },
            StoredSmoothing::Density { bandwidth, above } => {
                ensure(bandwidth.is_finite() && bandwidth > 0.0, "its bandwidth is not above 0")?;
                Self::Density { bandwidth, above }
            }
            StoredSmoothing::Spline { above } => Self::Spline { ranks: QuantileSpline::load(from)?, above },
        })
    }

    /// The smoothing of these numbers.
    pub(in crate::methods) fn learn(kind: SmoothingKind, above: Option<f64>, numbers: &[f64]) -> Self {
        let smoothed = || -> Vec<f64> {
            let mut sorted: Vec<f64> =
                numbers.iter().copied().filter(|number| above.is_none_or(|above| *number >= above)).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted
        };
        match kind {
            SmoothingKind::None => Self::None,
            SmoothingKind::Auto => match NearNumbers::learn(numbers.iter().copied()) {
                Some(numbers) => Self::Near { numbers, above },
                None => Self::None,
            },
            SmoothingKind::Density => match bandwidth(&smoothed()) {
                Some(bandwidth) => Self::Density { bandwidth, above },
                None => Self::None,
            },
            SmoothingKind::Spline => match QuantileSpline::through(&smoothed()) {
                Some(ranks) => Self::Spline { ranks, above },
                None => Self::None,
            },
        }
    }

    /// A number near that of a donor.
    pub(in crate::methods) fn apply(&self, number: f64, rng: &mut Rng) -> f64 {
        let spared = |above: &Option<f64>| above.is_some_and(|above| number < above);
        match self {
            Self::None => number,
            Self::Near { above, .. } | Self::Density { above, .. } | Self::Spline { above, .. }
                if spared(above) =>
            {
                number
            }
            Self::Near { numbers, .. } => numbers.near(number, rng),
            Self::Density { bandwidth, .. } => {
                let noise: f64 = StandardNormal.sample(rng);
                number + bandwidth * noise
            }
            Self::Spline { ranks, .. } => ranks.near(number, rng),
        }
    }
}

/// Silverman's rule of thumb; `None` where the numbers do not vary.
fn bandwidth(sorted: &[f64]) -> Option<f64> {
    let n = sorted.len() as f64;
    if sorted.len() < 2 {
        return None;
    }
    let mean = sorted.iter().sum::<f64>() / n;
    let deviation = (sorted.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    let quartile = |k: usize| quantile(sorted, k, 4);
    let spread = (quartile(3) - quartile(1)) / 1.34;
    let scale = if spread > 0.0 { deviation.min(spread) } else { deviation };
    (scale > 0.0).then(|| 0.9 * scale * n.powf(-0.2))
}

/// A monotone cubic spline through quantiles, and the ranks of the values that it smooths.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) struct QuantileSpline {
    /// Distinct values, ascending.
    values: Vec<f64>,
    /// For each, the share of records up to and with it.
    shares: Vec<f64>,
    /// Shares with their quantiles, ascending from the smallest number to the largest.
    knots: Vec<(f64, f64)>,
    /// Slopes at the knots (Fritsch & Butland 1984).
    slopes: Vec<f64>,
}

impl QuantileSpline {
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("values of the spline", &self.values)?;
        into.array("shares of the spline", &self.shares)?;
        let knots = self.knots.iter().flat_map(|(share, quantile)| [*share, *quantile]);
        into.numbers("knots", 2 * self.knots.len(), knots)?;
        into.array("slopes", &self.slopes)
    }

    fn load(from: &mut StateReader<'_>) -> Result<Self, SynthesisError> {
        let (values, shares): (Vec<f64>, Vec<f64>) =
            (from.array("values of the spline")?, from.array("shares of the spline")?);
        let (knots, slopes): (Vec<f64>, Vec<f64>) = (from.array("knots")?, from.array("slopes")?);
        let ascend = |numbers: &[f64]| numbers.is_sorted_by(|left, right| left < right);
        let numbers = [&values, &shares, &knots, &slopes];
        let knots: Vec<(f64, f64)> = knots.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let are_fine = numbers.into_iter().flatten().all(|number| number.is_finite())
            && values.len() > 1
            && shares.len() == values.len()
            && ascend(&values)
            && ascend(&shares)
            && knots.len() > 1
            && knots.is_sorted_by(|left, right| left.0 < right.0)
            && slopes.len() == knots.len();
        ensure(are_fine, "its spline is not one of quantiles")?;
        Ok(Self { values, shares, knots, slopes })
    }

    fn through(sorted: &[f64]) -> Option<Self> {
        let n = sorted.len() as f64;
        let (mut values, mut shares): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for (place, value) in sorted.iter().enumerate() {
            if values.last() == Some(value) {
                shares.pop();
            } else {
                values.push(*value);
            }
            shares.push((place + 1) as f64 / n);
        }
        if values.len() < 2 {
            return None;
        }
        let knots: Vec<(f64, f64)> =
            knot_shares(sorted.len()).into_iter().map(|share| (share, quantile_at(sorted, share))).collect();
        let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        let rises: Vec<f64> =
            knots.windows(2).zip(&widths).map(|(pair, width)| (pair[1].1 - pair[0].1) / width).collect();
        let inner = (1..rises.len()).map(|at| {
            let (left, right) = (rises[at - 1], rises[at]);
            let (before, after) = (2.0 * widths[at] + widths[at - 1], widths[at] + 2.0 * widths[at - 1]);
            if left * right > 0.0 { (before + after) / (before / left + after / right) } else { 0.0 }
        });
        let mut slopes = vec![rises[0]];
        slopes.extend(inner);
        slopes.push(rises[rises.len() - 1]);
        Some(Self { values, shares, knots, slopes })
    }

    /// The quantile of a rank drawn evenly among those of the records that have this value.
    fn near(&self, value: f64, rng: &mut Rng) -> f64 {
        let place = self.values.partition_point(|known| *known < value).min(self.values.len() - 1);
        let below = if place == 0 { 0.0 } else { self.shares[place - 1] };
        self.at(below + rng.random::<f64>() * (self.shares[place] - below))
    }

    /// The spline at a share.
    fn at(&self, share: f64) -> f64 {
        let left = self.knots.partition_point(|(of, _)| *of <= share).clamp(1, self.knots.len() - 1) - 1;
        let [(start, low), (end, high)] = [self.knots[left], self.knots[left + 1]];
        let width = end - start;
        let t = (share - start) / width;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * low
            + (t3 - 2.0 * t2 + t) * width * self.slopes[left]
            + (3.0 * t2 - 2.0 * t3) * high
            + (t3 - t2) * width * self.slopes[left + 1]
    }
}

/// The shares of the knots for this many records: evenly spaced, and closer and closer towards both tails.
fn knot_shares(records: usize) -> Vec<f64> {
    let intervals = INTERVALS.min(records - 1);
    let width = 1.0 / intervals as f64;
    let halves = std::iter::successors(Some(width / 2.0), |share| Some(share / 2.0));
    let tail: Vec<f64> = halves.take_while(|share| share * records as f64 >= FEWEST_BEYOND).collect();
    let mut shares = vec![0.0];
    shares.extend(tail.iter().rev());
    shares.extend((1..intervals).map(|k| k as f64 * width));
    shares.extend(tail.iter().map(|share| 1.0 - share));
    shares.push(1.0);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::Seed;

    #[test]
    fn the_bandwidth_is_silvermans() {
        // R 4: bw.nrd0(c(1, 2, 4, 8, 16)) = 2.913...: 0.9 * min(sd, IQR / 1.34) * 5^-0.2 with IQR = 6.
        let expected = 0.9 * (6.0_f64 / 1.34) * 5.0_f64.powf(-0.2);
        assert!((bandwidth(&[1.0, 2.0, 4.0, 8.0, 16.0]).unwrap() - expected).abs() < 1e-12);
        assert_eq!(bandwidth(&[3.0, 3.0]), None);
    }

    #[test]
    fn the_spline_is_monotone_meets_its_knots_and_keeps_the_distribution() {
        let mut rng = Seed::new(1).stream(0);
        let mut numbers: Vec<f64> = (0..5_000).map(|_| rng.random::<f64>().powi(3) * 100.0).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        let spline = QuantileSpline::through(&numbers).unwrap();
        assert_eq!((spline.at(0.0), spline.at(1.0)), (numbers[0], numbers[4_999]));
        let steps: Vec<f64> = (0..=1_000).map(|k| spline.at(f64::from(k) / 1_000.0)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]));
        let smoothing = Smoothing::learn(SmoothingKind::Spline, None, &numbers);
        let mut smoothed: Vec<f64> =
            numbers.iter().map(|number| smoothing.apply(*number, &mut rng)).collect();
        smoothed.sort_unstable_by(f64::total_cmp);
        assert!(smoothed.iter().zip(&numbers).all(|(new, old)| (new - old).abs() < 1.5));
        assert!(smoothed.iter().all(|new| numbers.binary_search_by(|old| old.total_cmp(new)).is_err()));
    }

    /// Numbers spread like incomes: with evenly spaced knots the last 2 per cent would come out as from a straight line.
    #[test]
    fn the_spline_keeps_long_tails() {
        let mut rng = Seed::new(3).stream(0);
        let draw = |rng: &mut Rng| -> f64 {
            let z: f64 = StandardNormal.sample(rng);
            (7.0 + z).exp()
        };
        let numbers: Vec<f64> = (0..5_000).map(|_| draw(&mut rng)).collect();
        let smoothing = Smoothing::learn(SmoothingKind::Spline, None, &numbers);
        let summary = |mut numbers: Vec<f64>| {
            numbers.sort_unstable_by(f64::total_cmp);
            let n = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / n;
            let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / n;
            [mean, variance.sqrt(), quantile_at(&numbers, 0.99), quantile_at(&numbers, 0.999)]
        };
        let smoothed = numbers.iter().map(|number| smoothing.apply(*number, &mut rng)).collect();
        for (new, old) in summary(smoothed).into_iter().zip(summary(numbers)) {
            assert!((new / old - 1.0).abs() < 0.05, "{new} instead of {old}");
        }
    }

    #[test]
    fn numbers_below_the_limit_stay() {
        let smoothing = Smoothing::learn(SmoothingKind::Density, Some(5.0), &[1.0, 2.0, 6.0, 9.0, 14.0]);
        let mut rng = Seed::new(2).stream(0);
        assert_eq!(smoothing.apply(2.0, &mut rng), 2.0);
        assert_ne!(smoothing.apply(6.0, &mut rng), 6.0);
    }
}
