//! The smallest leaf of a tree, chosen for each variable by the likelihood of records that the tree has not seen.
//!
//! Leaves of five records are right for a variable that others all but determine: a ratio of two numbers, a score of its items. For most variables they
//! learn noise by heart, and repeat records. So a tree of each size is grown on half of the records, and the size is taken under which the
//! responses of the other half are likeliest, log p(y | leaf) = log (n_y + s_y) / (n + 1), with n_y of the n donors of the leaf having response y and s_y its share
//! in all leaves. Numbers count by their class between quantiles. Of two sizes that do as well the larger is taken.

use rayon::prelude::*;
use statistics::trees::{Predictor, Tree};

use super::cart::{failed, split_by, tree_options, tree_response};
use super::conditional::{Response, Task};
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

/// The size of leaf for a task.
pub(super) fn choose(task: &Task<'_>) -> Result<u32, SynthesisError> {
    if task.predictors.is_empty() || task.rows.len() < FEWEST {
        return Ok(USUAL);
    }
    let step = task.rows.len().div_ceil(2 * MOST);
    let (grown, held): (Vec<u32>, Vec<u32>) =
        (0..task.rows.len() as u32).step_by(step).partition(|place| is_grown_from(*place));
    let classes = classes(task.response, &grown);
    let columns = split_by(&task.given.features(task.predictors));
    let taken = |places: &[u32]| -> Vec<Predictor> {
        let rows: Vec<u32> = places.iter().map(|place| task.rows[*place as usize]).collect();
        columns.iter().map(|column| column.take(&rows)).collect()
    };
    let (of_grown, of_held) = (taken(&grown), taken(&held));
    let (codes, numbers): (Vec<u32>, Vec<f64>);
    let response = match task.response {
        Response::Categories { codes: all, size } => {
            codes = grown.iter().map(|place| all[*place as usize]).collect();
            Response::Categories { codes: &codes, size }
        }
        Response::Numbers(all) => {
            numbers = grown.iter().map(|place| all[*place as usize]).collect();
            Response::Numbers(&numbers)
        }
    };
    let likelihood = |size: &u32| -> Result<f64, SynthesisError> {
        let (of_grown, of_held): (Vec<&Predictor>, Vec<&Predictor>) =
            (of_grown.iter().collect(), of_held.iter().collect());
        let tree = Tree::fit(&of_grown, &tree_response(response), None, &tree_options(task.settings, *size))
            .map_err(|error| failed(&error))?;
        let leaves = tree.route(&of_held, 0..held.len()).map_err(|error| failed(&error))?;
        let mut counts = vec![0_u32; tree.leaves() * CLASSES];
        let mut shares = [0.0; CLASSES];
        for leaf in 0..tree.leaves() {
            for donor in tree.donors(leaf as u32) {
                let class = usize::from(classes[grown[*donor as usize] as usize]);
                counts[leaf * CLASSES + class] += 1;
                shares[class] += 1.0 / grown.len() as f64;
            }
        }
        let of_record = |(place, leaf): (&u32, &u32)| {
            let class = usize::from(classes[*place as usize]);
            let here = f64::from(counts[*leaf as usize * CLASSES + class]);
            let all = tree.weight(*leaf) as f64;
            // A class that no grown record has is as unlikely under every size.
            ((here + shares[class].max(1e-9)) / (all + 1.0)).ln()
        };
        Ok(held.iter().zip(&leaves).map(of_record).sum())
    };
    let likelihoods = SIZES.par_iter().map(likelihood).collect::<Result<Vec<f64>, _>>()?;
    let best = (0..SIZES.len()).max_by(|left, right| likelihoods[*left].total_cmp(&likelihoods[*right]));
    Ok(best.map_or(USUAL, |best| SIZES[best]))
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
    use super::super::options::Settings;
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
            choose(&task).unwrap()
        };
        assert_eq!(size(2, &rows), SIZES[0]);
        assert_eq!(size(3, &rows), SIZES[2]);
        assert_eq!(size(3, &rows[..150]), USUAL, "too few to hold some out");
    }
}
