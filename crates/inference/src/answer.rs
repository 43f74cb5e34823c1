//! One question answered: the estimate in each file, the rule that is valid, the interval.

use models::Survey;
use rayon::prelude::*;
use synthesis::Making;
use table::Table;
use table::column::Entry;
use table::figures::thousands;
use table::watch::Watch;

use crate::cautions::cautions;
use crate::combining::{between_variance, combine, mean_estimate, within_variance};
use crate::dispersion::{coverage_of_t_s, inflation_of};
use crate::estimates::{CARRIES_ANOTHER, ENTANGLED, Estimate, estimates, mean_with_known_deviation};
use crate::interval::{Interval, Level, Reference};
use crate::noise_on_cells::records_of_noise;
use crate::private_shares;
use crate::provenance::{Choice, Provenance, objections, valid_rule};
use crate::release_bootstrap::{
    Bootstrap, BootstrapInterval, Redraw, Replicate, Replicates, Resampling, basic, by_name, studentised,
    undone_apart,
};
use crate::results::{Answer, ChosenBy, Quantity, RuleUsed, SurveyFacts};
use crate::survey_estimates::survey_estimates;
use crate::{Combined, Estimand, FileEstimate, InferenceError, Rule, Target, Weights};

/// The synthetic files and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct Released<'a> {
    /// The files, all under one schema.
    pub files: &'a [Table],
    /// N, if it is known.
    pub original_rows: Option<u64>,
    /// How they were made, if it is known.
    pub provenance: Option<&'a Provenance>,
}

/// How an answer is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The rule; the valid one if none is given.
    pub rule: Option<Rule>,
    /// What the interval is for.
    pub target: Target,
    /// How often it is to cover.
    pub level: Level,
    /// How files count; by their size where the release drew that at random with much scatter, else alike, if nothing is given.
    pub weights: Option<Weights>,
    /// Quantiles by bootstrap-t instead of normal or t.
    pub bootstrap_t: Option<Resampling>,
    /// Replicates of the rule `bootstrap`, and the seed of that and of `posterior`.
    pub resampling: Resampling,
    /// Whether records count by their weight, with the standard errors of the design that the schema's roles describe.
    pub survey: bool,
}

/// What the data sets of a release say, by the names of quantities.
type Analysis<'a> = dyn Fn(&[Table]) -> Result<Vec<(String, Combined)>, InferenceError> + 'a;

impl Default for Manner {
    fn default() -> Self {
        Self {
            rule: None,
            target: Target::Population,
            level: Level::USUAL,
            weights: None,
            bootstrap_t: None,
            resampling: Resampling { replicates: 199, seed: 1 },
            survey: false,
        }
    }
}

/// Answers one question from the files.
pub fn answer(
    released: &Released<'_>,
    estimand: &Estimand,
    manner: &Manner,
) -> Result<Answer, InferenceError> {
    let mut found = answers(released, std::slice::from_ref(estimand), manner, &Watch::default())?;
    Ok(found.remove(0))
}

/// Answers questions from the files. Where intervals need releases that are made again, these are made once for all questions; `watch` hears of each, and can end the work.
pub fn answers(
    released: &Released<'_>,
    estimands: &[Estimand],
    manner: &Manner,
    watch: &Watch,
) -> Result<Vec<Answer>, InferenceError> {
    let making = released.provenance.and_then(Provenance::making);
    let mut questions = Vec::with_capacity(estimands.len());
    for estimand in estimands {
        let valid = valid_rule(making.as_ref(), estimand, released.files.len());
        let rule = manner.rule.unwrap_or(valid.rule);
        let by_size =
            matches!(making, Some(Making::RandomCounts { .. })) && matches!(rule, Rule::Tp | Rule::Ts);
        let usual = if by_size { Weights::NSyn } else { Weights::Equal };
        let weights = manner.weights.unwrap_or(usual);
        let question = Question { released, estimand, manner, weights, making: making.as_ref() };
        question.refuse(rule)?;
        questions.push((question, rule, valid));
    }
    let again: Vec<&Question<'_>> = questions
        .iter()
        .filter(|(_, rule, _)| *rule == Rule::Bootstrap)
        .map(|(question, ..)| question)
        .collect();
    let mut again = made_again(&again, watch)?.into_iter();
    let answer = |(question, rule, valid): (Question<'_>, Rule, Choice)| {
        let replicates = if rule == Rule::Bootstrap { again.next() } else { None };
        question.answer(rule, valid, replicates.transpose()?, watch)
    };
    questions.into_iter().map(answer).collect()
}

