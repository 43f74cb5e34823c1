//! `aim`: an adaptive and iterative mechanism (McKenna, Mullins, Sheldon & Miklau 2022), for the workload of all pairs.
//!
//! Every variable is measured once. Then, round by round, the pair whose table is worst in the model so far is chosen privately, by its L1 distance less what noise would make of it, and measured;
//! a log-linear model is fitted anew to everything. A round costs the same until what a measurement changes is hardly more than its noise: then noise is halved (budget annealing). The size of the
//! model's junction tree is bounded: a pair is a candidate only if the tree with it has at most its share of the cells, the share of the budget that is spent by then.
//!
//! Where it departs from the authors' code: noise is discrete and exact; the number of records is what is public and not the exact count; all pairs weigh the same, and single variables are not
//! measured again; margins that would need a large table on the way are counted in records drawn from the model; fits in between are approximate; structural zeros are kept by drawing again; pure ε is possible (Laplace
//! noise and permute-and-flip), where halving noise doubles the price of a round and does not quadruple it.
//!
//! **Privacy.** Counts of variables, choices with scores Σ|y − e| − penalty and counts of pairs, all asked of the guard. e, penalties, candidates and prices follow from earlier answers and public
//! facts; prices add up in the ledger, also where they depend on answers (fully adaptive composition: Rogers et al. 2016 for ε, Feldman & Zrnic 2021 for ρ), and never exceed the budget.

use margins::FittedModel;
use margins::noisy::{GrowingFit, Measurement, Noise};
use privacy::ledger::{Charge, Mechanism};
use privacy::{Cost, ExpectedMargin, GuardedTable, NoiseLaw, NoisyCounts};
use serde::Deserialize;
use table::{Attributes, Classes};

use super::grouped_model::{self, GroupedModel};
use super::pairwise::possible_record;
use crate::card::{AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, Usual};
use crate::private::{Accounting, PrivateSynthesizer, Public, Spending};
use crate::registry::LoadModel;
use crate::{AnyModel, Cells, Making, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "aim",
    summary: "measures the pair that its log-linear model knows worst, round by round, with noise that falls as the model gets better",
    use_when: "a release is to be compared with AIM; `pairwise` serves most analyses better, and wide tables far sooner",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "cells",
        meaning: "the most cells of the junction tree of the model: more keep more pairs and take longer",
        default: Usual::Value("1000000"),
    }],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[
            AuditCase {
                name: "the only record of its kind",
                canary: Canary::RareKind { levels: 8, others: 140 },
                rows: Some(2_000),
                options: &[],
            },
            AuditCase {
                name: "the only record of its kind in two variables",
                canary: Canary::Pair { others: 480 },
                rows: Some(5_000),
                options: &[],
            },
        ],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "8 bytes a cell of the junction tree, a few times over",
    citation: "McKenna, Mullins, Sheldon and Miklau (2022), AIM: an adaptive and iterative mechanism for differentially private synthetic data, PVLDB 15",
};

/// Rounds a variable that the budget is planned for.
const ROUNDS: u64 = 16;
/// Of ten parts of a round one chooses.
const PARTS: u64 = 10;
/// A margin that needs a larger table on the way is counted in records drawn from the model.
const MARGIN_CELLS: usize = 1 << 20;
/// How many are drawn for that.
const DRAWN: usize = 200_000;
/// What choices are for, in the ledger.
const CHOICE: &str = "the pair to be measured next";

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Aim {
    cells: u64,
}

impl Default for Aim {
    fn default() -> Self {
        Self { cells: 1_000_000 }
    }
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let aim: Aim = registry::options(options, &CARD)?;
    if !(1_000..=10_000_000).contains(&aim.cells) {
        return Err(SynthesisError::option("cells", "between 1,000 and 10,000,000 cells"));
    }
    Ok(Box::new(aim))
}

/// A model from its stored state.
pub const LOAD: LoadModel<Cells> = grouped_model::load;

/// What is known before anything is asked, prices in units.
struct Plan {
    sizes: Vec<usize>,
    varying: Vec<usize>,
    pairs: Vec<[usize; 2]>,
    one_way: u64,
    round: u64,
}

