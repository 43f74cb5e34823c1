//! Rules, formulas and impossible cells as SQL, so that an engine says how many records break them.
//!
//! Both logics have three values, so that a condition is translated word by word. Where SQL ends with an error and our arithmetic has no value (a division by zero, the root of a
//! negative number), the translation has no value either.

use super::{Dialect, literal, numeric_tokens};
use crate::expression::{ArithmeticOperator, Comparator, Condition, Formula, Function};
use crate::schema::conformance::FORMULA_TOLERANCE;
use crate::schema::{Violation, Violations};
use crate::{Kind, Schema, TableError, Variable};

/// The columns of a table in an engine, by their variables.
pub(super) struct Columns<'a> {
    pub(super) dialect: Dialect,
    pub(super) schema: &'a Schema,
}

impl Columns<'_> {
    /// The text of a column, without what means missing.
    pub(super) fn present_text(&self, variable: &Variable) -> Result<String, TableError> {
        let text = self.dialect.text(&self.dialect.quoted(&variable.name)?);
        let tokens = self.schema.missing_tokens().iter().chain(&variable.missing_tokens);
        let tokens: Vec<String> = std::iter::once("")
            .chain(tokens.map(String::as_str))
            .map(|token| self.dialect.text_literal(token))
            .collect();
        Ok(format!("CASE WHEN {text} IN ({}) THEN NULL ELSE {text} END", tokens.join(", ")))
    }

    /// A number, its special codes included where they are asked for, without what means missing.
    pub(super) fn number(&self, variable: &Variable, codes: bool) -> Result<String, TableError> {
        let x = self.dialect.number(variable)?;
        let codes = variable.codes.iter().map(|code| code.value).filter(|_| !codes);
        let none: Vec<String> = numeric_tokens(self.schema, variable).chain(codes).map(literal).collect();
        Ok(if none.is_empty() {
            x
        } else {
            format!("CASE WHEN {x} IN ({}) THEN NULL ELSE {x} END", none.join(", "))
        })
    }

    fn variable(&self, position: usize) -> &Variable {
        &self.schema.variables()[position]
    }

    fn is_missing(&self, variable: &Variable) -> Result<String, TableError> {
        let value = match variable.kind.is_numeric() {
            true => self.number(variable, true)?,
            false => self.present_text(variable)?,
        };
        Ok(format!("({value}) IS NULL"))
    }

    /// A condition.
    pub(super) fn condition(&self, condition: &Condition) -> Result<String, TableError> {
        Ok(match condition {
            Condition::And(left, right) => {
                format!("({} AND {})", self.condition(left)?, self.condition(right)?)
            }
            Condition::Or(left, right) => {
                format!("({} OR {})", self.condition(left)?, self.condition(right)?)
            }
            Condition::Not(inner) => format!("(NOT {})", self.condition(inner)?),
            Condition::IsMissing(variable) => format!("({})", self.is_missing(self.variable(*variable))?),
            Condition::IsUndefined(formula) => format!("(({}) IS NULL)", self.formula(formula, false)?),
            Condition::LevelIn { variable, member } => {
                let variable = self.variable(*variable);
                let text = self.present_text(variable)?;
                let levels = variable.kind.levels().into_iter().flat_map(|levels| levels.iter());
                let meant: Vec<String> = levels
                    .zip(member)
                    .filter(|(_, is_meant)| **is_meant)
                    .map(|(level, _)| self.dialect.text_literal(level))
                    .collect();
                match meant.is_empty() {
                    true => format!("(CASE WHEN ({text}) IS NULL THEN NULL ELSE FALSE END)"),
                    false => format!("(({text}) IN ({}))", meant.join(", ")),
                }
            }
            Condition::SameLevel { left, right, .. } => {
                let (left, right) =
                    (self.present_text(self.variable(*left))?, self.present_text(self.variable(*right))?);
                format!("(({left}) = ({right}))")
            }
            Condition::Compare(comparator, left, right) => {
                let codes = comparator.is_equality();
                let (left, right) = (self.formula(left, codes)?, self.formula(right, codes)?);
                let sign = match comparator {
                    Comparator::Equal => "=",
                    Comparator::NotEqual => "<>",
                    Comparator::Less => "<",
                    Comparator::AtMost => "<=",
                    Comparator::Greater => ">",
                    Comparator::AtLeast => ">=",
                };
                format!("(({left}) {sign} ({right}))")
            }
        })
    }

    /// A formula; `codes`: a variable that stands alone is its special code where it has one.
    fn formula(&self, formula: &Formula, codes: bool) -> Result<String, TableError> {
        Ok(match formula {
            Formula::Constant(value) => self.dialect.real(&literal(*value)),
            Formula::Variable(variable) => self.number(self.variable(*variable), codes)?,
            Formula::Negate(inner) => format!("(-({}))", self.formula(inner, false)?),
            Formula::Arithmetic(operator, left, right) => {
                let (left, right) = (self.formula(left, false)?, self.formula(right, false)?);
                match operator {
                    ArithmeticOperator::Plus => format!("(({left}) + ({right}))"),
                    ArithmeticOperator::Minus => format!("(({left}) - ({right}))"),
                    ArithmeticOperator::Times => format!("(({left}) * ({right}))"),
                    ArithmeticOperator::Over => format!("(({left}) / NULLIF({right}, 0))"),
                }
            }
            Formula::Call(function, arguments) => {
                let of: Vec<String> = arguments
                    .iter()
                    .map(|argument| self.formula(argument, false))
                    .collect::<Result<_, _>>()?;
                call(*function, &of)
            }
        })
    }

    /// What records can break beyond the classes of a single variable, as conditions on a record.
    pub(super) fn violations(
        &self,
        is_whole: impl Fn(&Variable) -> bool,
    ) -> Result<Vec<(Violation, String)>, TableError> {
        let mut broken = Vec::new();
        let variables = self.schema.variables();
        for variable in variables {
            let name = || variable.name.clone();
            if !variable.is_modelled() && !variable.missing {
                broken.push((Violation::UnexpectedMissing(name()), self.is_missing(variable)?));
            }
            if variable.formula.is_some()
                && let Some((low, high)) = variable.declared_range()
            {
                let x = self.number(variable, false)?;
                broken.push((
                    Violation::OutOfRange(name()),
                    format!("({x}) < {} OR ({x}) > {}", literal(low), literal(high)),
                ));
            }
            if matches!(variable.kind, Kind::Integer { .. }) && !is_whole(variable) {
                let x = self.number(variable, false)?;
                broken.push((Violation::OtherKind(name(), "a whole number"), format!("({x}) <> FLOOR({x})")));
            }
            if let Some(formula) = &variable.formula {
                let (x, computed) =
                    (self.number(variable, false)?, self.formula(&formula.formula(variables)?, false)?);
                let tolerance = literal(FORMULA_TOLERANCE);
                broken.push((
                    Violation::FormulaDiffers(name()),
                    format!("ABS(({x}) - ({computed})) > {tolerance} * GREATEST(ABS({x}), 1.0)"),
                ));
            }
        }
        for rule in self.schema.rules() {
            let (when, then) = (rule.when.condition(variables)?, rule.then.condition(variables)?);
            let violation = Violation::RuleBroken(rule.when.text().into(), rule.then.text().into());
            broken
                .push((violation, format!("{} AND NOT {}", self.condition(&when)?, self.condition(&then)?)));
        }
        for impossible in self.schema.impossible() {
            let condition = impossible.condition(variables)?;
            broken.push((Violation::Impossible(impossible.text().into()), self.condition(&condition)?));
        }
        Ok(broken)
    }
}

