//! Sums of a unimodal, smooth function over a long run of integers.
//!
//! The probability of an interval is a sum of probabilities. Where the interval holds a thousand million counts the sum
//! cannot be taken term by term, but it can be taken block by block: away from its top a probability function is so smooth
//! over a block as long as its distance from the top that sixteen well-chosen points stand for the whole block. The points
//! are those of Gauss' quadrature for the *counting* measure on the block, whose orthogonal polynomials are Chebyshev's
//! discrete ones (DLMF 18.22, Hahn polynomials with α = β = 0): a polynomial of degree up to 31 is summed exactly, not
//! integrated.

/// Runs of at most this many integers are added term by term.
pub(super) const SHORT_RUN: f64 = 64.0;

/// Points of a rule.
pub(super) const POINTS: usize = 16;

/// Where the ratio of neighbouring terms is known, walking from term to term is faster than blocks up to this many.
pub(super) const LONG_RUN: f64 = 1024.0;

/// What is left out of a sum is at most this share of it, by unimodality.
pub(super) const NEGLIGIBLE: f64 = 1e-17;

/// Σ f(k) over the integers from `first` to `last`; f rises up to `top` and falls from there on.
///
/// f must be smooth (analytic) for positive reals. Integers are held as `f64`, exact up to 2⁵³.
pub(super) fn unimodal_sum(f: impl Fn(f64) -> f64, first: f64, last: f64, top: f64) -> f64 {
    if first > last {
        return 0.0;
    }
    let start = top.round().clamp(first, last);
    let mut sum = 0.0;

    // Upwards from the top: the distance to the top doubles with every block, and zero is further away than the top.
    let mut next = start;
    while next <= last {
        let left = last - next + 1.0;
        let distance = next - start;
        if distance >= SHORT_RUN && f(next) * left <= NEGLIGIBLE * sum {
            break;
        }
        let length = distance.max(SHORT_RUN).min(left);
        sum += block_sum(&f, next, length);
        next += length;
    }

    // Downwards: a block also keeps its length away from zero, where the function may have a pole nearby.
    let mut next = start - 1.0;
    while next >= first {
        let left = next - first + 1.0;
        let distance = start - next;
        if distance > SHORT_RUN && f(next) * left <= NEGLIGIBLE * sum {
            break;
        }
        let length = distance.min((next / 2.0).floor()).max(SHORT_RUN).min(left);
        sum += block_sum(&f, next - length + 1.0, length);
        next -= length;
    }
    sum
}

/// Σ f(k) over the `length` integers from `first` on, one block.
fn block_sum(f: &impl Fn(f64) -> f64, first: f64, length: f64) -> f64 {
    if length <= SHORT_RUN {
        return (0..length as u32).map(|k| f(first + f64::from(k))).sum();
    }
    let centre = first + 0.5 * (length - 1.0);
    let half = 0.5 * length;
    gauss_rule(length)
        .iter()
        .map(|point| {
            let offset = half * point.abscissa;
            point.weight * (f(centre - offset) + f(centre + offset))
        })
        .sum::<f64>()
        * half
}

/// A pair of points ±abscissa of a symmetric rule on (−1, 1), with the weight of each.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointPair {
    /// In (0, 1).
    pub abscissa: f64,
    /// All weights of a rule sum to 2.
    pub weight: f64,
}

