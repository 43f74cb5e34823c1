//! Counts that are already there: a contingency table as a source of its own margins.

use crate::{Attributes, ContingencyTable, CountSource, Domain, Margin, TableError};

/// A contingency table over all variables of a domain, such as one stratum of a larger table.
#[derive(Clone, Debug)]
pub struct SparseSource {
    domain: Domain,
    table: ContingencyTable,
}

impl SparseSource {
    /// A source of these counts.
    ///
    /// # Panics
    /// If the table is not over all variables of the domain, in the domain's classes.
    pub fn new(domain: Domain, table: ContingencyTable) -> Self {
        let all = Attributes::all(&domain);
        assert_eq!(domain.sizes(&all), table.sizes(), "the table is over the domain");
        Self { domain, table }
    }
}

impl CountSource for SparseSource {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.table.total()
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let margin = |attributes: &Attributes| {
            Margin::checked_cells(&self.domain, attributes)?;
            let sparse = self.contingency_table(attributes)?;
            sparse.to_margin().ok_or_else(|| TableError::schema("counts", "a margin above the dense limit"))
        };
        of.iter().map(margin).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let places = Attributes::new(0..self.domain.variables().len());
        debug_assert!(places.places_of(of).is_some(), "variables of the domain");
        self.table
            .over_places(of.positions())
            .ok_or_else(|| TableError::schema("counts", "a variable that is not in the domain"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classes, CodedTable, Codes};

    #[test]
    fn a_stratum_counts_like_its_records() {
        let classes = |name: &str, size| Classes::of_size(name, size);
        let domain = Domain::new(vec![classes("region", 2), classes("sex", 2), classes("age", 3)]).unwrap();
        let columns = vec![
            Codes::collect(2, [0, 0, 1, 1, 1]),
            Codes::collect(2, [0, 1, 0, 0, 1]),
            Codes::collect(3, [2, 2, 1, 1, 0]),
        ];
        let all = CodedTable::from_codes(domain, columns);
        let table = all.contingency_table(&Attributes::all(all.domain())).unwrap();
        let (_, second) = table.strata(&Attributes::new([0])).unwrap().remove(1);
        let rest = Domain::new(vec![classes("sex", 2), classes("age", 3)]).unwrap();
        let source = SparseSource::new(rest, second);
        assert_eq!(source.records(), 3);
        assert_eq!(source.margins(&[Attributes::new([1])]).unwrap()[0].counts(), [1, 2, 0]);
        assert_eq!(source.contingency_table(&Attributes::new([0, 1])).unwrap().count_of(&[0, 1]), 2);
    }
}
