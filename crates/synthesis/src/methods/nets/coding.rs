//! How records are written for a net, and read again.
//!
//! - A categorical variable is a span of the levels that records have, missing among them. Variables that are nested in each other share one span, of the
//!   combinations that occur, so that a child under a foreign parent cannot.
//! - A number is a span of {missing, special codes, *atoms*: values that many records share} and the components of a Gaussian mixture, and a position within a component:
//!   (x − mean) / 4 deviations, held in ± 0.99. Where there are fewer than [`FEW`] distinct numbers all are atoms, unless they belong to one record each.
//!
//! A number drawn from a component is rounded to the precision that the data show and stays within their range.

use std::collections::BTreeMap;

use neural::{Component, Mixture, Span, Spans};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use table::expression::Value;
use table::{Column, Schema, Table, TableError, Variable};

use crate::SynthesisError;
use crate::methods::whole::{modelled, nested_blocks};
use crate::near::{NearNumbers, Precision};
use crate::randomness::{Rng, Seed};
use crate::rare;
use crate::stored::{StateReader, StateWriter, StoredColumn, ensure};

/// Fewer distinct numbers than this are atoms, all of them.
const FEW: usize = 20;

/// A number that this share of the records has is an atom.
const SHARED_BY: f64 = 0.01;

/// Spans of more choices are refused.
pub(super) const MOST_LEVELS: usize = 1_000;

/// Distinct values from which mixtures are fitted; more are put together.
const DISTINCT: usize = 20_000;

/// Deviations of a component that the positions −1 and 1 are away from its mean.
const REACH: f64 = 4.0;

/// How often a number outside the range of the data is drawn again before it is reflected at the nearer end.
const DRAWS: usize = 10;

/// How the modelled variables of a schema are written.
pub(super) struct Coding {
    variables: Vec<Variable>,
    blocks: Vec<Block>,
}

/// One span.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Block {
    /// Of variables, by place, the combinations of codes that occur.
    Levels {
        places: Vec<usize>,
        combinations: Vec<Vec<u32>>,
    },
    Number {
        place: usize,
        number: NumberCoding,
    },
}

/// How one number is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NumberCoding {
    has_missing: bool,
    codes: Vec<f64>,
    atoms: Vec<f64>,
    /// Weight, mean and deviation of each component.
    components: Vec<(f64, f64, f64)>,
    range: (f64, f64),
    precision: Option<Precision>,
}

impl NumberCoding {
    fn learn(variable: &Variable, column: &StoredColumn, with_atoms: bool) -> Self {
        let (mut has_missing, mut codes) = (false, Vec::new());
        let mut numbers = Vec::with_capacity(column.rows());
        for row in 0..column.rows() {
            match column.value(variable, row) {
                Value::Number(number) => numbers.push(number + 0.0),
                Value::Code(code) if !codes.contains(&code) => codes.push(code),
                Value::Code(_) => {}
                _ => has_missing = true,
            }
        }
        codes.sort_unstable_by(f64::total_cmp);
        numbers.sort_unstable_by(f64::total_cmp);
        let counted: Vec<(f64, f64)> = numbers
            .chunk_by(|left, right| left == right)
            .map(|equal| (equal[0], equal.len() as f64))
            .collect();
        let shared = (SHARED_BY * column.rows() as f64).max(rare::FEWEST as f64);
        let all = counted.len() < FEW && NearNumbers::learn(numbers.iter().copied()).is_none();
        let is_atom = |(_, count): &&(f64, f64)| with_atoms && (all || *count >= shared);
        let atoms = counted.iter().filter(is_atom).map(|(value, _)| *value).collect();
        let rest: Vec<(f64, f64)> = counted.iter().filter(|pair| !is_atom(pair)).copied().collect();
        let components = if rest.is_empty() {
            Vec::new()
        } else {
            let mixture = Mixture::fit(&together(&rest));
            mixture.components().iter().map(|part| (part.weight, part.mean, part.deviation)).collect()
        };
        let range = match (numbers.first(), numbers.last()) {
            (Some(low), Some(high)) => (*low, *high),
            _ => (0.0, 0.0),
        };
        Self { has_missing, codes, atoms, components, range, precision: Precision::of(&numbers) }
    }

    /// Choices before the components.
    fn fixed(&self) -> usize {
        usize::from(self.has_missing) + self.codes.len() + self.atoms.len()
    }

    fn mixture(&self) -> Mixture {
        let component = |(weight, mean, deviation): &(f64, f64, f64)| Component {
            weight: *weight,
            mean: *mean,
            deviation: *deviation,
        };
        Mixture::of(self.components.iter().map(component).collect())
    }

