//! How losses add up: one after the other they sum, on disjoint parts the largest counts.

use std::collections::BTreeMap;

use super::charge::Amount;

/// A part of the records that was looked at apart from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub group: usize,
    pub part: String,
}

/// The running total of events in one notion.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningTotal {
    whole: Amount,
    groups: BTreeMap<usize, Group>,
}

#[derive(Clone, Debug, Default)]
struct Group {
    parts: BTreeMap<String, Amount>,
    largest: Amount,
}

impl RunningTotal {
    /// Adds an event on all records, or on one part of a group; false if the sum cannot be held.
    #[must_use]
    pub fn add(&mut self, place: Option<&Place>, amount: Amount) -> bool {
        match place {
            None => match self.whole.checked_add(amount) {
                Some(sum) => self.whole = sum,
                None => return false,
            },
            Some(place) => {
                let group = self.groups.entry(place.group).or_default();
                let part = group.parts.entry(place.part.clone()).or_default();
                match part.checked_add(amount) {
                    Some(sum) => *part = sum,
                    None => return false,
                }
                group.largest = group.largest.max(*part);
            }
        }
        true
    }

    /// The sum of the events on all records and of the largest part of each group; nothing if it cannot be held.
    pub fn total(&self) -> Option<Amount> {
        self.groups.values().try_fold(self.whole, |sum, group| sum.checked_add(group.largest))
    }

    /// What an event at this place can add before the total grows.
    pub fn slack(&self, place: Option<&Place>) -> Amount {
        let Some(group) = place.and_then(|place| self.groups.get(&place.group)) else {
            return Amount::default();
        };
        let spent = place.and_then(|place| group.parts.get(&place.part)).copied().unwrap_or_default();
        group.largest.saturating_sub(spent)
    }
}
