//! What was measured of a synthetic file, on a terminal and in words.

use std::fmt::Write;

use measures::Finding;
use table::figures::thousands;

/// Tables and propensity: S_pMSE up to here is what a fresh sample of the same size would score, 1 + n/N.
const FRESH_SAMPLE: f64 = 2.0;
/// Raab, Nowok & Dibben (2021): up to here good, and up to the next still usable.
const GOOD: f64 = 10.0;
const USABLE: f64 = 30.0;
/// Standard deviations that chance explains.
const CHANCE: f64 = 2.0;

/// The findings of `synthetic` files against the file `original`.
pub fn measure_text(original: &str, synthetic: usize, findings: &[Finding]) -> String {
    let mut out = String::new();
    let page = Page { findings };
    // Writing to a string cannot fail.
    let written = page.write(&mut out, original, synthetic);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    out
}

/// Findings by name.
struct Page<'a> {
    findings: &'a [Finding],
}

impl<'a> Page<'a> {
    fn all(&self, measure: &str) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(move |finding| finding.measure == measure)
    }

    fn first(&self, measure: &str) -> Option<&'a Finding> {
        self.all(measure).next()
    }

    fn write(&self, out: &mut String, original: &str, synthetic: usize) -> std::fmt::Result {
        let files = if synthetic == 1 { "1 synthetic file" } else { &format!("{synthetic} synthetic files") };
        writeln!(out, "{original} against {files}")?;
        self.files(out)?;
        let utility = self.utility()?;
        if !utility.is_empty() {
            write!(out, "\nDoes it still tell the truth?\n{utility}")?;
        }
        let risk = self.risk()?;
        if !risk.is_empty() {
            write!(out, "\nWhat does it give away?\n{risk}")?;
        }
        let undefined = self.findings.iter().filter(|finding| finding.value.is_none()).count();
        if undefined > 0 {
            writeln!(
                out,
                "\n{} of {} numbers could not be computed; --json tells each with its reason.",
                thousands(undefined),
                thousands(self.findings.len())
            )?;
        }
        Ok(())
    }

    fn files(&self, out: &mut String) -> std::fmt::Result {
        if let Some(records) = self.first("files.records") {
            let value = records.value.map_or_else(String::new, |value| thousands(value.round() as u64));
            writeln!(out, "  records: {value} for {} original ones", detail(records, "original"))?;
        }
        if let Some(columns) = self.first("files.columns") {
            for (key, file) in [("only_original", "original"), ("only_synthetic", "synthetic file")] {
                let names = names(columns, key);
                if !names.is_empty() {
                    writeln!(out, "  left out, because only the {file} has them: {}", names.join(", "))?;
                }
            }
        }
        let levels: Vec<String> = self
            .all("files.levels")
            .filter(|finding| finding.value.is_some_and(|value| value > 0.0))
            .map(|finding| {
                let (original, synthetic) =
                    (detail(finding, "only_original"), detail(finding, "only_synthetic"));
                format!(
                    "{} ({original} only in the original, {synthetic} only in the synthetic file)",
                    finding.on.join(":")
                )
            })
            .collect();
        if !levels.is_empty() {
            writeln!(out, "  levels that not both have: {}", levels.join("; "))?;
        }
        if let Some(kinds) =
            self.first("files.kinds").filter(|finding| finding.value.is_some_and(|value| value > 0.0))
        {
            let each = kinds.detail.get("columns").and_then(|columns| columns.as_array());
            let text =
                |value: &serde_json::Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
            let each = each.into_iter().flatten().map(|column| {
                format!(
                    "{} ({} and {})",
                    text(column, "variable"),
                    text(column, "original"),
                    text(column, "synthetic")
                )
            });
            writeln!(out, "  of another kind in the two files: {}", each.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }

    fn utility(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        self.tables(&mut out)?;
        self.propensity(&mut out)?;
        self.averages(&mut out)?;
        self.models(&mut out)?;
        self.conformance(&mut out)?;
        if let Some(score) = self.first("taub.overall").and_then(|finding| finding.value) {
            writeln!(out, "  overall score (Taub & Elliot): {score:.3} of 1")?;
        }
        Ok(out)
    }

    fn tables(&self, out: &mut String) -> std::fmt::Result {
        let worst: Vec<&Finding> = self.all("tables.worst_s_pmse").collect();
        for (mean, worst) in self.all("tables.mean_s_pmse").zip(worst) {
            let which = ways(mean);
            let Some(value) = mean.value else {
                writeln!(out, "  {which}: {}", reason(mean))?;
                continue;
            };
            write!(out, "  {which}: {} (mean S_pMSE {value:.2}", judged(value))?;
            match worst.value {
                Some(value) => writeln!(out, "; worst {} {value:.2})", worst.on.join(":"))?,
                None => writeln!(out, ")")?,
            }
        }
        Ok(())
    }

    fn propensity(&self, out: &mut String) -> std::fmt::Result {
        if let Some(ratio) = self.first("propensity.cart.s_pmse_resampled") {
            match ratio.value {
                Some(value) => {
                    let auc = self.first("propensity.cart.auc").and_then(|finding| finding.value);
                    let auc = auc.map_or_else(String::new, |auc| format!(", area under the curve {auc:.3}"));
                    writeln!(
                        out,
                        "  a tree that tries to tell the files apart: {} (S_pMSE {value:.2} by {} resamples{auc})",
                        told_apart(value, self.first("propensity.cart.z_resampled").and_then(|z| z.value)),
                        detail(ratio, "resamples")
                    )?;
                }
                None => writeln!(out, "  a tree that tries to tell the files apart: {}", reason(ratio))?,
            }
        }
        for (ratio, z) in self.all("propensity.logit.s_pmse").zip(self.all("propensity.logit.z")) {
            let order = match ratio.detail.get("order").and_then(|order| order.as_u64()) {
                Some(0) | None => "main effects".to_owned(),
                Some(1) => "two-way interactions".to_owned(),
                Some(order) => format!("interactions of {} variables", order + 1),
            };
            match (ratio.value, z.value) {
                (Some(value), Some(z)) => writeln!(
                    out,
                    "  a regression with {order}: {} (S_pMSE {value:.2}, z {z:.1})",
                    told_apart(value, Some(z))
                )?,
                _ => writeln!(out, "  a regression with {order}: {}", reason(ratio))?,
            }
        }
        Ok(())
    }

    fn averages(&self, out: &mut String) -> std::fmt::Result {
        for finding in self.all("counts.mean_roc") {
            if let Some(value) = finding.value {
                writeln!(out, "  ratio of counts in {}: {value:.3} of 1", ways(finding))?;
            }
        }
        for finding in self.all("interval.mean_overlap") {
            let Some(value) = finding.value else { continue };
            let of = match finding.detail.get("of").and_then(|of| of.as_str()) {
                Some("proportions") => format!("shares in {}", ways(finding)),
                Some("mean") => "means".to_owned(),
                other => other.unwrap_or_default().to_owned(),
            };
            writeln!(out, "  overlap of 95 % intervals of {of}: {value:.3} of 1")?;
        }
        let furthest = self.all("distance.ks").filter(|finding| finding.value.is_some());
        let furthest = furthest
            .max_by(|one, other| one.value.partial_cmp(&other.value).unwrap_or(std::cmp::Ordering::Equal));
        if let Some(ks) = furthest {
            let value = ks.value.unwrap_or_default();
            writeln!(
                out,
                "  the number furthest from its distribution: {} (Kolmogorov–Smirnov {value:.3})",
                ks.on.join("")
            )?;
        }
        for (measure, what) in [
            ("distance.mean_correlation", "correlations"),
            ("distance.mean_cramers_v", "associations of categories (Cramér's V)"),
        ] {
            if let Some(value) = self.first(measure).and_then(|finding| finding.value) {
                writeln!(out, "  {what} differ by {value:.3} on average")?;
            }
        }
        if let Some(score) = self.first("mca.score") {
            match score.value {
                Some(value) => writeln!(out, "  map of categories (MCA): {value:.3} of 1")?,
                None => writeln!(out, "  map of categories (MCA): {}", reason(score))?,
            }
        }
        Ok(())
    }

    fn models(&self, out: &mut String) -> std::fmt::Result {
        for overlap in self.all("model.overlap") {
            let model = detail(overlap, "model");
            let same = |finding: &&Finding| {
                detail(finding, "model") == model && detail(finding, "family") == detail(overlap, "family")
            };
            let Some(value) = overlap.value else {
                writeln!(out, "  {model}: {}", reason(overlap))?;
                continue;
            };
            let lack = self.all("model.lack_of_fit").find(same);
            let p = lack.and_then(|lack| lack.detail.get("p_value")).and_then(|p| p.as_f64());
            let judged = match p {
                Some(p) if p >= 0.05 => "coefficients differ no more than by chance",
                Some(_) => "coefficients differ more than by chance",
                None => "coefficients compared",
            };
            let p = p.map_or_else(String::new, |p| format!(", lack of fit p = {p:.2e}"));
            writeln!(out, "  {model}: {judged} (interval overlap {value:.3}{p})")?;
        }
        Ok(())
    }

    fn conformance(&self, out: &mut String) -> std::fmt::Result {
        if let Some(value) = self.first("conformance.all_values").and_then(|finding| finding.value) {
            if value == 0.0 {
                writeln!(out, "  values outside the original's domain: none")?;
            } else {
                writeln!(out, "  values outside the original's domain: {value:.3} %")?;
            }
        }
        for rule in self.all("conformance.rule").filter(|rule| rule.value.is_some_and(|value| value > 0.0)) {
            let value = rule.value.unwrap_or_default();
            writeln!(out, "  broken by {value:.3} % of records: {}", detail(rule, "rule"))?;
        }
        Ok(())
    }

    fn risk(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        for (unique, again) in self.all("uniques.p1").zip(self.all("uniques.ru")) {
            if let (Some(p1), Some(ru)) = (unique.value, again.value) {
                writeln!(
                    out,
                    "  on {}: {p1:.2} % of the original's records are unique, {ru:.2} % appear again as unique",
                    few(&unique.on)
                )?;
            }
        }
        for disco in self.all("attribute.disco") {
            let (keys, target) = (names(disco, "keys"), detail(disco, "target"));
            let Some(value) = disco.value else { continue };
            let same =
                |finding: &&Finding| names(finding, "keys") == keys && detail(finding, "target") == target;
            let tcap = self.all("attribute.tcap_taub").find(same).and_then(|finding| finding.value);
            let tcap = tcap.map_or_else(String::new, |tcap| format!(", TCAP {tcap:.3}"));
            writeln!(
                out,
                "  who knows {} learns {target} for {value:.2} % of records (DiSCO{tcap})",
                few(&keys)
            )?;
        }
        for tau in self.all("tau.4") {
            if let Some(value) = tau.value {
                writeln!(
                    out,
                    "  a cell found with about {} synthetic records has as many original ones with probability {value:.3} (tau4)",
                    detail(tau, "k")
                )?;
            }
        }
        for outside in self.all("intruder.outside_share") {
            if let Some(value) = outside.value {
                writeln!(out, "  records with a risk outside the accepted regions: {:.2} %", 100.0 * value)?;
            }
        }
        for most in self.all("intruder.r_max") {
            if let Some(value) = most.value {
                writeln!(
                    out,
                    "  who knows all records but one is sure of it by {value:.3} at most (prior: {})",
                    detail(most, "prior")
                )?;
            }
        }
        Ok(out)
    }
}

/// What a standardised distance of tables means.
fn judged(s_pmse: f64) -> &'static str {
    match s_pmse {
        value if value <= FRESH_SAMPLE => "as good as a fresh sample would be",
        value if value <= GOOD => "good",
        value if value <= USABLE => "usable with care",
        _ => "poor, not for analysis",
    }
}

