//! The terms of a design over its kept columns, each with columns numbered from 0 of its own.

use std::ops::Range;

use super::design::{Coding, Design, KeptColumns};

/// For each term where its kept columns lie, and which of them a row of the design has.
pub(super) struct TermCodes {
    terms: Vec<TermCode>,
    size: usize,
}

struct TermCode {
    /// Its columns among the kept ones.
    kept: Range<usize>,
    /// The number of the column by the code of the only factor, or else by the column among all of the term, the last for a baseline; the number of
    /// kept columns stands for "none". Empty for a term without factors, which has one column.
    number: Vec<u16>,
}

/// A block of rows of one term.
#[derive(Default)]
pub(super) struct TermBlock {
    /// The column of each row; empty where the term has one column, that all rows have.
    pub(super) codes: Vec<u16>,
    /// The value of each row; empty where all are 1.
    pub(super) values: Vec<f64>,
}

impl TermBlock {
    /// Adds xβ of this term to what each row is predicted by; `coefficients` are those of the term's kept columns.
    pub(super) fn add_to_predictor(&self, coefficients: &[f64], predictor: &mut [f64]) {
        if coefficients.is_empty() {
            return;
        }
        let with_none: Vec<f64> = coefficients.iter().copied().chain([0.0]).collect();
        match (self.codes.is_empty(), self.values.is_empty()) {
            (true, true) => predictor.iter_mut().for_each(|sum| *sum += coefficients[0]),
            (true, false) => {
                predictor
                    .iter_mut()
                    .zip(&self.values)
                    .for_each(|(sum, value)| *sum += coefficients[0] * value);
            }
            (false, true) => {
                let rows = predictor.iter_mut().zip(&self.codes);
                rows.for_each(|(sum, code)| *sum += with_none[usize::from(*code)]);
            }
            (false, false) => {
                let rows = predictor.iter_mut().zip(&self.codes).zip(&self.values);
                rows.for_each(|((sum, code), value)| *sum += with_none[usize::from(*code)] * value);
            }
        }
    }
}

impl TermCodes {
    pub(super) fn new(design: &Design, kept: &KeptColumns) -> Self {
        let terms = (0..design.terms().len()).map(|term| TermCode::new(design, kept, term)).collect();
        Self { terms, size: kept.len() }
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The number of kept columns.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The columns of a term among the kept ones.
    pub(super) fn columns_of(&self, term: usize) -> Range<usize> {
        self.terms[term].kept.clone()
    }

    /// How many different codes a term has, "none" included.
    pub(super) fn width(&self, term: usize) -> usize {
        let term = &self.terms[term];
        if term.number.is_empty() { 1 } else { term.kept.len() + 1 }
    }

    /// The rows of a block, term by term, into memory that is used again. Terms without a kept column are left empty.
    pub(super) fn blocks(&self, design: &Design, rows: Range<usize>, into: &mut Vec<TermBlock>) {
        into.resize_with(self.terms.len(), TermBlock::default);
        let mut columns = Vec::new();
        for (position, (term, out)) in self.terms.iter().zip(into).enumerate() {
            out.codes.clear();
            out.values.clear();
            if term.kept.is_empty() {
                continue;
            }
            let of = &design.terms()[position];
            let mut numbers = of.numbers.iter().map(|number| &design.numbers()[*number][rows.clone()]);
            if let Some(first) = numbers.next() {
                out.values.extend(first);
                for number in numbers {
                    out.values.iter_mut().zip(number).for_each(|(product, value)| *product *= value);
                }
            }
            match &of.factors[..] {
                [] => {}
                [(factor, _)] => {
                    let codes = &design.factors()[*factor].codes[rows.clone()];
                    out.codes.extend(codes.iter().map(|code| term.number[*code as usize]));
                }
                factors => {
                    columns.clear();
                    columns.resize(rows.len(), 0);
                    design.add_columns(factors, rows.clone(), &mut columns);
                    let last = term.number.len() - 1;
                    out.codes.extend(columns.iter().map(|column| term.number[(*column as usize).min(last)]));
                }
            }
        }
    }
}

impl TermCode {
    fn new(design: &Design, kept: &KeptColumns, term: usize) -> Self {
        let all = design.columns_of(term);
        let start = kept.columns.partition_point(|column| *column < all.start);
        let end = kept.columns.partition_point(|column| *column < all.end);
        let none = (end - start) as u16;
        let mut number = vec![none; all.len() + 1];
        for (at, column) in (0..).zip(&kept.columns[start..end]) {
            number[column - all.start] = at;
        }
        let number = match &design.terms()[term].factors[..] {
            [] => Vec::new(),
            // Of a factor by treatment contrasts the first level is the baseline.
            [(_, Coding::Treatment)] => {
                number.rotate_right(1);
                number
            }
            _ => number,
        };
        Self { kept: start..end, number }
    }
}

#[cfg(test)]
mod tests {
    use super::super::design::{Factor, Term};
    use super::*;

    #[test]
    fn codes_are_the_columns_of_the_written_out_rows() {
        let factors = vec![
            Factor { codes: vec![0, 1, 2, 1, 0], levels: 3 },
            Factor { codes: vec![1, 0, 1, 1, 0], levels: 2 },
        ];
        let terms = vec![
            Term::intercept(),
            Term::factor(0),
            Term { factors: vec![(1, Coding::Indicator)], numbers: vec![0] },
            Term { factors: vec![(0, Coding::Treatment), (1, Coding::Indicator)], numbers: vec![] },
            Term::number(0),
        ];
        let design = Design::new(5, factors, vec![vec![2.0, 3.0, 5.0, 7.0, 11.0]], terms).unwrap();
        for columns in [(0..design.columns()).collect::<Vec<_>>(), vec![0, 2, 4, 6, 8], vec![1, 3, 9]] {
            let kept = KeptColumns::new(columns, design.columns());
            let codes = TermCodes::new(&design, &kept);
            let mut blocks = Vec::new();
            codes.blocks(&design, 1..5, &mut blocks);
            for row in 1..5 {
                let mut entries = vec![0.0; kept.len()];
                for (term, block) in
                    blocks.iter().enumerate().filter(|(term, _)| !codes.columns_of(*term).is_empty())
                {
                    let code = block.codes.get(row - 1).map_or(0, |code| usize::from(*code));
                    if code < codes.columns_of(term).len() {
                        entries[codes.columns_of(term).start + code] =
                            block.values.get(row - 1).copied().unwrap_or(1.0);
                    }
                }
                let written = design.row(row);
                assert_eq!(
                    entries,
                    kept.columns.iter().map(|column| written[*column]).collect::<Vec<_>>(),
                    "{row}"
                );
            }
        }
    }
}
