//! A measurement plan: which margins a budget can afford, and how it is shared among them.
//!
//! The plan uses the numbers of classes dᵢ, the number of records n and the budget, all public, and so can be
//! printed before anything is read. Write M for the number of pairs, C for the cells of all pairs together, c̄
//! for their mean, and b(s) for the scale of the noise that a share s of the budget buys.
//!
//! - **All pairs**, where with equal shares the mean count of a pair's cell is at least 6 times the scale under
//!   Laplace noise and 1.5 times under Gaussian noise: n ÷ c̄ ≥ 6 b(1/M) or 1.5 b(1/M). (To measure k of M
//!   pairs instead makes b smaller by k/M in the one case and only by √(k/M) in the other, so choosing is worth
//!   less.) The pairs imply the single variables, which are not measured by themselves.
//! - **Single variables only**, where even they are mostly noise: x = d̄ b(1/p) ÷ (0.03 n) above 7.
//! - **Select**: else. A share α = x², within 0.1 and 0.5, goes to the single variables, the rest to
//!   k = ⌈k*⌉ rounds that each choose a pair and measure it, with k* such that a mean cell holds 8 times the
//!   scale. With k* below 1 there is one round, and α = 0.8. Choosing gets at most 0.3 of a round, and no more
//!   than it needs to distinguish scores that differ by 0.3 n.
//!
//! **Shares.** The noise of a margin with c cells adds c·2b² to squared errors, so margins measured together
//! get shares that make Σ c·b² least. With Laplace noise b = 1/ε: ε ∝ c^⅓. With Gaussian noise 2b² = σ² =
//! 1/(2ρ): ρ ∝ c^½. The scale that is compared with counts above is that of Laplace noise of the same variance,
//! b = 1 ÷ (2√ρ) under Gaussian noise.
//!
//! **Accounting.** All amounts are whole multiples of 2⁻⁴⁰, rounded down, and add up to the budget exactly
//! (sequential composition). In a selecting run every round is paid from what is left.
//!
//! **Large tables.** Where the full table has more than 2²² cells, all pairs cannot be fitted, and a round only
//! takes pairs that keep the model's junction tree within 2²⁰ cells: a rule that looks at numbers of classes and at
//! earlier choices, never at the table. There are at most two rounds for each variable. Where the tree has room for fewer pairs than there are rounds, the rest of the budget is shared
//! among the rounds that remain.

use crate::error::Error;
use crate::junction_tree::JunctionTree;
use crate::noisy::measurement::{Notion, Price};
use crate::noisy::shares::Amount;

/// Cells of the full table up to which every set of pairs can be fitted.
pub(crate) const DENSE_LIMIT: usize = 1 << 22;
/// Cells of a junction tree that the chosen pairs may make in a larger table.
pub(crate) const TREE_LIMIT: usize = 1 << 20;
/// Rounds for each variable in a table above `DENSE_LIMIT`.
const ROUNDS_A_VARIABLE: usize = 2;
/// More records than this are no table.
const MOST_RECORDS: u64 = 1 << 50;

/// Which margins are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Design {
    /// Every pair.
    AllPairs,
    /// Single variables, and nothing of how they go together.
    OneWay,
    /// Single variables, then some pairs, each chosen for what the model does not yet know of it.
    Select,
}

/// What a run will measure, and what it will pay for each measurement and choice.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasurementPlan {
    sizes: Vec<usize>,
    records: u64,
    notion: Notion,
    budget: Amount,
    design: Design,
    one_way: Vec<(usize, Amount)>,
    pairs: Vec<([usize; 2], Amount)>,
    rounds: usize,
    for_rounds: Amount,
}

/// A step of a plan with its price.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasurementStep {
    /// Count a margin.
    Measure {
        /// Its attributes.
        attributes: Vec<usize>,
        /// What it costs.
        price: Price,
    },
    /// Choose a pair, and count it.
    Round {
        /// Which round, from 1.
        number: usize,
        /// What the choice costs; nothing where there is only one pair.
        choose: Option<Price>,
        /// What the count costs.
        measure: Price,
    },
}

