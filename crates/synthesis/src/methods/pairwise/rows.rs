//! Records whose counts come close to all estimated tables at once.
//!
//! Rows are drawn from the single variables, one by one, then *settled*: a sweep visits every row in random order and every variable of it, and proposes another level, one time in eight from
//! the single variable and else from the conditional distribution given a variable with which it was measured. With residuals R = count − goal, moving a record from
//! one cell of a table to another changes its sum of squares by 2 (R_new − R_old + 1); a move is made if the sum over all tables that it touches falls.
//!
//! A move pays in every table that it touches, so that settling stops short of the goals. Goals therefore *lean*: after each of the first three stages they are moved against what is left, by at most
//! two records a cell, which takes the bias of slopes from −2 to −11 % to below 1 % where nothing is noisy.
//!
//! What cannot occur is never drawn nor moved to; a nested variable takes its parent along.

use fixedbitset::FixedBitSet;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::grouping::Grouping;
use crate::randomness::{Rng, Seed};

/// Sweeps between two leans.
const SWEEPS_A_STAGE: usize = 3;
/// How often goals lean.
const LEANS: usize = 3;
/// By at most so many records.
const FURTHEST: f32 = 2.0;
/// Sweeps in all.
const MOST_SWEEPS: usize = 18;
/// A stage ends when fewer than one field in so many changes.
const FEW_CHANGES: usize = 400;
/// One proposal in so many comes from the single variable.
const ALONE: u32 = 8;
/// Rows that cannot occur are drawn again so often before a possible one is searched for.
const REDRAWS: usize = 20;
/// Levels that such a search tries.
const MOST_STEPS: usize = 20_000;

/// The estimated table of two variables, the second fastest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Table {
    pub(super) variables: [usize; 2],
    pub(super) groupings: [Grouping; 2],
    /// Records of each cell, none below zero.
    pub(super) counts: Vec<f32>,
    /// How much the table matters beside others.
    pub(super) weight: f32,
}

/// What rows are made to agree with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goals {
    /// The records that all counts are of.
    pub(super) records: f64,
    /// The counts of every variable, above zero.
    pub(super) one_ways: Vec<Vec<f32>>,
    /// How much each variable matters.
    pub(super) weights: Vec<f32>,
    /// Tables of pairs.
    pub(super) tables: Vec<Table>,
}

impl Goals {
    /// The same with nothing in cells of groups none of whose levels can go together.
    pub(super) fn without_impossible(mut self, constraints: &Constraints) -> Self {
        for table in &mut self.tables {
            for one in constraints.impossible.iter().filter(|one| one.variables == table.variables) {
                let [rows, columns] = &table.groupings;
                let mut is_possible = vec![false; table.counts.len()];
                for cell in one.cells.zeroes() {
                    let (row, column) = (cell / one.sizes[1], cell % one.sizes[1]);
                    let place =
                        rows.of_level[row] as usize * columns.groups + columns.of_level[column] as usize;
                    is_possible[place] = true;
                }
                let cells = table.counts.iter_mut().zip(is_possible);
                cells.filter(|(_, is_possible)| !is_possible).for_each(|(count, _)| *count = 0.0);
            }
        }
        self
    }
}

/// Cells over some variables that cannot occur.
#[derive(Clone, Debug)]
pub(super) struct Impossible {
    pub(super) variables: Vec<usize>,
    pub(super) sizes: Vec<usize>,
    pub(super) cells: FixedBitSet,
}

impl Impossible {
    fn holds(&self, row: &[u16]) -> bool {
        let cell = self
            .variables
            .iter()
            .zip(&self.sizes)
            .fold(0, |cell, (at, size)| cell * size + row[*at] as usize);
        self.cells.contains(cell)
    }
}

/// A variable that another one is nested in: its number, and its level for each level of the other.
pub(super) type Parent = (usize, Vec<Option<u32>>);

