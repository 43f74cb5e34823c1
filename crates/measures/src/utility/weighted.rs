//! Weighted means, shares and regressions of both files, with the standard errors of the sample's design.
//!
//! Where the schema of the original gives variables the roles weight, stratum or cluster, every estimate is also taken with records counted by their weight, beside the
//! unweighted one. Its standard error is by linearisation over strata and clusters (R's `survey`); see [`statistics::sample_design`]. What is compared are the 95 % intervals
//! of the original and the synthetic file, each by its own design.

use models::{Survey, SurveyVariables, fit_survey};
use table::{Column, Table};

use crate::utility::interval::Interval;
use crate::utility::numbers::number_pairs;
use crate::{Comparison, Finding, MeasureCard, MeasureError};

/// Both files with their designs; `None` where the original's schema has no roles.
pub(crate) fn designs(comparison: &Comparison<'_>) -> Result<Option<Result<Designs, String>>, MeasureError> {
    let Some(variables) = SurveyVariables::of(comparison.original.schema()) else { return Ok(None) };
    let original = Survey::by(comparison.original, &variables);
    let synthetic = Survey::by(comparison.synthetic, &variables);
    Ok(Some(match (original, synthetic) {
        (Ok(original), Ok(synthetic)) => Ok(Designs { original, synthetic, variables }),
        (Err(because), _) => Err(format!("the original: {because}")),
        (_, Err(because)) => Err(format!("the synthetic file: {because}")),
    }))
}

/// The designs of both files.
pub(crate) struct Designs {
    pub(crate) original: Survey,
    pub(crate) synthetic: Survey,
    variables: SurveyVariables,
}

/// An estimate in both files.
struct Both {
    original: (f64, f64),
    synthetic: (f64, f64),
}

impl Both {
    fn overlap(&self) -> f64 {
        let interval = |(estimate, variance): (f64, f64)| Interval::around(estimate, variance.sqrt());
        interval(self.original).overlap(interval(self.synthetic))
    }

    fn noted(&self, finding: Finding) -> Finding {
        finding
            .with("original", self.original.0)
            .with("original_se", self.original.1.sqrt())
            .with("synthetic", self.synthetic.0)
            .with("synthetic_se", self.synthetic.1.sqrt())
            .with("overlap", self.overlap())
    }
}

/// `mean`: for each number, how many standard errors of the design the weighted mean is off. `share`: for each categorical variable, the largest difference of a weighted
/// share. `size`: by how many per cent the sum of weights is off.
pub(crate) fn of_variables(
    comparison: &Comparison<'_>,
    designs: &Designs,
    [mean, share, size]: [&MeasureCard; 3],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for pair in number_pairs(comparison)
        .into_iter()
        .filter(|pair| designs.variables.weight.as_deref() != Some(pair.name))
    {
        if designs.variables.holds(pair.name) {
            continue;
        }
        let on = [pair.name];
        let original = designs.original.design.mean(|row| pair.original[row]);
        let synthetic = designs.synthetic.design.mean(|row| pair.synthetic[row]);
        let unweighted = |values: &[Option<f64>]| {
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            present.iter().sum::<f64>() / present.len().max(1) as f64
        };
        findings.push(match (original, synthetic) {
            (Some(original), Some(synthetic)) if original.1 > 0.0 => {
                let both = Both { original, synthetic };
                let z = (synthetic.0 - original.0).abs() / original.1.sqrt();
                let finding = both.noted(mean.finding(&on, z));
                finding
                    .with("unweighted_original", unweighted(&pair.original))
                    .with("unweighted_synthetic", unweighted(&pair.synthetic))
            }
            (Some(_), Some(_)) => mean.undefined(&on, "the weighted mean of the original has no variance"),
            _ => mean.undefined(&on, "one of the files has no value here"),
        });
    }
    for variable in comparison.original.schema().variables() {
        let name = variable.name.as_str();
        if variable.kind.levels().is_none() || designs.variables.cluster.as_deref() == Some(name) {
            continue;
        }
        findings.extend(largest_difference(comparison, designs, name, share));
    }
    if designs.variables.weight.is_some() {
        let total = |survey: &Survey| survey.design.weights().iter().sum::<f64>();
        let (original, synthetic) = (total(&designs.original), total(&designs.synthetic));
        let whole: [&str; 0] = [];
        let error = 100.0 * (synthetic / original - 1.0).abs();
        findings.push(size.finding(&whole, error).with("original", original).with("synthetic", synthetic));
    }
    findings
}

fn largest_difference(
    comparison: &Comparison<'_>,
    designs: &Designs,
    name: &str,
    share: &MeasureCard,
) -> Option<Finding> {
    let levels_of = |table: &Table| -> Option<Vec<String>> {
        let levels = table.schema().variable(name).ok()?.kind.levels()?;
        Some(levels.iter().map(str::to_owned).collect())
    };
    let (own, others) = (levels_of(comparison.original)?, levels_of(comparison.synthetic)?);
    let (Ok(Column::Categorical(original)), Ok(Column::Categorical(synthetic))) =
        (comparison.original.column(name), comparison.synthetic.column(name))
    else {
        return None;
    };
    let indicator = |codes: &table::Codes, code: Option<usize>, row: usize| {
        let is_level = code.is_some_and(|code| codes.get(row) as usize == code);
        Some(if is_level { 1.0 } else { 0.0 })
    };
    let all: Vec<&String> = own.iter().chain(others.iter().filter(|level| !own.contains(level))).collect();
    let found = all.into_iter().filter_map(|level| {
        let place = |levels: &[String]| levels.iter().position(|known| known == level);
        let (here, there) = (place(&own), place(&others));
        let both = Both {
            original: designs.original.design.mean(|row| indicator(original, here, row))?,
            synthetic: designs.synthetic.design.mean(|row| indicator(synthetic, there, row))?,
        };
        Some((level, (both.synthetic.0 - both.original.0).abs(), both))
    });
    let (level, difference, both) = found.max_by(|left, right| left.1.total_cmp(&right.1))?;
    Some(both.noted(share.finding(&[name], difference)).with("level", level.as_str()))
}

