//! Neighbouring leaves put together until each holds enough records of a kind.

use super::Tree;
use super::tree::Node;

impl Tree {
    /// The group of each leaf, from left to right, such that every group holds at least `least` of the records counted in `counts`, one count a
    /// leaf: where a subtree holds fewer, it joins the group of its sibling that is next to it. One group is left if all leaves hold fewer.
    ///
    /// # Panics
    /// If there are fewer counts than leaves.
    pub fn merged_leaves(&self, counts: &[u32], least: u32) -> Vec<u32> {
        let groups = self.groups_below(0, counts, least);
        let mut of_leaf = Vec::with_capacity(counts.len());
        for (number, (leaves, _)) in (0..).zip(&groups) {
            of_leaf.extend(std::iter::repeat_n(number, *leaves as usize));
        }
        of_leaf
    }

    /// The groups of a subtree: of each how many leaves it has and how many records. All hold enough, or there is one.
    fn groups_below(&self, at: usize, counts: &[u32], least: u32) -> Vec<(u32, u64)> {
        let split = match &self.nodes[at] {
            Node::Leaf(leaf) => return vec![(1, u64::from(counts[*leaf as usize]))],
            Node::Split(split) => split,
        };
        let mut left = self.groups_below(at + 1, counts, least);
        let mut right = self.groups_below(split.right as usize, counts, least);
        let is_small = |groups: &[(u32, u64)]| groups.len() == 1 && groups[0].1 < u64::from(least);
        if (is_small(&left) || is_small(&right))
            && let (Some(last), Some(first)) = (left.pop(), right.first_mut())
        {
            *first = (first.0 + last.0, first.1 + last.1);
        }
        left.extend(right);
        left
    }
}

#[cfg(test)]
mod tests {
    use crate::trees::{Predictor, Response, Tree, TreeOptions};

    /// Eight leaves of one value each.
    fn tree() -> Tree {
        let column: Vec<f64> = (0..80).map(|row| f64::from(row / 10)).collect();
        let predictor = Predictor::numeric(&column, None).unwrap();
        let tree =
            Tree::fit(&[&predictor], &Response::Numeric(&column), None, &TreeOptions::default()).unwrap();
        assert_eq!(tree.leaves(), 8);
        tree
    }

    #[test]
    fn small_leaves_join_the_neighbour_in_their_siblings_subtree() {
        let tree = tree();
        let merged = |counts: [u32; 8]| tree.merged_leaves(&counts, 5);
        assert_eq!(merged([5; 8]), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(merged([0; 8]), [0; 8]);
        assert_eq!(merged([9, 0, 9, 9, 9, 9, 9, 9]), [0, 0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(merged([9, 9, 9, 9, 9, 9, 9, 4]), [0, 1, 2, 3, 4, 5, 6, 6]);
        // Two children that are small together with their parent's sibling.
        assert_eq!(merged([2, 2, 9, 9, 9, 9, 9, 9]), [0, 0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(merged([3, 2, 9, 9, 9, 9, 9, 9]), [0, 0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn groups_hold_enough_and_keep_the_order_of_leaves() {
        let tree = tree();
        for pattern in 0..3_u32.pow(8) {
            let counts: Vec<u32> = (0..8).map(|leaf| (pattern / 3_u32.pow(leaf)) % 3 * 2).collect();
            let groups = tree.merged_leaves(&counts, 3);
            assert!(groups.is_sorted() && groups[0] == 0);
            let sum = |group: u32| -> u32 {
                groups.iter().zip(&counts).filter(|(of, _)| **of == group).map(|(_, count)| count).sum()
            };
            assert!((0..=groups[7]).all(|group| sum(group) >= 3) || groups[7] == 0, "{counts:?}");
        }
    }
}
