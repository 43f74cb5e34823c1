//! Estimates under the design of a survey: weights, strata and clusters of a table, and regressions with standard errors by linearisation.
//!
//! A regression solves Σ wᵢ xᵢ (yᵢ − μᵢ) = 0, and its coefficients have the variance of the total of A⁻¹ wᵢ xᵢ (yᵢ − μᵢ) with A = Σ wᵢ μ′ᵢ xᵢ xᵢᵀ (Binder 1983), as R's `svyglm`.

use std::collections::HashMap;

use statistics::regression::{self, Fit, Iterations, SymmetricMatrix};
use statistics::sample_design::SampleDesign;
use statrs::distribution::{ContinuousCDF, StudentsT};
use table::column::Entry;
use table::schema::{Role, Variable};
use table::{Column, Table};

use crate::stacked::Stacked;
use crate::{Coefficient, FittedModel, Formula, MissingAs, ModelError, ModelFamily, ModelMatrix, response};

/// The design of the sample that a table is.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Weights, strata and clusters of the records.
    pub design: SampleDesign,
    /// The names of the variables that say so.
    pub variables: SurveyVariables,
}

/// Which variables of a table describe the design.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurveyVariables {
    /// The weight; every record counts once without.
    pub weight: Option<String>,
    /// The stratum.
    pub stratum: Option<String>,
    /// The cluster.
    pub cluster: Option<String>,
}

impl SurveyVariables {
    /// Those of a schema; `None` if it has none.
    pub fn of(schema: &table::Schema) -> Option<Self> {
        let name = |role| schema.with_role(role).map(|variable: &Variable| variable.name.clone());
        let found =
            Self { weight: name(Role::Weight), stratum: name(Role::Stratum), cluster: name(Role::Cluster) };
        (found != Self::default()).then_some(found)
    }

    /// Whether a variable is one of them.
    pub fn holds(&self, name: &str) -> bool {
        [&self.weight, &self.stratum, &self.cluster].into_iter().any(|own| own.as_deref() == Some(name))
    }
}

impl Survey {
    /// The design of a table; `None` where its schema gives no variable a role.
    pub fn of(table: &Table) -> Result<Option<Self>, ModelError> {
        match SurveyVariables::of(table.schema()) {
            Some(variables) => Self::by(table, &variables).map(Some),
            None => Ok(None),
        }
    }

    /// The design that these variables of a table describe.
    pub fn by(table: &Table, variables: &SurveyVariables) -> Result<Self, ModelError> {
        let weights = match &variables.weight {
            Some(name) => weights(table, name)?,
            None => vec![1.0; table.rows()],
        };
        let strata = variables.stratum.as_deref().map(|name| codes(table, name, true)).transpose()?;
        let clusters = variables.cluster.as_deref().map(|name| codes(table, name, false)).transpose()?;
        let design = SampleDesign::new(weights, strata.as_deref(), clusters.as_deref());
        let name = variables.weight.as_deref().unwrap_or_default();
        let design = design.ok_or_else(|| ModelError::variable(name, "no record has a weight above zero"))?;
        Ok(Self { design, variables: variables.clone() })
    }
}

