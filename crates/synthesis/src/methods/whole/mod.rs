//! Records that are proposed whole, such that they keep the schema.
//!
//! Some generators draw a record at once, not one variable after the other: a leaf of a forest, a net. What they propose is brought under the
//! schema here: a value that a rule fixes is set, derived variables are computed, and a record that leaves a range, breaks a rule, meets an impossible cell or
//! puts a child under a foreign parent is proposed again, up to [`PROPOSALS`] times. Then the variables that the broken rule names take their values from
//! one record of the data, which keeps that rule by itself. How many proposals are refused is told.

mod spare;

use std::sync::Arc;

use rayon::prelude::*;
use table::expression::{Condition, Value};
use table::{Column, Schema, Table, Variable};

use self::spare::Spare;
use super::sequential::{ColumnBuilder, in_domain, pinned};
use crate::SynthesisError;
use crate::completion::{Completion, Draft};
use crate::identifiers::Identifiers;
use crate::randomness::{BLOCK, Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// How often a record is proposed.
const PROPOSALS: usize = 100;

/// Proposals by which the share of refused ones is found.
const TRIED: usize = 2_000;

/// From this share of refused proposals on there is a warning in it.
const MANY: f64 = 0.1;

/// Blocks that are drawn at once before they are stored in columns.
const AT_ONCE: usize = 32;

/// What proposes records.
pub(in crate::methods) trait Proposals: Sync {
    /// Values of this many records, a list for each modelled variable, in the order of the schema.
    fn propose(&self, rows: usize, rng: &mut Rng) -> Vec<Vec<Value>>;
}

/// A condition that no record may meet, and the modelled variables that it depends on.
struct Forbidden {
    when: Condition,
    unless: Option<Condition>,
    /// As places among the modelled variables.
    needs: Vec<usize>,
    text: String,
}

/// A variable within another: for each of its levels the one of its parent, where that is known.
struct Nested {
    child: usize,
    parent: usize,
    parent_of: Vec<Option<u32>>,
}

/// Brings proposals under a schema.
pub(in crate::methods) struct Keeper {
    schema: Arc<Schema>,
    /// The modelled variables, as positions in the schema.
    places: Vec<usize>,
    released: Arc<Schema>,
    completion: Completion,
    /// Variable, condition and value, where a rule fixes it.
    pins: Vec<(usize, Condition, Value)>,
    forbidden: Vec<Forbidden>,
    nested: Vec<Nested>,
    /// For each modelled variable, numbers that would be read as a special code or as missing.
    reserved: Vec<Vec<f64>>,
    /// Values of the data that are taken where proposals keep breaking a rule.
    spare: Spare,
}

/// The modelled variables of a schema; refuses one without any.
pub(in crate::methods) fn modelled(schema: &Schema) -> Result<Vec<usize>, SynthesisError> {
    let places: Vec<usize> =
        (0..schema.variables().len()).filter(|at| schema.variables()[*at].is_modelled()).collect();
    if places.is_empty() {
        let message = "there is no variable to model; identifiers and formulas are not";
        return Err(SynthesisError::option("method", message));
    }
    Ok(places)
}

/// Refuses a table without records.
pub(in crate::methods) fn refuse_no_records(records: &Table) -> Result<(), SynthesisError> {
    if records.rows() > 0 {
        return Ok(());
    }
    Err(SynthesisError::option("method", "there are no records to learn from"))
}

/// Modelled variables that are nested in each other, as places among them: they are drawn together. Others are alone.
pub(in crate::methods) fn nested_blocks(schema: &Schema, places: &[usize]) -> Vec<Vec<usize>> {
    let name = |place: &usize| schema.variables()[*place].name.as_str();
    let root = |place: usize| {
        let parent = |at: &usize| {
            let within = schema.variables()[places[*at]].within.as_deref()?;
            places.iter().position(|other| name(other) == within)
        };
        std::iter::successors(Some(place), parent).last().unwrap_or(place)
    };
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut block_of: Vec<Option<usize>> = vec![None; places.len()];
    for place in 0..places.len() {
        let root = root(place);
        let block = *block_of[root].get_or_insert_with(|| {
            blocks.push(Vec::new());
            blocks.len() - 1
        });
        blocks[block].push(place);
    }
    blocks
}

impl Keeper {
    /// The keeper of the schema of these records.
    pub(in crate::methods) fn learn(records: &Table, seed: Seed) -> Result<Self, SynthesisError> {
        let schema = records.shared_schema();
        let places = modelled(&schema)?;
        let nested = nested_pairs(&schema, &places);
        let nested = nested.into_iter().map(|(child, parent)| {
            let parent_of = match schema.declared_parents(places[child]) {
                Some(declared) => declared.into_iter().map(Some).collect(),
                None => parents_in(&records.columns()[places[child]], &records.columns()[places[parent]], {
                    schema.variables()[places[child]].kind.levels().map_or(0, |levels| levels.len())
                }),
            };
            Nested { child, parent, parent_of }
        });
        let nested = nested.collect();
        let spare = Spare::learn(records, &places, seed);
        Self::new(schema, places, nested, spare)
    }

    fn new(
        schema: Arc<Schema>,
        places: Vec<usize>,
        nested: Vec<Nested>,
        spare: Spare,
    ) -> Result<Self, SynthesisError> {
        let variables = schema.variables();
        let completion = Completion::new(Arc::clone(&schema), Identifiers::default())?;
        let (mut pins, mut forbidden) = (Vec::new(), Vec::new());
        for rule in schema.rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            for (variable, value) in pinned(&then, variables) {
                if variables[variable].is_modelled()
                    && !rule.when.variables().contains(variables[variable].name.as_str())
                {
                    pins.push((variable, when.clone(), value));
                }
            }
            let named = rule.when.variables().into_iter().chain(rule.then.variables());
            let needs = base_variables(&schema, &places, named);
            let text = format!("when {} then {}", rule.when, rule.then);
            forbidden.push(Forbidden { when, unless: Some(then), needs, text });
        }
        for impossible in schema.impossible() {
            let needs = base_variables(&schema, &places, impossible.variables().into_iter());
            let when = impossible.condition(variables)?;
            forbidden.push(Forbidden { when, unless: None, needs, text: impossible.text().to_owned() });
        }
        let reserved = |place: &usize| {
            let variable = &variables[*place];
            let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
            let tokens = tokens.filter_map(|token| token.parse().ok());
            variable.codes.iter().map(|code| code.value).chain(tokens).collect()
        };
        let reserved = places.iter().map(reserved).collect();
        let names: Vec<&str> = places.iter().map(|place| variables[*place].name.as_str()).collect();
        let released = Arc::new(schema.of_variables(&names)?);
        Ok(Self { places, released, completion, pins, forbidden, nested, reserved, spare, schema })
    }

    /// The modelled variables, in the order of the schema.
    pub(in crate::methods) fn variables(&self) -> impl Iterator<Item = &Variable> + '_ {
        self.places.iter().map(|place| &self.schema.variables()[*place])
    }

    /// Writes what was learned from records.
    pub(in crate::methods) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        for nested in &self.nested {
            let parents = nested.parent_of.iter().map(|parent| parent.unwrap_or(u32::MAX));
            into.numbers("parents", nested.parent_of.len(), parents)?;
        }
        self.spare.store(into)
    }

    /// The stored keeper of a schema.
    pub(in crate::methods) fn load(
        from: &mut StateReader<'_>,
        schema: &Arc<Schema>,
    ) -> Result<Self, SynthesisError> {
        let places = modelled(schema)?;
        let mut nested = Vec::new();
        for (child, parent) in nested_pairs(schema, &places) {
            let parents: Vec<u32> = from.array("parents")?;
            let levels =
                |place: usize| schema.variables()[places[place]].kind.levels().map_or(0, |of| of.len());
            let is_fine = parents.len() == levels(child)
                && parents.iter().all(|above| *above == u32::MAX || *above as usize <= levels(parent));
            ensure(is_fine, "the levels of a nested variable are not those of its parent")?;
            let parent_of = parents.into_iter().map(|above| (above != u32::MAX).then_some(above)).collect();
            nested.push(Nested { child, parent, parent_of });
        }
        let spare = Spare::load(from, schema, &places)?;
        Self::new(Arc::clone(schema), places, nested, spare)
    }

    /// A data set of proposals that keep the schema.
    pub(in crate::methods) fn draw(
        &self,
        from: &impl Proposals,
        rows: usize,
        seed: Seed,
    ) -> Result<Table, SynthesisError> {
        let variables: Vec<&Variable> = self.variables().collect();
        let mut columns: Vec<ColumnBuilder<'_>> =
            variables.iter().map(|variable| ColumnBuilder::new(variable, rows)).collect();
        let blocks: Vec<usize> = (0..rows.div_ceil(BLOCK)).collect();
        for some in blocks.chunks(AT_ONCE) {
            let drawn = some.par_iter().map(|block| {
                let count = BLOCK.min(rows - block * BLOCK);
                self.block(from, count, &mut seed.stream(*block as u64))
            });
            for values in drawn.collect::<Result<Vec<_>, _>>()? {
                columns.iter_mut().zip(&values).for_each(|(column, values)| column.extend(values));
            }
        }
        let columns: Vec<Column> = columns.into_iter().map(ColumnBuilder::finish).collect();
        Ok(Table::new(Arc::clone(&self.released), columns)?)
    }

    fn block(
        &self,
        from: &impl Proposals,
        rows: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<Value>>, SynthesisError> {
        let mut values = from.propose(rows, rng);
        let mut draft = self.empty_draft();
        let mut open: Vec<usize> =
            (0..rows).filter(|row| self.settle(&mut values, *row, &mut draft).is_err()).collect();
        for _ in 1..PROPOSALS {
            if open.is_empty() {
                return Ok(values);
            }
            let again = from.propose(open.len(), rng);
            for (place, row) in open.iter().enumerate() {
                values.iter_mut().zip(&again).for_each(|(column, again)| column[*row] = again[place]);
            }
            open.retain(|row| self.settle(&mut values, *row, &mut draft).is_err());
        }
        for row in open {
            self.repair(&mut values, row, &mut draft, rng)?;
        }
        Ok(values)
    }

    /// Takes values of the data for the variables of broken rules until a record keeps them all.
    fn repair(
        &self,
        values: &mut [Vec<Value>],
        row: usize,
        draft: &mut Draft,
        rng: &mut Rng,
    ) -> Result<(), SynthesisError> {
        for _ in 0..10 * PROPOSALS {
            match self.settle(values, row, draft) {
                Ok(()) => return Ok(()),
                Err(broken) => {
                    let needs = match broken {
                        Broken::Rule(at) => self.forbidden[at].needs.clone(),
                        Broken::Nesting(at) => vec![self.nested[at].child, self.nested[at].parent],
                        Broken::Domain(place) => vec![place],
                        Broken::Computed(at) => base_variables(
                            &self.schema,
                            &self.places,
                            std::iter::once(self.schema.variables()[at].name.as_str()),
                        ),
                    };
                    if !self.spare.fill(values, row, &needs, self.variables(), rng) {
                        break;
                    }
                }
            }
        }
        let rules: Vec<String> = self.forbidden.iter().map(|rule| format!("`{}`", rule.text)).collect();
        Err(SynthesisError::Rules(format!(
            "some records cannot keep it however often they are drawn ({}); widen ranges, or take a rule out of the schema",
            if rules.is_empty() { "ranges of computed variables".to_owned() } else { rules.join(", ") }
        )))
    }

    /// Sets what rules fix, and says whether the record keeps the schema; if not, what it breaks.
    fn settle(&self, values: &mut [Vec<Value>], row: usize, draft: &mut Draft) -> Result<(), Broken> {
        for (place, at) in self.places.iter().enumerate() {
            draft.0[*at] = values[place][row];
        }
        let has_derived = self.completion.derived().next().is_some();
        if has_derived {
            self.completion.compute(draft);
        }
        for (variable, when, value) in &self.pins {
            if draft.0[*variable] != *value && when.holds(draft) == Some(true) {
                draft.0[*variable] = *value;
                if let Ok(place) = self.places.binary_search(variable) {
                    values[place][row] = *value;
                }
            }
        }
        let variables = self.schema.variables();
        for (place, (at, reserved)) in self.places.iter().zip(&self.reserved).enumerate() {
            let value = draft.0[*at];
            let is_misread = matches!(value, Value::Number(number) if reserved.contains(&number));
            if is_misread || !in_domain(&variables[*at], value) {
                return Err(Broken::Domain(place));
            }
        }
        for (at, nested) in self.nested.iter().enumerate() {
            let value = |place: usize| draft.0[self.places[place]];
            let Value::Level(child) = value(nested.child) else { continue };
            let parent = match value(nested.parent) {
                Value::Level(level) => level,
                _ => variables[self.places[nested.parent]].kind.levels().map_or(0, |of| of.len()) as u32,
            };
            if nested.parent_of.get(child as usize).copied().flatten().is_some_and(|known| known != parent) {
                return Err(Broken::Nesting(at));
            }
        }
        if has_derived {
            self.completion.compute(draft);
            for at in self.completion.derived() {
                if !in_domain(&variables[at], draft.0[at]) {
                    return Err(Broken::Computed(at));
                }
            }
        }
        let is_broken = |rule: &Forbidden| {
            rule.when.holds(draft) == Some(true)
                && rule.unless.as_ref().is_none_or(|unless| unless.holds(draft) == Some(false))
        };
        match self.forbidden.iter().position(is_broken) {
            Some(rule) => Err(Broken::Rule(rule)),
            None => Ok(()),
        }
    }

    fn empty_draft(&self) -> Draft {
        Draft(self.schema.variables().iter().map(|_| Value::Missing).collect())
    }

    /// What there is to say of the proposals that the schema refuses.
    pub(in crate::methods) fn remark(&self, from: &impl Proposals, seed: Seed) -> Option<String> {
        let mut values = from.propose(TRIED, &mut seed.stream(0));
        let mut draft = self.empty_draft();
        let refused = (0..TRIED).filter(|row| self.settle(&mut values, *row, &mut draft).is_err()).count();
        let share = refused as f64 / TRIED as f64;
        (refused > 0).then(|| {
            let warning = if share > MANY {
                "; this changes the distribution: look at the variables that rules name"
            } else {
                ""
            };
            format!(
                "{:.1} % of the records that the model draws leave a range or break a rule of the schema and are drawn again{warning}",
                100.0 * share
            )
        })
    }
}

