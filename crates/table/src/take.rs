//! Some records of a table, by row number.

use std::sync::Arc;

use crate::column::{Column, TextColumn};
use crate::{Codes, Table, TableError};

impl Table {
    /// The records at these rows, in this order; a row may be taken more than once.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn take(&self, rows: &[u32]) -> Result<Self, TableError> {
        let columns = self.columns().iter().map(|column| column.take(rows)).collect();
        Self::new(self.shared_schema(), columns)
    }
}

impl Column {
    /// The entries at these rows, in this order.
    pub fn take(&self, rows: &[u32]) -> Self {
        match self {
            Self::Categorical(codes) => Self::Categorical(Arc::new(codes.take(rows))),
            Self::Integer(numbers) => Self::Integer(numbers.take(rows)),
            Self::Real(numbers) => Self::Real(numbers.take(rows)),
            Self::Date(days) => Self::Date(days.take(rows)),
            Self::Datetime(times) => Self::Datetime(times.take(rows)),
            Self::Text(text) => {
                Self::Text(TextColumn { codes: text.codes.take(rows), dictionary: text.dictionary.clone() })
            }
        }
    }
}

impl Codes {
    /// The codes at these rows, in this order.
    pub fn take(&self, rows: &[u32]) -> Self {
        fn of<T: Copy>(codes: &[T], rows: &[u32]) -> Vec<T> {
            rows.iter().map(|row| codes[*row as usize]).collect()
        }
        match self {
            Self::U8(codes) => Self::U8(of(codes, rows)),
            Self::U16(codes) => Self::U16(of(codes, rows)),
            Self::U32(codes) => Self::U32(of(codes, rows)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read::{ReadOptions, read_csv_text};
    use crate::write::csv_text;

    #[test]
    fn rows_come_in_the_order_asked_for_with_their_gaps() {
        let table = read_csv_text("sex,age,pay\nF,31,1.5\nM,,2\nF,40,\n", &ReadOptions::default()).unwrap();
        let taken = table.take(&[2, 0, 2, 1]).unwrap();
        assert_eq!(csv_text(&taken), "sex,age,pay\nF,40,\nF,31,1.5\nF,40,\nM,,2\n");
        assert_eq!(table.take(&[]).unwrap().rows(), 0);
    }
}
