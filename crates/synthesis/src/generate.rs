//! A recipe carried out: table in, synthetic tables out.

use std::sync::Arc;

use rand::{Rng as _, SeedableRng};
use table::grouping::GroupingStyle;
use table::{Attributes, CodedTable, CountSource, Domain, Grouping, Schema, Table, Variable};

use crate::after::{self, After, Finish};
use crate::decoder::Decoder;
use crate::identifiers::Identifiers;
use crate::on_records::{OnRecords, Run};
use crate::randomness::Seed;
use crate::record_strata::RecordStrata;
use crate::strata::Strata;
use crate::synthesizer::{Data, Drawn};
use crate::{Model, Recipe, StructuralZeros, SynthesisError, Synthesizer, checkpoint, rare, registry};

/// Synthetic tables, and what the fit had to say.
pub struct Generated {
    /// The m data sets.
    pub tables: Vec<Table>,
    /// Remarks of the model: convergence, size.
    pub remarks: Vec<String>,
    /// The seed that was used, given or drawn.
    pub seed: u64,
}

/// A model fitted by a recipe, ready to draw data sets.
pub struct Fitted {
    /// The model.
    pub model: Box<dyn Model>,
    /// The seed that was used, given or drawn.
    pub seed: u64,
    decoder: Decoder,
    rows: usize,
    original_rows: usize,
    m: u32,
    finish: Option<Finish>,
    /// What was done to the records before the method saw them, and what is made new.
    remarks: Vec<String>,
}

/// Carries out a recipe in memory.
pub fn generate(table: &Table, recipe: &Recipe) -> Result<Generated, SynthesisError> {
    let fitted = fit(table, recipe)?;
    let tables = (0..fitted.m).map(|number| fitted.table(number));
    Ok(Generated { tables: tables.collect::<Result<_, _>>()?, remarks: fitted.remarks(), seed: fitted.seed })
}

/// Fits the recipe's method to the table, which must keep its schema. A private recipe is carried out by [`private`](crate::private).
pub fn fit(table: &Table, recipe: &Recipe) -> Result<Fitted, SynthesisError> {
    fit_watched(table, recipe, &Run::default())
}

/// Fits the recipe's method to the table, watched, kept and limited as `run` says.
pub fn fit_watched(table: &Table, recipe: &Recipe, run: &Run) -> Result<Fitted, SynthesisError> {
    let mut fitted = fit_method(table, recipe, run)?;
    fitted.finish_with(&recipe.after, after::original_uniques(&recipe.after, table)?)?;
    Ok(fitted)
}

/// The same for data sets that will be released: what very few records have is kept out of what is learned from them, see
/// [`rare`](crate::rare), unless the schema is declared.
pub fn fit_for_release(table: &Table, recipe: &Recipe, run: &Run) -> Result<Fitted, SynthesisError> {
    let protected = rare::protect(table)?;
    let mut fitted = fit_watched(&protected.records, recipe, run)?;
    fitted.remarks.extend(protected.remarks);
    Ok(fitted)
}

fn fit_method(table: &Table, recipe: &Recipe, run: &Run) -> Result<Fitted, SynthesisError> {
    recipe.check()?;
    if recipe.privacy.is_some() {
        return Err(SynthesisError::option("privacy", "a private recipe is carried out with private::fit"));
    }
    let synthesizer = refuse_rows_if_random(recipe)?;
    let broken = table.violations()?;
    if !broken.is_empty() {
        return Err(table::TableError::Violations(broken).into());
    }
    if let Some(method) = synthesizer.on_records() {
        return fit_records(method, table, recipe, run);
    }
    for (option, given) in [("resume", run.checkpoint.is_some()), ("memory", run.memory.is_some())] {
        if given {
            return Err(SynthesisError::option(option, format!("`{}` does not know it", recipe.method)));
        }
    }
    let grouping = Grouping { groups: recipe.groups as usize, style: GroupingStyle::Quantiles };
    let coded = CodedTable::over(table, &grouping, Variable::is_modelled)?;
    if coded.domain().variables().is_empty() {
        return Err(SynthesisError::option(
            "method",
            "there is no variable to model; identifiers and formulas are not",
        ));
    }
    let zeros = StructuralZeros::of(table.schema(), &coded)?;
    let seed = recipe.seed.unwrap_or_else(fresh_seed);
    let model = fit_model(
        synthesizer.as_ref(),
        Data { counts: &coded, records: Some(table), zeros: &zeros },
        recipe,
        Seed::new(seed).child(0),
    )?;
    let schema = Arc::new(table.schema().clone());
    let decoder = Decoder::new(schema, coded.domain().clone(), Identifiers::learn(table))?;
    Ok(Fitted::new(model, decoder, &Recipe { seed: Some(seed), ..recipe.clone() }, table.rows()))
}

