//! The one list of methods by which a variable can be drawn.

use super::conditional::{Conditional, Task};
use super::surroundings::Conditioning;
use super::{
    apart, cart, ensemble, logistic, multinomial, normal, normrank, pmm, proportional_odds, quantile,
    two_stage,
};
use crate::SynthesisError;
use crate::stored::{StateReader, damaged};

/// A method of one variable.
#[derive(Debug)]
pub(super) struct VariableMethod {
    /// Its name in recipes.
    pub name: &'static str,
    /// What it draws from, in one sentence.
    pub draws_from: &'static str,
    /// What it can draw.
    pub draws: What,
    /// The keys of a `[variables.NAME]` section that it honours, beside those of every section.
    pub options: &'static [&'static str],
    /// How it works.
    pub way: Way,
}

/// What a method can draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Anything,
    Numbers,
    Categories,
    TwoCategories,
}

/// How a method works.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// A model of the response given the predictors. `by_donors` says that it draws responses of records.
    Conditional { fit: Fit, load: Load, by_donors: bool },
    /// Whole entries of a donor, several variables at once where that is asked for.
    Sample,
    /// The same, within a parent.
    Nested,
    /// A formula of variables that are there.
    Passive,
    /// One value.
    Constant,
    /// The data's own values.
    Keep,
    /// One of the others, by what the variable is.
    Parametric,
}

type Fit = fn(&Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError>;
type Load = fn(&mut StateReader<'_>, Conditioning<'_>) -> Result<Box<dyn Conditional>, SynthesisError>;

const TREE: &[&str] = &[
    "min_bucket",
    "complexity",
    "risk",
    "depth",
    "main_effects",
    "scores",
    "smoothing",
    "smooth_above",
    "two_stage",
    "first_stage",
    "missing_method",
];
const ENSEMBLE: &[&str] = &[
    "trees",
    "min_bucket",
    "complexity",
    "risk",
    "depth",
    "smoothing",
    "smooth_above",
    "two_stage",
    "first_stage",
    "missing_method",
];

const CATEGORIES: &[&str] = &["two_stage", "first_stage"];
const NUMBERS: &[&str] = &["smoothing", "smooth_above", "missing_method"];

/// Every method, in the order of the documentation.
pub(super) const VARIABLE_METHODS: &[VariableMethod] = &[
    VariableMethod {
        name: cart::NAME,
        draws_from: "donors in the leaf of a classification or regression tree, weighed by main effects",
        draws: What::Anything,
        options: TREE,
        way: Way::Conditional { fit: cart::fit, load: cart::load, by_donors: true },
    },
    VariableMethod {
        name: ensemble::FOREST,
        draws_from: "donors over a random forest",
        draws: What::Anything,
        options: ENSEMBLE,
        way: Way::Conditional { fit: ensemble::fit_forest, load: ensemble::load, by_donors: true },
    },
    VariableMethod {
        name: ensemble::BAGGING,
        draws_from: "donors over bagged trees",
        draws: What::Anything,
        options: ENSEMBLE,
        way: Way::Conditional { fit: ensemble::fit_bagging, load: ensemble::load, by_donors: true },
    },
    VariableMethod {
        name: "parametric",
        draws_from: "what suits the variable: normrank for a number, logreg for two categories, polr for ordered ones, else polyreg",
        draws: What::Anything,
        options: &["missing_method"],
        way: Way::Parametric,
    },
    VariableMethod {
        name: "sample",
        draws_from: "records of the data, `with` other variables, `within` cells of others",
        draws: What::Anything,
        options: &["with", "smoothing"],
        way: Way::Sample,
    },
    VariableMethod {
        name: "nested",
        draws_from: "records of the data with the same parent",
        draws: What::Anything,
        options: &["smoothing"],
        way: Way::Nested,
    },
    VariableMethod {
        name: normal::NORM,
        draws_from: "a normal linear model",
        draws: What::Numbers,
        options: NUMBERS,
        way: Way::Conditional { fit: normal::fit_norm, load: normal::load, by_donors: false },
    },
    VariableMethod {
        name: normal::LOGNORM,
        draws_from: "a normal linear model of the logarithm",
        draws: What::Numbers,
        options: NUMBERS,
        way: Way::Conditional { fit: normal::fit_lognorm, load: normal::load, by_donors: false },
    },
    VariableMethod {
        name: normal::SQRTNORM,
        draws_from: "a normal linear model of the square root",
        draws: What::Numbers,
        options: NUMBERS,
        way: Way::Conditional { fit: normal::fit_sqrtnorm, load: normal::load, by_donors: false },
    },
    VariableMethod {
        name: normal::CUBERTNORM,
        draws_from: "a normal linear model of the cube root",
        draws: What::Numbers,
        options: NUMBERS,
        way: Way::Conditional { fit: normal::fit_cubertnorm, load: normal::load, by_donors: false },
    },
    VariableMethod {
        name: normrank::NAME,
        draws_from: "a normal linear model of the ranks' normal scores",
        draws: What::Numbers,
        options: NUMBERS,
        way: Way::Conditional { fit: normrank::fit, load: normrank::load, by_donors: false },
    },
    VariableMethod {
        name: pmm::NAME,
        draws_from: "responses of records with nearly the same predicted mean",
        draws: What::Numbers,
        options: &["donors", "smoothing", "smooth_above", "missing_method"],
        way: Way::Conditional { fit: pmm::fit, load: pmm::load, by_donors: false },
    },
    VariableMethod {
        name: logistic::NAME,
        draws_from: "a logistic regression",
        draws: What::TwoCategories,
        options: &[],
        way: Way::Conditional { fit: logistic::fit, load: logistic::load, by_donors: false },
    },
    VariableMethod {
        name: multinomial::NAME,
        draws_from: "a multinomial logistic regression",
        draws: What::Categories,
        options: CATEGORIES,
        way: Way::Conditional { fit: multinomial::fit, load: multinomial::load, by_donors: false },
    },
    VariableMethod {
        name: proportional_odds::NAME,
        draws_from: "a proportional odds regression of ordered categories",
        draws: What::Categories,
        options: CATEGORIES,
        way: Way::Conditional {
            fit: proportional_odds::fit,
            load: proportional_odds::load,
            by_donors: false,
        },
    },
    VariableMethod {
        name: quantile::NAME,
        draws_from: "quantile regressions at the midpoints of bins; categories by the rank of their frequency",
        draws: What::Anything,
        options: &["bins", "smoothing", "smooth_above", "two_stage", "first_stage", "missing_method"],
        way: Way::Conditional { fit: quantile::fit, load: quantile::load, by_donors: false },
    },
    VariableMethod {
        name: "passive",
        draws_from: "a formula of variables that are there",
        draws: What::Numbers,
        options: &["formula"],
        way: Way::Passive,
    },
    VariableMethod {
        name: "constant",
        draws_from: "one value",
        draws: What::Anything,
        options: &["value"],
        way: Way::Constant,
    },
    VariableMethod {
        name: "keep",
        draws_from: "the data's own values: the variable is not synthesised",
        draws: What::Anything,
        options: &[],
        way: Way::Keep,
    },
];

/// The method of this name, or an error with the nearest one.
pub(super) fn named(place: &str, name: &str) -> Result<&'static VariableMethod, SynthesisError> {
    VARIABLE_METHODS.iter().find(|method| method.name == name).ok_or_else(|| {
        let names = VARIABLE_METHODS.iter().map(|method| method.name);
        let hint = table::similar_name::hint(name, names.clone());
        let all = names.collect::<Vec<_>>().join(", ");
        SynthesisError::option(
            place,
            format!("there is no method `{name}` of a variable{hint} (there are {all})"),
        )
    })
}

