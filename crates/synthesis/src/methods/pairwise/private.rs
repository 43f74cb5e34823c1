//! `pairwise` under privacy.
//!
//! **Privacy.** The records are seen through three kinds of questions, all asked of the guard. (1) Noisy counts of every variable. (2) Choices among tables of pairs over groups of
//! levels, with scores w (Σ max(0, y − e − t) + Σ max(0, e − y − t)), the sums over two groupings: one record more raises the first by at most 1 and lowers the second by at most 1, so that it changes a score by at most w,
//! and a replaced one by 2w. Permute-and-flip with ε costs ε (McKenna & Sheldon 2020), the exponential mechanism with ε = √(8ρ) costs ρ (Cesar & Rogers 2021). (3) Noisy counts of the chosen tables. Groups, e and t are
//! made from the answers to earlier questions and public facts, also where e counts records that were made of such answers. Costs add up, also of questions that depend on earlier answers. Everything else
//! (the number of records in the estimates, shrinkage, rows) is computed from answers and costs nothing.
//!
//! The exact number of records is used only where it is public by definition (replace-one neighbours); else the noisy tables tell it, and a stated number only plans.

use privacy::ledger::{Charge, Mechanism};
use privacy::{
    Cost, Expected, ExpectedGroups, GroupedMargin, GuardedTable, Neighbours, NoiseLaw, PrivacyError,
    ScoredGroups,
};
use table::{Attributes, Classes, DeclaredSchema, Domain};

use super::estimate::{Answers, Candidate, From, Known, goals};
use super::known::{Variables, is_ordered};
use super::plan::{NoiseOf, Plan, prefers_pure};
use super::posterior::Noise;
use super::state::PairwiseModel;
use super::{CARD, Pairwise, Rows};
use crate::private::{Accounting, NumberClasses, PrivateSynthesizer, Public, Spending};
use crate::{AnyModel, Recipe, RecordsCard, SynthesisError, registry};

/// What the choices of a batch are for, in the ledger.
fn choices(batch: usize) -> String {
    match batch {
        0 => "pairs to be measured".to_owned(),
        more => format!("further pairs to be measured, round {more}"),
    }
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let pairwise: Pairwise = registry::options(options, &CARD)?;
    Ok(Box::new(Private(pairwise)))
}

struct Private(Pairwise);

impl Private {
    /// What is known, and the plan: refused is all that cannot work, from public facts alone.
    fn planned(&self, public: &Public<'_>) -> Result<(Variables, Plan), SynthesisError> {
        let schema = public.schema.schema();
        let ordered = |classes: &table::Classes| {
            let is_ordinal = schema
                .variable(classes.name())
                .is_ok_and(|variable| matches!(variable.kind, table::Kind::Ordinal { .. }));
            is_ordinal || is_ordered(classes)
        };
        let variables = Variables::new(public.domain, public.zeros, &ordered, self.0.workload.as_deref())?;
        let budget = public.charge.cost().units();
        let plan = Plan::new(
            &variables.sizes(),
            &variables.pairs,
            public.size,
            budget,
            Cost::UNITS_IN_ONE,
            noise_of(public),
        );
        let plan = plan.ok_or_else(|| {
            let message = "the budget is too small to be shared among so many variables; raise it, or leave variables out";
            SynthesisError::option("epsilon", message)
        })?;
        Ok((variables, plan))
    }
}

fn noise_of(public: &Public<'_>) -> NoiseOf {
    let (l1, l2_squared) = public.sensitivities;
    match public.charge {
        Charge::Pure(_) | Charge::Approximate(..) => NoiseOf::Epsilon { l1: l1 as f64 },
        Charge::ZeroConcentrated(_) => NoiseOf::Rho { l2_squared: l2_squared as f64 },
    }
}

