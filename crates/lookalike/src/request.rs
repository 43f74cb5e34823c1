//! What every front door needs of a job: the files that it reads, how it is done, and how its outcome is shown.

use std::path::PathBuf;

use serde_json::Value;
use table::watch::Watch;

use crate::{Connections, Error};

/// A job, as a front door carries it out: it checks its own outputs against [`inputs`](Self::inputs), performs the job, shows the text to
/// people and the JSON to machines.
///
/// ```
/// use lookalike::prelude::*;
///
/// let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\n", &ReadOptions::default())?;
/// let request = DescribeRequest::new(Data::records("people", people));
/// let described = request.perform(&Watch::default())?;
/// assert!(request.text(&described).starts_with("people"));
/// assert_eq!(request.json(&described)["rows"], 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Request {
    /// What comes of it.
    type Outcome;

    /// All files that it reads, none of which results may replace.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// All files and folders that it opens: a front door that confines itself allows these and no others.
    fn reads(&self) -> Vec<PathBuf> {
        self.inputs()
    }

    /// What it connects to: a front door that confines itself allows this and nothing else.
    fn connects(&self) -> Connections {
        Connections::default()
    }

    /// All files and folders that it writes; each is made beside its place first and then renamed.
    fn outputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Does the job.
    fn perform(&self, watch: &Watch) -> Result<Self::Outcome, Error>;

    /// The outcome for people.
    fn text(&self, outcome: &Self::Outcome) -> String;

    /// The outcome for people who want every number in words; the same where there is no more to say.
    fn text_in_full(&self, outcome: &Self::Outcome) -> String {
        self.text(outcome)
    }

    /// The outcome for machines.
    fn json(&self, outcome: &Self::Outcome) -> Value;

    /// Remarks for whoever runs the job, not to be published with its outcome.
    fn notes(&self, _: &Self::Outcome) -> Vec<String> {
        Vec::new()
    }

    /// Whether what was examined is as it should be.
    fn passed(&self, _: &Self::Outcome) -> bool {
        true
    }
}
