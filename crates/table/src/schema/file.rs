//! Schema files as people write them: TOML with every key checked, gaps allowed where the data can fill them.

use std::path::Path;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CutRule, DecimalMark, Identifier, Kind, Labelling, Levels, Origin, Purchase, Role, Rule, Schema, Shape,
    SpecialCode, Stored, UserMissing, Variable,
};
use crate::TableError;
use crate::date::{DateFormat, FORMATS};
use crate::datetime::DatetimeFormat;
use crate::expression::Expression;

/// A schema as written in a `*.schema.toml` file. It may leave the levels of a categorical variable to be learned.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaFile {
    /// Facts about the whole table.
    #[serde(default)]
    pub table: TableSection,
    /// The variables in file order.
    #[serde(default)]
    pub variables: IndexMap<String, VariableSection>,
    /// Conditions that must hold when others do.
    #[serde(default)]
    pub rules: Vec<RuleSection>,
    /// Structural zeros.
    #[serde(default)]
    pub impossible: Vec<ImpossibleSection>,
}

/// The `[table]` section.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSection {
    /// What one record stands for; the privacy unit.
    pub unit: Option<String>,
    /// The identifier column that names the unit of privacy of each record.
    pub unit_id: Option<String>,
    /// The most records of one unit that a private run keeps, chosen at random; without it, units with several records are refused.
    pub max_rows_per_unit: Option<u32>,
    /// Whether a person takes the domain as public.
    #[serde(default)]
    pub declared: bool,
    /// Why it may be taken as public.
    pub reason: Option<String>,
    /// Texts that mean missing in every variable, beside the empty field.
    #[serde(default)]
    pub missing: Vec<String>,
    /// What stands before the decimals of a real number in CSV files: `.` or `,`.
    #[serde(default)]
    pub decimal: DecimalMark,
    /// Whether columns that name units are found, and made new, whatever kind is said of them: for a schema that a program wrote from the types of a data
    /// frame, which say nothing of that. A person who declares a schema says which they are.
    #[serde(default)]
    pub find_identifiers: bool,
}

/// A `[variables.NAME]` section.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariableSection {
    /// What kind of values it holds.
    pub kind: KindName,
    /// The levels of a categorical variable, in order; text or whole numbers. `"private"`: a private run buys those that are frequent enough.
    pub levels: Option<LevelsKey>,
    /// Smallest and largest number, or first and last day or time. `"private"`: a private run buys them.
    pub range: Option<RangeKey>,
    /// How a date or a time is written, such as `DD.MM.YYYY` or `YYYY-MM-DD HH:MM:SS`.
    pub format: Option<String>,
    /// `true` when empty fields may occur, or the list of texts that mean missing beside the empty field.
    #[serde(default)]
    pub missing: MissingKey,
    /// Special codes and their meaning.
    #[serde(default)]
    pub codes: IndexMap<String, String>,
    /// Class limits: numbers, days or times; one that is given twice is a class of its own. `"private"`: quantiles, which a private run
    /// buys (it does so by itself where nothing is said); `"equal"`: classes of equal width over the range.
    pub cuts: Option<CutsKey>,
    /// Numbers, days or times between which equally many records of a class lie; draws within a class are even between two of them.
    pub knots: Option<Vec<Scalar>>,
    /// The coarser variable in which this one is nested.
    pub within: Option<String>,
    /// Under which level of `within` each level lies.
    #[serde(default)]
    pub parents: IndexMap<String, String>,
    /// How a number is drawn when only its class is known.
    #[serde(default)]
    pub shape: Shape,
    /// Numbers that are drawn are multiples of this.
    pub step: Option<f64>,
    /// The formula from which it is computed.
    pub formula: Option<String>,
    /// How the values of an identifier are written.
    #[serde(default, rename = "type")]
    pub written: IdentifierType,
    /// The identifier whose values this one takes, such as the person that a control belongs to.
    pub refers_to: Option<String>,
    /// How an identifier looks: 9 is a digit, A and a are letters, everything else stands for itself.
    pub pattern: Option<String>,
    /// How many values of an identifier name one, two, three … records, in proportion: `{ 1 = 70, 2 = 30 }`.
    #[serde(default)]
    pub records_per_value: IndexMap<String, f64>,
    /// Where the domain came from.
    #[serde(default)]
    pub domain: Origin,
    /// The type in which a Parquet file holds a categorical variable or an identifier, if it is not text.
    pub stored: Option<Stored>,
    /// What the variable is, in a sentence: SPSS, Stata and SAS call it the variable label.
    pub label: Option<String>,
    /// What values mean: `{ 1 = "male", 2 = "female" }`. Keys are levels, or numbers.
    #[serde(default)]
    pub labels: IndexMap<String, String>,
    /// Values that are there and count as missing in SPSS: numbers, texts, or ranges such as `[-99, -90]`. The numbers among them that occur are also `codes`.
    #[serde(default)]
    pub user_missing: Vec<UserMissingKey>,
    /// How SPSS, Stata or SAS shows it, in the words of the program: `F8.2`, `%9.0g`, `DATE9.`.
    pub display: Option<String>,
    /// The part it plays in the design of a survey: how many units a record stands for, or the stratum or cluster from which it was drawn.
    pub role: Option<Role>,
}

