//! A release: drawn, measured, held against its limits, reported in both editions, and written as one.

use std::path::PathBuf;

use frontier::axes::computed;
use frontier::resume::FRONTIER;
use frontier::{
    Battery, Contestant, Frontier, Limit, LimitCheck, Origin, epsilon_of, limits, records_sha256,
    schema_sha256, settings_for,
};
use measures::risk::intruder::Regions;
use measures::{
    Finding, Measure, MeasureError, Setting, Settings, SyntheticSets, align, evaluate_source,
    evaluate_watched,
};
use privacy::LedgerRecord;
use release::decision::{Decision, Publication};
use release::evidence::Evidence;
use release::policy::{Reasons, Refusal};
use release::{Attachment, Input, Manifest, PublishedLedger, Release, Signer, check_target, now};
use report::{Edition, ReportInput, codebook_csv, pictures, readme_text, report_html};
use synthesis::copies::UniqueRecords;
use synthesis::{Fitted, Recipe, Run};
use table::schema::Shown;
use table::watch::Watch;
use table::{Schema, Source, Table, similar_name};

use super::frontier::{parse_limits, read_frontier};
use super::synthesise::{begun, ended, refuse_inputs_within};
use crate::noise::Noise;
use crate::{Amount, Books, Data, Error, Questions, Request, SOFTWARE, Signing};

/// Asks for a release of the version that was chosen, with the evidence attached.
///
/// ```
/// use lookalike::prelude::*;
///
/// let rows: String = (0..60).map(|at| format!("{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at % 3])).collect();
/// let people = read_csv_text(&format!("sex,town\n{rows}"), &ReadOptions::default())?;
/// let version = Version::OfRecipe(Box::new(Recipe::new("catall")));
/// // Nothing judges this version: without a limit, or a reason for none, it is not released.
/// let request = ReleaseRequest::new(Data::records("people", people), version, "the board", "release");
/// assert_eq!(request.run(&Watch::default()).err().map(|error| error.kind()), Some(ErrorKind::Refused));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReleaseRequest {
    /// The confidential table.
    pub data: Data,
    /// What is released.
    pub version: Version,
    /// How much is drawn, where it differs from the recipe.
    pub amount: Amount,
    /// The folder to write.
    pub out: PathBuf,
    /// Whether an earlier release in that folder may be replaced.
    pub replace: bool,
    /// What the release is called in its reports; the name of its folder if not given.
    pub name: Option<String>,
    /// The person or body that accepts the release; it is published.
    pub accepted_by: String,
    /// What they have to say; it is published.
    pub note: Option<String>,
    /// The terms under which the data may be used; published.
    pub licence: Option<String>,
    /// Limits that the release must keep; those of the frontier if none are given.
    pub limits: Vec<String>,
    /// Acceptable regions of (RR, R) for the intruder who knows all records but one, as a limit.
    pub regions: Option<Regions>,
    /// Reasons for what is refused without one.
    pub reasons: Reasons,
    /// What may be published of what was measured.
    pub publish: Publication,
    /// What is measured; a version of a frontier is judged by what the frontier measured, with these models beside.
    pub questions: Questions,
    /// Where the noise of a private run comes from.
    pub noise: Noise,
    /// Use the seed of the recipe or of `amount`. Whoever guesses it can make the data sets again, and everything written says so; without
    /// it a secret seed is drawn, which is kept inside.
    pub reproducible: bool,
    /// Why copies of unique original records may stay in the release; without a reason they are removed.
    pub keep_copies: Option<String>,
    /// Files that a recipe or regions were read from, which results may not replace.
    pub read_from: Vec<PathBuf>,
    /// The ledger over all runs on these data; without one that of the environment, where it names one.
    pub books: Option<Books>,
    /// The key that signs the manifest.
    pub sign: Option<Signing>,
}

/// Which version is released.
#[derive(Clone, Debug)]
pub enum Version {
    /// A contestant of the frontier in this folder; the recommended one if none is named.
    OfFrontier {
        /// The folder.
        folder: PathBuf,
        /// The contestant.
        choose: Option<String>,
    },
    /// What this recipe makes.
    OfRecipe(Box<Recipe>),
}