/// What a standardised propensity means: within two standard deviations of chance, or by how much beyond.
fn told_apart(s_pmse: f64, z: Option<f64>) -> &'static str {
    match s_pmse {
        _ if z.is_some_and(|z| z <= CHANCE) => "it cannot, more than by chance",
        value if value <= FRESH_SAMPLE => "it hardly can",
        value if value <= GOOD => "it can a little",
        value if value <= USABLE => "it can",
        _ => "it can easily",
    }
}

fn ways(finding: &Finding) -> String {
    match finding.detail.get("ways").and_then(|ways| ways.as_u64()) {
        Some(1) => "one-way tables".to_owned(),
        Some(2) => "two-way tables".to_owned(),
        Some(3) => "three-way tables".to_owned(),
        Some(ways) => format!("tables of {ways} variables"),
        None => "the named tables".to_owned(),
    }
}

fn reason(finding: &Finding) -> String {
    format!("not known, because {}", finding.because.as_deref().unwrap_or("it was not computed"))
}

/// A detail as text.
fn detail(finding: &Finding, key: &str) -> String {
    match finding.detail.get(key) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Number(number)) => match number.as_u64() {
            Some(whole) => thousands(whole),
            None => number.to_string(),
        },
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn names(finding: &Finding, key: &str) -> Vec<String> {
    let list = finding.detail.get(key).and_then(|list| list.as_array());
    list.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Up to eight names, and how many more there are.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len() {
        some if some <= SHOWN => names.join(", "),
        many => format!("{} and {} more", names[..SHOWN].join(", "), many - SHOWN),
    }
}
