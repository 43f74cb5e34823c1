//! The measures by which all contestants are judged, chosen once.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use measures::{
    Aspect, Better, FamilyCard, Finding, Kept, MEASURES, Measure, MeasureError, Settings, SyntheticSets,
    UsualAxis, card_of, evaluate, family_of, with_holdout,
};
use table::Table;

use super::axes::AxisName;
use super::limits::axis_of;
use super::{FrontierError, Limit, records_sha256};

/// What is asked of every contestant, and which answers are kept.
#[derive(Clone)]
pub struct Battery {
    /// The settings of the measures. Clones of them share the work that depends on the original alone.
    pub settings: Settings,
    /// The families, in the order of the registry.
    pub families: Vec<&'static dyn Measure>,
    /// Measures that an axis or a limit names: all their findings are kept.
    pub named: BTreeSet<String>,
    /// Records that no recipe is fitted to, if some were set apart.
    pub holdout: Option<Arc<Holdout>>,
}

/// Records that were set apart before anything was fitted, with what the measures say of them as if they were a release.
pub struct Holdout {
    records: Table,
    sha256: String,
    findings: OnceLock<Option<Vec<Finding>>>,
}

impl Holdout {
    /// These records as a holdout.
    pub fn new(records: Table) -> Self {
        let sha256 = records_sha256(&records);
        Self { records, sha256, findings: OnceLock::new() }
    }

    /// The records.
    pub fn records(&self) -> &Table {
        &self.records
    }
}

/// The detail that holds the variables of the worst table.
const TABLE: &str = "table";

/// The detail that holds what the same measure says of the holdout.
const HOLDOUT: &str = "holdout";

/// The most tables of three variables that are compared unless the user says which tables.
const MOST_THREE_WAY: usize = 1000;

impl Battery {
    /// The battery of these families with these settings.
    pub fn new(settings: Settings, families: Vec<&'static dyn Measure>) -> Self {
        Self { settings, families, named: BTreeSet::new(), holdout: None }
    }

