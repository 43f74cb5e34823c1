//! Linear scores: predictors that trees can split by beside the others, each a sum of small effects of all of them.
//!
//! A tree of n records splits a path some log₂ n times. Where fourteen predictors each shift the response a little, or each a lot, most of them are left out
//! of every path. Here the response is first regressed on all predictors together,
//!
//! ```text
//! s(x) = Σ_j a_j(group of x_j) + b_j z_j,     z_j = (x_j − mean) / deviation, held within ±3
//! ```
//!
//! by backfitting with a ridge (Hastie & Tibshirani 1990), and the tree may split by s as by any other column: a leaf then holds donors whose predictors say the same of the
//! response together. Nothing is drawn from the regression itself: values are those of donors, and where the response does not depend on a sum, the other
//! columns split better. The effects are those of the data at hand, so that what is estimated from the synthetic records is what would have been estimated from the originals.
//!
//! A category of more than two levels is given scores of its own, which are found with the effects in turn, so that the levels are as far apart as the
//! predictors can tell them (alternating least squares for canonical correlations; Breiman & Friedman 1985); two such scores, uncorrelated over the levels, are used.

use std::sync::Arc;

use statistics::trees::{Coding, Predictor};

use super::conditional::Response;
use super::feature::Feature;
use super::surroundings::Conditioning;
use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// Fewer records than this have no scores.
const FEWEST: usize = 100;

/// Of more records than this some are taken, at even distances.
const MOST_RECORDS: usize = 100_000;

/// Rounds over all predictors.
const ROUNDS: usize = 6;

/// Ridge: records of no effect in each group.
const RIDGE: f64 = 3.0;

/// Numbers further from the mean than this many standard deviations count as being there.
const FURTHEST: f64 = 3.0;

/// Scores are rounded to this part of their standard deviation, so that trees have few values to look at.
const STEPS: f64 = 50.0;

/// Scores of a category of more than two levels.
const MOST: usize = 2;

/// The scores of a response.
#[derive(Clone, Debug, Default)]
pub(super) struct Scores(Vec<Score>);

#[derive(Clone, Debug)]
struct Score {
    /// One for each predictor.
    terms: Vec<Term>,
    /// The width of a step between scores that are told apart.
    step: f64,
    coding: Arc<Coding>,
}

/// What one predictor adds to a score.
#[derive(Clone, Debug)]
struct Term {
    mean: f64,
    deviation: f64,
    /// b; 0 where the predictor has no order.
    slope: f64,
    /// a, for each group.
    effects: Vec<f64>,
}

