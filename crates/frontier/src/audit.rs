//! An audit of a claimed ε: the real code path, run many times on two neighbouring tables.
//!
//! Each [`Scenario`] is a pair of neighbours with a canary that one table has and the other has not, and a statistic of the released
//! records that betrays it. A coin chooses the table of each run. The first quarter of the runs chooses where the statistic is high and where it is low enough for a guess of the coin, or the event
//! {statistic ≥ t} that tells the two apart best, whichever promises the higher bound (of a claim with a δ always an event); all other runs bound ε from below ([`privacy::audit`]).
//! The choice sees none of the runs that it is judged by, so that the bound holds whatever was chosen. A bound above the claim proves a fault; a bound below it has found none.

mod scenario;

use privacy::audit::{EventTally, Guesses, Tally, epsilon_lower_bound, mu_lower_bound, rho_lower_bound};
use privacy::conversion::rho_of_epsilon;
use privacy::ledger::Charge;
use privacy::{Delta, Epsilon, PrivacyError};
use rand::RngExt;
use rayon::prelude::*;
use serde::Serialize;
use synthesis::private::{PrivacySettings, declared, plan};
use synthesis::randomness::Seed;
use synthesis::{Recipe, Run, SynthesisError, fit};

pub use self::scenario::{Scenario, scenarios};

/// The most runs on each table: what they gave is kept until the bound is told.
const MOST_RUNS: u32 = 10_000_000;

/// What is claimed, and how hard it is tried to disprove it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The ε that is claimed.
    pub epsilon: f64,
    /// The δ that is claimed with it.
    pub delta: Option<f64>,
    /// Runs on each table of each scenario: a coin decides which of twice as many are on the one and which on the other.
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
    /// Runs on each table of each scenario, on average.
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
    /// What of a release tells the tables apart.
    pub event: String,
    /// The lower bound on what is bounded.
    pub lower_bound: f64,
}

