//! Raking: the sweeps of iterative proportional fitting, on one table or on a tree of cliques.
//!
//! Raking a margin multiplies each cell of the table by target ÷ current sum of the margin cell it belongs to
//! (Deming & Stephan 1940). Repeated raking converges to the table with the wanted margins that is closest to
//! the start in Kullback–Leibler divergence: from a start that is uniform over the possible cells, the
//! log-linear model with one term per margin (Csiszár 1975).
//!
//! A table goes through its *stations* one after the other. Each station is a set of variables: the table is
//! summed onto it, something changes these sums, and the table is scaled by (after ÷ before). What changes
//! them is one of
//! - a margin: the sums become the target;
//! - a group: a smaller table on which several margins are raked (see `schedule`);
//! - a branch: the neighbouring clique of a junction tree, which receives the separator's sums, goes through
//!   its own stations, and hands its new sums back. So a sweep is one round trip through the tree, every
//!   clique holds the model's true margin whenever it is raked, and a decomposable model is exact after a
//!   single sweep (Jiroušek & Přeučil 1995; Teh & Welling 2003).

mod setup;

pub(crate) use setup::Potential;

use crate::model::FittedClique;
use crate::traversal::Traversal;

/// The tables of a junction tree on their way to a fit; the full table is a tree of one clique.
#[derive(Debug)]
pub(crate) struct Raking {
    /// Each after the clique that it hangs on.
    cliques: Vec<Table>,
    /// The clique that each hangs on.
    parents: Vec<Option<usize>>,
}

/// A table on its way through its stations.
#[derive(Debug)]
struct Table {
    /// Variables in the order in which the cells are laid out, the last fastest.
    layout: Vec<usize>,
    cells: Vec<f64>,
    stations: Vec<Station>,
    door: Door,
}

/// How a table is entered and left.
#[derive(Debug)]
enum Door {
    /// The first clique: the factor of its last station is still due when a sweep ends; the next sweep
    /// applies it.
    Ring,
    /// The table of a group: filled afresh at every visit; `exit` applies the last factor.
    Fresh { exit: Traversal },
    /// Another clique: entered through a separator by scaling with (its sums now ÷ the sums last `passed`),
    /// which is `factor`; `exit` sums onto it again. Cell `i` of the separator is cell `positions[i]` of the
    /// parent's station.
    Separator { exit: Traversal, passed: Vec<f64>, factor: Vec<f64>, positions: Vec<usize> },
}

/// A set of variables at which the table is changed.
#[derive(Debug)]
struct Station {
    /// Applies the factor of the station before and sums onto this one.
    arrival: Traversal,
    sums: Vec<f64>,
    factor: Vec<f64>,
    change: Change,
}

/// What changes the sums of a station.
#[derive(Debug)]
enum Change {
    /// They become the target.
    Margin { target: usize, wanted: Vec<f64>, before: Vec<f64> },
    /// They go through a smaller table, whose cell `i` is the station's cell `positions[i]`.
    Group { table: Table, positions: Vec<usize> },
    /// They go through another clique.
    Branch { clique: usize },
}

/// What a sweep does at a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// Rake it.
    Rake,
    /// Only look, so that every margin is seen at the same table.
    Measure,
}

/// What one sweep has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// The largest |sum − target| met, each margin just before it was raked.
    pub(crate) deviation: f64,
    /// The largest change of a margin's sums since they were last raked.
    pub(crate) movement: f64,
}

/// A target is positive where the table has no cell above zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Starved {
    /// The number of the target.
    pub(crate) target: usize,
}

impl Raking {
    /// One sweep over all margins: a round trip through the tree.
    pub(crate) fn sweep(&mut self, sweep: Sweep) -> Result<Seen, Starved> {
        let mut seen = Seen::default();
        let mut path = vec![(0, 0)]; // cliques on the way, and the station where each goes on
        while let Some((clique, from)) = path.pop() {
            match self.cliques[clique].visit_stations(from, sweep, &mut seen)? {
                Some((at, child)) => {
                    let (earlier, later) = self.cliques.split_at_mut(child);
                    later[0].enter(&earlier[clique].stations[at].sums);
                    path.extend([(clique, at + 1), (child, 0)]);
                }
                None => {
                    if let Some(&(parent, next)) = path.last() {
                        let (earlier, later) = self.cliques.split_at_mut(clique);
                        later[0].leave(&mut earlier[parent].stations[next - 1], sweep);
                    }
                }
            }
        }
        Ok(seen)
    }

