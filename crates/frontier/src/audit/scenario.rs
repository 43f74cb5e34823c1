//! Neighbouring tables with a canary, chosen as worst cases.

use synthesis::private::PrivacySettings;
use synthesis::{Recipe, SynthesisError, registry};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

/// Records that are released, so that the weights of the model can be read off them.
const ROWS: u64 = 400;

/// The same where the canary's weight is a small one.
const MANY_ROWS: u64 = 20_000;

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
    /// The number of records, where it is stated as public.
    records: Option<u64>,
    rows: Option<u64>,
    neighbours: privacy::Neighbours,
    options: &'static [&'static str],
}

/// How the canary shows in what is released.
enum Canary {
    /// By the number of records with its level.
    Level(String),
    /// By the sum of the first variable, in thousandths.
    Sum,
    /// By the mean and the mean square of the first variable, from the middle of its range: the smaller of them, in millionths.
    Moments,
    /// By the number of records that are released.
    Size,
}

impl Scenario {
    /// A table with one variable, all of its records in the first level, and a canary in the last, or in the first too.
    fn of_cells(name: &str, levels: usize, others: usize, canary: bool) -> Result<Self, SynthesisError> {
        let names: Vec<String> = (0..levels).map(|level| format!("\"l{level}\"")).collect();
        let schema =
            format!("{}[variables.v]\nkind = \"categorical\"\nlevels = [{}]\n", declared(), names.join(", "));
        let records = others as u64 + 1;
        let others = "l0\n".repeat(others);
        let read = |records: &str| read(&schema, &format!("v\n{records}"));
        let last = if canary { levels - 1 } else { 0 };
        Ok(Self {
            name: name.to_owned(),
            with: read(&format!("{others}l{last}\n"))?,
            without: read(&others)?,
            statistic_name: "records like the canary",
            canary: Canary::Level(format!("l{}", levels - 1)),
            records: Some(records),
            rows: Some(ROWS),
            neighbours: privacy::Neighbours::AddRemove,
            options: &[],
        })
    }

    /// A table of numbers in [0, 1] that are all alike but for the canary, which is 1.
    fn of_numbers(
        name: &str,
        other: &str,
        records: u64,
        neighbours: privacy::Neighbours,
    ) -> Result<Self, SynthesisError> {
        let schema = declared() + "[variables.x]\nkind = \"real\"\nrange = [0.0, 1.0]\n";
        let others = format!("{other}\n").repeat(records as usize - 1);
        let without = match neighbours {
            privacy::Neighbours::AddRemove => others.clone(),
            privacy::Neighbours::ReplaceOne => format!("{others}{other}\n"),
        };
        Ok(Self {
            name: name.to_owned(),
            with: read(&schema, &format!("x\n{others}1\n"))?,
            without: read(&schema, &format!("x\n{without}"))?,
            statistic_name: "sum of released values in thousandths",
            canary: Canary::Sum,
            records: Some(records),
            rows: Some(ROWS),
            neighbours,
            options: &[],
        })
    }

    /// A table with one record more or less, whose number is not public.
    fn of_size() -> Result<Self, SynthesisError> {
        let scenario = Self::of_cells("one record more, their number not public", 2, 40, true)?;
        let statistic_name = "number of released records";
        Ok(Self { canary: Canary::Size, records: None, rows: None, statistic_name, ..scenario })
    }

    /// A record replaced by the canary, in a table whose size is public.
    fn of_replacement(levels: usize, others: usize) -> Result<Self, SynthesisError> {
        let replaced = Self::of_cells("a record replaced", levels, others, true)?;
        let other = Self::of_cells("a record replaced", levels, others, false)?;
        Ok(Self { without: other.with, neighbours: privacy::Neighbours::ReplaceOne, ..replaced })
    }

