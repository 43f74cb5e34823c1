//! How far T_s falls short where counts are more dispersed than a plain sample's (Jackson et al. 2022, section 5.2).
//!
//! A cell of mean μ has variance μ + σμ² instead of μ. An estimate then scatters around the original's with about
//! f = 1 + σ Σμ²/Σμ times the variance that a file of plain draws would show, Σμ²/Σμ the size of the cell of a typical record.
//! From the released counts, E s(s − 1) = (1 + σ) μ², so that Σμ²/Σμ is estimated by Σ s(s − 1)/((1 + σ) Σ s).
//!
//! T_s takes v/m for what is f v/m, and its interval at level 2Φ(z) − 1 covers with probability 2Φ(z √(T_s/T)) − 1.

use statrs::distribution::{ContinuousCDF, Normal};
use table::{Attributes, CodedTable, CountSource, Grouping, Table, Variable};

use crate::interval::{Level, Reference};
use crate::{InferenceError, Target};

/// f: by how much the scatter of an estimate exceeds that of plain draws, from the sizes of released cells.
pub fn variance_inflation(sigma: f64, cell_sizes: impl IntoIterator<Item = (u64, u64)>) -> f64 {
    let (mut pairs, mut records) = (0.0, 0.0);
    for (size, cells) in cell_sizes {
        let (size, cells) = (size as f64, cells as f64);
        pairs += cells * size * (size - 1.0);
        records += cells * size;
    }
    if records > 0.0 { 1.0 + sigma * pairs / ((1.0 + sigma) * records) } else { 1.0 }
}

/// About how often an interval by T_s covers, where synthesis scatters f times as much as T_s supposes; `ratio` is n_syn/N.
pub fn coverage_of_t_s(inflation: f64, ratio: f64, m: usize, target: Target, level: Level) -> f64 {
    let sampling = if target == Target::Population { ratio } else { 0.0 };
    let synthesis = 1.0 / m as f64;
    let short = (sampling + synthesis) / (sampling + inflation * synthesis);
    2.0 * Normal::standard().cdf(Reference::Normal.quantile(level) * short.sqrt()) - 1.0
}

/// f of a synthetic table, its numbers in as many groups as the recipe has.
pub(crate) fn inflation_of(table: &Table, sigma: f64, groups: usize) -> Result<f64, InferenceError> {
    let grouping = Grouping::quantiles(groups);
    let coded = CodedTable::over(table, &grouping, Variable::is_modelled)?;
    let cross = coded.contingency_table(&Attributes::all(coded.domain()))?;
    Ok(variance_inflation(sigma, cross.size_histogram()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_dispersion_nothing_is_lost() {
        assert_eq!(variance_inflation(0.0, [(5, 10), (1, 3)]), 1.0);
        for target in [Target::Population, Target::Original] {
            assert!((coverage_of_t_s(1.0, 1.0, 3, target, Level::USUAL) - 0.95).abs() < 1e-9);
        }
    }

    #[test]
    fn inflation_and_coverage_by_hand() {
        // Two cells of 3 and one of 1: Σs(s−1) = 12, Σs = 7; σ = 1: f = 1 + 12/(2·7).
        assert!((variance_inflation(1.0, [(3, 2), (1, 1)]) - (1.0 + 6.0 / 7.0)).abs() < 1e-12);
        // f = 3, m = 1, n_syn = N: T_s is half of the truth; R: 2*pnorm(qnorm(.975)*sqrt(.5)) - 1
        let found = coverage_of_t_s(3.0, 1.0, 1, Target::Population, Level::USUAL);
        assert!((found - 0.834_223_4).abs() < 1e-6, "{found}");
        assert!(coverage_of_t_s(3.0, 1.0, 10, Target::Population, Level::USUAL) > found);
    }
}
