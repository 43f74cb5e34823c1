//! Is the release like the original? The worst of tables, classifiers, means, tails and models.

use measures::Aspect;
use measures::Finding;
use measures::utility::{amounts, model, propensity, tables};

use super::{Colour, Gauge, Light, Subject};
use crate::judgement::{
    CHANCE, COPY, DISTANCES, GOOD, Grade, MISSED_OVERLAPS, SMALL_ERROR, STANDARD_ERRORS, TAIL_ERRORS, USABLE,
    WORST_DISTANCES, detail, ways,
};
use crate::numbers::figure;

/// One thing by which truth is judged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    /// How good it is.
    pub(crate) grade: Grade,
    /// What it is, as a part of a sentence.
    pub(crate) words: String,
    gauge: Gauge,
    section: &'static str,
    is_mean: bool,
}

impl Side {
    /// The colour of its grade.
    pub(crate) fn colour(&self) -> Colour {
        match self.grade {
            Grade::FreshSample | Grade::Good => Colour::Green,
            Grade::Usable => Colour::Amber,
            Grade::Poor => Colour::Red,
        }
    }
}

/// What tables are called that drawn records cannot have.
pub(crate) const TOO_CLOSE: &str = "too close";

const QUESTION: &str = "Is it like the original?";

pub(super) fn light(subject: &Subject<'_>) -> (Light, Vec<Side>) {
    let mut sides = sides(subject);
    // Of one grade the one that is farthest beyond what is usable comes first.
    let beyond = |side: &Side| side.gauge.value / side.gauge.amber;
    sides.sort_by(|one, other| other.grade.cmp(&one.grade).then(beyond(other).total_cmp(&beyond(one))));
    let light = |colour, word, sentence: String, gauge, section| Light {
        topic: "truth",
        question: QUESTION,
        colour,
        word,
        sentence,
        gauge,
        section,
    };
    if let Some(check) = subject.broken(Aspect::Utility).first() {
        let sentence = format!("It breaks the limit {}.", check.limit);
        return (light(Colour::Red, "limit broken", sentence, None, "decision"), sides);
    }
    let Some(worst) = sides.first().cloned() else {
        let sentence = match subject.withheld {
            true => "What was measured against the original is not published.",
            false => "Nothing was measured that compares the files.",
        };
        return (light(Colour::Unlit, "not shown", sentence.to_owned(), None, "verdict"), sides);
    };
    let gauge = Some(worst.gauge.clone());
    if is_too_close(subject) {
        let sentence = "Its tables are closer than those of records drawn from a right model: a copy, or fitted to the original's own tables; do not take it for drawn data.";
        return (light(Colour::Green, TOO_CLOSE, sentence.to_owned(), gauge, worst.section), sides);
    }
    let on_average = sides.iter().filter(|side| side.is_mean).map(|side| side.grade).max();
    let (word, sentence) = match worst.grade {
        Grade::FreshSample => {
            let sides = if subject.withheld { "is shown" } else { "was measured" };
            ("good", format!("{}, on every side that {sides}.", Grade::FreshSample.sentence()))
        }
        Grade::Good => ("good", format!("Good; weakest: {}.", worst.words)),
        Grade::Usable => ("with care", format!("Usable with care; weakest: {}.", worst.words)),
        Grade::Poor if on_average.is_some_and(|grade| grade <= Grade::Good) => {
            ("poor in part", format!("Good on average, but not for everything; worst: {}.", worst.words))
        }
        Grade::Poor => ("poor", format!("Poor, not for analysis; worst: {}.", worst.words)),
    };
    (light(worst.colour(), word, sentence, gauge, worst.section), sides)
}

/// Whether tables of two variables and more are all closer than those of drawn records can be.
fn is_too_close(subject: &Subject<'_>) -> bool {
    let of_several = |finding: &&Finding| finding.detail.get("ways").and_then(|ways| ways.as_u64()) > Some(1);
    let mut means =
        subject.all(tables::names::MEAN_S_PMSE).filter(of_several).filter_map(|finding| finding.value);
    let first = means.next();
    first.is_some_and(|first| first < COPY) && means.all(|mean| mean < COPY)
}

