//! An audit of a claimed ε: the real code path, run many times on two neighbouring tables.
//!
//! Each [`Scenario`] is a pair of neighbours with a canary that one table has and the other has not, and a statistic of the released
//! records that betrays it. The first quarter of the runs chooses the event {statistic ≥ t} that tells the two apart best; all other runs bound ε
//! from below ([`privacy::audit`]). A bound above the claim proves a fault; a bound below it has found none.

mod scenario;

use privacy::audit::{EventTally, Tally, epsilon_lower_bound, mu_lower_bound, rho_lower_bound};
use privacy::conversion::rho_of_epsilon;
use privacy::{Delta, Epsilon, PrivacyError};
use rayon::prelude::*;
use serde::Serialize;
use synthesis::private::{Accounting, PrivacySettings};
use synthesis::{Recipe, Run, SynthesisError, fit, registry};

pub use self::scenario::{Scenario, scenarios};

/// What is claimed, and how hard it is tried to disprove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The ε that is claimed.
    pub epsilon: f64,
    /// The δ that is claimed with it.
    pub delta: Option<f64>,
    /// Runs on each table of each scenario.
    pub runs: u32,
    /// The probability with which a sound method passes, at least.
    pub confidence: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditFinding {
    /// The method.
    pub method: String,
    /// The ε that is claimed.
    pub epsilon: f64,
    /// The δ that is claimed with it.
    pub delta: f64,
    /// What is bounded: ε, or what the claim is kept by way of.
    pub bounded: Bounded,
    /// What is claimed of it.
    pub claimed: f64,
    /// The largest lower bound on it over the scenarios.
    pub lower_bound: f64,
    /// The probability with which all bounds hold, at least.
    pub confidence: f64,
    /// Runs on each table of each scenario.
    pub runs: u32,
    /// Whether the claim stands.
    pub passed: bool,
    /// The bound of each scenario.
    pub scenarios: Vec<ScenarioFinding>,
}

/// What an audit bounds from below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bounded {
    /// The ε of the claim.
    Epsilon,
    /// The ρ by which a method keeps an (ε, δ): with Gaussian noise it is seen far better than the ε.
    Rho,
    /// The μ of Gaussian privacy, √(2ρ), where all noise is Gaussian: it is seen better still.
    Mu,
}

/// What was found in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScenarioFinding {
    /// What the canary is.
    pub name: String,
    /// The event by which the tables are distinguished.
    pub event: String,
    /// The lower bound on what is bounded.
    pub lower_bound: f64,
}

/// Audits a method of the registry with these options, at noise of the operating system.
pub fn audit(method: &str, options: &toml::Table, claim: &Claim) -> Result<AuditFinding, SynthesisError> {
    let settings = PrivacySettings { epsilon: Some(claim.epsilon), delta: claim.delta, ..Default::default() };
    audit_code(method, claim, &scenarios(method)?, |table, scenario, _| {
        let recipe = scenario.recipe(method, options, &settings);
        release(table, &recipe, &Run::default(), scenario)
    })
}

/// The statistic of what a recipe releases of a table.
pub fn release(
    table: &table::Table,
    recipe: &Recipe,
    run: &Run,
    scenario: &Scenario,
) -> Result<i64, SynthesisError> {
    let fitted = fit(table, recipe, run)?;
    let mut statistic = 0;
    for number in 0..recipe.m {
        statistic += scenario.statistic(&fitted.table(number)?);
    }
    Ok(statistic)
}

