//! `ipf`: a log-linear model of the chosen margins (Raab 2022, section 2.1), fitted by iterative proportional fitting.
//!
//! Only a run without privacy is iterative proportional fitting as such: a [private] one fits noisy margins, by default by a penalised likelihood.
//!
//! The model keeps the margins it is given and nothing beyond. It is held as the full table while that is small, else on the cliques
//! of the margins' junction tree, so that K has no limit as long as the margins hang together loosely.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use margins::{
    Clique, Convergence, DenseModel, Error, FittedModel, Impossible, Options, Sampler, TargetMargin,
    TreeModel,
};
use privacy::Neighbours;
use serde::{Deserialize, Serialize};
use table::{Attributes, Domain};

use super::pairwise::possible_record;
use super::stored_cells;
use crate::card::{
    AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, PrivateTrial, Suits, Trial, Usual,
};
use crate::cells::Block;
use crate::randomness::Seed;
use crate::records_card::HeldMargins;
use crate::stored::{StateContext, StateReader, StateWriter, damaged};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Making, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer, registry};

pub mod private;
mod published_totals;

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "ipf",
    summary: "keeps chosen margins of the cross-table and nothing beyond, by a log-linear model; a private run measures margins under noise and by default fits them by penalised likelihood, not by proportional fitting",
    use_when: "tables of two or three variables must be right, and few unique records may recur",
    needs: Needs::Counts,
    options: &[
        OptionCard {
            name: "margins",
            meaning: "all1, all2, all3, or a list such as \"sex:age,age:edu:income\"; a variable in none is kept by itself",
            default: Usual::Value("all2"),
        },
        OptionCard {
            name: "estimate",
            meaning: "in a private run, how noisy margins become a model: planned (measures what the budget can afford and shrinks what is noise, by a penalised fit), least-squares (a penalised fit to the named margins), or paper (iterative proportional fitting as in Raab 2022)",
            default: Usual::Value("planned"),
        },
        OptionCard {
            name: "weights",
            meaning: "in a private run with named margins, how the budget is shared: even, by-cells, or one number for each margin",
            default: Usual::Value("even"),
        },
        OptionCard {
            name: "rows",
            meaning: "in a private run, how records are made of the model: drawn (each by itself: a plain sample) or settled (moved until they agree with all pairs of the model, which leaves out what drawing adds; tables of up to 1,048,576 cells; standard errors from one file are then not valid)",
            default: Usual::Words("drawn; settled where nobody names a method"),
        },
        OptionCard {
            name: "nprior",
            meaning: "records' worth of probability that is spread evenly over all cells that can occur",
            default: Usual::Value("0"),
        },
        OptionCard {
            name: "tolerance",
            meaning: "converged when no margin cell is further than tolerance x N from its target",
            default: Usual::Value("1e-12"),
        },
        OptionCard {
            name: "sweeps",
            meaning: "give up, and say so, after this many rounds over the margins",
            default: Usual::Value("5000"),
        },
        OptionCard {
            name: "totals",
            meaning: "CSV files of published totals (variables and a column `count`) to which the fitted model is raked",
            default: Usual::Words("none"),
        },
    ],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[
            // Among many kinds, most of them empty, an estimate that shrinks noise leaves the canary's count alone.
            AuditCase {
                name: "the only record of its kind, among many kinds",
                canary: Canary::Kind { levels: 12, others: 480, neighbours: Neighbours::AddRemove },
                rows: Some(20_000),
                options: &[],
            },
            AuditCase {
                name: "the only record of its kind in two variables",
                canary: Canary::Pair { others: 480 },
                rows: Some(20_000),
                options: &[],
            },
            AuditCase {
                name: "the only unit of its kind, with three records",
                canary: Canary::Unit { levels: 12, others: 480, records: 3 },
                rows: Some(20_000),
                options: &[],
            },
        ],
        trial: Some(PrivateTrial { place: 1, label: "planned margins", suits: Suits::AnyTable }),
    }),
    mechanism: None,
    trials: &[
        Trial {
            place: 6,
            name: "ipf-1",
            label: "log-linear, all 1-way margins",
            options: &["margins=all1"],
            m: 1,
            variables: 1,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 7,
            name: "ipf-2",
            label: "log-linear, all 2-way margins",
            options: &["margins=all2"],
            m: 1,
            variables: 2,
            suits: Suits::FewCells {
                what: "log-linear models of all 2-way margins are",
                instead: "name margins in a grid file",
            },
        },
        Trial {
            place: 8,
            name: "ipf-3",
            label: "log-linear, all 3-way margins",
            options: &["margins=all3"],
            m: 1,
            variables: 3,
            suits: Suits::FewCells {
                what: "log-linear models of all 3-way margins are",
                instead: "name margins in a grid file",
            },
        },
    ],
    memory: "8 bytes a cell of the full table (up to 2^27 cells), or of the junction tree's cliques",
    citation: "Raab (2022), 2.1; Deming and Stephan (1940); Lauritzen (1996), Graphical models, 4.3; for private runs by default Dudik, Phillips and Schapire (2007)",
};

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Ipf {
    margins: Option<String>,
    nprior: f64,
    tolerance: f64,
    sweeps: usize,
    totals: Files,
    #[serde(flatten)]
    others: toml::Table,
}

