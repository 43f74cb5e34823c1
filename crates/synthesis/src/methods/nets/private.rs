//! Nets under privacy: what private `tvae` and `ctgan` share.
//!
//! **What is looked at.** Nothing but gradients of sampled records under noise ([`privacy::GuardedTable::descend`], which holds the argument): every variable is a span of the classes of the
//! declared domain, whether records have them or not; there are no mixtures, atoms, frequencies or conditions, and no early stop by what records look like. The first weights are the same
//! for all data. Cuts of numbers and the number of records are bought like those of other methods. All that follows from the noisy sums, such as the mean of
//! the weights over the second half of the steps, is free.
//!
//! **Shortening.** Every gradient is brought to nearly the same length, g / (|g| + 0.01) (Bu, Wang, Zha & Karypis 2023, "Automatic clipping"), so that no threshold has to be chosen; steps of Adam
//! do not depend on the scale of a sum, so that the number of records need not be known.

use std::ops::Range;

use neural::{Adam, Span, Spans};
use privacy::ledger::{Charge, Mechanism};
use privacy::{DescentPlan, Neighbours};
use table::{Classes, Domain};

use super::one_of;
use crate::card::{OptionCard, Usual};
use crate::cells::Block;
use crate::methods::pairwise::possible_record;
use crate::methods::stored_cells;
use crate::private::{Public, Spending};
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError};

pub(super) const STEPS: OptionCard = OptionCard {
    name: "steps",
    meaning: "in a private run: steps of training, all of which are paid before the first",
    default: Usual::Value("1000"),
};

pub(super) const SAMPLING: OptionCard = OptionCard {
    name: "sampling",
    meaning: "in a private run: the probability with which a record takes part in a step, by itself and in secret",
    default: Usual::Value("0.05"),
};

/// Options that only a private run has, and those of them that a run without privacy is given.
const PRIVATE_ONLY: [&str; 2] = ["steps", "sampling"];

/// The length that is added to that of a gradient before it is divided by it.
const STABLE: f32 = 0.01;

/// How often a record that cannot occur is drawn again.
const DRAWS: usize = 200;

/// More weights would be mostly noise.
const MOST_WEIGHTS: usize = 4_000_000;

/// The first weights, which depend on no data.
pub(super) const FIRST_WEIGHTS: u64 = 19;

/// Refuses options of private runs in a run that is not private.
pub(super) fn refuse_private_options(options: &toml::Table) -> Result<(), SynthesisError> {
    match PRIVATE_ONLY.iter().find(|name| options.contains_key(**name)) {
        Some(name) => Err(SynthesisError::option(
            *name,
            "it has a meaning in a private run only; state a budget, or leave it out",
        )),
        None => Ok(()),
    }
}

/// Refuses options that mean nothing in a private run.
pub(super) fn refuse_plain_options(options: &toml::Table, known: &[&str]) -> Result<(), SynthesisError> {
    match options.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(SynthesisError::option(name, "it has no meaning in a private run")),
        None => Ok(()),
    }
}

pub(super) fn check_steps(steps: u64, sampling: f64) -> Result<(), SynthesisError> {
    if !(1..=1_000_000).contains(&steps) {
        return Err(SynthesisError::option("steps", "it must be between 1 and 1,000,000"));
    }
    if !(sampling > 1e-6 && sampling <= 1.0) {
        return Err(SynthesisError::option(
            "sampling",
            "it must be a probability above 0.000001 and up to 1",
        ));
    }
    Ok(())
}

/// One span a variable, of its classes.
pub(super) fn spans(domain: &Domain) -> Spans {
    let span = |classes: &Classes| Span {
        levels: classes.size(),
        first_component: classes.size(),
        is_condition: false,
    };
    Spans::new(domain.variables().iter().map(span).collect())
}

