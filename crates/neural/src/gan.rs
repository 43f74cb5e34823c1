//! A conditional generator and its critic (Xu et al. 2019: CTGAN), by the Wasserstein distance with a gradient penalty (Gulrajani et al. 2017).
//!
//! The generator takes noise and a condition, one level of one discrete span, through two residual blocks (linear, batch normalisation, rectifier, concatenated with their
//! input); spans come out by Gumbel's softmax y ∝ exp((logit + g) / τ), positions by tanh. The critic judges packs of several records with their conditions together (Lin et al. 2018). Their
//! losses are, for packs x real, x̃ synthetic, x̂ between them,
//!
//! ```text
//! critic      mean D(x̃) − mean D(x) + λ mean (‖∇D(x̂)‖ − 1)²
//! generator   −mean D(x̃) + mean −ln softmax(logits)_condition
//! ```
//!
//! D is piecewise linear, so ∇D(x̂) = W₁ (s₁ ∘ W₂ (s₂ ∘ w₃)) with slopes s fixed by x̂ and dropout, and the penalty's gradient is two products more. The first layer at x̂ is
//! a mix of the two it has already seen; noise gets no gradient.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use crate::layers::{add_rows, backward, forward, gather, rectify, scatter, softmax, through, unrectify};
use crate::matrix::{View, product};
use crate::parameters::Linear;
use crate::{Real, Records, Spans};

/// The sizes of both nets.
#[derive(Clone, Debug, PartialEq)]
pub struct GanShape {
    /// Units of the noise.
    pub noise: usize,
    /// Units of each layer.
    pub hidden: usize,
    /// Records that the critic judges together.
    pub pack: usize,
    /// τ.
    pub temperature: f64,
    /// λ.
    pub penalty: f64,
    /// The share of units that dropout leaves out in the critic.
    pub dropout: f64,
}

/// Both nets over their weights, which lie in two arrays elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Gan {
    shape: GanShape,
    spans: Spans,
    /// For each span, where its levels begin among the conditions, if it can be one.
    conditions: Vec<Option<usize>>,
    condition_width: usize,
    blocks: [Linear; 2],
    /// Scale and shift of batch normalisation of each block.
    norms: [usize; 2],
    head: Linear,
    generator_weights: usize,
    critic: [Linear; 3],
    critic_weights: usize,
}

/// What chance decides in a step of the critic.
pub struct CriticChance<T> {
    /// Of each pack, how much of the real one is in the mix.
    pub mix: Vec<T>,
    /// Dropout of both layers for real packs, synthetic ones and mixes: 0, or 1 / (1 − share).
    pub masks: [[Vec<T>; 2]; 3],
}

/// What chance decides in a step of the generator, and in the synthetic records of a step of the critic.
pub struct GeneratorChance<T> {
    /// Standard normal draws, row by row.
    pub noise: Vec<T>,
    /// Gumbel draws for every cell.
    pub gumbel: Vec<T>,
    /// Dropout of both layers of the critic.
    pub masks: [Vec<T>; 2],
}

/// The parts of the critic's loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriticLoss {
    /// mean D(x̃) − mean D(x).
    pub distance: f64,
    /// The penalty, times λ.
    pub penalty: f64,
}

/// The parts of the generator's loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratorLoss {
    /// −mean D(x̃).
    pub judged: f64,
    /// Cross-entropy of the conditions.
    pub conditions: f64,
}

/// What the generator computed, for the way back.
struct Generated<T> {
    inputs: Vec<T>,
    widths: [usize; 3],
    /// Normalised values of both blocks, and the means and standard deviations before.
    normal: [(Vec<T>, Vec<T>); 2],
    layers: [Vec<T>; 2],
    /// Logits and positions before activation.
    raw: Vec<T>,
    /// Records.
    cells: Vec<T>,
}

/// What the critic computed of packs.
struct Judged<T> {
    first: Vec<T>,
    second: Vec<T>,
    slopes: [Vec<T>; 2],
    score: f64,
}

/// The slope of the leaky rectifier below zero.
const LEAK: f64 = 0.2;

/// Added to the variance of batch normalisation.
const SMALL: f64 = 1e-5;

