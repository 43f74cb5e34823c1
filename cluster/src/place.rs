//! Where a folder of Parquet files is, and which engine counts it: `datafusion:/data/people` or `ballista://host:50050/data/people`.
//!
//! What follows the colon, or the host and its slash, is a folder or a file, or one of an object store: `datafusion:s3://bucket/people`, `ballista://host/s3://bucket/people`. Everyone who
//! counts must find it under the same name. `?partitions=N` says into how many pieces the work is cut, at best a few for each core of the cluster.

use std::path::{Path, PathBuf};

use engines::{Connections, EngineError, Place};
use table::sql::Engine;
use table::watch::Watch;
use url::Url;

use crate::engine::ParquetEngine;

/// The port of a scheduler.
const PORT: u16 = 50_050;

/// A table of Parquet files, and who counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParquetPlace {
    /// Who counts.
    pub(crate) workers: Workers,
    /// Where the files are.
    pub(crate) files: Files,
    /// Into how many pieces the work is cut, if not as usual.
    pub(crate) partitions: Option<usize>,
    table: Vec<String>,
}

/// Who counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Workers {
    /// This process.
    Here,
    /// The executors of a scheduler.
    Cluster {
        /// Its machine.
        host: String,
        /// Its port.
        port: u16,
    },
}

/// A file, or a folder of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// In a file system.
    Path(PathBuf),
    /// In an object store.
    Store(Url),
}

fn refuse<T>(message: impl std::fmt::Display) -> Result<T, EngineError> {
    Err(EngineError::usage(format!("the address of the table: {message}")))
}

impl ParquetPlace {
    /// A table that this process counts.
    pub(crate) fn here(text: &str) -> Result<Self, EngineError> {
        let rest = text.split_once(':').map_or(text, |(_, rest)| rest);
        let (rest, partitions) = settings(rest)?;
        Self::new(Workers::Here, rest, partitions)
    }

    /// A table that a cluster counts.
    pub(crate) fn on_a_cluster(text: &str) -> Result<Self, EngineError> {
        let usage = "say ballista://HOST:PORT/FOLDER, or ballista://HOST:PORT/s3://BUCKET/FOLDER";
        let Some((_, rest)) = text.split_once("://") else { return refuse(usage) };
        let (rest, partitions) = settings(rest)?;
        let Some(slash) = rest.find('/').filter(|slash| *slash > 0) else { return refuse(usage) };
        let (authority, files) = rest.split_at(slash);
        if authority.contains('@') {
            return refuse("a scheduler knows neither names nor passwords; leave them out");
        }
        let Ok(scheduler) = Url::parse(&format!("http://{authority}")) else { return refuse(usage) };
        let Some(host) = scheduler.host_str() else { return refuse(usage) };
        // `http` means 80 where no port is said.
        let port = if authority.ends_with(":80") { 80 } else { scheduler.port().unwrap_or(PORT) };
        let files = files.strip_prefix('/').filter(|rest| rest.contains("://")).unwrap_or(files);
        Self::new(Workers::Cluster { host: host.to_owned(), port }, files, partitions)
    }

    fn new(workers: Workers, files: &str, partitions: Option<usize>) -> Result<Self, EngineError> {
        let (files, name) = match files.contains("://") {
            true => {
                let Ok(url) = Url::parse(files) else {
                    return refuse("the object store is s3://BUCKET/FOLDER");
                };
                if url.scheme() != "s3" || url.host_str().is_none_or(str::is_empty) {
                    return refuse("object stores are those that speak S3: s3://BUCKET/FOLDER");
                }
                if !url.username().is_empty() || url.password().is_some() {
                    return refuse(
                        "it holds a key, which others can see on a command line; put it into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
                    );
                }
                let last = url.path().trim_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
                let name = if last.is_empty() { url.host_str().unwrap_or_default().to_owned() } else { last };
                (Files::Store(url), name)
            }
            false if files.is_empty() => return refuse("it names no folder"),
            false => {
                let name = Path::new(files).file_stem().map(|name| name.to_string_lossy().into_owned());
                (Files::Path(files.into()), name.unwrap_or_default())
            }
        };
        let name = Some(name).filter(|name| !name.is_empty()).unwrap_or_else(|| "table".into());
        Ok(Self { workers, files, partitions, table: vec![name] })
    }

    /// The name of the table in queries.
    pub(crate) fn table_name(&self) -> &str {
        &self.table[0]
    }
}

/// What stands before the question mark, and what is set after it.
fn settings(text: &str) -> Result<(&str, Option<usize>), EngineError> {
    let Some((before, query)) = text.rsplit_once('?') else { return Ok((text, None)) };
    match query.split_once('=') {
        Some(("partitions", number)) => match number.parse() {
            Ok(number) if number > 0 => Ok((before, Some(number))),
            _ => refuse("partitions is a number above 0"),
        },
        _ => refuse("its one setting is ?partitions=N"),
    }
}

impl Place for ParquetPlace {
    fn name(&self) -> &str {
        self.table_name()
    }

    fn table(&self) -> &[String] {
        &self.table
    }

    fn opens(&self) -> (Vec<PathBuf>, Connections) {
        // Names of machines are looked up, and the certificates of the system read.
        let system =
            ["/etc", "/lib", "/lib64", "/usr/lib", "/usr/share/ca-certificates", "/run/systemd/resolve"];
        match (&self.workers, &self.files) {
            (Workers::Here, Files::Path(path)) => (vec![path.clone()], Connections::default()),
            (_, files) => {
                let path = if let Files::Path(path) = files { Some(path.clone()) } else { None };
                (path.into_iter().chain(system.map(PathBuf::from)).collect(), Connections::Anywhere)
            }
        }
    }

    fn open(&self, watch: &Watch) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(ParquetEngine::open(self, watch.clone())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_who_counts_and_what() {
        let here = ParquetPlace::here("datafusion:parts/people.parquet").unwrap();
        assert_eq!(
            (&here.workers, &here.files),
            (&Workers::Here, &Files::Path("parts/people.parquet".into()))
        );
        assert_eq!((here.name(), here.opens().1), ("people", Connections::default()));
        let cluster = ParquetPlace::on_a_cluster("ballista://node1/data/people/?partitions=8").unwrap();
        assert_eq!(cluster.workers, Workers::Cluster { host: "node1".into(), port: 50_050 });
        assert_eq!((&cluster.files, cluster.partitions), (&Files::Path("/data/people/".into()), Some(8)));
        let store = ParquetPlace::on_a_cluster("ballista://[::1]:7000/s3://bucket/people").unwrap();
        assert_eq!(store.workers, Workers::Cluster { host: "[::1]".into(), port: 7_000 });
        assert_eq!(store.files, Files::Store(Url::parse("s3://bucket/people").unwrap()));
        assert_eq!((store.name(), store.opens().1), ("people", Connections::Anywhere));
        for wrong in [
            "ballista://host",
            "ballista:///data",
            "ballista://ann:secret@host/data",
            "ballista://host/data?colour=red",
            "ballista://host/data?partitions=0",
            "ballista://host/gs://bucket/people",
            "ballista://host:port/data",
        ] {
            let error =
                ParquetPlace::on_a_cluster(wrong).err().unwrap_or_else(|| panic!("{wrong}")).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        let error = ParquetPlace::here("datafusion:s3://key:secret@bucket/people").unwrap_err().to_string();
        assert!(error.contains("AWS_ACCESS_KEY_ID") && !error.contains("secret"), "{error}");
        assert!(ParquetPlace::here("datafusion:").is_err());
    }
}
