//! The strongest attack on a method of ours: the method itself, fitted many times with chosen records in and out of the data
//! ([`measures::risk::shadow`]).
//!
//! Records are chosen that are most unlike the others, for whom a release is most dangerous. Runs of a private method go the real way, with noise from a seed, as those
//! of a frontier do. What is found is confidential: it comes from looks at the data that nobody paid for.

use std::sync::atomic::{AtomicUsize, Ordering};

use measures::align;
use measures::risk::shadow::{ShadowRun, judge, outliers, traces};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use synthesis::{Recipe, Run, Synthesizer, fit_for_release};
use table::Table;
use table::watch::{Step, Watch};

use super::FrontierError;
use super::resume::seed_of;

/// The fewest runs that teach and test an intruder.
const FEWEST_RUNS: u32 = 20;

/// How an attack goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttackPlan {
    /// How many records are attacked.
    pub targets: usize,
    /// How often the method is fitted.
    pub runs: u32,
    /// What all randomness comes from.
    pub seed: u64,
}

impl Default for AttackPlan {
    fn default() -> Self {
        Self { targets: 20, runs: 100, seed: 1 }
    }
}

/// What an intruder learns who knows a record and the method, and sees a release.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AttackFinding {
    /// The method.
    pub method: String,
    /// The recipe (TOML, without a seed).
    pub recipe: String,
    /// The records of the data.
    pub records: u64,
    /// How often the method was fitted.
    pub runs: u32,
    /// How often a target that was in the data looks more like it than one that was not, over all targets; 0.5 is guessing.
    pub auc: f64,
    /// The standard error of that, if a release tells nothing.
    pub auc_error: f64,
    /// The share of targets in the data that are found with 1 % false alarms; 0.01 is guessing.
    pub found: f64,
    /// Every record that was attacked, the one that is found best first.
    pub targets: Vec<TargetFinding>,
    /// Whether the area is above what guessing gives by more than two standard errors.
    pub is_exposed: bool,
    /// Says who may read it.
    pub confidential: String,
}

/// One record that was attacked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TargetFinding {
    /// Its row, counted from 1 without the header.
    pub row: u64,
    /// The area under the curve.
    pub auc: f64,
    /// Its standard error, if a release tells nothing.
    pub auc_error: f64,
}

/// Attacks the method of a recipe on this table.
pub fn attack(
    table: &Table,
    recipe: &Recipe,
    plan: &AttackPlan,
    watch: &Watch,
) -> Result<AttackFinding, FrontierError> {
    if plan.runs < FEWEST_RUNS {
        return Err(FrontierError::option(
            "--runs",
            format!("an intruder learns from {FEWEST_RUNS} runs at least"),
        ));
    }
    if plan.targets == 0 || 2 * plan.targets > table.rows() {
        return Err(FrontierError::option(
            "--targets",
            "at least one record and at most half of them can be attacked",
        ));
    }
    let recipe = of_attack(table, recipe, plan.targets)?;
    let rows = outliers(table, plan.targets)?;
    let done = AtomicUsize::new(0);
    let run = |number: u32| -> Result<ShadowRun, FrontierError> {
        watch.check()?;
        let seed = seed_of(&["attack", &plan.seed.to_string(), &number.to_string()]);
        let mut coins = ChaCha12Rng::seed_from_u64(seed);
        let inside: Vec<bool> = rows.iter().map(|_| coins.random()).collect();
        let is_left_out =
            |row: &u32| rows.iter().zip(&inside).any(|(target, inside)| target == row && !inside);
        let kept: Vec<u32> = (0..table.rows() as u32).filter(|row| !is_left_out(row)).collect();
        let fitted =
            fit_for_release(&table.take(&kept)?, &recipe, &Run::replayed(coins.random::<u64>() >> 1))?;
        let release = align(table.schema(), fitted.table(0)?)?;
        let traces = traces(table, &release, &rows)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        watch.report(Step::Running { done, of: plan.runs as usize, kept: 0 });
        Ok(ShadowRun { inside, traces })
    };
    let runs = (0..plan.runs).into_par_iter().map(run).collect::<Result<Vec<_>, _>>()?;
    let Some(verdict) = judge(&runs) else {
        return Err(FrontierError::option("--runs", "every coin fell alike; take more runs or more targets"));
    };
    let target = |(row, (auc, auc_error)): (&u32, &(f64, f64))| TargetFinding {
        row: u64::from(*row) + 1,
        auc: *auc,
        auc_error: *auc_error,
    };
    let mut targets: Vec<TargetFinding> = rows.iter().zip(&verdict.each).map(target).collect();
    targets.sort_by(|one, other| other.auc.total_cmp(&one.auc).then(one.row.cmp(&other.row)));
    Ok(AttackFinding {
        method: recipe.method.clone(),
        recipe: Recipe { rows: None, ..recipe }.to_toml(),
        records: table.rows() as u64,
        runs: plan.runs,
        auc: verdict.auc,
        auc_error: verdict.auc_error,
        found: verdict.found,
        targets,
        is_exposed: verdict.auc > 0.5 + 2.0 * verdict.auc_error,
        confidential:
            "the rows and how well they are found come from the records themselves: do not release this"
                .to_owned(),
    })
}

