//! The table family: `utility.tab` and `utility.tables`.

use measures::SharedTables;
use measures::utility::tables::{
    MissingValues, SyntheticSize, TableOptions, TableStatistic, TableUtility, TablesSummary,
};
use serde_json::Value;
use shared_data::GoldenPair;
use table::Grouping;

use crate::golden::comparison;
use crate::ledger::Ledger;

/// Compares all numbers of the tables.
pub fn compare(ledger: &mut Ledger<'_>, golden: &GoldenPair) {
    let options = TableOptions { grouping: Grouping::synthpop(5), ..TableOptions::default() };
    compare_block(ledger, golden, "utility.tab", &options);
    let random = TableOptions { synthetic_size: SyntheticSize::Random, ..options.clone() };
    compare_block(ledger, golden, "utility.tab_k.syn", &random);
    let complete = TableOptions { missing: MissingValues::AreLeftOut, ..options.clone() };
    compare_block(ledger, golden, "utility.tab_useNA_FALSE", &complete);
    let grouping = Grouping { groups: 10, ..options.grouping.clone() };
    compare_block(ledger, golden, "utility.tab_ngroups10", &TableOptions { grouping, ..options });
    compare_all_tables(ledger, golden);
}

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

fn compare_table(ledger: &mut Ledger<'_>, path: &[&str], found: &TableUtility) {
    let mut compared = 0;
    for statistic in TableStatistic::ALL {
        let name = r_name(statistic);
        if ledger.at(path)[name].is_number() {
            ledger.compare(&[path, &[name]].concat(), found.value(statistic).unwrap());
            compared += 1;
        }
    }
    assert!(compared >= 19, "{}", found.on.join(":"));
}

fn keys(value: &Value) -> Vec<&String> {
    value.as_object().map_or(Vec::new(), |object| object.keys().collect())
}

fn compare_block(ledger: &mut Ledger<'_>, golden: &GoldenPair, block: &str, options: &TableOptions) {
    let shared = SharedTables::new(&comparison(golden), &options.grouping).unwrap();
    for table in keys(ledger.at(&[block])) {
        let found = shared.table(&variables_of(table), options).unwrap();
        compare_table(ledger, &[block, table], &found);
        let expected = ledger.at(&[block, table]);
        for variable in keys(&expected["levels"]) {
            let classes = &shared.domain().variables()[shared.domain().position_of(variable).unwrap()];
            assert_eq!(classes.size(), expected["levels"][variable].as_array().unwrap().len(), "{variable}");
        }
        for (side, counts) in [(shared.original(), "tab_obs"), (&shared.synthetic()[0], "tab_syn")] {
            if !expected[counts].is_array() {
                continue;
            }
            let of = shared.attributes(&variables_of(table)).unwrap();
            let margin = table::CountSource::margins(side, &[of]).unwrap().remove(0);
            for (cell, count) in margin.counts().iter().enumerate() {
                ledger.compare(&[block, table, counts, &cell.to_string()], *count as f64);
            }
        }
    }
}

fn compare_all_tables(ledger: &mut Ledger<'_>, golden: &GoldenPair) {
    let options = TableOptions { grouping: Grouping::synthpop(5), ..TableOptions::default() };
    let shared = SharedTables::new(&comparison(golden), &options.grouping).unwrap();
    for (ways, block) in ["oneway", "twoway", "threeway"].into_iter().enumerate() {
        let path = ["utility.tables", block];
        let expected = ledger.at(&path);
        if expected.is_null() {
            continue;
        }
        let below =
            |more: &[&str]| -> Vec<String> { path.iter().chain(more).map(ToString::to_string).collect() };
        let mut compare = |more: &[&str], found: f64| {
            let path = below(more);
            ledger.compare(&path.iter().map(String::as_str).collect::<Vec<_>>(), found);
        };
        let tables = shared.all_tables(ways + 1, &options).unwrap();
        let summary = TablesSummary::of(&tables, 5);
        compare(&["n_tables"], tables.len() as f64);
        for statistic in TableStatistic::ALL {
            if expected["mean"][r_name(statistic)].is_number() {
                compare(&["mean", r_name(statistic)], summary.mean(statistic).unwrap());
            }
        }
        for (place, name) in keys(&expected["worst"]).into_iter().enumerate() {
            assert_eq!(summary.worst[place].on, variables_of(name));
            compare(&["worst", name], summary.worst[place].s_pmse().unwrap());
        }
        for (place, name) in keys(&expected["var_scores"]).into_iter().enumerate() {
            assert_eq!(vec![summary.variables[place].variable.as_str()], variables_of(name));
            compare(&["var_scores", name], summary.variables[place].mean_s_pmse.unwrap());
        }
        for name in keys(&expected["per_table"]) {
            let found = tables.iter().find(|table| table.on == variables_of(name)).unwrap();
            compare_table(ledger, &["utility.tables", block, "per_table", name], found);
        }
    }
}
