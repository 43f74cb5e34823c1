//! From cells to records: levels by name, numbers drawn within their class, derived variables computed, identifiers made new.
//!
//! A number is drawn within its class from the numbers that records have there, where the method is not private and has records; else
//! evenly, or by the shape and step that the schema declares. In a private run it lies within its class where the rest of its record puts it (see `latent`). Where a class straddles a rule, the
//! draw is repeated until the record keeps the schema, which is a draw from the class given the rule. Where a hundred draws
//! have not done it, numbers at and between those that the rules name are proposed instead: the record then keeps the schema,
//! but is no longer uniform among the few that do.

use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;
use table::domain::Partition;
use table::expression::{Condition, Record, Span, Value};
use table::schema::{Kind, Shape};
use table::{Column, Domain, Schema, Table};

use crate::class_numbers::ClassNumbers;
use crate::completion::{Completion, Draft, NewColumns};
use crate::identifiers::Identifiers;
use crate::latent::{Latent, Place};
use crate::randomness::{BLOCK, Rng, Seed};
use crate::{Cells, SynthesisError};

/// How often the numbers of a record are drawn again before the cell is given up.
const TRIES: usize = 400;

/// How many other cells are tried in the place of one without a record.
const REPLACEMENTS: usize = 1_000;

/// So many of them are where the rest of the record puts them.
const PLACED_TRIES: usize = 20;

/// After this many tries, numbers that rules name are proposed too: `income = 0` is rarely hit by chance.
const PLAIN_TRIES: usize = 100;

/// Turns cells of a domain into records of a schema.
pub struct Decoder {
    completion: Completion,
    domain: Domain,
    sources: Vec<Source>,
    forbidden: Vec<Forbidden>,
    /// For each variable of the domain, numbers that would be read as a special code or as missing.
    reserved: Vec<Vec<f64>>,
    /// For each variable of the domain, how its numbers are drawn within a class.
    draws: Vec<(Shape, Option<f64>)>,
    /// For each variable of the domain, numbers between which equally many records of a class lie.
    knots: Vec<Vec<f64>>,
    /// Numbers that rules compare with.
    landmarks: Vec<f64>,
    /// The numbers that records have within each class.
    numbers: ClassNumbers,
    /// Whether the model came out of a private run.
    private: bool,
}

/// Where a variable's values come from.
enum Source {
    /// The class of this variable of the domain.
    Class(usize),
    /// A formula of other variables.
    Derived,
    /// A new identifier.
    Identifier,
}

/// A condition that no record may meet, with the words of the schema.
struct Forbidden {
    when: Condition,
    unless: Option<Condition>,
    text: String,
}

impl Forbidden {
    fn meets(&self, record: &impl Record) -> bool {
        self.when.holds(record) == Some(true)
            && self.unless.as_ref().is_none_or(|unless| unless.holds(record) == Some(false))
    }
}

