//! The response of a node's records, added up by the code of a predictor.

use super::codes::with_codes;
use super::large_node::LargeNode;
use super::search_classes::{ClassRun, ClassRuns, Item};
use super::search_scores::Run;
use super::summary::Local;

/// The response of a node's records, added up by the code of a predictor.
#[derive(Debug)]
pub(super) enum Histogram {
    /// Weight and sum of the scores of each code.
    Scores(Vec<(u32, i64)>),
    /// The weight of each class, code after code.
    Classes(Vec<u32>),
}

impl Histogram {
    /// Takes away the records of one child, which leaves those of the other.
    pub(crate) fn subtract(&mut self, child: &Self) {
        match (self, child) {
            (Self::Scores(node), Self::Scores(child)) => {
                for (node, child) in node.iter_mut().zip(child) {
                    node.0 -= child.0;
                    node.1 -= child.1;
                }
            }
            (Self::Classes(node), Self::Classes(child)) => {
                node.iter_mut().zip(child).for_each(|(node, child)| *node -= child);
            }
            _ => unreachable!("a tree has one response"),
        }
    }
}

impl LargeNode<'_> {
    /// How many numbers the histogram of a predictor has.
    pub fn cells(&self, predictor: usize) -> usize {
        self.problem.predictors[predictor].coding().codes() * self.problem.classes().max(1)
    }

    /// The histogram of a predictor.
    pub fn count(&self, predictor: usize) -> Histogram {
        let cells = self.cells(predictor);
        match &self.response {
            Local::Scores(scores) => {
                let mut bins = vec![(0, 0); cells];
                self.count_scores(predictor, scores, &mut bins);
                Histogram::Scores(bins)
            }
            Local::Classes(classes) => {
                let mut counts = vec![0; cells];
                self.count_classes(predictor, classes, &mut counts);
                Histogram::Classes(counts)
            }
        }
    }

    pub(crate) fn count_scores(&self, predictor: usize, scores: &[i64], bins: &mut [(u32, i64)]) {
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            if self.weights.is_empty() {
                for (row, score) in self.rows.iter().zip(scores) {
                    let bin = &mut bins[codes[*row as usize] as usize];
                    bin.0 += 1;
                    bin.1 += score;
                }
            } else {
                for ((row, score), weight) in self.rows.iter().zip(scores).zip(&self.weights) {
                    let bin = &mut bins[codes[*row as usize] as usize];
                    bin.0 += weight;
                    bin.1 += score;
                }
            }
        });
    }

    pub(crate) fn count_classes(&self, predictor: usize, classes: &[u32], counts: &mut [u32]) {
        let levels = self.problem.classes();
        with_codes!(self.problem.predictors[predictor].codes(), codes => {
            for (record, (row, class)) in self.rows.iter().zip(classes).enumerate() {
                counts[codes[*row as usize] as usize * levels + *class as usize] += self.weight(record);
            }
        });
    }
}

/// The runs of the codes that occur.
pub(super) fn score_runs(bins: &[(u32, i64)], runs: &mut Vec<Run>) {
    runs.clear();
    let mut run = Run::default();
    for (label, bin) in (0..).zip(bins) {
        if bin.0 > 0 {
            run = Run { label, weight: run.weight + bin.0, sum: run.sum + bin.1 };
            runs.push(run);
        }
    }
}

/// The runs of the codes that occur.
pub(super) fn class_runs(counts: &[u32], classes: usize, runs: &mut ClassRuns) {
    runs.clear();
    for (label, of_code) in (0..).zip(counts.chunks_exact(classes)) {
        let mut weight = 0;
        for (class, count) in (0..).zip(of_code) {
            if *count > 0 {
                weight += *count;
                runs.items.push(Item { class, weight: *count });
            }
        }
        if weight > 0 {
            runs.runs.push(ClassRun { label, weight, end: runs.items.len() as u32 });
        }
    }
}
