//! The tables that the user asks about.

use table::{Attributes, Domain};

use crate::{Finding, MeasureError, Settings};

/// Tables that are summed up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhichTables {
    /// All tables of this many variables.
    OfWays(usize),
    /// Those that were named.
    Named,
}

impl WhichTables {
    /// The finding with a note of which tables it sums up: `ways` is null for named ones.
    pub(crate) fn note(self, finding: Finding) -> Finding {
        match self {
            Self::OfWays(ways) => finding.with("ways", ways),
            Self::Named => finding.with("ways", serde_json::Value::Null),
        }
    }
}

/// All tables of each wanted number of variables, then the named ones. A number of variables that the files do not have
/// gives no tables and is left out.
pub(crate) fn wanted_tables(
    domain: &Domain,
    settings: &Settings,
) -> Result<Vec<(WhichTables, Vec<Attributes>)>, MeasureError> {
    let mut wanted = Vec::new();
    for ways in &settings.ways {
        if *ways == 0 {
            let message = "must hold at least one variable each".into();
            return Err(MeasureError::Option { option: "tables", message });
        }
        let of = Attributes::combinations(domain, *ways);
        if !of.is_empty() {
            wanted.push((WhichTables::OfWays(*ways), of));
        }
    }
    let named = |names: &Vec<String>| Attributes::named(domain, names.iter().map(String::as_str));
    let named: Vec<Attributes> = settings.named_tables.iter().map(named).collect::<Result<_, _>>()?;
    if named.iter().any(Attributes::is_empty) {
        let message = "needs at least one variable".into();
        return Err(MeasureError::Option { option: "a table", message });
    }
    if !named.is_empty() {
        wanted.push((WhichTables::Named, named));
    }
    Ok(wanted)
}
