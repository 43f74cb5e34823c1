//! Variances under the design of a sample: strata, clusters and weights.
//!
//! An estimate that solves Σ wᵢ u(yᵢ; θ) = 0 has, by Taylor linearisation, the variance of the total of its influence values zᵢ. With the clusters c of stratum h drawn
//! with replacement, or few of many without, and z_hc the sum over a cluster,
//!
//! V = Σ_h n_h / (n_h − 1) Σ_c (z_hc − z̄_h)(z_hc − z̄_h)ᵀ
//!
//! (Binder 1983; Särndal, Swensson & Wretman 1992, ch. 5; R's `survey`, Lumley 2004). A stratum with one cluster says nothing of its own variance: its cluster is then compared with
//! the mean of all clusters, which is 0 for influence values, as R does it under `survey.lonely.psu = "adjust"`. That is cautious where strata differ.

use std::collections::HashMap;

use crate::regression::SymmetricMatrix;

/// How records were drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleDesign {
    weights: Vec<f64>,
    /// The cluster of each record.
    cluster: Vec<u32>,
    /// The stratum of each cluster.
    stratum: Vec<u32>,
    /// The number of clusters of each stratum.
    clusters: Vec<u32>,
}

impl SampleDesign {
    /// The design of records with these weights. Without clusters every record is one; a cluster of the same name in two strata is two. `None` unless all lengths agree and
    /// weights are finite, not below zero, and not all zero.
    pub fn new(weights: Vec<f64>, strata: Option<&[u32]>, clusters: Option<&[u32]>) -> Option<Self> {
        let rows = weights.len();
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        let fits = |codes: Option<&[u32]>| codes.is_none_or(|codes| codes.len() == rows);
        if !weights.iter().all(is_weight)
            || !weights.iter().any(|weight| *weight > 0.0)
            || !fits(strata)
            || !fits(clusters)
        {
            return None;
        }
        let mut stratum_of_name: HashMap<u32, u32> = HashMap::new();
        let mut cluster_of_name: HashMap<(u32, u32), u32> = HashMap::new();
        let (mut stratum, mut counts, mut cluster) = (Vec::new(), Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let name = strata.map_or(0, |strata| strata[row]);
            let own = *stratum_of_name.entry(name).or_insert_with(|| {
                counts.push(0);
                counts.len() as u32 - 1
            });
            let key = (own, clusters.map_or(row as u32, |clusters| clusters[row]));
            cluster.push(*cluster_of_name.entry(key).or_insert_with(|| {
                stratum.push(own);
                counts[own as usize] += 1;
                stratum.len() as u32 - 1
            }));
        }
        Some(Self { weights, cluster, stratum, clusters: counts })
    }

    /// One weight a record.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The cluster of a record.
    pub fn cluster_of(&self, row: usize) -> usize {
        self.cluster[row] as usize
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.stratum.len()
    }

    /// The number of strata.
    pub fn strata(&self) -> usize {
        self.clusters.len()
    }

    /// How many strata have one cluster alone.
    pub fn lonely(&self) -> usize {
        self.clusters.iter().filter(|clusters| **clusters == 1).count()
    }

