//! The two functions that keep a probability accurate when its factorials are astronomically large.
//!
//! Loader (2000), *Fast and accurate computation of binomial probabilities*, writes a probability as a small correction
//! to its own largest value: the Stirling errors δ(x) carry what is left of the factorials, and deviances D(x, m) ≥ 0 how
//! far the count is from its mean. Nothing large is ever subtracted from something large.

/// δ(x) = ln Γ(x + 1) − (x + ½) ln x + x − ½ ln 2π, for x > 0: what Stirling's formula leaves out.
///
/// 1/(12x) − 1/(360x³) + … (DLMF 5.11.1) from x = 8 on; below, δ(x) = δ(x + 1) + (x + ½) ln(1 + 1/x) − 1 leads there.
/// No logarithm of a gamma function is taken: their absolute errors, and statrs' 3e-14, would show.
pub(super) fn stirling_error(x: f64) -> f64 {
    const SERIES: [f64; 9] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
        43_867.0 / 244_188.0,
    ];
    /// δ(1), …, δ(7), the arguments that are asked for most often.
    const WHOLE: [f64; 7] = [
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_3,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_093,
        0.016_644_691_189_821_193,
        0.013_876_128_823_070_748,
        0.011_896_709_945_891_77,
    ];
    let mut sum = 0.0;
    let mut x = x;
    while x < 8.0 {
        if x >= 1.0 && x == x.floor() {
            return sum + WHOLE[x as usize - 1];
        }
        sum += (x + 0.5) * (1.0 / x).ln_1p() - 1.0;
        x += 1.0;
    }
    let inverse_square = 1.0 / (x * x);
    sum + SERIES.iter().rev().fold(0.0, |sum, term| sum * inverse_square + term) / x
}

/// D(x, m) = x ln(x/m) + m − x, for x ≥ 0 and m > 0; half the Poisson deviance of a count x with mean m.
///
/// The difference x − m is handed in, because callers know it without cancellation. Near x = m, with
/// v = (x − m)/(x + m): D = (x − m) v + 2x (v³/3 + v⁵/5 + …) (Loader 2000, eq. 5).
pub(super) fn deviance(x: f64, m: f64, x_minus_m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    let v = x_minus_m / (x + m);
    if v.abs() > 0.1 {
        return x * (x / m).ln() - x_minus_m;
    }
    let square = v * v;
    let mut power = 2.0 * x * v * square;
    let mut sum = x_minus_m * v;
    let mut odd = 3.0;
    loop {
        let next = sum + power / odd;
        if next == sum {
            return sum;
        }
        sum = next;
        power *= square;
        odd += 2.0;
    }
}

/// ln(1 + x)/x for x ≥ 0, continued by 1 at zero.
pub(super) fn ln_1p_over(x: f64) -> f64 {
    if x > 0.0 { x.ln_1p() / x } else { 1.0 }
}

/// 1 − ln(1 + x)/x for x ≥ 0: x/2 − x²/3 + x³/4 − …, without cancellation near zero.
pub(super) fn ln_1p_shortfall(x: f64) -> f64 {
    if x > 0.05 {
        return 1.0 - x.ln_1p() / x;
    }
    // The terms alternate and fall, so twelve of them leave less than 0.05¹³/14 < 1e-18, a share of 4e-17.
    const SERIES: [f64; 12] = {
        let mut series = [0.0; 12];
        let mut j = 0;
        while j < 12 {
            series[j] = 1.0 / (j + 2) as f64;
            j += 1;
        }
        series
    };
    x * SERIES.iter().rev().fold(0.0, |sum, term| term - x * sum)
}

/// t − z with z = 1 − e⁻ᵗ, t ≥ 0: t²/2 − t³/6 + …, without cancellation near zero.
pub(super) fn exp_excess(t: f64, z: f64) -> f64 {
    if t > 0.1 {
        return t - z;
    }
    // t²/2 · (1 − t/3 + t²/12 − …); ten terms leave a share of 2 · 0.1¹⁰/12! < 1e-18.
    const SERIES: [f64; 10] = {
        let mut series = [1.0; 10];
        let mut j = 1;
        while j < 10 {
            series[j] = -series[j - 1] / (j + 2) as f64;
            j += 1;
        }
        series
    };
    0.5 * t * t * SERIES.iter().rev().fold(0.0, |sum, term| term + t * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stirling_error_completes_stirlings_formula() {
        // From mpmath 1.4.1 with 40 digits.
        for (x, expected) in [
            (1e-9, 9.442_694_406_414_583),
            (0.01, 1.434_007_953_703_184_2),
            (0.5, 0.153_426_409_720_027_36),
            (3.0, 0.027_677_925_684_998_34),
            (7.5, 0.011_104_559_758_206_917),
            (7.999, 0.010_412_565_487_973_913),
            (11.0, 0.007_573_675_487_951_841),
            (59.0, 0.001_412_415_854_510_449),
        ] {
            assert!(
                (stirling_error(x) - expected).abs() < 1e-15 * f64::max(1.0, expected),
                "{x}: {}",
                stirling_error(x)
            );
        }
        for (x, factorial) in (1..).zip([1.0, 2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40_320.0_f64]) {
            let x = f64::from(x);
            let stirling = (x + 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln();
            assert!((stirling_error(x) - (factorial.ln() - stirling)).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn both_branches_of_the_deviance_agree() {
        for (x, m) in [(10.0, 10.0), (11.0, 10.0), (9.0, 10.0), (12.1_f64, 9.95_f64), (1.0, 1e-6), (1e9, 2e9)]
        {
            let plain = x * (x / m).ln() + m - x;
            assert!((deviance(x, m, x - m) - plain).abs() <= 1e-14 * f64::max(x, m), "{x} {m}");
        }
        assert_eq!(deviance(0.0, 3.0, -3.0), 3.0);
        // Where the plain formula has nothing left: D ≈ (x − m)²/(2m).
        assert!((deviance(1e15 + 1.0, 1e15, 1.0) / 5e-16 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn small_arguments_follow_their_series() {
        for x in [1e-12, 1e-6, 1e-3_f64] {
            assert!((ln_1p_shortfall(x) / (x / 2.0 - x * x / 3.0 + x.powi(3) / 4.0) - 1.0).abs() < 1e-8);
            assert!((exp_excess(x, x) / (x * x / 2.0 - x.powi(3) / 6.0) - 1.0).abs() < 1e-6);
        }
        for x in [0.049_999, 0.050_001, 0.3, 5.0_f64] {
            assert!((ln_1p_shortfall(x) - (1.0 - x.ln_1p() / x)).abs() < 1e-15, "{x}");
        }
        for t in [0.099_999, 0.100_001, 0.3, 5.0_f64] {
            assert!((exp_excess(t, -(-t).exp_m1()) - (t + (-t).exp_m1())).abs() < 1e-16 * 4.0, "{t}");
        }
        assert_eq!((ln_1p_over(0.0), ln_1p_shortfall(0.0), exp_excess(0.0, 0.0)), (1.0, 0.0, 0.0));
    }
}
