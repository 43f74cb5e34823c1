//! The overall utility score of Taub & Elliot's synthetic data challenge.
//!
//! The mean of six parts in [0, 1] (Taub & Elliot 2020, Table 1): frequency tables and cross-tabulations, each half ratio of counts and half
//! interval overlap; overlap of means; overlap of regression coefficients, each file with its own standard errors; 1 − 4 pMSE of a
//! logistic regression with main effects; and the map of categories. The paper chose tables, variables and models by hand; here they are all
//! one-way tables, all two-way tables, all numbers, and the models that the user gives. A part that a file does not have, such as
//! regressions without a model, is left out of the mean; `detail.without` names it.

mod score;

pub use score::TaubScore;

use table::{Attributes, Kind};

use crate::utility::interval::Agreement;
use crate::utility::mca::map_agreement;
use crate::utility::model::model_agreement;
use crate::utility::numbers::number_pairs;
use crate::utility::propensity::{MOST_LEVELS, Pooled, logistic_propensity_prepared};
use crate::utility::ratio_of_counts::RatioOfCounts;
use crate::utility::tables::each_table;
use crate::{
    Aspect, Better, Comparison, FamilyCard, Finding, Kept, Measure, MeasureCard, MeasureError, Null, Range,
    Setting, Settings, SharedTables, SyntheticSets, UsualAxis,
};

/// The parts of the score.
pub fn taub_score(comparison: &Comparison<'_>, settings: &Settings) -> Result<TaubScore, MeasureError> {
    let shared = settings.shared(comparison, &settings.tables.grouping)?;
    let overlaps = number_pairs(comparison).into_iter().filter_map(|pair| {
        let (original, synthetic) = pair.sorted();
        Some(Agreement::of_means(&original, &synthetic)?.overlap)
    });
    let Comparison { original, synthetic, holdout } = *comparison;
    let sets = SyntheticSets { original, synthetic: &[synthetic], holdout };
    let mut regressions = Vec::new();
    for model in &settings.models {
        regressions.extend(model_agreement(&sets, model)?.ok().map(|agreement| agreement.own_overlap));
    }
    let is_small = |name: &&str| {
        let position = shared.domain().position_of(name);
        position.is_ok_and(|at| {
            shared.is_numeric(at) || shared.domain().variables()[at].size() <= MOST_LEVELS as usize
        })
    };
    let names = original.schema().variables().iter();
    let names = names.filter(|variable| variable.kind != Kind::TextId).map(|variable| variable.name.as_str());
    let variables: Vec<&str> = names.filter(is_small).collect();
    let propensity = match variables.is_empty() {
        true => None,
        false => {
            let pooled = Pooled::of(&*settings.shared(comparison, &Pooled::grouping())?, comparison, &[])?;
            logistic_propensity_prepared(comparison, &pooled, &variables, 0, &settings.prepared)
                .ok()
                .flatten()
        }
    };
    Ok(TaubScore {
        frequency_tables: of_tables(&shared, 1, settings)?,
        cross_tabs: of_tables(&shared, 2, settings)?,
        means: mean(overlaps),
        regressions: mean(regressions.into_iter()),
        propensity: propensity.map(|found| TaubScore::of_pmse(found.summary.pmse)),
        mca: map_agreement(&shared)?.ok().map(|agreement| agreement.score),
    })
}

fn of_tables(shared: &SharedTables, ways: usize, settings: &Settings) -> Result<Option<f64>, MeasureError> {
    let of = Attributes::combinations(shared.domain(), ways);
    let missing = settings.tables.missing;
    let scores = each_table(shared.original(), &shared.synthetic()[0], &of, missing, |_, counts| {
        let ratio = RatioOfCounts::of(counts).ok()?;
        Some(TaubScore::of_tables(ratio.all_cells, Agreement::of_proportions(counts)?.overlap))
    })?;
    Ok(mean(scores.into_iter().flatten()))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// The family of the overall score.
#[derive(Clone, Copy, Debug)]
pub struct Taub;

const fn card(name: &'static str, question: &'static str) -> MeasureCard {
    MeasureCard {
        name,
        question,
        better: Better::Higher,
        unit: "",
        range: Range::UNIT,
        null: Null::None,
        citation: "Taub & Elliot (2020), The Synthetic Data Challenge, Table 1",
        kept: Kept::All,
    }
}

const CARDS: &[MeasureCard] = &[
    card(names::OVERALL, "How useful is the file altogether, on the scale of the synthetic data challenge?"),
    card(
        "taub.frequency_tables",
        "How well are one-way tables kept, by ratio of counts and interval overlap?",
    ),
    card("taub.cross_tabs", "How well are two-way tables kept, by ratio of counts and interval overlap?"),
    card("taub.means", "How well are means kept, by interval overlap?"),
    card("taub.regressions", "How well are regression coefficients kept, by interval overlap?"),
    card("taub.propensity", "How little can a regression tell the files apart?"),
    card("taub.mca", "How well is the map of categories kept?"),
];

/// Measures of this family that other crates refer to.
pub mod names {
    /// `taub.overall`.
    pub const OVERALL: &str = "taub.overall";
}

/// The card of the family.
pub const CARD: FamilyCard = FamilyCard {
    name: "taub",
    aspect: Aspect::Utility,
    honours: &[Setting::Groups, Setting::Classes, Setting::Missing, Setting::Models],
    requires: None,
    usual_axis: Some(UsualAxis {
        measure: names::OVERALL,
        label: names::OVERALL,
        by_ways: false,
        rank: 2,
        usable: None,
    }),
    identified_by: &["without"],
    measures: CARDS,
};

impl Measure for Taub {
    fn card(&self) -> &'static FamilyCard {
        &CARD
    }

    fn evaluate(
        &self,
        comparison: &Comparison<'_>,
        settings: &Settings,
    ) -> Result<Vec<Finding>, MeasureError> {
        let none: &[&str] = &[];
        let score = taub_score(comparison, settings)?;
        let absent = TaubScore::PARTS.iter().zip(score.parts()).filter(|(_, part)| part.is_none());
        let without: Vec<&str> = absent.map(|(name, _)| *name).collect();
        let overall = match score.overall() {
            Some(overall) => CARDS[0].finding(none, overall),
            None => CARDS[0].undefined(none, "the files have none of its parts"),
        };
        let overall = if without.is_empty() { overall } else { overall.with("without", without) };
        let part = |(card, part): (&MeasureCard, Option<f64>)| match part {
            Some(value) => card.finding(none, value),
            None => card.undefined(none, "the files have nothing to measure it by"),
        };
        Ok(std::iter::once(overall).chain(CARDS[1..].iter().zip(score.parts()).map(part)).collect())
    }
}
