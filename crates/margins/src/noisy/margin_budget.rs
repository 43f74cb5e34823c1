//! A list of margins and the budget shared among them.

use crate::error::Error;
use crate::plan::Step;
use crate::questions::{NoisyMargin, Notion, Price, Questions, measured};
use crate::shares::Amount;

/// A margin of more cells than this is refused.
const CELL_LIMIT: usize = 1 << 24;

/// How a budget is shared among margins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Weights {
    /// The same for each.
    #[default]
    Even,
    /// More for margins with more cells c: by c^⅓ under Laplace noise and c^½ under Gaussian noise, which makes
    /// the sum of the variances of all cells least (see [`plan`](crate::plan)).
    ByCells,
    /// In proportion to these numbers, one for each margin in the order given.
    Given(Vec<f64>),
}

/// Margins to be measured, each with its share of the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginBudget {
    levels: Vec<usize>,
    records: u64,
    notion: Notion,
    margins: Vec<(Vec<usize>, Amount)>,
}

/// All pairs of `count` variables, in order; the variable itself where there is only one.
///
/// ```
/// assert_eq!(noisy_margins::all_pairs(3), [vec![0, 1], vec![0, 2], vec![1, 2]]);
/// ```
pub fn all_pairs(count: usize) -> Vec<Vec<usize>> {
    if count == 1 {
        return vec![vec![0]];
    }
    (0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j])).collect()
}

impl MarginBudget {
    /// Shares a budget among margins (ascending lists of variables) of a table of `records` records.
    ///
    /// Variables that no margin names get a margin of their own, after those given and with the least of their
    /// weights: else they would come out even over their classes.
    pub fn new(
        levels: &[usize],
        records: u64,
        margins: &[Vec<usize>],
        weights: &Weights,
        budget: Price,
    ) -> Result<Self, Error> {
        let (notion, amount) = match budget {
            Price::Epsilon(amount) => (Notion::Pure, amount),
            Price::Rho(amount) => (Notion::ZeroConcentrated, amount),
        };
        crate::plan::check_table(levels, records)?;
        let budget = Amount::budget(amount)?;
        let mut wanted: Vec<Vec<usize>> = Vec::with_capacity(margins.len());
        for margin in margins {
            let ascending = margin.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = margin.last().is_some_and(|&last| last < levels.len());
            if !ascending || !inside || wanted.contains(margin) {
                return Err(Error::Margin { variables: margin.clone(), count: levels.len() });
            }
            if cells(levels, margin) > CELL_LIMIT as u128 {
                return Err(Error::MarginTooLarge { variables: margin.clone(), limit: CELL_LIMIT });
            }
            wanted.push(margin.clone());
        }
        let alone =
            (0..levels.len()).filter(|variable| !margins.iter().any(|margin| margin.contains(variable)));
        wanted.extend(alone.map(|variable| vec![variable]));
        let weights = weights.of(levels, &wanted, margins.len(), notion)?;
        let margins = wanted.into_iter().zip(budget.shared(&weights)?).collect();
        Ok(Self { levels: levels.to_vec(), records, notion, margins })
    }

    /// The number of classes of each variable.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Every question with its price.
    pub fn steps(&self) -> Vec<Step> {
        let step = |(variables, amount): &(Vec<usize>, Amount)| Step::Measure {
            variables: variables.clone(),
            price: self.notion.price(amount.value()),
        };
        self.margins.iter().map(step).collect()
    }

    /// Asks for the margins, in order.
    pub fn ask<Q: Questions>(&self, questions: &mut Q) -> Result<Vec<NoisyMargin>, Error<Q::Error>> {
        let answer = |(variables, amount): &(Vec<usize>, Amount)| {
            measured(questions, &self.levels, variables, self.notion.price(amount.value()))
        };
        self.margins.iter().map(answer).collect()
    }
}

impl Weights {
    fn of(
        &self,
        levels: &[usize],
        wanted: &[Vec<usize>],
        given: usize,
        notion: Notion,
    ) -> Result<Vec<f64>, Error> {
        match self {
            Self::Even => Ok(vec![1.0; wanted.len()]),
            Self::ByCells => {
                Ok(wanted.iter().map(|margin| notion.weight(cells(levels, margin) as f64)).collect())
            }
            Self::Given(weights) => {
                let fine = weights.iter().all(|weight| weight.is_finite() && *weight > 0.0);
                if weights.len() != given || !fine {
                    return Err(Error::Weights { margins: given });
                }
                let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
                let rest = if least.is_finite() { least } else { 1.0 };
                let mut all = weights.clone();
                all.resize(wanted.len(), rest);
                Ok(all)
            }
        }
    }
}