/// What rows must keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Constraints {
    /// The parent of each variable; as many as variables.
    pub(super) parents: Vec<Option<Parent>>,
    impossible: Vec<Impossible>,
    /// Which of them name each variable.
    naming: Vec<Vec<usize>>,
    /// Variables in the order in which they are drawn: a nested one before its parent.
    order: Vec<usize>,
    /// A row that can occur.
    possible: Vec<u16>,
}

impl Constraints {
    /// Constraints on variables of these sizes. Nothing if no row that can occur is found.
    pub(super) fn new(
        sizes: &[usize],
        parents: Vec<Option<Parent>>,
        impossible: Vec<Impossible>,
    ) -> Option<Self> {
        let mut naming = vec![Vec::new(); sizes.len()];
        for (number, one) in impossible.iter().enumerate() {
            one.variables.iter().for_each(|variable| naming[*variable].push(number));
        }
        let depth = |variable: usize| {
            let parent = |at: &usize| parents[*at].as_ref().map(|(parent, _)| *parent);
            std::iter::successors(Some(variable), parent).take(sizes.len()).count()
        };
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|variable| std::cmp::Reverse(depth(*variable)));
        let mut found = Self { parents, impossible, naming, order, possible: vec![0; sizes.len()] };
        if !found.impossible.is_empty() {
            let preferred = |variable: usize| (0..sizes[variable] as u16).collect::<Vec<u16>>();
            found.possible = found.search(sizes.len(), preferred, 100 * MOST_STEPS)?;
        }
        Some(found)
    }

    /// A row that can occur.
    pub(super) fn possible(&self) -> &[u16] {
        &self.possible
    }

    /// Whether nothing but counts ties a variable to others.
    pub(super) fn is_free(&self, variable: usize) -> bool {
        let is_parent = |of: &Option<Parent>| of.as_ref().is_some_and(|(parent, _)| *parent == variable);
        self.naming[variable].is_empty()
            && self.parents[variable].is_none()
            && !self.parents.iter().any(is_parent)
    }

    /// Whether a row breaks what names one of these variables.
    fn is_broken(&self, row: &[u16], changed: &[(usize, u16, u16)]) -> bool {
        changed.iter().any(|(variable, ..)| {
            self.naming[*variable].iter().any(|number| self.impossible[*number].holds(row))
        })
    }

    /// Whether a variable that was just set breaks anything of which all variables are set.
    fn is_broken_by(&self, row: &[u16], variable: usize, is_set: &FixedBitSet) -> bool {
        self.naming[variable].iter().any(|number| {
            let one = &self.impossible[*number];
            one.variables.iter().all(|other| is_set.contains(*other)) && one.holds(row)
        })
    }

    /// A row that can occur, its levels tried in the order of `levels`, by depth first search.
    fn search(&self, variables: usize, levels: impl Fn(usize) -> Vec<u16>, steps: usize) -> Option<Vec<u16>> {
        let mut row = vec![0_u16; variables];
        let mut is_set = FixedBitSet::with_capacity(variables);
        let mut open: Vec<std::vec::IntoIter<u16>> = vec![levels(self.order[0]).into_iter()];
        for _ in 0..steps {
            let place = open.len().checked_sub(1)?;
            let variable = self.order[place];
            let Some(level) = open[place].next() else {
                is_set.set(variable, false);
                open.pop();
                continue;
            };
            row[variable] = level;
            is_set.insert(variable);
            if self.is_broken_by(&row, variable, &is_set) {
                continue;
            }
            if open.len() == variables {
                return Some(row);
            }
            open.push(levels(self.order[place + 1]).into_iter());
        }
        None
    }
}

/// Levels in proportion to numbers, by running sums.
#[derive(Clone, Debug)]
struct Running {
    sums: Vec<f32>,
}

impl Running {
    fn new(numbers: impl Iterator<Item = f32>) -> Self {
        let sums = numbers.scan(0.0_f64, |sum, number| {
            *sum += f64::from(number);
            Some(*sum as f32)
        });
        Self { sums: sums.collect() }
    }

