//! Inference: the normalising constant of a log-linear model and the margins of its terms, on a junction tree.
//!
//! p(x) = exp(Σ_a θ_a(x_a)) ÷ Z. Each clique is filled with the factors exp(θ_a) of the terms that it hosts,
//! the cliques pass each other their sums over the separators, once to the root and once back (Lauritzen &
//! Spiegelhalter 1988; Shafer & Shenoy 1990), and then hold the margins of p. Terms are grouped as in
//! `schedule`: they are multiplied together on small tables before they reach the clique, and summed from
//! small tables on the way out.
//!
//! Every factor is divided by its largest value, and the logarithm of the divisor kept, so that nothing
//! overflows and cells lie between 0 and 1. Cells that underflow are below 1e-308; as long as Z is above
//! [`SMALLEST_TOTAL`] they add nothing to it. Below, there is no answer, and the caller takes a shorter step.

use crate::attributes::{cells, intersection, is_subset, positions};
use crate::ipf::options::Order;
use crate::junction_tree::JunctionTree;
use crate::model::FittedClique;
use crate::schedule::{Stop, schedule};
use crate::traversal::{Traversal, layout};

/// The smallest Z, relative to the product of all divisors, that is trusted.
const SMALLEST_TOTAL: f64 = 1e-200;

/// The tables of a junction tree whose cliques hold every term.
#[derive(Debug)]
pub(super) struct Inference {
    /// Each after the clique that it hangs on.
    cliques: Vec<Clique>,
}

#[derive(Debug)]
struct Clique {
    table: Table,
    /// The way to the clique that it hangs on; none for the first.
    link: Option<Link>,
}

/// A separator, seen from both of its cliques.
#[derive(Debug)]
struct Link {
    parent: usize,
    own: Walks,
    parents: Walks,
    /// Cell `i` of the separator in the child's layout is cell `positions[i]` in the parent's.
    positions: Vec<usize>,
    /// The child's sums over the separator before the parent was heard.
    passed: Vec<f64>,
}

/// How a table is scaled by a function of some of its variables, and summed onto them.
#[derive(Debug)]
struct Walks {
    scaling: Traversal,
    summing: Traversal,
    buffer: Vec<f64>,
}

#[derive(Debug)]
struct Table {
    layout: Vec<usize>,
    cells: Vec<f64>,
    stations: Vec<Station>,
}

/// A set of variables with terms within it.
#[derive(Debug)]
struct Station {
    walks: Walks,
    terms: Terms,
}

#[derive(Debug)]
enum Terms {
    /// Terms that lie within this set.
    Here(Vec<Placed>),
    /// Terms of a smaller table, whose cell `i` is the station's cell `positions[i]`.
    Within { table: Table, positions: Vec<usize> },
}

/// Where a term's parameters are: cell `i` of the station has parameter `first + positions[i]`.
#[derive(Debug)]
struct Placed {
    first: usize,
    positions: Vec<usize>,
}

impl Inference {
    /// The tables of `tree`, of which some clique holds each of `terms` (sets of variables, ascending). The
    /// parameters of the terms follow one another, each row-major.
    pub(super) fn new(sizes: &[usize], tree: &JunctionTree, terms: &[&[usize]]) -> Self {
        let maximal = MaximalTerms::new(sizes, terms);
        let places = tree.visits_from_root();
        let mut place_of = vec![0; places.len()];
        places.iter().enumerate().for_each(|(place, (clique, _))| place_of[*clique] = place);
        let mut margins = vec![Vec::new(); places.len()];
        for (number, set) in maximal.sets.iter().enumerate() {
            let host = tree.host(set).expect("a junction tree has a clique for every margin it was made of");
            margins[place_of[host]].push((number, *set));
        }
        let attributes = |place: usize| tree.cliques()[places[place].0].as_slice();
        let separator = |place: usize| {
            places[place].1.map(|parent| (parent, intersection(attributes(place), attributes(parent))))
        };
        let mut cliques: Vec<Clique> = Vec::with_capacity(places.len());
        for (place, margins) in margins.iter().enumerate() {
            let stops = schedule(sizes, attributes(place), margins, Order::Free);
            let below = (place + 1..places.len()).filter_map(&separator);
            let mut borders: Vec<Vec<usize>> =
                below.filter(|(parent, _)| *parent == place).map(|(_, set)| set).collect();
            let mut link = None;
            borders.extend(separator(place).map(|(_, set)| set));
            let table = Table::new(&maximal, attributes(place), &stops, &borders);
            if let Some((parent, set)) = separator(place) {
                let own = Walks::new(sizes, &table.layout, &set);
                let parents = Walks::new(sizes, &cliques[parent].table.layout, &set);
                let inner = restricted(&table.layout, &set);
                let outer = restricted(&cliques[parent].table.layout, &set);
                let passed = vec![0.0; own.buffer.len()];
                let positions = positions(sizes, &inner, &outer);
                link = Some(Link { parent, own, parents, positions, passed });
            }
            cliques.push(Clique { table, link });
        }
        Self { cliques }
    }

