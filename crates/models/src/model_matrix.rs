//! The model matrix of a formula on a table, with R's coding and R's names.
//!
//! A factor, ordered or not, is coded by treatment contrasts with the schema's first level as baseline, unless the model lacks the term that
//! the contrasts are within; then it gets a column for every level (Chambers & Hastie 1992, p. 38, as R's `model.matrix`
//! reads it). A level that no record has keeps its column, which the fit then finds aliased and names.

use statistics::regression::{Coding, Design, Factor, Term};
use table::Table;
use table::column::Entry;

use crate::formula::BoundFormula;
use crate::stacked::Stacked;
use crate::{Formula, ModelError};

/// What becomes of missing values and special codes in the predictors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingAs {
    /// Their records are left out, as in R.
    #[default]
    Dropped,
    /// Missing is the last level of a factor that has missing values. A number becomes 0 there, with a 0/1 column beside it for missing, and one for
    /// each special code: the way of `synthpop::utility.gen`.
    Level,
}

/// A design with names.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMatrix {
    /// The columns.
    pub design: Design,
    /// Their names, as R has them: `(Intercept)`, `age`, `sexFEMALE`, `eduSECONDARY:sexFEMALE`.
    pub names: Vec<String>,
    /// The records that take part, by row number.
    pub rows: Vec<usize>,
    /// How many records were left out for a missing value, a special code, or a number that cannot be computed from theirs.
    pub dropped_rows: usize,
    /// Factors coded by contrasts with a baseline that none of the records has.
    pub absent_baselines: Vec<String>,
}

impl ModelMatrix {
    /// The predictors of `formula` in `table`. The response is not looked at.
    pub fn new(table: &Table, formula: &Formula, missing: MissingAs) -> Result<Self, ModelError> {
        let bound = formula.bind(table.schema().variables())?;
        Self::of_bound(&[table], &bound, missing, |_| true)
    }

