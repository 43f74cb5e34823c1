//! `ipf` under privacy: a log-linear model of margins that were measured under noise.
//!
//! **Not iterative proportional fitting by default.** Noisy margins contradict each other, and IPF would meet their noise exactly. `planned`, the
//! default, measures the margins that the budget can afford, shrinks them by a posterior of the counts, and fits them by penalised likelihood
//! ([`planned`]); `least-squares` is a penalised fit to all named margins ([`least_squares`]). Only `paper` is IPF: negative counts to nearly zero,
//! rescaled, raked (Raab 2022, section 2.2; [`paper`]).
//!
//! **Privacy.** The table is seen only through noisy margins and, in `planned`, through choices of the margin to measure next. Adding
//! or removing a record changes one cell of a margin by one: discrete Laplace noise of scale 1/ε costs ε, discrete Gaussian noise of variance 1/(2ρ) costs ρ. A choice has
//! scores Σ|y − q| − penalty, which a record changes by at most one: permute-and-flip costs ε (McKenna & Sheldon 2020), the exponential mechanism ε²/8 in ρ.
//! Questions are asked one after the other, each may depend on earlier answers, and their costs add up. Everything else (shrinkage,
//! fit, draws, cells that cannot occur drawn again) sees the answers only and costs nothing.

use margins::FittedModel;
use margins::noisy::plan::{MeasurementPlan, MeasurementStep};
use margins::noisy::{
    BudgetSharing, CandidatePair, MarginBudget, Measurement, MeasurementError, Noise, Price, ProtectedTable,
    all_pairs, least_squares, paper, planned,
};
use num_bigint::BigUint;
use privacy::ledger::{Charge, Mechanism};
use privacy::{Cost, GuardedTable, Neighbours, NoiseLaw, PrivacyError};
use serde::Deserialize;
use table::figures::thousands;
use table::{Attributes, Classes, DeclaredSchema, Domain};

use crate::methods::pairwise::{self, possible_record};

use super::{CARD, IpfModel, LEAVES_OUT, Names, convergence, held_margins, margins};
use crate::private::{Accounting, PrivateSynthesizer, Public, Spending};
use crate::{AnyModel, Cells, Making, Model, Recipe, RecordsCard, SynthesisError, registry};

/// The settings of a private run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Private {
    margins: Option<String>,
    estimate: Estimate,
    weights: MarginWeights,
    rows: Drawn,
    #[serde(flatten)]
    others: toml::Table,
}

/// How records are made of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Drawn {
    /// Each by itself.
    #[default]
    Drawn,
    /// Moved until they agree with the model's tables of all pairs.
    Settled,
}

/// The most cells of the cross-table of a model whose records are settled: then every table of a pair can be had.
pub(crate) const MOST_SETTLED: u32 = 1 << 20;

/// How noisy margins become a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Estimate {
    /// Measures what the budget can afford and shrinks what is noise, by a penalised fit.
    #[default]
    Planned,
    /// The most even table close to all noisy margins in squared error.
    LeastSquares,
    /// Negatives to zero, rescale, iterative proportional fitting: as in the paper.
    Paper,
}

/// How the budget is shared among margins that are all measured.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum MarginWeights {
    #[default]
    Even,
    ByCells,
    #[serde(untagged)]
    Given(Vec<f64>),
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let private: Private = registry::options(options, &CARD)?;
    if let Some(name) = private.others.keys().next() {
        return Err(SynthesisError::option(name, "it has no meaning in a private run"));
    }
    let chosen = private.margins.is_some() || private.weights != MarginWeights::Even;
    if private.estimate == Estimate::Planned && chosen {
        let name = if private.margins.is_some() { "margins" } else { "weights" };
        let message = "`planned` chooses and weighs margins itself; take estimate = least-squares or paper to name them";
        return Err(SynthesisError::option(name, message));
    }
    Ok(Box::new(private))
}