impl Scores {
    /// The scores of a response, one for each of these rows of the features.
    pub(super) fn fit(features: &[&Feature], rows: &[u32], response: Response<'_>) -> Self {
        if features.len() < 2 || rows.len() < FEWEST {
            return Self::default();
        }
        let step = rows.len().div_ceil(MOST_RECORDS);
        if step > 1 {
            let some: Vec<u32> = rows.iter().copied().step_by(step).collect();
            return match response {
                Response::Numbers(numbers) => {
                    let numbers: Vec<f64> = numbers.iter().copied().step_by(step).collect();
                    Self::fit(features, &some, Response::Numbers(&numbers))
                }
                Response::Categories { codes, size } => {
                    let codes: Vec<u32> = codes.iter().copied().step_by(step).collect();
                    Self::fit(features, &some, Response::Categories { codes: &codes, size })
                }
            };
        }
        let mut scores = Vec::new();
        match response {
            Response::Numbers(numbers) => {
                let (mean, deviation) = mean_and_deviation(numbers.iter().copied());
                let target =
                    numbers.iter().map(|y| ((y - mean) / deviation).clamp(-FURTHEST, FURTHEST)).collect();
                scores.extend(Score::of(features, rows, Backfitting::new(features, rows, target).fit()));
            }
            Response::Categories { codes, size } => {
                let mut scales: Vec<Vec<f64>> = Vec::new();
                let mut counts: Vec<f64> = vec![0.0; size as usize];
                codes.iter().for_each(|code| counts[*code as usize] += 1.0);
                let mut by_size: Vec<usize> = (0..size as usize).collect();
                by_size.sort_by(|left, right| counts[*right].total_cmp(&counts[*left]).then(left.cmp(right)));
                for level in by_size.into_iter().take(MOST.min(size as usize - 1)) {
                    let mut scale: Vec<f64> =
                        (0..size as usize).map(|code| f64::from(u8::from(code == level))).collect();
                    if !standardise(&mut scale, &counts, &scales) {
                        continue;
                    }
                    let target = codes.iter().map(|code| scale[*code as usize]).collect();
                    let mut fit = Backfitting::new(features, rows, target);
                    for _ in 0..ROUNDS {
                        fit.round();
                        if size == 2 {
                            continue;
                        }
                        let mut next = fit.means(codes, &scale, &counts);
                        if !standardise(&mut next, &counts, &scales) {
                            break;
                        }
                        let moves: Vec<f64> = next.iter().zip(&scale).map(|(new, old)| new - old).collect();
                        fit.shift(codes, &moves);
                        scale = next;
                    }
                    scores.extend(Score::of(features, rows, fit.terms));
                    scales.push(scale);
                }
            }
        }
        Self(scores)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scores of these rows of the features, as trees split by them.
    pub(super) fn columns(
        &self,
        features: &[&Feature],
        rows: &[u32],
    ) -> Result<Vec<Predictor>, SynthesisError> {
        let column = |score: &Score| {
            Predictor::numeric_as(&score.coding, &score.values(features, rows), None)
                .map_err(|error| super::cart::failed(&error))
        };
        self.0.iter().map(column).collect()
    }

    /// How many ordered and unordered codes each has.
    pub(super) fn codes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().map(|score| (score.coding.ordered_codes(), score.coding.unordered_codes()))
    }

    /// Writes the scores.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("scores", &self.0.len())?;
        self.0.iter().try_for_each(|score| {
            into.settings("step of a score", &score.step)?;
            into.array("values of a score", score.coding.values())?;
            score.terms.iter().try_for_each(|term| {
                into.array("line of a score", &[term.mean, term.deviation, term.slope])?;
                into.array("effects of a score", &term.effects)
            })
        })
    }

    /// The scores of a conditional.
    pub(super) fn load(from: &mut StateReader<'_>, of: Conditioning<'_>) -> Result<Self, SynthesisError> {
        const OTHERS: &str = "the scores of a tree are not those of its predictors";
        let count: usize = from.settings("scores")?;
        ensure(count <= MOST, OTHERS)?;
        let mut scores = Vec::with_capacity(count);
        for _ in 0..count {
            let step: f64 = from.settings("step of a score")?;
            let coding = Coding::stored(from.array("values of a score")?, 0).map_err(damaged)?;
            let mut terms = Vec::with_capacity(of.predictors.len());
            for predictor in of.predictors {
                let groups = of.around.codings[*predictor].as_ref().map_or(0, |coding| coding.groups());
                let (line, effects): (Vec<f64>, Vec<f64>) =
                    (from.array("line of a score")?, from.array("effects of a score")?);
                let [mean, deviation, slope] = line[..] else { return Err(damaged(OTHERS)) };
                let is_fine = effects.len() == groups
                    && deviation > 0.0
                    && line.iter().chain(&effects).all(|number| number.is_finite());
                ensure(is_fine, OTHERS)?;
                terms.push(Term { mean, deviation, slope, effects });
            }
            ensure(step > 0.0 && step.is_finite() && !coding.values().is_empty(), OTHERS)?;
            scores.push(Score { terms, step, coding: Arc::new(coding) });
        }
        Ok(Self(scores))
    }
}

