//! How the texts of an identifier look: runs of digits, letters and separators. Enough to write new ones like them, and nothing more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Longer texts have no look: they are not labels.
const LONGEST: usize = 64;

/// No run of a look is longer than this, nor has a look more runs; a declared pattern may be.
const LONGEST_RUN: usize = 1000;

/// Whole numbers have at most this many digits.
pub(crate) const WIDEST: usize = 18;

/// A sequence of runs that all texts share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    runs: Vec<Run>,
}

/// One run of characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which characters.
    pub class: RunClass,
    /// How long the run is, with how many texts have that length.
    pub lengths: BTreeMap<usize, u64>,
    /// Whether a run of several digits may begin with zero.
    pub zero_first: bool,
}

/// The characters of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunClass {
    /// Always this.
    Fixed(String),
    /// Any of these characters, in ascending order.
    OneOf(String),
}

const DIGITS: &str = "0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";

/// What kind of character a run is made of, while texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Digit,
    Upper,
    Lower,
    Other(char),
}

fn sort_of(character: char) -> Sort {
    match character {
        '0'..='9' => Sort::Digit,
        'A'..='Z' => Sort::Upper,
        'a'..='z' => Sort::Lower,
        other => Sort::Other(other),
    }
}

fn alphabet(sort: Sort) -> &'static str {
    match sort {
        Sort::Digit => DIGITS,
        Sort::Upper => UPPER,
        Sort::Lower => LOWER,
        Sort::Other(_) => "",
    }
}

/// The maximal runs of a text; other characters stand alone.
fn runs_of(text: &str) -> Vec<(Sort, &str)> {
    let mut runs: Vec<(Sort, usize, usize)> = Vec::new();
    for (at, character) in text.char_indices() {
        let (sort, end) = (sort_of(character), at + character.len_utf8());
        match runs.last_mut() {
            Some((last, _, to)) if *last == sort && !matches!(sort, Sort::Other(_)) => *to = end,
            _ => runs.push((sort, at, end)),
        }
    }
    runs.into_iter().map(|(sort, from, to)| (sort, &text[from..to])).collect()
}

impl Look {
    /// The look that at least this share of the texts has; `None` if there is none, or nothing in it varies.
    pub fn of_most(texts: &[&str], share: f64) -> Option<Self> {
        let mut shapes: BTreeMap<Vec<Sort>, Vec<&str>> = BTreeMap::new();
        for text in texts.iter().filter(|text| text.chars().count() <= LONGEST) {
            let shape = runs_of(text).into_iter().map(|(sort, _)| sort).collect();
            shapes.entry(shape).or_default().push(text);
        }
        let (shape, of_shape) = shapes.into_iter().max_by_key(|(_, texts)| texts.len())?;
        if (of_shape.len() as f64) < share * texts.len() as f64 {
            return Self::by_position(texts);
        }
        let columns = (0..shape.len()).map(|at| of_shape.iter().map(|text| runs_of(text)[at].1).collect());
        let columns: Vec<Vec<&str>> = columns.collect();
        let run = |(sort, parts): (&Sort, &Vec<&str>)| run_of(alphabet(*sort), parts);
        Self { runs: shape.iter().zip(&columns).map(run).collect() }.if_it_varies()
    }

    /// Texts of one length whose characters agree place by place, such as hexadecimal numbers.
    fn by_position(texts: &[&str]) -> Option<Self> {
        let length = texts.first()?.len();
        if length > LONGEST || !texts.iter().all(|text| text.len() == length && text.is_ascii()) {
            return None;
        }
        let mut runs: Vec<Run> = Vec::new();
        for at in 0..length {
            let parts: Vec<&str> = texts.iter().map(|text| &text[at..=at]).collect();
            let mut characters: Vec<char> = parts.iter().flat_map(|part| part.chars()).collect();
            characters.sort_unstable();
            characters.dedup();
            let is_label = characters.iter().all(char::is_ascii_alphanumeric);
            if characters.len() > 1 && !is_label {
                return None;
            }
            let run = run_of(&free_alphabet(&characters), &parts);
            match (runs.last_mut(), &run.class) {
                (Some(last), RunClass::OneOf(_)) if last.class == run.class => {
                    last.lengths = last.lengths.iter().map(|(length, texts)| (length + 1, *texts)).collect();
                }
                _ => runs.push(run),
            }
        }
        Self { runs }.if_it_varies()
    }

