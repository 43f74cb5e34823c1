//! McClure & Reiter (2012), *Differential privacy and statistical disclosure risk measures: an investigation with binary synthetic data*.
//!
//! n = 1000 values of which each is 1 with probability p₀; the release draws 1000 values from the posterior predictive distribution with
//! a = 1/(exp(ε/1000) − 1); the intruder knows all records but one. Table 1 is computed without simulation, the figures show
//! ten pairs of data and release for each ε.

use inference::dirichlet_posterior::{PredictiveRelease, exact_moments, prior_weight};
use inference::mcclure_utility;
use measures::risk::intruder::expected_increase;
use rand::Rng;
use rand_distr::{Binomial, Distribution};
use synthesis::randomness::Seed;

use super::{Cell, Figure, Ours, Paper, ReproduceError, ReproducedTable, Reproduction, Request, Rule};

/// The paper.
pub(crate) const PAPER: Paper = Paper {
    name: "mcclure2012",
    citation: "McClure & Reiter (2012), Differential privacy and statistical disclosure risk measures: an investigation with binary \
               synthetic data, Transactions on Data Privacy 5",
    repeats: "Table 1 exactly; Figures 1 to 4 as series",
    data: &[],
    runs: 10,
    run: reproduce,
};

/// The probabilities of a 1 in Table 1.
const P0: [f64; 4] = [0.001, 0.3, 0.5, 0.999];

/// The levels of ε.
const EPSILONS: [f64; 6] = [1000.0, 100.0, 10.0, 2.0, 0.2, 0.01];

/// Table 1 as printed: three digits, cut off or rounded.
const TABLE_1: [[f64; 6]; 4] = [
    [0.125, 0.036, 0.0101, 0.00372, 0.000578, 3.13e-5],
    [0.00718, 0.00702, 0.00578, 0.00328, 0.000576, 3.13e-5],
    [0.00655, 0.00643, 0.00543, 0.00321, 0.000575, 3.13e-5],
    [0.0983, 0.0350, 0.0100, 0.00372, 0.000578, 3.13e-5],
];

/// The same to four digits, computed independently of this software.
const RECOMPUTED: [[f64; 6]; 4] = [
    [0.1252, 0.03671, 0.01007, 0.003725, 0.0005781, 3.140e-5],
    [0.007181, 0.007025, 0.005782, 0.003287, 0.0005760, 3.138e-5],
    [0.006554, 0.006434, 0.005436, 0.003219, 0.0005756, 3.138e-5],
    [0.09836, 0.03505, 0.01002, 0.003723, 0.0005780, 3.140e-5],
];

const RECORDS: u32 = 1000;

/// Priors in Figures 3 and 4.
const PRIORS: usize = 1000;

fn reproduce(request: &Request<'_>) -> Result<Reproduction, ReproduceError> {
    let mut found = PAPER.begin();
    (request.progress)("Table 1: the expected increase, over all data and all releases");
    found.tables.extend(table_1(&TABLE_1));
    found.tables.push(worked_example());
    for (figure, p0) in [(1, 0.5), (2, 0.001)] {
        (request.progress)(&format!("Figures {figure} and {}: p0 = {p0}", figure + 2));
        let pairs = pairs(p0, request.runs, Seed::new(request.seed).child(figure));
        found.figures.push(risk_and_utility(figure, p0, &pairs)?);
        found.figures.push(relative_and_absolute(figure + 2, p0, &pairs));
    }
    found.figures.sort_by(|one, other| one.name.cmp(&other.name));
    found.tables.push(statements(&found.figures));
    found.misprints = vec![
        "Table 1, p0 = .001, eps = 100: .036 should be .0367; other cells are cut off after three digits rather than rounded.".into(),
        "Equation 10: the second term should be minus the minimum of the log ratio, not one over it. The theorem stands.".into(),
    ];
    found.remarks.push(
        "The utility of Figures 1 and 2 is computed by summing over all X; the paper samples by Metropolis within Gibbs, for which see \
         `inference::dirichlet_posterior`."
            .into(),
    );
    found.remarks.push(
        "The paper's random draws are not known, so that its Figures 1 to 4 are repeated in kind: ten pairs of data and release for each \
         eps, with what the text says of them as cells."
            .into(),
    );
    found.remarks.push(
        "A risk near .9 at p0 = .001 and eps = 1000 needs one 1 among the data and three or more among the release: a pair shows it with \
         probability .08, ten pairs with probability .5."
            .into(),
    );
    Ok(found)
}