/// The replicates of each question that needs them, all from the same releases.
fn made_again(
    questions: &[&Question<'_>],
    watch: &Watch,
) -> Result<Vec<Result<Bootstrapped, InferenceError>>, InferenceError> {
    let Some(first) = questions.first() else { return Ok(Vec::new()) };
    let Some(provenance) = first.released.provenance else {
        let message = "makes the release again, and nothing says how it was made; give the release folder";
        return Err(InferenceError::rule("bootstrap", message));
    };
    let redraw = Redraw::Recipe(Box::new(provenance.recipe.clone()));
    let pooled = first.pooled()?;
    let sizes = first.sizes();
    let bootstrap = first.bootstrap(&pooled, &sizes, &redraw, first.manner.resampling)?;
    let replicates = bootstrap.replicates(watch, |files, original| {
        let of = |question: &&Question<'_>| {
            question.replicate(files, original, &|files| question.mean_estimates(files))
        };
        questions.iter().map(of).collect::<Vec<_>>()
    })?;
    // Question by question instead of release by release.
    let mut by_question: Vec<Vec<_>> = questions.iter().map(|_| Vec::new()).collect();
    let mut first_refusal = None;
    for replicate in replicates {
        match replicate {
            Ok(found) => by_question.iter_mut().zip(found).for_each(|(all, one)| all.push(one)),
            Err(error) => first_refusal = first_refusal.or(Some(error)),
        }
    }
    if let Some(error) = first_refusal
        && by_question.iter().all(Vec::is_empty)
    {
        return Err(error);
    }
    let found = |(question, all): (&&Question<'_>, Vec<_>)| {
        Ok(Bootstrapped {
            truths: estimates(&pooled, question.estimand)?,
            replicates: by_name(all.into_iter())?,
        })
    };
    Ok(questions.iter().zip(by_question).map(found).collect())
}

/// What the pooled files say, which is the truth of a bootstrap, and what its replicates say.
struct Bootstrapped {
    truths: Vec<Estimate>,
    replicates: Replicates,
}

/// Files that T_p needs where counts are more dispersed than plain draws.
const FEWEST_FOR_T_P: usize = 5;

/// Records in a class, or outside of it, that a normal interval of its share needs.
const FEWEST_FOR_A_SHARE: f64 = 10.0;

/// The bias that a bootstrap finds, in standard errors, from which it is worth a warning.
const BIAS_MATTERS: f64 = 0.25;

/// From so many standard errors between two ways to take a bias off no interval is given.
const MOST_APART: f64 = 1.0;

/// Records made of noise, as a share of N, from which they are worth a warning.
const NOISE_MATTERS: f64 = 0.05;

/// The dispersion of sizes from which weights are worth their while.
const SIZES_VARY: f64 = 0.1;

struct Question<'a> {
    released: &'a Released<'a>,
    estimand: &'a Estimand,
    manner: &'a Manner,
    weights: Weights,
    making: Option<&'a Making>,
}

