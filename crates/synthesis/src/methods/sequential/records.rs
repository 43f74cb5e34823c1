//! What a sequential recipe says of its records: which values are kept, whether parameters are drawn, what predicts nothing.

use super::options::{Options, Predictors};
use super::variable_methods::{VariableMethod, Way};
use super::{cart, coverage};
use crate::records_card::MeasuredCoverage;
use crate::{Making, RecordsCard};

impl Options {
    pub(super) fn records_card(&self) -> RecordsCard {
        let kept: Vec<String> = self
            .variables
            .iter()
            .filter(|(_, section)| section.method.is_some_and(is_kept))
            .map(|(name, _)| name.clone())
            .collect();
        let making = if !kept.is_empty() || is_kept(self.method) {
            Making::PartlyKept { kept }
        } else if self.proper {
            Making::ProperDraws
        } else {
            Making::PlainDraws
        };
        let apart = self.drawn_apart();
        let leaves_out = (!apart.is_empty()).then(|| {
            format!("the recipe keeps predictors from {}; what they have to do with those", apart.join(", "))
        });
        let coverage: &[MeasuredCoverage] = match (self.is_by_trees(), &self.tilt) {
            (false, _) => &[],
            (true, None) if self.settings.scores == Some(false) => coverage::PLAIN_WITHOUT_SCORES,
            (true, None) => coverage::PLAIN,
            (true, Some(_)) if self.settings.scores == Some(false) => coverage::WITHOUT_SCORES,
            (true, Some(_)) => coverage::TILTED,
        };
        RecordsCard { leaves_out, coverage, ..RecordsCard::new(making) }
    }

    /// Whether all variables are drawn by the trees of the default.
    pub(super) fn is_by_trees(&self) -> bool {
        let is_cart = |method: &VariableMethod| method.name == cart::NAME;
        is_cart(self.method) && self.variables.iter().all(|(_, section)| section.method.is_none_or(is_cart))
    }

    /// Variables that are drawn without some of the others.
    fn drawn_apart(&self) -> Vec<String> {
        let mut apart = Vec::new();
        if is_sampled(self.method) {
            apart.push("every variable that has no method of its own (method = \"sample\")".to_owned());
        }
        if self.keys.iter().any(|key| key == "except") {
            apart.push("every variable (except)".to_owned());
        }
        if let Some(most) = self.best {
            apart.push(format!("every variable (predictors = \"best {most}\")"));
        }
        for (name, section) in &self.variables {
            let has_all = section.predictors == Some(Predictors::All);
            let leaves_out = |key: &&str| section.says(key) && !(*key == "predictors" && has_all);
            if let Some(key) = ["predictors", "except"].into_iter().find(leaves_out) {
                apart.push(format!("{name} ({key})"));
            } else if section.method.is_some_and(is_sampled) {
                apart.push(format!("{name} (method = \"sample\")"));
            }
        }
        apart
    }
}

fn is_kept(method: &VariableMethod) -> bool {
    matches!(method.way, Way::Keep)
}

fn is_sampled(method: &VariableMethod) -> bool {
    matches!(method.way, Way::Sample)
}
