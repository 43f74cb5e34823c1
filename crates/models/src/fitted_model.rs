//! A model fitted to a table.

use statistics::regression::{self, Convergence, Fit, Iterations, SymmetricMatrix};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use table::Table;

use crate::stacked::Stacked;
use crate::{Formula, MissingAs, ModelError, ModelFamily, ModelMatrix, response};

/// One estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// R's name for it.
    pub name: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error; `None` where no degree of freedom is left to estimate it.
    pub standard_error: Option<f64>,
    /// Estimate by standard error: t in a linear model, z in the others.
    pub statistic: Option<f64>,
    /// The two-sided p-value of the statistic.
    pub p_value: Option<f64>,
}

/// What a model says about a table.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedModel {
    /// The formula as it was written.
    pub formula: String,
    /// The family.
    pub family: ModelFamily,
    /// The estimated coefficients.
    pub coefficients: Vec<Coefficient>,
    /// Their covariance, in the same order; `None` where no degree of freedom is left to estimate it.
    pub covariance: Option<SymmetricMatrix>,
    /// Columns that are aliased with earlier ones, by name: they have no coefficient.
    pub dropped: Vec<String>,
    /// Those of the dropped that some record has. The earlier columns carry them, so that their coefficients mean something else than in a table where they can be
    /// told apart; without a record that has it, a dropped column changes nothing.
    pub entangled: Vec<String>,
    /// Factors whose baseline level none of the records has: contrasts are then with another level. A multinomial model's response may be among them.
    pub absent_baselines: Vec<String>,
    /// The number of records that the model was fitted to.
    pub records: usize,
    /// The number of records that were left out for a missing value or a special code in a variable of the model.
    pub dropped_rows: usize,
    /// Records less estimated coefficients.
    pub residual_degrees_of_freedom: f64,
    /// The deviance; the residual sum of squares of a linear model.
    pub deviance: f64,
    /// The log likelihood.
    pub log_likelihood: f64,
    /// The residual variance of a linear model, 1 for the others.
    pub dispersion: Option<f64>,
    /// How the iterations ended.
    pub convergence: Convergence,
}

impl FittedModel {
    /// The coefficient of this name.
    pub fn coefficient(&self, name: &str) -> Option<&Coefficient> {
        self.coefficients.iter().find(|coefficient| coefficient.name == name)
    }
}

/// Fits the model of `formula` and `family` to the complete records of `table`.
///
/// Names are R's. A multinomial model has the coefficients `level:column` for each level but the first that has records, which
/// is the baseline. An ordinal one has its coefficients, then its thresholds `lower|upper`.
pub fn fit(table: &Table, formula: &Formula, family: ModelFamily) -> Result<FittedModel, ModelError> {
    fit_by(table, formula, family, Iterations::default())
}

/// The same with iterations of a generalised linear model that stop elsewhere, or whose covariance is R's.
pub fn fit_by(
    table: &Table,
    formula: &Formula,
    family: ModelFamily,
    iterations: Iterations,
) -> Result<FittedModel, ModelError> {
    let bound = formula.bind(table.schema().variables())?;
    let all = Stacked::of_operand(&[table], &bound.response)?;
    let matrix = ModelMatrix::of_bound(&[table], &bound, MissingAs::Dropped, |row| all.has_value(row))?;
    if matrix.rows.is_empty() {
        return Err(ModelError::NoCompleteRecord { formula: formula.text().to_owned() });
    }
    let (name, response) = (&bound.response.name, all.of_rows(&matrix.rows));
    let design = &matrix.design;
    let fit = match family {
        ModelFamily::Multinomial | ModelFamily::Ordinal => {
            let (levels, codes) = response::category(name, &response)?;
            let estimates = if family == ModelFamily::Ordinal {
                of_ordinal(&matrix, &levels, &codes)?
            } else {
                of_multinomial(&matrix, &levels, &codes)?
            };
            let mut model = estimates.described(formula, family, &matrix);
            if family == ModelFamily::Multinomial && response.lacks_first_level() {
                model.absent_baselines.push(name.clone());
            }
            return Ok(model);
        }
        ModelFamily::Gaussian => regression::linear(design, &response::number(name, &response)?, None)?,
        ModelFamily::Logistic => {
            regression::logistic(design, &response::binary(name, &response)?, None, iterations)?
        }
        ModelFamily::Poisson => {
            regression::poisson(design, &response::count(name, &response)?, None, iterations)?
        }
    };
    Ok(of_fit(&matrix, &fit).described(formula, family, &matrix))
}

