//! Where within their classes the numbers of a record lie: latent normal variables behind the classes.
//!
//! A method of counts draws the class of a number. Drawn within it by itself, the number has nothing to do with the rest of its record but what its class has: a slope on it is flattened by the share of
//! its variance that lies within classes, and drawn evenly, the numbers of a wide class at an end of the range lie far out. So each number is taken for an increasing function of a standard normal variable,
//! x = g(z), whose classes are intervals of z that hold the shares of the classes ([`scale`]), and the z of a record for jointly normal given the rest of it ([`joint`]). The classes stay as they were drawn: no
//! table of classes changes.
//!
//! Everything is learned from drawn cells and from the limits of the classes. Where these came out of a private run, so does this: it asks nothing of the records.

pub(crate) mod joint;
mod normal;
pub(crate) mod scale;

use table::domain::Partition;
use table::{Classes, Domain};

use self::joint::{Coded, Joint, Variable};
use self::scale::Scale;
use crate::Cells;
use crate::randomness::{CHUNK, Rng, Seed};

/// A number is placed where at least this share of its variance, on the normal scale, lies within classes.
pub(crate) const LEAST_WITHIN: f64 = 0.005;

/// The laws of numbers within the classes of a domain, given the classes of the other variables.
pub(crate) struct Latent {
    joint: Joint,
    scales: Vec<Option<Scale>>,
}

impl Latent {
    /// Whether a domain has numbers to be placed at all.
    pub(crate) fn is_of_use(domain: &Domain) -> bool {
        domain.variables().iter().any(has_wide_class)
    }

    /// Learned from the first records of a data set; nothing where there are too few of them, or no number whose class leaves much open. The same for a data set and for its first part.
    pub(crate) fn learn(cells: &Cells, domain: &Domain, seed: Seed) -> Option<Self> {
        let rows = cells.rows().min(CHUNK);
        let scale = |(classes, codes): (&Classes, &table::Codes)| {
            let counts = &codes.frequencies(classes.size())[..classes.partition().len()];
            has_wide_class(classes)
                .then(|| Scale::new(classes, counts))
                .filter(|scale| scale.variance_within() >= LEAST_WITHIN)
        };
        let first = (rows < cells.rows()).then(|| cells.first(rows, domain));
        let cells = first.as_ref().unwrap_or(cells);
        let scales: Vec<Option<Scale>> = domain.variables().iter().zip(cells.columns()).map(scale).collect();
        let variable = |(classes, scale): (&Classes, &Option<Scale>)| match scale {
            Some(scale) => Variable::latent(scale.limits().to_vec(), classes.size()),
            None => Variable::known(
                classes.size(),
                if is_number(classes) { classes.partition().len() } else { 0 },
            ),
        };
        let variables: Vec<Variable> = domain.variables().iter().zip(&scales).map(variable).collect();
        let coded = |row: usize, variable: usize| cells.columns()[variable].get(row);
        let joint = Joint::learn(&variables, &Coded { rows, class: &coded }, seed)?;
        Some(Self { joint, scales })
    }

    /// The numbers of a record, by the position of their variable; nothing for other variables, and for codes and missing values.
    pub(crate) fn draw(&self, class: impl Fn(usize) -> u32, rng: &mut Rng) -> Vec<Option<Place>> {
        let drawn = self.joint.draw(&class, rng);
        let place = |(position, z): (usize, Option<f64>)| {
            let scale = self.scales[position].as_ref()?;
            let z = z?;
            let class = class(position) as usize;
            Some(Place { within: scale.share_below(class, z), number: scale.number(class, z) })
        };
        drawn.into_iter().enumerate().map(place).collect()
    }
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// The share of its class that lies below it.
    pub(crate) within: f64,
    /// The number, before it is rounded to what the variable can be.
    pub(crate) number: f64,
}

fn is_number(classes: &Classes) -> bool {
    matches!(classes.partition(), Partition::Intervals { .. } | Partition::Values(_))
}

/// Whether a class of the variable holds more than one number.
fn has_wide_class(classes: &Classes) -> bool {
    matches!(classes.partition(), Partition::Intervals { limits, .. } if limits.len() > 2)
}

#[cfg(test)]
mod tests;
