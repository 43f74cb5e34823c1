//! The two-way tables that differ most, in both files side by side.

use measures::utility::tables::names;
use measures::{Finding, MeasureError, SharedTables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::{CountSource, Margin};

/// A two-way table in the original and in the synthetic files, as shares of all records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairTable {
    /// The variable of the rows and that of the columns.
    pub variables: [String; 2],
    /// Its standardised propensity score.
    pub s_pmse: f64,
    /// The classes of the rows.
    pub rows: Vec<String>,
    /// The classes of the columns.
    pub columns: Vec<String>,
    /// Shares of the original's records, row by row.
    pub original: Vec<Vec<f64>>,
    /// Mean shares of the synthetic records, row by row.
    pub synthetic: Vec<Vec<f64>>,
    /// Synthetic less original share, row by row.
    pub difference: Vec<Vec<f64>>,
}

/// How many tables are shown.
const WORST: usize = 5;
/// Classes beyond this many of one variable are shown together.
const MOST_CLASSES: usize = 10;

/// The tables of two variables with the largest S_pMSE among the findings, worst first.
pub(super) fn worst_tables(
    shared: &SharedTables,
    findings: &[Finding],
) -> Result<Vec<PairTable>, MeasureError> {
    let of_pairs =
        findings.iter().filter(|finding| finding.measure == names::S_PMSE && finding.on.len() == 2);
    let mut pairs: Vec<(f64, &Finding)> =
        of_pairs.filter_map(|finding| Some((finding.value?, finding))).collect();
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0));
    pairs.into_iter().take(WORST).map(|(s_pmse, finding)| pair_table(shared, &finding.on, s_pmse)).collect()
}

fn pair_table(shared: &SharedTables, names: &[String], s_pmse: f64) -> Result<PairTable, MeasureError> {
    let of = [shared.attributes(names)?];
    let margin = |source: &table::CodedTable| -> Result<Margin, MeasureError> {
        Ok(source.margins(&of)?.swap_remove(0))
    };
    let original = margin(shared.original())?;
    let synthetic = shared.synthetic().iter().map(margin).collect::<Result<Vec<_>, _>>()?;
    let [rows, columns] = [original.sizes()[0], original.sizes()[1]];
    let variables: Vec<_> = of[0].positions().iter().map(|at| &shared.domain().variables()[*at]).collect();
    let all: Vec<&Margin> = std::iter::once(&original).chain(&synthetic).collect();
    let total = |row: Option<usize>, column: Option<usize>| -> u64 {
        let cells = (0..rows * columns).filter(|cell| {
            row.is_none_or(|row| cell / columns == row)
                && column.is_none_or(|column| cell % columns == column)
        });
        cells.map(|cell| all.iter().map(|margin| margin.counts()[cell]).sum::<u64>()).sum()
    };
    let row_groups = Groups::new((0..rows).map(|row| total(Some(row), None)).collect());
    let column_groups = Groups::new((0..columns).map(|column| total(None, Some(column))).collect());
    let shares = |margins: &[&Margin]| -> Vec<Vec<f64>> {
        let share = |row_group: &Vec<usize>, column_group: &Vec<usize>| {
            let of_margin = |margin: &&Margin| {
                let cells = row_group
                    .iter()
                    .flat_map(|row| column_group.iter().map(move |column| row * columns + column));
                cells.map(|cell| margin.counts()[cell]).sum::<u64>() as f64 / margin.total().max(1) as f64
            };
            margins.iter().map(of_margin).sum::<f64>() / margins.len() as f64
        };
        let row = |row: &Vec<usize>| column_groups.groups.iter().map(|column| share(row, column)).collect();
        row_groups.groups.iter().map(row).collect()
    };
    let (original, synthetic) = (shares(&all[..1]), shares(&all[1..]));
    let less = |(synthetic, original): (&Vec<f64>, &Vec<f64>)| {
        synthetic.iter().zip(original).map(|(synthetic, original)| synthetic - original).collect()
    };
    Ok(PairTable {
        variables: [variables[0].name().to_owned(), variables[1].name().to_owned()],
        s_pmse,
        rows: row_groups.labels(variables[0]),
        columns: column_groups.labels(variables[1]),
        difference: synthetic.iter().zip(&original).map(less).collect(),
        original,
        synthetic,
    })
}

/// Classes that occur, the rarest of too many together.
struct Groups {
    groups: Vec<Vec<usize>>,
}

impl Groups {
    fn new(totals: Vec<u64>) -> Self {
        let mut shown: Vec<usize> = (0..totals.len()).filter(|class| totals[*class] > 0).collect();
        let mut others = Vec::new();
        if shown.len() > MOST_CLASSES {
            shown.sort_by_key(|class| (std::cmp::Reverse(totals[*class]), *class));
            others = shown.split_off(MOST_CLASSES - 1);
            shown.sort_unstable();
        }
        let mut groups: Vec<Vec<usize>> = shown.into_iter().map(|class| vec![class]).collect();
        if !others.is_empty() {
            groups.push(others);
        }
        Self { groups }
    }

    fn labels(&self, classes: &table::Classes) -> Vec<String> {
        let label = |group: &Vec<usize>| match group.as_slice() {
            [one] => classes.label(*one as u32),
            several => format!("{} others", several.len()),
        };
        self.groups.iter().map(label).collect()
    }
}
