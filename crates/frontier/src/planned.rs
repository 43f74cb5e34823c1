//! What theory says of a contestant before anything is generated.
//!
//! Where counts are drawn cell by cell, the distribution of every synthetic count is known beforehand (Jackson, Mitra, Francis & Dove 2022,
//! section 2), and with it the expected replicated uniques and the τ metrics; where records are drawn from the shares of cells, the replicated
//! uniques are. See [`crate::plan`].

use measures::Settings;
use measures::risk::intruder::ReleaseMechanism;
use measures::risk::{tau, uniques};
use statistics::counts::CellDraws;
use synthesis::{Recipe, registry};
use table::{Kind, Table, Variable};

use super::axes::AxisName;
use crate::plan::{Catall, CellSizes, PlanError, ReplicatedUniques, SaturatedMechanism, Tau};

/// What is expected on each axis of which theory speaks; empty where it is silent.
///
/// The plan speaks of the full cross-table in the generator's own classes. The runs are measured there too if no keys are named and every variable
/// is categorical; for τ it is enough that numbers have declared cuts.
pub fn planned(
    table: &Table,
    recipe: &Recipe,
    sizes: &CellSizes,
    settings: &Settings,
) -> Result<Vec<(AxisName, f64)>, PlanError> {
    let is_plain = recipe.privacy.is_none() && recipe.strata.is_empty() && recipe.after.is_empty();
    if !is_plain || !settings.keys.is_empty() || !has_fixed_classes(table) {
        return Ok(Vec::new());
    }
    let is_categorical = variables(table).all(|variable| variable.kind.levels().is_some());
    let mut expected = Vec::new();
    let mut expect = |measure: &str, value: f64| expected.push((AxisName::new(measure), value));
    let mut expect_uniques = |again: ReplicatedUniques| {
        if is_categorical && sizes.cells_of_size(1) > 0 {
            expect(uniques::names::RU, 100.0 * again.share_of_records);
            expect(uniques::names::RU_OF_P1, 100.0 * again.share_of_uniques);
        }
    };
    match cell_draws(recipe) {
        Some(CellDraws::PriorOverAllCells { records, .. }) => {
            let catall = Catall::new(recipe.rows.unwrap_or(sizes.records())).with_prior(records)?;
            expect_uniques(ReplicatedUniques::of_catall(sizes, &catall));
        }
        Some(CellDraws::Independent { family, alpha, scale, .. }) => {
            let mechanism =
                SaturatedMechanism::new(family).with_alpha(alpha)?.with_scale(scale)?.with_m(recipe.m)?;
            expect_uniques(ReplicatedUniques::of_saturated(sizes, &mechanism)?);
            if let [(k, d)] = settings.tau.at[..] {
                let tau = Tau::exact(sizes, &mechanism, k, d)?;
                if sizes.cells_of_size(k) > 0 {
                    expect(tau::names::TAU3, tau.tau3);
                    tau.tau4.into_iter().for_each(|tau4| expect(tau::names::TAU4, tau4));
                }
            }
        }
        Some(CellDraws::PriorInEachCell { .. }) | None => {}
    }
    Ok(expected)
}

/// The mechanism that McClure's intruder knows, where the cells that are measured are the generator's own.
pub fn mechanism(table: &Table, recipe: &Recipe) -> Option<ReleaseMechanism> {
    if recipe.privacy.is_some()
        || !recipe.strata.is_empty()
        || !recipe.after.is_empty()
        || !has_fixed_classes(table)
    {
        return None;
    }
    let card = registry::method(&recipe.method).ok()?.card;
    Some(ReleaseMechanism::new(card.name, cell_draws(recipe)?))
}

/// How the recipe draws the counts of cells, where that is known.
pub fn cell_draws(recipe: &Recipe) -> Option<CellDraws> {
    recipe.records_card().ok()?.cells
}

/// Whether the classes of every variable are the same for the generator and for the measures.
fn has_fixed_classes(table: &Table) -> bool {
    variables(table).all(|variable| {
        variable.is_modelled() && (variable.kind.levels().is_some() || variable.cuts.is_some())
    })
}

fn variables(table: &Table) -> impl Iterator<Item = &Variable> {
    table.schema().variables().iter().filter(|variable| variable.kind != Kind::TextId)
}
