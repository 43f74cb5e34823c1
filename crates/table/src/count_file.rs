//! Counts in files: what several machines count apart is added up in one place, and a method is fitted to the sum.
//!
//! A count file holds exact counts over sets of variables, in the classes of a declared schema, with what they were counted from. Counts of different records add up, so that any
//! scheduler can share out the files of a table: each part is counted where it lies, and `synth --counts` takes the files together. It is as confidential as the
//! records: only its owner can read it.
//!
//! The file is an Arrow IPC file of three columns, `margin` (u32), `cell` (u64) and `count` (u64). A cell is its classes in mixed radix, the last variable fastest; empty cells
//! are left out. The metadata of its schema say the rest: `format`, `version`, `schema` (TOML), `groups`, `records`, `inputs` and `margins` (JSON).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufReader, Cursor};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};

use crate::schema::SchemaFile;
use crate::{
    Attributes, ContingencyTable, CountSource, DeclaredSchema, Domain, FileProblem, Margin, TableError,
};

const FORMAT: &str = "lookalike-counts";
const VERSION: &str = "1";

/// Counts in the classes of a declared schema, and what they are of.
#[derive(Clone, Debug)]
pub struct CountFile {
    schema: DeclaredSchema,
    groups: usize,
    domain: Domain,
    records: u64,
    /// Hashes of what was counted.
    inputs: BTreeSet<String>,
    tables: BTreeMap<Attributes, ContingencyTable>,
}

impl CountFile {
    /// Counts these sets of variables. `inputs` are hashes of what is counted, by which the same records are not counted twice.
    pub fn count(
        counts: &dyn CountSource,
        schema: &DeclaredSchema,
        groups: usize,
        sets: &[Attributes],
        inputs: impl IntoIterator<Item = String>,
    ) -> Result<Self, TableError> {
        let domain = Domain::declared(schema, groups)?;
        let mut file = Self {
            schema: schema.clone(),
            groups,
            domain,
            records: counts.records(),
            inputs: inputs.into_iter().collect(),
            tables: BTreeMap::new(),
        };
        let is_dense =
            |of: &&Attributes| Margin::checked_cells(&file.domain, of).is_ok_and(|cells| cells <= 1 << 22);
        let (dense, sparse): (Vec<&Attributes>, Vec<&Attributes>) = sets.iter().partition(is_dense);
        let dense: Vec<Attributes> = dense.into_iter().cloned().collect();
        for margin in counts.margins(&dense)? {
            file.add(ContingencyTable::from_margin(&margin))?;
        }
        for of in sparse {
            file.add(counts.contingency_table(of)?)?;
        }
        Ok(file)
    }

    /// Counts that were made elsewhere, such as the results of queries; each must add up to the number of records.
    pub fn of_tables(
        schema: &DeclaredSchema,
        groups: usize,
        tables: Vec<ContingencyTable>,
        inputs: impl IntoIterator<Item = String>,
    ) -> Result<Self, TableError> {
        let domain = Domain::declared(schema, groups)?;
        let Some(first) = tables.first() else { return Err(refusal("there is nothing counted")) };
        let (records, inputs) = (first.total(), inputs.into_iter().collect());
        let mut file =
            Self { schema: schema.clone(), groups, domain, records, inputs, tables: BTreeMap::new() };
        tables.into_iter().try_for_each(|table| file.add(table))?;
        Ok(file)
    }

    fn add(&mut self, table: ContingencyTable) -> Result<(), TableError> {
        let of = table.attributes().clone();
        let place = || format!("counts of {}", self.domain.describe(&of));
        if table.sizes() != self.domain.sizes(&of) {
            return Err(TableError::schema(place(), "they are not in the classes of the schema"));
        }
        if table.total() != self.records {
            let message = "they do not add up to the number of records; the data may have changed while they were counted";
            return Err(TableError::schema(place(), message));
        }
        if self.domain.cells(&of) > u64::MAX.into() {
            return Err(TableError::schema(
                place(),
                "they span more than 2^64 cells, which a count file does not hold; leave out variables",
            ));
        }
        self.tables.insert(of, table);
        Ok(())
    }

    /// The declared schema.
    pub fn schema(&self) -> &DeclaredSchema {
        &self.schema
    }

