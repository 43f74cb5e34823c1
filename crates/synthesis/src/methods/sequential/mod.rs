//! `sequential`: one variable after the other, each drawn from its distribution given those before it (synthpop's core: Nowok, Raab & Dibben
//! 2016; Raab 2022, section 2.1).
//!
//! p(x₁, …, xₚ) = p(x₁) p(x₂ | x₁) … p(xₚ | x₁, …, xₚ₋₁): a visit sequence says in which order, the
//! predictor matrix given which, and each variable has a method of its own. Whether a number is
//! missing or a special code is drawn first, then the number. All conditionals are fitted to the original records, so that no fit waits for
//! another; a data set is then drawn variable by variable, in blocks with random numbers of their own.
//!
//! **The schema is kept**: a value that a rule fixes is set and its records are no donors; a draw that breaks a rule, leaves its range or its
//! parent is drawn again, then replaced by an entry of the data that fits; a record that nothing fits is drawn again as a whole.

mod apart;
mod association;
mod auxiliary;
mod cart;
mod conditional;
mod constant;
mod constraints;
mod coverage;
mod design_matrix;
mod donor_pool;
mod donors;
mod ensemble;
mod estimate;
mod feature;
mod fitted_step;
mod fitted_variable;
mod frame;
pub mod graph;
mod groups;
mod leaf_size;
mod logistic;
mod main_effects;
mod model;
mod multinomial;
mod normal;
mod normrank;
mod options;
mod plan;
mod pmm;
mod posterior;
mod predictors;
mod proportional_odds;
mod quantile;
mod records;
mod scores;
mod smoothing;
mod step_drawing;
mod stored_tree;
mod surroundings;
mod two_stage;
mod variable_methods;
mod visit_sequence;

use table::schema::Origin;
use table::{Column, Table, Variable};

