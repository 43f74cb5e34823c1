//! The smallest leaf of a tree, and whether it splits by scores, chosen for each variable by the likelihood of records that the tree has not seen.
//!
//! Leaves of five records are right for a variable that others all but determine: a ratio of two numbers, a score of its items. For most variables they
//! learn noise by heart, and repeat records. So trees are grown on half of the records, with and without [scores](super::scores), then of each size, and those are taken under which the
//! responses of the other half are likeliest, log p(y | leaf) = log (n_y + s_y) / (n + 1), with n_y of the n donors of the leaf having response y and s_y its share
//! in all leaves. Numbers count by their class between quantiles. Of two sizes that do as well the larger is taken.

use rayon::prelude::*;
use statistics::trees::{Predictor, Tree};

use super::cart::{failed, split_by, tree_options, tree_response};
use super::conditional::{Response, Task};
use super::options::Settings;
use super::scores::Scores;
use crate::SynthesisError;

/// The sizes among which the choice is.
pub(super) const SIZES: [u32; 3] = [5, 10, 20];

/// The size where there is nothing to choose by: too few records, or no predictors.
pub(super) const USUAL: u32 = SIZES[0];

/// Fewer records than this are not halved.
const FEWEST: usize = 200;

/// At most this many records are grown from, and as many held out.
const MOST: usize = 10_000;

/// Classes of responses that are told apart.
const CLASSES: usize = 32;

/// How a tree is grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    /// Records that a leaf must hold.
    pub leaf: u32,
    /// Whether it splits by scores too.
    pub scores: bool,
}

/// How the tree of a task is grown, as far as its settings leave that open.
pub(super) fn choose(task: &Task<'_>) -> Result<Growth, SynthesisError> {
    let Settings { min_bucket, scores, .. } = *task.settings;
    let usual = Growth { leaf: min_bucket.unwrap_or(USUAL), scores: scores.unwrap_or(true) };
    let is_open = min_bucket.is_none() || scores.is_none();
    if !is_open || task.predictors.is_empty() || task.rows.len() < FEWEST {
        return Ok(usual);
    }
    let halves = Halves::of(task)?;
    let largest = min_bucket.unwrap_or(SIZES[SIZES.len() - 1]);
    let mut best = Growth { leaf: largest, scores: scores != Some(false) && halves.has_scores() };
    let ways: Vec<bool> = if scores.is_none() && best.scores { vec![true, false] } else { vec![best.scores] };
    let likelihoods =
        ways.par_iter().map(|scores| halves.likelihood(largest, *scores)).collect::<Result<Vec<f64>, _>>()?;
    let mut most = likelihoods[0];
    if likelihoods.get(1).is_some_and(|without| *without > most) {
        (best.scores, most) = (false, likelihoods[1]);
    }
    if min_bucket.is_none() {
        let smaller = &SIZES[..SIZES.len() - 1];
        let likelihoods = smaller.par_iter().map(|size| halves.likelihood(*size, best.scores));
        for (size, likelihood) in smaller.iter().zip(likelihoods.collect::<Result<Vec<f64>, _>>()?) {
            if likelihood > most {
                (best.leaf, most) = (*size, likelihood);
            }
        }
    }
    Ok(best)
}

/// The records of a task in two halves: those that a tree is grown from, and those that it has not seen.
struct Halves<'a> {
    settings: &'a Settings,
    /// Columns of both, the scores last.
    of_grown: Vec<Predictor>,
    of_held: Vec<Predictor>,
    /// How many columns are no scores.
    plain: usize,
    response: HalfResponse,
    /// Classes of the responses of both.
    grown: Vec<u8>,
    held: Vec<u8>,
}

/// The response of the records that are grown from.
enum HalfResponse {
    Categories { codes: Vec<u32>, size: u32 },
    Numbers(Vec<f64>),
}

impl HalfResponse {
    fn of(response: Response<'_>, places: &[u32]) -> Self {
        match response {
            Response::Categories { codes, size } => {
                Self::Categories { codes: places.iter().map(|place| codes[*place as usize]).collect(), size }
            }
            Response::Numbers(all) => {
                Self::Numbers(places.iter().map(|place| all[*place as usize]).collect())
            }
        }
    }

    fn as_response(&self) -> Response<'_> {
        match self {
            Self::Categories { codes, size } => Response::Categories { codes, size: *size },
            Self::Numbers(numbers) => Response::Numbers(numbers),
        }
    }
}

impl<'a> Halves<'a> {
    fn of(task: &Task<'a>) -> Result<Self, SynthesisError> {
        let step = task.rows.len().div_ceil(2 * MOST);
        let (grown, held): (Vec<u32>, Vec<u32>) =
            (0..task.rows.len() as u32).step_by(step).partition(|place| is_grown_from(*place));
        let classes = classes(task.response, &grown);
        let features = task.given.features(task.predictors);
        let rows =
            |places: &[u32]| -> Vec<u32> { places.iter().map(|place| task.rows[*place as usize]).collect() };
        let (grown_rows, held_rows) = (rows(&grown), rows(&held));
        let columns = split_by(&features);
        let taken =
            |rows: &[u32]| -> Vec<Predictor> { columns.iter().map(|column| column.take(rows)).collect() };
        let (mut of_grown, mut of_held) = (taken(&grown_rows), taken(&held_rows));
        let plain = columns.len();
        let response = HalfResponse::of(task.response, &grown);
        if task.settings.scores != Some(false) {
            let scores = Scores::fit(&features, &grown_rows, response.as_response());
            of_grown.extend(scores.columns(&features, &grown_rows)?);
            of_held.extend(scores.columns(&features, &held_rows)?);
        }
        let of =
            |places: &[u32]| -> Vec<u8> { places.iter().map(|place| classes[*place as usize]).collect() };
        let (grown, held) = (of(&grown), of(&held));
        Ok(Self { settings: task.settings, of_grown, of_held, plain, response, grown, held })
    }

