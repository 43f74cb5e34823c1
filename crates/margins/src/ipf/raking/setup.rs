//! Setting up: the tables of a junction tree before the first sweep, a product of factors that each lie within
//! a clique.

use std::borrow::Cow;

use super::{Change, Door, Raking, Station, Table};
use crate::attributes::{cells, for_each_position, intersection, positions};
use crate::ipf::options::Order;
use crate::ipf::target::{Impossible, Problem};
use crate::junction_tree::JunctionTree;
use crate::schedule::{Stop, schedule};
use crate::traversal::{Traversal, layout, total};

/// A factor of the table before the first sweep. Where no factor speaks, that table is uniform.
#[derive(Debug)]
pub(crate) enum Potential<'a> {
    /// 0 where a cell is impossible, else 1.
    Possible(&'a Impossible),
    /// A non-negative function of `attributes` (ascending), row-major.
    Weights { attributes: &'a [usize], weights: Cow<'a, [f64]> },
}

impl Potential<'_> {
    fn attributes(&self) -> &[usize] {
        match self {
            Self::Possible(rule) => &rule.attributes,
            Self::Weights { attributes, .. } => attributes,
        }
    }
}

impl Raking {
    /// The tables of a junction tree whose cliques hold every target and every factor of the `start`; nothing
    /// if the start is zero everywhere.
    pub(crate) fn new(
        problem: &Problem<'_>,
        tree: &JunctionTree,
        start: &[Potential<'_>],
        order: Order,
    ) -> Option<Self> {
        let places = tree.visits_from_root();
        let count = places.len();
        let mut place_of = vec![0; count];
        for (place, (clique, _)) in places.iter().enumerate() {
            place_of[*clique] = place;
        }
        let place_of_host = |attributes: &[usize]| tree.host(attributes).map_or(0, |clique| place_of[clique]);
        let mut margins = vec![Vec::new(); count];
        for (number, target) in problem.targets.iter().enumerate() {
            margins[place_of_host(&target.attributes)].push((number, target.attributes.as_slice()));
        }
        let mut potentials = vec![Vec::new(); count];
        for potential in start {
            potentials[place_of_host(potential.attributes())].push(potential);
        }
        let attributes: Vec<&[usize]> =
            places.iter().map(|(clique, _)| tree.cliques()[*clique].as_slice()).collect();
        let parents: Vec<Option<usize>> = places.iter().map(|(_, parent)| *parent).collect();
        let separator =
            |place: usize| parents[place].map(|parent| intersection(attributes[place], attributes[parent]));

        // Children before parents, so that a clique receives the start of all that hangs on it (the
        // collecting half of Lauritzen & Spiegelhalter 1988). The first sweep brings the other half.
        let mut cliques: Vec<Option<Table>> = (0..count).map(|_| None).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for place in (0..count).rev() {
            let mut stops =
                stops(problem, &schedule(problem.sizes, attributes[place], &margins[place], order));
            for &child in children[place].iter().rev() {
                stops.push((separator(child).unwrap_or_default(), Making::Branch(child)));
            }
            let separator = separator(place);
            let entrance = separator.as_deref().map_or(Entrance::Ring, Entrance::Separator);
            let mut table = table(problem, attributes[place], stops, entrance);
            table.cells.fill(1.0);
            for potential in &potentials[place] {
                table.weigh(potential, problem.sizes);
            }
            for &child in &children[place] {
                if let Some(child) = &mut cliques[child] {
                    table.hear(child, problem.sizes);
                }
            }
            let total = total(&table.cells);
            if total <= 0.0 {
                return None;
            }
            // Branches are scaled to a total of 1, so that no number of variables overflows.
            let wanted = if let Some(parent) = parents[place] {
                children[parent].push(place);
                1.0
            } else {
                problem.total
            };
            table.cells.iter_mut().for_each(|cell| *cell *= wanted / total);
            cliques[place] = Some(table);
        }
        Some(Self { cliques: cliques.into_iter().flatten().collect(), parents })
    }
}

impl Table {
    /// Multiplies in a factor of the start.
    fn weigh(&mut self, potential: &Potential<'_>, sizes: &[usize]) {
        let Self { layout, cells, .. } = self;
        match potential {
            Potential::Possible(rule) => {
                for_each_position(sizes, layout, &rule.attributes, |cell, position| {
                    if rule.cells.contains(position) {
                        cells[cell] = 0.0;
                    }
                })
            }
            Potential::Weights { attributes, weights } => {
                for_each_position(sizes, layout, attributes, |cell, position| {
                    cells[cell] *= weights[position]
                });
            }
        }
    }

