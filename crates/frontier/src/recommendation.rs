//! What to release: the contestant with the highest utility among those that keep every limit.

use measures::Better;
use synthesis::Recipe;

use super::{Axis, Contestant, Limit, Origin, Recommendation};

/// Runners-up that are named.
const RUNNERS_UP: usize = 3;

/// The highest mean utility among acceptable contestants; of equals the one with less risk, then the one that was named first. Where nothing is
/// acceptable nothing is recommended, and the reason names the contestant that breaks the fewest limits. Nothing is recommended either where the best
/// of the acceptable is beyond `usable`, the last value at which a file can be used.
pub(crate) fn recommend(
    contestants: &[Contestant],
    limits: &[Limit],
    axes: [(usize, &Axis); 2],
    usable: Option<f64>,
) -> Recommendation {
    let [risk, utility] = axes;
    let value = |contestant: &Contestant, axis: (usize, &Axis)| {
        contestant.values.get(axis.0).copied().flatten().map(|estimated| estimated.mean)
    };
    let badness = |contestant: &Contestant, axis: (usize, &Axis)| {
        let mean = value(contestant, axis).unwrap_or(f64::INFINITY);
        if axis.1.better == Better::Higher { -mean } else { mean }
    };
    let mut placed: Vec<&Contestant> = contestants.iter().filter(|one| one.place.is_some()).collect();
    placed.sort_by(|one, other| {
        let by = |axis| badness(one, axis).total_cmp(&badness(other, axis));
        by(utility).then_with(|| by(risk))
    });
    let (compared, placed): (Vec<&Contestant>, Vec<&Contestant>) =
        placed.into_iter().partition(|one| holds_real_records(one));
    let acceptable: Vec<&Contestant> =
        placed.iter().copied().filter(|one| one.place.as_ref().is_some_and(|p| p.acceptable)).collect();
    let Some(best) = acceptable.first() else {
        return Recommendation { name: None, runners_up: Vec::new(), reason: nothing(&placed, limits) };
    };
    if let (Some(usable), Some(value)) = (usable, value(best, utility))
        && value > usable
    {
        let reason = format!(
            "No acceptable contestant is usable: the best of them, {}, has a {} of {}, and beyond {} nothing should be analysed; try other recipes, or weigh \
             the limits again.",
            best.name,
            utility.1.label,
            figures(value),
            figures(usable)
        );
        return Recommendation { name: None, runners_up: Vec::new(), reason };
    }
    let figure = |axis: (usize, &Axis)| {
        format!("{} {}", axis.1.label, value(best, axis).map_or_else(|| "unknown".to_owned(), figures))
    };
    let among = match (limits.len(), acceptable.len(), placed.len()) {
        (0, _, 1) => "it is the only contestant with a result".to_owned(),
        (0, _, all) => {
            format!("no limit was set, so all {all} contestants count as acceptable; set one with --limit")
        }
        (_, 1, all) => format!("it alone of {all} contestants keeps every limit"),
        (_, some, all) if some == all => format!("all {all} contestants keep every limit"),
        (_, some, all) => format!("{some} of {all} contestants keep every limit"),
    };
    let runners_up: Vec<String> =
        acceptable[1..].iter().take(RUNNERS_UP).map(|contestant| contestant.name.clone()).collect();
    let beaten = best.place.as_ref().map(|place| place.dominated_by.as_slice()).unwrap_or_default();
    let is_real = |name: &&String| compared.iter().any(|one| one.name == **name);
    let (real, excluded): (Vec<&String>, Vec<&String>) = beaten.iter().partition(is_real);
    let dominated = |by: &[&String], because: &str| match by {
        [] => String::new(),
        _ => {
            let names: Vec<&str> = by.iter().map(|name| name.as_str()).collect();
            format!(" It is dominated by {}, which {because}.", names.join(", "))
        }
    };
    let beaten = dominated(&excluded, "the limits exclude")
        + &dominated(&real, "holds records of real units and is shown for comparison alone");
    let failed = match best.failed_runs {
        0 => String::new(),
        failed => format!(" But {failed} of its {} runs failed.", best.runs + failed),
    };
    let reason = format!(
        "{} has the best utility among the acceptable contestants ({}) at a risk of {}: {among}.{beaten}{failed}",
        best.name,
        figure(utility),
        figure(risk),
    );
    Recommendation { name: Some(best.name.clone()), runners_up, reason }
}

/// Whether a contestant's records are those of real units with some values changed: they are shown for comparison and never recommended.
pub(crate) fn holds_real_records(contestant: &Contestant) -> bool {
    match &contestant.origin {
        Origin::Recipe { recipe, .. } => Recipe::parse(recipe).is_ok_and(|recipe| recipe.perturbs_records()),
        Origin::Imported { .. } => false,
    }
}