    fn has_scores(&self) -> bool {
        self.of_grown.len() > self.plain
    }

    /// The log likelihood of the held responses under a tree with leaves of this size.
    fn likelihood(&self, size: u32, scores: bool) -> Result<f64, SynthesisError> {
        let columns = if scores { self.of_grown.len() } else { self.plain };
        let of_grown: Vec<&Predictor> = self.of_grown[..columns].iter().collect();
        let of_held: Vec<&Predictor> = self.of_held[..columns].iter().collect();
        let response = tree_response(self.response.as_response());
        let tree = Tree::fit(&of_grown, &response, None, &tree_options(self.settings, size))
            .map_err(|error| failed(&error))?;
        let leaves = tree.route(&of_held, 0..self.held.len()).map_err(|error| failed(&error))?;
        let mut counts = vec![0_u32; tree.leaves() * CLASSES];
        let mut shares = [0.0; CLASSES];
        for leaf in 0..tree.leaves() {
            for donor in tree.donors(leaf as u32) {
                let class = usize::from(self.grown[*donor as usize]);
                counts[leaf * CLASSES + class] += 1;
                shares[class] += 1.0 / self.grown.len() as f64;
            }
        }
        let of_record = |(class, leaf): (&u8, &u32)| {
            let class = usize::from(*class);
            let here = f64::from(counts[*leaf as usize * CLASSES + class]);
            let all = tree.weight(*leaf) as f64;
            // A class that no grown record has is as unlikely under every tree.
            ((here + shares[class].max(1e-9)) / (all + 1.0)).ln()
        };
        Ok(self.held.iter().zip(&leaves).map(of_record).sum())
    }
}

/// Whether the tree is grown from the record at this place: every second by a hash, so that no order of the file matters.
fn is_grown_from(place: u32) -> bool {
    (u64::from(place) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 & 1 == 0
}

/// The class of each record's response: the most frequent categories and the others, or numbers between quantiles of those that are grown from.
fn classes(response: Response<'_>, grown: &[u32]) -> Vec<u8> {
    match response {
        Response::Categories { codes, size } => {
            let mut counts = vec![0_u32; size as usize];
            grown.iter().for_each(|place| counts[codes[*place as usize] as usize] += 1);
            let mut by_size: Vec<usize> = (0..size as usize).collect();
            by_size.sort_by_key(|code| (std::cmp::Reverse(counts[*code]), *code));
            let mut class_of = vec![0; size as usize];
            by_size.iter().enumerate().for_each(|(rank, code)| class_of[*code] = rank.min(CLASSES - 1) as u8);
            codes.iter().map(|code| class_of[*code as usize]).collect()
        }
        Response::Numbers(numbers) => {
            let mut sorted: Vec<f64> = grown.iter().map(|place| numbers[*place as usize]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let mut cuts: Vec<f64> =
                (1..CLASSES).map(|class| sorted[class * (sorted.len() - 1) / CLASSES]).collect();
            cuts.dedup();
            numbers.iter().map(|number| cuts.partition_point(|cut| cut < number) as u8).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use table::column::Entry;
    use table::read::{ReadOptions, read_csv_text};

    use super::super::conditional::Given;
    use super::super::feature::Feature;
    use super::super::frame::Frame;
    use super::*;
    use crate::randomness::Seed;

    /// `total` is the sum of two numbers and wants small leaves; `noise` has nothing to do with anything and wants large ones.
    #[test]
    fn a_determined_variable_has_smaller_leaves() {
        let mut text = String::from("a,b,total,noise\n");
        let mut state = 7_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..4_000 {
            let (a, b) = (next(40), next(40));
            text.push_str(&format!("{a},{b},{},{}\n", a + b, next(1_000)));
        }
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let variables = table.schema().variables();
        let mut frame = Frame::new(variables, table.rows());
        table.columns().iter().enumerate().for_each(|(at, column)| frame.insert(at, Cow::Borrowed(column)));
        let features: Vec<Option<Feature>> = variables
            .iter()
            .zip(table.columns())
            .map(|(variable, column)| Some(Feature::learn(variable, column).unwrap()))
            .collect();
        let rows: Vec<u32> = (0..4_000).collect();
        let size = |of: usize, rows: &[u32]| {
            let numbers: Vec<f64> = rows
                .iter()
                .filter_map(|row| match table.columns()[of].number(*row as usize) {
                    Some(Entry::Value(number)) => Some(number),
                    _ => None,
                })
                .collect();
            let task = Task {
                given: Given { frame: &frame, features: &features },
                predictors: &[0, 1],
                rows,
                response: Response::Numbers(&numbers),
                settings: &Settings::default(),
                seed: Seed::new(1),
            };
            choose(&task).unwrap().leaf
        };
        assert_eq!(size(2, &rows), SIZES[0]);
        assert_eq!(size(3, &rows), SIZES[2]);
        assert_eq!(size(3, &rows[..150]), USUAL, "too few to hold some out");
    }
}