    /// Brings the cliques to the probabilities of the model with these `parameters`, fills `margins` with
    /// those of the terms, and returns log Z; nothing where that cannot be computed.
    pub(super) fn infer(&mut self, parameters: &[f64], margins: &mut [f64]) -> Option<f64> {
        let mut log_scale = 0.0;
        for clique in &mut self.cliques {
            log_scale += clique.table.weigh(parameters);
        }
        for place in (1..self.cliques.len()).rev() {
            let (earlier, later) = self.cliques.split_at_mut(place);
            if let Clique { table, link: Some(link) } = &mut later[0] {
                link.own.summing.sum(&table.cells, &mut link.passed);
                let largest = link.passed.iter().copied().fold(0.0, f64::max);
                if largest.is_nan() || largest <= 0.0 {
                    return None;
                }
                log_scale += largest.ln();
                for (&passed, &position) in link.passed.iter().zip(&link.positions) {
                    link.parents.buffer[position] = passed / largest;
                }
                link.parents.scale(&mut earlier[link.parent].table.cells);
            }
        }
        let root = &mut self.cliques[0].table;
        let total = crate::traversal::total(&root.cells);
        if total.is_nan() || total < SMALLEST_TOTAL {
            return None;
        }
        root.cells.iter_mut().for_each(|cell| *cell /= total);
        for place in 1..self.cliques.len() {
            let (earlier, later) = self.cliques.split_at_mut(place);
            if let Clique { table, link: Some(link) } = &mut later[0] {
                link.parents.sum(&earlier[link.parent].table.cells);
                for ((own, &passed), &position) in
                    link.own.buffer.iter_mut().zip(&link.passed).zip(&link.positions)
                {
                    *own = if passed > 0.0 { link.parents.buffer[position] / passed } else { 0.0 };
                }
                link.own.scale(&mut table.cells);
            }
        }
        margins.fill(0.0);
        for clique in &mut self.cliques {
            clique.table.sum_onto_terms(margins);
        }
        Some(total.ln() + log_scale)
    }

    /// The cliques as they stand, as the expected counts of `total` records.
    pub(super) fn into_cliques(self, total: f64) -> Vec<FittedClique> {
        let fitted = |Clique { table, link }: Clique| {
            let mut cells = table.cells;
            cells.iter_mut().for_each(|cell| *cell *= total);
            FittedClique { parent: link.map(|link| link.parent), layout: table.layout, cells }
        };
        self.cliques.into_iter().map(fitted).collect()
    }
}

/// The maximal sets among the attributes of the terms, and which terms lie within each.
struct MaximalTerms<'a> {
    sizes: &'a [usize],
    sets: Vec<&'a [usize]>,
    /// For each set its terms: attributes, and the first of their parameters.
    within: Vec<Vec<(&'a [usize], usize)>>,
}

impl<'a> MaximalTerms<'a> {
    fn new(sizes: &'a [usize], terms: &[&'a [usize]]) -> Self {
        let mut largest_first: Vec<&[usize]> = terms.to_vec();
        largest_first.sort_by_key(|set| std::cmp::Reverse(set.len()));
        let mut sets: Vec<&[usize]> = Vec::new();
        for set in largest_first {
            if !sets.iter().any(|larger| is_subset(set, larger)) {
                sets.push(set);
            }
        }
        let mut within = vec![Vec::new(); sets.len()];
        let mut first = 0;
        for &term in terms {
            if let Some(at) = sets.iter().position(|set| is_subset(term, set)) {
                within[at].push((term, first));
            }
            first += cells(sizes, term) as usize;
        }
        Self { sizes, sets, within }
    }
}