impl Decoder {
    /// A decoder for records of `schema` whose modelled variables are those of `domain`, with identifiers like these.
    pub fn new(
        schema: Arc<Schema>,
        domain: Domain,
        identifiers: Identifiers,
    ) -> Result<Self, SynthesisError> {
        let variables = schema.variables();
        let source = |variable: &table::Variable| match domain.position_of(&variable.name) {
            Ok(position) => Source::Class(position),
            Err(_) if variable.formula.is_some() => Source::Derived,
            Err(_) => Source::Identifier,
        };
        let sources: Vec<Source> = variables.iter().map(source).collect();
        let mut forbidden = Vec::new();
        for rule in schema.rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            let text = format!("when {} then {}", rule.when, rule.then);
            forbidden.push(Forbidden { when, unless: Some(then), text });
        }
        for impossible in schema.impossible() {
            let when = impossible.condition(variables)?;
            forbidden.push(Forbidden { when, unless: None, text: impossible.text().to_owned() });
        }
        let mut landmarks = Vec::new();
        for Forbidden { when, unless, .. } in &forbidden {
            when.collect_constants(&mut landmarks);
            unless.iter().for_each(|unless| unless.collect_constants(&mut landmarks));
        }
        let reserved = domain.variables().iter().map(|classes| {
            let variable = schema.variable(classes.name())?;
            let tokens = schema.missing_tokens().iter().chain(&variable.missing_tokens);
            let tokens = tokens.filter_map(|token| token.parse().ok());
            Ok(variable.codes.iter().map(|code| code.value).chain(tokens).collect())
        });
        let reserved = reserved.collect::<Result<Vec<Vec<f64>>, table::TableError>>()?;
        let draw = |classes: &table::Classes| {
            let finest = |variable: &table::Variable| variable.kind.step().filter(|step| *step > 1.0);
            schema
                .variable(classes.name())
                .map(|variable| (variable.shape, variable.step.or(finest(variable))))
        };
        let draws = domain.variables().iter().map(draw).collect::<Result<_, _>>()?;
        let knots = domain
            .variables()
            .iter()
            .map(|classes| schema.variable(classes.name()).map(|variable| variable.knots.clone()));
        let knots = knots.collect::<Result<_, _>>()?;
        let completion = Completion::new(schema, identifiers)?;
        Ok(Self {
            completion,
            domain,
            sources,
            forbidden,
            reserved,
            draws,
            knots,
            landmarks,
            numbers: ClassNumbers::default(),
            private: false,
        })
    }

    /// The decoder with these numbers to draw from within classes.
    pub(crate) fn with_numbers(self, numbers: ClassNumbers) -> Self {
        Self { numbers, ..self }
    }

    /// The numbers that it draws from within classes.
    pub(crate) fn numbers(&self) -> &ClassNumbers {
        &self.numbers
    }

    /// The schema that its records keep.
    pub fn schema(&self) -> &Schema {
        self.completion.schema()
    }

    /// The same for a model of a private run. Another cell of the data set takes the place of one that holds no record that keeps the rules, since such a run must not end
    /// with an error after it has looked; and numbers lie within their classes where the rest of their record puts them, since no number of a record may be drawn.
    pub(crate) fn of_private_run(self) -> Self {
        Self { private: true, ..self }
    }

    /// Whether [`latent`](Self::latent) may find something.
    pub(crate) fn places_numbers(&self) -> bool {
        self.private && Latent::is_of_use(&self.domain)
    }

    /// Where numbers lie within their classes, learned from the first records of a data set with this seed.
    pub(crate) fn latent(&self, cells: &Cells, seed: Seed) -> Option<Latent> {
        if !self.places_numbers() {
            return None;
        }
        Latent::learn(cells, &self.domain, seed.child(2))
    }

    /// What computes variables and makes identifiers.
    pub(crate) fn completion(&self) -> &Completion {
        &self.completion
    }

    /// The classes that it knows.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Records of these cells, in their order, all at once.
    pub fn decode(&self, cells: &Cells, seed: Seed) -> Result<Table, SynthesisError> {
        let mut parts = Vec::new();
        self.decode_in_parts(cells, seed, |part| {
            parts.push(part);
            Ok(())
        })?;
        Ok(Table::concatenate(self.completion.shared_schema(), parts)?)
    }

    /// Records of these cells, in their order, handed to `take` part by part, so that they need not all be in memory.
    pub(crate) fn decode_in_parts(
        &self,
        cells: &Cells,
        seed: Seed,
        take: impl FnMut(Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        let identifiers = self.completion.new_identifiers(cells.rows(), seed.child(0));
        let latent = self.latent(cells, seed);
        self.decode_rows(cells, 0, &identifiers, latent.as_ref(), seed, take)
    }

    /// Records of these cells, which are those of a data set from record `first` on, a multiple of [`BLOCK`]. `identifiers` and `latent` are those of the whole data set.
    pub(crate) fn decode_rows(
        &self,
        cells: &Cells,
        first: usize,
        identifiers: &NewColumns,
        latent: Option<&Latent>,
        seed: Seed,
        mut take: impl FnMut(Table) -> Result<(), SynthesisError>,
    ) -> Result<(), SynthesisError> {
        debug_assert_eq!(first % BLOCK, 0, "blocks are decoded whole");
        let blocks: Vec<usize> = (0..cells.rows().div_ceil(BLOCK)).collect();
        for some in blocks.chunks(2 * rayon::current_num_threads()) {
            let parts = some.par_iter().map(|block| {
                let number = (first / BLOCK + *block) as u64;
                let placing = latent.map(|latent| Placing { latent, rng: seed.child(3).stream(number) });
                self.decode_block(cells, *block, first, identifiers, placing, seed.stream(number))
            });
            for part in parts.collect::<Result<Vec<Table>, _>>()? {
                take(part)?;
            }
        }
        Ok(())
    }

    fn decode_block(
        &self,
        cells: &Cells,
        block: usize,
        first: usize,
        identifiers: &NewColumns,
        mut placing: Option<Placing<'_>>,
        mut rng: Rng,
    ) -> Result<Table, SynthesisError> {
        let rows = block * BLOCK..cells.rows().min((block + 1) * BLOCK);
        let of_data_set = first + rows.start..first + rows.end;
        let columns: Vec<Column> = if self.forbidden.is_empty() && self.completion.derived().next().is_none()
        {
            // Nothing but their places ties variables together: a column at a time.
            let places: Vec<Vec<Option<Place>>> = match placing.as_mut() {
                Some(placing) => rows.clone().map(|row| placing.draw(cells, row)).collect(),
                None => Vec::new(),
            };
            let column = |(variable, source): (usize, &Source)| match source {
                Source::Class(position) => {
                    let codes = &cells.columns()[*position];
                    self.completion.column(variable, rows.clone(), |row| {
                        let place = places.get(row - rows.start).and_then(|places| places[*position]);
                        self.value(*position, codes.get(row), place, &mut rng)
                    })
                }
                Source::Derived | Source::Identifier => {
                    self.completion.identifier(variable, of_data_set.clone(), identifiers)
                }
            };
            self.sources.iter().enumerate().map(column).collect()
        } else {
            let drafts =
                rows.clone().map(|row| self.draft_or_replacement(cells, row, placing.as_mut(), &mut rng));
            let drafts = drafts.collect::<Result<Vec<Draft>, _>>()?;
            let column = |variable: usize| match self.sources[variable] {
                Source::Identifier => self.completion.identifier(variable, of_data_set.clone(), identifiers),
                _ => {
                    self.completion.column(variable, rows.clone(), |row| drafts[row - rows.start].0[variable])
                }
            };
            (0..self.sources.len()).map(column).collect()
        };
        self.completion.checked(Table::new(self.completion.shared_schema(), columns)?)
    }

    /// The record of a row, or of another row that has one where that is allowed.
    fn draft_or_replacement(
        &self,
        cells: &Cells,
        row: usize,
        placing: Option<&mut Placing<'_>>,
        rng: &mut Rng,
    ) -> Result<Draft, SynthesisError> {
        let places = placing.map(|placing| move || placing.draw(cells, row));
        let own = self.draft(&cells.record(row), places, rng);
        if own.is_ok() || !self.private {
            return own;
        }
        let other = (0..REPLACEMENTS).find_map(|_| {
            let other = rng.random_range(0..cells.rows());
            self.draft(&cells.record(other), None::<fn() -> Vec<Option<Place>>>, rng).ok()
        });
        other.map_or(own, Ok)
    }

    fn draft(
        &self,
        cell: &[u32],
        mut places: Option<impl FnMut() -> Vec<Option<Place>>>,
        rng: &mut Rng,
    ) -> Result<Draft, SynthesisError> {
        let mut broken = None;
        for attempt in 0..TRIES {
            let drawn =
                places.as_mut().filter(|_| attempt < PLACED_TRIES).map(|draw| draw()).unwrap_or_default();
            let value = |source: &Source| match source {
                Source::Class(position) if attempt >= PLAIN_TRIES => {
                    self.landmark(*position, cell[*position], rng)
                }
                Source::Class(position) => {
                    self.value(*position, cell[*position], drawn.get(*position).copied().flatten(), rng)
                }
                Source::Derived => Value::Missing,
                Source::Identifier => Value::Text,
            };
            let mut draft = Draft(self.sources.iter().map(value).collect());
            self.completion.compute(&mut draft);
            broken = self
                .forbidden
                .iter()
                .find(|forbidden| forbidden.meets(&draft))
                .map(|forbidden| forbidden.text.as_str());
            let outside =
                self.completion.derived().find(|variable| !self.in_domain(*variable, draft.0[*variable]));
            broken = broken.or(outside.map(|variable| self.schema().variables()[variable].name.as_str()));
            if broken.is_none() {
                return Ok(draft);
            }
        }
        Err(SynthesisError::Rules(format!(
            "a cell that the model makes holds no record that keeps `{}`; cut a variable where the rule does",
            broken.unwrap_or_default()
        )))
    }

    /// Whether a derived value is one that the schema allows.
    fn in_domain(&self, variable: usize, value: Value) -> bool {
        let of = &self.schema().variables()[variable];
        match (value, &of.kind) {
            (Value::Missing, _) => of.missing,
            (Value::Number(number), Kind::Integer { range }) => {
                number.fract() == 0.0
                    && range.is_none_or(|(low, high)| (low as f64..=high as f64).contains(&number))
            }
            (Value::Number(number), Kind::Real { range }) => {
                range.is_none_or(|(low, high)| (low..=high).contains(&number))
            }
            _ => true,
        }
    }

    /// A number at, or between two of, those that rules name within the class; any value of the class if there is none.
    fn landmark(&self, position: usize, class: u32, rng: &mut Rng) -> Value {
        let classes = &self.domain.variables()[position];
        let Span::Numbers { low, high } = classes.span(class) else {
            return self.value(position, class, None, rng);
        };
        let mut limits: Vec<f64> =
            self.landmarks.iter().copied().filter(|number| (low..=high).contains(number)).collect();
        limits.extend([low, high]);
        limits.sort_unstable_by(f64::total_cmp);
        limits.dedup();
        // Points and the gaps between them in turn.
        let piece = rng.random_range(0..2 * limits.len() - 1);
        let (from, to) = (limits[piece / 2], limits[piece.div_ceil(2)]);
        let number = number_between(from, to, classes.is_whole(), rng);
        let number = match classes.step().filter(|step| *step > 1.0) {
            Some(step) => number.map(|number| (number / step).round() * step),
            None => number,
        };
        let is_of_class = |number: &f64| classes.partition().class_of(*number) == Some(class);
        match number.filter(is_of_class).filter(|number| !self.reserved[position].contains(number)) {
            Some(number) => Value::Number(number),
            None => self.value(position, class, None, rng),
        }
    }

    /// A value of a class that is no special code, at its place if it has one.
    fn value(&self, position: usize, class: u32, place: Option<Place>, rng: &mut Rng) -> Value {
        if let Some(number) = place.and_then(|place| self.number_at(position, class, place))
            && !self.reserved[position].contains(&number)
        {
            return Value::Number(number);
        }
        for _ in 0..TRIES {
            match self.any_value(position, class, rng) {
                Value::Number(number) if self.reserved[position].contains(&number) => {}
                value => return value,
            }
        }
        self.any_value(position, class, rng)
    }

    fn any_value(&self, position: usize, class: u32, rng: &mut Rng) -> Value {
        let classes = &self.domain.variables()[position];
        match classes.span(class) {
            Span::Level(level) => Value::Level(level),
            Span::Code(code) => Value::Code(code),
            Span::Missing | Span::Anything => Value::Missing,
            Span::Numbers { low, high } => {
                if let Some(number) = self.numbers.draw(position, class, classes, rng) {
                    return Value::Number(number);
                }
                let (low, high) = match self.piece(position, low, high, rng) {
                    Piece::Within(low, high) => (low, high),
                    Piece::Tail(tail) => {
                        let number = tail.draw(rng);
                        let whole = classes.step().map_or(number, |step| (number / step).floor() * step);
                        return Value::Number(whole.clamp(low, high));
                    }
                };
                let (shape, step) = self.draws[position];
                let number =
                    match step.map(|step| (step, multiples_between(low, high, step, classes.is_whole()))) {
                        Some((step, Some((first, last)))) => {
                            shaped_whole(shape, first, last, rng).map(|multiple| multiple * step)
                        }
                        _ if classes.is_whole() => shaped_whole(shape, low.ceil(), high.floor(), rng),
                        _ => Some(shaped_real(shape, low, high, rng)),
                    };
                number.map_or(Value::Missing, Value::Number)
            }
        }
    }
}

