//! `least-squares`: the plainest fit to noisy margins.
//!
//! Among all distributions p, the one with the least Σ (n·p − y)² ÷ (2v) over the cells of all measured margins,
//! with v the variance of their noise; where that leaves a choice, the most even one. Computed as the
//! penalised fit (see `penalised`) with targets y and penalties r = v × `EVENNESS`, which is its dual:
//! evenness then weighs so little beside the squares that a smaller number changes nothing that noise does not
//! hide.
//!
//! Privacy: the table is seen through [`ProtectedTable`] alone, the prices add up to the budget, and the rest is
//! post-processing.

use crate::FittedModel;
use crate::error::Error;
use crate::noisy::margin_budget::MarginBudget;
use crate::noisy::measurement::{Measurement, MeasurementError, ProtectedTable};
use crate::penalised::{self, PenalisedOptions, Term};

/// What a record's worth of evenness weighs beside a squared error of one variance.
pub(crate) const EVENNESS: f64 = 0.01;

/// Refuses margins whose model would be too large to be fitted: before anything is measured.
pub fn check(budget: &MarginBudget) -> Result<(), Error> {
    let sets: Vec<&[usize]> = budget.attributes().collect();
    penalised::choose(budget.sizes(), &sets, &PenalisedOptions::default()).map(|_| ())
}

/// Measures the margins and fits them.
pub fn run<T: ProtectedTable>(
    budget: &MarginBudget,
    table: &mut T,
) -> Result<FittedModel, MeasurementError<T::Error>> {
    let measured = budget.measure(table)?;
    Ok(fit(budget.sizes(), budget.records() as f64, &measured)?)
}

/// The fit of `records` records to measurements of a domain with these `sizes`.
pub fn fit(sizes: &[usize], records: f64, measured: &[Measurement]) -> Result<FittedModel, Error> {
    let terms: Vec<Term> = measured
        .iter()
        .map(|margin| {
            let target: Vec<f64> = margin.counts.iter().map(|&count| count as f64).collect();
            let penalty = vec![EVENNESS * margin.noise.variance(); target.len()];
            Term::new(margin.attributes.clone(), target, penalty)
        })
        .collect();
    Ok(penalised::fit(sizes, records, &terms, &PenalisedOptions::default())?.model)
}
