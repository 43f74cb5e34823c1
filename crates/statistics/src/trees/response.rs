//! What a tree predicts.

use super::TreeError;

/// What a tree predicts. What stands at a record of weight zero does not matter.
#[derive(Clone, Copy, Debug)]
pub enum Response<'a> {
    /// Classes, as codes below `levels`.
    Classes {
        /// One code a record.
        codes: &'a [u32],
        /// The number of classes.
        levels: u32,
    },
    /// Two classes, where a record stands for several records of either class: how much of its weight is of the second.
    TwoClasses {
        /// One weight a record, at most that of the record.
        second: &'a [u32],
    },
    /// Finite numbers.
    Numeric(&'a [f64]),
}

impl Response<'_> {
    /// The number of records.
    pub fn len(&self) -> usize {
        match self {
            Self::Classes { codes, .. } => codes.len(),
            Self::TwoClasses { second } => second.len(),
            Self::Numeric(values) => values.len(),
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The response as trees are grown by it.
pub(super) struct Target<'a> {
    pub values: Values<'a>,
    /// What a gain in the units of `values` is worth in those of the response, or of Gini's index.
    pub unit: f64,
}

/// Whole numbers of which sums are exact, or more than two classes.
///
/// Two classes are the numbers 0 and 1: Gini's index n (1 − Σ p²) is then twice the sum of squares.
pub(super) enum Values<'a> {
    /// The weight of the second class in each record.
    TwoClasses(Vec<u32>),
    Numbers(Vec<i64>),
    Classes {
        codes: &'a [u32],
        levels: usize,
    },
}

impl<'a> Target<'a> {
    /// Checks the response at the records `rows`, of total weight `weight`.
    pub fn new(
        response: &Response<'a>,
        rows: &[u32],
        weights: Option<&[u32]>,
        weight: u64,
    ) -> Result<Self, TreeError> {
        let weight_of = |row: usize| weights.map_or(1, |weights| weights[row]);
        match *response {
            Response::Classes { levels: 0, .. } => Err(TreeError::NoClasses),
            Response::Classes { codes, levels } => {
                if rows.iter().any(|&row| codes[row as usize] >= levels) {
                    return Err(TreeError::Code {
                        what: "the response".to_owned(),
                        codes: u64::from(levels),
                    });
                }
                let values = match levels {
                    1 | 2 => {
                        let second = codes.iter().enumerate();
                        let second = second.map(|(row, code)| weight_of(row) * u32::from(*code == 1));
                        Values::TwoClasses(second.collect())
                    }
                    _ => Values::Classes { codes, levels: levels as usize },
                };
                Ok(Self { unit: if levels <= 2 { 2.0 } else { 1.0 }, values })
            }
            Response::TwoClasses { second } => {
                match rows.iter().any(|&row| second[row as usize] > weight_of(row as usize)) {
                    true => Err(TreeError::ClassWeight),
                    false => Ok(Self { unit: 2.0, values: Values::TwoClasses(second.to_vec()) }),
                }
            }
            Response::Numeric(values) => {
                if rows.iter().any(|&row| !values[row as usize].is_finite()) {
                    return Err(TreeError::NotFinite { what: "the response".to_owned() });
                }
                let (quantum, numbers) = rounded(values, rows, weight);
                Ok(Self { unit: quantum * quantum, values: Values::Numbers(numbers) })
            }
        }
    }
}

/// The values in multiples of a power of two above their middle, small enough that sums over the total weight fit into 62 bits: 2⁻⁴¹
/// of the range for a million records. Whole numbers of a smaller range stay exact.
fn rounded(values: &[f64], rows: &[u32], weight: u64) -> (f64, Vec<i64>) {
    let at_rows = || rows.iter().map(|&row| values[row as usize]);
    let (low, high) =
        at_rows().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    // Halves first, so that no range overflows.
    let (middle, reach) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
    let bits = (61 - (64 - weight.leading_zeros() as i32)).min(52);
    let quantum = match reach > 0.0 {
        true => 2f64.powi((reach.log2().ceil() as i32 - bits).max(-1000)),
        false => 1.0,
    };
    let middle = (middle / quantum).round() * quantum;
    // Records of weight zero may hold anything; a cast saturates and takes NaN for 0, and nobody reads them.
    (quantum, values.iter().map(|value| ((value - middle) / quantum).round() as i64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_differences_and_sums_within_range() {
        for (values, exact) in [
            (vec![0.0, 1.0, 80.0, 3.0], true),
            (vec![1e300, -1e300, 5.0], false),
            (vec![0.1, 0.2, 0.7], false),
            (vec![1e-280, 0.0], false),
            (vec![7.0; 3], true),
        ] {
            let rows: Vec<u32> = (0..values.len() as u32).collect();
            for weight in [4u64, 1_000_000, 1 << 30] {
                let (quantum, whole) = rounded(&values, &rows, weight);
                let sum: i128 = whole.iter().map(|y| i128::from(y.abs())).max().unwrap() * i128::from(weight);
                assert!(sum < 1 << 62, "{values:?} {weight}");
                let reach = values.iter().fold(0f64, |most, y| most.max(y.abs()));
                for (value, y) in values.iter().zip(&whole) {
                    let error = ((*y - whole[0]) as f64 * quantum - (value - values[0])).abs();
                    assert!(
                        if exact { error == 0.0 } else { error <= reach * 2f64.powi(-28) },
                        "{value} {error}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_stands_at_a_record_without_weight_does_not_matter() {
        let values = [1.0, f64::NAN, 3.0];
        assert!(Target::new(&Response::Numeric(&values), &[0, 2], None, 2).is_ok());
        assert!(Target::new(&Response::Numeric(&values), &[0, 1], None, 2).is_err());
        let classes = Response::Classes { codes: &[0, 9, 1], levels: 2 };
        assert!(Target::new(&classes, &[0, 2], None, 2).is_ok());
        assert!(Target::new(&classes, &[1], None, 1).is_err());
    }
}