    fn is_fine(&self, variable: &Variable) -> bool {
        let are_finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        self.codes.iter().all(|code| variable.code_position(*code).is_some())
            && are_finite(&self.atoms)
            && self.components.iter().all(|(weight, mean, deviation)| {
                are_finite(&[*weight, *mean, *deviation]) && *weight > 0.0 && *deviation > 0.0
            })
            && are_finite(&[self.range.0, self.range.1])
            && self.range.0 <= self.range.1
            && self.precision.is_none_or(Precision::is_fine)
            && (1..=MOST_LEVELS).contains(&(self.fixed() + self.components.len()))
    }

    /// The choice of a value and the position within.
    fn encode(&self, value: Value, mixture: &Mixture, rng: &mut Rng) -> (u32, f32) {
        let before = usize::from(self.has_missing);
        match value {
            Value::Number(number) => {
                if let Ok(atom) = self.atoms.binary_search_by(|known| known.total_cmp(&(number + 0.0))) {
                    return ((before + self.codes.len() + atom) as u32, 0.0);
                }
                let shares = mixture.probabilities(number);
                let mut left = rng.random::<f64>();
                let chosen = shares.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                let chosen = chosen.unwrap_or(shares.len().saturating_sub(1));
                let (_, mean, deviation) = self.components[chosen];
                let position = ((number - mean) / (REACH * deviation)).clamp(-0.99, 0.99);
                ((self.fixed() + chosen) as u32, position as f32)
            }
            Value::Code(code) => {
                let at = self.codes.iter().position(|known| *known == code).unwrap_or(0);
                ((before + at) as u32, 0.0)
            }
            _ => (0, 0.0),
        }
    }

    /// The value of a choice; `position` draws where in its component.
    fn decode(&self, variable: &Variable, choice: usize, mut position: impl FnMut() -> f64) -> Value {
        let before = usize::from(self.has_missing);
        if choice < before {
            return Value::Missing;
        }
        if choice < before + self.codes.len() {
            return Value::Code(self.codes[choice - before]);
        }
        if choice < self.fixed() {
            return Value::Number(self.atoms[choice - before - self.codes.len()]);
        }
        let (_, mean, deviation) = self.components[choice - self.fixed()];
        let (low, high) = self.range;
        let mut draw = || mean + REACH * deviation * position().clamp(-1.0, 1.0);
        let mut number = draw();
        for _ in 1..DRAWS {
            if (low..=high).contains(&number) {
                break;
            }
            number = draw();
        }
        let number = reflected(number, low, high);
        let number = self.precision.map_or(number, |precision| precision.round(number));
        Value::Number(match variable.kind.step() {
            Some(step) => (number / step).round() * step,
            None => number,
        })
    }
}

/// A number beyond an end of the range as far within: set to the end itself, it would be the smallest or the largest number of the data, which may be that of one record.
fn reflected(number: f64, low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    if number > high {
        (high - (number - high)).max(middle)
    } else if number < low {
        (low + (low - number)).min(middle)
    } else {
        number
    }
}

/// Neighbouring values put together where there are very many.
fn together(counted: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let some = counted.len().div_ceil(DISTINCT);
    let mean = |part: &[(f64, f64)]| {
        let count: f64 = part.iter().map(|(_, count)| count).sum();
        (part.iter().map(|(value, count)| value * count).sum::<f64>() / count, count)
    };
    counted.chunks(some.max(1)).map(mean).collect()
}

impl Coding {
    /// How these records are written; with atoms, or as published without.
    pub(super) fn learn(records: &Table, with_atoms: bool) -> Result<Self, SynthesisError> {
        let schema = records.schema();
        let places = modelled(schema)?;
        let variables: Vec<Variable> =
            places.iter().map(|place| schema.variables()[*place].clone()).collect();
        let column = |place: usize| &records.columns()[places[place]];
        let mut blocks = Vec::new();
        for block in nested_blocks(schema, &places) {
            // Numbers are nested in nothing; what is nested has levels.
            let (levels, numbers): (Vec<usize>, Vec<usize>) =
                block.into_iter().partition(|place| matches!(column(*place), Column::Categorical(_)));
            if !levels.is_empty() {
                let combinations =
                    combinations(&levels.iter().map(|place| column(*place)).collect::<Vec<_>>());
                blocks.push(Block::Levels { places: levels, combinations });
            }
            for place in numbers {
                let number =
                    NumberCoding::learn(&variables[place], &StoredColumn::of(column(place)), with_atoms);
                blocks.push(Block::Number { place, number });
            }
        }
        let coding = Self { variables, blocks };
        coding.refuse_many_levels()?;
        Ok(coding)
    }

