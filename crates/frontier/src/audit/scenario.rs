//! Neighbouring tables with a canary, chosen as worst cases.

use synthesis::card::{AuditCase, Canary, Moment};
use synthesis::private::PrivacySettings;
use synthesis::{Recipe, SynthesisError, registry};
use table::column::Entry;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::{Column, Table};

/// A pair of neighbours.
pub struct Scenario {
    /// What the canary is.
    pub name: &'static str,
    /// The table with the canary.
    pub with: Table,
    /// Its neighbour.
    pub without: Table,
    /// What the statistic is.
    pub statistic_name: &'static str,
    betrayed: Betrayed,
    /// The number of records, where it is stated as public.
    records: Option<u64>,
    rows: Option<u64>,
    neighbours: privacy::Neighbours,
    options: &'static [&'static str],
}

/// How the canary shows in what is released.
enum Betrayed {
    /// By the number of records with its level.
    Level(String),
    /// By the sum of the first variable, in thousandths.
    Sum,
    /// By the sum and the sum of squares of the first variable, from the middle of its range, of which the canary moves each by 1: the logarithm of the likelihood ratio of the two under equal Laplace
    /// noise, which is linear in each from the value without the canary to the value with it and constant beyond. In thousandths of a record, each share of the released records taken as one of so many.
    Moments(u64),
    /// By the counts of the first two of three levels, of which the canary lowers the first from 2 to 1 and raises the second from 0 to 1: the same ratio of those. In thousandths of a record, of as many
    /// records as the table has.
    Replaced,
    /// By the number of records that are released.
    Size,
}

impl Scenario {
    /// The tables of a case that a method's card describes.
    fn new(case: &AuditCase) -> Result<Self, SynthesisError> {
        let scenario = match case.canary {
            Canary::Kind { levels, others, neighbours } => Self::of_cells(levels, others, neighbours)?,
            Canary::RareKind { levels, others } => Self::of_rare_kind(levels, others)?,
            Canary::Pair { others } => Self::of_pairs(others)?,
            Canary::Replaced { others } => Self::of_replaced(others)?,
            Canary::Size { others } => Self::of_size(others)?,
            Canary::Unit { levels, others, records } => Self::of_units(levels, others, records)?,
            Canary::Number { other, records, neighbours, by } => {
                Self::of_numbers(other, records, neighbours, by)?
            }
        };
        Ok(Self { name: case.name, rows: case.rows, options: case.options, ..scenario })
    }

    /// A table with one variable, all of its records in the first level but the canary, which is in the last.
    fn of_cells(
        levels: usize,
        others: usize,
        neighbours: privacy::Neighbours,
    ) -> Result<Self, SynthesisError> {
        let schema = one_variable(levels);
        let records = others as u64 + 1;
        let others = "l0\n".repeat(others);
        let read = |records: &str| read(&schema, &format!("v\n{records}"));
        let without = match neighbours {
            privacy::Neighbours::AddRemove => others.clone(),
            privacy::Neighbours::ReplaceOne => format!("{others}l0\n"),
        };
        Ok(Self {
            name: "",
            with: read(&format!("{others}l{}\n", levels - 1))?,
            without: read(&without)?,
            statistic_name: "records like the canary",
            betrayed: Betrayed::Level(format!("l{}", levels - 1)),
            records: Some(records),
            rows: None,
            neighbours,
            options: &[],
        })
    }

    /// The same with the other records spread over the other levels.
    fn of_rare_kind(levels: usize, others: usize) -> Result<Self, SynthesisError> {
        let scenario = Self::of_cells(levels, others, privacy::Neighbours::AddRemove)?;
        let schema = one_variable(levels);
        let spread: String = (0..others).map(|record| format!("l{}\n", record % (levels - 1))).collect();
        Ok(Self {
            with: read(&schema, &format!("v\n{spread}l{}\n", levels - 1))?,
            without: read(&schema, &format!("v\n{spread}"))?,
            ..scenario
        })
    }

    /// A table of numbers in [0, 1] that are all alike but for the canary, which is 1.
    fn of_numbers(
        other: &str,
        records: u64,
        neighbours: privacy::Neighbours,
        by: Moment,
    ) -> Result<Self, SynthesisError> {
        let schema = declared() + "[variables.x]\nkind = \"real\"\nrange = [0.0, 1.0]\n";
        let others = format!("{other}\n").repeat(records as usize - 1);
        let without = match neighbours {
            privacy::Neighbours::AddRemove => others.clone(),
            privacy::Neighbours::ReplaceOne => format!("{others}{other}\n"),
        };
        let (betrayed, statistic_name) = match by {
            Moment::Sum => (Betrayed::Sum, "sum of released values in thousandths"),
            Moment::MeanAndSquare => (
                Betrayed::Moments(records),
                "likelihood ratio of the first two moments in thousandths of a record",
            ),
        };
        Ok(Self {
            name: "",
            with: read(&schema, &format!("x\n{others}1\n"))?,
            without: read(&schema, &format!("x\n{without}"))?,
            statistic_name,
            betrayed,
            records: Some(records),
            rows: None,
            neighbours,
            options: &[],
        })
    }

    /// A table with one unit more or less, which has twice as many records as are kept of it, all in the last level.
    fn of_units(levels: usize, others: usize, records: usize) -> Result<Self, SynthesisError> {
        let names: Vec<String> = (0..levels).map(|level| format!("\"l{level}\"")).collect();
        let schema = format!(
            "{}unit_id = \"unit\"\nmax_rows_per_unit = {records}\n[variables.v]\nkind = \"categorical\"\nlevels = [{}]\n\
             [variables.unit]\nkind = \"text-id\"\n",
            declared(),
            names.join(", ")
        );
        let alike: String = (0..others).map(|unit| format!("l0,u{unit}\n")).collect();
        let canary = format!("l{},canary\n", levels - 1).repeat(2 * records);
        Ok(Self {
            with: read(&schema, &format!("v,unit\n{alike}{canary}"))?,
            without: read(&schema, &format!("v,unit\n{alike}"))?,
            records: Some((others + records) as u64),
            ..Self::of_cells(levels, others, privacy::Neighbours::AddRemove)?
        })
    }

