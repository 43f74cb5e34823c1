//! The nearest records by Gower's distance, exactly: every pair is looked at, block by block and in parallel.

use rayon::prelude::*;

use crate::mixed_records::MixedFile;

/// Records that are compared with a query at a time.
const BLOCK: usize = 512;

/// Queries that share a block while it is near at hand.
const QUERIES: usize = 16;

/// The record that is nearest to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Its position; where several are equally near, one of them at random.
    pub record: u32,
    /// The sum over variables of how far apart they are.
    pub distance: f32,
    /// The same of the second nearest; infinite if there is none.
    pub second: f32,
    /// How many are equally near.
    ties: u32,
}

impl Nearest {
    fn none() -> Self {
        Self { record: 0, distance: f32::INFINITY, second: f32::INFINITY, ties: 0 }
    }

    /// Takes note of the records of a block, whose distances are given.
    fn look_at(&mut self, distances: &[f32], first: usize, seed: u64, query: usize) {
        let mut lanes = [f32::INFINITY; 8];
        let chunks = distances.chunks_exact(8);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, distance) in lanes.iter_mut().zip(chunk) {
                *lane = if *distance < *lane { *distance } else { *lane };
            }
        }
        let least = lanes.iter().chain(rest).copied().fold(f32::INFINITY, f32::min);
        if least > self.second || (least == self.second && self.second > self.distance) {
            return;
        }
        for (row, distance) in (first..).zip(distances) {
            if *distance < self.distance {
                self.second = self.distance;
                (self.distance, self.record, self.ties) = (*distance, row as u32, 1);
            } else if *distance == self.distance {
                self.second = *distance;
                self.ties += 1;
                // Each of the ties stays with the same probability.
                let draw = mixed(seed ^ mixed(((query as u64) << 32) | row as u64));
                if (u128::from(draw) * u128::from(self.ties)) >> 64 == 0 {
                    self.record = row as u32;
                }
            } else if *distance < self.second {
                self.second = *distance;
            }
        }
    }
}

