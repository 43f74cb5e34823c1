//! The numbers that records have within each class, for methods that draw classes.
//!
//! A class of a skewed number is nothing like evenly filled: drawn evenly, the total of an income can come out many times too large. So a method
//! that is not private draws the number of a record of the same class, or one near it where most numbers are those of single records (see
//! [`near`](crate::near)). Where most numbers are shared, those of single records are not drawn at all. Counts without records, and private runs, have no such numbers; there the draw is even within the class, or as the
//! schema's `shape` says.

use rand::RngExt;
use rayon::prelude::*;
use table::column::Entry;
use table::expression::Span;
use table::schema::Shape;
use table::{Classes, Domain, Table};

use crate::SynthesisError;
use crate::near::NearNumbers;
use crate::randomness::Rng;
use crate::stored::{StateReader, StateWriter, ensure};

/// How often a number near that of a record is drawn again because it falls into another class.
const TRIES: usize = 20;

/// For each variable of a domain, the numbers within its classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClassNumbers(Vec<Option<VariableNumbers>>);

/// The numbers of one variable.
#[derive(Clone, Debug, PartialEq)]
struct VariableNumbers {
    /// For each class, where its numbers end.
    ends: Vec<u64>,
    numbers: Listed,
    near: Option<NearNumbers>,
    /// Whether every number is certainly in its class.
    are_inside: bool,
}

/// Numbers by place. Where they come in long runs of equal ones, only the runs are kept: a few of them are found in the nearest cache, and one of millions of
/// numbers at the end of a wait.
#[derive(Clone, Debug, PartialEq)]
enum Listed {
    Each(Vec<f64>),
    /// The number of each run with where it ends.
    Runs(Vec<(f64, u64)>),
}

impl Listed {
    /// Shorter runs, on average, are not worth the search.
    const LENGTH: usize = 8;

    fn new(numbers: Vec<f64>) -> Self {
        let runs = numbers.chunk_by(|left, right| left.to_bits() == right.to_bits());
        if runs.clone().count() * Self::LENGTH > numbers.len() {
            return Self::Each(numbers);
        }
        Self::of_runs(runs.map(|equal| (equal[0], equal.len() as u64)))
    }

    fn of_runs(runs: impl Iterator<Item = (f64, u64)>) -> Self {
        let ends = runs.scan(0, |end, (number, length)| {
            *end += length;
            Some((number, *end))
        });
        Self::Runs(ends.collect())
    }

    /// The number at a place.
    fn at(&self, place: usize) -> f64 {
        match self {
            Self::Each(numbers) => numbers[place],
            Self::Runs(runs) => runs[runs.partition_point(|(_, end)| *end <= place as u64)].0,
        }
    }

    fn all(&self) -> Vec<f64> {
        match self {
            Self::Each(numbers) => numbers.clone(),
            Self::Runs(runs) => {
                let before = std::iter::once(0).chain(runs.iter().map(|(_, end)| *end));
                let run = |((number, end), before): (&(f64, u64), u64)| {
                    std::iter::repeat_n(*number, (end - before) as usize)
                };
                runs.iter().zip(before).flat_map(run).collect()
            }
        }
    }
}

