//! Tilting: a data set chosen out of more candidates, so that it keeps the two-way tables of the data.
//!
//! A generator that leaves weak associations out, as trees do, draws K candidates for every record. They are weighed by exponential tilting,
//!
//! ```text
//! w_r ∝ exp(θ · f(x_r)),   θ = argmin  N log Σ exp(θ · f(x_r)) − θ · t + ½ c |θ|²
//! ```
//!
//! with f the one-way and two-way tables of all variables in classes, low moments of numbers and products of moments, and t their sums over
//! the N records of the data. Without the ridge c this is the distribution nearest to the candidates' in Kullback and Leibler's sense that has
//! these tables (Csiszár 1975; raking, calibration: Deville & Särndal 1992); with it each is met up to o − e = c θ, which is nothing for a full cell and much
//! for a sparse one, so that noise is not learned. Then n are kept by systematic sampling with probabilities in proportion to w. Every record that is
//! released was drawn whole by the generator: rules, zeros, nesting and codes hold as before. Given the data a file is nearly a plain sample of the tilted distribution, which is
//! what the variance Tₛ of Raab, Nowok & Dibben (2016) assumes; it is not forced onto the tables of the data.
//!
//! θ is found on a pilot of candidates when the model is fitted, and goes on from there on the candidates of each data set, so that no noise of the
//! pilot is left, and a data set does not depend on how many others are drawn. Sums are formed block by block and added in order: the same bytes on any number of threads.
//!
//! **Copies.** A candidate that equals an original record which is unique there has weight 0 if `no_copies` says so. That none appears is itself not random.
//!
//! **Proper synthesis** aims at the tables of a Bayesian bootstrap of the records, another one for each data set. **Strata** keep their sizes.
//! **Kept variables** (partial synthesis): each record keeps one of its own candidates, with probabilities in proportion to their weights.

mod aim;
mod classes;
mod exponential;
mod keep;
mod pool;
mod settings;
mod weights;

use table::Table;

use self::aim::Aim;
use self::classes::Coding;
pub use self::settings::{CANDIDATES, Classes, NO_COPIES, TILT, TILT_CLASSES, TiltSettings};
use self::weights::{Fit, Weights};
use crate::copies::{self, Print};
use crate::key::Key;
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::{Model, SynthesisError};

/// Candidates of the pilot are half as many as those of a data set of N records, but not fewer and not more than these.
const PILOT: std::ops::RangeInclusive<usize> = 12_000..=40_000;

/// Data sets of few records are chosen out of at least this many candidates.
const FEWEST_CANDIDATES: usize = 10_000;

/// Sweeps over all features, on the pilot and on the candidates of a data set.
const PILOT_SWEEPS: usize = 4;
const SWEEPS: usize = 3;

/// Classes of a number, each of which lies in one of the five in which tables are judged; fewer where the effective share of the candidates falls below [`SHARE`] with more.
const FINE: usize = 10;
const COARSE: usize = 5;
const SHARE: f64 = 0.65;

/// Classes of a number where the effective share falls below [`LOW_SHARE`] even so.
const COARSEST: usize = 3;

/// Below this effective share there is a warning.
const LOW_SHARE: f64 = 0.4;

/// Where more than this share of the candidates repeats a unique record, as in a table of few cells, copies say little and are left in.
const MOST_COPIES: f64 = 0.5;

/// A model whose data sets are chosen out of more candidates.
pub(crate) struct Tilted {
    model: Box<dyn Model<Table>>,
    /// How many for each record, where that is given.
    candidates: Option<usize>,
    strata: Vec<String>,
    coding: Coding,
    aim: Aim,
    /// θ of the pilot; all zero where weights bring tables no nearer.
    theta: Vec<f64>,
    /// Of the original records that are unique, what tells them apart, if copies get no weight; ascending.
    uniques: Option<Vec<Print>>,
    remarks: Vec<String>,
}

