//! Hashes of a table as it was read: of its records and of its schema.
//!
//! A file's hash does not say how the file was read: another separator or another text for missing values makes other records of the same bytes.

use sha2::{Digest, Sha256};
use table::column::{Entry, Number, Numbers};
use table::{Column, Schema, Table};

/// SHA-256 of the records as they are coded under the schema, column by column. The names of columns and levels are those of the schema: see
/// [`schema_sha256`].
pub fn records_sha256(table: &Table) -> String {
    let mut content = Content::default();
    content.number(table.rows() as u64);
    content.number(table.columns().len() as u64);
    for column in table.columns() {
        match column {
            Column::Categorical(codes) => codes.iter().for_each(|code| content.add(&code.to_le_bytes())),
            Column::Integer(numbers) => content.entries(numbers, i64::to_le_bytes),
            Column::Real(numbers) => content.entries(numbers, |value| value.to_bits().to_le_bytes()),
            Column::Date(numbers) => content.entries(numbers, i32::to_le_bytes),
            Column::Datetime(numbers) => content.entries(numbers, i64::to_le_bytes),
            Column::Text(texts) => (0..column.len()).for_each(|row| match texts.get(row) {
                Some(text) => {
                    content.number(1 + text.len() as u64);
                    content.add(text.as_bytes());
                }
                None => content.number(0),
            }),
        }
    }
    content.hexadecimal()
}

/// SHA-256 of the schema's text: names, kinds, levels, codes, cuts, rules.
pub fn schema_sha256(schema: &Schema) -> String {
    let mut content = Content::default();
    content.add(schema.to_toml().as_bytes());
    content.hexadecimal()
}

/// Bytes that are hashed, many at a time.
#[derive(Default)]
struct Content {
    hash: Sha256,
    waiting: Vec<u8>,
}

/// Bytes that wait before they are hashed together.
const BLOCK: usize = 1 << 16;

impl Content {
    fn add(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= BLOCK {
            self.hash.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    /// Every entry begins with what it is, so that a missing value or a special code is never taken for a number.
    fn entries<T: Number, const N: usize>(&mut self, numbers: &Numbers<T>, bytes: impl Fn(T) -> [u8; N]) {
        for entry in numbers.iter() {
            match entry {
                Entry::Value(value) => {
                    self.add(&[0]);
                    self.add(&bytes(value));
                }
                Entry::Missing => self.add(&[1]),
                Entry::Code(code) => {
                    self.add(&[2]);
                    self.number(code as u64);
                }
            }
        }
    }

    fn hexadecimal(mut self) -> String {
        self.hash.update(&self.waiting);
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use table::read::{ReadOptions, read_csv_text};

    use super::*;

    fn read(text: &str, missing: &[&str]) -> Table {
        let missing = missing.iter().map(|text| (*text).to_owned()).collect();
        read_csv_text(text, &ReadOptions { missing, ..ReadOptions::default() }).unwrap()
    }

    #[test]
    fn records_differ_by_how_they_were_read() {
        let text = "id,sex,age,height\nu1,F,31,1.5\nu2,M,9,1.75\nu3,F,9,0\n";
        let hash = |text: &str, missing: &[&str]| records_sha256(&read(text, missing));
        let own = hash(text, &["NA"]);
        assert_eq!(own, hash(text, &["NA"]));
        assert_ne!(own, hash(text, &["9"]));
        assert_ne!(own, hash(&text.replace("0\n", "0.25\n"), &["NA"]));
        assert_ne!(own, hash(&text.replace("u3,F", "u3,M"), &["NA"]));
        assert_ne!(hash(text, &["0"]), hash(text, &["9"]));
        let schema = |text: &str| schema_sha256(read(text, &["NA"]).schema());
        assert_eq!(schema(text), schema(text));
        assert_ne!(schema(text), schema(&text.replace("sex", "gender")));
    }
}
