//! What a run will take, from the plan and the size of the data alone.

use table::Table;

use super::leaf_size;
use super::plan::{Plan, StepWay};
use super::variable_methods::Way;
use crate::run::Estimate;

/// CPU seconds that a tree takes for a record, a predictor and a level of its depth; measured on SD2011 and Adult.
const TREE_SECONDS: f64 = 5e-9;

/// CPU seconds that a regression takes for a record and a squared column of its design.
const REGRESSION_SECONDS: f64 = 2e-9;

/// CPU seconds to draw and store one value.
const DRAW_SECONDS: f64 = 1e-7;

/// The estimate for a fit to these records and one data set of the same size.
pub(super) fn estimate(plan: &Plan, records: &Table) -> Estimate {
    let rows = records.rows() as f64;
    let levels = rows.max(2.0).log2();
    let (mut seconds, mut bytes) = (0.0, 2.0 * records.bytes() as f64);
    let mut most_of_one_fit: f64 = 0.0;
    for step in &plan.steps {
        seconds += rows * DRAW_SECONDS * step.targets.len() as f64;
        match &step.way {
            StepWay::Model { method, predictors, settings, .. } => {
                let is_tree = matches!(method.way, Way::Conditional { by_donors: true, .. });
                let trees = if method.name == "cart" { 1.0 } else { f64::from(settings.trees) };
                if is_tree {
                    // Trees of half of the records, by which leaves and scores are chosen.
                    let chosen = match (settings.min_bucket, settings.scores) {
                        _ if trees > 1.0 => 0.0,
                        (None, None) => 2.0,
                        (None, Some(_)) => 1.5,
                        (Some(_), None) => 1.0,
                        (Some(_), Some(_)) => 0.0,
                    };
                    seconds +=
                        (trees + chosen) * rows * levels * (1.0 + predictors.len() as f64) * TREE_SECONDS;
                    let nodes = 2.0 * rows / f64::from(settings.min_bucket.unwrap_or(leaf_size::USUAL));
                    bytes += trees * (rows * 12.0 + nodes * 40.0) + rows * 4.0;
                    let effects = if settings.main_effects && method.name == "cart" { rows } else { 0.0 };
                    bytes += effects * 8.0;
                    let scores = if settings.scores == Some(false) || trees > 1.0 { 0.0 } else { 1.0 };
                    let of_scores = scores * (rows * 20.0 + rows.min(1e5) * 5.0 * predictors.len() as f64);
                    most_of_one_fit = most_of_one_fit.max(rows * 40.0 + effects * 50.0 + of_scores);
                } else {
                    let columns = design_columns(plan, predictors);
                    let fits = if method.name == "quantile" { f64::from(settings.bins) } else { 10.0 };
                    seconds += fits * rows * columns * columns * REGRESSION_SECONDS;
                    most_of_one_fit = most_of_one_fit.max(rows * columns * 16.0);
                }
            }
            StepWay::Sample { .. } | StepWay::Keep => bytes += rows * 12.0 * step.targets.len() as f64,
            _ => {}
        }
    }
    bytes += most_of_one_fit * rayon::current_num_threads() as f64;
    Estimate { seconds, bytes: bytes as u64 }
}

/// Columns of a design matrix of these predictors.
fn design_columns(plan: &Plan, predictors: &[usize]) -> f64 {
    let columns =
        |at: &usize| plan.variables[*at].kind.levels().map_or(1, |levels| levels.len().max(2) - 1) as f64;
    1.0 + predictors.iter().map(columns).sum::<f64>()
}
