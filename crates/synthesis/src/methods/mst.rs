//! `mst`: a private maximum spanning tree of pairs (McKenna, Miklau & Sheldon 2021, "Winning the NIST contest").
//!
//! A third of the budget measures every variable, a third chooses the edges of a tree and a third measures them. Levels whose noisy count is below three standard deviations of its noise are
//! merged into one. Edges are chosen one by one among pairs that join two parts (Kruskal's rule), each by its L1 distance from the product of the measured variables. A
//! log-linear model of the tree is fitted to all measurements by least squares, records are drawn from it, and merged levels come out evenly.
//!
//! Where it departs from the authors' code: noise is discrete and exact, the number of records is what is public and not the exact count, levels come from the declared schema, structural zeros
//! are kept by drawing again, and pure ε is possible (Laplace noise and permute-and-flip).
//!
//! **Privacy.** Three kinds of questions, all asked of the guard: counts of variables, choices with scores Σ|y − e| over groups of levels (a threshold of 0), counts of pairs of groups. See
//! [`super::pairwise::private`] for their sensitivities; groups and e are made from the answers of the first kind.

use margins::noisy::{Measurement, Noise, least_squares};
use privacy::ledger::{Charge, Mechanism};
use privacy::{Expected, ExpectedGroups, GroupedMargin, GuardedTable, NoiseLaw, NoisyCounts, ScoredGroups};
use serde::Deserialize;
use table::{Attributes, Domain};

use super::grouped_model::{self, GroupedModel};
use super::pairwise::possible_record;
use crate::card::{AuditCase, Canary, MethodCard, Needs, PrivacyCard};
use crate::private::{Accounting, NumberClasses, PrivateSynthesizer, Public, Spending};
use crate::registry::LoadModel;
use crate::{AnyModel, Cells, Making, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "mst",
    summary: "measures every variable and a tree of pairs under noise, chosen privately, and draws from the log-linear model of the tree",
    use_when: "a release is to be compared with the winner of the NIST contest of 2018; `pairwise` serves most analyses better",
    needs: Needs::Counts,
    options: &[],
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
                rows: Some(20_000),
                options: &[],
            },
        ],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "8 bytes a cell of the pairs of the tree",
    citation: "McKenna, Miklau and Sheldon (2021), Winning the NIST contest: a scalable and general approach to differentially private synthetic data",
};

/// Levels whose noisy count is below so many standard deviations are merged.
const CLEAR: f64 = 3.0;
/// Cells that all pairs of a tree may have together.
const MOST_CELLS: u64 = 1 << 24;
/// What choices are for, in the ledger.
const CHOICE: &str = "edges of the tree";

/// The settings: none.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Mst {}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let mst: Mst = registry::options(options, &CARD)?;
    Ok(Box::new(mst))
}

/// A model from its stored state.
pub const LOAD: LoadModel<Cells> = grouped_model::load;

/// What is asked at which price, in units.
struct Plan {
    varying: Vec<usize>,
    one_way: u64,
    edges: usize,
    choice: u64,
    pair: u64,
}

impl Plan {
    fn new(public: &Public<'_>) -> Result<Self, SynthesisError> {
        let sizes: Vec<usize> = public.domain.variables().iter().map(table::Classes::size).collect();
        let varying: Vec<usize> = (0..sizes.len()).filter(|&variable| sizes[variable] > 1).collect();
        let mut largest: Vec<u64> = varying.iter().map(|&variable| sizes[variable] as u64).collect();
        largest.sort_unstable_by(|one, other| other.cmp(one));
        let edges = varying.len().saturating_sub(1);
        let cells: u64 = largest.iter().skip(1).map(|size| size.saturating_mul(largest[0])).sum();
        if cells > MOST_CELLS {
            let message = "the pairs of a tree may have more cells than can be held; use coarser classes";
            return Err(SynthesisError::Fit { method: CARD.name, message: message.into() });
        }
        if !public.zeros.all().is_empty() {
            possible_record(public.domain, public.zeros)?;
        }
        let units = public.charge.cost().units();
        let third = if edges == 0 { units } else { units / 3 };
        let of = |units: u64, count: usize| units.checked_div(count as u64).unwrap_or(0);
        let plan = Self {
            one_way: of(third, varying.len()),
            edges,
            choice: of(third, edges),
            pair: of(third, edges),
            varying,
        };
        if plan.one_way == 0 && !plan.varying.is_empty() || edges > 0 && plan.choice == 0 {
            let message = "the budget is too small to be shared among so many variables; raise it, or leave variables out";
            return Err(SynthesisError::option("epsilon", message));
        }
        Ok(plan)
    }
}