    /// The cliques, each after the one that it hangs on. They belong to one and the same fit only after a
    /// [`Sweep::Measure`], which leaves no factor due.
    pub(crate) fn into_cliques(self) -> Vec<FittedClique> {
        let fitted =
            |(table, parent): (Table, _)| FittedClique { parent, layout: table.layout, cells: table.cells };
        self.cliques.into_iter().zip(self.parents).map(fitted).collect()
    }
}

impl Table {
    /// Goes through the stations as far as the next branch, and says which station that is and which clique
    /// comes now.
    fn visit_stations(
        &mut self,
        from: usize,
        sweep: Sweep,
        seen: &mut Seen,
    ) -> Result<Option<(usize, usize)>, Starved> {
        let Self { cells, stations, door, .. } = self;
        for at in from..stations.len() {
            let (earlier, rest) = stations.split_at_mut(at);
            let Some((Station { arrival, sums, factor, change }, later)) = rest.split_first_mut() else {
                break;
            };
            let due: &[f64] = match (earlier.last(), &door) {
                (Some(before), _) => &before.factor,
                (None, Door::Ring) => later.last().map_or(factor, |last| &last.factor),
                (None, Door::Fresh { .. }) => &[1.0],
                (None, Door::Separator { factor, .. }) => factor,
            };
            arrival.scale_and_sum(cells, due, sums);
            match change {
                Change::Margin { target, wanted, before } => {
                    seen.deviation = seen.deviation.max(furthest(sums, wanted));
                    rake(sums, wanted, factor).map_err(|()| Starved { target: *target })?;
                    match sweep {
                        Sweep::Measure => factor.fill(1.0),
                        Sweep::Rake => {
                            seen.movement = seen.movement.max(furthest(sums, before));
                            before.copy_from_slice(sums);
                        }
                    }
                }
                Change::Group { table, positions } => {
                    table.pass_through(sums, positions, sweep, seen)?;
                    answer(sums, &table.cells, positions, sweep, factor);
                }
                Change::Branch { clique } => return Ok(Some((at, *clique))),
            }
        }
        Ok(None)
    }

    /// Fills the table of a group and goes through its stations.
    fn pass_through(
        &mut self,
        sums: &[f64],
        positions: &[usize],
        sweep: Sweep,
        seen: &mut Seen,
    ) -> Result<(), Starved> {
        for (cell, &position) in self.cells.iter_mut().zip(positions) {
            *cell = sums[position];
        }
        self.visit_stations(0, sweep, seen)?;
        if let (Door::Fresh { exit }, Some(last)) = (&self.door, self.stations.last()) {
            exit.scale_and_sum(&mut self.cells, &last.factor, &mut [0.0]);
        }
        Ok(())
    }

    /// Takes in the sums of the separator.
    fn enter(&mut self, sums: &[f64]) {
        if let Door::Separator { passed, factor, positions, .. } = &mut self.door {
            for ((factor, &passed), &position) in factor.iter_mut().zip(&*passed).zip(&*positions) {
                *factor = ratio(sums[position], passed);
            }
        }
    }

    /// Passes its new sums to the separator.
    fn leave(&mut self, station: &mut Station, sweep: Sweep) {
        if let Door::Separator { exit, passed, factor, positions } = &mut self.door {
            let due = self.stations.last().map_or(&*factor, |last| &last.factor);
            exit.scale_and_sum(&mut self.cells, due, passed);
            answer(&station.sums, passed, positions, sweep, &mut station.factor);
        }
    }
}

/// The factor of a station: after ÷ before.
fn answer(before: &[f64], after: &[f64], positions: &[usize], sweep: Sweep, factor: &mut [f64]) {
    match sweep {
        Sweep::Measure => factor.fill(1.0),
        Sweep::Rake => {
            for (&after, &position) in after.iter().zip(positions) {
                factor[position] = ratio(after, before[position]);
            }
        }
    }
}

/// Where nothing was, nothing comes.
fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { 0.0 }
}

fn furthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn rake(sums: &[f64], wanted: &[f64], factor: &mut [f64]) -> Result<(), ()> {
    for ((&sum, &wanted), factor) in sums.iter().zip(wanted).zip(factor) {
        *factor = if wanted > 0.0 { wanted / sum } else { 0.0 };
        if !(factor.is_finite() && sum.is_finite()) {
            return Err(()); // a sum of 0, or one so small that numbers break on it
        }
    }
    Ok(())
}
