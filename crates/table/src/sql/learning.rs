//! What a table in an engine is: the schema that its columns show, and its profile. Of each column the different values are counted there, up to a limit; records never come here.

use arrow_schema::{DataType, TimeUnit};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::condition::Columns;
use super::table::{count, is_counted_as_number, numbers};
use super::{Answer, ColumnType, Engine, EngineColumn, SqlTable};
use crate::domain::{ClassRule, Partition};
use crate::profile::{GroupsOfSize, KeyProfile, Profile, VariableProfile, extreme};
use crate::streamed::learning::{Counted, MOST_LEVELS, Seen, ordered, schema};
use crate::{Attributes, CountSource, Grouping, Kind, Remembered, Schema, TableError, Variable};

/// How many of the smallest groups of records with equal keys are shown.
const SIZES_SHOWN: usize = 5;

/// What a table in an engine is.
#[derive(Clone, Debug)]
pub struct SqlProfile {
    /// Every variable, and the cross-table.
    pub profile: Profile,
    /// The schema that was given, or else the one that the columns show.
    pub schema: Schema,
    /// The same without what very few records have.
    pub for_publication: Schema,
    /// Columns that were not looked at, with their types.
    pub left_out: Vec<(String, String)>,
}

impl SqlProfile {
    /// Describes the table with this path, under a schema or else that which its columns show, and its records' risk on `keys` if there are any.
    pub fn of(
        engine: Box<dyn Engine>,
        path: &[String],
        given: Option<Schema>,
        keys: &[String],
    ) -> Result<Self, TableError> {
        let from = engine.dialect().table_of_parts(path.iter().map(String::as_str))?;
        let columns = engine.columns(&from)?;
        let other = |column: &EngineColumn| match &column.holds {
            ColumnType::Other(name) => Some((column.name.clone(), name.clone())),
            _ => None,
        };
        let left_out: Vec<(String, String)> = match &given {
            None => columns.iter().filter_map(other).collect(),
            Some(_) => Vec::new(),
        };
        let schema = match given {
            Some(schema) => schema,
            None => learned(engine.as_ref(), &from, &columns)?,
        };
        let table = SqlTable::open(engine, path, schema)?;
        let (profile, levels) = table.profile(&columns, keys)?;
        let for_publication =
            table.schema().for_publication_by(|variable| levels.get(&variable.name).cloned());
        Ok(Self { profile, schema: table.schema().clone(), for_publication, left_out })
    }
}

/// The schema that the columns show.
fn learned(engine: &dyn Engine, from: &str, columns: &[EngineColumn]) -> Result<Schema, TableError> {
    let known: Vec<&EngineColumn> =
        columns.iter().filter(|column| !matches!(column.holds, ColumnType::Other(_))).collect();
    let names: Vec<String> = known.iter().map(|column| column.name.clone()).collect();
    let held: Vec<DataType> = known.iter().map(|column| held(&column.holds)).collect();
    let seen = known.iter().map(|column| seen(engine, from, column)).collect::<Result<Vec<_>, _>>()?;
    schema(&names, &held, seen, None)
}

/// The type in which a file would hold such a column.
fn held(holds: &ColumnType) -> DataType {
    match holds {
        ColumnType::Text | ColumnType::Other(_) => DataType::Utf8,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Whole => DataType::Int64,
        ColumnType::Real => DataType::Float64,
        ColumnType::Date => DataType::Date32,
        ColumnType::Timestamp { universal } => {
            DataType::Timestamp(TimeUnit::Microsecond, universal.then(|| "UTC".into()))
        }
        ColumnType::Time => DataType::Time64(TimeUnit::Microsecond),
    }
}

