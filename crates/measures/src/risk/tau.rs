//! Jackson's τ metrics of a release: do cells of a size come out at that size, and come from it?
//!
//! Over all K cells, f the original count of a cell and f̄ its mean synthetic count divided by scale:
//!
//! | | |
//! |---|---|
//! | τ₁(k, d) = P(\|f̄ − k\| ≤ d) | synthetic cells near k |
//! | τ₂(k) = P(f = k) | original cells of size k |
//! | τ₃(k, d) = P(\|f̄ − k\| ≤ d given f = k) | cells of size k that came out near k |
//! | τ₄(k, d) = P(f = k given \|f̄ − k\| ≤ d) | cells near k that really were of size k |
//!
//! (Jackson, Mitra, Francis & Dove 2022, sections 2.1 and 4.) τ(k) is τ(k, 0), and τ₃τ₂ = τ₄τ₁. These are the shares that were
//! found; what is expected before synthesis is `frontier::plan::Tau`. K counts all cells of the cross-table, or those
//! that are possible; it matters for τ₁, τ₂ and k = 0 alone.

use table::{Grouping, Kind, Table};

use super::release_cells::{ReleaseCells, real};
use crate::card::MOST_VARIABLES_AS_KEYS;
use crate::{
    Aspect, Better, Comparison, CountMeasure, CountedTables, FamilyCard, Finding, Kept, Measure, MeasureCard,
    MeasureError, Null, Range, Setting, Settings, SyntheticSets, UsualAxis,
};

/// The four τ metrics at one k and d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tau {
    /// The cell size in question.
    pub k: u64,
    /// How near a mean synthetic count has to be.
    pub d: f64,
    /// The share of cells whose mean synthetic count is within d of k.
    pub tau1: f64,
    /// The share of cells with k original records.
    pub tau2: f64,
    /// Of the cells with k original records, the share whose mean synthetic count is within d of k; `None` without such cells.
    pub tau3: Option<f64>,
    /// Of the cells whose mean synthetic count is within d of k, the share with k original records; `None` without such cells.
    pub tau4: Option<f64>,
}

/// Where τ is wanted, and how the synthetic counts are scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct TauOptions {
    /// Pairs of k and d; (1, 0) alone unless others are asked for.
    pub at: Vec<(u64, f64)>,
    /// What the synthesizer multiplied all means with.
    pub scale: f64,
}

/// The cell of one original record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOfRecord {
    /// Original records in it, f.
    pub size: u64,
    /// Its mean synthetic count over the data sets, divided by scale: f̄.
    pub mean_synthetic: f64,
}

impl Default for TauOptions {
    fn default() -> Self {
        Self { at: vec![(1, 0.0)], scale: 1.0 }
    }
}

impl Tau {
    /// The τ metrics of a release at (k, d), its mean synthetic counts divided by `scale`.
    pub fn empirical(cells: &ReleaseCells, k: u64, d: f64, scale: f64) -> Result<Self, MeasureError> {
        let (first, last) = near(cells.sets(), k, d, scale)?;
        let is_near = |sum: f64| first <= sum && sum <= last;
        let (mut near_k, mut of_size_k, mut both) = (0_u64, 0_u64, 0_u64);
        for (size, sum) in cells.original().iter().zip(cells.synthetic_sums()) {
            let (near, of_size) = (is_near(sum as f64), u64::from(*size) == k);
            near_k += u64::from(near);
            of_size_k += u64::from(of_size);
            both += u64::from(near && of_size);
        }
        let all = Cells { listed: cells.original().len() as u64, with_empty: true };
        let near_k = Cells { listed: near_k, with_empty: is_near(0.0) };
        let of_size_k = Cells { listed: of_size_k, with_empty: k == 0 };
        let both = Cells { listed: both, with_empty: near_k.with_empty && of_size_k.with_empty };
        let empty = real(&cells.empty_cells());
        Ok(Self {
            k,
            d,
            tau1: near_k.share_of(&all, empty).unwrap_or(0.0),
            tau2: of_size_k.share_of(&all, empty).unwrap_or(0.0),
            tau3: both.share_of(&of_size_k, empty),
            tau4: both.share_of(&near_k, empty),
        })
    }