fn fit_records(
    method: &dyn OnRecords,
    table: &Table,
    recipe: &Recipe,
    run: &Run,
) -> Result<Fitted, SynthesisError> {
    if recipe.groups != Recipe::new("").groups {
        let message = format!("`{}` takes numbers as they are and groups none; leave it out", recipe.method);
        return Err(SynthesisError::option("groups", message));
    }
    let seed = checkpoint::seed_of(run, table, recipe)?;
    run.begin(method.estimate(table)?)?;
    let part = Seed::new(seed).child(0);
    let model: Box<dyn Model> = if recipe.strata.is_empty() {
        method.fit(table, run, part)?
    } else {
        Box::new(RecordStrata::fit(method, table, &recipe.strata, run, part)?)
    };
    let decoder = Decoder::new(table.shared_schema(), Domain::new(Vec::new())?, Identifiers::learn(table))?;
    Ok(Fitted::new(model, decoder, &Recipe { seed: Some(seed), ..recipe.clone() }, table.rows()))
}

/// The recipe's method, unless rows are asked of one that makes as many as it makes.
pub(crate) fn refuse_rows_if_random(recipe: &Recipe) -> Result<Box<dyn Synthesizer>, SynthesisError> {
    let synthesizer = (registry::plain(&recipe.method)?)(&recipe.method_options())?;
    if recipe.rows.is_some() && !synthesizer.rows_can_be_chosen() {
        let message =
            format!("the number of records of `{}` is random; use its option `scale`", recipe.method);
        return Err(SynthesisError::option("rows", message));
    }
    Ok(synthesizer)
}

/// How many cells of the cross-table have each size, random zeros included: what a plan needs.
pub fn cell_sizes(
    table: &Table,
    groups: usize,
) -> Result<std::collections::BTreeMap<u64, u64>, SynthesisError> {
    let coded = CodedTable::over(
        table,
        &Grouping { groups, style: GroupingStyle::Quantiles },
        Variable::is_modelled,
    )?;
    let zeros = StructuralZeros::of(table.schema(), &coded)?;
    let cross = coded.contingency_table(&Attributes::all(coded.domain()))?;
    let random_zeros = zeros.possible_cells(coded.domain())? - num_bigint::BigUint::from(cross.occupied());
    let mut sizes = cross.size_histogram();
    // More empty cells than 64 bits count leave every share of cells at zero, whatever their exact number.
    let held: u64 = sizes.values().sum();
    sizes.insert(0, u64::try_from(&random_zeros).unwrap_or(u64::MAX).min(u64::MAX - held));
    Ok(sizes)
}

fn fit_model(
    synthesizer: &dyn Synthesizer,
    data: Data<'_>,
    recipe: &Recipe,
    seed: Seed,
) -> Result<Box<dyn Model>, SynthesisError> {
    if recipe.strata.is_empty() {
        return synthesizer.fit(data, seed);
    }
    let names = recipe.strata.iter().map(String::as_str);
    if let Some(message) = synthesizer.refuses_strata() {
        return Err(SynthesisError::option("strata", message));
    }
    let by = Attributes::named(data.counts.domain(), names)
        .map_err(|error| SynthesisError::option("strata", error.to_string()))?;
    Ok(Box::new(Strata::fit(synthesizer, data, &by, seed)?))
}

/// A seed from the operating system.
pub(crate) fn fresh_seed() -> u64 {
    rand_chacha::ChaCha12Rng::from_rng(&mut rand::rng()).next_u64() >> 1
}