/// What was released.
pub struct ReleaseOutcome {
    /// The manifest of the folder.
    pub manifest: Manifest,
    /// The decision record; [`Decision::public`] is what of it was published.
    pub decision: Decision,
    /// Every finding of the released data sets.
    pub findings: Vec<Finding>,
    /// What the fit had to say of itself.
    pub remarks: Vec<String>,
    /// The ledger of a private release.
    pub ledger: Option<LedgerRecord>,
}

impl Version {
    /// The folder of the frontier of which it is one.
    fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::OfFrontier { folder, .. } => Some(folder),
            Self::OfRecipe(_) => None,
        }
    }
}

impl ReleaseRequest {
    /// Asks for what this version makes, accepted by this person or body, without limits.
    pub fn new(
        data: Data,
        version: Version,
        accepted_by: impl Into<String>,
        out: impl Into<PathBuf>,
    ) -> Self {
        Self {
            data,
            version,
            amount: Amount::default(),
            out: out.into(),
            replace: false,
            name: None,
            accepted_by: accepted_by.into(),
            note: None,
            licence: None,
            limits: Vec::new(),
            regions: None,
            reasons: Reasons::default(),
            publish: Publication::default(),
            questions: Questions::default(),
            noise: Noise::default(),
            reproducible: false,
            keep_copies: None,
            read_from: Vec::new(),
            books: None,
            sign: None,
        }
    }

