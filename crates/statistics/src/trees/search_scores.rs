//! The best split of one predictor for numbers or two classes: exact, for numbers, factors and numbers with marks alike.
//!
//! The gain of a split is the fall of the sum of squares, (n Sₗ − nₗ S)² / (n nₗ nᵣ), where S is the sum of the response over
//! the node and Sₗ that over its left child.

use super::best::Best;
use super::summary::Summary;

/// Records of one label; weight and sum are those of all labels up to this one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub label: u32,
    pub weight: u32,
    pub sum: i64,
}

/// An unordered label on its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    label: u32,
    weight: i64,
    sum: i64,
    mean: f64,
}

/// The node, with the response measured from about its mean so that nothing cancels.
struct Node {
    weight: i64,
    centre: i64,
    rest: f64,
    min_bucket: i64,
}

/// Offers the splits of `predictor`, whose labels below `ordered` are in order.
pub(super) fn search(
    predictor: usize,
    runs: &[Run],
    ordered: u32,
    summary: &Summary,
    min_bucket: u32,
    best: &mut Best,
    pieces: &mut Vec<Piece>,
) {
    if runs.len() < 2 {
        return;
    }
    let node = Node::new(summary, min_bucket);
    let values = match runs[runs.len() - 1].label < ordered {
        true => runs.len(),
        false => runs.partition_point(|run| run.label < ordered),
    };
    if values == runs.len() {
        if let Some(last) = node.cut(runs, 0, 0, best) {
            best.describe(predictor, cut_after(runs, last), [].into_iter(), [].into_iter());
        }
        return;
    }
    node.pieces(runs, values, pieces);
    let label = |piece: &Piece| piece.label;
    if values == 0 {
        if let Some(last) = node.prefix(pieces, best) {
            let (left, right) = pieces.split_at(last + 1);
            best.describe(predictor, None, left.iter().map(label), right.iter().map(label));
        }
        return;
    }
    // At the best split every mark is with the child whose mean is nearer to its own, so the marks that go left are the first or
    // the last few in the order of their means.
    let marks = pieces.len();
    let mut found = None;
    for few in (0..=marks).map(|few| 0..few).chain((1..marks).map(|few| few..marks)) {
        let weight = pieces[few.clone()].iter().map(|piece| piece.weight).sum();
        let sum = pieces[few.clone()].iter().map(|piece| piece.sum).sum();
        if let Some(last) = node.cut(&runs[..values], weight, sum, best) {
            found = Some((few, last));
        }
    }
    if let Some((few, last)) = found {
        let right = pieces[..few.start].iter().chain(&pieces[few.end..]);
        best.describe(
            predictor,
            cut_after(&runs[..values], last),
            pieces[few.clone()].iter().map(label),
            right.map(label),
        );
    }
}

fn cut_after(values: &[Run], last: usize) -> Option<(u32, Option<u32>)> {
    Some((values[last].label, values.get(last + 1).map(|run| run.label)))
}

impl Node {
    fn new(summary: &Summary, min_bucket: u32) -> Self {
        let centre = summary.sum / summary.weight;
        Self {
            weight: summary.weight,
            centre,
            rest: (summary.sum - centre * summary.weight) as f64,
            min_bucket: i64::from(min_bucket),
        }
    }

    /// Offers every cut of the ordered labels, with some marks on the left; the position after which the best cut lies, if it won.
    #[inline]
    fn cut(&self, values: &[Run], weight: i64, sum: i64, best: &mut Best) -> Option<usize> {
        let mut found = None;
        for (position, run) in values.iter().enumerate() {
            let left = weight + i64::from(run.weight);
            if left < self.min_bucket {
                continue;
            }
            if self.weight - left < self.min_bucket {
                break;
            }
            if self.offer(left, sum + run.sum, best) {
                found = Some(position);
            }
        }
        found
    }

    #[inline]
    fn offer(&self, left: i64, sum: i64, best: &mut Best) -> bool {
        let shift = (sum - self.centre * left) as f64;
        let difference = shift * self.weight as f64 - self.rest * left as f64;
        best.offer(difference * difference, left as f64 * (self.weight - left) as f64)
    }

    /// The unordered labels in the order of their means.
    fn pieces(&self, runs: &[Run], first: usize, pieces: &mut Vec<Piece>) {
        pieces.clear();
        let mut before = if first == 0 { Run::default() } else { runs[first - 1] };
        for run in &runs[first..] {
            let (weight, sum) = (i64::from(run.weight - before.weight), run.sum - before.sum);
            let mean = (sum - self.centre * weight) as f64 / weight as f64;
            pieces.push(Piece { label: run.label, weight, sum, mean });
            before = *run;
        }
        pieces.sort_unstable_by(|a, b| a.mean.total_cmp(&b.mean).then(a.label.cmp(&b.label)));
    }

    /// Offers the first few pieces as left child; the position after which the best split lies, if it won.
    fn prefix(&self, pieces: &[Piece], best: &mut Best) -> Option<usize> {
        let (mut weight, mut sum, mut found) = (0, 0, None);
        for (position, piece) in pieces.iter().enumerate() {
            weight += piece.weight;
            sum += piece.sum;
            if weight >= self.min_bucket
                && self.weight - weight >= self.min_bucket
                && self.offer(weight, sum, best)
            {
                found = Some(position);
            }
        }
        found
    }
}
