//! Describing a file: read, profiled, and the text of it made.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use table::Grouping;
use table::profile::profile;

use super::reading::people;
use crate::clock::once;
use crate::data::{SplitMix, read};
use crate::{BenchError, Case, Places, Promise};

/// Levels of the whole numbers.
pub(super) const SIZES: [usize; 12] = [2, 5, 8, 10, 12, 20, 30, 50, 80, 100, 7, 4];

/// Small whole numbers, as codes of questionnaires are.
pub(crate) const NUMBERS: Case = Case {
    name: "describe-numbers",
    what: "describe: reading and profiling a CSV file of 10 million rows by 12 small whole numbers",
    sizes: &[10_000_000],
    of: "",
    work: |places, rows| {
        let file = numbers(places, rows)?;
        once(|| profile(&read(&file)?, &[], &Grouping::default()).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(4.0), Promise::Megabytes(350.0)],
};

/// The file of the case `reading`.
pub(crate) const PEOPLE: Case = Case {
    name: "describe-people",
    what: "describe: reading and profiling a CSV file of 500 MB: numbers, texts of 5 to 1,000 levels, dates, some cells empty",
    sizes: &[500_000_000],
    of: "",
    work: |places, bytes| {
        let file = people(places, bytes)?;
        once(|| profile(&read(&file)?, &[], &Grouping::default()).map_err(BenchError::failed))
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(4.0)],
};

/// The file of so many records of small whole numbers; each leans on the first draw in half of the records.
pub(super) fn numbers(places: &Places, rows: u64) -> Result<PathBuf, BenchError> {
    places.made(&format!("numbers{rows}.csv"), |path| write_numbers(path, rows))
}

fn write_numbers(path: &Path, rows: u64) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let names: Vec<String> = (0..SIZES.len()).map(|place| format!("v{place}")).collect();
    writeln!(out, "{}", names.join(","))?;
    let mut random = SplitMix(12);
    let mut line = Vec::new();
    for _ in 0..rows {
        line.clear();
        let first = random.below(100);
        for (place, size) in SIZES.iter().enumerate() {
            let number = if random.below(2) == 0 { first % size } else { random.below(*size) };
            write!(line, "{}{number}", if place == 0 { "" } else { "," })?;
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    out.flush()
}
