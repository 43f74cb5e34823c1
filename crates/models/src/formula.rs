//! Formulas in Wilkinson and Rogers' (1973) notation, as R writes them.
//!
//! | in a formula | means |
//! |---|---|
//! | `y ~ a + b` | y on a and b, with an intercept |
//! | `a:b` | the interaction |
//! | `a*b` | a + b + a:b |
//! | `(a + b + c)^2` | all of them and their interactions up to order 2 |
//! | `.` | every variable but those of the response and identifiers |
//! | `- a:b` | without this term |
//! | `- 1`, `+ 0` | without the intercept |
//! | `factor(x)` | every value of x is a level, also where x is a number |
//! | `log(x)`, `sqrt(x)`, `exp(x)`, `abs(x)`, `I(x^2 + z)` | numbers computed from variables |
//! | `` `a name` `` | a name with blanks or signs in it |

mod arithmetic;
mod parse;

use std::fmt;

use table::expression::Formula as Number;
use table::{Kind, Variable};

use crate::ModelError;
use arithmetic::{position_of, quoted};
use parse::{Node, Refusal};

/// A formula that parses; names are looked up when it meets a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    response: Node,
    predictors: Node,
}

impl Formula {
    /// Parses `text`.
    ///
    /// ```
    /// use models::Formula;
    /// assert!(Formula::parse("income ~ sex*age + log(hours) - 1").is_ok());
    /// let error = Formula::parse("income ~ sex +").unwrap_err();
    /// assert_eq!(error.to_string(), "in `income ~ sex +` at character 15: a variable is needed here");
    /// ```
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let (response, predictors) = parse::parse(text).map_err(|refusal| located(text, refusal))?;
        Ok(Self { text: text.to_owned(), response, predictors })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that the formula mentions, response first, each once; `.` mentions none.
    pub fn variables(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.response.collect_variables(&mut names);
        self.predictors.collect_variables(&mut names);
        let mut once: Vec<&str> = Vec::new();
        names.into_iter().for_each(|name| {
            if !once.contains(&name) {
                once.push(name);
            }
        });
        once
    }

    /// The names of the variables whose values are made levels by `factor`, each once.
    pub fn factors(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.response.collect_factors(&mut names);
        self.predictors.collect_factors(&mut names);
        names
    }

    /// Refuses names and functions that do not fit these variables.
    pub fn check(&self, variables: &[Variable]) -> Result<(), ModelError> {
        self.bind(variables).map(|_| ())
    }

    /// Looks the names up among the variables of a table, and works the terms out.
    pub(crate) fn bind(&self, variables: &[Variable]) -> Result<BoundFormula, ModelError> {
        let mut responses = Vec::new();
        self.response.collect_variables(&mut responses);
        let mut binder = Binder { variables, responses, operands: Vec::new() };
        let bound = binder.bind(self);
        bound.map_err(|refusal| located(&self.text, refusal))
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A formula whose names are positions in a schema.
#[derive(Clone, Debug)]
pub(crate) struct BoundFormula {
    pub(crate) response: Operand,
    /// What the terms are made of, in order of appearance.
    pub(crate) operands: Vec<Operand>,
    pub(crate) intercept: bool,
    /// Sets of operands, of low order first; the intercept is not among them.
    pub(crate) terms: Vec<Vec<usize>>,
}

/// A variable or a number computed from some.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// As R names its coefficient.
    pub(crate) name: String,
    pub(crate) source: Source,
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Variable(usize),
    /// Every value is a level.
    Factor(usize),
    Computed(Number),
}

struct Binder<'a> {
    variables: &'a [Variable],
    responses: Vec<&'a str>,
    operands: Vec<Operand>,
}

impl<'a> Binder<'a> {
    fn bind(&mut self, formula: &'a Formula) -> Result<BoundFormula, Refusal> {
        let response = self.operand_of(&formula.response)?;
        let with_intercept =
            Node::Sum(vec![(true, Node::Intercept(true)), (true, formula.predictors.clone())]);
        let mut terms = self.terms(&with_intercept.flattened())?;
        let count = terms.len();
        terms.retain(|term| !term.is_empty());
        let intercept = terms.len() < count;
        terms.sort_by_key(Vec::len);
        Ok(BoundFormula { response, operands: std::mem::take(&mut self.operands), intercept, terms })
    }

    fn operand_of(&self, node: &Node) -> Result<Operand, Refusal> {
        match node {
            Node::Computed(arithmetic) => Ok(Operand {
                name: arithmetic.to_string(),
                source: Source::Computed(arithmetic.bind(self.variables)?),
            }),
            Node::Variable(name, at) | Node::Factor(name, at) => {
                let position = position_of(name, self.variables).map_err(|message| (*at, message))?;
                if self.variables[position].kind == Kind::TextId {
                    return Err((*at, format!("`{name}` is an identifier, which no model can use")));
                }
                Ok(match node {
                    Node::Factor(..) => Operand {
                        name: format!("factor({})", quoted(name)),
                        source: Source::Factor(position),
                    },
                    _ => Operand { name: quoted(name), source: Source::Variable(position) },
                })
            }
            _ => Err((1, "the response must be one variable or a function of variables".into())),
        }
    }

