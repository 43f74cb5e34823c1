//! One resident, drawn variable by variable in the order of the graph in the crate's documentation.

use crate::draw::{bell, below, exp, happens, position};
use crate::occupations::{BRANCHES, NOT_IN_PAID_WORK, Occupation};
use crate::truth::{self, AGE_BANDS};
use crate::{Activity, Date, Disability, District, Education, Income, Marital, Sex};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// One record of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resident {
    /// Sex.
    pub sex: Sex,
    /// Years of age on census day.
    pub age: u32,
    /// District of the town.
    pub district: District,
    /// Marital status.
    pub marital: Marital,
    /// The day of the (last) wedding; `None` exactly for those who are single.
    pub married_on: Option<Date>,
    /// Highest education.
    pub education: Education,
    /// What the resident does all day; the table shows it through the occupation.
    pub activity: Activity,
    /// The three nested levels of the occupation.
    pub occupation: Occupation,
    /// Monthly income.
    pub income: Income,
    /// Disability.
    pub disability: Disability,
    /// Height in whole centimetres.
    pub height: u32,
    /// Weight in tenths of a kilogram.
    pub weight_tenths: u32,
}

impl Resident {
    pub(crate) fn draw(rng: &mut ChaCha8Rng) -> Resident {
        let band = &AGE_BANDS[position(rng, &AGE_BANDS.each_ref().map(|band| band.people))];
        let age = band.from + below(rng, band.to - band.from + 1);
        let sex = if happens(rng, band.women) { Sex::Female } else { Sex::Male };
        let district = District::ALL[position(rng, &truth::DISTRICT[usize::from(age >= 45)])];
        let education = Education::ALL[position(rng, &band.education)];
        let marital = Marital::ALL[position(rng, &band.marital)];
        let married_on = (marital != Marital::Single).then(|| wedding(rng, age));
        let activity = Activity::ALL[position(rng, &band.activity)];
        let occupation = occupation(rng, activity, education, sex);
        let income = Income::draw(rng, sex, age, education, activity, occupation.branch);
        let disability = Disability::ALL[position(rng, &truth::DISABILITY[usize::from(age >= 65)])];
        let height = (truth::mean_height(sex, age) * (1.0 + truth::HEIGHT_SIGMA * bell(rng)) + 0.5) as u32;
        let weight_tenths = weight_tenths(rng, age, height);
        Resident {
            sex,
            age,
            district,
            marital,
            married_on,
            education,
            activity,
            occupation,
            income,
            disability,
            height,
            weight_tenths,
        }
    }

    /// The body-mass index in tenths: weight / (height / 100)² rounded to one digit, in whole numbers.
    ///
    /// With w tenths of a kilogram and h centimetres, ten times the index is 10⁴ w / h².
    pub fn bmi_tenths(&self) -> u32 {
        let square = self.height * self.height;
        (20_000 * self.weight_tenths + square) / (2 * square)
    }
}

/// A day within the [`truth::wedding_span`], the mean of two uniform ones, or the Saturday before it.
fn wedding(rng: &mut ChaCha8Rng, age: u32) -> Date {
    let sum = u64::from(rng.next_u32()) + u64::from(rng.next_u32());
    let after = (sum * u64::from(truth::wedding_span(age))) >> 33;
    let day = Date { days: Date::CENSUS.days - truth::days_since_16_and_a_half(age) as i32 + after as i32 };
    if happens(rng, truth::SATURDAY) { day.saturday_before() } else { day }
}

fn occupation(rng: &mut ChaCha8Rng, activity: Activity, education: Education, sex: Sex) -> Occupation {
    let (branch, group) = if activity == Activity::InPaidWork {
        let branch = &BRANCHES[position(rng, &truth::branch_weights(education, sex))];
        (branch, &branch.groups[position(rng, &truth::RANK[..branch.groups.len()])])
    } else {
        (&NOT_IN_PAID_WORK, &NOT_IN_PAID_WORK.groups[activity as usize])
    };
    Occupation { branch, group, title: group.titles[position(rng, &truth::RANK[..group.titles.len()])] }
}

