//! Levels in the order of their class shares along the first principal component.
//!
//! Let pₗ be the class shares of level l, nₗ its weight and p̄ the shares in the node. The levels are ordered by vᵀ(pₗ − p̄), where v is the
//! leading eigenvector of Σ nₗ (pₗ − p̄)(pₗ − p̄)ᵀ (Coppersmith, Hong & Hosking 1999). For two classes this is the order of the shares
//! of one, which holds the best split; for more classes it is a heuristic.

use super::search_classes::{ClassRun, Item};

/// Steps of power iteration at most; the order settles long before.
const STEPS: usize = 20;
/// Directions are whole numbers up to this, so that no sum depends on the order of its terms.
const ONE: f64 = (1 << 20) as f64;
/// A change of every coordinate by less than this share ends the iteration.
const SETTLED: f64 = 1e-4;

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// Where a class is among those met, plus one.
    position: Vec<u32>,
    met: Vec<u32>,
    /// The class weights in the node, and the direction, one for each class met.
    total: Vec<i64>,
    direction: Vec<i64>,
    /// Each level's coordinate.
    coordinates: Vec<f64>,
}

impl Direction {
    /// Writes the positions of `runs` into `order`, in the order of their coordinates; ties in the order of `runs`. The items of run i
    /// are `items_of(i)`; classes are below `classes`.
    pub fn order<'a>(
        &mut self,
        runs: &[ClassRun],
        items_of: impl Fn(usize) -> &'a [Item],
        classes: usize,
        order: &mut Vec<usize>,
    ) {
        self.position.resize(self.position.len().max(classes), 0);
        self.met.clear();
        self.total.clear();
        for run in 0..runs.len() {
            for item in items_of(run) {
                let position = &mut self.position[item.class as usize];
                if *position == 0 {
                    self.met.push(item.class);
                    self.total.push(0);
                    *position = self.met.len() as u32;
                }
                self.total[*position as usize - 1] += i64::from(item.weight);
            }
        }
        self.start(runs, &items_of);
        let mut previous: Vec<f64> = Vec::new();
        for _ in 0..STEPS {
            self.project(runs, &items_of);
            let largest = self.coordinates.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            if largest == 0.0 {
                break;
            }
            self.coordinates.iter_mut().for_each(|x| *x = (*x / largest * ONE).round());
            let change =
                previous.iter().zip(&self.coordinates).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            if !previous.is_empty() && change <= SETTLED * ONE {
                break;
            }
            previous.clone_from(&self.coordinates);
            self.direction.fill(0);
            for run in 0..runs.len() {
                let coordinate = self.coordinates[run] as i64;
                for item in items_of(run) {
                    let class = self.position[item.class as usize] as usize - 1;
                    self.direction[class] += coordinate * i64::from(item.weight);
                }
            }
            self.scale();
        }
        self.project(runs, &items_of);
        for class in self.met.drain(..) {
            self.position[class as usize] = 0;
        }
        order.clear();
        order.extend(0..runs.len());
        order.sort_by(|a, b| self.coordinates[*a].total_cmp(&self.coordinates[*b]));
    }

    /// Begins with the deviation of the level that deviates most, nₗ |pₗ − p̄|².
    fn start<'a>(&mut self, runs: &[ClassRun], items_of: &impl Fn(usize) -> &'a [Item]) {
        let weight: i64 = self.total.iter().sum();
        let norm: f64 = self.total.iter().map(|total| (*total as f64 / weight as f64).powi(2)).sum();
        let (mut most, mut chosen) = (-1.0, 0);
        let mut counts = vec![0i64; self.total.len()];
        for (run, of_run) in runs.iter().enumerate() {
            for item in items_of(run) {
                counts[self.position[item.class as usize] as usize - 1] += i64::from(item.weight);
            }
            // |p − p̄|² = Σ p² − 2 Σ p p̄ + Σ p̄², in whole numbers up to the last step; each class counted once.
            let (mut own, mut cross) = (0i128, 0i128);
            for item in items_of(run) {
                let class = self.position[item.class as usize] as usize - 1;
                let count = std::mem::take(&mut counts[class]);
                own += i128::from(count) * i128::from(count);
                cross += i128::from(count) * i128::from(self.total[class]);
            }
            let own_weight = f64::from(of_run.weight);
            let deviation = own as f64 / own_weight - 2.0 * cross as f64 / weight as f64 + norm * own_weight;
            if deviation > most {
                (most, chosen) = (deviation, run);
            }
        }
        // n c − nₗ t, a multiple of p − p̄.
        let own_weight = i64::from(runs[chosen].weight);
        self.direction.clear();
        self.direction.extend(self.total.iter().map(|total| -own_weight * total));
        for item in items_of(chosen) {
            self.direction[self.position[item.class as usize] as usize - 1] +=
                weight * i64::from(item.weight);
        }
        self.scale();
    }

    /// The direction in whole numbers up to [`ONE`].
    fn scale(&mut self) {
        let largest = self.direction.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0) as f64;
        if largest > 0.0 {
            self.direction.iter_mut().for_each(|x| *x = (*x as f64 / largest * ONE).round() as i64);
        }
    }

    /// Each level's coordinate along the direction.
    fn project<'a>(&mut self, runs: &[ClassRun], items_of: &impl Fn(usize) -> &'a [Item]) {
        let weight: i64 = self.total.iter().sum();
        let all: i64 = self.total.iter().zip(&self.direction).map(|(total, x)| total * x).sum();
        let mean = all as f64 / weight as f64;
        let (position, direction) = (&self.position, &self.direction);
        self.coordinates.clear();
        self.coordinates.extend(runs.iter().enumerate().map(|(run, of_run)| {
            let along =
                |item: &Item| direction[position[item.class as usize] as usize - 1] * i64::from(item.weight);
            items_of(run).iter().map(along).sum::<i64>() as f64 / f64::from(of_run.weight) - mean
        }));
    }
}