/// SplitMix64's mixing of bits (Steele, Lea & Flood 2014): a random number from a position.
fn mixed(position: u64) -> u64 {
    let mut bits = position.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// How far each record of a block is from a query in one variable is added to the sums.
fn add(sums: &mut [f32], places: &[f32], query: f32) {
    for (sum, place) in sums.iter_mut().zip(places) {
        let apart = (place - query).abs();
        *sum += if apart < 1.0 { apart } else { 1.0 };
    }
}

/// The record of `among` that is nearest to each query in these variables; none if `among` is empty.
pub(crate) fn nearest(
    queries: &MixedFile,
    among: &MixedFile,
    variables: &[usize],
    seed: u64,
) -> Vec<Nearest> {
    let mut found = vec![Nearest::none(); queries.records];
    found.par_chunks_mut(QUERIES).enumerate().for_each(|(chunk, found)| {
        let mut sums = [0_f32; BLOCK];
        for first in (0..among.records).step_by(BLOCK) {
            let rows = first..among.records.min(first + BLOCK);
            for (query, nearest) in (chunk * QUERIES..).zip(found.iter_mut()) {
                let sums = &mut sums[..rows.len()];
                sums.fill(0.0);
                for variable in variables {
                    let places = &among.places[*variable][rows.clone()];
                    add(sums, places, queries.places[*variable][query]);
                }
                nearest.look_at(sums, first, seed, query);
            }
        }
    });
    found
}

/// For each variable the record of `among` that is nearest to each query in all variables but that one.
pub(crate) fn nearest_without_each(queries: &MixedFile, among: &MixedFile, seed: u64) -> Vec<Vec<Nearest>> {
    let variables = among.places.len();
    let mut found = vec![vec![Nearest::none(); variables]; queries.records];
    found.par_chunks_mut(QUERIES).enumerate().for_each(|(chunk, found)| {
        let mut sums = [0_f32; BLOCK];
        let mut others = [0_f32; BLOCK];
        let mut each = vec![[0_f32; BLOCK]; variables];
        for first in (0..among.records).step_by(BLOCK) {
            let rows = first..among.records.min(first + BLOCK);
            let block = rows.len();
            for (query, nearest) in (chunk * QUERIES..).zip(found.iter_mut()) {
                sums.fill(0.0);
                for (variable, own) in each.iter_mut().enumerate() {
                    own.fill(0.0);
                    let places = &among.places[variable][rows.clone()];
                    add(&mut own[..block], places, queries.places[variable][query]);
                    sums.iter_mut().zip(own.iter()).for_each(|(sum, own)| *sum += own);
                }
                for (own, nearest) in each.iter().zip(nearest.iter_mut()) {
                    for ((other, sum), own) in others.iter_mut().zip(&sums).zip(own) {
                        *other = sum - own;
                    }
                    nearest.look_at(&others[..block], first, seed, query);
                }
            }
        }
    });
    (0..variables).map(|variable| found.iter().map(|of| of[variable]).collect()).collect()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::mixed_records::random;

    fn file(seed: u64, records: usize, variables: usize) -> MixedFile {
        let mut rng = random(seed, 0);
        // The first half of the variables are numbers, the others have three levels.
        let place = |variable: usize, draw: f32| match 2 * variable < variables {
            true => (draw * 64.0).floor() / 64.0,
            false => 2.0 * (draw * 3.0).floor(),
        };
        let places = (0..variables).map(|v| (0..records).map(|_| place(v, rng.random())).collect()).collect();
        MixedFile { records, places, values: Vec::new(), marks: Vec::new() }
    }

    fn distance(one: &MixedFile, a: usize, other: &MixedFile, b: usize, variables: &[usize]) -> f32 {
        variables.iter().map(|v| (one.places[*v][a] - other.places[*v][b]).abs().min(1.0)).sum()
    }

    /// All pairs written out, over more than one block and with a block that is not full.
    #[test]
    fn the_nearest_is_the_nearest() {
        let (queries, among) = (file(1, 37, 6), file(2, 1300, 6));
        let all: Vec<usize> = (0..6).collect();
        let found = nearest(&queries, &among, &all, 5);
        let without = nearest_without_each(&queries, &among, 5);
        for query in 0..37 {
            let check = |found: &Nearest, variables: &[usize]| {
                let distances: Vec<f32> =
                    (0..1300).map(|row| distance(&queries, query, &among, row, variables)).collect();
                let mut sorted = distances.clone();
                sorted.sort_unstable_by(f32::total_cmp);
                assert_eq!((found.distance, found.second), (sorted[0], sorted[1]));
                assert_eq!(distances[found.record as usize], sorted[0]);
                assert_eq!(found.ties as usize, sorted.iter().filter(|own| **own == sorted[0]).count());
            };
            check(&found[query], &all);
            for (variable, of) in without.iter().enumerate() {
                let others: Vec<usize> = all.iter().copied().filter(|own| *own != variable).collect();
                check(&of[query], &others);
            }
        }
    }

    /// Four equal records among 600, in two blocks: each is drawn in a quarter of 2,000 queries.
    #[test]
    fn ties_are_drawn_evenly() {
        let mut places = vec![0.5; 600];
        for at in [3, 4, 511, 590] {
            places[at] = 0.25;
        }
        let among = MixedFile { records: 600, places: vec![places], values: Vec::new(), marks: Vec::new() };
        let queries =
            MixedFile { records: 2000, places: vec![vec![0.0; 2000]], values: Vec::new(), marks: Vec::new() };
        let found = nearest(&queries, &among, &[0], 1);
        for at in [3, 4, 511, 590] {
            let count = found.iter().filter(|nearest| nearest.record == at).count();
            // 500 expected, standard deviation 19; five of them.
            assert!(count.abs_diff(500) < 97, "{at}: {count}");
        }
    }
}
