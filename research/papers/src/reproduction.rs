//! What came out of a reproduction: tables cell by cell beside the paper's, figures as series, and what is to be said of both.

use report::Figure;
use serde::Serialize;

/// A paper's results beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduction {
    /// The paper's name on the command line.
    pub paper: String,
    /// Where it was published.
    pub citation: String,
    /// The tables.
    pub tables: Vec<ReproducedTable>,
    /// The figures, as numbers.
    pub figures: Vec<Figure>,
    /// What the paper's text gets wrong.
    pub misprints: Vec<String>,
    /// What is to be said of the comparison: deviations and their reasons, and what could not be repeated.
    pub remarks: Vec<String>,
}

/// One table of the paper, ours beside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReproducedTable {
    /// Which one, such as `Table 2`.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// Its cells, row by row.
    pub cells: Vec<Cell>,
}

/// One number of the paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The row of the table.
    pub row: String,
    /// The column of the table.
    pub column: String,
    /// What the paper prints; nothing where it prints nothing.
    pub paper: Option<f64>,
    /// What we find; nothing where it is undefined.
    pub ours: Option<f64>,
    /// The standard error of the difference of the two, where runs are random.
    pub standard_error: Option<f64>,
    /// Where ours has to lie to agree.
    pub allowed: Option<[f64; 2]>,
    /// Whether the reproduction fails where it does not.
    pub must_agree: bool,
    /// Whether it does.
    pub verdict: Verdict,
}

/// Whether a number of ours agrees with the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It lies where it was said to lie, or within the standard errors that were allowed.
    Agrees,
    /// It agrees with the number that the paper should have printed, or that its text at hand should have.
    Misprint,
    /// It does not, and need not: the remarks say why.
    Differs,
    /// It does not, and it must.
    Fails,
    /// There is nothing to compare with.
    NotCompared,
}

/// How a number of ours is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// It must lie here.
    Must {
        /// From.
        low: f64,
        /// To.
        high: f64,
    },
    /// The paper, or its text at hand, has a wrong number; ours must lie within a distance of the right one.
    Corrected {
        /// The right number.
        number: f64,
        /// The distance.
        within: f64,
    },
    /// It is expected to lie here, but the reproduction stands without.
    Expect {
        /// From.
        low: f64,
        /// To.
        high: f64,
    },
    /// It is expected within this many standard errors of the paper's, or as close as half the last digit that the paper prints.
    StandardErrors {
        /// How many.
        most: f64,
        /// Half the last digit.
        rounding: f64,
    },
    /// It is only shown.
    Shown,
}

impl Rule {
    /// It must lie within this distance of the paper's.
    pub(crate) fn must_be_within(distance: f64, of: f64) -> Self {
        Self::Must { low: of - distance, high: of + distance }
    }

    /// It is expected within this distance of the paper's.
    #[cfg(test)]
    pub(crate) fn expect_within(distance: f64, of: f64) -> Self {
        Self::Expect { low: of - distance, high: of + distance }
    }
}

/// A number of ours, from one computation or from several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ours {
    /// The number; nothing where it is undefined.
    pub value: Option<f64>,
    /// The standard error of its difference to the paper's.
    pub standard_error: Option<f64>,
}

impl Ours {
    /// A number without randomness.
    pub fn exact(value: f64) -> Self {
        Self { value: Some(value), standard_error: None }
    }

    /// The mean of runs, beside a paper that printed the mean of `paper_runs`: with s the standard deviation of our R runs, the
    /// difference has the standard error s √(1/R + 1/paper_runs). One run alone has none.
    pub fn mean(runs: &[f64], paper_runs: u32) -> Self {
        let count = runs.len() as f64;
        if runs.is_empty() {
            return Self::default();
        }
        let mean = runs.iter().sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|run| (run - mean).powi(2)).sum();
        let error = (squares / (count - 1.0)).sqrt() * (1.0 / count + 1.0 / f64::from(paper_runs)).sqrt();
        Self { value: Some(mean), standard_error: (runs.len() > 1).then_some(error) }
    }

    /// The mean of the runs in which the number is defined.
    pub(crate) fn mean_of_defined(runs: &[Option<f64>], paper_runs: u32) -> Self {
        Self::mean(&runs.iter().flatten().copied().collect::<Vec<f64>>(), paper_runs)
    }
}

impl Cell {
    /// A cell, judged by the rule.
    pub fn new(
        row: impl Into<String>,
        column: impl Into<String>,
        paper: Option<f64>,
        ours: Ours,
        rule: Rule,
    ) -> Self {
        let must_agree = matches!(rule, Rule::Must { .. } | Rule::Corrected { .. });
        let allowed = match rule {
            Rule::Must { low, high } | Rule::Expect { low, high } => Some([low, high]),
            Rule::Corrected { number, within } => Some([number - within, number + within]),
            Rule::StandardErrors { most, rounding } => {
                paper.zip(ours.standard_error).map(|(paper, error)| {
                    let distance = (most * error).max(rounding);
                    [paper - distance, paper + distance]
                })
            }
            Rule::Shown => None,
        };
        let verdict = match (allowed, ours.value) {
            (None, _) => Verdict::NotCompared,
            (Some([low, high]), Some(value)) if (low..=high).contains(&value) => match rule {
                Rule::Corrected { .. } => Verdict::Misprint,
                _ => Verdict::Agrees,
            },
            _ if must_agree => Verdict::Fails,
            _ => Verdict::Differs,
        };
        let (row, column) = (row.into(), column.into());
        let (ours, standard_error) = (ours.value, ours.standard_error);
        Self { row, column, paper, ours, standard_error, allowed, must_agree, verdict }
    }

