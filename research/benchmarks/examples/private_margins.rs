//! Mean two-way and three-way utility of the private margin methods, beside the paper's Table 3.
//!
//! private_margins FOLDER METHODS SETS BUDGETS [RUNS]
//!
//! FOLDER holds sd2011_s7.csv and acs_il_oh_170k.csv.gz. METHODS are planned, least-squares, paper, or planned-zcdp (budgets
//! are then rho); SETS are S3, S5, S7, P3, P5, P7. Lists are separated by commas. The noise here is ordinary, not exact: this
//! measures methods and protects nobody.

use std::convert::Infallible;
use std::path::Path;

use margins::noisy::{BudgetSharing, CandidatePair, MarginBudget, Measurement, Noise, Price, ProtectedTable};
use margins::noisy::{all_pairs, least_squares, paper, planned};
use measures::utility::tables::{CellPairs, SyntheticSize, TableUtility};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, methods, sets, budgets, runs) = match arguments.as_slice() {
        [folder, methods, sets, budgets] => (folder, methods, sets, budgets, 10),
        [folder, methods, sets, budgets, runs] => (folder, methods, sets, budgets, runs.parse()?),
        _ => return Err("see the head of this file".into()),
    };
    println!("method          set  budget   two-way  ± s.e.   three-way  CPU s a run  steps ran out");
    for set in sets.split(',') {
        let table = Plain::read(Path::new(folder), set)?;
        for method in methods.split(',') {
            for budget in budgets.split(',') {
                let line = utility(&table, method, budget.parse()?, runs)?;
                println!("{method:<15} {set:<4} {budget:<7} {line}");
            }
        }
    }
    Ok(())
}

fn utility(table: &Plain, method: &str, budget: f64, runs: u64) -> Result<String, Failure> {
    let (mut two_way, mut three_way, mut unconverged) = (Vec::new(), 0.0, 0);
    let mut seconds = 0.0;
    for run in 0..runs {
        let mut table = table.clone();
        table.rng = ChaCha12Rng::seed_from_u64(run);
        let records = table.columns[0].len() as u64;
        let sizes = table.sizes.clone();
        let before = cpu_seconds();
        let model = match method {
            "planned" => planned::run(&sizes, records, Price::Epsilon(budget), &mut table)?.model,
            "planned-zcdp" => planned::run(&sizes, records, Price::Rho(budget), &mut table)?.model,
            "least-squares" | "paper" | "least-squares-cells" | "paper-cells" => {
                let sharing =
                    if method.ends_with("cells") { BudgetSharing::ByCells } else { BudgetSharing::Even };
                let margins = all_pairs(sizes.len());
                let budget = MarginBudget::new(&sizes, records, &margins, &sharing, Price::Epsilon(budget))?;
                match method.starts_with("paper") {
                    true => paper::run(&budget, &mut table)?,
                    false => least_squares::run(&budget, &mut table)?,
                }
            }
            _ => return Err(format!("no method `{method}`").into()),
        };
        let synthetic = model.sample(records as usize, [run as u8; 32]);
        seconds += cpu_seconds() - before;
        unconverged += usize::from(model.convergence().stopped == margins::Stopped::SweepLimit);
        two_way.push(table.mean_s_pmse(&synthetic, 2)?);
        three_way += table.mean_s_pmse(&synthetic, 3)? / runs as f64;
    }
    let mean = two_way.iter().sum::<f64>() / runs as f64;
    let squares: f64 = two_way.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (runs.max(2) - 1) as f64 / runs as f64).sqrt();
    let seconds = seconds / runs as f64;
    Ok(format!("{mean:8.2}  {error:7.2}  {three_way:8.2}  {seconds:11.2}  {unconverged}"))
}

/// A table of class numbers and ordinary noise.
#[derive(Clone)]
struct Plain {
    sizes: Vec<usize>,
    columns: Vec<Vec<usize>>,
    rng: ChaCha12Rng,
}

impl Plain {
    fn read(folder: &Path, set: &str) -> Result<Self, Failure> {
        let names: &[&str] = match set.get(..1) {
            Some("S") => &["sex", "age", "placesize", "edu", "socprof", "income", "marital"],
            Some("P") => &["YEAR", "GQ", "SEX", "AGE", "MARST", "RACE", "HISPAN"],
            _ => return Err("sets are S3, S5, S7, P3, P5, P7".into()),
        };
        let count: usize = set[1..].parse()?;
        let names = names.get(..count).ok_or("at most 7 variables")?;
        let text: Box<dyn std::io::Read> = match set.starts_with('S') {
            true => Box::new(std::fs::File::open(folder.join("sd2011_s7.csv"))?),
            false => {
                let file = std::fs::File::open(folder.join("acs_il_oh_170k.csv.gz"))?;
                Box::new(flate2::read::GzDecoder::new(file))
            }
        };
        let mut reader = csv::Reader::from_reader(text);
        let header = reader.headers()?.clone();
        let place =
            |name: &&str| header.iter().position(|column| column == *name).ok_or("a column is missing");
        let places: Vec<usize> = names.iter().map(place).collect::<Result<_, _>>()?;
        let mut values: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader.records() {
            let record = record?;
            for ((value, &place), name) in values.iter_mut().zip(&places).zip(names) {
                let text = &record[place];
                // The paper cuts age into five groups; the file has fifteen.
                value.push(if *name == "AGE" { age_group(text) } else { text.to_owned() });
            }
        }
        let mut sizes = Vec::new();
        let mut columns = Vec::new();
        for values in values {
            let mut labels = values.clone();
            labels.sort();
            labels.dedup();
            sizes.push(labels.len());
            columns.push(values.iter().map(|value| labels.partition_point(|label| label < value)).collect());
        }
        Ok(Self { sizes, columns, rng: ChaCha12Rng::seed_from_u64(0) })
    }