    /// Makes the version, measures it, and writes it with its evidence; refused, with nothing written, if it breaks a limit or would disclose
    /// what nobody allowed.
    pub fn run(&self, watch: &Watch) -> Result<ReleaseOutcome, Error> {
        refuse_inputs_within(&self.out, self.data.inputs().iter().chain(self.version.folder()))?;
        check_target(&self.out, self.replace)?;
        let frontier = match &self.version {
            Version::OfFrontier { folder, .. } => Some(read_frontier(folder)?),
            Version::OfRecipe(_) => None,
        };
        let chosen = frontier.as_ref().map(|frontier| self.chosen(frontier)).transpose()?;
        let recipe = self.recipe(chosen, frontier.as_ref())?;
        let mut battery = self.battery(frontier.as_ref())?;
        self.publish.check(&battery.families).map_err(|message| Error::option("publish", message))?;
        let limits = self.limits(frontier.as_ref())?;
        let not_measured = match self.data.is_counts() {
            false => None,
            true => Some(self.without_records(&recipe, &mut battery, &limits)?),
        };
        let names = battery.family_names();
        for limit in &limits {
            computed(&format!("--limit \"{}\"", limit.text), &limits::axis_of(limit), &names)?;
        }
        let unjudged = self.reasons.judged(&recipe, &limits)?;
        let not_covered = self.reasons.not_covered(&recipe, &limits, frontier.is_some())?;
        let signer = self.sign.as_ref().map(Signing::open).transpose()?;
        let booking = Books::booking(self.books.as_ref(), format!("release by {}", recipe.method))?;
        let mut original = self.data.open(watch)?;
        self.questions.check_variables(original.source().schema())?;
        if let Some((frontier, original)) = frontier.as_ref().zip(original.source().table()) {
            check_same_data(frontier, original)?;
        }
        let small = self.reasons.large_enough(&recipe, original.source().records())?;
        let mut caveats = self.reasons.caveats(original.source().schema())?;
        caveats.extend(not_measured);
        caveats.extend(unjudged);
        caveats.extend(small);
        caveats.extend(self.keep_copies.iter().map(|reason| {
            format!("Copies of unique original records were not removed. The owner's reason: {reason}")
        }));
        if let Some(reason) = &self.reasons.learned_schema {
            original = original.declared_public(reason)?;
        }
        let source = original.source();
        let insecure_test_seed = self.noise.insecure_test_seed();
        let run = Run {
            watch: watch.clone(),
            insecure_test_seed,
            begun: begun(Some(&self.out), &recipe),
            booking: booking.clone(),
            ..Run::default()
        };
        match &booking {
            Some(booking) if recipe.privacy.is_none() => booking.look("a release that is not private")?,
            Some(booking) if not_covered.is_some() => {
                booking.look("the version is chosen or accepted by measuring against the original")?;
            }
            _ => {}
        }
        let fitted = synthesis::fit_for_release(source, &recipe, &run)?;
        let ledger = fitted.ledger();
        let folder = crate::data::file_name(&self.out);
        let candidate = Candidate {
            name: self.name.as_deref().unwrap_or(&folder),
            original: source,
            input_sha256: self.data.sha256()?,
            recipe: &recipe,
            fitted: &fitted,
            ledger,
            battery: &battery,
            limits: &limits,
            frontier: frontier.as_ref(),
            not_covered: not_covered.clone(),
            uniques: source
                .table()
                .filter(|_| recipe.privacy.is_none())
                .map(UniqueRecords::of)
                .transpose()?,
            signer: signer.as_ref(),
            watch,
        };
        candidate.check_room()?;
        let examined = candidate.examine()?;
        let exception = self.reasons.exception_for(&examined.checks).map_err(|refusal| match refusal {
            Refusal::LimitsBroken(broken) => {
                let spent = if ledger.is_some() { "; another try spends the budget again" } else { "" };
                Error::LimitsBroken { broken, spent }
            }
            other => other.into(),
        })?;
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
            exception,
            publish: self.publish.clone(),
            licence: self.licence.clone(),
            caveats: caveats.into_iter().chain(not_covered).collect(),
        };
        let manifest = candidate.write(&examined, &decision, (&self.out, self.replace))?;
        ended(run.begun.as_deref())?;
        let remarks = fitted.remarks();
        let (findings, ledger) = (examined.findings, ledger.cloned());
        Ok(ReleaseOutcome { manifest, decision, findings, remarks, ledger })
    }

    /// Restricts what is measured to what counts suffice for, and says what is left out. What was asked for by name and needs the records is
    /// refused, before anything is spent.
    fn without_records(
        &self,
        recipe: &Recipe,
        battery: &mut Battery,
        limits: &[Limit],
    ) -> Result<String, Error> {
        if self.version.folder().is_some() {
            return Err(Error::Usage(
                "a frontier is of records, and here are only their counts; name a recipe".into(),
            ));
        }
        if recipe.privacy.is_none() && self.keep_copies.is_none() {
            return Err(Error::Refused(
                "copies of unique original records cannot be found and removed where only counts are known; make a private version, or say why \
                 they may stay with the option `keep-copies`"
                    .into(),
            ));
        }
        let left_out: Vec<&'static str> = battery
            .families
            .iter()
            .filter(|family| family.on_counts().is_none())
            .map(|family| family.name())
            .collect();
        let limited =
            |family: &&&str| limits.iter().any(|limit| limits::axis_of(limit).family() == Some(**family));
        let named = left_out.iter().find(|family| !self.questions.only.is_empty() || limited(family));
        if let Some(family) = named {
            return Err(MeasureError::NeedsRecords { family }.into());
        }
        battery.families.retain(|family| family.on_counts().is_some());
        Ok(format!(
            "Only counts of the original records were at hand. Not measured, because it needs the records: {}. Whether a released record equals a unique \
             original one was not counted.",
            left_out.join(", ")
        ))
    }

    /// The contestant that is released.
    fn chosen<'a>(&self, frontier: &'a Frontier) -> Result<&'a Contestant, Error> {
        let choose = match &self.version {
            Version::OfFrontier { choose, .. } => choose.as_ref(),
            Version::OfRecipe(_) => None,
        };
        let Some(name) = choose.or(frontier.recommendation.name.as_ref()) else {
            return Err(Error::Usage(format!(
                "the frontier recommends nothing: {}; name a contestant with the option `choose`, and say why with the option `exception`",
                frontier.recommendation.reason
            )));
        };
        let names = || frontier.contestants.iter().map(|contestant| contestant.name.as_str());
        frontier.contestants.iter().find(|contestant| contestant.name == *name).ok_or_else(|| {
            let hint = similar_name::hint(name, names());
            Error::option("choose", format!("the frontier has no contestant `{name}`{hint}"))
        })
    }

    /// The recipe, with the amount on top.
    fn recipe(&self, chosen: Option<&Contestant>, frontier: Option<&Frontier>) -> Result<Recipe, Error> {
        let recipe = match (chosen.map(|chosen| &chosen.origin), &self.version) {
            (Some(Origin::Recipe { recipe, .. }), _) => {
                if let Some(option) = self.amount.changed() {
                    return Err(Error::option(
                        option,
                        "the frontier measured what its recipe makes; release with the option `recipe` instead, or run a frontier with that setting",
                    ));
                }
                Recipe::parse(recipe)?
            }
            (Some(Origin::Imported { .. }), _) => {
                let message = "that contestant was made by another tool; what Lookalike did not make it cannot release; name another one with the option `choose`";
                return Err(Error::Usage(message.into()));
            }
            (None, Version::OfRecipe(recipe)) => recipe.as_ref().clone(),
            (None, Version::OfFrontier { .. }) => {
                return Err(Error::Usage("name a frontier or a recipe".into()));
            }
        };
        let mut recipe = self.amount.on_top_of(recipe);
        recipe.check()?;
        self.noise.check(&recipe)?;
        if recipe.privacy.is_none() {
            if self.amount.seed.is_some() && !self.reproducible {
                let message = "whoever guesses it can make the release again and test guesses at original records; leave it out, and a secret one is \
                               drawn, or ask for it with the option `reproducible`";
                return Err(Error::option("seed", message));
            }
            let known = recipe.seed.or_else(|| frontier.map(|frontier| frontier.seed));
            if self.reproducible && known.is_none() {
                let message = "the recipe has no seed to use; give one with the option `seed`";
                return Err(Error::option("reproducible", message));
            }
            recipe.seed = known.filter(|_| self.reproducible);
            recipe.after.remove_replicated_uniques |= self.keep_copies.is_none();
        }
        Ok(recipe)
    }

    fn limits(&self, frontier: Option<&Frontier>) -> Result<Vec<Limit>, Error> {
        if self.limits.is_empty() && self.regions.is_none() {
            return Ok(frontier.map_or_else(Vec::new, |frontier| frontier.limits.clone()));
        }
        parse_limits(&self.limits, self.regions.is_some())
    }

    /// What is measured: what the frontier measured, and models beside; without a frontier what is asked.
    fn battery(&self, frontier: Option<&Frontier>) -> Result<Battery, Error> {
        let Some(frontier) = frontier else {
            let families = self.questions.families()?;
            self.questions.check_honoured(&families, &[(Setting::Regions, self.regions.is_some())])?;
            let mut settings = self.questions.settings(Settings::default())?;
            settings.intruder.regions.clone_from(&self.regions);
            return Ok(Battery::new(settings, families));
        };
        let other = self.questions.given_beside_models().or(self.regions.as_ref().map(|_| "regions"));
        if let Some(option) = other {
            let message = "a version of a frontier is judged by what the frontier measured; leave it out";
            return Err(Error::option(option, message));
        }
        let asked = frontier.settings.as_ref().ok_or_else(|| {
            Error::Usage(format!("{FRONTIER} is of an earlier version of the software; compute it again"))
        })?;
        let mut battery = asked.battery()?;
        battery.settings.models.extend(self.questions.model_requests()?);
        Ok(battery)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotNeeded { .. } => Self::Usage(refusal.to_string()),
            Refusal::Disclosure(message) => Self::Refused(message.into()),
            Refusal::LimitsBroken(broken) => Self::LimitsBroken { broken, spent: "" },
        }
    }
}

