//! A list of margins and the budget shared among them.

use crate::attributes::cells;
use crate::error::Error;
use crate::noisy::measurement::{Measurement, MeasurementError, Notion, Price, ProtectedTable, measured};
use crate::noisy::plan::MeasurementStep;
use crate::noisy::shares::Amount;

/// A margin of more cells than this is refused.
const CELL_LIMIT: usize = 1 << 24;

/// How a budget is shared among margins.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum BudgetSharing {
    /// The same for each.
    #[default]
    Even,
    /// More for margins with more cells c: by c^⅓ under Laplace noise and c^½ under Gaussian noise, which makes
    /// the sum of the variances of all cells least (see [`plan`](crate::noisy::plan)).
    ByCells,
    /// In proportion to these numbers, one for each margin in the order given.
    Given(Vec<f64>),
}

/// Margins to be measured, each with its share of the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct MarginBudget {
    sizes: Vec<usize>,
    records: u64,
    notion: Notion,
    margins: Vec<(Vec<usize>, Amount)>,
}

/// All pairs of `count` variables, in order; the variable itself where there is only one.
///
/// ```
/// assert_eq!(margins::noisy::all_pairs(3), [vec![0, 1], vec![0, 2], vec![1, 2]]);
/// ```
pub fn all_pairs(count: usize) -> Vec<Vec<usize>> {
    if count == 1 {
        return vec![vec![0]];
    }
    (0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j])).collect()
}

impl MarginBudget {
    /// Shares a budget among margins (by their attributes) of a table of `records` records.
    ///
    /// Variables that no margin names get a margin of their own, after those given and with the least of their
    /// weights: else they would come out even over their classes.
    pub fn new(
        sizes: &[usize],
        records: u64,
        margins: &[Vec<usize>],
        sharing: &BudgetSharing,
        budget: Price,
    ) -> Result<Self, Error> {
        let (notion, amount) = match budget {
            Price::Epsilon(amount) => (Notion::Pure, amount),
            Price::Rho(amount) => (Notion::ZeroConcentrated, amount),
        };
        crate::noisy::plan::check_table(sizes, records)?;
        let budget = Amount::budget(amount)?;
        let mut wanted: Vec<Vec<usize>> = Vec::with_capacity(margins.len());
        for margin in margins {
            let ascending = margin.windows(2).all(|pair| pair[0] < pair[1]);
            let inside = margin.last().is_some_and(|&last| last < sizes.len());
            if !ascending || !inside || wanted.contains(margin) {
                return Err(Error::Measurement { attributes: margin.clone(), count: sizes.len() });
            }
            if cells(sizes, margin) > CELL_LIMIT as u128 {
                return Err(Error::MeasurementTooLarge { attributes: margin.clone(), limit: CELL_LIMIT });
            }
            wanted.push(margin.clone());
        }
        let alone =
            (0..sizes.len()).filter(|variable| !margins.iter().any(|margin| margin.contains(variable)));
        wanted.extend(alone.map(|variable| vec![variable]));
        let weights = sharing.weights(sizes, &wanted, margins.len(), notion)?;
        let margins = wanted.into_iter().zip(budget.shared(&weights)?).collect();
        Ok(Self { sizes: sizes.to_vec(), records, notion, margins })
    }

    /// The number of classes of each variable.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The variables of each margin.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &[usize]> {
        self.margins.iter().map(|(attributes, _)| attributes.as_slice())
    }

    /// The number of records.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Every measurement with its price.
    pub fn steps(&self) -> Vec<MeasurementStep> {
        let step = |(attributes, amount): &(Vec<usize>, Amount)| MeasurementStep::Measure {
            attributes: attributes.clone(),
            price: self.notion.price(amount.value()),
        };
        self.margins.iter().map(step).collect()
    }

    /// Measures the margins, in order.
    pub(crate) fn measure<T: ProtectedTable>(
        &self,
        table: &mut T,
    ) -> Result<Vec<Measurement>, MeasurementError<T::Error>> {
        let measurement = |(attributes, amount): &(Vec<usize>, Amount)| {
            measured(table, &self.sizes, attributes, self.notion.price(amount.value()))
        };
        self.margins.iter().map(measurement).collect()
    }
}

