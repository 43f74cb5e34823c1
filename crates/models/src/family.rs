//! The families of models.

use std::fmt;
use std::str::FromStr;

use table::similar_name;

use crate::ModelError;

/// What is said about the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFamily {
    /// A number with normal errors: ordinary least squares.
    Gaussian,
    /// One of two levels, of which the second is success; or 0 and 1.
    Logistic,
    /// One of several levels without order.
    Multinomial,
    /// One of several levels in order: proportional odds.
    Ordinal,
    /// A number of events.
    Poisson,
}

impl ModelFamily {
    /// Every family.
    pub const ALL: [Self; 5] =
        [Self::Gaussian, Self::Logistic, Self::Multinomial, Self::Ordinal, Self::Poisson];

    /// Its name on the command line and in recipes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Logistic => "logistic",
            Self::Multinomial => "multinomial",
            Self::Ordinal => "ordinal",
            Self::Poisson => "poisson",
        }
    }
}

impl fmt::Display for ModelFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ModelFamily {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        Self::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| ModelError::Family {
            name: name.to_owned(),
            hint: similar_name::hint(name, Self::ALL.map(Self::name)),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_name() {
        for family in ModelFamily::ALL {
            assert_eq!(family.to_string().parse::<ModelFamily>().unwrap(), family);
        }
        let error = "logistc".parse::<ModelFamily>().unwrap_err().to_string();
        assert!(error.contains("did you mean `logistic`?") && error.contains("poisson"), "{error}");
    }
}