/// S_pMSE with its thresholds.
fn s_pmse(name: String, value: f64) -> Gauge {
    let marks = vec![(1.0, "expected".to_owned()), (GOOD, "good".to_owned()), (USABLE, "usable".to_owned())];
    Gauge { name, value, written: figure(value), green: GOOD, amber: USABLE, marks, is_log: true }
}

fn sides(subject: &Subject<'_>) -> Vec<Side> {
    let mut sides = of_tables(subject);
    sides.extend(of_classifiers(subject));
    sides.extend(worst_mean(subject));
    sides.extend(worst_tail(subject));
    sides.extend(of_models(subject));
    sides
}

fn of_tables(subject: &Subject<'_>) -> Vec<Side> {
    let mut sides = Vec::new();
    for (name, limits, is_mean) in [
        (tables::names::WORST_S_PMSE, WORST_DISTANCES, false),
        (tables::names::FINE_WORST_S_PMSE, WORST_DISTANCES, false),
        (tables::names::FARTHER_MEAN_S_PMSE, DISTANCES, true),
    ] {
        for finding in subject.all(name) {
            let Some(value) = finding.value else { continue };
            let words = match finding.on.as_slice() {
                [] if !is_mean => format!("the worst of {}, S_pMSE {}", ways(finding), figure(value)),
                [] => format!("{} on average, S_pMSE {}", ways(finding), figure(value)),
                [one] => format!("the distribution of {one}, S_pMSE {}", figure(value)),
                several => format!("the table of {}, S_pMSE {}", several.join(" by "), figure(value)),
            };
            let of = if is_mean { "mean S_pMSE" } else { "worst S_pMSE" };
            let gauge = s_pmse(format!("{of} of {}", ways(finding)), value);
            let section = if finding.on.len() == 1 { "variables" } else { "tables" };
            let grade = Grade::of(value, beyond_chance(finding, limits));
            sides.push(Side { grade, words, gauge, section, is_mean });
        }
    }
    sides
}

/// The limits of a mean, with that of a fresh sample moved out to what chance explains: the mean of a few small tables scatters.
fn beyond_chance(finding: &Finding, limits: [f64; 3]) -> [f64; 3] {
    const STANDARD_DEVIATIONS: f64 = 3.0;
    let number = |key: &str| finding.detail.get(key).and_then(measured);
    match (number("fresh_sample"), number("fresh_sample_sd")) {
        (Some(expected), Some(sd)) => {
            limits.map(|limit| limit.max((expected + STANDARD_DEVIATIONS * sd).min(limits[1])))
        }
        _ => limits,
    }
}

fn of_classifiers(subject: &Subject<'_>) -> Vec<Side> {
    // Among permutations a fresh sample scores 2 however many splits the tree makes; among resamples more, the more splits it makes.
    let is_known = |name| subject.all(name).next().is_some_and(|finding| finding.value.is_some());
    let by_permutations = is_known(propensity::names::CART_S_PMSE);
    let ratio = match by_permutations {
        true => propensity::names::CART_S_PMSE,
        false => propensity::names::CART_S_PMSE_RESAMPLED,
    };
    let tree = (ratio, propensity::names::CART_Z_RESAMPLED, "a tree");
    let regression = (propensity::names::LOGIT_S_PMSE, propensity::names::LOGIT_Z, "a regression");
    let mut sides = Vec::new();
    for (ratio, z, by) in [tree, regression] {
        for (ratio, z) in subject.all(ratio).zip(subject.all(z)) {
            let Some(value) = ratio.value else { continue };
            let by_chance = z.value.is_some_and(|z| z <= CHANCE);
            let grade = if by_chance { Grade::FreshSample } else { Grade::of(value, DISTANCES) };
            let words = format!("{by} tells the files apart, S_pMSE {}", figure(value));
            let gauge = s_pmse(format!("S_pMSE of {by}"), value);
            sides.push(Side { grade, words, gauge, section: "propensity", is_mean: true });
        }
    }
    sides
}

