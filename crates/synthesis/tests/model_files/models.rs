//! A model of every method that can be saved: plain, in strata, private.

use std::fmt::Write;

use synthesis::model_file::ModelFile;
use synthesis::private::PrivacySettings;
use synthesis::{Fitted, Recipe, Run, fit};
use table::Table;
use table::read::{ReadOptions, read_csv_text};
use table::schema::SchemaFile;
use table::write::csv_text;

const SCHEMA: &str = r#"
[table]
unit = "person"
declared = true
reason = "invented"
[variables.id]
kind = "text-id"
[variables.sex]
kind = "categorical"
levels = ["F", "M"]
[variables.occ1]
kind = "categorical"
levels = ["a", "b"]
[variables.occ2]
kind = "categorical"
levels = ["a1", "a2", "b1"]
within = "occ1"
parents = { a1 = "a", a2 = "a", b1 = "b" }
[variables.edu]
kind = "ordinal"
levels = ["low", "middle", "high"]
missing = true
[variables.age]
kind = "integer"
range = [0, 99]
cuts = [0, 16, 40, 65, 99]
[variables.income]
kind = "integer"
range = [0, 5000]
missing = true
codes = { -8 = "refused" }
[variables.weight]
kind = "real"
range = [2.0, 200.0]
[variables.double]
kind = "real"
formula = "weight * 2"
[variables.married]
kind = "categorical"
levels = ["no", "yes"]
[variables.day]
kind = "date"
range = ["1950-01-01", "2020-12-31"]
missing = true
[[rules]]
when = "married = 'no'"
then = "day is missing"
[[impossible]]
where = "age < 16 and married = 'yes'"
"#;

/// Invented people, with a nested variable, special codes, missing values, dates, a formula, a rule and impossible cells.
pub(crate) fn people(rows: usize) -> Table {
    let mut text = String::from("id,sex,occ1,occ2,edu,age,income,weight,double,married,day\n");
    for row in 0..rows {
        let age = (row * 37) % 100;
        let (occ1, occ2) = [("a", "a1"), ("a", "a2"), ("b", "b1")][(row / 2) % 3];
        let edu = ["low", "middle", "high", "middle", ""][(row * 7) % 5];
        let income = match row % 9 {
            0 => "-8".to_owned(),
            1 => String::new(),
            _ => (20 * age + (row * 53) % 400).to_string(),
        };
        let weight = 40 + (row * 7) % 60;
        let married = age >= 16 && row % 3 > 0;
        let day = if married {
            format!("19{}-0{}-1{}", 60 + row % 40, 1 + row % 9, row % 10)
        } else {
            String::new()
        };
        let (sex, married) = (["F", "M"][row % 2], if married { "yes" } else { "no" });
        writeln!(
            text,
            "p{row},{sex},{occ1},{occ2},{edu},{age},{income},{weight},{},{married},{day}",
            2 * weight
        )
        .unwrap();
    }
    let options = ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
    read_csv_text(&text, &options).unwrap()
}

