//! Dense counts over a few variables.

use crate::domain::product;
use crate::{Attributes, Domain, TableError};

/// The largest dense table we build, in cells.
pub const DENSE_LIMIT: usize = 1 << 27;

/// Counts over all cells of a few variables; the last variable runs fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Margin {
    attributes: Attributes,
    sizes: Vec<usize>,
    counts: Vec<u64>,
}

impl Margin {
    /// A margin with these counts, one for each cell of `attributes`.
    ///
    /// # Panics
    /// If there are not as many counts as cells.
    pub fn new(attributes: Attributes, sizes: Vec<usize>, counts: Vec<u64>) -> Self {
        assert_eq!(attributes.len(), sizes.len(), "one size for each variable");
        assert_eq!(sizes.iter().product::<usize>(), counts.len(), "one count for each cell");
        Self { attributes, sizes, counts }
    }

    /// The number of cells of the margin over `of`, or a refusal above [`DENSE_LIMIT`].
    pub fn checked_cells(domain: &Domain, of: &Attributes) -> Result<usize, TableError> {
        let cells = domain.cells(of);
        match usize::try_from(&cells) {
            Ok(cells) if cells <= DENSE_LIMIT => Ok(cells),
            _ => Err(TableError::TooManyCells {
                variables: domain.describe(of),
                cells: cells.to_string(),
                limit: DENSE_LIMIT,
            }),
        }
    }

    /// The variables.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The number of classes of each variable.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The counts; the last variable runs fastest.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The number of records.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The count of one cell.
    pub fn count_of(&self, cell: &[u32]) -> u64 {
        self.counts
            [self.sizes.iter().zip(cell).fold(0, |index, (size, class)| index * size + *class as usize)]
    }

    /// The counts of one cell of `by` over the other variables, which become those of `rest`. `None` if a variable of `by` is not
    /// in this margin, or `rest` has another number of variables.
    pub(crate) fn slice(&self, by: &Attributes, cell: &[u32], rest: Attributes) -> Option<Self> {
        let places = self.attributes.places_of(by)?;
        let fixed =
            |place: usize| places.iter().position(|other| *other == place).map(|at| cell[at] as usize);
        let free: Vec<usize> = (0..self.sizes.len()).filter(|place| fixed(*place).is_none()).collect();
        let sizes: Vec<usize> = free.iter().map(|place| self.sizes[*place]).collect();
        let index_of = |mut index: usize| {
            let mut stride = 1;
            (0..self.sizes.len()).rev().fold(0, |whole, place| {
                let class = fixed(place).unwrap_or_else(|| {
                    let class = index % self.sizes[place];
                    index /= self.sizes[place];
                    class
                });
                let whole = whole + class * stride;
                stride *= self.sizes[place];
                whole
            })
        };
        let counts = (0..sizes.iter().product()).map(|index| self.counts[index_of(index)]).collect();
        (rest.len() == sizes.len()).then_some(Self { attributes: rest, sizes, counts })
    }

    /// The margin over a part of the variables; `None` if one of them is not in this margin.
    pub fn margin(&self, of: &Attributes) -> Option<Self> {
        let places = self.attributes.places_of(of)?;
        let sizes: Vec<usize> = places.iter().map(|place| self.sizes[*place]).collect();
        let mut strides = vec![0; self.sizes.len()];
        let mut stride = 1;
        for place in places.iter().rev() {
            strides[*place] = stride;
            stride *= self.sizes[*place];
        }
        let mut counts = vec![0; product(&sizes).try_into().unwrap_or(0)];
        let mut cell = vec![0; self.sizes.len()];
        let mut index = 0;
        for count in &self.counts {
            counts[index] += count;
            for place in (0..cell.len()).rev() {
                cell[place] += 1;
                index += strides[place];
                if cell[place] < self.sizes[place] {
                    break;
                }
                index -= strides[place] * cell[place];
                cell[place] = 0;
            }
        }
        Some(Self { attributes: of.clone(), sizes, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_out_the_other_variables() {
        let margin = Margin::new(Attributes::new([0, 1, 2]), vec![2, 3, 2], (1..=12).collect());
        let part = margin.margin(&Attributes::new([0, 2])).unwrap();
        assert_eq!(part.counts(), [1 + 3 + 5, 2 + 4 + 6, 7 + 9 + 11, 8 + 10 + 12]);
        assert_eq!(margin.margin(&Attributes::new([])).unwrap().counts(), [78]);
        assert_eq!(margin.count_of(&[1, 2, 0]), 11);
        assert!(margin.margin(&Attributes::new([3])).is_none());
    }
}
