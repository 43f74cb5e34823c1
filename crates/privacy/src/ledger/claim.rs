//! The guarantee in one sentence, with every caveat that applies: derived from the ledger and from nothing else.

use super::record::{DomainOrigin, LedgerRecord, ReleaseSize};
use crate::{Guarantee, Neighbours};

/// Above this ε a guarantee protects little by itself.
pub const WEAK_EPSILON: f64 = 10.0;

/// Above this ρ too: ρ-zCDP with ρ = 3 is (10, 0.01)-DP.
const WEAK_RHO: f64 = 3.0;

impl Guarantee {
    /// What is to be said of the numbers of a guarantee, given how many records it is about, as far as that may be known.
    ///
    /// δ is held against a number of records that is stated or a noisy count, never against the table; the sentence does not repeat it.
    pub fn caveats(&self, records: Option<u64>) -> Vec<String> {
        let mut caveats = Vec::new();
        let weak = match self {
            Self::NotPrivate => None,
            Self::Pure(epsilon) | Self::Approximate(epsilon, _) => {
                (epsilon.value() > WEAK_EPSILON).then(|| format!("ε above {WEAK_EPSILON}"))
            }
            Self::ZeroConcentrated(rho) => (rho.value() > WEAK_RHO).then(|| format!("ρ above {WEAK_RHO}")),
        };
        if let Some(weak) = weak {
            caveats.push(format!("an {weak} is so weak that it protects little by itself"));
        }
        if let (Self::Approximate(_, delta), Some(records)) = (self, records)
            && delta.value() * records as f64 >= 1.0
        {
            caveats.push(
                "δ is not below one over the number of records: releasing one record picked at random would meet it".into(),
            );
        }
        caveats
    }
}

impl Neighbours {
    /// What neighbouring tables differ in: "with or without any one record", "… any one unit (up to 3 records, by `person_id`)".
    pub fn sentence(self, unit_id: Option<&str>, records_per_unit: u64) -> String {
        let one = match unit_id {
            None => "record".to_owned(),
            Some(name) if records_per_unit > 1 => {
                format!("unit (up to {records_per_unit} records, by `{name}`)")
            }
            Some(name) => format!("unit (one record each, by `{name}`)"),
        };
        match self {
            Self::AddRemove => format!("with or without any one {one}"),
            Self::ReplaceOne => format!("with any one {one} replaced by another"),
        }
    }
}

impl LedgerRecord {
    /// What neighbouring tables differ in.
    pub fn neighbours_sentence(&self) -> String {
        self.neighbours.sentence(self.unit_id.as_deref(), self.records_per_unit)
    }

    /// What whoever reads the guarantee has to know.
    pub fn caveats(&self) -> Vec<String> {
        let (ReleaseSize::Declared { records, .. } | ReleaseSize::NoisyCount { records, .. }) =
            &self.release_size;
        let mut caveats = self.asked.caveats(Some(*records));
        if self.unit_id.is_none() {
            caveats.push(format!(
                "a {} with several records is protected less, since no column was declared that names it",
                if self.unit == "record" { "person or other unit" } else { self.unit.as_str() }
            ));
        }
        let drafted = self.domains.iter().filter(|domain| domain.origin == DomainOrigin::Drafted).count();
        if drafted > 0 {
            caveats.push(format!(
                "{drafted} of the domains were drafted from the records and then declared, and what they show is not protected"
            ));
        }
        caveats
    }

    /// The guarantee in one sentence, with its caveats; the void one if the noise can be replayed.
    pub fn guarantee_sentence(&self) -> String {
        if let Some(warning) = &self.warning {
            return warning.clone();
        }
        let caveats: Vec<String> = self.caveats().iter().map(|caveat| format!("; {caveat}")).collect();
        format!(
            "{}: tables {} are indistinguishable to this degree, by this release alone{}",
            self.asked,
            self.neighbours_sentence(),
            caveats.concat()
        )
    }
}
