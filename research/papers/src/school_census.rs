//! A stand-in for the English School Census table of Jackson et al. (2022): 3,468,640 cells, nine in ten of them empty.
//!
//! The paper's own table is not public. This one is made by a fixed recipe from nothing but the sizes that the paper
//! states, n = 8.2 million pupils by local authority (326), sex (4), age (20), language (7) and ethnicity (19), where the
//! numbers of ages and of ethnicities are inferred. It is for speed, memory and the τ metrics against its own counts; it is
//! no evidence of utility on real data.

use rayon::prelude::*;
use statrs::function::erf::erfc_inv;

const AUTHORITIES: usize = 326;
const SEXES: usize = 4;
const AGES: usize = 20;
const LANGUAGES: usize = 7;
const ETHNICITIES: usize = 19;

/// Pupils that the cell means sum to.
const PUPILS: f64 = 8.2e6;

const SEX_SHARES: [f64; SEXES] = [0.509, 0.487, 0.003, 0.001];

/// Above this mean a count is a rounded normal quantile instead of a Poisson quantile.
const NORMAL_FROM: f64 = 30.0;

/// A table of counts with its dimensions; the last dimension runs fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchoolCensus {
    /// Numbers of authorities, sexes, ages, languages and ethnicities.
    pub dims: [usize; 5],
    /// One count a cell.
    pub counts: Vec<u32>,
}

/// Makes the table; the same on every machine up to single counts, on any number of threads.
pub fn school_census() -> SchoolCensus {
    let mean_of = pupils_by_area_ethnicity_and_language();
    let authority_cells = SEXES * AGES * LANGUAGES * ETHNICITIES;
    let counts = (0..AUTHORITIES)
        .into_par_iter()
        .flat_map_iter(|authority| {
            let mean_of = &mean_of;
            (0..authority_cells).map(move |within| {
                let (rest, ethnicity) = (within / ETHNICITIES, within % ETHNICITIES);
                let (rest, language) = (rest / LANGUAGES, rest % LANGUAGES);
                let sex = rest / AGES;
                let pupils = mean_of[(authority * ETHNICITIES + ethnicity) * LANGUAGES + language];
                let mean = pupils * SEX_SHARES[sex] / AGES as f64;
                count(mean, uniform(2012, (authority * authority_cells + within) as u64))
            })
        })
        .collect();
    SchoolCensus { dims: [AUTHORITIES, SEXES, AGES, LANGUAGES, ETHNICITIES], counts }
}

/// Mean pupils by authority, ethnicity and language, language fastest: margins, times a log-normal interaction.
fn pupils_by_area_ethnicity_and_language() -> Vec<f64> {
    let authority_weights: [f64; AUTHORITIES] =
        std::array::from_fn(|i| (0.6 * normal_quantile((i as f64 + 0.5) / AUTHORITIES as f64)).exp());
    let authority_total: f64 = authority_weights.iter().sum();

    let mut means = Vec::with_capacity(AUTHORITIES * ETHNICITIES * LANGUAGES);
    for (authority, weight) in authority_weights.iter().enumerate() {
        let ethnicity_shares = ethnicity_shares(authority);
        for (ethnicity, ethnicity_share) in ethnicity_shares.iter().enumerate() {
            for language_share in language_shares(ethnicity) {
                let interaction = (0.7 * normal_quantile(uniform(2011, means.len() as u64))).exp();
                means.push(weight / authority_total * ethnicity_share * language_share * interaction);
            }
        }
    }
    let total: f64 = means.iter().sum();
    means.iter_mut().for_each(|mean| *mean *= PUPILS / total);
    means
}

/// 1/j with the first six times as large; more even in some authorities than in others.
fn ethnicity_shares(authority: usize) -> [f64; ETHNICITIES] {
    let share = normalised(std::array::from_fn(|j| if j == 0 { 6.0 } else { 1.0 / (j as f64 + 1.0) }));
    let diversity = (authority as f64 * 0.618_033_988_749_894_9).fract().powi(3);
    normalised(share.map(|share| share.powf(1.0 / (0.7 + 0.3 * diversity))))
}