impl ClassNumbers {
    /// The numbers of these records within the classes of a domain; none of variables whose shape or step is declared.
    pub(crate) fn learn(records: &Table, domain: &Domain) -> Result<Self, SynthesisError> {
        let of = |classes: &Classes| -> Result<Option<VariableNumbers>, SynthesisError> {
            let position = records.schema().position_of(classes.name())?;
            let variable = &records.schema().variables()[position];
            if variable.shape != Shape::Uniform || variable.step.is_some() || !has_wide_class(classes) {
                return Ok(None);
            }
            let column = &records.columns()[position];
            let class = |number: f64| classes.partition().class_of(number);
            let counted: Vec<(f64, usize)> =
                column.counted().into_iter().map(|(number, count)| (number, count as usize)).collect();
            let inside: Vec<(f64, usize)> =
                counted.into_iter().filter(|(number, _)| class(*number).is_some()).collect();
            let near = NearNumbers::of_counted(&inside);
            let has_minus_zero = inside.iter().any(|(number, _)| *number == 0.0 && number.is_sign_negative());
            if near.is_none() && !has_minus_zero {
                // Numbers ascend, and so do their classes.
                let shared = || inside.iter().filter(|(_, count)| *count > 1);
                let mut ends = vec![0; classes.size()];
                shared().for_each(|(number, count)| {
                    class(*number).into_iter().for_each(|class| ends[class as usize] += *count as u64);
                });
                running_totals(&mut ends);
                let runs = Listed::of_runs(shared().map(|(number, count)| (*number, *count as u64)));
                let numbers = match runs {
                    Listed::Runs(runs)
                        if runs.len() * Listed::LENGTH > ends.last().map_or(0, |end| *end as usize) =>
                    {
                        Listed::Each(Listed::Runs(runs).all())
                    }
                    runs => runs,
                };
                return Ok(Some(VariableNumbers { ends, numbers, near, are_inside: true }));
            }
            let mut within: Vec<Vec<f64>> = vec![Vec::new(); classes.size()];
            for row in 0..records.rows() {
                if let Some(Entry::Value(number)) = column.number(row)
                    && let Some(class) = class(number)
                {
                    within[class as usize].push(number);
                }
            }
            for numbers in within.iter_mut().filter(|_| near.is_none()) {
                *numbers = shared(std::mem::take(numbers));
            }
            let mut ends: Vec<u64> = within.iter().map(|numbers| numbers.len() as u64).collect();
            running_totals(&mut ends);
            // Numbers near others may fall into another class.
            let are_inside = near.is_none();
            Ok(Some(VariableNumbers { ends, numbers: Listed::new(within.concat()), near, are_inside }))
        };
        let learned: Vec<Result<_, SynthesisError>> = domain.variables().par_iter().map(of).collect();
        Ok(Self(learned.into_iter().collect::<Result<_, _>>()?))
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The variables whose numbers are drawn near those of single records.
    pub(crate) fn drawn_near<'a>(&'a self, domain: &'a Domain) -> impl Iterator<Item = &'a str> {
        let is_near = |of: &Option<VariableNumbers>| of.as_ref().is_some_and(|of| of.near.is_some());
        domain
            .variables()
            .iter()
            .zip(&self.0)
            .filter(move |(_, of)| is_near(of))
            .map(|(classes, _)| classes.name())
    }

    /// A number of a class of the variable at a position; `None` where no record has one.
    pub(crate) fn draw(&self, position: usize, class: u32, classes: &Classes, rng: &mut Rng) -> Option<f64> {
        let of = self.0.get(position)?.as_ref()?;
        let end = of.ends[class as usize] as usize;
        let start = class.checked_sub(1).map_or(0, |before| of.ends[before as usize] as usize);
        if start == end {
            return None;
        }
        if of.are_inside {
            return Some(of.numbers.at(rng.random_range(start..end)));
        }
        let drawn = |_| {
            let number = of.numbers.at(rng.random_range(start..end));
            of.near.as_ref().map_or(number, |near| near.near(number, rng))
        };
        (0..TRIES).map(drawn).find(|number| classes.partition().class_of(*number) == Some(class))
    }

    /// Writes them.
    pub(crate) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let kinds: Vec<u8> =
            self.0.iter().map(|of| of.as_ref().map_or(0, |of| 1 + u8::from(of.near.is_some()))).collect();
        into.array("variables with numbers", &kinds)?;
        for of in self.0.iter().flatten() {
            into.array("ends of classes", &of.ends)?;
            into.array("numbers within classes", &of.numbers.all())?;
            of.near.iter().try_for_each(|near| near.store(into))?;
        }
        Ok(())
    }

    /// Stored ones of this domain.
    pub(crate) fn load(from: &mut StateReader<'_>, domain: &Domain) -> Result<Self, SynthesisError> {
        let kinds: Vec<u8> = from.array("variables with numbers")?;
        ensure([0, domain.variables().len()].contains(&kinds.len()), "numbers are of other variables")?;
        let mut all = Vec::with_capacity(kinds.len());
        for (kind, classes) in kinds.iter().zip(domain.variables()) {
            if *kind == 0 {
                all.push(None);
                continue;
            }
            let (ends, numbers): (Vec<u64>, Vec<f64>) =
                (from.array("ends of classes")?, from.array("numbers within classes")?);
            let are_fine = ends.len() == classes.size()
                && ends.is_sorted()
                && ends.last().copied().unwrap_or(0) == numbers.len() as u64
                && numbers.iter().all(|number| number.is_finite());
            ensure(are_fine, "numbers are not those of their classes")?;
            let near = if *kind == 2 { Some(NearNumbers::load(from)?) } else { None };
            let before = std::iter::once(&0).chain(&ends);
            let of_class = before.zip(&ends).map(|(from, to)| &numbers[*from as usize..*to as usize]);
            let is_inside = |(class, numbers): (usize, &[f64])| {
                numbers.iter().all(|number| classes.partition().class_of(*number) == Some(class as u32))
            };
            let are_inside = near.is_none() && of_class.enumerate().all(is_inside);
            all.push(Some(VariableNumbers { ends, numbers: Listed::new(numbers), near, are_inside }));
        }
        Ok(Self(all))
    }
}

/// Numbers with those before them added.
fn running_totals(numbers: &mut [u64]) {
    let mut total = 0;
    for number in numbers {
        total += *number;
        *number = total;
    }
}

/// The numbers that more than one record has.
fn shared(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    let equal = numbers.chunk_by(|left, right| left == right).filter(|equal| equal.len() > 1);
    equal.flatten().copied().collect()
}