impl Walks {
    fn new(sizes: &[usize], layout: &[usize], set: &[usize]) -> Self {
        let shape: Vec<usize> = layout.iter().map(|&variable| sizes[variable]).collect();
        let held: Vec<bool> = layout.iter().map(|variable| set.contains(variable)).collect();
        Self {
            scaling: Traversal::new(&shape, &held, &vec![false; layout.len()]),
            summing: Traversal::summing(&shape, &held),
            buffer: vec![1.0; cells(sizes, set) as usize],
        }
    }

    fn scale(&self, cells: &mut [f64]) {
        self.scaling.scale_and_sum(cells, &self.buffer, &mut [0.0]);
    }

    fn sum(&mut self, cells: &[f64]) {
        self.summing.sum(cells, &mut self.buffer);
    }
}

impl Table {
    fn new(maximal: &MaximalTerms<'_>, attributes: &[usize], stops: &[Stop], borders: &[Vec<usize>]) -> Self {
        let sets: Vec<&[usize]> = stops
            .iter()
            .map(|stop| match stop {
                Stop::Margin(number) => maximal.sets[*number],
                Stop::Group { attributes, .. } => attributes,
            })
            .collect();
        let roles: Vec<&[usize]> = sets.iter().copied().chain(borders.iter().map(Vec::as_slice)).collect();
        let layout = layout(maximal.sizes, attributes, &roles);
        let stations = stops
            .iter()
            .zip(sets)
            .map(|(stop, set)| {
                let order = restricted(&layout, set);
                let terms = match stop {
                    Stop::Margin(number) => Terms::Here(
                        maximal.within[*number]
                            .iter()
                            .map(|&(term, first)| Placed {
                                first,
                                positions: positions(maximal.sizes, &order, term),
                            })
                            .collect(),
                    ),
                    Stop::Group { attributes, stops } => {
                        let table = Self::new(maximal, attributes, stops, &[]);
                        let positions = positions(maximal.sizes, &table.layout, &order);
                        Terms::Within { table, positions }
                    }
                };
                Station { walks: Walks::new(maximal.sizes, &layout, set), terms }
            })
            .collect();
        let size = cells(maximal.sizes, attributes) as usize;
        Self { layout, cells: vec![1.0; size], stations }
    }

    /// Fills the table with the product of its terms' factors, and returns the logarithm of what it was
    /// divided by.
    fn weigh(&mut self, parameters: &[f64]) -> f64 {
        self.cells.fill(1.0);
        let mut log_scale = 0.0;
        for Station { walks, terms } in &mut self.stations {
            log_scale += match terms {
                Terms::Here(placed) => {
                    walks.buffer.fill(0.0);
                    for Placed { first, positions } in placed.iter() {
                        for (sum, &position) in walks.buffer.iter_mut().zip(positions) {
                            *sum += parameters[first + position];
                        }
                    }
                    let largest = walks.buffer.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    walks.buffer.iter_mut().for_each(|sum| *sum = (*sum - largest).exp());
                    largest
                }
                Terms::Within { table, positions } => {
                    let log_scale = table.weigh(parameters);
                    for (&cell, &position) in table.cells.iter().zip(&*positions) {
                        walks.buffer[position] = cell;
                    }
                    log_scale
                }
            };
            walks.scale(&mut self.cells);
        }
        log_scale
    }

    /// Sums the table onto its terms.
    fn sum_onto_terms(&mut self, margins: &mut [f64]) {
        for Station { walks, terms } in &mut self.stations {
            walks.sum(&self.cells);
            match terms {
                Terms::Here(placed) => {
                    for Placed { first, positions } in placed {
                        for (&sum, &position) in walks.buffer.iter().zip(&*positions) {
                            margins[*first + position] += sum;
                        }
                    }
                }
                Terms::Within { table, positions } => {
                    for (cell, &position) in table.cells.iter_mut().zip(&*positions) {
                        *cell = walks.buffer[position];
                    }
                    table.sum_onto_terms(margins);
                }
            }
        }
    }
}

/// The variables of `set` in the order of the layout.
fn restricted(layout: &[usize], set: &[usize]) -> Vec<usize> {
    layout.iter().copied().filter(|variable| set.contains(variable)).collect()
}
