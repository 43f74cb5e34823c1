//! The runs of all contestants put on one map: values with their spread, front, limits, scores, recommendation.

use measures::evaluation::mean_over;
use measures::risk::attribute;
use measures::risk::risk_utility::RiskUtility;
use measures::utility::taub;
use measures::{Better, Finding};

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::axes::{AxisName, EPSILON, axes_of};
use super::contest::{Contest, findings_of};
use super::dominance::{Point, dominated_probabilities, dominates};
use super::limits;
use super::recommendation::{figures, holds_real_records, recommend};
use super::resume::RunRecord;
use super::{
    AskedBattery, Axis, Contestant, Estimated, Frontier, LimitCheck, Origin, Place, Timings, TotalScores,
    records_sha256, schema_sha256,
};

/// The format of [`Frontier`].
pub const FORMAT: &str = "lookalike-frontier";

const CONFIDENTIAL: &str = "This frontier was computed on the confidential records without paying for it, those of private methods included. \
    Confidential: do not release it. Private methods were run with noise that can be replayed; what is released is drawn again.";

/// The confidence of the interval of the mean in which a plan must lie: of true plans, one of a hundred is not confirmed by chance.
const CONFIDENCE: f64 = 0.99;

/// Fewer runs say nothing of a plan.
const FEWEST_RUNS: usize = 3;

/// Remarks of fits that are shown.
const MOST_REMARKS: usize = 3;

/// A contestant with its runs.
pub(super) struct Ran {
    pub name: String,
    pub label: String,
    pub origin: Origin,
    pub epsilon: Option<f64>,
    /// At which delta that epsilon holds.
    pub guarantee: Option<String>,
    pub expected: Vec<(AxisName, f64)>,
    pub runs: Vec<RunRecord>,
}

/// The frontier of these runs, and how long they took.
pub(super) fn draw_map(contest: &Contest<'_>, ran: Vec<Ran>) -> (Frontier, Timings) {
    let mut timings = Timings::default();
    let findings: Vec<Vec<Vec<Finding>>> = ran.iter().map(|one| findings_of(&one.runs)).collect();
    let names = axis_names(contest, &ran, &findings);
    let position = |axis: &AxisName| names.iter().position(|name| name == axis).unwrap_or_default();
    let (risk, utility) = (position(&contest.risk), position(&contest.utility));
    let mut contestants = Vec::new();
    for (one, runs) in ran.into_iter().zip(&findings) {
        if let Some(mean) = mean_seconds(&one.runs) {
            timings.contestants.insert(one.name.clone(), mean);
        }
        contestants.push(contestant(contest, one, runs, &names));
    }
    let better = [contest.risk.better(), contest.utility.better()];
    let points = points(contest, &contestants, &findings);
    place(&mut contestants, &points, [risk, utility], better);
    let axes: Vec<Axis> = names.iter().map(AxisName::axis).collect();
    let recommendation = recommend(
        &contestants,
        &contest.limits,
        [(risk, &axes[risk]), (utility, &axes[utility])],
        contest.utility.usable(),
    );
    let settings = &contest.battery.settings;
    let mut remarks = contest.remarks.clone();
    remarks.extend(contest.limits.iter().filter_map(limits::remark));
    remarks.extend(contest.battery.holdout.as_ref().map(|holdout| {
        format!(
            "{} of {} records were set apart, and no recipe was fitted to them: attacks are compared with what holds of them too; a release from all records \
             scores a little better than is shown",
            holdout.records().rows(),
            contest.data_set.rows()
        )
    }));
    let real: Vec<&str> =
        contestants.iter().filter(|one| holds_real_records(one)).map(|one| one.name.as_str()).collect();
    if !real.is_empty() {
        remarks.push(format!(
            "{}: records of real units with some values changed, by classical methods; shown for comparison, never recommended",
            real.join(", ")
        ));
    }
    let frontier = Frontier {
        format: FORMAT.to_owned(),
        version: 1,
        software: format!("lookalike {}", env!("CARGO_PKG_VERSION")),
        data: contest.data.clone(),
        rows: contest.data_set.rows() as u64,
        columns: contest.data_set.columns().len(),
        holdout: contest.battery.holdout.as_ref().map(|holdout| holdout.records().rows() as u64),
        repeat: contest.repeat,
        seed: contest.seed,
        keys: settings.keys.clone(),
        targets: settings.targets.clone(),
        models: settings.models.iter().map(|model| model.formula.to_string()).collect(),
        model_families: settings.models.iter().map(|model| model.family.to_string()).collect(),
        settings: Some(AskedBattery::of(&contest.battery)),
        data_sha256: records_sha256(contest.data_set),
        schema_sha256: schema_sha256(contest.data_set.schema()),
        risk: axes[risk].clone(),
        utility: axes[utility].clone(),
        axes,
        contestants,
        limits: contest.limits.clone(),
        recommendation,
        remarks,
        confidential: CONFIDENTIAL.to_owned(),
    };
    (frontier, timings)
}

