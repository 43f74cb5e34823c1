//! The schema: what each variable may hold, written by a person or learned from the records.
//!
//! A domain read off confidential records is itself a disclosure, so the schema remembers where it came from: a person says
//! `declared = true` with a reason, and only then does it become a [`DeclaredSchema`], which private methods ask for.

pub(crate) mod conformance;
mod declared;
mod file;
mod foreign;
mod identifier;
mod labelling;
mod levels;
mod nesting;
mod publication;
mod purchase;
mod role;
mod shown;
mod stored;
mod write;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub use conformance::{Located, Violation, Violations};
pub use declared::{DeclaredSchema, LearnedSchema};
pub use file::{GAP, KindName, SchemaFile, VariableSection, located};
pub use identifier::Identifier;
pub use labelling::{Labelling, UserMissing, code_of_letter, letter_of_code};
pub use levels::Levels;
pub use purchase::{CutRule, Purchase};
pub use role::Role;
pub use shown::Shown;
pub use stored::Stored;
pub(crate) use stored::{exact_number, is_long_number};

use crate::TableError;
use crate::date::DateFormat;
use crate::datetime::DatetimeFormat;
use crate::expression::Expression;

/// The variables of a table, what they may hold, and the rules that tie them.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    unit: String,
    unit_id: Option<String>,
    max_rows_per_unit: Option<u32>,
    decimal: DecimalMark,
    declaration: Option<String>,
    missing_tokens: Vec<String>,
    variables: Vec<Variable>,
    rules: Vec<Rule>,
    impossible: Vec<Expression>,
}

/// One variable and its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, as in the file's header.
    pub name: String,
    /// What kind of values it holds, and which.
    pub kind: Kind,
    /// Whether values may be missing.
    pub missing: bool,
    /// Texts that mean missing in this variable, beside the empty field.
    pub missing_tokens: Vec<String>,
    /// Numbers that are not measurements, such as -8 for "not applicable".
    pub codes: Vec<SpecialCode>,
    /// Class limits for methods that need classes: `[0, 860, 1200]` are the classes 0 to below 860 and 860 to 1200. A limit that is given
    /// twice is a class of its own: `[0, 0, 860]` are the class of 0 and that of numbers above 0.
    pub cuts: Option<Vec<f64>>,
    /// Numbers between which equally many records of a class lie: a draw within a class is even between two of them.
    pub knots: Vec<f64>,
    /// What of its domain a private run buys.
    pub bought: Purchase,
    /// The coarser variable in which this one is nested.
    pub within: Option<String>,
    /// Under which level of `within` each level lies; where it is not said, it is read off the records.
    pub parents: IndexMap<String, String>,
    /// The formula from which it is computed.
    pub formula: Option<Expression>,
    /// How a number is drawn within a class.
    pub shape: Shape,
    /// Numbers drawn within a class are multiples of this, where the class holds one.
    pub step: Option<f64>,
    /// How an identifier is written and what it refers to.
    pub identifier: Identifier,
    /// Who wrote its domain.
    pub origin: Origin,
    /// The type in which a typed file holds a categorical variable or an identifier, if it is not text.
    pub stored: Option<Stored>,
    /// Its labels, and those of its values.
    pub labelling: Labelling,
    /// The part that it plays in the design of a survey.
    pub role: Option<Role>,
}

/// The density from which a number is drawn when only its class is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Even over the class.
    #[default]
    Uniform,
    /// Falling in a straight line to zero at the upper limit.
    Decreasing,
    /// Rising in a straight line from zero at the lower limit.
    Increasing,
    /// Even on the scale of logarithms; of the distance to the lower limit plus one, where that limit is not above zero.
    LogUniform,
}

