//! A junction tree: the cliques of a triangulated margin graph, joined so that a model's sums pass between
//! neighbours.
//!
//! Two variables are joined in the margin graph when some margin holds both. A log-linear model on the
//! margins factorises over the cliques of any chordal graph that contains the margin graph (Lauritzen 1996,
//! ch. 4 and 6). The graph is made chordal by eliminating variables one by one, each time the one that needs
//! the fewest new edges (min-fill), ties to the clique with fewer cells, then to the lower number: the same
//! input always gives the same tree.

use fixedbitset::FixedBitSet;

use crate::attributes::{cells, cells_exactly, is_subset};

/// Cliques joined into a tree with the running intersection property: the cliques that hold a variable are
/// connected.
///
/// Parts of the graph that no margin connects are joined by empty separators, so it is always one tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JunctionTree {
    sizes: Vec<usize>,
    cliques: Vec<Vec<usize>>,
    /// Pairs of neighbouring cliques, one fewer than there are cliques.
    edges: Vec<(usize, usize)>,
}

impl JunctionTree {
    /// The junction tree of the margins over these sets of variables; variables in no set stand alone.
    ///
    /// # Panics
    ///
    /// If a set names a variable that `sizes` does not have.
    pub(crate) fn new<'a>(sizes: &[usize], margins: impl IntoIterator<Item = &'a [usize]>) -> Self {
        let mut neighbours = vec![FixedBitSet::with_capacity(sizes.len()); sizes.len()];
        for margin in margins {
            for &a in margin {
                neighbours[a].extend(margin.iter().copied().filter(|&b| b != a));
            }
        }
        let cliques = eliminate(sizes, neighbours);
        let edges = maximum_spanning_tree(&cliques);
        Self { sizes: sizes.to_vec(), cliques, edges }
    }

    /// The trivial tree whose one clique holds every variable.
    pub(crate) fn full_table(sizes: &[usize]) -> Self {
        Self { sizes: sizes.to_vec(), cliques: vec![(0..sizes.len()).collect()], edges: Vec::new() }
    }

    /// Cliques that are already joined so.
    pub(crate) fn joined(sizes: &[usize], cliques: Vec<Vec<usize>>, edges: Vec<(usize, usize)>) -> Self {
        Self { sizes: sizes.to_vec(), cliques, edges }
    }

    /// The attributes of each clique, ascending.
    pub(crate) fn cliques(&self) -> &[Vec<usize>] {
        &self.cliques
    }

    /// Cells of all cliques together: what a fit on this tree holds in memory. `u128::MAX` where there are
    /// more.
    pub(crate) fn cells(&self) -> u128 {
        self.cliques.iter().map(|clique| cells(&self.sizes, clique)).fold(0, u128::saturating_add)
    }

    /// The clique with the most cells.
    pub(crate) fn largest_clique(&self) -> &[usize] {
        let largest = (0..self.cliques.len()).max_by_key(|&at| {
            (cells(&self.sizes, &self.cliques[at]), self.cliques[at].len(), std::cmp::Reverse(at))
        });
        largest.map_or(&[], |at| &self.cliques[at])
    }

    /// The cells of the largest clique, exactly, in decimal.
    pub(crate) fn largest_clique_cells(&self) -> String {
        cells_exactly(&self.sizes, self.largest_clique())
    }

    /// Variables in the clique with the most variables, less one: 1 for a forest of pairs.
    pub(crate) fn treewidth(&self) -> usize {
        self.cliques.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1)
    }

    /// The cliques from the root on, each with the place of the one that it hangs on: parents before
    /// children, and each branch whole before the next. The root is the largest clique, because the first is
    /// walked over once less a sweep.
    pub(crate) fn visits_from_root(&self) -> Vec<(usize, Option<usize>)> {
        let largest = self.largest_clique();
        let root = self.cliques.iter().position(|clique| clique == largest).unwrap_or(0);
        let mut neighbours = vec![Vec::new(); self.cliques.len()];
        for &(a, b) in &self.edges {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        let mut visits = Vec::with_capacity(self.cliques.len());
        let mut ahead = vec![(root, None, root)];
        while let Some((clique, parent_place, parent)) = ahead.pop() {
            let place = visits.len();
            visits.push((clique, parent_place));
            ahead.extend(
                neighbours[clique]
                    .iter()
                    .filter(|&&next| next != parent)
                    .map(|&next| (next, Some(place), clique)),
            );
        }
        visits
    }

    /// The smallest clique that holds all of `attributes`, if one does.
    pub(crate) fn host(&self, attributes: &[usize]) -> Option<usize> {
        (0..self.cliques.len())
            .filter(|&at| is_subset(attributes, &self.cliques[at]))
            .min_by_key(|&at| (cells(&self.sizes, &self.cliques[at]), at))
    }
}