/// One file or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Files {
    One(String),
    Several(Vec<String>),
}

impl Files {
    fn list(&self) -> Vec<&str> {
        match self {
            Self::One(files) => files.split(',').map(str::trim).filter(|file| !file.is_empty()).collect(),
            Self::Several(files) => files.iter().map(String::as_str).collect(),
        }
    }
}

impl Default for Ipf {
    fn default() -> Self {
        let fitting = Options::default();
        Self {
            margins: None,
            nprior: 0.0,
            tolerance: fitting.tolerance,
            sweeps: fitting.max_sweeps,
            totals: Files::Several(Vec::new()),
            others: toml::Table::new(),
        }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let ipf: Ipf = registry::options(options, &CARD)?;
    if !(ipf.nprior.is_finite() && ipf.nprior >= 0.0) {
        return Err(SynthesisError::option("nprior", "it must be 0 or a positive number"));
    }
    if let Some(name) = ipf.others.keys().next() {
        return Err(SynthesisError::option(name, "it has a meaning in a private run only; state epsilon"));
    }
    if !(ipf.tolerance.is_finite() && ipf.tolerance > 0.0) {
        return Err(SynthesisError::option("tolerance", "it must be a positive number"));
    }
    if ipf.sweeps == 0 {
        return Err(SynthesisError::option("sweeps", "at least one sweep is needed"));
    }
    Ok(Synthesizer::Counts(Box::new(ipf)))
}

/// The margins that an option names, without a look at the variables.
fn held_margins(text: Option<&str>) -> HeldMargins {
    let text = text.unwrap_or("all2");
    match text.strip_prefix("all").and_then(|ways| ways.parse().ok()) {
        Some(ways) => HeldMargins::Ways(ways),
        None => {
            let margin = |part: &str| part.split(':').map(|name| name.trim().to_owned()).collect();
            HeldMargins::Named(text.split(',').map(margin).collect())
        }
    }
}

/// The margins that an option names.
fn margins(text: &str, domain: &Domain) -> Result<Vec<Attributes>, SynthesisError> {
    let refuse = |message: String| SynthesisError::option("margins", message);
    let most = domain.variables().len();
    let shortcut = text
        .strip_prefix("all")
        .filter(|_| domain.position_of(text).is_err())
        .and_then(|ways| ways.parse().ok());
    if let Some(ways) = shortcut {
        if !(1..=most).contains(&ways) {
            return Err(refuse(format!("`{text}` is not all1 to all{most}, the number of variables")));
        }
        return Ok(Attributes::combinations(domain, ways));
    }
    let margin = |part: &str| {
        let names: Vec<&str> = part.split(':').map(str::trim).collect();
        Attributes::named(domain, names).map_err(|error| refuse(error.to_string()))
    };
    let mut margins = text.split(',').map(str::trim).map(margin).collect::<Result<Vec<_>, _>>()?;
    margins.sort_unstable();
    margins.dedup();
    Ok(margins)
}

/// A variable that no margin names would come out uniform over its classes; its own margin is added. Returns those variables.
fn one_way_margins_of_the_rest(wanted: &mut Vec<Attributes>, domain: &Domain) -> Vec<usize> {
    let is_named = |position: &usize| wanted.iter().any(|margin| margin.positions().contains(position));
    let rest: Vec<usize> = (0..domain.variables().len()).filter(|position| !is_named(position)).collect();
    wanted.extend(rest.iter().map(|position| Attributes::new([*position])));
    rest
}

/// What the model does not know.
const LEAVES_OUT: &str = "the model knows the margins it was given; what they do not hold";

impl CountSynthesizer for Ipf {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::PlainDraws,
            cells: None,
            uniform_records: self.nprior,
            leaves_out: Some(LEAVES_OUT.to_owned()),
            is_raked: !self.totals.list().is_empty(),
            coverage: &[],
            margins: Some(held_margins(self.margins.as_deref())),
        }
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        let message = "`totals` are of the whole population; rake without strata, or name the strata's variables in the totals";
        (!self.totals.list().is_empty()).then_some(message)
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain();
        let names = Names(domain);
        let mut wanted = match &self.margins {
            Some(text) => margins(text, domain)?,
            None => Attributes::combinations(domain, domain.variables().len().min(2)),
        };
        let added = one_way_margins_of_the_rest(&mut wanted, domain);
        let targets = self.targets(data, &wanted)?;
        let impossible: Vec<Impossible> = data
            .zeros
            .all()
            .iter()
            .map(|zeros| Impossible {
                attributes: zeros.attributes.positions().to_vec(),
                cells: zeros.cells.clone(),
            })
            .collect();
        let sizes = domain.sizes(&Attributes::all(domain));
        let options = Options { tolerance: self.tolerance, max_sweeps: self.sweeps, ..Options::default() };
        let mut model =
            margins::fit(&sizes, &targets, &impossible, &options).map_err(|error| names.explain(error))?;
        let totals = self.totals.list();
        let mut remarks = vec![convergence("fitted", &model)];
        if !added.is_empty() {
            let names: Vec<&str> =
                added.iter().map(|position| domain.variables()[*position].name()).collect();
            remarks.push(format!("in no margin that was named, kept by themselves: {}", names.join(", ")));
        }
        if !totals.is_empty() {
            let published =
                totals.iter().map(|file| published_totals::read(std::path::Path::new(file), domain));
            let published = published.collect::<Result<Vec<TargetMargin>, _>>()?;
            model = model.rake(&published, &options).map_err(|error| names.explain(error))?;
            remarks.push(convergence("raked to the published totals", &model));
        }
        let domain = domain.clone();
        Ok(Box::new(IpfModel { domain, model, remarks, redrawn: None, private: false }))
    }
}

