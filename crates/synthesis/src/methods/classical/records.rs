//! What classical methods share: records whose values are changed, in random order, such that the schema is kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::seq::{IndexedRandom, SliceRandom};
use rayon::prelude::*;
use serde::Deserialize;
use table::expression::Condition;
use table::schema::Schema;
use table::{Table, TableError, Variable};

use crate::card::{OptionCard, Usual};
use crate::completion::{Completion, Draft};
use crate::identifiers::Identifiers;
use crate::near::NearNumbers;
use crate::randomness::{Rng, Seed};
use crate::run::{Estimate, Part};
use crate::stored::{StateContext, StateReader, StateWriter, StoredColumn, ensure};
use crate::synthesizer::RecordSynthesizer;
use crate::{Making, Model, RecordsCard, SynthesisError, Synthesizer, near};

/// A way to protect records by changing some of their values.
pub(super) trait Protection: Send + Sync {
    /// What is done to numbers that would identify their record.
    fn smoothing(&self) -> Smoothing;

    /// What the changes take away, as the subject of "… is estimated as the model has it".
    fn leaves_out(&self) -> &'static str;

    /// Refuses options that do not fit the variables.
    fn check(&self, schema: &Schema) -> Result<(), SynthesisError>;

    /// Changes values of the records.
    fn protect(&self, records: &mut Records, seed: Seed) -> Result<(), SynthesisError>;

    /// The variables of which values may come to be missing.
    fn suppressed(&self, _schema: &Schema) -> Vec<String> {
        Vec::new()
    }

    /// Whether a record whose changes break a rule gets its own values back; it would lose its protection.
    fn can_be_undone(&self) -> bool {
        true
    }
}

/// What is done to numbers that one record alone has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Smoothing {
    /// They are replaced by numbers near them, where most numbers are such.
    #[default]
    Auto,
    /// Nothing.
    None,
}

/// The option of [`Smoothing`].
pub(super) const SMOOTHING: OptionCard = OptionCard {
    name: "smoothing",
    meaning: "numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none`",
    default: Usual::Value("auto"),
};

/// Names of variables, as a list or as text with commas.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Names {
    Text(String),
    List(Vec<String>),
}

impl Names {
    /// The names.
    pub(super) fn all(&self) -> Vec<String> {
        match self {
            Self::Text(text) => {
                text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
            }
            Self::List(names) => names.clone(),
        }
    }
}

