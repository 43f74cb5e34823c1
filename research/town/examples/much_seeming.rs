//! What does the demo town look like? Writes `much-seeming.csv` and `much-seeming.schema.toml` into a folder.
//!
//! `cargo run --release -p lookalike-town --example much_seeming -- FOLDER [PEOPLE [SEED]]`

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name the folder to write to")?);
    let mut town = town::Town::default();
    if let Some(people) = arguments.next() {
        town.people = people.parse()?;
    }
    if let Some(seed) = arguments.next() {
        town.seed = seed.parse()?;
    }
    let start = Instant::now();
    let csv = town.csv();
    eprintln!("{} people drawn and written in {:.3} s", town.people, start.elapsed().as_secs_f64());
    std::fs::write(folder.join("much-seeming.csv"), csv)?;
    std::fs::write(folder.join("much-seeming.schema.toml"), town.schema())?;
    Ok(())
}
