//! What rows say of populations with known slopes, from noisy tables, without a guard: noise is simulated and seeded.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::estimate::{Answers, Candidate, From, Known, goals};
use super::grouping::{Grouping, Levels};
use super::plan::{NoiseOf, Plan, prefers_pure};
use super::posterior::Noise;
use super::rows::{Constraints, Goals, draw};
use crate::randomness::Seed;

const ONE: u64 = 1 << 40;

/// ρ of ε = 1 and 1000 at δ = 10⁻⁹, and of 0.1 and 10.
const RHO_AT_ONE: f64 = 0.01497;
const RHO_AT_A_TENTH: f64 = 1.77e-4;
const RHO_AT_TEN: f64 = 1.091;
const RHO_AT_A_THOUSAND: f64 = 700.0;

/// Records in columns, with noise on what is asked of them.
struct Simulated<'a> {
    columns: &'a [Vec<u16>],
    sizes: &'a [usize],
    noise: NoiseOf,
    rng: ChaCha12Rng,
}

const GAUSSIAN: NoiseOf = NoiseOf::Rho { l2_squared: 1.0 };
const LAPLACE: NoiseOf = NoiseOf::Epsilon { l1: 1.0 };

impl Simulated<'_> {
    fn noisy(&mut self, counts: Vec<f64>, units: u64) -> (Vec<f64>, Noise) {
        let sd = self.noise.sd(units as f64 / ONE as f64);
        let (draw, noise): (fn(&mut ChaCha12Rng) -> f64, Noise) = match self.noise {
            NoiseOf::Rho { .. } => (normal, Noise::normal(sd)),
            NoiseOf::Epsilon { .. } => (laplace, Noise::laplace(sd / 2_f64.sqrt())),
        };
        let noisy = counts.into_iter().map(|count| (count + sd * draw(&mut self.rng)).round());
        (noisy.collect(), noise)
    }

    fn table(&self, of: &Candidate) -> Vec<f64> {
        in_groups(self.columns, of, of.groupings.each_ref().map(|grouping| grouping.as_ref()))
    }
}

fn in_groups(columns: &[Vec<u16>], of: &Candidate, [one, other]: [&Grouping; 2]) -> Vec<f64> {
    let mut counts = vec![0.0; one.groups * other.groups];
    for (a, b) in columns[of.variables[0]].iter().zip(&columns[of.variables[1]]) {
        let place = one.of_level[*a as usize] as usize * other.groups + other.of_level[*b as usize] as usize;
        counts[place] += 1.0;
    }
    counts
}

fn normal(rng: &mut ChaCha12Rng) -> f64 {
    let (one, other): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - one).ln()).sqrt() * (2.0 * std::f64::consts::PI * other).cos()
}

/// A Laplace draw of variance 1.
fn laplace(rng: &mut ChaCha12Rng) -> f64 {
    let uniform: f64 = rng.random::<f64>() - 0.5;
    -uniform.signum() * (1.0 - 2.0 * uniform.abs()).max(1e-300).ln() / 2_f64.sqrt()
}