impl PrivateSynthesizer for Private {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: match self.rows {
                Drawn::Drawn => Making::NoisyModel { on_every_cell: false },
                Drawn::Settled => Making::Settled { private: true },
            },
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some(LEAVES_OUT.to_owned()),
            is_raked: false,
            coverage: &[],
            // A planned run measures what its budget can afford; the remarks of the release name it.
            margins: (self.estimate != Estimate::Planned).then(|| held_margins(self.margins.as_deref())),
        }
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    /// Where Laplace noise of ε is less than Gaussian noise of ρ for as many questions as ρ plans; only `planned` shares by itself.
    fn prefers_pure(&self, schema: &DeclaredSchema, recipe: &Recipe, epsilon: f64, rho: f64) -> bool {
        let Some(settings) = &recipe.privacy else { return false };
        let (Some(records), true) = (settings.records.or(recipe.rows), recipe.strata.is_empty()) else {
            return false;
        };
        let Ok(domain) = Domain::declared(schema, recipe.groups as usize) else { return false };
        let sizes: Vec<usize> = domain.variables().iter().map(Classes::size).collect();
        self.estimate == Estimate::Planned
            && prefers_pure(
                &sizes,
                records,
                epsilon,
                rho,
                settings.neighbours == Some(Neighbours::ReplaceOne),
            )
    }

    fn margins_asked(&self, public: &Public<'_>) -> Vec<Attributes> {
        let named = self.margins.as_deref().and_then(|text| margins(text, public.domain).ok());
        named.unwrap_or_else(|| {
            Attributes::combinations(public.domain, public.domain.variables().len().min(2))
        })
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let domain = public.domain;
        if self.rows == Drawn::Settled && !cross_table_is_small(domain) {
            let message = format!(
                "settled records need the tables of all pairs of the model, and its cross-table has more than {} cells; take rows = drawn, or `pairwise`",
                thousands(u64::from(MOST_SETTLED))
            );
            return Err(SynthesisError::option("rows", message));
        }
        if !public.zeros.all().is_empty() || self.rows == Drawn::Settled {
            possible_record(domain, public.zeros)?;
        }
        let steps = match self.estimate {
            Estimate::Planned => {
                let plan = MeasurementPlan::new(&sizes(domain), public.size, price(public.charge));
                plan.map_err(|error| Names(domain).explain(error))?.steps()
            }
            Estimate::LeastSquares | Estimate::Paper => {
                let budget = self.budget(public)?;
                let check =
                    if self.estimate == Estimate::Paper { paper::check } else { least_squares::check };
                check(&budget).map_err(|error| Names(domain).explain(error))?;
                budget.steps()
            }
        };
        let mut spending = Vec::new();
        let gaussian = matches!(public.charge, Charge::ZeroConcentrated(_));
        let measure = if gaussian { Mechanism::DiscreteGaussian } else { Mechanism::DiscreteLaplace };
        let choose = if gaussian { Mechanism::ExponentialMechanism } else { Mechanism::PermuteAndFlip };
        let mut add = |purpose: String, mechanism: Mechanism, price: Price| {
            charge(price).map(|charge| spending.push(Spending { purpose, mechanism, charge }))
        };
        for step in steps {
            match step {
                MeasurementStep::Measure { attributes, price } => {
                    let margin = domain.describe(&Attributes::new(attributes));
                    add(format!("counts of {margin}"), measure, price)?;
                }
                MeasurementStep::Round { number, choose: choice, measure: price } => {
                    if let Some(choice) = choice {
                        add(format!("choice of the next pair (round {number})"), choose, choice)?;
                    }
                    add(format!("counts of the pair chosen in round {number}"), measure, price)?;
                }
            }
        }
        Ok(spending)
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let domain = public.domain;
        let mut asking = Asking { guard, choices: 0 };
        let (model, remarks) = match self.estimate {
            Estimate::Planned => {
                let planned = planned::run(&sizes(domain), public.size, price(public.charge), &mut asking);
                let planned = planned.map_err(|error| explain(domain, error))?;
                let remarks = planned.remarks();
                (planned.model, remarks)
            }
            Estimate::LeastSquares => {
                let model = least_squares::run(&self.budget(public)?, &mut asking);
                let model = model.map_err(|error| explain(domain, error))?;
                let remark = convergence("fitted by least squares to noisy margins", &model);
                (model, vec![remark])
            }
            Estimate::Paper => {
                let model = paper::run(&self.budget(public)?, &mut asking);
                let model = model.map_err(|error| explain(domain, error))?;
                let remark = convergence("fitted to noisy margins as in the paper", &model);
                (model, vec![remark])
            }
        };
        if self.rows == Drawn::Drawn {
            return Ok(AnyModel::Cells(Box::new(private_model(public, model, remarks))));
        }
        // What was bought may make the cross-table larger than it was thought to be: then records are drawn, since it is paid for.
        let settled = match cross_table_is_small(domain) {
            true => settled_model(public, &model, remarks.clone()).ok(),
            false => None,
        };
        Ok(AnyModel::Cells(settled.unwrap_or_else(|| {
            let remark = "records are drawn and not settled, since the tables of all pairs of the model could not be made".to_owned();
            Box::new(private_model(public, model, [remarks, vec![remark]].concat()))
        })))
    }
}

