//! Why an engine could not, in one sentence. Its own text is not repeated: it may quote a value.

use datafusion::error::DataFusionError;
use table::TableError;

use crate::place::Workers;

/// What went wrong, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A connection was refused or lost.
    Connection,
    /// No executor is left.
    NoExecutors,
    /// A file is not where it should be.
    Files,
    /// A value does not fit what the schema says of its column.
    Values,
    /// There is too little memory.
    Memory,
    /// A column of the schema is not there, or cannot be used as it says.
    Columns,
    /// Something else.
    Other,
}

impl Failure {
    /// What an error of the engine is about. Those of a cluster are plain texts, so that the words decide.
    pub(crate) fn of(error: &DataFusionError) -> Self {
        match error.find_root() {
            DataFusionError::ResourcesExhausted(_) => return Self::Memory,
            DataFusionError::ArrowError(..) => return Self::Values,
            DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => return Self::Files,
            DataFusionError::Plan(_) | DataFusionError::SchemaError(..) => return Self::Columns,
            _ => {}
        }
        let text = error.to_string().to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if says(&["all executors were lost", "no executor"]) {
            Self::NoExecutors
        } else if says(&["cast error", "cannot cast", "can't cast", "parser error", "arrow error"]) {
            Self::Values
        } else if says(&["resources exhausted", "memory pool"]) {
            Self::Memory
        } else if says(&["no such file", "not found", "object store", "permission denied"]) {
            Self::Files
        } else if says(&[
            "h2 protocol",
            "transport",
            "connect",
            "broken pipe",
            "fetch",
            "unavailable",
            "timed out",
            "timeout",
        ]) {
            Self::Connection
        } else {
            Self::Other
        }
    }

    /// The sentence.
    pub(crate) fn sentence(self, workers: &Workers) -> TableError {
        let because = match self {
            Self::Connection => match workers {
                Workers::Here => "the connection to the object store was lost".to_owned(),
                Workers::Cluster { host, port } => format!(
                    "the scheduler at {host}:{port} cannot be reached, or was lost; start it (lookalike-cluster scheduler) and run again, nothing was written"
                ),
            },
            Self::NoExecutors => {
                "no executor is left; start some (lookalike-cluster executor) and run again, nothing was written".into()
            }
            Self::Files => "a file cannot be read; every worker must find the files under the same name as this machine, and may have to be allowed to read them".into(),
            Self::Values => "a column holds something that cannot be counted as the schema says".into(),
            Self::Memory => "the engine has too little memory for this; give it more, or ask for fewer variables together".into(),
            Self::Columns => "a column of the schema is not in the files, or is of another type there".into(),
            Self::Other => "the engine failed; its own log says why, and is not repeated because it may quote a value".into(),
        };
        TableError::schema("engine", format!("could not count: {because}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_cluster_are_told_without_its_values() {
        let execution = |text: &str| Failure::of(&DataFusionError::Execution(text.to_owned()));
        assert_eq!(execution("code: 'Unknown error', message: \"h2 protocol error\""), Failure::Connection);
        assert_eq!(
            execution("Job x failed: all executors were lost and no executor re-registered"),
            Failure::NoExecutors
        );
        assert_eq!(
            execution("Cast error: Cannot cast string 'secret' to value of Float64 type"),
            Failure::Values
        );
        assert_eq!(execution("Object at location /data/x not found"), Failure::Files);
        assert_eq!(execution("something"), Failure::Other);
        let cluster = Workers::Cluster { host: "node1".into(), port: 50_050 };
        let sentence = Failure::Connection.sentence(&cluster).to_string();
        assert!(sentence.contains("node1:50050"), "{sentence}");
    }
}
