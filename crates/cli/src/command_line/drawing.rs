//! What commands that write a release ask for: how much, from which seed, in which format, where to.

use std::path::{Path, PathBuf};

use ::release::{
    Attachment, Books, INTERNAL_FOLDER, Input, LEDGER, Manifest, Release, check_target, sha256_of_file,
};
use clap::{Args, ValueEnum};
use privacy::LedgerRecord;
use synthesis::{Fitted, Recipe, SynthesisError};
use table::figures::thousands;
use table::write::Format;

/// How data sets are drawn and written.
#[derive(Debug, Args)]
pub(super) struct Drawing {
    /// How many data sets to make
    #[arg(long, value_name = "M")]
    m: Option<u32>,
    /// Records in each data set [default: as many as the data]; in a private run it is taken for their number, unless --records says that
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// The seed; one seed, one output [default: from the operating system]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The format of the data files
    #[arg(long)]
    format: Option<FileFormat>,
    /// The folder to write; it must not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace the folder if it is an earlier release
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileFormat {
    Csv,
    Parquet,
}

impl Drawing {
    /// The folder to write, checked early for what would be refused at the end.
    pub(super) fn out(&self) -> Result<&Path, SynthesisError> {
        let Some(out) = &self.out else {
            return Err(SynthesisError::option("out", "name the folder to write with --out DIR"));
        };
        check_target(out, self.force)?;
        Ok(out)
    }

    /// Whether an earlier release may be replaced.
    pub(super) fn force(&self) -> bool {
        self.force
    }

    /// The option that makes more or fewer data sets or records than the recipe says.
    pub(super) fn changes_amount(&self) -> Option<&'static str> {
        self.m.map(|_| "--m").or_else(|| self.rows.map(|_| "--rows"))
    }

    /// The recipe with what these options say on top.
    pub(super) fn on_top_of(&self, recipe: Recipe) -> Recipe {
        Recipe {
            m: self.m.unwrap_or(recipe.m),
            rows: self.rows.or(recipe.rows),
            seed: self.seed.or(recipe.seed),
            format: match self.format {
                Some(FileFormat::Csv) => Format::Csv,
                Some(FileFormat::Parquet) => Format::Parquet,
                None => recipe.format,
            },
            ..recipe
        }
    }

    /// Writes the release of a model that was fitted to, or read from, the file `input`.
    pub(super) fn write(
        &self,
        fitted: &Fitted,
        recipe: &Recipe,
        input: &Path,
        ledger: Option<&LedgerRecord>,
        attachments: Vec<Attachment>,
    ) -> Result<Manifest, SynthesisError> {
        let facts = Input { rows: fitted.original_rows() as u64, columns: fitted.schema().variables().len() };
        let input_sha256 = sha256_of_file(input)?;
        let books = ledger.map(|record| Books { record, page: report::ledger_markdown(record) });
        Release { fitted, recipe, input: facts, input_sha256, books, not_covered: None, attachments }
            .write(self.out()?, self.force)
    }
}

/// What was written, for people.
pub(super) fn summary(out: &Path, manifest: &Manifest, remarks: &[String]) -> String {
    let data_sets = if manifest.m == 1 {
        "one synthetic data set".to_owned()
    } else {
        format!("{} synthetic data sets", manifest.m)
    };
    let mut text = format!("{}: {data_sets} by {}\n", out.display(), manifest.method);
    let (pictures, files): (Vec<_>, Vec<_>) =
        manifest.files.iter().partition(|file| file.name.starts_with("pictures/"));
    for file in files {
        let rows = file.rows.map_or_else(String::new, |rows| format!("  {} records", thousands(rows)));
        text.push_str(&format!("  {}{rows}\n", file.name));
    }
    if !pictures.is_empty() {
        text.push_str(&format!("  pictures/  {} of them\n", pictures.len()));
    }
    remarks.iter().for_each(|remark| text.push_str(&format!("  {remark}\n")));
    text.push_str(&format!("  schema.toml is from {}\n", manifest.schema_from));
    text.push_str(&format!("  {}\n", manifest.guarantee));
    if !manifest.files.iter().any(|file| file.name == LEDGER) {
        text.push_str(&format!("  {INTERNAL_FOLDER}/ holds the seed; it must not leave the house\n"));
    }
    text
}
