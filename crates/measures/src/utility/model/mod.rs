//! The user's own models: would an analyst of the synthetic file get the same coefficients?
//!
//! A model in R's notation is fitted to the original and to every synthetic table, and compared coefficient by coefficient; see
//! [`ModelAgreement`]. Records with a missing value or a special code in a variable of the model are left out.

mod agreement;
mod comparable;

pub use agreement::{CoefficientAgreement, ModelAgreement};

use models::{FittedModel, Formula, Iterations, ModelError, ModelFamily, fit_by};
use table::Table;

use crate::utility::interval::Z95;
use crate::utility::weighted;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SyntheticSets, UsualAxis,
};

/// A model that the user wants compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The formula, such as `income ~ sex + age`.
    pub formula: Formula,
    /// What is said about the response.
    pub family: ModelFamily,
}

/// Fits the model to all tables and compares. A formula that the tables do not have the
/// variables for is an error; a table to which the model cannot be fitted is a reason.
pub fn model_agreement(
    sets: &SyntheticSets<'_>,
    request: &ModelRequest,
) -> Result<Result<ModelAgreement, String>, MeasureError> {
    let mut tables = vec![sets.original];
    tables.extend(sets.synthetic);
    let in_all = |name: &&str| tables.iter().all(|table| table.schema().variable(name).is_ok());
    let names = sets.original.schema().variables().iter().map(|variable| variable.name.as_str());
    let variables: Vec<&str> = names.filter(in_all).collect();
    let response = request.formula.variables().first().copied().unwrap_or_default();
    let tables = comparable::with_common_levels(&tables, &variables, response)?;
    let mut fits: Vec<FittedModel> = Vec::with_capacity(tables.len());
    for (place, table) in tables.iter().enumerate() {
        match fit_by(table, &request.formula, request.family, Iterations::as_in_r()) {
            Ok(fitted) => fits.push(fitted),
            Err(error @ (ModelError::Table(_) | ModelError::Formula { .. })) => return Err(error.into()),
            Err(because) if place == 0 => return Ok(Err(format!("the original: {because}"))),
            Err(because) => return Ok(Err(format!("synthetic table {place}: {because}"))),
        }
    }
    let sizes: f64 =
        sets.synthetic.iter().map(|table| rows(table)).sum::<f64>() / sets.synthetic.len() as f64;
    let agreement = ModelAgreement::of(&fits[0], &fits[1..], rows(sets.original), sizes);
    Ok(agreement
        .ok_or_else(|| "no coefficient can be estimated with a standard error in all tables".to_owned()))
}

fn rows(table: &Table) -> f64 {
    table.rows() as f64
}

/// The family of the user's own models.
#[derive(Clone, Copy, Debug)]
pub struct Models;

const NOWOK: &str = "Nowok, Raab & Dibben (2016), Journal of Statistical Software 74(11)";
const RAAB: &str = "Raab, Nowok & Dibben (2016), Journal of Privacy and Confidentiality 7(3)";
const BINDER: &str =
    "Binder (1983), International Statistical Review 51; Lumley (2004), Journal of Statistical Software 9(8)";
const KARR: &str = "Karr et al. (2006), The American Statistician 60; Taub & Elliot (2020), eq. 2";

const fn card(
    name: &'static str,
    question: &'static str,
    better: Better,
    null: Null,
    citation: &'static str,
) -> MeasureCard {
    let range = if matches!(better, Better::Higher) { Range::UNIT } else { Range::NOT_NEGATIVE };
    MeasureCard { name, question, better, unit: "", range, null, citation, kept: Kept::All }
}

