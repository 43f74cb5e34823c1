//! What was asked of every contestant, as `frontier.json` keeps it: `release` judges by the same questions.

use std::collections::BTreeSet;

use measures::risk::DisclosureOptions;
use measures::risk::intruder::{IntruderOptions, Prior, Regions};
use measures::risk::tau::TauOptions;
use measures::utility::model::ModelRequest;
use measures::utility::propensity::PropensityOptions;
use measures::utility::tables::{MissingValues, TableOptions};
use measures::{MEASURES, Measure, Settings};
use models::Formula;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::Grouping;

use super::{Battery, FrontierError};

/// A [`Battery`] as plain data. What [`settings_for`](super::settings_for) knows of a single recipe (its mechanism, its scale, whether it chose
/// its number of records) is no part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskedBattery {
    /// The families of measures, in the order of the registry.
    pub families: Vec<String>,
    /// Measures that an axis or a limit names.
    pub named: BTreeSet<String>,
    /// How numbers fall into classes.
    pub grouping: Grouping,
    /// What becomes of missing values in tables.
    pub missing: MissingValues,
    /// Of how many variables the tables are.
    pub ways: Vec<usize>,
    /// Tables beside those, by the names of their variables.
    pub named_tables: Vec<Vec<String>>,
    /// How propensity is measured.
    pub propensity: PropensityOptions,
    /// Models that are fitted to every table.
    pub models: Vec<AskedModel>,
    /// Sets of variables by which an intruder might know a record.
    pub keys: Vec<Vec<String>>,
    /// What an intruder might want to know.
    pub targets: Vec<String>,
    /// Which disclosures count.
    pub disclosure: DisclosureOptions,
    /// Pairs of k and d at which the tau metrics are taken.
    pub tau: Vec<(u64, f64)>,
    /// What an intruder who knows all records but one might believe beforehand.
    pub priors: Vec<String>,
    /// The acceptable regions of (RR, R), as the text of their file.
    pub regions: Option<String>,
    /// How often each attack is tried.
    #[serde(default)]
    pub attacks: Option<usize>,
    /// Variables that are predicted from the others.
    #[serde(default)]
    pub predicted: Vec<String>,
}

/// A model that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AskedModel {
    /// Its formula.
    pub formula: String,
    /// Its family.
    pub family: String,
}

impl AskedBattery {
    /// What this battery asks.
    pub fn of(battery: &Battery) -> Self {
        // Without `..`, so that a new setting cannot be forgotten here.
        let Settings {
            tables: TableOptions { grouping, missing, synthetic_size: _ },
            ways,
            named_tables,
            propensity,
            models,
            keys,
            targets,
            disclosure,
            tau: TauOptions { at, scale: _ },
            intruder: IntruderOptions { mechanism: _, priors, regions },
            attacks,
            predicted,
            prepared: _,
        } = &battery.settings;
        let model = |model: &ModelRequest| AskedModel {
            formula: model.formula.to_string(),
            family: model.family.to_string(),
        };
        Self {
            families: battery.family_names().into_iter().map(str::to_owned).collect(),
            named: battery.named.clone(),
            grouping: grouping.clone(),
            missing: *missing,
            ways: ways.clone(),
            named_tables: named_tables.clone(),
            propensity: propensity.clone(),
            models: models.iter().map(model).collect(),
            keys: keys.clone(),
            targets: targets.clone(),
            disclosure: disclosure.clone(),
            tau: at.clone(),
            priors: priors.iter().map(Prior::to_string).collect(),
            regions: regions.as_ref().map(Regions::to_toml),
            attacks: *attacks,
            predicted: predicted.clone(),
        }
    }

