//! The one list of methods.

use num_bigint::BigUint;
use statistics::counts::CellDraws;
use table::{Attributes, DeclaredSchema, Domain, Table};

use crate::card::MethodCard;
use crate::methods::classical::{
    cellkey, microaggregation, pram, rounding, suppression, swapping, topcoding,
};
use crate::methods::nets::{ctgan, private_ctgan, private_tvae, tvae};
use crate::methods::{
    aim, arf, catall, datasynthesizer, dirichlet, graph, ipf, mst, mvnorm, normal_release, pairwise,
    privbayes, saturated, sequential,
};
use crate::private::PrivateSynthesizer;
use crate::stored::{StateContext, StateReader};
use crate::{Cells, Model, Recipe, SynthesisError, Synthesizer};

/// A method: its card, how its options become a synthesizer, how a stored state becomes a model again.
pub struct Method {
    /// What it is.
    pub card: &'static MethodCard,
    /// A synthesizer with these options, unless it is private only; unknown options are refused.
    pub build: Option<Build<Synthesizer>>,
    /// A private synthesizer with these options, if it can be private.
    pub private: Option<Build<Box<dyn PrivateSynthesizer>>>,
    /// A model from its stored state, unless there is none to store.
    pub load: Option<Load>,
}

/// How a stored state becomes a model.
pub type LoadModel<Drawn> =
    fn(&mut StateReader<'_>, StateContext<'_>) -> Result<Box<dyn Model<Drawn>>, SynthesisError>;

/// How a stored state becomes a model, by what the model draws.
#[derive(Clone, Copy)]
pub enum Load {
    /// A model that draws cells.
    Cells(LoadModel<Cells>),
    /// A model that draws records.
    Records(LoadModel<Table>),
    /// A model that draws records, or cells if it was fitted privately.
    ByPrivacy {
        /// Of a run without privacy.
        plain: LoadModel<Table>,
        /// Of a private one.
        private: LoadModel<Cells>,
    },
}

/// How options become a synthesizer.
pub type Build<T> = fn(&toml::Table) -> Result<T, SynthesisError>;

/// Every method, in the order in which they are shown.
pub const METHODS: &[Method] = &[
    Method {
        card: &sequential::CARD,
        build: Some(sequential::build),
        private: None,
        load: Some(Load::Records(sequential::load)),
    },
    Method {
        card: &catall::CARD,
        build: Some(catall::build),
        private: Some(catall::private::build),
        load: Some(Load::Cells(catall::load)),
    },
    Method {
        card: &saturated::CARD,
        build: Some(saturated::build),
        private: None,
        load: Some(Load::Cells(saturated::load)),
    },
    Method {
        card: &ipf::CARD,
        build: Some(ipf::build),
        private: Some(ipf::private::build),
        load: Some(Load::Cells(ipf::load)),
    },
    Method {
        card: &pairwise::CARD,
        build: Some(pairwise::build),
        private: Some(pairwise::private::build),
        load: Some(Load::Cells(pairwise::load)),
    },
    Method { card: &mst::CARD, build: None, private: Some(mst::build), load: Some(Load::Cells(mst::LOAD)) },
    Method { card: &aim::CARD, build: None, private: Some(aim::build), load: Some(Load::Cells(aim::LOAD)) },
    Method {
        card: &privbayes::CARD,
        build: None,
        private: Some(privbayes::build),
        load: Some(Load::Cells(privbayes::LOAD)),
    },
    Method {
        card: &datasynthesizer::CARD,
        build: None,
        private: Some(datasynthesizer::build),
        load: Some(Load::Cells(datasynthesizer::LOAD)),
    },
    Method { card: &dirichlet::CARD, build: None, private: Some(dirichlet::build), load: None },
    Method {
        card: &mvnorm::CARD,
        build: None,
        private: Some(mvnorm::build),
        load: Some(Load::Records(mvnorm::load)),
    },
    Method { card: &normal_release::CARD, build: None, private: Some(normal_release::build), load: None },
    Method {
        card: &graph::CARD,
        build: Some(graph::build),
        private: None,
        load: Some(Load::Records(sequential::load)),
    },
    Method { card: &arf::CARD, build: Some(arf::build), private: None, load: Some(Load::Records(arf::load)) },
    Method {
        card: &tvae::CARD,
        build: Some(tvae::build),
        private: Some(private_tvae::build),
        load: Some(Load::ByPrivacy { plain: tvae::load, private: private_tvae::load }),
    },
    Method {
        card: &ctgan::CARD,
        build: Some(ctgan::build),
        private: Some(private_ctgan::build),
        load: Some(Load::ByPrivacy { plain: ctgan::load, private: private_ctgan::load }),
    },
    Method {
        card: &swapping::CARD,
        build: Some(swapping::build),
        private: None,
        load: Some(Load::Records(swapping::load)),
    },
    Method {
        card: &pram::CARD,
        build: Some(pram::build),
        private: None,
        load: Some(Load::Records(pram::load)),
    },
    Method {
        card: &microaggregation::CARD,
        build: Some(microaggregation::build),
        private: None,
        load: Some(Load::Records(microaggregation::load)),
    },
    Method {
        card: &topcoding::CARD,
        build: Some(topcoding::build),
        private: None,
        load: Some(Load::Records(topcoding::load)),
    },
    Method {
        card: &suppression::CARD,
        build: Some(suppression::build),
        private: None,
        load: Some(Load::Records(suppression::load)),
    },
    Method {
        card: &rounding::CARD,
        build: Some(rounding::build),
        private: None,
        load: Some(Load::Cells(rounding::load)),
    },
    Method {
        card: &cellkey::CARD,
        build: Some(cellkey::build),
        private: None,
        load: Some(Load::Cells(cellkey::load)),
    },
];