    /// A canary that is the only record of its kind in two variables at once, among `others` alike.
    fn of_pairs(others: usize) -> Result<Self, SynthesisError> {
        let variable = |name: &str| {
            format!("[variables.{name}]\nkind = \"categorical\"\nlevels = [\"l0\", \"l1\", \"l2\"]\n")
        };
        let schema = declared() + &variable("v") + &variable("w");
        let alike = "l0,l0\n".repeat(others);
        Ok(Self {
            with: read(&schema, &format!("v,w\n{alike}l2,l2\n"))?,
            without: read(&schema, &format!("v,w\n{alike}"))?,
            name: "the only record of its kind in two variables".into(),
            rows: Some(MANY_ROWS),
            ..Self::of_cells("", 3, others, true)?
        })
    }

    /// The statistic of a released table.
    pub fn statistic(&self, released: &Table) -> i64 {
        match &self.canary {
            Canary::Level(level) => {
                let levels = released.schema().variables()[0].kind.levels();
                let (Some(code), Column::Categorical(codes)) =
                    (levels.and_then(|levels| levels.position(level)), &released.columns()[0])
                else {
                    return 0;
                };
                codes.iter().filter(|other| *other == code).count() as i64
            }
            Canary::Size => released.rows() as i64,
            Canary::Sum => (numbers(released).sum::<f64>() * 1_000.0).round() as i64,
            Canary::Moments => {
                let centred = || numbers(released).map(|number| 2.0 * number - 1.0);
                let (sum, squares) =
                    (centred().sum::<f64>(), centred().map(|number| number * number).sum::<f64>());
                (sum.min(squares) / released.rows() as f64 * 1e6).round() as i64
            }
        }
    }

    /// The recipe by which the tables of the scenario are released.
    pub fn recipe(&self, method: &str, options: &toml::Table, settings: &PrivacySettings) -> Recipe {
        let privacy =
            PrivacySettings { records: self.records, neighbours: Some(self.neighbours), ..settings.clone() };
        let mut recipe = Recipe { rows: self.rows, privacy: Some(privacy), ..Recipe::new(method) };
        for option in self.options {
            // Options of scenarios are written in this file.
            recipe.set(option).expect("an option of the form name=value");
        }
        recipe.options.extend(options.clone());
        recipe
    }
}

/// The numbers of the first variable.
fn numbers(released: &Table) -> impl Iterator<Item = f64> {
    (0..released.rows()).filter_map(|row| match released.columns()[0].number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    })
}

/// The scenarios for a method.
pub fn scenarios(method: &str) -> Result<Vec<Scenario>, SynthesisError> {
    registry::private(method)?;
    Ok(match method {
        "mvnorm" => {
            // Half of the budget goes to the sum and half to the sum of squares; the canary moves both.
            let scenario = Scenario::of_numbers(
                "the only value off the middle",
                "0.5",
                50,
                privacy::Neighbours::AddRemove,
            )?;
            let statistic_name = "smaller of the first two moments in millionths";
            vec![Scenario { canary: Canary::Moments, statistic_name, ..scenario }]
        }
        "normal-release" => {
            let scenario =
                Scenario::of_numbers("the only large value", "0", 40, privacy::Neighbours::ReplaceOne)?;
            vec![Scenario { rows: None, options: &["variable=x", "sigma=0.5"], ..scenario }]
        }
        "dirichlet" => vec![Scenario { rows: Some(1), ..Scenario::of_replacement(2, 1)? }],
        "catall" => vec![
            Scenario::of_cells("the only record of its kind", 2, 3, true)?,
            Scenario::of_replacement(2, 3)?,
            Scenario::of_size()?,
        ],
        _ => {
            // Among many kinds, most of them empty, an estimate that shrinks noise leaves the canary's count alone.
            let scenario =
                Scenario::of_cells("the only record of its kind, among many kinds", 12, 480, true)?;
            vec![Scenario { rows: Some(MANY_ROWS), ..scenario }, Scenario::of_pairs(480)?]
        }
    })
}

fn declared() -> String {
    "[table]\ndeclared = true\nreason = \"made up for an audit\"\n".into()
}

fn read(schema: &str, text: &str) -> Result<Table, SynthesisError> {
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema)?), ..ReadOptions::default() };
    Ok(read_csv_text(text, &options)?)
}