/// A first language for most, and six others whose order turns with the ethnicity.
fn language_shares(ethnicity: usize) -> [f64; LANGUAGES] {
    let others: [f64; LANGUAGES - 1] = std::array::from_fn(|g| (-0.8 * (g as f64 + 1.0)).exp());
    normalised(std::array::from_fn(|language| match language {
        0 if ethnicity < 3 => 12.0,
        0 => 3.0,
        // Rotated to the right by `ethnicity` places.
        _ => others[(language - 1 + (LANGUAGES - 1) * ETHNICITIES - ethnicity) % (LANGUAGES - 1)],
    }))
}

fn normalised<const N: usize>(weights: [f64; N]) -> [f64; N] {
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// The count of a cell with this mean at the quantile `u`: Poisson by inversion, or a rounded normal for large means.
fn count(mean: f64, u: f64) -> u32 {
    if mean >= NORMAL_FROM {
        return (mean + mean.sqrt() * normal_quantile(u)).round_ties_even().max(0.0) as u32;
    }
    let mut probability = (-mean).exp();
    let mut cumulative = probability;
    let mut count = 0;
    // Rounding may leave the sum of all probabilities just short of u.
    while u > cumulative && count < 1000 {
        count += 1;
        probability *= mean / f64::from(count);
        cumulative += probability;
    }
    count
}

/// SplitMix64's i-th output for this seed (Steele, Lea & Flood 2014), as a number inside (0, 1).
fn uniform(seed: u64, i: u64) -> f64 {
    let mut z = seed.wrapping_add((i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    ((z >> 11) as f64 + 0.5) * 2.0_f64.powi(-53)
}

/// Φ⁻¹.
fn normal_quantile(p: f64) -> f64 {
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontier::plan::CellSizes;

    #[test]
    fn the_table_is_the_one_of_the_recipe() {
        let census = school_census();
        assert_eq!(census.dims, [326, 4, 20, 7, 19]);
        assert_eq!(census.counts.len(), 3_468_640);
        let sizes = CellSizes::from_counts(census.counts.iter().map(|count| u64::from(*count))).unwrap();
        // Measured once with numpy; another floating-point library may move single counts.
        for (size, share) in (0..).zip([0.8954, 0.0479, 0.0165, 0.0088, 0.0055, 0.0038]) {
            assert!((sizes.share(size) - share).abs() < 5e-4, "size {size}: {}", sizes.share(size));
        }
        let records = sizes.records() as f64;
        assert!((records / 8_195_656.0 - 1.0).abs() < 1e-3, "{records} records");
        let largest = census.counts.iter().copied().max().unwrap();
        assert!((5_600..=5_670).contains(&largest), "largest cell {largest}");
        let authorities: Vec<u64> = census
            .counts
            .chunks(4 * 20 * 7 * 19)
            .map(|cells| cells.iter().map(|c| u64::from(*c)).sum())
            .collect();
        let (smallest, largest) = (authorities.iter().min().unwrap(), authorities.iter().max().unwrap());
        assert!(
            (1_120..=1_145).contains(smallest) && (225_000..=225_800).contains(largest),
            "{smallest} {largest}"
        );
    }

    #[test]
    fn the_generator_is_splitmix64() {
        // The first output of the reference implementation from state 0 is 0xE220A8397B1DCDAF.
        assert_eq!(uniform(0, 0), ((0xE220_A839_7B1D_CDAF_u64 >> 11) as f64 + 0.5) * 2.0_f64.powi(-53));
    }

    #[test]
    fn quantiles_are_those_of_the_normal_and_the_poisson() {
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
        assert_eq!(normal_quantile(0.5), 0.0);
        // Poisson(2): P(0) = 0.1353, P(≤ 1) = 0.4060, P(≤ 2) = 0.6767.
        assert_eq!([0.1, 0.2, 0.5, 0.9].map(|u| count(2.0, u)), [0, 1, 2, 4]);
        assert_eq!(count(100.0, 0.5), 100);
    }
}
