//! The battery of the Synthetic Data Challenge: utility by Tables 4 to 10, risk by Table 2 (Taub et al. 2020, section 3).

use measures::risk::DisclosureOptions;
use measures::risk::attribute::{AttributeStatistic, attribute_disclosures};
use measures::risk::risk_utility::RiskUtility;
use measures::utility::interval::Agreement;
use measures::utility::mca::CategoryMap;
use measures::utility::model::{ModelRequest, model_agreement};
use measures::utility::propensity::logistic_propensity;
use measures::utility::taub::TaubScore;
use measures::{Comparison, MeasureError, SharedTables, SyntheticSets};
use models::{Formula, ModelFamily};
use table::{Grouping, Table};

use super::variables::battery_table;
use crate::{ReproduceError, TableMarks};

/// The frequency tables of Table 4: the paper's row and our variable.
pub(crate) const FREQUENCIES: [(&str, &str); 8] = [
    ("Marital status", "marital"),
    ("Sex", "sex"),
    ("Employ", "employ"),
    ("Country of birth", "scotland"),
    ("Disabled", "disabled"),
    ("Edinburgh", "edinburgh"),
    ("Occupation", "occlab1"),
    ("Age group", "age_utility"),
];

/// The frequency tables of Table 5.
pub(crate) const MEMBERS: [(&str, &str); 7] = [
    ("Servants", "servants"),
    ("Boarders", "boarders"),
    ("Lodgers", "lodgers"),
    ("Visitors", "visitors"),
    ("Unknown relationship", "unknown_relationship"),
    ("Family over 15", "family_over_15"),
    ("Family under 15", "family_under_15"),
];

/// The cross-tabulations of Table 6.
pub(crate) const CROSS_TABS: [(&str, [&str; 2]); 4] = [
    ("Marital status by sex", ["marital", "sex"]),
    ("Age group by sex", ["age_utility", "sex"]),
    ("Marital status by age group", ["marital", "age_utility"]),
    ("Employ by age group", ["employ", "age_utility"]),
];

/// The means of Table 7.
pub const MEANS: [(&str, &str); 6] = [
    ("Age", "age"),
    ("People per room", "pperroom"),
    ("Household size", "hsize"),
    ("Number of rooms", "totrooms"),
    ("Family over 15", "nfamgteq15"),
    ("Family under 15", "nfamlt15"),
];

/// The models of Table 8.
pub(crate) const MODELS: [(&str, &str, ModelFamily); 2] = [
    ("People per room, linear", "pperroom", ModelFamily::Gaussian),
    ("Family under 15, binary", "family_under_15", ModelFamily::Logistic),
];

/// What both models regress on: section 3.1.1.
const PREDICTORS: &str = "age + female + single + spouse_absent + widowed + employer + worker";

/// The variables of the propensity score: "most of the variables", the counts and rooms by people per room alone (section 3.1.2).
const PROPENSITY: [&str; 10] = [
    "sex",
    "age",
    "mar_stat",
    "disability",
    "occlab1",
    "employ",
    "inactive",
    "ctry_bth",
    "parish",
    "pperroom",
];

/// The variables of the map of categories.
const MAPPED: [&str; 6] = ["marital", "sex", "employ", "edinburgh", "disabled", "scotland"];

/// The categories of Table 10: row, variable, level.
pub const CATEGORIES: [(&str, &str, &str); 16] = [
    ("Married", "marital", "Married"),
    ("Spouse absent", "marital", "Spouse absent"),
    ("Not known", "marital", "Not known"),
    ("Single", "marital", "Single"),
    ("Widowed", "marital", "Widowed"),
    ("F", "sex", "F"),
    ("M", "sex", "M"),
    ("Employer", "employ", "E"),
    ("Not working", "employ", "blank"),
    ("Worker", "employ", "W"),
    ("Edinburgh", "edinburgh", "1"),
    ("Other parish", "edinburgh", "0"),
    ("Able", "disabled", "0"),
    ("Disabled", "disabled", "1"),
    ("Scotland", "scotland", "1"),
    ("Other country", "scotland", "0"),
];

/// The targets of Table 2.
pub(crate) const TARGETS: [(&str, &str); 3] =
    [("Employment", "employ"), ("Occupation", "occlab1"), ("Household size", "hsize")];

/// The keys of Appendix D, from the largest to the smallest.
pub(crate) const KEYS: [(usize, &[&str]); 4] = [
    (6, &["sex", "age_key", "mar_stat", "parish", "ctry_bth", "family_under_15"]),
    (5, &["sex", "age_key", "mar_stat", "parish", "family_under_15"]),
    (4, &["sex", "age_key", "mar_stat", "parish"]),
    (3, &["sex", "mar_stat", "parish"]),
];

