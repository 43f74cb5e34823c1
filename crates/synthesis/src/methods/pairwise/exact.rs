//! `pairwise` without a budget: all pairs, counted exactly.

use table::{Attributes, CountSource};

use super::grouping::{Grouping, Merges, within};
use super::known::{Variables, is_ordered};
use super::plan::cells_of_each;
use super::rows::{Goals, Table};
use super::state::PairwiseModel;
use super::{Pairwise, Rows};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Model, RecordsCard, SynthesisError};

/// Pairs that are counted in one call.
const PAIRS_AT_A_TIME: usize = 256;
/// Cells of a pair, at most, that is counted densely.
const DENSE_CELLS: u64 = 1 << 21;

impl CountSynthesizer for Pairwise {
    fn records_card(&self) -> RecordsCard {
        self.records_card(false)
    }

    fn fit(&self, data: Data<'_>) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
        let domain = data.counts.domain();
        let variables = Variables::new(domain, data.zeros, &is_ordered, self.workload.as_deref())?;
        let single: Vec<Attributes> =
            (0..domain.variables().len()).map(|variable| Attributes::new([variable])).collect();
        let counts: Vec<Vec<f64>> = data
            .counts
            .margins(&single)?
            .iter()
            .map(|margin| margin.counts().iter().map(|count| *count as f64).collect())
            .collect();
        let merges: Vec<Merges> = variables
            .levels
            .iter()
            .zip(&counts)
            .map(|(levels, counts)| Merges::new(levels, counts))
            .collect();
        let most = cells_of_each(variables.pairs.len());
        let mut tables = Vec::with_capacity(variables.pairs.len());
        let mut merged = 0;
        for (some, weights) in
            variables.pairs.chunks(PAIRS_AT_A_TIME).zip(variables.pair_weights.chunks(PAIRS_AT_A_TIME))
        {
            let groupings: Vec<[Grouping; 2]> = some
                .iter()
                .map(|pair| {
                    let both = pair.map(|variable| &merges[variable]);
                    let all = pair.map(|variable| variables.levels[variable].size);
                    let groups = within(both, all, most);
                    merged += usize::from(groups != all);
                    [both[0].grouping(groups[0]), both[1].grouping(groups[1])]
                })
                .collect();
            let counted = counted(data.counts, some, &groupings)?;
            for (((pair, groupings), counts), weight) in some.iter().zip(groupings).zip(counted).zip(weights)
            {
                tables.push(Table { variables: *pair, groupings, counts, weight: *weight as f32 });
            }
        }
        // Pairs far from independence come first: they are the tree from which unsettled rows are drawn.
        let records = data.counts.records() as f64;
        let mut ranked: Vec<(f64, Table)> =
            tables.into_iter().map(|table| (distance(&table, &counts, records), table)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.variables.cmp(&other.1.variables)));
        let goals = Goals {
            records: records.max(1.0),
            one_ways: counts
                .iter()
                .map(|counts| counts.iter().map(|count| *count as f32).collect())
                .collect(),
            weights: variables.variable_weights.iter().map(|weight| *weight as f32).collect(),
            tables: ranked.into_iter().map(|(_, table)| table).collect(),
        };
        let mut remarks = vec![format!("all {} pairs of variables were counted", goals.tables.len())];
        if merged > 0 {
            remarks.push(format!(
                "{merged} of them have more than {most} cells and were counted in groups of levels"
            ));
        }
        Ok(Box::new(PairwiseModel {
            domain: domain.clone(),
            zeros: data.zeros.clone(),
            goals,
            constraints: variables.constraints,
            settle: self.rows == Rows::Settled,
            remarks,
            private: false,
        }))
    }
}

/// Half the sum of absolute differences from independence, over the records.
fn distance(table: &Table, counts: &[Vec<f64>], records: f64) -> f64 {
    let sums = [0, 1].map(|side| table.groupings[side].sums(&counts[table.variables[side]]));
    let expected = super::associations::independence(&sums[0], &sums[1], records.max(1.0));
    table.counts.iter().zip(expected).map(|(count, expected)| (f64::from(*count) - expected).abs()).sum()
}

/// The counts of some pairs in groups.
fn counted(
    counts: &dyn CountSource,
    pairs: &[[usize; 2]],
    groupings: &[[Grouping; 2]],
) -> Result<Vec<Vec<f32>>, SynthesisError> {
    let domain = counts.domain();
    let sizes = |pair: &[usize; 2]| pair.map(|variable| domain.variables()[variable].size());
    let is_dense =
        |pair: &&[usize; 2]| sizes(pair).iter().map(|size| *size as u64).product::<u64>() <= DENSE_CELLS;
    let wanted: Vec<Attributes> = pairs.iter().filter(is_dense).map(|pair| Attributes::new(*pair)).collect();
    let mut dense = counts.margins(&wanted)?.into_iter();
    let mut all = Vec::with_capacity(pairs.len());
    for (pair, [one, other]) in pairs.iter().zip(groupings) {
        let mut table = vec![0_u64; one.groups * other.groups];
        let mut add = |levels: [usize; 2], count: u64| {
            let place = one.of_level[levels[0]] as usize * other.groups + other.of_level[levels[1]] as usize;
            table[place] += count;
        };
        match if is_dense(&pair) { dense.next() } else { None } {
            Some(margin) => {
                let columns = sizes(pair)[1];
                let cells = margin.counts().iter().enumerate();
                cells.for_each(|(place, count)| add([place / columns, place % columns], *count));
            }
            None => {
                let sparse = counts.contingency_table(&Attributes::new(*pair))?;
                sparse.iter().for_each(|(cell, count)| add([cell[0] as usize, cell[1] as usize], count));
            }
        }
        all.push(table.into_iter().map(|count| count as f32).collect());
    }
    Ok(all)
}