impl Shape {
    /// The word for it in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Decreasing => "decreasing",
            Self::Increasing => "increasing",
            Self::LogUniform => "log-uniform",
        }
    }

    /// The number between two limits below which this share of the density lies.
    ///
    /// ```
    /// use table::schema::Shape;
    /// assert_eq!(Shape::Uniform.quantile(0.25, 0.0, 8.0), 2.0);
    /// assert_eq!(Shape::Decreasing.quantile(0.75, 0.0, 8.0), 4.0);
    /// assert_eq!(Shape::Increasing.quantile(0.25, 0.0, 8.0), 4.0);
    /// assert!((Shape::LogUniform.quantile(0.5, 1.0, 100.0) - 10.0).abs() < 1e-12);
    /// ```
    pub fn quantile(self, share: f64, low: f64, high: f64) -> f64 {
        // A mixture of both ends, because the distance of two huge numbers may be no number.
        let between = |share: f64| low * (1.0 - share) + high * share;
        match self {
            Self::Uniform => between(share),
            Self::Decreasing => between(1.0 - (1.0 - share).sqrt()),
            Self::Increasing => between(share.sqrt()),
            Self::LogUniform if low > 0.0 => (low.ln() * (1.0 - share) + high.ln() * share).exp(),
            Self::LogUniform => low + ((high - low).ln_1p() * share).exp_m1(),
        }
    }
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// One of a list of levels without order.
    Categorical {
        /// The levels.
        levels: Levels,
    },
    /// One of a list of levels, from lowest to highest.
    Ordinal {
        /// The levels in order.
        levels: Levels,
    },
    /// A whole number.
    Integer {
        /// Smallest and largest value.
        range: Option<(i64, i64)>,
    },
    /// A real number.
    Real {
        /// Smallest and largest value.
        range: Option<(f64, f64)>,
    },
    /// A calendar date.
    Date {
        /// First and last day, in days since 1970-01-01.
        range: Option<(i32, i32)>,
        /// How the file writes it.
        format: DateFormat,
    },
    /// A point in time, or a time of day.
    Datetime {
        /// First and last one, in microseconds since 1970-01-01T00:00:00, or since midnight.
        range: Option<(i64, i64)>,
        /// How the file writes it.
        format: DatetimeFormat,
    },
    /// Text or whole numbers that name units; never modelled, but made new by every method.
    TextId,
}

/// A number that stands for a reason instead of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecialCode {
    /// The number in the file.
    pub value: f64,
    /// What it means.
    pub meaning: String,
}

/// Where a domain came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person wrote it without looking at the records.
    #[default]
    Declared,
    /// It was read off the records.
    Learned,
    /// It was read off the synthetic records, and holds only what they show.
    Synthetic,
}

/// What stands before the decimals of a real number in a CSV file. Files with a comma there have semicolons between their fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum DecimalMark {
    /// 1.5
    #[default]
    #[serde(rename = ".")]
    Point,
    /// 1,5
    #[serde(rename = ",")]
    Comma,
}

impl std::fmt::Display for DecimalMark {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Point => ".",
            Self::Comma => ",",
        })
    }
}

impl std::str::FromStr for DecimalMark {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "." | "point" => Ok(Self::Point),
            "," | "comma" => Ok(Self::Comma),
            _ => Err("give a point or a comma"),
        }
    }
}

/// When one condition holds, another must.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The condition that triggers the rule.
    pub when: Expression,
    /// The condition that must then hold.
    pub then: Expression,
}

impl Kind {
    /// The word for it in a schema file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Categorical { .. } => "categorical",
            Self::Ordinal { .. } => "ordinal",
            Self::Integer { .. } => "integer",
            Self::Real { .. } => "real",
            Self::Date { .. } => "date",
            Self::Datetime { .. } => "datetime",
            Self::TextId => "text-id",
        }
    }

    /// The levels of a categorical or ordinal variable.
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            Self::Categorical { levels } | Self::Ordinal { levels } => Some(levels),
            _ => None,
        }
    }

    /// Whether values are numbers, dates or times.
    pub fn is_numeric(&self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Real { .. } | Self::Date { .. } | Self::Datetime { .. })
    }

    /// How times are written; the usual way for what is no time.
    pub fn datetime_format(&self) -> DatetimeFormat {
        if let Self::Datetime { format, .. } = self { *format } else { DatetimeFormat::default() }
    }
}