impl Answers for Simulated<'_> {
    type Error = std::convert::Infallible;

    fn one_way(&mut self, variable: usize, units: u64) -> Result<(Vec<f64>, Noise), Self::Error> {
        let mut counts = vec![0.0; self.sizes[variable]];
        self.columns[variable].iter().for_each(|level| counts[*level as usize] += 1.0);
        Ok(self.noisy(counts, units))
    }

    fn choose(
        &mut self,
        candidates: &[Candidate],
        from: &From<'_>,
        _: usize,
        count: usize,
        units: u64,
        next: &mut dyn FnMut(&[usize]) -> Vec<usize>,
    ) -> Result<Vec<usize>, Self::Error> {
        let amount = units as f64 / ONE as f64;
        let epsilon = match self.noise {
            NoiseOf::Rho { .. } => (8.0 * amount).sqrt(),
            NoiseOf::Epsilon { .. } => amount,
        };
        let made = |levels: &[u16]| -> Vec<Vec<u16>> {
            let variables = self.sizes.len();
            let column = |at: usize| levels.iter().skip(at).step_by(variables).copied().collect();
            (0..variables).map(column).collect()
        };
        let beyond = |of: &Candidate, groups: [&Grouping; 2], sums: [&[f64]; 2], sign: f64| {
            let columns = sums[1].len();
            let expected: Vec<f64> = match from {
                From::Independence(records) => (0..sums[0].len() * columns)
                    .map(|place| sums[0][place / columns] * sums[1][place % columns] / records)
                    .collect(),
                From::Made(records, levels) => {
                    let made = made(levels);
                    let scale = records / made[0].len() as f64;
                    in_groups(&made, of, groups).into_iter().map(|count| count * scale).collect()
                }
            };
            let counts = in_groups(self.columns, of, groups);
            let differences = counts.iter().zip(&expected);
            differences
                .map(|(count, expected)| (sign * (count - expected.round()) - of.threshold as f64).max(0.0))
                .sum::<f64>()
        };
        let score = |of: &Candidate| {
            let own = of.groupings.each_ref().map(|grouping| grouping.as_ref());
            let coarse = of.coarse.each_ref().map(|(grouping, _)| grouping.as_ref());
            let sums = of.sums.each_ref().map(|sums| sums.as_slice());
            let sums_below = of.coarse.each_ref().map(|(_, sums)| sums.as_slice());
            let score = beyond(of, own, sums, 1.0) + beyond(of, coarse, sums_below, -1.0);
            f64::from(of.weight) / 1000.0 * score
        };
        let scores: Vec<f64> = candidates.iter().map(score).collect();
        let mut chosen = Vec::new();
        for _ in 0..count {
            let mut noisy: Vec<(f64, usize)> = next(&chosen)
                .into_iter()
                .map(|at| {
                    let uniform: f64 = self.rng.random();
                    (0.5 * epsilon * scores[at] - (-(1.0 - uniform).ln()).ln(), at)
                })
                .collect();
            noisy.sort_by(|one, other| other.0.total_cmp(&one.0));
            chosen.push(noisy[0].1);
        }
        Ok(chosen)
    }

    fn pair(&mut self, of: &Candidate, units: u64) -> Result<(Vec<f64>, Noise), Self::Error> {
        let counts = self.table(of);
        Ok(self.noisy(counts, units))
    }
}

/// A population: records in columns, and how many levels each variable has.
struct Population {
    columns: Vec<Vec<u16>>,
    sizes: Vec<usize>,
}

impl Population {
    /// Age, education and sex, which go together, two outcomes and a bystander. The outcome in the last column but one is linear in the first three.
    fn linear(records: usize, seed: u64) -> Self {
        let sizes = vec![20, 8, 2, 12, 25, 6];
        Self::drawn(records, seed, sizes, |rng| {
            let ability = normal(rng);
            let age = rng.random_range(0..20) as f64;
            let education =
                (3.5 + 1.4 * ability - 0.06 * (age - 9.5) + 0.8 * normal(rng)).round().clamp(0.0, 7.0);
            let sex = f64::from(u8::from(rng.random_bool(0.5)));
            let hours = (5.0 + 1.5 * sex + 1.8 * normal(rng)).round().clamp(0.0, 11.0);
            let pay =
                (12.0 + 0.25 * (age - 9.5) + 0.9 * (education - 3.5) + 1.5 * (sex - 0.5) + 2.5 * normal(rng))
                    .round()
                    .clamp(0.0, 24.0);
            let region = f64::from(rng.random_range(0..6_u8));
            vec![age, education, sex, hours, pay, region]
        })
    }