/// A frontier of other records, or of the same under another schema, says nothing of these.
fn check_same_data(frontier: &Frontier, original: &Table) -> Result<(), Error> {
    let found = (records_sha256(original), schema_sha256(original.schema()));
    if found == (frontier.data_sha256.clone(), frontier.schema_sha256.clone()) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the frontier is of {} with other records, read in another way, or under another schema than these; run it again on them, or name the \
         same schema",
        frontier.data
    )))
}

/// What is to be released, and what it is judged by.
struct Candidate<'a> {
    name: &'a str,
    original: Source<'a>,
    input_sha256: Option<String>,
    recipe: &'a Recipe,
    fitted: &'a Fitted,
    ledger: Option<&'a LedgerRecord>,
    battery: &'a Battery,
    limits: &'a [Limit],
    frontier: Option<&'a Frontier>,
    not_covered: Option<String>,
    uniques: Option<UniqueRecords>,
    signer: Option<&'a Signer>,
    watch: &'a Watch,
}

/// What was found of a candidate.
struct Examined {
    findings: Vec<Finding>,
    checks: Vec<LimitCheck>,
    evidence: Evidence,
    records: u64,
    copies: Option<u64>,
    /// The schema as it will be in the release.
    schema: Schema,
}

impl Candidate<'_> {
    /// All data sets lie in memory while they are measured: refuses those that would not fit.
    fn check_room(&self) -> Result<(), Error> {
        let rows = self.recipe.rows.unwrap_or(self.fitted.original_rows() as u64);
        let columns = self.fitted.schema().variables().len() as u64;
        let bytes = u64::from(self.fitted.m()).saturating_mul(rows).saturating_mul(16 * columns);
        Ok(table::memory::require(bytes, "measuring all data sets of the release")?)
    }

    /// Draws the data sets that would be released and measures them.
    fn examine(&self) -> Result<Examined, Error> {
        let (mut aligned, mut records, mut copies) = (Vec::new(), 0, self.uniques.as_ref().map(|_| 0));
        let mut shown = Shown::nothing(self.fitted.schema());
        for number in 0..self.fitted.m() {
            self.watch.check()?;
            let table = self.fitted.table(number)?;
            records += table.rows() as u64;
            shown.observe(&table);
            let more = self.uniques.as_ref().map_or(Ok(None), |uniques| uniques.copies_in(&table))?;
            copies = copies.zip(more).map(|(copies, more)| copies + more);
            aligned.push(align(self.original.schema(), table)?);
        }
        let synthetic: Vec<&Table> = aligned.iter().collect();
        let settings = settings_for(self.original, self.recipe, &self.battery.settings);
        let families: &[&dyn Measure] = &self.battery.families;
        let (findings, evidence) = match self.original.table() {
            Some(original) => {
                let sets = SyntheticSets { original, synthetic: &synthetic, holdout: None };
                let findings = evaluate_watched(&sets, families, &settings, self.watch)?;
                let evidence = Evidence::against_original(&sets, &settings, &findings)?;
                (findings, evidence)
            }
            None => {
                let findings = evaluate_source(self.original, &synthetic, families, &settings)?;
                (findings, Evidence::of_release(&synthetic))
            }
        };
        let epsilon = self.recipe.privacy.as_ref().and_then(epsilon_of);
        let runs = std::slice::from_ref(&findings);
        let checks = self.limits.iter().map(|limit| limits::check(limit, runs, epsilon)).collect();
        let schema = shown.published(self.fitted.schema())?;
        Ok(Examined { findings, checks, evidence, records, copies, schema })
    }

    /// Writes the release with everything that was found of it.
    fn write(
        &self,
        examined: &Examined,
        decision: &Decision,
        (out, replace): (&std::path::Path, bool),
    ) -> Result<Manifest, Error> {
        let public = decision.public(self.limits, self.ledger.is_some());
        let page = |record| {
            let page = report::ledger_markdown(record);
            match &self.not_covered {
                Some(text) => format!("{page}\n**Not covered.** {text}\n"),
                None => page,
            }
        };
        let ledger = self.ledger.map(|record| PublishedLedger { record, page: page(record) });
        let rows = self.fitted.original_rows() as u64;
        let mut release = Release {
            fitted: self.fitted,
            recipe: self.recipe,
            input: Input { rows, columns: self.fitted.schema().variables().len() },
            input_sha256: self.input_sha256.clone(),
            ledger,
            original: self.uniques.as_ref(),
            decision: Some(decision),
            not_covered: self.not_covered.clone(),
            layout: Default::default(),
            attachments: Vec::new(),
            signer: self.signer,
            watch: self.watch.clone(),
        };
        let manifest = release.manifest_without_files(examined.records, examined.copies);
        let recipe = Recipe { seed: None, ..self.recipe.clone() }.to_toml();
        let remarks = self.fitted.remarks().into_iter().map(|remark| ("remark".to_owned(), remark));
        let asked: Vec<(String, String)> = remarks.filter(|_| self.ledger.is_none()).collect();
        let input = |decision| ReportInput {
            name: self.name,
            software: SOFTWARE,
            findings: &examined.findings,
            evidence: Some(&examined.evidence),
            frontier: self.frontier,
            manifest: Some(&manifest),
            ledger: self.ledger,
            recipe: Some(&recipe),
            decision: Some(decision),
            schema: Some(&examined.schema),
            asked: asked.clone(),
        };
        let (inside, outside) = (input(decision), input(&public));
        release.attachments = edition(&inside, Edition::Internal, "report-internal.html");
        release.attachments.extend(edition(&outside, Edition::External, "report.html"));
        let kit = [("README.txt", readme_text(&outside)), ("codebook.csv", codebook_csv(&examined.schema))];
        let mut attach = |name: &str, contents: String, internal| {
            release.attachments.push(Attachment {
                name: name.into(),
                contents: contents.into_bytes(),
                internal,
            });
        };
        kit.into_iter().for_each(|(name, text)| attach(name, text, false));
        attach("decision.json", pretty(&public), false);
        attach("decision.json", pretty(decision), true);
        attach("evaluation.json", pretty(&examined.findings), true);
        if let Some(frontier) = self.frontier {
            attach("frontier.json", pretty(frontier), true);
        }
        Ok(release.write(out, replace)?)
    }
}

