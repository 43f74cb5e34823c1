//! What every private method promises, and what a private run refuses.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use privacy::Neighbours;
use privacy::ledger::ReleaseSize;
use proptest::prelude::*;
use rstest::rstest;
use synthesis::model_file::{ModelFile, SavedModel};
use synthesis::private::{self, PrivacySettings};
use synthesis::registry::METHODS;
use synthesis::{Fitted, Recipe, Run, SynthesisError, fit};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::write::csv_text;

const SCHEMA: &str = r#"
[table]
unit = "person"
declared = true
reason = "code book of 2011"
[variables.name]
kind = "text-id"
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.marital]
kind = "categorical"
levels = ["single", "married", "widowed"]
missing = true
[variables.occ1]
kind = "categorical"
levels = ["a", "b"]
[variables.occ2]
kind = "categorical"
levels = ["a1", "a2", "b1"]
within = "occ1"
parents = { a1 = "a", a2 = "a", b1 = "b" }
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 16, 40, 65, 99]
[variables.weight]
kind = "real"
range = [2.0, 200.0]
[variables.double]
kind = "real"
formula = "weight * 2"
[[impossible]]
where = "age < 16 and marital = 'married'"
"#;

fn people(rows: usize) -> Table {
    let mut text = String::from("name,sex,marital,occ1,occ2,age,weight,double\n");
    for row in 0..rows {
        let age = (row * 37) % 100;
        let marital = if age < 16 { "single" } else { ["married", "single", "", "widowed"][row % 4] };
        let (occ1, occ2) = [("a", "a1"), ("a", "a2"), ("b", "b1")][row % 3];
        let weight = 40 + (row * 7) % 60;
        text += &format!(
            "p{row},{},{marital},{occ1},{occ2},{age},{weight},{}\n",
            ["F", "M"][row % 2],
            2 * weight
        );
    }
    read(SCHEMA, &text)
}

fn read(schema: &str, text: &str) -> Table {
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
    read_csv_text(text, &options).unwrap()
}

/// A recipe that the method can carry out on these people.
fn recipe(method: &str) -> Recipe {
    let mut recipe = Recipe {
        m: 2,
        privacy: Some(PrivacySettings { epsilon: Some(2.0), ..Default::default() }),
        ..Recipe::new(method)
    };
    match method {
        "mvnorm" => recipe.set("variables=age,weight").unwrap(),
        "normal-release" => {
            recipe.set("variable=weight").unwrap();
            recipe.set("sigma=20").unwrap();
            recipe.privacy.as_mut().unwrap().delta = Some(1e-6);
        }
        "dirichlet" => recipe.rows = Some(50),
        "tvae" | "ctgan" => {
            ["hidden=8", "steps=20"].iter().for_each(|option| recipe.set(option).unwrap());
            recipe.privacy.as_mut().unwrap().delta = Some(1e-6);
        }
        _ => {}
    }
    recipe
}

fn private_methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|method| method.private.is_some()).map(|method| method.card.name)
}

#[test]
fn every_private_method_keeps_its_promises() {
    let people = people(600);
    for method in private_methods() {
        let recipe = recipe(method);
        let fitted = fit(&people, &recipe, &Run::replayed(1)).unwrap();
        fitted.ledger().unwrap().verify().unwrap();
        assert!(
            fitted.ledger().unwrap().spent.charge().cost() <= fitted.ledger().unwrap().limit.charge().cost(),
            "{method}"
        );
        assert!(fitted.ledger().unwrap().warning.is_some(), "{method}: a test seed voids the guarantee");
        assert_eq!(fitted.ledger().unwrap().domains.len(), 8, "{method}");
        assert_eq!(fitted.ledger().unwrap().domains[0].declared_because, "code book of 2011");
        for number in 0..2 {
            let table = fitted.table(number).unwrap();
            assert!(table.rows() > 0 && table.violations().unwrap().is_empty(), "{method}");
            assert_eq!(read(&table.schema().to_toml(), &csv_text(&table)), table, "{method}");
        }
        assert_ne!(fitted.table(0).unwrap(), fitted.table(1).unwrap(), "{method}: data sets differ");
        let again = fit(&people, &recipe, &Run::replayed(1)).unwrap();
        assert_eq!(again.table(1).unwrap(), fitted.table(1).unwrap(), "{method}: a test seed repeats");
        let secure = fit(&people, &recipe, &Run::default()).unwrap();
        assert!(
            secure.ledger().unwrap().warning.is_none() && secure.ledger().unwrap().randomness.secure,
            "{method}"
        );
        assert_ne!(secure.table(0).unwrap(), fitted.table(0).unwrap(), "{method}: noise is fresh");
    }
}

