//! All numbers of one table.

use super::cell_pairs::difference;
use super::{CellPairs, SyntheticSize, TableStatistic};
use crate::evaluation::with_each;
use crate::{Finding, Null};

/// What was found in one table: a value, or the reason why there is none, for every [`TableStatistic`].
#[derive(Clone, Debug, PartialEq)]
pub struct TableUtility {
    /// The variables of the table.
    pub on: Vec<String>,
    /// Original records in the table.
    pub original_records: u64,
    /// Synthetic records in the table; the mean over several synthetic sets.
    pub synthetic_records: f64,
    values: [Result<f64, Undefined>; TableStatistic::COUNT],
}

/// Why a number of a table does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// The original has no record in the table.
    #[error("the original has no record in this table")]
    NoOriginal,
    /// The synthetic file has none.
    #[error("the synthetic file has no record in this table")]
    NoSynthetic,
    /// One cell only.
    #[error("all records fall into one cell, which leaves no degree of freedom")]
    OneCell,
    /// No cell is filled by both.
    #[error("no cell holds records of both files")]
    NoCommonCell,
    /// Only one cell is.
    #[error("only one cell holds records of both files, which leaves no degree of freedom")]
    OneCommonCell,
}

impl TableUtility {
    /// The numbers of these counts.
    pub fn of(on: Vec<String>, counts: &CellPairs, size: SyntheticSize) -> Self {
        let (original, synthetic) = counts.totals();
        Self {
            on,
            original_records: original,
            synthetic_records: synthetic as f64,
            values: values(counts, size),
        }
    }

    /// The mean of tables over the same variables, one for each synthetic set; `None` if there are none. A number that is not
    /// defined for one set is not defined for the mean.
    pub fn mean(of: &[Self]) -> Option<Self> {
        let first = of.first()?;
        if of.len() == 1 {
            return Some(first.clone());
        }
        let sets = of.len() as f64;
        let value =
            |at: usize| Ok(of.iter().map(|one| one.values[at]).sum::<Result<f64, Undefined>>()? / sets);
        Some(Self {
            on: first.on.clone(),
            original_records: first.original_records,
            synthetic_records: of.iter().map(|one| one.synthetic_records).sum::<f64>() / sets,
            values: std::array::from_fn(value),
        })
    }

    /// One number.
    pub fn value(&self, statistic: TableStatistic) -> Result<f64, Undefined> {
        self.values[statistic as usize]
    }

    /// VW/df, the number by which tables are ranked.
    pub fn s_pmse(&self) -> Result<f64, Undefined> {
        self.value(TableStatistic::SPmse)
    }

    /// What a right generator would score, for large counts.
    pub fn null(&self, statistic: TableStatistic) -> Option<f64> {
        use TableStatistic::*;
        let df = self.value(Df).ok()?;
        let (original, synthetic) = (self.original_records as f64, self.synthetic_records);
        let share = synthetic / (original + synthetic);
        let ln2 = std::f64::consts::LN_2;
        match (statistic, statistic.card().null) {
            (_, Null::Value(value)) => Some(value),
            (_, Null::None) => None,
            (Jsd, _) => Some(df / (8.0 * synthetic * ln2)),
            (SJsd, _) => Some((original + synthetic) / (4.0 * synthetic * ln2 * ln2)),
            (Pmse, _) => Some(df * share * (1.0 - share).powi(2) / (original + synthetic)),
            (Dbhatt, _) => Some((df / (8.0 * synthetic)).sqrt()),
            (G, _) => self.value(DfG).ok(),
            (SG | SWmabsdd, _) => Some(1.0),
            (_, Null::Formula(_)) => Some(df),
        }
    }

    /// One finding for each number of the mean over data sets, with what it is in every set if there are several.
    pub(crate) fn findings_of_sets(sets: &[Self]) -> Vec<Finding> {
        let Some(mean) = Self::mean(sets) else { return Vec::new() };
        if sets.len() == 1 {
            return mean.findings().collect();
        }
        let with_sets = |(finding, statistic): (Finding, TableStatistic)| {
            let each: Vec<Option<f64>> = sets.iter().map(|set| set.value(statistic).ok()).collect();
            with_each(finding, &each)
        };
        mean.findings().zip(TableStatistic::ALL).map(with_sets).collect()
    }

    /// One finding for each number.
    pub fn findings(&self) -> impl Iterator<Item = Finding> + '_ {
        TableStatistic::ALL.into_iter().map(|statistic| {
            let card = statistic.card();
            match self.value(statistic) {
                Ok(value) => Finding::value(card.name, &self.on, value, self.null(statistic), card.better),
                Err(because) => Finding::undefined(card.name, &self.on, card.better, because),
            }
        })
    }
}

