//! What was checked of a release, on a terminal.

use release::Verification;

/// Every check, and the verdict.
pub fn verification_text(release: &str, verification: &Verification) -> String {
    let mut text = format!("{release}\n\n");
    for check in &verification.checks {
        let mark = if check.passed { "ok    " } else { "WRONG " };
        text += &format!("  {mark} {}: {}\n", check.what, check.found);
    }
    let verdict = if verification.passed {
        "VERIFIED: the release is unchanged since it was sealed, and its parts agree."
    } else {
        "FAILED: this is not the release that was sealed; do not use it."
    };
    text + &format!("\n{verdict}\n")
}
