//! A number as an increasing function x = g(z) of a standard normal variable, known at the limits of its classes.
//!
//! With F_k the share of the records below class k, its limits on the normal scale are Φ⁻¹(F_k) and Φ⁻¹(F_(k+1)). Between limits g is a straight line in z, so that the numbers of a normal variable come out
//! normal whatever the classes are. The class at an end of the range is the hard one: its outer limit says how far numbers may lie, not how far they do.
//! Where records lie there at least half as densely as in the class beside it, they are even. Else g goes on from the class beside it: on the scale, of numbers or of their logarithms, on which the limits before it lie
//! straighter, and cut off at the end of the range.

use table::Classes;
use table::expression::Span;

use super::normal::{below, density, quantile};

/// An end class this much less dense than its neighbour thins out towards the end of the range.
const THINNER: f64 = 0.5;

/// The limits on the normal scale of intervals that hold these parts of the records, all above zero.
pub(crate) fn limits(weights: &[f64]) -> Vec<f64> {
    let all: f64 = weights.iter().sum();
    let mut sum = 0.0;
    let mut limits = vec![f64::NEG_INFINITY];
    for weight in &weights[..weights.len() - 1] {
        sum += weight / all;
        limits.push(quantile(sum));
    }
    limits.push(f64::INFINITY);
    limits
}

/// The part of the variance of z, which is 1, that lies within an interval: its share of the records times the variance there.
pub(crate) fn variance_within(low: f64, high: f64) -> f64 {
    let share = below(high) - below(low);
    if share <= 0.0 {
        return 0.0;
    }
    let edge = |z: f64| if z.is_finite() { z * density(z) } else { 0.0 };
    let first = density(low) - density(high);
    (share + edge(low) - edge(high) - first * first / share).max(0.0)
}

/// One variable's function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    /// The limits of the classes on the normal scale, one more than classes.
    limits: Vec<f64>,
    laws: Vec<Law>,
}

/// How z becomes a number within a class.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// One number.
    Alone(f64),
    /// Evenly between two numbers.
    Even(f64, f64),
    /// A line in z from one limit to the other.
    Line(f64, f64),
    /// From an inner limit, at which z and the number are these, towards the end of the range, at which z would be `end`.
    Tail { z: f64, number: f64, slope: f64, end: f64, is_log: bool },
}

/// A class as an interval of numbers, the upper end not in it but where it is the last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    fn width(self) -> f64 {
        self.high - self.low
    }
}

impl Scale {
    /// The function of a variable whose classes of numbers hold so many records. Half a record more in each keeps classes apart that none was drawn from.
    pub(super) fn new(classes: &Classes, counts: &[u64]) -> Self {
        let step = classes.step().unwrap_or(0.0);
        let interval = |class: usize| match classes.span(class as u32) {
            Span::Numbers { low, high } if low < high => Interval { low, high: high + step },
            Span::Numbers { low, .. } => Interval { low, high: low },
            _ => Interval { low: 0.0, high: 0.0 },
        };
        let intervals: Vec<Interval> = (0..counts.len()).map(interval).collect();
        let shares: Vec<f64> = counts.iter().map(|count| *count as f64 + 0.5).collect();
        Self::of(&intervals, &shares)
    }

    fn of(intervals: &[Interval], weights: &[f64]) -> Self {
        let limits = limits(weights);
        let dense = |class: usize| weights[class] / intervals[class].width();
        let last = intervals.len() - 1;
        let law = |class: usize| {
            let Interval { low, high } = intervals[class];
            if low == high {
                return Law::Alone(low);
            }
            if class != 0 && class != last {
                return Law::Line(low, high);
            }
            let even = Law::Even(low, high);
            // Towards the middle: the class beside it, and the one after that.
            let inner = |steps: usize| if class == 0 { steps.min(last) } else { last.saturating_sub(steps) };
            let beside = intervals[inner(1)];
            let is_inner = last >= 2 && beside.width() > 0.0;
            if !is_inner || dense(class) >= THINNER * dense(inner(1)) {
                return even;
            }
            let (z, number, outer) =
                if class == 0 { (limits[1], high, low) } else { (limits[last], low, high) };
            let width_in_z = limits[inner(1) + 1] - limits[inner(1)];
            let (by_number, by_logarithm) =
                (beside.width() / width_in_z, (beside.high / beside.low).ln() / width_in_z);
            let next = intervals[inner(2)];
            let is_log = last >= 3
                && next.width() > 0.0
                && next.low.min(beside.low).min(low) > 0.0
                && limits[inner(2)].is_finite()
                && limits[inner(2) + 1].is_finite()
                && {
                    let before = limits[inner(2) + 1] - limits[inner(2)];
                    let bend = |here: f64, there: f64| (here / there).ln().abs();
                    bend(by_logarithm, (next.high / next.low).ln() / before)
                        < bend(by_number, next.width() / before)
                };
            let slope = if is_log { by_logarithm } else { by_number };
            let far = if is_log { (outer / number).ln() } else { outer - number };
            Law::Tail { z, number, slope, end: z + far / slope, is_log }
        };
        let laws = (0..intervals.len()).map(law).collect();
        Self { limits, laws }
    }

    /// The limits of the classes on the normal scale.
    pub(super) fn limits(&self) -> &[f64] {
        &self.limits
    }

