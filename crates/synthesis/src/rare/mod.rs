//! What very few records have, kept out of what is learned from them.
//!
//! A level that one record has names it, and so does the largest income. Where a person has declared levels and ranges, they may occur in
//! synthetic data; where they were read off the records, their occurrence says that somebody has them. So before a method is fitted to
//! records under a learned schema,
//!
//! - a level that fewer than three records have is given up: its records get the level of another record, drawn from those with a level that is kept
//!   (all become `other` where no level is kept);
//! - numbers, days and times beyond the third largest or smallest are set to it, so that no value outside what three records reach is ever drawn;
//!   where one record alone has it, it is itself set to the middle between it and the next one inwards, as the others are;
//! - numbers, days and times of a variable that fewer than three records have at all become missing (the whole record is replaced where a rule names the variable).
//!
//! Where identifiers name units of several records ([`Units`]), all this is said of units: three units must have a level or reach a number. Their numbers
//! that hardly another unit has, such as a date of birth that stands in each of a patient's visits, give way to numbers near them (`near`).
//!
//! A variable that a rule, a formula or nesting ties to others is not changed alone: the whole record is replaced by another one.
//! The step is a function of the records, without chance from outside, and comes before every method, so that none has to know of it.
//! A declared schema switches it off. Tables of fewer than 30 records are left alone, since hardly a level would be kept: they
//! are too small to be synthesised from a learned schema at all.

mod extremes;
mod of_units;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rand::RngExt;
use table::figures::thousands;
use table::schema::{Kind, Levels, Origin, Schema};
use table::{Codes, Column, Table, Units, Variable};

use crate::SynthesisError;
use crate::near;
use crate::randomness::{Rng, Seed};
use extremes::{of_too_few, without_extremes};

/// What fewer records, or fewer units of several records, have is rare.
pub(crate) const FEWEST: usize = 3;

/// Smaller tables are left alone.
pub(crate) const SMALLEST: usize = 30;

/// The choice of donors needs no secret: it replaces values, and is the same for one table.
const DONORS: u64 = 0x646f_6e6f_7273;

/// Records to which a method may be fitted, and what was done to them.
pub struct Protected<'a> {
    /// The records.
    pub records: Cow<'a, Table>,
    /// What there is to say of it, without a value.
    pub remarks: Vec<String>,
}

/// What is done to one column.
struct Change {
    variable: Variable,
    column: Column,
    /// The records that are concerned.
    rows: Vec<u32>,
    /// Levels given up; 0 of a number.
    levels: usize,
}

