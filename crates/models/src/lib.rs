//! Regression models on tables.
//!
//! A [`Formula`] in R's notation and a [`Table`](table::Table) give a [`ModelMatrix`] with R's column names; [`fit`] gives a
//! [`FittedModel`] with coefficients, standard errors and covariance. Coefficients are known by name, so that the same model
//! fitted to an original and a synthetic table can be compared even where a level is absent from one of them.
//!
//! ```
//! use models::{Formula, ModelFamily, fit};
//! use table::read::{ReadOptions, read_csv_text};
//!
//! let people = read_csv_text("hours,sex\n40,F\n38,M\n36,F\n42,M\n35,F\n", &ReadOptions::default())?;
//! let model = fit(&people, &Formula::parse("hours ~ sex")?, ModelFamily::Gaussian)?;
//! let names: Vec<&str> = model.coefficients.iter().map(|coefficient| coefficient.name.as_str()).collect();
//! assert_eq!(names, ["(Intercept)", "sexM"]);
//! assert!((model.coefficient("sexM").unwrap().estimate - 3.0).abs() < 1e-9);
//! # Ok::<(), models::ModelError>(())
//! ```

mod error;
mod family;
mod fitted_model;
mod formula;
mod model_matrix;
mod propensity;
mod response;
mod stacked;
mod survey;

pub use error::ModelError;
pub use family::ModelFamily;
pub use fitted_model::{Coefficient, FittedModel, fit, fit_by, incomplete_records};
pub use formula::Formula;
pub use model_matrix::{MissingAs, ModelMatrix};
pub use propensity::{PropensityDesign, propensity_design};
pub use statistics::regression::Iterations;
pub use survey::{Survey, SurveyVariables, fit_survey};