fn weights(table: &Table, name: &str) -> Result<Vec<f64>, ModelError> {
    let column = column(table, name)?;
    let weight = |row: usize| match column.number(row) {
        Some(Entry::Value(weight)) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        Some(Entry::Value(_)) => {
            Err(ModelError::variable(name, format!("row {}: a weight is below zero", row + 1)))
        }
        _ => Err(ModelError::variable(name, format!("row {}: a weight is missing", row + 1))),
    };
    (0..table.rows()).map(weight).collect()
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column, ModelError> {
    table.column(name).map_err(|error| ModelError::variable(name, error.to_string()))
}

/// One code a record; records without a stratum are one of their own, records without a cluster are refused.
fn codes(table: &Table, name: &str, may_be_missing: bool) -> Result<Vec<u32>, ModelError> {
    let column = column(table, name)?;
    let refuse = |row: usize| ModelError::variable(name, format!("row {}: the cluster is missing", row + 1));
    let mut known: HashMap<i64, u32> = HashMap::new();
    let mut found = Vec::with_capacity(table.rows());
    let levels = table
        .schema()
        .variable(name)
        .ok()
        .and_then(|variable| variable.kind.levels().map(|levels| levels.len()));
    for row in 0..table.rows() {
        let value = match column {
            Column::Categorical(codes) => {
                Some(i64::from(codes.get(row))).filter(|code| *code < levels.unwrap_or(0) as i64)
            }
            Column::Text(text) => text.get(row).map(|_| i64::from(text.codes.get(row))),
            Column::Integer(numbers) => match numbers.get(row) {
                Entry::Value(value) => Some(value),
                Entry::Code(position) => Some(i64::MIN + 1 + position as i64),
                Entry::Missing => None,
            },
            other => match other.number(row) {
                Some(Entry::Value(value)) => Some(value as i64),
                _ => None,
            },
        };
        let value = match value {
            Some(value) => value,
            None if may_be_missing => i64::MIN,
            None => return Err(refuse(row)),
        };
        let next = known.len() as u32;
        found.push(*known.entry(value).or_insert(next));
    }
    Ok(found)
}

/// Fits the model of `formula` to the complete records of `table`, each by its weight, with the standard errors of the design. Linear, logistic and Poisson regressions.
pub fn fit_survey(
    table: &Table,
    formula: &Formula,
    family: ModelFamily,
    survey: &Survey,
) -> Result<FittedModel, ModelError> {
    let bound = formula.bind(table.schema().variables())?;
    let all = Stacked::of_operand(&[table], &bound.response)?;
    let matrix = ModelMatrix::of_bound(&[table], &bound, MissingAs::Dropped, |row| all.has_value(row))?;
    if matrix.rows.is_empty() {
        return Err(ModelError::NoCompleteRecord { formula: formula.text().to_owned() });
    }
    let (name, values) = (&bound.response.name, all.of_rows(&matrix.rows));
    let mut weights: Vec<f64> = matrix.rows.iter().map(|row| survey.design.weights()[*row]).collect();
    // As many records as there are: what depends on the size of weights is then that of the sample.
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    if mean > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= mean);
    }
    let response = match family {
        ModelFamily::Gaussian => response::number(name, &values)?,
        ModelFamily::Logistic => response::binary(name, &values)?,
        ModelFamily::Poisson => response::count(name, &values)?,
        ModelFamily::Multinomial | ModelFamily::Ordinal => {
            return Err(ModelError::variable(
                name,
                format!(
                    "standard errors of a design are computed for gaussian, logistic and poisson models, not for {} ones; ask for a logistic model of one level",
                    family.name()
                ),
            ));
        }
    };
    let fit = match family {
        ModelFamily::Logistic => {
            regression::logistic(&matrix.design, &response, Some(&weights), Iterations::to_the_end())?
        }
        ModelFamily::Poisson => {
            regression::poisson(&matrix.design, &response, Some(&weights), Iterations::to_the_end())?
        }
        _ => regression::linear(&matrix.design, &response, Some(&weights))?,
    };
    let covariance = covariance(&fit, &matrix, &response, &weights, survey);
    Ok(described(fit, covariance, formula, family, &matrix, survey))
}

/// The variance of the total of influence values, summed over clusters before they are multiplied by A⁻¹.
fn covariance(
    fit: &Fit,
    matrix: &ModelMatrix,
    response: &[f64],
    weights: &[f64],
    survey: &Survey,
) -> SymmetricMatrix {
    let estimated = fit.estimated();
    let size = estimated.len();
    let mut scores = vec![vec![0.0; size]; survey.design.clusters()];
    matrix.design.for_each_row(&estimated, |row, entries| {
        let residual = weights[row] * (response[row] - fit.fitted[row]);
        let of_cluster = &mut scores[survey.design.cluster_of(matrix.rows[row])];
        entries.iter().for_each(|(column, value)| of_cluster[*column] += residual * value);
    });
    let inverse = &fit.unscaled_covariance;
    for score in &mut scores {
        let influence = (0..size)
            .map(|row| inverse.row(row).iter().zip(score.iter()).map(|(entry, value)| entry * value).sum());
        *score = influence.collect();
    }
    survey.design.variance(&scores)
}

