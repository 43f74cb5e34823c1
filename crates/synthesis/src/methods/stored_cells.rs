//! Sparse counts in a model file.

use table::{Attributes, ContingencyTable, Domain};

use crate::stored::{StateContext, StateReader, StateWriter, damaged, ensure};
use crate::{StructuralZeros, SynthesisError};

/// Writes the zeros and the occupied cells with their counts.
pub(super) fn store(
    zeros: &StructuralZeros,
    table: &ContingencyTable,
    into: &mut StateWriter<'_>,
) -> std::io::Result<()> {
    zeros.store(into)?;
    into.array("cells", table.words())?;
    into.array("counts", table.counts())
}

/// The zeros and the occupied cells, which are cells of the domain that can occur.
pub(super) fn load(
    from: &mut StateReader<'_>,
    domain: &Domain,
) -> Result<(StructuralZeros, ContingencyTable), SynthesisError> {
    let zeros = StructuralZeros::load(from, domain)?;
    let all = Attributes::all(domain);
    let (words, counts) = (from.array("cells")?, from.array("counts")?);
    let table = ContingencyTable::from_words(all.clone(), &domain.sizes(&all), words, counts)
        .ok_or_else(|| damaged("its cells are not those of its variables"))?;
    let can_occur = zeros.all().is_empty() || table.iter().all(|(cell, _)| !zeros.contains(&cell));
    ensure(can_occur, "some of its cells cannot occur")?;
    Ok((zeros, table))
}

/// The domain of a method that draws cells.
pub(super) fn domain(context: StateContext<'_>) -> Result<Domain, SynthesisError> {
    ensure(!context.domain.variables().is_empty(), "it has no variables")?;
    Ok(context.domain.clone())
}

/// Refuses counts that are not those of the records it was fitted to: of a model that is not private, or is `noisy`.
pub(super) fn check_total(
    table: &ContingencyTable,
    noisy: bool,
    context: StateContext<'_>,
) -> Result<(), SynthesisError> {
    let agrees = match context.records {
        Some(records) => !noisy && records > 0 && table.total() == records,
        None => noisy,
    };
    ensure(agrees, "its counts are not those of its records")
}
