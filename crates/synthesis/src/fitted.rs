//! A model fitted by a recipe, ready to draw data sets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use privacy::LedgerRecord;
use rayon::prelude::*;
use table::schema::Role;
use table::{Domain, Schema, Table};

use crate::after::Finish;
use crate::class_numbers::ClassNumbers;
use crate::completion::{Completion, NewColumns};
use crate::copies::Print;
use crate::decoder::Decoder;
use crate::identifiers::Identifiers;
use crate::latent::Latent;
use crate::model::AnyModel;
use crate::randomness::{CHUNK, Seed};
use crate::stored::StateWriter;
use crate::{Cells, Model, Recipe, SynthesisError, near};

/// A model fitted by a recipe, privately or not, ready to draw data sets: block by block with [`draw`](Self::draw), or one as a
/// [`table`](Self::table). Data sets of a private fit cost nothing more.
pub struct Fitted {
    drawing: Arc<Drawing>,
    recipe: Recipe,
    seed: u64,
    rows: usize,
    original_rows: u64,
    finish: Option<Arc<Finish>>,
    ledger: Option<LedgerRecord>,
    /// What was done to the records before the method saw them, and what a private run cannot know.
    remarks: Vec<String>,
    /// What only the owner of the data may read.
    inside: Vec<String>,
}

/// A model with what turns its draws into records of the schema.
pub(crate) enum Drawing {
    /// Cells are decoded.
    Cells(Box<dyn Model<Cells>>, Decoder),
    /// Records are completed.
    Records(Box<dyn Model<Table>>, Completion),
}

impl Drawing {
    /// The model with a decoder into the schema's records, or with their completion.
    pub(crate) fn new(
        model: AnyModel,
        schema: Arc<Schema>,
        domain: &Domain,
        identifiers: Identifiers,
        numbers: ClassNumbers,
    ) -> Result<Self, SynthesisError> {
        Ok(match model {
            AnyModel::Cells(model) => {
                Self::Cells(model, Decoder::new(schema, domain.clone(), identifiers)?.with_numbers(numbers))
            }
            AnyModel::Records(model) => Self::Records(model, Completion::new(schema, identifiers)?),
        })
    }

    /// The same for a model of a private run.
    pub(crate) fn of_private_run(self) -> Self {
        match self {
            Self::Cells(model, decoder) => Self::Cells(model, decoder.of_private_run()),
            records => records,
        }
    }

    fn completion(&self) -> &Completion {
        match self {
            Self::Cells(_, decoder) => decoder.completion(),
            Self::Records(_, completion) => completion,
        }
    }
}

impl Fitted {
    /// A model ready to draw what the recipe asks for; as many records as the data where it does not say. `uniques` are what identifies the
    /// unique records of the data, where they are to be removed.
    pub(crate) fn new(
        drawing: Drawing,
        recipe: &Recipe,
        seed: u64,
        original_rows: u64,
        uniques: Vec<Print>,
    ) -> Result<Self, SynthesisError> {
        let rows = recipe.rows.unwrap_or(original_rows);
        if rows > u64::from(u32::MAX) {
            let message =
                format!("one file takes up to {} records, and the data have more; say how many", u32::MAX);
            return Err(SynthesisError::option("rows", message));
        }
        // Weights are kept above zero, whatever a method draws.
        let has_weights = drawing.completion().schema().with_role(Role::Weight).is_some();
        let finish = if recipe.after.is_empty() && !has_weights {
            None
        } else {
            Some(Arc::new(Finish::new(&recipe.after, drawing.completion().schema(), uniques)?))
        };
        Ok(Self {
            drawing: Arc::new(drawing),
            recipe: recipe.clone(),
            seed,
            rows: rows as usize,
            original_rows,
            finish,
            ledger: None,
            remarks: Vec::new(),
            inside: Vec::new(),
        })
    }

