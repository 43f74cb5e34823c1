//! A tree read from a file: checked, so that no route leads out of it.

use serde::Deserialize;

use super::tree::{Leaf, Node};
use super::{Tree, TreeError};

/// The fields of a [`Tree`].
#[derive(Deserialize)]
pub(super) struct StoredTree {
    codes: Vec<(u32, u32)>,
    nodes: Vec<Node>,
    listed: Vec<u32>,
    leaves: Vec<Leaf>,
    donors: Vec<u32>,
    classes: Vec<(u32, u32)>,
    importance: Vec<f64>,
    depth: u32,
}

impl TryFrom<StoredTree> for Tree {
    type Error = TreeError;

    fn try_from(stored: StoredTree) -> Result<Self, TreeError> {
        let StoredTree { codes, nodes, listed, leaves, donors, classes, importance, depth } = stored;
        let within = |(start, end): (u32, u32), length: usize| start <= end && end as usize <= length;
        let node_holds = |(at, node): (usize, &Node)| match node {
            Node::Leaf(leaf) => (*leaf as usize) < leaves.len(),
            Node::Split(split) => {
                (split.right as usize) > at + 1
                    && (split.right as usize) < nodes.len()
                    && within(split.listed, listed.len())
                    && codes
                        .get(split.predictor as usize)
                        .is_some_and(|(ordered, _)| *ordered == split.ordered)
            }
        };
        let leaf_holds = |leaf: &Leaf| {
            within(leaf.donors, donors.len())
                && leaf.donors.0 < leaf.donors.1
                && within(leaf.classes, classes.len())
                && leaf.weight > 0
        };
        let refuse = |what| Err(TreeError::Stored { what });
        if nodes.is_empty() || !nodes.iter().enumerate().all(node_holds) {
            return refuse("a split leads nowhere");
        }
        if !leaves.iter().all(leaf_holds) || importance.len() != codes.len() {
            return refuse("a leaf holds what is not there");
        }
        Ok(Self { codes, nodes, listed, leaves, donors, classes, importance, depth })
    }
}
