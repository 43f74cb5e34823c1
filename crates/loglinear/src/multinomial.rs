//! A multinomial draw: how many of n independent records fall into each cell.
//!
//! The cells are cut into blocks. How many records fall into each block is drawn one block after the other,
//! binomially among the records left (Davis 1993); then every block spreads its own records with its own
//! random numbers, so blocks can be drawn in any order by any thread.

use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;

use crate::stream::stream;
use crate::traversal::total;

/// Cells a block.
const BLOCK: usize = 4096;
/// With more records a cell than this, one binomial a cell is cheaper than one search a record.
const RECORDS_A_CELL: u64 = 4;

/// (cell, count) for every cell that got a record, ascending.
pub(crate) fn multinomial(weights: &[f64], records: u64, seed: [u8; 32]) -> Vec<(usize, u64)> {
    let totals: Vec<f64> = weights.par_chunks(BLOCK).map(total).collect();
    let mut shares = Vec::new();
    spread(&totals, records, &mut stream(seed, 0), |block, share| shares.push((block, share)));
    let drawn: Vec<Vec<(usize, u64)>> = shares
        .into_par_iter()
        .map(|(block, share)| {
            let first = block * BLOCK;
            let weights = &weights[first..(first + BLOCK).min(weights.len())];
            let mut rng = stream(seed, block as u64 + 1);
            let mut drawn = Vec::new();
            if share / RECORDS_A_CELL > weights.len() as u64 {
                spread(weights, share, &mut rng, |cell, count| drawn.push((first + cell, count)));
            } else {
                search(weights, share, &mut rng, |cell, count| drawn.push((first + cell, count)));
            }
            drawn
        })
        .collect();
    drawn.concat()
}

/// Cell after cell, a binomial share of the records left.
fn spread(weights: &[f64], records: u64, rng: &mut ChaCha12Rng, mut got: impl FnMut(usize, u64)) {
    // Totals from each cell to the end, so that the last possible cell takes exactly what is left.
    let mut ahead = vec![0.0; weights.len()];
    let mut sum = 0.0;
    for (ahead, weight) in ahead.iter_mut().zip(weights).rev() {
        sum += weight;
        *ahead = sum;
    }
    let mut left = records;
    for (cell, (&weight, &ahead)) in weights.iter().zip(&ahead).enumerate() {
        if left == 0 {
            break;
        }
        if weight > 0.0 {
            let share = (weight / ahead).min(1.0);
            // A share in (0, 1] is always a valid binomial.
            let count = Binomial::new(left, share).map_or(left, |binomial| binomial.sample(rng));
            if count > 0 {
                got(cell, count);
            }
            left -= count;
        }
    }
}

/// One search among the running totals for each record.
fn search(weights: &[f64], records: u64, rng: &mut ChaCha12Rng, mut got: impl FnMut(usize, u64)) {
    let mut sum = 0.0;
    let through: Vec<f64> = weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect();
    let last_possible = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    let mut counts = vec![0_u64; weights.len()];
    for _ in 0..records {
        let wanted = rng.random::<f64>() * sum;
        counts[through.partition_point(|&through| through <= wanted).min(last_possible)] += 1;
    }
    for (cell, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        got(cell, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chi_square::assert_fits;

    #[test]
    fn counts_follow_the_weights_with_few_records_and_with_many() {
        let weights: Vec<f64> =
            (0..10_000).map(|cell| f64::from(cell % 7 != 0) * (1.0 + f64::from(cell % 5))).collect();
        for (records, seed) in [(30_000, 1), (2_000_000, 2)] {
            let drawn = multinomial(&weights, records, [seed; 32]);
            assert_eq!(drawn.iter().map(|(_, count)| count).sum::<u64>(), records);
            assert!(drawn.windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(drawn.iter().all(|(cell, _)| weights[*cell] > 0.0));
            let mut counts = vec![0.0; weights.len()];
            for (cell, count) in drawn {
                counts[cell] = count as f64;
            }
            // By residue mod 35 every expected count is large; and in 100 contiguous pieces.
            let fold = |of: &[f64], key: &dyn Fn(usize) -> usize, size: usize| {
                let mut folded = vec![0.0; size];
                of.iter().enumerate().for_each(|(cell, value)| folded[key(cell)] += value);
                folded
            };
            assert_fits(&fold(&counts, &|cell| cell % 35, 35), &fold(&weights, &|cell| cell % 35, 35));
            assert_fits(&fold(&counts, &|cell| cell / 100, 100), &fold(&weights, &|cell| cell / 100, 100));
        }
    }

    #[test]
    fn nobody_and_one_cell() {
        assert_eq!(multinomial(&[1.0, 2.0], 0, [0; 32]), []);
        assert_eq!(multinomial(&[0.0, 2.0, 0.0], 9, [0; 32]), [(1, 9)]);
        assert_eq!(multinomial(&[0.0, 2.0, 0.0], 1_000_000, [0; 32]), [(1, 1_000_000)]);
    }
}
