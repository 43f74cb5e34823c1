//! The quality scores of SDMetrics (DataCebo 2022), so that users can compare with what they know from SDV.
//!
//! *Column shapes*: the mean over variables of 1 − Kolmogorov and Smirnov's D for numbers and times, and of 1 − the total variation distance for
//! levels, missing values left out. *Column pair trends*: the mean over pairs of 1 − |r_original − r_synthetic|/2 for two numbers, r being Pearson's
//! correlation, and of 1 − the total variation distance of the two-way table otherwise, missing being a level and numbers being cut at the edges of ten bins of
//! equal width between the smallest and the largest number of the original. *Quality* is the mean of both.
//!
//! The package cuts the synthetic file at edges of its own, so that a shifted number looks unchanged beside a category; here both files are cut alike, and a missing
//! number is a class of its own instead of going to the last bin. Its report also leaves out pairs that go together weakly in the original; here all pairs count. Scores of single
//! variables, of two numbers and of two categories agree.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use table::Grouping;

use crate::utility::distance::{correlation, kolmogorov_smirnov};
use crate::utility::numbers::number_pairs;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Settings,
};

/// The family of SDMetrics' scores.
#[derive(Clone, Copy, Debug)]
pub struct SdMetrics;

/// Bins of a number beside a category.
const BINS: usize = 10;

/// Tables of more cells are counted sparsely.
const DENSE: usize = 1 << 20;

const fn card(name: &'static str, question: &'static str) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Higher,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation: "DataCebo (2022), SDMetrics: quality report",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(
        "sdmetrics.column_shapes",
        "How alike are the distributions of single variables, as SDMetrics scores them?",
    ),
    card("sdmetrics.column_pair_trends", "How alike are pairs of variables, as SDMetrics scores them?"),
    card("sdmetrics.quality", "What is SDMetrics' overall quality score, the mean of both?"),
];

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "sdmetrics",
    aspect: Aspect::Utility,
    honours: &[],
    requires: None,
    usual_axis: None,
    identified_by: &[],
    measures: CARDS,
};

impl Measure for SdMetrics {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let variables = Compared::all(comparison, settings)?;
        let whole: [&str; 0] = [];
        let shapes: Vec<(&str, f64)> = variables
            .par_iter()
            .filter_map(|variable| Some((variable.name.as_str(), variable.shape()?)))
            .collect();
        let places: Vec<(usize, usize)> = (0..variables.len())
            .flat_map(|one| (one + 1..variables.len()).map(move |other| (one, other)))
            .collect();
        let trends: Vec<(String, f64)> = places
            .par_iter()
            .filter_map(|(one, other)| {
                let (one, other) = (&variables[*one], &variables[*other]);
                Some((format!("{}:{}", one.name, other.name), trend(one, other)?))
            })
            .collect();
        let shapes = mean(shapes.iter().map(|(name, score)| (*name, *score)));
        let trends = mean(trends.iter().map(|(name, score)| (name.as_str(), *score)));
        let scored = |card: &MeasureCard, score: &Option<(f64, String)>, because: &str| match score {
            Some((score, worst)) => card.finding(&whole, *score).with("worst", worst.clone()),
            None => card.undefined(&whole, because),
        };
        let quality = match (&shapes, &trends) {
            (Some((shapes, _)), Some((trends, _))) => CARDS[2].finding(&whole, (shapes + trends) / 2.0),
            _ => CARDS[2].undefined(&whole, "one of the two scores that it is the mean of is not defined"),
        };
        Ok(vec![
            scored(&CARDS[0], &shapes, "no variable can be compared"),
            scored(&CARDS[1], &trends, "no pair of variables can be compared"),
            quality,
        ])
    }
}

/// The mean of scores, and what has the lowest.
fn mean<'a>(scores: impl Iterator<Item = (&'a str, f64)>) -> Option<(f64, String)> {
    let scores: Vec<(&str, f64)> = scores.collect();
    let worst = scores.iter().min_by(|one, other| one.1.total_cmp(&other.1))?.0.to_owned();
    Some((scores.iter().map(|(_, score)| score).sum::<f64>() / scores.len() as f64, worst))
}

