//! The truth about Much Seeming: every probability and coefficient that a record is drawn with.
//!
//! The draws use the integer weights, the functions give the same numbers as probabilities. Where a conditional
//! probability depends on the age alone, [`marginal`] turns it into the town's margin.

use crate::occupations::{BRANCHES, Branch};
use crate::{Activity, Education, Sex};

/// One band of ages with its conditional distributions, all in thousandths.
#[derive(Debug, PartialEq)]
pub struct AgeBand {
    /// The youngest age of the band.
    pub from: u32,
    /// The oldest age of the band.
    pub to: u32,
    /// The band's part of the town; every age within it is equally likely.
    pub people: u32,
    /// Women among them.
    pub women: u32,
    /// Single, married, widowed, divorced.
    pub marital: [u32; 4],
    /// From primary to master.
    pub education: [u32; 5],
    /// Small child, school pupil, student, at home, between jobs, retired, in paid work.
    pub activity: [u32; 7],
}

/// The ten age bands, youngest first.
#[rustfmt::skip]
pub static AGE_BANDS: [AgeBand; 10] = [
    band( 0,  5,  60, 490, [1000,   0,   0,   0], [1000,   0,   0,   0,   0], [1000,    0,   0,   0,  0,   0,   0]),
    band( 6, 15, 110, 490, [1000,   0,   0,   0], [1000,   0,   0,   0,   0], [   0, 1000,   0,   0,  0,   0,   0]),
    band(16, 24, 110, 490, [ 930,  60,   0,  10], [ 180, 560, 160,  90,  10], [   0,  250, 300,  30, 70,   0, 350]),
    band(25, 34, 130, 495, [ 520, 430,   5,  45], [  50, 260, 300, 250, 140], [   0,    0,  50,  80, 70,   0, 800]),
    band(35, 44, 140, 500, [ 270, 610,  10, 110], [  60, 270, 330, 210, 130], [   0,    0,  10,  80, 60,   0, 850]),
    band(45, 54, 140, 500, [ 180, 640,  25, 155], [  80, 300, 370, 150, 100], [   0,    0,   0,  90, 60,   0, 850]),
    band(55, 64, 130, 505, [ 120, 650,  70, 160], [ 130, 330, 360, 110,  70], [   0,    0,   0, 100, 50, 200, 650]),
    band(65, 74, 100, 525, [  80, 620, 180, 120], [ 220, 350, 300,  80,  50], [   0,    0,   0,  30,  0, 850, 120]),
    band(75, 84,  60, 580, [  60, 470, 400,  70], [ 340, 340, 240,  50,  30], [   0,    0,   0,   0,  0, 980,  20]),
    band(85, 99,  20, 660, [  50, 260, 650,  40], [ 430, 330, 190,  30,  20], [   0,    0,   0,   0,  0, 1000,  0]),
];

/// Districts for people under 45 and for the others, in thousandths.
pub const DISTRICT: [[u32; 8]; 2] =
    [[150, 130, 90, 120, 180, 90, 220, 20], [190, 140, 170, 130, 100, 140, 90, 40]];

/// Disabilities for people under 65 and for the others, in ten-thousandths: rare, and some very rare.
pub const DISABILITY: [[u32; 8]; 2] =
    [[9400, 180, 150, 110, 120, 25, 12, 3], [8000, 900, 650, 330, 40, 40, 35, 5]];

/// The weight of the first, second … group within a branch and title within a group: ∝ 1 / rank (Zipf).
pub const RANK: [u32; 5] = [60, 30, 20, 15, 12];

/// The part of weddings that are moved to the Saturday before, in thousandths.
pub const SATURDAY: u32 = 700;

/// Mean log income of the reference man: aged 40, [`Education::Primary`], in a branch that adds 0.
pub const LOG_INCOME: f64 = 7.2;
/// What each education adds to log income.
pub const LOG_INCOME_EDUCATION: [f64; 5] = [0.0, 0.1, 0.2, 0.4, 0.6];
/// What being a woman adds to log income.
pub const LOG_INCOME_WOMAN: f64 = -0.12;
/// What every year of age beyond 40 adds to log income.
pub const LOG_INCOME_YEAR: f64 = 0.006;
/// The standard deviation of log income about its mean, before the amount is rounded.
pub const LOG_INCOME_SIGMA: f64 = 0.4;
/// The amounts people round to, and how many of them do, in thousandths. See [`HEAP_500_FROM`].
pub const HEAPING: [(u32, u32); 5] = [(1, 100), (10, 200), (50, 300), (100, 300), (500, 100)];
/// Those who round to 500 round smaller amounts than this to 100.
pub const HEAP_500_FROM: f64 = 2000.0;
/// Higher incomes are reported as this one; less than one in 10,000 is.
pub const INCOME_TOP: u32 = 20_000;

