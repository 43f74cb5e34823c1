//! Attributes: sets of variables as ascending lists, and the number of cells that they span.

use num_bigint::BigUint;

use crate::error::Error;

/// Whether every variable of `inner` is in `outer`; both ascending.
pub(crate) fn is_subset(inner: &[usize], outer: &[usize]) -> bool {
    let mut outer = outer.iter();
    inner.iter().all(|variable| outer.any(|candidate| candidate == variable))
}

/// The variables in `a`, in `b` or in both; all ascending.
pub(crate) fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    both
}

/// The variables in both `a` and `b`; all ascending.
pub(crate) fn intersection(a: &[usize], b: &[usize]) -> Vec<usize> {
    a.iter().copied().filter(|variable| b.binary_search(variable).is_ok()).collect()
}

/// The variables of `a` that are not in `b`; all ascending.
pub(crate) fn difference(a: &[usize], b: &[usize]) -> Vec<usize> {
    a.iter().copied().filter(|variable| b.binary_search(variable).is_err()).collect()
}

/// Cells of the table over `attributes`; `u128::MAX` where there are more.
pub(crate) fn cells(sizes: &[usize], attributes: &[usize]) -> u128 {
    attributes.iter().fold(1, |cells: u128, &variable| cells.saturating_mul(sizes[variable] as u128))
}

/// Cells of the table over `attributes`, exactly, in decimal.
pub(crate) fn cells_exactly(sizes: &[usize], attributes: &[usize]) -> String {
    attributes.iter().fold(BigUint::from(1_u32), |cells, &variable| cells * sizes[variable]).to_string()
}

/// Refuses attributes that are not ascending or not in the domain, and tables over them with the wrong number of cells.
pub(crate) fn check_shape(
    sizes: &[usize],
    what: &'static str,
    attributes: &[usize],
    found: usize,
) -> Result<(), Error> {
    let ascending = attributes.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascending || attributes.last().is_some_and(|&last| last >= sizes.len()) {
        return Err(Error::Attributes { what, attributes: attributes.to_vec(), count: sizes.len() });
    }
    let expected = cells(sizes, attributes);
    if expected != found as u128 {
        return Err(Error::Shape { what, attributes: attributes.to_vec(), expected, found });
    }
    Ok(())
}

/// Calls `visit(cell, position)` for every cell of the row-major table over `to`, in order, with its position
/// in the row-major table over `from`. Variables that `from` does not have are ignored; both lists may have
/// any order.
pub(crate) fn for_each_position(
    sizes: &[usize],
    to: &[usize],
    from: &[usize],
    mut visit: impl FnMut(usize, usize),
) {
    let strides = strides(sizes, to, from);
    let (run, run_stride) = match (to.last(), strides.last()) {
        (Some(&variable), Some(&stride)) => (sizes[variable], stride),
        _ => (1, 0),
    };
    let outer = to.len().saturating_sub(1);
    let mut classes = vec![0; outer];
    let (mut cell, mut start) = (0, 0);
    loop {
        for class in 0..run {
            visit(cell, start + class * run_stride);
            cell += 1;
        }
        // Count one up, as an odometer does.
        let Some(turned) = (0..outer).rev().find(|&axis| classes[axis] + 1 < sizes[to[axis]]) else { break };
        classes[turned] += 1;
        start += strides[turned];
        for axis in turned + 1..outer {
            start -= classes[axis] * strides[axis];
            classes[axis] = 0;
        }
    }
}

/// The positions that [`for_each_position`] visits.
pub(crate) fn positions(sizes: &[usize], to: &[usize], from: &[usize]) -> Vec<usize> {
    let mut positions = Vec::new();
    for_each_position(sizes, to, from, |_, position| positions.push(position));
    positions
}

/// For each variable of `to`, its stride in the row-major table over `from`; 0 for a variable that is not
/// there.
fn strides(sizes: &[usize], to: &[usize], from: &[usize]) -> Vec<usize> {
    to.iter()
        .map(|variable| match from.iter().position(|candidate| candidate == variable) {
            Some(at) => from[at + 1..].iter().map(|&inner| sizes[inner]).product(),
            None => 0,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        assert!(is_subset(&[1, 4], &[0, 1, 4]));
        assert!(!is_subset(&[1, 3], &[0, 1, 4]));
        assert!(is_subset(&[], &[]));
        assert_eq!(union(&[1, 4], &[0, 4]), [0, 1, 4]);
        assert_eq!(intersection(&[1, 4], &[0, 4]), [4]);
        assert_eq!(difference(&[1, 4], &[0, 4]), [1]);
    }

    #[test]
    fn cells_are_exact_where_machine_integers_end() {
        let sizes = vec![10; 50];
        let all: Vec<usize> = (0..50).collect();
        assert_eq!(cells(&sizes, &all), u128::MAX);
        assert_eq!(cells_exactly(&sizes, &all), format!("1{}", "0".repeat(50)));
        assert_eq!(cells(&sizes, &all[..3]), 1000);
    }

    #[test]
    fn positions_transpose_and_broadcast() {
        // sizes 2 × 3: walking (1, 0) visits (0, 1)'s cells 0, 3, 1, 4, 2, 5.
        assert_eq!(positions(&[2, 3], &[1, 0], &[0, 1]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(positions(&[2, 3], &[0, 1], &[0]), [0, 0, 0, 1, 1, 1]);
        assert_eq!(positions(&[2, 2, 2], &[2, 0, 1], &[0, 2]), [0, 0, 2, 2, 1, 1, 3, 3]);
        assert_eq!(positions(&[2, 3], &[], &[]), [0]);
    }
}