impl MeasurementPlan {
    /// Plans for a domain of these `sizes`, a table of `records`, and a budget.
    pub fn new(sizes: &[usize], records: u64, budget: Price) -> Result<Self, Error> {
        let (notion, amount) = match budget {
            Price::Epsilon(amount) => (Notion::Pure, amount),
            Price::Rho(amount) => (Notion::ZeroConcentrated, amount),
        };
        let budget = Amount::budget(amount)?;
        check_table(sizes, records)?;
        let mut plan = Self {
            sizes: sizes.to_vec(),
            records,
            notion,
            budget,
            design: Design::OneWay,
            one_way: Vec::new(),
            pairs: Vec::new(),
            rounds: 0,
            for_rounds: budget.minus(budget),
        };
        plan.choose_design()?;
        Ok(plan)
    }

    /// The number of classes of each variable.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The number of records that is planned for.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The notion in which the budget is counted.
    pub(crate) fn notion(&self) -> Notion {
        self.notion
    }

    /// Which margins are measured.
    pub(crate) fn design(&self) -> Design {
        self.design
    }

    /// Every step with its price. Rounds may turn out fewer, and then cost more each, where the junction
    /// tree of the pairs chosen leaves no room for another; the sum stays the same.
    pub fn steps(&self) -> Vec<MeasurementStep> {
        let price = |amount: Amount| self.notion.price(amount.value());
        let one_way = self.one_way.iter().map(|&(variable, amount)| MeasurementStep::Measure {
            attributes: vec![variable],
            price: price(amount),
        });
        let pairs = self.pairs.iter().map(|&(pair, amount)| MeasurementStep::Measure {
            attributes: pair.to_vec(),
            price: price(amount),
        });
        let mut steps: Vec<MeasurementStep> = one_way.chain(pairs).collect();
        let mut left = self.for_rounds;
        for number in 1..=self.rounds {
            let (choose, measure) = self.round(left, self.rounds + 1 - number, !self.is_one_pair());
            left = left.minus(choose).minus(measure);
            let choose = (!choose.is_nothing()).then(|| price(choose));
            steps.push(MeasurementStep::Round { number, choose, measure: price(measure) });
        }
        steps
    }

    pub(crate) fn one_way(&self) -> &[(usize, Amount)] {
        &self.one_way
    }

    pub(crate) fn pairs(&self) -> &[([usize; 2], Amount)] {
        &self.pairs
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds
    }

    pub(crate) fn for_rounds(&self) -> Amount {
        self.for_rounds
    }

    /// What choosing and measuring cost in the next of `rounds` rounds, paid from `left`.
    pub(crate) fn round(&self, left: Amount, rounds: usize, choose: bool) -> (Amount, Amount) {
        let round = if rounds <= 1 { left } else { left.split(1.0 / rounds as f64).0 };
        let pairs = self.all_pairs().len() as f64;
        let enough = 2.0 * pairs.ln() / (0.3 * self.records as f64);
        let enough = match self.notion {
            Notion::Pure => enough,
            Notion::ZeroConcentrated => enough * enough / 8.0,
        };
        let nothing = left.minus(left);
        let chosen = if choose { round.split(0.3).0.at_most(enough) } else { nothing };
        (chosen, round.minus(chosen))
    }

    /// The pairs that may be measured next after `measured` ones, in order.
    pub(crate) fn candidates(&self, measured: &[[usize; 2]]) -> Vec<[usize; 2]> {
        let rest = self.all_pairs().into_iter().filter(|pair| !measured.contains(pair));
        if self.full_table_fits() {
            return rest.collect();
        }
        rest.filter(|pair| self.tree_cells(measured, *pair) <= TREE_LIMIT as u128).collect()
    }

