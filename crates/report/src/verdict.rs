//! What the findings mean, in sentences: what the terminal prints is what the report says.

use std::collections::BTreeSet;
use std::fmt::Write;

use measures::Finding;
use measures::files;
use measures::risk::{attacks, closest, few_keys, intruder, membership, tau, uniques};
use measures::utility::{
    conformance, distance, interval, mca, model, prediction, propensity, ratio_of_counts, tables, taub,
};
use table::figures::thousands;

use crate::judgement::{CHANCE, detail, few, judged, names, reason, told_apart, ways};
use crate::lights::{Attack, Lights, Subject, TOO_CLOSE, attribute_attacks, truth};

/// The findings in sentences.
pub(crate) struct Verdict {
    /// What the files are.
    pub(crate) files: Vec<String>,
    /// How useful is it?
    pub(crate) utility: Vec<String>,
    /// What does it disclose?
    pub(crate) risk: Vec<String>,
    /// How many numbers could not be computed, of how many.
    pub(crate) undefined: (usize, usize),
    /// The random sample of the original whose two-way tables are as close, in per cent of its records.
    pub(crate) sample_share: Option<f64>,
    /// What columns, levels and kinds differ: what must be known before anything else is believed.
    pub(crate) differences: Vec<String>,
}

impl Verdict {
    /// What these findings mean.
    pub(crate) fn of(findings: &[&Finding]) -> Self {
        let page = Page { findings };
        let lines = |text: Result<String, std::fmt::Error>| {
            debug_assert!(text.is_ok(), "writing to a string cannot fail");
            text.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
        };
        let undefined = findings.iter().filter(|finding| finding.value.is_none()).count();
        let files: Vec<String> = lines(page.files());
        Self {
            // Tables that are closer than drawn ones can be are no sample's.
            sample_share: page
                .sample_share()
                .filter(|_| Lights::of(&Subject::of_findings(findings)).truth.word != TOO_CLOSE),
            differences: files.iter().filter(|line| !line.starts_with("records: ")).cloned().collect(),
            files,
            utility: lines(page.utility()),
            risk: lines(page.risk()),
            undefined: (undefined, findings.len()),
        }
    }
}

/// Findings by name.
struct Page<'a> {
    findings: &'a [&'a Finding],
}

