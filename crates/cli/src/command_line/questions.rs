//! The measures that `measure`, `frontier` and `release` take, as options.

use clap::Args;
use lookalike::{NumberClasses, Questions};

/// What is asked of synthetic files.
#[derive(Debug, Args)]
pub(super) struct QuestionOptions {
    /// Families of measures to compute, such as tables,propensity [default: all; see `lookalike measures`]
    #[arg(long, value_name = "FAMILY,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Tables to compare beside those of --ways, such as sex:age,edu:socprof:income [with it, --ways is none by default]
    #[arg(long, value_name = "A:B,…", value_delimiter = ',')]
    tables: Vec<String>,
    /// Compare all tables of this many variables [default: 1,2; `frontier` adds 3 where those are at most 1000 tables]
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    ways: Option<Vec<usize>>,
    /// Groups into which a number is cut in tables, where the schema declares no cuts [default: 5]
    #[arg(long, value_name = "K")]
    groups: Option<usize>,
    /// How numbers are cut: by the `original` alone, frequent values apart, or as `synthpop` does, at quantiles of both files pooled
    #[arg(long, value_name = "WAY", default_value = "original")]
    classes: NumberClasses,
    /// Leave records with missing values out of the tables they are missing in
    #[arg(long)]
    without_missing: bool,
    /// Variables by which an intruder might know a record; may be given several times
    #[arg(long, value_name = "NAME,…")]
    keys: Vec<String>,
    /// What an intruder might want to know [default: all variables that are not keys]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    targets: Vec<String>,
    /// A model to fit to every file, such as "income ~ sex + age*edu"; may be given several times
    #[arg(long, value_name = "FORMULA")]
    model: Vec<String>,
    /// The family of each --model, or of all of them [default: gaussian]
    #[arg(long, value_name = "FAMILY", requires = "model")]
    family: Vec<String>,
    /// Orders of the regression of the propensity model: 0 main effects, 1 with interactions of two variables, 2 of three [default: 0]
    #[arg(long, value_name = "ORDER,…", value_delimiter = ',')]
    order: Option<Vec<usize>>,
    /// Permutations for the null distribution of the propensity tree [default: at most 10 in `measure` and `release`, none in `frontier`]
    #[arg(long, value_name = "R")]
    permutations: Option<usize>,
    /// Resamples of the original for the same, which also holds for files of another size [default: 20]
    #[arg(long, value_name = "R")]
    resamples: Option<usize>,
    /// How often each attack is tried [default: 1000 with a holdout, none without]
    #[arg(long, value_name = "N")]
    attacks: Option<usize>,
    /// Variables to predict by models trained on synthetic records [default: up to 12 with a holdout, none without]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    predict: Vec<String>,
}

impl QuestionOptions {
    /// The questions that these options ask.
    pub(super) fn questions(&self) -> Questions {
        let names = |list: &String, by: char| list.split(by).map(|name| name.trim().to_owned()).collect();
        Questions {
            only: self.only.clone(),
            tables: self.tables.iter().map(|table| names(table, ':')).collect(),
            ways: self.ways.clone(),
            groups: self.groups,
            classes: self.classes,
            without_missing: self.without_missing,
            keys: self.keys.iter().map(|keys| names(keys, ',')).collect(),
            targets: self.targets.clone(),
            models: self.model.clone(),
            model_families: self.family.clone(),
            orders: self.order.clone(),
            permutations: self.permutations,
            resamples: self.resamples,
            attacks: self.attacks,
            predict: self.predict.clone(),
        }
    }
}
