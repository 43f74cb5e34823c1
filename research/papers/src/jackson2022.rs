//! Jackson, Mitra, Francis & Dove (2022), *On integrating the number of synthetic data sets m into the a priori synthesis approach*.
//!
//! The paper's table is not public, nor are the values of its Table 1. Here is the [stand-in](crate::school_census) of the same size and
//! sparseness, so that what must agree is the pattern: τ by the normal approximation beside the exact one, distances that fall with m,
//! overlaps that rise with it.
//!
//! A sum over cells of equal size of independent counts is a count of the same family. So a margin of a synthetic table is drawn from the
//! sizes of its cells, a few thousand draws instead of millions, with exactly the distribution that drawing every cell would give.

use std::collections::BTreeMap;

use inference::{Combined, FileEstimate, Level, Rule as CombiningRule, Target, Weights, combine};
use measures::utility::interval::Interval;
use rayon::prelude::*;
use statistics::counts::{CountFamily, Mean};
use synthesis::randomness::{Rng, Seed};

use super::{
    Cell, Figure, Ours, Paper, ReproduceError, ReproducedTable, Reproduction, Request, Rule, Series,
};
use crate::school_census::{SchoolCensus, school_census};
use frontier::plan::{CellSizes, MeanCount, PlanError, SaturatedMechanism, SizeRule, Tau};

/// The paper.
pub(crate) const PAPER: Paper = Paper {
    name: "jackson2022",
    citation: "Jackson, Mitra, Francis & Dove (2022), On integrating the number of synthetic data sets m into the a priori synthesis approach",
    repeats: "Figures 1 to 6 and Table 2 on a stand-in of the paper's table, exact tau beside the normal approximation",
    data: &[],
    runs: 10,
    run: reproduce,
};

const SIGMAS: [f64; 5] = [0.0, 0.1, 0.5, 2.0, 10.0];

/// Data sets in Table 2.
const SETS: [u32; 7] = [2, 5, 10, 20, 30, 40, 50];

/// Data sets in the figures.
const FIGURE_SETS: [u32; 10] = [1, 2, 5, 10, 15, 20, 25, 30, 40, 50];

/// Table 2 as printed: T_p, then T_s; rows σ, columns m.
const TABLE_2: [[[f64; 7]; 5]; 2] = [
    [
        [0.883, 0.901, 0.950, 0.992, 0.990, 0.994, 0.983],
        [0.533, 0.692, 0.822, 0.898, 0.913, 0.925, 0.917],
        [0.536, 0.635, 0.778, 0.843, 0.878, 0.909, 0.923],
        [0.000, 0.587, 0.667, 0.726, 0.716, 0.742, 0.780],
        [0.522, 0.535, 0.554, 0.583, 0.604, 0.623, 0.638],
    ],
    [
        [0.881, 0.905, 0.951, 0.988, 0.990, 0.994, 0.983],
        [0.700, 0.317, 0.802, 0.942, 0.904, 0.920, 0.915],
        [0.221, 0.344, 0.653, 0.789, 0.864, 0.915, 0.967],
        [0.020, 0.436, 0.856, 0.775, 0.825, 0.809, 0.906],
        [0.000, 0.664, 0.454, 0.000, 0.078, 0.258, 0.465],
    ],
];

/// τ₃(1, 0.5) at m = 10 for σ = 0.1, 0.5, 2, 10, computed independently of this software: exact, then by the normal approximation.
const TAU_3: [[f64; 4]; 2] = [[0.9077, 0.8539, 0.7036, 0.4033], [0.8683, 0.8033, 0.6387, 0.3664]];

