//! Papers repeated number by number: what they print beside what this software finds.
//!
//! | paper | what is repeated | needs |
//! |---|---|---|
//! | [`raab2022`] | Tables 1 to 3 and Figure 1: private and plain synthesis of categorical tables | SD2011, and an extract of the American Community Survey |
//! | [`mcclure2012`] | Table 1 exactly, Figures 1 to 4: an intruder's posterior | nothing |
//! | [`jackson2022`] | Figures 1 to 6 and Table 2: the number of data sets | nothing |
//! | [`taub2020`] | Tables 1 to 10 and the risk-utility map: the Synthetic Data Challenge | the Edinburgh file |
//! | [`drechsler2023`] | the quirks of SD2011 and the utility of sequential synthesis | SD2011 |
//!
//! Printed numbers are facts and stand in the source; data do not. Every run is a function of its seed.

pub mod drechsler2023;
pub mod jackson2022;
pub mod mcclure2012;
pub mod raab2022;
mod reproduction;
pub mod school_census;
pub mod social_diagnosis;
mod table_marks;
pub mod taub2020;
pub mod text;

pub use report::{Figure, Series};
pub use reproduction::{Cell, Ours, ReproducedTable, Reproduction, Rule, Verdict};
pub use table_marks::TableMarks;

use std::path::{Path, PathBuf};

use inference::InferenceError;
use measures::MeasureError;
use synthesis::SynthesisError;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::{Table, TableError, similar_name};

use frontier::plan::PlanError;

/// A paper that can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where it was published.
    pub citation: &'static str,
    /// What is repeated.
    pub repeats: &'static str,
    /// The files it needs; none for a paper of computations.
    pub data: &'static [DataSource],
    /// How often random runs are made unless something else is asked for.
    pub runs: u32,
    /// Repeats it.
    pub run: fn(&Request<'_>) -> Result<Reproduction, ReproduceError>,
}

/// A public file that a paper needs.
#[derive(Clone, Copy, Debug)]
pub struct DataSource {
    /// What it is called here.
    pub name: &'static str,
    /// Columns by which it is known.
    pub columns: &'static [&'static str],
    /// Where it comes from.
    pub origin: &'static str,
    /// Which part of the paper needs it.
    pub needed_for: &'static str,
    /// Whether the paper cannot be repeated at all without it.
    pub required: bool,
}

/// What is asked for.
pub struct Request<'a> {
    /// Files of data, in any order; each is known by its columns.
    pub data: &'a [PathBuf],
    /// How often random runs are made.
    pub runs: u32,
    /// What all randomness comes from.
    pub seed: u64,
    /// Receives what is being done, for people who wait.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// Every paper.
pub const PAPERS: &[Paper] =
    &[raab2022::PAPER, mcclure2012::PAPER, jackson2022::PAPER, taub2020::PAPER, drechsler2023::PAPER];

/// Why a paper could not be repeated.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// No such paper.
    #[error("there is no paper `{name}`{hint}; known are {known}", known = known_papers())]
    UnknownPaper {
        /// What was asked for.
        name: String,
        /// "; did you mean …?" or empty.
        hint: String,
    },
    /// A file that is none of those the paper needs.
    #[error("{path}: this is not a file that {paper} needs: {reason}", path = path.display())]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The paper.
        paper: &'static str,
        /// Which columns are missing for each file that it could be.
        reason: String,
    },
    /// A file with the paper's columns and other records.
    #[error("{path}: {reason}; the file that is meant is {meant}", path = path.display())]
    OtherRecords {
        /// The file.
        path: PathBuf,
        /// By what it is known to be another one.
        reason: String,
        /// Where the right one comes from.
        meant: &'static str,
    },
    /// A paper of computations was given data.
    #[error("{paper} needs no data; leave out --data")]
    NoDataNeeded {
        /// The paper.
        paper: &'static str,
    },
    /// Two files for one need.
    #[error("{path}: {name} was already given; give each file once", path = path.display())]
    GivenTwice {
        /// The second file.
        path: PathBuf,
        /// What both are.
        name: &'static str,
    },
    /// Too few runs.
    #[error("--repeat {runs}: at least {least} runs are needed for a standard error")]
    TooFewRuns {
        /// What was asked for.
        runs: u32,
        /// How many it must be.
        least: u32,
    },
    /// Something about the data.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A generator.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// A measure.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A combining rule or a posterior.
    #[error(transparent)]
    Inference(#[from] InferenceError),
}