/// A weight to the half kilogram. Where the body-mass index would lie half-way between two tenths, where programs
/// differ in how they round, it is a tenth of a kilogram more.
fn weight_tenths(rng: &mut ChaCha8Rng, age: u32, height: u32) -> u32 {
    let kilograms = truth::median_weight(age, height) * exp(truth::LOG_WEIGHT_SIGMA * bell(rng));
    let mut tenths = 5 * (2.0 * kilograms + 0.5) as u32;
    let square = height * height;
    while (20_000 * tenths).is_multiple_of(square) && (20_000 * tenths / square) % 2 == 1 {
        tenths += 1;
    }
    tenths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goodness_of_fit::{REJECT, surprise};
    use crate::{Town, occupations};
    use std::collections::BTreeMap;

    /// How often each position occurs among some people.
    fn tally<'a, const K: usize>(
        people: impl Iterator<Item = &'a Resident>,
        position: impl Fn(&Resident) -> usize,
    ) -> [usize; K] {
        let mut counts = [0; K];
        people.for_each(|one| counts[position(one)] += 1);
        counts
    }

    /// Compares a variable with its truth within each band of ages and in the town (error rate 10⁻⁴ a test).
    fn agrees_by_age<const K: usize>(
        name: &str,
        bands: &[(u32, u32)],
        position: impl Fn(&Resident) -> usize,
        given_age: impl Fn(u32) -> [f64; K],
    ) {
        let people: Vec<Resident> = Town::default().residents().collect();
        for &(from, to) in bands {
            let counts: [usize; K] =
                tally(people.iter().filter(|one| (from..=to).contains(&one.age)), &position);
            let z = surprise(&counts, &given_age(from));
            assert!(z < REJECT, "{name} from {from} to {to}: {counts:?}, z = {z}");
        }
        let counts: [usize; K] = tally(people.iter(), &position);
        let z = surprise(&counts, &truth::marginal(&given_age));
        assert!(z < REJECT, "{name}: {counts:?}, z = {z}");
    }

    #[test]
    fn what_depends_on_age_agrees_with_the_truth() {
        let bands: Vec<_> = AGE_BANDS.iter().map(|band| (band.from, band.to)).collect();
        let women = |age| [1.0 - truth::women_given_age(age), truth::women_given_age(age)];
        agrees_by_age("sex", &bands, |one| one.sex as usize, women);
        agrees_by_age("education", &bands, |one| one.education as usize, truth::education_given_age);
        agrees_by_age("marital", &bands, |one| one.marital as usize, truth::marital_given_age);
        agrees_by_age("activity", &bands, |one| one.activity as usize, truth::activity_given_age);
        agrees_by_age("district", &bands, |one| one.district as usize, truth::district_given_age);
        agrees_by_age("disability", &bands, |one| one.disability as usize, truth::disability_given_age);
    }

    #[test]
    fn ages_agree_with_the_truth() {
        let people: Vec<Resident> = Town::default().residents().collect();
        let counts: [usize; 100] = tally(people.iter(), |one| one.age as usize);
        let shares: Vec<f64> = (0..100).map(truth::age_probability).collect();
        assert!(surprise(&counts, &shares) < REJECT);
    }

    /// The tests above could fail: held against the truth of a neighbouring age band, they do.
    #[test]
    fn the_truth_about_others_is_rejected() {
        let people: Vec<Resident> =
            Town::default().residents().filter(|one| (55..65).contains(&one.age)).collect();
        let marital: [usize; 4] = tally(people.iter(), |one| one.marital as usize);
        assert!(surprise(&marital, &truth::marital_given_age(60)) < REJECT);
        assert!(surprise(&marital, &truth::marital_given_age(50)) > REJECT);
        let education: [usize; 5] = tally(people.iter(), |one| one.education as usize);
        assert!(surprise(&education, &truth::education_given_age(70)) > REJECT);
    }

    #[test]
    fn branches_agree_with_the_truth() {
        let people: Vec<Resident> = Town::default().residents().collect();
        for &education in Education::ALL {
            for &sex in Sex::ALL {
                let chosen = |one: &&Resident| {
                    (one.activity, one.education, one.sex) == (Activity::InPaidWork, education, sex)
                };
                let branch = |one: &Resident| {
                    BRANCHES.iter().position(|branch| branch == one.occupation.branch).unwrap()
                };
                let counts: [usize; 10] = tally(people.iter().filter(chosen), branch);
                let z = surprise(&counts, &truth::branch_given(education, sex));
                assert!(z < REJECT, "{education:?} {sex:?}: {counts:?}, z = {z}");
            }
        }
    }

    #[test]
    fn groups_and_titles_are_nested_and_agree_with_the_truth() {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for Resident { occupation, .. } in Town::default().residents() {
            assert!(occupation.branch.groups.contains(occupation.group));
            assert!(occupation.group.titles.contains(&occupation.title));
            *count.entry(occupation.group.name).or_default() += 1;
            *count.entry(occupation.title).or_default() += 1;
        }
        let agrees = |name: &str, levels: &[&str]| {
            let counts: Vec<_> = levels.iter().map(|level| count.get(level).copied().unwrap_or(0)).collect();
            let shares: Vec<_> =
                (0..levels.len()).map(|rank| truth::share_of_rank(rank, levels.len())).collect();
            let z = surprise(&counts, &shares);
            assert!(z < REJECT, "{name}: {counts:?}, z = {z}");
        };
        occupations::groups().for_each(|group| agrees(group.name, group.titles));
        for branch in &BRANCHES {
            agrees(branch.name, &branch.groups.iter().map(|group| group.name).collect::<Vec<_>>());
        }
        assert!(occupations::titles().filter(|title| count.contains_key(title)).count() >= 200);
    }

    #[test]
    fn rare_levels_have_a_handful_of_people() {
        let people: Vec<Resident> = Town::default().residents().collect();
        let counts: [usize; 8] = tally(people.iter(), |one| one.disability as usize);
        let none = counts[Disability::None as usize] as f64 / people.len() as f64;
        assert!((0.85..0.97).contains(&none), "{none}");
        assert!((1..=15).contains(&counts[Disability::Deafblind as usize]), "{counts:?}");
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }

    #[test]
    fn what_cannot_be_never_is() {
        for one in Town::new(50_000, 3).residents() {
            assert!(one.age >= 16 || one.marital == Marital::Single);
            assert!(one.age >= 16 || one.occupation.branch == &NOT_IN_PAID_WORK);
            assert_eq!(one.married_on.is_none(), one.marital == Marital::Single);
            assert_eq!(one.income == Income::NotApplicable, !truth::has_income(one.activity));
        }
    }

    /// Weddings by eighth of the span (error rate 10⁻⁴), and P(Saturday) = 0.7 + 0.3 / 7, |z| < 4 (6·10⁻⁵).
    /// Below 25 a week is too much of the span for the eighths to be exact.
    #[test]
    fn weddings_agree_with_the_truth() {
        let weddings: Vec<Resident> =
            Town::default().residents().filter(|one| one.age >= 25 && one.married_on.is_some()).collect();
        let eighth = |one: &Resident| {
            let start = Date::CENSUS.days - truth::days_since_16_and_a_half(one.age) as i32;
            (8 * (one.married_on.unwrap().days - start).max(0) as u32 / truth::wedding_span(one.age)) as usize
        };
        let counts: [usize; 8] = tally(weddings.iter(), eighth);
        let by = |eighths: u32| truth::wedding_within(eighths * 1095, 60);
        let shares: Vec<f64> = (0..8).map(|k| by(k + 1) - by(k)).collect();
        assert!(surprise(&counts, &shares) < REJECT, "{counts:?}");
        let (n, p) = (weddings.len() as f64, 0.7 + 0.3 / 7.0);
        let saturdays =
            weddings.iter().filter(|one| one.married_on.unwrap().is_saturday()).count() as f64 / n;
        assert!((saturdays - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(), "{saturdays}");
    }

    /// Standardised heights and log weights have mean 0 and variance 1, each within 4 standard errors
    /// (error rate 6·10⁻⁵); rounding adds less than 1/12 of a squared step to the variance.
    #[test]
    fn bodies_agree_with_the_truth() {
        let people: Vec<Resident> = Town::default().residents().filter(|one| one.age >= 18).collect();
        let height = |one: &Resident| {
            let mean = truth::mean_height(one.sex, one.age);
            (f64::from(one.height) - mean) / (truth::HEIGHT_SIGMA * mean)
        };
        let weight = |one: &Resident| {
            let median = truth::median_weight(one.age, one.height);
            (f64::from(one.weight_tenths) / 10.0 / median).ln() / truth::LOG_WEIGHT_SIGMA
        };
        let n = people.len() as f64;
        for standardised in [&height as &dyn Fn(&Resident) -> f64, &weight] {
            let mean = people.iter().map(standardised).sum::<f64>() / n;
            let variance = people.iter().map(|one| standardised(one).powi(2)).sum::<f64>() / n;
            assert!(mean.abs() < 4.0 / n.sqrt(), "mean {mean}");
            assert!((variance - 1.0).abs() < 4.0 * (1.9 / n).sqrt(), "variance {variance}");
        }
    }

    #[test]
    fn bmi_is_its_formula_and_never_a_tie() {
        let mut moved = 0;
        for one in Town::new(50_000, 3).residents() {
            let tenfold = f64::from(one.weight_tenths) / (f64::from(one.height) / 100.0).powi(2);
            assert!((tenfold.fract() - 0.5).abs() > 1e-6, "{one:?}");
            assert_eq!(f64::from(one.bmi_tenths()), tenfold.round());
            moved += u32::from(one.weight_tenths % 5 != 0);
        }
        assert!(moved > 0, "no tie came up, so this proves nothing");
    }
}
