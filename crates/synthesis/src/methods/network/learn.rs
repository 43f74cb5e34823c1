//! The questions of a network: parents of every variable chosen, tables counted under noise.

use privacy::ledger::{Charge, Mechanism};
use privacy::{Dependence, GuardedTable};
use table::{Attributes, Classes};

use super::model::Node;
use super::plan::Plan;
use crate::SynthesisError;
use crate::private::{Public, Spending};

/// What choices are for, in the ledger.
const CHOICE: &str = "parents of a variable";

/// Every question of a plan.
pub(in crate::methods) fn spending(public: &Public<'_>, plan: &Plan) -> Vec<Spending> {
    let (measure, choose) = match public.charge {
        Charge::ZeroConcentrated(_) => (Mechanism::DiscreteGaussian, Mechanism::ExponentialMechanism),
        Charge::Pure(_) | Charge::Approximate(..) => (Mechanism::DiscreteLaplace, Mechanism::PermuteAndFlip),
    };
    let line =
        |purpose: String, mechanism, units| Spending { purpose, mechanism, charge: public.price(units) };
    let tables = plan.varying.len();
    if plan.parents == 0 {
        let name = |variable: &usize| public.domain.variables()[*variable].name();
        let counts = |variable| line(format!("counts of {}", name(variable)), measure, plan.table);
        return plan.varying.iter().map(counts).collect();
    }
    let choices = tables.saturating_sub(1);
    let purpose = |number: usize| format!("{CHOICE}, choice {number} of {choices}");
    let mut all: Vec<Spending> =
        (1..=choices).map(|number| line(purpose(number), choose, plan.choice)).collect();
    all.extend(
        (1..=tables).map(|number| line(format!("counts of table {number} of {tables}"), measure, plan.table)),
    );
    all
}

/// Asks all of it: the nodes in the order in which they are drawn. Variables of one level are nodes without parents.
pub(in crate::methods) fn learn(
    guard: &mut GuardedTable<'_>,
    public: &Public<'_>,
    plan: &Plan,
) -> Result<Vec<Node>, SynthesisError> {
    let sizes: Vec<usize> = public.domain.variables().iter().map(Classes::size).collect();
    let mut network: Vec<(usize, Vec<usize>)> = Vec::with_capacity(sizes.len());
    match plan.parents {
        0 => network.extend(plan.varying.iter().map(|variable| (*variable, Vec::new()))),
        _ => choose_parents(guard, public, plan, &sizes, &mut network)?,
    }
    let mut nodes = Vec::with_capacity(sizes.len());
    for (variable, parents) in network {
        let of = Attributes::new(parents.iter().copied().chain([variable]));
        let noisy = guard.noisy_margin(&of, public.price(plan.table))?;
        nodes.push(Node::from_counts(variable, parents, &of, &sizes, &noisy.counts));
    }
    let fixed = (0..sizes.len()).filter(|variable| !plan.varying.contains(variable));
    nodes.extend(fixed.map(|variable| Node {
        variable,
        parents: Vec::new(),
        shares: vec![1.0; sizes[variable]],
    }));
    Ok(nodes)
}

fn choose_parents(
    guard: &mut GuardedTable<'_>,
    public: &Public<'_>,
    plan: &Plan,
    sizes: &[usize],
    network: &mut Vec<(usize, Vec<usize>)>,
) -> Result<(), SynthesisError> {
    let Some((first, rest)) = plan.varying.split_first() else { return Ok(()) };
    network.push((*first, Vec::new()));
    let (mut before, mut rest) = (vec![*first], rest.to_vec());
    let choices = rest.len();
    for number in 1..=choices {
        let mut offered: Vec<(usize, Vec<usize>)> = Vec::new();
        for &variable in &rest {
            let sets = plan.sets(sizes[variable], &before, sizes);
            offered.extend(sets.into_iter().map(|parents| (variable, parents)));
        }
        let candidates: Vec<Dependence> = offered
            .iter()
            .map(|(child, parents)| Dependence {
                of: Attributes::new(parents.iter().copied().chain([*child])),
                child: *child,
            })
            .collect();
        let purpose = format!("{CHOICE}, choice {number} of {choices}");
        let chosen = guard.choose_dependence(&purpose, &candidates, public.price(plan.choice))?;
        let (variable, parents) = offered.swap_remove(chosen);
        rest.retain(|left| *left != variable);
        before.push(variable);
        network.push((variable, parents));
    }
    Ok(())
}
