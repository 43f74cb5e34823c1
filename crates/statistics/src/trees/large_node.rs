//! A node of many records, searched by histograms.

use std::cell::RefCell;

use super::best::Best;
use super::codes::with_codes;
use super::grow::Problem;
use super::histogram::{Histogram, class_runs, score_runs};
use super::search_classes::{ClassRun, ClassRuns, Item, Sides};
use super::search_scores::{self, Piece, Run};
use super::summary::{Local, Summary};

/// A histogram is kept for the children when there are this many records for each of its numbers.
const WORTH_KEEPING: usize = 4;

/// A node with the response of its records side by side.
pub(super) struct LargeNode<'a> {
    pub problem: &'a Problem<'a>,
    pub rows: &'a [u32],
    pub summary: Summary,
    pub response: Local,
    /// Empty where all are one.
    pub weights: Vec<u32>,
}

/// What the search by one predictor found.
pub(super) struct Looked {
    pub best: Best,
    /// Whether the records differ in the predictor at all.
    pub varies: bool,
    pub histogram: Option<Histogram>,
}

/// Memory of one thread that is used again. All counts are zero between uses.
#[derive(Default)]
struct Space {
    bins: Vec<(u32, i64)>,
    counts: Vec<u32>,
    runs: Vec<Run>,
    pieces: Vec<Piece>,
    class_runs: ClassRuns,
    sides: Sides,
}

thread_local! {
    static SPACE: RefCell<Space> = RefCell::default();
}

impl<'a> LargeNode<'a> {
    pub fn new(problem: &'a Problem<'a>, rows: &'a [u32], summary: Summary) -> Self {
        let mut response = Local::Classes(Vec::new());
        response.gather(&problem.target.values, problem.weights, rows);
        let weights = match problem.weights {
            Some(weights) => rows.iter().map(|&row| weights[row as usize]).collect(),
            None => Vec::new(),
        };
        Self { problem, rows, summary, response, weights }
    }

    pub fn weight(&self, record: usize) -> u32 {
        if self.weights.is_empty() { 1 } else { self.weights[record] }
    }

    /// The best split by one predictor, whose histogram may be known.
    pub fn search(&self, predictor: usize, known: Option<Histogram>) -> Looked {
        let (numerator, denominator) = self.problem.baseline(&self.summary);
        let mut best = Best::above(numerator, denominator);
        let keep = self.cells(predictor) * WORTH_KEEPING <= self.rows.len();
        let histogram = known.or_else(|| keep.then(|| self.count(predictor)));
        let varies = SPACE.with_borrow_mut(|space| match &self.response {
            Local::Scores(scores) => self.search_scores(predictor, scores, &histogram, space, &mut best),
            Local::Classes(classes) => self.search_classes(predictor, classes, &histogram, space, &mut best),
        });
        Looked { best, varies, histogram: histogram.filter(|_| keep) }
    }

    /// Which records go left, and the sums over both children.
    pub fn divide(&self, best: &Best) -> (Vec<bool>, Summary, Summary) {
        let predictor = self.problem.predictors[best.predictor.expect("only a split that was found divides")];
        let mut left = vec![false; predictor.coding().codes()];
        if let Some((last, _)) = best.cut {
            left[..=last as usize].fill(true);
        }
        best.left.iter().for_each(|label| left[*label as usize] = true);
        let goes_left: Vec<bool> = with_codes!(predictor.codes(), codes => {
            self.rows.iter().map(|row| left[codes[*row as usize] as usize]).collect()
        });
        let mut counts = vec![0; self.problem.classes()];
        let mut side = |left: bool| {
            let records = (0..goes_left.len()).filter(|record| goes_left[*record] == left);
            self.response.summary(&self.weights, records, &mut counts)
        };
        let (left, right) = (side(true), side(false));
        (goes_left, left, right)
    }

    fn search_scores(
        &self,
        predictor: usize,
        scores: &[i64],
        histogram: &Option<Histogram>,
        space: &mut Space,
        best: &mut Best,
    ) -> bool {
        let Space { bins, runs, pieces, .. } = space;
        if let Some(Histogram::Scores(bins)) = histogram {
            score_runs(bins, runs);
        } else {
            let cells = self.cells(predictor);
            bins.resize(bins.len().max(cells), (0, 0));
            self.count_scores(predictor, scores, bins);
            score_runs(&bins[..cells], runs);
            bins[..cells].fill((0, 0));
        }
        let ordered = self.problem.predictors[predictor].coding().ordered_codes();
        let min_bucket = self.problem.options.min_bucket;
        search_scores::search(predictor, runs, ordered, &self.summary, min_bucket, best, pieces);
        runs.len() > 1
    }

    fn search_classes(
        &self,
        predictor: usize,
        classes: &[u32],
        histogram: &Option<Histogram>,
        space: &mut Space,
        best: &mut Best,
    ) -> bool {
        let levels = self.problem.classes();
        let cells = self.cells(predictor);
        let Space { counts, class_runs: runs, sides, .. } = space;
        if let Some(Histogram::Classes(counts)) = histogram {
            class_runs(counts, levels, runs);
        } else if cells <= self.rows.len() {
            counts.resize(counts.len().max(cells), 0);
            self.count_classes(predictor, classes, counts);
            class_runs(&counts[..cells], levels, runs);
            counts[..cells].fill(0);
        } else {
            self.sort_classes(predictor, classes, counts, runs);
        }
        let items = (0..).zip(classes).map(|(record, &class)| Item { class, weight: self.weight(record) });
        sides.enter(levels, items, &self.summary, self.problem.options.min_bucket);
        let ordered = self.problem.predictors[predictor].coding().ordered_codes();
        sides.search(predictor, runs, ordered, best);
        runs.runs.len() > 1
    }

    /// The classes of each code where a table of codes and classes would be too large: by sorting the records by their code.
    fn sort_classes(&self, predictor: usize, classes: &[u32], counts: &mut Vec<u32>, runs: &mut ClassRuns) {
        let codes_in_all = self.problem.predictors[predictor].coding().codes();
        counts.resize(counts.len().max(codes_in_all), 0);
        runs.clear();
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            self.rows.iter().for_each(|row| counts[codes[*row as usize] as usize] += 1);
            let mut end = 0;
            for (label, count) in (0..).zip(&mut counts[..codes_in_all]) {
                if *count > 0 {
                    let start = end;
                    end += std::mem::replace(count, start);
                    runs.runs.push(ClassRun { label, weight: 0, end });
                }
            }
            runs.items.resize(self.rows.len(), Item { class: 0, weight: 0 });
            for (record, (row, class)) in self.rows.iter().zip(classes).enumerate() {
                let next = &mut counts[codes[*row as usize] as usize];
                runs.items[*next as usize] = Item { class: *class, weight: self.weight(record) };
                *next += 1;
            }
        });
        let mut start = 0;
        for run in &mut runs.runs {
            counts[run.label as usize] = 0;
            run.weight = runs.items[start..run.end as usize].iter().map(|item| item.weight).sum();
            start = run.end as usize;
        }
    }
}
