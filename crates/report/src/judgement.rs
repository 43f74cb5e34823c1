//! When a number is good: the thresholds and the words that the terminal and the report share.

use measures::Finding;
use table::figures::thousands;

/// Tables of records that are drawn from a right model score 1 on average. What comes this close is made of the original's records, or was fitted to these tables.
pub(crate) const COPY: f64 = 0.3;
/// Tables and propensity: a fresh sample of the same size scores 1 + n/N = 2 on average, and the mean of few tables scatters by a few tenths.
pub(crate) const FRESH_SAMPLE: f64 = 2.5;
/// Raab, Nowok & Dibben (2021): up to here good.
pub(crate) const GOOD: f64 = 10.0;
/// Raab, Nowok & Dibben (2021): up to here still usable.
pub(crate) const USABLE: f64 = 30.0;
/// Standard deviations that chance explains.
pub(crate) const CHANCE: f64 = 2.0;

/// How good one side of a file is; the better comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grade {
    FreshSample,
    Good,
    Usable,
    Poor,
}

impl Grade {
    /// The grade of a number that gets worse as it grows, with the last number of each grade but the worst.
    pub(crate) fn of(value: f64, limits: [f64; 3]) -> Self {
        match limits.iter().position(|limit| value <= *limit) {
            Some(0) => Self::FreshSample,
            Some(1) => Self::Good,
            Some(_) => Self::Usable,
            None => Self::Poor,
        }
    }

    /// In words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::FreshSample => "as good as a fresh sample would be",
            Self::Good => "good",
            Self::Usable => "usable with care",
            Self::Poor => "poor, not for analysis",
        }
    }

    /// The same at the beginning of a sentence.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::FreshSample => "As good as a fresh sample would be",
            Self::Good => "Good",
            Self::Usable => "Usable with care",
            Self::Poor => "Poor, not for analysis",
        }
    }
}

/// Standardised distances of the grades.
pub(crate) const DISTANCES: [f64; 3] = [FRESH_SAMPLE, GOOD, USABLE];

/// The same for the worst of many tables, which chance alone makes larger than their mean: up to 10 says nothing.
pub(crate) const WORST_DISTANCES: [f64; 3] = [GOOD, GOOD, USABLE];

/// Per cent by which the largest hundredth of a number is off, for each grade.
pub(crate) const TAIL_ERRORS: [f64; 3] = [15.0, 30.0, 75.0];

/// Standard errors of the mean that is furthest off, for each grade.
pub(crate) const STANDARD_ERRORS: [f64; 3] = [3.5, 7.0, 15.0];

/// A total that is off by fewer per cent is at least good, however small its standard error.
pub(crate) const SMALL_ERROR: f64 = 1.0;

/// How much of the intervals of a model's coefficients does not overlap, for each grade.
pub(crate) const MISSED_OVERLAPS: [f64; 3] = [0.3, 0.5, 0.75];

/// What a standardised distance of tables means.
pub(crate) fn judged(s_pmse: f64) -> &'static str {
    if s_pmse < COPY {
        return "closer than records drawn from a right model come";
    }
    Grade::of(s_pmse, DISTANCES).words()
}

/// What a standardised propensity means: within two standard deviations of chance, or by how much beyond.
pub(crate) fn told_apart(s_pmse: f64, z: Option<f64>) -> &'static str {
    match s_pmse {
        _ if z.is_some_and(|z| z <= CHANCE) => "it cannot, more than by chance",
        value if value <= FRESH_SAMPLE => "it hardly can",
        value if value <= GOOD => "it can a little",
        value if value <= USABLE => "it can",
        _ => "it can easily",
    }
}

/// What the tables of a summary are called.
pub(crate) fn ways(finding: &Finding) -> String {
    match finding.detail.get("ways").and_then(|ways| ways.as_u64()) {
        Some(1) => "one-way tables".to_owned(),
        Some(2) => "two-way tables".to_owned(),
        Some(3) => "three-way tables".to_owned(),
        Some(ways) => format!("tables of {ways} variables"),
        None => "the named tables".to_owned(),
    }
}

/// Why there is no number.
pub(crate) fn reason(finding: &Finding) -> String {
    format!("not known, because {}", finding.because.as_deref().unwrap_or("it was not computed"))
}

/// A detail as text.
pub(crate) fn detail(finding: &Finding, key: &str) -> String {
    match finding.detail.get(key) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Number(number)) => match number.as_u64() {
            Some(whole) => thousands(whole),
            None => number.to_string(),
        },
        // What differs between data sets is a list.
        Some(serde_json::Value::Array(each))
            if !each.is_empty() && each.iter().all(|one| one.is_number()) =>
        {
            let numbers = each.iter().filter_map(|one| one.as_f64());
            let ends = numbers
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
            if ends.0 == ends.1 { ends.0.to_string() } else { format!("{} to {}", ends.0, ends.1) }
        }
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// A detail that is a list of names.
pub(crate) fn names(finding: &Finding, key: &str) -> Vec<String> {
    let list = finding.detail.get(key).and_then(|list| list.as_array());
    list.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Up to eight names, and how many more there are.
pub(crate) fn few(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len() {
        some if some <= SHOWN => names.join(", "),
        many => format!("{} and {} more", names[..SHOWN].join(", "), many - SHOWN),
    }
}
