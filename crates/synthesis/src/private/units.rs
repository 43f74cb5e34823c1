//! The unit of privacy: one record, or all records of whatever a declared identifier names.
//!
//! A guarantee for units of up to k records needs tables in which no unit has more. Where a unit has more than `max_rows_per_unit`, that many are kept, drawn from the
//! run's noise without a look at their values. What is kept of a unit depends on that unit and on chance alone, so that tables that differ in one unit still do.
//!
//! Whether some unit has several records is a look that nobody pays for. It happens only where `max_rows_per_unit` is not declared, ends in a refusal before anything is
//! released, and its message, which is for the owner of the data, says that there are such units and nothing else. A run that was not refused thereby shows that there
//! are none; the ledger's scope says that refusals are not protected. Whoever declares `max_rows_per_unit` is never refused, and nothing is shown.

use privacy::NoiseSource;
use privacy::noise::uniform_below_u64;
use table::{Column, Schema, Source, Table, TableError};

use crate::SynthesisError;

/// Units with an identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    /// The column that names them.
    pub(super) identifier: String,
    /// The most records that one of them has.
    pub(super) most: u64,
}

impl Units {
    /// What a schema declares; `None` where a unit is a record.
    pub(super) fn of(schema: &Schema) -> Option<Self> {
        let most = u64::from(schema.max_rows_per_unit().unwrap_or(1));
        schema.unit_id().map(|name| Self { identifier: name.to_owned(), most })
    }

    /// The records with no more of one unit than are allowed; `None` where that is all of them. Refused where units have several records and nobody said how many
    /// are to be kept.
    pub(super) fn bounded(
        &self,
        source: Source<'_>,
        noise: &mut NoiseSource,
    ) -> Result<Option<Table>, SynthesisError> {
        let Some(table) = source.table() else {
            let message = "counts do not show which records belong to one unit; leave `unit_id` out and count at most one record a unit";
            return Err(TableError::variable(&self.identifier, message).into());
        };
        let Column::Text(units) = table.column(&self.identifier)? else { return Ok(None) };
        let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); units.dictionary.len()];
        for (row, code) in units.codes.iter().enumerate() {
            // Missing identifiers break the schema, which was checked.
            if let Some(rows) = rows_of.get_mut(code as usize) {
                rows.push(row as u32);
            }
        }
        if rows_of.iter().all(|rows| rows.len() as u64 <= self.most) {
            return Ok(None);
        }
        if table.schema().max_rows_per_unit().is_none() {
            let message = "it is the `unit_id`, and some of its values name several records, so that a guarantee for one record would not protect such a \
                           unit; declare `max_rows_per_unit = k` in [table] (of a unit with more records, k are kept at random, and all noise is scaled to k)";
            return Err(TableError::variable(&self.identifier, message).into());
        }
        let mut kept: Vec<u32> = Vec::with_capacity(table.rows());
        for mut rows in rows_of {
            let most = rows.len().min(self.most as usize);
            if rows.len() > most {
                for place in 0..most {
                    let other = place as u64 + uniform_below_u64(noise.rng(), (rows.len() - place) as u64);
                    rows.swap(place, other as usize);
                }
            }
            kept.extend(&rows[..most]);
        }
        kept.sort_unstable();
        Ok(Some(table.take(&kept)?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    fn people(most: &str) -> Table {
        let schema = format!(
            "[table]\ndeclared = true\nreason = \"invented\"\nunit_id = \"person\"\n{most}\n[variables.person]\nkind = \"text-id\"\n\
             [variables.visit]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\", \"d\"]\n"
        );
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(&schema).unwrap()), ..ReadOptions::default() };
        read_csv_text("person,visit\np,a\nq,a\np,b\np,c\nr,d\np,d\n", &options).unwrap()
    }

    #[test]
    fn units_with_several_records_are_refused_without_a_count() {
        let table = people("");
        let units = Units::of(table.schema()).unwrap();
        let error =
            units.bounded((&table).into(), &mut NoiseSource::insecure_test_seed(1)).unwrap_err().to_string();
        assert!(error.contains("`person`") && error.contains("max_rows_per_unit"), "{error}");
        assert!(!error.contains(|character: char| character.is_ascii_digit()), "{error}");
    }

    /// Of four records two are kept: each of the six pairs is equally likely. The limit is the 1 − 10⁻⁶ quantile of chi-square on 5 degrees of freedom.
    #[test]
    fn kept_records_are_any_of_a_unit_whatever_they_hold() {
        let table = people("max_rows_per_unit = 2");
        let units = Units::of(table.schema()).unwrap();
        let mut drawn: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for seed in 0..3_000 {
            let mut noise = NoiseSource::insecure_test_seed(seed);
            let kept = units.bounded((&table).into(), &mut noise).unwrap().unwrap();
            assert_eq!(kept.rows(), 4);
            let Column::Text(names) = &kept.columns()[0] else { panic!("identifiers") };
            let Column::Categorical(visits) = &kept.columns()[1] else { panic!("levels") };
            let of_p = (0..4).filter(|row| names.get(*row) == Some("p")).map(|row| visits.get(row));
            *drawn.entry(of_p.collect()).or_default() += 1;
        }
        assert_eq!(drawn.len(), 6);
        let chi_square: f64 = drawn.values().map(|count| (f64::from(*count) - 500.0).powi(2) / 500.0).sum();
        assert!(chi_square < 35.9, "{chi_square}");
        let all = people("max_rows_per_unit = 4");
        let units = Units::of(all.schema()).unwrap();
        assert!(units.bounded((&all).into(), &mut NoiseSource::insecure_test_seed(1)).unwrap().is_none());
    }
}
