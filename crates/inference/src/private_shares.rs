//! Shares from a `dirichlet` release, by the posterior that knows its prior.

use privacy::ledger::{ChargeRecord, Mechanism};
use synthesis::{Making, StructuralZeros, private};
use table::{Attributes, Classes, Domain};

use crate::answer::{Manner, Released};
use crate::dirichlet_posterior::{PredictiveRelease, SamplerSettings, prior_weight, sample};
use crate::provenance::Provenance;
use crate::results::Quantity;
use crate::shares::{ShareLayout, ShareOf, Shares};
use crate::{Estimand, InferenceError};

const RULE: &str = "posterior";

/// The posterior's standard deviation over the prior's from which the prior speaks for the data.
const LITTLE_LEARNT: f64 = 0.5;

/// Writes the posterior of each share into the quantities.
pub(crate) fn fill(
    released: &Released<'_>,
    estimand: &Estimand,
    manner: &Manner,
    quantities: &mut [Quantity],
) -> Result<(), InferenceError> {
    let provenance =
        released.provenance.filter(|provenance| provenance.making() == Some(Making::StrongPrior));
    let Some(provenance) = provenance else {
        let message = "is for releases that a strong prior makes private, given as their folder; for others leave --rule out";
        return Err(InferenceError::rule(RULE, message));
    };
    if !estimand.is_of_shares() {
        return Err(InferenceError::rule(
            RULE,
            "answers shares and tables; for a mean or a model use --rule bootstrap",
        ));
    }
    let cells = Cells::of(released, estimand, provenance)?;
    let settings = SamplerSettings { seed: manner.resampling.seed, ..SamplerSettings::default() };
    let posterior = sample(&cells.release, &cells.shares, manner.target, manner.level, settings);
    for quantity in quantities.iter_mut() {
        let at = cells.shares.shares.iter().position(|share| share.name == quantity.name);
        let Some(summary) = at.map(|at| posterior.shares[at]) else {
            quantity.not_computed = Some("the schema says that its cell cannot occur".into());
            continue;
        };
        quantity.not_computed = None;
        quantity.estimate = Some(summary.moments.mean);
        quantity.standard_error = Some(summary.moments.variance.sqrt());
        quantity.interval = Some(summary.interval);
        quantity.monte_carlo_error = Some(summary.monte_carlo_error);
        let share = &cells.shares.shares[at.unwrap_or_default()];
        let prior = cells.release.prior_standard_deviation(share.cell, &cells.shares.groups[share.group]);
        let left = summary.moments.variance.sqrt() / prior;
        if left > LITTLE_LEARNT {
            quantity.remark = Some(format!(
                "the release says little of it: the interval is {:.0} % as wide as the analyst's prior makes it without any data",
                100.0 * left
            ));
        }
    }
    Ok(())
}

/// The cells of the estimand that can occur, with what was released and what the prior added.
struct Cells {
    release: PredictiveRelease,
    shares: Shares,
}

impl Cells {
    fn of(
        released: &Released<'_>,
        estimand: &Estimand,
        provenance: &Provenance,
    ) -> Result<Self, InferenceError> {
        let Some(original_rows) = released.original_rows else {
            return Err(InferenceError::rule(
                RULE,
                "needs the number of original records; give --original-rows N",
            ));
        };
        let files = released.files;
        let schema = private::declared(files[0].schema())?;
        let domain = Domain::declared(&schema, provenance.recipe.groups as usize)?;
        let zeros = StructuralZeros::declared(&schema, &domain)?;
        let names = estimand.variables();
        let of = Attributes::named(&domain, names.iter().copied())?;
        // The estimand's own order of variables, and the place of each in the domain's order.
        let positions = names.iter().map(|name| domain.position_of(name)).collect::<Result<Vec<_>, _>>()?;
        let part: Vec<Classes> =
            positions.iter().map(|position| domain.variables()[*position].clone()).collect();
        let layout = ShareLayout::in_domain(Domain::new(part)?, estimand)?;
        let mut counts = vec![0; layout.cells()];
        for table in files {
            counts.iter_mut().zip(layout.counts(table)?).for_each(|(sum, count)| *sum += count);
        }
        let ways = zeros.possible_margin(&domain, &of)?;
        let possible: f64 = zeros.possible_cells(&domain)?.to_string().parse().unwrap_or(f64::INFINITY);
        let each = possible / ways.iter().map(|ways| *ways as f64).sum::<f64>();
        let weight = each * prior_weight(cost_of_a_file(provenance)?, files[0].rows() as u64);
        let sizes = domain.sizes(&of);
        let in_domain_order = |cell: usize| {
            let classes = layout.classes_at(cell);
            of.positions().iter().zip(&sizes).fold(0, |index, (position, size)| {
                let place = positions.iter().position(|other| other == position).unwrap_or(0);
                index * size + classes[place]
            })
        };
        let weights: Vec<f64> =
            (0..counts.len()).map(|cell| weight * ways[in_domain_order(cell)] as f64).collect();
        let kept: Vec<usize> = (0..counts.len()).filter(|cell| weights[*cell] > 0.0).collect();
        let release = PredictiveRelease::with_total_prior(
            kept.iter().map(|cell| counts[*cell]).collect(),
            kept.iter().map(|cell| weights[*cell]).collect(),
            original_rows,
        )?;
        let place = |cell: &usize| kept.binary_search(cell).ok();
        let share = |share: &ShareOf| place(&share.cell).map(|cell| ShareOf { cell, ..share.clone() });
        let shares = Shares {
            shares: layout.shares().shares.iter().filter_map(share).collect(),
            groups: layout
                .shares()
                .groups
                .iter()
                .map(|cells| cells.iter().filter_map(place).collect())
                .collect(),
        };
        Ok(Self { release, shares })
    }
}

/// ε of one file: what the ledger says that its draws cost.
fn cost_of_a_file(provenance: &Provenance) -> Result<f64, InferenceError> {
    let events = provenance.ledger.iter().flat_map(|ledger| &ledger.events);
    let mut draws = events.filter(|event| event.mechanism == Mechanism::PosteriorPredictive);
    match draws.next().map(|event| event.cost) {
        Some(ChargeRecord::Pure { epsilon }) => Ok(epsilon.value),
        _ => {
            Err(InferenceError::rule(RULE, "needs the ledger of the release, which says what the draws cost"))
        }
    }
}
