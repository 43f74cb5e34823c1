//! Models of one variable, trained on two files and tested on a third.

use statistics::regression::{Design, Factor, Iterations, Term, linear, logistic};
use statistics::trees::{Forest, ForestOptions, Predictor, Response, TreeError};

use super::{MOST_LEVELS, TREES};
use crate::MeasureError;
use crate::mixed_records::{MixedFile, MixedVariable, random};
use crate::utility::propensity::PropensityScores;

/// The files and their records as predictors.
pub(super) struct Split<'a> {
    variables: &'a [MixedVariable],
    /// Trained on: original and synthetic records. Tested on: the last.
    files: [&'a MixedFile; 3],
    predictors: [Vec<Predictor>; 3],
}

/// What models of one kind reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    /// What it is: `auc`, `accuracy` or `r2`.
    pub kind: &'static str,
    /// Trained on synthetic records.
    pub synthetic: f64,
    /// Trained on original records.
    pub real: f64,
    /// Of a guess.
    pub guess: f64,
}

/// The variable that is predicted, where it is known.
struct Target {
    /// For each file the records in which it is known, and its values there.
    rows: [Vec<u32>; 3],
    values: [Vec<f64>; 3],
    kind: TargetKind,
}

#[derive(Clone, Copy, PartialEq)]
enum TargetKind {
    Number,
    /// The codes of two classes.
    Two(f64, f64),
    /// Classes, as codes below this.
    More(u32),
}

const FEW: &str = "fewer than ten records have a value to train or to test with";
const ONE: &str = "all records that are tested have the same value";
const MORE: &str = "regressions are fitted to numbers and to two classes";
const SINGULAR: &str = "the regression cannot be fitted";