/// Everything the battery finds of one synthetic file.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Table 4.
    pub frequencies: Vec<TableMarks>,
    /// Table 5.
    pub members: Vec<TableMarks>,
    /// Table 6.
    pub cross_tabs: Vec<TableMarks>,
    /// Table 7.
    pub means: Vec<f64>,
    /// Table 8.
    pub models: Vec<f64>,
    /// Table 9: pMSE, standardised, ratio.
    pub propensity: [f64; 3],
    /// Estimated parameters of the propensity score, the intercept among them.
    pub propensity_parameters: usize,
    /// Table 10. As in the paper no map is turned towards the other, and axes point where FactoMineR lets them.
    pub distances: Vec<f64>,
    /// Whether the second axis points the other way than the original's.
    pub is_mirrored: bool,
    /// The mean distance if the synthetic map is turned towards the original's, so that no axis is mirrored.
    pub turned: f64,
    /// Table 2: target by target, from the largest key to the smallest; `None` where no synthetic record leaves no doubt.
    pub tcap: Vec<Option<f64>>,
    /// The share of synthetic records that leave no doubt, in the same order.
    pub no_doubt: Vec<f64>,
}

/// The challenge's original, prepared.
pub(crate) struct ChallengeMeasures {
    original: Table,
}

impl ChallengeMeasures {
    /// Prepares the original.
    pub fn new(original: &Table) -> Result<Self, ReproduceError> {
        Ok(Self { original: battery_table(original)? })
    }

    /// Puts a synthetic file through the battery.
    pub fn marks(&self, synthetic: &Table) -> Result<Marks, ReproduceError> {
        let synthetic = battery_table(synthetic)?;
        let comparison = Comparison { original: &self.original, synthetic: &synthetic, holdout: None };
        let shared = SharedTables::new(&comparison, &Grouping::default())?;
        let one_way = |rows: &[(&str, &str)]| -> Result<Vec<TableMarks>, MeasureError> {
            rows.iter().map(|(_, name)| TableMarks::of(&shared, &[name])).collect()
        };
        let propensity = logistic_propensity(&comparison, &PROPENSITY, 0).map_err(MeasureError::from)?;
        let propensity = propensity.ok_or(MeasureError::NoSynthetic)?;
        let Maps { distances, is_mirrored, turned } = maps(&shared)?;
        let (tcap, no_doubt) = tcap(&comparison)?;
        Ok(Marks {
            frequencies: one_way(&FREQUENCIES)?,
            members: one_way(&MEMBERS)?,
            cross_tabs: CROSS_TABS
                .iter()
                .map(|(_, names)| TableMarks::of(&shared, names))
                .collect::<Result<_, MeasureError>>()?,
            means: MEANS.iter().map(|(_, name)| mean_overlap(&comparison, name)).collect::<Result<_, _>>()?,
            models: MODELS
                .iter()
                .map(|(_, response, family)| model_overlap(&comparison, response, *family))
                .collect::<Result<_, MeasureError>>()?,
            propensity: [
                propensity.summary.pmse,
                propensity.z.unwrap_or(0.0),
                propensity.s_pmse.unwrap_or(0.0),
            ],
            propensity_parameters: propensity.df + 1,
            distances,
            is_mirrored,
            turned,
            tcap,
            no_doubt,
        })
    }
}

impl Marks {
    /// The six parts of Table 1.
    pub fn score(&self) -> TaubScore {
        let tables = |marks: &[TableMarks]| {
            let ratio = mean(marks.iter().map(|one| one.ratio_of_counts));
            TaubScore::of_tables(ratio, mean(marks.iter().map(|one| one.overlap)))
        };
        TaubScore {
            frequency_tables: Some((tables(&self.frequencies) + tables(&self.members)) / 2.0),
            cross_tabs: Some(tables(&self.cross_tabs)),
            means: Some(mean(self.means.iter().copied())),
            regressions: Some(mean(self.models.iter().copied())),
            propensity: Some(TaubScore::of_pmse(self.propensity[0])),
            mca: Some(1.0 - self.distance() / 2.0),
        }
    }

    /// The six parts with the synthetic map turned towards the original's.
    pub(crate) fn turned_score(&self) -> TaubScore {
        TaubScore { mca: Some(1.0 - self.turned / 2.0), ..self.score() }
    }

    /// The mean distance on the map.
    pub fn distance(&self) -> f64 {
        mean(self.distances.iter().copied())
    }

    /// Table 2's last row: the mean TCAP over all targets and keys where it is defined, zero elsewhere.
    pub fn risk(&self) -> f64 {
        mean(self.tcap.iter().map(|tcap| tcap.unwrap_or(0.0)))
    }

    /// The place on the risk-utility map.
    pub fn risk_utility(&self) -> RiskUtility {
        RiskUtility { utility: self.score().overall().unwrap_or(0.0), risk: self.risk() }
    }
}

fn mean_overlap(comparison: &Comparison<'_>, name: &str) -> Result<f64, MeasureError> {
    let sorted = |table: &Table| -> Result<Vec<f64>, MeasureError> {
        let column = table.column(name)?;
        let mut values: Vec<f64> = (0..column.len())
            .filter_map(|row| match column.number(row) {
                Some(table::column::Entry::Value(value)) => Some(value),
                _ => None,
            })
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        Ok(values)
    };
    let found = Agreement::of_means(&sorted(comparison.original)?, &sorted(comparison.synthetic)?);
    found.map(|one| one.overlap).ok_or_else(|| variable_error(name, "a file has no mean"))
}