    /// The share of the variance of z that lies within classes of more than one number.
    pub(super) fn variance_within(&self) -> f64 {
        let of = |(class, law): (usize, &Law)| match law {
            Law::Alone(_) => 0.0,
            _ => variance_within(self.limits[class], self.limits[class + 1]),
        };
        self.laws.iter().enumerate().map(of).sum()
    }

    /// The share of a class that lies below z.
    pub(super) fn share_below(&self, class: usize, z: f64) -> f64 {
        let (low, high) = (below(self.limits[class]), below(self.limits[class + 1]));
        ((below(z) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// The number of a class at z.
    pub(super) fn number(&self, class: usize, z: f64) -> f64 {
        match self.laws[class] {
            Law::Alone(number) => number,
            Law::Even(low, high) => low + self.share_below(class, z) * (high - low),
            Law::Line(low, high) => {
                let (from, to) = (self.limits[class], self.limits[class + 1]);
                low + ((z - from) / (to - from)).clamp(0.0, 1.0) * (high - low)
            }
            Law::Tail { z: inner, number, slope, end, is_log } => {
                // The share of the class that lies farther out, of what is left of the tail before the end of the range.
                let (at, far) = (below(inner), below(end));
                let outwards =
                    if end < inner { 1.0 - self.share_below(class, z) } else { self.share_below(class, z) };
                let z = quantile(at + outwards * (far - at));
                let distance = slope * (z.clamp(inner.min(end), inner.max(end)) - inner);
                if is_log { number * distance.exp() } else { number + distance }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(limits: &[f64], weights: &[f64]) -> Scale {
        let intervals: Vec<Interval> =
            limits.windows(2).map(|ends| Interval { low: ends[0], high: ends[1] }).collect();
        Scale::of(&intervals, weights)
    }

    /// A normal variable in five classes, the outer ones wide: g is the identity.
    #[test]
    fn a_normal_variable_comes_out_normal() {
        let limits = [-12.0, -0.8, -0.25, 0.25, 0.8, 14.0];
        let weights: Vec<f64> = limits.windows(2).map(|ends| below(ends[1]) - below(ends[0])).collect();
        let of = scale(&limits, &weights);
        for z in [-0.79, -0.5, 0.1, 0.3, 0.799] {
            let class = limits.partition_point(|limit| *limit <= z) - 1;
            assert!((of.number(class, z) - z).abs() < 1e-9, "{z}");
        }
        // Beyond the inner limits it goes on by the slope of a class that is normal itself.
        for z in [-3.0, -1.5, -0.9, 1.0, 2.0, 3.5] {
            assert!((of.number(if z < 0.0 { 0 } else { 4 }, z) - z).abs() < 1e-6, "{z}");
        }
        // Variance within: 1 − Σ p m², m the means of the classes.
        let means = limits.windows(2).zip(&weights).map(|(ends, weight)| {
            let edge = |z: f64| if z.abs() > 5.0 { 0.0 } else { density(z) };
            (edge(ends[0]) - edge(ends[1])).powi(2) / weight
        });
        assert!((of.variance_within() - (1.0 - means.sum::<f64>())).abs() < 1e-9);
    }

    #[test]
    fn skewed_numbers_go_on_by_their_logarithms_and_even_ones_stay_even() {
        // e^(7 + z): classes of 1, 2, 3, 5, 8 thousand, the last up to a million.
        let limits = [1.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 1e6];
        let z = |number: f64| number.ln() - 7.0;
        let weights: Vec<f64> = limits.windows(2).map(|ends| below(z(ends[1])) - below(z(ends[0]))).collect();
        let of = scale(&limits, &weights);
        let top = of.number(4, 2.5);
        assert!((top / 9.5_f64.exp() - 1.0).abs() < 0.02, "{top}");
        assert!(of.number(4, 40.0) <= 1e6 && of.number(4, 40.0) > 0.99e6);
        let even = scale(&[0.0, 20.0, 40.0, 60.0, 80.0, 100.0], &[20.0; 5]);
        assert!((even.number(0, quantile(0.1)) - 10.0).abs() < 1e-9);
        assert!((even.number(4, quantile(0.95)) - 95.0).abs() < 1e-9);
    }

    /// A value alone at the end of the range says nothing of how its neighbour thins out.
    #[test]
    fn numbers_grow_with_z_within_their_class_whatever_the_classes_are() {
        let cases: [(&[f64], &[f64]); 4] = [
            (&[0.0, 0.0, 860.0, 1_200.0, 60_000.0], &[500.0, 100.0, 90.0, 3.0]),
            (&[-5.0, 5.0], &[10.0]),
            (&[0.0, 1.0, 9.0], &[0.5, 0.5]),
            (&[-100.0, -10.0, -9.0, -8.0, -7.9, 50.0, 50.0], &[1.0, 30.0, 0.5, 900.0, 2.0, 70.0]),
        ];
        for (limits, weights) in cases {
            let of = scale(limits, weights);
            let mut before = f64::NEG_INFINITY;
            for class in 0..weights.len() {
                for share in [0.001, 0.2, 0.5, 0.9, 0.999] {
                    let (low, high) = (below(of.limits[class]), below(of.limits[class + 1]));
                    let number = of.number(class, quantile(low + share * (high - low)));
                    assert!((limits[class]..=limits[class + 1]).contains(&number), "{limits:?} {number}");
                    assert!(number >= before, "{limits:?}: {number} after {before}");
                    before = number;
                }
            }
        }
    }
}
