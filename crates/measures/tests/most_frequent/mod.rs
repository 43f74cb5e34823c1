//! Is the most frequent level as frequent as in the original? For each categorical variable |p − q|, p and q its shares in both files.

use measures::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Settings,
};
use table::{Column, Table};

/// The family.
pub struct MostFrequent;

const CARD: FamilyCard = FamilyCard {
    name: "mode",
    aspect: Aspect::Utility,
    honours: &[],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: &[DIFFERENCE],
};

const DIFFERENCE: MeasureCard = MeasureCard {
    name: "mode.difference",
    question: "By how much does the share of the most frequent level differ?",
    better: Better::Lower,
    unit: "",
    range: Range::UNIT,
    null: Null::None,
    citation: "an example",
    kept: Kept::All,
};

impl Measure for MostFrequent {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(&self, comparison: &Comparison<'_>, _: &Settings) -> Result<Vec<Finding>, MeasureError> {
        let variables = comparison.original.schema().variables().iter();
        let findings = variables.filter_map(|variable| {
            let original = shares(comparison.original, &variable.name)?;
            let synthetic = shares(comparison.synthetic, &variable.name)?;
            let most =
                (0..original.len()).max_by(|one, other| original[*one].total_cmp(&original[*other]))?;
            let difference = (original[most] - synthetic[most]).abs();
            Some(DIFFERENCE.finding(&[&variable.name], difference))
        });
        Ok(findings.collect())
    }
}

/// The share of each level; `None` for a number.
fn shares(table: &Table, variable: &str) -> Option<Vec<f64>> {
    let levels = table.schema().variable(variable).ok()?.kind.levels()?.len();
    let Column::Categorical(codes) = table.column(variable).ok()? else { return None };
    // The last code stands for missing.
    let counts = codes.frequencies(levels + 1);
    Some(counts[..levels].iter().map(|count| *count as f64 / table.rows() as f64).collect())
}
