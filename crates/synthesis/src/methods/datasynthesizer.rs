//! `datasynthesizer`: the three modes of DataSynthesizer (Ping, Stoyanovich & Howe 2017), without its faults.
//!
//! - `random`: every level of the declared schema equally likely. Nothing is asked.
//! - `independent`: every variable under noise by itself.
//! - `correlated`: a Bayesian network, as [`super::privbayes`] learns it.
//!
//! What the published program does otherwise, and what was corrected here. It reads domain, ranges, the share of missing values and the number of records off the data: here they are declared.
//! With a seed its noise can be taken away again: here noise is never seeded. It spends 2ε where ε is claimed, and mixes two notions of neighbours in one budget: here one ledger adds everything
//! up. Its parents are chosen as for ε = 0.1 whatever the budget is. Its bins of equal width put nearly all of a number with many zeros into one: here classes are bought at private quantiles. It
//! writes no missing values: here missing is a level like others.

use privacy::{GuardedTable, Neighbours};
use serde::Deserialize;
use table::Classes;

use super::network::{self, NetworkModel, Node, Parents, Plan};
use super::pairwise::possible_record;
use super::privbayes;
use crate::card::{AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, Usual};
use crate::private::{Accounting, PrivateSynthesizer, Public, Spending};
use crate::registry::LoadModel;
use crate::{AnyModel, Cells, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "datasynthesizer",
    summary: "draws every variable at random, by itself under noise, or given others in a private Bayesian network, as the three modes of DataSynthesizer do",
    use_when: "a release is to be compared with DataSynthesizer; `pairwise` serves most analyses better",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "mode",
        meaning: "random (every declared level equally likely, nothing is looked at), independent (every variable by itself) or correlated (a Bayesian network)",
        default: Usual::Value("correlated"),
    }],
    reproducible: true,
    privacy: Some(PrivacyCard {
        pays_for_each_data_set: false,
        audit: &[AuditCase {
            // A replaced record changes two counts, each by half of what the noise of both hides.
            name: "a record replaced by one of another kind",
            canary: Canary::Replaced { others: 20 },
            rows: Some(2_000),
            options: &[],
        }],
        trial: None,
    }),
    mechanism: None,
    trials: &[],
    memory: "8 bytes a cell of the tables of variables with their parents",
    citation: "Ping, Stoyanovich and Howe (2017), DataSynthesizer: privacy-preserving synthetic datasets, SSDBM",
};

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct DataSynthesizer {
    mode: Mode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Random,
    Independent,
    #[default]
    Correlated,
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let settings: DataSynthesizer = registry::options(options, &CARD)?;
    Ok(Box::new(settings))
}

/// A model from its stored state.
pub const LOAD: LoadModel<Cells> = network::load;

impl DataSynthesizer {
    /// Which parents variables have; nothing where nothing is asked.
    fn parents(&self) -> Option<Parents> {
        match self.mode {
            Mode::Random => None,
            Mode::Independent => Some(Parents::None),
            Mode::Correlated => Some(Parents::Chosen(None)),
        }
    }
}

impl PrivateSynthesizer for DataSynthesizer {
    fn records_card(&self) -> RecordsCard {
        privbayes::records_card(match self.mode {
            Mode::Random => "nothing was learned from the records; everything",
            Mode::Independent => "the model knows single variables; how they go together",
            Mode::Correlated => "the model knows every variable given its parents; what these do not hold",
        })
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    fn needs_neighbours(&self) -> Option<Neighbours> {
        (self.mode == Mode::Correlated).then_some(Neighbours::ReplaceOne)
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        let reason = "parents are chosen where the number of records is public, and sizes of strata are not";
        (self.mode == Mode::Correlated).then_some(reason)
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        match self.parents() {
            None => Ok(Vec::new()),
            Some(parents) => Ok(network::spending(public, &Plan::new(public, parents)?)),
        }
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        if let Some(parents) = self.parents() {
            return privbayes::fit(guard, public, parents);
        }
        let (domain, zeros) = (public.domain.clone(), public.zeros.clone());
        if !zeros.all().is_empty() {
            possible_record(&domain, &zeros)?;
        }
        let even = |(variable, classes): (usize, &Classes)| {
            let levels = classes.size();
            Node { variable, parents: Vec::new(), shares: vec![1.0 / levels as f64; levels] }
        };
        let nodes = domain.variables().iter().enumerate().map(even).collect();
        let remarks =
            vec!["nothing was asked of the records: every declared level is equally likely".to_owned()];
        Ok(AnyModel::Cells(Box::new(NetworkModel { domain, zeros, nodes, remarks })))
    }
}
