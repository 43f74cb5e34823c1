//! A variational autoencoder of records (Xu, Skoularidou, Cuesta-Infante & Veeramachaneni 2019: TVAE).
//!
//! An encoder of two layers yields mean μ and log-variance of a latent z; a decoder of two layers yields the logits of every span and the position within. The loss
//! of a batch of n records is
//!
//! ```text
//! (f / n) Σ_records Σ_spans [ −ln softmax(logits)_choice + 1{choice has a position} ((x − tanh o)² / (2σ²) + ln σ) ]
//!   − (1 / 2n) Σ_records Σ_z (1 + ln s² − μ² − s²)
//! ```
//!
//! with f the weight of reconstruction and σ a learned deviation of each position, held in [0.01, 1].

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::layers::{backward, forward, gather_all, rectify, scatter_all, softmax, unrectify};
use crate::parameters::Linear;
use crate::{Real, Records, Spans};

/// The sizes of the net.
#[derive(Clone, Debug, PartialEq)]
pub struct VaeShape {
    /// Units of each hidden layer.
    pub hidden: usize,
    /// Units of the latent.
    pub latent: usize,
    /// f.
    pub reconstruction: f64,
}

/// The net over its weights, which lie in one array elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Vae {
    shape: VaeShape,
    spans: Spans,
    encoder: [Linear; 3],
    decoder: [Linear; 3],
    /// Where the σ of each span with a position lies.
    sigmas: Vec<Option<usize>>,
    weights: usize,
}

/// The two parts of the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VaeLoss {
    /// Reconstruction, times f.
    pub reconstruction: f64,
    /// Divergence of the latent from a standard normal.
    pub divergence: f64,
}

/// The range of σ.
const SIGMA: (f64, f64) = (0.01, 1.0);

impl Vae {
    /// A net over records of these spans.
    pub fn new(shape: VaeShape, spans: Spans) -> Self {
        let mut end = 0;
        let mut layer = |inputs, outputs| Linear::after(&mut end, inputs, outputs);
        let (hidden, latent, width) = (shape.hidden, shape.latent, spans.width());
        let encoder = [layer(width, hidden), layer(hidden, hidden), layer(hidden, 2 * latent)];
        let decoder = [layer(latent, hidden), layer(hidden, hidden), layer(hidden, width)];
        let mut weights = end;
        let sigma = |has: bool| {
            has.then(|| {
                weights += 1;
                weights - 1
            })
        };
        let sigmas = spans.spans().iter().map(|span| span.has_position()).map(sigma).collect();
        Self { shape, spans, encoder, decoder, sigmas, weights }
    }

    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// The spans.
    pub fn spans(&self) -> &Spans {
        &self.spans
    }

    /// Units of the latent.
    pub fn latent(&self) -> usize {
        self.shape.latent
    }

    /// Bytes that training takes beside the records, for batches of this size.
    pub fn bytes(&self, batch: usize) -> u64 {
        let units = 2 * self.spans.width() + 8 * self.shape.hidden + 6 * self.shape.latent;
        4 * (4 * self.weights + batch * units) as u64
    }

    /// First weights.
    pub fn initial<T: Real>(&self, rng: &mut impl Rng) -> Vec<T> {
        let mut weights = vec![T::of(0.0); self.weights];
        self.encoder.iter().chain(&self.decoder).for_each(|layer| layer.initialise(&mut weights, rng));
        self.sigmas.iter().flatten().for_each(|at| weights[*at] = T::of(0.1));
        weights
    }

    /// Standard normal draws for the latents of a batch.
    pub fn chance<T: Real>(&self, rows: usize, rng: &mut impl Rng) -> Vec<T> {
        (0..rows * self.shape.latent).map(|_| T::of(rng.sample::<f64, _>(StandardNormal))).collect()
    }

    /// After a step of training: σ back into its range.
    pub fn clamp<T: Real>(&self, weights: &mut [T]) {
        for at in self.sigmas.iter().flatten() {
            weights[*at] = T::of(weights[*at].double().clamp(SIGMA.0, SIGMA.1));
        }
    }

