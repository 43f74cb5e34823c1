//! What an audit found, on a terminal.

use frontier::audit::{AuditFinding, Bounded};
use table::figures::thousands;

/// The bound, and whether the claim stands.
pub fn audit_text(finding: &AuditFinding) -> String {
    let delta = if finding.delta > 0.0 { format!(", delta = {:e}", finding.delta) } else { String::new() };
    let mut text = format!(
        "{}: epsilon = {}{delta} is claimed; {} runs on each of two neighbouring tables\n\n",
        finding.method,
        finding.epsilon,
        thousands(u64::from(finding.runs))
    );
    let what = match finding.bounded {
        Bounded::Epsilon => "epsilon",
        Bounded::Rho => "rho",
        Bounded::Mu => "mu",
    };
    for scenario in &finding.scenarios {
        text += &format!(
            "  {}: {what} is at least {:.4}\n    distinguished by: {}\n",
            scenario.name, scenario.lower_bound, scenario.event
        );
    }
    let verdict = if finding.passed {
        "PASSED: no run disproves the claim. An audit can find a fault, it cannot prove that there is none."
    } else {
        "FAILED: the method gives away more than it claims."
    };
    let confidence = 100.0 * finding.confidence;
    text + &format!(
        "\n{what} is at least {:.3} where {:.3} is claimed, with {confidence} % confidence\n{verdict}\n",
        finding.lower_bound, finding.claimed
    )
}
