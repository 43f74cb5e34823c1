//! The one list of methods.

use crate::card::MethodCard;
use crate::methods::{catall, graph, ipf, saturated, sequential};
use crate::{Model, SynthesisError, Synthesizer};

/// A method: its card, how its options become a synthesizer, how a stored state becomes a model again.
pub struct Method {
    /// What it is.
    pub card: &'static MethodCard,
    /// A synthesizer with these options; unknown ones are refused.
    pub build: fn(&toml::Table) -> Result<Box<dyn Synthesizer>, SynthesisError>,
    /// A model from its stored state.
    pub load: fn(serde_json::Value) -> Result<Box<dyn Model>, SynthesisError>,
}

/// Every method, in the order in which they are shown.
pub const METHODS: &[Method] = &[
    Method { card: &sequential::CARD, build: sequential::build, load: sequential::load },
    Method { card: &catall::CARD, build: catall::build, load: catall::load },
    Method { card: &saturated::CARD, build: saturated::build, load: saturated::load },
    Method { card: &ipf::CARD, build: ipf::build, load: ipf::load },
    Method { card: &graph::CARD, build: graph::build, load: sequential::load },
];

/// The method of this name, or an error with the nearest one.
pub fn method(name: &str) -> Result<&'static Method, SynthesisError> {
    METHODS.iter().find(|method| method.card.name == name).ok_or_else(|| {
        let names = METHODS.iter().map(|method| method.card.name);
        let hint = table::similar_name::hint(name, names.clone());
        let all = names.collect::<Vec<_>>().join(", ");
        SynthesisError::option("method", format!("there is no method `{name}`{hint} (there are {all})"))
    })
}

/// Options of a method from a TOML table; unknown keys are named with the nearest known one.
pub fn options<T: serde::de::DeserializeOwned>(
    given: &toml::Table,
    card: &MethodCard,
) -> Result<T, SynthesisError> {
    let known = || card.options.iter().map(|option| option.name);
    if let Some(unknown) = given.keys().find(|key| known().all(|name| name != key.as_str())) {
        let hint = table::similar_name::hint(unknown, known());
        let all = known().collect::<Vec<_>>().join(", ");
        let message = format!("`{}` has no such option{hint} (it has {all})", card.name);
        return Err(SynthesisError::option(unknown, message));
    }
    for (name, value) in given {
        let alone = toml::Table::from_iter([(name.clone(), value.clone())]);
        if let Err(error) = alone.try_into::<T>() {
            return Err(SynthesisError::option(name, error.message().trim().to_owned()));
        }
    }
    given
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| SynthesisError::option(card.name, error.message().to_owned()))
}
