//! The best split of one predictor for more than two classes, by Gini's index.
//!
//! The score of a split is Σ cₗ² / nₗ + Σ cᵣ² / nᵣ, where c are the class weights of a child and n its weight. A record that changes sides
//! changes two squares, so the walk along a numeric predictor costs the same whatever the number of classes.

use super::best::Best;
use super::leading_direction::Direction;
use super::summary::Summary;

/// A factor of at most this many levels in a node is split exactly, by trying all splits, when the response has more than two classes.
pub(crate) const EXHAUSTIVE_LEVELS: usize = 6;

/// Records of one class side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub class: u32,
    pub weight: u32,
}

/// Records of one label: items up to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassRun {
    pub label: u32,
    pub weight: u32,
    pub end: u32,
}

/// The classes of a node's records in the order of their labels.
#[derive(Debug, Default)]
pub(super) struct ClassRuns {
    pub runs: Vec<ClassRun>,
    pub items: Vec<Item>,
}

/// The class weights on both sides of a split, and memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// Of the node.
    total: Vec<u32>,
    /// Of the left child; zero between searches.
    left: Vec<u32>,
    weight: i64,
    left_weight: i64,
    left_squares: i64,
    right_squares: i64,
    min_bucket: i64,
    squares: i64,
    joined: ClassRuns,
    direction: Direction,
    order: Vec<usize>,
}

impl ClassRuns {
    pub fn clear(&mut self) {
        self.runs.clear();
        self.items.clear();
    }

    fn of(&self, run: usize) -> &[Item] {
        let start = if run == 0 { 0 } else { self.runs[run - 1].end as usize };
        &self.items[start..self.runs[run].end as usize]
    }
}

impl Sides {
    /// Prepares for a node whose records have these classes and weights (none where all are one).
    pub fn enter(
        &mut self,
        classes: usize,
        records: impl Iterator<Item = Item>,
        summary: &Summary,
        min_bucket: u32,
    ) {
        self.total.clear();
        self.total.resize(classes, 0);
        self.left.clear();
        self.left.resize(classes, 0);
        records.for_each(|item| self.total[item.class as usize] += item.weight);
        (self.weight, self.squares) = (summary.weight, summary.class_squares);
        self.min_bucket = i64::from(min_bucket);
    }

    /// Offers the splits of `predictor`, whose labels below `ordered` are in order.
    pub fn search(&mut self, predictor: usize, runs: &ClassRuns, ordered: u32, best: &mut Best) {
        if runs.runs.len() < 2 {
            return;
        }
        let values = runs.runs.partition_point(|run| run.label < ordered);
        match values {
            0 => self.factor(predictor, runs, best),
            _ => self.number(predictor, runs, values, best),
        }
    }

    fn number(&mut self, predictor: usize, runs: &ClassRuns, values: usize, best: &mut Best) {
        let marks = runs.runs.len() - values;
        let mut order = std::mem::take(&mut self.order);
        if marks > 2 {
            let classes = self.total.len();
            self.direction.order(&runs.runs[values..], |mark| runs.of(values + mark), classes, &mut order);
        } else {
            order.clear();
            order.extend(0..marks);
        }
        let mut found = None;
        for few in (0..=marks).map(|few| 0..few).chain((1..marks).map(|few| few..marks)) {
            self.empty();
            order[few.clone()].iter().for_each(|mark| self.move_left(runs.of(values + mark)));
            for value in 0..values {
                self.move_left(runs.of(value));
                if self.weight - self.left_weight < self.min_bucket {
                    break;
                }
                if self.offer(best) {
                    found = Some((few.clone(), value));
                }
            }
            self.forget(&runs.items);
        }
        if let Some((few, last)) = found {
            let cut = (runs.runs[last].label, (last + 1 < values).then(|| runs.runs[last + 1].label));
            let label = |mark: &usize| runs.runs[values + mark].label;
            let right = order[..few.start].iter().chain(&order[few.end..]);
            best.describe(predictor, Some(cut), order[few.clone()].iter().map(label), right.map(label));
        }
        self.order = order;
    }

