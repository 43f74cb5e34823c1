//! The response of models for categories: one code a record, and which categories occur.

use super::{Design, RegressionError, checked_weights};

/// Categories that have records, in order, and each record's position among them.
#[derive(Debug)]
pub(super) struct Categories {
    pub(super) present: Vec<u32>,
    pub(super) position: Vec<u32>,
    pub(super) counts: Vec<f64>,
}

impl Categories {
    pub(super) fn new(
        design: &Design,
        response: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<Self, RegressionError> {
        let as_numbers: Vec<f64> = response.iter().map(|code| f64::from(*code)).collect();
        let counts = checked_weights(design, &as_numbers, weights)?;
        let used = response.iter().zip(&counts).filter(|(_, count)| **count > 0.0).map(|(code, _)| *code);
        let mut present: Vec<u32> = used.collect();
        present.sort_unstable();
        present.dedup();
        if present.len() < 2 {
            return Err(RegressionError::Response { wanted: "of at least two categories that have records" });
        }
        // A record without weight may be of an absent category; wherever it is put, it counts for nothing.
        let position = response.iter().map(|code| present.binary_search(code).unwrap_or(0) as u32).collect();
        Ok(Self { present, position, counts })
    }

    pub(super) fn len(&self) -> usize {
        self.present.len()
    }

    /// The records of each category.
    pub(super) fn frequencies(&self) -> Vec<f64> {
        let mut frequencies = vec![0.0; self.len()];
        self.position.iter().zip(&self.counts).for_each(|(at, count)| frequencies[*at as usize] += count);
        frequencies
    }
}
