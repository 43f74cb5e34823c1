//! A count family: the shape of a count's distribution, before its mean is known.

use std::num::NonZeroU32;

use rand::Rng;

use super::distribution::CountDistribution;

/// The largest dispersion that is accepted; a count of mean 1 then has variance one million and one.
const LARGEST_SIGMA: f64 = 1e6;

/// The largest mean that is accepted. Draws are computed in `f64`, whose integers are exact up to 2⁵³ ≈ 9·10¹⁵.
const LARGEST_MEAN: f64 = 1e15;

/// Why a count family or its mean could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CountError {
    /// σ is negative, too large or not a number.
    #[error(
        "sigma must be a number from 0 to 1000000, but is {value:?}; 0 adds no variance to a Poisson count"
    )]
    Sigma {
        /// What was given.
        value: f64,
    },
    /// ν is outside [0, 1).
    #[error(
        "nu must be a number from 0 to below 1, but is {value}; 0 is nbi, and the nearer to 1 the more skewed"
    )]
    Nu {
        /// What was given.
        value: f64,
    },
    /// A mean is negative, too large or not a number.
    #[error("a mean count must be a number from 0 to 1e15, but is {value:?}; check alpha and scale")]
    Mean {
        /// What was given.
        value: f64,
    },
    /// An option that must be above 0.
    #[error("{option} must be a finite number above 0")]
    NotPositive {
        /// The option.
        option: &'static str,
    },
    /// An option that must not be below 0.
    #[error("{option} must be a finite number of 0 or more")]
    Negative {
        /// The option.
        option: &'static str,
    },
    /// An option that this family does not know.
    #[error("the {family} family has no {option}; leave {option} out, or choose {instead}")]
    NotHonoured {
        /// The family that was asked for.
        family: &'static str,
        /// The option that it does not have.
        option: &'static str,
        /// Families that have the option.
        instead: &'static str,
    },
    /// An option that this family needs.
    #[error("the {family} family needs {option}; say {option} = {example}")]
    Missing {
        /// The family that was asked for.
        family: &'static str,
        /// The option that is missing.
        option: &'static str,
        /// A value to start with.
        example: &'static str,
    },
    /// A family name that does not exist.
    #[error("there is no count family `{name}`; the families are poisson, nbi, pig and delaporte")]
    UnknownFamily {
        /// What was given.
        name: String,
    },
}

/// The dispersion σ ≥ 0: a count with mean μ has variance μ + σμ². Never a standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Dispersion(f64);

impl Dispersion {
    /// No dispersion beyond the Poisson's own.
    pub const ZERO: Self = Self(0.0);

    /// A dispersion from 0 to 10⁶.
    pub fn new(value: f64) -> Result<Self, CountError> {
        // `+ 0.0` turns a negative zero into zero, so that equal dispersions print alike.
        if (0.0..=LARGEST_SIGMA).contains(&value) {
            Ok(Self(value + 0.0))
        } else {
            Err(CountError::Sigma { value })
        }
    }

    /// The number σ.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The dispersion of a sum of `m` independent counts: σ/m.
    fn of_sum(self, m: NonZeroU32) -> Self {
        Self(self.0 / f64::from(m.get()))
    }
}

/// The share ν in [0, 1) of a Delaporte count's mean that is plain Poisson; the rest carries all the dispersion.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PoissonShare(f64);

impl PoissonShare {
    /// A share from 0 to below 1.
    pub fn new(value: f64) -> Result<Self, CountError> {
        if (0.0..1.0).contains(&value) { Ok(Self(value + 0.0)) } else { Err(CountError::Nu { value }) }
    }

    /// The number ν.
    pub fn value(self) -> f64 {
        self.0
    }
}

/// The mean of a count: from 0 to 10¹⁵.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Mean(f64);

impl Mean {
    /// A mean from 0 to 10¹⁵.
    pub fn new(value: f64) -> Result<Self, CountError> {
        if (0.0..=LARGEST_MEAN).contains(&value) {
            Ok(Self(value + 0.0))
        } else {
            Err(CountError::Mean { value })
        }
    }

    /// An original count as the mean of a synthetic one.
    pub fn of_count(count: u32) -> Self {
        Self(f64::from(count))
    }

    /// The number μ.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The mean of a sum of `m` independent counts: mμ.
    pub(super) fn of_sum(self, m: NonZeroU32) -> Self {
        Self(self.0 * f64::from(m.get()))
    }
}

