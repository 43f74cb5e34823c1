//! Guessing with few keys: how much better does a release let an intruder guess than the records of everybody else would?
//!
//! An intruder who knows a few variables K of a person guesses another one, t, by what is most frequent among the synthetic records that agree with the person on K. Where none agrees on
//! all of K he leaves out the last key, then the one before, and so on, until `ENOUGH` agree, or some where there are never so many; the keys stand in the order of how well each tells t by
//! itself. For original record i, with S the synthetic records that he looks at, and Y those found in the same way among the other original ones, the chance to be right is
//!
//! ```text
//! with the release      a_i = 1 / (number of most frequent values of t in S) if that of i is one of them, else 0
//! without the record    b_i = the same of Y, from all other original records
//! ```
//!
//! and the gain 100 mean(a_i − b_i), in points. He takes the most frequent value and does not draw one of S: of a release that is more alike than the people it stands for, as noise makes it, draws would be right more often than of the
//! people, without anything of any of them in it. Where the release does not depend on record i, a fresh sample of the population of the same size, both chances are equal
//! in expectation and the gain is 0, however well the variables predict each other; if a share x of the synthetic records are copies, it comes near 100 x. Unlike measures that
//! take all other variables for keys it does not vanish in wide tables, where nobody knows all the rest of a record and no two records agree on it. Keys are left out one by one (the back-off of
//! Katz 1987) since what one of them tells alone is no secret of the record: whoever knows the city knows the county, also of a person whom no other record equals in city, age and trade.
//!
//! Which few variables? They are searched for: every variable in [`SHUFFLES`] random sets of [`SET`], each set against every target, and the best sets of
//! the [`REPORTED`] targets with the largest gains made better by adding and dropping variables, up to [`MOST_KEYS`]. The search looks at every other original record, and
//! the gain that is reported is that of the records between them: what is largest by chance alone in the one half is not in the other. Numbers are taken in
//! [`CLASSES`] classes. At most [`SEARCHED`] records of each file are searched; the gain reported is of all of them. A release that is larger than the original is thinned to its size.

use std::collections::BTreeMap;
use std::ops::Range as Span;
use std::rc::Rc;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use table::{CodedTable, CountSource, Grouping};

use super::matching::{check_names, shared_variables};
use crate::mixed_records::random;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SharedTables, SyntheticSets, UsualAxis,
};

/// In how many random sets every variable is tried.
pub const SHUFFLES: usize = 4;
/// The variables of a random set.
pub const SET: usize = 4;
/// The most variables of a set that was made better.
pub const MOST_KEYS: usize = 5;
/// The targets with the largest gains, whose gains are reported.
pub const REPORTED: usize = 5;
/// The classes of a number.
pub const CLASSES: usize = 20;
/// The most records of each file in the search.
pub const SEARCHED: usize = 10_000;
/// The most random sets, and the most targets, that are tried; of more, some are drawn.
const MOST_TRIED: usize = 200;
/// So many records that agree on some keys are drawn from rather than fewer that agree on one more; one that agrees on all is always drawn from, since it may be a copy.
const ENOUGH: usize = 3;
/// The records by which keys are put in order.
const ORDERED_BY: usize = 2_000;
/// How often a set is made better by one variable.
const STEPS: usize = 2;
/// With fewer original records halves say nothing.
const FEWEST: usize = 40;

/// The family of guesses with few keys.
#[derive(Clone, Copy, Debug)]
pub struct FewKeys;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `few_keys.gain`.
    pub const GAIN: &str = "few_keys.gain";
    /// `few_keys.worst_gain`.
    pub const WORST_GAIN: &str = "few_keys.worst_gain";
}

const fn card(name: &'static str, question: &'static str, kept: Kept) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "points",
        range: Range { from: -100.0, to: Some(100.0) },
        null: Null::Value(0.0),
        citation: "Lookalike, after the correct attribution probability of Elliot (2014), with the record itself left out of the original as its control",
        kept,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        names::GAIN,
        "For how many more of 100 people does who knows a few variables guess this one right, thanks to their own record?",
        Kept::None,
    ),
    card(
        names::WORST_GAIN,
        "For how many more of 100 people does who knows a few variables guess another one right, thanks to their own record, at worst?",
        Kept::All,
    ),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "few_keys",
    aspect: Aspect::Risk,
    honours: &[Setting::Keys, Setting::Targets, Setting::Seed],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::WORST_GAIN,
        label: names::WORST_GAIN,
        by_ways: false,
        rank: 5,
        usable: None,
        most_variables: None,
    }),
    identified_by: &[],
    measures: CARDS,
};

