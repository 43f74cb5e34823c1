//! The truth about Much Seeming: every probability and coefficient that a record is drawn with.
//!
//! The draws use the integer weights, the functions give the same numbers as probabilities. Where a conditional
//! probability depends on the age alone, [`marginal`] turns it into the town's margin.

use crate::occupations::{BRANCHES, Branch};
use crate::{Activity, District, Education, Marital, Sex};

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
pub(crate) static AGE_BANDS: [AgeBand; 10] = [
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
pub(crate) const DISTRICT: [[u32; 8]; 2] =
    [[150, 130, 90, 120, 180, 90, 220, 20], [190, 140, 170, 130, 100, 140, 90, 40]];

/// Disabilities for people under 65 and for the others, in ten-thousandths: rare, and some very rare.
pub(crate) const DISABILITY: [[u32; 8]; 2] =
    [[9400, 180, 150, 110, 120, 25, 12, 3], [8000, 900, 650, 330, 40, 40, 35, 5]];

/// The weight of the first, second … group within a branch and title within a group: ∝ 1 / rank (Zipf).
pub(crate) const RANK: [u32; 5] = [60, 30, 20, 15, 12];

/// The part of weddings that are moved to the Saturday before, in thousandths.
pub(crate) const SATURDAY: u32 = 700;

/// Mean log income of the reference man: aged 40, [`Education::Primary`], in a branch that adds 0.
pub(crate) const LOG_INCOME: f64 = 7.2;
/// What each education adds to log income.
pub(crate) const LOG_INCOME_EDUCATION: [f64; 5] = [0.0, 0.1, 0.2, 0.4, 0.6];
/// What being a woman adds to log income.
pub(crate) const LOG_INCOME_WOMAN: f64 = -0.12;
/// What every year of age beyond 40 adds to log income.
pub(crate) const LOG_INCOME_YEAR: f64 = 0.006;
/// The standard deviation of log income about its mean, before the amount is rounded.
pub(crate) const LOG_INCOME_SIGMA: f64 = 0.4;
/// The amounts people round to, and how many of them do, in thousandths. See [`HEAP_500_FROM`].
pub(crate) const HEAPING: [(u32, u32); 5] = [(1, 100), (10, 200), (50, 300), (100, 300), (500, 100)];
/// Those who round to 500 round smaller amounts than this to 100.
pub(crate) const HEAP_500_FROM: f64 = 2000.0;
/// Higher incomes are reported as this one; less than one in 10,000 is.
pub(crate) const INCOME_TOP: u32 = 20_000;

/// Missing incomes, in thousandths: at least, from 65 years of age more, and without paid work more.
pub(crate) const INCOME_MISSING: [u32; 3] = [40, 80, 120];

/// Households of one to nine people, in thousandths. A row for ages from 0, 16, 25, 45 and 65 on; in it, first those
/// who are not married, then the married.
#[rustfmt::skip]
pub(crate) static HOUSEHOLD_SIZE: [[[u32; 9]; 2]; 5] = [
    [[  0, 110, 270, 350, 160, 65, 28, 12, 5]; 2], // nobody under 16 is married
    [[120, 190, 240, 260, 120, 45, 15,  7, 3], [0, 520, 270, 110,  60, 25, 10, 3, 2]],
    [[420, 290, 160,  80,  30, 12,  5,  2, 1], [0, 200, 240, 340, 140, 50, 18, 8, 4]],
    [[520, 280, 120,  50,  18,  7,  3,  1, 1], [0, 420, 250, 210,  80, 25, 10, 3, 2]],
    [[740, 190,  40,  15,   8,  4,  1,  1, 1], [0, 850,  90,  35,  15,  6,  2, 1, 1]],
];

/// The part of the chance of a further room that the district gives, in thousandths. See [`rooms_given`].
pub(crate) const FURTHER_ROOM_DISTRICT: [u32; 8] = [140, 160, 260, 200, 130, 240, 200, 280];
/// The part that every person in the household gives, in thousandths.
pub(crate) const FURTHER_ROOM_PERSON: u32 = 40;
/// Missing numbers of rooms, in thousandths: completely at random.
pub(crate) const ROOMS_MISSING: u32 = 30;

/// The band that an age lies in; the last one for anybody older.
pub(crate) fn age_band(age: u32) -> &'static AgeBand {
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
    let ages: Vec<f64> = (0..=AGE_BANDS[9].to).map(age_probability).collect();
    mixture(&ages, |age| given_age(age as u32))
}

/// P(female | age).
pub fn women_given_age(age: u32) -> f64 {
    thousandths(age_band(age).women)
}

/// P([`District`] | age).
pub fn district_given_age(age: u32) -> [f64; 8] {
    shares(&DISTRICT[usize::from(age >= 45)])
}

/// P([`Education`] | age).
pub fn education_given_age(age: u32) -> [f64; 5] {
    shares(&age_band(age).education)
}

/// P([`Marital`] | age).
pub fn marital_given_age(age: u32) -> [f64; 4] {
    shares(&age_band(age).marital)
}

/// P(wedding fewer than `days` days after the age of 16½ | age, ever married): with s = days / `wedding_span`,
/// 2s² in the first half of the span and 1 − 2(1 − s)² in the second. `SATURDAY` then moves some weddings back by
/// up to six days.
pub fn wedding_within(days: u32, age: u32) -> f64 {
    let s = (f64::from(days) / f64::from(wedding_span(age))).min(1.0);
    if s < 0.5 { 2.0 * s * s } else { 1.0 - 2.0 * (1.0 - s) * (1.0 - s) }
}

