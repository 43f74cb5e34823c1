//! Few sets of variables that hold many: margins counted together and summed apart.

use crate::{Attributes, Domain};

/// A set of variables to count over, and which of the wanted sets are parts of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) attributes: Attributes,
    pub(crate) parts: Vec<usize>,
}

/// Covers every wanted set, each once, by sets of at most `most_cells` cells (or the wanted set itself, if it has more).
///
/// Counting a record into a triple costs little more than counting it into a pair, and the triple holds three pairs; their
/// counts are sums of its cells. Greedy: from the largest set that is left, add the variable that brings the most wanted sets
/// with it, the smallest first, while there is room. All 45 pairs of ten variables with 8 to 64 classes take 18 sets.
pub(crate) fn cover(domain: &Domain, wanted: &[Attributes], most_cells: usize) -> Vec<Cover> {
    let sizes: Vec<usize> = domain.variables().iter().map(|classes| classes.size()).collect();
    let cells = |of: &Attributes| of.positions().iter().map(|position| sizes[*position]).product::<usize>();
    let mut sets_of: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
    for (set, attributes) in wanted.iter().enumerate() {
        attributes.positions().iter().for_each(|position| sets_of[*position].push(set));
    }
    let mut largest_first: Vec<usize> = (0..wanted.len()).collect();
    largest_first.sort_by_key(|set| std::cmp::Reverse(cells(&wanted[*set])));
    let mut is_covered = vec![false; wanted.len()];
    let mut covers = Vec::new();
    for set in largest_first {
        if is_covered[set] {
            continue;
        }
        let mut growing = wanted[set].positions().to_vec();
        let mut room = most_cells / cells(&wanted[set]).max(1);
        while let Some(variable) =
            most_welcome(&growing, room, &sizes, |set| !is_covered[set], wanted, &sets_of)
        {
            room /= sizes[variable].max(1);
            growing.push(variable);
        }
        let attributes = Attributes::new(growing);
        let mut parts = vec![set];
        parts.extend(attributes.positions().iter().flat_map(|position| &sets_of[*position]).copied());
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|part| !is_covered[*part] && attributes.places_of(&wanted[*part]).is_some());
        parts.iter().for_each(|part| is_covered[*part] = true);
        covers.push(Cover { attributes, parts });
    }
    covers
}

/// The variable that completes the most wanted sets that are left, if there is one that fits in.
fn most_welcome(
    growing: &[usize],
    room: usize,
    sizes: &[usize],
    is_left: impl Fn(usize) -> bool,
    wanted: &[Attributes],
    sets_of: &[Vec<usize>],
) -> Option<usize> {
    if room < 2 {
        return None;
    }
    let mut brings = vec![0_usize; sizes.len()];
    for set in growing.iter().flat_map(|variable| &sets_of[*variable]).filter(|set| is_left(**set)) {
        let mut lacking = wanted[*set].positions().iter().filter(|position| !growing.contains(position));
        if let (Some(variable), None) = (lacking.next(), lacking.next()) {
            brings[*variable] += 1;
        }
    }
    let fitting = (0..sizes.len()).filter(|variable| brings[*variable] > 0 && sizes[*variable] <= room);
    fitting.min_by_key(|variable| (std::cmp::Reverse(brings[*variable]), sizes[*variable]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Classes;

    fn domain(sizes: &[usize]) -> Domain {
        let classes = sizes.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
        Domain::new(classes.collect()).unwrap()
    }

    #[test]
    fn eighteen_sets_hold_the_pairs_of_ten_variables() {
        let domain = domain(&[8, 12, 16, 20, 24, 32, 40, 48, 56, 64]);
        assert_eq!(cover(&domain, &Attributes::combinations(&domain, 2), 1 << 15).len(), 18);
    }

    proptest! {
        #[test]
        fn every_set_is_covered_once_and_within_the_limit(
            sizes in prop::collection::vec(1_usize..20, 1..9),
            masks in prop::collection::vec(any::<u16>(), 0..30),
            most_cells in 1_usize..10_000,
        ) {
            let domain = domain(&sizes);
            let variables = |mask: u16| (0..sizes.len()).filter(move |place| mask >> place & 1 == 1);
            let wanted: Vec<Attributes> = masks.iter().map(|mask| Attributes::new(variables(*mask))).collect();
            let covers = cover(&domain, &wanted, most_cells);
            let mut covered: Vec<usize> = covers.iter().flat_map(|cover| cover.parts.clone()).collect();
            covered.sort_unstable();
            prop_assert_eq!(covered, (0..wanted.len()).collect::<Vec<_>>());
            for Cover { attributes, parts } in &covers {
                prop_assert!(parts.iter().all(|part| attributes.places_of(&wanted[*part]).is_some()));
                let cells: usize = attributes.positions().iter().map(|position| sizes[*position]).product();
                prop_assert!(cells <= most_cells || parts.iter().any(|part| wanted[*part] == *attributes));
            }
        }
    }
}