impl Ipf {
    /// The margins' counts, with the prior's share added to every cell that can occur.
    fn targets(&self, data: Data<'_>, wanted: &[Attributes]) -> Result<Vec<TargetMargin>, SynthesisError> {
        let domain = data.counts.domain();
        let counted = data.counts.margins(wanted)?;
        let target = |margin: &table::Margin| {
            let mut counts: Vec<f64> = margin.counts().iter().map(|count| *count as f64).collect();
            if self.nprior > 0.0 {
                let possible = data.zeros.possible_margin(domain, margin.attributes())?;
                let all: f64 = possible.iter().map(|cells| *cells as f64).sum();
                counts
                    .iter_mut()
                    .zip(possible)
                    .for_each(|(count, cells)| *count += self.nprior * cells as f64 / all);
            }
            Ok(TargetMargin::new(margin.attributes().positions().to_vec(), counts))
        };
        counted.iter().map(target).collect()
    }
}

fn convergence(what: &str, model: &FittedModel) -> String {
    let convergence = model.convergence();
    let outcome = if convergence.converged() { "converged" } else { "did NOT converge" };
    let form = match model {
        FittedModel::Dense(_) => format!("the full table of {} cells", model.cells()),
        FittedModel::Tree(_) => {
            format!("a junction tree of {} cells for a table of {}", model.held_cells(), model.cells())
        }
    };
    format!(
        "{what} on {form}: {outcome} after {} sweeps, largest deviation {:.1e} records",
        convergence.sweeps, convergence.deviation
    )
}