/// Table 1 beside `printed`, and beside four digits.
fn table_1(printed: &[[f64; 6]; 4]) -> [ReproducedTable; 2] {
    let mut paper = ReproducedTable::new(
        "Table 1",
        "Expected increase in risk, prior .5; the paper's three digits, cut off or rounded.",
    );
    let mut digits = ReproducedTable::new(
        "Table 1, four digits",
        "The same beside an independent computation to four digits.",
    );
    for (row, p0) in P0.into_iter().enumerate() {
        for (column, epsilon) in EPSILONS.into_iter().enumerate() {
            let a = (epsilon / f64::from(RECORDS)).exp_m1().recip();
            let ours = Ours::exact(expected_increase(p0, RECORDS, RECORDS, a, 0.5));
            let (row_name, column_name) = (format!("p0 = {p0}"), format!("eps = {epsilon}"));
            let one = printed[row][column];
            // Cut off after its last printed digit, or rounded there.
            let digit = last_digit(one);
            let rule = Rule::Must { low: one - digit / 2.0, high: one + digit * 1.001 };
            paper.cells.push(Cell::new(&row_name, &column_name, Some(one), ours, rule));
            let four = RECOMPUTED[row][column];
            let rule = Rule::must_be_within(0.5 * 10_f64.powf(four.log10().floor() - 3.0), four);
            digits.cells.push(Cell::new(row_name, column_name, Some(four), ours, rule));
        }
    }
    [paper, digits]
}

/// The unit of the last digit of a number as the paper prints it: three digits, two for .036.
fn last_digit(printed: f64) -> f64 {
    let digits = if printed == 0.036 { 1.0 } else { 2.0 };
    10_f64.powf((printed.log10() + 1e-9).floor() - digits)
}

/// The worked example of section 3.2: no other record is 1, three synthetic ones are.
fn worked_example() -> ReproducedTable {
    let mut table = ReproducedTable::new(
        "Example of section 3.2",
        "eps = 1000, no other record is 1, three synthetic records are: the posterior that the unknown one is.",
    );
    let ours = posterior(1, 3, 1000.0, 0.5);
    let rule = Rule::must_be_within(0.005, 0.88);
    table.cells.push(Cell::new("R", "prior .5", Some(0.88), Ours::exact(ours), rule));
    table
}

/// One pair of data and release.
struct Pair {
    epsilon: f64,
    /// Ones among the records.
    ones: u32,
    /// Ones among the synthetic records.
    synthetic_ones: u32,
}

impl Pair {
    /// R of a record that is 1, or of one that is 0 where none is 1.
    fn risk(&self, prior: f64) -> f64 {
        posterior(self.ones, self.synthetic_ones, self.epsilon, prior)
    }
}

/// R for a record with value 1 among `ones` of them, or with value 0 if there are none (eq. 5).
fn posterior(ones: u32, synthetic_ones: u32, epsilon: f64, prior: f64) -> f64 {
    let a = (epsilon / f64::from(RECORDS)).exp_m1().recip();
    // By symmetry a record with value 0 is one with value 1 where all is turned round.
    let (own, in_own) = if ones > 0 {
        (f64::from(ones) - 1.0, f64::from(synthetic_ones))
    } else {
        (f64::from(RECORDS) - 1.0, f64::from(RECORDS - synthetic_ones))
    };
    let (n, total) = (f64::from(RECORDS), f64::from(RECORDS));
    let other = n - 1.0 - own;
    let in_other = total - in_own;
    let ln_odds = in_own * (own + a).recip().ln_1p() - in_other * (other + a).recip().ln_1p()
        + (prior / (1.0 - prior)).ln();
    (1.0 + (-ln_odds).exp()).recip()
}

/// `runs` pairs for each ε.
fn pairs(p0: f64, runs: u32, seed: Seed) -> Vec<Pair> {
    let mut rng = seed.stream(0);
    let mut draw = |probability: f64| draw_binomial(&mut rng, probability);
    let mut all = Vec::new();
    for epsilon in EPSILONS {
        let a = (epsilon / f64::from(RECORDS)).exp_m1().recip();
        for _ in 0..runs {
            let ones = draw(p0);
            let synthetic_ones = draw((f64::from(ones) + a) / (f64::from(RECORDS) + 2.0 * a));
            all.push(Pair { epsilon, ones, synthetic_ones });
        }
    }
    all
}

fn draw_binomial(rng: &mut impl Rng, probability: f64) -> u32 {
    let law = Binomial::new(u64::from(RECORDS), probability).expect("a probability lies between 0 and 1");
    law.sample(rng) as u32
}

/// Figures 1 and 2: utility to the right, risk upwards.
fn risk_and_utility(number: u64, p0: f64, pairs: &[Pair]) -> Result<Figure, ReproduceError> {
    let caption =
        format!("Absolute risk against utility, p0 = {p0}; a point for each pair of data and release.");
    let mut figure = Figure::new(format!("Figure {number}"), caption, "utility loss U", "R");
    for epsilon in EPSILONS {
        let of_epsilon = pairs.iter().filter(|pair| pair.epsilon == epsilon);
        let point = |pair: &Pair| Ok([utility_loss(p0, pair)?, pair.risk(0.5)]);
        figure = figure
            .with(format!("eps = {epsilon}"), of_epsilon.map(point).collect::<Result<_, ReproduceError>>()?);
    }
    Ok(figure)
}

