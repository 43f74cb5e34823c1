//! `ctgan`: a conditional generator against a critic (Xu et al. 2019).
//!
//! The nets and their losses are [`neural::Gan`]'s. In training, a discrete variable is picked evenly for every record and one of its levels by ln(count + 1); the
//! real records of the step have the same levels. Records are drawn with conditions by the frequencies of the original.

use neural::{Adam, Gan, GanShape, Spans};
use privacy::Neighbours;
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::Deserialize;
use table::Table;

use super::coding::Coding;
use super::private::{self, SAMPLING, STEPS};
use super::{ATOMS, BATCH, EPOCHS, Epochs, Net};
use crate::card::{AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, Usual};
use crate::methods::whole;
use crate::randomness::{Rng, Seed};
use crate::run::{Estimate, Part};
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::synthesizer::RecordSynthesizer;
use crate::tilt::{self, TiltSettings};
use crate::{Model, RecordsCard, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "ctgan",
    summary: "draws whole records from a generator that was trained against a critic, two neural nets; a private run trains the critic by noisy gradients of sampled records",
    use_when: "a comparison with the nets of the literature is wanted; trees come nearer to the data in a thousandth of the time",
    needs: Needs::Records,
    options: &[
        EPOCHS,
        BATCH,
        OptionCard {
            name: "noise",
            meaning: "units of the noise",
            default: Usual::Words("128; 16 in a private run"),
        },
        OptionCard {
            name: "hidden",
            meaning: "units of each layer",
            default: Usual::Words("256; 32 in a private run"),
        },
        OptionCard {
            name: "pack",
            meaning: "records that the critic judges together; `batch` is a multiple of it",
            default: Usual::Value("10"),
        },
        OptionCard {
            name: "rate",
            meaning: "the learning rate of Adam",
            default: Usual::Words("0.0002; 0.003 in a private run"),
        },
        OptionCard {
            name: "decay",
            meaning: "the decay of the generator's weights",
            default: Usual::Value("0.000001"),
        },
        OptionCard {
            name: "penalty",
            meaning: "the weight of the gradient penalty",
            default: Usual::Value("10.0"),
        },
        OptionCard {
            name: "temperature",
            meaning: "the temperature of Gumbel's softmax in training",
            default: Usual::Words("0.2; 0.5 in a private run"),
        },
        OptionCard {
            name: "dropout",
            meaning: "the share of the critic's units that a step leaves out",
            default: Usual::Value("0.5"),
        },
        ATOMS,
        STEPS,
        SAMPLING,
        OptionCard { default: Usual::Value("true"), ..tilt::TILT },
        tilt::CANDIDATES,
        tilt::TILT_CLASSES,
        tilt::NO_COPIES,
    ],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[AuditCase {
            name: "the only record of its kind",
            canary: Canary::Kind { levels: 2, others: 1, neighbours: Neighbours::AddRemove },
            rows: Some(2_000),
            // Nets that have next to nothing to learn but which kind there is.
            options: &["hidden=2", "noise=1", "steps=20", "sampling=1", "rate=0.1"],
        }],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "the data three times, 12 bytes a record and variable, and two nets of 16 bytes a weight",
    citation: "Xu, Skoularidou, Cuesta-Infante & Veeramachaneni (2019), Modeling tabular data using conditional GAN, NeurIPS; Gulrajani et al. (2017), Improved training of Wasserstein GANs",
};

/// The settings that are not about tilting.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Settings {
    epochs: Epochs,
    batch: usize,
    noise: usize,
    hidden: usize,
    pack: usize,
    rate: f64,
    decay: f64,
    penalty: f64,
    temperature: f64,
    dropout: f64,
    atoms: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epochs: Epochs::Auto,
            batch: 500,
            noise: 128,
            hidden: 256,
            pack: 10,
            rate: 2e-4,
            decay: 1e-6,
            penalty: 10.0,
            temperature: 0.2,
            dropout: 0.5,
            atoms: true,
        }
    }
}

struct Ctgan {
    settings: Settings,
    tilt: Option<TiltSettings>,
}

