//! A grid of recipes, read from a file.
//!
//! ```toml
//! [[recipe]]                       # a recipe as `lookalike synth --recipe` takes it …
//! name = "cart"                    # … with a name, if the method's is not enough
//! method = "sequential"
//! options = { min_bucket = [5, 20, 100] }      # a list of values: one contestant for each
//!
//! [[recipe]]
//! method = "saturated"
//! m = [1, 5]                       # several lists: their product
//! options = { sigma = [0.1, 0.5, 2] }
//! ```
//!
//! A list where one value is expected is a list of values. Where the recipe or the method itself takes a list (`strata`, the `order` of
//! `sequential`), a list is one value, and a list of lists is a list of values.

use serde::Deserialize;
use synthesis::{Recipe, Synthesizer, registry};
use toml::{Spanned, Table, Value};

use super::FrontierError;

/// A contestant that a recipe makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name, fit for a file name.
    pub name: String,
    /// For people.
    pub label: String,
    /// How its data sets are made; it has no seed, because every run has its own.
    pub recipe: Recipe,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GridFile {
    #[serde(default)]
    recipe: Vec<Spanned<Table>>,
}

/// Reads a grid; an error names the line.
pub fn parse(text: &str) -> Result<Vec<Entry>, FrontierError> {
    let line_at = |place: usize| 1 + text[..place.min(text.len())].matches('\n').count();
    let file: GridFile = toml::from_str(text).map_err(|error| {
        let (line, message) = table::schema::located(text, &error);
        FrontierError::Grid { line, message }
    })?;
    if file.recipe.is_empty() {
        let message = "there is no recipe in it; write at least one [[recipe]] section".to_owned();
        return Err(FrontierError::Grid { line: 1, message });
    }
    let mut entries: Vec<Entry> = Vec::new();
    for section in file.recipe {
        let first = line_at(section.span().start);
        let refuse = |key: &str, message: String| FrontierError::Grid {
            line: line_of_key(text, first, key).unwrap_or(first),
            message,
        };
        entries.extend(expand(section.into_inner(), refuse)?);
        if entries.len() > MOST_CONTESTANTS {
            let message = format!("it makes more than {MOST_CONTESTANTS} contestants; name fewer values");
            return Err(FrontierError::Grid { line: first, message });
        }
    }
    make_unique(&mut entries);
    Ok(entries)
}

/// The most contestants of a grid.
const MOST_CONTESTANTS: usize = 10_000;

/// Names that occur twice get a number.
pub(crate) fn make_unique(entries: &mut [Entry]) {
    for at in 1..entries.len() {
        let plain = entries[at].name.clone();
        let mut number = 2;
        while entries[..at].iter().any(|earlier| earlier.name == entries[at].name) {
            entries[at].name = format!("{plain}-{number}");
            number += 1;
        }
    }
}

/// A name with nothing in it that a file name cannot have.
pub fn file_name(name: &str) -> String {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '-' => character,
        _ => '-',
    };
    name.chars().map(plain).collect()
}

/// One value of the product: where it stands in the recipe, and what it is.
type Setting = (Vec<String>, Value);

fn expand(
    mut section: Table,
    refuse: impl Fn(&str, String) -> FrontierError,
) -> Result<Vec<Entry>, FrontierError> {
    let name = match section.remove("name") {
        None => None,
        Some(Value::String(name)) if !name.is_empty() => Some(name),
        Some(_) => return Err(refuse("name", "a name is a text that is not empty".into())),
    };
    if section.contains_key("seed") {
        let message = "every run of a frontier has a seed of its own; leave it out and use --seed";
        return Err(refuse("seed", message.into()));
    }
    let mut products: Vec<(Table, Vec<Setting>)> = vec![(section.clone(), Vec::new())];
    for (path, values) in lists_of_values(&section) {
        if values.is_empty() {
            let key = path.last().map(String::as_str).unwrap_or_default();
            return Err(refuse(key, format!("`{key}` has no value; a list needs at least one")));
        }
        if products.len().saturating_mul(values.len()) > MOST_CONTESTANTS {
            let key = path.last().map(String::as_str).unwrap_or_default();
            let message =
                format!("the lists make more than {MOST_CONTESTANTS} contestants; name fewer values");
            return Err(refuse(key, message));
        }
        let with = |(recipe, chosen): &(Table, Vec<Setting>), value: &Value| {
            let (mut recipe, mut chosen) = (recipe.clone(), chosen.clone());
            set(&mut recipe, &path, value.clone());
            chosen.push((path.clone(), value.clone()));
            (recipe, chosen)
        };
        products = products.iter().flat_map(|one| values.iter().map(|value| with(one, value))).collect();
    }
    let entry = |(table, chosen): (Table, Vec<Setting>)| {
        let text = toml::to_string(&table).unwrap_or_default();
        let recipe: Recipe = toml::from_str(&text).map_err(|error| {
            let (line, message) = table::schema::located(&text, &error);
            let key = text.lines().nth(line - 1).and_then(|line| line.split('=').next()).unwrap_or_default();
            refuse(key.trim(), message)
        })?;
        recipe.check().map_err(|error| refuse("", error.to_string()))?;
        Synthesizer::of(&recipe).map_err(|error| {
            let key = if let synthesis::SynthesisError::Option { name, .. } = &error {
                name.clone()
            } else {
                String::new()
            };
            refuse(&key, error.to_string())
        })?;
        let shown: Vec<(String, String)> = chosen
            .iter()
            .map(|(path, value)| (path.last().cloned().unwrap_or_default(), shown(value)))
            .collect();
        let base = name.clone().unwrap_or_else(|| recipe.method.clone());
        let of_name =
            shown.iter().map(|(key, value)| format!("-{}{value}", if key == "m" { "m" } else { "" }));
        let of_label = shown.iter().map(|(key, value)| format!(", {key} {value}"));
        let label = format!("{base}{}", of_label.collect::<String>());
        Ok(Entry { name: file_name(&format!("{base}{}", of_name.collect::<String>())), label, recipe })
    };
    products.into_iter().map(entry).collect()
}