impl Request for ReleaseRequest {
    type Outcome = ReleaseOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        let frontier = self.version.folder().map(|folder| folder.join(FRONTIER));
        let keys = self.sign.iter().flat_map(Signing::inputs);
        let read = self.data.inputs().into_iter().chain(frontier).chain(self.read_from.clone());
        read.chain(keys).chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().chain(self.version.folder().cloned()).collect()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        std::iter::once(self.out.clone()).chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn perform(&self, watch: &Watch) -> Result<ReleaseOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, released: &ReleaseOutcome) -> String {
        let decision = &released.decision;
        let ReleaseOutcome { manifest, findings, remarks, ledger, .. } = released;
        let mut text = report::release_text(&self.out, manifest, remarks, decision);
        text.push_str(&report::verdict_text(findings, manifest, ledger.as_ref(), decision));
        if decision.exception.is_none() && self.reasons.exception.is_some() {
            text.push_str("  no limit is broken: the exception was not needed and is not recorded\n");
        }
        text
    }

    fn json(&self, released: &ReleaseOutcome) -> serde_json::Value {
        serde_json::json!({ "manifest": released.manifest, "decision": released.decision })
    }
}

/// A report with its pictures.
fn edition(input: &ReportInput<'_>, edition: Edition, name: &str) -> Vec<Attachment> {
    let internal = edition == Edition::Internal;
    let attachment = |name: String, text: String| Attachment { name, contents: text.into_bytes(), internal };
    let pictures = pictures(input, edition).into_iter();
    let pictures = pictures.map(|(name, svg)| attachment(format!("pictures/{name}"), svg));
    std::iter::once(attachment(name.to_owned(), report_html(input, edition))).chain(pictures).collect()
}

fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