/// Puts variables' names for their numbers.
struct Names<'a>(&'a Domain);

impl Names<'_> {
    fn of(&self, attributes: &[usize]) -> String {
        self.0.describe(&Attributes::new(attributes.iter().copied()))
    }

    fn explain(&self, error: Error) -> SynthesisError {
        let message = match &error {
            Error::TooLarge(refusal) => {
                let drop: Vec<String> = refusal.drop.iter().map(|margin| self.of(margin)).collect();
                let advice = match (drop.is_empty(), refusal.sufficient) {
                    (true, _) => "ask for fewer margins".to_owned(),
                    (false, true) => format!("drop {}", drop.join(", ")),
                    (false, false) => format!("drop {} and more", drop.join(", ")),
                };
                return SynthesisError::option(
                    "margins",
                    format!(
                        "the table has {} cells, too many to hold, and the junction tree of these margins has treewidth {}: \
                         its largest clique is {}; {advice}, or use coarser classes",
                        refusal.cells,
                        refusal.treewidth,
                        self.of(&refusal.clique),
                    ),
                );
            }
            Error::Unreachable { attributes } => {
                format!(
                    "the margin {} counts records where the schema allows none; correct the rule",
                    self.of(attributes)
                )
            }
            Error::Disagreement { first, second, .. } => {
                format!(
                    "the margins {} and {} disagree; give totals of one population",
                    self.of(first),
                    self.of(second)
                )
            }
            Error::Measurement { attributes, .. } => {
                return SynthesisError::option("margins", format!("{} is named twice", self.of(attributes)));
            }
            Error::MeasurementTooLarge { attributes, limit } => {
                let margin = self.of(attributes);
                let message = format!("{margin} has more than {limit} cells; leave it out");
                return SynthesisError::option("margins", message);
            }
            other => other.to_string(),
        };
        SynthesisError::Fit { method: CARD.name, message }
    }
}

/// The fitted model.
#[derive(Clone, Debug)]
struct IpfModel {
    domain: Domain,
    model: FittedModel,
    remarks: Vec<String>,
    /// Cells that cannot occur and that the fit did not know of: they are drawn again.
    redrawn: Option<StructuralZeros>,
    /// Whether the margins were noisy and paid for.
    private: bool,
}

/// At most this many blocks are drawn for one that keeps the schema before the model is given up.
const MOST_BLOCKS: u64 = 1_000;

