//! What was compared, what was left to others, and what was forgotten.

use std::collections::BTreeMap;

use serde_json::Value;

/// All numbers of a JSON document, by path.
pub struct Ledger<'a> {
    document: &'a Value,
    open: BTreeMap<String, f64>,
    compared: usize,
    differences: Vec<String>,
}

impl<'a> Ledger<'a> {
    pub fn new(document: &'a Value) -> Self {
        let mut open = BTreeMap::new();
        collect(document, String::new(), &mut open);
        Self { document, open, compared: 0, differences: Vec::new() }
    }

    /// What stands at a path.
    pub fn at(&self, path: &[&str]) -> &'a Value {
        path.iter().fold(self.document, |value, key| match key.parse::<usize>() {
            Ok(index) if value.is_array() => &value[index],
            _ => &value[*key],
        })
    }

    /// The number at a path, which counts as compared from now on.
    pub fn take(&mut self, path: &[&str]) -> Option<f64> {
        let number = self.open.remove(&path.join("/"))?;
        self.compared += 1;
        Some(number)
    }

    /// Compares a closed form.
    pub fn compare(&mut self, path: &[&str], found: f64) {
        self.compare_to(path, found, 1e-9);
    }

    /// Compares to a relative tolerance.
    pub fn compare_to(&mut self, path: &[&str], found: f64, tolerance: f64) {
        self.compare_within(path, found, |expected| tolerance * expected.abs());
    }

    /// Compares to an absolute error that may depend on what is expected.
    pub fn compare_within(&mut self, path: &[&str], found: f64, error: impl Fn(f64) -> f64) {
        let what = path.join("/");
        match self.take(path) {
            None => {
                self.differences.push(format!("{what}: there is no such number, or it was compared before"))
            }
            Some(expected) if (found - expected).abs() <= error(expected) => {}
            Some(expected) => self.differences.push(format!("{what}: {found} where {expected} is expected")),
        }
    }

    /// Says what was compared and left; fails for differences and for numbers nobody looks at.
    pub fn finish(mut self, name: &str, left: &[(&str, &str)], at_least: usize) {
        println!("{name}: {} numbers compared, {} differ", self.compared, self.differences.len());
        for (path, reason) in left {
            let of_path: Vec<String> =
                self.open.keys().filter(|key| key.starts_with(path)).cloned().collect();
            if !of_path.is_empty() {
                println!("{name}: {} numbers of {path} left: {reason}", of_path.len());
            }
            self.open.retain(|key, _| !key.starts_with(path));
        }
        assert!(self.differences.is_empty(), "{:#?}", self.differences);
        assert!(self.open.is_empty(), "nobody looks at {:#?}", self.open.keys().collect::<Vec<_>>());
        assert!(self.compared >= at_least, "only {} numbers compared", self.compared);
    }
}

fn collect(value: &Value, path: String, into: &mut BTreeMap<String, f64>) {
    let below = |key: String| if path.is_empty() { key } else { format!("{path}/{key}") };
    match value {
        Value::Number(number) => {
            into.insert(path, number.as_f64().unwrap());
        }
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| collect(value, below(key.clone()), into))
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| collect(value, below(at.to_string()), into));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}