/// One value, or a range of values, that counts as missing.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`user_missing` must hold numbers, texts, or lists of two numbers")]
pub enum UserMissingKey {
    /// A range of numbers, both ends included.
    Range([f64; 2]),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// The kinds of variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KindName {
    /// Levels without order.
    #[default]
    Categorical,
    /// Levels from lowest to highest.
    Ordinal,
    /// Whole numbers.
    Integer,
    /// Real numbers.
    Real,
    /// Calendar dates.
    Date,
    /// Points in time, or times of day.
    Datetime,
    /// Text or whole numbers that name units; made new by every method.
    TextId,
}

/// How an identifier is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdentifierType {
    /// As text.
    #[default]
    Text,
    /// As a whole number.
    Integer,
}

/// Text or a number.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// Text.
    Text(String),
    /// A truth value, as a level.
    Boolean(bool),
    /// A date without quotes.
    #[schemars(with = "String")]
    Date(toml::value::Datetime),
}

/// The entry of `levels` that a draft for publication leaves to be replaced; a schema with one is refused.
pub const GAP: &str = "FILL IN";

/// The `levels` key.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`levels` must be a list of text or whole numbers, or \"private\"")]
pub enum LevelsKey {
    /// The levels.
    Listed(Vec<Scalar>),
    /// Bought by a private run.
    Bought(BoughtWord),
}

/// The `range` key.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`range` must be a list of two values, or \"private\"")]
pub enum RangeKey {
    /// Smallest and largest.
    Between([Scalar; 2]),
    /// Bought by a private run.
    Bought(BoughtWord),
}

/// The `cuts` key.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`cuts` must be a list of numbers, \"private\" or \"equal\"")]
pub enum CutsKey {
    /// The limits.
    Listed(Vec<Scalar>),
    /// How they are found.
    Found(CutRule),
}

/// What a private run buys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BoughtWord {
    /// From its budget.
    Private,
}

/// The `missing` key: a truth value or a list of tokens.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MissingKey {
    /// Whether empty fields may occur.
    Flag(bool),
    /// Texts that mean missing, beside the empty field.
    Tokens(Vec<String>),
}

impl MissingKey {
    /// The texts that mean missing.
    pub fn tokens(&self) -> &[String] {
        match self {
            Self::Flag(_) => &[],
            Self::Tokens(tokens) => tokens,
        }
    }
}

impl Default for MissingKey {
    fn default() -> Self {
        Self::Flag(false)
    }
}

/// A `[[rules]]` entry.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleSection {
    /// When this holds …
    pub when: String,
    /// … this must hold.
    pub then: String,
}

/// An `[[impossible]]` entry.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImpossibleSection {
    /// What no record can meet.
    #[serde(rename = "where")]
    pub condition: String,
}