    fn factor(&mut self, predictor: usize, runs: &ClassRuns, best: &mut Best) {
        let mut joined = std::mem::take(&mut self.joined);
        let mut order = std::mem::take(&mut self.order);
        self.join(runs, &mut joined);
        let levels = joined.runs.len();
        let goes_left = if levels <= EXHAUSTIVE_LEVELS {
            self.all_splits(&joined, &mut order, best)
        } else {
            let classes = self.total.len();
            self.direction.order(&joined.runs, |level| joined.of(level), classes, &mut order);
            self.prefix(&joined, &order, best)
        };
        if let Some(goes_left) = goes_left {
            let side = |wanted: bool| {
                let chosen = order.iter().zip(&goes_left).filter(move |(_, left)| **left == wanted);
                chosen.map(|(level, _)| joined.runs[*level].label)
            };
            best.describe(predictor, None, side(true), side(false));
        }
        (self.joined, self.order) = (joined, order);
    }

    /// Adds up the records of the same label and class.
    fn join(&mut self, runs: &ClassRuns, joined: &mut ClassRuns) {
        joined.clear();
        for (position, run) in runs.runs.iter().enumerate() {
            let items = runs.of(position);
            items.iter().for_each(|item| self.left[item.class as usize] += item.weight);
            for item in items {
                let weight = std::mem::take(&mut self.left[item.class as usize]);
                if weight > 0 {
                    joined.items.push(Item { class: item.class, weight });
                }
            }
            joined.runs.push(ClassRun { end: joined.items.len() as u32, ..*run });
        }
    }

    /// Offers all splits of the levels, one level changing sides at a time (Gray code): levels of few classes change most often, and
    /// the last never. Which positions of `order` go left, if a split won.
    fn all_splits(&mut self, runs: &ClassRuns, order: &mut Vec<usize>, best: &mut Best) -> Option<Vec<bool>> {
        let levels = runs.runs.len();
        order.clear();
        order.extend(0..levels);
        order.sort_by_key(|level| runs.of(*level).len());
        self.empty();
        let mut found = None;
        for step in 1u32..1 << (levels - 1) {
            let gray = step ^ (step >> 1);
            let flipped = step.trailing_zeros() as usize;
            match gray >> flipped & 1 {
                1 => self.move_left(runs.of(order[flipped])),
                _ => self.move_right(runs.of(order[flipped])),
            }
            if self.weight - self.left_weight >= self.min_bucket && self.offer(best) {
                found = Some(gray);
            }
        }
        self.forget(&runs.items);
        found.map(|gray| (0..levels).map(|level| gray >> level & 1 == 1).collect())
    }

    /// Offers the first few levels in `order` as left child. Which positions of `order` go left, if a split won.
    fn prefix(&mut self, runs: &ClassRuns, order: &[usize], best: &mut Best) -> Option<Vec<bool>> {
        self.empty();
        let mut found = None;
        for (position, level) in order.iter().enumerate() {
            self.move_left(runs.of(*level));
            if self.weight - self.left_weight < self.min_bucket {
                break;
            }
            if self.offer(best) {
                found = Some(position);
            }
        }
        self.forget(&runs.items);
        found.map(|last| (0..order.len()).map(|position| position <= last).collect())
    }

    /// All records on the right.
    fn empty(&mut self) {
        (self.left_weight, self.left_squares, self.right_squares) = (0, 0, self.squares);
    }