/// The maximal cliques that min-fill elimination leaves behind, in the order of elimination.
fn eliminate(sizes: &[usize], mut neighbours: Vec<FixedBitSet>) -> Vec<Vec<usize>> {
    let price = |variable: usize, neighbours: &[FixedBitSet]| {
        (fill(variable, neighbours), cells(sizes, &clique_around(variable, neighbours)), variable)
    };
    let mut prices: Vec<_> = (0..sizes.len()).map(|variable| Some(price(variable, &neighbours))).collect();
    let mut cliques: Vec<Vec<usize>> = Vec::new();
    while let Some((_, _, variable)) = prices.iter().flatten().min().copied() {
        let clique = clique_around(variable, &neighbours);
        prices[variable] = None;
        let around = std::mem::take(&mut neighbours[variable]);
        for other in around.ones() {
            neighbours[other].union_with(&around);
            neighbours[other].remove(other);
            neighbours[other].remove(variable);
        }
        // Prices change for the neighbours, and for whoever has several of them as neighbours.
        let mut touched = around.clone();
        around.ones().for_each(|other| touched.union_with(&neighbours[other]));
        for other in touched.ones() {
            prices[other] = Some(price(other, &neighbours));
        }
        // A clique within another is within an earlier one: the later ones no longer hold this variable.
        if !cliques.iter().any(|earlier| is_subset(&clique, earlier)) {
            cliques.push(clique);
        }
    }
    cliques
}

fn clique_around(variable: usize, neighbours: &[FixedBitSet]) -> Vec<usize> {
    let mut clique: Vec<usize> = neighbours[variable].ones().collect();
    let at = clique.partition_point(|&other| other < variable);
    clique.insert(at, variable);
    clique
}

/// Edges missing among the neighbours of a variable.
fn fill(variable: usize, neighbours: &[FixedBitSet]) -> usize {
    let around = &neighbours[variable];
    let degree = around.count_ones(..);
    let present: usize = around.ones().map(|other| neighbours[other].intersection_count(around)).sum();
    (degree * degree.saturating_sub(1) - present) / 2
}

/// Joins the cliques by the largest separators first, which gives the running intersection property (Prim's
/// algorithm from the first clique; ties to the lowest numbers).
fn maximum_spanning_tree(cliques: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    // For each clique still outside: the size of its largest separator with one inside, and with which.
    let mut outside: Vec<Option<(usize, usize)>> = vec![Some((0, 0)); cliques.len()];
    let mut joined = 0;
    while joined < cliques.len() {
        outside[joined] = None;
        for (clique, best) in cliques.iter().zip(&mut outside) {
            if let Some((size, with)) = best {
                let shared = shared(&cliques[joined], clique);
                if shared > *size {
                    (*size, *with) = (shared, joined);
                }
            }
        }
        let candidates =
            outside.iter().enumerate().filter_map(|(at, best)| best.map(|(size, with)| (size, at, with)));
        match candidates.max_by_key(|&(size, at, _)| (size, std::cmp::Reverse(at))) {
            Some((_, at, with)) => {
                edges.push((with, at));
                joined = at;
            }
            None => break,
        }
    }
    edges
}

