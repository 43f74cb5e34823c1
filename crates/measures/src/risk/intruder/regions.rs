//! Which risks are acceptable: regions of the (RR, R) plane, read from a file.
//!
//! McClure & Reiter (2012, section 4) let the data owner say which pairs of relative risk RR and absolute risk R are acceptable:
//! "RR up to 10 as long as R is at most 0.10", "R of 0.90 and more as long as RR is at most 1.05". A pair is acceptable if
//! it lies in at least one region.
//!
//! ```
//! use measures::risk::intruder::Regions;
//!
//! let regions = Regions::parse(r#"
//! ## Each section is a region; a bound that is left out does not bind.
//! [[accept]]
//! name = "the truth stays unlikely"
//! r_at_most = 0.1
//! rr_at_most = 10
//!
//! [[accept]]
//! name = "little is learned"
//! rr_at_most = 1.05
//! "#)?;
//! assert!(regions.contain(9.0, 0.09) && regions.contain(1.02, 0.95));
//! assert!(!regions.contain(2.0, 0.5));
//! # Ok::<(), measures::MeasureError>(())
//! ```

use serde::Deserialize;
use toml::Spanned;

use crate::MeasureError;

/// Acceptable regions of the (RR, R) plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    regions: Vec<Region>,
}

/// A rectangle of the (RR, R) plane, its borders included.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What the data owner calls it.
    pub name: Option<String>,
    /// The smallest and largest R.
    pub r: (f64, f64),
    /// The smallest and largest RR; the largest may be infinite.
    pub rr: (f64, f64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accept: Vec<Spanned<Section>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    name: Option<String>,
    r_at_least: Option<Spanned<f64>>,
    r_at_most: Option<Spanned<f64>>,
    rr_at_least: Option<Spanned<f64>>,
    rr_at_most: Option<Spanned<f64>>,
}

impl Regions {
    /// Reads regions from a file's text; an error names the line.
    pub fn parse(text: &str) -> Result<Self, MeasureError> {
        let at = |place: usize, message: &str| MeasureError::Regions {
            line: 1 + text[..place.min(text.len())].matches('\n').count(),
            message: message.to_owned(),
        };
        let file: File = toml::from_str(text)
            .map_err(|error| at(error.span().map_or(0, |span| span.start), error.message()))?;
        if file.accept.is_empty() {
            return Err(at(0, "no region is acceptable; write at least one [[accept]] section"));
        }
        let bounds = |at_least: &Option<Spanned<f64>>, at_most: &Option<Spanned<f64>>, largest: f64| {
            for bound in [at_least, at_most].into_iter().flatten() {
                let value = *bound.get_ref();
                if !(0.0..=largest).contains(&value) {
                    let message = match largest.is_finite() {
                        true => "a bound of R must lie from 0 to 1",
                        false => "a bound of RR must be a number of 0 or more",
                    };
                    return Err(at(bound.span().start, message));
                }
            }
            let low = at_least.as_ref().map_or(0.0, |bound| *bound.get_ref());
            let high = at_most.as_ref().map_or(largest, |bound| *bound.get_ref());
            match at_least {
                Some(bound) if low > high => {
                    Err(at(bound.span().start, "the lower bound is above the upper one"))
                }
                _ => Ok((low, high)),
            }
        };
        let region = |section: &Spanned<Section>| {
            let bound = section.get_ref();
            let none = bound.r_at_least.is_none() && bound.r_at_most.is_none();
            if none && bound.rr_at_least.is_none() && bound.rr_at_most.is_none() {
                let message =
                    "the region has no bounds and would accept everything; give r_at_most or rr_at_most";
                return Err(at(section.span().start, message));
            }
            Ok(Region {
                name: bound.name.clone(),
                r: bounds(&bound.r_at_least, &bound.r_at_most, 1.0)?,
                rr: bounds(&bound.rr_at_least, &bound.rr_at_most, f64::INFINITY)?,
            })
        };
        Ok(Self { regions: file.accept.iter().map(region).collect::<Result<_, _>>()? })
    }

    /// The text of a file from which [`parse`](Self::parse) reads the same regions.
    pub fn to_toml(&self) -> String {
        let section = |region: &Region| {
            let name =
                region.name.iter().map(|name| format!("name = {}\n", toml::Value::from(name.as_str())));
            let bounds = [
                ("r_at_least", region.r.0),
                ("r_at_most", region.r.1),
                ("rr_at_least", region.rr.0),
                ("rr_at_most", region.rr.1),
            ];
            let bounds = bounds.into_iter().filter(|(_, bound)| bound.is_finite());
            let bounds = bounds.map(|(key, bound)| format!("{key} = {}\n", toml::Value::from(bound)));
            format!("[[accept]]\n{}", name.chain(bounds).collect::<String>())
        };
        self.regions.iter().map(section).collect()
    }

    /// The regions.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Whether a pair of relative and absolute risk is acceptable.
    pub fn contain(&self, rr: f64, r: f64) -> bool {
        let within = |(low, high): (f64, f64), value: f64| low <= value && value <= high;
        self.regions.iter().any(|region| within(region.r, r) && within(region.rr, rr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_belong_to_a_region() {
        let regions =
            Regions::parse("[[accept]]\nr_at_least = 0.2\nr_at_most = 0.5\nrr_at_most = 3").unwrap();
        assert!(regions.contain(3.0, 0.2) && regions.contain(0.0, 0.5));
        assert!(!regions.contain(3.1, 0.2) && !regions.contain(1.0, 0.1));
        let above = Regions::parse("[[accept]]\nrr_at_least = 2").unwrap();
        assert!(above.contain(f64::INFINITY, 1.0) && !above.contain(1.0, 1.0));
    }

    #[test]
    fn regions_are_written_as_they_are_read() {
        let text = "[[accept]]\nname = \"a \\\"b\\\"\"\nr_at_most = 0.1\n[[accept]]\nrr_at_least = 0.3\nrr_at_most = 2";
        let regions = Regions::parse(text).unwrap();
        assert_eq!(regions.regions().len(), 2);
        assert_eq!(Regions::parse(&regions.to_toml()).unwrap(), regions);
    }

    #[test]
    fn what_cannot_be_read_is_located() {
        for (text, says) in [
            ("", "line 1: no region is acceptable"),
            ("[[accept]]\nr_at_most = 1.5", "line 2: a bound of R must lie from 0 to 1"),
            ("[[accept]]\nrr_at_most = 2\n\n[[accept]]\nrr_at_most = nan", "line 5: a bound of RR must be"),
            ("[[accept]]\nr_at_most = 0.1\nr_at_least = 0.2", "line 3: the lower bound is above"),
            ("[[accept]]\nr_most = 0.1", "line 2: unknown field `r_most`"),
            ("[[accept]]\nname = \"all\"", "line 1: the region has no bounds"),
            ("[[accept]]\n\nr_at_most = low", "line 3: "),
        ] {
            let error = Regions::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the regions of acceptable risk, {says}")), "{error}");
        }
    }
}
