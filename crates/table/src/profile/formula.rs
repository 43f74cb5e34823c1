//! Numbers that are computed from other numbers: bmi = 10000 weight / height², hsize = the sum of its parts.
//!
//! Products of powers are found for every pair of columns by least squares on the logarithms of a few records, sums by
//! elimination on a few records; what is found is then checked on all of them. It is a proposal for the schema's `formula`, so
//! a law must hold in nearly every record.

use rayon::prelude::*;

use crate::Table;
use crate::column::{Column, Entry};
use crate::figures::thousands;

/// Columns with fewer distinct values are codes rather than measurements.
const DISTINCT: u64 = 6;

/// More numeric columns than this are not searched for products.
const MOST_COLUMNS: usize = 120;

/// Records used to find a product.
const SAMPLE: usize = 48;

/// Records used to find a sum; many, because a part may be zero in nearly all of them.
const SUM_SAMPLE: usize = 4_000;

/// The share of records in which a law must hold.
const HOLDS: f64 = 0.99;

/// Notes on numbers that follow from others, by position.
pub(super) fn notes(table: &Table, distinct: &[u64]) -> Vec<(usize, String)> {
    let is_measurement = |position: &usize| {
        matches!(table.columns()[*position], Column::Integer(_) | Column::Real(_))
            && distinct[*position] >= DISTINCT
    };
    let positions: Vec<usize> = (0..distinct.len()).filter(is_measurement).collect();
    let is_given = |position: &usize| table.schema().variables()[*position].formula.is_some();
    let mut notes = sums(table, &positions);
    if positions.len() <= MOST_COLUMNS {
        let explained: Vec<usize> = notes.iter().map(|(position, _)| *position).collect();
        let mut reported: Vec<[usize; 3]> = Vec::new();
        let mut laws = products(table, &positions);
        // One law links three columns; it is reported for the one with the most values, which is the computed one.
        laws.sort_by_key(|law| (std::cmp::Reverse(distinct[law.target]), law.target));
        for Product { target, columns, text } in laws {
            if !reported.contains(&columns) && !explained.contains(&target) {
                reported.push(columns);
                notes.push((target, text));
            }
        }
    }
    notes.retain(|(position, _)| !is_given(position));
    notes
}

/// A column that is a product of powers of two others.
struct Product {
    target: usize,
    /// All three, ascending.
    columns: [usize; 3],
    text: String,
}

fn value(table: &Table, position: usize, row: usize) -> Option<f64> {
    match table.columns()[position].number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    }
}

