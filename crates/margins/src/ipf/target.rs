//! Target margins: those that a fitted table shall have, checked against each other.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use crate::attributes::{check_shape, intersection, is_subset};
use crate::error::Error;
use crate::ipf::options::{Disagreement, Options};
use crate::traversal::summed;

/// Differences between targets up to this share of N are rounding.
const ROUNDING: f64 = 1e-10;

/// A margin that the fitted table shall have.
///
/// ```
/// # use margins::TargetMargin;
/// // Sex (2 classes) by age (3 classes), of 60 records.
/// let target = TargetMargin::new([0, 1], [10.0, 10.0, 10.0, 5.0, 10.0, 15.0]);
/// assert_eq!(target.total(), 60.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TargetMargin {
    /// Its attributes, ascending.
    pub attributes: Vec<usize>,
    /// The counts of the margin's cells, row-major: the last attribute runs fastest. They need not be whole
    /// numbers.
    pub counts: Vec<f64>,
}

impl TargetMargin {
    /// A margin over `attributes` (ascending) with these counts (row-major).
    pub fn new(attributes: impl Into<Vec<usize>>, counts: impl Into<Vec<f64>>) -> Self {
        Self { attributes: attributes.into(), counts: counts.into() }
    }

    /// The sum of the counts.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Structural zeros: combinations of some variables that cannot occur, in whatever company.
///
/// ```
/// # use margins::Impossible;
/// // Of age (3 classes) by marital status (2), the youngest cannot be married: cell (0, 1), number 1.
/// let rule = Impossible::new([0, 1], 6, [1]);
/// assert_eq!(rule.cells.count_ones(..), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The attributes concerned, ascending; all of them for a mask of the full table.
    pub attributes: Vec<usize>,
    /// One bit for each cell of the table over `attributes`, row-major; a set bit is an impossible cell.
    pub cells: FixedBitSet,
}

impl Impossible {
    /// A table of `size` cells over `attributes` in which the listed cells are impossible.
    ///
    /// # Panics
    ///
    /// If a listed cell is not below `size`.
    pub fn new(
        attributes: impl Into<Vec<usize>>,
        size: usize,
        listed: impl IntoIterator<Item = usize>,
    ) -> Self {
        let mut cells = FixedBitSet::with_capacity(size);
        for cell in listed {
            cells.insert(cell);
        }
        Self { attributes: attributes.into(), cells }
    }
}

/// A checked problem: what exists here is valid, and no target is implied by another.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) sizes: &'a [usize],
    pub(crate) total: f64,
    pub(crate) targets: Vec<TargetMargin>,
    pub(crate) impossible: &'a [Impossible],
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        sizes: &'a [usize],
        targets: &[TargetMargin],
        impossible: &'a [Impossible],
        options: &Options,
    ) -> Result<Self, Error> {
        options.check()?;
        if let Some(variable) = sizes.iter().position(|&classes| classes == 0) {
            return Err(Error::NoClasses { variable });
        }
        for target in targets {
            check_shape(sizes, "a target", &target.attributes, target.counts.len())?;
            if !target.counts.iter().all(|count| count.is_finite() && *count >= 0.0) {
                return Err(Error::Count { attributes: target.attributes.clone() });
            }
            let total = target.total();
            if !(total > 0.0 && total.is_finite()) {
                return Err(Error::EmptyTarget { attributes: target.attributes.clone() });
            }
        }
        for rule in impossible {
            check_shape(sizes, "a table of impossible cells", &rule.attributes, rule.cells.len())?;
        }
        let first = targets.first().ok_or(Error::NoTargets)?;
        let total = match options.disagreement {
            Disagreement::Refuse => first.total(),
            Disagreement::Rescale { total } => total,
        };
        let mut scaled = targets.to_vec();
        if let Disagreement::Rescale { total } = options.disagreement {
            for target in &mut scaled {
                let scale = total / target.total();
                target.counts.iter_mut().for_each(|count| *count *= scale);
            }
        }
        if options.disagreement == Disagreement::Refuse {
            refuse_contradictions(sizes, &scaled, total)?;
        }
        Ok(Self { sizes, total, targets: without_implied(sizes, scaled, total), impossible })
    }
}

/// Compares the targets on whatever two of them share: all that hold a set of variables must have the same
/// margin over it.
fn refuse_contradictions(sizes: &[usize], targets: &[TargetMargin], total: f64) -> Result<(), Error> {
    let onto =
        |target: &TargetMargin, shared: &[usize]| summed(sizes, &target.attributes, &target.counts, shared);
    let mut margins: BTreeMap<Vec<usize>, (usize, Vec<f64>)> = BTreeMap::new();
    for (at, later) in targets.iter().enumerate() {
        let mut compared = BTreeSet::new();
        for (before, earlier) in targets[..at].iter().enumerate() {
            let shared = intersection(&earlier.attributes, &later.attributes);
            if compared.contains(&shared) {
                continue;
            }
            let (first, margin) =
                margins.entry(shared.clone()).or_insert_with(|| (before, onto(earlier, &shared)));
            if !agree(margin, &onto(later, &shared), total) {
                let first = targets[*first].attributes.clone();
                return Err(Error::Disagreement { first, second: later.attributes.clone(), shared });
            }
            compared.insert(shared);
        }
    }
    Ok(())
}