    fn draw(&self, uniform: f32) -> usize {
        drawn(&self.sums, uniform)
    }
}

fn drawn(sums: &[f32], uniform: f32) -> usize {
    let last = sums.len() - 1;
    let wanted = uniform * sums[last];
    sums.partition_point(|sum| *sum <= wanted).min(last)
}

/// A table as a variable of it sees it.
struct Link {
    partner: usize,
    /// The part of a cell's place that hangs on this variable's level, and on the partner's.
    own: Vec<u32>,
    other: Vec<u32>,
    weight: f32,
    /// For each group of the partner, running sums of this variable's groups.
    given: Vec<f32>,
    groups: usize,
    /// The partner's group of each level.
    partner_group: Vec<u32>,
    /// The levels of each group of this variable, with their running sums.
    levels: Vec<(Vec<u16>, Running)>,
}

/// Draws rows and settles them if asked to.
pub(super) fn draw(
    goals: &Goals,
    constraints: &Constraints,
    rows: usize,
    settle: bool,
    seed: Seed,
) -> Vec<u16> {
    let mut rng = seed.stream(0);
    let mut settling = Settling::new(goals, constraints, rows);
    let mut table = settling.first_rows(rows, &mut rng, (!settle).then_some(goals));
    if settle && rows > 0 {
        settling.settle(&mut table, &mut rng);
    }
    table
}

struct Settling<'a> {
    constraints: &'a Constraints,
    variables: usize,
    alone: Vec<Running>,
    weights: &'a [f32],
    /// Where each variable's own table begins.
    begins: Vec<usize>,
    links: Vec<Vec<Link>>,
    /// Targets of all cells of all tables, in rows.
    targets: Vec<f32>,
    /// Counts less goals.
    residuals: Vec<f32>,
}

impl<'a> Settling<'a> {
    fn new(goals: &'a Goals, constraints: &'a Constraints, rows: usize) -> Self {
        let variables = goals.one_ways.len();
        let scale = (rows as f64 / goals.records) as f32;
        let (mut targets, mut begins) = (Vec::new(), Vec::with_capacity(variables));
        for counts in &goals.one_ways {
            begins.push(targets.len());
            targets.extend(counts.iter().map(|count| count * scale));
        }
        let mut links: Vec<Vec<Link>> = (0..variables).map(|_| Vec::new()).collect();
        for table in &goals.tables {
            let begin = targets.len();
            targets.extend(table.counts.iter().map(|count| count * scale));
            for side in [0, 1] {
                links[table.variables[side]].push(link(goals, table, side, begin as u32));
            }
        }
        let alone = goals.one_ways.iter().map(|counts| Running::new(counts.iter().copied())).collect();
        let weights = &goals.weights;
        Self { constraints, variables, alone, weights, begins, links, targets, residuals: Vec::new() }
    }

    /// Rows as the single variables have them, or down the tree of the first tables that join variables if they will not be settled.
    fn first_rows(&self, rows: usize, rng: &mut Rng, tree: Option<&Goals>) -> Vec<u16> {
        let drawn_from = tree.map(|goals| spanning_tree(goals, self.variables));
        let mut table = vec![0_u16; rows * self.variables];
        let mut is_set = FixedBitSet::with_capacity(self.variables);
        for row in table.chunks_mut(self.variables.max(1)) {
            let is_possible = (0..REDRAWS).any(|_| match &drawn_from {
                Some(tree) => self.draw_down(tree, row, rng),
                None => self.draw_alone(row, &mut is_set, rng),
            });
            if !is_possible {
                let shuffled = |variable: usize| self.shuffled(variable, &mut rng.clone());
                let found = self.constraints.search(self.variables, shuffled, MOST_STEPS);
                row.copy_from_slice(found.as_deref().unwrap_or(&self.constraints.possible));
                let _: u32 = rng.random();
            }
        }
        table
    }

