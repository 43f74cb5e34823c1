//! Where the fields of plain records end: records of the right number of fields in which no quote occurs, as nearly all are.
//!
//! The ends of a stretch of records are found first, eight bytes at a time whatever the lengths of the fields; then the fields are parsed a column after the
//! other. A walk from field to field would go through all kinds of columns in turn, and its loops would end where the processor does not expect it.

/// Bytes of a stretch: its fields and their ends stay in the nearest caches.
const STRETCH: usize = 1 << 15;

/// The plain records of a stretch.
#[derive(Default)]
pub(super) struct Plain {
    /// Where each field ends: at a separator, or at the end of the line.
    ends: Vec<u32>,
    start: usize,
    columns: usize,
    rows: usize,
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The highest bit of each byte of `word` that is this one.
#[inline]
fn equal(word: u64, byte: u64) -> u64 {
    let differing = word ^ byte;
    !((differing & !HIGH).wrapping_add(!HIGH) | differing) & HIGH
}

impl Plain {
    /// Finds the plain records from `start` on, where one begins: up to the first that is not plain, or the end of the stretch.
    pub(super) fn find(&mut self, bytes: &[u8], start: usize, separator: u8, columns: usize) {
        let stretch = &bytes[start..bytes.len().min(start + STRETCH)];
        self.ends.resize(STRETCH + 8, 0);
        let (separators, newlines, quotes) =
            (LOW * u64::from(separator), LOW * u64::from(b'\n'), LOW * u64::from(b'"'));
        let mut found = 0;
        for (at, eight) in stretch.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*eight);
            let mut ends = equal(word, separators) | equal(word, newlines);
            let quoted = equal(word, quotes);
            if quoted != 0 {
                // What ends before the quote counts.
                ends &= quoted.wrapping_sub(1) & !quoted;
            }
            while ends != 0 {
                self.ends[found] = (8 * at) as u32 + ends.trailing_zeros() / 8;
                found += 1;
                ends &= ends - 1;
            }
            if quoted != 0 {
                break;
            }
        }
        (self.start, self.columns) = (start, columns);
        let is_plain = |record: &&[u32]| {
            let (last, inner) = (record[columns - 1], &record[..columns - 1]);
            stretch[last as usize] == b'\n' && inner.iter().all(|end| stretch[*end as usize] != b'\n')
        };
        self.rows = self.ends[..found].chunks_exact(columns).take_while(is_plain).count();
    }

    /// How many records were found.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Where the first record begins that was not found.
    pub(super) fn end(&self) -> usize {
        let last = (self.rows * self.columns).checked_sub(1);
        last.map_or(self.start, |last| self.start + self.ends[last] as usize + 1)
    }

    /// Where the fields of a column begin and end.
    pub(super) fn fields(&self, column: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ends = &self.ends[..self.rows * self.columns];
        // A field begins behind the end of the one before it.
        let before = if column == 0 { self.columns - 1 } else { column - 1 };
        let first = if column == 0 { Some(0) } else { None };
        let begins = ends.iter().skip(before).step_by(self.columns).map(|end| *end as usize + 1);
        let ends = ends.iter().skip(column).step_by(self.columns).map(|end| *end as usize);
        first.into_iter().chain(begins).zip(ends).map(|(from, to)| (self.start + from, self.start + to))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::csv::fields::Fields;

    fn found(text: &str, columns: usize) -> (Vec<Vec<String>>, usize) {
        let mut plain = Plain::default();
        plain.find(text.as_bytes(), 0, b',', columns);
        let mut rows = vec![Vec::new(); plain.rows()];
        for column in 0..columns {
            for (row, (from, to)) in plain.fields(column).enumerate() {
                rows[row].push(text[from..to].to_owned());
            }
        }
        (rows, plain.end())
    }

    #[test]
    fn plain_records_end_before_what_is_not_plain() {
        let text = "a,b\nlong field here,\n,\nc,\"d\"\ne,f\n";
        let rows = vec![vec!["a", "b"], vec!["long field here", ""], vec!["", ""]];
        let rows: Vec<Vec<String>> =
            rows.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
        assert_eq!(found(text, 2), (rows, 23));
        assert_eq!(found("a,b,c\nd,e\n12345678", 2).1, 0);
        assert_eq!(found("a,b\n\nc,d\n12345678", 2), (vec![vec!["a".into(), "b".into()]], 4));
        assert_eq!(found("1\n\n3\n45678901", 1).0.concat(), ["1", "", "3"]);
    }

    proptest! {
        /// What is found is what the walk from field to field finds.
        #[test]
        fn fields_are_those_of_the_walk(text in "([ab\u{80}\u{2c2c}]{0,9}[,\n\r\"]){0,60}", columns in 1_usize..4) {
            let (rows, end) = found(&text, columns);
            let mut walk = Fields::new(text.as_bytes(), b',');
            for row in &rows {
                for (column, field) in row.iter().enumerate() {
                    let expected = walk.next_field().unwrap();
                    let field = if column + 1 == columns { field.strip_suffix('\r').unwrap_or(field) } else { field };
                    prop_assert_eq!(field.as_bytes(), expected.bytes);
                    prop_assert_eq!(expected.ends_record, column + 1 == columns);
                }
            }
            prop_assert_eq!(walk.position(), end);
        }
    }
}
