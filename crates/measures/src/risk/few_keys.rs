//! Guessing with few keys: how much better does a release let an intruder guess than the records of everybody else would?
//!
//! An intruder who knows a few variables K of a person guesses another one, t, by drawing one of the synthetic records that agree with the person on K, or one of
//! all where none agrees. For original record i with s_K synthetic records that agree, s_Kt of them with its target, and y_K, y_Kt original ones, the chance to be right is
//!
//! ```text
//! with the release      a_i = s_Kt / s_K
//! without the record    b_i = (y_Kt − 1) / (y_K − 1)     the same drawn from all other original records
//! ```
//!
//! and the gain 100 mean(a_i − b_i), in points. Where the release does not depend on record i, a fresh sample of the population of the same size, both chances are equal
//! in expectation and the gain is 0, however well the variables predict each other; if a share x of the synthetic records are copies, it comes near 100 x. Unlike measures that
//! take all other variables for keys it does not vanish in wide tables, where nobody knows all the rest of a record and no two records agree on it.
//!
//! Which few variables? They are searched for: every variable in [`SHUFFLES`] random sets of [`SET`], each set against every target, and the best sets of
//! the [`REPORTED`] targets with the largest gains made better by adding and dropping variables, up to [`MOST_KEYS`]. The search looks at every other original record, and
//! the gain that is reported is that of the records between them: what is largest by chance alone in the one half is not in the other. Numbers are taken in
//! [`CLASSES`] classes. At most [`SEARCHED`] records of each file are searched; the gain reported is of all of them. A release that is larger than the original is thinned to its size.

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

    fn on(files: &Files, keys: &[usize]) -> Self {
        keys.iter().fold(Self::all(files), |agreeing, key| agreeing.and_on(files, *key))
    }

    /// Those that agree on one more key too.
    fn and_on(&self, files: &Files, key: usize) -> Self {
        let size = files.sizes[key];
        let mut classes = 0;
        let mut dense = vec![u32::MAX; if self.classes * size <= DENSE { self.classes * size } else { 0 }];
        let mut sparse: FxHashMap<u64, u32> = FxHashMap::default();
        let mut number = |class: &u32, code: &u32| {
            let cell = *class as usize * size + *code as usize;
            let entry = match dense.get_mut(cell) {
                Some(entry) => entry,
                None => sparse.entry(cell as u64).or_insert(u32::MAX),
            };
            if *entry == u32::MAX {
                *entry = classes;
                classes += 1;
            }
            *entry
        };
        let mut split = |of: &[u32], codes: &[u32]| -> Vec<u32> {
            of.iter().zip(codes).map(|(class, code)| number(class, code)).collect()
        };
        let original = split(&self.original, &files.original[key]);
        let synthetic = split(&self.synthetic, &files.synthetic[key]);
        Self { original, synthetic, classes: classes as usize }
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

/// The classes of a set of keys, ready for any target.
struct Guesses<'a> {
    files: &'a Files,
    classes: usize,
    original: Sorted,
    synthetic: Sorted,
}

impl<'a> Guesses<'a> {
    fn new(files: &'a Files, agreeing: &Agreeing) -> Self {
        let sorted = |of: &[u32]| Sorted::new(of, agreeing.classes);
        Self {
            files,
            classes: agreeing.classes,
            original: sorted(&agreeing.original),
            synthetic: sorted(&agreeing.synthetic),
        }
    }

