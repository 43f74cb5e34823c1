//! What the search and the risk need to know of the response within a node.

use super::Risk;
use super::response::Values;

/// The response of some records, copied so that they lie side by side.
#[derive(Debug)]
pub(super) enum Local {
    /// For numbers and two classes: the response times the weight.
    Scores(Vec<i64>),
    Classes(Vec<u32>),
}

/// Sums over the records of a node, all exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Summary {
    pub weight: i64,
    /// Σ y, for numbers and two classes.
    pub sum: i64,
    /// Σ y², for numbers.
    squares: i128,
    /// The sum of the squared class weights, for more classes.
    pub class_squares: i64,
    /// The largest class weight, likewise.
    largest: i64,
}

impl Local {
    /// The response at `rows`.
    pub(crate) fn gather(&mut self, values: &Values<'_>, weights: Option<&[u32]>, rows: &[u32]) {
        let mut keep = |scores: &mut dyn Iterator<Item = i64>| {
            let mut local = match std::mem::replace(self, Self::Classes(Vec::new())) {
                Self::Scores(local) => local,
                Self::Classes(_) => Vec::new(),
            };
            local.clear();
            local.extend(scores);
            *self = Self::Scores(local);
        };
        match (values, weights) {
            (Values::TwoClasses(second), _) => {
                keep(&mut rows.iter().map(|&row| i64::from(second[row as usize])));
            }
            (Values::Numbers(scores), None) => keep(&mut rows.iter().map(|&row| scores[row as usize])),
            (Values::Numbers(scores), Some(weights)) => {
                keep(&mut rows.iter().map(|&row| i64::from(weights[row as usize]) * scores[row as usize]));
            }
            (Values::Classes { codes, .. }, _) => {
                let mut local = match std::mem::replace(self, Self::Classes(Vec::new())) {
                    Self::Classes(local) => local,
                    Self::Scores(_) => Vec::new(),
                };
                local.clear();
                local.extend(rows.iter().map(|&row| codes[row as usize]));
                *self = Self::Classes(local);
            }
        }
    }

    /// The sums over some of the records. `counts` has a zero for every class, before and after; `weights` is empty where all are one.
    pub fn summary(
        &self,
        weights: &[u32],
        records: impl Iterator<Item = usize> + Clone,
        counts: &mut [u32],
    ) -> Summary {
        let weight_of = |record: usize| if weights.is_empty() { 1 } else { weights[record] };
        let mut all = Summary::default();
        match self {
            Self::Scores(scores) => {
                for record in records {
                    let (score, weight) = (scores[record], i64::from(weight_of(record)));
                    all.weight += weight;
                    all.sum += score;
                    all.squares +=
                        i128::from(score) * i128::from(if weight > 1 { score / weight } else { score });
                }
            }
            Self::Classes(classes) => {
                for record in records.clone() {
                    counts[classes[record] as usize] += weight_of(record);
                    all.weight += i64::from(weight_of(record));
                }
                for record in records {
                    let count = i64::from(std::mem::take(&mut counts[classes[record] as usize]));
                    all.class_squares += count * count;
                    all.largest = all.largest.max(count);
                }
            }
        }
        all
    }
}

impl Summary {
    /// The risk of a node that is not split: a number to compare with the root's, in units of its own (of two classes half of Gini's index).
    pub fn risk(&self, values: &Values<'_>, risk: Risk) -> f64 {
        let weight = self.weight as f64;
        match (values, risk) {
            (Values::Classes { .. }, Risk::Misclassification) => (self.weight - self.largest) as f64,
            (Values::Classes { .. }, Risk::Impurity) => weight - self.class_squares as f64 / weight,
            (Values::TwoClasses(_), Risk::Misclassification) => self.sum.min(self.weight - self.sum) as f64,
            (Values::TwoClasses(_), Risk::Impurity) => {
                (i128::from(self.weight - self.sum) * i128::from(self.sum)) as f64 / weight
            }
            (Values::Numbers(_), _) => {
                let squared = i128::from(self.sum) * i128::from(self.sum);
                (i128::from(self.weight) * self.squares - squared) as f64 / weight
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risks_of_a_node() {
        // Weights 3, 1, 2 of classes 0, 1, 2.
        let (codes, weights) = ([0, 1, 2, 0], [1, 1, 2, 2]);
        let values = Values::Classes { codes: &codes, levels: 3 };
        let mut local = Local::Scores(Vec::new());
        local.gather(&values, Some(&weights), &[0, 1, 2, 3]);
        let mut counts = [0; 3];
        let node = local.summary(&weights, 0..4, &mut counts);
        assert_eq!(counts, [0; 3]);
        assert_eq!(node.risk(&values, Risk::Misclassification), 3.0);
        assert!((node.risk(&values, Risk::Impurity) - 6.0 * (1.0 - 14.0 / 36.0)).abs() < 1e-12);

        let values = Values::TwoClasses(vec![1, 0, 0, 2]);
        local.gather(&values, Some(&weights), &[0, 1, 2, 3]);
        let node = local.summary(&weights, 0..4, &mut counts);
        assert_eq!(node.risk(&values, Risk::Misclassification), 3.0);
        assert_eq!(node.risk(&values, Risk::Impurity), 6.0 * (1.0 - 0.5) / 2.0);

        let values = Values::Numbers(vec![4, -2, 1, 0]);
        local.gather(&values, None, &[3, 1, 0]);
        let node = local.summary(&[], 0..3, &mut counts);
        assert!((node.risk(&values, Risk::Impurity) - (20.0 - 4.0 / 3.0)).abs() < 1e-12);
    }
}
