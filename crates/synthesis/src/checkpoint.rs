//! Fitted parts on disk, so that a run that was interrupted need not begin again.
//!
//! The folder holds the seed, a fingerprint of data, schema and recipe, and one file a fitted part, each written whole or not at all. A run
//! with the same data and recipe takes what is there and fits the rest; because every part has random numbers of its own, the
//! result is the same to the last byte. The files are as confidential as the data.

use std::hash::Hasher;
use std::path::Path;

use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use table::{Column, Table, TableError, atomic_file, with_codes};

use crate::fit::fresh_seed;
use crate::stored::{self, StateReader, StateWriter, StoredFile, VERSION, ensure};
use crate::{Recipe, Run, SynthesisError};

/// The file that says whose parts these are.
const RUN: &str = "run.json";

/// How the names of files of parts end.
const EXTENSION: &str = "model-part";

/// The word by which the header of a part is known from that of a model.
const PART: &str = "lookalike-model-part";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    software: String,
    seed: u64,
    data: String,
    schema: String,
    recipe: String,
}

/// The seed of a run: the recipe's, else that of the run which is resumed, else a fresh one. Refuses a folder that belongs to another run.
pub(crate) fn seed_of(run: &Run, table: &Table, recipe: &Recipe) -> Result<u64, SynthesisError> {
    let Some(folder) = &run.checkpoint else { return Ok(recipe.seed.unwrap_or_else(fresh_seed)) };
    let path = folder.join(RUN);
    let header = |seed: u64| Header {
        software: format!("lookalike {}, models of version {VERSION}", env!("CARGO_PKG_VERSION")),
        seed,
        data: fingerprint(table),
        schema: table.schema().to_toml(),
        recipe: Recipe { seed: None, m: 1, rows: None, format: Default::default(), ..recipe.clone() }
            .to_toml(),
    };
    if !path.exists() {
        if !atomic_file::is_empty(folder) {
            let message = format!("{} is neither empty nor a folder of an interrupted run", folder.display());
            return Err(SynthesisError::option("resume", message));
        }
        let seed = recipe.seed.unwrap_or_else(fresh_seed);
        std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
        let json = serde_json::to_vec_pretty(&header(seed)).unwrap_or_default();
        atomic_file::write_private(&path, &json)?;
        return Ok(seed);
    }
    let bytes = std::fs::read(&path).map_err(|source| TableError::io(&path, source))?;
    let kept: Option<Header> = serde_json::from_slice(&bytes).ok();
    match kept {
        Some(kept) if kept == header(recipe.seed.unwrap_or(kept.seed)) => Ok(kept.seed),
        _ => Err(SynthesisError::option(
            "resume",
            format!(
                "{} belongs to a run with other data, another schema, recipe, seed or version; choose an empty folder",
                folder.display()
            ),
        )),
    }
}

/// A fitted part by its number, in the folder of a run that keeps its parts.
pub(crate) struct StoredPart<'a> {
    pub folder: Option<&'a Path>,
    pub number: usize,
}

/// What the file of a part says of it.
#[derive(Serialize, Deserialize)]
struct PartHeader {
    format: String,
    number: usize,
}

impl StoredPart<'_> {
    /// The part from its file if it is there, else fitted and then kept.
    pub(crate) fn kept<T>(
        &self,
        load: impl FnOnce(&mut StateReader<'_>) -> Result<T, SynthesisError>,
        store: impl FnOnce(&T, &mut StateWriter<'_>) -> std::io::Result<()>,
        fit: impl FnOnce() -> Result<T, SynthesisError>,
    ) -> Result<T, SynthesisError> {
        let Some(folder) = self.folder else { return fit() };
        let number = self.number + 1;
        let path = folder.join(format!("part-{number:04}.{EXTENSION}"));
        if path.exists() {
            let (file, header): (_, PartHeader) = StoredFile::open(&path)?;
            ensure(header.format == PART && header.number == number, "it is another part, or a model")?;
            return file.state(load);
        }
        let part = fit()?;
        std::fs::create_dir_all(folder).map_err(|source| TableError::io(folder, source))?;
        let header = PartHeader { format: PART.into(), number };
        atomic_file::write_private_with(&path, |file| {
            stored::write(file, &header, |into| store(&part, into))
        })?;
        Ok(part)
    }
}

/// Removes what a run has kept, once it is no longer needed, and the folder if nothing else is in it.
pub fn remove(folder: &Path) -> Result<(), TableError> {
    let failed = |source| TableError::io(folder, source);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if name.starts_with("stratum-") {
                remove(&path)?;
            }
        } else if name == RUN
            || (name.starts_with("part-") && name.ends_with(EXTENSION))
            || atomic_file::is_unfinished(&name)
        {
            std::fs::remove_file(&path).map_err(failed)?;
        }
    }
    // A folder that holds something else stays.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// A hash of all values.
fn fingerprint(table: &Table) -> String {
    let mut hash = FxHasher::default();
    hash.write_usize(table.rows());
    for column in table.columns() {
        match column {
            Column::Categorical(codes) => {
                with_codes!(codes.as_ref(), codes => codes.iter().for_each(|code| hash.write_u64(*code as u64)))
            }
            Column::Text(text) => text.codes.iter().for_each(|code| hash.write_u32(code)),
            numeric => (0..numeric.len()).for_each(|row| match numeric.number(row) {
                Some(table::column::Entry::Value(value)) => hash.write_u64(value.to_bits()),
                Some(table::column::Entry::Code(code)) => hash.write_u64(u64::MAX - 1 - code as u64),
                _ => hash.write_u64(u64::MAX),
            }),
        }
    }
    format!("{:016x}", hash.finish())
}
