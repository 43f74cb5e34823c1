//! CPU time of sequential synthesis by trees: `cargo run --release -p statistics --example tree_speed -- FILE.csv [ROWS ...]`.
//!
//! Each column is predicted from those before it, and its synthetic values are donors out of the leaves. A file is stretched to ROWS
//! by drawing its records with replacement; numbers of more than 200 distinct values then get a little noise so that they stay distinct.

use std::error::Error;
use std::fs;
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use statistics::trees::{Predictor, Response, Tree, TreeOptions};

enum Column {
    Factor { codes: Vec<u32>, levels: u32 },
    Number { values: Vec<f64>, marks: Vec<u8> },
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name a CSV file")?;
    let columns = read(&file)?;
    let own = columns.first().map_or(0, Column::len);
    let mut sizes: Vec<usize> = arguments.map(|size| size.parse()).collect::<Result<_, _>>()?;
    if sizes.is_empty() {
        sizes.push(own);
    }
    println!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "rows", "wall s", "CPU s", "code", "fit", "draw", "leaves"
    );
    for size in sizes {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let columns = stretch(&columns, size, &mut rng);
        synthesise(&columns, &mut rng)?;
    }
    Ok(())
}

fn synthesise(columns: &[Column], rng: &mut ChaCha12Rng) -> Result<(), Box<dyn Error>> {
    let rows = columns[0].len();
    let (start, start_cpu) = (Instant::now(), cpu_seconds());
    let predictors: Vec<Predictor> = columns.iter().map(Column::predictor).collect::<Result<_, _>>()?;
    let coded = cpu_seconds();
    let (mut fitting, mut drawing, mut leaves) = (0.0, 0.0, 0);
    let mut synthetic: Vec<Predictor> = Vec::new();
    for (position, column) in columns.iter().enumerate() {
        let before = cpu_seconds();
        let known: Vec<&Predictor> = predictors[..position].iter().collect();
        let tree = match column {
            Column::Factor { codes, levels } => Tree::fit(
                &known,
                &Response::Classes { codes, levels: *levels },
                None,
                &TreeOptions::default(),
            )?,
            // Marks are drawn along with their donors: far below all values.
            Column::Number { values, marks } => {
                let low = values.iter().copied().fold(f64::INFINITY, f64::min) - 100.0;
                let y: Vec<f64> = values
                    .iter()
                    .zip(marks)
                    .map(|(value, mark)| if *mark == 0 { *value } else { low })
                    .collect();
                Tree::fit(&known, &Response::Numeric(&y), None, &TreeOptions::default())?
            }
        };
        let fitted = cpu_seconds();
        let drawn: Vec<&Predictor> = synthetic.iter().collect();
        let leaf_of = tree.route(&drawn, 0..rows)?;
        let draw = |leaf: &u32| {
            let donors = tree.donors(*leaf);
            donors[rng.random_range(0..donors.len())]
        };
        let donors: Vec<u32> = leaf_of.iter().map(draw).collect();
        synthetic.push(predictors[position].take(&donors));
        fitting += fitted - before;
        drawing += cpu_seconds() - fitted;
        leaves += tree.leaves();
    }
    println!(
        "{rows:>9} {:>9.3} {:>9.3} {:>9.3} {fitting:>9.3} {drawing:>9.3} {leaves:>8}",
        start.elapsed().as_secs_f64(),
        cpu_seconds() - start_cpu,
        coded - start_cpu,
    );
    Ok(())
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Factor { codes, .. } => codes.len(),
            Self::Number { values, .. } => values.len(),
        }
    }

    fn predictor(&self) -> Result<Predictor, statistics::trees::TreeError> {
        match self {
            Self::Factor { codes, levels } => Predictor::categorical(codes, *levels),
            Self::Number { values, marks } => Predictor::numeric(values, Some(marks)),
        }
    }
}

fn stretch(columns: &[Column], rows: usize, rng: &mut ChaCha12Rng) -> Vec<Column> {
    let own = columns[0].len();
    let chosen: Vec<usize> =
        (0..rows).map(|row| if rows == own { row } else { rng.random_range(0..own) }).collect();
    let stretched = |column: &Column| match column {
        Column::Factor { codes, levels } => {
            Column::Factor { codes: chosen.iter().map(|row| codes[*row]).collect(), levels: *levels }
        }
        Column::Number { values, marks } => {
            let mut distinct = values.clone();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let many = rows != own && distinct.len() > 200;
            let noise = |value: f64, rng: &mut ChaCha12Rng| {
                if many {
                    (value * (1.0 + 0.01 * rng.random::<f64>()) * 100.0).round() / 100.0
                } else {
                    value
                }
            };
            Column::Number {
                values: chosen.iter().map(|row| noise(values[*row], rng)).collect(),
                marks: chosen.iter().map(|row| marks[*row]).collect(),
            }
        }
    };
    columns.iter().map(stretched).collect()
}

/// A column is numeric if all its fields that are not empty are numbers. An empty field and -8 are marks.
fn read(file: &str) -> Result<Vec<Column>, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(file)?;
    let mut fields: Vec<Vec<String>> = vec![Vec::new(); reader.headers()?.len()];
    for record in reader.records() {
        for (column, field) in fields.iter_mut().zip(record?.iter()) {
            column.push(field.to_owned());
        }
    }
    let column =
        |texts: Vec<String>| match texts.iter().all(|text| text.is_empty() || text.parse::<f64>().is_ok()) {
            true => Column::Number {
                values: texts.iter().map(|text| text.parse().unwrap_or(0.0)).collect(),
                marks: texts
                    .iter()
                    .map(|text| match text.as_str() {
                        "" => 1,
                        "-8" => 2,
                        _ => 0,
                    })
                    .collect(),
            },
            false => {
                let mut levels = texts.clone();
                levels.sort_unstable();
                levels.dedup();
                let code = |text: &String| levels.binary_search(text).map_or(0, |code| code as u32);
                Column::Factor { codes: texts.iter().map(code).collect(), levels: levels.len() as u32 }
            }
        };
    Ok(fields.into_iter().map(column).collect())
}

/// User and system time of this process, read from `/proc`.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        |field: usize| after_name.split_whitespace().nth(field).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
