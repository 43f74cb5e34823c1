//! `normal-release`: the number of synthetic records as the parameter of privacy (Drechsler 2023).
//!
//! Draws from a normal distribution with *known* variance around the mean of the data are private by themselves if they are few:
//! n = ⌊2ρσ²/Δ²⌋ of them are ρ-zero-concentrated, Δ = (b − a)/N what a replaced record can change in the mean
//! ([`GuardedTable::normal_sample`] has the argument). The poster rounds n up; that spends more than ρ. Each further data set is charged.

use privacy::ledger::{Charge, Mechanism};
use privacy::{Cost, GuardedTable, Neighbours, ScaledVariable};
use serde::Deserialize;
use std::sync::Arc;
use table::column::{Entry, Numbers};
use table::{Column, DeclaredSchema, Kind, Schema, Table, Variable};

use crate::card::{AuditCase, Canary, MethodCard, Moment, Needs, OptionCard, PrivacyCard, Usual};
use crate::model::PaidDataSets;
use crate::private::{Accounting, NumberClasses, PrivateSynthesizer, Public, Spending};
use crate::{AnyModel, Making, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "normal-release",
    summary: "releases so few normal draws around a mean that they are private by themselves (private only)",
    use_when: "one number with a known standard deviation is released, and its mean is what matters",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "variable",
            meaning: "the number to release",
            default: Usual::Words("none; it must be named"),
        },
        OptionCard {
            name: "sigma",
            meaning: "its standard deviation, known from elsewhere than the records",
            default: Usual::Words("none; it must be stated"),
        },
    ],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: true,
        audit: &[AuditCase {
            name: "the only large value",
            canary: Canary::Number {
                other: "0",
                records: 40,
                neighbours: Neighbours::ReplaceOne,
                by: Moment::Sum,
            },
            rows: None,
            options: &["variable=x", "sigma=0.5"],
        }],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "8 N bytes",
    citation: "Drechsler (2023), Some observations on the privacy of synthetic data (poster)",
};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct NormalRelease {
    variable: String,
    sigma: f64,
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let release: NormalRelease = registry::options(options, &CARD)?;
    if release.variable.is_empty() {
        return Err(SynthesisError::option(
            "variable",
            "name the number to release, such as variable=income",
        ));
    }
    if !(release.sigma.is_finite() && release.sigma > 0.0) {
        return Err(SynthesisError::option("sigma", "state the known standard deviation, a positive number"));
    }
    Ok(Box::new(release))
}

impl NormalRelease {
    /// The ρ that `records` draws cost in a table of `size` records.
    fn rho(&self, of: &ScaledVariable, size: u64, records: u64) -> f64 {
        let (low, high) = of.bounds();
        let change = (high - low) / size as f64;
        records as f64 * change * change / (2.0 * self.sigma * self.sigma)
    }
}

impl PrivateSynthesizer for NormalRelease {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::KnownDeviation { sigma: self.sigma },
            cells: None,
            uniform_records: 0.0,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn number_classes(&self) -> NumberClasses {
        NumberClasses::None
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    fn needs_neighbours(&self) -> Option<Neighbours> {
        Some(Neighbours::ReplaceOne)
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        Some("`normal-release` is private where the number of records is public, and sizes of strata are not")
    }

    /// Draws are not bound to the declared range, so that the released schema has none.
    fn released_schema(&self, schema: &DeclaredSchema) -> Result<Option<Schema>, SynthesisError> {
        let name = schema.schema().variable(&self.variable)?.name.clone();
        let variable = Variable::new(name, Kind::Real { range: None });
        Ok(Some(Schema::new(vec![variable], Vec::new(), Vec::new())?.with_unit(schema.schema().unit())))
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let of = ScaledVariable::new(public.schema.schema().variable(&self.variable)?)?;
        let charge = each(public)?;
        let most = (charge.cost().lower() / self.rho(&of, public.size, 1)).floor() as u64;
        let records = records(self, public, &of, most)?;
        let charge = Charge::ZeroConcentrated(Cost::rounded_up(self.rho(&of, public.size, records))?);
        let event = |number| Spending {
            purpose: purpose(number, records),
            mechanism: Mechanism::NormalSample,
            charge,
        };
        Ok((1..=public.m).map(event).collect())
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let of = guard.scaled(&self.variable)?;
        let most = guard.normal_records(&of, self.sigma, each(public)?.cost())?;
        let records = records(self, public, &of, most)?;
        let schema =
            Arc::new(self.released_schema(public.schema)?.unwrap_or_else(|| public.schema.schema().clone()));
        let mut data_sets = Vec::with_capacity(public.m as usize);
        for number in 1..=public.m {
            let draws = guard.normal_sample(&purpose(number, records), &of, self.sigma, records)?;
            let mut numbers = Numbers::with_capacity(draws.len());
            draws.into_iter().for_each(|draw| numbers.push(Entry::Value(draw)));
            data_sets.push(Table::new(Arc::clone(&schema), vec![Column::Real(numbers)])?);
        }
        let remark =
            format!("{records} draws from a normal distribution with standard deviation {}", self.sigma);
        Ok(AnyModel::Records(Box::new(PaidDataSets::new(data_sets, vec![remark]))))
    }
}

/// How many records each data set has: as many as were asked for, or as can be paid.
fn records(
    release: &NormalRelease,
    public: &Public<'_>,
    of: &ScaledVariable,
    most: u64,
) -> Result<u64, SynthesisError> {
    let wanted = public.rows.unwrap_or(most.max(1));
    if wanted > most {
        let needed = release.rho(of, public.size, wanted) * f64::from(public.m);
        let message = format!(
            "the budget pays for {most} records in each of {} data sets; {wanted} would need rho = {needed:.3e}",
            public.m
        );
        return Err(SynthesisError::option("rows", message));
    }
    Ok(wanted)
}

/// What one data set may cost.
fn each(public: &Public<'_>) -> Result<Charge, SynthesisError> {
    match public.charge {
        Charge::ZeroConcentrated(rho) => Ok(Charge::ZeroConcentrated(rho.share(1, u64::from(public.m)))),
        Charge::Pure(_) | Charge::Approximate(..) => Err(SynthesisError::option(
            "epsilon",
            "normal noise has no pure epsilon; state a delta beside it, or rho instead",
        )),
    }
}

fn purpose(number: u32, records: u64) -> String {
    format!("{records} draws around the mean, data set {number}")
}