/// The records without what very few of them have, where their schema was learned.
pub fn protect(records: &Table) -> Result<Protected<'_>, SynthesisError> {
    let schema = records.schema();
    if schema.declaration().is_some() || records.rows() < SMALLEST {
        return Ok(Protected { records: Cow::Borrowed(records), remarks: Vec::new() });
    }
    let tied = tied(schema);
    let units = Units::of(records);
    let mut rng = Seed::new(DONORS).stream(0);
    let mut variables = schema.variables().to_vec();
    let mut columns = records.columns().to_vec();
    let mut replaced: HashSet<u32> = HashSet::new();
    let mut levels: Vec<(String, usize)> = Vec::new();
    let mut numbers: Vec<(String, usize)> = Vec::new();
    let mut near: Vec<String> = Vec::new();
    for position in 0..variables.len() {
        let variable = &variables[position];
        if variable.origin != Origin::Learned || variable.formula.is_some() {
            continue;
        }
        let name = variable.name.clone();
        let is_tied = tied.contains(name.as_str());
        if let Some(change) = change(variable, &columns[position], is_tied, &units, &mut rng) {
            if change.levels > 0 {
                levels.push((name.clone(), change.levels));
            } else {
                numbers.push((name.clone(), change.rows.len()));
            }
            if is_tied {
                replaced.extend(&change.rows);
            }
            variables[position] = change.variable;
            columns[position] = change.column;
        }
        // Behind the extremes: numbers near an outlier would be drawn towards it.
        if !units.are_records()
            && !is_tied
            && let Some(column) = of_units::drawn_near(&columns[position], &units, &mut rng)
        {
            columns[position] = column;
            near.push(name.clone());
        }
    }
    if levels.is_empty() && numbers.is_empty() && near.is_empty() {
        return Ok(Protected { records: Cow::Borrowed(records), remarks: Vec::new() });
    }
    for variable in &mut variables {
        if let Some(kept) = variable.kind.levels().cloned() {
            variable.parents.retain(|level, _| kept.position(level).is_some());
        }
    }
    let schema = Schema::new(variables, schema.rules().to_vec(), schema.impossible().to_vec())?
        .with_unit(schema.unit())
        .with_missing_tokens(schema.missing_tokens().to_vec());
    let mut protected = Table::new(Arc::new(schema), columns)?;
    if !replaced.is_empty() {
        protected = with_records_replaced(&protected, &replaced, &mut rng)?;
    }
    let mut remarks = Vec::new();
    let noun = if units.are_records() {
        "records".to_owned()
    } else {
        let names = units.names().iter().map(|name| format!("`{name}`"));
        format!("units (told apart by {})", names.collect::<Vec<_>>().join(", "))
    };
    if !near.is_empty() {
        let names = near.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        remarks.push(format!(
            "{names}: most numbers are those of one of the {noun} or of a few, in each of its records, and would identify it; such a number is replaced by one near it, since the schema was \
             learned"
        ));
    }
    if !levels.is_empty() {
        remarks.push(format!(
            "levels that fewer than {FEWEST} {noun} have are not released, since the schema was learned: {}; declare a schema to keep them",
            listed(&levels, "level")
        ));
    }
    if !numbers.is_empty() {
        remarks.push(format!(
            "numbers beyond the {FEWEST}rd largest or smallest{} are set to it, or given up where fewer have one, since the schema was learned: {}; declare a schema to keep them",
            if units.are_records() { String::new() } else { format!(" of {noun}") },
            listed(&numbers, "value")
        ));
    }
    Ok(Protected { records: Cow::Owned(protected), remarks })
}

/// Variables that cannot be changed alone: those of rules, formulas, impossible cells and nesting.
fn tied(schema: &Schema) -> HashSet<&str> {
    let mut tied: HashSet<&str> = HashSet::new();
    for variable in schema.variables() {
        if let Some(formula) = &variable.formula {
            tied.extend(formula.variables());
        }
        if let Some(parent) = &variable.within {
            tied.extend([variable.name.as_str(), parent.as_str()]);
        }
    }
    for rule in schema.rules() {
        tied.extend(rule.when.variables());
        tied.extend(rule.then.variables());
    }
    schema.impossible().iter().for_each(|condition| tied.extend(condition.variables()));
    tied
}

