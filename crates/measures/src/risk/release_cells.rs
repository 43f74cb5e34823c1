//! The cells of a release: how many original and synthetic records fall into each cell of a cross-table.
//!
//! Only cells that hold a record are kept, whatever the number of cells K.

use num_bigint::BigUint;
use table::{Attributes, CountSource, Grouping, Table};

use super::key_classes::KeyClasses;
use super::matching::{check_names, names_of};
use crate::shared_tables::names_in;
use crate::{CountedTables, MeasureError, SharedTables};

/// The cells of an original table that are not empty in it or in one of its m synthetic tables.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleaseCells {
    variables: Vec<String>,
    cell_of_record: Vec<u32>,
    original: Vec<u32>,
    synthetic: Vec<Vec<u32>>,
    cells: BigUint,
}

impl ReleaseCells {
    /// The cross-table of these variables, or of all but identifiers when none are named; numbers are grouped as declared or as
    /// `grouping` says. The generator's own cells come out when its classes are declared as `cuts` in the schema.
    pub fn new<S: AsRef<str>>(
        original: &Table,
        synthetic: &[&Table],
        variables: &[S],
        grouping: &Grouping,
    ) -> Result<Self, MeasureError> {
        let wanted =
            |name: &str| variables.is_empty() || variables.iter().any(|named| named.as_ref() == name);
        check_names(original, synthetic, variables)?;
        let tables = SharedTables::over(original, synthetic, grouping, wanted)?;
        let of = match variables.is_empty() {
            true => Attributes::all(tables.domain()),
            false => tables.attributes(variables)?,
        };
        let classes = KeyClasses::new(&tables, &of)?;
        Ok(Self {
            variables: names_of(&tables, &of),
            cell_of_record: classes.of_original().to_vec(),
            original: classes.original_counts().to_vec(),
            synthetic: (0..classes.sets()).map(|set| classes.synthetic_counts(set).to_vec()).collect(),
            cells: tables.domain().cells(&of),
        })
    }

    /// The cross-table of these variables, or of all when none are named, from counts alone; which cell a record lies in is not known.
    pub fn counted<S: AsRef<str>>(tables: CountedTables<'_>, variables: &[S]) -> Result<Self, MeasureError> {
        let domain = tables.original.domain();
        let of = match variables.is_empty() {
            true => Attributes::all(domain),
            false => Attributes::named(domain, variables.iter().map(AsRef::as_ref))?,
        };
        let sides = std::iter::once(tables.original)
            .chain(tables.synthetic.iter().map(|set| set as &dyn CountSource))
            .collect::<Vec<_>>();
        let found = sides.iter().map(|side| side.contingency_table(&of)).collect::<Result<Vec<_>, _>>()?;
        let mut counts: Vec<Vec<u32>> = vec![Vec::new(); found.len()];
        // Keys ascend in every table: the least one that is left is the next cell.
        let mut next = vec![0; found.len()];
        let left = |next: &[usize], side: usize| {
            (next[side] < found[side].occupied()).then(|| found[side].key(next[side]))
        };
        while let Some(cell) = (0..found.len()).filter_map(|side| left(&next, side)).min() {
            for side in 0..found.len() {
                let mut count = 0;
                if left(&next, side) == Some(cell) {
                    count = u32::try_from(found[side].counts()[next[side]])
                        .map_err(|_| MeasureError::TooManyRecords { records: sides[side].records() })?;
                    next[side] += 1;
                }
                counts[side].push(count);
            }
        }
        let synthetic = counts.split_off(1);
        Ok(Self {
            variables: names_in(domain, &of),
            cell_of_record: Vec::new(),
            original: counts.concat(),
            synthetic,
            cells: domain.cells(&of),
        })
    }

    /// From plain counts of cells, one list for each synthetic table, out of K cells in all. Records are numbered cell by
    /// cell. Refused if the lists differ in length, or are longer than K, or if there is no synthetic table.
    pub fn from_counts(
        original: &[u32],
        synthetic: &[Vec<u32>],
        cells: impl Into<BigUint>,
    ) -> Result<Self, MeasureError> {
        if synthetic.is_empty() {
            return Err(MeasureError::NoSynthetic);
        }
        if synthetic.iter().any(|set| set.len() != original.len()) {
            let message = "must be given for the same cells in all tables".into();
            return Err(MeasureError::Option { option: "counts", message });
        }
        let listed = Self {
            variables: Vec::new(),
            cell_of_record: (0..).zip(original).flat_map(|(cell, y)| (0..*y).map(move |_| cell)).collect(),
            original: original.to_vec(),
            synthetic: synthetic.to_vec(),
            cells: BigUint::from(original.len()),
        };
        listed.with_possible_cells(cells)
    }

