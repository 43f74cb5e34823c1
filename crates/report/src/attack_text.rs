//! What a shadow-model attack found, on a terminal.

use frontier::attack::AttackFinding;
use table::figures::thousands;

/// Targets that are named.
const NAMED: usize = 5;

/// How well records are found, and which best.
pub fn attack_text(finding: &AttackFinding) -> String {
    let mut text = format!(
        "{}: fitted {} times to {} records, the {} most unlike all others in or out by the toss of a coin\n\n",
        finding.method,
        finding.runs,
        thousands(finding.records),
        finding.targets.len()
    );
    text += &format!(
        "  who knows such a record and sees a release ranks those in the data above those not in it with AUC {:.3} (guessing: 0.5, standard error {:.3})\n",
        finding.auc, finding.auc_error
    );
    text += &format!(
        "  with 1 % false alarms {:.1} % of those in the data are found (guessing: 1 %)\n",
        100.0 * finding.found
    );
    let best = finding.targets.iter().take(NAMED);
    let best: Vec<String> = best.map(|target| format!("row {} ({:.2})", target.row, target.auc)).collect();
    text += &format!(
        "  found best, by AUC: {}; of that many guesses the best is near {:.2}\n",
        best.join(", "),
        expected_largest(finding)
    );
    let verdict = if finding.is_exposed {
        "EXPOSED: a release says something about who was in the data. Weigh how much, protect these records, or take a private method."
    } else {
        "NOT EXPOSED: no trace was found by this attack. Another one may find more; only a private method bounds them all."
    };
    text + &format!("\n{verdict}\nConfidential: rows and rates come from the records; do not release them.\n")
}

/// The largest of so many areas that are near ½ by chance alone: ½ + s √(2 ln T), at most 1.
fn expected_largest(finding: &AttackFinding) -> f64 {
    let error = finding.targets.iter().map(|target| target.auc_error).fold(0.0, f64::max);
    (0.5 + error * (2.0 * (finding.targets.len() as f64).max(1.0).ln()).sqrt()).min(1.0)
}
