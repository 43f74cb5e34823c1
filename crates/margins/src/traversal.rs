//! A traversal: one walk over a dense table that scales it by the factor of one margin and sums it onto
//! another.
//!
//! Iterative proportional fitting alternates two walks, "sum the table onto a margin" and "scale the table by
//! target ÷ sum". Scaling for one margin and summing for the next touch the same cells, so a traversal does
//! both at once: a margin update costs one walk over the table, and memory traffic halves.
//!
//! No index is computed per cell. Neighbouring axes with the same role (scaled or not, summed or not) are
//! merged, the innermost merged axis becomes a contiguous *run* on which the factor and the sums are each
//! either one number or a slice, and the start of every run inside a *tile* is looked up in a small table
//! shared by all tiles.
//!
//! The result is the same bit for bit on any number of threads: the table is cut into *strips* that depend on
//! its dimensions alone, each strip is summed in one fixed order, and the strips are added in order.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::attributes::cells;

/// Tables below this size are walked by one thread: handing out work costs more than it saves.
const PARALLEL_CELLS: usize = 1 << 18;
/// At most this many strips per table, which bounds both the parallelism and the memory for partial sums.
const STRIPS: usize = 64;
/// A tile holds about this many cells, so that its table of runs stays in the first-level cache.
const TILE_CELLS: usize = 4096;
/// A tile this short spends its time on the look-up, so it may take in one long axis more.
const SHORT_TILE: usize = 64;
/// Beyond this a table of runs would be slower than the look-up.
const LONGEST_TILE: usize = 1 << 20;
/// Independent partial sums of a run; fixed, so that the order of additions never depends on the machine.
const LANES: usize = 8;

/// How to walk a table of given dimensions for one pair of margins, worked out once and used every sweep.
#[derive(Clone, Debug)]
pub(crate) struct Traversal {
    run: usize,
    factor_runs: bool,
    sums_run: bool,
    tile: Vec<RunStart>,
    outer: Vec<Axis>,
    strips: Vec<Strip>,
}

/// Where a run begins in the factor and in the sums, relative to its tile.
#[derive(Clone, Copy, Debug)]
struct RunStart {
    factor: usize,
    sums: usize,
}

/// Neighbouring variables with the same role, as one axis; a stride of 0 means that the margin does not see
/// it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    classes: usize,
    factor: usize,
    sums: usize,
}

/// Consecutive tiles, and the range of sums that they touch.
#[derive(Clone, Debug)]
struct Strip {
    tiles: Range<usize>,
    sums: Range<usize>,
}

impl Traversal {
    /// Plans the walk over a row-major table of this `shape`: axis `i` indexes the factor if `factor[i]` and the
    /// sums if `sums[i]`, both of them row-major over their own axes.
    pub(crate) fn new(shape: &[usize], factor: &[bool], sums: &[bool]) -> Self {
        let mut axes = merged_axes(shape, factor, sums);
        let inner = axes.pop().unwrap_or(Axis { classes: 1, factor: 0, sums: 0 });
        let run = inner.classes;
        let mut tile = vec![RunStart { factor: 0, sums: 0 }];
        let fits = |axis: &Axis, cells: usize| {
            axis.classes * cells <= TILE_CELLS || (cells < SHORT_TILE && axis.classes * cells <= LONGEST_TILE)
        };
        while let Some(axis) = axes.pop_if(|axis| fits(axis, tile.len() * run)) {
            tile = (0..axis.classes)
                .flat_map(|class| {
                    let (factor, sums) = (class * axis.factor, class * axis.sums);
                    tile.iter().map(move |at| RunStart { factor: at.factor + factor, sums: at.sums + sums })
                })
                .collect();
        }
        let mut traversal = Self {
            run,
            factor_runs: inner.factor > 0,
            sums_run: inner.sums > 0,
            tile,
            outer: axes,
            strips: Vec::new(),
        };
        traversal.strips = traversal.cut(shape.iter().product());
        traversal
    }

    /// Plans a walk that only sums.
    pub(crate) fn summing(shape: &[usize], sums: &[bool]) -> Self {
        Self::new(shape, &vec![false; shape.len()], sums)
    }

    /// Multiplies every cell by its entry of `factor` and overwrites `sums` with the sums of the scaled
    /// cells.
    pub(crate) fn scale_and_sum(&self, cells: &mut [f64], factor: &[f64], sums: &mut [f64]) {
        match (self.factor_runs, self.sums_run) {
            (true, true) => self.scale_and_sum_as::<true, true>(cells, factor, sums),
            (true, false) => self.scale_and_sum_as::<true, false>(cells, factor, sums),
            (false, true) => self.scale_and_sum_as::<false, true>(cells, factor, sums),
            (false, false) => self.scale_and_sum_as::<false, false>(cells, factor, sums),
        }
    }