/// The codes of both files by variable, and how many codes a variable has.
struct Files {
    original: Vec<Vec<u32>>,
    synthetic: Vec<Vec<u32>>,
    sizes: Vec<usize>,
}

/// So many of these rows, evenly spread.
fn spread(rows: usize, most: usize) -> Vec<usize> {
    let taken = rows.min(most);
    (0..taken).map(|at| at * rows / taken).collect()
}

impl Files {
    fn new(tables: &SharedTables) -> Self {
        let codes = |table: &CodedTable, most: usize| -> Vec<Vec<u32>> {
            let rows = spread(table.records() as usize, most);
            let taken = |column: &table::Codes| rows.iter().map(|row| column.get(*row)).collect();
            table.columns().iter().map(|column| taken(column)).collect()
        };
        let records = tables.original().records() as usize;
        Self {
            original: codes(tables.original(), records),
            synthetic: codes(&tables.synthetic()[0], records),
            sizes: tables.domain().variables().iter().map(|classes| classes.size()).collect(),
        }
    }

    /// The same with fewer records.
    fn thinned(&self, most: usize) -> Self {
        let thinned = |columns: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let rows = spread(columns[0].len(), most);
            columns.iter().map(|column| rows.iter().map(|row| column[*row]).collect()).collect()
        };
        Self {
            original: thinned(&self.original),
            synthetic: thinned(&self.synthetic),
            sizes: self.sizes.clone(),
        }
    }

    fn records(&self) -> usize {
        self.original[0].len()
    }
}

/// Records of both files that agree on some keys are one class.
struct Agreeing {
    original: Vec<u32>,
    synthetic: Vec<u32>,
    classes: usize,
}

/// Tables of classes by codes of at most so many cells are held whole.
const DENSE: usize = 1 << 18;

impl Agreeing {
    /// All records, on no key at all.
    fn all(files: &Files) -> Self {
        Self {
            original: vec![0; files.original[0].len()],
            synthetic: vec![0; files.synthetic[0].len()],
            classes: 1,
        }
    }

    /// Those that agree on one more key too. `numbers` is a table of no numbers yet, and is left as one.
    fn and_on(&self, files: &Files, key: usize, numbers: &mut Vec<u32>) -> Self {
        let size = files.sizes[key];
        let is_dense = self.classes * size <= DENSE;
        if is_dense && numbers.len() < self.classes * size {
            numbers.resize(self.classes * size, u32::MAX);
        }
        let mut cells: Vec<usize> = Vec::new();
        let mut sparse: FxHashMap<u64, u32> = FxHashMap::default();
        let mut number = |class: &u32, code: &u32| {
            let cell = *class as usize * size + *code as usize;
            let entry = match is_dense {
                true => &mut numbers[cell],
                false => sparse.entry(cell as u64).or_insert(u32::MAX),
            };
            if *entry == u32::MAX {
                *entry = cells.len() as u32;
                cells.push(cell);
            }
            *entry
        };
        let mut split = |of: &[u32], codes: &[u32]| -> Vec<u32> {
            of.iter().zip(codes).map(|(class, code)| number(class, code)).collect()
        };
        let original = split(&self.original, &files.original[key]);
        let synthetic = split(&self.synthetic, &files.synthetic[key]);
        if is_dense {
            cells.iter().for_each(|cell| numbers[*cell] = u32::MAX);
        }
        Self { original, synthetic, classes: cells.len() }
    }
}

/// Rows sorted by class.
struct Sorted {
    rows: Vec<u32>,
    starts: Vec<u32>,
}

impl Sorted {
    fn new(of: &[u32], classes: usize) -> Self {
        let mut starts = vec![0_u32; classes + 1];
        of.iter().for_each(|class| starts[*class as usize + 1] += 1);
        (0..classes).for_each(|class| starts[class + 1] += starts[class]);
        let mut next = starts.clone();
        let mut rows = vec![0; of.len()];
        for (row, class) in (0..).zip(of) {
            rows[next[*class as usize] as usize] = row;
            next[*class as usize] += 1;
        }
        Self { rows, starts }
    }

