//! A method that works on records, fitted apart in each stratum, and its records put together again.

use rand::seq::SliceRandom;
use table::Table;

use crate::key::Key;
use crate::randomness::Seed;
use crate::registry::LoadModel;
use crate::run::{Part, Run};
use crate::stored::{StateContext, StateReader, StateWriter};
use crate::strata::{check_sizes, largest_remainders};
use crate::synthesizer::RecordSynthesizer;
use crate::{Model, SynthesisError};

/// Models of strata of records.
pub struct RecordStrata {
    strata: Vec<Stratum>,
    remarks: Vec<String>,
}

struct Stratum {
    records: u64,
    model: Box<dyn Model<Table>>,
}

impl RecordStrata {
    /// Fits the method apart in every combination of the keys that occurs: names of variables, or expressions.
    pub fn fit(
        method: &dyn RecordSynthesizer,
        records: &Table,
        by: &[String],
        run: &Run,
        seed: Seed,
    ) -> Result<Self, SynthesisError> {
        let refuse = |error: table::TableError| SynthesisError::option("strata", error.to_string());
        let keys = by.iter().map(|text| Key::parse(text, records.schema().variables()).map_err(refuse));
        let keys = keys.collect::<Result<Vec<Key>, _>>()?;
        let mut rows_of: std::collections::BTreeMap<Vec<u64>, Vec<u32>> = std::collections::BTreeMap::new();
        for row in 0..records.rows() {
            let record = records.record(row);
            let cell = keys.iter().map(|key| key.of(&record)).collect();
            rows_of.entry(cell).or_default().push(row as u32);
        }
        let mut strata = Vec::with_capacity(rows_of.len());
        for (number, rows) in rows_of.into_values().enumerate() {
            let part = Part::stratum(run, number);
            let model = method.fit(&records.take(&rows)?, &part, seed.child(number as u64))?;
            strata.push(Stratum { records: rows.len() as u64, model });
        }
        Ok(Self { strata, remarks: method.remarks(records) })
    }

    /// Models of strata from their stored state.
    pub(crate) fn load(
        from: &mut StateReader<'_>,
        context: StateContext<'_>,
        load: LoadModel<Table>,
    ) -> Result<Self, SynthesisError> {
        let remarks = from.settings("remarks")?;
        let records: Vec<u64> = from.array("records")?;
        check_sizes(&records, context.records)?;
        let stratum = |records: u64| {
            let context = StateContext { records: Some(records), ..context };
            Ok(Stratum { records, model: load(from, context)? })
        };
        let strata = records.into_iter().map(stratum).collect::<Result<_, SynthesisError>>()?;
        Ok(Self { strata, remarks })
    }
}

impl Model<Table> for RecordStrata {
    /// Strata keep their shares of the records exactly, up to rounding; records come in random order.
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        self.candidates(rows, 1, seed)
    }

    fn keeps_values(&self) -> bool {
        self.strata.iter().any(|stratum| stratum.model.keeps_values())
    }

    fn candidates(&self, rows: usize, each: usize, seed: Seed) -> Result<Table, SynthesisError> {
        let sizes: Vec<u64> = self.strata.iter().map(|stratum| stratum.records).collect();
        let (mut parts, mut places) = (Vec::new(), Vec::with_capacity(rows));
        let mut before = 0;
        for (number, (stratum, rows)) in
            self.strata.iter().zip(largest_remainders(&sizes, rows as u64)).enumerate()
        {
            if rows > 0 {
                let rows = rows as usize;
                parts.push(stratum.model.candidates(rows, each, seed.child(number as u64))?);
                // Where the first candidate of each record is, and how far apart its candidates are.
                places.extend((before..before + rows).map(|place| (place as u32, rows as u32)));
                before += rows * each;
            }
        }
        let Some(schema) = parts.first().map(Table::shared_schema) else {
            return Err(SynthesisError::option("rows", "a data set needs at least one record"));
        };
        let all = Table::concatenate(schema, parts)?;
        places.shuffle(&mut seed.stream(0));
        let candidates = |k: u32| places.iter().map(move |(first, apart)| first + k * apart);
        let order: Vec<u32> = (0..each as u32).flat_map(candidates).collect();
        Ok(all.take(&order)?)
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![format!("fitted apart in {} strata", self.strata.len())];
        let mut of_strata: Vec<String> =
            self.strata.iter().flat_map(|stratum| stratum.model.remarks()).collect();
        of_strata.sort_unstable();
        of_strata.dedup();
        remarks.extend(self.remarks.iter().cloned());
        remarks.extend(of_strata.into_iter().take(5));
        remarks
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("remarks", &self.remarks)?;
        into.numbers("records", self.strata.len(), self.strata.iter().map(|stratum| stratum.records))?;
        self.strata.iter().try_for_each(|stratum| stratum.model.store(into))
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("the number of records in each stratum, and what the models of the strata hold")
    }
}
