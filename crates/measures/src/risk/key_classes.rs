//! Key classes: the records of an original and its synthetic tables, sorted into classes that agree on all keys.
//!
//! What an intruder who knows the keys can tell apart is the class, so every measure of disclosure starts here. The classes are
//! numbered over all tables together, in lexicographic order of their keys. Few possible keys are numbered by a table of
//! them, many by sorting; both take time and memory in proportion to the records.

use rayon::prelude::*;
use table::{Attributes, CodedTable, CountSource};

use crate::{MeasureError, SharedTables};

/// Classes of equal keys, over several tables at once: the original is table 0, the synthetic ones follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyClasses {
    keys: Attributes,
    class_of: Vec<Vec<u32>>,
    counts: Vec<Vec<u32>>,
}

/// The records of one table, class by class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassMembers {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

/// Keys of at most this many bits are numbered by a table of them whatever the number of records: 256 kB.
const ALWAYS_DENSE_BITS: u32 = 16;

impl KeyClasses {
    /// The classes of these keys.
    pub fn new(tables: &SharedTables, keys: &Attributes) -> Result<Self, MeasureError> {
        let tables: Vec<&CodedTable> = std::iter::once(tables.original()).chain(tables.synthetic()).collect();
        let records: u64 = tables.iter().map(|table| table.records()).sum();
        if records > u64::from(u32::MAX) {
            return Err(MeasureError::TooManyRecords { records });
        }
        let sizes = tables[0].domain().sizes(keys);
        let bits: u32 = sizes.iter().map(|size| usize::BITS - (size.max(&1) - 1).leading_zeros()).sum();
        let few = bits <= ALWAYS_DENSE_BITS || (bits < 32 && 1_u64 << bits <= 4 * records);
        let class_of = if few { by_table(&tables, keys, bits) } else { by_sorting(&tables, keys, bits) };
        let classes = class_of.iter().flatten().max().map_or(0, |last| *last as usize + 1);
        let count = |classes_of: &Vec<u32>| {
            let mut counts = vec![0_u32; classes];
            classes_of.iter().for_each(|class| counts[*class as usize] += 1);
            counts
        };
        let counts = class_of.par_iter().map(count).collect();
        Ok(Self { keys: keys.clone(), class_of, counts })
    }

    /// The keys.
    pub fn keys(&self) -> &Attributes {
        &self.keys
    }

