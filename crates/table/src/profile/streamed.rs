//! The profile of a table that is not in memory: numbers of all records from passes over their files, notes from a sample of them.

use super::{Profile, keys, profile};
use crate::domain::Partition;
use crate::{Attributes, CountSource, Domain, Grouping, Remembered, StreamedTable, Table, TableError};

/// Records that notes are read off.
pub const SAMPLED: u64 = 200_000;

/// Profiles files, and their records' risk on `keys` if there are any. What is counted is counted in all records; notes, the shapes of
/// numbers, and how many different values a number or an identifier has, are those of a random sample, which is given too.
pub fn profile_of_files(files: &StreamedTable, on: &[String]) -> Result<(Profile, Table), TableError> {
    profile_with_sample(files, on, SAMPLED)
}

/// The same with a sample of so many records.
pub(crate) fn profile_with_sample(
    files: &StreamedTable,
    on: &[String],
    sampled: u64,
) -> Result<(Profile, Table), TableError> {
    let sample = files.sample(sampled, 1)?;
    let mut found = profile(&sample, &[], &Grouping::default())?;
    if files.records() == sample.rows() as u64 {
        found = profile(&sample, on, &Grouping::default())?;
        return Ok((found, sample));
    }
    let counts = Remembered::new(files.counts_in(files.domain(Grouping::default().groups)?));
    let (domain, all) = (counts.domain(), Attributes::all(counts.domain()));
    let cross = counts.contingency_table(&all)?;
    let records = files.records();
    found.rows = records;
    found.sampled = Some(sample.rows() as u64);
    found.variables.iter_mut().for_each(|variable| variable.levels_are_sampled = true);
    found.cells = cross.cells().to_string();
    found.empty_cells_share = cross.empty_share();
    found.unique_share = cross.unique_records() as f64 / records as f64;
    for (position, classes) in domain.variables().iter().enumerate() {
        let Some(variable) = found.variables.iter_mut().find(|variable| variable.name == classes.name())
        else {
            continue;
        };
        let margin = cross.margin(&Attributes::new([position]));
        let count = |class: usize| margin.as_ref().map_or(0, |margin| margin.count_of(&[class as u32]));
        variable.missing = classes.missing_class().map_or(0, |class| count(class as usize));
        let values = classes.partition().len();
        for (code, frequency) in variable.codes.values_mut().enumerate() {
            *frequency = count(values + code);
        }
        if let Partition::Levels(_) = classes.partition() {
            let counts: Vec<u64> = (0..values).map(count).collect();
            variable.levels = counts.iter().filter(|count| **count > 0).count() as u64;
            variable.levels_are_sampled = false;
            variable.shape = super::shape_of_levels(&counts);
        }
        variable.classes = Some(classes.size());
    }
    let numbers: Vec<&str> = files
        .schema()
        .variables()
        .iter()
        .filter(|variable| variable.kind.is_numeric())
        .map(|variable| variable.name.as_str())
        .collect();
    for (name, extremes) in numbers.iter().zip(files.extremes(&numbers)?) {
        let Some(variable) = found.variables.iter_mut().find(|variable| variable.name == *name) else {
            continue;
        };
        let kind = &files.schema().variable(name)?.kind;
        (variable.min, variable.max) = match extremes {
            Some((low, high)) => (super::extreme(kind, low), super::extreme(kind, high)),
            None => (None, None),
        };
    }
    if !on.is_empty() {
        let exact: Domain = files.exact_domain(on)?;
        found.keys = Some(keys::profile(&files.counts_in(exact), on)?);
    }
    Ok((found, sample))
}