impl Variable {
    /// A declared variable with nothing but a name and a kind.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            missing: false,
            missing_tokens: Vec::new(),
            codes: Vec::new(),
            cuts: None,
            knots: Vec::new(),
            bought: Purchase::default(),
            within: None,
            parents: IndexMap::new(),
            formula: None,
            shape: Shape::Uniform,
            step: None,
            identifier: Identifier::default(),
            origin: Origin::Declared,
            stored: None,
            labelling: Labelling::default(),
            role: None,
        }
    }

    /// The position of a number among the special codes.
    pub fn code_position(&self, value: f64) -> Option<usize> {
        self.codes.iter().position(|code| code.value == value)
    }

    /// Declared parents are of all levels or of none, and both sides are levels.
    fn check_parents(&self, parent: &str, parent_levels: &Levels) -> Result<(), TableError> {
        let refuse = |message: String| Err(TableError::variable(&self.name, message));
        let Some(levels) = self.kind.levels().filter(|_| !self.parents.is_empty()) else { return Ok(()) };
        if let Some(level) = self.parents.keys().find(|level| levels.position(level).is_none()) {
            let hint = crate::similar_name::hint(level, levels.iter());
            return refuse(format!("`parents` names '{level}', which is not one of its levels{hint}"));
        }
        if let Some(level) = self.parents.values().find(|level| parent_levels.position(level).is_none()) {
            let hint = crate::similar_name::hint(level, parent_levels.iter());
            return refuse(format!("`parents` names '{level}', which is not a level of `{parent}`{hint}"));
        }
        match levels.iter().find(|level| !self.parents.contains_key(*level)) {
            Some(level) => {
                refuse(format!("`parents` leaves out the level '{level}'; name the parent of each"))
            }
            None => Ok(()),
        }
    }

    fn check(&self) -> Result<(), TableError> {
        let refuse = |message: String| Err(TableError::variable(&self.name, message));
        match &self.kind {
            Kind::Integer { range: Some((low, high)) } if low > high => {
                return refuse(format!("the range [{low}, {high}] is empty; put the smaller number first"));
            }
            Kind::Integer { range: Some((low, high)) }
                if low.unsigned_abs().max(high.unsigned_abs()) > crate::column::EXACT =>
            {
                return refuse(format!(
                    "the range [{low}, {high}] goes beyond 2^53 = {}, up to which whole numbers are computed exactly; make longer numbers \
                     a `text-id` or categorical",
                    crate::column::EXACT
                ));
            }
            Kind::Real { range: Some((low, high)) }
                if !(low.is_finite() && high.is_finite() && low <= high) =>
            {
                return refuse(format!(
                    "the range [{low}, {high}] is not an interval; put the smaller number first"
                ));
            }
            Kind::Date { range: Some((first, last)), .. } if first > last => {
                return refuse("the range of dates is empty; put the earlier day first".into());
            }
            Kind::Datetime { range: Some((first, last)), .. } if first > last => {
                return refuse("the range of times is empty; put the earlier one first".into());
            }
            Kind::Categorical { levels } | Kind::Ordinal { levels }
                if levels.len() == 0 && !self.missing && !self.bought.levels =>
            {
                return refuse("the list of levels is empty; name at least one level".into());
            }
            _ => {}
        }
        if let Some(stored) = self.stored {
            let fits = match &self.kind {
                Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                    levels.iter().all(|level| stored.holds(level))
                }
                Kind::TextId => stored == Stored::Integer,
                _ => false,
            };
            if !fits {
                return refuse(format!(
                    "`stored = \"{}\"` is for levels that are such values, and whole numbers also for identifiers",
                    stored.name()
                ));
            }
        }
        let is_number = matches!(self.kind, Kind::Integer { .. } | Kind::Real { .. });
        if !self.codes.is_empty() && !is_number {
            return refuse(format!(
                "special codes are for numbers; make the code a level of a {} variable",
                self.kind.name()
            ));
        }
        if self.codes.len() > crate::column::MOST_SPECIAL_CODES {
            return refuse(format!("more than {} special codes", crate::column::MOST_SPECIAL_CODES));
        }
        for (position, code) in self.codes.iter().enumerate() {
            if !code.value.is_finite()
                || (matches!(self.kind, Kind::Integer { .. })
                    && (code.value.fract() != 0.0 || code.value.abs() > crate::column::EXACT as f64))
            {
                return refuse(format!(
                    "the special code {} is not a value of kind {}",
                    code.value,
                    self.kind.name()
                ));
            }
            if self.code_position(code.value) != Some(position) {
                return refuse(format!("the special code {} is given twice", code.value));
            }
        }
        if let Some(cuts) = &self.cuts {
            if !self.kind.is_numeric() {
                return refuse(format!(
                    "cuts are for numbers, dates and times, and the kind is {}",
                    self.kind.name()
                ));
            }
            let ascending = cuts.windows(2).all(|pair| pair[0] <= pair[1])
                && cuts.windows(3).all(|three| three[0] < three[2])
                && cuts.first() < cuts.last();
            let range = self.declared_range();
            if cuts.len() < 2 || !ascending || cuts.iter().any(|cut| !cut.is_finite()) {
                return refuse(
                    "cuts must be at least two numbers in ascending order; a number that is given twice is a class of its own".into(),
                );
            }
            if range.is_some_and(|(low, high)| low < cuts[0] || high > cuts[cuts.len() - 1]) {
                return refuse("the first and last cut must enclose the range".into());
            }
        }
        if (!self.knots.is_empty() || self.bought.cuts != CutRule::Usual) && !self.kind.is_numeric() {
            return refuse(format!(
                "cuts and knots are for numbers, dates and times, and the kind is {}",
                self.kind.name()
            ));
        }
        let knots_ascend = self.knots.is_sorted_by(|left, right| left < right);
        if !knots_ascend || self.knots.iter().any(|knot| !knot.is_finite()) {
            return refuse("knots must be numbers, each above the one before".into());
        }
        if self.bought.levels && (self.within.is_some() || !self.parents.is_empty()) {
            return refuse(
                "`levels = \"private\"` does not go with `within`, which names levels; list the levels"
                    .into(),
            );
        }
        if self.within.is_some() && self.kind.levels().is_none() {
            return refuse(format!(
                "only a categorical variable can be nested, and the kind is {}",
                self.kind.name()
            ));
        }
        if self.within.is_none() && !self.parents.is_empty() {
            return refuse("`parents` needs `within`, the variable whose levels they are".into());
        }
        let is_drawn = self.kind.is_numeric() && self.formula.is_none();
        if (self.shape != Shape::Uniform || self.step.is_some()) && !is_drawn {
            return refuse(
                "`shape` and `step` are for numbers, dates and times that are not computed".into(),
            );
        }
        if self.step.is_some() && matches!(self.kind, Kind::Datetime { .. }) {
            return refuse(
                "`step` is not for times, which are drawn as finely as their `format` writes them".into(),
            );
        }
        if self.step.is_some_and(|step| !(step.is_finite() && step > 0.0)) {
            return refuse("`step` must be a positive number".into());
        }
        if self.step.is_some_and(|step| step.fract() != 0.0) && !matches!(self.kind, Kind::Real { .. }) {
            return refuse(format!("`step` must be whole, because the kind is {}", self.kind.name()));
        }
        if self.formula.is_some() && !matches!(self.kind, Kind::Integer { .. } | Kind::Real { .. }) {
            return refuse(format!("only a number can have a formula, and the kind is {}", self.kind.name()));
        }
        self.check_identifier()
    }
}