/// The variables that an option names, or those that `usual` picks; all must be modelled and such as `suits` says.
pub(super) fn named(
    schema: &Schema,
    option: &'static str,
    names: Option<&Names>,
    usual: impl Fn(&Variable) -> bool,
    suits: (impl Fn(&Variable) -> bool, &'static str),
) -> Result<Vec<String>, SynthesisError> {
    let Some(names) = names else {
        let modelled = schema.variables().iter().filter(|variable| variable.is_modelled());
        return Ok(modelled
            .filter(|variable| usual(variable))
            .map(|variable| variable.name.clone())
            .collect());
    };
    let names = names.all();
    for name in &names {
        let variable =
            schema.variable(name).map_err(|error| SynthesisError::option(option, error.to_string()))?;
        if !variable.is_modelled() {
            let message = format!("`{name}` names units or is computed, and is not changed; leave it out");
            return Err(SynthesisError::option(option, message));
        }
        if !suits.0(variable) {
            return Err(SynthesisError::option(option, format!("`{name}` is not {}", suits.1)));
        }
    }
    if names.is_empty() {
        return Err(SynthesisError::option(option, "name at least one variable"));
    }
    Ok(names)
}

/// Refuses a share that is none.
pub(super) fn check_share(option: &'static str, share: f64) -> Result<(), SynthesisError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(SynthesisError::option(option, "it must be a share between 0 and 1"))
}

/// Records under protection: the variables that are modelled, with their values.
#[derive(Clone)]
pub(super) struct Records {
    schema: Arc<Schema>,
    /// Where each column stands in the schema.
    places: Vec<usize>,
    pub(super) columns: Vec<StoredColumn>,
    pub(super) rows: usize,
}

impl Records {
    fn of(table: &Table) -> Self {
        let places = modelled(table.schema());
        let columns = places.iter().map(|place| StoredColumn::of(&table.columns()[*place])).collect();
        Self { schema: table.shared_schema(), places, columns, rows: table.rows() }
    }

    /// The schema that the records keep.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    /// The columns, each after the one within which it is nested.
    pub(super) fn parents_first(&self) -> Vec<usize> {
        let depth = |column: &usize| std::iter::successors(Some(*column), |at| self.parent(*at)).count();
        let mut columns: Vec<usize> = (0..self.columns.len()).collect();
        columns.sort_by_key(depth);
        columns
    }

    /// Gives these rows the values that they have elsewhere.
    fn restore(&mut self, rows: &[usize], from: &Self) {
        for (column, own) in self.columns.iter_mut().zip(&from.columns) {
            rows.iter().for_each(|row| column.set(*row, own, *row));
        }
    }

    /// Each column's variable.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Variable> + '_ {
        self.places.iter().map(|place| &self.schema.variables()[*place])
    }

    /// The columns of these variables.
    pub(super) fn columns_of(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &String| self.variables().position(|variable| variable.name == *name);
        names.iter().filter_map(place).collect()
    }

    /// The column of the variable within which this column's is nested.
    pub(super) fn parent(&self, column: usize) -> Option<usize> {
        let parent = self.schema.variables()[self.places[column]].within.as_ref()?;
        self.variables().position(|variable| variable.name == *parent)
    }

    /// What stands in these columns at a row, such that equal entries are equal numbers.
    pub(super) fn cell(&self, columns: &[usize], row: usize) -> Vec<u64> {
        columns.iter().map(|column| self.columns[*column].key(row)).collect()
    }

    /// The record as the schema's conditions see it.
    fn draft(&self, row: usize, completion: &Completion) -> Draft {
        let mut draft =
            Draft(self.schema.variables().iter().map(|_| table::expression::Value::Missing).collect());
        for (place, column) in self.places.iter().zip(&self.columns) {
            draft.0[*place] = column.value(&self.schema.variables()[*place], row);
        }
        completion.compute(&mut draft);
        draft
    }

    fn table(&self, schema: &Schema) -> Result<Table, SynthesisError> {
        let names: Vec<&str> =
            self.places.iter().map(|place| self.schema.variables()[*place].name.as_str()).collect();
        let schema = schema.of_variables(&names)?;
        let columns =
            schema.variables().iter().zip(&self.columns).map(|(variable, column)| column.column(variable));
        Ok(Table::new(Arc::new(schema.clone()), columns.collect())?)
    }
}

fn modelled(schema: &Schema) -> Vec<usize> {
    (0..schema.variables().len()).filter(|at| schema.variables()[*at].is_modelled()).collect()
}

/// What the schema forbids, and which level lies in which.
struct Forbidden {
    conditions: Vec<(Condition, Option<Condition>)>,
    /// Child, parent, and the parent of each level in the data.
    nested: Vec<(usize, usize, Vec<Option<u32>>)>,
    /// By column, numbers that would be read as a special code or as missing.
    reserved: Vec<Vec<f64>>,
}

impl Forbidden {
    fn of(records: &Records) -> Result<Self, TableError> {
        let schema = &records.schema;
        let variables = schema.variables();
        let mut conditions = Vec::new();
        for rule in schema.rules() {
            conditions.push((rule.when.condition(variables)?, Some(rule.then.condition(variables)?)));
        }
        for impossible in schema.impossible() {
            conditions.push((impossible.condition(variables)?, None));
        }
        let nested = (0..records.columns.len()).filter_map(|child| {
            let parent = records.parent(child)?;
            let levels = variables[records.places[child]].kind.levels()?.len();
            let mut parent_of = vec![None; levels + 1];
            for row in 0..records.rows {
                let (below, above) = (records.columns[child].key(row), records.columns[parent].key(row));
                if let Some(known) = parent_of.get_mut(below as usize).filter(|_| (below as usize) < levels) {
                    *known = Some(above as u32);
                }
            }
            Some((child, parent, parent_of))
        });
        let reserved = |variable: &Variable| {
            let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
            let tokens = tokens.filter_map(|token| token.parse().ok());
            variable.codes.iter().map(|code| code.value).chain(tokens).collect()
        };
        Ok(Self {
            conditions,
            nested: nested.collect(),
            reserved: records.variables().map(reserved).collect(),
        })
    }

