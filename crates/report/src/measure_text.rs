//! What was measured of a synthetic file, on a terminal and in words.

use measures::Finding;
use table::figures::thousands;

use crate::lights::{Lights, Subject, lights_text};
use crate::verdict::Verdict;

/// The findings of `synthetic` files against the file `original`: the four lights, and in full all that was found.
pub fn measure_text(original: &str, synthetic: usize, findings: &[Finding], in_full: bool) -> String {
    let findings: Vec<&Finding> = findings.iter().collect();
    let lights = Lights::of(&Subject::of_findings(&findings));
    let verdict = Verdict::of(&findings);
    let files = if synthetic == 1 { "1 synthetic file" } else { &format!("{synthetic} synthetic files") };
    let mut out = format!("{original} against {files}\n{}", lights_text(&lights));
    if let Some(share) = verdict.sample_share {
        out.push_str(&format!(
            "  its two-way tables are as close as those of a random sample of {share:.0} % of the original's records\n"
        ));
    }
    let list = |lines: &[String]| lines.iter().map(|line| format!("  {line}\n")).collect::<String>();
    if !in_full {
        out.push_str(&list(&verdict.differences));
        out.push_str("  --verbose prints every number in words, --report FILE.html shows them\n");
        return out;
    }
    out.push_str(&list(&verdict.files));
    for (heading, lines) in
        [("How useful is it?", &verdict.utility), ("What does it disclose?", &verdict.risk)]
    {
        if !lines.is_empty() {
            out.push_str(&format!("\n{heading}\n{}", list(lines)));
        }
    }
    let (undefined, all) = verdict.undefined;
    if undefined > 0 {
        out.push_str(&format!(
            "\n{} of {} numbers could not be computed; --json lists each with its reason.\n",
            thousands(undefined),
            thousands(all)
        ));
    }
    out
}
