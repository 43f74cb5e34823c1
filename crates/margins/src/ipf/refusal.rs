//! A refusal: why a model is too large, and what a person can change.

use crate::attributes::{cells, cells_exactly, intersection};
use crate::ipf::target::Problem;
use crate::junction_tree::JunctionTree;

/// Effort spent on looking for margins to drop: triangulations times the cube of the number of variables, and
/// triangulations at least.
const EFFORT: usize = 200_000_000;
const FEWEST_TRIALS: usize = 100;

/// Neither the full table nor a junction tree is small enough. Variables are numbers; the caller knows their
/// names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the full table has {cells} cells and the best junction tree found has {tree_cells}, of which \
     {clique_cells} in one clique of {} variables (treewidth {treewidth}); the limits are {dense_limit} and \
     {tree_limit}; {}",
    .clique.len(), advice(.drop, *.sufficient)
)]
pub struct Refusal {
    /// Cells of the full table, exactly, in decimal.
    pub cells: String,
    /// Cells of all cliques of the junction tree together; the largest number that fits in 128 bits if more.
    pub tree_cells: u128,
    /// The largest clique's attributes.
    pub clique: Vec<usize>,
    /// The largest clique's cells, exactly, in decimal.
    pub clique_cells: String,
    /// Variables of the widest clique, less one.
    pub treewidth: usize,
    /// The limit on the full table.
    pub dense_limit: usize,
    /// The limit on all cliques of a junction tree together.
    pub tree_limit: usize,
    /// Margins to drop, each by its attributes: greedily the one that shrinks the largest clique most.
    pub drop: Vec<Vec<usize>>,
    /// Whether dropping them makes the model fit; if not, the search ended before it found enough.
    pub sufficient: bool,
}

fn advice(drop: &[Vec<usize>], sufficient: bool) -> String {
    match (drop.is_empty(), sufficient) {
        (true, _) => {
            "dropping margins does not help: merge classes or loosen the rules on impossible cells".into()
        }
        (false, true) => format!("dropping the margins {drop:?} would make it fit"),
        (false, false) => {
            format!("dropping the margins {drop:?} helps most but is not enough; drop more, or merge classes")
        }
    }
}

impl Refusal {
    pub(crate) fn new(
        problem: &Problem<'_>,
        tree: &JunctionTree,
        dense_limit: usize,
        tree_limit: usize,
    ) -> Self {
        let all: Vec<usize> = (0..problem.sizes.len()).collect();
        let (drop, sufficient) = margins_to_drop(problem, tree.clone(), tree_limit);
        Self {
            cells: cells_exactly(problem.sizes, &all),
            tree_cells: tree.cells(),
            clique: tree.largest_clique().to_vec(),
            clique_cells: tree.largest_clique_cells(),
            treewidth: tree.treewidth(),
            dense_limit,
            tree_limit,
            drop,
            sufficient,
        }
    }
}

/// Size by which trees are compared: cells of the largest clique, then of all.
fn size(sizes: &[usize], tree: &JunctionTree) -> (u128, u128) {
    (cells(sizes, tree.largest_clique()), tree.cells())
}

fn margins_to_drop(problem: &Problem<'_>, mut tree: JunctionTree, limit: usize) -> (Vec<Vec<usize>>, bool) {
    let sizes = problem.sizes;
    let mut kept: Vec<&[usize]> = problem.targets.iter().map(|target| target.attributes.as_slice()).collect();
    let rules: Vec<&[usize]> = problem.impossible.iter().map(|rule| rule.attributes.as_slice()).collect();
    let mut dropped = Vec::new();
    let mut trials_left = (EFFORT / sizes.len().pow(3).max(1)).max(FEWEST_TRIALS);
    while tree.cells() > limit as u128 {
        let clique = tree.largest_clique();
        // Only a margin with two variables in the clique can have tied it together.
        let candidates = (0..kept.len()).filter(|&at| intersection(kept[at], clique).len() >= 2);
        let candidates: Vec<usize> = candidates.take(trials_left).collect();
        trials_left -= candidates.len();
        let without = |at: usize| {
            let others = kept.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, margin)| *margin);
            JunctionTree::new(sizes, others.chain(rules.iter().copied()))
        };
        let best = candidates
            .into_iter()
            .map(|at| (at, without(at)))
            .min_by_key(|(at, tree)| (size(sizes, tree), *at));
        match best {
            Some((at, smaller)) => {
                dropped.push(kept.remove(at).to_vec());
                tree = smaller;
            }
            None => return (dropped, false),
        }
    }
    (dropped, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ipf::options::Options;
    use crate::ipf::target::TargetMargin;

    fn refusal(sizes: &[usize], margins: &[Vec<usize>], tree_limit: usize) -> Refusal {
        let targets: Vec<TargetMargin> = margins
            .iter()
            .map(|margin| {
                let size: usize = margin.iter().map(|&variable| sizes[variable]).product();
                TargetMargin::new(margin.clone(), vec![1.0 / size as f64; size])
            })
            .collect();
        let problem = Problem::new(sizes, &targets, &[], &Options::default()).unwrap();
        let tree = JunctionTree::new(sizes, margins.iter().map(Vec::as_slice));
        Refusal::new(&problem, &tree, 1, tree_limit)
    }

    #[test]
    fn one_chord_too_many_is_found() {
        // A cycle of six variables with 10 classes needs cliques of 1,000 cells; as a chain, pairs of 100 do.
        let cycle: Vec<Vec<usize>> =
            vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4], vec![4, 5], vec![0, 5]];
        let refusal = refusal(&[10; 6], &cycle, 600);
        assert_eq!(refusal.drop, [[0, 1]]);
        assert!(refusal.sufficient);
        assert_eq!(
            refusal.to_string(),
            "the full table has 1000000 cells and the best junction tree found has 4000, of which 1000 \
             in one clique of 3 variables (treewidth 2); the limits are 1 and 600; dropping the \
             margins [[0, 1]] would make it fit"
        );
    }

    #[test]
    fn a_single_margin_above_the_limit_is_dropped_too() {
        let refusal = refusal(&[10; 3], &[vec![0, 1, 2]], 100);
        assert_eq!(refusal.drop, [[0, 1, 2]]);
        assert!(refusal.sufficient);
    }

    #[test]
    fn a_hopeless_case_is_reported_in_bounded_time() {
        let complete: Vec<Vec<usize>> = (0..40).flat_map(|i| (i + 1..40).map(move |j| vec![i, j])).collect();
        let refusal = refusal(&[4; 40], &complete, 1 << 20);
        assert_eq!(refusal.treewidth, 39);
        assert_eq!(refusal.clique_cells, "1208925819614629174706176");
        assert!(!refusal.drop.is_empty() && !refusal.sufficient);
        assert!(refusal.to_string().contains("is not enough"));
    }
}
