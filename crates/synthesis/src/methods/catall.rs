//! `catall`: the saturated multinomial model (Raab 2022, section 2.1).
//!
//! Cell i has probability (yᵢ + nprior/K′) / (N + nprior), K′ the number of cells that can occur. The K-vector is never
//! built: a record is, with probability nprior/(N + nprior), a cell drawn uniformly from all possible ones, else the cell of an
//! original record drawn with replacement. Time and memory are O(n + N), whatever K is.

use std::ops::Range;

use privacy::Neighbours;
use rand::RngExt;
use serde::Deserialize;
use statistics::counts::CellDraws;
use table::{Attributes, ContingencyTable, Domain};

use super::stored_cells;
use super::uniform_cell::UniformCell;
use super::weighted_cells::{self, WeightedCells};
use crate::card::{
    AuditCase, Canary, MechanismCard, MethodCard, Needs, OptionCard, PrivacyCard, PrivateTrial, Suits, Trial,
    Usual,
};
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer, registry};

pub mod private;

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "catall",
    summary: "draws cells of the full cross-table in proportion to their counts",
    use_when: "every interaction must be kept, and the recurrence of about 37 % of the unique records is acceptable",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "nprior",
        meaning: "records' worth of probability that is spread evenly over all cells that can occur",
        default: Usual::Value("0"),
    }],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[
            AuditCase {
                name: "the only record of its kind",
                canary: Canary::Kind { levels: 2, others: 100, neighbours: Neighbours::AddRemove },
                rows: Some(20_000),
                options: &[],
            },
            AuditCase {
                name: "a record replaced",
                canary: Canary::Kind { levels: 2, others: 3, neighbours: Neighbours::ReplaceOne },
                rows: Some(400),
                options: &[],
            },
            AuditCase {
                name: "the only unit of its kind, with three records",
                canary: Canary::Unit { levels: 2, others: 3, records: 3 },
                rows: Some(400),
                options: &[],
            },
            AuditCase {
                name: "one record more, their number not public",
                canary: Canary::Size { others: 40 },
                rows: None,
                options: &[],
            },
        ],
        trial: Some(PrivateTrial {
            place: 2,
            label: "noisy cells",
            suits: Suits::FewCells { what: "private `catall` is", instead: "ask for it in a grid file" },
        }),
    }),
    mechanism: Some(MechanismCard {
        example: "catall,nprior=0",
        options: &["nprior"],
        draws: |options| settings(options)?.cell_draws(),
    }),
    trials: &[Trial {
        place: 5,
        name: "catall",
        label: "saturated multinomial (catall)",
        options: &[],
        m: 1,
        variables: 1,
        suits: Suits::AnyTable,
    }],
    memory: "4 N bytes up to 16 million records, 8 bytes an occupied cell beyond, and the occupied cells",
    citation: "Raab (2022), Utility and disclosure risk for differentially private synthetic categorical data, 2.1",
};

/// The name under which a model file says whether the counts are noisy, and then the remarks.
pub(super) const NOISY: &str = "noisy";

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Catall {
    nprior: f64,
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(Synthesizer::Counts(Box::new(settings(options)?)))
}

fn settings(options: &toml::Table) -> Result<Catall, SynthesisError> {
    let catall: Catall = registry::options(options, &CARD)?;
    if !(catall.nprior.is_finite() && catall.nprior >= 0.0) {
        return Err(SynthesisError::option("nprior", "it must be 0 or a positive number"));
    }
    Ok(catall)
}

impl Catall {
    fn cell_draws(&self) -> Result<CellDraws, SynthesisError> {
        CellDraws::prior_over_all_cells(self.nprior)
            .map_err(|error| SynthesisError::option("nprior", error.to_string()))
    }
}

impl CountSynthesizer for Catall {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::PlainDraws,
            cells: self.cell_draws().ok(),
            uniform_records: self.nprior,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain();
        let table = data.counts.contingency_table(&Attributes::all(domain))?;
        let state = State { domain: domain.clone(), nprior: self.nprior, zeros: data.zeros.clone(), table };
        Ok(Box::new(CatallModel::new(state)?))
    }
}

/// What was fitted.
struct State {
    domain: Domain,
    nprior: f64,
    zeros: StructuralZeros,
    table: ContingencyTable,
}

