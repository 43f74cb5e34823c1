//! A recipe carried out: a source in, a model out that is ready to draw.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigUint;
use rand::{Rng as _, SeedableRng};
use table::domain::Partition;
use table::schema::Origin;
use table::{Attributes, CountSource, Remembered, Schema, Source, Table, TableError, Variable};

use crate::after;
use crate::class_numbers::ClassNumbers;
use crate::completion::Completion;
use crate::decoder::Decoder;
use crate::fitted::{Drawing, Fitted};
use crate::identifiers::Identifiers;
use crate::randomness::Seed;
use crate::record_strata::RecordStrata;
use crate::run::{Estimate, Part, Run};
use crate::strata::Strata;
use crate::synthesizer::{CountSynthesizer, Data, RecordSynthesizer, Synthesizer};
use crate::tilt::{self, Tilted};
use crate::{Cells, Model, Recipe, StructuralZeros, SynthesisError, checkpoint, private, rare};

/// Fits the recipe's method to a source, privately if the recipe states a budget. Records must keep their schema, and counts must lie in cells
/// that can occur; if they do not, nothing is fitted, and the message is for the data owner alone.
///
/// ```
/// use synthesis::{Recipe, Run, fit};
/// use table::read::{ReadOptions, read_csv_text};
///
/// let people = read_csv_text("sex,agegr\nF,old\nM,old\nF,young\nF,old\n", &ReadOptions::default())?;
/// let recipe = Recipe::parse("method = \"catall\"\nrows = 10\nseed = 1\n")?;
/// let fitted = fit(&people, &recipe, &Run::default())?;
/// assert_eq!((fitted.table(0)?.rows(), fitted.ledger().is_none()), (10, true));
/// # Ok::<(), synthesis::SynthesisError>(())
/// ```
pub fn fit<'a>(source: impl Into<Source<'a>>, recipe: &Recipe, run: &Run) -> Result<Fitted, SynthesisError> {
    let source = source.into();
    recipe.check()?;
    let synthesizer = refuse_rows_if_random(recipe)?;
    after::refuse_without_records(&recipe.after, source)?;
    if !matches!(synthesizer, Synthesizer::Private(_)) {
        refuse_bought_levels(source)?;
    }
    match synthesizer {
        Synthesizer::Counts(method) => fit_counts(method.as_ref(), source, recipe, run),
        Synthesizer::Records(method) => fit_records(method.as_ref(), source, recipe, run),
        Synthesizer::Private(method) => private::fit(method, source, recipe, run),
    }
}

/// Levels that only a private run may find out are nobody's to publish in another one.
fn refuse_bought_levels(source: Source<'_>) -> Result<(), SynthesisError> {
    match source.schema().variables().iter().find(|variable| variable.bought.levels) {
        Some(variable) => {
            let message = "`levels = \"private\"` is for a run with a privacy budget; list the levels, or leave the key out of a schema that is not declared";
            Err(TableError::variable(&variable.name, message).into())
        }
        None => Ok(()),
    }
}

/// The same for data sets that may be released: what very few records have is kept out of what is learned from them, see
/// [`rare`](crate::rare), unless the schema is declared. A private run is protected by its noise.
pub fn fit_for_release<'a>(
    source: impl Into<Source<'a>>,
    recipe: &Recipe,
    run: &Run,
) -> Result<Fitted, SynthesisError> {
    let source = source.into();
    let is_learned = recipe.privacy.is_none() && source.schema().declaration().is_none();
    if let (Source::Streamed(_) | Source::Sql(_), true, Synthesizer::Counts(_)) =
        (source, is_learned, Synthesizer::of(recipe)?)
    {
        return Err(SynthesisError::LearnedFromFiles);
    }
    let Some(table) = source.table().filter(|_| recipe.privacy.is_none()) else {
        return fit(source, recipe, run);
    };
    let protected = rare::protect(table)?;
    let remarks: Vec<String> =
        words_for_missing(table.schema()).into_iter().chain(protected.remarks).collect();
    Ok(fit(protected.records.as_ref(), recipe, run)?.with_own_remarks(&remarks))
}

/// What was read as missing although nobody said so.
fn words_for_missing(schema: &Schema) -> Option<String> {
    let read_so =
        |variable: &&Variable| variable.origin == Origin::Learned && !variable.missing_tokens.is_empty();
    let told: Vec<String> = schema
        .variables()
        .iter()
        .filter(read_so)
        .map(|variable| format!("{} of `{}`", variable.missing_tokens.join(" and "), variable.name))
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "read as missing, since all other values are numbers or dates: {}; a schema that says `kind = \"categorical\"` keeps it as a level",
            told.join(", ")
        )
    })
}

