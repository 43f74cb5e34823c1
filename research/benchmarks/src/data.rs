//! The tables that are worked on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;
use table::{Codes, Column, Kind, Levels, Schema, Table, Variable};

use crate::BenchError;

/// Where data and peers are.
#[derive(Clone, Debug)]
pub struct Places {
    /// The folder of real data and of the peers' runner, where there is one.
    pub shared: Option<PathBuf>,
    /// Where data are made and peers are installed.
    pub cache: PathBuf,
}

impl Places {
    /// A file of the shared folder.
    pub(crate) fn shared(&self, file: &str) -> Result<PathBuf, BenchError> {
        let path = self.shared.as_ref().map(|folder| folder.join(file)).filter(|path| path.exists());
        path.ok_or_else(|| BenchError::Skipped(format!("needs {file} of the shared data (--shared DIR)")))
    }

    /// SD2011 with its special code declared, and nothing else said.
    pub(crate) fn sd2011(&self, file: &str) -> Result<Table, BenchError> {
        const WITH_CODE: [&str; 5] = ["income", "nofriend", "nociga", "wkabdur", "unempdur"];
        let path = self.shared(file)?;
        let mut schema = read(&path)?.schema().to_toml();
        for name in WITH_CODE {
            let section = format!("[variables.{name}]\n");
            schema = schema.replace(&section, &format!("{section}codes = {{ -8 = \"not applicable\" }}\n"));
        }
        let schema = Some(SchemaFile::parse(&schema).map_err(BenchError::failed)?);
        read_table(&path, &ReadOptions { schema, ..ReadOptions::default() }).map_err(BenchError::failed)
    }

    /// A file that is made once and kept; written under another name first.
    pub(crate) fn made(
        &self,
        name: &str,
        make: impl FnOnce(&Path) -> std::io::Result<()>,
    ) -> Result<PathBuf, BenchError> {
        let path = self.cache.join(name);
        if !path.exists() {
            let part = self.cache.join(format!("{name}.part"));
            let made = std::fs::create_dir_all(&self.cache).and_then(|()| make(&part));
            made.and_then(|()| std::fs::rename(&part, &path)).map_err(BenchError::failed)?;
        }
        Ok(path)
    }
}

/// A file as it is.
pub(crate) fn read(path: &Path) -> Result<Table, BenchError> {
    read_table(path, &ReadOptions::default()).map_err(BenchError::failed)
}

/// Correlated categories: each variable copies the one before it in half of the records.
pub(crate) fn made_up(rows: usize, sizes: &[usize], seed: u64) -> Result<Table, BenchError> {
    let mut random = SplitMix(seed);
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for size in sizes {
        let draw = |row: usize| {
            let fresh = random.below(*size).min(random.below(*size)) as u32;
            match columns.last() {
                Some(before) if random.below(2) == 0 => before[row] % *size as u32,
                _ => fresh,
            }
        };
        let column = (0..rows).map(draw).collect();
        columns.push(column);
    }
    let variable = |(place, size): (usize, &usize)| {
        let levels = Levels::new((0..*size).map(|level| level.to_string())).map_err(BenchError::failed)?;
        Ok(Variable::new(format!("v{place}"), Kind::Categorical { levels }))
    };
    let variables = sizes.iter().enumerate().map(variable).collect::<Result<Vec<_>, BenchError>>()?;
    let schema = Schema::new(variables, vec![], vec![]).map_err(BenchError::failed)?;
    let columns = columns.into_iter().zip(sizes);
    let columns = columns.map(|(codes, size)| Column::Categorical(Arc::new(Codes::collect(*size, codes))));
    Table::new(Arc::new(schema), columns.collect()).map_err(BenchError::failed)
}

/// SplitMix64 (Steele, Lea & Flood 2014): the same data on every machine.
pub(crate) struct SplitMix(pub u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `size`, each as likely.
    pub(crate) fn below(&mut self, size: usize) -> usize {
        ((u128::from(self.next()) * size as u128) >> 64) as usize
    }

    /// The square of a uniform number: the first level holds 1/√size of the records.
    pub(crate) fn skewed(&mut self, size: usize) -> usize {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (uniform * uniform * size as f64) as usize
    }
}