impl Gan {
    /// Nets over records of these spans.
    pub fn new(shape: GanShape, spans: Spans) -> Self {
        let mut condition_width = 0;
        let place = |span: &crate::Span| {
            span.is_condition.then(|| {
                condition_width += span.levels;
                condition_width - span.levels
            })
        };
        let conditions = spans.spans().iter().map(place).collect();
        let (hidden, width) = (shape.hidden, spans.width());
        let inputs = shape.noise + condition_width;
        let mut end = 0;
        let first = Linear::after(&mut end, inputs, hidden);
        let first_norm = end;
        end += 2 * hidden;
        let second = Linear::after(&mut end, inputs + hidden, hidden);
        let second_norm = end;
        end += 2 * hidden;
        let head = Linear::after(&mut end, inputs + 2 * hidden, width);
        let generator_weights = end;
        end = 0;
        let mut layer = |inputs, outputs| Linear::after(&mut end, inputs, outputs);
        let critic =
            [layer((width + condition_width) * shape.pack, hidden), layer(hidden, hidden), layer(hidden, 1)];
        let (blocks, norms) = ([first, second], [first_norm, second_norm]);
        let critic_weights = end;
        Self {
            shape,
            spans,
            conditions,
            condition_width,
            blocks,
            norms,
            head,
            generator_weights,
            critic,
            critic_weights,
        }
    }

    /// How many weights the generator and the critic have.
    pub fn weights(&self) -> (usize, usize) {
        (self.generator_weights, self.critic_weights)
    }

    /// The spans.
    pub fn spans(&self) -> &Spans {
        &self.spans
    }

    /// Bytes that training takes beside the records, for batches of this size.
    pub fn bytes(&self, batch: usize) -> u64 {
        let units = 8 * (self.spans.width() + self.condition_width) + 16 * self.shape.hidden;
        4 * (4 * (self.generator_weights + self.critic_weights) + batch * units) as u64
    }

    /// First weights of the generator and of the critic.
    pub fn initial<T: Real>(&self, rng: &mut impl Rng) -> (Vec<T>, Vec<T>) {
        let mut generator = vec![T::of(0.0); self.generator_weights];
        self.blocks.iter().chain([&self.head]).for_each(|layer| layer.initialise(&mut generator, rng));
        for start in self.norms {
            generator[start..start + self.shape.hidden].fill(T::of(1.0));
        }
        let mut critic = vec![T::of(0.0); self.critic_weights];
        self.critic.iter().for_each(|layer| layer.initialise(&mut critic, rng));
        (generator, critic)
    }

    fn masks<T: Real>(&self, packs: usize, rng: &mut impl Rng) -> [Vec<T>; 2] {
        let keep = T::of(1.0 / (1.0 - self.shape.dropout));
        let mut mask = || -> Vec<T> {
            let unit = |_| if rng.random::<f32>() < self.shape.dropout as f32 { T::of(0.0) } else { keep };
            (0..packs * self.shape.hidden).map(unit).collect()
        };
        [mask(), mask()]
    }

    /// What chance decides in a step of the critic over this many records.
    pub fn critic_chance<T: Real>(&self, rows: usize, rng: &mut impl Rng) -> CriticChance<T> {
        let packs = rows / self.shape.pack;
        let mix = (0..packs).map(|_| T::of(rng.random::<f64>())).collect();
        CriticChance { mix, masks: [self.masks(packs, rng), self.masks(packs, rng), self.masks(packs, rng)] }
    }

    /// What chance decides in this many synthetic records.
    pub fn generator_chance<T: Real>(&self, rows: usize, rng: &mut impl Rng) -> GeneratorChance<T> {
        let noise = self.noise_for(rows, rng);
        // −ln(−ln u), u away from 0 and 1 by half of the last place.
        let gumbel = |_| {
            let uniform = T::of((f64::from(rng.random::<u32>()) + 0.5) / 4_294_967_296.0);
            let inner = T::of(0.0) - uniform.logarithm();
            T::of(0.0) - inner.larger(T::of(1e-9)).logarithm()
        };
        let gumbel = (0..rows * self.spans.width()).map(gumbel).collect();
        GeneratorChance { noise, gumbel, masks: self.masks(rows / self.shape.pack, rng) }
    }

    /// Where the condition "this level of this span" stands among all.
    fn condition(&self, span: u32, level: u32) -> Option<usize> {
        self.conditions.get(span as usize).copied().flatten().map(|start| start + level as usize)
    }

    fn condition_cells(&self, condition: Option<(u32, u32)>) -> impl Iterator<Item = (usize, f32)> + use<> {
        condition.and_then(|(span, level)| self.condition(span, level)).map(|at| (at, 1.0)).into_iter()
    }

