//! Who accepted a release, when, by which limits, and what may be published of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use frontier::axes::EPSILON;
use frontier::limits::axis_of;
use frontier::{Limit, LimitCheck};

/// The decision record of a release. [`Decision::public`] is what of it may be released.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The person or body that accepted the release.
    pub accepted_by: String,
    /// When, in UTC.
    pub accepted_at: String,
    /// What they had to say.
    pub note: Option<String>,
    /// The contestant of a frontier that was chosen, where there was one.
    pub chosen: Option<String>,
    /// Whether it was the recommended one; none without a frontier.
    pub recommended: Option<bool>,
    /// The limits used, held against the release itself.
    pub limits: Vec<LimitCheck>,
    /// Why a release that breaks a limit was accepted.
    pub exception: Option<String>,
    /// What may be published of what was measured against the original.
    pub publish: Publication,
    /// The terms under which the data may be used, as the owner states them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// What whoever uses the release should know of how the decision was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<String>,
}

/// What no ledger covers when a private release is chosen or accepted by what was measured.
pub(crate) const NOT_COVERED: &str = "The guarantee covers what the ledger lists. It does not cover the decision: the version was chosen or accepted by measuring \
                               against the original, and that may itself disclose something of the original. Every version that was made and not \
                               released has spent as much again.";

impl Decision {
    /// What may be published. Values are shown where their publication is allowed; of a release that is not private it is said whether a
    /// limit is kept. Of a private one only limits on what is public or allowed are published, and neither what was chosen among what nor an
    /// exception, which would disclose something of the others.
    pub fn public(&self, limits: &[Limit], is_private: bool) -> Self {
        let mut public = Self { limits: Vec::new(), ..self.clone() };
        if is_private {
            (public.chosen, public.recommended, public.exception) = (None, None, None);
        }
        for (check, limit) in self.limits.iter().zip(limits) {
            let measure = axis_of(limit).measure;
            if measure == EPSILON || self.publish.allows(&measure) {
                public.limits.push(check.clone());
            } else if !is_private {
                let (value, share_of_runs, because) = (None, None, None);
                public.limits.push(LimitCheck { value, share_of_runs, because, ..check.clone() });
            }
        }
        if public.limits.len() < self.limits.len() {
            public.caveats.push("Limits on what was measured against the original are not shown.".to_owned());
        }
        public
    }
}

/// What the custodian allows to be published. The default is nothing beyond the released files themselves and the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Publication {
    /// Families of measures (`tables`) or single ones (`tables.s_pmse`) whose findings may be shown.
    pub measures: Vec<String>,
    /// Why: measuring reads the original again, and no ledger covers it.
    pub reason: Option<String>,
}

impl Publication {
    /// Whether the findings of this measure may be shown.
    ///
    /// ```
    /// use release::decision::Publication;
    /// let allowed = Publication { measures: vec!["tables".into(), "mca.score".into()], reason: None };
    /// assert!(allowed.allows("tables.s_pmse") && allowed.allows("mca.score"));
    /// assert!(!allowed.allows("mca.distance") && !allowed.allows("tablesque.x"));
    /// ```
    pub fn allows(&self, measure: &str) -> bool {
        self.measures.iter().any(|allowed| {
            measure == allowed || measure.strip_prefix(allowed).is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontier::limits::parse;

    #[test]
    fn values_leave_the_house_only_where_they_are_allowed() {
        let limits: Vec<Limit> = ["epsilon <= 1", "attribute.disco <= 5", "tables.mean_s_pmse:2 <= 10"]
            .map(|text| parse(text).unwrap())
            .into();
        let check = |limit: &Limit| LimitCheck {
            limit: limit.text.clone(),
            measure: axis_of(limit).measure,
            value: Some(0.5),
            kept: true,
            share_of_runs: Some(1.0),
            because: None,
        };
        let publish = Publication { measures: vec!["tables".into()], reason: Some("asked for".into()) };
        let decision =
            Decision { limits: limits.iter().map(check).collect(), publish, ..Decision::default() };
        let told = |is_private| -> Vec<(String, Option<f64>)> {
            let public = decision.public(&limits, is_private);
            public.limits.into_iter().map(|check| (check.limit, check.value)).collect()
        };
        let told_of = |texts: &[(&str, Option<f64>)]| -> Vec<(String, Option<f64>)> {
            texts.iter().map(|(text, value)| ((*text).to_owned(), *value)).collect()
        };
        let (epsilon, tables) = (("epsilon <= 1", Some(0.5)), ("tables.mean_s_pmse:2 <= 10", Some(0.5)));
        assert_eq!(told(false), told_of(&[epsilon, ("attribute.disco <= 5", None), tables]));
        assert_eq!(told(true), told_of(&[epsilon, tables]));
        let decision = Decision { exception: Some("it is 0.5".into()), recommended: Some(true), ..decision };
        let public = decision.public(&limits, true);
        assert_eq!((public.exception, public.recommended, public.caveats.len()), (None, None, 1));
    }
}