    /// Levels in random order, frequent ones rather first.
    fn shuffled(&self, variable: usize, rng: &mut Rng) -> Vec<u16> {
        let sums = &self.alone[variable].sums;
        let mut levels: Vec<(f64, u16)> = (0..sums.len())
            .map(|level| {
                let count = sums[level] - if level == 0 { 0.0 } else { sums[level - 1] };
                let uniform: f64 = rng.random();
                (-uniform.max(1e-12).ln() / f64::from(count.max(1e-6)), level as u16)
            })
            .collect();
        levels.sort_by(|one, other| one.0.total_cmp(&other.0));
        levels.into_iter().map(|(_, level)| level).collect()
    }

    /// Every variable by itself among the levels that go with those before it; false if there is none.
    fn draw_alone(&self, row: &mut [u16], is_set: &mut FixedBitSet, rng: &mut Rng) -> bool {
        is_set.clear();
        for &variable in &self.constraints.order {
            row[variable] = self.alone[variable].draw(rng.random()) as u16;
            is_set.insert(variable);
            if self.constraints.is_broken_by(row, variable, is_set) {
                let sums = &self.alone[variable].sums;
                let mut goes = Vec::new();
                for level in 0..sums.len() {
                    row[variable] = level as u16;
                    if !self.constraints.is_broken_by(row, variable, is_set) {
                        goes.push((level, sums[level] - if level == 0 { 0.0 } else { sums[level - 1] }));
                    }
                }
                if goes.is_empty() {
                    return false;
                }
                let running = Running::new(goes.iter().map(|(_, count)| count.max(1e-9)));
                row[variable] = goes[running.draw(rng.random())].0 as u16;
            }
        }
        true
    }

    /// Every variable given the one before it in the tree; false if the row cannot occur.
    fn draw_down(&self, tree: &[(usize, Option<usize>)], row: &mut [u16], rng: &mut Rng) -> bool {
        for (variable, given) in tree {
            row[*variable] = match given {
                Some(place) => self.propose_by(&self.links[*variable][*place], row, rng),
                None => self.alone[*variable].draw(rng.random()) as u16,
            };
        }
        for &variable in &self.constraints.order {
            if let Some((parent, levels)) = &self.constraints.parents[variable]
                && let Some(level) = levels[row[variable] as usize]
            {
                row[*parent] = level as u16;
            }
        }
        !self.constraints.impossible.iter().any(|one| one.holds(row))
    }

    /// A level given the partner's level, in proportion to the table and within a group to the single variable.
    fn propose_by(&self, link: &Link, row: &[u16], rng: &mut Rng) -> u16 {
        let given = link.partner_group[row[link.partner] as usize] as usize;
        let sums = &link.given[given * link.groups..][..link.groups];
        let (levels, running) = &link.levels[drawn(sums, rng.random())];
        if levels.len() == 1 { levels[0] } else { levels[running.draw(rng.random())] }
    }

    fn settle(&mut self, table: &mut [u16], rng: &mut Rng) {
        self.residuals = self.true_residuals(table);
        let mut order: Vec<u32> = (0..(table.len() / self.variables) as u32).collect();
        let mut sweeps = 0;
        let few = table.len() / FEW_CHANGES;
        for stage in 0.. {
            let of_stage = if stage < LEANS { SWEEPS_A_STAGE } else { MOST_SWEEPS };
            for _ in 0..of_stage {
                if sweeps == MOST_SWEEPS {
                    return;
                }
                sweeps += 1;
                if self.sweep(table, &mut order, rng) <= few {
                    break;
                }
            }
            if stage == LEANS {
                return;
            }
            self.lean(table);
        }
    }

    /// Counts less targets, from scratch.
    fn true_residuals(&self, table: &[u16]) -> Vec<f32> {
        let mut counts = vec![0_u32; self.targets.len()];
        for row in table.chunks(self.variables) {
            for (variable, level) in row.iter().enumerate() {
                counts[self.begins[variable] + *level as usize] += 1;
                for link in self.links[variable].iter().filter(|link| link.partner > variable) {
                    let cell = link.own[*level as usize] + link.other[row[link.partner] as usize];
                    counts[cell as usize] += 1;
                }
            }
        }
        let residual = |(count, target): (u32, &f32)| (f64::from(count) - f64::from(*target)) as f32;
        counts.into_iter().zip(&self.targets).map(residual).collect()
    }