impl Score {
    /// The score of these terms, unless it is the same for all records.
    fn of(features: &[&Feature], rows: &[u32], terms: Vec<Term>) -> Option<Self> {
        let mut score = Self { terms, step: 0.0, coding: Arc::new(Coding::categorical(0)) };
        let raw = score.values(features, rows);
        let (_, deviation) = mean_and_deviation(raw.iter().copied());
        score.step = deviation / STEPS;
        let is_constant = raw.iter().all(|value| (value - raw[0]).abs() <= score.step);
        if is_constant || !score.step.is_normal() {
            return None;
        }
        let rounded: Vec<f64> = raw.into_iter().map(|value| score.rounded(value)).collect();
        score.coding = Arc::clone(Predictor::numeric(&rounded, None).ok()?.coding());
        Some(score)
    }

    fn rounded(&self, value: f64) -> f64 {
        if self.step > 0.0 { (value / self.step).round() * self.step } else { value }
    }

    fn values(&self, features: &[&Feature], rows: &[u32]) -> Vec<f64> {
        let mut values = vec![0.0; rows.len()];
        for (term, feature) in self.terms.iter().zip(features) {
            term.add(feature, rows, &mut values);
        }
        values.into_iter().map(|value| self.rounded(value)).collect()
    }
}

impl Term {
    /// A term of no effect.
    fn of_nothing(feature: &Feature, rows: &[u32]) -> Self {
        let values = feature.predictor.coding().values();
        let mut known = Vec::with_capacity(if values.is_empty() { 0 } else { rows.len() });
        if !values.is_empty() {
            feature.predictor.each_code(rows, |_, code| known.extend(values.get(code as usize).copied()));
        }
        let (mean, deviation) = mean_and_deviation(known.iter().copied());
        Self { mean, deviation, slope: 0.0, effects: vec![0.0; feature.count()] }
    }

    /// Calls `with` for each of these records: its place among them and its standardised number, 0 where it has none.
    #[inline]
    fn each_z(&self, feature: &Feature, rows: &[u32], mut with: impl FnMut(usize, f64)) {
        let values = feature.predictor.coding().values();
        let scale = 1.0 / self.deviation;
        feature.predictor.each_code(rows, |place, code| {
            let z = |value: &f64| ((value - self.mean) * scale).clamp(-FURTHEST, FURTHEST);
            with(place, values.get(code as usize).map_or(0.0, z));
        });
    }

    /// Adds what it says of these records to sums.
    fn add(&self, feature: &Feature, rows: &[u32], sums: &mut [f64]) {
        for (sum, row) in sums.iter_mut().zip(rows) {
            *sum += self.effects[usize::from(feature.groups[*row as usize])];
        }
        if self.slope != 0.0 {
            self.each_z(feature, rows, |place, z| sums[place] += self.slope * z);
        }
    }
}

/// Effects on their way, with what they leave of the target.
struct Backfitting {
    rest: Vec<f64>,
    terms: Vec<Term>,
    columns: Vec<FitColumn>,
}

/// A predictor at the records of a fit.
struct FitColumn {
    groups: Vec<u8>,
    /// Standardised numbers; none of a predictor without order.
    z: Vec<f32>,
    /// Σ z² and the ridge.
    squares: f64,
    /// Of each group how many records it has, and Σ z.
    of_groups: Vec<(f64, f64)>,
}

impl FitColumn {
    fn new(feature: &Feature, term: &Term, rows: &[u32]) -> Self {
        let groups: Vec<u8> = rows.iter().map(|row| feature.groups[*row as usize]).collect();
        let mut z = Vec::new();
        if !feature.predictor.coding().values().is_empty() {
            z.reserve(rows.len());
            term.each_z(feature, rows, |_, of_record| z.push(of_record as f32));
        }
        let mut of_groups = vec![(0.0, 0.0); feature.count()];
        groups.iter().for_each(|group| of_groups[usize::from(*group)].0 += 1.0);
        groups.iter().zip(&z).for_each(|(group, z)| of_groups[usize::from(*group)].1 += f64::from(*z));
        let squares = RIDGE + z.iter().map(|z| f64::from(*z) * f64::from(*z)).sum::<f64>();
        Self { groups, z, squares, of_groups }
    }
}

