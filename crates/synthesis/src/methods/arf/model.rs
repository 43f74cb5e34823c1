//! The fitted forest: the records and which of them lie in which leaf.

use rand::RngExt;
use table::Table;
use table::expression::Value;

use super::forest::{Growth, Partition, blocks, grow, predictors};
use crate::checkpoint::StoredPart;
use crate::methods::sequential::{Smoothing, SmoothingKind};
use crate::methods::whole::{Keeper, Proposals, modelled, nested_blocks};
use crate::randomness::{Rng, Seed};
use crate::run::Part;
use crate::stored::{StateContext, StateReader, StateWriter, StoredColumn, damaged, ensure};
use crate::{Model, SynthesisError, near};

/// A fitted forest.
struct ArfModel {
    keeper: Keeper,
    leaves: Leaves,
    remarks: Vec<String>,
}

/// What records are drawn from.
struct Leaves {
    partition: Partition,
    /// The modelled variables, their values in the data, and how numbers are smoothed.
    variables: Vec<table::Variable>,
    columns: Vec<StoredColumn>,
    smoothing: Vec<Smoothing>,
    /// Variables that come from one donor, by place.
    blocks: Vec<Vec<usize>>,
}

/// Grows the forest and learns what it needs to draw.
pub(super) fn fit(
    records: &Table,
    growth: &Growth,
    smoothing: SmoothingKind,
    part: &Part,
    seed: Seed,
    mut remarks: Vec<String>,
) -> Result<impl Model<Table> + use<>, SynthesisError> {
    let schema = records.schema();
    let places = modelled(schema)?;
    let own = predictors(records, &places)?;
    let blocks = blocks(&own, nested_blocks(schema, &places));
    let stored = StoredPart { folder: part.checkpoint.as_deref(), number: 0 };
    let (partition, accuracies) = stored.kept(
        |from| Ok((Partition::load(from, records.rows())?, from.array("accuracies")?)),
        |(partition, accuracies), into| {
            partition.store(into)?;
            into.array("accuracies", accuracies)
        },
        || grow(&own, &blocks, growth, part, seed.child(0)),
    )?;
    let columns: Vec<StoredColumn> =
        places.iter().map(|place| StoredColumn::of(&records.columns()[*place])).collect();
    let smoothing: Vec<Smoothing> = columns
        .iter()
        .map(|column| {
            let numbers: Vec<f64> = (0..records.rows()).filter_map(|row| column.number(row)).collect();
            if numbers.is_empty() { Smoothing::None } else { Smoothing::learn(smoothing, None, &numbers) }
        })
        .collect();
    let variables: Vec<table::Variable> =
        places.iter().map(|place| schema.variables()[*place].clone()).collect();
    let is_near =
        |(_, smoothing): &(&table::Variable, &Smoothing)| matches!(smoothing, Smoothing::Near { .. });
    let near: Vec<&str> = variables
        .iter()
        .zip(&smoothing)
        .filter(is_near)
        .map(|(variable, _)| variable.name.as_str())
        .collect();
    remarks.extend(near::remark(near.into_iter()));
    remarks.push(round_remark(&accuracies, partition.leaves()));
    let leaves = Leaves { partition, variables, columns, smoothing, blocks };
    let keeper = Keeper::learn(records, seed.child(1))?;
    remarks.extend(keeper.remark(&leaves, seed.child(2)));
    Ok(ArfModel { keeper, leaves, remarks })
}

/// How well each forest told records from those of the one before.
fn round_remark(accuracies: &[f64], leaves: usize) -> String {
    let shares: Vec<String> = accuracies.iter().map(|share| format!("{:.1} %", 100.0 * share)).collect();
    let kept = (accuracies.len() - 1).max(1);
    format!(
        "forests told {} of the records right that their trees had not seen (50 % is chance); forest {kept} is kept, with {leaves} leaves",
        shares.join(", ")
    )
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Table>>, SynthesisError> {
    let Some(records) = context.records.filter(|records| (1..=u64::from(u32::MAX)).contains(records)) else {
        return Err(damaged("it is not private, and its recipe is"));
    };
    let records = records as usize;
    let remarks = from.settings("remarks")?;
    let blocks: Vec<Vec<usize>> = from.settings("blocks")?;
    let schema = context.schema;
    let places = modelled(schema)?;
    let partition = Partition::load(from, records)?;
    let column = |place: &usize| StoredColumn::load(from, &schema.variables()[*place], records);
    let columns = places.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let smoothing = places.iter().map(|_| Smoothing::load(from)).collect::<Result<Vec<_>, _>>()?;
    let variables = places.iter().map(|place| schema.variables()[*place].clone()).collect();
    let mut seen: Vec<usize> = blocks.iter().flatten().copied().collect();
    seen.sort_unstable();
    ensure(seen.into_iter().eq(0..places.len()), "its blocks do not hold every variable once")?;
    let leaves = Leaves { partition, variables, columns, smoothing, blocks };
    Ok(Box::new(ArfModel { keeper: Keeper::load(from, schema)?, leaves, remarks }))
}

impl Proposals for Leaves {
    fn propose(&self, rows: usize, rng: &mut Rng) -> Vec<Vec<Value>> {
        let mut values = vec![Vec::with_capacity(rows); self.columns.len()];
        for _ in 0..rows {
            let leaf = self.partition.leaf(rng);
            for block in &self.blocks {
                let donor = leaf[rng.random_range(0..leaf.len())] as usize;
                for place in block {
                    let variable = &self.variables[*place];
                    values[*place].push(match self.columns[*place].value(variable, donor) {
                        Value::Number(number) => Value::Number(self.smoothed(*place, number, rng)),
                        other => other,
                    });
                }
            }
        }
        values
    }
}

impl Leaves {
    fn smoothed(&self, place: usize, number: f64, rng: &mut Rng) -> f64 {
        let kind = &self.variables[place].kind;
        let number = self.smoothing[place].apply(number, rng);
        match kind.step().filter(|step| *step > 1.0) {
            Some(step) => (number / step).round() * step,
            None if matches!(kind, table::Kind::Real { .. }) => number,
            None => number.round(),
        }
    }
}

impl Model<Table> for ArfModel {
    fn sample(&self, rows: usize, seed: Seed) -> Result<Table, SynthesisError> {
        self.keeper.draw(&self.leaves, rows, seed)
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings("remarks", &self.remarks)?;
        into.settings("blocks", &self.leaves.blocks)?;
        self.leaves.partition.store(into)?;
        self.leaves.columns.iter().try_for_each(|column| column.store(into))?;
        self.leaves.smoothing.iter().try_for_each(|smoothing| smoothing.store(into))?;
        self.keeper.store(into)
    }

    fn confidential(&self) -> Option<&'static str> {
        Some("the original records: the donors from which synthetic values are drawn")
    }
}
