//! Which columns name units: persons, households, cases, accounts.
//!
//! Such a column says nothing of a population and everything of its members, so nobody wants it modelled: it is taken for an identifier
//! unless a schema says otherwise. A wrong guess costs in both directions, so that every rule rests on what measurements do not do.
//! With n values present, d of them different, on R possible whole numbers between the smallest and the largest one (in steps of their
//! greatest common divisor):
//!
//! 1. **Whole numbers that are more different than chance allows.** Whatever the distribution of independent values on R numbers, the
//!    expected number of different ones is at most that of even draws, R(1 − e^(−n/R)) (the function is concave in each probability).
//!    So n values fall short of the most that could differ, min(n, R), by at least L₀ = min(n, R) − R(1 − e^(−n/R)) on average. Unit numbers
//!    fall short by L ≈ 0: they were given out one after the other. The rule is L₀ ≥ 8 and L ≤ L₀/4: 1 … n from 22 records on, 50,000
//!    person numbers among 500,000, 6,000 household numbers in 15,000 records. Ages and incomes, however fine, coincide at least as often
//!    as even draws do, so 1,000 incomes among 100,000 possible ones are not taken for numbers of people. Numbers that repeat are asked
//!    for 1,000 different ones or a telling name, for designs are even too (every week of the year at five sites).
//! 2. **Long numbers.** Where R is huge, chance would not make values coincide either. But measurements spread over orders of
//!    magnitude and are rounded, while account numbers have one width and any last digit. The rule is one width of at least 9
//!    digits (6 under a telling name), not all ending in zero.
//! 3. **Numbers under a telling name** (`id`, `case_no`, `household`) that are many, at least 100 and a twentieth of the records,
//!    and used evenly: their pairs of equal values are at most twice as many as if all d were used alike.
//! 4. **Texts of their own.** More than half of the records have a text that nobody else has: names, addresses, free answers.
//! 5. **Texts of one pattern**, such as 13:157:1 or AB-0012: 19 of 20 have the same sequence of runs of digits, letters and separators, they
//!    are many (at least 100, and a tenth of the records), used evenly, and no short codes of a classification (three runs or six
//!    characters at least). Occupations, diagnoses and postcodes fail the second or third.
//! 6. **Pointers.** All values of a column with 20 different ones at least occur in an identifier. Among numbers that fill their range, as 1 … n
//!    do, being contained is no evidence, since ages are too: there the column must also reach from end to end and spread evenly
//!    (Kolmogorov–Smirnov distance to even ranks below 0.2), over 1,000 numbers, or have a telling name and reach a tenth of both ends.
//!
//! Years, dates written as numbers, and seconds since 1970 under a name that speaks of time are exempt from 1 and 2; texts that are
//! numbers, dates or times of day from 5. Names help and never decide: rules 1, 2, 4, 5 and 6 need none, and 3 needs numbers as well. Fewer than 20
//! values present are too few to judge.

mod names;
mod pattern;
mod tally;

use crate::Column;
use crate::figures::thousands;
use crate::schema::Variable;
use names::{is_telling, speaks_of_time};
pub(crate) use pattern::WIDEST;
pub use pattern::{Look, Run, RunClass};
pub(crate) use tally::Tally;

/// Fewer values are too few to judge.
const FEWEST_VALUES: u64 = 20;

/// The least shortfall of different values that chance must cause before its absence says anything.
const LEAST_SHORTFALL: f64 = 8.0;

/// Numbers that repeat are unit numbers without a telling name from this many on.
const MANY: u64 = 1000;