/// A function whose arguments are written; without a value wherever it has none.
fn call(function: Function, of: &[String]) -> String {
    let x = of.first().map_or("", String::as_str);
    let nearest = |x: &str| format!("((CASE WHEN ({x}) < 0 THEN -1.0 ELSE 1.0 END) * FLOOR(ABS({x}) + 0.5))");
    match (function, of) {
        (Function::Abs, _) => format!("ABS({x})"),
        (Function::Floor, _) => format!("FLOOR({x})"),
        (Function::Ceil, _) => format!("CEIL({x})"),
        (Function::Sqrt, _) => format!("(CASE WHEN ({x}) >= 0 THEN SQRT({x}) END)"),
        (Function::Ln, _) => format!("(CASE WHEN ({x}) > 0 THEN LN({x}) END)"),
        (Function::Exp, _) => {
            format!("(CASE WHEN ({x}) < -745 THEN 0.0 WHEN ({x}) < 709.78 THEN EXP({x}) END)")
        }
        (Function::Pow, [base, exponent]) => format!(
            "(CASE WHEN (({base}) < 0 AND ({exponent}) <> FLOOR({exponent})) OR (({base}) = 0 AND ({exponent}) < 0) THEN NULL ELSE POWER({base}, {exponent}) END)"
        ),
        (Function::Round, [x]) => nearest(x),
        (Function::Round, [x, digits, ..]) => {
            let scale = format!("POWER(10.0, {})", nearest(digits));
            let scale = format!("CAST({scale} AS DOUBLE PRECISION)");
            format!("({} / {scale})", nearest(&format!("(({x}) * {scale})")))
        }
        (Function::Min | Function::Max, _) => {
            let name = if function == Function::Min { "LEAST" } else { "GREATEST" };
            let missing: Vec<String> = of.iter().map(|x| format!("({x}) IS NULL")).collect();
            format!("(CASE WHEN {} THEN NULL ELSE {name}({}) END)", missing.join(" OR "), of.join(", "))
        }
        (Function::Pow | Function::Round, _) => "NULL".into(),
    }
}

