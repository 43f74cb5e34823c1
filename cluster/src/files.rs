//! The files of a table as they are at one moment, so that a run is over one state of the data: what is changed, added or taken away meanwhile is refused.

use datafusion::datasource::listing::ListingTableUrl;
use datafusion::object_store::{ObjectMeta, ObjectStore};
use engines::EngineError;
use futures::TryStreamExt as _;
use table::TableError;
use url::Url;

use crate::place::Files;

/// How names of files end.
const EXTENSION: &str = ".parquet";

/// The files of a table: names, sizes, times of change and, in a store, versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    files: Vec<(String, u64, i64, Option<String>)>,
}

/// Where files are, as the engine names it.
pub(crate) fn url_of(files: &Files) -> Result<Url, EngineError> {
    match files {
        Files::Store(url) => {
            let mut url = url.clone();
            if !url.path().ends_with(EXTENSION) && !url.path().ends_with('/') {
                url.set_path(&format!("{}/", url.path()));
            }
            Ok(url)
        }
        Files::Path(path) => {
            let absolute = std::fs::canonicalize(path).map_err(|error| {
                EngineError::from(TableError::schema(path.display().to_string(), error.to_string()))
            })?;
            let url = match absolute.is_dir() {
                true => Url::from_directory_path(&absolute),
                false => Url::from_file_path(&absolute),
            };
            url.map_err(|()| EngineError::usage(format!("{}: this path has no address", path.display())))
        }
    }
}

impl Listing {
    /// The files that are there now.
    pub(crate) async fn of(
        store: &dyn ObjectStore,
        url: &ListingTableUrl,
    ) -> Result<Self, datafusion::object_store::Error> {
        let found: Vec<ObjectMeta> = match url.is_collection() {
            false => vec![datafusion::object_store::ObjectStoreExt::head(store, url.prefix()).await?],
            true => store.list(Some(url.prefix())).try_collect().await?,
        };
        let mut files: Vec<_> = found
            .into_iter()
            .filter(|file| file.location.as_ref().ends_with(EXTENSION))
            .map(|file| {
                let name = file.location.as_ref().strip_prefix(url.prefix().as_ref()).unwrap_or_default();
                let name = name.trim_start_matches('/').to_owned();
                (name, file.size, file.last_modified.timestamp_micros(), file.e_tag.or(file.version))
            })
            .collect();
        files.sort();
        Ok(Self { files })
    }

    /// The variables after which subfolders are named (`region=north`), the same for all files.
    pub(crate) fn partitions(&self) -> Result<Vec<String>, TableError> {
        let refuse = |message: &str| Err(TableError::schema("files", message));
        let Some((first, ..)) = self.files.first() else {
            return refuse("there are no Parquet files; their names end with .parquet");
        };
        let keys_of = |name: &str| -> Option<Vec<String>> {
            let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
            let key = |folder: &str| folder.split_once('=').map(|(key, _)| key.to_owned());
            folders.split('/').filter(|folder| !folder.is_empty()).map(key).collect()
        };
        let Some(keys) = keys_of(first) else {
            return refuse("subfolders are named after a variable and its level, such as region=north");
        };
        for (name, ..) in &self.files {
            if keys_of(name).as_ref() != Some(&keys) {
                return refuse(
                    "all files lie in the folder itself, or all in subfolders named after the same variables",
                );
            }
            if name.split('/').any(|part| part.starts_with(['_', '.'])) {
                return refuse(
                    "a name begins with _ or a point, as of a file that is being written; take it away",
                );
            }
        }
        Ok(keys)
    }

    /// Refuses if something has changed since.
    pub(crate) fn require_unchanged(&self, now: &Self) -> Result<(), TableError> {
        if self == now {
            return Ok(());
        }
        let changed = self.files.iter().find(|file| !now.files.contains(file));
        let added = now.files.iter().find(|file| !self.files.iter().any(|(name, ..)| *name == file.0));
        let name = added.or(changed).map_or("", |(name, ..)| name.as_str());
        let place = if name.is_empty() { "files".to_owned() } else { name.to_owned() };
        Err(TableError::schema(
            place,
            "the files changed while they were counted; run again when nobody writes to them",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(names: &[&str]) -> Listing {
        Listing { files: names.iter().map(|name| ((*name).to_owned(), 1, 2, None)).collect() }
    }

    #[test]
    fn subfolders_are_variables() {
        let keys = listing(&["year=1/sex=F/a.parquet", "year=2/sex=M/a.parquet"]).partitions().unwrap();
        assert_eq!(keys, ["year", "sex"]);
        assert!(listing(&["a.parquet", "b.parquet"]).partitions().unwrap().is_empty());
        for wrong in [&[][..], &["north/a.parquet"], &["a.parquet", "x=1/b.parquet"], &["_new.parquet"]] {
            assert!(listing(wrong).partitions().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_changes_meanwhile_is_refused_by_name() {
        let before = listing(&["a.parquet", "b.parquet"]);
        assert!(before.require_unchanged(&before.clone()).is_ok());
        let error = |now: &Listing| before.require_unchanged(now).unwrap_err().to_string();
        assert!(error(&listing(&["a.parquet"])).contains("b.parquet"));
        assert!(error(&listing(&["a.parquet", "b.parquet", "c.parquet"])).contains("c.parquet"));
        let mut longer = before.clone();
        longer.files[1].1 = 7;
        assert!(error(&longer).contains("b.parquet"));
    }
}
