//! Who accepted a release, when, by which limits, and what may be told of it outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frontier::LimitCheck;

/// The decision record of a release. It is public: it names limits and whether they are kept, and a measured value only where
/// the custodian allows its publication.
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
    /// What may be told outside of what was measured against the original.
    pub publish: Publication,
}

/// What the custodian allows to be told outside. The default is nothing beyond the released files themselves and the ledger.
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
    /// use study::decision::Publication;
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