#[test]
fn what_is_planned_is_what_is_spent() {
    let people = people(600);
    for method in private_methods() {
        for rows in [None, Some(600)] {
            let mut recipe = recipe(method);
            recipe.rows = recipe.rows.or(rows).filter(|_| method != "normal-release");
            recipe.privacy.as_mut().unwrap().records = rows;
            let fitted = fit(&people, &recipe, &Run::replayed(1)).unwrap();
            let schema = private::declared(people.schema()).unwrap();
            // The number of records is not public under add-remove neighbours: the plan assumes one, and prices may differ.
            let plan = private::plan(&schema, &recipe).unwrap();
            let spent: Vec<_> = fitted
                .ledger()
                .unwrap()
                .events
                .iter()
                .map(|event| (event.mechanism, event.cost.charge()))
                .collect();
            if rows.is_some() || !matches!(method, "ipf" | "pairwise" | "normal-release") {
                let planned: Vec<_> = plan.questions.iter().map(|question| question.mechanism).collect();
                let asked: Vec<_> = spent.iter().map(|(mechanism, _)| *mechanism).collect();
                // The answers decide how many rounds there are, not what all of them cost.
                assert!(method == "aim" || planned == asked, "{method}: {planned:?} {asked:?}");
                let cost = |charges: &mut dyn Iterator<Item = privacy::Charge>| {
                    charges.map(|charge| charge.cost().units()).sum::<u64>()
                };
                let planned = cost(&mut plan.questions.iter().map(|question| question.charge));
                let spent = cost(&mut spent.iter().map(|(_, charge)| *charge));
                assert!(planned.abs_diff(spent) <= 1 << 20, "{method}: {planned} was planned, {spent} spent");
            }
        }
    }
}

#[test]
fn a_learned_schema_is_refused_with_the_command_that_helps() {
    let learned = read_csv_text("sex,age\nF,31\nM,47\n", &ReadOptions::default()).unwrap();
    for method in ["catall", "ipf", "dirichlet"] {
        let error = fit(&learned, &recipe(method), &Run::replayed(1)).err().unwrap();
        assert!(matches!(error, SynthesisError::LearnedSchema { .. }), "{method}");
        let text = error.to_string();
        assert!(text.contains("sex, age") && text.contains("describe DATA --write-schema"), "{text}");
    }
}

#[rstest]
#[case::seed(|recipe: &mut Recipe| recipe.seed = Some(1), "no seed")]
#[case::saturated(|recipe: &mut Recipe| recipe.method = "saturated".into(), "cannot be private")]
#[case::epsilon(|recipe: &mut Recipe| recipe.privacy.as_mut().unwrap().epsilon = Some(0.0), "above 0")]
#[case::no_budget(|recipe: &mut Recipe| recipe.privacy = Some(Default::default()), "needs a budget")]
#[case::options(|recipe: &mut Recipe| recipe.set("sweeps=5").unwrap(), "no meaning in a private run")]
#[case::planned(|recipe: &mut Recipe| recipe.set("margins=sex:age").unwrap(), "chooses and weighs margins itself")]
#[case::strata(|recipe: &mut Recipe| recipe.strata = vec!["size".into()], "size")]
fn a_private_run_refuses(#[case] change: fn(&mut Recipe), #[case] says: &str) {
    let mut recipe = recipe("ipf");
    change(&mut recipe);
    let error = fit(&people(50), &recipe, &Run::replayed(1)).err().unwrap().to_string();
    assert!(error.contains(says), "{error}");
}

