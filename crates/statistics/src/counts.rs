//! Count families with a mean and a dispersion: Poisson, NBI, PIG and Delaporte.
//!
//! The saturated (σ, α) mechanism replaces every cell count by a draw from one of these families whose mean is the
//! original count (Jackson, Mitra, Francis & Dove 2022). All of them are mixed Poisson laws, X | Λ ~ Poisson(Λ) with
//! Λ = mean · G and E G = 1, and they share one variance function:
//!
//! | family | G | Var X | third central moment of X |
//! |---|---|---|---|
//! | Poisson | 1 | μ | μ |
//! | NBI | gamma | μ + σμ² | μ + 3σμ² + 2σ²μ³ |
//! | PIG | inverse Gaussian | μ + σμ² | μ + 3σμ² + 3σ²μ³ |
//! | Delaporte | ν + (1 − ν) gamma | μ + σμ² | μ + 3σμ² + 2σ²μ³ / (1 − ν) |
//!
//! NBI and PIG are parametrised as in gamlss (Rigby, Stasinopoulos, Heller & De Bastiani 2019, ch. 22). Delaporte is not:
//! gamlss lets the variance μ + σ(1 − ν)²μ² move with ν; here σ keeps its meaning, and ν moves the skewness *alone*, which
//! is the third tuning parameter that Jackson's discussion asks for. ν = 0 is NBI, ν = 1/3 has the skewness of PIG.
//! (gamlss' DEL(μ, σ', ν) is this family with σ = σ'(1 − ν)².)
//!
//! σ is a *dispersion*: σμ² is the variance that the family adds to a Poisson count. It is not a standard deviation.
//!
//! ```
//! use statistics::counts::{CountFamily, Mean};
//!
//! let nbi = CountFamily::nbi(0.5)?;
//! let synthetic_count = nbi.distribution(Mean::of_count(1));
//! assert_eq!(synthetic_count.variance(), 1.5);
//! assert!((synthetic_count.probability(0) - 1.5f64.powi(-2)).abs() < 1e-15);
//! # Ok::<(), statistics::counts::CountError>(())
//! ```

mod cell_draws;
mod clusters;
mod delaporte;
mod deviance;
mod distribution;
mod family;
mod inversion_table;
mod law;
mod mixing;
mod negative_binomial;
mod poisson_inverse_gaussian;
mod root_shortfall;
mod unimodal_sum;

pub use cell_draws::CellDraws;
pub use distribution::CountDistribution;
pub use family::{CountError, CountFamily, Dispersion, Mean, PoissonShare};
pub use inversion_table::InversionTable;
