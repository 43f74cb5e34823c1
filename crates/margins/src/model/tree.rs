//! A tree model: expected counts of every clique of a junction tree, which together give those of every cell.
//!
//! count(x) = Π count(clique) ÷ Π count(separator) (Lauritzen 1996, Prop. 4.32 and ch. 6).

use serde::{Deserialize, Serialize};

use crate::convergence::Convergence;
use crate::error::Error;
use crate::junction_tree::JunctionTree;
use crate::raking::FittedClique;
use crate::traversal::summed;
use crate::variables::{cells, cells_exactly, for_each_position, intersection, is_subset, union};

/// Expected counts of every clique of a junction tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredTree")]
pub struct TreeModel {
    dims: Vec<usize>,
    cliques: Vec<Clique>,
    convergence: Convergence,
    /// What each clique shares with its parent; worked out, not stored.
    #[serde(skip)]
    separators: Vec<Factor>,
}

/// A clique of a fitted tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clique {
    /// Its variables, ascending.
    pub variables: Vec<usize>,
    /// The clique that it hangs on, by number, always before it; none for the first. Variables that it shares
    /// with any earlier clique it shares with this one.
    pub parent: Option<usize>,
    /// Its expected counts, row-major.
    pub counts: Vec<f64>,
}

#[derive(Deserialize)]
struct StoredTree {
    dims: Vec<usize>,
    cliques: Vec<Clique>,
    convergence: Convergence,
}

impl TryFrom<StoredTree> for TreeModel {
    type Error = Error;

    fn try_from(stored: StoredTree) -> Result<Self, Error> {
        let StoredTree { dims, cliques, convergence } = stored;
        let mut seen = Vec::new();
        for (at, clique) in cliques.iter().enumerate() {
            let Clique { variables, parent, counts } = clique;
            let fine = variables.windows(2).all(|pair| pair[0] < pair[1])
                && variables.last().is_none_or(|&last| last < dims.len())
                && cells(&dims, variables) == counts.len() as u128
                && counts.iter().all(|count| count.is_finite() && *count >= 0.0)
                && match parent {
                    None => at == 0,
                    Some(parent) => {
                        *parent < at
                            && is_subset(&intersection(variables, &seen), &cliques[*parent].variables)
                    }
                };
            if !fine {
                return Err(Error::Stored { what: "a junction tree" });
            }
            seen = union(&seen, variables);
        }
        if seen.len() != dims.len() || cliques.is_empty() {
            return Err(Error::Stored { what: "a junction tree" });
        }
        Ok(Self::of(dims, cliques, convergence))
    }
}

impl TreeModel {
    pub(crate) fn new(dims: &[usize], fitted: Vec<FittedClique>, convergence: Convergence) -> Self {
        let cliques = fitted
            .into_iter()
            .map(|FittedClique { parent, layout, cells }| {
                let mut variables = layout.clone();
                variables.sort_unstable();
                let mut counts = vec![0.0; cells.len()];
                for_each_position(dims, &layout, &variables, |cell, position| counts[position] = cells[cell]);
                Clique { variables, parent, counts }
            })
            .collect();
        Self::of(dims.to_vec(), cliques, convergence)
    }

    fn of(dims: Vec<usize>, cliques: Vec<Clique>, convergence: Convergence) -> Self {
        let separator = |clique: &Clique| {
            let parent = clique.parent.map_or([].as_slice(), |parent| &cliques[parent].variables);
            let variables = intersection(&clique.variables, parent);
            let counts = summed(&dims, &clique.variables, &clique.counts, &variables);
            Factor { variables, counts }
        };
        let separators = cliques.iter().map(separator).collect();
        Self { dims, cliques, convergence, separators }
    }

    /// The number of classes of each variable.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// How far the fit came.
    pub fn convergence(&self) -> &Convergence {
        &self.convergence
    }

    /// The cliques, each after the one that it hangs on.
    pub fn cliques(&self) -> &[Clique] {
        &self.cliques
    }

    /// Cells of all cliques together.
    pub fn held_cells(&self) -> usize {
        self.cliques.iter().map(|clique| clique.counts.len()).sum()
    }

    /// The variables that a clique shares with its parent.
    pub(crate) fn separator(&self, at: usize) -> &[usize] {
        &self.separators[at].variables
    }

    /// The tree without its counts.
    pub(crate) fn junction_tree(&self) -> JunctionTree {
        let edges = self.cliques.iter().enumerate().filter_map(|(at, clique)| Some((clique.parent?, at)));
        let cliques = self.cliques.iter().map(|clique| clique.variables.clone()).collect();
        JunctionTree::joined(&self.dims, cliques, edges.collect())
    }

