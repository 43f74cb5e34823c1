//! Cards are true: what a family says that it honours changes its findings, what it does not say changes nothing, and what it says
//! identifies a finding does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeSet;

use measures::risk::intruder::{Prior, Regions, ReleaseMechanism};
use measures::utility::model::ModelRequest;
use measures::utility::tables::{MissingValues, SyntheticSize};
use measures::{Aspect, Better, Finding, Kept, MEASURES, Measure, Setting, Settings, SyntheticSets, card_of};
use models::{Formula, ModelFamily};
use statistics::counts::CellDraws;
use table::Table;
use table::read::{ReadOptions, read_csv_text};

/// People whose sex, town, age, wage and height depend on each other a little; one in nine towns and ages is missing.
fn people(records: u64, seed: u64) -> Table {
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("sex,town,age,wage,height\n");
    for _ in 0..records {
        let (sex, town, age) = (draw(2), draw(4), draw(60));
        let or_missing = |value: String, draw: u64| if draw == 0 { String::new() } else { value };
        let (town, age_text) =
            (or_missing(format!("t{town}"), draw(9)), or_missing(age.to_string(), draw(9)));
        let (wage, height) = (100 + 5 * age + 50 * sex + draw(300), 150 + 10 * sex + draw(40));
        text.push_str(&format!("{},{town},{age_text},{wage},{height}\n", ["F", "M"][sex as usize]));
    }
    read_csv_text(&text, &ReadOptions { missing: vec![String::new()], ..ReadOptions::default() }).unwrap()
}

fn model(text: &str) -> ModelRequest {
    ModelRequest { formula: Formula::parse(text).unwrap(), family: ModelFamily::Gaussian }
}

/// Settings with which every family has something to compute.
fn base() -> Settings {
    let mut settings = Settings { models: vec![model("wage ~ sex + height")], ..Settings::default() };
    settings.propensity.draws.permutations = 4;
    settings.propensity.draws.resamples = 4;
    let draws = CellDraws::prior_over_all_cells(1.0).unwrap();
    settings.intruder.mechanism = Some(ReleaseMechanism::new("a generator", draws));
    settings.keys = vec![vec!["sex".into(), "town".into(), "age".into()], Vec::new()];
    settings
}

/// The same with one thing set otherwise.
fn with(setting: Setting) -> Settings {
    let mut settings = base();
    match setting {
        Setting::Tables => settings.named_tables = vec![vec!["sex".into(), "town".into(), "age".into()]],
        Setting::Ways => settings.ways = vec![1],
        Setting::Groups => settings.tables.grouping.groups = 3,
        Setting::Classes => settings.tables.grouping = table::Grouping::synthpop(5),
        Setting::Missing => settings.tables.missing = MissingValues::AreLeftOut,
        Setting::SyntheticSize => settings.tables.synthetic_size = SyntheticSize::Random,
        Setting::Keys => settings.keys = vec![vec!["sex".into(), "age".into()]],
        Setting::Targets => settings.targets = vec!["height".into()],
        Setting::Disclosure => {
            settings.disclosure.key_groups = Some(3);
            settings.disclosure.target_groups = Some(3);
            settings.disclosure.count_missing_keys = false;
        }
        Setting::Models => settings.models.push(model("wage ~ age")),
        Setting::Orders => settings.propensity.orders = vec![0, 1],
        Setting::Permutations => settings.propensity.draws.permutations = 6,
        Setting::Resamples => settings.propensity.draws.resamples = 6,
        Setting::Seed => settings.propensity.draws.seed = 77,
        Setting::CellSizes => settings.tau.at = vec![(2, 0.5)],
        Setting::Scale => settings.tau.scale = 2.0,
        Setting::Mechanism => {
            let draws = CellDraws::prior_over_all_cells(40.0).unwrap();
            settings.intruder.mechanism = Some(ReleaseMechanism::new("a generator", draws));
        }
        Setting::Priors => settings.intruder.priors = vec![Prior::truth(0.3).unwrap()],
        Setting::Regions => {
            settings.intruder.regions = Some(Regions::parse("[[accept]]\nr_at_most = 0.1\n").unwrap());
        }
        Setting::Attacks => settings.attacks = Some(50),
        Setting::Predicted => settings.predicted = vec!["wage".into()],
    }
    settings
}