impl Fitted {
    /// A model ready to draw what the recipe asks for; as many records as the data where it does not say.
    pub(crate) fn new(
        model: Box<dyn Model>,
        decoder: Decoder,
        recipe: &Recipe,
        original_rows: usize,
    ) -> Self {
        let rows = recipe.rows.map_or(original_rows, |rows| rows as usize);
        Self {
            model,
            seed: recipe.seed.unwrap_or_else(fresh_seed),
            decoder,
            rows,
            original_rows,
            m: recipe.m,
            finish: None,
            remarks: Vec::new(),
        }
    }

    /// Has every data set finished in this way before it is released.
    pub(crate) fn finish_with(
        &mut self,
        after: &After,
        uniques: Vec<after::Print>,
    ) -> Result<(), SynthesisError> {
        self.finish =
            if after.is_empty() { None } else { Some(Finish::new(after, self.decoder.schema(), uniques)?) };
        Ok(())
    }

    /// What tells the unique records of the data apart, where they are to be removed.
    pub(crate) fn uniques(&self) -> &[after::Print] {
        self.finish.as_ref().map_or(&[], Finish::uniques)
    }

    /// What there is to say of the fit: of the model, of identifiers, and of what was kept out of it.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.model.remarks();
        let names: Vec<String> = self.decoder.identifiers().names().map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            remarks.push(format!("not modelled but made new, because they name units: {}", names.join(", ")));
        }
        remarks.extend(self.remarks.iter().cloned());
        remarks
    }

    /// What is said beside the model's own remarks.
    pub(crate) fn own_remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The same with what was said of it before it was stored.
    pub(crate) fn with_own_remarks(mut self, remarks: &[String]) -> Self {
        self.remarks = remarks.to_vec();
        self
    }

    /// What is kept of the identifiers.
    pub(crate) fn identifiers(&self) -> &Identifiers {
        self.decoder.identifiers()
    }

    /// The schema of the model's records, before anything is done to them.
    pub(crate) fn model_schema(&self) -> &Schema {
        self.decoder.schema()
    }

    /// The schema that its records keep.
    pub fn schema(&self) -> &Schema {
        self.finish.as_ref().map_or_else(|| self.decoder.schema(), Finish::schema)
    }

    /// How many records the data had: the N of inference.
    pub fn original_rows(&self) -> usize {
        self.original_rows
    }

    /// How many data sets the recipe asks for.
    pub fn m(&self) -> u32 {
        self.m
    }

    /// The classes that the model knows.
    pub fn domain(&self) -> &Domain {
        self.decoder.domain()
    }

    /// Draws data set `number`, from 0, and hands its records to `take` part by part.
    pub fn draw(
        &self,
        number: u32,
        mut take: impl FnMut(Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        if self.finish.is_some() {
            return take(self.table(number)?);
        }
        match self.sample(number)? {
            Drawn::Cells(cells) => self.decoder.decode_in_parts(&cells, self.seed_of(number).child(1), take),
            Drawn::Records(records) => take(self.decoder.complete(records, self.seed_of(number).child(1))?),
        }
    }

    /// Data set `number`, from 0, all at once.
    pub fn table(&self, number: u32) -> Result<Table, SynthesisError> {
        let table = match self.sample(number)? {
            Drawn::Cells(cells) => self.decoder.decode(&cells, self.seed_of(number).child(1)),
            Drawn::Records(records) => self.decoder.complete(records, self.seed_of(number).child(1)),
        }?;
        match &self.finish {
            Some(finish) => finish.apply(table, &self.decoder),
            None => Ok(table),
        }
    }

    /// What the model draws for data set `number`, before it is decoded.
    pub fn sample(&self, number: u32) -> Result<Drawn, SynthesisError> {
        if let Some(paid) = self.model.paid(number) {
            return Ok(paid.clone());
        }
        let drawn = self.model.sample(self.rows, self.seed_of(number).child(0))?;
        if drawn.rows() == 0 {
            return Err(SynthesisError::option("scale", "a data set came out empty; choose a larger scale"));
        }
        Ok(drawn)
    }

    fn seed_of(&self, number: u32) -> Seed {
        Seed::new(self.seed).child(1 + u64::from(number))
    }
}
