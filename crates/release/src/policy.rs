//! What may be released: the rules that every front door is held to.
//!
//! A release that breaks a limit, publishes a domain that was read off the records, or is private and was chosen by an unpaid look at the
//! original is refused unless the owner gives a reason, which is recorded. [`Release::write`](crate::Release::write) asks again, so
//! that no caller can go around it.

use frontier::axes::EPSILON;
use frontier::limits::axis_of;
use frontier::{Limit, LimitCheck};
use synthesis::Recipe;
use table::Schema;

use crate::decision::{Decision, NOT_COVERED, Publication};

/// The owner's reasons for what is refused without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// Why a version that breaks a limit may be released.
    pub exception: Option<String>,
    /// Why a private version may be chosen or accepted by what was measured against the original.
    pub unpaid_look: Option<String>,
    /// Why a schema that was learned from the records may be released.
    pub learned_schema: Option<String>,
    /// Why a version may be released that is held against no limit.
    pub no_limits: Option<String>,
    /// Why a table of very few records may be synthesised.
    pub small_table: Option<String>,
}

/// The fewest records of which synthetic versions are made without a reason: in a smaller table every record is a thirtieth or more of what
/// a model learns, and leaves of five donors cover a sixth of the table.
pub(crate) const FEWEST_RECORDS: u64 = 30;

/// Why something is not released.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A reason for something that does not need one here.
    #[error("option `{option}`: {message}")]
    NotNeeded {
        /// The option.
        option: &'static str,
        /// Why it is not needed.
        message: &'static str,
    },
    /// It would disclose what nobody allowed to be disclosed.
    #[error("{0}")]
    Disclosure(&'static str),
    /// It breaks limits.
    #[error("the version breaks {0}")]
    LimitsBroken(String),
}

impl Reasons {
    /// What no ledger covers, where a private version is chosen from a frontier or accepted by limits on what was measured.
    pub fn not_covered(
        &self,
        recipe: &Recipe,
        limits: &[Limit],
        from_frontier: bool,
    ) -> Result<Option<String>, Refusal> {
        let measured = limits.iter().any(|limit| axis_of(limit).measure != EPSILON);
        let looks = recipe.privacy.is_some() && (measured || from_frontier);
        match (looks, &self.unpaid_look) {
            (true, Some(reason)) => Ok(Some(format!("{NOT_COVERED} The owner's reason: {reason}"))),
            (true, None) => Err(Refusal::Disclosure(
                "a private version would be chosen or accepted by what was measured against the original, which no ledger covers; leave out \
                 limits other than on epsilon and name a recipe, or say why with the option `unpaid-look`",
            )),
            (false, Some(_)) => Err(Refusal::NotNeeded {
                option: "unpaid-look",
                message: "nothing is chosen or accepted by an unpaid look; leave it out",
            }),
            (false, None) => Ok(None),
        }
    }

    /// What a release of records under this schema discloses that nobody declared public.
    pub fn caveats(&self, schema: &Schema) -> Result<Vec<String>, Refusal> {
        match (schema.declaration().is_some(), &self.learned_schema) {
            (true, None) => Ok(Vec::new()),
            (true, Some(_)) => Err(Refusal::NotNeeded {
                option: "learned-schema",
                message: "the schema is declared; leave it out",
            }),
            (false, Some(reason)) => Ok(vec![format!(
                "The schema was learned from the records: its levels and ranges are theirs. The owner's reason: {reason}"
            )]),
            (false, None) => Err(Refusal::Disclosure(
                "the schema was learned from the records, and its levels and ranges, also rare and extreme ones, would be released with it; \
                 declare a schema (`lookalike describe DATA --write-schema FILE`), or say why with the option `learned-schema`",
            )),
        }
    }

    /// Refuses a version that is not private and that no limit judges.
    pub fn judged(&self, recipe: &Recipe, limits: &[Limit]) -> Result<Option<String>, Refusal> {
        match (recipe.privacy.is_none() && limits.is_empty(), &self.no_limits) {
            (true, Some(reason)) => {
                Ok(Some(format!("No limit was set for this release. The owner's reason: {reason}")))
            }
            (true, None) => Err(Refusal::Disclosure(
                "no limit judges this version: state what it must keep with the option `limit`, such as \"attribute.disco <= 5\", or say why none \
                 is needed with the option `no-limits`",
            )),
            (false, Some(_)) => Err(Refusal::NotNeeded {
                option: "no-limits",
                message: "the version is judged by a limit or by its budget; leave it out",
            }),
            (false, None) => Ok(None),
        }
    }

    /// Refuses to learn from a table of very few records, or says for which reason it was done. A private run is not asked: its size is protected.
    pub fn large_enough(&self, recipe: &Recipe, records: u64) -> Result<Option<String>, Refusal> {
        if recipe.privacy.is_some() || records >= FEWEST_RECORDS {
            return Ok(None);
        }
        if let Some(reason) = &self.small_table {
            let said =
                format!("The original has fewer than {FEWEST_RECORDS} records. The owner's reason: {reason}");
            return Ok(Some(said));
        }
        Err(Refusal::Disclosure(
            "the table is too small: synthetic records of fewer than 30 original ones would be theirs with little change; 30 are needed, or say \
             why it may be done with the option `small-table`",
        ))
    }