/// Refuses, before anything is paid, what a net cannot hold.
pub(super) fn refuse_too_large(public: &Public<'_>, weights: usize) -> Result<(), SynthesisError> {
    for classes in public.domain.variables() {
        if classes.size() > super::coding::MOST_LEVELS {
            let message = format!(
                "it has {} classes, and a net takes {} of a variable at most; use coarser classes, or take another method",
                classes.size(),
                super::coding::MOST_LEVELS
            );
            return Err(table::TableError::variable(classes.name(), message).into());
        }
    }
    if weights > MOST_WEIGHTS {
        let message = format!(
            "the net would have {weights} weights, each under noise; use fewer units or coarser classes"
        );
        return Err(SynthesisError::option("hidden", message));
    }
    if !public.zeros.all().is_empty() {
        possible_record(public.domain, public.zeros)?;
    }
    Ok(())
}

/// The steps that the budget pays for; refuses what the argument does not cover.
pub(super) fn plan(
    public: &Public<'_>,
    name: &'static str,
    weights: usize,
    steps: u64,
    sampling: f64,
) -> Result<DescentPlan, SynthesisError> {
    let Charge::Approximate(epsilon, delta) = public.charge else {
        let (option, message) = match public.charge {
            Charge::ZeroConcentrated(_) => {
                ("rho", "noise on sampled records is not paid in rho; state an epsilon with a delta")
            }
            _ => (
                "delta",
                "noise on sampled records is paid by an epsilon with a delta; state a delta well below one over the number of records",
            ),
        };
        return Err(SynthesisError::option(option, format!("`{name}`: {message}")));
    };
    if public.sensitivities != (1, 1) {
        let message = format!(
            "the argument of `{name}` is for tables with or without one record; units of several records and replaced records take another private method"
        );
        return Err(SynthesisError::option("neighbours", message));
    }
    DescentPlan::new(weights, sampling, steps, epsilon, delta).map_err(|_| {
        let message = format!(
            "no noise keeps an epsilon of {} over {steps} steps with this delta by the bound that is known here; raise epsilon or delta, or take private margins",
            epsilon.lower()
        );
        SynthesisError::option("epsilon", message)
    })
}

/// The one question of a net.
pub(super) fn spending(plan: &DescentPlan) -> Vec<Spending> {
    vec![Spending { purpose: purpose(plan), mechanism: Mechanism::SampledGaussian, charge: plan.charge() }]
}

pub(super) fn purpose(plan: &DescentPlan) -> String {
    format!(
        "gradients of a net in {} steps, each record in each of them with probability {:.6}",
        plan.steps(),
        plan.probability()
    )
}

pub(super) fn neighbours() -> Option<Neighbours> {
    Some(Neighbours::AddRemove)
}

pub(super) fn records_card() -> RecordsCard {
    RecordsCard {
        leaves_out: Some(
            "a net under noise learns the most frequent classes and what is strongest among them; all else"
                .to_owned(),
        ),
        ..RecordsCard::new(Making::NoisyModel { on_every_cell: false })
    }
}

pub(super) fn remark(plan: &DescentPlan) -> String {
    format!(
        "a net was trained in {} steps under noise of {:.3} times the largest share of one record; private margins (`pairwise`) come nearer to the data at the same budget: see the measured \
         table in the docs",
        plan.steps(),
        plan.sigma()
    )
}

/// A gradient divided by its length, nearly.
pub(super) fn shorten(gradient: &mut [f32]) {
    let square: f32 = gradient.iter().map(|value| value * value).sum();
    let scale = 1.0 / (square.sqrt() + STABLE);
    gradient.iter_mut().for_each(|value| *value *= scale);
}

/// Weights that learn from noisy sums, and their mean over the second half of the steps.
pub(super) struct Noisy {
    pub(super) weights: Vec<f32>,
    adam: Adam<f32>,
    sum: Vec<f64>,
    steps: u64,
}

impl Noisy {
    pub(super) fn new(weights: Vec<f32>, adam: Adam<f32>, steps: u64) -> Self {
        let sum = vec![0.0; weights.len()];
        Self { weights, adam, sum, steps }
    }

