//! Records set apart before anything is fitted, so that measures can tell what a release gives away of those that were used from what it says of anyone.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use table::{Column, Table};

use crate::MeasureError;

/// Fewer records on either side leave nothing to compare.
const FEWEST: usize = 10;

/// A table in two parts: the records to fit to, and a share of them, drawn at random, as a holdout. Both stay in the order of the table. Where the schema says
/// who the units are, the records of one unit stay together.
///
/// ```
/// use table::read::{ReadOptions, read_csv_text};
///
/// let rows: String = (0..100).map(|at| format!("{},{}\n", at % 7, at % 3)).collect();
/// let people = read_csv_text(&format!("a,b\n{rows}"), &ReadOptions::default())?;
/// let (fitted, holdout) = measures::split(&people, 0.2, 1)?;
/// assert_eq!((fitted.rows(), holdout.rows()), (80, 20));
/// # Ok::<(), measures::MeasureError>(())
/// ```
pub fn split(table: &Table, share: f64, seed: u64) -> Result<(Table, Table), MeasureError> {
    let refuse = |message: String| Err(MeasureError::Option { option: "--holdout-share", message });
    if !(share > 0.0 && share < 1.0) {
        return refuse("it must be a share between 0 and 1, such as 0.2".into());
    }
    let mut units = units(table);
    units.shuffle(&mut ChaCha12Rng::seed_from_u64(seed));
    let wanted = (share * table.rows() as f64).round() as usize;
    let mut is_held_out = vec![false; table.rows()];
    let mut held_out = 0;
    for unit in &units {
        if held_out >= wanted {
            break;
        }
        held_out += unit.len();
        unit.iter().for_each(|row| is_held_out[*row as usize] = true);
    }
    if held_out < FEWEST || table.rows() - held_out < FEWEST {
        return refuse(format!("it must leave at least {FEWEST} records on either side"));
    }
    let rows = |wanted: bool| -> Vec<u32> {
        (0..table.rows() as u32).filter(|row| is_held_out[*row as usize] == wanted).collect()
    };
    Ok((table.take(&rows(false))?, table.take(&rows(true))?))
}

/// The rows of each unit; of each record where the schema does not say who the units are.
fn units(table: &Table) -> Vec<Vec<u32>> {
    let column = table.schema().unit_id().and_then(|name| table.column(name).ok());
    let code: Box<dyn Fn(usize) -> Option<u64>> = match column {
        Some(Column::Text(text)) => Box::new(|row| text.get(row).map(|_| u64::from(text.codes.get(row)))),
        Some(Column::Categorical(codes)) => Box::new(|row| Some(u64::from(codes.get(row)))),
        Some(Column::Integer(numbers)) => Box::new(|row| match numbers.get(row) {
            table::column::Entry::Value(value) => Some(value as u64),
            _ => None,
        }),
        _ => Box::new(|_| None),
    };
    let (mut of_units, mut alone): (BTreeMap<u64, Vec<u32>>, Vec<Vec<u32>>) = (BTreeMap::new(), Vec::new());
    for row in 0..table.rows() {
        match code(row) {
            Some(unit) => of_units.entry(unit).or_default().push(row as u32),
            None => alone.push(vec![row as u32]),
        }
    }
    of_units.into_values().chain(alone).collect()
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    #[test]
    fn units_are_never_divided_and_nothing_is_lost() {
        let rows: String = (0..300).map(|at| format!("u{},{}\n", at % 90, at % 4)).collect();
        let schema = "[table]\nunit_id = \"person\"\nmax_rows_per_unit = 4\n[variables.person]\nkind = \"text-id\"\n[variables.x]\nkind = \"integer\"\n";
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(schema).unwrap()), ..ReadOptions::default() };
        let table = read_csv_text(&format!("person,x\n{rows}"), &options).unwrap();
        let (fitted, holdout) = split(&table, 0.3, 7).unwrap();
        assert_eq!(fitted.rows() + holdout.rows(), 300);
        assert!((90..=94).contains(&holdout.rows()), "{}", holdout.rows());
        let people = |table: &Table| -> std::collections::BTreeSet<String> {
            let Column::Text(text) = table.column("person").unwrap() else { panic!("text") };
            (0..table.rows()).filter_map(|row| text.get(row).map(str::to_owned)).collect()
        };
        assert!(people(&fitted).is_disjoint(&people(&holdout)));
        assert_ne!(split(&table, 0.3, 8).unwrap().1, holdout);
        for wrong in [0.0, 1.0, -0.1, 0.001, f64::NAN] {
            assert!(split(&table, wrong, 1).is_err(), "{wrong}");
        }
    }
}
