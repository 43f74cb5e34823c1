//! `lookalike release`: the chosen version, drawn again, with its evidence and the decision.

use std::path::PathBuf;
use std::process::ExitCode;

use ::release::decision::Publication;
use ::release::policy::Reasons;
use clap::Args;
use lookalike::{Error, ReleaseRequest, Version, read_regions};
use synthesis::Recipe;

use super::amount::AmountOptions;
use super::books::{BooksOptions, SignOptions};
use super::privacy::NoiseOptions;
use super::questions::QuestionOptions;
use super::reading::Reading;
use super::{Everywhere, Run};

/// Draw the chosen version again, measure it, hold it against the limits, and release it with reports and a decision record.
#[derive(Debug, Args)]
pub(super) struct ReleaseCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; a folder of such files or a pattern such as 'part-*.parquet' is one table; `-` is CSV from standard input
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// The folder of a frontier: its recommendation is released, by its keys, targets, models and limits
    #[arg(long, value_name = "DIR", required_unless_present = "recipe", conflicts_with = "recipe")]
    frontier: Option<PathBuf>,
    /// A recipe file, instead of a frontier
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    /// Another contestant of the frontier than the one it recommends
    #[arg(long, value_name = "NAME", requires = "frontier")]
    choose: Option<String>,
    /// The person or body that accepts the release; it is published
    #[arg(long, value_name = "WHO")]
    accepted_by: String,
    /// What they have to say; it is published
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// The terms under which the data may be used, such as "CC BY 4.0"; published
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
    /// A limit that the release must keep, such as "attribute.disco <= 5"; may be given several times [default: those of the frontier]
    #[arg(long, value_name = "LIMIT")]
    limit: Vec<String>,
    /// Acceptable regions of (RR, R) for the intruder who knows all records but one, as a limit (TOML)
    #[arg(long, value_name = "FILE")]
    regions: Option<PathBuf>,
    /// Release although a limit is broken, for this reason; it is published, unless the release is private
    #[arg(long, value_name = "REASON")]
    exception: Option<String>,
    /// Choose or accept a private version by what was measured against the original, for this reason: no ledger covers that look, and everything
    /// written says so
    #[arg(long, value_name = "REASON")]
    unpaid_look: Option<String>,
    /// Release although the schema was learned from the records, for this reason: its levels and ranges, also rare and extreme ones, are
    /// released with it
    #[arg(long, value_name = "REASON")]
    learned_schema: Option<String>,
    /// Release without any limit, for this reason; it is published
    #[arg(long, value_name = "REASON")]
    no_limits: Option<String>,
    /// Release a version of a table of fewer than 30 records, for this reason; it is published
    #[arg(long, value_name = "REASON")]
    small_table: Option<String>,
    /// Leave copies of unique original records in the release, for this reason; it is published [default: they are removed]
    #[arg(long, value_name = "REASON")]
    keep_copies: Option<String>,
    /// Use the seed of --seed, of the recipe or else of the frontier, so that the release can be made again by whoever knows or guesses it; the manifest says so
    /// [default: a secret seed]
    #[arg(long)]
    reproducible: bool,
    /// Measures, or families of them, whose findings may be shown outside [default: none]
    #[arg(long, value_name = "MEASURE,…", value_delimiter = ',', requires = "because")]
    publish: Vec<String>,
    /// Why they may be shown: measuring reads the original again, and no ledger covers it
    #[arg(long, value_name = "REASON", requires = "publish")]
    because: Option<String>,
    /// What the release is called in its reports [default: the name of its folder]
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    questions: QuestionOptions,
    #[command(flatten)]
    amount: AmountOptions,
    #[command(flatten)]
    noise: NoiseOptions,
    #[command(flatten)]
    books: BooksOptions,
    #[command(flatten)]
    signature: SignOptions,
}

impl Run for ReleaseCommand {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let out = self.amount.out()?;
        everywhere.carry_out(&ReleaseRequest {
            amount: self.amount.amount(),
            replace: everywhere.force,
            name: self.name.clone(),
            note: self.note.clone(),
            licence: self.licence.clone(),
            limits: self.limit.clone(),
            regions: self.regions.as_deref().map(read_regions).transpose()?,
            reasons: Reasons {
                exception: self.exception.clone(),
                unpaid_look: self.unpaid_look.clone(),
                learned_schema: self.learned_schema.clone(),
                no_limits: self.no_limits.clone(),
                small_table: self.small_table.clone(),
            },
            reproducible: self.reproducible,
            keep_copies: self.keep_copies.clone(),
            publish: Publication { measures: self.publish.clone(), reason: self.because.clone() },
            questions: self.questions.questions(),
            noise: self.noise.noise(),
            books: self.books.books(),
            sign: self.signature.signing(),
            read_from: self.recipe.iter().chain(&self.regions).cloned().collect(),
            ..ReleaseRequest::new(self.reading.data(&self.data), self.version()?, &self.accepted_by, out)
        })
    }
}

impl ReleaseCommand {
    fn version(&self) -> Result<Version, Error> {
        match (&self.frontier, &self.recipe) {
            (Some(folder), _) => {
                Ok(Version::OfFrontier { folder: folder.clone(), choose: self.choose.clone() })
            }
            (None, Some(path)) => Ok(Version::OfRecipe(Box::new(Recipe::read(path)?))),
            (None, None) => Err(Error::Usage("name a --frontier or a --recipe".into())),
        }
    }
}
