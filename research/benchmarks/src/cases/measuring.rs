//! Utility: tables, propensity, models, and everything at once.

use measures::utility::propensity::Propensity;
use measures::utility::sdmetrics::SdMetrics;
use measures::utility::tables::{TableOptions, all_tables};
use measures::{Comparison, MEASURES, Measure, Settings, SyntheticSets, align, evaluate};
use models::{Formula, ModelFamily};
use synthesis::{Recipe, Run, fit};
use table::Table;

use crate::clock::{once, repeatedly};
use crate::data::read;
use crate::{BenchError, Case, Measured, Peer, Places, Promise};

/// The golden pair: an original and a CART synthesis.
pub(super) fn pair(places: &Places) -> Result<(Table, Table), BenchError> {
    let original = read(&places.shared("golden/sd18_cart/original.csv")?)?;
    let synthetic = read(&places.shared("golden/sd18_cart/synthetic.csv")?)?;
    let synthetic = align(original.schema(), synthetic).map_err(BenchError::failed)?;
    Ok((original, synthetic))
}

/// Every number of synthpop's table family for each of them.
pub(crate) const TABLES: Case = Case {
    name: "tables",
    what: "all 816 three-way tables of SD2011, 18 variables, original against synthetic",
    sizes: &[816],
    of: "",
    work: |places, _| {
        let (original, synthetic) = pair(places)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        repeatedly(|| all_tables(&comparison, 3, &TableOptions::default()).map_err(BenchError::failed))
    },
    peers: &[
        Peer::Figure { name: "R synthpop utility.tables", cpu_s: 21.0 },
        Peer::R { name: "R table(), S_pMSE alone", script: include_str!("../../peers/tables.R") },
    ],
    promises: &[Promise::TimesLess(0, 100.0)],
};

/// By regression and by a tree, with 50 permutations and 20 resamples for the tree's null distributions.
pub const PROPENSITY: Case = Case {
    name: "propensity",
    what: "propensity on SD2011, 18 variables, by regression and tree, 50 permutations and 20 resamples",
    sizes: &[50],
    of: "",
    work: |places, _| {
        let (original, synthetic) = pair(places)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let mut settings = Settings::default();
        settings.propensity.draws.permutations = 50;
        once(|| Propensity.evaluate(&comparison, &settings).map_err(BenchError::failed))
    },
    peers: &[
        Peer::Figure { name: "R synthpop utility.gen", cpu_s: 57.0 },
        Peer::R { name: "R glm and rpart", script: include_str!("../../peers/propensity.R") },
    ],
    promises: &[Promise::TimesLess(0, 50.0)],
};

/// A logistic regression with standard errors.
pub(crate) const REGRESSION: Case = Case {
    name: "regression",
    what: "logistic regression of smoke on sex, age, edu and region, 5,000 rows",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let original = read(&places.shared("data/sd2011.csv")?)?;
        let formula = Formula::parse("smoke ~ sex + age + edu + region").map_err(BenchError::failed)?;
        repeatedly(|| models::fit(&original, &formula, ModelFamily::Logistic).map_err(BenchError::failed))
    },
    peers: &[Peer::R {
        name: "R glm",
        script: "d <- read.csv(shared('data/sd2011.csv'), stringsAsFactors = TRUE, na.strings = '')\n\
                 emit(cpu(function() glm(smoke ~ sex + age + edu + region, data = d, family = binomial)))\n",
    }],
    promises: &[Promise::TimesLess(0, 5.0)],
};

/// All families of measures, as `lookalike measure` computes them when nothing else is said.
pub(crate) const BATTERY: Case = Case {
    name: "battery",
    what: "the whole default battery on Edinburgh 1901, 82,851 rows by 24 variables",
    sizes: &[82_851],
    of: "",
    work: |places, _| {
        let original = read(&places.shared("data/edinburgh1901.csv.gz")?)?;
        let recipe = Recipe { seed: Some(1), ..Recipe::new("sequential") };
        let synthetic = fit(&original, &recipe, &Run::default())
            .and_then(|fitted| fitted.table(0))
            .map_err(BenchError::failed)?;
        let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
        once(|| evaluate(&sets, MEASURES, &Settings::default()).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(5.0)],
};

/// Column shapes and column pair trends. The package takes 50,000 rows of larger files; the pair has 5,000.
pub(crate) const SDMETRICS: Case = Case {
    name: "sdmetrics",
    what: "column shapes and pair trends of SD2011, 18 variables, original against synthetic",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let (original, synthetic) = pair(places)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let shapes = SdMetrics
            .evaluate(&comparison, &Settings::default())
            .map_err(BenchError::failed)?
            .first()
            .and_then(|finding| finding.value);
        let measured =
            repeatedly(|| SdMetrics.evaluate(&comparison, &Settings::default()).map_err(BenchError::failed))?;
        Ok(Measured { check: shapes, ..measured })
    },
    peers: &[Peer::Python {
        name: "SDMetrics",
        packages: &["sdmetrics"],
        script: include_str!("../../peers/sdmetrics.py"),
    }],
    promises: &[Promise::TimesLess(0, 20.0)],
};
