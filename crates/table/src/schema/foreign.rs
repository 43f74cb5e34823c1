//! Schemas of other tools, so that nobody has to start over: SDV metadata (version 1) and private-PGM domains.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::file::{KindName, LevelsKey, MissingKey, RangeKey, Scalar, SchemaFile, VariableSection};
use crate::TableError;
use crate::date::{DateFormat, FORMATS};
use crate::datetime::{DatetimeFormat, Joint, Precision};

/// SDV metadata: one table, or a set of tables with exactly one in it.
#[derive(Deserialize)]
struct SdvMetadata {
    #[serde(rename = "METADATA_SPEC_VERSION")]
    version: String,
    #[serde(flatten)]
    table: SdvTable,
    #[serde(default)]
    tables: IndexMap<String, SdvTable>,
}

#[derive(Clone, Default, Deserialize)]
struct SdvTable {
    #[serde(default)]
    columns: IndexMap<String, SdvColumn>,
    primary_key: Option<Value>,
}

#[derive(Clone, Deserialize)]
struct SdvColumn {
    sdtype: String,
    computer_representation: Option<String>,
    datetime_format: Option<String>,
    #[serde(default)]
    order: Vec<Value>,
}

impl SchemaFile {
    /// Reads the JSON schema of another tool: SDV metadata (version 1) if it says so, else a private-PGM domain.
    pub(crate) fn from_foreign_json(text: &str) -> Result<Self, TableError> {
        let document: Value = serde_json::from_str(text)
            .map_err(|error| TableError::schema(format!("line {}", error.line()), error.to_string()))?;
        if document.get("METADATA_SPEC_VERSION").is_some() {
            let metadata = serde_json::from_value(document)
                .map_err(|error| TableError::schema("SDV metadata", error.to_string()))?;
            from_sdv(metadata)
        } else {
            from_private_pgm(&document)
        }
    }
}

impl SchemaFile {
    /// The JSON schema of another tool, SDV metadata (version 1) or a private-PGM domain, as the text of a schema file for a person to complete.
    ///
    /// ```
    /// use table::schema::SchemaFile;
    ///
    /// let toml = SchemaFile::text_of_other_tool(r#"{"age": {"lower": 0, "upper": 120}, "sex": ["F", "M"]}"#)?;
    /// assert!(SchemaFile::parse(&toml)?.finish()?.variable("age").is_ok());
    /// # Ok::<(), table::TableError>(())
    /// ```
    pub fn text_of_other_tool(json: &str) -> Result<String, TableError> {
        let file = Self::from_foreign_json(json)?;
        let value = |scalar: &Scalar| match scalar {
            Scalar::Text(text) => toml::Value::String(text.clone()),
            Scalar::Integer(whole) => toml::Value::Integer(*whole),
            Scalar::Real(real) => toml::Value::Float(*real),
            Scalar::Boolean(truth) => toml::Value::Boolean(*truth),
            Scalar::Date(day) => toml::Value::Datetime(*day),
        };
        let mut variables = toml::Table::new();
        for (name, section) in &file.variables {
            let mut written = toml::Table::new();
            let mut say = |key: &str, value: toml::Value| written.insert(key.into(), value);
            say("kind", toml::Value::String(name_of(section.kind).into()));
            if let Some(LevelsKey::Listed(levels)) = &section.levels {
                say("levels", levels.iter().map(value).collect::<Vec<_>>().into());
            }
            if let Some(RangeKey::Between(ends)) = &section.range {
                say("range", ends.iter().map(value).collect::<Vec<_>>().into());
            }
            if let Some(format) = &section.format {
                say("format", toml::Value::String(format.clone()));
            }
            if matches!(section.missing, MissingKey::Flag(true)) {
                say("missing", toml::Value::Boolean(true));
            }
            variables.insert(name.clone(), toml::Value::Table(written));
        }
        let mut all = toml::Table::new();
        all.insert("variables".into(), toml::Value::Table(variables));
        toml::to_string_pretty(&all).map_err(|error| TableError::schema("schema", error.to_string()))
    }
}