impl BudgetSharing {
    fn weights(
        &self,
        sizes: &[usize],
        wanted: &[Vec<usize>],
        given: usize,
        notion: Notion,
    ) -> Result<Vec<f64>, Error> {
        match self {
            Self::Even => Ok(vec![1.0; wanted.len()]),
            Self::ByCells => {
                Ok(wanted.iter().map(|margin| notion.weight(cells(sizes, margin) as f64)).collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noisy::simulated::Simulated;
    use crate::noisy::{least_squares, paper};

    const SIZES: [usize; 4] = [3, 4, 2, 5];

    fn prices(budget: &MarginBudget) -> Vec<f64> {
        budget
            .steps()
            .into_iter()
            .map(|step| match step {
                MeasurementStep::Measure { price: Price::Epsilon(amount) | Price::Rho(amount), .. } => amount,
                MeasurementStep::Round { .. } => panic!("no rounds here"),
            })
            .collect()
    }

    #[test]
    fn shares_follow_the_weights_and_add_up() {
        let new = |weights: BudgetSharing, price| {
            MarginBudget::new(&SIZES, 100, &all_pairs(4), &weights, price).unwrap()
        };
        let even = prices(&new(BudgetSharing::Even, Price::Epsilon(6.0)));
        assert_eq!(even, [1.0; 6]);
        let by_cells = prices(&new(BudgetSharing::ByCells, Price::Epsilon(1.0)));
        // 12 and 6 cells.
        assert!((by_cells[0] / by_cells[1] - 2_f64.cbrt()).abs() < 1e-9);
        assert_eq!(by_cells.iter().sum::<f64>(), 1.0);
        let by_cells = prices(&new(BudgetSharing::ByCells, Price::Rho(1.0)));
        assert!((by_cells[0] / by_cells[1] - 2_f64.sqrt()).abs() < 1e-9);
        let given =
            prices(&new(BudgetSharing::Given(vec![1.0, 2.0, 1.0, 1.0, 1.0, 2.0]), Price::Epsilon(1.0)));
        assert!((given[1] - 0.25).abs() < 1e-9);
    }

    #[test]
    fn a_variable_in_no_margin_gets_its_own() {
        let margins = [vec![0, 2]];
        let budget =
            MarginBudget::new(&SIZES, 100, &margins, &BudgetSharing::Given(vec![2.0]), Price::Epsilon(3.0))
                .unwrap();
        let asked: Vec<Vec<usize>> =
            budget.margins.iter().map(|(attributes, _)| attributes.clone()).collect();
        assert_eq!(asked, [vec![0, 2], vec![1], vec![3]]);
        assert_eq!(prices(&budget), [1.0; 3]);
    }

    #[test]
    fn margins_and_weights_that_do_not_fit_are_refused() {
        let new = |margins: &[Vec<usize>], weights: BudgetSharing| {
            MarginBudget::new(&SIZES, 100, margins, &weights, Price::Epsilon(1.0)).unwrap_err()
        };
        for wrong in [vec![vec![1, 0]], vec![vec![0, 4]], vec![vec![]], vec![vec![1], vec![1]]] {
            assert!(matches!(new(&wrong, BudgetSharing::Even), Error::Measurement { count: 4, .. }));
        }
        for wrong in [vec![], vec![1.0, 1.0], vec![0.0], vec![f64::NAN]] {
            assert_eq!(new(&[vec![0, 1]], BudgetSharing::Given(wrong)), Error::Weights { margins: 1 });
        }
        let large =
            MarginBudget::new(&[9000; 2], 100, &[vec![0, 1]], &BudgetSharing::Even, Price::Epsilon(1.0));
        assert!(matches!(large, Err(Error::MeasurementTooLarge { .. })));
    }

    #[test]
    fn both_fits_work_at_any_budget_and_are_close_at_a_large_one() {
        for exponent in -3..=2 {
            let epsilon = 10_f64.powi(exponent);
            for price in [Price::Epsilon(epsilon), Price::Rho(epsilon)] {
                let budget =
                    MarginBudget::new(&SIZES, 2_000, &all_pairs(4), &BudgetSharing::Even, price).unwrap();
                let mut table = Simulated::chain(&SIZES, 2_000, 4);
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
