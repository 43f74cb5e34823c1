//! Records in classes, and sums of their features.

use super::exponential::{exp, multiply};

/// One variable of records.
#[derive(Clone, Debug, Default)]
pub(super) struct Coded {
    /// The class of each.
    pub classes: Vec<u8>,
    /// Its standardised number, 0 where there is none.
    pub moments: Option<Vec<f32>>,
}

/// Records in classes.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    rows: usize,
    /// Classes of each variable, and whether it has moments.
    sizes: Vec<(usize, bool)>,
    columns: Vec<Coded>,
}

/// What is summed over records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The classes of a variable.
    Classes { of: usize, size: usize },
    /// A power of a standardised number, 1 or 2.
    Power { of: usize, square: bool },
    /// The product of two standardised numbers.
    Product { left: usize, right: usize },
    /// A standardised number in each class of another variable.
    Slopes { of: usize, within: usize, size: usize },
    /// The classes of two variables.
    Pair { left: usize, right: usize, size: usize, width: usize },
}

impl Feature {
    /// How many coefficients it has.
    pub(super) fn coefficients(self) -> usize {
        match self {
            Self::Classes { size, .. } | Self::Slopes { size, .. } | Self::Pair { size, .. } => size,
            Self::Power { .. } | Self::Product { .. } => 1,
        }
    }

    /// How many sums are formed of it: of cells their weights; of moments all weights, then Σ w f and Σ w f² of each coefficient.
    fn sums(self) -> usize {
        if self.is_table() { self.coefficients() } else { 1 + 2 * self.coefficients() }
    }

    /// Whether it is a table of cells.
    pub(super) fn is_table(self) -> bool {
        matches!(self, Self::Classes { .. } | Self::Pair { .. })
    }
}

/// Sums of a feature over weighted records.
pub(super) struct Sums {
    /// The sum of all weights.
    pub total: f64,
    /// Σ w f of each coefficient.
    pub first: Vec<f64>,
    /// Σ w f².
    pub second: Vec<f64>,
}

