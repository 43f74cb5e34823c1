//! `lookalike attack`: can single records be found in what a method would release?

use std::path::PathBuf;
use std::process::ExitCode;

use ::frontier::attack::AttackPlan;
use clap::Args;
use lookalike::{AttackRequest, Error};
use synthesis::Recipe;

use super::books::BooksOptions;
use super::privacy::BudgetOptions;
use super::reading::Reading;
use super::{Everywhere, Run};

/// Fit a method many times with chosen records in and out of the data, and tell how well an intruder finds them in its releases.
#[derive(Debug, Args)]
pub(super) struct Attack {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The method; `lookalike methods` lists them [default: that of the recipe, else sequential, or pairwise with a budget]
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// A recipe file; options given here override it
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// An option of the method
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Records to attack: those most unlike all others
    #[arg(long, value_name = "T", default_value_t = AttackPlan::default().targets)]
    targets: usize,
    /// How often the method is fitted
    #[arg(long, value_name = "R", default_value_t = AttackPlan::default().runs)]
    runs: u32,
    /// What all randomness comes from
    #[arg(long, value_name = "S", default_value_t = AttackPlan::default().seed)]
    seed: u64,
    #[command(flatten)]
    privacy: BudgetOptions,
    #[command(flatten)]
    books: BooksOptions,
}

impl Run for Attack {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let budget = self.privacy.budget();
        let usual = || synthesis::registry::default_method(budget.is_stated());
        let mut recipe = match &self.recipe {
            Some(path) => Recipe::read(path)?,
            None => Recipe::new(usual()),
        };
        if let Some(method) = &self.method {
            recipe.method.clone_from(method);
        }
        self.set.iter().try_for_each(|assignment| recipe.set(assignment))?;
        let plan = AttackPlan { targets: self.targets, runs: self.runs, seed: self.seed };
        let data = self.reading.data(&self.data);
        let books = self.books.books();
        everywhere.carry_out(&AttackRequest {
            plan,
            books,
            ..AttackRequest::new(data, budget.on_top_of(recipe))
        })
    }
}