    /// One factor a clique, whose product is the expected count of every cell: the counts of the first clique,
    /// and count(clique) ÷ count(separator) of every other.
    pub(crate) fn factors(&self) -> impl Iterator<Item = (&[usize], Vec<f64>)> {
        self.cliques.iter().zip(&self.separators).map(|(clique, separator)| {
            let mut own = Factor { variables: clique.variables.clone(), counts: clique.counts.clone() };
            if clique.parent.is_some() {
                own.divide(separator, &self.dims);
            }
            (clique.variables.as_slice(), own.counts)
        })
    }

    pub(crate) fn expected(&self, classes: &[usize]) -> f64 {
        let mut expected = 1.0;
        for (clique, separator) in self.cliques.iter().zip(&self.separators) {
            let own = clique.counts[self.position(&clique.variables, classes)];
            if own == 0.0 {
                return 0.0;
            }
            let shared = separator.counts[self.position(&separator.variables, classes)];
            expected *= if clique.parent.is_some() { own / shared } else { own };
        }
        expected
    }

    fn position(&self, variables: &[usize], classes: &[usize]) -> usize {
        variables.iter().fold(0, |at, &variable| at * self.dims[variable] + classes[variable])
    }

    /// A margin over any variables: the sum within a clique that holds them all, else variable elimination
    /// over the part of the tree that they span.
    pub(crate) fn margin(&self, variables: &[usize], limit: usize) -> Result<Vec<f64>, Error> {
        let hosts = (0..self.cliques.len()).filter(|&at| is_subset(variables, &self.cliques[at].variables));
        if let Some(host) = hosts.min_by_key(|&at| (self.cliques[at].counts.len(), at)) {
            let Clique { variables: held, counts, .. } = &self.cliques[host];
            return Ok(summed(&self.dims, held, counts, variables));
        }
        // What of `variables` each clique and all that hangs on it hold.
        let mut below: Vec<Vec<usize>> =
            self.cliques.iter().map(|clique| intersection(variables, &clique.variables)).collect();
        for at in (1..self.cliques.len()).rev() {
            if let Some(parent) = self.cliques[at].parent {
                below[parent] = union(&below[parent], &below[at]);
            }
        }
        // The last clique, going down, below which all of them are: it serves as the root.
        let top = (0..self.cliques.len()).rev().find(|&at| below[at].len() == variables.len()).unwrap_or(0);
        // What each clique tells the one it hangs on, from the leaves to the top.
        let mut told: Vec<Vec<Factor>> = (0..self.cliques.len()).map(|_| Vec::new()).collect();
        for at in (top..self.cliques.len()).rev() {
            let clique = &self.cliques[at];
            let separator = if at == top { &[] } else { self.separator(at) };
            // With nothing to tell beyond the separator, the conditional sums to 1.
            if at != top && (is_subset(&below[at], separator) || !self.hangs_on(at, top)) {
                continue;
            }
            let mut product = Factor { variables: clique.variables.clone(), counts: clique.counts.clone() };
            for message in std::mem::take(&mut told[at]) {
                let spanned = union(&product.variables, &message.variables);
                if cells(&self.dims, &spanned) > limit as u128 {
                    let cells = cells_exactly(&self.dims, &spanned);
                    return Err(Error::MarginTooLarge { variables: variables.to_vec(), cells, limit });
                }
                product = product.times(&message, spanned, &self.dims);
            }
            if at != top {
                product.divide(&self.separators[at], &self.dims);
            }
            let kept = union(separator, &below[at]);
            let counts = summed(&self.dims, &product.variables, &product.counts, &kept);
            match clique.parent {
                Some(parent) if at != top => told[parent].push(Factor { variables: kept, counts }),
                _ => return Ok(counts),
            }
        }
        Err(Error::Stored { what: "a junction tree" })
    }

    fn hangs_on(&self, at: usize, top: usize) -> bool {
        let mut at = at;
        while at > top {
            match self.cliques[at].parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
        at == top
    }
}

/// A non-negative function of some variables, row-major.
#[derive(Clone, Debug, PartialEq)]
struct Factor {
    variables: Vec<usize>,
    counts: Vec<f64>,
}

impl Factor {
    fn times(&self, other: &Self, variables: Vec<usize>, dims: &[usize]) -> Self {
        let mut counts = vec![0.0; cells(dims, &variables) as usize];
        for_each_position(dims, &variables, &self.variables, |cell, position| {
            counts[cell] = self.counts[position]
        });
        for_each_position(dims, &variables, &other.variables, |cell, position| {
            counts[cell] *= other.counts[position]
        });
        Self { variables, counts }
    }

    fn divide(&mut self, by: &Self, dims: &[usize]) {
        for_each_position(dims, &self.variables, &by.variables, |cell, position| {
            let count = &mut self.counts[cell];
            *count = if *count == 0.0 { 0.0 } else { *count / by.counts[position] };
        });
    }
}
