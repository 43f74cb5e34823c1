//! What a private run would spend, said before anything is read.

use privacy::ledger::{Budget, Charge, Mechanism};
use privacy::{Guarantee, Neighbours};

/// A question with its price.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    /// What is looked at.
    pub purpose: String,
    /// How.
    pub mechanism: Mechanism,
    /// What it costs.
    pub charge: Charge,
}

/// All questions of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SpendingPlan {
    /// The method.
    pub method: String,
    /// What was asked for.
    pub asked: Guarantee,
    /// What may be spent, in the notion in which it is spent.
    pub limit: Charge,
    /// The relation of neighbours.
    pub neighbours: Neighbours,
    /// What one record stands for.
    pub unit: String,
    /// The column that names the unit of a record, if one is declared, and the most records of one unit.
    pub units: Option<(String, u64)>,
    /// The number of records that is planned for, and whether a noisy count will decide it.
    pub size: (u64, bool),
    /// The number of data sets.
    pub m: u32,
    /// Questions on all records.
    pub questions: Vec<Spending>,
    /// Questions on each stratum, with what strata are by and how many there are; they count once.
    pub in_strata: Option<(String, u64, Vec<Spending>)>,
    /// Why each domain may be taken as public.
    pub reason: String,
    /// What there is to know of it, such as which domains are bought.
    pub remarks: Vec<String>,
}

impl SpendingPlan {
    pub(super) fn new(method: &str, budget: &Budget, neighbours: Neighbours) -> Self {
        Self {
            method: method.to_owned(),
            asked: budget.asked(),
            limit: budget.limit(),
            neighbours,
            unit: String::new(),
            units: None,
            size: (0, false),
            m: 1,
            questions: Vec::new(),
            in_strata: None,
            reason: String::new(),
            remarks: Vec::new(),
        }
    }

    /// What neighbouring tables differ in.
    pub fn neighbours_sentence(&self) -> String {
        let (name, records) =
            self.units.as_ref().map_or((None, 1), |(name, most)| (Some(name.as_str()), *most));
        self.neighbours.sentence(name, records)
    }

    /// What is to be said of the guarantee that was asked for.
    pub fn caveats(&self) -> Vec<String> {
        self.asked.caveats(Some(self.size.0).filter(|_| !self.size.1))
    }

    /// The plan for machines.
    pub fn to_json(&self) -> serde_json::Value {
        let line = |spending: &Spending| {
            serde_json::json!({
                "purpose": spending.purpose,
                "mechanism": spending.mechanism,
                "notion": spending.charge.notion(),
                "cost": spending.charge.cost().upper(),
                "delta": spending.charge.delta().upper(),
            })
        };
        let lines = |questions: &[Spending]| questions.iter().map(line).collect::<Vec<_>>();
        serde_json::json!({
            "method": self.method,
            "asked": self.asked,
            "limit": { "notion": self.limit.notion(), "cost": self.limit.cost().lower(), "delta": self.limit.delta().lower() },
            "neighbours": self.neighbours,
            "unit": self.unit,
            "unit_id": self.units.as_ref().map(|(name, _)| name),
            "records_per_unit": self.units.as_ref().map_or(1, |(_, most)| *most),
            "caveats": self.caveats(),
            "remarks": self.remarks,
            "records": self.size.0,
            "records_are_assumed": self.size.1,
            "m": self.m,
            "questions": lines(&self.questions),
            "in_strata": self.in_strata.as_ref().map(|(by, parts, questions)| {
                serde_json::json!({ "by": by, "strata": parts, "questions": lines(questions) })
            }),
            "domains_are_public_because": self.reason,
        })
    }
}
