//! A tree as plain arrays, and back: checked, so that no route leads out of it.

use super::tree::{Leaf, Node, Split};
use super::{Tree, TreeError};

/// Numbers that a node takes.
const NODE: usize = 6;

/// The predictor of a leaf.
const NONE: u32 = u32::MAX;

/// The arrays of a [`Tree`], for a file to hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeArrays {
    /// Two numbers a predictor: its ordered and its unordered codes.
    pub codes: Vec<u32>,
    /// Six numbers a node, in preorder: the predictor (`u32::MAX` for a leaf), how many of its ordered codes go left, where its unordered codes
    /// begin and end in `listed`, 1 if these go left and 0 if they go right, and the position of the right child. The left child is the next node.
    pub nodes: Vec<u32>,
    /// The unordered codes of all splits.
    pub listed: Vec<u32>,
    /// Where the donors of each leaf begin, and where the last end.
    pub donor_offsets: Vec<u32>,
    /// The donors, leaf by leaf.
    pub donors: Vec<u32>,
    /// Where the classes of each leaf begin, and where the last end.
    pub class_offsets: Vec<u32>,
    /// Two numbers a class of a leaf: the class and its weight.
    pub classes: Vec<u32>,
    /// The weight of each leaf.
    pub weights: Vec<u64>,
    /// The mean of each leaf; empty for classes.
    pub means: Vec<f64>,
    /// What the splits by each predictor gained.
    pub importance: Vec<f64>,
}

impl Tree {
    /// The tree as plain arrays.
    pub fn arrays(&self) -> TreeArrays {
        let node = |node: &Node| match node {
            Node::Leaf(_) => [NONE, 0, 0, 0, 0, 0],
            Node::Split(split) => {
                let (start, end) = split.listed;
                [split.predictor, split.below, start, end, u32::from(split.listed_left), split.right]
            }
        };
        let ends = |of: fn(&Leaf) -> u32| std::iter::once(0).chain(self.leaves.iter().map(of)).collect();
        TreeArrays {
            codes: self.codes.iter().flat_map(|(ordered, unordered)| [*ordered, *unordered]).collect(),
            nodes: self.nodes.iter().flat_map(node).collect(),
            listed: self.listed.clone(),
            donor_offsets: ends(|leaf| leaf.donors.1),
            donors: self.donors.clone(),
            class_offsets: ends(|leaf| leaf.classes.1),
            classes: self.classes.iter().flat_map(|(class, weight)| [*class, *weight]).collect(),
            weights: self.leaves.iter().map(|leaf| leaf.weight).collect(),
            means: self.leaves.iter().filter_map(|leaf| leaf.mean).collect(),
            importance: self.importance.clone(),
        }
    }

    /// A tree from its arrays, grown from `records` records.
    pub fn from_arrays(arrays: TreeArrays, records: usize) -> Result<Self, TreeError> {
        let pairs =
            |numbers: &[u32]| numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
        let refuse = |what| Err(TreeError::Stored { what });
        if arrays.codes.len() % 2 + arrays.classes.len() % 2 + arrays.nodes.len() % NODE > 0 {
            return refuse("half a number is missing");
        }
        let codes = pairs(&arrays.codes);
        let Some((nodes, leaves, depth)) = nodes(&arrays, &codes) else {
            return refuse("a split leads nowhere");
        };
        let classes = pairs(&arrays.classes);
        let holds = cut(&arrays.donor_offsets, leaves, arrays.donors.len(), true)
            && cut(&arrays.class_offsets, leaves, classes.len(), false)
            && arrays.donors.iter().all(|donor| (*donor as usize) < records)
            && arrays.weights.len() == leaves
            && arrays.weights.iter().all(|weight| *weight > 0)
            && [0, leaves].contains(&arrays.means.len())
            && arrays.means.iter().all(|mean| mean.is_finite());
        if !holds || arrays.importance.len() != codes.len() {
            return refuse("a leaf holds what is not there");
        }
        let range = |offsets: &[u32], leaf: usize| (offsets[leaf], offsets[leaf + 1]);
        let leaf = |at: usize| Leaf {
            donors: range(&arrays.donor_offsets, at),
            classes: range(&arrays.class_offsets, at),
            weight: arrays.weights[at],
            mean: arrays.means.get(at).copied(),
        };
        Ok(Self {
            leaves: (0..leaves).map(leaf).collect(),
            codes,
            nodes,
            listed: arrays.listed,
            donors: arrays.donors,
            classes,
            importance: arrays.importance,
            depth,
        })
    }

    /// The ordered and the unordered codes of each predictor.
    pub fn codes(&self) -> &[(u32, u32)] {
        &self.codes
    }
}

/// Whether offsets cut a number of items into a number of parts, one after the other.
fn cut(offsets: &[u32], parts: usize, items: usize, none_is_empty: bool) -> bool {
    offsets.len() == parts + 1
        && offsets[0] == 0
        && offsets[parts] as usize == items
        && offsets.is_sorted_by(|left, right| left < right || (left == right && !none_is_empty))
}

/// The nodes, the number of leaves and the depth; `None` unless they are one tree in preorder, each split of which is by codes of its predictor.
fn nodes(arrays: &TreeArrays, codes: &[(u32, u32)]) -> Option<(Vec<Node>, usize, u32)> {
    let mut nodes = Vec::with_capacity(arrays.nodes.len() / NODE);
    // The right children of the splits above, with their depths: the next leaf is followed by the last of them.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let (mut leaves, mut depth, mut deepest) = (0_u32, 0, 0);
    let count = arrays.nodes.len() / NODE;
    for (at, node) in arrays.nodes.chunks_exact(NODE).enumerate() {
        let [predictor, below, start, end, side, right] =
            [node[0], node[1], node[2], node[3], node[4], node[5]];
        if predictor == NONE {
            nodes.push(Node::Leaf(leaves));
            leaves += 1;
            deepest = deepest.max(depth);
            match open.pop() {
                Some((next, below)) if next == at + 1 => depth = below,
                None if at + 1 == count => {}
                _ => return None,
            }
            continue;
        }
        let (ordered, unordered) = *codes.get(predictor as usize)?;
        let listed = arrays.listed.get(start as usize..end as usize)?;
        let of_predictor = |code: &u32| (ordered..ordered.saturating_add(unordered)).contains(code);
        let holds = below <= ordered
            && side < 2
            && listed.iter().all(of_predictor)
            && listed.is_sorted_by(|left, right| left < right)
            && (right as usize) < count;
        if !holds {
            return None;
        }
        let split = Split { predictor, ordered, below, listed: (start, end), listed_left: side == 1, right };
        nodes.push(Node::Split(split));
        depth += 1;
        open.push((right as usize, depth));
    }
    let is_whole = open.is_empty() && matches!(nodes.last(), Some(Node::Leaf(_)));
    is_whole.then_some((nodes, leaves as usize, deepest))
}