fn values(counts: &CellPairs, size: SyntheticSize) -> [Result<f64, Undefined>; TableStatistic::COUNT] {
    use TableStatistic::*;
    let (original_total, synthetic_total) = counts.totals();
    let nobody = match (original_total, synthetic_total) {
        (0, _) => Some(Undefined::NoOriginal),
        (_, 0) => Some(Undefined::NoSynthetic),
        _ => None,
    };
    let occupied = counts.pairs.len();
    let mut values = [Ok(0.0); TableStatistic::COUNT];
    values[Empty as usize] = Ok(counts.cells - occupied as f64);
    if let Some(nobody) = nobody {
        values[..Empty as usize].fill(Err(nobody));
        return values;
    }

    let (original, synthetic) = (original_total as f64, synthetic_total as f64);
    let both = original + synthetic;
    let share = synthetic / both;
    let fixed = f64::from(u8::from(size == SyntheticSize::Fixed));
    let df = occupied as f64 - fixed;

    let (mut ft, mut jsd, mut mabsdd, mut wmabsdd, mut guessed) = (0.0, 0.0, 0.0, 0.0, 0);
    let (mut common_original, mut common_synthetic, mut common_cells) = (0, 0, 0_usize);
    for (y_count, s_count) in counts.pairs.iter().copied() {
        let (y, s) = (y_count as f64, s_count as f64);
        let signed = difference((y_count, s_count), original_total, synthetic_total);
        ft += (s.sqrt() - (y * synthetic / original).sqrt()).powi(2);
        mabsdd += signed.abs();
        wmabsdd += signed.abs() / ((y + s) * share).sqrt();
        let (p, q) = (y / original, s / synthetic);
        let half = (p + q) / 2.0;
        guessed += if signed > 0.0 { s_count } else { y_count };
        if y_count > 0 {
            jsd += p * (p / half).log2();
        }
        if s_count > 0 {
            jsd += q * (q / half).log2();
        }
        if y_count > 0 && s_count > 0 {
            (common_original, common_synthetic) = (common_original + y_count, common_synthetic + s_count);
            common_cells += 1;
        }
    }
    let vw = counts.voas_williamson();
    let jsd = (jsd / 2.0).max(0.0);
    let wmabsdd = wmabsdd / std::f64::consts::FRAC_2_PI.sqrt();
    let per_df = |value: f64| if df > 0.0 { Ok(value / df) } else { Err(Undefined::OneCell) };

    let df_g = common_cells as f64 - fixed;
    let g = if common_cells == 0 {
        Err(Undefined::NoCommonCell)
    } else {
        let (original, synthetic) = (common_original as f64, common_synthetic as f64);
        let common = counts.pairs.iter().filter(|(y, s)| *y > 0 && *s > 0);
        let sum = common.map(|(y, s)| (*y as f64, *s as f64));
        let sum = sum.map(|(y, s)| s * ((s * original) / (y * synthetic)).ln()).sum::<f64>();
        Ok((2.0 * sum).max(0.0))
    };

    for (statistic, value) in [
        (Vw, Ok(vw)),
        (Ft, Ok(4.0 * ft)),
        (Jsd, Ok(jsd)),
        (Specks, Ok(mabsdd / synthetic / 2.0)),
        (Wmabsdd, Ok(wmabsdd)),
        (U, Ok(mann_whitney(&counts.pairs))),
        (G, g),
        (Pmse, Ok(vw * share * (1.0 - share).powi(2) / both)),
        (Po50, Ok(guessed as f64 / both * 100.0 - 50.0)),
        (Mabsdd, Ok(mabsdd / synthetic)),
        // 1 − Σ √(p q) = ½ Σ (√p − √q)², which does not cancel.
        (Dbhatt, Ok((ft / (2.0 * synthetic)).sqrt())),
        (SVw, per_df(vw)),
        (SFt, per_df(4.0 * ft)),
        (SJsd, per_df(2.0 * jsd * both / std::f64::consts::LN_2)),
        (SWmabsdd, per_df(wmabsdd)),
        (SG, g.and_then(|g| if df_g > 0.0 { Ok(g / df_g) } else { Err(Undefined::OneCommonCell) })),
        (SPmse, per_df(vw)),
        (Df, Ok(df)),
        (DfG, if common_cells == 0 { Err(Undefined::NoCommonCell) } else { Ok(df_g) }),
    ] {
        // Rounding can put a share a hair above its limit.
        let most = statistic.card().range.to.unwrap_or(f64::INFINITY);
        values[statistic as usize] = value.map(|value: f64| value.min(most));
    }
    values
}

/// The number of pairs of a synthetic and an original record in which the synthetic one has the higher score s/(y + s), a tie
/// counting one half (Mann & Whitney 1947).
fn mann_whitney(pairs: &[(u64, u64)]) -> f64 {
    let mut scored: Vec<(f64, u64, u64)> =
        pairs.iter().map(|(y, s)| (*s as f64 / (y + s) as f64, *y, *s)).collect();
    scored.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let (mut twice, mut original_below) = (0_u128, 0_u64);
    for tied in scored.chunk_by(|one, other| one.0 == other.0) {
        let (y, s) = tied.iter().fold((0, 0), |(y, s), cell| (y + cell.1, s + cell.2));
        twice += u128::from(s) * u128::from(2 * original_below + y);
        original_below += y;
    }
    twice as f64 / 2.0
}
