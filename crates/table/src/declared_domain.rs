//! The classes of a declared schema, made without a look at the records.

use crate::domain::{ClassRule, Partition};
use crate::grouping::within_kind;
use crate::{Classes, DeclaredSchema, Domain, Kind, TableError, Variable};

impl Domain {
    /// The classes of the modelled variables of a declared schema: levels, declared cuts, or else `groups` classes of equal width
    /// over the declared range. Nothing is read off the records, so that the classes may be published.
    ///
    /// Identifiers and computed variables have no classes. A number with neither cuts nor a range is refused by name.
    pub fn declared(schema: &DeclaredSchema, groups: usize) -> Result<Self, TableError> {
        let modelled = schema.schema().variables().iter().filter(|variable| variable.is_modelled());
        let classes = modelled.map(|variable| {
            let partition = match (variable.kind.levels(), &variable.cuts) {
                (Some(levels), _) => Partition::Levels(levels.clone()),
                (None, Some(cuts)) => within_kind(
                    Partition::Intervals { limits: cuts.clone(), chosen_by: ClassRule::DeclaredCuts },
                    &variable.kind,
                ),
                (None, None) => equal_widths(variable, groups)?,
            };
            Ok(Classes::new(variable, partition))
        });
        Self::new(classes.collect::<Result<_, TableError>>()?)
    }
}

impl Variable {
    /// Whether methods model it; identifiers are made new and derived variables computed.
    pub fn is_modelled(&self) -> bool {
        self.kind != Kind::TextId && self.formula.is_none()
    }

    /// The declared range as numbers; dates are days since 1970-01-01, times microseconds.
    pub fn declared_range(&self) -> Option<(f64, f64)> {
        self.kind.declared_range()
    }
}

impl Kind {
    /// The declared range as numbers; dates are days since 1970-01-01, times microseconds.
    pub fn declared_range(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Integer { range } => range.map(|(low, high)| (low as f64, high as f64)),
            Self::Real { range } => range,
            Self::Date { range, .. } => range.map(|(first, last)| (f64::from(first), f64::from(last))),
            Self::Datetime { range, .. } => range.map(|(first, last)| (first as f64, last as f64)),
            Self::Categorical { .. } | Self::Ordinal { .. } | Self::TextId => None,
        }
    }

    /// The distance of neighbouring values: 1 for whole numbers and days, the precision of times; `None` where there is none.
    pub fn step(&self) -> Option<f64> {
        match self {
            Self::Integer { .. } | Self::Date { .. } => Some(1.0),
            Self::Datetime { format, .. } => Some(format.tick() as f64),
            Self::Real { .. } | Self::Categorical { .. } | Self::Ordinal { .. } | Self::TextId => None,
        }
    }
}

fn equal_widths(variable: &Variable, groups: usize) -> Result<Partition, TableError> {
    let Some((low, high)) = variable.declared_range() else {
        let message = "it has neither `cuts` nor a `range` in the schema, and classes may not be read off the records here; \
                       declare one of them, or `range = \"private\"`, which a private run buys";
        return Err(TableError::variable(&variable.name, message));
    };
    let step = variable.kind.step();
    if low == high || step.is_some_and(|step| (high - low) / step < groups as f64) {
        let step = step.unwrap_or(1.0);
        let values = (0..=((high - low) / step) as u64).map(|steps| low + steps as f64 * step);
        return Ok(Partition::Values(values.collect()));
    }
    let limit = |k: usize| low + (high - low) * (k as f64 / groups as f64);
    let mut limits: Vec<f64> = (0..groups).map(limit).collect();
    limits.push(high);
    Ok(within_kind(Partition::Intervals { limits, chosen_by: ClassRule::EqualWidth }, &variable.kind))
}

#[cfg(test)]
mod tests {
    use crate::Domain;
    use crate::schema::SchemaFile;

    fn declared(variables: &str) -> crate::DeclaredSchema {
        let text = format!("[table]\ndeclared = true\nreason = \"code book\"\n{variables}");
        SchemaFile::parse(&text).unwrap().finish().unwrap().reviewed().unwrap()
    }

    #[test]
    fn classes_come_from_levels_cuts_and_ranges() {
        let schema = declared(
            "[variables.id]\nkind = \"text-id\"\n[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
             [variables.age]\nkind = \"integer\"\nrange = [0, 99]\ncuts = [0, 18, 65, 99]\n\
             [variables.height]\nkind = \"real\"\nrange = [1.0, 2.0]\nmissing = true\n\
             [variables.rooms]\nkind = \"integer\"\nrange = [1, 3]\n\
             [variables.twice]\nkind = \"integer\"\nformula = \"rooms * 2\"\n",
        );
        let domain = Domain::declared(&schema, 4).unwrap();
        let sizes: Vec<(&str, usize)> =
            domain.variables().iter().map(|classes| (classes.name(), classes.size())).collect();
        assert_eq!(sizes, [("sex", 2), ("age", 3), ("height", 5), ("rooms", 3)]);
        assert_eq!(domain.variables()[2].label(1), "[1.25,1.5)");
        assert_eq!(domain.variables()[3].label(2), "3");
    }

    #[test]
    fn a_number_without_limits_is_refused_by_name() {
        let schema = declared("[variables.income]\nkind = \"real\"\n");
        let error = Domain::declared(&schema, 5).unwrap_err().to_string();
        assert!(error.contains("income") && error.contains("cuts"), "{error}");
    }
}
