//! Reading a file, and counting what was read.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use table::date::DateFormat;
use table::{Classes, CodedTable, Codes, CountSource, Domain};

use crate::clock::repeatedly;
use crate::data::{SplitMix, read};
use crate::{BenchError, Case, Measured, Peer, Places, Promise};

/// The file of 500 MB.
pub(super) fn people(places: &Places, bytes: u64) -> Result<PathBuf, BenchError> {
    places.made("people.csv", |path| write_people(path, bytes as usize))
}

/// Coding the texts, sorting the levels and learning the schema are part of our time.
pub const READING: Case = Case {
    name: "reading",
    what: "reading a CSV file of 500 MB: numbers, texts of 5 to 1,000 levels, dates, some cells empty",
    sizes: &[500_000_000],
    of: "",
    work: |places, bytes| {
        let file = people(places, bytes)?;
        let (mut coded_mb, mut rows) = (0.0, 0);
        let measured = repeatedly(|| {
            let table = read(&file)?;
            (coded_mb, rows) = (table.bytes() as f64 / 1e6, table.rows());
            Ok(table)
        })?;
        Ok(Measured { check: Some(rows as f64), result_mb: Some(coded_mb), ..measured })
    },
    peers: &[Peer::Python {
        name: "polars read_csv",
        packages: &["polars"],
        script: "import polars\nemit(lambda: polars.read_csv(made('people.csv')), lambda table: table.height)\n",
    }],
    promises: &[Promise::TimesLess(0, 0.5), Promise::TimesResult(1.5)],
};

/// Levels of the columns that are counted.
const SIZES: [usize; 10] = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64];

/// The check Σ (cell + 1) · count over all margins lets the peers show that they counted the same.
pub(crate) const COUNTING: Case = Case {
    name: "counting",
    what: "all 45 two-way margins of 10 million rows by 10 columns of 8 to 64 levels",
    sizes: &[10_000_000],
    of: "",
    work: |places, rows| {
        let column = |place: usize| -> Result<Vec<u8>, BenchError> {
            let file = places.made(&format!("v{place}.u8"), |path| {
                let mut random = SplitMix(place as u64);
                let codes: Vec<u8> = (0..rows).map(|_| random.skewed(SIZES[place]) as u8).collect();
                std::fs::write(path, codes)
            })?;
            std::fs::read(file).map_err(BenchError::failed)
        };
        let columns = (0..SIZES.len()).map(|place| column(place).map(Codes::U8));
        let classes = SIZES.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
        let domain = Domain::new(classes.collect()).map_err(BenchError::failed)?;
        let table = CodedTable::from_codes(domain, columns.collect::<Result<_, _>>()?);
        let weighted = |counts: &[u64]| (1..).zip(counts).map(|(place, count)| place * count).sum::<u64>();
        let mut check = 0;
        let measured = repeatedly(|| {
            let margins = table.all_margins(2).map_err(BenchError::failed)?;
            check = margins.iter().map(|margin| weighted(margin.counts())).sum::<u64>();
            Ok(margins)
        })?;
        Ok(Measured { check: Some(check as f64), ..measured })
    },
    peers: &[
        Peer::Python {
            name: "DuckDB, one query with GROUPING SETS",
            packages: &["duckdb", "numpy", "pyarrow"],
            script: include_str!("../../peers/counting_duckdb.py"),
        },
        Peer::Python {
            name: "polars, 45 lazy group_bys",
            packages: &["polars", "numpy"],
            script: include_str!("../../peers/counting_polars.py"),
        },
    ],
    promises: &[Promise::TimesLess(0, 5.0), Promise::TimesLess(1, 5.0)],
};

/// Persons with whole numbers, texts of 5, 50 and 1,000 levels, amounts with decimals and a date; some cells are empty.
fn write_people(path: &Path, bytes: usize) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    writeln!(out, "age,income,postcode,children,status,region,occupation,rent,score,moved")?;
    let mut random = SplitMix(2011);
    let mut written = 0;
    let dates: Vec<String> = (0..20_000).map(|days| DateFormat::Iso.format(days)).collect();
    let statuses = ["single", "married", "divorced", "widowed", "separated"];
    let mut line = Vec::new();
    while written < bytes {
        line.clear();
        write!(line, "{},", random.below(100))?;
        if random.below(20) > 0 {
            write!(line, "{}", random.skewed(200_000))?;
        }
        write!(line, ",{},{},", 10_000 + random.below(90_000), random.skewed(10))?;
        write!(line, "{},region {:02},", statuses[random.skewed(5)], random.skewed(50))?;
        if random.below(50) > 0 {
            write!(line, "occupation {:04}", random.skewed(1000))?;
        }
        let rent = random.skewed(300_000);
        write!(line, ",{}.{:02},", rent / 100, rent % 100)?;
        if random.below(10) > 0 {
            write!(line, "{}.{:04}", random.below(10), random.below(10_000))?;
        }
        writeln!(line, ",{}", dates[random.below(20_000)])?;
        out.write_all(&line)?;
        written += line.len();
    }
    out.flush()
}
