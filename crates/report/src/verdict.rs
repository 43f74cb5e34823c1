//! What the findings mean, in sentences: what the terminal prints is what the report says.

use std::fmt::Write;

use measures::Finding;
use measures::files;
use measures::risk::{attacks, attribute, closest, intruder, membership, tau, uniques};
use measures::utility::{
    amounts, conformance, distance, interval, mca, model, prediction, propensity, ratio_of_counts, tables,
    taub,
};
use table::figures::thousands;

use crate::judgement::{
    CHANCE, COPY, DISTANCES, Grade, MISSED_OVERLAPS, SMALL_ERROR, STANDARD_ERRORS, WORST_DISTANCES, detail,
    few, judged, names, reason, told_apart, ways,
};

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
        Self {
            files: lines(page.files()),
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
            self.first(files::names::KINDS).filter(|finding| finding.value.is_some_and(|value| value > 0.0))
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
        Ok(out)
    }

    fn utility(&self) -> Result<String, std::fmt::Error> {
        let mut out = String::new();
        self.overall(&mut out)?;
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

    /// The worst of what tables, propensity models, numbers and models show, and where.
    fn overall(&self, out: &mut String) -> std::fmt::Result {
        if self.is_too_close() {
            return writeln!(
                out,
                "  in all: a copy, or fitted to the original's own tables: these are closer than those of records drawn from a right model; do not take it for drawn data"
            );
        }
        let mut sides: Vec<(Grade, String)> = Vec::new();
        for (name, limits) in [
            (tables::names::FARTHER_MEAN_S_PMSE, DISTANCES),
            (tables::names::WORST_S_PMSE, WORST_DISTANCES),
            (tables::names::FINE_WORST_S_PMSE, WORST_DISTANCES),
        ] {
            for finding in self.all(name) {
                let Some(value) = finding.value else { continue };
                let at =
                    if finding.on.is_empty() { String::new() } else { format!(" {}", finding.on.join(":")) };
                sides.push((Grade::of(value, limits), format!("{}{at}, S_pMSE {value:.1}", ways(finding))));
            }
        }
        let tree =
            [(propensity::names::CART_S_PMSE_RESAMPLED, propensity::names::CART_Z_RESAMPLED, "a tree")];
        let regression = [(propensity::names::LOGIT_S_PMSE, propensity::names::LOGIT_Z, "a regression")];
        for (ratio, z, by) in tree.into_iter().chain(regression) {
            for (ratio, z) in self.all(ratio).zip(self.all(z)) {
                let Some(value) = ratio.value else { continue };
                let by_chance = z.value.is_some_and(|z| z <= CHANCE);
                let grade = if by_chance { Grade::FreshSample } else { Grade::of(value, DISTANCES) };
                sides.push((grade, format!("{by} tells the files apart, S_pMSE {value:.1}")));
            }
        }
        if let Some((grade, words)) = self.worst_total() {
            sides.push((grade, words));
        }
        for overlap in self.all(model::names::OVERLAP) {
            let Some(value) = overlap.value else { continue };
            let grade = Grade::of(1.0 - value, MISSED_OVERLAPS);
            sides.push((grade, format!("{}, interval overlap {value:.2}", detail(overlap, "model"))));
        }
        // The first of the worst.
        let Some(worst) = sides.iter().map(|(grade, _)| *grade).max() else { return Ok(()) };
        match sides.iter().find(|(grade, _)| *grade == worst) {
            Some((Grade::FreshSample, _)) | None => {
                writeln!(out, "  in all: {}, on every side that was measured", worst.words())
            }
            Some((_, at)) => writeln!(out, "  in all: {}; weakest: {at}", worst.words()),
        }
    }

    /// Whether tables of two variables and more are all closer than those of drawn records can be.
    fn is_too_close(&self) -> bool {
        let of_several =
            |finding: &&Finding| finding.detail.get("ways").and_then(|ways| ways.as_u64()) > Some(1);
        let mut means =
            self.all(tables::names::MEAN_S_PMSE).filter(of_several).filter_map(|finding| finding.value);
        let first = means.next();
        first.is_some_and(|first| first < COPY) && means.all(|mean| mean < COPY)
    }

    /// The mean that is furthest off, with its total.
    fn worst_total(&self) -> Option<(Grade, String)> {
        let worst = self.first(amounts::names::WORST_MEAN_Z)?;
        let (z, variable) = (worst.value?, detail(worst, "variable"));
        let mut of_variable =
            self.all(amounts::names::TOTAL_ERROR).filter(|finding| finding.on == [variable.as_str()]);
        let error = of_variable.next().and_then(|finding| finding.value);
        let mut grade = Grade::of(z, STANDARD_ERRORS);
        if error.is_some_and(|error| error < SMALL_ERROR) {
            grade = grade.min(Grade::Good);
        }
        let total = error.map_or_else(String::new, |error| format!(", its total by {error:.1} %"));
        Some((grade, format!("the mean of {variable} is off by {z:.1} standard errors{total}")))
    }

    fn totals(&self, out: &mut String) -> std::fmt::Result {
        if let Some((grade, words)) = self.worst_total() {
            writeln!(out, "  means and totals of numbers: {} (at most, {words})", grade.words())?;
        }
        let tails =
            self.all(amounts::names::TAIL_ERROR).filter_map(|finding| Some((finding.value?, finding)));
        let worst = tails.max_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((error, finding)) = worst {
            writeln!(out, "  the tail that is furthest off: {} (by {error:.0} %)", finding.on.join(""))?;
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
        let two_way =
            |finding: &&Finding| finding.detail.get("ways").and_then(|ways| ways.as_u64()) == Some(2);
        if let Some(value) =
            self.all(tables::names::SAMPLE_SHARE).find(two_way).and_then(|finding| finding.value)
        {
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
        for (unique, again) in self.all(uniques::names::P1).zip(self.all(uniques::names::RU)) {
            if let (Some(p1), Some(ru)) = (unique.value, again.value) {
                writeln!(
                    out,
                    "  on {}: {p1:.2} % of the original's records are unique, {ru:.2} % appear again as unique",
                    few(&unique.on)
                )?;
            }
        }
        for disco in self.all(attribute::names::DISCO) {
            let (keys, target) = (names(disco, "keys"), detail(disco, "target"));
            let Some(value) = disco.value else { continue };
            let same =
                |finding: &&Finding| names(finding, "keys") == keys && detail(finding, "target") == target;
            let tcap = self.all(attribute::names::TCAP_TAUB).find(same).and_then(|finding| finding.value);
            let tcap = tcap.map_or_else(String::new, |tcap| format!(", TCAP {tcap:.3}"));
            let margins =
                self.all(attribute::names::DISCO_MARGINS).find(same).and_then(|finding| finding.value);
            let margins =
                margins.map_or_else(String::new, |margins| format!("; {margins:.2} % by the margins alone"));
            let fresh = disco.detail.get("holdout").and_then(serde_json::Value::as_f64);
            let fresh = fresh.map_or_else(String::new, |fresh| format!(", {fresh:.2} % by the holdout"));
            writeln!(
                out,
                "  who knows {} learns {target} for {value:.2} % of records (DiSCO{tcap}{margins}{fresh})",
                few(&keys)
            )?;
        }
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