/// Why a column is thought to name units.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Nearly all values differ.
    Different {
        /// Whether they are whole numbers.
        whole: bool,
        /// How many differ.
        values: u64,
        /// How many records have one.
        records: u64,
    },
    /// They repeat, but look or spread as numbers of units do.
    Repeated {
        /// Whether they are whole numbers.
        whole: bool,
        /// How many differ.
        values: u64,
        /// How many records have one.
        records: u64,
    },
    /// Texts of several words, most of them in one record each.
    FreeText {
        /// How many differ.
        values: u64,
        /// How many records have one.
        records: u64,
    },
    /// All values occur in another identifier.
    PointsTo(String),
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let noun = |whole: bool| if whole { "whole numbers" } else { "texts" };
        match self {
            Self::Different { whole, values, records } => {
                let (values, records) = (thousands(*values), thousands(*records));
                write!(f, "names units: {values} different {} in {records} records", noun(*whole))
            }
            Self::Repeated { whole, values, records } => {
                let (values, records) = (thousands(*values), thousands(*records));
                let look = if *whole { "numbered like units" } else { "of one pattern" };
                write!(f, "names units: {values} different {}, {look}, in {records} records", noun(*whole))
            }
            Self::FreeText { values, records } => {
                let (values, records) = (thousands(*values), thousands(*records));
                write!(f, "free text: {values} different texts in {records} records")
            }
            Self::PointsTo(target) => write!(f, "points to `{target}`: every value occurs there"),
        }
    }
}

/// For each column, why it is thought to name units; `None` where it is not.
pub fn find(variables: &[Variable], columns: &[Column]) -> Vec<Option<Evidence>> {
    use rayon::prelude::*;
    let tallies: Vec<Option<Tally>> = variables
        .par_iter()
        .zip(columns)
        .map(|(variable, column)| if variable.formula.is_some() { None } else { Tally::of(variable, column) })
        .collect();
    judged(variables, &tallies)
}

/// The same from the different values of the columns.
pub(crate) fn judged(variables: &[Variable], tallies: &[Option<Tally>]) -> Vec<Option<Evidence>> {
    use rayon::prelude::*;
    let judged = variables.par_iter().zip(tallies).map(|(variable, tally)| match tally {
        Some(tally) if tally.is_whole() => of_numbers(&variable.name, tally),
        Some(tally) => of_texts(&variable.name, tally),
        None => None,
    });
    let mut found: Vec<Option<Evidence>> = judged.collect();
    let own = found.clone();
    for (position, tally) in tallies.iter().enumerate() {
        let Some(tally) = tally else { continue };
        let target = (0..tallies.len()).find(|other| {
            let candidate = tallies[*other].as_ref().filter(|_| *other != position && own[*other].is_some());
            candidate.is_some_and(|candidate| {
                // Of two columns with the same values, the later one points to the earlier.
                let is_first = tally.different() < candidate.different() || *other < position;
                is_first && points_to(&variables[position].name, tally, candidate)
            })
        });
        if let Some(target) = target {
            found[position] = Some(Evidence::PointsTo(variables[target].name.clone()));
        }
    }
    // A pointer to a pointer points to what that one does.
    for position in 0..found.len() {
        let mut seen = vec![variables[position].name.clone()];
        while let Some(Evidence::PointsTo(target)) = &found[position] {
            let next = variables.iter().position(|variable| variable.name == *target);
            match next.and_then(|next| found[next].clone()) {
                Some(Evidence::PointsTo(further)) if !seen.contains(&further) => {
                    seen.push(further.clone());
                    found[position] = Some(Evidence::PointsTo(further));
                }
                _ => break,
            }
        }
    }
    found
}

fn of_numbers(name: &str, tally: &Tally) -> Option<Evidence> {
    let (n, d) = (tally.present(), tally.different());
    let (low, high) = tally.extremes()?;
    if n < FEWEST_VALUES || d < FEWEST_VALUES || tally.most_frequent() * 10 > n {
        return None;
    }
    let telling = is_telling(name);
    if tally.is_calendar(telling) || (speaks_of_time(name) && is_seconds(low, high)) {
        return None;
    }
    let repeats = d * 100 < n * 95;
    let evidence = || {
        Some(if repeats {
            Evidence::Repeated { whole: true, values: d, records: n }
        } else {
            Evidence::Different { whole: true, values: d, records: n }
        })
    };
    let possible = (high as f64 - low as f64) / tally.step() as f64 + 1.0;
    let most = (n as f64).min(possible);
    let by_chance = most + possible * (-(n as f64) / possible).exp_m1();
    let shortfall = most - d as f64;
    if by_chance >= LEAST_SHORTFALL
        && shortfall <= by_chance / 4.0
        && (!repeats || d >= MANY || (telling && d >= 30))
    {
        return evidence();
    }
    let least_width = if telling { 6 } else { 9 };
    let enough = if repeats && !telling { d >= 100 } else { d >= FEWEST_VALUES };
    let is_long = tally.width().is_some_and(|width| width >= least_width) && !tally.is_round();
    if is_long && enough && d * 10 >= n && tally.is_even(2.0) {
        return evidence();
    }
    if telling && d >= 100 && d * 20 >= n && tally.is_even(2.0) && !tally.is_round() {
        return evidence();
    }
    None
}