    /// The number of classes with a record in any table.
    pub fn len(&self) -> usize {
        self.counts[0].len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class of each original record.
    pub fn of_original(&self) -> &[u32] {
        &self.class_of[0]
    }

    /// The class of each record of a synthetic table.
    pub fn of_synthetic(&self, set: usize) -> &[u32] {
        &self.class_of[set + 1]
    }

    /// How many original records each class holds.
    pub(crate) fn original_counts(&self) -> &[u32] {
        &self.counts[0]
    }

    /// How many records of a synthetic table each class holds.
    pub fn synthetic_counts(&self, set: usize) -> &[u32] {
        &self.counts[set + 1]
    }

    /// The number of synthetic tables.
    pub fn sets(&self) -> usize {
        self.counts.len() - 1
    }

    /// The original records, class by class.
    pub(crate) fn original_members(&self) -> ClassMembers {
        ClassMembers::new(&self.class_of[0], &self.counts[0])
    }

    /// The records of a synthetic table, class by class.
    pub(crate) fn synthetic_members(&self, set: usize) -> ClassMembers {
        ClassMembers::new(&self.class_of[set + 1], &self.counts[set + 1])
    }
}

impl ClassMembers {
    fn new(class_of: &[u32], counts: &[u32]) -> Self {
        let mut starts = Vec::with_capacity(counts.len() + 1);
        let mut next = 0;
        for count in counts {
            starts.push(next);
            next += count;
        }
        starts.push(next);
        let mut place = starts.clone();
        let mut rows = vec![0; class_of.len()];
        for (row, class) in class_of.iter().enumerate() {
            let place = &mut place[*class as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// The rows of a class, ascending.
    pub fn rows(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// Numbers the keys that occur in a table of all keys of this many bits.
fn by_table(tables: &[&CodedTable], keys: &Attributes, bits: u32) -> Vec<Vec<u32>> {
    // The first variable is packed highest, so that the key's bits stand at the top of its one word.
    let place = |key: &u64| if bits == 0 { 0 } else { (key >> (64 - bits)) as usize };
    let packed: Vec<Vec<u64>> = tables.iter().map(|table| table.keys(keys).1).collect();
    let mut class = vec![0_u32; 1 << bits];
    packed.iter().flatten().for_each(|key| class[place(key)] = 1);
    let mut next = 0;
    for class in &mut class {
        (*class, next) = (next, next + *class);
    }
    packed.iter().map(|keys| keys.iter().map(|key| class[place(key)]).collect()).collect()
}

/// Numbers the keys that occur by sorting, one word of the key after the other; `bits` of the words are used.
fn by_sorting(tables: &[&CodedTable], keys: &Attributes, bits: u32) -> Vec<Vec<u32>> {
    let packed: Vec<_> = tables.iter().map(|table| table.keys(keys)).collect();
    let width = packed[0].0.words();
    let words = packed.iter().flat_map(|(_, keys)| keys.chunks_exact(width));
    let records = words.clone().count();
    let mut class_of = vec![0_u32; records];
    let place_bits = usize::BITS - records.leading_zeros();
    if width == 1 && bits + place_bits <= u64::BITS {
        // The key stands at the top of its word and leaves room for the record's place.
        let mut sorted: Vec<u64> = words.zip(0_u64..).map(|(key, record)| key[0] | record).collect();
        sorted.par_sort_unstable();
        let (mut class, mut before) = (0, sorted.first().map(|entry| entry >> place_bits));
        for entry in sorted {
            if before != Some(entry >> place_bits) {
                (class, before) = (class + 1, Some(entry >> place_bits));
            }
            class_of[(entry & ((1 << place_bits) - 1)) as usize] = class;
        }
    } else {
        for word in 0..width {
            let entries = words.clone().zip(&class_of).zip(0_u32..);
            let mut sorted: Vec<(u32, u64, u32)> =
                entries.map(|((words, class), record)| (*class, words[word], record)).collect();
            sorted.par_sort_unstable();
            let mut class = 0;
            let mut before = sorted.first().map(|(class, word, _)| (*class, *word));
            for (old_class, word, record) in sorted {
                if before != Some((old_class, word)) {
                    (class, before) = (class + 1, Some((old_class, word)));
                }
                class_of[record as usize] = class;
            }
        }
    }
    let mut rest = class_of.as_slice();
    let of_table = |table: &&CodedTable| {
        let (own, others) = rest.split_at(table.records() as usize);
        rest = others;
        own.to_vec()
    };
    tables.iter().map(of_table).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use table::{Classes, Codes, Domain};

    use super::*;

    fn coded(sizes: &[usize], rows: &[Vec<u32>]) -> CodedTable {
        let classes = sizes.iter().enumerate().map(|(i, size)| Classes::of_size(format!("v{i}"), *size));
        let columns = (0..sizes.len()).map(|i| Codes::collect(sizes[i], rows.iter().map(|row| row[i])));
        CodedTable::from_codes(Domain::new(classes.collect()).unwrap(), columns.collect())
    }

    fn rows(sizes: &[usize]) -> impl Strategy<Value = Vec<Vec<u32>>> + use<> {
        let row: Vec<_> = sizes.iter().map(|size| 0..*size as u32).collect();
        prop::collection::vec(row, 0..60)
    }

    fn two_tables() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>, Vec<Vec<u32>>)> {
        prop::collection::vec(prop_oneof![1_usize..4, Just(300)], 1..11)
            .prop_flat_map(|sizes| (rows(&sizes), rows(&sizes), Just(sizes)))
            .prop_map(|(original, synthetic, sizes)| (sizes, original, synthetic))
    }

    proptest! {
        #[test]
        fn classes_are_the_ranks_of_distinct_keys((sizes, original, synthetic) in two_tables(), mask: u16) {
            let tables = [&coded(&sizes, &original), &coded(&sizes, &synthetic)];
            let keys = Attributes::new((0..sizes.len()).filter(|place| mask >> place & 1 == 1));
            let key = |row: &Vec<u32>| keys.positions().iter().map(|at| row[*at]).collect::<Vec<u32>>();
            let mut distinct: Vec<Vec<u32>> = original.iter().chain(&synthetic).map(key).collect();
            distinct.sort_unstable();
            distinct.dedup();
            let rank = |row: &Vec<u32>| distinct.binary_search(&key(row)).unwrap() as u32;
            let expected: Vec<Vec<u32>> =
                [&original, &synthetic].map(|rows| rows.iter().map(rank).collect()).into();
            let bits: u32 = keys.positions().iter().map(|at| usize::BITS - (sizes[*at] - 1).leading_zeros()).sum();
            prop_assert_eq!(&by_sorting(&tables, &keys, bits), &expected);
            prop_assert_eq!(&by_sorting(&tables, &keys, u64::BITS), &expected, "as if there were no room for places");
            if bits <= 18 {
                prop_assert_eq!(&by_table(&tables, &keys, bits), &expected);
            }
        }
    }

    #[test]
    fn members_are_the_rows_of_a_class() {
        let members = ClassMembers::new(&[2, 0, 2, 2], &[1, 0, 3]);
        assert_eq!((members.rows(0), members.rows(1), members.rows(2)), (&[1][..], &[][..], &[0, 2, 3][..]));
    }
}
