//! Skewed categories in two stages (Snoke, Pistner & Slavković in Taub et al. 2020): first whether a record has one of the few frequent
//! levels or one of the many rare ones, then which of these.

use super::apart::are_codes;
use super::conditional::{self, Conditional, Draws, Given, Response, Task};
use super::fitted_variable::dense_codes;
use super::surroundings::{Conditioning, Drawing};
use super::variable_methods::{self, VariableMethod};
use crate::SynthesisError;
use crate::randomness::{Rng, Seed};
use crate::stored::{StateReader, StateWriter, ensure};

/// The name under which a fit in two stages is stored.
pub(super) const NAME: &str = "two-stage";

/// The name under which the levels of both groups are stored.
const LEVELS: &str = "groups of levels";

/// Levels are split in two groups if at most this share of them …
const FEW_LEVELS: f64 = 1.0 / 3.0;

/// … holds more than this share of the records.
const MOST_RECORDS: f64 = 0.75;

#[derive(Debug)]
struct TwoStage {
    /// Frequent or rare.
    group: Box<dyn Conditional>,
    /// The levels of each group, and which of them, if there are several.
    within: [Group; 2],
}

/// Levels, and the model of which of them it is if there are several.
type Group = (Vec<u32>, Option<Box<dyn Conditional>>);

/// Fits a method, in two stages where the settings ask for it and the categories are skewed.
pub(super) fn fit(
    task: &Task<'_>,
    method: &'static VariableMethod,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, size } = task.response else {
        return variable_methods::fit(method, task);
    };
    let frequent = if task.settings.two_stage { frequent_levels(codes, size) } else { None };
    match frequent {
        Some(frequent) => fit_groups(task, &frequent, task.settings.first_stage.unwrap_or(method), method),
        None => variable_methods::fit(method, task),
    }
}

/// Fits whether a record has the last category, which is missing, by logistic regression, and which of the others by the method.
pub(super) fn missing_apart(
    task: &Task<'_>,
    method: &'static VariableMethod,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, size } = task.response else {
        return variable_methods::fit(method, task);
    };
    // Within a cell nobody may be missing, or everybody.
    if size < 2 || !codes.contains(&(size - 1)) {
        return variable_methods::fit(method, task);
    }
    let mut there = vec![true; size as usize];
    there[size as usize - 1] = false;
    fit_groups(task, &there, task.settings.first_stage.unwrap_or(method.for_marks(2)), method)
}

/// Fits which of two groups a record's category is in, then which of the group.
fn fit_groups(
    task: &Task<'_>,
    first: &[bool],
    between: &'static VariableMethod,
    within: &'static VariableMethod,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let Response::Categories { codes, size } = task.response else {
        return variable_methods::fit(within, task);
    };
    let groups: Vec<u32> = codes.iter().map(|code| u32::from(!first[*code as usize])).collect();
    let response = Response::Categories { codes: &groups, size: 2 };
    let group = variable_methods::fit(between, &Task { response, seed: task.seed.child(10), ..*task })?;
    let part = |group: u32| -> Result<Group, SynthesisError> {
        let in_group = |place: &usize| groups[*place] == group;
        let places: Vec<usize> = (0..codes.len()).filter(in_group).collect();
        let rows: Vec<u32> = places.iter().map(|place| task.rows[*place]).collect();
        let of_group: Vec<u32> = places.iter().map(|place| codes[*place]).collect();
        let (levels, dense) = dense_codes(&of_group, size as usize);
        if levels.len() < 2 {
            return Ok((levels, None));
        }
        let response = Response::Categories { codes: &dense, size: levels.len() as u32 };
        let seed = task.seed.child(11 + u64::from(group));
        let model = variable_methods::fit(within, &Task { rows: &rows, response, seed, ..*task })?;
        Ok((levels, Some(model)))
    };
    Ok(Box::new(TwoStage { group, within: [part(0)?, part(1)?] }))
}