    fn of(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// Every other original record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// By which keys are searched.
    First,
    /// By which the gain is judged.
    Second,
}

impl Half {
    fn has(self, row: u32) -> bool {
        row.is_multiple_of(2) == (self == Self::First)
    }
}

/// The chances to guess right, as means over records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Chances {
    with: f64,
    without: f64,
    /// The standard error of their difference.
    error: f64,
}

impl Chances {
    fn gain(&self) -> f64 {
        self.with - self.without
    }
}

/// Records of both files by what they agree on.
struct Partition {
    agreeing: Agreeing,
    original: Sorted,
    synthetic: Sorted,
}

impl Partition {
    fn new(agreeing: Agreeing) -> Self {
        let original = Sorted::new(&agreeing.original, agreeing.classes);
        let synthetic = Sorted::new(&agreeing.synthetic, agreeing.classes);
        Self { agreeing, original, synthetic }
    }
}

/// Partitions by sets of keys, each made once, from that without its last key.
struct Partitions<'a> {
    files: &'a Files,
    made: FxHashMap<Vec<usize>, Rc<Partition>>,
    numbers: Vec<u32>,
}

impl<'a> Partitions<'a> {
    fn new(files: &'a Files) -> Self {
        Self { files, made: FxHashMap::default(), numbers: Vec::new() }
    }

    /// The partitions by the first 0, 1, … of these keys.
    fn nested(&mut self, keys: &[usize]) -> Vec<Rc<Partition>> {
        let mut nested: Vec<Rc<Partition>> = Vec::with_capacity(keys.len() + 1);
        for depth in 0..=keys.len() {
            let mut on = keys[..depth].to_vec();
            on.sort_unstable();
            let make = || {
                Rc::new(Partition::new(match nested.last() {
                    None => Agreeing::all(self.files),
                    Some(coarser) => coarser.agreeing.and_on(self.files, keys[depth - 1], &mut self.numbers),
                }))
            };
            let partition = Rc::clone(self.made.entry(on).or_insert_with(make));
            nested.push(partition);
        }
        nested
    }
}

/// From whom is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pool {
    /// All synthetic records.
    Synthetic,
    /// All original records but the one that is guessed.
    Others,
}

impl Pool {
    fn of(self, partition: &Partition) -> &Sorted {
        match self {
            Self::Synthetic => &partition.synthetic,
            Self::Others => &partition.original,
        }
    }

    /// How many of the original records in a class are the one that is guessed.
    fn itself(self) -> u32 {
        u32::from(self == Self::Others)
    }

    fn codes(self, files: &Files, variable: usize) -> &[u32] {
        match self {
            Self::Synthetic => &files.synthetic[variable],
            Self::Others => &files.original[variable],
        }
    }
}

/// Records that are guessed from the same ones of a pool: those of a class of the partition by so many keys.
struct Group {
    /// Where they stand among the rows.
    rows: Span<usize>,
    depth: usize,
    class: usize,
}

/// All records of a half by the ones that they are guessed from.
struct Groups {
    rows: Vec<u32>,
    groups: Vec<Group>,
}

impl Groups {
    fn new(nested: &[Rc<Partition>], pool: Pool, half: &[u32]) -> Self {
        let mut found = Self { rows: Vec::with_capacity(half.len()), groups: Vec::new() };
        let mut left = half.to_vec();
        let all_keys = nested.len() - 1;
        let fewer = |enough: usize| (1..all_keys).rev().map(move |depth| (depth, enough));
        let tried = [(all_keys, 1)].into_iter().chain(fewer(ENOUGH)).chain(fewer(1)).chain([(0, 1)]);
        for (depth, enough) in tried {
            let partition = &nested[depth];
            let is_enough =
                |class: u32| pool.of(partition).of(class as usize).len() >= enough + pool.itself() as usize;
            let class_of = |row: &u32| partition.agreeing.original[*row as usize];
            let (mut taken, alone): (Vec<u32>, Vec<u32>) =
                left.iter().partition(|row| is_enough(class_of(row)));
            taken.sort_unstable_by_key(class_of);
            for rows in taken.chunk_by(|one, other| class_of(one) == class_of(other)) {
                let start = found.rows.len();
                found.rows.extend_from_slice(rows);
                let class = class_of(&rows[0]) as usize;
                found.groups.push(Group { rows: start..found.rows.len(), depth, class });
            }
            left = alone;
            if left.is_empty() {
                break;
            }
        }
        found
    }
}

