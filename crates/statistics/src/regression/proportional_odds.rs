//! The proportional odds model for ordered categories.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::categories::Categories;
use super::design::KeptColumns;
use super::least_squares::{ExactBelow, GLM_TOLERANCE, LeastSquares};
use super::newton::{Likelihood, maximise};
use super::normal_equations::{NormalEquations, weighted_sums};
use super::{Convergence, Design, Iterations, RegressionError, SymmetricMatrix, Term};

/// A fitted proportional odds model: log odds of y ≤ j are ζⱼ − xβ (McCullagh 1980).
#[derive(Clone, Debug, PartialEq)]
pub struct ProportionalOddsFit {
    /// The categories that have records, in order; one without records has probability 0.
    pub categories: Vec<u32>,
    /// One coefficient a column; `None` for the intercept, whose place the thresholds take, and for aliased columns.
    pub coefficients: Vec<Option<f64>>,
    /// ζ: the thresholds between neighbouring categories, ascending.
    pub thresholds: Vec<f64>,
    /// The covariance of the estimated coefficients, then the thresholds.
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

/// Fits it by Newton's method on β and ζ together, whose log likelihood is concave (Pratt 1981). Signs are those of
/// `MASS::polr` in R: a positive coefficient moves records to higher categories.
///
/// The first term of the design must be the intercept; weights are counts.
pub fn proportional_odds(
    design: &Design,
    response: &[u32],
    weights: Option<&[f64]>,
    iterations: Iterations,
) -> Result<ProportionalOddsFit, RegressionError> {
    if design.terms().first() != Some(&Term::intercept()) {
        let message =
            "a proportional odds model needs an intercept as its first term: its thresholds take that place";
        return Err(RegressionError::Design(message.into()));
    }
    let categories = Categories::new(design, response, weights)?;
    let least_squares = LeastSquares::new(design, &categories.counts, GLM_TOLERANCE, ExactBelow(1 << 24));
    let columns = least_squares.kept().columns.iter().copied().filter(|column| *column != 0).collect();
    let kept = KeptColumns::new(columns, design.columns());
    let model = ProportionalOdds { design, kept: &kept, categories: &categories };
    let mut start = vec![0.0; kept.len()];
    start.extend(marginal_thresholds(&categories));
    let maximum = maximise(&model, start, iterations).ok_or(RegressionError::Overflow)?;
    let (betas, thresholds) = maximum.parameters.split_at(kept.len());
    let mut coefficients = vec![None; design.columns()];
    kept.columns.iter().zip(betas).for_each(|(column, beta)| coefficients[*column] = Some(*beta));
    Ok(ProportionalOddsFit {
        coefficients,
        thresholds: thresholds.to_vec(),
        fitted: probabilities(&design.linear_predictor(&kept.scatter(betas)), thresholds),
        covariance: maximum.covariance,
        log_likelihood: maximum.log_likelihood,
        records: categories.counts.iter().sum(),
        convergence: maximum.convergence,
        categories: categories.present,
    })
}

/// Parameters of a proportional odds model drawn from their posterior.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnOdds {
    /// One coefficient a column, 0 for the intercept and aliased columns.
    pub coefficients: Vec<f64>,
    /// The thresholds, ascending.
    pub thresholds: Vec<f64>,
}

impl ProportionalOddsFit {
    /// −2 times the log likelihood.
    pub fn deviance(&self) -> f64 {
        -2.0 * self.log_likelihood
    }

    /// The standard errors of the coefficients, and of the thresholds.
    pub fn standard_errors(&self) -> (Vec<Option<f64>>, Vec<f64>) {
        let mut errors = self.covariance.root_diagonal().into_iter();
        let of_columns = self.coefficients.iter().map(|one| one.and_then(|_| errors.next())).collect();
        (of_columns, errors.collect())
    }

