//! Differential privacy that is exact, declared and paid for.
//!
//! - [`Epsilon`], [`Delta`], [`Rho`], [`Guarantee`], [`Neighbours`]: what is promised, and to whom.
//! - [`Cost`]: a loss in whole units of 2⁻⁴⁰. Budgets round down, costs round up, sums are exact, and noise is drawn with
//!   exactly the loss that was paid.
//! - [`noise`]: exact integer noise, and private choices.
//! - [`NoiseSource`]: the operating system's randomness, or a test seed that voids the guarantee and says so.
//! - [`PrivacyLedger`]: the books. It refuses before anything is looked at, and its [`LedgerRecord`] can be checked by anyone.
//! - [`conversion`]: from one notion of privacy to another, never understating.
//! - [`SampledGaussian`]: what many steps of Gaussian noise on sampled records cost.
//! - [`audit`]: what many runs prove about ε.
//!
//! # The privacy arguments
//!
//! | mechanism | guarantee | sensitivity | theorem |
//! |---|---|---|---|
//! | [`noise::DiscreteLaplace::for_cost`] | ε-DP | L1 of the integers, Δ; rate ε/Δ | Ghosh, Roughgarden & Sundararajan 2012 |
//! | [`noise::DiscreteGaussian::for_cost`] | ρ-zCDP | L2 of the integers, Δ₂; σ² = Δ₂²/(2ρ) | Canonne, Kamath & Steinke 2020, Thm. 4 |
//! | [`GuardedTable::descend`] | (ε, δ)-DP | longest of the sampled integer vectors, Δ; σ = s/Δ | [`SampledGaussian`], proved there after Mironov, Talwar & Zhang 2019 |
//! | [`noise::permute_and_flip`] | ε-DP | largest change of a score, Δ; coins of exp(−ε·gap/(2Δ)) | McKenna & Sheldon 2020, Thm. 1 |
//! | [`noise::exponential_mechanism`] | ε-DP, ε²/8-zCDP | the same | McSherry & Talwar 2007; Cesar & Rogers 2021 |
//!
//! One record changes a histogram by one in one cell under add-remove neighbours (Δ = Δ₂² = 1), and by one in two cells under replace-one (Δ = Δ₂² = 2).
//! All cells of a histogram are measured by one event: its loss is that of the whole vector, by the norm.
//!
//! Composition is [`PrivacyLedger`]'s: sums over events, the largest of disjoint parts, both also for adaptive choices. Whatever is computed from
//! noisy answers alone is free (post-processing), and so is a release of a noisy count held within the 64-bit integers.
//!
//! What the arguments rest on: the secrecy and quality of the operating system's randomness and of ChaCha20 as its extension (guarantees
//! are computational in that sense), public domains and budgets, and no side channel such as the time of a draw, which depends on the noise.
//!
//! ```
//! use privacy::{Budget, Epsilon, Event, Neighbours, NoiseSource, PrivacyLedger, noise::DiscreteLaplace};
//!
//! let mut ledger = PrivacyLedger::open(Budget::pure(Epsilon::new(1.0)?)?, Neighbours::AddRemove, "person");
//! let mut noise = NoiseSource::from_operating_system()?;
//! let shares = ledger.budget().cost().split(&[1.0, 2.0])?;
//!
//! ledger.spend(Event::discrete_laplace("sex", shares[0], 1)?)?; // pay, then look
//! let law = DiscreteLaplace::for_cost(shares[0], 1)?;
//! let noisy: Vec<i64> = [517, 483].into_iter().map(|count| law.add_to(count, noise.rng())).collect();
//! # let _ = noisy;
//! assert_eq!(ledger.left().cost(), ledger.budget().cost().saturating_sub(shares[0]));
//! # Ok::<(), privacy::PrivacyError>(())
//! ```

pub mod audit;
#[cfg(test)]
mod chi_square;
pub mod conversion;
mod cost;
#[cfg(test)]
mod draws;
mod error;
mod guarantee;
mod guard;
pub mod ledger;
pub mod noise;
mod randomness;
mod sampled_gaussian;
#[cfg(test)]
mod scripted;

pub use cost::Cost;
pub use error::PrivacyError;
pub use guarantee::{Delta, Epsilon, Guarantee, Neighbours, Rho};
pub use guard::{
    Bound, Candidates, DENSE_CELLS, Dependence, DescentPlan, Expected, ExpectedGroups, ExpectedMargin, GRID,
    GroupedMargin, GuardedColumns, GuardedTable, LazyCells, Learner, NoiseLaw, NoisyCells, NoisyCounts,
    PriorWeight, ScaledVariable, ScoredGroups, threshold,
};
pub use ledger::{
    Budget, Charge, DeltaCost, Event, LedgerRecord, Mechanism, Notion, Parallel, PrivacyLedger, Sensitivity,
};
pub use randomness::{KeyedNoise, NoiseSource, NoiseStream};
pub use sampled_gaussian::SampledGaussian;
