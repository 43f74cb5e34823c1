//! Records made whole: derived variables computed, identifiers new.

use std::ops::Range;
use std::sync::Arc;

use table::column::{Entry, Numbers, TextColumn};
use table::expression::{Formula, Record, Value};
use table::schema::{Kind, Stored};
use table::{Codes, Column, Schema, Table};

use crate::SynthesisError;

/// Turns records of the modelled variables into records of a schema.
pub struct Completion {
    schema: Arc<Schema>,
    /// The variables that are computed, each after those that its formula names.
    derived: Vec<(usize, Formula)>,
}

/// One record under construction.
pub(crate) struct Draft(pub(crate) Vec<Value>);

impl Record for Draft {
    fn value(&self, variable: usize) -> Value {
        self.0[variable]
    }
}

impl Completion {
    /// The completion of records of this schema.
    pub fn new(schema: Arc<Schema>) -> Result<Self, SynthesisError> {
        let variables = schema.variables();
        let mut derived = Vec::new();
        let mut open: Vec<usize> =
            (0..variables.len()).filter(|at| variables[*at].formula.is_some()).collect();
        // A formula may use another derived variable; those without such a need come first.
        while let Some(next) = open.iter().position(|at| {
            let needs =
                variables[*at].formula.as_ref().map(|formula| formula.variables()).unwrap_or_default();
            open.iter().all(|other| !needs.contains(variables[*other].name.as_str()))
        }) {
            let at = open.remove(next);
            if let Some(formula) = &variables[at].formula {
                derived.push((at, formula.formula(variables)?));
            }
        }
        Ok(Self { schema, derived })
    }

    /// The schema that its records keep.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema, to be shared.
    pub(crate) fn shared_schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// The positions of the variables that are computed.
    pub(crate) fn derived(&self) -> impl Iterator<Item = usize> + '_ {
        self.derived.iter().map(|(variable, _)| *variable)
    }

    /// Computes what is computed of a record under construction.
    pub(crate) fn compute(&self, draft: &mut Draft) {
        for (variable, formula) in &self.derived {
            draft.0[*variable] = formula.number(draft).map_or(Value::Missing, Value::Number);
        }
    }

    /// Records of the modelled variables with what is not modelled: derived variables computed, identifiers new. Records must
    /// keep the schema.
    pub fn complete(&self, records: Table) -> Result<Table, SynthesisError> {
        let rows = 0..records.rows();
        let variables = self.schema.variables();
        let given = |variable: usize| records.schema().position_of(&variables[variable].name).ok();
        let places: Vec<Option<usize>> = (0..variables.len()).map(given).collect();
        let mut columns: Vec<Option<Column>> =
            places.iter().map(|place| place.map(|place| records.columns()[place].clone())).collect();
        if !self.derived.is_empty() {
            let computed = rows.clone().map(|row| {
                let record = records.record(row);
                let value = |place: &Option<usize>| place.map_or(Value::Missing, |place| record.value(place));
                let mut draft = Draft(places.iter().map(value).collect());
                self.compute(&mut draft);
                self.derived.iter().map(|(variable, _)| draft.0[*variable]).collect::<Vec<Value>>()
            });
            let computed: Vec<Vec<Value>> = computed.collect();
            for (at, (variable, _)) in self.derived.iter().enumerate() {
                columns[*variable] = Some(self.column(*variable, rows.clone(), |row| computed[row][at]));
            }
        }
        let column = |(variable, column): (usize, Option<Column>)| {
            column.unwrap_or_else(|| self.column(variable, rows.clone(), |_| Value::Text))
        };
        let columns = columns.into_iter().enumerate().map(column).collect();
        self.checked(Table::new(Arc::clone(&self.schema), columns)?)
    }

    /// The table, if it keeps its schema.
    pub(crate) fn checked(&self, table: Table) -> Result<Table, SynthesisError> {
        let broken = table.violations()?;
        if broken.is_empty() { Ok(table) } else { Err(SynthesisError::Rules(broken.to_string())) }
    }

    /// The column of a variable, from its value in each of these rows.
    pub(crate) fn column(
        &self,
        variable: usize,
        rows: Range<usize>,
        mut value: impl FnMut(usize) -> Value,
    ) -> Column {
        let of = &self.schema.variables()[variable];
        let count = rows.len();
        let mut numbers = |rows: Range<usize>| {
            let mut numbers = Numbers::with_capacity(count);
            for row in rows {
                numbers.push(match value(row) {
                    Value::Number(number) => Entry::Value(number),
                    Value::Code(code) => of.code_position(code).map_or(Entry::Missing, Entry::Code),
                    _ => Entry::Missing,
                });
            }
            numbers
        };
        match &of.kind {
            kind if kind.is_numeric() => Column::of_numbers(kind, numbers(rows)),
            Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                let code = |row: usize| match value(row) {
                    Value::Level(level) => level,
                    _ => levels.len() as u32,
                };
                let cardinality = (levels.len() + usize::from(of.missing)).max(1);
                Column::Categorical(Arc::new(Codes::collect(cardinality, rows.map(code))))
            }
            _ => Column::Text(TextColumn {
                codes: Codes::collect(count + 1, 0..count as u32),
                dictionary: rows.map(|row| Stored::fresh_identifier(of.stored, row + 1)).collect(),
            }),
        }
    }
}
