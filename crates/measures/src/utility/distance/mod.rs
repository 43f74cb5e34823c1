//! Distances between two files: of cell shares, of distributions of numbers, of associations.
//!
//! Missing values are a class of their own in tables, as `TableOptions` says; from numbers they are left out, and so are
//! special codes; correlations use the records that have both numbers.

mod association;
mod cell_shares;
mod cell_size;
mod numbers;

pub use association::correlation;
pub use cell_shares::CellShareDistances;
pub(crate) use cell_size::{CELL_SIZES, PercentDifferences};
pub use numbers::{kolmogorov_smirnov, wasserstein};

use table::domain::Partition;
use table::{Attributes, Classes, CodedTable, CountSource};

use crate::evaluation::mean_of_sets;
use crate::shared_tables::names_in;
use crate::utility::numbers::number_pairs;
use crate::utility::tables::{each_table, wanted_tables};
use crate::{
    Aspect, Better, Comparison, CountMeasure, CountedTables, FamilyCard, Finding, Kept, Measure, MeasureCard,
    MeasureError, Null, Range, Setting, Settings, UsualAxis,
};

/// The family of distances.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

const fn card(
    name: &'static str,
    question: &'static str,
    unit: &'static str,
    range: Range,
    citation: &'static str,
) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Lower,
        unit,
        range,
        null: Null::None,
        citation,
        kept: Kept::All,
    }
}

const TWO: Range = Range { from: 0.0, to: Some(2.0) };
const ROOT_TWO: Range = Range { from: 0.0, to: Some(std::f64::consts::SQRT_2) };
const LEVIN: &str = "Levin & Peres (2017), Markov Chains and Mixing Times, section 4.1";
const JACKSON: &str = "Jackson, Mitra, Francis & Dove (2022), Using saturated count models, section 5.2";

const CARDS: &[MeasureCard] = &[
    card(
        "distance.hellinger",
        "How far are the square roots of the cells' shares apart?",
        "",
        Range::UNIT,
        JACKSON,
    )
    .keeping(Kept::Whole),
    card("distance.euclidean", "How far are the cells' shares apart, squared?", "", ROOT_TWO, JACKSON)
        .keeping(Kept::Whole),
    card("distance.total_variation", "What share of records lies in another cell?", "", Range::UNIT, LEVIN)
        .keeping(Kept::Whole),
    card(
        names::MEAN_HELLINGER,
        "How large is the Hellinger distance of tables of this many variables, on average?",
        "",
        Range::UNIT,
        JACKSON,
    ),
    card(
        "distance.mean_euclidean",
        "How large is the Euclidean distance of tables of this many variables, on average?",
        "",
        ROOT_TWO,
        JACKSON,
    ),
    card(
        "distance.mean_total_variation",
        "How large is the total variation of tables of this many variables, on average?",
        "",
        Range::UNIT,
        LEVIN,
    ),
    card(
        "distance.percent_difference",
        "By how many per cent do cells of this size differ, on average?",
        "%",
        Range::NOT_NEGATIVE,
        JACKSON,
    ),
    card(
        names::KS,
        "How far are the distribution functions of a number apart, at most?",
        "",
        Range::UNIT,
        "Smirnov (1939), Bulletin of Moscow University 2",
    ),
    card(
        "distance.wasserstein",
        "How far must a number be moved on average, to make the two distributions equal?",
        "units of the variable",
        Range::NOT_NEGATIVE,
        "Vallender (1974), Theory of Probability and its Applications 18",
    ),
    card(
        names::CORRELATION,
        "By how much do the correlations of two numbers differ?",
        "",
        TWO,
        "Pearson (1895), Proceedings of the Royal Society 58",
    )
    .keeping(Kept::Whole),
    card(
        names::CRAMERS_V,
        "By how much do the associations of two categorical variables differ?",
        "",
        Range::UNIT,
        "Cramér (1946), Mathematical Methods of Statistics, section 21.9",
    )
    .keeping(Kept::Whole),
    card(
        names::MEAN_CORRELATION,
        "By how much do the correlations of two numbers differ, on average?",
        "",
        TWO,
        "Pearson (1895), Proceedings of the Royal Society 58",
    ),
    card(
        names::MEAN_CRAMERS_V,
        "By how much do the associations of two categorical variables differ, on average?",
        "",
        Range::UNIT,
        "Cramér (1946), Mathematical Methods of Statistics, section 21.9",
    ),
    MeasureCard {
        name: "distance.k_marginal",
        question: "What is NIST's k-marginal score of tables of this many variables: 1000 for equal shares, 0 for shares that have nothing in common?",
        better: Better::Higher,
        unit: "",
        range: Range { from: 0.0, to: Some(1_000.0) },
        null: Null::None,
        citation: "Task, Bhagat, Streat, Simpson & Howarth (2023), SDNist v2: deidentified data report tool; the mean over all tables instead of a sample",
        kept: Kept::All,
    },
];

