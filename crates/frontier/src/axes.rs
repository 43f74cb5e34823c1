//! The numbers by which contestants are compared, and where they stand in a run's findings.
//!
//! An axis of utility is the mean of one measure over all it is on, such as all two-way tables; one of risk is the worst, such as the target that is
//! disclosed most. Findings that sum up tables are kept apart by
//! the number of variables of their tables: `tables.mean_s_pmse:2` is the mean over tables of two variables.

use std::fmt;
use std::str::FromStr;

use measures::{Aspect, Better, FamilyCard, Finding, MEASURES, card_of, family_of};
use serde::Serialize;
use table::similar_name;

use super::{Axis, FrontierError};

/// What was spent of privacy: not a measure, but an axis and a limit.
pub const EPSILON: &str = "epsilon";

/// Which axis is meant: a measure, and of which tables where it sums up tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AxisName {
    /// The measure's name, as on its card, or `epsilon`.
    pub measure: String,
    /// The number of variables of the tables that it sums up.
    pub ways: Option<u64>,
}

impl FromStr for AxisName {
    type Err = String;

    /// `attribute.disco` or `tables.mean_s_pmse:2`; an unknown measure is refused with the nearest one.
    fn from_str(text: &str) -> Result<Self, String> {
        let (measure, ways) = match text.trim().split_once(':') {
            Some((measure, ways)) => {
                let ways = ways.trim().trim_end_matches("-way").parse();
                let ways = ways
                    .map_err(|_| format!("write the tables of `{text}` as a number, such as {measure}:2"))?;
                (measure.trim(), Some(ways))
            }
            None => (text.trim(), None),
        };
        if measure != EPSILON && card_of(measure).is_none() {
            let known = MEASURES.iter().flat_map(|family| family.cards()).map(|card| card.name);
            let hint = similar_name::hint(measure, known.chain([EPSILON]));
            return Err(format!("there is no measure `{measure}`{hint}; see `lookalike measures`"));
        }
        Ok(Self { measure: measure.to_owned(), ways })
    }
}

impl fmt::Display for AxisName {
    /// As it is read.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ways {
            Some(ways) => write!(out, "{}:{ways}", self.measure),
            None => out.write_str(&self.measure),
        }
    }
}

impl AxisName {
    /// The axis of a measure.
    pub fn new(measure: &str) -> Self {
        Self { measure: measure.to_owned(), ways: None }
    }

    /// The family that computes it; `None` for epsilon.
    pub fn family(&self) -> Option<&str> {
        self.measure.split_once('.').map(|(family, _)| family)
    }

    /// In which direction it gets better.
    pub fn better(&self) -> Better {
        if self.measure == EPSILON {
            return Better::Lower;
        }
        card_of(&self.measure).map_or(Better::Neither, |card| card.better)
    }

    /// Whether a finding is of this axis. Without a number of ways, all of the measure are; a finding of a single table has as many ways as the
    /// table has variables.
    pub fn is_of(&self, finding: &Finding) -> bool {
        let ways = || ways_of(finding).unwrap_or(finding.on.len() as u64);
        finding.measure == self.measure && self.ways.is_none_or(|own| own == ways())
    }

    /// Where a file stands on this axis: of risks the worst over all they are on, such as the target that is disclosed most, as a limit takes them;
    /// else the mean. `None` where nothing has a number.
    pub fn value(&self, findings: &[Finding]) -> Option<f64> {
        let is_risk = family_of(&self.measure).is_some_and(|family| family.aspect == Aspect::Risk);
        match self.better() {
            Better::Lower if is_risk => self.extreme(findings, true),
            Better::Higher if is_risk => self.extreme(findings, false),
            _ => self.mean(findings),
        }
    }

    /// The last value at which a file can still be used, where the card of the measure says one.
    pub(crate) fn usable(&self) -> Option<f64> {
        let usual = family_of(&self.measure).and_then(|family| family.usual_axis);
        usual.filter(|usual| usual.measure == self.measure).and_then(|usual| usual.usable)
    }