/// A variable of both tables.
struct Compared {
    name: String,
    /// Numbers, if it is one.
    numbers: Option<[Vec<Option<f64>>; 2]>,
    /// Levels, or bins of numbers, of each record.
    codes: [Vec<u32>; 2],
    /// How many codes there are.
    size: usize,
    /// The code of a missing level.
    missing: Option<u32>,
}

impl Compared {
    fn all(comparison: &Comparison<'_>, settings: &Settings) -> Result<Vec<Self>, MeasureError> {
        let shared = settings.shared(comparison, &Grouping::synthpop(1))?;
        let mut numbers = number_pairs(comparison);
        let mut compared = Vec::new();
        for (position, classes) in shared.domain().variables().iter().enumerate() {
            let name = classes.name().to_owned();
            if let Some(at) = numbers.iter().position(|pair| pair.name == name) {
                let pair = numbers.swap_remove(at);
                let bins = Bins::of(&pair.original);
                let codes = [&pair.original, &pair.synthetic].map(|column| bins.codes(column));
                compared.push(Self {
                    name,
                    numbers: Some([pair.original, pair.synthetic]),
                    codes,
                    size: BINS + 3,
                    missing: None,
                });
            } else {
                let of = |table: &table::CodedTable| table.columns()[position].iter().collect();
                compared.push(Self {
                    name,
                    numbers: None,
                    codes: [of(shared.original()), of(&shared.synthetic()[0])],
                    size: classes.size(),
                    missing: classes.missing_class(),
                });
            }
        }
        Ok(compared)
    }

    fn shape(&self) -> Option<f64> {
        match &self.numbers {
            Some(numbers) => {
                let sorted = |column: &Vec<Option<f64>>| {
                    let mut known: Vec<f64> = column.iter().flatten().copied().collect();
                    known.sort_unstable_by(f64::total_cmp);
                    known
                };
                let [original, synthetic] = numbers.each_ref().map(sorted);
                let are_there = !original.is_empty() && !synthetic.is_empty();
                are_there.then(|| 1.0 - kolmogorov_smirnov(&original, &synthetic))
            }
            None => {
                let known = |codes: &Vec<u32>| -> Vec<u32> {
                    codes.iter().copied().filter(|code| Some(*code) != self.missing).collect()
                };
                similarity(&self.codes.each_ref().map(known), self.size)
            }
        }
    }
}

/// The score of a pair; `None` where a correlation is not defined in one of the files.
fn trend(one: &Compared, other: &Compared) -> Option<f64> {
    if let (Some(here), Some(there)) = (&one.numbers, &other.numbers) {
        let [original, synthetic] = [0, 1].map(|file: usize| correlation(&here[file], &there[file]));
        return Some(1.0 - (original? - synthetic?).abs() / 2.0);
    }
    let cells = one.size * other.size;
    let joint = [0, 1].map(|file: usize| -> Vec<u64> {
        let codes = one.codes[file].iter().zip(&other.codes[file]);
        codes.map(|(one, two)| u64::from(*one) * other.size as u64 + u64::from(*two)).collect()
    });
    similarity(&joint, cells)
}

/// One less the total variation distance of the shares of cells.
fn similarity<T: Copy + Into<u64>>(files: &[Vec<T>; 2], cells: usize) -> Option<f64> {
    let totals = files.each_ref().map(|file| file.len() as f64);
    if totals.contains(&0.0) {
        return None;
    }
    let shares = |[original, synthetic]: &[u64; 2]| {
        (*original as f64 / totals[0] - *synthetic as f64 / totals[1]).abs()
    };
    let distance: f64 = if cells <= DENSE {
        let mut counts = vec![[0_u64; 2]; cells];
        for (place, file) in files.iter().enumerate() {
            file.iter().for_each(|code| counts[Into::<u64>::into(*code) as usize][place] += 1);
        }
        counts.iter().map(shares).sum()
    } else {
        let mut counts: FxHashMap<u64, [u64; 2]> = FxHashMap::default();
        for (place, file) in files.iter().enumerate() {
            file.iter().for_each(|code| counts.entry((*code).into()).or_default()[place] += 1);
        }
        let mut differences: Vec<f64> = counts.values().map(shares).collect();
        differences.sort_unstable_by(f64::total_cmp);
        differences.iter().sum()
    };
    Some((1.0 - distance / 2.0).clamp(0.0, 1.0))
}

