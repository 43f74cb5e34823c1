//! Levels merged into groups by what is known of their counts, so that a table holds no more cells than noise leaves room for.
//!
//! The smallest group is merged first: of an ordered variable with the smaller of its neighbours, else with the next smallest, where
//! levels are nested with the next smallest of the same parent as long as there is one. Missing values and codes of an ordered variable stay by
//! themselves. The merges of a variable are one sequence, from single levels to as few groups as can be; a table takes as many of them as it needs.

/// What is known of the levels of a variable without a look at the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    /// The number of levels.
    pub(super) size: usize,
    /// How many of them, from the first, have an order.
    pub(super) ordered: usize,
    /// Whether these are classes of a number, whose outer ones may well be empty.
    pub(super) is_number: bool,
    /// The parent of each level in the variable in which this one is nested.
    pub(super) parents: Option<Vec<Option<u32>>>,
}

impl Levels {
    /// Whether the levels, but for missing values and codes, have an order.
    pub(super) fn have_an_order(&self) -> bool {
        self.ordered > 1
    }
}

/// A group for each level; groups are numbered by their first level.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Grouping {
    pub(super) of_level: Vec<u32>,
    pub(super) groups: usize,
}

impl Grouping {
    /// The sums of numbers of levels over groups.
    pub(super) fn sums(&self, of_levels: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.groups];
        self.of_level.iter().zip(of_levels).for_each(|(group, number)| sums[*group as usize] += number);
        sums
    }
}

/// All merges of a variable, in order.
#[derive(Clone, Debug)]
pub(super) struct Merges {
    size: usize,
    /// Two levels whose groups are merged, and what the smaller group held.
    steps: Vec<(usize, usize, f64)>,
}

impl Merges {
    /// The merges of levels that hold these counts.
    pub(super) fn new(levels: &Levels, counts: &[f64]) -> Self {
        let mut groups: Vec<Group> = counts
            .iter()
            .enumerate()
            .map(|(level, &count)| Group {
                first: level,
                count,
                parent: levels.parents.as_ref().and_then(|parents| parents[level]),
            })
            .collect();
        let mut steps = Vec::new();
        while let Some((one, other)) = next_merge(levels, &groups) {
            let (kept, gone) = (one.min(other), one.max(other));
            steps.push((groups[kept].first, groups[gone].first, groups[one].count));
            let parent = groups[kept].parent.filter(|parent| groups[gone].parent == Some(*parent));
            groups[kept].count += groups[gone].count;
            groups[kept].parent = parent;
            groups.remove(gone);
        }
        Self { size: counts.len(), steps }
    }

    /// The fewest groups.
    pub(super) fn fewest(&self) -> usize {
        self.size - self.steps.len()
    }

    /// What the smallest group would hold that is merged next after so many groups are left; nothing if no more can be merged.
    pub(super) fn next_cost(&self, groups: usize) -> Option<f64> {
        self.steps.get(self.size - groups).map(|(_, _, count)| *count)
    }

    /// As many groups as there are when the smallest that can be merged holds at least this much.
    pub(super) fn until(&self, least: f64) -> usize {
        let done = self.steps.iter().take_while(|(_, _, count)| *count < least).count();
        self.size - done
    }

    /// The levels in so many groups.
    pub(super) fn grouping(&self, groups: usize) -> Grouping {
        let mut root: Vec<usize> = (0..self.size).collect();
        for (kept, gone, _) in &self.steps[..self.size - groups] {
            root[*gone] = *kept;
        }
        let mut number = vec![u32::MAX; self.size];
        let mut next = 0;
        let mut of_level = Vec::with_capacity(self.size);
        for level in 0..self.size {
            // A level's group began before it, so that its number is known.
            let mut first = level;
            while root[first] != first {
                first = root[first];
            }
            if number[first] == u32::MAX {
                number[first] = next;
                next += 1;
            }
            of_level.push(number[first]);
        }
        Grouping { of_level, groups }
    }
}

