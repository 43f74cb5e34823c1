//! What SAS's formats say of numbers.

use crate::Meaning;

const DATES: &[&str] = &[
    "DATE", "DAY", "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP", "DDMMYYS", "DOWNAME",
    "JULIAN", "JULDAY", "MMDDYY", "MMDDYYB", "MMDDYYC", "MMDDYYD", "MMDDYYN", "MMDDYYP", "MMDDYYS", "MMYY",
    "MMYYC", "MMYYD", "MMYYN", "MMYYP", "MMYYS", "MONNAME", "MONYY", "WEEKDATE", "WEEKDATX", "WORDDATE",
    "WORDDATX", "YYMM", "YYMMC", "YYMMD", "YYMMN", "YYMMP", "YYMMS", "YYMMDD", "YYMMDDB", "YYMMDDC",
    "YYMMDDD", "YYMMDDN", "YYMMDDP", "YYMMDDS", "YYMON", "YYQ", "E8601DA", "B8601DA", "IS8601DA", "EURDFDE",
    "NLDATE", "MINGUO",
];
const TIMES: &[&str] =
    &["DATETIME", "DATEAMPM", "DTDATE", "E8601DT", "B8601DT", "IS8601DT", "MDYAMPM", "NLDATM", "YMDDTTM"];
const TIMES_OF_DAY: &[&str] =
    &["TIME", "TIMEAMPM", "TOD", "HHMM", "E8601TM", "B8601TM", "IS8601TM", "NLTIME"];

/// What numbers in a format such as `DATE9.` are.
pub(super) fn meaning(format: &str) -> Meaning {
    let name = format
        .trim_end_matches(|character: char| character.is_ascii_digit() || character == '.')
        .to_ascii_uppercase();
    let is_of = |names: &[&str]| names.contains(&name.as_str());
    if is_of(DATES) {
        Meaning::Date
    } else if is_of(TIMES) {
        Meaning::Datetime
    } else if is_of(TIMES_OF_DAY) {
        Meaning::TimeOfDay
    } else {
        Meaning::Number
    }
}
