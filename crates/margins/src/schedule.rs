//! A schedule: in which order the margins of one table are raked, and through which smaller tables.
//!
//! Raking margins a, b, c that all lie within a set S of variables multiplies the table by a function of S
//! alone. So sum the table onto S once, rake a, b and c on that small table, and scale the large one by
//! (after ÷ before): the very same updates for one walk over the large table instead of three. A schedule
//! applies this *grouping* again within each group.
//!
//! For all two-way margins it always ends at three walks a sweep: cut the variables into three blocks; a pair
//! touches at most two of them, so it lies in the complement of the third. Likewise q + 1 walks do for all
//! q-way margins. (Collapsing onto sub-tables is the idea of Jiroušek & Přeučil 1995 for decomposable groups,
//! and of Teh & Welling 2003, "On improving the efficiency of the iterative proportional fitting procedure".)

use crate::attributes::{cells, is_subset, union};
use crate::ipf::options::Order;

/// One stop of a sweep over a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Rake this margin (by its number among the targets).
    Margin(usize),
    /// Sum onto `attributes`, make these stops there, and scale back.
    Group { attributes: Vec<usize>, stops: Vec<Stop> },
}

/// A margin to be raked: its number among the targets and its attributes.
pub(crate) type Numbered<'a> = (usize, &'a [usize]);