/// The method of a recipe that names none.
pub fn default_method(private: bool) -> &'static str {
    if private { pairwise::CARD.name } else { sequential::CARD.name }
}

/// The recipe of a private run that names no method, by what is public: the declared schema, and which options are set.
///
/// Where the cross-table is small a log-linear model of all measured pairs is the better estimate, since each pair is told by the others too, and its records settle towards the model's pairs as those of `pairwise` do towards
/// their own tables: without that, a sample's scatter of some √(c/n) (c cells of a pair, n records) would be more than the noise from about ε = 3 on. Else, and where options of it are set, it is `pairwise`.
pub fn usual_private_recipe(schema: Option<&DeclaredSchema>, recipe: &Recipe) -> Recipe {
    let domain = schema.and_then(|schema| Domain::declared(schema, recipe.groups as usize).ok());
    // Levels that are bought may be many.
    let buys_levels = schema
        .is_some_and(|schema| schema.schema().variables().iter().any(|variable| variable.bought.levels));
    let is_small = !buys_levels
        && domain.is_some_and(|domain| {
            domain.cells(&Attributes::all(&domain)) <= BigUint::from(ipf::private::MOST_SETTLED)
        });
    let cards = if is_small { [&ipf::CARD, &pairwise::CARD] } else { [&pairwise::CARD, &ipf::CARD] };
    let takes_all = |card: &&&MethodCard| {
        recipe.options.keys().all(|name| card.options.iter().any(|option| option.name == name))
    };
    let card = cards.iter().find(takes_all).unwrap_or(&cards[0]);
    let mut usual = Recipe { method: card.name.to_owned(), ..recipe.clone() };
    if is_small && card.name == ipf::CARD.name {
        usual.options.entry("rows").or_insert_with(|| "settled".into());
    }
    usual
}

/// The distribution of the counts of cells that a person states, such as `catall,nprior=0`, with the card of the method that has it.
pub fn stated_mechanism(text: &str) -> Result<(&'static MethodCard, CellDraws), SynthesisError> {
    let refuse = |message: String| SynthesisError::option("mechanism", message);
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let known = || METHODS.iter().filter_map(|method| Some((method.card, method.card.mechanism?)));
    let Some((card, mechanism)) = known().find(|(card, _)| card.name == name) else {
        let hint = table::similar_name::hint(name, known().map(|(card, _)| card.name));
        let examples: Vec<&str> = known().map(|(_, mechanism)| mechanism.example).collect();
        return Err(refuse(format!(
            "there is no mechanism `{name}`{hint}; write it like {}",
            examples.join(" or ")
        )));
    };
    let mut options = toml::Table::new();
    for part in parts {
        let Some((option, value)) = part.split_once('=') else {
            return Err(refuse(format!("write `{part}` as OPTION=VALUE")));
        };
        if !mechanism.options.contains(&option) {
            return Err(refuse(format!("{name} has no option `{option}`")));
        }
        let number = value.parse().map(toml::Value::Float);
        options.insert(option.to_owned(), number.unwrap_or_else(|_| toml::Value::String(value.to_owned())));
    }
    match (mechanism.draws)(&options) {
        Ok(draws) => Ok((card, draws)),
        Err(SynthesisError::Option { name, message }) => Err(refuse(format!("{name}: {message}"))),
        Err(error) => Err(error),
    }
}