/// Why nothing is recommended.
fn nothing(placed: &[&Contestant], limits: &[Limit]) -> String {
    let broken = |contestant: &&&Contestant| contestant.checks.iter().filter(|check| !check.kept).count();
    let Some(nearest) = placed.iter().min_by_key(broken) else {
        return "No contestant has a number on both axes.".to_owned();
    };
    let stands =
        nearest.checks.iter().filter(|check| !check.kept).map(|check| match (&check.because, check.value) {
            (Some(because), _) => format!("`{}`: {because}", check.limit),
            (None, Some(value)) => format!("`{}`: it is {}", check.limit, figures(value)),
            (None, None) => format!("`{}`", check.limit),
        });
    format!(
        "No contestant keeps {}; {} comes closest, but breaks {}.",
        if limits.len() == 1 { "the limit" } else { "every limit" },
        nearest.name,
        stands.collect::<Vec<_>>().join("; ")
    )
}

/// Four figures, as people read them.
pub fn figures(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let decimals = (3 - value.abs().max(1e-3).log10().floor() as i32).clamp(0, 6) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::AxisName;
    use crate::{Estimated, LimitCheck, Place};

    fn contestant(name: &str, values: [f64; 2], acceptable: bool) -> Contestant {
        let estimated = |mean: f64| Some(Estimated { mean, sd: None, range: [mean, mean] });
        let check = LimitCheck {
            limit: "epsilon <= 1".into(),
            measure: "epsilon".into(),
            value: Some(3.0),
            kept: acceptable,
            share_of_runs: None,
            because: None,
        };
        Contestant {
            name: name.into(),
            label: name.into(),
            origin: Origin::Imported { files: Vec::new() },
            epsilon: None,
            runs: 1,
            failed_runs: 0,
            failed: None,
            remarks: Vec::new(),
            values: values.map(estimated).to_vec(),
            planned: vec![None; 2],
            findings: Vec::new(),
            place: Some(Place {
                on_front: true,
                dominated_probability: 0.0,
                dominated_by: vec![],
                acceptable,
            }),
            checks: vec![check],
            scores: None,
        }
    }

    #[test]
    fn the_highest_utility_among_the_acceptable_is_recommended() {
        let (risk, utility) = (AxisName::new("uniques.ru").axis(), AxisName::new("tables.s_pmse").axis());
        let axes = [(0, &risk), (1, &utility)];
        let limits = [super::super::limits::parse("epsilon <= 1").unwrap()];
        let all = [
            contestant("close", [9.0, 1.0], false),
            contestant("safe", [1.0, 3.0], true),
            contestant("safer", [0.5, 3.0], true),
            contestant("far", [0.1, 9.0], true),
        ];
        let found = recommend(&all, &limits, axes, None);
        assert_eq!(found.name.as_deref(), Some("safer"));
        assert_eq!(found.runners_up, ["safe", "far"]);
        assert!(found.reason.contains("3 of 4 contestants keep every limit"), "{}", found.reason);
        let none = recommend(&all[..1], &limits, axes, None);
        assert_eq!(none.name, None);
        assert!(
            none.reason.contains("close comes closest") && none.reason.contains("it is 3"),
            "{}",
            none.reason
        );
        assert!(recommend(&all[1..], &[], axes, None).reason.contains("no limit was set"));
        let unlucky = Contestant { failed_runs: 4, ..all[3].clone() };
        let found = recommend(&[unlucky], &[], axes, None);
        assert!(found.reason.ends_with("But 4 of its 5 runs failed."), "{}", found.reason);
    }

    #[test]
    fn records_of_real_units_are_never_recommended() {
        let (risk, utility) = (AxisName::new("uniques.ru").axis(), AxisName::new("tables.s_pmse").axis());
        let axes = [(0, &risk), (1, &utility)];
        let card = synthesis::registry::METHODS
            .iter()
            .map(|method| method.card)
            .find(|card| Recipe::new(card.name).perturbs_records())
            .unwrap();
        let mut perturbed = contestant("perturbed", [0.1, 1.0], true);
        let recipe = Recipe::new(card.name);
        perturbed.origin = Origin::Recipe { method: card.name.into(), recipe: recipe.to_toml() };
        let mut drawn = contestant("drawn", [1.0, 3.0], true);
        if let Some(place) = &mut drawn.place {
            place.dominated_by = vec!["perturbed".into()];
        }
        let found = recommend(&[perturbed.clone(), drawn], &[], axes, None);
        assert_eq!(found.name.as_deref(), Some("drawn"));
        assert!(found.reason.contains("holds records of real units"), "{}", found.reason);
        assert_eq!(recommend(&[perturbed], &[], axes, None).name, None);
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [0.0, 1.0, 12.3456, 0.012345, 123456.7].map(figures),
            ["0", "1", "12.35", "0.01235", "123457"]
        );
        assert_eq!(figures(1.23456e-7), "1.235e-7");
    }
}