/// Which levels are the few that hold most records; `None` where the levels are not skewed.
fn frequent_levels(codes: &[u32], size: u32) -> Option<Vec<bool>> {
    let mut count = vec![0_u64; size as usize];
    codes.iter().for_each(|code| count[*code as usize] += 1);
    let mut order: Vec<usize> = (0..count.len()).collect();
    order.sort_by_key(|level| (std::cmp::Reverse(count[*level]), *level));
    let few = (f64::from(size) * FEW_LEVELS).floor() as usize;
    let enough = codes.len() as f64 * MOST_RECORDS;
    let mut frequent = vec![false; count.len()];
    let mut held = 0;
    for level in order.into_iter().take(few) {
        frequent[level] = true;
        held += count[level];
        if held as f64 > enough {
            return Some(frequent);
        }
    }
    None
}

/// A fit in two stages from its stored state.
pub(super) fn load(
    from: &mut StateReader<'_>,
    of: Conditioning<'_>,
) -> Result<Box<dyn Conditional>, SynthesisError> {
    let size = of.categories()?;
    let levels: [Vec<u32>; 2] = from.settings(LEVELS)?;
    let are_groups = levels.iter().all(|levels| are_codes(levels, size));
    ensure(are_groups, "the two groups of levels are not of the variable's levels")?;
    let group = conditional::load(from, of.part(Drawing::Categories(2))?)?;
    let mut within = |levels: Vec<u32>| -> Result<Group, SynthesisError> {
        let part = of.part(Drawing::Categories(levels.len() as u32))?;
        let model = if levels.len() > 1 { Some(conditional::load(from, part)?) } else { None };
        Ok((levels, model))
    };
    let [first, second] = levels;
    Ok(Box::new(TwoStage { group, within: [within(first)?, within(second)?] }))
}

impl Conditional for TwoStage {
    fn method(&self) -> &'static str {
        NAME
    }

    fn draw(
        &self,
        given: &Given<'_>,
        predictors: &[usize],
        rows: &[u32],
        rng: &mut Rng,
    ) -> Result<Draws, SynthesisError> {
        let mut drawn = self.group.draw(given, predictors, rows, rng)?.codes();
        for (group, (levels, model)) in self.within.iter().enumerate() {
            let places: Vec<usize> = (0..rows.len()).filter(|place| drawn[*place] == group as u32).collect();
            let of: Vec<u32> = places.iter().map(|place| rows[*place]).collect();
            let codes = match model {
                Some(model) => model.draw(given, predictors, &of, rng)?.codes(),
                None => vec![0; of.len()],
            };
            // Marked as done by an offset that no group number reaches, taken off below.
            places.into_iter().zip(codes).for_each(|(place, code)| drawn[place] = 2 + levels[code as usize]);
        }
        Ok(Draws::Codes(drawn.into_iter().map(|code| code - 2).collect()))
    }

    fn with_drawn_parameters(&self, seed: Seed) -> Box<dyn Conditional> {
        let part = |at: usize| {
            let (levels, model) = &self.within[at];
            (
                levels.clone(),
                model.as_ref().map(|model| model.with_drawn_parameters(seed.child(1 + at as u64))),
            )
        };
        Box::new(Self { group: self.group.with_drawn_parameters(seed.child(0)), within: [part(0), part(1)] })
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        into.settings(LEVELS, &[&self.within[0].0, &self.within[1].0])?;
        conditional::store(self.group.as_ref(), into)?;
        let models = self.within.iter().filter_map(|(_, model)| model.as_ref());
        models.into_iter().try_for_each(|model| conditional::store(model.as_ref(), into))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_when_a_third_of_the_levels_holds_over_three_quarters() {
        let codes = |counts: &[usize]| -> Vec<u32> {
            counts
                .iter()
                .enumerate()
                .flat_map(|(code, count)| std::iter::repeat_n(code as u32, *count))
                .collect()
        };
        // Marital status of the challenge: two of six levels hold 85 %.
        let marital = codes(&[7, 60, 25, 4, 3, 1]);
        assert_eq!(frequent_levels(&marital, 6), Some(vec![false, true, true, false, false, false]));
        assert_eq!(frequent_levels(&codes(&[76, 12, 12]), 3), Some(vec![true, false, false]));
        assert_eq!(frequent_levels(&codes(&[75, 13, 12]), 3), None, "not more than three quarters");
        assert_eq!(frequent_levels(&codes(&[90, 10]), 2), None, "a third of two levels is none");
    }
}