    fn forget(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.left[item.class as usize] = 0);
    }

    #[inline]
    fn move_left(&mut self, items: &[Item]) {
        for item in items {
            let (class, weight) = (item.class as usize, i64::from(item.weight));
            let left = i64::from(self.left[class]);
            let right = i64::from(self.total[class]) - left;
            self.left_squares += weight * (2 * left + weight);
            self.right_squares -= weight * (2 * right - weight);
            self.left_weight += weight;
            self.left[class] += item.weight;
        }
    }

    fn move_right(&mut self, items: &[Item]) {
        for item in items {
            let (class, weight) = (item.class as usize, i64::from(item.weight));
            let left = i64::from(self.left[class]);
            let right = i64::from(self.total[class]) - left;
            self.left_squares -= weight * (2 * left - weight);
            self.right_squares += weight * (2 * right + weight);
            self.left_weight -= weight;
            self.left[class] -= item.weight;
        }
    }

    /// Offers the present state, if the left side is large enough; the caller checks the right.
    #[inline]
    fn offer(&self, best: &mut Best) -> bool {
        let (left, right) = (self.left_weight as f64, (self.weight - self.left_weight) as f64);
        self.left_weight >= self.min_bucket
            && best.offer(self.left_squares as f64 * right + self.right_squares as f64 * left, left * right)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;
    use crate::trees::summary::Local;

    /// Levels of 30 records each whose class shares differ at random, and the sides that know them.
    fn factor(levels: u32, classes: u32, rng: &mut ChaCha12Rng) -> (ClassRuns, Sides) {
        let (mut runs, mut all) = (ClassRuns::default(), Vec::new());
        for label in 0..levels {
            let leaning: Vec<f64> = (0..classes).map(|_| rng.random::<f64>().powi(3)).collect();
            for _ in 0..30 {
                let mut left = rng.random::<f64>() * leaning.iter().sum::<f64>();
                let class = leaning.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                let class = class.unwrap_or(0) as u32;
                runs.items.push(Item { class, weight: 1 });
                all.push(class);
            }
            runs.runs.push(ClassRun { label, weight: 30, end: runs.items.len() as u32 });
        }
        let summary = Local::Classes(all).summary(&[], 0..runs.items.len(), &mut vec![0; classes as usize]);
        let mut sides = Sides::default();
        sides.enter(classes as usize, runs.items.iter().copied(), &summary, 1);
        (runs, sides)
    }

    /// The gain of the best split over none, by the leading direction and by trying all.
    fn gains(levels: u32, classes: u32, rng: &mut ChaCha12Rng) -> (f64, f64) {
        let (runs, mut sides) = factor(levels, classes, rng);
        let baseline = sides.squares as f64 / sides.weight as f64;
        let start = || Best::above(sides.squares as f64, sides.weight as f64);
        let (mut by_order, mut of_all) = (start(), start());
        let mut order = Vec::new();
        let mut direction = std::mem::take(&mut sides.direction);
        direction.order(&runs.runs, |level| runs.of(level), classes as usize, &mut order);
        sides.prefix(&runs, &order, &mut by_order);
        sides.all_splits(&runs, &mut order, &mut of_all);
        (by_order.score() - baseline, of_all.score() - baseline)
    }

    #[test]
    fn the_leading_direction_finds_the_best_split_most_often_and_nearly_it_otherwise() {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        for (levels, classes) in [(5, 3), (8, 3), (8, 6), (12, 4), (12, 10)] {
            let tries = 200;
            let (mut best, mut share) = (0, 0.0);
            for _ in 0..tries {
                let (found, all) = gains(levels, classes, &mut rng);
                assert!(found <= all * (1.0 + 1e-9));
                best += usize::from(found >= all * (1.0 - 1e-9));
                share += found / all / f64::from(tries);
            }
            // With this seed 200, 195, 193, 184 and 165 of 200; 1, 0.999, 0.999, 0.997 and 0.994 of the gain.
            assert!(
                best >= 160 && share > 0.99,
                "{levels} {classes}: {best} of {tries}, {share} of the gain"
            );
        }
    }

    #[test]
    fn for_two_classes_the_leading_direction_is_exact() {
        let mut rng = ChaCha12Rng::seed_from_u64(6);
        for _ in 0..100 {
            let (found, all) = gains(8, 2, &mut rng);
            assert!((found - all).abs() < 1e-9 * all);
        }
    }
}
