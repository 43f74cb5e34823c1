//! `microaggregation`: numbers replaced by the mean of a small group of records alike in them (MDAV: Domingo-Ferrer & Torra 2005).
//!
//! Numbers are scaled to a standard deviation of one. While 3k records or more are left, the k records nearest to the one that is farthest from the mean of
//! all form a group, then the k nearest to the one that is farthest from that one; the rest forms one group or two. Every record then gets the means
//! of its group, so that each combination of these numbers belongs to k records at least, where all of them are there. Large tables are first halved at the
//! median of the variable that spreads most, again and again, into parts of at most 1,000 records, within which groups are formed.

use rayon::prelude::*;
use serde::Deserialize;
use table::schema::Schema;

use super::records::{self, Names, Protection, Records, SMOOTHING, Smoothing, is_number, named};
use crate::card::{MethodCard, Needs, OptionCard, Suits, Trial, Usual};
use crate::near;
use crate::randomness::Seed;
use crate::stored::{StateContext, StateReader};
use crate::{Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "microaggregation",
    summary: "replaces numbers by the means of groups of records that are alike in them (classical; not synthetic)",
    use_when: "a frontier is to show what averaging a few records keeps; variables with levels are not changed",
    needs: Needs::Records,
    options: &[
        OptionCard {
            name: "variables",
            meaning: "the numbers that are averaged, together",
            default: Usual::Words("all numbers, days and times"),
        },
        OptionCard { name: "k", meaning: "the records of a group at least", default: Usual::Value("5") },
        SMOOTHING,
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[Trial {
        place: 32,
        name: "microaggregation-5",
        label: "microaggregation, groups of 5",
        options: &["k=5"],
        m: 1,
        variables: 0,
        suits: Suits::Numbers,
    }],
    memory: "the data four times, and 8 bytes a number",
    citation: "Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation",
};

/// Groups are formed among at most so many records, since every group looks at all that are left.
const PART: usize = 1_000;

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Microaggregation {
    variables: Option<Names>,
    k: usize,
    smoothing: Smoothing,
}

impl Default for Microaggregation {
    fn default() -> Self {
        Self { variables: None, k: 5, smoothing: Smoothing::Auto }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(records::synthesizer(settings(options)?))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<table::Table>>, SynthesisError> {
    records::load(from, context, settings(context.options)?)
}

fn settings(options: &toml::Table) -> Result<Microaggregation, SynthesisError> {
    let settings: Microaggregation = registry::options(options, &CARD)?;
    if !(2..=PART / 4).contains(&settings.k) {
        return Err(SynthesisError::option("k", format!("it must lie between 2 and {}", PART / 4)));
    }
    Ok(settings)
}

impl Protection for Microaggregation {
    fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    fn leaves_out(&self) -> &'static str {
        "what differs between records whose numbers were averaged"
    }

    fn check(&self, schema: &Schema) -> Result<(), SynthesisError> {
        named(schema, "variables", self.variables.as_ref(), is_number, (is_number, "a number"))?;
        Ok(())
    }

    fn protect(&self, records: &mut Records, _: Seed) -> Result<(), SynthesisError> {
        let schema = records.schema();
        let names = named(&schema, "variables", self.variables.as_ref(), is_number, (is_number, "a number"))?;
        let columns = records.columns_of(&names);
        if columns.is_empty() {
            return Ok(());
        }
        let points = Points::of(records, &columns);
        let parts = points.parts((0..records.rows as u32).collect());
        let groups: Vec<Vec<u32>> =
            parts.into_par_iter().flat_map_iter(|part| points.groups(part, self.k)).collect();
        for column in columns {
            let rows = records.rows;
            let column = &mut records.columns[column];
            let precise: Vec<f64> = (0..rows).filter_map(|row| column.number(row)).collect();
            let precision = near::Precision::of(&precise);
            for group in &groups {
                let numbers: Vec<f64> = group.iter().filter_map(|row| column.number(*row as usize)).collect();
                if numbers.is_empty() {
                    continue;
                }
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                let mean = precision.map_or(mean, |precision| precision.round(mean));
                for row in
                    group.iter().filter(|row| column.number(**row as usize).is_some()).collect::<Vec<_>>()
                {
                    column.set_number(*row as usize, mean);
                }
            }
        }
        Ok(())
    }
}

/// Records as points, row by row; what is missing lies at the mean.
struct Points {
    scaled: Vec<f64>,
    dimensions: usize,
}

impl Points {
    fn of(records: &Records, columns: &[usize]) -> Self {
        let mut scaled = vec![0.0; records.rows * columns.len()];
        for (place, column) in columns.iter().enumerate() {
            let column = &records.columns[*column];
            let numbers: Vec<f64> = (0..records.rows).filter_map(|row| column.number(row)).collect();
            let count = numbers.len().max(1) as f64;
            let mean = numbers.iter().sum::<f64>() / count;
            let deviation =
                (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count).sqrt();
            for row in 0..records.rows {
                if let Some(number) = column.number(row).filter(|_| deviation > 0.0) {
                    scaled[row * columns.len() + place] = (number - mean) / deviation;
                }
            }
        }
        Self { scaled, dimensions: columns.len() }
    }

    fn point(&self, row: u32) -> &[f64] {
        &self.scaled[row as usize * self.dimensions..][..self.dimensions]
    }

    fn distance(&self, row: u32, from: &[f64]) -> f64 {
        self.point(row).iter().zip(from).map(|(here, there)| (here - there).powi(2)).sum()
    }

    /// Rows halved at medians until the parts are small.
    fn parts(&self, rows: Vec<u32>) -> Vec<Vec<u32>> {
        if rows.len() <= PART {
            return vec![rows];
        }
        let spread = |dimension: &usize| {
            let numbers = rows.iter().map(|row| self.point(*row)[*dimension]);
            let (low, high) =
                numbers.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
            high - low
        };
        let widest =
            (0..self.dimensions).max_by(|left, right| spread(left).total_cmp(&spread(right))).unwrap_or(0);
        let mut rows = rows;
        rows.sort_by(|left, right| self.point(*left)[widest].total_cmp(&self.point(*right)[widest]));
        let upper = rows.split_off(rows.len() / 2);
        let (mut lower, upper) = rayon::join(|| self.parts(rows), || self.parts(upper));
        lower.extend(upper);
        lower
    }

    /// Groups of k records and more.
    fn groups(&self, mut left: Vec<u32>, k: usize) -> Vec<Vec<u32>> {
        let mut groups = Vec::new();
        while left.len() >= 3 * k {
            let farthest = self.farthest(&left, &self.mean(&left));
            groups.push(self.nearest(&mut left, farthest, k));
            let opposite = self.farthest(&left, self.point(farthest));
            groups.push(self.nearest(&mut left, opposite, k));
        }
        if left.len() >= 2 * k {
            let farthest = self.farthest(&left, &self.mean(&left));
            groups.push(self.nearest(&mut left, farthest, k));
        }
        groups.push(left);
        groups
    }

    fn mean(&self, rows: &[u32]) -> Vec<f64> {
        let mut mean = vec![0.0; self.dimensions];
        for row in rows {
            mean.iter_mut().zip(self.point(*row)).for_each(|(sum, at)| *sum += at);
        }
        mean.iter_mut().for_each(|sum| *sum /= rows.len() as f64);
        mean
    }

    /// The record farthest from a point; the first of several.
    fn farthest(&self, rows: &[u32], from: &[f64]) -> u32 {
        let distances = rows.iter().rev().map(|row| (*row, self.distance(*row, from)));
        distances.max_by(|left, right| left.1.total_cmp(&right.1)).map_or(0, |(row, _)| row)
    }

    /// Takes out the k records nearest to one, itself among them.
    fn nearest(&self, left: &mut Vec<u32>, to: u32, k: usize) -> Vec<u32> {
        let here = self.point(to).to_vec();
        left.sort_by(|one, other| self.distance(*one, &here).total_cmp(&self.distance(*other, &here)));
        left.drain(..k).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_near_and_never_smaller_than_k() {
        let points = Points { scaled: vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2, 9.3], dimensions: 1 };
        let mut groups = points.groups((0..10).collect(), 3);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        // The mean is 5.22: the first record is farthest, then the last; what is left is the middle with the record nearest to it.
        assert_eq!(groups, [vec![0, 1, 2], vec![3, 4, 5, 6], vec![7, 8, 9]]);
        assert_eq!(points.groups(vec![0, 1], 3), [vec![0, 1]], "a table of fewer is one group");
    }

    #[test]
    fn parts_cover_every_record_once() {
        let points = Points {
            scaled: (0..5_000).map(|row| f64::from((row * 7_919) % 5_003)).collect(),
            dimensions: 1,
        };
        let parts = points.parts((0..5_000).collect());
        assert!(parts.iter().all(|part| part.len() <= PART && part.len() >= PART / 2));
        let mut all: Vec<u32> = parts.concat();
        all.sort_unstable();
        assert_eq!(all, (0..5_000).collect::<Vec<u32>>());
    }
}
