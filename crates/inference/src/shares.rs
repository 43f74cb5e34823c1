//! Shares of cells: which counts make the numerator and the denominator of each.

use table::{Attributes, CodedTable, CountSource, Domain, Grouping, Schema, Table};

use crate::estimates::{Estimate, share};
use crate::{Estimand, InferenceError};

/// The cells of a small table, and shares of them.
#[derive(Clone, Debug)]
pub(crate) struct ShareLayout {
    /// The variables with their classes; the last runs fastest.
    domain: Domain,
    shares: Shares,
}

/// Shares of cells among groups of cells.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// The shares.
    pub shares: Vec<ShareOf>,
    /// The cells of each group.
    pub groups: Vec<Vec<usize>>,
}

/// The share of one cell among the cells of a group that it belongs to.
#[derive(Clone, Debug)]
pub struct ShareOf {
    /// What it is called.
    pub name: String,
    /// The cell.
    pub cell: usize,
    /// The number of the group.
    pub group: usize,
}

impl ShareLayout {
    /// The shares that an estimand asks for, in the classes of the schema: levels, or declared cuts.
    ///
    /// # Panics
    /// If the estimand is not about shares.
    pub fn of(schema: &Schema, estimand: &Estimand) -> Result<Self, InferenceError> {
        let names: Vec<String> = estimand.variables().into_iter().map(str::to_owned).collect();
        Self::in_domain(classes_of(schema, &names)?, estimand)
    }

    /// The same in the classes of a domain that has the estimand's variables in the order that [`Estimand::variables`] names.
    pub fn in_domain(domain: Domain, estimand: &Estimand) -> Result<Self, InferenceError> {
        let sizes: Vec<usize> = domain.variables().iter().map(|classes| classes.size()).collect();
        let values: Vec<usize> = domain.variables().iter().map(|classes| classes.partition().len()).collect();
        let cells: Vec<(usize, Vec<usize>)> = (0..sizes.iter().product())
            .map(|index| (index, classes_at(&sizes, index)))
            .filter(|(_, cell)| cell.iter().zip(&values).all(|(class, size)| class < size))
            .collect();
        let label = |place: usize, class: usize| {
            let classes = &domain.variables()[place];
            format!("{}={}", classes.name(), classes.label(class as u32))
        };
        let joined = |parts: Vec<String>| parts.join(" ");
        let labels = |cell: &[usize], first: usize| {
            joined(cell[first..].iter().enumerate().map(|(at, class)| label(at + first, *class)).collect())
        };
        let mut shares = Shares::default();
        match estimand {
            Estimand::Table { .. } => {
                shares.groups.push(cells.iter().map(|(index, _)| *index).collect());
                for (index, cell) in &cells {
                    shares.shares.push(ShareOf { name: labels(cell, 0), cell: *index, group: 0 });
                }
            }
            Estimand::Share { of, level, .. } => {
                let wanted = |class: usize| {
                    level.as_ref().is_none_or(|level| domain.variables()[0].label(class as u32) == *level)
                };
                if !(0..values[0]).any(wanted) {
                    let message = "it has no such level; `lookalike describe` lists its levels";
                    return Err(InferenceError::variable(of, message));
                }
                let per_level: usize = sizes[1..].iter().product();
                let mut group_of = vec![usize::MAX; per_level];
                for (index, cell) in &cells {
                    let group = &mut group_of[index % per_level];
                    if *group == usize::MAX {
                        *group = shares.groups.len();
                        shares.groups.push(Vec::new());
                    }
                    shares.groups[*group].push(*index);
                    if wanted(cell[0]) {
                        let condition = labels(cell, 1);
                        let condition =
                            if condition.is_empty() { condition } else { format!(" | {condition}") };
                        let name = label(0, cell[0]) + &condition;
                        shares.shares.push(ShareOf { name, cell: *index, group: *group });
                    }
                }
            }
            Estimand::Mean { .. } | Estimand::Quantile { .. } | Estimand::Model { .. } => {
                panic!("the estimand is not about shares")
            }
        }
        Ok(Self { domain, shares })
    }

    /// The shares.
    pub fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The variables with their classes.
    pub(crate) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The cell of a record.
    pub(crate) fn cell_of(&self, coded: &CodedTable, row: usize) -> usize {
        let classes = coded.columns().iter().zip(self.domain.variables());
        classes.fold(0, |cell, (codes, classes)| cell * classes.size() + codes.get(row) as usize)
    }

    /// The number of cells, those of missing values and codes included.
    pub fn cells(&self) -> usize {
        self.domain.variables().iter().map(|classes| classes.size()).product()
    }

    /// The class of each variable in a cell.
    pub(crate) fn classes_at(&self, cell: usize) -> Vec<usize> {
        let sizes: Vec<usize> = self.domain.variables().iter().map(|classes| classes.size()).collect();
        classes_at(&sizes, cell)
    }

    /// The counts of a table in the layout's cells.
    pub fn counts(&self, table: &Table) -> Result<Vec<u64>, InferenceError> {
        let coded = CodedTable::in_domain(table, &self.domain)?;
        let margins = coded.margins(&[Attributes::all(&self.domain)])?;
        Ok(margins[0].counts().to_vec())
    }

    /// q and v of each share, from such counts.
    pub fn estimates(&self, counts: &[u64]) -> Vec<Estimate> {
        let totals: Vec<u64> =
            self.shares.groups.iter().map(|cells| cells.iter().map(|cell| counts[*cell]).sum()).collect();
        let of = |one: &ShareOf| Estimate {
            name: one.name.clone(),
            value: share(counts[one.cell], totals[one.group]),
        };
        self.shares.shares.iter().map(of).collect()
    }
}

/// The classes of these variables: levels, or the cuts that the schema declares. Classes that the files themselves show would differ from file to file.
pub(crate) fn classes_of(schema: &Schema, names: &[String]) -> Result<Domain, InferenceError> {
    let mut domain = Vec::with_capacity(names.len());
    for name in names {
        let variable = schema.variable(name)?;
        if variable.kind.levels().is_none() && variable.cuts.is_none() {
            let message = format!(
                "it is {} and has no classes; declare its `cuts` in a schema (--schema), or ask for its mean",
                variable.kind.name()
            );
            return Err(InferenceError::variable(name, message));
        }
        let nothing = table::Column::Integer(table::Numbers::complete(Vec::new()));
        let grouping = Grouping::quantiles(2);
        domain.push(grouping.classes(variable, &nothing)?);
    }
    Ok(Domain::new(domain)?)
}

/// The name of a cell, whose classes run over `sizes`; `None` where there are no variables.
pub(crate) fn named(domain: &Domain, sizes: &[usize], cell: usize) -> Option<String> {
    let classes = classes_at(sizes, cell);
    let parts = domain.variables().iter().zip(classes);
    let parts: Vec<String> =
        parts.map(|(of, class)| format!("{}={}", of.name(), of.label(class as u32))).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// The class of each variable in the cell of this number; the last runs fastest.
fn classes_at(sizes: &[usize], mut index: usize) -> Vec<usize> {
    let mut classes = vec![0; sizes.len()];
    for (class, size) in classes.iter_mut().zip(sizes).rev() {
        *class = index % size;
        index /= size;
    }
    classes
}
