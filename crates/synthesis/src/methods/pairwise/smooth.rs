//! A smooth curve through the noisy counts of ordered levels, for a prior that does not fill empty tails.
//!
//! θ minimises Σ (v − exp θ)²/(2 sd²) + λ/2 Σ (Δ³θ)²: penalised least squares whose limit for large λ is a normal curve, since the penalty leaves quadratic θ alone (Silverman 1982; Eilers & Marx
//! 1996). Levels that stand out of their neighbours, as heaped zeros do, are taken as they were seen and left out of the curve. What a curve takes from the counts is its degrees of freedom,
//! tr (W + λDᵀD)⁻¹W with W = diag(exp 2θ)/sd², and one for each level that stands out.

/// Standard deviations of third differences of ln counts that are tried: from nearly normal to loosely bent.
const BENDS: [f64; 3] = [0.001, 0.01, 0.1];
/// A level stands out of its neighbours by so many standard deviations of noise, and by as many times their mean.
const STANDS_OUT: (f64, f64) = (6.0, 2.0);
/// With fewer or more levels no curve is drawn.
const LEVELS: std::ops::RangeInclusive<usize> = 6..=1_000;
/// Steps of Gauss and Newton, at most.
const STEPS: usize = 40;

/// Curves through the counts, all above zero, each with its degrees of freedom.
pub(super) fn curves(seen: &[f64], sd: f64) -> Vec<(Vec<f64>, f64)> {
    if !LEVELS.contains(&seen.len()) {
        return Vec::new();
    }
    let stands_out: Vec<bool> = (0..seen.len()).map(|level| stands_out(seen, level, sd)).collect();
    if stands_out.iter().filter(|out| !**out).count() < 5 {
        return Vec::new();
    }
    let begin = normal_curve(seen, &stands_out, sd);
    BENDS
        .into_iter()
        .filter_map(|bend| {
            let (curve, freedom) = curve(seen, &stands_out, sd, bend.powi(-2), begin.clone())?;
            let heaps = stands_out.iter().filter(|out| **out).count() as f64;
            let counts = curve.iter().zip(seen).zip(&stands_out);
            let counts = counts.map(|((theta, seen), out)| if *out { *seen } else { theta.exp() });
            Some((counts.map(|count| count.max(1e-6 * sd)).collect(), freedom + heaps))
        })
        .collect()
}

fn stands_out(seen: &[f64], level: usize, sd: f64) -> bool {
    let near = level.saturating_sub(2)..(level + 3).min(seen.len());
    let others: Vec<f64> = near.filter(|other| *other != level).map(|other| seen[other]).collect();
    let largest = others.iter().copied().fold(0.0, f64::max);
    seen[level] - largest > (STANDS_OUT.0 * sd).max((STANDS_OUT.1 - 1.0) * largest)
}

/// The logarithm of a normal curve with the moments of what was seen.
fn normal_curve(seen: &[f64], stands_out: &[bool], sd: f64) -> Vec<f64> {
    let counts = || seen.iter().zip(stands_out).enumerate().filter(|(_, (_, out))| !**out);
    let total = counts().map(|(_, (seen, _))| seen).sum::<f64>().max(sd);
    let moment = |centre: f64, power: i32| {
        counts().map(|(level, (seen, _))| seen * (level as f64 - centre).powi(power)).sum::<f64>() / total
    };
    let levels = seen.len() as f64;
    let mean = moment(0.0, 1).clamp(0.0, levels - 1.0);
    let variance = moment(mean, 2).clamp(0.25, levels * levels);
    let height = total / (2.0 * std::f64::consts::PI * variance).sqrt();
    (0..seen.len()).map(|level| height.ln() - 0.5 * (level as f64 - mean).powi(2) / variance).collect()
}