/// How many values occur how often, kept while they are counted one by one: at least so often occur `at_least[often - 1]` of them.
#[derive(Default)]
struct Modes {
    at_least: Vec<u32>,
}

impl Modes {
    /// A value occurs one time more, and now so often.
    fn raise(&mut self, often: u32) {
        match self.at_least.get_mut(often as usize - 1) {
            Some(values) => *values += 1,
            None => self.at_least.push(1),
        }
    }

    /// The chance that a value that occurs so often, less those that do not count, is guessed as the most frequent one; ties are decided by lot.
    fn chance(&self, often: u32, itself: u32) -> f64 {
        let counted = often - itself;
        // Other values that occur at least so often, this one left out.
        let rivals = |at_least: u32| match self.at_least.get(at_least as usize - 1) {
            Some(values) => values - u32::from(often >= at_least),
            None => 0,
        };
        match counted > 0 && rivals(counted + 1) == 0 {
            true => 1.0 / f64::from(1 + rivals(counted)),
            false => 0.0,
        }
    }
}

/// Nested keys, ready for any target, with the original records of one half.
struct Guesses<'a> {
    files: &'a Files,
    nested: Vec<Rc<Partition>>,
    with: Groups,
    without: Groups,
    records: usize,
}

impl<'a> Guesses<'a> {
    fn new(files: &'a Files, nested: Vec<Rc<Partition>>, half: Half) -> Self {
        let rows: Vec<u32> = (0..files.records() as u32).filter(|row| half.has(*row)).collect();
        let groups = |pool| Groups::new(&nested, pool, &rows);
        let (with, without) = (groups(Pool::Synthetic), groups(Pool::Others));
        Self { files, nested, with, without, records: rows.len() }
    }

    /// The chance of each record, 0 for those of the other half.
    fn by_record(&self, groups: &Groups, pool: Pool, target: usize) -> Vec<f64> {
        let (truth, codes) = (&self.files.original[target], pool.codes(self.files, target));
        let mut chances = vec![0.0; self.files.records()];
        let mut counts = vec![0_u32; self.files.sizes[target]];
        for group in &groups.groups {
            let drawn = pool.of(&self.nested[group.depth]).of(group.class);
            let mut modes = Modes::default();
            for row in drawn {
                let code = codes[*row as usize];
                counts[code as usize] += 1;
                modes.raise(counts[code as usize]);
            }
            for row in &groups.rows[group.rows.clone()] {
                chances[*row as usize] = modes.chance(counts[truth[*row as usize] as usize], pool.itself());
            }
            drawn.iter().for_each(|row| counts[codes[*row as usize] as usize] = 0);
        }
        chances
    }

    /// The mean chances for the records of the half.
    fn chances(&self, target: usize) -> Chances {
        let with = self.by_record(&self.with, Pool::Synthetic, target);
        let without = self.by_record(&self.without, Pool::Others, target);
        let n = self.records.max(1) as f64;
        let mean = |of: &[f64]| of.iter().sum::<f64>() / n;
        let difference = mean(&with) - mean(&without);
        // Records that are guessed from the same ones are right or wrong together: sums over groups vary, not records.
        let variance = |groups: &Groups| {
            let of_group = |group: &Group| {
                let rows = groups.rows[group.rows.clone()].iter().map(|row| *row as usize);
                rows.map(|row| with[row] - without[row] - difference).sum::<f64>().powi(2)
            };
            groups.groups.iter().map(of_group).sum::<f64>() / (n * n)
        };
        let error = variance(&self.with).max(variance(&self.without)).sqrt();
        let (with, without) = (mean(&with), mean(&without));
        Chances { with: 100.0 * with, without: 100.0 * without, error: 100.0 * error }
    }
}

/// How well each key tells each target by itself, among original records of the first half alone: the chance that another one with the same key has the same target.
struct ByItself {
    chances: FxHashMap<(usize, usize), f64>,
}