    /// The names of the families.
    pub fn family_names(&self) -> Vec<&'static str> {
        self.families.iter().map(|family| family.name()).collect()
    }

    /// What is compared where the user does not say: tables of one and two variables, and of three unless they are very many; no permutations,
    /// which would have to be drawn for every run, beside the resamples that all runs share.
    pub fn usual(columns: usize) -> Settings {
        let mut settings = Settings::default();
        let three = columns * columns.saturating_sub(1) * columns.saturating_sub(2) / 6;
        settings.ways = if (1..=MOST_THREE_WAY).contains(&three) { vec![1, 2, 3] } else { vec![1, 2] };
        settings.propensity.draws.permutations = 0;
        settings
    }

    /// The axes of risk and of utility of a table of so many variables where the user does not choose: of each aspect the first of the families that are
    /// computed and can tell anything of so many.
    pub fn usual_axes(&self, variables: usize) -> Result<[AxisName; 2], FrontierError> {
        let as_keys = if self.settings.keys.is_empty() { variables } else { 0 };
        let of = |option: &str, aspect: Aspect| {
            usual_axis(self.families.iter().map(|family| family.card()), aspect, as_keys)
                .map(|usual| self.axis_of(usual))
                .ok_or_else(|| FrontierError::option(option, "name a measure of the families of --only"))
        };
        Ok([of("--risk", Aspect::Risk)?, of("--utility", Aspect::Utility)?])
    }

    /// The first measure of risk that a limit is on, unless so many variables as keys blind it: whoever sets limits sees them on the map.
    pub fn limited_risk(&self, limits: &[Limit], variables: usize) -> Option<AxisName> {
        let as_keys = if self.settings.keys.is_empty() { variables } else { 0 };
        let is_seen = |name: &AxisName| {
            let family = self.families.iter().map(|family| family.card()).find(|card| {
                card.aspect == Aspect::Risk && card.measures.iter().any(|known| known.name == name.measure)
            });
            let is_blind = |card: &FamilyCard| {
                card.usual_axis.and_then(|axis| axis.most_variables).is_some_and(|most| as_keys > most)
            };
            family.is_some_and(|card| !is_blind(card))
                && card_of(&name.measure).is_some_and(|card| card.better != Better::Neither)
        };
        limits.iter().map(axis_of).find(is_seen)
    }

    /// Tables of two variables where they are compared, else of as many as the first.
    fn axis_of(&self, usual: UsualAxis) -> AxisName {
        let ways = self.settings.ways.iter().find(|ways| **ways == 2).or(self.settings.ways.first());
        let ways = ways.filter(|_| usual.by_ways).map(|ways| *ways as u64);
        AxisName { measure: usual.measure.into(), ways }
    }

    /// The findings that a frontier keeps. Every measure's card says which of its findings are kept, its family's which details; what an
    /// axis or a limit names is kept in full.
    pub(crate) fn condense(&self, findings: Vec<Finding>) -> Vec<Finding> {
        findings.into_iter().filter(|finding| self.keeps(finding)).map(short).collect()
    }

    /// What the measures say of these data sets, and beside it what they say of the holdout.
    pub(crate) fn evaluate(
        &self,
        original: &Table,
        synthetic: &[&Table],
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let Some(holdout) = &self.holdout else {
            let sets = SyntheticSets { original, synthetic, holdout: None };
            return evaluate(&sets, &self.families, settings);
        };
        let sets = SyntheticSets { original, synthetic, holdout: Some(&holdout.records) };
        let found = evaluate(&sets, &self.families, settings)?;
        let of_holdout = holdout.findings.get_or_init(|| {
            let sets = SyntheticSets { original, synthetic: &[&holdout.records], holdout: None };
            evaluate(&sets, &self.families, &self.settings).ok()
        });
        Ok(with_holdout(found, of_holdout.clone().unwrap_or_default()))
    }

    /// All that findings depend on, besides the tables.
    pub fn fingerprint(&self) -> String {
        let holdout = self.holdout.as_ref().map(|holdout| &holdout.sha256);
        format!("{:?} {:?} {:?} {holdout:?}", self.settings, self.family_names(), self.named)
    }

    fn keeps(&self, finding: &Finding) -> bool {
        let kept = card_of(&finding.measure).map_or(Kept::All, |card| card.kept);
        self.named.contains(&finding.measure)
            || match kept {
                Kept::All | Kept::Extremes => true,
                Kept::UpTo(variables) => finding.on.len() <= variables,
                Kept::Whole => finding.on.is_empty(),
                Kept::None => false,
            }
    }
}

/// The axis of the family that comes first among those of one aspect; one that is blind to so many variables as keys comes last.
fn usual_axis(
    families: impl Iterator<Item = &'static FamilyCard>,
    aspect: Aspect,
    as_keys: usize,
) -> Option<UsualAxis> {
    let axes = families.filter(|card| card.aspect == aspect).filter_map(|card| card.usual_axis);
    axes.min_by_key(|axis| (axis.most_variables.is_some_and(|most| as_keys > most), axis.rank))
}

/// The measure on the map of a frontier of a table of so many variables where all families are computed and the user does not choose, for the help of the command line.
pub fn usual_measure(aspect: Aspect, as_keys: usize) -> String {
    let battery = Battery::new(Settings::default(), MEASURES.to_vec());
    usual_axis(MEASURES.iter().map(|family| family.card()), aspect, as_keys)
        .map_or_else(String::new, |usual| battery.axis_of(usual).to_string())
}

/// A finding with the details that identify it. Where a measure is of the worst of many tables, which one differs between runs and becomes a
/// detail.
fn short(mut finding: Finding) -> Finding {
    if card_of(&finding.measure).is_some_and(|card| card.kept == Kept::Extremes) {
        let table = std::mem::take(&mut finding.on);
        finding.detail.insert(TABLE.to_owned(), table.into());
    }
    let identifying = family_of(&finding.measure).map_or(&[][..], |family| family.identified_by);
    finding
        .detail
        .retain(|key, _| [TABLE, HOLDOUT].contains(&key.as_str()) || identifying.contains(&key.as_str()));
    finding
}

