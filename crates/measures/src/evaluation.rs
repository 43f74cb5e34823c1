//! All that is asked of an original and its synthetic tables, in one flat list.

use rustc_hash::FxHashMap;
use serde_json::Value;
use table::watch::{Step, Watch};
use table::{Source, StreamedTable, Table};

use crate::{CountMeasure, Finding, Measure, MeasureError, Prepared, Settings, SharedCounts, SyntheticSets};

/// What these families of measures find, in their order.
pub fn evaluate(
    sets: &SyntheticSets<'_>,
    measures: &[&dyn Measure],
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    evaluate_watched(sets, measures, settings, &Watch::default())
}

/// The same, watched family by family.
pub fn evaluate_watched(
    sets: &SyntheticSets<'_>,
    measures: &[&dyn Measure],
    settings: &Settings,
    watch: &Watch,
) -> Result<Vec<Finding>, MeasureError> {
    if sets.synthetic.is_empty() {
        return Err(MeasureError::NoSynthetic);
    }
    let mut findings = Vec::new();
    for (done, measure) in measures.iter().enumerate() {
        watch.check()?;
        findings.extend(measure.evaluate_sets(sets, settings)?);
        watch.report(Step::Measuring { family: measure.name(), done: done + 1, of: measures.len() });
    }
    Ok(findings)
}

/// What these families of measures find where the original may be a source of counts. Families that need the records themselves are then refused
/// by name, or take some variables of records that are read block by block; numbers of counts are in the classes that the schema declares.
pub fn evaluate_source<'a>(
    original: impl Into<Source<'a>>,
    synthetic: &[&Table],
    measures: &[&dyn Measure],
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let source = original.into();
    if let Some(original) = source.table() {
        return evaluate(&SyntheticSets { original, synthetic, holdout: None }, measures, settings);
    }
    // What cannot be answered is refused before anything is counted.
    let mut needs = Vec::with_capacity(measures.len());
    for &measure in measures {
        let records = || MeasureError::NeedsRecords { family: measure.name() };
        needs.push(match (measure.on_counts(), source) {
            (Some(on_counts), _) => Needs::Counts(on_counts),
            (None, Source::Streamed(files)) => {
                let names = measure.on_variables(files.schema(), settings).ok_or_else(records)?;
                Needs::Variables(measure, files, names)
            }
            (None, _) => return Err(records()),
        });
    }
    let shared = match needs.iter().any(|needs| matches!(needs, Needs::Counts(_))) {
        true => Some(SharedCounts::new(source, synthetic, settings.tables.grouping.groups)?),
        false => None,
    };
    let mut findings = Vec::new();
    for needs in needs {
        findings.extend(match (needs, &shared) {
            (Needs::Counts(measure), Some(shared)) => measure.evaluate_counts(shared.into(), settings)?,
            (Needs::Counts(_), None) => Vec::new(),
            (Needs::Variables(measure, files, names), _) => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let original = files.variables(&names)?;
                let sets = SyntheticSets { original: &original, synthetic, holdout: None };
                // What was prepared of another original, or of other variables of this one, is not shared.
                let settings = Settings { prepared: Prepared::default(), ..settings.clone() };
                measure.evaluate_sets(&sets, &settings)?
            }
        });
    }
    Ok(findings)
}

/// What a family needs of an original that is not in memory.
enum Needs<'a> {
    Counts(&'a dyn CountMeasure),
    Variables(&'a dyn Measure, &'a StreamedTable, Vec<String>),
}

/// The findings, each with what the same measure says of records of the same population that the synthesizer never saw, as
/// `detail.holdout`: what a fresh sample would score.
pub fn with_holdout(findings: Vec<Finding>, of_holdout: Vec<Finding>) -> Vec<Finding> {
    let mut of_holdout = Keyed::new(of_holdout);
    let mut findings = Keyed::new(findings);
    let keys = std::mem::take(&mut findings.keys);
    let noted = keys.into_iter().filter_map(|key| {
        let finding = findings.take(&key)?;
        Some(match of_holdout.take(&key) {
            Some(other) => finding.with("holdout", other.value),
            None => finding,
        })
    });
    noted.collect()
}

/// The mean over data sets of what was found in each of them.
///
/// Findings belong together if measure, variables and place among their like agree. A number that one data set does not have
/// is not averaged: the finding then says of which set and why. `detail.each` holds the number of every set and `detail.sd`
/// their standard deviation; a detail that differs between sets becomes the list of what it is in each.
pub(crate) fn mean_of_sets(found: Vec<Vec<Finding>>) -> Vec<Finding> {
    mean_over("synthetic table", found)
}

/// The same mean over repetitions of anything; `what` names one of them where a number is missing.
pub fn mean_over(what: &str, mut found: Vec<Vec<Finding>>) -> Vec<Finding> {
    if found.len() < 2 {
        return found.pop().unwrap_or_default();
    }
    let mut keyed: Vec<Keyed> = found.drain(..).map(Keyed::new).collect();
    let mut all = Vec::new();
    for set in 0..keyed.len() {
        for place in 0..keyed[set].keys.len() {
            let Some(finding) = keyed[set].findings[place].take() else { continue };
            let key = keyed[set].keys[place].clone();
            let mut of_sets = vec![None; keyed.len()];
            of_sets[set] = Some(finding);
            for later in set + 1..keyed.len() {
                of_sets[later] = keyed[later].take(&key);
            }
            all.push(mean(what, &of_sets));
        }
    }
    all
}