impl PrivateSynthesizer for Private {
    fn records_card(&self) -> RecordsCard {
        self.0.records_card(true)
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    /// By [`prefers_pure`]; strata and numbers of records that are not stated keep to ρ.
    fn prefers_pure(&self, schema: &DeclaredSchema, recipe: &Recipe, epsilon: f64, rho: f64) -> bool {
        let Some(settings) = &recipe.privacy else { return false };
        let (Some(records), true) = (settings.records.or(recipe.rows), recipe.strata.is_empty()) else {
            return false;
        };
        let (Ok(domain), Ok(rho)) =
            (Domain::declared(schema, recipe.groups as usize), Cost::rounded_down(rho))
        else {
            return false;
        };
        let sizes: Vec<usize> = domain.variables().iter().map(Classes::size).collect();
        // A replaced record leaves one cell and enters another.
        let is_replaced = settings.neighbours == Some(Neighbours::ReplaceOne);
        let sensitivities = if is_replaced { (2.0, 2.0) } else { (1.0, 1.0) };
        prefers_pure(&sizes, records, epsilon, (rho.units(), Cost::UNITS_IN_ONE), sensitivities)
    }

    fn number_classes(&self) -> NumberClasses {
        NumberClasses::Fine
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let (_, plan) = self.planned(public)?;
        let (measure, choose) = match public.charge {
            Charge::ZeroConcentrated(_) => (Mechanism::DiscreteGaussian, Mechanism::ExponentialMechanism),
            Charge::Pure(_) | Charge::Approximate(..) => {
                (Mechanism::DiscreteLaplace, Mechanism::PermuteAndFlip)
            }
        };
        let spending = |purpose: String, mechanism: Mechanism, units: u64| Spending {
            purpose,
            mechanism,
            charge: public.price(units),
        };
        let mut all = Vec::new();
        for (variable, units) in &plan.one_ways {
            let name = public.domain.variables()[*variable].name();
            all.push(spending(format!("counts of {name}"), measure, *units));
        }
        let mut begin = 0;
        for (batch, &count) in plan.batches.iter().enumerate() {
            let purpose = choices(batch);
            if plan.choice > 0 {
                all.extend((1..=count).map(|number| {
                    spending(format!("{purpose}, choice {number} of {count}"), choose, plan.choice)
                }));
            }
            all.extend(plan.tables[begin..begin + count].iter().enumerate().map(|(place, units)| {
                spending(format!("counts of the pair of choice {}", begin + place + 1), measure, *units)
            }));
            begin += count;
        }
        Ok(all)
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let (variables, plan) = self.planned(public)?;
        let known = Known {
            levels: variables.levels.clone(),
            pairs: variables.pairs.clone(),
            weights: variables.pair_weights.clone(),
            variable_weights: variables.variable_weights.clone(),
            records: public.size,
            exact_records: public.exact_size,
            noise: noise_of(public),
            one: Cost::UNITS_IN_ONE,
        };
        let goals = goals(&known, &plan, &variables.constraints, &mut Asking { guard, public })?;
        let names: Vec<String> = goals
            .tables
            .iter()
            .map(|table| public.domain.describe(&Attributes::new(table.variables)))
            .collect();
        let remark = match (names.len(), variables.pairs.len()) {
            (0, _) => {
                "only single variables were measured: the budget is too small to learn how they go together"
                    .to_owned()
            }
            (some, all) if some == all => "every pair of variables was measured".to_owned(),
            (some, all) => format!(
                "{some} of {all} pairs of variables were measured, chosen for how far they lie from independence; what the others say of each other follows from these: {}",
                names.join(", ")
            ),
        };
        let model = PairwiseModel {
            domain: public.domain.clone(),
            zeros: public.zeros.clone(),
            goals: goals.without_impossible(&variables.constraints),
            constraints: variables.constraints,
            settle: self.0.rows == Rows::Settled,
            remarks: vec![remark],
            private: true,
        };
        Ok(AnyModel::Cells(Box::new(model)))
    }
}

/// The guard, as this method sees it.
struct Asking<'a, 'b> {
    guard: &'a mut GuardedTable<'b>,
    public: &'a Public<'a>,
}

fn counted(noisy: privacy::NoisyCounts) -> (Vec<f64>, Noise) {
    let noise = match noisy.law {
        NoiseLaw::Laplace(law) => Noise::laplace(law.scale()),
        NoiseLaw::Gaussian(law) => Noise::normal(law.sigma()),
    };
    (noisy.counts.into_iter().map(|count| count as f64).collect(), noise)
}

/// The groups of two variables with their expected counts, as the guard takes them.
struct Groups<'a> {
    of_level: [&'a [u32]; 2],
    sums: [&'a [f64]; 2],
}

impl<'a> Groups<'a> {
    /// Those of the table itself, and those over which what is missing is counted.
    fn both(of: &'a Candidate) -> [Self; 2] {
        let own = Self {
            of_level: of.groupings.each_ref().map(|grouping| grouping.of_level.as_slice()),
            sums: of.sums.each_ref().map(|sums| sums.as_slice()),
        };
        let coarse = Self {
            of_level: of.coarse.each_ref().map(|(grouping, _)| grouping.of_level.as_slice()),
            sums: of.coarse.each_ref().map(|(_, sums)| sums.as_slice()),
        };
        [own, coarse]
    }

    fn expected<'b>(&'b self, of: &'b Attributes, from: &From<'b>) -> ExpectedGroups<'b> {
        let expected = match from {
            From::Independence(records) => Expected::Independence { sums: &self.sums, records: *records },
            From::Made(records, levels) => Expected::Made { levels, records: *records },
        };
        ExpectedGroups { margin: GroupedMargin { of, groups: &self.of_level }, expected }
    }
}

impl Answers for Asking<'_, '_> {
    type Error = PrivacyError;

    fn one_way(&mut self, variable: usize, units: u64) -> Result<(Vec<f64>, Noise), PrivacyError> {
        self.guard.noisy_margin(&Attributes::new([variable]), self.public.price(units)).map(counted)
    }

    fn choose(
        &mut self,
        candidates: &[Candidate],
        from: &From<'_>,
        batch: usize,
        count: usize,
        units: u64,
        next: &mut dyn FnMut(&[usize]) -> Vec<usize>,
    ) -> Result<Vec<usize>, PrivacyError> {
        let of: Vec<Attributes> = candidates.iter().map(|one| Attributes::new(one.variables)).collect();
        let sides: Vec<[Groups<'_>; 2]> = candidates.iter().map(Groups::both).collect();
        let alike = candidates.iter().all(|one| one.weight == candidates[0].weight);
        let asked: Vec<ScoredGroups<'_>> = candidates
            .iter()
            .enumerate()
            .map(|(at, one)| {
                let [above, below] = [0, 1].map(|side| sides[at][side].expected(&of[at], from));
                let weight = if alike { 1 } else { one.weight };
                ScoredGroups { above, below, threshold: one.threshold, weight }
            })
            .collect();
        self.guard.choose_many(&choices(batch), &asked, count, self.public.price(units), next)
    }

    fn pair(&mut self, of: &Candidate, units: u64) -> Result<(Vec<f64>, Noise), PrivacyError> {
        let groups = [0, 1].map(|side| of.groupings[side].of_level.as_slice());
        let margin = GroupedMargin { of: &Attributes::new(of.variables), groups: &groups };
        self.guard.noisy_groups(&margin, self.public.price(units)).map(counted)
    }
}
