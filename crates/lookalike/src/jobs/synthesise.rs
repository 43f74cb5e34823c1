//! Synthetic data sets of a table, in a folder or in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engines::{Address, Connections, Place as _, Target};
use release::policy::Reasons;
use release::signature::signature_path;
use release::{Input, Layout, Manifest, PublishedLedger, Release, Signer, check_target};
use synthesis::copies::UniqueRecords;
use synthesis::model_file::ModelFile;
use synthesis::private::SpendingPlan;
use synthesis::{Fitted, Recipe, Run, SynthesisError, private, registry};
use table::watch::Watch;
use table::{Schema, TableError, output_file};

use crate::noise::Noise;
use crate::{Books, Data, Error, Request, Signing};
use privacy::LedgerRecord;

/// Asks for synthetic versions of a table.
///
/// ```
/// use lookalike::{Data, SynthesiseRequest, Watch};
/// use lookalike::synthesis::Recipe;
/// use lookalike::table::read::{ReadOptions, read_csv_text};
///
/// let people = format!("sex,agegr\n{}", "F,old\nM,old\nF,young\nF,old\n".repeat(10));
/// let people = read_csv_text(&people, &ReadOptions::default())?;
/// let recipe = Recipe { m: 2, rows: Some(10), seed: Some(1), ..Recipe::new("catall") };
/// let made = SynthesiseRequest::new(Data::records("people", people), recipe).run(&Watch::default())?;
/// assert_eq!(made.fitted.table(1)?.rows(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SynthesiseRequest {
    /// The table.
    pub data: Data,
    /// How its synthetic versions are made.
    pub recipe: Recipe,
    /// Whether the method is the usual one, which nobody named: with a budget it then depends on the declared schema.
    pub usual_method: bool,
    /// The file of the recipe, if it has one: errors then name its line.
    pub recipe_path: Option<PathBuf>,
    /// The folder to write; nothing is written without one.
    pub out: Option<PathBuf>,
    /// Whether an earlier release in that folder may be replaced.
    pub replace: bool,
    /// The file for the fitted model. It may hold confidential material, and then says so.
    pub save_model: Option<PathBuf>,
    /// A folder in which what was fitted is kept until the end, and from which an interrupted run goes on.
    pub resume: Option<PathBuf>,
    /// Refuse to begin if about more bytes than this would be needed.
    pub memory: Option<u64>,
    /// Where the noise of a private run comes from.
    pub noise: Noise,
    /// Reasons for what is refused without one.
    pub reasons: Reasons,
    /// The ledger over all runs on these data; without one that of the environment, where it names one.
    pub books: Option<Books>,
    /// The key that signs the manifest, and the model where it is saved.
    pub sign: Option<Signing>,
    /// Keep what identifies the unique records of the data, so that copies can be counted in data sets that are drawn later.
    pub count_copies: bool,
    /// In how many files each data set is written.
    pub layout: Layout,
    /// Fit to a random sample of so many records; any number can be drawn from the model.
    pub fit_rows: Option<u64>,
    /// The address of a table in a database to which the data sets are written too, all in one transaction; several are numbered from 1.
    pub into: Option<String>,
}

/// Synthetic versions of a table.
pub struct SynthesiseOutcome {
    /// The fitted recipe, ready to draw data sets.
    pub fitted: Fitted,
    /// The ledger of a private run.
    pub ledger: Option<LedgerRecord>,
    /// What was written, if a folder was named.
    pub manifest: Option<Manifest>,
    /// What identifies the unique records of the data, if it was to be kept and the run is not private. It is confidential.
    pub uniques: Option<UniqueRecords>,
    /// What whoever runs the job should know of where the records are.
    pub notes: Vec<String>,
    /// Records that were written to a database.
    pub written_there: Option<u64>,
}

/// What is said of data sets whose seed was chosen.
const SEEDED: &str = "  a seed that can be guessed lets others make these files again and test guesses at original records: for your own work, do not publish them\n";

