//! A bound on a τ metric, as a person writes it: `tau4(1, 0.5) <= 0.1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{PlanError, Tau};

/// Which of the four τ metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The share of synthetic cells near k.
    Tau1,
    /// The share of original cells of size k.
    Tau2,
    /// The probability that a cell of size k comes out near k.
    Tau3,
    /// The probability that a cell near k had size k.
    Tau4,
}

/// How a metric is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `<=`
    #[serde(rename = "<=")]
    AtMost,
    /// `<`
    #[serde(rename = "<")]
    Below,
    /// `>=`
    #[serde(rename = ">=")]
    AtLeast,
    /// `>`
    #[serde(rename = ">")]
    Above,
}

/// A τ metric, a comparison and a limit in [0, 1].
///
/// ```
/// use frontier::plan::Bound;
///
/// let bound: Bound = "tau4(1,0.5)<=0.1".parse()?;
/// assert_eq!(bound.to_string(), "tau4(1, 0.5) <= 0.1");
/// # Ok::<(), frontier::plan::PlanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The metric that is bounded.
    pub metric: Metric,
    /// Its cell size.
    pub k: u64,
    /// Its distance; 0 where none was written.
    pub d: f64,
    /// The direction of the bound.
    pub comparison: Comparison,
    /// What the metric is compared with.
    pub limit: f64,
}

impl Bound {
    /// The value of the bounded metric; `None` where it is undefined.
    pub fn value(&self, tau: &Tau) -> Option<f64> {
        match self.metric {
            Metric::Tau1 => Some(tau.tau1),
            Metric::Tau2 => Some(tau.tau2),
            Metric::Tau3 => Some(tau.tau3),
            Metric::Tau4 => tau.tau4,
        }
    }

    /// Whether a value meets the bound.
    pub(crate) fn admits(&self, value: f64) -> bool {
        match self.comparison {
            Comparison::AtMost => value <= self.limit,
            Comparison::Below => value < self.limit,
            Comparison::AtLeast => value >= self.limit,
            Comparison::Above => value > self.limit,
        }
    }

    /// The metric alone, as it is written in a bound.
    pub(crate) fn metric_text(&self) -> String {
        let name = match self.metric {
            Metric::Tau1 => "tau1",
            Metric::Tau2 => "tau2",
            Metric::Tau3 => "tau3",
            Metric::Tau4 => "tau4",
        };
        if self.d == 0.0 { format!("{name}({})", self.k) } else { format!("{name}({}, {})", self.k, self.d) }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.comparison {
            Comparison::AtMost => "<=",
            Comparison::Below => "<",
            Comparison::AtLeast => ">=",
            Comparison::Above => ">",
        };
        write!(f, "{} {sign} {}", self.metric_text(), self.limit)
    }
}

impl FromStr for Bound {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let refuse = |because| PlanError::BoundSyntax { text: text.to_owned(), because };
        let sign = text.find(['<', '>', '=']).ok_or_else(|| refuse("it has none of <=, <, >= and >"))?;
        let (left, right) = text.split_at(sign);
        let (comparison, limit) = if let Some(limit) = right.strip_prefix("<=") {
            (Comparison::AtMost, limit)
        } else if let Some(limit) = right.strip_prefix(">=") {
            (Comparison::AtLeast, limit)
        } else if let Some(limit) = right.strip_prefix('<') {
            (Comparison::Below, limit)
        } else if let Some(limit) = right.strip_prefix('>') {
            (Comparison::Above, limit)
        } else {
            return Err(refuse("an expected share is hardly ever equal to a number; use <= or >="));
        };
        let limit: f64 =
            limit.trim().parse().map_err(|_| refuse("what follows the comparison is not a number"))?;
        if !(0.0..=1.0).contains(&limit) {
            return Err(refuse("a tau metric is a share, so its limit lies between 0 and 1"));
        }

        let (name, arguments) = left
            .trim()
            .strip_suffix(')')
            .and_then(|left| left.split_once('('))
            .ok_or_else(|| refuse("the metric needs its cell size in brackets"))?;
        let metric = match name.trim() {
            "tau1" => Metric::Tau1,
            "tau2" => Metric::Tau2,
            "tau3" => Metric::Tau3,
            "tau4" => Metric::Tau4,
            _ => return Err(refuse("the metrics are tau1, tau2, tau3 and tau4")),
        };
        let (k, d) = match arguments.split_once(',') {
            Some((k, d)) => (k, d.trim().parse().map_err(|_| refuse("the distance d is not a number"))?),
            None => (arguments, 0.0),
        };
        let k = k.trim().parse().map_err(|_| refuse("the cell size k is not a whole number"))?;
        if !(f64::is_finite(d) && d >= 0.0) {
            return Err(refuse("the distance d must be a finite number of 0 or more"));
        }
        if metric == Metric::Tau2 && d > 0.0 {
            return Err(refuse("tau2 has no distance"));
        }
        Ok(Self { metric, k, d, comparison, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("tau4(1,0.5) <= 0.1", "tau4(1, 0.5) <= 0.1")]
    #[case(" tau3 ( 12 ) >=0.9", "tau3(12) >= 0.9")]
    #[case("tau1(0)<1", "tau1(0) < 1")]
    #[case("tau4(1, 0)>1e-3", "tau4(1) > 0.001")]
    #[case("tau2(1) <= 0.5", "tau2(1) <= 0.5")]
    fn bounds_are_read_as_people_write_them(#[case] written: &str, #[case] canonical: &str) {
        let bound: Bound = written.parse().unwrap();
        assert_eq!(bound.to_string(), canonical);
        assert_eq!(canonical.parse::<Bound>().unwrap(), bound);
    }

    #[rstest]
    #[case("tau4(1,0.5)", "it has none of")]
    #[case("tau4(1) = 0.1", "an expected share is hardly ever equal")]
    #[case("tau4(1) == 0.1", "an expected share is hardly ever equal")]
    #[case("tau4(1) <= ten", "what follows the comparison is not a number")]
    #[case("tau4(1) <= 10", "a tau metric is a share")]
    #[case("tau4(1) <= -0.1", "a tau metric is a share")]
    #[case("tau4(1) <= NaN", "a tau metric is a share")]
    #[case("tau4 <= 0.1", "the metric needs its cell size")]
    #[case("tau5(1) <= 0.1", "the metrics are tau1")]
    #[case("tau4(1.5) <= 0.1", "the cell size k is not a whole number")]
    #[case("tau4(-1) <= 0.1", "the cell size k is not a whole number")]
    #[case("tau4(1, x) <= 0.1", "the distance d is not a number")]
    #[case("tau4(1, -1) <= 0.1", "the distance d must be")]
    #[case("tau4(1, inf) <= 0.1", "the distance d must be")]
    #[case("tau2(1, 0.5) <= 0.1", "tau2 has no distance")]
    #[case("", "it has none of")]
    fn what_cannot_be_read_is_explained(#[case] written: &str, #[case] because: &str) {
        let text = written.parse::<Bound>().unwrap_err().to_string();
        assert!(text.contains(because) && text.contains("write it like `tau4(1, 0.5) <= 0.1`"), "{text}");
    }

    #[test]
    fn strict_and_closed_bounds_differ_at_the_limit() {
        let admits = |text: &str, value: f64| text.parse::<Bound>().unwrap().admits(value);
        assert!(admits("tau3(1) <= 0.5", 0.5) && !admits("tau3(1) < 0.5", 0.5));
        assert!(admits("tau3(1) >= 0.5", 0.5) && !admits("tau3(1) > 0.5", 0.5));
    }
}