const CARDS: &[MeasureCard] = &[
    card(
        names::OVERLAP,
        "How much do the 95 % intervals of the model's coefficients overlap?",
        Better::Higher,
        Null::None,
        KARR,
    ),
    card(
        "model.population_overlap",
        "How much do they overlap when the synthetic file is to speak for the population?",
        Better::Higher,
        Null::None,
        RAAB,
    ),
    card(
        "model.own_overlap",
        "How much do they overlap when each file uses its own standard errors?",
        Better::Higher,
        Null::None,
        KARR,
    ),
    card(
        names::STD_DIFF,
        "By how many standard errors of the original do coefficients differ, on average?",
        Better::Lower,
        Null::None,
        NOWOK,
    ),
    card(
        names::LACK_OF_FIT,
        "How far are all coefficients together from the original's, in units of chance?",
        Better::Lower,
        Null::Formula("the number of coefficients"),
        NOWOK,
    ),
    card(
        names::COEFFICIENT,
        "By how many standard errors of the original does this coefficient differ?",
        Better::Lower,
        Null::None,
        NOWOK,
    ),
    MeasureCard {
        range: Range { from: f64::MIN, to: Some(1.0) },
        ..card(
            "model.signed_overlap",
            "How much do the 95 % intervals overlap, where disjoint ones count by how far they are apart?",
            Better::Higher,
            Null::None,
            KARR,
        )
    },
    card(
        "model.weighted_overlap",
        "How much do the 95 % intervals of the weighted model's coefficients overlap, with standard errors of the sample's design?",
        Better::Higher,
        Null::None,
        BINDER,
    ),
    card(
        "model.weighted_coefficient",
        "By how many standard errors of the sample's design does this coefficient of the weighted model differ?",
        Better::Lower,
        Null::None,
        BINDER,
    ),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `model.overlap`.
    pub const OVERLAP: &str = "model.overlap";
    /// `model.std_diff`.
    pub const STD_DIFF: &str = "model.std_diff";
    /// `model.lack_of_fit`.
    pub const LACK_OF_FIT: &str = "model.lack_of_fit";
    /// `model.coefficient`.
    pub const COEFFICIENT: &str = "model.coefficient";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "model",
    aspect: Aspect::Utility,
    honours: &[Setting::Models],
    requires: Some(Setting::Models),
    usual_axis: Some(UsualAxis {
        measure: names::OVERLAP,
        label: names::OVERLAP,
        by_ways: false,
        rank: 7,
        usable: None,
        most_variables: None,
    }),
    identified_by: &["model", "family", "coefficient"],
    measures: CARDS,
};

impl Measure for Models {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let Comparison { original, synthetic, holdout } = *comparison;
        self.evaluate_sets(&SyntheticSets { original, synthetic: &[synthetic], holdout }, settings)
    }

    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let mut findings = Vec::new();
        for request in &settings.models {
            let on = request.formula.variables();
            let mut of_model = match model_agreement(sets, request)? {
                Ok(agreement) => of_agreement(&agreement, &on),
                Err(because) => CARDS[..5].iter().map(|card| card.undefined(&on, &because)).collect(),
            };
            of_model.extend(weighted_model(sets, request)?);
            let noted = |finding: Finding| {
                finding.with("model", request.formula.text()).with("family", request.family.name())
            };
            findings.extend(of_model.into_iter().map(noted));
        }
        Ok(findings)
    }
}

/// The weighted model in the original and in each synthetic file, and then their mean; nothing where the schema describes no design.
fn weighted_model(sets: &SyntheticSets<'_>, request: &ModelRequest) -> Result<Vec<Finding>, MeasureError> {
    let mut found = Vec::new();
    for comparison in sets.comparisons() {
        let on = request.formula.variables();
        found.push(match weighted::designs(&comparison)? {
            None => return Ok(Vec::new()),
            Some(Err(because)) => vec![CARDS[7].undefined(&on, because)],
            Some(Ok(designs)) => {
                let tables = [comparison.original, comparison.synthetic];
                let in_all = |name: &&str| tables.iter().all(|table| table.schema().variable(name).is_ok());
                let names =
                    comparison.original.schema().variables().iter().map(|variable| variable.name.as_str());
                let variables: Vec<&str> = names.filter(in_all).collect();
                let tables = comparable::with_common_levels(
                    &tables,
                    &variables,
                    on.first().copied().unwrap_or_default(),
                )?;
                weighted::of_model(&tables[0], &tables[1], &designs, request, [&CARDS[7], &CARDS[8]])
            }
        });
    }
    Ok(crate::evaluation::mean_of_sets(found))
}

/// The estimates of a `model.coefficient` finding with their 95 % intervals, q ± 1.96 SE, as low, estimate and high: in the original and in
/// the synthetic files. None for another finding.
pub fn coefficient_intervals(finding: &Finding) -> Option<[[f64; 3]; 2]> {
    let number = |key: &str| finding.detail.get(key).and_then(serde_json::Value::as_f64);
    let interval = |estimate: &str, error: &str| {
        let (estimate, half) = (number(estimate)?, Z95 * number(error)?);
        Some([estimate - half, estimate, estimate + half])
    };
    Some([interval("original", "original_se")?, interval("synthetic", "synthetic_se")?])
}

