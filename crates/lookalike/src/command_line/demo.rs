//! `lookalike demo`: the story so far, told on an invented town.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::town::Town;
use clap::Args;
use statistics::counts::CountFamily;
use study::plan::{CellSizes, Grid, MeanCount, Mechanism, Plan, PlanError};
use study::release::{Input, Manifest, Release, sha256_of_file};
use synthesis::Recipe;
use table::profile::profile;
use table::read::{self, ReadOptions};
use table::schema::SchemaFile;
use table::{Grouping, Table, TableError, atomic_file};

use super::{Everywhere, Failure};

/// The variables by which neighbours know each other.
const KEYS: [&str; 5] = ["sex", "age", "district", "marital", "occ2"];

/// One recipe for each method.
const RECIPES: [(&str, &[&str]); 3] = [
    ("catall", &[]),
    ("saturated", &["sigma=0.5"]),
    (
        "ipf",
        &[
            "margins=sex:age,age:marital,marital:married_on,age:hsize,hsize:rooms,occ1:occ2,occ2:occ3,occ1:income,age:occ1",
        ],
    ),
];

/// Tell the whole story on an invented town.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "lookalike-demo")]
    out: PathBuf,
}

impl Demo {
    pub(super) fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let town = Town::default();
        std::fs::create_dir_all(&self.out).map_err(|source| TableError::io(&self.out, source))?;
        let (data, schema) = (self.out.join("town.csv"), self.out.join("town.schema.toml"));
        atomic_file::write(&data, town.csv().as_bytes())?;
        atomic_file::write(&schema, town.schema().as_bytes())?;
        let (data_name, schema_name) = (data.display().to_string(), schema.display().to_string());
        everywhere.tell(&format!(
            "Much Seeming is a town that does not exist; {} invented people live in it.\n\
             Their records are in {data_name}, the schema that declares what each variable may hold in {schema_name}.\n\n\
             $ lookalike describe {data_name} --schema {schema_name} --keys {}\n\n",
            table::figures::thousands(town.people),
            KEYS.join(",")
        ))?;
        let options = ReadOptions { schema: Some(SchemaFile::read(&schema)?), ..ReadOptions::default() };
        let people = read::read_table(&data, &options)?;
        let profile = profile(&people, &KEYS.map(str::to_owned), &Grouping::default())?;
        everywhere.tell(&report::profile_text(&data_name, &profile))?;
        let plan = self.plan(&people, everywhere)?;
        let manifests = self.generate(&people, &data, everywhere)?;
        let story = serde_json::json!({"describe": profile, "plan": plan, "releases": manifests});
        everywhere.deliver("", || story)?;
        Ok(ExitCode::SUCCESS)
    }

    /// What the saturated mechanism would give and cost, before generating.
    fn plan(&self, people: &Table, everywhere: &Everywhere) -> Result<Plan, Failure> {
        let sizes = CellSizes::new(synthesis::cell_sizes(people, Grouping::default().groups)?)?;
        let family = CountFamily::nbi(0.5).map_err(PlanError::from)?;
        let grid = Grid {
            sigmas: vec![0.1, 0.5, 2.0],
            ms: vec![1, 10],
            near: vec![(1, 0.5)],
            mean_count: MeanCount::Exact,
        };
        let plan = Plan::over(&sizes, &Mechanism::new(family), &grid)?;
        everywhere.tell(&format!(
            "\n$ lookalike plan {}/town.csv --schema … --sigma 0.1,0.5,2 --m 1,10\n\n",
            self.out.display()
        ))?;
        everywhere.tell(&report::plan_text(&plan))?;
        Ok(plan)
    }

    /// One release for each method, all of them valid under the schema.
    fn generate(
        &self,
        people: &Table,
        data: &Path,
        everywhere: &Everywhere,
    ) -> Result<Vec<Manifest>, Failure> {
        let mut manifests = Vec::new();
        for (method, settings) in RECIPES {
            let mut recipe = Recipe { seed: Some(1901), ..Recipe::new(method) };
            settings.iter().try_for_each(|setting| recipe.set(setting))?;
            let out = self.out.join(method);
            let fitted = synthesis::fit(people, &recipe)?;
            let input = Input { rows: people.rows() as u64, columns: people.columns().len() };
            let input_sha256 = sha256_of_file(data)?;
            let release = Release {
                fitted: &fitted,
                recipe: &recipe,
                input,
                input_sha256,
                books: None,
                attachments: Vec::new(),
            };
            let manifest = release.write(&out, out.exists())?;
            let set: String = settings.iter().map(|setting| format!(" --set {setting}")).collect();
            everywhere.tell(&format!(
                "\n$ lookalike synth … --method {method}{set} --seed 1901 --out {}\n\n",
                out.display()
            ))?;
            everywhere.tell(&super::drawing::summary(&out, &manifest))?;
            manifests.push(manifest);
        }
        Ok(manifests)
    }
}