    /// Synthetic records, given the condition of each, if any.
    fn generate<T: Real>(
        &self,
        weights: &[T],
        conditions: &[Option<(u32, u32)>],
        noise: &[T],
        gumbel: Option<&[T]>,
        fixed: Option<&[T]>,
    ) -> Generated<T> {
        let rows = conditions.len();
        let (hidden, width, base) =
            (self.shape.hidden, self.spans.width(), self.shape.noise + self.condition_width);
        let widths = [base, base + hidden, base + 2 * hidden];
        // Each block puts its outputs before its inputs: [block 2 | block 1 | noise | condition].
        let mut inputs = vec![T::of(0.0); rows * widths[2]];
        for (row, condition) in conditions.iter().enumerate() {
            let row_inputs = &mut inputs[row * widths[2] + 2 * hidden..(row + 1) * widths[2]];
            row_inputs[..self.shape.noise]
                .copy_from_slice(&noise[row * self.shape.noise..(row + 1) * self.shape.noise]);
            for (cell, value) in self.condition_cells(*condition) {
                row_inputs[self.shape.noise + cell] = T::of(f64::from(value));
            }
        }
        let mut normal: [(Vec<T>, Vec<T>); 2] = Default::default();
        let mut layers: [Vec<T>; 2] = Default::default();
        for block in 0..2 {
            let layer = &self.blocks[block];
            let from = (1 - block) * hidden + hidden;
            let own = suffixes(&inputs, widths[2], from);
            let mut outputs = vec![T::of(0.0); rows * hidden];
            forward(layer, weights, &own, &mut outputs);
            let moments = match fixed {
                Some(fixed) => {
                    let moments = fixed[2 * block * hidden..2 * (block + 1) * hidden].to_vec();
                    standardise(&mut outputs, &moments);
                    moments
                }
                None => normalise(&mut outputs, hidden),
            };
            let start = self.norms[block];
            let (scales, shifts) = weights[start..start + 2 * hidden].split_at(hidden);
            let mut activated = outputs.clone();
            for row in activated.chunks_exact_mut(hidden) {
                for unit in 0..hidden {
                    row[unit] = scales[unit] * row[unit] + shifts[unit];
                }
            }
            rectify(&mut activated);
            for (row, activated) in activated.chunks_exact(hidden).enumerate() {
                inputs[row * widths[2] + from - hidden..][..hidden].copy_from_slice(activated);
            }
            normal[block] = (outputs, moments);
            layers[block] = activated;
        }
        let mut raw = vec![T::of(0.0); rows * width];
        forward(&self.head, weights, &inputs, &mut raw);
        let mut cells = raw.clone();
        let warmth = T::of(1.0 / self.shape.temperature);
        for (row, cells) in cells.chunks_exact_mut(width).enumerate() {
            for (span, start) in self.spans.placed() {
                let logits = &mut cells[start..start + span.levels];
                if let Some(gumbel) = gumbel {
                    let gumbel = &gumbel[row * width + start..];
                    logits.iter_mut().zip(gumbel).for_each(|(logit, g)| *logit = (*logit + *g) * warmth);
                }
                softmax(logits);
                if span.has_position() {
                    let cell = &mut cells[start + span.levels];
                    *cell = cell.tangent();
                }
            }
        }
        Generated { inputs, widths, normal, layers, raw, cells }
    }

    /// Means and deviations of both normalised layers over records with these conditions, by which records are drawn one by one after training.
    pub fn moments<T: Real>(&self, weights: &[T], conditions: &[Option<(u32, u32)>], noise: &[T]) -> Vec<T> {
        let [(_, first), (_, second)] = self.generate(weights, conditions, noise, None, None).normal;
        [first, second].concat()
    }

    /// How many moments there are.
    pub fn moments_len(&self) -> usize {
        4 * self.shape.hidden
    }

    /// Of synthetic records the probabilities of every span's choices, and the position within, row by row.
    pub fn draw<T: Real>(
        &self,
        weights: &[T],
        moments: &[T],
        conditions: &[Option<(u32, u32)>],
        noise: &[T],
    ) -> Vec<T> {
        self.generate(weights, conditions, noise, None, Some(moments)).cells
    }

    /// Standard normal noise for this many records.
    pub fn noise_for<T: Real>(&self, rows: usize, rng: &mut impl Rng) -> Vec<T> {
        (0..rows * self.shape.noise).map(|_| T::of(rng.sample::<f64, _>(StandardNormal))).collect()
    }

