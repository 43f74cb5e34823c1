//! Cards are true: a stated default changes nothing, what is said of privacy is registered, trials can be carried out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::collections::BTreeSet;

use synthesis::card::{Needs, Usual};
use synthesis::registry::{METHODS, Method, stated_mechanism};
use synthesis::{MethodCard, PrivacySettings, Recipe, Run, SynthesisError, Synthesizer, fit, generate};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;

const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
    [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
    [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n\
    [variables.age]\nkind = \"integer\"\nrange = [0, 60]\ncuts = [0, 20, 40, 60]\n\
    [variables.wage]\nkind = \"integer\"\nrange = [0, 400]\ncuts = [0, 100, 200, 400]\n";

/// People whose town, age and wage depend on each other; only the numbers where that is asked for.
fn people(numbers_only: bool) -> Table {
    let mut state = 1_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from(if numbers_only { "age,wage\n" } else { "sex,town,age,wage\n" });
    for _ in 0..300 {
        let (sex, age) = (draw(2) as usize, draw(60));
        let (town, wage) = ((sex + draw(2) as usize) % 3, 50 + 4 * age + draw(90));
        if !numbers_only {
            text.push_str(&format!("{},{},", ["F", "M"][sex], ["a", "b", "c"][town]));
        }
        text.push_str(&format!("{age},{wage}\n"));
    }
    let schema = if numbers_only {
        let (head, tail) = SCHEMA.split_once("[variables.sex]").unwrap();
        head.to_owned() + &tail[tail.find("[variables.age]").unwrap()..]
    } else {
        SCHEMA.to_owned()
    };
    let options = ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}

/// What must be set for an option to have a meaning, and whether it is about numbers alone.
fn context(option: &str) -> (&'static [&'static str], bool) {
    match option {
        "trees" => (&["method=forest"], false),
        "donors" => (&["method=pmm"], true),
        "bins" => (&["method=quantile"], true),
        _ => (&[], false),
    }
}

fn recipe(card: &MethodCard, options: &[&str]) -> Recipe {
    let mut recipe = Recipe { seed: Some(5), ..Recipe::new(card.name) };
    options.iter().for_each(|option| recipe.set(option).unwrap());
    recipe
}

fn drawn(recipe: &Recipe, numbers_only: bool) -> Result<Table, SynthesisError> {
    Ok(generate(&people(numbers_only), recipe)?.tables.remove(0))
}

/// With a δ where a method cannot do without.
fn drawn_privately(recipe: &Recipe) -> Result<Table, SynthesisError> {
    let drawn = |delta: Option<f64>| {
        let privacy = PrivacySettings { epsilon: Some(50.0), delta, ..PrivacySettings::default() };
        let recipe = Recipe { seed: None, privacy: Some(privacy), ..recipe.clone() };
        fit(&people(false), &recipe, &Run::replayed(3))?.table(0)
    };
    drawn(None).or_else(|_| drawn(Some(1e-6)))
}

#[test]
fn giving_a_default_changes_nothing() {
    for Method { card, build, private, .. } in METHODS {
        for option in card.options {
            let Usual::Value(value) = option.default else { continue };
            let has_methods = card.options.iter().any(|option| option.name == "method");
            let (others, numbers_only) = if has_methods { context(option.name) } else { (&[][..], false) };
            // Nets are trained for a moment only; where the default of that is looked at, they are small.
            let is_trained = card.options.iter().any(|option| option.name == "epochs");
            let short: &[&str] = match option.name {
                _ if !is_trained => &[],
                "epochs" => &["hidden=4", "batch=50"],
                "hidden" | "batch" => &["epochs=1"],
                "steps" | "sampling" => &["hidden=4"],
                _ => &["epochs=1", "hidden=8"],
            };
            let others = &[others, short].concat()[..];
            let without = recipe(card, others);
            let given = format!("{}={value}", option.name);
            let with = recipe(card, &[others, &[given.as_str()]].concat());
            let mut accepted = false;
            if build.is_some()
                && let Ok(table) = drawn(&with, numbers_only)
            {
                accepted = true;
                assert!(table == drawn(&without, numbers_only).unwrap(), "{}: {given}", card.name);
            }
            if private.is_some()
                && let Ok(table) = drawn_privately(&with)
            {
                accepted = true;
                assert!(table == drawn_privately(&without).unwrap(), "{}, private: {given}", card.name);
            }
            assert!(accepted, "{}: {given} is refused, with and without privacy", card.name);
        }
    }
}

#[test]
fn a_method_needs_what_its_card_says() {
    for Method { card, build, .. } in METHODS {
        let Some(build) = build else { continue };
        let needs = match build(&toml::Table::new()).unwrap() {
            Synthesizer::Counts(_) => Needs::Counts,
            Synthesizer::Records(_) => Needs::Records,
            Synthesizer::Private(_) => panic!("{}: a private method is built as one", card.name),
        };
        assert_eq!(card.needs, needs, "{}", card.name);
    }
}

#[test]
fn what_a_card_says_of_privacy_is_what_is_registered() {
    for Method { card, build, private, .. } in METHODS {
        assert_eq!(card.privacy.is_some(), private.is_some(), "{}", card.name);
        assert!(build.is_some() || private.is_some(), "{}: it can be built", card.name);
        if let Some(privacy) = &card.privacy {
            assert!(!privacy.audit.is_empty(), "{}: an audit needs a scenario", card.name);
        }
    }
}

#[test]
fn trials_have_places_and_names_of_their_own_and_can_be_built() {
    let (mut places, mut names, mut private_places) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for Method { card, build, .. } in METHODS {
        for trial in card.trials {
            assert!(places.insert(trial.place) && names.insert(trial.name), "{}", trial.name);
            let recipe = recipe(card, trial.options);
            assert!(build.unwrap()(&recipe.method_options()).is_ok(), "{}", trial.name);
            assert_eq!(trial.variables == 0, card.needs == Needs::Records, "{}", trial.name);
        }
        if let Some(trial) = card.privacy.as_ref().and_then(|privacy| privacy.trial) {
            assert!(private_places.insert(trial.place), "{}", card.name);
        }
    }
}

#[test]
fn a_stated_mechanism_is_that_of_the_recipe() {
    for Method { card, build, .. } in METHODS {
        let example = card.mechanism.map(|mechanism| stated_mechanism(mechanism.example).unwrap());
        if let Some((stated, _)) = example {
            assert_eq!(stated.name, card.name);
        }
        let Some(build) = build else { continue };
        let cells = build(&toml::Table::new()).unwrap().records_card().cells;
        assert_eq!(cells, example.map(|(_, draws)| draws), "{}: the example has the defaults", card.name);
    }
    let refused = |text: &str| stated_mechanism(text).unwrap_err().to_string();
    assert!(refused("catal").contains("did you mean `catall`?"));
    assert!(refused("catall,sigma=1").contains("catall has no option `sigma`"));
    assert!(refused("dirichlet").contains("such as a=0.5"));
    assert!(refused("catall,nprior").contains("OPTION=VALUE"));
    assert!(refused("ipf").contains("catall,nprior=0"));
}