/// Ten bins of equal width between the smallest and the largest number.
struct Bins {
    low: f64,
    width: f64,
}

impl Bins {
    fn of(numbers: &[Option<f64>]) -> Self {
        let known = || numbers.iter().flatten().copied();
        let (low, high) = (known().fold(f64::MAX, f64::min), known().fold(f64::MIN, f64::max));
        // A number that does not vary has bins of width 0.1 around it, as numpy has it.
        if high > low {
            Self { low, width: (high - low) / BINS as f64 }
        } else {
            Self { low: low - 0.5, width: 0.1 }
        }
    }

    /// 0 below the first edge, 1 to 10 the bins, 11 from the last edge on, 12 where there is no number.
    fn codes(&self, numbers: &[Option<f64>]) -> Vec<u32> {
        let edge = |at: usize| self.low + self.width * at as f64;
        let code = |number: &Option<f64>| match number {
            None => BINS as u32 + 2,
            Some(number) => (0..=BINS).take_while(|at| *number >= edge(*at)).count() as u32,
        };
        numbers.iter().map(code).collect()
    }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn scores(original: &str, synthetic: &str) -> Vec<f64> {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let (original, synthetic) = (read(original), read(synthetic));
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let found = SdMetrics.evaluate(&comparison, &Settings::default()).unwrap();
        found.iter().map(|finding| finding.value.unwrap()).collect()
    }

    #[test]
    fn the_same_file_is_perfect() {
        let text = "sex,age,pay\nF,31,1.5\nM,47,2.5\nF,31,1.5\nM,12,9.5\n";
        assert_eq!(scores(text, text), [1.0; 3]);
    }

    /// By hand: sex 1 − ½(|¾ − ½| + |¼ − ½|) = 0.75; x has D = ½ and y has D = 0, since both have 1, 1, 2, 2.
    #[test]
    fn shapes_and_pairs_by_hand() {
        let original = "sex,x,y\nF,1,1\nF,2,1\nF,3,2\nM,4,2\n";
        let synthetic = "sex,x,y\nF,3,1\nM,4,1\nF,3,2\nM,4,2\n";
        let found = scores(original, synthetic);
        assert!((found[0] - (0.75 + 0.5 + 1.0) / 3.0).abs() < 1e-12, "{found:?}");
        // x:y: r is 4/√20 in the original and 0 in the other; sex:x has shares F1 F2 F3 M4 against F3 F3 M4 M4; sex:y F1 F1 F2 M2 against F1 M1 F2 M2.
        let pairs = [1.0 - 2.0 / 20.0_f64.sqrt(), 0.5, 0.75];
        assert!((found[1] - pairs.iter().sum::<f64>() / 3.0).abs() < 1e-12, "{found:?}");
        assert!((found[2] - (found[0] + found[1]) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn bins_have_edges_of_the_original() {
        let numbers: Vec<Option<f64>> = [0.0, 0.5, 1.0, 9.99, 10.0].map(Some).to_vec();
        let bins = Bins::of(&numbers);
        assert_eq!(bins.codes(&numbers), [1, 1, 2, 10, 11]);
        assert_eq!(bins.codes(&[Some(-1.0), Some(99.0), None]), [0, 11, 12]);
        assert_eq!(Bins::of(&[Some(3.0)]).codes(&[Some(3.0)]), [6]);
    }
}
