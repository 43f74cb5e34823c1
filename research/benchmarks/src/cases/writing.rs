//! Drawing many records and writing them.

use std::fs::File;
use std::io::BufWriter;

use synthesis::{Recipe, Run, fit};
use table::TableError;
use table::write::{Format, TableWriter};

use super::describing::numbers;
use crate::clock::once;
use crate::data::read;
use crate::{BenchError, Case, Measured, Places, Promise};

/// As text.
pub(crate) const CSV: Case = Case {
    name: "catall-csv",
    what: "catall on 10 million rows by 12 small whole numbers: read, fitted, as many records drawn and written as CSV",
    sizes: &[10_000_000],
    of: "",
    work: |places, rows| catall(places, rows, Format::Csv),
    peers: &[],
    promises: &[Promise::CpuSeconds(6.0)],
};

/// As Parquet.
pub(crate) const PARQUET: Case = Case {
    name: "catall-parquet",
    what: "catall on 10 million rows by 12 small whole numbers: read, fitted, as many records drawn and written as Parquet",
    sizes: &[10_000_000],
    of: "",
    work: |places, rows| catall(places, rows, Format::Parquet),
    peers: &[],
    promises: &[Promise::CpuSeconds(6.0)],
};

pub(super) fn catall(places: &Places, rows: u64, format: Format) -> Result<Measured, BenchError> {
    let file = numbers(places, rows)?;
    let written = places.cache.join(format!("written.{format}"));
    let measured = once(|| {
        let table = read(&file)?;
        let fitted = fit(&table, &Recipe { seed: Some(1), ..Recipe::new("catall") }, &Run::default());
        let fitted = fitted.map_err(BenchError::failed)?;
        let sink = BufWriter::with_capacity(1 << 20, File::create(&written).map_err(BenchError::failed)?);
        let mut writer = TableWriter::new(sink, fitted.schema(), format).map_err(BenchError::failed)?;
        let drawn = fitted
            .draw(0, |part| writer.write(&part).map_err(|source| TableError::io(&written, source).into()));
        drawn.map_err(BenchError::failed)?;
        writer.finish().map(drop).map_err(BenchError::failed)
    });
    std::fs::remove_file(&written).map_err(BenchError::failed)?;
    measured
}