    /// The same model, ready to draw other data sets: another number of them, other records, another seed, which is fresh where none is given. What the
    /// recipe says of the fit itself is not looked at again.
    ///
    /// ```
    /// use synthesis::{Recipe, Run, fit};
    /// use table::read::{ReadOptions, read_csv_text};
    ///
    /// let people = read_csv_text(&format!("sex,agegr\n{}", "F,old\nM,old\nF,young\n".repeat(20)), &ReadOptions::default())?;
    /// let fitted = fit(&people, &Recipe { seed: Some(1), ..Recipe::new("catall") }, &Run::default())?;
    /// let more = fitted.again(2, Some(500), Some(1))?;
    /// assert_eq!((more.table(1)?.rows(), more.seed()), (500, 1));
    /// assert_eq!(fitted.again(1, None, Some(1))?.table(0)?, fitted.table(0)?);
    /// # Ok::<(), synthesis::SynthesisError>(())
    /// ```
    pub fn again(&self, m: u32, rows: Option<u64>, seed: Option<u64>) -> Result<Self, SynthesisError> {
        let recipe = Recipe { m, rows: rows.or(self.recipe.rows), seed, ..self.recipe.clone() };
        recipe.check()?;
        if seed.is_some() && self.ledger.is_some() {
            return Err(SynthesisError::SeedInPrivateRun);
        }
        if rows.is_some() {
            crate::fit::refuse_rows_if_random(&recipe)?;
        }
        let is_paid = match self.drawing.as_ref() {
            Drawing::Cells(model, _) => model.paid(0).is_some(),
            Drawing::Records(model, _) => model.paid(0).is_some(),
        };
        if is_paid && m > self.recipe.m {
            let message = "each data set of this method has to be paid for, and no more were; fit again and ask for all of them";
            return Err(SynthesisError::option("m", message));
        }
        if is_paid && rows.is_some() {
            let message =
                "the data sets of this method were drawn, and paid for, when it was fitted; leave it out";
            return Err(SynthesisError::option("rows", message));
        }
        let rows = recipe.rows.unwrap_or(self.original_rows);
        Ok(Self {
            drawing: Arc::clone(&self.drawing),
            recipe,
            seed: seed.unwrap_or_else(crate::fit::fresh_seed),
            rows: rows as usize,
            original_rows: self.original_rows,
            finish: self.finish.clone(),
            ledger: self.ledger.clone(),
            remarks: self.remarks.clone(),
            inside: self.inside.clone(),
        })
    }

    /// The same with what there is to say beside the model's own remarks.
    pub(crate) fn with_own_remarks(mut self, remarks: &[String]) -> Self {
        self.remarks.extend_from_slice(remarks);
        self
    }

    /// The same with one more remark.
    pub fn with_remark(self, remark: Option<String>) -> Self {
        self.with_own_remarks(remark.as_slice())
    }

    /// The same with what only the owner of the data may read.
    pub(crate) fn with_inside_remarks(self, inside: Vec<String>) -> Self {
        Self { inside, ..self }
    }

    /// What only the owner of the data may read: it was found without paying, and stays inside.
    pub fn inside_remarks(&self) -> &[String] {
        &self.inside
    }

    /// The same model with the ledger of the run that fitted it.
    pub(crate) fn with_ledger(self, ledger: Option<LedgerRecord>) -> Self {
        Self { ledger, ..self }
    }

    /// The schema that its records keep.
    pub fn schema(&self) -> &Schema {
        self.finish.as_deref().map_or_else(|| self.model_schema(), Finish::schema)
    }

    /// The recipe, as it was given.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What was spent on what, if the fit was private.
    pub fn ledger(&self) -> Option<&LedgerRecord> {
        self.ledger.as_ref()
    }

    /// How many data sets the recipe asks for.
    pub fn m(&self) -> u32 {
        self.recipe.m
    }

    /// How many records each data set is to have, where the method lets that be chosen.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many records the data had, as far as a private run may say: the N of inference.
    pub fn original_rows(&self) -> usize {
        self.original_rows as usize
    }

    /// The seed of its data sets, given or drawn. That of a private fit was drawn with its noise.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The classes of the cells that the model draws; `None` if it draws records.
    pub fn domain(&self) -> Option<&Domain> {
        match self.drawing.as_ref() {
            Drawing::Cells(_, decoder) => Some(decoder.domain()),
            Drawing::Records(..) => None,
        }
    }

