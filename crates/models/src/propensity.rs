//! Original and synthetic records stacked, with a model that tells them apart: the propensity score.

use statistics::regression::{Design, Fit, Iterations, logistic};
use table::{Kind, Table};

use crate::formula::{BoundFormula, Operand, Source};
use crate::{MissingAs, ModelError, ModelMatrix};

/// The design of a propensity score: the original's records, then the synthetic ones.
#[derive(Clone, Debug, PartialEq)]
pub struct PropensityDesign {
    /// The predictors, with missing values and special codes as [levels and marks](MissingAs::Level).
    pub design: Design,
    /// The names of the columns.
    pub names: Vec<String>,
    /// 0 for a record of the original, 1 for a synthetic one.
    pub is_synthetic: Vec<f64>,
}

/// The design on `variables` with all interactions up to `order`: 1 is main effects, 2 all pairs (`maxorder` + 1 of
/// `synthpop::utility.gen`), 0 the intercept alone. No variables means all that both tables have, identifiers left out.
/// Levels are joined by name, those of the original first.
pub fn propensity_design(
    original: &Table,
    synthetic: &Table,
    variables: &[&str],
    order: usize,
) -> Result<PropensityDesign, ModelError> {
    let schema = original.schema();
    let positions: Vec<usize> = if variables.is_empty() {
        let shared = schema.variables().iter().enumerate().filter(|(_, variable)| {
            variable.kind != Kind::TextId && synthetic.schema().variable(&variable.name).is_ok()
        });
        shared.map(|(position, _)| position).collect()
    } else {
        variables.iter().map(|name| schema.position_of(name)).collect::<Result<_, _>>()?
    };
    let operand = |position: &usize| Operand {
        name: schema.variables()[*position].name.clone(),
        source: Source::Variable(*position),
    };
    let operands: Vec<Operand> = positions.iter().map(operand).collect();
    let Some(response) = operands.first().cloned() else {
        return Err(ModelError::NothingInCommon);
    };
    let formula = BoundFormula { response, intercept: true, terms: subsets(operands.len(), order), operands };
    let matrix = ModelMatrix::of_bound(&[original, synthetic], &formula, MissingAs::Level, |_| true)?;
    let mut is_synthetic = vec![0.0; original.rows()];
    is_synthetic.resize(original.rows() + synthetic.rows(), 1.0);
    Ok(PropensityDesign { design: matrix.design, names: matrix.names, is_synthetic })
}

impl PropensityDesign {
    /// The logistic regression of being synthetic on the predictors; the fitted values are the propensity scores. Nobody asks for their covariance, so it is that of the last step.
    pub fn fit(&self) -> Result<Fit, ModelError> {
        Ok(logistic(&self.design, &self.is_synthetic, None, Iterations::as_in_r())?)
    }
}

/// All sets of at most `most` of the first `of` numbers, small sets first.
fn subsets(of: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..most.min(of) {
        let longer = |set: &Vec<usize>| {
            let from = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (from..of).map(move |next| set.iter().copied().chain([next]).collect::<Vec<_>>())
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn subsets_are_the_terms_of_a_power() {
        let expected: Vec<Vec<usize>> = vec![vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2]];
        assert_eq!(subsets(3, 2), expected);
        assert_eq!(subsets(4, 9).len(), 15);
        assert!(subsets(4, 0).is_empty());
    }

    #[test]
    fn tables_are_stacked_with_levels_joined_by_name() {
        let read = |text: &str| read_csv_text(text, &ReadOptions::default()).unwrap();
        let original = read("town,age\nb,1\na,2\nb,3\n");
        let synthetic = read("age,town,more\n5,c,1\n6,a,2\n");
        let propensity = propensity_design(&original, &synthetic, &[], 1).unwrap();
        assert_eq!(propensity.names, ["(Intercept)", "townb", "townc", "age"]);
        assert_eq!(propensity.is_synthetic, [0.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(propensity.design.row(0), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(propensity.design.row(3), [1.0, 0.0, 1.0, 5.0]);
        let error = propensity_design(&original, &read("x\n1\n2\n"), &[], 1).unwrap_err();
        assert!(matches!(error, ModelError::NothingInCommon));
        let error = propensity_design(&original, &read("age\nx\ny\n"), &["age"], 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "variable `age`: it is integer in one table and categorical in the other; read both with one schema"
        );
    }
}
