//! Monthly income: log-normal about its regression, heaped on round amounts, sometimes refused, not asked of children.

use crate::draw::{bell, exp, happens, position};
use crate::occupations::Branch;
use crate::{Activity, Education, Sex, truth};
use rand_chacha::ChaCha8Rng;

/// What the column `income` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Income {
    /// The code −8: small children and school pupils are not asked.
    NotApplicable,
    /// An empty field: asked, but not answered.
    Missing,
    /// A whole amount a month, 1 to `truth::INCOME_TOP`.
    Amount(u32),
}

impl Income {
    /// Draws what someone answers, from [`truth::mean_log_income`] and [`truth::income_missing_probability`].
    pub(crate) fn draw(
        rng: &mut ChaCha8Rng,
        sex: Sex,
        age: u32,
        education: Education,
        activity: Activity,
        branch: &Branch,
    ) -> Income {
        if !truth::has_income(activity) {
            return Income::NotApplicable;
        }
        let log = truth::mean_log_income(sex, age, education, branch) + truth::LOG_INCOME_SIGMA * bell(rng);
        let step = truth::HEAPING[position(rng, &truth::HEAPING.map(|(_, people)| people))].0;
        let missing = happens(rng, truth::income_missing(age, activity));
        if missing { Income::Missing } else { Income::Amount(heap(exp(log), step)) }
    }
}

