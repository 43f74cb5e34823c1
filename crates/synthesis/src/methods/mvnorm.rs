//! `mvnorm`: a multivariate normal model from noisy sums (Raab 2022, section 2.2; Shlomo).
//!
//! **Privacy.** Values are clamped to their declared bounds and put on a grid of whole numbers within ±G; the sums of each variable and of each
//! product of two are asked for under noise that is scaled to G and G², which is what one record can change ([`privacy::ScaledVariable`]). Half of the budget goes to
//! the p sums, half to the p(p + 1)/2 sums of products, in equal shares; costs add up. Mean, covariance, its projection to a positive definite
//! matrix, and the draws see the noisy sums only.

use faer::{Mat, Side};
use privacy::ledger::{Charge, Mechanism};
use privacy::{Cost, GuardedTable, Neighbours, ScaledVariable};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use table::column::{Entry, Numbers};
use table::{Column, DeclaredSchema, Schema, Table};

use crate::card::{AuditCase, Canary, MethodCard, Moment, Needs, OptionCard, PrivacyCard, Usual};
use crate::private::{PrivateSynthesizer, Public, Spending};
use crate::randomness::{Rng, Seed};
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::{AnyModel, Making, Model, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "mvnorm",
    summary: "draws numbers from a multivariate normal distribution with noisy mean and covariance (private only)",
    use_when: "numbers with declared ranges are analysed by means, variances and linear models",
    needs: Needs::Records,
    options: &[OptionCard {
        name: "variables",
        meaning: "the numbers to model, such as \"age,income\"; others are not released",
        default: Usual::Words("all variables, which must then all be numbers"),
    }],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        // Half of the budget goes to the sum and half to the sum of squares; the canary moves both.
        audit: &[AuditCase {
            name: "the only value off the middle",
            canary: Canary::Number {
                other: "0.5",
                records: 50,
                neighbours: Neighbours::AddRemove,
                by: Moment::MeanAndSquare,
            },
            // So many that the draws blur the moments by little beside the noise.
            rows: Some(10_000),
            options: &[],
        }],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "8 N bytes a variable",
    citation: "Raab (2022), 2.2; Shlomo (2018), Statistical disclosure limitation: new directions and challenges",
};

/// How often a record outside the declared bounds is drawn again before it is moved to the bound.
const TRIES: usize = 100;

/// The smallest standard deviation of a direction, as a share of the range.
const LEAST_DEVIATION: f64 = 1e-3;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Mvnorm {
    variables: Option<String>,
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let mvnorm: Mvnorm = registry::options(options, &CARD)?;
    Ok(Box::new(mvnorm))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let state: State = from.settings(STATE)?;
    let State { names, bounds, mean, root } = &state;
    let size = names.len();
    let variables = context.schema.variables();
    let are_drawn =
        variables.iter().all(|variable| variable.kind.is_numeric() && names.contains(&variable.name));
    let are_there = names.iter().all(|name| context.schema.position_of(name).is_ok());
    ensure(are_drawn && are_there, "its variables are not the numbers of its schema")?;
    let is_fine = bounds.len() == size
        && bounds.iter().all(|(low, high)| low.is_finite() && high.is_finite() && low <= high)
        && mean.len() == size
        && root.len() == size
        && root.iter().all(|row| row.len() == size)
        && mean.iter().chain(root.iter().flatten()).all(|number| number.is_finite());
    ensure(is_fine, "its mean, its covariance or its bounds are not those of its variables")?;
    Ok(Box::new(Normal { schema: Arc::clone(context.schema), state }))
}

/// The name under which a model file holds it.
const STATE: &str = "normal distribution";

impl Mvnorm {
    /// The names of the variables to model.
    fn names(&self, schema: &Schema) -> Vec<String> {
        match &self.variables {
            Some(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
            None => {
                let modelled = schema.variables().iter().filter(|variable| variable.is_modelled());
                modelled.map(|variable| variable.name.clone()).collect()
            }
        }
    }

    fn scaled(&self, schema: &DeclaredSchema) -> Result<Vec<ScaledVariable>, SynthesisError> {
        let schema = schema.schema();
        let scaled = self.names(schema).into_iter().map(|name| {
            let variable = schema.variable(&name)?;
            if !variable.kind.is_numeric() {
                let message =
                    format!("`{name}` is no number; name the numbers, such as variables=age,income");
                return Err(SynthesisError::option("variables", message));
            }
            Ok(ScaledVariable::new(variable)?)
        });
        scaled.collect()
    }
}

impl PrivateSynthesizer for Mvnorm {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::NoisyModel { on_every_cell: false },
            cells: None,
            uniform_records: 0.0,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn number_classes(&self) -> crate::private::NumberClasses {
        crate::private::NumberClasses::None
    }

    fn accounting(&self) -> crate::private::Accounting {
        crate::private::Accounting::ZeroConcentrated
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        Some("`mvnorm` models the numbers of the whole table")
    }

