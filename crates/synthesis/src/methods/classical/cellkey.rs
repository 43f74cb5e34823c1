//! `cellkey`: counts perturbed by the cell-key method (Fraser & Wooton 2005; Thompson, Broadfoot & Elazar 2013; Giessing 2016).
//!
//! A count i becomes j with |j − i| ≤ D, j ≥ 0 and j no small count 1, …, s. Among the distributions with E j = i and Var j = V it is the one of greatest entropy,
//! p(j) ∝ exp(a (j − i) + b (j − i)²); where the counts that are left over cannot have variance V, the variance is as near to V as they allow. Empty cells stay empty.

use rand::RngExt;
use serde::Deserialize;

use super::perturbed_cells::{self, Perturbation};
use crate::card::{MethodCard, Needs, OptionCard, Usual};
use crate::randomness::Rng;
use crate::stored::{StateContext, StateReader};
use crate::{Cells, Model, SynthesisError, Synthesizer, registry};

/// The card.
pub const CARD: MethodCard = MethodCard {
    name: "cellkey",
    summary: "perturbs the counts of the cross-table of all variables by the cell-key method (classical; not synthetic)",
    use_when: "a frontier is to show what the tables of census offices would have kept; few variables, or every cell has one record",
    needs: Needs::Counts,
    options: &[
        OptionCard { name: "most", meaning: "the largest change of a count", default: Usual::Value("5") },
        OptionCard { name: "variance", meaning: "the variance of the change", default: Usual::Value("3.0") },
        OptionCard {
            name: "small",
            meaning: "counts from 1 to this one do not occur",
            default: Usual::Value("2"),
        },
    ],
    reproducible: true,
    privacy: None,
    mechanism: None,
    trials: &[],
    memory: "the occupied cells, whatever K is",
    citation: "Thompson, Broadfoot & Elazar (2013), Methodology for the automatic confidentialisation of statistical outputs from remote servers at the Australian Bureau of Statistics; Giessing (2016), Computational issues in the design of transition probabilities and disclosure risk estimation for additive noise",
};

/// The settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
struct Options {
    most: u64,
    variance: f64,
    small: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { most: 5, variance: 3.0, small: 2 }
    }
}

/// A synthesizer with these options.
pub fn build(options: &toml::Table) -> Result<Synthesizer, SynthesisError> {
    Ok(perturbed_cells::synthesizer(settings(options)?))
}

/// A model from its stored state.
pub fn load(
    from: &mut StateReader<'_>,
    context: StateContext<'_>,
) -> Result<Box<dyn Model<Cells>>, SynthesisError> {
    perturbed_cells::load(from, context, settings(context.options)?)
}

fn settings(options: &toml::Table) -> Result<CellKey, SynthesisError> {
    let options: Options = registry::options(options, &CARD)?;
    if !(1..=1_000).contains(&options.most) {
        return Err(SynthesisError::option("most", "it must lie between 1 and 1000"));
    }
    if options.small > options.most {
        return Err(SynthesisError::option(
            "small",
            "it must be at most `most`, or a count of 1 has nowhere to go but to 0",
        ));
    }
    let largest = (options.most * options.most) as f64;
    if !(options.variance > 0.0 && options.variance <= largest) {
        return Err(SynthesisError::option(
            "variance",
            "it must be positive, and at most the square of `most`",
        ));
    }
    Ok(CellKey::new(&options))
}

/// The distributions of small counts, and of all larger ones.
struct CellKey {
    most: u64,
    /// For the count i, up to where nothing is near: each new count with the probability of it or a smaller one.
    tables: Vec<Vec<(u64, f64)>>,
}