impl SchemaFile {
    /// Reads a schema: TOML, SDV metadata (JSON, version 1), or a private-PGM domain (JSON).
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let text = std::fs::read_to_string(path).map_err(|source| TableError::io(path, source))?;
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let parsed = if is_json { Self::from_foreign_json(&text) } else { Self::parse(&text) };
        parsed.map_err(|error| match error {
            TableError::Schema { place, message } => {
                TableError::schema(format!("{}, {place}", path.display()), message)
            }
            other => other,
        })
    }

    /// Parses TOML text.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        toml::from_str(text).map_err(|error| {
            let line =
                error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            TableError::schema(format!("line {line}"), with_suggestion(error.message()))
        })
    }

    /// The schema, if it has no gaps.
    pub fn finish(self) -> Result<Schema, TableError> {
        self.complete(None)
    }

    /// The schema, with the levels that were left open taken from `learned` and marked as such. A schema that is declared public
    /// has no gaps to fill: what is read off the records was declared by nobody.
    pub fn complete(self, learned: Option<&Schema>) -> Result<Schema, TableError> {
        let is_declared = self.table.declared;
        let finds_identifiers = self.table.find_identifiers;
        if is_declared && finds_identifiers {
            let message = "`find_identifiers` does not go with `declared = true`: give the columns that name units the kind `text-id`";
            return Err(TableError::schema("[table]", message));
        }
        if learned.is_none() && finds_identifiers {
            let message =
                "`find_identifiers` leaves it to the records which columns name units, and here are none";
            return Err(TableError::schema("[table]", message));
        }
        let mut variables = Vec::with_capacity(self.variables.len());
        for (name, section) in self.variables {
            let shown = learned.filter(|_| finds_identifiers && section.kind != KindName::TextId);
            if let Some(shown) = shown.and_then(|schema| schema.variable(&name).ok())
                && shown.kind == Kind::TextId
            {
                variables.push(shown.clone());
                continue;
            }
            // Levels that a private run buys are known to the reader of the records, and to nobody else.
            let is_bought = matches!(section.levels, Some(LevelsKey::Bought(_)));
            let found = learned.filter(|_| !is_declared || is_bought);
            let found = found.and_then(|schema| schema.variable(&name).ok());
            variables.push(section.into_variable(name, found)?);
        }
        let rules = self.rules.iter().map(|rule| {
            Ok(Rule { when: Expression::parse(&rule.when)?, then: Expression::parse(&rule.then)? })
        });
        let impossible = self.impossible.iter().map(|entry| Expression::parse(&entry.condition));
        let schema =
            Schema::new(variables, rules.collect::<Result<_, _>>()?, impossible.collect::<Result<_, _>>()?)?;
        let reason =
            self.table.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        let declaration = match (self.table.declared, reason) {
            (true, None) => {
                let message = "`declared = true` needs a `reason`: why may the domain be taken as public?";
                return Err(TableError::schema("[table]", message));
            }
            (declared, reason) => reason.filter(|_| declared),
        };
        schema
            .with_unit(self.table.unit.unwrap_or_else(|| "record".into()))
            .with_decimal(self.table.decimal)
            .with_missing_tokens(self.table.missing)
            .with_declaration(declaration)
            .with_unit_id(self.table.unit_id, self.table.max_rows_per_unit)
    }
}

/// The line of an error in a TOML file, and its message with the key that was meant.
pub fn located(text: &str, error: &toml::de::Error) -> (usize, String) {
    let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
    (line, with_suggestion(error.message()))
}

/// serde names the unknown key and the known ones; a reader wants the one that was meant.
fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let suggestion = match quoted.next() {
        Some(unknown) if message.starts_with("unknown") => crate::similar_name::hint(unknown, quoted),
        _ => String::new(),
    };
    format!("{message}{suggestion}")
}

impl VariableSection {
    /// How dates and times are written, of which the kind says which one is meant.
    fn formats(&self) -> Result<(DateFormat, DatetimeFormat), String> {
        let unknown = |known: &str| {
            format!(
                "`{}` is not a format; write one such as {known}",
                self.format.as_deref().unwrap_or_default()
            )
        };
        match (&self.format, self.kind) {
            (Some(name), KindName::Date) => {
                let found = FORMATS.into_iter().find(|format| format.name() == name);
                let format = found.ok_or_else(|| unknown(&FORMATS.map(DateFormat::name).join(", ")))?;
                Ok((format, DatetimeFormat::default()))
            }
            (Some(name), KindName::Datetime) => {
                let format = DatetimeFormat::named(name);
                let known = "YYYY-MM-DDTHH:MM:SS, YYYY-MM-DD HH:MM, DD.MM.YYYY HH:MM:SS.fff, HH:MM:SS";
                Ok((DateFormat::default(), format.ok_or_else(|| unknown(known))?))
            }
            _ => Ok(Default::default()),
        }
    }