    /// The same against the priors: pay is zero for a third of the records and concave in age, and the levels of education are in no order.
    fn concave(records: usize, seed: u64) -> Self {
        let sizes = vec![20, 8, 2, 12, 25, 6];
        const SHUFFLED: [f64; 8] = [3.0, 6.0, 0.0, 7.0, 2.0, 5.0, 1.0, 4.0];
        Self::drawn(records, seed, sizes, |rng| {
            let age = rng.random_range(0..20) as f64;
            let education = f64::from(rng.random_range(0..8_u8));
            let sex = f64::from(u8::from(rng.random_bool(0.5)));
            let hours = (5.0 + 1.5 * sex + 1.8 * normal(rng)).round().clamp(0.0, 11.0);
            let rise = 14.0 - 0.09 * (age - 12.0).powi(2)
                + 0.9 * (SHUFFLED[education as usize] - 3.5)
                + 1.5 * (sex - 0.5);
            let pay = (rise + 2.5 * normal(rng)).round().clamp(1.0, 24.0);
            let pay = if rng.random_bool(0.3) { 0.0 } else { pay };
            let region = f64::from(rng.random_range(0..6_u8));
            vec![age, education, sex, hours, pay, region]
        })
    }

    fn drawn(
        records: usize,
        seed: u64,
        sizes: Vec<usize>,
        draw: impl Fn(&mut ChaCha12Rng) -> Vec<f64>,
    ) -> Self {
        let mut rng = ChaCha12Rng::seed_from_u64(seed);
        let mut columns = vec![Vec::with_capacity(records); sizes.len()];
        for _ in 0..records {
            columns.iter_mut().zip(draw(&mut rng)).for_each(|(column, value)| column.push(value as u16));
        }
        Self { columns, sizes }
    }

    /// A chain: each variable copies the one before it by half of the records, modulo its levels, and is else drawn evenly.
    fn chain(records: usize, seed: u64) -> Self {
        let sizes = vec![4, 3, 6, 2, 8, 5, 3, 10, 4];
        let of = sizes.clone();
        Self::drawn(records, seed, sizes, move |rng| {
            let mut record: Vec<f64> = Vec::with_capacity(of.len());
            for size in &of {
                let alone = rng.random_range(0..*size);
                let copied = record.last().map(|before| *before as usize % size);
                let level = copied.filter(|_| rng.random_bool(0.5)).unwrap_or(alone);
                record.push(level as f64);
            }
            record
        })
    }

    fn released(&self, rho: f64, planned: u64, seed: u64) -> (Vec<Vec<u16>>, Goals) {
        self.released_with(rho, GAUSSIAN, planned, seed)
    }

    fn released_with(&self, budget: f64, noise: NoiseOf, planned: u64, seed: u64) -> (Vec<Vec<u16>>, Goals) {
        let variables = self.sizes.len();
        let levels = self
            .sizes
            .iter()
            .map(|&size| Levels { size, ordered: size, is_number: false, parents: None })
            .collect();
        let pairs: Vec<[usize; 2]> =
            (0..variables).flat_map(|one| (one + 1..variables).map(move |other| [one, other])).collect();
        let plan = Plan::new(&self.sizes, &pairs, planned, (budget * ONE as f64) as u64, ONE, noise).unwrap();
        let known = Known {
            levels,
            weights: vec![1.0; pairs.len()],
            pairs,
            variable_weights: vec![1.0; variables],
            records: planned,
            exact_records: None,
            noise,
            one: ONE,
        };
        let rng = ChaCha12Rng::seed_from_u64(seed);
        let mut answers = Simulated { columns: &self.columns, sizes: &self.sizes, noise, rng };
        let constraints = Constraints::new(&self.sizes, vec![None; variables], Vec::new()).unwrap();
        let Ok(goals) = goals(&known, &plan, &constraints, &mut answers);
        let rows = draw(&goals, &constraints, self.columns[0].len(), true, Seed::new(seed));
        let column = |variable: usize| rows.iter().skip(variable).step_by(variables).copied().collect();
        ((0..variables).map(column).collect(), goals)
    }

