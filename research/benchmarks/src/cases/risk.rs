//! What a release gives away.

use measures::risk::DisclosureOptions;
use measures::risk::attacks::Attacks;
use measures::risk::attribute::attribute_disclosure;
use measures::risk::intruder::{IntruderRisk, Prior, ReleaseMechanism};
use measures::risk::release_cells::ReleaseCells;
use measures::risk::uniques::unique_records;
use measures::{Comparison, Measure, Settings};
use statistics::counts::{CellDraws, CountFamily};
use table::write::csv_text;
use table::{Grouping, Table};

use super::measuring::pair;
use crate::clock::{once, repeatedly};
use crate::data::{made_up, read};
use crate::{BenchError, Case, Peer, Promise};

/// Levels of the made-up table of a million records.
const SIZES: [usize; 10] = [2, 5, 6, 5, 10, 7, 7, 30, 3, 100];

fn million(rows: u64) -> Result<(Table, Table), BenchError> {
    Ok((made_up(rows as usize, &SIZES, 1)?, made_up(rows as usize, &SIZES, 2)?))
}

/// Attribute disclosure of one target.
pub(crate) const DISCLOSURE: Case = Case {
    name: "disclosure",
    what: "attribute disclosure on SD2011, 6 keys and one target, every measure",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let (original, synthetic) = pair(places)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let keys = ["sex", "age", "eduspec", "marital", "height", "smoke"];
        let options = DisclosureOptions::default();
        repeatedly(|| {
            attribute_disclosure(&comparison, &keys, "income", &options).map_err(BenchError::failed)
        })
    },
    peers: &[
        Peer::R { name: "R, three of the measures", script: include_str!("../../peers/disclosure.R") },
        Peer::Figure { name: "R synthpop disclosure, all measures, other keys", cpu_s: 2.6 },
    ],
    promises: &[Promise::TimesLess(0, 5.0)],
};

/// Exact matching on all variables.
pub const UNIQUES: Case = Case {
    name: "uniques",
    what: "replicated uniques of 1,000,000 rows by 10 columns",
    sizes: &[1_000_000],
    of: "",
    work: |_, rows| {
        let (original, synthetic) = million(rows)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let all: [&str; 0] = [];
        repeatedly(|| unique_records(&comparison, &all).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(1.0)],
};

/// TCAP and all its companions.
pub const TCAP: Case = Case {
    name: "tcap",
    what: "TCAP and every attribute measure of 1,000,000 rows, 9 keys and one target",
    sizes: &[1_000_000],
    of: "",
    work: |_, rows| {
        let (original, synthetic) = million(rows)?;
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: None };
        let keys = ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"];
        let options = DisclosureOptions::default();
        repeatedly(|| attribute_disclosure(&comparison, &keys, "v9", &options).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(1.0)],
};

/// McClure's intruder, who knows all records but one.
pub(crate) const INTRUDER: Case = Case {
    name: "intruder",
    what: "the strongest intruder's posterior for every one of 1,000,000 records of a saturated release",
    sizes: &[1_000_000],
    of: "",
    work: |_, rows| {
        let (original, synthetic) = million(rows)?;
        let all: [&str; 0] = [];
        let family = CountFamily::nbi(0.5).map_err(BenchError::failed)?;
        let draws = CellDraws::independent(family, 0.01, 1.0).map_err(BenchError::failed)?;
        let mechanism = ReleaseMechanism::new("saturated", draws);
        repeatedly(|| {
            let cells = ReleaseCells::new(&original, &[&synthetic], &all, &Grouping::default())
                .map_err(BenchError::failed)?;
            let risk = IntruderRisk::new(&cells, mechanism, &Prior::usual()).map_err(BenchError::failed)?;
            Ok(risk.per_record(0))
        })
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(2.0)],
};

/// The rows of Adult that are fitted to are the even ones, the others the holdout; the release is a bootstrap of the fitted ones, made here, so that all attack the
/// same file.
pub(crate) const ATTACKS: Case = Case {
    name: "attacks",
    what: "singling out, linkability and inference on Adult, 24,421 original, synthetic and holdout records by 15 variables, 1,000 attacks each",
    sizes: &[24_421],
    of: "",
    work: |places, _| {
        let adult = read(&places.shared("data/adult.csv.gz")?)?;
        let rows =
            |rest: u32| -> Vec<u32> { (0..adult.rows() as u32).filter(|row| row % 2 == rest).collect() };
        let (fitted, holdout) = (adult.take(&rows(0)), adult.take(&rows(1)));
        let (original, holdout) = (fitted.map_err(BenchError::failed)?, holdout.map_err(BenchError::failed)?);
        let recipe = synthesis::Recipe { seed: Some(1), ..synthesis::Recipe::new("sequential") };
        let synthetic = synthesis::fit(&original, &recipe, &synthesis::Run::default())
            .and_then(|fitted| fitted.table(0))
            .map_err(BenchError::failed)?;
        for (name, table) in [("original", &original), ("synthetic", &synthetic), ("holdout", &holdout)] {
            places.made(&format!("attacks_{name}.csv"), |path| std::fs::write(path, csv_text(table)))?;
        }
        let comparison = Comparison { original: &original, synthetic: &synthetic, holdout: Some(&holdout) };
        once(|| Attacks.evaluate(&comparison, &Settings::default()).map_err(BenchError::failed))
    },
    peers: &[Peer::Python {
        name: "anonymeter",
        packages: &["anonymeter"],
        script: include_str!("../../peers/anonymeter.py"),
    }],
    promises: &[Promise::TimesLess(0, 20.0), Promise::CpuSeconds(20.0)],
};