    /// The loss of a batch; its gradient is added to `gradient`, as a sum over records divided by `divisor` (their number, as a rule).
    pub fn gradient<T: Real>(
        &self,
        weights: &[T],
        records: &Records,
        chance: &[T],
        divisor: f64,
        gradient: &mut [T],
    ) -> VaeLoss {
        let (hidden, latent, width) = (self.shape.hidden, self.shape.latent, self.spans.width());
        let rows = records.choices.len() / self.spans.len();
        let zeros = |columns: usize| vec![T::of(0.0); rows * columns];
        let (mut first, mut second, mut moments) = (zeros(hidden), zeros(hidden), zeros(2 * latent));
        gather_all(&self.encoder[0], weights, records, &self.spans, &mut first);
        rectify(&mut first);
        forward(&self.encoder[1], weights, &first, &mut second);
        rectify(&mut second);
        forward(&self.encoder[2], weights, &second, &mut moments);
        let (mut latents, mut deviations) = (zeros(latent), zeros(latent));
        let half = T::of(0.5);
        for (((z, deviations), moments), chance) in latents
            .chunks_exact_mut(latent)
            .zip(deviations.chunks_exact_mut(latent))
            .zip(moments.chunks_exact(2 * latent))
            .zip(chance.chunks_exact(latent))
        {
            let (means, log_variances) = moments.split_at(latent);
            for (deviation, log_variance) in deviations.iter_mut().zip(log_variances) {
                *deviation = (half * *log_variance).exponential();
            }
            for (((z, mean), deviation), chance) in z.iter_mut().zip(means).zip(&*deviations).zip(chance) {
                *z = *mean + *chance * *deviation;
            }
        }
        let (mut third, mut fourth, mut outputs) = (zeros(hidden), zeros(hidden), zeros(width));
        forward(&self.decoder[0], weights, &latents, &mut third);
        rectify(&mut third);
        forward(&self.decoder[1], weights, &third, &mut fourth);
        rectify(&mut fourth);
        forward(&self.decoder[2], weights, &fourth, &mut outputs);
        let reconstruction = self.reconstruct(weights, records, divisor, &mut outputs, gradient);

        let (mut of_fourth, mut of_third, mut of_latents) = (zeros(hidden), zeros(hidden), zeros(latent));
        backward(&self.decoder[2], weights, &fourth, &outputs, gradient, Some(&mut of_fourth));
        unrectify(&mut of_fourth, &fourth);
        backward(&self.decoder[1], weights, &third, &of_fourth, gradient, Some(&mut of_third));
        unrectify(&mut of_third, &third);
        backward(&self.decoder[0], weights, &latents, &of_third, gradient, Some(&mut of_latents));

        let (one, scale) = (T::of(1.0), T::of(1.0 / divisor));
        let mut divergence = 0.0;
        for (((moments, slopes), chance), deviations) in moments
            .chunks_exact_mut(2 * latent)
            .zip(of_latents.chunks_exact(latent))
            .zip(chance.chunks_exact(latent))
            .zip(deviations.chunks_exact(latent))
        {
            for unit in 0..latent {
                let (mean, log_variance) = (moments[unit], moments[latent + unit]);
                let variance = deviations[unit] * deviations[unit];
                divergence -= 0.5 * (one + log_variance - mean * mean - variance).double();
                moments[unit] = slopes[unit] + scale * mean;
                moments[latent + unit] =
                    half * (slopes[unit] * chance[unit] * deviations[unit] + scale * (variance - one));
            }
        }
        let (mut of_second, mut of_first) = (zeros(hidden), zeros(hidden));
        backward(&self.encoder[2], weights, &second, &moments, gradient, Some(&mut of_second));
        unrectify(&mut of_second, &second);
        backward(&self.encoder[1], weights, &first, &of_second, gradient, Some(&mut of_first));
        unrectify(&mut of_first, &first);
        scatter_all(&self.encoder[0], gradient, records, &self.spans, &of_first);
        VaeLoss { reconstruction, divergence: divergence / divisor }
    }

    /// The loss of reconstruction; outputs become their gradients.
    fn reconstruct<T: Real>(
        &self,
        weights: &[T],
        records: &Records,
        divisor: f64,
        outputs: &mut [T],
        gradient: &mut [T],
    ) -> f64 {
        let scale = T::of(self.shape.reconstruction / divisor);
        let (one, half) = (T::of(1.0), T::of(0.5));
        let mut loss = 0.0;
        for (row, outputs) in outputs.chunks_exact_mut(self.spans.width()).enumerate() {
            for (at, (span, start)) in self.spans.placed().enumerate() {
                let choice = records.choices[row * self.spans.len() + at] as usize;
                let logits = &mut outputs[start..start + span.levels];
                let chosen = logits[choice];
                loss += (softmax(logits) - chosen).double();
                logits[choice] -= one;
                logits.iter_mut().for_each(|slope| *slope *= scale);
                let Some(sigma_at) = self.sigmas[at] else { continue };
                let cell = &mut outputs[start + span.levels];
                if choice < span.first_component {
                    *cell = T::of(0.0);
                    continue;
                }
                let (sigma, position) = (weights[sigma_at], cell.tangent());
                let apart = T::of(f64::from(records.positions[row * self.spans.len() + at])) - position;
                let square = apart * apart / (sigma * sigma);
                loss += (half * square + sigma.logarithm()).double();
                *cell = T::of(0.0) - scale * apart / (sigma * sigma) * (one - position * position);
                gradient[sigma_at] += scale * (one - square) / sigma;
            }
        }
        loss * self.shape.reconstruction / divisor
    }

    /// Outputs of the decoder for latents, row by row: of every span the probabilities of its choices, and tanh of its position.
    pub fn decode<T: Real>(&self, weights: &[T], latents: &[T]) -> Vec<T> {
        let rows = latents.len() / self.shape.latent;
        let zeros = |columns: usize| vec![T::of(0.0); rows * columns];
        let (mut third, mut fourth, mut outputs) =
            (zeros(self.shape.hidden), zeros(self.shape.hidden), zeros(self.spans.width()));
        forward(&self.decoder[0], weights, latents, &mut third);
        rectify(&mut third);
        forward(&self.decoder[1], weights, &third, &mut fourth);
        rectify(&mut fourth);
        forward(&self.decoder[2], weights, &fourth, &mut outputs);
        for outputs in outputs.chunks_exact_mut(self.spans.width()) {
            for (span, start) in self.spans.placed() {
                softmax(&mut outputs[start..start + span.levels]);
                if span.has_position() {
                    let cell = &mut outputs[start + span.levels];
                    *cell = cell.tangent();
                }
            }
        }
        outputs
    }

    /// The learned σ of every span's position; 0 where it has none.
    pub fn sigmas<T: Real>(&self, weights: &[T]) -> Vec<f64> {
        self.sigmas.iter().map(|at| at.map_or(0.0, |at| weights[at].double())).collect()
    }
}
