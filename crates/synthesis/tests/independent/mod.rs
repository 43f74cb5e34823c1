//! `independent`: every variable by itself, each level in proportion to its count. No association is kept.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use synthesis::card::{Needs, OptionCard, Usual};
use synthesis::randomness::{Rng, Seed};
use synthesis::synthesizer::{CountSynthesizer, Data};
use synthesis::{
    Cells, Making, MethodCard, Model, RecordsCard, StructuralZeros, SynthesisError, Synthesizer, registry,
};
use table::{Attributes, Domain};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "independent",
    summary: "draws every variable by itself, in proportion to its counts",
    use_when: "a file is wanted that keeps single variables and nothing else",
    needs: Needs::Counts,
    options: &[OptionCard {
        name: "added",
        meaning: "records that are added to the count of every level",
        default: Usual::Value("0"),
    }],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "one count a level",
    citation: "an example",
};

/// The settings.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Independent {
    added: u64,
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    let independent: Independent = registry::options(options, &CARD)?;
    Ok(Synthesizer::Counts(Box::new(independent)))
}

impl CountSynthesizer for Independent {
    fn records_card(&self) -> RecordsCard {
        RecordsCard {
            making: Making::PlainDraws,
            cells: None,
            uniform_records: 0.0,
            leaves_out: Some("the model knows single variables; what they have to do with each other".into()),
            is_raked: false,
        }
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain();
        let single = (0..domain.variables().len()).map(|position| Attributes::new([position]));
        let margins = data.counts.margins(&single.collect::<Vec<_>>())?;
        let counts =
            margins.iter().map(|margin| margin.counts().iter().map(|count| count + self.added).collect());
        let model = State { domain: domain.clone(), zeros: data.zeros.clone(), counts: counts.collect() };
        Ok(Box::new(model))
    }
}

/// The fitted model, and what its file holds.
#[derive(Serialize, Deserialize)]
struct State {
    domain: Domain,
    zeros: StructuralZeros,
    counts: Vec<Vec<u64>>,
}

/// A model from its stored state.
pub fn load(state: serde_json::Value) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let state: State =
        serde_json::from_value(state).map_err(|error| SynthesisError::ModelFile(error.to_string()))?;
    Ok(Box::new(state))
}

impl State {
    /// A cell that can occur.
    fn cell(&self, rng: &mut Rng) -> Vec<u32> {
        loop {
            let cell: Vec<u32> = self.counts.iter().map(|counts| level(counts, rng)).collect();
            if !self.zeros.contains(&cell) {
                return cell;
            }
        }
    }
}

/// A level in proportion to its count.
fn level(counts: &[u64], rng: &mut Rng) -> u32 {
    let mut left = rng.random_range(0..counts.iter().sum());
    let mut levels = 0..;
    levels
        .find(|level| match left.checked_sub(counts[*level as usize]) {
            Some(rest) => {
                left = rest;
                false
            }
            None => true,
        })
        .unwrap_or_default()
}

impl Model<Cells> for State {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        Ok(Cells::draw(&self.domain, rows, seed, |_, rows, mut rng| {
            let mut columns = vec![Vec::with_capacity(rows); self.counts.len()];
            for _ in 0..rows {
                let cell = self.cell(&mut rng);
                columns.iter_mut().zip(cell).for_each(|(column, class)| column.push(class));
            }
            columns
        }))
    }

    fn state(&self) -> serde_json::Value {
        serde_json::json!(self)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("the exact count of every level")
    }
}
