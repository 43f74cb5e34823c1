//! The plan of a run: what is drawn in which step, by which method, given what. Everything in a recipe that can be wrong is found here.

use std::cell::OnceCell;

use table::expression::{Expression, Value};
use table::{Kind, Table, Variable};

use super::association::Association;
use super::auxiliary::Auxiliary;
use super::constant::constant;
use super::options::{Options, Predictors, Settings, VariableOptions};
use super::predictors::{not_yet_visited, predictors, resolve};
use super::smoothing::SmoothingKind;
use super::variable_methods::{self, VARIABLE_METHODS, VariableMethod, Way, What};
use super::visit_sequence::visit_sequence;
use crate::SynthesisError;
use crate::key::Key;

/// A checked plan.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The variables of the schema, then the auxiliary ones.
    pub variables: Vec<Variable>,
    pub auxiliary: Vec<Auxiliary>,
    pub steps: Vec<Step>,
    pub proper: bool,
}

/// What is drawn at once.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub targets: Vec<usize>,
    pub way: StepWay,
}

/// How it is drawn.
#[derive(Clone, Debug)]
pub(super) enum StepWay {
    /// The data's own values.
    Keep,
    /// One value.
    Constant(Value),
    /// A formula of variables that are there.
    Computed(String),
    /// The auxiliary variable at this position, a function of one that is there.
    Auxiliary(usize),
    /// Entries of one donor, within cells; for each target, whether numbers of single records give way to others near them.
    Sample { within: Vec<String>, smoothed: Vec<bool> },
    /// A model given predictors, fitted apart within cells.
    Model { method: &'static VariableMethod, predictors: Vec<usize>, within: Vec<String>, settings: Settings },
}

impl Plan {
    /// The plan for these records.
    pub(super) fn new(options: &Options, records: &Table) -> Result<Self, SynthesisError> {
        let auxiliary =
            options.auxiliary.iter().map(|(name, options)| Auxiliary::learn(name, options, records));
        let auxiliary = auxiliary.collect::<Result<Vec<_>, _>>()?;
        let mut variables = records.schema().variables().to_vec();
        variables.extend(auxiliary.iter().map(Auxiliary::variable));
        let association = OnceCell::new();
        let planner = Planner { options, variables: &variables, auxiliary: &auxiliary, records, association };
        planner.check_sections()?;
        let steps = planner.steps()?;
        planner.refuse_idle_options(&steps)?;
        Ok(Self { variables, auxiliary, steps, proper: options.proper })
    }

    /// The names of the variables that are not drawn.
    pub(super) fn kept(&self) -> Vec<&str> {
        let kept = self.steps.iter().filter(|step| matches!(step.way, StepWay::Keep));
        kept.flat_map(|step| &step.targets).map(|at| self.variables[*at].name.as_str()).collect()
    }
}

struct Planner<'a> {
    options: &'a Options,
    variables: &'a [Variable],
    auxiliary: &'a [Auxiliary],
    records: &'a Table,
    /// What predictors say, once that is asked for.
    association: OnceCell<Association>,
}

/// A variable that is computed as soon as others are there.
struct Pending {
    target: usize,
    needs: Vec<usize>,
    way: StepWay,
}

