//! The model matrix of a regression, kept as the factors and numbers it is made of.
//!
//! A column of dummies is never stored: a factor is one code a row, and a term is a product of factors and numbers, so that a
//! row has one non-zero entry in each term. XᵀWX of a model with hundreds of dummies then costs as many additions a row as
//! there are pairs of *terms*, not of columns.

use std::ops::Range;

use rayon::prelude::*;

use super::RegressionError;
use super::term_codes::TermCodes;

/// The most columns a design may have: XᵀWX of them takes 800 MB.
pub const MOST_COLUMNS: usize = 10_000;

/// Rows that are expanded at a time.
pub(super) const BLOCK: usize = 4096;

/// A categorical predictor: one code a row, each below `levels`.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// One code a row.
    pub codes: Vec<u32>,
    /// The number of levels.
    pub levels: u32,
}

/// How a factor becomes columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// A column for each level but the first, which is the baseline.
    Treatment,
    /// A column for each level.
    Indicator,
}

/// A product of factors and numbers; the product of nothing is the intercept. Its columns are the combinations of the
/// factors' levels, those of the first factor running fastest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// Positions of the factors in the design, and how each is coded.
    pub factors: Vec<(usize, Coding)>,
    /// Positions of the numbers in the design.
    pub numbers: Vec<usize>,
}

impl Term {
    /// The column of ones.
    pub fn intercept() -> Self {
        Self::default()
    }

    /// One number.
    pub fn number(position: usize) -> Self {
        Self { factors: Vec::new(), numbers: vec![position] }
    }

    /// One factor by treatment contrasts.
    pub fn factor(position: usize) -> Self {
        Self { factors: vec![(position, Coding::Treatment)], numbers: Vec::new() }
    }
}

/// A model matrix: rows, and columns that are terms over factors and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    rows: usize,
    factors: Vec<Factor>,
    numbers: Vec<Vec<f64>>,
    terms: Vec<Term>,
    first_column: Vec<usize>,
}

impl Design {
    /// The design of these terms, if lengths, codes and positions fit together and every number is finite.
    pub fn new(
        rows: usize,
        factors: Vec<Factor>,
        numbers: Vec<Vec<f64>>,
        terms: Vec<Term>,
    ) -> Result<Self, RegressionError> {
        let refuse = |message: &str| Err(RegressionError::Design(message.to_owned()));
        for factor in &factors {
            if factor.codes.len() != rows {
                return refuse("a factor has another number of rows");
            }
            if factor.codes.iter().any(|code| *code >= factor.levels) {
                return refuse("a factor has a code above its number of levels");
            }
        }
        for number in &numbers {
            if number.len() != rows {
                return refuse("a number has another number of rows");
            }
            if number.iter().any(|value| !value.is_finite()) {
                return refuse("a number is infinite or missing in some row; leave such rows out first");
            }
        }
        let mut first_column: Vec<usize> = vec![0];
        for term in &terms {
            if term.factors.iter().any(|(position, _)| *position >= factors.len())
                || term.numbers.iter().any(|position| *position >= numbers.len())
            {
                return refuse("a term names a factor or number that is not there");
            }
            let sizes =
                term.factors.iter().map(|(position, coding)| coding.columns(factors[*position].levels));
            let size = sizes.fold(1_usize, usize::saturating_mul);
            let columns = first_column[first_column.len() - 1].saturating_add(size);
            if columns > MOST_COLUMNS {
                return Err(RegressionError::TooManyColumns { columns, limit: MOST_COLUMNS });
            }
            first_column.push(columns);
        }
        Ok(Self { rows, factors, numbers, terms, first_column })
    }

    /// The design whose columns are these numbers.
    pub fn of_columns(columns: Vec<Vec<f64>>) -> Result<Self, RegressionError> {
        let rows = columns.first().map_or(0, Vec::len);
        let terms = (0..columns.len()).map(Term::number).collect();
        Self::new(rows, Vec::new(), columns, terms)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.first_column[self.terms.len()]
    }

    pub(super) fn factors(&self) -> &[Factor] {
        &self.factors
    }

    pub(super) fn numbers(&self) -> &[Vec<f64>] {
        &self.numbers
    }