    /// Packs of dense records with their conditions, as the critic takes them.
    fn packed<T: Real>(&self, cells: &[T], conditions: &[Option<(u32, u32)>]) -> Vec<T> {
        let width = self.spans.width();
        let mut packed = vec![T::of(0.0); conditions.len() * (width + self.condition_width)];
        for ((row, condition), into) in
            conditions.iter().enumerate().zip(packed.chunks_exact_mut(width + self.condition_width))
        {
            into[..width].copy_from_slice(&cells[row * width..(row + 1) * width]);
            self.condition_cells(*condition).for_each(|(cell, _)| into[width + cell] = T::of(1.0));
        }
        packed
    }

    /// The cells of a record and its condition within its pack.
    fn sparse<'a>(
        &'a self,
        records: &'a Records,
        conditions: &'a [Option<(u32, u32)>],
        row: usize,
    ) -> impl Iterator<Item = (usize, f32)> + 'a {
        let width = self.spans.width();
        let condition = self.condition_cells(conditions[row]).map(move |(cell, value)| (width + cell, value));
        records.cells(&self.spans, row).chain(condition)
    }

    /// The critic from its first layer on.
    fn judge<T: Real>(&self, weights: &[T], mut first: Vec<T>, masks: &[Vec<T>; 2]) -> Judged<T> {
        let packs = first.len() / self.shape.hidden;
        let first_slopes = leak(&mut first, &masks[0]);
        let mut second = vec![T::of(0.0); first.len()];
        forward(&self.critic[1], weights, &first, &mut second);
        let second_slopes = leak(&mut second, &masks[1]);
        let mut scores = vec![T::of(0.0); packs];
        forward(&self.critic[2], weights, &second, &mut scores);
        let score = scores.iter().map(|score| score.double()).sum::<f64>() / packs as f64;
        Judged { first, second, slopes: [first_slopes, second_slopes], score }
    }

    /// The gradient of the mean score times `sign` down to the first layer, whose slopes are returned.
    fn judged_back<T: Real>(
        &self,
        weights: &[T],
        judged: &Judged<T>,
        sign: f64,
        gradient: Option<&mut [T]>,
    ) -> Vec<T> {
        let packs = judged.first.len() / self.shape.hidden;
        let of_scores = vec![T::of(sign / packs as f64); packs];
        let mut of_second = vec![T::of(0.0); judged.second.len()];
        let mut of_first = vec![T::of(0.0); judged.first.len()];
        match gradient {
            Some(gradient) => {
                backward(
                    &self.critic[2],
                    weights,
                    &judged.second,
                    &of_scores,
                    gradient,
                    Some(&mut of_second),
                );
                times(&mut of_second, &judged.slopes[1]);
                backward(&self.critic[1], weights, &judged.first, &of_second, gradient, Some(&mut of_first));
            }
            None => {
                through(&self.critic[2], weights, &of_scores, &mut of_second);
                times(&mut of_second, &judged.slopes[1]);
                through(&self.critic[1], weights, &of_second, &mut of_first);
            }
        }
        times(&mut of_first, &judged.slopes[0]);
        of_first
    }

    /// The critic's loss on as many real records as there are conditions, and its gradient. The synthetic records have the same conditions.
    #[allow(clippy::too_many_arguments, reason = "two nets, their records and their chance")]
    pub fn critic_gradient<T: Real>(
        &self,
        critic: &[T],
        generator: &[T],
        records: &Records,
        real_conditions: &[Option<(u32, u32)>],
        conditions: &[Option<(u32, u32)>],
        chance: &CriticChance<T>,
        synthetic: &GeneratorChance<T>,
        gradient: &mut [T],
    ) -> CriticLoss {
        let fake = self.generate(generator, conditions, &synthetic.noise, Some(&synthetic.gumbel), None);
        let packed = self.packed(&fake.cells, conditions);
        self.judge_pairs(critic, &packed, records, real_conditions, chance, gradient)
    }

    /// The same against synthetic records that were made before, without conditions: the cells of one synthetic record for each real one.
    pub fn critic_gradient_against<T: Real>(
        &self,
        critic: &[T],
        synthetic: &[T],
        records: &Records,
        chance: &CriticChance<T>,
        gradient: &mut [T],
    ) -> CriticLoss {
        let none = vec![None; synthetic.len() / self.spans.width()];
        let packed = self.packed(synthetic, &none);
        self.judge_pairs(critic, &packed, records, &none, chance, gradient)
    }

    /// Synthetic records without conditions, as a critic takes them.
    pub fn synthetic<T: Real>(&self, generator: &[T], chance: &GeneratorChance<T>) -> Vec<T> {
        let none = vec![None; chance.noise.len() / self.shape.noise];
        self.generate(generator, &none, &chance.noise, Some(&chance.gumbel), None).cells
    }

    fn judge_pairs<T: Real>(
        &self,
        critic: &[T],
        packed: &[T],
        records: &Records,
        real_conditions: &[Option<(u32, u32)>],
        chance: &CriticChance<T>,
        gradient: &mut [T],
    ) -> CriticLoss {
        let (hidden, pack) = (self.shape.hidden, self.shape.pack);
        let per_record = self.spans.width() + self.condition_width;
        let packs = real_conditions.len() / pack;
        let layer = &self.critic[0];
        let mut of_fake = vec![T::of(0.0); packs * hidden];
        forward(layer, critic, packed, &mut of_fake);
        let mut of_real = vec![T::of(0.0); packs * hidden];
        for (number, output) in of_real.chunks_exact_mut(hidden).enumerate() {
            output.copy_from_slice(layer.bias(critic));
            for member in 0..pack {
                let cells = self.sparse(records, real_conditions, number * pack + member);
                gather(layer, critic, cells, member * per_record, output);
            }
        }
        let mut mixed = of_fake.clone();
        for (number, row) in mixed.chunks_exact_mut(hidden).enumerate() {
            let share = chance.mix[number];
            for (mixed, real) in row.iter_mut().zip(&of_real[number * hidden..]) {
                *mixed += share * (*real - *mixed);
            }
        }
        let real = self.judge(critic, of_real, &chance.masks[0]);
        let fake = self.judge(critic, of_fake, &chance.masks[1]);
        let of_first = self.judged_back(critic, &real, -1.0, Some(&mut *gradient));
        for (number, slopes) in of_first.chunks_exact(hidden).enumerate() {
            for member in 0..pack {
                let cells = self.sparse(records, real_conditions, number * pack + member);
                scatter(layer, gradient, cells, member * per_record, slopes);
            }
        }
        add_rows(&of_first, layer.parts(gradient).1);
        let of_first = self.judged_back(critic, &fake, 1.0, Some(&mut *gradient));
        backward(layer, critic, packed, &of_first, gradient, None);
        let penalty = if self.shape.penalty > 0.0 {
            self.penalise(critic, mixed, &chance.masks[2], gradient)
        } else {
            0.0
        };
        CriticLoss { distance: fake.score - real.score, penalty }
    }

    /// λ mean (‖∇D‖ − 1)² at packs with this first layer, and its gradient.
    fn penalise<T: Real>(
        &self,
        weights: &[T],
        mut first: Vec<T>,
        masks: &[Vec<T>; 2],
        gradient: &mut [T],
    ) -> f64 {
        let hidden = self.shape.hidden;
        let packs = first.len() / hidden;
        let [one, two, three] = &self.critic;
        let first_slopes = leak(&mut first, &masks[0]);
        let mut second = vec![T::of(0.0); packs * hidden];
        forward(two, weights, &first, &mut second);
        let second_slopes = leak(&mut second, &masks[1]);
        let mut upper = second_slopes.clone();
        for row in upper.chunks_exact_mut(hidden) {
            times(row, three.weights(weights));
        }
        let mut lower = vec![T::of(0.0); packs * hidden];
        through(two, weights, &upper, &mut lower);
        times(&mut lower, &first_slopes);
        let mut slopes = vec![T::of(0.0); packs * one.inputs];
        through(one, weights, &lower, &mut slopes);
        let mut penalty = 0.0;
        for row in slopes.chunks_exact_mut(one.inputs) {
            let norm = row.iter().map(|slope| slope.double().powi(2)).sum::<f64>().sqrt();
            penalty += (norm - 1.0).powi(2);
            let factor = T::of(self.shape.penalty * 2.0 * (norm - 1.0) / norm.max(1e-12) / packs as f64);
            row.iter_mut().for_each(|slope| *slope *= factor);
        }
        // slopes = lower W₁ᵀ: dW₁ = slopes'ᵀ lower, d lower = slopes' W₁.
        product(
            &mut gradient[one.weight_range()],
            View::rows(&slopes, one.inputs).transpose(),
            View::rows(&lower, hidden),
            true,
        );
        let mut of_lower = vec![T::of(0.0); packs * hidden];
        product(
            &mut of_lower,
            View::rows(&slopes, one.inputs),
            View::rows(one.weights(weights), hidden),
            false,
        );
        times(&mut of_lower, &first_slopes);
        product(
            &mut gradient[two.weight_range()],
            View::rows(&of_lower, hidden).transpose(),
            View::rows(&upper, hidden),
            true,
        );
        let mut of_upper = vec![T::of(0.0); packs * hidden];
        product(
            &mut of_upper,
            View::rows(&of_lower, hidden),
            View::rows(two.weights(weights), hidden),
            false,
        );
        times(&mut of_upper, &second_slopes);
        add_rows(&of_upper, &mut gradient[three.weight_range()]);
        self.shape.penalty * penalty / packs as f64
    }

    /// The generator's loss and its gradient.
    pub fn generator_gradient<T: Real>(
        &self,
        generator: &[T],
        critic: &[T],
        conditions: &[Option<(u32, u32)>],
        chance: &GeneratorChance<T>,
        gradient: &mut [T],
    ) -> GeneratorLoss {
        let rows = conditions.len();
        let (hidden, width, pack) = (self.shape.hidden, self.spans.width(), self.shape.pack);
        let made = self.generate(generator, conditions, &chance.noise, Some(&chance.gumbel), None);
        let packed = self.packed(&made.cells, conditions);
        let mut first = vec![T::of(0.0); rows / pack * hidden];
        forward(&self.critic[0], critic, &packed, &mut first);
        let judged = self.judge(critic, first, &chance.masks);
        let of_first = self.judged_back(critic, &judged, -1.0, None);
        let mut of_packed = vec![T::of(0.0); packed.len()];
        through(&self.critic[0], critic, &of_first, &mut of_packed);
        let mut of_raw = vec![T::of(0.0); rows * width];
        let (one, warmth) = (T::of(1.0), T::of(1.0 / self.shape.temperature));
        let share = 1.0 / rows as f64;
        let mut cross_entropy = 0.0;
        for (row, into) in of_raw.chunks_exact_mut(width).enumerate() {
            let cells = &made.cells[row * width..(row + 1) * width];
            let slopes = &of_packed[row * (width + self.condition_width)..][..width];
            for (span, start) in self.spans.placed() {
                let range = start..start + span.levels;
                let (shares, slopes_here) = (&cells[range.clone()], &slopes[range.clone()]);
                let mean: T = shares.iter().zip(slopes_here).map(|(share, slope)| *share * *slope).sum();
                for ((into, share), slope) in into[range].iter_mut().zip(shares).zip(slopes_here) {
                    *into = warmth * *share * (*slope - mean);
                }
                if span.has_position() {
                    let cell = start + span.levels;
                    into[cell] = slopes[cell] * (one - cells[cell] * cells[cell]);
                }
            }
            if let Some((at, level)) = conditions[row]
                && let Some((span, start)) = self.spans.placed().nth(at as usize)
            {
                let mut shares = made.raw[row * width + start..][..span.levels].to_vec();
                let chosen = shares[level as usize];
                cross_entropy += (softmax(&mut shares) - chosen).double();
                shares[level as usize] -= one;
                for (into, slope) in into[start..].iter_mut().zip(shares) {
                    *into += T::of(share) * slope;
                }
            }
        }
        self.generated_back(generator, &made, &of_raw, gradient);
        GeneratorLoss { judged: -judged.score, conditions: cross_entropy * share }
    }

    fn generated_back<T: Real>(&self, weights: &[T], made: &Generated<T>, of_raw: &[T], gradient: &mut [T]) {
        let hidden = self.shape.hidden;
        let full = made.widths[2];
        let rows = made.inputs.len() / full;
        let mut of_inputs = vec![T::of(0.0); made.inputs.len()];
        backward(&self.head, weights, &made.inputs, of_raw, gradient, Some(&mut of_inputs));
        for block in [1, 0] {
            let from = (1 - block) * hidden + hidden;
            let mut slopes = Vec::with_capacity(rows * hidden);
            (0..rows)
                .for_each(|row| slopes.extend_from_slice(&of_inputs[row * full + from - hidden..][..hidden]));
            unrectify(&mut slopes, &made.layers[block]);
            let (normal, moments) = &made.normal[block];
            let start = self.norms[block];
            let scales = &weights[start..start + hidden];
            let (of_scales, of_shifts) = gradient[start..start + 2 * hidden].split_at_mut(hidden);
            for (slopes, normal) in slopes.chunks_exact(hidden).zip(normal.chunks_exact(hidden)) {
                for unit in 0..hidden {
                    of_scales[unit] += slopes[unit] * normal[unit];
                    of_shifts[unit] += slopes[unit];
                }
            }
            unnormalise(&mut slopes, normal, &moments[hidden..], scales);
            let own = suffixes(&made.inputs, full, from);
            let mut of_own = vec![T::of(0.0); own.len()];
            let back = (block == 1).then_some(&mut of_own[..]);
            backward(&self.blocks[block], weights, &own, &slopes, gradient, back);
            if block == 1 {
                for (row, of_own) in of_own.chunks_exact(full - from).enumerate() {
                    for (sum, slope) in of_inputs[row * full + from..(row + 1) * full].iter_mut().zip(of_own)
                    {
                        *sum += *slope;
                    }
                }
            }
        }
    }
}

