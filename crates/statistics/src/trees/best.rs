//! The best split found so far in a node.

/// How much better a split must be than one found earlier: less is a tie, which the earlier one wins.
const TIE: f64 = 1.0 + 1e-12;

/// The best split so far. Labels are codes, or ranks of codes, ascending; the ordered ones come first.
#[derive(Clone, Debug)]
pub(super) struct Best {
    /// The score as a fraction, so that candidates are compared without a division.
    numerator: f64,
    denominator: f64,
    pub predictor: Option<usize>,
    /// The last ordered label that goes left and the first that goes right; `None` where the node has no ordered ones. Where there is no
    /// first to go right, all go left.
    pub cut: Option<(u32, Option<u32>)>,
    /// The unordered labels of the node that go left, and those that go right.
    pub left: Vec<u32>,
    pub right: Vec<u32>,
}

impl Best {
    /// No split yet: only a score above this one is worth a split.
    pub fn above(numerator: f64, denominator: f64) -> Self {
        Self { numerator, denominator, predictor: None, cut: None, left: Vec::new(), right: Vec::new() }
    }

    /// Starts again, keeping the memory.
    pub(crate) fn restart(&mut self, numerator: f64, denominator: f64) {
        (self.numerator, self.denominator, self.predictor) = (numerator, denominator, None);
    }

    /// Takes the score if it is better than all before.
    #[inline]
    pub(crate) fn offer(&mut self, numerator: f64, denominator: f64) -> bool {
        let better = numerator * self.denominator > self.numerator * denominator * TIE;
        if better {
            (self.numerator, self.denominator) = (numerator, denominator);
        }
        better
    }

    /// Says which split the score just taken belongs to.
    pub fn describe(
        &mut self,
        predictor: usize,
        cut: Option<(u32, Option<u32>)>,
        left: impl Iterator<Item = u32>,
        right: impl Iterator<Item = u32>,
    ) {
        (self.predictor, self.cut) = (Some(predictor), cut);
        self.left.clear();
        self.left.extend(left);
        self.right.clear();
        self.right.extend(right);
    }

    /// The better of two, the earlier one if they tie.
    pub(crate) fn or_later(mut self, later: Self) -> Self {
        match later.predictor.is_some() && self.offer(later.numerator, later.denominator) {
            true => later,
            false => self,
        }
    }

    pub fn score(&self) -> f64 {
        self.numerator / self.denominator
    }
}
