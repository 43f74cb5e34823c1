//! What the schema asks of a variable once the earlier ones are there: values that rules fix, rules to keep, parents to lie in, ranges.

use std::collections::BTreeMap;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use table::expression::{Condition, Formula, Value};
use table::schema::{Kind, Schema};
use table::{Column, TableError, Variable};

use super::fitted_variable::Mark;
use super::frame::{Frame, FrameRecord};
use super::surroundings::Surroundings;
use crate::SynthesisError;
use crate::randomness::Rng;
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// A condition that no record may meet.
#[derive(Clone, Debug)]
struct Forbidden {
    when: Condition,
    unless: Option<Condition>,
    variables: Vec<usize>,
    text: String,
}

/// A value that a rule fixes: where `when` holds, the variable has it.
#[derive(Clone, Debug)]
struct Pin {
    when: Condition,
    value: Value,
    text: String,
}

/// What is asked of the variables of one step.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    targets: Vec<usize>,
    /// For a step of one variable, the values that rules fix.
    pins: Vec<Pin>,
    /// Rules whose last variable is drawn in this step.
    forbidden: Vec<Forbidden>,
    /// For each target, numbers that would be read as a special code or as missing.
    reserved: Vec<Vec<f64>>,
}

/// The rules of a schema, to be shared out among the steps.
pub(super) struct Rules {
    forbidden: Vec<Forbidden>,
    pins: Vec<(usize, Vec<usize>, Pin)>,
    reserved: Vec<Vec<f64>>,
}

impl Rules {
    /// The rules and impossible cells of a schema, whose variables come first in `variables`.
    pub(super) fn of(schema: &Schema, variables: &[Variable]) -> Result<Self, TableError> {
        let position = |name: &str| variables.iter().position(|variable| variable.name == name);
        let (mut forbidden, mut pins) = (Vec::new(), Vec::new());
        for rule in schema.rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            let needs: Vec<usize> = rule.when.variables().into_iter().filter_map(position).collect();
            let text = format!("when {} then {}", rule.when, rule.then);
            for (variable, value) in pinned(&then, variables) {
                if !needs.contains(&variable) {
                    pins.push((
                        variable,
                        needs.clone(),
                        Pin { when: when.clone(), value, text: text.clone() },
                    ));
                }
            }
            let named = rule.when.variables().into_iter().chain(rule.then.variables());
            let variables = named.filter_map(position).collect();
            forbidden.push(Forbidden { when, unless: Some(then), variables, text });
        }
        for impossible in schema.impossible() {
            let when = impossible.condition(variables)?;
            let variables = impossible.variables().into_iter().filter_map(position).collect();
            forbidden.push(Forbidden { when, unless: None, variables, text: impossible.text().to_owned() });
        }
        let reserved = |variable: &Variable| {
            let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
            let tokens = tokens.filter_map(|token| token.parse().ok());
            variable.codes.iter().map(|code| code.value).chain(tokens).collect()
        };
        Ok(Self { forbidden, pins, reserved: variables.iter().map(reserved).collect() })
    }

    /// What is asked of a step that draws `targets` when `known` are there already.
    pub(super) fn guard(&self, targets: &[usize], known: &[bool]) -> Guard {
        let is_new = |variable: &usize| targets.contains(variable);
        let is_there = |variable: &usize| known[*variable] || is_new(variable);
        let closes =
            |rule: &&Forbidden| rule.variables.iter().any(is_new) && rule.variables.iter().all(is_there);
        let pins = match targets {
            [one] => {
                let of_this = |(variable, needs, _): &&(usize, Vec<usize>, Pin)| {
                    variable == one && needs.iter().all(|need| known[*need])
                };
                self.pins.iter().filter(of_this).map(|(_, _, pin)| pin.clone()).collect()
            }
            _ => Vec::new(),
        };
        Guard {
            targets: targets.to_vec(),
            pins,
            forbidden: self.forbidden.iter().filter(closes).cloned().collect(),
            reserved: targets.iter().map(|target| self.reserved[*target].clone()).collect(),
        }
    }
}

impl Guard {
    /// The value that a rule fixes for this record, if one does.
    pub(super) fn pinned(&self, record: &FrameRecord<'_>) -> Option<Value> {
        self.pins.iter().find(|pin| pin.when.holds(record) == Some(true)).map(|pin| pin.value)
    }

    /// The records that no rule fixes, or all where there are none of these, as can happen within a stratum.
    pub(super) fn free_records(&self, frame: &Frame<'_>) -> Vec<u32> {
        let all = 0..frame.rows() as u32;
        if self.pins.is_empty() {
            return all.collect();
        }
        let is_free = |row: &u32| self.pinned(&frame.record(*row as usize)).is_none();
        let free: Vec<u32> = all.clone().filter(is_free).collect();
        if free.is_empty() { all.collect() } else { free }
    }