/// Of rows this wide, what stands from a column on.
fn suffixes<T: Real>(rows: &[T], width: usize, from: usize) -> Vec<T> {
    rows.chunks_exact(width).flat_map(|row| row[from..].iter().copied()).collect()
}

/// Each column to mean 0 and deviation 1, over all rows; the means and the deviations before.
fn normalise<T: Real>(values: &mut [T], columns: usize) -> Vec<T> {
    let rows = values.len() / columns;
    let share = T::of(1.0 / rows as f64);
    let mut means = vec![T::of(0.0); columns];
    add_rows(values, &mut means);
    means.iter_mut().for_each(|mean| *mean *= share);
    let mut variances = vec![T::of(0.0); columns];
    for row in values.chunks_exact_mut(columns) {
        for ((value, mean), variance) in row.iter_mut().zip(&means).zip(&mut variances) {
            *value -= *mean;
            *variance += *value * *value * share;
        }
    }
    let deviations: Vec<T> = variances.into_iter().map(|variance| (variance + T::of(SMALL)).root()).collect();
    for row in values.chunks_exact_mut(columns) {
        row.iter_mut().zip(&deviations).for_each(|(value, deviation)| *value /= *deviation);
    }
    means.extend(deviations);
    means
}

/// Each column less a mean and over a deviation.
fn standardise<T: Real>(values: &mut [T], moments: &[T]) {
    let (means, deviations) = moments.split_at(moments.len() / 2);
    for row in values.chunks_exact_mut(means.len()) {
        for ((value, mean), deviation) in row.iter_mut().zip(means).zip(deviations) {
            *value = (*value - *mean) / *deviation;
        }
    }
}