impl Decoder {
    /// The number of a class at a place: by the shape that the schema declares, the knots that were bought, or the function by which it goes on from class to class.
    fn number_at(&self, position: usize, class: u32, place: Place) -> Option<f64> {
        let classes = &self.domain.variables()[position];
        let Span::Numbers { low, high } = classes.span(class) else { return None };
        let (shape, step) = self.draws[position];
        let step = step.or(classes.step());
        let end = high + step.unwrap_or(0.0);
        let number = if shape != Shape::Uniform {
            shape.quantile(place.within, low, end)
        } else if self.has_knots(position, low, high) {
            self.number_between_knots(position, low, high, place.within)
        } else {
            place.number
        };
        Some(match step {
            None if low < high => number.clamp(low, high.next_down()),
            None => low,
            Some(step) => {
                let multiple = (number / step).floor() * step;
                let (first, last) = ((low / step).ceil() * step, (high / step).floor() * step);
                if first > last {
                    return None;
                }
                multiple.clamp(first, last)
            }
        })
    }

    fn has_knots(&self, position: usize, low: f64, high: f64) -> bool {
        self.knots[position].iter().any(|knot| low < *knot && *knot < high)
    }

    /// The number below which this share of a class with knots lies.
    fn number_between_knots(&self, position: usize, low: f64, high: f64, within: f64) -> f64 {
        let pieces = self.knots_between(position, low, high).len() + 1;
        let place = within * pieces as f64;
        let piece = (place as usize).min(pieces - 1);
        let uniform = place - piece as f64;
        match self.piece_number(position, low, high, piece) {
            Piece::Within(from, to) => from + uniform * (to - from),
            // The first piece runs from its knot outwards.
            Piece::Tail(tail) if piece == 0 => tail.at(1.0 - uniform),
            Piece::Tail(tail) => tail.at(uniform),
        }
    }

