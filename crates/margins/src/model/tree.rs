//! A tree model: expected counts of every clique of a junction tree, which together give those of every cell.
//!
//! count(x) = Π count(clique) ÷ Π count(separator) (Lauritzen 1996, Prop. 4.32 and ch. 6).

use serde::{Deserialize, Serialize};

use crate::attributes::{cells, cells_exactly, for_each_position, intersection, is_subset, union};
use crate::error::Error;
use crate::junction_tree::JunctionTree;
use crate::model::FittedClique;
use crate::model::convergence::Convergence;
use crate::traversal::summed;

/// Expected counts of every clique of a junction tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredTree")]
pub struct TreeModel {
    #[serde(rename = "dims")]
    sizes: Vec<usize>,
    cliques: Vec<Clique>,
    convergence: Convergence,
    /// What each clique shares with its parent; worked out, not stored.
    #[serde(skip)]
    separators: Vec<Factor>,
}

/// A clique of a fitted tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clique {
    /// Its attributes, ascending.
    #[serde(rename = "variables")]
    pub attributes: Vec<usize>,
    /// The clique that it hangs on, by number, always before it; none for the first. Variables that it shares
    /// with any earlier clique it shares with this one.
    pub parent: Option<usize>,
    /// Its expected counts, row-major.
    pub counts: Vec<f64>,
}

#[derive(Deserialize)]
struct StoredTree {
    #[serde(rename = "dims")]
    sizes: Vec<usize>,
    cliques: Vec<Clique>,
    convergence: Convergence,
}

impl TryFrom<StoredTree> for TreeModel {
    type Error = Error;

    fn try_from(stored: StoredTree) -> Result<Self, Error> {
        let StoredTree { sizes, cliques, convergence } = stored;
        let mut seen = Vec::new();
        for (at, clique) in cliques.iter().enumerate() {
            let Clique { attributes, parent, counts } = clique;
            let fine = attributes.windows(2).all(|pair| pair[0] < pair[1])
                && attributes.last().is_none_or(|&last| last < sizes.len())
                && cells(&sizes, attributes) == counts.len() as u128
                && counts.iter().all(|count| count.is_finite() && *count >= 0.0)
                && match parent {
                    None => at == 0,
                    Some(parent) => {
                        *parent < at
                            && is_subset(&intersection(attributes, &seen), &cliques[*parent].attributes)
                    }
                };
            if !fine {
                return Err(Error::Stored { what: "a junction tree" });
            }
            seen = union(&seen, attributes);
        }
        if seen.len() != sizes.len() || cliques.is_empty() {
            return Err(Error::Stored { what: "a junction tree" });
        }
        Ok(Self::of(sizes, cliques, convergence))
    }
}

impl TreeModel {
    /// A model that was stored; refused unless its cliques are a junction tree of all variables with one finite count, not below zero, for each
    /// cell.
    pub fn stored(sizes: Vec<usize>, cliques: Vec<Clique>, convergence: Convergence) -> Result<Self, Error> {
        StoredTree { sizes, cliques, convergence }.try_into()
    }

    pub(crate) fn new(sizes: &[usize], fitted: Vec<FittedClique>, convergence: Convergence) -> Self {
        let cliques = fitted
            .into_iter()
            .map(|FittedClique { parent, layout, cells }| {
                let mut attributes = layout.clone();
                attributes.sort_unstable();
                let mut counts = vec![0.0; cells.len()];
                for_each_position(sizes, &layout, &attributes, |cell, position| {
                    counts[position] = cells[cell]
                });
                Clique { attributes, parent, counts }
            })
            .collect();
        Self::of(sizes.to_vec(), cliques, convergence)
    }

    fn of(sizes: Vec<usize>, cliques: Vec<Clique>, convergence: Convergence) -> Self {
        let separator = |clique: &Clique| {
            let parent = clique.parent.map_or([].as_slice(), |parent| &cliques[parent].attributes);
            let attributes = intersection(&clique.attributes, parent);
            let counts = summed(&sizes, &clique.attributes, &clique.counts, &attributes);
            Factor { attributes, counts }
        };
        let separators = cliques.iter().map(separator).collect();
        Self { sizes, cliques, convergence, separators }
    }

    /// The number of classes of each variable.
    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// How far the fit came.
    pub(crate) fn convergence(&self) -> &Convergence {
        &self.convergence
    }

    /// The cliques, each after the one that it hangs on.
    pub fn cliques(&self) -> &[Clique] {
        &self.cliques
    }

    /// Cells of all cliques together.
    pub(crate) fn held_cells(&self) -> usize {
        self.cliques.iter().map(|clique| clique.counts.len()).sum()
    }

    /// The variables that a clique shares with its parent.
    pub(crate) fn separator(&self, at: usize) -> &[usize] {
        &self.separators[at].attributes
    }

