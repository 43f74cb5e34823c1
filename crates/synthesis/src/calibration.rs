//! Weights of synthetic records: positive, and raked to totals that a person gives.
//!
//! A weight says how many units of the population a record stands for. It is drawn like any number; what a method draws at or below zero is raised to the smallest positive
//! weight of the data set. On request the weights are then calibrated by raking (Deville, Särndal & Sautory 1993): they are multiplied, variable by variable and again, by
//! total / weighted count of each level, until all totals are met. Factors are positive, and so the weights stay.

use std::collections::BTreeMap;
use std::sync::Arc;

use table::column::Numbers;
use table::schema::Role;
use table::{Column, Kind, Schema, Table};

use crate::SynthesisError;

/// Totals of the population, by variable and level.
pub(crate) type Totals = BTreeMap<String, BTreeMap<String, f64>>;

const MOST_ROUNDS: usize = 1000;
/// Totals are met to this share of themselves.
const TOLERANCE: f64 = 1e-9;

fn refuse<T>(name: &str, message: impl Into<String>) -> Result<T, SynthesisError> {
    Err(SynthesisError::option(format!("after.calibrate.{name}"), message.into()))
}

/// Refuses totals that no weights of this schema could meet.
pub(crate) fn check(totals: &Totals, schema: &Schema) -> Result<(), SynthesisError> {
    if totals.is_empty() {
        return Ok(());
    }
    let Some(weight) = schema.with_role(Role::Weight) else {
        let message = "no variable of the schema is the weight; say `role = \"weight\"` of one";
        return Err(SynthesisError::option("after.calibrate", message));
    };
    if !matches!(weight.kind, Kind::Real { .. }) || weight.formula.is_some() {
        let message = format!(
            "`{}` must be real and not computed, because calibrated weights are no whole numbers",
            weight.name
        );
        return Err(SynthesisError::option("after.calibrate", message));
    }
    let mut sum: Option<f64> = None;
    for (name, of_levels) in totals {
        let variable = schema
            .variable(name)
            .map_err(|error| SynthesisError::option(format!("after.calibrate.{name}"), error.to_string()))?;
        let Some(levels) = variable.kind.levels() else {
            return refuse(name, format!("totals are of levels, and the kind is {}", variable.kind.name()));
        };
        for (level, total) in of_levels {
            if levels.position(level).is_none() {
                return refuse(name, format!("'{level}' is not one of its levels"));
            }
            if !(total.is_finite() && *total > 0.0) {
                return refuse(name, format!("the total of '{level}' must be a number above 0"));
            }
        }
        if variable.missing {
            return refuse(
                name,
                "it may be missing, and the totals do not say how many such records stand for; calibrate to another variable",
            );
        }
        let own: f64 = of_levels.values().sum();
        if sum.is_some_and(|sum| (own / sum - 1.0).abs() > 1e-6) {
            return refuse(
                name,
                "its totals add up to another population than those of the variables before it",
            );
        }
        sum = Some(own);
    }
    Ok(())
}

/// The schema of calibrated records: their weights may lie outside the range of the original ones.
pub(crate) fn schema(schema: &Schema, totals: &Totals) -> Result<Schema, SynthesisError> {
    let weight = schema.with_role(Role::Weight).filter(|_| !totals.is_empty());
    let Some(weight) = weight.map(|weight| weight.name.clone()) else { return Ok(schema.clone()) };
    Ok(schema.clone().without_range_of(&weight)?)
}

/// The records with weights above zero that meet the totals.
pub(crate) fn calibrated(table: Table, totals: &Totals) -> Result<Table, SynthesisError> {
    let Some(at) = table
        .schema()
        .with_role(Role::Weight)
        .and_then(|weight| table.schema().position_of(&weight.name).ok())
    else {
        return Ok(table);
    };
    let positive = match &table.columns()[at] {
        Column::Integer(numbers) if numbers.values().any(|value| value <= 0) => {
            Some(Column::Integer(numbers.clone().map(|value| value.max(1))))
        }
        Column::Real(numbers) if numbers.values().any(|value| value <= 0.0) => {
            let least = numbers.values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
            let least = if least.is_finite() { least } else { 1.0 };
            Some(Column::Real(numbers.clone().map(|value| if value > 0.0 { value } else { least })))
        }
        _ => None,
    };
    if positive.is_none() && totals.is_empty() {
        return Ok(table);
    }
    let (schema, mut columns) = table.into_parts();
    if let Some(positive) = positive {
        columns[at] = positive;
    }
    if let (false, Column::Real(numbers)) = (totals.is_empty(), &columns[at]) {
        let mut weights: Vec<f64> = numbers.values().collect();
        rake(&schema, &columns, &mut weights, totals)?;
        columns[at] = Column::Real(Numbers::complete(weights));
    }
    Ok(Table::new(Arc::clone(&schema), columns)?)
}

