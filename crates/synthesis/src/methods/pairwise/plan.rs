//! What a budget can measure, from public facts alone: shares of single variables, how many pairs, and the shares of choices and tables.
//!
//! With p variables of d levels, M pairs, n records and a budget B, let sd(a) be the standard deviation of the noise that an amount a buys.
//! Single variables get α = 0.4 max(x, ½) within 0.05 and 0.7 of the budget, x = d̄ sd(B/p)/(√2 · 0.03 n). Of the rest each of k pairs gets the same, less 8 % for the choices.
//! A table of k then has room for n/(6 sd) cells; k is the largest number, all M if possible, with room for at least 8 cells and for min(20 (k/p)^1.7, mean cells of a pair).
//!
//! Where all M pairs are measured, each variable is also counted in p − 1 of their tables: single variables then get x within 5 and 20 %, and choices, by which only the resolution of a table is left to be decided, 2 % of the rest, or
//! nothing where every pair has room for all its cells.

/// The share of what single variables leave that pays for choices.
const CHOICES: f64 = 0.08;
/// The same where all pairs are measured, and the least and the largest share of single variables there.
const CHOICES_AMONG_ALL: f64 = 0.02;
const ONE_WAYS_BESIDE_ALL: (f64, f64) = (0.05, 0.2);
/// Cells of a table hold this many standard deviations of noise on average.
const DEVIATIONS_A_CELL: f64 = 6.0;
/// The least number of cells for which pairs are worth measuring.
const FEWEST_CELLS: f64 = 8.0;
/// Pairs are chosen in so many batches.
const BATCHES: usize = 4;
/// Cells of a table, at most, unless the noise leaves room for more.
const MOST_CELLS: usize = 40_000;
/// Cells of all tables together, at most.
const MOST_CELLS_IN_ALL: usize = 1 << 25;
/// Every table may have so many.
const FEWEST_MOST_CELLS: usize = 400;

/// The most cells of each of so many tables that are counted exactly.
pub(super) fn cells_of_each(tables: usize) -> usize {
    (MOST_CELLS_IN_ALL / tables.max(1)).clamp(FEWEST_MOST_CELLS, MOST_CELLS)
}

/// The noise that an amount of budget buys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NoiseOf {
    /// Discrete Laplace: ε, and by how much a unit changes a histogram in sum.
    Epsilon {
        /// The sensitivity.
        l1: f64,
    },
    /// Discrete Gaussian: ρ, and by how much a unit changes a histogram in sum of squares.
    Rho {
        /// The squared sensitivity.
        l2_squared: f64,
    },
}

impl NoiseOf {
    /// The standard deviation of the noise that an amount buys.
    pub(super) fn sd(self, amount: f64) -> f64 {
        match self {
            Self::Epsilon { l1 } => 2_f64.sqrt() * l1 / amount,
            Self::Rho { l2_squared } => (l2_squared / (2.0 * amount)).sqrt(),
        }
    }

    /// The weight of a table of so many cells among tables that share a budget.
    fn weight(self, cells: f64) -> f64 {
        match self {
            Self::Epsilon { .. } => cells.cbrt(),
            Self::Rho { .. } => cells.sqrt(),
        }
    }
}

/// What is measured, in whole units of the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The share of each variable that has more than one level.
    pub(super) one_ways: Vec<(usize, u64)>,
    /// The price of each choice; 0 where there is none, since every pair is measured at its one resolution.
    pub(super) choice: u64,
    /// The price of the table of each pair that is chosen.
    pub(super) tables: Vec<u64>,
    /// How many of them are chosen together: the first by their distance from independence, the others by that from records made of the answers so far.
    pub(super) batches: Vec<usize>,
    /// Cells of a coarse table.
    pub(super) coarse_cells: usize,
    /// Cells of a fine table, at most.
    pub(super) fine_cells: usize,
}