    /// The mean over what it is on; `None` where nothing has a number.
    pub fn mean(&self, findings: &[Finding]) -> Option<f64> {
        let values: Vec<f64> = self.values(findings).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The largest over what it is on, or the smallest.
    pub fn extreme(&self, findings: &[Finding], largest: bool) -> Option<f64> {
        self.values(findings).reduce(|one, other| if largest { one.max(other) } else { one.min(other) })
    }

    fn values<'a>(&'a self, findings: &'a [Finding]) -> impl Iterator<Item = f64> + 'a {
        findings.iter().filter(|finding| self.is_of(finding)).filter_map(|finding| finding.value)
    }

    /// What the measure is called on an axis of tables.
    fn label(&self, family: Option<&FamilyCard>) -> &str {
        let usual = family.and_then(|family| family.usual_axis).filter(|usual| usual.measure == self.measure);
        usual.map_or(self.measure.as_str(), |usual| usual.label)
    }

    /// The axis for people and for the report.
    pub fn axis(&self) -> Axis {
        let family = family_of(&self.measure);
        let is_risk = family.is_none_or(|family| family.aspect == Aspect::Risk);
        let of = self.ways.map_or_else(String::new, |ways| format!("{ways}-way"));
        let label = match self.ways {
            Some(ways) if self.measure != EPSILON => format!("{} of {ways}-way tables", self.label(family)),
            _ => self.measure.clone(),
        };
        let label = if is_risk && self.measure != EPSILON { format!("worst {label}") } else { label };
        let unit = card_of(&self.measure).map_or("", |card| card.unit);
        let label = if unit.is_empty() { label } else { format!("{label} ({unit})") };
        Axis { measure: self.measure.clone(), of, label, better: self.better(), is_risk }
    }
}

/// The number of variables of the tables that a finding sums up.
pub(crate) fn ways_of(finding: &Finding) -> Option<u64> {
    finding.detail.get("ways").and_then(serde_json::Value::as_u64)
}

/// Every axis that findings have a number on and that judges, each once, in the order of the findings.
pub(crate) fn axes_of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<AxisName> {
    let mut axes: Vec<AxisName> = Vec::new();
    for finding in findings {
        let judges = finding.value.is_some() && finding.better != Better::Neither;
        let axis = AxisName { measure: finding.measure.clone(), ways: ways_of(finding) };
        if judges && !axes.contains(&axis) {
            axes.push(axis);
        }
    }
    axes
}

/// The axis that was asked for: it must judge, and be of a family that is computed.
pub fn chosen(option: &str, text: &str, families: &[&str]) -> Result<AxisName, FrontierError> {
    let name: AxisName = text.parse().map_err(|message| FrontierError::option(option, message))?;
    if name.better() == Better::Neither {
        let message = format!("`{}` describes and does not judge; choose another measure", name.measure);
        return Err(FrontierError::option(option, message));
    }
    computed(option, &name, families)?;
    Ok(name)
}

/// Refuses a measure whose family is not computed.
pub fn computed(option: &str, name: &AxisName, families: &[&str]) -> Result<(), FrontierError> {
    match name.family() {
        Some(family) if !families.contains(&family) => {
            let message = format!("`{}` is not computed; add `{family}` to --only", name.measure);
            Err(FrontierError::option(option, message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(on: &[&str], value: f64, ways: u64) -> Finding {
        let on = on.iter().copied();
        Finding::value("tables.mean_s_pmse", on, value, None, Better::Lower).with("ways", ways)
    }

    #[test]
    fn an_axis_is_the_mean_over_what_the_measure_is_on() {
        let findings = [finding(&[], 1.0, 1), finding(&[], 5.0, 2), finding(&[], 3.0, 2)];
        let two: AxisName = "tables.mean_s_pmse:2".parse().unwrap();
        let all: AxisName = "tables.mean_s_pmse".parse().unwrap();
        assert_eq!((two.mean(&findings), all.mean(&findings)), (Some(4.0), Some(3.0)));
        assert_eq!((two.extreme(&findings, true), all.extreme(&findings, false)), (Some(5.0), Some(1.0)));
        assert_eq!(AxisName::new("tables.s_vw").mean(&findings), None);
        assert_eq!(axes_of(&findings).len(), 2);
        let usual: AxisName = "tables.farther_mean_s_pmse:2".parse().unwrap();
        assert_eq!(usual.axis().label, "mean S_pMSE of 2-way tables");
    }

    #[test]
    fn single_tables_have_as_many_ways_as_variables() {
        let table = |on: &[&str], value| {
            Finding::value("tables.s_pmse", on.iter().copied(), value, None, Better::Lower)
        };
        let findings = [table(&["a"], 1.0), table(&["a", "b"], 4.0), table(&["a", "c"], 6.0)];
        let two: AxisName = "tables.s_pmse:2".parse().unwrap();
        assert_eq!((two.mean(&findings), two.extreme(&findings, true)), (Some(5.0), Some(6.0)));
        let three: AxisName = "tables.s_pmse:3".parse().unwrap();
        assert_eq!(three.mean(&findings), None);
    }

    #[test]
    fn what_is_no_axis_is_refused_with_the_way_out() {
        let refused = |text: &str| chosen("--risk", text, &["tables", "uniques"]).unwrap_err().to_string();
        assert!(refused("attribute.discoo").contains("did you mean `attribute.disco`?"));
        assert!(refused("uniques.p1").contains("does not judge"));
        assert!(refused("attribute.disco").contains("add `attribute` to --only"));
        assert!(refused("tables.mean_s_pmse:two").contains("such as tables.mean_s_pmse:2"));
        assert!(chosen("--risk", "epsilon", &[]).is_ok() && AxisName::new(EPSILON).axis().is_risk);
        assert!(AxisName::new("uniques.ru").axis().is_risk && !AxisName::new("tables.s_vw").axis().is_risk);
    }
}
