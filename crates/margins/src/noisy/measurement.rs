//! Measurements: margins counted under noise, and all else that may be asked of a protected table.

use crate::error::Error;

/// Part of a privacy budget, in the notion that the run is accounted in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Price {
    /// ε of pure differential privacy.
    Epsilon(f64),
    /// ρ of zero-concentrated differential privacy.
    Rho(f64),
}

/// The notion of privacy that a run is accounted in, and with it the kind of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notion {
    /// ε; discrete Laplace noise.
    Pure,
    /// ρ; discrete Gaussian noise.
    ZeroConcentrated,
}

impl Notion {
    /// An amount of budget in this notion.
    pub(crate) fn price(self, amount: f64) -> Price {
        match self {
            Self::Pure => Price::Epsilon(amount),
            Self::ZeroConcentrated => Price::Rho(amount),
        }
    }

    /// The standard deviation of the noise on a count that this amount of budget pays for: that of the Laplace
    /// distribution, √2 ÷ ε, or of the normal one, 1 ÷ √(2ρ).
    pub(crate) fn noise_sd(self, amount: f64) -> f64 {
        match self {
            Self::Pure => 2_f64.sqrt() / amount,
            Self::ZeroConcentrated => (2.0 * amount).sqrt().recip(),
        }
    }

    /// The weight of a margin's share of the budget among margins that are measured together: cells^⅓ or
    /// cells^½.
    pub(crate) fn weight(self, cells: f64) -> f64 {
        match self {
            Self::Pure => cells.cbrt(),
            Self::ZeroConcentrated => cells.sqrt(),
        }
    }
}

/// The noise on every cell of a margin, independent from cell to cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Discrete Laplace: P(z) ∝ exp(−|z| ÷ scale).
    Laplace {
        /// 1 ÷ ε.
        scale: f64,
    },
    /// Discrete Gaussian: P(z) ∝ exp(−z² ÷ (2 sigma²)).
    Gaussian {
        /// 1 ÷ √(2ρ).
        sigma: f64,
    },
}

impl Noise {
    /// The variance, of the continuous distribution with this scale: 2b² or σ².
    pub(crate) fn variance(self) -> f64 {
        match self {
            Self::Laplace { scale } => 2.0 * scale * scale,
            Self::Gaussian { sigma } => sigma * sigma,
        }
    }
}

/// A measurement: a margin counted under noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The attributes, ascending.
    pub attributes: Vec<usize>,
    /// Count plus noise of every cell, row-major; may be negative.
    pub counts: Vec<i64>,
    /// The noise that was really added: a budget is rounded down before it is spent, so it may be a little more
    /// than was asked for.
    pub noise: Noise,
}

/// A pair of attributes that may be measured next, and what the model built so far expects of it. All of it is
/// public: made from earlier answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidatePair {
    /// The two attributes, ascending.
    pub attributes: [usize; 2],
    /// The expected counts q, row-major, in whole records.
    pub expected: Vec<i64>,
    /// What is taken off the score: whole records.
    pub penalty: i64,
}

/// A table that is seen through noise alone: all that a private margin method may ask of it. Every call pays before
/// it looks, and refuses if it cannot pay; the methods here see the table in no other way.
pub trait ProtectedTable {
    /// Why a measurement or a choice was refused.
    type Error;

    /// Counts a margin over `attributes` (ascending; row-major in that order) under discrete Laplace noise of
    /// scale 1 ÷ ε for [`Price::Epsilon`], under discrete Gaussian noise of variance 1 ÷ (2ρ) for
    /// [`Price::Rho`]. One record more or less changes one cell by 1.
    fn measure(&mut self, attributes: &[usize], price: Price) -> Result<Measurement, Self::Error>;

    /// Chooses one of the candidates, by number, with a preference for a high score Σ|y − q| − penalty, where y
    /// are the true counts: one record more or less changes each score by at most 1.
    ///
    /// [`Price::Epsilon`]: permute-and-flip with ε (McKenna & Sheldon 2020). [`Price::Rho`]: the exponential
    /// mechanism with ε = √(8ρ), which is ρ-zCDP by its bounded range (Cesar & Rogers 2021).
    fn choose(&mut self, candidates: &[CandidatePair], price: Price) -> Result<usize, Self::Error>;
}

/// Why measurements were not made, or did not become a model. `R` is the error of the [`ProtectedTable`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasurementError<R> {
    /// The table refused a measurement or a choice.
    #[error(transparent)]
    Refused(R),
    /// The plan or the fit failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// A measurement over attributes of a domain with these sizes, its shape checked.
pub(crate) fn measured<T: ProtectedTable>(
    table: &mut T,
    sizes: &[usize],
    attributes: &[usize],
    price: Price,
) -> Result<Measurement, MeasurementError<T::Error>> {
    let margin = table.measure(attributes, price).map_err(MeasurementError::Refused)?;
    let cells: usize = attributes.iter().map(|&variable| sizes[variable]).product();
    if margin.counts.len() != cells || margin.attributes != attributes {
        return Err(Error::Answer { attributes: attributes.to_vec() }.into());
    }
    Ok(margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_are_those_of_the_continuous_laws() {
        assert_eq!(Noise::Laplace { scale: 3.0 }.variance(), 18.0);
        assert_eq!(Noise::Gaussian { sigma: 3.0 }.variance(), 9.0);
    }
}