    fn knots_between(&self, position: usize, low: f64, high: f64) -> &[f64] {
        let knots = &self.knots[position];
        let (from, to) =
            (knots.partition_point(|knot| *knot <= low), knots.partition_point(|knot| *knot < high));
        // None inside a class of a single value either, though a knot may be that value.
        knots.get(from..to).unwrap_or_default()
    }

    /// One of the pieces into which the knots cut an interval; each holds as many records as any other.
    fn piece(&self, position: usize, low: f64, high: f64, rng: &mut Rng) -> Piece {
        let inside = self.knots_between(position, low, high);
        if inside.is_empty() {
            return Piece::Within(low, high);
        }
        self.piece_number(position, low, high, rng.random_range(0..=inside.len()))
    }

    fn piece_number(&self, position: usize, low: f64, high: f64, piece: usize) -> Piece {
        let inside = self.knots_between(position, low, high);
        let is_last = piece == inside.len();
        let class = self.domain.variables()[position].partition();
        let is_end = |number: f64| match class {
            Partition::Intervals { limits, .. } => {
                limits.first() == Some(&number) || limits.last() == Some(&number)
            }
            _ => false,
        };
        let before = if inside.len() > 1 { inside[inside.len() - 2] } else { low };
        let after = if inside.len() > 1 { inside[1] } else { high };
        let tail = match piece {
            _ if is_last && is_end(high) => {
                Tail::new(inside[inside.len() - 1], high, inside[inside.len() - 1] - before)
            }
            0 if is_end(low) => Tail::new(inside[0], low, after - inside[0]),
            _ => None,
        };
        if let (Some(tail), (Shape::Uniform, None)) = (tail, self.draws[position]) {
            return Piece::Tail(tail);
        }
        let from = if piece == 0 { low } else { inside[piece - 1] };
        let to = if is_last { high } else { inside[piece] };
        // The pieces of whole numbers do not overlap.
        let step = self.domain.variables()[position].step().filter(|_| !is_last);
        Piece::Within(from, step.map_or(to, |step| (to - step).max(from)))
    }
}