impl ByItself {
    fn new(files: &Files, keys: &[usize], targets: &[usize]) -> Self {
        let rows: Vec<usize> =
            spread(files.records().div_ceil(2), ORDERED_BY).into_iter().map(|row| 2 * row).collect();
        let of = |key: &usize| -> Vec<((usize, usize), f64)> {
            let codes: Vec<u32> = rows.iter().map(|row| files.original[*key][*row]).collect();
            let sorted = Sorted::new(&codes, files.sizes[*key]);
            let told = |target: &usize| ((*key, *target), told(&sorted, &rows, files, *target));
            targets.iter().map(told).collect()
        };
        Self { chances: keys.par_iter().flat_map_iter(of).collect() }
    }

    /// These keys, the one that tells most of the target first.
    fn ordered(&self, keys: &[usize], target: usize) -> Vec<usize> {
        let of = |key: usize| self.chances.get(&(key, target)).copied().unwrap_or(0.0);
        let mut ordered = keys.to_vec();
        ordered.sort_by(|one, other| of(*other).total_cmp(&of(*one)).then(one.cmp(other)));
        ordered
    }
}

/// The mean chance that another one of these rows in the same class has the same target, or another one of all where there is none in the class.
fn told(sorted: &Sorted, rows: &[usize], files: &Files, target: usize) -> f64 {
    let codes = &files.original[target];
    let mut all = vec![0_u32; files.sizes[target]];
    rows.iter().for_each(|row| all[codes[*row] as usize] += 1);
    let mut here = vec![0_u32; files.sizes[target]];
    let mut sum = 0.0;
    for class in 0..sorted.starts.len() - 1 {
        let among = || sorted.of(class).iter().map(|place| codes[rows[*place as usize]] as usize);
        match among().len() {
            0 => {}
            1 => sum += among().map(|code| f64::from(all[code] - 1)).sum::<f64>() / (rows.len() as f64 - 1.0),
            some => {
                among().for_each(|code| here[code] += 1);
                sum += among().map(|code| f64::from(here[code] - 1)).sum::<f64>() / (some as f64 - 1.0);
                among().for_each(|code| here[code] = 0);
            }
        }
    }
    sum / rows.len() as f64
}

/// A target with the keys that serve best to guess it.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    target: usize,
    keys: Vec<usize>,
    gain: f64,
}

/// The targets with the largest gains in the first half, and their keys.
fn search(files: &Files, keys: &[usize], targets: &[usize], seed: u64) -> Vec<Found> {
    let mut rng = random(seed, 31);
    let mut drawn = |of: &[usize]| -> Vec<usize> {
        let mut drawn = of.to_vec();
        drawn.shuffle(&mut rng);
        drawn
    };
    let tried: Vec<usize> = match targets.len() > MOST_TRIED {
        true => drawn(targets).into_iter().take(MOST_TRIED).collect(),
        false => targets.to_vec(),
    };
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for _ in 0..SHUFFLES {
        sets.extend(drawn(keys).chunks(SET).map(<[usize]>::to_vec));
    }
    sets.truncate(MOST_TRIED);
    let by_itself = ByItself::new(files, keys, &tried);
    let against_all = |set: &Vec<usize>| -> Vec<Found> {
        let mut partitions = Partitions::new(files);
        let mut orders: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for target in &tried {
            let others: Vec<usize> = set.iter().copied().filter(|key| key != target).collect();
            if !others.is_empty() {
                orders.entry(by_itself.ordered(&others, *target)).or_default().push(*target);
            }
        }
        let found = orders.into_iter().flat_map(|(keys, targets)| {
            let guesses = Guesses::new(files, partitions.nested(&keys), Half::First);
            let found = |target| {
                let gain = guesses.chances(target).gain();
                Found { target, keys: keys.clone(), gain }
            };
            targets.into_iter().map(found).collect::<Vec<Found>>()
        });
        found.collect()
    };
    let mut best: Vec<Option<Found>> = vec![None; files.sizes.len()];
    for found in sets.par_iter().map(against_all).collect::<Vec<_>>().into_iter().flatten() {
        let best = &mut best[found.target];
        if best.as_ref().is_none_or(|best| found.gain > best.gain) {
            *best = Some(found);
        }
    }
    let mut best: Vec<Found> = best.into_iter().flatten().collect();
    best.sort_by(|one, other| other.gain.total_cmp(&one.gain));
    best.truncate(REPORTED);
    best.into_par_iter().map(|found| improved(files, &by_itself, keys, found)).collect()
}