    fn into_variable(self, name: String, learned: Option<&Variable>) -> Result<Variable, TableError> {
        let refuse = |message: String| TableError::variable(&name, message);
        let mut origin = self.domain;
        let refuse_key = |key: &str, given: bool, fits: bool| {
            if given && !fits {
                return Err(refuse(
                    format!("`{key}` does not go with the kind {:?}", self.kind).to_lowercase(),
                ));
            }
            Ok(())
        };
        let has_levels = matches!(self.kind, KindName::Categorical | KindName::Ordinal);
        refuse_key("levels", self.levels.is_some(), has_levels)?;
        refuse_key("range", self.range.is_some(), !has_levels && self.kind != KindName::TextId)?;
        refuse_key(
            "format",
            self.format.is_some(),
            matches!(self.kind, KindName::Date | KindName::Datetime),
        )?;
        let (format, time_format) = self.formats().map_err(refuse)?;
        let levels = || {
            match (&self.levels, learned.and_then(|variable| variable.kind.levels())) {
            (Some(LevelsKey::Bought(_)), learned) => Ok((learned.cloned().unwrap_or_default(), false)),
            (Some(LevelsKey::Listed(levels)), _) => {
                let is_gap = |level: &Scalar| matches!(level, Scalar::Text(text) if text.starts_with(GAP));
                if levels.iter().any(is_gap) {
                    return Err(refuse(format!(
                        "its `levels` still hold the gap that the draft left (\"{GAP} …\"): put the levels of the code book that very few records \
                         have in its place, or delete it where there are none"
                    )));
                }
                let texts = levels.iter().map(Scalar::level).collect::<Option<Vec<_>>>();
                let texts = texts.ok_or_else(|| refuse("levels must be text or whole numbers".into()))?;
                let levels = Levels::new(texts);
                levels.map_err(|level| refuse(format!("the level '{level}' is given twice"))).map(|levels| (levels, false))
            }
            (None, Some(learned)) if self.kind == KindName::Categorical => Ok((learned.clone(), true)),
            (None, _) => Err(refuse(
                "it has no levels; list them with `levels = [...]`, or run `lookalike describe DATA --write-schema` \
                 for a draft"
                    .into(),
            )),
        }
        };
        let kind = match self.kind {
            KindName::Categorical | KindName::Ordinal => {
                let (levels, were_learned) = levels()?;
                if were_learned {
                    origin = Origin::Learned;
                }
                if self.kind == KindName::Ordinal {
                    Kind::Ordinal { levels }
                } else {
                    Kind::Categorical { levels }
                }
            }
            KindName::Integer => {
                let range = pair(&self.range, Scalar::whole);
                Kind::Integer {
                    range: range.ok_or_else(|| refuse("the range must be two whole numbers".into()))?,
                }
            }
            KindName::Real => {
                let range = pair(&self.range, Scalar::number);
                Kind::Real { range: range.ok_or_else(|| refuse("the range must be two numbers".into()))? }
            }
            KindName::Date => {
                let range = pair(&self.range, |day| day.day(format));
                let range =
                    range.ok_or_else(|| refuse("the range must be two dates, written YYYY-MM-DD".into()))?;
                Kind::Date { range, format }
            }
            KindName::Datetime => {
                let range = pair(&self.range, |time| time.time(time_format));
                let message = || format!("the range must be two times, written {}", time_format.name());
                Kind::Datetime { range: range.ok_or_else(|| refuse(message()))?, format: time_format }
            }
            KindName::TextId => Kind::TextId,
        };
        let bought = Purchase {
            range: matches!(self.range, Some(RangeKey::Bought(_))),
            levels: matches!(self.levels, Some(LevelsKey::Bought(_))),
            cuts: match &self.cuts {
                Some(CutsKey::Found(rule)) => *rule,
                Some(CutsKey::Listed(_)) | None => CutRule::Usual,
            },
        };
        let codes = self.codes.into_iter().map(|(code, meaning)| match code.parse::<f64>() {
            Ok(value) => Ok(SpecialCode { value, meaning }),
            Err(_) => Err(refuse(format!("the special code `{code}` is not a number"))),
        });
        let codes = codes.collect::<Result<_, _>>()?;
        let numbers = |key: &str, numbers: &[Scalar]| {
            let numbers = numbers.iter().map(|number| match self.kind {
                KindName::Date => number.day(format).map(f64::from),
                KindName::Datetime => number.time(time_format).map(|time| time as f64),
                _ => number.number(),
            });
            let message =
                || refuse(format!("{key} must be numbers, dates for a date, or times for a datetime"));
            numbers.collect::<Option<Vec<f64>>>().ok_or_else(message)
        };
        let cuts = match &self.cuts {
            Some(CutsKey::Listed(cuts)) => Some(numbers("cuts", cuts)?),
            Some(CutsKey::Found(_)) | None => None,
        };
        let knots = self.knots.as_deref().map_or(Ok(Vec::new()), |knots| numbers("knots", knots))?;
        let (missing, missing_tokens) = match self.missing {
            MissingKey::Flag(flag) => (flag, Vec::new()),
            MissingKey::Tokens(tokens) => (true, tokens),
        };
        let formula = self.formula.as_deref().map(Expression::parse).transpose()?;
        let records = self.records_per_value.into_iter().map(|(records, share)| match records.parse() {
            Ok(records) => Ok((records, share)),
            Err(_) => Err(refuse(format!("`records_per_value`: `{records}` is not a number of records"))),
        });
        let identifier = Identifier {
            whole: self.written == IdentifierType::Integer,
            refers_to: self.refers_to,
            pattern: self.pattern,
            records_per_value: records.collect::<Result<_, _>>()?,
        };
        let user_missing = self.user_missing.into_iter().map(|missing| match missing {
            UserMissingKey::Range([low, high]) if low <= high => Ok(UserMissing::Range(low, high)),
            UserMissingKey::Range(_) => {
                Err(refuse("a range of `user_missing` is empty; put the smaller number first".into()))
            }
            UserMissingKey::Number(number) => Ok(UserMissing::Number(number)),
            UserMissingKey::Text(text) => Ok(UserMissing::Text(text)),
        });
        let labelling = Labelling {
            label: self.label.unwrap_or_default(),
            labels: self.labels,
            user_missing: user_missing.collect::<Result<_, _>>()?,
            display: self.display,
        };
        match &kind {
            Kind::Categorical { levels } | Kind::Ordinal { levels } if !bought.levels => {
                if let Some(stranger) = labelling.stranger(levels) {
                    let hint = crate::similar_name::hint(stranger, levels.iter());
                    return Err(refuse(format!(
                        "`labels` names '{stranger}', which is not one of its levels{hint}"
                    )));
                }
            }
            Kind::Integer { .. } | Kind::Real { .. } => {
                if let Some(value) = labelling.labels.keys().find(|value| value.parse::<f64>().is_err()) {
                    return Err(refuse(format!("`labels` names '{value}', which is not a number")));
                }
            }
            Kind::Categorical { .. } | Kind::Ordinal { .. } => {}
            Kind::Date { .. } | Kind::Datetime { .. } | Kind::TextId => {
                if !labelling.labels.is_empty() || !labelling.user_missing.is_empty() {
                    return Err(refuse(format!(
                        "`labels` and `user_missing` do not go with the kind {}",
                        kind.name()
                    )));
                }
            }
        }
        let variable = Variable {
            name,
            kind,
            missing,
            missing_tokens,
            codes,
            cuts,
            knots,
            bought,
            within: self.within,
            parents: self.parents,
            formula,
            shape: self.shape,
            step: self.step,
            identifier,
            origin,
            stored: self.stored,
            labelling,
            role: self.role,
        };
        variable.check_role()?;
        Ok(variable)
    }
}

/// `Some(None)` without a range, `None` when a bound is not what is wanted.
fn pair<T>(range: &Option<RangeKey>, bound: impl Fn(&Scalar) -> Option<T>) -> Option<Option<(T, T)>> {
    match range {
        None | Some(RangeKey::Bought(_)) => Some(None),
        Some(RangeKey::Between([low, high])) => Some(Some((bound(low)?, bound(high)?))),
    }
}

impl Scalar {
    fn level(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Integer(number) => Some(number.to_string()),
            Self::Boolean(truth) => Some(truth.to_string()),
            Self::Real(_) | Self::Date(_) => None,
        }
    }

    fn whole(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    fn time(&self, format: DatetimeFormat) -> Option<i64> {
        match self {
            Self::Text(text) => format.parse_written(text),
            Self::Date(time) => format.parse_written(&time.to_string()),
            _ => None,
        }
    }

    fn day(&self, format: DateFormat) -> Option<i32> {
        match self {
            Self::Text(text) => DateFormat::Iso.parse(text).or_else(|| format.parse(text)),
            Self::Date(date) => DateFormat::Iso.parse(&date.to_string()),
            _ => None,
        }
    }
}