    /// A table with one record more or less, whose number is not public.
    fn of_size(others: usize) -> Result<Self, SynthesisError> {
        let scenario = Self::of_cells(2, others, privacy::Neighbours::AddRemove)?;
        let statistic_name = "number of released records";
        Ok(Self { betrayed: Betrayed::Size, records: None, statistic_name, ..scenario })
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
            ..Self::of_cells(3, others, privacy::Neighbours::AddRemove)?
        })
    }

    /// A table with one variable of three levels, nearly all of its records in the last: one of the first level is replaced by the canary, which is of the second.
    fn of_replaced(others: usize) -> Result<Self, SynthesisError> {
        let (schema, alike) = (one_variable(3), "l2\n".repeat(others));
        Ok(Self {
            with: read(&schema, &format!("v\n{alike}l0\nl1\n"))?,
            without: read(&schema, &format!("v\n{alike}l0\nl0\n"))?,
            statistic_name: "likelihood ratio of the counts of both kinds in thousandths of a record",
            betrayed: Betrayed::Replaced,
            records: Some(others as u64 + 2),
            ..Self::of_cells(3, others, privacy::Neighbours::ReplaceOne)?
        })
    }

    /// Whether nothing but noisy sums of numbers is asked, so that with a δ all noise is Gaussian.
    pub(super) fn has_gaussian_noise_alone(&self) -> bool {
        matches!(self.betrayed, Betrayed::Sum | Betrayed::Moments(_))
    }

    /// The statistic of a released table.
    pub fn statistic(&self, released: &Table) -> i64 {
        match &self.betrayed {
            Betrayed::Level(level) => {
                let levels = released.schema().variables()[0].kind.levels();
                let (Some(code), Column::Categorical(codes)) =
                    (levels.and_then(|levels| levels.position(level)), &released.columns()[0])
                else {
                    return 0;
                };
                codes.iter().filter(|other| *other == code).count() as i64
            }
            Betrayed::Size => released.rows() as i64,
            Betrayed::Sum => (numbers(released).sum::<f64>() * 1_000.0).round() as i64,
            Betrayed::Moments(records) => {
                let centred = || numbers(released).map(|number| 2.0 * number - 1.0);
                let scale = 1.0 / released.rows() as f64;
                let mean = centred().sum::<f64>() * scale;
                let variance = centred().map(|number| (number - mean).powi(2)).sum::<f64>() * scale;
                // Numbers without spread tell that the noisy sum of squares lay below all that the mean allows.
                let square = if variance < NO_SPREAD { 0.0 } else { variance + mean * mean };
                [mean, square].into_iter().map(|moment| thousandths(moment * *records as f64, 0.0)).sum()
            }
            Betrayed::Replaced => {
                let Column::Categorical(codes) = &released.columns()[0] else { return 0 };
                let scale = self.with.rows() as f64 / released.rows() as f64;
                let count = |level: u32| codes.iter().filter(|code| *code == level).count() as f64 * scale;
                thousandths(count(1), 0.0) - thousandths(count(0), 1.0)
            }
        }
    }

    /// The recipe by which the tables of the scenario are released.
    pub fn recipe(&self, method: &str, options: &toml::Table, settings: &PrivacySettings) -> Recipe {
        let privacy =
            PrivacySettings { records: self.records, neighbours: Some(self.neighbours), ..settings.clone() };
        let mut recipe = Recipe { rows: self.rows, privacy: Some(privacy), ..Recipe::new(method) };
        for option in self.options {
            // Options of scenarios are written on the methods' cards.
            recipe.set(option).expect("an option of the form name=value");
        }
        recipe.options.extend(options.clone());
        recipe
    }
}

/// The variance below which numbers are without spread: twice that which `mvnorm` gives them at least.
const NO_SPREAD: f64 = 2e-6;

/// How far this lies above a start, between 0 and 1, in thousandths.
fn thousandths(value: f64, start: f64) -> i64 {
    ((value - start).clamp(0.0, 1.0) * 1_000.0).round() as i64
}

/// The numbers of the first variable.
fn numbers(released: &Table) -> impl Iterator<Item = f64> {
    (0..released.rows()).filter_map(|row| match released.columns()[0].number(row) {
        Some(Entry::Value(value)) => Some(value),
        _ => None,
    })
}

/// The scenarios for a method, as its card describes them.
pub fn scenarios(method: &str) -> Result<Vec<Scenario>, SynthesisError> {
    registry::private(method)?;
    let privacy = registry::method(method)?.card.privacy.as_ref();
    privacy.into_iter().flat_map(|privacy| privacy.audit).map(Scenario::new).collect()
}

/// A schema of one variable with this many levels.
fn one_variable(levels: usize) -> String {
    let names: Vec<String> = (0..levels).map(|level| format!("\"l{level}\"")).collect();
    format!("{}[variables.v]\nkind = \"categorical\"\nlevels = [{}]\n", declared(), names.join(", "))
}

fn declared() -> String {
    "[table]\ndeclared = true\nreason = \"made up for an audit\"\n".into()
}

fn read(schema: &str, text: &str) -> Result<Table, SynthesisError> {
    let options = ReadOptions { schema: Some(SchemaFile::parse(schema)?), ..ReadOptions::default() };
    Ok(read_csv_text(text, &options)?)
}