impl Backfitting {
    fn new(features: &[&Feature], rows: &[u32], target: Vec<f64>) -> Self {
        let terms: Vec<Term> = features.iter().map(|feature| Term::of_nothing(feature, rows)).collect();
        let columns = features.iter().zip(&terms).map(|(feature, term)| FitColumn::new(feature, term, rows));
        Self { rest: target, columns: columns.collect(), terms }
    }

    fn fit(mut self) -> Vec<Term> {
        (0..ROUNDS).for_each(|_| self.round());
        self.terms
    }

    /// Each predictor in turn: its slope, then the effects of its groups, by least squares with a ridge on what the others leave.
    fn round(&mut self) {
        for (column, term) in self.columns.iter().zip(&mut self.terms) {
            let mut sums = vec![0.0; term.effects.len()];
            let mut products = 0.0;
            for (group, rest) in column.groups.iter().zip(&self.rest) {
                sums[usize::from(*group)] += rest;
            }
            for (z, rest) in column.z.iter().zip(&self.rest) {
                products += f64::from(*z) * rest;
            }
            let slope =
                if column.z.is_empty() { 0.0 } else { (products - RIDGE * term.slope) / column.squares };
            term.slope += slope;
            let mut changes = Vec::with_capacity(sums.len());
            for ((effect, sum), (records, of_z)) in term.effects.iter_mut().zip(sums).zip(&column.of_groups) {
                let change = (sum - slope * of_z - RIDGE * *effect) / (records + RIDGE);
                *effect += change;
                changes.push(change);
            }
            for (group, rest) in column.groups.iter().zip(&mut self.rest) {
                *rest -= changes[usize::from(*group)];
            }
            for (z, rest) in column.z.iter().zip(&mut self.rest) {
                *rest -= slope * f64::from(*z);
            }
        }
    }

    /// The mean of what is fitted in each class, where targets are the scale of the classes.
    fn means(&self, codes: &[u32], scale: &[f64], counts: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; scale.len()];
        codes.iter().zip(&self.rest).for_each(|(code, rest)| sums[*code as usize] += rest);
        scale.iter().zip(sums).zip(counts).map(|((at, sum), count)| at - sum / count.max(1.0)).collect()
    }

    /// Moves the targets of classes.
    fn shift(&mut self, codes: &[u32], moves: &[f64]) {
        self.rest.iter_mut().zip(codes).for_each(|(rest, code)| *rest += moves[*code as usize]);
    }
}

/// Brings a scale of classes to mean 0 and variance 1 over the records, uncorrelated with others; not where nothing is left of it.
fn standardise(scale: &mut [f64], counts: &[f64], others: &[Vec<f64>]) -> bool {
    let n: f64 = counts.iter().sum();
    let product = |left: &[f64], right: &[f64]| -> f64 {
        left.iter().zip(right).zip(counts).map(|((left, right), count)| left * right * count / n).sum()
    };
    let mean = product(scale, &vec![1.0; scale.len()]);
    scale.iter_mut().for_each(|at| *at -= mean);
    for other in others {
        let shared = product(scale, other);
        scale.iter_mut().zip(other).for_each(|(at, other)| *at -= shared * other);
    }
    let deviation = product(scale, scale).sqrt();
    scale.iter_mut().for_each(|at| *at /= deviation);
    deviation > 1e-6
}

