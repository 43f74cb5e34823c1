//! `planned`: measures what the budget can afford, and shrinks what is noise.
//!
//! The [`MeasurementPlan`] says what is measured. The measurements become targets in two steps, each a posterior of counts
//! under their noise: single variables with an even prior mean, from their own measurement and from the sums of
//! measured pairs; then pairs with the prior mean of independence. A target is (E√y)², the count that minimises the
//! expected squared distance of roots, which is about that of a chi-squared distance. The model is the
//! penalised fit (see `penalised`) to the targets, each parameter penalised by the posterior variance in
//! units of the count.
//!
//! # Privacy
//!
//! The table is seen through [`ProtectedTable`] alone. A margin has L1 and L2 sensitivity 1 under adding or removing
//! a record, and so has every score; the amounts paid add up to the budget (sequential, adaptive composition).
//! Numbers of classes and of records must be public. Fitting and sampling are post-processing.

use std::collections::BTreeMap;

use crate::FittedModel;
use crate::error::Error;
use crate::noisy::measurement::{
    CandidatePair, Measurement, MeasurementError, Noise, Price, ProtectedTable, measured,
};
use crate::noisy::plan::{DENSE_LIMIT, Design, MeasurementPlan, TREE_LIMIT};
use crate::noisy::posterior::{Moments, NoisyCount, Posterior};
use crate::noisy::shares::Amount;
use crate::penalised::{self, PenalisedOptions, Term};

/// Shapes κ of the prior of a single variable's counts.
const ONE_WAY_SHAPES: [f64; 8] = [0.15, 0.3, 0.6, 1.0, 2.0, 5.0, 20.0, 100.0];
/// Shapes κ of the prior of a pair's counts around independence.
const PAIR_SHAPES: [f64; 12] = [0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0, 120.0, 400.0, 2000.0, 20000.0];
/// A penalty is the variance divided by this share of the count.
const SHARE_OF_COUNT: f64 = 0.3;
/// Counts below this are taken as this in a penalty.
const LEAST_COUNT: f64 = 0.5;
/// Single variables are penalised by this factor.
const ONE_WAY_PENALTY: f64 = 0.1;
/// No parameter is pushed further than this by targets that contradict each other by a standard deviation.
const FURTHEST: f64 = 30.0;
/// No penalty is below this, however well a count is known.
const LEAST_PENALTY: f64 = 1e-6;
/// Steps of a fit between rounds.
const STEPS_IN_ROUNDS: usize = 60;
/// Steps of the last fit.
const STEPS_AT_END: usize = 3_000;

/// What a run gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The model, with `records` expected records.
    pub model: FittedModel,
    /// The plan that was followed.
    pub(crate) plan: MeasurementPlan,
    /// The pairs that were measured, in order.
    pub(crate) pairs: Vec<[usize; 2]>,
}

/// Plans, measures and fits, for a domain of these `sizes`, a table of `records` records, and a budget.
pub fn run<T: ProtectedTable>(
    sizes: &[usize],
    records: u64,
    budget: Price,
    table: &mut T,
) -> Result<Planned, MeasurementError<T::Error>> {
    let plan = MeasurementPlan::new(sizes, records, budget)?;
    let mut known = Known::new(&plan);
    for &(variable, amount) in plan.one_way() {
        let measurement = measure(&plan, table, &[variable], amount)?;
        known.one_way[variable] = Some(measurement);
    }
    for &(pair, amount) in plan.pairs() {
        let measurement = measure(&plan, table, &pair, amount)?;
        known.pairs.push((pair, measurement));
    }
    let mut left = plan.for_rounds();
    for round in 0..plan.rounds() {
        let measured: Vec<[usize; 2]> = known.pairs.iter().map(|(pair, _)| *pair).collect();
        let candidates = plan.candidates(&measured);
        let Some(&first) = candidates.first() else { break };
        let rounds = plan.room(&measured, plan.rounds() - round);
        let (for_choice, for_measure) = plan.round(left, rounds, candidates.len() > 1);
        left = left.minus(for_choice).minus(for_measure);
        let pair = if for_choice.is_nothing() {
            first
        } else {
            let model = known.fit(&plan, STEPS_IN_ROUNDS)?;
            let listed = listed(&plan, &model, &candidates, for_measure)?;
            let price = plan.notion().price(for_choice.value());
            let chosen = table.choose(&listed, price).map_err(MeasurementError::Refused)?;
            *candidates.get(chosen).ok_or(Error::Answer { attributes: Vec::new() })?
        };
        let measurement = measure(&plan, table, &pair, for_measure)?;
        known.pairs.push((pair, measurement));
    }
    let model = known.fit(&plan, STEPS_AT_END)?;
    let pairs = known.pairs.iter().map(|(pair, _)| *pair).collect();
    Ok(Planned { model, plan, pairs })
}