impl Schema {
    /// A schema, if its parts fit together: names are unique, ranges and cuts are intervals, parents and formulas name other
    /// variables without going in circles, rules and impossible cells are conditions on these variables.
    pub fn new(
        variables: Vec<Variable>,
        rules: Vec<Rule>,
        impossible: Vec<Expression>,
    ) -> Result<Self, TableError> {
        let schema = Self {
            unit: "record".into(),
            unit_id: None,
            max_rows_per_unit: None,
            decimal: DecimalMark::default(),
            declaration: None,
            missing_tokens: Vec::new(),
            variables,
            rules,
            impossible,
        };
        schema.check()?;
        Ok(schema)
    }

    /// The same schema with another name for what one record stands for.
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// The same schema with the identifier of the unit of privacy, and the most records that one unit may have.
    pub fn with_unit_id(mut self, name: Option<String>, most: Option<u32>) -> Result<Self, TableError> {
        (self.unit_id, self.max_rows_per_unit) = (name, most);
        self.check_unit_id()?;
        Ok(self)
    }

    /// The same schema with another mark before the decimals of real numbers in CSV files.
    pub fn with_decimal(mut self, decimal: DecimalMark) -> Self {
        self.decimal = decimal;
        self
    }

    /// The same schema with texts that mean missing in every variable.
    pub fn with_missing_tokens(mut self, tokens: Vec<String>) -> Self {
        self.missing_tokens = tokens;
        self
    }

