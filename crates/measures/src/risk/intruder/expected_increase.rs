//! The expected increase in risk, before synthesis, for data of two values.

/// McClure & Reiter's ER (2012, eqs. 5-7): how much a release is expected to raise the intruder's probability of the truth.
///
/// X of `records` values are 1, X ~ Bin(records, p₀); X* of `synthetic_records` are 1, X* ~ Bin(synthetic_records,
/// (X + a)/(records + 2a)). The record in question has the value 1, or 0 where there is none, and the intruder, who knows all
/// others, gives the truth the probability `prior`. ER is the mean of max(R − prior, 0) over X and X*.
///
/// ```
/// use measures::risk::intruder::expected_increase;
/// // ε = 1000 for 1000 records with p₀ = .001: a = .58, and a rare value is at risk.
/// let a = 1.0 / 1f64.exp_m1();
/// assert!((expected_increase(0.001, 1000, 1000, a, 0.5) - 0.1252).abs() < 5e-5);
/// ```
///
/// # Panics
/// Unless p₀ and the prior lie between 0 and 1, a is positive, and there is a record.
pub fn expected_increase(p0: f64, records: u32, synthetic_records: u32, a: f64, prior: f64) -> f64 {
    let between = |value: f64| 0.0 < value && value < 1.0;
    assert!(between(p0) && between(prior), "p0 and the prior must lie between 0 and 1");
    assert!(a > 0.0 && a.is_finite() && records > 0, "a must be positive, and there must be a record");
    let n = f64::from(records);
    let mut increase = 0.0;
    for (x, probability) in binomial(records, p0).into_iter().enumerate() {
        if probability < NEGLIGIBLE {
            continue;
        }
        let ones = x as f64;
        // The record's own cell and the other one, both without the record.
        let (own, other) = if x > 0 { (ones - 1.0, n - ones) } else { (n - 1.0, 0.0) };
        let (ln_own, ln_other) = ((own + a).recip().ln_1p(), (other + a).recip().ln_1p());
        let ln_prior_odds = (prior / (1.0 - prior)).ln();
        let release = binomial(synthetic_records, (ones + a) / (n + 2.0 * a));
        let given_x = release.into_iter().zip(0_u32..).map(|(probability, ones)| {
            let zeros = f64::from(synthetic_records - ones);
            let (in_own, in_other) = if x > 0 { (f64::from(ones), zeros) } else { (zeros, f64::from(ones)) };
            let r = (1.0 + (in_other * ln_other - in_own * ln_own - ln_prior_odds).exp()).recip();
            probability * (r - prior).max(0.0)
        });
        increase += probability * given_x.sum::<f64>();
    }
    increase
}

/// Values of X less probable than this do not show in any digit.
const NEGLIGIBLE: f64 = 1e-25;

/// P(X = 0), …, P(X = n) for X ~ Bin(n, p), from the most probable value outwards.
fn binomial(n: u32, p: f64) -> Vec<f64> {
    let mode = ((f64::from(n) + 1.0) * p).floor().min(f64::from(n)) as usize;
    let odds = p / (1.0 - p);
    let mut weights = vec![0.0; n as usize + 1];
    weights[mode] = 1.0;
    for k in mode..n as usize {
        weights[k + 1] = weights[k] * odds * (n as usize - k) as f64 / (k + 1) as f64;
    }
    for k in (0..mode).rev() {
        weights[k] = weights[k + 1] * (k + 1) as f64 / (odds * (n as usize - k) as f64);
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomial_probabilities_are_those_of_coins() {
        for (found, expected) in binomial(4, 0.5).into_iter().zip([1.0, 4.0, 6.0, 4.0, 1.0]) {
            assert!((found - expected / 16.0).abs() < 1e-15);
        }
        // R: dbinom(3, 1000, 1.58/1001.16) = 0.1351..., the example of McClure & Reiter's section 3.2.
        assert!((binomial(1000, 1.58 / 1001.16)[3] - 0.135).abs() < 5e-4);
    }

    #[test]
    fn mcclure_and_reiter_table_1() {
        // Rows p₀, columns ε; n = 1000 records, 1000 synthetic ones, prior ½. Four digits; the paper
        // prints three of them, cut off.
        let epsilons: [f64; 6] = [1000.0, 100.0, 10.0, 2.0, 0.2, 0.01];
        let table: [(f64, [f64; 6]); 4] = [
            (0.001, [0.1252, 0.03671, 0.01007, 0.003725, 0.0005781, 3.140e-5]),
            (0.3, [0.007181, 0.007025, 0.005782, 0.003287, 0.0005760, 3.138e-5]),
            (0.5, [0.006554, 0.006434, 0.005436, 0.003219, 0.0005756, 3.138e-5]),
            (0.999, [0.09836, 0.03505, 0.01002, 0.003723, 0.0005780, 3.140e-5]),
        ];
        for (p0, row) in table {
            for (epsilon, expected) in epsilons.iter().zip(row) {
                let a = (epsilon / 1000.0).exp_m1().recip();
                let found = expected_increase(p0, 1000, 1000, a, 0.5);
                let half_a_digit = 0.5 * 10_f64.powf(expected.log10().floor() - 3.0);
                assert!(
                    (found - expected).abs() <= half_a_digit,
                    "p0 {p0}, eps {epsilon}: {found}, not {expected}"
                );
            }
        }
    }
}
