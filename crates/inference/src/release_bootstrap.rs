//! The bootstrap of a whole release: records redrawn, released again, analysed again.
//!
//! The pooled synthetic files stand for the population. Each replicate draws N records from them with replacement, releases these in the way the
//! files were released (the same recipe, budget and number of files; noise from a test seed, since nobody's privacy is at stake in synthetic records), and
//! computes the estimate q* with its variance T*. Sampling, privacy noise and synthesis are thus all in the scatter of q*.
//!
//! - [`basic`]: the interval q̄ − (q* − q)_(1−α/2) to q̄ − (q* − q)_(α/2), q the estimate of the pooled files (Davison & Hinkley 1997, section 5.2). It allows for
//!   the bias that one more release adds, which is less than that of the first: the pooled files have it already.
//! - `studentised`: the bootstrap-t of Efron & Tibshirani (1993), as Jackson et al. (2022) propose where T_s has no known reference distribution:
//!   quantiles of (q* − q)/√T* take the place of those of the normal or t distribution.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;
use rayon::prelude::*;
use synthesis::randomness::Seed;
use synthesis::{Recipe, Run, SynthesisError, fit};
use table::watch::{Step, Watch};
use table::{Table, TableError};

use crate::interval::{Interval, Level};
use crate::{InferenceError, Target};

/// How often, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// The number of replicates.
    pub replicates: usize,
    /// The seed.
    pub seed: u64,
}

/// The fewest replicates that give an interval.
pub(crate) const FEWEST_REPLICATES: usize = 50;

/// The largest share of replicates that may fail to give a quantity.
const MOST_FAILED: f64 = 0.1;

/// How files are made of records again.
#[derive(Clone, Debug)]
pub enum Redraw {
    /// By the recipe.
    Recipe(Box<Recipe>),
    /// By resampling with replacement, which is what T_s supposes of synthesis.
    Resample,
}

/// An estimate of a replicate, its variance, and what the redrawn records themselves say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replicate {
    /// q*.
    pub estimate: f64,
    /// T*.
    pub variance: f64,
    /// The estimate of the redrawn original records, where the target is that.
    pub original: Option<f64>,
}

/// The replicates of every quantity, by name.
pub type Replicates = BTreeMap<String, Vec<Replicate>>;

/// What is bootstrapped.
pub struct Bootstrap<'a> {
    /// All synthetic records.
    pub pooled: &'a Table,
    /// N.
    pub original_rows: u64,
    /// The sizes of the files.
    pub sizes: &'a [usize],
    /// How they are made.
    pub redraw: &'a Redraw,
    /// How often, and from which seed.
    pub resampling: Resampling,
}

impl Bootstrap<'_> {
    /// Redraws and releases the records many times. `analyse` is given the files of a replicate and the records they were made of. `watch` hears of every release, and can end the work.
    ///
    /// A replicate that cannot be released is an error of its own.
    pub fn replicates<T: Send>(
        &self,
        watch: &Watch,
        analyse: impl Fn(&[Table], &Table) -> T + Sync,
    ) -> Result<Vec<Result<T, InferenceError>>, InferenceError> {
        let Resampling { replicates, seed } = self.resampling;
        if replicates < FEWEST_REPLICATES {
            let message = format!("must be at least {FEWEST_REPLICATES}; 1000 is usual for a 95 % interval");
            return Err(InferenceError::Option { option: "the number of replicates", message });
        }
        let population = without_label(self.pooled, self.redraw)?;
        let done = AtomicUsize::new(0);
        let one = |number: usize| {
            if watch.check().is_err() {
                return Err(InferenceError::Table(TableError::Cancelled));
            }
            let seed = Seed::new(seed).child(number as u64);
            let original = self.draw(&population, self.original_rows as usize, seed.child(0))?;
            let files = self.release(&original, seed)?;
            let found = analyse(&files, &original);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            watch.report(Step::Running { done, of: replicates, kept: 0 });
            Ok(found)
        };
        let all = (0..replicates).into_par_iter().map(one).collect();
        watch.check()?;
        Ok(all)
    }

    fn draw(&self, from: &Table, rows: usize, seed: Seed) -> Result<Table, InferenceError> {
        let mut rng = seed.stream(0);
        let drawn: Vec<u32> = (0..rows).map(|_| rng.random_range(0..from.rows() as u32)).collect();
        Ok(from.take(&drawn)?)
    }

    fn release(&self, original: &Table, seed: Seed) -> Result<Vec<Table>, InferenceError> {
        let analysed = self.sizes.len() as u32;
        match self.redraw {
            Redraw::Resample => {
                let file = |(number, rows): (usize, &usize)| {
                    self.draw(original, *rows, seed.child(1 + number as u64))
                };
                self.sizes.iter().enumerate().map(file).collect()
            }
            Redraw::Recipe(recipe) => {
                let number = seed.child(1).stream(0).random::<u64>() >> 1;
                let mut recipe = recipe.as_ref().clone();
                recipe.after.label = None;
                // Where each file is paid for, the budget is shared among all that were released, also those that are not analysed.
                let fitted = fit(original, &Recipe { seed: None, ..recipe }, &Run::replayed(number))?;
                let tables = (0..analysed).map(|number| fitted.table(number));
                Ok(tables.collect::<Result<_, SynthesisError>>()?)
            }
        }
    }
}