    /// The tree without its counts.
    pub(crate) fn junction_tree(&self) -> JunctionTree {
        let edges = self.cliques.iter().enumerate().filter_map(|(at, clique)| Some((clique.parent?, at)));
        let cliques = self.cliques.iter().map(|clique| clique.attributes.clone()).collect();
        JunctionTree::joined(&self.sizes, cliques, edges.collect())
    }

    /// One factor a clique, whose product is the expected count of every cell: the counts of the first clique,
    /// and count(clique) ÷ count(separator) of every other.
    pub(crate) fn factors(&self) -> impl Iterator<Item = (&[usize], Vec<f64>)> {
        self.cliques.iter().zip(&self.separators).map(|(clique, separator)| {
            let mut own = Factor { attributes: clique.attributes.clone(), counts: clique.counts.clone() };
            if clique.parent.is_some() {
                own.divide(separator, &self.sizes);
            }
            (clique.attributes.as_slice(), own.counts)
        })
    }

    pub(crate) fn expected(&self, classes: &[usize]) -> f64 {
        let mut expected = 1.0;
        for (clique, separator) in self.cliques.iter().zip(&self.separators) {
            let own = clique.counts[self.position(&clique.attributes, classes)];
            if own == 0.0 {
                return 0.0;
            }
            let shared = separator.counts[self.position(&separator.attributes, classes)];
            expected *= if clique.parent.is_some() { own / shared } else { own };
        }
        expected
    }

    fn position(&self, attributes: &[usize], classes: &[usize]) -> usize {
        attributes.iter().fold(0, |at, &variable| at * self.sizes[variable] + classes[variable])
    }

    /// A margin over any variables: the sum within a clique that holds them all, else variable elimination
    /// over the part of the tree that they span.
    pub(crate) fn margin(&self, attributes: &[usize], limit: usize) -> Result<Vec<f64>, Error> {
        let hosts = (0..self.cliques.len()).filter(|&at| is_subset(attributes, &self.cliques[at].attributes));
        if let Some(host) = hosts.min_by_key(|&at| (self.cliques[at].counts.len(), at)) {
            let Clique { attributes: held, counts, .. } = &self.cliques[host];
            return Ok(summed(&self.sizes, held, counts, attributes));
        }
        // What of `attributes` each clique and all that hangs on it hold.
        let mut below: Vec<Vec<usize>> =
            self.cliques.iter().map(|clique| intersection(attributes, &clique.attributes)).collect();
        for at in (1..self.cliques.len()).rev() {
            if let Some(parent) = self.cliques[at].parent {
                below[parent] = union(&below[parent], &below[at]);
            }
        }
        // The last clique, going down, below which all of them are: it serves as the root.
        let top = (0..self.cliques.len()).rev().find(|&at| below[at].len() == attributes.len()).unwrap_or(0);
        // What each clique passes to the one it hangs on, from the leaves to the top.
        let mut messages: Vec<Vec<Factor>> = (0..self.cliques.len()).map(|_| Vec::new()).collect();
        for at in (top..self.cliques.len()).rev() {
            let clique = &self.cliques[at];
            let separator = if at == top { &[] } else { self.separator(at) };
            // With nothing beyond the separator, the conditional sums to 1.
            if at != top && (is_subset(&below[at], separator) || !self.hangs_on(at, top)) {
                continue;
            }
            let mut product = Factor { attributes: clique.attributes.clone(), counts: clique.counts.clone() };
            for message in std::mem::take(&mut messages[at]) {
                let spanned = union(&product.attributes, &message.attributes);
                if cells(&self.sizes, &spanned) > limit as u128 {
                    let cells = cells_exactly(&self.sizes, &spanned);
                    return Err(Error::MarginTooLarge { attributes: attributes.to_vec(), cells, limit });
                }
                product = product.times(&message, spanned, &self.sizes);
            }
            if at != top {
                product.divide(&self.separators[at], &self.sizes);
            }
            let kept = union(separator, &below[at]);
            let counts = summed(&self.sizes, &product.attributes, &product.counts, &kept);
            match clique.parent {
                Some(parent) if at != top => messages[parent].push(Factor { attributes: kept, counts }),
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
    attributes: Vec<usize>,
    counts: Vec<f64>,
}

impl Factor {
    fn times(&self, other: &Self, attributes: Vec<usize>, sizes: &[usize]) -> Self {
        let mut counts = vec![0.0; cells(sizes, &attributes) as usize];
        for_each_position(sizes, &attributes, &self.attributes, |cell, position| {
            counts[cell] = self.counts[position]
        });
        for_each_position(sizes, &attributes, &other.attributes, |cell, position| {
            counts[cell] *= other.counts[position]
        });
        Self { attributes, counts }
    }

    fn divide(&mut self, by: &Self, sizes: &[usize]) {
        for_each_position(sizes, &self.attributes, &by.attributes, |cell, position| {
            let count = &mut self.counts[cell];
            *count = if *count == 0.0 { 0.0 } else { *count / by.counts[position] };
        });
    }
}
