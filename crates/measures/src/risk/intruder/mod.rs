//! The intruder who knows every record but one, and how the mechanism works: what does the release disclose of that record?
//!
//! R is the posterior probability of the record's true cell, RR = R/prior how much the release has raised it (McClure & Reiter
//! 2012, eqs. 2 and 8). The paper computes them for two cells; here they are exact for every record of a file with any
//! number of cells, for releases of one or several data sets by every generator whose [draws of cells](statistics::counts::CellDraws) are known.
//!
//! ```
//! use measures::risk::intruder::{IntruderRisk, Prior, ReleaseMechanism};
//! use measures::risk::release_cells::ReleaseCells;
//! use statistics::counts::CellDraws;
//!
//! // One original record in a cell of its own among 999; its cell has 3 synthetic records (McClure & Reiter, section 3.2).
//! let cells = ReleaseCells::from_counts(&[1, 999], &[vec![3, 997]], 2u8)?;
//! let mechanism = ReleaseMechanism::new("dirichlet", CellDraws::prior_of_epsilon(1000.0, 1000)?);
//! let risk = IntruderRisk::new(&cells, mechanism, &[Prior::truth(0.5)?]).unwrap();
//! assert!((risk.per_record(0)[0].r - 0.88).abs() < 0.005);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expected_increase;
mod mechanism;
mod posterior;
mod prior;
mod regions;

pub use expected_increase::expected_increase;
pub use mechanism::ReleaseMechanism;
pub use posterior::Risk;
pub use prior::Prior;
pub use regions::{Region, Regions};

use table::Table;

use super::release_cells::ReleaseCells;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SyntheticSets, UsualAxis,
};
use posterior::{Group, Groups};

/// What the intruder knows, and what is acceptable.
#[derive(Clone, Debug, PartialEq)]
pub struct IntruderOptions {
    /// How the release was made; without it nothing can be said.
    pub mechanism: Option<ReleaseMechanism>,
    /// What the intruder might believe beforehand.
    pub priors: Vec<Prior>,
    /// Which risks are acceptable.
    pub regions: Option<Regions>,
}

impl Default for IntruderOptions {
    fn default() -> Self {
        Self { mechanism: None, priors: Prior::usual(), regions: None }
    }
}

/// The risk of every original record under every prior.
#[derive(Clone, Debug)]
pub struct IntruderRisk {
    priors: Vec<Prior>,
    group_of_record: Vec<u32>,
    /// How many records each group has.
    records: Vec<u64>,
    /// For each prior, the risk of each group; none for a group without records.
    risks: Vec<Vec<Option<Risk>>>,
}

/// All records under one prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntruderSummary {
    /// The prior.
    pub prior: Prior,
    /// The largest R.
    pub r_max: f64,
    /// The mean of R.
    pub r_mean: f64,
    /// The largest RR.
    pub rr_max: f64,
    /// The mean of max(R − prior, 0).
    pub er: f64,
}

/// A record at risk. For internal use: it points at a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordAtRisk {
    /// Its row in the original, counted from 1 without the header.
    pub row: usize,
    /// The prior under which its R is largest.
    pub prior: Prior,
    /// Its risk under that prior.
    pub risk: Risk,
}

