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
        Self { making, cells: None, uniform_records: 0.0, leaves_out: None, is_raked: false }
    }
}