/// The same target with keys added or dropped as long as that helps.
fn improved(files: &Files, by_itself: &ByItself, among: &[usize], mut found: Found) -> Found {
    let mut partitions = Partitions::new(files);
    let target = found.target;
    for _ in 0..STEPS {
        let is_new = |key: &&usize| **key != target && !found.keys.contains(key);
        let most = if found.keys.len() < MOST_KEYS { MOST_TRIED } else { 0 };
        let added = among.iter().filter(is_new).take(most).map(|key| [&found.keys[..], &[*key]].concat());
        let places = if found.keys.len() > 1 { found.keys.len() } else { 0 };
        let dropped = (0..places).map(|place| {
            let mut keys = found.keys.clone();
            keys.remove(place);
            keys
        });
        let tried = added.chain(dropped).map(|keys| {
            let keys = by_itself.ordered(&keys, target);
            let gain = Guesses::new(files, partitions.nested(&keys), Half::First).chances(target).gain();
            Found { target, keys, gain }
        });
        let best = tried.max_by(|one, other| one.gain.total_cmp(&other.gain));
        match best {
            Some(best) if best.gain > found.gain => found = best,
            _ => break,
        }
    }
    found
}

fn evaluate(comparison: &Comparison<'_>, settings: &Settings) -> Result<Vec<Finding>, MeasureError> {
    let whole: [&str; 0] = [];
    let shared = shared_variables(comparison);
    let named = settings.keys.iter().flatten().chain(&settings.targets).collect::<Vec<_>>();
    check_names(comparison.original, &[comparison.synthetic], &named)?;
    let undefined = |because: &str| Ok(vec![CARDS[1].undefined(&whole, because)]);
    if comparison.original.rows() < FEWEST || comparison.synthetic.rows() == 0 {
        return undefined("it takes 40 original records and some synthetic ones");
    }
    if shared.len() < 2 {
        return undefined("it takes two variables that both files have");
    }
    let keep = |name: &str| shared.iter().any(|known| known == name);
    let grouping = Grouping::quantiles(CLASSES);
    let tables = SharedTables::over(comparison.original, &[comparison.synthetic], &grouping, keep)?;
    let variables = tables.domain().variables();
    let places = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..variables.len()).filter(|place| wanted(variables[*place].name())).collect()
    };
    let all_keys = settings.keys.is_empty() || settings.keys.iter().any(Vec::is_empty);
    let keys = places(&|name| all_keys || settings.keys.iter().flatten().any(|key| key == name));
    let targets =
        places(&|name| settings.targets.is_empty() || settings.targets.iter().any(|target| target == name));
    let files = Files::new(&tables);
    let found = match files.records() > SEARCHED {
        true => search(&files.thinned(SEARCHED), &keys, &targets, settings.propensity.draws.seed),
        false => search(&files, &keys, &targets, settings.propensity.draws.seed),
    };
    let mut judged: Vec<(Found, Chances)> = found
        .into_par_iter()
        .map(|found| {
            let nested = Partitions::new(&files).nested(&found.keys);
            let chances = Guesses::new(&files, nested, Half::Second).chances(found.target);
            (found, chances)
        })
        .collect();
    judged.sort_by(|(_, one), (_, other)| other.gain().total_cmp(&one.gain()));
    let name = |place: &usize| variables[*place].name().to_owned();
    let finding = |card: &MeasureCard, on: &[String], (found, chances): &(Found, Chances)| {
        card.finding(on, chances.gain())
            .with("target", name(&found.target))
            .with("keys", found.keys.iter().map(name).collect::<Vec<String>>())
            .with("with", chances.with)
            .with("without", chances.without)
            .with("se", chances.error)
    };
    let Some(worst) = judged.first() else {
        return undefined("no variable is left to be guessed by the keys");
    };
    let worst = finding(&CARDS[1], &[], worst);
    let each = judged.iter().map(|judged| finding(&CARDS[0], &[name(&judged.0.target)], judged));
    Ok(each.chain([worst]).collect())
}