/// The replicates of every quantity. One that could not be released or analysed is left out; if none could, the first refusal is returned.
pub(crate) fn by_name(
    replicates: impl Iterator<Item = Result<Vec<(String, Replicate)>, InferenceError>>,
) -> Result<Replicates, InferenceError> {
    let mut all = Replicates::new();
    let mut first_refusal = None;
    for result in replicates {
        match result {
            Ok(estimates) => {
                estimates.into_iter().for_each(|(name, one)| all.entry(name).or_default().push(one))
            }
            Err(error) => first_refusal = first_refusal.or(Some(error)),
        }
    }
    match first_refusal {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}

/// The records without the column that a label of the recipe made.
fn without_label(table: &Table, redraw: &Redraw) -> Result<Table, InferenceError> {
    match redraw {
        Redraw::Recipe(recipe) if recipe.after.label.is_some() => {
            let names: Vec<&str> = table
                .schema()
                .variables()
                .iter()
                .map(|variable| variable.name.as_str())
                .filter(|name| *name != "flag")
                .collect();
            Ok(table.select(&names)?)
        }
        _ => Ok(table.clone()),
    }
}

/// What a bootstrap says of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapInterval {
    /// The interval.
    pub interval: Interval,
    /// The standard deviation of q* − q.
    pub standard_error: f64,
    /// The mean of q* − q.
    pub bias: f64,
    /// Replicates that gave the quantity.
    pub replicates: usize,
}

/// The basic interval; `truth` is the estimate of the pooled files.
pub fn basic(
    estimate: f64,
    truth: f64,
    replicates: &[Replicate],
    asked: usize,
    target: Target,
    level: Level,
) -> Result<BootstrapInterval, String> {
    let errors = errors(truth, replicates, asked, target)?;
    let (low, high) = tails(&errors, level);
    Ok(described(Interval { low: estimate - high, high: estimate - low }, &errors))
}

/// How far apart two ways are to take the bias off an estimate q that one more release moves by b: as a difference, q − b, and as a ratio, q²/(q + b), which are b²/(q + b) apart. The first release was off too, by as much
/// or in the same proportion; where these differ by much nothing tells which it was. Nothing where q is not clear of zero, and a proportion has no meaning.
pub(crate) fn undone_apart(truth: f64, found: &BootstrapInterval) -> Option<f64> {
    let again = truth + found.bias;
    let is_clear = truth.abs() > CLEAR * found.standard_error;
    match again * truth > 0.0 {
        _ if !is_clear => None,
        true => Some((found.bias * found.bias / again).abs() / found.standard_error),
        // One more release turns its sign.
        false => Some(f64::INFINITY),
    }
}

/// An estimate is clear of zero by so many standard errors.
const CLEAR: f64 = 3.0;

/// The bootstrap-t interval; `variance` is T of the files themselves.
pub(crate) fn studentised(
    estimate: f64,
    variance: f64,
    truth: f64,
    replicates: &[Replicate],
    asked: usize,
    target: Target,
    level: Level,
) -> Result<BootstrapInterval, String> {
    let errors = errors(truth, replicates, asked, target)?;
    if replicates.iter().any(|one| one.variance <= 0.0) {
        return Err("a replicate has no variance; more records or fewer classes are needed".into());
    }
    let ratios: Vec<f64> =
        errors.iter().zip(replicates).map(|(error, one)| error / one.variance.sqrt()).collect();
    let ((low, high), error) = (tails(&ratios, level), variance.sqrt());
    Ok(described(Interval { low: estimate - high * error, high: estimate - low * error }, &errors))
}