    fn margin(&self, of: &[Vec<usize>], attributes: &[usize]) -> Vec<u64> {
        let mut counts = vec![0; attributes.iter().map(|&variable| self.sizes[variable]).product()];
        let mut cells = vec![0; of[0].len()];
        for &variable in attributes {
            for (cell, class) in cells.iter_mut().zip(&of[variable]) {
                *cell = *cell * self.sizes[variable] + class;
            }
        }
        cells.into_iter().for_each(|cell| counts[cell] += 1);
        counts
    }

    fn mean_s_pmse(&self, synthetic: &[Vec<u32>], ways: u32) -> Result<f64, Failure> {
        let synthetic: Vec<Vec<usize>> =
            synthetic.iter().map(|column| column.iter().map(|&class| class as usize).collect()).collect();
        let count = self.sizes.len();
        let (mut sum, mut tables) = (0.0, 0);
        for set in (0_u32..1 << count).filter(|set| set.count_ones() == ways) {
            let attributes: Vec<usize> = (0..count).filter(|variable| set >> variable & 1 == 1).collect();
            let original = self.margin(&self.columns, &attributes);
            let pairs = original.into_iter().zip(self.margin(&synthetic, &attributes));
            let utility = TableUtility::of(Vec::new(), &CellPairs::new(pairs), SyntheticSize::Fixed);
            sum += utility.s_pmse().map_err(|reason| format!("{reason:?}"))?;
            tables += 1;
        }
        Ok(sum / f64::from(tables))
    }
}

fn age_group(bin: &str) -> String {
    let first: String = bin.chars().filter(char::is_ascii_digit).take(2).collect();
    let years = match bin.chars().next() {
        Some('<') => 0,
        Some('>') => 99,
        _ => first.parse().unwrap_or(0),
    };
    ((years.clamp(21, 95) - 21) / 15).to_string()
}

impl ProtectedTable for Plain {
    type Error = Infallible;

    fn measure(&mut self, attributes: &[usize], price: Price) -> Result<Measurement, Infallible> {
        let noise = match price {
            Price::Epsilon(epsilon) => Noise::Laplace { scale: 1.0 / epsilon },
            Price::Rho(rho) => Noise::Gaussian { sigma: (2.0 * rho).sqrt().recip() },
        };
        let counts = self.margin(&self.columns, attributes);
        let rng = &mut self.rng;
        let counts = counts.into_iter().map(|count| count as i64 + draw(noise, rng)).collect();
        Ok(Measurement { attributes: attributes.to_vec(), counts, noise })
    }

    fn choose(&mut self, candidates: &[CandidatePair], price: Price) -> Result<usize, Infallible> {
        let scores: Vec<i64> = candidates
            .iter()
            .map(|candidate| {
                let counts = self.margin(&self.columns, &candidate.attributes);
                let apart = counts.iter().zip(&candidate.expected).map(|(&y, q)| (y as i64 - q).abs());
                apart.sum::<i64>() - candidate.penalty
            })
            .collect();
        let rng = &mut self.rng;
        let noisy: Vec<f64> = scores
            .into_iter()
            .map(|score| {
                let uniform = uniform(rng);
                let extra = match price {
                    Price::Epsilon(epsilon) => -uniform.ln() * 2.0 / epsilon,
                    Price::Rho(rho) => -(-uniform.ln()).ln() * 2.0 / (8.0 * rho).sqrt(),
                };
                score as f64 + extra
            })
            .collect();
        Ok((0..noisy.len()).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap_or(0))
    }
}

fn uniform(rng: &mut impl Rng) -> f64 {
    1.0 - rng.random::<f64>()
}

fn draw(noise: Noise, rng: &mut impl Rng) -> i64 {
    match noise {
        // The difference of two geometric numbers.
        Noise::Laplace { scale } => {
            let mut geometric = || (-uniform(rng).ln() * scale).floor() as i64;
            geometric() - geometric()
        }
        Noise::Gaussian { sigma } => {
            let angle = std::f64::consts::TAU * uniform(rng);
            ((-2.0 * uniform(rng).ln()).sqrt() * angle.cos() * sigma).round() as i64
        }
    }
}

/// User and system time of this process from /proc/self/stat.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = after_name.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    (fields.get(10).unwrap_or(&0.0) + fields.get(11).unwrap_or(&0.0)) / 100.0
}
