//! How much better an attack does than a control.

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The success rate of an attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    pub value: f64,
    /// The middle of Wilson's (1927) 95 % interval, (p + z²/2n) / (1 + z²/n), and half its width.
    centre: f64,
    half: f64,
}

impl Rate {
    /// So many successes in so many attacks; `None` without attacks.
    pub fn of(successes: usize, attacks: usize) -> Option<Self> {
        let (n, p) = (attacks as f64, successes as f64 / attacks as f64);
        let spread = 1.0 + Z * Z / n;
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt() / spread;
        (attacks > 0).then_some(Self { value: p, centre: (p + Z * Z / (2.0 * n)) / spread, half })
    }

    /// A rate that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self { value, centre: value, half: 0.0 }
    }
}

/// (a − c) / (1 − c) for the rate a of an attack and c of its control: the share of what the control does not reach that the attack does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Excess {
    pub value: f64,
    /// The 95 % interval.
    pub low: f64,
    pub high: f64,
    /// Half its width over the quantile of the normal distribution.
    pub error: f64,
}

impl Excess {
    /// The interval has its middle at the excess of the middles of Wilson's intervals, and their half widths h carried over to first order:
    /// √(h_a² + ((1 − a)/(1 − c))² h_c²) / (1 − c) (Giomi et al. 2023, section 4.3). `None` if the control never fails.
    pub fn over(attack: Rate, control: Rate) -> Option<Self> {
        let left = 1.0 - control.centre;
        if control.value >= 1.0 || left <= 0.0 {
            return None;
        }
        let middle = (attack.centre - control.centre) / left;
        let by_control = (1.0 - attack.centre) / left * control.half;
        let half = attack.half.hypot(by_control) / left;
        Some(Self {
            value: (attack.value - control.value) / (1.0 - control.value),
            low: middle - half,
            high: middle + half,
            error: half / Z,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_and_excess_are_as_published() {
        // Wilson's interval of 10 in 100: 0.0552 to 0.1744 (Brown, Cai & DasGupta 2001).
        let rate = Rate::of(10, 100).unwrap();
        assert!((rate.centre - rate.half - 0.0552).abs() < 5e-5, "{rate:?}");
        assert!((rate.centre + rate.half - 0.1744).abs() < 5e-5, "{rate:?}");
        let excess = Excess::over(Rate::of(60, 100).unwrap(), Rate::exact(0.2)).unwrap();
        assert!((excess.value - 0.5).abs() < 1e-12);
        assert!((excess.high - excess.low - 2.0 * Z * excess.error).abs() < 1e-12);
        assert!(Excess::over(rate, Rate::exact(1.0)).is_none() && Rate::of(0, 0).is_none());
    }

    /// `EvaluationResults(n_attacks=1000, n_success=…, n_baseline=…, n_control=…).risk()` of anonymeter 1.1.0, which cuts its interval off at 0 and shows the middle of it
    /// as the risk.
    #[test]
    fn intervals_are_those_of_the_published_package() {
        for (attack, control, low, high) in [
            (300, 200, 0.080_014_567_655_112_26, 0.169_386_642_046_824_46),
            (999, 10, 0.994_289_563_663_502_6, 0.999_821_398_384_677_7),
        ] {
            let excess =
                Excess::over(Rate::of(attack, 1_000).unwrap(), Rate::of(control, 1_000).unwrap()).unwrap();
            assert!((excess.low - low).abs() < 1e-9 && (excess.high - high).abs() < 1e-9, "{excess:?}");
        }
    }

    /// All 11 × 11 results of two attacks of 10 with one probability of 0.3: the interval leaves out 0 in at most 7 % of them.
    #[test]
    fn intervals_hold_zero_where_there_is_no_excess() {
        let mut probability = [0.0; 11];
        for (hits, own) in probability.iter_mut().enumerate() {
            let ways = (0..hits).fold(1.0, |ways, k| ways * (10 - k) as f64 / (k + 1) as f64);
            *own = ways * 0.3_f64.powi(hits as i32) * 0.7_f64.powi(10 - hits as i32);
        }
        let mut outside = 0.0;
        for one in 0..=10 {
            for other in 0..=10 {
                let pair = (Rate::of(one, 10).unwrap(), Rate::of(other, 10).unwrap());
                let holds =
                    Excess::over(pair.0, pair.1).is_none_or(|excess| excess.low <= 0.0 && excess.high >= 0.0);
                outside += if holds { 0.0 } else { probability[one] * probability[other] };
            }
        }
        assert!(outside < 0.07, "{outside}");
    }
}