    /// Clusters less strata.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.clusters() as f64 - self.strata() as f64
    }

    /// The variance of the total of influence values, which are given as their sums over each cluster.
    pub fn variance(&self, sums: &[Vec<f64>]) -> SymmetricMatrix {
        assert_eq!(sums.len(), self.clusters(), "one sum for each cluster");
        let size = sums.first().map_or(0, Vec::len);
        let mut means = vec![vec![0.0; size]; self.strata()];
        for (sum, stratum) in sums.iter().zip(&self.stratum) {
            let clusters = f64::from(self.clusters[*stratum as usize]);
            means[*stratum as usize].iter_mut().zip(sum).for_each(|(mean, value)| *mean += value / clusters);
        }
        let mut entries = vec![0.0; size * size];
        let mut centred = vec![0.0; size];
        for (sum, stratum) in sums.iter().zip(&self.stratum) {
            let clusters = f64::from(self.clusters[*stratum as usize]);
            let is_lonely = clusters == 1.0;
            let scale = if is_lonely { 1.0 } else { clusters / (clusters - 1.0) };
            let mean = &means[*stratum as usize];
            for ((centred, value), mean) in centred.iter_mut().zip(sum).zip(mean) {
                *centred = if is_lonely { *value } else { value - mean };
            }
            for row in 0..size {
                for column in row..size {
                    entries[row * size + column] += scale * centred[row] * centred[column];
                }
            }
        }
        SymmetricMatrix::from_upper(size, |row, column| entries[row * size + column])
    }

    /// The ratio Σ wᵢ yᵢ / Σ wᵢ over the records that have a value, with its variance: a mean, or a share where values are 0 and 1. The others take part in the design, as
    /// those outside a domain do. `None` where no record with a weight has a value.
    pub fn mean(&self, value: impl Fn(usize) -> Option<f64>) -> Option<(f64, f64)> {
        let values = |row: usize| value(row).map(|value| (self.weights[row], value));
        let rows = || (0..self.weights.len()).filter_map(values);
        let (total, sum) =
            rows().fold((0.0, 0.0), |(total, sum), (weight, value)| (total + weight, sum + weight * value));
        if total <= 0.0 {
            return None;
        }
        let mean = sum / total;
        let mut sums = vec![vec![0.0]; self.clusters()];
        for row in 0..self.weights.len() {
            if let Some((weight, value)) = values(row) {
                sums[self.cluster_of(row)][0] += weight * (value - mean) / total;
            }
        }
        Some((mean, self.variance(&sums).get(0, 0)))
    }

    /// The total Σ wᵢ yᵢ over the records that have a value, with its variance.
    pub fn total(&self, value: impl Fn(usize) -> Option<f64>) -> (f64, f64) {
        let mut sums = vec![vec![0.0]; self.clusters()];
        let mut total = 0.0;
        for (row, weight) in self.weights.iter().enumerate() {
            if let Some(value) = value(row) {
                total += weight * value;
                sums[self.cluster_of(row)][0] += weight * value;
            }
        }
        (total, self.variance(&sums).get(0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_by_themselves_have_the_variance_of_a_mean() {
        // Equal weights, no clusters: s²/n.
        let design = SampleDesign::new(vec![2.0; 4], None, None).unwrap();
        let values = [1.0, 4.0, 2.0, 5.0];
        let (mean, variance) = design.mean(|row| Some(values[row])).unwrap();
        let by_hand: f64 = values.iter().map(|value| (value - 3.0_f64).powi(2)).sum::<f64>() / 3.0 / 4.0;
        assert!((mean - 3.0).abs() < 1e-12 && (variance - by_hand).abs() < 1e-12);
        assert_eq!((design.clusters(), design.strata(), design.degrees_of_freedom()), (4, 1, 3.0));
    }

    #[test]
    fn members_of_a_cluster_are_one_draw() {
        // Doubling every record within its cluster changes neither estimate nor variance.
        let weights = [1.0, 2.0, 1.5, 3.0, 1.0];
        let values = [3.0, 1.0, 4.0, 1.0, 5.0];
        let strata = [0, 0, 1, 1, 1];
        let once = SampleDesign::new(weights.to_vec(), Some(&strata), None).unwrap();
        let twice = |row: usize| row / 2;
        let doubled = SampleDesign::new(
            (0..10).map(|row| weights[twice(row)] / 2.0).collect(),
            Some(&(0..10).map(|row| strata[twice(row)]).collect::<Vec<u32>>()),
            Some(&(0..10).map(|row| twice(row) as u32).collect::<Vec<u32>>()),
        )
        .unwrap();
        let (one, other) = (
            once.mean(|row| Some(values[row])).unwrap(),
            doubled.mean(|row| Some(values[twice(row)])).unwrap(),
        );
        assert!((one.0 - other.0).abs() < 1e-12 && (one.1 - other.1).abs() < 1e-12);
    }

    #[test]
    fn the_same_name_in_two_strata_is_two_clusters() {
        let design = SampleDesign::new(vec![1.0; 4], Some(&[0, 0, 7, 7]), Some(&[1, 2, 1, 1])).unwrap();
        assert_eq!((design.clusters(), design.strata(), design.lonely()), (3, 2, 1));
        assert!(SampleDesign::new(vec![1.0, -1.0], None, None).is_none());
        assert!(SampleDesign::new(vec![0.0, 0.0], None, None).is_none());
        assert!(SampleDesign::new(vec![1.0; 2], Some(&[0]), None).is_none());
    }
}
