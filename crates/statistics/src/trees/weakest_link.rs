//! Cost-complexity pruning while the tree grows, as rpart does it (Breiman et al. 1984, ch. 3; Therneau & Atkinson 2019).
//!
//! A node's complexity is the fall of risk for each split below it, after the children whose own complexity is lower have been cut off. A node
//! whose complexity is not above α = `complexity` × the root's risk becomes a leaf.

/// What is known of a node once everything below it has grown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The node's risk as a leaf.
    pub risk: f64,
    /// The risk of the leaves below it.
    leaf_risk: f64,
    splits: f64,
    complexity: f64,
}

impl Outcome {
    /// A node that was not split.
    pub fn leaf(risk: f64, alpha: f64) -> Self {
        Self { risk, leaf_risk: risk, splits: 0.0, complexity: alpha }
    }

    /// A node of this risk with two children; `None` when it must become a leaf.
    pub fn split(risk: f64, left: Self, right: Self, alpha: f64) -> Option<Self> {
        let fall = |left: &Self, right: &Self| {
            (risk - (left.leaf_risk + right.leaf_risk)) / (left.splits + right.splits + 1.0)
        };
        let cut_off = |child: Self| Self { leaf_risk: child.risk, splits: 0.0, ..child };
        let (mut weaker, mut stronger) =
            if right.complexity > left.complexity { (left, right) } else { (right, left) };
        if fall(&weaker, &stronger) > weaker.complexity {
            weaker = cut_off(weaker);
            if fall(&weaker, &stronger) > stronger.complexity {
                stronger = cut_off(stronger);
            }
        }
        let complexity = fall(&weaker, &stronger);
        let (leaf_risk, splits) =
            (weaker.leaf_risk + stronger.leaf_risk, weaker.splits + stronger.splits + 1.0);
        (complexity > alpha).then_some(Self { risk, leaf_risk, splits, complexity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_that_only_pays_below_is_kept_and_one_that_never_pays_is_not() {
        let leaf = |risk| Outcome::leaf(risk, 1.0);
        assert_eq!(Outcome::split(10.0, leaf(5.0), leaf(5.0), 1.0), None);
        let child = Outcome::split(5.0, leaf(0.0), leaf(0.0), 1.0).unwrap();
        assert_eq!(child.complexity, 5.0);
        // The split itself lowers no risk, but 10 falls to 0 in three splits.
        let parent = Outcome::split(10.0, child, child, 1.0).unwrap();
        assert!((parent.complexity - 10.0 / 3.0).abs() < 1e-12);
        // Splits below at a fall of 2 each are cut off before a parent that falls by 10 itself.
        let weak = Outcome::split(2.0, leaf(0.0), leaf(0.0), 1.0).unwrap();
        let parent = Outcome::split(14.0, weak, weak, 1.0).unwrap();
        assert_eq!((parent.complexity, parent.splits), (10.0, 1.0));
    }
}
