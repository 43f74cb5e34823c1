//! A least-squares fit that takes in one measurement after the other.
//!
//! The model is that of [`least_squares`](super::least_squares). Measurements of one margin are averaged by the inverse of their variances, and every fit starts where the last one
//! ended.

use crate::FittedModel;
use crate::error::Error;
use crate::junction_tree::JunctionTree;
use crate::noisy::least_squares::EVENNESS;
use crate::noisy::measurement::Measurement;
use crate::penalised::{self, PenalisedOptions, Term};

/// Steps of a fit, and how near it must come: fits in between need not be exact.
const STEPS: usize = 300;
const TOLERANCE: f64 = 1e-5;

/// A fit that grows.
#[derive(Clone, Debug)]
pub struct GrowingFit {
    sizes: Vec<usize>,
    records: f64,
    terms: Vec<Term>,
    /// The variance of the target of each term.
    variances: Vec<f64>,
}

impl GrowingFit {
    /// Nothing measured yet of a domain with these `sizes`.
    pub fn new(sizes: &[usize], records: f64) -> Self {
        Self { sizes: sizes.to_vec(), records, terms: Vec::new(), variances: Vec::new() }
    }

    /// How many cells the junction tree has with this margin too.
    pub fn cells_with(&self, attributes: &[usize]) -> u128 {
        let sets = self.terms.iter().map(|term| term.attributes.as_slice());
        JunctionTree::new(&self.sizes, sets.chain([attributes])).cells()
    }

    /// Takes in a measurement.
    pub fn add(&mut self, measured: &Measurement) {
        let variance = measured.noise.variance();
        let counts = measured.counts.iter().map(|count| *count as f64);
        let known = self.terms.iter().position(|term| term.attributes == measured.attributes);
        let at = known.unwrap_or_else(|| {
            let none = vec![0.0; measured.counts.len()];
            self.terms.push(Term::new(measured.attributes.clone(), none.clone(), none));
            self.variances.push(f64::INFINITY);
            self.terms.len() - 1
        });
        let (term, old) = (&mut self.terms[at], self.variances[at]);
        let weight = if old.is_finite() { old / (old + variance) } else { 1.0 };
        term.target.iter_mut().zip(counts).for_each(|(target, count)| *target += weight * (count - *target));
        self.variances[at] = weight * variance;
        term.penalty.fill(EVENNESS * self.variances[at]);
    }

    /// The fit to all that was taken in.
    pub fn fit(&mut self) -> Result<FittedModel, Error> {
        let options =
            PenalisedOptions { tolerance: TOLERANCE, max_iterations: STEPS, ..PenalisedOptions::default() };
        let fit = penalised::fit(&self.sizes, self.records, &self.terms, &options)?;
        self.terms.iter_mut().zip(fit.parameters).for_each(|(term, found)| term.start = found);
        Ok(fit.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noisy::Noise;
    use crate::noisy::least_squares;

    fn measured(attributes: &[usize], counts: &[i64], sigma: f64) -> Measurement {
        Measurement {
            attributes: attributes.to_vec(),
            counts: counts.to_vec(),
            noise: Noise::Gaussian { sigma },
        }
    }

    #[test]
    fn it_ends_where_a_fit_to_everything_does() {
        let all = [
            measured(&[0], &[60, 45], 2.0),
            measured(&[1], &[30, 40, 32], 2.0),
            measured(&[0, 1], &[25, 20, 14, 6, 22, 17], 3.0),
            measured(&[1, 2], &[20, 11, 30, 12, 9, 21], 3.0),
        ];
        let mut growing = GrowingFit::new(&[2, 3, 2], 100.0);
        let mut last = None;
        for one in &all {
            growing.add(one);
            last = growing.fit().ok();
        }
        let together = least_squares::fit(&[2, 3, 2], 100.0, &all).unwrap();
        let (one, other) = (last.unwrap().margin(&[0, 2]).unwrap(), together.margin(&[0, 2]).unwrap());
        assert!(one.iter().zip(&other).all(|(one, other)| (one - other).abs() < 0.05), "{one:?} {other:?}");
        assert_eq!(growing.cells_with(&[0]), 6 + 6);
        assert_eq!(growing.cells_with(&[0, 2]), 12);
    }

    #[test]
    fn a_margin_that_is_measured_twice_is_averaged_by_precision() {
        let mut growing = GrowingFit::new(&[2], 100.0);
        growing.add(&measured(&[0], &[80, 20], 2.0));
        growing.add(&measured(&[0], &[60, 40], 1.0));
        // Precisions ¼ and 1: (20 + 60) / 1.25 = 64.
        assert!((growing.terms[0].target[0] - 64.0).abs() < 1e-9 && growing.terms.len() == 1);
        assert!((growing.variances[0] - 0.8).abs() < 1e-12);
        let share = growing.fit().unwrap().margin(&[0]).unwrap()[0];
        assert!((share - 64.0).abs() < 0.5, "{share}");
    }
}