    /// The probabilities of the categories for each row of another design with the same columns.
    pub fn predict(&self, design: &Design) -> Vec<Vec<f64>> {
        let coefficients = self.coefficients.iter().map(|one| one.unwrap_or(0.0)).collect();
        self.predict_with(design, &DrawnOdds { coefficients, thresholds: self.thresholds.clone() })
    }

    /// The same with other parameters, such as [drawn](Self::draw) ones.
    pub(crate) fn predict_with(&self, design: &Design, parameters: &DrawnOdds) -> Vec<Vec<f64>> {
        probabilities(&design.linear_predictor(&parameters.coefficients), &parameters.thresholds)
    }

    /// A draw of the parameters from the normal approximation to their posterior, again where thresholds come out of order.
    /// `None` where the covariance is not positive definite, or a hundred draws had no order.
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<DrawnOdds> {
        let factor = self.covariance.cholesky()?;
        for _ in 0..100 {
            let noise: Vec<f64> = factor.iter().map(|_| StandardNormal.sample(rng)).collect();
            let mut moves = factor.iter().map(|row| row.iter().zip(&noise).map(|(a, b)| a * b).sum::<f64>());
            let mut next = || moves.next().unwrap_or(0.0);
            let coefficients =
                self.coefficients.iter().map(|one| one.map_or(0.0, |one| one + next())).collect();
            let thresholds: Vec<f64> = self.thresholds.iter().map(|zeta| zeta + next()).collect();
            if thresholds.windows(2).all(|pair| pair[0] < pair[1]) {
                return Some(DrawnOdds { coefficients, thresholds });
            }
        }
        None
    }
}

/// The thresholds without predictors: log odds of the cumulative shares.
fn marginal_thresholds(categories: &Categories) -> Vec<f64> {
    let frequencies = categories.frequencies();
    let total: f64 = frequencies.iter().sum();
    let mut below = 0.0;
    let cumulated = frequencies[..frequencies.len() - 1].iter().map(|frequency| {
        below += frequency;
        (below / (total - below)).ln()
    });
    cumulated.collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// F(high) − F(low) of the logistic distribution, without loss in the upper tail.
fn between(low: f64, high: f64) -> f64 {
    if low > 0.0 { logistic(-low) - logistic(-high) } else { logistic(high) - logistic(low) }
}

fn limits(category: usize, thresholds: &[f64], predictor: f64) -> (f64, f64) {
    let low = category.checked_sub(1).map_or(f64::NEG_INFINITY, |below| thresholds[below] - predictor);
    let high = thresholds.get(category).map_or(f64::INFINITY, |above| above - predictor);
    (low, high)
}

fn probabilities(predictor: &[f64], thresholds: &[f64]) -> Vec<Vec<f64>> {
    let of_row = |predictor: &f64| {
        let of_category = |category| {
            let (low, high) = limits(category, thresholds, *predictor);
            between(low, high)
        };
        (0..=thresholds.len()).map(of_category).collect()
    };
    predictor.iter().map(of_row).collect()
}

pub(super) struct ProportionalOdds<'a> {
    pub(super) design: &'a Design,
    pub(super) kept: &'a KeptColumns,
    pub(super) categories: &'a Categories,
}

impl ProportionalOdds<'_> {
    fn predictor(&self, parameters: &[f64]) -> Vec<f64> {
        self.design.linear_predictor(&self.kept.scatter(&parameters[..self.kept.len()]))
    }
}

/// Derivatives of ln(F(a) − F(b)) by a and b.
struct Slopes {
    by_high: f64,
    by_low: f64,
    by_high_twice: f64,
    by_low_twice: f64,
    by_both: f64,
}

impl Slopes {
    fn new(low: f64, high: f64) -> Self {
        let probability = between(low, high);
        // f = F(1 − F) and f′ = f(1 − 2F), both 0 at ±∞.
        let density = |x: f64| logistic(x) * logistic(-x);
        let slope = |x: f64| density(x) * (1.0 - 2.0 * logistic(x));
        let (of_high, of_low) = (density(high) / probability, density(low) / probability);
        Self {
            by_high: of_high,
            by_low: -of_low,
            by_high_twice: slope(high) / probability - of_high * of_high,
            by_low_twice: -slope(low) / probability - of_low * of_low,
            by_both: of_high * of_low,
        }
    }
}