/// The word for a kind in a schema file.
fn name_of(kind: KindName) -> &'static str {
    match kind {
        KindName::Categorical => "categorical",
        KindName::Ordinal => "ordinal",
        KindName::Integer => "integer",
        KindName::Real => "real",
        KindName::Date => "date",
        KindName::Datetime => "datetime",
        KindName::TextId => "text-id",
    }
}

fn from_sdv(metadata: SdvMetadata) -> Result<SchemaFile, TableError> {
    let refuse = |message: String| Err(TableError::schema("SDV metadata", message));
    if !metadata.version.to_uppercase().ends_with("V1") {
        return refuse(format!("METADATA_SPEC_VERSION is {}; only version 1 is read", metadata.version));
    }
    let mut tables = metadata.tables.into_iter();
    let table = match (tables.next(), tables.next()) {
        (None, _) => metadata.table,
        (Some((_, table)), None) => table,
        (Some((first, _)), Some((second, _))) => {
            return refuse(format!(
                "it describes several tables (`{first}`, `{second}`, …); keep one of them"
            ));
        }
    };
    let primary_key = table.primary_key.as_ref().and_then(Value::as_str);
    let mut file = SchemaFile::default();
    for (name, column) in &table.columns {
        let mut section = VariableSection { missing: MissingKey::Flag(true), ..VariableSection::default() };
        section.kind = match column.sdtype.as_str() {
            _ if primary_key == Some(name) => KindName::TextId,
            "categorical" | "boolean" if column.order.is_empty() => KindName::Categorical,
            "categorical" | "boolean" => {
                section.levels = Some(LevelsKey::Listed(column.order.iter().filter_map(scalar).collect()));
                KindName::Ordinal
            }
            "numerical" => match column.computer_representation.as_deref() {
                Some(representation) if representation.contains("Int") => KindName::Integer,
                _ => KindName::Real,
            },
            "datetime" => {
                let mut kind = KindName::Date;
                section.format = match column.datetime_format.as_deref() {
                    None => None,
                    Some(written) => match format_of(written) {
                        Some((of, name)) => {
                            kind = of;
                            Some(name)
                        }
                        None => {
                            let known = FORMATS.map(strftime).join(", ");
                            return refuse(format!(
                                "column `{name}`: the datetime_format is not one of {known}, with or without a time %H:%M:%S; convert the column first"
                            ));
                        }
                    },
                };
                kind
            }
            // `id`, and the personal ones: email, phone_number, ssn, …: none of them is ever modelled.
            _ => KindName::TextId,
        };
        file.variables.insert(name.clone(), section);
    }
    if file.variables.is_empty() {
        return refuse("it names no columns".into());
    }
    Ok(file)
}

/// The kind and the format that SDV's way of writing names.
fn format_of(written: &str) -> Option<(KindName, String)> {
    let date = FORMATS.into_iter().find(|format| strftime(*format) == written);
    let time = || DatetimeFormat::all().find(|format| strftime_of_time(*format) == written);
    let date = date.map(|format| (KindName::Date, format.name().to_owned()));
    date.or_else(|| time().map(|format| (KindName::Datetime, format.name())))
}

fn strftime_of_time(format: DatetimeFormat) -> String {
    let time = match format.precision {
        Precision::Minute => "%H:%M",
        Precision::Second => "%H:%M:%S",
        Precision::Millisecond => return String::new(),
        Precision::Microsecond => "%H:%M:%S.%f",
    };
    let joint = if format.joint == Joint::T { "T" } else { " " };
    let end = if format.universal { "Z" } else { "" };
    format.date.map_or_else(|| time.to_owned(), |date| format!("{}{joint}{time}{end}", strftime(date)))
}

fn strftime(format: DateFormat) -> &'static str {
    match format {
        DateFormat::Iso => "%Y-%m-%d",
        DateFormat::MonthFirst => "%m/%d/%Y",
        DateFormat::DayFirst => "%d/%m/%Y",
        DateFormat::Dotted => "%d.%m.%Y",
    }
}

