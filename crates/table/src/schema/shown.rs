//! What released records themselves show of their domain: the part of a learned schema that may be published with them.

use rayon::prelude::*;

use super::{Kind, Levels, Origin, Schema};
use crate::column::{Column, Number, Numbers};
use crate::{Table, TableError, with_codes};

/// Levels, extremes and gaps of records, gathered part by part.
#[derive(Clone, Debug)]
pub struct Shown(Vec<OfVariable>);

#[derive(Clone, Debug, Default)]
struct OfVariable {
    levels: Vec<bool>,
    whole: Option<(i64, i64)>,
    real: Option<(f64, f64)>,
    day: Option<(i32, i32)>,
    missing: bool,
    /// Which of the labelled numbers occur.
    labelled: Vec<(f64, bool)>,
}

impl Shown {
    /// Nothing yet, of records of this schema.
    pub fn nothing(schema: &Schema) -> Self {
        let of = |variable: &super::Variable| OfVariable {
            levels: vec![false; variable.kind.levels().map_or(0, Levels::len)],
            labelled: labelled_numbers(variable),
            ..OfVariable::default()
        };
        Self(schema.variables().iter().map(of).collect())
    }

    /// Takes in what some records show.
    pub fn observe(&mut self, records: &Table) {
        let columns = self.0.par_iter_mut().zip(records.columns()).enumerate();
        columns.for_each(|(position, (shown, column))| {
            shown.missing |= records.missing(position) > 0;
            match column {
                Column::Categorical(codes) => with_codes!(codes.as_ref(), codes => {
                    for code in codes {
                        if let Some(seen) = shown.levels.get_mut(*code as usize) {
                            *seen = true;
                        }
                    }
                }),
                Column::Integer(numbers) | Column::Datetime(numbers) => {
                    shown.see(numbers.values().map(|value| value as f64));
                    widen(&mut shown.whole, numbers);
                }
                Column::Real(numbers) => {
                    shown.see(numbers.values());
                    widen(&mut shown.real, numbers);
                }
                Column::Date(days) => widen(&mut shown.day, days),
                Column::Text(_) => {}
            }
        });
    }

    /// Takes in what other records of the same schema show.
    pub fn merge(&mut self, others: Self) {
        for (own, other) in self.0.iter_mut().zip(others.0) {
            own.levels.iter_mut().zip(other.levels).for_each(|(own, other)| *own |= other);
            own.whole = wider(own.whole, other.whole);
            own.real = wider(own.real, other.real);
            own.day = wider(own.day, other.day);
            own.missing |= other.missing;
        }
    }

    /// The schema of the records with every learned domain replaced by what they show, and marked so. A schema that was declared public
    /// stays as it is, and so do the variables of another one that a person wrote down.
    pub fn published(&self, schema: &Schema) -> Result<Schema, TableError> {
        if schema.declaration().is_some() {
            return Ok(schema.clone());
        }
        let mut public = schema.clone();
        for (variable, shown) in public.variables.iter_mut().zip(&self.0) {
            if variable.origin != Origin::Learned {
                continue;
            }
            variable.origin = Origin::Synthetic;
            variable.missing = shown.missing;
            if variable.kind.levels().is_none() {
                let (codes, seen) = (variable.codes.clone(), &shown.labelled);
                let is_code = |number: f64| codes.iter().any(|code| code.value == number);
                let is_seen = |number: f64| seen.iter().any(|(value, seen)| *seen && *value == number);
                let keep = |value: &str| value.parse().is_ok_and(|number| is_code(number) || is_seen(number));
                variable.labelling = variable.labelling.among(&variable.kind, keep);
            }
            match &mut variable.kind {
                Kind::Categorical { levels } | Kind::Ordinal { levels } => {
                    let kept = levels.iter().zip(&shown.levels).filter(|(_, seen)| **seen);
                    let kept = Levels::new(kept.map(|(level, _)| level)).unwrap_or_default();
                    variable.parents.retain(|level, _| kept.position(level).is_some());
                    *levels = kept;
                    variable.labelling = variable.labelling.of_kind(&variable.kind);
                }
                Kind::Integer { range } | Kind::Datetime { range, .. } => *range = shown.whole,
                Kind::Real { range } => *range = shown.real,
                Kind::Date { range, .. } => *range = shown.day,
                Kind::TextId => {}
            }
        }
        public.drop_foreign_parents();
        // A rule about a level that does not occur says nothing of these records.
        let variables = public.variables.clone();
        public.rules.retain(|rule| {
            rule.when.condition(&variables).is_ok() && rule.then.condition(&variables).is_ok()
        });
        public.impossible.retain(|condition| condition.condition(&variables).is_ok());
        public.check()?;
        Ok(public)
    }
}