impl Tilted {
    /// Tilts a model that was fitted to these records, in strata or not.
    pub(crate) fn fit(
        model: Box<dyn Model<Table>>,
        settings: &TiltSettings,
        strata: &[String],
        records: &Table,
        seed: Seed,
    ) -> Result<Self, SynthesisError> {
        let rows = records.rows();
        let each = settings.candidates(rows);
        let size = (rows * each / 2).clamp(*PILOT.start(), *PILOT.end());
        let pilot = if model.keeps_values() {
            model.candidates(rows, size.div_ceil(rows).min(each), seed.child(0))?
        } else {
            model.sample(size, seed.child(0))?
        };
        let names: Vec<&str> =
            pilot.schema().variables().iter().map(|variable| variable.name.as_str()).collect();
        let uniques = settings.no_copies.then(|| copies::unique_of(records, pilot.schema())).transpose()?;
        let records = records.select(&names)?;
        let mut remarks = Vec::new();
        let is_copy = copied(&pilot, uniques.as_deref())?;
        let share = is_copy.iter().filter(|is_copy| **is_copy).count() as f64 / pilot.rows() as f64;
        let (uniques, is_copy) = if share > MOST_COPIES {
            remarks.push(format!(
                "{:.0} % of the candidates equal a record of the data that is unique there, as in a table of few combinations: they are not left out (no_copies)",
                100.0 * share
            ));
            (None, vec![false; pilot.rows()])
        } else {
            (uniques, is_copy)
        };
        let attempt = |classes: usize| {
            let coding = Coding::learn(&records, classes);
            let original = coding.encode(&records);
            let aim = Aim::of(original, settings.proper);
            let pool = coding.encode(&pilot);
            let mut weights = Weights::new(&pool, aim.features(), &is_copy, each as f64);
            let mut fit = Fit::new(aim.targets(None), vec![0.0; aim.features().coefficients()]);
            let before = weights.distances(&fit);
            weights.sweep(&mut fit, PILOT_SWEEPS);
            let after = weights.distances(&fit);
            let diagnostics = Diagnostics {
                share: weights.effective_share(),
                capped: weights.capped_share(),
                before: Distance::of(&before),
                after: Distance::of(&after),
                worst: aim
                    .features()
                    .worst_pair(&after)
                    .map(|(left, right)| (names[left].into(), names[right].into())),
                classes,
            };
            let Fit { theta, targets } = fit;
            drop(targets);
            (coding, aim, theta, diagnostics)
        };
        let (coding, aim, theta, diagnostics) = match settings.classes {
            Classes::Number(classes) => attempt(classes),
            Classes::Auto => {
                let mut chosen = attempt(FINE);
                for (classes, enough) in [(COARSE, SHARE), (COARSEST, LOW_SHARE)] {
                    if chosen.3.share < enough {
                        chosen = attempt(classes);
                    }
                }
                chosen
            }
        };
        // In a wide table of few records weights can cost more than they mend.
        let helps = settings.classes != Classes::Auto || diagnostics.after.mean < diagnostics.before.mean;
        let theta = if helps { theta } else { vec![0.0; theta.len()] };
        if helps {
            remarks.push(diagnostics.remark(each, uniques.is_some().then_some(share)));
        } else {
            remarks.push(format!(
                "records are kept as they were drawn: to choose them out of {} candidates brings two-way tables no nearer to the data's (chi-square by degrees of freedom of pairs {:.2} \
                 before, {:.2} after)",
                each, diagnostics.before.mean, diagnostics.after.mean
            ));
        }
        if helps && diagnostics.share < LOW_SHARE {
            remarks.push(format!(
                "the effective share of the candidates is {:.2}, below {LOW_SHARE}: the model is far from the data, or `tilt_classes` are too many",
                diagnostics.share
            ));
        }
        let strata = strata.to_vec();
        Ok(Self { model, candidates: settings.candidates, strata, coding, aim, theta, uniques, remarks })
    }

    /// A tilted model from its stored state, of which the model itself has been read.
    pub(crate) fn load(
        model: Box<dyn Model<Table>>,
        settings: &TiltSettings,
        strata: &[String],
        from: &mut StateReader<'_>,
        context: StateContext<'_>,
    ) -> Result<Self, SynthesisError> {
        let (remarks, has_uniques): (Vec<String>, bool) = from.settings("tilt")?;
        let words: Vec<u64> = from.array("unique records")?;
        let prints: Vec<Print> = words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        ensure(words.len().is_multiple_of(2) && prints.is_sorted(), "its unique records are not in order")?;
        let coding = Coding::load(from, context.schema)?;
        let aim = Aim::load(from, &coding, context.records, settings.proper)?;
        let theta: Vec<f64> = from.array("theta")?;
        ensure(
            theta.len() == aim.features().coefficients() && theta.iter().all(|theta| theta.abs() < 1e3),
            "the weights of its candidates are not those of its tables",
        )?;
        Ok(Self {
            model,
            candidates: settings.candidates,
            strata: strata.to_vec(),
            coding,
            aim,
            theta,
            uniques: has_uniques.then_some(prints),
            remarks,
        })
    }

    /// The cell of its strata that each candidate is in.
    fn strata_of(&self, candidates: &Table) -> Result<Vec<Vec<u64>>, SynthesisError> {
        let variables = candidates.schema().variables();
        let keys =
            self.strata.iter().map(|text| Key::parse(text, variables)).collect::<Result<Vec<_>, _>>()?;
        let cell = |row: usize| {
            let record = candidates.record(row);
            keys.iter().map(|key| key.of(&record)).collect()
        };
        Ok((0..candidates.rows()).map(cell).collect())
    }
}

