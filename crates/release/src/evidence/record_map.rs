//! A map of records: the first two axes of a correspondence analysis of the original, with the records of both files on it.

use measures::utility::mca::category_maps;
use measures::{MeasureError, SharedTables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::{CodedTable, CountSource};

/// The records of both files over squares of one plane. A record lies at the mean of the places of its categories on the original's map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordMap {
    /// From the smallest to the largest coordinate, dimension by dimension.
    pub spans: [[f64; 2]; 2],
    /// The number of squares, dimension by dimension.
    pub squares: [usize; 2],
    /// Every square in which a file has records.
    pub places: Vec<RecordPlace>,
}

/// One square of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordPlace {
    /// Which square it is, dimension by dimension.
    pub at: [usize; 2],
    /// The share of the original's records in it.
    pub original: f64,
    /// The mean share of synthetic records in it.
    pub synthetic: f64,
}

const SQUARES: [usize; 2] = [32, 20];

/// The map; none where the original has none.
pub(super) fn record_map(shared: &SharedTables) -> Result<Option<RecordMap>, MeasureError> {
    let Ok(maps) = category_maps(shared)? else { return Ok(None) };
    let domain = shared.domain();
    let mut first = Vec::new();
    let mut next = 0;
    for at in &maps.used {
        first.push(next);
        next += domain.variables()[*at].size();
    }
    let coordinates = &maps.original.coordinates;
    // A category that the original lacks lies in the middle.
    let place = |table: &CodedTable| -> Vec<[f64; 2]> {
        let mut places = vec![[0.0; 2]; table.records() as usize];
        for (at, first) in maps.used.iter().zip(&first) {
            for (place, code) in places.iter_mut().zip(table.columns()[*at].iter()) {
                let [x, y] = coordinates[first + code as usize].unwrap_or([0.0; 2]);
                *place = [place[0] + x, place[1] + y];
            }
        }
        places
    };
    let files: Vec<Vec<[f64; 2]>> =
        std::iter::once(shared.original()).chain(shared.synthetic()).map(place).collect();
    let span = |dimension: usize| {
        let values = files.iter().flatten().map(|place| place[dimension]);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        [low, values.fold(f64::NEG_INFINITY, f64::max)]
    };
    let spans = [span(0), span(1)];
    if spans.iter().any(|[low, high]| !low.is_finite() || !high.is_finite()) {
        return Ok(None);
    }
    let square = |place: &[f64; 2]| {
        let at = |dimension: usize| {
            let [low, high] = spans[dimension];
            let share = if high > low { (place[dimension] - low) / (high - low) } else { 0.5 };
            ((share * SQUARES[dimension] as f64) as usize).min(SQUARES[dimension] - 1)
        };
        at(0) + SQUARES[0] * at(1)
    };
    let shares: Vec<Vec<f64>> = files
        .iter()
        .map(|places| {
            let mut shares = vec![0.0; SQUARES[0] * SQUARES[1]];
            places.iter().for_each(|place| shares[square(place)] += 1.0 / places.len() as f64);
            shares
        })
        .collect();
    let sets = (shares.len() - 1).max(1) as f64;
    let places = (0..SQUARES[0] * SQUARES[1]).map(|at| RecordPlace {
        at: [at % SQUARES[0], at / SQUARES[0]],
        original: shares[0][at],
        synthetic: shares[1..].iter().map(|shares| shares[at]).sum::<f64>() / sets,
    });
    let places = places.filter(|place| place.original > 0.0 || place.synthetic > 0.0).collect();
    let number = maps.used.len().max(1) as f64;
    let spans = spans.map(|span| span.map(|end| end / number));
    Ok(Some(RecordMap { spans, squares: SQUARES, places }))
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    #[test]
    fn every_record_of_both_files_is_on_the_map() {
        let table = |shift: usize| {
            let row = |row: usize| {
                let a = (row + shift) % 3;
                format!("a{a},b{},c{}\n", (a + row / 7) % 4, row % 2)
            };
            let rows: String = (0..300).map(row).collect();
            read_csv_text(&format!("a,b,c\n{rows}"), &ReadOptions::default()).unwrap()
        };
        let (original, synthetic) = (table(0), table(1));
        let grouping = measures::Settings::default().tables.grouping;
        let shared = SharedTables::of_sets(&original, &[&synthetic], &grouping).unwrap();
        let map = record_map(&shared).unwrap().unwrap();
        for share in [|place: &RecordPlace| place.original, |place: &RecordPlace| place.synthetic] {
            assert!((map.places.iter().map(share).sum::<f64>() - 1.0).abs() < 1e-9);
        }
        let same = SharedTables::of_sets(&original, &[&original], &grouping).unwrap();
        let same = record_map(&same).unwrap().unwrap();
        assert!(same.places.iter().all(|place| place.original == place.synthetic));
    }
}