    /// A step against a noisy gradient.
    pub(super) fn step(&mut self, gradient: &[f64]) {
        let gradient: Vec<f32> = gradient.iter().map(|slope| *slope as f32).collect();
        self.adam.step(&mut self.weights, &gradient);
    }

    /// After a step and what it asks for.
    pub(super) fn remember(&mut self) {
        if self.adam.steps > self.steps / 2 {
            self.sum.iter_mut().zip(&self.weights).for_each(|(sum, weight)| *sum += f64::from(*weight));
        }
    }

    /// The mean; a weight that is not finite is none.
    pub(super) fn mean(&self) -> Vec<f32> {
        let count = (self.steps - self.steps / 2) as f64;
        let mean = |(sum, weight): (&f64, &f32)| {
            let mean = if count > 0.0 { (sum / count) as f32 } else { *weight };
            if mean.is_finite() { mean } else { 0.0 }
        };
        self.sum.iter().zip(&self.weights).map(mean).collect()
    }
}

/// What draws probabilities of classes.
pub(super) trait Decoder: Send + Sync {
    fn spans(&self) -> &Spans;

    /// Of every record and span the probability of each choice.
    fn probabilities(&self, rows: usize, rng: &mut Rng) -> Vec<f32>;

    /// Writes what is drawn from.
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()>;
}

/// A trained net that draws cells.
pub(super) struct PrivateNet<D> {
    pub(super) domain: Domain,
    pub(super) zeros: StructuralZeros,
    pub(super) net: D,
    pub(super) remarks: Vec<String>,
}

impl<D: Decoder> PrivateNet<D> {
    fn block(&self, rows: usize, rng: &mut Rng) -> Block {
        let spans = self.net.spans();
        let mut columns: Block = vec![Vec::with_capacity(rows); spans.len()];
        let probabilities = self.net.probabilities(rows, rng);
        let mut record = vec![0; spans.len()];
        for of_record in probabilities.chunks_exact(spans.width()) {
            let can_occur = (0..DRAWS).any(|_| self.record(of_record, &mut record, rng));
            if !can_occur && let Ok(possible) = possible_record(&self.domain, &self.zeros) {
                // A record that can occur was found before anything was asked.
                record = possible;
            }
            columns.iter_mut().zip(&record).for_each(|(column, class)| column.push(*class));
        }
        columns
    }

    /// Draws class after class, leaving out those that cannot go with what was drawn; whether the record can occur.
    fn record(&self, probabilities: &[f32], record: &mut [u32], rng: &mut Rng) -> bool {
        let mut start = 0;
        for (at, span) in self.net.spans().spans().iter().enumerate() {
            let mut shares = probabilities[start..start + span.levels].to_vec();
            if !self.zeros.all().is_empty() {
                for (class, share) in shares.iter_mut().enumerate() {
                    record[at] = class as u32;
                    if self.zeros.forbids_up_to(at, record) {
                        *share = 0.0;
                    }
                }
            }
            record[at] = one_of(&shares, rng) as u32;
            start += span.width();
        }
        !self.zeros.contains(record)
    }
}

impl<D: Decoder + 'static> Model<Cells> for PrivateNet<D> {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        Ok(Cells::draw(&self.domain, rows, seed, |_, rows, mut rng| self.block(rows, &mut rng)))
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        let draw = |_, rows, mut rng| self.block(rows, &mut rng);
        Some(Ok(Cells::draw_part(&self.domain, rows, part, seed, draw)))
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("remarks", &self.remarks)?;
        self.net.store(into)?;
        self.zeros.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }
}

/// A model from its stored state.
pub(super) fn load<D: Decoder + 'static>(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
    net: impl FnOnce(&Spans, &mut StateReader<'_>) -> Result<D, SynthesisError>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let remarks = from.settings("remarks")?;
    let net = net(&spans(&domain), from)?;
    let zeros = StructuralZeros::load(from, &domain)?;
    Ok(Box::new(PrivateNet { domain, zeros, net, remarks }))
}