fn change(
    variable: &Variable,
    column: &Column,
    is_tied: bool,
    units: &Units<'_>,
    rng: &mut Rng,
) -> Option<Change> {
    let changed = |kind: Kind| Variable { kind, ..variable.clone() };
    let too_few = match column {
        Column::Integer(numbers) => of_too_few(numbers, units),
        Column::Real(numbers) => of_too_few(numbers, units),
        Column::Date(days) => of_too_few(days, units),
        Column::Datetime(times) => of_too_few(times, units),
        Column::Categorical(_) | Column::Text(_) => None,
    };
    if let Some(rows) = too_few {
        if is_tied {
            return Some(Change { variable: variable.clone(), column: column.clone(), rows, levels: 0 });
        }
        let empty = Variable {
            missing: true,
            origin: variable.origin,
            ..Variable::new(&variable.name, Kind::Categorical { levels: Levels::default() })
        };
        let nothing = Codes::collect(1, std::iter::repeat_n(0, column.len()));
        return Some(Change {
            variable: empty,
            column: Column::Categorical(Arc::new(nothing)),
            rows,
            levels: 0,
        });
    }
    match (column, &variable.kind) {
        (Column::Categorical(codes), Kind::Categorical { levels } | Kind::Ordinal { levels }) => {
            let (levels_kept, codes, rows) =
                without_rare_levels(levels, codes, variable.missing, units, rng)?;
            let given_up = levels.len() - levels_kept.len();
            let kind = match variable.kind {
                Kind::Ordinal { .. } => Kind::Ordinal { levels: levels_kept },
                _ => Kind::Categorical { levels: levels_kept },
            };
            let column = Column::Categorical(Arc::new(codes));
            Some(Change { variable: changed(kind), column, rows, levels: given_up.max(1) })
        }
        (Column::Integer(numbers), Kind::Integer { range }) => {
            let (numbers, limits, rows) =
                without_extremes(numbers, units, i64::cmp, |one, other| one.midpoint(other))?;
            let kind = Kind::Integer { range: range.map(|_| limits) };
            Some(Change { variable: changed(kind), column: Column::Integer(numbers), rows, levels: 0 })
        }
        (Column::Real(numbers), Kind::Real { range }) => {
            let middle = |one: f64, other: f64| near::rounded_like(numbers.values(), one.midpoint(other));
            let (numbers, limits, rows) = without_extremes(numbers, units, f64::total_cmp, middle)?;
            let kind = Kind::Real { range: range.map(|_| limits) };
            Some(Change { variable: changed(kind), column: Column::Real(numbers), rows, levels: 0 })
        }
        (Column::Date(days), Kind::Date { range, format }) => {
            let (days, limits, rows) =
                without_extremes(days, units, i32::cmp, |one, other| one.midpoint(other))?;
            let kind = Kind::Date { range: range.map(|_| limits), format: *format };
            Some(Change { variable: changed(kind), column: Column::Date(days), rows, levels: 0 })
        }
        (Column::Datetime(times), Kind::Datetime { range, format }) => {
            // A time is written in whole seconds, minutes or thousandths: the middle of two is rounded like them.
            let step = of_units::common_step(times.values());
            let middle = |one: i64, other: i64| one.midpoint(other).div_euclid(step) * step;
            let (times, limits, rows) = without_extremes(times, units, i64::cmp, middle)?;
            let kind = Kind::Datetime { range: range.map(|_| limits), format: *format };
            Some(Change { variable: changed(kind), column: Column::Datetime(times), rows, levels: 0 })
        }
        _ => None,
    }
}

/// The levels that are kept, the codes among them, and the records whose level was given up; `None` if all are kept.
fn without_rare_levels(
    levels: &Levels,
    codes: &Codes,
    missing: bool,
    units: &Units<'_>,
    rng: &mut Rng,
) -> Option<(Levels, Codes, Vec<u32>)> {
    let counts = codes.frequencies(levels.len() + 1);
    let having = units.of_groups(codes, levels.len() + 1, FEWEST);
    let (counts, having) = (&counts[..levels.len()], &having[..levels.len()]);
    if having.iter().all(|units| *units >= FEWEST) {
        return None;
    }
    let is_rare = |code: u32| having.get(code as usize).is_some_and(|units| *units < FEWEST);
    let kept: Vec<u32> = (0..levels.len() as u32).filter(|code| !is_rare(*code)).collect();
    let rows: Vec<u32> =
        codes.iter().enumerate().filter(|(_, code)| is_rare(*code)).map(|(row, _)| row as u32).collect();
    let names: Vec<&str> = if kept.is_empty() && !rows.is_empty() {
        vec!["other"]
    } else {
        kept.iter().filter_map(|code| levels.get(*code)).collect()
    };
    let new_levels = Levels::new(names).unwrap_or_default();
    let above = new_levels.len() as u32;
    let mut new_code = vec![above; levels.len() + 1];
    kept.iter().enumerate().for_each(|(new, old)| new_code[*old as usize] = new as u32);
    let donors: Vec<u64> = kept
        .iter()
        .scan(0, |total, code| {
            *total += counts[*code as usize];
            Some(*total)
        })
        .collect();
    let total = donors.last().copied().unwrap_or(0);
    let recoded: Vec<u32> = codes
        .iter()
        .map(|code| {
            if !is_rare(code) {
                return new_code[code as usize];
            }
            if total == 0 {
                return 0;
            }
            let drawn = rng.random_range(0..total);
            donors.partition_point(|up_to| *up_to <= drawn) as u32
        })
        .collect();
    let cardinality = (new_levels.len() + usize::from(missing)).max(1);
    Some((new_levels, Codes::collect(cardinality, recoded), rows))
}

