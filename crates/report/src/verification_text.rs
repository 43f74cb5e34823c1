//! What was checked of a release, on a terminal.

use release::{Seal, Verification};

/// Every check, and the verdict.
pub fn verification_text(release: &str, verification: &Verification) -> String {
    let mut text = format!("{release}\n\n");
    for check in &verification.checks {
        let mark = if check.passed { "ok    " } else { "WRONG " };
        text += &format!("  {mark} {}: {}\n", check.what, check.found);
    }
    let verdict = verdict(verification);
    text + &format!("\n{verdict}\n")
}

/// What may be concluded: parts that agree prove nothing by themselves, since whoever changes one can change all.
fn verdict(verification: &Verification) -> String {
    if !verification.passed {
        return "FAILED: this is not the release that was sealed; do not use it.".into();
    }
    match &verification.seal {
        Seal::Signature { key } => {
            format!("VERIFIED: sealed by the holder of the key {key}, unchanged since, and its parts agree.")
        }
        Seal::Hash => "UNCHANGED: its hash is the one that you were given, and its parts agree.".into(),
        Seal::Nothing { claimed_key } => {
            let hash = verification.manifest_sha256.as_deref().unwrap_or("none");
            let more = match claimed_key {
                Some(key) => format!(
                    "It claims to be signed by the key {key}: check that with --signer and the public key of its owner."
                ),
                None => {
                    "It is not signed: compare the hash with the one that its owner gave you by another way."
                        .into()
                }
            };
            format!(
                "Its parts agree. It is unchanged if this hash is the one you were given:\n{hash}\n{more}"
            )
        }
    }
}
