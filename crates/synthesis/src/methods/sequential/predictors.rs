//! The predictor matrix: which earlier variables each variable is drawn given.

use table::{Kind, Variable};

use super::options::{Predictors, VariableOptions};
use crate::SynthesisError;

/// The predictors of a variable: those that the recipe names, else all that are known, less those that it excepts, for this variable or for
/// all. Computed variables say nothing that their inputs do not and are predictors only where they are named.
pub(super) fn predictors(
    target: &str,
    options: Option<&VariableOptions>,
    never: &[String],
    known: &[usize],
    variables: &[Variable],
    is_computed: impl Fn(usize) -> bool,
) -> Result<Vec<usize>, SynthesisError> {
    let except = options.map_or(&[][..], |options| &options.except);
    let excepted = resolve(&format!("variables.{target}.except"), except, variables)?;
    let mut predictors = match options.and_then(|options| options.predictors.as_ref()) {
        Some(Predictors::Named(names)) => {
            let place = format!("variables.{target}.predictors");
            let named = resolve(&place, names, variables)?;
            if let Some(later) = named.iter().find(|at| !known.contains(at)) {
                return Err(not_yet_visited(&place, &variables[*later].name, target));
            }
            named
        }
        None | Some(Predictors::All | Predictors::Best(_)) => {
            let never = resolve("except", never, variables)?;
            known.iter().copied().filter(|at| !is_computed(*at) && !never.contains(at)).collect()
        }
    };
    predictors.retain(|at| !excepted.contains(at) && variables[*at].kind != Kind::TextId);
    // One order, whatever the visit sequence: among equal splits the first predictor wins.
    predictors.sort_unstable();
    predictors.dedup();
    Ok(predictors)
}

/// The refusal of a variable that is needed before it is there.
pub(super) fn not_yet_visited(place: &str, needed: &str, target: &str) -> SynthesisError {
    let message = if needed == target {
        format!("`{target}` cannot be drawn given itself; take it out")
    } else {
        format!("`{needed}` is not yet visited when `{target}` is drawn; put it before `{target}` in `order`")
    };
    SynthesisError::option(place, message)
}

/// The positions of named variables.
pub(super) fn resolve(
    place: &str,
    names: &[String],
    variables: &[Variable],
) -> Result<Vec<usize>, SynthesisError> {
    let position = |name: &String| {
        let known = || variables.iter().map(|variable| variable.name.as_str());
        known().position(|other| other == name).ok_or_else(|| {
            let hint = table::similar_name::hint(name, known());
            SynthesisError::option(place, format!("there is no variable `{name}`{hint}"))
        })
    };
    names.iter().map(position).collect()
}
