//! All weights of a net in one array, and where each tensor lies in it.

use std::ops::Range;

use rand::{Rng, RngExt};

use crate::Real;

/// A linear layer y = x W + b: W row by row, one row an input, then b.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    pub inputs: usize,
    pub outputs: usize,
    start: usize,
}

impl Linear {
    /// The layer behind `start` other weights.
    pub(crate) fn after(start: &mut usize, inputs: usize, outputs: usize) -> Self {
        let layer = Self { inputs, outputs, start: *start };
        *start += (inputs + 1) * outputs;
        layer
    }

    pub(crate) fn weight_range(&self) -> Range<usize> {
        self.start..self.start + self.inputs * self.outputs
    }

    pub(crate) fn bias_range(&self) -> Range<usize> {
        let start = self.start + self.inputs * self.outputs;
        start..start + self.outputs
    }

    pub(crate) fn weights<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        &all[self.weight_range()]
    }

    pub(crate) fn bias<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        &all[self.bias_range()]
    }

    /// W and b, to be changed.
    pub(crate) fn parts<'a, T>(&self, all: &'a mut [T]) -> (&'a mut [T], &'a mut [T]) {
        all[self.start..self.bias_range().end].split_at_mut(self.inputs * self.outputs)
    }

    /// Even between ∓ 1/√inputs, weights and bias (as in PyTorch).
    pub(crate) fn initialise<T: Real>(&self, all: &mut [T], rng: &mut impl Rng) {
        let reach = 1.0 / (self.inputs as f64).sqrt();
        for value in &mut all[self.start..self.bias_range().end] {
            *value = T::of((2.0 * rng.random::<f64>() - 1.0) * reach);
        }
    }
}
