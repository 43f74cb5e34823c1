//! What a labelled file holds.

use crate::{Meaning, Program};

/// A file as columns.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledFile {
    /// Whose file it is.
    pub program: Program,
    /// The title that the file has; empty if none.
    pub label: String,
    /// Number of records.
    pub rows: usize,
    /// The columns, each with as many values as there are records.
    pub columns: Vec<LabelledColumn>,
    /// The column by which the program weights, if it does.
    pub weight: Option<String>,
}

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledColumn {
    /// Its name.
    pub name: String,
    /// Its label; empty if it has none.
    pub label: String,
    /// How the program shows it, in the program's own words: `F8.2`, `%9.0g`, `DATE9.`; empty if it does not say.
    pub format: String,
    /// What its numbers are.
    pub meaning: Meaning,
    /// The scale of measurement that SPSS notes.
    pub measure: Option<Measure>,
    /// Labels of values, as far as they have one.
    pub labels: Vec<(LabelledValue, String)>,
    /// Values that are there and count as missing.
    pub missing: Vec<MissingValues>,
    /// The values.
    pub values: Values,
}

/// Scales of measurement, as SPSS calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Without order.
    Nominal,
    /// With an order.
    Ordinal,
    /// A number.
    Scale,
}

/// A value that has a label.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelledValue {
    /// A number, or a missing one with a letter.
    Number(f64),
    /// A text.
    Text(String),
}

/// Values that count as missing.
#[derive(Clone, Debug, PartialEq)]
pub enum MissingValues {
    /// One number.
    Number(f64),
    /// The numbers from one to another, both included; the ends may be infinite.
    Range(f64, f64),
    /// One text.
    Text(String),
}

impl MissingValues {
    /// Whether a number is among them.
    pub fn holds(&self, number: f64) -> bool {
        match self {
            Self::Number(value) => *value == number,
            Self::Range(low, high) => (*low..=*high).contains(&number),
            Self::Text(_) => false,
        }
    }
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; those that are missing are NaN, see [`crate::tag_of`].
    Numbers(Vec<f64>),
    /// Texts; the empty text is missing.
    Texts(Texts),
}

/// Texts as codes into the distinct ones, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// The distinct texts.
    pub dictionary: Vec<String>,
    /// One code a record.
    pub codes: Vec<u32>,
}

impl Texts {
    /// The text of a record; empty where it is missing or there is no such record.
    pub fn get(&self, row: usize) -> &str {
        let code = self.codes.get(row).and_then(|code| self.dictionary.get(*code as usize));
        code.map_or("", String::as_str)
    }

    /// The length of the longest text, in bytes.
    pub fn longest(&self) -> usize {
        self.dictionary.iter().map(String::len).max().unwrap_or(0)
    }
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts(texts) => texts.codes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl LabelledColumn {
    /// A column with nothing but a name and values.
    pub fn new(name: impl Into<String>, values: Values) -> Self {
        Self {
            name: name.into(),
            label: String::new(),
            format: String::new(),
            meaning: Meaning::Number,
            measure: None,
            labels: Vec::new(),
            missing: Vec::new(),
            values,
        }
    }
}
