//! What one table says of an estimand under the design of its sample: weighted estimates, with variances by linearisation.
//!
//! | estimand | q | v |
//! |---|---|---|
//! | mean, share, table | Σ wᵢ yᵢ / Σ wᵢ | of the total of wᵢ (yᵢ − q) / Σ w over strata and clusters |
//! | quantile | smallest y with Σ_{yᵢ ≤ y} wᵢ ≥ p Σ w | Woodruff (1952): from the variance of the share below q |
//! | coefficient | of the weighted regression | of the total of its influence values (Binder 1983) |
//!
//! Records outside a class, and those without a value, keep their place in the design, as R's `survey` does it.

use models::{Survey, fit_survey};
use table::{CodedTable, Table};

use crate::estimates::{Estimate, InClasses, Measured, NORMAL, of_model};
use crate::shares::ShareLayout;
use crate::{Estimand, InferenceError};

const NO_RECORD: &str = "no record with a weight is in its class";
const NO_FREEDOM: &str = "no stratum has two clusters, and nothing can be said of its variance";

/// Every quantity of the estimand in a table that was drawn by this design.
pub fn survey_estimates(
    table: &Table,
    estimand: &Estimand,
    survey: &Survey,
) -> Result<Vec<Estimate>, InferenceError> {
    let design = &survey.design;
    let measured = |found: Option<(f64, f64)>| match found {
        None => Err(NO_RECORD),
        Some(_) if design.degrees_of_freedom() <= 0.0 => Err(NO_FREEDOM),
        Some((estimate, variance)) => Ok(Measured { estimate, variance }),
    };
    match estimand {
        Estimand::Model { formula, family } => Ok(of_model(fit_survey(table, formula, *family, survey)?)),
        Estimand::Mean { of, by } => {
            let classes = InClasses::of(table, of, by, "mean")?;
            let mean = |cell: usize| {
                let value =
                    |row: usize| classes.at(row).filter(|(own, _)| *own == cell).map(|(_, value)| value);
                Estimate { name: classes.name(cell, of), value: measured(design.mean(value)) }
            };
            Ok((0..classes.cells()).map(mean).collect())
        }
        Estimand::Quantile { of, p, by } => {
            let classes = InClasses::of(table, of, by, "quantiles")?;
            let quantile = |cell: usize| Estimate {
                name: classes.name(cell, of),
                value: quantile(&classes, cell, *p, survey).and_then(|found| measured(Some(found))),
            };
            Ok((0..classes.cells()).map(quantile).collect())
        }
        Estimand::Share { .. } | Estimand::Table { .. } => {
            let layout = ShareLayout::of(table.schema(), estimand)?;
            let coded = CodedTable::in_domain(table, layout.domain())?;
            let cells: Vec<usize> = (0..table.rows()).map(|row| layout.cell_of(&coded, row)).collect();
            let shares = layout.shares();
            let share = |one: &crate::ShareOf| {
                let group = &shares.groups[one.group];
                let value = |row: usize| {
                    let cell = cells[row];
                    group.contains(&cell).then_some(if cell == one.cell { 1.0 } else { 0.0 })
                };
                Estimate { name: one.name.clone(), value: measured(design.mean(value)) }
            };
            Ok(shares.shares.iter().map(share).collect())
        }
    }
}

/// Records that the interval of a quantile needs on both sides of it.
const FEWEST_BESIDE_A_QUANTILE: usize = 5;

fn quantile(
    classes: &InClasses<'_>,
    cell: usize,
    p: f64,
    survey: &Survey,
) -> Result<(f64, f64), &'static str> {
    let weights = survey.design.weights();
    let own = |row: usize| classes.at(row).filter(|(own, _)| *own == cell).map(|(_, value)| value);
    let mut values: Vec<(f64, f64)> =
        (0..weights.len()).filter_map(|row| Some((own(row)?, weights[row]))).collect();
    values.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    if total <= 0.0 {
        return Err(NO_RECORD);
    }
    let at = |share: f64| {
        let mut sum = 0.0;
        let wanted = share.clamp(0.0, 1.0) * total * (1.0 - 1e-12);
        let reached = values.iter().find(|(_, weight)| {
            sum += weight;
            sum >= wanted
        });
        reached.map_or(values[values.len() - 1].0, |(value, _)| *value)
    };
    let estimate = at(p);
    let below = values.iter().filter(|(value, _)| *value < estimate).count();
    let above = values.iter().filter(|(value, _)| *value > estimate).count();
    if below.min(above) < FEWEST_BESIDE_A_QUANTILE {
        return Err("fewer than five records lie beyond it");
    }
    let share = survey.design.mean(|row| own(row).map(|value| if value <= estimate { 1.0 } else { 0.0 }));
    let error = NORMAL * share.ok_or(NO_RECORD)?.1.sqrt();
    let deviation = (at(p + error) - at(p - error)) / (2.0 * NORMAL);
    Ok((estimate, deviation * deviation))
}

#[cfg(test)]
#[allow(clippy::excessive_precision)] // Numbers as R prints them.
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    /// The invented sample of `crates/models/testdata`, with the numbers of R's survey package that `survey.R` there prints.
    fn found(estimand: &str) -> Vec<(String, f64, f64)> {
        let text = include_str!("../../models/testdata/survey.csv");
        let schema = "[variables.region]\nkind = \"categorical\"\nrole = \"stratum\"\n[variables.household]\nkind = \"integer\"\nrole = \"cluster\"\n\
            [variables.w]\nkind = \"real\"\nrole = \"weight\"\n[variables.age]\nkind = \"integer\"\n[variables.town]\nkind = \"categorical\"\n\
            [variables.income]\nkind = \"real\"\nmissing = true\n[variables.children]\nkind = \"integer\"\n";
        let schema = Some(SchemaFile::parse(schema).unwrap());
        let table = read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
        let survey = Survey::of(&table).unwrap().unwrap();
        assert_eq!((survey.design.degrees_of_freedom(), survey.design.lonely()), (7.0, 1));
        let found = survey_estimates(&table, &Estimand::parse(estimand).unwrap(), &survey).unwrap();
        found
            .into_iter()
            .map(|one| (one.name, one.value.unwrap().estimate, one.value.unwrap().variance.sqrt()))
            .collect()
    }

    fn close(found: &[(String, f64, f64)], golden: &[(f64, f64)]) {
        assert_eq!(found.len(), golden.len(), "{found:?}");
        for ((name, estimate, error), (q, se)) in found.iter().zip(golden) {
            assert!(
                (estimate / q - 1.0).abs() < 1e-12 && (error / se - 1.0).abs() < 1e-9,
                "{name}: {estimate} {error}, R {q} {se}"
            );
        }
    }

    #[test]
    fn means_and_shares_are_those_of_r() {
        close(&found("mean(income)"), &[(1.510507880910683e+03, 1.909147591285146e+02)]);
        let by = [
            (1.170212765957447e+03, 2.075778971524250e+02),
            (1.385067873303167e+03, 2.357134614631172e+02),
            (2.076543209876543e+03, 1.269485290022080e+02),
        ];
        close(&found("mean(income) by town"), &by);
        let shares = [
            (3.170320404721754e-01, 1.531895762657118e-01),
            (4.097807757166948e-01, 1.411918547807217e-01),
            (2.731871838111298e-01, 1.183672276317677e-01),
        ];
        close(&found("share(town)"), &shares);
        close(&found("table(town)"), &shares);
    }
}
