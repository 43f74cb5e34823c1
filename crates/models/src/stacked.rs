//! One variable of several tables, the records of one after those of the other.

use table::column::{Column, Entry};
use table::{Kind, Table, Variable};

use crate::ModelError;
use crate::formula::{Operand, Source};

/// The values of a variable in every record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stacked {
    /// Codes into the levels; the number of levels stands for missing.
    Levels { levels: Vec<String>, codes: Vec<u32> },
    /// Numbers, and the special codes that occur in the schemas.
    Numbers { entries: Vec<Entry<f64>>, codes: Vec<f64> },
}

impl Stacked {
    /// What an operand, bound to the schema of the first table, says of the records of all.
    pub(crate) fn of_operand(tables: &[&Table], operand: &Operand) -> Result<Self, ModelError> {
        match &operand.source {
            Source::Variable(position) => {
                Self::of_variable(tables, &tables[0].schema().variables()[*position].name)
            }
            Source::Factor(position) => {
                let name = &tables[0].schema().variables()[*position].name;
                Ok(Self::of_variable(tables, name)?.into_levels())
            }
            Source::Computed(number) => {
                let mut entries = Vec::new();
                for table in tables {
                    let computed = (0..table.rows()).map(|row| number.number(&table.record(row)));
                    entries.extend(computed.map(|value| value.map_or(Entry::Missing, Entry::Value)));
                }
                Ok(Self::Numbers { entries, codes: Vec::new() })
            }
        }
    }

    /// The same with every number a level, ascending; special codes have none.
    fn into_levels(self) -> Self {
        let Self::Numbers { entries, .. } = &self else { return self };
        let value =
            |entry: &Entry<f64>| if let Entry::Value(value) = entry { Some(*value + 0.0) } else { None };
        let mut distinct: Vec<f64> = entries.iter().filter_map(value).collect();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let missing = distinct.len() as u32;
        let code = |entry: &Entry<f64>| {
            let place = value(entry)
                .and_then(|value| distinct.binary_search_by(|other| other.total_cmp(&value)).ok());
            place.map_or(missing, |place| place as u32)
        };
        let codes = entries.iter().map(code).collect();
        Self::Levels { levels: distinct.iter().map(f64::to_string).collect(), codes }
    }

    /// Whether they are levels and no record has the first, the baseline of contrasts.
    pub(crate) fn lacks_first_level(&self) -> bool {
        matches!(self, Self::Levels { codes, .. } if !codes.is_empty() && !codes.contains(&0))
    }

    /// The variable of this name. Levels are joined by name, those of the first table first and in its order.
    pub(crate) fn of_variable(tables: &[&Table], name: &str) -> Result<Self, ModelError> {
        let mut sides: Vec<(&Variable, &Column)> = Vec::with_capacity(tables.len());
        for table in tables {
            let position = table.schema().position_of(name)?;
            sides.push((&table.schema().variables()[position], &table.columns()[position]));
        }
        let first = &sides[0].0.kind;
        if *first == Kind::TextId {
            return Err(ModelError::variable(name, "it is an identifier, which no model can use"));
        }
        for (variable, _) in &sides[1..] {
            let same = match (first, &variable.kind) {
                (Kind::Date { .. }, Kind::Date { .. }) => true,
                (Kind::Datetime { format: one, .. }, Kind::Datetime { format: other, .. }) => {
                    one.date.is_some() == other.date.is_some()
                }
                (Kind::Integer { .. } | Kind::Real { .. }, Kind::Integer { .. } | Kind::Real { .. }) => true,
                (one, other) => one.levels().is_some() && other.levels().is_some(),
            };
            if !same {
                let message = format!(
                    "it is {} in one table and {} in the other; read both with one schema",
                    first.name(),
                    variable.kind.name()
                );
                return Err(ModelError::variable(name, message));
            }
        }
        Ok(if first.is_numeric() { Self::numbers(&sides) } else { Self::levels(&sides) })
    }

    fn levels(sides: &[(&Variable, &Column)]) -> Self {
        let own = |variable: &Variable| -> Vec<String> {
            variable
                .kind
                .levels()
                .map(|levels| levels.iter().map(str::to_owned).collect())
                .unwrap_or_default()
        };
        let mut levels: Vec<String> = own(sides[0].0);
        for (variable, _) in &sides[1..] {
            for level in own(variable) {
                if !levels.contains(&level) {
                    levels.push(level);
                }
            }
        }
        let missing = levels.len() as u32;
        let mut all = Vec::new();
        for (variable, column) in sides {
            let position = |level: String| levels.iter().position(|known| *known == level);
            let mut new_code: Vec<u32> = own(variable)
                .into_iter()
                .map(|level| position(level).map_or(missing, |at| at as u32))
                .collect();
            new_code.push(missing);
            if let Column::Categorical(codes) = column {
                all.extend(codes.iter().map(|code| new_code[code as usize]));
            }
        }
        Self::Levels { levels, codes: all }
    }

    fn numbers(sides: &[(&Variable, &Column)]) -> Self {
        let mut codes: Vec<f64> = Vec::new();
        for code in sides.iter().flat_map(|(variable, _)| &variable.codes) {
            if !codes.contains(&code.value) {
                codes.push(code.value);
            }
        }
        let code_at = |value: f64| codes.iter().position(|code| *code == value);
        let mut entries = Vec::new();
        for (variable, column) in sides {
            entries.extend((0..column.len()).map(|row| match column.number(row) {
                Some(Entry::Value(value)) => code_at(value).map_or(Entry::Value(value), Entry::Code),
                Some(Entry::Code(position)) => {
                    code_at(variable.codes[position].value).map_or(Entry::Missing, Entry::Code)
                }
                Some(Entry::Missing) | None => Entry::Missing,
            }));
        }
        Self::Numbers { entries, codes }
    }

    /// Whether the record has a value: neither missing, nor a special code.
    pub(crate) fn has_value(&self, row: usize) -> bool {
        match self {
            Self::Levels { levels, codes } => (codes[row] as usize) < levels.len(),
            Self::Numbers { entries, .. } => matches!(entries[row], Entry::Value(_)),
        }
    }

    /// The same of some of the records.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Self {
        match self {
            Self::Levels { levels, codes } => {
                Self::Levels { levels: levels.clone(), codes: rows.iter().map(|row| codes[*row]).collect() }
            }
            Self::Numbers { entries, codes } => Self::Numbers {
                entries: rows.iter().map(|row| entries[*row]).collect(),
                codes: codes.clone(),
            },
        }
    }
}