/// How many records [`fit`] leaves out, because a variable of the formula is missing or a special code there, or a function of it has no value,
/// such as the logarithm of 0.
pub fn incomplete_records(table: &Table, formula: &Formula) -> Result<usize, ModelError> {
    let bound = formula.bind(table.schema().variables())?;
    let response = Stacked::of_operand(&[table], &bound.response)?;
    let operands = bound.operands.iter().enumerate();
    let used = operands.filter(|(at, _)| bound.terms.iter().any(|term| term.contains(at)));
    let used =
        used.map(|(_, operand)| Stacked::of_operand(&[table], operand)).collect::<Result<Vec<_>, _>>()?;
    let is_complete =
        |row: &usize| response.has_value(*row) && used.iter().all(|operand| operand.has_value(*row));
    Ok(table.rows() - (0..table.rows()).filter(is_complete).count())
}

/// A name, an estimate and its standard error.
type Estimate = (String, f64, Option<f64>);

/// What the regressions have in common: named estimates and how good they are.
struct Estimates {
    estimates: Vec<Estimate>,
    dropped: Vec<String>,
    covariance: Option<SymmetricMatrix>,
    deviance: f64,
    log_likelihood: f64,
    dispersion: Option<f64>,
    convergence: Convergence,
}

impl Estimates {
    fn described(self, formula: &Formula, family: ModelFamily, matrix: &ModelMatrix) -> FittedModel {
        let left = matrix.rows.len() as f64 - self.estimates.len() as f64;
        // A multinomial model names its columns `level:column`.
        let column_of = |name: &str| {
            let is_column = |column: &&String| {
                name.strip_suffix(column.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with(':'))
            };
            matrix.names.iter().filter(is_column).max_by_key(|column| column.len())
        };
        let is_entangled = |name: &str| column_of(name).is_some_and(|column| matrix.has_entries(column));
        let tested = |(name, estimate, error)| tested(name, estimate, error, family, left);
        FittedModel {
            formula: formula.text().to_owned(),
            family,
            coefficients: self.estimates.into_iter().map(tested).collect(),
            covariance: self.covariance,
            entangled: self.dropped.iter().filter(|name| is_entangled(name)).cloned().collect(),
            dropped: self.dropped,
            absent_baselines: matrix.absent_baselines.clone(),
            records: matrix.rows.len(),
            dropped_rows: matrix.dropped_rows,
            residual_degrees_of_freedom: left,
            deviance: self.deviance,
            log_likelihood: self.log_likelihood,
            dispersion: self.dispersion,
            convergence: self.convergence,
        }
    }
}

/// The estimates of one list of coefficients, with the names of those that could not be estimated.
fn named(
    names: &[String],
    coefficients: &[Option<f64>],
    errors: &[Option<f64>],
) -> (Vec<Estimate>, Vec<String>) {
    let mut estimates = Vec::new();
    let mut dropped = Vec::new();
    for ((name, coefficient), error) in names.iter().zip(coefficients).zip(errors) {
        match coefficient {
            Some(estimate) => estimates.push((name.clone(), *estimate, *error)),
            None => dropped.push(name.clone()),
        }
    }
    (estimates, dropped)
}

fn of_fit(matrix: &ModelMatrix, fit: &Fit) -> Estimates {
    let (estimates, dropped) = named(&matrix.names, &fit.coefficients, &fit.standard_errors());
    Estimates {
        estimates,
        dropped,
        covariance: fit.covariance(),
        deviance: fit.deviance,
        log_likelihood: fit.log_likelihood,
        dispersion: fit.dispersion,
        convergence: fit.convergence.clone(),
    }
}