impl Plan {
    /// The plan for variables with these numbers of levels, so many records, and a budget in whole units, of which `one` make up an
    /// amount of 1. `pairs` may be chosen. Nothing where the budget is too small for even the single variables.
    pub(super) fn new(
        sizes: &[usize],
        pairs: &[[usize; 2]],
        records: u64,
        budget: u64,
        one: u64,
        noise: NoiseOf,
    ) -> Option<Self> {
        let varying: Vec<usize> = (0..sizes.len()).filter(|&variable| sizes[variable] > 1).collect();
        let amount = |units: f64| units / one as f64;
        let (n, p, all) = (records as f64, varying.len() as f64, budget as f64);
        let mean_size = varying.iter().map(|&variable| sizes[variable] as f64).sum::<f64>() / p.max(1.0);
        let mean_cells =
            pairs.iter().map(|[one, other]| sizes[*one] as f64 * sizes[*other] as f64).sum::<f64>()
                / pairs.len().max(1) as f64;
        let x = mean_size * noise.sd(amount(all / p.max(1.0))) / 2_f64.sqrt() / (0.03 * n);
        let alpha = (0.4 * x.max(0.5)).clamp(0.05, 0.7);
        let for_tables = all * (1.0 - alpha) * (1.0 - CHOICES);
        let room = |k: usize| n / (DEVIATIONS_A_CELL * noise.sd(amount(for_tables / k as f64)));
        let is_enough = |k: usize| {
            let wanted = (20.0 * (k as f64 / p).powf(1.7)).min(mean_cells).max(FEWEST_CELLS);
            // Every price must be a whole unit at least.
            room(k) >= wanted && all * (1.0 - alpha) * CHOICES / k as f64 >= 1.0
        };
        let most = (MOST_CELLS_IN_ALL / FEWEST_MOST_CELLS).min(pairs.len());
        let k = if most > 0 && is_enough(most) {
            most
        } else {
            (1..most).rev().find(|&k| is_enough(k)).unwrap_or(0)
        };
        let is_all = k > 0 && k == pairs.len();
        let alpha = if is_all { x.clamp(ONE_WAYS_BESIDE_ALL.0, ONE_WAYS_BESIDE_ALL.1) } else { alpha };
        let for_one_ways = if k == 0 { budget } else { (all * alpha) as u64 };
        let one_ways = shares(for_one_ways, &varying, |variable| noise.weight(sizes[variable] as f64))?;
        let paid: u64 = one_ways.iter().map(|(_, units)| units).sum();
        let left = budget - paid;
        if k == 0 {
            return Some(Self {
                one_ways,
                choice: 0,
                tables: Vec::new(),
                batches: Vec::new(),
                coarse_cells: 0,
                fine_cells: 0,
            });
        }
        let bound = (MOST_CELLS_IN_ALL / k).max(FEWEST_MOST_CELLS);
        let coarse = |units: f64| (n / (DEVIATIONS_A_CELL * noise.sd(amount(units)))).max(4.0) as usize;
        let largest = pairs.iter().map(|[one, other]| sizes[*one] * sizes[*other]).max().unwrap_or(0);
        let choices = match is_all {
            false => CHOICES,
            // With one resolution of every pair nothing is to be chosen.
            true if largest <= coarse(left as f64 / k as f64).min(bound) => 0.0,
            true => CHOICES_AMONG_ALL,
        };
        let choice = if choices == 0.0 { 0 } else { ((left as f64 * choices) as u64 / k as u64).max(1) };
        let left = left.saturating_sub(choice * k as u64);
        let each = left / k as u64;
        let mut tables = vec![each; k];
        tables[k - 1] += left - each * k as u64;
        if each == 0 {
            return None;
        }
        let coarse_cells = coarse(each as f64);
        let fine_cells = MOST_CELLS.max(coarse_cells).min(bound);
        let batches = batches(k, pairs.len(), varying.len());
        Some(Self { one_ways, choice, tables, batches, coarse_cells: coarse_cells.min(bound), fine_cells })
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> usize {
        self.tables.len()
    }
}

/// Whether Laplace noise by a pure ε would be less than Gaussian noise by this ρ.
///
/// Q questions that share a budget evenly have noise of standard deviation √2 l₁Q/ε in ε and √(l₂²Q/(2ρ)) in ρ: the former is less where Q < ε² l₂²/(4ρ l₁²). Q is the number of single variables and of the pairs
/// that ρ would measure.
pub(super) fn prefers_pure(
    sizes: &[usize],
    records: u64,
    epsilon: f64,
    (rho, one): (u64, u64),
    (l1, l2_squared): (f64, f64),
) -> bool {
    let varying: Vec<usize> = (0..sizes.len()).filter(|&variable| sizes[variable] > 1).collect();
    let mut pairs = Vec::new();
    for (place, first) in varying.iter().enumerate() {
        pairs.extend(varying[place + 1..].iter().map(|second| [*first, *second]));
    }
    let plan = Plan::new(sizes, &pairs, records, rho, one, NoiseOf::Rho { l2_squared });
    let questions = varying.len() + plan.map_or(0, |plan| plan.pairs());
    (questions as f64) < epsilon * epsilon * l2_squared / (4.0 * (rho as f64 / one as f64) * l1 * l1)
}

/// The sizes of batches of `k` choices among `pairs` of so many variables. The first joins all variables; where every pair is measured nothing is to be chosen.
fn batches(k: usize, pairs: usize, variables: usize) -> Vec<usize> {
    let first = if k == pairs { k } else { k.div_ceil(BATCHES).max(variables - 1).min(k) };
    let rest = k - first;
    let further = rest.div_ceil(k.div_ceil(BATCHES));
    let sizes = (0..further).map(|at| rest * (at + 1) / further - rest * at / further);
    std::iter::once(first).chain(sizes).collect()
}

/// Whole units by weight, rounded down, what is left over to the first; nothing where a share would vanish.
fn shares(units: u64, of: &[usize], weight: impl Fn(usize) -> f64) -> Option<Vec<(usize, u64)>> {
    let all: f64 = of.iter().map(|&variable| weight(variable)).sum();
    let share = |variable: &usize| (*variable, (units as f64 * (weight(*variable) / all)) as u64);
    let mut shares: Vec<(usize, u64)> = of.iter().map(share).collect();
    // Rounding of doubles may exceed the whole by some units.
    let mut over = shares.iter().map(|(_, units)| *units).sum::<u64>().saturating_sub(units);
    for (_, share) in &mut shares {
        let less = over.min(*share);
        *share -= less;
        over -= less;
    }
    let rest = units - shares.iter().map(|(_, units)| *units).sum::<u64>();
    if let Some((_, first)) = shares.first_mut() {
        *first += rest;
    }
    shares.iter().all(|(_, units)| *units > 0).then_some(shares)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: u64 = 1 << 40;

    fn all_pairs(p: usize) -> Vec<[usize; 2]> {
        (0..p).flat_map(|one| (one + 1..p).map(move |other| [one, other])).collect()
    }

    proptest! {
        #[test]
        fn a_plan_spends_its_budget_to_the_unit(
            sizes in proptest::collection::vec(1_usize..200, 1..40),
            records in 1_u64..2_000_000,
            budget in (-16.0_f64..7.0).prop_map(f64::exp),
            pure: bool,
        ) {
            let units = (budget * ONE as f64) as u64;
            let noise = if pure { NoiseOf::Epsilon { l1: 1.0 } } else { NoiseOf::Rho { l2_squared: 2.0 } };
            let pairs: Vec<[usize; 2]> =
                all_pairs(sizes.len()).into_iter().filter(|pair| pair.iter().all(|at| sizes[*at] > 1)).collect();
            let plan = Plan::new(&sizes, &pairs, records, units, ONE, noise).unwrap();
            let paid = plan.one_ways.iter().map(|(_, units)| units).sum::<u64>()
                + plan.choice * plan.pairs() as u64
                + plan.tables.iter().sum::<u64>();
            let is_any = sizes.iter().any(|size| *size > 1);
            prop_assert_eq!(paid, if is_any { units } else { 0 });
            prop_assert!(plan.pairs() * plan.fine_cells <= (1 << 25) + 400 * plan.pairs());
        }
    }

    #[test]
    fn batches_hold_all_choices_and_the_first_can_join_all_variables() {
        assert_eq!(batches(91, 91, 14), [91]);
        assert_eq!(batches(44, 91, 14), [13, 10, 10, 11]);
        assert_eq!(batches(10, 91, 14), [10]);
        assert_eq!(batches(175, 595, 35), [44, 43, 44, 44]);
    }

    #[test]
    fn nothing_is_chosen_where_every_pair_has_room() {
        let plan = |rho: f64| {
            Plan::new(
                &[18; 16],
                &all_pairs(16),
                989_818,
                (rho * ONE as f64) as u64,
                ONE,
                NoiseOf::Rho { l2_squared: 1.0 },
            )
            .unwrap()
        };
        let clear = plan(0.015);
        assert_eq!((clear.pairs(), clear.choice, clear.batches.as_slice()), (120, 0, &[120][..]));
        assert!(clear.coarse_cells >= 18 * 18);
        let noisy = plan(1e-5);
        assert!(noisy.choice > 0 && noisy.pairs() < 120);
    }

    #[test]
    fn more_budget_measures_more_pairs() {
        let sizes = vec![10; 14];
        let pairs = |rho: f64| {
            let units = (rho * ONE as f64) as u64;
            Plan::new(&sizes, &all_pairs(14), 48_842, units, ONE, NoiseOf::Rho { l2_squared: 1.0 })
                .unwrap()
                .pairs()
        };
        let found: Vec<usize> = [1e-9, 1.77e-4, 0.015, 1.09, 100.0].map(pairs).into();
        assert!(found.is_sorted() && found[0] == 0 && found[4] == 91 && found[2] > 14, "{found:?}");
    }
}