    /// Refuses rules that fix a variable in every record of the data: nothing would be left to learn.
    pub(super) fn refuse_if_all_are_fixed(&self, frame: &Frame<'_>) -> Result<(), SynthesisError> {
        let is_fixed = |row: usize| self.pinned(&frame.record(row)).is_some();
        if self.pins.is_empty() || !(0..frame.rows()).all(is_fixed) {
            return Ok(());
        }
        let rules: Vec<String> = self.pins.iter().map(|pin| format!("`{}`", pin.text)).collect();
        let message = format!(
            "the rule {} fixes it in every record, so that nothing is left to learn; correct the rule, or leave the variable out",
            rules.join(", ")
        );
        Err(TableError::variable(&frame.variables()[self.targets[0]].name, message).into())
    }

    /// Whether anything but the kinds of the variables is asked for.
    pub(super) fn has_rules(&self) -> bool {
        !self.forbidden.is_empty()
    }

    /// The rules that close here, for an error.
    pub(super) fn rules_text(&self) -> String {
        self.forbidden.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>().join("; ")
    }

    /// Whether a record may have these values of the targets.
    pub(super) fn accepts(&self, frame: &Frame<'_>, row: usize, values: &[(usize, Value)]) -> bool {
        let variables = frame.variables();
        let in_kind = values.iter().zip(&self.reserved).all(|((variable, value), reserved)| {
            in_domain(&variables[*variable], *value)
                && !matches!(value, Value::Number(number) if reserved.contains(number))
        });
        if !in_kind || self.forbidden.is_empty() {
            return in_kind;
        }
        let record = frame.record_with(row, values);
        self.forbidden.iter().all(|rule| {
            rule.when.holds(&record) != Some(true)
                || rule.unless.as_ref().is_some_and(|unless| unless.holds(&record) != Some(false))
        })
    }
}

/// Whether the schema allows this value of the variable.
pub(in crate::methods) fn in_domain(variable: &Variable, value: Value) -> bool {
    match (value, &variable.kind) {
        (Value::Missing, _) => variable.missing,
        (Value::Number(number), Kind::Integer { range }) => {
            number.fract() == 0.0
                && range.is_none_or(|(low, high)| (low as f64..=high as f64).contains(&number))
        }
        (Value::Number(number), Kind::Real { range }) => {
            number.is_finite() && range.is_none_or(|(low, high)| (low..=high).contains(&number))
        }
        (Value::Number(number), Kind::Date { range, .. }) => {
            range.is_none_or(|(first, last)| (f64::from(first)..=f64::from(last)).contains(&number))
        }
        (Value::Number(number), Kind::Datetime { range, .. }) => {
            range.is_none_or(|(first, last)| (first as f64..=last as f64).contains(&number))
        }
        _ => true,
    }
}

