//! The one list of measures, from which command line, reports and documentation are made.

use table::Schema;

use crate::evaluation::mean_of_sets;
use crate::files::Files;
use crate::risk::DisclosureOptions;
use crate::risk::attacks::Attacks;
use crate::risk::attribute::Attribute;
use crate::risk::closest::Closest;
use crate::risk::identity::Identity;
use crate::risk::intruder::{Intruder, IntruderOptions};
use crate::risk::membership::Membership;
use crate::risk::tau::{TauMetrics, TauOptions};
use crate::risk::uniques::Uniques;
use crate::utility::amounts::Amounts;
use crate::utility::conformance::Conformance;
use crate::utility::distance::Distances;
use crate::utility::interval::Intervals;
use crate::utility::mca::Mca;
use crate::utility::model::{ModelRequest, Models};
use crate::utility::prediction::Prediction;
use crate::utility::propensity::{Propensity, PropensityOptions};
use crate::utility::ratio_of_counts::Counts;
use crate::utility::sdmetrics::SdMetrics;
use crate::utility::tables::{TableOptions, Tables};
use crate::utility::taub::Taub;
use crate::{
    Comparison, CountedTables, FamilyCard, Finding, MeasureCard, MeasureError, Prepared, SyntheticSets,
};

/// A family of measures that come out of one computation.
pub trait Measure: Sync {
    /// What it is.
    fn card(&self) -> &'static FamilyCard;

    /// The first part of its measures' names.
    fn name(&self) -> &'static str {
        self.card().name
    }

    /// What each of its measures means.
    fn cards(&self) -> &'static [MeasureCard] {
        self.card().measures
    }

    /// All that it can say of these tables. An error means that the question was wrong; a number that does not exist is a
    /// finding with a reason.
    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError>;

    /// The same of several synthetic tables: by default what is found of each by itself, and then their mean.
    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let found = sets.comparisons().map(|comparison| self.evaluate(&comparison, settings));
        Ok(mean_of_sets(found.collect::<Result<_, _>>()?))
    }

    /// The family as one that needs only counts of the original; `None` if it needs the records themselves.
    fn on_counts(&self) -> Option<&dyn CountMeasure> {
        None
    }

    /// The variables of which it needs the records, where these are read block by block and not all can be held; `None` if it takes no such original.
    fn on_variables(&self, _original: &Schema, _settings: &Settings) -> Option<Vec<String>> {
        None
    }
}

/// A family that needs only counts of tables, from whatever source.
pub trait CountMeasure {
    /// All that it can say of these counts, over all synthetic tables.
    fn evaluate_counts(
        &self,
        tables: CountedTables<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError>;
}

/// What the user wants to know; every family takes what concerns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How tables are made.
    pub tables: TableOptions,
    /// Which tables are compared: all of one variable, of two, of three …
    pub ways: Vec<usize>,
    /// Tables that are compared beside those, by the names of their variables.
    pub named_tables: Vec<Vec<String>>,
    /// How propensity is measured.
    pub propensity: PropensityOptions,
    /// Models that are fitted to every table.
    pub models: Vec<ModelRequest>,
    /// Sets of variables by which an intruder might know a record; none means all variables but identifiers, and the target
    /// where there is one.
    pub keys: Vec<Vec<String>>,
    /// What an intruder might want to know; none means all variables that are neither keys nor identifiers.
    pub targets: Vec<String>,
    /// Which disclosures count.
    pub disclosure: DisclosureOptions,
    /// At which cell sizes the tau metrics are taken.
    pub tau: TauOptions,
    /// What an intruder who knows all records but one may know besides.
    pub intruder: IntruderOptions,
    /// How often each attack is tried; none means 1,000 times where there is a holdout, and not at all where there is none.
    pub attacks: Option<usize>,
    /// Variables that are predicted from the others by models trained on synthetic records; none means up to twelve where there is a
    /// holdout, and none where there is none.
    pub predicted: Vec<String>,
    /// What evaluations against one original share; clones of these settings share it.
    pub prepared: Prepared,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tables: TableOptions::default(),
            ways: vec![1, 2],
            named_tables: Vec::new(),
            propensity: PropensityOptions::default(),
            models: Vec::new(),
            keys: Vec::new(),
            targets: Vec::new(),
            disclosure: DisclosureOptions::default(),
            tau: TauOptions::default(),
            intruder: IntruderOptions::default(),
            attacks: None,
            predicted: Vec::new(),
            prepared: Prepared::default(),
        }
    }
}

/// Every family of measures, in the order reports show them.
pub const MEASURES: &[&dyn Measure] = &[
    &Files,
    &Tables,
    &Counts,
    &Distances,
    &Intervals,
    &Amounts,
    &Mca,
    &Propensity,
    &Models,
    &Prediction,
    &Conformance,
    &Taub,
    &SdMetrics,
    &Uniques,
    &Identity,
    &Attribute,
    &TauMetrics,
    &Intruder,
    &Closest,
    &Attacks,
    &Membership,
];

/// The card of a measure.
pub fn card_of(name: &str) -> Option<&'static MeasureCard> {
    MEASURES.iter().flat_map(|measure| measure.cards()).find(|card| card.name == name)
}

/// The card of the family that a measure belongs to.
pub fn family_of(measure: &str) -> Option<&'static FamilyCard> {
    let (family, _) = measure.split_once('.')?;
    MEASURES.iter().map(|measure| measure.card()).find(|card| card.name == family)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn every_measure_keeps_its_promises() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let original = read("sex,age,town\nF,31,a\nM,47,a\nF,31,b\nM,12,b\nF,80,a\nM,55,a\nF,9,b\n");
        let other = read("sex,age,town\nF,35,a\nM,47,b\nM,12,c\n");
        let formula = models::Formula::parse("age ~ sex").unwrap();
        let request = ModelRequest { formula, family: models::ModelFamily::Gaussian };
        let settings = Settings { models: vec![request], ..Settings::default() };
        let mut names = BTreeSet::new();
        for measure in MEASURES {
            for card in measure.cards() {
                assert!(card.name.starts_with(&format!("{}.", measure.name())), "{}", card.name);
                assert!(!card.citation.is_empty() && card.question.ends_with('?'), "{}", card.name);
                assert!(names.insert(card.name), "{} is there twice", card.name);
            }
            for synthetic in [&original, &other] {
                let comparison = Comparison { original: &original, synthetic, holdout: None };
                let findings = measure.evaluate(&comparison, &settings).unwrap();
                assert!(!findings.is_empty());
                for finding in findings {
                    let card = card_of(&finding.measure).expect("a card for every finding");
                    assert_eq!(finding.better, card.better, "{}", card.name);
                    assert_eq!(finding.value.is_none(), finding.because.is_some(), "{}", card.name);
                    if let Some(value) = finding.value {
                        assert!(
                            card.range.contains(value),
                            "{}: {value} is outside {:?}",
                            card.name,
                            card.range
                        );
                    }
                }
            }
        }
    }
}
