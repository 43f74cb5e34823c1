//! Whether the keys, targets and models of a tournament can be asked of a table.

use measures::utility::model::{ModelRequest, model_agreement};
use measures::{Settings, SyntheticSets};
use models::{ModelError, fit};
use table::{Kind, Table};

use crate::TournamentError;

/// Refuses keys that are named twice or leave no target, targets that are keys, and models that cannot be fitted to the original.
pub(super) fn check(original: &Table, settings: &Settings) -> Result<(), TournamentError> {
    for name in settings.keys.iter().flatten().chain(&settings.targets) {
        original.schema().variable(name)?;
    }
    for keys in &settings.keys {
        check_keys(original, keys, &settings.targets)?;
    }
    settings.models.iter().try_for_each(|model| check_model(original, model))
}

fn refuse(option: &'static str, message: impl Into<String>) -> TournamentError {
    TournamentError::Option { option, message: message.into() }
}

fn check_keys(original: &Table, keys: &[String], targets: &[String]) -> Result<(), TournamentError> {
    let is_named_before = |(place, key): &(usize, &String)| keys[..*place].contains(key);
    if let Some((_, key)) = keys.iter().enumerate().find(is_named_before) {
        return Err(refuse("keys", format!("`{key}` is named twice; name each key once")));
    }
    if let Some(target) = targets.iter().find(|target| keys.contains(target)) {
        let message = format!(
            "`{target}` is one of the keys, so that an intruder who knows it has nothing to learn; name others"
        );
        return Err(refuse("targets", message));
    }
    let mut others = original.schema().variables().iter().filter(|one| !keys.contains(&one.name));
    if targets.is_empty() && !others.any(|one| one.kind != Kind::TextId) {
        let message = "there is no target beside the keys, so that nothing can be disclosed; name fewer keys";
        return Err(refuse("keys", message));
    }
    Ok(())
}

/// A model is fitted to the original, by least squares, and held against itself.
fn check_model(original: &Table, model: &ModelRequest) -> Result<(), TournamentError> {
    let refused = |message: String| refuse("model", format!("`{}`: {message}", model.formula.text()));
    match fit(original, &model.formula, model.family) {
        Err(ModelError::Response { name, .. }) => Err(refused(format!(
            "the response `{name}` is not a number, which the models of a tournament need; name another response or leave the model out"
        ))),
        Err(error) => Err(refused(format!("{error}; mend the model or leave it out"))),
        Ok(_) => {
            let sets = SyntheticSets { original, synthetic: &[original], holdout: None };
            let agreement = model_agreement(&sets, model)?;
            agreement.map(|_| ()).map_err(|because| refused(format!("{because}; leave the model out")))
        }
    }
}
