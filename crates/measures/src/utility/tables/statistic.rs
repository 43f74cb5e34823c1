//! The names of the numbers that are computed for a table.

use crate::MeasureCard;

/// One number of a table; the formulas are with y, s, N, n, p, q, c as in [`super`] and sums over cells with y + s > 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableStatistic {
    /// Voas & Williamson: Σ (s − y n/N)² / ((y + s) c).
    Vw,
    /// Freeman & Tukey: 4 Σ (√s − √(y n/N))².
    Ft,
    /// Jensen–Shannon divergence in bits: ½ Σ p log₂(p/h) + ½ Σ q log₂(q/h), h = (p + q)/2.
    Jsd,
    /// Kolmogorov–Smirnov distance of the propensity scores s/(y + s). A score rises with q/p, so the distance is reached where
    /// q/p passes 1 and equals the total variation ½ Σ |q − p|.
    Specks,
    /// Weighted mean absolute difference in densities: Σ |s − y n/N| / √((y + s) c) / √(2/π).
    Wmabsdd,
    /// Mann & Whitney's U of the propensity scores of synthetic against original records, a tie counting one half.
    U,
    /// Likelihood ratio over cells with y > 0 and s > 0: 2 Σ s log((s/Σs) / (y/Σy)), with sums over those cells.
    G,
    /// Propensity mean squared error of the saturated model: VW c (1 − c)² / (N + n).
    Pmse,
    /// Per cent of records whose file is guessed right from q > p, over 50.
    Po50,
    /// Mean absolute difference in densities: Σ |s − y n/N| / n.
    Mabsdd,
    /// Bhattacharyya distance: √(1 − Σ √(p q)).
    Dbhatt,
    /// VW / df.
    SVw,
    /// FT / df.
    SFt,
    /// 2 JSD (N + n) / (df ln 2).
    SJsd,
    /// WMabsDD / df.
    SWmabsdd,
    /// G / df_g.
    SG,
    /// pMSE over its expectation df c (1 − c)² / (N + n); the same as VW / df.
    SPmse,
    /// Degrees of freedom: cells with y + s > 0, minus 1 if n was fixed.
    Df,
    /// The same over cells with y > 0 and s > 0.
    DfG,
    /// Cells without any record.
    Empty,
}

impl TableStatistic {
    /// How many there are.
    pub(crate) const COUNT: usize = 20;

    /// All of them, in the order reports show them.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Vw,
        Self::Ft,
        Self::Jsd,
        Self::Specks,
        Self::Wmabsdd,
        Self::U,
        Self::G,
        Self::Pmse,
        Self::Po50,
        Self::Mabsdd,
        Self::Dbhatt,
        Self::SVw,
        Self::SFt,
        Self::SJsd,
        Self::SWmabsdd,
        Self::SG,
        Self::SPmse,
        Self::Df,
        Self::DfG,
        Self::Empty,
    ];

    /// Its card.
    pub fn card(self) -> &'static MeasureCard {
        &super::cards::CARDS[self as usize]
    }

    /// Its name in findings, such as `tables.s_pmse`.
    pub fn name(self) -> &'static str {
        self.card().name
    }
}
