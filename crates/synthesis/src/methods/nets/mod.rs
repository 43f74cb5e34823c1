//! Nets as generators: what `tvae` and `ctgan` share.
//!
//! Records are written as spans (`coding`), a net is trained in segments that an interrupted run keeps, and what it draws is brought
//! under the schema (`whole`) and chosen out of candidates (`tilt`). On tables of the size of surveys nets do not come near trees with
//! donors; they are here to be compared with.

mod coding;
pub mod ctgan;
mod private;
pub mod private_ctgan;
pub mod private_tvae;
pub mod tvae;

use std::cell::Cell;

use neural::{Adam, Spans};
use rand::RngExt;
use serde::{Deserialize, Deserializer};
use table::expression::Value;
use table::watch::Step;
use table::{Schema, Table};

use self::coding::Coding;
use super::sequential::{identifier_remarks, refuse_names};
use super::whole::{Keeper, Proposals};
use crate::card::{OptionCard, Usual};
use crate::checkpoint::StoredPart;
use crate::randomness::{Rng, Seed};
use crate::run::{Estimate, Part};
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::{Making, Model, RecordsCard, SynthesisError};

/// Epochs at most where nobody says how many, and steps that are enough.
const USUAL_EPOCHS: usize = 300;
const USUAL_STEPS: usize = 3_000;

/// Parts into which training is cut, each of which an interrupted run keeps.
const SEGMENTS: usize = 10;

/// Multiplications and additions of a net in a second of one core.
const RATE: f64 = 1.2e10;

const EPOCHS: OptionCard = OptionCard {
    name: "epochs",
    meaning: "how often training goes over the records: `auto` (300, or as many as make 3,000 steps where these are fewer), or how many",
    default: Usual::Value("auto"),
};

const BATCH: OptionCard =
    OptionCard { name: "batch", meaning: "records of one step of training", default: Usual::Value("500") };

const ATOMS: OptionCard = OptionCard {
    name: "atoms",
    meaning: "values that many records share, such as zero or 40 hours, are choices of their own; without, as published, they are drawn from a normal component",
    default: Usual::Value("true"),
};

/// How many epochs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Epochs {
    #[default]
    Auto,
    Number(usize),
}

impl<'de> Deserialize<'de> for Epochs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Text {
            Number(i64),
            Word(String),
        }
        match Text::deserialize(from) {
            Ok(Text::Word(word)) if word == "auto" => Ok(Self::Auto),
            Ok(Text::Number(number @ 1..=1_000_000)) => Ok(Self::Number(number as usize)),
            _ => Err(serde::de::Error::custom("it is `auto`, or a number between 1 and 1,000,000")),
        }
    }
}

impl Epochs {
    fn of(self, steps_of_one: usize) -> usize {
        match self {
            Self::Auto => USUAL_STEPS.div_ceil(steps_of_one.max(1)).min(USUAL_EPOCHS),
            Self::Number(number) => number,
        }
    }
}

/// Refuses a batch that is none.
fn check_batch(batch: usize) -> Result<(), SynthesisError> {
    if (2..=100_000).contains(&batch) {
        return Ok(());
    }
    Err(SynthesisError::option("batch", "it must be between 2 and 100,000"))
}

/// Refuses a number that is not above zero.
fn check_above_zero(name: &str, number: f64) -> Result<(), SynthesisError> {
    if number.is_finite() && number > 0.0 {
        return Ok(());
    }
    Err(SynthesisError::option(name, "it must be a number above 0"))
}

/// Refuses layers of no units, or of too many.
fn check_units(name: &str, units: usize) -> Result<(), SynthesisError> {
    if (1..=4_096).contains(&units) {
        return Ok(());
    }
    Err(SynthesisError::option(name, "it must be between 1 and 4,096"))
}

