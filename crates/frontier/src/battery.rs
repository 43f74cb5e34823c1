//! The measures by which all contestants are judged, chosen once.

use std::collections::BTreeSet;

use measures::{Better, Finding, Measure, Settings};

use super::FrontierError;
use super::axes::AxisName;

/// What is asked of every contestant, and which answers are kept.
#[derive(Clone)]
pub struct Battery {
    /// The settings of the measures. Clones of them share the work that depends on the original alone.
    pub settings: Settings,
    /// The families, in the order of the registry.
    pub families: Vec<&'static dyn Measure>,
    /// Measures that an axis or a limit names: all their findings are kept.
    pub named: BTreeSet<String>,
}

/// Details that say which finding it is; the others are left to `lookalike measure`.
const TELLING: [&str; 16] = [
    "ways",
    "k",
    "d",
    "m",
    "prior",
    "priors",
    "order",
    "cell_size",
    "target",
    "formula",
    "family",
    "coefficient",
    "rule",
    "table",
    "left_out",
    "without",
];

/// Measures of single tables or pairs that a mean sums up.
const SUMMED_UP: [&str; 6] = [
    "counts.",
    "distance.hellinger",
    "distance.euclidean",
    "distance.total_variation",
    "distance.c",
    "interval.",
];

/// The most tables of three variables that are compared unless the user says which tables.
const MOST_THREE_WAY: usize = 1000;

impl Battery {
    /// The battery of these families with these settings.
    pub fn new(settings: Settings, families: Vec<&'static dyn Measure>) -> Self {
        Self { settings, families, named: BTreeSet::new() }
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

    /// The axes of risk and of utility where the user does not choose.
    pub fn usual_axes(&self) -> Result<[AxisName; 2], FrontierError> {
        let ways = self.settings.ways.iter().find(|ways| **ways == 2).or(self.settings.ways.first());
        let tables = AxisName { measure: "tables.mean_s_pmse".into(), ways: ways.map(|ways| *ways as u64) };
        let risks =
            ["attribute.disco", "uniques.ru", "identity.repu", "tau.4", "intruder.r_mean"].map(AxisName::new);
        let others = [
            "taub.overall",
            "propensity.logit.s_pmse",
            "distance.mean_hellinger",
            "counts.mean_roc",
            "mca.score",
            "model.overlap",
        ]
        .map(AxisName::new);
        let names = self.family_names();
        let first = |option: &str, candidates: &[AxisName]| {
            let known = |axis: &&AxisName| axis.family().is_some_and(|family| names.contains(&family));
            candidates
                .iter()
                .find(known)
                .cloned()
                .ok_or_else(|| FrontierError::option(option, "name a measure of the families of --only"))
        };
        let utilities: Vec<AxisName> = std::iter::once(tables).chain(others).collect();
        Ok([first("--risk", &risks)?, first("--utility", &utilities)?])
    }

    /// The findings that a frontier keeps. Tables of up to two variables keep their S_pMSE, what a mean sums up is left to the mean, what only
    /// describes an attack is left out, and so are details; what an axis or a limit names is kept in full.
    pub fn condense(&self, findings: Vec<Finding>) -> Vec<Finding> {
        findings.into_iter().filter(|finding| self.keeps(finding)).map(short).collect()
    }

    /// All that findings depend on, besides the tables.
    pub fn fingerprint(&self) -> String {
        format!("{:?} {:?} {:?}", self.settings, self.family_names(), self.named)
    }

    fn keeps(&self, finding: &Finding) -> bool {
        let name = finding.measure.as_str();
        if self.named.contains(name) {
            return true;
        }
        match name {
            "tables.s_pmse" => finding.on.len() <= 2,
            "tables.mean_s_pmse" | "tables.worst_s_pmse" | "tables.variable_s_pmse" => true,
            _ if name.starts_with("tables.") => false,
            _ if name.starts_with("attribute.") => finding.better != Better::Neither,
            _ => finding.on.is_empty() || !SUMMED_UP.iter().any(|start| name.starts_with(start)),
        }
    }
}

/// A finding with the details that tell it from others. The worst table differs between runs, so it becomes a detail.
fn short(mut finding: Finding) -> Finding {
    if finding.measure == "tables.worst_s_pmse" {
        let table = std::mem::take(&mut finding.on);
        finding.detail.insert("table".to_owned(), table.into());
    }
    finding.detail.retain(|key, _| TELLING.contains(&key.as_str()));
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
        let all = Battery::new(Battery::usual(18), MEASURES.to_vec());
        let [risk, utility] = all.usual_axes().unwrap();
        assert_eq!((risk.measure.as_str(), utility.ways), ("attribute.disco", Some(2)));
        assert_eq!((Battery::usual(18).ways, Battery::usual(30).ways), (vec![1, 2, 3], vec![1, 2]));
        let only = |names: &[&str]| -> Vec<&'static dyn Measure> {
            MEASURES.iter().copied().filter(|family| names.contains(&family.name())).collect()
        };
        let some = Battery::new(Battery::usual(3), only(&["taub", "tau"])).usual_axes().unwrap();
        assert_eq!(some.map(|axis| axis.measure), ["tau.4", "taub.overall"]);
        assert!(Battery::new(Battery::usual(3), only(&["tables"])).usual_axes().is_err());
    }
}
