//! The mechanism that made a release, as far as an intruder needs to know it: how one more record in a cell changes the
//! probability of the synthetic counts.

use statistics::counts::{CellDraws, CountFamily, Mean};

/// How a release was made: the generator's name, for readers, and how it draws the counts of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleaseMechanism {
    method: &'static str,
    draws: CellDraws,
}

impl ReleaseMechanism {
    /// A generator of this name that draws cells in this way.
    pub fn new(method: &'static str, draws: CellDraws) -> Self {
        Self { method, draws }
    }

    /// The name of the generator.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Whether a cell's counts in the data sets matter through their sum alone.
    pub(super) fn sum_is_sufficient(&self) -> bool {
        match self.draws {
            CellDraws::PriorInEachCell { .. } | CellDraws::PriorOverAllCells { .. } => true,
            CellDraws::Independent { family, .. } => {
                matches!(family, CountFamily::Poisson | CountFamily::Nbi { .. })
            }
        }
    }

    /// The likelihoods of a release of `sets` data sets over K cells, of which the logarithm is given.
    pub(super) fn likelihood(self, sets: usize, ln_cells: f64) -> Likelihood {
        Likelihood { draws: self.draws, sets: sets as f64, ln_cells }
    }
}

/// How much more probable the counts of a release are with one record more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likelihood {
    draws: CellDraws,
    sets: f64,
    ln_cells: f64,
}

impl Likelihood {
    /// ln P(s | y + 1) − ln P(s | y) for a cell, up to what is the same for all cells; infinite where P(s | y) is zero.
    ///
    /// `s` is the sum over the data sets where that is sufficient, else the count in each.
    pub(super) fn ln_ratio(&self, y: u64, s: &[u64]) -> f64 {
        match self.draws {
            CellDraws::PriorInEachCell { a, .. } => multinomial_ratio(y, s[0], a, a.ln()),
            CellDraws::PriorOverAllCells { records, .. } => {
                let ln_a = records.ln() - self.ln_cells;
                multinomial_ratio(y, s[0], ln_a.exp(), ln_a)
            }
            CellDraws::Independent { family, alpha, scale, .. } => {
                let before = scale * if y == 0 { alpha } else { y as f64 };
                let after = scale * (y as f64 + 1.0);
                match family {
                    CountFamily::Poisson | CountFamily::Nbi { .. } => {
                        self.negative_binomial_ratio(before, after, s[0], family.sigma().value())
                    }
                    CountFamily::Pig { .. } | CountFamily::Delaporte { .. } => {
                        let ln_probability = |mean: f64| -> f64 {
                            let Ok(mean) = Mean::new(mean) else { return f64::NAN };
                            let count = family.distribution(mean);
                            s.iter().map(|s| count.ln_probability(*s)).sum()
                        };
                        ln_probability(after) - ln_probability(before)
                    }
                }
            }
        }
    }

    /// S ln(μ₁/μ₀) − (S + m/σ) ln((1 + σμ₁)/(1 + σμ₀)) for the sum S of m counts, with its limit m(μ₀ − μ₁) at σ = 0.
    fn negative_binomial_ratio(&self, before: f64, after: f64, sum: u64, sigma: f64) -> f64 {
        let sum = sum as f64;
        let step = (after - before) / (1.0 + sigma * before);
        let ln_spread = (sigma * step).ln_1p();
        let fall =
            if sigma > 0.0 { sum * ln_spread + self.sets * ln_spread / sigma } else { self.sets * step };
        if sum == 0.0 {
            return -fall;
        }
        let rise = if before > 0.0 { ((after - before) / before).ln_1p() } else { f64::INFINITY };
        sum * rise - fall
    }
}

/// s ln((y + 1 + a)/(y + a)), with ln a given apart in case a is too small for a number.
fn multinomial_ratio(y: u64, s: u64, a: f64, ln_a: f64) -> f64 {
    match (s, y) {
        (0, _) => 0.0,
        (_, 0) => s as f64 * (a.ln_1p() - ln_a),
        _ => s as f64 * (y as f64 + a).recip().ln_1p(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(draws: Result<CellDraws, statistics::counts::CountError>) -> ReleaseMechanism {
        ReleaseMechanism::new("a generator", draws.unwrap())
    }

    #[test]
    fn closed_forms_are_differences_of_log_probabilities() {
        for sigma in [0.0, 1e-9, 0.3, 4.0] {
            let family = CountFamily::nbi(sigma).unwrap();
            let mechanism = made(CellDraws::independent(family, 0.2, 1.5));
            for (y, sets) in [(0, [2, 0, 1]), (1, [0, 0, 0]), (7, [9, 4, 8])] {
                let likelihood = mechanism.likelihood(3, 5.0);
                let ln_probability = |y: f64| -> f64 {
                    let count = family.distribution(Mean::new(1.5 * y).unwrap());
                    sets.iter().map(|s| count.ln_probability(*s)).sum()
                };
                let before = if y == 0 { 0.2 } else { y as f64 };
                let expected = ln_probability(y as f64 + 1.0) - ln_probability(before);
                let found = likelihood.ln_ratio(y, &[sets.iter().sum()]);
                assert!((found - expected).abs() < 1e-12, "{sigma} {y}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn a_record_where_none_can_be_drawn_is_certain() {
        let catall = made(CellDraws::prior_over_all_cells(0.0)).likelihood(1, 3.0);
        assert_eq!((catall.ln_ratio(0, &[1]), catall.ln_ratio(0, &[0])), (f64::INFINITY, 0.0));
        for family in [CountFamily::Poisson, CountFamily::nbi(0.5).unwrap(), CountFamily::pig(0.5).unwrap()] {
            let likelihood = made(CellDraws::independent(family, 0.0, 1.0)).likelihood(1, 3.0);
            assert_eq!(likelihood.ln_ratio(0, &[2]), f64::INFINITY);
            let zero = family.distribution(Mean::of_count(1)).ln_probability(0);
            assert!((likelihood.ln_ratio(0, &[0]) - zero).abs() < 1e-14);
        }
    }

    #[test]
    fn a_prior_spread_over_astronomically_many_cells_keeps_its_logarithm() {
        // a = 1/K = e⁻⁹²¹ is no number any more, its logarithm is.
        let catall = made(CellDraws::prior_over_all_cells(1.0)).likelihood(1, 921.0);
        assert!((catall.ln_ratio(0, &[2]) - 2.0 * 921.0).abs() < 1e-9);
        assert!((catall.ln_ratio(3, &[2]) - 2.0 * (4.0_f64 / 3.0).ln()).abs() < 1e-15);
    }
}
