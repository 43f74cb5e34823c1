//! What is aimed at: the features of records and their sums over the data.

use std::borrow::Cow;
use std::ops::Range;

use rand_distr::{Distribution, Exp1};

use super::classes::Coding;
use super::pool::{Coded, Feature, Pool, Sums};
use crate::SynthesisError;
use crate::randomness::{BLOCK, Seed};
use crate::stored::{StateReader, StateWriter, damaged, ensure};

/// The features, in the order in which they are met: classes and moments of each variable, then moments and classes of each pair.
#[derive(Clone, Debug)]
pub(super) struct Features {
    all: Vec<Feature>,
    /// Where the coefficients of each begin, and where the last end.
    offsets: Vec<usize>,
}

impl Features {
    fn of(sizes: &[(usize, bool)]) -> Self {
        let mut all = Vec::new();
        for (of, (size, has_moments)) in sizes.iter().copied().enumerate() {
            if size > 1 {
                all.push(Feature::Classes { of, size });
            }
            if has_moments {
                all.extend([Feature::Power { of, square: false }, Feature::Power { of, square: true }]);
            }
        }
        for left in 0..sizes.len() {
            for right in left + 1..sizes.len() {
                let ((height, left_moments), (width, right_moments)) = (sizes[left], sizes[right]);
                if height < 2 || width < 2 {
                    continue;
                }
                match (left_moments, right_moments) {
                    (true, true) => all.push(Feature::Product { left, right }),
                    (true, false) => all.push(Feature::Slopes { of: left, within: right, size: width }),
                    (false, true) => all.push(Feature::Slopes { of: right, within: left, size: height }),
                    (false, false) => {}
                }
                all.push(Feature::Pair { left, right, size: height * width, width });
            }
        }
        let mut end = 0;
        let ends = all.iter().map(|feature| {
            end += feature.coefficients();
            end
        });
        let offsets = std::iter::once(0).chain(ends).collect();
        Self { all, offsets }
    }

    /// The features, each with the place of its coefficients.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Feature, Range<usize>)> + '_ {
        self.all.iter().zip(self.offsets.windows(2)).map(|(feature, ends)| (*feature, ends[0]..ends[1]))
    }

    /// How many coefficients there are.
    pub(super) fn coefficients(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The pairs of variables whose tables are features.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.all.iter().filter_map(|feature| match feature {
            Feature::Pair { left, right, .. } => Some((*left, *right)),
            _ => None,
        })
    }

    /// The pair with the largest of these numbers, one for each.
    pub(super) fn worst_pair(&self, of_pairs: &[f64]) -> Option<(usize, usize)> {
        let best = of_pairs.iter().zip(self.pairs()).max_by(|left, right| left.0.total_cmp(right.0));
        best.map(|(_, pair)| pair)
    }
}

/// The sums over the data, or the records in classes from which sums are drawn for each data set.
pub(super) struct Aim {
    features: Features,
    records: u64,
    of: Of,
}

enum Of {
    Sums(Vec<f64>),
    Records(Pool),
}

/// Sums that are aimed at, one for each coefficient.
pub(super) struct Targets<'a> {
    /// N.
    pub records: f64,
    pub sums: Cow<'a, [f64]>,
}

impl Aim {
    /// What the data have; kept as records where each data set aims at sums of its own.
    pub(super) fn of(original: Pool, proper: bool) -> Self {
        let features = Features::of(original.sizes());
        let records = original.rows() as u64;
        let of = if proper {
            Of::Records(original)
        } else {
            Of::Sums(sums_of(&original, &features, &vec![1.0; original.rows()]))
        };
        Self { features, records, of }
    }

    pub(super) fn features(&self) -> &Features {
        &self.features
    }

    /// The sums that are aimed at: those of the data, or those of a Bayesian bootstrap of the records (Rubin 1981) if they are drawn and there is a seed.
    pub(super) fn targets(&self, seed: Option<Seed>) -> Targets<'_> {
        let records = self.records as f64;
        let sums = match &self.of {
            Of::Sums(sums) => Cow::Borrowed(&sums[..]),
            Of::Records(pool) => {
                let mut weights = vec![1.0; pool.rows()];
                if let Some(seed) = seed {
                    for (block, weights) in weights.chunks_mut(BLOCK).enumerate() {
                        let mut rng = seed.stream(block as u64);
                        weights.iter_mut().for_each(|weight| *weight = Exp1.sample(&mut rng));
                    }
                    let scale = records / weights.iter().sum::<f64>();
                    weights.iter_mut().for_each(|weight| *weight *= scale);
                }
                Cow::Owned(sums_of(pool, &self.features, &weights))
            }
        };
        Targets { records, sums }
    }

    /// Writes the sums, or the records in classes.
    pub(super) fn store(&self, into: &mut StateWriter<'_>) -> std::io::Result<()> {
        match &self.of {
            Of::Sums(sums) => into.array("sums over the data", sums),
            Of::Records(pool) => pool.columns().iter().try_for_each(|column| {
                into.array("classes of the records", &column.classes)?;
                column.moments.iter().try_for_each(|moments| into.array("numbers of the records", moments))
            }),
        }
    }

    /// What is aimed at in these classes.
    pub(super) fn load(
        from: &mut StateReader<'_>,
        coding: &Coding,
        records: Option<u64>,
        proper: bool,
    ) -> Result<Self, SynthesisError> {
        let sizes = coding.sizes();
        let features = Features::of(&sizes);
        let records = records.ok_or_else(|| damaged("it is not private, and its recipe is"))?;
        let of = if proper {
            let mut columns = Vec::with_capacity(sizes.len());
            for (size, has_moments) in &sizes {
                let classes: Vec<u8> = from.array("classes of the records")?;
                let moments: Option<Vec<f32>> =
                    has_moments.then(|| from.array("numbers of the records")).transpose()?;
                let are_fine = classes.len() as u64 == records
                    && classes.iter().all(|class| usize::from(*class) < *size)
                    && moments.as_ref().is_none_or(|numbers| {
                        numbers.len() as u64 == records && numbers.iter().all(|number| number.abs() <= 3.0)
                    });
                ensure(are_fine, "the records that it aims at are not in its classes")?;
                columns.push(Coded { classes, moments });
            }
            Of::Records(Pool::new(records as usize, sizes, columns))
        } else {
            let sums: Vec<f64> = from.array("sums over the data")?;
            let most = 9.0 * records as f64;
            let are_fine = sums.len() == features.coefficients() && sums.iter().all(|sum| sum.abs() <= most);
            ensure(are_fine, "the tables that it aims at are not those of its classes")?;
            Of::Sums(sums)
        };
        Ok(Self { features, records, of })
    }
}

/// The sums of all features over weighted records.
fn sums_of(pool: &Pool, features: &Features, weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; features.coefficients()];
    for (feature, place) in features.iter() {
        let mut of_feature = Pool::empty_sums(feature);
        pool.collect(feature, 0, weights, &mut of_feature);
        sums[place].copy_from_slice(&Sums::new(feature, of_feature).first);
    }
    sums
}