/// `{"age": 85}` means the codes 0 to 84; also `["a", "b"]`, `{"categories": […]}` and `{"lower": 0, "upper": 120}`.
fn from_private_pgm(document: &Value) -> Result<SchemaFile, TableError> {
    let refuse = |message: String| Err(TableError::schema("domain", message));
    let Some(columns) = document.as_object().filter(|columns| !columns.is_empty()) else {
        return refuse("expected an object such as {\"age\": 85, \"sex\": 2}, one entry a column".into());
    };
    let mut file = SchemaFile::default();
    for (name, domain) in columns {
        let listed = domain.as_array().or_else(|| domain.get("categories").and_then(Value::as_array));
        let bound = |key: &str| domain.get(key).and_then(scalar);
        let mut section = VariableSection::default();
        if let Some(size) = domain.as_u64().filter(|size| (1..=10_000_000).contains(size)) {
            section.levels = Some(LevelsKey::Listed((0..size as i64).map(Scalar::Integer).collect()));
        } else if let Some(levels) = listed {
            section.levels = Some(LevelsKey::Listed(levels.iter().filter_map(scalar).collect()));
        } else if let (Some(low), Some(high)) = (bound("lower"), bound("upper")) {
            let whole = matches!((&low, &high), (Scalar::Integer(_), Scalar::Integer(_)));
            section.kind = if whole { KindName::Integer } else { KindName::Real };
            section.range = Some(RangeKey::Between([low, high]));
        } else {
            return refuse(format!(
                "`{name}`: expected a number of levels, a list of levels, or lower and upper bounds"
            ));
        }
        file.variables.insert(name.clone(), section);
    }
    Ok(file)
}

fn scalar(value: &Value) -> Option<Scalar> {
    match value {
        Value::String(text) => Some(Scalar::Text(text.clone())),
        Value::Bool(truth) => Some(Scalar::Boolean(*truth)),
        Value::Number(number) => {
            number.as_i64().map(Scalar::Integer).or_else(|| number.as_f64().map(Scalar::Real))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_pgm_domain_is_codes_from_zero() {
        let schema = SchemaFile::from_foreign_json(
            r#"{"age": 3, "sex": ["F", "M"], "pay": {"lower": 0, "upper": 9.5}}"#,
        );
        let schema = schema.unwrap().finish().unwrap();
        assert_eq!(schema.variables()[0].kind.levels().unwrap().iter().collect::<Vec<_>>(), ["0", "1", "2"]);
        assert_eq!(schema.variables()[1].kind.levels().unwrap().len(), 2);
        assert_eq!(schema.variables()[2].kind, super::super::Kind::Real { range: Some((0.0, 9.5)) });
        assert!(schema.declaration().is_none());
    }

    #[test]
    fn sdv_metadata_gives_kinds_and_leaves_levels_open() {
        let text = r#"{"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "primary_key": "id", "columns": {
            "id": {"sdtype": "id"}, "sex": {"sdtype": "categorical"},
            "size": {"sdtype": "categorical", "order": ["S", "M", "L"]},
            "age": {"sdtype": "numerical", "computer_representation": "Int64"},
            "pay": {"sdtype": "numerical"}, "born": {"sdtype": "datetime", "datetime_format": "%d.%m.%Y"},
            "mail": {"sdtype": "email"}}}"#;
        let file = SchemaFile::from_foreign_json(text).unwrap();
        let kinds: Vec<KindName> = file.variables.values().map(|section| section.kind).collect();
        use KindName::*;
        assert_eq!(kinds, [TextId, Categorical, Ordinal, Integer, Real, Date, TextId]);
        let error = file.finish().unwrap_err().to_string();
        assert!(error.contains("`sex`") && error.contains("no levels"), "{error}");
    }

    #[test]
    fn several_tables_and_other_versions_are_refused() {
        let two =
            r#"{"METADATA_SPEC_VERSION": "V1", "tables": {"a": {"columns": {}}, "b": {"columns": {}}}}"#;
        assert!(SchemaFile::from_foreign_json(two).unwrap_err().to_string().contains("several tables"));
        let two = r#"{"METADATA_SPEC_VERSION": "V2", "columns": {}}"#;
        assert!(SchemaFile::from_foreign_json(two).unwrap_err().to_string().contains("version 1"));
        assert!(SchemaFile::from_foreign_json("[1]").is_err());
        assert!(SchemaFile::from_foreign_json(r#"{"a": 0}"#).unwrap_err().to_string().contains("`a`"));
    }
}
