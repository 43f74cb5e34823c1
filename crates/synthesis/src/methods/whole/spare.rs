//! Values of records of the data, taken where proposals keep breaking a rule.

use rand::RngExt;
use rand::seq::index;
use table::expression::Value;
use table::{Schema, Table, Variable};

use crate::SynthesisError;
use crate::near::NearNumbers;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, StoredColumn, ensure};

/// How many records are kept.
const KEPT: usize = 500;

/// Some records of the data; none where the schema has nothing that a proposal could break again and again.
#[derive(Default)]
pub(super) struct Spare {
    rows: usize,
    columns: Vec<StoredColumn>,
    /// How numbers of single records give way to others near them.
    near: Vec<Option<NearNumbers>>,
}

impl Spare {
    /// Some of these records, if the schema has rules, computed variables or nesting.
    pub(super) fn learn(records: &Table, places: &[usize], seed: Seed) -> Self {
        let all = records.rows();
        let schema = records.schema();
        let can_break = !schema.rules().is_empty()
            || !schema.impossible().is_empty()
            || schema
                .variables()
                .iter()
                .any(|variable| variable.formula.is_some() || variable.within.is_some());
        if all == 0 || !can_break {
            return Self::default();
        }
        let rows: Vec<usize> = if all <= KEPT {
            (0..all).collect()
        } else {
            index::sample(&mut seed.stream(0), all, KEPT).into_vec()
        };
        let rows: Vec<u32> = rows.into_iter().map(|row| row as u32).collect();
        let near = |place: &usize| {
            let column = StoredColumn::of(&records.columns()[*place]);
            NearNumbers::learn((0..all).filter_map(|row| column.number(row)))
        };
        let columns = places.iter().map(|place| StoredColumn::of(&records.columns()[*place].take(&rows)));
        Self { rows: rows.len(), columns: columns.collect(), near: places.iter().map(near).collect() }
    }

    /// Gives a record the values of one of these in some variables; `false` if there is none.
    pub(super) fn fill<'a>(
        &self,
        values: &mut [Vec<Value>],
        row: usize,
        places: &[usize],
        variables: impl Iterator<Item = &'a Variable>,
        rng: &mut Rng,
    ) -> bool {
        if self.rows == 0 {
            return false;
        }
        let variables: Vec<&Variable> = variables.collect();
        let from = rng.random_range(0..self.rows);
        for place in places {
            values[*place][row] = match self.columns[*place].value(variables[*place], from) {
                Value::Number(number) => {
                    Value::Number(self.near[*place].as_ref().map_or(number, |near| near.near(number, rng)))
                }
                other => other,
            };
        }
        true
    }

    /// Writes them.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let near: Vec<bool> = self.near.iter().map(Option::is_some).collect();
        into.settings("spare records", &(self.rows, near))?;
        self.columns.iter().try_for_each(|column| column.store(into))?;
        self.near.iter().flatten().try_for_each(|near| near.store(into))
    }

    /// Stored ones.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        schema: &Schema,
        places: &[usize],
    ) -> Result<Self, SynthesisError> {
        let (rows, near): (usize, Vec<bool>) = from.settings("spare records")?;
        if rows == 0 {
            ensure(near.is_empty(), "spare records are not of its variables")?;
            return Ok(Self::default());
        }
        ensure(near.len() == places.len() && rows <= KEPT, "spare records are not of its variables")?;
        let column = |place: &usize| StoredColumn::load(from, &schema.variables()[*place], rows);
        let columns = places.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let near = near.into_iter().map(|is| if is { NearNumbers::load(from).map(Some) } else { Ok(None) });
        Ok(Self { rows, columns, near: near.collect::<Result<_, _>>()? })
    }
}
