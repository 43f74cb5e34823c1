//! What a user can set of measures. A family's card lists the settings that it honours; an option of the command line that no chosen
//! family honours is refused.

use schemars::JsonSchema;
use serde::Serialize;

/// One thing that can be set: a field of [`Settings`](crate::Settings).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// Tables that are compared by the names of their variables.
    Tables,
    /// All tables of this many variables.
    Ways,
    /// The classes of numbers.
    Groups,
    /// How numbers are cut into them.
    Classes,
    /// Whether missing values are a class of tables.
    Missing,
    /// Whether the generator chose its number of records.
    SyntheticSize,
    /// What an intruder may know of a record.
    Keys,
    /// What an intruder may want to know.
    Targets,
    /// Which disclosures count.
    Disclosure,
    /// Models that are fitted to every file.
    Models,
    /// Orders of the propensity regression.
    Orders,
    /// Permutations for the null distribution of the propensity tree.
    Permutations,
    /// Resamples for the same.
    Resamples,
    /// The seed of permutations, resamples, attacks and samples of records.
    Seed,
    /// The cell sizes and distances of the τ metrics.
    CellSizes,
    /// The factor by which the generator multiplied all means.
    Scale,
    /// How the files were made.
    Mechanism,
    /// What an intruder may believe beforehand.
    Priors,
    /// Which risks of that intruder are acceptable.
    Regions,
    /// How often each attack is tried.
    Attacks,
    /// Variables that are predicted from the others.
    Predicted,
}

impl Setting {
    /// Every setting.
    pub const ALL: [Self; 21] = [
        Self::Tables,
        Self::Ways,
        Self::Groups,
        Self::Classes,
        Self::Missing,
        Self::SyntheticSize,
        Self::Keys,
        Self::Targets,
        Self::Disclosure,
        Self::Models,
        Self::Orders,
        Self::Permutations,
        Self::Resamples,
        Self::Seed,
        Self::CellSizes,
        Self::Scale,
        Self::Mechanism,
        Self::Priors,
        Self::Regions,
        Self::Attacks,
        Self::Predicted,
    ];

    /// The option by which requests and the command line set it, without dashes; `None` where only these settings can.
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::Tables => Some("tables"),
            Self::Ways => Some("ways"),
            Self::Groups => Some("groups"),
            Self::Classes => Some("classes"),
            Self::Missing => Some("without-missing"),
            Self::SyntheticSize => Some("random-size"),
            Self::Keys => Some("keys"),
            Self::Targets => Some("targets"),
            Self::Models => Some("model"),
            Self::Orders => Some("order"),
            Self::Permutations => Some("permutations"),
            Self::Resamples => Some("resamples"),
            Self::Seed => Some("seed"),
            Self::Mechanism => Some("mechanism"),
            Self::Regions => Some("regions"),
            Self::Attacks => Some("attacks"),
            Self::Predicted => Some("predict"),
            Self::Disclosure | Self::CellSizes | Self::Scale | Self::Priors => None,
        }
    }
}