/// Coefficients are named `level:column`, level by level.
fn of_multinomial(matrix: &ModelMatrix, levels: &[String], codes: &[u32]) -> Result<Estimates, ModelError> {
    let fit = regression::multinomial(&matrix.design, codes, None, Iterations::to_the_end())?;
    let mut estimates = Vec::new();
    let mut dropped = Vec::new();
    for ((category, coefficients), errors) in
        fit.categories[1..].iter().zip(&fit.coefficients).zip(fit.standard_errors())
    {
        let level = &levels[*category as usize];
        let names: Vec<String> = matrix.names.iter().map(|name| format!("{level}:{name}")).collect();
        let of_level = named(&names, coefficients, &errors);
        estimates.extend(of_level.0);
        dropped.extend(of_level.1);
    }
    Ok(Estimates {
        estimates,
        dropped,
        deviance: fit.deviance(),
        covariance: Some(fit.covariance),
        log_likelihood: fit.log_likelihood,
        dispersion: Some(1.0),
        convergence: fit.convergence,
    })
}

/// Coefficients, then thresholds, which are named `lower|upper` after the levels that they part.
fn of_ordinal(matrix: &ModelMatrix, levels: &[String], codes: &[u32]) -> Result<Estimates, ModelError> {
    let fit = regression::proportional_odds(&matrix.design, codes, None, Iterations::to_the_end())?;
    let (errors, of_thresholds) = fit.standard_errors();
    let (mut estimates, dropped) = named(&matrix.names[1..], &fit.coefficients[1..], &errors[1..]);
    let level = |category: u32| &levels[category as usize];
    let parted = fit.categories.windows(2).map(|pair| format!("{}|{}", level(pair[0]), level(pair[1])));
    let thresholds = parted.zip(&fit.thresholds).zip(of_thresholds);
    estimates.extend(thresholds.map(|((name, zeta), error)| (name, *zeta, Some(error))));
    Ok(Estimates {
        estimates,
        dropped,
        deviance: fit.deviance(),
        covariance: Some(fit.covariance),
        log_likelihood: fit.log_likelihood,
        dispersion: Some(1.0),
        convergence: fit.convergence,
    })
}