impl<'a> Page<'a> {
    fn all(&self, measure: &str) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().filter(move |finding| finding.measure == measure)
    }

    fn first(&self, measure: &str) -> Option<&'a Finding> {
        self.all(measure).next()
    }

    fn files(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        if let Some(records) = self.first(files::names::RECORDS) {
            let value = records.value.map_or_else(String::new, |value| thousands(value.round() as u64));
            writeln!(out, "  records: {value} for {} original ones", detail(records, "original"))?;
        }
        if let Some(columns) = self.first(files::names::COLUMNS) {
            for (key, file) in [("only_original", "original"), ("only_synthetic", "synthetic file")] {
                let names = names(columns, key);
                if !names.is_empty() {
                    writeln!(out, "  left out, because only the {file} has them: {}", names.join(", "))?;
                }
            }
        }
        let levels: Vec<String> = self
            .all(files::names::LEVELS)
            .filter(|finding| finding.value.is_some_and(|value| value > 0.0))
            .map(|finding| {
                let (lost, new) = (detail(finding, "only_original"), detail(finding, "only_synthetic"));
                let told = [(lost, "lost"), (new, "new")];
                let told = told.iter().filter(|(number, _)| number != "0" && !number.is_empty());
                let told: Vec<String> = told.map(|(number, word)| format!("{number} {word}")).collect();
                let told = if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) };
                format!("{}{told}", finding.on.join(":"))
            })
            .collect();
        if !levels.is_empty() {
            writeln!(
                out,
                "  levels that only one file has, lost or new in the synthetic one: {}",
                levels.join("; ")
            )?;
        }
        if let Some(kinds) =
            self.first(files::names::KINDS).filter(|finding| finding.value.is_some_and(|value| value > 0.0))
        {
            let each = kinds.detail.get("columns").and_then(|columns| columns.as_array());
            let text =
                |value: &serde_json::Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
            // A file without a schema does not show the order of its levels: that is no difference.
            let levels = ["ordinal", "categorical"].map(str::to_owned);
            let differ = |column: &&serde_json::Value| {
                ![text(column, "original"), text(column, "synthetic")]
                    .iter()
                    .all(|kind| levels.contains(kind))
            };
            let each = each.into_iter().flatten().filter(differ).map(|column| {
                format!(
                    "{} ({} and {})",
                    text(column, "variable"),
                    text(column, "original"),
                    text(column, "synthetic")
                )
            });
            let each: Vec<String> = each.collect();
            if !each.is_empty() {
                writeln!(out, "  read as another kind of variable in the two files: {}", each.join(", "))?;
            }
        }
        Ok(out)
    }

    fn utility(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        self.tables(&mut out)?;
        self.propensity(&mut out)?;
        self.totals(&mut out)?;
        self.averages(&mut out)?;
        self.models(&mut out)?;
        self.prediction(&mut out)?;
        self.conformance(&mut out)?;
        if let Some(score) = self.first(taub::names::OVERALL).and_then(|finding| finding.value) {
            writeln!(out, "  overall score (Taub & Elliot): {score:.3} of 1")?;
        }
        Ok(out)
    }

    fn totals(&self, out: &mut String) -> std::fmt::Result {
        let subject = Subject::of_findings(self.findings);
        if let Some(side) = truth::worst_mean(&subject) {
            writeln!(out, "  means and totals of numbers: {} (at most, {})", side.grade.words(), side.words)?;
        }
        if let Some(side) = truth::worst_tail(&subject) {
            writeln!(
                out,
                "  the tail that is furthest off beyond chance: {} ({})",
                side.grade.words(),
                side.words
            )?;
        }
        Ok(())
    }

    fn tables(&self, out: &mut String) -> std::fmt::Result {
        let worst: Vec<&Finding> = self.all(tables::names::WORST_S_PMSE).collect();
        for (mean, worst) in self.all(tables::names::MEAN_S_PMSE).zip(worst) {
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
        if let Some(value) = self.sample_share() {
            writeln!(
                out,
                "  two-way tables are as close as those of a random sample of {value:.0} % of the original's records"
            )?;
        }
        let worst: Vec<&Finding> = self.all(tables::names::FINE_WORST_S_PMSE).collect();
        for (mean, worst) in self.all(tables::names::FINE_MEAN_S_PMSE).zip(worst) {
            if let (Some(value), Some(most)) = (mean.value, worst.value) {
                let (which, on) = (ways(mean), worst.on.join(":"));
                writeln!(
                    out,
                    "  {which}, numbers in 20 classes: {} (mean S_pMSE {value:.2}; worst {on} {most:.2})",
                    judged(value)
                )?;
            }
        }
        Ok(())
    }

    fn sample_share(&self) -> Option<f64> {
        let two_way =
            |finding: &&Finding| finding.detail.get("ways").and_then(|ways| ways.as_u64()) == Some(2);
        self.all(tables::names::SAMPLE_SHARE).find(two_way).and_then(|finding| finding.value)
    }

    fn propensity(&self, out: &mut String) -> std::fmt::Result {
        if let Some(ratio) = self.first(propensity::names::CART_S_PMSE_RESAMPLED) {
            match ratio.value {
                Some(value) => {
                    let auc = self.first(propensity::names::CART_AUC).and_then(|finding| finding.value);
                    let auc = auc.map_or_else(String::new, |auc| format!(", area under the curve {auc:.3}"));
                    writeln!(
                        out,
                        "  a tree that tries to tell the files apart: {} (S_pMSE {value:.2} by {} resamples{auc})",
                        told_apart(
                            value,
                            self.first(propensity::names::CART_Z_RESAMPLED).and_then(|z| z.value)
                        ),
                        detail(ratio, "resamples")
                    )?;
                }
                None => writeln!(out, "  a tree that tries to tell the files apart: {}", reason(ratio))?,
            }
        }
        for (ratio, z) in self.all(propensity::names::LOGIT_S_PMSE).zip(self.all(propensity::names::LOGIT_Z))
        {
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
        for finding in self.all(ratio_of_counts::names::MEAN_ROC) {
            if let Some(value) = finding.value {
                writeln!(out, "  ratio of counts in {}: {value:.3} of 1", ways(finding))?;
            }
        }
        for finding in self.all(interval::names::MEAN_OVERLAP) {
            let Some(value) = finding.value else { continue };
            let of = match finding.detail.get("of").and_then(|of| of.as_str()) {
                Some("proportions") => format!("shares in {}", ways(finding)),
                Some("mean") => "means".to_owned(),
                other => other.unwrap_or_default().to_owned(),
            };
            writeln!(out, "  overlap of 95 % intervals of {of}: {value:.3} of 1")?;
        }
        let furthest = self.all(distance::names::KS).filter(|finding| finding.value.is_some());
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
            (distance::names::MEAN_CORRELATION, "correlations"),
            (distance::names::MEAN_CRAMERS_V, "associations of categories (Cramér's V)"),
        ] {
            if let Some(value) = self.first(measure).and_then(|finding| finding.value) {
                writeln!(out, "  {what} differ by {value:.3} on average")?;
            }
        }
        if let Some(score) = self.first(mca::names::SCORE) {
            match score.value {
                Some(value) => writeln!(out, "  map of categories (MCA): {value:.3} of 1")?,
                None => writeln!(out, "  map of categories (MCA): {}", reason(score))?,
            }
        }
        Ok(())
    }

    fn models(&self, out: &mut String) -> std::fmt::Result {
        for overlap in self.all(model::names::OVERLAP) {
            let model = detail(overlap, "model");
            let same = |finding: &&Finding| {
                detail(finding, "model") == model && detail(finding, "family") == detail(overlap, "family")
            };
            let Some(value) = overlap.value else {
                writeln!(out, "  {model}: {}", reason(overlap))?;
                continue;
            };
            let lack = self.all(model::names::LACK_OF_FIT).find(same);
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

    fn prediction(&self, out: &mut String) -> std::fmt::Result {
        let Some(mean) = self.first(prediction::names::MEAN_RATIO) else { return Ok(()) };
        let Some(value) = mean.value else { return Ok(()) };
        let least = match mean.detail.get("least").and_then(|least| least.as_f64()) {
            Some(least) => format!("; least for {}: {least:.2}", detail(mean, "variable")),
            None => String::new(),
        };
        writeln!(
            out,
            "  models trained on synthetic records keep {value:.2} of what those of original ones gain over a guess (tested on {}{least})",
            detail(mean, "tested_on")
        )
    }

    fn conformance(&self, out: &mut String) -> std::fmt::Result {
        if let Some(value) = self.first(conformance::names::ALL_VALUES).and_then(|finding| finding.value) {
            if value == 0.0 {
                writeln!(out, "  values outside the original's domain: none")?;
            } else {
                writeln!(out, "  values outside the original's domain: {value:.3} %")?;
            }
        }
        for rule in
            self.all(conformance::names::RULE).filter(|rule| rule.value.is_some_and(|value| value > 0.0))
        {
            let value = rule.value.unwrap_or_default();
            writeln!(out, "  broken by {value:.3} % of records: {}", detail(rule, "rule"))?;
        }
        Ok(())
    }

    fn risk(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        if let Some(copies) = self.first(uniques::names::COPIES)
            && let Some(share) = copies.value
        {
            let expected = copies.null.unwrap_or(0.0);
            writeln!(
                out,
                "  copies of unique original records: {share:.2} % of the synthetic ones ({expected:.2} % by chance)"
            )?;
        }
        for (unique, again) in self.all(uniques::names::P1).zip(self.all(uniques::names::RU)) {
            if let (Some(p1), Some(ru)) = (unique.value, again.value) {
                writeln!(
                    out,
                    "  on {}: {p1:.2} % of the original's records are unique, {ru:.2} % appear again as unique",
                    few(&unique.on)
                )?;
            }
        }
        self.attributes(&mut out)?;
        self.guesses(&mut out)?;
        for tau in self.all(tau::names::TAU4) {
            if let Some(value) = tau.value {
                writeln!(
                    out,
                    "  a cell found with about {} synthetic records has as many original ones with probability {value:.3} (tau4)",
                    detail(tau, "k")
                )?;
            }
        }
        for outside in self.all(intruder::names::OUTSIDE_SHARE) {
            if let Some(value) = outside.value {
                writeln!(out, "  records with a risk outside the accepted regions: {:.2} %", 100.0 * value)?;
            }
        }
        for most in self.all(intruder::names::R_MAX) {
            if let Some(value) = most.value {
                writeln!(
                    out,
                    "  who knows all records but one is sure of it by {value:.3} at most (prior: {})",
                    detail(most, "prior")
                )?;
            }
        }
        self.closest(&mut out)?;
        self.attacks(&mut out)?;
        self.membership(&mut out)?;
        Ok(out)
    }

    /// One line a set of keys, and one for all attacks with all other variables: the targets of which most is learned.
    fn attributes(&self, out: &mut String) -> std::fmt::Result {
        const TOLD: usize = 3;
        let attacks = attribute_attacks(self.findings);
        let variables: BTreeSet<&String> =
            attacks.iter().flat_map(|attack| attack.keys.iter().chain([&attack.target])).collect();
        let is_rest = |attack: &Attack| variables.len() > 2 && attack.keys.len() + 1 == variables.len();
        // No keys stand for all other variables.
        let mut sets: Vec<(&[String], Vec<&Attack>)> = Vec::new();
        for attack in &attacks {
            let known: &[String] = if is_rest(attack) { &[] } else { &attack.keys };
            match sets.iter_mut().find(|(keys, _)| *keys == known) {
                Some((_, of_set)) => of_set.push(attack),
                None => sets.push((known, vec![attack])),
            }
        }
        for (keys, of_set) in sets {
            let keys = if keys.is_empty() { "all other variables".to_owned() } else { few(keys) };
            let told = of_set.iter().take(TOLD).map(|attack| {
                let (share, base) = (attack.disclosed, attack.base);
                let by = if attack.holdout.is_some() { "from a holdout" } else { "without their record" };
                format!("{} for {share:.2} % of people ({base:.2} % {by})", attack.target)
            });
            let told = told.collect::<Vec<_>>().join(", ");
            let more = match of_set.len().saturating_sub(TOLD) {
                0 => String::new(),
                more => format!("; less of {more} other variables"),
            };
            writeln!(out, "  who knows {keys} learns {told}{more}")?;
        }
        Ok(())
    }

    fn closest(&self, out: &mut String) -> std::fmt::Result {
        let share = self.first(closest::names::SHARE_CLOSER).and_then(|finding| finding.value);
        let z = self.first(closest::names::SHARE_CLOSER_Z).and_then(|finding| finding.value);
        if let (Some(share), Some(z)) = (share, z) {
            let judged = if z > CHANCE { "more than by chance" } else { "no more than by chance" };
            return writeln!(
                out,
                "  {:.1} % of synthetic records are closer to an original than to a holdout record: {judged} (z {z:.1})",
                100.0 * share
            );
        }
        match self.first(closest::names::MEDIAN).and_then(|finding| finding.value) {
            Some(median) => writeln!(
                out,
                "  half of the synthetic records are within {median:.3} of an original one (Gower's distance, at most 1)"
            ),
            None => Ok(()),
        }
    }

    /// The attack with the largest excess over its control.
    fn attacks(&self, out: &mut String) -> std::fmt::Result {
        let excess = attacks::names::EXCESS.into_iter().flat_map(|name| self.all(name));
        let worst = excess
            .filter_map(|finding| Some((finding.value?, finding)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let Some((value, finding)) = worst else { return Ok(()) };
        let number = |key: &str| finding.detail.get(key).and_then(|number| number.as_f64());
        let interval = match (number("low"), number("high")) {
            (Some(low), Some(high)) => format!(", 95 % interval {:.1} to {:.1}", 100.0 * low, 100.0 * high),
            _ => String::new(),
        };
        let on = if finding.on.is_empty() { String::new() } else { format!(" of {}", finding.on.join(", ")) };
        writeln!(
            out,
            "  attacks succeed on original records at most {:.1} % more often than on others ({}{on}{interval})",
            100.0 * value,
            finding.measure
        )
    }

    fn guesses(&self, out: &mut String) -> std::fmt::Result {
        for finding in self.all(few_keys::names::GAIN) {
            let Some(gain) = finding.value else { continue };
            let number =
                |name: &str| finding.detail.get(name).and_then(serde_json::Value::as_f64).unwrap_or(0.0);
            writeln!(
                out,
                "  who knows {} guesses {} right for {:.1} % of people, {:.1} % in the same way from all other records: {gain:.1} points gained (standard error {:.1})",
                few(&names(finding, "keys")),
                detail(finding, "target"),
                number("with"),
                number("without"),
                number("se")
            )?;
        }
        Ok(())
    }

    fn membership(&self, out: &mut String) -> std::fmt::Result {
        let tried = [membership::names::DISTANCE_TPR, membership::names::DENSITY_TPR];
        let found = tried.into_iter().filter_map(|name| self.first(name)).filter_map(|finding| finding.value);
        match found.max_by(f64::total_cmp) {
            Some(share) => writeln!(
                out,
                "  who asks whether a record was used finds {:.1} % of them with 1 % false alarms (1 % by guessing)",
                100.0 * share
            ),
            None => Ok(()),
        }
    }
}
