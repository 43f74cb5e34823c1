//! Why a job was not done, in one type for every front door.

use std::path::Path;

use engines::EngineError;
use frontier::FrontierError;
use frontier::plan::PlanError;
use inference::InferenceError;
use measures::MeasureError;
use models::ModelError;
use privacy::PrivacyError;
use release::signature::SignatureError;
use synthesis::SynthesisError;
use table::TableError;

/// Why a job was not done. [`kind`](Self::kind) says what the caller can do about it; the message names the file, column or option and
/// the way out, and never a value of the table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something about the data, the schema or a file.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A generator, its options or its recipe.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// A plan that cannot be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A question that the measures cannot answer.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A frontier that cannot be computed.
    #[error(transparent)]
    Frontier(FrontierError),
    /// A question that synthetic files cannot answer.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// A version that breaks a limit.
    #[error(
        "nothing was released: the version that was made breaks {broken}; choose another one, or say why it may be released nevertheless with the \
         option `exception`{spent}"
    )]
    LimitsBroken {
        /// The limits, with the reason where there is no number.
        broken: String,
        /// What another try costs, if it costs something.
        spent: &'static str,
    },
    /// A key that cannot be used, or something that could not be signed.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// Options that do not fit together, or that mean nothing here.
    #[error("{0}")]
    Usage(String),
    /// Refused to protect the records.
    #[error("{0}")]
    Refused(String),
    /// An error about a line of a file that a person wrote.
    #[error("{place}: {error}")]
    Located {
        /// The file and the line.
        place: String,
        /// What is wrong there.
        error: Box<Error>,
    },
}

/// What the caller can do about an [`Error`].
///
/// ```
/// use lookalike::prelude::*;
///
/// let missing = DescribeRequest::new(Data::file("no such file.csv")).run(&Watch::default());
/// assert_eq!(missing.err().map(|error| error.kind()), Some(ErrorKind::CouldNot));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The job could not be done with these data, files or machine.
    CouldNot,
    /// The request is wrong: mend the options, the recipe or the schema.
    Usage,
    /// The request would disclose what must not be disclosed.
    Refused,
    /// The job was cancelled from outside.
    Cancelled,
}

impl Error {
    /// A problem with one option of a request.
    pub(crate) fn option(name: &str, message: impl std::fmt::Display) -> Self {
        Self::Usage(format!("option `{name}`: {message}"))
    }

    /// What the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Located { error, .. } => error.kind(),
            Self::Usage(_) | Self::Plan(_) => ErrorKind::Usage,
            Self::Refused(_) => ErrorKind::Refused,
            Self::LimitsBroken { .. } => ErrorKind::CouldNot,
            Self::Signature(SignatureError::File(error)) => of_table(error),
            Self::Signature(SignatureError::Sign(_)) => ErrorKind::CouldNot,
            Self::Signature(_) => ErrorKind::Usage,
            Self::Table(error) => of_table(error),
            Self::Synthesis(error) => of_synthesis(error),
            Self::Measure(error) => of_measure(error),
            Self::Frontier(FrontierError::Option { .. } | FrontierError::Grid { .. }) => ErrorKind::Usage,
            Self::Frontier(_) => ErrorKind::CouldNot,
            Self::Inference(error) => of_inference(error),
        }
    }

    /// The same error with the line of the recipe or of the schema that it is about, where there is one.
    pub(crate) fn located_in(self, recipe: Option<&Path>, schema: Option<&Path>) -> Self {
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
            Some(place) => Self::Located { place, error: Box::new(self) },
            None => self,
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Usage(message) => Self::Usage(message),
            EngineError::Table(error) => Self::Table(error),
        }
    }
}

impl From<FrontierError> for Error {
    /// An error of a crate below keeps its own kind.
    fn from(error: FrontierError) -> Self {
        match error {
            FrontierError::Table(error) => error.into(),
            FrontierError::Synthesis(error) => error.into(),
            FrontierError::Measure(error) => error.into(),
            FrontierError::Plan(error) => error.into(),
            other => Self::Frontier(other),
        }
    }
}

fn of_table(error: &TableError) -> ErrorKind {
    match error {
        TableError::Cancelled => ErrorKind::Cancelled,
        TableError::Output { .. } | TableError::UnknownVariable { .. } | TableError::Memory { .. } => {
            ErrorKind::Usage
        }
        _ => ErrorKind::CouldNot,
    }
}

fn of_synthesis(error: &SynthesisError) -> ErrorKind {
    match error {
        SynthesisError::Table(error) => of_table(error),
        SynthesisError::LearnedSchema { .. }
        | SynthesisError::LearnedFromFiles
        | SynthesisError::SeedInPrivateRun => ErrorKind::Refused,
        SynthesisError::Privacy(error) => match error {
            PrivacyError::Epsilon { .. } | PrivacyError::Delta { .. } | PrivacyError::Rho { .. } => {
                ErrorKind::Usage
            }
            PrivacyError::Table(_)
            | PrivacyError::OperatingSystem { .. }
            | PrivacyError::LedgerFile { .. } => ErrorKind::CouldNot,
            _ => ErrorKind::Refused,
        },
        SynthesisError::Option { .. } | SynthesisError::Recipe { .. } => ErrorKind::Usage,
        _ => ErrorKind::CouldNot,
    }
}

fn of_measure(error: &MeasureError) -> ErrorKind {
    match error {
        MeasureError::Option { .. } | MeasureError::Regions { .. } => ErrorKind::Usage,
        MeasureError::Table(error) => of_table(error),
        MeasureError::Model(error) => of_model(error),
        _ => ErrorKind::CouldNot,
    }
}

fn of_model(error: &ModelError) -> ErrorKind {
    match error {
        ModelError::Formula { .. } => ErrorKind::Usage,
        ModelError::Table(error) => of_table(error),
        _ => ErrorKind::CouldNot,
    }
}

fn of_inference(error: &InferenceError) -> ErrorKind {
    match error {
        InferenceError::Option { .. } | InferenceError::Rule { .. } | InferenceError::Estimand { .. } => {
            ErrorKind::Usage
        }
        InferenceError::Table(error) => of_table(error),
        InferenceError::Model(error) => of_model(error),
        _ => ErrorKind::CouldNot,
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
