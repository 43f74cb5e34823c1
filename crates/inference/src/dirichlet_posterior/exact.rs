//! The posterior by enumeration of every y: exact, for two cells or few records.

use statrs::function::gamma::ln_gamma;

use super::{Moments, PredictiveRelease};

/// Posterior mean and variance of each cell's share, summed over all ways to spread N records over the cells.
///
/// The work is the number of such ways, N + 1 for two cells and about N^{K−1}/(K−1)! for K.
pub fn exact_moments(release: &PredictiveRelease) -> Vec<Moments> {
    let (cells, rows, prior) = (release.cells(), release.original_rows, &release.analyst_prior);
    let term = |cell: usize, count: u64| {
        let count_f = count as f64;
        release.ln_likelihood(cell, count) + ln_gamma(count_f + prior[cell]) - ln_gamma(count_f + 1.0)
    };
    let terms: Vec<Vec<f64>> =
        (0..cells).map(|cell| (0..=rows).map(|count| term(cell, count)).collect()).collect();
    let mut largest = f64::NEG_INFINITY;
    for_each_spread(rows, cells, &mut |spread| largest = largest.max(ln_weight(&terms, spread)));
    let total_prior = rows as f64 + prior.iter().sum::<f64>();
    let (mut weight, mut first, mut second) = (0.0, vec![0.0; cells], vec![0.0; cells]);
    for_each_spread(rows, cells, &mut |spread| {
        let of = (ln_weight(&terms, spread) - largest).exp();
        weight += of;
        for (cell, count) in spread.iter().enumerate() {
            let alpha = *count as f64 + prior[cell];
            first[cell] += of * alpha / total_prior;
            second[cell] += of * alpha * (alpha + 1.0) / (total_prior * (total_prior + 1.0));
        }
    });
    let moments = first.iter().zip(&second).map(|(first, second)| {
        let mean = first / weight;
        Moments { mean, variance: second / weight - mean * mean }
    });
    moments.collect()
}

fn ln_weight(terms: &[Vec<f64>], spread: &[u64]) -> f64 {
    terms.iter().zip(spread).map(|(of, count)| of[*count as usize]).sum()
}

/// Every way to spread `rows` records over `cells` cells.
fn for_each_spread(rows: u64, cells: usize, visit: &mut impl FnMut(&[u64])) {
    fn fill(spread: &mut Vec<u64>, left: u64, cells: usize, visit: &mut impl FnMut(&[u64])) {
        if spread.len() + 1 == cells {
            spread.push(left);
            visit(spread);
            spread.pop();
            return;
        }
        for count in 0..=left {
            spread.push(count);
            fill(spread, left - count, cells, visit);
            spread.pop();
        }
    }
    fill(&mut Vec::with_capacity(cells), rows, cells, visit);
}