impl Measure for FewKeys {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        evaluate(comparison, settings)
    }

    /// That of the data set by which most is gained.
    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let found = sets.comparisons().map(|comparison| evaluate(&comparison, settings));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let worst = |findings: &Vec<Finding>| {
            findings.last().and_then(|worst| worst.value).unwrap_or(f64::NEG_INFINITY)
        };
        Ok(found.into_iter().max_by(|one, other| worst(one).total_cmp(&worst(other))).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use table::Table;

    use super::*;
    use crate::risk::invented::{people, table, with_copies};

    /// The worst gain with its standard error.
    fn worst(original: &[String], release: &[String]) -> (f64, f64) {
        let (original, synthetic) = (table(original), table(release));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let findings = FewKeys.evaluate(&comparison, &Settings::default()).unwrap();
        let worst = findings.last().unwrap();
        assert_eq!(worst.measure, names::WORST_GAIN);
        (worst.value.unwrap(), worst.detail["se"].as_f64().unwrap())
    }

    #[test]
    fn chances_are_those_of_enumeration() {
        let files = Files {
            original: vec![vec![0, 0, 0, 1, 1, 2], vec![0, 1, 0, 1, 1, 0]],
            synthetic: vec![vec![0, 0, 1, 1, 1, 1], vec![0, 1, 1, 1, 0, 0]],
            sizes: vec![3, 2],
        };
        let found = |half| Guesses::new(&files, Partitions::new(&files).nested(&[0]), half).chances(1);
        let [with, without] = [
            // Records 0, 2 and 4: two of key 0 with target 0, one of key 1 with target 1.
            [1.0 / 2.0, 1.0 / 2.0, 2.0 / 4.0],
            [1.0 / 2.0, 1.0 / 2.0, 1.0],
        ];
        let mean = |chances: [f64; 3]| 100.0 * chances.iter().sum::<f64>() / 3.0;
        let first = found(Half::First);
        assert!(
            (first.with - mean(with)).abs() < 1e-9 && (first.without - mean(without)).abs() < 1e-9,
            "{first:?}"
        );
        // Records 1, 3 and 5; no synthetic record and no other original one has the key 2.
        let [with, without] = [[1.0 / 2.0, 2.0 / 4.0, 3.0 / 6.0], [0.0, 1.0, 0.0]];
        let second = found(Half::Second);
        assert!(
            (second.with - mean(with)).abs() < 1e-9 && (second.without - mean(without)).abs() < 1e-9,
            "{second:?}"
        );
    }

    /// Where nobody agrees on both keys, the first one alone is used, and then none.
    #[test]
    fn keys_are_left_out_from_the_last_one_on() {
        let files = Files {
            original: vec![vec![0, 0, 0, 1], vec![0, 1, 1, 1], vec![0, 0, 1, 1]],
            synthetic: vec![vec![0, 0, 0, 2], vec![0, 0, 0, 0], vec![0, 1, 1, 0]],
            sizes: vec![3, 2, 2],
        };
        let found = |half| Guesses::new(&files, Partitions::new(&files).nested(&[0, 1]), half).chances(2);
        // Record 0: three synthetic records agree on both keys, most with another target; no other original one does, two on the first key, of which one has its target. Record 2: no synthetic record
        // agrees on both, three on the first key, most with its target; record 1 agrees on both and has another target.
        let first = found(Half::First);
        assert_eq!((first.with, first.without), (100.0 * (0.0 + 1.0) / 2.0, 100.0 * (0.5 + 0.0) / 2.0));
        // Record 1: the first key alone with the release; record 2 on both without it. Record 3: no key at all, twice; half of the synthetic records have its target, and one of three others.
        let second = found(Half::Second);
        assert_eq!((second.with, second.without), (100.0 * (0.0 + 0.5) / 2.0, 0.0));
    }

    /// A release in which all are as most are lets no one be guessed better than the other people do.
    #[test]
    fn a_release_that_is_more_alike_than_the_people_gives_nothing_away() {
        let mut rng = random(1, 9);
        let rare: Vec<u32> = (0..2_000).map(|_| u32::from(rng.random_range(0..10) < 4)).collect();
        let key: Vec<u32> = (0..2_000).map(|_| rng.random_range(0..5)).collect();
        let files = Files {
            original: vec![key.clone(), rare],
            synthetic: vec![key, vec![0; 2_000]],
            sizes: vec![5, 2],
        };
        let guesses = Guesses::new(&files, Partitions::new(&files).nested(&[0]), Half::Second);
        let found = guesses.chances(1);
        assert!(found.with > 55.0 && found.gain().abs() < 1.0, "{found:?}");
    }

    /// Whoever knows the city knows the county, also of a person whom no other record equals in city, shop and age. A release of copies gives shops away, and no county to who knows the city: the city is
    /// left out last. Left out first, it would seem to.
    #[test]
    fn what_one_key_tells_alone_is_no_secret_of_a_record() {
        let mut rng = random(1, 9);
        let mut codes = |below: u32| -> Vec<u32> { (0..800).map(|_| rng.random_range(0..below)).collect() };
        let (cities, shops, ages) = (codes(40), codes(100), codes(90));
        let counties = cities.iter().map(|city| city % 7).collect();
        let columns = vec![cities, counties, shops, ages];
        let files = Files { original: columns.clone(), synthetic: columns, sizes: vec![40, 7, 100, 90] };
        let (city, county, shop, age) = (0, 1, 2, 3);
        let gain = |keys: &[usize], target| {
            Guesses::new(&files, Partitions::new(&files).nested(keys), Half::Second).chances(target).gain()
        };
        let by_itself = ByItself::new(&files, &[shop, age, city], &[county, shop]);
        let ordered = by_itself.ordered(&[shop, age, city], county);
        assert_eq!(ordered[0], city);
        assert!(gain(&ordered, county).abs() < 1e-9, "{}", gain(&ordered, county));
        assert!(gain(&[shop, age, city], county) > 50.0);
        assert!(gain(&by_itself.ordered(&[age, city], shop), shop) > 50.0);
    }

    /// Tables of fewer variables than a set of keys has are searched too.
    #[test]
    fn copies_of_two_variables_are_found() {
        let lines: Vec<String> = people(400, 1);
        let read = |lines: &[String]| table(lines).select(&["age", "wage"]).unwrap();
        let (original, fresh) = (read(&lines), read(&people(400, 2)));
        let gain = |synthetic: &Table| {
            let comparison = Comparison { original: &original, synthetic, holdout: None };
            FewKeys.evaluate(&comparison, &Settings::default()).unwrap().last().unwrap().value.unwrap()
        };
        assert!(gain(&original) > 2.0 + gain(&fresh), "{} {}", gain(&original), gain(&fresh));
    }

    /// The gain of one target is above 2.33 standard errors in 1 of 100 releases; the largest of five in at most 5, so that four or more of twenty are found in less than
    /// one of 60 tests.
    #[test]
    fn a_fresh_sample_gives_nothing_away() {
        let above = (0..20).filter(|run| {
            let (gain, error) = worst(&people(600, 3 * run), &people(600, 3 * run + 1));
            gain > 2.33 * error
        });
        assert!(above.count() < 4);
    }

    #[test]
    fn copies_are_found_in_proportion() {
        let original = people(2_000, 1);
        for share in [5, 20] {
            let release = with_copies(&original, 2_000 * share / 100, &people(2_000, 2));
            let (gain, error) = worst(&original, &release);
            let share = share as f64;
            assert!(
                gain > 4.0 * error && (0.6 * share..1.3 * share).contains(&gain),
                "{share}: {gain} ± {error}"
            );
        }
    }

    #[test]
    fn the_most_revealing_of_many_files_counts() {
        let original = people(400, 1);
        let (fresh, copy) = (table(&people(400, 2)), table(&original));
        let original = table(&original);
        let sets = SyntheticSets { original: &original, synthetic: &[&fresh, &copy], holdout: None };
        let worst = FewKeys.evaluate_sets(&sets, &Settings::default()).unwrap().pop().unwrap();
        assert!(worst.value.unwrap() > 50.0, "{worst:?}");
    }

    #[test]
    fn named_keys_are_the_only_ones() {
        let (original, release) = (table(&people(200, 1)), table(&people(200, 1)));
        let comparison = Comparison { original: &original, synthetic: &release, holdout: None };
        let settings = Settings {
            keys: vec![vec!["region".into(), "trade".into()]],
            targets: vec!["town".into()],
            ..Settings::default()
        };
        let findings = FewKeys.evaluate(&comparison, &settings).unwrap();
        assert_eq!(findings.len(), 2);
        for finding in findings {
            assert_eq!(finding.detail["target"], "town");
            let keys = finding.detail["keys"].as_array().unwrap();
            assert!(keys.iter().all(|key| key == "region" || key == "trade"), "{keys:?}");
        }
    }
}