    /// What there is to say of the fit: of the model (convergence, size), of identifiers, and of what was kept out of it.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = match self.drawing.as_ref() {
            Drawing::Cells(model, decoder) => {
                let near = near::remark(decoder.numbers().drawn_near(decoder.domain()));
                model.remarks().into_iter().chain(near).collect()
            }
            Drawing::Records(model, _) => model.remarks(),
        };
        let names: Vec<String> = self.identifiers().names().map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            remarks.push(format!("not modelled but made new, because they name units: {}", names.join(", ")));
        }
        remarks.extend(self.remarks.iter().cloned());
        remarks
    }

    /// Draws data set `number`, from 0, and hands its records to `take` part by part.
    pub fn draw(
        &self,
        number: u32,
        mut take: impl FnMut(Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        if let Some(data_set) = self.in_parts(number) {
            return data_set.draw(0..self.rows, take);
        }
        match self.drawing.as_ref() {
            Drawing::Cells(model, decoder) if self.finish.is_none() => {
                let cells = self.sample(model.as_ref(), number, Cells::rows)?;
                decoder.decode_in_parts(&cells, self.seed_of(number).child(1), take)
            }
            _ => take(self.table(number)?),
        }
    }

    /// Data set `number`, from 0, as one whose records can be drawn from any place on; `None` where the model draws them all at once, or something is done
    /// to all of them afterwards.
    pub fn in_parts(&self, number: u32) -> Option<DataSet<'_>> {
        let rows = self.rows;
        let has_parts = match self.drawing.as_ref() {
            Drawing::Cells(model, _) => model.paid(number).is_none() && model.has_parts(rows),
            Drawing::Records(model, _) => model.paid(number).is_none() && model.has_parts(rows),
        };
        if !has_parts || rows == 0 || self.finish.is_some() {
            return None;
        }
        let seed = self.seed_of(number).child(1);
        let identifiers = match self.drawing.as_ref() {
            Drawing::Cells(_, decoder) => decoder.completion().new_identifiers(rows, seed.child(0)),
            Drawing::Records(_, completion) => completion.new_identifiers(rows, seed),
        };
        let latent = match self.drawing.as_ref() {
            Drawing::Cells(model, decoder) if decoder.places_numbers() => {
                let first = model.sample_part(rows, 0..rows.min(CHUNK), self.seed_of(number).child(0));
                // What cannot be drawn is told when it is drawn.
                first.and_then(Result::ok).and_then(|cells| decoder.latent(&cells, seed))
            }
            _ => None,
        };
        Some(DataSet { fitted: self, number, identifiers, latent })
    }

    /// Data set `number`, from 0, all at once.
    pub fn table(&self, number: u32) -> Result<Table, SynthesisError> {
        let table = match self.drawing.as_ref() {
            Drawing::Cells(model, decoder) => {
                let cells = self.sample(model.as_ref(), number, Cells::rows)?;
                decoder.decode(&cells, self.seed_of(number).child(1))?
            }
            Drawing::Records(model, completion) => {
                let records = self.sample(model.as_ref(), number, Table::rows)?;
                completion.complete(records, self.seed_of(number).child(1))?
            }
        };
        match &self.finish {
            Some(finish) => finish.apply(table, self.drawing.completion()),
            None => Ok(table),
        }
    }

    /// What the model draws for data set `number`, before it becomes records of the schema.
    fn sample<Drawn: Clone>(
        &self,
        model: &dyn Model<Drawn>,
        number: u32,
        rows: impl Fn(&Drawn) -> usize,
    ) -> Result<Drawn, SynthesisError> {
        if let Some(paid) = model.paid(number) {
            return Ok(paid.clone());
        }
        let drawn = model.sample(self.rows, self.seed_of(number).child(0))?;
        if rows(&drawn) == 0 {
            return Err(SynthesisError::option("scale", "a data set came out empty; choose a larger scale"));
        }
        Ok(drawn)
    }

    fn seed_of(&self, number: u32) -> Seed {
        Seed::new(self.seed).child(1 + u64::from(number))
    }
}

/// A data set whose records are drawn from any place on, on any thread; the same ones as in the whole.
pub struct DataSet<'a> {
    fitted: &'a Fitted,
    number: u32,
    /// The identifiers of all records, which are not drawn one by one.
    identifiers: NewColumns,
    /// Where numbers lie within their classes.
    latent: Option<Latent>,
}

