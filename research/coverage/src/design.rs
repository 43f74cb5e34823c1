//! A population whose regressions are known.
//!
//! p − 2 predictors share a factor, uⱼ = √0.3 f + √0.7 eⱼ with f and e standard normal. Every fourth is a category, cut from uⱼ (by turns of two and of three levels); the others are
//! numbers. A number y = 1 + x'β + e, e standard normal, and a level b, P(b = yes) = logit⁻¹(−0.3 + x'γ), depend on the predictors alone, so that β and γ are the coefficients of
//! `y ~ x1 + …` and of `b ~ x1 + …`, whatever the predictors look like.

use inference::Estimand;
use models::{Formula, ModelFamily};
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

use crate::CoverageError;

/// What the original tables are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// p: all columns.
    pub columns: usize,
    /// How much predictors matter.
    pub effects: Effects,
    /// N.
    pub records: usize,
    /// What the schema says of the numbers.
    #[serde(default)]
    pub classes: Classes,
}

/// What the schema says of the numbers, all of which lie within −12 and 14.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Classes {
    /// Five classes, the outer ones wide: cuts at ±0.25 and ±0.8.
    #[default]
    Five,
    /// The range alone.
    Undeclared,
}

/// How much predictors matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effects {
    /// A tenth of a standard deviation and less.
    Weak,
    /// Up to half a standard deviation.
    Strong,
}

/// A regression with its true coefficients, by name.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is estimated.
    pub estimand: Estimand,
    /// The coefficients.
    pub truths: Vec<(String, f64)>,
}

/// Correlation of the predictors.
const SHARED: f64 = 0.3;

/// How a predictor is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Number,
    Two,
    Three,
}

impl Design {
    /// A design of 4 to 60 columns and 50 records or more.
    pub fn new(columns: usize, effects: Effects, records: usize) -> Result<Self, CoverageError> {
        if !(4..=60).contains(&columns) || records < 50 {
            return Err(CoverageError::Design("a design has 4 to 60 columns and 50 records or more".into()));
        }
        Ok(Self { columns, effects, records, classes: Classes::Five })
    }

    /// The same with another schema.
    pub fn with_classes(self, classes: Classes) -> Self {
        Self { classes, ..self }
    }

    fn predictors(&self) -> Vec<Shown> {
        let shown = |at: usize| match at % 8 {
            3 => Shown::Two,
            7 => Shown::Three,
            _ => Shown::Number,
        };
        (0..self.columns - 2).map(shown).collect()
    }

    /// The coefficients of both models: name, β and γ, in the order of the predictors.
    fn coefficients(&self) -> Vec<(String, f64, f64)> {
        let cycle: [(f64, f64); 4] = match self.effects {
            Effects::Weak => [(0.1, 0.2), (-0.05, -0.1), (0.05, 0.1), (0.0, 0.0)],
            Effects::Strong => [(0.5, 0.6), (-0.3, -0.4), (0.3, 0.4), (0.0, 0.0)],
        };
        let names = self.predictors().into_iter().enumerate().flat_map(|(at, shown)| {
            let name = format!("x{}", at + 1);
            match shown {
                Shown::Number => vec![name],
                Shown::Two => vec![format!("{name}yes")],
                Shown::Three => vec![format!("{name}mid"), format!("{name}high")],
            }
        });
        names.zip(cycle.into_iter().cycle()).map(|(name, (beta, gamma))| (name, beta, gamma)).collect()
    }

    /// The questions: two regressions, with their true coefficients.
    pub fn questions(&self) -> Result<Vec<Question>, CoverageError> {
        let predictors: Vec<String> = (1..=self.columns - 2).map(|at| format!("x{at}")).collect();
        let right = predictors.join(" + ");
        let model = |response: &str, family: ModelFamily| -> Result<Estimand, CoverageError> {
            let formula = Formula::parse(&format!("{response} ~ {right}"))
                .map_err(|error| CoverageError::Design(error.to_string()))?;
            Ok(Estimand::Model { formula, family })
        };
        let coefficients = self.coefficients();
        let beta = coefficients.iter().map(|(name, beta, _)| (name.clone(), *beta)).collect();
        let gamma = coefficients.iter().map(|(name, _, gamma)| (name.clone(), *gamma)).collect();
        Ok(vec![
            Question { estimand: model("y", ModelFamily::Gaussian)?, truths: beta },
            Question { estimand: model("b", ModelFamily::Logistic)?, truths: gamma },
        ])
    }