/// Whether the tables of all pairs can be had from a model of this cross-table.
fn cross_table_is_small(domain: &Domain) -> bool {
    domain.cells(&Attributes::all(domain)) <= BigUint::from(MOST_SETTLED)
}

fn private_model(public: &Public<'_>, model: FittedModel, remarks: Vec<String>) -> IpfModel {
    IpfModel {
        domain: public.domain.clone(),
        model,
        remarks,
        redrawn: (!public.zeros.all().is_empty()).then(|| public.zeros.clone()),
        private: true,
    }
}

/// Records that come close to all pairs of the model: what plain draws would add is left out, and little is left of it where noise is small.
fn settled_model(
    public: &Public<'_>,
    model: &FittedModel,
    remarks: Vec<String>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = public.domain;
    let margin = |of: &[usize]| model.margin(of).map_err(|error| Names(domain).explain(error));
    let variables = 0..domain.variables().len();
    let one_ways = variables.clone().map(|one| margin(&[one])).collect::<Result<Vec<_>, _>>()?;
    let pairs = variables.clone().flat_map(|one| (one + 1..variables.end).map(move |other| [one, other]));
    let pairs = pairs.map(|pair| Ok((pair, margin(&pair)?))).collect::<Result<Vec<_>, SynthesisError>>()?;
    let records = one_ways[0].iter().sum();
    pairwise::settled(domain, public.zeros, (records, one_ways), pairs, remarks)
}

impl Private {
    /// The margins to be measured, each with its share.
    fn budget(&self, public: &Public<'_>) -> Result<MarginBudget, SynthesisError> {
        let domain = public.domain;
        let wanted: Vec<Vec<usize>> = match &self.margins {
            Some(text) => margins(text, domain)?.iter().map(|margin| margin.positions().to_vec()).collect(),
            None => all_pairs(domain.variables().len()),
        };
        let sharing = match &self.weights {
            MarginWeights::Even => BudgetSharing::Even,
            MarginWeights::ByCells => BudgetSharing::ByCells,
            MarginWeights::Given(weights) => BudgetSharing::Given(weights.clone()),
        };
        MarginBudget::new(&sizes(domain), public.size, &wanted, &sharing, price(public.charge))
            .map_err(|error| Names(domain).explain(error))
    }
}

