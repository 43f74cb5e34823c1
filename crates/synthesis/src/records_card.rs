//! How the records of a release come about: what those who analyse them, plan with them or attack them must know of the generator.

use statistics::counts::CellDraws;

/// What a method says of the records that it makes with its settings. Every field must be filled in: there is no default.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordsCard {
    /// How they are made; the valid combining rule follows from it.
    pub making: Making,
    /// How the counts of cells are distributed, given the original ones; `None` where that is not known in closed form.
    pub cells: Option<CellDraws>,
    /// Records' worth of probability that is spread evenly over all cells, in each stratum.
    pub uniform_records: f64,
    /// What the model does not know of the data, as the subject of "… is estimated as the model has it"; `None` if it leaves nothing out.
    pub leaves_out: Option<String>,
    /// Whether the model was raked to published totals.
    pub is_raked: bool,
    /// How often intervals of regression coefficients covered in simulations with these settings; empty where that was not measured.
    pub coverage: &'static [MeasuredCoverage],
    /// The margins that the model holds, where it holds these and nothing beyond; what is left out is then told only where a question needs another.
    pub margins: Option<HeldMargins>,
}

/// The margins that a model holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldMargins {
    /// All of this many variables.
    Ways(usize),
    /// Those of these sets of variables, and each variable by itself.
    Named(Vec<Vec<String>>),
}

impl HeldMargins {
    /// Whether the table of these variables is one of the margins, or a part of one.
    pub fn hold(&self, variables: &[&str]) -> bool {
        match self {
            Self::Ways(ways) => variables.len() <= *ways,
            Self::Named(margins) => {
                variables.len() <= 1
                    || margins
                        .iter()
                        .any(|margin| variables.iter().all(|name| margin.iter().any(|held| held == name)))
            }
        }
    }
}

/// How much the predictors of a regression matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Each a tenth of a standard deviation and less.
    Weak,
    /// Up to half a standard deviation, so that together they explain most of the outcome.
    Strong,
}

/// How often nominal 95 % intervals of regression coefficients covered in a simulation: one line of the table in `docs/inference.md`, as `lookalike coverage` measured it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredCoverage {
    /// How much predictors mattered.
    pub effects: Effects,
    /// Columns of the table.
    pub columns: u32,
    /// N.
    pub records: u64,
    /// Synthetic files.
    pub m: u32,
    /// The mean over coefficients, in per cent.
    pub mean: f64,
    /// The coefficient that was covered least, in per cent.
    pub worst: f64,
    /// How many replications.
    pub replications: u32,
}

impl MeasuredCoverage {
    /// The measured design of such effects that is most like a release, if it is like it at all: neither columns nor records differ by a factor
    /// above 3.
    pub fn nearest(of: &[Self], effects: Effects, columns: usize, records: u64, m: usize) -> Option<Self> {
        let apart = |one: f64, other: f64| (one.max(1.0) / other.max(1.0)).ln().abs();
        let distances = |it: &&Self| {
            let columns = apart(f64::from(it.columns), columns as f64);
            (columns, apart(it.records as f64, records as f64), apart(f64::from(it.m), m as f64))
        };
        let total = |it: &&Self| {
            let (columns, records, m) = distances(it);
            columns + 0.5 * records + 0.25 * m
        };
        let of_such = of.iter().filter(|it| it.effects == effects);
        let nearest = of_such.min_by(|left, right| total(left).total_cmp(&total(right)))?;
        let (columns, records, _) = distances(&nearest);
        (columns <= 3.0_f64.ln() + 1e-9 && records <= 3.0_f64.ln() + 1e-9).then_some(*nearest)
    }

    /// Whether intervals cover too seldom to be relied on: a point and a half less than they say on average, or a coefficient three and a half
    /// standard errors of the simulation less, which is eight points with 100 replications.
    pub fn fails(&self) -> bool {
        let error = 100.0 * (0.95 * 0.05 / f64::from(self.replications)).sqrt();
        self.mean < 93.5 || self.worst < 95.0 - 3.5 * error
    }
}

/// How records are made, as far as the variance of estimates from them depends on it.
#[derive(Clone, Debug, PartialEq)]
pub enum Making {
    /// Every value is drawn from a model that was fitted once: a file is a plain sample from it.
    PlainDraws,
    /// Counts are drawn cell by cell around known means μ, with variance μ + σμ².
    RandomCounts {
        /// σ, above zero.
        sigma: f64,
    },
    /// The parameters of the model are drawn from their posterior for each file.
    ProperDraws,
    /// Some variables keep their original values.
    PartlyKept {
        /// The variables that are kept; none if all are but where the recipe says otherwise.
        kept: Vec<String>,
    },
    /// The records of the data, with some values or counts changed: nothing is drawn from a model.
    Perturbed,
    /// A model of noisy answers, which all files share.
    NoisyModel {
        /// Whether every cell of the cross-table got noise of its own, so that empty cells gain records.
        on_every_cell: bool,
    },
    /// Records are moved until their counts come close to many tables at once: a file is no sample, and scatters less than one.
    Settled {
        /// Whether the tables were measured under noise.
        private: bool,
    },
    /// Private draws under a prior that is strong enough to hide any record.
    StrongPrior,
    /// Private draws around the mean of the data with a known standard deviation.
    KnownDeviation {
        /// The stated standard deviation.
        sigma: f64,
    },
}

impl RecordsCard {
    /// Records made in this way of which nothing else need be said.
    pub fn new(making: Making) -> Self {
        Self {
            making,
            cells: None,
            uniform_records: 0.0,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_held_against_the_design_most_like_it() {
        let measured = |columns, records, mean| MeasuredCoverage {
            effects: Effects::Weak,
            columns,
            records,
            m: 5,
            mean,
            worst: mean - 4.0,
            replications: 100,
        };
        let all = [measured(8, 2_000, 94.5), measured(16, 2_000, 90.0), measured(16, 8_000, 86.0)];
        let mean = |columns, records| {
            let found = MeasuredCoverage::nearest(&all, Effects::Weak, columns, records, 5);
            found.map(|found| (found.mean, found.fails()))
        };
        assert_eq!(mean(18, 5_000), Some((86.0, true)));
        assert_eq!(mean(14, 1_500), Some((90.0, true)));
        assert_eq!(mean(6, 2_500), Some((94.5, false)));
        assert_eq!(mean(60, 2_000), None, "no design is like it");
        assert_eq!(mean(16, 1_000_000), None);
        assert_eq!(MeasuredCoverage::nearest(&[], Effects::Weak, 8, 100, 1), None);
        assert_eq!(MeasuredCoverage::nearest(&all, Effects::Strong, 16, 2_000, 5), None);
    }
}