/// Whether numbers may count seconds or thousandths of them since 1970, from 1980 to 2040.
fn is_seconds(low: i64, high: i64) -> bool {
    let between = |from: i64, to: i64| low >= from && high <= to;
    between(315_532_800, 2_208_988_800) || between(315_532_800_000, 2_208_988_800_000)
}

fn of_texts(name: &str, tally: &Tally) -> Option<Evidence> {
    let (n, d) = (tally.present(), tally.different());
    if n < FEWEST_VALUES || d < FEWEST_VALUES {
        return None;
    }
    if 2 * tally.alone() > n {
        return Some(if tally.words() >= 3.0 {
            Evidence::FreeText { values: d, records: n }
        } else {
            Evidence::Different { whole: false, values: d, records: n }
        });
    }
    let telling = is_telling(name);
    let (least, share, evenness) = if telling { (30, 20, 4.0) } else { (100, 10, 2.0) };
    if d < least || d * share < n || !tally.is_even(evenness) || tally.reads_as_numbers_or_times() {
        return None;
    }
    let look = Look::of_most(&tally.texts(), 0.95)?;
    let is_code = look.runs_of_letters_and_digits() < 3 && look.mean_length() < 6.0;
    (look.has_digits() && (telling || !is_code)).then_some(Evidence::Repeated {
        whole: false,
        values: d,
        records: n,
    })
}

fn points_to(name: &str, tally: &Tally, target: &Tally) -> bool {
    let (n, d) = (tally.present(), tally.different());
    if !(tally.is_complete() && target.is_complete()) {
        return false;
    }
    if tally.is_whole() != target.is_whole() || n < FEWEST_VALUES || d < FEWEST_VALUES {
        return false;
    }
    if d > target.different() || !tally.is_within(target) {
        return false;
    }
    let Some((low, high)) = tally.extremes() else { return true };
    let ranks = tally.ranks_in(target);
    let (Some(first), Some(last)) = (ranks.first(), ranks.last()) else { return false };
    // How many of the numbers between its own extremes are in the target: the chance that a number there is one.
    let of_target = (last.0 - first.0 + 1) as f64;
    let density = of_target / (high as f64 - low as f64 + 1.0);
    if density < 0.9 && d as f64 * density.ln() < -14.0 {
        return true;
    }
    let all = target.different() as f64;
    let ends = (first.0 as f64 / all).max(1.0 - (last.0 + 1) as f64 / all);
    if is_telling(name) {
        return ends <= 0.1 && distance_to_even(&ranks, all) < 0.5;
    }
    target.different() >= MANY && d >= 100 && ends <= 20.0 / n as f64 && distance_to_even(&ranks, all) < 0.2
}

/// The Kolmogorov–Smirnov distance of ranks with their frequencies to ranks that all occur alike.
fn distance_to_even(ranks: &[(usize, u64)], all: f64) -> f64 {
    let n: u64 = ranks.iter().map(|(_, count)| count).sum();
    let mut below = 0;
    let mut distance: f64 = 0.0;
    for (rank, count) in ranks {
        let even = |rank: usize| rank as f64 / all;
        distance = distance.max((below as f64 / n as f64 - even(*rank)).abs());
        below += count;
        distance = distance.max((below as f64 / n as f64 - even(*rank + 1)).abs());
    }
    distance
}

#[cfg(test)]
mod tests;
