//! Multiple correspondence analysis: every category of a file as a point in the plane.

use faer::{Mat, Side};
use table::{Attributes, CodedTable, CountSource};

use crate::MeasureError;

/// The categories of one file in the two dimensions that tell its records apart best.
///
/// Correspondence analysis of the indicator matrix Z of Q variables over N records, by way of the Burt matrix B = ZᵀZ: with n_j the
/// records of category j, S_jk = B_jk / (Q √(n_j n_k)) − √(n_j n_k) / (N Q) has the principal inertias λ as eigenvalues, and the
/// principal coordinate of category j is v_j √λ / √(n_j / (N Q)) (Greenacre 2007, ch. 18). Only counts of pairs are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryMap {
    /// The coordinates of each category, variable by variable; `None` for one that no record has.
    pub coordinates: Vec<Option<[f64; 2]>>,
    /// The share of records in each category, over the number of variables.
    pub masses: Vec<f64>,
    /// The principal inertias of the first two dimensions; zero for a dimension that does not exist.
    pub inertias: [f64; 2],
}

/// Why a file has no map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMap {
    /// No records.
    #[error("it has no records")]
    Empty,
    /// All records are alike.
    #[error("none of its variables varies")]
    NoVariation,
    /// The second and the third dimension are equally important, so that the plane is not determined.
    #[error("its second and third dimension tell records apart equally well, so that no plane stands out")]
    Undetermined,
}

/// Inertias that differ by less than this are the same.
const SAME_INERTIA: f64 = 1e-10;

impl CategoryMap {
    /// The map of these variables of a table.
    pub fn of(table: &CodedTable, variables: &[usize]) -> Result<Result<Self, NoMap>, MeasureError> {
        let domain = table.domain();
        let sizes: Vec<usize> = variables.iter().map(|at| domain.variables()[*at].size()).collect();
        let first: Vec<usize> = sizes
            .iter()
            .scan(0, |next, size| {
                *next += size;
                Some(*next - size)
            })
            .collect();
        let categories: usize = sizes.iter().sum();
        let singles: Vec<Attributes> = variables.iter().map(|at| Attributes::new([*at])).collect();
        let counts: Vec<u64> =
            table.margins(&singles)?.iter().flat_map(|margin| margin.counts().to_vec()).collect();
        if table.records() == 0 {
            return Ok(Err(NoMap::Empty));
        }
        let occupied: Vec<usize> = (0..categories).filter(|at| counts[*at] > 0).collect();
        let mut place = vec![None; categories];
        occupied.iter().enumerate().for_each(|(at, category)| place[*category] = Some(at));

        let (records, q) = (table.records() as f64, variables.len() as f64);
        let mut matrix = Mat::<f64>::from_fn(occupied.len(), occupied.len(), |j, k| {
            let (y, s) = (counts[occupied[j]] as f64, counts[occupied[k]] as f64);
            let own = if j == k { 1.0 / q } else { 0.0 };
            own - (y * s).sqrt() / (records * q)
        });
        let mut pairs = Vec::new();
        for one in 0..variables.len() {
            // A margin runs over its variables in the order of the domain.
            let ordered = |other| if variables[one] < variables[other] { (one, other) } else { (other, one) };
            pairs.extend((one + 1..variables.len()).map(ordered));
        }
        let tables: Vec<Attributes> =
            pairs.iter().map(|(one, other)| Attributes::new([variables[*one], variables[*other]])).collect();
        for ((one, other), margin) in pairs.iter().zip(table.margins(&tables)?) {
            for (cell, count) in margin.counts().iter().enumerate().filter(|(_, count)| **count > 0) {
                let at = (first[*one] + cell / sizes[*other], first[*other] + cell % sizes[*other]);
                let (Some(j), Some(k)) = (place[at.0], place[at.1]) else { continue };
                let scaled = *count as f64 / (q * (counts[at.0] as f64 * counts[at.1] as f64).sqrt());
                matrix[(j, k)] += scaled;
                matrix[(k, j)] += scaled;
            }
        }
        Ok(Self::of_matrix(&matrix, &counts, &occupied, records * q))
    }