/// The variables that a condition fixes, with their value.
pub(in crate::methods) fn pinned(condition: &Condition, variables: &[Variable]) -> Vec<(usize, Value)> {
    match condition {
        Condition::And(left, right) => {
            let mut all = pinned(left, variables);
            all.extend(pinned(right, variables));
            all
        }
        Condition::IsMissing(variable) => vec![(*variable, Value::Missing)],
        Condition::LevelIn { variable, member }
            if member.iter().filter(|is_meant| **is_meant).count() == 1 =>
        {
            let level = member.iter().position(|is_meant| *is_meant).unwrap_or(0) as u32;
            vec![(*variable, Value::Level(level))]
        }
        Condition::Compare(table::expression::Comparator::Equal, left, right) => match (left, right) {
            (Formula::Variable(variable), Formula::Constant(number))
            | (Formula::Constant(number), Formula::Variable(variable)) => {
                let is_code = variables[*variable].code_position(*number).is_some();
                vec![(*variable, if is_code { Value::Code(*number) } else { Value::Number(*number) })]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Which levels of a variable occur with which of another: a child within its parent, in whichever order they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nesting {
    /// The variable that is there already, and the one that is drawn.
    pub given: usize,
    pub drawn: usize,
    /// For each of its codes, the codes that occur with it and how often, by code.
    occurs: Vec<Vec<(u32, u32)>>,
}

impl Nesting {
    /// The pairs that occur in the data.
    pub(super) fn learn(frame: &Frame<'_>, given: usize, drawn: usize) -> Option<Self> {
        let (Column::Categorical(outer), Column::Categorical(inner)) =
            (frame.column(given), frame.column(drawn))
        else {
            return None;
        };
        let levels = frame.variables()[given].kind.levels().map_or(0, |levels| levels.len());
        let mut counts: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); levels + 1];
        for (outer, inner) in outer.iter().zip(inner.iter()) {
            *counts[outer as usize].entry(inner).or_default() += 1;
        }
        let occurs = counts.into_iter().map(|of_one| of_one.into_iter().collect()).collect();
        Some(Self { given, drawn, occurs })
    }

    /// Writes the pairs.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("nesting", &(self.given, self.drawn))?;
        let pairs = || self.occurs.iter().flatten();
        let ends = self.occurs.iter().scan(0_u32, |end, of_one| {
            *end += of_one.len() as u32;
            Some(*end)
        });
        into.numbers("ends of codes", self.occurs.len(), ends)?;
        into.numbers("codes", pairs().count(), pairs().map(|(code, _)| *code))?;
        into.numbers("counts", pairs().count(), pairs().map(|(_, count)| *count))
    }

    /// The pairs of a variable that is there and one of the targets.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        around: Surroundings<'_>,
        targets: &[usize],
    ) -> Result<Self, SynthesisError> {
        let (given, drawn): (usize, usize) = from.settings("nesting")?;
        let ends: Vec<u32> = from.array("ends of codes")?;
        let (codes, counts): (Vec<u32>, Vec<u32>) = (from.array("codes")?, from.array("counts")?);
        let other = "the levels of a nested variable are not those of its parent";
        ensure(around.is_known(given) && targets.contains(&drawn), other)?;
        let (Some(parents), Some(levels)) = (around.levels(given), around.levels(drawn)) else {
            return Err(damaged(other));
        };
        let total = counts.iter().map(|count| u64::from(*count)).sum::<u64>();
        let are_fine = ends.len() == parents + 1
            && ends.is_sorted()
            && ends.last().is_some_and(|end| *end as usize == codes.len())
            && counts.len() == codes.len()
            && codes.iter().all(|code| *code as usize <= levels)
            && total <= around.records as u64;
        ensure(are_fine, other)?;
        let mut start = 0;
        let occurs: Vec<Vec<(u32, u32)>> = ends
            .iter()
            .map(|end| {
                let range = start..*end as usize;
                start = range.end;
                codes[range.clone()].iter().copied().zip(counts[range].iter().copied()).collect()
            })
            .collect();
        let ascend = |of_one: &Vec<(u32, u32)>| of_one.is_sorted_by(|left, right| left.0 < right.0);
        ensure(occurs.iter().all(ascend), other)?;
        Ok(Self { given, drawn, occurs })
    }

    /// Whether the pair occurs.
    pub(super) fn allows(&self, given: u32, drawn: u32) -> bool {
        self.occurs[given as usize].binary_search_by_key(&drawn, |(code, _)| *code).is_ok()
    }

    /// A code that occurs with `given`, as often as it does; `None` where nothing does.
    pub(super) fn draw(&self, given: u32, rng: &mut Rng) -> Option<u32> {
        let choices = &self.occurs[given as usize];
        let total: u32 = choices.iter().map(|(_, count)| count).sum();
        let mut left = if total == 0 { return None } else { rng.random_range(0..total) };
        for (code, count) in choices {
            match left.checked_sub(*count) {
                Some(rest) => left = rest,
                None => return Some(*code),
            }
        }
        None
    }
}

/// Entries of the data that are tried where a model's draws break a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Spare(Vec<Mark>);

/// How many entries are kept to be tried.
const SPARE: usize = 1_000;

impl Spare {
    /// Entries of a variable drawn evenly from these records.
    pub(super) fn draw(frame: &Frame<'_>, variable: usize, rows: &[u32], mut rng: Rng) -> Self {
        let entry = |row: u32| Mark::of(frame.value(variable, row as usize));
        if !Self::is_drawn(rows.len()) {
            return Self(rows.iter().map(|row| entry(*row)).collect());
        }
        Self((0..SPARE).map(|_| entry(rows[rng.random_range(0..rows.len())])).collect())
    }

    /// Whether there are too many records to keep all their entries.
    pub(super) fn is_drawn(records: usize) -> bool {
        records > SPARE
    }

    /// All of them.
    pub(super) fn entries(&self) -> &[Mark] {
        &self.0
    }

    /// One of the entries.
    pub(super) fn pick(&self, rng: &mut Rng) -> Option<Value> {
        (!self.0.is_empty()).then(|| self.0[rng.random_range(0..self.0.len())].value())
    }
}
