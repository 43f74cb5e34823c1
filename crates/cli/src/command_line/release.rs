//! `lookalike release`: the chosen version with the evidence attached, and who accepted it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::frontier::axes::{EPSILON, computed};
use ::frontier::resume::FRONTIER;
use ::frontier::{
    Battery, Contestant, Frontier, Limit, LimitCheck, Origin, limits, records_sha256, schema_sha256,
};
use ::release::decision::{Decision, NOT_COVERED, Publication};
use ::release::now;
use clap::Args;
use measures::Settings;
use privacy::NoiseSource;
use synthesis::{Recipe, Run, private};
use table::read::{ReadOptions, read_table};
use table::{Table, TableError, similar_name};

use super::battery::{self, read_regions};
use super::describe::Reading;
use super::drawing::{Drawing, summary};
use super::{Everywhere, Failure};
use lookalike::evidence_bundle::Candidate;

/// Make the chosen version anew, measure it, hold it against the limits, and release it with reports and a decision record.
#[derive(Debug, Args)]
pub(super) struct ReleaseCommand {
    /// The table: CSV (also .gz), Parquet or Arrow IPC
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
    battery: battery::Battery,
    #[command(flatten)]
    drawing: Drawing,
    /// Draw noise that can be replayed: for tests. THE GUARANTEE IS VOID, and everything written says so
    #[arg(long, value_name = "S")]
    insecure_test_seed: Option<u64>,
}