    /// (ours − paper) in standard errors of the difference; `None` where one of them is not known or there is no error.
    pub(crate) fn in_standard_errors(&self) -> Option<f64> {
        let error = self.standard_error.filter(|error| *error > 0.0)?;
        Some((self.ours? - self.paper?) / error)
    }
}

impl ReproducedTable {
    /// An empty table.
    pub fn new(name: impl Into<String>, caption: impl Into<String>) -> Self {
        Self { name: name.into(), caption: caption.into(), cells: Vec::new() }
    }

    /// The rows, in the order of the cells.
    pub fn rows(&self) -> Vec<&str> {
        in_order(self.cells.iter().map(|cell| cell.row.as_str()))
    }

    /// The columns, in the order of the cells.
    pub fn columns(&self) -> Vec<&str> {
        in_order(self.cells.iter().map(|cell| cell.column.as_str()))
    }

    /// The cell in this row and column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.row == row && cell.column == column)
    }
}

fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known: Vec<&str> = Vec::new();
    names.for_each(|name| {
        if !known.contains(&name) {
            known.push(name);
        }
    });
    known
}

impl Reproduction {
    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.tables.iter().flat_map(|table| &table.cells)
    }

    /// How many cells have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cells().filter(|cell| cell.verdict == verdict).count()
    }

    /// Whether every cell that must agree does.
    pub fn stands(&self) -> bool {
        self.count(Verdict::Fails) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_judged_by_its_rule() {
        let verdict = |paper, ours: Ours, rule| Cell::new("r", "c", paper, ours, rule).verdict;
        let exact = Ours::exact;
        assert_eq!(verdict(Some(1.0), exact(1.05), Rule::must_be_within(0.1, 1.0)), Verdict::Agrees);
        assert_eq!(verdict(Some(1.0), exact(1.15), Rule::must_be_within(0.1, 1.0)), Verdict::Fails);
        assert_eq!(verdict(Some(1.0), exact(1.15), Rule::expect_within(0.1, 1.0)), Verdict::Differs);
        assert_eq!(verdict(Some(1.0), Ours::default(), Rule::must_be_within(0.1, 1.0)), Verdict::Fails);
        assert_eq!(verdict(Some(1.0), exact(1.0), Rule::Shown), Verdict::NotCompared);
        let corrected = Rule::Corrected { number: 68.23, within: 0.005 };
        assert_eq!(verdict(Some(6.23), exact(68.233), corrected), Verdict::Misprint);
        assert_eq!(verdict(Some(6.23), exact(6.23), corrected), Verdict::Fails);
        let rule = Rule::StandardErrors { most: 3.0, rounding: 0.005 };
        let runs = Ours::mean(&[1.0, 2.0, 3.0, 4.0], 10);
        assert_eq!(verdict(Some(4.0), runs, rule), Verdict::Agrees);
        assert_eq!(verdict(Some(6.0), runs, rule), Verdict::Differs);
        assert_eq!(verdict(None, runs, rule), Verdict::NotCompared);
        // Runs that are all alike still agree with a rounded number.
        assert_eq!(verdict(Some(0.66), Ours::mean(&[0.664, 0.664], 10), rule), Verdict::Agrees);
    }

    #[test]
    fn the_standard_error_is_that_of_the_difference_of_two_means() {
        // Variance 5/3, over 4 runs of ours and 10 of the paper.
        let ours = Ours::mean(&[1.0, 2.0, 3.0, 4.0], 10);
        assert!((ours.standard_error.unwrap() - (5.0_f64 / 3.0 * (0.25 + 0.1)).sqrt()).abs() < 1e-12);
        let cell = Cell::new("r", "c", Some(2.0), ours, Rule::Shown);
        assert!((cell.in_standard_errors().unwrap() - 0.5 / ours.standard_error.unwrap()).abs() < 1e-12);
        assert_eq!(Ours::mean(&[1.0], 10).standard_error, None);
        assert_eq!(Ours::mean(&[], 10).value, None);
    }

    #[test]
    fn a_figure_is_written_series_by_series() {
        let figure = Figure::new("Figure 1", "", "m", "risk, \"R\"").with("σ = 1", vec![[1.0, 0.5]]);
        assert_eq!(figure.csv(), "series,\"m\",\"risk, \"\"R\"\"\"\n\"σ = 1\",1,0.5\n");
    }
}