impl Plan {
    fn new(public: &Public<'_>, most_cells: u64) -> Result<Self, SynthesisError> {
        let sizes: Vec<usize> = public.domain.variables().iter().map(Classes::size).collect();
        let varying: Vec<usize> = (0..sizes.len()).filter(|&variable| sizes[variable] > 1).collect();
        if !public.zeros.all().is_empty() {
            possible_record(public.domain, public.zeros)?;
        }
        let fits = |[one, other]: &[usize; 2]| sizes[*one] as u64 * sizes[*other] as u64 <= most_cells;
        let pairs: Vec<[usize; 2]> = varying
            .iter()
            .enumerate()
            .flat_map(|(place, &one)| varying[place + 1..].iter().map(move |&other| [one, other]))
            .filter(fits)
            .collect();
        let units = public.charge.cost().units();
        let count = varying.len() as u64;
        let (one_way, round) = match pairs.is_empty() {
            true => (units.checked_div(count).unwrap_or(0), 0),
            false => {
                let round = units / (ROUNDS * count);
                (round - round / PARTS, round)
            }
        };
        if one_way == 0 && count > 0 || !pairs.is_empty() && round / PARTS == 0 {
            let message =
                "the budget is too small to be shared among so many rounds; raise it, or leave variables out";
            return Err(SynthesisError::option("epsilon", message));
        }
        Ok(Self { sizes, varying, pairs, one_way, round })
    }

    /// What is left for rounds.
    fn left(&self, public: &Public<'_>) -> u64 {
        public.charge.cost().units() - self.one_way * self.varying.len() as u64
    }
}

/// The mean size of noise that costs so many units.
fn mean_noise(public: &Public<'_>, units: u64) -> f64 {
    let amount = units as f64 / Cost::UNITS_IN_ONE as f64;
    let (l1, l2_squared) = public.sensitivities;
    match public.charge {
        Charge::Pure(_) | Charge::Approximate(..) => l1 as f64 / amount,
        Charge::ZeroConcentrated(_) => {
            (l2_squared as f64 / (2.0 * amount)).sqrt() * std::f64::consts::FRAC_2_PI.sqrt()
        }
    }
}

impl PrivateSynthesizer for Aim {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::NoisyModel { on_every_cell: false },
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some(
                "the model knows single variables and the pairs that were measured; what these do not hold"
                    .to_owned(),
            ),
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let plan = Plan::new(public, self.cells)?;
        let (measure, choose) = match public.charge {
            Charge::ZeroConcentrated(_) => (Mechanism::DiscreteGaussian, Mechanism::ExponentialMechanism),
            Charge::Pure(_) | Charge::Approximate(..) => {
                (Mechanism::DiscreteLaplace, Mechanism::PermuteAndFlip)
            }
        };
        let line =
            |purpose: String, mechanism, units| Spending { purpose, mechanism, charge: public.price(units) };
        let name = |variable: &usize| public.domain.variables()[*variable].name();
        let one_ways = plan.varying.iter();
        let mut all: Vec<Spending> = one_ways
            .map(|variable| line(format!("counts of {}", name(variable)), measure, plan.one_way))
            .collect();
        if !plan.pairs.is_empty() {
            let left = plan.left(public);
            let rounds = "as many rounds as the answers call for";
            all.push(line(format!("{CHOICE}, in {rounds}"), choose, left / PARTS));
            all.push(line(format!("counts of the chosen pairs, in {rounds}"), measure, left - left / PARTS));
        }
        Ok(all)
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let plan = Plan::new(public, self.cells)?;
        let mut growing = GrowingFit::new(&plan.sizes, public.size.max(1) as f64);
        for &variable in &plan.varying {
            let noisy = guard.noisy_margin(&Attributes::new([variable]), public.price(plan.one_way))?;
            growing.add(&measurement(vec![variable], noisy));
        }
        let refused =
            |error: margins::Error| SynthesisError::Fit { method: CARD.name, message: error.to_string() };
        let mut model = growing.fit().map_err(refused)?;
        let mut rounds =
            Rounds { plan: &plan, public, cells: self.cells, left: plan.left(public), measured: Vec::new() };
        let mut round = plan.round;
        while let Some((pair, noise)) = rounds.ask(guard, &mut growing, &model, &mut round)? {
            // A fit that fails leaves the last one; its measurement stays in the sum of all.
            let Ok(next) = growing.fit() else { continue };
            let changed = distance(&expected(&model, &pair), &expected(&next, &pair));
            let cells = plan.sizes[pair[0]] * plan.sizes[pair[1]];
            if changed <= noise * cells as f64 {
                round = round.saturating_mul(match public.charge {
                    Charge::ZeroConcentrated(_) => 4,
                    Charge::Pure(_) | Charge::Approximate(..) => 2,
                });
            }
            model = next;
        }
        let (domain, zeros) = (public.domain.clone(), public.zeros.clone());
        let groups = plan.sizes.iter().map(|size| (0..*size as u32).collect()).collect();
        let remarks = vec![rounds.remark()];
        Ok(AnyModel::Cells(Box::new(GroupedModel { domain, zeros, model, groups, remarks })))
    }
}