/// The numbers that have a label, none of them seen yet.
fn labelled_numbers(variable: &super::Variable) -> Vec<(f64, bool)> {
    let numbers = variable.labelling.labels.keys().filter_map(|value| value.parse().ok());
    numbers.filter(|_| variable.kind.levels().is_none()).map(|number| (number, false)).collect()
}

impl OfVariable {
    fn see(&mut self, values: impl Iterator<Item = f64>) {
        if self.labelled.iter().all(|(_, seen)| *seen) {
            return;
        }
        for value in values {
            if let Some((_, seen)) = self.labelled.iter_mut().find(|(labelled, _)| *labelled == value) {
                *seen = true;
            }
        }
    }
}

impl Schema {
    /// Drops parents that are no longer all levels of the variable above.
    fn drop_foreign_parents(&mut self) {
        for position in 0..self.variables.len() {
            let variable = &self.variables[position];
            let above = variable.within.as_deref().and_then(|parent| self.position(parent));
            let above = above.and_then(|parent| self.variables[parent].kind.levels().cloned());
            let foreign =
                |levels: &Levels| variable.parents.values().any(|parent| levels.position(parent).is_none());
            if above.is_some_and(|levels| foreign(&levels)) {
                self.variables[position].parents.clear();
            }
        }
    }
}

fn widen<T: Number + PartialOrd>(extremes: &mut Option<(T, T)>, numbers: &Numbers<T>) {
    *extremes = wider(*extremes, numbers.extremes());
}

fn wider<T: Copy + PartialOrd>(one: Option<(T, T)>, other: Option<(T, T)>) -> Option<(T, T)> {
    match (one, other) {
        (Some((low, high)), Some((lower, higher))) => {
            Some((if lower < low { lower } else { low }, if higher > high { higher } else { high }))
        }
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::SchemaFile;

    #[test]
    fn only_what_occurs_is_published_of_a_learned_schema() {
        let original = read_csv_text(
            "kind,pay,born\na,1,2001-01-01\nb,,2002-02-02\nc,9,2003-03-03\n",
            &ReadOptions::default(),
        )
        .unwrap();
        let part = original.take(&[0, 0]).unwrap();
        let mut shown = Shown::nothing(original.schema());
        shown.observe(&part);
        let mut apart = Shown::nothing(original.schema());
        apart.merge(shown.clone());
        let mut last = Shown::nothing(original.schema());
        last.observe(&original.take(&[2]).unwrap());
        let mut both = Shown::nothing(original.schema());
        both.observe(&original.take(&[0, 2]).unwrap());
        apart.merge(last);
        assert_eq!(apart.published(original.schema()).unwrap(), both.published(original.schema()).unwrap());
        let public = shown.published(original.schema()).unwrap();
        assert_eq!(public.variables()[0].kind.levels().unwrap().iter().collect::<Vec<_>>(), ["a"]);
        assert_eq!(public.variables()[1].kind, Kind::Integer { range: Some((1, 1)) });
        assert!(!public.variables()[1].missing && public.variables()[1].origin == Origin::Synthetic);
        let text = public.to_toml();
        assert!(text.starts_with("# Read off the synthetic records"), "{text}");
        assert_eq!(text.matches("\ndomain = \"synthetic\"").count(), 3, "{text}");
        let again = SchemaFile::parse(&text).unwrap().finish().unwrap();
        assert_eq!(again, public);
        assert!(part.conform(Arc::new(public)).is_ok());
    }

    #[test]
    fn a_declared_schema_stays_whole() {
        let text = "[table]\ndeclared = true\nreason = \"code book\"\n[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n";
        let schema = SchemaFile::parse(text).unwrap().finish().unwrap();
        assert_eq!(Shown::nothing(&schema).published(&schema).unwrap(), schema);
        let undeclared = SchemaFile::parse(&text.replace("declared = true", "declared = false")).unwrap();
        let schema = undeclared.finish().unwrap();
        assert_eq!(Shown::nothing(&schema).published(&schema).unwrap().variables(), schema.variables());
    }
}
