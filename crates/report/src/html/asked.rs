//! What was asked and done.

use table::figures::thousands;

use super::View;
use crate::markup::{Markup, tag};

pub(super) fn content(view: &View<'_>) -> Markup {
    let mut pairs: Vec<(String, String)> = Vec::new();
    if let Some(manifest) = view.manifest {
        let files = manifest
            .files
            .iter()
            .filter(|file| file.rows.is_some())
            .map(|file| format!("{} ({} records)", file.name, thousands(file.rows.unwrap_or_default())));
        pairs.extend([
            ("made by".into(), manifest.software.clone()),
            ("when".into(), manifest.created.clone()),
            ("method".into(), manifest.method.clone()),
            ("data sets".into(), manifest.m.to_string()),
            ("guarantee".into(), manifest.guarantee.clone()),
            ("randomness".into(), manifest.seed_from.clone()),
            (
                "input".into(),
                format!("{} records of {} variables", thousands(manifest.input.rows), manifest.input.columns),
            ),
            ("files".into(), files.collect::<Vec<_>>().join(", ")),
        ]);
        pairs.extend(manifest.remarks.iter().map(|remark| ("remark".into(), remark.clone())));
    }
    pairs.extend(view.asked.iter().cloned());
    if let Some(frontier) = view.frontier {
        let keys: Vec<String> = frontier.keys.iter().map(|keys| keys.join(", ")).collect();
        pairs.extend([
            ("frontier of".into(), format!("{} ({} records)", frontier.data, thousands(frontier.rows))),
            (
                "contestants".into(),
                format!("{}, each run {} times", frontier.contestants.len(), frontier.repeat),
            ),
            ("intruders' keys".into(), keys.join("; ")),
            ("targets".into(), frontier.targets.join(", ")),
            ("models".into(), frontier.models.join("; ")),
        ]);
    }
    // What the manifest and the command both remark is said once.
    let mut told = std::collections::BTreeSet::new();
    pairs.retain(|pair| !pair.1.is_empty() && told.insert(pair.clone()));
    if pairs.is_empty() {
        return Markup::default();
    }
    let pairs = pairs.iter().flat_map(|(word, text)| [tag("dt").text(word), tag("dd").prose(text)]);
    tag("dl").all(pairs).into()
}