impl<'a> Split<'a> {
    pub fn new(variables: &'a [MixedVariable], files: [&'a MixedFile; 3]) -> Result<Self, MeasureError> {
        let mut predictors = [Vec::new(), Vec::new(), Vec::new()];
        for (position, variable) in variables.iter().enumerate() {
            let pooled: Vec<f64> =
                files.iter().flat_map(|file| file.values[position].iter().copied()).collect();
            let coded = if variable.is_number {
                let marks: Vec<u8> =
                    files.iter().flat_map(|file| file.marks[position].iter().copied()).collect();
                Predictor::numeric(&pooled, Some(&marks))?
            } else {
                let codes: Vec<u32> = pooled.iter().map(|code| *code as u32).collect();
                Predictor::categorical(&codes, variable.levels)?
            };
            let mut first = 0;
            for (file, own) in files.iter().zip(&mut predictors) {
                let rows: Vec<u32> = (first..first + file.records as u32).collect();
                own.push(coded.take(&rows));
                first += file.records as u32;
            }
        }
        Ok(Self { variables, files, predictors })
    }

    /// What a forest and a regression reach, or why there is none.
    pub fn scores(&self, target: usize, seed: u64) -> Result<[Result<Score, &'static str>; 2], MeasureError> {
        let of = match self.target(target) {
            Ok(of) => of,
            Err(because) => return Ok([Err(because); 2]),
        };
        let forest = |file: usize| self.forest(target, &of, file, seed);
        let forest = of.score([forest(0)?, forest(1)?]);
        let regression = match of.kind {
            TargetKind::More(_) => Err(MORE),
            _ => match (self.regression(target, &of, 0), self.regression(target, &of, 1)) {
                (Some(real), Some(synthetic)) => Ok(of.score([vec![real], vec![synthetic]])),
                _ => Err(SINGULAR),
            },
        };
        Ok([Ok(forest), regression])
    }

    fn target(&self, target: usize) -> Result<Target, &'static str> {
        let variable = &self.variables[target];
        let rows = self.files.map(|file| {
            let known = |row: &u32| {
                let value = file.values[target][*row as usize];
                !value.is_nan()
                    && (variable.is_number || variable.missing.is_none_or(|code| value != f64::from(code)))
            };
            (0..file.records as u32).filter(known).collect::<Vec<u32>>()
        });
        if rows.iter().any(|rows| rows.len() < 10) {
            return Err(FEW);
        }
        let values: [Vec<f64>; 3] = std::array::from_fn(|file| {
            rows[file].iter().map(|row| self.files[file].values[target][*row as usize]).collect()
        });
        if values[2].iter().all(|value| *value == values[2][0]) {
            return Err(ONE);
        }
        let kind = if variable.is_number {
            TargetKind::Number
        } else {
            let mut classes: Vec<f64> = values.iter().flatten().copied().collect();
            classes.sort_unstable_by(f64::total_cmp);
            classes.dedup();
            match classes[..] {
                [one, other] => TargetKind::Two(one, other),
                _ => TargetKind::More(variable.levels),
            }
        };
        Ok(Target { rows, values, kind })
    }

    /// For each class (the second of two alone, or the number itself) the prediction for each tested record.
    fn forest(&self, target: usize, of: &Target, file: usize, seed: u64) -> Result<Vec<Vec<f64>>, TreeError> {
        let columns = |file: usize| -> Vec<Predictor> {
            let others = self.predictors[file].iter().enumerate().filter(|(position, _)| *position != target);
            others.map(|(_, predictor)| predictor.take(&of.rows[file])).collect()
        };
        let (train, test) = (columns(file), columns(2));
        let (train, test): (Vec<&Predictor>, Vec<&Predictor>) =
            (train.iter().collect(), test.iter().collect());
        let codes: Vec<u32> = of.values[file].iter().map(|value| *value as u32).collect();
        let response = match of.kind {
            TargetKind::Number => Response::Numeric(&of.values[file]),
            _ => Response::Classes { codes: &codes, levels: self.variables[target].levels },
        };
        let per_split = Forest::usual_predictors_per_split(train.len(), &response);
        let options =
            ForestOptions { trees: TREES, predictors_per_split: Some(per_split), ..ForestOptions::default() };
        let mut rng = random(seed, 50 + target as u64);
        let forest = Forest::fit(&train, &response, None, &options, &mut rng)?;
        let tested = of.rows[2].len();
        let classes: Vec<u32> = match of.kind {
            TargetKind::Number => vec![0],
            TargetKind::Two(_, second) => vec![second as u32],
            TargetKind::More(levels) => (0..levels).collect(),
        };
        let mut sums = vec![vec![0.0; tested]; classes.len()];
        for tree in forest.trees() {
            let leaves = tree.route(&test, 0..tested)?;
            for (class, sums) in classes.iter().zip(&mut sums) {
                let of_leaf = |leaf: u32| match of.kind {
                    TargetKind::Number => tree.mean(leaf).unwrap_or_default(),
                    _ => tree.share(leaf, *class).unwrap_or_default(),
                };
                let of_leaves: Vec<f64> = (0..tree.leaves() as u32).map(of_leaf).collect();
                sums.iter_mut().zip(&leaves).for_each(|(sum, leaf)| {
                    *sum += of_leaves[*leaf as usize] / TREES as f64;
                });
            }
        }
        Ok(sums)
    }

    /// The prediction for each tested record; `None` if the regression cannot be fitted.
    fn regression(&self, target: usize, of: &Target, file: usize) -> Option<Vec<f64>> {
        let (train, test) = (self.design(target, of, file)?, self.design(target, of, 2)?);
        let fit = match of.kind {
            TargetKind::Two(_, second) => {
                let response: Vec<f64> =
                    of.values[file].iter().map(|value| f64::from(u8::from(*value == second))).collect();
                logistic(&train, &response, None, Iterations::default()).ok()?
            }
            _ => linear(&train, &of.values[file], None).ok()?,
        };
        Some(fit.predict(&test))
    }

    /// The main effects of all other variables. A number is 0 where there is none, with an indicator beside it.
    fn design(&self, target: usize, of: &Target, file: usize) -> Option<Design> {
        let (mut factors, mut numbers, mut terms) = (Vec::new(), Vec::new(), vec![Term::intercept()]);
        let rows = &of.rows[file];
        for (position, variable) in
            self.variables.iter().enumerate().filter(|(position, _)| *position != target)
        {
            let values = rows.iter().map(|row| self.files[file].values[position][*row as usize]);
            if variable.is_number {
                let any_missing =
                    self.files.iter().any(|file| file.marks[position].iter().any(|mark| *mark > 0));
                if any_missing {
                    terms.push(Term::number(numbers.len()));
                    numbers.push(values.clone().map(|value| f64::from(u8::from(value.is_nan()))).collect());
                }
                terms.push(Term::number(numbers.len()));
                numbers.push(values.map(|value| if value.is_nan() { 0.0 } else { value }).collect());
            } else if variable.levels <= MOST_LEVELS {
                terms.push(Term::factor(factors.len()));
                factors.push(Factor {
                    codes: values.map(|code| code as u32).collect(),
                    levels: variable.levels,
                });
            }
        }
        Design::new(rows.len(), factors, numbers, terms).ok()
    }
}

