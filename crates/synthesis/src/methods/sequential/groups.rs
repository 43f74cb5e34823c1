//! Values put together in a few groups, so that tables of two variables can be counted whatever the variables are.

use crate::SynthesisError;
use crate::stored::{StateReader, StateWriter, ensure};

/// A variable has at most this many groups.
const MOST: usize = 32;

/// Values in order are cut into this many pieces of about as many records each.
const PIECES: u64 = 5;

/// Which group each code of a variable is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups {
    of_code: Vec<u8>,
    /// How many groups there are, without the rest.
    own: usize,
    /// Whether some codes are in no group of their own.
    has_rest: bool,
}

impl Groups {
    /// Groups of codes that occur so often, the first `ordered` of which are in the order of their values: pieces of these, the most
    /// frequent of the others on their own, and the rest, of which there are less than `few` each or which are too many, together.
    pub(super) fn of_counts(counts: &[u32], ordered: usize, few: u32) -> Self {
        let mut of_code = vec![0; counts.len()];
        let (in_order, others) = counts.split_at(ordered);
        let total: u64 = in_order.iter().map(|count| u64::from(*count)).sum();
        let (mut count, mut before, mut last) = (0, 0, None);
        for (code, here) in in_order.iter().enumerate() {
            // The piece that the code's middle record lies in.
            let piece = (2 * before + u64::from(*here)) * PIECES / (2 * total).max(1);
            if *here > 0 && last != Some(piece) {
                last = Some(piece);
                count += 1;
            }
            of_code[code] = count.max(1) as u8 - 1;
            before += u64::from(*here);
        }
        let mut by_size: Vec<usize> = (0..others.len()).collect();
        by_size.sort_by_key(|level| (std::cmp::Reverse(others[*level]), *level));
        let on_their_own =
            by_size.iter().take(MOST - count - 1).take_while(|level| others[**level] >= few).count();
        for (place, level) in by_size.iter().enumerate() {
            of_code[ordered + level] = (count + place.min(on_their_own)) as u8;
        }
        Self { of_code, own: count + on_their_own, has_rest: on_their_own < others.len() }
    }

    /// Writes the groups.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("groups", &(self.own, self.has_rest))?;
        into.array("groups of codes", &self.of_code)
    }

    /// The groups of this many codes.
    pub(super) fn load(from: &mut StateReader<'_>, codes: usize) -> Result<Self, SynthesisError> {
        let (own, has_rest) = from.settings("groups")?;
        let groups = Self { of_code: from.array("groups of codes")?, own, has_rest };
        let are_fine = groups.of_code.len() == codes
            && own <= MOST
            && groups.of_code.iter().all(|group| usize::from(*group) < groups.count().max(1));
        ensure(are_fine, "the codes of a predictor are in groups that are not there")?;
        Ok(groups)
    }

    /// How many groups there are, without the rest.
    pub(super) fn own(&self) -> usize {
        self.own
    }

    /// How many groups there are; the rest is the last.
    pub(super) fn count(&self) -> usize {
        self.own + usize::from(self.has_rest)
    }

    /// The group of a code.
    #[inline]
    pub(super) fn of(&self, code: u32) -> u8 {
        self.of_code[code as usize]
    }
}

/// The groups of numbers, cut into pieces of about as many records each, and how many groups there are.
pub(super) fn of_numbers(numbers: &[f64]) -> (Vec<u8>, usize) {
    let mut sorted = numbers.to_vec();
    let mut cuts: Vec<f64> = (1..PIECES as usize)
        .filter_map(|piece| {
            let place = piece * sorted.len() / PIECES as usize;
            (place > 0).then(|| *sorted.select_nth_unstable_by(place - 1, f64::total_cmp).1)
        })
        .collect();
    cuts.dedup();
    let group = |number: &f64| cuts.iter().filter(|cut| *number > **cut).count() as u8;
    (numbers.iter().map(group).collect(), cuts.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_order_are_cut_evenly_and_levels_stand_on_their_own_unless_rare() {
        let groups = |counts: &[u32], ordered: usize| Groups::of_counts(counts, ordered, 20);
        let even = groups(&[10; 10], 10);
        assert_eq!((&even.of_code[..], even.count()), (&[0, 0, 1, 1, 2, 2, 3, 3, 4, 4][..], 5));
        let heaped = groups(&[70, 1, 1, 28, 0], 5);
        assert_eq!((&heaped.of_code[..], heaped.count()), (&[0, 1, 1, 2, 2][..], 3), "a heap is a group");
        // Ages with a missing value that is frequent, then a factor with two rare levels.
        assert_eq!(groups(&[10, 10, 30], 2).of_code, [0, 1, 2]);
        let levels = groups(&[5, 90, 0, 40], 0);
        assert_eq!((&levels.of_code[..], levels.own(), levels.count()), (&[2, 0, 2, 1][..], 2, 3));
        assert_eq!((groups(&[40, 40], 0).own(), groups(&[40, 40], 0).count()), (2, 2));
        let many = groups(&[50; 888], 0);
        assert_eq!((many.count(), many.of(30), many.of(31), many.of(887)), (MOST, 30, 31, 31));
        assert_eq!(groups(&[0, 0], 2).of_code, [0, 0]);
    }

    #[test]
    fn numbers_are_cut_at_their_quantiles() {
        let numbers: Vec<f64> = (0..100).rev().map(f64::from).collect();
        let (groups, count) = of_numbers(&numbers);
        assert_eq!(count, 5);
        assert!((0..5).all(|group| groups.iter().filter(|of| **of == group).count() == 20));
        assert_eq!(of_numbers(&[0.0, 0.0, 0.0, 7.0]), (vec![0, 0, 0, 1], 2));
        assert_eq!(of_numbers(&[3.0, 4.0]).1, 2);
    }
}