fn reproduce(request: &Request<'_>) -> Result<Reproduction, ReproduceError> {
    (request.progress)("building the table of 3,468,640 cells");
    let census = school_census();
    let sizes = CellSizes::from_counts(census.counts.iter().map(|count| u64::from(*count)))?;
    let mut found = PAPER.begin();
    found.tables.push(original_sizes(&sizes));
    found.tables.push(tau_check(&sizes)?);
    (request.progress)("Figures 1, 2 and 4: tau and distances, before anything is drawn");
    found.figures.extend(tau_figures(&sizes)?);
    found.figures.push(tau_surface()?);
    (request.progress)("Figure 3: percentage differences");
    found.figures.push(percentage_differences(&sizes, request.seed)?);
    found.figures.extend(distances(&sizes)?);
    (request.progress)("Table 2 and Figures 5 and 6: intervals of a log odds ratio");
    let runs = overlaps(&census, request)?;
    found.tables.extend(overlap_tables(&runs));
    found.tables.push(pattern(&runs));
    found.figures.push(estimators(&runs));
    found.figures.extend(trade_offs(&sizes, &runs)?);
    found.remarks = vec![
        "The paper's table is not public. The stand-in has its number of cells, of records and of empty cells; its structure is invented, and \
         age is independent of language in it, so that the log odds ratio is near 0 where the paper's is -0.0075. Cells of Table 2 are \
         therefore single draws on another table: the paper's pattern must hold, its digits need not."
            .into(),
        "The paper's Table 2 is one realisation for each sigma, with data sets shared between columns; ours is the mean of the runs, and the \
         standard error that of one run. Its 0.000 for T_p at sigma = 2, m = 2 is such a realisation: two data sets that agree by chance \
         make the interval short."
            .into(),
        approximation_remark(&found.figures),
    ];
    found.misprints = vec![
        "Table 1, the shares of cells of each size, is missing from the published text.".into(),
        "Section 4 says that sums of negative binomial counts have no known distribution. With equal dispersion they have: the sum of m \
         counts NBI(mu, sigma) is NBI(m mu, sigma/m), so that tau needs no approximation."
            .into(),
        "Section 5.2 speaks of sigma = 1 in Figure 4, where the values are 0, 0.1, 0.5, 2 and 10.".into(),
    ];
    Ok(found)
}

fn mechanism(sigma: f64, m: u32) -> Result<SaturatedMechanism, PlanError> {
    let family = if sigma == 0.0 { CountFamily::Poisson } else { CountFamily::nbi(sigma)? };
    SaturatedMechanism::new(family).with_m(m)
}

fn original_sizes(sizes: &CellSizes) -> ReproducedTable {
    let mut table =
        ReproducedTable::new("Table 1", "Size of the table and shares of its cells; the stand-in's.");
    let (cells, records) = (sizes.cells() as f64, sizes.records() as f64);
    let rows = [
        ("K, in millions", Some(3.5), cells / 1e6, 0.05),
        ("n, in millions", Some(8.2), records / 1e6, 0.05),
        ("share of empty cells", Some(0.90), sizes.share(0), 0.0051),
    ];
    for (row, paper, ours, within) in rows {
        let rule = paper.map_or(Rule::Shown, |paper| Rule::must_be_within(within, paper));
        table.cells.push(Cell::new(row, "table", paper, Ours::exact(ours), rule));
    }
    for k in 1..=5 {
        table.cells.push(Cell::new(
            format!("tau2({k})"),
            "table",
            None,
            Ours::exact(sizes.share(k)),
            Rule::Shown,
        ));
    }
    table
}

fn tau_check(sizes: &CellSizes) -> Result<ReproducedTable, ReproduceError> {
    let mut table = ReproducedTable::new("tau3(1, 0.5) at m = 10", "Beside an independent computation.");
    for (kind, row, printed) in
        [(MeanCount::Exact, "exact", TAU_3[0]), (MeanCount::Clt, "normal approximation", TAU_3[1])]
    {
        for (sigma, printed) in SIGMAS[1..].iter().zip(printed) {
            let tau = Tau::expected(sizes, &mechanism(*sigma, 10)?, 1, 0.5, kind)?;
            let ours = Ours::exact(tau.tau3);
            let rule = Rule::must_be_within(0.00005, printed);
            table.cells.push(Cell::new(row, format!("sigma = {sigma}"), Some(printed), ours, rule));
        }
    }
    Ok(table)
}

