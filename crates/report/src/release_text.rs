//! What was written to the folder of a release.

use std::path::Path;

use measures::Finding;
use privacy::LedgerRecord;
use release::decision::Decision;
use release::{INTERNAL_FOLDER, LEDGER, Manifest};
use table::figures::thousands;

use crate::lights::{Lights, Subject, lights_text};

/// The data sets of a folder and what is said of them.
pub fn data_sets_text(out: &Path, manifest: &Manifest, remarks: &[String]) -> String {
    let data_sets = if manifest.m == 1 {
        "one synthetic data set".to_owned()
    } else {
        format!("{} synthetic data sets", manifest.m)
    };
    let mut text = format!("{}: {data_sets} by {}\n", out.display(), manifest.method);
    let (pictures, files): (Vec<_>, Vec<_>) =
        manifest.files.iter().partition(|file| file.name.starts_with("pictures/"));
    let (parts, files): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.rows.is_some() && file.name.contains('/'));
    for name in manifest.data_sets() {
        let of_data_set = parts.iter().filter(|file| file.name.starts_with(&format!("{name}/")));
        let (count, rows) =
            of_data_set.fold((0, 0), |(count, rows), file| (count + 1, rows + file.rows.unwrap_or(0)));
        if count > 0 {
            text.push_str(&format!(
                "  {name}/  {} records in {} files\n",
                thousands(rows),
                thousands(count as u64)
            ));
        }
    }
    for file in files {
        let rows = file.rows.map_or_else(String::new, |rows| format!("  {} records", thousands(rows)));
        text.push_str(&format!("  {}{rows}\n", file.name));
    }
    if !pictures.is_empty() {
        text.push_str(&format!("  pictures/  {} of them\n", pictures.len()));
    }
    remarks.iter().for_each(|remark| text.push_str(&format!("  {remark}\n")));
    text.push_str(&format!("  {}\n", manifest.label));
    text.push_str(&format!("  schema.toml is from {}\n", manifest.schema_from));
    text.push_str(&format!("  {}\n", manifest.guarantee));
    if !manifest.files.iter().any(|file| file.name == LEDGER) {
        text.push_str(&format!("  {INTERNAL_FOLDER}/ holds the seed; confidential: do not release\n"));
    }
    text
}

/// The same of a release that was decided upon.
pub fn release_text(out: &Path, manifest: &Manifest, remarks: &[String], decision: &Decision) -> String {
    let mut text = data_sets_text(out, manifest, remarks);
    text.push_str(&format!("  accepted by {}, {}\n", decision.accepted_by, limits_text(decision)));
    decision.caveats.iter().for_each(|caveat| text.push_str(&format!("  {caveat}\n")));
    text.push_str(&format!(
        "  {} may be released, {} is confidential\n",
        out.join("report.html").display(),
        out.join(INTERNAL_FOLDER).join("report-internal.html").display()
    ));
    text
}

/// The four lights of a release.
pub fn verdict_text(
    findings: &[Finding],
    manifest: &Manifest,
    ledger: Option<&LedgerRecord>,
    decision: &Decision,
) -> String {
    let findings: Vec<&Finding> = findings.iter().collect();
    let subject = Subject {
        findings: &findings,
        withheld: false,
        manifest: Some(manifest),
        ledger,
        decision: Some(decision),
    };
    lights_text(&Lights::of(&subject))
}

fn limits_text(decision: &Decision) -> String {
    let broken = decision.limits.iter().filter(|check| !check.kept).count();
    match (decision.limits.len(), broken) {
        (0, _) => "without limits".into(),
        (1, 0) => "its limit is kept".into(),
        (all, 0) => format!("all {all} limits kept"),
        (all, broken) => format!("{broken} of {all} limits broken, by exception"),
    }
}
