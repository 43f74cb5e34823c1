//! The same tables with numbers in finer classes, so that what happens inside a class is seen too.
//!
//! A generator that keeps the five classes of a number, or those that the schema declares, and nothing else looks perfect in those classes. In twenty
//! classes at quantiles of the original, or value by value where there are few values, it does not. Each mean is therefore taken at both resolutions, that of
//! pairs also for each number by itself, and the farthest one counts. Only tables of one or two variables are refined, and of those the ones with a number that has other classes then.

use table::domain::{ClassRule, Classes, Partition};
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

/// The mean S_pMSE of some tables, one a data set.
pub(super) struct Means {
    pub(super) which: WhichTables,
    pub(super) each: Vec<Option<f64>>,
    /// The standard deviation by chance of such a mean, as a share of its expectation.
    pub(super) scatter: f64,
}

/// By how much chance moves the mean S_pMSE of these tables, as a share of its expectation: S_pMSE is χ²/df times a constant, of relative variance 2/df,
/// and tables are taken as independent.
pub(super) fn scatter(tables: &[TableUtility]) -> f64 {
    let df = tables.iter().filter(|table| table.s_pmse().is_ok());
    let df: Vec<f64> = df.filter_map(|table| table.value(TableStatistic::Df).ok()).collect();
    df.iter().map(|df| 2.0 / df).sum::<f64>().sqrt() / (df.len() as f64).max(1.0)
}

/// The means alone, where there are no finer classes: counts without records, or classes that were asked for. `ratios` are N/n of each data set.
pub(super) fn without_finer(means: &[Means], ratios: &[f64]) -> Vec<Finding> {
    means.iter().flat_map(|means| farther(means, ratios)).collect()
}

/// The mean, and the random sample of the original that is as far from it.
///
/// With p the shares of cells, a sample without replacement of a share x of the N records has E Σ (s/n − p)²/p = df (1 − x)/(x N), and a file of n records
/// S df/n. They are equal for x = 1/(1 + S N/n): a right generator (S = 1, n = N) is worth half of the records.
///
/// `detail.fresh_sample` is what a fresh sample of the population is expected to score, 1 + n/N, and `detail.fresh_sample_sd` by how much chance moves that.
fn farther(means: &Means, ratios: &[f64]) -> [Finding; 2] {
    let Means { which, each, scatter } = means;
    let share = |(s_pmse, ratio): (&Option<f64>, &f64)| s_pmse.map(|s_pmse| 100.0 / (1.0 + s_pmse * ratio));
    let shares: Vec<Option<f64>> = each.iter().zip(ratios).map(share).collect();
    let sample = mean(names::SAMPLE_SHARE, *which, &shares);
    let sample = Finding { null: sample.null.and(Some(50.0)), better: Better::Higher, ..sample };
    let fresh = ratios.iter().map(|ratio| 1.0 + 1.0 / ratio).sum::<f64>() / ratios.len().max(1) as f64;
    let farther = mean(names::FARTHER_MEAN_S_PMSE, *which, each);
    [farther.with("fresh_sample", fresh).with("fresh_sample_sd", scatter * fresh), sample]
}

