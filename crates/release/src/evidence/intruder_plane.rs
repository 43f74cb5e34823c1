//! The (RR, R) plane: the risk of every record for an intruder who knows all others, and the regions that are acceptable.

use std::collections::BTreeMap;

use measures::risk::intruder::IntruderRisk;
use measures::risk::release_cells::ReleaseCells;
use measures::{MeasureError, Settings, SyntheticSets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The risks of all records (McClure & Reiter 2012, section 4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntruderPlane {
    /// The acceptable regions; none where it named none.
    pub regions: Vec<AcceptedRegion>,
    /// The risks that occur, prior by prior; near ones are one point.
    pub points: Vec<PlanePoint>,
}

/// A rectangle of acceptable risks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptedRegion {
    /// What the data owner calls it.
    pub name: Option<String>,
    /// The smallest and largest R.
    pub r: [f64; 2],
    /// The smallest and largest RR; none is no bound.
    pub rr: (f64, Option<f64>),
}

/// Records of about one risk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanePoint {
    /// What the intruder believed beforehand.
    pub prior: String,
    /// How much the release has raised the probability of the truth.
    pub rr: f64,
    /// The posterior probability of the truth.
    pub r: f64,
    /// How many original records have it.
    pub records: u64,
    /// Whether it is acceptable; none where no regions were named.
    pub accepted: Option<bool>,
}

/// Points closer than this in R, or in log₁₀ RR, are drawn as one: the largest risk of them.
const RESOLUTION: f64 = 0.02;

/// The plane of a release whose mechanism is known; none otherwise.
pub(super) fn intruder_plane(
    sets: &SyntheticSets<'_>,
    settings: &Settings,
) -> Result<Option<IntruderPlane>, MeasureError> {
    let options = &settings.intruder;
    let Some(mechanism) = options.mechanism else { return Ok(None) };
    let cells = ReleaseCells::new(sets.original, sets.synthetic, &[""; 0], &settings.tables.grouping)?;
    let Ok(risk) = IntruderRisk::new(&cells, mechanism, &options.priors) else { return Ok(None) };
    let mut points = Vec::new();
    for (at, prior) in options.priors.iter().enumerate() {
        let mut near: BTreeMap<(i64, i64, Option<bool>), PlanePoint> = BTreeMap::new();
        for (risk, records) in risk.groups(at) {
            let accepted = options.regions.as_ref().map(|regions| regions.contain(risk.rr, risk.r));
            let place = |value: f64| (value / RESOLUTION).round() as i64;
            let key = (place(risk.rr.max(1e-12).log10()), place(risk.r), accepted);
            let point = near.entry(key).or_insert_with(|| PlanePoint {
                prior: prior.to_string(),
                rr: risk.rr,
                r: risk.r,
                records: 0,
                accepted,
            });
            point.records += records;
            if risk.r > point.r {
                (point.r, point.rr) = (risk.r, risk.rr);
            }
        }
        points.extend(near.into_values());
    }
    let regions = options.regions.iter().flat_map(|regions| regions.regions());
    let regions = regions.map(|region| AcceptedRegion {
        name: region.name.clone(),
        r: [region.r.0, region.r.1],
        rr: (region.rr.0, region.rr.1.is_finite().then_some(region.rr.1)),
    });
    Ok(Some(IntruderPlane { regions: regions.collect(), points }))
}
