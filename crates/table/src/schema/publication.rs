//! A draft of a schema that does not show what very few records have.
//!
//! Ranges are rounded outwards, to numbers of the form 1, 2 or 5 times a power of ten and to decades of years. Levels that fewer than [`FEWEST`] records have (or fewer
//! units, where identifiers name units of several records) are left out, and an entry that starts with [`GAP`] stands in their place: a schema with it is refused, so that somebody has to look the levels up in the code book.

use super::{GAP, Identifier, Kind, Levels, Schema, Variable};
use crate::date::DateFormat;
use crate::{Column, Table, Units};

/// What fewer records have is left out.
const FEWEST: u64 = 3;

const DAY: i64 = 86_400_000_000;

impl Schema {
    /// The same schema, for a table of these variables, without what very few records have. It cannot be read while levels are left open.
    pub fn for_publication(&self, table: &Table) -> Self {
        let units = Units::of(table);
        self.for_publication_by(|variable| match (table.column(&variable.name), variable.kind.levels()) {
            (Ok(Column::Categorical(codes)), Some(levels)) => {
                let having = units.of_groups(codes, levels.len() + 1, FEWEST as usize);
                Some(having.into_iter().map(|units| units as u64).collect())
            }
            _ => None,
        })
    }

    /// The same, where `counts` says how many records have each level of a variable.
    pub(crate) fn for_publication_by(&self, counts: impl Fn(&Variable) -> Option<Vec<u64>>) -> Self {
        let variables = self.variables.iter().map(|variable| without_rare(variable, counts(variable)));
        Self { variables: variables.collect(), ..self.clone() }
    }
}

fn without_rare(variable: &Variable, counts: Option<Vec<u64>>) -> Variable {
    let mut variable = variable.clone();
    // How often values repeat is exact; a person who knows it writes it down.
    variable.identifier = Identifier { records_per_value: Default::default(), ..variable.identifier };
    match &mut variable.kind {
        Kind::Categorical { levels } | Kind::Ordinal { levels } => {
            if let Some(counts) = counts {
                let kept = levels.iter().zip(&counts).filter(|(_, count)| **count >= FEWEST);
                let kept: Vec<String> = kept.map(|(level, _)| level.to_owned()).collect();
                if kept.len() < levels.len() {
                    let gap =
                        format!("{GAP}: the levels of the code book that fewer than {FEWEST} records have");
                    variable.parents.retain(|level, _| kept.contains(level));
                    *levels = Levels::new(kept.into_iter().chain([gap])).unwrap_or_default();
                }
            }
        }
        Kind::Integer { range: Some((low, high)) } => {
            *low = outwards(*low as f64, false).max(-9e15) as i64;
            *high = outwards(*high as f64, true).min(9e15) as i64;
        }
        Kind::Real { range: Some((low, high)) } => {
            (*low, *high) = (outwards(*low, false), outwards(*high, true));
        }
        Kind::Date { range: Some((first, last)), .. } => {
            (*first, *last) = (decade(*first, false), decade(*last, true));
        }
        Kind::Datetime { range: Some((first, last)), .. }
            if (0..DAY).contains(first) && (0..DAY).contains(last) =>
        {
            (*first, *last) = (0, DAY - 1);
        }
        Kind::Datetime { range: Some((first, last)), .. } => {
            let day = |time: i64| time.div_euclid(DAY) as i32;
            *first = i64::from(decade(day(*first), false)) * DAY;
            *last = i64::from(decade(day(*last), true)) * DAY;
        }
        _ => {}
    }
    variable.labelling = variable.labelling.of_kind(&variable.kind);
    variable
}

/// The nearest of 0 and ±1, ±2, ±5 times powers of ten that is not below (or not above) a number.
fn outwards(number: f64, up: bool) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return 0.0;
    }
    let larger = up == (number > 0.0);
    let size = number.abs();
    let power = size.log10().floor() as i32;
    let candidates =
        (power - 1..=power + 1).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| times_power(digit, power)));
    let rounded = if larger {
        candidates.filter(|candidate| *candidate >= size).fold(f64::INFINITY, f64::min)
    } else {
        candidates.filter(|candidate| *candidate <= size).fold(0.0, f64::max)
    };
    rounded.copysign(number)
}

fn times_power(digit: f64, power: i32) -> f64 {
    if power < 0 { digit / 10_f64.powi(-power) } else { digit * 10_f64.powi(power) }
}

/// The first or last day of the decade of a day.
fn decade(day: i32, last: bool) -> i32 {
    let text = DateFormat::Iso.format(day);
    let Some(year) = text.get(..4).and_then(|year| year.parse::<i32>().ok()) else { return day };
    let year = year - year % 10 + if last { 9 } else { 0 };
    let end = if last { "12-31" } else { "01-01" };
    DateFormat::Iso.parse(&format!("{year:04}-{end}")).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::SchemaFile;

    #[test]
    fn ranges_go_outwards_to_round_numbers() {
        let up =
            [(93.0, 100.0), (100.0, 100.0), (-17.0, -10.0), (0.3, 0.5), (0.0, 0.0), (51_234.0, 100_000.0)];
        assert!(up.iter().all(|(number, round)| outwards(*number, true) == *round));
        let down = [(93.0, 50.0), (17.0, 10.0), (-17.0, -20.0), (0.3, 0.2), (1.0, 1.0)];
        assert!(down.iter().all(|(number, round)| outwards(*number, false) == *round));
        let day = |text: &str| DateFormat::Iso.parse(text).unwrap();
        assert_eq!(decade(day("1987-05-04"), false), day("1980-01-01"));
        assert_eq!(decade(day("1987-05-04"), true), day("1989-12-31"));
    }

    #[test]
    fn rare_levels_leave_a_gap_that_is_refused_until_it_is_filled() {
        let text = format!("town,age\n{}zz,37\nzz,38\n", "aa,21\nbb,64\n".repeat(20));
        let table = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let draft = table.schema().for_publication(&table).to_toml();
        assert!(!draft.contains("zz") && draft.contains("range = [20, 100]"), "{draft}");
        let declared =
            draft.replace("declared = false", "declared = true").replace("reason = \"\"", "reason = \"x\"");
        let error = SchemaFile::parse(&declared).unwrap().finish().unwrap_err().to_string();
        assert!(error.contains("`town`") && error.contains("gap"), "{error}");
        let start = declared.find(", \"FILL IN").unwrap();
        let end = start + declared[start..].find(']').unwrap();
        let filled = format!("{}, \"zz\"{}", &declared[..start], &declared[end..]);
        assert!(SchemaFile::parse(&filled).unwrap().finish().is_ok());
    }
}
