//! Schema files as we write them: stable order, and comments for the person who reviews the draft.

use std::fmt::Write;

use super::{DecimalMark, Identifier, Kind, Labelling, Origin, Schema, Shape, UserMissing, Variable};
use crate::date::DateFormat;
use crate::datetime::DatetimeFormat;

impl Schema {
    /// The schema as TOML; reading it gives the same schema back.
    pub fn to_toml(&self) -> String {
        self.to_toml_with_notes(&[])
    }

    /// The same, with comments for the reviewer above each variable, in schema order.
    pub fn to_toml_with_notes(&self, notes: &[&[String]]) -> String {
        let mut out = String::new();
        let written = self.write_toml(&mut out, notes);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        out
    }

    fn write_toml(&self, out: &mut String, notes: &[&[String]]) -> std::fmt::Result {
        if self.variables.iter().any(|variable| variable.origin == Origin::Synthetic) {
            out.push_str(
                "# Read off the synthetic records: of every variable marked `domain = \"synthetic\"` this holds only the levels,\n\
                 # numbers and days that occur in the files beside it. The domain of the original was not declared, and is not here.\n\n",
            );
        }
        if self.learned_variables().next().is_some() {
            out.push_str(
                "# Drafted by `lookalike describe --write-schema`. Review it before use: every variable marked\n\
                 # `domain = \"learned\"` was read off the confidential records. Compare its levels and range with the code\n\
                 # book and correct them; delete the mark where the code book is the source. When the whole domain may be\n\
                 # taken as public, set `declared = true` and say why in `reason`; private methods ask for that.\n\n",
            );
        }
        out.push_str("[table]\n");
        writeln!(out, "unit = {}    # what one record stands for; the privacy unit", quoted(&self.unit))?;
        if let Some(name) = &self.unit_id {
            writeln!(out, "unit_id = {}    # the column that names the unit of each record", quoted(name))?;
        }
        if let Some(most) = self.max_rows_per_unit {
            writeln!(out, "max_rows_per_unit = {most}")?;
        }
        writeln!(out, "declared = {}", self.declaration.is_some())?;
        writeln!(out, "reason = {}", quoted(self.declaration.as_deref().unwrap_or_default()))?;
        if !self.missing_tokens.is_empty() {
            writeln!(out, "missing = {}", list(self.missing_tokens.iter().map(|token| quoted(token))))?;
        }
        if self.decimal == DecimalMark::Comma {
            writeln!(out, "decimal = \",\"    # CSV files have semicolons between their fields")?;
        }
        for (position, variable) in self.variables.iter().enumerate() {
            out.push('\n');
            for note in notes.get(position).copied().unwrap_or_default() {
                writeln!(out, "# {}", note.replace(['\n', '\r'], " "))?;
            }
            variable.write_toml(out)?;
        }
        for rule in &self.rules {
            let (when, then) = (quoted(rule.when.text()), quoted(rule.then.text()));
            write!(out, "\n[[rules]]\nwhen = {when}\nthen = {then}\n")?;
        }
        for condition in &self.impossible {
            write!(out, "\n[[impossible]]\nwhere = {}\n", quoted(condition.text()))?;
        }
        Ok(())
    }
}