fn of_agreement(agreement: &ModelAgreement, on: &[&str]) -> Vec<Finding> {
    let coefficients = agreement.coefficients.len();
    let mut findings = vec![
        CARDS[0].finding(on, agreement.overlap).with("coefficients", coefficients),
        CARDS[1].finding(on, agreement.population_overlap),
        CARDS[2].finding(on, agreement.own_overlap),
        CARDS[3].finding(on, agreement.std_diff),
        CARDS[6].finding(on, agreement.signed_overlap),
    ];
    if !agreement.unmatched.is_empty() {
        findings[0] = findings[0].clone().with("unmatched", agreement.unmatched.as_slice());
    }
    findings.push(match (agreement.lack_of_fit, agreement.p_value) {
        (Some(lack), Some(p_value)) => {
            let mut finding = CARDS[4].finding(on, lack).with("df", coefficients).with("p_value", p_value);
            finding.null = Some(coefficients as f64);
            finding
        }
        _ => CARDS[4].undefined(on, "the covariance of the coefficients cannot be inverted"),
    });
    findings.extend(agreement.coefficients.iter().map(|one| {
        CARDS[5]
            .finding(on, one.std_diff.abs())
            .with("coefficient", one.name.as_str())
            .with("original", one.original)
            .with("original_se", one.standard_error)
            .with("synthetic", one.synthetic)
            .with("synthetic_se", one.synthetic_variance.sqrt())
            .with("overlap", one.overlap)
            .with("population_se", one.population_standard_error)
            .with("population_overlap", one.population_overlap)
    }));
    findings
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn read(rows: &[(&str, f64)]) -> Table {
        let lines: String = rows.iter().map(|(town, hours)| format!("{town},{hours}\n")).collect();
        read_csv_text(&format!("town,hours\n{lines}"), &ReadOptions::default()).unwrap()
    }

    fn agreement(original: &Table, synthetic: &[&Table]) -> ModelAgreement {
        let request =
            ModelRequest { formula: Formula::parse("hours ~ town").unwrap(), family: ModelFamily::Gaussian };
        let sets = SyntheticSets { original, synthetic, holdout: None };
        model_agreement(&sets, &request).unwrap().unwrap()
    }

    const ROWS: [(&str, f64); 8] = [
        ("a", 10.0),
        ("a", 12.0),
        ("b", 20.0),
        ("b", 24.0),
        ("c", 30.0),
        ("c", 36.0),
        ("d", 40.0),
        ("d", 48.0),
    ];

    #[test]
    fn an_absent_baseline_does_not_shift_the_other_coefficients() {
        let original = read(&ROWS);
        // The synthetic file lacks the town a, which would be the baseline, and has a town e of its own.
        let synthetic: Vec<(&str, f64)> =
            ROWS[2..].iter().copied().chain([("e", 50.0), ("e", 52.0)]).collect();
        let found = agreement(&original, &[&read(&synthetic)]);
        let differences: Vec<(&str, f64)> = found
            .coefficients
            .iter()
            .map(|one| (one.name.as_str(), (one.synthetic - one.original).abs()))
            .collect();
        let names: Vec<&str> = differences.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["(Intercept)", "townc", "townd"]);
        assert!(differences.iter().all(|(_, difference)| *difference < 1e-9), "{differences:?}");
        assert_eq!(found.unmatched, ["towna", "towne"]);
    }

    #[test]
    fn several_sets_are_averaged_and_make_the_population_surer() {
        let original = read(&ROWS);
        let moved = |by: f64| read(&ROWS.map(|(town, hours)| (town, hours + by)));
        let one = agreement(&original, &[&moved(1.0)]);
        let two = agreement(&original, &[&moved(1.0), &moved(3.0)]);
        let (one, two) = (&one.coefficients[0], &two.coefficients[0]);
        assert!((one.synthetic - 12.0).abs() < 1e-9 && (two.synthetic - 13.0).abs() < 1e-9);
        // √(1 + N/(n m)): √2 for one set, √1.5 for two.
        assert!((one.population_standard_error / one.standard_error - 2_f64.sqrt()).abs() < 1e-12);
        assert!((two.population_standard_error / two.standard_error - 1.5_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_formula_about_nothing_is_an_error_and_a_file_without_numbers_a_reason() {
        let original = read(&ROWS);
        let agreement = |synthetic: &Table, text: &str| {
            let sets = SyntheticSets { original: &original, synthetic: &[synthetic], holdout: None };
            let formula = Formula::parse(text).unwrap();
            model_agreement(&sets, &ModelRequest { formula, family: ModelFamily::Gaussian })
        };
        assert!(agreement(&original, "hours ~ twon").is_err());
        let text = "town,hours\na,\nb,\n";
        let empty = crate::align(original.schema(), read_csv_text(text, &ReadOptions::default()).unwrap());
        let because = agreement(&empty.unwrap(), "hours ~ town").unwrap().unwrap_err();
        assert!(because.starts_with("synthetic table 1: every record has a missing value"), "{because}");
    }
}