#[cfg(test)]
mod tests {
    use measures::MEASURES;

    use super::*;

    fn finding(measure: &str, on: &[&str]) -> Finding {
        let better = measures::card_of(measure).map_or(Better::Neither, |card| card.better);
        Finding::value(measure, on.iter().copied(), 1.0, None, better)
            .with("each", vec![1.0, 2.0])
            .with("ways", 2)
    }

    #[test]
    fn what_is_summed_up_is_not_kept_unless_it_is_named() {
        let mut battery = Battery::new(Settings::default(), MEASURES.to_vec());
        let all = vec![
            finding("tables.s_pmse", &["a", "b"]),
            finding("tables.s_pmse", &["a", "b", "c"]),
            finding("tables.vw", &["a"]),
            finding("tables.worst_s_pmse", &["a", "b"]),
            finding("counts.roc", &["a"]),
            finding("counts.mean_roc", &[]),
            finding("distance.ks", &["a"]),
            finding("attribute.dorig", &["a", "b"]),
            finding("attribute.disco", &["a", "b"]),
        ];
        let kept = |battery: &Battery| -> Vec<String> {
            battery.condense(all.clone()).into_iter().map(|finding| finding.measure).collect()
        };
        let usual =
            ["tables.s_pmse", "tables.worst_s_pmse", "counts.mean_roc", "distance.ks", "attribute.disco"];
        assert_eq!(kept(&battery), usual);
        let worst = &battery.condense(all.clone())[1];
        assert!(worst.on.is_empty() && worst.detail["table"] == serde_json::json!(["a", "b"]));
        assert!(!worst.detail.contains_key("each") && worst.detail.contains_key("ways"));
        battery.named.insert("tables.vw".into());
        assert!(kept(&battery).contains(&"tables.vw".to_owned()));
    }

    #[test]
    fn usual_axes_are_of_families_that_are_computed() {
        let mut all = Battery::new(Battery::usual(18), MEASURES.to_vec());
        let [risk, utility] = all.usual_axes(12).unwrap();
        assert_eq!((risk.measure.as_str(), utility.ways), ("attribute.disco", Some(2)));
        let [risk, _] = all.usual_axes(18).unwrap();
        assert_eq!(risk.measure, "few_keys.worst_gain", "with 18 variables as keys nothing matches");
        all.settings.keys = vec![vec!["a".into()]];
        assert_eq!(all.usual_axes(18).unwrap()[0].measure, "attribute.disco", "keys are named");
        assert_eq!((Battery::usual(18).ways, Battery::usual(30).ways), (vec![1, 2, 3], vec![1, 2]));
        // Whoever limits risk sees that limit on the map, where it is not blind.
        let limits = ["epsilon <= 1", "tables.mean_s_pmse:2 <= 10", "attribute.disco_excess <= 10"];
        let limits = limits.map(|limit| crate::limits::parse(limit).unwrap());
        assert_eq!(all.limited_risk(&limits, 18).unwrap().measure, "attribute.disco_excess");
        assert_eq!(all.limited_risk(&limits[..2], 18), None);
        all.settings.keys.clear();
        assert_eq!(all.limited_risk(&limits, 18), None, "with 18 variables as keys nothing matches");
        assert!(all.limited_risk(&limits, 12).is_some());
        let only = |names: &[&str]| -> Vec<&'static dyn Measure> {
            MEASURES.iter().copied().filter(|family| names.contains(&family.name())).collect()
        };
        let some = Battery::new(Battery::usual(3), only(&["taub", "tau"])).usual_axes(3).unwrap();
        assert_eq!(some.map(|axis| axis.measure), ["tau.4", "taub.overall"]);
        assert!(Battery::new(Battery::usual(3), only(&["tables"])).usual_axes(3).is_err());
    }
}
