//! From a table to conclusions by the library alone: describe, declare, frontier, release, verify, fit.
//!
//! `cargo run -p lookalike --example whole_job -- FOLDER` writes to FOLDER, which must be new.

use std::path::Path;

use lookalike::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", whole_job(Path::new(&std::env::args().nth(1).unwrap_or_else(|| "whole-job".into())))?);
    Ok(())
}

/// Writes a frontier and a release to a new folder, and says what was found.
pub fn whole_job(folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let watch = Watch::new(|step| eprintln!("{step:?}"));
    let cancel = watch.cancel();
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(600));
        cancel.now();
    });
    let town = Data::records("town", read_csv_text(&town::Town::new(600, 1).csv(), &ReadOptions::default())?);
    let described = DescribeRequest::new(town.clone()).run(&watch)?;
    let town = town.under(described.declare("the town is invented")?);
    let mut frontier = FrontierRequest::new(town.clone());
    frontier.grid = Some(lookalike::frontier::grid::parse(
        "[[recipe]]\nmethod = \"sequential\"\n[recipe.options]\nmin_bucket = [5, 50]\n",
    )?);
    frontier.questions.only = vec!["tables".into(), "uniques".into()];
    (frontier.repeat, frontier.limits) = (2, vec!["uniques.ru <= 20".into()]);
    frontier.out = Some(folder.join("frontier"));
    let recommended = frontier.run(&watch)?.frontier.recommendation.name;
    let version = Version::OfFrontier { folder: folder.join("frontier"), choose: None };
    let release = ReleaseRequest::new(town, version, "the board", folder.join("release"));
    let label = release.run(&watch)?.manifest.label;
    let passed = VerifyRequest::new(folder.join("release")).run()?.passed;
    let mean = Estimand::parse("mean(income) by sex")?;
    let found = FitRequest::new([folder.join("release")], vec![mean]).run(&watch)?;
    let found = lookalike::report::fit_text(&found);
    Ok(format!("recommended: {recommended:?}\n{label}\npasses: {passed}\n{found}"))
}
