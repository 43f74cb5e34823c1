//! What is to be estimated, as people write it.

use std::fmt;

use models::{Formula, ModelFamily};

use crate::InferenceError;

/// A quantity, or several of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimand {
    /// The coefficients of a regression.
    Model {
        /// Its formula.
        formula: Formula,
        /// Its family.
        family: ModelFamily,
    },
    /// The mean of a number, of everybody or in each class of other variables: `mean(income) by sex`.
    Mean {
        /// The number.
        of: String,
        /// Within the classes of these variables.
        by: Vec<String>,
    },
    /// A quantile of a number, of everybody or in each class of other variables: `median(income) by sex`, `quantile(income, 0.9)`.
    Quantile {
        /// The number.
        of: String,
        /// Which, between 0 and 1.
        p: f64,
        /// Within the classes of these variables.
        by: Vec<String>,
    },
    /// The shares of the levels of a variable, of everybody or in each class of others: `share(smoke) by agegr`, `share(smoke = YES)`.
    Share {
        /// The variable.
        of: String,
        /// One level alone, if only that is wanted.
        level: Option<String>,
        /// Within the classes of these variables.
        by: Vec<String>,
    },
    /// The shares of the cells of a cross-table: `table(edu, marital)`.
    Table {
        /// Its variables.
        of: Vec<String>,
    },
}

impl Estimand {
    /// Parses `mean(x) by a, b`, `median(x)`, `quantile(x, 0.9) by a`, `share(x) by a`, `share(x = LEVEL)` or `table(a, b)`. Names with commas, brackets or signs stand in
    /// backquotes.
    ///
    /// ```
    /// use inference::Estimand;
    /// let parsed = Estimand::parse("mean(income) by sex, agegr")?;
    /// assert_eq!(parsed, Estimand::Mean { of: "income".into(), by: vec!["sex".into(), "agegr".into()] });
    /// assert_eq!(parsed.to_string(), "mean(income) by sex, agegr");
    /// # Ok::<(), inference::InferenceError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, InferenceError> {
        let refuse = |message: &str| InferenceError::estimand(text, message);
        let forms =
            "write mean(x) by a, median(x), quantile(x, 0.9), share(x) by a, share(x = LEVEL) or table(a, b)";
        let (word, rest) = text.split_once('(').ok_or_else(|| refuse(forms))?;
        let close = outside_quotes(rest, ')').ok_or_else(|| refuse("a closing bracket is missing"))?;
        let (inside, after) = (&rest[..close], rest[close + 1..].trim());
        let by = match after.strip_prefix("by ") {
            Some(names) => self::names(names).ok_or_else(|| refuse("a name is missing after `by`"))?,
            None if after.is_empty() => Vec::new(),
            None => return Err(refuse("only `by` and names may follow the bracket")),
        };
        match word.trim() {
            "mean" => match names(inside).as_deref() {
                Some([of]) => Ok(Self::Mean { of: of.clone(), by }),
                _ => Err(refuse("mean takes one variable")),
            },
            "median" => match names(inside).as_deref() {
                Some([of]) => Ok(Self::Quantile { of: of.clone(), p: 0.5, by }),
                _ => Err(refuse("median takes one variable")),
            },
            "quantile" => {
                let found = names(inside).and_then(|found| match &found[..] {
                    [of, p] => Some((of.clone(), p.parse().ok().filter(|p| 0.0 < *p && *p < 1.0)?)),
                    _ => None,
                });
                let wanted =
                    "quantile takes one variable and a number between 0 and 1, as in quantile(income, 0.9)";
                found.map(|(of, p)| Self::Quantile { of, p, by }).ok_or_else(|| refuse(wanted))
            }
            "share" => {
                let (of, level) = match outside_quotes(inside, '=') {
                    Some(at) => (&inside[..at], Some(unquoted(&inside[at + 1..]))),
                    None => (inside, None),
                };
                match names(of).as_deref() {
                    Some([of]) if level.as_deref() != Some("") => {
                        Ok(Self::Share { of: of.clone(), level, by })
                    }
                    _ => Err(refuse("share takes one variable, or one and a level as in share(x = LEVEL)")),
                }
            }
            "table" if !by.is_empty() => {
                Err(refuse("a table has no `by`; put the variables into the bracket"))
            }
            "table" => match names(inside) {
                Some(of) => Ok(Self::Table { of }),
                None => Err(refuse("table takes variables, such as table(edu, marital)")),
            },
            _ => Err(refuse(forms)),
        }
    }

    /// Whether it is about shares of cells only, which the posterior of a `dirichlet` release can answer.
    pub(crate) fn is_of_shares(&self) -> bool {
        matches!(self, Self::Share { .. } | Self::Table { .. })
    }

    /// The variables it names.
    pub fn variables(&self) -> Vec<&str> {
        match self {
            Self::Model { formula, .. } => formula.variables(),
            Self::Mean { of, by } | Self::Quantile { of, by, .. } | Self::Share { of, by, .. } => {
                std::iter::once(of).chain(by).map(String::as_str).collect()
            }
            Self::Table { of } => of.iter().map(String::as_str).collect(),
        }
    }
}

