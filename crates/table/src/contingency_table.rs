//! Sparse counts: only the cells that hold a record, whatever the number of cells.
//!
//! A cell is packed into 64-bit words, each variable in as many bits as its classes need and never across two words, the
//! first variable highest. Sorted words are therefore cells in lexicographic order, and the key of a cell depends on its
//! classes alone: tables of two files can be merged by their keys. Nearly all tables fit one or two words; a table of 200
//! binary variables takes four.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::domain::product;
use crate::margin::DENSE_LIMIT;
use crate::{Attributes, Margin};

/// Counts of the cells that occur, in lexicographic order of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContingencyTable {
    attributes: Attributes,
    packing: Packing,
    words: Vec<u64>,
    counts: Vec<u64>,
}

/// Where each variable's class sits in the words of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packing {
    sizes: Vec<usize>,
    fields: Vec<Field>,
    words: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Packing {
    /// The packing of cells with these numbers of classes.
    pub fn new(sizes: &[usize]) -> Self {
        let bits = |size: &usize| usize::BITS - (size.max(&1) - 1).leading_zeros();
        let mut fields: Vec<Field> = Vec::with_capacity(sizes.len());
        let (mut word, mut free) = (0, 64);
        for size in sizes {
            let needed = bits(size);
            if needed > free {
                (word, free) = (word + 1, 64);
            }
            free -= needed;
            fields.push(Field {
                word,
                shift: free,
                mask: if needed == 0 { 0 } else { u64::MAX >> (64 - needed) },
            });
        }
        // A variable with one class needs no bits, and a shift by 64 would be none.
        fields.iter_mut().filter(|field| field.mask == 0).for_each(|field| field.shift = 0);
        Self { sizes: sizes.to_vec(), fields, words: word + 1 }
    }

    /// Words in a key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Adds the class of variable `place` to a key that has it at zero.
    pub fn put(&self, key: &mut [u64], place: usize, class: u32) {
        let field = self.fields[place];
        key[field.word] |= u64::from(class) << field.shift;
    }

    /// The class of variable `place` in a key.
    pub fn class(&self, key: &[u64], place: usize) -> u32 {
        let field = self.fields[place];
        ((key[field.word] >> field.shift) & field.mask) as u32
    }

    /// Which word and shift a class goes to, for kernels that pack a column at a time.
    pub(crate) fn word_and_shift(&self, place: usize) -> (usize, u32) {
        (self.fields[place].word, self.fields[place].shift)
    }
}

impl ContingencyTable {
    /// Counts keys, one a record, in any order.
    pub(crate) fn from_keys(attributes: Attributes, packing: Packing, keys: Vec<u64>) -> Self {
        let (words, counts) = match packing.words {
            1 => count_words(keys),
            2 => count_sorted::<2>(keys, None),
            3 => count_sorted::<3>(keys, None),
            4 => count_sorted::<4>(keys, None),
            width => count_wide(&keys, width, None),
        };
        Self { attributes, packing, words, counts }
    }

    /// Adds up weighted keys, in any order; keys with weight zero vanish.
    fn from_weighted_keys(attributes: Attributes, packing: Packing, keys: Vec<u64>, weights: &[u64]) -> Self {
        let (words, counts) = match packing.words {
            1 => count_sorted::<1>(keys, Some(weights)),
            2 => count_sorted::<2>(keys, Some(weights)),
            3 => count_sorted::<3>(keys, Some(weights)),
            4 => count_sorted::<4>(keys, Some(weights)),
            width => count_wide(&keys, width, Some(weights)),
        };
        Self { attributes, packing, words, counts }
    }

    /// A table of these cells, in any order; counts of equal cells are added.
    pub fn from_cells<'a>(
        attributes: Attributes,
        sizes: &[usize],
        cells: impl IntoIterator<Item = (&'a [u32], u64)>,
    ) -> Self {
        let packing = Packing::new(sizes);
        let (mut keys, mut weights) = (Vec::new(), Vec::new());
        for (cell, count) in cells.into_iter().filter(|(_, count)| *count > 0) {
            let start = keys.len();
            keys.resize(start + packing.words, 0);
            for (place, class) in cell.iter().enumerate() {
                packing.put(&mut keys[start..], place, *class);
            }
            weights.push(count);
        }
        Self::from_weighted_keys(attributes, packing, keys, &weights)
    }

