//! What counting and reading cost, in seconds and megabytes: our side of `benches/peers.sh`.
//!
//! ```text
//! measure columns DIR [ROWS]     writes the columns that are counted, one byte a code, for the peers
//! measure count [ROWS]           counts all pairs of those columns
//! measure csv FILE [MEGABYTES]   writes the file that is read
//! measure read FILE              reads it
//! ```
//!
//! `count` and `read` print one JSON object. Seconds are the least of several runs, since other programs can only add to them;
//! memory is the peak of the process, so that each is measured in a process of its own.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use table::date::DateFormat;
use table::read::{ReadOptions, buffer_bytes, read_table};
use table::{Classes, CodedTable, Codes, CountSource, Domain};

/// Levels of the columns that are counted.
const SIZES: [usize; 10] = [8, 12, 16, 20, 24, 32, 40, 48, 56, 64];
const ROWS: usize = 10_000_000;
const MEGABYTES: usize = 500;
/// At least so many runs, and so many seconds of them; the peers are measured by the same rule.
const RUNS: usize = 3;
const SECONDS: f64 = 5.0;
const MB: f64 = 1e6;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: Option<&&str>, default: usize| text.map_or(Ok(default), |text| text.parse());
    match arguments.as_slice() {
        ["columns", folder, rows @ ..] => write_columns(Path::new(folder), number(rows.first(), ROWS)?),
        ["count", rows @ ..] => count(number(rows.first(), ROWS)?),
        ["csv", file, size @ ..] => write_csv(Path::new(file), number(size.first(), MEGABYTES)? * 1_000_000),
        ["read", file] => read(Path::new(file)),
        _ => Err("say `columns DIR`, `count`, `csv FILE` or `read FILE`".into()),
    }
}

/// Counts all pairs. The checksum Σ (cell + 1) · count over all margins lets the peers show that they counted the same.
fn count(rows: usize) -> Result<(), Box<dyn Error>> {
    let classes = SIZES.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
    let columns = (0..SIZES.len()).map(|column| Codes::U8(column_of(column, rows)));
    let table = CodedTable::from_codes(Domain::new(classes.collect())?, columns.collect());
    let (seconds, margins) = least(|| table.all_margins(2))?;
    let weighted = |counts: &[u64]| (1..).zip(counts).map(|(place, count)| place * count).sum::<u64>();
    let checksum: u64 = margins.iter().map(|margin| weighted(margin.counts())).sum();
    let coded_mb = (rows * SIZES.len()) as f64 / MB;
    println!(
        r#"{{"rows": {rows}, "margins": {}, {seconds}, "coded_mb": {coded_mb:.1}, "peak_rss_mb": {:.1}, "checksum": {checksum}}}"#,
        margins.len(),
        peak_rss_mb()?,
    );
    Ok(())
}

fn read(file: &Path) -> Result<(), Box<dyn Error>> {
    let (seconds, table) = least(|| read_table(file, &ReadOptions::default()))?;
    let file_mb = std::fs::metadata(file)?.len() as f64 / MB;
    let (coded_mb, buffers_mb) = (table.bytes() as f64 / MB, buffer_bytes() as f64 / MB);
    let peak_rss_mb = peak_rss_mb()?;
    let over_coded = (peak_rss_mb - buffers_mb) / coded_mb;
    println!(
        r#"{{"rows": {}, "file_mb": {file_mb:.1}, {seconds}, "coded_mb": {coded_mb:.1}, "buffers_mb": {buffers_mb:.1}, "peak_rss_mb": {peak_rss_mb:.1}, "peak_less_buffers_over_coded": {over_coded:.3}}}"#,
        table.rows(),
    );
    Ok(())
}

/// Runs `work` a few times; the least wall and CPU seconds as JSON fields, and the last result. Only one result lives at a time.
fn least<T, E>(work: impl Fn() -> Result<T, E>) -> Result<(String, T), Box<dyn Error>>
where
    E: Error + 'static,
{
    let (mut wall, mut cpu) = (f64::INFINITY, f64::INFINITY);
    let mut result = None;
    let (began, mut runs) = (Instant::now(), 0);
    while runs < RUNS || began.elapsed().as_secs_f64() < SECONDS {
        runs += 1;
        drop(result.take());
        let (from, cpu_from) = (Instant::now(), cpu_seconds()?);
        result = Some(work()?);
        wall = wall.min(from.elapsed().as_secs_f64());
        cpu = cpu.min(cpu_seconds()? - cpu_from);
    }
    let threads = rayon::current_num_threads();
    let seconds = format!(r#""threads": {threads}, "wall_s": {wall:.3}, "cpu_s": {cpu:.3}"#);
    Ok((seconds, result.ok_or("no run")?))
}

/// User and system seconds of this process so far, in hundredths as Linux counts them.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}

/// The most memory that was resident at once.
fn peak_rss_mb() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024.0 / MB)
}

/// Skewed codes: the square of a uniform number, so that the first level holds 1/√size of the records.
fn column_of(column: usize, rows: usize) -> Vec<u8> {
    let mut random = SplitMix(column as u64);
    (0..rows).map(|_| random.skewed(SIZES[column]) as u8).collect()
}

fn write_columns(folder: &Path, rows: usize) -> Result<(), Box<dyn Error>> {
    for column in 0..SIZES.len() {
        std::fs::write(folder.join(format!("v{column}.u8")), column_of(column, rows))?;
    }
    Ok(())
}

/// Persons with whole numbers, texts of 5, 50 and 1,000 levels, amounts with decimals and a date; some cells are empty.
fn write_csv(path: &Path, bytes: usize) -> Result<(), Box<dyn Error>> {
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
    Ok(out.flush()?)
}

/// SplitMix64 (Steele, Lea & Flood 2014): the same data on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, size: usize) -> usize {
        ((u128::from(self.next()) * size as u128) >> 64) as usize
    }

    fn skewed(&mut self, size: usize) -> usize {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (uniform * uniform * size as f64) as usize
    }
}
