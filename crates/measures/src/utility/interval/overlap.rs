//! Two confidence intervals beside each other.

/// The normal quantile of a 95 % interval.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// An interval from `low` to `high`; it may be a single point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end, not below the lower.
    pub high: f64,
}

impl Interval {
    /// The 95 % interval of an estimate with this standard error.
    pub fn around(estimate: f64, standard_error: f64) -> Self {
        Self { low: estimate - Z95 * standard_error, high: estimate + Z95 * standard_error }
    }

    /// How far it reaches.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// ½ (w/w₁ + w/w₂) with w the width of what both have in common and w₁, w₂ their own: 1 for equal intervals, 0 for
    /// disjoint ones (Taub & Elliot 2020, eq. 2). A single point within the other interval is all of itself and nothing of the
    /// other, ½.
    ///
    /// ```
    /// use measures::utility::interval::Interval;
    /// let (one, other) = (Interval { low: 0.0, high: 2.0 }, Interval { low: 1.0, high: 5.0 });
    /// assert_eq!(one.overlap(other), (1.0 / 2.0 + 1.0 / 4.0) / 2.0);
    /// ```
    pub fn overlap(self, other: Self) -> f64 {
        let common = self.common(other);
        if common < 0.0 {
            return 0.0;
        }
        let share = |width: f64| if width > 0.0 { common / width } else { 1.0 };
        (share(self.width()) + share(other.width())) / 2.0
    }

    /// The same for intervals that meet; for disjoint ones ½ (w/w₁ + w/w₂) with w < 0 the gap between them, so that it also tells how far they
    /// are apart (Karr et al. 2006). A single point apart from the other interval counts by the other's width alone, and of two points it is 0.
    ///
    /// ```
    /// use measures::utility::interval::Interval;
    /// let (one, other) = (Interval { low: 0.0, high: 2.0 }, Interval { low: 3.0, high: 7.0 });
    /// assert_eq!(one.signed_overlap(other), (-1.0 / 2.0 - 1.0 / 4.0) / 2.0);
    /// ```
    pub fn signed_overlap(self, other: Self) -> f64 {
        let common = self.common(other);
        if common >= 0.0 {
            return self.overlap(other);
        }
        let shares: Vec<f64> = [self, other]
            .map(Self::width)
            .into_iter()
            .filter(|width| *width > 0.0)
            .map(|width| common / width)
            .collect();
        shares.iter().sum::<f64>() / shares.len().max(1) as f64
    }

    /// The width of what both have in common, or less than nothing: the gap between them.
    fn common(self, other: Self) -> f64 {
        self.high.min(other.high) - self.low.max(other.low)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn points_and_edges() {
        let unit = Interval { low: 0.0, high: 1.0 };
        let point = |at| Interval { low: at, high: at };
        assert_eq!((unit.overlap(unit), point(3.0).overlap(point(3.0))), (1.0, 1.0));
        assert_eq!((unit.overlap(point(0.5)), point(0.5).overlap(unit)), (0.5, 0.5));
        assert_eq!((unit.overlap(point(2.0)), point(1.0).overlap(point(2.0))), (0.0, 0.0));
        assert_eq!(unit.overlap(Interval { low: 1.0, high: 2.0 }), 0.0);
        assert_eq!((unit.signed_overlap(point(2.0)), point(1.0).signed_overlap(point(2.0))), (-1.0, 0.0));
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_a_share(a in -9.0..9.0, b in 0.0..9.0, c in -9.0..9.0, d in 0.0..9.0) {
            let (one, other) = (Interval { low: a, high: a + b }, Interval { low: c, high: c + d });
            prop_assert_eq!(one.overlap(other), other.overlap(one));
            prop_assert!((0.0..=1.0 + 1e-12).contains(&one.overlap(other)));
            prop_assert_eq!(one.signed_overlap(other).max(0.0), one.overlap(other));
            prop_assert!((one.signed_overlap(other) - other.signed_overlap(one)).abs() < 1e-12);
        }
    }
}
