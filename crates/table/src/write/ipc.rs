//! Arrow IPC files (Feather, version 2): categories as dictionaries, everything else as Parquet has it.

use std::io::Write;

use arrow_ipc::writer::FileWriter;

use super::arrow::{record_batch_of, shown_levels};
use crate::{Schema, Table};

/// Writes the parts, a batch each. A file has one dictionary for all batches, so all parts must be known: it lists the levels that one of them shows, and
/// the others only where the schema is declared public.
pub(super) fn write(sink: &mut dyn Write, schema: &Schema, parts: &[Table]) -> std::io::Result<()> {
    let shown = shown_levels(schema, parts);
    let failed = |error: &dyn std::fmt::Display| std::io::Error::other(error.to_string());
    let batches = parts.iter().map(|part| record_batch_of(part, &shown, None));
    let batches = batches.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?;
    let Some(first) = batches.first() else { return Err(failed(&"an Arrow file needs at least one record")) };
    let mut writer = FileWriter::try_new(sink, &first.schema()).map_err(|error| failed(&error))?;
    for batch in &batches {
        writer.write(batch).map_err(|error| failed(&error))?;
    }
    writer.finish().map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use crate::read::{ReadOptions, read_csv_text, read_table};
    use crate::schema::SchemaFile;
    use crate::write::{Format, TableWriter};

    #[test]
    fn parts_share_a_dictionary_of_what_one_of_them_shows() {
        let schema =
            "[variables.sex]\nkind = \"categorical\"\nlevels = [\"X\", \"F\", \"M\"]\nmissing = true\n";
        for (head, levels) in [("", 2), ("[table]\ndeclared = true\nreason = \"code book\"\n", 3)] {
            let file = SchemaFile::parse(&format!("{head}{schema}")).unwrap();
            let options = ReadOptions { schema: Some(file), ..ReadOptions::default() };
            let part = |text: &str| read_csv_text(text, &options).unwrap();
            let (first, second) = (part("sex\nM\nM\n"), part("sex\nF\n\"\"\nF\n"));
            let mut writer = TableWriter::new(Vec::new(), first.schema(), Format::Arrow).unwrap();
            writer.write(&first).unwrap();
            writer.write(&second).unwrap();
            let bytes = writer.finish().unwrap();
            let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(&bytes), None).unwrap();
            for batch in reader {
                let batch = batch.unwrap();
                let codes =
                    arrow_array::cast::as_dictionary_array::<arrow_array::types::Int32Type>(batch.column(0));
                assert_eq!(codes.values().len(), levels);
            }
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("table.arrow");
            std::fs::write(&path, &bytes).unwrap();
            let again = read_table(&path, &options).unwrap();
            assert_eq!((again.rows(), again.missing(0)), (5, 1));
            // A missing value alone in its record is an empty line.
            assert_eq!(crate::write::csv_text(&again), "sex\nM\nM\nF\n\nF\n");
        }
    }
}
