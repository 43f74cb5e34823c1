//! A log-linear model of groups of levels: groups are drawn from the model, and levels of a group evenly.

use std::ops::Range;

use margins::{Clique, Convergence, DenseModel, FittedModel, Sampler, TreeModel};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use table::Domain;

use super::pairwise::possible_record;
use super::stored_cells;
use crate::cells::Block;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter, damaged, ensure};
use crate::{Cells, Model, StructuralZeros, SynthesisError};

/// The model.
pub(super) struct GroupedModel {
    pub(super) domain: Domain,
    /// Cells that cannot occur: they are drawn again.
    pub(super) zeros: StructuralZeros,
    pub(super) model: FittedModel,
    /// The group of each level of each variable.
    pub(super) groups: Vec<Vec<u32>>,
    pub(super) remarks: Vec<String>,
}

/// At most this many blocks are drawn for one that keeps the schema.
const MOST_BLOCKS: u64 = 200;

/// What a model file holds beside arrays.
#[derive(Serialize, Deserialize)]
struct Settings {
    remarks: Vec<String>,
    convergence: Convergence,
    /// The variables and the parent of each clique; none for the full table.
    cliques: Option<Vec<(Vec<usize>, Option<usize>)>>,
}

/// The name under which it holds them.
const SETTINGS: &str = "log-linear model of groups";

impl GroupedModel {
    fn block(&self, sampler: &Sampler<'_>, number: u64, rows: usize, seed: Seed, rng: &mut Rng) -> Block {
        let members: Vec<Vec<Vec<u32>>> = self.groups.iter().map(|groups| members(groups)).collect();
        let mut kept: Block = vec![Vec::with_capacity(rows); self.groups.len()];
        let is_free = self.zeros.all().is_empty();
        for attempt in 0..MOST_BLOCKS {
            let drawn = sampler.block(number, rows, seed.child(attempt).bytes());
            for row in 0..rows {
                let level = |(column, members): (&Vec<u32>, &Vec<Vec<u32>>)| {
                    let levels = &members[column[row] as usize];
                    if levels.len() == 1 { levels[0] } else { levels[rng.random_range(0..levels.len())] }
                };
                let cell: Vec<u32> = drawn.iter().zip(&members).map(level).collect();
                if is_free || !self.zeros.contains(&cell) {
                    kept.iter_mut().zip(cell).for_each(|(column, class)| column.push(class));
                }
                if kept[0].len() == rows {
                    return kept;
                }
            }
        }
        if kept[0].is_empty() {
            // A record that can occur was found before anything was asked.
            let record = possible_record(&self.domain, &self.zeros).unwrap_or_else(|_| vec![0; kept.len()]);
            kept.iter_mut().zip(record).for_each(|(column, class)| column.push(class));
        }
        let found = kept[0].len();
        kept.iter_mut().for_each(|column| (found..rows).for_each(|row| column.push(column[row % found])));
        kept
    }
}

/// The levels of each group.
fn members(groups: &[u32]) -> Vec<Vec<u32>> {
    let count = groups.iter().max().map_or(0, |group| *group as usize + 1);
    let mut members = vec![Vec::new(); count];
    groups.iter().enumerate().for_each(|(level, group)| members[*group as usize].push(level as u32));
    members
}

impl Model<Cells> for GroupedModel {
    fn has_parts(&self, _: usize) -> bool {
        true
    }

    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        self.sample_part(rows, 0..rows, seed).unwrap_or_else(|| Ok(Cells::with_capacity(&self.domain, 0)))
    }

    fn sample_part(
        &self,
        rows: usize,
        part: Range<usize>,
        seed: Seed,
    ) -> Option<Result<Cells, SynthesisError>> {
        let sampler = self.model.sampler();
        Some(Ok(Cells::draw_part(&self.domain, rows, part, seed, |number, rows, mut rng| {
            self.block(&sampler, number, rows, seed, &mut rng)
        })))
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
        let settings =
            Settings { remarks: self.remarks.clone(), convergence: *self.model.convergence(), cliques };
        into.settings(SETTINGS, &settings)?;
        self.groups.iter().try_for_each(|groups| into.array("groups", groups))?;
        match &self.model {
            FittedModel::Dense(dense) => into.array("counts", dense.table())?,
            FittedModel::Tree(tree) => {
                tree.cliques().iter().try_for_each(|clique| into.array("counts", &clique.counts))?;
            }
        }
        self.zeros.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }
}

/// A model from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let Settings { remarks, convergence, cliques } = from.settings(SETTINGS)?;
    let mut groups = Vec::new();
    for classes in domain.variables() {
        let of_levels: Vec<u32> = from.array("groups")?;
        let count = of_levels.iter().max().map_or(0, |group| *group as usize + 1);
        let is_of_variable = of_levels.len() == classes.size()
            && count <= of_levels.len()
            && (0..count as u32).all(|group| of_levels.contains(&group));
        ensure(is_of_variable, "groups are not those of a variable")?;
        groups.push(of_levels);
    }
    let sizes: Vec<usize> = groups.iter().map(|groups| members(groups).len()).collect();
    let model = match cliques {
        None => FittedModel::Dense(
            DenseModel::stored(sizes, from.array("counts")?, convergence).map_err(damaged)?,
        ),
        Some(cliques) => {
            let clique = |(attributes, parent)| -> Result<Clique, SynthesisError> {
                Ok(Clique { attributes, parent, counts: from.array("counts")? })
            };
            let cliques = cliques.into_iter().map(clique).collect::<Result<_, _>>()?;
            FittedModel::Tree(TreeModel::stored(sizes, cliques, convergence).map_err(damaged)?)
        }
    };
    let zeros = StructuralZeros::load(from, &domain)?;
    Ok(Box::new(GroupedModel { domain, zeros, model, groups, remarks }))
}