impl fmt::Display for Estimand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |by: &[String]| if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
        match self {
            Self::Model { formula, .. } => write!(f, "{formula}"),
            Self::Mean { of, by: names } => write!(f, "mean({of}){}", by(names)),
            Self::Quantile { of, p, by: names } if *p == 0.5 => write!(f, "median({of}){}", by(names)),
            Self::Quantile { of, p, by: names } => write!(f, "quantile({of}, {p}){}", by(names)),
            Self::Share { of, level: None, by: names } => write!(f, "share({of}){}", by(names)),
            Self::Share { of, level: Some(level), by: names } => {
                write!(f, "share({of} = {level}){}", by(names))
            }
            Self::Table { of } => write!(f, "table({})", of.join(", ")),
        }
    }
}

/// Where `wanted` first stands outside backquotes.
fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, character)| {
        quoted ^= character == '`';
        (character == wanted && !quoted).then_some(at)
    })
}

/// Names apart at commas; `None` if one is empty or given twice.
fn names(mut text: &str) -> Option<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    loop {
        let comma = outside_quotes(text, ',');
        let name = unquoted(&text[..comma.unwrap_or(text.len())]);
        if name.is_empty() || names.contains(&name) {
            return None;
        }
        names.push(name);
        match comma {
            Some(at) => text = &text[at + 1..],
            None => return Some(names),
        }
    }
}

fn unquoted(name: &str) -> String {
    let name = name.trim();
    name.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "mean(income)",
            "median(income) by sex",
            "quantile(income, 0.9) by a, b",
            "share(smoke) by agegr",
            "share(smoke = YES) by a, b",
            "table(edu, marital)",
        ] {
            assert_eq!(Estimand::parse(text).unwrap().to_string(), text);
        }
        let quoted = Estimand::parse("share(`a (b), c` = `x = y`) by `d,e`").unwrap();
        let expected =
            Estimand::Share { of: "a (b), c".into(), level: Some("x = y".into()), by: vec!["d,e".into()] };
        assert_eq!(quoted, expected);
        assert_eq!(expected.variables(), ["a (b), c", "d,e"]);
    }

    #[test]
    fn what_is_not_understood_is_refused_with_the_way_out() {
        for (text, part) in [
            ("income", "write mean(x)"),
            ("mode(x)", "write mean(x)"),
            ("median(a, b)", "one variable"),
            ("quantile(x)", "between 0 and 1"),
            ("quantile(x, 1.5)", "between 0 and 1"),
            ("mean(x", "closing bracket"),
            ("mean(a, b)", "one variable"),
            ("mean(x) within a", "only `by`"),
            ("mean(x) by a,", "after `by`"),
            ("share(x = )", "share(x = LEVEL)"),
            ("table()", "table(edu, marital)"),
            ("table(a, a)", "table(edu, marital)"),
            ("table(a) by b", "into the bracket"),
        ] {
            let error = Estimand::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
