//! A conditional fitted apart within cells of earlier variables, and once on all records for cells that none of these was in.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::conditional::{self, Conditional, Draws, Given, Response, Task};
use super::fitted_variable::dense_codes;
use super::surroundings::{Conditioning, Drawing};
use crate::SynthesisError;
use crate::key::Key;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// The name under which fits within cells are stored.
pub(super) const NAME: &str = "within";

/// The name under which keys and the number of cells are stored.
const CELLS: &str = "keys";

const OTHER_CELLS: &str = "the cells within which a variable is drawn are not those of their keys";

/// The cells of the records of the data, by keys.
pub(super) struct Cells {
    pub keys: Vec<Key>,
    pub of_record: Vec<Vec<u64>>,
}

/// One model a cell.
#[derive(Debug)]
struct Apart {
    keys: Vec<String>,
    /// Cells, ascending.
    cells: Vec<(Vec<u64>, Part)>,
    /// For other cells.
    all: Box<dyn Conditional>,
}

/// What a cell draws: a category or number that is the same for all, or from a model of the categories that occur there.
#[derive(Debug)]
enum Part {
    Category(u32),
    Number(f64),
    Categories { levels: Vec<u32>, model: Box<dyn Conditional> },
    Numbers(Box<dyn Conditional>),
}

/// What is stored of a part beside its model.
#[derive(Serialize, Deserialize)]
enum StoredPart {
    Category(u32),
    Number(f64),
    Categories(Vec<u32>),
    Numbers,
}

/// The name under which it is stored.
const PART: &str = "part";

impl Part {
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match self {
            Self::Category(code) => into.settings(PART, &StoredPart::Category(*code)),
            Self::Number(number) => into.settings(PART, &StoredPart::Number(*number)),
            Self::Categories { levels, model } => {
                into.settings(PART, &StoredPart::Categories(levels.clone()))?;
                conditional::store(model.as_ref(), into)
            }
            Self::Numbers(model) => {
                into.settings(PART, &StoredPart::Numbers)?;
                conditional::store(model.as_ref(), into)
            }
        }
    }

    /// A part that draws what the whole draws.
    fn load(from: &mut StateReader<'_>, of: Conditioning<'_>) -> Result<Self, SynthesisError> {
        Ok(match (from.settings(PART)?, of.draws) {
            (StoredPart::Category(code), Drawing::Categories(size)) if code < size => Self::Category(code),
            (StoredPart::Number(number), Drawing::Numbers) if number.is_finite() => Self::Number(number),
            (StoredPart::Categories(levels), Drawing::Categories(size)) if are_codes(&levels, size) => {
                let part = of.part(Drawing::Categories(levels.len() as u32))?;
                Self::Categories { levels, model: conditional::load(from, part)? }
            }
            (StoredPart::Numbers, Drawing::Numbers) => {
                Self::Numbers(conditional::load(from, of.part(of.draws)?)?)
            }
            _ => return Err(damaged("what is drawn within a cell is not what is drawn elsewhere")),
        })
    }
}

/// Whether these are some of the codes below `size`, ascending.
pub(super) fn are_codes(codes: &[u32], size: u32) -> bool {
    codes.last().is_some_and(|last| *last < size) && codes.is_sorted_by(|left, right| left < right)
}

/// Fits within every cell that holds records of the task.
pub(super) fn fit(
    task: &Task<'_>,
    cells: &Cells,
    fit: impl Fn(&Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let mut places_of: std::collections::BTreeMap<&[u64], Vec<usize>> = std::collections::BTreeMap::new();
    for (place, row) in task.rows.iter().enumerate() {
        places_of.entry(&cells.of_record[*row as usize]).or_default().push(place);
    }
    let mut fitted = Vec::with_capacity(places_of.len());
    for (number, (cell, places)) in places_of.into_iter().enumerate() {
        let rows: Vec<u32> = places.iter().map(|place| task.rows[*place]).collect();
        let seed = task.seed.child(100 + number as u64);
        let part = match task.response {
            Response::Categories { codes, size } => {
                let codes: Vec<u32> = places.iter().map(|place| codes[*place]).collect();
                let (levels, dense) = dense_codes(&codes, size as usize);
                if let [only] = levels[..] {
                    Part::Category(only)
                } else {
                    let response = Response::Categories { codes: &dense, size: levels.len() as u32 };
                    let model = fit(&Task { rows: &rows, response, seed, ..*task })?;
                    Part::Categories { levels, model }
                }
            }
            Response::Numbers(numbers) => {
                let numbers: Vec<f64> = places.iter().map(|place| numbers[*place]).collect();
                if numbers.iter().all(|number| *number == numbers[0]) {
                    Part::Number(numbers[0])
                } else {
                    let response = Response::Numbers(&numbers);
                    Part::Numbers(fit(&Task { rows: &rows, response, seed, ..*task })?)
                }
            }
        };
        fitted.push((cell.to_vec(), part));
    }
    let keys = cells.keys.iter().map(|key| key.text().to_owned()).collect();
    Ok(Box::new(Apart { keys, cells: fitted, all: fit(task)? }))
}

/// Fits within cells from their stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let (keys, count): (Vec<String>, usize) = from.settings(CELLS)?;
    for key in &keys {
        Key::parse(key, of.around.variables)?;
    }
    let values: Vec<u64> = from.array("cells")?;
    ensure(!keys.is_empty() && count.checked_mul(keys.len()) == Some(values.len()), OTHER_CELLS)?;
    let ascend = values.chunks_exact(keys.len()).is_sorted_by(|left, right| left < right);
    ensure(ascend, OTHER_CELLS)?;
    let mut cells = Vec::with_capacity(count);
    for cell in values.chunks_exact(keys.len()) {
        cells.push((cell.to_vec(), Part::load(from, of)?));
    }
    let all = conditional::load(from, of.part(of.draws)?)?;
    Ok(Box::new(Apart { keys, cells, all }))
}

