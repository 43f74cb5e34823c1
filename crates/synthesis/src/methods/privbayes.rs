//! `privbayes`: a Bayesian network whose parents are chosen privately (Zhang, Cormode, Procopiuc, Srivastava & Xiao 2017).
//!
//! Three tenths of the budget choose, one variable after the other, the next variable and its parents among those before, by how far its table is from independence (the paper's score R).
//! Seven tenths count every variable with its parents under noise. Parents are added as long as the table stays useful: its cells hold four times the mean size of their noise on average.
//!
//! Where it departs from the authors': noise is discrete and exact, choices are by permute-and-flip in place of the exponential mechanism under pure ε, a budget of (ε, δ) or ρ is possible, the
//! first variable is that of the schema and not a random one, at most three parents (fewer in wide tables), every variable has a table of its own, and a combination of parents without any
//! count takes the shares of all together. Structural zeros are kept by drawing again.
//!
//! **Privacy.** Two kinds of questions, asked of the guard: choices among dependences, for which the number of records must be public (replace-one neighbours, as in the paper), and noisy counts.

use privacy::{GuardedTable, Neighbours};
use serde::Deserialize;
use table::Attributes;

use super::network::{self, NetworkModel, Parents, Plan};
use crate::card::{AuditCase, Canary, MethodCard, Needs, OptionCard, PrivacyCard, Usual};
use crate::private::{Accounting, PrivateSynthesizer, Public, Spending};
use crate::registry::LoadModel;
use crate::{AnyModel, Cells, Making, RecordsCard, SynthesisError, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "privbayes",
    summary: "chooses a Bayesian network privately and measures every variable with its parents under noise",
    use_when: "a release is to be compared with PrivBayes; `pairwise` serves most analyses better",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "parents",
        meaning: "the most parents of a variable: 1, 2 or 3",
        default: Usual::Words("3, or fewer in wide tables, so that there are at most 4,000 choices"),
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
    citation: "Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM Transactions on Database Systems 42",
};

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct PrivBayes {
    parents: Option<usize>,
}

/// A private synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Box<dyn PrivateSynthesizer>, SynthesisError> {
    let settings: PrivBayes = registry::options(options, &CARD)?;
    if settings.parents.is_some_and(|parents| !(1..=3).contains(&parents)) {
        return Err(SynthesisError::option("parents", "a variable has 1, 2 or 3 parents at most"));
    }
    Ok(Box::new(settings))
}

/// A model from its stored state.
pub const LOAD: LoadModel<Cells> = network::load;

impl PrivateSynthesizer for PrivBayes {
    fn records_card(&self) -> RecordsCard {
        records_card("the model knows every variable given its parents; what these do not hold")
    }

    fn accounting(&self) -> Accounting {
        Accounting::ZeroConcentrated
    }

    fn needs_neighbours(&self) -> Option<Neighbours> {
        Some(Neighbours::ReplaceOne)
    }

    fn refuses_strata(&self) -> Option<&'static str> {
        Some("parents are chosen where the number of records is public, and sizes of strata are not")
    }

    fn spending(&self, public: &Public<'_>) -> Result<Vec<Spending>, SynthesisError> {
        Ok(network::spending(public, &Plan::new(public, Parents::Chosen(self.parents))?))
    }

    fn fit(&self, guard: &mut GuardedTable<'_>, public: &Public<'_>) -> Result<AnyModel, SynthesisError> {
        fit(guard, public, Parents::Chosen(self.parents))
    }
}

/// How records of a network come about.
pub(super) fn records_card(leaves_out: &str) -> RecordsCard {
    RecordsCard {
        making: Making::NoisyModel { on_every_cell: false },
        cells: None,
        uniform_records: 0.0,
        leaves_out: Some(leaves_out.to_owned()),
        is_raked: false,
        coverage: &[],
        margins: None,
    }
}

/// Learns a network and says which it is.
pub(super) fn fit(
    guard: &mut GuardedTable<'_>,
    public: &Public<'_>,
    parents: Parents,
) -> Result<AnyModel, SynthesisError> {
    let plan = Plan::new(public, parents)?;
    let nodes = network::learn(guard, public, &plan)?;
    let name = |variable: usize| public.domain.variables()[variable].name();
    let with_parents: Vec<String> = nodes
        .iter()
        .filter(|node| !node.parents.is_empty())
        .map(|node| {
            let parents = public.domain.describe(&Attributes::new(node.parents.iter().copied()));
            format!("{} given {parents}", name(node.variable))
        })
        .collect();
    let remark = match with_parents.is_empty() {
        true => "every variable was measured by itself: nothing says how variables go together".to_owned(),
        false => format!("variables are drawn one after the other: {}", with_parents.join(", ")),
    };
    let (domain, zeros) = (public.domain.clone(), public.zeros.clone());
    Ok(AnyModel::Cells(Box::new(NetworkModel { domain, zeros, nodes, remarks: vec![remark] })))
}