    /// A table from the words of its keys and their counts, as [`words`](Self::words) and [`counts`](Self::counts) give them; `None` unless keys
    /// ascend, every class is one of its variable, and counts are positive with a total that 64 bits hold.
    pub fn from_words(
        attributes: Attributes,
        sizes: &[usize],
        words: Vec<u64>,
        counts: Vec<u64>,
    ) -> Option<Self> {
        let packing = Packing::new(sizes);
        let used = |word: usize| {
            let fields = packing.fields.iter().filter(|field| field.word == word);
            fields.fold(0, |used, field| used | field.mask << field.shift)
        };
        let used: Vec<u64> = (0..packing.words).map(used).collect();
        let is_cell = |key: &[u64]| {
            key.iter().zip(&used).all(|(word, used)| word & !used == 0)
                && (0..sizes.len()).all(|place| (packing.class(key, place) as usize) < sizes[place].max(1))
        };
        let keys = || words.chunks_exact(packing.words);
        let holds = attributes.len() == sizes.len()
            && counts.len().checked_mul(packing.words) == Some(words.len())
            && keys().all(is_cell)
            && keys().is_sorted_by(|left, right| left < right)
            && !counts.contains(&0)
            && counts.iter().try_fold(0_u64, |total, count| total.checked_add(*count)).is_some();
        holds.then_some(Self { attributes, packing, words, counts })
    }

    /// The sparse form of a dense margin.
    pub(crate) fn from_margin(margin: &Margin) -> Self {
        let packing = Packing::new(margin.sizes());
        let (mut words, mut counts) = (Vec::new(), Vec::new());
        for (index, count) in margin.counts().iter().enumerate().filter(|(_, count)| **count > 0) {
            let start = words.len();
            words.resize(start + packing.words, 0);
            let mut rest = index;
            for (place, size) in margin.sizes().iter().enumerate().rev() {
                packing.put(&mut words[start..], place, (rest % size) as u32);
                rest /= size;
            }
            counts.push(*count);
        }
        Self { attributes: margin.attributes().clone(), packing, words, counts }
    }

    /// The variables.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The number of classes of each variable.
    pub fn sizes(&self) -> &[usize] {
        &self.packing.sizes
    }

    /// The number of cells, empty ones included, exactly.
    pub fn cells(&self) -> BigUint {
        product(&self.packing.sizes)
    }

    /// The number of cells that hold at least one record.
    pub fn occupied(&self) -> usize {
        self.counts.len()
    }

    /// The share of cells that hold no record.
    pub(crate) fn empty_share(&self) -> f64 {
        let cells: f64 = self.packing.sizes.iter().map(|size| *size as f64).product();
        1.0 - self.occupied() as f64 / cells
    }

    /// The number of records.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of records that are alone in their cell.
    pub fn unique_records(&self) -> u64 {
        self.counts.iter().filter(|count| **count == 1).count() as u64
    }

    /// How many occupied cells hold each number of records.
    pub fn size_histogram(&self) -> BTreeMap<u64, u64> {
        let mut histogram = BTreeMap::new();
        for count in &self.counts {
            *histogram.entry(*count).or_insert(0) += 1;
        }
        histogram
    }

