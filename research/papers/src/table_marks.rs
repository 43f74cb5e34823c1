//! Ratio of counts and interval overlap of one table, as the synthetic data challenge takes them.

use measures::utility::interval::Agreement;
use measures::utility::ratio_of_counts::RatioOfCounts;
use measures::utility::tables::{CellPairs, MissingValues};
use measures::{MeasureError, SharedTables};
use table::CountSource;

/// A table's two marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableMarks {
    /// The mean ratio of counts over the cells; a cell that is empty in both files counts 1.
    pub ratio_of_counts: f64,
    /// The mean overlap of the intervals of shares.
    pub overlap: f64,
}

impl TableMarks {
    /// The marks of the table of these variables; records with a missing value there do not count.
    pub fn of(shared: &SharedTables, names: &[&str]) -> Result<Self, MeasureError> {
        let of = [shared.attributes(names)?];
        let (y, s) = (shared.original().margins(&of)?, shared.synthetic()[0].margins(&of)?);
        let counts = CellPairs::of_margins(shared.domain(), &y[0], &s[0], MissingValues::AreLeftOut);
        let undefined =
            |because: &str| MeasureError::Variable { name: names.join(" by "), message: because.to_owned() };
        let ratio = RatioOfCounts::of(&counts).map_err(undefined)?;
        let overlap = Agreement::of_proportions(&counts).ok_or_else(|| undefined("a file has no record"))?;
        Ok(Self { ratio_of_counts: ratio.all_cells, overlap: overlap.overlap })
    }
}
