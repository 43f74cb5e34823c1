//! `quantile`: quantile regression at the midpoints of equal bins of (0, 1] (Pistner, Slavković & Vilhuber 2018; Taub et al. 2020, C.2).
//!
//! A uniform draw picks the bin, and the bin's regression gives the number. Categories are recoded by the rank of their frequency, drawn as
//! numbers, and cut back: the cut-offs are those quantiles of the draws which the original shares of the categories name, so that the
//! shares are kept ("quantile cut-offs for each of these levels was calculated from the original codings. Then, the predicted value for
//! each of these quantiles was calculated from the predictions", C.2). The quantiles of a few draws say little: these are cut where
//! such draws for the original records are. Draws that are equal are told apart by chance.

use rand::RngExt;
use statistics::regression::quantile;

use super::conditional::{Conditional, Draws, Given, Response, Task};
use super::design_matrix::{DesignPlan, failed};
use super::surroundings::{Conditioning, Drawing};
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name of the method.
pub(super) const NAME: &str = "quantile";

/// The name under which it is stored how many bins there are, and whether they are of ranks of categories.
const BINS: &str = "bins";

const OTHER_BINS: &str = "its quantile regressions are not those of its bins";

/// How far equal draws of ranks are moved, at most, to tell them apart.
const MOVE: f64 = 1e-3;

/// From this many draws on their own quantiles are the cut-offs.
const MANY: usize = 500;

#[derive(Clone, Debug)]
struct Quantile {
    plan: DesignPlan,
    /// The coefficients of each bin.
    bins: Vec<Vec<f64>>,
    categories: Option<Ranks>,
    remark: Option<String>,
}

/// Categories by the rank of their frequency; for each but the last, the share of the records that it and those before it hold, and the
/// cut-off above it among draws for the original records.
#[derive(Clone, Debug, PartialEq)]
struct Ranks {
    by_frequency: Vec<u32>,
    shares: Vec<f64>,
    cut_offs: Vec<f64>,
}

impl Ranks {
    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.array("categories by frequency", &self.by_frequency)?;
        into.array("shares", &self.shares)?;
        into.array("cut-offs", &self.cut_offs)
    }

    /// Ranks of this many categories.
    fn load(from: &mut StateReader<'_>, size: u32) -> Result<Self, SynthesisError> {
        let by_frequency: Vec<u32> = from.array("categories by frequency")?;
        let (shares, cut_offs): (Vec<f64>, Vec<f64>) = (from.array("shares")?, from.array("cut-offs")?);
        let mut codes = by_frequency.clone();
        codes.sort_unstable();
        let are_fine = codes.iter().copied().eq(0..size)
            && shares.len() + 1 == codes.len()
            && cut_offs.len() == shares.len()
            && shares.iter().all(|share| (0.0..=1.0).contains(share))
            && cut_offs.iter().all(|cut_off| cut_off.is_finite());
        ensure(are_fine, "its categories are not ranked")?;
        Ok(Self { by_frequency, shares, cut_offs })
    }
}

/// Fits the bins.
pub(super) fn fit(task: &Task<'_>) -> Result<Box<dyn Conditional>, SynthesisError> {
    let plan = DesignPlan::learn(task);
    let design = plan.design(&task.given, task.rows)?;
    let bins = task.settings.bins;
    let taus: Vec<f64> = (0..bins).map(|bin| (f64::from(bin) + 0.5) / f64::from(bins)).collect();
    let fit_bins =
        |response: &[f64]| quantile(&design, response, None, &taus).map_err(|error| failed(&error));
    let complete = |fits: &[statistics::regression::QuantileFit]| -> Vec<Vec<f64>> {
        fits.iter().map(|fit| fit.coefficients.iter().map(|one| one.unwrap_or(0.0)).collect()).collect()
    };
    let remark = |fits: &[statistics::regression::QuantileFit]| {
        let open = fits.iter().filter(|fit| !fit.optimal).count();
        let warning =
            (open > 0).then(|| format!("{open} of {bins} quantile regressions stopped before the optimum"));
        plan.remark(task, &fits.first()?.coefficients, warning.as_deref())
    };
    match task.response {
        Response::Numbers(numbers) => {
            let fits = fit_bins(numbers)?;
            let remark = remark(&fits);
            Ok(Box::new(Quantile { plan, bins: complete(&fits), categories: None, remark }))
        }
        Response::Categories { codes, size } => {
            let mut count = vec![0_usize; size as usize];
            codes.iter().for_each(|code| count[*code as usize] += 1);
            let mut by_frequency: Vec<u32> = (0..size).collect();
            by_frequency.sort_by_key(|code| (std::cmp::Reverse(count[*code as usize]), *code));
            let mut rank = vec![0.0; size as usize];
            by_frequency
                .iter()
                .zip(1_u32..)
                .for_each(|(code, place)| rank[*code as usize] = f64::from(place));
            let ranks: Vec<f64> = codes.iter().map(|code| rank[*code as usize]).collect();
            let fits = fit_bins(&ranks)?;
            let remark = remark(&fits);
            let mut model = Quantile { plan, bins: complete(&fits), categories: None, remark };
            let mut draws = model.numbers(&task.given, task.rows, MOVE, &mut task.seed.stream(0))?;
            draws.sort_unstable_by(f64::total_cmp);
            let held = by_frequency[..by_frequency.len() - 1].iter().scan(0, |held, code| {
                *held += count[*code as usize];
                Some(*held)
            });
            let held: Vec<usize> = held.collect();
            let shares = held.iter().map(|held| *held as f64 / codes.len() as f64).collect();
            let cut_offs = held.iter().map(|held| draws[held - 1]).collect();
            model.categories = Some(Ranks { by_frequency, shares, cut_offs });
            Ok(Box::new(model))
        }
    }
}