/// The mean that is furthest off, with its total.
pub(crate) fn worst_mean(subject: &Subject<'_>) -> Option<Side> {
    let worst = subject.first(amounts::names::WORST_MEAN_Z)?;
    let (z, variable) = (worst.value?, detail(worst, "variable"));
    let mut of_variable =
        subject.all(amounts::names::TOTAL_ERROR).filter(|finding| finding.on == [variable.as_str()]);
    let error = of_variable.next().and_then(|finding| finding.value);
    let mut grade = Grade::of(z, STANDARD_ERRORS);
    if error.is_some_and(|error| error < SMALL_ERROR) {
        grade = grade.min(Grade::Good);
    }
    let total = error.map_or_else(String::new, |error| format!(", its total by {error:.1} %"));
    let [fresh, green, amber] = STANDARD_ERRORS;
    let gauge = Gauge {
        name: format!("standard errors by which the mean of {variable} is off"),
        value: z,
        written: figure(z),
        green,
        amber,
        marks: vec![(fresh, "chance".to_owned()), (green, "good".to_owned()), (amber, "usable".to_owned())],
        is_log: true,
    };
    // A mean that hardly differs is good, however small its standard error: the scale would say otherwise.
    let gauge = if grade <= Grade::Good && z > green {
        Gauge {
            name: format!("per cent by which the total of {variable} is off"),
            value: error.unwrap_or_default(),
            written: format!("{} %", figure(error.unwrap_or_default())),
            green: SMALL_ERROR,
            amber: 10.0 * SMALL_ERROR,
            marks: vec![(SMALL_ERROR, "small".to_owned())],
            is_log: false,
        }
    } else {
        gauge
    };
    let words = format!("the mean of {variable} is off by {z:.1} standard errors{total}");
    Some(Side { grade, words, gauge, section: "variables", is_mean: false })
}

/// The tail that is furthest off beyond what chance explains.
pub(crate) fn worst_tail(subject: &Subject<'_>) -> Option<Side> {
    const BEYOND_CHANCE: f64 = 3.0;
    let is_beyond = |finding: &&Finding, error: f64| {
        let chance = finding.detail.get("standard_error").and_then(measured);
        chance.is_none_or(|chance| error > BEYOND_CHANCE * chance)
    };
    let tails = subject.all(amounts::names::TAIL_ERROR).filter_map(|finding| Some((finding.value?, finding)));
    let (error, finding) = tails
        .filter(|(error, finding)| is_beyond(finding, *error))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let variable = finding.on.join("");
    let [small, green, amber] = TAIL_ERRORS;
    let gauge = Gauge {
        name: format!("per cent by which the largest values of {variable} are off"),
        value: error,
        written: format!("{} %", figure(error)),
        green,
        amber,
        marks: vec![(small, "small".to_owned()), (green, "good".to_owned()), (amber, "usable".to_owned())],
        is_log: true,
    };
    let words = format!("the largest hundredth of {variable} is off by {error:.0} %");
    Some(Side { grade: Grade::of(error, TAIL_ERRORS), words, gauge, section: "variables", is_mean: false })
}

/// A number, or the mean of those of several data sets.
fn measured(value: &serde_json::Value) -> Option<f64> {
    match value {
        serde_json::Value::Array(each) => {
            let each: Option<Vec<f64>> = each.iter().map(|one| one.as_f64()).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.iter().sum::<f64>() / each.len() as f64)
        }
        other => other.as_f64(),
    }
}

fn of_models(subject: &Subject<'_>) -> Vec<Side> {
    let mut sides = Vec::new();
    for overlap in subject.all(model::names::OVERLAP) {
        let Some(value) = overlap.value else { continue };
        let [_, green, amber] = MISSED_OVERLAPS;
        let missed = 1.0 - value;
        let gauge = Gauge {
            name: format!("share of the intervals of {} that do not overlap", detail(overlap, "model")),
            value: missed,
            written: figure(missed),
            green,
            amber,
            marks: vec![(green, "good".to_owned()), (amber, "usable".to_owned())],
            is_log: false,
        };
        let words = format!("the model {}, interval overlap {value:.2}", detail(overlap, "model"));
        let grade = Grade::of(missed, MISSED_OVERLAPS);
        sides.push(Side { grade, words, gauge, section: "models", is_mean: false });
    }
    sides
}