impl ReproduceError {
    /// Whether the request is wrong, rather than the data.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::UnknownPaper { .. }
                | Self::NoDataNeeded { .. }
                | Self::GivenTwice { .. }
                | Self::TooFewRuns { .. }
        )
    }
}

fn known_papers() -> String {
    PAPERS.iter().map(|paper| paper.name).collect::<Vec<_>>().join(", ")
}

impl Paper {
    /// The paper of this name.
    ///
    /// ```
    /// use papers::Paper;
    /// assert_eq!(Paper::named("mcclure2012").unwrap().data.len(), 0);
    /// let error = Paper::named("mcclure2021").unwrap_err().to_string();
    /// assert!(error.starts_with("there is no paper `mcclure2021`; did you mean `mcclure2012`?"), "{error}");
    /// ```
    pub fn named(name: &str) -> Result<&'static Self, ReproduceError> {
        PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| ReproduceError::UnknownPaper {
            name: name.to_owned(),
            hint: similar_name::hint(name, PAPERS.iter().map(|paper| paper.name)),
        })
    }

    /// Repeats the paper. Without a file that it cannot do without, nothing is run; see [`lacks`](Self::lacks).
    pub fn reproduce(&self, request: &Request<'_>) -> Result<Reproduction, ReproduceError> {
        if self.data.is_empty() && !request.data.is_empty() {
            return Err(ReproduceError::NoDataNeeded { paper: self.name });
        }
        if request.runs < 2 {
            return Err(ReproduceError::TooFewRuns { runs: request.runs, least: 2 });
        }
        (self.run)(request)
    }

    /// Whether a file is missing without which nothing can be repeated.
    pub fn lacks(&self, data: &[PathBuf]) -> bool {
        data.is_empty() && self.data.iter().any(|source| source.required)
    }

    /// An empty reproduction of this paper.
    fn begin(&self) -> Reproduction {
        Reproduction {
            paper: self.name.to_owned(),
            citation: self.citation.to_owned(),
            tables: Vec::new(),
            figures: Vec::new(),
            misprints: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// The given files in the order of [`data`](Self::data), each known by its columns.
    fn files(&self, request: &Request<'_>) -> Result<Vec<Option<PathBuf>>, ReproduceError> {
        let mut files: Vec<Option<PathBuf>> = self.data.iter().map(|_| None).collect();
        for path in request.data {
            (request.progress)(&format!("looking at {}", path.display()));
            let place = self.place_of(path)?;
            if files[place].is_some() {
                return Err(ReproduceError::GivenTwice { path: path.clone(), name: self.data[place].name });
            }
            files[place] = Some(path.clone());
        }
        Ok(files)
    }

    /// Which of the paper's files this one is.
    fn place_of(&self, path: &Path) -> Result<usize, ReproduceError> {
        let table = read_table(path, &ReadOptions::default())?;
        let missing = |source: &DataSource| -> Vec<&str> {
            let absent = source.columns.iter().filter(|name| table.schema().variable(name).is_err());
            absent.copied().collect()
        };
        let lacking: Vec<Vec<&str>> = self.data.iter().map(missing).collect();
        lacking.iter().position(Vec::is_empty).ok_or_else(|| {
            let reasons = self.data.iter().zip(&lacking).map(|(source, lacking)| {
                format!("for {} it lacks the columns {}", source.name, lacking.join(", "))
            });
            let reason = reasons.collect::<Vec<_>>().join("; ");
            ReproduceError::OtherFile { path: path.to_owned(), paper: self.name, reason }
        })
    }
}

/// Reads a file under a schema in which gaps are allowed.
fn read_under(path: &Path, schema: &str) -> Result<Table, ReproduceError> {
    let schema = SchemaFile::parse(schema)?;
    Ok(read_table(path, &ReadOptions { schema: Some(schema), ..ReadOptions::default() })?)
}
