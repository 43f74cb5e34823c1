//! What theory says of a contestant before anything is generated.
//!
//! In a saturated model the distribution of every synthetic count is known beforehand (Jackson, Mitra, Francis & Dove 2022, section 2), and with
//! it the expected replicated uniques and the τ metrics; of `catall` the replicated uniques are known. See [`crate::plan`].

use measures::Settings;
use measures::risk::intruder::Mechanism;
use statistics::counts::CountFamily;
use synthesis::Recipe;
use table::{Kind, Table, Variable};
use toml::Value;

use super::axes::AxisName;
use crate::plan::{self, Catall, CellSizes, PlanError, ReplicatedUniques, Tau};

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
    let mut expect_uniques = |uniques: ReplicatedUniques| {
        if is_categorical && sizes.cells_of_size(1) > 0 {
            expect("uniques.ru", 100.0 * uniques.share_of_records);
            expect("uniques.ru_of_p1", 100.0 * uniques.share_of_uniques);
        }
    };
    match recipe.method.as_str() {
        "catall" => {
            let catall = Catall::new(recipe.rows.unwrap_or(sizes.records()))
                .with_prior(number(recipe, "nprior").unwrap_or(0.0))?;
            expect_uniques(ReplicatedUniques::of_catall(sizes, &catall));
        }
        "saturated" => {
            let Some((family, alpha, scale)) = saturated(recipe) else { return Ok(Vec::new()) };
            let mechanism =
                plan::Mechanism::new(family).with_alpha(alpha)?.with_scale(scale)?.with_m(recipe.m)?;
            expect_uniques(ReplicatedUniques::of_saturated(sizes, &mechanism)?);
            if let [(k, d)] = settings.tau.at[..] {
                let tau = Tau::exact(sizes, &mechanism, k, d)?;
                if sizes.cells_of_size(k) > 0 {
                    expect("tau.3", tau.tau3);
                    tau.tau4.into_iter().for_each(|tau4| expect("tau.4", tau4));
                }
            }
        }
        _ => {}
    }
    Ok(expected)
}

/// The mechanism that McClure's intruder knows, where the cells that are measured are the generator's own.
pub fn mechanism(table: &Table, recipe: &Recipe) -> Option<Mechanism> {
    if recipe.privacy.is_some()
        || !recipe.strata.is_empty()
        || !recipe.after.is_empty()
        || !has_fixed_classes(table)
    {
        return None;
    }
    match recipe.method.as_str() {
        "catall" => Mechanism::catall(number(recipe, "nprior").unwrap_or(0.0)).ok(),
        "saturated" => {
            let (family, alpha, scale) = saturated(recipe)?;
            Mechanism::saturated(family, alpha, scale).ok()
        }
        _ => None,
    }
}

/// By which all means of a recipe are multiplied.
pub fn scale(recipe: &Recipe) -> f64 {
    if recipe.method == "saturated" { number(recipe, "scale").unwrap_or(1.0) } else { 1.0 }
}

/// Family, α and scale of a saturated recipe.
fn saturated(recipe: &Recipe) -> Option<(CountFamily, f64, f64)> {
    let family = recipe.options.get("family").and_then(Value::as_str).unwrap_or("nbi");
    let sigma = number(recipe, "sigma").or((family != "poisson").then_some(0.5));
    let family = CountFamily::from_options(family, sigma, number(recipe, "nu")).ok()?;
    Some((family, number(recipe, "alpha").unwrap_or(0.0), scale(recipe)))
}

fn number(recipe: &Recipe, option: &str) -> Option<f64> {
    match recipe.options.get(option)? {
        Value::Float(value) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    }
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