    /// The position of an operand, which is new or known.
    fn position(&mut self, operand: Operand) -> usize {
        self.operands.iter().position(|known| known.name == operand.name).unwrap_or_else(|| {
            self.operands.push(operand);
            self.operands.len() - 1
        })
    }

    /// Terms in order of appearance, each once. The empty term is the intercept.
    fn terms(&mut self, node: &Node) -> Result<Vec<Vec<usize>>, Refusal> {
        match node {
            Node::Variable(..) | Node::Factor(..) | Node::Computed(_) => {
                let operand = self.operand_of(node)?;
                Ok(vec![vec![self.position(operand)]])
            }
            Node::Dot(at) => {
                let usable = self.variables.iter().enumerate().filter(|(_, variable)| {
                    variable.kind != Kind::TextId && !self.responses.contains(&variable.name.as_str())
                });
                let usable: Vec<Operand> = usable
                    .map(|(position, variable)| Operand {
                        name: quoted(&variable.name),
                        source: Source::Variable(position),
                    })
                    .collect();
                if usable.is_empty() {
                    return Err((
                        *at,
                        "`.` stands for no variable: there is none beside the response".into(),
                    ));
                }
                Ok(usable.into_iter().map(|operand| vec![self.position(operand)]).collect())
            }
            Node::Intercept(there) => Ok(if *there { vec![Vec::new()] } else { Vec::new() }),
            Node::Sum(summands) => {
                let mut sum: Vec<Vec<usize>> = Vec::new();
                for (positive, summand) in summands {
                    let none = Node::Intercept(false);
                    let (adds, terms) = if *summand == none {
                        (!positive, vec![Vec::new()])
                    } else {
                        (*positive, self.terms(summand)?)
                    };
                    if adds {
                        terms.into_iter().for_each(|term| push_new(&mut sum, term));
                    } else {
                        sum.retain(|term| !terms.contains(term));
                    }
                }
                Ok(sum)
            }
            Node::Interaction(left, right) => {
                let (left, right) = (self.terms(left)?, self.terms(right)?);
                Ok(crossed(&left, &right))
            }
            Node::Crossing(left, right) => {
                let (left, right) = (self.terms(left)?, self.terms(right)?);
                let mut all = left.clone();
                right.iter().for_each(|term| push_new(&mut all, term.clone()));
                crossed(&left, &right).into_iter().for_each(|term| push_new(&mut all, term));
                Ok(all)
            }
            Node::Power(base, order) => {
                let base = self.terms(base)?;
                let mut all = base.clone();
                for _ in 1..(*order).min(base.len() as u32) {
                    for term in crossed(&all, &base) {
                        push_new(&mut all, term);
                    }
                }
                Ok(all)
            }
        }
    }
}

impl Node {
    fn collect_variables<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Variable(name, _) | Self::Factor(name, _) => names.push(name),
            Self::Computed(arithmetic) => arithmetic.collect_variables(names),
            Self::Dot(_) | Self::Intercept(_) => {}
            Self::Sum(summands) => summands.iter().for_each(|(_, summand)| summand.collect_variables(names)),
            Self::Interaction(left, right) | Self::Crossing(left, right) => {
                left.collect_variables(names);
                right.collect_variables(names);
            }
            Self::Power(base, _) => base.collect_variables(names),
        }
    }

    fn collect_factors<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Factor(name, _) if !names.contains(&name.as_str()) => names.push(name),
            Self::Sum(summands) => summands.iter().for_each(|(_, summand)| summand.collect_factors(names)),
            Self::Interaction(left, right) | Self::Crossing(left, right) => {
                left.collect_factors(names);
                right.collect_factors(names);
            }
            Self::Power(base, _) => base.collect_factors(names),
            Self::Variable(..) | Self::Factor(..) | Self::Computed(_) | Self::Dot(_) | Self::Intercept(_) => {
            }
        }
    }

    /// A sum within the first level of a sum is part of it, so that `-1` there takes the implied intercept away.
    fn flattened(self) -> Self {
        let Self::Sum(summands) = self else { return self };
        let mut flat = Vec::new();
        for (positive, summand) in summands {
            match summand {
                Self::Sum(inner) if positive => flat.extend(inner),
                other => flat.push((positive, other)),
            }
        }
        Self::Sum(flat)
    }
}

fn push_new(terms: &mut Vec<Vec<usize>>, term: Vec<usize>) {
    if !terms.contains(&term) {
        terms.push(term);
    }
}

/// The union of each term of one list with each of the other.
fn crossed(left: &[Vec<usize>], right: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for one in left {
        for other in right {
            let mut both: Vec<usize> = one.iter().chain(other).copied().collect();
            both.sort_unstable();
            both.dedup();
            push_new(&mut all, both);
        }
    }
    all
}