impl Planned {
    /// What a reader of the release should know, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        let design = match self.plan.design() {
            Design::AllPairs => "every pair of variables was measured".to_owned(),
            Design::OneWay => {
                "only single variables were measured: the budget is too small to learn how they go together"
                    .to_owned()
            }
            Design::Select => format!(
                "single variables were measured, and {} of the pairs, chosen for what the model did not yet know",
                self.pairs.len()
            ),
        };
        let convergence = self.model.convergence();
        let outcome = if convergence.converged() { "converged" } else { "did NOT converge" };
        let fit = format!(
            "penalised fit: {outcome} after {} steps, largest deviation {:.1e} records",
            convergence.sweeps, convergence.deviation
        );
        vec![design, fit]
    }
}

fn measure<T: ProtectedTable>(
    plan: &MeasurementPlan,
    table: &mut T,
    attributes: &[usize],
    amount: Amount,
) -> Result<Measurement, MeasurementError<T::Error>> {
    measured(table, plan.sizes(), attributes, plan.notion().price(amount.value()))
}

/// The candidates of a round: expected counts in whole records, and as the penalty half of what the noise of a
/// measurement would add to the score.
fn listed(
    plan: &MeasurementPlan,
    model: &FittedModel,
    candidates: &[[usize; 2]],
    for_measure: Amount,
) -> Result<Vec<CandidatePair>, Error> {
    let scale = plan.notion().noise_sd(for_measure.value()) / 2_f64.sqrt();
    candidates
        .iter()
        .map(|&attributes| {
            let expected = match model.margin(&attributes) {
                Err(Error::MarginTooLarge { .. }) => independence(plan, model, attributes)?,
                margin => margin?,
            };
            let expected: Vec<i64> = expected.into_iter().map(|count| count.round() as i64).collect();
            let penalty = (0.5 * expected.len() as f64 * scale).round() as i64;
            Ok(CandidatePair { attributes, expected, penalty })
        })
        .collect()
}

/// What is expected of a pair in two distant cliques, between which too many variables would have to be held to work out its margin:
/// the product of its single variables. Any expectation that is made without a look will do for a choice.
fn independence(
    plan: &MeasurementPlan,
    model: &FittedModel,
    [one, other]: [usize; 2],
) -> Result<Vec<f64>, Error> {
    let (first, second) = (model.margin(&[one])?, model.margin(&[other])?);
    let records = plan.records() as f64;
    Ok(first.iter().flat_map(|one| second.iter().map(move |other| one * other / records)).collect())
}

/// The measurements so far, and the parameters of the last fit.
struct Known {
    one_way: Vec<Option<Measurement>>,
    pairs: Vec<([usize; 2], Measurement)>,
    parameters: BTreeMap<Vec<usize>, Vec<f64>>,
}

impl Known {
    fn new(plan: &MeasurementPlan) -> Self {
        Self { one_way: vec![None; plan.sizes().len()], pairs: Vec::new(), parameters: BTreeMap::new() }
    }

    fn fit(&mut self, plan: &MeasurementPlan, max_iterations: usize) -> Result<FittedModel, Error> {
        let terms = self.terms(plan);
        let options = PenalisedOptions {
            max_iterations,
            dense_limit: DENSE_LIMIT,
            tree_limit: TREE_LIMIT,
            ..PenalisedOptions::default()
        };
        let fit = penalised::fit(plan.sizes(), plan.records() as f64, &terms, &options)?;
        self.parameters = terms.into_iter().map(|term| term.attributes).zip(fit.parameters).collect();
        Ok(fit.model)
    }