    /// Overwrites `sums` with the sums of the cells as they are.
    pub(crate) fn sum(&self, cells: &[f64], sums: &mut [f64]) {
        if let [strip] = self.strips.as_slice() {
            sums.fill(0.0);
            return self.sum_strip(strip, cells, &mut sums[strip.sums.clone()]);
        }
        let partial = self
            .strips
            .par_iter()
            .map(|strip| {
                let mut partial = vec![0.0; strip.sums.len()];
                self.sum_strip(strip, &cells[self.cells_of(strip)], &mut partial);
                partial
            })
            .collect();
        self.add_up(partial, sums);
    }

    fn scale_and_sum_as<const FACTOR_RUNS: bool, const SUMS_RUN: bool>(
        &self,
        cells: &mut [f64],
        factor: &[f64],
        sums: &mut [f64],
    ) {
        if let [strip] = self.strips.as_slice() {
            sums.fill(0.0);
            let sums = &mut sums[strip.sums.clone()];
            return self.scale_and_sum_strip::<FACTOR_RUNS, SUMS_RUN>(strip, cells, factor, sums);
        }
        let mut rest = cells;
        let mut shares = Vec::with_capacity(self.strips.len());
        for strip in &self.strips {
            let (share, later) = rest.split_at_mut(self.cells_of(strip).len());
            shares.push((strip, share));
            rest = later;
        }
        let partial = shares
            .into_par_iter()
            .map(|(strip, cells)| {
                let mut partial = vec![0.0; strip.sums.len()];
                self.scale_and_sum_strip::<FACTOR_RUNS, SUMS_RUN>(strip, cells, factor, &mut partial);
                partial
            })
            .collect();
        self.add_up(partial, sums);
    }

    fn scale_and_sum_strip<const FACTOR_RUNS: bool, const SUMS_RUN: bool>(
        &self,
        strip: &Strip,
        cells: &mut [f64],
        factor: &[f64],
        sums: &mut [f64],
    ) {
        let run = self.run;
        for (tile, cells) in strip.tiles.clone().zip(cells.chunks_exact_mut(self.tile.len() * run)) {
            let base = self.base(tile);
            let base_sums = base.sums - strip.sums.start;
            for (cells, at) in cells.chunks_exact_mut(run).zip(&self.tile) {
                let (at_factor, at_sums) = (base.factor + at.factor, base_sums + at.sums);
                match (FACTOR_RUNS, SUMS_RUN) {
                    (true, true) => {
                        let factor = &factor[at_factor..at_factor + run];
                        for ((cell, factor), sum) in
                            cells.iter_mut().zip(factor).zip(&mut sums[at_sums..at_sums + run])
                        {
                            *cell *= factor;
                            *sum += *cell;
                        }
                    }
                    (false, true) => {
                        let factor = factor[at_factor];
                        for (cell, sum) in cells.iter_mut().zip(&mut sums[at_sums..at_sums + run]) {
                            *cell *= factor;
                            *sum += *cell;
                        }
                    }
                    (true, false) => {
                        sums[at_sums] += scaled_total(cells, &factor[at_factor..at_factor + run]);
                    }
                    (false, false) => sums[at_sums] += rescaled_total(cells, factor[at_factor]),
                }
            }
        }
    }

    fn sum_strip(&self, strip: &Strip, cells: &[f64], sums: &mut [f64]) {
        let run = self.run;
        for (tile, cells) in strip.tiles.clone().zip(cells.chunks_exact(self.tile.len() * run)) {
            let base_sums = self.base(tile).sums - strip.sums.start;
            for (cells, at) in cells.chunks_exact(run).zip(&self.tile) {
                let at_sums = base_sums + at.sums;
                if self.sums_run {
                    for (cell, sum) in cells.iter().zip(&mut sums[at_sums..at_sums + run]) {
                        *sum += cell;
                    }
                } else {
                    sums[at_sums] += total(cells);
                }
            }
        }
    }

    /// Adds the partial sums of the strips, in the order of the strips for every cell.
    fn add_up(&self, partial: Vec<Vec<f64>>, sums: &mut [f64]) {
        const SHARE: usize = 8192;
        sums.par_chunks_mut(SHARE).enumerate().for_each(|(share, sums)| {
            sums.fill(0.0);
            let mine = share * SHARE..share * SHARE + sums.len();
            for (strip, partial) in self.strips.iter().zip(&partial) {
                let (start, end) = (strip.sums.start.max(mine.start), strip.sums.end.min(mine.end));
                if start < end {
                    let theirs = &partial[start - strip.sums.start..end - strip.sums.start];
                    for (sum, partial) in sums[start - mine.start..end - mine.start].iter_mut().zip(theirs) {
                        *sum += partial;
                    }
                }
            }
        });
    }