/// One finding a coefficient of a weighted regression: by how many standard errors of the design it differs; and the mean overlap of the intervals.
pub(crate) fn of_model(
    original: &Table,
    synthetic: &Table,
    designs: &Designs,
    request: &super::model::ModelRequest,
    [overlap, coefficient]: [&MeasureCard; 2],
) -> Vec<Finding> {
    let on = request.formula.variables();
    let fit = |table: &Table, survey: &Survey| fit_survey(table, &request.formula, request.family, survey);
    let (here, there) = match (fit(original, &designs.original), fit(synthetic, &designs.synthetic)) {
        (Ok(here), Ok(there)) => (here, there),
        (Err(because), _) => return vec![overlap.undefined(&on, format!("the original: {because}"))],
        (_, Err(because)) => return vec![overlap.undefined(&on, format!("the synthetic file: {because}"))],
    };
    let mut findings = Vec::new();
    let mut overlaps = Vec::new();
    for own in &here.coefficients {
        let Some(other) = there.coefficient(&own.name) else { continue };
        let (Some(se), Some(other_se)) = (own.standard_error, other.standard_error) else { continue };
        if se <= 0.0 {
            continue;
        }
        let both =
            Both { original: (own.estimate, se * se), synthetic: (other.estimate, other_se * other_se) };
        overlaps.push(both.overlap());
        let z = (other.estimate - own.estimate).abs() / se;
        findings.push(both.noted(coefficient.finding(&on, z)).with("coefficient", own.name.as_str()));
    }
    let mean = overlaps.iter().sum::<f64>() / overlaps.len().max(1) as f64;
    let first = match overlaps.len() {
        0 => overlap.undefined(
            &on,
            "no coefficient can be estimated with a standard error of the design in both files",
        ),
        several => overlap.finding(&on, mean).with("coefficients", several),
    };
    findings.insert(0, first);
    findings
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use crate::utility::amounts::Amounts;
    use crate::utility::model::{ModelRequest, Models};
    use crate::{Comparison, Finding, Measure, Settings};

    const SCHEMA: &str = "[variables.region]\nkind = \"categorical\"\nrole = \"stratum\"\n[variables.household]\nkind = \"integer\"\nrole = \"cluster\"\n\
        [variables.w]\nkind = \"real\"\nrole = \"weight\"\n[variables.age]\nkind = \"integer\"\n[variables.town]\nkind = \"categorical\"\n\
        [variables.income]\nkind = \"real\"\nmissing = true\n[variables.children]\nkind = \"integer\"\n";

    fn evaluated(schema: &str, measure: &dyn Measure) -> Vec<Finding> {
        let text = include_str!("../../../models/testdata/survey.csv");
        let schema = Some(SchemaFile::parse(schema).unwrap());
        let original = read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
        let request = ModelRequest {
            formula: models::Formula::parse("income ~ age + town").unwrap(),
            family: models::ModelFamily::Gaussian,
        };
        let settings = Settings { models: vec![request], ..Settings::default() };
        let synthetic = original.take(&(0..14).collect::<Vec<u32>>()).unwrap();
        measure
            .evaluate(&Comparison { original: &original, synthetic: &synthetic, holdout: None }, &settings)
            .unwrap()
    }

    /// The numbers of R's survey package that `crates/models/testdata/survey.R` prints.
    #[test]
    fn weighted_estimates_stand_beside_the_unweighted_ones() {
        let found = evaluated(SCHEMA, &Amounts);
        let of = |measure: &str, variable: &str| {
            let is = |finding: &&Finding| {
                finding.measure == measure && finding.on.iter().any(|name| name == variable)
            };
            found.iter().find(is).unwrap_or_else(|| panic!("{measure} of {variable}"))
        };
        let number = |finding: &Finding, key: &str| finding.detail[key].as_f64().unwrap();
        let income = of("amounts.weighted_mean_z", "income");
        assert!((number(income, "original") / 1.510507880910683e+03 - 1.0).abs() < 1e-9);
        assert!((number(income, "original_se") / 1.909147591285146e+02 - 1.0).abs() < 1e-9);
        assert!((number(income, "unweighted_original") - 21850.0 / 15.0).abs() < 1e-9);
        let town = of("amounts.weighted_share", "town");
        assert!(town.value.unwrap() > 0.0 && town.detail["level"].is_string());
        assert!(found.iter().any(|finding| finding.measure == "amounts.weighted_size"));
        assert!(
            !found.iter().any(|finding| finding.measure == "amounts.weighted_mean_z"
                && finding.on.contains(&"w".to_owned()))
        );
        let models = evaluated(SCHEMA, &Models);
        let age = models
            .iter()
            .find(|finding| {
                finding.measure == "model.weighted_coefficient" && finding.detail["coefficient"] == "age"
            })
            .unwrap();
        assert!((number(age, "original") / -4.621355980820289e+00 - 1.0).abs() < 1e-6);
        assert!((number(age, "original_se") / 7.996456467756732e+00 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_schema_without_roles_has_no_weighted_findings() {
        let plain = SCHEMA.lines().filter(|line| !line.starts_with("role")).collect::<Vec<_>>().join("\n");
        for measure in [&Amounts as &dyn Measure, &Models] {
            assert!(evaluated(&plain, measure).iter().all(|finding| !finding.measure.contains("weighted")));
        }
    }
}
