//! The golden pairs: two files and what R's synthpop 1.9-3 says of them. They lie beside the repository, not in it; without
//! them these tests say so and pass.

use std::path::Path;

use serde_json::Value;
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

/// A pair of files with its expected numbers.
pub struct Golden {
    pub original: Table,
    pub synthetic: Table,
    pub expected: Value,
}

/// Variables of `sd18_cart` for which -8 means "not applicable".
const WITH_CODE: [&str; 4] = ["income", "nofriend", "nociga", "wkabdur"];

impl Golden {
    /// The pair of this name, or `None` with a note when the shared folder is absent.
    pub fn load(name: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden").join(name);
        if !folder.exists() {
            println!("note: the golden pair {name} is not on this machine; nothing was compared");
            return None;
        }
        let json = |file: &str| -> Value {
            serde_json::from_str(&std::fs::read_to_string(folder.join(file)).unwrap()).unwrap()
        };
        let schema = SchemaFile::parse(&schema_text(&json("schema.json"))).unwrap();
        let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
        let read = |file: &str| read_table(&folder.join(file), &options).unwrap();
        Some(Self {
            original: read("original.csv"),
            synthetic: read("synthetic.csv"),
            expected: json("expected.json"),
        })
    }

    pub fn comparison(&self) -> measures::Comparison<'_> {
        measures::Comparison { original: &self.original, synthetic: &self.synthetic, holdout: None }
    }
}

/// The schema in our own words. A JSON string or list of strings is one in TOML too.
fn schema_text(schema: &Value) -> String {
    let mut text = String::new();
    for (name, of_original) in schema["original"].as_object().unwrap() {
        let missing = |side: &str| schema[side][name]["missing"].as_u64().unwrap() > 0;
        text += &format!("[variables.{name}]\nmissing = {}\n", missing("original") || missing("synthetic"));
        if of_original["type"] == "factor" {
            text += &format!("kind = \"categorical\"\nlevels = {}\n", of_original["levels"]);
        } else {
            text += "kind = \"real\"\n";
            if WITH_CODE.contains(&name.as_str()) {
                text += "codes = { -8 = \"not applicable\" }\n";
            }
        }
    }
    text
}

/// Counts what is compared and collects what differs.
#[derive(Default)]
pub struct Tally {
    pub compared: usize,
    pub differences: Vec<String>,
}

impl Tally {
    pub fn compare(&mut self, what: &str, found: f64, expected: f64) {
        self.compared += 1;
        if (found - expected).abs() > 1e-9 * expected.abs() {
            self.differences.push(format!("{what}: {found} where {expected} is expected"));
        }
    }

    pub fn finish(&self, of: &str, at_least: usize) {
        println!("{of}: {} numbers compared, {} differ", self.compared, self.differences.len());
        assert!(self.differences.is_empty(), "{:#?}", self.differences);
        assert!(self.compared >= at_least, "only {} numbers compared", self.compared);
    }
}