impl DataSet<'_> {
    /// Draws these records and hands them to `take` part by part.
    pub fn draw(
        &self,
        rows: Range<usize>,
        mut take: impl FnMut(Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        let all = self.fitted.rows;
        let chunks: Vec<usize> = (rows.start / CHUNK * CHUNK..rows.end).step_by(CHUNK).collect();
        let part_of = |start: &usize| *start..all.min(start + CHUNK);
        for some in chunks.chunks(rayon::current_num_threads()) {
            let parts: Vec<Range<usize>> = some.iter().map(part_of).collect();
            self.draw_chunks(&parts, &mut |first, table| {
                let (from, to) = (rows.start.max(first), rows.end.min(first + table.rows()));
                match (from, to) {
                    (from, to) if from >= to => Ok(()),
                    (from, to) if to - from == table.rows() => take(table),
                    (from, to) => {
                        let kept: Vec<u32> = ((from - first) as u32..(to - first) as u32).collect();
                        take(table.take(&kept)?)
                    }
                }
            })?;
        }
        Ok(())
    }

    fn draw_chunks(
        &self,
        parts: &[Range<usize>],
        take: &mut dyn FnMut(usize, Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        let (rows, seed) = (self.fitted.rows, self.fitted.seed_of(self.number));
        let none = || SynthesisError::ModelFile("the model does not draw in parts".into());
        match self.fitted.drawing.as_ref() {
            Drawing::Cells(model, decoder) => {
                let draw = |part: &Range<usize>| {
                    model.sample_part(rows, part.clone(), seed.child(0)).unwrap_or_else(|| Err(none()))
                };
                let drawn = parts.par_iter().map(draw).collect::<Result<Vec<Cells>, _>>()?;
                for (part, cells) in parts.iter().zip(drawn) {
                    let mut first = part.start;
                    let latent = self.latent.as_ref();
                    decoder.decode_rows(
                        &cells,
                        part.start,
                        &self.identifiers,
                        latent,
                        seed.child(1),
                        |table| {
                            let here = first;
                            first += table.rows();
                            take(here, table)
                        },
                    )?;
                }
            }
            Drawing::Records(model, completion) => {
                for part in parts {
                    let drawn = model
                        .sample_part(rows, part.clone(), seed.child(0))
                        .unwrap_or_else(|| Err(none()))?;
                    take(part.start, completion.complete_part(drawn, part.start, &self.identifiers)?)?;
                }
            }
        }
        Ok(())
    }
}

/// What a model file holds.
impl Fitted {
    /// The schema of the model's records, before anything is done to them.
    pub(crate) fn model_schema(&self) -> &Schema {
        self.drawing.completion().schema()
    }

    /// What is kept of the identifiers.
    pub(crate) fn identifiers(&self) -> &Identifiers {
        self.drawing.completion().identifiers()
    }

    /// What is said beside the model's own remarks.
    pub(crate) fn own_remarks(&self) -> &[String] {
        &self.remarks
    }

    /// What identifies the unique records of the data, where they are to be removed.
    pub(crate) fn uniques(&self) -> &[Print] {
        self.finish.as_deref().map_or(&[], Finish::uniques)
    }

    /// Why the model cannot be saved, if it cannot.
    pub(crate) fn refuses_saving(&self) -> Option<&'static str> {
        match self.drawing.as_ref() {
            Drawing::Cells(model, _) => model.refuses_saving(),
            Drawing::Records(model, _) => model.refuses_saving(),
        }
    }

    /// What the state gives away of the records, if anything.
    pub(crate) fn confidential(&self) -> Option<&'static str> {
        match self.drawing.as_ref() {
            Drawing::Cells(model, decoder) => {
                let numbers = (!decoder.numbers().is_empty()).then_some("it holds numbers of the records");
                model.confidential().or(numbers)
            }
            Drawing::Records(model, _) => model.confidential(),
        }
    }

    /// The numbers that records have within the classes of the model's cells.
    pub(crate) fn class_numbers(&self) -> Cow<'_, ClassNumbers> {
        match self.drawing.as_ref() {
            Drawing::Cells(_, decoder) => Cow::Borrowed(decoder.numbers()),
            Drawing::Records(..) => Cow::Owned(ClassNumbers::default()),
        }
    }

    /// Writes the state of the model.
    pub(crate) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self.drawing.as_ref() {
            Drawing::Cells(model, _) => model.store(into),
            Drawing::Records(model, _) => model.store(into),
        }
    }
}