/// Figure 1: τ₃(1, 0.1), τ₃(1, 0.2), τ₄(1, 0.5), τ₄(1, 0.75).
fn tau_figures(sizes: &CellSizes) -> Result<Vec<Figure>, ReproduceError> {
    let mut figures = Vec::new();
    for (panel, metric, d) in [("a", 3, 0.1), ("b", 3, 0.2), ("c", 4, 0.5), ("d", 4, 0.75)] {
        let name = format!("tau{metric}(1, {d})");
        let caption =
            format!("{name} as the number of data sets grows; exact, and by the normal approximation.");
        let mut figure = Figure::new(format!("Figure 1{panel}"), caption, "m", name);
        for (kind, label) in [(MeanCount::Exact, "exact"), (MeanCount::Clt, "normal approximation")] {
            for sigma in SIGMAS {
                let value = |m: &u32| -> Result<Option<[f64; 2]>, PlanError> {
                    let tau = Tau::expected(sizes, &mechanism(sigma, *m)?, 1, d, kind)?;
                    let value = if metric == 3 { Some(tau.tau3) } else { tau.tau4 };
                    Ok(value.map(|value| [f64::from(*m), value]))
                };
                let points: Vec<Option<[f64; 2]>> =
                    FIGURE_SETS.par_iter().map(value).collect::<Result<_, PlanError>>()?;
                figure =
                    figure.with(format!("sigma = {sigma}, {label}"), points.into_iter().flatten().collect());
            }
        }
        figures.push(figure);
    }
    Ok(figures)
}

/// What Figure 1 shows beside the paper's, and how far the normal approximation lies from the exact values at m = 10.
fn approximation_remark(figures: &[Figure]) -> String {
    let panels = figures.iter().filter(|figure| figure.name.starts_with("Figure 1"));
    let panels: Vec<String> = panels
        .filter_map(|figure| {
            let [low, high] = approximation_errors(figure, 10)?;
            let (size, side) = if -low > high { (-low, "low") } else { (high, "high") };
            Some(format!("{size:.3} too {side} in {} ({})", figure.name, figure.y))
        })
        .collect();
    format!(
        "Figure 1 of the paper shows simulated values; here are the exact expectations that they scatter about, beside the paper's normal \
         approximation, which at m = 10 is up to {}.",
        panels.join(", ")
    )
}

/// The smallest and the largest difference of the normal approximation from the exact value over σ, at this number of data sets.
fn approximation_errors(figure: &Figure, m: u32) -> Option<[f64; 2]> {
    let (exact, approximate) = figure.series.split_at(figure.series.len() / 2);
    let at = |series: &Series| series.points.iter().find(|[x, _]| *x == f64::from(m)).map(|[_, y]| *y);
    let errors = exact.iter().zip(approximate).filter_map(|(one, other)| Some(at(other)? - at(one)?));
    errors.fold(None, |range: Option<[f64; 2]>, error| {
        let [low, high] = range.unwrap_or([error; 2]);
        Some([low.min(error), high.max(error)])
    })
}

/// Figure 2: τ₃(1, 0.1) over m and σ; a series for each σ. τ₃ looks at cells of size 1 alone.
fn tau_surface() -> Result<Figure, ReproduceError> {
    let one = CellSizes::new([(1, 1)].into())?;
    let caption = "Expected tau3(1, 0.1) for 30 data sets and more; exact, and by the normal approximation.";
    let mut figure = Figure::new("Figure 2", caption, "m", "tau3(1, 0.1)");
    for (kind, label) in [(MeanCount::Exact, "exact"), (MeanCount::Clt, "normal approximation")] {
        for sigma in [0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0] {
            let point = |m: u32| -> Result<[f64; 2], PlanError> {
                Ok([f64::from(m), Tau::expected(&one, &mechanism(sigma, m)?, 1, 0.1, kind)?.tau3])
            };
            let points = (30..=100).step_by(10).map(point).collect::<Result<_, PlanError>>()?;
            figure = figure.with(format!("sigma = {sigma}, {label}"), points);
        }
    }
    Ok(figure)
}

