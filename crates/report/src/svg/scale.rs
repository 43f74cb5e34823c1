//! From numbers to places, and the round numbers to mark on the way.

/// A linear or logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    from: (f64, f64),
    to: (f64, f64),
    is_log: bool,
}

/// Positive numbers that differ by more than this factor are shown on a logarithmic scale.
const LOG_FROM: f64 = 50.0;

impl Scale {
    /// A linear scale that takes `from` to the places `to`.
    pub(crate) fn linear(from: (f64, f64), to: (f64, f64)) -> Self {
        Self { from: widened(from), to, is_log: false }
    }

    /// A logarithmic scale that takes `from`, both above zero, to the places `to`.
    pub(crate) fn logarithmic(from: (f64, f64), to: (f64, f64)) -> Self {
        Self { from: widened(from), to, is_log: from.0 > 0.0 }
    }

    /// A scale on which all these numbers are seen with a little room; logarithmic where they are positive and span orders of magnitude.
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone, to: (f64, f64)) -> Self {
        let values = values.filter(|value| value.is_finite());
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Self::linear((0.0, 1.0), to);
        }
        if low > 0.0 && high / low > LOG_FROM {
            let room = (high / low).powf(0.06);
            return Self { from: (low / room, high * room), to, is_log: true };
        }
        let (low, high) = widened((low, high));
        let room = 0.06 * (high - low);
        // Zero is a place of its own: what is not negative is not shown as if it could be.
        let start = if low >= 0.0 { (low - room).max(0.0) } else { low - room };
        Self::linear((start, high + room), to)
    }

    /// The place of a number.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let inner = |value: f64| if self.is_log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let (low, high) = (inner(self.from.0), inner(self.from.1));
        let share = ((inner(value) - low) / (high - low)).clamp(-0.05, 1.05);
        self.to.0 + share * (self.to.1 - self.to.0)
    }

    /// The scale for a script that goes the way back, from a place to a number.
    pub(crate) fn described(&self) -> serde_json::Value {
        let pair = |(low, high): (f64, f64)| [low, high];
        serde_json::json!({ "from": pair(self.from), "to": pair(self.to), "log": self.is_log })
    }

    /// About `wanted` round numbers on the scale.
    pub(crate) fn ticks(&self, wanted: usize) -> Vec<f64> {
        let (low, high) = self.from;
        if self.is_log {
            return log_ticks(low, high, wanted);
        }
        let step = round_step((high - low) / wanted.max(1) as f64);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        (first..=last).map(|multiple| multiple as f64 * step).collect()
    }
}

/// How a tick is written: no more decimals than the step needs.
pub(crate) fn tick_label(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if size >= 1e6 => format!("{value:.0e}"),
        _ if size >= 10_000.0 => return crate::numbers::figure(value),
        _ if size == 0.0 => "0".to_owned(),
        _ if size < 0.000_1 => format!("{value:.0e}"),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    text.replace('-', "−")
}

/// A span that is not empty.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if high > low {
        return (low, high);
    }
    let room = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
    (if low >= 0.0 { (low - room).max(0.0) } else { low - room }, low + room)
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `step`.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|round| *round >= step * (1.0 - 1e-9)).unwrap_or(step)
}

fn log_ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let within = |factors: &[f64], every: usize| -> Vec<f64> {
        let all = powers.clone().step_by(every).flat_map(|power| {
            factors.iter().map(move |factor| factor * 10_f64.powi(power)).collect::<Vec<_>>()
        });
        all.filter(|tick| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9)).collect()
    };
    let all = [within(&[1.0, 2.0, 5.0], 1), within(&[1.0, 3.0], 1), within(&[1.0], 1), within(&[1.0], 2)];
    all.into_iter().find(|ticks| ticks.len() <= wanted + 2).unwrap_or_else(|| within(&[1.0], 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_lie_on_the_scale() {
        let scale = Scale::linear((0.0, 1.0), (0.0, 100.0));
        assert_eq!(
            scale.ticks(5).iter().map(|tick| tick_label(*tick)).collect::<Vec<_>>(),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(scale.at(0.5), 50.0);
        let scale = Scale::of([1.0, 900.0].into_iter(), (0.0, 100.0));
        assert!(scale.is_log);
        assert_eq!(scale.ticks(5), [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]);
    }

    #[test]
    fn a_single_number_and_none_still_have_a_scale() {
        for values in [vec![], vec![0.0], vec![3.0, 3.0], vec![-2.0], vec![f64::INFINITY]] {
            let scale = Scale::of(values.iter().copied(), (10.0, 90.0));
            assert!(scale.at(1.0).is_finite() && !scale.ticks(4).is_empty(), "{values:?}");
        }
        // What cannot be negative is not given room below zero.
        assert_eq!(Scale::of([0.0, 1.0].into_iter(), (0.0, 1.0)).from.0, 0.0);
    }
}