/// Whether a class of the variable holds more than one number.
fn has_wide_class(classes: &Classes) -> bool {
    (0..classes.size() as u32)
        .any(|class| matches!(classes.span(class), Span::Numbers { low, high } if low < high))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use table::Source;
    use table::read::{ReadOptions, read_csv_text};

    use super::*;
    use crate::randomness::Seed;
    use crate::{Recipe, Run, fit};

    /// Numbers e^z of a normal z with standard deviation 2, and a class that 5 in 6 records have at zero.
    fn skewed() -> Table {
        let mut rng = Seed::new(11).stream(0);
        let mut text = String::from("sex,amount,gain\n");
        for row in 0..3_000 {
            let z: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
            let gain = if row % 6 == 0 { (5.0 + z).exp().round() } else { 0.0 };
            text += &format!("{},{:.2},{gain}\n", ["f", "m"][row % 2], (2.0 * z + 6.0).exp());
        }
        read_csv_text(&text, &ReadOptions::default()).unwrap()
    }

    fn numbers(table: &Table, name: &str) -> Vec<f64> {
        let column = table.column(name).unwrap();
        (0..table.rows())
            .filter_map(|row| column.number(row))
            .filter_map(|entry| match entry {
                Entry::Value(number) => Some(number),
                _ => None,
            })
            .collect()
    }

    /// Evenly drawn, the mean of `amount` comes out ten times too large; the standard error of a mean of so skewed numbers is about 13 %.
    #[rstest]
    #[case::saturated_counts("catall")]
    #[case::pair_margins("ipf")]
    fn totals_of_skewed_numbers_are_kept(#[case] method: &str) {
        let original = skewed();
        let recipe = Recipe::parse(&format!("method = \"{method}\"\nseed = 5\n")).unwrap();
        let fitted = fit(&original, &recipe, &Run::default()).unwrap();
        let synthetic = fitted.table(0).unwrap();
        let mean = |table: &Table, name: &str| {
            let numbers = numbers(table, name);
            numbers.iter().sum::<f64>() / numbers.len() as f64
        };
        for name in ["amount", "gain"] {
            let ratio = mean(&synthetic, name) / mean(&original, name);
            assert!((0.6..1.5).contains(&ratio), "{name}: {ratio}");
        }
        let known: std::collections::HashSet<u64> =
            numbers(&original, "amount").iter().map(|number| number.to_bits()).collect();
        let met =
            numbers(&synthetic, "amount").iter().filter(|number| known.contains(&number.to_bits())).count();
        assert!(met < 900, "{met} of 3,000 amounts are those of a record");
        assert!(fitted.remarks().iter().any(|remark| remark.contains("`amount`")));
    }

    #[test]
    fn a_number_that_one_record_alone_has_is_not_drawn() {
        let rows: String = (0..600).map(|row| format!("{}\n", 10 * (row % 40))).collect();
        let original = read_csv_text(&format!("x\n{rows}77\n"), &ReadOptions::default()).unwrap();
        let counts = Source::from(&original).counts(5).unwrap();
        let of = ClassNumbers::learn(&original, counts.domain()).unwrap();
        let numbers = of.0[0].as_ref().unwrap().numbers.all();
        assert!(numbers.len() == 600 && !numbers.contains(&77.0));
    }

    /// Runs and single numbers are found at their places, and a number with a minus zero beside it is still what it was.
    #[test]
    fn numbers_are_found_by_place() {
        for numbers in [
            vec![],
            vec![1.5],
            [vec![0.0; 30], vec![7.0; 9], vec![-1.0; 40]].concat(),
            (0..50).map(f64::from).collect(),
            [vec![-0.0; 40], vec![0.0; 40]].concat(),
        ] {
            let listed = Listed::new(numbers.clone());
            let same = |one: &[f64], other: &[f64]| {
                one.iter().map(|x| x.to_bits()).eq(other.iter().map(|x| x.to_bits()))
            };
            assert!(same(&listed.all(), &numbers));
            assert!(same(&(0..numbers.len()).map(|place| listed.at(place)).collect::<Vec<_>>(), &numbers));
        }
        assert!(matches!(Listed::new(vec![2.0; 100]), Listed::Runs(runs) if runs == [(2.0, 100)]));
    }

    #[test]
    fn numbers_are_those_of_the_class_and_counts_have_none() {
        let original = skewed();
        let counts = Source::from(&original).counts(5).unwrap();
        let domain = counts.domain();
        let of = ClassNumbers::learn(&original, domain).unwrap();
        let position = domain.position_of("gain").unwrap();
        let classes = &domain.variables()[position];
        let mut rng = Seed::new(1).stream(0);
        for class in 0..classes.size() as u32 {
            for _ in 0..50 {
                if let Some(number) = of.draw(position, class, classes, &mut rng) {
                    assert_eq!(classes.partition().class_of(number), Some(class));
                }
            }
        }
        assert!(ClassNumbers::default().draw(position, 0, classes, &mut rng).is_none());
    }
}