/// A fit from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let (bins, has_ranks): (usize, bool) = from.settings(BINS)?;
    ensure(bins > 0 && has_ranks == (of.draws != Drawing::Numbers), OTHER_BINS)?;
    let (plan, remark) = DesignPlan::load(from, of)?;
    let coefficients: Vec<f64> = from.array("coefficients")?;
    let are_fine = bins.checked_mul(plan.columns()) == Some(coefficients.len())
        && coefficients.iter().all(|coefficient| coefficient.is_finite());
    ensure(are_fine, OTHER_BINS)?;
    let bins = coefficients.chunks_exact(plan.columns()).map(<[f64]>::to_vec).collect();
    let categories = if has_ranks { Some(Ranks::load(from, of.categories()?)?) } else { None };
    Ok(Box::new(Quantile { plan, bins, categories, remark }))
}

impl Quantile {
    /// A number for each record: that of a bin drawn by chance, moved up by less than `most`.
    fn numbers(
        &self,
        given: &Given<'_>,
        rows: &[u32],
        most: f64,
        rng: &mut Rng,
    ) -> Result<Vec<f64>, SynthesisError> {
        let chosen: Vec<(usize, f64)> =
            rows.iter().map(|_| (rng.random_range(0..self.bins.len()), most * rng.random::<f64>())).collect();
        let mut numbers = vec![0.0; rows.len()];
        for (bin, coefficients) in self.bins.iter().enumerate() {
            let places: Vec<usize> = (0..rows.len()).filter(|place| chosen[*place].0 == bin).collect();
            if places.is_empty() {
                continue;
            }
            let of: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
            let predicted = self.plan.design(given, &of)?.linear_predictor(coefficients);
            places
                .into_iter()
                .zip(predicted)
                .for_each(|(place, number)| numbers[place] = number + chosen[place].1);
        }
        Ok(numbers)
    }
}

/// The quantiles of these draws at these shares, so that each share is kept to one record; `part` of a record is rounded up, and with a
/// uniform part a category too rare for a record of its own has one now and then.
fn own_cut_offs(draws: &[f64], shares: &[f64], part: f64) -> Vec<f64> {
    let mut sorted = draws.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut_off = |share: &f64| {
        let held = (share * sorted.len() as f64 + part).floor() as usize;
        held.checked_sub(1).map_or(f64::NEG_INFINITY, |last| sorted[last.min(sorted.len() - 1)])
    };
    shares.iter().map(cut_off).collect()
}

impl Conditional for Quantile {
    fn method(&self) -> &'static str {
        NAME
    }

    fn draw(
        &self,
        given: &Given<'_>,
        _: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        match &self.categories {
            None => Ok(Draws::Numbers(self.numbers(given, rows, 0.0, rng)?)),
            Some(ranks) => {
                let numbers = self.numbers(given, rows, MOVE, rng)?;
                let own =
                    (numbers.len() >= MANY).then(|| own_cut_offs(&numbers, &ranks.shares, rng.random()));
                let cut_offs = own.as_ref().unwrap_or(&ranks.cut_offs);
                let category =
                    |number: f64| ranks.by_frequency[cut_offs.partition_point(|cut_off| *cut_off < number)];
                Ok(Draws::Codes(numbers.into_iter().map(category).collect()))
            }
        }
    }

    /// Quantile regression has no posterior here; a recipe that asks for one is refused before.
    fn with_drawn_parameters(&self, _: Seed) -> Box<dyn Conditional> {
        Box::new(self.clone())
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(BINS, &(self.bins.len(), self.categories.is_some()))?;
        self.plan.store(self.remark.as_deref(), into)?;
        let count = self.bins.iter().map(Vec::len).sum();
        into.numbers("coefficients", count, self.bins.iter().flatten().copied())?;
        self.categories.iter().try_for_each(|ranks| ranks.store(into))
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_draws_are_cut_where_the_original_shares_are_kept() {
        // Shares of 0.5, 0.3, 0.1999 and 0.0001, whatever the draws are like.
        let draws: Vec<f64> = (0..1000).map(|draw| f64::from((draw * 617) % 1000).powi(2)).collect();
        let shares = [0.5, 0.8, 0.9999];
        let held = |part: f64| -> Vec<usize> {
            let cut_offs = own_cut_offs(&draws, &shares, part);
            let below = |cut_off: &f64| draws.iter().filter(|draw| **draw <= *cut_off).count();
            cut_offs.iter().map(below).collect()
        };
        assert_eq!(held(0.5), [500, 800, 1000]);
        assert_eq!(held(0.05), [500, 800, 999], "the rarest has its record once in ten times");
        assert_eq!(own_cut_offs(&[3.0, 1.0], &[0.2], 0.5), [f64::NEG_INFINITY]);
        assert_eq!(own_cut_offs(&[3.0, 1.0], &[0.2], 0.7), [1.0]);
    }
}
