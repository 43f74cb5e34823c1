//! Attribute disclosure: an intruder who knows the keys of a record learns the value of a target.
//!
//! All records that agree on the keys form a class. Where all synthetic records of a class have one target value, the
//! intruder believes it, and is right for those original records of the class that have it: DiSCO counts them. CAP and its
//! relatives average the shares of target values in the classes instead. Definitions and names follow Raab, Nowok &
//! Dibben (2024), *Practical privacy metrics for synthetic data*, and the numbers those of R's synthpop; TCAP is also given as
//! Taub & Elliot (2019) define it. See [`AttributeStatistic`] for each.
//!
//! Missing is a value like others unless the options say otherwise. What does not count is taken out after it was decided
//! which classes are disclosive, and stays in the number of records that percentages are taken of.

mod attack;
mod cards;
mod class_cells;
mod disclosure;
mod obvious;
mod ratio_sum;
mod records;
mod statistic;

pub use disclosure::AttributeDisclosure;
pub use obvious::{ObviousLevel, ObviousPair};
pub use records::{AttributeRecords, OriginalRecord, SyntheticRecord};
pub use statistic::AttributeStatistic;

use table::Schema;

use super::disclosure_options::DisclosureOptions;
use super::matching::named_or_all;
use crate::{
    Aspect, Comparison, FamilyCard, Finding, Measure, MeasureCard, MeasureError, Setting, Settings, UsualAxis,
};
use attack::{Attack, Attacks, Coded};

/// What these keys disclose of one target; no keys mean all other variables but identifiers.
pub fn attribute_disclosure<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    target: &str,
    options: &DisclosureOptions,
) -> Result<AttributeDisclosure, MeasureError> {
    let (tables, attacks) = one_attack(comparison, keys, target, options)?;
    let members = tables.members(&attacks.keys, options)?;
    Ok(Attack::new(&tables, &members, target, options)?.disclosure())
}

/// What each set of keys discloses of each target, in this order; the tables are coded once, and sorted once for each set.
///
/// Without sets of keys, each target is attacked with all other variables but identifiers. Without targets, they are all
/// variables that are neither keys nor identifiers.
pub fn attribute_disclosures(
    comparison: &Comparison<'_>,
    key_sets: &[Vec<String>],
    targets: &[String],
    options: &DisclosureOptions,
) -> Result<Vec<AttributeDisclosure>, MeasureError> {
    options.check()?;
    let attacks = Attacks::plan(comparison, key_sets, targets)?;
    let tables = Coded::new(comparison, &attacks, options)?;
    let found = attacks.iter().map(|attacks| tables.evaluate(attacks, options));
    Ok(found.collect::<Result<Vec<_>, MeasureError>>()?.into_iter().flatten().collect())
}

/// What these keys disclose of one target, record by record; no keys mean all other variables but identifiers.
pub fn per_record<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    target: &str,
    options: &DisclosureOptions,
) -> Result<AttributeRecords, MeasureError> {
    let (tables, attacks) = one_attack(comparison, keys, target, options)?;
    let members = tables.members(&attacks.keys, options)?;
    Ok(Attack::new(&tables, &members, target, options)?.records())
}

fn one_attack<S: AsRef<str>>(
    comparison: &Comparison<'_>,
    keys: &[S],
    target: &str,
    options: &DisclosureOptions,
) -> Result<(Coded, Attacks), MeasureError> {
    options.check()?;
    let keys: Vec<String> = keys.iter().map(|key| key.as_ref().to_owned()).collect();
    let sets = if keys.is_empty() { Vec::new() } else { vec![keys] };
    let mut attacks = Attacks::plan(comparison, &sets, &[target.to_owned()])?;
    let tables = Coded::new(comparison, &attacks, options)?;
    Ok((tables, attacks.remove(0)))
}

/// The family of attribute measures.
#[derive(Clone, Copy, Debug)]
pub struct Attribute;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `attribute.dorig`.
    pub const DORIG: &str = "attribute.dorig";
    /// `attribute.disco`.
    pub const DISCO: &str = "attribute.disco";
    /// `attribute.disco_margins`.
    pub const DISCO_MARGINS: &str = "attribute.disco_margins";
    /// `attribute.disco_excess`.
    pub const DISCO_EXCESS: &str = "attribute.disco_excess";
    /// `attribute.disco_others`.
    pub const DISCO_OTHERS: &str = "attribute.disco_others";
    /// `attribute.tcap_taub`.
    pub const TCAP_TAUB: &str = "attribute.tcap_taub";
    /// `attribute.undefined_share`.
    pub const UNDEFINED_SHARE: &str = "attribute.undefined_share";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "attribute",
    aspect: Aspect::Risk,
    honours: &[Setting::Keys, Setting::Targets, Setting::Disclosure],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::DISCO,
        label: names::DISCO,
        by_ways: false,
        rank: 1,
        usable: None,
    }),
    identified_by: &["target"],
    measures: cards::CARDS,
};

impl Measure for Attribute {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let options = &settings.disclosure;
        options.check()?;
        let attacks = Attacks::plan(comparison, &settings.keys, &settings.targets)?;
        let tables = Coded::new(comparison, &attacks, options)?;
        let mut findings = Vec::new();
        for attacks in &attacks {
            if attacks.targets.is_empty() {
                let because = "every variable is a key, so that no target is left";
                let undefined = |card: &MeasureCard| {
                    Finding::undefined(card.name, &attacks.keys, card.better, because)
                        .with("keys", attacks.keys.as_slice())
                };
                findings.extend(cards::CARDS.iter().map(undefined));
            }
            let found = tables.evaluate(attacks, options)?;
            findings.extend(found.iter().flat_map(AttributeDisclosure::findings));
        }
        Ok(findings)
    }

    fn on_variables(&self, original: &Schema, settings: &Settings) -> Option<Vec<String>> {
        let are_open = settings.keys.iter().any(Vec::is_empty)
            || settings.keys.is_empty()
            || settings.targets.is_empty();
        let named = settings.keys.iter().flatten().chain(&settings.targets);
        Some(named_or_all(original, named, are_open))
    }
}

#[cfg(test)]
mod tests;