/// By how many questions a plan for ρ would ask: Q questions that share a budget evenly have noise of variance 2 (l₁Q/ε)² in ε and l₂²Q/(2ρ) in ρ. A replaced record leaves one cell and enters another: l₁ = 2, l₂² = 2.
fn prefers_pure(sizes: &[usize], records: u64, epsilon: f64, rho: f64, is_replaced: bool) -> bool {
    let Ok(plan) = MeasurementPlan::new(sizes, records, Price::Rho(rho)) else { return false };
    let questions = plan.steps().len() as f64;
    let (l1, l2_squared) = if is_replaced { (2.0, 2.0) } else { (1.0, 1.0) };
    questions < epsilon * epsilon * l2_squared / (4.0 * rho * l1 * l1)
}

fn sizes(domain: &Domain) -> Vec<usize> {
    domain.sizes(&Attributes::all(domain))
}

fn price(charge: Charge) -> Price {
    match charge {
        Charge::Pure(cost) | Charge::Approximate(cost, _) => Price::Epsilon(cost.lower()),
        Charge::ZeroConcentrated(cost) => Price::Rho(cost.lower()),
    }
}

fn charge(price: Price) -> Result<Charge, PrivacyError> {
    Ok(match price {
        Price::Epsilon(amount) => Charge::Pure(Cost::rounded_down(amount)?),
        Price::Rho(amount) => Charge::ZeroConcentrated(Cost::rounded_down(amount)?),
    })
}

fn explain(domain: &Domain, error: MeasurementError<PrivacyError>) -> SynthesisError {
    match error {
        MeasurementError::Refused(refused) => refused.into(),
        MeasurementError::Failed(error) => Names(domain).explain(error),
    }
}

/// The guard, as margin methods see it.
struct Asking<'a, 'b> {
    guard: &'a mut GuardedTable<'b>,
    choices: usize,
}

impl ProtectedTable for Asking<'_, '_> {
    type Error = PrivacyError;

    fn measure(&mut self, attributes: &[usize], price: Price) -> Result<Measurement, PrivacyError> {
        let of = Attributes::new(attributes.iter().copied());
        let noisy = self.guard.noisy_margin(&of, charge(price)?)?;
        let noise = match noisy.law {
            NoiseLaw::Laplace(law) => Noise::Laplace { scale: law.scale() },
            NoiseLaw::Gaussian(law) => Noise::Gaussian { sigma: law.sigma() },
        };
        Ok(Measurement { attributes: attributes.to_vec(), counts: noisy.counts, noise })
    }

    fn choose(&mut self, candidates: &[CandidatePair], price: Price) -> Result<usize, PrivacyError> {
        self.choices += 1;
        let margins: Vec<Attributes> =
            candidates.iter().map(|candidate| Attributes::new(candidate.attributes)).collect();
        let asked: Vec<privacy::ExpectedMargin<'_>> = candidates
            .iter()
            .zip(&margins)
            .map(|(candidate, of)| privacy::ExpectedMargin {
                of,
                expected: &candidate.expected,
                penalty: candidate.penalty,
            })
            .collect();
        let purpose = format!("choice of the next pair (round {})", self.choices);
        self.guard.choose(&purpose, &asked, charge(price)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SD2011 with 5 and 7 variables, 5,000 records, δ = 10⁻⁹: ε²/(4ρ) is 17 and 23 at ε = 1 and 10, and 10 or 21 pairs are measured where all are.
    #[test]
    fn few_questions_are_asked_under_laplace_noise() {
        let (five, seven) = ([2, 5, 6, 5, 10], [2, 5, 6, 5, 10, 7, 7]);
        let prefers =
            |sizes: &[usize], epsilon: f64, rho: f64| prefers_pure(sizes, 5_000, epsilon, rho, false);
        assert!(prefers(&five, 1.0, 0.01497) && prefers(&five, 10.0, 1.091));
        assert!(!prefers(&seven, 1.0, 0.01497) && prefers(&seven, 10.0, 1.091));
        // A replaced record makes Laplace noise twice as large and Gaussian noise √2 times.
        assert!(!prefers_pure(&five, 5_000, 1.0, 0.01497, true));
    }
}