impl VariableMethod {
    /// Whether it is no model of a response given predictors.
    pub(super) fn is_special(&self) -> bool {
        !matches!(self.way, Way::Conditional { .. })
    }

    /// Whether it takes the order of categories for granted.
    pub(super) fn is_ordered(&self) -> bool {
        self.name == proportional_odds::NAME
    }

    /// Whether its parameters can be drawn from a posterior.
    pub(super) fn has_posterior(&self) -> bool {
        self.name != quantile::NAME
    }

    /// Whether its fit takes chance: ensembles draw the records of each tree, and quantile regression draws the cut-offs of categories.
    pub(super) fn fit_is_random(&self) -> bool {
        [ensemble::FOREST, ensemble::BAGGING, quantile::NAME].contains(&self.name)
    }

    /// The method that decides whether a number is there, missing or a special code, where nothing else is said.
    pub(super) fn for_marks(&'static self, marks: usize) -> &'static Self {
        match self.way {
            Way::Conditional { by_donors: true, .. } => self,
            _ => by_name(if marks == 2 { "logreg" } else { "polyreg" }),
        }
    }
}

fn by_name(name: &str) -> &'static VariableMethod {
    VARIABLE_METHODS.iter().find(|method| method.name == name).unwrap_or(&VARIABLE_METHODS[0])
}

/// Fits a method to a response.
pub(super) fn fit(
    method: &'static VariableMethod,
    task: &Task<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    match method.way {
        Way::Conditional { fit, .. } => fit(task),
        _ => Err(SynthesisError::Fit {
            method: "sequential",
            message: format!("`{}` is no model of a response", method.name),
        }),
    }
}

/// A fitted conditional from its stored state.
pub(super) fn load(
    method: &str,
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    match method {
        apart::NAME => apart::load(from, of),
        two_stage::NAME => two_stage::load(from, of),
        _ => match VARIABLE_METHODS.iter().find(|known| known.name == method).map(|known| known.way) {
            Some(Way::Conditional { load, .. }) => load(from, of),
            _ => Err(damaged(format!("there is no model of a variable named `{method}`"))),
        },
    }
}