    fn refuse_many_levels(&self) -> Result<(), SynthesisError> {
        for block in &self.blocks {
            let (place, choices) = match block {
                Block::Levels { places, combinations } => (places[places.len() - 1], combinations.len()),
                Block::Number { place, number } => (*place, number.fixed() + number.components.len()),
            };
            if choices > MOST_LEVELS {
                let message = format!(
                    "it has {choices} levels, and a net takes {MOST_LEVELS} of a variable at most; put rare levels together, declare it `text-id` if it \
                     names records, or take another method"
                );
                return Err(TableError::variable(&self.variables[place].name, message).into());
            }
        }
        Ok(())
    }

    /// The spans of the blocks.
    pub(super) fn spans(&self) -> Spans {
        let span = |block: &Block| match block {
            Block::Levels { combinations, .. } => {
                Span { levels: combinations.len(), first_component: combinations.len(), is_condition: true }
            }
            Block::Number { number, .. } => {
                let fixed = number.fixed();
                Span { levels: fixed + number.components.len(), first_component: fixed, is_condition: false }
            }
        };
        Spans::new(self.blocks.iter().map(span).collect())
    }

    /// The records, written for a net.
    pub(super) fn encode(
        &self,
        records: &Table,
        schema: &Schema,
        seed: Seed,
    ) -> Result<neural::Records, SynthesisError> {
        let places = modelled(schema)?;
        let rows = records.rows();
        let spans = self.blocks.len();
        let mut encoded =
            neural::Records { choices: vec![0; rows * spans], positions: vec![0.0; rows * spans] };
        for (at, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Levels { places: of, combinations } => {
                    let columns: Vec<&Column> =
                        of.iter().map(|place| &records.columns()[places[*place]]).collect();
                    for row in 0..rows {
                        let combination = codes_at(&columns, row);
                        let choice = combinations.binary_search(&combination).unwrap_or(0);
                        encoded.choices[row * spans + at] = choice as u32;
                    }
                }
                Block::Number { place, number } => {
                    let column = StoredColumn::of(&records.columns()[places[*place]]);
                    let (mixture, mut rng) = (number.mixture(), seed.stream(at as u64));
                    for row in 0..rows {
                        let value = column.value(&self.variables[*place], row);
                        let (choice, position) = number.encode(value, &mixture, &mut rng);
                        encoded.choices[row * spans + at] = choice;
                        encoded.positions[row * spans + at] = position;
                    }
                }
            }
        }
        Ok(encoded)
    }

    /// Appends the values of a record: for each span its choice, and what draws a position within.
    pub(super) fn decode(
        &self,
        choices: &[usize],
        values: &mut [Vec<Value>],
        mut position: impl FnMut(usize) -> f64,
    ) {
        for (at, (block, choice)) in self.blocks.iter().zip(choices).enumerate() {
            match block {
                Block::Levels { places, combinations } => {
                    for (place, code) in places.iter().zip(&combinations[*choice]) {
                        let levels = self.variables[*place].kind.levels().map_or(0, |levels| levels.len());
                        let is_level = (*code as usize) < levels;
                        values[*place].push(if is_level { Value::Level(*code) } else { Value::Missing });
                    }
                }
                Block::Number { place, number } => {
                    let value = number.decode(&self.variables[*place], *choice, || position(at));
                    values[*place].push(value);
                }
            }
        }
    }

    /// How many variables there are.
    pub(super) fn variables(&self) -> usize {
        self.variables.len()
    }

    /// Writes it.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("spans", &self.blocks)
    }

    /// A stored one for a schema.
    pub(super) fn load(from: &mut StateReader<'_>, schema: &Schema) -> Result<Self, SynthesisError> {
        let places = modelled(schema)?;
        let variables: Vec<Variable> =
            places.iter().map(|place| schema.variables()[*place].clone()).collect();
        let blocks: Vec<Block> = from.settings("spans")?;
        let mut seen = vec![0; variables.len()];
        let is_fine = |block: &Block| match block {
            Block::Levels { places, combinations } => {
                let levels = |place: &usize| variables.get(*place).and_then(|of| of.kind.levels());
                !places.is_empty()
                    && places.iter().all(|place| levels(place).is_some())
                    && (1..=MOST_LEVELS).contains(&combinations.len())
                    && combinations.is_sorted_by(|left, right| left < right)
                    && combinations.iter().all(|codes| {
                        let fits = |(code, place): (&u32, &usize)| {
                            let missing = usize::from(variables[*place].missing);
                            (*code as usize) < levels(place).map_or(0, |levels| levels.len()) + missing
                        };
                        codes.len() == places.len() && codes.iter().zip(places).all(fits)
                    })
            }
            Block::Number { place, number } => variables
                .get(*place)
                .is_some_and(|variable| variable.kind.is_numeric() && number.is_fine(variable)),
        };
        let are_fine = blocks.iter().all(is_fine);
        ensure(are_fine, "its spans are not of its variables")?;
        for block in &blocks {
            match block {
                Block::Levels { places, .. } => places.iter().for_each(|place| seen[*place] += 1),
                Block::Number { place, .. } => seen[*place] += 1,
            }
        }
        ensure(seen.iter().all(|times| *times == 1), "some variables have no span of their own")?;
        Ok(Self { variables, blocks })
    }
}

