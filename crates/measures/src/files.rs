//! How two files differ before anything is counted: records, columns, kinds and levels.

use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Settings,
};

/// The family of differences between files.
#[derive(Clone, Copy, Debug)]
pub struct Files;

const fn card(name: &'static str, question: &'static str, better: Better, unit: &'static str) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better,
        unit,
        range: Range::NOT_NEGATIVE,
        null: Null::None,
        citation: "Lookalike: what must be known before two files are compared",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(names::RECORDS, "How many records does the synthetic file have?", Better::Neither, "records"),
    card(names::COLUMNS, "How many columns does only one of the files have?", Better::Lower, "columns"),
    card(
        names::KINDS,
        "How many columns are of another kind in the synthetic file?",
        Better::Lower,
        "columns",
    ),
    card(
        names::LEVELS,
        "How many levels of this variable occur in only one of the files?",
        Better::Lower,
        "levels",
    ),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `files.records`.
    pub const RECORDS: &str = "files.records";
    /// `files.columns`.
    pub const COLUMNS: &str = "files.columns";
    /// `files.kinds`.
    pub const KINDS: &str = "files.kinds";
    /// `files.levels`.
    pub const LEVELS: &str = "files.levels";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "files",
    aspect: Aspect::Utility,
    honours: &[],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

impl Measure for Files {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        _settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let none: &[&str] = &[];
        let (original, synthetic) = (comparison.original, comparison.synthetic);
        let names = |of: &table::Table, absent_from: &table::Table| -> Vec<String> {
            let variables = of.schema().variables().iter().map(|variable| variable.name.clone());
            variables.filter(|name| absent_from.schema().variable(name).is_err()).collect()
        };
        let (only_original, only_synthetic) = (names(original, synthetic), names(synthetic, original));
        let mut kinds = Vec::new();
        let mut levels = Vec::new();
        for variable in original.schema().variables() {
            let Ok(other) = synthetic.schema().variable(&variable.name) else { continue };
            if variable.kind.name() != other.kind.name() {
                kinds.push(serde_json::json!({
                    "variable": variable.name, "original": variable.kind.name(), "synthetic": other.kind.name(),
                }));
            }
            if variable.kind.levels().is_some() && other.kind.levels().is_some() {
                let (of_original, of_synthetic) =
                    (occurring(original, &variable.name)?, occurring(synthetic, &variable.name)?);
                let apart = |these: &[String], those: &[String]| {
                    these.iter().filter(|level| !those.contains(level)).count()
                };
                let only = (apart(&of_original, &of_synthetic), apart(&of_synthetic, &of_original));
                let finding = CARDS[3].finding(&[&variable.name], (only.0 + only.1) as f64);
                levels.push(finding.with("only_original", only.0).with("only_synthetic", only.1));
            }
        }
        let mut findings = vec![
            CARDS[0].finding(none, synthetic.rows() as f64).with("original", original.rows()),
            (CARDS[1].finding(none, (only_original.len() + only_synthetic.len()) as f64))
                .with("only_original", only_original)
                .with("only_synthetic", only_synthetic),
            CARDS[2].finding(none, kinds.len() as f64).with("columns", kinds),
        ];
        findings.extend(levels);
        Ok(findings)
    }
}

/// The levels of a variable that some record has.
fn occurring(table: &table::Table, name: &str) -> Result<Vec<String>, MeasureError> {
    let position = table.schema().position_of(name)?;
    let Some(levels) = table.schema().variables()[position].kind.levels() else { return Ok(Vec::new()) };
    let table::Column::Categorical(codes) = &table.columns()[position] else { return Ok(Vec::new()) };
    let counts = codes.frequencies(levels.len() + 1);
    Ok(levels.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(level, _)| level.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn columns_kinds_and_levels_are_told() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let original = read("a,b,c,d\nx,1,1,q\ny,2,2,q\n");
        let synthetic = read("b,c,d,e\n1,1.5,q,1\n2,2,r,1\n");
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = Files.evaluate(&comparison, &Settings::default()).unwrap();
        let values: Vec<f64> = found.iter().map(|finding| finding.value.unwrap()).collect();
        assert_eq!(values, [2.0, 2.0, 1.0, 1.0]);
        assert_eq!(found[1].detail["only_original"], serde_json::json!(["a"]));
        assert_eq!(found[1].detail["only_synthetic"], serde_json::json!(["e"]));
        assert_eq!(found[2].detail["columns"][0]["synthetic"], "real");
        assert_eq!((&found[3].on[0][..], &found[3].detail["only_synthetic"]), ("d", &1.into()));
    }
}