/// The chosen axes, ε where anyone spends it, and every other on which some contestant has a number.
fn axis_names(contest: &Contest<'_>, ran: &[Ran], findings: &[Vec<Vec<Finding>>]) -> Vec<AxisName> {
    let mut names: Vec<AxisName> = Vec::new();
    let spent = ran.iter().any(|one| one.epsilon.is_some()).then(|| AxisName::new(EPSILON));
    let all = axes_of(findings.iter().flatten().flatten());
    for name in [contest.risk.clone(), contest.utility.clone()].into_iter().chain(spent).chain(all) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn contestant(contest: &Contest<'_>, one: Ran, runs: &[Vec<Finding>], names: &[AxisName]) -> Contestant {
    let value = |axis: &AxisName| -> Option<Estimated> {
        if axis.measure == EPSILON {
            return one.epsilon.map(|epsilon| Estimated { mean: epsilon, sd: None, range: [epsilon; 2] });
        }
        estimated(&runs.iter().map(|run| axis.value(run)).collect::<Option<Vec<f64>>>()?)
    };
    let values: Vec<Option<Estimated>> = names.iter().map(value).collect();
    let expected =
        |axis: &AxisName| one.expected.iter().find(|(name, _)| name == axis).map(|(_, value)| *value);
    let planned: Vec<Option<f64>> = names.iter().map(expected).collect();
    let failures: Vec<&String> = one.runs.iter().filter_map(|run| run.failed.as_ref()).collect();
    let mut remarks: Vec<String> = one.guarantee.iter().cloned().collect();
    if !failures.is_empty() && !runs.is_empty() {
        remarks.push(format!("{} of {} runs failed: {}", failures.len(), one.runs.len(), failures[0]));
    }
    remarks.extend(confirmation(names, &values, &planned, runs.len()));
    for remark in one.runs.iter().flat_map(|run| &run.remarks) {
        if remarks.len() < MOST_REMARKS && !remarks.contains(remark) {
            remarks.push(remark.clone());
        }
    }
    let checks: Vec<LimitCheck> = match runs.is_empty() {
        true => Vec::new(),
        false => {
            let check = |limit| limits::check(limit, runs, one.epsilon);
            let with_failures = |check| limits::with_failures(check, failures.len(), one.runs.len());
            contest.limits.iter().map(check).map(with_failures).collect()
        }
    };
    let findings = mean_over("run", runs.to_vec());
    Contestant {
        scores: scores(&findings),
        name: one.name,
        label: one.label,
        origin: one.origin,
        epsilon: one.epsilon,
        runs: runs.len() as u32,
        failed_runs: failures.len() as u32,
        failed: if runs.is_empty() { failures.first().map(|because| (*because).clone()) } else { None },
        remarks,
        values,
        planned,
        findings,
        place: None,
        checks,
    }
}

/// Mean, standard deviation and range of what runs gave.
pub(super) fn estimated(values: &[f64]) -> Option<Estimated> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let extreme = |worst: fn(f64, f64) -> f64| values.iter().copied().reduce(worst);
    Some(Estimated {
        mean,
        sd: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
        range: [extreme(f64::min)?, extreme(f64::max)?],
    })
}

/// Whether the runs confirm what theory said: the plan lies in the 99 % confidence interval of their mean, mean ± t(R − 1) · sd/√R.
fn confirmation(
    names: &[AxisName],
    values: &[Option<Estimated>],
    planned: &[Option<f64>],
    runs: usize,
) -> Vec<String> {
    let (mut within, mut remarks) = (Vec::new(), Vec::new());
    let Some(errors) = errors_allowed(runs) else { return remarks };
    for ((name, value), planned) in names.iter().zip(values).zip(planned) {
        let (Some(value), Some(planned)) = (value, planned) else { continue };
        let Some(sd) = value.sd else { continue };
        let error = sd / (runs as f64).sqrt();
        if (value.mean - planned).abs() <= errors * error + 1e-12 * planned.abs() {
            within.push(name.measure.as_str());
        } else {
            remarks.push(format!(
                "the plan is not confirmed: {} was to be {} and is {} with a standard error of {}",
                name.measure,
                figures(*planned),
                figures(value.mean),
                figures(error)
            ));
        }
    }
    if !within.is_empty() {
        remarks.insert(
            0,
            format!("the runs confirm the plan (99 % interval of their mean): {}", within.join(", ")),
        );
    }
    remarks
}

/// How many standard errors of the mean of a number of runs a true plan may be off; none for too few runs.
fn errors_allowed(runs: usize) -> Option<f64> {
    let student = StudentsT::new(0.0, 1.0, runs.checked_sub(1)? as f64).ok()?;
    (runs >= FEWEST_RUNS).then(|| student.inverse_cdf(0.5 + CONFIDENCE / 2.0))
}

