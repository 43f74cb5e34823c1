//! The network: every variable has a distribution for each combination of its parents' levels.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use table::{Attributes, Classes, Domain};

use super::super::pairwise::possible_record;
use super::super::stored_cells;
use crate::cells::Block;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::{Cells, Model, StructuralZeros, SynthesisError};

/// A record that breaks the schema is drawn again, at most so often.
const MOST_DRAWS: usize = 200;

/// A variable with its parents.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::methods) struct Node {
    pub variable: usize,
    pub parents: Vec<usize>,
    /// For each combination of the parents' levels, the last parent's fastest, the share of each level.
    pub shares: Vec<f64>,
}

impl Node {
    /// Shares from noisy counts of the variable and its parents. Counts below zero are none; a combination of parents without any count has the shares of all together, or even
    /// ones.
    pub(super) fn from_counts(
        variable: usize,
        parents: Vec<usize>,
        of: &Attributes,
        sizes: &[usize],
        counts: &[i64],
    ) -> Self {
        let levels = sizes[variable];
        let combinations: usize = parents.iter().map(|parent| sizes[*parent]).product();
        let mut shares = vec![0.0; combinations * levels];
        for (cell, count) in counts.iter().enumerate() {
            let (mut rest, mut classes) = (cell, vec![0; sizes.len()]);
            for position in of.positions().iter().rev() {
                classes[*position] = rest % sizes[*position];
                rest /= sizes[*position];
            }
            let row = parents.iter().fold(0, |row, parent| row * sizes[*parent] + classes[*parent]);
            shares[row * levels + classes[variable]] += (*count).max(0) as f64;
        }
        let mut of_all = vec![0.0; levels];
        shares.chunks(levels).for_each(|row| of_all.iter_mut().zip(row).for_each(|(all, one)| *all += one));
        if of_all.iter().sum::<f64>() == 0.0 {
            of_all.fill(1.0);
        }
        for row in shares.chunks_mut(levels) {
            if row.iter().sum::<f64>() == 0.0 {
                row.copy_from_slice(&of_all);
            }
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|share| *share /= sum);
        }
        Self { variable, parents, shares }
    }
}

/// The network, in the order in which variables are drawn.
pub(in crate::methods) struct NetworkModel {
    pub domain: Domain,
    /// Cells that cannot occur: they are drawn again.
    pub zeros: StructuralZeros,
    pub nodes: Vec<Node>,
    pub remarks: Vec<String>,
}

/// What a model file holds beside arrays.
#[derive(Serialize, Deserialize)]
struct Settings {
    remarks: Vec<String>,
    /// Each variable and its parents.
    nodes: Vec<(usize, Vec<usize>)>,
}

/// The name under which it holds them.
const SETTINGS: &str = "Bayesian network";

impl NetworkModel {
    fn block(&self, rows: usize, rng: &mut Rng) -> Block {
        let sizes: Vec<usize> = self.domain.variables().iter().map(Classes::size).collect();
        let mut columns: Block = vec![Vec::with_capacity(rows); sizes.len()];
        let mut record = vec![0; sizes.len()];
        for _ in 0..rows {
            let is_possible = (0..MOST_DRAWS).any(|_| {
                for node in &self.nodes {
                    let row = node
                        .parents
                        .iter()
                        .fold(0, |row, parent| row * sizes[*parent] + record[*parent] as usize);
                    let levels = sizes[node.variable];
                    let shares = &node.shares[row * levels..(row + 1) * levels];
                    record[node.variable] = drawn(shares, rng.random());
                }
                self.zeros.all().is_empty() || !self.zeros.contains(&record)
            });
            if !is_possible && let Ok(possible) = possible_record(&self.domain, &self.zeros) {
                // A record that can occur was found before anything was asked.
                record = possible;
            }
            columns.iter_mut().zip(&record).for_each(|(column, class)| column.push(*class));
        }
        columns
    }
}

/// The level whose shares up to it first exceed `at`.
fn drawn(shares: &[f64], at: f64) -> u32 {
    let mut sum = 0.0;
    let beyond = shares.iter().position(|share| {
        sum += share;
        sum > at
    });
    // Rounding may leave the last sum below 1.
    beyond.or_else(|| shares.iter().rposition(|share| *share > 0.0)).unwrap_or(0) as u32
}

impl Model<Cells> for NetworkModel {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        Ok(Cells::draw(&self.domain, rows, seed, |_, rows, mut rng| self.block(rows, &mut rng)))
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let nodes = self.nodes.iter().map(|node| (node.variable, node.parents.clone())).collect();
        into.settings(SETTINGS, &Settings { remarks: self.remarks.clone(), nodes })?;
        self.nodes.iter().try_for_each(|node| into.array("shares", &node.shares))?;
        self.zeros.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }
}

/// A model from its stored state.
pub(in crate::methods) fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = stored_cells::domain(context)?;
    let sizes: Vec<usize> = domain.variables().iter().map(Classes::size).collect();
    let Settings { remarks, nodes: network } = from.settings(SETTINGS)?;
    let mut known = vec![false; sizes.len()];
    let mut nodes = Vec::with_capacity(network.len());
    for (variable, parents) in network {
        let is_new = known.get(variable).is_some_and(|known| !known);
        let follows = parents.iter().all(|parent| known.get(*parent).is_some_and(|known| *known));
        ensure(is_new && follows, "variables are not in the order of their parents")?;
        let cells =
            parents.iter().try_fold(sizes[variable], |cells, parent| cells.checked_mul(sizes[*parent]));
        let shares: Vec<f64> = from.array("shares")?;
        let is_complete = cells == Some(shares.len());
        let is_share = shares.iter().all(|share| (0.0..=1.0).contains(share));
        ensure(is_complete && is_share, "shares are not those of a variable and its parents")?;
        known[variable] = true;
        nodes.push(Node { variable, parents, shares });
    }
    ensure(known.iter().all(|known| *known), "a variable is missing")?;
    let zeros = StructuralZeros::load(from, &domain)?;
    Ok(Box::new(NetworkModel { domain, zeros, nodes, remarks }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_parents_levels() {
        // Variable 1 given 2 and 0, listed in that order; counts are in the order of the table, 0, 1, 2.
        let sizes = [2, 2, 2];
        let of = Attributes::new([0, 1, 2]);
        let counts = [3, -5, 1, 0, 0, 0, -1, 8];
        let node = Node::from_counts(1, vec![2, 0], &of, &sizes, &counts);
        // Rows: (2 = 0, 0 = 0), (2 = 0, 0 = 1), (2 = 1, 0 = 0), (2 = 1, 0 = 1); all together 3 of 0 and 9 of 1.
        assert_eq!(node.shares, [0.75, 0.25, 0.25, 0.75, 0.25, 0.75, 0.0, 1.0]);
        let none = Node::from_counts(0, Vec::new(), &Attributes::new([0]), &sizes, &[-3, 0]);
        assert_eq!(none.shares, [0.5, 0.5]);
    }

    #[test]
    fn levels_are_drawn_by_their_shares() {
        assert_eq!(
            [0.0, 0.24, 0.25, 0.9, 0.999_999].map(|at| drawn(&[0.25, 0.0, 0.75], at)),
            [0, 0, 2, 2, 2]
        );
        assert_eq!(drawn(&[0.5, 0.5 - 1e-12, 0.0], 1.0 - 1e-16), 1);
    }
}
