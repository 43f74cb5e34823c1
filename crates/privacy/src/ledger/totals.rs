//! The total of a ledger in every notion in which it can be stated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::charge::{Amount, Charge, DeltaCost, Notion};
use super::composition::{Place, RunningTotal};
use super::record::{CostRecord, same};
use crate::conversion::epsilon_of_rho;
use crate::{Delta, Guarantee};

/// What all events cost together, in each notion that a theorem allows; all rounded up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// ε, if every event is pure.
    pub pure: Option<CostRecord>,
    /// ρ, if every event is pure (ε²/2) or zero-concentrated.
    pub zero_concentrated: Option<CostRecord>,
    /// ε at some δ: by way of ρ, or by basic composition, whichever is smaller.
    pub approximate: Vec<ApproximateTotal>,
}

/// The ε of all events at one δ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproximateTotal {
    /// The δ.
    pub delta: f64,
    /// The ε.
    pub epsilon: CostRecord,
    /// The theorem by which it follows.
    pub by: String,
}

impl Totals {
    pub(super) fn of<'a>(
        entries: impl Iterator<Item = (Charge, Option<&'a Place>)> + Clone,
        asked: Guarantee,
    ) -> Self {
        let pure = total(entries.clone(), Notion::Pure);
        let zero_concentrated = total(entries.clone(), Notion::ZeroConcentrated);
        let basic = total(entries, Notion::Approximate);
        let mut approximate: Vec<ApproximateTotal> = Vec::new();
        for delta in deltas(asked) {
            let by_rho = zero_concentrated
                .and_then(|rho| epsilon_of_rho(rho.cost, delta).ok())
                .map(|epsilon| (epsilon, "conversion of ρ (Canonne, Kamath & Steinke 2020, Prop. 7)"));
            let by_sum = basic
                .filter(|basic| basic.delta <= DeltaCost::rounded_down(delta))
                .map(|basic| (basic.cost, "basic composition"));
            if let Some((epsilon, by)) = by_sum.into_iter().chain(by_rho).min_by_key(|(epsilon, _)| *epsilon)
            {
                let epsilon = CostRecord::of(epsilon);
                approximate.push(ApproximateTotal { delta: delta.value(), epsilon, by: by.to_owned() });
            }
        }
        let record = |amount: Amount| CostRecord::of(amount.cost);
        Self { pure: pure.map(record), zero_concentrated: zero_concentrated.map(record), approximate }
    }

    /// Whether two totals are the same; decimals may differ in the last digits.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let same_cost = |ours: &Option<CostRecord>, theirs: &Option<CostRecord>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => ours.agrees(theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        let same_approximate = |(ours, theirs): (&ApproximateTotal, &ApproximateTotal)| {
            same(ours.delta, theirs.delta) && ours.epsilon.agrees(&theirs.epsilon) && ours.by == theirs.by
        };
        same_cost(&self.pure, &other.pure)
            && same_cost(&self.zero_concentrated, &other.zero_concentrated)
            && self.approximate.len() == other.approximate.len()
            && self.approximate.iter().zip(&other.approximate).all(same_approximate)
    }
}

/// The total in one notion, if every event can be stated in it.
pub(super) fn total<'a>(
    entries: impl Iterator<Item = (Charge, Option<&'a Place>)>,
    notion: Notion,
) -> Option<Amount> {
    let mut running = RunningTotal::default();
    for (charge, place) in entries {
        if !running.add(place, charge.in_notion(notion)?) {
            return None;
        }
    }
    running.total()
}

/// The δ that was asked for, or customary ones.
fn deltas(asked: Guarantee) -> Vec<Delta> {
    let customary =
        [1e-6, 1e-9].map(|delta| Delta::new(delta).expect("a customary delta lies within 0 and 1"));
    match asked {
        Guarantee::Approximate(_, delta) => vec![delta],
        _ => customary.to_vec(),
    }
}