    /// How many more pairs fit after `measured` ones if the smallest are taken, at most `most`.
    pub(crate) fn room(&self, measured: &[[usize; 2]], most: usize) -> usize {
        let mut taken = measured.to_vec();
        let mut candidates = self.candidates(measured);
        if self.full_table_fits() {
            return candidates.len().min(most);
        }
        candidates.sort_by_key(|pair| (self.sizes[pair[0]] as u128 * self.sizes[pair[1]] as u128, *pair));
        for pair in candidates {
            if taken.len() - measured.len() >= most {
                break;
            }
            if self.tree_cells(&taken, pair) <= TREE_LIMIT as u128 {
                taken.push(pair);
            }
        }
        taken.len() - measured.len()
    }

    fn tree_cells(&self, measured: &[[usize; 2]], another: [usize; 2]) -> u128 {
        let margins = measured.iter().chain([&another]).map(|pair| pair.as_slice());
        JunctionTree::new(&self.sizes, margins).cells()
    }

    /// Variables with more than one class: the others need no measurement.
    fn varying(&self) -> Vec<usize> {
        (0..self.sizes.len()).filter(|&variable| self.sizes[variable] > 1).collect()
    }

    fn all_pairs(&self) -> Vec<[usize; 2]> {
        let varying = self.varying();
        let pairs_of = |at: usize| varying[at + 1..].iter().map(move |&j| (at, j)).collect::<Vec<_>>();
        (0..varying.len()).flat_map(pairs_of).map(|(at, j)| [varying[at], j]).collect()
    }

    fn is_one_pair(&self) -> bool {
        self.varying().len() == 2
    }

    fn full_table_fits(&self) -> bool {
        let cells = self.sizes.iter().fold(1_u128, |cells, &classes| cells.saturating_mul(classes as u128));
        cells <= DENSE_LIMIT as u128
    }

    /// Mean counts of this many times the scale of the noise make it worth while to measure every pair.
    fn clear_counts(&self) -> f64 {
        match self.notion {
            Notion::Pure => 6.0,
            Notion::ZeroConcentrated => 1.5,
        }
    }

    /// The scale of Laplace noise with the variance that a share of the budget buys.
    fn scale(&self, share: f64) -> f64 {
        self.notion.noise_sd(self.budget.value() * share) / 2_f64.sqrt()
    }

    fn choose_design(&mut self) -> Result<(), Error> {
        let varying = self.varying();
        if varying.len() < 2 {
            return self.measure_one_way(self.budget);
        }
        let n = self.records as f64;
        let count = varying.len() as f64;
        let mean_classes = varying.iter().map(|&variable| self.sizes[variable] as f64).sum::<f64>() / count;
        let pairs = self.all_pairs();
        let size = |pair: &[usize; 2]| self.sizes[pair[0]] as f64 * self.sizes[pair[1]] as f64;
        let mean_cells = pairs.iter().map(size).sum::<f64>() / pairs.len() as f64;
        let noise_of_one = mean_classes * self.scale(1.0 / count) / (0.03 * n);
        if n >= self.clear_counts() * mean_cells * self.scale(1.0 / pairs.len() as f64)
            && self.full_table_fits()
        {
            let weights: Vec<f64> = pairs.iter().map(|pair| self.notion.weight(size(pair))).collect();
            self.design = Design::AllPairs;
            self.pairs = pairs.into_iter().zip(self.budget.shared(&weights)?).collect();
            return Ok(());
        }
        if noise_of_one > 7.0 {
            return self.measure_one_way(self.budget);
        }
        self.design = Design::Select;
        let mut alpha = (noise_of_one * noise_of_one).clamp(0.1, 0.5);
        // The share of the budget that makes the scale an eighth of a mean cell, found from the scale at 1.
        let needed = 8.0 * mean_cells * self.scale(1.0) / n;
        let a_round = match self.notion {
            Notion::Pure => needed,
            Notion::ZeroConcentrated => needed * needed,
        };
        let rounds = (1.0 - alpha) / a_round;
        let mut most = if pairs.len() == 1 { 1 } else { pairs.len() - 1 };
        if !self.full_table_fits() {
            most = most.min(ROUNDS_A_VARIABLE * varying.len());
        }
        if rounds < 1.0 {
            alpha = 0.8;
        }
        self.rounds = self.room(&[], (rounds.ceil().min(most as f64) as usize).max(1));
        if self.rounds == 0 {
            self.design = Design::OneWay;
            return self.measure_one_way(self.budget);
        }
        let (for_one_way, for_rounds) = self.budget.split(alpha);
        self.for_rounds = for_rounds;
        self.measure_one_way(for_one_way)
    }