/// How the method of this name is built without privacy, or why it cannot be.
pub fn plain(name: &str) -> Result<Build<Synthesizer>, SynthesisError> {
    let method = method(name)?;
    method.build.ok_or_else(|| {
        SynthesisError::option(
            "method",
            format!("`{name}` is private only; state a budget, such as --epsilon 1"),
        )
    })
}

/// How the method of this name is built with privacy, or why it cannot be.
pub fn private(name: &str) -> Result<Build<Box<dyn PrivateSynthesizer>>, SynthesisError> {
    let method = method(name)?;
    method.private.ok_or_else(|| {
        let able = METHODS.iter().filter(|method| method.private.is_some()).map(|method| method.card.name);
        let able = able.collect::<Vec<_>>().join(", ");
        SynthesisError::option("method", format!("`{name}` cannot be private; those that can are {able}"))
    })
}

/// The method of this name, or an error with the nearest one.
pub fn method(name: &str) -> Result<&'static Method, SynthesisError> {
    METHODS.iter().find(|method| method.card.name == name).ok_or_else(|| {
        let names = METHODS.iter().map(|method| method.card.name);
        let hint = match (of_variables(name), table::similar_name::hint(name, names.clone())) {
            (Some(card), _) => {
                format!(
                    "; `{name}` draws single variables: take `{}` with the option method={name}",
                    card.name
                )
            }
            (None, hint) if hint.is_empty() => format!("; the usual choice is `{}`", default_method(false)),
            (None, hint) => hint,
        };
        let all = names.collect::<Vec<_>>().join(", ");
        SynthesisError::option("method", format!("there is no method `{name}`{hint} (there are {all})"))
    })
}

/// The card of the method that draws single variables by a method of this name.
fn of_variables(name: &str) -> Option<&'static MethodCard> {
    let options = toml::Table::from_iter([("method".to_owned(), toml::Value::from(name))]);
    let takes_it = |method: &&Method| method.build.is_some_and(|build| build(&options).is_ok());
    METHODS.iter().find(takes_it).map(|method| method.card)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A log-linear model with settled records for few cells, `pairwise` for many; options that are set decide, and stay.
    #[test]
    fn the_usual_private_method_follows_from_the_schema_and_the_options() {
        let schema = |variables: usize| {
            let of = |at: usize| {
                format!("[variables.v{at}]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\", \"d\"]\n")
            };
            let variables: String = (0..variables).map(of).collect();
            let text = format!("[table]\ndeclared = true\nreason = \"invented\"\n{variables}");
            let schema = table::schema::SchemaFile::parse(&text).unwrap().finish().unwrap();
            schema.reviewed().unwrap()
        };
        let usual = |variables: usize, options: &[&str]| {
            let mut recipe = Recipe::new("pairwise");
            options.iter().for_each(|option| recipe.set(option).unwrap());
            let usual = usual_private_recipe(Some(&schema(variables)), &recipe);
            let rows = usual.options.get("rows").and_then(|rows| rows.as_str().map(str::to_owned));
            (usual.method, rows)
        };
        // 4^10 is 2^20.
        assert_eq!(usual(10, &[]), ("ipf".to_owned(), Some("settled".to_owned())));
        assert_eq!(usual(10, &["rows=drawn"]), ("ipf".to_owned(), Some("drawn".to_owned())));
        assert_eq!(usual(10, &["workload=v1=2"]), ("pairwise".to_owned(), None));
        assert_eq!(usual(11, &[]), ("pairwise".to_owned(), None));
        assert_eq!(usual_private_recipe(None, &Recipe::new("pairwise")).method, "pairwise");
    }
}
