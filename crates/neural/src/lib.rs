//! Small dense nets that learn to draw the records of a table, on plain arrays; nothing here knows a table.
//!
//! - [`Spans`]: how a record is written for a net: of each span one choice, and for some choices a position within.
//! - [`Vae`]: a variational autoencoder (Xu et al. 2019, TVAE).
//! - [`Gan`]: a conditional generator and its critic, by the Wasserstein distance with a gradient penalty (Xu et al. 2019, CTGAN).
//! - [`Adam`]: the steps of training (Kingma & Ba 2015).
//! - [`Mixture`]: a variational Gaussian mixture of one number, fitted to distinct values with counts.
//!
//! **Exactness.** Gradients are written by hand, the second derivatives of the gradient penalty included, and compared with finite differences in `f64`:
//! the relative difference is at most 10⁻⁶ in every tensor. Records are kept sparse: the first layer gathers the rows of its weights and scatters gradients
//! back, and nothing is multiplied by zeros.
//!
//! **One seed, one result.** Matrix products are cut into fixed pieces of output rows, never along the inner dimension, so that any number of threads
//! yields the same bytes on one kind of processor.

mod adam;
mod gan;
mod layers;
mod matrix;
mod mixture;
mod parameters;
mod real;
mod spans;
#[cfg(test)]
mod tests;
mod vae;

pub use adam::Adam;
pub use gan::{CriticChance, CriticLoss, Gan, GanShape, GeneratorChance, GeneratorLoss};
pub use mixture::{Component, Mixture};
pub use real::Real;
pub use spans::{Records, Span, Spans};
pub use vae::{Vae, VaeLoss, VaeShape};