impl IpfModel {
    /// A block of records that can occur: the model given the schema, by rejection.
    fn possible_block(
        &self,
        sampler: &Sampler<'_>,
        zeros: &StructuralZeros,
        number: u64,
        rows: usize,
        seed: Seed,
    ) -> Result<Block, SynthesisError> {
        let mut kept: Block = vec![Vec::with_capacity(rows); self.domain.variables().len()];
        for attempt in 0..MOST_BLOCKS {
            let drawn = sampler.block(number, rows, seed.child(attempt).bytes());
            for row in 0..rows {
                let cell: Vec<u32> = drawn.iter().map(|column| column[row]).collect();
                if !zeros.contains(&cell) {
                    kept.iter_mut().zip(cell).for_each(|(column, class)| column.push(class));
                }
                if kept[0].len() == rows {
                    return Ok(kept);
                }
            }
        }
        // Nearly everything that the model draws breaks the schema: what did not, again and again, or else a record that can occur.
        if kept[0].is_empty() {
            let record = possible_record(&self.domain, zeros)?;
            kept.iter_mut().zip(record).for_each(|(column, class)| column.push(class));
        }
        let found = kept[0].len();
        kept.iter_mut().for_each(|column| (found..rows).for_each(|row| column.push(column[row % found])));
        Ok(kept)
    }
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    // Settled records need tables of pairs alone.
    if context.options.get("rows").and_then(toml::Value::as_str) == Some("settled") {
        return super::pairwise::load(from, context);
    }
    let domain = stored_cells::domain(context)?;
    let sizes = domain.sizes(&Attributes::all(&domain));
    let Settings { remarks, convergence, cliques, redraws } = from.settings(SETTINGS)?;
    let refuse = |error: Error| damaged(error);
    let model = match cliques {
        None => {
            let table = from.array("counts")?;
            FittedModel::Dense(DenseModel::stored(sizes, table, convergence).map_err(refuse)?)
        }
        Some(cliques) => {
            let clique = |(attributes, parent)| -> Result<Clique, SynthesisError> {
                Ok(Clique { attributes, parent, counts: from.array("counts")? })
            };
            let cliques = cliques.into_iter().map(clique).collect::<Result<_, _>>()?;
            FittedModel::Tree(TreeModel::stored(sizes, cliques, convergence).map_err(refuse)?)
        }
    };
    let redrawn = if redraws { Some(StructuralZeros::load(from, &domain)?) } else { None };
    Ok(Box::new(IpfModel { domain, model, remarks, redrawn, private: context.records.is_none() }))
}

/// What a model file holds beside counts.
#[derive(Serialize, Deserialize)]
struct Settings {
    remarks: Vec<String>,
    convergence: Convergence,
    /// The variables and the parent of each clique; none for the full table.
    cliques: Option<Vec<(Vec<usize>, Option<usize>)>>,
    /// Whether impossible cells are drawn again.
    redraws: bool,
}

/// The name under which it holds them.
const SETTINGS: &str = "log-linear model";

impl IpfModel {
    fn draw(&self, rows: usize, part: Range<usize>, seed: Seed) -> Result<Cells, SynthesisError> {
        let sampler = self.model.sampler();
        let Some(zeros) = &self.redrawn else {
            let block = |block, rows, _| sampler.block(block, rows, seed.bytes());
            return Ok(Cells::draw_part(&self.domain, rows, part, seed, block));
        };
        let stuck = Mutex::new(None);
        let cells = Cells::draw_part(&self.domain, rows, part, seed, |number, rows, _| {
            self.possible_block(&sampler, zeros, number, rows, seed).unwrap_or_else(|error| {
                stuck.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                vec![vec![0; rows]; self.domain.variables().len()]
            })
        });
        match stuck.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(cells),
        }
    }
}

impl Model<Cells> for IpfModel {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        self.draw(rows, 0..rows, seed)
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        Some(self.draw(rows, part, seed))
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let cliques = match &self.model {
            FittedModel::Dense(_) => None,
            FittedModel::Tree(tree) => {
                Some(tree.cliques().iter().map(|clique| (clique.attributes.clone(), clique.parent)).collect())
            }
        };
        let settings = Settings {
            remarks: self.remarks.clone(),
            convergence: *self.model.convergence(),
            cliques,
            redraws: self.redrawn.is_some(),
        };
        into.settings(SETTINGS, &settings)?;
        match &self.model {
            FittedModel::Dense(dense) => into.array("counts", dense.table())?,
            FittedModel::Tree(tree) => {
                tree.cliques().iter().try_for_each(|clique| into.array("counts", &clique.counts))?;
            }
        }
        self.redrawn.iter().try_for_each(|zeros| zeros.store(into))
    }

    fn confidential(&self) -> Option<&'static str> {
        (!self.private).then_some("the exact margins to which it was fitted")
    }
}