/// Schedules the `margins` of the table over `attributes` so that a sweep walks over few cells.
pub(crate) fn schedule(
    sizes: &[usize],
    attributes: &[usize],
    margins: &[Numbered<'_>],
    order: Order,
) -> Vec<Stop> {
    let grouping = match order {
        Order::AsGiven => runs_in_order(sizes, attributes, margins),
        Order::Free => cheapest_grouping(sizes, attributes, margins),
    };
    grouping
        .into_iter()
        .map(|group| match group.as_slice() {
            [only] => Stop::Margin(only.0),
            _ => {
                let attributes = spanned(&group);
                let stops = schedule(sizes, &attributes, &group, order);
                Stop::Group { attributes, stops }
            }
        })
        .collect()
}

/// Margins raked on one sub-table.
type Group<'a> = Vec<Numbered<'a>>;

fn spanned(group: &[Numbered<'_>]) -> Vec<usize> {
    group.iter().fold(Vec::new(), |all, (_, margin)| union(&all, margin))
}

/// Cells walked in a sweep, if the margins of each group were raked one by one on the group's table.
fn cost(sizes: &[usize], attributes: &[usize], grouping: &[Group<'_>]) -> u128 {
    let table = cells(sizes, attributes);
    grouping.iter().map(|group| table.saturating_add(group_cost(sizes, group))).fold(0, u128::saturating_add)
}

/// Cells walked on the group's own table: one walk a margin, and two to come and go.
fn group_cost(sizes: &[usize], group: &[Numbered<'_>]) -> u128 {
    if group.len() < 2 { 0 } else { cells(sizes, &spanned(group)).saturating_mul(group.len() as u128 + 2) }
}

/// The cheapest of: no grouping, complements of blocks, and first fit under several limits.
fn cheapest_grouping<'a>(sizes: &[usize], attributes: &[usize], margins: &[Numbered<'a>]) -> Vec<Group<'a>> {
    let table = cells(sizes, attributes);
    let mut best: Vec<Group<'a>> = margins.iter().map(|&margin| vec![margin]).collect();
    let mut least = cost(sizes, attributes, &best);
    let longest = margins.iter().map(|(_, margin)| margin.len()).max().unwrap_or(0);
    let by_blocks = (3..=longest + 2).map(|count| complements_of_blocks(sizes, attributes, margins, count));
    let by_fit = (1..24).map(|halvings| first_fit(sizes, margins, table >> halvings));
    for grouping in by_blocks.chain(by_fit) {
        let cost = cost(sizes, attributes, &grouping);
        if cost < least {
            (best, least) = (grouping, cost);
        }
    }
    best
}

/// Cuts the variables into `count` blocks of about equal size and groups the margins by the first block that
/// they do not touch; margins that touch every block stay alone.
fn complements_of_blocks<'a>(
    sizes: &[usize],
    attributes: &[usize],
    margins: &[Numbered<'a>],
    count: usize,
) -> Vec<Group<'a>> {
    let mut largest_first = attributes.to_vec();
    largest_first.sort_by_key(|&variable| (std::cmp::Reverse(sizes[variable]), variable));
    let mut blocks = vec![(1_u128, Vec::new()); count];
    for variable in largest_first {
        if let Some((size, block)) = blocks.iter_mut().min_by_key(|(size, _)| *size) {
            *size = size.saturating_mul(sizes[variable] as u128);
            block.push(variable);
        }
    }
    let mut groups = vec![Vec::new(); count];
    let mut alone = Vec::new();
    for &(number, margin) in margins {
        match blocks.iter().position(|(_, block)| !margin.iter().any(|variable| block.contains(variable))) {
            Some(untouched) => groups[untouched].push((number, margin)),
            None => alone.push(vec![(number, margin)]),
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.append(&mut alone);
    groups
}

/// Puts each margin, largest first, into the group that grows least, as long as the group spans at most
/// `limit` cells.
fn first_fit<'a>(sizes: &[usize], margins: &[Numbered<'a>], limit: u128) -> Vec<Group<'a>> {
    let mut largest_first = margins.to_vec();
    largest_first.sort_by_key(|&(number, margin)| (std::cmp::Reverse(cells(sizes, margin)), number));
    let mut groups: Vec<(Vec<usize>, Group<'a>)> = Vec::new();
    for (number, margin) in largest_first {
        let grown = |span: &[usize]| cells(sizes, &union(span, margin));
        let best = (0..groups.len())
            .filter(|&at| is_subset(margin, &groups[at].0) || grown(&groups[at].0) <= limit)
            .min_by_key(|&at| (grown(&groups[at].0) / cells(sizes, &groups[at].0).max(1), at));
        match best {
            Some(at) => {
                groups[at].0 = union(&groups[at].0, margin);
                groups[at].1.push((number, margin));
            }
            None => groups.push((margin.to_vec(), vec![(number, margin)])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Groups only neighbours, so that the margins are raked in the order in which they were given: the cheapest
/// cut of the list into runs, by dynamic programming.
fn runs_in_order<'a>(sizes: &[usize], attributes: &[usize], margins: &[Numbered<'a>]) -> Vec<Group<'a>> {
    let table = cells(sizes, attributes);
    let mut least = vec![(0_u128, 0_usize)]; // cost of the first `i` margins, and where their last run begins
    for end in 1..=margins.len() {
        let mut best = (u128::MAX, end - 1);
        let mut span = Vec::new();
        for start in (0..end).rev() {
            span = union(&span, margins[start].1);
            let length = end - start;
            let spanned = cells(sizes, &span);
            if length > 1 && spanned > table / 2 {
                break;
            }
            let inside = if length > 1 { spanned.saturating_mul(length as u128 + 2) } else { 0 };
            let cost = least[start].0.saturating_add(table).saturating_add(inside);
            if cost < best.0 {
                best = (cost, start);
            }
        }
        least.push(best);
    }
    let mut groups = Vec::new();
    let mut end = margins.len();
    while end > 0 {
        let start = least[end].1;
        groups.push(margins[start..end].to_vec());
        end = start;
    }
    groups.reverse();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: usize) -> Vec<Vec<usize>> {
        (0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j])).collect()
    }

    fn numbered(margins: &[Vec<usize>]) -> Vec<Numbered<'_>> {
        margins.iter().map(Vec::as_slice).enumerate().collect()
    }

    fn raked(stops: &[Stop]) -> Vec<usize> {
        stops
            .iter()
            .flat_map(|stop| match stop {
                Stop::Margin(number) => vec![*number],
                Stop::Group { stops, .. } => raked(stops),
            })
            .collect()
    }

    #[test]
    fn three_walks_do_for_all_pairs() {
        let sizes = [2, 5, 6, 5, 10, 7, 7];
        let margins = pairs(7);
        let all: Vec<usize> = (0..7).collect();
        let stops = schedule(&sizes, &all, &numbered(&margins), Order::Free);
        assert_eq!(stops.len(), 3);
        let mut seen = raked(&stops);
        seen.sort_unstable();
        assert_eq!(seen, (0..21).collect::<Vec<_>>());
    }

    #[test]
    fn the_given_order_is_kept() {
        let sizes = [2, 5, 6, 5, 10, 7, 7];
        let margins = pairs(7);
        let all: Vec<usize> = (0..7).collect();
        let stops = schedule(&sizes, &all, &numbered(&margins), Order::AsGiven);
        assert!(stops.len() < 12, "neighbours are grouped: {} stops", stops.len());
        assert_eq!(raked(&stops), (0..21).collect::<Vec<_>>());
    }

    #[test]
    fn every_group_spans_its_margins_and_is_smaller_than_its_table() {
        fn check(table: &[usize], stops: &[Stop], margins: &[Vec<usize>]) {
            for stop in stops {
                if let Stop::Group { attributes, stops } = stop {
                    assert!(is_subset(attributes, table) && attributes.len() < table.len());
                    assert!(raked(stops).iter().all(|&number| is_subset(&margins[number], attributes)));
                    check(attributes, stops, margins);
                }
            }
        }
        let sizes = [2; 20];
        let margins = pairs(20);
        let all: Vec<usize> = (0..20).collect();
        for order in [Order::Free, Order::AsGiven] {
            let stops = schedule(&sizes, &all, &numbered(&margins), order);
            check(&all, &stops, &margins);
        }
    }
}
