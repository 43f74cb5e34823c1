//! How much is drawn, from which seed, in which format: what overrides a recipe.

use synthesis::Recipe;
use table::write::Format;

/// What is said on top of a recipe; nothing by default.
///
/// ```
/// use lookalike::prelude::*;
///
/// let amount = Amount { m: Some(5), rows: Some(500), ..Amount::default() };
/// let recipe = amount.on_top_of(Recipe::new("catall"));
/// assert_eq!((recipe.m, recipe.rows), (5, Some(500)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many data sets to make.
    pub m: Option<u32>,
    /// Records in each data set.
    pub rows: Option<u64>,
    /// The seed.
    pub seed: Option<u64>,
    /// The format of the data files.
    pub format: Option<Format>,
    /// Write texts to CSV that a spreadsheet would run as a formula as they are.
    pub keep_formulas: bool,
}

impl Amount {
    /// The recipe with this on top.
    pub fn on_top_of(&self, recipe: Recipe) -> Recipe {
        Recipe {
            m: self.m.unwrap_or(recipe.m),
            rows: self.rows.or(recipe.rows),
            seed: self.seed.or(recipe.seed),
            format: self.format.unwrap_or(recipe.format),
            keep_formulas: self.keep_formulas || recipe.keep_formulas,
            ..recipe
        }
    }

    /// The option that makes more or fewer data sets or records than the recipe says.
    pub(crate) fn changed(&self) -> Option<&'static str> {
        self.m.map(|_| "m").or_else(|| self.rows.map(|_| "rows"))
    }
}
