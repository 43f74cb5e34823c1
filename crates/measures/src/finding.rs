//! One answer of one measure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a measure found on some variables: a number, or the reason why there is none.
///
/// ```
/// use measures::{Better, Finding};
/// let finding = Finding::value("tables.s_pmse", ["sex", "age"], 0.5, Some(1.0), Better::Lower);
/// let text = serde_json::to_string(&finding).unwrap();
/// assert_eq!(
///     text,
///     r#"{"measure":"tables.s_pmse","on":["sex","age"],"value":0.5,"null":1.0,"better":"lower","detail":{}}"#
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The measure's name, as on its card.
    pub measure: String,
    /// The variables it is about; none when it is about the whole table.
    pub on: Vec<String>,
    /// The number; `null` when it cannot be computed.
    pub value: Option<f64>,
    /// What a generator that is right in all respects would be expected to score; `null` when that is not known.
    pub null: Option<f64>,
    /// In which direction a synthetic table gets better.
    pub better: Better,
    /// Why there is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What else belongs to the number.
    #[serde(default)]
    pub detail: Map<String, Value>,
}

/// In which direction a measure gets better for the purpose it serves: closeness for utility, safety for risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// It describes, and does not judge.
    Neither,
}

impl Finding {
    /// A finding with a number. A number that is not finite is no number, and the finding says so.
    pub fn value(
        measure: impl Into<String>,
        on: impl IntoIterator<Item = impl Into<String>>,
        value: f64,
        null: Option<f64>,
        better: Better,
    ) -> Self {
        Self {
            measure: measure.into(),
            on: on.into_iter().map(Into::into).collect(),
            value: value.is_finite().then_some(value),
            null: null.filter(|null| null.is_finite()),
            better,
            because: (!value.is_finite()).then(|| "the computation did not give a finite number".to_owned()),
            detail: Map::new(),
        }
    }

    /// A finding without a number.
    pub fn undefined(
        measure: impl Into<String>,
        on: impl IntoIterator<Item = impl Into<String>>,
        better: Better,
        because: impl ToString,
    ) -> Self {
        Self {
            measure: measure.into(),
            on: on.into_iter().map(Into::into).collect(),
            value: None,
            null: None,
            better,
            because: Some(because.to_string()),
            detail: Map::new(),
        }
    }

    /// The family that its measure belongs to.
    pub fn family(&self) -> &str {
        self.measure.split_once('.').map_or(self.measure.as_str(), |(family, _)| family)
    }

    /// The same finding with one more detail.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(key.to_owned(), value.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_computed_is_null_with_a_reason() {
        let finding =
            Finding::undefined("tables.s_vw", ["sex"], Better::Lower, "all records fall into one cell");
        let text = serde_json::to_string(&finding).unwrap();
        assert_eq!(
            text,
            r#"{"measure":"tables.s_vw","on":["sex"],"value":null,"null":null,"better":"lower","because":"all records fall into one cell","detail":{}}"#
        );
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding);
        let infinite = Finding::value("x", ["sex"], f64::INFINITY, None, Better::Higher);
        assert!(infinite.value.is_none() && infinite.because.is_some());
    }
}
