//! Neighbouring tables with a canary, chosen as worst cases.

use synthesis::private::PrivacySettings;
use synthesis::{Recipe, SynthesisError, registry};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

/// Records that are released, so that the weights of the model can be read off them.
const ROWS: u64 = 400;

/// A pair of neighbours.
pub struct Scenario {
    /// What the canary is.
    pub name: String,
    /// The table with the canary.
    pub with: Table,
    /// Its neighbour.
    pub without: Table,
    /// What the statistic is.
    pub statistic_name: &'static str,
    canary: Canary,
    records: u64,
    rows: Option<u64>,
    neighbours: privacy::Neighbours,
    options: &'static [&'static str],
}

/// How the canary shows in what is released.
enum Canary {
    /// By the number of records with the last level in every variable.
    Cell,
    /// By the sum of the first variable, in thousandths.
    Sum,
}

impl Scenario {
    /// A table with a binary variable and a canary in its second level; `text` are the other records.
    fn of_cells(name: &str, others: &str, canary: &str, variables: usize) -> Result<Self, SynthesisError> {
        let names: Vec<String> = (0..variables).map(|i| format!("v{i}")).collect();
        let mut schema = declared();
        for name in &names {
            schema += &format!("[variables.{name}]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n");
        }
        let header = names.join(",");
        let read = |records: &str| read(&schema, &format!("{header}\n{records}"));
        let records = others.lines().count() as u64;
        Ok(Self {
            name: name.to_owned(),
            with: read(&format!("{others}{canary}"))?,
            without: read(others)?,
            statistic_name: "records like the canary",
            canary: Canary::Cell,
            records: records + 1,
            rows: Some(ROWS),
            neighbours: privacy::Neighbours::AddRemove,
            options: &[],
        })
    }

    /// A table of numbers in [0, 1] of which the canary is the largest, or replaced by the smallest.
    fn of_numbers(name: &str, records: u64, neighbours: privacy::Neighbours) -> Result<Self, SynthesisError> {
        let schema = declared() + "[variables.x]\nkind = \"real\"\nrange = [0.0, 1.0]\n";
        let zeros = "0\n".repeat(records as usize - 1);
        let without = match neighbours {
            privacy::Neighbours::AddRemove => zeros.clone(),
            privacy::Neighbours::ReplaceOne => format!("{zeros}0\n"),
        };
        Ok(Self {
            name: name.to_owned(),
            with: read(&schema, &format!("x\n{zeros}1\n"))?,
            without: read(&schema, &format!("x\n{without}"))?,
            statistic_name: "sum of released values in thousandths",
            canary: Canary::Sum,
            records,
            rows: Some(ROWS),
            neighbours,
            options: &[],
        })
    }

    /// The statistic of a released table.
    pub fn statistic(&self, released: &Table) -> i64 {
        match self.canary {
            Canary::Cell => {
                let is_last = |column: &Column, row: usize| matches!(column, Column::Categorical(codes) if codes.get(row) == 1);
                let is_canary = |row: &usize| released.columns().iter().all(|column| is_last(column, *row));
                (0..released.rows()).filter(is_canary).count() as i64
            }
            Canary::Sum => {
                let value = |row: usize| match released.columns()[0].number(row) {
                    Some(Entry::Value(value)) => value,
                    _ => 0.0,
                };
                ((0..released.rows()).map(value).sum::<f64>() * 1_000.0).round() as i64
            }
        }
    }

    /// The recipe by which the tables of the scenario are released.
    pub fn recipe(&self, method: &str, options: &toml::Table, settings: &PrivacySettings) -> Recipe {
        let privacy = PrivacySettings {
            records: Some(self.records),
            neighbours: Some(self.neighbours),
            ..settings.clone()
        };
        let mut recipe = Recipe { rows: self.rows, privacy: Some(privacy), ..Recipe::new(method) };
        for option in self.options {
            // Options of scenarios are written in this file.
            recipe.set(option).expect("an option of the form name=value");
        }
        recipe.options.extend(options.clone());
        recipe
    }
}

/// The scenarios for a method.
pub fn scenarios(method: &str) -> Result<Vec<Scenario>, SynthesisError> {
    registry::private(method)?;
    Ok(match method {
        "mvnorm" => vec![Scenario::of_numbers("the only large value", 2, privacy::Neighbours::AddRemove)?],
        "normal-release" => {
            let scenario = Scenario::of_numbers("the only large value", 4, privacy::Neighbours::ReplaceOne)?;
            vec![Scenario { rows: None, options: &["variable=x", "sigma=0.5"], ..scenario }]
        }
        "dirichlet" => {
            // Replaced, not added: the number of records is public.
            let other = Scenario::of_cells("a record replaced", "a\n", "a\n", 1)?;
            let canary = Scenario::of_cells("a record replaced", "a\n", "b\n", 1)?;
            let replaced = Scenario {
                without: other.with,
                rows: Some(1),
                neighbours: privacy::Neighbours::ReplaceOne,
                ..canary
            };
            vec![replaced]
        }
        _ => vec![
            Scenario::of_cells("the only record of its kind", "a\na\na\n", "b\n", 1)?,
            Scenario::of_cells(
                "the only record of its kind, two variables",
                "a,a\na,a\na,a\na,a\n",
                "b,b\n",
                2,
            )?,
        ],
    })
}

fn declared() -> String {
    "[table]\ndeclared = true\nreason = \"made up for an audit\"\n".into()
}

fn read(schema: &str, text: &str) -> Result<Table, SynthesisError> {
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema)?), ..ReadOptions::default() };
    Ok(read_csv_text(text, &options)?)
}