/// How many variables two cliques share.
fn shared(a: &[usize], b: &[usize]) -> usize {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = 0;
    while let (Some(&left), Some(&right)) = (a.peek(), b.peek()) {
        shared += usize::from(left == right);
        if left <= right {
            a.next();
        }
        if right <= left {
            b.next();
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(sizes: &[usize], margins: &[Vec<usize>]) -> JunctionTree {
        JunctionTree::new(sizes, margins.iter().map(Vec::as_slice))
    }

    /// The cliques that hold a variable must hang together through separators that hold it too.
    fn has_running_intersections(tree: &JunctionTree) -> bool {
        (0..tree.sizes.len()).all(|variable| {
            let holds = |at: usize| tree.cliques[at].contains(&variable);
            let nodes = (0..tree.cliques.len()).filter(|&at| holds(at)).count();
            let links = tree.edges.iter().filter(|(a, b)| holds(*a) && holds(*b)).count();
            nodes == links + 1
        })
    }

    #[test]
    fn known_graphs_have_known_treewidths() {
        let path: Vec<Vec<usize>> = (0..9).map(|i| vec![i, i + 1]).collect();
        assert_eq!(tree(&[2; 10], &path).treewidth(), 1);
        let cycle: Vec<Vec<usize>> =
            (0..10).map(|i| vec![i.min((i + 1) % 10), i.max((i + 1) % 10)]).collect();
        assert_eq!(tree(&[2; 10], &cycle).treewidth(), 2);
        let complete: Vec<Vec<usize>> = (0..6).flat_map(|i| (i + 1..6).map(move |j| vec![i, j])).collect();
        assert_eq!(tree(&[2; 6], &complete).cliques(), [[0, 1, 2, 3, 4, 5]]);
        // A grid of 4 × 4 has treewidth 4, and min-fill finds it.
        let grid: Vec<Vec<usize>> = (0..16)
            .flat_map(|i| {
                let right = (i % 4 < 3).then(|| vec![i, i + 1]);
                let below = (i < 12).then(|| vec![i, i + 4]);
                right.into_iter().chain(below)
            })
            .collect();
        assert_eq!(tree(&[2; 16], &grid).treewidth(), 4);
    }

    #[test]
    fn a_cycle_needs_one_edge_more_than_a_chain() {
        let chain = tree(&[10; 4], &[vec![0, 1], vec![1, 2], vec![2, 3]]);
        assert_eq!((chain.cliques().len(), chain.treewidth(), chain.cells()), (3, 1, 300));
        let cycle = tree(&[10; 4], &[vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]]);
        assert_eq!((cycle.cliques().len(), cycle.treewidth(), cycle.cells()), (2, 2, 2000));
    }

    #[test]
    fn lonely_variables_stand_alone() {
        let tree = tree(&[2, 3, 4], &[vec![0, 2]]);
        assert_eq!(tree.cliques().len(), 2);
        assert_eq!(tree.edges.len(), 1);
        assert_eq!(tree.cells(), 8 + 3);
    }

    /// Min-fill with every price worked out again at every step.
    fn order_slowly(sizes: &[usize], margins: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let mut joined = vec![vec![false; sizes.len()]; sizes.len()];
        for margin in margins {
            margin.iter().for_each(|&a| margin.iter().for_each(|&b| joined[a][b] = a != b));
        }
        let mut left: Vec<usize> = (0..sizes.len()).collect();
        let mut cliques: Vec<Vec<usize>> = Vec::new();
        while !left.is_empty() {
            let around =
                |v: usize| -> Vec<usize> { left.iter().copied().filter(|&u| joined[v][u]).collect() };
            let price = |v: usize| {
                let near = around(v);
                let missing = near.iter().flat_map(|&a| near.iter().map(move |&b| (a, b)));
                let missing = missing.filter(|&(a, b)| a < b && !joined[a][b]).count();
                (missing, sizes[v] * near.iter().map(|&u| sizes[u]).product::<usize>(), v)
            };
            let best = left.iter().copied().min_by_key(|&v| price(v)).unwrap();
            let near = around(best);
            near.iter().for_each(|&a| near.iter().for_each(|&b| joined[a][b] = a != b));
            let mut clique = [near, vec![best]].concat();
            clique.sort_unstable();
            if !cliques.iter().any(|earlier| is_subset(&clique, earlier)) {
                cliques.push(clique);
            }
            left.retain(|&v| v != best);
        }
        cliques
    }

    proptest! {
        #[test]
        fn prices_are_kept_up_to_date(
            sizes in prop::collection::vec(2_usize..5, 9),
            margins in prop::collection::vec(prop::collection::btree_set(0_usize..9, 2..4), 0..14)
        ) {
            let margins: Vec<Vec<usize>> = margins.into_iter().map(|set| set.into_iter().collect()).collect();
            prop_assert_eq!(tree(&sizes, &margins).cliques, order_slowly(&sizes, &margins));
        }

        #[test]
        fn every_tree_covers_its_margins_with_running_intersections(
            margins in prop::collection::vec(prop::collection::btree_set(0_usize..9, 0..4), 0..14)
        ) {
            let margins: Vec<Vec<usize>> = margins.into_iter().map(|set| set.into_iter().collect()).collect();
            let tree = tree(&[2; 9], &margins);
            for margin in &margins {
                prop_assert!(tree.host(margin).is_some());
            }
            prop_assert_eq!(tree.edges.len() + 1, tree.cliques.len());
            prop_assert!(has_running_intersections(&tree));
            for (i, a) in tree.cliques.iter().enumerate() {
                for (j, b) in tree.cliques.iter().enumerate() {
                    prop_assert!(i == j || !is_subset(a, b), "{:?} lies within {:?}", a, b);
                }
            }
        }
    }
}
