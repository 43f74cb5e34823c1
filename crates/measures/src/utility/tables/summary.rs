//! Many tables in a few numbers: the mean, the worst, and a score for each variable.

use super::{TableStatistic, TableUtility, WhichTables, names};
use crate::{Finding, card_of};

/// What a set of tables says together. Numbers that are undefined in a table are left out of means and counted.
#[derive(Clone, Debug, PartialEq)]
pub struct TablesSummary {
    /// How many tables there are.
    pub tables: usize,
    /// The worst tables by S_pMSE, worst first.
    pub worst: Vec<TableUtility>,
    /// The mean S_pMSE of the tables that hold each variable, worst first.
    pub variables: Vec<VariableScore>,
    means: [Option<f64>; TableStatistic::COUNT],
    undefined: [usize; TableStatistic::COUNT],
}

/// How well the tables of one variable come out.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableScore {
    /// The variable.
    pub variable: String,
    /// The mean S_pMSE of its tables; `None` if it is defined for none of them.
    pub mean_s_pmse: Option<f64>,
}

impl TablesSummary {
    /// Sums up these tables, keeping the `worst` worst.
    pub fn of(tables: &[TableUtility], worst: usize) -> Self {
        let defined =
            |statistic: TableStatistic| tables.iter().filter_map(move |table| table.value(statistic).ok());
        let mut names: Vec<&str> = Vec::new();
        for name in tables.iter().flat_map(|table| &table.on) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let score = |name: &str| VariableScore {
            variable: name.to_owned(),
            mean_s_pmse: mean(
                tables
                    .iter()
                    .filter(|table| table.on.iter().any(|on| on == name))
                    .filter_map(|table| table.s_pmse().ok()),
            ),
        };
        let mut variables: Vec<VariableScore> = names.into_iter().map(score).collect();
        variables.sort_by(|one, other| descending(one.mean_s_pmse, other.mean_s_pmse));
        let mut ranked: Vec<&TableUtility> = tables.iter().filter(|table| table.s_pmse().is_ok()).collect();
        ranked.sort_by(|one, other| descending(one.s_pmse().ok(), other.s_pmse().ok()));
        Self {
            tables: tables.len(),
            worst: ranked.into_iter().take(worst).cloned().collect(),
            variables,
            means: std::array::from_fn(|at| mean(defined(TableStatistic::ALL[at]))),
            undefined: std::array::from_fn(|at| tables.len() - defined(TableStatistic::ALL[at]).count()),
        }
    }

    /// The mean over the tables in which the number is defined; `None` if it is defined in none.
    pub fn mean(&self, statistic: TableStatistic) -> Option<f64> {
        self.means[statistic as usize]
    }

    /// In how many tables the number is not defined.
    pub fn undefined(&self, statistic: TableStatistic) -> usize {
        self.undefined[statistic as usize]
    }

    /// The mean and worst S_pMSE and the score of each variable, of all tables of `ways` variables or of named ones.
    pub fn findings(&self, which: WhichTables) -> Vec<Finding> {
        let finding = |name: &str, on: &[String], value: Option<f64>| {
            let (null, better) = card_of(name).map_or((None, crate::Better::Lower), |card| {
                let null = if let crate::Null::Value(null) = card.null { Some(null) } else { None };
                (null, card.better)
            });
            let finding = match value {
                Some(value) => Finding::value(name, on, value, null, better),
                None => Finding::undefined(name, on, better, "it is defined for none of the tables"),
            };
            which.note(finding)
        };
        let mean = finding(names::MEAN_S_PMSE, &[], self.mean(TableStatistic::SPmse))
            .with("tables", self.tables)
            .with("undefined", self.undefined(TableStatistic::SPmse));
        let worst = self.worst.first();
        let on = worst.map_or(&[][..], |worst| &worst.on);
        let worst = finding(names::WORST_S_PMSE, on, worst.and_then(|worst| worst.s_pmse().ok()));
        let of_variable = |score: &VariableScore| {
            finding(names::VARIABLE_S_PMSE, std::slice::from_ref(&score.variable), score.mean_s_pmse)
        };
        [mean, worst].into_iter().chain(self.variables.iter().map(of_variable)).collect()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// Larger first, nothing last.
fn descending(one: Option<f64>, other: Option<f64>) -> std::cmp::Ordering {
    match (one, other) {
        (Some(one), Some(other)) => other.total_cmp(&one),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}