/// Rounds to a multiple of the step, but not down to nothing.
fn heap(amount: f64, step: u32) -> u32 {
    let step = if step == 500 && amount < truth::HEAP_500_FROM { 100 } else { step };
    let steps = (amount / f64::from(step) + 0.5) as u32; // truncates, so this rounds
    (steps.max(1) * step).min(truth::INCOME_TOP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goodness_of_fit::{REJECT, surprise};
    use crate::occupations::{BRANCHES, NOT_IN_PAID_WORK};
    use crate::{Resident, Town};

    #[test]
    fn amounts_are_rounded_to_the_step() {
        assert_eq!(heap(1234.4, 1), 1234);
        assert_eq!(heap(1250.0, 100), 1300);
        assert_eq!(heap(1999.0, 500), 2000); // as a hundred
        assert_eq!(heap(1930.0, 500), 1900);
        assert_eq!(heap(2260.0, 500), 2500);
        assert_eq!(heap(20.0, 100), 100);
        assert_eq!(heap(1e6, 1), truth::INCOME_TOP);
    }

    /// Missing incomes in four cells against the truth (error rate 10⁻⁴ each), and against the truth about those of the
    /// other age or the other work, so that missing completely at random would fail.
    #[test]
    fn missing_incomes_depend_on_age_and_work() {
        let people = || Town::default().residents().filter(|one| truth::has_income(one.activity));
        for (old, work) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut counts = [0; 2];
            people()
                .filter(|one| (one.age >= 65, one.activity == Activity::InPaidWork) == (old, work))
                .for_each(|one| counts[usize::from(one.income == Income::Missing)] += 1);
            let against = |old: bool, work: bool| {
                let activity = if work { Activity::InPaidWork } else { Activity::AtHome };
                let p = truth::income_missing_probability(if old { 65 } else { 64 }, activity);
                surprise(&counts, &[1.0 - p, p])
            };
            assert!(against(old, work) < REJECT, "{old} {work}: {counts:?}");
            assert!(against(!old, work).min(against(old, !work)) > REJECT, "{old} {work}: {counts:?}");
        }
    }

    /// The share of amounts that are multiples of 100 is at least that of people who round to 100 or 500, less 4
    /// standard errors; a log-normal without heaping would have 1 in 100.
    #[test]
    fn amounts_are_heaped() {
        let amounts: Vec<_> = Town::default().residents().filter_map(|one| amount(&one)).collect();
        let round = amounts.iter().filter(|amount| **amount % 100 == 0).count() as f64 / amounts.len() as f64;
        // multiples of 100 are also 1 in 100 of the exact, 1 in 10 of the tens and 1 in 2 of the fifties
        let p = 0.4 + 0.1 / 100.0 + 0.2 / 10.0 + 0.3 / 2.0;
        assert!((round - p).abs() < 4.0 * (p * (1.0 - p) / amounts.len() as f64).sqrt(), "{round}, not {p}");
        let mean = amounts.iter().sum::<u32>() as f64 / amounts.len() as f64;
        let below = amounts.iter().filter(|amount| f64::from(**amount) < mean).count();
        assert!(
            below as f64 / amounts.len() as f64 > 0.55,
            "skewed to the right: most earn less than the mean"
        );
    }

    /// Least squares on the log amounts finds all seventeen coefficients and sigma, each within 4 standard errors
    /// (error rate 6·10⁻⁵ each, about 10⁻³ in all).
    #[test]
    fn regression_recovers_the_coefficients() {
        let branches = || BRANCHES[1..].iter().chain([&NOT_IN_PAID_WORK]);
        let truth: Vec<f64> = [truth::LOG_INCOME, truth::LOG_INCOME_WOMAN, truth::LOG_INCOME_YEAR]
            .into_iter()
            .chain(truth::LOG_INCOME_EDUCATION[1..].iter().copied())
            .chain(branches().map(|branch| branch.log_income))
            .collect();
        let k = truth.len();
        let row = |one: &Resident| -> Vec<f64> {
            let woman = f64::from(u8::from(one.sex == Sex::Female));
            let education =
                Education::ALL[1..].iter().map(|level| f64::from(u8::from(*level == one.education)));
            let branch = branches().map(|branch| f64::from(u8::from(branch == one.occupation.branch)));
            [1.0, woman, f64::from(one.age) - 40.0].into_iter().chain(education).chain(branch).collect()
        };
        let data: Vec<(Vec<f64>, f64)> = Town::default()
            .residents()
            .filter_map(|one| Some((row(&one), f64::from(amount(&one)?).ln())))
            .collect();

        // [X'X | X'y | I], swept to [I | b | (X'X)⁻¹]
        let mut sweep = vec![vec![0.0; 2 * k + 1]; k];
        for i in 0..k {
            sweep[i][k + 1 + i] = 1.0;
            for (x, y) in &data {
                (0..k).for_each(|j| sweep[i][j] += x[i] * x[j]);
                sweep[i][k] += x[i] * y;
            }
        }
        for i in 0..k {
            let pivot = sweep[i].iter().map(|value| value / sweep[i][i]).collect::<Vec<_>>();
            for (j, other) in sweep.iter_mut().enumerate() {
                let factor = other[i];
                let reduced = |(value, pivot): (&mut f64, &f64)| *value -= factor * pivot;
                if i == j { *other = pivot.clone() } else { other.iter_mut().zip(&pivot).for_each(reduced) }
            }
        }
        for i in 0..k {
            let error = truth::LOG_INCOME_SIGMA * sweep[i][k + 1 + i].sqrt();
            let z = (sweep[i][k] - truth[i]) / error;
            assert!(z.abs() < 4.0, "coefficient {i} is {}, not {}: z = {z}", sweep[i][k], truth[i]);
            assert!(error < 0.05, "coefficient {i} would not be seen to be wrong");
        }
        let residual = |(x, y): &(Vec<f64>, f64)| {
            (y - x.iter().enumerate().map(|(i, x)| x * sweep[i][k]).sum::<f64>()).powi(2)
        };
        let sigma = (data.iter().map(residual).sum::<f64>() / (data.len() - k) as f64).sqrt();
        let error = truth::LOG_INCOME_SIGMA / (2.0 * data.len() as f64).sqrt();
        assert!((sigma - truth::LOG_INCOME_SIGMA).abs() < 4.0 * error, "sigma is {sigma}");
    }

    fn amount(one: &Resident) -> Option<u32> {
        if let Income::Amount(amount) = one.income { Some(amount) } else { None }
    }
}