    /// The counts of the occupied cells, in lexicographic order of cells.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The keys of the occupied cells, one after the other.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The occupied cells with their counts, in lexicographic order.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<u32>, u64)> + '_ {
        (0..self.occupied()).map(|position| (self.cell(position), self.counts[position]))
    }

    /// The classes of an occupied cell.
    pub fn cell(&self, position: usize) -> Vec<u32> {
        let key = self.key(position);
        (0..self.packing.sizes.len()).map(|place| self.packing.class(key, place)).collect()
    }

    /// The class of the variable at `place` in an occupied cell.
    pub fn class(&self, position: usize, place: usize) -> u32 {
        self.packing.class(self.key(position), place)
    }

    /// The classes of occupied cells, one list a variable. All keys are fetched before any is taken apart, so that they are on their way at the same time.
    pub fn classes_of(&self, positions: &[u32]) -> Vec<Vec<u32>> {
        let width = self.packing.words;
        let keys: Vec<u64> = match width {
            1 => positions.iter().map(|position| self.words[*position as usize]).collect(),
            _ => positions.iter().flat_map(|position| self.key(*position as usize).iter().copied()).collect(),
        };
        let classes = |field: &Field| {
            let words = keys[field.word..].iter().step_by(width);
            words.map(|word| ((word >> field.shift) & field.mask) as u32).collect()
        };
        if keys.is_empty() {
            vec![Vec::new(); self.packing.fields.len()]
        } else {
            self.packing.fields.iter().map(classes).collect()
        }
    }

    /// The packed key of an occupied cell; keys ascend with position.
    pub fn key(&self, position: usize) -> &[u64] {
        &self.words[position * self.packing.words..][..self.packing.words]
    }

    /// The count of one cell.
    pub fn count_of(&self, cell: &[u32]) -> u64 {
        let mut wanted = vec![0; self.packing.words];
        for (place, class) in cell.iter().enumerate() {
            self.packing.put(&mut wanted, place, *class);
        }
        let (mut low, mut high) = (0, self.occupied());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key(middle).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.counts[middle],
            }
        }
        0
    }

    /// The counts of both tables, which are over the same variables and classes.
    pub fn merged(self, other: Self) -> Self {
        debug_assert_eq!((&self.attributes, &self.packing), (&other.attributes, &other.packing));
        let width = self.packing.words;
        let mut words = Vec::with_capacity(self.words.len() + other.words.len());
        let mut counts = Vec::with_capacity(self.counts.len() + other.counts.len());
        let (mut left, mut right) = (0, 0);
        while left < self.counts.len() && right < other.counts.len() {
            let (one, two) = (self.key(left), other.key(right));
            let order = one.cmp(two);
            words.extend_from_slice(if order.is_le() { one } else { two });
            let mut count = 0;
            if order.is_le() {
                count += self.counts[left];
                left += 1;
            }
            if order.is_ge() {
                count += other.counts[right];
                right += 1;
            }
            counts.push(count);
        }
        words.extend_from_slice(&self.words[left * width..]);
        counts.extend_from_slice(&self.counts[left..]);
        words.extend_from_slice(&other.words[right * width..]);
        counts.extend_from_slice(&other.counts[right..]);
        Self { words, counts, ..self }
    }

    /// The counts of all these tables, which are over the same variables and classes; `None` of none.
    pub(crate) fn merged_all(mut tables: Vec<Self>) -> Option<Self> {
        if tables.len() < 2 {
            return tables.pop();
        }
        let parts: Vec<(&[u64], &[u64])> =
            tables.iter().map(|table| (table.words.as_slice(), table.counts.as_slice())).collect();
        let (words, counts) = match tables[0].packing.words {
            1 => merge_sorted::<1>(&parts),
            2 => merge_sorted::<2>(&parts),
            3 => merge_sorted::<3>(&parts),
            4 => merge_sorted::<4>(&parts),
            _ => return tables.into_iter().reduce(Self::merged),
        };
        let first = tables.swap_remove(0);
        Some(Self { words, counts, ..first })
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        8 * (self.words.len() + self.counts.len())
    }

    /// The table over a part of the variables; `None` if one of them is not in this table.
    pub fn margin(&self, of: &Attributes) -> Option<Self> {
        self.over(&self.attributes.places_of(of)?, of)
    }

    /// The table over the variables at these places of this table, which become its variables 0, 1, … of another domain.
    /// `None` if there are fewer.
    pub(crate) fn over_places(&self, places: &[usize]) -> Option<Self> {
        self.over(places, &Attributes::new(places.iter().copied()))
    }

    fn over(&self, places: &[usize], of: &Attributes) -> Option<Self> {
        let sizes = places.iter().map(|place| self.packing.sizes.get(*place).copied());
        let packing = Packing::new(&sizes.collect::<Option<Vec<usize>>>()?);
        let mut keys = vec![0; self.occupied() * packing.words];
        for (position, key) in keys.chunks_exact_mut(packing.words).enumerate() {
            for (new_place, place) in places.iter().enumerate() {
                packing.put(key, new_place, self.packing.class(self.key(position), *place));
            }
        }
        Some(Self::from_weighted_keys(of.clone(), packing, keys, &self.counts))
    }

    /// One table over the other variables for each cell of `by` that occurs, with that cell.
    /// `None` if a variable of `by` is not in this table.
    pub fn strata(&self, by: &Attributes) -> Option<Vec<(Vec<u32>, Self)>> {
        let by_places = self.attributes.places_of(by)?;
        let rest = self.attributes.without(by);
        let rest_places = self.attributes.places_of(&rest)?;
        let sizes: Vec<usize> = rest_places.iter().map(|place| self.packing.sizes[*place]).collect();
        let mut strata: BTreeMap<Vec<u32>, Vec<(Vec<u32>, u64)>> = BTreeMap::new();
        for (cell, count) in self.iter() {
            let stratum = by_places.iter().map(|place| cell[*place]).collect();
            let rest_cell = rest_places.iter().map(|place| cell[*place]).collect();
            strata.entry(stratum).or_default().push((rest_cell, count));
        }
        let table = |cells: Vec<(Vec<u32>, u64)>| {
            Self::from_cells(
                rest.clone(),
                &sizes,
                cells.iter().map(|(cell, count)| (cell.as_slice(), *count)),
            )
        };
        Some(strata.into_iter().map(|(stratum, cells)| (stratum, table(cells))).collect())
    }

    /// The counts of one cell of `by` over the other variables, which become those of `rest`. `None` if a variable of `by` is not
    /// in this table, or `rest` has another number of variables.
    pub(crate) fn slice(&self, by: &Attributes, cell: &[u32], rest: Attributes) -> Option<Self> {
        let places = self.attributes.places_of(by)?;
        let free = self.attributes.places_of(&self.attributes.without(by))?;
        let sizes: Vec<usize> = free.iter().map(|place| self.packing.sizes[*place]).collect();
        let here = |position: &usize| {
            places.iter().zip(cell).all(|(place, class)| self.class(*position, *place) == *class)
        };
        let inner =
            |position: usize| free.iter().map(|place| self.class(position, *place)).collect::<Vec<u32>>();
        let cells: Vec<(Vec<u32>, u64)> = (0..self.occupied())
            .filter(here)
            .map(|position| (inner(position), self.counts[position]))
            .collect();
        let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
        (rest.len() == free.len()).then(|| Self::from_cells(rest, &sizes, cells))
    }

    /// The dense form; `None` above [`DENSE_LIMIT`] cells.
    pub fn to_margin(&self) -> Option<Margin> {
        let cells = usize::try_from(&self.cells()).ok().filter(|cells| *cells <= DENSE_LIMIT)?;
        let mut counts = vec![0; cells];
        for (cell, count) in self.iter() {
            let index = self
                .packing
                .sizes
                .iter()
                .zip(&cell)
                .fold(0, |index, (size, class)| index * size + *class as usize);
            counts[index] = count;
        }
        Some(Margin::new(self.attributes.clone(), self.packing.sizes.clone(), counts))
    }
}