struct CatallModel {
    state: State,
    cells: CellOfRecord,
    prior: Option<UniformCell>,
}

/// Up to so many records each has its cell in a list; of more, cells are found by their running totals.
const MOST_LISTED: u64 = 1 << 24;

/// The cell of each original record, records being in the order of their cells.
enum CellOfRecord {
    Listed(Vec<u32>),
    Totals(Vec<u64>),
}

impl CellOfRecord {
    fn new(table: &ContingencyTable, most_listed: u64) -> Self {
        let counts = table.counts().iter();
        if table.total() <= most_listed {
            let listed = counts.enumerate();
            return Self::Listed(
                listed.flat_map(|(cell, count)| std::iter::repeat_n(cell as u32, *count as usize)).collect(),
            );
        }
        let total = counts.scan(0, |total, count| {
            *total += count;
            Some(*total)
        });
        Self::Totals(total.collect())
    }

    fn records(&self) -> usize {
        match self {
            Self::Listed(cells) => cells.len(),
            Self::Totals(totals) => totals.last().map_or(0, |total| *total as usize),
        }
    }

    /// The cell of each of these records.
    fn of(&self, records: &[usize]) -> Vec<u32> {
        match self {
            Self::Listed(cells) => records.iter().map(|record| cells[*record]).collect(),
            Self::Totals(totals) => {
                let cell = |record: &usize| totals.partition_point(|total| *total <= *record as u64) as u32;
                records.iter().map(cell).collect()
            }
        }
    }
}

impl CatallModel {
    fn new(state: State) -> Result<Self, SynthesisError> {
        let cells = CellOfRecord::new(&state.table, MOST_LISTED);
        let prior = if state.nprior > 0.0 {
            Some(UniformCell::new(CARD.name, &state.domain, &state.zeros)?)
        } else {
            None
        };
        Ok(Self { state, cells, prior })
    }
}

/// A model from its stored state: exact, or noisy.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let Catall { nprior } = settings(context.options)?;
    let remarks: Option<Vec<String>> = from.settings(NOISY)?;
    let (zeros, table) = stored_cells::load(from, &domain)?;
    stored_cells::check_total(&table, remarks.is_some(), context)?;
    let is_held = remarks.is_some() || table.total() <= u64::from(u32::MAX);
    ensure(is_held, "it has more records than can be held")?;
    Ok(match remarks {
        Some(remarks) => {
            let state = weighted_cells::State { domain, zeros, table, nprior, remarks };
            Box::new(WeightedCells::new(CARD.name, state)?)
        }
        None => Box::new(CatallModel::new(State { domain, nprior, zeros, table })?),
    })
}

impl Model<Cells> for CatallModel {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        self.sample_part(rows, 0..rows, seed)
            .unwrap_or_else(|| Ok(Cells::with_capacity(&self.state.domain, 0)))
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        let records = self.cells.records();
        let prior_share = self.state.nprior / (records as f64 + self.state.nprior);
        let (domain, table) = (&self.state.domain, &self.state.table);
        let cells = Cells::draw_part(domain, rows, part, seed, |_, rows, mut rng| {
            // Which records come first, where their cells are next, and then what is in them: each a walk of its own, so that the memory
            // is asked for many of them at a time.
            let mut even: Vec<(usize, Vec<u32>)> = Vec::new();
            let mut drawn: Vec<usize> = Vec::with_capacity(rows);
            for row in 0..rows {
                match self.prior.as_ref().filter(|_| rng.random_bool(prior_share)) {
                    Some(prior) => {
                        even.push((row, prior.draw(&mut rng)));
                        drawn.push(0);
                    }
                    None => drawn.push(rng.random_range(0..records)),
                }
            }
            let mut columns = table.classes_of(&self.cells.of(&drawn));
            for (row, cell) in even {
                columns.iter_mut().zip(cell).for_each(|(column, class)| column[row] = class);
            }
            columns
        });
        Some(Ok(cells))
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(NOISY, &None::<Vec<String>>)?;
        stored_cells::store(&self.state.zeros, &self.state.table, into)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("every occupied cell with its exact count: the records themselves, in classes")
    }
}