    /// The terms, in column order.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The columns of a term.
    pub fn columns_of(&self, term: usize) -> Range<usize> {
        self.first_column[term]..self.first_column[term + 1]
    }

    /// One row, written out.
    pub fn row(&self, row: usize) -> Vec<f64> {
        let mut entries = vec![0.0; self.columns()];
        let kept = KeptColumns::all(self.columns());
        for term in self.expand(row..row + 1, &kept).terms {
            if let Some(entry) = entries.get_mut(term.columns[0] as usize) {
                *entry = term.values[0];
            }
        }
        entries
    }

    /// Shows each row's entries in some of the columns, as their position among these and the value.
    pub fn for_each_row(&self, columns: &[usize], mut visit: impl FnMut(usize, &[(usize, f64)])) {
        let kept = KeptColumns::new(columns.to_vec(), self.columns());
        let mut entries = Vec::with_capacity(self.terms.len());
        for first in (0..self.rows).step_by(BLOCK) {
            let rows = first..(first + BLOCK).min(self.rows);
            let expanded = self.expand(rows.clone(), &kept);
            for row in rows {
                entries.clear();
                for term in &expanded.terms {
                    let column = term.columns[row - first] as usize;
                    if column < kept.len() {
                        entries.push((column, term.values[row - first]));
                    }
                }
                visit(row, &entries);
            }
        }
    }

    /// Xβ, one number a row.
    pub fn linear_predictor(&self, coefficients: &[f64]) -> Vec<f64> {
        assert_eq!(coefficients.len(), self.columns(), "one coefficient for each column");
        let codes = TermCodes::new(self, &KeptColumns::all(self.columns()));
        let mut predictor = vec![0.0; self.rows];
        predictor.par_chunks_mut(BLOCK).enumerate().for_each_init(Vec::new, |blocks, (block, predictor)| {
            let first = block * BLOCK;
            codes.blocks(self, first..first + predictor.len(), blocks);
            blocks.iter().enumerate().for_each(|(term, block)| {
                block.add_to_predictor(&coefficients[codes.columns_of(term)], predictor);
            });
        });
        predictor
    }

    /// Adds to `columns` which column of a product of factors each row has; the largest number stands for a baseline.
    pub(super) fn add_columns(&self, factors: &[(usize, Coding)], rows: Range<usize>, columns: &mut [u32]) {
        let mut stride = 1;
        for (factor, coding) in factors {
            let Factor { codes, levels } = &self.factors[*factor];
            let codes = columns.iter_mut().zip(&codes[rows.clone()]);
            match coding {
                Coding::Indicator => codes.for_each(|(column, code)| {
                    *column = column.saturating_add(code * stride);
                }),
                Coding::Treatment => codes.for_each(|(column, code)| {
                    let step = if *code == 0 { u32::MAX } else { (code - 1) * stride };
                    *column = column.saturating_add(step);
                }),
            }
            stride *= coding.columns(*levels) as u32;
        }
    }

    /// The rows of a block, term by term.
    pub(super) fn expand(&self, rows: Range<usize>, kept: &KeptColumns) -> Expanded {
        let expand = |(position, term): (usize, &Term)| {
            let mut values = vec![1.0; rows.len()];
            for number in &term.numbers {
                let numbers = &self.numbers[*number][rows.clone()];
                values.iter_mut().zip(numbers).for_each(|(product, value)| *product *= value);
            }
            let mut columns = vec![self.first_column[position] as u32; rows.len()];
            self.add_columns(&term.factors, rows.clone(), &mut columns);
            if !kept.is_all || !term.factors.is_empty() {
                let last = kept.position.len() - 1;
                columns.iter_mut().for_each(|column| *column = kept.position[(*column as usize).min(last)]);
            }
            TermRows { columns, values }
        };
        Expanded { terms: self.terms.iter().enumerate().map(expand).collect() }
    }
}

impl Coding {
    fn columns(self, levels: u32) -> usize {
        match self {
            Self::Treatment => levels.saturating_sub(1) as usize,
            Self::Indicator => levels as usize,
        }
    }
}

/// Which columns take part, and where each of them stands among those that do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeptColumns {
    pub(super) columns: Vec<usize>,
    /// For each column and, at the end, for a baseline: the position, or the number of kept columns for "nowhere".
    position: Vec<u32>,
    is_all: bool,
}