/// The different values of a column with their frequencies, as far as there are not too many.
fn seen(engine: &dyn Engine, from: &str, column: &EngineColumn) -> Result<Seen, TableError> {
    let dialect = engine.dialect();
    let quoted = dialect.quoted(&column.name)?;
    let limit = MOST_LEVELS + 1;
    let Some(kind) = is_counted_as_number(&column.holds) else {
        let query = format!(
            "SELECT {} AS c1, COUNT(*) AS n FROM {from} GROUP BY c1 LIMIT {limit}",
            dialect.text(&quoted)
        );
        let (mut counts, mut missing) = (FxHashMap::default(), 0);
        engine.query(&query, &mut |row| {
            match row.as_slice() {
                [Answer::Text(text), n] if !text.is_empty() => {
                    *counts.entry(text.clone()).or_default() += count(n)?;
                }
                [_, n] => missing += count(n)?,
                _ => {}
            }
            Ok(())
        })?;
        let is_full = counts.len() > MOST_LEVELS - 1;
        return Ok(Seen::counted_texts(counts, is_full, missing));
    };
    let what = match column.holds {
        ColumnType::Whole => Counted::Whole,
        ColumnType::Date => Counted::Day,
        ColumnType::Timestamp { .. } | ColumnType::Time => Counted::Time,
        _ => Counted::Real,
    };
    // Whole numbers are handed over as they are, so that no digit of a long one is lost.
    let x = match what {
        Counted::Whole => format!("CAST({quoted} AS BIGINT)"),
        _ => dialect.number(&Variable::new(&column.name, kind))?,
    };
    let key = |answer: &Answer| match (answer, what) {
        (Answer::Class(value), Counted::Real) => Some(ordered(*value as f64)),
        (Answer::Class(value), _) => Some(*value),
        (Answer::Number(value), Counted::Real) => Some(ordered(*value)),
        (Answer::Number(value), _) => Some(*value as i64),
        (Answer::Null | Answer::Text(_), _) => None,
    };
    let (mut present, mut missing, mut extremes) = (0, 0, None);
    engine.query(&format!("SELECT COUNT({x}), COUNT(*), MIN({x}), MAX({x}) FROM {from}"), &mut |row| {
        if let [with, all, low, high] = row.as_slice() {
            present = count(with)?;
            missing = count(all)? - present;
            extremes = key(low).zip(key(high));
        }
        Ok(())
    })?;
    let mut counts = FxHashMap::default();
    let query = format!(
        "SELECT {x} AS c1, COUNT(*) AS n FROM {from} WHERE {x} IS NOT NULL GROUP BY c1 LIMIT {limit}"
    );
    engine.query(&query, &mut |row| {
        if let [value, n] = row.as_slice()
            && let Some(value) = key(value)
        {
            *counts.entry(value).or_default() += count(n)?;
        }
        Ok(())
    })?;
    let is_full = counts.len() > MOST_LEVELS;
    Ok(Seen::counted_numbers(what, counts, is_full, (present, missing), extremes))
}

impl SqlTable {
    /// The profile, and how many records have each level of each variable that has levels.
    fn profile(
        &self,
        columns: &[EngineColumn],
        keys: &[String],
    ) -> Result<(Profile, IndexMap<String, Vec<u64>>), TableError> {
        let counts = Remembered::new(self.counts_in(self.domain(Grouping::default().groups)?));
        let (domain, all) = (counts.domain(), Attributes::all(counts.domain()));
        let sizes = counts.cell_sizes(&all)?;
        let cells: num_bigint::BigUint =
            domain.sizes(&all).into_iter().map(num_bigint::BigUint::from).product();
        let occupied: u64 = sizes.values().sum();
        let records = self.records();
        let singles: Vec<Attributes> =
            (0..domain.variables().len()).map(|position| Attributes::new([position])).collect();
        let margins = counts.margins(&singles)?;
        let mut levels = IndexMap::new();
        let mut variables = Vec::new();
        for variable in self.schema().variables() {
            let position = domain.position_of(&variable.name).ok();
            let margin = position.map(|position| (&domain.variables()[position], margins[position].counts()));
            if let (Some(known), Some((_, counts))) = (variable.kind.levels(), &margin) {
                levels.insert(variable.name.clone(), counts[..known.len()].to_vec());
            }
            variables.push(self.variable(variable, columns, margin)?);
        }
        let profile = Profile {
            rows: records,
            columns: self.schema().variables().len(),
            empty_cells_share: 1.0
                - occupied as f64 / cells.to_string().parse::<f64>().unwrap_or(f64::INFINITY),
            cells: cells.to_string(),
            unique_share: sizes.get(&1).copied().unwrap_or(0) as f64 / records as f64,
            sampled: None,
            variables,
            keys: if keys.is_empty() { None } else { Some(self.keys(keys)?) },
            violations: Vec::new(),
        };
        Ok((profile, levels))
    }

