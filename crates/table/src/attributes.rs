//! A set of variables of a domain, by position.

use serde::{Deserialize, Serialize};

use crate::{Domain, TableError};

/// Which variables a margin or a table is over; ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Attributes(Vec<usize>);

impl Attributes {
    /// The variables at these positions, in whatever order they are given; a repeated one counts once.
    pub fn new(positions: impl IntoIterator<Item = usize>) -> Self {
        let mut positions: Vec<usize> = positions.into_iter().collect();
        positions.sort_unstable();
        positions.dedup();
        Self(positions)
    }

    /// All variables of the domain.
    pub fn all(domain: &Domain) -> Self {
        Self((0..domain.variables().len()).collect())
    }

    /// The variables of these names.
    pub fn named<'a>(domain: &Domain, names: impl IntoIterator<Item = &'a str>) -> Result<Self, TableError> {
        let positions = names.into_iter().map(|name| domain.position_of(name));
        Ok(Self::new(positions.collect::<Result<Vec<_>, _>>()?))
    }

    /// Every set of `ways` variables of the domain, in lexicographic order.
    pub fn combinations(domain: &Domain, ways: usize) -> Vec<Self> {
        fn extend(from: usize, to: usize, left: usize, chosen: &mut Vec<usize>, all: &mut Vec<Attributes>) {
            if left == 0 {
                all.push(Attributes(chosen.clone()));
                return;
            }
            for position in from..=to - left {
                chosen.push(position);
                extend(position + 1, to, left - 1, chosen, all);
                chosen.pop();
            }
        }
        let variables = domain.variables().len();
        let mut all = Vec::new();
        if ways <= variables {
            extend(0, variables, ways, &mut Vec::new(), &mut all);
        }
        all
    }

    /// The positions, ascending.
    pub fn positions(&self) -> &[usize] {
        &self.0
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none: the margin of nothing is the total.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where each variable of `part` stands in this set; `None` if one of them is not in it.
    pub fn places_of(&self, part: &Self) -> Option<Vec<usize>> {
        part.0.iter().map(|position| self.0.binary_search(position).ok()).collect()
    }

    /// The variables of this set that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|position| !other.0.contains(position)).collect())
    }

    /// Whether a variable is in both sets.
    pub fn shares_with(&self, other: &Self) -> bool {
        self.0.iter().any(|position| other.0.contains(position))
    }

    /// The variables of either set.
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(&other.0).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Classes;

    #[test]
    fn combinations_are_all_subsets_of_a_size() {
        let domain = Domain::new((0..4).map(|i| Classes::of_size(format!("v{i}"), 2)).collect()).unwrap();
        let pairs = Attributes::combinations(&domain, 2);
        let expected = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(pairs.iter().map(Attributes::positions).collect::<Vec<_>>(), expected);
        assert_eq!(Attributes::combinations(&domain, 0).len(), 1);
        assert_eq!(Attributes::combinations(&domain, 5).len(), 0);
    }

    #[test]
    fn names_are_looked_up_and_sorted() {
        let domain = Domain::new(vec![Classes::of_size("sex", 2), Classes::of_size("age", 5)]).unwrap();
        assert_eq!(Attributes::named(&domain, ["age", "sex"]).unwrap().positions(), [0, 1]);
        let error = Attributes::named(&domain, ["agee"]).unwrap_err().to_string();
        assert_eq!(error, "there is no variable `agee`; did you mean `age`?");
    }
}