fn found(measure: &dyn Measure, settings: &Settings) -> Vec<Finding> {
    let (original, one, other, holdout) = (people(160, 1), people(160, 2), people(160, 3), people(110, 4));
    let synthetic = [&one, &other];
    let sets = SyntheticSets { original: &original, synthetic: &synthetic, holdout: Some(&holdout) };
    measure.evaluate_sets(&sets, settings).unwrap()
}

#[test]
fn findings_depend_on_the_settings_of_the_card_and_on_no_others() {
    let mut untrue = Vec::new();
    for measure in MEASURES {
        let usual = found(*measure, &base());
        for setting in Setting::ALL {
            let changes = found(*measure, &with(setting)) != usual;
            let honoured = measure.card().honours.contains(&setting);
            if changes != honoured {
                let family = measure.name();
                untrue.push(format!(
                    "{family}: {setting:?} is on the card: {honoured}, changes findings: {changes}"
                ));
            }
        }
    }
    assert!(untrue.is_empty(), "{}", untrue.join("\n"));
}

#[test]
fn findings_are_identified_by_what_the_card_says() {
    let mut settings = with(Setting::Models);
    settings.propensity.orders = vec![0, 1];
    settings.tau.at = vec![(1, 0.0), (2, 0.5)];
    settings.ways = vec![1, 2, 3];
    settings.keys.push(vec!["sex".into()]);
    for measure in MEASURES {
        let card = measure.card();
        let mut seen = BTreeSet::new();
        for finding in found(*measure, &settings) {
            let details: Vec<String> = card
                .identified_by
                .iter()
                .map(|key| finding.detail.get(*key).map_or_else(String::new, ToString::to_string))
                .collect();
            let extreme = card_of(&finding.measure).is_some_and(|card| card.kept == Kept::Extremes);
            let on = if extreme { Vec::new() } else { finding.on.clone() };
            let identity = (finding.measure.clone(), on, details);
            assert!(seen.insert(identity.clone()), "{identity:?} is there twice");
        }
    }
}

#[test]
fn every_card_is_complete() {
    for aspect in [Aspect::Utility, Aspect::Risk] {
        let ranks = MEASURES.iter().map(|measure| measure.card()).filter(|card| card.aspect == aspect);
        let mut ranks: Vec<u8> = ranks.filter_map(|card| Some(card.usual_axis?.rank)).collect();
        ranks.sort_unstable();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "two families of one rank: {ranks:?}");
    }
    for measure in MEASURES {
        let card = measure.card();
        if let Some(axis) = card.usual_axis {
            let of = card.measures.iter().find(|measure| measure.name == axis.measure);
            let of = of.unwrap_or_else(|| panic!("{}: no such measure", axis.measure));
            assert!(of.better != Better::Neither, "{}: an axis judges", axis.measure);
            assert!(of.kept != Kept::None, "{}: an axis is kept", axis.measure);
        }
        assert!(card.requires.is_none_or(|setting| card.honours.contains(&setting)), "{}", card.name);
        let distinct: BTreeSet<Setting> = card.honours.iter().copied().collect();
        assert_eq!(distinct.len(), card.honours.len(), "{}: a setting twice", card.name);
    }
}

#[test]
fn a_family_that_requires_a_setting_has_nothing_without_it() {
    for measure in MEASURES {
        let Some(required) = measure.card().requires else { continue };
        assert_eq!(required, Setting::Models, "name the settings without it here");
        let without = Settings { models: Vec::new(), ..base() };
        assert!(
            found(*measure, &without).iter().all(|finding| finding.value.is_none()),
            "{}",
            measure.name()
        );
    }
}