    /// The exception that is recorded: none where no limit is broken, an error where one is and there is no reason.
    pub fn exception_for(&self, checks: &[LimitCheck]) -> Result<Option<String>, Refusal> {
        let broken = broken(checks);
        match (broken.is_empty(), &self.exception) {
            (true, _) => Ok(None),
            (false, Some(reason)) => Ok(Some(reason.clone())),
            (false, None) => Err(Refusal::LimitsBroken(broken.join("; "))),
        }
    }
}

impl Decision {
    /// Refuses a decision that accepts a broken limit without saying why.
    pub fn check(&self) -> Result<(), Refusal> {
        let reasons = Reasons { exception: self.exception.clone(), ..Reasons::default() };
        reasons.exception_for(&self.limits).map(|_| ())
    }
}

impl Publication {
    /// Refuses what names no measure that was computed.
    pub fn check(&self, computed: &[&dyn measures::Measure]) -> Result<(), String> {
        let families = || measures::MEASURES.iter().map(|family| family.name());
        for name in &self.measures {
            let family = name.split('.').next().unwrap_or_default();
            if families().any(|known| known == family) && !computed.iter().any(|of| of.name() == family) {
                return Err(format!("`{name}` is not measured; add {family} to the option `only`"));
            }
            if measures::card_of(name).is_none() && !families().any(|family| family == name) {
                let hint = table::similar_name::hint(name, families());
                return Err(format!(
                    "there is no measure or family of measures `{name}`{hint}; see `lookalike measures`"
                ));
            }
        }
        Ok(())
    }
}

/// The limits that are broken, each with the reason where there is no number.
fn broken(checks: &[LimitCheck]) -> Vec<String> {
    let text = |check: &LimitCheck| match &check.because {
        Some(because) => format!("{} ({because})", check.limit),
        None => check.limit.clone(),
    };
    checks.iter().filter(|check| !check.kept).map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kept: bool) -> LimitCheck {
        let limit = frontier::limits::parse("uniques.ru <= 1").unwrap();
        LimitCheck { kept, ..frontier::limits::check(&limit, &[], None) }
    }

    #[test]
    fn a_broken_limit_needs_a_reason_and_a_kept_one_records_none() {
        let given = Reasons { exception: Some("urgent".into()), ..Reasons::default() };
        assert_eq!(given.exception_for(&[check(true)]), Ok(None));
        assert_eq!(given.exception_for(&[check(false)]), Ok(Some("urgent".into())));
        let refused = Reasons::default().exception_for(&[check(true), check(false)]).unwrap_err();
        assert!(refused.to_string().contains("uniques.ru <= 1"), "{refused}");
        let decision = Decision { limits: vec![check(false)], ..Decision::default() };
        assert!(decision.check().is_err());
        assert!(Decision { exception: Some("urgent".into()), ..decision }.check().is_ok());
    }

    #[test]
    fn a_small_table_needs_a_reason_which_is_recorded() {
        let (recipe, none) = (Recipe::new("catall"), Reasons::default());
        assert_eq!(none.large_enough(&recipe, 30), Ok(None));
        assert!(none.large_enough(&recipe, 29).unwrap_err().to_string().contains("small-table"));
        let given = Reasons { small_table: Some("a class of one school".into()), ..none.clone() };
        let said = given.large_enough(&recipe, 29).unwrap().unwrap();
        assert!(said.contains("fewer than 30") && said.contains("a class of one school"), "{said}");
        assert_eq!(given.large_enough(&recipe, 30), Ok(None));
        let private = Recipe::parse("method = \"ipf\"\nprivacy = { epsilon = 1 }").unwrap();
        assert_eq!(none.large_enough(&private, 3), Ok(None));
    }

    #[test]
    fn a_private_version_is_not_chosen_by_an_unpaid_look_without_a_reason() {
        let private = Recipe::parse("method = \"ipf\"\nprivacy = { epsilon = 1 }").unwrap();
        let limits = [frontier::limits::parse("uniques.ru <= 1").unwrap()];
        let epsilon = [frontier::limits::parse("epsilon <= 1").unwrap()];
        let none = Reasons::default();
        assert!(none.not_covered(&private, &limits, false).is_err());
        assert!(none.not_covered(&private, &[], true).is_err());
        assert_eq!(none.not_covered(&private, &epsilon, false), Ok(None));
        assert_eq!(none.not_covered(&Recipe::new("ipf"), &limits, true), Ok(None));
        let reason = Reasons { unpaid_look: Some("the board".into()), ..none };
        assert!(reason.not_covered(&private, &limits, false).unwrap().unwrap().contains("the board"));
        assert!(reason.not_covered(&private, &epsilon, false).is_err());
    }

    #[test]
    fn a_learned_schema_needs_a_reason() {
        let learned =
            table::read::read_csv_text("sex\nF\nM\n", &table::read::ReadOptions::default()).unwrap();
        assert!(Reasons::default().caveats(learned.schema()).is_err());
        let reason = Reasons { learned_schema: Some("codebook".into()), ..Reasons::default() };
        assert!(reason.caveats(learned.schema()).unwrap()[0].contains("codebook"));
    }
}