/// A family of count distributions, indexed by their mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CountFamily {
    /// Variance equal to the mean.
    Poisson,
    /// Negative binomial with size 1/σ: a Poisson count whose mean is multiplied by a gamma variable.
    Nbi {
        /// The variance is μ + σμ².
        sigma: Dispersion,
    },
    /// Poisson-inverse Gaussian: a Poisson count whose mean is multiplied by an inverse Gaussian variable.
    Pig {
        /// The variance is μ + σμ².
        sigma: Dispersion,
    },
    /// The sum of a Poisson count of mean νμ and a negative binomial count of mean (1 − ν)μ and dispersion σ/(1 − ν)²;
    /// mean and variance do not depend on ν, the skewness grows with it.
    Delaporte {
        /// The variance is μ + σμ².
        sigma: Dispersion,
        /// The share of the mean that is plain Poisson.
        nu: PoissonShare,
    },
}

impl CountFamily {
    /// NBI with dispersion σ.
    pub fn nbi(sigma: f64) -> Result<Self, CountError> {
        Ok(Self::Nbi { sigma: Dispersion::new(sigma)? })
    }

    /// PIG with dispersion σ.
    pub fn pig(sigma: f64) -> Result<Self, CountError> {
        Ok(Self::Pig { sigma: Dispersion::new(sigma)? })
    }

    /// Delaporte with dispersion σ and Poisson share ν.
    pub fn delaporte(sigma: f64, nu: f64) -> Result<Self, CountError> {
        Ok(Self::Delaporte { sigma: Dispersion::new(sigma)?, nu: PoissonShare::new(nu)? })
    }

    /// The family as a recipe or a command line names it. An option that the family would ignore is refused, and so is a
    /// missing one.
    ///
    /// ```
    /// use statistics::counts::CountFamily;
    ///
    /// assert_eq!(CountFamily::from_options("nbi", Some(0.5), None), CountFamily::nbi(0.5));
    /// assert!(CountFamily::from_options("poisson", Some(0.5), None).is_err());
    /// ```
    pub fn from_options(name: &str, sigma: Option<f64>, nu: Option<f64>) -> Result<Self, CountError> {
        let refuse_nu = |family| match nu {
            Some(_) => Err(CountError::NotHonoured { family, option: "nu", instead: "delaporte" }),
            None => Ok(()),
        };
        let need_sigma =
            |family| sigma.ok_or(CountError::Missing { family, option: "sigma", example: "0.1" });
        match name {
            "poisson" => {
                refuse_nu("poisson")?;
                match sigma {
                    // "sigma = 0" is how Jackson writes the Poisson.
                    None | Some(0.0) => Ok(Self::Poisson),
                    Some(_) => Err(Self::Poisson.has_no_sigma()),
                }
            }
            "nbi" => refuse_nu("nbi").and_then(|()| Self::nbi(need_sigma("nbi")?)),
            "pig" => refuse_nu("pig").and_then(|()| Self::pig(need_sigma("pig")?)),
            "delaporte" => {
                let nu =
                    nu.ok_or(CountError::Missing { family: "delaporte", option: "nu", example: "0.5" })?;
                Self::delaporte(need_sigma("delaporte")?, nu)
            }
            _ => Err(CountError::UnknownFamily { name: name.to_owned() }),
        }
    }