#[test]
fn domains_that_would_be_read_off_the_records_are_refused() {
    let without = |from: &str, to: &str| {
        let schema = SCHEMA.replace(from, to);
        let text = "name,sex,marital,occ1,occ2,age,weight,double\np,F,single,a,a1,30,50,100\n";
        fit(&read(&schema, text), &recipe("ipf"), &Run::replayed(1)).err().unwrap().to_string()
    };
    let error = without("parents = { a1 = \"a\", a2 = \"a\", b1 = \"b\" }\n", "");
    assert!(error.contains("occ2") && error.contains("parents"), "{error}");
    let error = without("range = [2.0, 200.0]\n", "");
    assert!(error.contains("weight") && error.contains("cuts"), "{error}");
}

#[test]
fn a_private_only_method_asks_for_a_budget() {
    let error = fit(&people(20), &Recipe::new("dirichlet"), &Run::default()).err().unwrap().to_string();
    assert!(error.contains("private only") && error.contains("--epsilon"), "{error}");
    let fitted = fit(&people(20), &recipe("ipf"), &Run::default()).unwrap();
    let ledger = fitted.ledger().expect("a private recipe is never carried out without privacy");
    assert!(ledger.warning.is_none(), "its noise comes from the operating system");
}

#[test]
fn the_size_is_paid_for_unless_it_is_public() {
    let people = people(600);
    let size = |change: fn(&mut Recipe)| {
        let mut recipe = recipe("ipf");
        change(&mut recipe);
        let fitted = fit(&people, &recipe, &Run::replayed(2)).unwrap();
        (
            fitted.ledger().unwrap().release_size.clone(),
            fitted.ledger().unwrap().events.iter().any(|event| event.purpose == "number of records"),
            fitted.table(0).unwrap().rows(),
        )
    };
    let (policy, is_paid, rows) = size(|_| {});
    let ReleaseSize::NoisyCount { records, .. } = policy else { panic!("a noisy count") };
    assert_eq!((is_paid, rows as u64), (true, records));
    assert!(records != 600 && (300..900).contains(&records), "{records} is noisy");
    let (policy, is_paid, rows) = size(|recipe| recipe.rows = Some(500));
    assert!(matches!(policy, ReleaseSize::Declared { records: 500, .. }) && !is_paid);
    assert_eq!(rows, 500);
    let (policy, _, rows) =
        size(|recipe| recipe.privacy.as_mut().unwrap().neighbours = Some(Neighbours::ReplaceOne));
    assert!(matches!(policy, ReleaseSize::Declared { records: 600, .. }));
    assert_eq!(rows, 600);
}

#[rstest]
#[case("planned")]
#[case("least-squares")]
#[case("paper")]
fn strata_compose_in_parallel(#[case] estimate: &str) {
    let people = people(800);
    let mut recipe = recipe("ipf");
    recipe.strata = vec!["sex".into()];
    recipe.set(&format!("estimate={estimate}")).unwrap();
    let fitted = fit(&people, &recipe, &Run::replayed(4)).unwrap();
    let parts: std::collections::BTreeSet<_> = fitted
        .ledger()
        .unwrap()
        .events
        .iter()
        .filter_map(|event| event.part.as_ref().map(|part| part.name.clone()))
        .collect();
    assert_eq!(parts.into_iter().collect::<Vec<_>>(), ["F", "M"]);
    let all: f64 =
        fitted.ledger().unwrap().events.iter().map(|event| event.cost.charge().cost().upper()).sum();
    let spent = fitted.ledger().unwrap().spent.charge().cost().upper();
    assert!(all > 1.5 * spent && spent <= 2.0, "{all} in all, {spent} counts");
    assert!(fitted.table(0).unwrap().violations().unwrap().is_empty());
    let schema = private::declared(people.schema()).unwrap();
    assert!(
        private::plan(&schema, &recipe)
            .unwrap()
            .in_strata
            .is_some_and(|(by, parts, questions)| { by == "sex" && parts == 2 && !questions.is_empty() })
    );
}