impl PrivateSynthesizer for Mst {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::NoisyModel { on_every_cell: false },
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some(
                "the model knows single variables and the pairs of a tree; what these do not hold".to_owned(),
            ),
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    fn number_classes(&self) -> NumberClasses {
        NumberClasses::Fine
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let plan = Plan::new(public)?;
        let (measure, choose) = match public.charge {
            Charge::ZeroConcentrated(_) => (Mechanism::DiscreteGaussian, Mechanism::ExponentialMechanism),
            Charge::Pure(_) | Charge::Approximate(..) => {
                (Mechanism::DiscreteLaplace, Mechanism::PermuteAndFlip)
            }
        };
        let spending =
            |purpose: String, mechanism, units| Spending { purpose, mechanism, charge: public.price(units) };
        let name = |variable: &usize| public.domain.variables()[*variable].name();
        let mut all: Vec<Spending> = plan
            .varying
            .iter()
            .map(|variable| spending(format!("counts of {}", name(variable)), measure, plan.one_way))
            .collect();
        let edges = plan.edges;
        all.extend(
            (1..=edges)
                .map(|edge| spending(format!("{CHOICE}, choice {edge} of {edges}"), choose, plan.choice)),
        );
        all.extend(
            (1..=edges)
                .map(|edge| spending(format!("counts of the pair of choice {edge}"), measure, plan.pair)),
        );
        Ok(all)
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let plan = Plan::new(public)?;
        let variables = public.domain.variables().len();
        let records = public.size.max(1) as f64;
        let mut groups: Vec<Vec<u32>> = vec![vec![0]; variables];
        let mut sums: Vec<Vec<f64>> = vec![vec![records]; variables];
        let mut measured: Vec<Measurement> = Vec::new();
        for &variable in &plan.varying {
            let noisy = guard.noisy_margin(&Attributes::new([variable]), public.price(plan.one_way))?;
            groups[variable] = merged(&noisy);
            let counts = in_groups(&noisy.counts, &groups[variable]);
            sums[variable] = shares(&counts, records);
            measured.push(measurement(vec![variable], counts, noisy.law));
        }
        let pairs: Vec<[usize; 2]> = plan
            .varying
            .iter()
            .enumerate()
            .flat_map(|(place, &one)| plan.varying[place + 1..].iter().map(move |&other| [one, other]))
            .collect();
        let chosen = choose(guard, public, &plan, &pairs, &groups, &sums)?;
        for &pair in &chosen {
            let of = Attributes::new(pair);
            let both = pair.map(|variable| groups[variable].as_slice());
            let noisy =
                guard.noisy_groups(&GroupedMargin { of: &of, groups: &both }, public.price(plan.pair))?;
            measured.push(measurement(pair.to_vec(), noisy.counts, noisy.law));
        }
        let sizes: Vec<usize> = sums.iter().map(Vec::len).collect();
        let model = least_squares::fit(&sizes, records, &measured)
            .map_err(|error| SynthesisError::Fit { method: CARD.name, message: error.to_string() })?;
        let remarks = vec![remark(public.domain, &chosen)];
        let (domain, zeros) = (public.domain.clone(), public.zeros.clone());
        Ok(AnyModel::Cells(Box::new(GroupedModel { domain, zeros, model, groups, remarks })))
    }
}

fn remark(domain: &Domain, chosen: &[[usize; 2]]) -> String {
    let names: Vec<String> = chosen.iter().map(|pair| domain.describe(&Attributes::new(*pair))).collect();
    format!("single variables were measured, and the pairs of a tree: {}", names.join(", "))
}