#[derive(Clone, Debug)]
struct Group {
    first: usize,
    count: f64,
    parent: Option<u32>,
}

/// The smallest group that can be merged, and with which; nothing if none can.
fn next_merge(levels: &Levels, groups: &[Group]) -> Option<(usize, usize)> {
    let by_count = |one: &usize, other: &usize| groups[*one].count.total_cmp(&groups[*other].count);
    if levels.have_an_order() {
        let values = groups.iter().take_while(|group| group.first < levels.ordered).count();
        if values < 2 {
            return None;
        }
        let smallest = (0..values).min_by(by_count)?;
        let neighbours = [smallest.checked_sub(1), Some(smallest + 1).filter(|next| *next < values)];
        return neighbours.into_iter().flatten().min_by(by_count).map(|other| (smallest, other));
    }
    if groups.len() < 2 {
        return None;
    }
    let smallest = (0..groups.len()).min_by(by_count)?;
    let others = || (0..groups.len()).filter(|other| *other != smallest);
    let siblings = others().filter(|other| {
        groups[smallest].parent.is_some() && groups[*other].parent == groups[smallest].parent
    });
    siblings.min_by(by_count).or_else(|| others().min_by(by_count)).map(|other| (smallest, other))
}

/// The numbers of groups of two variables whose table has at most so many cells, fewer only where nothing can be merged.
pub(super) fn within(merges: [&Merges; 2], mut groups: [usize; 2], cells: usize) -> [usize; 2] {
    while groups[0] * groups[1] > cells {
        let cost = |at: usize| {
            let is_last_pair = groups[at] <= 2.max(merges[at].fewest());
            merges[at].next_cost(groups[at]).filter(|_| !is_last_pair)
        };
        let at = match (cost(0), cost(1)) {
            (None, None) => break,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(one), Some(other)) => usize::from(other < one),
        };
        groups[at] -= 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(size: usize, ordered: usize) -> Levels {
        Levels { size, ordered, is_number: false, parents: None }
    }

    #[test]
    fn ordered_levels_merge_with_neighbours_and_codes_never() {
        let merges = Merges::new(&levels(6, 4), &[5.0, 1.0, 9.0, 8.0, 0.0, 2.0]);
        assert_eq!(merges.grouping(5).of_level, [0, 0, 1, 2, 3, 4]);
        assert_eq!(merges.grouping(4).of_level, [0, 0, 0, 1, 2, 3]);
        assert_eq!(merges.fewest(), 3);
        assert_eq!(merges.grouping(3).of_level, [0, 0, 0, 0, 1, 2]);
    }

    #[test]
    fn levels_without_order_merge_the_two_smallest_and_siblings_first() {
        let merges = Merges::new(&levels(4, 0), &[4.0, 1.0, 9.0, 2.0]);
        assert_eq!(merges.grouping(3).of_level, [0, 1, 2, 1]);
        assert_eq!((merges.until(3.0), merges.until(3.5), merges.next_cost(3)), (3, 2, Some(3.0)));
        let parents = Some(vec![Some(0), Some(1), Some(0), Some(1)]);
        let nested =
            Merges::new(&Levels { size: 4, ordered: 0, is_number: false, parents }, &[4.0, 1.0, 9.0, 20.0]);
        assert_eq!(nested.grouping(3).of_level, [0, 1, 2, 1]);
        assert_eq!(nested.grouping(2).of_level, [0, 1, 0, 1]);
        assert_eq!(nested.grouping(1).of_level, [0; 4]);
    }

    #[test]
    fn a_table_takes_the_merges_that_cost_least() {
        let one = Merges::new(&levels(4, 4), &[10.0, 10.0, 10.0, 10.0]);
        let other = Merges::new(&levels(5, 5), &[1.0, 1.0, 20.0, 20.0, 20.0]);
        assert_eq!(within([&one, &other], [4, 5], 20), [4, 5]);
        assert_eq!(within([&one, &other], [4, 5], 13), [4, 3]);
        assert_eq!(within([&one, &other], [4, 5], 1), [2, 2]);
    }
}
