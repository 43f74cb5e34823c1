//! Much Seeming: an invented town by the sea, for demonstrations and for tests that need a known truth.
//!
//! Nobody lives there. Every record is drawn from the probabilities in [`truth`], so a test can compare what a method
//! recovered with what was put in, instead of with another estimate. One [`Town`] gives the same bytes on any machine:
//! the draws come from one ChaCha stream and use integers, or the four basic operations on doubles.
//!
//! # How a resident comes about
//!
//! The variables are drawn in this order, each from the ones after the bar alone (a number is a threshold of age):
//!
//! ```text
//!  1  age                            ten bands, uniform within a band                    truth::age_probability
//!  2  sex        | age                                                                   truth::women_given_age
//!  3  district   | age (45)          younger people live in New Fields                   truth::district_given_age
//!  4  education  | age               ordered                                             truth::education_given_age
//!  5  marital    | age               nobody under 16 is anything but single              truth::marital_given_age
//!  6  married_on | age, marital      empty when single; often a Saturday                 truth::wedding_within
//!     activity   | age               at school, in work, retired …: not a column, but    truth::activity_given_age
//!                                    occ2 tells it for those who are not in paid work
//!  7  occ1       | activity, education, sex                                              truth::branch_given
//!  8  occ2       | occ1 (activity for those not in paid work)                            truth::share_of_rank
//!  9  occ3       | occ2                                                                  truth::share_of_rank
//! 10  income     | sex, age, education, occ1      log-linear, heaped; -8 for children    truth::mean_log_income
//!     is missing | age (65), in paid work or not                                truth::income_missing_probability
//! 11  disability | age (65)          `None` is a value: no disability                    truth::disability_given_age
//! 12  hsize      | age (16, 25, 45, 65), married or not                                  truth::household_size_given
//!                                    nobody who is married or under 16 lives alone
//! 13  rooms      | hsize, district   binomial; empty for 3 in 100                        truth::rooms_given
//! 14  pperroom   = round(hsize / rooms, 3)    empty where rooms is
//! ```
//!
//! Everything not linked by this graph is independent: district and education, say, given the age.
//!
//! ```
//! let town = town::Town::new(3, 7);
//! assert_eq!(town.residents().count(), 3);
//! assert!(town.csv().starts_with("sex,age,district,"));
//! assert!(town.schema().contains("within = \"occ1\""));
//! ```

mod calendar;
mod csv;
mod draw;
#[cfg(test)]
mod goodness_of_fit;
mod income;
mod levels;
pub mod occupations;
mod resident;
mod schema;
pub mod truth;

pub use calendar::Date;
pub use income::Income;
pub use levels::{Activity, Disability, District, Education, Marital, Sex};
pub use resident::Resident;

/// The fourteen variables, in the order of the columns.
pub const VARIABLES: [&str; 14] = [
    "sex",
    "age",
    "district",
    "marital",
    "married_on",
    "education",
    "occ1",
    "occ2",
    "occ3",
    "income",
    "disability",
    "hsize",
    "rooms",
    "pperroom",
];

/// How many people live in the town, and the seed that says which.
///
/// The people of a smaller town are the first ones of a larger town with the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Town {
    /// The number of residents, one record each.
    pub people: usize,
    /// The key of the random stream.
    pub seed: u64,
}

impl Default for Town {
    /// Much Seeming itself: 20,000 people.
    fn default() -> Self {
        Self::new(20_000, 14)
    }
}

impl Town {
    /// A town of this many people.
    pub fn new(people: usize, seed: u64) -> Self {
        Self { people, seed }
    }

    /// The residents, one after the other.
    pub fn residents(&self) -> impl Iterator<Item = Resident> + use<> {
        let mut rng = draw::stream(self.seed);
        (0..self.people).map(move |_| Resident::draw(&mut rng))
    }

    /// The table as CSV: a header and a line for each resident, quoted as RFC 4180 has it, empty where missing.
    pub fn csv(&self) -> String {
        csv::write(self.residents())
    }

    /// The code book as the text of a `*.schema.toml` file. It says nothing about who was drawn.
    pub fn schema(&self) -> String {
        schema::write()
    }
}