fn model_overlap(
    comparison: &Comparison<'_>,
    response: &str,
    family: ModelFamily,
) -> Result<f64, MeasureError> {
    let formula = Formula::parse(&format!("{response} ~ {PREDICTORS}"))?;
    let sets =
        SyntheticSets { original: comparison.original, synthetic: &[comparison.synthetic], holdout: None };
    let found = model_agreement(&sets, &ModelRequest { formula, family })?;
    found.map(|one| one.own_overlap).map_err(|because| variable_error(response, because))
}

/// What the maps of both files have in common.
struct Maps {
    distances: Vec<f64>,
    is_mirrored: bool,
    turned: f64,
}

fn maps(shared: &SharedTables) -> Result<Maps, MeasureError> {
    let positions: Vec<usize> = MAPPED
        .iter()
        .map(|name| Ok(shared.domain().position_of(name)?))
        .collect::<Result<_, MeasureError>>()?;
    let no_map = |because: measures::utility::mca::NoMap| variable_error("marital", because.to_string());
    let original = CategoryMap::of(shared.original(), &positions)?.map_err(no_map)?;
    let synthetic = CategoryMap::of(&shared.synthetic()[0], &positions)?.map_err(no_map)?;
    let sizes: Vec<usize> =
        positions.iter().map(|position| shared.domain().variables()[*position].size()).collect();
    let place = |variable: &str, level: &str| -> Result<usize, MeasureError> {
        let at = MAPPED.iter().position(|name| *name == variable).unwrap_or(0);
        let classes = &shared.domain().variables()[positions[at]];
        let code = (0..classes.size() as u32).find(|code| classes.label(*code) == level);
        let code = code.ok_or_else(|| variable_error(variable, "lacks a level of the paper's map"))?;
        Ok(sizes[..at].iter().sum::<usize>() + code as usize)
    };
    let places: Vec<usize> = CATEGORIES
        .iter()
        .map(|(_, variable, level)| place(variable, level))
        .collect::<Result<_, MeasureError>>()?;
    let between = |one: &CategoryMap, other: &CategoryMap| -> Vec<f64> {
        let all = one.distances(other);
        places.iter().map(|place| all[*place].unwrap_or(0.0)).collect()
    };
    let turned = mean(between(&synthetic.turned_towards(&original), &original).into_iter());
    let (signed, signed_original) = (synthetic.signed(), original.signed());
    let upwards = |map: &CategoryMap, at: usize| map.coordinates[at].map_or(0.0, |[_, y]| y);
    let masses = original.masses.iter().enumerate();
    let along: f64 =
        masses.map(|(at, mass)| mass * upwards(&signed, at) * upwards(&signed_original, at)).sum();
    Ok(Maps { distances: between(&signed, &signed_original), is_mirrored: along < 0.0, turned })
}

/// TCAP and the share of synthetic records without doubt, target by target and key by key.
fn tcap(comparison: &Comparison<'_>) -> Result<(Vec<Option<f64>>, Vec<f64>), MeasureError> {
    let keys: Vec<Vec<String>> =
        KEYS.iter().map(|(_, keys)| keys.iter().map(|key| (*key).to_owned()).collect()).collect();
    let targets: Vec<String> = TARGETS.iter().map(|(_, target)| (*target).to_owned()).collect();
    let found = attribute_disclosures(comparison, &keys, &targets, &DisclosureOptions::default())?;
    let value = |target: &str, size: usize, statistic: AttributeStatistic| {
        let attack = found.iter().find(|one| one.target == target && one.keys.len() == size);
        attack.and_then(|attack| attack.value(statistic).ok())
    };
    let (mut tcap, mut no_doubt) = (Vec::new(), Vec::new());
    for (_, target) in TARGETS {
        for (size, _) in KEYS {
            tcap.push(value(target, size, AttributeStatistic::TcapTaub));
            no_doubt.push(value(target, size, AttributeStatistic::Weap1Share).unwrap_or(0.0));
        }
    }
    Ok((tcap, no_doubt))
}

fn variable_error(name: &str, message: impl Into<String>) -> MeasureError {
    MeasureError::Variable { name: name.to_owned(), message: message.into() }
}

pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    sum / count
}

#[cfg(test)]
mod tests {
    use table::{CodedTable, CountSource};

    use super::*;

    /// Why the maps of some of the paper's entries are mirrored. Needs ../shared, and says so where it is absent.
    #[test]
    fn the_sign_of_the_second_axis_hangs_by_a_thread() {
        let Some(path) = shared_data::find("data/edinburgh1901.csv.gz") else { return };
        let original = crate::read_under(&path, super::super::SCHEMA).unwrap();
        let coded = CodedTable::new(&battery_table(&original).unwrap(), &Grouping::default()).unwrap();
        let positions: Vec<usize> =
            MAPPED.iter().map(|name| coded.domain().position_of(name).unwrap()).collect();
        let map = CategoryMap::of(&coded, &positions).unwrap().unwrap();
        let [first, second] = map.loading_sums().map(f64::abs);
        assert!(first > 0.7 && second < 0.05, "{first} {second}");
    }
}
