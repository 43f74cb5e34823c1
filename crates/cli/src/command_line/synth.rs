//! `lookalike synth`: synthetic data sets with their evidence, in a release folder.

use std::path::PathBuf;
use std::process::ExitCode;

use ::release::policy::Reasons;
use clap::Args;
use lookalike::{Data, Error, SpendingRequest, SynthesiseRequest};
use synthesis::Recipe;

use super::amount::{AmountOptions, FileOptions};
use super::books::{BooksOptions, SignOptions};
use super::privacy::Privacy;
use super::reading::Reading;
use super::{Everywhere, Run};

/// Make synthetic versions of a table.
#[derive(Debug, Args)]
pub(super) struct Synth {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input; postgresql://host/database/table is counted there
    #[arg(required_unless_present = "counts")]
    data: Option<PathBuf>,
    /// Fit to exact counts in these files instead, which `lookalike counts` wrote; those of several files are added up
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["data", "schema", "fit_rows", "declare"])]
    counts: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// The method; `lookalike methods` lists them [default: that of the recipe, else sequential; with a budget pairwise, or ipf where the cross-table is small]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// A recipe file; options given here override it
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// An option of the method
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Variables within whose cells the method is fitted apart
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    strata: Option<Vec<String>>,
    /// Groups into which a number is cut where the schema declares no cuts
    #[arg(long, value_name = "G")]
    groups: Option<u32>,
    /// Write the fitted model to this file; it may hold confidential material and then says so
    #[arg(long, value_name = "FILE")]
    save_model: Option<PathBuf>,
    /// Keep what has been fitted in this folder, and take from it what an interrupted run has fitted: the same bytes as without
    /// interruption. It is as confidential as the data, and is removed at the end
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Fit to a random sample of N records; any number can be drawn with --rows. For methods that need the records themselves, where not all fit into memory
    #[arg(long, value_name = "N")]
    fit_rows: Option<u64>,
    /// Declare the given schema public, for this reason: for a private-PGM domain or another schema that cannot say so itself. Nothing is read off
    /// the records
    #[arg(long, value_name = "REASON")]
    declare: Option<String>,
    /// Publish the schema that was learned from the records, for this reason: its levels and ranges, also rare and extreme ones, are
    /// released with the data [default: the public schema holds only what the synthetic files show]
    #[arg(long, value_name = "REASON")]
    learned_schema: Option<String>,
    /// Synthesise a table of fewer than 30 records, for this reason
    #[arg(long, value_name = "REASON")]
    small_table: Option<String>,
    #[command(flatten)]
    privacy: Privacy,
    #[command(flatten)]
    books: BooksOptions,
    #[command(flatten)]
    amount: AmountOptions,
    #[command(flatten)]
    signature: SignOptions,
    #[command(flatten)]
    files: FileOptions,
    /// Write the data sets to this table of a database too, postgresql://host/database/table, all in one transaction; several are TABLE_1, TABLE_2 and so on
    #[arg(long, value_name = "ADDRESS", help_heading = "Output")]
    into: Option<String>,
}

impl Run for Synth {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let request = SynthesiseRequest {
            usual_method: self.recipe.is_none() && self.method.is_none(),
            recipe_path: self.recipe.clone(),
            replace: everywhere.force,
            save_model: self.save_model.clone(),
            resume: self.resume.clone(),
            memory: everywhere.memory,
            fit_rows: self.fit_rows,
            layout: self.files.layout(),
            into: self.into.clone(),
            reasons: Reasons {
                learned_schema: self.learned_schema.clone(),
                small_table: self.small_table.clone(),
                ..Reasons::default()
            },
            books: self.books.books(),
            sign: self.signature.signing(),
            ..SynthesiseRequest::new(self.table()?, self.recipe()?)
        };
        if self.privacy.dry_run {
            return everywhere.carry_out(&SpendingRequest(request));
        }
        let noise = self.privacy.noise();
        everywhere.carry_out(&SynthesiseRequest { noise, ..request.into_folder(self.amount.out()?) })
    }
}

impl Synth {
    /// The table, or counts of it.
    fn table(&self) -> Result<Data, Error> {
        match &self.data {
            Some(path) => Ok(self.reading.data(path).declared_because(self.declare.as_deref())),
            None => Data::of_count_files(&self.counts),
        }
    }

    /// The recipe file, with what the command line says on top.
    fn recipe(&self) -> Result<Recipe, Error> {
        let budget = self.privacy.budget();
        let mut recipe = match (&self.recipe, &self.method) {
            (Some(path), None) => Recipe::read(path)?,
            (Some(path), Some(method)) => Recipe { method: method.clone(), ..Recipe::read(path)? },
            (None, Some(method)) => Recipe::new(method),
            (None, None) => Recipe::new(synthesis::registry::default_method(budget.is_stated())),
        };
        recipe.groups = self.groups.unwrap_or(recipe.groups);
        if let Some(strata) = &self.strata {
            recipe.strata.clone_from(strata);
        }
        self.set.iter().try_for_each(|assignment| recipe.set(assignment))?;
        Ok(self.amount.amount().on_top_of(budget.on_top_of(recipe)))
    }
}