impl Model<Table> for Tilted {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        let keeps_values = self.model.keeps_values();
        let each = settings::candidates(self.candidates, rows);
        let each = if keeps_values { each } else { each.max(FEWEST_CANDIDATES.div_ceil(rows.max(1))) };
        if (rows as u64) * (each as u64) > u64::from(u32::MAX) {
            let message = format!(
                "{each} candidates for each of {rows} records are more than {}; take fewer, or `tilt = false`",
                u32::MAX
            );
            return Err(SynthesisError::option("candidates", message));
        }
        let candidates = self.model.candidates(rows, each, seed.child(0))?;
        let is_copy = copied(&candidates, self.uniques.as_deref())?;
        let pool = self.coding.encode(&candidates);
        let mut fit = Fit::new(self.aim.targets(Some(seed.child(1))), self.theta.clone());
        let mut weights = Weights::new(&pool, self.aim.features(), &is_copy, each as f64);
        if self.theta.iter().any(|theta| *theta != 0.0) {
            weights.tilt(&fit);
            weights.sweep(&mut fit, SWEEPS);
        }
        let weights = weights.into_weights();
        let seed = seed.child(2);
        let kept = if keeps_values {
            keep::one_of_each(&weights, rows, seed)
        } else if self.strata.is_empty() {
            keep::systematic(&weights, rows, &mut seed.stream(0))?
        } else {
            keep::within_strata(&weights, rows, &self.strata_of(&candidates)?, seed)?
        };
        drop(pool);
        Ok(candidates.take(&kept)?)
    }

    fn remarks(&self) -> Vec<String> {
        self.model.remarks().into_iter().chain(self.remarks.iter().cloned()).collect()
    }

    fn refuses_saving(&self) -> Option<&'static str> {
        self.model.refuses_saving()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.model.store(into)?;
        into.settings("tilt", &(&self.remarks, self.uniques.is_some()))?;
        let uniques = self.uniques.as_deref().unwrap_or_default();
        into.numbers(
            "unique records",
            2 * uniques.len(),
            uniques.iter().flat_map(|(left, right)| [*left, *right]),
        )?;
        self.coding.store(into)?;
        self.aim.store(into)?;
        into.array("theta", &self.theta)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some(
            "values of the original records, from which synthetic ones are drawn, and the exact two-way tables towards which they are weighed",
        )
    }
}

/// Which candidates equal one of these unique records.
fn copied(candidates: &Table, uniques: Option<&[Print]>) -> Result<Vec<bool>, SynthesisError> {
    match uniques {
        None => Ok(vec![false; candidates.rows()]),
        Some(uniques) => copies::are_among(candidates, uniques),
    }
}

/// What the pilot says of the tilting.
struct Diagnostics {
    share: f64,
    capped: f64,
    before: Distance,
    after: Distance,
    /// The pair that is furthest from the data's afterwards.
    worst: Option<(String, String)>,
    classes: usize,
}

/// χ² over its degrees of freedom of all pairs: mean and largest.
struct Distance {
    mean: f64,
    worst: f64,
}

impl Distance {
    fn of(pairs: &[f64]) -> Self {
        let mean = pairs.iter().fold(0.0, |sum, pair| sum + pair) / pairs.len().max(1) as f64;
        Self { mean, worst: pairs.iter().copied().fold(0.0, f64::max) }
    }
}

impl Diagnostics {
    /// What there is to say; `copies` is the share of the candidates that are copies, where these are never kept.
    fn remark(&self, candidates: usize, copies: Option<f64>) -> String {
        let worst =
            self.worst.as_ref().map_or_else(String::new, |(left, right)| format!(", {left} by {right}"));
        let copies = copies.map_or_else(String::new, |share| {
            format!(
                "; {:.2} % of the candidates repeat a unique record of the data and are never kept",
                100.0 * share
            )
        });
        format!(
            "one of {candidates} candidates is kept for each record, so that two-way tables are the data's (numbers in {} classes, effective share {:.2}, {:.1} % at the cap; chi-square by \
             degrees of freedom of pairs {:.2}, worst {:.1}, before and {:.2}, worst {:.1}{worst}, after){copies}",
            self.classes,
            self.share,
            100.0 * self.capped,
            self.before.mean,
            self.before.worst,
            self.after.mean,
            self.after.worst,
        )
    }
}

/// What drawing and weighing the candidates for `rows` records takes beside the fit, for records like these: CPU seconds and bytes.
pub(crate) fn estimate(settings: &TiltSettings, records: &Table, rows: u64) -> (f64, u64) {
    let variables = records.columns().len() as f64;
    let candidates = (rows as f64 * settings.candidates(rows as usize) as f64).max(FEWEST_CANDIDATES as f64);
    let pilot =
        (records.rows() * settings.candidates(records.rows()) / 2).clamp(*PILOT.start(), *PILOT.end()) as f64;
    let pairs = variables * (variables - 1.0) / 2.0;
    let seconds = (candidates + pilot) * variables * 1e-7
        + (candidates * SWEEPS as f64 + pilot * PILOT_SWEEPS as f64) * pairs * 4e-9;
    let of_record = records.bytes() as f64 / records.rows().max(1) as f64;
    // The candidates as they are drawn and as columns, their classes, moments and weights.
    let bytes = candidates * (1.5 * of_record + 5.0 * variables + 40.0);
    (seconds, bytes as u64)
}