/// Draws where the numbers of records lie.
struct Placing<'a> {
    latent: &'a Latent,
    rng: Rng,
}

impl Placing<'_> {
    fn draw(&mut self, cells: &Cells, row: usize) -> Vec<Option<Place>> {
        self.latent.draw(|position| cells.columns()[position].get(row), &mut self.rng)
    }
}

/// Where a number is drawn.
enum Piece {
    /// Between two numbers.
    Within(f64, f64),
    /// At an end of the range.
    Tail(Tail),
}

/// The outermost piece, from a knot to an end of the range. Nothing is known of it but how many records it holds, which are as many as in the piece
/// before it, and numbers thin out towards the end of a wide range: the density goes on from that of the piece before, by a Pareto law where the
/// knot and the end lie on one side of zero, F(x) = 1 − (knot/x)^α, α = |knot| / width, else by an exponential law with mean `width`; both are cut off at
/// the end.
struct Tail {
    knot: f64,
    end: f64,
    /// The width of the piece before.
    width: f64,
}

impl Tail {
    /// The tail, if it is thinner than the piece before it.
    fn new(knot: f64, end: f64, width: f64) -> Option<Self> {
        (width > 0.0 && (end - knot).abs() > width).then_some(Self { knot, end, width })
    }

    fn draw(&self, rng: &mut Rng) -> f64 {
        self.at(rng.random())
    }

