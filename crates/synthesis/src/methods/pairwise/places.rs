//! Which levels of a group rows have.
//!
//! Tables of pairs know groups of levels, and rows that agree with them have the levels of a group by chance: what a number has to do with others within its groups is lost, and slopes are flattened by the share of its
//! variance that lies there (some 6 % with seven groups, 2 % with twenty). The levels of a group are therefore handed out by latent normal variables ([`latent`](crate::latent)): the rows of a group in the order of their z get its levels in
//! ascending order. The groupings of a variable are stages of one sequence of merges, so that levels which the finest of its tables has in one group are together in every table: no count of any table, and none
//! of the single variable, changes.

use table::domain::Partition;
use table::{Classes, Domain};

use super::grouping::Grouping;
use super::rows::{Constraints, Goals};
use crate::latent::joint::{Coded, Joint, Variable};
use crate::latent::{LEAST_WITHIN, scale};
use crate::randomness::{BLOCK, Seed};

/// Hands out the levels of numbers within the groups of the tables, row by row in `rows`.
pub(super) fn place(rows: &mut [u16], goals: &Goals, constraints: &Constraints, domain: &Domain, seed: Seed) {
    let variables = domain.variables();
    let width = variables.len();
    let finest: Vec<Option<Grouped>> = variables
        .iter()
        .enumerate()
        .map(|(variable, classes)| {
            let is_free = constraints.is_free(variable) && is_number(classes);
            Grouped::new(
                finest(goals, variable).filter(|_| is_free)?,
                classes,
                rows.iter().skip(variable).step_by(width),
            )
        })
        .collect();
    if finest.iter().all(Option::is_none) {
        return;
    }
    let variable = |(classes, grouped): (&Classes, &Option<Grouped>)| match grouped {
        Some(grouped) => Variable::latent(grouped.limits.clone(), grouped.groups),
        None => {
            let ordered = if is_number(classes) { classes.partition().len() } else { 0 };
            Variable::known(classes.size(), ordered)
        }
    };
    let all: Vec<Variable> = variables.iter().zip(&finest).map(variable).collect();
    let count = rows.len() / width;
    let class = |row: usize, variable: usize| {
        let level = rows[row * width + variable];
        finest[variable].as_ref().map_or(u32::from(level), |grouped| grouped.of_level[level as usize])
    };
    let Some(joint) = Joint::learn(&all, &Coded { rows: count, class: &class }, seed.child(0)) else {
        return;
    };
    let draws = draw(&joint, count, &class, seed.child(1));
    for (variable, grouped) in finest.iter().enumerate() {
        let Some(grouped) = grouped else { continue };
        let mut of_group: Vec<Vec<(f64, u32)>> = vec![Vec::new(); grouped.limits.len() - 1];
        for (row, z) in draws.iter().enumerate() {
            let group = grouped.of_level[rows[row * width + variable] as usize] as usize;
            if let (Some(members), Some(z)) = (of_group.get_mut(group), z[variable]) {
                members.push((z, row as u32));
            }
        }
        for members in &mut of_group {
            let at = |row: &u32| *row as usize * width + variable;
            let mut levels: Vec<u16> = members.iter().map(|(_, row)| rows[at(row)]).collect();
            levels.sort_unstable();
            members.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            members.iter().zip(levels).for_each(|((_, row), level)| rows[at(row)] = level);
        }
    }
}

fn draw(
    joint: &Joint,
    rows: usize,
    class: &(dyn Fn(usize, usize) -> u32 + Sync),
    seed: Seed,
) -> Vec<Vec<Option<f64>>> {
    use rayon::prelude::*;
    let block = |number: usize| {
        let mut rng = seed.stream(number as u64);
        let of = number * BLOCK..rows.min((number + 1) * BLOCK);
        of.map(|row| joint.draw(&|variable| class(row, variable), &mut rng)).collect::<Vec<_>>()
    };
    let blocks: Vec<Vec<Vec<Option<f64>>>> = (0..rows.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    blocks.into_iter().flatten().collect()
}

/// The levels of a number in the groups of the finest table that it is in.
struct Grouped {
    of_level: Vec<u32>,
    /// All groups, those of codes and missing values included.
    groups: usize,
    /// The limits of the groups of values on the normal scale.
    limits: Vec<f64>,
}

impl Grouped {
    /// Nothing where groups leave little open.
    fn new<'a>(
        grouping: &Grouping,
        classes: &Classes,
        levels: impl Iterator<Item = &'a u16>,
    ) -> Option<Self> {
        let values = classes.partition().len();
        let of_value = &grouping.of_level[..values];
        let groups = of_value.iter().max().map_or(0, |last| *last as usize + 1);
        // Codes and missing values are groups of their own, after those of values.
        let are_apart = grouping.of_level[values..].iter().all(|group| *group as usize >= groups);
        let mut counts = vec![0.5; groups];
        let mut sizes = vec![0; groups];
        of_value.iter().for_each(|group| sizes[*group as usize] += 1);
        for level in levels.filter(|level| (**level as usize) < values) {
            counts[of_value[*level as usize] as usize] += 1.0;
        }
        if groups < 2 || !are_apart || !of_value.is_sorted() {
            return None;
        }
        let limits = scale::limits(&counts);
        let within = |group: usize| match sizes[group] {
            1 => 0.0,
            _ => scale::variance_within(limits[group], limits[group + 1]),
        };
        let open: f64 = (0..groups).map(within).sum();
        (open >= LEAST_WITHIN).then(|| Self {
            of_level: grouping.of_level.clone(),
            groups: grouping.groups,
            limits,
        })
    }
}

/// The grouping with the most groups among the tables of a variable.
fn finest(goals: &Goals, variable: usize) -> Option<&Grouping> {
    let of_table = |table: &'_ super::rows::Table| table.variables.iter().position(|of| *of == variable);
    let groupings = goals.tables.iter().filter_map(|table| Some(&table.groupings[of_table(table)?]));
    groupings.max_by_key(|grouping| grouping.groups)
}

fn is_number(classes: &Classes) -> bool {
    matches!(classes.partition(), Partition::Intervals { .. } | Partition::Values(_))
}
