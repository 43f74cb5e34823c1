//! The reference of a file that people write, made from the JSON Schema of its type.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Every section and every key of a file, as a page: what a key holds, what it means, what is taken without it.
pub fn reference_markdown(title: &str, command: &str, schema: &Value) -> String {
    let mut text = format!("# {title}\n\nWritten by `{command}` from the types that read the file.\n");
    section(&mut text, None, schema);
    let definitions = schema["$defs"].as_object();
    for (name, definition) in definitions.into_iter().flatten() {
        section(&mut text, Some(name), definition);
    }
    text
}

/// A type: its keys, or its values.
fn section(text: &mut String, name: Option<&str>, schema: &Value) {
    if let Some(name) = name {
        push(text, format_args!("\n## {name}\n"));
    }
    if let Some(description) = schema["description"].as_str() {
        push(text, format_args!("\n{}\n", line(description)));
    }
    if let Some(properties) = schema["properties"].as_object() {
        keys(text, schema, properties);
    } else {
        let forms = ["oneOf", "anyOf"].iter().find_map(|key| schema[*key].as_array());
        let listed = schema["enum"].as_array();
        if let Some(forms) = forms {
            push(text, format_args!("\n| form | meaning |\n|---|---|\n"));
            for form in forms {
                push(text, format_args!("| {} | {} |\n", form_of(form), meaning(form)));
            }
        } else if let Some(listed) = listed {
            let listed: Vec<String> = listed.iter().map(|value| format!("`{}`", plain(value))).collect();
            push(text, format_args!("\nOne of {}.\n", listed.join(", ")));
        } else {
            push(text, format_args!("\n{}\n", form_of(schema)));
        }
    }
}

fn keys(text: &mut String, schema: &Value, properties: &Map<String, Value>) {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    push(text, format_args!("\n| key | holds | meaning | without it |\n|---|---|---|---|\n"));
    for (key, property) in properties {
        let without = if required.contains(&key.as_str()) {
            "it must be given".to_owned()
        } else {
            property.get("default").map_or_else(String::new, default)
        };
        push(text, format_args!("| `{key}` | {} | {} | {without} |\n", form_of(property), meaning(property)));
    }
}

/// What a value looks like.
fn form_of(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(value) = schema.get("const") {
        return format!("`{}`", plain(value));
    }
    if let Some(listed) = schema["enum"].as_array() {
        return listed.iter().map(|value| format!("`{}`", plain(value))).collect::<Vec<_>>().join(", ");
    }
    if let Some(forms) = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()) {
        let forms = forms.iter().filter(|form| form["type"] != "null").map(form_of);
        return forms.collect::<Vec<_>>().join(" or ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => {
            several.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ => return "anything".to_owned(),
    };
    types.into_iter().map(|name| word(name, schema)).collect::<Vec<_>>().join(" or ")
}

fn word(name: &str, schema: &Value) -> String {
    match name {
        "string" => "text".to_owned(),
        "boolean" => "`true` or `false`".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "array" => format!("a list of {}", schema.get("items").map_or_else(|| "values".to_owned(), form_of)),
        "object" => match schema.get("additionalProperties").filter(|of| of.is_object()) {
            Some(of) => format!("a section of names, each with {}", form_of(of)),
            None => match schema["properties"].as_object() {
                Some(properties) => {
                    let keys: Vec<String> = properties.keys().map(|key| format!("`{key}`")).collect();
                    format!("a section with {}", keys.join(", "))
                }
                None => "a section".to_owned(),
            },
        },
        other => other.to_owned(),
    }
}

fn meaning(schema: &Value) -> String {
    line(schema["description"].as_str().unwrap_or_default())
}

/// A text in one cell of a table; links of the code's own documentation become plain names.
fn line(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").replace("[`", "`").replace("`]", "`")
}

fn default(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Object(map) if map.is_empty() => "none".to_owned(),
        other => format!("`{}`", plain(other)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let written = text.write_fmt(line);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_key_is_told_with_what_it_holds() {
        let schema = json!({
            "title": "Recipe", "description": "A recipe.", "type": "object", "required": ["method"],
            "properties": {
                "method": { "description": "The method's name.", "type": "string" },
                "rows": { "description": "Records in each.", "type": ["integer", "null"] },
                "strata": { "type": "array", "items": { "type": "string" }, "default": [] },
                "privacy": { "anyOf": [{ "$ref": "#/$defs/Budget" }, { "type": "null" }] },
            },
            "$defs": { "Budget": { "description": "What may be\nspent.", "oneOf": [{ "const": "pure", "description": "Only epsilon." }] } },
        });
        let page = reference_markdown("The recipe", "lookalike x", &schema);
        for line in [
            "| `method` | text | The method's name. | it must be given |",
            "| `rows` | a whole number | Records in each. |  |",
            "| `strata` | a list of text |  | none |",
            "| `privacy` | [Budget](#budget) |  |  |",
            "## Budget",
            "What may be spent.",
            "| `pure` | Only epsilon. |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }
}