    fn of_matrix(matrix: &Mat<f64>, counts: &[u64], occupied: &[usize], mass: f64) -> Result<Self, NoMap> {
        let eigen = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| NoMap::Undetermined)?;
        // Ascending, and with a zero for each variable.
        let inertia = |dimension: usize| {
            let at = occupied.len().checked_sub(dimension + 1);
            at.map_or(0.0, |at| eigen.S()[at].max(0.0))
        };
        let inertias = [inertia(0), inertia(1)].map(|one| if one < SAME_INERTIA { 0.0 } else { one });
        if inertias[0] == 0.0 {
            return Err(NoMap::NoVariation);
        }
        if inertias[1] > 0.0 && inertias[1] - inertia(2) < SAME_INERTIA {
            return Err(NoMap::Undetermined);
        }
        let mut coordinates = vec![None; counts.len()];
        for (row, category) in occupied.iter().enumerate() {
            let stretch = (mass / counts[*category] as f64).sqrt();
            let coordinate = |dimension: usize| match inertias[dimension] {
                0.0 => 0.0,
                inertia => eigen.U()[(row, occupied.len() - 1 - dimension)] * inertia.sqrt() * stretch,
            };
            coordinates[*category] = Some([coordinate(0), coordinate(1)]);
        }
        let masses = counts.iter().map(|count| *count as f64 / mass).collect();
        Ok(Self { coordinates, masses, inertias })
    }

    /// This map turned, or mirrored and turned, about its centre so that it lies as close as it can to `other`.
    ///
    /// An eigenvector has no sign, and two of nearly equal inertia may come in either order or rotated; so the orthogonal matrix R that
    /// minimises Σ w_j |o_j − R s_j|² is applied (orthogonal Procrustes; Schönemann 1966), with w_j the mean mass of category j. Nothing
    /// is stretched or moved.
    pub fn turned_towards(&self, other: &Self) -> Self {
        let mut cross = [[0.0; 2]; 2];
        for at in 0..self.coordinates.len() {
            let (Some(own), Some(target)) = (self.coordinates[at], other.coordinates[at]) else { continue };
            let weight = (self.masses[at] + other.masses[at]) / 2.0;
            for (row, own) in cross.iter_mut().zip(own) {
                row.iter_mut().zip(target).for_each(|(cell, target)| *cell += weight * own * target);
            }
        }
        let rotation = (cross[0][0] + cross[1][1], cross[0][1] - cross[1][0]);
        let mirror = (cross[0][0] - cross[1][1], cross[0][1] + cross[1][0]);
        let length = |(x, y): (f64, f64)| x.hypot(y);
        let best = if length(rotation) >= length(mirror) { rotation } else { mirror };
        let (cosine, sine) =
            if length(best) > 0.0 { (best.0 / length(best), best.1 / length(best)) } else { (1.0, 0.0) };
        let turn = |[x, y]: [f64; 2]| {
            if length(rotation) >= length(mirror) {
                [cosine * x - sine * y, sine * x + cosine * y]
            } else {
                [cosine * x + sine * y, sine * x - cosine * y]
            }
        };
        let coordinates = self.coordinates.iter().map(|place| place.map(turn)).collect();
        Self { coordinates, ..self.clone() }
    }

    /// The sum of the loadings on each axis, of eigenvectors of length 1: Σ_j y_j √m_j / √λ with y the coordinates and m the masses.
    pub fn loading_sums(&self) -> [f64; 2] {
        [0, 1].map(|axis| {
            let loadings = self.coordinates.iter().zip(&self.masses);
            let sum: f64 = loadings.map(|(place, mass)| place.map_or(0.0, |at| at[axis]) * mass.sqrt()).sum();
            if self.inertias[axis] > 0.0 { sum / self.inertias[axis].sqrt() } else { 0.0 }
        })
    }

    /// This map with each axis pointing so that its loadings sum to more than zero, the rule of FactoMineR (Lê, Josse & Husson 2008). Where the
    /// sum is near zero chance decides which way that is, and maps of two files may be mirrored: see [`Self::turned_towards`].
    pub fn signed(&self) -> Self {
        let signs = self.loading_sums().map(|sum| if sum < 0.0 { -1.0 } else { 1.0 });
        let coordinates =
            self.coordinates.iter().map(|place| place.map(|[x, y]| [signs[0] * x, signs[1] * y]));
        Self { coordinates: coordinates.collect(), ..self.clone() }
    }

    /// The Euclidean distance of each category in two maps. A category that one of the files does not have lies at the centre of its map;
    /// one that neither has is `None`.
    pub fn distances(&self, other: &Self) -> Vec<Option<f64>> {
        let distance = |(one, other): (&Option<[f64; 2]>, &Option<[f64; 2]>)| {
            one.or(*other)?;
            let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
            Some((one[0] - other[0]).hypot(one[1] - other[1]))
        };
        self.coordinates.iter().zip(&other.coordinates).map(distance).collect()
    }
}