    /// Where a tile begins in the factor and in the sums.
    fn base(&self, tile: usize) -> RunStart {
        let mut left = tile;
        let mut base = RunStart { factor: 0, sums: 0 };
        for axis in self.outer.iter().rev() {
            let class = left % axis.classes;
            left /= axis.classes;
            base.factor += class * axis.factor;
            base.sums += class * axis.sums;
        }
        base
    }

    fn cells_of(&self, strip: &Strip) -> Range<usize> {
        let tile = self.tile.len() * self.run;
        strip.tiles.start * tile..strip.tiles.end * tile
    }

    /// Cuts the table into strips: a function of its dimensions, never of the number of threads. There are few enough
    /// of them that their partial sums take at most a quarter of the table's memory.
    fn cut(&self, cells: usize) -> Vec<Strip> {
        let tiles = cells / (self.tile.len() * self.run);
        let mut wanted = if cells < PARALLEL_CELLS { 1 } else { STRIPS.min(tiles) };
        loop {
            let strips = self.strips_of(tiles, tiles.div_ceil(wanted.max(1)).max(1));
            let partial: usize = strips.iter().map(|strip| strip.sums.len()).sum();
            if wanted <= 1 || partial <= cells / 4 {
                return strips;
            }
            wanted /= 2;
        }
    }

    fn strips_of(&self, tiles: usize, a_strip: usize) -> Vec<Strip> {
        let furthest_run = self.tile.iter().map(|at| at.sums).max().unwrap_or(0);
        let tile_sums = furthest_run + if self.sums_run { self.run } else { 1 };
        (0..tiles)
            .step_by(a_strip)
            .map(|start| {
                let tiles = start..(start + a_strip).min(tiles);
                let bases = tiles.clone().map(|tile| self.base(tile).sums);
                let first = bases.clone().min().unwrap_or(0);
                let last = bases.max().unwrap_or(0);
                Strip { tiles, sums: first..last + tile_sums }
            })
            .collect()
    }
}

/// The margin over some of a table's variables: `counts` is row-major over `attributes`, the result over
/// `onto`, both in the same order.
pub(crate) fn summed(sizes: &[usize], attributes: &[usize], counts: &[f64], onto: &[usize]) -> Vec<f64> {
    let shape: Vec<usize> = attributes.iter().map(|&variable| sizes[variable]).collect();
    let kept: Vec<bool> = attributes.iter().map(|variable| onto.contains(variable)).collect();
    let mut sums = vec![0.0; onto.iter().map(|&variable| sizes[variable]).product()];
    Traversal::summing(&shape, &kept).sum(counts, &mut sums);
    sums
}

/// Orders the variables of a table so that those on which the same `sets` depend are neighbours, the largest such
/// group last: it becomes the contiguous run of every traversal.
pub(crate) fn layout(sizes: &[usize], attributes: &[usize], sets: &[&[usize]]) -> Vec<usize> {
    let mut groups: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for &variable in attributes {
        let role = sets.iter().map(|set| set.contains(&variable)).collect();
        groups.entry(role).or_default().push(variable);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| (cells(sizes, group), group.first().copied()));
    groups.concat()
}

/// Axes of a row-major table, neighbours of one role merged; variables of a single class drop out.
fn merged_axes(shape: &[usize], factor: &[bool], sums: &[bool]) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new(); // innermost first while it is built
    let (mut factor_stride, mut sums_stride) = (1, 1);
    for i in (0..shape.len()).rev().filter(|&i| shape[i] != 1) {
        let axis = Axis {
            classes: shape[i],
            factor: if factor[i] { factor_stride } else { 0 },
            sums: if sums[i] { sums_stride } else { 0 },
        };
        factor_stride *= if factor[i] { shape[i] } else { 1 };
        sums_stride *= if sums[i] { shape[i] } else { 1 };
        match axes.last_mut() {
            Some(inner) if (inner.factor > 0) == factor[i] && (inner.sums > 0) == sums[i] => {
                inner.classes *= axis.classes;
            }
            _ => axes.push(axis),
        }
    }
    axes.reverse();
    axes
}

fn scaled_total(cells: &mut [f64], factor: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut cells = cells.chunks_exact_mut(LANES);
    let mut factor = factor.chunks_exact(LANES);
    for (cells, factor) in (&mut cells).zip(&mut factor) {
        for lane in 0..LANES {
            cells[lane] *= factor[lane];
            lanes[lane] += cells[lane];
        }
    }
    let mut rest = 0.0;
    for (cell, factor) in cells.into_remainder().iter_mut().zip(factor.remainder()) {
        *cell *= factor;
        rest += *cell;
    }
    fold(lanes) + rest
}

fn rescaled_total(cells: &mut [f64], factor: f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut cells = cells.chunks_exact_mut(LANES);
    for cells in &mut cells {
        for lane in 0..LANES {
            cells[lane] *= factor;
            lanes[lane] += cells[lane];
        }
    }
    let mut rest = 0.0;
    for cell in cells.into_remainder() {
        *cell *= factor;
        rest += *cell;
    }
    fold(lanes) + rest
}