/// Drops targets that follow from a larger one, or from an equal one before.
fn without_implied(sizes: &[usize], mut targets: Vec<TargetMargin>, total: f64) -> Vec<TargetMargin> {
    let implied = |at: usize| {
        let target = &targets[at];
        targets.iter().enumerate().any(|(other, larger)| {
            other != at
                && is_subset(&target.attributes, &larger.attributes)
                && (target.attributes.len() < larger.attributes.len() || other < at)
                && agree(
                    &target.counts,
                    &summed(sizes, &larger.attributes, &larger.counts, &target.attributes),
                    total,
                )
        })
    };
    let mut kept = (0..targets.len()).map(|at| !implied(at)).collect::<Vec<_>>().into_iter();
    targets.retain(|_| kept.next().unwrap_or(true));
    targets
}

fn agree(a: &[f64], b: &[f64], total: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= ROUNDING * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(targets: &[TargetMargin], options: &Options) -> Result<Vec<Vec<usize>>, Error> {
        let problem = Problem::new(&[2, 3, 2], targets, &[], options)?;
        Ok(problem.targets.into_iter().map(|target| target.attributes).collect())
    }

    #[test]
    fn a_margin_within_another_is_dropped() {
        let pair = TargetMargin::new([0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let single = TargetMargin::new([1], [5.0, 7.0, 9.0]);
        let total = TargetMargin::new([], [21.0]);
        let options = Options::default();
        for targets in [[&single, &pair, &total], [&total, &single, &pair], [&pair, &pair, &single]] {
            let targets: Vec<TargetMargin> = targets.into_iter().cloned().collect();
            assert_eq!(kept(&targets, &options).unwrap(), [[0, 1]]);
        }
    }

    #[test]
    fn contradictions_are_named_or_kept() {
        let pair = TargetMargin::new([0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let other = TargetMargin::new([1, 2], [5.0, 0.0, 0.0, 8.0, 8.0, 0.0]); // 5, 8, 8 against 5, 7, 9
        let single = TargetMargin::new([1], [6.0, 6.0, 9.0]);
        let refusal = kept(&[pair.clone(), other.clone()], &Options::default()).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the targets over variables [0, 1] and [1, 2] disagree on their common margin over \
             variables [1]; count both from the same records, or allow rescaling"
        );
        let fewer = TargetMargin::new([2], [10.0, 10.0]);
        let refusal = kept(&[pair.clone(), fewer.clone()], &Options::default()).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the targets over variables [0, 1] and [2] have different totals; count both from the same \
             records, or allow rescaling"
        );
        let rescale = Options { disagreement: Disagreement::Rescale { total: 1.0 }, ..Options::default() };
        let targets = [pair, other, single, fewer];
        assert_eq!(kept(&targets, &rescale).unwrap(), [vec![0, 1], vec![1, 2], vec![1], vec![2]]);
        let problem = Problem::new(&[2, 3, 2], &targets, &[], &rescale).unwrap();
        assert!(problem.targets.iter().all(|target| (target.total() - 1.0).abs() < 1e-12));
    }

    #[test]
    fn each_malformed_input_is_refused_in_words() {
        let options = Options::default();
        let text = |sizes: &[usize], targets: &[TargetMargin], rules: &[Impossible]| {
            Problem::new(sizes, targets, rules, &options).unwrap_err().to_string()
        };
        let fine = TargetMargin::new([0], [1.0, 1.0]);
        assert_eq!(text(&[2, 0], &[], &[]), "variable 1 has no classes; every variable needs at least one");
        assert_eq!(text(&[2], &[], &[]), "no margin was given; name at least one");
        assert_eq!(
            text(&[2], &[TargetMargin::new([1], [1.0])], &[]),
            "the variables [1] of a target must be ascending numbers below 1"
        );
        assert_eq!(
            text(&[2, 2], &[TargetMargin::new([1, 0], [1.0; 4])], &[]),
            "the variables [1, 0] of a target must be ascending numbers below 2"
        );
        assert_eq!(
            text(&[2], &[TargetMargin::new([0], [1.0; 3])], &[]),
            "a target over variables [0] needs 2 cells, but has 3"
        );
        assert_eq!(
            text(&[2], std::slice::from_ref(&fine), &[Impossible::new([0], 3, [])]),
            "a table of impossible cells over variables [0] needs 2 cells, but has 3"
        );
        assert_eq!(
            text(&[2], &[TargetMargin::new([0], [1.0, -1.0])], &[]),
            "the target over variables [0] holds a count that is negative or not finite"
        );
        assert_eq!(
            text(&[2], &[TargetMargin::new([0], [0.0, 0.0])], &[]),
            "the target over variables [0] counts nobody"
        );
        for (name, broken) in [
            ("tolerance", Options { tolerance: 0.0, ..options.clone() }),
            ("settled", Options { settled: f64::NAN, ..options.clone() }),
            ("max_sweeps", Options { max_sweeps: 0, ..options.clone() }),
            ("total", Options { disagreement: Disagreement::Rescale { total: 0.0 }, ..options.clone() }),
        ] {
            let refusal =
                Problem::new(&[2], std::slice::from_ref(&fine), &[], &broken).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("{name} must be")), "{refusal}");
        }
    }
}