    fn findings(&self, cells: &ReleaseCells) -> Vec<Finding> {
        let values = [
            Ok(self.tau1),
            Ok(self.tau2),
            self.tau3.ok_or("no original cell has k records"),
            self.tau4.ok_or("no cell has a mean synthetic count within d of k"),
        ];
        let finding = |(card, value): (&MeasureCard, Result<f64, &str>)| {
            let on = cells.variables();
            let finding = match value {
                Ok(value) => Finding::value(card.name, on, value, None, card.better),
                Err(because) => Finding::undefined(card.name, on, card.better, because),
            };
            finding.with("k", self.k).with("d", self.d).with("m", cells.sets())
        };
        CARDS.iter().zip(values).map(finding).collect()
    }
}

/// The cell of every original record, in row order.
pub fn per_record(cells: &ReleaseCells, scale: f64) -> Result<Vec<CellOfRecord>, MeasureError> {
    near(cells.sets(), 0, 0.0, scale)?;
    let exposure = cells.sets() as f64 * scale;
    let sums = cells.synthetic_sums();
    let of_record = |cell: &u32| CellOfRecord {
        size: cells.original()[*cell as usize].into(),
        mean_synthetic: sums[*cell as usize] as f64 / exposure,
    };
    Ok(cells.cell_of_record().iter().map(of_record).collect())
}

/// The findings of an original and its synthetic tables; over all variables but identifiers unless keys are named.
pub fn findings(
    original: &Table,
    synthetic: &[&Table],
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let all = [Vec::new()];
    let keys = if settings.keys.is_empty() { &all[..] } else { &settings.keys[..] };
    let mut findings = Vec::new();
    for keys in keys {
        let is_identifier = |name: &String| {
            original.schema().variable(name).is_ok_and(|variable| variable.kind == Kind::TextId)
        };
        if keys.iter().any(is_identifier) {
            let because = "an identifier has no classes to count in";
            let undefined = |card: &MeasureCard| Finding::undefined(card.name, keys, card.better, because);
            findings.extend(CARDS.iter().map(undefined));
            continue;
        }
        // Who knows keys that were named knows their values, not classes of them.
        let exact = Grouping::exact();
        let grouping = if keys.is_empty() { &settings.tables.grouping } else { &exact };
        let cells = ReleaseCells::new(original, synthetic, keys, grouping)?;
        for (k, d) in &settings.tau.at {
            findings.extend(Tau::empirical(&cells, *k, *d, settings.tau.scale)?.findings(&cells));
        }
    }
    Ok(findings)
}

/// A number of cells: some of those that are listed, and all the empty ones or none.
struct Cells {
    listed: u64,
    with_empty: bool,
}

impl Cells {
    /// The share of these cells in others that contain them; right also where the empty ones are too many for a real number.
    fn share_of(&self, whole: &Self, empty: f64) -> Option<f64> {
        let number = |cells: &Self| cells.listed as f64 + if cells.with_empty { empty } else { 0.0 };
        let all = number(whole);
        let share = match (self.with_empty, all.is_finite()) {
            (true, false) => 1.0,
            _ => number(self) / all,
        };
        (all > 0.0).then_some(share)
    }
}

/// The sums over m data sets that lie within d of k, once divided by m · scale.
fn near(sets: usize, k: u64, d: f64, scale: f64) -> Result<(f64, f64), MeasureError> {
    let refuse = |option, message: &str| Err(MeasureError::Option { option, message: message.into() });
    if !(d.is_finite() && d >= 0.0) {
        return refuse("the distance d of a tau metric", "must be a finite number of 0 or more");
    }
    if !(scale.is_finite() && scale > 0.0) {
        return refuse("the scale of a tau metric", "must be a finite number above 0; 1 is no scaling");
    }
    let exposure = sets as f64 * scale;
    let (low, high) = (exposure * (k as f64 - d), exposure * (k as f64 + d));
    // Decimal fractions like 0.1 are meant as written: 10 · (1 + 0.1) is 11 and counts as reached.
    let slack = 1e-9 * high.max(1.0);
    Ok((low - slack, high + slack))
}

/// The family of τ metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TauMetrics;

