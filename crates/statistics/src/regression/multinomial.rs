//! Multinomial logistic regression.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::categories::Categories;
use super::design::KeptColumns;
use super::least_squares::{ExactBelow, GLM_TOLERANCE, LeastSquares};
use super::newton::{Likelihood, maximise};
use super::normal_equations::{NormalEquations, weighted_sums};
use super::{Convergence, Design, Iterations, RegressionError, SymmetricMatrix};

/// A fitted multinomial logistic regression: ln P(y = k) / P(y = baseline) = xβₖ.
#[derive(Clone, Debug, PartialEq)]
pub struct MultinomialFit {
    /// The categories that have records, in order. The first is the baseline; one without records has no coefficients and
    /// probability 0.
    pub categories: Vec<u32>,
    /// For each category but the baseline, one coefficient a column; `None` for a column that is aliased with earlier ones.
    pub coefficients: Vec<Vec<Option<f64>>>,
    /// The covariance of the estimated coefficients: those of the second category in column order, then those of the third, ….
    pub covariance: SymmetricMatrix,
    /// For each record, the probability of each of [`categories`](Self::categories).
    pub fitted: Vec<Vec<f64>>,
    /// The log likelihood.
    pub log_likelihood: f64,
    /// The number of records: the sum of the weights.
    pub records: f64,
    /// How the iterations ended.
    pub convergence: Convergence,
}

/// Fits it by Newton's method on the full information matrix: where `nnet::multinom` of R stops near the maximum, this goes
/// on to it. `response` is one code a record; weights are counts.
pub fn multinomial(
    design: &Design,
    response: &[u32],
    weights: Option<&[f64]>,
    iterations: Iterations,
) -> Result<MultinomialFit, RegressionError> {
    let categories = Categories::new(design, response, weights)?;
    let least_squares = LeastSquares::new(design, &categories.counts, GLM_TOLERANCE, ExactBelow(1 << 24));
    let kept = least_squares.kept();
    let model = Multinomial { design, kept, categories: &categories };
    let start = vec![0.0; kept.len() * (categories.len() - 1)];
    let maximum = maximise(&model, start, iterations).ok_or(RegressionError::Overflow)?;
    let coefficients = maximum.parameters.chunks(kept.len().max(1)).map(|of_category| {
        let mut all = vec![None; design.columns()];
        kept.columns.iter().zip(of_category).for_each(|(column, beta)| all[*column] = Some(*beta));
        all
    });
    let mut coefficients: Vec<Vec<Option<f64>>> = coefficients.collect();
    coefficients.resize(categories.len() - 1, vec![None; design.columns()]);
    Ok(MultinomialFit {
        coefficients,
        fitted: probabilities(&model.predictors(&maximum.parameters)),
        covariance: maximum.covariance,
        log_likelihood: maximum.log_likelihood,
        records: categories.counts.iter().sum(),
        convergence: maximum.convergence,
        categories: categories.present,
    })
}

impl MultinomialFit {
    /// The columns that were estimated.
    pub fn estimated(&self) -> Vec<usize> {
        let first = &self.coefficients[0];
        (0..first.len()).filter(|column| first[*column].is_some()).collect()
    }

    /// −2 times the log likelihood.
    pub fn deviance(&self) -> f64 {
        -2.0 * self.log_likelihood
    }

    /// The standard errors, in the shape of the coefficients.
    pub fn standard_errors(&self) -> Vec<Vec<Option<f64>>> {
        let mut errors = self.covariance.root_diagonal().into_iter();
        let of = |coefficient: &Option<f64>, errors: &mut std::vec::IntoIter<f64>| {
            coefficient.and_then(|_| errors.next())
        };
        self.coefficients.iter().map(|all| all.iter().map(|one| of(one, &mut errors)).collect()).collect()
    }

    /// The probabilities of the categories for each row of another design with the same columns.
    pub fn predict(&self, design: &Design) -> Vec<Vec<f64>> {
        let complete = |all: &Vec<Option<f64>>| all.iter().map(|one| one.unwrap_or(0.0)).collect();
        self.predict_with(design, &self.coefficients.iter().map(complete).collect::<Vec<_>>())
    }

    /// The same with other coefficients, such as [drawn](Self::draw) ones.
    pub(crate) fn predict_with(&self, design: &Design, coefficients: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let predictors: Vec<Vec<f64>> =
            coefficients.iter().map(|beta| design.linear_predictor(beta)).collect();
        probabilities(&predictors)
    }