/// Like [`count_sorted`] for keys of one word, which are sorted and thinned out where they are.
fn count_words(mut keys: Vec<u64>) -> (Vec<u64>, Vec<u64>) {
    keys.par_sort_unstable();
    let mut counts: Vec<u64> = Vec::with_capacity(keys.len());
    let mut last = None;
    let mut cells = 0;
    for at in 0..keys.len() {
        let key = keys[at];
        if last == Some(key) {
            counts[cells - 1] += 1;
        } else {
            keys[cells] = key;
            counts.push(1);
            cells += 1;
            last = Some(key);
        }
    }
    keys.truncate(cells);
    (keys, counts)
}

/// Adds up sorted tables of keys of `W` words, each of them words and counts, in one walk over all.
fn merge_sorted<const W: usize>(tables: &[(&[u64], &[u64])]) -> (Vec<u64>, Vec<u64>) {
    let most = tables.iter().map(|(_, counts)| counts.len()).sum();
    let (mut words, mut counts) = (Vec::with_capacity(most * W), Vec::with_capacity(most));
    let mut walks: Vec<_> = tables
        .iter()
        .filter_map(|(words, counts)| {
            let mut rest = words.as_chunks::<W>().0.iter().zip(counts.iter());
            rest.next().map(|next| (next, rest))
        })
        .collect();
    while let Some(least) = walks.iter().map(|(next, _)| *next.0).min() {
        let mut sum = 0;
        walks.retain_mut(|(next, rest)| {
            if *next.0 != least {
                return true;
            }
            sum += *next.1;
            rest.next().is_some_and(|after| {
                *next = after;
                true
            })
        });
        words.extend_from_slice(&least);
        counts.push(sum);
    }
    (words, counts)
}

