//! What is known of variables and pairs before anything is counted.

use table::domain::Partition;
use table::{Classes, Domain};

use super::grouping::Levels;
use super::rows::{Constraints, Impossible, Parent};
use crate::{StructuralZeros, SynthesisError};

/// Levels are held in 16 bits.
const MOST_LEVELS: usize = 65_535;

/// The variables of a domain with what ties them.
#[derive(Clone, Debug)]
pub(super) struct Variables {
    pub(super) levels: Vec<Levels>,
    /// The pairs that may be measured: of variables with more than one level, none of which is nested in the other.
    pub(super) pairs: Vec<[usize; 2]>,
    /// How much each pair matters; the largest is 1.
    pub(super) pair_weights: Vec<f64>,
    /// How much each variable matters; the largest is 1.
    pub(super) variable_weights: Vec<f64>,
    pub(super) constraints: Constraints,
}

impl Variables {
    /// The variables of a domain; refused is what no table of pairs could be made of.
    pub(super) fn new(
        domain: &Domain,
        zeros: &StructuralZeros,
        is_ordered: &dyn Fn(&Classes) -> bool,
        workload: Option<&str>,
    ) -> Result<Self, SynthesisError> {
        let constraints = constraints(domain, zeros)?;
        let parents = &constraints.parents;
        let levels: Vec<Levels> = domain
            .variables()
            .iter()
            .enumerate()
            .map(|(position, classes)| Levels {
                size: classes.size(),
                ordered: if is_ordered(classes) { classes.partition().len() } else { 0 },
                is_number: matches!(classes.partition(), Partition::Values(_) | Partition::Intervals { .. }),
                parents: parents[position].as_ref().map(|(_, levels)| levels.clone()),
            })
            .collect();
        let is_nested =
            |one: usize, other: usize| parents[one].as_ref().is_some_and(|(parent, _)| *parent == other);
        let varying: Vec<usize> = (0..levels.len()).filter(|&variable| levels[variable].size > 1).collect();
        let mut pairs = Vec::new();
        for (place, &one) in varying.iter().enumerate() {
            let others = varying[place + 1..].iter();
            pairs.extend(
                others
                    .filter(|&&other| !is_nested(one, other) && !is_nested(other, one))
                    .map(|&other| [one, other]),
            );
        }
        let (variable_weights, pair_weights) = weights(domain, &pairs, workload)?;
        Ok(Self { levels, pairs, pair_weights, variable_weights, constraints })
    }

    /// The number of levels of each variable.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.levels.iter().map(|levels| levels.size).collect()
    }
}

/// Whether a variable's values have an order, by its classes alone: numbers have, and levels that are numbers in ascending order, as in coded files.
pub(super) fn is_ordered(classes: &Classes) -> bool {
    match classes.partition() {
        Partition::Values(_) | Partition::Intervals { .. } => true,
        Partition::Levels(levels) => {
            let numbers: Option<Vec<f64>> = levels.iter().map(|level| level.parse().ok()).collect();
            numbers.is_some_and(|numbers| numbers.len() > 2 && numbers.is_sorted_by(|one, other| one < other))
        }
    }
}

/// What rows of a domain must keep.
pub(super) fn constraints(domain: &Domain, zeros: &StructuralZeros) -> Result<Constraints, SynthesisError> {
    if let Some(classes) = domain.variables().iter().find(|classes| classes.size() > MOST_LEVELS) {
        let message = format!("it has more than {MOST_LEVELS} levels; use coarser classes");
        return Err(table::TableError::variable(classes.name(), message).into());
    }
    let sizes: Vec<usize> = domain.variables().iter().map(Classes::size).collect();
    let impossible: Vec<Impossible> = zeros
        .all()
        .iter()
        .map(|zeros| Impossible {
            variables: zeros.attributes.positions().to_vec(),
            sizes: domain.sizes(&zeros.attributes),
            cells: zeros.cells.clone(),
        })
        .collect();
    let mut parents: Vec<Option<Parent>> = vec![None; sizes.len()];
    for one in impossible.iter().filter(|one| one.variables.len() == 2) {
        for side in [1, 0] {
            let (child, parent) = (one.variables[side], one.variables[1 - side]);
            let is_free =
                parents[child].is_none() && parents[parent].as_ref().is_none_or(|(above, _)| *above != child);
            if let Some(levels) = only_partners(one, side).filter(|_| is_free) {
                parents[child] = Some((parent, levels));
            }
        }
    }
    Constraints::new(&sizes, parents, impossible).ok_or_else(|| {
        SynthesisError::Rules(
            "no record was found that keeps all of its rules, impossible cells and parents; relax them"
                .into(),
        )
    })
}