/// Gauss' 16-point rule for `length` equal masses, evenly spread over (−1, 1) and at least 64 of them; an infinite length
/// gives Gauss-Legendre.
///
/// The monic polynomials obey pⱼ₊₁ = x pⱼ − βⱼ pⱼ₋₁ with βⱼ = j² (1 − j²/N²)/(4j² − 1); the roots of p₁₆ are found by
/// Newton's method from the asymptotic Legendre roots, and a weight is 1/Σⱼ pⱼ(x)²/‖pⱼ‖², a sum without cancellation.
pub(super) fn gauss_rule(length: f64) -> [PointPair; POINTS / 2] {
    let mut beta = [0.0; POINTS];
    for (j, beta) in beta.iter_mut().enumerate().skip(1) {
        let j = j as f64;
        let share = j / length;
        *beta = j * j * (1.0 - share * share) / (4.0 * j * j - 1.0);
    }
    std::array::from_fn(|i| {
        let mut abscissa = (std::f64::consts::PI * (i as f64 + 0.75) / (POINTS as f64 + 0.5)).cos();
        for _ in 0..20 {
            let (value, slope) = polynomial(&beta, abscissa);
            let step = value / slope;
            abscissa -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        PointPair { abscissa, weight: christoffel(&beta, abscissa) }
    })
}

/// p₁₆(x) and its derivative.
fn polynomial(beta: &[f64; POINTS], x: f64) -> (f64, f64) {
    let (mut before, mut value) = (0.0, 1.0);
    let (mut slope_before, mut slope) = (0.0, 0.0);
    for beta in beta {
        (before, value, slope_before, slope) =
            (value, x * value - beta * before, slope, value + x * slope - beta * slope_before);
    }
    (value, slope)
}

/// 1/Σⱼ pⱼ(x)²/‖pⱼ‖² over j = 0, …, 15, with ‖p₀‖² = 2 and ‖pⱼ‖² = βⱼ‖pⱼ₋₁‖².
fn christoffel(beta: &[f64; POINTS], x: f64) -> f64 {
    let (mut before, mut value) = (0.0, 1.0);
    let mut square_norm = 2.0;
    let mut sum = 0.5;
    for pair in beta.windows(2) {
        (before, value) = (value, x * value - pair[0] * before);
        square_norm *= pair[1];
        sum += value * value / square_norm;
    }
    1.0 / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_sums_polynomials_exactly() {
        for length in [65.0, 100.0, 1000.0] {
            let rule = gauss_rule(length);
            let centre = 0.5 * (length - 1.0);
            for power in [0, 2, 8, 30] {
                let scaled = |k: f64| (2.0 * (k - centre) / length).powi(power);
                let exact: f64 = (0..length as u32).map(|k| scaled(f64::from(k))).sum();
                let by_rule: f64 =
                    rule.iter().map(|p| p.weight * 2.0 * p.abscissa.powi(power)).sum::<f64>() * 0.5 * length;
                assert!((by_rule / exact - 1.0).abs() < 1e-13, "length {length}, power {power}");
            }
        }
    }

    #[test]
    fn an_endless_block_gives_gauss_legendre() {
        let rule = gauss_rule(f64::INFINITY);
        // Abramowitz & Stegun, Table 25.4, n = 16: the largest and the smallest abscissa.
        assert!((rule[0].abscissa - 0.989_400_934_991_649_9).abs() < 1e-15);
        assert!((rule[0].weight - 0.027_152_459_411_754_18).abs() < 1e-15);
        assert!((rule[7].abscissa - 0.095_012_509_837_637_4).abs() < 1e-15);
        assert!((rule[7].weight - 0.189_450_610_455_068_6).abs() < 1e-15);
    }

    #[test]
    fn blocks_agree_with_adding_term_by_term() {
        // A bell of width 300 around 5000, and a 1/k decay: the two shapes that count families have.
        let bell = |k: f64| (-0.5 * ((k - 5000.0) / 300.0).powi(2)).exp();
        let decay = |k: f64| (-k / 3000.0).exp() / (k + 1e-3);
        for (first, last) in [(0.0, 20_000.0), (4321.0, 4999.0), (5600.0, 9000.0), (700.0, 2000.0)] {
            let count = (last - first) as u32;
            let exact: f64 = (0..=count).map(|k| bell(first + f64::from(k))).sum();
            assert!((unimodal_sum(bell, first, last, 5000.0) / exact - 1.0).abs() < 1e-12, "{first} {last}");
            let exact: f64 = (0..=count).map(|k| decay(first + f64::from(k))).sum();
            assert!((unimodal_sum(decay, first, last, 0.0) / exact - 1.0).abs() < 1e-12, "{first} {last}");
        }
        assert_eq!(unimodal_sum(bell, 3.0, 2.0, 0.0), 0.0);
    }
}
