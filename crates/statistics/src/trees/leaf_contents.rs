//! What a leaf holds of the response.

use super::Response;

/// Adds up the response of one leaf after the other.
pub(super) struct LeafContents<'a> {
    response: &'a Response<'a>,
    weights: Option<&'a [u32]>,
    counts: Vec<u32>,
    met: Vec<u32>,
}

impl<'a> LeafContents<'a> {
    pub fn new(response: &'a Response<'a>, weights: Option<&'a [u32]>) -> Self {
        let levels = match response {
            Response::Classes { levels, .. } => *levels as usize,
            Response::TwoClasses { .. } | Response::Numeric(_) => 0,
        };
        Self { response, weights, counts: vec![0; levels], met: Vec::new() }
    }

    /// Weight and mean; class weights are appended to `classes`.
    pub fn of(&mut self, donors: &[u32], classes: &mut Vec<(u32, u32)>) -> (u64, Option<f64>) {
        let weight_of = |row: u32| self.weights.map_or(1, |weights| weights[row as usize]);
        let weight: u64 = donors.iter().map(|row| u64::from(weight_of(*row))).sum();
        match self.response {
            Response::Numeric(values) => {
                let sum: f64 =
                    donors.iter().map(|&row| values[row as usize] * f64::from(weight_of(row))).sum();
                (weight, Some(sum / weight as f64))
            }
            Response::TwoClasses { second } => {
                let second = donors.iter().map(|row| second[*row as usize]).sum();
                let of_classes = [(0, weight as u32 - second), (1, second)];
                classes.extend(of_classes.into_iter().filter(|(_, weight)| *weight > 0));
                (weight, None)
            }
            Response::Classes { codes, .. } => {
                for &row in donors {
                    let count = &mut self.counts[codes[row as usize] as usize];
                    if *count == 0 {
                        self.met.push(codes[row as usize]);
                    }
                    *count += weight_of(row);
                }
                self.met.sort_unstable();
                let counts = &mut self.counts;
                classes.extend(
                    self.met.drain(..).map(|class| (class, std::mem::take(&mut counts[class as usize]))),
                );
                (weight, None)
            }
        }
    }
}