/// A record that can occur, as classes of the domain.
pub(in crate::methods) fn possible_record(
    domain: &Domain,
    zeros: &StructuralZeros,
) -> Result<Vec<u32>, SynthesisError> {
    Ok(constraints(domain, zeros)?.possible().iter().map(|level| u32::from(*level)).collect())
}

/// For each level of one side the only level of the other that goes with it, where nearly all levels have just one.
fn only_partners(impossible: &Impossible, side: usize) -> Option<Vec<Option<u32>>> {
    let (size, others) = (impossible.sizes[side], impossible.sizes[1 - side]);
    let cell = |level: usize, other: usize| {
        if side == 0 { level * others + other } else { other * size + level }
    };
    let only = |level: usize| {
        let mut possible = (0..others).filter(|&other| !impossible.cells.contains(cell(level, other)));
        possible.next().filter(|_| possible.next().is_none()).map(|other| other as u32)
    };
    let levels: Vec<Option<u32>> = (0..size).map(only).collect();
    // A missing level goes with all parents.
    let with_one = levels.iter().flatten().count();
    (size > 1 && others > 1 && with_one + 1 >= size).then_some(levels)
}

/// How much variables and pairs matter, from a text such as `age:income=3,sex=2`.
fn weights(
    domain: &Domain,
    pairs: &[[usize; 2]],
    workload: Option<&str>,
) -> Result<(Vec<f64>, Vec<f64>), SynthesisError> {
    let refuse = |message: String| SynthesisError::option("workload", message);
    let mut of_variables = vec![1.0_f64; domain.variables().len()];
    let mut of_pairs = vec![1.0_f64; pairs.len()];
    for part in workload.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let Some((names, weight)) = part.rsplit_once('=') else {
            return Err(refuse(format!("write `{part}` as VARIABLE=WEIGHT or VARIABLE:VARIABLE=WEIGHT")));
        };
        let weight: f64 = weight.trim().parse().unwrap_or(f64::NAN);
        if !(0.1..=100.0).contains(&weight) {
            return Err(refuse(format!("the weight of `{names}` must be a number from 0.1 to 100")));
        }
        let named = names.split(':').map(|name| domain.position_of(name.trim()));
        let mut named =
            named.collect::<Result<Vec<usize>, _>>().map_err(|error| refuse(error.to_string()))?;
        named.sort_unstable();
        match named.as_slice() {
            [one] => {
                of_variables[*one] *= weight;
                let with_it = pairs.iter().zip(&mut of_pairs).filter(|(pair, _)| pair.contains(one));
                with_it.for_each(|(_, of_pair)| *of_pair *= weight);
            }
            [one, other] if one != other => {
                let Some(place) = pairs.iter().position(|pair| pair == &[*one, *other]) else {
                    return Err(refuse(format!(
                        "`{names}` is not measured: one of the two decides the other, or has one level only"
                    )));
                };
                of_pairs[place] *= weight;
            }
            _ => return Err(refuse(format!("`{names}` is neither a variable nor a pair of two"))),
        }
    }
    let scaled = |weights: Vec<f64>| {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        weights.into_iter().map(|weight| weight / largest).collect::<Vec<f64>>()
    };
    Ok((scaled(of_variables), scaled(of_pairs)))
}