impl ReleaseCommand {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let out = self.drawing.out()?;
        let frontier = self.frontier.as_deref().map(read_frontier).transpose()?;
        let chosen = frontier.as_ref().map(|frontier| self.chosen(frontier)).transpose()?;
        let recipe = self.recipe_of(chosen)?;
        let battery = self.battery(frontier.as_ref())?;
        self.check_publication(&battery.families)?;
        let limits = self.limits(frontier.as_ref())?;
        let names = battery.family_names();
        for limit in &limits {
            computed(&format!("--limit \"{}\"", limit.text), &limits::axis_of(limit), &names)?;
        }
        let not_covered = self.not_covered(&recipe, &limits)?;
        let read = ReadOptions { watch: everywhere.watch(), ..self.reading.options()? };
        let mut original = read_table(&self.data, &read)?;
        if let Some(frontier) = &frontier {
            check_same_data(frontier, &original)?;
        }
        let caveats = self.caveats(&original)?;
        if let Some(reason) = &self.learned_schema {
            original = original.declared_public(reason)?;
        }
        let (fitted, ledger) = if recipe.privacy.is_some() {
            let fit = private::fit(&original, &recipe, self.noise()?)?;
            (fit.fitted, Some(fit.ledger))
        } else {
            (
                synthesis::fit_watched(
                    &original,
                    &recipe,
                    &Run { watch: everywhere.watch(), ..Run::default() },
                )?,
                None,
            )
        };
        let folder = out.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let candidate = Candidate {
            name: self.name.as_deref().unwrap_or(&folder),
            original: &original,
            data: &self.data,
            recipe: &recipe,
            fitted: &fitted,
            ledger: ledger.as_ref(),
            families: &battery.families,
            settings: &battery.settings,
            limits: &limits,
            frontier: frontier.as_ref(),
            not_covered,
        };
        let examined = candidate.examine()?;
        let broken: Vec<String> = examined.broken().iter().map(|check| broken_text(check)).collect();
        if !broken.is_empty() && self.exception.is_none() {
            let spent = if recipe.privacy.is_some() { "; another try spends the budget again" } else { "" };
            return Err(Failure::LimitsBroken(broken.join("; ") + spent));
        }
        let decision = Decision {
            accepted_by: self.accepted_by.clone(),
            accepted_at: now(),
            note: self.note.clone(),
            chosen: chosen.map(|chosen| chosen.name.clone()),
            recommended: frontier
                .as_ref()
                .zip(chosen)
                .map(|(frontier, chosen)| frontier.recommendation.name.as_ref() == Some(&chosen.name)),
            limits: examined.checks.clone(),
            exception: self.exception.clone().filter(|_| !broken.is_empty()),
            publish: Publication { measures: self.publish.clone(), reason: self.because.clone() },
            caveats: caveats.into_iter().chain(candidate.not_covered.clone()).collect(),
        };
        let manifest = candidate.write(&examined, &decision, out, self.drawing.force())?;
        let mut text = summary(out, &manifest, &manifest.remarks);
        if broken.is_empty() && self.exception.is_some() {
            text.push_str("  no limit is broken: the exception was not needed and is not recorded\n");
        }
        text.push_str(&format!("  accepted by {}, {}\n", decision.accepted_by, kept_text(&decision)));
        decision.caveats.iter().for_each(|caveat| text.push_str(&format!("  {caveat}\n")));
        text.push_str(&format!(
            "  {} may leave the house, {} must not\n",
            out.join("report.html").display(),
            out.join("internal/report-internal.html").display()
        ));
        everywhere.deliver(&text, || serde_json::json!({ "manifest": manifest, "decision": decision }))?;
        Ok(ExitCode::SUCCESS)
    }

    fn check_publication(&self, computed: &[&dyn measures::Measure]) -> Result<(), Failure> {
        let families = || measures::MEASURES.iter().map(|family| family.name());
        for name in &self.publish {
            let family = name.split('.').next().unwrap_or_default();
            if families().any(|known| known == family) && !computed.iter().any(|of| of.name() == family) {
                return Err(Failure::Usage(format!(
                    "--publish: `{name}` is not measured; add {family} to --only"
                )));
            }
            if measures::card_of(name).is_none() && !families().any(|family| family == name) {
                let hint = similar_name::hint(name, families());
                return Err(Failure::Usage(format!(
                    "--publish: there is no measure or family of measures `{name}`{hint}; see `lookalike measures`"
                )));
            }
        }
        Ok(())
    }

    /// The contestant that is released.
    fn chosen<'a>(&self, frontier: &'a Frontier) -> Result<&'a Contestant, Failure> {
        let Some(name) = self.choose.as_ref().or(frontier.recommendation.name.as_ref()) else {
            return Err(Failure::Usage(format!(
                "the frontier recommends nothing: {}; name a contestant with --choose, and say why with --exception",
                frontier.recommendation.reason
            )));
        };
        let names = || frontier.contestants.iter().map(|contestant| contestant.name.as_str());
        frontier.contestants.iter().find(|contestant| contestant.name == *name).ok_or_else(|| {
            let hint = similar_name::hint(name, names());
            Failure::Usage(format!("--choose: the frontier has no contestant `{name}`{hint}"))
        })
    }

    /// The recipe, with what the command line says on top.
    fn recipe_of(&self, chosen: Option<&Contestant>) -> Result<Recipe, Failure> {
        let recipe = match (chosen.map(|chosen| &chosen.origin), &self.recipe) {
            (Some(Origin::Recipe { recipe, .. }), _) => {
                if let Some(option) = self.drawing.changes_amount() {
                    return Err(Failure::Usage(format!(
                        "{option}: the frontier measured what its recipe makes; release with --recipe instead, or run a \
                         frontier with that setting"
                    )));
                }
                Recipe::parse(recipe)?
            }
            (Some(Origin::Imported { .. }), _) => {
                let message = "that contestant was made by another tool; what Lookalike did not make it cannot release; name another one with --choose";
                return Err(Failure::Usage(message.into()));
            }
            (None, Some(path)) => Recipe::read(path)?,
            (None, None) => return Err(Failure::Usage("name a --frontier or a --recipe".into())),
        };
        let recipe = self.drawing.on_top_of(recipe);
        recipe.check()?;
        match (recipe.privacy.is_some(), recipe.seed, self.insecure_test_seed) {
            (true, Some(_), _) => Err(synthesis::SynthesisError::SeedInPrivateRun.into()),
            (false, _, Some(_)) => {
                Err(Failure::Usage("--insecure-test-seed: the run is not private; use --seed".into()))
            }
            _ => Ok(recipe),
        }
    }

    fn limits(&self, frontier: Option<&Frontier>) -> Result<Vec<Limit>, Failure> {
        if self.limit.is_empty() && self.regions.is_none() {
            return Ok(frontier.map_or_else(Vec::new, |frontier| frontier.limits.clone()));
        }
        let mut limits = self.limit.iter().map(|text| limits::parse(text)).collect::<Result<Vec<_>, _>>()?;
        limits.extend(self.regions.is_some().then(limits::regions));
        Ok(limits)
    }

    /// What is measured: what the frontier measured, and models beside; without a frontier what the command line says.
    fn battery(&self, frontier: Option<&Frontier>) -> Result<Battery, Failure> {
        let Some(frontier) = frontier else {
            let families = self.battery.families()?;
            self.battery
                .check_honoured(&families, &[("--regions", self.regions.is_some(), &["intruder"])])?;
            let mut settings = self.battery.settings(Settings::default())?;
            settings.intruder.regions = self.regions.as_deref().map(read_regions).transpose()?;
            return Ok(Battery::new(settings, families));
        };
        let other = self.battery.given_beside_models().or(self.regions.as_ref().map(|_| "--regions"));
        if let Some(option) = other {
            return Err(Failure::Usage(format!(
                "{option}: a version of a frontier is judged by what the frontier measured; leave it out"
            )));
        }
        let asked = frontier.settings.as_ref().ok_or_else(|| {
            Failure::Usage(format!("{FRONTIER} is of an earlier version of the software; compute it anew"))
        })?;
        let mut battery = asked.battery()?;
        battery.settings.models.extend(self.battery.models()?);
        Ok(battery)
    }

    /// What no ledger covers, where a private version is chosen or accepted by what was measured; refused without a reason.
    fn not_covered(&self, recipe: &Recipe, limits: &[Limit]) -> Result<Option<String>, Failure> {
        let measured = limits.iter().any(|limit| limits::axis_of(limit).measure != EPSILON);
        let looks = recipe.privacy.is_some() && (measured || self.frontier.is_some());
        match (looks, &self.unpaid_look) {
            (true, Some(reason)) => Ok(Some(format!("{NOT_COVERED} The owner's reason: {reason}"))),
            (true, None) => Err(Failure::Refused(
                "a private version would be chosen or accepted by what was measured against the original, which no ledger covers; leave out \
                 limits other than on epsilon and name a --recipe, or say why with --unpaid-look REASON"
                    .into(),
            )),
            (false, Some(_)) => Err(Failure::Usage(
                "--unpaid-look: nothing is chosen or accepted by an unpaid look; leave it out".into(),
            )),
            (false, None) => Ok(None),
        }
    }

    /// What is public by the release itself and was not declared to be; refused without a reason.
    fn caveats(&self, original: &Table) -> Result<Vec<String>, Failure> {
        match (original.schema().declaration().is_some(), &self.learned_schema) {
            (true, None) => Ok(Vec::new()),
            (true, Some(_)) => Err(Failure::Usage("--learned-schema: the schema is declared; leave it out".into())),
            (false, Some(reason)) => Ok(vec![format!(
                "The schema was learned from the records: its levels and ranges are theirs. The owner's reason: {reason}"
            )]),
            (false, None) => Err(Failure::Refused(
                "the schema was learned from the records, and its levels and ranges, also rare and extreme ones, would be released with it; \
                 declare a schema (`lookalike describe --write-schema`), or say why with --learned-schema REASON"
                    .into(),
            )),
        }
    }

    fn noise(&self) -> Result<NoiseSource, Failure> {
        Ok(super::privacy::noise(self.insecure_test_seed)?)
    }
}