    /// A draw of the coefficients from the normal approximation to their posterior; 0 for aliased columns. `None` where the
    /// covariance is not positive definite.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<Vec<Vec<f64>>> {
        let factor = self.covariance.cholesky()?;
        let noise: Vec<f64> = factor.iter().map(|_| StandardNormal.sample(rng)).collect();
        let mut moves = factor.iter().map(|row| row.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>());
        let mut drawn = Vec::with_capacity(self.coefficients.len());
        for all in &self.coefficients {
            let moved = all.iter().map(|one| one.map_or(0.0, |one| one + moves.next().unwrap_or(0.0)));
            drawn.push(moved.collect());
        }
        Some(drawn)
    }
}

/// Softmax with 0 for the baseline, one list a record.
fn probabilities(predictors: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = predictors.first().map_or(0, Vec::len);
    let of_row = |row: usize| {
        let largest = predictors.iter().fold(0.0_f64, |most, predictor| most.max(predictor[row]));
        let mut odds: Vec<f64> = vec![(-largest).exp()];
        odds.extend(predictors.iter().map(|predictor| (predictor[row] - largest).exp()));
        let total: f64 = odds.iter().sum();
        odds.iter_mut().for_each(|share| *share /= total);
        odds
    };
    (0..rows).map(of_row).collect()
}

pub(super) struct Multinomial<'a> {
    pub(super) design: &'a Design,
    pub(super) kept: &'a KeptColumns,
    pub(super) categories: &'a Categories,
}

impl Multinomial<'_> {
    fn predictors(&self, parameters: &[f64]) -> Vec<Vec<f64>> {
        let size = self.kept.len();
        let of = |category: usize| &parameters[category * size..(category + 1) * size];
        (0..self.categories.len() - 1)
            .map(|category| self.design.linear_predictor(&self.kept.scatter(of(category))))
            .collect()
    }
}

impl Likelihood for Multinomial<'_> {
    fn log_likelihood(&self, parameters: &[f64]) -> f64 {
        let predictors = self.predictors(parameters);
        let Categories { position, counts, .. } = self.categories;
        let of_row = |(row, (position, count)): (usize, (&u32, &f64))| {
            let largest = predictors.iter().fold(0.0_f64, |most, predictor| most.max(predictor[row]));
            let total: f64 = predictors.iter().map(|predictor| (predictor[row] - largest).exp()).sum();
            let own = if *position == 0 { 0.0 } else { predictors[*position as usize - 1][row] };
            count * (own - largest - (total + (-largest).exp()).ln())
        };
        position.iter().zip(counts).enumerate().map(of_row).sum()
    }

    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, SymmetricMatrix) {
        let size = self.kept.len();
        let others = self.categories.len() - 1;
        let fitted = probabilities(&self.predictors(parameters));
        let Categories { position, counts, .. } = self.categories;
        let mut gradient = Vec::with_capacity(size * others);
        let mut blocks: Vec<NormalEquations> = Vec::with_capacity(others * (others + 1) / 2);
        let no_response = vec![0.0; counts.len()];
        for category in 1..=others {
            let residuals: Vec<f64> = position
                .iter()
                .zip(&fitted)
                .map(|(at, fitted)| f64::from(u8::from(*at as usize == category)) - fitted[category])
                .collect();
            gradient.extend(weighted_sums(self.design, self.kept, counts, &residuals));
            for other in category..=others {
                let weight = |(count, fitted): (&f64, &Vec<f64>)| {
                    let own = if category == other { 1.0 } else { 0.0 };
                    count * fitted[category] * (own - fitted[other])
                };
                let weights: Vec<f64> = counts.iter().zip(&fitted).map(weight).collect();
                blocks.push(NormalEquations::accumulate(self.design, self.kept, &weights, &no_response));
            }
        }
        // Blocks are in the order (0,0), (0,1), …, (1,1), …: that of the upper triangle.
        let block = |k: usize, l: usize| &blocks[k * others - k * (k + 1) / 2 + l];
        let information = SymmetricMatrix::from_upper(size * others, |i, j| {
            block(i / size, j / size).get(i % size, j % size)
        });
        (gradient, information)
    }

    fn largest_move(&self, from: &[f64], to: &[f64]) -> f64 {
        let difference: Vec<f64> = from.iter().zip(to).map(|(a, b)| b - a).collect();
        let moves = self.predictors(&difference).into_iter().flatten();
        moves.fold(0.0, |most, by| most.max(by.abs()))
    }
}