/// U(D, D*), eq. 4. The posterior given the release is summed over all X instead of sampled, so that no error of Monte Carlo is left.
fn utility_loss(p0: f64, pair: &Pair) -> Result<f64, ReproduceError> {
    let (rows, a) = (u64::from(RECORDS), prior_weight(pair.epsilon, u64::from(RECORDS)));
    let released = vec![u64::from(pair.synthetic_ones), rows - u64::from(pair.synthetic_ones)];
    let release = PredictiveRelease::new(released, vec![a; 2], rows)?;
    Ok(mcclure_utility(exact_moments(&release)[0], p0, u64::from(pair.ones), rows))
}

/// Figures 3 and 4: R to the right, RR upwards, over priors between 0 and 1.
fn relative_and_absolute(number: u64, p0: f64, pairs: &[Pair]) -> Figure {
    let caption = format!(
        "Relative against absolute risk, p0 = {p0}; a line for each pair of data and release, over {PRIORS} priors."
    );
    let mut figure = Figure::new(format!("Figure {number}"), caption, "R", "RR");
    for (place, pair) in pairs.iter().enumerate() {
        let point = |step: usize| {
            let prior = step as f64 / (PRIORS + 1) as f64;
            let risk = pair.risk(prior);
            [risk, risk / prior]
        };
        let kind = if pair.ones == 0 { ", all zero" } else { "" };
        let name = format!("eps = {}, pair {}{kind}", pair.epsilon, place + 1);
        figure = figure.with(name, (1..=PRIORS).map(point).collect());
    }
    figure
}

/// What the text says of the figures.
fn statements(figures: &[Figure]) -> ReproducedTable {
    let mut table = ReproducedTable::new("What the text says of the figures", "Sections 3.2 and 3.3.");
    let values = |name: &str, epsilon: &dyn Fn(f64) -> bool, axis: usize| -> Vec<f64> {
        let figure = figures.iter().filter(|figure| figure.name == name);
        let of = |series: &&super::Series| {
            EPSILONS
                .iter()
                .any(|e| epsilon(*e) && series.name.split(',').next() == Some(&format!("eps = {e}")))
        };
        let series = figure.flat_map(|figure| figure.series.iter().filter(of));
        series.flat_map(|series| series.points.iter().map(|point| point[axis])).collect()
    };
    let largest = |values: Vec<f64>| values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let rows = [
        (
            "Figure 3: largest RR when p0 = .5, at most 1.25",
            largest(values("Figure 3", &|_| true, 1)),
            1.0,
            1.25,
        ),
        (
            "Figure 4: largest RR when p0 = .001 and eps >= 100, above 2",
            largest(values("Figure 4", &|e| e >= 100.0, 1)),
            2.0,
            f64::INFINITY,
        ),
        ("Figure 1: largest R when p0 = .5, near .5", largest(values("Figure 1", &|_| true, 1)), 0.5, 0.6),
        (
            "Figure 2: largest R when p0 = .001 and eps = 1000, near .9",
            largest(values("Figure 2", &|e| e == 1000.0, 1)),
            0.75,
            1.0,
        ),
        ("Figure 1: mean U at eps = .01, 2 to 2.7", mean(values("Figure 1", &|e| e == 0.01, 0)), 2.0, 2.7),
        ("Figure 1: mean U at eps = 2, .25 to 1.1", mean(values("Figure 1", &|e| e == 2.0, 0)), 0.25, 1.1),
    ];
    for (row, ours, low, high) in rows {
        table.cells.push(Cell::new(row, "ours", None, Ours::exact(ours), Rule::Expect { low, high }));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_posterior_is_that_of_two_binomials() {
        // R: a <- 1/expm1(1); d <- dbinom(3, 1000, c(1 + a, a)/(1000 + 2*a)); d[1]/sum(d)
        assert!((posterior(1, 3, 1000.0, 0.5) - 0.881_120_251).abs() < 1e-8);
        // A record with value 0 among 1000 of them is as a 1 among 1000.
        assert!((posterior(0, 3, 100.0, 0.3) - posterior(1000, 997, 100.0, 0.3)).abs() < 1e-12);
    }

    #[test]
    fn a_wrong_number_does_not_pass() {
        assert!(
            table_1(&TABLE_1)
                .iter()
                .flat_map(|table| &table.cells)
                .all(|cell| cell.verdict == super::super::Verdict::Agrees)
        );
        let mut wrong = TABLE_1;
        wrong[2][3] = 0.00421;
        let failed = |cell: &&Cell| cell.verdict == super::super::Verdict::Fails;
        assert_eq!(table_1(&wrong)[0].cells.iter().filter(failed).count(), 1);
    }
}