#[rstest]
#[case::ipf_gaussian("ipf", |settings: &mut PrivacySettings| settings.delta = Some(1e-6))]
#[case::ipf_rho("ipf", |settings: &mut PrivacySettings| { settings.epsilon = None; settings.rho = Some(0.1); })]
#[case::catall_threshold("catall", |settings: &mut PrivacySettings| settings.delta = Some(1e-3))]
#[case::mvnorm_gaussian("mvnorm", |settings: &mut PrivacySettings| settings.delta = Some(1e-6))]
#[case::replace_one("catall", |settings: &mut PrivacySettings| settings.neighbours = Some(Neighbours::ReplaceOne))]
fn other_notions_are_accounted_for(#[case] method: &str, #[case] change: fn(&mut PrivacySettings)) {
    let people = people(2_000);
    let mut recipe = recipe(method);
    change(recipe.privacy.as_mut().unwrap());
    let fitted = fit(&people, &recipe, &Run::replayed(2)).unwrap();
    fitted.ledger().unwrap().verify().unwrap();
    assert!(fitted.table(0).unwrap().rows() > 0);
}

#[test]
fn noisy_models_are_not_confidential_and_walk_through_their_files() {
    let people = people(600);
    let folder = tempfile::tempdir().unwrap();
    for method in private_methods() {
        let recipe = recipe(method);
        let fitted = fit(&people, &recipe, &Run::default()).unwrap();
        match ModelFile::new(&fitted) {
            Err(error) => {
                assert!(matches!(method, "dirichlet" | "normal-release"), "{method}");
                assert!(error.to_string().contains("paid"), "{error}");
            }
            Ok(file) => {
                assert!(!file.header.confidential && file.header.ledger.is_some(), "{method}");
                let replayable = fit(&people, &recipe, &Run::replayed(1)).unwrap();
                let because = ModelFile::new(&replayable).unwrap().header.confidential_because.unwrap();
                assert!(because.contains("test seed"), "{because}");
                let path = folder.path().join(method);
                file.write(&path).unwrap();
                let drawing = Recipe { seed: Some(9), rows: Some(40), ..recipe };
                let drawn = |fitted: &Fitted| csv_text(&fitted.table(0).unwrap());
                let (one, other) =
                    [(); 2].map(|()| SavedModel::read(&path).unwrap().fitted(&drawing).unwrap()).into();
                assert_eq!(drawn(&one), drawn(&other), "{method}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_run_ever_spends_more_than_its_budget(
        method in prop::sample::select(vec!["catall", "ipf", "pairwise", "mst", "dirichlet", "mvnorm"]),
        epsilon in (-7.0..5.0_f64).prop_map(f64::exp2),
        delta in prop::option::of(prop::sample::select(vec![1e-3, 1e-9])),
        rows in prop::option::of(1_u64..2_000),
        seed in any::<u64>(),
    ) {
        let people = people(120);
        let mut recipe = Recipe { rows, ..recipe(method) };
        let settings = recipe.privacy.as_mut().unwrap();
        (settings.epsilon, settings.delta) = (Some(epsilon), delta.filter(|_| method != "dirichlet"));
        let fitted = fit(&people, &recipe, &Run::replayed(seed)).unwrap();
        prop_assert!(fitted.ledger().unwrap().verify().is_ok());
        let totals = &fitted.ledger().unwrap().totals;
        let budget = privacy::Cost::rounded_down(epsilon).unwrap().units();
        match delta.filter(|_| method != "dirichlet") {
            None => prop_assert!(totals.pure.is_some_and(|spent| spent.units <= budget)),
            Some(delta) => prop_assert!(
                totals.approximate.iter().any(|total| total.delta <= delta && total.epsilon.units <= budget)
            ),
        }
    }
}
