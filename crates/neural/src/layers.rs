//! What layers do, forwards and backwards.

use crate::Real;
use crate::matrix::{View, product};
use crate::parameters::Linear;
use crate::spans::{Records, Spans};

/// y = x W + b for every row of x.
pub(crate) fn forward<T: Real>(layer: &Linear, weights: &[T], inputs: &[T], outputs: &mut [T]) {
    for row in outputs.chunks_exact_mut(layer.outputs) {
        row.copy_from_slice(layer.bias(weights));
    }
    product(
        outputs,
        View::rows(inputs, layer.inputs),
        View::rows(layer.weights(weights), layer.outputs),
        true,
    );
}

/// Adds the gradient of W and b, given that of the outputs; `back` takes that of the inputs.
pub(crate) fn backward<T: Real>(
    layer: &Linear,
    weights: &[T],
    inputs: &[T],
    slopes: &[T],
    gradient: &mut [T],
    back: Option<&mut [T]>,
) {
    let (of_weights, of_bias) = layer.parts(gradient);
    product(
        of_weights,
        View::rows(inputs, layer.inputs).transpose(),
        View::rows(slopes, layer.outputs),
        true,
    );
    add_rows(slopes, of_bias);
    if let Some(back) = back {
        through(layer, weights, slopes, back);
    }
}

/// The gradient of the inputs.
pub(crate) fn through<T: Real>(layer: &Linear, weights: &[T], slopes: &[T], back: &mut [T]) {
    product(
        back,
        View::rows(slopes, layer.outputs),
        View::rows(layer.weights(weights), layer.outputs).transpose(),
        false,
    );
}

/// Adds the sum of all rows.
pub(crate) fn add_rows<T: Real>(rows: &[T], into: &mut [T]) {
    for row in rows.chunks_exact(into.len()) {
        into.iter_mut().zip(row).for_each(|(sum, value)| *sum += *value);
    }
}

/// y = x W + b for sparse records: the rows of W that a record's cells name are added up. `shift` is where the record begins among the inputs.
pub(crate) fn gather<T: Real>(
    layer: &Linear,
    weights: &[T],
    cells: impl Iterator<Item = (usize, f32)>,
    shift: usize,
    output: &mut [T],
) {
    let all = layer.weights(weights);
    for (cell, value) in cells {
        let row = &all[(shift + cell) * layer.outputs..(shift + cell + 1) * layer.outputs];
        if value == 1.0 {
            output.iter_mut().zip(row).for_each(|(sum, weight)| *sum += *weight);
        } else {
            let value = T::of(f64::from(value));
            output.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * *weight);
        }
    }
}

/// Adds the gradient of the rows of W that a record's cells name.
pub(crate) fn scatter<T: Real>(
    layer: &Linear,
    gradient: &mut [T],
    cells: impl Iterator<Item = (usize, f32)>,
    shift: usize,
    slopes: &[T],
) {
    let all = &mut gradient[layer.weight_range()];
    for (cell, value) in cells {
        let row = &mut all[(shift + cell) * layer.outputs..(shift + cell + 1) * layer.outputs];
        let value = T::of(f64::from(value));
        row.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += value * *slope);
    }
}

/// The first layer over sparse records.
pub(crate) fn gather_all<T: Real>(
    layer: &Linear,
    weights: &[T],
    records: &Records,
    spans: &Spans,
    outputs: &mut [T],
) {
    for (row, output) in outputs.chunks_exact_mut(layer.outputs).enumerate() {
        output.copy_from_slice(layer.bias(weights));
        gather(layer, weights, records.cells(spans, row), 0, output);
    }
}

/// Its gradient.
pub(crate) fn scatter_all<T: Real>(
    layer: &Linear,
    gradient: &mut [T],
    records: &Records,
    spans: &Spans,
    slopes: &[T],
) {
    for (row, slope) in slopes.chunks_exact(layer.outputs).enumerate() {
        scatter(layer, gradient, records.cells(spans, row), 0, slope);
    }
    let (_, of_bias) = layer.parts(gradient);
    add_rows(slopes, of_bias);
}

/// max(x, 0) in place.
pub(crate) fn rectify<T: Real>(values: &mut [T]) {
    let zero = T::of(0.0);
    values.iter_mut().for_each(|value| *value = value.larger(zero));
}

/// The gradient before a rectifier, given what came out of it.
pub(crate) fn unrectify<T: Real>(slopes: &mut [T], outputs: &[T]) {
    let zero = T::of(0.0);
    for (slope, output) in slopes.iter_mut().zip(outputs) {
        if *output <= zero {
            *slope = zero;
        }
    }
}

/// Turns logits into probabilities in place and returns the logarithm of the sum of exponentials.
pub(crate) fn softmax<T: Real>(logits: &mut [T]) -> T {
    let most = logits.iter().copied().fold(logits[0], T::larger);
    let mut sum = T::of(0.0);
    for logit in logits.iter_mut() {
        *logit = (*logit - most).exponential();
        sum += *logit;
    }
    let scale = T::of(1.0) / sum;
    logits.iter_mut().for_each(|value| *value *= scale);
    most + sum.logarithm()
}
