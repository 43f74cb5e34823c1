//! The same work on one thread and on many.

use measures::{MEASURES, Settings, SyntheticSets, evaluate};
use synthesis::{Recipe, Run, fit};
use table::Grouping;
use table::profile::profile;
use table::write::Format;

use super::describing::numbers;
use super::reading::people;
use super::writing::catall;
use crate::case::THREADS;
use crate::clock::once;
use crate::data::{made_up, read};
use crate::{BenchError, Case, Measured, Promise};

/// Powers of two up to the 16 cores of a usual server.
const SIZES: &[u64] = &[1, 2, 4, 8, 16];

/// Records of each.
const ROWS: u64 = 1_000_000;

/// Levels of the variables of the longer work.
const LEVELS: [usize; 14] = [2, 5, 6, 5, 10, 7, 7, 30, 3, 12, 2, 4, 9, 20];

/// A file of numbers, texts and dates.
pub(crate) const READING: Case = Case {
    name: "threads-reading",
    what: "reading a CSV file of 500 MB",
    sizes: SIZES,
    of: THREADS,
    work: |places, threads| {
        let file = people(places, 500_000_000)?;
        on(threads, || once(|| read(&file)))
    },
    peers: &[],
    promises: &[Promise::Speedup(16, 6.0)],
};

/// Read and profiled.
pub(crate) const DESCRIBE: Case = Case {
    name: "threads-describe",
    what: "describe: reading and profiling a CSV file of 1,000,000 rows by 12 small whole numbers",
    sizes: SIZES,
    of: THREADS,
    work: |places, threads| {
        let file = numbers(places, ROWS)?;
        on(threads, || once(|| profile(&read(&file)?, &[], &Grouping::default()).map_err(BenchError::failed)))
    },
    peers: &[],
    promises: &[Promise::Speedup(16, 6.0)],
};

/// Read, fitted, drawn and written.
pub(crate) const CATALL: Case = Case {
    name: "threads-catall",
    what: "catall on 1,000,000 rows by 12 small whole numbers, from CSV to CSV",
    sizes: SIZES,
    of: THREADS,
    work: |places, threads| on(threads, || catall(places, ROWS, Format::Csv)),
    peers: &[],
    promises: &[Promise::Speedup(16, 6.0)],
};

/// All measures, as they are computed when nothing else is said.
pub(crate) const MEASURE: Case = Case {
    name: "threads-measure",
    what: "the default measures of 1,000,000 rows by 12 variables",
    sizes: SIZES,
    of: THREADS,
    work: |_, threads| {
        let original = made_up(ROWS as usize, &LEVELS[..12], 1)?;
        let synthetic = made_up(ROWS as usize, &LEVELS[..12], 2)?;
        let sets = SyntheticSets { original: &original, synthetic: &[&synthetic], holdout: None };
        on(threads, || once(|| evaluate(&sets, MEASURES, &Settings::default()).map_err(BenchError::failed)))
    },
    peers: &[],
    promises: &[Promise::Speedup(16, 6.0)],
};

/// The default method with everything that it does.
pub(crate) const SEQUENTIAL: Case = Case {
    name: "threads-sequential",
    what: "sequential by default on 1,000,000 rows by 14 variables, fitted and drawn",
    sizes: SIZES,
    of: THREADS,
    work: |_, threads| {
        let table = made_up(ROWS as usize, &LEVELS, 1)?;
        let recipe = Recipe { seed: Some(1), ..Recipe::new("sequential") };
        on(threads, || {
            once(|| {
                let fitted = fit(&table, &recipe, &Run::default());
                fitted.and_then(|fitted| fitted.table(0)).map_err(BenchError::failed)
            })
        })
    },
    peers: &[],
    promises: &[Promise::Speedup(16, 10.0)],
};

/// Work on so many threads.
fn on(
    threads: u64,
    work: impl FnOnce() -> Result<Measured, BenchError> + Send,
) -> Result<Measured, BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build();
    pool.map_err(BenchError::failed)?.install(work)
}