    /// The mean total variation of all pairs.
    fn distance(&self, rows: &[Vec<u16>]) -> f64 {
        let variables = self.sizes.len();
        let mut sum = 0.0;
        for one in 0..variables {
            for other in one + 1..variables {
                let mut shares = vec![0.0; self.sizes[one] * self.sizes[other]];
                for (columns, sign) in [(&self.columns[..], 1.0), (rows, -1.0)] {
                    let weight = sign / columns[0].len() as f64;
                    for (a, b) in columns[one].iter().zip(&columns[other]) {
                        shares[*a as usize * self.sizes[other] + *b as usize] += weight;
                    }
                }
                sum += 0.5 * shares.iter().map(|share: &f64| share.abs()).sum::<f64>();
            }
        }
        sum / (variables * (variables - 1) / 2) as f64
    }
}

/// Slopes of `outcome` on the other columns given, by least squares with a constant.
fn slopes(predictors: &[Vec<f64>], outcome: &[f64]) -> Vec<f64> {
    let n = outcome.len() as f64;
    let centred = |column: &[f64]| -> Vec<f64> {
        let mean = column.iter().sum::<f64>() / n;
        column.iter().map(|value| value - mean).collect()
    };
    let x: Vec<Vec<f64>> = predictors.iter().map(|column| centred(column)).collect();
    let y = centred(outcome);
    let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let k = x.len();
    let gram = faer::Mat::from_fn(k, k, |row, column| product(&x[row], &x[column]));
    let right = faer::Mat::from_fn(k, 1, |row, _| product(&x[row], &y));
    let solved = faer::linalg::solvers::Solve::solve(&gram.partial_piv_lu(), &right);
    (0..k).map(|row| solved[(row, 0)]).collect()
}

/// The slopes of pay on age, education (by its numbers) and sex.
fn slopes_of_pay(columns: &[Vec<u16>], square: bool) -> Vec<f64> {
    let numbers = |column: usize| columns[column].iter().map(|level| f64::from(*level)).collect::<Vec<f64>>();
    let mut predictors = vec![numbers(0), numbers(2), numbers(1)];
    if square {
        // Education has no order there: one level against the others.
        predictors[2] = columns[1].iter().map(|level| f64::from(u8::from(*level == 3))).collect();
        predictors.push(columns[0].iter().map(|level| (f64::from(*level) - 9.5).powi(2)).collect());
    }
    slopes(&predictors, &numbers(4))
}

/// Mean bias of each slope in per cent, and mean total variation of pairs, over some runs.
fn biases(population: &Population, square: bool, rho: f64, runs: u64) -> (Vec<f64>, f64) {
    let truth = slopes_of_pay(&population.columns, square);
    let (mut sums, mut distance) = (vec![0.0; truth.len()], 0.0);
    for seed in 0..runs {
        let (rows, _) = population.released(rho, population.columns[0].len() as u64, 900 + seed);
        let found = slopes_of_pay(&rows, square);
        let relative = found.iter().zip(&truth).map(|(found, truth)| 100.0 * (found / truth - 1.0));
        sums.iter_mut().zip(relative).for_each(|(sum, bias)| *sum += bias / runs as f64);
        distance += population.distance(&rows) / runs as f64;
    }
    (sums, distance)
}

#[test]
fn linear_slopes_survive_noise_and_settling() {
    let population = Population::linear(20_000, 1);
    let (clear, _) = biases(&population, false, RHO_AT_A_THOUSAND, 2);
    assert!(clear.iter().all(|bias| bias.abs() < 1.5), "without noise: {clear:?} %");
    let (noisy, distance) = biases(&population, false, RHO_AT_ONE, 6);
    assert!(noisy.iter().all(|bias| bias.abs() < 8.0), "at ε = 1: {noisy:?} %");
    assert!(distance < 0.03, "{distance}");
    let (few, _) = biases(&Population::linear(5_000, 2), false, RHO_AT_ONE, 10);
    assert!(few.iter().all(|bias| bias.abs() < 22.0), "5,000 records: {few:?} %");
}

