//! Propensity scores: how likely each record is to be synthetic, given its values; and what they say together.

/// Scores of all records, original and synthetic.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PropensityScores {
    scores: Vec<f64>,
    synthetic: Vec<bool>,
    share: f64,
}

/// What the scores say. With c = n/(N + n) the share of synthetic records, a file that cannot be told from the original has all scores
/// near c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreSummary {
    /// Mean of (score − c)², in [0, 1] (Woo et al. 2009).
    pub pmse: f64,
    /// The Kolmogorov–Smirnov distance between the scores of the two files (Bowen et al. 2021).
    pub specks: f64,
    /// Per cent of records whose file is guessed right from score > c, over 50.
    pub po50: f64,
    /// Mann & Whitney's U: pairs in which the synthetic record has the higher score, a tie counting one half.
    pub u: f64,
    /// U as a share of all pairs: the area under the receiver operating characteristic.
    pub auc: f64,
}

impl PropensityScores {
    /// One score a record; `None` unless both files have records.
    pub fn new(scores: Vec<f64>, synthetic: Vec<bool>) -> Option<Self> {
        assert_eq!(scores.len(), synthetic.len(), "one score for each record");
        let count = synthetic.iter().filter(|is| **is).count();
        let share = count as f64 / scores.len() as f64;
        (count > 0 && count < scores.len()).then_some(Self { scores, synthetic, share })
    }

    /// The share c of synthetic records.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Mean of (score − c)².
    pub fn pmse(&self) -> f64 {
        let squares = self.scores.iter().map(|score| (score - self.share).powi(2));
        squares.sum::<f64>() / self.scores.len() as f64
    }

    /// All of it.
    pub fn summary(&self) -> ScoreSummary {
        let records = self.scores.len();
        let mut order: Vec<u32> = (0..records as u32).collect();
        order.sort_unstable_by(|one, other| {
            self.scores[*one as usize].total_cmp(&self.scores[*other as usize])
        });
        let all_synthetic = self.synthetic.iter().filter(|is| **is).count();
        let all_original = records - all_synthetic;
        let (mut original_below, mut synthetic_below) = (0_usize, 0_usize);
        let (mut twice, mut widest) = (0_u128, 0.0_f64);
        let tied = |one: &u32, other: &u32| self.scores[*one as usize] == self.scores[*other as usize];
        for tied in order.chunk_by(tied) {
            let synthetic = tied.iter().filter(|record| self.synthetic[**record as usize]).count();
            let original = tied.len() - synthetic;
            twice += synthetic as u128 * (2 * original_below + original) as u128;
            original_below += original;
            synthetic_below += synthetic;
            let gap =
                original_below as f64 / all_original as f64 - synthetic_below as f64 / all_synthetic as f64;
            widest = widest.max(gap.abs());
        }
        let right =
            self.scores.iter().zip(&self.synthetic).filter(|(score, is)| (**score > self.share) == **is);
        let u = twice as f64 / 2.0;
        ScoreSummary {
            pmse: self.pmse(),
            specks: widest,
            po50: 100.0 * right.count() as f64 / records as f64 - 50.0,
            u,
            auc: u / (all_original as f64 * all_synthetic as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_records_by_hand() {
        let scores = vec![0.2, 0.4, 0.4, 0.5, 0.4, 0.9];
        let synthetic = vec![false, false, false, false, true, true];
        let scores = PropensityScores::new(scores, synthetic).unwrap();
        let found = scores.summary();
        let c: f64 = 1.0 / 3.0;
        assert!((scores.share() - c).abs() < 1e-15);
        let squares = [0.2, 0.4, 0.4, 0.5, 0.4, 0.9].map(|score: f64| (score - c).powi(2));
        assert!((found.pmse - squares.iter().sum::<f64>() / 6.0).abs() < 1e-15);
        // 0.4 beats one and ties with two; 0.9 beats all four.
        assert_eq!((found.u, found.auc), (6.0, 0.75));
        // Below or at 0.5: all originals, half of the synthetic ones.
        assert!((found.specks - 0.5).abs() < 1e-15);
        // Above ⅓ are 0.4, 0.4, 0.5, 0.4, 0.9: right are 0.2, 0.4 and 0.9.
        assert!(found.po50.abs() < 1e-12);
        assert_eq!(PropensityScores::new(vec![0.5], vec![true]), None);
        assert_eq!(PropensityScores::new(vec![], vec![]), None);
    }
}