    fn terms(&self, plan: &MeasurementPlan) -> Vec<Term> {
        let records = plan.records() as f64;
        let mut shares: Vec<Vec<f64>> = Vec::new();
        let mut terms = Vec::new();
        for (variable, &classes) in plan.sizes().iter().enumerate() {
            let Some(seen) = self.seen_alone(plan, variable) else {
                shares.push(vec![1.0 / classes as f64; classes]);
                continue;
            };
            let even = vec![records / classes as f64; classes];
            let moments = Posterior::new(&seen, &even, &ONE_WAY_SHAPES, records).moments_with_total(records);
            let target = scaled_targets(&moments, records);
            shares.push(target.iter().map(|count| count / records).collect());
            let mut term = term(vec![variable], target, &moments, ONE_WAY_PENALTY);
            term.start = match self.parameters.get(&term.attributes) {
                Some(parameters) => parameters.clone(),
                None => term.target.iter().map(|count| (count / records).ln()).collect(),
            };
            terms.push(term);
        }
        for (pair, margin) in &self.pairs {
            let seen: Vec<NoisyCount> = margin
                .counts
                .iter()
                .map(|&count| NoisyCount { value: count as f64, noise: margin.noise })
                .collect();
            let independent: Vec<f64> = shares[pair[0]]
                .iter()
                .flat_map(|a| shares[pair[1]].iter().map(move |b| a * b * records))
                .collect();
            let moments = Posterior::new(&seen, &independent, &PAIR_SHAPES, records).moments();
            let total = moments.iter().map(|moments| moments.mean).sum();
            let target = scaled_targets(&moments, total);
            let mut term = term(pair.to_vec(), target, &moments, 1.0);
            if let Some(parameters) = self.parameters.get(&term.attributes) {
                term.start.clone_from(parameters);
            }
            terms.push(term);
        }
        terms
    }

    /// What is known of a single variable: its own measurement and the sums of measured pairs, averaged by
    /// inverse variance. Averages are taken to have normal noise.
    fn seen_alone(&self, plan: &MeasurementPlan, variable: usize) -> Option<Vec<NoisyCount>> {
        let classes = plan.sizes()[variable];
        let direct = self.one_way[variable].as_ref();
        let mut sources: Vec<(Vec<f64>, f64)> = Vec::new();
        if let Some(margin) = direct {
            sources
                .push((margin.counts.iter().map(|&count| count as f64).collect(), margin.noise.variance()));
        }
        for (pair, margin) in self.pairs.iter().filter(|(pair, _)| pair.contains(&variable)) {
            let other = plan.sizes()[if pair[0] == variable { pair[1] } else { pair[0] }];
            let mut sums = vec![0.0; classes];
            for (cell, &count) in margin.counts.iter().enumerate() {
                let class = if pair[0] == variable { cell / other } else { cell % classes };
                sums[class] += count as f64;
            }
            sources.push((sums, margin.noise.variance() * other as f64));
        }
        if let (Some(margin), 1) = (direct, sources.len()) {
            return Some(
                margin
                    .counts
                    .iter()
                    .map(|&count| NoisyCount { value: count as f64, noise: margin.noise })
                    .collect(),
            );
        }
        let precision: f64 = sources.iter().map(|(_, variance)| 1.0 / variance).sum();
        if precision <= 0.0 {
            return None;
        }
        let noise = Noise::Gaussian { sigma: precision.sqrt().recip() };
        let mean = |class: usize| {
            sources.iter().map(|(counts, variance)| counts[class] / variance).sum::<f64>() / precision
        };
        Some((0..classes).map(|class| NoisyCount { value: mean(class), noise }).collect())
    }
}

/// (E√y)², rescaled to a total.
fn scaled_targets(moments: &[Moments], total: f64) -> Vec<f64> {
    let sum: f64 = moments.iter().map(|moments| moments.root_mean_squared).sum();
    moments.iter().map(|moments| moments.root_mean_squared * total / sum).collect()
}

