//! A table in memory under ordinary noise, for tests; it keeps count of what was paid.

use std::convert::Infallible;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::noisy::measurement::{CandidatePair, Measurement, Noise, Price, ProtectedTable};

pub(crate) struct Simulated {
    pub(crate) sizes: Vec<usize>,
    pub(crate) columns: Vec<Vec<usize>>,
    /// Everything that was paid, in the notion of the prices.
    pub(crate) spent: f64,
    pub(crate) asked: Vec<Vec<usize>>,
    rng: ChaCha12Rng,
}

impl Simulated {
    /// Records in which each variable mostly repeats the one before, and first classes are more frequent.
    pub(crate) fn chain(sizes: &[usize], records: usize, seed: u64) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::with_capacity(records); sizes.len()];
        for _ in 0..records {
            let mut before: f64 = rng.random::<f64>().powi(2);
            for (column, &classes) in columns.iter_mut().zip(sizes) {
                if rng.random::<f64>() < 0.3 {
                    before = rng.random::<f64>().powi(2);
                }
                column.push((before * classes as f64) as usize);
            }
        }
        Self { sizes: sizes.to_vec(), columns, spent: 0.0, asked: Vec::new(), rng }
    }

    pub(crate) fn margin(&self, attributes: &[usize]) -> Vec<i64> {
        let mut counts = vec![0; attributes.iter().map(|&variable| self.sizes[variable]).product()];
        for row in 0..self.columns[0].len() {
            let place =
                |at: usize, &variable: &usize| at * self.sizes[variable] + self.columns[variable][row];
            counts[attributes.iter().fold(0, place)] += 1;
        }
        counts
    }

    /// Mean over all pairs of the total variation distance between the table and expected counts.
    pub(crate) fn distance(&self, model: &crate::FittedModel) -> f64 {
        let pairs = crate::noisy::all_pairs(self.sizes.len());
        let distance = |pair: &Vec<usize>| {
            let counts = self.margin(pair);
            let expected = model.margin(pair).unwrap();
            let apart = counts.iter().zip(&expected).map(|(&y, e)| (y as f64 - e).abs());
            apart.sum::<f64>() / (2.0 * self.columns[0].len() as f64)
        };
        pairs.iter().map(distance).sum::<f64>() / pairs.len() as f64
    }

    fn uniform(&mut self) -> f64 {
        1.0 - self.rng.random::<f64>()
    }

    fn pay(&mut self, price: Price) {
        let (Price::Epsilon(amount) | Price::Rho(amount)) = price;
        assert!(amount > 0.0);
        self.spent += amount;
    }
}

impl ProtectedTable for Simulated {
    type Error = Infallible;

    fn measure(&mut self, attributes: &[usize], price: Price) -> Result<Measurement, Infallible> {
        self.pay(price);
        self.asked.push(attributes.to_vec());
        let noise = match price {
            Price::Epsilon(epsilon) => Noise::Laplace { scale: 1.0 / epsilon },
            Price::Rho(rho) => Noise::Gaussian { sigma: (2.0 * rho).sqrt().recip() },
        };
        let mut counts = self.margin(attributes);
        for count in &mut counts {
            *count += match noise {
                Noise::Laplace { scale } => {
                    (-self.uniform().ln() * scale) as i64 - (-self.uniform().ln() * scale) as i64
                }
                Noise::Gaussian { sigma } => {
                    let angle = std::f64::consts::TAU * self.uniform();
                    ((-2.0 * self.uniform().ln()).sqrt() * angle.cos() * sigma).round() as i64
                }
            };
        }
        Ok(Measurement { attributes: attributes.to_vec(), counts, noise })
    }

    fn choose(&mut self, candidates: &[CandidatePair], price: Price) -> Result<usize, Infallible> {
        self.pay(price);
        let scale = match price {
            Price::Epsilon(epsilon) => 2.0 / epsilon,
            Price::Rho(rho) => 2.0 / (8.0 * rho).sqrt(),
        };
        let mut best = (f64::NEG_INFINITY, 0);
        for (at, candidate) in candidates.iter().enumerate() {
            let counts = self.margin(&candidate.attributes);
            let apart: i64 = counts.iter().zip(&candidate.expected).map(|(y, q)| (y - q).abs()).sum();
            let extra = -self.uniform().ln() * scale;
            let score = (apart - candidate.penalty) as f64 + extra;
            if score > best.0 {
                best = (score, at);
            }
        }
        Ok(best.1)
    }
}