impl SynthesiseOutcome {
    /// What was written to this folder; empty if nothing was.
    pub(super) fn text(&self, out: Option<&Path>) -> String {
        let written = out.zip(self.manifest.as_ref());
        written.map_or_else(String::new, |(out, manifest)| {
            report::data_sets_text(out, manifest, &self.fitted.remarks())
        })
    }
}

impl SynthesiseRequest {
    /// Asks for what this recipe makes of the table, in memory.
    pub fn new(data: Data, recipe: Recipe) -> Self {
        Self {
            data,
            recipe,
            usual_method: false,
            recipe_path: None,
            out: None,
            replace: false,
            save_model: None,
            resume: None,
            memory: None,
            noise: Noise::default(),
            reasons: Reasons::default(),
            books: None,
            sign: None,
            count_copies: false,
            layout: Layout::default(),
            fit_rows: None,
            into: None,
        }
    }

    /// The same, written to a folder.
    pub fn into_folder(self, out: impl Into<PathBuf>) -> Self {
        Self { out: Some(out.into()), ..self }
    }

    /// Fits the recipe and, if a folder is named, writes its data sets there, all of it or nothing.
    pub fn run(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        self.synthesise(watch)
            .map_err(|error| self.with_commands(error))
            .map_err(|error| error.located_in(self.recipe_path.as_deref(), self.data.schema_path()))
    }

    /// The recipe, with the method that suits the schema where nobody named one.
    fn recipe_for(&self, schema: &Schema) -> Recipe {
        if self.usual_method && self.recipe.privacy.is_some() {
            let declared = schema.clone().reviewed().ok();
            return registry::usual_private_recipe(declared.as_ref(), &self.recipe);
        }
        self.recipe.clone()
    }

    fn synthesise(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        let schema = if self.usual_method && self.recipe.privacy.is_some() {
            self.data.declared_schema()?
        } else {
            None
        };
        match schema {
            Some(schema) => {
                let recipe = self.recipe_for(schema.schema());
                Self { recipe, usual_method: false, ..self.clone() }.synthesise_named(watch)
            }
            None => self.synthesise_named(watch),
        }
    }

    fn synthesise_named(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        self.recipe.check()?;
        if self.fit_rows == Some(0) {
            return Err(Error::option("fit-rows", "it must be at least 1"));
        }
        self.check_paths()?;
        self.noise.check(&self.recipe)?;
        if self.recipe.privacy.is_some() {
            self.refuse_guard_rails()?;
            self.data.declared_schema()?;
        }
        let signer = self.sign.as_ref().map(Signing::open).transpose()?;
        let booking = Books::booking(self.books.as_ref(), format!("synth by {}", self.recipe.method))?;
        let target = self.target()?;
        let mut opened = self.sampled_data().open(watch)?;
        let notes = opened.notes()?;
        self.reasons.large_enough(&self.recipe, opened.source().records())?;
        if let Some(reason) = &self.reasons.learned_schema {
            self.reasons.caveats(opened.source().schema())?;
            opened = opened.declared_public(reason)?;
        }
        let source = opened.source();
        let run = Run {
            watch: watch.clone(),
            checkpoint: self.resume.clone(),
            memory: self.memory,
            insecure_test_seed: self.noise.insecure_test_seed(),
            begun: begun(self.out.as_deref(), &self.recipe),
            booking: booking.clone(),
        };
        if let Some(booking) = booking.filter(|_| self.recipe.privacy.is_none()) {
            booking.look("data sets that are not private")?;
        }
        let fitted = synthesis::fit_for_release(source, &self.recipe, &run)?.with_remark(opened.remark());
        let ledger = fitted.ledger().cloned();
        let model = match &self.save_model {
            Some(path) => Some((path, ModelFile::new(&fitted)?)),
            None => None,
        };
        let counted = self.out.is_some() || self.count_copies;
        let original = source.table().filter(|_| counted && ledger.is_none());
        let original = original.map(UniqueRecords::of).transpose()?;
        let manifest = match &self.out {
            Some(out) => {
                let written = Written {
                    fitted: &fitted,
                    recipe: &self.recipe,
                    input_sha256: self.data.sha256()?,
                    ledger: ledger.as_ref(),
                    original: original.as_ref(),
                    not_covered: None,
                    signer: signer.as_ref(),
                    layout: self.layout,
                };
                Some(written.into_folder(out, self.replace, watch)?)
            }
            None => None,
        };
        if let Some((path, model)) = model {
            model.write(path)?;
            if let Some(signer) = &signer {
                signer.sign_file(path)?;
            }
        }
        if let Some(folder) = &self.resume {
            synthesis::checkpoint::remove(folder)?;
        }
        ended(run.begun.as_deref())?;
        let written_there = match target {
            Some(target) => Some(self.write_there(target, &fitted)?),
            None => None,
        };
        Ok(SynthesiseOutcome { fitted, ledger, manifest, uniques: original, notes, written_there })
    }