/// The sum of some cells, in an order that depends on their number alone.
pub(crate) fn total(cells: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut cells = cells.chunks_exact(LANES);
    for cells in &mut cells {
        for lane in 0..LANES {
            lanes[lane] += cells[lane];
        }
    }
    fold(lanes) + cells.remainder().iter().sum::<f64>()
}

fn fold(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Scale, then sum, one cell at a time.
    fn slowly(shape: &[usize], holds: [&[bool]; 2], cells: &mut [f64], factor: &[f64], sums: &mut [f64]) {
        sums.fill(0.0);
        for (cell, count) in cells.iter_mut().enumerate() {
            let at = holds.map(|holds| {
                let mut left = cell;
                let (mut at, mut stride) = (0, 1);
                for (&classes, &holds) in shape.iter().zip(holds).rev() {
                    at += if holds { (left % classes) * stride } else { 0 };
                    stride *= if holds { classes } else { 1 };
                    left /= classes;
                }
                at
            });
            *count *= factor[at[0]];
            sums[at[1]] += *count;
        }
    }

    fn size(shape: &[usize], holds: &[bool]) -> usize {
        shape.iter().zip(holds).filter(|(_, holds)| **holds).map(|(classes, _)| classes).product()
    }

    /// Numbers without pattern in (0, 1].
    fn noise(size: usize) -> Vec<f64> {
        (0..size).map(|i| ((i * 7919 + 13) % 1009 + 1) as f64 / 1009.0).collect()
    }

    fn check(shape: &[usize], factor_holds: &[bool], sums_hold: &[bool]) {
        let factor = noise(size(shape, factor_holds));
        let mut cells = noise(shape.iter().product());
        let mut expected_cells = cells.clone();
        let mut sums = vec![f64::NAN; size(shape, sums_hold)];
        let mut expected = sums.clone();
        slowly(shape, [factor_holds, sums_hold], &mut expected_cells, &factor, &mut expected);
        Traversal::new(shape, factor_holds, sums_hold).scale_and_sum(&mut cells, &factor, &mut sums);
        assert_eq!(cells, expected_cells);
        let close = |sums: &[f64]| sums.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-11 * b);
        assert!(close(&sums), "{shape:?} {factor_holds:?} {sums_hold:?}");
        sums.fill(f64::NAN);
        Traversal::summing(shape, sums_hold).sum(&cells, &mut sums);
        assert!(close(&sums), "{shape:?} {sums_hold:?}");
    }

    proptest! {
        #[test]
        fn any_traversal_does_what_the_definition_says(
            axes in prop::collection::vec((1_usize..6, any::<bool>(), any::<bool>()), 0..6)
        ) {
            let shape: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
            let factor: Vec<bool> = axes.iter().map(|axis| axis.1).collect();
            let sums: Vec<bool> = axes.iter().map(|axis| axis.2).collect();
            check(&shape, &factor, &sums);
        }
    }

    #[test]
    fn large_tables_are_cut_into_strips_with_the_same_result() {
        let shape = [7, 2, 41, 13, 50];
        for (factor, sums) in [
            ([true, false, true, false, true], [false, true, true, true, false]),
            ([false, false, true, false, false], [false, false, false, false, true]),
            ([true; 5], [false; 5]),
            ([false; 5], [true; 5]),
        ] {
            assert!(
                Traversal::new(&shape, &factor, &sums).strips.len() > 1 || factor == sums.map(|holds| !holds)
            );
            check(&shape, &factor, &sums);
        }
    }

    #[test]
    fn partial_sums_never_take_much_memory() {
        let shape = [3, 4, 300, 200];
        for sums in [[false, true, true, true], [true, false, true, true], [false, false, true, true]] {
            let traversal = Traversal::summing(&shape, &sums);
            let partial: usize = traversal.strips.iter().map(|strip| strip.sums.len()).sum();
            assert!(traversal.strips.len() == 1 || partial <= 720_000 / 4);
            check(&shape, &[false; 4], &sums);
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let shape = [64, 3, 32, 64];
        let (factor, sums) = ([true, true, false, true], [false, true, true, true]);
        let traversal = Traversal::new(&shape, &factor, &sums);
        let results: Vec<(Vec<f64>, Vec<f64>)> = [1, 2, 4]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut cells = noise(shape.iter().product());
                let mut summed = vec![0.0; size(&shape, &sums)];
                pool.install(|| {
                    traversal.scale_and_sum(&mut cells, &noise(size(&shape, &factor)), &mut summed)
                });
                (cells, summed)
            })
            .collect();
        assert!(results.iter().all(|result| result == &results[0]));
    }
}
