//! `quantile`: quantile regression at the midpoints of equal bins of (0, 1] (Pistner, Slavković & Vilhuber 2018; Taub et al. 2020, C.2).
//!
//! A uniform draw picks the bin, and the bin's regression gives the number. Categories are recoded by the rank of their frequency, drawn as
//! numbers, and cut back: the cut-offs are those quantiles of such draws for the original records which the original shares of the
//! categories name. Draws that are equal are told apart by chance, so that shares are kept where a category holds most records.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use statistics::regression::quantile;

use super::conditional::{Conditional, Draws, Given, Response, Task, from_state};
use super::design_matrix::{DesignPlan, failed};
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};

/// The name of the method.
pub(super) const NAME: &str = "quantile";

/// How far equal draws of ranks are moved, at most, to tell them apart.
const MOVE: f64 = 1e-3;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Quantile {
    plan: DesignPlan,
    /// The coefficients of each bin.
    bins: Vec<Vec<f64>>,
    categories: Option<Ranks>,
    remark: Option<String>,
}

/// Categories by the rank of their frequency, and the cut-offs between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Ranks {
    by_frequency: Vec<u32>,
    cut_offs: Vec<f64>,
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
        (open > 0).then(|| format!("{open} of {bins} quantile regressions stopped before the optimum"))
    };
    match task.response {
        Response::Numbers(numbers) => {
            let fits = fit_bins(numbers)?;
            Ok(Box::new(Quantile { plan, bins: complete(&fits), categories: None, remark: remark(&fits) }))
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
            let mut model = Quantile { plan, bins: complete(&fits), categories: None, remark: remark(&fits) };
            let mut draws = model.numbers(&task.given, task.rows, MOVE, &mut task.seed.stream(0))?;
            draws.sort_unstable_by(f64::total_cmp);
            let mut held = 0;
            let cut_off = |code: &u32| {
                held += count[*code as usize];
                draws[held - 1]
            };
            let cut_offs = by_frequency[..by_frequency.len() - 1].iter().map(cut_off).collect();
            model.categories = Some(Ranks { by_frequency, cut_offs });
            Ok(Box::new(model))
        }
    }
}

/// A fit from its stored state.
pub(super) fn load(state: serde_json::Value) -> Result<Box<dyn Conditional>, SynthesisError> {
    from_state::<Quantile>(state)
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
            Some(Ranks { by_frequency, cut_offs }) => {
                let numbers = self.numbers(given, rows, MOVE, rng)?;
                let category =
                    |number: f64| by_frequency[cut_offs.partition_point(|cut_off| *cut_off < number)];
                Ok(Draws::Codes(numbers.into_iter().map(category).collect()))
            }
        }
    }

    /// Quantile regression has no posterior here; a recipe that asks for one is refused before.
    fn with_drawn_parameters(&self, _: Seed) -> Box<dyn Conditional> {
        Box::new(self.clone())
    }

    fn state(&self) -> serde_json::Value {
        serde_json::json!(self)
    }

    fn remark(&self) -> Option<String> {
        self.remark.clone()
    }
}
