//! What commands that write data sets ask for: how much, from which seed, in which format, where to.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lookalike::Amount;
use table::write::Format;

use super::Failure;

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
    /// The format of the data files
    #[arg(long)]
    format: Option<FileFormat>,
    /// Write texts to CSV that a spreadsheet would run as a formula as they are; otherwise an apostrophe is put before them
    #[arg(long)]
    keep_formulas: bool,
    /// The folder to write; it must not exist, or with --force be an earlier release
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileFormat {
    Csv,
    Parquet,
}

impl AmountOptions {
    /// The folder to write.
    pub(super) fn out(&self) -> Result<&Path, Failure> {
        let missing = || Failure::Usage("--out: name the folder to write with --out DIR".into());
        self.out.as_deref().ok_or_else(missing)
    }

    /// What overrides a recipe.
    pub(super) fn amount(&self) -> Amount {
        let format = self.format.map(|format| match format {
            FileFormat::Csv => Format::Csv,
            FileFormat::Parquet => Format::Parquet,
        });
        Amount { m: self.m, rows: self.rows, seed: self.seed, format, keep_formulas: self.keep_formulas }
    }
}
