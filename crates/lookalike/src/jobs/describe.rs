//! What a table is, what is risky about it, and a draft of its schema.

use std::path::PathBuf;
use std::sync::Arc;

use table::profile::{Profile, ViolationProfile, profile, profile_of_files};
use table::read::ReadOptions;
use table::schema::SchemaFile;
use table::sql::SqlProfile;
use table::watch::Watch;
use table::{Grouping, Schema, StreamedTable, Table, TableError, output_file};

use crate::{Connections, Data, Error, Request};

/// Asks what a table is.
///
/// ```
/// use lookalike::{Data, DescribeRequest, Watch};
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let people = read_csv_text("sex,age\nF,31\nM,47\nF,31\n", &ReadOptions::default())?;
/// let described = DescribeRequest::new(Data::records("people", people)).run(&Watch::default())?;
/// assert_eq!((described.profile.rows, described.profile.cells.as_str()), (3, "4"));
/// assert!(described.draft().contains("[variables.sex]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DescribeRequest {
    /// The table.
    pub data: Data,
    /// Variables by which an intruder might know a record: how many records are unique on them.
    pub keys: Vec<String>,
    /// The file to write a draft of the schema to; only its owner can read it.
    pub write_schema: Option<PathBuf>,
    /// Whether that is the draft without what very few records have.
    pub for_publication: bool,
    /// Whether a file of that name may be replaced.
    pub replace: bool,
}

/// What a table is.
#[derive(Clone, Debug)]
pub struct DescribeOutcome {
    /// Every variable with what a person should know of it, and the cross-table.
    pub profile: Profile,
    schema: Schema,
    for_publication: Schema,
    /// Columns that were not looked at, with their types.
    left_out: Vec<(String, String)>,
}

impl DescribeRequest {
    /// Asks this of a table.
    pub fn new(data: Data) -> Self {
        Self { data, keys: Vec::new(), write_schema: None, for_publication: false, replace: false }
    }

    /// Reads the table and describes it. A table that does not keep its schema is described with what breaks it.
    pub fn run(&self, watch: &Watch) -> Result<DescribeOutcome, Error> {
        if let Some(path) = &self.write_schema {
            output_file::check("write-schema", path, &self.data.inputs(), self.replace)?;
        }
        if let Some(there) = self.data.described_there(&self.keys, watch)? {
            let SqlProfile { profile, schema, for_publication, left_out } = there;
            let schema = schema.with_missing_tokens(self.data.missing().to_vec());
            return self.written(DescribeOutcome { profile, schema, for_publication, left_out });
        }
        if let Some(files) = self.data.streamed(watch)? {
            return self.describe_files(&files);
        }
        let table = self.data.read_unchecked(watch)?;
        let (table, violations) = under_schema(table, &self.data.options(watch)?)?;
        // Copies of columns that are sorted, and the cells of the cross-table.
        table::memory::require(2 * table.bytes() as u64, "describing the table")?;
        let mut profile = profile(&table, &self.keys, &Grouping::default())?;
        profile.violations = violations;
        let schema = table.schema_with_parents().with_missing_tokens(self.data.missing().to_vec());
        let for_publication = schema.for_publication(&table);
        self.written(DescribeOutcome { profile, schema, for_publication, left_out: Vec::new() })
    }

    /// Describes files that are read block by block: levels and ranges are those of all records, notes those of a sample.
    fn describe_files(&self, files: &StreamedTable) -> Result<DescribeOutcome, Error> {
        let (profile, sample) = profile_of_files(files, &self.keys)?;
        let schema = files.schema().clone().with_missing_tokens(self.data.missing().to_vec());
        let for_publication = schema.for_publication(&sample);
        self.written(DescribeOutcome { profile, schema, for_publication, left_out: Vec::new() })
    }

    fn written(&self, outcome: DescribeOutcome) -> Result<DescribeOutcome, Error> {
        if let Some(path) = &self.write_schema {
            let draft = if self.for_publication { outcome.draft_for_publication() } else { outcome.draft() };
            output_file::write_private(path, draft.as_bytes(), self.replace)?;
        }
        Ok(outcome)
    }
}

impl Request for DescribeRequest {
    type Outcome = DescribeOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        self.data.inputs()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.data.inputs().into_iter().chain(self.data.opens().0).collect()
    }

    fn connects(&self) -> Connections {
        self.data.opens().1
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.write_schema.clone().into_iter().collect()
    }

    fn perform(&self, watch: &Watch) -> Result<DescribeOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, described: &DescribeOutcome) -> String {
        let mut text = report::profile_text(&self.data.place(), &described.profile);
        if let Some(path) = &self.write_schema {
            let path = path.display();
            text.push_str(&format!(
                "\nThe draft of the schema is in {path}. Review it; then use it with --schema {path}.\n"
            ));
        }
        text
    }

    fn json(&self, described: &DescribeOutcome) -> serde_json::Value {
        serde_json::json!(described.profile)
    }

    fn notes(&self, described: &DescribeOutcome) -> Vec<String> {
        let broken = "error: the table does not keep its schema; mend the records or the schema";
        let left_out = described.left_out.iter().map(|(name, held)| {
            format!("note: column `{name}` is not looked at: a table cannot hold its type, {held}; cast it in a view")
        });
        (!described.keeps_schema()).then(|| broken.to_owned()).into_iter().chain(left_out).collect()
    }

    fn passed(&self, described: &DescribeOutcome) -> bool {
        described.keeps_schema()
    }
}

impl DescribeOutcome {
    /// Whether the table keeps the schema that it was read under.
    pub fn keeps_schema(&self) -> bool {
        self.profile.violations.is_empty()
    }

    /// The schema as a draft in TOML for a person to review, each variable's notes as comments.
    pub fn draft(&self) -> String {
        let notes = self.profile.variables.iter().map(|variable| variable.notes.as_slice());
        self.schema.to_toml_with_notes(&notes.collect::<Vec<_>>())
    }

    /// The same draft without what very few records have: ranges rounded outwards, and a gap that a person must fill in where levels are rare. Notes, which
    /// are about the records, are left out.
    pub fn draft_for_publication(&self) -> String {
        self.for_publication.to_toml()
    }

    /// The draft, declared public by a person for this reason: the levels and ranges that the records show become those of the release.
    pub fn declare(&self, reason: &str) -> Result<SchemaFile, Error> {
        let mut file = SchemaFile::parse(&self.draft())?;
        file.table.declared = true;
        file.table.reason = Some(reason.to_owned());
        file.clone().finish()?;
        Ok(file)
    }
}

/// The table under the schema, or as it is with what breaks the schema.
fn under_schema(table: Table, options: &ReadOptions) -> Result<(Table, Vec<ViolationProfile>), TableError> {
    let Some(schema) = options.schema_of(table.schema())? else { return Ok((table, Vec::new())) };
    match table.clone().conform(Arc::new(schema)) {
        Ok(conformed) => Ok((conformed, Vec::new())),
        Err(TableError::Violations(violations)) => {
            Ok((table, violations.all().iter().map(ViolationProfile::from).collect()))
        }
        Err(other) => Err(other),
    }
}