const fn card(name: &'static str, question: &'static str, better: Better) -> MeasureCard {
    let citation = "Jackson, Mitra, Francis & Dove (2022), sections 2.1 and 4";
    MeasureCard {
        name,
        question,
        better,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation,
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card("tau.1", "What share of cells has a mean synthetic count within d of k?", Better::Neither),
    card("tau.2", "What share of cells holds k original records?", Better::Neither),
    card(
        names::TAU3,
        "Of the cells with k original records, what share has a mean synthetic count within d of k?",
        Better::Lower,
    ),
    card(
        names::TAU4,
        "Of the cells with a mean synthetic count within d of k, what share holds k original records?",
        Better::Lower,
    ),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `tau.3`.
    pub const TAU3: &str = "tau.3";
    /// `tau.4`.
    pub const TAU4: &str = "tau.4";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "tau",
    aspect: Aspect::Risk,
    honours: &[Setting::Groups, Setting::Classes, Setting::Keys, Setting::CellSizes, Setting::Scale],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::TAU4,
        label: names::TAU4,
        by_ways: false,
        rank: 4,
        usable: None,
        most_variables: Some(MOST_VARIABLES_AS_KEYS),
    }),
    identified_by: &["k", "d", "m"],
    measures: CARDS,
};

impl Measure for TauMetrics {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        findings(comparison.original, &[comparison.synthetic], settings)
    }

    /// All data sets are one release, and are seen together.
    fn evaluate_sets(
        &self,
        sets: &SyntheticSets<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        findings(sets.original, sets.synthetic, settings)
    }

    fn on_counts(&self) -> Option<&dyn CountMeasure> {
        Some(self)
    }
}

