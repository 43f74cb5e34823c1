//! Metropolis within Gibbs.

use rand::RngExt;
use rand_distr::{Beta, Distribution, Gamma};
use statrs::function::gamma::ln_gamma;
use synthesis::randomness::{Rng, Seed};

use super::{Moments, PredictiveRelease};
use crate::Target;
use crate::interval::{Interval, Level};
use crate::shares::Shares;

/// How the counts y are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountStep {
    /// One record at a time, given the shares p: McClure & Reiter's own step.
    GivenShares,
    /// 1 to N records at a time, the shares integrated out.
    SharesIntegratedOut,
}

/// How long and how the sampler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerSettings {
    /// The step for y.
    pub step: CountStep,
    /// Sweeps that are thrown away first.
    pub burn_in: usize,
    /// Sweeps that are kept.
    pub sweeps: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for SamplerSettings {
    fn default() -> Self {
        Self { step: CountStep::SharesIntegratedOut, burn_in: 2_000, sweeps: 40_000, seed: 1 }
    }
}

/// What the sampler says of some shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// In the order of the shares that were asked for.
    pub shares: Vec<ShareSummary>,
    /// The share of proposed moves that were made.
    pub accepted: f64,
}

/// The posterior of one share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareSummary {
    /// Mean and variance.
    pub moments: Moments,
    /// The equal-tailed interval.
    pub interval: Interval,
    /// The standard error of the mean that is due to the sampler itself, by means of 20 batches.
    pub monte_carlo_error: f64,
}

const BATCHES: usize = 20;
/// Draws that are kept for quantiles.
const KEPT: usize = 8_000;

/// Samples the posterior of shares of cells: of the population's shares p, or of the original records' shares y/N.
pub fn sample(
    release: &PredictiveRelease,
    shares: &Shares,
    target: Target,
    level: Level,
    settings: SamplerSettings,
) -> Posterior {
    let mut chain = Chain::new(release, settings);
    (0..settings.burn_in).for_each(|_| chain.sweep());
    (chain.proposed, chain.made) = (0, 0);
    let mut tallies: Vec<Tally> = shares.shares.iter().map(|_| Tally::default()).collect();
    let thinning = settings.sweeps.div_ceil(KEPT).max(1);
    let batch = settings.sweeps.div_ceil(BATCHES).max(1);
    let mut totals = vec![0; shares.groups.len()];
    let prior_of = |cells: &Vec<usize>| cells.iter().map(|cell| release.analyst_prior[*cell]).sum::<f64>();
    let total_priors: Vec<f64> = shares.groups.iter().map(prior_of).collect();
    for sweep in 0..settings.sweeps {
        chain.sweep();
        for (total, cells) in totals.iter_mut().zip(&shares.groups) {
            *total = cells.iter().map(|cell| chain.counts[*cell]).sum::<u64>();
        }
        for (tally, share) in tallies.iter_mut().zip(&shares.shares) {
            let of = OfGroup {
                count: chain.counts[share.cell] as f64,
                total: totals[share.group] as f64,
                prior: release.analyst_prior[share.cell],
                total_prior: total_priors[share.group],
            };
            tally.add(of, target, batch);
            if sweep % thinning == 0 {
                tally.keep(of, target, &mut chain.rng);
            }
        }
    }
    Posterior {
        shares: tallies.into_iter().map(|tally| tally.summary(level)).collect(),
        accepted: chain.made as f64 / chain.proposed.max(1) as f64,
    }
}

struct Chain<'a> {
    release: &'a PredictiveRelease,
    step: CountStep,
    counts: Vec<u64>,
    ln_shares: Vec<f64>,
    /// ⌊log₂ N⌋: moves are of 1 to 2^e records, e even on 0 to this.
    largest_power: u32,
    proposed: u64,
    made: u64,
    rng: Rng,
}

impl<'a> Chain<'a> {
    fn new(release: &'a PredictiveRelease, settings: SamplerSettings) -> Self {
        let mut chain = Self {
            release,
            step: settings.step,
            counts: start(release),
            ln_shares: Vec::new(),
            largest_power: release.original_rows.ilog2(),
            proposed: 0,
            made: 0,
            rng: Seed::new(settings.seed).stream(0),
        };
        chain.draw_shares();
        chain
    }

    /// As many moves as there are cells, but one for two cells given the shares, as in the paper; then the shares.
    fn sweep(&mut self) {
        let cells = self.counts.len();
        let moves = if cells == 2 && self.step == CountStep::GivenShares { 1 } else { 2 * cells };
        for _ in 0..moves {
            self.propose();
        }
        self.draw_shares();
    }

    fn propose(&mut self) {
        let cells = self.counts.len();
        let from = self.rng.random_range(0..cells);
        let mut to = self.rng.random_range(0..cells - 1);
        to += usize::from(to >= from);
        let records = match self.step {
            CountStep::GivenShares => 1,
            CountStep::SharesIntegratedOut => {
                let power = self.rng.random_range(0..=self.largest_power);
                self.rng.random_range(1..=1_u64 << power)
            }
        };
        self.proposed += 1;
        // The way back is as likely as the way there; where there is nothing to move, nothing is moved.
        if self.counts[from] < records {
            return;
        }
        let gain = self.gain(from, self.counts[from] - records) + self.gain(to, self.counts[to] + records);
        if gain >= 0.0 || self.rng.random::<f64>() < gain.exp() {
            self.counts[from] -= records;
            self.counts[to] += records;
            self.made += 1;
        }
    }