impl Planner<'_> {
    fn position(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    fn section(&self, at: usize) -> Option<&VariableOptions> {
        self.options.of(&self.variables[at].name)
    }

    /// Sections about variables that are not there, or that are not drawn.
    fn check_sections(&self) -> Result<(), SynthesisError> {
        for (name, section) in &self.options.variables {
            let place = format!("variables.{name}");
            let Some(at) = self.position(name) else {
                let known = self.variables.iter().map(|variable| variable.name.as_str());
                let hint = table::similar_name::hint(name, known);
                return Err(SynthesisError::option(place, format!("there is no variable `{name}`{hint}")));
            };
            section.refuse_idle_keys(name, self.variables[at].kind.levels().is_some())?;
            let is_passive = section.method.is_some_and(|method| matches!(method.way, Way::Passive));
            let message = if self.variables[at].kind == Kind::TextId {
                "it is an identifier, which is made new; take the section out"
            } else if self.variables[at].formula.is_some() && !is_passive {
                "the schema has a formula for it; take the section or the formula out"
            } else {
                continue;
            };
            return Err(SynthesisError::option(place, message));
        }
        Ok(())
    }

    /// Refuses options that tune methods by none of which a variable is drawn.
    fn refuse_idle_options(&self, steps: &[Step]) -> Result<(), SynthesisError> {
        let models = || {
            steps.iter().filter_map(|step| match &step.way {
                StepWay::Model { method, settings, .. } => Some((*method, settings)),
                _ => None,
            })
        };
        let is_sampled = steps.iter().any(|step| matches!(step.way, StepWay::Sample { .. }));
        let has = |key: &str| {
            (is_sampled && key == "smoothing")
                || models().any(|(method, settings)| {
                    let methods = [Some(method), settings.first_stage, settings.missing_method];
                    methods.into_iter().flatten().any(|method| method.options.contains(&key))
                })
        };
        let is_tuning = |key: &str| VARIABLE_METHODS.iter().any(|method| method.options.contains(&key));
        for key in self.options.keys.iter().filter(|key| is_tuning(key)) {
            let message = match key.as_str() {
                key if !has(key) => "no variable is drawn by a method that has it; take it out",
                "smooth_above" if models().all(|(_, settings)| settings.smoothing == SmoothingKind::None) => {
                    "nothing is smoothed; say `smoothing` too, or take it out"
                }
                "first_stage" if models().all(|(_, settings)| !settings.two_stage) => {
                    "there is one stage; say `two_stage = true` too, or take it out"
                }
                _ => continue,
            };
            return Err(SynthesisError::option(key, message));
        }
        Ok(())
    }

    /// The method of a variable, one that can draw it.
    fn method(&self, at: usize) -> Result<&'static VariableMethod, SynthesisError> {
        let variable = &self.variables[at];
        let said = self.section(at).and_then(|section| section.method);
        let method = said.unwrap_or(self.options.method);
        let place =
            if said.is_some() { format!("variables.{}.method", variable.name) } else { "method".into() };
        let is_category = variable.kind.levels().is_some();
        if matches!(method.way, Way::Parametric) {
            let categories = self.categories(at);
            let name = match (&variable.kind, categories) {
                (Kind::Ordinal { .. }, 3..) => "polr",
                (_, 3..) if is_category => "polyreg",
                (_, _) if is_category => "logreg",
                _ => "normrank",
            };
            return variable_methods::named(&place, name);
        }
        let refuse = |message: String| Err(SynthesisError::option(&place, message));
        let name = &variable.name;
        match method.draws {
            What::Numbers if is_category => {
                refuse(format!("`{}` draws numbers, and `{name}` is categorical", method.name))
            }
            What::Categories | What::TwoCategories if !is_category => {
                refuse(format!("`{}` draws categories, and `{name}` is a number", method.name))
            }
            What::TwoCategories if self.categories(at) > 2 => refuse(format!(
                "`{}` draws one of two categories, and `{name}` has more (missing counts); take polyreg",
                method.name
            )),
            _ => Ok(method),
        }
    }

    /// How many levels of a categorical variable can occur, missing included.
    fn categories(&self, at: usize) -> usize {
        let variable = &self.variables[at];
        variable.kind.levels().map_or(0, |levels| levels.len())
            + usize::from(variable.missing && self.has_missing(at))
    }

    fn has_missing(&self, at: usize) -> bool {
        at >= self.records.columns().len() || self.records.missing(at) > 0
    }

    /// Variables that are computed, with what they need.
    fn pending(&self) -> Result<Vec<Pending>, SynthesisError> {
        let mut pending = Vec::new();
        for (at, variable) in self.variables.iter().enumerate() {
            let section = self.section(at);
            let is_passive = section
                .and_then(|section| section.method)
                .is_some_and(|method| matches!(method.way, Way::Passive));
            let text = match (&variable.formula, section.and_then(|section| section.formula.clone())) {
                (Some(formula), None) => formula.text().to_owned(),
                (None, Some(text)) => text,
                (None, None) if !is_passive => continue,
                (Some(_), Some(_)) => {
                    let place = format!("variables.{}.formula", variable.name);
                    return Err(SynthesisError::option(
                        place,
                        "the schema has a formula for it already; take one of them out",
                    ));
                }
                (None, None) => {
                    let place = format!("variables.{}.method", variable.name);
                    return Err(SynthesisError::option(place, "`passive` needs a `formula`"));
                }
            };
            let place = format!("variables.{}.formula", variable.name);
            let refuse = |error: table::TableError| SynthesisError::option(&place, error.to_string());
            let expression = Expression::parse(&text).map_err(refuse)?;
            expression.formula(self.variables).map_err(refuse)?;
            let needs = expression.variables().into_iter().filter_map(|name| self.position(name)).collect();
            pending.push(Pending { target: at, needs, way: StepWay::Computed(text) });
        }
        for (number, auxiliary) in
            self.auxiliary.iter().enumerate().filter(|(_, auxiliary)| auxiliary.is_computed())
        {
            let target = self.records.columns().len() + number;
            let needs = self.position(&auxiliary.of).into_iter().collect();
            pending.push(Pending { target, needs, way: StepWay::Auxiliary(number) });
        }
        Ok(pending)
    }

    /// Modelled variables in file order, coarser versions just before the variable that they are made from.
    fn modelled(&self, pending: &[Pending]) -> Result<Vec<usize>, SynthesisError> {
        let is_computed = |at: usize| pending.iter().any(|waiting| waiting.target == at);
        let mut modelled = Vec::new();
        for (at, variable) in self.variables[..self.records.columns().len()].iter().enumerate() {
            if is_computed(at) || variable.kind == Kind::TextId {
                continue;
            }
            for (number, auxiliary) in self.auxiliary.iter().enumerate() {
                if !auxiliary.is_computed() && auxiliary.of == variable.name {
                    modelled.push(self.records.columns().len() + number);
                }
            }
            modelled.push(at);
        }
        if modelled.is_empty() {
            let message = "there is no variable to model; identifiers and formulas are not";
            return Err(SynthesisError::option("method", message));
        }
        Ok(modelled)
    }

    fn steps(&self) -> Result<Vec<Step>, SynthesisError> {
        let mut pending = self.pending()?;
        let computed: Vec<usize> = pending.iter().map(|waiting| waiting.target).collect();
        let modelled = self.modelled(&pending)?;
        let sequence = visit_sequence(&self.options.order, &modelled, self.variables, self.records)?;
        let mut steps: Vec<Step> = Vec::new();
        let mut known: Vec<usize> = Vec::new();
        let kept: Vec<usize> = sequence
            .iter()
            .copied()
            .filter_map(|at| match self.method(at) {
                Ok(method) => matches!(method.way, Way::Keep).then_some(Ok(at)),
                Err(error) => Some(Err(error)),
            })
            .collect::<Result<_, _>>()?;
        if !kept.is_empty() {
            if let Some(auxiliary) = kept.iter().find(|at| **at >= self.records.columns().len()) {
                let place = format!("variables.{}.method", self.variables[*auxiliary].name);
                return Err(SynthesisError::option(
                    place,
                    "an auxiliary variable is not in the data and cannot be kept",
                ));
            }
            if kept.len() == sequence.len() {
                let message =
                    "every variable would be kept, and the release would be the data; draw some of them";
                return Err(SynthesisError::option("method", message));
            }
            known.extend(&kept);
            steps.push(Step { targets: kept.clone(), way: StepWay::Keep });
            self.settle(&mut pending, &mut known, &mut steps);
        }
        for at in sequence {
            if known.contains(&at) {
                continue;
            }
            let step = self.step(at, &known, &computed)?;
            if step.targets.len() > 1 && step.targets.len() == modelled.len() {
                let place = format!("variables.{}.with", self.variables[at].name);
                let message =
                    "whole records of the data would be drawn and released; draw some variables apart";
                return Err(SynthesisError::option(place, message));
            }
            known.extend(&step.targets);
            steps.push(step);
            self.settle(&mut pending, &mut known, &mut steps);
        }
        if let Some(stuck) = pending.first() {
            let name = &self.variables[stuck.target].name;
            let place = format!("variables.{name}.formula");
            let message = "it needs itself, directly or through other formulas; break the circle";
            return Err(SynthesisError::option(place, message));
        }
        Ok(steps)
    }

    /// Adds the steps of variables that can be computed now.
    fn settle(&self, pending: &mut Vec<Pending>, known: &mut Vec<usize>, steps: &mut Vec<Step>) {
        while let Some(place) =
            pending.iter().position(|waiting| waiting.needs.iter().all(|need| known.contains(need)))
        {
            let Pending { target, way, .. } = pending.remove(place);
            known.push(target);
            steps.push(Step { targets: vec![target], way });
        }
    }

    fn step(&self, at: usize, known: &[usize], computed: &[usize]) -> Result<Step, SynthesisError> {
        let name = &self.variables[at].name;
        let section = self.section(at);
        let method = self.method(at)?;
        let within = self.within(at, known)?;
        let one = |way: StepWay| Ok(Step { targets: vec![at], way });
        let refuse = |key: &str, message: &str| {
            Err(SynthesisError::option(format!("variables.{name}.{key}"), message))
        };
        if matches!(method.way, Way::Sample | Way::Nested | Way::Constant)
            && section.is_some_and(|section| section.predictors.is_some() || !section.except.is_empty())
        {
            let message = format!("`{}` has no predictors; say `within` what it is drawn", method.name);
            return refuse("predictors", &message);
        }
        let smoothing =
            section.filter(|section| section.says("smoothing")).map(|section| section.settings.smoothing);
        if matches!(method.way, Way::Sample | Way::Nested)
            && matches!(smoothing, Some(SmoothingKind::Density | SmoothingKind::Spline))
        {
            let message = format!(
                "numbers that are drawn by `{}` are smoothed by `auto` or not at all (`none`)",
                method.name
            );
            return refuse("smoothing", &message);
        }
        match method.way {
            Way::Conditional { .. } => {
                let predictors =
                    predictors(name, section, &self.options.except, known, self.variables, |at| {
                        computed.contains(&at) && at < self.records.columns().len()
                    })?;
                let predictors = self.best(at, predictors)?;
                let settings = section.map_or(self.options.settings, |section| section.settings);
                if self.options.proper && !method.has_posterior() {
                    let message = format!(
                        "the parameters of `{}` have no posterior, and `{name}` is drawn by it",
                        method.name
                    );
                    return Err(SynthesisError::option("proper", message));
                }
                one(StepWay::Model { method, predictors, within, settings })
            }
            Way::Sample => {
                let mut targets = vec![at];
                for other in resolve(
                    &format!("variables.{name}.with"),
                    section.map_or(&[][..], |section| &section.with),
                    self.variables,
                )? {
                    let other_name = &self.variables[other].name;
                    let is_other = self
                        .section(other)
                        .and_then(|section| section.method)
                        .is_some_and(|other| !matches!(other.way, Way::Sample));
                    if known.contains(&other)
                        || computed.contains(&other)
                        || is_other
                        || targets.contains(&other)
                        || self.variables[other].kind == Kind::TextId
                        || other >= self.records.columns().len()
                    {
                        let message = format!(
                            "`{other_name}` is drawn otherwise or earlier; variables drawn together are all of method `sample`, named with the first of them"
                        );
                        return refuse("with", &message);
                    }
                    targets.push(other);
                }
                let smoothed = targets.iter().map(|at| self.is_smoothed(*at)).collect();
                Ok(Step { targets, way: StepWay::Sample { within, smoothed } })
            }
            Way::Nested => {
                let within = match (within.is_empty(), &self.variables[at].within) {
                    (false, _) => within,
                    (true, Some(parent)) => {
                        let place = format!("variables.{name}.method");
                        let parent_at = resolve(&place, std::slice::from_ref(parent), self.variables)?[0];
                        if !known.contains(&parent_at) {
                            return Err(not_yet_visited(&place, parent, name));
                        }
                        vec![parent.clone()]
                    }
                    (true, None) => {
                        return refuse(
                            "method",
                            "`nested` needs a parent: say `within`, here or in the schema",
                        );
                    }
                };
                one(StepWay::Sample { within, smoothed: vec![self.is_smoothed(at)] })
            }
            Way::Constant => match section.and_then(|section| section.value.as_ref()) {
                Some(value) => match constant(&self.variables[at], value) {
                    Some(value) => one(StepWay::Constant(value)),
                    None => refuse("value", "it is no value that the schema allows for this variable"),
                },
                None => refuse("method", "`constant` needs a `value`"),
            },
            Way::Passive | Way::Keep | Way::Parametric => refuse("method", "it cannot be carried out here"),
        }
    }

    /// As many of these predictors of a variable as are asked for, those that say most of it; its parent and what is made for the fit alone are always among them.
    fn best(&self, at: usize, predictors: Vec<usize>) -> Result<Vec<usize>, SynthesisError> {
        let said = self.section(at).and_then(|section| section.predictors.as_ref());
        let most = match said {
            Some(Predictors::All | Predictors::Named(_)) => None,
            Some(Predictors::Best(most)) => Some(*most),
            None => self.options.best,
        };
        let Some(most) = most.filter(|most| predictors.len() > *most as usize) else {
            return Ok(predictors);
        };
        if self.association.get().is_none() {
            // Nobody else can have set it meanwhile.
            let _ = self.association.set(Association::of(self.records)?);
        }
        let Some(association) = self.association.get() else { return Ok(predictors) };
        let parent = self.variables[at].within.as_ref().and_then(|parent| self.position(parent));
        // An auxiliary variable is chosen for as the one that it is made of.
        let target = match at.checked_sub(self.records.columns().len()) {
            Some(number) => self.position(&self.auxiliary[number].of).unwrap_or(at),
            None => at,
        };
        let mut best = association.best(target, &predictors, most as usize)?;
        best.extend(parent.filter(|parent| predictors.contains(parent) && !best.contains(parent)));
        best.sort_unstable();
        Ok(best)
    }

    /// Whether numbers of a variable that is drawn from records may give way to others near them.
    fn is_smoothed(&self, at: usize) -> bool {
        let settings = self.section(at).map_or(self.options.settings, |section| section.settings);
        settings.smoothing != SmoothingKind::None
    }

    /// The keys of the cells within which a variable is drawn.
    fn within(&self, at: usize, known: &[usize]) -> Result<Vec<String>, SynthesisError> {
        let name = &self.variables[at].name;
        let place = format!("variables.{name}.within");
        let within = self.section(at).map_or(&[][..], |section| &section.within);
        for text in within {
            Key::parse(text, self.variables)
                .map_err(|error| SynthesisError::option(&place, error.to_string()))?;
            let needs = Key::variables(text, self.variables);
            if let Some(later) =
                needs.iter().find(|need| self.position(need).is_none_or(|need| !known.contains(&need)))
            {
                return Err(not_yet_visited(&place, later, name));
            }
        }
        Ok(within.to_vec())
    }
}