#[test]
fn slopes_against_the_priors_survive_where_there_are_records() {
    let population = Population::concave(20_000, 3);
    let (clear, _) = biases(&population, true, RHO_AT_A_THOUSAND, 2);
    assert!(clear.iter().all(|bias| bias.abs() < 1.5), "without noise: {clear:?} %");
    // What lies against the priors is flattened, about −8, +5, −5 and −10 % (16 runs, errors of 1 to 3); twice as much would be a fault.
    let (noisy, _) = biases(&population, true, RHO_AT_ONE, 6);
    assert!(noisy.iter().all(|bias| bias.abs() < 18.0), "at ε = 1: {noisy:?} %");
}

#[test]
fn errors_fall_as_the_budget_grows() {
    for population in [Population::linear(6_000, 4), Population::concave(6_000, 5)] {
        let distances = [RHO_AT_A_TENTH, RHO_AT_ONE, RHO_AT_TEN, RHO_AT_A_THOUSAND].map(|rho| {
            (0..3).map(|seed| population.distance(&population.released(rho, 6_000, seed).0)).sum::<f64>()
                / 3.0
        });
        assert!(distances.is_sorted_by(|more, less| more > less), "{distances:?}");
        assert!(distances[3] < 0.01, "{distances:?}");
    }
}

/// Over populations, budgets and notions: errors fall as ε grows, and do not rise as the guarantee gets weaker, from pure ε to a δ of 10⁻⁹ and of 10⁻⁵, each spent as a run spends it.
#[test]
fn errors_fall_as_the_guarantee_gets_weaker() {
    let records = 6_000;
    for population in
        [Population::linear(records, 7), Population::concave(records, 8), Population::chain(records, 9)]
    {
        let error = |epsilon: f64, delta: Option<f64>| {
            let (budget, noise) = match delta {
                None => (epsilon, LAPLACE),
                Some(delta) => {
                    let epsilon_cost = privacy::Epsilon::new(epsilon).unwrap().budget().unwrap();
                    let rho = privacy::conversion::rho_of_epsilon(
                        epsilon_cost,
                        privacy::Delta::new(delta).unwrap(),
                    )
                    .unwrap()
                    .lower();
                    let units = ((rho * ONE as f64) as u64, ONE);
                    match prefers_pure(&population.sizes, records as u64, epsilon, units, (1.0, 1.0)) {
                        true => (epsilon, LAPLACE),
                        false => (rho, GAUSSIAN),
                    }
                }
            };
            let of =
                |seed| population.distance(&population.released_with(budget, noise, records as u64, seed).0);
            (0..3).map(of).sum::<f64>() / 3.0
        };
        let table: Vec<Vec<f64>> = [0.1, 1.0, 10.0, 100.0]
            .map(|epsilon| [None, Some(1e-9), Some(1e-5)].map(|delta| error(epsilon, delta)).into())
            .into();
        for notions in &table {
            // Three runs of each have an error of about 2 %.
            assert!(notions.is_sorted_by(|strong, weak| *weak < 1.06 * strong), "{table:?}");
        }
        for notion in 0..3 {
            assert!(table.is_sorted_by(|less, more| less[notion] > more[notion]), "{table:?}");
        }
    }
}

#[test]
fn a_stated_size_that_is_wrong_only_plans() {
    let population = Population::linear(20_000, 6);
    let distance = |planned: u64| {
        let of = |seed: u64| {
            let (rows, goals) = population.released(RHO_AT_ONE, planned, 40 + seed);
            assert!((goals.records / 20_000.0 - 1.0).abs() < 0.01, "{}", goals.records);
            population.distance(&rows)
        };
        (0..4).map(of).sum::<f64>() / 4.0
    };
    let right = distance(20_000);
    for (wrong, most) in [(19_000, 1.08), (21_000, 1.08), (10_000, 1.35), (40_000, 1.35)] {
        let found = distance(wrong);
        assert!(found < most * right, "{wrong}: {found}, {right} with the right one");
    }
}