/// Figure 3: quantiles over the occupied cells of 100 (f̄ − f)/f, with one draw for every tenth cell of a size.
fn percentage_differences(sizes: &CellSizes, seed: u64) -> Result<Figure, ReproduceError> {
    let caption = "Percentage differences between mean synthetic and original counts: quantiles over every tenth occupied cell.";
    let mut figure = Figure::new("Figure 3", caption, "m", "percentage difference");
    let quantiles =
        [(5, "5 %"), (25, "lower quartile"), (50, "median"), (75, "upper quartile"), (95, "95 %")];
    for (place, sigma) in SIGMAS.into_iter().enumerate() {
        let of_m = |m: &u32| -> Result<Vec<f64>, PlanError> {
            let mechanism = mechanism(sigma, *m)?;
            let mut rng = Seed::new(seed).child(3).child(place as u64).stream(u64::from(*m));
            let mut differences = Vec::new();
            for (size, cells) in sizes.occupied() {
                let sum = mechanism.sum_of(size)?;
                for _ in 0..cells.div_ceil(10) {
                    let mean = sum.sample(&mut rng) as f64 / f64::from(*m);
                    differences.push(100.0 * (mean - size as f64) / size as f64);
                }
            }
            differences.sort_unstable_by(f64::total_cmp);
            Ok(quantiles.iter().map(|(k, _)| table::grouping::quantile(&differences, *k, 100)).collect())
        };
        let sets = [1, 5, 10, 50];
        let found: Vec<Vec<f64>> = sets.par_iter().map(of_m).collect::<Result<_, PlanError>>()?;
        for (at, (_, label)) in quantiles.iter().enumerate() {
            let points = sets.iter().zip(&found).map(|(m, values)| [f64::from(*m), values[at]]).collect();
            figure = figure.with(format!("sigma = {sigma}, {label}"), points);
        }
    }
    Ok(figure)
}

/// Figure 4: Hellinger and Euclidean distance of counts.
fn distances(sizes: &CellSizes) -> Result<[Figure; 2], ReproduceError> {
    let rule = SizeRule::new(sizes);
    let caption = "Expected distance of mean synthetic counts from the original ones.";
    let mut hellinger = Figure::new("Figure 4a", caption, "m", "Hellinger distance");
    let mut euclidean = Figure::new("Figure 4b", caption, "m", "Euclidean distance");
    for sigma in SIGMAS {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for m in FIGURE_SETS {
            let distance = rule.expected_distance(&mechanism(sigma, m)?)?;
            first.push([f64::from(m), distance.hellinger]);
            second.push([f64::from(m), distance.euclidean]);
        }
        hellinger = hellinger.with(format!("sigma = {sigma}"), first);
        euclidean = euclidean.with(format!("sigma = {sigma}"), second);
    }
    Ok([hellinger, euclidean])
}

/// What the m first data sets of one run say of the log odds ratio.
#[derive(Clone, Copy)]
struct Intervals {
    t_p: f64,
    t_s: f64,
    overlap_p: f64,
    overlap_s: f64,
}

/// Runs, then σ, then m.
type Runs = Vec<Vec<Vec<Intervals>>>;

/// The sizes of the cells of each corner of the fourfold table of age by language, and of all other cells last.
fn corners(census: &SchoolCensus) -> [BTreeMap<u32, u32>; 5] {
    let [_, sexes, ages, languages, ethnicities] = census.dims;
    let mut corners: [BTreeMap<u32, u32>; 5] = Default::default();
    for (place, count) in census.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let rest = place / ethnicities;
        let (language, rest) = (rest % languages, rest / languages);
        let age = rest % ages;
        debug_assert!(rest / ages % sexes < sexes);
        // Aged up to nine or from ten; the first two languages.
        let corner = if language < 2 { 2 * usize::from(age >= 10) + language } else { 4 };
        *corners[corner].entry(*count).or_default() += 1;
    }
    corners
}

/// One synthetic fourfold table, with the number of all records.
fn draw(
    corners: &[BTreeMap<u32, u32>; 5],
    family: CountFamily,
    rng: &mut Rng,
) -> Result<([f64; 4], u64), ReproduceError> {
    let mut sums = [0_u64; 5];
    for (sum, sizes) in sums.iter_mut().zip(corners) {
        for (size, cells) in sizes {
            let cells = std::num::NonZeroU32::new(*cells).expect("a size is listed with its cells");
            let one = family.distribution(Mean::of_count(*size));
            *sum += one.sum_of(cells).sample(rng);
        }
    }
    Ok(([0, 1, 2, 3].map(|corner| sums[corner] as f64), sums.iter().sum()))
}

/// The log odds ratio of a fourfold table with its variance; a corner without records counts a half.
fn log_odds_ratio(corners: &[f64; 4]) -> (f64, f64) {
    let n = corners.map(|count| if count == 0.0 { 0.5 } else { count });
    ((n[0] * n[3] / (n[1] * n[2])).ln(), n.iter().map(|count| count.recip()).sum())
}