/// An estimate with its test: t with the residual degrees of freedom in a linear model, z in the others.
fn tested(
    name: String,
    estimate: f64,
    standard_error: Option<f64>,
    family: ModelFamily,
    residual_degrees_of_freedom: f64,
) -> Coefficient {
    let statistic = standard_error.filter(|error| *error > 0.0).map(|error| estimate / error);
    let p_value = statistic.and_then(|statistic| {
        let tail = match family {
            ModelFamily::Gaussian => {
                StudentsT::new(0.0, 1.0, residual_degrees_of_freedom).ok()?.cdf(-statistic.abs())
            }
            _ => Normal::standard().cdf(-statistic.abs()),
        };
        Some(2.0 * tail)
    });
    Coefficient { name, estimate, standard_error, statistic, p_value }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[variables.weight]\nkind = \"real\"\nmissing = true\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"M\", \"F\"]\n\
        [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\", \"d\"]\n\
        [variables.visits]\nkind = \"integer\"\nmissing = true\ncodes = { -8 = \"never asked\" }\n";

    fn people() -> Table {
        let schema = Some(SchemaFile::parse(SCHEMA).unwrap());
        let text = "weight,sex,town,visits\n70,M,a,1\n62,F,b,0\n81,M,d,4\n58,F,a,2\n,F,b,1\n77.5,M,b,-8\n66,F,d,3\n90,M,a,5\n";
        read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    fn fitted(formula: &str, family: ModelFamily) -> Result<FittedModel, ModelError> {
        fit(&people(), &Formula::parse(formula).unwrap(), family)
    }

    #[test]
    fn a_baseline_without_records_is_told() {
        let schema = SCHEMA.replace("[\"a\", \"b\", \"c\", \"d\"]", "[\"z\", \"a\", \"b\", \"d\"]");
        let schema = Some(SchemaFile::parse(&schema).unwrap());
        let text = "weight,sex,town,visits\n70,M,a,1\n62,F,b,0\n81,M,d,4\n58,F,a,2\n77.5,M,b,2\n66,F,d,3\n90,M,a,5\n";
        let people = read_csv_text(text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
        let of = |formula: &str, family| fit(&people, &Formula::parse(formula).unwrap(), family).unwrap();
        let model = of("weight ~ town + sex", ModelFamily::Gaussian);
        assert_eq!(
            (model.absent_baselines, model.entangled),
            (vec!["town".to_owned()], vec!["townd".to_owned()])
        );
        // Without an intercept every level has its own column, and the empty one changes nothing.
        let model = of("weight ~ town - 1", ModelFamily::Gaussian);
        assert!(
            model.absent_baselines.is_empty() && model.entangled.is_empty() && model.dropped == ["townz"]
        );
        let model = of("town ~ weight", ModelFamily::Multinomial);
        assert_eq!(model.absent_baselines, ["town"]);
        let model = of("weight ~ sex + visits", ModelFamily::Gaussian);
        assert!(model.absent_baselines.is_empty() && model.entangled.is_empty());
        // A copy of a number is entangled with it.
        assert_eq!(of("weight ~ visits + I(2 * visits)", ModelFamily::Gaussian).entangled.len(), 1);
    }

    #[test]
    fn a_level_without_records_is_named_and_shifts_nothing() {
        // d <- data.frame(weight = c(70, 62, 81, 58, NA, 77.5, 66, 90), sex = factor(c("M", "F", "M", "F", "F", "M", "F", "M"),
        //   c("M", "F")), town = factor(c("a", "b", "d", "a", "b", "b", "d", "a"), c("a", "b", "c", "d")))
        // summary(lm(weight ~ town + sex, d))
        let model = fitted("weight ~ town + sex", ModelFamily::Gaussian).unwrap();
        assert_eq!(
            (model.dropped.clone(), model.records, model.dropped_rows),
            (vec!["townc".to_owned()], 7, 1)
        );
        let names: Vec<&str> = model.coefficients.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["(Intercept)", "townb", "townd", "sexF"]);
        let sex = model.coefficient("sexF").unwrap();
        let expected = [-17.95, 6.6073822350459, -2.716658331765982, 0.07275421546952038];
        let found = [sex.estimate, sex.standard_error.unwrap(), sex.statistic.unwrap(), sex.p_value.unwrap()];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0_f64).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[rstest]
    #[case(
        "town ~ sex",
        ModelFamily::Logistic,
        "the response `town`: it has 4 levels, and the family logistic needs two"
    )]
    #[case(
        "sex ~ town",
        ModelFamily::Gaussian,
        "the response `sex`: it is categorical, and the family needs a number"
    )]
    #[case("visits ~ town", ModelFamily::Logistic, "the numbers 0 and 1")]
    #[case("weight ~ town", ModelFamily::Poisson, "whole numbers from 0")]
    #[case("weight ~ town", ModelFamily::Multinomial, "it is a number, and the family needs levels")]
    #[case("town ~ sex - 1", ModelFamily::Ordinal, "needs an intercept")]
    #[case("log(visits - 10) ~ town", ModelFamily::Gaussian, "every record has a missing value")]
    fn what_the_family_cannot_take_is_refused(
        #[case] formula: &str,
        #[case] family: ModelFamily,
        #[case] expected: &str,
    ) {
        let error = fitted(formula, family).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn models_of_categories_name_their_levels() {
        let model = fitted("town ~ sex", ModelFamily::Multinomial).unwrap();
        let names = |model: &FittedModel| {
            model.coefficients.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&model), "b:(Intercept) b:sexF d:(Intercept) d:sexF");
        // Among men a has 2 records, b and d have 1; among women a has 1, b has 2 and d has 1.
        let estimate = |name: &str| model.coefficient(name).unwrap().estimate;
        assert!((estimate("b:(Intercept)") - 0.5_f64.ln()).abs() < 1e-9);
        assert!((estimate("b:sexF") - 4.0_f64.ln()).abs() < 1e-9);
        let model = fitted("town ~ sex", ModelFamily::Ordinal).unwrap();
        assert_eq!(names(&model), "sexF a|b b|d");
        assert_eq!(model.covariance.as_ref().unwrap().size(), 3);
        assert!(model.coefficient("a|b").unwrap().estimate < model.coefficient("b|d").unwrap().estimate);
    }

    #[test]
    fn the_second_level_is_success_and_codes_are_no_numbers() {
        let model = fitted("sex ~ visits", ModelFamily::Logistic).unwrap();
        assert_eq!((model.records, model.dropped_rows), (7, 1));
        // More visits go with men.
        assert!(model.coefficient("visits").unwrap().estimate < 0.0);
        let as_number = fitted("I(visits / visits) ~ sex", ModelFamily::Logistic).unwrap();
        assert!(as_number.convergence.separated && as_number.records == 6);
        assert_eq!(fitted("visits ~ sex", ModelFamily::Poisson).unwrap().coefficients.len(), 2);
    }
}