fn read_frontier(folder: &Path) -> Result<Frontier, Failure> {
    let path = folder.join(FRONTIER);
    let bytes = std::fs::read(&path).map_err(|source| TableError::io(&path, source))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::Usage(format!("{} is not a finished frontier: {error}", path.display())))
}

/// A frontier of other records, or of the same under another schema, says nothing of these.
fn check_same_data(frontier: &Frontier, original: &Table) -> Result<(), Failure> {
    let found = (records_sha256(original), schema_sha256(original.schema()));
    if found == (frontier.data_sha256.clone(), frontier.schema_sha256.clone()) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the frontier is of {} with other records, read in another way, or under another schema than these; run it again on them, or name the \
         same --schema",
        frontier.data
    )))
}

/// A limit that is broken, with the reason where there is no number.
fn broken_text(check: &LimitCheck) -> String {
    check
        .because
        .as_ref()
        .map_or_else(|| check.limit.clone(), |because| format!("{} ({because})", check.limit))
}

fn kept_text(decision: &Decision) -> String {
    let broken = decision.limits.iter().filter(|check| !check.kept).count();
    match (decision.limits.len(), broken) {
        (0, _) => "without limits".into(),
        (all, 0) => format!("all {all} limits kept"),
        (all, broken) => format!("{broken} of {all} limits broken, by exception"),
    }
}