    /// Moves every goal against what is left of its true residual, by at most [`FURTHEST`].
    fn lean(&mut self, table: &[u16]) {
        let true_ones = self.true_residuals(table);
        // goal ← goal − c makes every residual larger by c.
        for (residual, true_one) in self.residuals.iter_mut().zip(true_ones) {
            *residual += true_one.clamp(-FURTHEST, FURTHEST);
        }
    }

    /// Visits all rows; the number of fields that changed.
    fn sweep(&mut self, table: &mut [u16], order: &mut [u32], rng: &mut Rng) -> usize {
        order.shuffle(rng);
        let mut changed = 0;
        let free = self.constraints.impossible.is_empty();
        for &row in order.iter() {
            let row = &mut table[row as usize * self.variables..][..self.variables];
            for variable in 0..self.variables {
                let links = &self.links[variable];
                let chance: u32 = rng.random();
                let level = if links.is_empty() || chance.is_multiple_of(ALONE) {
                    self.alone[variable].draw(rng.random()) as u16
                } else {
                    let link = ((u64::from(chance / ALONE) * links.len() as u64) >> 29) as usize;
                    self.propose_by(&links[link], row, rng)
                };
                if level == row[variable] {
                    continue;
                }
                let moved = if free {
                    self.move_one(row, variable, level)
                } else {
                    self.move_all(row, variable, level)
                };
                changed += usize::from(moved);
            }
        }
        changed
    }

    /// Changes one variable of a row if that brings the counts closer to their goals.
    fn move_one(&mut self, row: &mut [u16], variable: usize, level: u16) -> bool {
        let (old, new) = (row[variable] as usize, level as usize);
        let begin = self.begins[variable];
        let residuals = &self.residuals;
        let mut change = self.weights[variable] * (residuals[begin + new] - residuals[begin + old] + 1.0);
        for link in &self.links[variable] {
            let (from, to) = (link.own[old], link.own[new]);
            if from != to {
                let other = link.other[row[link.partner] as usize];
                let (from, to) = ((from + other) as usize, (to + other) as usize);
                change += link.weight * (residuals[to] - residuals[from] + 1.0);
            }
        }
        if change >= 0.0 {
            return false;
        }
        self.residuals[begin + old] -= 1.0;
        self.residuals[begin + new] += 1.0;
        for link in &self.links[variable] {
            let other = link.other[row[link.partner] as usize];
            self.residuals[(link.own[old] + other) as usize] -= 1.0;
            self.residuals[(link.own[new] + other) as usize] += 1.0;
        }
        row[variable] = level;
        true
    }

