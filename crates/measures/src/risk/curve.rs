//! The receiver operating characteristic of a score.

/// Shares of outside and inside records above each threshold, from the highest down.
pub(crate) struct Curve {
    points: Vec<(f64, f64)>,
    pub area: f64,
    inside: f64,
    outside: f64,
}

impl Curve {
    pub fn of(inside: &[f64], outside: &[f64]) -> Self {
        let mut scores: Vec<(f64, bool)> = inside.iter().map(|score| (*score, true)).collect();
        scores.extend(outside.iter().map(|score| (*score, false)));
        scores.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
        let (of_inside, of_outside) = (inside.len() as f64, outside.len() as f64);
        let (mut area, mut last) = (0.0, (0.0, 0.0));
        let mut points = vec![last];
        for tied in scores.chunk_by(|one, other| one.0 == other.0) {
            let hits = tied.iter().filter(|(_, is_inside)| *is_inside).count() as f64;
            let alarms = tied.len() as f64 - hits;
            let next = (last.0 + alarms / of_outside, last.1 + hits / of_inside);
            area += (next.0 - last.0) * (next.1 + last.1) / 2.0;
            points.push(next);
            last = next;
        }
        Self { points, area, inside: of_inside, outside: of_outside }
    }

    /// The standard error of the area if both kinds of records score alike (Mann & Whitney 1947).
    pub fn area_error(&self) -> f64 {
        ((self.inside + self.outside + 1.0) / (12.0 * self.inside * self.outside)).sqrt()
    }

    /// The share of inside records above the threshold that this share of outside records exceeds; between thresholds as if drawn at random.
    pub fn true_positives(&self, share: f64) -> f64 {
        let after = self.points.partition_point(|point| point.0 <= share);
        let low = self.points[after - 1];
        match self.points.get(after) {
            Some(high) => low.1 + (high.1 - low.1) * (share - low.0) / (high.0 - low.0),
            None => low.1,
        }
    }

    /// The standard error of that share if both kinds of records score alike.
    pub fn rate_error(&self, share: f64) -> f64 {
        (share * (1.0 - share) * (1.0 / self.inside + 1.0 / self.outside)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_by_hand() {
        // Inside 3, 2, 1 and outside 2, 0: of six pairs four are in order and one is tied.
        let curve = Curve::of(&[3.0, 2.0, 1.0], &[2.0, 0.0]);
        assert!((curve.area - 5.0 / 6.0 + 1.0 / 12.0).abs() < 1e-12, "{}", curve.area);
        assert!((curve.true_positives(0.0) - 1.0 / 3.0).abs() < 1e-12);
        // Half way along the tie.
        assert!((curve.true_positives(0.25) - 0.5).abs() < 1e-12);
        assert_eq!(curve.true_positives(1.0), 1.0);
    }
}