fn described(
    fit: Fit,
    covariance: SymmetricMatrix,
    formula: &Formula,
    family: ModelFamily,
    matrix: &ModelMatrix,
    survey: &Survey,
) -> FittedModel {
    let size = covariance.size();
    // R's svyglm: the degrees of freedom of the design, less the coefficients beside the intercept.
    let left = survey.design.degrees_of_freedom() + 1.0 - size as f64;
    let distribution = StudentsT::new(0.0, 1.0, left).ok().filter(|_| left > 0.0);
    let mut coefficients = Vec::with_capacity(size);
    let mut dropped = Vec::new();
    for (name, estimate) in matrix.names.iter().zip(&fit.coefficients) {
        let Some(estimate) = *estimate else {
            dropped.push(name.clone());
            continue;
        };
        let at = coefficients.len();
        let standard_error = Some(covariance.get(at, at).sqrt()).filter(|_| left > 0.0);
        let statistic = standard_error.filter(|error| *error > 0.0).map(|error| estimate / error);
        let p_value = statistic.zip(distribution).map(|(statistic, of)| 2.0 * of.cdf(-statistic.abs()));
        coefficients.push(Coefficient { name: name.clone(), estimate, standard_error, statistic, p_value });
    }
    FittedModel {
        formula: formula.text().to_owned(),
        family,
        coefficients,
        covariance: Some(covariance).filter(|_| left > 0.0),
        entangled: dropped.iter().filter(|name| matrix.has_entries(name)).cloned().collect(),
        dropped,
        absent_baselines: matrix.absent_baselines.clone(),
        records: matrix.rows.len(),
        dropped_rows: matrix.dropped_rows,
        residual_degrees_of_freedom: left,
        deviance: fit.deviance,
        log_likelihood: fit.log_likelihood,
        dispersion: fit.dispersion,
        convergence: fit.convergence,
    }
}

#[cfg(test)]
#[allow(clippy::excessive_precision)] // Numbers as R prints them.
mod tests {
    use table::read::{ReadOptions, read_csv_text, read_table};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[variables.region]\nkind = \"categorical\"\nrole = \"stratum\"\n[variables.household]\nkind = \"integer\"\nrole = \"cluster\"\n\
        [variables.w]\nkind = \"real\"\nrole = \"weight\"\n[variables.age]\nkind = \"integer\"\n[variables.town]\nkind = \"categorical\"\n\
        [variables.income]\nkind = \"real\"\nmissing = true\n[variables.children]\nkind = \"integer\"\n[variables.in_a]\nkind = \"integer\"\n";