/// The edges, one after the other, each among pairs that join two parts.
fn choose(
    guard: &mut GuardedTable<'_>,
    public: &Public<'_>,
    plan: &Plan,
    pairs: &[[usize; 2]],
    groups: &[Vec<u32>],
    sums: &[Vec<f64>],
) -> Result<Vec<[usize; 2]>, SynthesisError> {
    let of: Vec<Attributes> = pairs.iter().map(|pair| Attributes::new(*pair)).collect();
    let in_groups: Vec<[&[u32]; 2]> =
        pairs.iter().map(|pair| pair.map(|variable| groups[variable].as_slice())).collect();
    let expected: Vec<[&[f64]; 2]> =
        pairs.iter().map(|pair| pair.map(|variable| sums[variable].as_slice())).collect();
    let candidates: Vec<ScoredGroups<'_>> = (0..pairs.len())
        .map(|at| {
            let side = ExpectedGroups {
                margin: GroupedMargin { of: &of[at], groups: &in_groups[at] },
                expected: Expected::Independence { sums: &expected[at], records: public.size.max(1) as f64 },
            };
            ScoredGroups { above: side, below: side, threshold: 0, weight: 1 }
        })
        .collect();
    let mut joining = |chosen: &[usize]| {
        let mut part: Vec<usize> = (0..groups.len()).collect();
        for at in chosen {
            let (kept, gone) = (part[pairs[*at][0]], part[pairs[*at][1]]);
            part.iter_mut().filter(|part| **part == gone).for_each(|part| *part = kept);
        }
        (0..pairs.len()).filter(|at| part[pairs[*at][0]] != part[pairs[*at][1]]).collect::<Vec<usize>>()
    };
    let charge = public.price(plan.choice);
    let chosen = guard.choose_many(CHOICE, &candidates, plan.edges, charge, &mut joining)?;
    Ok(chosen.into_iter().map(|at| pairs[at]).collect())
}

/// Clear levels by themselves, all others in one group.
fn merged(noisy: &NoisyCounts) -> Vec<u32> {
    let least = CLEAR * noisy.law.standard_deviation();
    let mut next = 0;
    let mut others = None;
    let mut group = |is_clear: bool| {
        let here = if is_clear { next } else { *others.get_or_insert(next) };
        next = next.max(here + 1);
        here
    };
    noisy.counts.iter().map(|count| group(*count as f64 >= least)).collect()
}

fn in_groups(counts: &[i64], groups: &[u32]) -> Vec<i64> {
    let mut sums = vec![0; groups.iter().max().map_or(0, |group| *group as usize + 1)];
    counts.iter().zip(groups).for_each(|(count, group)| sums[*group as usize] += count);
    sums
}

/// Counts above zero that sum to the records.
fn shares(counts: &[i64], records: f64) -> Vec<f64> {
    let positive: Vec<f64> = counts.iter().map(|count| (*count as f64).max(1e-3)).collect();
    let sum: f64 = positive.iter().sum();
    positive.iter().map(|count| count * records / sum).collect()
}

fn measurement(attributes: Vec<usize>, counts: Vec<i64>, law: NoiseLaw) -> Measurement {
    let noise = match law {
        NoiseLaw::Laplace(law) => Noise::Laplace { scale: law.scale() },
        NoiseLaw::Gaussian(law) => Noise::Gaussian { sigma: law.sigma() },
    };
    Measurement { attributes, counts, noise }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privacy::Cost;
    use privacy::noise::DiscreteLaplace;

    #[test]
    fn unclear_levels_are_one_group() {
        let law = DiscreteLaplace::for_cost(Cost::rounded_down(1.0).unwrap(), 1).unwrap();
        let noisy = NoisyCounts { counts: vec![2, 90, -3, 40, 1], law: NoiseLaw::Laplace(law) };
        let groups = merged(&noisy);
        assert_eq!(groups, [0, 1, 0, 2, 0]);
        assert_eq!(in_groups(&noisy.counts, &groups), [0, 90, 40]);
        let clear = NoisyCounts { counts: vec![20, 90], law: NoiseLaw::Laplace(law) };
        assert_eq!(merged(&clear), [0, 1]);
        assert!((shares(&[0, 90, 40], 26.0).iter().sum::<f64>() - 26.0).abs() < 1e-9);
    }
}