/// The days in which people of an age may have married: from 16½ on, for up to 24 years.
pub(crate) fn wedding_span(age: u32) -> u32 {
    days_since_16_and_a_half(age).min(24 * 365)
}

/// P([`Activity`] | age).
pub fn activity_given_age(age: u32) -> [f64; 7] {
    shares(&age_band(age).activity)
}

/// P(`BRANCHES` | in paid work, education, sex) ∝ the branch's draw on the education × its draw on the sex.
pub fn branch_given(education: Education, sex: Sex) -> [f64; 10] {
    shares(&branch_weights(education, sex))
}

/// P(the `rank`-th of `of` groups or titles), rank from 0: (1 / (rank + 1)) / Σᵣ 1 / r.
pub fn share_of_rank(rank: usize, of: usize) -> f64 {
    f64::from(RANK[rank]) / f64::from(RANK[..of].iter().sum::<u32>())
}

/// E(log income | sex, age, education, branch), for those who have one (see `has_income`):
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
pub(crate) fn has_income(activity: Activity) -> bool {
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

/// P(1, 2 … 9 people in the household | age, marital): see `HOUSEHOLD_SIZE`.
///
/// Nobody who is married or under 16 lives alone:
///
/// ```
/// use town::{Marital, truth::household_size_given};
/// assert_eq!(household_size_given(70, Marital::Married)[0], 0.0);
/// assert_eq!(household_size_given(70, Marital::Widowed)[0], 0.74);
/// ```
pub fn household_size_given(age: u32, marital: Marital) -> [f64; 9] {
    shares(household_size(age, marital))
}

/// P(1, 2 … 9 people in the household | age) = Σₘ P(marital = m | age) · P(· | age, m).
#[cfg(test)]
pub(crate) fn household_size_given_age(age: u32) -> [f64; 9] {
    mixture(&marital_given_age(age), |m| household_size_given(age, Marital::ALL[m]))
}

/// P(1, 2 … 10 rooms | people in the household, district), where the number is not missing (see `ROOMS_MISSING`).
///
/// There is one room, and each of nine further ones with probability π = district + 0.04 · hsize:
/// rooms − 1 ~ Binomial(9, π), with the districts' parts in `FURTHER_ROOM_DISTRICT`.
pub fn rooms_given(hsize: u32, district: District) -> [f64; 10] {
    const NINE_CHOOSE: [f64; 10] = [1.0, 9.0, 36.0, 84.0, 126.0, 126.0, 84.0, 36.0, 9.0, 1.0];
    let p = thousandths(further_room(hsize, district));
    std::array::from_fn(|k| NINE_CHOOSE[k] * p.powi(k as i32) * (1.0 - p).powi(9 - k as i32))
}

/// P(1, 2 … 10 rooms | age), where not missing: the mixture of [`rooms_given`] over household sizes and districts,
/// which are independent given the age.
#[cfg(test)]
pub(crate) fn rooms_given_age(age: u32) -> [f64; 10] {
    mixture(&household_size_given_age(age), |size| {
        mixture(&district_given_age(age), |d| rooms_given(size as u32 + 1, District::ALL[d]))
    })
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

pub(crate) fn household_size(age: u32, marital: Marital) -> &'static [u32; 9] {
    let row = [16, 25, 45, 65].iter().filter(|from| age >= **from).count();
    &HOUSEHOLD_SIZE[row][usize::from(marital == Marital::Married)]
}

pub(crate) fn further_room(hsize: u32, district: District) -> u32 {
    FURTHER_ROOM_DISTRICT[district as usize] + FURTHER_ROOM_PERSON * hsize
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

/// Σⱼ P(j) · P(· | j).
fn mixture<const K: usize>(shares: &[f64], given: impl Fn(usize) -> [f64; K]) -> [f64; K] {
    let mut mixed = [0.0; K];
    for (j, share) in shares.iter().enumerate() {
        mixed.iter_mut().zip(given(j)).for_each(|(sum, p)| *sum += share * p);
    }
    mixed
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
        assert!(HOUSEHOLD_SIZE.iter().flatten().all(|row| row.iter().sum::<u32>() == 1000));
        assert!(DISABILITY.iter().all(|row| row.iter().sum::<u32>() == 10_000));
        assert_eq!(HEAPING.iter().map(|(_, people)| people).sum::<u32>(), 1000);
        assert!(((0..=120).map(age_probability).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((marginal(rooms_given_age).iter().sum::<f64>() - 1.0).abs() < 1e-12);
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
        // at 30, 57% are not married: 42% of them alone, 29% in twos; 43% are: 20% in twos
        let [alone, two, ..] = household_size_given_age(30);
        assert!((alone - 0.57 * 0.42).abs() < 1e-12 && (two - 0.57 * 0.29 - 0.43 * 0.2).abs() < 1e-12);
        // π = 0.14 + 0.04 · 4 = 0.3: one room 0.7⁹, two rooms 9 · 0.3 · 0.7⁸
        let [one, two, ..] = rooms_given(4, District::OldMarket);
        assert!((one - 0.040353607).abs() < 1e-12 && (two - 0.155649627).abs() < 1e-12);
        // one branch: 14 · 6 of Σ draws · draws_sex over the ten branches for men with primary education
        assert!((branch_given(Education::Primary, Sex::Male)[0] - 84.0 / 665.0).abs() < 1e-12);
        assert_eq!(wedding_within(1095, 17 + 30), 2.0 / 64.0);
        assert_eq!(wedding_within(91, 16), 0.5);
    }
}