    fn released_schema(&self, schema: &DeclaredSchema) -> Result<Option<Schema>, SynthesisError> {
        let names = self.names(schema.schema());
        let released = schema.schema().of_variables(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        if !released.rules().is_empty() || !released.impossible().is_empty() {
            let message = "the schema ties these variables by rules, which a normal distribution does not know; use `ipf`";
            return Err(SynthesisError::option("variables", message));
        }
        Ok(Some(released))
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let names: Vec<String> =
            self.scaled(public.schema)?.iter().map(|variable| variable.name().to_owned()).collect();
        let (first, second) = shares(public.charge, names.len())?;
        let mechanism = match public.charge {
            Charge::ZeroConcentrated(_) => Mechanism::DiscreteGaussian,
            Charge::Pure(_) | Charge::Approximate(..) => Mechanism::DiscreteLaplace,
        };
        let sum = |purpose: String, charge: Charge| Spending { purpose, mechanism, charge };
        let mut spending: Vec<Spending> =
            names.iter().map(|name| sum(format!("sum of {name}"), first)).collect();
        spending.extend(
            pairs(names.len()).map(|(i, j)| sum(format!("sum of {} · {}", names[i], names[j]), second)),
        );
        Ok(spending)
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let scaled = self.scaled(public.schema)?;
        let (first, second) = shares(public.charge, scaled.len())?;
        let (size, grid) = (public.size as f64, privacy::GRID as f64);
        let mut mean = Vec::with_capacity(scaled.len());
        for variable in &scaled {
            mean.push((guard.noisy_sum(&[variable], first)? as f64 / size / grid).clamp(-1.0, 1.0));
        }
        let mut covariance = Mat::<f64>::zeros(scaled.len(), scaled.len());
        for (i, j) in pairs(scaled.len()) {
            let product = guard.noisy_sum(&[&scaled[i], &scaled[j]], second)? as f64 / size / (grid * grid);
            let value = product.clamp(-1.0, 1.0) - mean[i] * mean[j];
            (covariance[(i, j)], covariance[(j, i)]) = (value, value);
        }
        let root = root_of_positive_part(&covariance)?;
        let schema = self.released_schema(public.schema)?.unwrap_or_else(|| public.schema.schema().clone());
        let bounds = scaled.iter().map(ScaledVariable::bounds).collect();
        let names = scaled.iter().map(|variable| variable.name().to_owned()).collect();
        let state = State { names, bounds, mean, root };
        Ok(AnyModel::Records(Box::new(Normal { schema: Arc::new(schema), state })))
    }
}

/// What each sum and each sum of products may cost.
fn shares(charge: Charge, variables: usize) -> Result<(Charge, Charge), SynthesisError> {
    let of = |cost: Cost, count: usize| cost.share(1, 2 * count.max(1) as u64);
    let products = variables * (variables + 1) / 2;
    Ok(match charge {
        Charge::Pure(cost) => (Charge::Pure(of(cost, variables)), Charge::Pure(of(cost, products))),
        Charge::ZeroConcentrated(cost) => {
            (Charge::ZeroConcentrated(of(cost, variables)), Charge::ZeroConcentrated(of(cost, products)))
        }
        Charge::Approximate(..) => {
            return Err(SynthesisError::option("delta", "`mvnorm` spends a delta by way of rho"));
        }
    })
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i..count).map(move |j| (i, j)))
}

/// A matrix R with RRᵀ the covariance after its eigenvalues were raised to the least that is allowed, row by row.
fn root_of_positive_part(covariance: &Mat<f64>) -> Result<Vec<Vec<f64>>, SynthesisError> {
    let failed = |_| SynthesisError::Fit {
        method: CARD.name,
        message: "the eigenvalues of the noisy covariance could not be found; raise the budget".into(),
    };
    let eigen = covariance.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let (vectors, values) = (eigen.U(), eigen.S().column_vector());
    let size = covariance.nrows();
    let entry =
        |i: usize, k: usize| vectors[(i, k)] * values[k].max(LEAST_DEVIATION * LEAST_DEVIATION).sqrt();
    Ok((0..size).map(|i| (0..size).map(|k| entry(i, k)).collect()).collect())
}

/// What the model file holds; bounds are mapped to −1 and 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    names: Vec<String>,
    bounds: Vec<(f64, f64)>,
    mean: Vec<f64>,
    root: Vec<Vec<f64>>,
}

struct Normal {
    schema: Arc<Schema>,
    state: State,
}

impl Normal {
    fn record(&self, rng: &mut Rng) -> Vec<f64> {
        let State { mean, root, .. } = &self.state;
        let mut drawn = Vec::new();
        for _ in 0..TRIES {
            let normal: Vec<f64> = mean.iter().map(|_| rng.sample(StandardNormal)).collect();
            let value = |(mean, row): (&f64, &Vec<f64>)| {
                mean + row.iter().zip(&normal).map(|(root, normal)| root * normal).sum::<f64>()
            };
            drawn = mean.iter().zip(root).map(value).collect();
            if drawn.iter().all(|value| value.abs() <= 1.0) {
                break;
            }
        }
        drawn.into_iter().map(|value| value.clamp(-1.0, 1.0)).collect()
    }

    fn column(&self, place: usize, records: &[Vec<f64>]) -> Column {
        let (low, high) = self.state.bounds[place];
        let number = |record: &Vec<f64>| (low + (record[place] + 1.0) / 2.0 * (high - low)).clamp(low, high);
        let mut numbers = Numbers::with_capacity(records.len());
        records.iter().for_each(|record| numbers.push(Entry::Value(number(record))));
        match self.schema.variables().iter().find(|variable| variable.name == self.state.names[place]) {
            Some(variable) => Column::of_numbers(&variable.kind, numbers),
            None => Column::Real(numbers),
        }
    }
}

impl Model<Table> for Normal {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        let mut rng = seed.stream(0);
        let records: Vec<Vec<f64>> = (0..rows).map(|_| self.record(&mut rng)).collect();
        let place =
            |variable: &table::Variable| self.state.names.iter().position(|name| *name == variable.name);
        let columns =
            self.schema.variables().iter().filter_map(place).map(|place| self.column(place, &records));
        Ok(Table::new(Arc::clone(&self.schema), columns.collect())?)
    }

    fn remarks(&self) -> Vec<String> {
        vec!["numbers are normal: skewness, heaping and missing values of the original are not there".into()]
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(STATE, &self.state)
    }

    fn confidential(&self) -> Option<&'static str> {
        None
    }
}