/// The recipe's method, unless rows are asked of one that makes as many as it makes.
pub(crate) fn refuse_rows_if_random(recipe: &Recipe) -> Result<Synthesizer, SynthesisError> {
    let synthesizer = Synthesizer::of(recipe)?;
    if recipe.rows.is_some() && !synthesizer.rows_can_be_chosen() {
        let message =
            format!("the number of records of `{}` is random; use its option `scale`", recipe.method);
        return Err(SynthesisError::option("rows", message));
    }
    if let (Some(_), Synthesizer::Records(method)) = (recipe.rows, &synthesizer)
        && let Some(because) = method.refuses_rows()
    {
        return Err(SynthesisError::option("rows", because));
    }
    Ok(synthesizer)
}

fn fit_counts(
    method: &dyn CountSynthesizer,
    source: Source<'_>,
    recipe: &Recipe,
    run: &Run,
) -> Result<Fitted, SynthesisError> {
    refuse_violations(source)?;
    run.refuse_checkpoint(&format!("`{}` does not know it", recipe.method))?;
    run.check_room(counting_bytes(source))?;
    let counts = source.counts(recipe.groups as usize)?;
    // Records in memory are counted at once; others are passed over as seldom as can be.
    let counts: Box<dyn CountSource + '_> = match source {
        Source::Records(_) => counts,
        Source::Streamed(_) | Source::Sql(_) | Source::Counts { .. } => Box::new(Remembered::new(counts)),
    };
    let domain = counts.domain();
    if domain.variables().is_empty() {
        let message = "there is no variable to model; identifiers and formulas are not";
        return Err(SynthesisError::option("method", message));
    }
    let zeros = StructuralZeros::of(source.schema(), counts.as_ref())?;
    refuse_impossible_counts(source, counts.as_ref(), &zeros)?;
    let data = Data { counts: counts.as_ref(), zeros: &zeros };
    let model: Box<dyn Model<Cells>> = if recipe.strata.is_empty() {
        method.fit(data)?
    } else {
        if let Some(message) = method.refuses_strata() {
            return Err(SynthesisError::option("strata", message));
        }
        let by = Attributes::named(domain, recipe.strata.iter().map(String::as_str))
            .map_err(|error| SynthesisError::option("strata", error.to_string()))?;
        Box::new(Strata::fit(method, data, &by)?)
    };
    let seed = run.insecure_test_seed.or(recipe.seed).unwrap_or_else(fresh_seed);
    let has_numbers =
        domain.variables().iter().any(|classes| !matches!(classes.partition(), Partition::Levels(_)));
    let sample = if has_numbers { source.sample(NUMBERS_SAMPLED, seed)? } else { None };
    let numbers = match source.table().or(sample.as_deref()) {
        Some(table) => ClassNumbers::learn(table, domain)?,
        None => ClassNumbers::default(),
    };
    let decoder = Decoder::new(Arc::new(source.schema().clone()), domain.clone(), identifiers(source))?
        .with_numbers(numbers);
    finished(Drawing::Cells(model, decoder), source, recipe, seed)
}

/// Records of files that are not held, whose numbers are drawn from within classes.
const NUMBERS_SAMPLED: u64 = 1 << 18;

/// The records, for a method that cannot do without them.
pub(crate) fn the_records<'a>(source: Source<'a>, method: &str) -> Result<&'a Table, SynthesisError> {
    if let Some(table) = source.table() {
        return Ok(table);
    }
    let way_out = "take a method of counts; `lookalike methods` says which are";
    let message = match source {
        Source::Streamed(_) => format!(
            "`{method}` needs the records themselves, and these are read block by block because they would not fit into memory (--memory), or are to be streamed; fit it to a random sample with \
             --fit-rows 1000000, or {way_out}"
        ),
        Source::Sql(_) => {
            format!("`{method}` needs the records themselves, and these stay in their database; {way_out}")
        }
        _ => {
            format!("`{method}` needs the records themselves, and here are only their counts; {way_out}")
        }
    };
    Err(SynthesisError::option("method", message))
}