    /// The same with the parents that a nested variable takes along, unless the row could then not occur.
    fn move_all(&mut self, row: &mut [u16], variable: usize, level: u16) -> bool {
        let mut changed = vec![(variable, row[variable], level)];
        let mut at = (variable, level);
        while let Some((parent, levels)) = &self.constraints.parents[at.0] {
            let Some(above) = levels[at.1 as usize] else { break };
            let above = above as u16;
            if row[*parent] == above || changed.len() > self.variables {
                break;
            }
            changed.push((*parent, row[*parent], above));
            at = (*parent, above);
        }
        changed.iter().for_each(|(variable, _, new)| row[*variable] = *new);
        let undo =
            |row: &mut [u16]| changed.iter().rev().for_each(|(variable, old, _)| row[*variable] = *old);
        if self.constraints.is_broken(row, &changed) {
            undo(row);
            return false;
        }
        let mut cells: Vec<(u32, u32, f32)> = Vec::new();
        for (number, (variable, old, new)) in changed.iter().enumerate() {
            let (old, new) = (*old as usize, *new as usize);
            let begin = self.begins[*variable];
            cells.push(((begin + old) as u32, (begin + new) as u32, self.weights[*variable]));
            for link in &self.links[*variable] {
                let of_partner = changed.iter().position(|(other, ..)| *other == link.partner);
                // A table of two changed variables is looked at once.
                if of_partner.is_some_and(|place| place < number) {
                    continue;
                }
                let now = row[link.partner];
                let before = of_partner.map_or(now, |place| changed[place].1);
                let from = link.own[old] + link.other[before as usize];
                let to = link.own[new] + link.other[now as usize];
                if from != to {
                    cells.push((from, to, link.weight));
                }
            }
        }
        let change: f32 = cells
            .iter()
            .map(|(from, to, weight)| {
                weight * (self.residuals[*to as usize] - self.residuals[*from as usize] + 1.0)
            })
            .sum();
        if change >= 0.0 {
            undo(row);
            return false;
        }
        for (from, to, _) in cells {
            self.residuals[from as usize] -= 1.0;
            self.residuals[to as usize] += 1.0;
        }
        true
    }
}

/// A table as the variable on one side sees it.
fn link(goals: &Goals, table: &Table, side: usize, begin: u32) -> Link {
    let (own, other) = (&table.groupings[side], &table.groupings[1 - side]);
    let columns = table.groupings[1].groups as u32;
    let stride = |side: usize| if side == 0 { columns } else { 1 };
    let places = |grouping: &Grouping, stride: u32, begin: u32| {
        grouping.of_level.iter().map(|group| group * stride + begin).collect::<Vec<u32>>()
    };
    let mut given = Vec::with_capacity(table.counts.len());
    for partner in 0..other.groups as u32 {
        let cells = (0..own.groups as u32).map(|group| {
            table.counts[(group * stride(side) + partner * stride(1 - side)) as usize].max(1e-6)
        });
        given.extend(Running::new(cells).sums);
    }
    let counts = &goals.one_ways[table.variables[side]];
    let mut members: Vec<Vec<u16>> = vec![Vec::new(); own.groups];
    own.of_level.iter().enumerate().for_each(|(level, group)| members[*group as usize].push(level as u16));
    let levels = members
        .into_iter()
        .map(|members| {
            let running = Running::new(members.iter().map(|level| counts[*level as usize]));
            (members, running)
        })
        .collect();
    Link {
        partner: table.variables[1 - side],
        own: places(own, stride(side), begin),
        other: places(other, stride(1 - side), 0),
        weight: table.weight,
        given,
        groups: own.groups,
        partner_group: other.of_level.clone(),
        levels,
    }
}

/// Variables in an order in which each, where it can, follows one that it was measured with: the place of that table among its links.
fn spanning_tree(goals: &Goals, variables: usize) -> Vec<(usize, Option<usize>)> {
    // Tables in the order in which they were chosen: each that joins two parts is in the tree.
    let mut part: Vec<usize> = (0..variables).collect();
    let mut edges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); variables];
    let mut links = vec![0; variables];
    for table in &goals.tables {
        let [one, other] = table.variables;
        if part[one] != part[other] {
            let (kept, gone) = (part[one], part[other]);
            part.iter_mut().filter(|part| **part == gone).for_each(|part| *part = kept);
            edges[one].push((other, links[other]));
            edges[other].push((one, links[one]));
        }
        links[one] += 1;
        links[other] += 1;
    }
    let mut order = Vec::with_capacity(variables);
    let mut is_listed = vec![false; variables];
    for root in 0..variables {
        if is_listed[root] {
            continue;
        }
        is_listed[root] = true;
        let mut open = std::collections::VecDeque::from([(root, None)]);
        while let Some((variable, given)) = open.pop_front() {
            order.push((variable, given));
            for (next, place) in &edges[variable] {
                if !is_listed[*next] {
                    is_listed[*next] = true;
                    open.push_back((*next, Some(*place)));
                }
            }
        }
    }
    order
}