    /// The same schema, with these variables allowed to be missing.
    pub fn with_missing(mut self, names: &[String]) -> Result<Self, TableError> {
        for variable in self.variables.iter_mut().filter(|variable| names.contains(&variable.name)) {
            variable.missing = true;
        }
        self.check()?;
        Ok(self)
    }

    /// The same schema, with any value allowed to a number.
    pub fn without_range_of(mut self, name: &str) -> Result<Self, TableError> {
        let at = self.position_of(name)?;
        match &mut self.variables[at].kind {
            Kind::Integer { range } => *range = None,
            Kind::Real { range } => *range = None,
            _ => {}
        }
        self.variables[at].cuts = None;
        self.check()?;
        Ok(self)
    }

    /// The same schema, with the types in which a file held the variables that say nothing about it.
    pub(crate) fn stored_as(mut self, file: &Self) -> Self {
        for variable in self.variables.iter_mut().filter(|variable| variable.stored.is_none()) {
            let Ok(own) = file.variable(&variable.name) else { continue };
            let stored = match own.kind {
                Kind::Integer { .. } if variable.kind == Kind::TextId => Some(Stored::Integer),
                // Whether texts are all whole numbers is read off the records, which a declared schema must not depend on.
                _ if self.declaration.is_some() => None,
                _ => own.stored,
            };
            let previous = std::mem::replace(&mut variable.stored, stored);
            if variable.check().is_err() {
                variable.stored = previous;
            }
        }
        self
    }

    /// The same schema, with the labels and roles that a file has for the variables of which it says none. A declared schema is taken as it is: what a file says was
    /// declared by nobody.
    pub(crate) fn labelled_as(mut self, file: &Self) -> Self {
        if self.declaration.is_some() {
            return self;
        }
        let has_roles = self.variables.iter().any(|variable| variable.role.is_some());
        for variable in &mut self.variables {
            let Ok(own) = file.variable(&variable.name) else { continue };
            if variable.labelling.is_empty() {
                variable.labelling = own.labelling.of_kind(&variable.kind).without_codes(&variable.codes);
            }
            if !has_roles && variable.role.is_none() {
                variable.role = own.role;
                if variable.check_role().is_err() {
                    variable.role = None;
                }
            }
        }
        self
    }

    /// The same schema, declared public for this reason, or not declared.
    fn with_declaration(mut self, reason: Option<String>) -> Self {
        self.declaration = reason;
        self
    }

    /// The schema of the variables of these names, in its own order, with everything that is about those alone.
    pub fn of_variables(&self, names: &[&str]) -> Result<Self, TableError> {
        let positions = names.iter().map(|name| self.position_of(name)).collect::<Result<Vec<_>, _>>()?;
        let kept = (0..self.variables.len()).filter(|position| positions.contains(position));
        self.select(&kept.collect::<Vec<_>>())
    }