/// A net, by how it is trained and drawn from.
trait Net: Send + Sync + Sized + 'static {
    /// What training changes.
    type State: Send;

    /// The method's name.
    const NAME: &'static str;

    /// The net before training.
    fn begin(&self, encoded: &neural::Records, seed: Seed) -> Self::State;

    /// One epoch; the two losses, with their names.
    fn train(
        &self,
        state: &mut Self::State,
        encoded: &neural::Records,
        rng: &mut Rng,
    ) -> [(&'static str, f64); 2];

    /// What remains to be learned once training has ended.
    fn finish(&mut self, state: Self::State, encoded: &neural::Records, seed: Seed);

    fn store_state(state: &Self::State, into: &mut StateWriter<'_>) -> std::io::Result<()>;

    /// The state of an interrupted run, in the place of a fresh one.
    fn load_state(
        &self,
        from: &mut StateReader<'_>,
        fresh: Self::State,
    ) -> Result<Self::State, SynthesisError>;

    /// Writes what is drawn from.
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()>;

    /// Reads what is drawn from.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), SynthesisError>;

    fn spans(&self) -> &Spans;

    /// For each of these records and each span the probabilities of the choices, and of positions the middle.
    fn outputs(&self, rows: usize, rng: &mut Rng) -> Vec<f32>;

    /// Of each span, the deviation of positions around their middle.
    fn deviations(&self) -> Vec<f64>;

    /// Whether the likeliest choice is taken, or one by its probability.
    fn takes_largest(&self) -> bool {
        false
    }
}

/// A trained net with what turns its outputs into records.
struct NetModel<N> {
    keeper: Keeper,
    drawing: NetDrawing<N>,
    remarks: Vec<String>,
}

struct NetDrawing<N> {
    coding: Coding,
    net: N,
}

/// Trains a net on records.
fn fit<N: Net>(
    records: &Table,
    part: &Part,
    seed: Seed,
    epochs: usize,
    with_atoms: bool,
    net: impl FnOnce(&Spans) -> N,
) -> Result<NetModel<N>, SynthesisError> {
    let coding = Coding::learn(records, with_atoms)?;
    let encoded = coding.encode(records, records.schema(), seed.child(0))?;
    let mut net = net(&coding.spans());
    let begin = || net.begin(&encoded, seed.child(1));
    // What training has come to; a segment takes it and puts it back.
    let current = Cell::new(Some(begin()));
    let segment = epochs.div_ceil(SEGMENTS);
    for (number, start) in (0..epochs).step_by(segment).enumerate() {
        let stored = StoredPart { folder: part.checkpoint.as_deref(), number };
        let end = epochs.min(start + segment);
        let state = stored.kept(
            |from| net.load_state(from, current.take().unwrap_or_else(begin)),
            N::store_state,
            || {
                let mut state = current.take().unwrap_or_else(begin);
                for epoch in start..end {
                    part.watch.check()?;
                    let losses = net.train(&mut state, &encoded, &mut seed.child(2).stream(epoch as u64));
                    if let Some((name, _)) = losses.iter().find(|(_, loss)| !loss.is_finite()) {
                        let message = format!(
                            "the loss `{name}` is not a number in epoch {}; nothing is written; try a smaller `rate`",
                            epoch + 1
                        );
                        return Err(SynthesisError::Fit { method: N::NAME, message });
                    }
                    let [(one, first), (other, second)] = losses;
                    let label = format!("{one} {first:.3}, {other} {second:.3}");
                    part.watch.report(Step::Fitting { variable: &label, done: epoch + 1, of: epochs });
                }
                Ok(state)
            },
        )?;
        current.set(Some(state));
    }
    let state = current.take().unwrap_or_else(begin);
    net.finish(state, &encoded, seed.child(3));
    let mut remarks = if part.is_stratum { Vec::new() } else { identifier_remarks(records) };
    remarks.push(format!(
        "trained for {epochs} epochs in single precision; a processor of another kind may yield other bytes from the same seed. Trees with donors (`lookalike methods`) come \
         nearer to tables of this size: see the measured table in the docs"
    ));
    let drawing = NetDrawing { coding, net };
    let keeper = Keeper::learn(records, seed.child(4))?;
    remarks.extend(keeper.remark(&drawing, seed.child(5)));
    Ok(NetModel { keeper, drawing, remarks })
}

/// A model from its stored state.
fn load<N: Net>(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
    net: impl FnOnce(&Spans) -> N,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let remarks = from.settings("remarks")?;
    let coding = Coding::load(from, context.schema)?;
    let mut net = net(&coding.spans());
    net.load(from)?;
    let keeper = Keeper::load(from, context.schema)?;
    Ok(Box::new(NetModel { keeper, drawing: NetDrawing { coding, net }, remarks }))
}

/// Weights from a file: as many as there are, all finite.
fn weights(from: &mut StateReader<'_>, name: &str, count: usize) -> Result<Vec<f32>, SynthesisError> {
    let weights: Vec<f32> = from.array(name)?;
    let are_fine = weights.len() == count && weights.iter().all(|weight| weight.is_finite());
    ensure(are_fine, "its weights are not those of its net")?;
    Ok(weights)
}

fn store_adam(adam: &Adam<f32>, into: &mut StateWriter<'_>) -> std::io::Result<()> {
    into.settings("steps", &adam.steps)?;
    into.array("means", &adam.means)?;
    into.array("squares", &adam.squares)
}

fn load_adam(from: &mut StateReader<'_>, adam: &mut Adam<f32>) -> Result<(), SynthesisError> {
    let count = adam.means.len();
    adam.steps = from.settings("steps")?;
    adam.means = weights(from, "means", count)?;
    adam.squares = weights(from, "squares", count)?;
    Ok(())
}

impl<N: Net> Proposals for NetDrawing<N> {
    fn propose(&self, rows: usize, rng: &mut Rng) -> Vec<Vec<Value>> {
        let spans = self.net.spans();
        let outputs = self.net.outputs(rows, rng);
        let deviations = self.net.deviations();
        let largest = self.net.takes_largest();
        let mut values = vec![Vec::with_capacity(rows); self.coding.variables()];
        let mut choices = vec![0; spans.len()];
        let mut middles = vec![0.0; spans.len()];
        for outputs in outputs.chunks_exact(spans.width()) {
            let mut start = 0;
            for (at, span) in spans.spans().iter().enumerate() {
                let shares = &outputs[start..start + span.levels];
                choices[at] = if largest { most(shares) } else { one_of(shares, rng) };
                middles[at] = if span.has_position() { f64::from(outputs[start + span.levels]) } else { 0.0 };
                start += span.width();
            }
            self.coding.decode(&choices, &mut values, |at| {
                let noise: f64 =
                    if deviations[at] > 0.0 { rng.sample(rand_distr::StandardNormal) } else { 0.0 };
                middles[at] + deviations[at] * noise
            });
        }
        values
    }
}

/// The place of the largest share.
fn most(shares: &[f32]) -> usize {
    (0..shares.len()).max_by(|one, other| shares[*one].total_cmp(&shares[*other])).unwrap_or(0)
}

/// A place by its share.
fn one_of(shares: &[f32], rng: &mut Rng) -> usize {
    let total: f64 = shares.iter().map(|share| f64::from(*share)).sum();
    let mut left = rng.random::<f64>() * total;
    let chosen = shares.iter().position(|share| {
        left -= f64::from(*share);
        left < 0.0
    });
    chosen.unwrap_or_else(|| most(shares))
}

impl<N: Net> Model<Table> for NetModel<N> {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        self.keeper.draw(&self.drawing, rows, seed)
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("remarks", &self.remarks)?;
        self.drawing.coding.store(into)?;
        self.drawing.net.store(into)?;
        self.keeper.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some(
            "weights of a net that was trained on the records without noise, frequent values, and some records by which rules are kept",
        )
    }
}

/// How records of a net come about.
fn records_card() -> RecordsCard {
    let leaves_out = "a net of this size blurs the records; what few of them have in common";
    RecordsCard { leaves_out: Some(leaves_out.to_owned()), ..RecordsCard::new(Making::PlainDraws) }
}

/// What training takes: operations of one record in one epoch, bytes of the net, and of the records.
fn estimate(
    records: &Table,
    schema: &Schema,
    operations: f64,
    epochs: usize,
    net_bytes: u64,
) -> Result<Estimate, SynthesisError> {
    refuse_names(records)?;
    let rows = records.rows() as f64;
    let seconds = operations * rows * epochs as f64 / RATE;
    let written = 8 * records.rows() as u64 * schema.variables().len() as u64;
    Ok(Estimate { seconds, bytes: 3 * records.bytes() as u64 + written + net_bytes })
}