    /// Multiplies in what a child knows of the separator, and learns where the child's cells of it are.
    fn hear(&mut self, child: &mut Table, sizes: &[usize]) {
        let Door::Separator { passed, positions: places, .. } = &mut child.door else { return };
        let inner: Vec<usize> = child.layout.iter().copied().filter(|v| self.layout.contains(v)).collect();
        let outer: Vec<usize> = self.layout.iter().copied().filter(|v| inner.contains(v)).collect();
        *places = positions(sizes, &inner, &outer);
        let shape =
            |layout: &[usize]| -> Vec<usize> { layout.iter().map(|&variable| sizes[variable]).collect() };
        let holds = |layout: &[usize]| -> Vec<bool> {
            layout.iter().map(|variable| inner.contains(variable)).collect()
        };
        Traversal::summing(&shape(&child.layout), &holds(&child.layout)).sum(&child.cells, passed);
        let mut factor = vec![0.0; passed.len()];
        for (&passed, &place) in passed.iter().zip(&*places) {
            factor[place] = passed;
        }
        let nowhere = vec![false; self.layout.len()];
        let scaling = Traversal::new(&shape(&self.layout), &holds(&self.layout), &nowhere);
        scaling.scale_and_sum(&mut self.cells, &factor, &mut [0.0]);
    }
}

/// A station in the making.
enum Making {
    Margin(usize),
    Group(Box<Table>),
    Branch(usize),
}

/// How a table in the making is entered.
enum Entrance<'a> {
    Ring,
    Fresh,
    Separator(&'a [usize]),
}

fn stops(problem: &Problem<'_>, scheduled: &[Stop]) -> Vec<(Vec<usize>, Making)> {
    scheduled
        .iter()
        .map(|stop| match stop {
            Stop::Margin(number) => (problem.targets[*number].attributes.clone(), Making::Margin(*number)),
            Stop::Group { attributes, stops: inner } => {
                let table = table(problem, attributes, stops(problem, inner), Entrance::Fresh);
                (attributes.clone(), Making::Group(Box::new(table)))
            }
        })
        .collect()
}

/// A table over `attributes` with these stations; its cells are not yet filled.
fn table(
    problem: &Problem<'_>,
    attributes: &[usize],
    stops: Vec<(Vec<usize>, Making)>,
    entrance: Entrance<'_>,
) -> Table {
    let sizes = problem.sizes;
    let separator = match entrance {
        Entrance::Separator(separator) => separator,
        Entrance::Ring | Entrance::Fresh => &[],
    };
    let sets: Vec<&[usize]> = stops.iter().map(|(set, _)| set.as_slice()).chain([separator]).collect();
    let layout = layout(sizes, attributes, &sets);
    let shape: Vec<usize> = layout.iter().map(|&variable| sizes[variable]).collect();
    let holds =
        |set: &[usize]| -> Vec<bool> { layout.iter().map(|variable| set.contains(variable)).collect() };
    let last = stops.last().map_or(separator, |(set, _)| set).to_vec();
    let door = match entrance {
        Entrance::Ring => Door::Ring,
        Entrance::Fresh => Door::Fresh { exit: Traversal::new(&shape, &holds(&last), &holds(&[])) },
        Entrance::Separator(separator) => {
            let exit = Traversal::new(&shape, &holds(&last), &holds(separator));
            let size = cells(sizes, separator) as usize;
            Door::Separator { exit, passed: vec![0.0; size], factor: vec![1.0; size], positions: Vec::new() }
        }
    };
    let mut before = if matches!(entrance, Entrance::Ring) { last } else { separator.to_vec() };
    let mut stations = Vec::with_capacity(stops.len());
    for (set, making) in stops {
        let arrival = Traversal::new(&shape, &holds(&before), &holds(&set));
        let order: Vec<usize> = layout.iter().copied().filter(|variable| set.contains(variable)).collect();
        let size = cells(sizes, &set) as usize;
        let change = match making {
            Making::Margin(number) => {
                let target = &problem.targets[number];
                let positions = positions(sizes, &order, &target.attributes);
                let wanted = positions.into_iter().map(|position| target.counts[position]).collect();
                Change::Margin { target: number, wanted, before: vec![0.0; size] }
            }
            Making::Group(table) => {
                let positions = positions(sizes, &table.layout, &order);
                Change::Group { table: *table, positions }
            }
            Making::Branch(clique) => Change::Branch { clique },
        };
        stations.push(Station { arrival, sums: vec![0.0; size], factor: vec![1.0; size], change });
        before = set;
    }
    Table { cells: vec![0.0; shape.iter().product()], layout, stations, door }
}
