//! The kinks of the loss along an edge, and how far it pays to go.

/// Where a record meets the surface on the way along an edge.
#[derive(Clone, Copy)]
pub(super) struct Kink {
    pub(super) distance: f64,
    /// Which of the active records.
    pub(super) at: usize,
    /// How much the slope of the loss rises there.
    pub(super) weight: f64,
}

/// Orders kinks so that those before the returned position come first on the way and leave the loss falling, and the one at
/// it does not: a weighted median by partition. `None` when the loss falls beyond all of them.
pub(super) fn last_that_pays(kinks: &mut [Kink], excess: f64) -> Option<usize> {
    let (mut low, mut high) = (0, kinks.len());
    let mut left = excess;
    while low < high {
        let middle = low + (high - low) / 2;
        kinks[low..high].select_nth_unstable_by(middle - low, |a, b| {
            a.distance.total_cmp(&b.distance).then(a.at.cmp(&b.at))
        });
        let before: f64 = kinks[low..middle].iter().map(|kink| kink.weight).sum();
        if before >= left {
            high = middle;
        } else if before + kinks[middle].weight >= left {
            return Some(middle);
        } else {
            left -= before + kinks[middle].weight;
            low = middle + 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_falls_up_to_the_kink_that_uses_up_its_slope() {
        let kinks = || {
            [4.0, 1.0, 3.0, 2.0].map(|distance| Kink { distance, at: distance as usize, weight: distance })
        };
        for (excess, expected) in [(0.5, 1), (1.0, 1), (1.5, 2), (3.0, 2), (3.5, 3), (6.5, 4), (10.0, 4)] {
            let mut kinks = kinks();
            let stop = last_that_pays(&mut kinks, excess).unwrap();
            assert_eq!(kinks[stop].at, expected, "{excess}");
            assert_eq!(stop, expected - 1);
            assert!(kinks[..stop].iter().all(|kink| kink.at < expected));
        }
        assert_eq!(last_that_pays(&mut kinks(), 10.5), None);
        assert_eq!(last_that_pays(&mut [], 1.0), None);
    }
}