/// The curve and its degrees of freedom; nothing where it does not settle.
fn curve(
    seen: &[f64],
    stands_out: &[bool],
    sd: f64,
    lambda: f64,
    begin: Vec<f64>,
) -> Option<(Vec<f64>, f64)> {
    let objective = |theta: &[f64]| {
        let misfit: f64 = seen
            .iter()
            .zip(theta)
            .zip(stands_out)
            .filter(|(_, out)| !**out)
            .map(|((seen, theta), _)| ((seen - theta.exp()) / sd).powi(2))
            .sum();
        let rough: f64 = theta.windows(4).map(|four| third(four).powi(2)).sum();
        0.5 * (misfit + lambda * rough)
    };
    let weights = |theta: &[f64]| -> Vec<f64> {
        let weight = |(theta, out): (&f64, &bool)| if *out { 0.0 } else { (theta.exp() / sd).powi(2) };
        theta.iter().zip(stands_out).map(weight).collect()
    };
    let mut theta = begin;
    let (mut value, mut damping) = (objective(&theta), 1e-3);
    for _ in 0..STEPS {
        let weight = weights(&theta);
        let mut slope: Vec<f64> = (0..theta.len())
            .map(|at| {
                if stands_out[at] { 0.0 } else { theta[at].exp() * (seen[at] - theta[at].exp()) / (sd * sd) }
            })
            .collect();
        for (at, four) in theta.windows(4).enumerate() {
            let rough = lambda * third(four);
            THIRD.iter().enumerate().for_each(|(place, factor)| slope[at + place] -= factor * rough);
        }
        let diagonal: Vec<f64> = weight.iter().map(|weight| weight + damping).collect();
        let step = Banded::new(&diagonal, lambda)?.solve(slope);
        // A step of more than a factor of e is a leap.
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let share = if longest > 1.0 { longest.recip() } else { 1.0 };
        let next: Vec<f64> = theta.iter().zip(&step).map(|(theta, step)| theta + share * step).collect();
        let next_value = objective(&next);
        if next_value.is_finite() && next_value <= value {
            let gain = value - next_value;
            (theta, value) = (next, next_value);
            damping = (damping / 5.0).max(1e-9);
            if gain < 1e-6 {
                break;
            }
        } else {
            damping *= 10.0;
        }
    }
    let weight = weights(&theta);
    let diagonal: Vec<f64> = weight.iter().map(|weight| weight + 1e-9).collect();
    let factor = Banded::new(&diagonal, lambda)?;
    let freedom = weight.iter().enumerate().filter(|(_, weight)| **weight > 1e-12).map(|(at, weight)| {
        let mut unit = vec![0.0; theta.len()];
        unit[at] = 1.0;
        weight * factor.solve(unit)[at]
    });
    let freedom: f64 = freedom.sum();
    (freedom.is_finite() && theta.iter().all(|theta| theta.is_finite() && *theta < 700.0))
        .then_some((theta, freedom))
}

/// The weights of a third difference.
const THIRD: [f64; 4] = [-1.0, 3.0, -3.0, 1.0];

fn third(four: &[f64]) -> f64 {
    THIRD.iter().zip(four).map(|(factor, value)| factor * value).sum()
}

/// The Cholesky factor of a diagonal plus λ times the penalty of third differences: rows of the entry on the diagonal and the three before it.
struct Banded(Vec<[f64; 4]>);