impl Violations {
    /// Violations of which only the number of records is known, where it is not zero.
    pub(crate) fn counted(found: impl IntoIterator<Item = (Violation, u64)>) -> Self {
        let mut violations = Self::default();
        found.into_iter().for_each(|(violation, records)| violations.note_counted(violation, records));
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaFile;

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\nmissing = [\"-9\"]\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"it's\"]\n\
        [variables.age]\nkind = \"integer\"\n[variables.pay]\nkind = \"real\"\ncodes = { -8 = \"none\" }\nmissing = true\n\
        [variables.id]\nkind = \"text-id\"\n";

    fn written(rest: &str) -> Vec<String> {
        let schema = SchemaFile::parse(&format!("{SCHEMA}{rest}")).unwrap().finish().unwrap();
        let columns = Columns { dialect: Dialect::Postgres, schema: &schema };
        columns.violations(|_| true).unwrap().into_iter().map(|(_, condition)| condition).collect()
    }

    #[test]
    fn rules_are_written_with_levels_in_quotes_and_without_what_means_missing() {
        let sex =
            "CASE WHEN CAST(\"sex\" AS VARCHAR) IN ('', '-9') THEN NULL ELSE CAST(\"sex\" AS VARCHAR) END";
        let real = |name: &str| format!("CAST(\"{name}\" AS DOUBLE PRECISION)");
        let number = |name: &str, none: &str| {
            let x = real(name);
            format!("CASE WHEN {x} IN ({none}) THEN NULL ELSE {x} END")
        };
        let constant = |text: &str| format!("CAST({text} AS DOUBLE PRECISION)");
        let written = written(
            "[[rules]]\nwhen = \"sex = 'it''s' and age < 16\"\nthen = \"pay = -8\"\n[[impossible]]\nwhere = \"age > 5 and pay / age > 2\"\n",
        );
        assert_eq!(
            written[0],
            "(CASE WHEN CAST(\"id\" AS VARCHAR) IN ('', '-9') THEN NULL ELSE CAST(\"id\" AS VARCHAR) END) IS NULL"
        );
        assert_eq!(
            written[1],
            format!(
                "((({sex}) IN ('it''s')) AND (({}) < ({}))) AND NOT (({}) = ({}))",
                number("age", "(-9.0)"),
                constant("16.0"),
                number("pay", "(-9.0)"),
                constant("(-8.0)")
            ),
            "a code is a value where equality is asked for"
        );
        let (pay, age) = (number("pay", "(-9.0), (-8.0)"), number("age", "(-9.0)"));
        let over = format!("(({pay}) / NULLIF({age}, 0))");
        assert_eq!(
            written[2],
            format!("((({age}) > ({})) AND (({over}) > ({})))", constant("5.0"), constant("2.0"))
        );
    }

    #[test]
    fn functions_have_no_value_where_they_have_none() {
        let of = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(call(Function::Sqrt, &of(&["x"])), "(CASE WHEN (x) >= 0 THEN SQRT(x) END)");
        assert_eq!(call(Function::Ln, &of(&["x"])), "(CASE WHEN (x) > 0 THEN LN(x) END)");
        assert_eq!(
            call(Function::Max, &of(&["x", "y"])),
            "(CASE WHEN (x) IS NULL OR (y) IS NULL THEN NULL ELSE GREATEST(x, y) END)"
        );
        assert_eq!(
            call(Function::Round, &of(&["x"])),
            "((CASE WHEN (x) < 0 THEN -1.0 ELSE 1.0 END) * FLOOR(ABS(x) + 0.5))"
        );
    }
}