/// Audits any code that releases a statistic of a table; `run` is given the table, the scenario and the number of the run.
pub(crate) fn audit_code(
    method: &str,
    claim: &Claim,
    scenarios: &[Scenario],
    run: impl Fn(&table::Table, &Scenario, u64) -> Result<i64, SynthesisError> + Sync,
) -> Result<AuditFinding, SynthesisError> {
    if claim.runs < 100 {
        return Err(SynthesisError::option("runs", "fewer than 100 runs prove nothing; ask for more"));
    }
    if !(claim.confidence > 0.5 && claim.confidence < 1.0) {
        return Err(SynthesisError::option("confidence", "it must lie above 0.5 and below 1"));
    }
    let delta = claim.delta.unwrap_or(0.0);
    let built = (registry::private(method)?)(
        &scenarios[0].recipe(method, &toml::Table::new(), &PrivacySettings::default()).options,
    )?;
    let (bounded, claimed) = match claim.delta {
        Some(delta) if built.accounting() == Accounting::ZeroConcentrated => {
            let rho = rho_of_epsilon(Epsilon::new(claim.epsilon)?.budget()?, Delta::new(delta)?)?;
            match scenarios.iter().all(Scenario::has_gaussian_noise_alone) {
                true => (Bounded::Mu, (2.0 * rho.upper()).sqrt()),
                false => (Bounded::Rho, rho.upper()),
            }
        }
        _ => (Bounded::Epsilon, claim.epsilon),
    };
    // The error is shared out among the scenarios.
    let confidence = 1.0 - (1.0 - claim.confidence) / scenarios.len() as f64;
    let mut findings = Vec::with_capacity(scenarios.len());
    for (number, scenario) in scenarios.iter().enumerate() {
        let runs = |table: &table::Table, first: u64| -> Result<Vec<i64>, SynthesisError> {
            (0..u64::from(claim.runs)).into_par_iter().map(|at| run(table, scenario, first + at)).collect()
        };
        let first = 2 * u64::from(claim.runs) * number as u64;
        let with = runs(&scenario.with, first)?;
        let without = runs(&scenario.without, first + u64::from(claim.runs))?;
        findings.push(bound(scenario, &with, &without, delta, bounded, confidence)?);
    }
    let lower_bound = findings.iter().map(|finding| finding.lower_bound).fold(0.0, f64::max);
    Ok(AuditFinding {
        method: method.to_owned(),
        epsilon: claim.epsilon,
        delta,
        bounded,
        claimed,
        lower_bound,
        confidence: claim.confidence,
        runs: claim.runs,
        passed: lower_bound <= claimed,
        scenarios: findings,
    })
}

/// How often a bound by which an event is chosen may be wrong.
const CHOSEN_BY_CHANCE: f64 = 1e-5;

/// The bound of one scenario by its best event.
fn bound(
    scenario: &Scenario,
    with: &[i64],
    without: &[i64],
    delta: f64,
    bounded: Bounded,
    confidence: f64,
) -> Result<ScenarioFinding, PrivacyError> {
    // To choose an event takes fewer runs than to bound its probabilities.
    let quarter = with.len() / 4;
    let mut thresholds: Vec<i64> = with[..quarter].iter().chain(&without[..quarter]).copied().collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    // Events above every two hundredth threshold serve as well as all of them.
    let step = thresholds.len().div_ceil(200);
    let thresholds: Vec<i64> = thresholds.into_iter().step_by(step).collect();
    let tally = |values: &[i64], threshold: i64| Tally {
        hits: values.iter().filter(|value| **value >= threshold).count() as u64,
        runs: values.len() as u64,
    };
    let events = |from: usize, to: usize| -> Vec<EventTally> {
        let event = |threshold: &i64| EventTally {
            with: tally(&with[from..to], *threshold),
            without: tally(&without[from..to], *threshold),
        };
        thresholds.iter().flat_map(|threshold| event(threshold).ways()).collect()
    };
    let of = |event: &EventTally, confidence: f64| match bounded {
        Bounded::Epsilon => epsilon_lower_bound(*event, delta, confidence),
        Bounded::Mu => mu_lower_bound(*event, confidence),
        Bounded::Rho => rho_lower_bound(*event, confidence),
    };
    // Of hundreds of events the best looking one is often a rare one that looks so by chance: a bound that is nearly always right does not fall for it.
    let first = events(0, quarter);
    let mut chosen = 0;
    for careful in [1.0 - CHOSEN_BY_CHANCE, confidence] {
        let bounds = first.iter().map(|event| of(event, careful)).collect::<Result<Vec<f64>, _>>()?;
        let best = (0..bounds.len()).max_by(|left, right| bounds[*left].total_cmp(&bounds[*right]));
        chosen = best.unwrap_or(0);
        if bounds.get(chosen).is_some_and(|bound| *bound > 0.0) {
            break;
        }
    }
    let lower_bound = of(&events(quarter, with.len())[chosen], confidence)?;
    let threshold = thresholds[chosen / EventTally::WAYS];
    let side = if chosen % EventTally::WAYS < 2 { "at least" } else { "less than" };
    let event = format!("{} {side} {threshold}", scenario.statistic_name);
    Ok(ScenarioFinding { name: scenario.name.to_owned(), event, lower_bound })
}

#[cfg(test)]
mod tests;