fn parse(options: &toml::Table) -> Result<Settings, SynthesisError> {
    let settings: Settings = registry::options(options, &CARD)?;
    private::refuse_private_options(options)?;
    super::check_batch(settings.batch)?;
    super::check_units("hidden", settings.hidden)?;
    super::check_units("noise", settings.noise)?;
    super::check_above_zero("rate", settings.rate)?;
    super::check_above_zero("temperature", settings.temperature)?;
    let refuse = |name: &str, message: &str| Err(SynthesisError::option(name, message));
    if settings.pack == 0 || !settings.batch.is_multiple_of(settings.pack) {
        return refuse("pack", "the records of a batch must make whole packs; choose a divisor of `batch`");
    }
    if !(settings.decay.is_finite() && settings.decay >= 0.0) {
        return refuse("decay", "it must be 0 or a positive number");
    }
    if !(settings.penalty.is_finite() && settings.penalty >= 0.0) {
        return refuse("penalty", "it must be 0 or a positive number");
    }
    if !(0.0..1.0).contains(&settings.dropout) {
        return refuse("dropout", "it must be a share from 0 to below 1");
    }
    Ok(settings)
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let settings = parse(options)?;
    let tilt = TiltSettings::parse(options, true, false)?;
    Ok(Synthesizer::Records(Box::new(Ctgan { settings, tilt })))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let settings = parse(context.options)?;
    super::load(from, context, |spans| CtganNet::new(&settings, spans))
}

impl Ctgan {
    fn epochs(&self, records: &Table) -> usize {
        self.settings.epochs.of((records.rows() / self.settings.batch).max(1))
    }
}

impl RecordSynthesizer for Ctgan {
    fn records_card(&self) -> RecordsCard {
        super::records_card()
    }

    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        let settings = &self.settings;
        let epochs = self.epochs(records);
        let model =
            super::fit(records, part, seed, epochs, settings.atoms, |spans| CtganNet::new(settings, spans))?;
        Ok(Box::new(model))
    }

    fn fit_is_random(&self, _: &Table) -> bool {
        true
    }

    fn remarks(&self, records: &Table) -> Vec<String> {
        super::identifier_remarks(records)
    }

    fn tilt(&self) -> Option<TiltSettings> {
        self.tilt.clone()
    }

    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError> {
        if records.rows() < 2 * self.settings.pack {
            let message = format!(
                "the critic judges packs of {}, and the data do not make two packs; choose smaller packs, or another method",
                self.settings.pack
            );
            return Err(SynthesisError::option("pack", message));
        }
        whole::refuse_no_records(records)?;
        let coding = Coding::learn(records, self.settings.atoms)?;
        let net = CtganNet::new(&self.settings, &coding.spans());
        let (generator, critic) = net.gan.weights();
        // The generator runs twice forwards and once back; the critic, once a pack, ten times in all.
        let operations = 8.0 * generator as f64 + 24.0 * critic as f64 / self.settings.pack as f64;
        let bytes = net.gan.bytes(self.settings.batch);
        super::estimate(records, records.schema(), operations, self.epochs(records), bytes)
    }
}

struct CtganNet {
    gan: Gan,
    settings: Settings,
    weights: Vec<f32>,
    /// Means and deviations by which records are drawn one by one.
    moments: Vec<f32>,
    /// For each span that can be a condition, the records of each choice.
    counts: Vec<(u32, Vec<u32>)>,
}

/// Weights and the state of their training.
struct Training {
    generator: Vec<f32>,
    critic: Vec<f32>,
    of_generator: Adam<f32>,
    of_critic: Adam<f32>,
    /// By span and choice, the rows that have it.
    rows_of: Vec<Vec<Vec<u32>>>,
}

/// Records over which the moments of normalised layers are found after training.
const SETTLED: usize = 10_000;

impl CtganNet {
    fn new(settings: &Settings, spans: &Spans) -> Self {
        let shape = GanShape {
            noise: settings.noise,
            hidden: settings.hidden,
            pack: settings.pack,
            temperature: settings.temperature,
            penalty: settings.penalty,
            dropout: settings.dropout,
        };
        let gan = Gan::new(shape, spans.clone());
        Self { gan, settings: settings.clone(), weights: Vec::new(), moments: Vec::new(), counts: Vec::new() }
    }

    fn adams(&self) -> (Adam<f32>, Adam<f32>) {
        let (generator, critic) = self.gan.weights();
        let Settings { rate, decay, .. } = self.settings;
        (Adam::new(generator, rate, (0.5, 0.9), decay), Adam::new(critic, rate, (0.5, 0.9), 0.0))
    }

