//! Methods that need only counts.

use frontier::plan::{CellSizes, Grid, MeanCount, Plan, SaturatedMechanism};
use margins::{Options, TargetMargin};
use papers::school_census::school_census;
use statistics::counts::CountFamily;
use synthesis::methods::saturated::synthetic_counts;
use synthesis::randomness::Seed;
use synthesis::{Recipe, Run, fit};
use table::{Attributes, CodedTable, CountSource, Grouping};

use crate::clock::{once, repeatedly};
use crate::data::{made_up, read};
use crate::{BenchError, Case, Peer, Promise};

/// Finding the occupied cells is part of the work: R is given all of them too.
fn one_synthesis(all: &[u32], seed: u64) -> Result<u64, BenchError> {
    let occupied: Vec<u64> = all.iter().filter(|count| **count > 0).map(|count| u64::from(*count)).collect();
    let family = CountFamily::nbi(0.5).map_err(BenchError::failed)?;
    let drawn = synthetic_counts(&occupied, family, Seed::new(seed)).map_err(BenchError::failed)?;
    Ok(drawn.iter().sum())
}

/// The table of the size of Jackson, Mitra, Francis & Dove (2022).
pub(crate) const SATURATED: Case = Case {
    name: "saturated",
    what: "one negative binomial synthesis of a table of 3,468,640 cells",
    sizes: &[3_468_640],
    of: "",
    work: |places, _| {
        let all = school_census().counts;
        places.made("census.i32", |path| {
            let bytes: Vec<u8> = all.iter().flat_map(|count| count.to_le_bytes()).collect();
            std::fs::write(path, bytes)
        })?;
        let mut seed = 0;
        repeatedly(|| {
            seed += 1;
            one_synthesis(&all, seed)
        })
    },
    peers: &[Peer::R {
        name: "R rnbinom over all cells",
        script: "y <- readBin(made('census.i32'), 'integer', n = 4e6, size = 4)\n\
                 emit(cpu(function() rnbinom(length(y), size = 2, mu = y)))\n",
    }],
    promises: &[Promise::TimesLess(0, 5.0)],
};

/// The number of records and variables stays, the number of cells grows: a method of counts must not care.
pub const CELLS: Case = Case {
    name: "catall-cells",
    what: "catall on 100,000 rows by 6 variables whose cross-table has 10^6 to 10^15 cells",
    sizes: &[1_000_000, 1_000_000_000, 1_000_000_000_000, 1_000_000_000_000_000],
    of: "K",
    work: |_, cells| {
        let levels = (cells as f64).powf(1.0 / 6.0).round() as usize;
        let table = made_up(100_000, &[levels; 6], 1)?;
        let mut recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
        recipe.set("nprior=1000").map_err(BenchError::failed)?;
        repeatedly(|| {
            fit(&table, &recipe, &Run::default())
                .and_then(|fitted| fitted.table(0))
                .map_err(BenchError::failed)
        })
    },
    peers: &[],
    promises: &[Promise::Exponent(0.1)],
};

/// Risk and utility before generating.
pub const PLAN: Case = Case {
    name: "plan",
    what: "a plan of 5 sigmas by 50 m on the table of 3,468,640 cells",
    sizes: &[250],
    of: "",
    work: |_, _| {
        let counts = school_census().counts;
        let sizes = CellSizes::from_counts(counts.iter().map(|count| u64::from(*count)));
        let sizes = sizes.map_err(BenchError::failed)?;
        let grid = Grid {
            sigmas: vec![0.0, 0.1, 0.5, 2.0, 10.0],
            ms: (1..=50).collect(),
            near: vec![(1, 0.5)],
            mean_count: MeanCount::Exact,
        };
        let mechanism = SaturatedMechanism::new(CountFamily::nbi(1.0).map_err(BenchError::failed)?);
        repeatedly(|| Plan::over(&sizes, &mechanism, &grid).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(0.2)],
};

/// All two-way margins of the seven grouped variables of SD2011.
pub const IPF: Case = Case {
    name: "ipf",
    what: "iterative proportional fitting of 21 two-way margins to 147,000 cells, 35 sweeps",
    sizes: &[147_000],
    of: "",
    work: |places, _| {
        let table = read(&places.shared("data/sd2011_s7.csv")?)?;
        let coded = CodedTable::new(&table, &Grouping::default()).map_err(BenchError::failed)?;
        let sizes = coded.domain().sizes(&Attributes::all(coded.domain()));
        let margins = coded.all_margins(2).map_err(BenchError::failed)?;
        let target = |margin: &table::Margin| {
            let counts: Vec<f64> = margin.counts().iter().map(|count| *count as f64).collect();
            TargetMargin::new(margin.attributes().positions().to_vec(), counts)
        };
        let targets: Vec<TargetMargin> = margins.iter().map(target).collect();
        let options = Options { max_sweeps: 35, ..Options::default() };
        repeatedly(|| margins::fit(&sizes, &targets, &[], &options).map_err(BenchError::failed))
    },
    peers: &[
        Peer::Figure { name: "R mipfp", cpu_s: 3.7 },
        Peer::R {
            name: "R loglin",
            script: "counts <- table(read.csv(shared('data/sd2011_s7.csv'), stringsAsFactors = TRUE))\n\
                     margins <- combn(7, 2, simplify = FALSE)\n\
                     emit(cpu(function() suppressWarnings(loglin(counts, margins, fit = TRUE, print = FALSE, iter = 35, eps = 0))))\n",
        },
    ],
    promises: &[Promise::TimesLess(0, 30.0)],
};

/// A cross-table of 2^200 cells.
pub const WIDE: Case = Case {
    name: "catall-wide",
    what: "catall on 200 binary variables, 1,000,000 rows in and out, the file not written",
    sizes: &[1_000_000],
    of: "",
    work: |_, rows| {
        let table = made_up(rows as usize, &[2; 200], 1)?;
        let recipe = Recipe { seed: Some(1), ..Recipe::new("catall") };
        once(|| {
            fit(&table, &recipe, &Run::default())
                .and_then(|fitted| fitted.table(0))
                .map_err(BenchError::failed)
        })
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(10.0), Promise::Megabytes(2_000.0)],
};