/// The gradient before normalisation: (γ / s) (g − mean g − x mean (g x)).
fn unnormalise<T: Real>(slopes: &mut [T], normal: &[T], deviations: &[T], scales: &[T]) {
    let columns = scales.len();
    let share = T::of(columns as f64 / slopes.len() as f64);
    let mut means = vec![T::of(0.0); columns];
    let mut products = vec![T::of(0.0); columns];
    for (slopes, normal) in slopes.chunks_exact(columns).zip(normal.chunks_exact(columns)) {
        for unit in 0..columns {
            means[unit] += slopes[unit] * share;
            products[unit] += slopes[unit] * normal[unit] * share;
        }
    }
    for (slopes, normal) in slopes.chunks_exact_mut(columns).zip(normal.chunks_exact(columns)) {
        for unit in 0..columns {
            slopes[unit] = scales[unit] / deviations[unit]
                * (slopes[unit] - means[unit] - normal[unit] * products[unit]);
        }
    }
}

/// The leaky rectifier with dropout in place; its slopes.
fn leak<T: Real>(values: &mut [T], mask: &[T]) -> Vec<T> {
    let (zero, leak) = (T::of(0.0), T::of(LEAK));
    let slope = |(value, mask): (&mut T, &T)| {
        let slope = if *value > zero { *mask } else { leak * *mask };
        *value *= slope;
        slope
    };
    values.iter_mut().zip(mask).map(slope).collect()
}

fn times<T: Real>(values: &mut [T], by: &[T]) {
    values.iter_mut().zip(by).for_each(|(value, by)| *value *= *by);
}