/// What a record breaks.
#[derive(Clone, Copy, Debug)]
enum Broken {
    /// The range, step or codes of the modelled variable at this place.
    Domain(usize),
    Nesting(usize),
    /// The range of a computed variable, by its position in the schema.
    Computed(usize),
    Rule(usize),
}

/// The modelled variables, by place, on which these depend: themselves, or what they are computed from.
fn base_variables<'a>(schema: &Schema, places: &[usize], names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut open: Vec<String> = names.map(str::to_owned).collect();
    let (mut found, mut seen): (Vec<usize>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some(name) = open.pop() {
        let Ok(at) = schema.position_of(&name) else { continue };
        if seen.contains(&name) {
            continue;
        }
        if let Some(formula) = &schema.variables()[at].formula {
            open.extend(formula.variables().into_iter().map(str::to_owned));
        } else if let Ok(place) = places.binary_search(&at) {
            found.push(place);
        }
        seen.push(name);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Child and parent among the modelled variables, by place.
fn nested_pairs(schema: &Schema, places: &[usize]) -> Vec<(usize, usize)> {
    let parent = |child: usize| {
        let within = schema.variables()[places[child]].within.as_deref()?;
        places.iter().position(|at| schema.variables()[*at].name == within)
    };
    (0..places.len()).filter_map(|child| Some((child, parent(child)?))).collect()
}

/// The first parent that each level of a child occurs under.
fn parents_in(child: &Column, parent: &Column, levels: usize) -> Vec<Option<u32>> {
    let mut parent_of = vec![None; levels];
    if let (Column::Categorical(children), Column::Categorical(parents)) = (child, parent) {
        for (child, parent) in children.iter().zip(parents.iter()) {
            if let Some(known) = parent_of.get_mut(child as usize) {
                known.get_or_insert(parent);
            }
        }
    }
    parent_of
}