impl CountMeasure for TauMetrics {
    fn evaluate_counts(
        &self,
        tables: CountedTables<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let all = [Vec::new()];
        let keys = if settings.keys.is_empty() { &all[..] } else { &settings.keys[..] };
        let mut findings = Vec::new();
        for keys in keys {
            let cells = ReleaseCells::counted(tables, keys)?;
            for (k, d) in &settings.tau.at {
                findings.extend(Tau::empirical(&cells, *k, *d, settings.tau.scale)?.findings(&cells));
            }
        }
        Ok(findings)
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use super::*;
    use crate::risk::matching::tests::read;

    #[test]
    fn four_shares_by_hand() {
        // Sizes 1, 1, 1, 2, 0 against 1, 0, 3, 1, 1, and five cells that are empty in both.
        let cells = ReleaseCells::from_counts(&[1, 1, 1, 2, 0], &[vec![1, 0, 3, 1, 1]], 10_u8).unwrap();
        let tau = Tau::empirical(&cells, 1, 0.0, 1.0).unwrap();
        assert_eq!((tau.tau1, tau.tau2), (0.3, 0.3));
        assert_eq!((tau.tau3, tau.tau4), (Some(1.0 / 3.0), Some(1.0 / 3.0)));
        let zero = Tau::empirical(&cells, 0, 0.0, 1.0).unwrap();
        assert_eq!((zero.tau1, zero.tau2), (0.6, 0.6));
        assert_eq!((zero.tau3, zero.tau4), (Some(5.0 / 6.0), Some(5.0 / 6.0)));
        let none = Tau::empirical(&cells, 7, 0.0, 1.0).unwrap();
        assert_eq!((none.tau1, none.tau3, none.tau4), (0.0, None, None));
    }

    #[test]
    fn the_mean_of_several_sets_is_divided_by_scale() {
        // Means 0.9 and 1.1 of a unique and of a pair; with scale ½ they are 1.8 and 2.2.
        let sets: Vec<Vec<u32>> =
            (0..10).map(|set| vec![u32::from(set < 9), 1 + u32::from(set < 1)]).collect();
        let cells = ReleaseCells::from_counts(&[1, 2], &sets, 2_u8).unwrap();
        let tau = |k, d, scale| Tau::empirical(&cells, k, d, scale).unwrap();
        assert_eq!((tau(1, 0.1, 1.0).tau1, tau(1, 0.1, 1.0).tau4), (1.0, Some(0.5)));
        assert_eq!(tau(1, 0.05, 1.0).tau1, 0.0);
        assert_eq!((tau(2, 0.2, 0.5).tau1, tau(2, 0.2, 0.5).tau3), (1.0, Some(1.0)));
        let records = per_record(&cells, 0.5).unwrap();
        assert_eq!(records[0], CellOfRecord { size: 1, mean_synthetic: 1.8 });
        assert_eq!(records[2], CellOfRecord { size: 2, mean_synthetic: 2.2 });
        for (d, scale) in [(-0.1, 1.0), (f64::NAN, 1.0), (0.0, 0.0), (0.0, f64::INFINITY)] {
            assert!(Tau::empirical(&cells, 1, d, scale).is_err());
        }
    }

    #[test]
    fn astronomically_many_cells_are_no_obstacle() {
        let cells = ReleaseCells::from_counts(&[1, 0], &[vec![1, 1]], BigUint::from(10_u8).pow(400)).unwrap();
        let one = Tau::empirical(&cells, 1, 0.0, 1.0).unwrap();
        assert_eq!((one.tau1, one.tau3, one.tau4), (0.0, Some(1.0), Some(0.5)));
        let zero = Tau::empirical(&cells, 0, 0.0, 1.0).unwrap();
        assert_eq!((zero.tau1, zero.tau3, zero.tau4), (1.0, Some(1.0), Some(1.0)));
        let wide = Tau::empirical(&cells, 1, 1.0, 1.0).unwrap();
        assert_eq!((wide.tau1, wide.tau4), (1.0, Some(0.0)));
    }

    #[test]
    fn findings_say_where_they_are_taken() {
        let (original, synthetic) = (read("x,y\na,c\nb,c\nb,d\n"), read("x,y\na,c\nb,d\nb,d\n"));
        let settings = Settings { keys: vec![vec!["x".to_owned()]], ..Settings::default() };
        let found = findings(&original, &[&synthetic, &original], &settings).unwrap();
        let names: Vec<&str> = found.iter().map(|finding| finding.measure.as_str()).collect();
        assert_eq!(names, ["tau.1", "tau.2", "tau.3", "tau.4"]);
        assert_eq!((found[0].value, found[3].value), (Some(0.5), Some(1.0)));
        assert_eq!(serde_json::to_string(&found[0].detail).unwrap(), r#"{"k":1,"d":0.0,"m":2}"#);
        let unknown = Settings { keys: vec![vec!["z".to_owned()]], ..Settings::default() };
        let error = findings(&original, &[&synthetic], &unknown).unwrap_err().to_string();
        assert!(error.starts_with("there is no variable `z`"), "{error}");
    }

    proptest! {
        #[test]
        fn tau3_tau2_is_tau4_tau1(
            counts in prop::collection::vec((0_u32..4, 0_u32..4, 0_u32..4), 0..30),
            more in 1_u64..50,
            k in 0_u64..4,
            d in 0.0_f64..2.0,
        ) {
            let original: Vec<u32> = counts.iter().map(|(y, _, _)| *y).collect();
            let sets = [counts.iter().map(|(_, s, _)| *s).collect(), counts.iter().map(|(_, _, s)| *s).collect()];
            let cells = ReleaseCells::from_counts(&original, &sets, counts.len() as u64 + more).unwrap();
            let tau = Tau::empirical(&cells, k, d, 1.0).unwrap();
            let (left, right) = (tau.tau3.unwrap_or(0.0) * tau.tau2, tau.tau4.unwrap_or(0.0) * tau.tau1);
            prop_assert!((left - right).abs() < 1e-12);
            prop_assert!([tau.tau1, tau.tau2].iter().all(|share| (0.0..=1.0).contains(share)));
        }

        #[test]
        fn a_release_of_the_original_itself_has_tau3_and_tau4_one(
            counts in prop::collection::vec(1_u32..4, 1..30), k in 1_u64..4,
        ) {
            let cells = ReleaseCells::from_counts(&counts, std::slice::from_ref(&counts), 100_u8).unwrap();
            let tau = Tau::empirical(&cells, k, 0.0, 1.0).unwrap();
            prop_assert!(tau.tau3.is_none_or(|share| share == 1.0));
            prop_assert_eq!(tau.tau3, tau.tau4);
            prop_assert_eq!(tau.tau1, tau.tau2);
        }
    }
}