/// About the whole file.
const NO_VARIABLES: &[&str] = &[];

const SHARES: usize = 0;
const TOTAL_VARIATION: usize = 2;
const MEAN_SHARES: usize = 3;
const PERCENT: usize = 6;
const KS: usize = 7;
const WASSERSTEIN: usize = 8;
const CORRELATION: usize = 9;
const CRAMERS_V: usize = 10;
const MEAN_CORRELATION: usize = 11;
const MEAN_CRAMERS_V: usize = 12;
const K_MARGINAL: usize = 13;

/// Measures of this family that other crates refer to.
pub mod names {
    /// `distance.ks`.
    pub const KS: &str = "distance.ks";
    /// `distance.mean_correlation`.
    pub const MEAN_CORRELATION: &str = "distance.mean_correlation";
    /// `distance.correlation`.
    pub const CORRELATION: &str = "distance.correlation";
    /// `distance.cramers_v`.
    pub const CRAMERS_V: &str = "distance.cramers_v";
    /// `distance.mean_cramers_v`.
    pub const MEAN_CRAMERS_V: &str = "distance.mean_cramers_v";
    /// `distance.mean_hellinger`.
    pub(crate) const MEAN_HELLINGER: &str = "distance.mean_hellinger";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "distance",
    aspect: Aspect::Utility,
    honours: &[Setting::Tables, Setting::Ways, Setting::Groups, Setting::Classes, Setting::Missing],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::MEAN_HELLINGER,
        label: names::MEAN_HELLINGER,
        by_ways: false,
        rank: 4,
        usable: None,
    }),
    identified_by: &["ways", "cell_size"],
    measures: CARDS,
};

impl Measure for Distances {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let shared = settings.shared(comparison, &settings.tables.grouping)?;
        let (original, synthetic) = (shared.original(), &shared.synthetic()[0]);
        let schema = comparison.original.schema();
        let has_levels =
            |name: &str| schema.variable(name).is_ok_and(|variable| variable.kind.levels().is_some());
        let mut findings = of_tables(original, synthetic, settings)?;
        findings.extend(of_numbers(comparison));
        findings.extend(of_categories(original, synthetic, has_levels, settings)?);
        Ok(findings)
    }

    fn on_counts(&self) -> Option<&dyn CountMeasure> {
        Some(self)
    }
}

impl CountMeasure for Distances {
    /// Distances of shares and of associations; those of numbers need the records, and say so.
    fn evaluate_counts(
        &self,
        tables: CountedTables<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let original = tables.original;
        let (categories, numbers): (Vec<&Classes>, Vec<&Classes>) = original
            .domain()
            .variables()
            .iter()
            .partition(|classes| matches!(classes.partition(), Partition::Levels(_)));
        let has_levels = |name: &str| categories.iter().any(|classes| classes.name() == name);
        let of_set = |set: &CodedTable| -> Result<Vec<Finding>, MeasureError> {
            let mut findings = of_tables(original, set, settings)?;
            let because = "it needs the records themselves, and here are only their counts";
            let undefined = |classes: &&Classes| {
                [KS, WASSERSTEIN].map(|at| CARDS[at].undefined(&[classes.name()], because))
            };
            findings.extend(numbers.iter().flat_map(undefined));
            findings.extend(of_categories(original, set, has_levels, settings)?);
            Ok(findings)
        };
        let found = tables.synthetic.iter().map(of_set);
        Ok(mean_of_sets(found.collect::<Result<_, _>>()?))
    }
}

/// Shares of cells, and percentages by cell size, of the wanted tables.
fn of_tables(
    original: &dyn CountSource,
    synthetic: &dyn CountSource,
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let domain = original.domain();
    let mut findings = Vec::new();
    for (which, of) in wanted_tables(domain, settings)? {
        let found = each_table(original, synthetic, &of, settings.tables.missing, |of, counts| {
            (names_in(domain, of), CellShareDistances::of(counts), PercentDifferences::of(counts))
        })?;
        for at in 0..3 {
            let defined: Vec<f64> =
                found.iter().filter_map(|(_, distances, _)| Some(distances.ok()?.values()[at])).collect();
            findings.push(which.note(CARDS[MEAN_SHARES + at].mean_finding(&[], &defined)));
            if at == TOTAL_VARIATION {
                let scores: Vec<f64> = defined.iter().map(|distance| 1_000.0 * (1.0 - distance)).collect();
                findings.push(which.note(CARDS[K_MARGINAL].mean_finding(&[], &scores)));
            }
        }
        let mut by_size = PercentDifferences::default();
        found.iter().for_each(|(_, _, differences)| by_size.add(differences));
        for (band, (size, mean)) in CELL_SIZES.iter().zip(by_size.means()) {
            let finding = match mean {
                Some(mean) => CARDS[PERCENT].finding(NO_VARIABLES, mean),
                None => CARDS[PERCENT].undefined(NO_VARIABLES, "the original has no cell of this size"),
            };
            findings.push(which.note(finding).with("cell_size", band.name).with("cells", size));
        }
        for (on, distances, _) in found {
            findings.extend((0..3).map(|at| match distances {
                Ok(distances) => CARDS[SHARES + at].finding(&on, distances.values()[at]),
                Err(because) => CARDS[SHARES + at].undefined(&on, because),
            }));
        }
    }
    Ok(findings)
}