    /// The database to write to, found out to be ready before anything is fitted.
    fn target(&self) -> Result<Option<Target>, Error> {
        let Some(into) = &self.into else { return Ok(None) };
        if self.out.is_none() {
            return Err(Error::option(
                "into",
                "the data sets of a release are written there; name its folder with --out too",
            ));
        }
        if !Address::is_address(into) {
            return Err(Error::option(
                "into",
                "give the address of a table: postgresql://host/database/table",
            ));
        }
        Ok(Some(Target::open(&Address::parse(into)?, self.recipe.m, self.replace)?))
    }

    fn write_there(&self, target: Target, fitted: &Fitted) -> Result<u64, Error> {
        let written: Result<u64, SynthesisError> =
            target.write(fitted.schema(), |number, each| fitted.draw(number, |block| Ok(each(&block)?)));
        let out = self.out.as_deref().map(|out| out.display().to_string()).unwrap_or_default();
        written.map_err(|error| {
            let message = format!("nothing was written there, and the release itself is in {out}: {error}");
            TableError::schema("database", message).into()
        })
    }

    /// Files that are opened on the way to a database, and connections.
    fn opens(&self) -> (Vec<PathBuf>, Connections) {
        let (mut files, mut connections) = self.data.opens();
        if let Some(Ok(address)) = self.into.as_deref().map(Address::parse) {
            let (more, others) = address.opens();
            files.extend(more);
            connections = connections.and(others);
        }
        (files, connections)
    }

    /// The data, or a sample of them, drawn from the seed of the run or else from a fixed one.
    fn sampled_data(&self) -> Data {
        match self.fit_rows {
            Some(rows) => self.data.clone().sampled(rows, self.recipe.seed.unwrap_or(1)),
            None => self.data.clone(),
        }
    }

    /// The refusal of a learned schema, with the commands that help for these data.
    fn with_commands(&self, error: Error) -> Error {
        let (Error::Synthesis(SynthesisError::LearnedSchema { variables }), Some(path)) =
            (&error, self.data.path())
        else {
            return error;
        };
        let (data, name) = (path.display(), self.data.name());
        let draft = format!("{}.schema.toml", name.split('.').next().unwrap_or_default());
        Error::Refused(format!(
            "a private run needs a declared schema: a domain read off the records is itself a leak, and nobody has declared public \
             what may be in {}\n  1. lookalike describe {data} --write-schema {draft}\n  2. review {draft} against the code book, \
             then set `declared = true` and say why in `reason`\n  3. run this command again with --schema {draft}",
            variables.join(", ")
        ))
    }

    /// What a private run would spend on what. The data are not opened.
    pub fn spending(&self) -> Result<SpendingPlan, Error> {
        self.planned_spending().map_err(|error| self.with_commands(error))
    }

    fn planned_spending(&self) -> Result<SpendingPlan, Error> {
        if self.recipe.privacy.is_none() {
            let message = "it shows what a private run would spend; state a budget with the option `epsilon`";
            return Err(Error::option("dry-run", message));
        }
        let Some(schema) = self.data.declared_schema()? else {
            return Err(SynthesisError::LearnedSchema { variables: vec!["every variable".into()] }.into());
        };
        Ok(private::plan(&schema, &self.recipe_for(schema.schema()))?)
    }