    /// By how much the log posterior grows when a cell gets this count.
    fn gain(&self, cell: usize, count: u64) -> f64 {
        let (old, new) = (self.counts[cell] as f64, count as f64);
        let likelihood =
            self.release.ln_likelihood(cell, count) - self.release.ln_likelihood(cell, self.counts[cell]);
        let prior = self.release.analyst_prior[cell];
        likelihood
            + match self.step {
                CountStep::GivenShares => {
                    (new - old) * self.ln_shares[cell] - ln_gamma(new + 1.0) + ln_gamma(old + 1.0)
                }
                // Γ(y + 1)/y! is 1.
                CountStep::SharesIntegratedOut if prior == 1.0 => 0.0,
                CountStep::SharesIntegratedOut => {
                    ln_gamma(new + prior) - ln_gamma(new + 1.0) - ln_gamma(old + prior) + ln_gamma(old + 1.0)
                }
            }
    }

    /// p ~ Dirichlet(y + g), needed only where the next move looks at it.
    fn draw_shares(&mut self) {
        if self.step != CountStep::GivenShares {
            return;
        }
        let rng = &mut self.rng;
        let gammas = self.counts.iter().zip(&self.release.analyst_prior).map(|(count, prior)| {
            let gamma = Gamma::new(*count as f64 + prior, 1.0).expect("a positive shape");
            gamma.sample(rng).max(f64::MIN_POSITIVE)
        });
        let gammas: Vec<f64> = gammas.collect();
        let ln_total = gammas.iter().sum::<f64>().ln();
        self.ln_shares = gammas.iter().map(|gamma| gamma.ln() - ln_total).collect();
    }
}

/// The moment estimate of y, made whole: s/n (N + Σa) − a, at least 0, scaled to N.
fn start(release: &PredictiveRelease) -> Vec<u64> {
    let rows = release.original_rows;
    let n = release.released.iter().sum::<u64>().max(1) as f64;
    let total = rows as f64 + release.prior_weights.iter().sum::<f64>();
    let guess = release.released.iter().zip(&release.prior_weights);
    let guess: Vec<f64> = guess.map(|(s, a)| (*s as f64 / n * total - a).max(0.0)).collect();
    let sum: f64 = guess.iter().sum();
    let mut counts: Vec<u64> = if sum > 0.0 {
        guess.iter().map(|one| (one / sum * rows as f64).floor() as u64).collect()
    } else {
        vec![rows / release.cells() as u64; release.cells()]
    };
    let mut left = rows.saturating_sub(counts.iter().sum());
    let cells = counts.len();
    for cell in (0..cells).cycle() {
        if left == 0 {
            break;
        }
        counts[cell] += 1;
        left -= 1;
    }
    counts
}

/// A cell's count among its group.
#[derive(Clone, Copy)]
struct OfGroup {
    count: f64,
    total: f64,
    prior: f64,
    total_prior: f64,
}

impl OfGroup {
    /// Given y the share of a cell is Beta(y_c + g_c, Σ'(y + g)), the sum over the others of its group.
    fn beta(self) -> (f64, f64) {
        (self.count + self.prior, self.total - self.count + self.total_prior - self.prior)
    }

    /// The share in the original; without a record in the group it is not defined, and its prior mean stands for it.
    fn original(self) -> f64 {
        if self.total > 0.0 { self.count / self.total } else { self.prior / self.total_prior }
    }
}

/// Sums over sweeps, Rao-Blackwellised: given y, a population share is Beta, whose mean and variance are known.
#[derive(Default)]
struct Tally {
    sweeps: usize,
    mean: f64,
    square: f64,
    variance: f64,
    batch_sum: f64,
    batch_means: Vec<f64>,
    kept: Vec<f64>,
}

impl Tally {
    fn add(&mut self, of: OfGroup, target: Target, batch: usize) {
        let (mean, variance) = match target {
            Target::Population => {
                let (a, b) = of.beta();
                let sum = a + b;
                (a / sum, a * b / (sum * sum * (sum + 1.0)))
            }
            Target::Original => (of.original(), 0.0),
        };
        self.sweeps += 1;
        self.mean += mean;
        self.square += mean * mean;
        self.variance += variance;
        self.batch_sum += mean;
        if self.sweeps.is_multiple_of(batch) {
            self.batch_means.push(self.batch_sum / batch as f64);
            self.batch_sum = 0.0;
        }
    }

    fn keep(&mut self, of: OfGroup, target: Target, rng: &mut Rng) {
        self.kept.push(match target {
            Target::Population => {
                let (a, b) = of.beta();
                Beta::new(a, b).map_or(a / (a + b), |beta| beta.sample(rng))
            }
            Target::Original => of.original(),
        });
    }

    fn summary(mut self, level: Level) -> ShareSummary {
        let sweeps = self.sweeps as f64;
        let mean = self.mean / sweeps;
        let variance = (self.square / sweeps - mean * mean).max(0.0) + self.variance / sweeps;
        let batches = self.batch_means.len() as f64;
        let spread: f64 = self.batch_means.iter().map(|batch| (batch - mean).powi(2)).sum();
        self.kept.sort_unstable_by(f64::total_cmp);
        let at = |probability: f64| self.kept[((self.kept.len() - 1) as f64 * probability).round() as usize];
        ShareSummary {
            moments: Moments { mean, variance },
            interval: Interval { low: at(level.tail()), high: at(1.0 - level.tail()) },
            monte_carlo_error: (spread / (batches - 1.0).max(1.0) / batches.max(1.0)).sqrt(),
        }
    }
}
