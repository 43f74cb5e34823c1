use serde_json::Value;
use table::Table;
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

/// Variables of `sd18_cart` for which -8 means "not applicable".
const WITH_CODE: [&str; 4] = ["income", "nofriend", "nociga", "wkabdur"];

/// A golden pair: two files, and what an independent implementation (R, its synthpop 1.9-3) says of them.
pub struct GoldenPair {
    /// The confidential file.
    pub original: Table,
    /// The synthetic one.
    pub synthetic: Table,
    /// What is expected, by the name of the measure.
    pub expected: Value,
}

impl GoldenPair {
    /// The pair of this name, where it is.
    pub fn find(name: &str) -> Option<Self> {
        let folder = crate::find(&format!("golden/{name}"))?;
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