    /// The same for tables one after the other and for those records that are wanted.
    pub(crate) fn of_bound(
        tables: &[&Table],
        formula: &BoundFormula,
        missing: MissingAs,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Self, ModelError> {
        let operands = formula
            .operands
            .iter()
            .map(|operand| Stacked::of_operand(tables, operand))
            .collect::<Result<Vec<_>, _>>()?;
        let used: Vec<bool> = (0..operands.len())
            .map(|operand| formula.terms.iter().any(|term| term.contains(&operand)))
            .collect();
        let records: usize = tables.iter().map(|table| table.rows()).sum();
        let is_complete = |row: usize| {
            missing == MissingAs::Level
                || operands.iter().zip(&used).all(|(operand, used)| !used || operand.has_value(row))
        };
        let rows: Vec<usize> = (0..records).filter(|row| is_wanted(*row) && is_complete(*row)).collect();
        let mut parts = Parts::default();
        let mut lacks_baseline = Vec::with_capacity(operands.len());
        let mut groups: Vec<Vec<Predictor>> = Vec::with_capacity(operands.len());
        for (operand, named) in operands.into_iter().zip(&formula.operands) {
            let values = operand.of_rows(&rows);
            lacks_baseline.push(values.lacks_first_level());
            groups.push(parts.add(&named.name, &values, missing));
        }
        let mut absent_baselines: Vec<String> = Vec::new();
        let mut terms = Vec::new();
        let mut names: Vec<String> = Vec::new();
        if formula.intercept {
            terms.push(Term::intercept());
            names.push("(Intercept)".to_owned());
        }
        let first_factor = formula.terms.iter().enumerate().find_map(|(at, term)| {
            let factor = term.iter().find(|operand| matches!(groups[**operand][0], Predictor::Factor { .. }));
            factor.map(|operand| (at, *operand))
        });
        for (at, term) in formula.terms.iter().enumerate() {
            let coding = |operand: usize| {
                let needs_all = !formula.intercept && first_factor == Some((at, operand));
                if needs_all { Coding::Indicator } else { coding(&formula.terms, at, operand) }
            };
            for operand in term.iter().filter(|operand| lacks_baseline[**operand]) {
                let name = &formula.operands[*operand].name;
                if coding(*operand) == Coding::Treatment && !absent_baselines.contains(name) {
                    absent_baselines.push(name.clone());
                }
            }
            for combination in combinations(term, &groups) {
                let (term, columns) = product(&combination, &coding);
                terms.push(term);
                names.extend(columns);
            }
        }
        let design = Design::new(rows.len(), parts.factors, parts.numbers, terms)?;
        let dropped_rows = records - rows.len();
        Ok(Self { design, names, rows, dropped_rows, absent_baselines })
    }

    /// Whether any of the records has something other than 0 in the column of this name.
    pub(crate) fn has_entries(&self, name: &str) -> bool {
        let unit = |column: &String| f64::from(u8::from(column == name));
        let unit: Vec<f64> = self.names.iter().map(unit).collect();
        self.design.linear_predictor(&unit).iter().any(|entry| *entry != 0.0)
    }
}

/// What one operand gives to the design: itself, and with it columns that mark where it has no value.
#[derive(Clone, Debug)]
enum Predictor {
    Factor { position: usize, name: String, levels: Vec<String> },
    Number { position: usize, name: String },
}

#[derive(Default)]
struct Parts {
    factors: Vec<Factor>,
    numbers: Vec<Vec<f64>>,
}

impl Parts {
    fn add(&mut self, name: &str, values: &Stacked, missing: MissingAs) -> Vec<Predictor> {
        match values {
            Stacked::Levels { levels, codes } => {
                let mut levels = levels.clone();
                let none = levels.len() as u32;
                if missing == MissingAs::Level && codes.contains(&none) {
                    levels.push("missing".into());
                }
                self.factors.push(Factor { codes: codes.clone(), levels: levels.len() as u32 });
                vec![Predictor::Factor { position: self.factors.len() - 1, name: name.to_owned(), levels }]
            }
            Stacked::Numbers { entries, codes } => {
                let number = |entry: &Entry<f64>| if let Entry::Value(value) = entry { *value } else { 0.0 };
                let mut group = vec![self.add_number(name.to_owned(), entries.iter().map(number).collect())];
                let marks = std::iter::once((Entry::Missing, format!("{name}_missing")));
                let codes = codes.iter().enumerate();
                for (mark, name) in
                    marks.chain(codes.map(|(at, code)| (Entry::Code(at), format!("{name}_{code}"))))
                {
                    if entries.contains(&mark) {
                        let marked = entries.iter().map(|entry| f64::from(u8::from(*entry == mark)));
                        group.push(self.add_number(name, marked.collect()));
                    }
                }
                group
            }
        }
    }