fn overlaps(census: &SchoolCensus, request: &Request<'_>) -> Result<Runs, ReproduceError> {
    let corners = corners(census);
    let total = |sizes: &BTreeMap<u32, u32>| -> u64 {
        sizes.iter().map(|(size, cells)| u64::from(*size) * u64::from(*cells)).sum()
    };
    let original = [0, 1, 2, 3].map(|corner| total(&corners[corner]) as f64);
    let records: u64 = corners.iter().map(total).sum();
    let (estimate, variance) = log_odds_ratio(&original);
    let original = Interval::around(estimate, variance.sqrt());
    let overlap = |combined: &Combined| {
        let half = combined.reference.quantile(Level::USUAL) * combined.variance.sqrt();
        original.overlap(Interval { low: combined.estimate - half, high: combined.estimate + half })
    };
    let one = |run: u32| -> Result<Vec<Vec<Intervals>>, ReproduceError> {
        let mut by_sigma = Vec::new();
        for (place, sigma) in SIGMAS.into_iter().enumerate() {
            let family = mechanism(sigma, 1)?.family();
            let mut rng = Seed::new(request.seed).child(5).child(place as u64).stream(u64::from(run));
            let (mut files, mut pooled, mut all) = (Vec::new(), [0.0; 4], 0);
            let mut by_m = Vec::new();
            for m in 1..=SETS[SETS.len() - 1] {
                let (corners, records_drawn) = draw(&corners, family, &mut rng)?;
                pooled.iter_mut().zip(corners).for_each(|(sum, count)| *sum += count);
                all += records_drawn;
                let (estimate, variance) = log_odds_ratio(&corners);
                files.push(FileEstimate { estimate, variance, records: records_drawn });
                if SETS.contains(&m) {
                    let combine = |rule, files: &[FileEstimate]| {
                        combine(rule, files, Some(records), Target::Population, Weights::Equal)
                    };
                    let separate = combine(CombiningRule::Tp, &files)?;
                    let (estimate, variance) = log_odds_ratio(&pooled);
                    let together =
                        combine(CombiningRule::Pooled, &[FileEstimate { estimate, variance, records: all }])?;
                    by_m.push(Intervals {
                        t_p: separate.variance,
                        t_s: together.variance,
                        overlap_p: overlap(&separate),
                        overlap_s: overlap(&together),
                    });
                }
            }
            by_sigma.push(by_m);
        }
        Ok(by_sigma)
    };
    (0..request.runs).into_par_iter().map(one).collect()
}