/// The penalty of a parameter is variance ÷ (0.3 × count), but no less than standard deviation ÷ [`FURTHEST`]. The
/// bound matters for large counts: there the quotient is so small that contradictions between margins, which are
/// noise, would push parameters by thousands and empty the small cells beside a large one.
fn term(attributes: Vec<usize>, target: Vec<f64>, moments: &[Moments], factor: f64) -> Term {
    let penalty = target
        .iter()
        .zip(moments)
        .map(|(count, Moments { variance, .. })| {
            let wanted = factor * variance / (SHARE_OF_COUNT * count.max(LEAST_COUNT));
            wanted.max(variance.sqrt() / FURTHEST).max(LEAST_PENALTY)
        })
        .collect();
    Term::new(attributes, target, penalty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noisy::simulated::Simulated;

    const SIZES: [usize; 5] = [3, 4, 2, 5, 3];

    /// The table's own one-way shares, multiplied: what knows nothing of how variables go together.
    fn independence(table: &Simulated) -> FittedModel {
        let targets: Vec<crate::TargetMargin> = (0..table.sizes.len())
            .map(|variable| {
                let counts: Vec<f64> = table.margin(&[variable]).iter().map(|&count| count as f64).collect();
                crate::TargetMargin::new([variable], counts)
            })
            .collect();
        crate::fit(&table.sizes, &targets, &[], &crate::Options::default()).unwrap()
    }

    fn mean_distance(budget: Price, runs: u64) -> f64 {
        let run = |seed| {
            let mut table = Simulated::chain(&SIZES, 4_000, seed);
            let made = run(&SIZES, 4_000, budget, &mut table).unwrap();
            table.distance(&made.model)
        };
        (0..runs).map(run).sum::<f64>() / runs as f64
    }

    #[test]
    fn it_beats_exact_independence_and_more_budget_brings_it_closer() {
        let independent = {
            let table = Simulated::chain(&SIZES, 4_000, 0);
            table.distance(&independence(&table))
        };
        assert!(independent > 0.15, "the test table has structure: {independent}");
        let epsilons = [0.03, 0.1, 0.3, 1.0, 10.0].map(|epsilon| mean_distance(Price::Epsilon(epsilon), 5));
        assert!(epsilons.is_sorted_by(|less, more| less > more), "{epsilons:?}");
        assert!(epsilons[2] < independent && epsilons[3] < 0.4 * independent, "{epsilons:?}");
        assert!(epsilons[4] < 0.03, "{epsilons:?}");
        let rhos = [0.0003, 0.003, 0.03, 3.0].map(|rho| mean_distance(Price::Rho(rho), 5));
        assert!(rhos.is_sorted_by(|less, more| less > more), "{rhos:?}");
        assert!(rhos[2] < 0.4 * independent, "{rhos:?}");
    }

    #[test]
    fn no_budget_makes_it_fail_and_the_whole_budget_is_spent() {
        for (records, seed) in [(20, 1), (1_000, 2)] {
            for exponent in -3..=2 {
                let budget = 10_f64.powi(exponent);
                for price in [Price::Epsilon(budget), Price::Rho(budget)] {
                    let mut table = Simulated::chain(&SIZES, records, seed);
                    let made = run(&SIZES, records as u64, price, &mut table).unwrap();
                    assert!(made.model.convergence().converged(), "{price:?}: {:?}", made.remarks());
                    assert!(
                        table.spent <= budget && budget - table.spent < 1e-9,
                        "{price:?}: {}",
                        table.spent
                    );
                    let total: f64 = made.model.margin(&[]).unwrap()[0];
                    assert!((total - records as f64).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_selecting_run_finds_the_pairs_that_go_together() {
        let sizes = [4; 6];
        let mut table = Simulated::chain(&sizes, 3_000, 5);
        let made = run(&sizes, 3_000, Price::Epsilon(0.35), &mut table).unwrap();
        assert_eq!(made.plan.design(), Design::Select);
        let neighbours = made.pairs.iter().filter(|pair| pair[1] == pair[0] + 1).count();
        assert!(neighbours >= made.pairs.len() / 2, "{:?}", made.pairs);
        assert_eq!(table.asked.len(), 6 + made.pairs.len());
    }

    #[test]
    fn a_table_of_any_size_is_modelled_on_a_junction_tree() {
        // 8¹² cells, and a budget that would afford every pair.
        let sizes = [8; 12];
        let mut table = Simulated::chain(&sizes, 2_000, 6);
        let made = run(&sizes, 2_000, Price::Epsilon(30.0), &mut table).unwrap();
        assert_eq!(made.plan.design(), Design::Select);
        assert!(matches!(made.model, FittedModel::Tree(_)));
        assert!(made.pairs.len() >= 12, "{:?}", made.pairs);
        assert!((30.0 - table.spent).abs() < 1e-9, "{}", table.spent);
        assert!(table.distance(&made.model) < 0.5 * table.distance(&independence(&table)));
    }

    #[test]
    fn variables_of_one_class_and_a_single_variable_are_modelled_too() {
        for sizes in [&[1, 3, 1, 2][..], &[4], &[1], &[1, 5]] {
            let mut table = Simulated::chain(sizes, 500, 3);
            let made = run(sizes, 500, Price::Epsilon(5.0), &mut table).unwrap();
            assert_eq!(made.model.sample(50, [1; 32]).len(), sizes.len());
        }
    }

    #[test]
    fn an_answer_of_another_shape_is_refused() {
        struct Short;
        impl ProtectedTable for Short {
            type Error = std::convert::Infallible;
            fn measure(&mut self, attributes: &[usize], _: Price) -> Result<Measurement, Self::Error> {
                let noise = Noise::Laplace { scale: 1.0 };
                Ok(Measurement { attributes: attributes.to_vec(), counts: vec![1], noise })
            }
            fn choose(&mut self, _: &[CandidatePair], _: Price) -> Result<usize, Self::Error> {
                Ok(0)
            }
        }
        let refused = run(&[2, 2], 10, Price::Epsilon(100.0), &mut Short).unwrap_err();
        assert_eq!(refused, MeasurementError::Failed(Error::Answer { attributes: vec![0, 1] }));
    }
}