/// Recipes of every method that can be saved, each with what it is called here.
pub(crate) fn recipes() -> Vec<(String, Recipe)> {
    let ipf = "[options]\nmargins = \"sex:age,age:married,occ1:occ2,married:day,edu:income\"\n";
    let plain: &[(&str, &str)] = &[
        ("catall", ""),
        ("catall", "[options]\nnprior = 20\n"),
        ("catall", "strata = [\"sex\", \"occ1\"]\n"),
        ("catall", "[after]\nremove_replicated_uniques = true\nlabel = \"FAKE\"\n"),
        ("saturated", "[options]\nalpha = 1e-4\n"),
        ("saturated", "strata = [\"occ1\"]\n"),
        ("ipf", ipf),
        ("ipf", "strata = [\"sex\"]\n[options]\nmargins = \"age:married,occ1:occ2\"\n"),
        ("pairwise", ""),
        ("pairwise", "strata = [\"sex\"]\n"),
        ("swapping", ""),
        ("swapping", "strata = [\"sex\"]\n"),
        ("pram", ""),
        ("pram", "strata = [\"sex\"]\n"),
        ("microaggregation", ""),
        ("microaggregation", "strata = [\"sex\"]\n"),
        ("topcoding", ""),
        ("topcoding", "strata = [\"sex\"]\n"),
        ("suppression", "[options]\nkeys = \"sex,age\"\n"),
        ("suppression", "strata = [\"sex\"]\n"),
        ("rounding", ""),
        ("rounding", "strata = [\"sex\"]\n"),
        ("cellkey", ""),
        ("cellkey", "strata = [\"sex\"]\n"),
        ("graph", ""),
        ("graph", "strata = [\"sex\"]\n"),
        ("graph", "[options]\ntilt = false\n"),
        ("arf", "[options]\ntrees = 3\n"),
        (
            "arf",
            "strata = [\"sex\"]\n[options]\ntrees = 2\nrounds = 1\ntilt = false\nsmoothing = \"spline\"\n",
        ),
        ("tvae", "[options]\nepochs = 2\nhidden = 6\nlatent = 4\n"),
        (
            "tvae",
            "strata = [\"sex\"]\n[options]\nepochs = 1\nhidden = 6\nlatent = 4\natoms = false\ntilt = false\ndraw = \"largest\"\n",
        ),
        ("ctgan", "[options]\nepochs = 2\nhidden = 6\nnoise = 4\nbatch = 50\n"),
        (
            "ctgan",
            "strata = [\"sex\"]\n[options]\nepochs = 1\nhidden = 6\nnoise = 4\nbatch = 50\ntilt = false\n",
        ),
        ("sequential", ""),
        ("sequential", "[options]\nscores = false\ntilt = false\n"),
        ("sequential", "strata = [\"age > 40\"]\n[options]\nproper = true\n"),
        (
            "sequential",
            "[options]\nmethod = \"parametric\"\nproper = true\n[variables.income]\nmethod = \"pmm\"\n",
        ),
        (
            "sequential",
            "[options]\nmethod = \"quantile\"\nbins = 3\ntwo_stage = true\nfirst_stage = \"logreg\"\n[variables.edu]\nmethod = \"polyreg\"\n",
        ),
        (
            "sequential",
            "[options]\nmethod = \"bagging\"\ntrees = 2\nproper = true\nsmoothing = \"density\"\n[variables.income]\nwithin = [\"sex\"]\n",
        ),
        (
            "sequential",
            "[options]\nmethod = \"forest\"\ntrees = 2\n[variables.age]\nmethod = \"sqrtnorm\"\n[variables.weight]\n\
             method = \"norm\"\n[variables.income]\nmethod = \"lognorm\"\nsmoothing = \"spline\"\n",
        ),
        (
            "sequential",
            "[options]\nmethod = \"sample\"\n[variables.occ1]\nmethod = \"keep\"\n[variables.edu]\nwith = [\"age\"]\nwithin = [\"sex\"]\n\
             [variables.weight]\nmethod = \"constant\"\nvalue = 70.5\n[auxiliary.wealth]\nby = \"occ2\"\nscore = [\"income\"]\n\
             [auxiliary.coarse]\ngroups_of = \"occ2\"\nrare = 60\n[variables.income]\nmethod = \"cart\"\n",
        ),
    ];
    let mut recipes: Vec<(String, Recipe)> = Vec::new();
    for (method, text) in plain {
        let recipe = Recipe::parse(&format!("method = \"{method}\"\nseed = 3\nm = 2\n{text}")).unwrap();
        recipes.push((format!("{method} {text}"), recipe));
    }
    let private: &[(&str, &str)] = &[
        ("catall", "[options]\n"),
        ("catall", "strata = [\"sex\"]\n[options]\nnprior = 3\n"),
        ("ipf", "[options]\n"),
        ("ipf", "strata = [\"sex\"]\n[options]\nestimate = \"least-squares\"\n"),
        ("ipf", "[options]\nrows = \"settled\"\n"),
        ("ipf", "strata = [\"sex\"]\n[options]\nrows = \"settled\"\n"),
        ("pairwise", "[options]\n"),
        ("pairwise", "strata = [\"sex\"]\n[options]\nrows = \"drawn\"\n"),
        ("mst", "[options]\n"),
        ("mst", "strata = [\"sex\"]\n[options]\n"),
        ("aim", "[options]\n"),
        ("aim", "strata = [\"sex\"]\n[options]\n"),
        ("privbayes", "[options]\n"),
        ("datasynthesizer", "[options]\n"),
        ("datasynthesizer", "strata = [\"sex\"]\n[options]\nmode = \"independent\"\n"),
        ("mvnorm", "[options]\nvariables = \"weight,age\"\n"),
        ("tvae", "[options]\nhidden = 6\nlatent = 3\nsteps = 10\n"),
        ("ctgan", "[options]\nhidden = 6\nnoise = 3\nsteps = 10\n"),
    ];
    for (method, text) in private {
        let mut recipe = Recipe::parse(&format!("method = \"{method}\"\nm = 2\ngroups = 2\n{text}")).unwrap();
        // Few enough cells of noise for them to be held.
        let delta = matches!(*method, "catall" | "tvae" | "ctgan").then_some(1e-3);
        recipe.privacy = Some(PrivacySettings { epsilon: Some(3.0), delta, ..Default::default() });
        recipes.push((format!("private {method} {text}"), recipe));
    }
    recipes
}

/// A model of these people by this recipe, with noise that repeats if it is private.
pub(crate) fn fitted(people: &Table, recipe: &Recipe) -> Fitted {
    let run = if recipe.privacy.is_some() { Run::replayed(1) } else { Run::default() };
    fit(people, recipe, &run).unwrap()
}

/// The bytes of its file.
pub(crate) fn saved(fitted: &Fitted) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    ModelFile::new(fitted).unwrap().write(&path).unwrap();
    std::fs::read(&path).unwrap()
}

/// A data set as text, and what the model has to say of itself.
pub(crate) fn drawn(fitted: &Fitted, number: u32) -> (String, Vec<String>) {
    (csv_text(&fitted.table(number).unwrap()), fitted.remarks())
}