/// How far a computed value may be off: half of the last decimal that the column shows, if that is little beside its spread.
fn tolerance(table: &Table, position: usize) -> f64 {
    let Column::Real(numbers) = &table.columns()[position] else { return 1e-6 };
    let values: Vec<f64> = numbers.values().take(2_000).collect();
    let is_rounded_to = |digits: i32| {
        let scale = 10_f64.powi(digits);
        values.iter().all(|value| {
            (value * scale - (value * scale).round()).abs() < 1e-6 * (value * scale).abs().max(1.0)
        })
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread =
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    match (1..=6).find(|digits| is_rounded_to(*digits)) {
        Some(digits) if 0.5 * 10_f64.powi(-digits) < 0.01 * spread => 0.500_001 * 10_f64.powi(-digits),
        _ => 1e-6,
    }
}

/// In how many records `computed` gives the value of `target`, and in how many it could.
fn agreement(table: &Table, target: usize, computed: impl Fn(usize) -> Option<f64> + Sync) -> (u64, u64) {
    let tolerance = tolerance(table, target);
    let mut tested = (0, 0);
    for row in 0..table.rows() {
        if let (Some(value), Some(computed)) = (value(table, target, row), computed(row)) {
            tested.1 += 1;
            tested.0 += u64::from((value - computed).abs() <= tolerance + 1e-6 * value.abs());
        }
        if tested.1 == 500 && (tested.0 as f64) < HOLDS * 500.0 {
            break;
        }
    }
    tested
}

fn in_how_many((agree, tested): (u64, u64)) -> String {
    if agree == tested {
        format!("in all {} records that have them", thousands(tested))
    } else {
        format!("in {} of {} records", thousands(agree), thousands(tested))
    }
}

/// c = k aᵅ bᵝ with α, β multiples of one half, not zero.
fn products(table: &Table, positions: &[usize]) -> Vec<Product> {
    let step = (table.rows() / SAMPLE).max(1);
    let logs: Vec<Vec<f64>> = positions
        .iter()
        .map(|position| {
            let log = |row: usize| {
                value(table, *position, row).filter(|value| *value > 0.0).map_or(f64::NAN, f64::ln)
            };
            (0..table.rows()).step_by(step).take(SAMPLE).map(log).collect()
        })
        .collect();
    let find = |target: usize| {
        for left in (0..positions.len()).filter(|left| *left != target) {
            for right in (left + 1..positions.len()).filter(|right| *right != target) {
                let Some((alpha, beta)) = powers(&logs[target], &logs[left], &logs[right]) else { continue };
                let product = |row: usize| {
                    let (a, b) = (value(table, positions[left], row)?, value(table, positions[right], row)?);
                    Some(a.powf(alpha) * b.powf(beta)).filter(|product| product.is_finite() && *product > 0.0)
                };
                let mut ratios: Vec<f64> = (0..table.rows())
                    .filter_map(|row| Some(value(table, positions[target], row)? / product(row)?))
                    .filter(|ratio| *ratio > 0.0)
                    .take(1_000)
                    .collect();
                if ratios.is_empty() {
                    continue;
                }
                ratios.sort_unstable_by(f64::total_cmp);
                let constant = significant(ratios[ratios.len() / 2]);
                let tested =
                    agreement(table, positions[target], |row| product(row).map(|product| constant * product));
                if tested.1 >= 30 && tested.0 as f64 >= HOLDS * tested.1 as f64 {
                    let names = [target, left, right]
                        .map(|at| quoted(&table.schema().variables()[positions[at]].name));
                    let law = product_text(constant, &[(&names[1], alpha), (&names[2], beta)]);
                    let mut columns = [target, left, right].map(|at| positions[at]);
                    columns.sort_unstable();
                    let text = format!("computed: {} = {law} {}", names[0], in_how_many(tested));
                    return Some(Product { target: positions[target], columns, text });
                }
            }
        }
        None
    };
    (0..positions.len()).into_par_iter().filter_map(find).collect()
}

/// The exponents of log c = k + α log a + β log b by least squares, if they are multiples of one half and fit.
fn powers(target: &[f64], left: &[f64], right: &[f64]) -> Option<(f64, f64)> {
    let rows: Vec<[f64; 3]> = (0..target.len())
        .map(|row| [left[row], right[row], target[row]])
        .filter(|row| row.iter().all(|value| value.is_finite()))
        .collect();
    if rows.len() < 10 {
        return None;
    }
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
    let means = [mean(0), mean(1), mean(2)];
    let moment =
        |i: usize, j: usize| rows.iter().map(|row| (row[i] - means[i]) * (row[j] - means[j])).sum::<f64>();
    let (aa, ab, bb, ac, bc, cc) =
        (moment(0, 0), moment(0, 1), moment(1, 1), moment(0, 2), moment(1, 2), moment(2, 2));
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-9 * aa * bb || cc <= 1e-12 {
        return None;
    }
    let (alpha, beta) = ((ac * bb - bc * ab) / determinant, (bc * aa - ac * ab) / determinant);
    let residual = cc - alpha * ac - beta * bc;
    let nearest = |power: f64| (2.0 * power).round() / 2.0;
    let plausible =
        |power: f64| (power - nearest(power)).abs() < 0.05 && nearest(power) != 0.0 && power.abs() <= 3.0;
    (residual < 1e-2 * cc && plausible(alpha) && plausible(beta)).then(|| (nearest(alpha), nearest(beta)))
}

fn product_text(constant: f64, factors: &[(&String, f64)]) -> String {
    let power = |name: &str, power: f64| {
        if power == 1.0 { name.to_owned() } else { format!("pow({name}, {power})") }
    };
    let times: Vec<String> = factors
        .iter()
        .filter(|(_, exponent)| *exponent > 0.0)
        .map(|(name, exponent)| power(name, *exponent))
        .collect();
    let over =
        factors.iter().filter(|(_, exponent)| *exponent < 0.0).map(|(name, exponent)| power(name, -exponent));
    let mut text = match (times.is_empty(), constant == 1.0) {
        (true, _) => constant.to_string(),
        (false, true) => times.join(" * "),
        (false, false) => format!("{constant} * {}", times.join(" * ")),
    };
    over.for_each(|factor| text.push_str(&format!(" / {factor}")));
    text
}

/// A constant with six significant digits.
fn significant(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn quoted(name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// x = c₀ + Σ ± xᵢ: relations among columns found by Gauss-Jordan elimination on a few complete records.
fn sums(table: &Table, measurements: &[usize]) -> Vec<(usize, String)> {
    let numeric =
        |position: &usize| matches!(table.columns()[*position], Column::Integer(_) | Column::Real(_));
    let mostly_there = |position: &usize| table.missing(*position) * 5 < table.rows() as u64;
    let columns: Vec<usize> = (0..table.columns().len()).filter(numeric).filter(mostly_there).collect();
    let wanted = SUM_SAMPLE.max(4 * (columns.len() + 1));
    let step = (table.rows() / wanted).max(1);
    let complete = |row: usize| -> Option<Vec<f64>> {
        std::iter::once(Some(1.0))
            .chain(columns.iter().map(|position| value(table, *position, row)))
            .collect()
    };
    let rows: Vec<Vec<f64>> = (0..table.rows()).step_by(step).filter_map(complete).take(wanted).collect();
    if rows.len() < 2 * (columns.len() + 1) || columns.len() < 3 {
        return Vec::new();
    }
    let mut notes: Vec<(usize, String)> = Vec::new();
    for relation in relations(rows) {
        let terms: Vec<(usize, f64)> = relation
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, weight)| **weight != 0.0)
            .map(|(at, weight)| (columns[at - 1], *weight))
            .collect();
        if !(3..=12).contains(&terms.len()) || terms.iter().any(|(_, weight)| weight.abs() != 1.0) {
            continue;
        }
        let opposite =
            |(_, weight): &&(usize, f64)| terms.iter().filter(|(_, other)| other * weight > 0.0).count() == 1;
        let Some((target, sign)) = terms.iter().find(opposite).or(terms.last()).copied() else { continue };
        if !measurements.contains(&target) || notes.iter().any(|(position, _)| *position == target) {
            continue;
        }
        let parts: Vec<(usize, f64)> = terms
            .iter()
            .filter(|(position, _)| *position != target)
            .map(|(position, weight)| (*position, -weight * sign))
            .collect();
        let constant = -relation[0] * sign;
        let tested = agreement(table, target, |row| {
            parts.iter().try_fold(constant, |sum, (position, weight)| {
                Some(sum + weight * value(table, *position, row)?)
            })
        });
        if tested.1 >= 30 && tested.0 as f64 >= HOLDS * tested.1 as f64 {
            let name = |position: usize| quoted(&table.schema().variables()[position].name);
            let mut law = String::new();
            for (position, weight) in &parts {
                let sign = if *weight < 0.0 {
                    "- "
                } else if law.is_empty() {
                    ""
                } else {
                    "+ "
                };
                law.push_str(&format!("{}{sign}{}", if law.is_empty() { "" } else { " " }, name(*position)));
            }
            if constant != 0.0 {
                law.push_str(&format!(" + {constant}"));
            }
            notes.push((target, format!("computed: {} = {law} {}", name(target), in_how_many(tested))));
        }
    }
    notes
}

/// A basis of the linear relations Σ wᵢ xᵢ = 0 that hold in all rows, each scaled so that its last weight is one.
fn relations(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let width = rows[0].len();
    let scale: Vec<f64> = (0..width)
        .map(|column| rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max).max(1e-300))
        .collect();
    rows.iter_mut().for_each(|row| row.iter_mut().zip(&scale).for_each(|(value, scale)| *value /= scale));
    let mut pivots: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for column in 0..width {
        let from = pivots.len();
        let best =
            (from..rows.len()).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        let Some(best) = best.filter(|best| rows[*best][column].abs() > 1e-9) else {
            let mut relation = vec![0.0; width];
            relation[column] = 1.0;
            for (row, pivot) in pivots.iter().enumerate() {
                let weight = -rows[row][column] * scale[column] / scale[*pivot];
                let whole = weight.round();
                relation[*pivot] = if (weight - whole).abs() < 1e-6 { whole } else { weight };
            }
            found.push(relation);
            continue;
        };
        rows.swap(from, best);
        let pivot = rows[from][column];
        rows[from].iter_mut().for_each(|value| *value /= pivot);
        let pivot_row = rows[from].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(position, _)| *position != from) {
            let factor = row[column];
            if factor != 0.0 {
                row.iter_mut().zip(&pivot_row).for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
        pivots.push(column);
    }
    found
}
