//! What is drawn before is what is drawn after.

use std::collections::BTreeSet;

use synthesis::model_file::SavedModel;
use synthesis::registry::METHODS;

use crate::container::Container;
use crate::models::{drawn, fitted, people, recipes, saved};

#[test]
fn every_model_draws_the_same_bytes_after_a_walk_through_its_file() {
    let people = people(240);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    for (name, recipe) in recipes() {
        let before = fitted(&people, &recipe);
        let bytes = saved(&before);
        std::fs::write(&path, &bytes).unwrap();
        let file = SavedModel::read(&path).unwrap();
        let rows = recipe.privacy.as_ref().map(|_| before.original_rows() as u64);
        let drawing =
            synthesis::Recipe { seed: Some(before.seed()), rows: recipe.rows.or(rows), ..recipe.clone() };
        let after = file.fitted(&drawing).unwrap();
        assert_eq!(drawn(&before, 1), drawn(&after, 1), "{name}");
        assert!(file.header.confidential, "{name}: also where its noise can be replayed");
        let again = file.fitted(&recipe).unwrap();
        assert_eq!(saved(&again), bytes, "{name}: a model that was read is written as it was");
        Container::parse(&bytes);
    }
}

#[test]
fn every_method_that_can_be_saved_is_among_them() {
    let can_be = |private: bool| -> BTreeSet<&str> {
        let methods = METHODS.iter().filter(|method| method.load.is_some());
        let methods =
            methods.filter(|method| if private { method.private.is_some() } else { method.build.is_some() });
        methods.map(|method| method.card.name).collect()
    };
    let recipes = recipes();
    let are = |private: bool, strata: bool| -> BTreeSet<&str> {
        let of = recipes
            .iter()
            .map(|(_, recipe)| recipe)
            .filter(|recipe| recipe.privacy.is_some() == private && (!strata || !recipe.strata.is_empty()));
        of.map(|recipe| recipe.method.as_str()).collect()
    };
    assert_eq!(are(false, false), can_be(false));
    assert_eq!(are(false, true), can_be(false), "in strata");
    assert_eq!(are(true, false), can_be(true), "private");
    // These refuse strata.
    assert_eq!(
        are(true, true),
        can_be(true)
            .into_iter()
            .filter(|name| !["mvnorm", "privbayes", "tvae", "ctgan"].contains(name))
            .collect(),
        "private, in strata"
    );
}
