//! The steps of training.

use crate::Real;

/// Adam (Kingma & Ba 2015) with weight decay that is added to the gradient, as PyTorch has it:
///
/// g ← g + λθ, m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², θ ← θ − η (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<T> {
    /// η.
    pub rate: f64,
    /// β₁ and β₂.
    pub decay_rates: (f64, f64),
    /// λ.
    pub weight_decay: f64,
    /// Steps so far.
    pub steps: u64,
    /// m.
    pub means: Vec<T>,
    /// v.
    pub squares: Vec<T>,
}

impl<T: Real> Adam<T> {
    /// No step yet.
    pub fn new(weights: usize, rate: f64, decay_rates: (f64, f64), weight_decay: f64) -> Self {
        let zeros = || vec![T::of(0.0); weights];
        Self { rate, decay_rates, weight_decay, steps: 0, means: zeros(), squares: zeros() }
    }

    /// One step against the gradient.
    pub fn step(&mut self, weights: &mut [T], gradient: &[T]) {
        self.steps += 1;
        let (first, second) = self.decay_rates;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let root = (1.0 - second.powi(steps)).sqrt();
        let rate = T::of(self.rate * root / (1.0 - first.powi(steps)));
        // √(v / c) + ε = (√v + ε √c) / √c.
        let small = T::of(1e-8 * root);
        let (first, second, decay) = (T::of(first), T::of(second), T::of(self.weight_decay));
        let one = T::of(1.0);
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, slope), (mean, square)) in weights.iter_mut().zip(gradient).zip(moments) {
            let slope = *slope + decay * *weight;
            *mean = first * *mean + (one - first) * slope;
            *square = second * *square + (one - second) * slope * slope;
            *weight -= rate * *mean / (square.root() + small);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The golden values are those of torch.optim.Adam([1., -2.], lr=0.1, betas=(0.9, 0.999), weight_decay=0.01) with gradients (0.5, -1), then (0.2, 3),
    /// worked by hand from the recurrence.
    #[test]
    fn two_steps_are_those_of_the_recurrence() {
        let mut adam = Adam::<f64>::new(2, 0.1, (0.9, 0.999), 0.01);
        let mut weights = [1.0, -2.0];
        adam.step(&mut weights, &[0.5, -1.0]);
        // The first step is the rate in the direction of the sign.
        assert!((weights[0] - 0.9).abs() < 1e-6 && (weights[1] + 1.9).abs() < 1e-6, "{weights:?}");
        let before = weights;
        adam.step(&mut weights, &[0.2, 3.0]);
        for (at, (first, second)) in
            [(0.51, 0.2 + 0.01 * before[0]), (-1.02, 3.0 + 0.01 * before[1])].into_iter().enumerate()
        {
            let mean = (0.9 * 0.1 * first + 0.1 * second) / (1.0 - 0.81);
            let square = (0.999 * 0.001 * first * first + 0.001 * second * second) / (1.0 - 0.999 * 0.999);
            let expected = before[at] - 0.1 * mean / (square.sqrt() + 1e-8);
            assert!((weights[at] - expected).abs() < 1e-12, "{} {expected}", weights[at]);
        }
    }
}