/// The rounds so far.
struct Rounds<'a> {
    plan: &'a Plan,
    public: &'a Public<'a>,
    cells: u64,
    /// Units that are left.
    left: u64,
    measured: Vec<[usize; 2]>,
}

impl Rounds<'_> {
    /// Chooses a pair and measures it; the pair and the mean size of its noise, or nothing where the budget is spent or no pair fits.
    fn ask(
        &mut self,
        guard: &mut GuardedTable<'_>,
        growing: &mut GrowingFit,
        model: &FittedModel,
        round: &mut u64,
    ) -> Result<Option<([usize; 2], f64)>, SynthesisError> {
        // What would be left of the budget after this round is spent in it if it is no more than another one.
        if self.left < round.saturating_mul(2) {
            *round = self.left;
        }
        let choice = *round / PARTS;
        if choice == 0 {
            return Ok(None);
        }
        let all = self.public.charge.cost().units();
        let spent = all - (self.left - *round);
        let allowed = (self.cells as f64 * spent as f64 / all as f64) as u128;
        let candidates: Vec<[usize; 2]> = self
            .plan
            .pairs
            .iter()
            .copied()
            .filter(|pair| self.measured.contains(pair) || growing.cells_with(pair) <= allowed)
            .collect();
        if candidates.is_empty() {
            return match *round == self.left {
                true => Ok(None),
                // With more of the budget spent more pairs would fit: the round is passed over, its part of the budget goes to later ones.
                false => {
                    *round = self.left;
                    self.ask(guard, growing, model, round)
                }
            };
        }
        let noise = mean_noise(self.public, *round - choice);
        let of: Vec<Attributes> = candidates.iter().map(|pair| Attributes::new(*pair)).collect();
        let expected = expected_of_all(model, &candidates);
        let asked: Vec<ExpectedMargin<'_>> = of
            .iter()
            .zip(&expected)
            .map(|(of, expected)| ExpectedMargin {
                of,
                expected,
                penalty: (noise * expected.len() as f64).min(1e15) as i64,
            })
            .collect();
        let chosen = candidates[guard.choose(CHOICE, &asked, self.public.price(choice))?];
        let noisy = guard.noisy_margin(&Attributes::new(chosen), self.public.price(*round - choice))?;
        growing.add(&measurement(chosen.to_vec(), noisy));
        self.left -= *round;
        if !self.measured.contains(&chosen) {
            self.measured.push(chosen);
        }
        Ok(Some((chosen, noise)))
    }

    fn remark(&self) -> String {
        let names: Vec<String> =
            self.measured.iter().map(|pair| self.public.domain.describe(&Attributes::new(*pair))).collect();
        match names.is_empty() {
            true => "only single variables were measured".to_owned(),
            false => format!("single variables were measured, and these pairs: {}", names.join(", ")),
        }
    }
}

fn measurement(attributes: Vec<usize>, noisy: NoisyCounts) -> Measurement {
    let noise = match noisy.law {
        NoiseLaw::Laplace(law) => Noise::Laplace { scale: law.scale() },
        NoiseLaw::Gaussian(law) => Noise::Gaussian { sigma: law.sigma() },
    };
    Measurement { attributes, counts: noisy.counts, noise }
}

fn expected(model: &FittedModel, pair: &[usize; 2]) -> Vec<i64> {
    expected_of_all(model, std::slice::from_ref(pair)).remove(0)
}

/// What the model expects of each pair, in whole records.
fn expected_of_all(model: &FittedModel, pairs: &[[usize; 2]]) -> Vec<Vec<i64>> {
    let mut drawn: Option<Vec<Vec<u32>>> = None;
    let total: f64 = model.margin(&[]).map_or(0.0, |total| total[0]);
    let mut of_pair = |pair: &[usize; 2]| match model.margin_within(pair, MARGIN_CELLS) {
        Ok(expected) => expected.into_iter().map(|count| count.round() as i64).collect(),
        Err(_) => {
            let columns = drawn.get_or_insert_with(|| model.sample(DRAWN, [1; 32]));
            let sizes = pair.map(|variable| model.sizes()[variable]);
            let mut counts = vec![0_u64; sizes[0] * sizes[1]];
            for (one, other) in columns[pair[0]].iter().zip(&columns[pair[1]]) {
                counts[*one as usize * sizes[1] + *other as usize] += 1;
            }
            counts.into_iter().map(|count| (count as f64 * total / DRAWN as f64).round() as i64).collect()
        }
    };
    pairs.iter().map(&mut of_pair).collect()
}

fn distance(one: &[i64], other: &[i64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs() as f64).sum()
}