impl IntruderRisk {
    /// The risk of every record of a release; an error is the reason why there is none.
    pub fn new(
        cells: &ReleaseCells,
        mechanism: ReleaseMechanism,
        priors: &[Prior],
    ) -> Result<Self, &'static str> {
        if cells.records() == 0 {
            return Err("the original has no records");
        }
        let all = Groups::new(cells, mechanism)?;
        let risk = |prior: &Prior| all.groups.iter().map(|group| all.risk(group, *prior)).collect();
        let records = |group: &Group| group.y * group.cells;
        Ok(Self {
            priors: priors.to_vec(),
            group_of_record: cells.cell_of_record().iter().map(|cell| all.of_cell[*cell as usize]).collect(),
            records: all.groups.iter().map(records).collect(),
            risks: priors.iter().map(risk).collect(),
        })
    }

    /// The priors.
    pub fn priors(&self) -> &[Prior] {
        &self.priors
    }

    /// The risk of each original record under one of the priors, in row order.
    ///
    /// # Panics
    /// If there are fewer priors.
    pub fn per_record(&self, prior: usize) -> Vec<Risk> {
        let risks = &self.risks[prior];
        let of_record = |group: &u32| risks[*group as usize].expect("a record's group has a record");
        self.group_of_record.iter().map(of_record).collect()
    }

    /// The different risks under one of the priors, each with the number of records that have it.
    ///
    /// # Panics
    /// If there are fewer priors.
    pub fn groups(&self, prior: usize) -> impl Iterator<Item = (Risk, u64)> + '_ {
        let with_records = self.risks[prior].iter().zip(&self.records);
        with_records
            .filter_map(|(risk, records)| Some(((*risk)?, *records)))
            .filter(|(_, records)| *records > 0)
    }

    /// Whether each original record has an unacceptable risk under some prior, in row order.
    pub fn outside(&self, regions: &Regions) -> Vec<bool> {
        let outside = self.groups_outside(regions);
        self.group_of_record.iter().map(|group| outside[*group as usize]).collect()
    }

    /// The share of original records whose risk is unacceptable under some prior.
    pub fn outside_share(&self, regions: &Regions) -> f64 {
        let outside = self.groups_outside(regions);
        let records = self.records.iter().zip(outside).filter(|(_, outside)| *outside);
        let records: u64 = records.map(|(records, _)| records).sum();
        records as f64 / self.group_of_record.len() as f64
    }

    /// All records, prior by prior.
    pub(crate) fn summaries(&self) -> Vec<IntruderSummary> {
        let all = self.group_of_record.len() as f64;
        let summary = |(prior, risks): (&Prior, &Vec<Option<Risk>>)| {
            let mut summary =
                IntruderSummary { prior: *prior, r_max: 0.0, r_mean: 0.0, rr_max: 0.0, er: 0.0 };
            for (risk, records) in risks.iter().zip(&self.records) {
                let Some(risk) = risk else { continue };
                let share = *records as f64 / all;
                summary.r_max = summary.r_max.max(risk.r);
                summary.rr_max = summary.rr_max.max(risk.rr);
                summary.r_mean += share * risk.r;
                summary.er += share * (risk.r - risk.prior).max(0.0);
            }
            // Shares add up to one but for rounding.
            summary.r_mean = summary.r_mean.min(1.0);
            summary
        };
        self.priors.iter().zip(&self.risks).map(summary).collect()
    }

    /// The `count` records with the largest R under any prior, by falling R and then by row.
    pub fn worst(&self, count: usize) -> Vec<RecordAtRisk> {
        let worst_prior = |group: usize| {
            let risks = self.priors.iter().zip(&self.risks);
            let risks = risks.filter_map(|(prior, risks)| Some((*prior, risks[group]?)));
            // The first of equals.
            risks.reduce(|worst, next| if next.1.r > worst.1.r { next } else { worst })
        };
        let worst: Vec<Option<(Prior, Risk)>> = (0..self.records.len()).map(worst_prior).collect();
        let r = |group: usize| worst[group].map_or(0.0, |(_, risk)| risk.r);
        let mut groups: Vec<usize> = (0..worst.len()).filter(|group| self.records[*group] > 0).collect();
        groups.sort_by(|one, other| r(*other).total_cmp(&r(*one)));
        let mut enough = 0;
        let mut least = f64::INFINITY;
        for group in groups {
            if enough >= count as u64 {
                break;
            }
            enough += self.records[group];
            least = r(group);
        }
        let candidate = |(row, group): (usize, &u32)| {
            let (prior, risk) = worst[*group as usize]?;
            (risk.r >= least).then_some(RecordAtRisk { row: row + 1, prior, risk })
        };
        let mut records: Vec<RecordAtRisk> =
            self.group_of_record.iter().enumerate().filter_map(candidate).collect();
        records.sort_by(|one, other| other.risk.r.total_cmp(&one.risk.r));
        records.truncate(count);
        records
    }

    fn groups_outside(&self, regions: &Regions) -> Vec<bool> {
        let outside = |risks: &Vec<Option<Risk>>, group: usize| {
            risks[group].is_some_and(|risk| !regions.contain(risk.rr, risk.r))
        };
        (0..self.records.len()).map(|group| self.risks.iter().any(|risks| outside(risks, group))).collect()
    }

    fn findings(
        &self,
        cells: &ReleaseCells,
        mechanism: ReleaseMechanism,
        regions: Option<&Regions>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for summary in self.summaries() {
            let values = [summary.r_max, summary.r_mean, summary.rr_max, summary.er];
            for (card, value) in CARDS.iter().zip(values) {
                let finding = Finding::value(card.name, cells.variables(), value, None, card.better);
                findings.push(finding.with("prior", summary.prior.to_string()));
            }
        }
        let card = &CARDS[OUTSIDE_SHARE];
        findings.push(match regions {
            Some(regions) => {
                let share = self.outside_share(regions);
                let priors: Vec<String> = self.priors.iter().map(Prior::to_string).collect();
                Finding::value(card.name, cells.variables(), share, None, card.better).with("priors", priors)
            }
            None => Finding::undefined(card.name, cells.variables(), card.better, NO_REGIONS),
        });
        let with_release =
            |finding: Finding| finding.with("mechanism", mechanism.method()).with("m", cells.sets());
        findings.into_iter().map(with_release).collect()
    }
}