/// Audits a method of the registry with these options, at noise of the operating system.
pub fn audit(method: &str, options: &toml::Table, claim: &Claim) -> Result<AuditFinding, SynthesisError> {
    let settings = PrivacySettings { epsilon: Some(claim.epsilon), delta: claim.delta, ..Default::default() };
    audit_code(method, claim, Seed::new(rand::random()), &scenarios(method)?, |table, scenario, _| {
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

/// Audits any code that releases a statistic of a table; `run` is given the table, the scenario and the number of the run. `coins` decide the table of each run.
pub(crate) fn audit_code(
    method: &str,
    claim: &Claim,
    coins: Seed,
    scenarios: &[Scenario],
    run: impl Fn(&table::Table, &Scenario, u64) -> Result<i64, SynthesisError> + Sync,
) -> Result<AuditFinding, SynthesisError> {
    if claim.runs < 100 {
        return Err(SynthesisError::option("runs", "fewer than 100 runs prove nothing; ask for more"));
    }
    if claim.runs > MOST_RUNS {
        let message = format!("up to {MOST_RUNS} runs on each table can be asked for");
        return Err(SynthesisError::option("runs", message));
    }
    if !(claim.confidence > 0.5 && claim.confidence < 1.0) {
        return Err(SynthesisError::option("confidence", "it must lie above 0.5 and below 1"));
    }
    let delta = claim.delta.unwrap_or(0.0);
    let (bounded, claimed) = match claim.delta {
        Some(delta) if is_spent_in_rho(method, claim, scenarios)? => {
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
        let all = 2 * u64::from(claim.runs);
        let first = all * number as u64;
        let mut coins = coins.stream(number as u64);
        let is_with: Vec<bool> = (0..all).map(|_| coins.random()).collect();
        let release = |(at, with): (usize, &bool)| -> Result<Observed, SynthesisError> {
            let table = if *with { &scenario.with } else { &scenario.without };
            Ok(Observed { with: *with, statistic: run(table, scenario, first + at as u64)? })
        };
        let runs = is_with.par_iter().enumerate().map(release).collect::<Result<Vec<Observed>, _>>()?;
        // To choose takes fewer runs than to bound.
        let (first, rest) = runs.split_at(runs.len() / 4);
        let (event, lower_bound) = match bounded {
            Bounded::Epsilon if delta == 0.0 => bound_of_pure_epsilon(first, rest, confidence)?,
            _ => {
                ChosenEvent::of(first, delta, bounded, confidence)?.bound(rest, delta, bounded, confidence)?
            }
        };
        let event = format!("{} {event}", scenario.statistic_name);
        findings.push(ScenarioFinding { name: scenario.name.to_owned(), event, lower_bound });
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

/// Whether what is claimed is spent in ρ in every scenario.
fn is_spent_in_rho(method: &str, claim: &Claim, scenarios: &[Scenario]) -> Result<bool, SynthesisError> {
    let settings = PrivacySettings { epsilon: Some(claim.epsilon), delta: claim.delta, ..Default::default() };
    for scenario in scenarios {
        let recipe = scenario.recipe(method, &toml::Table::new(), &settings);
        let limit = plan(&declared(scenario.with.schema())?, &recipe)?.limit;
        if !matches!(limit, Charge::ZeroConcentrated(_)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// One run.
#[derive(Clone, Copy, Debug)]
struct Observed {
    /// Whether it was made on the table with the canary.
    with: bool,
    statistic: i64,
}

/// Values of the statistic at which the runs may be cut: every two hundredth serves as well as all of them.
fn thresholds(runs: &[Observed]) -> Vec<i64> {
    let mut values: Vec<i64> = runs.iter().map(|run| run.statistic).collect();
    values.sort_unstable();
    values.dedup();
    let step = values.len().div_ceil(200).max(1);
    values.into_iter().step_by(step).collect()
}

/// How often a bound by which an event is chosen may be wrong. Of hundreds of events the best looking one is often a rare one that looks so by chance: a bound that is nearly always right does not fall
/// for it.
const CHOSEN_BY_CHANCE: f64 = 1e-5;

/// The quantile of the normal distribution for that.
const CAREFUL: f64 = 4.264_890_8;

/// The bound on a pure ε by guesses or by one event, as the first runs promise more of the one or the other.
///
/// Guesses use what lies far on both sides; an event that is frequent on one table is bounded more sharply, since it is known how often each table was drawn.
fn bound_of_pure_epsilon(
    first: &[Observed],
    rest: &[Observed],
    confidence: f64,
) -> Result<(String, f64), PrivacyError> {
    let guesses = ChosenGuesses::of(first);
    let event = ChosenEvent::of(first, 0.0, Bounded::Epsilon, confidence)?;
    match event.promised > guesses.promised {
        true => event.bound(rest, 0.0, Bounded::Epsilon, confidence),
        false => guesses.bound(rest, confidence),
    }
}

/// An intruder who guesses "with" from one value of the statistic upwards and "without" below another one, or the other way round.
struct ChosenGuesses {
    low: i64,
    high: i64,
    upwards: bool,
    /// The careful bound by the runs that chose.
    promised: f64,
}

impl ChosenGuesses {
    fn of(first: &[Observed]) -> Self {
        let mut cuts = thresholds(first);
        // The last one, below which everything lies.
        cuts.push(i64::MAX);
        // How many runs on each table lie below each cut.
        let below = |with: bool| -> Vec<u64> {
            let mut values: Vec<i64> =
                first.iter().filter(|run| run.with == with).map(|run| run.statistic).collect();
            values.sort_unstable();
            cuts.iter().map(|cut| values.partition_point(|value| value < cut) as u64).collect()
        };
        let (with, without) = (below(true), below(false));
        let (all_with, all_without) = (with[cuts.len() - 1], without[cuts.len() - 1]);
        let mut best = Self { low: cuts[0], high: cuts[0], upwards: true, promised: f64::NEG_INFINITY };
        for low in 0..cuts.len() {
            for high in low..cuts.len() {
                let (with_above, without_above) = (all_with - with[high], all_without - without[high]);
                let all = with_above + without_above + with[low] + without[low];
                for (right, upwards) in
                    [(with_above + without[low], true), (without_above + with[low], false)]
                {
                    let promised = Guesses { right, all }.approximate_bound(CAREFUL);
                    if promised > best.promised {
                        best = Self { low: cuts[low], high: cuts[high], upwards, promised };
                    }
                }
            }
        }
        best
    }

    fn bound(&self, rest: &[Observed], confidence: f64) -> Result<(String, f64), PrivacyError> {
        let Self { low, high, upwards, .. } = *self;
        let guessed: Vec<bool> = rest
            .iter()
            .filter(|run| run.statistic >= high || run.statistic < low)
            .map(|run| run.with == ((run.statistic >= high) == upwards))
            .collect();
        let right = guessed.iter().filter(|is_right| **is_right).count() as u64;
        let bound = Guesses { right, all: guessed.len() as u64 }.epsilon_lower_bound(confidence)?;
        let (above, under) = if upwards { ("with", "without") } else { ("without", "with") };
        let mut how = Vec::new();
        if high < i64::MAX {
            how.push(format!("{above} the canary from {high} upwards"));
        }
        how.push(format!("{under} it below {low}"));
        Ok((how.join(", "), bound))
    }
}

/// The event {statistic ≥ threshold}, looked at in one of [`EventTally::WAYS`].
struct ChosenEvent {
    threshold: i64,
    way: usize,
    /// The careful bound by the runs that chose.
    promised: f64,
}

impl ChosenEvent {
    fn of(first: &[Observed], delta: f64, bounded: Bounded, confidence: f64) -> Result<Self, PrivacyError> {
        let thresholds = thresholds(first);
        let ways: Vec<EventTally> =
            thresholds.iter().flat_map(|threshold| tally(first, *threshold).ways()).collect();
        let best_at = |confidence: f64| -> Result<(usize, f64), PrivacyError> {
            let bounds = ways.iter().map(|way| event_bound(way, delta, bounded, confidence));
            let bounds = bounds.collect::<Result<Vec<f64>, _>>()?;
            let best = (0..bounds.len()).max_by(|left, right| bounds[*left].total_cmp(&bounds[*right]));
            Ok(best.map_or((0, 0.0), |best| (best, bounds[best])))
        };
        let (mut chosen, promised) = best_at(1.0 - CHOSEN_BY_CHANCE)?;
        if promised == 0.0 {
            chosen = best_at(confidence)?.0;
        }
        let threshold = thresholds[chosen / EventTally::WAYS];
        Ok(Self { threshold, way: chosen % EventTally::WAYS, promised })
    }

    fn bound(
        &self,
        rest: &[Observed],
        delta: f64,
        bounded: Bounded,
        confidence: f64,
    ) -> Result<(String, f64), PrivacyError> {
        let event = tally(rest, self.threshold).ways()[self.way];
        let side = if self.way < 2 { "at least" } else { "less than" };
        Ok((format!("{side} {}", self.threshold), event_bound(&event, delta, bounded, confidence)?))
    }
}

/// How often the statistic is at least this.
fn tally(runs: &[Observed], threshold: i64) -> EventTally {
    let of = |with: bool| {
        let runs = || runs.iter().filter(|run| run.with == with);
        Tally {
            hits: runs().filter(|run| run.statistic >= threshold).count() as u64,
            runs: runs().count() as u64,
        }
    };
    EventTally { with: of(true), without: of(false) }
}

/// The bound of one event.
fn event_bound(
    event: &EventTally,
    delta: f64,
    bounded: Bounded,
    confidence: f64,
) -> Result<f64, PrivacyError> {
    match bounded {
        Bounded::Epsilon => epsilon_lower_bound(*event, delta, confidence),
        Bounded::Mu => mu_lower_bound(*event, confidence),
        Bounded::Rho => rho_lower_bound(*event, confidence),
    }
}

#[cfg(test)]
mod tests;