    /// The declared schema, so that private methods can be studied too.
    pub fn schema(&self) -> String {
        let mut text = "[table]\ndeclared = true\nreason = \"an invented population\"\n".to_owned();
        let number = match self.classes {
            Classes::Five => "kind = \"real\"\nrange = [-12, 14]\ncuts = [-12, -0.8, -0.25, 0.25, 0.8, 14]\n",
            Classes::Undeclared => "kind = \"real\"\nrange = [-12, 14]\n",
        };
        for (at, shown) in self.predictors().into_iter().enumerate() {
            let kind = match shown {
                Shown::Number => number,
                Shown::Two => "kind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n",
                Shown::Three => "kind = \"categorical\"\nlevels = [\"low\", \"mid\", \"high\"]\n",
            };
            text.push_str(&format!("[variables.x{}]\n{kind}", at + 1));
        }
        text.push_str(&format!(
            "[variables.y]\n{number}[variables.b]\nkind = \"categorical\"\nlevels = [\"no\", \"yes\"]\n"
        ));
        text
    }

    /// The original table of a replication.
    pub fn draw(&self, replication: u64) -> Result<Table, CoverageError> {
        let mut rng = ChaCha12Rng::seed_from_u64(replication);
        let shown = self.predictors();
        let coefficients = self.coefficients();
        let names: Vec<String> = (1..=shown.len()).map(|at| format!("x{at}")).collect();
        let mut text = format!("{},y,b\n", names.join(","));
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut rows = Vec::with_capacity(self.records);
        for _ in 0..self.records {
            let factor = normal();
            let (mut values, mut fields) = (Vec::with_capacity(coefficients.len()), Vec::new());
            for shown in &shown {
                let u = SHARED.sqrt() * factor + (1.0 - SHARED).sqrt() * normal();
                match shown {
                    Shown::Number => {
                        let x = (u * 1e4).round() / 1e4;
                        values.push(x);
                        fields.push(x.to_string());
                    }
                    Shown::Two => {
                        let yes = u > 0.3;
                        values.push(f64::from(u8::from(yes)));
                        fields.push(if yes { "yes" } else { "no" }.to_owned());
                    }
                    Shown::Three => {
                        let (mid, high) = ((-0.5..0.6).contains(&u), u >= 0.6);
                        values.extend([f64::from(u8::from(mid)), f64::from(u8::from(high))]);
                        fields.push(
                            if high {
                                "high"
                            } else if mid {
                                "mid"
                            } else {
                                "low"
                            }
                            .to_owned(),
                        );
                    }
                }
            }
            let with = |of: fn(&(String, f64, f64)) -> f64| -> f64 {
                coefficients.iter().map(of).zip(&values).map(|(coefficient, value)| coefficient * value).sum()
            };
            let y = 1.0 + with(|of| of.1) + normal();
            fields.push(((y * 1e4).round() / 1e4).to_string());
            rows.push((fields, -0.3 + with(|of| of.2)));
        }
        for (fields, log_odds) in rows {
            let yes = rng.random::<f64>() < 1.0 / (1.0 + (-log_odds).exp());
            text.push_str(&fields.join(","));
            text.push_str(if yes { ",yes\n" } else { ",no\n" });
        }
        let schema = Some(SchemaFile::parse(&self.schema())?);
        Ok(read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With many records both regressions find their coefficients, to within five standard errors each.
    #[test]
    fn the_truth_is_that_of_the_population() {
        for effects in [Effects::Weak, Effects::Strong] {
            let design = Design::new(12, effects, 20_000).unwrap();
            let table = design.draw(3).unwrap();
            assert_eq!((table.columns().len(), table.rows()), (12, 20_000));
            for Question { estimand, truths } in design.questions().unwrap() {
                let found = inference::estimates(&table, &estimand).unwrap();
                assert_eq!(found.len(), truths.len() + 1, "and an intercept");
                for (name, truth) in truths {
                    let estimate = found.iter().find(|estimate| estimate.name == name).unwrap();
                    let value = estimate.value.unwrap();
                    assert!((value.estimate - truth).abs() < 5.0 * value.variance.sqrt(), "{name}");
                }
            }
        }
        assert!(Design::new(3, Effects::Weak, 500).is_err());
    }
}