fn cells(levels: &[usize], variables: &[usize]) -> u128 {
    variables.iter().fold(1, |cells: u128, &variable| cells.saturating_mul(levels[variable] as u128))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::Simulated;
    use crate::{least_squares, paper};

    const LEVELS: [usize; 4] = [3, 4, 2, 5];

    fn prices(budget: &MarginBudget) -> Vec<f64> {
        budget
            .steps()
            .into_iter()
            .map(|step| match step {
                Step::Measure { price: Price::Epsilon(amount) | Price::Rho(amount), .. } => amount,
                Step::Round { .. } => panic!("no rounds here"),
            })
            .collect()
    }

    #[test]
    fn shares_follow_the_weights_and_add_up() {
        let new = |weights: Weights, price| {
            MarginBudget::new(&LEVELS, 100, &all_pairs(4), &weights, price).unwrap()
        };
        let even = prices(&new(Weights::Even, Price::Epsilon(6.0)));
        assert_eq!(even, [1.0; 6]);
        let by_cells = prices(&new(Weights::ByCells, Price::Epsilon(1.0)));
        // 12 and 6 cells.
        assert!((by_cells[0] / by_cells[1] - 2_f64.cbrt()).abs() < 1e-9);
        assert_eq!(by_cells.iter().sum::<f64>(), 1.0);
        let by_cells = prices(&new(Weights::ByCells, Price::Rho(1.0)));
        assert!((by_cells[0] / by_cells[1] - 2_f64.sqrt()).abs() < 1e-9);
        let given = prices(&new(Weights::Given(vec![1.0, 2.0, 1.0, 1.0, 1.0, 2.0]), Price::Epsilon(1.0)));
        assert!((given[1] - 0.25).abs() < 1e-9);
    }

    #[test]
    fn a_variable_in_no_margin_gets_its_own() {
        let margins = [vec![0, 2]];
        let budget =
            MarginBudget::new(&LEVELS, 100, &margins, &Weights::Given(vec![2.0]), Price::Epsilon(3.0))
                .unwrap();
        let asked: Vec<Vec<usize>> = budget.margins.iter().map(|(variables, _)| variables.clone()).collect();
        assert_eq!(asked, [vec![0, 2], vec![1], vec![3]]);
        assert_eq!(prices(&budget), [1.0; 3]);
    }

    #[test]
    fn margins_and_weights_that_do_not_fit_are_refused() {
        let new = |margins: &[Vec<usize>], weights: Weights| {
            MarginBudget::new(&LEVELS, 100, margins, &weights, Price::Epsilon(1.0)).unwrap_err()
        };
        for wrong in [vec![vec![1, 0]], vec![vec![0, 4]], vec![vec![]], vec![vec![1], vec![1]]] {
            assert!(matches!(new(&wrong, Weights::Even), Error::Margin { count: 4, .. }));
        }
        for wrong in [vec![], vec![1.0, 1.0], vec![0.0], vec![f64::NAN]] {
            assert_eq!(new(&[vec![0, 1]], Weights::Given(wrong)), Error::Weights { margins: 1 });
        }
        let large = MarginBudget::new(&[9000; 2], 100, &[vec![0, 1]], &Weights::Even, Price::Epsilon(1.0));
        assert!(matches!(large, Err(Error::MarginTooLarge { .. })));
    }

    #[test]
    fn both_fits_work_at_any_budget_and_are_close_at_a_large_one() {
        for exponent in -3..=2 {
            let epsilon = 10_f64.powi(exponent);
            for price in [Price::Epsilon(epsilon), Price::Rho(epsilon)] {
                let budget = MarginBudget::new(&LEVELS, 2_000, &all_pairs(4), &Weights::Even, price).unwrap();
                let mut table = Simulated::chain(&LEVELS, 2_000, 4);
                let squares = least_squares::run(&budget, &mut table).unwrap();
                assert!(squares.convergence().converged(), "{price:?}: {:?}", squares.convergence());
                assert!((table.spent - epsilon).abs() < 1e-9);
                let raked = paper::run(&budget, &mut table).unwrap();
                for model in [squares, raked] {
                    assert!((model.margin(&[]).unwrap()[0] - 2_000.0).abs() < 1e-6);
                    if exponent == 2 {
                        assert!(table.distance(&model) < 0.01, "{}", table.distance(&model));
                    }
                }
            }
        }
    }
}