    /// Classes of equal width of numbers without declared cuts.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The sets of variables that are counted.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &Attributes> {
        self.tables.keys()
    }

    /// The occupied cells of all sets together.
    pub fn occupied(&self) -> usize {
        self.tables.values().map(ContingencyTable::occupied).sum()
    }

    /// The counts of several files added up. They must be in the same classes, over the same sets of variables, and of different records.
    pub fn merged(files: Vec<(String, Self)>) -> Result<Self, TableError> {
        let mut files = files.into_iter();
        let Some((first, mut sum)) = files.next() else { return Err(refusal("no count file is named")) };
        for (name, more) in files {
            let refuse = |message: String| Err(TableError::schema(&name, message));
            if more.groups != sum.groups || more.schema.schema() != sum.schema.schema() {
                return refuse(format!(
                    "its counts are under another schema, or in other classes, than those of {first}"
                ));
            }
            if let Some(twice) = sum.tables.keys().find(|of| !more.tables.contains_key(of)) {
                return refuse(format!(
                    "it lacks counts of {}, which {first} has; count both in the same way",
                    sum.domain.describe(twice)
                ));
            }
            if let Some(other) = more.tables.keys().find(|of| !sum.tables.contains_key(of)) {
                return refuse(format!(
                    "it has counts of {}, which {first} lacks; count both in the same way",
                    sum.domain.describe(other)
                ));
            }
            if sum.inputs.intersection(&more.inputs).next().is_some() {
                return refuse(format!(
                    "it counts records that {first}, or a file after it, counts too; they would count twice"
                ));
            }
            let overflow = || TableError::schema(&name, "there are more records than can be counted");
            sum.records = sum.records.checked_add(more.records).ok_or_else(overflow)?;
            sum.inputs.extend(more.inputs);
            let both = sum.tables.into_iter().zip(more.tables);
            sum.tables = both.map(|((of, one), (_, other))| (of, one.merged(other))).collect();
        }
        Ok(sum)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TableError> {
        let names = |of: &Attributes| -> Vec<&str> {
            of.positions().iter().map(|position| self.domain.variables()[*position].name()).collect()
        };
        let margins: Vec<Vec<&str>> = self.tables.keys().map(names).collect();
        let metadata: HashMap<String, String> = [
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_owned()),
            ("schema", self.schema.schema().to_toml()),
            ("groups", self.groups.to_string()),
            ("records", self.records.to_string()),
            ("inputs", serde_json::to_string(&self.inputs).unwrap_or_default()),
            ("margins", serde_json::to_string(&margins).unwrap_or_default()),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
        let field = |name: &str, kind: DataType| Field::new(name, kind, false);
        let fields = vec![
            field("margin", DataType::UInt32),
            field("cell", DataType::UInt64),
            field("count", DataType::UInt64),
        ];
        let schema = Arc::new(ArrowSchema::new(fields).with_metadata(metadata));
        let failed = |error: arrow_schema::ArrowError| refusal(error.to_string());
        let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &schema).map_err(failed)?;
        for (number, table) in self.tables.values().enumerate() {
            let sizes = table.sizes();
            let place = |cell: Vec<u32>| {
                cell.iter()
                    .zip(sizes)
                    .fold(0_u64, |place, (class, size)| place * *size as u64 + u64::from(*class))
            };
            let (cells, counts): (Vec<u64>, Vec<u64>) =
                table.iter().map(|(cell, count)| (place(cell), count)).unzip();
            let columns: Vec<ArrayRef> = vec![
                Arc::new(UInt32Array::from(vec![number as u32; cells.len()])),
                Arc::new(UInt64Array::from(cells)),
                Arc::new(UInt64Array::from(counts)),
            ];
            let batch = RecordBatch::try_new(Arc::clone(&schema), columns).map_err(failed)?;
            writer.write(&batch).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        writer.into_inner().map_err(failed)
    }

    /// Reads a file, which must be what it says.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let bytes = std::fs::read(path).map_err(|source| TableError::io(path, source))?;
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Self::from_bytes(&bytes)));
        let read = read.unwrap_or_else(|_| Err("it is damaged".to_owned()));
        read.map_err(|message| {
            TableError::file(path, FileProblem::Format(format!("not a readable count file: {message}")))
        })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let reader = arrow_ipc::reader::FileReader::try_new(BufReader::new(Cursor::new(bytes)), None);
        let reader = reader.map_err(|error| error.to_string())?;
        let schema = reader.schema();
        let said = |key: &str| {
            schema.metadata().get(key).map(String::as_str).ok_or_else(|| format!("it does not say its {key}"))
        };
        if said("format")? != FORMAT || said("version")? != VERSION {
            return Err("it is of another format or version".into());
        }
        let declared = SchemaFile::parse(said("schema")?)
            .and_then(SchemaFile::finish)
            .map_err(|error| error.to_string())?;
        let declared = declared.reviewed().map_err(|_| "its schema is not declared".to_owned())?;
        let number = |key: &str| said(key)?.parse::<u64>().map_err(|_| format!("its {key} is no number"));
        let groups = number("groups")? as usize;
        let domain = Domain::declared(&declared, groups).map_err(|error| error.to_string())?;
        let json = |key: &str| said(key).map(str::to_owned);
        let inputs: BTreeSet<String> =
            serde_json::from_str(&json("inputs")?).map_err(|error| error.to_string())?;
        let margins: Vec<Vec<String>> =
            serde_json::from_str(&json("margins")?).map_err(|error| error.to_string())?;
        let sets = margins.iter().map(|names| Attributes::named(&domain, names.iter().map(String::as_str)));
        let sets = sets.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let mut file = Self {
            schema: declared,
            groups,
            domain,
            records: number("records")?,
            inputs,
            tables: BTreeMap::new(),
        };
        let mut cells: Vec<Vec<(Vec<u32>, u64)>> = sets.iter().map(|_| Vec::new()).collect();
        for batch in reader {
            let batch = batch.map_err(|error| error.to_string())?;
            let column = |name: &str| {
                batch.column_by_name(name).cloned().ok_or_else(|| format!("it has no column `{name}`"))
            };
            let (margin, cell, count) = (column("margin")?, column("cell")?, column("count")?);
            let other = || "its columns are of other types".to_owned();
            let margin = margin.as_primitive_opt::<UInt32Type>().ok_or_else(other)?;
            let cell = cell.as_primitive_opt::<UInt64Type>().ok_or_else(other)?;
            let count = count.as_primitive_opt::<UInt64Type>().ok_or_else(other)?;
            for row in 0..batch.num_rows() {
                let at = margin.value(row) as usize;
                let of = sets.get(at).ok_or("it counts a set of variables that it does not name")?;
                let mut place = cell.value(row);
                let mut classes: Vec<u32> = file
                    .domain
                    .sizes(of)
                    .iter()
                    .rev()
                    .map(|size| {
                        let class = place % *size as u64;
                        place /= *size as u64;
                        class as u32
                    })
                    .collect();
                if place > 0 {
                    return Err("it counts a cell that is not in the domain".into());
                }
                classes.reverse();
                cells[at].push((classes, count.value(row)));
            }
        }
        for (of, cells) in sets.iter().zip(cells) {
            let total = cells.iter().try_fold(0_u64, |total, (_, count)| total.checked_add(*count));
            total.ok_or("its counts are too large")?;
            let cells = cells.iter().map(|(cell, count)| (cell.as_slice(), *count));
            let table = ContingencyTable::from_cells(of.clone(), &file.domain.sizes(of), cells);
            file.add(table).map_err(|error| error.to_string())?;
        }
        Ok(file)
    }

    /// The smallest table that is over these variables and maybe others.
    fn holding(&self, of: &Attributes) -> Result<&ContingencyTable, TableError> {
        let holds = |table: &&ContingencyTable| table.attributes().places_of(of).is_some();
        let lacks = || {
            let message = "the count files lack them; count again with more variables together (--ways 3), or all of them (--cross)";
            TableError::schema(format!("counts of {}", self.domain.describe(of)), message)
        };
        self.tables.values().filter(holds).min_by_key(|table| table.occupied()).ok_or_else(lacks)
    }
}