/// The findings of an original and its synthetic tables, over all variables but identifiers.
pub fn findings(
    original: &Table,
    synthetic: &[&Table],
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let options = &settings.intruder;
    if options.priors.is_empty() {
        let message = "must be at least one; leave them out for the usual ones".into();
        return Err(MeasureError::Option { option: "priors", message });
    }
    let undefined = |because: &str| {
        CARDS.iter().map(|card| Finding::undefined(card.name, [""; 0], card.better, because)).collect()
    };
    let Some(mechanism) = options.mechanism else { return Ok(undefined(NO_MECHANISM)) };
    let cells = ReleaseCells::new(original, synthetic, &[""; 0], &settings.tables.grouping)?;
    Ok(match IntruderRisk::new(&cells, mechanism, &options.priors) {
        Ok(risk) => risk.findings(&cells, mechanism, options.regions.as_ref()),
        Err(because) => undefined(because),
    })
}

/// The family of the intruder's posterior.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intruder;

const NO_MECHANISM: &str = "how the release was made is not known; name the mechanism and its options";
const NO_REGIONS: &str = "which risks are acceptable is not known; give a file of regions";

const fn card(name: &'static str, question: &'static str, range: Range) -> MeasureCard {
    let citation = "McClure & Reiter (2012), Transactions on Data Privacy 5";
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "",
        range,
        null: Null::None,
        citation,
        kept: Kept::All,
    }
}

/// Where the card of `intruder.outside_share` stands.
const OUTSIDE_SHARE: usize = 4;

const CARDS: &[MeasureCard] = &[
    card(
        names::R_MAX,
        "How sure of the truth can an intruder be who knows all other records, for the record most at risk?",
        Range::UNIT,
    ),
    card(
        names::R_MEAN,
        "How sure of the truth is an intruder who knows all other records, on average?",
        Range::UNIT,
    ),
    card(
        "intruder.rr_max",
        "By what factor does the release raise the probability of the truth, for the record most affected?",
        Range::NOT_NEGATIVE,
    ),
    card(
        "intruder.er",
        "By how much does the release raise the probability of the truth, on average?",
        Range::UNIT,
    ),
    card(
        names::OUTSIDE_SHARE,
        "What share of records has a risk that is not acceptable, under some prior?",
        Range::UNIT,
    ),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `intruder.r_max`.
    pub const R_MAX: &str = "intruder.r_max";
    /// `intruder.r_mean`.
    pub(crate) const R_MEAN: &str = "intruder.r_mean";
    /// `intruder.outside_share`.
    pub const OUTSIDE_SHARE: &str = "intruder.outside_share";
    /// The limit that a file of acceptable regions sets on `intruder.outside_share`; no measure of its own.
    pub const REGIONS: &str = "intruder.regions";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "intruder",
    aspect: Aspect::Risk,
    honours: &[Setting::Groups, Setting::Classes, Setting::Mechanism, Setting::Priors, Setting::Regions],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::R_MEAN,
        label: names::R_MEAN,
        by_ways: false,
        rank: 6,
        usable: None,
        most_variables: None,
    }),
    identified_by: &["prior", "priors", "m"],
    measures: CARDS,
};

impl Measure for Intruder {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        findings(comparison.original, &[comparison.synthetic], settings)
    }

    /// All data sets are one release, and are seen together.
    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        findings(sets.original, sets.synthetic, settings)
    }
}

#[cfg(test)]
mod tests;
