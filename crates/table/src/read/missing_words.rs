//! Columns of numbers or dates in which a word such as NA stands where one is missing, as R, pandas and SAS write them.
//!
//! Read by the letter, one such word makes text of a whole column: incomes become levels, or names of units, and no method
//! can do with them what it does with numbers. So where no schema says what a column is, and everything but a few words that mean nothing else is a
//! number in its ordinary form, or all are dates of one form, the words are read as missing. The variable keeps them in `missing_tokens`, so that a draft of the schema says it,
//! and `describe` and `synth` tell. In a column of texts the same words stay levels: NA may be Namibia. `-`, `none` and `unknown` are left to the user: the first two may mean
//! zero.

use std::sync::Arc;

use super::csv::ordinary_number;
use super::learn;
use super::pieces::Piece;
use crate::codes::Codes;
use crate::column::{Column, EXACT, Entry, Numbers, TextColumn};
use crate::schema::{DecimalMark, Kind, Schema, Variable};
use crate::{Table, TableError};

/// What means that a value is missing, and nothing else, where all other values are numbers or dates.
const WORDS: [&str; 17] = [
    "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NAN", "NULL", "Null", "null", "<NA>", "NaT", ".", "?",
    "missing", "Missing",
];

/// Whether a text among numbers or dates says that one is missing.
pub(super) fn is_missing_word(text: &str) -> bool {
    WORDS.contains(&text)
}

/// The table with numbers and dates of the columns that hold nothing else but words for missing.
pub(super) fn set_apart(table: Table) -> Result<Table, TableError> {
    let decimal = table.schema().decimal();
    let variables = table.schema().variables();
    let found: Vec<Option<(Variable, Column)>> = variables
        .iter()
        .zip(table.columns())
        .map(|(variable, column)| match column {
            Column::Categorical(codes) => {
                let levels: Vec<&str> = variable.kind.levels()?.iter().collect();
                numbers_or_dates(variable, &levels, codes, decimal)
            }
            Column::Text(text) => {
                let texts: Vec<&str> = text.dictionary.iter().map(String::as_str).collect();
                numbers_or_dates(variable, &texts, &text.codes, decimal)
            }
            _ => None,
        })
        .collect();
    if found.iter().all(Option::is_none) {
        return Ok(table);
    }
    let (schema, mut columns) = table.into_parts();
    let mut variables = schema.variables().to_vec();
    for (position, changed) in found.into_iter().enumerate() {
        let Some((variable, column)) = changed else { continue };
        variables[position] = variable;
        columns[position] = column;
    }
    Table::new(Arc::new(Schema::new(variables, Vec::new(), Vec::new())?.with_decimal(decimal)), columns)
}

/// The variable and its values, if all of these texts but words for missing are numbers, or dates, and there are such words.
fn numbers_or_dates(
    variable: &Variable,
    texts: &[&str],
    codes: &Codes,
    decimal: DecimalMark,
) -> Option<(Variable, Column)> {
    let is_word = |text: &&str| is_missing_word(text);
    let words: Vec<String> =
        texts.iter().filter(|text| is_word(text)).map(|word| (*word).to_owned()).collect();
    if words.is_empty() || words.len() == texts.len() {
        return None;
    }
    let others = || texts.iter().filter(|text| !is_word(text));
    let value = |text: &&str| if is_word(text) { None } else { ordinary_number(text, decimal) };
    let piece = if others().all(|text| value(text).is_some()) {
        let numbers: Vec<Option<f64>> = texts.iter().map(value).collect();
        let mut column = Numbers::with_capacity(codes.len());
        for code in codes.iter() {
            column.push(numbers.get(code as usize).copied().flatten().map_or(Entry::Missing, Entry::Value));
        }
        Piece::Real(column)
    } else {
        Piece::Text(without(&words, texts, codes))
    };
    let (kind, column) = learn::kind_and_column(piece);
    let is_exact = |numbers: &Numbers<i64>| numbers.values().all(|value| value.unsigned_abs() <= EXACT);
    let is_wanted = match (&kind, &column) {
        (Kind::Integer { .. }, Column::Integer(numbers)) => is_exact(numbers),
        (Kind::Real { .. } | Kind::Date { .. } | Kind::Datetime { .. }, _) => true,
        _ => false,
    };
    let variable = Variable { kind, missing: true, missing_tokens: words, stored: None, ..variable.clone() };
    is_wanted.then_some((variable, column))
}