    /// The spans that can be conditions.
    fn conditions(&self) -> Vec<usize> {
        let spans = self.gan.spans().spans();
        (0..spans.len()).filter(|at| spans[*at].is_condition).collect()
    }

    /// A condition for each of these records, by the frequencies of the original.
    fn original_conditions(&self, rows: usize, rng: &mut Rng) -> Vec<Option<(u32, u32)>> {
        let mut one = || {
            let (span, counts) = self.counts.get(rng.random_range(0..self.counts.len().max(1)))?;
            let total = counts.iter().map(|count| u64::from(*count)).sum::<u64>();
            let mut left = rng.random_range(0..total.max(1));
            let level = counts.iter().position(|count| match left.checked_sub(u64::from(*count)) {
                Some(rest) => {
                    left = rest;
                    false
                }
                None => true,
            });
            Some((*span, level.unwrap_or(0) as u32))
        };
        (0..rows).map(|_| one()).collect()
    }
}

/// Means and deviations of both layers from a file: deviations are above zero.
pub(super) fn load_moments(
    from: &mut StateReader<'_>,
    gan: &Gan,
    hidden: usize,
) -> Result<Vec<f32>, SynthesisError> {
    let moments = super::weights(from, "moments", gan.moments_len())?;
    ensure(deviations(hidden).all(|at| moments[at] > 0.0), "its moments are not those of its net")?;
    Ok(moments)
}

/// Where deviations stand among the moments of both layers.
fn deviations(hidden: usize) -> impl Iterator<Item = usize> {
    (hidden..2 * hidden).chain(3 * hidden..4 * hidden)
}

/// Moments that can be stored and drawn by, whatever noise has made of the weights.
pub(super) fn usable_moments(mut moments: Vec<f32>, hidden: usize) -> Vec<f32> {
    moments.iter_mut().filter(|moment| !moment.is_finite()).for_each(|moment| *moment = 0.0);
    deviations(hidden).for_each(|at| {
        if moments[at] <= 0.0 {
            moments[at] = 1.0;
        }
    });
    moments
}

/// A level by ln(count + 1).
fn by_logarithm(rows_of: &[Vec<u32>], rng: &mut Rng) -> usize {
    let weight = |rows: &Vec<u32>| (rows.len() as f64 + 1.0).ln();
    let occurs = |rows: &&Vec<u32>| !rows.is_empty();
    let total: f64 = rows_of.iter().filter(occurs).map(weight).sum();
    let mut left = rng.random::<f64>() * total;
    let mut last = 0;
    for (level, rows) in rows_of.iter().enumerate().filter(|(_, rows)| occurs(rows)) {
        left -= weight(rows);
        last = level;
        if left < 0.0 {
            break;
        }
    }
    last
}

impl Net for CtganNet {
    type State = Training;

    const NAME: &'static str = CARD.name;

    fn begin(&self, encoded: &neural::Records, seed: Seed) -> Training {
        let (generator, critic) = self.gan.initial(&mut seed.stream(0));
        let (of_generator, of_critic) = self.adams();
        let spans = self.gan.spans();
        let mut rows_of: Vec<Vec<Vec<u32>>> = spans
            .spans()
            .iter()
            .map(|span| vec![Vec::new(); if span.is_condition { span.levels } else { 0 }])
            .collect();
        for (row, choices) in (0..).zip(encoded.choices.chunks_exact(spans.len())) {
            for (of_span, choice) in rows_of.iter_mut().zip(choices) {
                if let Some(rows) = of_span.get_mut(*choice as usize) {
                    rows.push(row);
                }
            }
        }
        Training { generator, critic, of_generator, of_critic, rows_of }
    }

