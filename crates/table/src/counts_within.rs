//! One stratum of a source of counts, counted through the whole of it.

use std::collections::BTreeMap;

use crate::{Attributes, ContingencyTable, CountSource, Domain, Margin, TableError};

/// The records of one cell of some variables, over the others: a slice of what the whole source counts.
pub(crate) struct CountsWithin<'a, S: ?Sized> {
    whole: &'a S,
    by: Attributes,
    cell: Vec<u32>,
    /// The other variables, as positions in the whole domain.
    rest: Attributes,
    domain: Domain,
    records: u64,
}

impl<'a, S: CountSource + ?Sized> CountsWithin<'a, S> {
    /// The records of this cell of `by`.
    pub(crate) fn new(whole: &'a S, by: &Attributes, cell: &[u32]) -> Result<Self, TableError> {
        let (rest, domain) = whole.domain().without(by)?;
        let records = whole.contingency_table(by)?.count_of(cell);
        Ok(Self { whole, by: by.clone(), cell: cell.to_vec(), rest, domain, records })
    }

    /// These variables and those of the stratum, in the whole domain.
    fn with_stratum(&self, of: &Attributes) -> Attributes {
        Attributes::new(of.positions().iter().map(|position| self.rest.positions()[*position]))
            .union(&self.by)
    }
}

impl<S: CountSource + ?Sized> CountSource for CountsWithin<'_, S> {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        of.iter().try_for_each(|of| Margin::checked_cells(&self.domain, of).map(|_| ()))?;
        let whole: Vec<Attributes> = of.iter().map(|of| self.with_stratum(of)).collect();
        if whole.iter().all(|of| Margin::checked_cells(self.whole.domain(), of).is_ok()) {
            let margins = self.whole.margins(&whole)?;
            let slices =
                margins.iter().zip(of).map(|(margin, of)| margin.slice(&self.by, &self.cell, of.clone()));
            return slices.map(|slice| slice.ok_or_else(other_variables)).collect();
        }
        let dense = |of: &Attributes| self.contingency_table(of)?.to_margin().ok_or_else(other_variables);
        of.iter().map(dense).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let whole = self.whole.contingency_table(&self.with_stratum(of))?;
        whole.slice(&self.by, &self.cell, of.clone()).ok_or_else(other_variables)
    }

    fn prefetch(&self, of: &[Attributes]) -> Result<(), TableError> {
        let whole: Vec<Attributes> = of.iter().map(|of| self.with_stratum(of)).collect();
        self.whole.prefetch(&whole)
    }

    /// A stratum of a stratum is a stratum of the whole.
    fn within(&self, by: &Attributes, cell: &[u32]) -> Result<Box<dyn CountSource + '_>, TableError> {
        let outer = self.by.positions().iter().copied().zip(self.cell.iter().copied());
        let inner =
            by.positions().iter().map(|position| self.rest.positions()[*position]).zip(cell.iter().copied());
        let classes: BTreeMap<usize, u32> = outer.chain(inner).collect();
        let cell: Vec<u32> = classes.values().copied().collect();
        Ok(Box::new(Self::new(self.whole, &Attributes::new(classes.into_keys()), &cell)?))
    }
}

fn other_variables() -> TableError {
    TableError::schema("counts", "they are over other variables than those asked for")
}
