//! `tvae`: a variational autoencoder of records (Xu et al. 2019), with atoms and drawn by probability.
//!
//! The net and its loss are [`neural::Vae`]'s. As published, the likeliest choice of every span is drawn and values that many records share
//! come from normal components (`draw = "largest"`, `atoms = false`, `tilt = false`); both halve what a table keeps.

use neural::{Adam, Spans, Vae, VaeShape};
use privacy::Neighbours;
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
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::synthesizer::RecordSynthesizer;
use crate::tilt::{self, TiltSettings};
use crate::{Model, RecordsCard, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "tvae",
    summary: "draws whole records from a variational autoencoder, a neural net; a private run trains it by noisy gradients of sampled records",
    use_when: "a comparison with the nets of the literature is wanted; trees come nearer to the data in a hundredth of the time",
    needs: Needs::Records,
    options: &[
        EPOCHS,
        BATCH,
        OptionCard {
            name: "hidden",
            meaning: "units of each hidden layer",
            default: Usual::Words("128; 32 in a private run"),
        },
        OptionCard {
            name: "latent",
            meaning: "units of the latent",
            default: Usual::Words("128; 8 in a private run"),
        },
        OptionCard {
            name: "rate",
            meaning: "the learning rate of Adam",
            default: Usual::Words("0.001; 0.005 in a private run"),
        },
        OptionCard { name: "decay", meaning: "the decay of weights", default: Usual::Value("0.00001") },
        OptionCard {
            name: "reconstruction",
            meaning: "the weight of reconstruction against the divergence of the latent",
            default: Usual::Value("2.0"),
        },
        OptionCard {
            name: "draw",
            meaning: "which choice of a span is drawn: `sample` (by its probability) or `largest` (the likeliest, as published)",
            default: Usual::Value("sample"),
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
            // A net that has next to nothing to learn but which kind there is.
            options: &["hidden=1", "latent=1", "steps=20", "sampling=1", "rate=0.1"],
        }],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "the data three times, 8 bytes a record and variable, and a net of 16 bytes a weight",
    citation: "Xu, Skoularidou, Cuesta-Infante & Veeramachaneni (2019), Modeling tabular data using conditional GAN, NeurIPS",
};

/// How choices are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DrawBy {
    #[default]
    Sample,
    Largest,
}

/// The settings that are not about tilting.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Settings {
    epochs: Epochs,
    batch: usize,
    hidden: usize,
    latent: usize,
    rate: f64,
    decay: f64,
    reconstruction: f64,
    draw: DrawBy,
    atoms: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epochs: Epochs::Auto,
            batch: 500,
            hidden: 128,
            latent: 128,
            rate: 1e-3,
            decay: 1e-5,
            reconstruction: 2.0,
            draw: DrawBy::Sample,
            atoms: true,
        }
    }
}

struct Tvae {
    settings: Settings,
    tilt: Option<TiltSettings>,
}

fn parse(options: &toml::Table) -> Result<Settings, SynthesisError> {
    let settings: Settings = registry::options(options, &CARD)?;
    private::refuse_private_options(options)?;
    super::check_batch(settings.batch)?;
    super::check_units("hidden", settings.hidden)?;
    super::check_units("latent", settings.latent)?;
    super::check_above_zero("rate", settings.rate)?;
    super::check_above_zero("reconstruction", settings.reconstruction)?;
    if !(settings.decay.is_finite() && settings.decay >= 0.0) {
        return Err(SynthesisError::option("decay", "it must be 0 or a positive number"));
    }
    Ok(settings)
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let settings = parse(options)?;
    let tilt = TiltSettings::parse(options, true, false)?;
    Ok(Synthesizer::Records(Box::new(Tvae { settings, tilt })))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let settings = parse(context.options)?;
    super::load(from, context, |spans| TvaeNet::new(&settings, spans))
}

impl Tvae {
    fn epochs(&self, records: &Table) -> usize {
        self.settings.epochs.of(records.rows().div_ceil(self.settings.batch))
    }
}

