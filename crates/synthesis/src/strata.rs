//! A method fitted apart in each stratum, and its samples put together again.

use rand::seq::SliceRandom;
use table::{Attributes, Domain, SparseSource};

use crate::randomness::Seed;
use crate::registry::LoadModel;
use crate::stored::{StateContext, StateReader, StateWriter, ensure};
use crate::synthesizer::{CountSynthesizer, Data};
use crate::{Cells, Model, SynthesisError};

/// Models of strata.
pub struct Strata {
    by: Attributes,
    domain: Domain,
    models: Vec<Stratum>,
    exact_sizes: bool,
}

/// One stratum.
pub(crate) struct Stratum {
    /// Its cell of the variables by which strata are made.
    pub cell: Vec<u32>,
    /// How many records it stands for.
    pub records: u64,
    /// Its model.
    pub model: Box<dyn Model<Cells>>,
}

impl Strata {
    /// Fits the method in every cell of `by` that holds records.
    pub fn fit(
        synthesizer: &dyn CountSynthesizer,
        data: Data<'_>,
        by: &Attributes,
    ) -> Result<Self, SynthesisError> {
        let domain = data.counts.domain();
        let all = data.counts.contingency_table(&Attributes::all(domain))?;
        let (rest, rest_domain) = domain.without(by)?;
        if rest.is_empty() {
            return Err(SynthesisError::option(
                "strata",
                "all variables are strata; leave at least one to be modelled",
            ));
        }
        let mut models = Vec::new();
        for (cell, table) in all.strata(by).unwrap_or_default() {
            let zeros = data.zeros.within(by, &cell, domain);
            let records = table.total();
            let counts = SparseSource::new(rest_domain.clone(), table);
            let model = synthesizer.fit(Data { counts: &counts, zeros: &zeros })?;
            models.push(Stratum { cell, records, model });
        }
        Ok(Self { by: by.clone(), domain: domain.clone(), models, exact_sizes: true })
    }

    /// Models that were fitted privately, with noisy sizes.
    pub(crate) fn private(by: Attributes, domain: Domain, models: Vec<Stratum>) -> Self {
        Self { by, domain, models, exact_sizes: false }
    }
}

impl Model<Cells> for Strata {
    /// Strata keep their shares of the records exactly, up to rounding; records come in random order.
    fn sample(&self, rows: usize, seed: Seed) -> Result<Cells, SynthesisError> {
        let shares = largest_remainders(
            &self.models.iter().map(|stratum| stratum.records).collect::<Vec<_>>(),
            rows as u64,
        );
        let mut all = Cells::with_capacity(&self.domain, rows);
        for (number, (stratum, rows)) in self.models.iter().zip(shares).enumerate() {
            if rows > 0 {
                let drawn = stratum.model.sample(rows as usize, seed.child(number as u64))?;
                all.append_stratum(&self.by, &stratum.cell, &drawn);
            }
        }
        let mut order: Vec<u32> = (0..all.rows() as u32).collect();
        order.shuffle(&mut seed.stream(0));
        Ok(all.reorder(&order, &self.domain))
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![format!("fitted apart in {} strata", self.models.len())];
        let mut of_strata: Vec<String> =
            self.models.iter().flat_map(|stratum| stratum.model.remarks()).collect();
        of_strata.sort_unstable();
        of_strata.dedup();
        remarks.extend(of_strata.into_iter().take(5));
        remarks
    }

    fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        let classes = self.models.iter().flat_map(|stratum| stratum.cell.iter().copied());
        into.numbers("strata", self.models.len() * self.by.len(), classes)?;
        into.numbers("records", self.models.len(), self.models.iter().map(|stratum| stratum.records))?;
        self.models.iter().try_for_each(|stratum| stratum.model.store(into))
    }

    fn confidential(&self) -> Option<&'static str> {
        let of_models = self.models.iter().find_map(|stratum| stratum.model.confidential());
        let of_sizes = "the number of records in each stratum, and what the models of the strata hold";
        if self.exact_sizes { Some(of_sizes) } else { of_models }
    }

    fn refuses_saving(&self) -> Option<&'static str> {
        self.models.iter().find_map(|stratum| stratum.model.refuses_saving())
    }
}

impl Strata {
    /// Models of the strata of these variables from their stored state.
    pub(crate) fn load(
        from: &mut StateReader<'_>,
        context: StateContext<'_>,
        by: &[String],
        load: LoadModel<Cells>,
    ) -> Result<Self, SynthesisError> {
        let domain = context.domain;
        let by = Attributes::named(domain, by.iter().map(String::as_str))?;
        let (rest, rest_domain) = domain.without(&by)?;
        ensure(!by.is_empty() && !rest.is_empty(), "its strata are of no variable, or of all")?;
        let sizes = domain.sizes(&by);
        let (classes, records) = (from.array::<u32>("strata")?, from.array::<u64>("records")?);
        let cells = || classes.chunks_exact(by.len());
        let are_cells = classes.len() == records.len() * by.len()
            && cells().all(|cell| cell.iter().zip(&sizes).all(|(class, size)| (*class as usize) < *size))
            && cells().is_sorted_by(|left, right| left < right);
        ensure(are_cells, "its strata are not cells of their variables")?;
        check_sizes(&records, context.records)?;
        let exact_sizes = context.records.is_some();
        let stratum = |(cell, records): (&[u32], u64)| {
            let context =
                StateContext { domain: &rest_domain, records: exact_sizes.then_some(records), ..context };
            Ok(Stratum { cell: cell.to_vec(), records, model: load(from, context)? })
        };
        let models = cells().zip(records.iter().copied()).map(stratum);
        let models = models.collect::<Result<_, SynthesisError>>()?;
        Ok(Self { by, domain: domain.clone(), models, exact_sizes })
    }
}

/// Refuses stored strata without records, or that do not add up to all records where their number is known.
pub(crate) fn check_sizes(records: &[u64], all: Option<u64>) -> Result<(), SynthesisError> {
    let total = records.iter().try_fold(0_u64, |total, records| total.checked_add(*records));
    let add_up = all.is_none() || all == total;
    let are_there = !records.is_empty() && !records.contains(&0);
    ensure(total.is_some() && add_up && are_there, "its strata do not add up to its records")
}

/// `total` shared out in proportion to `weights`, by largest remainders; ties go to the first.
pub(crate) fn largest_remainders(weights: &[u64], total: u64) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let exact = |weight: u64| u128::from(weight) * u128::from(total);
    let mut shares: Vec<u64> = weights.iter().map(|weight| (exact(*weight) / sum.max(1)) as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(exact(weights[*at]) % sum.max(1)), *at));
    let left = total - shares.iter().sum::<u64>();
    order.into_iter().take(left as usize).for_each(|at| shares[at] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_add_up() {
        assert_eq!(largest_remainders(&[1, 1, 1], 10), [4, 3, 3]);
        assert_eq!(largest_remainders(&[60, 40], 100), [60, 40]);
        assert_eq!(largest_remainders(&[5, 3, 2], 7).iter().sum::<u64>(), 7);
    }
}