/// Missing incomes, in thousandths: at least, from 65 years of age more, and without paid work more.
pub const INCOME_MISSING: [u32; 3] = [40, 80, 120];

/// The standard deviation of height, as a share of the mean height.
pub const HEIGHT_SIGMA: f64 = 0.04;
/// The standard deviation of log weight at a given age and height, before it is rounded to half a kilogram.
pub const LOG_WEIGHT_SIGMA: f64 = 0.15;

/// The band that an age lies in; the last one for anybody older.
pub fn age_band(age: u32) -> &'static AgeBand {
    AGE_BANDS.iter().find(|band| age <= band.to).unwrap_or(&AGE_BANDS[9])
}

/// P(age).
pub fn age_probability(age: u32) -> f64 {
    let band = age_band(age);
    if age > band.to { 0.0 } else { thousandths(band.people) / f64::from(band.to - band.from + 1) }
}

/// Σₐ P(age = a) · P(· | age = a): the margin of something that depends on the age alone.
///
/// ```
/// let [single, married, ..] = town::truth::marginal(town::truth::marital_given_age);
/// assert!((single - 0.4311).abs() < 1e-9 && (married - 0.4174).abs() < 1e-9);
/// ```
pub fn marginal<const K: usize>(given_age: impl Fn(u32) -> [f64; K]) -> [f64; K] {
    let mut margin = [0.0; K];
    for age in 0..=AGE_BANDS[9].to {
        let p = given_age(age);
        (0..K).for_each(|k| margin[k] += age_probability(age) * p[k]);
    }
    margin
}

/// P(female | age).
pub fn women_given_age(age: u32) -> f64 {
    thousandths(age_band(age).women)
}

/// P([`District`](crate::District) | age).
pub fn district_given_age(age: u32) -> [f64; 8] {
    shares(&DISTRICT[usize::from(age >= 45)])
}

/// P([`Education`] | age).
pub fn education_given_age(age: u32) -> [f64; 5] {
    shares(&age_band(age).education)
}

/// P([`Marital`](crate::Marital) | age).
pub fn marital_given_age(age: u32) -> [f64; 4] {
    shares(&age_band(age).marital)
}

/// P(wedding fewer than `days` days after the age of 16½ | age, ever married): with s = days / [`wedding_span`],
/// 2s² in the first half of the span and 1 − 2(1 − s)² in the second. [`SATURDAY`] then moves some weddings back by
/// up to six days.
pub fn wedding_within(days: u32, age: u32) -> f64 {
    let s = (f64::from(days) / f64::from(wedding_span(age))).min(1.0);
    if s < 0.5 { 2.0 * s * s } else { 1.0 - 2.0 * (1.0 - s) * (1.0 - s) }
}

/// The days in which people of an age may have married: from 16½ on, for up to 24 years.
pub fn wedding_span(age: u32) -> u32 {
    days_since_16_and_a_half(age).min(24 * 365)
}

/// P([`Activity`] | age).
pub fn activity_given_age(age: u32) -> [f64; 7] {
    shares(&age_band(age).activity)
}

/// P([`BRANCHES`] | in paid work, education, sex) ∝ the branch's draw on the education × its draw on the sex.
pub fn branch_given(education: Education, sex: Sex) -> [f64; 10] {
    shares(&branch_weights(education, sex))
}

/// P(the `rank`-th of `of` groups or titles), rank from 0: (1 / (rank + 1)) / Σᵣ 1 / r.
pub fn share_of_rank(rank: usize, of: usize) -> f64 {
    f64::from(RANK[rank]) / f64::from(RANK[..of].iter().sum::<u32>())
}

/// E(log income | sex, age, education, branch), for those who have one (see [`has_income`]):
///
/// 7.2 − 0.12 · woman + 0.006 (age − 40) + education + branch, with normal errors of standard deviation 0.4.
///
/// A regression of the log of the reported amounts on the four variables estimates these coefficients. Amounts go
/// missing at random given age and branch, so leaving the missing ones out does no harm. Heaping does little: it
/// lowers the mean by less than 0.001.
pub fn mean_log_income(sex: Sex, age: u32, education: Education, branch: &Branch) -> f64 {
    let woman = if sex == Sex::Female { LOG_INCOME_WOMAN } else { 0.0 };
    let years = f64::from(age) - 40.0;
    LOG_INCOME
        + woman
        + LOG_INCOME_YEAR * years
        + LOG_INCOME_EDUCATION[education as usize]
        + branch.log_income
}

/// Whether the question for an income applies: not to small children and school pupils, who get the code −8.
pub fn has_income(activity: Activity) -> bool {
    !matches!(activity, Activity::SmallChild | Activity::SchoolPupil)
}

/// P(income missing | age, activity) = 0.04 + 0.08 · (age ≥ 65) + 0.12 · (not in paid work); 0 where the code −8 stands.
pub fn income_missing_probability(age: u32, activity: Activity) -> f64 {
    thousandths(income_missing(age, activity))
}