use crate::card::{MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::randomness::Seed;
use crate::run::{Estimate, Part};
use crate::synthesizer::RecordSynthesizer;
use crate::tilt::{self, TiltSettings};
use crate::{Model, RecordsCard, SynthesisError, Synthesizer, registry};
use options::Options;
use plan::Plan;

pub use model::load;

pub(in crate::methods) use constraints::{in_domain, pinned};
pub(in crate::methods) use feature::Feature;
pub(in crate::methods) use frame::ColumnBuilder;
pub(in crate::methods) use smoothing::{Smoothing, SmoothingKind};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "sequential",
    summary: "draws one variable after the other, each from its distribution given those before it, by default by CART",
    use_when: "nothing speaks against it: the best general choice for mixed data",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "method",
            meaning: "the method of variables of which [variables.NAME] says nothing else",
            default: Usual::Value("cart"),
        },
        OptionCard {
            name: "order",
            meaning: "in which order variables are visited: `file`, `auto` (by size and dependence), or a list of those that come first",
            default: Usual::Value("file"),
        },
        OptionCard {
            name: "variables",
            meaning: "[variables.NAME] sections: method, predictors, except, within, and what the method honours",
            default: Usual::Words("none"),
        },
        OptionCard {
            name: "auxiliary",
            meaning: "[auxiliary.NAME] sections: predictors that are made for the fit and not released (score and by; groups_of and rare)",
            default: Usual::Words("none"),
        },
        OptionCard {
            name: "except",
            meaning: "variables that predict nothing unless `predictors` names them",
            default: Usual::Words("none"),
        },
        OptionCard {
            name: "predictors",
            meaning: "how many of the variables before it a variable is drawn given: `all`, or `best 20`, the 20 that say most of it by themselves, so that time grows like the number of variables and not like its square",
            default: Usual::Value("all"),
        },
        OptionCard {
            name: "proper",
            meaning: "draw parameters from their posterior too",
            default: Usual::Value("false"),
        },
        OptionCard {
            name: "min_bucket",
            meaning: "records that a leaf must hold: `auto` (5, 10 or 20, for each variable of CART the one under which records that its tree has not seen are likeliest; 5 for forests and bagging), or how many",
            default: Usual::Value("auto"),
        },
        OptionCard {
            name: "complexity",
            meaning: "share of the root's risk by which a split must lower it",
            default: Usual::Value("1e-8"),
        },
        OptionCard {
            name: "risk",
            meaning: "what that risk is for categories: `impurity`, or `misclassification` as in rpart and synthpop, where a split goes that does not change the most frequent level",
            default: Usual::Value("impurity"),
        },
        OptionCard {
            name: "depth",
            meaning: "splits between the root and a leaf at most",
            default: Usual::Value("30"),
        },
        OptionCard {
            name: "main_effects",
            meaning: "weigh the donors of a CART leaf by main effects of all predictors, so that two-way tables are kept that the tree leaves out",
            default: Usual::Value("true"),
        },
        OptionCard {
            name: "scores",
            meaning: "whether a CART tree splits by linear scores of all predictors too, so that many effects together are kept: `auto` (for each variable, where records that its tree has not seen are likelier), true or false",
            default: Usual::Value("auto"),
        },
        OptionCard { name: "trees", meaning: "trees of a forest or of bagging", default: Usual::Value("10") },
        OptionCard {
            name: "bins",
            meaning: "bins of (0, 1] of quantile regression",
            default: Usual::Value("25"),
        },
        OptionCard {
            name: "donors",
            meaning: "donors of predictive mean matching",
            default: Usual::Value("5"),
        },
        OptionCard {
            name: "smoothing",
            meaning: "numbers near those of donors: `auto` (near the numbers that one record alone has, where most are such, at the precision that they show), `density` (a Gaussian kernel), `spline` (of the quantile function) or `none`",
            default: Usual::Value("auto"),
        },
        OptionCard {
            name: "smooth_above",
            meaning: "smooth only numbers from here on",
            default: Usual::Words("all"),
        },
        OptionCard {
            name: "two_stage",
            meaning: "draw a categorical variable in two stages where a third of its levels or fewer hold over 75 % of the records",
            default: Usual::Value("false"),
        },
        OptionCard {
            name: "first_stage",
            meaning: "the method that decides between frequent and rare levels",
            default: Usual::Words("the variable's method"),
        },
        OptionCard {
            name: "missing_method",
            meaning: "the method that decides whether a number is missing or a special code",
            default: Usual::Words("the variable's method; logreg or polyreg where that is for numbers"),
        },
        tilt::TILT,
        tilt::CANDIDATES,
        tilt::TILT_CLASSES,
        tilt::NO_COPIES,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[
        Trial {
            place: 1,
            name: "cart-5",
            label: "sequential trees, 5 records a leaf",
            options: &["min_bucket=5"],
            m: 1,
            variables: 0,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 2,
            name: "cart-20",
            label: "sequential trees, 20 records a leaf",
            options: &["min_bucket=20"],
            m: 1,
            variables: 0,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 3,
            name: "cart-100",
            label: "sequential trees, 100 records a leaf",
            options: &["min_bucket=100"],
            m: 1,
            variables: 0,
            suits: Suits::AnyTable,
        },
        Trial {
            place: 4,
            name: "parametric",
            label: "sequential regressions",
            options: &["method=parametric"],
            m: 1,
            variables: 0,
            suits: Suits::AnyTable,
        },
    ],
    memory: "the data twice, and 10 to 40 bytes a record and variable: the donors and the splits",
    citation: "Nowok, Raab & Dibben (2016), synthpop: bespoke creation of synthetic data in R; Reiter (2005), Using CART to generate partially synthetic public use microdata",
};

/// The methods of a variable: name, and what each draws from.
pub fn variable_methods() -> impl Iterator<Item = (&'static str, &'static str)> {
    variable_methods::VARIABLE_METHODS.iter().map(|method| (method.name, method.draws_from))
}

/// The settings.
struct Sequential(Options);

