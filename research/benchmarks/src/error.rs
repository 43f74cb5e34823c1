//! What can go wrong in a measurement.

/// Why there is no number.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The case needs what is not here.
    #[error("{0}")]
    Skipped(String),
    /// The work itself failed.
    #[error("{0}")]
    Failed(String),
}

impl BenchError {
    /// A failure of the work.
    pub fn failed(error: impl ToString) -> Self {
        Self::Failed(error.to_string())
    }
}