    /// The schema of some of the variables, with everything that is about those alone.
    pub(crate) fn select(&self, positions: &[usize]) -> Result<Self, TableError> {
        let names: Vec<&str> =
            positions.iter().map(|position| self.variables[*position].name.as_str()).collect();
        let is_kept =
            |expression: &Expression| expression.variables().iter().all(|name| names.contains(name));
        let mut variables: Vec<Variable> =
            positions.iter().map(|position| self.variables[*position].clone()).collect();
        for variable in &mut variables {
            variable.within = variable.within.take().filter(|parent| names.contains(&parent.as_str()));
            if variable.within.is_none() {
                variable.parents.clear();
            }
            variable.formula = variable.formula.take().filter(is_kept);
            let refers_to = variable.identifier.refers_to.take();
            variable.identifier.refers_to = refers_to.filter(|target| names.contains(&target.as_str()));
        }
        let rules =
            self.rules.iter().filter(|rule| is_kept(&rule.when) && is_kept(&rule.then)).cloned().collect();
        let impossible = self.impossible.iter().filter(|condition| is_kept(condition)).cloned().collect();
        let mut schema = Self { variables, rules, impossible, ..self.clone() };
        if schema.unit_id.as_deref().is_some_and(|name| !names.contains(&name)) {
            (schema.unit_id, schema.max_rows_per_unit) = (None, None);
        }
        schema.check()?;
        Ok(schema)
    }

    fn check(&self) -> Result<(), TableError> {
        if self.variables.is_empty() {
            return Err(TableError::schema(
                "schema",
                "there are no variables; add a [variables.NAME] section",
            ));
        }
        for (position, variable) in self.variables.iter().enumerate() {
            if variable.name.is_empty() {
                return Err(TableError::schema("schema", "a variable has an empty name"));
            }
            if self.position(&variable.name) != Some(position) {
                return Err(TableError::variable(&variable.name, "the name is used twice"));
            }
            variable.check()?;
            if let Some(parent) = &variable.within {
                let names = self.variables.iter().map(|other| other.name.as_str());
                let parent_kind = match self.position(parent) {
                    Some(parent) => &self.variables[parent].kind,
                    None => {
                        let hint = crate::similar_name::hint(parent, names);
                        let message =
                            format!("it is nested within `{parent}`, which is not a variable{hint}");
                        return Err(TableError::variable(&variable.name, message));
                    }
                };
                let Some(parent_levels) = parent_kind.levels() else {
                    let message = format!("it is nested within `{parent}`, which is not categorical");
                    return Err(TableError::variable(&variable.name, message));
                };
                variable.check_parents(parent, parent_levels)?;
            }
            if let Some(formula) = &variable.formula {
                formula.formula(&self.variables)?;
            }
            self.check_reference(variable)?;
        }
        self.check_roles()?;
        self.check_unit_id()?;
        self.refuse_rules_on_bought_levels()?;
        for rule in &self.rules {
            rule.when.condition(&self.variables)?;
            rule.then.condition(&self.variables)?;
        }
        for condition in &self.impossible {
            condition.condition(&self.variables)?;
        }
        self.refuse_circles("within", |variable| variable.within.as_deref().into_iter().collect())?;
        self.refuse_circles("refers_to", |variable| {
            variable.identifier.refers_to.as_deref().into_iter().collect()
        })?;
        self.refuse_circles("formula", |variable| {
            variable
                .formula
                .as_ref()
                .map_or_else(Vec::new, |formula| formula.variables().into_iter().collect())
        })
    }