    /// The same where only this many cells are possible: structural zeros can hold no record, and everyone knows it.
    pub(crate) fn with_possible_cells(self, cells: impl Into<BigUint>) -> Result<Self, MeasureError> {
        let cells = cells.into();
        if cells < BigUint::from(self.original.len()) {
            let message = "cannot be fewer than the cells that hold a record".into();
            return Err(MeasureError::Option { option: "possible cells", message });
        }
        Ok(Self { cells, ..self })
    }

    /// The variables of the cross-table; none if it was made of counts.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The number of cells K, empty ones included.
    pub fn cells(&self) -> &BigUint {
        &self.cells
    }

    /// The number of cells that are empty in all tables.
    pub(crate) fn empty_cells(&self) -> BigUint {
        &self.cells - BigUint::from(self.original.len())
    }

    /// The number of synthetic tables, m.
    pub fn sets(&self) -> usize {
        self.synthetic.len()
    }

    /// The number of original records.
    pub fn records(&self) -> usize {
        self.original.iter().map(|count| *count as usize).sum()
    }

    /// The listed cell of each original record, in row order; none if only counts were known.
    pub fn cell_of_record(&self) -> &[u32] {
        &self.cell_of_record
    }

    /// How many original records each listed cell holds.
    pub fn original(&self) -> &[u32] {
        &self.original
    }

    /// How many records of each synthetic table each listed cell holds.
    pub fn synthetic(&self) -> &[Vec<u32>] {
        &self.synthetic
    }

    /// How many synthetic records each listed cell holds, in all tables together.
    pub(crate) fn synthetic_sums(&self) -> Vec<u64> {
        let sum = |cell: usize| self.synthetic.iter().map(|set| u64::from(set[cell])).sum();
        (0..self.original.len()).map(sum).collect()
    }
}

/// A whole number as a real one; infinite where it is too large.
pub(super) fn real(number: &BigUint) -> f64 {
    let (top, shift) = top_bits(number);
    top * 2_f64.powi(i32::try_from(shift).unwrap_or(i32::MAX))
}

/// The natural logarithm of a whole number however large; minus infinity for zero.
pub(super) fn ln(number: &BigUint) -> f64 {
    let (top, shift) = top_bits(number);
    top.ln() + shift as f64 * std::f64::consts::LN_2
}

/// The 64 highest bits, and by how many they are shifted.
fn top_bits(number: &BigUint) -> (f64, u64) {
    let shift = number.bits().saturating_sub(64);
    let top = (number >> shift).to_u64_digits().first().copied().unwrap_or(0);
    (top as f64, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::matching::tests::read;

    #[test]
    fn several_synthetic_tables_share_the_cells() {
        let original = read("a,b\nx,1\nx,1\ny,2\n");
        let (one, other) = (read("a,b\nx,1\nz,2\n"), read("a,b\ny,2\ny,2\n"));
        let none: [&str; 0] = [];
        let cells = ReleaseCells::new(&original, &[&one, &other], &none, &Grouping::default()).unwrap();
        // (x, 1), (y, 2), (z, 2) out of three levels by two.
        assert_eq!((cells.original(), cells.cells()), (&[2, 1, 0][..], &BigUint::from(6_u8)));
        assert_eq!(cells.synthetic(), [vec![1, 0, 1], vec![0, 2, 0]]);
        assert_eq!(cells.synthetic_sums(), [1, 2, 1]);
        assert_eq!((cells.cell_of_record(), cells.empty_cells()), (&[0, 0, 1][..], BigUint::from(3_u8)));
        let error = ReleaseCells::new(&original, &[&one], &["c"], &Grouping::default()).unwrap_err();
        assert!(error.to_string().starts_with("there is no variable `c`"), "{error}");
    }

    #[test]
    fn counts_are_checked() {
        assert!(ReleaseCells::from_counts(&[1, 2], &[], 2_u8).is_err());
        assert!(ReleaseCells::from_counts(&[1, 2], &[vec![1]], 2_u8).is_err());
        assert!(ReleaseCells::from_counts(&[1, 2], &[vec![1, 0]], 1_u8).is_err());
        let cells = ReleaseCells::from_counts(&[1, 2], &[vec![1, 0]], 2_u8).unwrap();
        assert_eq!((cells.cell_of_record(), cells.records()), (&[0, 1, 1][..], 3));
    }

    #[test]
    fn large_numbers_of_cells_have_logarithms() {
        assert_eq!((real(&BigUint::from(0_u8)), ln(&BigUint::from(0_u8))), (0.0, f64::NEG_INFINITY));
        assert_eq!(real(&BigUint::from(12_345_678_901_u64)), 12_345_678_901.0);
        let huge = BigUint::from(10_u8).pow(400);
        assert_eq!(real(&huge), f64::INFINITY);
        assert!((ln(&huge) - 400.0 * 10_f64.ln()).abs() < 1e-12 * 921.0);
    }
}
