//! `dirichlet`: privacy by a prior, for data sets drawn from the posterior predictive distribution (McClure & Reiter 2012).
//!
//! Cell i has probability (yᵢ + a) / (N + K′·a), K′ the number of cells that can occur and a = 1/(e^(ε/n) − 1); n records are drawn independently.
//! Two cells are McClure's beta-binomial.
//!
//! **Privacy.** Replace-one neighbours, whose N is public: the worst log ratio is n·ln(1 + 1/a) = ε
//! ([`GuardedTable::predictive_draws`] has the argument). Privacy lies in the draw itself: each of m data sets gets ε/m.

use privacy::ledger::{Charge, Mechanism};
use privacy::{Cost, GuardedTable, Neighbours, PriorWeight};
use serde::Deserialize;
use statistics::counts::CellDraws;
use table::Attributes;

use crate::card::{AuditCase, Canary, MechanismCard, MethodCard, Needs, PrivacyCard};
use crate::model::PaidDataSets;
use crate::private::{PrivateSynthesizer, Public, Spending};
use crate::{AnyModel, Cells, Making, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "dirichlet",
    summary: "draws cells in proportion to their counts plus a prior that is strong enough to hide any record (private only)",
    use_when: "a table with few cells is released with a guarantee that can be checked by hand; each data set is paid for",
    needs: Needs::Counts,
    options: &[],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: true,
        audit: &[AuditCase {
            name: "a record replaced",
            canary: Canary::Kind { levels: 2, others: 1, neighbours: Neighbours::ReplaceOne },
            rows: Some(1),
            options: &[],
        }],
        trial: None,
    }),
    mechanism: Some(MechanismCard { example: "dirichlet,a=0.5", options: &["a"], draws: stated_prior }),
    trials: &[],
    memory: "the coded table, whatever K is",
    citation: "McClure and Reiter (2012), Differential privacy and statistical disclosure risk measures: an investigation with binary synthetic data",
};

#[derive(Debug, Deserialize)]
struct Dirichlet {}

/// How cells are drawn with a prior count `a` that is stated: in a run it follows from ε and the number of records.
fn stated_prior(options: &toml::Table) -> Result<CellDraws, SynthesisError> {
    let refuse = |message: String| SynthesisError::option("a", message);
    let a = options.get("a").and_then(|a| a.as_float().or_else(|| Some(a.as_integer()? as f64)));
    let a = a.ok_or_else(|| refuse("name the prior count, such as a=0.5".into()))?;
    CellDraws::prior_in_each_cell(a).map_err(|error| refuse(error.to_string()))
}

/// A private synthesizer.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let dirichlet: Dirichlet = registry::options(options, &CARD)?;
    Ok(Box::new(dirichlet))
}

impl PrivateSynthesizer for Dirichlet {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::StrongPrior,
            cells: None,
            uniform_records: 0.0,
            leaves_out: None,
            is_raked: false,
            coverage: &[],
            margins: None,
        }
    }

    fn needs_neighbours(&self) -> Option<Neighbours> {
        Some(Neighbours::ReplaceOne)
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        Some("`dirichlet` is private where the number of records is public, and sizes of strata are not")
    }

    fn margins_asked(&self, _: &Public<'_>) -> Vec<Attributes> {
        Vec::new()
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        let charge = Charge::Pure(each(public)?);
        let event =
            |number| Spending { purpose: purpose(number), mechanism: Mechanism::PosteriorPredictive, charge };
        Ok((1..=public.m).map(event).collect())
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        let epsilon = each(public)?;
        let possible = |cell: &[u32]| !public.zeros.contains(cell);
        let rows = public.rows.unwrap_or(public.size);
        let mut data_sets = Vec::with_capacity(public.m as usize);
        for number in 1..=public.m {
            let drawn = guard.predictive_draws(&purpose(number), rows as usize, epsilon, &possible)?;
            let column = |place: usize| drawn.iter().map(|cell| cell[place]).collect();
            let mut cells = Cells::with_capacity(public.domain, rows as usize);
            cells.append(&(0..public.domain.variables().len()).map(column).collect());
            data_sets.push(cells);
        }
        let weight = PriorWeight::for_cost(epsilon, rows)?.value();
        let remark = format!("the prior adds {weight:.4} records to every cell that can occur");
        Ok(AnyModel::Cells(Box::new(PaidDataSets::new(data_sets, vec![remark]))))
    }
}

/// What one data set may cost.
fn each(public: &Public<'_>) -> Result<Cost, SynthesisError> {
    match public.charge {
        Charge::Pure(epsilon) => Ok(epsilon.share(1, u64::from(public.m))),
        Charge::Approximate(..) => {
            Err(SynthesisError::option("delta", "`dirichlet` is private in epsilon alone; leave delta out"))
        }
        Charge::ZeroConcentrated(_) => {
            Err(SynthesisError::option("rho", "`dirichlet` is private in epsilon alone; state that"))
        }
    }
}

fn purpose(number: u32) -> String {
    format!("draws of data set {number}")
}