/// A synthesizer with these options.
pub fn build(given: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let _: toml::Table = registry::options(given, &CARD)?;
    Ok(Synthesizer::Records(Box::new(Sequential(Options::parse(given)?))))
}

impl RecordSynthesizer for Sequential {
    fn records_card(&self) -> RecordsCard {
        self.0.records_card()
    }

    fn fit(&self, records: &Table, part: &Part, seed: Seed) -> Result<Box<dyn Model<Table>>, SynthesisError> {
        let plan = Plan::new(&self.0, records)?;
        let remarks = if part.is_stratum { Vec::new() } else { self.remarks(records) };
        Ok(Box::new(fitted_step::fit(&plan, records, part, seed, remarks)?))
    }

    fn tilt(&self) -> Option<TiltSettings> {
        self.0.tilt.clone()
    }

    fn remarks(&self, records: &Table) -> Vec<String> {
        let mut remarks = identifier_remarks(records);
        if let Ok(plan) = Plan::new(&self.0, records)
            && !plan.kept().is_empty()
        {
            remarks.push(format!("not synthesised but kept as in the data: {}", plan.kept().join(", ")));
        }
        remarks
    }

    fn fit_is_random(&self, records: &Table) -> bool {
        Plan::new(&self.0, records).is_ok_and(|plan| fitted_step::is_random(&plan, records))
    }

    fn estimate(&self, records: &Table) -> Result<Estimate, SynthesisError> {
        refuse_names(records)?;
        let plan = Plan::new(&self.0, records)?;
        fitted_step::refuse_rules_that_fix_all(&plan, records)?;
        Ok(estimate::estimate(&plan, records))
    }
}

/// Texts that belong to one record each are released as they are: reported where a tenth of the records has one and nobody declared the levels.
const REPORTED: usize = 10;

/// Numbers that are different in every record look like identifiers and are drawn like any number; texts may hold some.
pub(in crate::methods) fn identifier_remarks(records: &Table) -> Vec<String> {
    let mut remarks = Vec::new();
    for (variable, column) in records.schema().variables().iter().zip(records.columns()) {
        if levels_of_one_record(variable, column) * REPORTED > records.rows() {
            remarks.push(format!(
                "`{}` has many levels that belong to one record each, and they are released; if they name records, declare it `text-id`, \
                 or put rare levels together first",
                variable.name
            ));
        }
        let Column::Integer(numbers) = column else { continue };
        if numbers.len() <= 20 || numbers.missing() > 0 || variable.formula.is_some() {
            continue;
        }
        let mut values: Vec<i64> = numbers.values().collect();
        values.sort_unstable();
        if values.windows(2).all(|pair| pair[0] != pair[1]) {
            remarks.push(format!(
                "`{}` has another number in every record and its numbers are released; if it names records, declare it `text-id`",
                variable.name
            ));
        }
    }
    remarks
}

/// A text read off the data of which more than half of the records have one of their own names people; it is not to be copied.
pub(in crate::methods) fn refuse_names(records: &Table) -> Result<(), SynthesisError> {
    for (variable, column) in records.schema().variables().iter().zip(records.columns()) {
        if 2 * levels_of_one_record(variable, column) > records.rows() {
            let message = "most records have a level of their own, which would be copied; declare it `kind = \"text-id\"` in a \
                           schema, so that it is made new, or leave it out";
            return Err(table::TableError::variable(&variable.name, message).into());
        }
    }
    Ok(())
}

/// How many levels that were read off the data belong to one record; 0 of a variable with few levels.
fn levels_of_one_record(variable: &Variable, column: &Column) -> usize {
    let (Column::Categorical(codes), Some(levels)) = (column, variable.kind.levels()) else { return 0 };
    if variable.origin == Origin::Declared || levels.len() <= 20 {
        return 0;
    }
    codes.frequencies(levels.len() + 1).iter().filter(|count| **count == 1).count()
}
