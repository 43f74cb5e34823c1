//! The same tables with numbers in finer classes, so that what happens inside a class is seen too.
//!
//! A generator that keeps the five classes of a number and nothing else looks perfect in those classes. In twenty classes it does not. Each mean is
//! therefore taken at both resolutions, and the farther one counts. Only tables of one or two variables are refined, and of those the ones with a
//! number that has finer classes.

use table::grouping::GroupingStyle;
use table::{Attributes, Domain, Table};

use super::{
    TableStatistic, TableUtility, TablesSummary, WhichTables, measured_classes, names, wanted_tables,
};
use crate::evaluation::with_each;
use crate::{Better, Finding, MeasureError, Settings, SharedTables, SyntheticSets};

/// Groups of the finer classes.
const GROUPS: usize = 20;

/// Tables of more variables are not refined: their cells would hold single records.
const MOST_WAYS: usize = 2;

/// The mean S_pMSE of tables in the wanted classes, one a data set.
pub(super) type Coarse = Vec<(WhichTables, Vec<Option<f64>>)>;

/// The means alone, where there are no finer classes: counts without records, or classes that were asked for. `ratios` are N/n of each data set.
pub(super) fn without_finer(means: &Coarse, ratios: &[f64]) -> Vec<Finding> {
    means.iter().flat_map(|(which, each)| farther(*which, each, ratios)).collect()
}

/// The mean, and the random sample of the original that is as far from it.
///
/// With p the shares of cells, a sample without replacement of a share x of the N records has E Σ (s/n − p)²/p = df (1 − x)/(x N), and a file of n records
/// S df/n. They are equal for x = 1/(1 + S N/n): a right generator (S = 1, n = N) is worth half of the records.
fn farther(which: WhichTables, each: &[Option<f64>], ratios: &[f64]) -> [Finding; 2] {
    let share = |(s_pmse, ratio): (&Option<f64>, &f64)| s_pmse.map(|s_pmse| 100.0 / (1.0 + s_pmse * ratio));
    let shares: Vec<Option<f64>> = each.iter().zip(ratios).map(share).collect();
    let sample = mean(names::SAMPLE_SHARE, which, &shares);
    let sample = Finding { null: sample.null.and(Some(50.0)), better: Better::Higher, ..sample };
    [mean(names::FARTHER_MEAN_S_PMSE, which, each), sample]
}

/// What finer classes show beside these means.
pub(super) fn findings(
    sets: &SyntheticSets<'_>,
    settings: &Settings,
    coarse: &SharedTables,
    means: &Coarse,
) -> Result<Vec<Finding>, MeasureError> {
    let grouping = &settings.tables.grouping;
    let ratio = |set: &&Table| sets.original.rows() as f64 / set.rows().max(1) as f64;
    let ratios: Vec<f64> = sets.synthetic.iter().map(ratio).collect();
    if grouping.style != GroupingStyle::Quantiles || grouping.groups >= GROUPS {
        return Ok(without_finer(means, &ratios));
    }
    let shared = SharedTables::of_sets(sets.original, sets.synthetic, &measured_classes(GROUPS))?;
    let refined = refined(coarse.domain(), shared.domain());
    let mut findings = Vec::new();
    for (which, of) in wanted_tables(shared.domain(), settings)? {
        let is_fine = |of: &Attributes| {
            of.positions().len() <= MOST_WAYS && of.positions().iter().any(|position| refined[*position])
        };
        let of: Vec<Attributes> = of.into_iter().filter(is_fine).collect();
        let coarse = means.iter().find(|(known, _)| *known == which).map(|(_, means)| means.as_slice());
        let coarse = coarse.unwrap_or_default();
        let tables = shared.tables_of_sets(&of, &settings.tables)?;
        let fine: Vec<Option<f64>> = (0..sets.synthetic.len())
            .map(|set| {
                let of_set: Vec<TableUtility> = tables.iter().map(|sets| sets[set].clone()).collect();
                TablesSummary::of(&of_set, 0).mean(TableStatistic::SPmse)
            })
            .collect();
        let of_both: Vec<Option<f64>> =
            coarse.iter().zip(&fine).map(|(coarse, fine)| larger(*coarse, *fine)).collect();
        findings.extend(farther(which, &of_both, &ratios));
        if of.is_empty() {
            continue;
        }
        findings.push(mean(names::FINE_MEAN_S_PMSE, which, &fine).with("tables", of.len()));
        let means: Vec<TableUtility> = tables.iter().filter_map(|sets| TableUtility::mean(sets)).collect();
        let of_table = |name: &str, table: &TableUtility| match table.s_pmse() {
            Ok(value) => Finding::value(name, &table.on, value, Some(1.0), Better::Lower),
            Err(because) => Finding::undefined(name, &table.on, Better::Lower, because.to_string()),
        };
        if let Some(worst) = TablesSummary::of(&means, 1).worst.first() {
            findings.push(which.note(of_table(names::FINE_WORST_S_PMSE, worst)));
        }
        findings.extend(
            means.iter().filter(|table| table.on.len() == 1).map(|table| of_table(names::FINE_S_PMSE, table)),
        );
    }
    Ok(findings)
}

/// The mean over data sets.
fn mean(name: &str, which: WhichTables, each: &[Option<f64>]) -> Finding {
    let nothing: [&str; 0] = [];
    let known: Vec<f64> = each.iter().copied().flatten().collect();
    let finding = if known.len() == each.len() && !known.is_empty() {
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        Finding::value(name, nothing, mean, Some(1.0), Better::Lower)
    } else {
        Finding::undefined(name, nothing, Better::Lower, "it is defined for none of the tables")
    };
    which.note(if each.len() > 1 { with_each(finding, each) } else { finding })
}

/// For each variable, whether its classes are finer.
fn refined(coarse: &Domain, fine: &Domain) -> Vec<bool> {
    let pairs = coarse.variables().iter().zip(fine.variables());
    pairs.map(|(coarse, fine)| fine.size() > coarse.size()).collect()
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}
