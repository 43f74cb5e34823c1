//! The response of a model, in the form its family needs.

use table::column::Entry;

use crate::ModelError;
use crate::stacked::Stacked;

/// The response as numbers.
pub(crate) fn number(name: &str, values: &Stacked) -> Result<Vec<f64>, ModelError> {
    match values {
        Stacked::Numbers { entries, .. } => Ok(numbers(entries)),
        Stacked::Levels { .. } => Err(ModelError::response(
            name,
            "it is categorical, and the family needs a number; choose the family logistic, multinomial or ordinal",
        )),
    }
}

/// The response as numbers of events.
pub(crate) fn count(name: &str, values: &Stacked) -> Result<Vec<f64>, ModelError> {
    let counts = number(name, values)?;
    if counts.iter().any(|count| *count < 0.0 || count.fract() != 0.0) {
        let message = "the family poisson needs whole numbers from 0; choose gaussian for other numbers";
        return Err(ModelError::response(name, message));
    }
    Ok(counts)
}

/// The response as failure 0 and success 1: the first and second level, or the numbers themselves.
pub(crate) fn binary(name: &str, values: &Stacked) -> Result<Vec<f64>, ModelError> {
    match values {
        Stacked::Levels { levels, codes } if levels.len() == 2 => {
            Ok(codes.iter().map(|code| f64::from(*code)).collect())
        }
        Stacked::Levels { levels, .. } => {
            let message = format!(
                "it has {} levels, and the family logistic needs two; choose multinomial or ordinal, or recode it",
                levels.len()
            );
            Err(ModelError::response(name, message))
        }
        Stacked::Numbers { entries, .. } => {
            let numbers = numbers(entries);
            if numbers.iter().any(|y| *y != 0.0 && *y != 1.0) {
                let message = "the family logistic needs two levels or the numbers 0 and 1; recode it";
                return Err(ModelError::response(name, message));
            }
            Ok(numbers)
        }
    }
}

/// The response as categories: the names of the levels, and one code a record.
pub(crate) fn category(name: &str, values: &Stacked) -> Result<(Vec<String>, Vec<u32>), ModelError> {
    match values {
        Stacked::Levels { levels, codes } => Ok((levels.clone(), codes.clone())),
        Stacked::Numbers { .. } => Err(ModelError::response(
            name,
            "it is a number, and the family needs levels; declare it categorical or ordinal in the schema",
        )),
    }
}

/// The numbers of records that have one.
fn numbers(entries: &[Entry<f64>]) -> Vec<f64> {
    entries.iter().map(|entry| if let Entry::Value(value) = entry { *value } else { 0.0 }).collect()
}