impl CellKey {
    fn new(options: &Options) -> Self {
        let last = options.most + options.small + 1;
        let table = |count: u64| {
            let lowest = count.saturating_sub(options.most);
            let allowed: Vec<u64> =
                (lowest..=count + options.most).filter(|to| *to == 0 || *to > options.small).collect();
            let changes: Vec<f64> = allowed.iter().map(|to| *to as f64 - count as f64).collect();
            let chances = greatest_entropy(&changes, options.variance);
            let mut sum = 0.0;
            let cumulated = allowed.into_iter().zip(chances).map(|(to, chance)| {
                sum += chance;
                (to, sum)
            });
            cumulated.collect()
        };
        let tables = (0..=last).map(|count| if count == 0 { vec![(0, 1.0)] } else { table(count) });
        Self { most: options.most, tables: tables.collect() }
    }
}

impl Perturbation for CellKey {
    fn perturbed(&self, count: u64, key: &mut Rng) -> u64 {
        let own_key: f64 = key.random();
        // Beyond the last table nothing is forbidden, and changes are as there.
        let last = self.tables.len() as u64 - 1;
        let (table, shift) = (&self.tables[count.min(last) as usize], count.saturating_sub(last));
        let place = table.partition_point(|(_, sum)| *sum <= own_key).min(table.len() - 1);
        debug_assert!((table[place].0 + shift).abs_diff(count) <= self.most);
        table[place].0 + shift
    }
}

/// p ∝ exp(a x + b x²) with mean 0 and, as nearly as can be, this variance.
fn greatest_entropy(changes: &[f64], variance: f64) -> Vec<f64> {
    let with = |b: f64| {
        let (mut low, mut high) = (-60.0, 60.0);
        for _ in 0..200 {
            let a = (low + high) / 2.0;
            if moments(changes, a, b).0 < 0.0 { low = a } else { high = a }
        }
        (low + high) / 2.0
    };
    // Larger b spreads more.
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..200 {
        let b = (low + high) / 2.0;
        if moments(changes, with(b), b).1 < variance { low = b } else { high = b }
    }
    let b = (low + high) / 2.0;
    probabilities(changes, with(b), b)
}

fn probabilities(changes: &[f64], a: f64, b: f64) -> Vec<f64> {
    let exponents: Vec<f64> = changes.iter().map(|x| a * x + b * x * x).collect();
    let largest = exponents.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = exponents.iter().map(|exponent| (exponent - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Mean and mean square.
fn moments(changes: &[f64], a: f64, b: f64) -> (f64, f64) {
    let chances = probabilities(changes, a, b);
    let moment = |power: i32| changes.iter().zip(&chances).map(|(x, chance)| chance * x.powi(power)).sum();
    (moment(1), moment(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distribution of what a count becomes.
    fn table(count: usize, options: &Options) -> Vec<(u64, f64)> {
        let key = CellKey::new(options);
        let mut before = 0.0;
        let single = key.tables[count].iter().map(|(to, sum)| {
            let chance = sum - before;
            before = *sum;
            (*to, chance)
        });
        single.collect()
    }

    #[test]
    fn changes_are_unbiased_bounded_and_have_the_variance_where_they_can() {
        let options = Options::default();
        for count in 1..=8_usize {
            let table = table(count, &options);
            let mean: f64 = table.iter().map(|(to, chance)| *to as f64 * chance).sum();
            let variance: f64 =
                table.iter().map(|(to, chance)| (*to as f64 - count as f64).powi(2) * chance).sum();
            assert!((mean - count as f64).abs() < 1e-9, "{count}: {mean}");
            assert!((variance - 3.0).abs() < 1e-6, "{count}: {variance}");
            assert!(table.iter().all(|(to, _)| to.abs_diff(count as u64) <= 5 && !(1..=2).contains(to)));
        }
    }

    #[test]
    fn a_one_among_zero_and_three_has_one_distribution() {
        // Only 0 and 3 are within reach: E = 1 leaves 2/3 and 1/3, whatever the variance.
        let table = table(1, &Options { most: 2, variance: 0.5, small: 2 });
        assert_eq!(table.iter().map(|(to, _)| *to).collect::<Vec<_>>(), [0, 3]);
        assert!((table[1].1 - 1.0 / 3.0).abs() < 1e-9);
    }
}