    /// A private run is quick and may leave no trace of its noise.
    fn refuse_guard_rails(&self) -> Result<(), Error> {
        let given = [("resume", self.resume.is_some()), ("fit-rows", self.fit_rows.is_some())];
        match given.into_iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Error::option(name, "it has no meaning in a private run; leave it out")),
            None => Ok(()),
        }
    }

    /// A model and what is kept for a resumption are confidential: they may not lie in the release, nor take the place of another file.
    fn check_paths(&self) -> Result<(), Error> {
        if let Some(out) = &self.out {
            refuse_inputs_within(out, self.data.inputs().iter().chain(&self.recipe_path))?;
            check_target(out, self.replace)?;
        }
        let within_release =
            |path: &Path| self.out.as_deref().is_some_and(|out| output_file::is_within(path, out));
        if self.resume.as_deref().is_some_and(within_release) {
            let message = "what is kept there is confidential; name a folder outside the release";
            return Err(SynthesisError::option("resume", message).into());
        }
        let Some(path) = &self.save_model else { return Ok(()) };
        if within_release(path) {
            let message = "the model may hold confidential material; keep it outside the release";
            return Err(SynthesisError::option("save-model", message).into());
        }
        let signature = signature_path(path);
        for path in std::iter::once(path).chain(self.sign.as_ref().map(|_| &signature)) {
            if path.symlink_metadata().is_ok() {
                let message = format!("{} exists; choose another name", path.display());
                return Err(SynthesisError::option("save-model", message).into());
            }
        }
        table::atomic_file::check(path)
            .map_err(|error| SynthesisError::option("save-model", error.to_string()).into())
    }
}

impl Request for SynthesiseRequest {
    type Outcome = SynthesiseOutcome;

    fn inputs(&self) -> Vec<PathBuf> {
        let keys = self.sign.iter().flat_map(Signing::inputs);
        let read = self.data.inputs().into_iter().chain(self.recipe_path.clone());
        read.chain(keys).chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn reads(&self) -> Vec<PathBuf> {
        self.inputs().into_iter().chain(self.opens().0).collect()
    }

    fn connects(&self) -> Connections {
        self.opens().1
    }

    fn outputs(&self) -> Vec<PathBuf> {
        let signature = self.save_model.as_deref().map(signature_path);
        let written = self.out.iter().chain(&self.save_model).chain(&self.resume).cloned();
        written.chain(signature).chain(Books::inputs(self.books.as_ref())).collect()
    }

    fn perform(&self, watch: &Watch) -> Result<SynthesiseOutcome, Error> {
        self.run(watch)
    }

    fn text(&self, made: &SynthesiseOutcome) -> String {
        let mut text = made.text(self.out.as_deref());
        if let Some(records) = made.written_there {
            text.push_str(&format!(
                "  {} records were written to the database\n",
                table::figures::thousands(records)
            ));
        }
        if self.recipe.seed.is_some() && made.manifest.is_some() {
            text.push_str(SEEDED);
        }
        text
    }

    fn json(&self, made: &SynthesiseOutcome) -> serde_json::Value {
        serde_json::json!(made.manifest)
    }

    fn notes(&self, made: &SynthesiseOutcome) -> Vec<String> {
        let remarks = made.fitted.inside_remarks().iter();
        remarks
            .chain(&made.notes)
            .map(|remark| format!("note for the owner of the data, not for publication: {remark}"))
            .collect()
    }
}

/// What a private run would spend, asked for without running it.
#[derive(Clone, Debug)]
pub struct SpendingRequest(pub SynthesiseRequest);

impl Request for SpendingRequest {
    type Outcome = SpendingPlan;

    fn inputs(&self) -> Vec<PathBuf> {
        self.0.inputs()
    }

    fn perform(&self, _: &Watch) -> Result<SpendingPlan, Error> {
        self.0.spending()
    }

    fn text(&self, plan: &SpendingPlan) -> String {
        report::spending_text(plan)
    }

