//! Public candidates for cuts and bounds: round numbers, chosen without a look at any record.

use table::Kind;

/// Candidates of equal distance between two limits.
const EVENLY: usize = 128;

/// Up to this many values between two limits, every one of them is a candidate.
const ALL: f64 = 512.0;

/// Classes of equal width, where classes are many and public, and the decades in which there are further ones.
const EVEN_CLASSES: usize = 40;
const CLASS_DECADES: i32 = 5;

/// Decades below the width of an interval that are searched.
const DECADES: i32 = 6;

/// Cuts strictly between two limits, in ascending order: all values where they are few; else evenly spaced ones, and for numbers those with two significant digits, so that
/// numbers that spread over several powers of ten are cut as finely as others.
pub(super) fn cuts(kind: &Kind, low: f64, high: f64) -> Vec<f64> {
    let step = kind.step();
    let mut found = Vec::new();
    match step {
        Some(step) if (high - low) / step <= ALL => {
            let first = (low / step).floor() as i64;
            found.extend((first..=(high / step).ceil() as i64).map(|place| place as f64 * step));
        }
        _ => {
            let unit = step.unwrap_or_else(|| 10_f64.powi(((high - low) / 1_000.0).log10().floor() as i32));
            let even = (1..EVENLY).map(|place| low + (high - low) * (place as f64 / EVENLY as f64));
            found.extend(even.map(|number| rounded(number, unit)));
            if matches!(kind, Kind::Integer { .. } | Kind::Real { .. }) {
                found.extend(two_digits(low, high, step.is_some()));
            }
        }
    }
    found.retain(|number| low < *number && *number < high);
    found.sort_unstable_by(f64::total_cmp);
    found.dedup();
    found
}

/// Limits of about a hundred public classes between two limits: evenly spaced ones, and for numbers also 1, 2, 3, 5 and 7 times powers of ten, so that numbers that spread over several powers of ten
/// are told apart near zero. Both limits, and zero between them, are classes of their own, since many records may have just these values.
pub(super) fn classes(kind: &Kind, low: f64, high: f64) -> Vec<f64> {
    let step = kind.step();
    let unit = step.unwrap_or_else(|| 10_f64.powi(((high - low) / 1_000.0).log10().floor() as i32));
    let even = (1..EVEN_CLASSES).map(|place| low + (high - low) * (place as f64 / EVEN_CLASSES as f64));
    let mut found: Vec<f64> = even.map(|number| rounded(number, unit)).collect();
    let mut alone = vec![low, high];
    if matches!(kind, Kind::Integer { .. } | Kind::Real { .. }) {
        let widest = low.abs().max(high.abs()).log10().ceil() as i32;
        let narrowest = (widest - CLASS_DECADES).max(if step.is_some() { 0 } else { i32::MIN });
        let powers = (narrowest..widest)
            .flat_map(|power| [1.0, 2.0, 3.0, 5.0, 7.0].map(|digit| times_power(digit, power)));
        found.extend(powers.flat_map(|number| [number, -number]));
        if low < 0.0 && high > 0.0 {
            alone.push(0.0);
        }
    }
    found.retain(|number| low < *number && *number < high && *number != 0.0);
    found.extend(alone.iter().chain(&alone));
    found.sort_unstable_by(f64::total_cmp);
    found.dedup_by(|one, other| one == other && !alone.contains(one));
    found
}

/// The multiple of a unit that is nearest; of a power of ten below one by division, so that few digits are written.
fn rounded(number: f64, unit: f64) -> f64 {
    if unit < 1.0 {
        let parts = (1.0 / unit).round();
        return (number * parts).round() / parts;
    }
    (number / unit).round() * unit
}

/// 10, 11 … 99 times powers of ten, of both signs, and zero.
fn two_digits(low: f64, high: f64, whole: bool) -> Vec<f64> {
    let widest = low.abs().max(high.abs()).log10().ceil() as i32;
    let narrowest = ((high - low).log10().floor() as i32 - DECADES).max(if whole { 0 } else { i32::MIN });
    let mut found = vec![0.0];
    for power in narrowest - 1..widest {
        for digits in 10..100 {
            let number = times_power(f64::from(digits), power);
            if !whole || number.fract() == 0.0 {
                found.extend([number, -number]);
            }
        }
    }
    found
}

/// 0 and ±1, ±2, ±5 times powers of ten: bounds for a number of which nothing is known. For dates the first days of years from 1800 to 2200, for times those of
/// decades.
pub(super) fn bounds(kind: &Kind) -> Vec<f64> {
    let years = |from: i64, to: i64, each: usize| {
        (from..=to).step_by(each).map(|year| ((year - 1970) as f64 * 365.2425).floor())
    };
    let mut found: Vec<f64> = match kind {
        Kind::Date { .. } => years(1800, 2200, 5).collect(),
        Kind::Datetime { format, .. } => {
            years(1800, 2200, 10).map(|day| format.nearest(day * 86_400e6) as f64).collect()
        }
        _ => {
            let whole = matches!(kind, Kind::Integer { .. });
            let powers = if whole { 0..=15 } else { -6..=15 };
            let numbers = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| times_power(digit, power)));
            let numbers = numbers.filter(|number| *number <= 1e15);
            std::iter::once(0.0).chain(numbers.flat_map(|number| [number, -number])).collect()
        }
    };
    found.sort_unstable_by(f64::total_cmp);
    found
}

/// A number times a power of ten; by division where the power is negative, so that 0.3 is 0.3.
pub(super) fn times_power(number: f64, power: i32) -> f64 {
    if power < 0 { number / 10_f64.powi(-power) } else { number * 10_f64.powi(power) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_round_ascend_and_lie_inside() {
        let real = Kind::Real { range: None };
        let found = cuts(&real, 0.0, 60_000.0);
        assert!(found.is_sorted_by(|left, right| left < right));
        assert!(found[0] > 0.0 && found[found.len() - 1] < 60_000.0 && found.len() < 1_500);
        assert!([0.3, 1.0, 42.0, 1_300.0, 52_000.0].iter().all(|number| found.contains(number)));
        let whole = cuts(&Kind::Integer { range: None }, 0.0, 60_000.0);
        assert!(whole.iter().all(|number| number.fract() == 0.0) && whole.contains(&7.0));
        assert_eq!(cuts(&Kind::Integer { range: None }, -1.0, 3.0), [0.0, 1.0, 2.0]);
        assert!(cuts(&Kind::Integer { range: None }, 4.0, 5.0).is_empty());
        assert!(cuts(&real, -5.0, 5.0).contains(&0.0));
        let far = cuts(&real, 499_000.0, 501_000.0);
        assert!(far.len() > 100 && far.iter().all(|number| (499_000.0..501_000.0).contains(number)));
    }

    #[test]
    fn bounds_are_signed_round_numbers() {
        let found = bounds(&Kind::Real { range: None });
        assert!(found.is_sorted_by(|left, right| left < right));
        assert!([-1e15, -0.5, 0.0, 2e-6, 50_000.0].iter().all(|number| found.contains(number)));
        assert!(!bounds(&Kind::Integer { range: None }).contains(&0.5));
    }
}