/// Measure, variables, and how many such findings came before.
type Key = (String, Vec<String>, usize);

/// The findings of one data set, to be taken out by key.
struct Keyed {
    keys: Vec<Key>,
    place: FxHashMap<Key, usize>,
    findings: Vec<Option<Finding>>,
}

impl Keyed {
    fn new(findings: Vec<Finding>) -> Self {
        let mut seen: FxHashMap<(String, Vec<String>), usize> = FxHashMap::default();
        let key = |finding: &Finding| {
            let before = seen.entry((finding.measure.clone(), finding.on.clone())).or_default();
            *before += 1;
            (finding.measure.clone(), finding.on.clone(), *before)
        };
        let keys: Vec<Key> = findings.iter().map(key).collect();
        let place = keys.iter().enumerate().map(|(place, key)| (key.clone(), place)).collect();
        Self { keys, place, findings: findings.into_iter().map(Some).collect() }
    }

    fn take(&mut self, key: &Key) -> Option<Finding> {
        self.place.get(key).and_then(|place| self.findings[*place].take())
    }
}

fn mean(what: &str, of_sets: &[Option<Finding>]) -> Finding {
    let sets = of_sets.len() as f64;
    let found: Vec<&Finding> = of_sets.iter().flatten().collect();
    let first = found[0];
    let values: Option<Vec<f64>> =
        of_sets.iter().map(|finding| finding.as_ref().and_then(|finding| finding.value)).collect();
    let mut combined = match &values {
        Some(values) => {
            let nulls: Option<Vec<f64>> = found.iter().map(|finding| finding.null).collect();
            let null = nulls.map(|nulls| nulls.iter().sum::<f64>() / sets);
            Finding::value(&first.measure, &first.on, values.iter().sum::<f64>() / sets, null, first.better)
        }
        None => Finding::undefined(&first.measure, &first.on, first.better, without_number(what, of_sets)),
    };
    for key in first.detail.keys() {
        let each: Vec<Value> =
            found.iter().map(|finding| finding.detail.get(key).cloned().unwrap_or_default()).collect();
        let same = each.iter().all(|value| *value == each[0]);
        combined = combined.with(key, if same { each[0].clone() } else { Value::from(each) });
    }
    let each = of_sets.iter().map(|finding| finding.as_ref().and_then(|finding| finding.value));
    with_each(combined, &each.collect::<Vec<_>>())
}

/// Adds the numbers of the data sets and their standard deviation.
pub(crate) fn with_each(finding: Finding, each: &[Option<f64>]) -> Finding {
    let finding = finding.with("each", each.to_vec());
    match each.iter().copied().collect::<Option<Vec<f64>>>() {
        Some(values) if values.len() > 1 => {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            finding.with("sd", (squares / (values.len() - 1) as f64).sqrt())
        }
        _ => finding,
    }
}

fn without_number(what: &str, of_sets: &[Option<Finding>]) -> String {
    let missing =
        of_sets.iter().enumerate().find(|(_, set)| set.as_ref().is_none_or(|set| set.value.is_none()));
    let (set, finding) = missing.map_or((0, &None), |(set, finding)| (set, finding));
    let because = finding.as_ref().and_then(|finding| finding.because.as_deref());
    format!("{what} {}: {}", set + 1, because.unwrap_or("it has no such finding"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Better;

    fn finding(value: f64, records: u64) -> Finding {
        Finding::value("tables.vw", ["sex"], value, Some(2.0), Better::Lower)
            .with("records", records)
            .with("ways", 1)
    }

    #[test]
    fn data_sets_are_averaged_with_their_spread() {
        let mean = mean_of_sets(vec![vec![finding(1.0, 10)], vec![finding(3.0, 11)], vec![finding(5.0, 10)]]);
        assert_eq!((mean.len(), mean[0].value, mean[0].null), (1, Some(3.0), Some(2.0)));
        assert_eq!(mean[0].detail["each"], serde_json::json!([1.0, 3.0, 5.0]));
        assert_eq!(mean[0].detail["sd"], 2.0);
        assert_eq!(
            (&mean[0].detail["records"], &mean[0].detail["ways"]),
            (&serde_json::json!([10, 11, 10]), &1.into())
        );
        let alone = vec![finding(1.0, 10)];
        assert_eq!(mean_of_sets(vec![alone.clone()]), alone);
    }

    #[test]
    fn a_number_that_one_set_lacks_is_not_averaged() {
        let none = Finding::undefined("tables.vw", ["sex"], Better::Lower, "nobody");
        let other = Finding::value("tables.vw", ["age"], 1.0, None, Better::Lower);
        let found = mean_of_sets(vec![vec![finding(1.0, 1)], vec![none, other]]);
        assert_eq!(found[0].because.as_deref(), Some("synthetic table 2: nobody"));
        assert_eq!(found[0].detail["each"], serde_json::json!([1.0, null]));
        assert_eq!(found[1].because.as_deref(), Some("synthetic table 1: it has no such finding"));
    }

    #[test]
    fn findings_with_one_name_are_told_apart_by_their_place() {
        let set = |shift: f64| vec![finding(1.0 + shift, 1), finding(10.0 + shift, 1)];
        let mean = mean_of_sets(vec![set(0.0), set(2.0)]);
        assert_eq!(mean.iter().map(|finding| finding.value).collect::<Vec<_>>(), [Some(2.0), Some(11.0)]);
    }
}