/// Where lists stand that are lists of values, in the order of the keys.
fn lists_of_values(section: &Table) -> Vec<(Vec<String>, Vec<Value>)> {
    let mut lists = Vec::new();
    for (key, value) in section {
        match value {
            // A list of names is one set of strata.
            Value::Array(values) if key != "strata" || values.iter().any(Value::is_array) => {
                lists.push((vec![key.clone()], values.clone()));
            }
            Value::Table(inner) if key == "options" || key == "privacy" => {
                for (name, value) in inner {
                    let Value::Array(values) = value else { continue };
                    if key == "privacy" || !is_one_value(section, name, value) {
                        lists.push((vec![key.clone(), name.clone()], values.clone()));
                    }
                }
            }
            _ => {}
        }
    }
    lists
}

/// Whether the method takes the list itself.
fn is_one_value(section: &Table, option: &str, value: &Value) -> bool {
    let Some(method) = section.get("method").and_then(Value::as_str) else { return false };
    let alone = Table::from_iter([(option.to_owned(), value.clone())]);
    if section.contains_key("privacy") {
        registry::private(method).is_ok_and(|build| build(&alone).is_ok())
    } else {
        registry::plain(method).is_ok_and(|build| build(&alone).is_ok())
    }
}

fn set(table: &mut Table, path: &[String], value: Value) {
    match path {
        [key] => {
            table.insert(key.clone(), value);
        }
        [key, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(key) {
                set(inner, rest, value);
            }
        }
        [] => {}
    }
}

/// A value in a name.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join("+"),
        other => other.to_string(),
    }
}

/// The line from `first` on, within the section, where a key is written.
fn line_of_key(text: &str, first: usize, key: &str) -> Option<usize> {
    if key.is_empty() {
        return None;
    }
    let key = key.rsplit('.').next().unwrap_or(key);
    let is_here = |line: &str| {
        line.match_indices(key).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + key.len()..].trim_start();
            before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
                && (after.starts_with('=') || after.starts_with('"'))
        })
    };
    let lines = text.lines().enumerate().skip(first - 1);
    let section =
        lines.take_while(|(line, written)| *line + 1 == first || !written.trim_start().starts_with("[["));
    section.into_iter().find(|(_, written)| is_here(written)).map(|(line, _)| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_products_unless_the_method_takes_a_list() {
        let grid = "[[recipe]]\nname = \"cart\"\nmethod = \"sequential\"\nm = [1, 2]\n[recipe.options]\n\
                    order = [\"sex\", \"age\"]\nmin_bucket = [5, 20, 50]\n\n[[recipe]]\nmethod = \"catall\"\n\
                    privacy = { epsilon = [0.5, 2] }\n[[recipe]]\nmethod = \"catall\"\n";
        let entries = parse(grid).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "cart-m1-5",
                "cart-m1-20",
                "cart-m1-50",
                "cart-m2-5",
                "cart-m2-20",
                "cart-m2-50",
                "catall-0.5",
                "catall-2",
                "catall"
            ]
        );
        assert_eq!(entries[4].recipe.m, 2);
        assert_eq!(entries[4].recipe.options["min_bucket"], Value::Integer(20));
        assert_eq!(entries[4].recipe.options["order"].as_array().map(Vec::len), Some(2));
        assert_eq!(entries[6].recipe.privacy.as_ref().and_then(|privacy| privacy.epsilon), Some(0.5));
        assert_eq!(entries[1].label, "cart, m 1, min_bucket 20");
        let orders =
            parse("[[recipe]]\nmethod = \"sequential\"\noptions.order = [[\"a\", \"b\"], [\"b\", \"a\"]]")
                .unwrap();
        assert_eq!((orders.len(), orders[1].name.as_str()), (2, "sequential-b-a"));
        let twice = parse("[[recipe]]\nmethod = \"catall\"\n[[recipe]]\nmethod = \"catall\"").unwrap();
        assert_eq!(twice[1].name, "catall-2");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let refused = |grid: &str| parse(grid).unwrap_err().to_string();
        let error = refused("[[recipe]]\nmethod = \"catall\"\n\n[[recipe]]\nmethod = \"catall\"\nrow = 5\n");
        assert!(error.contains("line 6") && error.contains("did you mean `rows`?"), "{error}");
        let error = refused("[[recipe]]\nmethod = \"saturated\"\n[recipe.options]\nsigmas = [1, 2]\n");
        assert!(error.contains("line 4") && error.contains("did you mean `sigma`?"), "{error}");
        let error = refused("[[recipes]]\nmethod = \"catall\"\n");
        assert!(error.contains("line 1") && error.contains("did you mean `recipe`?"), "{error}");
        assert!(refused("").contains("at least one [[recipe]]"));
        assert!(refused("[[recipe]]\nmethod = \"catall\"\nseed = 1").contains("line 3"));
        assert!(refused("[[recipe]]\nmethod = \"catall\"\nm = []").contains("line 3"));
        let error = refused("[[recipe]]\nmethod = \"catal\"");
        assert!(error.contains("line 2") && error.contains("did you mean `catall`?"), "{error}");
    }
}