fn rake(
    schema: &Schema,
    columns: &[Column],
    weights: &mut [f64],
    totals: &Totals,
) -> Result<(), SynthesisError> {
    let mut margins = Vec::with_capacity(totals.len());
    for (name, of_levels) in totals {
        let at = schema.position_of(name)?;
        let (Some(levels), Column::Categorical(codes)) = (schema.variables()[at].kind.levels(), &columns[at])
        else {
            continue;
        };
        let wanted: Vec<Option<f64>> = levels.iter().map(|level| of_levels.get(level).copied()).collect();
        let counts = codes.frequencies(levels.len() + 1);
        for ((level, wanted), count) in levels.iter().zip(&wanted).zip(&counts) {
            match (wanted, count) {
                (Some(_), 0) => {
                    return refuse(
                        name,
                        format!(
                            "no synthetic record has the level '{level}', and none can stand for its total"
                        ),
                    );
                }
                (None, 1..) => {
                    return refuse(
                        name,
                        format!("the level '{level}' occurs and has no total; give one of every level"),
                    );
                }
                _ => {}
            }
        }
        margins.push((codes, wanted));
    }
    for _ in 0..MOST_ROUNDS {
        let mut furthest = 0.0_f64;
        for (codes, wanted) in &margins {
            let mut sums = vec![0.0; wanted.len()];
            codes.iter().zip(weights.iter()).for_each(|(code, weight)| sums[code as usize] += weight);
            let factors: Vec<f64> = wanted
                .iter()
                .zip(&sums)
                .map(|(wanted, sum)| wanted.map_or(1.0, |wanted| wanted / sum))
                .collect();
            furthest = factors.iter().fold(furthest, |furthest, factor| furthest.max((factor - 1.0).abs()));
            codes.iter().zip(weights.iter_mut()).for_each(|(code, weight)| *weight *= factors[code as usize]);
        }
        if furthest < TOLERANCE {
            return Ok(());
        }
    }
    let message = "no weights meet all totals at once: some combination of levels has no record; calibrate to fewer variables";
    Err(SynthesisError::option("after.calibrate", message))
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn sample(weights: [&str; 5]) -> Table {
        let schema = "[variables.w]\nkind = \"real\"\nrole = \"weight\"\n[variables.sex]\nkind = \"categorical\"\n[variables.town]\nkind = \"categorical\"\n";
        let rows = ["F,a", "M,a", "F,b", "M,b", "F,a"];
        let text: String =
            weights.iter().zip(rows).map(|(weight, row)| format!("{weight},{row}\n")).collect();
        let schema = Some(SchemaFile::parse(schema).unwrap());
        read_csv_text(&format!("w,sex,town\n{text}"), &ReadOptions { schema, ..ReadOptions::default() })
            .unwrap()
    }

    fn totals(text: &str) -> Totals {
        toml::from_str(text).unwrap()
    }

    fn weighted(table: &Table, name: &str, code: u32) -> f64 {
        let (Column::Categorical(codes), Column::Real(weights)) =
            (table.column(name).unwrap(), table.column("w").unwrap())
        else {
            panic!("columns")
        };
        codes.iter().zip(weights.values()).filter(|(own, _)| *own == code).map(|(_, weight)| weight).sum()
    }

    #[test]
    fn totals_are_met_and_weights_stay_positive() {
        let totals = totals("sex = { F = 600, M = 400 }\ntown = { a = 700, b = 300 }");
        let table = sample(["10", "12.5", "0", "20", "-3"]);
        check(&totals, table.schema()).unwrap();
        let raked = calibrated(table, &totals).unwrap();
        for (name, code, total) in
            [("sex", 0, 600.0), ("sex", 1, 400.0), ("town", 0, 700.0), ("town", 1, 300.0)]
        {
            assert!((weighted(&raked, name, code) / total - 1.0).abs() < 1e-8, "{name} {code}");
        }
        let Column::Real(weights) = raked.column("w").unwrap() else { panic!("real") };
        assert!(weights.values().all(|weight| weight > 0.0));
        let kept = calibrated(sample(["10", "12.5", "7", "20", "3"]), &Totals::new()).unwrap();
        assert_eq!(kept, sample(["10", "12.5", "7", "20", "3"]));
    }

    #[test]
    fn totals_that_cannot_be_met_are_refused_by_name() {
        let table = sample(["10", "12.5", "7", "20", "3"]);
        let refused = |text: &str| {
            let totals = totals(text);
            check(&totals, table.schema())
                .and_then(|()| calibrated(table.clone(), &totals).map(|_| ()))
                .unwrap_err()
                .to_string()
        };
        assert!(refused("sex = { F = 600, X = 400 }").contains("'X'"));
        assert!(refused("sex = { F = 600 }").contains("'M'"));
        assert!(
            refused("sex = { F = 600, M = 400 }\ntown = { a = 1, b = 1 }").contains("another population")
        );
        assert!(refused("w = { a = 1 }").contains("kind"));
        assert!(refused("age = { a = 1 }").contains("age"));
        assert!(refused("sex = { F = 0, M = 400 }").contains("above 0"));
    }
}