/// What finer classes show beside these means.
pub(super) fn findings(
    sets: &SyntheticSets<'_>,
    settings: &Settings,
    coarse: &SharedTables,
    means: &[Means],
) -> Result<Vec<Finding>, MeasureError> {
    let grouping = &settings.tables.grouping;
    let ratio = |set: &&Table| sets.original.rows() as f64 / set.rows().max(1) as f64;
    let ratios: Vec<f64> = sets.synthetic.iter().map(ratio).collect();
    if grouping.style != GroupingStyle::Quantiles || grouping.groups >= GROUPS {
        return Ok(without_finer(means, &ratios));
    }
    let shared = SharedTables::within_classes(sets.original, sets.synthetic, &measured_classes(GROUPS))?;
    let refined = refined(coarse.domain(), shared.domain());
    let mut findings = Vec::new();
    for (which, of) in wanted_tables(shared.domain(), settings)? {
        let is_fine = |of: &Attributes| {
            of.positions().len() <= MOST_WAYS && of.positions().iter().any(|position| refined[*position])
        };
        let of: Vec<Attributes> = of.into_iter().filter(is_fine).collect();
        let coarse = means.iter().find(|means| means.which == which);
        let of_coarse = coarse.map_or(&[][..], |means| &means.each);
        let tables = shared.tables_of_sets(&of, &settings.tables)?;
        let of_sets: Vec<TableUtility> = tables.iter().filter_map(|sets| TableUtility::mean(sets)).collect();
        let mean_of = |places: &[usize], set: usize| {
            let of_set: Vec<TableUtility> = places.iter().map(|place| tables[*place][set].clone()).collect();
            TablesSummary::of(&of_set, 0).mean(TableStatistic::SPmse)
        };
        let all: Vec<usize> = (0..of.len()).collect();
        let means = |places: &[usize]| -> Vec<Option<f64>> {
            (0..sets.synthetic.len()).map(|set| mean_of(places, set)).collect()
        };
        let fine = means(&all);
        let mut each: Vec<Option<f64>> =
            of_coarse.iter().zip(&fine).map(|(coarse, fine)| larger(*coarse, *fine)).collect();
        let mut scatter = coarse.map_or(0.0, |means| means.scatter).max(scatter_of(&of_sets, &all));
        for places in of_each_number(&of, &refined) {
            each.iter_mut().zip(means(&places)).for_each(|(most, own)| *most = larger(*most, own));
            scatter = scatter.max(scatter_of(&of_sets, &places));
        }
        findings.extend(farther(&Means { which, each, scatter }, &ratios));
        if of.is_empty() {
            continue;
        }
        findings.push(mean(names::FINE_MEAN_S_PMSE, which, &fine).with("tables", of.len()));
        let of_table = |name: &str, table: &TableUtility| match table.s_pmse() {
            Ok(value) => Finding::value(name, &table.on, value, Some(1.0), Better::Lower),
            Err(because) => Finding::undefined(name, &table.on, Better::Lower, because.to_string()),
        };
        if let Some(worst) = TablesSummary::of(&of_sets, 1).worst.first() {
            findings.push(which.note(of_table(names::FINE_WORST_S_PMSE, worst)));
        }
        findings.extend(
            of_sets
                .iter()
                .filter(|table| table.on.len() == 1)
                .map(|table| of_table(names::FINE_S_PMSE, table)),
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

/// Of pairs of variables, those that hold each of the numbers with finer classes: what is wrong with one number is not averaged away by those that are right.
fn of_each_number(of: &[Attributes], refined: &[bool]) -> Vec<Vec<usize>> {
    let holds = |number: usize| {
        let places = of
            .iter()
            .enumerate()
            .filter(move |(_, of)| of.positions().len() == MOST_WAYS && of.positions().contains(&number));
        places.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let numbers = (0..refined.len()).filter(|position| refined[*position]);
    numbers.map(holds).filter(|places| !places.is_empty()).collect()
}

/// The scatter of the mean of some of the tables.
fn scatter_of(tables: &[TableUtility], places: &[usize]) -> f64 {
    let some: Vec<TableUtility> = places.iter().filter_map(|place| tables.get(*place)).cloned().collect();
    scatter(&some)
}

/// For each variable, whether its classes are finer, or other ones than the schema declares.
fn refined(coarse: &Domain, fine: &Domain) -> Vec<bool> {
    let is_declared = |classes: &Classes| {
        matches!(classes.partition(), Partition::Intervals { chosen_by: ClassRule::DeclaredCuts, .. })
    };
    let pairs = coarse.variables().iter().zip(fine.variables());
    pairs.map(|(coarse, fine)| fine.size() > coarse.size() || is_declared(coarse)).collect()
}

fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}
