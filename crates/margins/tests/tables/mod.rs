//! Small tables for the tests, and plain definitions to hold the crate against.
#![allow(dead_code)] // each test file uses its part

use margins::{Impossible, TargetMargin};

/// All variables.
pub fn all(sizes: &[usize]) -> Vec<usize> {
    (0..sizes.len()).collect()
}

/// Where cell `cell` of the full table falls in the margin over `attributes`.
pub fn position(sizes: &[usize], cell: usize, attributes: &[usize]) -> usize {
    attributes.iter().fold(0, |at, &variable| {
        let stride: usize = sizes[variable + 1..].iter().product();
        at * sizes[variable] + cell / stride % sizes[variable]
    })
}

/// A margin by its definition.
pub fn margin(sizes: &[usize], table: &[f64], attributes: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; attributes.iter().map(|&variable| sizes[variable]).product()];
    for (cell, count) in table.iter().enumerate() {
        sums[position(sizes, cell, attributes)] += count;
    }
    sums
}

/// Margins of one table as targets.
pub fn targets(sizes: &[usize], table: &[f64], sets: &[Vec<usize>]) -> Vec<TargetMargin> {
    sets.iter().map(|set| TargetMargin::new(set.clone(), margin(sizes, table, set))).collect()
}

/// A table with its impossible cells emptied.
pub fn without(sizes: &[usize], table: &[f64], rules: &[Impossible]) -> Vec<f64> {
    let ruled_out =
        |cell: usize| rules.iter().any(|rule| rule.cells.contains(position(sizes, cell, &rule.attributes)));
    table.iter().enumerate().map(|(cell, count)| if ruled_out(cell) { 0.0 } else { *count }).collect()
}

/// The largest absolute difference.
pub fn furthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().chain(b).all(|value| value.is_finite()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn scrambled(seed: u32) -> impl FnMut() -> u64 {
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

/// Numbers without pattern in [1, 10).
pub fn numbers(count: usize, seed: u32) -> Vec<f64> {
    let mut next = scrambled(seed);
    (0..count).map(|_| 1.0 + (next() % 9_000) as f64 / 1_000.0).collect()
}

/// Records whose columns depend on the column before, in one column of class numbers for each variable.
pub fn records(sizes: &[usize], count: usize, seed: u32) -> Vec<Vec<usize>> {
    let mut next = scrambled(seed);
    let mut columns: Vec<Vec<usize>> = Vec::new();
    for &classes in sizes {
        let column = (0..count).map(|row| match columns.last() {
            Some(before) if next().is_multiple_of(2) => before[row] % classes,
            _ => next() as usize % classes,
        });
        let column = column.collect();
        columns.push(column);
    }
    columns
}

/// A margin counted from records.
pub fn counted(sizes: &[usize], columns: &[Vec<usize>], attributes: &[usize]) -> TargetMargin {
    let mut counts = vec![0.0; attributes.iter().map(|&variable| sizes[variable]).product()];
    for row in 0..columns[0].len() {
        counts[attributes.iter().fold(0, |at, &variable| at * sizes[variable] + columns[variable][row])] +=
            1.0;
    }
    TargetMargin::new(attributes, counts)
}
