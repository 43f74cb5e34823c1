//! One run of one contestant: its data sets are made, measured and forgotten.
//!
//! A run of a private method goes the real private way, but its noise comes from the frontier's seed, so that a frontier can be computed again.
//! Such data sets are not private. They are never written: a frontier keeps what was found of them, and what is released is drawn again,
//! with noise of the operating system.

use std::sync::Arc;
use std::time::Instant;

use measures::utility::tables::SyntheticSize;
use measures::{Finding, Settings, align};
use synthesis::{Fitted, Recipe, Run, SynthesisError, Synthesizer, fit};
use table::{Source, Table};

use super::battery::Battery;
use super::planned;
use super::resume::RunRecord;

/// A model that several runs draw from, or why there is none.
pub type SharedModel = Result<Fitted, String>;

/// Whether all runs of a recipe can draw from one model: fitting it takes no chance, as the method itself says. Noise of a private method does.
pub(crate) fn shares_its_model(original: &Table, recipe: &Recipe) -> bool {
    Synthesizer::of(recipe).is_ok_and(|method| !method.fit_is_random(original.into()))
}

/// Fits the model that all runs of a recipe draw from.
pub(crate) fn shared_model(original: &Table, recipe: &Recipe, seed: u64) -> SharedModel {
    fit(original, recipe, &Run::replayed(seed)).map_err(|error| error.to_string())
}

/// Draws the data sets of run `number` from the model of all runs, and measures them; the model took `fitting` seconds of this run.
pub fn of_model(
    original: &Table,
    recipe: &Recipe,
    (model, fitting): (&SharedModel, f64),
    number: u32,
    battery: &Battery,
    key: String,
) -> RunRecord {
    let start = Instant::now();
    let made = match model {
        Ok(fitted) => drawn(fitted, number * recipe.m, recipe.m).map_err(|error| error.to_string()),
        Err(because) => Err(because.clone()),
    };
    of_made(original, recipe, made, battery, key, fitting + start.elapsed().as_secs_f64())
}

/// Carries out a recipe with this seed and measures what comes of it.
pub fn of_recipe(original: &Table, recipe: &Recipe, seed: u64, battery: &Battery, key: String) -> RunRecord {
    let start = Instant::now();
    let made = data_sets(original, recipe, seed).map_err(|error| error.to_string());
    of_made(original, recipe, made, battery, key, start.elapsed().as_secs_f64())
}

/// Data sets with what the fit had to say.
type Made = (Vec<Table>, Vec<String>);

fn of_made(
    original: &Table,
    recipe: &Recipe,
    made: Result<Made, String>,
    battery: &Battery,
    key: String,
    making: f64,
) -> RunRecord {
    let (tables, remarks) = match made {
        Ok(made) => made,
        Err(because) => return failed(key, because, [making, 0.0]),
    };
    let settings = settings_for(original, recipe, &battery.settings);
    measured(
        original,
        tables,
        &settings,
        battery,
        RunRecord { key, failed: None, remarks, seconds: [making, 0.0], findings: Vec::new() },
    )
}

/// Measures files that another tool made.
pub fn of_files(original: &Table, tables: &[Arc<Table>], battery: &Battery, key: String) -> RunRecord {
    let record =
        RunRecord { key, failed: None, remarks: Vec::new(), seconds: [0.0; 2], findings: Vec::new() };
    measured(
        original,
        tables.iter().map(|table| table.as_ref().clone()).collect(),
        &battery.settings,
        battery,
        record,
    )
}

/// The battery's settings with what is known of this recipe: its mechanism, its scale, and whether it chose its number of records.
pub fn settings_for<'a>(original: impl Into<Source<'a>>, recipe: &Recipe, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.intruder.mechanism = original.into().table().and_then(|table| planned::mechanism(table, recipe));
    settings.tau.scale = planned::cell_draws(recipe).map_or(1.0, |draws| draws.scale());
    if Synthesizer::of(recipe).is_ok_and(|method| !method.rows_can_be_chosen()) {
        settings.tables.synthetic_size = SyntheticSize::Random;
    }
    settings
}

fn data_sets(original: &Table, recipe: &Recipe, seed: u64) -> Result<Made, SynthesisError> {
    drawn(&fit(original, recipe, &Run::replayed(seed))?, 0, recipe.m)
}

/// `m` data sets from number `first` on.
fn drawn(fitted: &Fitted, first: u32, m: u32) -> Result<Made, SynthesisError> {
    let tables = (first..first + m).map(|number| fitted.table(number)).collect::<Result<_, _>>()?;
    Ok((tables, fitted.remarks()))
}

fn measured(
    original: &Table,
    tables: Vec<Table>,
    settings: &Settings,
    battery: &Battery,
    record: RunRecord,
) -> RunRecord {
    let start = Instant::now();
    let found: Result<Vec<Finding>, _> = (|| {
        let aligned = tables.into_iter().map(|table| align(original.schema(), table));
        let aligned = aligned.collect::<Result<Vec<Table>, _>>()?;
        let synthetic: Vec<&Table> = aligned.iter().collect();
        battery.evaluate(original, &synthetic, settings)
    })();
    let seconds = [record.seconds[0], start.elapsed().as_secs_f64()];
    match found {
        Ok(findings) => RunRecord { findings: battery.condense(findings), seconds, ..record },
        Err(error) => failed(record.key, error.to_string(), seconds),
    }
}

fn failed(key: String, because: String, seconds: [f64; 2]) -> RunRecord {
    RunRecord { key, failed: Some(because), remarks: Vec::new(), seconds, findings: Vec::new() }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;
    use town::Town;

    use super::*;

    fn people(records: usize) -> Table {
        let line =
            |at: usize| format!("{},{},{}\n", ["F", "M"][at % 2], ["a", "b", "c"][at * 7 % 3], at * 13 % 50);
        let text: String = (0..records).map(line).collect();
        read_csv_text(&format!("sex,town,age\n{text}"), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn models_are_shared_where_the_fit_takes_no_chance() {
        let original = people(120);
        let recipe = |text: &str| Recipe::parse(text).unwrap();
        for (text, shared) in [
            ("method = \"catall\"", true),
            ("method = \"saturated\"", true),
            ("method = \"sequential\"", true),
            ("method = \"sequential\"\n[variables.age]\nmethod = \"pmm\"", true),
            ("method = \"sequential\"\n[options]\nmethod = \"forest\"", false),
            ("method = \"sequential\"\n[variables.age]\nmethod = \"bagging\"", false),
            ("method = \"sequential\"\n[variables.town]\nmethod = \"quantile\"", false),
            ("method = \"catall\"\n[privacy]\nepsilon = 1", false),
        ] {
            assert_eq!(shares_its_model(&original, &recipe(text)), shared, "{text}");
        }
    }

    /// Where rules may refuse what is drawn, entries of the data are kept to be tried, and of many records they are drawn.
    #[test]
    fn rules_on_many_records_take_chance() {
        let town = |people: usize| {
            let schema = SchemaFile::parse(&Town::default().schema()).unwrap();
            let options = ReadOptions { schema: Some(schema), ..ReadOptions::default() };
            read_csv_text(&Town::new(people, 5).csv(), &options).unwrap()
        };
        let trees = Recipe::parse("method = \"sequential\"").unwrap();
        assert!(shares_its_model(&town(300), &trees) && shares_its_model(&people(1500), &trees));
        assert!(!shares_its_model(&town(1500), &trees));
    }
}