impl Conditional for Apart {
    fn method(&self) -> &'static str {
        NAME
    }

    fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        let keys = self.keys.iter().map(|text| Key::parse(text, given.frame.variables()));
        let keys = keys.collect::<Result<Vec<Key>, _>>()?;
        let position: HashMap<&[u64], usize> =
            self.cells.iter().enumerate().map(|(at, (cell, _))| (cell.as_slice(), at)).collect();
        let mut places_of: Vec<Vec<usize>> = vec![Vec::new(); self.cells.len() + 1];
        for (place, row) in rows.iter().enumerate() {
            let record = given.frame.record(*row as usize);
            let cell: Vec<u64> = keys.iter().map(|key| key.of(&record)).collect();
            places_of[position.get(cell.as_slice()).copied().unwrap_or(self.cells.len())].push(place);
        }
        let (mut codes, mut numbers) = (vec![0; rows.len()], vec![0.0; rows.len()]);
        let mut are_codes = true;
        for (at, places) in places_of.into_iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            let of: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
            let drawn = match self.cells.get(at) {
                Some((_, Part::Category(code))) => Draws::Codes(vec![*code; of.len()]),
                Some((_, Part::Number(number))) => Draws::Numbers(vec![*number; of.len()]),
                Some((_, Part::Categories { levels, model })) => {
                    let codes = model.draw(given, predictors, &of, rng)?.codes();
                    Draws::Codes(codes.into_iter().map(|code| levels[code as usize]).collect())
                }
                Some((_, Part::Numbers(model))) => model.draw(given, predictors, &of, rng)?,
                None => self.all.draw(given, predictors, &of, rng)?,
            };
            match drawn {
                Draws::Codes(drawn) => {
                    places.into_iter().zip(drawn).for_each(|(place, code)| codes[place] = code);
                }
                Draws::Numbers(drawn) => {
                    are_codes = false;
                    places.into_iter().zip(drawn).for_each(|(place, number)| numbers[place] = number);
                }
            }
        }
        Ok(if are_codes && !rows.is_empty() { Draws::Codes(codes) } else { Draws::Numbers(numbers) })
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        let part = |(number, (cell, part)): (usize, &(Vec<u64>, Part))| {
            let seed = seed.child(1 + number as u64);
            let part = match part {
                Part::Category(code) => Part::Category(*code),
                Part::Number(number) => Part::Number(*number),
                Part::Categories { levels, model } => {
                    Part::Categories { levels: levels.clone(), model: model.with_drawn_parameters(seed) }
                }
                Part::Numbers(model) => Part::Numbers(model.with_drawn_parameters(seed)),
            };
            (cell.clone(), part)
        };
        Box::new(Self {
            keys: self.keys.clone(),
            cells: self.cells.iter().enumerate().map(part).collect(),
            all: self.all.with_drawn_parameters(seed.child(0)),
        })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(CELLS, &(&self.keys, self.cells.len()))?;
        let values = self.cells.iter().flat_map(|(cell, _)| cell.iter().copied());
        into.numbers("cells", self.cells.len() * self.keys.len(), values)?;
        self.cells.iter().try_for_each(|(_, part)| part.store(into))?;
        conditional::store(self.all.as_ref(), into)
    }

    fn remark(&self) -> Option<String> {
        self.all.remark()
    }
}
