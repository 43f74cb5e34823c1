//! The owner's limits: bounds on measures, on epsilon, and McClure's regions of the (RR, R) plane.

use measures::Finding;
use measures::risk::intruder::names;

use super::axes::{AxisName, EPSILON};
use super::{FrontierError, Limit, LimitCheck};

/// The limit that a file of acceptable regions sets: no record's risk may lie outside.
pub const REGIONS: &str = names::REGIONS;

const OUTSIDE: &str = names::OUTSIDE_SHARE;

/// Reads a limit such as `attribute.disco <= 5`, `tables.mean_s_pmse:2 <= 10` or `epsilon <= 1`.
pub fn parse(text: &str) -> Result<Limit, FrontierError> {
    let refuse = |message: String| FrontierError::option(format!("--limit \"{text}\""), message);
    let signs = [("<=", true), (">=", false), ("≤", true), ("≥", false)];
    let Some((sign, at_most)) = signs.into_iter().find(|(sign, _)| text.contains(sign)) else {
        return Err(refuse("write it as MEASURE <= NUMBER or MEASURE >= NUMBER".into()));
    };
    let (measure, bound) = text.split_once(sign).unwrap_or((text, ""));
    let name: AxisName = measure.parse().map_err(refuse)?;
    let bound: f64 = match bound.trim().parse() {
        Ok(bound) if f64::is_finite(bound) => bound,
        _ => return Err(refuse(format!("what stands after {sign} is not a number"))),
    };
    let measure = name.ways.map_or(name.measure.clone(), |ways| format!("{}:{ways}", name.measure));
    Ok(Limit { text: text.trim().to_owned(), measure, bound: Some(bound), at_most })
}

/// The limit that no record's risk lies outside the acceptable regions (McClure & Reiter 2012, section 4).
pub fn regions() -> Limit {
    let text = "every record within the acceptable regions of (RR, R)".to_owned();
    Limit { text, measure: REGIONS.to_owned(), bound: None, at_most: true }
}

/// The measure that a limit is about, with the bound that it sets on it.
pub fn axis_of(limit: &Limit) -> AxisName {
    let measure = if limit.measure == REGIONS { OUTSIDE } else { &limit.measure };
    measure.parse().unwrap_or_else(|_| AxisName::new(measure))
}

/// What is to be said of a limit that may not mean what it says: a share where the measure is in per cent.
pub fn remark(limit: &Limit) -> Option<String> {
    let card = measures::card_of(&axis_of(limit).measure)?;
    let bound = limit.bound.filter(|bound| card.unit == "%" && *bound > 0.0 && *bound < 1.0)?;
    Some(format!("the limit `{}` means {bound} per cent: {} is measured in per cent", limit.text, card.name))
}

/// Whether runs keep a limit: the worst value over what the measure is on, averaged over the runs, against the bound.
///
/// A value that is not there keeps nothing, even if the measure has values on something else. `epsilon` is what the contestant spends in every run.
pub fn check(limit: &Limit, runs: &[Vec<Finding>], epsilon: Option<f64>) -> LimitCheck {
    let (axis, bound) = (axis_of(limit), limit.bound.unwrap_or(0.0));
    let keeps = |value: f64| if limit.at_most { value <= bound } else { value >= bound };
    if axis.measure == EPSILON {
        let because = "it states no privacy budget: no epsilon bounds what it may disclose";
        return LimitCheck {
            limit: limit.text.clone(),
            measure: axis.measure,
            value: epsilon,
            kept: epsilon.is_some_and(keeps),
            share_of_runs: epsilon.map(|epsilon| f64::from(u8::from(keeps(epsilon)))),
            because: epsilon.is_none().then(|| because.to_owned()),
        };
    }
    let values: Vec<Option<f64>> = runs.iter().map(|run| axis.extreme(run, limit.at_most)).collect();
    let all: Option<Vec<f64>> = values.iter().copied().collect();
    let value = all.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<f64>() / all.len() as f64);
    let without = |run: &[Finding]| run.iter().any(|one| axis.is_of(one) && one.value.is_none());
    let kept =
        values.iter().zip(runs).filter(|(value, run)| value.is_some_and(keeps) && !without(run)).count();
    let gap = runs.iter().flatten().find(|finding| axis.is_of(finding) && finding.value.is_none());
    let because = match (value, gap) {
        (Some(_), None) => None,
        (None, None) => Some("it was not measured".to_owned()),
        (value, Some(gap)) => {
            let reason = gap.because.clone().unwrap_or_else(|| "it was not measured".to_owned());
            match value.is_some() && !gap.on.is_empty() {
                true => Some(format!("it has no value on {}: {reason}", gap.on.join(", "))),
                false => Some(reason),
            }
        }
    };
    LimitCheck {
        limit: limit.text.clone(),
        measure: axis.measure.clone(),
        value,
        kept: value.is_some_and(keeps) && gap.is_none(),
        share_of_runs: (!runs.is_empty()).then(|| kept as f64 / runs.len() as f64),
        because,
    }
}