/// Taub & Elliot's total scores, of the overall utility and the mean TCAP.
fn scores(findings: &[Finding]) -> Option<TotalScores> {
    let utility = AxisName::new(taub::names::OVERALL).mean(findings)?;
    let risk = AxisName::new(attribute::names::TCAP_TAUB).mean(findings)?;
    let both = RiskUtility { utility, risk };
    Some(TotalScores {
        utility,
        risk,
        difference: both.difference(),
        minimum: both.minimum(),
        product: both.product(),
        geometric_mean: both.geometric_mean(),
    })
}

/// Each contestant's runs on the chosen axes; none unless every run has both numbers.
fn points(
    contest: &Contest<'_>,
    contestants: &[Contestant],
    findings: &[Vec<Vec<Finding>>],
) -> Vec<Vec<Point>> {
    let of_run = |axis: &AxisName, run: &[Finding], one: &Contestant| match axis.measure.as_str() {
        EPSILON => one.epsilon,
        _ => axis.value(run),
    };
    let of_contestant = |(one, runs): (&Contestant, &Vec<Vec<Finding>>)| -> Vec<Point> {
        let point = |run: &Vec<Finding>| {
            Some([of_run(&contest.risk, run, one)?, of_run(&contest.utility, run, one)?])
        };
        runs.iter().map(point).collect::<Option<_>>().unwrap_or_default()
    };
    contestants.iter().zip(findings).map(of_contestant).collect()
}

fn place(contestants: &mut [Contestant], points: &[Vec<Point>], axes: [usize; 2], better: [Better; 2]) {
    let probabilities = dominated_probabilities(points, better);
    let means: Vec<Option<Point>> =
        contestants.iter().map(|one| Some([one.values[axes[0]]?.mean, one.values[axes[1]]?.mean])).collect();
    let names: Vec<String> = contestants.iter().map(|one| one.name.clone()).collect();
    for (at, one) in contestants.iter_mut().enumerate() {
        let Some(own) = means[at] else {
            if one.failed.is_none() {
                one.remarks.push(
                    "it has no number on one of the chosen axes, so it has no place on the map".to_owned(),
                );
            }
            continue;
        };
        let others = means.iter().enumerate().filter(|(other, _)| *other != at);
        let beating = others.filter(|(_, mean)| mean.is_some_and(|mean| dominates(mean, own, better)));
        let dominated_by: Vec<String> = beating.map(|(other, _)| names[other].clone()).collect();
        one.place = Some(Place {
            on_front: dominated_by.is_empty(),
            dominated_probability: probabilities[at],
            dominated_by,
            acceptable: one.checks.iter().all(|check| check.kept),
        });
    }
}

fn mean_seconds(runs: &[RunRecord]) -> Option<[f64; 2]> {
    let count = runs.len() as f64;
    let mean = |part: usize| runs.iter().map(|run| run.seconds[part]).sum::<f64>() / count;
    (!runs.is_empty()).then(|| [mean(0), mean(1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_a_mean_with_its_spread() {
        let found = estimated(&[1.0, 3.0, 2.0]).unwrap();
        assert_eq!((found.mean, found.sd, found.range), (2.0, Some(1.0), [1.0, 3.0]));
        assert_eq!(estimated(&[4.0]).unwrap().sd, None);
        assert!(estimated(&[]).is_none());
    }

    #[test]
    fn a_plan_is_confirmed_within_the_interval_of_the_mean_and_not_beyond() {
        let names = [AxisName::new("uniques.ru"), AxisName::new("tau.3"), AxisName::new("tau.4")];
        let value = estimated(&[1.0, 3.0, 2.0]);
        // qt(0.995, 2) / sqrt(3) = 5.730
        let remarks = confirmation(&names, &[value, value, None], &[Some(7.72), Some(7.74), Some(1.0)], 3);
        assert_eq!(remarks.len(), 2);
        assert!(remarks[0].ends_with("mean): uniques.ru"), "{remarks:?}");
        assert!(
            remarks[1].contains("tau.3 was to be 7.74 and is 2 with a standard error of 0.5774"),
            "{remarks:?}"
        );
        assert!(confirmation(&names[..1], &[estimated(&[1.0, 2.0])], &[Some(9.0)], 2).is_empty());
        // Many runs do not confirm what their mean contradicts: qt(0.995, 99) / sqrt(100) = 0.2626 standard deviations.
        let many: Vec<f64> = (0..100).map(|at| f64::from(at % 2)).collect();
        let remarks = confirmation(&names[..1], &[estimated(&many)], &[Some(0.7)], 100);
        assert!(remarks[0].contains("not confirmed"), "{remarks:?}");
    }

    /// R: qt(0.995, c(2, 7, 99))
    #[test]
    fn the_allowance_is_students() {
        for (runs, quantile) in [(3, 9.924_843), (8, 3.499_483), (100, 2.626_405)] {
            assert!((errors_allowed(runs).unwrap() - quantile).abs() < 1e-5, "{runs}");
        }
        assert_eq!([0, 1, 2].map(errors_allowed), [None; 3]);
    }
}