/// The texts without these words, which become missing.
fn without(words: &[String], texts: &[&str], codes: &Codes) -> TextColumn {
    let kept: Vec<&str> =
        texts.iter().copied().filter(|text| !words.iter().any(|word| word == text)).collect();
    let mut new = 0;
    let mut new_code = vec![kept.len() as u32; texts.len() + 1];
    for (code, text) in texts.iter().enumerate() {
        if !words.iter().any(|word| word == text) {
            new_code[code] = new;
            new += 1;
        }
    }
    TextColumn {
        codes: codes.recode(&new_code, kept.len() + 1),
        dictionary: kept.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::{Kind, SchemaFile};
    use crate::write::csv_text;

    fn read(text: &str) -> crate::Table {
        read_csv_text(text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn numbers_and_dates_with_words_for_missing_are_numbers_and_dates() {
        let rows: Vec<String> = (0..60)
            .map(|row| {
                let word = |every: usize, word: &str, value: String| {
                    if row % every == 0 { word.to_owned() } else { value }
                };
                format!(
                    "{},{},{},{},{}",
                    word(7, "NA", format!("{}.25", 1000 + 17 * row)),
                    word(5, ".", (row % 9).to_string()),
                    word(6, "NULL", format!("2001-02-{:02}", 1 + row % 28)),
                    word(4, "NaT", format!("2001-02-03 04:{:02}", row % 60)),
                    word(3, "NA", ["DE", "FR"][row % 2].to_owned())
                )
            })
            .collect();
        let table = read(&format!("income,rooms,seen,at,country\n{}\n", rows.join("\n")));
        let variable = |name: &str| table.schema().variable(name).unwrap();
        assert!(
            matches!(variable("income").kind, Kind::Real { range: Some((1017.25, _)) }),
            "{:?}",
            variable("income").kind
        );
        assert_eq!(variable("income").missing_tokens, ["NA"]);
        assert!(matches!(variable("rooms").kind, Kind::Integer { range: Some((0, 8)) }));
        assert!(matches!(variable("seen").kind, Kind::Date { .. }));
        assert!(matches!(variable("at").kind, Kind::Datetime { .. }));
        assert_eq!(variable("country").kind.levels().unwrap().len(), 3, "NA may be a country");
        assert_eq!([0, 1, 2, 3, 4].map(|column| table.missing(column)), [9, 12, 10, 15, 0]);
        // The draft of the schema reads the same table again.
        let draft = SchemaFile::parse(&table.schema().to_toml()).unwrap();
        let again = read_csv_text(
            &format!("income,rooms,seen,at,country\n{}\n", rows.join("\n")),
            &ReadOptions { schema: Some(draft), ..ReadOptions::default() },
        );
        assert_eq!(csv_text(&again.unwrap()), csv_text(&table));
    }

    #[test]
    fn texts_and_codes_and_words_that_may_mean_zero_stay_texts() {
        let column = |values: [&str; 4]| {
            let rows: Vec<&str> = values.iter().copied().cycle().take(40).collect();
            read(&format!(
                "v,w\n{}\n",
                rows.iter().map(|row| format!("{row},x")).collect::<Vec<_>>().join("\n")
            ))
        };
        for values in [
            ["007", "011", "NA", "003"],
            ["1", "2", "-", "3"],
            ["1", "2", "none", "3"],
            ["NA", "NULL", "NA", "NA"],
            ["1", "x", "NA", "3"],
        ] {
            let table = column(values);
            assert!(matches!(table.schema().variables()[0].kind, Kind::Categorical { .. }), "{values:?}");
        }
        let long = column(["12345678901234567890", "2", "NA", "3"]);
        assert!(!matches!(long.schema().variables()[0].kind, Kind::Real { .. } | Kind::Integer { .. }));
    }
}