    fn json(&self, plan: &SpendingPlan) -> serde_json::Value {
        plan.to_json()
    }
}

/// The file beside a release that says what a private run has begun to spend, until its ledger is written. Those of earlier runs that did not end stay: OUT.spending.json,
/// OUT.spending-2.json, …
pub(super) fn begun(out: Option<&Path>, recipe: &Recipe) -> Option<PathBuf> {
    let out = out.filter(|_| recipe.privacy.is_some())?;
    let path = |run: u32| {
        let mut name = out.file_name()?.to_owned();
        name.push(if run == 1 { ".spending.json".to_owned() } else { format!(".spending-{run}.json") });
        Some(out.with_file_name(name))
    };
    (1..).map_while(path).find(|path| !path.exists())
}

/// The ledger is written: what was begun has ended.
pub(super) fn ended(begun: Option<&Path>) -> Result<(), Error> {
    match begun.filter(|path| path.exists()) {
        None => Ok(()),
        Some(path) => {
            std::fs::remove_file(path).map_err(|error| Error::Refused(format!("{}: {error}", path.display())))
        }
    }
}

/// Asks a model in memory for data sets in a folder, as [`SynthesiseRequest`] writes them.
#[derive(Clone)]
pub struct DrawRequest {
    /// The fitted recipe.
    pub fitted: Arc<Fitted>,
    /// The recipe that is written beside the data sets, which names their format; a seed in it is one that was chosen.
    pub recipe: Recipe,
    /// What identifies the unique records of the data, where copies are to be counted.
    pub uniques: Option<Arc<UniqueRecords>>,
    /// The folder to write.
    pub out: PathBuf,
    /// Whether an earlier release in that folder may be replaced.
    pub replace: bool,
}

impl Request for DrawRequest {
    type Outcome = Manifest;

    fn perform(&self, watch: &Watch) -> Result<Manifest, Error> {
        let written = Written {
            fitted: &self.fitted,
            recipe: &self.recipe,
            input_sha256: None,
            ledger: self.fitted.ledger(),
            original: self.uniques.as_deref(),
            not_covered: None,
            signer: None,
            layout: Layout::OneFile,
        };
        written.into_folder(&self.out, self.replace, watch)
    }

    fn text(&self, manifest: &Manifest) -> String {
        let mut text = report::data_sets_text(&self.out, manifest, &self.fitted.remarks());
        if self.recipe.seed.is_some() {
            text.push_str(SEEDED);
        }
        text
    }

    fn json(&self, manifest: &Manifest) -> serde_json::Value {
        serde_json::json!(manifest)
    }
}

/// Refuses a release folder in which a file lies that the run reads: replacing the folder would take it away.
pub(super) fn refuse_inputs_within<'a>(
    out: &Path,
    mut inputs: impl Iterator<Item = &'a PathBuf>,
) -> Result<(), Error> {
    match inputs.find(|input| output_file::is_within(input, out)) {
        Some(input) => {
            let message = format!(
                "{} holds an input of this run, {}; choose another folder",
                out.display(),
                input.display()
            );
            Err(SynthesisError::option("out", message).into())
        }
        None => Ok(()),
    }
}

/// The data sets of a model that was fitted to, or read from, what has this hash.
pub(super) struct Written<'a> {
    pub(super) fitted: &'a Fitted,
    pub(super) recipe: &'a Recipe,
    pub(super) input_sha256: Option<String>,
    pub(super) ledger: Option<&'a LedgerRecord>,
    pub(super) original: Option<&'a UniqueRecords>,
    pub(super) not_covered: Option<String>,
    pub(super) signer: Option<&'a Signer>,
    pub(super) layout: Layout,
}

impl Written<'_> {
    /// Writes them, all or nothing.
    pub(super) fn into_folder(self, out: &Path, replace: bool, watch: &Watch) -> Result<Manifest, Error> {
        let Self { fitted, recipe, input_sha256, ledger, original, not_covered, signer, layout } = self;
        let input = Input { rows: fitted.original_rows() as u64, columns: fitted.schema().variables().len() };
        let ledger = ledger.map(|record| PublishedLedger { record, page: report::ledger_markdown(record) });
        let release = Release {
            fitted,
            recipe,
            input,
            input_sha256,
            ledger,
            original,
            decision: None,
            not_covered,
            layout,
            attachments: Vec::new(),
            signer,
            watch: watch.clone(),
        };
        Ok(release.write(out, replace)?)
    }
}