    fn train(
        &self,
        state: &mut Training,
        encoded: &neural::Records,
        rng: &mut Rng,
    ) -> [(&'static str, f64); 2] {
        let (spans, batch) = (self.gan.spans().len(), self.settings.batch);
        let rows = encoded.choices.len() / spans;
        let steps = (rows / batch).max(1);
        let conditions = self.conditions();
        let mut of_critic = vec![0.0; state.critic.len()];
        let mut of_generator = vec![0.0; state.generator.len()];
        let (mut critic_loss, mut generator_loss) = (0.0, 0.0);
        let draw = |rng: &mut Rng, rows_of: &[Vec<Vec<u32>>]| -> Vec<Option<(u32, u32)>> {
            let mut one = || {
                let span = *conditions.get(rng.random_range(0..conditions.len().max(1)))?;
                Some((span as u32, by_logarithm(&rows_of[span], rng) as u32))
            };
            (0..batch).map(|_| one()).collect()
        };
        for _ in 0..steps {
            let wanted = draw(rng, &state.rows_of);
            let mut real = wanted.clone();
            real.shuffle(rng);
            let row = |condition: &Option<(u32, u32)>| match condition {
                Some((span, level)) => {
                    let rows = &state.rows_of[*span as usize][*level as usize];
                    rows[rng.random_range(0..rows.len())]
                }
                None => rng.random_range(0..rows as u32),
            };
            let chosen: Vec<u32> = real.iter().map(row).collect();
            let records = encoded.take(&chosen, spans);
            let chance = self.gan.critic_chance(batch, rng);
            let synthetic = self.gan.generator_chance(batch, rng);
            of_critic.fill(0.0);
            let loss = self.gan.critic_gradient(
                &state.critic,
                &state.generator,
                &records,
                &real,
                &wanted,
                &chance,
                &synthetic,
                &mut of_critic,
            );
            critic_loss += (loss.distance + loss.penalty) / steps as f64;
            state.of_critic.step(&mut state.critic, &of_critic);
            let wanted = draw(rng, &state.rows_of);
            let chance = self.gan.generator_chance(batch, rng);
            of_generator.fill(0.0);
            let loss = self.gan.generator_gradient(
                &state.generator,
                &state.critic,
                &wanted,
                &chance,
                &mut of_generator,
            );
            generator_loss += (loss.judged + loss.conditions) / steps as f64;
            state.of_generator.step(&mut state.generator, &of_generator);
        }
        [("critic", critic_loss), ("generator", generator_loss)]
    }

    fn finish(&mut self, state: Training, _: &neural::Records, seed: Seed) {
        self.weights = state.generator;
        let count = |span: usize| state.rows_of[span].iter().map(|rows| rows.len() as u32).collect();
        self.counts = self.conditions().into_iter().map(|span| (span as u32, count(span))).collect();
        let mut rng = seed.stream(0);
        let conditions = self.original_conditions(SETTLED, &mut rng);
        let noise = self.gan.noise_for(SETTLED, &mut rng);
        self.moments = self.gan.moments(&self.weights, &conditions, &noise);
    }

    fn store_state(state: &Training, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &state.generator)?;
        into.array("critic", &state.critic)?;
        super::store_adam(&state.of_generator, into)?;
        super::store_adam(&state.of_critic, into)
    }

    fn load_state(&self, from: &mut StateReader<'_>, fresh: Training) -> Result<Training, SynthesisError> {
        let (generator, critic) = self.gan.weights();
        let mut state = Training {
            generator: super::weights(from, "weights", generator)?,
            critic: super::weights(from, "critic", critic)?,
            ..fresh
        };
        super::load_adam(from, &mut state.of_generator)?;
        super::load_adam(from, &mut state.of_critic)?;
        Ok(state)
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &self.weights)?;
        into.array("moments", &self.moments)?;
        self.counts.iter().try_for_each(|(_, counts)| into.array("counts of choices", counts))
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), SynthesisError> {
        self.weights = super::weights(from, "weights", self.gan.weights().0)?;
        self.moments = load_moments(from, &self.gan, self.settings.hidden)?;
        for span in self.conditions() {
            let counts: Vec<u32> = from.array("counts of choices")?;
            let is_fine = counts.len() == self.gan.spans().spans()[span].levels
                && counts.iter().any(|count| *count > 0);
            ensure(is_fine, "its counts are not those of its choices")?;
            self.counts.push((span as u32, counts));
        }
        Ok(())
    }

    fn spans(&self) -> &Spans {
        self.gan.spans()
    }

    fn outputs(&self, rows: usize, rng: &mut Rng) -> Vec<f32> {
        let conditions = self.original_conditions(rows, rng);
        let noise = self.gan.noise_for(rows, rng);
        self.gan.draw(&self.weights, &self.moments, &conditions, &noise)
    }

    fn deviations(&self) -> Vec<f64> {
        vec![0.0; self.gan.spans().len()]
    }
}