impl Question<'_> {
    /// Refuses what cannot be answered, before any work.
    fn refuse(&self, rule: Rule) -> Result<(), InferenceError> {
        if self.released.files.is_empty() {
            return Err(InferenceError::Option {
                option: "the synthetic files",
                message: "are missing; name at least one".into(),
            });
        }
        self.refuse_what_is_not_honoured(rule)?;
        self.refuse_other_baselines()
    }

    fn answer(
        &self,
        rule: Rule,
        valid: Choice,
        replicates: Option<Bootstrapped>,
        watch: &Watch,
    ) -> Result<Answer, InferenceError> {
        let files = self.released.files;
        let by_file = files
            .par_iter()
            .map(|table| self.estimates(table))
            .collect::<Result<Vec<Vec<Estimate>>, InferenceError>>()?;
        let by_file = with_one_meaning(by_file);
        let mut quantities = self.by_name(&by_file);
        match rule {
            Rule::Posterior => {
                private_shares::fill(self.released, self.estimand, self.manner, &mut quantities)?
            }
            Rule::Bootstrap => {
                if let Some(found) = replicates {
                    self.fill_by_bootstrap(&found, &mut quantities);
                }
            }
            _ => self.fill_by_rule(rule, &mut quantities, watch)?,
        }
        let family = match self.estimand {
            Estimand::Model { family, .. } => Some(family.name().to_owned()),
            _ => None,
        };
        let card = rule.card();
        Ok(Answer {
            asked: self.estimand.to_string(),
            family,
            survey: if self.manner.survey { self.survey_facts()? } else { None },
            rule: RuleUsed {
                rule,
                formula: match self.manner.bootstrap_t {
                    Some(_) => format!("{}, quantiles by bootstrap-t", card.variance_for(self.manner.target)),
                    None => card.formula_for(self.manner.target).into(),
                },
                chosen_by: match (self.manner.rule, self.released.provenance) {
                    (Some(_), _) => ChosenBy::User,
                    (None, Some(_)) => ChosenBy::Manifest,
                    (None, None) => ChosenBy::Default,
                },
                because: valid.because,
                citation: card.citation.into(),
                valid_rule: valid.rule,
                weights: self.weights,
            },
            warnings: self.warnings(rule, &quantities)?,
            quantities,
        })
    }

    fn refuse_what_is_not_honoured(&self, rule: Rule) -> Result<(), InferenceError> {
        let computed = matches!(rule, Rule::Posterior | Rule::Bootstrap);
        let refuse = |message: &str| Err(InferenceError::rule(rule.name(), message));
        if self.manner.survey && (computed || self.manner.bootstrap_t.is_some()) {
            return refuse(
                "makes the release again, and knows no weights of records; ask for the unweighted answer",
            );
        }
        if self.manner.weights.is_some() && (computed || rule == Rule::Pooled) {
            return refuse("has no weights; leave --weights out");
        }
        if self.manner.weights == Some(Weights::NSyn) && self.released.files.len() == 1 {
            return refuse("has one file, which needs no weight; leave --weights out");
        }
        let again = self.manner.bootstrap_t.is_some();
        if again && computed {
            return refuse("has its own interval; leave --bootstrap-t out");
        }
        let Some(provenance) = self.released.provenance else { return Ok(()) };
        if self.released.original_rows.is_none() && (rule.card().needs_original_rows || again) {
            return refuse(
                "needs the number of original records, and this release says only how many records it has itself (`rows` was stated, `records` was not); \
                 give --original-rows N",
            );
        }
        if matches!(self.making, Some(Making::KnownDeviation { .. })) && (again || rule == Rule::Bootstrap) {
            return refuse(&format!(
                "would make the release again, and draws of `{}` are not bound to the declared range that this needs; leave --rule and --bootstrap-t out",
                provenance.recipe.method
            ));
        }
        if matches!(self.making, Some(Making::Settled { .. })) && !computed {
            return refuse(
                "has no meaning for this release: its records were moved to agree with tables, so that a file is no sample and its scatter says nothing of the error of an \
                 estimate; leave --rule out (the release is made again), or ask for a release with `rows = \"drawn\"`",
            );
        }
        if provenance.is_raked() && self.manner.target == Target::Original {
            return refuse(
                "has no estimate of the original data: the model was raked to published totals and describes their population; leave --target out",
            );
        }
        if provenance.is_raked() && again {
            return refuse(
                "would rake the release again, and the published totals do not travel with it; leave --bootstrap-t out",
            );
        }
        self.refuse_mere_noise(rule, provenance)
    }

    /// A number made a factor has its smallest value as baseline, which must be the same in all files.
    fn refuse_other_baselines(&self) -> Result<(), InferenceError> {
        let Estimand::Model { formula, .. } = self.estimand else { return Ok(()) };
        for name in formula.factors() {
            let smallest = |table: &Table| {
                let column = table.column(name).ok()?;
                let values = (0..column.len()).filter_map(|row| match column.number(row) {
                    Some(Entry::Value(value)) => Some(value),
                    _ => None,
                });
                values.min_by(f64::total_cmp)
            };
            let mut of_files = self.released.files.iter().map(smallest);
            let first = of_files.next();
            if of_files.any(|other| Some(other) != first) {
                let message = "its smallest value, the baseline of `factor`, is not the same in all files; declare it categorical in the schema (--schema)";
                return Err(InferenceError::variable(name, message));
            }
        }
        Ok(())
    }

    /// A bootstrap of records most of which noise has made says nothing of the data.
    fn refuse_mere_noise(&self, rule: Rule, provenance: &Provenance) -> Result<(), InferenceError> {
        let files = self.released.files;
        match (rule, self.released.original_rows, records_of_noise(provenance, files[0].schema())?) {
            (Rule::Bootstrap, Some(rows), Some((noise, cells))) if noise >= rows as f64 => {
                Err(InferenceError::rule(
                    rule.name(),
                    format!(
                        "cannot undo the noise of this release: on {cells:.0} cells it makes up to {noise:.0} records out of nothing, beside {rows} original ones; ask for a \
                         release of margins, or with fewer cells or a larger epsilon"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    /// What a table says, with what the release says of its variance.
    fn estimates(&self, table: &Table) -> Result<Vec<Estimate>, InferenceError> {
        if self.manner.survey {
            return match Survey::of(table)? {
                Some(survey) => survey_estimates(table, self.estimand, &survey),
                None => Err(InferenceError::Option {
                    option: "the design",
                    message: "is not in the schema; give variables a `role`: weight, stratum or cluster"
                        .into(),
                }),
            };
        }
        match (self.making, self.estimand) {
            (Some(Making::KnownDeviation { sigma }), Estimand::Mean { of, by }) if by.is_empty() => {
                Ok(vec![mean_with_known_deviation(table, of, *sigma)?])
            }
            _ => estimates(table, self.estimand),
        }
    }

    /// The design of the first file.
    fn survey_facts(&self) -> Result<Option<SurveyFacts>, InferenceError> {
        let Some(survey) = self.released.files.first().map(Survey::of).transpose()?.flatten() else {
            return Ok(None);
        };
        let Survey { design, variables } = survey;
        Ok(Some(SurveyFacts {
            weight: variables.weight,
            stratum: variables.stratum,
            cluster: variables.cluster,
            strata: design.strata(),
            clusters: design.clusters(),
            lonely_strata: design.lonely(),
            degrees_of_freedom: design.degrees_of_freedom(),
        }))
    }

    /// The quantities that any file has, in the order in which they appear.
    fn by_name(&self, by_file: &[Vec<Estimate>]) -> Vec<Quantity> {
        let mut names: Vec<&str> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for estimate in by_file.iter().flatten() {
            if known.insert(estimate.name.as_str()) {
                names.push(&estimate.name);
            }
        }
        let indexed: Vec<std::collections::HashMap<&str, &Estimate>> = by_file
            .iter()
            .map(|file| file.iter().map(|estimate| (estimate.name.as_str(), estimate)).collect())
            .collect();
        names.into_iter().map(|name| self.quantity(name, &indexed)).collect()
    }

    fn quantity(&self, name: &str, by_file: &[std::collections::HashMap<&str, &Estimate>]) -> Quantity {
        let mut quantity = Quantity { name: name.to_owned(), ..Quantity::default() };
        for (number, (file, table)) in by_file.iter().zip(self.released.files).enumerate() {
            let value = match file.get(name).map(|estimate| &estimate.value) {
                Some(Ok(value)) => {
                    let records = table.rows() as u64;
                    Ok(FileEstimate { estimate: value.estimate, variance: value.variance, records })
                }
                Some(Err(reason)) => Err(*reason),
                None => Err("it is absent"),
            };
            if let Err(reason) = value {
                let message = format!("in file {} of {}, {reason}", number + 1, by_file.len());
                quantity.not_computed.get_or_insert(message);
            }
            quantity.by_file.push(value.ok());
        }
        let complete: Vec<FileEstimate> = quantity.by_file.iter().flatten().copied().collect();
        if complete.len() == by_file.len() {
            quantity.mean_estimate = Some(mean_estimate(&complete));
            quantity.between_variance = between_variance(&complete);
            quantity.within_variance = Some(within_variance(&complete));
            quantity.expected_original_standard_error = self.released.original_rows.map(|rows| {
                let scaled = complete.iter().map(|file| file.variance * file.records as f64 / rows as f64);
                (scaled.sum::<f64>() / complete.len() as f64).sqrt()
            });
        }
        quantity
    }

    fn pooled(&self) -> Result<Table, InferenceError> {
        let files = self.released.files;
        Ok(Table::concatenate(files[0].shared_schema(), files.to_vec())?)
    }

    /// What a combining rule says of files; by name.
    fn combined(&self, rule: Rule, files: &[Table]) -> Result<Vec<(String, Combined)>, InferenceError> {
        let by_file = files.iter().map(|table| self.estimates(table)).collect::<Result<Vec<_>, _>>()?;
        let by_file = with_one_meaning(by_file);
        let mut combined = Vec::new();
        for (at, estimate) in by_file[0].iter().enumerate() {
            let of_file = |(file, table): (&Vec<Estimate>, &Table)| {
                let same = file.get(at).filter(|other| other.name == estimate.name);
                let same = same.or_else(|| file.iter().find(|other| other.name == estimate.name))?;
                let value = same.value.ok()?;
                let records = table.rows() as u64;
                Some(FileEstimate { estimate: value.estimate, variance: value.variance, records })
            };
            if let Some(found) = by_file.iter().zip(files).map(of_file).collect::<Option<Vec<_>>>() {
                combined.push((estimate.name.clone(), self.combine(rule, &found)?));
            }
        }
        Ok(combined)
    }

    fn combine(&self, rule: Rule, files: &[FileEstimate]) -> Result<Combined, InferenceError> {
        combine(rule, files, self.released.original_rows, self.manner.target, self.weights)
    }

    fn fill_by_rule(
        &self,
        rule: Rule,
        quantities: &mut [Quantity],
        watch: &Watch,
    ) -> Result<(), InferenceError> {
        let combined = if rule == Rule::Pooled {
            let pooled = self.combined(rule, &[self.pooled()?])?;
            let found = |quantity: &Quantity| {
                pooled.iter().find(|(name, _)| *name == quantity.name).map(|(_, combined)| *combined)
            };
            quantities.iter().map(found).collect::<Vec<Option<Combined>>>()
        } else {
            let of = |quantity: &Quantity| {
                let files: Option<Vec<FileEstimate>> = quantity.by_file.iter().copied().collect();
                files.map(|files| self.combine(rule, &files)).transpose()
            };
            quantities.iter().map(of).collect::<Result<_, _>>()?
        };
        for (quantity, combined) in quantities.iter_mut().zip(&combined) {
            if let Some(combined) = combined {
                fill(quantity, combined, self.manner.level);
                if self.estimand.is_of_shares() {
                    remark_on_few_records(quantity, combined);
                }
            }
        }
        match self.manner.bootstrap_t {
            Some(resampling) => self.studentise(rule, resampling, &combined, quantities, watch),
            None => Ok(()),
        }
    }

    fn studentise(
        &self,
        rule: Rule,
        resampling: Resampling,
        combined: &[Option<Combined>],
        quantities: &mut [Quantity],
        watch: &Watch,
    ) -> Result<(), InferenceError> {
        let redraw = match self.released.provenance {
            Some(provenance) => Redraw::Recipe(Box::new(provenance.recipe.clone())),
            None => Redraw::Resample,
        };
        let analyse = |files: &[Table]| {
            if rule == Rule::Pooled {
                let pooled = Table::concatenate(files[0].shared_schema(), files.to_vec())?;
                self.combined(rule, &[pooled])
            } else {
                self.combined(rule, files)
            }
        };
        let (pooled, sizes) = (self.pooled()?, self.sizes());
        let bootstrap = self.bootstrap(&pooled, &sizes, &redraw, resampling)?;
        let all = bootstrap.replicates(watch, |files, original| self.replicate(files, original, &analyse))?;
        let replicates = by_name(all.into_iter().map(|found| found.and_then(|found| found)))?;
        let found = Bootstrapped { truths: estimates(&pooled, self.estimand)?, replicates };
        for (quantity, combined) in quantities.iter_mut().zip(combined) {
            let Some(combined) = combined.filter(|_| quantity.interval.is_some()) else { continue };
            let found = of_quantity(&found, quantity, |truth, replicates| {
                studentised(
                    combined.estimate,
                    combined.variance,
                    truth,
                    replicates,
                    resampling.replicates,
                    self.manner.target,
                    self.manner.level,
                )
            });
            quantity.interval = None;
            quantity.degrees_of_freedom = None;
            match found {
                Ok(found) => {
                    quantity.interval = Some(found.interval);
                    quantity.replicates = Some(found.replicates);
                }
                Err(reason) => quantity.not_computed = Some(reason),
            }
        }
        Ok(())
    }

    fn fill_by_bootstrap(&self, bootstrapped: &Bootstrapped, quantities: &mut [Quantity]) {
        for quantity in quantities.iter_mut() {
            let Some(estimate) = quantity.mean_estimate else { continue };
            quantity.estimate = Some(estimate);
            let found = of_quantity(bootstrapped, quantity, |truth, replicates| {
                let Manner { target, level, resampling, .. } = *self.manner;
                let found = basic(estimate, truth, replicates, resampling.replicates, target, level)?;
                Ok((found, undone_apart(truth, &found)))
            });
            match found {
                Ok((found, apart)) => {
                    match apart.filter(|apart| *apart > MOST_APART) {
                        Some(apart) => {
                            quantity.not_computed = Some(bias_not_to_be_undone(&found, estimate, apart));
                        }
                        None => quantity.interval = Some(found.interval),
                    }
                    quantity.standard_error = Some(found.standard_error);
                    quantity.bias = Some(found.bias);
                    quantity.replicates = Some(found.replicates);
                }
                Err(reason) => quantity.not_computed = Some(reason),
            }
        }
    }

    /// The mean over files of every estimate that all of them have.
    fn mean_estimates(&self, files: &[Table]) -> Result<Vec<(String, Combined)>, InferenceError> {
        let by_file = files.iter().map(|table| self.estimates(table)).collect::<Result<Vec<_>, _>>()?;
        let by_file = with_one_meaning(by_file);
        let mean = |(at, estimate): (usize, &Estimate)| {
            let of_file = |file: &Vec<Estimate>| {
                let same = file.get(at).filter(|other| other.name == estimate.name);
                let same = same.or_else(|| file.iter().find(|other| other.name == estimate.name))?;
                same.value.ok().map(|value| value.estimate)
            };
            let all = by_file.iter().map(of_file).collect::<Option<Vec<f64>>>()?;
            Some((estimate.name.clone(), point(all.iter().sum::<f64>() / all.len() as f64)))
        };
        Ok(by_file[0].iter().enumerate().filter_map(mean).collect())
    }

    fn sizes(&self) -> Vec<usize> {
        self.released.files.iter().map(Table::rows).collect()
    }

    fn bootstrap<'b>(
        &self,
        pooled: &'b Table,
        sizes: &'b [usize],
        redraw: &'b Redraw,
        resampling: Resampling,
    ) -> Result<Bootstrap<'b>, InferenceError> {
        let Some(original_rows) = self.released.original_rows else {
            let message =
                "needs the number of original records; give --original-rows N, or the release folder";
            return Err(InferenceError::rule("bootstrap", message));
        };
        Ok(Bootstrap { pooled, original_rows, sizes, redraw, resampling })
    }

    /// What a release that was made again says, and where it is asked for what its records themselves say.
    fn replicate(
        &self,
        files: &[Table],
        original: &Table,
        analyse: &Analysis<'_>,
    ) -> Result<Vec<(String, Replicate)>, InferenceError> {
        let originals = match self.manner.target {
            Target::Population => Vec::new(),
            Target::Original => estimates(original, self.estimand)?,
        };
        let replicate = |(name, combined): (String, Combined)| {
            let original = originals.iter().find(|estimate| estimate.name == name);
            let original = original.and_then(|estimate| estimate.value.ok()).map(|value| value.estimate);
            (name, Replicate { estimate: combined.estimate, variance: combined.variance, original })
        };
        Ok(analyse(files)?.into_iter().map(replicate).collect())
    }

    /// What a bootstrap cannot undo: its population is the release, which is biased already.
    fn warnings_of_bias(&self, quantities: &[Quantity]) -> Result<Vec<String>, InferenceError> {
        let mut warnings = Vec::new();
        let ratio = |quantity: &Quantity| Some((quantity.bias? / quantity.standard_error?).abs());
        // The mean of R replicates has an error of 1/√R standard errors itself.
        let error = |quantity: &Quantity| 1.0 / (quantity.replicates.unwrap_or(1) as f64).sqrt();
        let matters = |quantity: &Quantity, ratio: f64| ratio > BIAS_MATTERS + 2.0 * error(quantity);
        let of = |quantity| {
            ratio(quantity)
                .filter(|ratio| ratio.is_finite() && matters(quantity, *ratio))
                .map(|ratio| (ratio, quantity))
        };
        let largest = quantities.iter().filter_map(of).max_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((ratio, quantity)) = largest {
            warnings.push(format!(
                "one more release is off by {ratio:.1} standard errors ({}). The bootstrap finds this from records that are off already, so that it undoes only a part, and \
                 intervals of nominally {:.0} % cover less; docs/inference.md has a table",
                quantity.name,
                100.0 * self.manner.level.value()
            ));
        }
        let (Some(provenance), Some(rows)) = (self.released.provenance, self.released.original_rows) else {
            return Ok(warnings);
        };
        if let Some((noise, cells)) = records_of_noise(provenance, self.released.files[0].schema())?
            && noise > NOISE_MATTERS * rows as f64
        {
            warnings.push(format!(
                "noise on {cells:.0} cells makes up to {noise:.0} records out of nothing, {:.0} % of {rows}: they are spread evenly over the cells whatever the data say, and the \
                 bootstrap undoes only a part of that",
                100.0 * noise / rows as f64
            ));
        }
        Ok(warnings)
    }

    /// Records without a value of what is asked for.
    fn left_out(&self) -> Result<Option<String>, InferenceError> {
        let of_file = |table: &Table| -> Result<usize, InferenceError> {
            Ok(match self.estimand {
                Estimand::Model { formula, .. } => models::incomplete_records(table, formula)?,
                Estimand::Mean { of, .. } | Estimand::Quantile { of, .. } => {
                    let column = table.column(of)?;
                    let has_value = |row: &usize| matches!(column.number(*row), Some(Entry::Value(_)));
                    table.rows() - (0..table.rows()).filter(has_value).count()
                }
                Estimand::Share { .. } | Estimand::Table { .. } => 0,
            })
        };
        let files = self.released.files;
        let left_out = files.iter().map(of_file).sum::<Result<usize, InferenceError>>()?;
        let all: usize = files.iter().map(Table::rows).sum();
        Ok((left_out > 0).then(|| {
            format!(
                "{} of {} records are left out, since a value is missing there, is a special code, or has no logarithm or root: the answer is about the other records",
                thousands(left_out),
                thousands(all)
            )
        }))
    }

    fn warnings(&self, rule: Rule, quantities: &[Quantity]) -> Result<Vec<String>, InferenceError> {
        let (files, making) = (self.released.files, self.making);
        let rows: Vec<u64> = files.iter().map(|file| file.rows() as u64).collect();
        let mean_rows = rows.iter().sum::<u64>() as f64 / rows.len() as f64;
        let mut warnings = objections(rule, making, files.len());
        warnings.extend(self.left_out()?);
        if rule == Rule::Partial && self.released.original_rows.is_none() {
            warnings.push(
                "`partial` takes the size of the files for N, which is not known; give --original-rows N if it is another".into(),
            );
        }
        // Replicates of the bootstrap-t scatter as the files do, so that its quantiles allow for what T lacks.
        let by_distribution = self.manner.bootstrap_t.is_none();
        let dispersed = by_distribution && matches!(rule, Rule::Ts | Rule::Pooled | Rule::Proper);
        if let (Some(Making::RandomCounts { sigma }), true, Some(provenance)) =
            (making, dispersed, self.released.provenance)
        {
            let inflation = inflation_of(&files[0], *sigma, provenance.recipe.groups as usize)?;
            let ratio = self.released.original_rows.map_or(1.0, |rows| mean_rows / rows as f64);
            let (target, level) = (self.manner.target, self.manner.level);
            let coverage = coverage_of_t_s(inflation, ratio, files.len(), target, level);
            warnings.push(format!(
                "`{}` supposes sigma = 0, and this release has sigma = {sigma}: synthesis scatters about {inflation:.1} times as much as v says, so that \
                 intervals of nominally {:.0} % cover about {:.0} %; {}",
                rule.name(),
                100.0 * level.value(),
                100.0 * coverage,
                if files.len() > 1 { "use `tp`" } else { "ask for a release of several files and use `tp`" }
            ));
        }
        let by_scatter = by_distribution && matches!(rule, Rule::Tp | Rule::Partial);
        let may_scatter = matches!(
            making,
            None | Some(Making::RandomCounts { .. } | Making::PartlyKept { .. } | Making::Perturbed)
        );
        if by_scatter && may_scatter && files.len() < FEWEST_FOR_T_P {
            warnings.push(format!(
                "with {} files b is too uncertain for `{}` where synthesis adds much: in simulations its 95 % intervals from two files cover 87 % to 94 %; \
                 ask for five files or more",
                files.len(),
                rule.name()
            ));
        }
        if rule == Rule::Bootstrap {
            warnings.extend(self.warnings_of_bias(quantities)?);
        }
        let unweighted = self.weights == Weights::Equal && matches!(rule, Rule::Tp | Rule::Ts);
        if let Some(dispersion) =
            dispersion_of(&rows).filter(|dispersion| unweighted && *dispersion > SIZES_VARY)
        {
            warnings.push(format!(
                "the sizes of the files vary by {:.0} %: a plain mean of their estimates is then biased however many files there are (in \
                 simulations 95 % intervals covered down to 22 %); use --weights n-syn",
                100.0 * dispersion
            ));
        }
        if let Some(provenance) = self.released.provenance {
            let rows = self.released.original_rows;
            warnings.extend(cautions(provenance, self.estimand, rule, files, rows)?);
        }
        Ok(warnings)
    }
}

/// Files that say the same thing by the same name. Where a column is aliased in one file and some record has it there, the earlier coefficients carry it: if another file can tell
/// it apart, that file's coefficients of the same names are something else, and the first file's are not used.
fn with_one_meaning(by_file: Vec<Vec<Estimate>>) -> Vec<Vec<Estimate>> {
    let told: std::collections::HashSet<String> = by_file
        .iter()
        .flatten()
        .filter(|estimate| estimate.value.is_ok())
        .map(|estimate| estimate.name.clone())
        .collect();
    let carries = |file: &[Estimate]| {
        file.iter().any(|estimate| estimate.value == Err(ENTANGLED) && told.contains(&estimate.name))
    };
    let mend = |mut file: Vec<Estimate>| {
        if carries(&file) {
            file.iter_mut().filter(|estimate| estimate.value.is_ok()).for_each(|estimate| {
                estimate.value = Err(CARRIES_ANOTHER);
            });
        }
        file
    };
    by_file.into_iter().map(mend).collect()
}

/// Why an estimate whose bias one more release shows has no interval.
fn bias_not_to_be_undone(found: &BootstrapInterval, estimate: f64, apart: f64) -> String {
    let ratio = found.bias / found.standard_error;
    let less = estimate - found.bias;
    let apart = match apart.is_finite() {
        true => format!(
            "taken off as a difference (which gives {less:.3}) and as a ratio they are {apart:.1} standard errors apart"
        ),
        false => "one more release turns its sign".to_owned(),
    };
    format!(
        "one more release moves it by {ratio:.1} standard errors, and the first one moved it by an amount that nobody knows: {apart}, so that no interval would cover as often as it says"
    )
}

/// Below about ten records the normal distribution is no good guide to a share. p (1 − p)/T is the number of records that would know it as well in a plain sample.
fn remark_on_few_records(quantity: &mut Quantity, combined: &Combined) {
    let p = combined.estimate;
    if combined.variance <= 0.0 {
        let message = "no record, or every record, of the files has it, and a normal interval says nothing there; ask for coarser classes";
        quantity.not_computed = Some(message.into());
        return;
    }
    let records = p * (1.0 - p) / combined.variance * p.min(1.0 - p);
    if records < FEWEST_FOR_A_SHARE {
        quantity.remark = Some(format!(
            "it is as uncertain as a share of {records:.1} records: below about {FEWEST_FOR_A_SHARE:.0} a normal interval covers less than it says, and its ends may lie outside of 0 to 1"
        ));
    }
}

/// The standard deviation of the sizes of files over their mean; `None` for one file.
fn dispersion_of(rows: &[u64]) -> Option<f64> {
    let n = rows.len() as f64;
    let mean = rows.iter().sum::<u64>() as f64 / n;
    let squares: f64 = rows.iter().map(|rows| (*rows as f64 - mean).powi(2)).sum();
    (rows.len() > 1).then(|| (squares / (n - 1.0)).sqrt() / mean)
}

/// A bare estimate where no variance is asked for.
fn point(estimate: f64) -> Combined {
    Combined {
        estimate,
        sampling_variance: 0.0,
        synthesis_variance: 0.0,
        variance: 0.0,
        reference: Reference::Normal,
        floored: false,
    }
}

fn of_quantity<T>(
    Bootstrapped { truths, replicates }: &Bootstrapped,
    quantity: &Quantity,
    interval: impl Fn(f64, &[Replicate]) -> Result<T, String>,
) -> Result<T, String> {
    let truth = truths.iter().find(|estimate| estimate.name == quantity.name);
    let truth = truth.ok_or("the pooled files do not have it")?.value?.estimate;
    let of = replicates.get(&quantity.name).ok_or("no bootstrap replicate could give it")?;
    interval(truth, of)
}

/// Writes what a rule says into a quantity.
fn fill(quantity: &mut Quantity, combined: &Combined, level: Level) {
    quantity.estimate = Some(combined.estimate);
    quantity.not_computed = None;
    if combined.variance.is_nan() || combined.variance <= 0.0 {
        quantity.not_computed = Some("its variance is 0, so that there is no interval".into());
        return;
    }
    quantity.standard_error = Some(combined.variance.sqrt());
    let interval = Interval::around(combined.estimate, combined.variance, combined.reference, level);
    if interval.low.is_finite() && interval.high.is_finite() {
        quantity.interval = Some(interval);
    } else {
        quantity.not_computed = Some("the files are too few and scatter too much for an interval".into());
    }
    if let Reference::StudentT { degrees_of_freedom } = combined.reference {
        quantity.degrees_of_freedom = Some(degrees_of_freedom);
    }
    if combined.floored {
        quantity.remark = Some("T_f is negative; its floor v n_syn/N was used".into());
    }
}

#[cfg(test)]
mod tests;