    /// Whether the schema forbids this record.
    fn forbids(&self, records: &Records, row: usize, completion: &Completion) -> bool {
        let foreign = self.nested.iter().any(|(child, parent, parent_of)| {
            let (below, above) = (records.columns[*child].key(row), records.columns[*parent].key(row));
            parent_of.get(below as usize).copied().flatten().is_some_and(|known| u64::from(known) != above)
        });
        let misread =
            records.columns.iter().zip(&self.reserved).any(|(column, reserved)| {
                column.number(row).is_some_and(|number| reserved.contains(&number))
            });
        if foreign || misread {
            return true;
        }
        if self.conditions.is_empty() {
            return false;
        }
        let draft = records.draft(row, completion);
        self.conditions.iter().any(|(when, then)| {
            when.holds(&draft) == Some(true)
                && then.as_ref().is_none_or(|then| then.holds(&draft) == Some(false))
        })
    }
}

/// A synthesizer that protects records in this way.
pub(super) fn synthesizer(protection: impl Protection + 'static) -> Synthesizer {
    Synthesizer::Records(Box::new(Classical(Arc::new(protection))))
}

struct Classical(Arc<dyn Protection>);

impl RecordSynthesizer for Classical {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            leaves_out: Some(self.0.leaves_out().to_owned()),
            ..RecordsCard::new(Making::Perturbed)
        }
    }

    fn refuses_rows(&self) -> Option<&'static str> {
        Some("the method changes the records of the data, and makes as many as there are; leave it out")
    }

    fn released_schema(&self, records: &Table) -> Result<Option<Schema>, SynthesisError> {
        let suppressed = self.0.suppressed(records.schema());
        if suppressed.is_empty() {
            return Ok(None);
        }
        Ok(Some(records.schema().clone().with_missing(&with_computed(records.schema(), suppressed))?))
    }

    fn fit(&self, records: &Table, _: &Part, _: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        self.0.check(records.schema())?;
        let schema = self.released_schema(records)?.map_or_else(|| records.shared_schema(), Arc::new);
        Ok(Box::new(Perturbation::new(Records::of(records), schema, Arc::clone(&self.0))))
    }

    fn fit_is_random(&self, _: &Table) -> bool {
        false
    }

    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError> {
        if modelled(records.schema()).is_empty() {
            let message = "there is no variable to change; identifiers and formulas are not";
            return Err(SynthesisError::option("method", message));
        }
        self.0.check(records.schema())?;
        let values = records.rows() as f64 * records.columns().len() as f64;
        Ok(Estimate { seconds: values * 1e-7, bytes: 4 * records.bytes() as u64 + 24 * values as u64 })
    }
}

/// These variables and all that are computed from them.
fn with_computed(schema: &Schema, mut names: Vec<String>) -> Vec<String> {
    loop {
        let depends = |variable: &&Variable| {
            let formula = variable.formula.as_ref();
            !names.contains(&variable.name)
                && formula.is_some_and(|formula| {
                    formula.variables().iter().any(|name| names.iter().any(|known| known == name))
                })
        };
        let more: Vec<String> =
            schema.variables().iter().filter(depends).map(|variable| variable.name.clone()).collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more);
    }
}

/// A model from its stored state, for the method of this protection.
pub(super) fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
    protection: impl Protection + 'static,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let schema = Arc::clone(context.schema);
    protection.check(&schema)?;
    let places = modelled(&schema);
    let rows = context.records.unwrap_or(0) as usize;
    ensure(rows > 0, "it has no records")?;
    let column = |place: &usize| StoredColumn::load(from, &schema.variables()[*place], rows);
    let columns = places.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let records = Records { schema: Arc::clone(&schema), places, columns, rows };
    Ok(Box::new(Perturbation::new(records, schema, Arc::new(protection))))
}