/// P([`Disability`](crate::Disability) | age).
pub fn disability_given_age(age: u32) -> [f64; 8] {
    shares(&DISABILITY[usize::from(age >= 65)])
}

/// E(height | sex, age) in cm: 178 for men, 165 for women, and for the young in proportion from 75 at birth to that at 18.
pub fn mean_height(sex: Sex, age: u32) -> f64 {
    let grown = if sex == Sex::Female { 165.0 } else { 178.0 };
    75.0 + (grown - 75.0) * f64::from(age.min(18)) / 18.0
}

/// The median weight in kg at an age and a height in cm: a body-mass index of 16 at birth, 22 at 18, 26.2 from 60 on.
pub fn median_weight(age: u32, height: u32) -> f64 {
    let age = f64::from(age);
    let bmi = 16.0 + age.min(18.0) / 3.0 + (age.clamp(18.0, 60.0) - 18.0) / 10.0;
    bmi * f64::from(height * height) / 10_000.0
}

pub(crate) fn days_since_16_and_a_half(age: u32) -> u32 {
    365 * age.saturating_sub(16) + 182
}

pub(crate) fn branch_weights(education: Education, sex: Sex) -> [u32; 10] {
    BRANCHES.each_ref().map(|branch| branch.draws[education as usize] * branch.draws_sex[sex as usize])
}

pub(crate) fn income_missing(age: u32, activity: Activity) -> u32 {
    let [least, from_65, without_work] = INCOME_MISSING;
    match activity {
        Activity::SmallChild | Activity::SchoolPupil => 0,
        _ => {
            least
                + from_65 * u32::from(age >= 65)
                + without_work * u32::from(activity != Activity::InPaidWork)
        }
    }
}

const fn band(
    from: u32,
    to: u32,
    people: u32,
    women: u32,
    marital: [u32; 4],
    education: [u32; 5],
    activity: [u32; 7],
) -> AgeBand {
    AgeBand { from, to, people, women, marital, education, activity }
}

fn thousandths(count: u32) -> f64 {
    f64::from(count) / 1000.0
}

fn shares<const K: usize>(weights: &[u32; K]) -> [f64; K] {
    let total = f64::from(weights.iter().sum::<u32>());
    weights.map(|weight| f64::from(weight) / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_parts_make_a_whole() {
        assert_eq!(AGE_BANDS.iter().map(|band| band.people).sum::<u32>(), 1000);
        for band in &AGE_BANDS {
            assert_eq!(band.marital.iter().sum::<u32>(), 1000, "marital from {}", band.from);
            assert_eq!(band.education.iter().sum::<u32>(), 1000, "education from {}", band.from);
            assert_eq!(band.activity.iter().sum::<u32>(), 1000, "activity from {}", band.from);
        }
        assert!(AGE_BANDS.windows(2).all(|two| two[1].from == two[0].to + 1));
        assert!(DISTRICT.iter().all(|row| row.iter().sum::<u32>() == 1000));
        assert!(DISABILITY.iter().all(|row| row.iter().sum::<u32>() == 10_000));
        assert_eq!(HEAPING.iter().map(|(_, people)| people).sum::<u32>(), 1000);
        assert!(((0..=120).map(age_probability).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn ranks_follow_zipf() {
        for of in 1..=5 {
            let harmonic: f64 = (1..=of).map(|r| 1.0 / r as f64).sum();
            (0..of).for_each(|r| {
                assert!((share_of_rank(r, of) - 1.0 / (r + 1) as f64 / harmonic).abs() < 1e-12)
            });
        }
    }

    #[test]
    fn formulas_agree_with_values_worked_by_hand() {
        let trade = &BRANCHES[0];
        assert!((mean_log_income(Sex::Female, 50, Education::Bachelor, trade) - 7.54).abs() < 1e-12);
        assert_eq!(income_missing_probability(70, Activity::Retired), 0.24);
        assert_eq!(income_missing_probability(70, Activity::InPaidWork), 0.12);
        assert_eq!(income_missing_probability(30, Activity::InPaidWork), 0.04);
        assert_eq!(income_missing_probability(10, Activity::SchoolPupil), 0.0);
        assert_eq!(mean_height(Sex::Male, 9), 126.5);
        assert!((median_weight(60, 170) - 26.2 * 2.89).abs() < 1e-9);
        // one branch: 14 · 6 of Σ draws · draws_sex over the ten branches for men with primary education
        assert!((branch_given(Education::Primary, Sex::Male)[0] - 84.0 / 665.0).abs() < 1e-12);
        assert_eq!(wedding_within(1095, 17 + 30), 2.0 / 64.0);
        assert_eq!(wedding_within(91, 16), 0.5);
    }
}
