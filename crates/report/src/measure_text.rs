//! What was measured of a synthetic file, on a terminal and in words.

use measures::Finding;
use table::figures::thousands;

use crate::verdict::Verdict;

/// The findings of `synthetic` files against the file `original`.
pub fn measure_text(original: &str, synthetic: usize, findings: &[Finding]) -> String {
    let verdict = Verdict::of(&findings.iter().collect::<Vec<_>>());
    let files = if synthetic == 1 { "1 synthetic file" } else { &format!("{synthetic} synthetic files") };
    let mut out = format!("{original} against {files}\n");
    let list = |lines: &[String]| lines.iter().map(|line| format!("  {line}\n")).collect::<String>();
    out += &list(&verdict.files);
    if !verdict.utility.is_empty() {
        out += &format!("\nHow useful is it?\n{}", list(&verdict.utility));
    }
    if !verdict.risk.is_empty() {
        out += &format!("\nWhat does it disclose?\n{}", list(&verdict.risk));
    }
    let (undefined, all) = verdict.undefined;
    if undefined > 0 {
        out += &format!(
            "\n{} of {} numbers could not be computed; --json lists each with its reason.\n",
            thousands(undefined),
            thousands(all)
        );
    }
    out
}