/// The recipe as it is attacked: one data set, of a size that does not say how many targets were in the data.
fn of_attack(table: &Table, recipe: &Recipe, targets: usize) -> Result<Recipe, FrontierError> {
    let mut recipe = Recipe { m: 1, seed: None, ..recipe.clone() };
    let can_be_chosen = match Synthesizer::of(&recipe)? {
        Synthesizer::Records(method) => method.refuses_rows().is_none(),
        other => other.rows_can_be_chosen(),
    };
    if recipe.rows.is_none() && can_be_chosen {
        recipe.rows = Some((table.rows() - targets / 2) as u64);
    }
    Ok(recipe)
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn people() -> Table {
        let line = |at: usize| {
            let group = at * 7 % 5;
            format!(
                "{},{},{}\n",
                group,
                (at * 13 + group * 40) % 97 + group * 50,
                ["a", "b", "c"][at * 11 % 3]
            )
        };
        let text: String = (0..300).map(line).collect();
        // Three records unlike all others.
        let text = format!("group,amount,town\n{text}4,5000,c\n0,7000,a\n2,9000,b\n");
        let schema = "[table]\ndeclared = true\nreason = \"invented\"\n[variables.group]\nkind = \"integer\"\nrange = [0, 9]\n\
                      [variables.amount]\nkind = \"integer\"\nrange = [0, 10000]\n[variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\n";
        let schema = table::schema::SchemaFile::parse(schema).unwrap();
        read_csv_text(&text, &ReadOptions { schema: Some(schema), ..ReadOptions::default() }).unwrap()
    }

    /// Bootstrapped whole records give an outlier away in two runs of three; independent draws at a private budget give nothing away: beyond three standard
    /// errors in 1 of 740 seeds.
    #[test]
    fn copies_are_found_and_noise_hides_records() {
        let plan = AttackPlan { targets: 3, runs: 60, seed: 5 };
        let attacked = |recipe: &str| {
            attack(&people(), &Recipe::parse(recipe).unwrap(), &plan, &Watch::default()).unwrap()
        };
        let copied = attacked("method = \"pram\"\n[options]\nchange = 0.0\nsmoothing = \"none\"\n");
        assert!(copied.is_exposed && copied.auc > 0.9 && copied.found > 0.5, "{copied:?}");
        assert_eq!(copied.targets.len(), 3);
        assert!(copied.targets.iter().all(|target| target.row > 300), "{:?}", copied.targets);
        let private = attacked("method = \"catall\"\n[privacy]\nepsilon = 0.1\n");
        assert!((private.auc - 0.5).abs() < 3.0 * private.auc_error, "{private:?}");
    }

    #[test]
    fn a_plan_that_says_nothing_is_refused() {
        let refused = |targets: usize, runs: u32| {
            let plan = AttackPlan { targets, runs, seed: 1 };
            attack(&people(), &Recipe::new("catall"), &plan, &Watch::default()).unwrap_err().to_string()
        };
        assert!(refused(0, 50).contains("--targets") && refused(200, 50).contains("--targets"));
        assert!(refused(3, 5).contains("--runs"));
    }
}