impl Target {
    /// The score of the predictions of a model of original and of one of synthetic records.
    fn score(&self, [real, synthetic]: [Vec<Vec<f64>>; 2]) -> Score {
        let truth = &self.values[2];
        let (kind, guess) = match self.kind {
            TargetKind::Number => ("r2", 0.0),
            TargetKind::Two(..) => ("auc", 0.5),
            TargetKind::More(levels) => {
                let count = |values: &[f64], class: u32| {
                    values.iter().filter(|value| **value == f64::from(class)).count()
                };
                let usual = (0..levels).max_by_key(|class| count(&self.values[0], *class)).unwrap_or(0);
                ("accuracy", count(truth, usual) as f64 / truth.len() as f64)
            }
        };
        let score = |predicted: &[Vec<f64>]| match self.kind {
            TargetKind::Number => r_squared(truth, &predicted[0]),
            TargetKind::Two(_, second) => area(truth, &predicted[0], second),
            TargetKind::More(_) => accuracy(truth, predicted),
        };
        Score { kind, guess, synthetic: score(&synthetic), real: score(&real) }
    }
}

fn r_squared(truth: &[f64], predicted: &[f64]) -> f64 {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let error: f64 = truth.iter().zip(predicted).map(|(own, predicted)| (own - predicted).powi(2)).sum();
    1.0 - error / truth.iter().map(|own| (own - mean).powi(2)).sum::<f64>()
}

fn area(truth: &[f64], predicted: &[f64], second: f64) -> f64 {
    let labels = truth.iter().map(|own| *own == second).collect();
    PropensityScores::new(predicted.to_vec(), labels).map_or(0.5, |scores| scores.summary().auc)
}

fn accuracy(truth: &[f64], predicted: &[Vec<f64>]) -> f64 {
    let right = truth.iter().enumerate().filter(|(row, own)| {
        let best = (0..predicted.len())
            .max_by(|one, other| predicted[*one][*row].total_cmp(&predicted[*other][*row]));
        best.is_some_and(|best| best as f64 == **own)
    });
    right.count() as f64 / truth.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_hand() {
        assert!((r_squared(&[1.0, 2.0, 3.0], &[1.0, 2.0, 2.0]) - 0.5).abs() < 1e-12);
        assert!((area(&[0.0, 0.0, 1.0, 1.0], &[0.1, 0.4, 0.4, 0.9], 1.0) - 0.875).abs() < 1e-12);
        let shares = [vec![0.5, 0.2, 0.1], vec![0.3, 0.5, 0.2], vec![0.2, 0.3, 0.7]];
        assert!((accuracy(&[0.0, 2.0, 2.0], &shares) - 2.0 / 3.0).abs() < 1e-12);
    }
}