impl Banded {
    fn new(diagonal: &[f64], lambda: f64) -> Option<Self> {
        let size = diagonal.len();
        // matrix[i][k] is the entry of row i and column i − k.
        let mut matrix: Vec<[f64; 4]> = diagonal.iter().map(|entry| [*entry, 0.0, 0.0, 0.0]).collect();
        for at in 0..size.saturating_sub(3) {
            for one in 0..4 {
                for other in 0..=one {
                    matrix[at + one][one - other] += lambda * THIRD[one] * THIRD[other];
                }
            }
        }
        for row in 0..size {
            for back in (0..=row.min(3)).rev() {
                let column = row - back;
                let mut entry = matrix[row][back];
                for before in column.saturating_sub(3).max(row.saturating_sub(3))..column {
                    entry -= matrix[row][row - before] * matrix[column][column - before];
                }
                matrix[row][back] = if back > 0 {
                    entry / matrix[column][0]
                } else if entry > 0.0 {
                    entry.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Self(matrix))
    }

    fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        let rows = &self.0;
        for (row, entries) in rows.iter().enumerate() {
            for (back, entry) in entries.iter().enumerate().skip(1).take(row.min(3)) {
                right[row] -= entry * right[row - back];
            }
            right[row] /= entries[0];
        }
        for row in (0..rows.len()).rev() {
            for ahead in 1..=(rows.len() - 1 - row).min(3) {
                right[row] -= rows[row + ahead][ahead] * right[row + ahead];
            }
            right[row] /= rows[row][0];
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banded_system_is_solved() {
        let diagonal: Vec<f64> = (0..12).map(|at| 1.0 + f64::from(at % 5)).collect();
        let right: Vec<f64> = (0..12).map(|at| f64::from(at * at % 7) - 2.0).collect();
        let solved = Banded::new(&diagonal, 3.0).unwrap().solve(right.clone());
        let mut image: Vec<f64> = diagonal.iter().zip(&solved).map(|(entry, value)| entry * value).collect();
        for (at, four) in solved.windows(4).enumerate() {
            let rough = 3.0 * third(four);
            THIRD.iter().enumerate().for_each(|(place, factor)| image[at + place] += factor * rough);
        }
        assert!(image.iter().zip(&right).all(|(image, right)| (image - right).abs() < 1e-9), "{image:?}");
    }

    #[test]
    fn a_normal_curve_is_found_behind_noise_with_empty_tails_and_three_degrees_of_freedom() {
        let truth: Vec<f64> =
            (0..30).map(|level| 3_000.0 * (-0.5 * ((f64::from(level) - 14.0) / 3.0).powi(2)).exp()).collect();
        let noise = [31.0, -44.0, 12.0, -7.0, 40.0, -35.0, 3.0];
        let seen: Vec<f64> = truth.iter().enumerate().map(|(at, count)| count + noise[at % 7]).collect();
        let found = curves(&seen, 31.0);
        assert_eq!(found.len(), 3);
        let (stiff, freedom) = &found[0];
        assert!((freedom - 3.0).abs() < 0.2, "{freedom}");
        let off: f64 = stiff.iter().zip(&truth).map(|(found, truth)| (found - truth).abs()).sum();
        let of_noise: f64 = seen.iter().zip(&truth).map(|(seen, truth)| (seen - truth).abs()).sum();
        assert!(off < 0.3 * of_noise, "{off} against {of_noise}");
        assert!(stiff[0] < 1.0 && stiff[29] < 1.0, "{stiff:?}");
    }

    #[test]
    fn a_heap_is_left_as_it_was_seen() {
        let mut seen: Vec<f64> =
            (0..25).map(|level| 800.0 * (-0.5 * ((f64::from(level) - 14.0) / 4.0).powi(2)).exp()).collect();
        seen[0] = 6_000.0;
        let found = curves(&seen, 20.0);
        assert!((found[0].0[0] - 6_000.0).abs() < 1e-9 && found[0].0[1] < 20.0, "{:?}", found[0]);
        assert!((found[0].0[14] - 800.0).abs() < 15.0, "{:?}", found[0]);
    }

    #[test]
    fn what_is_no_curve_stays_finite() {
        for seen in [vec![0.0; 10], vec![-1e6; 10], vec![1e9, -1e9, 1e9, -1e9, 0.0, 0.0, 7.0]] {
            for (curve, freedom) in curves(&seen, 3.0) {
                assert!(curve.iter().all(|count| count.is_finite() && *count > 0.0) && freedom.is_finite());
            }
        }
        assert!(curves(&[1.0, 2.0, 3.0], 1.0).is_empty());
    }
}