/// The values of all runs at one σ and m.
fn at(runs: &Runs, sigma: usize, m: usize, of: fn(&Intervals) -> f64) -> Vec<f64> {
    runs.iter().map(|run| of(&run[sigma][m])).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn overlap_tables(runs: &Runs) -> [ReproducedTable; 2] {
    type Of = fn(&Intervals) -> f64;
    let estimators: [(&str, &str, Of); 2] = [
        ("Table 2, T_p", "Interval overlap when the data sets are analysed separately.", |one| one.overlap_p),
        ("Table 2, T_s", "Interval overlap when the data sets are pooled.", |one| one.overlap_s),
    ];
    let mut tables = estimators.iter().zip(TABLE_2).map(|((name, caption, of), printed)| {
        let mut table = ReproducedTable::new(*name, *caption);
        for (place, sigma) in SIGMAS.into_iter().enumerate() {
            for (column, m) in SETS.into_iter().enumerate() {
                let ours = Ours::mean(&at(runs, place, column, *of), 1);
                let rule = Rule::StandardErrors { most: 3.0, rounding: 0.0005 };
                let (row, name) = (format!("sigma = {sigma}"), format!("m = {m}"));
                table.cells.push(Cell::new(row, name, Some(printed[place][column]), ours, rule));
            }
        }
        table
    });
    std::array::from_fn(|_| tables.next().expect("there are two estimators"))
}

/// What the text says of Table 2 and Figure 5, as statements about means over the runs.
fn pattern(runs: &Runs) -> ReproducedTable {
    let mut table = ReproducedTable::new(
        "Pattern of Table 2 and Figure 5",
        "What the text says, in means over the runs.",
    );
    let (first, last) = (0, SETS.len() - 1);
    let overlap = |sigma: usize, m: usize| mean(&at(runs, sigma, m, |one| one.overlap_p));
    for (place, sigma) in SIGMAS.into_iter().enumerate() {
        let gain = overlap(place, last) - overlap(place, first);
        let row = format!("overlap by T_p at m = 50 less that at m = 2, sigma = {sigma}");
        table.cells.push(Cell::new(row, "ours", None, Ours::exact(gain), Rule::Must { low: 0.0, high: 1.0 }));
    }
    let loss = overlap(1, last) - overlap(4, last);
    let row = "overlap by T_p at m = 50: sigma = 0.1 less sigma = 10";
    table.cells.push(Cell::new(row, "ours", None, Ours::exact(loss), Rule::Must { low: 0.1, high: 1.0 }));
    for (place, sigma) in SIGMAS.into_iter().enumerate().skip(2) {
        let ratio = mean(&at(runs, place, first, |one| one.t_p / one.t_s));
        let row = format!("T_p over T_s at m = 2, sigma = {sigma}");
        table.cells.push(Cell::new(
            row,
            "ours",
            None,
            Ours::exact(ratio),
            Rule::Must { low: 1.0, high: f64::INFINITY },
        ));
    }
    table
}

/// Figure 5: T_p and T_s over m, means over the runs.
fn estimators(runs: &Runs) -> Figure {
    let mut figure =
        Figure::new("Figure 5", "The estimators T_p and T_s, means over the runs.", "m", "variance");
    type Of = fn(&Intervals) -> f64;
    let both: [(&str, Of); 2] = [("T_p", |one| one.t_p), ("T_s", |one| one.t_s)];
    for (label, of) in both {
        for (place, sigma) in SIGMAS.into_iter().enumerate() {
            let point = |(column, m): (usize, &u32)| [f64::from(*m), mean(&at(runs, place, column, of))];
            figure = figure
                .with(format!("{label}, sigma = {sigma}"), SETS.iter().enumerate().map(point).collect());
        }
    }
    figure
}

/// Figure 6: risk τ₄(1, d) against utility, by interval overlap and by one less the standardised Hellinger distance.
fn trade_offs(sizes: &CellSizes, runs: &Runs) -> Result<Vec<Figure>, ReproduceError> {
    let rule = SizeRule::new(sizes);
    let distance = |sigma: f64, m: u32| -> Result<f64, ReproduceError> {
        Ok(rule.expected_distance(&mechanism(sigma, m)?)?.hellinger)
    };
    let largest = distance(SIGMAS[4], SETS[0])?;
    let mut figures = Vec::new();
    for (panel, d, by_overlap) in [("a", 0.5, true), ("b", 0.75, true), ("c", 0.5, false), ("d", 0.75, false)]
    {
        let utility = if by_overlap { "interval overlap" } else { "1 - standardised Hellinger distance" };
        let caption = format!("Risk against utility; a point for each m from {} to {}.", SETS[0], SETS[6]);
        let mut figure = Figure::new(format!("Figure 6{panel}"), caption, utility, format!("tau4(1, {d})"));
        for (place, sigma) in SIGMAS.into_iter().enumerate() {
            let mut points = Vec::new();
            for (column, m) in SETS.into_iter().enumerate() {
                let tau = Tau::exact(sizes, &mechanism(sigma, m)?, 1, d)?;
                let utility = match by_overlap {
                    true => mean(&at(runs, place, column, |one| one.overlap_p)),
                    false => 1.0 - distance(sigma, m)? / largest,
                };
                points.extend(tau.tau4.map(|risk| [utility, risk]));
            }
            figure = figure.with(format!("sigma = {sigma}"), points);
        }
        figures.push(figure);
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remark_on_figure_1_tells_the_largest_error_of_each_panel() {
        let census = school_census();
        let sizes = CellSizes::from_counts(census.counts.iter().map(|count| u64::from(*count))).unwrap();
        let remark = approximation_remark(&tau_figures(&sizes).unwrap());
        assert!(
            remark.ends_with(
                "at m = 10 is up to 0.116 too low in Figure 1a (tau3(1, 0.1)), 0.098 too low in Figure 1b (tau3(1, 0.2)), \
                 0.150 too high in Figure 1c (tau4(1, 0.5)), 0.136 too high in Figure 1d (tau4(1, 0.75))."
            ),
            "{remark}"
        );
    }
}
