//! Files that are written whole or not at all.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::TableError;

/// Temporary files and folders of writes under way.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file or folder that is to be removed if the process is told to stop.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Remembers `path` until this is dropped.
    pub fn new(path: &Path) -> Self {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.insert(path.to_owned());
        }
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut unfinished) = UNFINISHED.lock() {
            unfinished.remove(&self.0);
        }
    }
}

/// Removes what writes under way have left, for a process that was told to stop.
pub fn remove_unfinished() {
    for path in UNFINISHED.lock().iter().flat_map(|unfinished| unfinished.iter()) {
        // Another thread may still be writing into the folder while it is being emptied.
        for _ in 0..20 {
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            if !path.exists() {
                break;
            }
        }
    }
}

/// Writes `contents` to `path`: to a temporary file beside it first, then renamed, so that no reader ever sees half of it.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), TableError> {
    write_with(path, |file| file.write_all(contents))
}

/// Whether a file could be written here, found out before long work whose result it is to hold: its folder must exist and be writable.
pub fn check(path: &Path) -> Result<(), TableError> {
    let attempt = || match path.is_dir() {
        true => Err(std::io::ErrorKind::IsADirectory.into()),
        false => tempfile::tempfile_in(folder_of(path)),
    };
    attempt().map(|_| ()).map_err(|source| TableError::io(path, source))
}

/// Whether files could be written in this folder, which need not exist; nothing is made.
pub fn check_folder(folder: &Path) -> Result<(), TableError> {
    let existing = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(existing).map(|_| ()).map_err(|source| TableError::io(folder, source))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Like [`write()`], for confidential contents: only the owner can read the file.
pub fn write_private(path: &Path, contents: &[u8]) -> Result<(), TableError> {
    write_to(path, tempfile::Builder::new(), |file| file.write_all(contents))
}

/// Like [`write()`], with a closure that produces the contents.
pub fn write_with(
    path: &Path,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary file would be made: the user's umask takes away what it takes away.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    write_to(path, builder, produce)
}

fn write_to(
    path: &Path,
    builder: tempfile::Builder<'_, '_>,
    produce: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let folder = folder_of(path);
    let attempt = || {
        let file = builder.tempfile_in(folder)?;
        let _unfinished = Unfinished::new(file.path());
        let mut buffered = std::io::BufWriter::with_capacity(1 << 20, file);
        produce(&mut buffered)?;
        let file = buffered.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    };
    attempt().map_err(|source| TableError::io(path, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        write_private(&path, b"secret").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        write(&path, b"old").unwrap();
        let failed = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(std::io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn places_that_cannot_be_written_are_known_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        check(&file).unwrap();
        check_folder(&folder.path().join("new/deeper")).unwrap();
        assert!(check(folder.path()).is_err() && check(&folder.path().join("new/file")).is_err());
        std::fs::write(&file, "").unwrap();
        check(&file).unwrap();
        assert!(check_folder(&file).is_err() && check_folder(&file.join("new")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
