//! `tvae` under privacy: the autoencoder over classes of the declared domain, by noisy sums of gradients of sampled records.
//!
//! See `super::private` for what is looked at and what it costs. The gradient of a record is that of its own loss at a draw of its own latent; nothing in the net mixes records.

use neural::{Adam, Records, Spans, Vae, VaeShape};
use privacy::{GuardedTable, Learner, Neighbours};
use serde::Deserialize;

use super::private::{self, Decoder, Noisy, PrivateNet};
use super::tvae::CARD;
use crate::private::{PrivateSynthesizer, Public, Spending};
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::{AnyModel, Cells, Model, RecordsCard, SynthesisError, registry};

/// The options that a private run has.
const OPTIONS: [&str; 6] = ["hidden", "latent", "rate", "reconstruction", "steps", "sampling"];

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Settings {
    hidden: usize,
    latent: usize,
    rate: f64,
    reconstruction: f64,
    steps: u64,
    sampling: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { hidden: 32, latent: 8, rate: 5e-3, reconstruction: 2.0, steps: 1_000, sampling: 0.05 }
    }
}

fn parse(options: &toml::Table) -> Result<Settings, SynthesisError> {
    let settings: Settings = registry::options(options, &CARD)?;
    private::refuse_plain_options(options, &OPTIONS)?;
    super::check_units("hidden", settings.hidden)?;
    super::check_units("latent", settings.latent)?;
    super::check_above_zero("rate", settings.rate)?;
    super::check_above_zero("reconstruction", settings.reconstruction)?;
    private::check_steps(settings.steps, settings.sampling)?;
    Ok(settings)
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    Ok(Box::new(parse(options)?))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let settings = parse(context.options)?;
    private::load(from, context, |spans, from| {
        let vae = settings.vae(spans.clone());
        let weights = super::weights(from, "weights", vae.weights())?;
        Ok(Trained { vae, weights })
    })
}

impl Settings {
    fn vae(&self, spans: Spans) -> Vae {
        let Self { hidden, latent, reconstruction, .. } = *self;
        Vae::new(VaeShape { hidden, latent, reconstruction }, spans)
    }

    fn plan(&self, public: &Public<'_>, vae: &Vae) -> Result<privacy::DescentPlan, SynthesisError> {
        private::plan(public, CARD.name, vae.weights(), self.steps, self.sampling)
    }
}

impl PrivateSynthesizer for Settings {
    fn records_card(&self) -> RecordsCard {
        private::records_card()
    }

    fn needs_neighbours(&self) -> Option<Neighbours> {
        private::neighbours()
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        Some("every stratum would be learned by a net of its own, from fewer records under the same noise")
    }

    fn margins_asked(&self, _: &Public<'_>) -> Vec<table::Attributes> {
        Vec::new()
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let vae = self.vae(private::spans(public.domain));
        private::refuse_too_large(public, vae.weights())?;
        Ok(private::spending(&self.plan(public, &vae)?))
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let vae = self.vae(private::spans(public.domain));
        let plan = self.plan(public, &vae)?;
        let weights = vae.initial(&mut Seed::new(private::FIRST_WEIGHTS).stream(0));
        let adam = Adam::new(weights.len(), self.rate, (0.9, 0.999), 0.0);
        let mut learner = VaeLearner { noisy: Noisy::new(weights, adam, self.steps), vae };
        guard.descend(&private::purpose(&plan), &plan, &mut learner)?;
        let weights = learner.noisy.mean();
        Ok(AnyModel::Cells(Box::new(PrivateNet {
            domain: public.domain.clone(),
            zeros: public.zeros.clone(),
            net: Trained { vae: learner.vae, weights },
            remarks: vec![private::remark(&plan)],
        })))
    }
}

struct VaeLearner {
    vae: Vae,
    noisy: Noisy,
}

impl Learner for VaeLearner {
    fn cells(&self) -> usize {
        self.vae.weights()
    }

    fn contribution(&self, record: &[u32], chance: &mut privacy::NoiseStream, into: &mut [f32]) {
        let records = Records { choices: record.to_vec(), positions: vec![0.0; record.len()] };
        let latent: Vec<f32> = self.vae.chance(1, chance);
        self.vae.gradient(&self.noisy.weights, &records, &latent, 1.0, into);
        private::shorten(into);
    }

    fn learn(&mut self, sum: &[f64]) {
        self.noisy.step(sum);
        self.vae.clamp(&mut self.noisy.weights);
        self.noisy.remember();
    }
}

/// Weights that draws come from.
struct Trained {
    vae: Vae,
    weights: Vec<f32>,
}

impl Decoder for Trained {
    fn spans(&self) -> &Spans {
        self.vae.spans()
    }

    fn probabilities(&self, rows: usize, rng: &mut Rng) -> Vec<f32> {
        let latents = self.vae.chance(rows, rng);
        self.vae.decode(&self.weights, &latents)
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &self.weights)
    }
}