    /// The number up to which this share of the tail lies, from the knot outwards.
    fn at(&self, u: f64) -> f64 {
        let length = (self.end - self.knot).abs();
        if self.knot * self.end > 0.0 && self.end.abs() > self.knot.abs() {
            let alpha = self.knot.abs() / self.width;
            let beyond = (self.knot / self.end).powf(alpha);
            return self.knot * (1.0 - u * (1.0 - beyond)).powf(-1.0 / alpha);
        }
        let beyond = (-length / self.width).exp();
        let distance = -self.width * (1.0 - u * (1.0 - beyond)).ln();
        self.knot + (self.end - self.knot).signum() * distance
    }
}

/// A number drawn uniformly between two others; `None` if it must be whole and there is none.
fn number_between(low: f64, high: f64, whole: bool, rng: &mut Rng) -> Option<f64> {
    if whole {
        return shaped_whole(Shape::Uniform, low.ceil(), high.floor(), rng);
    }
    Some(shaped_real(Shape::Uniform, low, high, rng))
}

/// A whole number between two others; `None` if there is none. Each stands for the unit interval that it begins.
fn shaped_whole(shape: Shape, low: f64, high: f64, rng: &mut Rng) -> Option<f64> {
    if low > high {
        return None;
    }
    if shape == Shape::Uniform {
        return Some(rng.random_range(low as i64..=high as i64) as f64);
    }
    Some(shape.quantile(rng.random(), low, high + 1.0).floor().clamp(low, high))
}

/// A real number of an interval that is open above.
fn shaped_real(shape: Shape, low: f64, high: f64, rng: &mut Rng) -> f64 {
    if low == high {
        return low;
    }
    shape.quantile(rng.random(), low, high).clamp(low, high.next_down())
}

/// The first and last multiple of `step` in an interval, in units of `step`; `None` if there is none.
fn multiples_between(low: f64, high: f64, step: f64, closed: bool) -> Option<(f64, f64)> {
    let (first, mut last) = ((low / step).ceil(), (high / step).floor());
    if !closed && low < high && last * step >= high {
        last -= 1.0;
    }
    (first <= last && first.abs().max(last.abs()) < 9e15).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares beyond the knot are those of the laws, cut off at the end; 20,000 draws, each bound five standard errors.
    #[test]
    fn tails_thin_out_towards_the_end_of_the_range() {
        let mut rng = Seed::new(1).stream(0);
        let mut share = |tail: Tail, within: f64| {
            let draws: Vec<f64> = (0..20_000).map(|_| tail.draw(&mut rng)).collect();
            let (low, high) = (tail.knot.min(tail.end), tail.knot.max(tail.end));
            assert!(draws.iter().all(|number| (low..=high).contains(number)));
            draws.iter().filter(|number| (**number - tail.knot).abs() <= within).count() as f64 / 20_000.0
        };
        // α = 3: P(x ≤ 2 knot) = (1 − 1/8) / (1 − 1/1000).
        let pareto = share(Tail { knot: 30.0, end: 300.0, width: 10.0 }, 30.0);
        assert!((pareto - 0.875 / 0.999).abs() < 5.0 * 0.0024, "{pareto}");
        let mirrored = share(Tail { knot: -30.0, end: -300.0, width: 10.0 }, 30.0);
        assert!((mirrored - 0.875 / 0.999).abs() < 5.0 * 0.0024, "{mirrored}");
        // Towards zero and beyond: P(within one width) = (1 − 1/e) / (1 − e⁻⁴).
        let exponential = share(Tail { knot: 30.0, end: -10.0, width: 10.0 }, 10.0);
        assert!((exponential - 0.632_12 / 0.981_68).abs() < 5.0 * 0.0034, "{exponential}");
        assert!(Tail::new(30.0, 35.0, 10.0).is_none(), "denser than the piece before");
    }
}
