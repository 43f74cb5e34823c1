//! Records made whole: derived variables computed, identifiers new.

use std::ops::Range;
use std::sync::Arc;

use table::column::{Entry, Numbers, TextColumn};
use table::expression::{Formula, Record, Value};
use table::schema::Kind;
use table::{Codes, Column, Schema, Table};

use crate::SynthesisError;
use crate::identifiers::Identifiers;
use crate::randomness::Seed;

/// Turns records of the modelled variables into records of a schema.
pub struct Completion {
    schema: Arc<Schema>,
    /// The variables that are computed, each after those that its formula names.
    derived: Vec<(usize, Formula)>,
    identifiers: Identifiers,
}

/// New identifiers of all records, by the position of their variable.
pub(crate) type NewColumns = Vec<Option<TextColumn>>;

/// One record under construction.
pub(crate) struct Draft(pub(crate) Vec<Value>);

impl Record for Draft {
    fn value(&self, variable: usize) -> Value {
        self.0[variable]
    }
}

impl Completion {
    /// The completion of records of this schema, with identifiers like these.
    pub fn new(schema: Arc<Schema>, mut identifiers: Identifiers) -> Result<Self, SynthesisError> {
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
        let conditions = schema.rules().iter().flat_map(|rule| [&rule.when, &rule.then]);
        for condition in conditions.chain(schema.impossible()) {
            condition.variables().iter().for_each(|name| identifiers.never_missing(name));
        }
        Ok(Self { schema, derived, identifiers })
    }

    /// The schema that its records keep.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The schema, to be shared.
    pub(crate) fn shared_schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// What is kept of the identifiers.
    pub(crate) fn identifiers(&self) -> &Identifiers {
        &self.identifiers
    }

    /// New identifiers for this many records.
    pub(crate) fn new_identifiers(&self, rows: usize, seed: Seed) -> NewColumns {
        let mut columns: NewColumns = self.schema.variables().iter().map(|_| None).collect();
        for (name, column) in self.identifiers.draw(rows, seed) {
            if let (Ok(position), Column::Text(text)) = (self.schema.position_of(name), column) {
                columns[position] = Some(text);
            }
        }
        columns
    }

    /// The part of a new identifier that belongs to these rows.
    pub(crate) fn identifier(&self, variable: usize, rows: Range<usize>, new: &NewColumns) -> Column {
        match &new[variable] {
            Some(text) => Column::Text(text.part(rows)),
            None => self.column(variable, rows, |_| Value::Missing),
        }
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
    pub fn complete(&self, records: Table, seed: Seed) -> Result<Table, SynthesisError> {
        let identifiers = self.new_identifiers(records.rows(), seed);
        self.complete_with(records, identifiers)
    }

    /// The same of some records of a larger data set, from record `first` on, with their part of its new identifiers.
    pub(crate) fn complete_part(
        &self,
        records: Table,
        first: usize,
        identifiers: &NewColumns,
    ) -> Result<Table, SynthesisError> {
        let rows = first..first + records.rows();
        let part = identifiers.iter().map(|text| text.as_ref().map(|text| text.part(rows.clone()))).collect();
        self.complete_with(records, part)
    }

    /// Records that have their identifiers, with derived variables computed again.
    pub(crate) fn recompute(&self, records: Table) -> Result<Table, SynthesisError> {
        let none = self.schema.variables().iter().map(|_| None).collect();
        self.complete_with(records, none)
    }

    fn complete_with(&self, records: Table, identifiers: NewColumns) -> Result<Table, SynthesisError> {
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
        let column = |((variable, column), new): ((usize, Option<Column>), Option<TextColumn>)| {
            let column = column.or(new.map(Column::Text));
            column.unwrap_or_else(|| self.column(variable, rows.clone(), |_| Value::Missing))
        };
        let columns = columns.into_iter().enumerate().zip(identifiers).map(column).collect();
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
                codes: Codes::collect(1, std::iter::repeat_n(0, count)),
                dictionary: Vec::new(),
            }),
        }
    }
}