fn errors(truth: f64, replicates: &[Replicate], asked: usize, target: Target) -> Result<Vec<f64>, String> {
    let failed = asked - replicates.len();
    if failed as f64 > MOST_FAILED * asked as f64 {
        return Err(format!("{failed} of {asked} bootstrap replicates could not give it"));
    }
    let error = |one: &Replicate| match target {
        Target::Population => Some(one.estimate - truth),
        Target::Original => one.original.map(|original| one.estimate - original),
    };
    replicates
        .iter()
        .map(error)
        .collect::<Option<Vec<f64>>>()
        .ok_or_else(|| "the redrawn records of a replicate could not give it".to_owned())
}

fn described(interval: Interval, errors: &[f64]) -> BootstrapInterval {
    let n = errors.len() as f64;
    let bias = errors.iter().sum::<f64>() / n;
    let squares: f64 = errors.iter().map(|error| (error - bias).powi(2)).sum();
    BootstrapInterval {
        interval,
        standard_error: (squares / (n - 1.0)).sqrt(),
        bias,
        replicates: errors.len(),
    }
}

/// The quantiles of both tails, at the order statistics (R + 1) α/2 (Davison & Hinkley 1997, section 2.2.1).
fn tails(values: &[f64], level: Level) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len() - 1;
    let place = ((sorted.len() + 1) as f64 * level.tail()).round() as usize;
    let place = place.clamp(1, sorted.len()) - 1;
    (sorted[place.min(last)], sorted[last - place.min(last)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicate(estimate: f64, variance: f64) -> Replicate {
        Replicate { estimate, variance, original: Some(0.0) }
    }

    #[test]
    fn intervals_by_hand() {
        // 99 replicates 1 … 99 around a truth of 40: at 90 % the order statistics 5 and 95, errors −35 and 55.
        let replicates: Vec<Replicate> = (1..=99).map(|value| replicate(f64::from(value), 4.0)).collect();
        let level = Level::new(0.9).unwrap();
        let found = basic(50.0, 40.0, &replicates, 99, Target::Population, level).unwrap();
        assert_eq!((found.interval.low, found.interval.high), (-5.0, 85.0));
        assert_eq!((found.bias, found.replicates), (10.0, 99));
        assert!((found.standard_error - 825.0_f64.sqrt()).abs() < 1e-9);
        // Studentised: errors halved by √T* = 2, then times √9 = 3.
        let found = studentised(50.0, 9.0, 40.0, &replicates, 99, Target::Population, level).unwrap();
        assert_eq!((found.interval.low, found.interval.high), (50.0 - 82.5, 50.0 + 52.5));
        let original = basic(50.0, 40.0, &replicates, 99, Target::Original, level).unwrap();
        assert_eq!((original.interval.low, original.interval.high), (-45.0, 45.0));
    }

    #[test]
    fn two_ways_to_take_a_bias_off_by_hand() {
        let found = |bias: f64| BootstrapInterval {
            interval: Interval { low: 0.0, high: 1.0 },
            standard_error: 0.02,
            bias,
            replicates: 99,
        };
        // 0.4 becomes 0.3: 0.5 by difference, 0.4²/0.3 = 0.5333 by ratio, 1.67 standard errors apart.
        assert!((undone_apart(0.4, &found(-0.1)).unwrap() - 5.0 / 3.0).abs() < 1e-9);
        assert!((undone_apart(-0.4, &found(0.1)).unwrap() - 5.0 / 3.0).abs() < 1e-9);
        assert!(undone_apart(0.4, &found(-0.01)).unwrap() < 0.02);
        assert_eq!(undone_apart(0.4, &found(-0.5)), Some(f64::INFINITY));
        assert_eq!(undone_apart(0.05, &found(-0.04)), None, "not clear of zero");
    }

    #[test]
    fn too_many_failures_are_no_interval() {
        let some: Vec<Replicate> = (0..89).map(|value| replicate(f64::from(value), 1.0)).collect();
        let refused = basic(0.0, 0.0, &some, 100, Target::Population, Level::USUAL).unwrap_err();
        assert!(refused.contains("11 of 100"), "{refused}");
        let without_variance = vec![replicate(1.0, 0.0); 60];
        assert!(studentised(0.0, 1.0, 0.0, &without_variance, 60, Target::Population, Level::USUAL).is_err());
    }
}