    fn variable(
        &self,
        variable: &Variable,
        columns: &[EngineColumn],
        margin: Option<(&crate::Classes, &[u64])>,
    ) -> Result<VariableProfile, TableError> {
        let there = Columns { dialect: self.engine().dialect(), schema: self.schema() };
        let value = match variable.kind.is_numeric() {
            true => there.number(variable, false)?,
            false => there.present_text(variable)?,
        };
        let from = self.from();
        let distinct = match (variable.kind.levels(), margin) {
            (Some(levels), Some((_, counts))) => {
                counts[..levels.len()].iter().filter(|count| **count > 0).count() as u64
            }
            _ => {
                let query = format!(
                    "SELECT COUNT(*) FROM (SELECT DISTINCT {value} AS x FROM {from} WHERE ({value}) IS NOT NULL) AS q"
                );
                self.one_count(&query)?
            }
        };
        let missing = match margin {
            Some((classes, counts)) => classes.missing_class().map_or(0, |class| counts[class as usize]),
            None => self.one_count(&format!("SELECT COUNT(*) FROM {from} WHERE ({value}) IS NULL"))?,
        };
        let codes = match margin {
            Some((classes, counts)) => {
                let of_codes = counts[classes.partition().len()..].iter().copied();
                variable.codes.iter().map(|code| code.value.to_string()).zip(of_codes).collect()
            }
            None => IndexMap::new(),
        };
        let extremes = match variable.kind.is_numeric() {
            true => numbers(self.engine(), &format!("SELECT MIN({value}), MAX({value}) FROM {from}"))?,
            false => Vec::new(),
        };
        let of = |at: usize| extremes.get(at).and_then(|value| extreme(&variable.kind, *value));
        let mut notes = Vec::new();
        if missing == self.records() {
            notes.push("empty: every value is missing".to_owned());
        } else if distinct == 1 && variable.codes.is_empty() {
            notes.push("constant: one value in every record that has any".to_owned());
        }
        if variable.kind == Kind::TextId {
            notes.push("identifier: never modelled, made new by every method".to_owned());
        }
        let holds = columns.iter().find(|column| column.name == variable.name).map(|column| &column.holds);
        if matches!(variable.kind, Kind::Integer { .. }) && holds == Some(&ColumnType::Real) {
            notes.push("whole numbers in a column of real ones".to_owned());
        }
        Ok(VariableProfile {
            name: variable.name.clone(),
            label: Some(variable.labelling.label.clone()).filter(|label| !label.is_empty()),
            kind: variable.kind.name(),
            levels: distinct,
            levels_are_sampled: false,
            missing,
            codes,
            min: of(0),
            max: of(1),
            shape: margin.map_or_else(Vec::new, |(classes, counts)| match classes.partition() {
                Partition::Levels(_) => crate::profile::shape_of_levels(&counts[..classes.partition().len()]),
                // Classes of unequal width have no shape, and the numbers stay where they are.
                _ => Vec::new(),
            }),
            classes: margin.map(|(classes, _)| classes.size()),
            classes_by: margin.and_then(|(classes, _)| match classes.partition() {
                Partition::Levels(_) => None,
                Partition::Values(_) => Some("one class a value"),
                Partition::Intervals { chosen_by: ClassRule::DeclaredCuts, .. } => Some("declared cuts"),
                Partition::Intervals { chosen_by: ClassRule::Quantiles, .. } => Some("quantiles"),
                Partition::Intervals { chosen_by: ClassRule::EqualWidth, .. } => Some("equal width"),
            }),
            notes,
        })
    }

    fn one_count(&self, query: &str) -> Result<u64, TableError> {
        let mut found = 0;
        self.engine().query(query, &mut |row| {
            found = row.first().map_or(Ok(0), count)?;
            Ok(())
        })?;
        Ok(found)
    }

    /// Records grouped by equal values of the keys; missing is a value.
    fn keys(&self, keys: &[String]) -> Result<KeyProfile, TableError> {
        let there = Columns { dialect: self.engine().dialect(), schema: self.schema() };
        let mut listed = Vec::new();
        for key in keys {
            let variable = self.schema().variable(key)?;
            let value = match variable.kind.is_numeric() {
                true => there.number(variable, true)?,
                false => there.present_text(variable)?,
            };
            listed.push(format!("{value} AS k{}", listed.len() + 1));
        }
        let names: Vec<String> = (1..=listed.len()).map(|at| format!("k{at}")).collect();
        let groups = format!(
            "SELECT COUNT(*) AS n FROM (SELECT {} FROM {}) AS q GROUP BY {}",
            listed.join(", "),
            self.from(),
            names.join(", ")
        );
        let mut sizes = std::collections::BTreeMap::new();
        let query = format!("SELECT n, COUNT(*) AS cells FROM ({groups}) AS sizes GROUP BY n");
        self.engine().query(&query, &mut |row| {
            if let [size, groups] = row.as_slice() {
                sizes.insert(count(size)?, count(groups)?);
            }
            Ok(())
        })?;
        let uniques = sizes.get(&1).copied().unwrap_or(0);
        let smallest = sizes.iter().take(SIZES_SHOWN);
        Ok(KeyProfile {
            keys: keys.to_vec(),
            groups: sizes.values().sum(),
            uniques,
            unique_share: uniques as f64 / self.records() as f64,
            smallest_groups: smallest
                .map(|(size, groups)| GroupsOfSize { size: *size, groups: *groups })
                .collect(),
        })
    }
}