    fn sample() -> Table {
        let text = include_str!("../testdata/survey.csv");
        let line = |(at, line): (usize, &str)| match at {
            0 => format!("{line},in_a\n"),
            _ => format!("{line},{}\n", u8::from(line.contains(",a,"))),
        };
        let text: String = text.lines().enumerate().map(line).collect();
        let schema = Some(SchemaFile::parse(SCHEMA).unwrap());
        read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    /// Estimates and standard errors as `testdata/survey.R` prints them.
    fn check(table: &Table, formula: &str, family: ModelFamily, golden: &[f64], sign: f64) {
        let survey = Survey::of(table).unwrap().unwrap();
        let model = fit_survey(table, &Formula::parse(formula).unwrap(), family, &survey).unwrap();
        assert_eq!(2 * model.coefficients.len(), golden.len());
        for (found, golden) in model.coefficients.iter().zip(golden.chunks(2)) {
            let error = found.standard_error.unwrap();
            let agrees = (sign * found.estimate / golden[0] - 1.0).abs() < 1e-6
                && (error / golden[1] - 1.0).abs() < 1e-6;
            assert!(agrees, "{}: {} {error}, R {golden:?}", found.name, found.estimate);
        }
    }

    #[test]
    fn regressions_have_the_estimates_and_errors_of_r() {
        let table = sample();
        let linear = [
            1.369717686916689e+03,
            3.550737229552900e+02,
            -4.621355980820289e+00,
            7.996456467756732e+00,
            2.486972967483502e+02,
            3.120936572752969e+02,
            9.262543513825067e+02,
            2.378525373030164e+02,
        ];
        check(&table, "income ~ age + town", ModelFamily::Gaussian, &linear, 1.0);
        let logistic =
            [2.345425182808786e-01, 2.586827647292563e+00, -2.210370500734649e-02, 5.967025206639433e-02];
        check(&table, "in_a ~ age", ModelFamily::Logistic, &logistic, 1.0);
        let poisson =
            [2.011457573392791e-01, 7.001085261231889e-01, 7.164046239822195e-03, 1.500795569216641e-02];
        check(&table, "children ~ age", ModelFamily::Poisson, &poisson, 1.0);
        let survey = Survey::of(&table).unwrap().unwrap();
        let (total, variance) = survey.design.total(|row| {
            Some(table.column("in_a").unwrap().number(row)).and_then(|entry| match entry {
                Some(Entry::Value(value)) => Some(value),
                _ => None,
            })
        });
        assert!((total - 94.0).abs() < 1e-9 && (variance.sqrt() / 3.609247382303777e+01 - 1.0).abs() < 1e-9);
        let formula = Formula::parse("town ~ age").unwrap();
        let error = fit_survey(&table, &formula, ModelFamily::Multinomial, &survey).unwrap_err().to_string();
        assert!(error.contains("`town`") && error.contains("logistic"), "{error}");
    }

    #[test]
    fn a_design_that_is_none_is_refused_by_name() {
        let refused = |from: &str, to: &str| {
            let schema = Some(
                SchemaFile::parse(
                    &SCHEMA
                        .replace("\n[variables.in_a]\nkind = \"integer\"\n", "\n")
                        .replace("kind = \"real\"\nrole", "kind = \"real\"\nrange = [-5, 50]\nrole"),
                )
                .unwrap(),
            );
            let text = include_str!("../testdata/survey.csv").replacen(from, to, 1);
            read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() })
                .err()
                .map(|error| error.to_string())
        };
        let error = refused("x", "x").unwrap();
        assert!(error.contains("`w`") && error.contains("below zero"), "{error}");
        let table = read_csv_text("w,x\n0,1\n0,2\n", &ReadOptions {
            schema: Some(SchemaFile::parse("[variables.w]\nkind = \"integer\"\nrole = \"weight\"\n[variables.x]\nkind = \"integer\"\n").unwrap()),
            ..ReadOptions::default()
        })
        .unwrap();
        assert!(Survey::of(&table).unwrap_err().to_string().contains("`w`"));
        assert!(Survey::of(&read_csv_text("x\n1\n", &ReadOptions::default()).unwrap()).unwrap().is_none());
    }

    /// EU-SILC Austria, 14,827 persons in 6,000 households of 9 regions, against R's survey 4.1.1.
    #[test]
    fn eu_silc_agrees_with_r() {
        let Some(path) = shared_data::find("data/eusilc_at.csv.gz") else { return };
        let mut table = read_table(&path, &ReadOptions::default()).unwrap();
        let draft = table.schema().to_toml();
        let role = |draft: String, name: &str, role: &str| {
            let section = format!("[variables.{name}]\n");
            draft.replace(&section, &format!("{section}role = \"{role}\"\n"))
        };
        let draft = role(role(role(draft, "db030", "cluster"), "db040", "stratum"), "rb050", "weight");
        let schema = Some(SchemaFile::parse(&draft).unwrap());
        table = read_table(&path, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
        let survey = Survey::of(&table).unwrap().unwrap();
        assert_eq!((survey.design.degrees_of_freedom(), survey.design.lonely()), (5991.0, 0));
        let number = |name: &str| {
            let column = table.column(name).unwrap().clone();
            move |row: usize| match column.number(row) {
                Some(Entry::Value(value)) => Some(value),
                _ => None,
            }
        };
        let close = |found: (f64, f64), q: f64, se: f64| {
            assert!(
                (found.0 / q - 1.0).abs() < 1e-9 && (found.1.sqrt() / se - 1.0).abs() < 1e-6,
                "{found:?}, R {q} {se}"
            );
        };
        close(survey.design.mean(number("eqIncome")).unwrap(), 1.989080693129546e+04, 1.411640795556722e+02);
        close(survey.design.mean(number("py010n")).unwrap(), 9.158915177097671e+03, 1.088321313891693e+02);
        let linear = [
            1.806487669796597e+04,
            4.284384498911491e+02,
            3.910597157232532e+01,
            4.983602119382078e+00,
            1.733403225731991e+03,
            1.234086191495893e+02,
            -1.840937894271503e+02,
            9.334972626056312e+01,
        ];
        check(&table, "eqIncome ~ age + rb090 + hsize", ModelFamily::Gaussian, &linear, 1.0);
        // R models `female`; here the second level, male, is the event.
        let logistic = [
            1.197447957662324e-01,
            3.924806248360269e-02,
            6.491339192284282e-03,
            6.319670753564010e-04,
            -1.627837599211928e-05,
            1.348431900784769e-06,
        ];
        check(&table, "rb090 ~ age + eqIncome", ModelFamily::Logistic, &logistic, -1.0);
        let poisson = [
            1.499257527793727e+00,
            9.425918722809391e-03,
            -1.015926255379578e-02,
            1.731407311395957e-04,
            3.974765119492302e-02,
            5.874898745214009e-03,
        ];
        check(&table, "hsize ~ age + rb090", ModelFamily::Poisson, &poisson, 1.0);
    }
}