/// The same when some runs gave no result: what they would have given nobody knows, so a limit on what is measured is not kept. What is spent
/// of privacy does not depend on chance.
pub(crate) fn with_failures(mut check: LimitCheck, failed: usize, of: usize) -> LimitCheck {
    if failed == 0 || check.measure == EPSILON {
        return check;
    }
    let finished = of.saturating_sub(failed) as f64 / of as f64;
    let failures = format!("{failed} of {of} runs failed");
    check.kept = false;
    check.share_of_runs = check.share_of_runs.map(|share| share * finished);
    check.because = Some(check.because.map_or(failures.clone(), |because| format!("{failures}; {because}")));
    check
}

#[cfg(test)]
mod tests {
    use measures::Better;

    use super::*;

    fn run(values: &[f64]) -> Vec<Finding> {
        let finding = |value: &f64| Finding::value("attribute.disco", ["x"], *value, None, Better::Lower);
        values.iter().map(finding).collect()
    }

    #[test]
    fn the_worst_target_counts_and_runs_are_averaged() {
        let limit = parse(" attribute.disco <= 4 ").unwrap();
        let check_of = |runs: &[Vec<Finding>]| check(&limit, runs, None);
        let found = check_of(&[run(&[1.0, 3.0]), run(&[2.0, 4.5])]);
        assert_eq!((found.value, found.kept, found.share_of_runs), (Some(3.75), true, Some(0.5)));
        let found = check_of(&[run(&[5.0]), run(&[4.0])]);
        assert_eq!((found.value, found.kept), (Some(4.5), false));
        let at_least = parse("attribute.disco >= 4").unwrap();
        assert_eq!(check(&at_least, &[run(&[5.0, 3.0])], None).value, Some(3.0));
    }

    #[test]
    fn what_is_not_there_keeps_nothing() {
        let limit = parse("attribute.tcap <= 40").unwrap();
        let none = Finding::undefined("attribute.tcap", ["x"], Better::Lower, "no keys occur");
        let found = check(&limit, &[vec![none]], None);
        assert_eq!((found.kept, found.because.as_deref()), (false, Some("no keys occur")));
        let epsilon = parse("epsilon <= 1").unwrap();
        assert!(!check(&epsilon, &[run(&[1.0])], None).kept);
        assert!(check(&epsilon, &[run(&[1.0])], Some(1.0)).kept);
        assert!(!check(&epsilon, &[], Some(2.0)).kept);
        assert!(!check(&regions(), &[run(&[1.0])], None).kept);
    }

    #[test]
    fn one_target_without_a_value_keeps_nothing_whatever_the_others_have() {
        let limit = parse("attribute.disco <= 4").unwrap();
        let mut gap = run(&[1.0]);
        gap.push(Finding::undefined("attribute.disco", ["y"], Better::Lower, "no keys occur"));
        let found = check(&limit, &[gap, run(&[2.0])], None);
        assert_eq!((found.value, found.kept, found.share_of_runs), (Some(1.5), false, Some(0.5)));
        assert_eq!(found.because.as_deref(), Some("it has no value on y: no keys occur"));
    }

    #[test]
    fn runs_that_failed_keep_nothing_but_epsilon() {
        let limit = parse("attribute.disco <= 4").unwrap();
        let one = check(&limit, &[run(&[1.0])], None);
        assert_eq!(with_failures(one.clone(), 0, 1), one);
        let found = with_failures(one, 4, 5);
        assert_eq!((found.kept, found.share_of_runs), (false, Some(0.2)));
        assert_eq!(found.because.as_deref(), Some("4 of 5 runs failed"));
        let epsilon = check(&parse("epsilon <= 1").unwrap(), &[], Some(1.0));
        assert!(with_failures(epsilon, 4, 5).kept);
    }

    #[test]
    fn limits_that_cannot_be_read_say_what_to_write() {
        let refused = |text: &str| parse(text).unwrap_err().to_string();
        assert!(refused("attribute.disco < 4").contains("MEASURE <= NUMBER"));
        assert!(refused("attribute.disko <= 4").contains("did you mean `attribute.disco`?"));
        assert!(refused("attribute.disco <= many").contains("not a number"));
        assert!(refused("attribute.disco <= inf").contains("not a number"));
        let share = parse("attribute.tcap <= 0.4").unwrap();
        assert!(remark(&share).is_some_and(|text| text.contains("0.4 per cent")));
        assert!(remark(&parse("attribute.tcap_taub <= 0.4").unwrap()).is_none());
        assert_eq!(axis_of(&parse("tables.mean_s_pmse:2 ≤ 10").unwrap()).ways, Some(2));
    }
}
