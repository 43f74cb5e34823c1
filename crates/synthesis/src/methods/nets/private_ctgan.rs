//! `ctgan` under privacy, the DP-GAN of the papers (Xie, Lin, Wang, Wang & Zhou 2018): a critic by noisy sums of gradients, a generator that sees nothing but the critic.
//!
//! See `super::private` for what is looked at and what it costs. The critic judges single records; the contribution of a record is the gradient of the critic's loss on the pair of it and of one synthetic record,
//! the penalty between the two included, so that no two records of the data meet. The generator and its records are made from noisy sums alone and cost nothing. There are no conditions: by which levels are
//! rare, a look at the data would have to be paid for. The critic takes several steps for each one of the generator, since its noise is averaged over them (Bie, Kamath & Zhang 2023).

use neural::{Adam, Gan, GanShape, Records, Spans};
use privacy::{GuardedTable, Learner, Neighbours};
use rand::RngExt;
use serde::Deserialize;

use super::ctgan::CARD;
use super::private::{self, Decoder, Noisy, PrivateNet};
use crate::private::{PrivateSynthesizer, Public, Spending};
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::{AnyModel, Cells, Model, RecordsCard, SynthesisError, registry};

/// The options that a private run has.
const OPTIONS: [&str; 7] = ["hidden", "noise", "rate", "penalty", "temperature", "steps", "sampling"];

/// Steps of the critic for one of the generator.
const CRITIC_STEPS: u64 = 2;

/// Synthetic records of which those of pairs are taken, and of a step of the generator.
const SYNTHETIC: usize = 500;

/// Records over which the moments of normalised layers are found after training.
const SETTLED: usize = 10_000;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Settings {
    hidden: usize,
    noise: usize,
    rate: f64,
    penalty: f64,
    temperature: f64,
    steps: u64,
    sampling: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hidden: 32,
            noise: 16,
            rate: 3e-3,
            penalty: 10.0,
            temperature: 0.5,
            steps: 1_000,
            sampling: 0.05,
        }
    }
}

fn parse(options: &toml::Table) -> Result<Settings, SynthesisError> {
    let settings: Settings = registry::options(options, &CARD)?;
    private::refuse_plain_options(options, &OPTIONS)?;
    super::check_units("hidden", settings.hidden)?;
    super::check_units("noise", settings.noise)?;
    super::check_above_zero("rate", settings.rate)?;
    super::check_above_zero("temperature", settings.temperature)?;
    if !(settings.penalty.is_finite() && settings.penalty >= 0.0) {
        return Err(SynthesisError::option("penalty", "it must be 0 or a positive number"));
    }
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
        let gan = settings.gan(spans.clone());
        let weights = super::weights(from, "weights", gan.weights().0)?;
        let moments = super::ctgan::load_moments(from, &gan, settings.hidden)?;
        Ok(Trained { gan, weights, moments })
    })
}

impl Settings {
    fn gan(&self, spans: Spans) -> Gan {
        let Self { hidden, noise, temperature, penalty, .. } = *self;
        Gan::new(GanShape { noise, hidden, pack: 1, temperature, penalty, dropout: 0.0 }, spans)
    }

    fn plan(&self, public: &Public<'_>, gan: &Gan) -> Result<privacy::DescentPlan, SynthesisError> {
        private::plan(public, CARD.name, gan.weights().1, self.steps, self.sampling)
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
        Some("every stratum would be learned by nets of its own, from fewer records under the same noise")
    }

    fn margins_asked(&self, _: &Public<'_>) -> Vec<table::Attributes> {
        Vec::new()
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let gan = self.gan(private::spans(public.domain));
        private::refuse_too_large(public, gan.weights().1)?;
        Ok(private::spending(&self.plan(public, &gan)?))
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let gan = self.gan(private::spans(public.domain));
        let plan = self.plan(public, &gan)?;
        let mut rng = Seed::new(private::FIRST_WEIGHTS).stream(0);
        let (generator, critic) = gan.initial(&mut rng);
        let adam = |weights: &[f32]| Adam::new(weights.len(), self.rate, (0.5, 0.9), 0.0);
        let (of_generator, of_critic) = (adam(&generator), adam(&critic));
        let synthetic = gan.synthetic(&generator, &gan.generator_chance(SYNTHETIC, &mut rng));
        let mut learner = GanLearner {
            critic: Noisy::new(critic, of_critic, self.steps),
            generator: Noisy::new(generator, of_generator, self.steps / CRITIC_STEPS),
            gan,
            synthetic,
            taken: 0,
            rng,
        };
        guard.descend(&private::purpose(&plan), &plan, &mut learner)?;
        let GanLearner { gan, generator, mut rng, .. } = learner;
        let weights = generator.mean();
        let noise = gan.noise_for(SETTLED, &mut rng);
        let moments = gan.moments(&weights, &vec![None; SETTLED], &noise);
        let moments = super::ctgan::usable_moments(moments, self.hidden);
        Ok(AnyModel::Cells(Box::new(PrivateNet {
            domain: public.domain.clone(),
            zeros: public.zeros.clone(),
            net: Trained { gan, weights, moments },
            remarks: vec![private::remark(&plan)],
        })))
    }
}

struct GanLearner {
    gan: Gan,
    critic: Noisy,
    generator: Noisy,
    /// Cells of synthetic records, made by the generator as it is.
    synthetic: Vec<f32>,
    taken: u64,
    /// What the generator's chance comes from; it is the same for all data.
    rng: Rng,
}

impl Learner for GanLearner {
    fn cells(&self) -> usize {
        self.gan.weights().1
    }

    fn contribution(&self, record: &[u32], chance: &mut privacy::NoiseStream, into: &mut [f32]) {
        let records = Records { choices: record.to_vec(), positions: vec![0.0; record.len()] };
        let width = self.gan.spans().width();
        let other = chance.random_range(0..SYNTHETIC);
        let synthetic = &self.synthetic[other * width..(other + 1) * width];
        let chance = self.gan.critic_chance(1, chance);
        self.gan.critic_gradient_against(&self.critic.weights, synthetic, &records, &chance, into);
        private::shorten(into);
    }

    fn learn(&mut self, sum: &[f64]) {
        self.critic.step(sum);
        self.taken += 1;
        if self.taken.is_multiple_of(CRITIC_STEPS) {
            let chance = self.gan.generator_chance(SYNTHETIC, &mut self.rng);
            let mut gradient = vec![0.0; self.generator.weights.len()];
            let (generator, critic) = (&self.generator.weights, &self.critic.weights);
            self.gan.generator_gradient(generator, critic, &[None; SYNTHETIC], &chance, &mut gradient);
            self.generator.step(&gradient.into_iter().map(f64::from).collect::<Vec<f64>>());
            self.generator.remember();
        }
        let chance = self.gan.generator_chance(SYNTHETIC, &mut self.rng);
        self.synthetic = self.gan.synthetic(&self.generator.weights, &chance);
    }
}

/// Weights that draws come from, and the moments of their layers.
struct Trained {
    gan: Gan,
    weights: Vec<f32>,
    moments: Vec<f32>,
}

impl Decoder for Trained {
    fn spans(&self) -> &Spans {
        self.gan.spans()
    }

    fn probabilities(&self, rows: usize, rng: &mut Rng) -> Vec<f32> {
        let noise = self.gan.noise_for(rows, rng);
        self.gan.draw(&self.weights, &self.moments, &vec![None; rows], &noise)
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("weights", &self.weights)?;
        into.array("moments", &self.moments)
    }
}
