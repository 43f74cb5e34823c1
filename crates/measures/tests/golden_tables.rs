//! The table family against R's synthpop.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod golden;

use golden::{Golden, Tally};
use measures::utility::tables::{
    MissingValues, SyntheticSize, TableOptions, TableStatistic, TableUtility, TablesSummary,
};
use measures::{MEASURES, Settings, SharedTables};
use serde_json::Value;
use table::Grouping;

/// synthpop's name of a number.
fn r_name(statistic: TableStatistic) -> &'static str {
    use TableStatistic::*;
    match statistic {
        Vw => "VW",
        Ft => "FT",
        Jsd => "JSD",
        Specks => "SPECKS",
        Wmabsdd => "WMabsDD",
        U => "U",
        G => "G",
        Pmse => "pMSE",
        Po50 => "PO50",
        Mabsdd => "MabsDD",
        Dbhatt => "dBhatt",
        SVw => "S_VW",
        SFt => "S_FT",
        SJsd => "S_JSD",
        SWmabsdd => "S_WMabsDD",
        SG => "S_G",
        SPmse => "S_pMSE",
        Df => "df",
        DfG => "dfG",
        Empty => "nempty",
    }
}

/// `01.sex:02.age` without the numbers.
fn variables_of(table: &str) -> Vec<&str> {
    table.split(':').map(|name| name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')).collect()
}

fn compare_table(tally: &mut Tally, found: &TableUtility, expected: &Value) {
    let mut compared = 0;
    for statistic in TableStatistic::ALL {
        if let Some(number) = expected[r_name(statistic)].as_f64() {
            let what = format!("{} of {}", r_name(statistic), found.on.join(":"));
            tally.compare(&what, found.value(statistic).unwrap(), number);
            compared += 1;
        }
    }
    assert!(compared >= 19, "{}", found.on.join(":"));
}

fn compare_block(tally: &mut Tally, golden: &Golden, block: &str, options: &TableOptions) {
    let shared = SharedTables::new(&golden.comparison(), &options.grouping).unwrap();
    for (table, expected) in golden.expected[block].as_object().into_iter().flatten() {
        let found = shared.table(&variables_of(table), options).unwrap();
        compare_table(tally, &found, expected);
        for (variable, labels) in expected["levels"].as_object().into_iter().flatten() {
            let classes = &shared.domain().variables()[shared.domain().position_of(variable).unwrap()];
            assert_eq!(classes.size(), labels.as_array().unwrap().len(), "{variable}");
        }
        for (side, counts) in [(shared.original(), "tab_obs"), (&shared.synthetic()[0], "tab_syn")] {
            let Some(counts) = expected[counts].as_array() else { continue };
            let of = shared.attributes(&variables_of(table)).unwrap();
            let margin = table::CountSource::margins(side, &[of]).unwrap().remove(0);
            for (count, expected) in margin.counts().iter().zip(counts) {
                tally.compare(&format!("count of {table}"), *count as f64, expected.as_f64().unwrap());
            }
        }
    }
}

fn compare_all_tables(tally: &mut Tally, golden: &Golden) {
    let options = TableOptions::default();
    let shared = SharedTables::new(&golden.comparison(), &options.grouping).unwrap();
    for (ways, block) in ["oneway", "twoway", "threeway"].into_iter().enumerate() {
        let expected = &golden.expected["utility.tables"][block];
        if expected.is_null() {
            continue;
        }
        let tables = shared.all_tables(ways + 1, &options).unwrap();
        let summary = TablesSummary::of(&tables, 5);
        tally.compare("number of tables", tables.len() as f64, expected["n_tables"].as_f64().unwrap());
        for (name, expected) in expected["per_table"].as_object().unwrap() {
            let found = tables.iter().find(|table| table.on == variables_of(name)).unwrap();
            compare_table(tally, found, expected);
        }
        for statistic in TableStatistic::ALL {
            if let Some(mean) = expected["mean"][r_name(statistic)].as_f64() {
                tally.compare(&format!("mean {}", r_name(statistic)), summary.mean(statistic).unwrap(), mean);
            }
        }
        for (place, (name, score)) in expected["worst"].as_object().into_iter().flatten().enumerate() {
            assert_eq!(summary.worst[place].on, variables_of(name));
            tally.compare("worst", summary.worst[place].s_pmse().unwrap(), score.as_f64().unwrap());
        }
        for (place, (name, score)) in expected["var_scores"].as_object().into_iter().flatten().enumerate() {
            assert_eq!(vec![summary.variables[place].variable.as_str()], variables_of(name));
            tally.compare("variable", summary.variables[place].mean_s_pmse.unwrap(), score.as_f64().unwrap());
        }
    }
}

fn compare_pair(name: &str, at_least: usize) {
    let Some(golden) = Golden::load(name) else { return };
    let options = TableOptions::default();
    let mut tally = Tally::default();
    compare_block(&mut tally, &golden, "utility.tab", &options);
    let random = TableOptions { synthetic_size: SyntheticSize::Random, ..options.clone() };
    compare_block(&mut tally, &golden, "utility.tab_k.syn", &random);
    let complete = TableOptions { missing: MissingValues::AreLeftOut, ..options.clone() };
    compare_block(&mut tally, &golden, "utility.tab_useNA_FALSE", &complete);
    let grouping = Grouping { groups: 10, ..options.grouping.clone() };
    compare_block(&mut tally, &golden, "utility.tab_ngroups10", &TableOptions { grouping, ..options });
    compare_all_tables(&mut tally, &golden);
    tally.finish(name, at_least);
}

#[test]
fn seven_factors_agree_with_synthpop() {
    compare_pair("s7_catall", 1600);
}

#[test]
fn eighteen_mixed_variables_agree_with_synthpop() {
    compare_pair("sd18_cart", 1200);
}

#[test]
fn every_measure_of_a_golden_pair_keeps_its_card() {
    let Some(golden) = Golden::load("sd18_cart") else { return };
    for measure in MEASURES {
        for finding in measure.evaluate(&golden.comparison(), &Settings::default()).unwrap() {
            let card = measures::card_of(&finding.measure).unwrap();
            assert!(finding.value.is_none_or(|value| card.range.contains(value)), "{finding:?}");
        }
    }
}
