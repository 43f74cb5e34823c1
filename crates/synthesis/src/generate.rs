//! Synthetic tables in one call.

use table::{Source, Table};

use crate::{Recipe, Run, SynthesisError, fit};

/// Synthetic tables, and what the fit had to say.
pub struct Generated {
    /// The m data sets.
    pub tables: Vec<Table>,
    /// Remarks of the model: convergence, size.
    pub remarks: Vec<String>,
    /// The seed that was used, given or drawn.
    pub seed: u64,
}

/// Fits a recipe and draws all data sets that it asks for, in memory.
pub fn generate<'a>(source: impl Into<Source<'a>>, recipe: &Recipe) -> Result<Generated, SynthesisError> {
    let fitted = fit(source, recipe, &Run::default())?;
    let tables = (0..fitted.m()).map(|number| fitted.table(number));
    Ok(Generated {
        tables: tables.collect::<Result<_, _>>()?,
        remarks: fitted.remarks(),
        seed: fitted.seed(),
    })
}
