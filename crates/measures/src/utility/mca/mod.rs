//! Multiple correspondence analysis of both files: do the same categories lie near each other?
//!
//! Each file has its own [map of categories](CategoryMap). The synthetic one is turned towards the original's, because the direction
//! of axes means nothing, and the mean distance d of the categories in the first two dimensions gives the utility 1 − d/2 of Taub & Elliot
//! (2020, eq. 4 and 5), not below zero. Numbers are in the classes of the tables; missing is a category. A variable with
//! more than `MOST_CATEGORIES` categories would fill the plane with rare ones and is left out, as are identifiers.

mod category_map;

pub use category_map::{CategoryMap, NoMap};

use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SharedTables, UsualAxis,
};

/// Variables with more categories are left out.
pub(crate) const MOST_CATEGORIES: usize = 50;

/// The most categories that are mapped together; further variables are left out, in the order of the original.
pub(crate) const MOST_CATEGORIES_TOGETHER: usize = 1000;

/// How well the map of categories is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct MapAgreement {
    /// 1 − d/2 with d the mean distance, not below zero.
    pub score: f64,
    /// The mean distance over categories that occur in either file.
    pub mean_distance: f64,
    /// How many categories there are.
    pub categories: usize,
    /// The mean distance of the categories of each variable.
    pub variables: Vec<(String, f64)>,
    /// Variables with too many categories.
    pub left_out: Vec<String>,
    /// The principal inertias of the original and of the synthetic file.
    pub inertias: [[f64; 2]; 2],
}

/// The maps of both files, with the synthetic one turned towards the original's.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryMaps {
    /// The positions of the mapped variables in the domain.
    pub used: Vec<usize>,
    /// Variables with too many categories.
    pub left_out: Vec<String>,
    /// The map of the original.
    pub original: CategoryMap,
    /// The map of the first synthetic set.
    pub synthetic: CategoryMap,
}

/// The maps of the original and of the first synthetic set, or why there are none.
pub fn category_maps(shared: &SharedTables) -> Result<Result<CategoryMaps, String>, MeasureError> {
    let domain = shared.domain();
    let (mut used, mut left_out, mut together) = (Vec::new(), Vec::new(), 0);
    for (position, classes) in domain.variables().iter().enumerate() {
        if classes.size() > MOST_CATEGORIES || together + classes.size() > MOST_CATEGORIES_TOGETHER {
            left_out.push(classes.name().to_owned());
        } else {
            together += classes.size();
            used.push(position);
        }
    }
    let original = match CategoryMap::of(shared.original(), &used)? {
        Ok(map) => map,
        Err(because) => return Ok(Err(format!("the original has no map: {because}"))),
    };
    let synthetic = match CategoryMap::of(&shared.synthetic()[0], &used)? {
        Ok(map) => map.turned_towards(&original),
        Err(because) => return Ok(Err(format!("the synthetic file has no map: {because}"))),
    };
    Ok(Ok(CategoryMaps { used, left_out, original, synthetic }))
}

/// Compares the maps of the first synthetic set and the original, or says why there is none.
pub(crate) fn map_agreement(shared: &SharedTables) -> Result<Result<MapAgreement, String>, MeasureError> {
    let CategoryMaps { used, left_out, original, synthetic } = match category_maps(shared)? {
        Ok(maps) => maps,
        Err(because) => return Ok(Err(because)),
    };
    let domain = shared.domain();
    let distances = synthetic.distances(&original);
    let mean = |distances: &[Option<f64>]| {
        let known: Vec<f64> = distances.iter().flatten().copied().collect();
        (known.iter().sum::<f64>() / known.len() as f64, known.len())
    };
    let (mean_distance, categories) = mean(&distances);
    let mut variables = Vec::new();
    let mut rest = distances.as_slice();
    for position in &used {
        let classes = &domain.variables()[*position];
        let (own, others) = rest.split_at(classes.size());
        variables.push((classes.name().to_owned(), mean(own).0));
        rest = others;
    }
    Ok(Ok(MapAgreement {
        score: (1.0 - mean_distance / 2.0).max(0.0),
        mean_distance,
        categories,
        variables,
        left_out,
        inertias: [original.inertias, synthetic.inertias],
    }))
}

/// The family of multiple correspondence analysis.
#[derive(Clone, Copy, Debug)]
pub struct Mca;

const TAUB: &str = "Taub & Elliot (2020), The Synthetic Data Challenge, eq. 4 and 5";

const CARDS: &[MeasureCard] = &[
    MeasureCard {
        name: names::SCORE,
        question: "Do the same categories lie near each other on a map of the file?",
        better: Better::Higher,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation: TAUB,
        kept: Kept::All,
    },
    MeasureCard {
        name: "mca.distance",
        question: "How far have the categories of this variable moved on the map?",
        better: Better::Lower,
        unit: "",
        range: Range::NOT_NEGATIVE,
        null: Null::None,
        citation: TAUB,
        kept: Kept::All,
    },
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `mca.score`.
    pub const SCORE: &str = "mca.score";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "mca",
    aspect: Aspect::Utility,
    honours: &[Setting::Groups, Setting::Classes],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::SCORE,
        label: names::SCORE,
        by_ways: false,
        rank: 6,
        usable: None,
    }),
    identified_by: &["left_out"],
    measures: CARDS,
};

impl Measure for Mca {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.shared(comparison, &settings.tables.grouping)?;
        let none: &[&str] = &[];
        let agreement = match map_agreement(&shared)? {
            Ok(agreement) => agreement,
            Err(because) => return Ok(vec![CARDS[0].undefined(none, because)]),
        };
        let mut score = (CARDS[0].finding(none, agreement.score))
            .with("mean_distance", agreement.mean_distance)
            .with("categories", agreement.categories)
            .with("original_inertias", agreement.inertias[0].to_vec())
            .with("synthetic_inertias", agreement.inertias[1].to_vec());
        if !agreement.left_out.is_empty() {
            score = score.with("left_out", agreement.left_out);
        }
        let of_variable = |(name, distance): &(String, f64)| CARDS[1].finding(&[name], *distance);
        Ok(std::iter::once(score).chain(agreement.variables.iter().map(of_variable)).collect())
    }
}
