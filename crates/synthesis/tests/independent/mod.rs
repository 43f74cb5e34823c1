//! `independent`: every variable by itself, each level in proportion to its count. No association is kept.

use rand::RngExt;
use serde::Deserialize;
use synthesis::card::{Needs, OptionCard, Usual};
use synthesis::randomness::{Rng, Seed};
use synthesis::stored::{StateContext, StateReader, StateWriter};
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
            coverage: &[],
            margins: None,
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

/// The fitted model.
struct State {
    domain: Domain,
    zeros: StructuralZeros,
    counts: Vec<Vec<u64>>,
}

/// A model from its stored state, which may have been altered: what does not fit the domain is refused.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    let domain = context.domain.clone();
    let zeros = StructuralZeros::load(from, &domain)?;
    let mut counts = Vec::new();
    for classes in domain.variables() {
        let of: Vec<u64> = from.array("counts")?;
        if of.len() != classes.size()
            || of.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count)).is_none_or(|sum| sum == 0)
        {
            return Err(SynthesisError::ModelFile("its counts are not those of its classes".into()));
        }
        counts.push(of);
    }
    Ok(Box::new(State { domain, zeros, counts }))
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

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        self.zeros.store(into)?;
        self.counts.iter().try_for_each(|counts| into.array("counts", counts))
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("the exact count of every level")
    }
}