struct Perturbation {
    records: Records,
    /// The schema of what is released, in which values may be missing that are there in the data.
    released: Arc<Schema>,
    protection: Arc<dyn Protection>,
    /// By column, how numbers of single records are replaced.
    near: Vec<Option<NearNumbers>>,
}

impl Perturbation {
    fn new(records: Records, released: Arc<Schema>, protection: Arc<dyn Protection>) -> Self {
        let near = records.columns.iter().map(|column| match protection.smoothing() {
            Smoothing::Auto => NearNumbers::learn((0..records.rows).filter_map(|row| column.number(row))),
            Smoothing::None => None,
        });
        let near = near.collect();
        Self { records, released, protection, near }
    }

    /// Numbers of single records replaced by numbers near them.
    fn smooth(&self, records: &mut Records, seed: Seed) {
        let columns: Vec<_> = records.columns.iter_mut().zip(&self.near).enumerate().collect();
        columns.into_par_iter().for_each(|(place, (column, near))| {
            let (Some(near), mut rng) = (near, seed.stream(place as u64)) else { return };
            for row in 0..column.rows() {
                if let Some(number) = column.number(row) {
                    column.set_number(row, near.near(number, &mut rng));
                }
            }
        });
    }
}

impl Model<Table> for Perturbation {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        if rows != self.records.rows {
            let message =
                "the method changes the records of the data, and makes as many as there are; leave it out";
            return Err(SynthesisError::option("rows", message));
        }
        let completion = Completion::new(Arc::clone(&self.records.schema), Identifiers::default())?;
        let forbidden = Forbidden::of(&self.records)?;
        let is_forbidden = |records: &Records, row: &usize| forbidden.forbids(records, *row, &completion);
        let broken = |records: &Records| -> Vec<usize> {
            (0..rows).into_par_iter().filter(|row| is_forbidden(records, row)).collect()
        };
        // Numbers near others come first: what the protection then makes alike stays alike.
        let mut base = self.records.clone();
        self.smooth(&mut base, seed.child(1));
        let own = broken(&base);
        base.restore(&own, &self.records);
        let mut released = base.clone();
        self.protection.protect(&mut released, seed.child(0))?;
        let undone = broken(&released);
        if !undone.is_empty() && !self.protection.can_be_undone() {
            let message =
                "what would be left of some records breaks the rules of the schema; name other variables";
            return Err(SynthesisError::option("keys", message));
        }
        released.restore(&undone, &base);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.shuffle(&mut seed.child(3).stream(0));
        Ok(released.table(&self.released)?.take(&order)?)
    }

    fn remarks(&self) -> Vec<String> {
        let names: Vec<&str> = self
            .records
            .variables()
            .zip(&self.near)
            .filter(|(_, near)| near.is_some())
            .map(|(variable, _)| variable.name.as_str())
            .collect();
        let mut remarks = vec![
            "these are the records of real units with some values changed, not synthetic ones; a record whose changed values would break a rule \
             keeps its own"
                .to_owned(),
        ];
        remarks.extend(near::remark(names.into_iter()));
        remarks
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.records.columns.iter().try_for_each(|column| column.store(into))
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("the records themselves")
    }
}

/// Rows by what stands in these columns.
pub(super) fn cells_of(
    records: &Records,
    columns: &[usize],
    rows: impl Iterator<Item = usize>,
) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
    rows.for_each(|row| groups.entry(records.cell(columns, row)).or_default().push(row as u32));
    groups.into_values().collect()
}

/// An element drawn with equal chances.
pub(super) fn one_of(among: &[u32], rng: &mut Rng) -> Option<u32> {
    among.choose(rng).copied()
}

/// Whether a variable is a number whose average means something.
pub(super) fn is_number(variable: &Variable) -> bool {
    variable.kind.is_numeric()
}

/// Whether a variable has levels.
pub(super) fn has_levels(variable: &Variable) -> bool {
    variable.kind.levels().is_some()
}