fn located(formula: &str, (position, message): Refusal) -> ModelError {
    ModelError::Formula { formula: formula.to_owned(), position, message }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use table::Levels;

    use super::*;

    fn variables() -> Vec<Variable> {
        let levels = || Levels::new(["x", "y"]).unwrap();
        vec![
            Variable::new("a", Kind::Categorical { levels: levels() }),
            Variable::new("b", Kind::Categorical { levels: levels() }),
            Variable::new("c", Kind::Real { range: None }),
            Variable::new("y", Kind::Integer { range: None }),
            Variable::new("home town", Kind::Real { range: None }),
            Variable::new("id", Kind::TextId),
        ]
    }

    fn terms(text: &str) -> String {
        let bound = Formula::parse(text).unwrap().bind(&variables()).unwrap();
        let name = |term: &Vec<usize>| {
            let names: Vec<&str> = term.iter().map(|at| bound.operands[*at].name.as_str()).collect();
            names.join(":")
        };
        let intercept = bound.intercept.then(|| "1".to_owned());
        intercept.into_iter().chain(bound.terms.iter().map(name)).collect::<Vec<_>>().join(" ")
    }

    // What `attr(terms(y ~ …), "term.labels")` says in R.
    #[rstest]
    #[case("y ~ a + b*c", "1 a b c b:c")]
    #[case("y ~ a:b + c", "1 c a:b")]
    #[case("y ~ b + a + a:b", "1 b a b:a")]
    #[case("y ~ (a + b + c)^2", "1 a b c a:b a:c b:c")]
    #[case("y ~ (a + b + c)^3 - a:b", "1 a b c a:c b:c a:b:c")]
    #[case("y ~ a*b*c - a:b:c", "1 a b c a:b a:c b:c")]
    #[case("y ~ .", "1 a b c `home town`")]
    #[case("y ~ . - c", "1 a b `home town`")]
    #[case("log(c) ~ .", "1 a b y `home town`")]
    #[case("y ~ a - 1", "a")]
    #[case("y ~ 0 + a", "a")]
    #[case("y ~ -1 + a + 1", "1 a")]
    #[case("y ~ 1", "1")]
    #[case("y ~ a + a + a:a", "1 a")]
    #[case("y ~ log(c) + I(c*c) + I( (c+1)^2/2 )", "1 log(c) I(c * c) I((c + 1)^2/2)")]
    #[case("y ~ `home town` + I(-`home town`)", "1 `home town` I(-`home town`)")]
    #[case("y ~ factor(c)*a + factor(`home town`)", "1 factor(c) a factor(`home town`) factor(c):a")]
    #[case("y ~ a*(b + c)", "1 a b c a:b a:c")]
    fn terms_are_those_of_r(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[rstest]
    #[case("y", 2, "then `~`")]
    #[case("y ~ a b", 7, "operator")]
    #[case("y ~ a +", 8, "variable is needed")]
    #[case("y ~ (a + b", 11, "closing parenthesis")]
    #[case("y ~ a^b", 7, "whole number")]
    #[case("y ~ a / b", 7, "nesting")]
    #[case("y ~ lg(c)", 5, "there is no function `lg`; did you mean `log`?")]
    #[case("y ~ factor(c + 1)", 14, "closing parenthesis")]
    #[case("y ~ factor(2)", 12, "name of one variable")]
    #[case("y ~ 2", 5, "only 0 and 1")]
    #[case("y ~ `a", 5, "never closes")]
    #[case("y ~ a & b", 7, "not part of formulas")]
    #[case("a + b ~ c", 3, "then `~`")]
    #[case("(a + b) ~ c", 1, "one variable")]
    fn parsing_says_where(#[case] text: &str, #[case] at: usize, #[case] expected: &str) {
        let Err(ModelError::Formula { position, message, .. }) = Formula::parse(text) else {
            panic!("{text}")
        };
        assert!(message.contains(expected), "{message}");
        assert_eq!(position, at, "{text}: {message}");
    }

    #[rstest]
    #[case("y ~ a + home", 9, "there is no variable `home`")]
    #[case("y ~ aa", 5, "did you mean `a`?")]
    #[case("y ~ log(a)", 9, "`a` is categorical; a number is needed")]
    #[case("y ~ id", 5, "identifier")]
    #[case("z ~ a", 1, "there is no variable `z`")]
    fn binding_says_where(#[case] text: &str, #[case] at: usize, #[case] expected: &str) {
        let bound = Formula::parse(text).unwrap().bind(&variables());
        let Err(ModelError::Formula { position, message, .. }) = bound else { panic!("{text}") };
        assert!(message.contains(expected), "{message}");
        assert_eq!(position, at, "{text}: {message}");
    }

    #[test]
    fn variables_are_named_once() {
        let formula = Formula::parse("log(y) ~ a*b + I(c + y) + .").unwrap();
        assert_eq!(formula.variables(), ["y", "a", "b", "c"]);
    }
}