    /// The chances for the original records of one half.
    fn chances(&self, target: usize, half: Half) -> Chances {
        let (y, s) = (&self.files.original[target], &self.files.synthetic[target]);
        let frequencies = |codes: &[u32]| {
            let mut counts = vec![0_u32; self.files.sizes[target]];
            codes.iter().for_each(|code| counts[*code as usize] += 1);
            counts
        };
        let (all_y, all_s) = (frequencies(y), frequencies(s));
        let share = |part: u32, whole: usize| f64::from(part) / whole as f64;
        let (mut y_here, mut s_here) = (vec![0_u32; all_y.len()], vec![0_u32; all_y.len()]);
        let (mut with, mut without, mut squares, mut records) = (0.0, 0.0, 0.0, 0_u32);
        for class in 0..self.classes {
            let (rows, synthetic) = (self.original.of(class), self.synthetic.of(class));
            if rows.is_empty() {
                continue;
            }
            rows.iter().for_each(|row| y_here[y[*row as usize] as usize] += 1);
            synthetic.iter().for_each(|row| s_here[s[*row as usize] as usize] += 1);
            for row in rows.iter().filter(|row| half.has(**row)) {
                let code = y[*row as usize] as usize;
                let a = match synthetic.len() {
                    0 => share(all_s[code], s.len()),
                    some => share(s_here[code], some),
                };
                let b = match rows.len() {
                    1 => share(all_y[code] - 1, y.len() - 1),
                    some => share(y_here[code] - 1, some - 1),
                };
                with += a;
                without += b;
                squares += (a - b) * (a - b);
                records += 1;
            }
            rows.iter().for_each(|row| y_here[y[*row as usize] as usize] = 0);
            synthetic.iter().for_each(|row| s_here[s[*row as usize] as usize] = 0);
        }
        let n = f64::from(records.max(1));
        let (with, without) = (with / n, without / n);
        let variance = (squares / n - (with - without).powi(2)).max(0.0);
        Chances { with: 100.0 * with, without: 100.0 * without, error: 100.0 * (variance / n).sqrt() }
    }
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
    let against_all = |set: &Vec<usize>| -> Vec<Found> {
        let guesses = Guesses::new(files, &Agreeing::on(files, set));
        let found = tried.iter().filter(|target| !set.contains(target)).map(|target| Found {
            target: *target,
            keys: set.clone(),
            gain: guesses.chances(*target, Half::First).gain(),
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
    best.into_par_iter().map(|found| improved(files, keys, found)).collect()
}

/// The same target with keys added or dropped as long as that helps.
fn improved(files: &Files, among: &[usize], mut found: Found) -> Found {
    for _ in 0..STEPS {
        let agreeing = Agreeing::on(files, &found.keys);
        let gain =
            |agreeing: &Agreeing| Guesses::new(files, agreeing).chances(found.target, Half::First).gain();
        let is_new = |key: &&usize| **key != found.target && !found.keys.contains(key);
        let most = if found.keys.len() < MOST_KEYS { MOST_TRIED } else { 0 };
        let added = among.iter().filter(is_new).take(most).map(|key| {
            let keys = found.keys.iter().chain([key]).copied().collect();
            Found { target: found.target, keys, gain: gain(&agreeing.and_on(files, *key)) }
        });
        let places = if found.keys.len() > 1 { found.keys.len() } else { 0 };
        let dropped = (0..places).map(|place| {
            let mut keys = found.keys.clone();
            keys.remove(place);
            let gain = gain(&Agreeing::on(files, &keys));
            Found { target: found.target, keys, gain }
        });
        let best = added.chain(dropped).max_by(|one, other| one.gain.total_cmp(&other.gain));
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
            let guesses = Guesses::new(&files, &Agreeing::on(&files, &found.keys));
            let chances = guesses.chances(found.target, Half::Second);
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
        let guesses = Guesses::new(&files, &Agreeing::on(&files, &[0]));
        let [with, without] = [
            // Records 0, 2 and 4: two of key 0 with target 0, one of key 1 with target 1.
            [1.0 / 2.0, 1.0 / 2.0, 2.0 / 4.0],
            [1.0 / 2.0, 1.0 / 2.0, 1.0],
        ];
        let mean = |chances: [f64; 3]| 100.0 * chances.iter().sum::<f64>() / 3.0;
        let found = guesses.chances(1, Half::First);
        assert!(
            (found.with - mean(with)).abs() < 1e-9 && (found.without - mean(without)).abs() < 1e-9,
            "{found:?}"
        );
        // Records 1, 3 and 5; no synthetic record and no other original one has the key 2.
        let [with, without] = [[1.0 / 2.0, 2.0 / 4.0, 3.0 / 6.0], [0.0, 1.0, 2.0 / 5.0]];
        let found = guesses.chances(1, Half::Second);
        assert!(
            (found.with - mean(with)).abs() < 1e-9 && (found.without - mean(without)).abs() < 1e-9,
            "{found:?}"
        );
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
