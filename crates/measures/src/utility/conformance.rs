//! Does the synthetic file keep the original's schema? Values outside a variable's domain, and broken rules.
//!
//! The schema is the original's: declared by a person, or else what its records show, and then every value that the
//! original does not have counts as outside (`detail.domain` says which). Rules are the schema's rules, impossible cells, nestings
//! and formulas; a rule about something missing is not broken. Identifiers are not looked at.

use table::Kind;
use table::schema::{Located, Origin, Schema, Violation};

use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Settings,
};

/// The family of conformance.
#[derive(Clone, Copy, Debug)]
pub struct Conformance;

const fn card(name: &'static str, question: &'static str, null: Null) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit: "%",
        range: Range::PERCENT,
        null,
        citation: "Lookalike's schema: levels, ranges, missing values, rules, impossible cells, nesting and formulas",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(names::ALL_VALUES, "How many values lie outside the domain of their variable?", Null::None),
    card(names::DOMAIN, "How many values of this variable lie outside its domain?", Null::None),
    card(
        "conformance.all_rules",
        "How many records break a rule of the schema, on average over its rules?",
        Null::Value(0.0),
    ),
    card(names::RULE, "How many records break this rule of the schema?", Null::Value(0.0)),
];

const NO_VARIABLES: &[&str] = &[];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `conformance.all_values`.
    pub const ALL_VALUES: &str = "conformance.all_values";
    /// `conformance.domain`.
    pub const DOMAIN: &str = "conformance.domain";
    /// `conformance.rule`.
    pub const RULE: &str = "conformance.rule";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "conformance",
    aspect: Aspect::Utility,
    honours: &[],
    requires: None,
    usual_axis: None,
    identified_by: &["rule"],
    measures: CARDS,
};

impl Measure for Conformance {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        _settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let (original, synthetic) = (comparison.original.schema(), comparison.synthetic);
        let in_both = |name: &str| synthetic.schema().variable(name).is_ok();
        let variables = original.variables().iter();
        let common: Vec<&str> = variables
            .filter(|variable| variable.kind != Kind::TextId && in_both(&variable.name))
            .map(|variable| variable.name.as_str())
            .collect();
        if common.is_empty() {
            return Err(MeasureError::NothingInCommon);
        }
        if synthetic.rows() == 0 {
            let because = "the synthetic file has no records";
            return Ok([0, 2].map(|at| CARDS[at].undefined(NO_VARIABLES, because)).to_vec());
        }
        let (schema, _) = comparison.original.select(&common)?.into_parts();
        let violations = synthetic.select(&common)?.violations_of(schema.clone())?;
        let mut findings = of_values(&schema, violations.all(), synthetic.rows());
        findings.extend(of_rules(&schema, violations.all(), synthetic.rows()));
        Ok(findings)
    }
}

/// The variable whose domain is violated.
fn outside(violation: &Violation) -> Option<&str> {
    match violation {
        Violation::UnknownLevel(name)
        | Violation::OutOfRange(name)
        | Violation::UnexpectedMissing(name)
        | Violation::OtherKind(name, _) => Some(name),
        Violation::NotNested(..)
        | Violation::FormulaDiffers(_)
        | Violation::RuleBroken(..)
        | Violation::Impossible(_) => None,
    }
}

fn of_values(schema: &Schema, violations: &[Located], records: usize) -> Vec<Finding> {
    let (mut findings, mut all) = (Vec::new(), 0);
    for variable in schema.variables() {
        let own: Vec<&Located> = violations
            .iter()
            .filter(|located| outside(&located.violation) == Some(variable.name.as_str()))
            .collect();
        let count: u64 = own.iter().map(|located| located.records).sum();
        all += count;
        let domain = if variable.origin == Origin::Learned { "learned" } else { "declared" };
        let mut finding = CARDS[1].finding(&[&variable.name], percent(count, records)).with("domain", domain);
        if !own.is_empty() {
            let violations = own.iter().map(|located| located.violation.to_string());
            finding = finding.with("violations", violations.collect::<Vec<_>>());
        }
        findings.push(finding);
    }
    let values = records * schema.variables().len();
    findings.insert(0, CARDS[0].finding(NO_VARIABLES, percent(all, values)).with("values", all));
    findings
}

