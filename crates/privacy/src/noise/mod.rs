//! Exact noise on integers.
//!
//! No floating-point number takes part in a decision here: each draw has exactly the distribution that its doc comment
//! states, given a generator of independent uniform bits. Floating-point noise leaks (Mironov 2012), and so does
//! noise that is only close to its distribution.
//!
//! Two ways lead to exactness. A coin of rational probability a/b is a uniform integer below b compared with a, and a coin of
//! probability exp(−a/b) is made of such coins (Canonne, Kamath & Steinke 2020, Algorithm 1, after von Neumann and
//! Forsythe). A coin whose probability is known only by bounds compares a uniform number with the bounds and takes more
//! bits of both until it is decided (`bernoulli_by_enclosure`).
//!
//! Arithmetic is on machine integers wherever it is exact there, and on big ones beyond; each function states the boundary.

mod bernoulli;
mod discrete_gaussian;
mod discrete_laplace;
mod enclosure;
mod selection;
mod uniform;

pub(crate) use bernoulli::bernoulli_by_enclosure;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use enclosure::Enclosure;
pub(crate) use enclosure::any_exceeds;
pub use selection::{exponential_mechanism, permute_and_flip};
pub use uniform::uniform_below_u64;
pub(crate) use uniform::{uniform_below, uniform_below_u128};

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