/// The combinations of codes that occur, ascending.
fn combinations(columns: &[&Column]) -> Vec<Vec<u32>> {
    let rows = columns.first().map_or(0, |column| column.len());
    let mut seen: BTreeMap<Vec<u32>, ()> = BTreeMap::new();
    (0..rows).for_each(|row| {
        seen.entry(codes_at(columns, row)).or_default();
    });
    seen.into_keys().collect()
}

fn codes_at(columns: &[&Column], row: usize) -> Vec<u32> {
    let code = |column: &&Column| match column {
        Column::Categorical(codes) => codes.get(row),
        _ => 0,
    };
    columns.iter().map(code).collect()
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[variables.branch]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n\
        [variables.job]\nkind = \"categorical\"\nlevels = [\"a1\", \"a2\", \"b1\"]\nwithin = \"branch\"\n\
        [variables.hours]\nkind = \"integer\"\ncodes = { -8 = \"not asked\" }\nmissing = [\"\"]\n\
        [variables.pay]\nkind = \"real\"\n";

    fn people() -> Table {
        let mut text = String::from("branch,job,hours,pay\n");
        for row in 0..400_u32 {
            let (branch, job) = [("a", "a1"), ("a", "a2"), ("b", "b1")][row as usize % 3];
            let hours = match row % 5 {
                0 => "-8".to_owned(),
                1 => String::new(),
                2 => "40".to_owned(),
                _ => (row % 61 + 10).to_string(),
            };
            let pay = f64::from((row * 7_919) % 100_003) / 100.0;
            text.push_str(&format!("{branch},{job},{hours},{pay}\n"));
        }
        let schema = SchemaFile::parse(SCHEMA).unwrap();
        read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap()
    }

    #[test]
    fn nested_variables_share_a_span_of_what_occurs_and_numbers_have_codes_atoms_and_components() {
        let people = people();
        let coding = Coding::learn(&people, true).unwrap();
        let spans = coding.spans();
        assert_eq!(spans.len(), 3);
        assert_eq!((spans.spans()[0].levels, spans.spans()[0].is_condition), (3, true));
        let Block::Number { number, .. } = &coding.blocks[1] else { panic!("hours") };
        assert!(number.has_missing && number.codes == [-8.0] && number.atoms.contains(&40.0));
        assert!(!number.components.is_empty());
        let Block::Number { number, .. } = &coding.blocks[2] else { panic!("pay") };
        assert!(number.atoms.is_empty(), "numbers of one record each are no atoms");
        let Block::Number { number, .. } = &Coding::learn(&people, false).unwrap().blocks[1] else {
            panic!("hours")
        };
        assert!(number.atoms.is_empty());
    }

    #[test]
    fn no_draw_ends_at_the_extremes_of_the_data() {
        assert_eq!([12.0, 3.0, -1.0, 99.0].map(|number| reflected(number, 0.0, 10.0)), [8.0, 3.0, 1.0, 5.0]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let people = people();
        let coding = Coding::learn(&people, true).unwrap();
        let encoded = coding.encode(&people, people.schema(), Seed::new(1)).unwrap();
        let mut values = vec![Vec::new(); coding.variables()];
        for row in 0..people.rows() {
            let range = row * 3..(row + 1) * 3;
            let choices: Vec<usize> =
                encoded.choices[range.clone()].iter().map(|choice| *choice as usize).collect();
            coding.decode(&choices, &mut values, |at| f64::from(encoded.positions[range.start + at]));
        }
        for row in 0..people.rows() {
            let record = people.record(row);
            for (place, column) in values.iter().enumerate() {
                use table::expression::Record;
                match (column[row], record.value(place)) {
                    (Value::Number(drawn), Value::Number(own)) => {
                        assert!(
                            (drawn - own).abs() <= 0.011 * own.abs().max(1_000.0) / 1_000.0,
                            "{drawn} {own}"
                        )
                    }
                    (drawn, own) => assert_eq!(drawn, own),
                }
            }
        }
    }
}