fn of_rules(schema: &Schema, violations: &[Located], records: usize) -> Vec<Finding> {
    let mut rules: Vec<Violation> = Vec::new();
    for variable in schema.variables() {
        let name = || variable.name.clone();
        rules.extend(variable.within.as_ref().map(|parent| Violation::NotNested(name(), parent.clone())));
        rules.extend(variable.formula.as_ref().map(|_| Violation::FormulaDiffers(name())));
    }
    rules.extend(
        schema
            .rules()
            .iter()
            .map(|rule| Violation::RuleBroken(rule.when.text().into(), rule.then.text().into())),
    );
    rules.extend(schema.impossible().iter().map(|cell| Violation::Impossible(cell.text().into())));
    let (mut findings, mut shares) = (Vec::new(), Vec::new());
    for rule in &rules {
        let broken = violations.iter().find(|located| located.violation == *rule);
        let count = broken.map_or(0, |located| located.records);
        shares.push(percent(count, records));
        let finding = CARDS[3].finding(NO_VARIABLES, percent(count, records));
        findings.push(finding.with("rule", described(rule)).with("records", count));
    }
    let all = match rules.len() {
        0 => CARDS[2].undefined(NO_VARIABLES, "the schema has no rules"),
        _ => CARDS[2].mean_finding(&[], &shares),
    };
    findings.insert(0, all);
    findings
}

fn described(rule: &Violation) -> String {
    match rule {
        Violation::NotNested(child, parent) => format!("{child} within {parent}"),
        Violation::FormulaDiffers(name) => format!("the formula of {name}"),
        Violation::RuleBroken(when, then) => format!("when {when} then {then}"),
        Violation::Impossible(cell) => format!("impossible: {cell}"),
        other => other.to_string(),
    }
}

fn percent(part: u64, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use table::Table;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn read(text: &str, schema: Option<&str>) -> Table {
        let schema = schema.map(|schema| SchemaFile::parse(schema).unwrap());
        read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    fn findings(original: &Table, synthetic: &Table) -> Vec<Finding> {
        let comparison = Comparison { original, synthetic, holdout: None };
        Conformance.evaluate(&comparison, &Settings::default()).unwrap()
    }

    const SCHEMA: &str = "[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.age]\nkind = \"integer\"\nrange = [0, 100]\n\
        [variables.married]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n\
        [[rules]]\nwhen = \"age < 16\"\nthen = \"married = 'no'\"\n[[impossible]]\nwhere = \"age > 90 and sex = 'M'\"\n";

    #[test]
    fn values_and_rules_are_counted_apart() {
        let original = read("sex,age,married\nF,10,no\nM,40,yes\n", Some(SCHEMA));
        // An unknown level, an age beyond 100, a married child, and a married child of unknown sex.
        let synthetic = read("sex,age,married\nX,10,yes\nM,120,yes\nF,9,yes\nF,30,no\n", None);
        let found = findings(&original, &synthetic);
        let value = |measure: &str, on: &[&str]| -> Vec<f64> {
            let of = found.iter().filter(|finding| finding.measure == measure && finding.on == on);
            of.map(|finding| finding.value.unwrap()).collect()
        };
        assert_eq!(value("conformance.domain", &["sex"]), [25.0]);
        assert_eq!(value("conformance.domain", &["age"]), [25.0]);
        assert_eq!(value("conformance.domain", &["married"]), [0.0]);
        assert_eq!(value("conformance.all_values", &[]), [100.0 / 6.0]);
        assert_eq!(value("conformance.rule", &[]), [50.0, 25.0]);
        assert_eq!(value("conformance.all_rules", &[]), [37.5]);
        let rule = found.iter().find(|finding| finding.measure == "conformance.rule").unwrap();
        assert_eq!(rule.detail["rule"], "when age < 16 then married = 'no'");
    }

    #[test]
    fn a_learned_domain_is_what_the_original_shows() {
        let original = read("x,y\n1,a\n5,b\n", None);
        let found = findings(&original, &read("x,y\n3,a\n7,c\n,b\n2.5,b\n", None));
        assert_eq!((found[0].value, &found[0].detail["values"]), (Some(50.0), &4.into()));
        let x = found.iter().find(|finding| finding.on == ["x"]).unwrap();
        assert_eq!((x.value, &x.detail["domain"]), (Some(75.0), &"learned".into()));
        assert_eq!(x.detail["violations"].as_array().unwrap().len(), 3);
        let rules = found.last().unwrap();
        assert_eq!(rules.because.as_deref(), Some("the schema has no rules"));
        assert!(findings(&original, &original).iter().all(|finding| finding.value.is_none_or(|v| v == 0.0)));
    }
}
