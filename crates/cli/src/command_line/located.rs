//! Errors about a file that a person wrote, with the line to mend.

use std::path::Path;

use synthesis::SynthesisError;
use table::TableError;

use super::Failure;

impl Failure {
    /// The same failure with the line of the recipe or of the schema that it is about, where there is one.
    pub(super) fn located_in(self, recipe: Option<&Path>, schema: Option<&Path>) -> Self {
        let place = match &self {
            Self::Synthesis(SynthesisError::Option { name, .. }) => {
                place(recipe, |text| synthesis::recipe::line_of(text, name))
            }
            Self::Synthesis(SynthesisError::Table(error)) | Self::Table(error) => {
                place(schema, |text| schema_line(text, error))
            }
            _ => None,
        };
        match place {
            Some(place) => Self::Located { place, failure: Box::new(self) },
            None => self,
        }
    }
}

/// The file and line, if `line_of` finds one.
fn place(path: Option<&Path>, line_of: impl Fn(&str) -> Option<usize>) -> Option<String> {
    let path = path?;
    let line = line_of(&std::fs::read_to_string(path).ok()?)?;
    Some(format!("{}, line {line}", path.display()))
}

/// The line of a schema that an error is about: that of the expression, else that of the variable.
fn schema_line(text: &str, error: &TableError) -> Option<usize> {
    let holding = |part: &str| text.lines().position(|line| line.contains(part)).map(|line| line + 1);
    let message = error.to_string();
    let quoted = |before: &str, after: &str| {
        let (_, rest) = message.split_once(before)?;
        rest.split_once(after).and_then(|(expression, _)| holding(expression))
    };
    match error {
        TableError::Expression { expression, .. } => holding(expression),
        TableError::Variable { name, .. } => quoted("the rule `when ", " then ")
            .or_else(|| synthesis::recipe::line_of(text, &format!("variables.{name}"))),
        _ => quoted("the rule `when ", " then ").or_else(|| quoted("the impossible `", "` occurs")),
    }
}
