//! The τ metrics by size of cell.

use measures::risk::release_cells::ReleaseCells;
use measures::risk::tau::Tau;
use measures::{MeasureError, Settings, SyntheticSets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::{Grouping, Kind};

/// τ₃ and τ₄ over sizes of cells (Jackson, Mitra, Francis & Dove 2022).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TauCurve {
    /// The variables that span the cells; all but identifiers where no keys were named.
    pub variables: Vec<String>,
    /// How near a mean synthetic count has to be.
    pub d: f64,
    /// One point a size.
    pub points: Vec<TauPoint>,
}

/// τ₃ and τ₄ at one size of cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TauPoint {
    /// The size k.
    pub k: u64,
    /// Of the cells with k original records, the share that came out near k.
    pub tau3: Option<f64>,
    /// Of the cells that came out near k, the share that has k original records.
    pub tau4: Option<f64>,
}

/// The sizes that are asked for.
const SIZES: std::ops::RangeInclusive<u64> = 1..=10;
/// A mean synthetic count rounds to k.
const NEAR: f64 = 0.5;

/// One curve a key set; a set with an identifier has none.
pub(super) fn tau_curves(
    sets: &SyntheticSets<'_>,
    settings: &Settings,
) -> Result<Vec<TauCurve>, MeasureError> {
    let all = [Vec::new()];
    let keys = if settings.keys.is_empty() { &all[..] } else { &settings.keys[..] };
    let is_identifier = |name: &String| {
        sets.original.schema().variable(name).is_ok_and(|variable| variable.kind == Kind::TextId)
    };
    let curve = |keys: &Vec<String>| {
        // As the measure does: who knows keys that were named knows their values, not classes of them.
        let exact = Grouping::exact();
        let grouping = if keys.is_empty() { &settings.tables.grouping } else { &exact };
        let cells = ReleaseCells::new(sets.original, sets.synthetic, keys, grouping)?;
        let point = |k: u64| {
            let tau = Tau::empirical(&cells, k, NEAR, settings.tau.scale)?;
            Ok(TauPoint { k, tau3: tau.tau3, tau4: tau.tau4 })
        };
        let points = SIZES.map(point).collect::<Result<_, MeasureError>>()?;
        Ok(TauCurve { variables: cells.variables().to_vec(), d: NEAR, points })
    };
    keys.iter().filter(|keys| !keys.iter().any(is_identifier)).map(curve).collect()
}