    /// The look that a person declares: 9 is a digit, A and a are letters, everything else stands for itself.
    pub fn declared(pattern: &str) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for character in pattern.chars() {
            let class = match character {
                '9' => RunClass::OneOf(DIGITS.into()),
                'A' => RunClass::OneOf(UPPER.into()),
                'a' => RunClass::OneOf(LOWER.into()),
                other => RunClass::Fixed(other.into()),
            };
            match runs.last_mut() {
                Some(last) if last.class == class && matches!(class, RunClass::OneOf(_)) => {
                    last.lengths = last.lengths.keys().map(|length| (length + 1, 1)).collect();
                }
                _ => runs.push(Run { class, lengths: BTreeMap::from([(1, 1)]), zero_first: true }),
            }
        }
        Self { runs }
    }

    /// Whole numbers of these widths, with how many numbers have each.
    pub fn of_numbers(widths: BTreeMap<usize, u64>) -> Self {
        Self { runs: vec![Run { class: RunClass::OneOf(DIGITS.into()), lengths: widths, zero_first: false }] }
    }

    fn if_it_varies(self) -> Option<Self> {
        self.runs.iter().any(|run| matches!(run.class, RunClass::OneOf(_))).then_some(self)
    }

    /// The runs in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether texts of this look can be written, as many as are wanted: it is short, something in it varies, and each run that does has several
    /// characters to choose from. Whole numbers are of digits alone, few enough for 64 bits.
    pub fn can_be_written(&self, whole: bool) -> bool {
        let longest = |run: &Run| run.lengths.keys().next_back().copied().unwrap_or(usize::MAX);
        let is_fine = |run: &Run| match &run.class {
            RunClass::Fixed(text) => text.len() <= LONGEST_RUN && !whole,
            RunClass::OneOf(these) => {
                let is_alphabet =
                    these.len() > 1 && these.is_ascii() && these.bytes().is_sorted_by(|a, b| a < b);
                let texts = run.lengths.values().try_fold(0_u64, |sum, texts| sum.checked_add(*texts));
                is_alphabet && texts.is_some() && longest(run) <= if whole { WIDEST } else { LONGEST_RUN }
            }
        };
        let is_digits = |run: &Run| run.class == RunClass::OneOf(DIGITS.into());
        let varies = self.runs.iter().any(|run| matches!(run.class, RunClass::OneOf(_)));
        let is_number = self.runs.len() == 1 && self.runs.iter().all(is_digits);
        varies && self.runs.len() <= LONGEST_RUN && self.runs.iter().all(is_fine) && (!whole || is_number)
    }

    /// How many different texts have this look, at least.
    pub fn capacity(&self) -> f64 {
        self.runs.iter().map(Run::capacity).product()
    }

    /// The look with room for more texts: its last run of digits, else its last one that varies, one longer.
    pub fn widened(mut self) -> Self {
        let varies = |run: &Run| matches!(run.class, RunClass::OneOf(_));
        let is_digits = |run: &Run| matches!(&run.class, RunClass::OneOf(these) if these == DIGITS);
        let at = self.runs.iter().rposition(is_digits).or_else(|| self.runs.iter().rposition(varies));
        if let Some(run) = at.map(|at| &mut self.runs[at]) {
            let longest = run.lengths.keys().next_back().copied().unwrap_or(0);
            run.lengths = BTreeMap::from([(longest + 1, 1)]);
        }
        self
    }

    pub(super) fn has_digits(&self) -> bool {
        self.runs.iter().any(|run| match &run.class {
            RunClass::OneOf(these) => these.contains('0'),
            RunClass::Fixed(_) => false,
        })
    }

    pub(super) fn runs_of_letters_and_digits(&self) -> usize {
        let is_label = |run: &&Run| match &run.class {
            RunClass::OneOf(_) => true,
            RunClass::Fixed(text) => text.chars().all(|character| character.is_ascii_alphanumeric()),
        };
        self.runs.iter().filter(is_label).count()
    }

    /// Letters and digits in a text, on average.
    pub(super) fn mean_length(&self) -> f64 {
        let mean = |run: &Run| {
            let texts: u64 = run.lengths.values().sum();
            let characters: u64 = run.lengths.iter().map(|(length, texts)| *length as u64 * texts).sum();
            characters as f64 / texts.max(1) as f64
        };
        let is_label = |run: &&Run| match &run.class {
            RunClass::OneOf(_) => true,
            RunClass::Fixed(text) => text.chars().all(|character| character.is_ascii_alphanumeric()),
        };
        self.runs.iter().filter(is_label).map(mean).sum()
    }
}

