//! What synthetic files say of a population, on a terminal.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};
use inference::{Answer, ChosenBy, Findings, Quantity, SurveyFacts, Weights};
use table::figures::thousands;

/// Estimates by file that are shown; --json has all of them.
const FILES_SHOWN: usize = 5;

/// The answers of `fit`.
pub fn fit_text(findings: &Findings) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let written = write_findings(&mut out, findings);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    out
}

fn write_findings(out: &mut String, findings: &Findings) -> std::fmt::Result {
    let files = findings.files.len();
    let made = findings.method.as_ref().map_or_else(String::new, |method| format!(" by {method}"));
    let sizes: Vec<u64> = findings.files.iter().map(|file| file.records).collect();
    let size = match (sizes.iter().min(), sizes.iter().max()) {
        (Some(low), Some(high)) if low != high => format!("{} to {}", thousands(*low), thousands(*high)),
        (Some(low), _) => thousands(*low),
        _ => "0".into(),
    };
    let original = findings.original_rows.map_or_else(
        || "an unknown number of original records".to_owned(),
        |rows| format!("{} original records", thousands(rows)),
    );
    let noun = if files == 1 { "synthetic file" } else { "synthetic files" };
    writeln!(out, "{files} {noun}{made}, {size} records, for {original}")?;
    let percent = 100.0 * findings.level.value();
    writeln!(out, "{} % intervals for {}", short(percent), findings.target.meaning())?;
    findings.answers.iter().try_for_each(|answer| write_answer(out, answer))
}

fn write_answer(out: &mut String, answer: &Answer) -> std::fmt::Result {
    let family = answer.family.as_ref().map_or_else(String::new, |family| format!(" ({family})"));
    let weighted = if answer.survey.is_some() { ", weighted" } else { "" };
    writeln!(out, "\n{}{family}{weighted}", answer.asked)?;
    if let Some(survey) = &answer.survey {
        write_survey(out, survey)?;
    }
    let rule = &answer.rule;
    let by = match rule.chosen_by {
        ChosenBy::Manifest => "by the manifest",
        ChosenBy::User => "by you",
        ChosenBy::Default => "for lack of a manifest",
    };
    let name = rule.rule.name();
    writeln!(out, "  rule `{name}`, chosen {by}: {}", rule.formula)?;
    if rule.rule == rule.valid_rule {
        writeln!(out, "  because {}", rule.because)?;
    } else {
        writeln!(
            out,
            "  the rule for these files is `{}`, because {}",
            rule.valid_rule.name(),
            rule.because
        )?;
    }
    let several = answer.quantities.iter().any(|quantity| quantity.by_file.len() > 1);
    if several && rule.weights == Weights::NSyn {
        writeln!(out, "  files count by their number of records")?;
    }
    for warning in &answer.warnings {
        writeln!(out, "  warning: {warning}")?;
    }
    writeln!(out)?;
    out.push_str(&quantities_table(answer));
    out.push('\n');
    for quantity in &answer.quantities {
        for note in quantity.not_computed.iter().chain(&quantity.remark) {
            writeln!(out, "  {}: {note}", quantity.name)?;
        }
    }
    Ok(())
}

fn write_survey(out: &mut String, survey: &SurveyFacts) -> std::fmt::Result {
    let weight = survey
        .weight
        .as_ref()
        .map_or_else(|| "every record counts once".to_owned(), |name| format!("records count by `{name}`"));
    let units =
        survey.cluster.as_ref().map_or_else(|| "records".to_owned(), |name| format!("clusters of `{name}`"));
    let strata = match &survey.stratum {
        Some(name) => format!(" in {} strata of `{name}`", thousands(survey.strata)),
        None => String::new(),
    };
    writeln!(
        out,
        "  {weight}; standard errors by linearisation over {} {units}{strata}",
        thousands(survey.clusters)
    )?;
    if survey.lonely_strata > 0 {
        let strata = if survey.lonely_strata == 1 {
            "1 stratum has one cluster alone".to_owned()
        } else {
            format!("{} strata have one cluster alone", survey.lonely_strata)
        };
        writeln!(
            out,
            "  warning: {strata}, which is compared with the mean of all clusters (R's `survey.lonely.psu = \"adjust\"`)"
        )?;
    }
    Ok(())
}

fn quantities_table(answer: &Answer) -> String {
    let any = |has: fn(&Quantity) -> bool| answer.quantities.iter().any(has);
    let (t, bias, chain) = (
        any(|quantity| quantity.degrees_of_freedom.is_some()),
        any(|quantity| quantity.bias.is_some()),
        any(|quantity| quantity.monte_carlo_error.is_some()),
    );
    let several = any(|quantity| quantity.by_file.len() > 1);
    let mut header = vec!["", "estimate", "std. error", "from", "to"];
    header.extend(t.then_some("t df"));
    header.extend(bias.then_some("bias"));
    header.extend(chain.then_some("sampler's error"));
    header.extend(several.then_some("b"));
    header.push("v");
    header.extend(several.then_some("by file"));
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    for quantity in &answer.quantities {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        let mut row = vec![
            quantity.name.clone(),
            number(quantity.estimate),
            number(quantity.standard_error),
            number(quantity.interval.map(|interval| interval.low)),
            number(quantity.interval.map(|interval| interval.high)),
        ];
        row.extend(t.then(|| quantity.degrees_of_freedom.map_or_else(|| "normal".to_owned(), short)));
        row.extend(bias.then(|| number(quantity.bias)));
        row.extend(chain.then(|| number(quantity.monte_carlo_error)));
        row.extend(several.then(|| number(quantity.between_variance)));
        row.push(number(quantity.within_variance));
        row.extend(several.then(|| {
            let shown =
                quantity.by_file.iter().take(FILES_SHOWN).map(|file| number(file.map(|file| file.estimate)));
            let more = if quantity.by_file.len() > FILES_SHOWN { " …" } else { "" };
            shown.collect::<Vec<_>>().join(" ") + more
        }));
        table.add_row(row);
    }
    table.column_iter_mut().skip(1).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    table.trim_fmt()
}

/// Four significant digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if !(1e-3..1e6).contains(&size) {
        format!("{value:.3e}")
    } else if size >= 1000.0 {
        format!("{value:.0}")
    } else {
        let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.95, "0.95"),
            (-0.012_345, "-0.01235"),
            (95.0, "95"),
            (123.456, "123.5"),
            (12_345.6, "12346"),
            (1.5e-5, "1.500e-5"),
            (3e9, "3.000e9"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