fn of_numbers(comparison: &Comparison<'_>) -> Vec<Finding> {
    let numbers = number_pairs(comparison);
    let mut findings = Vec::new();
    for pair in &numbers {
        let (original, synthetic) = pair.sorted();
        let because = match (original.is_empty(), synthetic.is_empty()) {
            (true, _) => Some("the original has no number here"),
            (_, true) => Some("the synthetic file has no number here"),
            _ => None,
        };
        if let Some(because) = because {
            findings.extend([KS, WASSERSTEIN].map(|at| CARDS[at].undefined(&[pair.name], because)));
            continue;
        }
        findings.push(CARDS[KS].finding(&[pair.name], kolmogorov_smirnov(&original, &synthetic)));
        let distance = wasserstein(&original, &synthetic);
        let finding = CARDS[WASSERSTEIN].finding(&[pair.name], distance);
        let sd = numbers::standard_deviation(&original);
        findings.push(if sd > 0.0 { finding.with("in_sd", distance / sd) } else { finding });
    }
    let mut differences = Vec::new();
    let mut of_pairs = Vec::new();
    for (place, one) in numbers.iter().enumerate() {
        for other in &numbers[place + 1..] {
            let on = [one.name, other.name];
            of_pairs.push(
                match (
                    correlation(&one.original, &other.original),
                    correlation(&one.synthetic, &other.synthetic),
                ) {
                    (Some(original), Some(synthetic)) => {
                        differences.push((original - synthetic).abs());
                        CARDS[CORRELATION]
                            .finding(&on, (original - synthetic).abs())
                            .with("original", original)
                            .with("synthetic", synthetic)
                    }
                    (None, _) => CARDS[CORRELATION].undefined(&on, "a number does not vary in the original"),
                    (_, None) => {
                        CARDS[CORRELATION].undefined(&on, "a number does not vary in the synthetic file")
                    }
                },
            );
        }
    }
    if !of_pairs.is_empty() {
        findings.push(CARDS[MEAN_CORRELATION].mean_finding(&[], &differences));
    }
    findings.extend(of_pairs);
    findings
}

/// Cramér's V of all pairs of categorical variables.
fn of_categories(
    original: &dyn CountSource,
    synthetic: &dyn CountSource,
    has_levels: impl Fn(&str) -> bool,
    settings: &Settings,
) -> Result<Vec<Finding>, MeasureError> {
    let variables = original.domain().variables();
    let categorical: Vec<usize> =
        (0..variables.len()).filter(|position| has_levels(variables[*position].name())).collect();
    let mut pairs = Vec::new();
    for (place, one) in categorical.iter().enumerate() {
        pairs.extend(categorical[place + 1..].iter().map(|other| Attributes::new([*one, *other])));
    }
    let missing = settings.tables.missing;
    let of_original = association::all_cramers_v(original, &pairs, missing)?;
    let of_synthetic = association::all_cramers_v(synthetic, &pairs, missing)?;
    let mut differences = Vec::new();
    let mut of_pairs = Vec::new();
    for (of, both) in pairs.iter().zip(of_original.into_iter().zip(of_synthetic)) {
        let on = names_in(original.domain(), of);
        of_pairs.push(match both {
            (Some(original), Some(synthetic)) => {
                differences.push((original - synthetic).abs());
                CARDS[CRAMERS_V]
                    .finding(&on, (original - synthetic).abs())
                    .with("original", original)
                    .with("synthetic", synthetic)
            }
            (None, _) => CARDS[CRAMERS_V].undefined(&on, "a variable does not vary in the original"),
            (_, None) => CARDS[CRAMERS_V].undefined(&on, "a variable does not vary in the synthetic file"),
        });
    }
    if of_pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mean = CARDS[MEAN_CRAMERS_V].mean_finding(&[], &differences);
    Ok(std::iter::once(mean).chain(of_pairs).collect())
}
