//! A claimed ε held against many runs of the real code.

use frontier::audit::{AuditFinding, Claim, audit};
use synthesis::Recipe;
use table::watch::Watch;

use crate::{Error, Request};

/// Asks for a lower bound on the ε that a private method really has.
///
/// ```
/// use lookalike::{AuditRequest, Watch};
/// use lookalike::frontier::audit::Claim;
///
/// let claim = Claim { epsilon: 1.0, delta: None, runs: 100, confidence: 0.99 };
/// let found = AuditRequest::new("dirichlet", claim).run(&Watch::default())?;
/// assert!(found.passed);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AuditRequest {
    /// The method with its options.
    pub recipe: Recipe,
    /// What is claimed of it.
    pub claim: Claim,
}

impl AuditRequest {
    /// Asks this of a method with its usual options.
    pub fn new(method: &str, claim: Claim) -> Self {
        Self { recipe: Recipe::new(method), claim }
    }

    /// Runs the method on neighbouring tables.
    pub fn run(&self, watch: &Watch) -> Result<AuditFinding, Error> {
        watch.check()?;
        Ok(audit(&self.recipe.method, &self.recipe.options, &self.claim)?)
    }
}

impl Request for AuditRequest {
    type Outcome = AuditFinding;

    fn perform(&self, watch: &Watch) -> Result<AuditFinding, Error> {
        self.run(watch)
    }

    fn text(&self, found: &AuditFinding) -> String {
        report::audit_text(found)
    }

    fn json(&self, found: &AuditFinding) -> serde_json::Value {
        serde_json::json!(found)
    }

    fn passed(&self, found: &AuditFinding) -> bool {
        found.passed
    }
}