    fn measure_one_way(&mut self, budget: Amount) -> Result<(), Error> {
        let varying = self.varying();
        let weights: Vec<f64> =
            varying.iter().map(|&variable| self.notion.weight(self.sizes[variable] as f64)).collect();
        self.one_way = varying.into_iter().zip(budget.shared(&weights)?).collect();
        Ok(())
    }
}

pub(crate) fn check_table(sizes: &[usize], records: u64) -> Result<(), Error> {
    if !(1..=MOST_RECORDS).contains(&records) {
        return Err(Error::Records { most: MOST_RECORDS });
    }
    if sizes.is_empty() {
        return Err(Error::NoVariables);
    }
    match sizes.iter().position(|&classes| classes == 0) {
        Some(variable) => Err(Error::NoClasses { variable }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paid(steps: &[MeasurementStep]) -> f64 {
        let amount = |price: &Price| match price {
            Price::Epsilon(amount) | Price::Rho(amount) => *amount,
        };
        steps
            .iter()
            .map(|step| match step {
                MeasurementStep::Measure { price, .. } => amount(price),
                MeasurementStep::Round { choose, measure, .. } => {
                    choose.as_ref().map_or(0.0, amount) + amount(measure)
                }
            })
            .sum()
    }

    proptest! {
        #[test]
        fn a_plan_spends_its_budget_and_no_more(
            sizes in proptest::collection::vec(1_usize..40, 1..12),
            records in 1_u64..10_000_000,
            budget in (-7.0_f64..7.0).prop_map(f64::exp),
            pure: bool,
        ) {
            let price = if pure { Price::Epsilon(budget) } else { Price::Rho(budget) };
            let plan = MeasurementPlan::new(&sizes, records, price).unwrap();
            let paid = paid(&plan.steps());
            // Units of 2⁻⁴⁰ add up exactly in doubles.
            prop_assert!(paid <= budget);
            let anything = sizes.iter().any(|&classes| classes > 1);
            prop_assert!(!anything || budget - paid < 1e-12 * budget.max(1.0), "{} of {}", paid, budget);
        }
    }

    /// The table of methods.md 2.5a: SD2011 with seven variables and 5,000 records.
    #[test]
    fn the_plan_is_the_one_of_the_reference() {
        let sizes = [2, 5, 6, 5, 10, 7, 7];
        let plan = |epsilon| MeasurementPlan::new(&sizes, 5_000, Price::Epsilon(epsilon)).unwrap();
        // C = 738: all pairs from ε = 6 · 738 / 5000 = 0.8856 on.
        assert_eq!(plan(0.886).design(), Design::AllPairs);
        assert_eq!(plan(0.885).design(), Design::Select);
        // x = 42 / (150 ε) is 7 at ε = 0.04.
        assert_eq!(plan(0.0401).design(), Design::Select);
        assert_eq!(plan(0.0399).design(), Design::OneWay);

        // ε = 0.5: x = 0.56, α = 0.3136, k* = 0.6864 · 0.5 · 5000 / (8 · 738 / 21) = 6.1.
        let steps = plan(0.5).steps();
        assert_eq!(steps.len(), 7 + 7);
        let share = 0.3136 * 0.5 * 2_f64.cbrt() / sizes.iter().map(|&d| (d as f64).cbrt()).sum::<f64>();
        match &steps[0] {
            MeasurementStep::Measure { attributes, price: Price::Epsilon(epsilon) } => {
                assert_eq!(attributes, &[0]);
                assert!((epsilon - share).abs() < 1e-10);
            }
            other => panic!("{other:?}"),
        }
        let round = 0.6864 * 0.5 / 7.0;
        let choosing = 2.0 * 21_f64.ln() / 1500.0;
        match &steps[7] {
            MeasurementStep::Round {
                number: 1,
                choose: Some(Price::Epsilon(choose)),
                measure: Price::Epsilon(measure),
            } => {
                assert!((choose - choosing).abs() < 1e-10, "{choose} is not {choosing}");
                assert!((choose + measure - round).abs() < 1e-10);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn margins_measured_together_share_by_the_cube_root_or_the_root_of_their_cells() {
        let shares = |price| {
            let plan = MeasurementPlan::new(&[2, 4, 8], 1_000_000, price).unwrap();
            assert_eq!(plan.design(), Design::AllPairs);
            plan.pairs().iter().map(|(_, amount)| amount.value()).collect::<Vec<_>>()
        };
        let [a, b, c]: [f64; 3] = shares(Price::Epsilon(1.0)).try_into().unwrap();
        assert!((b / a - 2_f64.cbrt()).abs() < 1e-9 && (c / a - 4_f64.cbrt()).abs() < 1e-9);
        let [a, b, c]: [f64; 3] = shares(Price::Rho(1.0)).try_into().unwrap();
        assert!((b / a - 2_f64.sqrt()).abs() < 1e-9 && (c / a - 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_pair_is_measured_without_a_choice_and_one_variable_without_a_pair() {
        let plan = MeasurementPlan::new(&[30, 1, 30], 1_000, Price::Epsilon(1.0)).unwrap();
        assert_eq!(plan.design(), Design::Select);
        assert!(matches!(plan.steps()[2], MeasurementStep::Round { number: 1, choose: None, .. }));
        let alone = MeasurementPlan::new(&[1, 5], 1_000, Price::Epsilon(1.0)).unwrap().steps();
        assert_eq!(alone, [MeasurementStep::Measure { attributes: vec![1], price: Price::Epsilon(1.0) }]);
        assert!(MeasurementPlan::new(&[1, 1], 1_000, Price::Epsilon(1.0)).unwrap().steps().is_empty());
    }

    #[test]
    fn a_large_table_takes_only_pairs_that_keep_its_tree_small() {
        let sizes = vec![40; 12];
        let plan = MeasurementPlan::new(&sizes, 100_000_000, Price::Epsilon(10.0)).unwrap();
        assert_eq!(plan.design(), Design::Select);
        // A chain is small; closing a cycle of four makes cliques of 40³.
        let chain = [[0, 1], [1, 2], [2, 3]];
        assert!(plan.candidates(&chain).contains(&[0, 3]));
        // A complete graph of four variables would be one clique of 40⁴ cells, above the limit of 2²⁰.
        let nearly = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]];
        assert!(!plan.candidates(&nearly).contains(&[2, 3]));
        assert!(plan.candidates(&nearly).contains(&[3, 4]));
    }

    #[test]
    fn what_cannot_be_planned_is_refused() {
        let refused =
            |sizes: &[usize], records, budget| MeasurementPlan::new(sizes, records, budget).unwrap_err();
        assert_eq!(refused(&[], 10, Price::Epsilon(1.0)), Error::NoVariables);
        assert_eq!(refused(&[2, 0], 10, Price::Epsilon(1.0)), Error::NoClasses { variable: 1 });
        assert_eq!(refused(&[2], 0, Price::Epsilon(1.0)), Error::Records { most: MOST_RECORDS });
        assert_eq!(refused(&[2], 10, Price::Rho(f64::NAN)), Error::Budget { most: 4096 });
        let too_small = refused(&[2; 50], 10, Price::Epsilon(2e-12));
        assert_eq!(too_small, Error::BudgetTooSmall { margins: 50 });
    }
}
