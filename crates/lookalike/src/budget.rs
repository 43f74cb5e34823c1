//! What may be spent of privacy: what overrides a recipe.

use privacy::Neighbours;
use synthesis::Recipe;

/// What is said of privacy on top of a recipe; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// The ε of the guarantee.
    pub epsilon: Option<f64>,
    /// The δ that goes with it.
    pub delta: Option<f64>,
    /// The ρ of zero-concentrated privacy, instead of ε.
    pub rho: Option<f64>,
    /// Which tables are to be indistinguishable.
    pub neighbours: Option<Neighbours>,
    /// The number of records in the data, where it is public.
    pub records: Option<u64>,
}

impl Budget {
    /// Whether an amount is stated.
    pub fn is_stated(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    /// The recipe with this on top: a stated amount replaces the recipe's as a whole, everything else one by one.
    ///
    /// ```
    /// use lookalike::Budget;
    /// use lookalike::synthesis::Recipe;
    ///
    /// let half = Budget { rho: Some(0.5), ..Budget::default() };
    /// let one = Budget { epsilon: Some(1.0), records: Some(900), ..Budget::default() };
    /// let settings = one.on_top_of(half.on_top_of(Recipe::new("ipf"))).privacy.unwrap();
    /// assert_eq!((settings.epsilon, settings.rho, settings.records), (Some(1.0), None, Some(900)));
    /// assert!(Budget::default().on_top_of(Recipe::new("ipf")).privacy.is_none());
    /// ```
    pub fn on_top_of(&self, mut recipe: Recipe) -> Recipe {
        if *self == Self::default() {
            return recipe;
        }
        let settings = recipe.privacy.get_or_insert_default();
        if self.is_stated() {
            (settings.epsilon, settings.delta, settings.rho) = (self.epsilon, self.delta, self.rho);
        }
        settings.neighbours = self.neighbours.or(settings.neighbours);
        settings.records = self.records.or(settings.records);
        recipe
    }
}
