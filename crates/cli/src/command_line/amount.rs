//! What commands that write data sets ask for: how much, from which seed, in which format, where to.

use std::path::{Path, PathBuf};

use ::release::Layout;
use clap::Args;
use lookalike::{Amount, Error};
use table::write::Format;

/// How data sets are drawn and written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct AmountOptions {
    /// How many data sets to make
    #[arg(long, value_name = "M")]
    m: Option<u32>,
    /// Records in each data set [default: as many as the data]; in a private run it is taken for their number, unless --records says that
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// The seed; one seed, one output [default: from the operating system]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The format of the data files: csv, csv.gz, csv.zst, jsonl, parquet, arrow, sav, zsav, dta or xlsx [default: csv]
    #[arg(long)]
    format: Option<Format>,
    /// Write texts to CSV that a spreadsheet would run as a formula as they are; otherwise an apostrophe is put before them
    #[arg(long)]
    keep_formulas: bool,
    /// The folder to write; it must not exist, or with --force be an earlier release
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// In how many files a data set is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct FileOptions {
    /// Write each data set in P files, synthetic-1/part-00000 and so on, drawn and written on all cores; one after the other they are the data set
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    parts: Option<u32>,
    /// The same in files of R records
    #[arg(long, value_name = "R", conflicts_with = "parts", value_parser = clap::value_parser!(u64).range(1..))]
    rows_per_file: Option<u64>,
}

impl FileOptions {
    /// What they say.
    pub(super) fn layout(&self) -> Layout {
        match (self.parts, self.rows_per_file) {
            (Some(parts), _) => Layout::Parts(parts),
            (None, Some(rows)) => Layout::RowsPerFile(rows),
            (None, None) => Layout::OneFile,
        }
    }
}

impl AmountOptions {
    /// The folder to write.
    pub(super) fn out(&self) -> Result<&Path, Error> {
        let missing = || Error::Usage("--out: name the folder to write with --out DIR".into());
        self.out.as_deref().ok_or_else(missing)
    }

    /// What overrides a recipe.
    pub(super) fn amount(&self) -> Amount {
        let Self { m, rows, seed, format, keep_formulas, .. } = *self;
        Amount { m, rows, seed, format, keep_formulas }
    }
}