impl RecordSynthesizer for Tvae {
    fn records_card(&self) -> RecordsCard {
        super::records_card()
    }

    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        let settings = &self.settings;
        let epochs = self.epochs(records);
        let model =
            super::fit(records, part, seed, epochs, settings.atoms, |spans| TvaeNet::new(settings, spans))?;
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
        whole::refuse_no_records(records)?;
        let coding = Coding::learn(records, self.settings.atoms)?;
        let net = TvaeNet::new(&self.settings, &coding.spans());
        // The first layer is gathered, not multiplied.
        let first = net.vae.spans().width() * self.settings.hidden;
        let operations = 6.0 * (net.vae.weights() - first) as f64;
        let bytes = net.vae.bytes(self.settings.batch);
        super::estimate(records, records.schema(), operations, self.epochs(records), bytes)
    }
}

struct TvaeNet {
    vae: Vae,
    settings: Settings,
    weights: Vec<f32>,
}

/// Weights and the state of their training.
struct Training {
    weights: Vec<f32>,
    adam: Adam<f32>,
}

impl TvaeNet {
    fn new(settings: &Settings, spans: &Spans) -> Self {
        let shape = VaeShape {
            hidden: settings.hidden,
            latent: settings.latent,
            reconstruction: settings.reconstruction,
        };
        Self { vae: Vae::new(shape, spans.clone()), settings: settings.clone(), weights: Vec::new() }
    }

    fn adam(&self) -> Adam<f32> {
        Adam::new(self.vae.weights(), self.settings.rate, (0.9, 0.999), self.settings.decay)
    }
}

impl Net for TvaeNet {
    type State = Training;

    const NAME: &'static str = CARD.name;

    fn begin(&self, _: &neural::Records, seed: Seed) -> Training {
        Training { weights: self.vae.initial(&mut seed.stream(0)), adam: self.adam() }
    }

    fn train(
        &self,
        state: &mut Training,
        encoded: &neural::Records,
        rng: &mut Rng,
    ) -> [(&'static str, f64); 2] {
        let spans = self.vae.spans().len();
        let rows = encoded.choices.len() / spans;
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.shuffle(rng);
        let mut gradient = vec![0.0; state.weights.len()];
        let (mut reconstruction, mut divergence) = (0.0, 0.0);
        for batch in order.chunks(self.settings.batch) {
            let records = encoded.take(batch, spans);
            let chance = self.vae.chance(batch.len(), rng);
            gradient.fill(0.0);
            let loss =
                self.vae.gradient(&state.weights, &records, &chance, batch.len() as f64, &mut gradient);
            state.adam.step(&mut state.weights, &gradient);
            self.vae.clamp(&mut state.weights);
            let share = batch.len() as f64 / rows as f64;
            reconstruction += share * loss.reconstruction;
            divergence += share * loss.divergence;
        }
        [("reconstruction", reconstruction), ("divergence", divergence)]
    }

    fn finish(&mut self, state: Training, _: &neural::Records, _: Seed) {
        self.weights = state.weights;
    }

    fn store_state(state: &Training, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &state.weights)?;
        super::store_adam(&state.adam, into)
    }

    fn load_state(&self, from: &mut StateReader<'_>, fresh: Training) -> Result<Training, SynthesisError> {
        let weights = super::weights(from, "weights", self.vae.weights())?;
        let mut adam = fresh.adam;
        super::load_adam(from, &mut adam)?;
        Ok(Training { weights, adam })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &self.weights)
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), SynthesisError> {
        self.weights = super::weights(from, "weights", self.vae.weights())?;
        Ok(())
    }

    fn spans(&self) -> &Spans {
        self.vae.spans()
    }

    fn outputs(&self, rows: usize, rng: &mut Rng) -> Vec<f32> {
        let latents = self.vae.chance(rows, rng);
        self.vae.decode(&self.weights, &latents)
    }

    fn deviations(&self) -> Vec<f64> {
        self.vae.sigmas(&self.weights)
    }

    fn takes_largest(&self) -> bool {
        self.settings.draw == DrawBy::Largest
    }
}
