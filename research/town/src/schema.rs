//! The code book of the town, as the text of a schema file.
//!
//! The ranges are bounds that no draw can leave, so they hold for a town of any size and any seed.

use crate::{Disability, District, Education, Marital, Sex, occupations, truth};

pub(crate) fn write() -> String {
    let sex = levels(Sex::ALL.iter().map(|level| level.label()));
    let district = levels(District::ALL.iter().map(|level| level.label()));
    let marital = levels(Marital::ALL.iter().map(|level| level.label()));
    let education = levels(Education::ALL.iter().map(|level| level.label()));
    let disability = levels(Disability::ALL.iter().map(|level| level.label()));
    let occ1 = levels(occupations::branches().map(|branch| branch.name));
    let occ2 = levels(occupations::groups().map(|group| group.name));
    let occ3 = levels(occupations::titles());
    let groups = occupations::branches()
        .flat_map(|branch| branch.groups.iter().map(|group| (group.name, branch.name)));
    let titles =
        occupations::groups().flat_map(|group| group.titles.iter().map(|title| (*title, group.name)));
    let (occ2_parents, occ3_parents) = (parents(groups), parents(titles));
    let top = truth::INCOME_TOP;
    format!(
        r#"[table]
unit = "person"
declared = true
reason = "Much Seeming is invented; this is the generator's own code book, written before anyone was drawn"

[variables.sex]
kind = "categorical"
levels = {sex}

[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 6, 16, 25, 35, 45, 55, 65, 75, 85, 99]

[variables.district]
kind = "categorical"
levels = {district}

[variables.marital]
kind = "categorical"
levels = {marital}

[variables.married_on]
kind = "date"
range = ["1940-01-01", "2025-12-31"]
missing = true

[variables.education]
kind = "ordinal"
levels = {education}

[variables.occ1]
kind = "categorical"
levels = {occ1}

[variables.occ2]
kind = "categorical"
within = "occ1"
levels = {occ2}

[variables.occ2.parents]
{occ2_parents}

[variables.occ3]
kind = "categorical"
within = "occ2"
levels = {occ3}

[variables.occ3.parents]
{occ3_parents}

[variables.income]
kind = "integer"
range = [0, {top}]
missing = true
codes = {{ -8 = "not applicable" }}
cuts = [0, 800, 1200, 1600, 2200, 3000, {top}]

[variables.disability]
kind = "categorical"
levels = {disability}

[variables.hsize]
kind = "integer"
range = [1, 9]
cuts = [1, 2, 3, 4, 5, 9]

[variables.rooms]
kind = "integer"
range = [1, 10]
missing = true
cuts = [1, 2, 3, 4, 5, 6, 10]

[variables.pperroom]
kind = "real"
range = [0.1, 9.0]
missing = true
cuts = [0.1, 0.5, 0.75, 1.0, 1.5, 9.0]
formula = "round(hsize / rooms, 3)"

[[rules]]
when = "marital = 'SINGLE'"
then = "married_on is missing"

[[rules]]
when = "occ2 = 'Small child' or occ2 = 'School pupil'"
then = "income = -8"

[[rules]]
when = "age < 16"
then = "occ1 = 'Not in paid work'"

[[impossible]]
where = "age < 16 and marital = 'MARRIED'"

[[impossible]]
where = "age < 16 and hsize = 1"

[[impossible]]
where = "marital = 'MARRIED' and hsize = 1"
"#
    )
}

/// Levels and the parents under which they lie, one a line.
fn parents(pairs: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let line = |(level, parent): (&str, &str)| format!("{} = {}", quoted(level), quoted(parent));
    pairs.map(line).collect::<Vec<_>>().join("\n")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A list of strings in TOML: on one line when short, otherwise a level a line.
fn levels(labels: impl Iterator<Item = &'static str>) -> String {
    let quoted: Vec<String> = labels.map(quoted).collect();
    if quoted.len() <= 5 {
        format!("[{}]", quoted.join(", "))
    } else {
        format!("[\n    {},\n]", quoted.join(",\n    "))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Town, VARIABLES};
    use std::collections::BTreeMap;
    use toml::{Table, Value};

    fn number(value: &Value) -> f64 {
        value.as_float().or(value.as_integer().map(|whole| whole as f64)).unwrap()
    }

    /// Whether a field is allowed by what the schema says about its variable.
    fn allowed(variable: &Table, field: &str) -> bool {
        if field.is_empty() {
            return variable.get("missing").is_some_and(|missing| missing.as_bool().unwrap());
        }
        if variable.get("codes").is_some_and(|codes| codes.get(field).is_some()) {
            return true;
        }
        let range = || variable["range"].as_array().unwrap();
        match variable["kind"].as_str().unwrap() {
            "categorical" | "ordinal" => {
                variable["levels"].as_array().unwrap().iter().any(|level| level.as_str() == Some(field))
            }
            "date" => field >= range()[0].as_str().unwrap() && field <= range()[1].as_str().unwrap(),
            kind => {
                let value: f64 = field.parse().unwrap();
                let whole = kind == "real" || value.fract() == 0.0;
                whole && value >= number(&range()[0]) && value <= number(&range()[1])
            }
        }
    }

    #[test]
    fn every_field_is_allowed_by_the_schema() {
        let town = Town::new(50_000, 3);
        let schema: Table = town.schema().parse().unwrap();
        let variables = schema["variables"].as_table().unwrap();
        assert!(variables.keys().eq(VARIABLES));
        let mut within: BTreeMap<String, String> = BTreeMap::new();
        let text = town.csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for record in reader.records() {
            let record = record.unwrap();
            for (name, field) in VARIABLES.iter().zip(&record) {
                let variable = variables[*name].as_table().unwrap();
                assert!(allowed(variable, field), "{name}: {field:?}");
                if let Some(outer) = variable.get("within") {
                    let outer =
                        &record[VARIABLES.iter().position(|name| Some(*name) == outer.as_str()).unwrap()];
                    let first = within.entry(field.to_owned()).or_insert_with(|| outer.to_owned());
                    assert_eq!(first, outer, "{field} lies within one level only");
                }
            }
        }
    }

    #[test]
    fn a_field_outside_the_code_book_is_noticed() {
        let schema: Table = Town::default().schema().parse().unwrap();
        let allowed = |text: &str| {
            let (name, field) = text.split_once('=').unwrap();
            allowed(schema["variables"][name].as_table().unwrap(), field)
        };
        for text in "disability=None income=-8 income= rooms= pperroom= pperroom=0.125".split(' ') {
            assert!(allowed(text), "{text}");
        }
        for text in "income=-7 income=1.5 age= age=100 hsize= hsize=0 rooms=11 district=Nowhere".split(' ') {
            assert!(!allowed(text), "{text}");
        }
        assert!(!allowed("married_on=2026-01-01"));
    }

    #[test]
    fn cuts_span_the_range_and_rise() {
        let schema: Table = Town::default().schema().parse().unwrap();
        let numeric = |kind: &str| kind == "integer" || kind == "real";
        for (name, variable) in schema["variables"].as_table().unwrap() {
            if numeric(variable["kind"].as_str().unwrap()) {
                let numbers = |key: &str| -> Vec<f64> {
                    variable[key].as_array().unwrap().iter().map(number).collect()
                };
                let (cuts, range) = (numbers("cuts"), numbers("range"));
                assert!(cuts.windows(2).all(|two| two[0] < two[1]), "{name}");
                assert_eq!((cuts[0], cuts[cuts.len() - 1]), (range[0], range[1]), "{name}");
            }
        }
    }
}