impl CountSource for CountFile {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn records(&self) -> u64 {
        self.records
    }

    fn margins(&self, of: &[Attributes]) -> Result<Vec<Margin>, TableError> {
        let margin = |of: &Attributes| {
            Margin::checked_cells(&self.domain, of)?;
            self.contingency_table(of)?.to_margin().ok_or_else(|| refusal("a margin above the dense limit"))
        };
        of.iter().map(margin).collect()
    }

    fn contingency_table(&self, of: &Attributes) -> Result<ContingencyTable, TableError> {
        let table = self.holding(of)?;
        if table.attributes() == of {
            return Ok(table.clone());
        }
        table.margin(of).ok_or_else(|| refusal("a variable that is not counted"))
    }
}

fn refusal(message: impl Into<String>) -> TableError {
    TableError::schema("counts", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read_csv_text};
    use crate::{Source, Table};

    const SCHEMA: &str = "[table]\ndeclared = true\nreason = \"invented\"\n\
        [variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n\
        [variables.town]\nkind = \"categorical\"\nlevels = [\"a\", \"b\", \"c\"]\nmissing = true\n\
        [variables.age]\nkind = \"integer\"\nrange = [0, 99]\n";

    fn declared() -> DeclaredSchema {
        SchemaFile::parse(SCHEMA).unwrap().finish().unwrap().reviewed().unwrap()
    }

    fn people(rows: std::ops::Range<usize>) -> Table {
        let row = |row: usize| {
            format!("{},{},{}\n", ["F", "M"][row % 2], ["a", "", "b", "c"][row % 4], row * 7 % 100)
        };
        let options =
            ReadOptions { schema: Some(SchemaFile::parse(SCHEMA).unwrap()), ..ReadOptions::default() };
        read_csv_text(&format!("sex,town,age\n{}", rows.map(row).collect::<String>()), &options).unwrap()
    }

    fn counted(rows: std::ops::Range<usize>, ways: usize) -> CountFile {
        let (people, schema) = (people(rows.clone()), declared());
        let counts = Source::from(&people).declared_counts(&schema, 5).unwrap();
        let sets = Attributes::combinations(counts.domain(), ways);
        CountFile::count(counts.as_ref(), &schema, 5, &sets, [format!("{rows:?}")]).unwrap()
    }

    #[test]
    fn parts_add_up_to_the_whole_and_survive_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let whole = counted(0..100, 2);
        let parts = [0..30, 30..31, 31..100].map(|rows| {
            let path = folder.path().join(format!("{}.counts", rows.start));
            std::fs::write(&path, counted(rows, 2).to_bytes().unwrap()).unwrap();
            (path.display().to_string(), CountFile::read(&path).unwrap())
        });
        let sum = CountFile::merged(parts.to_vec()).unwrap();
        assert_eq!((sum.records(), sum.tables.clone()), (100, whole.tables.clone()));
        for ways in 0..=2 {
            assert_eq!(sum.all_margins(ways).unwrap(), whole.all_margins(ways).unwrap());
        }
        let error = sum.all_margins(3).unwrap_err().to_string();
        assert!(error.contains("sex × town × age") && error.contains("--cross"), "{error}");
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        let refused = |files: Vec<CountFile>| {
            let names = ["one", "two"].map(str::to_owned);
            CountFile::merged(names.into_iter().zip(files).collect()).unwrap_err().to_string()
        };
        assert!(refused(vec![counted(0..50, 2), counted(0..50, 2)]).contains("count twice"));
        assert!(refused(vec![counted(0..50, 2), counted(50..60, 1)]).contains("lacks counts of sex × town"));
        assert!(refused(vec![counted(0..50, 1), counted(50..60, 2)]).contains("lacks counts of"));
        let mut other = counted(50..60, 2);
        other.groups = 4;
        assert!(refused(vec![counted(0..50, 2), other]).contains("another schema"));
        assert!(refused(Vec::new()).contains("no count file"));
    }

    #[test]
    fn a_damaged_file_is_refused_wherever_it_is_cut_or_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.counts");
        let bytes = counted(0..40, 2).to_bytes().unwrap();
        for cut in [0, 5, bytes.len() / 2, bytes.len() - 3] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(CountFile::read(&path).unwrap_err().to_string().contains("c.counts"));
        }
        let mut wrong = counted(0..40, 2);
        wrong.records = 41;
        std::fs::write(&path, wrong.to_bytes().unwrap()).unwrap();
        assert!(CountFile::read(&path).unwrap_err().to_string().contains("add up"));
    }
}