fn fit_records(
    method: &dyn RecordSynthesizer,
    source: Source<'_>,
    recipe: &Recipe,
    run: &Run,
) -> Result<Fitted, SynthesisError> {
    let table = the_records(source, &recipe.method)?;
    refuse_violations(source)?;
    if recipe.groups != Recipe::new("").groups {
        let message = format!("`{}` takes numbers as they are and groups none; leave it out", recipe.method);
        return Err(SynthesisError::option("groups", message));
    }
    let seeded = Recipe { seed: run.insecure_test_seed.or(recipe.seed), ..recipe.clone() };
    let seed = checkpoint::seed_of(run, table, &seeded)?;
    let mut estimate = method.estimate(table)?;
    let tilt = method.tilt();
    if let Some(tilt) = &tilt {
        let rows = recipe.rows.unwrap_or(table.rows() as u64);
        let (seconds, bytes) = tilt::estimate(tilt, table, rows);
        estimate = Estimate { seconds: estimate.seconds + seconds, bytes: estimate.bytes + bytes };
    }
    run.begin(estimate)?;
    let part = Seed::new(seed).child(0);
    let model: Box<dyn Model<Table>> = if recipe.strata.is_empty() {
        method.fit(table, &Part::whole(run), part)?
    } else {
        Box::new(RecordStrata::fit(method, table, &recipe.strata, run, part)?)
    };
    let model = match &tilt {
        Some(tilt) => {
            run.watch.check()?;
            let seed = Seed::new(seed).child(0).child(u64::from(u32::MAX));
            Box::new(Tilted::fit(model, tilt, &recipe.strata, table, seed)?)
        }
        None => model,
    };
    let schema = method.released_schema(table)?.map_or_else(|| table.shared_schema(), Arc::new);
    let completion = Completion::new(schema, Identifiers::learn(table))?;
    finished(Drawing::Records(model, completion), source, recipe, seed)
}

/// Bytes of a fit to counts beside its records: classes of every variable, and cells that are sorted and kept.
pub(crate) fn counting_bytes(source: Source<'_>) -> u64 {
    let classes = source.schema().variables().len() as u64 * 4;
    let records = if source.table().is_some() { source.records() } else { 0 };
    records.saturating_mul(3 * classes + 16)
}

/// What is kept of the identifiers: what records show, or else what the schema declares.
fn identifiers(source: Source<'_>) -> Identifiers {
    source.table().map_or_else(|| Identifiers::declared(source.schema()), Identifiers::learn)
}

/// A model of a run that is not private, with what is done to its data sets afterwards.
fn finished(
    drawing: Drawing,
    source: Source<'_>,
    recipe: &Recipe,
    seed: u64,
) -> Result<Fitted, SynthesisError> {
    let uniques = after::original_uniques(&recipe.after, source)?;
    Fitted::new(drawing, recipe, seed, source.records(), uniques)
}

/// Refuses records that break their schema.
pub(crate) fn refuse_violations(source: Source<'_>) -> Result<(), SynthesisError> {
    let Some(table) = source.table() else { return Ok(()) };
    let broken = table.violations()?;
    if broken.is_empty() { Ok(()) } else { Err(TableError::Violations(broken).into()) }
}

/// Refuses counts of records in cells that cannot occur. Records themselves have been compared with their schema, which says more.
pub(crate) fn refuse_impossible_counts(
    source: Source<'_>,
    counts: &dyn CountSource,
    zeros: &StructuralZeros,
) -> Result<(), SynthesisError> {
    if source.table().is_some() {
        return Ok(());
    }
    Ok(zeros.refuse_records(counts)?)
}

/// How many cells of the cross-table have each size, random zeros included: what a plan needs.
pub fn cell_sizes<'a>(
    source: impl Into<Source<'a>>,
    groups: usize,
) -> Result<BTreeMap<u64, u64>, SynthesisError> {
    let source = source.into();
    let counts = Remembered::new(source.counts(groups)?);
    let zeros = StructuralZeros::of(source.schema(), &counts)?;
    let mut sizes = counts.cell_sizes(&Attributes::all(counts.domain()))?;
    // More empty cells than 64 bits count leave every share of cells at zero, whatever their exact number.
    let held: u64 = sizes.values().sum();
    let possible = zeros.possible_cells(counts.domain())?;
    let random_zeros = possible.max(BigUint::from(held)) - BigUint::from(held);
    sizes.insert(0, u64::try_from(&random_zeros).unwrap_or(u64::MAX).min(u64::MAX - held));
    Ok(sizes)
}

/// A seed from the operating system.
pub(crate) fn fresh_seed() -> u64 {
    rand_chacha::ChaCha12Rng::from_rng(&mut rand::rng()).next_u64() >> 1
}