/// Mean and standard deviation, of which the latter is 1 where all numbers are alike.
fn mean_and_deviation(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let (mut n, mut sum) = (0.0, 0.0);
    numbers.clone().for_each(|number| {
        n += 1.0;
        sum += number;
    });
    let mean = sum / f64::max(n, 1.0);
    let squares: f64 = numbers.map(|number| (number - mean).powi(2)).sum();
    let deviation = (squares / f64::max(n, 1.0)).sqrt();
    (if mean.is_finite() { mean } else { 0.0 }, if deviation.is_normal() { deviation } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::randomness::Seed;

    const RECORDS: usize = 2_000;

    /// Eight numbers and a category, and for each record what they add up to.
    fn made() -> (Vec<Feature>, Vec<f64>) {
        let mut rng = Seed::new(9).stream(0);
        let mut text = "a,b,c,d,e,f,g,h,k\n".to_owned();
        let mut sums = Vec::new();
        for _ in 0..RECORDS {
            let numbers: Vec<f64> = (0..8).map(|_| (rng.random::<f64>() * 100.0).round()).collect();
            let level = rng.random_range(0..3_usize);
            let weights = [1.0, -1.0, 0.5, 0.5, -0.5, 1.0, 0.0, 0.0];
            let sum = numbers.iter().zip(weights).map(|(x, weight)| weight * x).sum::<f64>();
            sums.push(sum + [0.0, 40.0, 10.0][level]);
            let fields: Vec<String> = numbers.iter().map(f64::to_string).collect();
            text.push_str(&format!("{},{}\n", fields.join(","), ["r", "s", "t"][level]));
        }
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let features = table.schema().variables().iter().zip(table.columns());
        (features.map(|(variable, column)| Feature::learn(variable, column).unwrap()).collect(), sums)
    }

    fn correlation(left: &[f64], right: &[f64]) -> f64 {
        let ((a, da), (b, db)) =
            (mean_and_deviation(left.iter().copied()), mean_and_deviation(right.iter().copied()));
        let products = left.iter().zip(right).map(|(x, y)| (x - a) * (y - b) / (da * db));
        products.sum::<f64>() / left.len() as f64
    }

    /// With noise as large as the sum itself, the score is the sum up to 45 effects that 2,000 records leave uncertain: a correlation above 0.97.
    #[test]
    fn a_score_is_the_sum_that_the_response_depends_on() {
        let (features, sums) = made();
        let features: Vec<&Feature> = features.iter().collect();
        let rows: Vec<u32> = (0..RECORDS as u32).collect();
        let mut rng = Seed::new(3).stream(0);
        let (_, deviation) = mean_and_deviation(sums.iter().copied());
        let mut noise = || (0..12).map(|_| rng.random::<f64>() - 0.5).sum::<f64>();
        let noisy: Vec<f64> = sums.iter().map(|sum| sum + deviation * noise()).collect();
        let scores = Scores::fit(&features, &rows, Response::Numbers(&noisy));
        assert_eq!(scores.0.len(), 1);
        let found = scores.0[0].values(&features, &rows);
        assert!(correlation(&found, &sums) > 0.97, "{}", correlation(&found, &sums));
        let columns = scores.columns(&features, &rows).unwrap();
        assert!(columns[0].coding().codes() < 600, "few values");
        // Three levels by the sum, the middle one in a place of its own: the first score tells their order.
        let codes: Vec<u32> =
            noisy.iter().map(|y| if *y < 0.0 { 2 } else { u32::from(*y < 100.0) }).collect();
        let scores = Scores::fit(&features, &rows, Response::Categories { codes: &codes, size: 3 });
        assert_eq!(scores.0.len(), 2);
        let found = scores.0[0].values(&features, &rows);
        assert!(correlation(&found, &sums).abs() > 0.95, "{}", correlation(&found, &sums));
        assert!(Scores::fit(&features, &rows[..50], Response::Numbers(&noisy[..50])).is_empty());
    }

    #[test]
    fn scales_of_classes_are_uncorrelated() {
        let counts = [10.0, 20.0, 70.0];
        let mut first = vec![1.0, 0.0, 0.0];
        assert!(standardise(&mut first, &counts, &[]));
        let mut second = vec![1.0, 1.0, 0.0];
        assert!(standardise(&mut second, &counts, std::slice::from_ref(&first)));
        let product = |left: &[f64], right: &[f64]| -> f64 {
            left.iter()
                .zip(right)
                .zip(counts)
                .map(|((left, right), count)| left * right * count / 100.0)
                .sum()
        };
        assert!(product(&first, &second).abs() < 1e-12 && (product(&second, &second) - 1.0).abs() < 1e-12);
        let mut third = first.clone();
        assert!(!standardise(&mut third, &counts, &[first]));
    }
}
