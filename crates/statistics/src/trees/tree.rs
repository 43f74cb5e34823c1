//! A fitted tree.

use std::fmt::Write;
use std::ops::Range;

use rayon::prelude::*;

use super::block::LARGEST_BLOCK;
use super::grow::{Active, Grown, Place, Problem, Sampling, grow};
use super::leaf_contents::LeafContents;
use super::response::Target;
use super::summary::Local;
use super::{Predictor, Response, TreeError, TreeOptions};

/// Records routed as one piece of work.
const PIECE: usize = 1 << 13;
/// From so much weight on, sums would not be exact.
const TOO_MUCH: u64 = 1 << 31;

/// A fitted tree. It keeps no values of the records, only codes, the positions of its donors and what its leaves hold of the response.
///
/// Leaves are numbered from 0, from left to right.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The ordered and unordered codes of each predictor.
    pub(super) codes: Vec<(u32, u32)>,
    /// In preorder: a left child is the next node.
    pub(super) nodes: Vec<Node>,
    /// The codes that splits list.
    pub(super) listed: Vec<u32>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) donors: Vec<u32>,
    /// Class and weight, leaf by leaf.
    pub(super) classes: Vec<(u32, u32)>,
    pub(super) importance: Vec<f64>,
    pub(super) depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Node {
    Leaf(u32),
    Split(Split),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    pub predictor: u32,
    /// How many of the predictor's codes are ordered, and which of these go left.
    pub ordered: u32,
    pub below: u32,
    /// Where in `listed` the unordered codes begin and end that go to the smaller child; all others go to the larger.
    pub listed: (u32, u32),
    pub listed_left: bool,
    pub right: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leaf {
    pub donors: (u32, u32),
    pub classes: (u32, u32),
    pub weight: u64,
    pub mean: Option<f64>,
}

impl Tree {
    /// Fits a tree to all records, or to those of weight above zero; a record of weight w counts as w equal records.
    pub fn fit(
        predictors: &[&Predictor],
        response: &Response<'_>,
        weights: Option<&[u32]>,
        options: &TreeOptions,
    ) -> Result<Self, TreeError> {
        Self::fit_by(predictors, response, weights, options, None, LARGEST_BLOCK)
    }

    /// Fits a tree, of which every node looks at a few predictors only where `sampling` says so.
    pub(super) fn fit_by(
        predictors: &[&Predictor],
        response: &Response<'_>,
        weights: Option<&[u32]>,
        options: &TreeOptions,
        sampling: Option<Sampling>,
        largest_block: usize,
    ) -> Result<Self, TreeError> {
        options.check()?;
        check_lengths(predictors, response, weights)?;
        let (mut rows, weight) = match weights {
            None => ((0..response.len() as u32).collect::<Vec<u32>>(), response.len() as u64),
            Some(weights) => {
                let rows = (0..weights.len() as u32).filter(|row| weights[*row as usize] > 0).collect();
                (rows, weights.iter().map(|weight| u64::from(*weight)).sum())
            }
        };
        if rows.is_empty() {
            return Err(TreeError::NoRecords);
        }
        if weight >= TOO_MUCH {
            return Err(TreeError::TooManyRecords);
        }
        let target = Target::new(response, &rows, weights, weight)?;
        let (options, alpha) = (*options, 0.0);
        let mut problem = Problem { predictors, target, weights, options, alpha, sampling, largest_block };
        let mut all = Local::Classes(Vec::new());
        all.gather(&problem.target.values, weights, &rows);
        let row_weights: Vec<u32> =
            weights.map_or(Vec::new(), |weights| rows.iter().map(|&row| weights[row as usize]).collect());
        let summary = all.summary(&row_weights, 0..rows.len(), &mut vec![0; problem.classes()]);
        drop((all, row_weights));
        problem.alpha = options.complexity * problem.risk(&summary);
        let place = Place { summary, depth: 0, bound: f64::INFINITY, key: 0 };
        let active =
            (0..predictors.len() as u32).map(|predictor| Active { predictor, histogram: None }).collect();
        let (grown, _) = grow(&problem, &mut rows, 0, place, active);
        Ok(Self::new(predictors, response, weights, grown, rows))
    }

    fn new(
        predictors: &[&Predictor],
        response: &Response<'_>,
        weights: Option<&[u32]>,
        grown: Grown,
        donors: Vec<u32>,
    ) -> Self {
        let codes: Vec<(u32, u32)> =
            predictors.iter().map(|p| (p.coding().ordered_codes(), p.coding().unordered_codes())).collect();
        let mut tree = Self {
            nodes: Vec::with_capacity(grown.nodes.len()),
            leaves: Vec::with_capacity(grown.nodes.len() / 2 + 1),
            classes: Vec::new(),
            importance: vec![0.0; codes.len()],
            codes,
            listed: grown.listed,
            donors,
            depth: 0,
        };
        let mut contents = LeafContents::new(response, weights);
        for (position, node) in (0..).zip(grown.nodes) {
            tree.nodes.push(match node.split {
                None => {
                    let donors = &tree.donors[node.records.start as usize..node.records.end as usize];
                    let start = tree.classes.len() as u32;
                    let (weight, mean) = contents.of(donors, &mut tree.classes);
                    let classes = (start, tree.classes.len() as u32);
                    tree.leaves.push(Leaf {
                        donors: (node.records.start, node.records.end),
                        classes,
                        weight,
                        mean,
                    });
                    Node::Leaf(tree.leaves.len() as u32 - 1)
                }
                Some(split) => {
                    let importance = &mut tree.importance[split.predictor as usize];
                    // Squares of numbers near the largest overflow.
                    *importance = (*importance + split.gain).min(f64::MAX);
                    Node::Split(Split {
                        predictor: split.predictor,
                        ordered: tree.codes[split.predictor as usize].0,
                        below: split.below,
                        listed: (split.listed.start, split.listed.end),
                        listed_left: split.listed_left,
                        right: position + split.right,
                    })
                }
            });
        }
        tree.depth = tree.depths().into_iter().max().unwrap_or(0);
        tree
    }

    /// The number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The largest number of splits between the root and a leaf.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The records that a leaf was grown from, as positions in the columns of the fit.
    ///
    /// # Panics
    /// If there is no such leaf; so do the other functions of a leaf.
    pub fn donors(&self, leaf: u32) -> &[u32] {
        let (start, end) = self.leaves[leaf as usize].donors;
        &self.donors[start as usize..end as usize]
    }

    /// The weight of the records that a leaf was grown from.
    pub fn weight(&self, leaf: u32) -> u64 {
        self.leaves[leaf as usize].weight
    }

    /// The classes in a leaf with their weights, by class; empty for a numeric response.
    pub(crate) fn class_weights(&self, leaf: u32) -> &[(u32, u32)] {
        let (start, end) = self.leaves[leaf as usize].classes;
        &self.classes[start as usize..end as usize]
    }

    /// The share of a class in a leaf: the estimated probability. `None` for a numeric response.
    pub fn share(&self, leaf: u32, class: u32) -> Option<f64> {
        let weights = self.class_weights(leaf);
        let own = weights.binary_search_by_key(&class, |(class, _)| *class).map_or(0, |at| weights[at].1);
        (!weights.is_empty()).then(|| f64::from(own) / self.weight(leaf) as f64)
    }

    /// The mean response in a leaf; `None` for classes.
    pub fn mean(&self, leaf: u32) -> Option<f64> {
        self.leaves[leaf as usize].mean
    }

    /// The leaf of a record given by its codes, one for each predictor.
    ///
    /// # Panics
    /// If there are fewer codes than predictors.
    pub fn leaf_of(&self, codes: &[u32]) -> u32 {
        self.descend(|predictor| codes[predictor])
    }

    /// The leaf of a record of which a function tells the code of each predictor.
    pub fn leaf_by(&self, code_of: impl Fn(usize) -> u32) -> u32 {
        self.descend(code_of)
    }

    /// The leaves of records of columns that are coded as those of the fit. Goes over large ranges in parallel.
    pub fn route(&self, predictors: &[&Predictor], rows: Range<usize>) -> Result<Vec<u32>, TreeError> {
        self.check_columns(predictors, &rows)?;
        let mut leaves = vec![0; rows.len()];
        let piece = |(position, piece): (usize, &mut [u32])| {
            let start = rows.start + position * PIECE;
            for (row, leaf) in (start..).zip(piece) {
                *leaf = self.leaf_at(predictors, row);
            }
        };
        match leaves.len() > PIECE {
            true => leaves.par_chunks_mut(PIECE).enumerate().for_each(piece),
            false => leaves.chunks_mut(PIECE).enumerate().for_each(piece),
        }
        Ok(leaves)
    }

    /// For each predictor the sum of what its splits gained: the fall of Gini's index (times the weight) or of the sum of squares.
    pub fn importance(&self) -> &[f64] {
        &self.importance
    }

    /// The tree as text, a line a node, without any value: which predictor splits, what kind of codes go left, the weight of leaves.
    ///
    /// # Panics
    /// If there are fewer names than predictors.
    pub fn describe(&self, names: &[&str]) -> String {
        let mut text = String::new();
        for (node, depth) in self.nodes.iter().zip(self.depths()) {
            let indent = 2 * depth as usize;
            // Writing to a string cannot fail.
            let _ = match node {
                Node::Leaf(leaf) => {
                    writeln!(text, "{:indent$}leaf {leaf}: weight {}", "", self.leaves[*leaf as usize].weight)
                }
                Node::Split(split) => {
                    let codes = split.listed.1 - split.listed.0;
                    let side = if split.listed_left { "left" } else { "right" };
                    let cut = match split.ordered {
                        0 => String::new(),
                        _ => format!("{} of {} ordered codes left, ", split.below, split.ordered),
                    };
                    writeln!(
                        text,
                        "{:indent$}{}: {cut}{codes} others {side}",
                        "", names[split.predictor as usize]
                    )
                }
            };
        }
        text
    }

    /// Checks that columns are coded as those of the fit and reach over `rows`.
    pub(super) fn check_columns(
        &self,
        predictors: &[&Predictor],
        rows: &Range<usize>,
    ) -> Result<(), TreeError> {
        if predictors.len() != self.codes.len() {
            return Err(TreeError::Predictors { fitted: self.codes.len(), given: predictors.len() });
        }
        for (position, (predictor, codes)) in predictors.iter().zip(&self.codes).enumerate() {
            if (predictor.coding().ordered_codes(), predictor.coding().unordered_codes()) != *codes {
                return Err(TreeError::Coding { position });
            }
            if predictor.len() < rows.end {
                return Err(TreeError::Rows { end: rows.end, position });
            }
        }
        Ok(())
    }

    /// The leaf of one record of checked columns.
    pub(super) fn leaf_at(&self, predictors: &[&Predictor], row: usize) -> u32 {
        self.descend(|predictor| predictors[predictor].codes().get(row))
    }

    /// Replaces the donors by all of `rows`, each in the leaf that it is routed to.
    pub(super) fn adopt(&mut self, predictors: &[&Predictor], rows: &[u32]) {
        let leaves: Vec<u32> = rows.iter().map(|&row| self.leaf_at(predictors, row as usize)).collect();
        let mut next = vec![0u32; self.leaves.len()];
        leaves.iter().for_each(|&leaf| next[leaf as usize] += 1);
        let mut end = 0;
        for (leaf, count) in self.leaves.iter_mut().zip(&mut next) {
            let start = end;
            end += std::mem::replace(count, start);
            leaf.donors = (start, end);
        }
        self.donors = vec![0; rows.len()];
        for (&row, &leaf) in rows.iter().zip(&leaves) {
            let place = &mut next[leaf as usize];
            self.donors[*place as usize] = row;
            *place += 1;
        }
    }

    #[inline]
    fn descend(&self, code_of: impl Fn(usize) -> u32) -> u32 {
        let mut at = 0;
        loop {
            match &self.nodes[at] {
                Node::Leaf(leaf) => return *leaf,
                Node::Split(split) => {
                    let code = code_of(split.predictor as usize);
                    let left = if code < split.ordered {
                        code < split.below
                    } else {
                        let listed = &self.listed[split.listed.0 as usize..split.listed.1 as usize];
                        listed.binary_search(&code).is_ok() == split.listed_left
                    };
                    at = if left { at + 1 } else { split.right as usize };
                }
            }
        }
    }

    /// How deep each node is.
    fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::Split(split) = node {
                depths[at + 1] = depths[at] + 1;
                depths[split.right as usize] = depths[at] + 1;
            }
        }
        depths
    }
}

fn check_lengths(
    predictors: &[&Predictor],
    response: &Response<'_>,
    weights: Option<&[u32]>,
) -> Result<(), TreeError> {
    let rows = response.len();
    if let Some(position) = predictors.iter().position(|predictor| predictor.len() != rows) {
        return Err(TreeError::Length { what: format!("predictor {position}") });
    }
    if weights.is_some_and(|weights| weights.len() != rows) {
        return Err(TreeError::Length { what: "the column of weights".to_owned() });
    }
    if rows as u64 >= TOO_MUCH {
        return Err(TreeError::TooManyRecords);
    }
    Ok(())
}
