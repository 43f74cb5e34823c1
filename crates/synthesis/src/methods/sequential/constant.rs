//! `constant`: one value for all records, as a recipe writes it.

use table::expression::Value;
use table::{Kind, Variable};

/// A TOML value as a value of the variable, if it is one.
pub(super) fn constant(variable: &Variable, value: &toml::Value) -> Option<Value> {
    if value.as_str() == Some("") {
        return variable.missing.then_some(Value::Missing);
    }
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    let code = variable.codes.iter().find(|code| number == Some(code.value));
    if let Some(code) = code {
        return Some(Value::Code(code.value));
    }
    match &variable.kind {
        Kind::Categorical { levels } | Kind::Ordinal { levels } => {
            let text = value
                .as_str()
                .map(str::to_owned)
                .or_else(|| value.as_integer().map(|number| number.to_string()));
            text.and_then(|text| levels.position(&text)).map(Value::Level)
        }
        Kind::Integer { range } => number
            .filter(|number| {
                number.fract() == 0.0
                    && range.is_none_or(|(low, high)| (low as f64..=high as f64).contains(number))
            })
            .map(Value::Number),
        Kind::Real { range } => number
            .filter(|number| range.is_none_or(|(low, high)| (low..=high).contains(number)))
            .map(Value::Number),
        Kind::Date { format, range } => {
            let text =
                value.as_str().map(str::to_owned).or_else(|| value.as_datetime().map(ToString::to_string))?;
            let day = table::date::DateFormat::Iso.parse(&text).or_else(|| format.parse(&text))?;
            range
                .is_none_or(|(first, last)| (first..=last).contains(&day))
                .then_some(Value::Number(f64::from(day)))
        }
        Kind::Datetime { format, range } => {
            let text =
                value.as_str().map(str::to_owned).or_else(|| value.as_datetime().map(ToString::to_string))?;
            let time = format.parse_written(&text)?;
            range
                .is_none_or(|(first, last)| (first..=last).contains(&time))
                .then_some(Value::Number(time as f64))
        }
        Kind::TextId => None,
    }
}