impl Pool {
    pub(super) fn new(rows: usize, sizes: Vec<(usize, bool)>, columns: Vec<Coded>) -> Self {
        Self { rows, sizes, columns }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn sizes(&self) -> &[(usize, bool)] {
        &self.sizes
    }

    pub(super) fn columns(&self) -> &[Coded] {
        &self.columns
    }

    #[cfg(test)]
    pub(super) fn counts(&self, variable: usize) -> Vec<f64> {
        let feature = Feature::Classes { of: variable, size: self.sizes[variable].0 };
        let mut sums = vec![0.0; feature.coefficients()];
        self.collect(feature, 0, &vec![1.0; self.rows], &mut sums);
        sums
    }

    fn classes(&self, of: usize, start: usize, rows: usize) -> &[u8] {
        &self.columns[of].classes[start..start + rows]
    }

    fn moments(&self, of: usize, start: usize, rows: usize) -> &[f32] {
        self.columns[of].moments.as_ref().map_or(&[], |moments| &moments[start..start + rows])
    }

    /// Room for the sums of a feature.
    pub(super) fn empty_sums(feature: Feature) -> Vec<f64> {
        vec![0.0; feature.sums()]
    }

    /// Adds what the records from `start` on, with these weights, have of a feature to its sums.
    pub(super) fn collect(&self, feature: Feature, start: usize, weights: &[f64], sums: &mut [f64]) {
        let rows = weights.len();
        let classes = |of: usize| self.classes(of, start, rows);
        let moments = |of: usize| self.moments(of, start, rows);
        match feature {
            Feature::Classes { of, .. } => {
                add_cells(weights, classes(of).iter().map(|class| usize::from(*class)), sums);
            }
            Feature::Pair { left, right, width, .. } => {
                let cells = classes(left).iter().zip(classes(right));
                let cells = cells.map(|(left, right)| usize::from(*left) * width + usize::from(*right));
                add_cells(weights, cells, sums);
            }
            Feature::Power { of, square: false } => add_moments(weights, moments(of), |z| *z, sums),
            Feature::Power { of, square: true } => add_moments(weights, moments(of), |z| z * z, sums),
            Feature::Product { left, right } => add_products(weights, moments(left), moments(right), sums),
            Feature::Slopes { of, within, .. } => add_slopes(weights, moments(of), classes(within), sums),
        }
    }

    /// Multiplies the weights of the records from `start` on by exp(d · f).
    pub(super) fn multiply(&self, feature: Feature, change: &Change, start: usize, weights: &mut [f64]) {
        let rows = weights.len();
        let classes = |of: usize| self.classes(of, start, rows);
        let moments = |of: usize| self.moments(of, start, rows);
        let step = &change.step[..];
        let factors = &change.factors[..];
        match feature {
            Feature::Classes { of, .. } => {
                for (weight, class) in weights.iter_mut().zip(classes(of)) {
                    *weight *= factors[usize::from(*class)];
                }
            }
            Feature::Pair { left, right, width, .. } => {
                for ((weight, left), right) in weights.iter_mut().zip(classes(left)).zip(classes(right)) {
                    *weight *= factors[usize::from(*left) * width + usize::from(*right)];
                }
            }
            Feature::Power { of, square: false } => {
                multiply(weights, moments(of).iter().map(|z| step[0] * z));
            }
            Feature::Power { of, square: true } => {
                multiply(weights, moments(of).iter().map(|z| step[0] * z * z));
            }
            Feature::Product { left, right } => {
                let products = moments(left).iter().zip(moments(right));
                multiply(weights, products.map(|(left, right)| step[0] * left * right));
            }
            Feature::Slopes { of, within, .. } => {
                let by_class = moments(of).iter().zip(classes(within));
                multiply(weights, by_class.map(|(z, class)| step[usize::from(*class)] * z));
            }
        }
    }

    /// Adds θ · f of the records from `start` on to these numbers.
    pub(super) fn add_exponents(&self, feature: Feature, theta: &[f64], start: usize, exponents: &mut [f64]) {
        let rows = exponents.len();
        let classes = |of: usize| self.classes(of, start, rows);
        let moments = |of: usize| self.moments(of, start, rows);
        match feature {
            Feature::Classes { of, .. } => {
                exponents
                    .iter_mut()
                    .zip(classes(of))
                    .for_each(|(sum, class)| *sum += theta[usize::from(*class)]);
            }
            Feature::Pair { left, right, width, .. } => {
                for ((sum, left), right) in exponents.iter_mut().zip(classes(left)).zip(classes(right)) {
                    *sum += theta[usize::from(*left) * width + usize::from(*right)];
                }
            }
            Feature::Power { of, square: false } => {
                exponents.iter_mut().zip(moments(of)).for_each(|(sum, z)| *sum += theta[0] * f64::from(*z));
            }
            Feature::Power { of, square: true } => {
                exponents
                    .iter_mut()
                    .zip(moments(of))
                    .for_each(|(sum, z)| *sum += theta[0] * f64::from(z * z));
            }
            Feature::Product { left, right } => {
                for ((sum, left), right) in exponents.iter_mut().zip(moments(left)).zip(moments(right)) {
                    *sum += theta[0] * f64::from(left * right);
                }
            }
            Feature::Slopes { of, within, .. } => {
                for ((sum, z), class) in exponents.iter_mut().zip(moments(of)).zip(classes(within)) {
                    *sum += theta[usize::from(*class)] * f64::from(*z);
                }
            }
        }
    }
}

/// Sums are formed this many at once, each of every so-manieth record, and added at the end.
const LANES: usize = 4;

/// Adds Σ w, Σ w f and Σ w f² of one moment.
#[inline]
fn add_moments(weights: &[f64], numbers: &[f32], moment: impl Fn(&f32) -> f32, sums: &mut [f64]) {
    let mut lanes = [[0.0; LANES]; 3];
    let mut add = |weights: &[f64], numbers: &[f32]| {
        for (lane, (weight, number)) in weights.iter().zip(numbers).enumerate() {
            let value = f64::from(moment(number));
            let first = weight * value;
            lanes[0][lane] += weight;
            lanes[1][lane] += first;
            lanes[2][lane] += first * value;
        }
    };
    let (weights, numbers) = (weights.chunks_exact(LANES), numbers.chunks_exact(LANES));
    let rest = (weights.remainder(), numbers.remainder());
    weights.zip(numbers).for_each(|(weights, numbers)| add(weights, numbers));
    add(rest.0, rest.1);
    sums.iter_mut().zip(lanes).for_each(|(all, of_lanes)| *all += of_lanes.iter().sum::<f64>());
}

/// The same of the product of two numbers.
fn add_products(weights: &[f64], left: &[f32], right: &[f32], sums: &mut [f64]) {
    const AT_ONCE: usize = 256;
    let mut products = [0.0; AT_ONCE];
    for ((weights, left), right) in
        weights.chunks(AT_ONCE).zip(left.chunks(AT_ONCE)).zip(right.chunks(AT_ONCE))
    {
        products.iter_mut().zip(left).zip(right).for_each(|((product, left), right)| *product = left * right);
        add_moments(weights, &products[..weights.len()], |product| *product, sums);
    }
}

/// Σ w.
fn total(weights: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for weights in weights.chunks(LANES) {
        lanes.iter_mut().zip(weights).for_each(|(lane, weight)| *lane += weight);
    }
    lanes.iter().sum()
}

/// Classes of at most this many are summed in two halves.
const FEW_CLASSES: usize = 64;

/// Adds Σ w, and Σ w z and Σ w z² by class.
fn add_slopes(weights: &[f64], numbers: &[f32], classes: &[u8], sums: &mut [f64]) {
    let (all, by_class) = sums.split_at_mut(1);
    all[0] += total(weights);
    let add = |sums: &mut [f64], weight: &f64, z: &f32, class: &u8| {
        let z = f64::from(*z);
        let first = weight * z;
        let at = 2 * usize::from(*class);
        sums[at] += first;
        sums[at + 1] += first * z;
    };
    if by_class.len() > 2 * FEW_CLASSES {
        for ((weight, z), class) in weights.iter().zip(numbers).zip(classes) {
            add(by_class, weight, z, class);
        }
        return;
    }
    let mut of_odd = [0.0; 2 * FEW_CLASSES];
    for ((weights, numbers), classes) in weights.chunks(2).zip(numbers.chunks(2)).zip(classes.chunks(2)) {
        add(by_class, &weights[0], &numbers[0], &classes[0]);
        if let ([_, weight], [_, z], [_, class]) = (weights, numbers, classes) {
            add(&mut of_odd, weight, z, class);
        }
    }
    by_class.iter_mut().zip(of_odd).for_each(|(sum, more)| *sum += more);
}

/// Tables of at most this many cells are summed in two halves.
const FEW_CELLS: usize = 512;

/// Adds weights by cell. Records at even and odd places are summed apart: where most are in one cell, no sum then waits for the one before.
#[inline]
fn add_cells(weights: &[f64], cells: impl Iterator<Item = usize>, sums: &mut [f64]) {
    if sums.len() > FEW_CELLS {
        weights.iter().zip(cells).for_each(|(weight, cell)| sums[cell] += weight);
        return;
    }
    let mut of_odd = [0.0; FEW_CELLS];
    let mut cells = cells;
    for pair in weights.chunks(2) {
        if let Some(cell) = cells.next() {
            sums[cell] += pair[0];
        }
        if let (Some(weight), Some(cell)) = (pair.get(1), cells.next()) {
            of_odd[cell] += weight;
        }
    }
    sums.iter_mut().zip(of_odd).for_each(|(sum, more)| *sum += more);
}

/// A change of the coefficients of a feature.
pub(super) struct Change {
    /// Of moments.
    step: Vec<f32>,
    /// exp of it, for cells.
    factors: Vec<f64>,
}

impl Change {
    pub(super) fn new(feature: Feature, step: &[f64]) -> Self {
        let step = step.iter().map(|d| *d as f32);
        if feature.is_table() {
            Self { step: Vec::new(), factors: step.map(|d| f64::from(exp(d))).collect() }
        } else {
            Self { step: step.collect(), factors: Vec::new() }
        }
    }
}

impl Sums {
    /// The sums of a feature as [`Pool::collect`] forms them.
    pub(super) fn new(feature: Feature, sums: Vec<f64>) -> Self {
        if feature.is_table() {
            return Self { total: sums.iter().sum(), first: sums, second: Vec::new() };
        }
        let (first, second) = sums[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        Self { total: sums[0], first, second }
    }
}