    /// The name that [`from_options`](Self::from_options) reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Nbi { .. } => "nbi",
            Self::Pig { .. } => "pig",
            Self::Delaporte { .. } => "delaporte",
        }
    }

    /// σ; zero for the Poisson.
    pub fn sigma(self) -> Dispersion {
        match self {
            Self::Poisson => Dispersion::ZERO,
            Self::Nbi { sigma } | Self::Pig { sigma } | Self::Delaporte { sigma, .. } => sigma,
        }
    }

    /// ν, where the family has one.
    pub fn nu(self) -> Option<PoissonShare> {
        match self {
            Self::Delaporte { nu, .. } => Some(nu),
            Self::Poisson | Self::Nbi { .. } | Self::Pig { .. } => None,
        }
    }

    /// The same family with another dispersion; refused for the Poisson, which has none to set.
    pub fn with_sigma(self, sigma: Dispersion) -> Result<Self, CountError> {
        match self {
            Self::Poisson => Err(self.has_no_sigma()),
            Self::Nbi { .. } => Ok(Self::Nbi { sigma }),
            Self::Pig { .. } => Ok(Self::Pig { sigma }),
            Self::Delaporte { nu, .. } => Ok(Self::Delaporte { sigma, nu }),
        }
    }

    /// The family to which the sum of `m` independent counts of one mean belongs: σ becomes σ/m, ν stays.
    ///
    /// Every mixing law here is infinitely divisible in the right way: the sum of m gamma (inverse Gaussian) variables with
    /// mean μ and variance σμ² is gamma (inverse Gaussian) with mean mμ and variance (σ/m)(mμ)², and a sum of Poisson
    /// counts is Poisson in the summed mean.
    pub fn sum_of(self, m: NonZeroU32) -> Self {
        match self {
            Self::Poisson => Self::Poisson,
            Self::Nbi { sigma } => Self::Nbi { sigma: sigma.of_sum(m) },
            Self::Pig { sigma } => Self::Pig { sigma: sigma.of_sum(m) },
            Self::Delaporte { sigma, nu } => Self::Delaporte { sigma: sigma.of_sum(m), nu },
        }
    }

    /// The member of the family with this mean.
    pub fn distribution(self, mean: Mean) -> CountDistribution {
        CountDistribution::new(self, mean)
    }

    /// One draw of a count with this mean; shorthand for `distribution(mean).sample(rng)`.
    pub fn sample<R: Rng + ?Sized>(self, mean: Mean, rng: &mut R) -> u64 {
        self.distribution(mean).sample(rng)
    }

    fn has_no_sigma(self) -> CountError {
        CountError::NotHonoured { family: self.name(), option: "sigma", instead: "nbi, pig or delaporte" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_refused_by_name() {
        for value in [-0.1, 1.1e6, f64::NAN, f64::INFINITY] {
            assert!(CountFamily::nbi(value).unwrap_err().to_string().starts_with("sigma must be"));
            assert!(CountFamily::pig(value).unwrap_err().to_string().starts_with("sigma must be"));
        }
        for value in [-0.1, 1.0, f64::NAN] {
            assert!(CountFamily::delaporte(0.5, value).unwrap_err().to_string().starts_with("nu must be"));
        }
        for value in [-1e-300, 1.1e15, f64::NAN, f64::INFINITY] {
            assert!(Mean::new(value).unwrap_err().to_string().starts_with("a mean count must be"));
        }
        assert!(CountFamily::nbi(0.0).is_ok() && CountFamily::nbi(1e6).is_ok());
        assert!(Mean::new(0.0).is_ok() && Mean::new(1e15).is_ok());
    }

    #[test]
    fn options_that_a_family_would_ignore_are_refused() {
        let refusals = [
            ("poisson", Some(0.5), None, "the poisson family has no sigma"),
            ("poisson", None, Some(0.5), "the poisson family has no nu"),
            ("nbi", Some(0.5), Some(0.5), "the nbi family has no nu"),
            ("pig", Some(0.5), Some(0.5), "the pig family has no nu"),
            ("nbi", None, None, "the nbi family needs sigma"),
            ("delaporte", Some(0.5), None, "the delaporte family needs nu"),
            ("delaporte", None, Some(0.5), "the delaporte family needs sigma"),
            ("sichel", Some(0.5), None, "there is no count family `sichel`"),
        ];
        for (name, sigma, nu, says) in refusals {
            let text = CountFamily::from_options(name, sigma, nu).unwrap_err().to_string();
            assert!(text.starts_with(says), "{text}");
        }
        for (name, sigma, nu) in [
            ("poisson", None, None),
            ("nbi", Some(2.0), None),
            ("pig", Some(2.0), None),
            ("delaporte", Some(2.0), Some(0.25)),
        ] {
            let family = CountFamily::from_options(name, sigma, nu).unwrap();
            assert_eq!(family.name(), name);
            assert_eq!(family.sigma().value(), sigma.unwrap_or(0.0));
            assert_eq!(family.nu().map(PoissonShare::value), nu);
        }
    }

    #[test]
    fn a_poisson_has_no_sigma_to_set() {
        let sigma = Dispersion::new(1.0).unwrap();
        assert!(CountFamily::Poisson.with_sigma(sigma).is_err());
        let family = CountFamily::delaporte(0.5, 0.25).unwrap().with_sigma(sigma).unwrap();
        assert_eq!(family, CountFamily::delaporte(1.0, 0.25).unwrap());
    }
}