    /// The identifier of the unit of privacy is an identifier, and never missing: a record without one could be anybody's.
    fn check_unit_id(&self) -> Result<(), TableError> {
        let refuse = |message: String| Err(TableError::schema("[table]", message));
        if self.max_rows_per_unit == Some(0) {
            return refuse("`max_rows_per_unit` must be at least 1".into());
        }
        match &self.unit_id {
            None if self.max_rows_per_unit.is_some() => refuse(
                "`max_rows_per_unit` needs `unit_id`, the column that names the unit of a record".into(),
            ),
            None => Ok(()),
            Some(name) => {
                let Ok(variable) = self.variable(name) else {
                    let names = self.variables.iter().map(|variable| variable.name.as_str());
                    let hint = crate::similar_name::hint(name, names);
                    return refuse(format!("`unit_id` names `{name}`, which is not a variable{hint}"));
                };
                if variable.kind != Kind::TextId {
                    return refuse(format!(
                        "`unit_id` names `{name}`, whose kind is {}; make it a `text-id`",
                        variable.kind.name()
                    ));
                }
                if variable.missing {
                    return refuse(format!(
                        "`unit_id` names `{name}`, which may be missing: a record without it could belong to any unit; fill in the \
                         identifiers and remove `missing`"
                    ));
                }
                Ok(())
            }
        }
    }

    /// A rule names levels, so that whether a bought level is among them would be told by an error.
    fn refuse_rules_on_bought_levels(&self) -> Result<(), TableError> {
        let expressions = self.rules.iter().flat_map(|rule| [&rule.when, &rule.then]).chain(&self.impossible);
        let named: Vec<&str> = expressions.flat_map(|expression| expression.variables()).collect();
        let is_named = |variable: &&Variable| {
            let is_parent = self.variables.iter().any(|other| other.within.as_ref() == Some(&variable.name));
            variable.bought.levels && (is_parent || named.contains(&variable.name.as_str()))
        };
        match self.variables.iter().find(is_named) {
            Some(variable) => Err(TableError::variable(
                &variable.name,
                "`levels = \"private\"` does not go with rules, impossible cells or nesting, which name levels; list the levels",
            )),
            None => Ok(()),
        }
    }

    /// Follows `needs` from every variable and refuses to come back to where it started.
    fn refuse_circles(&self, what: &str, needs: impl Fn(&Variable) -> Vec<&str>) -> Result<(), TableError> {
        for start in &self.variables {
            let mut reached: Vec<&str> = Vec::new();
            let mut open = needs(start);
            while let Some(name) = open.pop() {
                if name == start.name {
                    let message = format!("its {what} leads back to itself; break the circle");
                    return Err(TableError::variable(&start.name, message));
                }
                if !reached.contains(&name) {
                    reached.push(name);
                    open.extend(self.variable(name).map(&needs).unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    /// What one record stands for; the privacy unit.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// The identifier of the unit of privacy, if one is named.
    pub fn unit_id(&self) -> Option<&str> {
        self.unit_id.as_deref()
    }

    /// The most records that one unit may have in a private run; more are left out.
    pub fn max_rows_per_unit(&self) -> Option<u32> {
        self.max_rows_per_unit
    }

    /// The mark before the decimals of real numbers in CSV files.
    pub fn decimal(&self) -> DecimalMark {
        self.decimal
    }

    /// Why the domain may be taken as public, if a person has said so.
    pub fn declaration(&self) -> Option<&str> {
        self.declaration.as_deref()
    }

    /// Texts that mean missing in every variable, beside the empty field.
    pub fn missing_tokens(&self) -> &[String] {
        &self.missing_tokens
    }

    /// The variables, in file order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variable of this name.
    pub fn variable(&self, name: &str) -> Result<&Variable, TableError> {
        self.position_of(name).map(|position| &self.variables[position])
    }

    /// The position of the variable of this name, or an error with the nearest name.
    pub fn position_of(&self, name: &str) -> Result<usize, TableError> {
        let names = self.variables.iter().map(|variable| variable.name.as_str());
        self.position(name).ok_or_else(|| TableError::unknown_variable(name, names))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    /// The rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Conditions that no record can meet: structural zeros.
    pub fn impossible(&self) -> &[Expression] {
        &self.impossible
    }

    /// The variables whose domain was read off the records.
    pub fn learned_variables(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| variable.origin == Origin::Learned)
    }
}

#[cfg(test)]
mod tests;