#[cfg(test)]
mod tests {
    use table::{Classes, Codes, Domain};

    use super::*;

    fn coded(sizes: &[usize], rows: &[[u32; 3]]) -> CodedTable {
        let classes = sizes.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
        let columns = (0..sizes.len()).map(|i| Codes::collect(sizes[i], rows.iter().map(|row| row[i])));
        CodedTable::from_codes(Domain::new(classes.collect()).unwrap(), columns.collect())
    }

    /// Three factors of ten records.
    const ROWS: [[u32; 3]; 10] = [
        [0, 0, 0],
        [0, 1, 0],
        [1, 0, 1],
        [1, 0, 1],
        [2, 1, 1],
        [0, 0, 2],
        [1, 1, 0],
        [2, 1, 2],
        [0, 0, 0],
        [1, 0, 1],
    ];

    #[test]
    fn the_map_is_that_of_a_singular_value_decomposition_in_r() {
        // Z <- indicator matrix; P <- Z/30; S <- diag(1/sqrt(r)) %*% (P - r %o% c) %*% diag(1/sqrt(c)); d <- svd(S)
        // d$d[1:2]^2; diag(1/sqrt(c)) %*% d$v[,1:2] %*% diag(d$d[1:2])
        let map = CategoryMap::of(&coded(&[3, 2, 3], &ROWS), &[0, 1, 2]).unwrap().unwrap();
        let close = |one: f64, other: f64| (one - other).abs() < 1e-10;
        assert!(close(map.inertias[0], 0.598686615728516) && close(map.inertias[1], 0.561903547165647));
        let of_r = [
            [0.131301676253, 1.1388934130475],
            [0.884830951804, 0.5749794075016],
            [1.507058551103, 1.1278280110918],
            [0.608771175648, 0.1826731048971],
            [0.913156763472, 0.2740096573457],
            [0.037008917426, 0.9694423441275],
            [0.647121907689, 0.9401766649783],
            [1.220225980527, 0.0585313582983],
        ];
        for (place, of_r) in map.coordinates.iter().zip(of_r) {
            let [x, y] = place.unwrap();
            assert!(close(x.abs(), of_r[0]) && close(y.abs(), of_r[1]), "{place:?} {of_r:?}");
        }
        // Distances between points do not depend on the signs: dist(G)[1, ]
        let from_first = |at: usize| {
            let (one, other) = (map.coordinates[0].unwrap(), map.coordinates[at].unwrap());
            (one[0] - other[0]).hypot(one[1] - other[1])
        };
        assert!(close(from_first(1), 1.992457167123) && close(from_first(7), 1.618512348878));
    }