    fn add_number(&mut self, name: String, values: Vec<f64>) -> Predictor {
        self.numbers.push(values);
        Predictor::Number { position: self.numbers.len() - 1, name }
    }
}

/// R's rule: contrasts if a preceding term holds the rest of this term, else a column for every level.
fn coding(terms: &[Vec<usize>], at: usize, operand: usize) -> Coding {
    let rest: Vec<usize> = terms[at].iter().copied().filter(|other| *other != operand).collect();
    let holds_rest = |term: &Vec<usize>| rest.iter().all(|other| term.contains(other));
    if rest.is_empty() || terms[..at].iter().any(holds_rest) { Coding::Treatment } else { Coding::Indicator }
}

/// Every choice of one predictor from each operand's group, with the operand it belongs to.
fn combinations<'a>(term: &[usize], groups: &'a [Vec<Predictor>]) -> Vec<Vec<(usize, &'a Predictor)>> {
    let mut all: Vec<Vec<(usize, &Predictor)>> = vec![Vec::new()];
    for operand in term {
        let longer = |choice: Vec<(usize, &'a Predictor)>| {
            groups[*operand].iter().map(move |predictor| {
                let mut longer = choice.clone();
                longer.push((*operand, predictor));
                longer
            })
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The term and the names of its columns, the first factor running fastest.
fn product(choice: &[(usize, &Predictor)], coding: &dyn Fn(usize) -> Coding) -> (Term, Vec<String>) {
    let mut term = Term::default();
    let mut names: Vec<String> = vec![String::new()];
    for (operand, predictor) in choice {
        let labels: Vec<String> = match predictor {
            Predictor::Number { position, name } => {
                term.numbers.push(*position);
                vec![name.clone()]
            }
            Predictor::Factor { position, name, levels } => {
                let coding = coding(*operand);
                term.factors.push((*position, coding));
                let baseline = usize::from(coding == Coding::Treatment);
                levels.iter().skip(baseline).map(|level| format!("{name}{level}")).collect()
            }
        };
        let joined = |label: &String, name: &String| {
            if name.is_empty() { label.clone() } else { format!("{name}:{label}") }
        };
        names = labels.iter().flat_map(|label| names.iter().map(move |name| joined(label, name))).collect();
    }
    (term, names)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[variables.y]\nkind = \"real\"\nmissing = true\n\
        [variables.a]\nkind = \"categorical\"\nlevels = [\"p\", \"q\", \"r\"]\nmissing = true\n\
        [variables.b]\nkind = \"ordinal\"\nlevels = [\"u\", \"v\"]\n\
        [variables.x]\nkind = \"real\"\nmissing = true\ncodes = { -8 = \"none\" }\n";

    fn table() -> Table {
        let schema = Some(SchemaFile::parse(SCHEMA).unwrap());
        let text = "y,a,b,x\n1,p,u,2\n2,q,v,3\n3,q,u,-8\n4,,v,5\n5,p,v,\n,q,v,7\n";
        read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    fn matrix(formula: &str, missing: MissingAs) -> ModelMatrix {
        ModelMatrix::new(&table(), &Formula::parse(formula).unwrap(), missing).unwrap()
    }

    // colnames(model.matrix(~ …)) in R, with contr.treatment for all factors.
    #[rstest]
    #[case("y ~ a + x", "(Intercept) aq ar x")]
    #[case("y ~ a - 1", "ap aq ar")]
    #[case("y ~ x + a + b - 1", "x ap aq ar bv")]
    #[case("y ~ a*b", "(Intercept) aq ar bv aq:bv ar:bv")]
    #[case("y ~ a:b", "(Intercept) ap:bu aq:bu ar:bu ap:bv aq:bv ar:bv")]
    #[case("y ~ a:x", "(Intercept) ap:x aq:x ar:x")]
    #[case("y ~ x + a:x", "(Intercept) x x:aq x:ar")]
    #[case("y ~ a + a:b", "(Intercept) aq ar ap:bv aq:bv ar:bv")]
    #[case("y ~ b:a:x - 1", "bu:ap:x bv:ap:x bu:aq:x bv:aq:x bu:ar:x bv:ar:x")]
    #[case("y ~ factor(x) + factor(b)", "(Intercept) factor(x)3 factor(x)5 factor(x)7 factor(b)v")]
    #[case("y ~ I(x^2)*b", "(Intercept) I(x^2) bv I(x^2):bv")]
    fn columns_have_the_names_of_r(#[case] formula: &str, #[case] expected: &str) {
        let matrix = matrix(formula, MissingAs::Dropped);
        assert_eq!(matrix.names.join(" "), expected);
        assert_eq!(matrix.design.columns(), matrix.names.len());
    }

    #[test]
    fn records_without_a_value_in_a_predictor_are_left_out() {
        let matrix = matrix("y ~ a + x", MissingAs::Dropped);
        assert_eq!((matrix.rows.clone(), matrix.dropped_rows), (vec![0, 1, 5], 3));
        assert_eq!(matrix.design.row(1), [1.0, 1.0, 0.0, 3.0]);
        // A variable that is taken out again costs no records.
        assert_eq!(super::tests::matrix("y ~ b + x - x", MissingAs::Dropped).dropped_rows, 0);
    }

    #[test]
    fn missing_becomes_a_level_and_a_mark() {
        let matrix = matrix("y ~ a*x", MissingAs::Level);
        assert_eq!(matrix.dropped_rows, 0);
        let names = "(Intercept) aq ar amissing x x_missing x_-8 aq:x ar:x amissing:x aq:x_missing ar:x_missing \
                     amissing:x_missing aq:x_-8 ar:x_-8 amissing:x_-8";
        assert_eq!(matrix.names.join(" "), names);
        let row = |row: usize| matrix.design.row(row);
        assert_eq!(row(2)[..10], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(row(2)[13], 1.0);
        assert_eq!(row(3)[..10], [1.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
        assert_eq!(row(4)[..7], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_number_that_cannot_be_computed_drops_its_record() {
        assert_eq!(matrix("b ~ log(y - 1)", MissingAs::Dropped).rows.len(), 4);
    }
}
