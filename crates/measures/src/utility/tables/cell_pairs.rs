//! The cells of a table that hold a record of either file.

use table::{ContingencyTable, Domain, Margin};

use super::MissingValues;

/// Original and synthetic counts of the cells that hold a record of either file, in lexicographic order of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellPairs {
    /// Original and synthetic count.
    pub pairs: Vec<(u64, u64)>,
    /// The number of all cells, empty ones included.
    pub cells: f64,
}

impl CellPairs {
    /// Pairs given cell by cell; those without a record are counted and dropped.
    pub fn new(pairs: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut cells = 0_usize;
        let pairs = pairs.into_iter().inspect(|_| cells += 1).filter(|pair| *pair != (0, 0)).collect();
        Self { pairs, cells: cells as f64 }
    }

    /// From two margins over the same variables of one domain.
    pub fn of_margins(
        domain: &Domain,
        original: &Margin,
        synthetic: &Margin,
        missing: MissingValues,
    ) -> Self {
        let both = original.counts().iter().copied().zip(synthetic.counts().iter().copied());
        match missing_classes(domain, original.attributes(), missing) {
            None => Self::new(both),
            Some(left_out) => {
                let mut cell = vec![0_u32; left_out.len()];
                let mut kept = |sizes: &[usize]| {
                    let keep = cell.iter().zip(&left_out).all(|(class, missing)| Some(*class) != *missing);
                    for place in (0..cell.len()).rev() {
                        cell[place] += 1;
                        if (cell[place] as usize) < sizes[place] {
                            break;
                        }
                        cell[place] = 0;
                    }
                    keep
                };
                Self::new(both.filter(|_| kept(original.sizes())))
            }
        }
    }

    /// From two sparse tables over the same variables of one domain, whatever the number of cells.
    pub fn of_tables(
        domain: &Domain,
        original: &ContingencyTable,
        synthetic: &ContingencyTable,
        missing: MissingValues,
    ) -> Self {
        let left_out = missing_classes(domain, original.attributes(), missing);
        let keep = |table: &ContingencyTable, position: usize| match &left_out {
            None => true,
            Some(left_out) => {
                let cell = table.cell(position);
                cell.iter().zip(left_out).all(|(class, missing)| Some(*class) != *missing)
            }
        };
        let mut pairs = Vec::with_capacity(original.occupied().max(synthetic.occupied()));
        let (mut y, mut s) = (0, 0);
        loop {
            let order = match (y < original.occupied(), s < synthetic.occupied()) {
                (false, false) => break,
                (true, false) => std::cmp::Ordering::Less,
                (false, true) => std::cmp::Ordering::Greater,
                (true, true) => original.key(y).cmp(synthetic.key(s)),
            };
            let kept = if order.is_le() { keep(original, y) } else { keep(synthetic, s) };
            let count = |take: bool, table: &ContingencyTable, position: &mut usize| {
                if !take {
                    return 0;
                }
                *position += 1;
                table.counts()[*position - 1]
            };
            let pair = (count(order.is_le(), original, &mut y), count(order.is_ge(), synthetic, &mut s));
            if kept {
                pairs.push(pair);
            }
        }
        let sizes = original.sizes().iter().enumerate();
        let cells = sizes.map(|(place, size)| {
            let without = left_out.as_ref().is_some_and(|left_out| left_out[place].is_some());
            (size - usize::from(without)) as f64
        });
        Self { pairs, cells: cells.product() }
    }

    /// The number of original and of synthetic records.
    pub fn totals(&self) -> (u64, u64) {
        self.pairs.iter().fold((0, 0), |(original, synthetic), (y, s)| (original + y, synthetic + s))
    }

    /// Σ (s − y n/N)² / ((y + s) c): the Voas–Williamson statistic, from which S_pMSE follows. Not a number if a side is empty.
    pub(crate) fn voas_williamson(&self) -> f64 {
        let (original, synthetic) = self.totals();
        voas_williamson(self.pairs.iter().copied(), original, synthetic)
    }
}

/// The Voas–Williamson statistic of pairs with these totals; empty cells may be among them.
pub(super) fn voas_williamson(pairs: impl Iterator<Item = (u64, u64)>, original: u64, synthetic: u64) -> f64 {
    let share = synthetic as f64 / (original + synthetic) as f64;
    let occupied = pairs.filter(|pair| *pair != (0, 0));
    let squares = occupied.map(|(y, s)| difference((y, s), original, synthetic).powi(2) / (y + s) as f64);
    squares.sum::<f64>() / share
}

/// s − y n/N, which is exactly zero where the shares are equal. The products are taken in 128 bits only when they must be;
/// 64 are somewhat quicker, and S_pMSE is asked for thousands of times.
pub(crate) fn difference((y, s): (u64, u64), original: u64, synthetic: u64) -> f64 {
    let products = if original.max(synthetic) < 1 << 31 {
        ((s * original).cast_signed() - (y * synthetic).cast_signed()) as f64
    } else {
        (i128::from(s) * i128::from(original) - i128::from(y) * i128::from(synthetic)) as f64
    };
    products / original as f64
}

/// The class to leave out of each variable; `None` when none is.
pub(super) fn missing_classes(
    domain: &Domain,
    of: &table::Attributes,
    missing: MissingValues,
) -> Option<Vec<Option<u32>>> {
    let classes = of.positions().iter().map(|position| domain.variables()[*position].missing_class());
    let classes: Vec<Option<u32>> = classes.collect();
    (missing == MissingValues::AreLeftOut && classes.iter().any(Option::is_some)).then_some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact_on_both_sides_of_the_limit() {
        let most = (1 << 31) - 1;
        for (total, other) in [(most, most), (most + 1, most), (u64::MAX / 2, 3)] {
            assert_eq!(difference((total, other), total, other), 0.0);
            assert_eq!(difference((0, other), total, other), other as f64);
            assert_eq!(difference((total, 0), total, other), -(other as f64));
        }
    }
}
