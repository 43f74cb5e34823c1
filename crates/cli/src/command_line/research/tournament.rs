//! `lookalike tournament`: generators held against each other on one table.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use measures::Settings;
use measures::utility::model::ModelRequest;
use models::{Formula, ModelFamily};
use synthesis::Recipe;
use tournament::private::{Peer, peers, private_methods, private_text, private_tournament};
use tournament::{Entrant, TournamentError, generic_entrants, tournament};

use super::super::reading::Reading;
use super::super::{Everywhere, Failure};

/// Hold generators against each other on one table, by the utility and risk scores of the Synthetic Data Challenge.
#[derive(Debug, Args)]
pub(in super::super) struct TournamentCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC; `-` is CSV from standard input
    data: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// Variables by which an intruder might know a record; may be given several times
    #[arg(long, value_name = "NAME,…", required_unless_present = "private")]
    keys: Vec<String>,
    /// What an intruder might want to know [default: all variables that are not keys]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    targets: Vec<String>,
    /// A model whose coefficients should be kept, such as "income ~ sex + age"; may be given several times
    #[arg(long, value_name = "FORMULA")]
    model: Vec<String>,
    /// A recipe that takes part beside the generic ones; may be given several times
    #[arg(long, value_name = "FILE")]
    recipe: Vec<PathBuf>,
    /// Generic entrants to run, such as cart,ipf [default: cart, sample, graph, ipf, catall, saturated]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Set this share of the records apart before anything is fitted, and show them as an entrant: what a fresh sample would reach
    #[arg(long, value_name = "SHARE")]
    holdout_share: Option<f64>,
    /// Hold private methods against each other, at every ε of --epsilon: distances of one-, two- and three-way tables, S_pMSE, CPU seconds, memory
    #[arg(long, requires = "epsilon", conflicts_with_all = ["keys", "targets", "recipe", "holdout_share"])]
    private: bool,
    /// The ε of private methods
    #[arg(long, value_name = "E,…", value_delimiter = ',', requires = "private")]
    epsilon: Vec<f64>,
    /// The δ of private methods; 0 for pure ε
    #[arg(long, value_name = "D", default_value_t = 1e-9, requires = "private")]
    delta: f64,
    /// A synthetic file that another program made with this ε, to be held against ours: NAME@EPSILON=FILE; may be given several times, files of one NAME and EPSILON are its runs
    #[arg(long, value_name = "NAME@E=FILE", requires = "private")]
    peer: Vec<String>,
    /// Declare the given schema public, for this reason
    #[arg(long, value_name = "REASON", requires = "private")]
    declare: Option<String>,
    /// Runs of each entrant
    #[arg(long, value_name = "R", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// What all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// NAME@EPSILON=FILE.
fn named_peer(text: &str) -> Result<(String, f64, PathBuf), Failure> {
    let parts = text.split_once('=').and_then(|(head, path)| {
        let (name, epsilon) = head.rsplit_once('@')?;
        let epsilon: f64 =
            epsilon.parse().ok().filter(|epsilon: &f64| epsilon.is_finite() && *epsilon > 0.0)?;
        (!name.is_empty() && !path.is_empty()).then(|| (name.to_owned(), epsilon, PathBuf::from(path)))
    });
    parts.ok_or_else(|| {
        Failure::usage(format!("--peer: write `{text}` as NAME@EPSILON=FILE, such as mst@1=mst.csv"))
    })
}

impl TournamentCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if self.private {
            return self.run_private(everywhere);
        }
        let data = self.reading.data(&self.data);
        let inputs: Vec<PathBuf> = data.inputs().into_iter().chain(self.recipe.clone()).collect();
        everywhere.check_json(&inputs)?;
        let entrants = self.entrants()?;
        let settings = self.settings()?;
        let table = data.read(&everywhere.watch())?;
        let progress = |what: &str| everywhere.doing(what);
        let split = |share: f64| measures::split(&table, share, self.seed).map_err(TournamentError::from);
        let parts = self.holdout_share.map(split).transpose()?;
        let tables = match &parts {
            Some((fitted, holdout)) => (fitted, Some(holdout)),
            None => (table.as_ref(), None),
        };
        let standings = tournament(tables, &entrants, &settings, self.repeat, self.seed, &progress)?;
        everywhere
            .deliver(&tournament::text::tournament_text(&standings), || serde_json::json!(standings))?;
        Ok(ExitCode::SUCCESS)
    }

    fn run_private(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        if !self.model.is_empty() {
            return Err(Failure::usage("--model: private methods are judged by tables; leave it out".into()));
        }
        let data = self.reading.data(&self.data).declared_because(self.declare.as_deref());
        let named = self.peer.iter().map(|text| named_peer(text)).collect::<Result<Vec<_>, Failure>>()?;
        let files = named.iter().map(|(_, _, path)| path.clone());
        everywhere.check_json(&data.inputs().into_iter().chain(files).collect::<Vec<_>>())?;
        let table = data.read(&everywhere.watch())?;
        let schema = synthesis::private::declared(table.schema())?;
        let able = private_methods(&schema);
        let methods: Vec<String> = match &self.only {
            None => able.iter().map(|name| (*name).to_owned()).collect(),
            Some(only) => only.clone(),
        };
        if let Some(name) = methods.iter().find(|name| !able.contains(&name.as_str())) {
            let hint = table::similar_name::hint(name, able.iter().copied());
            return Err(Failure::usage(format!(
                "--only: `{name}` is no private method that takes this table{hint} (there are {})",
                able.join(", ")
            )));
        }
        let delta = (self.delta > 0.0).then_some(self.delta);
        let progress = |what: &str| everywhere.doing(what);
        let mut theirs = Vec::with_capacity(named.len());
        for (name, epsilon, path) in named {
            let table = data.sibling(path).read(&everywhere.watch())?.as_ref().clone();
            theirs.push(Peer { name, epsilon, table });
        }
        let theirs = peers(&table, &theirs)?;
        let ours = private_tournament(&table, &methods, &self.epsilon, delta, self.repeat, &progress)?;
        let standings: Vec<_> = ours.into_iter().chain(theirs).collect();
        everywhere.deliver(&private_text(&standings), || serde_json::json!(standings))?;
        Ok(ExitCode::SUCCESS)
    }

    fn entrants(&self) -> Result<Vec<Entrant>, Failure> {
        let mut entrants = generic_entrants();
        if let Some(only) = &self.only {
            for name in only {
                if !entrants.iter().any(|entrant| entrant.name == *name) {
                    let names = entrants.iter().map(|entrant| entrant.name.as_str());
                    let hint = table::similar_name::hint(name, names);
                    return Err(Failure::usage(format!(
                        "--only: there is no generic entrant `{name}`{hint}"
                    )));
                }
            }
            entrants.retain(|entrant| only.contains(&entrant.name));
        }
        for path in &self.recipe {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let name = name.trim_end_matches(".toml").trim_end_matches(".recipe").to_owned();
            entrants.push(Entrant { name, recipe: Recipe::read(path)? });
        }
        Ok(entrants)
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let keys = self.keys.iter().map(|keys| keys.split(',').map(|key| key.trim().to_owned()).collect());
        let models = self.model.iter().map(|text| {
            let formula =
                Formula::parse(text).map_err(|error| Failure::usage(format!("--model: {error}")))?;
            Ok(ModelRequest { formula, family: ModelFamily::Gaussian })
        });
        Ok(Settings {
            keys: keys.collect(),
            targets: self.targets.clone(),
            models: models.collect::<Result<_, Failure>>()?,
            ..Settings::default()
        })
    }
}