/// Sorts keys of `W` words and adds up equal ones. Integers only, so the order of work cannot show.
fn count_sorted<const W: usize>(keys: Vec<u64>, weights: Option<&[u64]>) -> (Vec<u64>, Vec<u64>) {
    fn key<const W: usize>(words: &[u64]) -> [u64; W] {
        std::array::from_fn(|word| words[word])
    }
    let (mut words, mut counts): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut add = |key: [u64; W], weight: u64| {
        if counts.is_empty() || words[words.len() - W..] != key {
            words.extend_from_slice(&key);
            counts.push(0);
        }
        let last = counts.len() - 1;
        counts[last] += weight;
    };
    match weights {
        None => {
            let mut sorted: Vec<[u64; W]> = keys.chunks_exact(W).map(key).collect();
            drop(keys);
            sorted.par_sort_unstable();
            sorted.into_iter().for_each(|key| add(key, 1));
        }
        Some(weights) => {
            let mut sorted: Vec<([u64; W], u64)> =
                keys.chunks_exact(W).map(key).zip(weights.iter().copied()).collect();
            sorted.par_sort_unstable();
            sorted.into_iter().for_each(|(key, weight)| add(key, weight));
        }
    }
    (words, counts)
}

/// Like [`count_sorted`], for keys of any width, by sorting positions.
fn count_wide(keys: &[u64], width: usize, weights: Option<&[u64]>) -> (Vec<u64>, Vec<u64>) {
    let key = |position: usize| &keys[position * width..][..width];
    let mut order: Vec<usize> = (0..keys.len() / width).collect();
    order.par_sort_unstable_by(|left, right| key(*left).cmp(key(*right)));
    let (mut words, mut counts): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    for position in order {
        if counts.is_empty() || &words[words.len() - width..] != key(position) {
            words.extend_from_slice(key(position));
            counts.push(0);
        }
        let last = counts.len() - 1;
        counts[last] += weights.map_or(1, |weights| weights[position]);
    }
    (words, counts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(sizes: &[usize], cells: &[(Vec<u32>, u64)]) -> ContingencyTable {
        let attributes = Attributes::new(0..sizes.len());
        ContingencyTable::from_cells(
            attributes,
            sizes,
            cells.iter().map(|(cell, count)| (cell.as_slice(), *count)),
        )
    }

    #[test]
    fn counts_uniques_and_empty_cells() {
        let table = table(&[2, 3], &[(vec![0, 1], 1), (vec![1, 2], 4), (vec![0, 1], 2), (vec![1, 0], 1)]);
        assert_eq!((table.occupied(), table.total(), table.unique_records()), (3, 8, 1));
        assert_eq!(table.count_of(&[0, 1]), 3);
        assert_eq!(table.count_of(&[0, 0]), 0);
        assert!((table.empty_share() - 0.5).abs() < 1e-15);
        assert_eq!(table.size_histogram(), BTreeMap::from([(1, 1), (3, 1), (4, 1)]));
    }

    #[test]
    fn words_make_the_same_table_and_no_other() {
        let all = table(&[2, 3, 1], &[(vec![0, 1, 0], 3), (vec![1, 2, 0], 4)]);
        let made = |sizes: &[usize], words: &[u64], counts: &[u64]| {
            ContingencyTable::from_words(Attributes::new(0..3), sizes, words.to_vec(), counts.to_vec())
        };
        let (words, counts) = (all.words().to_vec(), all.counts().to_vec());
        assert_eq!(made(&[2, 3, 1], &words, &counts), Some(all));
        assert_eq!(made(&[2, 2, 1], &words, &counts), None, "another packing");
        assert_eq!(made(&[2, 3, 1], &[words[1], words[0]], &counts), None);
        assert_eq!(made(&[2, 3, 1], &[words[0] | 1, words[1]], &counts), None);
        assert_eq!(made(&[2, 3, 1], &[words[0], u64::MAX], &counts), None);
        assert_eq!(made(&[2, 3, 1], &words, &[3]), None);
        assert_eq!(made(&[2, 3, 1], &words, &[3, 0]), None);
        assert_eq!(made(&[2, 3, 1], &words, &[3, u64::MAX]), None);
        assert!(made(&[2, 3, 1], &[], &[]).is_some_and(|none| none.total() == 0));
    }

    #[test]
    fn variables_with_one_class_and_words_filled_to_the_brim() {
        for sizes in [vec![1, 2, 1], vec![1 << 16; 4], vec![1 << 16, 1 << 16, 1 << 16, 1 << 17], vec![3; 90]]
        {
            let last: Vec<u32> = sizes.iter().map(|size| *size as u32 - 1).collect();
            let first = vec![0; sizes.len()];
            let table = table(&sizes, &[(last.clone(), 2), (first.clone(), 1)]);
            assert_eq!(table.iter().collect::<Vec<_>>(), [(first, 1), (last, 2)], "{sizes:?}");
        }
    }

    fn any_table() -> impl Strategy<Value = ContingencyTable> {
        prop::collection::vec(1_usize..70, 1..24).prop_flat_map(|sizes| {
            let cell: Vec<_> = sizes.iter().map(|size| 0..*size as u32).collect();
            let cells = prop::collection::vec((cell, 1_u64..5), 0..60);
            cells.prop_map(move |cells| table(&sizes, &cells))
        })
    }

    proptest! {
        #[test]
        fn a_margin_of_a_margin_is_a_margin(all in any_table(), larger: u64, smaller: u64) {
            let pick = |mask: u64| Attributes::new((0..all.sizes().len()).filter(|place| mask >> place & 1 == 1));
            let (part, inner) = (pick(larger), pick(larger & smaller));
            let twice = all.margin(&part).unwrap().margin(&inner).unwrap();
            prop_assert_eq!(&twice, &all.margin(&inner).unwrap());
            prop_assert_eq!(twice.total(), all.total());
        }

        #[test]
        fn two_tables_merge_as_their_cells((sizes, one, other) in prop::collection::vec(1_usize..70, 1..24).prop_flat_map(|sizes| {
            let cell: Vec<_> = sizes.iter().map(|size| 0..*size as u32).collect();
            let cells = || prop::collection::vec((cell.clone(), 1_u64..5), 0..60);
            (Just(sizes.clone()), cells(), cells())
        })) {
            let both: Vec<_> = one.iter().chain(&other).cloned().collect();
            prop_assert_eq!(table(&sizes, &one).merged(table(&sizes, &other)), table(&sizes, &both));
        }

        #[test]
        fn strata_hold_every_record_once(all in any_table(), mask: u64) {
            let by = Attributes::new((0..all.sizes().len()).filter(|place| mask >> place & 1 == 1));
            let strata = all.strata(&by).unwrap();
            prop_assert_eq!(strata.iter().map(|(_, table)| table.total()).sum::<u64>(), all.total());
            let margin = all.margin(&by).unwrap();
            for (cell, stratum) in &strata {
                prop_assert_eq!(stratum.total(), margin.count_of(cell));
            }
        }

        #[test]
        fn dense_and_sparse_agree(all in any_table(), mask: u64) {
            let part = Attributes::new((0..all.sizes().len()).filter(|place| mask >> place & 1 == 1).take(3));
            let sparse = all.margin(&part).unwrap();
            let dense = sparse.to_margin().unwrap();
            prop_assert_eq!(&ContingencyTable::from_margin(&dense), &sparse);
            let inner = Attributes::new(part.positions().iter().copied().take(1));
            prop_assert_eq!(dense.margin(&inner).unwrap(), sparse.margin(&inner).unwrap().to_margin().unwrap());
        }
    }

    proptest! {
        /// One walk over all tables gives what adding them one by one does, for keys of one word, of two and of more than four.
        #[test]
        fn tables_are_added_up_in_one_walk(
            wide in 0_usize..3,
            tables in prop::collection::vec(prop::collection::vec((0_u32..5, 0_u32..5, 1_u64..4), 0..20), 0..6),
        ) {
            let sizes: Vec<usize> = match wide {
                0 => vec![5, 5],
                1 => vec![5, 1 << 31, 1 << 31, 5],
                _ => std::iter::once(5).chain(std::iter::repeat_n(1 << 31, 10)).chain([5]).collect(),
            };
            let cell = |one: u32, other: u32| {
                let mut cell = vec![0; sizes.len()];
                (cell[0], cell[sizes.len() - 1]) = (one, other);
                cell
            };
            let tables: Vec<ContingencyTable> = tables
                .iter()
                .map(|cells| {
                    let cells: Vec<_> = cells.iter().map(|(one, other, count)| (cell(*one, *other), *count)).collect();
                    table(&sizes, &cells)
                })
                .collect();
            let one_by_one = tables.clone().into_iter().reduce(ContingencyTable::merged);
            prop_assert_eq!(ContingencyTable::merged_all(tables), one_by_one);
        }
    }
}