/// The records with some of them replaced by others, drawn at random.
fn with_records_replaced(
    records: &Table,
    replaced: &HashSet<u32>,
    rng: &mut Rng,
) -> Result<Table, SynthesisError> {
    let donors: Vec<u32> = (0..records.rows() as u32).filter(|row| !replaced.contains(row)).collect();
    if donors.is_empty() {
        let message =
            "every record has a rare level or an extreme number in a variable of a rule; declare a schema";
        return Err(SynthesisError::Rules(message.into()));
    }
    let rows: Vec<u32> = (0..records.rows() as u32)
        .map(|row| if replaced.contains(&row) { donors[rng.random_range(0..donors.len())] } else { row })
        .collect();
    Ok(records.take(&rows)?)
}

/// "2 levels of `a`, 1 level of `b`", of the first few variables.
fn listed(counts: &[(String, usize)], noun: &str) -> String {
    const SHOWN: usize = 6;
    let one = |(name, count): &(String, usize)| {
        let plural = if *count == 1 { "" } else { "s" };
        format!("{} {noun}{plural} of `{name}`", thousands(*count as u64))
    };
    let mut text = counts.iter().take(SHOWN).map(one).collect::<Vec<_>>().join(", ");
    if counts.len() > SHOWN {
        let rest: usize = counts[SHOWN..].iter().map(|(_, count)| count).sum();
        text.push_str(&format!(", {} of {} more variables", thousands(rest as u64), counts.len() - SHOWN));
    }
    text
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;
    use table::write::csv_text;

    use super::*;

    fn people(schema: Option<&str>) -> Table {
        let row = |i: usize| match i {
            17 => "cholera,40.1,2001-01-05".to_owned(),
            18 => "flu,987654.31,2001-01-06".to_owned(),
            19 => "flu,-5.5,1850-01-01".to_owned(),
            _ => format!("{},{}.5,2001-01-{:02}", ["flu", "none"][i % 2], 20 + i % 30, 1 + i % 28),
        };
        let rows: Vec<String> = (0..200).map(row).collect();
        let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
        let options = ReadOptions { schema, ..ReadOptions::default() };
        read_csv_text(&format!("illness,fee,seen\n{}\n", rows.join("\n")), &options).unwrap()
    }

    #[test]
    fn a_level_of_one_record_and_the_extremes_are_given_up() {
        let original = people(None);
        let protected = protect(&original).unwrap();
        let text = csv_text(&protected.records) + &protected.records.schema().to_toml();
        for canary in ["cholera", "987654.31", "-5.5", "1850"] {
            assert!(csv_text(&original).contains(canary) && !text.contains(canary), "{canary}");
        }
        assert!(protected.records.violations().unwrap().is_empty());
        let remarks = protected.remarks.join("\n");
        assert!(remarks.contains("1 level of `illness`") && remarks.contains("of `fee`"), "{remarks}");
        assert!(!remarks.contains("cholera"), "{remarks}");
        let changed = (0..200)
            .filter(|row| original.columns()[1].number(*row) != protected.records.columns()[1].number(*row));
        assert!(changed.count() <= 2 * FEWEST, "at most three at either end");
    }

    #[test]
    fn a_declared_schema_keeps_all() {
        let schema = "[table]\ndeclared = true\nreason = \"code book\"\n[variables.illness]\nkind = \"categorical\"\n\
                      levels = [\"cholera\", \"flu\", \"none\"]\n[variables.fee]\nkind = \"real\"\n[variables.seen]\nkind = \"date\"\n";
        let original = people(Some(schema));
        assert!(matches!(protect(&original).unwrap().records, Cow::Borrowed(_)));
        let undeclared = people(Some(&schema.replace("declared = true", "declared = false")));
        assert!(protect(&undeclared).unwrap().remarks.is_empty(), "what a person wrote is theirs to release");
    }

    #[test]
    fn records_under_rules_are_replaced_whole() {
        let schema = "[variables.illness]\nkind = \"categorical\"\n[variables.fee]\nkind = \"real\"\ndomain = \"learned\"\n[variables.seen]\nkind = \"date\"\n\
                      [[rules]]\nwhen = \"illness = 'flu'\"\nthen = \"fee > -10\"\n";
        let original = people(Some(schema));
        let protected = protect(&original).unwrap();
        assert!(protected.records.violations().unwrap().is_empty());
        let text = csv_text(&protected.records);
        assert!(!text.contains("cholera") && !text.contains("987654.31") && !text.contains("1850"), "{text}");
    }

    #[test]
    fn where_no_level_is_kept_all_become_one() {
        let rows: Vec<String> = (0..60).map(|i| format!("a{},x", i / 2 % 30)).collect();
        let table = read_csv_text(&format!("v,w\n{}\n", rows.join("\n")), &ReadOptions::default()).unwrap();
        let protected = protect(&table).unwrap();
        assert_eq!(
            protected.records.schema().variables()[0].kind.levels().unwrap().iter().collect::<Vec<_>>(),
            ["other"]
        );
    }

    /// 150 patients with four visits each: one of them lives in a place of their own and has a fee and a time beyond all others; every date of birth stands in
    /// each visit of its patient.
    fn visits() -> Table {
        let visit = |i: usize| {
            let patient = i / 4;
            let (place, fee, at) = match patient {
                7 => ("Nowhere", 98_765 + i, 2031),
                _ => (["Here", "There"][patient % 2], 100 + i % 90, 2001),
            };
            let (year, month, day) = (1930 + patient * 37 % 70, 1 + patient * 5 % 12, 1 + patient * 11 % 28);
            format!(
                "P{:06}-{},{year}-{month:02}-{day:02},{place},{fee},{at}-01-{:02}T10:{:02}:00",
                patient * 6007 % 900_000,
                patient % 10,
                1 + i % 28,
                i % 60
            )
        };
        let rows: Vec<String> = (0..600).map(visit).collect();
        let text = format!("patient,born,place,fee,seen\n{}\n", rows.join("\n"));
        read_csv_text(&text, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn what_one_patient_has_in_several_visits_is_given_up() {
        let original = visits();
        assert!(matches!(original.schema().variables()[0].kind, Kind::TextId));
        let protected = protect(&original).unwrap();
        let columns = &["born", "place", "fee", "seen"];
        let (before, after) = (original.select(columns).unwrap(), protected.records.select(columns).unwrap());
        let text = csv_text(&after) + &after.schema().to_toml();
        for canary in ["Nowhere", "9879", "2031"] {
            assert!(csv_text(&before).contains(canary) && !text.contains(canary), "{canary}");
        }
        let births = |table: &Table| -> Vec<String> {
            csv_text(table).lines().skip(1).map(|line| line[..10].to_owned()).collect()
        };
        let known: HashSet<String> = births(&before).into_iter().collect();
        let met = births(&after).iter().filter(|birth| known.contains(*birth)).count();
        assert!(met < 30, "{met} of 600 dates of birth are real");
        let remarks = protected.remarks.join("\n");
        assert!(remarks.contains("told apart by `patient`") && remarks.starts_with("`born`"), "{remarks}");
        assert!(!remarks.contains("Nowhere"), "{remarks}");
        assert!(protected.records.violations().unwrap().is_empty());
    }

    /// Two of 60 records have a compensation, and nobody else has one.
    #[test]
    fn numbers_that_fewer_than_three_have_become_missing() {
        let row =
            |i: usize| format!("{},{}", i % 7, if i < 2 { (98_765 + i).to_string() } else { String::new() });
        let rows: Vec<String> = (0..60).map(row).collect();
        let text = format!("age,compensation\n{}\n", rows.join("\n"));
        let original = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let protected = protect(&original).unwrap();
        assert_eq!((original.missing(1), protected.records.missing(1)), (58, 60));
        let text = csv_text(&protected.records) + &protected.records.schema().to_toml();
        assert!(!text.contains("9876"), "{text}");
        assert!(protected.records.violations().unwrap().is_empty());
    }
}