    #[test]
    fn the_order_of_the_variables_does_not_move_the_points() {
        let table = coded(&[3, 2, 3], &ROWS);
        let map = CategoryMap::of(&table, &[0, 1, 2]).unwrap().unwrap();
        let other = CategoryMap::of(&table, &[2, 0, 1]).unwrap().unwrap();
        let length = |map: &CategoryMap, at: usize| map.coordinates[at].map(|[x, y]| x.hypot(y)).unwrap();
        assert!((map.inertias[0] - other.inertias[0]).abs() < 1e-12);
        // The third variable's categories come first now.
        for (at, moved) in [(0, 3), (3, 6), (5, 0), (7, 2)] {
            assert!((length(&map, at) - length(&other, moved)).abs() < 1e-10, "{at}");
        }
    }

    #[test]
    fn a_turned_or_mirrored_map_is_turned_back() {
        let map = CategoryMap::of(&coded(&[3, 2, 3], &ROWS), &[0, 1, 2]).unwrap().unwrap();
        let (sine, cosine) = 0.7_f64.sin_cos();
        for mirror in [1.0, -1.0] {
            let turn = |[x, y]: [f64; 2]| [cosine * x - sine * mirror * y, sine * x + cosine * mirror * y];
            let coordinates = map.coordinates.iter().map(|place| place.map(turn)).collect();
            let turned = CategoryMap { coordinates, ..map.clone() };
            let largest = |distances: Vec<Option<f64>>| distances.into_iter().flatten().fold(0.0, f64::max);
            assert!(largest(turned.distances(&map)) > 0.1);
            assert!(largest(turned.turned_towards(&map).distances(&map)) < 1e-12);
        }
    }

    #[test]
    fn axes_are_signed_by_the_sum_of_their_loadings() {
        let map = CategoryMap::of(&coded(&[3, 2, 3], &ROWS), &[0, 1, 2]).unwrap().unwrap();
        let mirrored = map.coordinates.iter().map(|place| place.map(|[x, y]| [-x, y])).collect();
        let mirrored = CategoryMap { coordinates: mirrored, ..map.clone() };
        assert_eq!(mirrored.signed(), map.signed());
        assert!(map.signed().loading_sums().iter().all(|sum| *sum > 0.0));
        // R: abs(colSums(svd(S)$v[, 1:2])), S as above.
        let sums = map.loading_sums().map(f64::abs);
        assert!(
            (sums[0] - 0.345_638_243_160).abs() < 1e-9 && (sums[1] - 0.144_180_942_440).abs() < 1e-9,
            "{sums:?}"
        );
    }

    #[test]
    fn a_file_without_a_plane_says_why() {
        let none = CategoryMap::of(&coded(&[3, 2, 3], &[]), &[0, 1, 2]).unwrap();
        assert_eq!(none, Err(NoMap::Empty));
        let constant = CategoryMap::of(&coded(&[3, 2, 3], &[[1, 1, 1]; 4]), &[0, 1, 2]).unwrap();
        assert_eq!(constant, Err(NoMap::NoVariation));
        let independent: Vec<[u32; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2]).collect();
        let tied = CategoryMap::of(&coded(&[2, 2, 2], &independent), &[0, 1, 2]).unwrap();
        assert_eq!(tied, Err(NoMap::Undetermined));
        // One dimension is enough for a map.
        let line = CategoryMap::of(&coded(&[2, 1, 1], &[[0, 0, 0], [1, 0, 0]]), &[0, 1, 2]).unwrap().unwrap();
        assert!(line.inertias[1] == 0.0 && line.coordinates[0].unwrap()[0].abs() > 0.9);
    }

    #[test]
    fn a_category_that_one_file_lacks_lies_at_the_centre() {
        let map = CategoryMap::of(&coded(&[3, 2, 3], &ROWS), &[0, 1, 2]).unwrap().unwrap();
        let mut without = map.clone();
        without.coordinates[2] = None;
        let [x, y] = map.coordinates[2].unwrap();
        assert_eq!(map.distances(&without)[2], Some(x.hypot(y)));
        assert_eq!(map.distances(&without)[0], Some(0.0));
    }
}
