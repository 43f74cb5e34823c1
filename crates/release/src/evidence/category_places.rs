//! Where the categories lie on the maps of both files (multiple correspondence analysis).

use measures::utility::mca::category_maps;
use measures::{MeasureError, SharedTables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The categories of both files in the plane, the synthetic map turned towards the original's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryPlaces {
    /// Every category that both files have, the furthest moved first.
    pub places: Vec<CategoryPlace>,
    /// Variables with too many categories to be mapped.
    pub left_out: Vec<String>,
}

/// One category on both maps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CategoryPlace {
    /// Its variable.
    pub variable: String,
    /// Its class.
    pub class: String,
    /// Where it lies in the original.
    pub original: [f64; 2],
    /// Where it lies in the first synthetic file.
    pub synthetic: [f64; 2],
    /// How far apart these are.
    pub distance: f64,
}

/// The places of all categories that both files have; none where a file has no map.
pub(super) fn category_places(shared: &SharedTables) -> Result<Option<CategoryPlaces>, MeasureError> {
    let Ok(maps) = category_maps(shared)? else { return Ok(None) };
    let variables = maps.used.iter().map(|at| &shared.domain().variables()[*at]);
    let names = variables.flat_map(|classes| (0..classes.size() as u32).map(move |class| (classes, class)));
    let distances = maps.synthetic.distances(&maps.original);
    let coordinates = maps.original.coordinates.iter().zip(&maps.synthetic.coordinates);
    let place = |(((classes, class), (original, synthetic)), distance): (_, Option<f64>)| {
        let _: (&table::Classes, u32) = (classes, class);
        let (original, synthetic): (&Option<[f64; 2]>, &Option<[f64; 2]>) = (original, synthetic);
        Some(CategoryPlace {
            variable: classes.name().to_owned(),
            class: classes.label(class),
            original: (*original)?,
            synthetic: (*synthetic)?,
            distance: distance?,
        })
    };
    let mut places: Vec<CategoryPlace> = names.zip(coordinates).zip(distances).filter_map(place).collect();
    places.sort_by(|one, other| other.distance.total_cmp(&one.distance));
    Ok(Some(CategoryPlaces { places, left_out: maps.left_out }))
}