impl KeptColumns {
    pub(super) fn all(of: usize) -> Self {
        Self { columns: (0..of).collect(), position: (0..=of as u32).collect(), is_all: true }
    }

    pub(super) fn new(columns: Vec<usize>, of: usize) -> Self {
        let mut position = vec![columns.len() as u32; of + 1];
        columns.iter().enumerate().for_each(|(at, column)| position[*column] = at as u32);
        Self { is_all: columns.len() == of, columns, position }
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// A vector over all columns, with zeros where a column is left out.
    pub(super) fn scatter(&self, kept: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.position.len() - 1];
        self.columns.iter().zip(kept).for_each(|(column, value)| all[*column] = *value);
        all
    }
}

/// A block of rows: for each term, the one column that is not zero in each row, and its value.
pub(super) struct Expanded {
    pub(super) terms: Vec<TermRows>,
}

pub(super) struct TermRows {
    /// Position among the kept columns; their number stands for "none".
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
}

/// Cuts rows into ranges that do not depend on the number of threads: sums over them, added in order, are always the same.
pub(super) fn fixed_ranges(rows: usize, most: usize) -> Vec<Range<usize>> {
    let blocks = rows.div_ceil(BLOCK);
    let parts = blocks.div_ceil(4).clamp(1, most.max(1));
    let step = blocks.div_ceil(parts).max(1) * BLOCK;
    (0..rows.div_ceil(step).max(1))
        .map(|part| (part * step).min(rows)..((part + 1) * step).min(rows))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed() -> Design {
        let factors = vec![
            Factor { codes: vec![0, 1, 2, 1], levels: 3 },
            Factor { codes: vec![1, 0, 1, 1], levels: 2 },
        ];
        let numbers = vec![vec![2.0, 3.0, 5.0, 7.0]];
        let both = Term { factors: vec![(0, Coding::Treatment), (1, Coding::Indicator)], numbers: vec![0] };
        Design::new(4, factors, numbers, vec![Term::intercept(), Term::factor(0), both]).unwrap()
    }

    #[test]
    fn a_term_is_a_product_and_the_first_factor_runs_fastest() {
        let design = mixed();
        assert_eq!((design.columns(), design.columns_of(2)), (7, 3..7));
        // 1, a1, a2, x·a1·b0, x·a2·b0, x·a1·b1, x·a2·b1
        assert_eq!(design.row(0), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(design.row(1), [1.0, 1.0, 0.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(design.row(2), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0]);
        assert_eq!(design.row(3), [1.0, 1.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
    }

    #[test]
    fn the_linear_predictor_is_the_product_of_rows_and_coefficients() {
        let design = mixed();
        let beta = [1.0, -2.0, 0.5, 4.0, 8.0, 16.0, 32.0];
        let expected: Vec<f64> =
            (0..4).map(|row| design.row(row).iter().zip(&beta).map(|(x, b)| x * b).sum()).collect();
        assert_eq!(design.linear_predictor(&beta), expected);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let factor = |code| vec![Factor { codes: vec![code], levels: 2 }];
        let refused = |result: Result<Design, RegressionError>| result.unwrap_err().to_string();
        assert!(refused(Design::new(1, factor(2), vec![], vec![])).contains("code above"));
        assert!(refused(Design::new(2, factor(0), vec![], vec![])).contains("number of rows"));
        assert!(refused(Design::of_columns(vec![vec![f64::NAN]])).contains("infinite or missing"));
        assert!(refused(Design::new(1, vec![], vec![], vec![Term::number(0)])).contains("not there"));
        let wide = Factor { codes: vec![0], levels: 200 };
        let square = Term { factors: vec![(0, Coding::Indicator), (0, Coding::Indicator)], numbers: vec![] };
        assert!(refused(Design::new(1, vec![wide], vec![], vec![square])).contains("40000 columns"));
    }

    #[test]
    fn ranges_cover_every_row_once() {
        for rows in [0, 1, 1024, 5000, 165_000] {
            for most in [1, 7, 16] {
                let ranges = fixed_ranges(rows, most);
                assert!(ranges.len() <= most);
                assert_eq!(ranges.iter().map(Range::len).sum::<usize>(), rows);
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            }
        }
    }
}