impl Likelihood for ProportionalOdds<'_> {
    fn log_likelihood(&self, parameters: &[f64]) -> f64 {
        let thresholds = &parameters[self.kept.len()..];
        if thresholds.windows(2).any(|pair| pair[0] >= pair[1]) {
            return f64::NEG_INFINITY;
        }
        let predictor = self.predictor(parameters);
        let Categories { position, counts, .. } = self.categories;
        let rows = predictor.iter().zip(position.iter().zip(counts)).filter(|(_, (_, count))| **count > 0.0);
        let of_row = |(predictor, (category, count)): (&f64, (&u32, &f64))| {
            let (low, high) = limits(*category as usize, thresholds, *predictor);
            count * between(low, high).ln()
        };
        rows.map(of_row).sum()
    }

    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, SymmetricMatrix) {
        let (size, cuts) = (self.kept.len(), self.categories.len() - 1);
        let thresholds = &parameters[size..];
        let predictor = self.predictor(parameters);
        let Categories { position, counts, .. } = self.categories;
        let slopes: Vec<Slopes> = predictor
            .iter()
            .zip(position)
            .map(|(predictor, category)| {
                let (low, high) = limits(*category as usize, thresholds, *predictor);
                Slopes::new(low, high)
            })
            .collect();
        let by_predictor: Vec<f64> = slopes.iter().map(|slopes| -slopes.by_high - slopes.by_low).collect();
        let mut gradient = weighted_sums(self.design, self.kept, counts, &by_predictor);
        gradient.resize(size + cuts, 0.0);
        let mut of_cuts = vec![vec![0.0; cuts]; cuts];
        let mut crossed: Vec<Vec<f64>> = vec![vec![0.0; counts.len()]; cuts];
        for (row, ((slopes, category), count)) in slopes.iter().zip(position).zip(counts).enumerate() {
            let (above, below) = (*category as usize, (*category as usize).checked_sub(1));
            if above < cuts {
                gradient[size + above] += count * slopes.by_high;
                of_cuts[above][above] -= count * slopes.by_high_twice;
                crossed[above][row] = slopes.by_high_twice + slopes.by_both;
            }
            if let Some(below) = below {
                gradient[size + below] += count * slopes.by_low;
                of_cuts[below][below] -= count * slopes.by_low_twice;
                crossed[below][row] = slopes.by_low_twice + slopes.by_both;
                if above < cuts {
                    of_cuts[below][above] -= count * slopes.by_both;
                }
            }
        }
        let curvature = |(slopes, count): (&Slopes, &f64)| {
            -count * (slopes.by_high_twice + 2.0 * slopes.by_both + slopes.by_low_twice)
        };
        let weights: Vec<f64> = slopes.iter().zip(counts).map(curvature).collect();
        let of_columns = NormalEquations::accumulate(self.design, self.kept, &weights, &by_predictor);
        let crossed: Vec<Vec<f64>> =
            crossed.iter().map(|of_cut| weighted_sums(self.design, self.kept, counts, of_cut)).collect();
        let information = SymmetricMatrix::from_upper(size + cuts, |i, j| match (i < size, j < size) {
            (true, true) => of_columns.get(i, j),
            (true, false) => crossed[j - size][i],
            _ => of_cuts[i - size][j - size],
        });
        (gradient, information)
    }

    fn largest_move(&self, from: &[f64], to: &[f64]) -> f64 {
        let thresholds = from[self.kept.len()..].iter().zip(&to[self.kept.len()..]);
        let of_thresholds = thresholds.fold(0.0_f64, |most, (a, b)| most.max((b - a).abs()));
        let difference: Vec<f64> = from.iter().zip(to).map(|(a, b)| b - a).collect();
        self.predictor(&difference).iter().fold(of_thresholds, |most, by| most.max(by.abs()))
    }
}