impl Variable {
    fn write_toml(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "[variables.{}]", key(&self.name))?;
        let labelling = self.labelling.of_kind(&self.kind);
        if !labelling.label.is_empty() {
            writeln!(out, "label = {}", quoted(&labelling.label))?;
        }
        writeln!(out, "kind = \"{}\"", self.kind.name())?;
        if let Some(role) = self.role {
            writeln!(out, "role = \"{}\"", role.name())?;
        }
        match &self.kind {
            Kind::Categorical { .. } | Kind::Ordinal { .. } if self.bought.levels => {
                out.push_str("levels = \"private\"\n");
            }
            Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                writeln!(out, "levels = {}", list(levels.iter().map(quoted)))?;
            }
            Kind::Integer { range: Some((low, high)) } => writeln!(out, "range = [{low}, {high}]")?,
            Kind::Real { range: Some((low, high)) } => {
                writeln!(out, "range = [{}, {}]", number(*low), number(*high))?;
            }
            Kind::Date { range, format } => {
                if let Some((first, last)) = range {
                    let day = |day: i32| quoted(&DateFormat::Iso.format(day));
                    writeln!(out, "range = [{}, {}]", day(*first), day(*last))?;
                }
                if *format != DateFormat::Iso {
                    writeln!(out, "format = \"{}\"", format.name())?;
                }
            }
            Kind::Datetime { range, format } => {
                if let Some((first, last)) = range {
                    writeln!(
                        out,
                        "range = [{}, {}]",
                        quoted(&format.iso(*first)),
                        quoted(&format.iso(*last))
                    )?;
                }
                if *format != DatetimeFormat::default() {
                    writeln!(out, "format = \"{}\"", format.name())?;
                }
            }
            Kind::Integer { range: None } | Kind::Real { range: None } | Kind::TextId => {}
        }
        if self.bought.range {
            out.push_str("range = \"private\"\n");
        }
        if !self.missing_tokens.is_empty() {
            writeln!(out, "missing = {}", list(self.missing_tokens.iter().map(|token| quoted(token))))?;
        } else if self.missing {
            out.push_str("missing = true\n");
        }
        if !self.codes.is_empty() {
            let codes = self
                .codes
                .iter()
                .map(|code| format!("{} = {}", key(&number(code.value)), quoted(&code.meaning)));
            writeln!(out, "codes = {{ {} }}", codes.collect::<Vec<_>>().join(", "))?;
        }
        let limit = |limit: &f64| match self.kind {
            Kind::Date { .. } => quoted(&DateFormat::Iso.format(*limit as i32)),
            Kind::Datetime { format, .. } => quoted(&format.iso(*limit as i64)),
            _ => number(*limit),
        };
        if let Some(cuts) = &self.cuts {
            writeln!(out, "cuts = {}", list(cuts.iter().map(limit)))?;
        } else if let Some(rule) = self.bought.cuts.name() {
            writeln!(out, "cuts = \"{rule}\"")?;
        }
        if !self.knots.is_empty() {
            writeln!(out, "knots = {}", list(self.knots.iter().map(limit)))?;
        }
        if let Some(parent) = &self.within {
            writeln!(out, "within = {}", quoted(parent))?;
        }
        if !self.parents.is_empty() {
            let pairs =
                self.parents.iter().map(|(level, parent)| format!("{} = {}", key(level), quoted(parent)));
            writeln!(out, "parents = {{ {} }}", pairs.collect::<Vec<_>>().join(", "))?;
        }
        if self.shape != Shape::Uniform {
            writeln!(out, "shape = \"{}\"", self.shape.name())?;
        }
        if let Some(step) = self.step {
            writeln!(out, "step = {}", number(step))?;
        }
        if let Some(formula) = &self.formula {
            writeln!(out, "formula = {}", quoted(formula.text()))?;
        }
        if let Some(stored) = self.stored {
            writeln!(out, "stored = \"{}\"", stored.name())?;
        }
        labelling.write_toml(out)?;
        self.identifier.write_toml(out)?;
        match self.origin {
            Origin::Declared => {}
            Origin::Learned => out.push_str("domain = \"learned\"\n"),
            Origin::Synthetic => out.push_str("domain = \"synthetic\"\n"),
        }
        Ok(())
    }
}

impl Labelling {
    /// What is written behind the domain.
    fn write_toml(&self, out: &mut String) -> std::fmt::Result {
        if !self.labels.is_empty() {
            let labels =
                self.labels.iter().map(|(value, label)| format!("{} = {}", key(value), quoted(label)));
            writeln!(out, "labels = {{ {} }}", labels.collect::<Vec<_>>().join(", "))?;
        }
        if !self.user_missing.is_empty() {
            let bound = |bound: f64| if bound.is_infinite() { format!("{bound}") } else { number(bound) };
            let values = self.user_missing.iter().map(|missing| match missing {
                UserMissing::Number(value) => number(*value),
                UserMissing::Range(low, high) => format!("[{}, {}]", bound(*low), bound(*high)),
                UserMissing::Text(text) => quoted(text),
            });
            writeln!(out, "user_missing = {}", list(values))?;
        }
        if let Some(display) = &self.display {
            writeln!(out, "display = {}", quoted(display))?;
        }
        Ok(())
    }
}

impl Identifier {
    fn write_toml(&self, out: &mut String) -> std::fmt::Result {
        if self.whole {
            out.push_str("type = \"integer\"\n");
        }
        if let Some(target) = &self.refers_to {
            writeln!(out, "refers_to = {}", quoted(target))?;
        }
        if let Some(pattern) = &self.pattern {
            writeln!(out, "pattern = {}", quoted(pattern))?;
        }
        if !self.records_per_value.is_empty() {
            let shares = self.records_per_value.iter();
            let shares = shares.map(|(records, share)| format!("{records} = {}", number(*share)));
            writeln!(out, "records_per_value = {{ {} }}", shares.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

/// A TOML string in double quotes.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => {
                out.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A TOML key, bare where that is allowed.
fn key(name: &str) -> String {
    let is_bare = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// A number that reads back as the same double; whole ones without a fraction.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value:?}") }
}

/// A list on one line when it is short, else one entry a line.
fn list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    let line = entries.join(", ");
    if line.len() <= 90 { format!("[{line}]") } else { format!("[\n    {},\n]", entries.join(",\n    ")) }
}