impl Run {
    fn capacity(&self) -> f64 {
        match &self.class {
            RunClass::Fixed(_) => 1.0,
            RunClass::OneOf(these) => {
                let of_length = |length: &usize| {
                    let all = (these.len() as f64).powi(*length as i32);
                    if self.zero_first || !these.starts_with('0') { all } else { all * 0.9 }
                };
                self.lengths.keys().map(of_length).sum()
            }
        }
    }
}

/// The run of these parts: fixed where all are the same, else characters of an alphabet.
fn run_of(alphabet: &str, parts: &[&str]) -> Run {
    let mut lengths = BTreeMap::new();
    parts.iter().for_each(|part| *lengths.entry(part.len()).or_default() += 1);
    let first = parts.first().copied().unwrap_or_default();
    let class = if alphabet.is_empty() || parts.iter().all(|part| *part == first) {
        RunClass::Fixed(first.to_owned())
    } else {
        RunClass::OneOf(alphabet.to_owned())
    };
    Run { class, lengths, zero_first: parts.iter().any(|part| part.starts_with('0')) }
}

/// All characters of the sorts that occur; of letters among digits only those of hexadecimal numbers, if no other occurs.
fn free_alphabet(characters: &[char]) -> String {
    let is_hexadecimal = characters.iter().all(char::is_ascii_hexdigit);
    let mut sorts: Vec<Sort> = characters.iter().map(|character| sort_of(*character)).collect();
    sorts.sort_unstable();
    sorts.dedup();
    let has_digits = sorts.contains(&Sort::Digit);
    let letters = |sort: &Sort| {
        let all = alphabet(*sort);
        if *sort != Sort::Digit && is_hexadecimal && has_digits { &all[..6] } else { all }
    };
    sorts.iter().map(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(texts: &[&str]) -> Option<Look> {
        Look::of_most(texts, 0.95)
    }

    #[test]
    fn runs_keep_their_lengths_and_what_never_changes() {
        let found = look(&["13:157:1", "2:4:3", "77:310:2"]).unwrap();
        let lengths: Vec<Vec<usize>> =
            found.runs().iter().map(|run| run.lengths.keys().copied().collect()).collect();
        assert_eq!(lengths, [vec![1, 2], vec![1], vec![1, 3], vec![1], vec![1]]);
        assert_eq!(found.runs()[1].class, RunClass::Fixed(":".into()));
        assert_eq!(found.runs_of_letters_and_digits(), 3);
        let coded = look(&["SRC-0012", "SRC-0345", "SRC-9999"]).unwrap();
        assert_eq!(coded.runs()[0].class, RunClass::Fixed("SRC".into()));
        assert!(coded.runs()[2].zero_first && coded.capacity() == 10_000.0);
        assert_eq!(coded.widened().capacity(), 100_000.0);
    }

    #[test]
    fn hexadecimal_numbers_agree_place_by_place() {
        let found = look(&["a1f0-99", "00be-1c", "7d3a-e2", "cafe-00"]).unwrap();
        assert_eq!(found.runs()[0].class, RunClass::OneOf("0123456789abcdef".into()));
        assert_eq!(
            found.runs().iter().map(|run| run.lengths.keys().sum()).collect::<Vec<usize>>(),
            [4, 1, 2]
        );
    }

    #[test]
    fn a_look_that_cannot_be_written_is_known_as_such() {
        assert!(look(&["13:157:1", "2:4:3"]).unwrap().can_be_written(false));
        assert!(Look::of_numbers(BTreeMap::from([(4, 9)])).can_be_written(true));
        assert!(!Look::of_numbers(BTreeMap::from([(19, 9)])).can_be_written(true), "no 64 bits hold it");
        assert!(!Look::of_numbers(BTreeMap::new()).can_be_written(true));
        assert!(!Look::declared("A9").can_be_written(true) && !Look::declared("xyz").can_be_written(false));
        let mut one = Look::declared("99");
        one.runs[0].class = RunClass::OneOf("7".into());
        assert!(!one.can_be_written(false), "one text only");
        one.runs[0].class = RunClass::OneOf(String::new());
        assert!(!one.can_be_written(false));
    }

    #[test]
    fn words_have_no_look() {
        assert_eq!(look(&["Anna Berg", "Jo", "de Vries, Jan", "x1"]), None);
        assert_eq!(look(&["same", "same"]), None);
    }

    #[test]
    fn a_declared_pattern_is_read_character_by_character() {
        let found = Look::declared("AB-999");
        assert_eq!(found.runs().len(), 4);
        assert_eq!(found.capacity(), 26_000.0);
    }
}