    /// The battery that asks this. Refused is what this software does not know, such as a family of a later version.
    pub fn battery(&self) -> Result<Battery, FrontierError> {
        let refuse = |message: String| {
            let way_out = "compute the frontier again with this version of the software";
            FrontierError::option("the settings of the frontier", format!("{message}; {way_out}"))
        };
        let family = |name: &String| -> Result<&'static dyn Measure, FrontierError> {
            let known = MEASURES.iter().copied().find(|family| family.name() == name);
            known.ok_or_else(|| refuse(format!("there is no family of measures `{name}`")))
        };
        let model = |model: &AskedModel| -> Result<ModelRequest, FrontierError> {
            let formula = Formula::parse(&model.formula).map_err(|error| refuse(error.to_string()))?;
            let family =
                model.family.parse().map_err(|error: models::ModelError| refuse(error.to_string()))?;
            Ok(ModelRequest { formula, family })
        };
        let usual = Settings::default();
        let settings = Settings {
            tables: TableOptions { grouping: self.grouping.clone(), missing: self.missing, ..usual.tables },
            ways: self.ways.clone(),
            named_tables: self.named_tables.clone(),
            propensity: self.propensity.clone(),
            models: self.models.iter().map(model).collect::<Result<_, _>>()?,
            keys: self.keys.clone(),
            targets: self.targets.clone(),
            disclosure: self.disclosure.clone(),
            tau: TauOptions { at: self.tau.clone(), ..usual.tau },
            intruder: IntruderOptions {
                mechanism: None,
                priors: self.priors.iter().map(|prior| prior.parse()).collect::<Result<_, _>>()?,
                regions: self.regions.as_deref().map(Regions::parse).transpose()?,
            },
            attacks: self.attacks,
            predicted: self.predicted.clone(),
            prepared: usual.prepared,
        };
        let families = self.families.iter().map(family).collect::<Result<_, _>>()?;
        Ok(Battery { settings, families, named: self.named.clone(), holdout: None })
    }
}

#[cfg(test)]
mod tests {
    use measures::risk::FlagThreshold;
    use measures::utility::propensity::NullDraws;
    use models::ModelFamily;
    use table::grouping::GroupingStyle;

    use super::*;

    /// Every setting differs from its default.
    fn unusual() -> Battery {
        let formula = Formula::parse("smoker ~ age * sex").unwrap();
        let settings = Settings {
            tables: TableOptions {
                grouping: Grouping { groups: 7, values: 9, style: GroupingStyle::EqualWidth },
                missing: MissingValues::AreLeftOut,
                ..TableOptions::default()
            },
            ways: vec![3],
            named_tables: vec![vec!["a".into(), "b".into()]],
            propensity: PropensityOptions {
                orders: vec![0, 1],
                draws: NullDraws { permutations: 3, resamples: 4, seed: u64::MAX, until_known: false },
            },
            models: vec![ModelRequest { formula, family: ModelFamily::Poisson }],
            keys: vec![vec!["sex".into()], vec!["age".into(), "sex".into()]],
            targets: vec!["income".into()],
            disclosure: DisclosureOptions {
                not_counted: [("smoker".to_owned(), vec!["no".to_owned()])].into(),
                largest_group: Some(9),
                count_missing_keys: false,
                count_missing_targets: false,
                key_groups: Some(4),
                target_groups: Some(6),
                one_way_flag: FlagThreshold { records: 1, percent: 0.1 },
                two_way_flag: FlagThreshold { records: 2, percent: 33.3 },
            },
            tau: TauOptions { at: vec![(1, 0.1), (3, 1.5)], scale: 1.0 },
            intruder: IntruderOptions {
                mechanism: None,
                priors: vec![Prior::truth(0.1).unwrap()],
                regions: Some(Regions::parse("[[accept]]\nr_at_most = 0.1").unwrap()),
            },
            attacks: Some(7),
            predicted: vec!["income".into()],
            ..Settings::default()
        };
        let wanted = ["tables", "attribute"];
        let families = MEASURES.iter().copied().filter(|family| wanted.contains(&family.name())).collect();
        let mut battery = Battery::new(settings, families);
        battery.named.insert("tables.vw".into());
        battery
    }

    #[test]
    fn what_was_asked_is_asked_again() {
        for battery in [unusual(), Battery::new(Battery::usual(5), MEASURES.to_vec())] {
            let text = serde_json::to_string(&AskedBattery::of(&battery)).unwrap();
            let again = serde_json::from_str::<AskedBattery>(&text).unwrap().battery().unwrap();
            assert_eq!(again.settings, battery.settings);
            assert_eq!((again.family_names(), &again.named), (battery.family_names(), &battery.named));
            assert_eq!(again.fingerprint(), battery.fingerprint());
        }
    }

    #[test]
    fn what_this_version_does_not_know_is_refused_with_the_way_out() {
        let asked = AskedBattery::of(&unusual());
        let refused = |asked: AskedBattery| asked.battery().err().map(|error| error.to_string()).unwrap();
        let later = refused(AskedBattery { families: vec!["clairvoyance".into()], ..asked.clone() });
        assert!(later.contains("`clairvoyance`") && later.contains("again"), "{later}");
        let model = AskedModel { formula: "a ~ b".into(), family: "tweedie".into() };
        assert!(refused(AskedBattery { models: vec![model], ..asked }).contains("tweedie"));
    }
}
